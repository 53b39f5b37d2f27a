/* Primitives of the lane language that ir3 alone has (src/isa/lane.h has the others). */
#ifndef ADRENO_ISA_LANE_IR3_H
#define ADRENO_ISA_LANE_IR3_H

#include "isa/lane.h"

/* Bytes of a are signed, those of b are not. */
static inline int32_t adreno_lane_dot4_mixed_u32(uint32_t a, uint32_t b)
{
    return (int8_t)a * (uint8_t)b + (int8_t)(a >> 8) * (uint8_t)(b >> 8) + (int8_t)(a >> 16) * (uint8_t)(b >> 16) +
           (int8_t)(a >> 24) * (uint8_t)(b >> 24);
}

/* Exact: what is denormal as a half is not as a single. */
static inline float adreno_lane_widen_f16(lane_f16 x)
{
    return lane_f32_from_f16(x);
}

#endif
