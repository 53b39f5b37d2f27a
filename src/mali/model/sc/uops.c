/* See uops.h. */
#include "mali/model/sc/uops.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "isa/lane_env.h"
#include "mali/model/sc/select.h"

/* All ones where a lane is active. */
static inline uint32_t lane_on(const struct mali_warp *warp, unsigned lane)
{
    return warp->is_full ? UINT32_MAX : warp->active_lanes[lane];
}

/* ---- selections ---- */

void mali_sc_uop_extract(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), shift = uop->imm & 0xff, bits = uop->imm >> 8 & 0xff;
    uint32_t *d = sc_at(warp, uop->d);
    if (uop->imm >> 16) {
        for (unsigned i = 0; i < MALI_ROW_LANES; i++)
            d[i] = sc_extract(s[i], shift, bits, true);
    } else {
        for (unsigned i = 0; i < MALI_ROW_LANES; i++)
            d[i] = sc_extract(s[i], shift, bits, false);
    }
}

void mali_sc_uop_extract64(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), shift = uop->imm & 0xff, bits = uop->imm >> 8 & 0xff;
    const bool is_signed = uop->imm >> 16;
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        const uint32_t low = sc_extract(s[i], shift, bits, is_signed);
        d[i] = low;
        d[MALI_ROW_LANES + i] = is_signed ? 0u - (low >> 31) : 0;
    }
}

void mali_sc_uop_permute(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), order = uop->imm;
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        d[i] = sc_permute(s[i], order);
}

void mali_sc_uop_bytes(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), low = uop->imm & 3, high = uop->imm >> 4 & 3;
    const bool is_signed = uop->imm >> 16;
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        d[i] = sc_bytes_to_halves(s[i], low, high, is_signed);
}

void mali_sc_uop_half_f32(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), shift = uop->imm;
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        d[i] = sc_half_to_f32(s[i], shift);
}

void mali_sc_uop_sign(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), bits = uop->imm2, flags = uop->imm;
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        d[i] = sc_sign(s[i], bits, flags);
}

void mali_sc_uop_not(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]);
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < uop->imm * MALI_ROW_LANES; i++)
        d[i] = ~s[i];
}

/* ---- results ---- */

/* max and min of the clamps give the other operand for a NaN, and -0 is below +0. */
static inline uint32_t clamp_word(uint32_t word, uint32_t clamp)
{
    float x = lane_as_f32_u32(word);
    if (clamp & MALI_ISA_CLAMP_CLAMP_M1_1)
        x = x > -1.0f ? (x < 1.0f ? x : 1.0f) : -1.0f;
    if (clamp & MALI_ISA_CLAMP_CLAMP_0_INF)
        x = x > 0.0f ? x : 0.0f;
    return lane_bits_f32(x);
}

void mali_sc_uop_clamp_f32(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t *d = sc_at(warp, uop->d);
    const uint32_t clamp = uop->imm;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        const uint32_t on = lane_on(warp, i);
        d[i] = (clamp_word(d[i], clamp) & on) | (d[i] & ~on);
    }
}

void mali_sc_uop_clamp_f16(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t *d = sc_at(warp, uop->d);
    const uint32_t clamp = uop->imm;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        const uint32_t on = lane_on(warp, i);
        const float low = lane_as_f32_u32(clamp_word(sc_half_to_f32(d[i], 0), clamp));
        const float high = lane_as_f32_u32(clamp_word(sc_half_to_f32(d[i], 16), clamp));
        const uint32_t value = lane_pack(lane_f16_from_f32(low), lane_f16_from_f32(high));
        d[i] = (value & on) | (d[i] & ~on);
    }
}

void mali_sc_uop_and(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t *d = sc_at(warp, uop->d);
    const uint32_t bits = uop->imm;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        d[i] &= bits | ~lane_on(warp, i);
}

void mali_sc_uop_invert(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < uop->imm * MALI_ROW_LANES; i++)
        d[i] ^= lane_on(warp, i % MALI_ROW_LANES);
}

void mali_sc_uop_narrow(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]);
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        const uint32_t half = lane_f16_from_f32(lane_as_f32_u32(s[i]));
        d[i] = half | half << 16;
    }
}

void mali_sc_uop_merge(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), bits = uop->imm;
    uint32_t *d = sc_at(warp, uop->d);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        const uint32_t on = lane_on(warp, i) & bits;
        d[i] = (s[i] & on) | (d[i] & ~on);
    }
}

void mali_sc_uop_round(struct mali_warp *warp, const struct sc_uop *uop)
{
    warp->lane_mode.round_f32 = warp->lane_mode.round_f16 = (uint8_t)uop->imm;
    warp->lane_mode = lane_mode_complete(warp->lane_mode);
    warp->env = lane_env_of(&warp->lane_mode, LANE_FP_F32);
    lane_env_set(warp->env);
}

/* ---- FLUSH ---- */

static uint32_t flush_denormal(uint32_t value, uint32_t exponent, uint32_t fraction, uint32_t flags)
{
    const uint32_t magnitude = value & (exponent | fraction), sign = value & ~(exponent | fraction);
    const uint32_t quiet = (fraction + 1) >> 1;
    if (magnitude > exponent) {
        const uint32_t nan = flags & 3;
        return nan == MALI_ISA_NAN_FLUSH_NAN ? 0 : nan == MALI_ISA_NAN_QUIET_NAN ? value | quiet : value;
    }
    if (magnitude == exponent)
        return flags & 8 ? sign | (exponent - 1) : value; /* the largest number */
    return flags & 4 && magnitude <= fraction ? sign : value;
}

void mali_sc_uop_flush(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]);
    uint32_t *d = sc_at(warp, uop->d);
    sc_foreach_lane(warp->active, i)
    {
        if (uop->imm & 16)
            d[i] = (flush_denormal(s[i] & 0xffff, 0x7c00, 0x3ff, uop->imm) & 0xffff) |
                   flush_denormal(s[i] >> 16, 0x7c00, 0x3ff, uop->imm) << 16;
        else
            d[i] = flush_denormal(s[i], 0x7f800000, 0x7fffff, uop->imm);
    }
}

/* ---- lanes of a warp ---- */

/* Each lane of a row gets its value from a lane of the warp: `from` has numbers below 16. None of the rows is
 * another one. */
static void permute_row(uint32_t *d, const uint32_t *values, const uint32_t *from)
{
#if defined(__AVX512F__)
    for (uint32_t i = 0; i < MALI_ROW_LANES; i += 16)
        _mm512_storeu_si512(d + i,
                            _mm512_permutexvar_epi32(_mm512_loadu_si512(from + i), _mm512_loadu_si512(values + i)));
#elif defined(__AVX2__)
    for (uint32_t i = 0; i < MALI_ROW_LANES; i += 8) {
        const uint32_t *warp = values + (i & -MALI_WARP_LANES);
        const __m256i which = _mm256_loadu_si256((const __m256i *)(from + i));
        const __m256i low = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)warp), which),
                      high = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(warp + 8)), which);
        const __m256 lanes = _mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
                                              _mm256_castsi256_ps(_mm256_slli_epi32(which, 28)));
        _mm256_storeu_si256((__m256i *)(d + i), _mm256_castps_si256(lanes));
    }
#else
    for (uint32_t i = 0; i < MALI_ROW_LANES; i++)
        d[i] = values[(i & -MALI_WARP_LANES) | from[i]];
#endif
}

/* Inactive lanes have nothing to read. */
void mali_sc_uop_permute_lanes(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), *which = sc_at(warp, uop->s[1]);
    const uint32_t inside = (uop->imm & 0xff) - 1, is_xor = uop->imm >> 8 == MALI_ISA_LANE_OP_XOR ? UINT32_MAX : 0;
    const uint32_t outside = (MALI_WARP_LANES - 1) & ~inside;
    uint32_t values[MALI_ROW_LANES], from[MALI_ROW_LANES], got[MALI_ROW_LANES];
    uint32_t *d = sc_at(warp, uop->d);
    memcpy(values, s, sizeof(values)); /* d may be s */
    for (uint32_t i = 0; i < MALI_ROW_LANES; i++)
        from[i] = (i & outside) | ((which[i] ^ (i & is_xor)) & inside);
    if (warp->is_full) {
        permute_row(d, values, from);
        return;
    }
    for (uint32_t i = 0; i < MALI_ROW_LANES; i++)
        values[i] = (values[i] & warp->active_lanes[i]) | (uop->imm2 & ~warp->active_lanes[i]);
    permute_row(got, values, from);
    for (uint32_t i = 0; i < MALI_ROW_LANES; i++)
        d[i] = (got[i] & warp->active_lanes[i]) | (d[i] & ~warp->active_lanes[i]);
}

void mali_sc_uop_mask_lanes(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), size = uop->imm;
    uint32_t *d = sc_at(warp, uop->d), is_set[MALI_ROW_LANES];
    for (uint32_t i = 0; i < MALI_ROW_LANES; i++)
        is_set[i] = s[i] ? UINT32_MAX : 0;
    const uint64_t mask = lanes_to_mask(is_set, MALI_ROW_LANES) & warp->active;
    for (uint32_t first = 0; first < MALI_ROW_LANES; first += size) {
        const uint32_t value = (uint32_t)(mask >> first) & (UINT32_MAX >> (32 - size));
        for (uint32_t i = first; i < first + size; i++)
            d[i] = warp->is_full || warp->active_lanes[i] ? value : d[i];
    }
}
