/* Micro-operations around the kernels. Each is one loop over the lanes; none knows an opcode. */
#include "amd/model/sq/sq_uops.h"

#include <math.h>

#include "util/half.h"

/* for (i over all lanes of the wave), in groups that become host vectors */
#define FOR_LANES(wave, i)                                                                                             \
    for (size_t group_ = 0; group_ < (wave)->lanes; group_ += LANES_GROUP)                                             \
    LANES_INDEPENDENT for (size_t i = group_; i < group_ + LANES_GROUP; i++)

/* Store into active lanes. The lane masks are only kept while some lane is inactive. */
#define STORE_ACTIVE(wave, d, i, value)                                                                                \
    do {                                                                                                               \
        if ((wave)->exec_full) {                                                                                       \
            FOR_LANES(wave, i)                                                                                         \
            (d)[i] = (value);                                                                                          \
        } else {                                                                                                       \
            const uint32_t *active_ = (wave)->exec_lanes;                                                              \
            FOR_LANES(wave, i)                                                                                         \
            (d)[i] = ((value)&active_[i]) | ((d)[i] & ~active_[i]);                                                    \
        }                                                                                                              \
    } while (0)

void amd_sq_uop_splat(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *d = sq_at(wave, uop->d);
    const uint32_t *s = sq_at(wave, uop->s[0]);
    for (uint32_t row = 0; row < uop->imm; row++)
        lanes_splat(d + row * wave->lanes, s[row], wave->lanes);
}

void amd_sq_uop_and_xor(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *d = sq_at(wave, uop->d);
    const uint32_t *s = sq_at(wave, uop->s[0]);
    uint32_t keep = uop->imm, flip = uop->s[1];
    FOR_LANES(wave, i)
    d[i] = (s[i] & keep) ^ flip;
}

void amd_sq_uop_high_half(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *d = sq_at(wave, uop->d);
    const uint32_t *s = sq_at(wave, uop->s[0]);
    FOR_LANES(wave, i)
    d[i] = s[i] >> 16;
}

void amd_sq_uop_select_halves(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *d = sq_at(wave, uop->d);
    const uint32_t *s = sq_at(wave, uop->s[0]);
    unsigned low = uop->imm & 1 ? 16 : 0, high = uop->imm & 2 ? 16 : 0;
    FOR_LANES(wave, i)
    d[i] = ((s[i] >> low) & 0xffff) | (s[i] >> high) << 16;
}

void amd_sq_uop_half_to_float(struct sq_wave *wave, const struct sq_uop *uop)
{
    float *d = sq_at(wave, uop->d);
    const uint32_t *s = sq_at(wave, uop->s[0]);
    for (unsigned i = 0; i < wave->lanes; i++)
        d[i] = half_to_float((uint16_t)(s[i] >> uop->imm));
}

static void sdwa_place(unsigned sel, unsigned *shift_out, unsigned *bits_out)
{
    *bits_out = sel <= ISA_SDWA_BYTE_3 ? 8 : sel <= ISA_SDWA_WORD_1 ? 16 : 32;
    *shift_out = sel <= ISA_SDWA_BYTE_3 ? sel * 8 : sel == ISA_SDWA_WORD_1 ? 16 : 0;
}

void amd_sq_uop_sdwa_select(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *d = sq_at(wave, uop->d);
    const uint32_t *s = sq_at(wave, uop->s[0]);
    unsigned shift, bits;
    sdwa_place(uop->imm, &shift, &bits);
    unsigned up = 32 - bits - shift, down = 32 - bits;
    if (uop->s[1]) {
        FOR_LANES(wave, i)
        d[i] = (uint32_t)((int32_t)(s[i] << up) >> down);
    } else {
        FOR_LANES(wave, i)
        d[i] = s[i] << up >> down;
    }
}

void amd_sq_uop_exec_changed(struct sq_wave *wave, const struct sq_uop *uop)
{
    sq_exec_changed(wave);
}

void amd_sq_uop_read_status(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t value = uop->imm == SQ_VCCZ    ? sq_read_mask(wave, &wave->sgpr[SQ_VCC]) == 0
                     : uop->imm == SQ_EXECZ ? sq_exec(wave) == 0
                                            : wave->scc;
    wave->sgpr[uop->imm] = value;
    wave->sgpr[uop->imm + 1] = 0;
}

/* ---- output modifiers ---- */

/* NaN becomes 0, as with MODE.DX10_CLAMP set. */
static inline float clamp_f32(float x)
{
    x = x > 0.0f ? x : 0.0f;
    return x < 1.0f ? x : 1.0f;
}

/* The hardware leaves omod out where MODE lets denormals come out, or asks for IEEE's rules. */
static float omod_factor(const struct sq_wave *wave, const struct sq_uop *uop, uint32_t keep_denormals)
{
    static const float factors[] = {1.0f, 2.0f, 4.0f, 0.5f};
    return keep_denormals || wave->lane_mode.ieee ? 1.0f : factors[uop->imm];
}

void amd_sq_uop_output_f32(struct sq_wave *wave, const struct sq_uop *uop)
{
    float *s = sq_at(wave, uop->s[0]); /* a temporary: modified in place, then copied to active lanes */
    uint32_t *bits = (uint32_t *)s, *d = sq_at(wave, uop->d);
    float factor = omod_factor(wave, uop, wave->lane_mode.keep_out_f32);
    if (factor != 1.0f) {
        FOR_LANES(wave, i)
        s[i] = s[i] * factor + 0.0f; /* the result is never -0 */
    }
    if (uop->s[1] && wave->lane_mode.clamps_nan) {
        FOR_LANES(wave, i)
        s[i] = clamp_f32(s[i]);
    } else if (uop->s[1]) {
        FOR_LANES(wave, i)
        s[i] = lane_clamp01_f32(&wave->lane_mode, s[i]);
    }
    STORE_ACTIVE(wave, d, i, bits[i]);
}

static uint32_t output_half(const struct sq_wave *wave, uint16_t half, float factor, bool clamp)
{
    if (factor != 1.0f)
        half = lane_round_f16(&wave->lane_mode, lane_bits_f32(half_to_float(half) * factor + 0.0f));
    return clamp ? lane_clamp01_f16(&wave->lane_mode, half) : half;
}

void amd_sq_uop_output_f16(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *s = sq_at(wave, uop->s[0]), *d = sq_at(wave, uop->d);
    float factor = omod_factor(wave, uop, wave->lane_mode.keep_out_f16);
    for (unsigned i = 0; i < wave->lanes; i++)
        s[i] = output_half(wave, (uint16_t)s[i], factor, uop->s[1]);
    STORE_ACTIVE(wave, d, i, ((s[i] & 0xffff) | (d[i] & 0xffff0000)));
}

void amd_sq_uop_output_f16x2(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *s = sq_at(wave, uop->s[0]), *d = sq_at(wave, uop->d);
    float factor = omod_factor(wave, uop, wave->lane_mode.keep_out_f16);
    for (unsigned i = 0; i < wave->lanes; i++)
        s[i] = output_half(wave, (uint16_t)s[i], factor, uop->s[1]) | output_half(wave, s[i] >> 16, factor, uop->s[1])
                                                                          << 16;
    STORE_ACTIVE(wave, d, i, s[i]);
}

void amd_sq_uop_output_f64(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *low = sq_at(wave, uop->s[0]), *high = low + wave->lanes;
    uint32_t *d_low = sq_at(wave, uop->d), *d_high = d_low + wave->lanes;
    double factor = (double)omod_factor(wave, uop, wave->lane_mode.keep_out_f16);
    for (unsigned i = 0; i < wave->lanes; i++) {
        uint64_t bits = low[i] | (uint64_t)high[i] << 32;
        double x;
        memcpy(&x, &bits, sizeof(x));
        if (factor != 1.0)
            x = x * factor + 0.0;
        if (uop->s[1])
            x = lane_clamp01_f64(&wave->lane_mode, x);
        memcpy(&bits, &x, sizeof(bits));
        low[i] = (uint32_t)bits;
        high[i] = (uint32_t)(bits >> 32);
    }
    STORE_ACTIVE(wave, d_low, i, low[i]);
    STORE_ACTIVE(wave, d_high, i, high[i]);
}

void amd_sq_uop_share(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *d = sq_at(wave, uop->d);
    uint64_t exec = sq_exec(wave);
    for (uint32_t row = 0; row < uop->imm; row++, d += wave->lanes) {
        for (unsigned i = 0; i < 32; i++) {
            if (exec >> (i + 32) & 1)
                d[i] = d[i + 32];
            else if (exec >> i & 1)
                d[i + 32] = d[i];
        }
    }
}

void amd_sq_uop_merge_high(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *d = sq_at(wave, uop->d);
    const uint32_t *s = sq_at(wave, uop->s[0]);
    STORE_ACTIVE(wave, d, i, ((d[i] & 0xffff) | s[i] << 16));
}

void amd_sq_uop_sdwa_merge(struct sq_wave *wave, const struct sq_uop *uop)
{
    enum {
        UNUSED_PAD,
        UNUSED_SEXT,
        UNUSED_PRESERVE
    };
    uint32_t *d = sq_at(wave, uop->d), *s = sq_at(wave, uop->s[0]);
    unsigned shift, bits;
    sdwa_place(uop->imm, &shift, &bits);
    uint32_t field = (bits == 32 ? UINT32_MAX : (1u << bits) - 1) << shift;

    if (bits == 32 || uop->s[1] == UNUSED_PAD) {
        STORE_ACTIVE(wave, d, i, ((s[i] << shift) & field));
    } else if (uop->s[1] == UNUSED_SEXT) {
        unsigned down = 32 - bits - shift; /* the sign fills what is above, zeros what is below */
        STORE_ACTIVE(wave, d, i, ((uint32_t)((int32_t)(s[i] << (32 - bits)) >> down) & ~((1u << shift) - 1)));
    } else {
        STORE_ACTIVE(wave, d, i, (((s[i] << shift) & field) | (d[i] & ~field)));
    }
}

/* ---- DPP ---- */

#define DPP_ROW 16u

/* Which lane of its row each lane reads under a DPP16 control. Returns the lanes that would read outside of it, a bit
 * each. */
static uint32_t find_dpp16_sources(unsigned control, uint32_t from[DPP_ROW])
{
    const uint32_t n = control & 15, all = 0xffff;
    switch (control >> 4) {
    case 0x10: /* row_shl */
        for (uint32_t i = 0; i < DPP_ROW; i++)
            from[i] = (i + n) & 15;
        return all & ~(all >> n);
    case 0x11: /* row_shr */
        for (uint32_t i = 0; i < DPP_ROW; i++)
            from[i] = (i - n) & 15;
        return (1u << n) - 1;
    case 0x12: /* row_ror */
        for (uint32_t i = 0; i < DPP_ROW; i++)
            from[i] = (i - n) & 15;
        return 0;
    case 0x14: /* row_mirror, row_half_mirror */
        for (uint32_t i = 0; i < DPP_ROW; i++)
            from[i] = i ^ (n == 0 ? 15 : 7);
        return 0;
    case 0x15: /* row_share */
        for (uint32_t i = 0; i < DPP_ROW; i++)
            from[i] = n;
        return 0;
    case 0x16: /* row_xmask */
        for (uint32_t i = 0; i < DPP_ROW; i++)
            from[i] = i ^ n;
        return 0;
    default: /* quad_perm */
        for (uint32_t i = 0; i < DPP_ROW; i++)
            from[i] = (i & 12) | (control >> 2 * (i & 3) & 3);
        return 0;
    }
}

static void dpp_begin(struct sq_wave *wave, const struct sq_uop *uop, uint64_t enabled)
{
    sq_write64(sq_at(wave, uop->s[1]), sq_exec(wave));
    if ((sq_exec(wave) & enabled) == sq_exec(wave))
        return;
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], sq_exec(wave) & enabled);
    sq_exec_changed(wave);
}

/* quad_perm of all rows and banks, as derivatives have it; what inactive lanes hold is read or is zero. */
static bool is_whole_quad_perm(const struct sq_wave *wave, const struct isa_alu *alu)
{
    return alu->dpp_ctrl < 0x100 && alu->row_mask == 0xf && alu->bank_mask == 0xf &&
           (wave->exec_full || alu->fi || alu->bound_ctrl);
}

static void permute_quads(struct sq_wave *wave, const struct sq_uop *uop, const uint32_t *s, uint32_t *d)
{
    const struct isa_alu *alu = &uop->inst->alu;
    const unsigned from[4] = {alu->dpp_ctrl & 3, alu->dpp_ctrl >> 2 & 3, alu->dpp_ctrl >> 4 & 3, alu->dpp_ctrl >> 6};
    const bool reads_all = wave->exec_full || alu->fi;
    for (uint32_t i = 0; i < uop->imm * wave->lanes; i += 4) {
        const uint32_t *active = &wave->exec_lanes[i % wave->lanes];
        uint32_t quad[4];
        for (unsigned k = 0; k < 4; k++)
            quad[k] = s[i + from[k]] & (reads_all ? UINT32_MAX : active[from[k]]);
        memcpy(d + i, quad, sizeof(quad));
    }
    dpp_begin(wave, uop, UINT64_MAX);
}

/* Lanes whose source is active. */
static uint64_t find_active_sources(uint64_t exec, const uint32_t from[DPP_ROW])
{
    uint64_t active = 0;
    for (unsigned k = 0; k < DPP_ROW; k++)
        active |= (exec >> from[k] & 0x0001000100010001ull) << k;
    return active;
}

/* Lanes of the rows and banks that the instruction is for. */
static uint64_t enabled_lanes(const struct isa_alu *alu)
{
    uint64_t rows = 0, banks = 0;
    for (unsigned n = 0; n < 4; n++) {
        rows |= alu->row_mask >> n & 1 ? 0xffffull << 16 * n : 0;
        banks |= alu->bank_mask >> n & 1 ? 0x000f000f000f000full << 4 * n : 0;
    }
    return rows & banks;
}

void amd_sq_uop_dpp16(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_alu *alu = &uop->inst->alu;
    const uint32_t *s = sq_at(wave, uop->s[0]);
    uint32_t *d = sq_at(wave, uop->d);
    const uint64_t exec = sq_exec(wave);
    if (is_whole_quad_perm(wave, alu)) {
        permute_quads(wave, uop, s, d);
        return;
    }

    uint32_t from[DPP_ROW], keep[DPP_ROW];
    const uint32_t outside = find_dpp16_sources(alu->dpp_ctrl, from);
    const bool reads_all = wave->exec_full || alu->fi;
    const uint64_t in_rows = (~outside & 0xffff) * 0x0001000100010001ull,
                   valid = in_rows & (reads_all ? UINT64_MAX : find_active_sources(exec, from));
    for (unsigned k = 0; k < DPP_ROW; k++)
        keep[k] = outside >> k & 1 ? 0 : UINT32_MAX;
    for (uint32_t i = 0; i < uop->imm * wave->lanes; i += DPP_ROW) {
        const uint32_t *active = &wave->exec_lanes[i % wave->lanes];
        for (unsigned k = 0; k < DPP_ROW; k++)
            d[i + k] = s[i + from[k]] & keep[k] & (reads_all ? UINT32_MAX : active[from[k]]);
    }
    dpp_begin(wave, uop, enabled_lanes(alu) & (alu->bound_ctrl ? UINT64_MAX : valid));
}

void amd_sq_uop_dpp8(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_alu *alu = &uop->inst->alu;
    const uint32_t *s = sq_at(wave, uop->s[0]);
    uint32_t *d = sq_at(wave, uop->d);
    uint64_t exec = sq_exec(wave);

    for (unsigned i = 0; i < wave->lanes; i++) {
        unsigned from = (i & ~7u) | ((alu->dpp8 >> (3 * (i & 7))) & 7);
        bool valid = alu->fi || (exec >> from & 1);
        for (uint32_t row = 0; row < uop->imm; row++)
            d[row * wave->lanes + i] = valid ? s[row * wave->lanes + from] : 0;
    }
    dpp_begin(wave, uop, UINT64_MAX);
}

void amd_sq_uop_dpp_end(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint64_t exec = sq_read64(sq_at(wave, uop->s[1]));
    if (exec == sq_exec(wave))
        return;
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], exec);
    sq_exec_changed(wave);
}
