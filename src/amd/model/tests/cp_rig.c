/* See cp_rig.h. */
#include "cp_rig.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "amd/hw/chip.h"
#include "amd/hw/regs_compute.h"
#include "util/strbuf.h"

static void describe_address(const struct gpu_space *space, uint64_t va, struct strbuf *text)
{
    strbuf_printf(text, "  the rig has nothing at 0x%llx\n", (unsigned long long)va);
}

static const struct drm_engine_host host = {.describe_address = describe_address};

int rig_setup(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    const struct amd_chip *chip = amd_chip_find("navi21");
    if (!rig || !chip)
        return -1;
    rig->fd = memfd_create("rig", MFD_CLOEXEC);
    if (rig->fd < 0 || ftruncate(rig->fd, RIG_SIZE_B) != 0)
        return -1;
    rig->map = mmap(NULL, RIG_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig->fd, 0);
    if (gpu_space_init(&rig->space, (struct gpu_extent[]){{0x10000, 1u << 20}, {RIG_VA, 1ull << 28}}, 2) != 0 ||
        gpu_space_map_file(&rig->space, RIG_VA, RIG_SIZE_B, rig->fd, 0, GPU_PERM_RWX) != 0)
        return -1;
    rig->ops = amd_engine_default();
    if (rig->ops->create(chip, &host, &rig->engine) != 0 ||
        rig->ops->context_create(rig->engine, &rig->space, &rig->context) != 0)
        return -1;
    rig->stream_B = RIG_STREAM_B;
    rig->gds_B.size = 4096;
    *state = rig;
    return 0;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    rig->ops->context_destroy(rig->engine, rig->context);
    rig->ops->destroy(rig->engine);
    gpu_space_finish(&rig->space);
    munmap(rig->map, RIG_SIZE_B);
    close(rig->fd);
    free(rig);
    return 0;
}

uint64_t rig_place(struct rig *rig, const struct stream *s)
{
    uint32_t at_B = rig->stream_B;
    if (at_B + 4 * s->count > RIG_SIZE_B)
        abort();
    memcpy(rig->map + at_B, s->dw, 4 * s->count);
    rig->stream_B += (4 * s->count + 31) & ~31u;
    return RIG_VA + at_B;
}

static void finished(struct drm_engine_job *base, const struct drm_engine_result *result)
{
    struct rig_job *job = (struct rig_job *)base;
    job->error = result->error;
    snprintf(job->report, sizeof(job->report), "%s", result->report ? result->report : "");
    atomic_store(&job->done, true);
}

void rig_submit(struct rig *rig, struct rig_job *job, enum amd_ring_kind kind, const struct stream *s)
{
    memset(job, 0, sizeof(*job));
    job->ib = (struct amd_engine_ib){.va = rig_place(rig, s), .size_dw = s->count};
    job->base.ring = amd_ring_number(kind, 0);
    job->base.context = rig->context;
    job->base.space = &rig->space;
    job->work = (struct amd_engine_work){.ibs = &job->ib, .ib_count = 1, .gds_B = rig->gds_B};
    job->base.work = &job->work;
    job->base.finished = finished;
    rig->ops->submit(rig->engine, &job->base);
}

void rig_wait(struct rig_job *job)
{
    while (!atomic_load(&job->done))
        usleep(100);
}

int rig_run(struct rig *rig, enum amd_ring_kind kind, const struct stream *s)
{
    struct rig_job *job = malloc(sizeof(*job));
    uint32_t begin_B = rig->stream_B;
    if (!job)
        abort();
    rig_submit(rig, job, kind, s);
    rig_wait(job);
    rig->stream_B = begin_B;
    rig->error = job->error;
    memcpy(rig->report, job->report, sizeof(rig->report));
    free(job);
    return rig->error;
}

void put_words(struct stream *s, const uint32_t *words, uint32_t count)
{
    memcpy(s->dw + s->count, words, 4 * count);
    s->count += count;
}

void put_sh(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, SET_SH_REG, .tail_dw = 1, .REG_OFFSET = (offset_B - 0xb000) / 4);
    PUT_WORDS(s, value);
}

void put_context(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, SET_CONTEXT_REG, .tail_dw = 1, .REG_OFFSET = (offset_B - 0x28000) / 4);
    PUT_WORDS(s, value);
}

void put_uconfig(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, SET_UCONFIG_REG, .tail_dw = 1, .REG_OFFSET = (offset_B - 0x30000) / 4);
    PUT_WORDS(s, value);
}

void put_store(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, WRITE_DATA, .tail_dw = 1, .DST_SEL = AMD_WRITE_DST_MEM, .ADDR = RIG_VA + offset_B);
    PUT_WORDS(s, value);
}

void put_read_register(struct stream *s, uint32_t reg_offset_B, uint32_t offset_B)
{
    PUT(s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_REG, .SRC_REG = reg_offset_B / 4, .DST_SEL = AMD_COPY_DST_MEM,
        .DST_ADDR = RIG_VA + offset_B);
}

void put_program(struct stream *s, uint64_t program_va, uint64_t data_va, uint32_t threads)
{
    put_sh(s, AMD_REG_COMPUTE_PGM_LO, (uint32_t)(program_va >> 8));
    put_sh(s, AMD_REG_COMPUTE_PGM_HI, (uint32_t)(program_va >> 40) & 0xff);
    put_sh(s, AMD_REG_COMPUTE_PGM_RSRC1, AMD_PACK(RIG_GFX, COMPUTE_PGM_RSRC1, .VGPRS = 1));
    put_sh(s, AMD_REG_COMPUTE_PGM_RSRC2, AMD_PACK(RIG_GFX, COMPUTE_PGM_RSRC2, .USER_SGPR = 2, .TGID_X_EN = true));
    put_sh(s, AMD_REG_COMPUTE_NUM_THREAD_X, threads);
    put_sh(s, AMD_REG_COMPUTE_NUM_THREAD_Y, 1);
    put_sh(s, AMD_REG_COMPUTE_NUM_THREAD_Z, 1);
    put_sh(s, AMD_REG_COMPUTE_USER_DATA, (uint32_t)data_va);
    put_sh(s, AMD_REG_COMPUTE_USER_DATA + 4, (uint32_t)(data_va >> 32));
}
