/* Blending of fixed function into cells of the tile buffer. The hardware's equation is A + B * C, where A and B are
 * made of source and destination and C is one operand: a sum of source and destination, each times a term of C. */
#include <math.h>
#include <string.h>

#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/half.h"

struct function {
    unsigned a, b, c;
    bool negate_a, negate_b, invert_c;
};

/* The factors of channel `channel` of source and destination. */
static void make_terms(struct pixel_blend *blend, const struct function *f, unsigned channel, float constant)
{
    const float a = f->negate_a ? -1 : 1, b = f->negate_b ? -1 : 1;
    const float of_source_a = f->a == MALI_BLEND_A_SRC ? a : 0, of_destination_a = f->a == MALI_BLEND_A_DEST ? a : 0;
    const float of_source_b = f->b == MALI_BLEND_B_DEST ? 0 : b;
    const float of_destination_b = f->b == MALI_BLEND_B_SRC ? 0 : f->b == MALI_BLEND_B_SRC_MINUS_DEST ? -b : b;
    float base = 0, scale = 0;
    unsigned operand = PIXEL_OPERAND_SOURCE + channel;
    switch (f->c) {
    case MALI_BLEND_C_SRC:
        scale = 1;
        break;
    case MALI_BLEND_C_SRC_X_2:
        scale = 2;
        break;
    case MALI_BLEND_C_SRC_ALPHA:
        operand = PIXEL_OPERAND_SOURCE + 3;
        scale = 1;
        break;
    case MALI_BLEND_C_DEST:
        operand = PIXEL_OPERAND_DESTINATION + channel;
        scale = 1;
        break;
    case MALI_BLEND_C_DEST_ALPHA:
        operand = PIXEL_OPERAND_DESTINATION + 3;
        scale = 1;
        break;
    case MALI_BLEND_C_CONSTANT:
        base = constant;
        break;
    }
    if (f->invert_c) {
        base = 1 - base;
        scale = -scale;
    }
    blend->source_term[channel] =
        (struct pixel_term){of_source_a + of_source_b * base, of_source_b * scale, (uint8_t)operand};
    blend->destination_term[channel] =
        (struct pixel_term){of_destination_a + of_destination_b * base, of_destination_b * scale, (uint8_t)operand};
}

/* The constant is a unorm of as many bits as the format's widest channel, at the top of 16. */
static float read_constant(const struct frag_target *target, uint32_t bits)
{
    unsigned width = 8;
    for (unsigned c = 0; target->channels && c < 4; c++)
        width = c ? MAX2(width, target->channels->whole[c]) : target->channels->whole[c];
    return (float)bits / (float)(((1u << width) - 1) << (16 - width));
}

/* Does the source alone go to the target? */
static bool is_replacing(const struct pixel_blend *blend)
{
    bool is_so = true;
    for (unsigned c = 0; c < 4; c++) {
        const struct pixel_term *s = &blend->source_term[c], *d = &blend->destination_term[c];
        is_so &= s->base == 1 && s->scale == 0 && d->base == 0 && d->scale == 0;
    }
    return is_so;
}

static void prepare_blend(struct frag_blend *blend, const struct frag_target *target, const struct function *color,
                          const struct function *alpha, uint32_t constant)
{
    blend->terms = (struct pixel_blend){.clamp_max = target->is_float ? 0 : 1,
                                        .from = {0, 1, 2, 3},
                                        .is_bytes4 = target->internal == MALI_INTERNAL_FORMAT_R8G8B8A8};
    for (unsigned c = 0; c < 4; c++)
        make_terms(&blend->terms, c == 3 ? alpha : color, c, read_constant(target, constant));
    blend->terms.is_alpha_one =
        target->is_float ? !(target->pixel.present >> 3 & 1) : target->channels && !target->channels->whole[3];
    blend->is_replacing = is_replacing(&blend->terms);
    pixel_blend_prepare_terms(&blend->terms);
}

void mali_frag_prepare_blend(struct frag_draw *draw, unsigned number, const struct frag_target *target,
                             const struct mali_desc_BLEND *d)
{
    const struct function color = {d->RGB_A, d->RGB_B, d->RGB_C, d->RGB_NEGATE_A, d->RGB_NEGATE_B, d->RGB_INVERT_C};
    const struct function alpha = {d->ALPHA_A,        d->ALPHA_B,        d->ALPHA_C,
                                   d->ALPHA_NEGATE_A, d->ALPHA_NEGATE_B, d->ALPHA_INVERT_C};
    static const struct function source = {.a = MALI_BLEND_A_SRC, .b = MALI_BLEND_B_SRC, .c = MALI_BLEND_C_ZERO};
    struct frag_blend *blend = &draw->blends[number], *opaque = &draw->opaque[number];
    blend->is_srgb = opaque->is_srgb = d->SRGB;
    blend->has_alpha_one = opaque->has_alpha_one = d->ALPHA_TO_ONE;
    blend->mask = d->COLOR_MASK & 15;
    opaque->mask = 15;
    prepare_blend(blend, target, &color, &alpha, d->CONSTANT);
    prepare_blend(opaque, target, &source, &source, 0);
}

/* ---- four unorm bytes ---- */

static uint32_t byte_mask(unsigned channels)
{
    uint32_t mask = 0;
    for (unsigned c = 0; c < 4; c++)
        mask |= channels >> c & 1 ? 0xffu << 8 * c : 0;
    return mask;
}

static void blend_bytes(const struct frag_blend *blend, const struct frag_span *span, union pixel_colors *colors)
{
    uint32_t codes[PIXEL_LANES] = {0};
    const uint32_t mask = byte_mask(blend->mask);
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < PIXEL_LANES; i++) {
            const float above = colors->f[c][i] > 0 ? colors->f[c][i] : 0;
            colors->f[c][i] = above < 1 ? above : 1;
        }
    }
    for (unsigned i = 0; i < span->count; i++)
        memcpy(&codes[i], span->cell[i], 4);
    uint32_t old[PIXEL_LANES];
    memcpy(old, codes, sizeof(old));
    pixel_blend_bytes4(&blend->terms, colors, NULL, codes);
    for (unsigned i = 0; i < span->count; i++) {
        const uint32_t code = (old[i] & ~mask) | (codes[i] & mask);
        memcpy(span->cell[i], &code, 4);
    }
}

/* ---- everything else ---- */

static bool blend_texels(struct frag_worker *w, const struct frag_target *target, const struct frag_blend *blend,
                         const struct frag_conversion *conversion, const struct frag_span *span,
                         union pixel_colors *colors)
{
    union tex_texel texels[MALI_ROW_LANES];
    const bool replaces = blend->is_replacing;
    if (!replaces && !target->channels && !target->is_float)
        return mali_stop(w->fb->queue, GPU_STOP_BROKEN, "fixed-function blending of a raw format");
    if (!replaces || blend->mask != 15)
        mali_frag_fetch(conversion, span, texels);
    if (!replaces) {
        union pixel_colors stored = {0};
        for (unsigned c = 0; c < 4; c++) {
            for (unsigned i = 0; i < span->count; i++)
                stored.f[c][i] = texels[i].f[c];
        }
        pixel_blend_terms(&blend->terms, colors, &stored);
    }
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < span->count && (blend->mask >> c & 1); i++)
            texels[i].u[c] = colors->u[c][i];
    }
    mali_frag_store(conversion, span, texels);
    return true;
}

bool mali_frag_blend(struct frag_worker *w, const struct frag_target *target, const struct frag_blend *blend,
                     const struct frag_conversion *conversion, const struct frag_span *span,
                     const union pixel_colors *colors)
{
    union pixel_colors dense; /* by place in the span */
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < span->count; i++)
            dense.u[c][i] = colors->u[c][span->lane[i]];
        memset(&dense.u[c][span->count], 0, (PIXEL_LANES - span->count) * sizeof(dense.u[c][0]));
    }
    for (unsigned i = 0; blend->has_alpha_one && i < span->count; i++)
        dense.f[3][i] = 1;
    struct frag_conversion own = *conversion;
    own.is_srgb |= blend->is_srgb;
    if (own.channels && target->internal == MALI_INTERNAL_FORMAT_R8G8B8A8 && !own.is_srgb && blend->terms.sums) {
        blend_bytes(blend, span, &dense);
        return true;
    }
    return blend_texels(w, target, blend, &own, span, &dense);
}

/* ---- the usual case: without copies by lane ---- */

typedef uint32_t word4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));

/* Between 0 and 1; NaN becomes 0. */
static inline float4 clamp4(const uint32_t *lanes)
{
    const float4 one = {1, 1, 1, 1};
    float4 value;
    memcpy(&value, lanes, sizeof(value));
    value = (float4)((int4)value & (value > 0.0f));
    const int4 is_less = value < one;
    return (float4)(((int4)value & is_less) | ((int4)one & ~is_less));
}

static void clamp_rows(union pixel_colors *out, const uint32_t *rows)
{
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < PIXEL_LANES; i += 4) {
            const float4 value = clamp4(rows + c * MALI_ROW_LANES + i);
            memcpy(&out->f[c][i], &value, sizeof(value));
        }
    }
}

/* Clamped, to the nearest code, ties to even: the lowest bits of a sum with this number are the rounded one. */
#define WHOLE 0x1.8p23f
#define WHOLE_BITS 0x4b400000u

static void encode_rows(uint32_t *codes, const uint32_t *rows)
{
    for (unsigned i = 0; i < PIXEL_LANES; i += 4) {
        word4 sum = {0, 0, 0, 0};
        for (unsigned c = 0; c < 4; c++)
            sum += (word4)(clamp4(rows + c * MALI_ROW_LANES + i) * 255.0f + WHOLE) << 8 * c;
        sum -= WHOLE_BITS + (WHOLE_BITS << 8);
        memcpy(codes + i, &sum, sizeof(sum));
    }
}

bool mali_frag_blend_fast(struct frag_worker *w, unsigned number, const struct frag_blend *blend,
                          const struct frag_conversion *conversion, const uint32_t *masks, const uint32_t *colour)
{
    const struct frag_target *target = &w->fb->targets[number];
    if (target->internal != MALI_INTERNAL_FORMAT_R8G8B8A8 || !conversion->channels || conversion->is_srgb ||
        blend->is_srgb || !blend->terms.sums || blend->mask != 15 || blend->has_alpha_one)
        return false;
    union pixel_colors colors;
    uint32_t codes[1][PIXEL_LANES] = {{0}};
    if (blend->is_replacing)
        encode_rows(codes[0], colour);
    else
        clamp_rows(&colors, colour);
    for (unsigned s = 0; s < w->fb->samples; s++) {
        uint32_t drawn[MALI_ROW_LANES];
        for (unsigned i = 0; i < MALI_ROW_LANES; i++)
            drawn[i] = -(masks[i] >> s & 1);
        const uint64_t any = lanes_to_mask(drawn, MALI_ROW_LANES);
        if (!any)
            continue;
        if (!blend->is_replacing) {
            mali_frag_get_codes(w, number, s, codes);
            pixel_blend_bytes4(&blend->terms, &colors, NULL, codes[0]);
        }
        mali_frag_put_sample(w, number, s, (const uint32_t(*)[MALI_ROW_LANES])codes, drawn, any);
    }
    return true;
}
