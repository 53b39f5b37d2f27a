/* The visibility stream compressor (VSC): a binning pass writes which bins each draw and its primitives may touch, and
 * the passes over bins skip the others. The hardware's encoding is not public, and nothing but the hardware reads it.
 * Ours, little-endian words:
 *
 *   A pipe's stream of draws has two words for each draw with visibility: the bins of the pipe that it touches, one bit
 *   each; and the number of its primitives, with VSC_NO_BITS where the stream of primitives has nothing of it.
 *
 *   A pipe's stream of primitives has, for each draw that touches any of its bins, a bitmap for each of those bins from
 *   the lowest on. A bit stands for a group of 2^n primitives, n as small as VSC_MAX_GROUPS groups allow.
 *
 * Nothing is written beyond the limits. Sizes go on to grow, so that a driver sees from them how much was missing; what
 * was not written counts as visible. */
#ifndef ADRENO_MODEL_VSC_H
#define ADRENO_MODEL_VSC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "adreno/model/blocks.h"
#include "model/raster/raster.h"
#include "util/array.h"

#define VSC_PIPES 32
#define VSC_MAX_GROUPS 1024
#define VSC_GROUP_WORDS (VSC_MAX_GROUPS / 32)
#define VSC_NO_BITS (1u << 31)

struct vsc {
    /* the draw */
    bool is_writing;
    bool is_reading; /* `visible` says what is to be drawn */
    unsigned group_log2;
    unsigned words; /* of a bitmap */

    /* writing */
    uint32_t bin_w, bin_h, bins_x, bins_y;
    ARRAY(_Atomic uint32_t) bits; /* by bin and word */
    uint32_t draw_B[VSC_PIPES], prim_B[VSC_PIPES], touched[VSC_PIPES];
    bool has_overflown[VSC_PIPES]; /* the stream of primitives */

    /* reading */
    uint64_t serial; /* of the bin */
    uint64_t draw_at_B, prim_at_B;
    uint32_t size_B;
    uint32_t visible[VSC_GROUP_WORDS];
};

/* Before a draw, whose primitives have been counted. False: stopped. */
bool adreno_vsc_draw_begin(struct vsc *vsc, struct adreno_gpu *gpu, const struct adreno_draw *draw,
                           uint64_t prim_total);

/* A part of a primitive that is left after assembly touches these pixels; from any worker. */
void adreno_vsc_mark(struct vsc *vsc, uint64_t prim, const struct raster_prim *part);

/* After it. False: stopped. */
bool adreno_vsc_draw_end(struct vsc *vsc, struct adreno_gpu *gpu, uint64_t prim_total);

/* The first primitive from `prim` on that is visible, or `end`. */
static inline uint64_t vsc_next_visible(const struct vsc *vsc, uint64_t prim, uint64_t end)
{
    while (vsc->is_reading && prim < end) {
        const uint64_t group = prim >> vsc->group_log2;
        const uint32_t from_here = vsc->visible[group / 32] >> group % 32;
        if (from_here & 1)
            return prim;
        prim = (from_here ? group + (unsigned)__builtin_ctz(from_here) : (group | 31) + 1) << vsc->group_log2;
    }
    return prim < end ? prim : end;
}

#endif
