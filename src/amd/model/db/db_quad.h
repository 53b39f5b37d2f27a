/* Pieces of the depth test of four numbers at a time, which the tests without stencil (db_quad.c) and with it
 * (db_quad_stencil.c) are made of. For these two alone. */
#ifndef AMD_MODEL_DB_QUAD_H
#define AMD_MODEL_DB_QUAD_H

#include <string.h>

#include "amd/model/db/db.h"
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

#define COLUMNS (SC_TILE / 2)

/* The common part of a primitive's quads. */
struct db_test {
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
static inline bool is_clamped(const struct raster_prim *prim)
{
    const float4 x = {(float)prim->x0, (float)prim->x1, (float)prim->x0, (float)prim->x1},
                 y = {(float)prim->y0, (float)prim->y0, (float)prim->y1, (float)prim->y1};
    float4 z = prim->z.at + prim->z.dx * (x - prim->origin_x) + prim->z.dy * (y - prim->origin_y);
    int4 inside = (z > splat(prim->z_min)) & (z < splat(prim->z_max)); /* not NaN either */
    return (inside[0] & inside[1] & inside[2] & inside[3]) == 0;
}

static inline void make_test(struct db_test *t, const struct db_state *state, const struct raster_prim *prim)
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

static inline float4 clamp_depth(const struct db_test *t, float4 z)
{
    if (t->clamp) {
        z = choose(z > t->low, z, t->low);
        z = choose(z < t->high, z, t->high);
    }
    return z;
}

static inline float4 depth_at(const struct db_test *t, float4 x, float4 y)
{
    return clamp_depth(t, t->at + t->dx * (x - t->left) + t->dy * (y - t->top));
}

/* `function` is a constant where any of these is called: they are to be made for each. */
#define INLINE inline __attribute__((always_inline))

#define DECIDE(t, function, a, b)                                                                                      \
    ((function) == PIXEL_LESS            ? (a) < (b)                                                                   \
     : (function) == PIXEL_LESS_OR_EQUAL ? (a) <= (b)                                                                  \
     : (function) == PIXEL_GREATER       ? (a) > (b)                                                                   \
     : (function) == PIXEL_GREATER_OR_EQUAL                                                                            \
         ? (a) >= (b)                                                                                                  \
         : ((((a) < (b)) & (t)->less) | (((a) == (b)) & (t)->equal) | (((a) > (b)) & (t)->more) | (t)->always))

/* Pixels of `covered` that pass; `stored` becomes the value for memory. */
static INLINE int4 test_float(const struct db_test *t, unsigned function, float4 z, float4 *stored, int4 covered)
{
    float4 old = *stored;
    int4 pass = DECIDE(t, function, z, old) & covered;
    *stored = choose(pass, z, old);
    return pass;
}

static INLINE int4 test_unorm16(const struct db_test *t, unsigned function, float4 z, ushort4 *stored, int4 covered)
{
    float4 zero = splat(0), one = splat(1), clamped = choose(z > zero, z, zero); /* NaN becomes 0 */
    int4 code = __builtin_convertvector(choose(clamped < one, clamped, one) * 65535.0f + 0.5f, int4);
    int4 old = __builtin_convertvector(*stored, int4);
    int4 pass = DECIDE(t, function, code, old) & covered;
    *stored = __builtin_convertvector((code & pass) | (old & ~pass), ushort4);
    return pass;
}

static INLINE int4 test_unorm24(const struct db_test *t, unsigned function, float4 z, int4 *stored, int4 covered)
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

/* The union of four words. */
static inline uint32_t any_lane(int4 bits)
{
    typedef uint64_t ulong2 __attribute__((vector_size(16)));
    ulong2 pairs = (ulong2)bits;
    uint64_t both = pairs[0] | pairs[1];
    return (uint32_t)(both | both >> 32);
}

/* Pixels of a block of 8 by 8, a bit each, row by row: those of a quad from its first one on, and the first one of each
 * quad that has some. */
static const int4 db_quad_pixels = {1, 1 << 1, 1 << 8, 1 << 9};

static inline unsigned db_quad_first(unsigned q)
{
    return q / 4 * 16 + q % 4 * 2;
}

static inline uint64_t db_first_pixels(uint64_t mask)
{
    mask |= mask >> 1;
    mask |= mask >> 8;
    return mask & 0x0055005500550055ull;
}

/* A worker's places before the first quad of a draw. */
void amd_db_quad_set_places(struct db *db);

/* Look a block of the depth or stencil buffer up; HTILE's part of it is brought to memory. False: a fault or a stop. */
bool amd_db_quad_find_block(struct db *db, const struct cb_surface *surface, bool is_write, struct cb_block *block,
                            const struct raster_quad *quad, uint32_t slice);

static inline uint32_t db_quad_slice(const struct db_state *state, const struct raster_prim *prim)
{
    return MIN2(state->slice_start + prim->layer, state->slice_max);
}

#endif
