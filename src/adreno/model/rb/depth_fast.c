/* The depth test of a sample of four pixels at a time: no stencil, no bounds, nothing from the shader. Not for the rest
 * (depth.c), which gives the same results. */
#include <string.h>

#include "adreno/model/rb/rb.h"
#include "util/bits.h"

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));

static inline float4 splat(float value)
{
    return (float4){value, value, value, value};
}

static inline float4 choose(int4 mask, float4 yes, float4 no)
{
    return (float4)(((int4)yes & mask) | ((int4)no & ~mask));
}

static inline float4 load_places(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

/* What the quads of a primitive have in common. */
struct test {
    enum adreno_rb_depth_format format;
    bool is_clamped, is_written;
    float4 low, high;
    int4 less, equal, more, always; /* all ones where such a relation passes */
};

static struct test make_test(const struct adreno_rb_depth *state, const struct raster_prim *prim)
{
    const int32_t less = -(int32_t)(state->compare & 1), equal = -(int32_t)(state->compare >> 1 & 1),
                  more = -(int32_t)(state->compare >> 2 & 1), always = state->compare == PIXEL_ALWAYS ? -1 : 0;
    return (struct test){
        .format = state->format,
        .is_clamped = state->is_clamped,
        .is_written = state->writes_z,
        .low = splat(prim->z_min),
        .high = splat(prim->z_max),
        .less = {less, less, less, less},
        .equal = {equal, equal, equal, equal},
        .more = {more, more, more, more},
        .always = {always, always, always, always},
    };
}

#define DECIDE(t, a, b)                                                                                                \
    ((((a) < (b)) & (t)->less) | (((a) == (b)) & (t)->equal) | (((a) > (b)) & (t)->more) | (t)->always)

/* As numbers of the surface's format; NaN becomes 0. */
static inline int4 to_codes(enum adreno_rb_depth_format format, float4 z)
{
    const float4 zero = splat(0), one = splat(1), above = choose(z > zero, z, zero),
                 unit = choose(above < one, above, one);
    if (format == ADRENO_RB_Z16)
        return __builtin_convertvector(unit * 65535.0f + 0.5f, int4);
    const float4 product = unit * 16777215.0f; /* from 2^23 on it is whole already */
    return __builtin_convertvector(choose(product < splat(8388608.0f), product + 0.5f, product), int4);
}

/* The stored words of a sample, of pixels that are covered; others are not looked at. */
static inline int4 load_words(const struct adreno_rb_surface *surface, uint8_t *const host[4], uint32_t offset_B,
                              uint32_t pixels)
{
    int4 words = {0};
    if (surface->is_tiled && surface->element_B == 4) {
        memcpy(&words, host[0], sizeof(words));
        return words;
    }
    for (unsigned p = 0; p < 4; p++) {
        uint32_t word = 0;
        if (pixels >> 8 * p & 1)
            memcpy(&word, host[p] + offset_B, surface->sample_B == 2 ? 2 : 4);
        words[p] = (int32_t)word;
    }
    return words;
}

static inline void store_words(const struct adreno_rb_surface *surface, uint8_t *const host[4], uint32_t offset_B,
                               int4 words, int4 pass)
{
    if (surface->is_tiled && surface->element_B == 4) {
        memcpy(host[0], &words, sizeof(words));
        return;
    }
    for (unsigned p = 0; p < 4; p++) {
        const uint32_t word = (uint32_t)words[p];
        if (pass[p])
            memcpy(host[p] + offset_B, &word, surface->sample_B == 2 ? 2 : 4);
    }
}

/* Lanes of all ones where a covered pixel's sample passes. */
static inline int4 test_sample(const struct test *t, const struct adreno_rb_surface *surface, uint8_t *const host[4],
                               uint32_t offset_B, uint32_t pixels, float4 z)
{
    const int4 bits = {1, 1 << 8, 1 << 16, 1 << 24},
               mask = {(int32_t)pixels, (int32_t)pixels, (int32_t)pixels, (int32_t)pixels};
    const int4 covered = (mask & bits) != 0, words = load_words(surface, host, offset_B, pixels);
    int4 pass, result;
    if (t->is_clamped) {
        z = choose(z > t->low, z, t->low);
        z = choose(z < t->high, z, t->high);
    }
    if (t->format == ADRENO_RB_Z32) {
        const float4 stored = (float4)words;
        pass = DECIDE(t, z, stored) & covered;
        result = ((int4)z & pass) | (words & ~pass);
    } else {
        const int32_t depth_bits = t->format == ADRENO_RB_Z16 ? 0xffff : 0xffffff;
        const int4 all = {depth_bits, depth_bits, depth_bits, depth_bits}, code = to_codes(t->format, z),
                   stored = words & all;
        pass = DECIDE(t, code, stored) & covered;
        result = (((words & ~all) | code) & pass) | (words & ~pass);
    }
    if (t->is_written)
        store_words(surface, host, offset_B, result, pass);
    return pass;
}

static uint32_t test_quad(struct adreno_rb *rb, const struct test *t, const struct raster_quad *quad)
{
    struct adreno_rb_access *access = &rb->access[ADRENO_RB_ACCESS_Z];
    const struct adreno_rb_surface *surface = access->surface;
    const struct raster_prim *prim = quad->prim;
    uint8_t *host[4];
    uint32_t left = 0;
    if (!adreno_rb_find_quad(access, quad, quad->mask, host))
        return 0;
    for (unsigned s = 0; s < 1u << surface->samples_log2; s++) {
        const uint32_t pixels = quad->mask >> s & 0x01010101u;
        if (!pixels)
            continue;
        const float4 x = splat((float)quad->x) + load_places(rb->place_x[s]) - splat(prim->origin_x),
                     y = splat((float)quad->y) + load_places(rb->place_y[s]) - splat(prim->origin_y);
        const float4 z = splat(prim->z.at) + splat(prim->z.dx) * x + splat(prim->z.dy) * y;
        const int4 pass = test_sample(t, surface, host, s * surface->sample_B, pixels, z);
        left |= ((uint32_t)pass[0] & 1u) << s | ((uint32_t)pass[1] & 1u) << (8 + s) |
                ((uint32_t)pass[2] & 1u) << (16 + s) | ((uint32_t)pass[3] & 1u) << (24 + s);
    }
    return left;
}

void adreno_rb_test_depth(struct adreno_rb *rb, struct raster_quad *quads, uint32_t count)
{
    const struct raster_prim *prim = NULL;
    struct test test = {0};
    for (uint32_t q = 0; q < count; q++) {
        if (!quads[q].mask)
            continue;
        if (quads[q].prim != prim) {
            prim = quads[q].prim;
            test = make_test(&rb->draw->depth, prim);
        }
        quads[q].mask = test_quad(rb, &test, &quads[q]);
        rb->passed += (unsigned)__builtin_popcount(quads[q].mask);
    }
}
