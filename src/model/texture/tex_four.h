/* Four lanes, or the four channels of a texel, as one vector of the host, for sums over texels of an area
 * (tex_area.c). */
#ifndef MODEL_TEXTURE_TEX_FOUR_H
#define MODEL_TEXTURE_TEX_FOUR_H

#include <string.h>

#include "model/pixel/pixel.h"
#include "model/texture/tex_run.h"

typedef float tex_four __attribute__((vector_size(16)));
typedef int32_t tex_four_i32 __attribute__((vector_size(16)));

TEX_INLINE tex_four tex_four_load(const float *from)
{
    tex_four value;
    memcpy(&value, from, sizeof(value));
    return value;
}

TEX_INLINE void tex_four_store(float *to, tex_four value)
{
    memcpy(to, &value, sizeof(value));
}

TEX_INLINE void tex_four_transpose(tex_four v[4])
{
    const tex_four low_01 = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5),
                   low_23 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5),
                   high_01 = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7),
                   high_23 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(low_01, low_23, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(low_01, low_23, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(high_01, high_23, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(high_01, high_23, 2, 3, 6, 7);
}

/* Two neighbours each of two lanes. */
TEX_INLINE tex_four tex_four_pairs(const float *first, const float *second)
{
    typedef double two __attribute__((vector_size(16)));
    double pair[2];
    memcpy(&pair[0], first, sizeof(pair[0]));
    memcpy(&pair[1], second, sizeof(pair[1]));
    return (tex_four)(two){pair[0], pair[1]};
}

/* Texels of one channel for four lanes, by tap; `first` are the numbers of their first ones, `pitch` those of a row. */
TEX_INLINE void tex_four_taps(tex_four taps[4], const float *texels, uint32_t pitch, const uint32_t *first)
{
    for (unsigned row = 0; row < 2; row++) {
        const float *const from = texels + row * pitch;
        const tex_four low = tex_four_pairs(from + first[0], from + first[1]),
                       high = tex_four_pairs(from + first[2], from + first[3]);
        taps[2 * row] = __builtin_shufflevector(low, high, 0, 2, 4, 6);
        taps[2 * row + 1] = __builtin_shufflevector(low, high, 1, 3, 5, 7);
    }
}

/* As tex_channels.c compares. */
TEX_INLINE tex_four_i32 tex_four_passes(unsigned function, tex_four reference, tex_four texel)
{
    switch (function) {
    case PIXEL_NEVER:
        return (tex_four_i32){0};
    case PIXEL_LESS:
        return reference < texel;
    case PIXEL_EQUAL:
        return reference == texel;
    case PIXEL_LESS_OR_EQUAL:
        return reference <= texel;
    case PIXEL_GREATER:
        return reference > texel;
    case PIXEL_NOT_EQUAL:
        return reference != texel;
    case PIXEL_GREATER_OR_EQUAL:
        return reference >= texel;
    default:
        return ~(tex_four_i32){0};
    }
}

#endif
