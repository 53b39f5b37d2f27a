/* The headers of Radeon's packets. What packers and unpackers are made of is in hw/pack.h. */
#ifndef AMD_HW_PACK_H
#define AMD_HW_PACK_H

#include "amd/hw/chip.h"
#include "hw/pack.h"

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
