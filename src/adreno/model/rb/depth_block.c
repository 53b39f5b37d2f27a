/* Depth and stencil of 8 by 8 pixels of one primitive, of which any may be covered: surfaces in TILE6_3 with one
 * sample, where such a block is two runs of memory, one for each four rows. Not for the rest (depth_fast.c, depth.c),
 * which gives the same results. */
#include <string.h>

#include "adreno/model/rb/depth_four.h"
#include "model/lanes.h"
#include "model/pixel/pixel_bytes.h"

#define QUADS 16

/* Where the quads of four rows stand in their run. */
static const uint8_t quad_order[QUADS / 2] = {0, 1, 4, 5, 2, 3, 6, 7};

static bool is_plain(const struct adreno_rb_access *access, uint32_t sample_B)
{
    const struct adreno_rb_surface *surface = access->surface;
    return surface->is_tiled && !surface->samples_log2 && surface->sample_B == sample_B && !surface->written &&
           !access->coherence;
}

bool adreno_rb_tests_blocks(const struct adreno_rb *rb)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const struct adreno_rb_access *z = &rb->access[ADRENO_RB_ACCESS_Z],
                                  *stencil = &rb->access[ADRENO_RB_ACCESS_STENCIL];
    return state->has_test && !state->tests_bounds && (!state->tests_z || is_plain(z, 4)) &&
           (!state->tests_stencil || is_plain(stencil, state->is_separate ? 1 : 4));
}

/* Both runs of a block. */
struct runs {
    uint8_t *z[2], *stencil[2];
};

static bool find_runs(struct adreno_rb *rb, const struct raster_prim *prim, uint32_t x, uint32_t y, struct runs *runs)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const bool has_words = state->tests_z || (state->tests_stencil && !state->is_separate);
    struct adreno_rb_access *z = &rb->access[state->tests_z ? ADRENO_RB_ACCESS_Z : ADRENO_RB_ACCESS_STENCIL],
                            *stencil = &rb->access[ADRENO_RB_ACCESS_STENCIL];
    for (unsigned half = 0; half < 2; half++) {
        const int32_t at_y = (int32_t)(y + 4 * half);
        runs->z[half] = has_words ? adreno_rb_element(z, (int32_t)x, at_y, prim->layer) : NULL;
        runs->stencil[half] = state->tests_stencil && state->is_separate
                                  ? adreno_rb_element(stencil, (int32_t)x, at_y, prim->layer)
                                  : NULL;
    }
    return !rb->fault.is_set;
}

/* The depths of quads, as a part of each column and one of each row: the same arithmetic as that of quads elsewhere. */
struct depths {
    float4 column[4], row[4];
};

static inline __attribute__((always_inline)) struct depths
find_depths(const struct adreno_rb *rb, const struct raster_prim *prim, uint32_t x, uint32_t y)
{
    struct depths depths;
    float4 place_x, place_y;
    memcpy(&place_x, rb->place_x[0], sizeof(place_x));
    memcpy(&place_y, rb->place_y[0], sizeof(place_y));
    for (unsigned i = 0; i < 4; i++) {
        const float4 at_x = splat((float)(x + 2 * i)) + place_x - splat(prim->origin_x),
                     at_y = splat((float)(y + 2 * i)) + place_y - splat(prim->origin_y);
        depths.column[i] = splat(prim->z.at) + splat(prim->z.dx) * at_x;
        depths.row[i] = splat(prim->z.dy) * at_y;
    }
    return depths;
}

/* Depth alone, or with stencil in the same words. `has_stencil` is a constant where it is inlined. */
static inline __attribute__((always_inline)) uint64_t test(struct adreno_rb *rb, const struct raster_prim *prim,
                                                           uint32_t x, uint32_t y, uint64_t covered,
                                                           const struct runs *runs, bool has_stencil)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const struct test t = make_test(state, prim);
    /* Copies: what is stored might be these otherwise, as far as the compiler knows. */
    const struct adreno_rb_stencil_table *table = has_stencil ? adreno_rb_stencil_table(rb, prim->is_back) : NULL;
    struct adreno_rb_stencil_face face = {0};
    struct adreno_rb_stencil_step steps[3];
    const bool tests_z = !has_stencil || state->tests_z, writes_z = t.is_written;
    const struct runs at = *runs;
    const struct depths depths = find_depths(rb, prim, x, y);
    if (has_stencil) {
        face = table->face;
        memcpy(steps, table->steps, sizeof(steps));
    }
    const int4 bits = {1, 2, 4, 8};
    uint64_t passed = 0;
    for (unsigned q = 0; q < QUADS; q++) {
        const uint32_t pixels = covered >> 4 * q & 15;
        if (!pixels)
            continue;
        uint8_t *z = at.z[q / 8] + 16 * quad_order[q % 8];
        const int4 on = (splat_int(pixels) & bits) != 0;
        int4 words, passes = on;
        memcpy(&words, z, sizeof(words));
        const int4 old = (words >> 24) & 255;
        if (has_stencil)
            passes &= stencil_passes(&face, old);
        int4 both = passes, tested = words;
        if (tests_z)
            both = test_four(&t, passes, depths.column[q % 4] + depths.row[q / 4], &tested);
        if (writes_z)
            words = tested;
        if (has_stencil)
            words = (words & 0xffffff) | stencil_next(&face, steps, old, on, passes, both) << 24;
        if (writes_z || has_stencil)
            memcpy(z, &words, sizeof(words));
        passed |= (uint64_t)any_lane(both & bits) << 4 * q;
    }
    return passed;
}

/* Pixels quad by quad, and as they stand in memory. */
static uint64_t swap_quads(uint64_t pixels)
{
    const uint64_t inner = 0x0000ff000000ff00ull;
    return (pixels & ~(inner | inner << 8)) | (pixels & inner) << 8 | (pixels >> 8 & inner);
}

/* ---- depth alone, as floats: four quads that follow each other in memory ---- */

typedef float float16 __attribute__((vector_size(64)));
typedef int32_t int16 __attribute__((vector_size(64)));

#define SPREAD_4(a, b, c, d) a, a, a, a, b, b, b, b, c, c, c, c, d, d, d, d
#define REPEAT_4(p) p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3]

/* A macro: vectors of this size as arguments would be another ABI for each level of the host. */
#define CHOOSE_16(mask, yes, no) ((float16)(((int16)(yes) & (mask)) | ((int16)(no) & ~(mask))))

/* As find_depths has them: of the left and the right half, and of the upper and the lower one. */
struct depths_16 {
    float16 column[2], row[2];
};

static inline __attribute__((always_inline)) void find_depths_16(struct depths_16 *to, const struct adreno_rb *rb,
                                                                 const struct raster_prim *prim, uint32_t x, uint32_t y)
{
    const float *const in_x = rb->place_x[0], *const in_y = rb->place_y[0];
    const float16 place_x = {REPEAT_4(in_x)}, place_y = {REPEAT_4(in_y)};
    for (unsigned i = 0; i < 2; i++) {
        const float left = (float)(x + 4 * i), top = (float)(y + 4 * i);
        const float16 at_x = {SPREAD_4(left, left + 2, left, left + 2)}, at_y = {SPREAD_4(top, top, top + 2, top + 2)};
        to->column[i] = prim->z.at + prim->z.dx * (at_x + place_x - prim->origin_x);
        to->row[i] = prim->z.dy * (at_y + place_y - prim->origin_y);
    }
}

/* `relation` is a constant where it is inlined, and not ANY_RELATION. */
static inline __attribute__((always_inline)) uint64_t test_floats(struct adreno_rb *rb, const struct raster_prim *prim,
                                                                  uint32_t x, uint32_t y, uint64_t covered,
                                                                  const struct runs *runs, enum relation relation)
{
    const struct test t = make_test(&rb->draw->depth, prim);
    const float low = t.low[0], high = t.high[0];
    const struct runs to = *runs;
    const float16 least = {SPREAD_4(low, low, low, low)}, most = {SPREAD_4(high, high, high, high)};
    struct depths_16 depths;
    uint32_t on[RASTER_BLOCK * RASTER_BLOCK], passed[RASTER_BLOCK * RASTER_BLOCK];
    find_depths_16(&depths, rb, prim, x, y);
    lanes_from_mask(on, swap_quads(covered), RASTER_BLOCK * RASTER_BLOCK);
    for (unsigned i = 0; i < 4; i++) {
        uint8_t *const at = to.z[i / 2] + i % 2 * sizeof(float16);
        float16 stored, z = depths.column[i % 2] + depths.row[i / 2];
        int16 pass;
        memcpy(&stored, at, sizeof(stored));
        memcpy(&pass, on + 16 * i, sizeof(pass));
        z = CHOOSE_16(z > least, z, least);
        z = CHOOSE_16(z < most, z, most);
        pass &= relation == FLOAT_LESS ? z < stored : z <= stored;
        memcpy(passed + 16 * i, &pass, sizeof(pass));
        if (t.is_written) {
            z = CHOOSE_16(pass, z, stored);
            memcpy(at, &z, sizeof(z));
        }
    }
    return swap_quads(lanes_to_mask(passed, RASTER_BLOCK * RASTER_BLOCK));
}

static uint64_t test_depths(struct adreno_rb *rb, const struct raster_prim *prim, uint32_t x, uint32_t y,
                            uint64_t covered, const struct runs *runs)
{
    switch (rb->draw->depth.tests_z ? relation_of(&rb->draw->depth) : ANY_RELATION) {
    case FLOAT_LESS:
        return test_floats(rb, prim, x, y, covered, runs, FLOAT_LESS);
    case FLOAT_LESS_OR_EQUAL:
        return test_floats(rb, prim, x, y, covered, runs, FLOAT_LESS_OR_EQUAL);
    default:
        return test(rb, prim, x, y, covered, runs, false);
    }
}

/* ---- stencil in bytes of its own: sixteen pixels at a time, four quads that follow each other in memory ---- */

static const pixel_bytes bit_of_pixel = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

static inline pixel_bytes spread_pixels(uint32_t pixels)
{
    typedef uint64_t halves __attribute__((vector_size(16)));
    const uint64_t eight = 0x0101010101010101ull;
    const pixel_bytes all = (pixel_bytes)(halves){(pixels & 255) * eight, (pixels >> 8) * eight};
    return (pixel_bytes)((all & bit_of_pixel) != 0);
}

static inline uint64_t collect_pixels(pixel_bytes passed)
{
    uint64_t halves[2];
    passed &= bit_of_pixel;
    memcpy(halves, &passed, sizeof(halves));
    return (halves[0] * 0x0101010101010101ull >> 56) | (halves[1] * 0x0101010101010101ull >> 56) << 8;
}

static inline pixel_bytes byte_passes(const struct adreno_rb_stencil_face *face, pixel_bytes old)
{
    const pixel_bytes reference = pixel_bytes_splat(face->reference & face->mask),
                      seen = old & pixel_bytes_splat(face->mask);
    return ((pixel_bytes)(reference < seen) & pixel_bytes_splat(face->compare & 1 ? 255 : 0)) |
           ((pixel_bytes)(reference == seen) & pixel_bytes_splat(face->compare & 2 ? 255 : 0)) |
           ((pixel_bytes)(reference > seen) & pixel_bytes_splat(face->compare & 4 ? 255 : 0));
}

/* The next values of covered pixels. */
static inline pixel_bytes next_bytes(const struct adreno_rb_stencil_face *face, pixel_bytes old, pixel_bytes on,
                                     pixel_bytes passes, pixel_bytes both)
{
    pixel_bytes value = pixel_bytes_apply(face->pass, old, face->reference, 1);
    if (face->depth_fail != face->pass)
        value = pixel_bytes_choose(both, value, pixel_bytes_apply(face->depth_fail, old, face->reference, 1));
    if (face->fail != face->pass || face->fail != face->depth_fail)
        value = pixel_bytes_choose(passes, value, pixel_bytes_apply(face->fail, old, face->reference, 1));
    return pixel_bytes_choose(on & pixel_bytes_splat(face->write_mask), value, old);
}

/* Four quads from number `first` on in their half of the block. */
static inline __attribute__((always_inline)) pixel_bytes test_words(const struct test *t, enum relation relation,
                                                                    const struct depths *depths, unsigned half,
                                                                    unsigned first, uint8_t *z, pixel_bytes passes)
{
    int4 of[4];
    pixel_bytes_widen(of, passes);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        const unsigned q = 8 * half + quad_order[first + i];
        int4 words;
        memcpy(&words, z + 16 * i, sizeof(words));
        of[i] = test_related(t, relation, of[i], depths->column[q % 4] + depths->row[q / 4], &words);
        if (t->is_written)
            memcpy(z + 16 * i, &words, sizeof(words));
    }
    return pixel_bytes_narrow(of);
}

/* `tests_z` and `relation` are constants where it is inlined. */
static inline __attribute__((always_inline)) uint64_t test_bytes(struct adreno_rb *rb, const struct raster_prim *prim,
                                                                 uint32_t x, uint32_t y, uint64_t covered,
                                                                 const struct runs *runs, bool tests_z,
                                                                 enum relation relation)
{
    const struct test t = make_test(&rb->draw->depth, prim);
    const struct adreno_rb_stencil_face face = rb->draw->depth.faces[prim->is_back];
    const struct runs at = *runs;
    const bool changes = face.write_mask && (face.pass != PIXEL_STENCIL_KEEP || face.depth_fail != PIXEL_STENCIL_KEEP ||
                                             face.fail != PIXEL_STENCIL_KEEP);
    struct depths depths = {0};
    uint64_t passed = 0;
    if (tests_z)
        depths = find_depths(rb, prim, x, y);
    covered = swap_quads(covered);
#pragma GCC unroll 4 /* where quads stand is known then */
    for (unsigned i = 0; i < QUADS / 4; i++) {
        const uint32_t pixels = covered >> 16 * i & 0xffff;
        if (!pixels)
            continue;
        uint8_t *stencil = at.stencil[i / 2] + i % 2 * 16;
        const pixel_bytes on = spread_pixels(pixels);
        pixel_bytes old;
        memcpy(&old, stencil, sizeof(old));
        const pixel_bytes passes = on & byte_passes(&face, old);
        pixel_bytes both = passes;
        if (tests_z)
            both = test_words(&t, relation, &depths, i / 2, i % 2 * 4, at.z[i / 2] + i % 2 * 64, passes);
        if (changes) {
            const pixel_bytes next = next_bytes(&face, old, on, passes, both);
            memcpy(stencil, &next, sizeof(next));
        }
        passed |= collect_pixels(both) << 16 * i;
    }
    return swap_quads(passed);
}

static uint64_t test_bytes_and_words(struct adreno_rb *rb, const struct raster_prim *prim, uint32_t x, uint32_t y,
                                     uint64_t covered, const struct runs *runs)
{
    switch (relation_of(&rb->draw->depth)) {
    case FLOAT_LESS:
        return test_bytes(rb, prim, x, y, covered, runs, true, FLOAT_LESS);
    case FLOAT_LESS_OR_EQUAL:
        return test_bytes(rb, prim, x, y, covered, runs, true, FLOAT_LESS_OR_EQUAL);
    default:
        return test_bytes(rb, prim, x, y, covered, runs, true, ANY_RELATION);
    }
}

uint64_t adreno_rb_test_block(struct adreno_rb *rb, const struct raster_prim *prim, uint32_t x, uint32_t y,
                              uint64_t covered)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    struct runs runs;
    uint64_t passed;
    if (!find_runs(rb, prim, x, y, &runs))
        return 0;
    if (!state->tests_stencil)
        passed = test_depths(rb, prim, x, y, covered, &runs);
    else if (!state->is_separate)
        passed = test(rb, prim, x, y, covered, &runs, true);
    else if (!state->tests_z)
        passed = test_bytes(rb, prim, x, y, covered, &runs, false, ANY_RELATION);
    else
        passed = test_bytes_and_words(rb, prim, x, y, covered, &runs);
    rb->passed += (unsigned)__builtin_popcountll(passed);
    return passed;
}
