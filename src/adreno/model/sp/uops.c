/* See uops.h. */
#include "adreno/model/sp/uops.h"

#include "isa/lane.h"
#include "util/half.h"

/* ---- operands ---- */

static uint32_t constant(const struct adreno_wave *wave, uint32_t index, enum sp_constant kind)
{
    uint32_t word = index < wave->launch->constants_dw ? wave->constants[index] : 0;
    if (kind == SP_CONSTANT_NARROWED) {
        float number;
        memcpy(&number, &word, sizeof(number));
        return float_to_half_rtne(number);
    }
    return kind == SP_CONSTANT_HALF ? word & 0xffff : word;
}

void adreno_sp_uop_constant(struct adreno_wave *wave, const struct sp_uop *uop)
{
    lanes_splat(sp_at(wave, uop->d), constant(wave, uop->imm, (enum sp_constant)uop->s[0]), wave->lanes);
}

void adreno_sp_uop_constant_relative(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const uint32_t *address = adreno_wave_row(wave, ADRENO_ISA_REG_A0);
    uint32_t *d = sp_at(wave, uop->d), other = 0;
    for (unsigned i = 0; i < wave->lanes; i++)
        other |= address[i] ^ address[0];
    if (!other) { /* a loop's counter, mostly */
        lanes_splat(d, constant(wave, address[0] + uop->imm, (enum sp_constant)uop->s[0]), wave->lanes);
        return;
    }
    for (unsigned i = 0; i < wave->lanes; i++)
        d[i] = constant(wave, address[i] + uop->imm, (enum sp_constant)uop->s[0]);
}

void adreno_sp_uop_gpr_relative(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const uint32_t *address = adreno_wave_row(wave, ADRENO_ISA_REG_A0);
    uint32_t *d = sp_at(wave, uop->d);
    for (unsigned i = 0; i < wave->lanes; i++) {
        uint32_t component = (address[i] + uop->imm) & 0xff; /* a lane that is not active may have any address */
        if (uop->s[0])
            d[i] = adreno_wave_row(wave, adreno_half_row(component))[i] >> adreno_half_shift(component) & 0xffff;
        else
            d[i] = adreno_wave_row(wave, component)[i];
    }
}

void adreno_sp_uop_write_relative(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const uint32_t *address = adreno_wave_row(wave, ADRENO_ISA_REG_A0), *s = sp_at(wave, uop->s[0]);
    const uint32_t shift = sp_shift(uop->s[0]);
    lane_mask_foreach(wave->active, i)
    {
        uint32_t component = address[i] + uop->imm;
        if (component >= ADRENO_ISA_REG_SHARED) {
            adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "a0.x leads to component %u", component);
            return;
        }
        if (!uop->s[1]) {
            adreno_wave_row(wave, component)[i] = s[i];
            continue;
        }
        uint32_t *lane = &adreno_wave_row(wave, adreno_half_row(component))[i];
        const unsigned to = adreno_half_shift(component);
        *lane = (*lane & ~(0xffffu << to)) | (s[i] >> shift & 0xffff) << to;
    }
}

/* ---- modifiers ---- */

void adreno_sp_uop_sign_f32(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const uint32_t keep = uop->imm & 2 ? 0x7fffffffu : UINT32_MAX, flip = uop->imm & 1 ? 0x80000000u : 0;
    const uint32_t *s = sp_at(wave, uop->s[0]);
    uint32_t *d = sp_at(wave, uop->d);
    for (unsigned i = 0; i < wave->lanes; i++)
        d[i] = (s[i] & keep) ^ flip;
}

void adreno_sp_uop_sign_f16(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const uint32_t keep = uop->imm & 2 ? 0x7fffu : 0xffffu, flip = uop->imm & 1 ? 0x8000u : 0;
    const uint32_t *s = sp_at(wave, uop->s[0]), shift = sp_shift(uop->s[0]);
    uint32_t *d = sp_at(wave, uop->d);
    for (unsigned i = 0; i < wave->lanes; i++)
        d[i] = (s[i] >> shift & keep) ^ flip;
}

void adreno_sp_uop_sign_s32(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const bool is_abs = uop->imm & 2, is_neg = uop->imm & 1;
    const uint32_t *s = sp_at(wave, uop->s[0]);
    uint32_t *d = sp_at(wave, uop->d);
    for (unsigned i = 0; i < wave->lanes; i++) {
        uint32_t value = is_abs && (int32_t)s[i] < 0 ? 0u - s[i] : s[i];
        d[i] = is_neg ? 0u - value : value;
    }
}

void adreno_sp_uop_sign_s16(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const bool is_abs = uop->imm & 2, is_neg = uop->imm & 1;
    const uint32_t *s = sp_at(wave, uop->s[0]), shift = sp_shift(uop->s[0]);
    uint32_t *d = sp_at(wave, uop->d);
    for (unsigned i = 0; i < wave->lanes; i++) {
        int32_t value = (int16_t)(s[i] >> shift);
        value = is_abs && value < 0 ? -value : value;
        d[i] = (uint32_t)(is_neg ? -value : value) & 0xffff;
    }
}

void adreno_sp_uop_not(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const uint32_t *s = sp_at(wave, uop->s[0]), shift = sp_shift(uop->s[0]);
    uint32_t *d = sp_at(wave, uop->d);
    for (unsigned i = 0; i < wave->lanes; i++)
        d[i] = ~(s[i] >> shift);
}

/* ---- results ---- */

void adreno_sp_uop_sat_f32(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct lane_mode mode = wave->lane_mode;
    uint32_t *d = sp_at(wave, uop->d);
    for (unsigned i = 0; i < wave->lanes; i++) {
        const uint32_t on = wave->is_full ? UINT32_MAX : wave->active_lanes[i];
        const uint32_t value = lane_bits_f32(lane_clamp01_f32(&mode, lane_as_f32_u32(d[i])));
        d[i] = (value & on) | (d[i] & ~on);
    }
}

void adreno_sp_uop_sat_f16(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct lane_mode mode = wave->lane_mode;
    uint32_t *d = sp_at(wave, uop->d);
    const uint32_t shift = sp_shift(uop->d);
    for (unsigned i = 0; i < wave->lanes; i++) {
        const uint32_t on = (wave->is_full ? UINT32_MAX : wave->active_lanes[i]) & 0xffffu << shift;
        const uint32_t value = (uint32_t)lane_clamp01_f16(&mode, (lane_f16)(d[i] >> shift)) << shift;
        d[i] = (value & on) | (d[i] & ~on);
    }
}

void adreno_sp_uop_share(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (!lane_mask_any(wave->active))
        return;
    uint32_t *d = sp_at(wave, uop->d);
    uint32_t value = ((const uint32_t *)sp_at(wave, uop->s[0]))[lane_mask_lowest(wave->active)];
    if (uop->imm) {
        const uint32_t to = sp_shift(uop->d);
        value = (d[0] & ~(0xffffu << to)) | (value >> sp_shift(uop->s[0]) & 0xffff) << to;
    }
    lanes_splat(d, value, wave->lanes);
}

void adreno_sp_uop_broadcast(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (!lane_mask_any(wave->active))
        return;
    const uint32_t *s = sp_at(wave, uop->s[0]), *address = adreno_wave_row(wave, ADRENO_ISA_REG_A0);
    const uint32_t lane = uop->imm == SP_FIBER_IN_A0 ? address[lane_mask_lowest(wave->active)] : uop->imm;
    const uint32_t value = s[lane % wave->lanes]; /* one that the wave does not have is undefined */
    lanes_splat(sp_at(wave, uop->d), uop->s[1] ? value >> sp_shift(uop->s[0]) & 0xffff : value, wave->lanes);
}

void adreno_sp_uop_copy(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const uint32_t *s = sp_at(wave, uop->s[0]);
    uint32_t *d = sp_at(wave, uop->d);
    const uint32_t from = uop->imm ? sp_shift(uop->s[0]) : 0, to = uop->imm ? sp_shift(uop->d) : 0;
    const uint32_t bits = uop->imm ? 0xffffu << to : UINT32_MAX;
    for (unsigned i = 0; i < wave->lanes; i++) {
        const uint32_t on = (wave->is_full ? UINT32_MAX : wave->active_lanes[i]) & bits;
        d[i] = (s[i] >> from << to & on) | (d[i] & ~on);
    }
}

void adreno_sp_uop_predicate(struct adreno_wave *wave, const struct sp_uop *uop)
{
    uint32_t *d = sp_at(wave, uop->d);
    for (unsigned i = 0; i < wave->lanes; i++)
        d[i] = d[i] != 0;
}

void adreno_sp_uop_round(struct adreno_wave *wave, const struct sp_uop *uop)
{
    wave->lane_mode.round_f32 = wave->lane_mode.round_f16 = (uint8_t)uop->imm;
    wave->lane_mode = lane_mode_complete(wave->lane_mode);
}

void adreno_sp_uop_movmsk(struct adreno_wave *wave, const struct sp_uop *uop)
{
    uint32_t value = (uint32_t)(wave->active.bits[uop->imm / 64] >> (uop->imm & 32));
    uint32_t *d = sp_at(wave, uop->d);
    lane_mask_foreach(wave->active, i) d[i] = value;
}

/* ---- varyings ---- */

/* Nearly always the location is a number of the instruction's, and one question serves all lanes. */
static bool is_same_location(const struct adreno_wave *wave, const uint32_t *rows, uint32_t location)
{
    uint32_t other = 0;
    for (unsigned i = 0; i < wave->lanes; i++)
        other |= (rows[i] ^ location) & (wave->is_full ? UINT32_MAX : wave->active_lanes[i]);
    return !other;
}

/* Calls `ask` once for each component that an active lane wants. */
static void each_location(struct adreno_wave *wave, const struct sp_uop *uop,
                          void (*ask)(struct adreno_wave *wave, const struct sp_uop *uop, uint32_t location,
                                      struct lane_mask lanes))
{
    const uint32_t *rows = sp_at(wave, uop->s[0]);
    struct lane_mask left = wave->active;
    if (lane_mask_any(left) &&
        (uop->s[0] & SP_BASE_CONSTANTS || is_same_location(wave, rows, rows[lane_mask_lowest(left)]))) {
        ask(wave, uop, rows[lane_mask_lowest(left)] + uop->imm, left);
        return;
    }
    while (lane_mask_any(left)) {
        uint32_t location = rows[lane_mask_lowest(left)];
        struct lane_mask lanes = lane_mask_none();
        lane_mask_foreach(left, i)
        {
            if (rows[i] == location)
                lanes = lane_mask_with(lanes, i);
        }
        ask(wave, uop, location + uop->imm, lanes);
        left = lane_mask_and_not(left, lanes);
    }
}

static void ask_bary(struct adreno_wave *wave, const struct sp_uop *uop, uint32_t location, struct lane_mask lanes)
{
    wave->launch->hooks->interpolate(wave, location, sp_at(wave, uop->s[1]), sp_at(wave, uop->s[2]),
                                     sp_at(wave, uop->d), lanes);
}

static void ask_flat(struct adreno_wave *wave, const struct sp_uop *uop, uint32_t location, struct lane_mask lanes)
{
    wave->launch->hooks->flat(wave, location, sp_at(wave, uop->d), lanes);
}

void adreno_sp_uop_bary(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (!wave->launch->hooks || !wave->launch->hooks->interpolate)
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "varyings outside of a fragment shader");
    else
        each_location(wave, uop, ask_bary);
}

void adreno_sp_uop_flat(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (!wave->launch->hooks || !wave->launch->hooks->flat)
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "varyings outside of a fragment shader");
    else
        each_location(wave, uop, ask_flat);
}
