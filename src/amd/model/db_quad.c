/* The depth test of a quad, a sample of all four pixels at a time: no stencil, no bounds, nothing exported. Not for the
 * rest (db_test.c), whose results these are. */
#include "amd/model/db.h"

#include <string.h>

#include "util/bits.h"

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef uint16_t ushort4 __attribute__((vector_size(8)));

static const int4 pixel_bits = {1, 1 << 8, 1 << 16, 1 << 24};

static float4 splat(float value)
{
    return (float4){value, value, value, value};
}

static float4 load4(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static float4 choose(int4 mask, float4 yes, float4 no)
{
    return (float4)(((int4)yes & mask) | ((int4)no & ~mask));
}

static void set_places(struct db *db)
{
    for (unsigned s = 0; s < SC_MAX_SAMPLES; s++) {
        for (unsigned p = 0; p < 4; p++) {
            db->place_x[s][p] = (float)(p & 1) + db->sc->x[p][s] / (float)SC_LOCATION_ONE;
            db->place_y[s][p] = (float)(p >> 1) + db->sc->y[p][s] / (float)SC_LOCATION_ONE;
        }
    }
    db->has_places = true;
}

static bool find_block(struct db *db, const struct sc_quad *quad, uint32_t slice)
{
    const struct db_state *state = db->state;
    const struct cb_surface *surface = state->z;
    struct cb_block *block = &db->block;
    block->valid = false;
    if (state->htile && !db_htile_prepare(db, quad->x, quad->y, slice))
        return false;
    block->x = cb_block_first(surface, quad->x);
    block->y = cb_block_first(surface, quad->y);
    block->slice = slice;
    for (unsigned s = 0; s < 1u << state->samples_log2; s++) {
        uint64_t va = cb_surface_at(surface, block->x, block->y, slice, s);
        block->low[s] = (uint16_t)(va & (surface->block_B - 1u));
        block->host[s] = db_access(db, va - block->low[s], surface->block_B, state->z_write);
        if (!block->host[s])
            return false;
    }
    block->valid = true;
    return true;
}

/* A lane of all ones where the test passes, by what is known of its two numbers; NaN passes nothing but "always". */
static inline int4 decide(unsigned function, int4 is_less, int4 is_equal, int4 is_more)
{
    if (function == AMD_COMPARE_ALWAYS)
        return (int4){-1, -1, -1, -1};
    int32_t less = -(int32_t)(function & 1), equal = -(int32_t)(function >> 1 & 1),
            more = -(int32_t)(function >> 2 & 1);
    return (is_less & less) | (is_equal & equal) | (is_more & more);
}

static float4 depth_of(const struct db *db, const struct sc_quad *quad, unsigned sample)
{
    const struct pa_prim *prim = quad->prim;
    float4 x = splat((float)quad->x) + load4(db->place_x[sample]) - splat(prim->origin_x);
    float4 y = splat((float)quad->y) + load4(db->place_y[sample]) - splat(prim->origin_y);
    float4 z = prim->z.at + prim->z.dx * x + prim->z.dy * y;
    if (db->state->clamp) {
        float4 low = splat(prim->z_min), high = splat(prim->z_max);
        z = choose(z > low, z, low);
        z = choose(z < high, z, high);
    }
    return z;
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

static int4 test_float(const struct db_state *state, uint8_t *host, uint32_t low, float4 z, int4 covered)
{
    float4 stored;
    load_quad(state->z, host, low, sizeof(float), &stored);
    int4 pass = decide(state->z_func, z<stored, z == stored, z> stored) & covered;
    if (state->z_write) {
        stored = choose(pass, z, stored);
        store_quad(state->z, host, low, sizeof(float), &stored);
    }
    return pass;
}

static int4 test_unorm16(const struct db_state *state, uint8_t *host, uint32_t low, float4 z, int4 covered)
{
    float4 zero = splat(0), one = splat(1), clamped = choose(z > zero, z, zero); /* NaN becomes 0 */
    int4 code = __builtin_convertvector(choose(clamped < one, clamped, one) * 65535.0f + 0.5f, int4);
    ushort4 elements;
    load_quad(state->z, host, low, sizeof(uint16_t), &elements);
    int4 stored = __builtin_convertvector(elements, int4);
    int4 pass = decide(state->z_func, code<stored, code == stored, code> stored) & covered;
    if (state->z_write) {
        elements = __builtin_convertvector((code & pass) | (stored & ~pass), ushort4);
        store_quad(state->z, host, low, sizeof(uint16_t), &elements);
    }
    return pass;
}

/* The bits of one sample's pixels that pass. */
static uint32_t test_sample(struct db *db, const struct sc_quad *quad, unsigned sample)
{
    const struct db_state *state = db->state;
    int32_t bits = (int32_t)(quad->mask >> sample & 0x01010101u);
    int4 covered = ((int4){bits, bits, bits, bits} & pixel_bits) != 0;
    uint32_t low = db->block.low[sample] ^ cb_block_bits(state->z, quad->x, quad->y);
    uint8_t *host = db->block.host[sample];
    float4 z = depth_of(db, quad, sample);
    int4 found = state->z_format == AMD_Z_FORMAT_16 ? test_unorm16(state, host, low, z, covered)
                                                    : test_float(state, host, low, z, covered);
    found &= pixel_bits;
    return (uint32_t)(found[0] | found[1] | found[2] | found[3]) << sample;
}

void db_test_quad_fast(struct db *db, struct sc_quad *quad)
{
    const struct db_state *state = db->state;
    uint32_t slice = MIN2(state->slice_start + quad->prim->layer, state->slice_max), mask = 0;
    if (!db->has_places)
        set_places(db);
    if (!cb_block_is(state->z, &db->block, quad->x, quad->y, slice) && !find_block(db, quad, slice)) {
        quad->mask = 0;
        return;
    }
    for (unsigned s = 0; s < 1u << state->samples_log2; s++) {
        if (quad->mask >> s & 0x01010101u)
            mask |= test_sample(db, quad, s);
    }
    quad->mask = mask;
    if (state->count)
        db->zpass += (unsigned)__builtin_popcount(mask);
}
