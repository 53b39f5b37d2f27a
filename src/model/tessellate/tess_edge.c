/* The tessellator in one dimension: how many segments a level makes of an edge, and where its points are. */
#include <math.h>

#include "model/tessellate/tessellate.h"
#include "util/bits.h"

/* The level as integer, within what the spacing allows. */
static uint32_t clamp_level(const struct tess_mode *mode, float level, bool is_above_one)
{
    const uint32_t low = (mode->spacing == TESS_SPACING_EVEN ? 2 : 1) * TESS_ONE,
                   high = (TESS_MAX_LEVEL - (mode->spacing == TESS_SPACING_ODD)) * TESS_ONE;
    uint32_t fixed = low;
    level = fminf(level, mode->max_level);
    if (level > 1) /* false of what is no number */
        fixed = (uint32_t)lrintf(fminf(level, TESS_MAX_LEVEL) * TESS_ONE);
    if (mode->spacing == TESS_SPACING_EQUAL || mode->spacing == TESS_SPACING_POWERS) {
        /* A level that is ever so little above a whole number is above it. */
        if (level > (float)(fixed / TESS_ONE) && level < TESS_MAX_LEVEL)
            fixed = MAX2(fixed, fixed / TESS_ONE * TESS_ONE + 1);
        fixed = (uint32_t)align_u64(fixed, TESS_ONE);
    }
    if (mode->spacing == TESS_SPACING_POWERS)
        fixed = (1u << log2_ceil(fixed / TESS_ONE)) * TESS_ONE;
    fixed = MIN2(MAX2(fixed, low), high);
    if (is_above_one && fixed == TESS_ONE)
        fixed = mode->spacing == TESS_SPACING_ODD ? TESS_ONE + 1 : 2 * TESS_ONE;
    return fixed;
}

/* Where a half with `half` points gets the next: 1; 1, 3; 1, 3, 5, 7; and so on. */
static uint32_t split_of_half(uint32_t half)
{
    return half ? (half - (1u << log2_floor(half))) * 2 + 1 : 0;
}

struct tess_edge tess_edge_of(const struct tess_mode *mode, float level, bool is_above_one)
{
    const uint32_t fixed = clamp_level(mode, level, is_above_one);
    bool is_odd = mode->spacing == TESS_SPACING_ODD;
    if (mode->spacing == TESS_SPACING_EQUAL || mode->spacing == TESS_SPACING_POWERS)
        is_odd = fixed / TESS_ONE & 1;
    /* Whole segments on each side of the middle, which is a point or a segment. */
    const uint32_t halves = fixed - (is_odd ? TESS_ONE : 0), floor_half = halves / (2 * TESS_ONE),
                   rest = halves % (2 * TESS_ONE), ceil_half = floor_half + (rest != 0);
    return (struct tess_edge){.segments = ceil_half * 2 + is_odd,
                              .split = split_of_half(floor_half),
                              .floor_segments = floor_half * 2 + is_odd,
                              .ceil_segments = ceil_half * 2 + is_odd,
                              .fraction = (rest + 1) / 2};
}

/* The length of one of so many segments, which is rounded before it is multiplied. */
static uint32_t segment_of(uint32_t segments)
{
    return (TESS_ONE + segments / 2) / segments;
}

int32_t tess_edge_place(const struct tess_edge *edge, uint32_t point)
{
    if (point * 2 > edge->segments)
        return TESS_ONE - tess_edge_place(edge, edge->segments - point);
    if (point * 2 == edge->segments)
        return TESS_ONE / 2;
    const uint64_t before = point - (edge->fraction && point > edge->split), after = point;
    const uint64_t down = before * segment_of(edge->floor_segments), up = after * segment_of(edge->ceil_segments);
    return (int32_t)((down * (TESS_ONE - edge->fraction) + up * edge->fraction + TESS_ONE / 2) / TESS_ONE);
}

void tess_edge_order(uint32_t count, uint8_t order_out[TESS_MAX_LEVEL / 2])
{
    order_out[0] = 0;
    for (uint32_t half = 1; half < count; half++) {
        uint32_t at = split_of_half(half);
        for (uint32_t i = half; i > at; i--)
            order_out[i] = order_out[i - 1];
        order_out[at] = (uint8_t)half;
    }
}
