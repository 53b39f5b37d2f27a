/* What the generated packers and unpackers are made of. Everything folds to shifts and masks when the generation is a
 * constant; a value that does not fit its field is the caller's mistake and asserts. */
#ifndef AMD_HW_PACK_H
#define AMD_HW_PACK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "amd/hw/chip.h"

static inline uint64_t amd_put_uint(uint64_t value, unsigned width)
{
    uint64_t mask = width >= 64 ? UINT64_MAX : (1ull << width) - 1;
    assert((value & ~mask) == 0);
    return value & mask;
}

static inline uint64_t amd_put_int(int64_t value, unsigned width)
{
    assert(width >= 64 || (value >= -(1ll << (width - 1)) && value < 1ll << (width - 1)));
    return (uint64_t)value & (width >= 64 ? UINT64_MAX : (1ull << width) - 1);
}

static inline uint64_t amd_put_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* A field that this generation does not have must be left zero. */
static inline void amd_put_nothing(uint64_t value)
{
    assert(value == 0);
    (void)value;
}

/* `width` bits from bit `low` of a row of dwords; at most three are touched, and only those. */
static inline uint64_t amd_get_uint(const uint32_t *dw, unsigned low, unsigned width)
{
    unsigned first = low / 32, shift = low % 32;
    uint64_t value = (uint64_t)dw[first] >> shift;
    if (shift + width > 32)
        value |= (uint64_t)dw[first + 1] << (32 - shift);
    if (shift + width > 64)
        value |= (uint64_t)dw[first + 2] << (64 - shift);
    return width >= 64 ? value : value & ((1ull << width) - 1);
}

static inline int64_t amd_get_int(const uint32_t *dw, unsigned low, unsigned width)
{
    return (int64_t)(amd_get_uint(dw, low, width) << (64 - width)) >> (64 - width);
}

static inline float amd_get_float(const uint32_t *dw, unsigned low)
{
    uint32_t bits = (uint32_t)amd_get_uint(dw, low, 32);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The header of a type-3 packet. */
#define AMD_PKT_TYPE(header) ((header) >> 30)
#define AMD_PKT3_OPCODE(header) ((header) >> 8 & 0xff)
#define AMD_PKT3_PREDICATE(header) ((header)&1)
#define AMD_PKT3_COMPUTE(header) ((header) >> 1 & 1) /* the registers and state of compute, not of graphics */
#define AMD_PKT3_RESET_FILTER_CAM(header) ((header) >> 2 & 1)
#define AMD_PKT_COUNT(header) ((header) >> 16 & 0x3fff)
#define AMD_PKT2_FILLER 0x80000000u
#define AMD_PKT3_NOP_FILLER 0xffff1000u /* a NOP whose count says -1: the header alone */

/* The header's flags, common to all packets. */
struct amd_pkt_flags {
    bool predicate;
    bool compute;
    bool reset_filter_cam;
};

/* `length_dw` counts the header; 1 is for NOP alone. */
static inline uint32_t amd_pkt3_header(unsigned opcode, unsigned length_dw, struct amd_pkt_flags flags)
{
    assert(length_dw >= 1 && length_dw <= 0x4000);
    return 3u << 30 | ((length_dw - 2) & 0x3fff) << 16 | opcode << 8 | (uint32_t)flags.reset_filter_cam << 2 |
           (uint32_t)flags.compute << 1 | (uint32_t)flags.predicate;
}

/* One field of a register's value: AMD_GET(gfx, CB_COLOR_INFO, FORMAT, word). */
#define AMD_GET(gfx, reg, field, word) (amd_unpack_##reg((gfx), (word)).field)

/* A register's value from its fields: AMD_PACK(gfx, CB_COLOR_INFO, .FORMAT = …, .COMP_SWAP = …). */
#define AMD_PACK(gfx, reg, ...) (amd_pack_##reg((gfx), &(const struct amd_##reg){__VA_ARGS__}))

#endif
