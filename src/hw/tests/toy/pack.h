/* The header of the made-up family's packets: opcode above, length below. */
#ifndef HW_TESTS_TOY_PACK_H
#define HW_TESTS_TOY_PACK_H

#include "hw/pack.h"

static inline uint32_t toy_header(unsigned opcode, unsigned length_dw)
{
    return (uint32_t)opcode << 16 | length_dw;
}

#endif
