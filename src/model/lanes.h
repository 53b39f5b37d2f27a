/* Lane vectors: what the wave executors of the GPU models compute on. A register is an array of 32 or 64 lanes of 32
 * bits; a lane mask is one bit a lane. Loops run over fixed groups of LANES_GROUP lanes, which compilers turn into host
 * vectors; only the conversion between masks and lanes, which they do badly, is written for each host.
 *
 * Not for lanes of other widths: a 64-bit value is two registers, as on the hardware. */
#ifndef MODEL_LANES_H
#define MODEL_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LANES_MAX 64
#define LANES_GROUP 32 /* the smallest wave; every count is a multiple of it */

/* Every lane's columns are independent of every other lane's, even where destination and source registers overlap. */
#if defined(__clang__)
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Bit i of the result is the top bit of lane i. Lanes are all zeros or all ones wherever this is used. */
static inline uint64_t lanes_to_mask(const uint32_t *lanes, unsigned count)
{
    uint64_t mask = 0;
#if defined(__ARM_NEON)
    /* Narrow 16 lanes to 16 bytes, keep one bit of each, and add neighbours until each half is one byte. */
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    for (unsigned i = 0; i < count; i += 16) {
        uint16x8_t low = vcombine_u16(vmovn_u32(vld1q_u32(lanes + i)), vmovn_u32(vld1q_u32(lanes + i + 4)));
        uint16x8_t high = vcombine_u16(vmovn_u32(vld1q_u32(lanes + i + 8)), vmovn_u32(vld1q_u32(lanes + i + 12)));
        uint8x16_t bytes = vandq_u8(vcombine_u8(vmovn_u16(low), vmovn_u16(high)), bit);
        uint8x16_t sum = vpaddq_u8(bytes, bytes);
        sum = vpaddq_u8(sum, sum);
        sum = vpaddq_u8(sum, sum);
        mask |= (uint64_t)vgetq_lane_u16(vreinterpretq_u16_u8(sum), 0) << i;
    }
#elif defined(__AVX2__)
    for (unsigned i = 0; i < count; i += 8) {
        __m256 group = _mm256_loadu_ps((const float *)(lanes + i));
        mask |= (uint64_t)(uint32_t)_mm256_movemask_ps(group) << i;
    }
#elif defined(__SSE2__)
    for (unsigned i = 0; i < count; i += 4) {
        __m128 group = _mm_loadu_ps((const float *)(lanes + i));
        mask |= (uint64_t)(uint32_t)_mm_movemask_ps(group) << i;
    }
#else
    for (unsigned i = 0; i < count; i++)
        mask |= (uint64_t)(lanes[i] >> 31) << i;
#endif
    return mask;
}

/* Lane i becomes all ones where bit i is set, else zero. */
static inline void lanes_from_mask(uint32_t *lanes, uint64_t mask, unsigned count)
{
    for (unsigned group = 0; group < count; group += LANES_GROUP) {
        uint32_t word = (uint32_t)(mask >> group);
        uint32_t *to = lanes + group;
        LANES_INDEPENDENT
        for (unsigned i = 0; i < LANES_GROUP; i++)
            to[i] = word & (1u << i) ? UINT32_MAX : 0;
    }
}

static inline void lanes_splat(uint32_t *lanes, uint32_t value, unsigned count)
{
    for (unsigned group = 0; group < count; group += LANES_GROUP) {
        uint32_t *to = lanes + group;
        LANES_INDEPENDENT
        for (unsigned i = 0; i < LANES_GROUP; i++)
            to[i] = value;
    }
}

static inline uint64_t lanes_full_mask(unsigned count)
{
    return count == 64 ? UINT64_MAX : (1ull << count) - 1;
}

#endif
