/* Blending, in single precision. A channel of all lanes at a time: what a factor is decided by stands outside of the
 * loops. */
#include "amd/model/cb.h"

#include <math.h>
#include <string.h>

/* Rows of channels. */
struct operands {
    const float (*source)[CB_MAX_LANES], (*source1)[CB_MAX_LANES], (*destination)[CB_MAX_LANES];
    const float *constant;
};

static const float *fill(float *restrict out, float value)
{
    for (unsigned i = 0; i < CB_MAX_LANES; i++)
        out[i] = value;
    return out;
}

static const float *complement(float *restrict out, const float *row)
{
    for (unsigned i = 0; i < CB_MAX_LANES; i++)
        out[i] = 1 - row[i];
    return out;
}

/* A row of the operands as it is, or one that is made in `room`. */
static const float *factor(unsigned code, const struct operands *o, unsigned c, float *restrict room)
{
    switch ((enum amd_BLEND_FACTOR)code) {
    case AMD_BLEND_FACTOR_ZERO:
        return fill(room, 0);
    case AMD_BLEND_FACTOR_ONE:
        return fill(room, 1);
    case AMD_BLEND_FACTOR_SRC_COLOR:
        return o->source[c];
    case AMD_BLEND_FACTOR_ONE_MINUS_SRC_COLOR:
        return complement(room, o->source[c]);
    case AMD_BLEND_FACTOR_SRC_ALPHA:
    case AMD_BLEND_FACTOR_BOTH_SRC_ALPHA:
        return o->source[3];
    case AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
    case AMD_BLEND_FACTOR_BOTH_INV_SRC_ALPHA:
        return complement(room, o->source[3]);
    case AMD_BLEND_FACTOR_DST_ALPHA:
        return o->destination[3];
    case AMD_BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
        return complement(room, o->destination[3]);
    case AMD_BLEND_FACTOR_DST_COLOR:
        return o->destination[c];
    case AMD_BLEND_FACTOR_ONE_MINUS_DST_COLOR:
        return complement(room, o->destination[c]);
    case AMD_BLEND_FACTOR_SRC_ALPHA_SATURATE:
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            room[i] = c == 3 ? 1 : fminf(o->source[3][i], 1 - o->destination[3][i]);
        return room;
    case AMD_BLEND_FACTOR_CONSTANT_COLOR:
        return fill(room, o->constant[c]);
    case AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
        return fill(room, 1 - o->constant[c]);
    case AMD_BLEND_FACTOR_SRC1_COLOR:
        return o->source1[c];
    case AMD_BLEND_FACTOR_INV_SRC1_COLOR:
        return complement(room, o->source1[c]);
    case AMD_BLEND_FACTOR_SRC1_ALPHA:
        return o->source1[3];
    case AMD_BLEND_FACTOR_INV_SRC1_ALPHA:
        return complement(room, o->source1[3]);
    case AMD_BLEND_FACTOR_CONSTANT_ALPHA:
        return fill(room, o->constant[3]);
    case AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
        return fill(room, 1 - o->constant[3]);
    }
    return fill(room, 0);
}

/* A factor of zero removes its term, whatever the other operand is. */
static inline float term(float value, float by)
{
    return by == 0 ? 0 : value * by;
}

static void combine(unsigned function, const float *s, const float *sf, const float *d, const float *df,
                    float *restrict out)
{
    switch ((enum amd_BLEND_FUNC)function) {
    case AMD_BLEND_FUNC_DST_PLUS_SRC:
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            out[i] = term(s[i], sf[i]) + term(d[i], df[i]);
        return;
    case AMD_BLEND_FUNC_SRC_MINUS_DST:
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            out[i] = term(s[i], sf[i]) - term(d[i], df[i]);
        return;
    case AMD_BLEND_FUNC_MIN_DST_SRC:
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            out[i] = fminf(s[i], d[i]);
        return;
    case AMD_BLEND_FUNC_MAX_DST_SRC:
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            out[i] = fmaxf(s[i], d[i]);
        return;
    case AMD_BLEND_FUNC_DST_MINUS_SRC:
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            out[i] = term(d[i], df[i]) - term(s[i], sf[i]);
        return;
    }
    memcpy(out, s, CB_MAX_LANES * sizeof(*out));
}

/* The sum, the most common of them, where every operand is finite because it was clamped: a factor of zero needs no
 * attention. */
static void add_finite(const float *s, const float *sf, const float *d, const float *df, float *restrict out)
{
    for (unsigned i = 0; i < CB_MAX_LANES; i++)
        out[i] = s[i] * sf[i] + d[i] * df[i];
}

/* NaN becomes the lower bound. */
static inline float clamp(float value, float low, float high)
{
    float above = value > low ? value : low;
    return above < high ? above : high;
}

static bool has_clamp(const struct cb_target *target)
{
    return target->clamp_min != target->clamp_max;
}

static void clamp_rows(const struct cb_target *target, const union cb_colors *restrict from,
                       float (*restrict to)[CB_MAX_LANES])
{
    float low = target->clamp_min, high = target->clamp_max;
    if (!has_clamp(target)) {
        memcpy(to, from->f, sizeof(from->f));
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < CB_MAX_LANES; i++)
            to[c][i] = clamp(from->f[c][i], low, high);
    }
}

void cb_blend(const struct cb_state *state, const struct cb_target *target, union cb_colors *source,
              const union cb_colors *source1, union cb_colors *destination)
{
    const struct amd_CB_BLEND_CONTROL *control = &target->control;
    float s[4][CB_MAX_LANES], s1[4][CB_MAX_LANES], k[4];
    clamp_rows(target, source, s);
    if (source1)
        clamp_rows(target, source1, s1);
    else if (target->dual)
        memset(s1, 0, sizeof(s1));
    for (unsigned c = 0; c < 4; c++)
        k[c] = has_clamp(target) ? clamp(state->constant[c], target->clamp_min, target->clamp_max) : state->constant[c];
    if (target->force_alpha_1)
        fill(destination->f[3], 1);
    const struct operands o = {(const float(*)[CB_MAX_LANES])s, (const float(*)[CB_MAX_LANES])s1,
                               (const float(*)[CB_MAX_LANES])destination->f, k};
    for (unsigned c = 0; c < 4; c++) {
        bool alpha = c == 3 && control->SEPARATE_ALPHA_BLEND;
        unsigned function = alpha ? control->ALPHA_COMB_FCN : control->COLOR_COMB_FCN;
        float room[2][CB_MAX_LANES];
        const float *sf = factor(alpha ? control->ALPHA_SRCBLEND : control->COLOR_SRCBLEND, &o, c, room[0]);
        const float *df = factor(alpha ? control->ALPHA_DESTBLEND : control->COLOR_DESTBLEND, &o, c, room[1]);
        if (function == AMD_BLEND_FUNC_DST_PLUS_SRC && has_clamp(target) && target->bytes4)
            add_finite(s[c], sf, o.destination[c], df, source->f[c]);
        else
            combine(function, s[c], sf, o.destination[c], df, source->f[c]);
    }
}
