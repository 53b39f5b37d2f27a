/* Depth and stencil of the tile buffer: tests of samples, and what they write. */
#include <math.h>
#include <string.h>

#include "mali/model/frag/frag_zs_four.h"
#include "model/lanes.h"
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

uint32_t mali_frag_z_clear(const struct frag_fb *fb)
{
    return z_code(fb, fb->z_clear);
}

void mali_frag_zs_clear(struct frag_worker *w)
{
    if (w->has_zs)
        return;
    w->has_zs = true;
    const size_t cells = mali_frag_cells(w->fb) * w->fb->samples;
    const uint32_t code = mali_frag_z_clear(w->fb);
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

/* The depth of the primitive, the draw or the shader. */
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
    const unsigned place = quad->cell + p;
    uint32_t passed = samples;
    if (draw->tests_z || draw->writes_z || draw->tests_s) {
        mali_frag_zs_clear(w);
        const uint8_t reference = s && draw->s_from_shader ? (uint8_t)*s : face->reference;
        bits_foreach (samples, sample) {
            const uint32_t code = z_code(w->fb, find_z(w, quad, p, (unsigned)sample, z));
            if (!test_sample(w, face, mali_frag_cell(w, (unsigned)sample, place), code, reference, is_updated))
                passed &= ~(1u << sample);
        }
        if (is_updated && samples && (draw->writes_z || draw->tests_s))
            w->zs_dirty[place / FRAG_BLOCK_PIXELS] |= 1ull << place % FRAG_BLOCK_PIXELS;
    }
    if (is_updated)
        w->passed += (unsigned)__builtin_popcount(passed);
    return passed;
}

/* ---- whole batches ---- */

/* Depth of one sample in all lanes of the batch: what the primitives say. */
static void find_depths(const struct frag_worker *w, unsigned sample, float z[MALI_ROW_LANES])
{
    const struct frag_draw *draw = w->draw;
    for (unsigned q = 0; q < w->quad_count; q++) {
        const struct frag_quad *quad = &w->quads[q];
        const struct raster_prim *prim = quad->prim;
        for (unsigned p = 0; p < 4; p++) {
            const float x = (float)(quad->x + (p & 1)) + draw->place_x[sample] - prim->origin_x;
            const float y = (float)(quad->y + p / 2) + draw->place_y[sample] - prim->origin_y;
            z[4 * q + p] = prim->z.at + prim->z.dx * x + prim->z.dy * y;
        }
    }
}

/* Codes of `count` lanes; z is clamped here. */
static void encode_depths(const struct frag_worker *w, const float *z, uint32_t *codes, unsigned count)
{
    const float low = w->draw->clamp_min, high = w->draw->clamp_max;
    float clamped[MALI_ROW_LANES];
    for (unsigned i = 0; i < count; i++) {
        const float above = z[i] > low ? z[i] : low;
        clamped[i] = above < high ? above : high;
    }
    switch (w->fb->z_internal) {
    case MALI_Z_INTERNAL_FORMAT_D16:
        for (unsigned i = 0; i < count; i++) {
            const float unit = clamped[i] > 0 ? clamped[i] < 1 ? clamped[i] : 1 : 0;
            codes[i] = (uint32_t)(int32_t)(unit * 65535.0f + 0.5f);
        }
        break;
    case MALI_Z_INTERNAL_FORMAT_D24:
        for (unsigned i = 0; i < count; i++) {
            const float unit = clamped[i] > 0 ? clamped[i] < 1 ? clamped[i] : 1 : 0;
            const float product = unit * 16777215.0f;
            codes[i] = (uint32_t)(int32_t)(product + (product < 8388608.0f ? 0.5f : 0.0f));
        }
        break;
    default:
        memcpy(codes, clamped, count * sizeof(*codes));
        break;
    }
}

/* Lanes become all ones where the comparison holds, else zero. */
static void compare_depths(const struct frag_worker *w, const uint32_t *codes, const uint32_t *stored, uint32_t *holds,
                           unsigned count)
{
    const unsigned compare = w->draw->tests_z ? w->draw->z_compare : PIXEL_ALWAYS;
    const uint32_t less = compare & PIXEL_LESS ? UINT32_MAX : 0, equal = compare & PIXEL_EQUAL ? UINT32_MAX : 0,
                   greater = compare & PIXEL_GREATER ? UINT32_MAX : 0;
    if (compare == PIXEL_ALWAYS) {
        memset(holds, 0xff, count * sizeof(*holds));
        return;
    }
    if (w->fb->z_internal != MALI_Z_INTERNAL_FORMAT_D32) {
        for (unsigned i = 0; i < count; i++)
            holds[i] = codes[i] < stored[i] ? less : codes[i] == stored[i] ? equal : greater;
        return;
    }
    for (unsigned i = 0; i < count; i++) { /* a NaN has no relation to anything */
        const float value = bits_float(codes[i]), reference = bits_float(stored[i]);
        holds[i] =
            (value < reference ? less : 0) | (value == reference ? equal : 0) | (value > reference ? greater : 0);
    }
}

/* The pixels of a quad in which one sample is set, one bit each. */
static unsigned pixels_of(uint32_t mask)
{
    return (mask & 1) | (mask >> 7 & 2) | (mask >> 14 & 4) | (mask >> 21 & 8);
}

/* ---- stencil by rows ---- */

/* An operation on all of a row; lanes that do not have it are not looked at. */
static void apply_row(unsigned op, const uint8_t *old, uint8_t reference, uint8_t *out, unsigned count)
{
    switch (op) {
    case PIXEL_STENCIL_KEEP:
        memcpy(out, old, count);
        break;
    case PIXEL_STENCIL_ZERO:
    case PIXEL_STENCIL_REFERENCE:
        memset(out, op == PIXEL_STENCIL_ZERO ? 0 : reference, count);
        break;
    case PIXEL_STENCIL_ADD_WRAP:
        for (unsigned i = 0; i < count; i++)
            out[i] = (uint8_t)(old[i] + 1);
        break;
    case PIXEL_STENCIL_SUB_WRAP:
        for (unsigned i = 0; i < count; i++)
            out[i] = (uint8_t)(old[i] - 1);
        break;
    default:
        for (unsigned i = 0; i < count; i++)
            out[i] = pixel_stencil_apply(op, old[i], reference, 1);
        break;
    }
}

/* Lanes of one face, all ones in `lanes`: `holds` says where depth has passed, and then where both have; `made` is what
 * their stencil becomes. */
static void test_stencils(const struct frag_face *face, const uint8_t *old, const uint32_t *lanes, uint32_t *holds,
                          uint8_t *made, unsigned count)
{
    uint8_t fail[MALI_ROW_LANES], depth_fail[MALI_ROW_LANES], pass[MALI_ROW_LANES];
    const uint8_t less = face->compare & PIXEL_LESS ? 0xff : 0, equal = face->compare & PIXEL_EQUAL ? 0xff : 0,
                  greater = face->compare & PIXEL_GREATER ? 0xff : 0, reference = face->reference & face->mask;
    apply_row(face->fail, old, face->reference, fail, count);
    apply_row(face->depth_fail, old, face->reference, depth_fail, count);
    apply_row(face->pass, old, face->reference, pass, count);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t value = old[i] & face->mask, lane = (uint8_t)lanes[i], passed = (uint8_t)holds[i];
        const uint8_t is_right = reference < value ? less : reference == value ? equal : greater;
        const uint8_t right = (uint8_t)((pass[i] & passed) | (depth_fail[i] & ~passed)),
                      next = (uint8_t)((right & is_right) | (fail[i] & ~is_right)), mask = lane & face->write_mask;
        made[i] = (uint8_t)((next & mask) | (made[i] & ~mask));
        holds[i] &= ~lanes[i] | (uint32_t)(int32_t)(int8_t)is_right;
    }
}

/* The stencil of a sample in all quads, which of `covered` lanes changes if it is updated. */
static void test_stencil_of_all(struct frag_worker *w, unsigned sample, const uint32_t *covered, uint32_t *holds,
                                bool is_updated)
{
    const unsigned count = 4 * w->quad_count;
    uint8_t *cells = w->s + mali_frag_cell(w, sample, 0), old[MALI_ROW_LANES], made[MALI_ROW_LANES];
    for (unsigned q = 0; q < w->quad_count; q++)
        memcpy(old + 4 * q, cells + w->quads[q].cell, 4);
    memcpy(made, old, count);
    for (unsigned back = 0; back < 2; back++) {
        uint32_t lanes[MALI_ROW_LANES], any = 0;
        for (unsigned q = 0; q < w->quad_count; q++) {
            const uint32_t is_own = w->quads[q].prim->is_back == back ? UINT32_MAX : 0;
            for (unsigned p = 0; p < 4; p++)
                any |= lanes[4 * q + p] = covered[4 * q + p] & is_own;
        }
        if (any)
            test_stencils(&w->draw->faces[back], old, lanes, holds, made, count);
    }
    /* Another quad of the batch may have other pixels of the same four: what it has written stays. */
    for (unsigned i = 0; i < count && is_updated; i++) {
        uint8_t *cell = cells + mali_frag_lane_place(w, i);
        *cell = covered[i] ? made[i] : *cell;
    }
}

/* One sample of all quads, with stencil. What passes goes to `passed`, by quad. */
static void test_sample_of_all(struct frag_worker *w, unsigned sample, bool is_updated, uint64_t *passed)
{
    const struct frag_draw *draw = w->draw;
    const unsigned bit = mali_frag_sample_bit(sample), count = 4 * w->quad_count;
    const bool has_z = draw->tests_z || draw->writes_z;
    uint32_t *cells = w->z + mali_frag_cell(w, sample, 0);
    uint32_t codes[MALI_ROW_LANES], stored[MALI_ROW_LANES], holds[MALI_ROW_LANES], covered[MALI_ROW_LANES];
    if (has_z) {
        float z[MALI_ROW_LANES] = {0};
        find_depths(w, sample, z);
        encode_depths(w, z, codes, count);
        for (unsigned q = 0; q < w->quad_count; q++)
            memcpy(&stored[4 * q], &cells[w->quads[q].cell], 4 * sizeof(*stored));
        compare_depths(w, codes, stored, holds, count);
    } else {
        memset(holds, 0xff, count * sizeof(*holds));
    }
    for (unsigned q = 0; q < w->quad_count; q++) {
        const uint32_t mask = (uint32_t)(w->quads[q].mask >> bit);
        for (unsigned p = 0; p < 4; p++)
            holds[4 * q + p] &= covered[4 * q + p] = -(mask >> 8 * p & 1);
    }
    test_stencil_of_all(w, sample, covered, holds, is_updated);
    for (unsigned q = 0; q < w->quad_count; q++) {
        const uint32_t mask = (uint32_t)(w->quads[q].mask >> bit) & 0x01010101u;
        const unsigned cell = w->quads[q].cell;
        const uint32_t *h = &holds[4 * q];
        passed[q] |= (uint64_t)((h[0] & 1) | (h[1] & 0x100) | (h[2] & 0x10000) | (h[3] & 0x1000000)) << bit;
        if (!is_updated)
            continue;
        w->zs_dirty[cell / FRAG_BLOCK_PIXELS] |= (uint64_t)pixels_of(mask) << cell % FRAG_BLOCK_PIXELS;
        /* Another quad of the batch may have other pixels of the same four: what it has written stays. */
        for (unsigned p = 0; p < 4 && draw->writes_z; p++)
            cells[cell + p] = h[p] ? codes[4 * q + p] : cells[cell + p];
    }
}

/* ---- depth alone ---- */

/* All samples of a quad: those that pass. */
static inline __attribute__((always_inline)) uint64_t look_at_quad(struct frag_worker *w, const struct frag_quad *quad,
                                                                   const struct z_look *look, unsigned format)
{
    const struct frag_draw *draw = w->draw;
    const int4 none = {0}, pixels = {1, 0x100, 0x10000, 0x1000000};
    const float at[2] = {quad->x, quad->y};
    uint64_t passed = 0;
    for (unsigned s = 0; s < w->fb->samples; s++) {
        const unsigned bit = mali_frag_sample_bit(s);
        const float place[2] = {draw->place_x[s], draw->place_y[s]};
        const int4 own = ((none + (int32_t)(quad->mask >> bit)) & pixels) != 0;
        if (!(quad->mask >> bit & 0x01010101u))
            continue;
        const int4 holds =
            look_at_four(look, format, quad->prim, at, place, own, w->z + mali_frag_cell(w, s, quad->cell));
        passed |= (uint64_t)any_bits(holds & pixels) << bit;
    }
    return passed;
}

static inline __attribute__((always_inline)) void look_at_quads(struct frag_worker *w, struct z_look look,
                                                                unsigned format, uint64_t *passed)
{
    for (unsigned q = 0; q < w->quad_count; q++) {
        const struct frag_quad *quad = &w->quads[q];
        passed[q] = look_at_quad(w, quad, &look, format);
        if (look.writes)
            w->zs_dirty[quad->cell / FRAG_BLOCK_PIXELS] |= mali_frag_quad_pixels(quad);
    }
}

static void test_depths(struct frag_worker *w, bool is_updated, uint64_t *passed)
{
    const struct frag_draw *draw = w->draw;
    const struct z_look look =
        z_look_of(draw, draw->tests_z ? draw->z_compare : PIXEL_ALWAYS, is_updated && draw->writes_z);
    switch (w->fb->z_internal) {
    case MALI_Z_INTERNAL_FORMAT_D16:
        look_at_quads(w, look, MALI_Z_INTERNAL_FORMAT_D16, passed);
        break;
    case MALI_Z_INTERNAL_FORMAT_D24:
        look_at_quads(w, look, MALI_Z_INTERNAL_FORMAT_D24, passed);
        break;
    default:
        look_at_quads(w, look, MALI_Z_INTERNAL_FORMAT_D32, passed);
        break;
    }
}

void mali_frag_zs_test_depths(struct frag_worker *w, const float *z, uint32_t *passed)
{
    const struct frag_draw *draw = w->draw;
    const unsigned count = 4 * w->quad_count;
    uint32_t codes[MALI_ROW_LANES], stored[MALI_ROW_LANES], holds[MALI_ROW_LANES], samples = 0;
    if (!count)
        return;
    mali_frag_zs_clear(w);
    encode_depths(w, z, codes, count);
    for (unsigned q = 0; q < w->quad_count; q++)
        memcpy(&stored[4 * q], &w->z[w->quads[q].cell], 4 * sizeof(*stored));
    compare_depths(w, codes, stored, holds, count);
    for (unsigned lane = 0; lane < count; lane++) {
        passed[lane] = w->samples[lane] & 1 & holds[lane];
        samples += passed[lane];
    }
    for (unsigned q = 0; q < w->quad_count && draw->writes_z; q++) {
        const unsigned cell = w->quads[q].cell; /* a quad before it may have the same one, of other pixels */
        uint64_t touched = 0;
        for (unsigned p = 0, lane = 4 * q; p < 4; p++, lane++) {
            const uint32_t is_new = 0 - passed[lane];
            w->z[cell + p] = (codes[lane] & is_new) | (w->z[cell + p] & ~is_new);
            touched |= (uint64_t)(w->samples[lane] != 0) << p;
        }
        w->zs_dirty[cell / FRAG_BLOCK_PIXELS] |= touched << cell % FRAG_BLOCK_PIXELS;
    }
    w->passed += samples;
}

static uint64_t test_pixels(struct frag_worker *w, const struct frag_quad *quad, bool is_updated)
{
    uint64_t passed = 0;
    for (unsigned p = 0; p < 4; p++) {
        const uint32_t samples = mali_frag_pixel_samples(quad->mask, p);
        if (samples)
            passed |= mali_frag_quad_mask(mali_frag_zs_test(w, quad, p, samples, NULL, NULL, is_updated), p);
    }
    return passed;
}

void mali_frag_zs_test_batch(struct frag_worker *w, bool is_updated, uint64_t passed[FRAG_WARP_QUADS])
{
    const struct frag_draw *draw = w->draw;
    if ((draw->tests_z || draw->writes_z) && draw->z_source != MALI_DEPTH_SOURCE_FIXED_FUNCTION) {
        for (unsigned q = 0; q < w->quad_count; q++)
            passed[q] = test_pixels(w, &w->quads[q], is_updated);
        return;
    }
    if (!draw->tests_z && !draw->writes_z && !draw->tests_s) {
        for (unsigned q = 0; q < w->quad_count; q++)
            passed[q] = w->quads[q].mask;
    } else {
        memset(passed, 0, FRAG_WARP_QUADS * sizeof(*passed));
        mali_frag_zs_clear(w);
        for (unsigned s = 0; draw->tests_s && s < w->fb->samples; s++)
            test_sample_of_all(w, s, is_updated, passed);
        if (!draw->tests_s)
            test_depths(w, is_updated, passed);
    }
    for (unsigned q = 0; q < w->quad_count && is_updated && draw->occlusion != MALI_OCCLUSION_MODE_DISABLED; q++)
        w->passed += (unsigned)__builtin_popcountll(passed[q]);
}
