/* Blending, in single precision. A channel of all lanes at a time: what a factor is decided by stands outside of the
 * loops. */
#include "model/pixel/pixel.h"

#include <math.h>
#include <string.h>

#include "util/half.h"

/* Rows of channels. */
struct operands {
    const float (*source)[PIXEL_LANES], (*source1)[PIXEL_LANES], (*destination)[PIXEL_LANES];
    const float *constant;
};

/* The lesser or the greater of both: a NaN loses, -0 is less than +0. fminf and fmaxf are one instruction on AArch64;
 * elsewhere they are calls, and no vectors. */
#if defined(__aarch64__)
#define least_of fminf
#define greatest_of fmaxf
#else
static inline float least_of(float a, float b)
{
    const float number = ((a < b) | (b != b)) ? a : b;
    return a == b ? bits_float(float_bits(a) | float_bits(b)) : number;
}

static inline float greatest_of(float a, float b)
{
    const float number = ((a > b) | (b != b)) ? a : b;
    return a == b ? bits_float(float_bits(a) & float_bits(b)) : number;
}
#endif

static const float *fill_row(float *restrict out, float value)
{
    for (unsigned i = 0; i < PIXEL_LANES; i++)
        out[i] = value;
    return out;
}

static const float *complement_row(float *restrict out, const float *row)
{
    for (unsigned i = 0; i < PIXEL_LANES; i++)
        out[i] = 1 - row[i];
    return out;
}

/* A row of the operands as it is, or one that is made in `room`. */
static const float *factor(unsigned code, const struct operands *o, unsigned c, float *restrict room)
{
    switch ((enum pixel_factor)code) {
    case PIXEL_FACTOR_ZERO:
        return fill_row(room, 0);
    case PIXEL_FACTOR_ONE:
        return fill_row(room, 1);
    case PIXEL_FACTOR_SOURCE:
        return o->source[c];
    case PIXEL_FACTOR_ONE_MINUS_SOURCE:
        return complement_row(room, o->source[c]);
    case PIXEL_FACTOR_SOURCE_ALPHA:
        return o->source[3];
    case PIXEL_FACTOR_ONE_MINUS_SOURCE_ALPHA:
        return complement_row(room, o->source[3]);
    case PIXEL_FACTOR_DESTINATION_ALPHA:
        return o->destination[3];
    case PIXEL_FACTOR_ONE_MINUS_DESTINATION_ALPHA:
        return complement_row(room, o->destination[3]);
    case PIXEL_FACTOR_DESTINATION:
        return o->destination[c];
    case PIXEL_FACTOR_ONE_MINUS_DESTINATION:
        return complement_row(room, o->destination[c]);
    case PIXEL_FACTOR_SOURCE_ALPHA_SATURATE:
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            room[i] = c == 3 ? 1 : least_of(o->source[3][i], 1 - o->destination[3][i]);
        return room;
    case PIXEL_FACTOR_CONSTANT:
        return fill_row(room, o->constant[c]);
    case PIXEL_FACTOR_ONE_MINUS_CONSTANT:
        return fill_row(room, 1 - o->constant[c]);
    case PIXEL_FACTOR_SOURCE1:
        return o->source1[c];
    case PIXEL_FACTOR_ONE_MINUS_SOURCE1:
        return complement_row(room, o->source1[c]);
    case PIXEL_FACTOR_SOURCE1_ALPHA:
        return o->source1[3];
    case PIXEL_FACTOR_ONE_MINUS_SOURCE1_ALPHA:
        return complement_row(room, o->source1[3]);
    case PIXEL_FACTOR_CONSTANT_ALPHA:
        return fill_row(room, o->constant[3]);
    case PIXEL_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
        return fill_row(room, 1 - o->constant[3]);
    }
    return fill_row(room, 0);
}

/* A factor of zero removes its term, whatever the other operand is. */
static inline float term(float value, float by)
{
    return by == 0 ? 0 : value * by;
}

static void combine_rows(unsigned function, const float *s, const float *sf, const float *d, const float *df,
                         float *restrict out)
{
    switch ((enum pixel_function)function) {
    case PIXEL_ADD:
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            out[i] = term(s[i], sf[i]) + term(d[i], df[i]);
        return;
    case PIXEL_SUBTRACT:
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            out[i] = term(s[i], sf[i]) - term(d[i], df[i]);
        return;
    case PIXEL_MIN:
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            out[i] = least_of(s[i], d[i]);
        return;
    case PIXEL_MAX:
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            out[i] = greatest_of(s[i], d[i]);
        return;
    case PIXEL_REVERSE_SUBTRACT:
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            out[i] = term(d[i], df[i]) - term(s[i], sf[i]);
        return;
    case PIXEL_SOURCE:
        break;
    }
    memcpy(out, s, PIXEL_LANES * sizeof(*out));
}

/* NaN becomes the lower bound. */
static inline float clamp_value(float value, float low, float high)
{
    float above = value > low ? value : low;
    return above < high ? above : high;
}

static bool has_clamp(const struct pixel_blend *blend)
{
    return blend->clamp_min != blend->clamp_max;
}

static void clamp_rows(const struct pixel_blend *blend, const union pixel_colors *restrict from,
                       float (*restrict to)[PIXEL_LANES])
{
    float low = blend->clamp_min, high = blend->clamp_max;
    if (!has_clamp(blend)) {
        memcpy(to, from->f, sizeof(from->f));
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            to[c][i] = clamp_value(from->f[c][i], low, high);
    }
}

/* The equation of a channel. */
static const struct pixel_equation *equation_of(const struct pixel_blend *blend, unsigned c)
{
    return c == 3 ? &blend->alpha : &blend->color;
}

void pixel_blend(const struct pixel_blend *blend, union pixel_colors *source, const union pixel_colors *source1,
                 union pixel_colors *destination)
{
    float s[4][PIXEL_LANES], s1[4][PIXEL_LANES], k[4];
    clamp_rows(blend, source, s);
    if (source1)
        clamp_rows(blend, source1, s1);
    else if (blend->is_dual)
        memset(s1, 0, sizeof(s1));
    for (unsigned c = 0; c < 4; c++)
        k[c] =
            has_clamp(blend) ? clamp_value(blend->constant[c], blend->clamp_min, blend->clamp_max) : blend->constant[c];
    if (blend->is_alpha_one)
        fill_row(destination->f[3], 1);
    const struct operands o = {(const float(*)[PIXEL_LANES])s, (const float(*)[PIXEL_LANES])s1,
                               (const float(*)[PIXEL_LANES])destination->f, k};
    for (unsigned c = 0; c < 4; c++) {
        const struct pixel_equation *equation = equation_of(blend, c);
        float room[2][PIXEL_LANES];
        const float *sf = factor(equation->source, &o, c, room[0]);
        const float *df = factor(equation->destination, &o, c, room[1]);
        combine_rows(equation->function, s[c], sf, o.destination[c], df, source->f[c]);
    }
}

/* ---- four unorm bytes: from codes to codes without a row in between ---- */

/* Factors by their codes: base + scale * operand, the operand's own channel or its alpha. */
static const struct {
    bool known;
    float base, scale;
    uint8_t operand; /* enum pixel_operand */
    bool alpha, constant;
} factors[PIXEL_FACTOR_SOURCE_ALPHA_SATURATE + 1] = {
    [PIXEL_FACTOR_ZERO] = {true, 0, 0},
    [PIXEL_FACTOR_ONE] = {true, 1, 0},
    [PIXEL_FACTOR_SOURCE] = {true, 0, 1, PIXEL_OPERAND_SOURCE},
    [PIXEL_FACTOR_ONE_MINUS_SOURCE] = {true, 1, -1, PIXEL_OPERAND_SOURCE},
    [PIXEL_FACTOR_SOURCE_ALPHA] = {true, 0, 1, PIXEL_OPERAND_SOURCE, .alpha = true},
    [PIXEL_FACTOR_ONE_MINUS_SOURCE_ALPHA] = {true, 1, -1, PIXEL_OPERAND_SOURCE, .alpha = true},
    [PIXEL_FACTOR_DESTINATION_ALPHA] = {true, 0, 1, PIXEL_OPERAND_DESTINATION, .alpha = true},
    [PIXEL_FACTOR_ONE_MINUS_DESTINATION_ALPHA] = {true, 1, -1, PIXEL_OPERAND_DESTINATION, .alpha = true},
    [PIXEL_FACTOR_DESTINATION] = {true, 0, 1, PIXEL_OPERAND_DESTINATION},
    [PIXEL_FACTOR_ONE_MINUS_DESTINATION] = {true, 1, -1, PIXEL_OPERAND_DESTINATION},
    [PIXEL_FACTOR_CONSTANT] = {true, 0, 1, .constant = true},
    [PIXEL_FACTOR_ONE_MINUS_CONSTANT] = {true, 1, -1, .constant = true},
    [PIXEL_FACTOR_CONSTANT_ALPHA] = {true, 0, 1, .alpha = true, .constant = true},
    [PIXEL_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = {true, 1, -1, .alpha = true, .constant = true},
    [PIXEL_FACTOR_SOURCE1] = {true, 0, 1, PIXEL_OPERAND_SOURCE1},
    [PIXEL_FACTOR_ONE_MINUS_SOURCE1] = {true, 1, -1, PIXEL_OPERAND_SOURCE1},
    [PIXEL_FACTOR_SOURCE1_ALPHA] = {true, 0, 1, PIXEL_OPERAND_SOURCE1, .alpha = true},
    [PIXEL_FACTOR_ONE_MINUS_SOURCE1_ALPHA] = {true, 1, -1, PIXEL_OPERAND_SOURCE1, .alpha = true},
};

static bool make_term(const struct pixel_blend *blend, unsigned code, unsigned c, struct pixel_term *out)
{
    unsigned channel = factors[code].alpha ? 3 : c;
    *out = (struct pixel_term){factors[code].base, factors[code].scale, (uint8_t)(factors[code].operand + channel)};
    if (factors[code].constant) {
        const float constant = blend->constant[channel];
        out->base +=
            out->scale * (has_clamp(blend) ? clamp_value(constant, blend->clamp_min, blend->clamp_max) : constant);
        out->scale = 0;
    }
    return factors[code].known;
}

static bool is_by_alpha(const struct pixel_term *term)
{
    return term->scale == 0 || term->operand == PIXEL_OPERAND_SOURCE + 3;
}

/* Do all factors need no more than the source's alpha? */
static void find_sums_by_alpha(struct pixel_blend *blend)
{
    blend->sums_by_alpha = blend->sums && !blend->is_alpha_one && blend->from[3] == 3;
    for (unsigned c = 0; c < 4; c++) {
        const struct pixel_term *s = &blend->source_term[c], *d = &blend->destination_term[c];
        bool same = c == 3 || (s->base == s[-(int)c].base && d->base == d[-(int)c].base); /* a constant may differ */
        blend->sums_by_alpha &= same && is_by_alpha(s) && is_by_alpha(d);
    }
}

void pixel_blend_prepare(struct pixel_blend *blend)
{
    blend->adds = true;
    for (unsigned c = 0; c < 4; c++) {
        const struct pixel_equation *equation = equation_of(blend, c);
        const bool knows_source = make_term(blend, equation->source, c, &blend->source_term[c]),
                   knows_destination = make_term(blend, equation->destination, c, &blend->destination_term[c]);
        blend->adds &= equation->function == PIXEL_ADD && knows_source && knows_destination;
    }
    blend->sums = blend->adds && blend->is_bytes4 && blend->clamp_min == 0 && blend->clamp_max == 1;
    find_sums_by_alpha(blend);
}

/* A sum of products that is never negative, as pixel_blend_bytes4 needs it. */
static bool is_positive(const struct pixel_term *term)
{
    return term->base >= 0 && term->base + term->scale >= 0;
}

void pixel_blend_prepare_terms(struct pixel_blend *blend)
{
    blend->sums = blend->is_bytes4 && blend->clamp_min == 0 && blend->clamp_max == 1;
    for (unsigned c = 0; c < 4; c++)
        blend->sums &= is_positive(&blend->source_term[c]) && is_positive(&blend->destination_term[c]);
    find_sums_by_alpha(blend);
}

void pixel_blend_terms(const struct pixel_blend *blend, union pixel_colors *source,
                       const union pixel_colors *destination)
{
    const float low = blend->clamp_min, high = blend->clamp_max;
    const bool clamps = has_clamp(blend);
    float rows[8][PIXEL_LANES]; /* operands: of the source, of the destination */
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            const float from = source->f[c][lane], at = c == 3 && blend->is_alpha_one ? 1 : destination->f[c][lane];
            rows[c][lane] = clamps ? clamp_value(from, low, high) : from;
            rows[4 + c][lane] = clamps ? clamp_value(at, low, high) : at;
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        const struct pixel_term *s = &blend->source_term[c], *d = &blend->destination_term[c];
        const float *of_source = rows[s->operand], *of_destination = rows[d->operand];
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            const float by_source = s->scale == 0 ? s->base : s->base + s->scale * of_source[lane],
                        by_destination = d->scale == 0 ? d->base : d->base + d->scale * of_destination[lane];
            /* A factor of zero removes its term, whatever the value is. */
            const float sum = (by_source == 0 ? 0 : rows[c][lane] * by_source) +
                              (by_destination == 0 ? 0 : rows[4 + c][lane] * by_destination);
            source->f[c][lane] = clamps ? clamp_value(sum, low, high) : sum;
        }
    }
}

/* As many lanes as the host's vectors have. */
#if defined(__AVX512F__)
#define AT_ONCE 16
#elif defined(__AVX2__)
#define AT_ONCE 8
#else
#define AT_ONCE 4
#endif
typedef float floats __attribute__((vector_size(AT_ONCE * 4)));
typedef int32_t ints __attribute__((vector_size(AT_ONCE * 4)));
typedef uint32_t uints __attribute__((vector_size(AT_ONCE * 4)));

static inline floats load_row(const float *from)
{
    floats value;
    memcpy(&value, from, sizeof(value));
    return value;
}

/* code / 255, rounded once: the first product is exact, and the second one's error lies far below the sum's last bit.
 */
static inline floats unorm8_to_floats(uints code)
{
    floats value = __builtin_convertvector((ints)code, floats);
    return value * 0x1.01p-8f + value * 0x1.010102p-24f;
}

/* Codes of four channels together. To the nearest code, ties to even: the lowest bits of a sum with this
 * number are the rounded one. What comes is not negative, a sum of products of numbers that are not, and below 3. */
#define WHOLE 0x1.8p23f
#define WHOLE_BITS 0x4b400000

static inline uints pack_unorm8(const floats value[4])
{
    const ints most = (ints){0} + (WHOLE_BITS + 255);
    uints sum = {0};
    for (unsigned k = 0; k < 4; k++) {
        ints bits = (ints)(value[k] * 255.0f + WHOLE), is_less = bits < most;
        bits = (bits & is_less) | (most & ~is_less);
        sum += (uints)bits << 8 * k;
    }
    return sum - ((uint32_t)WHOLE_BITS + ((uint32_t)WHOLE_BITS << 8));
}

static inline floats splat_value(float value)
{
    return (floats){0} + value;
}

/* Factors that are numbers or made of the source's alpha, the same for all colours: nearly all that are in use.
 * Channels are in the order of memory, whose last one is alpha. */
static void blend_by_alpha(const struct pixel_blend *blend, const union pixel_colors *source, uint32_t *codes)
{
    const float *rows[3] = {source->f[blend->from[0]], source->f[blend->from[1]], source->f[blend->from[2]]};
    const struct pixel_term *source_term = blend->source_term, *destination_term = blend->destination_term;
    const floats color_base[2] = {splat_value(source_term[0].base), splat_value(destination_term[0].base)},
                 color_scale[2] = {splat_value(source_term[0].scale), splat_value(destination_term[0].scale)},
                 alpha_base[2] = {splat_value(source_term[3].base), splat_value(destination_term[3].base)},
                 alpha_scale[2] = {splat_value(source_term[3].scale), splat_value(destination_term[3].scale)};
    for (unsigned lane = 0; lane < PIXEL_LANES; lane += AT_ONCE) {
        uints code;
        floats alpha = load_row(source->f[3] + lane), of_source = color_base[0] + color_scale[0] * alpha,
               of_destination = color_base[1] + color_scale[1] * alpha, sum[4];
        memcpy(&code, codes + lane, sizeof(code));
        for (unsigned k = 0; k < 3; k++) {
            floats stored = unorm8_to_floats(code >> k * 8 & 0xff);
            sum[k] = load_row(rows[k] + lane) * of_source + stored * of_destination;
        }
        floats stored = unorm8_to_floats(code >> 24);
        sum[3] = alpha * (alpha_base[0] + alpha_scale[0] * alpha) + stored * (alpha_base[1] + alpha_scale[1] * alpha);
        code = pack_unorm8(sum);
        memcpy(codes + lane, &code, sizeof(code));
    }
}

static inline floats term_of(const struct pixel_term *term, const floats *operands)
{
    return term->base + term->scale * operands[term->operand];
}

void pixel_blend_bytes4(const struct pixel_blend *blend, const union pixel_colors *source,
                        const union pixel_colors *source1, uint32_t *codes)
{
    if (blend->sums_by_alpha) {
        blend_by_alpha(blend, source, codes);
        return;
    }
    for (unsigned lane = 0; lane < PIXEL_LANES; lane += AT_ONCE) {
        floats operands[PIXEL_OPERANDS], *s = operands + PIXEL_OPERAND_SOURCE,
                                         *d = operands + PIXEL_OPERAND_DESTINATION,
                                         *s1 = operands + PIXEL_OPERAND_SOURCE1, sum[4];
        uints code;
        memcpy(&code, codes + lane, sizeof(code));
        for (unsigned c = 0; c < 4; c++) {
            s[c] = load_row(source->f[c] + lane);
            d[blend->from[c]] = unorm8_to_floats(code >> c * 8 & 0xff);
            if (blend->is_dual)
                s1[c] = source1 ? load_row(source1->f[c] + lane) : splat_value(0);
        }
        if (blend->is_alpha_one)
            d[3] = splat_value(1);
        for (unsigned k = 0; k < 4; k++) {
            unsigned c = blend->from[k];
            sum[k] = s[c] * term_of(&blend->source_term[c], operands) +
                     d[c] * term_of(&blend->destination_term[c], operands);
        }
        code = pack_unorm8(sum);
        memcpy(codes + lane, &code, sizeof(code));
    }
}
