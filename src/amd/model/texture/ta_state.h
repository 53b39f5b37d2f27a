/* The texture unit's state besides descriptors: set by the block that launches waves, the same for all waves of a
 * launch. */
#ifndef AMD_MODEL_TA_STATE_H
#define AMD_MODEL_TA_STATE_H

#include <stdint.h>

struct ta_state {
    uint64_t work;           /* a number that no other launch has; 0: metadata may change meanwhile */
    uint32_t gb_addr_config; /* how the chip's memory is interleaved: the swizzle equations depend on it */
    uint64_t
        border_va; /* TA_BC_BASE_ADDR, or TA_CS_BC_BASE_ADDR of compute, as an address: a table of four dwords each */
};

#endif
