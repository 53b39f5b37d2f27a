/* Elements of 1, 2, 4, 8 or 16 bytes between memory and rows of dwords, of which rows[i] has dword i of every lane: one
 * element, or four that lie beside each other in memory. Sizes are known where these are compiled. Not for: where
 * elements are. */
#ifndef MODEL_PIXEL_ELEMENTS_H
#define MODEL_PIXEL_ELEMENTS_H

#include <stdint.h>
#include <string.h>

#include "model/pixel/pixel.h"

#define PIXEL_INLINE static inline __attribute__((always_inline))

typedef uint32_t pixel_four __attribute__((vector_size(16)));

PIXEL_INLINE pixel_four pixel_four_load(const void *from)
{
    pixel_four four;
    memcpy(&four, from, sizeof(four));
    return four;
}

PIXEL_INLINE void pixel_four_store(void *to, pixel_four four)
{
    memcpy(to, &four, sizeof(four));
}

PIXEL_INLINE void pixel_put_element(void *host, const uint32_t (*rows)[PIXEL_LANES], uint32_t lane, unsigned element_B)
{
    uint32_t element[4];
    for (unsigned i = 0; i * 4 < element_B; i++)
        element[i] = rows[i][lane];
    memcpy(host, element, element_B);
}

PIXEL_INLINE void pixel_get_element(const void *host, uint32_t (*rows)[PIXEL_LANES], uint32_t lane, unsigned element_B)
{
    uint32_t element[4] = {0};
    memcpy(element, host, element_B);
    for (unsigned i = 0; i * 4 < element_B; i++)
        rows[i][lane] = element[i];
}

PIXEL_INLINE void pixel_fours_transpose(const pixel_four in[4], pixel_four out[4])
{
    const pixel_four a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5),
                     b = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5),
                     c = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7),
                     d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/* The low byte or half of each dword side by side, at the beginning; and back. Shuffles, for compilers take conversions
 * of vectors so small apart to single lanes. */
typedef uint8_t pixel_bytes16 __attribute__((vector_size(16)));
typedef uint16_t pixel_shorts8 __attribute__((vector_size(16)));

PIXEL_INLINE pixel_bytes16 pixel_four_to_bytes(pixel_four four)
{
    const pixel_bytes16 in = (pixel_bytes16)four;
    return __builtin_shufflevector(in, in, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
}

PIXEL_INLINE pixel_shorts8 pixel_four_to_shorts(pixel_four four)
{
    const pixel_shorts8 in = (pixel_shorts8)four;
    return __builtin_shufflevector(in, in, 0, 2, 4, 6, 0, 2, 4, 6);
}

PIXEL_INLINE pixel_four pixel_four_of_bytes(pixel_bytes16 in)
{
    const pixel_bytes16 zero = {0};
    return (pixel_four)__builtin_shufflevector(in, zero, 0, 16, 16, 16, 1, 16, 16, 16, 2, 16, 16, 16, 3, 16, 16, 16);
}

PIXEL_INLINE pixel_four pixel_four_of_shorts(pixel_shorts8 in)
{
    const pixel_shorts8 zero = {0};
    return (pixel_four)__builtin_shufflevector(in, zero, 0, 8, 1, 8, 2, 8, 3, 8);
}

/* Four elements beside each other: words[i] is dword i of each, or what there is of one. */
PIXEL_INLINE void pixel_put_four(uint8_t *at, const pixel_four words[], unsigned element_B)
{
    if (element_B == 1) {
        const pixel_bytes16 codes = pixel_four_to_bytes(words[0]);
        memcpy(at, &codes, 4);
    } else if (element_B == 2) {
        const pixel_shorts8 codes = pixel_four_to_shorts(words[0]);
        memcpy(at, &codes, 8);
    } else if (element_B == 4) {
        pixel_four_store(at, words[0]);
    } else if (element_B == 8) {
        pixel_four_store(at, __builtin_shufflevector(words[0], words[1], 0, 4, 1, 5));
        pixel_four_store(at + 16, __builtin_shufflevector(words[0], words[1], 2, 6, 3, 7));
    } else {
        pixel_four elements[4];
        pixel_fours_transpose(words, elements);
        for (unsigned i = 0; i < 4; i++)
            pixel_four_store(at + 16 * i, elements[i]);
    }
}

PIXEL_INLINE void pixel_get_four(const uint8_t *at, pixel_four words[], unsigned element_B)
{
    if (element_B == 1) {
        uint32_t codes;
        memcpy(&codes, at, sizeof(codes));
        words[0] = pixel_four_of_bytes((pixel_bytes16)(pixel_four){codes});
    } else if (element_B == 2) {
        typedef uint64_t words2 __attribute__((vector_size(16)));
        uint64_t codes;
        memcpy(&codes, at, sizeof(codes));
        words[0] = pixel_four_of_shorts((pixel_shorts8)(words2){codes});
    } else if (element_B == 4) {
        words[0] = pixel_four_load(at);
    } else if (element_B == 8) {
        const pixel_four left = pixel_four_load(at), right = pixel_four_load(at + 16);
        words[0] = __builtin_shufflevector(left, right, 0, 2, 4, 6);
        words[1] = __builtin_shufflevector(left, right, 1, 3, 5, 7);
    } else {
        pixel_four elements[4];
        for (unsigned i = 0; i < 4; i++)
            elements[i] = pixel_four_load(at + 16 * i);
        pixel_fours_transpose(elements, words);
    }
}

#endif
