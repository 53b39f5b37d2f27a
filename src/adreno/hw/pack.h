/* The headers of Adreno's packets, types 4 and 7. What packers and unpackers are made of is in hw/pack.h.
 *
 * A header carries a parity bit for each of its parts, which makes the number of ones odd. The command processor does
 * not accept a word with wrong parity as a header. */
#ifndef ADRENO_HW_PACK_H
#define ADRENO_HW_PACK_H

#include "hw/pack.h"

/* The only column of the tables. */
enum adreno_generation {
    ADRENO_A6XX,
};

#define ADRENO_PKT_TYPE(header) ((header) >> 28)
#define ADRENO_PKT4_COUNT(header) ((header)&0x7f)
#define ADRENO_PKT4_REG(header) ((header) >> 8 & 0x3ffff)
#define ADRENO_PKT7_COUNT(header) ((header)&0x3fff)
#define ADRENO_PKT7_OPCODE(header) ((header) >> 16 & 0x7f)
#define ADRENO_PKT4_MAX_COUNT 0x7fu
#define ADRENO_PKT7_MAX_COUNT 0x3fffu

/* The bit that makes the ones of `value` odd. */
static inline uint32_t adreno_parity(uint32_t value)
{
    return (uint32_t)__builtin_parity(value) ^ 1;
}

/* Writes `count` consecutive registers. */
static inline uint32_t adreno_pkt4_header(unsigned reg, unsigned count)
{
    assert(count <= ADRENO_PKT4_MAX_COUNT && reg <= 0x3ffff);
    return 4u << 28 | adreno_parity(reg) << 27 | reg << 8 | adreno_parity(count) << 7 | count;
}

/* `length_dw` counts the header. */
static inline uint32_t adreno_pkt7_header(unsigned opcode, unsigned length_dw)
{
    unsigned count = length_dw - 1;
    assert(length_dw >= 1 && count <= ADRENO_PKT7_MAX_COUNT && opcode <= 0x7f);
    return 7u << 28 | adreno_parity(opcode) << 23 | opcode << 16 | adreno_parity(count) << 15 | count;
}

static inline bool adreno_is_pkt4(uint32_t header)
{
    return ADRENO_PKT_TYPE(header) == 4 && (header >> 26 & 1) == 0 &&
           (header >> 27 & 1) == adreno_parity(ADRENO_PKT4_REG(header)) &&
           (header >> 7 & 1) == adreno_parity(ADRENO_PKT4_COUNT(header));
}

static inline bool adreno_is_pkt7(uint32_t header)
{
    return ADRENO_PKT_TYPE(header) == 7 && (header >> 24 & 0xf) == 0 && (header >> 14 & 1) == 0 &&
           (header >> 23 & 1) == adreno_parity(ADRENO_PKT7_OPCODE(header)) &&
           (header >> 15 & 1) == adreno_parity(ADRENO_PKT7_COUNT(header));
}

/* One field of a register's value: ADRENO_GET(RB_MRT_BUF_INFO, COLOR_FORMAT, word). */
#define ADRENO_GET(reg, field, word) (adreno_unpack_##reg(word).field)

/* A register's value from its fields: ADRENO_PACK(RB_MRT_BUF_INFO, .COLOR_FORMAT = …, .COLOR_SWAP = …). */
#define ADRENO_PACK(reg, ...) (adreno_pack_##reg(&(const struct adreno_##reg){__VA_ARGS__}))

#endif
