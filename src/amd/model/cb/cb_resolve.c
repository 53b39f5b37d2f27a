/* The resolve mode: for every pixel that is covered, the mean of target 0's samples goes to target 1. Integers take the
 * first sample. */
#include "amd/model/cb/cb.h"

#include <string.h>

#include "util/bits.h"

static void fetch(const struct cb_target *target, const void *host, union cb_color *color)
{
    union cb_color raw;
    if (target->numeric == CB_FLOAT)
        target->codec->fetch_float((float(*)[4])raw.f, &host, 1);
    else if (target->numeric == CB_UINT)
        target->codec->fetch_uint((uint32_t(*)[4])raw.u, &host, 1);
    else
        target->codec->fetch_sint((int32_t(*)[4])raw.i, &host, 1);
    for (unsigned k = 0; k < 4; k++)
        color->u[target->from[k]] = raw.u[k];
}

static void store(const struct cb_target *target, void *host, const union cb_color *color)
{
    union cb_color ordered;
    for (unsigned k = 0; k < 4; k++)
        ordered.u[k] = color->u[target->from[k]];
    if (target->numeric == CB_FLOAT)
        target->codec->store_float(&host, (const float(*)[4])ordered.f, 1);
    else if (target->numeric == CB_UINT)
        target->codec->store_uint(&host, (const uint32_t(*)[4])ordered.u, 1);
    else
        target->codec->store_sint(&host, (const int32_t(*)[4])ordered.i, 1);
}

bool amd_cb_resolve(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer)
{
    const struct cb_target *from = &cb->state->targets[0], *to = &cb->state->targets[1];
    uint32_t from_slice = MIN2(from->slice_start + layer, from->slice_max),
             to_slice = MIN2(to->slice_start + layer, to->slice_max);
    union cb_color sum = {.f = {0}}, color;
    for (unsigned s = 0; s < from->samples; s++) {
        if (from->meta && !amd_cb_meta_prepare(cb, 0, x, y, from_slice, s))
            return false;
        const void *host = cb_access(cb, cb_surface_at(from->surface, x, y, from_slice, s), from->element_B);
        if (!host)
            return false;
        fetch(from, host, &color);
        if (from->numeric != CB_FLOAT) {
            sum = color;
            break;
        }
        for (unsigned c = 0; c < 4; c++)
            sum.f[c] += color.f[c] / (float)from->samples;
    }
    if (to->meta && !amd_cb_meta_prepare(cb, 1, x, y, to_slice, 0))
        return false;
    void *host = cb_access(cb, cb_surface_at(to->surface, x, y, to_slice, 0), to->element_B);
    if (host)
        store(to, host, &sum);
    return host != NULL;
}
