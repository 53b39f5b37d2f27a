/* See rig.h. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the engine ---- */

static void describe_address(const struct gpu_space *space, uint64_t va, struct strbuf *text)
{
    strbuf_printf(text, "  the rig has nothing at 0x%llx\n", (unsigned long long)va);
}

int rig_setup(void **state)
{
    static const struct drm_engine_host host = {.describe_address = describe_address};
    struct rig *rig = calloc(1, sizeof(*rig));
    const struct adreno_chip *chip = adreno_chip_find("adreno-635");
    if (!rig || !chip)
        return -1;
    rig->fd = memfd_create("rig", MFD_CLOEXEC);
    if (rig->fd < 0 || ftruncate(rig->fd, RIG_SIZE_B) != 0)
        return -1;
    rig->map = mmap(NULL, RIG_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig->fd, 0);
    if (gpu_space_init(&rig->space, (struct gpu_extent[]){{RIG_VA, 1ull << 28}}, 1) != 0 ||
        gpu_space_map_file(&rig->space, RIG_VA, RIG_SIZE_B, rig->fd, 0, GPU_PERM_RWX) != 0)
        return -1;
    if (adreno_engine_ops.create(chip, &host, &rig->engine) != 0 ||
        adreno_engine_ops.context_create(rig->engine, &rig->space, &rig->context) != 0)
        return -1;
    rig->stream_B = RIG_STREAM_B;
    *state = rig;
    return 0;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    adreno_engine_ops.context_destroy(rig->engine, rig->context);
    adreno_engine_ops.destroy(rig->engine);
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
    atomic_store(&job->is_done, true);
}

void rig_submit(struct rig *rig, struct rig_job *job, const struct stream *s)
{
    memset(job, 0, sizeof(*job));
    job->ib = (struct adreno_ib){.va = rig_place(rig, s), .size_dw = s->count};
    job->base.context = rig->context;
    job->base.space = &rig->space;
    job->work = (struct adreno_work){.ibs = &job->ib, .ib_count = 1};
    job->base.work = &job->work;
    job->base.finished = finished;
    adreno_engine_ops.submit(rig->engine, &job->base);
}

void rig_wait(struct rig_job *job)
{
    while (!atomic_load(&job->is_done))
        usleep(100);
}

/* ---- streams ---- */

void put_words(struct stream *s, const uint32_t *words, uint32_t count)
{
    memcpy(s->dw + s->count, words, 4 * count);
    s->count += count;
}

void put_reg(struct stream *s, uint32_t reg, uint32_t value)
{
    PUT_WORDS(s, adreno_pkt4_header(reg, 1), value);
}

void put_reg64(struct stream *s, uint32_t reg, uint64_t value)
{
    PUT_WORDS(s, adreno_pkt4_header(reg, 2), (uint32_t)value, (uint32_t)(value >> 32));
}

void put_store(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, CP_MEM_WRITE, .tail_dw = 1, .ADDR = RIG_VA + offset_B);
    PUT_WORDS(s, value);
}

void put_read(struct stream *s, uint32_t reg, uint32_t offset_B)
{
    PUT(s, CP_REG_TO_MEM, .REG = reg, .CNT = 1, .DEST = RIG_VA + offset_B);
}

void put_draw(struct stream *s)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_DRAW_INDX_OFFSET, 4),
              ADRENO_PRIM_TYPE_TRILIST | ADRENO_SRC_SEL_AUTO_INDEX << 6 | ADRENO_VIS_CULL_MODE_USE << 8, 1, 3);
}

void put_group(struct stream *s, unsigned group, uint32_t flags, uint64_t va, uint32_t size_dw)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_SET_DRAW_STATE, 4), size_dw | flags | group << 24, (uint32_t)va,
              (uint32_t)(va >> 32));
}
