/* Blocks that are not there yet: a stop at each of their entries. Whoever builds a block takes its functions out. */
#include "adreno/model/blocks.h"

#define NOT_YET(what) adreno_stop(gpu, ADRENO_STOP_UNIMPLEMENTED, what ": not implemented yet")

bool adreno_hlsq_create(struct adreno_gpu *gpu)
{
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
    return NOT_YET("a load of shader state");
}

bool adreno_hlsq_dispatch(struct adreno_gpu *gpu, const struct adreno_dispatch *dispatch)
{
    return NOT_YET("a dispatch");
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
    return NOT_YET("a draw");
}

bool adreno_vsc_begin(struct adreno_gpu *gpu)
{
    return NOT_YET("binning");
}

bool adreno_vsc_end(struct adreno_gpu *gpu)
{
    return NOT_YET("binning");
}

