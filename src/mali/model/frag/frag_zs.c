/* Depth and stencil of the tile buffer: tests of samples, and what they write. */
#include <math.h>
#include <string.h>

#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/half.h"

static uint32_t z_code(const struct frag_fb *fb, float z)
{
    const float unit = z > 0 ? z < 1 ? z : 1 : 0; /* NaN becomes 0 */
    switch (fb->z_internal) {
    case MALI_Z_INTERNAL_FORMAT_D16:
        return (uint32_t)(unit * 65535.0f + 0.5f);
    case MALI_Z_INTERNAL_FORMAT_D24: {
        const float product = unit * 16777215.0f; /* from 2^23 on it is whole already */
        return (uint32_t)(product < 8388608.0f ? product + 0.5f : product);
    }
    default:
        return float_bits(z);
    }
}

float mali_frag_z_value(const struct frag_fb *fb, uint32_t code)
{
    switch (fb->z_internal) {
    case MALI_Z_INTERNAL_FORMAT_D16:
        return (float)code / 65535.0f;
    case MALI_Z_INTERNAL_FORMAT_D24:
        return (float)code / 16777215.0f;
    default:
        return bits_float(code);
    }
}

void mali_frag_zs_clear(struct frag_worker *w)
{
    const size_t cells = (size_t)w->fb->tile_w * w->fb->tile_h * w->fb->samples;
    const uint32_t code = z_code(w->fb, w->fb->z_clear);
    for (size_t i = 0; i < cells; i++)
        w->z[i] = code;
    memset(w->s, w->fb->s_clear, cells);
}

/* ---- one sample ---- */

static bool compare_z(const struct frag_fb *fb, unsigned compare, uint32_t code, uint32_t stored)
{
    return fb->z_internal == MALI_Z_INTERNAL_FORMAT_D32
               ? pixel_compare_float(compare, bits_float(code), bits_float(stored))
               : pixel_compare_uint(compare, code, stored);
}

/* What the primitive, the draw or the shader says. */
static float find_z(const struct frag_worker *w, const struct frag_quad *quad, unsigned p, unsigned sample,
                    const float *shaded)
{
    const struct frag_draw *draw = w->draw;
    const struct raster_prim *prim = quad->prim;
    float z;
    switch (draw->z_source) {
    case MALI_DEPTH_SOURCE_MINIMUM:
        z = draw->z_min;
        break;
    case MALI_DEPTH_SOURCE_MAXIMUM:
        z = draw->z_max;
        break;
    case MALI_DEPTH_SOURCE_SHADER:
        if (shaded) {
            z = *shaded;
            break;
        }
        /* fall through */
    default: {
        const float x = (float)(quad->x + (p & 1)) + draw->place_x[sample];
        const float y = (float)(quad->y + p / 2) + draw->place_y[sample];
        z = prim->z.at + prim->z.dx * (x - prim->origin_x) + prim->z.dy * (y - prim->origin_y);
    }
    }
    return fminf(fmaxf(z, draw->clamp_min), draw->clamp_max);
}

static bool test_sample(struct frag_worker *w, const struct frag_face *face, size_t cell, uint32_t code,
                        uint8_t reference, bool is_updated)
{
    const struct frag_draw *draw = w->draw;
    bool is_passed = !draw->tests_z || compare_z(w->fb, draw->z_compare, code, w->z[cell]);
    if (draw->tests_s) {
        const uint8_t old = w->s[cell];
        const bool is_right = pixel_compare_uint(face->compare, reference & face->mask, old & face->mask);
        const unsigned op = !is_right ? face->fail : is_passed ? face->pass : face->depth_fail;
        if (is_updated) {
            const uint8_t value = pixel_stencil_apply(op, old, reference, 1);
            w->s[cell] = (uint8_t)((old & ~face->write_mask) | (value & face->write_mask));
        }
        is_passed &= is_right;
    }
    if (is_passed && is_updated && draw->writes_z)
        w->z[cell] = code;
    return is_passed;
}

uint32_t mali_frag_zs_test(struct frag_worker *w, const struct frag_quad *quad, unsigned p, uint32_t samples,
                           const float *z, const uint32_t *s, bool is_updated)
{
    const struct frag_draw *draw = w->draw;
    const struct frag_face *face = &draw->faces[quad->prim->is_back];
    const unsigned x = quad->x + (p & 1) - (unsigned)w->tile.x, y = quad->y + p / 2 - (unsigned)w->tile.y;
    uint32_t passed = samples;
    if (draw->tests_z || draw->writes_z || draw->tests_s) {
        const uint8_t reference = s && draw->s_from_shader ? (uint8_t)*s : face->reference;
        bits_foreach (samples, sample) {
            const uint32_t code = z_code(w->fb, find_z(w, quad, p, (unsigned)sample, z));
            if (!test_sample(w, face, mali_frag_cell(w, (unsigned)sample, x, y), code, reference, is_updated))
                passed &= ~(1u << sample);
        }
        if (is_updated && samples && (draw->writes_z || draw->tests_s))
            w->zs_dirty[y * w->fb->tile_w + x] = 1;
    }
    if (is_updated)
        w->passed += (unsigned)__builtin_popcount(passed);
    return passed;
}

/* ---- whole quads ---- */

/* Depth alone: one sample of four pixels at once. */
static uint64_t test_depth(struct frag_worker *w, const struct frag_quad *quad, unsigned sample, bool is_updated)
{
    const struct frag_draw *draw = w->draw;
    const struct raster_prim *prim = quad->prim;
    const unsigned x = quad->x - (unsigned)w->tile.x, y = quad->y - (unsigned)w->tile.y, row = w->fb->tile_w;
    uint32_t *cells = w->z + mali_frag_cell(w, sample, x, y), *at[4] = {cells, cells + 1, cells + row, cells + row + 1};
    const float px = (float)quad->x + draw->place_x[sample] - prim->origin_x;
    const float py = (float)quad->y + draw->place_y[sample] - prim->origin_y;
    const unsigned bit = mali_frag_sample_bit(sample);
    const uint32_t mask = (uint32_t)(quad->mask >> bit);
    uint64_t passed = 0;
    for (unsigned p = 0; p < 4; p++) {
        if (!(mask >> 8 * p & 1))
            continue;
        const float z = prim->z.at + prim->z.dx * (px + (float)(p & 1)) + prim->z.dy * (py + (float)(p / 2));
        const uint32_t code = z_code(w->fb, fminf(fmaxf(z, draw->clamp_min), draw->clamp_max));
        if (draw->tests_z && !compare_z(w->fb, draw->z_compare, code, *at[p]))
            continue;
        passed |= 1ull << (8 * p + bit);
        if (is_updated && draw->writes_z)
            *at[p] = code;
    }
    if (is_updated && draw->writes_z) {
        uint8_t *dirty = w->zs_dirty + y * row + x;
        dirty[0] |= mask & 1;
        dirty[1] |= mask >> 8 & 1;
        dirty[row] |= mask >> 16 & 1;
        dirty[row + 1] |= mask >> 24 & 1;
    }
    return passed;
}

uint64_t mali_frag_zs_test_quad(struct frag_worker *w, const struct frag_quad *quad, bool is_updated)
{
    const struct frag_draw *draw = w->draw;
    uint64_t passed = 0;
    if (!draw->tests_z && !draw->writes_z && !draw->tests_s) {
        passed = quad->mask;
    } else if (!draw->tests_s && draw->z_source == MALI_DEPTH_SOURCE_FIXED_FUNCTION) {
        for (unsigned s = 0; s < w->fb->samples; s++) {
            if (quad->mask >> mali_frag_sample_bit(s) & 0x01010101u)
                passed |= test_depth(w, quad, s, is_updated);
        }
    } else {
        for (unsigned p = 0; p < 4; p++) {
            const uint32_t samples = mali_frag_pixel_samples(quad->mask, p);
            if (samples)
                passed |= mali_frag_quad_mask(mali_frag_zs_test(w, quad, p, samples, NULL, NULL, is_updated), p);
        }
        return passed;
    }
    if (is_updated)
        w->passed += (unsigned)__builtin_popcountll(passed);
    return passed;
}
