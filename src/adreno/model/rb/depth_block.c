/* Depth and stencil of 8 by 8 pixels of one primitive, of which any may be covered: surfaces in TILE6_3 with one sample, where
 * such a block is two runs of memory, one for each four rows. Not for the rest (depth_fast.c, depth.c), which gives the same
 * results. */
#include <string.h>

#include "adreno/model/rb/depth_four.h"
#include "util/bits.h"

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

typedef uint8_t bytes4 __attribute__((vector_size(4)));

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

static struct depths find_depths(const struct adreno_rb *rb, const struct raster_prim *prim, uint32_t x, uint32_t y)
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

/* `has_stencil` and `is_separate` are constants where it is inlined. */
static inline __attribute__((always_inline)) uint64_t test(struct adreno_rb *rb, const struct raster_prim *prim,
                                                           uint32_t x, uint32_t y, uint64_t covered,
                                                           const struct runs *runs, bool has_stencil, bool is_separate)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const struct test t = make_test(state, prim);
    /* Copies: what is stored might be these otherwise, as far as the compiler knows. */
    const struct adreno_rb_stencil_table *table = has_stencil ? adreno_rb_stencil_table(rb, prim->is_back) : NULL;
    struct adreno_rb_stencil_face face = {0};
    struct adreno_rb_stencil_step steps[3];
    const bool tests_z = !has_stencil || state->tests_z, has_words = tests_z || !is_separate, writes_z = t.is_written;
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
        uint8_t *z = has_words ? at.z[q / 8] + 16 * quad_order[q % 8] : NULL;
        uint8_t *stencil = has_stencil && is_separate ? at.stencil[q / 8] + 4 * quad_order[q % 8] : NULL;
        const int4 on = (splat_int(pixels) & bits) != 0;
        int4 words = {0}, old = {0}, passes = on;
        if (has_words)
            memcpy(&words, z, sizeof(words));
        if (has_stencil && is_separate) {
            bytes4 four;
            memcpy(&four, stencil, sizeof(four));
            old = __builtin_convertvector(four, int4);
        } else if (has_stencil) {
            old = (words >> 24) & 255;
        }
        if (has_stencil)
            passes &= stencil_passes(&face, old);
        int4 both = passes, tested = words;
        if (tests_z)
            both = test_four(&t, passes, depths.column[q % 4] + depths.row[q / 4], &tested);
        if (writes_z)
            words = tested;
        if (has_stencil) {
            const int4 next = stencil_next(&face, steps, old, on, passes, both);
            if (is_separate) {
                const bytes4 four = __builtin_convertvector(next, bytes4);
                memcpy(stencil, &four, sizeof(four));
            } else {
                words = (words & 0xffffff) | next << 24;
            }
        }
        if (has_words && (writes_z || (has_stencil && !is_separate)))
            memcpy(z, &words, sizeof(words));
        passed |= (uint64_t)any_lane(both & bits) << 4 * q;
    }
    return passed;
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
        passed = test(rb, prim, x, y, covered, &runs, false, true);
    else if (state->is_separate)
        passed = test(rb, prim, x, y, covered, &runs, true, true);
    else
        passed = test(rb, prim, x, y, covered, &runs, true, false);
    rb->passed += (unsigned)__builtin_popcountll(passed);
    return passed;
}
