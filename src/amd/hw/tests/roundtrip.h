/* One row of the generated test tables: the typed code of a register, packet or descriptor without its type. */
#ifndef AMD_HW_TESTS_ROUNDTRIP_H
#define AMD_HW_TESTS_ROUNDTRIP_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/chip.h"

struct roundtrip {
    const char *name;
    /* Unpack and pack again; false when a packet was refused as too short. */
    bool (*repack)(enum amd_gfx gfx, const uint32_t *in_dw, unsigned count_dw, uint32_t *out_dw);
    /* The member of the unpacked struct that stands for field number `field`, as raw bits. */
    uint64_t (*member)(enum amd_gfx gfx, const uint32_t *in_dw, unsigned count_dw, unsigned field);
};

/* In the order of amd_regs, amd_packets, amd_sdma_packets and amd_descriptors. */
extern const struct roundtrip roundtrip_regs[];
extern const struct roundtrip roundtrip_packets[];
extern const struct roundtrip roundtrip_sdmas[];
extern const struct roundtrip roundtrip_descriptors[];

#endif
