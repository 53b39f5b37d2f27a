/* The bits of a compressed block of 16 bytes, read from the lowest one up. */
#ifndef UTIL_FORMAT_BLOCK_BITS_H
#define UTIL_FORMAT_BLOCK_BITS_H

#include <stdint.h>

#include "util/format/load_store.h"

struct block_bits {
    uint64_t low, high;
};

static inline struct block_bits block_bits_start(const uint8_t *block)
{
    return (struct block_bits){format_load64(block), format_load64(block + 8)};
}

/* Up to 32 bits; zeros after the last one. */
static inline uint32_t block_bits_take(struct block_bits *bits, unsigned count)
{
    if (!count)
        return 0;
    uint32_t value = (uint32_t)(bits->low & ((1ull << count) - 1));
    bits->low = bits->low >> count | bits->high << (64 - count);
    bits->high >>= count;
    return value;
}

/* `count` bits (1 to 128) from bit `first` (below 128), as the start of a stream that has zeros after them. */
static inline struct block_bits block_bits_slice(struct block_bits bits, unsigned first, unsigned count)
{
    if (first >= 64) {
        bits.low = bits.high;
        bits.high = 0;
        first -= 64;
    }
    if (first) {
        bits.low = bits.low >> first | bits.high << (64 - first);
        bits.high >>= first;
    }
    if (count < 64) {
        bits.low &= (1ull << count) - 1;
        bits.high = 0;
    } else if (count < 128) {
        bits.high &= (1ull << (count - 64)) - 1;
    }
    return bits;
}

#endif
