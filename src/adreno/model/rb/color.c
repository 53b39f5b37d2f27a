/* Shaded colours to the targets of a draw: conversion, blending, logic operations, write masks. */
#include <string.h>

#include "adreno/model/rb/rb.h"
#include "util/bits.h"

#define QUADS (PIXEL_LANES / 4) /* that are written at a time */

/* Pixels at different places, one sample each. */
struct span {
    uint32_t count;
    uint8_t lane[PIXEL_LANES];
    void *host[PIXEL_LANES];
};

/* ---- coverage by alpha ---- */

void adreno_rb_cover(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, struct raster_quad *quads,
                     uint32_t count)
{
    const uint32_t *alpha = shaded->colors[0][3];
    const unsigned samples = 1u << rb->draw->samples_log2;
    if (!rb->draw->has_alpha_to_coverage || !alpha)
        return;
    for (uint32_t lane = 0; lane < 4 * count; lane++) {
        const float value = bits_float(alpha[lane]);
        uint32_t covered = 0;
        for (unsigned s = 0; s < samples; s++) {
            if (value * (float)samples >= (float)s + 0.5f)
                covered |= 1u << s;
        }
        quads[lane / 4].mask &= ~(0xffu << 8 * (lane % 4)) | covered << 8 * (lane % 4);
    }
}

/* ---- one target ---- */

static bool gather_spans(struct adreno_rb *rb, unsigned t, const struct raster_quad *quads, uint32_t first,
                         uint32_t end, unsigned sample, struct span *span)
{
    struct adreno_rb_access *access = &rb->access[t];
    const uint32_t offset_B = sample * access->surface->sample_B;
    span->count = 0;
    for (uint32_t q = first; q < end; q++) {
        const uint32_t pixels = quads[q].mask >> sample & 0x01010101u;
        uint8_t *host[4];
        if (!pixels)
            continue;
        if (!adreno_rb_find_quad(access, &quads[q], pixels, host))
            return false;
        for (unsigned p = 0; p < 4; p++) {
            if (!(pixels >> 8 * p & 1))
                continue;
            span->lane[span->count] = (uint8_t)(q * 4 + p);
            span->host[span->count++] = host[p] + offset_B;
        }
    }
    return true;
}

/* Colours of an output, of which a channel that the shader does not write is 0, and alpha 1. */
static void load_colors(const struct adreno_rb_draw *draw, const struct adreno_rb_target *target,
                        const struct adreno_rb_shaded *shaded, unsigned output, uint32_t first_lane, uint32_t lanes,
                        union pixel_colors *colors)
{
    const uint32_t one = target->format.numeric == ADRENO_RB_FLOAT ? 0x3f800000u : 1;
    for (unsigned c = 0; c < 4; c++) {
        const uint32_t *row = c == 3 && draw->has_alpha_to_one ? NULL : shaded->colors[output][c];
        if (row && lanes == PIXEL_LANES) /* a size that is known: other copies may be slow */
            memcpy(colors->u[c], row + first_lane, PIXEL_LANES * sizeof(uint32_t));
        else if (row)
            memcpy(colors->u[c], row + first_lane, lanes * sizeof(uint32_t));
        for (uint32_t i = row ? lanes : 0; i < PIXEL_LANES; i++)
            colors->u[c][i] = c == 3 ? one : 0;
    }
}

static void pick_pixels(const struct span *span, const union pixel_colors *colors, union pixel_colors *out)
{
    const uint32_t first = span->lane[0];
    const bool is_row = span->lane[span->count - 1] - first == span->count - 1; /* they only ever grow */
    for (unsigned c = 0; c < 4; c++) {
        if (is_row)
            memcpy(out->u[c], &colors->u[c][first], span->count * sizeof(out->u[c][0]));
        for (uint32_t i = 0; i < span->count && !is_row; i++)
            out->u[c][i] = colors->u[c][span->lane[i]];
        memset(&out->u[c][span->count], 0, (PIXEL_LANES - span->count) * sizeof(out->u[c][0]));
    }
}

static void blend_span(const struct adreno_rb_target *target, const struct span *span, const union pixel_colors *second,
                       union pixel_colors *colors)
{
    union adreno_rb_color stored[PIXEL_LANES];
    union pixel_colors destination = {0}, source1;
    adreno_rb_fetch(&target->format, stored, (const void *const *)span->host, span->count);
    for (unsigned c = 0; c < 4; c++) {
        for (uint32_t i = 0; i < span->count; i++)
            destination.u[c][i] = stored[i].u[c];
    }
    if (second)
        pick_pixels(span, second, &source1);
    pixel_blend(&target->blend, colors, second ? &source1 : NULL, &destination);
}

/* Through a copy, where not all bits are written or the result depends on what is there. */
static void store_masked(const struct adreno_rb_target *target, const struct span *span,
                         const union adreno_rb_color *colors)
{
    uint8_t codes[PIXEL_LANES][ADRENO_RB_MAX_SAMPLE_B];
    void *at[PIXEL_LANES];
    for (uint32_t i = 0; i < span->count; i++)
        at[i] = codes[i];
    adreno_rb_store(&target->format, at, colors, span->count);
    for (uint32_t i = 0; i < span->count; i++) {
        uint8_t *to = span->host[i];
        for (unsigned b = 0; b < target->format.sample_B; b++) {
            const uint8_t code = target->has_rop ? pixel_logic(target->rop, codes[i][b], to[b]) : codes[i][b];
            to[b] = (uint8_t)((to[b] & ~target->bits[b]) | (code & target->bits[b]));
        }
    }
}

/* Strict mode: what is read of GMEM was written before. */
static bool look_at_gmem(struct adreno_rb *rb, const struct adreno_rb_target *target, const struct span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        if ((target->is_blended || target->has_rop) &&
            !adreno_rb_gmem_may_read(&target->surface, span->host[i], target->format.sample_B, &rb->fault))
            return false;
        for (uint32_t b = 0; b < target->format.sample_B; b++) {
            if (target->bits[b])
                adreno_rb_gmem_wrote(&target->surface, (uint8_t *)span->host[i] + b, 1);
        }
    }
    return true;
}

/* Quads that have no sample in common. False: a fault. */
static bool write_target(struct adreno_rb *rb, unsigned t, const union pixel_colors *colors,
                         const union pixel_colors *second, const struct raster_quad *quads, uint32_t first,
                         uint32_t end)
{
    const struct adreno_rb_target *target = &rb->draw->targets[t];
    for (unsigned sample = 0; sample < 1u << rb->draw->samples_log2; sample++) {
        struct span span;
        union pixel_colors out;
        union adreno_rb_color codes[PIXEL_LANES];
        if (!gather_spans(rb, t, quads, first, end, sample, &span))
            return false;
        if (!span.count)
            continue;
        if (target->surface.written && !look_at_gmem(rb, target, &span))
            return false;
        pick_pixels(&span, colors, &out);
        if (target->is_blended)
            blend_span(target, &span, second, &out);
        for (uint32_t i = 0; i < span.count; i++) {
            for (unsigned c = 0; c < 4; c++)
                codes[i].u[c] = out.u[c][i];
        }
        if (target->is_whole && !target->has_rop)
            adreno_rb_store(&target->format, span.host, codes, span.count);
        else
            store_masked(target, &span, codes);
    }
    return true;
}

/* The end of the quads from `first` on that have no pixel in common, but of one primitive, whose quads that do have
 * different samples. */
static uint32_t find_cut(const struct raster_quad *quads, uint32_t first, uint32_t count)
{
    if (quads[first].prim == quads[count - 1].prim)
        return count; /* a primitive's quads are neighbours */
    for (uint32_t end = first + 1; end < count; end++) {
        for (uint32_t q = first; q < end; q++) {
            if (quads[q].x == quads[end].x && quads[q].y == quads[end].y && quads[q].prim != quads[end].prim)
                return end;
        }
    }
    return count;
}

uint32_t adreno_rb_count_apart(const struct raster_quad *quads, uint32_t count)
{
    return find_cut(quads, 0, count);
}

static bool write_some(struct adreno_rb *rb, unsigned t, const struct adreno_rb_shaded *shaded,
                       const struct raster_quad *quads, uint32_t first_lane, uint32_t count)
{
    const struct adreno_rb_draw *draw = rb->draw;
    const struct adreno_rb_target *target = &draw->targets[t];
    const bool is_dual = target->blend.is_dual;
    union pixel_colors colors, second;
    load_colors(draw, target, shaded, t, first_lane, count * 4, &colors);
    if (is_dual)
        load_colors(draw, target, shaded, 1, first_lane, count * 4, &second);
    for (uint32_t first = 0, end; first < count; first = end) {
        end = find_cut(quads, first, count);
        if (!(target->is_bytes4 || target->is_word ? adreno_rb_write_bytes4 : write_target)(rb, t, &colors, is_dual ? &second : NULL,
                                                                         quads, first, end))
            return false;
    }
    return true;
}

void adreno_rb_write(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, const struct raster_quad *quads,
                     uint32_t count)
{
    for (uint32_t first = 0; first < count; first += QUADS) {
        uint32_t used = rb->draw->used;
        bits_foreach (used, t) {
            if (!write_some(rb, (unsigned)t, shaded, quads + first, first * 4, MIN2(count - first, (uint32_t)QUADS)))
                return;
        }
    }
}
