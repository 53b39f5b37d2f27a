/* Events of low-resolution depth (LRZ).
 *
 * LRZ is a bound for the depth of a block of pixels: it says of some primitives and blocks that their depth test would
 * fail, and never of one that it would pass. The model's rasteriser tests every pixel and asks no bound, so that results
 * are those of the hardware, and the buffer, its bits of fast clears and its direction have no reader here: neither event
 * has anything to do. Whoever lets the rasteriser ask must write them (adreno/hw/tiling/lrz.h has the layout). */
#include "adreno/model/blocks.h"

bool adreno_lrz_clear(struct adreno_gpu *gpu)
{
    return true;
}

bool adreno_lrz_flush(struct adreno_gpu *gpu)
{
    return true;
}
