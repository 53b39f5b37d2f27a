/* Cuts out of a primitive pixel by pixel: clip rectangles and the stipple of lines. */
#include "model/raster/raster.h"
#include "util/bits.h"

static int clamp_block(int at)
{
    return MIN2(MAX2(at, 0), RASTER_BLOCK);
}

/* One bit per pixel of the block at (x, y) that lies in a rectangle. */
static uint64_t in_rect(const int32_t rect[4], int32_t x, int32_t y)
{
    int x0 = clamp_block(rect[0] - x), x1 = clamp_block(rect[2] - x);
    int y0 = clamp_block(rect[1] - y), y1 = clamp_block(rect[3] - y);
    if (x0 >= x1 || y0 >= y1)
        return 0;
    uint64_t row = bits_mask((unsigned)x1) & ~bits_mask((unsigned)x0);
    uint64_t rows = bits_mask((unsigned)y1 * RASTER_BLOCK) & ~bits_mask((unsigned)y0 * RASTER_BLOCK);
    return row * 0x0101010101010101ull & rows;
}

static uint64_t in_clip_rects(const struct raster_coverage *state, int32_t x, int32_t y)
{
    uint64_t in[4], mask = 0;
    for (unsigned r = 0; r < 4; r++)
        in[r] = in_rect(state->clip_rects[r], x, y);
    bits_foreach (state->clip_rule, set) {
        uint64_t of_set = UINT64_MAX;
        for (unsigned r = 0; r < 4; r++)
            of_set &= set >> r & 1 ? in[r] : ~in[r];
        mask |= of_set;
    }
    return mask;
}

/* A bit of the pattern lasts as many pixels along the line as the repeat count says. */
static bool is_drawn(const struct raster_coverage *state, const struct raster_stipple *stipple, int32_t at)
{
    int32_t steps = stipple->backwards ? stipple->first - at : at - stipple->first;
    if (steps < 0)
        return true; /* before the line's first pixel, so not covered */
    unsigned bit = (stipple->start + (uint32_t)steps) / (state->stipple_repeat + 1u) % 16;
    return state->stipple_pattern >> (state->stipple_from_top ? 15 - bit : bit) & 1;
}

static uint64_t in_stipple(const struct raster_coverage *state, const struct raster_stipple *stipple, int32_t x,
                           int32_t y)
{
    uint64_t mask = 0;
    for (int i = 0; i < RASTER_BLOCK; i++) {
        if (is_drawn(state, stipple, (stipple->along_y ? y : x) + i))
            mask |= stipple->along_y ? 0xffull << i * RASTER_BLOCK : 0x0101010101010101ull << i;
    }
    return mask;
}

uint64_t raster_cut_block(const struct raster_coverage *state, const struct raster_prim *prim, int32_t x, int32_t y)
{
    uint64_t mask = state->has_clip_rects ? in_clip_rects(state, x, y) : UINT64_MAX;
    return prim->stipple ? mask & in_stipple(state, prim->stipple, x, y) : mask;
}
