/* The curve of sRGB for lanes of host code: three numbers to their codes in a dword, and a code's bytes to what they
 * stand for. The curve is a table, for which no host has a vector's instruction that is faster; what comes before it is
 * for all lanes at once. */
#include "model/pixel/pixel_srgb.h"

#include <string.h>

#include "model/lanes.h"
#include "util/format/channel.h"
#include "util/format/srgb_cubic.h"
#include "util/intrinsics.h"

#define ONE_F32 0x3f800000u

#if JIT_HOST && JIT_VECTOR_LANES == 4 && defined(__aarch64__)

_Static_assert((ONE_F32 - FORMAT_SRGB_FIRST_BITS) >> FORMAT_SRGB_HALF_SHIFT <= UINT16_MAX, "a place has 16 bits");

/* The places of four lanes, side by side: one move to where addresses are made. */
static inline uint64_t four_places(jit_vector bits)
{
    const uint32x4_t above = vqsubq_u32((uint32x4_t)bits, vdupq_n_u32(FORMAT_SRGB_FIRST_BITS));
    return vget_lane_u64(vreinterpret_u64_u16(vshrn_n_u32(above, FORMAT_SRGB_HALF_SHIFT)), 0);
}

static inline uint64_t colours_at(uint64_t r, uint64_t g, uint64_t b, unsigned lane)
{
    const uint8_t *table = format_srgb_of_half;
    return table[r >> 16 * lane & 0xffff] | (uint32_t)table[g >> 16 * lane & 0xffff] << 8 |
           (uint32_t)table[b >> 16 * lane & 0xffff] << 16;
}

JIT_CALL_ABI jit_vector pixel_srgb_of_halves(const void *frame, jit_vector r, jit_vector g, jit_vector b)
{
    (void)frame;
    const uint64_t at_r = four_places(r), at_g = four_places(g), at_b = four_places(b);
    const uint64x2_t pairs = {colours_at(at_r, at_g, at_b, 0) | colours_at(at_r, at_g, at_b, 1) << 32,
                              colours_at(at_r, at_g, at_b, 2) | colours_at(at_r, at_g, at_b, 3) << 32};
    return (jit_vector)pairs;
}

/* The bits of four lanes above those of the first bucket, and the buckets, side by side. What is less, negative or a
 * NaN is 0. */
static inline uint64_t bits_above(uint32_t above[4], jit_vector bits)
{
    const uint32x4_t first = vdupq_n_u32(FORMAT_SRGB_FIRST_BITS),
                     is_more = vcgeq_f32((float32x4_t)bits, vreinterpretq_f32_u32(first)),
                     within = vminq_u32(vandq_u32((uint32x4_t)bits, is_more), vdupq_n_u32(ONE_F32)),
                     less = vqsubq_u32(within, first);
    vst1q_u32(above, less);
    return vget_lane_u64(vreinterpret_u64_u16(vshrn_n_u32(less, FORMAT_SRGB_STEP_SHIFT)), 0);
}

static inline uint32_t step_at(uint64_t buckets, const uint32_t above[4], unsigned lane)
{
    return format_srgb_step[buckets >> 16 * lane & 0xffff] + (above[lane] & 0xffff);
}

JIT_CALL_ABI jit_vector pixel_srgb_of_floats(const void *frame, jit_vector r, jit_vector g, jit_vector b)
{
    uint32_t above[3][4];
    uint64_t codes[4];
    (void)frame;
    const uint64_t at_r = bits_above(above[0], r), at_g = bits_above(above[1], g), at_b = bits_above(above[2], b);
    for (unsigned lane = 0; lane < 4; lane++)
        codes[lane] = step_at(at_r, above[0], lane) >> 16 | (step_at(at_g, above[1], lane) >> 8 & 0xff00) |
                      (step_at(at_b, above[2], lane) & 0xff0000);
    return (jit_vector)(uint64x2_t){codes[0] | codes[1] << 32, codes[2] | codes[3] << 32};
}

/* Of a code's byte, what it stands for. */
static inline jit_vector linear_of(jit_vector code, unsigned shift)
{
    const uint64x2_t words = (uint64x2_t)code;
    uint64_t pairs[2];
    for (unsigned n = 0; n < 2; n++) {
        const uint64_t two = words[n];
        uint32_t low, high;
        memcpy(&low, &format_srgb_to_linear_table[two >> shift & 255], sizeof(low));
        memcpy(&high, &format_srgb_to_linear_table[two >> (32 + shift) & 255], sizeof(high));
        pairs[n] = low | (uint64_t)high << 32;
    }
    return (jit_vector)(uint64x2_t){pairs[0], pairs[1]};
}

#else

/* Entries of a table, a byte or a dword for each lane: where the host has gathers these are less than moving lanes to
 * and fro. What is read above a byte is dropped. */
#if JIT_HOST && JIT_VECTOR_LANES == 16 && defined(__AVX512F__)
static inline jit_vector look_up_dwords(const void *table, jit_vector places)
{
    return (jit_vector)_mm512_i32gather_epi32((__m512i)places, table, 4);
}
#elif JIT_HOST && JIT_VECTOR_LANES == 8 && defined(__AVX2__)
static inline jit_vector look_up_dwords(const void *table, jit_vector places)
{
    return (jit_vector)_mm256_i32gather_epi32(table, (__m256i)places, 4);
}

static inline jit_vector look_up_bytes(const uint8_t *table, jit_vector places)
{
    return (jit_vector)_mm256_i32gather_epi32((const void *)table, (__m256i)places, 1) & 0xff;
}
#else
static inline jit_vector look_up_dwords(const void *table, jit_vector places)
{
    jit_vector values;
    for (unsigned lane = 0; lane < JIT_VECTOR_LANES; lane++)
        values[lane] = ((const uint32_t *)table)[places[lane]];
    return values;
}

static inline jit_vector look_up_bytes(const uint8_t *table, jit_vector places)
{
    jit_vector values;
    for (unsigned lane = 0; lane < JIT_VECTOR_LANES; lane++)
        values[lane] = table[places[lane]];
    return values;
}
#endif

#if JIT_HOST && JIT_VECTOR_LANES == 16 && defined(__AVX512F__)
#define WHOLE 0x1.8p23f /* the lowest bits of a sum with it are the rounded number */
#define WHOLE_BITS 0x4b400000u

/* By sums of powers, whose factors are permuted: a third of what gathers take. */
static inline __m512 factors(unsigned power, __m512i places)
{
    const float *table = format_srgb_cubic[power];
    return _mm512_permutex2var_ps(_mm512_loadu_ps(table), places, _mm512_loadu_ps(table + 16));
}

static inline __m512 cubic_of(__m512i bits)
{
    const __m512i places = _mm512_srli_epi32(bits, FORMAT_SRGB_CUBIC_SHIFT);
    const __m512 x = _mm512_castsi512_ps(bits);
    __m512 sum = _mm512_fmadd_ps(factors(3, places), x, factors(2, places));
    sum = _mm512_fmadd_ps(sum, x, factors(1, places));
    return _mm512_fmadd_ps(sum, x, factors(0, places));
}

static inline __m512i code_of(jit_vector half)
{
    const __m512i bits = _mm512_max_epi32((__m512i)half, _mm512_set1_epi32(FORMAT_SRGB_FIRST_BITS));
    return _mm512_castps_si512(_mm512_add_ps(cubic_of(bits), _mm512_set1_ps(WHOLE)));
}

JIT_CALL_ABI jit_vector pixel_srgb_of_halves(const void *frame, jit_vector r, jit_vector g, jit_vector b)
{
    (void)frame;
    const __m512i low = _mm512_add_epi32(code_of(r), _mm512_slli_epi32(code_of(g), 8)),
                  sum = _mm512_add_epi32(low, _mm512_slli_epi32(code_of(b), 16));
    return (jit_vector)sum - (WHOLE_BITS + (WHOLE_BITS << 8) + (WHOLE_BITS << 16));
}
#else
static inline jit_vector places_of(jit_vector bits, unsigned shift)
{
    const jit_vector first = (jit_vector){0} + FORMAT_SRGB_FIRST_BITS, is_more = (jit_vector)(bits > first);
    return (((bits & is_more) | (first & ~is_more)) - first) >> shift;
}

JIT_CALL_ABI jit_vector pixel_srgb_of_halves(const void *frame, jit_vector r, jit_vector g, jit_vector b)
{
    (void)frame;
    return look_up_bytes(format_srgb_of_half, places_of(r, FORMAT_SRGB_HALF_SHIFT)) |
           look_up_bytes(format_srgb_of_half, places_of(g, FORMAT_SRGB_HALF_SHIFT)) << 8 |
           look_up_bytes(format_srgb_of_half, places_of(b, FORMAT_SRGB_HALF_SHIFT)) << 16;
}
#endif

/* format_float_to_srgb of floats from the first bucket to 1. */
static inline jit_vector step_of(jit_vector bits)
{
    bits -= FORMAT_SRGB_FIRST_BITS;
    return (look_up_dwords(format_srgb_step, bits >> FORMAT_SRGB_STEP_SHIFT) + (bits & 0xffff)) >>
           FORMAT_SRGB_STEP_SHIFT;
}

#if JIT_HOST && JIT_VECTOR_LANES == 16 && defined(__AVX512F__)
#define UNSURE 0.003f /* of a code: sums of powers are wrong by up to 0.0024 between halves */

/* sRGB of all lanes, in whatever mode the host rounds: by sums of powers, and by the table where a lane's is so near
 * the middle of two codes that the sum may be on the wrong side. */
static inline jit_vector srgb_of(jit_vector given)
{
    const __m512i first = _mm512_set1_epi32(FORMAT_SRGB_FIRST_BITS),
                  number = _mm512_mask_mov_epi32(/* a NaN is 0 */
                                                 (__m512i)given,
                                                 _mm512_cmpgt_epi32_mask((__m512i)given, _mm512_set1_epi32(0x7f800000)),
                                                 first),
                  bits = _mm512_max_epi32(_mm512_min_epi32(number, _mm512_set1_epi32(ONE_F32)), first);
    const __m512 whole = _mm512_set1_ps(WHOLE), sum = cubic_of(bits),
                 rounded = _mm512_add_round_ps(sum, whole, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
                 beside = _mm512_abs_ps(_mm512_sub_ps(sum, _mm512_sub_ps(rounded, whole)));
    if (__builtin_expect(_mm512_cmp_ps_mask(beside, _mm512_set1_ps(0.5f - UNSURE), _CMP_GT_OQ), 0))
        return step_of((jit_vector)bits);
    return (jit_vector)_mm512_castps_si512(rounded) - WHOLE_BITS;
}
#else
/* sRGB of all lanes. */
static inline jit_vector srgb_of(jit_vector bits)
{
    typedef int32_t signed_vector __attribute__((vector_size(sizeof(jit_vector))));
    const jit_vector one = (jit_vector){0} + ONE_F32, first = (jit_vector){0} + FORMAT_SRGB_FIRST_BITS;
    bits &= (jit_vector)((signed_vector)bits <= (signed_vector)((jit_vector){0} + 0x7f800000u)); /* a NaN is 0 */
    const jit_vector is_less = (jit_vector)((signed_vector)bits < (signed_vector)one);
    bits = (bits & is_less) | (one & ~is_less);
    const jit_vector is_more = (jit_vector)((signed_vector)bits > (signed_vector)first); /* what is negative is not */
    return step_of((bits & is_more) | (first & ~is_more));
}
#endif

JIT_CALL_ABI jit_vector pixel_srgb_of_floats(const void *frame, jit_vector r, jit_vector g, jit_vector b)
{
    (void)frame;
    return srgb_of(r) | srgb_of(g) << 8 | srgb_of(b) << 16;
}

static inline jit_vector linear_of(jit_vector code, unsigned shift)
{
#if JIT_HOST && JIT_VECTOR_LANES == 16 && defined(__AVX512F__)
    return (jit_vector)format_srgb_to_sixteen((__m512i)(code >> shift & 255));
#else
    return look_up_dwords(format_srgb_to_linear_table, code >> shift & 255);
#endif
}

#endif

#define LINEAR_OF(name, shift)                                                                                         \
    JIT_CALL_ABI jit_vector name(const void *frame, jit_vector code, jit_vector unused, jit_vector unused2)            \
    {                                                                                                                  \
        (void)frame;                                                                                                   \
        (void)unused;                                                                                                  \
        (void)unused2;                                                                                                 \
        return linear_of(code, shift);                                                                                 \
    }
LINEAR_OF(pixel_linear_of_first, 0)
LINEAR_OF(pixel_linear_of_second, 8)
LINEAR_OF(pixel_linear_of_third, 16)
