/* The depth test of quads four numbers at a time: no stencil, no bounds, nothing exported. The four are a sample of a
 * quad's pixels or, where they stand beside each other in memory, the samples of a pixel. Not for the rest
 * (db_test.c), which gives the same results. */
#include "amd/model/db/db.h"

#include <string.h>

#include "util/bits.h"

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef uint16_t ushort4 __attribute__((vector_size(8)));

static inline float4 splat(float value)
{
    return (float4){value, value, value, value};
}

static inline int4 splat_int(int32_t value)
{
    return (int4){value, value, value, value};
}

static inline float4 load4(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static inline float4 choose(int4 mask, float4 yes, float4 no)
{
    return (float4)(((int4)yes & mask) | ((int4)no & ~mask));
}

static void set_places(struct db *db)
{
    for (unsigned s = 0; s < RASTER_MAX_SAMPLES; s++) {
        for (unsigned p = 0; p < 4; p++) {
            float x = (float)(p & 1) + db->sc->x[p][s] / (float)RASTER_LOCATION_ONE,
                  y = (float)(p >> 1) + db->sc->y[p][s] / (float)RASTER_LOCATION_ONE;
            db->place_x[s][p] = db->place_of_pixel_x[p][s] = x;
            db->place_y[s][p] = db->place_of_pixel_y[p][s] = y;
        }
    }
    db->has_places = true;
}

static bool find_block(struct db *db, struct cb_block *block, const struct raster_quad *quad, uint32_t slice)
{
    const struct db_state *state = db->state;
    const struct cb_surface *surface = state->z;
    block->draw = 0;
    if (state->htile && !amd_db_htile_prepare(db, quad->x, quad->y, slice))
        return false;
    block->x = cb_block_first(surface, quad->x);
    block->y = cb_block_first(surface, quad->y);
    block->slice = slice;
    for (unsigned s = 0; s < 1u << state->samples_log2; s++) {
        if (s && surface->samples_are_row) {
            block->host[s] = block->host[0];
            block->low[s] = (uint16_t)(block->low[0] ^ s * surface->desc.element_B);
            continue;
        }
        uint64_t va = cb_surface_at(surface, block->x, block->y, slice, s);
        block->low[s] = (uint16_t)(va & (surface->block_B - 1u));
        block->host[s] = amd_db_access(db, va - block->low[s], surface->block_B, state->z_write);
        if (!block->host[s])
            return false;
    }
    block->draw = db->draw;
    return true;
}

#define COLUMNS (SC_TILE / 2)

/* What the quads of a primitive have in common. */
struct test {
    float4 at, dx, dy, left, top;
    bool clamp, write;
    float4 low, high;
    int4 less, equal, more, always; /* the test's function: all ones where such a relation passes */
    /* By pixel of a quad, for the samples of a pixel: what a column of quads adds to the depth and what the row in hand
     * does. Quads come back to a column row by row. */
    uint64_t known_columns; /* one bit each, of the tile at: */
    uint32_t known_tile, known_row;
    float4 column[COLUMNS][4], row[4];
};

/* Whether depth leaves the viewport's range within the primitive's bounds. Each step of its sum grows or falls with its
 * coordinate alone, rounding included: the corners have the extremes. */
static bool is_clamped(const struct raster_prim *prim)
{
    const float4 x = {(float)prim->x0, (float)prim->x1, (float)prim->x0, (float)prim->x1},
                 y = {(float)prim->y0, (float)prim->y0, (float)prim->y1, (float)prim->y1};
    float4 z = prim->z.at + prim->z.dx * (x - prim->origin_x) + prim->z.dy * (y - prim->origin_y);
    int4 inside = (z > splat(prim->z_min)) & (z < splat(prim->z_max)); /* not NaN either */
    return (inside[0] & inside[1] & inside[2] & inside[3]) == 0;
}

static void make_test(struct test *t, const struct db_state *state, const struct raster_prim *prim)
{
    /* NaN passes nothing but "always". */
    unsigned function = state->z_func;
    t->at = splat(prim->z.at);
    t->dx = splat(prim->z.dx);
    t->dy = splat(prim->z.dy);
    t->left = splat(prim->origin_x);
    t->top = splat(prim->origin_y);
    t->clamp = state->clamp && is_clamped(prim);
    t->write = state->z_write;
    t->low = splat(prim->z_min);
    t->high = splat(prim->z_max);
    t->less = splat_int(-(int32_t)(function & 1));
    t->equal = splat_int(-(int32_t)(function >> 1 & 1));
    t->more = splat_int(-(int32_t)(function >> 2 & 1));
    t->always = splat_int(function == PIXEL_ALWAYS ? -1 : 0);
    t->known_columns = 0;
    t->known_tile = 0;
    t->known_row = UINT32_MAX;
}

static inline float4 clamp_depth(const struct test *t, float4 z)
{
    if (t->clamp) {
        z = choose(z > t->low, z, t->low);
        z = choose(z < t->high, z, t->high);
    }
    return z;
}

static inline float4 depth_at(const struct test *t, float4 x, float4 y)
{
    return clamp_depth(t, t->at + t->dx * (x - t->left) + t->dy * (y - t->top));
}

/* `function` is a constant where any of these is called: they are to be made for each. */
#define INLINE inline __attribute__((always_inline))

#define DECIDE(t, function, a, b)                                                                                      \
    ((function) == PIXEL_LESS ? (a) < (b)                                                                              \
     : (function) == PIXEL_LESS_OR_EQUAL                                                                               \
         ? (a) <= (b)                                                                                                  \
         : ((((a) < (b)) & (t)->less) | (((a) == (b)) & (t)->equal) | (((a) > (b)) & (t)->more) | (t)->always))

/* Those of `covered` that pass; `stored` becomes what memory is to hold. */
static INLINE int4 test_float(const struct test *t, unsigned function, float4 z, float4 *stored, int4 covered)
{
    float4 old = *stored;
    int4 pass = DECIDE(t, function, z, old) & covered;
    *stored = choose(pass, z, old);
    return pass;
}

static INLINE int4 test_unorm16(const struct test *t, unsigned function, float4 z, ushort4 *stored, int4 covered)
{
    float4 zero = splat(0), one = splat(1), clamped = choose(z > zero, z, zero); /* NaN becomes 0 */
    int4 code = __builtin_convertvector(choose(clamped < one, clamped, one) * 65535.0f + 0.5f, int4);
    int4 old = __builtin_convertvector(*stored, int4);
    int4 pass = DECIDE(t, function, code, old) & covered;
    *stored = __builtin_convertvector((code & pass) | (old & ~pass), ushort4);
    return pass;
}

static INLINE int4 test_unorm24(const struct test *t, unsigned function, float4 z, int4 *stored, int4 covered)
{
    float4 zero = splat(0), one = splat(1), clamped = choose(z > zero, z, zero); /* NaN becomes 0 */
    float4 product = choose(clamped < one, clamped, one) * 16777215.0f;
    int4 code = __builtin_convertvector(choose(product < splat(8388608.0f), product + 0.5f, product), int4);
    int4 old = *stored & 0xffffff;
    int4 pass = DECIDE(t, function, code, old) & covered;
    *stored = (code & pass) | (*stored & ~pass);
    return pass;
}

/* The elements of a quad, from memory and back. */
static inline void load_quad(const struct cb_surface *surface, const uint8_t *host, uint32_t low, size_t size_B,
                             void *to)
{
    if (surface->quad_is_row) {
        memcpy(to, host + low, 4 * size_B);
        return;
    }
    for (unsigned p = 0; p < 4; p++)
        memcpy((uint8_t *)to + p * size_B, host + (low ^ surface->quad_xor[p]), size_B);
}

static inline void store_quad(const struct cb_surface *surface, uint8_t *host, uint32_t low, size_t size_B,
                              const void *from)
{
    if (surface->quad_is_row) {
        memcpy(host + low, from, 4 * size_B);
        return;
    }
    for (unsigned p = 0; p < 4; p++)
        memcpy(host + (low ^ surface->quad_xor[p]), (const uint8_t *)from + p * size_B, size_B);
}

/* A sample of the four pixels. Lanes of all ones where it passes. */
static INLINE int4 test_pixels(const struct db *db, const struct test *t, unsigned function,
                               const struct cb_block *block, const struct raster_quad *quad, uint32_t bits,
                               unsigned sample, int4 covered)
{
    const struct db_state *state = db->state;
    uint32_t low = block->low[sample] ^ bits;
    uint8_t *host = block->host[sample];
    float4 z = depth_at(t, splat((float)quad->x) + load4(db->place_x[sample]),
                        splat((float)quad->y) + load4(db->place_y[sample]));
    int4 pass;
    if (state->z_format == AMD_Z_FORMAT_16) {
        ushort4 codes;
        load_quad(state->z, host, low, sizeof(uint16_t), &codes);
        pass = test_unorm16(t, function, z, &codes, covered);
        if (t->write)
            store_quad(state->z, host, low, sizeof(uint16_t), &codes);
    } else if (state->z_format == AMD_Z_FORMAT_24) {
        int4 codes;
        load_quad(state->z, host, low, sizeof(uint32_t), &codes);
        pass = test_unorm24(t, function, z, &codes, covered);
        if (t->write)
            store_quad(state->z, host, low, sizeof(uint32_t), &codes);
    } else {
        float4 stored;
        load_quad(state->z, host, low, sizeof(float), &stored);
        pass = test_float(t, function, z, &stored, covered);
        if (t->write)
            store_quad(state->z, host, low, sizeof(float), &stored);
    }
    return pass;
}

/* The union of four words. */
static inline uint32_t any_lane(int4 bits)
{
    typedef uint64_t ulong2 __attribute__((vector_size(16)));
    ulong2 pairs = (ulong2)bits;
    uint64_t both = pairs[0] | pairs[1];
    return (uint32_t)(both | both >> 32);
}

static INLINE uint32_t test_by_pixels(const struct db *db, const struct test *t, unsigned function,
                                      const struct cb_block *block, const struct raster_quad *quad)
{
    const int4 pixel_bits = {1, 1 << 8, 1 << 16, 1 << 24};
    uint32_t bits = cb_block_bits(db->state->z, quad->x, quad->y);
    int4 passed = splat_int(0);
    for (unsigned s = 0; s < 1u << db->state->samples_log2; s++) {
        if (!(quad->mask >> s & 0x01010101u))
            continue;
        int4 mine = pixel_bits << (int32_t)s, covered = (splat_int((int32_t)quad->mask) & mine) != 0;
        passed |= test_pixels(db, t, function, block, quad, bits, s, covered) & mine;
    }
    return any_lane(passed);
}

static const float4 *find_column(const struct db *db, struct test *t, const struct raster_quad *quad)
{
    uint32_t tile = quad->x >> SC_TILE_LOG2, column = quad->x / 2 % COLUMNS;
    if (t->known_tile != tile) {
        t->known_tile = tile;
        t->known_columns = 0;
    }
    if (!(t->known_columns >> column & 1)) {
        t->known_columns |= 1ull << column;
        for (unsigned p = 0; p < 4; p++)
            t->column[column][p] = t->at + t->dx * (splat((float)quad->x) + load4(db->place_of_pixel_x[p]) - t->left);
    }
    return t->column[column];
}

static const float4 *find_row(const struct db *db, struct test *t, const struct raster_quad *quad)
{
    if (t->known_row != quad->y) {
        t->known_row = quad->y;
        for (unsigned p = 0; p < 4; p++)
            t->row[p] = t->dy * (splat((float)quad->y) + load4(db->place_of_pixel_y[p]) - t->top);
    }
    return t->row;
}

/* Four samples a pixel, floats beside each other. */
static INLINE uint32_t test_by_samples(const struct db *db, struct test *t, unsigned function,
                                       const struct cb_block *block, const struct raster_quad *quad)
{
    const struct cb_surface *surface = db->state->z;
    const int4 sample_bits = {1, 2, 4, 8};
    uint32_t low = block->low[0] ^ cb_block_bits(surface, quad->x, quad->y);
    const float4 *column = find_column(db, t, quad), *row = find_row(db, t, quad);
    const int4 mask = splat_int((int32_t)quad->mask);
    int4 passed = splat_int(0);
    for (unsigned p = 0; p < 4; p++) {
        int4 mine = sample_bits << (int32_t)(8 * p), covered = (mask & mine) != 0;
        float *at = (float *)(block->host[0] + (low ^ surface->quad_xor[p]));
        float4 z = clamp_depth(t, column[p] + row[p]), stored = load4(at);
        passed |= test_float(t, function, z, &stored, covered) & mine;
        if (t->write)
            memcpy(at, &stored, sizeof(stored));
    }
    return any_lane(passed);
}

static bool has_sample_rows(const struct db_state *state)
{
    return state->z->samples_are_row && state->samples_log2 == 2 && state->z_format == AMD_Z_FORMAT_32_FLOAT;
}

/* Quads of one primitive. Returns how many samples pass. */
static INLINE uint64_t test_run(struct db *db, struct test *t, unsigned function, bool by_samples,
                                struct raster_quad *quads, uint32_t count)
{
    const struct db_state *state = db->state;
    const uint32_t slice = MIN2(state->slice_start + quads->prim->layer, state->slice_max);
    uint64_t passed = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct raster_quad *quad = &quads[i];
        if (!quad->mask)
            continue;
        struct cb_block *block = cb_block_slot(db->blocks, state->z, quad->x, quad->y);
        if (!cb_block_is(state->z, block, db->draw, quad->x, quad->y, slice) && !find_block(db, block, quad, slice)) {
            quad->mask = 0;
            continue;
        }
        quad->mask =
            by_samples ? test_by_samples(db, t, function, block, quad) : test_by_pixels(db, t, function, block, quad);
        passed += (unsigned)__builtin_popcount(quad->mask);
    }
    return passed;
}

/* The functions that nearly all programs use have code of their own; 0 stands for any. */
#define DEFINE_RUNS(name, function)                                                                                    \
    static uint64_t name##_samples(struct db *db, struct test *t, struct raster_quad *quads, uint32_t count)           \
    {                                                                                                                  \
        return test_run(db, t, function, true, quads, count);                                                          \
    }                                                                                                                  \
    static uint64_t name##_pixels(struct db *db, struct test *t, struct raster_quad *quads, uint32_t count)            \
    {                                                                                                                  \
        return test_run(db, t, function, false, quads, count);                                                         \
    }
DEFINE_RUNS(run_less, PIXEL_LESS)
DEFINE_RUNS(run_lequal, PIXEL_LESS_OR_EQUAL)
DEFINE_RUNS(run_any, 0)

void amd_db_test_quads_fast(struct db *db, struct raster_quad *quads, uint32_t count)
{
    static uint64_t (*const runs[3][2])(struct db *, struct test *, struct raster_quad *,
                                        uint32_t) = {{run_any_pixels, run_any_samples},
                                                     {run_less_pixels, run_less_samples},
                                                     {run_lequal_pixels, run_lequal_samples}};
    const struct db_state *state = db->state;
    bool by_samples = has_sample_rows(state);
    unsigned which = state->z_func == PIXEL_LESS ? 1 : state->z_func == PIXEL_LESS_OR_EQUAL ? 2 : 0;
    struct test test;
    uint64_t passed = 0;
    if (!db->has_places)
        set_places(db);
    for (uint32_t first = 0, end; first < count; first = end) {
        const struct raster_prim *prim = quads[first].prim;
        for (end = first + 1; end < count && quads[end].prim == prim; end++)
            ;
        make_test(&test, state, prim);
        passed += runs[which][by_samples](db, &test, quads + first, end - first);
    }
    if (state->count)
        db->zpass += passed;
}

/* ---- blocks of 8 by 8 pixels ---- */

/* A quad of depths against memory; `format` and `function` are constants where this is called. */
static INLINE int4 test_four(const struct db *db, const struct test *t, unsigned function, unsigned format,
                             uint8_t *host, uint32_t low, float4 z)
{
    const int4 all = splat_int(-1);
    const struct cb_surface *surface = db->state->z;
    int4 pass;
    if (format == AMD_Z_FORMAT_16) {
        ushort4 codes;
        load_quad(surface, host, low, sizeof(uint16_t), &codes);
        pass = test_unorm16(t, function, z, &codes, all);
        if (t->write)
            store_quad(surface, host, low, sizeof(uint16_t), &codes);
    } else if (format == AMD_Z_FORMAT_24) {
        int4 codes;
        load_quad(surface, host, low, sizeof(uint32_t), &codes);
        pass = test_unorm24(t, function, z, &codes, all);
        if (t->write)
            store_quad(surface, host, low, sizeof(uint32_t), &codes);
    } else {
        float4 stored;
        load_quad(surface, host, low, sizeof(float), &stored);
        pass = test_float(t, function, z, &stored, all);
        if (t->write)
            store_quad(surface, host, low, sizeof(float), &stored);
    }
    return pass;
}

/* With one sample: the masks of its quads. The sums are those of depth_at. */
static INLINE void test_block(const struct db *db, const struct test *t, unsigned function, unsigned format,
                              const struct cb_block *block, uint32_t x, uint32_t y, uint32_t masks[16])
{
    const struct cb_surface *surface = db->state->z;
    const int4 pixel_bits = {1, 1 << 8, 1 << 16, 1 << 24};
    float4 column[4], row[4];
    for (unsigned k = 0; k < 4; k++) {
        column[k] = t->at + t->dx * (splat((float)(x + 2 * k)) + load4(db->place_x[0]) - t->left);
        row[k] = t->dy * (splat((float)(y + 2 * k)) + load4(db->place_y[0]) - t->top);
    }
    for (unsigned q = 0; q < 16; q++) {
        const uint32_t low = block->low[0] ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2];
        const float4 z = clamp_depth(t, column[q % 4] + row[q / 4]);
        masks[q] = any_lane(test_four(db, t, function, format, block->host[0], low, z) & pixel_bits);
    }
}

typedef void (*block_test)(const struct db *db, struct test *t, const struct cb_block *block, uint32_t x, uint32_t y,
                           uint32_t masks[16]);

#define DEFINE_BLOCK(name, function, format)                                                                           \
    static void name(const struct db *db, struct test *t, const struct cb_block *block, uint32_t x, uint32_t y,        \
                     uint32_t masks[16])                                                                               \
    {                                                                                                                  \
        test_block(db, t, function, format, block, x, y, masks);                                                       \
    }
#define DEFINE_BLOCKS(name, function)                                                                                  \
    DEFINE_BLOCK(name##_16, function, AMD_Z_FORMAT_16)                                                                 \
    DEFINE_BLOCK(name##_24, function, AMD_Z_FORMAT_24)                                                                 \
    DEFINE_BLOCK(name##_float, function, AMD_Z_FORMAT_32_FLOAT)
DEFINE_BLOCKS(block_less, PIXEL_LESS)
DEFINE_BLOCKS(block_lequal, PIXEL_LESS_OR_EQUAL)
DEFINE_BLOCKS(block_any, 0)

/* With several samples, quad by quad. */
static INLINE void test_block_samples(const struct db *db, struct test *t, unsigned function, bool by_samples,
                                      const struct cb_block *block, uint32_t x, uint32_t y, uint32_t masks[16])
{
    for (unsigned q = 0; q < 16; q++) {
        const struct raster_quad quad = {.x = (uint16_t)(x + q % 4 * 2),
                                         .y = (uint16_t)(y + q / 4 * 2),
                                         .mask = (uint32_t)bits_mask(db->sc->samples) * 0x01010101u};
        masks[q] =
            by_samples ? test_by_samples(db, t, function, block, &quad) : test_by_pixels(db, t, function, block, &quad);
    }
}

#define DEFINE_SAMPLES(name, function, by_samples)                                                                     \
    static void name(const struct db *db, struct test *t, const struct cb_block *block, uint32_t x, uint32_t y,        \
                     uint32_t masks[16])                                                                               \
    {                                                                                                                  \
        test_block_samples(db, t, function, by_samples, block, x, y, masks);                                           \
    }
DEFINE_SAMPLES(block_less_samples, PIXEL_LESS, true)
DEFINE_SAMPLES(block_lequal_samples, PIXEL_LESS_OR_EQUAL, true)
DEFINE_SAMPLES(block_any_samples, 0, true)
DEFINE_SAMPLES(block_less_pixels, PIXEL_LESS, false)
DEFINE_SAMPLES(block_lequal_pixels, PIXEL_LESS_OR_EQUAL, false)
DEFINE_SAMPLES(block_any_pixels, 0, false)

/* The test's code for the state at hand. */
static block_test find_block_test(const struct db_state *state)
{
    static const block_test tests[3][5] = {
        {block_any_16, block_any_24, block_any_float, block_any_samples, block_any_pixels},
        {block_less_16, block_less_24, block_less_float, block_less_samples, block_less_pixels},
        {block_lequal_16, block_lequal_24, block_lequal_float, block_lequal_samples, block_lequal_pixels}};
    const unsigned which = state->z_func == PIXEL_LESS ? 1 : state->z_func == PIXEL_LESS_OR_EQUAL ? 2 : 0;
    if (state->samples_log2)
        return tests[which][has_sample_rows(state) ? 3 : 4];
    return tests[which][state->z_format == AMD_Z_FORMAT_16 ? 0 : state->z_format == AMD_Z_FORMAT_24 ? 1 : 2];
}

static void count_passed(struct db *db, const uint32_t masks[16])
{
    for (unsigned q = 0; q < 16 && db->state->count; q++)
        db->zpass += (unsigned)__builtin_popcount(masks[q]);
}

uint64_t amd_db_test_blocks(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile,
                            uint64_t blocks, uint32_t masks_out[64][16])
{
    const struct db_state *state = db->state;
    const block_test run = find_block_test(state);
    const uint32_t slice = MIN2(state->slice_start + prim->layer, state->slice_max),
                   all = (uint32_t)bits_mask(db->sc->samples) * 0x01010101u;
    struct test test;
    uint64_t whole = 0;
    if (!db->has_places)
        set_places(db);
    make_test(&test, state, prim);
    bits_foreach (blocks, b) {
        const uint32_t x = (uint32_t)tile->x + (uint32_t)b % 8 * 8, y = (uint32_t)tile->y + (uint32_t)b / 8 * 8;
        const struct raster_quad first = {.prim = prim, .x = (uint16_t)x, .y = (uint16_t)y};
        struct cb_block *block = cb_block_slot(db->blocks, state->z, x, y);
        uint32_t *masks = masks_out[b], common = all;
        if (!cb_block_is(state->z, block, db->draw, x, y, slice) && !find_block(db, block, &first, slice)) {
            memset(masks, 0, sizeof(masks_out[b]));
            continue;
        }
        run(db, &test, block, x, y, masks);
        for (unsigned q = 0; q < 16; q++)
            common &= masks[q];
        whole |= (uint64_t)(common == all) << b;
        count_passed(db, masks);
    }
    return whole;
}
