/* Little-endian units at any address. Both hosts are little-endian, so that a copy of the bytes is the load. */
#ifndef UTIL_FORMAT_LOAD_STORE_H
#define UTIL_FORMAT_LOAD_STORE_H

#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "formats are loaded as the host's words");

static inline uint32_t format_load8(const uint8_t *from)
{
    return *from;
}

static inline uint32_t format_load16(const uint8_t *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static inline uint32_t format_load32(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static inline uint64_t format_load64(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static inline void format_store8(uint8_t *to, uint32_t value)
{
    *to = (uint8_t)value;
}

static inline void format_store16(uint8_t *to, uint32_t value)
{
    uint16_t narrow = (uint16_t)value;
    memcpy(to, &narrow, sizeof(narrow));
}

static inline void format_store32(uint8_t *to, uint32_t value)
{
    memcpy(to, &value, sizeof(value));
}

static inline void format_store64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof(value));
}

#endif
