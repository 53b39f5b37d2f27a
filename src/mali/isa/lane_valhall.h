/* Primitives of the lane language that Valhall alone has (src/isa/lane.h has the others). */
#ifndef MALI_ISA_LANE_VALHALL_H
#define MALI_ISA_LANE_VALHALL_H

#include "isa/lane.h"

/* Exact: what is denormal as a half is not as a single. */
static inline float mali_lane_widen_f16(lane_f16 x)
{
    return lane_f32_from_f16(x);
}

/* log2(f) / (f - 1) of the number scaled to f in [0.75, 1.5): the slope of the line from 1. Zero and infinity give
 * infinity, so that the logarithm, with f - 1 of -1 and infinity, is infinite. */
static inline float mali_lane_log_slope_f32(float x)
{
    const uint32_t u = lane_bits_f32(x), exponent = u & 0x7f800000u, fraction = u & 0x7fffffu;
    const uint32_t infinite = 0x7f800000u;
    /* f in [0.75, 1.5): exponent 126 where the fraction reaches 0.5, else 127. */
    const float f = lane_as_f32_u32(fraction | (fraction >= 0x400000u ? 126u << 23 : 127u << 23));
    const double distance = (double)f - 1;
    const double slope = distance == 0 ? 1.4426950408889634 : lane_log2_bits(lane_bits_f32(f)) / distance;
    uint32_t result = lane_bits_f32((float)slope);
    result = exponent == 0 ? infinite : result;
    result = exponent == infinite ? (fraction ? u | 0x400000u : infinite) : result;
    result = u >> 31 && exponent && !(exponent == infinite && fraction) ? 0x7fc00000u : result;
    return lane_as_f32_u32(result);
}

#endif
