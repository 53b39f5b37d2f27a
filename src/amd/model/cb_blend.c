/* Blending, in single precision. */
#include "amd/model/cb.h"

#include <math.h>
#include <string.h>

struct operands {
    const float *source, *source1, *destination, *constant;
};

static float factor(unsigned code, const struct operands *o, unsigned c)
{
    switch ((enum amd_BLEND_FACTOR)code) {
    case AMD_BLEND_FACTOR_ZERO:
        return 0;
    case AMD_BLEND_FACTOR_ONE:
        return 1;
    case AMD_BLEND_FACTOR_SRC_COLOR:
        return o->source[c];
    case AMD_BLEND_FACTOR_ONE_MINUS_SRC_COLOR:
        return 1 - o->source[c];
    case AMD_BLEND_FACTOR_SRC_ALPHA:
    case AMD_BLEND_FACTOR_BOTH_SRC_ALPHA:
        return o->source[3];
    case AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
    case AMD_BLEND_FACTOR_BOTH_INV_SRC_ALPHA:
        return 1 - o->source[3];
    case AMD_BLEND_FACTOR_DST_ALPHA:
        return o->destination[3];
    case AMD_BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
        return 1 - o->destination[3];
    case AMD_BLEND_FACTOR_DST_COLOR:
        return o->destination[c];
    case AMD_BLEND_FACTOR_ONE_MINUS_DST_COLOR:
        return 1 - o->destination[c];
    case AMD_BLEND_FACTOR_SRC_ALPHA_SATURATE:
        return c == 3 ? 1 : fminf(o->source[3], 1 - o->destination[3]);
    case AMD_BLEND_FACTOR_CONSTANT_COLOR:
        return o->constant[c];
    case AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
        return 1 - o->constant[c];
    case AMD_BLEND_FACTOR_SRC1_COLOR:
        return o->source1[c];
    case AMD_BLEND_FACTOR_INV_SRC1_COLOR:
        return 1 - o->source1[c];
    case AMD_BLEND_FACTOR_SRC1_ALPHA:
        return o->source1[3];
    case AMD_BLEND_FACTOR_INV_SRC1_ALPHA:
        return 1 - o->source1[3];
    case AMD_BLEND_FACTOR_CONSTANT_ALPHA:
        return o->constant[3];
    case AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
        return 1 - o->constant[3];
    }
    return 0;
}

/* A factor of zero removes its term, whatever the other operand is. */
static float term(float value, float by)
{
    return by == 0 ? 0 : value * by;
}

static float combine(unsigned function, float source, float source_factor, float destination, float destination_factor)
{
    switch ((enum amd_BLEND_FUNC)function) {
    case AMD_BLEND_FUNC_DST_PLUS_SRC:
        return term(source, source_factor) + term(destination, destination_factor);
    case AMD_BLEND_FUNC_SRC_MINUS_DST:
        return term(source, source_factor) - term(destination, destination_factor);
    case AMD_BLEND_FUNC_MIN_DST_SRC:
        return fminf(source, destination);
    case AMD_BLEND_FUNC_MAX_DST_SRC:
        return fmaxf(source, destination);
    case AMD_BLEND_FUNC_DST_MINUS_SRC:
        return term(destination, destination_factor) - term(source, source_factor);
    }
    return source;
}

static void clamp(const struct cb_target *target, float color[4])
{
    if (target->clamp_min == target->clamp_max)
        return;
    for (unsigned c = 0; c < 4; c++)
        color[c] = fminf(fmaxf(color[c], target->clamp_min), target->clamp_max);
}

void cb_blend(const struct cb_state *state, const struct cb_target *target, union cb_color *source,
              const union cb_color *source1, const union cb_color *destination, uint32_t count)
{
    const struct amd_CB_BLEND_CONTROL *control = &target->control;
    bool separate = control->SEPARATE_ALPHA_BLEND;
    for (uint32_t i = 0; i < count; i++) {
        float s[4], s1[4] = {0}, d[4], k[4];
        memcpy(s, source[i].f, sizeof(s));
        memcpy(d, destination[i].f, sizeof(d));
        memcpy(k, state->constant, sizeof(k));
        clamp(target, s);
        clamp(target, k);
        if (source1) {
            memcpy(s1, source1[i].f, sizeof(s1));
            clamp(target, s1);
        }
        if (target->force_alpha_1)
            d[3] = 1;
        struct operands o = {s, s1, d, k};
        for (unsigned c = 0; c < 4; c++) {
            bool alpha = c == 3 && separate;
            unsigned function = alpha ? control->ALPHA_COMB_FCN : control->COLOR_COMB_FCN;
            unsigned sf = alpha ? control->ALPHA_SRCBLEND : control->COLOR_SRCBLEND,
                     df = alpha ? control->ALPHA_DESTBLEND : control->COLOR_DESTBLEND;
            source[i].f[c] = combine(function, s[c], factor(sf, &o, c), d[c], factor(df, &o, c));
        }
    }
}
