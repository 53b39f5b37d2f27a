/* See rig.h. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"

struct rig_call rig_calls[RIG_MAX_CALLS];
unsigned rig_call_count;
struct adreno_counters *rig_counters;

/* ---- blocks ---- */

static struct rig_call *note(struct adreno_gpu *gpu, enum rig_call_kind kind)
{
    struct rig_call *call = &rig_calls[rig_call_count < RIG_MAX_CALLS ? rig_call_count++ : RIG_MAX_CALLS - 1];
    *call = (struct rig_call){
        .kind = kind,
        .vertex_offset = gpu->regs[ADRENO_REG_VFD_INDEX_OFFSET],
        .instance_offset = gpu->regs[ADRENO_REG_VFD_INSTANCE_START_OFFSET],
        .global_size = {gpu->regs[ADRENO_REG_SP_CS_NDRANGE_1], gpu->regs[ADRENO_REG_SP_CS_NDRANGE_3],
                        gpu->regs[ADRENO_REG_SP_CS_NDRANGE_5]},
        .marker = gpu->regs[ADRENO_REG_RB_BLEND_CONSTANT_RED_FP32],
    };
    return call;
}

bool adreno_hlsq_create(struct adreno_gpu *gpu)
{
    rig_counters = &gpu->counters;
    return true;
}

void adreno_hlsq_destroy(struct adreno_gpu *gpu)
{
}

void adreno_hlsq_reset(struct adreno_gpu *gpu)
{
}

void adreno_hlsq_invalidate_code(struct adreno_gpu *gpu)
{
}

void adreno_hlsq_forget_space(struct adreno_gpu *gpu, const struct gpu_space *space)
{
}

bool adreno_hlsq_load_state(struct adreno_gpu *gpu, unsigned opcode, const struct adreno_pkt_CP_LOAD_STATE6 *load,
                            const uint32_t *data, uint32_t data_dw)
{
    struct rig_call *call = note(gpu, RIG_LOAD_STATE);
    call->load = *load;
    call->load_data_dw = data_dw;
    for (uint32_t i = 0; i < data_dw; i++)
        call->load_data[i % 8] = data[i];
    return true;
}

bool adreno_hlsq_dispatch(struct adreno_gpu *gpu, const struct adreno_dispatch *dispatch)
{
    note(gpu, RIG_DISPATCH)->dispatch = *dispatch;
    return true;
}

bool adreno_pc_create(struct adreno_gpu *gpu)
{
    return true;
}

void adreno_pc_destroy(struct adreno_gpu *gpu)
{
}

void adreno_pc_reset(struct adreno_gpu *gpu)
{
}

bool adreno_draw(struct adreno_gpu *gpu, const struct adreno_draw *draw)
{
    struct rig_call *call = note(gpu, RIG_DRAW);
    call->draw = *draw;
    if (draw->bin)
        call->bin = *draw->bin;
    return true;
}

bool adreno_vsc_begin(struct adreno_gpu *gpu)
{
    return note(gpu, RIG_BINNING_START);
}

bool adreno_vsc_end(struct adreno_gpu *gpu)
{
    return note(gpu, RIG_BINNING_END);
}

bool adreno_lrz_clear(struct adreno_gpu *gpu)
{
    return note(gpu, RIG_LRZ_CLEAR);
}

bool adreno_lrz_flush(struct adreno_gpu *gpu)
{
    return true;
}

bool adreno_rb_blit_event(struct adreno_gpu *gpu)
{
    return note(gpu, RIG_RESOLVE);
}

bool adreno_rb_2d(struct adreno_gpu *gpu)
{
    return note(gpu, RIG_BLIT_2D);
}

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
    rig_call_count = 0;
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

int rig_run(struct rig *rig, const struct stream *s)
{
    struct rig_job *job = malloc(sizeof(*job));
    uint32_t begin_B = rig->stream_B;
    if (!job)
        abort();
    rig_call_count = 0;
    rig_submit(rig, job, s);
    rig_wait(job);
    rig->stream_B = begin_B;
    rig->error = job->error;
    memcpy(rig->report, job->report, sizeof(rig->report));
    free(job);
    return rig->error;
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
