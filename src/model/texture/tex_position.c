/* Positions of the fast path: coordinates to 256ths of a texel, the entry of the lower neighbour, and what is between
 * it and the next. What tex_footprint.c does for single lanes, as loops that compilers vectorise; address modes are
 * left to the tables. */
#include "model/texture/tex_fast.h"

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
        u = tex_at_most(tex_at_least(u, -TEX_FARTHEST), TEX_FARTHEST);
        const int32_t at = tex_floor_of((u - (is_same ? down_0 : rounding->down[i])) + (is_same ? up_0 : rounding->up[i]));
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

/* ---- what all lanes have in common ---- */

/* The first texel, as `locate` has it where there are no offsets. */
TEX_INLINE int32_t texel_of(int32_t at, const struct tex_common *axis, unsigned wrap)
{
    const bool repeats = wrap == TEX_REPEAT || wrap == TEX_MIRROR;
    const int32_t least = repeats ? -(TEX_PLACES_OFFSET + 1) : -1, last = wrap == TEX_MIRROR ? 2 * axis->size : axis->size,
                  most = repeats ? last + TEX_PLACES_OFFSET : last - 1;
    int32_t first = at >> 8;
    first = first > least ? first : least;
    return first < most ? first : most;
}

/* Positions along an axis as entries of tables and fractions. False: a footprint reaches outside. */
static bool locate_axis(struct tex_positions *restrict to, struct tex_range *range, const struct tex_query *q,
                        const tex_float *coord, const struct tex_common *axis, unsigned wrap, unsigned first,
                        bool finds_outside)
{
    const uint32_t *const active = q->exec == lanes_full_mask(q->lanes) ? NULL : q->exec_lanes;
    const int32_t start = axis->start;
    int32_t at[LANES_MAX];
    const struct tex_span span = tex_place_lanes(at, coord, axis, wrap, active, first, q->lanes);
    const int32_t low = texel_of(span.low, axis, wrap), high = texel_of(span.high, axis, wrap);
    if (finds_outside && (low < 0 || high > axis->size - 2))
        return false;
    for (unsigned i = 0; i < q->lanes; i++)
        to->fraction[i] = (uint32_t)at[i] & 255;
    if (low != span.low >> 8 || high != span.high >> 8) { /* some are farther than tables reach */
        for (unsigned i = 0; i < q->lanes; i++)
            at[i] = texel_of(at[i], axis, wrap) * 256;
    }
    for (unsigned i = 0; i < q->lanes; i++)
        to->at[i] = (uint32_t)((at[i] >> 8) + start);
    *range = (struct tex_range){(uint32_t)(low + start), (uint32_t)(high + start)};
    return true;
}

bool tex_locate_both(struct tex_positions *x, struct tex_positions *y, struct tex_range range[2],
                     const struct tex_query *q, const struct tex_coords *c, const struct tex_common axis[2],
                     unsigned first, const uint8_t wrap[2], const bool finds_outside[2])
{
    return locate_axis(x, &range[0], q, c->at[0], &axis[0], wrap[0], first, finds_outside[0]) &&
           locate_axis(y, &range[1], q, c->at[1], &axis[1], wrap[1], first, finds_outside[1]);
}

/* Constants where it is inlined: wrap. */
TEX_INLINE void locate_nearest(uint32_t *restrict to, const tex_float *restrict coord, unsigned lanes,
                               const struct tex_common *given, unsigned wrap)
{
    const struct tex_common axis = {.scale = given->scale, .up = given->up, .size = given->size, .start = given->start};
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (uint32_t)(texel_of(tex_place_of(coord[i], &axis, wrap), &axis, wrap) + axis.start);
}

void tex_locate_nearest(struct tex_positions *x, struct tex_positions *y, const struct tex_query *q,
                        const struct tex_coords *c, const struct tex_common axis[2], const uint8_t wrap[2])
{
    uint32_t *const to[2] = {x->at, y->at};
    for (unsigned n = 0; n < 2; n++) {
        if (wrap[n] == TEX_REPEAT)
            locate_nearest(to[n], c->at[n], q->lanes, &axis[n], TEX_REPEAT);
        else if (wrap[n] == TEX_MIRROR)
            locate_nearest(to[n], c->at[n], q->lanes, &axis[n], TEX_MIRROR);
        else
            locate_nearest(to[n], c->at[n], q->lanes, &axis[n], TEX_CLAMP_TO_EDGE);
    }
}

/* The slices on both sides: of modes that repeat, one before the first is the last one, and one after that the
 * first. */
struct sides {
    uint32_t here, there;
};

TEX_INLINE struct sides sides_of(int32_t first, int32_t size, bool repeats, uint32_t first_slice)
{
    int32_t here = first, there = first + 1;
    if (repeats) {
        here = here < 0 ? here + size : here >= size ? here - size : here;
        there = there < 0 ? there + size : there >= size ? there - size : there;
        here = here < size - 1 ? here : size - 1;
        there = there > 0 ? there : 0;
    }
    here = here > 0 ? here : 0;
    there = there < size - 1 ? there : size - 1;
    return (struct sides){(uint32_t)here + first_slice, (uint32_t)there + first_slice};
}

/* Constants where it is inlined: repeats, and first_slice if it is 0. */
TEX_INLINE void locate_depth(struct tex_slices *restrict to, struct tex_range *range, const struct tex_query *q,
                             const tex_float *restrict coord, const struct tex_common *given, unsigned lane,
                             bool repeats, uint32_t first_slice)
{
    const struct tex_common axis = *given;
    const unsigned wrap = repeats ? TEX_REPEAT : TEX_CLAMP_TO_EDGE;
    const uint32_t *restrict const active = q->exec_lanes;
    const struct sides own =
        sides_of(texel_of(tex_place_of(coord[lane], &axis, wrap), &axis, wrap), axis.size, repeats, first_slice);
    const uint32_t here_0 = own.here, there_0 = own.there;
    uint32_t low = here_0 < there_0 ? here_0 : there_0, high = here_0 > there_0 ? here_0 : there_0;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < q->lanes; i++) {
        const int32_t at = tex_place_of(coord[i], &axis, wrap);
        const struct sides sides = sides_of(texel_of(at, &axis, wrap), axis.size, repeats, first_slice);
        const uint32_t here = (sides.here & active[i]) | (here_0 & ~active[i]),
                       there = (sides.there & active[i]) | (there_0 & ~active[i]);
        const float weight = (float)(at & 255) * (1.0f / 256);
        low = low < here ? low : here;
        high = high > there ? high : there;
        if (repeats) { /* else the second one is not before the first */
            low = low < there ? low : there;
            high = high > here ? high : here;
        }
        to->at[0][i] = here;
        to->at[1][i] = there;
        to->weight[0][i] = 1 - weight;
        to->weight[1][i] = weight;
    }
    *range = (struct tex_range){low, high};
}

void tex_locate_depth(struct tex_slices *to, struct tex_range *range, const struct tex_query *q, const tex_float *coord,
                      const struct tex_common *axis, unsigned first, bool repeats, uint32_t first_slice)
{
    if (repeats)
        locate_depth(to, range, q, coord, axis, first, true, first_slice);
    else if (first_slice)
        locate_depth(to, range, q, coord, axis, first, false, first_slice);
    else
        locate_depth(to, range, q, coord, axis, first, false, 0);
}
