/* Blocks that are not there yet: a stop at each of their entries. Whoever builds a block takes its functions out. */
#include "adreno/model/blocks.h"

#define NOT_YET(what) adreno_stop(gpu, ADRENO_STOP_UNIMPLEMENTED, what ": not implemented yet")

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

