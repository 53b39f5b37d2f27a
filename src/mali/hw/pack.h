/* Mali's own part of packing: the only generation of the tables, and registers of a queue by the names that an
 * instruction knows them by. What packers and unpackers are made of is in hw/pack.h. */
#ifndef MALI_HW_PACK_H
#define MALI_HW_PACK_H

#include "hw/pack.h"

/* The only column of the tables. */
enum mali_generation {
    MALI_V10,
};

/* The number of a queue's register: MALI_SR(IDVS_SCISSOR) is 42. Rows of the tables have their space above it. */
#define MALI_SR(name) (MALI_REG_##name & 0xffu)

#define MALI_CS_OPCODE(word) ((unsigned)((word) >> 56))

/* One field of a register's value: MALI_GET(IDVS_SCISSOR, MIN_X, word). */
#define MALI_GET(reg, field, word) (mali_unpack_##reg(word).field)

/* A register's value from its fields, and an instruction from its own: MALI_CS(MOVE32, .DESTINATION = 3, …). */
#define MALI_PACK(reg, ...) (mali_pack_##reg(&(const struct mali_##reg){__VA_ARGS__}))
#define MALI_CS(name, ...) (mali_pack_cs_##name(&(const struct mali_cs_##name){__VA_ARGS__}))

#endif
