/* Positions of the fast path: coordinates to 256ths of a texel, the entry of the lower neighbour, and what is between
 * it and the next. What tex_footprint.c does for single lanes, as loops that compilers vectorise; address modes are left
 * to the tables. */
#include "model/texture/tex_fast.h"

#include <math.h>

/* The integer below. GCC makes one instruction of it where it is asked for. */
TEX_INLINE int32_t floor_of(float x)
{
#if defined(__GNUC__) && !defined(__clang__)
    return __builtin_ifloorf(x);
#else
    return (int32_t)floorf(x);
#endif
}

#define FARTHEST (4194304.0f * 256) /* 256ths of a texel */

/* Constants where it is inlined: wrap, is_same, has_offset, finds_outside. */
TEX_INLINE uint32_t locate(struct tex_positions *restrict to, const struct tex_query *q,
                           const tex_float *restrict coord, const int32_t *restrict offset,
                           const struct tex_axis *restrict axis, const struct tex_rounding *restrict rounding,
                           unsigned wrap, bool is_same, bool has_offset, bool finds_outside, int32_t reach)
{
    const uint32_t *restrict active = q->exec_lanes;
    const unsigned lanes = q->lanes;
    const float scale_0 = axis->scale[0] * 256, down_0 = rounding->down[0], up_0 = rounding->up[0];
    const int32_t size_0 = axis->size[0], start_0 = axis->start[0];
    const uint32_t mask_0 = rounding->mask[0];
    const float period = wrap == TEX_MIRROR ? 2 : 1, per_period = wrap == TEX_MIRROR ? 0.5f : 1;
    const bool repeats = wrap == TEX_REPEAT || wrap == TEX_MIRROR;
    uint32_t outside = 0;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        const int32_t size = is_same ? size_0 : axis->size[i], last = wrap == TEX_MIRROR ? 2 * size : size;
        float u = coord[i];
        if (repeats)
            u -= period * floorf(u * per_period);
        u *= is_same ? scale_0 : axis->scale[i] * 256;
        u = tex_at_most(tex_at_least(u, -FARTHEST), FARTHEST);
        const int32_t at = floor_of((u - (is_same ? down_0 : rounding->down[i])) + (is_same ? up_0 : rounding->up[i]));
        int32_t first = at >> 8;
        if (has_offset)
            first += offset[i];
        if (finds_outside)
            outside |= (first < 0 || first + reach >= size ? UINT32_MAX : 0) & active[i];
        const int32_t least = repeats ? -(TEX_PLACES_OFFSET + 1) : -1,
                      most = repeats ? last + TEX_PLACES_OFFSET : size - 1;
        first = first > least ? first : least;
        first = first < most ? first : most;
        to->at[i] = (uint32_t)(first + (is_same ? start_0 : axis->start[i]));
        to->fraction[i] = (uint32_t)at & (is_same ? mask_0 : rounding->mask[i]);
    }
    return outside;
}

/* Constants where it is inlined: is_same. */
TEX_INLINE void find_outside(uint32_t *restrict first_row, uint32_t *restrict second_row, const struct tex_query *q,
                             const tex_float *restrict coord, const int32_t *restrict offset,
                             const struct tex_axis *restrict axis, const struct tex_rounding *restrict rounding,
                             bool is_same)
{
    const float scale_0 = axis->scale[0], down_0 = rounding->down[0], up_0 = rounding->up[0];
    const int32_t size_0 = axis->size[0];
    LANES_INDEPENDENT
    for (unsigned i = 0; i < q->lanes; i++) {
        const float scaled = coord[i] * (is_same ? scale_0 : axis->scale[i]),
                    u = tex_at_most(tex_at_least(scaled, -4194304.0f), 4194304.0f);
        const int32_t size = is_same ? size_0 : axis->size[i],
                      at = (int32_t)floorf((u * 256 - (is_same ? down_0 : rounding->down[i])) +
                                           (is_same ? up_0 : rounding->up[i])),
                      first = (at >> 8) + offset[i];
        first_row[i] = first < 0 || first >= size ? UINT32_MAX : 0;
        second_row[i] = first + 1 < 0 || first + 1 >= size ? UINT32_MAX : 0;
    }
}

void tex_find_outside(struct tex_outside *to, const struct tex_query *q, const tex_float *coord, const int32_t *offset,
                      const struct tex_axis *axis, const struct tex_rounding *rounding, bool is_same)
{
    static const int32_t none[LANES_MAX];
    uint32_t rows[2][LANES_MAX];
    if (is_same)
        find_outside(rows[0], rows[1], q, coord, offset ? offset : none, axis, rounding, true);
    else
        find_outside(rows[0], rows[1], q, coord, offset ? offset : none, axis, rounding, false);
    for (unsigned second = 0; second < 2; second++)
        to->lanes[second] = lanes_to_mask(rows[second], q->lanes) & q->exec;
}

bool tex_locate(struct tex_positions *to, const struct tex_query *q, const tex_float *coord, const int32_t *offset,
                const struct tex_axis *axis, const struct tex_rounding *rounding, unsigned wrap, bool is_same,
                bool is_pair, bool finds_outside)
{
#define LOCATE(offset, is_same, has_offset)                                                                            \
    (wrap == TEX_REPEAT                                                                                                \
         ? locate(to, q, coord, offset, axis, rounding, TEX_REPEAT, is_same, has_offset, false, is_pair)               \
     : wrap == TEX_MIRROR                                                                                              \
         ? locate(to, q, coord, offset, axis, rounding, TEX_MIRROR, is_same, has_offset, false, is_pair)               \
     : finds_outside                                                                                                   \
         ? locate(to, q, coord, offset, axis, rounding, TEX_CLAMP_TO_EDGE, is_same, has_offset, true, is_pair)         \
         : locate(to, q, coord, offset, axis, rounding, TEX_CLAMP_TO_EDGE, is_same, has_offset, false, is_pair))
    if (offset)
        return LOCATE(offset, false, true);
    return is_same ? LOCATE(NULL, true, false) : LOCATE(NULL, false, false);
}
