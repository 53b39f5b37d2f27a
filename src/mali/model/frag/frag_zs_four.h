/* Depths of four pixels at a time: a quad of one sample. Not for stencil, nor for depths that shaders give. */
#ifndef MALI_MODEL_FRAG_ZS_FOUR_H
#define MALI_MODEL_FRAG_ZS_FOUR_H

#include "mali/model/frag/frag.h"

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef uint64_t ulong2 __attribute__((vector_size(16)));

static inline int4 choose(int4 which, int4 a, int4 b)
{
    return (which & a) | (~which & b);
}

/* The bits that any of the four has. */
static inline uint32_t any_bits(int4 all)
{
    const ulong2 halves = (ulong2)all;
    const uint64_t both = halves[0] | halves[1];
    return (uint32_t)(both | both >> 32);
}

/* The code of each of four depths; `format` is a constant where this and what is below are called. */
static inline __attribute__((always_inline)) int4 encode_four(unsigned format, float4 z)
{
    const float4 zero = {0}, one = zero + 1.0f, middle = zero + 8388608.0f, half = zero + 0.5f;
    if (format == MALI_Z_INTERNAL_FORMAT_D32)
        return (int4)z;
    const float4 above = (float4)((z > zero) & (int4)z), unit = (float4)choose(above < one, (int4)above, (int4)one);
    if (format == MALI_Z_INTERNAL_FORMAT_D16)
        return __builtin_convertvector(unit * 65535.0f + half, int4);
    const float4 product = unit * 16777215.0f;
    return __builtin_convertvector(product + (float4)((product < middle) & (int4)half), int4);
}

/* The relations of a look at depths that pass, all ones each, and whether the depths that pass are written. */
struct z_look {
    int4 less, equal, greater;
    float4 low, high; /* what the draw clamps depths to */
    bool is_always, writes;
};

static inline struct z_look z_look_of(const struct frag_draw *draw, unsigned compare, bool writes)
{
    const int4 none = {0};
    const float4 zero = {0};
    return (struct z_look){.less = none - !!(compare & PIXEL_LESS),
                           .equal = none - !!(compare & PIXEL_EQUAL),
                           .greater = none - !!(compare & PIXEL_GREATER),
                           .low = zero + draw->clamp_min,
                           .high = zero + draw->clamp_max,
                           .is_always = compare == PIXEL_ALWAYS,
                           .writes = writes};
}

/* The quad whose first pixel is (x, y), at the sample's place in a pixel: which of the `covered` ones, all ones each,
 * pass. */
static inline __attribute__((always_inline)) int4 look_at_four(const struct z_look *look, unsigned format,
                                                               const struct raster_prim *prim, const float at[2],
                                                               const float place[2], int4 covered, uint32_t *cells)
{
    const float4 right = {0, 1, 0, 1}, down = {0, 0, 1, 1}, at_x = at[0] + right + place[0] - prim->origin_x,
                 at_y = at[1] + down + place[1] - prim->origin_y,
                 z = prim->z.at + prim->z.dx * at_x + prim->z.dy * at_y,
                 above = (float4)choose(z > look->low, (int4)z, (int4)look->low);
    const int4 code = encode_four(format, (float4)choose(above < look->high, (int4)above, (int4)look->high));
    int4 holds = covered, stored;
    memcpy(&stored, cells, sizeof(stored));
    if (!look->is_always && format == MALI_Z_INTERNAL_FORMAT_D32)
        holds &= (look->less & ((float4)code < (float4)stored)) | (look->equal & ((float4)code == (float4)stored)) |
                 (look->greater & ((float4)code > (float4)stored));
    else if (!look->is_always) /* codes have no sign */
        holds &=
            (look->less & (code < stored)) | (look->equal & (code == stored)) | (look->greater & (code > stored));
    if (look->writes) {
        const int4 kept = choose(holds, code, stored);
        memcpy(cells, &kept, sizeof(kept));
    }
    return holds;
}

#endif
