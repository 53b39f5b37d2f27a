/* Depth bounds, stencil and depth tests of quads, and what they write. */
#include <math.h>
#include <string.h>

#include "adreno/model/rb/rb.h"
#include "util/bits.h"

/* A depth in the surface's format: its code, and what that reads as. */
struct depth {
    uint32_t code;
    float value;
};

static struct depth make_depth(enum adreno_rb_depth_format format, float z)
{
    const float unit = z > 0 ? z < 1 ? z : 1 : 0; /* NaN becomes 0 */
    struct depth depth = {.value = z};
    switch (format) {
    case ADRENO_RB_Z16:
        depth.code = (uint32_t)(unit * 65535.0f + 0.5f);
        break;
    case ADRENO_RB_Z24S8: {
        const float product = unit * 16777215.0f; /* from 2^23 on it is whole already */
        depth.code = (uint32_t)(product < 8388608.0f ? product + 0.5f : product);
        break;
    }
    case ADRENO_RB_Z32:
        depth.code = float_bits(z);
        break;
    }
    return depth;
}

static struct depth load_depth(enum adreno_rb_depth_format format, const uint8_t *host)
{
    struct depth depth = {0};
    uint16_t code;
    switch (format) {
    case ADRENO_RB_Z16:
        memcpy(&code, host, sizeof(code));
        depth.code = code;
        depth.value = (float)code / 65535.0f;
        break;
    case ADRENO_RB_Z24S8:
        memcpy(&depth.code, host, sizeof(depth.code));
        depth.code &= 0xffffff;
        depth.value = (float)depth.code / 16777215.0f;
        break;
    case ADRENO_RB_Z32:
        memcpy(&depth.code, host, sizeof(depth.code));
        depth.value = bits_float(depth.code);
        break;
    }
    return depth;
}

static void store_depth(enum adreno_rb_depth_format format, uint8_t *host, struct depth depth)
{
    const uint16_t code = (uint16_t)depth.code;
    switch (format) {
    case ADRENO_RB_Z16:
        memcpy(host, &code, sizeof(code));
        break;
    case ADRENO_RB_Z24S8:
        memcpy(host, &depth.code, 3);
        break;
    case ADRENO_RB_Z32:
        memcpy(host, &depth.code, sizeof(depth.code));
        break;
    }
}

static bool compare_depth(const struct adreno_rb_depth *state, struct depth incoming, struct depth stored)
{
    return state->format == ADRENO_RB_Z32 ? pixel_compare_float(state->compare, incoming.value, stored.value)
                                          : pixel_compare_uint(state->compare, incoming.code, stored.code);
}

/* One sample; z_host and s_host may be NULL where they are not needed. */
static bool test_sample(const struct adreno_rb_depth *state, const struct adreno_rb_stencil_face *face,
                        uint8_t reference, float z, uint8_t *z_host, uint8_t *s_host)
{
    struct depth incoming = {0}, stored = {0};
    if (z_host) {
        incoming = make_depth(state->format, z);
        stored = load_depth(state->format, z_host);
        if (state->tests_bounds && !(stored.value >= state->bounds_min && stored.value <= state->bounds_max))
            return false;
    }
    bool pass = !state->tests_z || compare_depth(state, incoming, stored);
    if (s_host) {
        const uint8_t old = *s_host;
        const bool stencil = pixel_compare_uint(face->compare, reference & face->mask, old & face->mask);
        const unsigned op = !stencil ? face->fail : pass ? face->pass : face->depth_fail;
        const uint8_t value = pixel_stencil_apply(op, old, reference, 1);
        *s_host = (uint8_t)((old & ~face->write_mask) | (value & face->write_mask));
        pass &= stencil;
    }
    if (pass && state->writes_z)
        store_depth(state->format, z_host, incoming);
    return pass;
}

/* A pixel's elements of depth and stencil. False: a fault. */
static bool find_pixel(struct adreno_rb *rb, int32_t x, int32_t y, uint32_t layer, uint8_t **z_out, uint8_t **s_out)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    *z_out = *s_out = NULL;
    if (state->tests_z || state->tests_bounds) {
        *z_out = adreno_rb_element(&rb->access[ADRENO_RB_ACCESS_Z], x, y, layer);
        if (!*z_out)
            return false;
    }
    if (state->tests_stencil) {
        *s_out = adreno_rb_element(&rb->access[ADRENO_RB_ACCESS_STENCIL], x, y, layer);
        if (!*s_out)
            return false;
        *s_out += state->is_separate ? 0 : 3;
    }
    return true;
}

static float find_z(const struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, const struct raster_quad *quad,
                    unsigned lane, unsigned sample)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const struct raster_prim *prim = quad->prim;
    const unsigned pixel = lane & 3;
    if (shaded && shaded->z)
        return fminf(fmaxf(shaded->z[lane], state->z_min), state->z_max);
    const float x = (float)(quad->x + (pixel & 1)) + rb->coverage->x[pixel][sample] / (float)RASTER_LOCATION_ONE;
    const float y = (float)(quad->y + pixel / 2) + rb->coverage->y[pixel][sample] / (float)RASTER_LOCATION_ONE;
    const float z = prim->z.at + prim->z.dx * (x - prim->origin_x) + prim->z.dy * (y - prim->origin_y);
    return state->is_clamped ? fminf(fmaxf(z, prim->z_min), prim->z_max) : fminf(fmaxf(z, state->z_min), state->z_max);
}

static void test_quad(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, struct raster_quad *quad,
                      uint32_t number)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const struct adreno_rb_stencil_face *face = &state->faces[quad->prim->is_back];
    const uint32_t z_B = state->z.sample_B, s_B = state->stencil.sample_B;
    for (unsigned p = 0; p < 4; p++) {
        uint32_t samples = quad->mask >> 8 * p & 0xff;
        const unsigned lane = number * 4 + p;
        uint8_t *z_host, *s_host;
        if (!samples)
            continue;
        if (!find_pixel(rb, quad->x + (int32_t)(p & 1), quad->y + (int32_t)(p >> 1), quad->prim->layer, &z_host,
                        &s_host)) {
            quad->mask = 0;
            return;
        }
        const uint8_t reference = shaded && shaded->stencil ? (uint8_t)shaded->stencil[lane] : face->reference;
        bits_foreach (samples, s) {
            if (state->z.written || state->stencil.written) {
                if (!adreno_rb_gmem_test(rb, face, z_host ? z_host + (uint32_t)s * z_B : NULL,
                                         s_host ? s_host + (uint32_t)s * s_B : NULL)) {
                    quad->mask = 0;
                    return;
                }
            }
            if (!test_sample(state, face, reference, find_z(rb, shaded, quad, lane, (unsigned)s),
                             z_host ? z_host + (uint32_t)s * z_B : NULL, s_host ? s_host + (uint32_t)s * s_B : NULL))
                quad->mask &= ~(1u << (8 * p + (unsigned)s));
        }
    }
}

void adreno_rb_test(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, struct raster_quad *quads,
                    uint32_t count)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    if (state->has_test && !state->tests_bounds && !(shaded && (shaded->z || shaded->stencil)) && !state->z.written &&
        !state->stencil.written) {
        adreno_rb_test_depth(rb, quads, count);
        return;
    }
    uint64_t passed = 0;
    for (uint32_t q = 0; q < count; q++) {
        if (state->has_test && quads[q].mask)
            test_quad(rb, shaded, &quads[q], q);
        passed += (unsigned)__builtin_popcount(quads[q].mask);
    }
    rb->passed += passed;
}
