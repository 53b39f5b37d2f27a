/* Targets of four unorm or sRGB bytes, or of one word, all of which are written: codes of a wave at a time, a quad's
 * four side by side. Not for the rest (color.c), which gives the same results. */
#include <string.h>

#include "adreno/model/rb/rb.h"
#include "model/pixel/pixel_srgb.h"
#include "util/bits.h"
#include "util/format/channel.h"

#if JIT_HOST
_Static_assert(PIXEL_LANES % JIT_VECTOR_LANES == 0, "whole vectors");

/* Three colours by the curve, one above the other, by what joined programs call. */
static void pack_curve(const float *const colors[3], uint32_t *restrict codes)
{
    float unit[3][PIXEL_LANES];
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            unit[c][i] = format_clamp(colors[c][i], 1);
    }
    for (unsigned i = 0; i < PIXEL_LANES; i += JIT_VECTOR_LANES) {
        jit_vector rgb[3];
        for (unsigned c = 0; c < 3; c++)
            memcpy(&rgb[c], &unit[c][i], sizeof(rgb[c]));
        rgb[0] = pixel_srgb_of_floats(NULL, rgb[0], rgb[1], rgb[2]);
        memcpy(codes + i, &rgb[0], sizeof(rgb[0]));
    }
}
#else
static void pack_curve(const float *const colors[3], uint32_t *restrict codes)
{
    for (unsigned i = 0; i < PIXEL_LANES; i++)
        codes[i] = format_float_to_srgb(colors[0][i]) | format_float_to_srgb(colors[1][i]) << 8 |
                   format_float_to_srgb(colors[2][i]) << 16;
}
#endif

static void pack_colors(const struct adreno_rb_target *target, const union pixel_colors *colors,
                        uint32_t *restrict codes)
{
    const uint8_t *from = target->format.from;
    if (target->is_word) {
        memcpy(codes, colors->u[from[0]], PIXEL_LANES * sizeof(*codes));
        return;
    }
    const float *r = colors->f[from[0]], *g = colors->f[from[1]], *b = colors->f[from[2]], *a = colors->f[from[3]];
    if (target->is_encoded) {
        const float *const rgb[3] = {r, g, b};
        pack_curve(rgb, codes);
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            codes[i] |= format_float_to_unorm(a[i], 8) << 24;
        return;
    }
    for (unsigned i = 0; i < PIXEL_LANES; i++)
        codes[i] = format_float_to_unorm(r[i], 8) | format_float_to_unorm(g[i], 8) << 8 |
                   format_float_to_unorm(b[i], 8) << 16 | format_float_to_unorm(a[i], 8) << 24;
}

static void clamp_colors(union pixel_colors *colors)
{
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < PIXEL_LANES; i++)
            colors->f[c][i] = format_clamp(colors->f[c][i], 1);
    }
}

/* A sample of a quad's pixels, from memory or to it. */
static inline void load_quad(const struct adreno_rb_surface *surface, uint8_t *const host[4], uint32_t pixels,
                             uint32_t offset_B, uint32_t codes[4])
{
    if (surface->is_tiled && surface->element_B == sizeof(*codes)) {
        memcpy(codes, host[0], 4 * sizeof(*codes));
        return;
    }
    if (surface->element_B == sizeof(*codes) && adreno_rb_is_pairs(host, sizeof(*codes))) {
        memcpy(codes, host[0], 2 * sizeof(*codes));
        memcpy(codes + 2, host[2], 2 * sizeof(*codes));
        return;
    }
    for (unsigned p = 0; p < 4; p++) {
        if (pixels >> 8 * p & 1)
            memcpy(&codes[p], host[p] + offset_B, sizeof(*codes));
    }
}

static inline void store_quad(const struct adreno_rb_surface *surface, uint8_t *const host[4], uint32_t pixels,
                              uint32_t offset_B, const uint32_t codes[4])
{
    if (pixels == 0x01010101u && surface->is_tiled && surface->element_B == sizeof(*codes)) {
        memcpy(host[0], codes, 4 * sizeof(*codes));
        return;
    }
    if (pixels == 0x01010101u && surface->element_B == sizeof(*codes) && adreno_rb_is_pairs(host, sizeof(*codes))) {
        memcpy(host[0], codes, 2 * sizeof(*codes));
        memcpy(host[2], codes + 2, 2 * sizeof(*codes));
        return;
    }
    for (unsigned p = 0; p < 4; p++) {
        if (pixels >> 8 * p & 1)
            memcpy(host[p] + offset_B, &codes[p], sizeof(*codes));
    }
}

/* All four samples of a quad's pixels. */
static inline void store_pixels(uint8_t *const host[4], const uint32_t codes[4])
{
    for (unsigned p = 0; p < 4; p++) {
        const uint32_t pixel[4] = {codes[p], codes[p], codes[p], codes[p]};
        memcpy(host[p], pixel, sizeof(pixel));
    }
}

/* Blends the pixels that the quad's mask has: covered ones have no order that branches could learn. */
static inline void blend_pixels(uint8_t *const host[4], uint32_t mask, const uint32_t codes[4])
{
    typedef uint32_t word4 __attribute__((vector_size(16)));
    for (unsigned p = 0; p < 4; p++) {
        const uint32_t samples = mask >> 8 * p;
        const word4 covered = (word4)(((word4){samples, samples, samples, samples} & (word4){1, 2, 4, 8}) != 0);
        word4 stored;
        memcpy(&stored, host[p], sizeof(stored));
        stored = (covered & (word4){codes[p], codes[p], codes[p], codes[p]}) | (stored & ~covered);
        memcpy(host[p], &stored, sizeof(stored));
    }
}

/* All samples of quads get the same codes. */
static bool store_quads(struct adreno_rb *rb, unsigned t, const uint32_t *codes, const struct raster_quad *quads,
                        uint32_t first, uint32_t end)
{
    struct adreno_rb_access *access = &rb->access[t];
    const struct adreno_rb_surface *surface = access->surface;
    const unsigned samples = 1u << surface->samples_log2;
    for (uint32_t q = first; q < end; q++) {
        uint8_t *host[4];
        if (!quads[q].mask)
            continue;
        if (!adreno_rb_find_quad(access, &quads[q], quads[q].mask, host))
            return false;
        if (samples == 4 && quads[q].mask == 0x0f0f0f0fu) {
            store_pixels(host, codes + 4 * q);
            continue;
        }
        if (samples == 4 && adreno_rb_is_pairs(host, surface->element_B)) {
            blend_pixels(host, quads[q].mask, codes + 4 * q);
            continue;
        }
        for (unsigned s = 0; s < samples; s++)
            store_quad(surface, host, quads[q].mask >> s & 0x01010101u, s * 4, codes + 4 * q);
    }
    return true;
}

/* One sample of quads, to memory or from it. */
static bool move_quads(struct adreno_rb *rb, unsigned t, uint32_t *codes, const struct raster_quad *quads,
                       uint32_t first, uint32_t end, unsigned sample, bool is_store)
{
    struct adreno_rb_access *access = &rb->access[t];
    for (uint32_t q = first; q < end; q++) {
        const uint32_t pixels = quads[q].mask >> sample & 0x01010101u;
        uint8_t *host[4];
        if (!pixels)
            continue;
        if (!adreno_rb_find_quad(access, &quads[q], pixels, host))
            return false;
        if (is_store)
            store_quad(access->surface, host, pixels, sample * 4, codes + 4 * q);
        else
            load_quad(access->surface, host, pixels, sample * 4, codes + 4 * q);
    }
    return true;
}

bool adreno_rb_write_bytes4(struct adreno_rb *rb, unsigned t, const union pixel_colors *colors,
                            const union pixel_colors *second, const struct raster_quad *quads, uint32_t first,
                            uint32_t end)
{
    const struct adreno_rb_target *target = &rb->draw->targets[t];
    uint32_t codes[PIXEL_LANES] = {0};
    if (!target->is_blended) {
        pack_colors(target, colors, codes);
        return store_quads(rb, t, codes, quads, first, end);
    }
    union pixel_colors source = *colors, source1;
    clamp_colors(&source);
    if (second) {
        source1 = *second;
        clamp_colors(&source1);
    }
    for (unsigned sample = 0; sample < 1u << rb->draw->samples_log2; sample++) {
        if (!move_quads(rb, t, codes, quads, first, end, sample, false))
            return false;
        pixel_blend_bytes4(&target->blend, &source, second ? &source1 : NULL, codes);
        if (!move_quads(rb, t, codes, quads, first, end, sample, true))
            return false;
    }
    return true;
}

bool adreno_rb_store_words(struct adreno_rb *rb, unsigned t, const uint32_t *codes, const struct raster_quad *quads,
                           uint32_t count)
{
    return store_quads(rb, t, codes, quads, 0, count);
}

bool adreno_rb_load_words(struct adreno_rb *rb, unsigned t, uint32_t *codes, const struct raster_quad *quads,
                          uint32_t count)
{
    return move_quads(rb, t, codes, quads, 0, count, 0, false);
}
