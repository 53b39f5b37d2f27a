/* Depth and stencil tests of a sample of four pixels at a time: no bounds, nothing from the shader. Not for the rest
 * (depth.c), which gives the same results. */
#include <string.h>

#include "adreno/model/rb/depth_four.h"
#include "util/bits.h"

static inline float4 load_places(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

/* Whether the words of all four pixels are loaded and stored together, though not all of them are covered. */
static inline bool is_together(const struct adreno_rb_surface *surface, uint8_t *const host[4])
{
    return surface->sample_B == 4 && !surface->samples_log2 && (surface->is_tiled || adreno_rb_is_pairs(host, 4));
}

/* The comparison of numbers of 16 bits. */
static inline bool is_together_short(const struct adreno_rb_surface *surface, uint8_t *const host[4])
{
    return surface->sample_B == 2 && !surface->samples_log2 && adreno_rb_is_pairs(host, 2);
}

typedef uint16_t short4 __attribute__((vector_size(8)));
typedef uint64_t long2 __attribute__((vector_size(16)));

/* Two pixels above and two below, put together in registers: a vector that is read where its halves were just stored
 * waits for them. */
static inline uint64_t load_pair(const uint8_t *host)
{
    uint64_t pair;
    memcpy(&pair, host, sizeof(pair));
    return pair;
}

static inline uint32_t load_short_pair(const uint8_t *host)
{
    uint32_t pair;
    memcpy(&pair, host, sizeof(pair));
    return pair;
}

/* The stored words of a sample, of pixels that are covered; others are not looked at. */
static inline int4 load_words(const struct adreno_rb_surface *surface, uint8_t *const host[4], uint32_t offset_B,
                              uint32_t pixels)
{
    int4 words = {0};
    if (is_together(surface, host))
        return (int4)(long2){load_pair(host[0]), load_pair(host[2])};
    if (is_together_short(surface, host)) {
        const uint64_t both = load_short_pair(host[0]) | (uint64_t)load_short_pair(host[2]) << 32;
        return __builtin_convertvector((short4)both, int4);
    }
    for (unsigned p = 0; p < 4; p++) {
        uint32_t word = 0;
        uint16_t half;
        if (!(pixels >> 8 * p & 1))
            continue;
        if (surface->sample_B == 2) {
            memcpy(&half, host[p] + offset_B, sizeof(half));
            word = half;
        } else {
            memcpy(&word, host[p] + offset_B, sizeof(word));
        }
        words[p] = (int32_t)word;
    }
    return words;
}

static inline void store_words(const struct adreno_rb_surface *surface, uint8_t *const host[4], uint32_t offset_B,
                               int4 words, int4 pass)
{
    if (is_together(surface, host)) {
        const long2 pairs = (long2)words;
        const uint64_t upper = pairs[0], lower = pairs[1];
        memcpy(host[0], &upper, sizeof(upper));
        memcpy(host[2], &lower, sizeof(lower));
        return;
    }
    if (is_together_short(surface, host)) {
        const uint64_t both = (uint64_t)__builtin_convertvector(words, short4);
        const uint32_t upper = (uint32_t)both, lower = (uint32_t)(both >> 32);
        memcpy(host[0], &upper, sizeof(upper));
        memcpy(host[2], &lower, sizeof(lower));
        return;
    }
    for (unsigned p = 0; p < 4; p++) {
        const uint32_t word = (uint32_t)words[p];
        const uint16_t half = (uint16_t)word;
        if (!pass[p])
            continue;
        if (surface->sample_B == 2)
            memcpy(host[p] + offset_B, &half, sizeof(half));
        else
            memcpy(host[p] + offset_B, &word, sizeof(word));
    }
}

/* A sample of the four pixels at a time. */
static uint32_t test_by_pixels(const struct adreno_rb *rb, const struct test *t, const struct raster_quad *quad,
                               uint8_t *const host[4])
{
    const struct adreno_rb_surface *surface = &rb->draw->depth.z;
    const struct raster_prim *prim = quad->prim;
    const int4 pixel_bits = {1, 1 << 8, 1 << 16, 1 << 24};
    int4 left = {0};
    for (unsigned s = 0; s < 1u << surface->samples_log2; s++) {
        const uint32_t pixels = quad->mask >> s & 0x01010101u;
        if (!pixels)
            continue;
        const int4 covered = (splat_int(pixels) & pixel_bits) != 0;
        const float4 x = splat((float)quad->x) + load_places(rb->place_x[s]) - splat(prim->origin_x),
                     y = splat((float)quad->y) + load_places(rb->place_y[s]) - splat(prim->origin_y);
        const float4 z = splat(prim->z.at) + splat(prim->z.dx) * x + splat(prim->z.dy) * y;
        int4 words = load_words(surface, host, s * surface->sample_B, pixels);
        const int4 pass = test_four(t, covered, z, &words);
        if (t->is_written)
            store_words(surface, host, s * surface->sample_B, words, pass);
        left |= (pass & pixel_bits) << (int32_t)s;
    }
    return any_lane(left);
}

/* ---- four samples a pixel, which stand side by side ---- */

/* A pixel at a time. Those that are not covered at all may have no memory, unless the quad is together. */
static inline uint32_t test_by_samples(const struct adreno_rb *rb, const struct test *t, enum relation relation,
                                       const struct raster_quad *quad, uint8_t *const host[4])
{
    const struct raster_prim *prim = quad->prim;
    const int4 sample_bits = {1, 2, 4, 8};
    const bool is_together = adreno_rb_is_pairs(host, 4 * sizeof(float));
    int4 left = {0};
    for (unsigned p = 0; p < 4; p++) {
        const uint32_t samples = quad->mask >> 8 * p & 15;
        if (!is_together && !samples)
            continue;
        const int4 covered = (splat_int(samples) & sample_bits) != 0;
        const float4 x = splat((float)quad->x) + load_places(rb->pixel_x[p]) - splat(prim->origin_x),
                     y = splat((float)quad->y) + load_places(rb->pixel_y[p]) - splat(prim->origin_y);
        const float4 z = splat(prim->z.at) + splat(prim->z.dx) * x + splat(prim->z.dy) * y;
        int4 words;
        memcpy(&words, host[p], sizeof(words));
        const int4 pass = test_related(t, relation, covered, z, &words);
        if (t->is_written)
            memcpy(host[p], &words, sizeof(words));
        left |= (pass & sample_bits) << (int32_t)(8 * p);
    }
    return any_lane(left);
}

/* Quads of one primitive. */
static inline void run_samples(struct adreno_rb *rb, const struct test *t, enum relation relation,
                               struct raster_quad *quads, uint32_t count)
{
    for (uint32_t q = 0; q < count; q++) {
        uint8_t *host[4];
        if (!quads[q].mask)
            continue;
        quads[q].mask = adreno_rb_find_quad(&rb->access[ADRENO_RB_ACCESS_Z], &quads[q], quads[q].mask, host)
                            ? test_by_samples(rb, t, relation, &quads[q], host)
                            : 0;
    }
}

static void run_four_samples(struct adreno_rb *rb, const struct test *t, struct raster_quad *quads, uint32_t count)
{
    switch (relation_of(&rb->draw->depth)) {
    case FLOAT_LESS:
        run_samples(rb, t, FLOAT_LESS, quads, count);
        break;
    case FLOAT_LESS_OR_EQUAL:
        run_samples(rb, t, FLOAT_LESS_OR_EQUAL, quads, count);
        break;
    default:
        run_samples(rb, t, ANY_RELATION, quads, count);
        break;
    }
}

static uint32_t test_quad(struct adreno_rb *rb, const struct test *t, const struct raster_quad *quad)
{
    uint8_t *host[4];
    if (!adreno_rb_find_quad(&rb->access[ADRENO_RB_ACCESS_Z], quad, quad->mask, host))
        return 0;
    return test_by_pixels(rb, t, quad, host);
}

/* ---- stencil ---- */

/* Depths of a sample of all four pixels. */
static inline float4 depths_of(const struct adreno_rb *rb, const struct raster_quad *quad, unsigned s)
{
    const struct raster_prim *prim = quad->prim;
    const float4 x = splat((float)quad->x) + load_places(rb->place_x[s]) - splat(prim->origin_x),
                 y = splat((float)quad->y) + load_places(rb->place_y[s]) - splat(prim->origin_y);
    return splat(prim->z.at) + splat(prim->z.dx) * x + splat(prim->z.dy) * y;
}

static struct adreno_rb_stencil_step step_of(enum pixel_stencil op, uint8_t reference)
{
    const bool is_up = op == PIXEL_STENCIL_ADD_CLAMP || op == PIXEL_STENCIL_ADD_WRAP,
               is_down = op == PIXEL_STENCIL_SUB_CLAMP || op == PIXEL_STENCIL_SUB_WRAP;
    return (struct adreno_rb_stencil_step){
        .keep = op == PIXEL_STENCIL_ZERO || op == PIXEL_STENCIL_REFERENCE ? 0 : 255,
        .flip = op == PIXEL_STENCIL_REFERENCE ? reference : op == PIXEL_STENCIL_INVERT ? 255 : 0,
        .add = is_up ? 1 : is_down ? -1 : 0,
        .least = op == PIXEL_STENCIL_SUB_CLAMP ? 0 : -1,
        .most = op == PIXEL_STENCIL_ADD_CLAMP ? 255 : 256,
    };
}

const struct adreno_rb_stencil_table *adreno_rb_stencil_table(struct adreno_rb *rb, bool is_back)
{
    const struct adreno_rb_stencil_face *face = &rb->draw->depth.faces[is_back];
    struct adreno_rb_stencil_table *table = &rb->stencil_tables[is_back];
    const uint8_t ops[3] = {face->fail, face->depth_fail, face->pass};
    if (table->is_made && memcmp(&table->face, face, sizeof(*face)) == 0)
        return table;
    table->is_made = true;
    table->face = *face;
    for (unsigned i = 0; i < 3; i++)
        table->steps[i] = step_of(ops[i], face->reference);
    for (unsigned old = 0; old < 256; old++) {
        table->passes[old] = pixel_compare_uint(face->compare, face->reference & face->mask, old & face->mask);
        for (unsigned i = 0; i < 3; i++)
            table->next[i][old] =
                (uint8_t)((old & ~face->write_mask) |
                          (pixel_stencil_apply(ops[i], (uint8_t)old, face->reference, 1) & face->write_mask));
    }
    return table;
}

/* A sample of the four pixels: those that pass, one bit each. Depth is tested, and written, where stencil has passed;
 * then stencil is written, which may be a byte of the same word. */
static uint32_t test_stencil_four(const struct adreno_rb *rb, const struct test *t,
                                  const struct adreno_rb_stencil_table *table, const struct raster_quad *quad,
                                  unsigned s, uint8_t *const z_host[4], uint8_t *const s_host[4])
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const uint32_t pixels = quad->mask >> s & 0x01010101u,
                   at_B = s * state->stencil.sample_B + (state->is_separate ? 0 : 3);
    uint8_t old[4] = {0};
    int32_t passes[4] = {0}, both[4];
    for (unsigned p = 0; p < 4; p++) {
        if (pixels >> 8 * p & 1) {
            old[p] = s_host[p][at_B];
            passes[p] = -(int32_t)table->passes[old[p]];
        }
    }
    memcpy(both, passes, sizeof(both));
    if (state->tests_z && (passes[0] | passes[1] | passes[2] | passes[3])) {
        int4 words = load_words(&state->z, z_host, s * state->z.sample_B, pixels), equal;
        memcpy(&equal, passes, sizeof(equal));
        const int4 pass = test_four(t, equal, depths_of(rb, quad, s), &words);
        if (t->is_written)
            store_words(&state->z, z_host, s * state->z.sample_B, words, pass);
        memcpy(both, &pass, sizeof(both));
    }
    for (unsigned p = 0; p < 4; p++) {
        const uint8_t next = table->next[both[p] ? 2 : passes[p] ? 1 : 0][old[p]];
        if (pixels >> 8 * p & 1 && next != old[p])
            s_host[p][at_B] = next;
    }
    return (both[0] & 1u) | (both[1] & 1u << 8) | (both[2] & 1u << 16) | (both[3] & 1u << 24);
}

/* ---- stencil of one sample, all four pixels of which are loaded and stored together ---- */

typedef uint8_t bytes4 __attribute__((vector_size(4)));

static inline int4 load_bytes(uint8_t *const host[4])
{
    uint16_t upper, lower;
    memcpy(&upper, host[0], sizeof(upper));
    memcpy(&lower, host[2], sizeof(lower));
    return __builtin_convertvector((bytes4)(upper | (uint32_t)lower << 16), int4);
}

static inline void store_bytes(uint8_t *const host[4], int4 words)
{
    const uint32_t both = (uint32_t)__builtin_convertvector(words, bytes4);
    const uint16_t upper = (uint16_t)both, lower = (uint16_t)(both >> 16);
    memcpy(host[0], &upper, sizeof(upper));
    memcpy(host[2], &lower, sizeof(lower));
}

/* The pixels that pass, as a quad's mask. `z` may be NULL where depth is not tested and stencil has a surface of its
 * own. */
static uint32_t test_stencil_together(const struct adreno_rb *rb, const struct test *t,
                                      const struct adreno_rb_stencil_table *table, const struct raster_quad *quad,
                                      uint8_t *const z[4], uint8_t *const stencil[4])
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const int4 pixel_bits = {1, 1 << 8, 1 << 16, 1 << 24};
    const int4 covered = (splat_int(quad->mask) & pixel_bits) != 0;
    int4 words = z ? load_words(&state->z, z, 0, quad->mask) : splat_int(0);
    const int4 old = state->is_separate ? load_bytes(stencil) : (words >> 24) & 255;
    const int4 passes = stencil_passes(&table->face, old) & covered;
    int4 both = passes, tested = words;
    if (state->tests_z)
        both = test_four(t, passes, depths_of(rb, quad, 0), &tested);
    if (t->is_written)
        words = tested;
    const int4 next = stencil_next(&table->face, table->steps, old, covered, passes, both);
    if (state->is_separate)
        store_bytes(stencil, next);
    else
        words = (words & 0xffffff) | next << 24;
    if (z && (t->is_written || !state->is_separate))
        store_words(&state->z, z, 0, words, covered);
    return any_lane(both & pixel_bits);
}

static bool is_stencil_together(const struct adreno_rb_depth *state, uint8_t *const z[4], uint8_t *const stencil[4])
{
    if (state->stencil.samples_log2 || (state->tests_z && !is_together(&state->z, z)))
        return false;
    return state->is_separate ? state->stencil.sample_B == 1 &&
                                    (state->stencil.is_tiled || adreno_rb_is_pairs(stencil, 1))
                              : is_together(&state->stencil, stencil);
}

static uint32_t test_stencil(struct adreno_rb *rb, const struct test *t, const struct raster_quad *quad)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const struct adreno_rb_stencil_table *table = adreno_rb_stencil_table(rb, quad->prim->is_back);
    uint8_t *z_host[4], *s_host[4];
    uint32_t left = 0;
    if ((state->tests_z && !adreno_rb_find_quad(&rb->access[ADRENO_RB_ACCESS_Z], quad, quad->mask, z_host)) ||
        !adreno_rb_find_quad(&rb->access[ADRENO_RB_ACCESS_STENCIL], quad, quad->mask, s_host))
        return 0;
    if (is_stencil_together(state, z_host, s_host))
        return test_stencil_together(rb, t, table, quad, state->tests_z      ? z_host
                                                         : state->is_separate ? NULL
                                                                              : s_host,
                                     s_host);
    for (unsigned s = 0; s < 1u << state->stencil.samples_log2; s++) {
        if (quad->mask >> s & 0x01010101u)
            left |= test_stencil_four(rb, t, table, quad, s, z_host, s_host) << s;
    }
    return left;
}

/* Quads of one primitive. */
static void test_run(struct adreno_rb *rb, const struct test *t, struct raster_quad *quads, uint32_t count)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    if (!state->tests_stencil && state->z.samples_log2 == 2 && state->z.sample_B == 4) {
        run_four_samples(rb, t, quads, count);
        return;
    }
    for (uint32_t q = 0; q < count; q++) {
        if (quads[q].mask)
            quads[q].mask = state->tests_stencil ? test_stencil(rb, t, &quads[q]) : test_quad(rb, t, &quads[q]);
    }
}

void adreno_rb_test_depth(struct adreno_rb *rb, struct raster_quad *quads, uint32_t count)
{
    for (uint32_t first = 0, end; first < count; first = end) {
        const struct test test = make_test(&rb->draw->depth, quads[first].prim);
        for (end = first + 1; end < count && quads[end].prim == quads[first].prim;)
            end++;
        test_run(rb, &test, quads + first, end - first);
        uint64_t passed = 0;
        for (uint32_t q = first; q < end; q++)
            passed += (unsigned)__builtin_popcount(quads[q].mask);
        rb->passed += passed;
    }
}
