/* Gathers on the fast path: the texels of a linear filter's footprint, without weights. */
#include "model/texture/tex_run.h"

#include <string.h>

#include "model/pixel/pixel.h"
#include "util/bits.h"

/* The footprints of a gather, without their texels. False: not its case. */
static bool begin_gather(struct tex_run *r, struct tex_query *q, const struct tex_coords *c,
                         const struct tex_levels *levels)
{
    if (q->axes != 2 || !tex_run_begin(r, q))
        return false;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    const bool is_one = tex_is_one_level(q, levels->low, first);
    tex_run_begin_gather(r);
    if (!tex_run_locate(r, c, levels->low, first, is_one))
        return false;
    tex_run_set_slices(r, c->slice, levels->low, first, is_one);
    return true;
}

/* As tex_compare does. */
static void compare_texels(float *restrict texels, const tex_float *restrict reference, unsigned function, bool clamps,
                           unsigned lanes)
{
    float given[LANES_MAX];
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        given[i] = clamps ? tex_at_most(tex_at_least(reference[i], 0), 1) : reference[i];
#define COMPARED(function, condition)                                                                                  \
    case function:                                                                                                     \
        LANES_INDEPENDENT                                                                                              \
        for (unsigned i = 0; i < lanes; i++)                                                                           \
            texels[i] = (condition) ? 1 : 0;                                                                           \
        break;
    switch (function) {
        COMPARED(PIXEL_NEVER, false)
        COMPARED(PIXEL_LESS, given[i] < texels[i])
        COMPARED(PIXEL_EQUAL, given[i] == texels[i])
        COMPARED(PIXEL_LESS_OR_EQUAL, given[i] <= texels[i])
        COMPARED(PIXEL_GREATER, given[i] > texels[i])
        COMPARED(PIXEL_NOT_EQUAL, given[i] != texels[i])
        COMPARED(PIXEL_GREATER_OR_EQUAL, given[i] >= texels[i])
        COMPARED(PIXEL_ALWAYS, true)
    }
#undef COMPARED
}

static bool gather_one(float out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                       const struct tex_levels *levels, unsigned channel)
{
    struct tex_run r;
#if TEX_HAS_WIDE
    const unsigned component = q->image->order[channel];
    if (tex_wide_gather(out, q, c, component) || tex_straight_gather(out, q, c, levels, component))
        return true;
#endif
    if (!begin_gather(&r, q, c, levels) || r.kind >= TEX_KIND_CODEC)
        return false;
    const unsigned from = q->image->order[channel];
    const bool is_one = from == TEX_ORDER_ONE || from == 3, is_there = from < tex_kind_channels(r.kind);
    struct tex_area area;
    if (is_there && tex_area_find(&area, &r, NULL, NULL) && tex_area_load_one(&area, &r, from)) {
        tex_area_spread(out, &area, q->lanes);
        return true;
    }
    r.f.words = 1u << (from < 4 ? from / 2 : 0); /* where a texel has two, they have two channels each */
    if (r.kind == TEX_KIND_RG32F)
        r.f.words = 3;
    tex_run_load_words(&r, r.places->element_B);
    for (unsigned tap = 0; tap < 4 && !r.others; tap++) {
        if (is_there)
            tex_take_channel(out[tap], &r.f, r.kind, tap, from, q->lanes);
        else
            memcpy(out[tap], is_one ? tex_ones : tex_zeros, q->lanes * sizeof(float));
    }
    return !r.others;
}

bool tex_fast_gather_one(float out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                         const struct tex_levels *levels, unsigned channel)
{
    if ((q->compare && channel) || !gather_one(out, q, c, levels, channel)) /* of a comparison X counts */
        return false;
    for (unsigned tap = 0; tap < 4 && q->compare; tap++)
        compare_texels(out[tap], tex_floats(q->compare), q->sampler->compare, q->image->clamps_reference, q->lanes);
    return true;
}

bool tex_fast_gather(union tex_texel out[4][LANES_MAX], struct tex_query *q, const struct tex_coords *c,
                     const struct tex_levels *levels)
{
    static const uint8_t in_order[4] = {0, 1, 2, 3};
    struct tex_run r;
    float(*texels)[LANES_MAX][4] = (float(*)[LANES_MAX][4])out;
    if (!begin_gather(&r, q, c, levels))
        return false;
    if (!tex_run_load_texels(texels, &r) || r.others)
        return false;
    for (unsigned tap = 0; tap < 4 && memcmp(q->image->order, in_order, sizeof(in_order)) != 0; tap++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            const union tex_texel from = out[tap][i];
            for (unsigned n = 0; n < 4; n++) {
                const unsigned order = q->image->order[n];
                out[tap][i].f[n] = order < 4 ? from.f[order] : order == TEX_ORDER_ONE;
            }
        }
    }
    return true;
}
