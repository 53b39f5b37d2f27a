/* The depth test of quads four numbers at a time: no stencil, no bounds. The four are a sample of a
 * quad's pixels or, where they stand beside each other in memory, the samples of a pixel. Not for the rest
 * (db_test.c), which gives the same results. */
#include "amd/model/db/db_quad.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

void amd_db_quad_set_places(struct db *db)
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

bool amd_db_quad_find_block(struct db *db, const struct cb_surface *surface, bool is_write, struct cb_block *block,
                            const struct raster_quad *quad, uint32_t slice)
{
    const struct db_state *state = db->state;
    const uint64_t lost = db->lost;
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
        block->host[s] = amd_db_access(db, va - block->low[s], surface->block_B, is_write);
        if (!block->host[s])
            return false;
        cb_block_fetch(surface, block->host[s]);
    }
    block->draw = db->lost == lost ? db->draw : 0;
    return true;
}

/* A sample of the four pixels. Lanes of all ones where it passes. */
static INLINE int4 test_pixels(const struct db *db, const struct db_test *t, unsigned function,
                               const struct cb_block *block, float4 z, uint32_t bits, unsigned sample, int4 covered)
{
    const struct db_state *state = db->state;
    uint32_t low = block->low[sample] ^ bits;
    uint8_t *host = block->host[sample];
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

/* `exported`: the depths of the quad's pixels; NULL: the primitive's. */
static INLINE uint32_t test_by_pixels(const struct db *db, const struct db_test *t, unsigned function,
                                      const struct cb_block *block, const struct raster_quad *quad,
                                      const float *exported)
{
    const int4 pixel_bits = {1, 1 << 8, 1 << 16, 1 << 24};
    uint32_t bits = cb_block_bits(db->state->z, quad->x, quad->y);
    int4 passed = splat_int(0);
    for (unsigned s = 0; s < 1u << db->state->samples_log2; s++) {
        if (!(quad->mask >> s & 0x01010101u))
            continue;
        int4 mine = pixel_bits << (int32_t)s, covered = (splat_int((int32_t)quad->mask) & mine) != 0;
        const float4 z = exported ? clamp_depth(t, load4(exported))
                                  : depth_at(t, splat((float)quad->x) + load4(db->place_x[s]),
                                             splat((float)quad->y) + load4(db->place_y[s]));
        passed |= test_pixels(db, t, function, block, z, bits, s, covered) & mine;
    }
    return any_lane(passed);
}

static const float4 *find_column(const struct db *db, struct db_test *t, const struct raster_quad *quad)
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

static const float4 *find_row(const struct db *db, struct db_test *t, const struct raster_quad *quad)
{
    if (t->known_row != quad->y) {
        t->known_row = quad->y;
        for (unsigned p = 0; p < 4; p++)
            t->row[p] = t->dy * (splat((float)quad->y) + load4(db->place_of_pixel_y[p]) - t->top);
    }
    return t->row;
}

#if defined(__AVX2__)
/* The samples of two pixels, which stand beside each other in memory: a bit for each that passes. */
static INLINE uint32_t test_two_pixels(const struct db_test *t, unsigned function, float *at, const float4 *column,
                                       const float4 *row, uint32_t mask)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 1 << 8, 2 << 8, 4 << 8, 8 << 8),
                  covered = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int32_t)mask), bits), bits);
    __m256 z = _mm256_add_ps(_mm256_loadu_ps((const float *)column), _mm256_loadu_ps((const float *)row));
    if (t->clamp) { /* a NaN becomes the limit, as in clamp_depth */
        z = _mm256_max_ps(z, _mm256_set1_ps(t->low[0]));
        z = _mm256_min_ps(z, _mm256_set1_ps(t->high[0]));
    }
    const __m256 old = _mm256_loadu_ps(at),
                 relation = function == PIXEL_LESS            ? _mm256_cmp_ps(z, old, _CMP_LT_OQ)
                            : function == PIXEL_LESS_OR_EQUAL ? _mm256_cmp_ps(z, old, _CMP_LE_OQ)
                            : function == PIXEL_GREATER       ? _mm256_cmp_ps(z, old, _CMP_GT_OQ)
                                                              : _mm256_cmp_ps(z, old, _CMP_GE_OQ),
                 pass = _mm256_and_ps(relation, _mm256_castsi256_ps(covered));
    if (t->write)
        _mm256_storeu_ps(at, _mm256_blendv_ps(old, z, pass));
    const uint32_t passed = (uint32_t)_mm256_movemask_ps(pass);
    return (passed & 0x0f) | (passed & 0xf0) << 4;
}

/* Whether test_two_pixels has the function, and both rows of a quad are such pixels. */
static INLINE bool are_in_twos(const struct cb_surface *surface, unsigned function, uint32_t low)
{
    const uint32_t pixel_B = 4 * sizeof(float);
    return function && surface->quad_xor[1] == pixel_B && surface->quad_xor[3] == (surface->quad_xor[2] ^ pixel_B) &&
           !((low | surface->quad_xor[2]) & pixel_B);
}
#endif

/* Four samples a pixel, floats beside each other. */
static INLINE uint32_t test_by_samples(const struct db *db, struct db_test *t, unsigned function, uint8_t *host,
                                       uint32_t low, const struct raster_quad *quad)
{
    const struct cb_surface *surface = db->state->z;
    const int4 sample_bits = {1, 2, 4, 8};
    const float4 *column = find_column(db, t, quad), *row = find_row(db, t, quad);
#if defined(__AVX2__)
    if (are_in_twos(surface, function, low)) {
        float *top = (float *)(host + low), *bottom = (float *)(host + (low ^ surface->quad_xor[2]));
        return test_two_pixels(t, function, top, column, row, quad->mask) |
               test_two_pixels(t, function, bottom, column + 2, row + 2, quad->mask >> 16) << 16;
    }
#endif
    const int4 mask = splat_int((int32_t)quad->mask);
    int4 passed = splat_int(0);
    for (unsigned p = 0; p < 4; p++) {
        int4 mine = sample_bits << (int32_t)(8 * p), covered = (mask & mine) != 0;
        float *at = (float *)(host + (low ^ surface->quad_xor[p]));
        float4 z = clamp_depth(t, column[p] + row[p]), stored = load4(at);
        passed |= test_float(t, function, z, &stored, covered) & mine;
        if (t->write)
            memcpy(at, &stored, sizeof(stored));
    }
    return any_lane(passed);
}

static INLINE uint32_t test_in_block(const struct db *db, struct db_test *t, unsigned function, bool by_samples,
                                     const struct cb_block *block, const struct raster_quad *quad,
                                     const float *exported)
{
    if (!by_samples)
        return test_by_pixels(db, t, function, block, quad, exported);
    return test_by_samples(db, t, function, block->host[0],
                           block->low[0] ^ cb_block_bits(db->state->z, quad->x, quad->y), quad);
}

static bool has_sample_rows(const struct db_state *state)
{
    return state->z->samples_are_row && state->samples_log2 == 2 && state->z_format == AMD_Z_FORMAT_32_FLOAT;
}

/* ---- tiles whose samples are rows ---- */

/* NULL: its memory is not one piece, or it is partly nowhere; then it goes by blocks. */
static const struct db_tile *find_tile(struct db *db, const struct raster_quad *quad, uint32_t slice)
{
    const struct cb_surface *surface = db->state->z;
    struct db_tile *tile = &db->tile;
    const uint32_t x = quad->x >> SC_TILE_LOG2, y = quad->y >> SC_TILE_LOG2;
    if (tile->draw != db->draw || tile->x != x || tile->y != y || tile->slice != slice) {
        const uint64_t size_B = 1ull << surface->layout.equation.bit_count,
                       va = cb_surface_at(surface, x << SC_TILE_LOG2, y << SC_TILE_LOG2, slice, 0);
        *tile =
            (struct db_tile){.draw = db->draw, .x = x, .y = y, .slice = slice, .low = (uint32_t)(va & (size_B - 1))};
        if (surface->has_tiles)
            tile->host = gpu_space_whole(db->memory, va - tile->low, size_B,
                                         db->state->z_write ? GPU_PERM_READ | GPU_PERM_WRITE : GPU_PERM_READ);
    }
    return tile->host ? tile : NULL;
}

/* False: a fault or a stop. */
static INLINE bool is_expanded(struct db *db, const struct raster_quad *quad, uint32_t slice)
{
    return !db->state->htile || db_htile_is_known(db, quad->x, quad->y, slice) ||
           amd_db_htile_prepare(db, quad->x, quad->y, slice);
}

static INLINE uint32_t test_in_tile(struct db *db, struct db_test *t, unsigned function, const struct db_tile *tile,
                                    const struct raster_quad *quad, uint32_t slice)
{
    const struct cb_surface *surface = db->state->z;
    if (!is_expanded(db, quad, slice))
        return 0;
    const uint32_t low = tile->low ^ surface->quad_x[quad->x >> 1 & 31] ^ surface->quad_y[quad->y >> 1 & 31];
    return test_by_samples(db, t, function, tile->host, low, quad);
}

/* Quads of one primitive, and what was exported of their pixels or NULL. Returns how many samples pass. */
static INLINE uint64_t test_run(struct db *db, struct db_test *t, unsigned function, bool by_samples,
                                struct raster_quad *quads, uint32_t count, const float (*exported)[4])
{
    const struct db_state *state = db->state;
    const uint32_t slice = db_quad_slice(state, quads->prim);
    uint64_t passed = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct raster_quad *quad = &quads[i];
        if (!quad->mask)
            continue;
        const struct db_tile *tile = by_samples ? find_tile(db, quad, slice) : NULL;
        if (tile) {
            quad->mask = test_in_tile(db, t, function, tile, quad, slice);
            passed += (unsigned)__builtin_popcount(quad->mask);
            continue;
        }
        struct cb_block *block = cb_block_slot(db->blocks, state->z, quad->x, quad->y);
        if (!cb_block_is(state->z, block, db->draw, quad->x, quad->y, slice) &&
            !amd_db_quad_find_block(db, state->z, state->z_write, block, quad, slice)) {
            quad->mask = 0;
            continue;
        }
        quad->mask = test_in_block(db, t, function, by_samples, block, quad, exported ? exported[i] : NULL);
        passed += (unsigned)__builtin_popcount(quad->mask);
    }
    return passed;
}

/* The functions that nearly all programs use have code of their own; 0 stands for any. */
#define DEFINE_RUNS(name, function)                                                                                    \
    static uint64_t name##_samples(struct db *db, struct db_test *t, struct raster_quad *quads, uint32_t count)        \
    {                                                                                                                  \
        return test_run(db, t, function, true, quads, count, NULL);                                                    \
    }                                                                                                                  \
    static uint64_t name##_pixels(struct db *db, struct db_test *t, struct raster_quad *quads, uint32_t count)         \
    {                                                                                                                  \
        return test_run(db, t, function, false, quads, count, NULL);                                                   \
    }
DEFINE_RUNS(run_less, PIXEL_LESS)
DEFINE_RUNS(run_lequal, PIXEL_LESS_OR_EQUAL)
DEFINE_RUNS(run_greater, PIXEL_GREATER)
DEFINE_RUNS(run_gequal, PIXEL_GREATER_OR_EQUAL)
DEFINE_RUNS(run_any, 0)

/* With depths that the shader has exported. */
#define DEFINE_EXPORTED(name, function)                                                                                \
    static uint64_t name(struct db *db, struct db_test *t, struct raster_quad *quads, uint32_t count,                  \
                         const float(*z)[4])                                                                           \
    {                                                                                                                  \
        return test_run(db, t, function, false, quads, count, z);                                                      \
    }
DEFINE_EXPORTED(exported_less, PIXEL_LESS)
DEFINE_EXPORTED(exported_lequal, PIXEL_LESS_OR_EQUAL)
DEFINE_EXPORTED(exported_greater, PIXEL_GREATER)
DEFINE_EXPORTED(exported_gequal, PIXEL_GREATER_OR_EQUAL)
DEFINE_EXPORTED(exported_any, 0)

enum {
    FUNCTIONS = 5
};

static unsigned which_function(const struct db_state *state)
{
    switch (state->z_func) {
    case PIXEL_LESS:
        return 1;
    case PIXEL_LESS_OR_EQUAL:
        return 2;
    case PIXEL_GREATER:
        return 3;
    case PIXEL_GREATER_OR_EQUAL:
        return 4;
    default:
        return 0;
    }
}

void amd_db_test_quads_fast(struct db *db, struct raster_quad *quads, uint32_t count)
{
    static uint64_t (*const runs[FUNCTIONS][2])(struct db *, struct db_test *, struct raster_quad *,
                                                uint32_t) = {{run_any_pixels, run_any_samples},
                                                             {run_less_pixels, run_less_samples},
                                                             {run_lequal_pixels, run_lequal_samples},
                                                             {run_greater_pixels, run_greater_samples},
                                                             {run_gequal_pixels, run_gequal_samples}};
    const struct db_state *state = db->state;
    bool by_samples = has_sample_rows(state);
    struct db_test test;
    uint64_t passed = 0;
    if (!db->has_places)
        amd_db_quad_set_places(db);
    for (uint32_t first = 0, end; first < count; first = end) {
        const struct raster_prim *prim = quads[first].prim;
        for (end = first + 1; end < count && quads[end].prim == prim; end++)
            ;
        make_test(&test, state, prim);
        passed += runs[which_function(state)][by_samples](db, &test, quads + first, end - first);
    }
    if (state->count)
        db->zpass += passed;
}

void amd_db_test_quads_exported(struct db *db, struct raster_quad *quads, uint32_t count, const float (*z)[4])
{
    static uint64_t (*const runs[FUNCTIONS])(struct db *, struct db_test *, struct raster_quad *, uint32_t,
                                             const float(*)[4]) = {exported_any, exported_less, exported_lequal,
                                                                   exported_greater, exported_gequal};
    struct db_test test;
    uint64_t passed = 0;
    if (__builtin_expect(db->coherence != NULL, 0))
        amd_db_note(db, quads, count);
    for (uint32_t first = 0, end; first < count; first = end) {
        const struct raster_prim *prim = quads[first].prim;
        for (end = first + 1; end < count && quads[end].prim == prim; end++)
            ;
        make_test(&test, db->state, prim);
        test.clamp = db->state->clamp;
        passed += runs[which_function(db->state)](db, &test, quads + first, end - first, z + first);
    }
    if (db->state->count)
        db->zpass += passed;
}

/* ---- blocks of 8 by 8 pixels ---- */

/* A quad of depths against memory; `format` and `function` are constants where this is called. */
static INLINE int4 test_four(const struct db *db, const struct db_test *t, unsigned function, unsigned format,
                             uint8_t *host, uint32_t low, float4 z, int4 covered)
{
    const struct cb_surface *surface = db->state->z;
    int4 pass;
    if (format == AMD_Z_FORMAT_16) {
        ushort4 codes;
        load_quad(surface, host, low, sizeof(uint16_t), &codes);
        pass = test_unorm16(t, function, z, &codes, covered);
        if (t->write)
            store_quad(surface, host, low, sizeof(uint16_t), &codes);
    } else if (format == AMD_Z_FORMAT_24) {
        int4 codes;
        load_quad(surface, host, low, sizeof(uint32_t), &codes);
        pass = test_unorm24(t, function, z, &codes, covered);
        if (t->write)
            store_quad(surface, host, low, sizeof(uint32_t), &codes);
    } else {
        float4 stored;
        load_quad(surface, host, low, sizeof(float), &stored);
        pass = test_float(t, function, z, &stored, covered);
        if (t->write)
            store_quad(surface, host, low, sizeof(float), &stored);
    }
    return pass;
}

/* With one sample, of the pixels of `mask`: those that pass. The sums are those of depth_at. */
static INLINE uint64_t test_block(const struct db *db, const struct db_test *t, unsigned function, unsigned format,
                                  const struct cb_block *block, uint32_t x, uint32_t y, uint64_t mask)
{
    const struct cb_surface *surface = db->state->z;
    float4 column[4], row[4];
    uint64_t passed = 0;
    for (unsigned k = 0; k < 4; k++) {
        column[k] = t->at + t->dx * (splat((float)(x + 2 * k)) + load4(db->place_x[0]) - t->left);
        row[k] = t->dy * (splat((float)(y + 2 * k)) + load4(db->place_y[0]) - t->top);
    }
    for (unsigned q = 0; q < 16 && mask == UINT64_MAX; q++) {
        const uint32_t low = block->low[0] ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2];
        const float4 z = clamp_depth(t, column[q % 4] + row[q / 4]);
        const int4 pass = test_four(db, t, function, format, block->host[0], low, z, splat_int(-1));
        passed |= (uint64_t)any_lane(pass & db_quad_pixels) << db_quad_first(q);
    }
    if (mask == UINT64_MAX)
        return passed;
    bits_foreach (db_first_pixels(mask), first) {
        const unsigned right = (unsigned)first % 8, down = (unsigned)first / 8;
        const uint32_t low = block->low[0] ^ surface->block_x[right] ^ surface->block_y[down];
        const float4 z = clamp_depth(t, column[right / 2] + row[down / 2]);
        const int4 covered = (splat_int((int32_t)(mask >> first)) & db_quad_pixels) != 0;
        const int4 pass = test_four(db, t, function, format, block->host[0], low, z, covered);
        passed |= (uint64_t)any_lane(pass & db_quad_pixels) << first;
    }
    return passed;
}

typedef uint64_t (*part_test)(const struct db *db, const struct db_test *t, const struct cb_block *block, uint32_t x,
                              uint32_t y, uint64_t mask);

#define DEFINE_PART(name, function, format)                                                                            \
    static uint64_t name(const struct db *db, const struct db_test *t, const struct cb_block *block, uint32_t x,       \
                         uint32_t y, uint64_t mask)                                                                    \
    {                                                                                                                  \
        return test_block(db, t, function, format, block, x, y, mask);                                                 \
    }
#define DEFINE_PARTS(name, function)                                                                                   \
    DEFINE_PART(name##_16, function, AMD_Z_FORMAT_16)                                                                  \
    DEFINE_PART(name##_24, function, AMD_Z_FORMAT_24)                                                                  \
    DEFINE_PART(name##_float, function, AMD_Z_FORMAT_32_FLOAT)
DEFINE_PARTS(part_less, PIXEL_LESS)
DEFINE_PARTS(part_lequal, PIXEL_LESS_OR_EQUAL)
DEFINE_PARTS(part_greater, PIXEL_GREATER)
DEFINE_PARTS(part_gequal, PIXEL_GREATER_OR_EQUAL)
DEFINE_PARTS(part_any, 0)

/* The depth buffer's block of 8 by 8 pixels, number b of the tile; `at` is its first quad. NULL: a fault or a stop. */
static struct cb_block *enter_block(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile,
                                    int b, struct raster_quad *at)
{
    const struct cb_surface *surface = db->state->z;
    const uint32_t slice = db_quad_slice(db->state, prim);
    *at =
        (struct raster_quad){.prim = prim, .x = (uint16_t)(tile->x + b % 8 * 8), .y = (uint16_t)(tile->y + b / 8 * 8)};
    struct cb_block *block = cb_block_slot(db->blocks, surface, at->x, at->y);
    return cb_block_is(surface, block, db->draw, at->x, at->y, slice) ||
                   amd_db_quad_find_block(db, surface, db->state->z_write, block, at, slice)
               ? block
               : NULL;
}

void amd_db_test_parts(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile, uint64_t parts,
                       const uint64_t masks[64], uint64_t passed_out[64])
{
    static const part_test tests[FUNCTIONS][3] = {{part_any_16, part_any_24, part_any_float},
                                                  {part_less_16, part_less_24, part_less_float},
                                                  {part_lequal_16, part_lequal_24, part_lequal_float},
                                                  {part_greater_16, part_greater_24, part_greater_float},
                                                  {part_gequal_16, part_gequal_24, part_gequal_float}};
    const struct db_state *state = db->state;
    if (state->stencil_test) {
        amd_db_test_stencil_parts(db, prim, tile, parts, masks, passed_out);
        return;
    }
    const unsigned format = state->z_format == AMD_Z_FORMAT_16 ? 0 : state->z_format == AMD_Z_FORMAT_24 ? 1 : 2;
    const part_test run = tests[which_function(state)][format];
    struct db_test test;
    uint64_t passed = 0;
    if (!db->has_places)
        amd_db_quad_set_places(db);
    make_test(&test, state, prim);
    bits_foreach (parts, b) {
        struct raster_quad at;
        const struct cb_block *block = enter_block(db, prim, tile, b, &at);
        passed_out[b] = block ? run(db, &test, block, at.x, at.y, masks[b]) : 0;
        passed += (unsigned)__builtin_popcountll(passed_out[b]);
    }
    if (state->count)
        db->zpass += passed;
}

typedef void (*block_test)(const struct db *db, struct db_test *t, const struct cb_block *block, uint32_t x, uint32_t y,
                           uint32_t masks[16]);

/* With several samples, quad by quad. */
static INLINE void test_block_samples(const struct db *db, struct db_test *t, unsigned function, bool by_samples,
                                      const struct cb_block *block, uint32_t x, uint32_t y, uint32_t masks[16])
{
    for (unsigned q = 0; q < 16; q++) {
        const struct raster_quad quad = {.x = (uint16_t)(x + q % 4 * 2),
                                         .y = (uint16_t)(y + q / 4 * 2),
                                         .mask = (uint32_t)bits_mask(db->sc->samples) * 0x01010101u};
        masks[q] = test_in_block(db, t, function, by_samples, block, &quad, NULL);
    }
}

#define DEFINE_SAMPLES(name, function, by_samples)                                                                     \
    static void name(const struct db *db, struct db_test *t, const struct cb_block *block, uint32_t x, uint32_t y,     \
                     uint32_t masks[16])                                                                               \
    {                                                                                                                  \
        test_block_samples(db, t, function, by_samples, block, x, y, masks);                                           \
    }
DEFINE_SAMPLES(block_less_samples, PIXEL_LESS, true)
DEFINE_SAMPLES(block_lequal_samples, PIXEL_LESS_OR_EQUAL, true)
DEFINE_SAMPLES(block_greater_samples, PIXEL_GREATER, true)
DEFINE_SAMPLES(block_gequal_samples, PIXEL_GREATER_OR_EQUAL, true)
DEFINE_SAMPLES(block_any_samples, 0, true)
DEFINE_SAMPLES(block_less_pixels, PIXEL_LESS, false)
DEFINE_SAMPLES(block_lequal_pixels, PIXEL_LESS_OR_EQUAL, false)
DEFINE_SAMPLES(block_greater_pixels, PIXEL_GREATER, false)
DEFINE_SAMPLES(block_gequal_pixels, PIXEL_GREATER_OR_EQUAL, false)
DEFINE_SAMPLES(block_any_pixels, 0, false)

static void count_passed(struct db *db, const uint32_t masks[16])
{
    for (unsigned q = 0; q < 16 && db->state->count; q++)
        db->zpass += (unsigned)__builtin_popcount(masks[q]);
}

uint64_t amd_db_test_blocks(struct db *db, const struct raster_prim *prim, const struct raster_tile *tile,
                            uint64_t blocks, uint32_t masks_out[64][16])
{
    static const block_test tests[FUNCTIONS][2] = {{block_any_pixels, block_any_samples},
                                                   {block_less_pixels, block_less_samples},
                                                   {block_lequal_pixels, block_lequal_samples},
                                                   {block_greater_pixels, block_greater_samples},
                                                   {block_gequal_pixels, block_gequal_samples}};
    const struct db_state *state = db->state;
    if (state->stencil_test)
        return amd_db_test_stencil_blocks(db, prim, tile, blocks, masks_out);
    const block_test run = tests[which_function(state)][has_sample_rows(state)];
    const uint32_t all = (uint32_t)bits_mask(db->sc->samples) * 0x01010101u;
    struct db_test test;
    uint64_t whole = 0;
    if (!db->has_places)
        amd_db_quad_set_places(db);
    make_test(&test, state, prim);
    bits_foreach (blocks, b) {
        struct raster_quad at;
        const struct cb_block *block = enter_block(db, prim, tile, b, &at);
        uint32_t *masks = masks_out[b], common = all;
        if (!block) {
            memset(masks, 0, sizeof(masks_out[b]));
            continue;
        }
        run(db, &test, block, at.x, at.y, masks);
        for (unsigned q = 0; q < 16; q++)
            common &= masks[q];
        whole |= (uint64_t)(common == all) << b;
        count_passed(db, masks);
    }
    return whole;
}
