/* Primitives of the lane language that Valhall alone has (src/isa/lane.h has the others). */
#ifndef MALI_ISA_LANE_VALHALL_H
#define MALI_ISA_LANE_VALHALL_H

#include "isa/lane.h"

/* Exact: what is denormal as a half is not as a single. */
static inline float mali_lane_widen_f16(lane_f16 x)
{
    return lane_f32_from_f16(x);
}

/* log2(1 + t) / t of t in [-0.25, 0.5), by powers of t, the least error 4e-9; and what the first one lacks. */
static const float mali_lane_slope[10] = {0x1.715476p+0f, -0x1.715476p-1f, 0x1.ec7140p-2f, -0x1.7154d0p-2f,
                                          0x1.274e48p-2f, -0x1.ebcf68p-3f, 0x1.ac336cp-3f, -0x1.85c5eap-3f,
                                          0x1.34f1cap-3f, -0x1.083a00p-4f};
#define MALI_LANE_SLOPE_LOW 0x1.c8408cp-27f

#if LANE_HAS_FMA
/* Below 0.93 ulp. model/sc/jit_math.c writes the same steps as lane operations. */
static inline float mali_lane_slope_of(float f)
{
    const float *c = mali_lane_slope, t = f - 1.0f, z = t * t, w = z * z;
    const float p12 = lane_step_f32(c[2], t, c[1]), p34 = lane_step_f32(c[4], t, c[3]);
    const float p56 = lane_step_f32(c[6], t, c[5]), p78 = lane_step_f32(c[8], t, c[7]);
    const float upper = lane_step_f32(lane_step_f32(c[9], z, p78), z, p56);
    const float rest = lane_step_f32(upper, w, lane_step_f32(p34, z, p12));
    return lane_step_f32(rest, t, MALI_LANE_SLOPE_LOW) + c[0];
}
#else
static inline float mali_lane_slope_of(float f)
{
    const double distance = (double)f - 1;
    return (float)(distance == 0 ? 1.4426950408889634 : lane_log2_bits(lane_bits_f32(f)) / distance);
}
#endif

/* log2(f) / (f - 1) of the number scaled to f in [0.75, 1.5): the slope of the line from 1. Zero and infinity give
 * infinity, so that the logarithm, with f - 1 of -1 and infinity, is infinite. */
static inline float mali_lane_log_slope_f32(float x)
{
    const uint32_t u = lane_bits_f32(x), exponent = u & 0x7f800000u, fraction = u & 0x7fffffu;
    const uint32_t infinite = 0x7f800000u;
    /* f in [0.75, 1.5): exponent 126 where the fraction reaches 0.5, else 127. */
    const float f = lane_as_f32_u32(fraction | (fraction >= 0x400000u ? 126u << 23 : 127u << 23));
    uint32_t result = lane_bits_f32(mali_lane_slope_of(f));
    result = exponent == 0 ? infinite : result;
    result = exponent == infinite ? (fraction ? u | 0x400000u : infinite) : result;
    result = u >> 31 && exponent && !(exponent == infinite && fraction) ? 0x7fc00000u : result;
    return lane_as_f32_u32(result);
}

#endif
