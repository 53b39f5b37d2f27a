/* Host instructions that no compiler makes of a lane expression, for the few kernels that are worth it. gen_alu.py puts
 * them before the loops of those rows: where the host has what it takes, one does all lanes and says true; where it
 * says false, the loop does. The result is the lane expression's, bit by bit. Not for: what an instruction means
 * (src/amd/isa). */
#ifndef AMD_MODEL_SQ_ALU_HOST_H
#define AMD_MODEL_SQ_ALU_HOST_H

#include "isa/lane_env.h"
#include "amd/model/sq/sq_wave.h"
#include "util/intrinsics.h"

/* The active lanes of d become out's; only where some lane is inactive. */
static inline void sq_blend(const struct sq_wave *wave, uint32_t *d, const uint32_t *out)
{
    const uint32_t *active = wave->exec_lanes;
    for (size_t group = 0; group < wave->lanes; group += LANES_GROUP) {
        LANES_INDEPENDENT
        for (size_t i = group; i < group + LANES_GROUP; i++)
            d[i] = (out[i] & active[i]) | (d[i] & ~active[i]);
    }
}

/* v_cvt_pkrtz_f16_f32. Hosts keep the denormal halves that a conversion makes; a mode that flushes them is left to the
 * loop. Denormal singles are zero either way. */
static inline bool sq_host_v_cvt_pkrtz_f16_f32(const struct lane_mode *mode, uint32_t *d, const uint32_t *s0,
                                               const uint32_t *s1, size_t lanes)
{
#if defined(__aarch64__)
    if (!mode->keep_out_f16)
        return false;
    const uint64_t env = lane_env_get();
    lane_env_set(env | 3ull << 22); /* FPCR.RMode: toward zero */
    for (size_t i = 0; i < lanes; i += 8) {
        float32x4_t low[2] = {vreinterpretq_f32_u32(vld1q_u32(s0 + i)), vreinterpretq_f32_u32(vld1q_u32(s0 + i + 4))};
        float32x4_t high[2] = {vreinterpretq_f32_u32(vld1q_u32(s1 + i)), vreinterpretq_f32_u32(vld1q_u32(s1 + i + 4))};
        float16x8_t lows, highs;
        /* asm, so that no conversion leaves the place between the two changes of the environment */
        __asm__ volatile("fcvtn %0.4h, %1.4s\n\tfcvtn2 %0.8h, %2.4s"
                         : "=&w"(lows)
                         : "w"(low[0]), "w"(low[1])
                         : "memory");
        __asm__ volatile("fcvtn %0.4h, %1.4s\n\tfcvtn2 %0.8h, %2.4s"
                         : "=&w"(highs)
                         : "w"(high[0]), "w"(high[1])
                         : "memory");
        uint16x8x2_t pairs = vzipq_u16(vreinterpretq_u16_f16(lows), vreinterpretq_u16_f16(highs));
        vst1q_u32(d + i, vreinterpretq_u32_u16(pairs.val[0]));
        vst1q_u32(d + i + 4, vreinterpretq_u32_u16(pairs.val[1]));
    }
    lane_env_set(env);
    return true;
#elif defined(__AVX2__) && defined(__F16C__)
    if (!mode->keep_out_f16)
        return false;
    for (size_t i = 0; i < lanes; i += 8) {
        __m128i low = _mm256_cvtps_ph(_mm256_loadu_ps((const float *)(s0 + i)), _MM_FROUND_TO_ZERO);
        __m128i high = _mm256_cvtps_ph(_mm256_loadu_ps((const float *)(s1 + i)), _MM_FROUND_TO_ZERO);
        _mm_storeu_si128((__m128i *)(d + i), _mm_unpacklo_epi16(low, high));
        _mm_storeu_si128((__m128i *)(d + i + 4), _mm_unpackhi_epi16(low, high));
    }
    return true;
#else
    (void)mode, (void)d, (void)s0, (void)s1, (void)lanes;
    return false;
#endif
}

#endif
