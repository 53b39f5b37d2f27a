/* Hashing for tables: a mixer for integers and xxHash for bytes. Not for content that is stored or exchanged: there the
 * whole key is compared, too. */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline uint64_t hash_u64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

static inline uint64_t hash_bytes(const void *data, size_t size_B)
{
    return XXH3_64bits(data, size_B);
}

#endif
