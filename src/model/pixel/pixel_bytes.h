/* Stencils of sixteen pixels as a vector of bytes, and masks, which are ones or zeros in a whole lane: for hosts whose
 * vectors have 16 bytes, or that are made of such. */
#ifndef MODEL_PIXEL_BYTES_H
#define MODEL_PIXEL_BYTES_H

#include "model/pixel/pixel.h"

typedef uint8_t pixel_bytes __attribute__((vector_size(16)));
typedef uint16_t pixel_shorts __attribute__((vector_size(16)));
typedef int32_t pixel_ints __attribute__((vector_size(16)));

#define PIXEL_BYTES_INLINE inline __attribute__((always_inline))

static PIXEL_BYTES_INLINE pixel_bytes pixel_bytes_splat(unsigned value)
{
    return (pixel_bytes){0} + (uint8_t)value;
}

static PIXEL_BYTES_INLINE pixel_bytes pixel_bytes_choose(pixel_bytes mask, pixel_bytes yes, pixel_bytes no)
{
    return (yes & mask) | (no & ~mask);
}

/* Masks from words to bytes and back. */
static PIXEL_BYTES_INLINE pixel_bytes pixel_bytes_narrow(const pixel_ints of[4])
{
    const pixel_shorts low =
                           __builtin_shufflevector((pixel_shorts)of[0], (pixel_shorts)of[1], 0, 2, 4, 6, 8, 10, 12, 14),
                       high =
                           __builtin_shufflevector((pixel_shorts)of[2], (pixel_shorts)of[3], 0, 2, 4, 6, 8, 10, 12, 14);
    return __builtin_shufflevector((pixel_bytes)low, (pixel_bytes)high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                   26, 28, 30);
}

static PIXEL_BYTES_INLINE void pixel_bytes_widen(pixel_ints to[4], pixel_bytes mask)
{
    const pixel_shorts low = (pixel_shorts)__builtin_shufflevector(mask, mask, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6,
                                                                   7, 7),
                       high = (pixel_shorts)__builtin_shufflevector(mask, mask, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
                                                                    13, 14, 14, 15, 15);
    to[0] = (pixel_ints)__builtin_shufflevector(low, low, 0, 0, 1, 1, 2, 2, 3, 3);
    to[1] = (pixel_ints)__builtin_shufflevector(low, low, 4, 4, 5, 5, 6, 6, 7, 7);
    to[2] = (pixel_ints)__builtin_shufflevector(high, high, 0, 0, 1, 1, 2, 2, 3, 3);
    to[3] = (pixel_ints)__builtin_shufflevector(high, high, 4, 4, 5, 5, 6, 6, 7, 7);
}

/* pixel_stencil_apply of each. */
static inline pixel_bytes pixel_bytes_apply(enum pixel_stencil op, pixel_bytes value, uint8_t reference, uint8_t operand)
{
    const pixel_bytes operands = pixel_bytes_splat(operand);
    switch (op) {
    case PIXEL_STENCIL_KEEP:
        return value;
    case PIXEL_STENCIL_ZERO:
        return pixel_bytes_splat(0);
    case PIXEL_STENCIL_ONES:
        return pixel_bytes_splat(0xff);
    case PIXEL_STENCIL_REFERENCE:
        return pixel_bytes_splat(reference);
    case PIXEL_STENCIL_OPERAND:
        return operands;
    case PIXEL_STENCIL_ADD_CLAMP:
        return (value + operands) | (pixel_bytes)(value + operands < value);
    case PIXEL_STENCIL_SUB_CLAMP:
        return (value - operands) & (pixel_bytes)(value > operands);
    case PIXEL_STENCIL_INVERT:
        return ~value;
    case PIXEL_STENCIL_ADD_WRAP:
        return value + operands;
    case PIXEL_STENCIL_SUB_WRAP:
        return value - operands;
    default: /* the logical ones, which no API has by itself */
        for (unsigned i = 0; i < 16; i++)
            value[i] = pixel_stencil_apply(op, value[i], reference, operand);
        return value;
    }
}

#endif
