/* Blocks that only write down how they are called: what the command processor asks of them is what its tests look
 * at. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"

struct rig_call rig_calls[RIG_MAX_CALLS];
unsigned rig_call_count;
bool rig_keeps_draws;
struct adreno_counters *rig_counters;

static struct rig_call *note_call(struct adreno_gpu *gpu, enum rig_call_kind kind)
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
    struct rig_call *call = note_call(gpu, RIG_LOAD_STATE);
    call->load = *load;
    call->load_data_dw = data_dw;
    for (uint32_t i = 0; i < data_dw; i++)
        call->load_data[i % 8] = data[i];
    return true;
}

bool adreno_hlsq_dispatch(struct adreno_gpu *gpu, const struct adreno_dispatch *dispatch)
{
    note_call(gpu, RIG_DISPATCH)->dispatch = *dispatch;
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
    struct rig_call *call = note_call(gpu, RIG_DRAW);
    call->draw = *draw;
    if (draw->bin)
        call->bin = *draw->bin;
    gpu->has_series = rig_keeps_draws && draw->may_wait;
    return true;
}

bool adreno_vsc_begin(struct adreno_gpu *gpu)
{
    return note_call(gpu, RIG_BINNING_START);
}

bool adreno_vsc_end(struct adreno_gpu *gpu)
{
    return note_call(gpu, RIG_BINNING_END);
}

bool adreno_lrz_clear(struct adreno_gpu *gpu)
{
    return note_call(gpu, RIG_LRZ_CLEAR);
}

bool adreno_lrz_flush(struct adreno_gpu *gpu)
{
    return true;
}

bool adreno_rb_blit_event(struct adreno_gpu *gpu)
{
    return note_call(gpu, RIG_RESOLVE);
}

bool adreno_rb_2d(struct adreno_gpu *gpu)
{
    return note_call(gpu, RIG_BLIT_2D);
}

bool adreno_draws_finish(struct adreno_gpu *gpu)
{
    if (gpu->has_series)
        note_call(gpu, RIG_DRAWS_FINISH);
    gpu->has_series = false;
    return true;
}

bool adreno_rb_2d_finish(struct adreno_gpu *gpu)
{
    (void)gpu;
    return true;
}

int rig_run(struct rig *rig, const struct stream *s)
{
    struct rig_job *job = malloc(sizeof(*job));
    uint32_t begin_B = rig->stream_B;
    if (!job)
        abort();
    rig_call_count = 0;
    rig_submit(rig, job, s);
    rig_finish(rig, job);
    rig->stream_B = begin_B;
    free(job);
    return rig->error;
}
