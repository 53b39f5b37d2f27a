/* Blending, in single precision. A channel of all lanes at a time: what a factor is decided by stands outside of the
 * loops. */
#include "amd/model/cb/cb.h"

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

void amd_cb_blend(const struct cb_state *state, const struct cb_target *target, union cb_colors *source,
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
        combine(function, s[c], sf, o.destination[c], df, source->f[c]);
    }
}

/* ---- four unorm bytes: from codes to codes without a row in between ---- */

/* Factors by their codes: base + scale * operand, the operand's own channel or its alpha. */
static const struct {
    bool known;
    float base, scale;
    uint8_t operand; /* enum cb_operand */
    bool alpha, constant;
} factors[32] = {
    [AMD_BLEND_FACTOR_ZERO] = {true, 0, 0},
    [AMD_BLEND_FACTOR_ONE] = {true, 1, 0},
    [AMD_BLEND_FACTOR_SRC_COLOR] = {true, 0, 1, CB_OPERAND_SOURCE},
    [AMD_BLEND_FACTOR_ONE_MINUS_SRC_COLOR] = {true, 1, -1, CB_OPERAND_SOURCE},
    [AMD_BLEND_FACTOR_SRC_ALPHA] = {true, 0, 1, CB_OPERAND_SOURCE, .alpha = true},
    [AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA] = {true, 1, -1, CB_OPERAND_SOURCE, .alpha = true},
    [AMD_BLEND_FACTOR_BOTH_SRC_ALPHA] = {true, 0, 1, CB_OPERAND_SOURCE, .alpha = true},
    [AMD_BLEND_FACTOR_BOTH_INV_SRC_ALPHA] = {true, 1, -1, CB_OPERAND_SOURCE, .alpha = true},
    [AMD_BLEND_FACTOR_DST_ALPHA] = {true, 0, 1, CB_OPERAND_DESTINATION, .alpha = true},
    [AMD_BLEND_FACTOR_ONE_MINUS_DST_ALPHA] = {true, 1, -1, CB_OPERAND_DESTINATION, .alpha = true},
    [AMD_BLEND_FACTOR_DST_COLOR] = {true, 0, 1, CB_OPERAND_DESTINATION},
    [AMD_BLEND_FACTOR_ONE_MINUS_DST_COLOR] = {true, 1, -1, CB_OPERAND_DESTINATION},
    [AMD_BLEND_FACTOR_CONSTANT_COLOR] = {true, 0, 1, .constant = true},
    [AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR] = {true, 1, -1, .constant = true},
    [AMD_BLEND_FACTOR_CONSTANT_ALPHA] = {true, 0, 1, .alpha = true, .constant = true},
    [AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = {true, 1, -1, .alpha = true, .constant = true},
    [AMD_BLEND_FACTOR_SRC1_COLOR] = {true, 0, 1, CB_OPERAND_SOURCE1},
    [AMD_BLEND_FACTOR_INV_SRC1_COLOR] = {true, 1, -1, CB_OPERAND_SOURCE1},
    [AMD_BLEND_FACTOR_SRC1_ALPHA] = {true, 0, 1, CB_OPERAND_SOURCE1, .alpha = true},
    [AMD_BLEND_FACTOR_INV_SRC1_ALPHA] = {true, 1, -1, CB_OPERAND_SOURCE1, .alpha = true},
};

static bool make_factor(const struct cb_state *state, const struct cb_target *target, unsigned code, unsigned c,
                        struct cb_factor *out)
{
    unsigned channel = factors[code & 31].alpha ? 3 : c;
    *out = (struct cb_factor){factors[code & 31].base, factors[code & 31].scale,
                              (uint8_t)(factors[code & 31].operand + channel)};
    if (factors[code & 31].constant) {
        out->base += out->scale * clamp(state->constant[channel], target->clamp_min, target->clamp_max);
        out->scale = 0;
    }
    return factors[code & 31].known;
}

static bool is_by_alpha(const struct cb_factor *factor)
{
    return factor->scale == 0 || factor->operand == CB_OPERAND_SOURCE + 3;
}

void amd_cb_blend_prepare(const struct cb_state *state, struct cb_target *target)
{
    const struct amd_CB_BLEND_CONTROL *control = &target->control;
    target->sums = target->blend && target->bytes4 && !target->srgb && target->clamp_min == 0 && target->clamp_max == 1;
    for (unsigned c = 0; c < 4 && target->sums; c++) {
        bool alpha = c == 3 && control->SEPARATE_ALPHA_BLEND;
        target->sums = (alpha ? control->ALPHA_COMB_FCN : control->COLOR_COMB_FCN) == AMD_BLEND_FUNC_DST_PLUS_SRC &&
                       make_factor(state, target, alpha ? control->ALPHA_SRCBLEND : control->COLOR_SRCBLEND, c,
                                   &target->source_factor[c]) &&
                       make_factor(state, target, alpha ? control->ALPHA_DESTBLEND : control->COLOR_DESTBLEND, c,
                                   &target->destination_factor[c]);
    }
    target->sums_by_alpha = target->sums && !target->force_alpha_1 && target->from[3] == 3;
    for (unsigned c = 0; c < 4; c++) {
        const struct cb_factor *s = &target->source_factor[c], *d = &target->destination_factor[c];
        bool same = c == 3 || (s->base == s[-(int)c].base && d->base == d[-(int)c].base); /* a constant may differ */
        target->sums_by_alpha &= same && is_by_alpha(s) && is_by_alpha(d);
    }
}

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef uint32_t uint4 __attribute__((vector_size(16)));

static inline float4 load4(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

/* code / 255, rounded once: the first product is exact, and the second one's error lies far below the sum's last bit.
 */
static inline float4 unorm8_to_float4(uint4 code)
{
    float4 value = __builtin_convertvector((int4)code, float4);
    return value * 0x1.01p-8f + value * 0x1.010102p-24f;
}

/* Codes of four channels beside each other. To the nearest code, ties to even: the lowest bits of a sum with this
 * number are the rounded one. What comes is not negative, a sum of products of numbers that are not, and below 3. */
#define WHOLE 0x1.8p23f
#define WHOLE_BITS 0x4b400000

static inline uint4 pack_unorm8(const float4 value[4])
{
    const int4 most = {WHOLE_BITS + 255, WHOLE_BITS + 255, WHOLE_BITS + 255, WHOLE_BITS + 255};
    uint4 sum = {0, 0, 0, 0};
    for (unsigned k = 0; k < 4; k++) {
        int4 bits = (int4)(value[k] * 255.0f + WHOLE), is_less = bits < most;
        bits = (bits & is_less) | (most & ~is_less);
        sum += (uint4)bits << 8 * k;
    }
    return sum - ((uint32_t)WHOLE_BITS + ((uint32_t)WHOLE_BITS << 8));
}

static inline float4 splat4(float value)
{
    return (float4){value, value, value, value};
}

/* Factors that are numbers or made of the source's alpha, the same for all colours: nearly all that are in use.
 * Channels are in the order of memory, whose last one is alpha. */
static void blend_by_alpha(const struct cb_target *target, const union cb_colors *source, uint32_t *codes)
{
    const float *rows[3] = {source->f[target->from[0]], source->f[target->from[1]], source->f[target->from[2]]};
    const struct cb_factor *source_factor = target->source_factor, *destination_factor = target->destination_factor;
    const float4 color_base[2] = {splat4(source_factor[0].base), splat4(destination_factor[0].base)},
                 color_scale[2] = {splat4(source_factor[0].scale), splat4(destination_factor[0].scale)},
                 alpha_base[2] = {splat4(source_factor[3].base), splat4(destination_factor[3].base)},
                 alpha_scale[2] = {splat4(source_factor[3].scale), splat4(destination_factor[3].scale)};
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane += 4) {
        uint4 code;
        float4 alpha = load4(source->f[3] + lane), of_source = color_base[0] + color_scale[0] * alpha,
               of_destination = color_base[1] + color_scale[1] * alpha, sum[4];
        memcpy(&code, codes + lane, sizeof(code));
        for (unsigned k = 0; k < 3; k++) {
            float4 stored = unorm8_to_float4(code >> k * 8 & 0xff);
            sum[k] = load4(rows[k] + lane) * of_source + stored * of_destination;
        }
        float4 stored = unorm8_to_float4(code >> 24);
        sum[3] = alpha * (alpha_base[0] + alpha_scale[0] * alpha) + stored * (alpha_base[1] + alpha_scale[1] * alpha);
        code = pack_unorm8(sum);
        memcpy(codes + lane, &code, sizeof(code));
    }
}

static inline float4 factor4(const struct cb_factor *factor, const float4 *operands)
{
    return factor->base + factor->scale * operands[factor->operand];
}

void amd_cb_blend_bytes4(const struct cb_target *target, const union cb_colors *source, const union cb_colors *source1,
                         uint32_t *codes)
{
    if (target->sums_by_alpha) {
        blend_by_alpha(target, source, codes);
        return;
    }
    for (unsigned lane = 0; lane < CB_MAX_LANES; lane += 4) {
        float4 operands[CB_OPERANDS], *s = operands + CB_OPERAND_SOURCE, *d = operands + CB_OPERAND_DESTINATION,
                                      *s1 = operands + CB_OPERAND_SOURCE1, sum[4];
        uint4 code;
        memcpy(&code, codes + lane, sizeof(code));
        for (unsigned c = 0; c < 4; c++) {
            s[c] = load4(source->f[c] + lane);
            d[target->from[c]] = unorm8_to_float4(code >> c * 8 & 0xff);
            if (target->dual)
                s1[c] = source1 ? load4(source1->f[c] + lane) : splat4(0);
        }
        if (target->force_alpha_1)
            d[3] = splat4(1);
        for (unsigned k = 0; k < 4; k++) {
            unsigned c = target->from[k];
            sum[k] = s[c] * factor4(&target->source_factor[c], operands) +
                     d[c] * factor4(&target->destination_factor[c], operands);
        }
        code = pack_unorm8(sum);
        memcpy(codes + lane, &code, sizeof(code));
    }
}
