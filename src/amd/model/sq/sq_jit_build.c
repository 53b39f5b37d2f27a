/* Lane programs are written: operations that fold constants, primitives that depend on the mode, operands, and the
 * micro-operations around a kernel. */
#include "amd/model/sq/sq_jit_build.h"

#include "amd/model/sq/sq_uops.h"

void amd_sq_jit_begin(struct sq_jit_builder *b, const struct sq_wave *wave)
{
    b->wave = wave;
    b->mode = wave->lane_mode;
    b->lanes = wave->lanes;
    b->failed = b->is_one = false;
    b->count = 0;
    memset(&b->places, 0xff, sizeof(b->places)); /* JIT_NONE everywhere */
    b->places.mask_count = 0;
    b->places.exec_is_written = false;
    memset(&b->places.inputs, 0, sizeof(b->places.inputs));
}

/* ---- operations ---- */

jit_value amd_sq_jit_emit(struct sq_jit_builder *b, enum jit_op op, jit_value x, jit_value y, jit_value z, uint32_t imm)
{
    if (b->count == JIT_MAX_INSTS) {
        b->failed = true;
        return 0;
    }
    struct jit_inst *inst = &b->insts[b->count];
    inst->op = (uint16_t)op;
    inst->a = x;
    inst->b = y;
    inst->c = z;
    inst->call = NULL;
    inst->imm = imm;
    return (jit_value)b->count++;
}

jit_value amd_sq_jit_const(struct sq_jit_builder *b, uint32_t value)
{
    /* Most constants were used a moment ago. */
    for (uint32_t i = b->count; i-- > 0 && i + 64 > b->count;) {
        if (b->insts[i].op == JIT_CONST && b->insts[i].imm == value)
            return (jit_value)i;
    }
    return amd_sq_jit_emit(b, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, value);
}

jit_value amd_sq_jit_call(struct sq_jit_builder *b, jit_call call, jit_value x, jit_value y, jit_value z)
{
    jit_value made = amd_sq_jit_emit(b, JIT_CALL, x, y, z, 0);
    b->insts[made].call = call;
    b->failed |= !call;
    return made;
}

jit_value amd_sq_jit_and(struct sq_jit_builder *b, jit_value x, jit_value y)
{
    uint32_t p, q;
    bool x_known = amd_sq_jit_is_const(b, x, &p), y_known = amd_sq_jit_is_const(b, y, &q);
    if (x_known && y_known)
        return amd_sq_jit_const(b, p & q);
    if ((x_known && p == 0) || (y_known && q == UINT32_MAX))
        return x;
    if ((y_known && q == 0) || (x_known && p == UINT32_MAX))
        return y;
    return amd_sq_jit_emit(b, JIT_AND, x, y, JIT_NONE, 0);
}

jit_value amd_sq_jit_or(struct sq_jit_builder *b, jit_value x, jit_value y)
{
    uint32_t p, q;
    bool x_known = amd_sq_jit_is_const(b, x, &p), y_known = amd_sq_jit_is_const(b, y, &q);
    if (x_known && y_known)
        return amd_sq_jit_const(b, p | q);
    if ((x_known && p == UINT32_MAX) || (y_known && q == 0))
        return x;
    if ((y_known && q == UINT32_MAX) || (x_known && p == 0))
        return y;
    return amd_sq_jit_emit(b, JIT_OR, x, y, JIT_NONE, 0);
}

jit_value amd_sq_jit_xor(struct sq_jit_builder *b, jit_value x, jit_value y)
{
    uint32_t p, q;
    bool x_known = amd_sq_jit_is_const(b, x, &p), y_known = amd_sq_jit_is_const(b, y, &q);
    if (x_known && y_known)
        return amd_sq_jit_const(b, p ^ q);
    if (y_known && q == 0)
        return x;
    if (x_known && p == 0)
        return y;
    return amd_sq_jit_emit(b, JIT_XOR, x, y, JIT_NONE, 0);
}

jit_value amd_sq_jit_not(struct sq_jit_builder *b, jit_value x)
{
    uint32_t p;
    if (amd_sq_jit_is_const(b, x, &p))
        return amd_sq_jit_const(b, ~p);
    return amd_sq_jit_unary(b, JIT_NOT, x);
}

jit_value amd_sq_jit_select(struct sq_jit_builder *b, jit_value condition, jit_value x, jit_value y)
{
    uint32_t p;
    if (amd_sq_jit_is_const(b, condition, &p))
        return p ? x : y;
    return x == y ? x : amd_sq_jit_emit(b, JIT_SELECT, condition, x, y, 0);
}

jit_value amd_sq_jit_shift(struct sq_jit_builder *b, enum jit_op op, jit_value x, jit_value count)
{
    uint32_t n, p;
    if (!amd_sq_jit_is_const(b, count, &n))
        return amd_sq_jit_emit(b, op, x, count, JIT_NONE, 0);
    n &= 31;
    if (amd_sq_jit_is_const(b, x, &p))
        return amd_sq_jit_const(b, op == JIT_SHL ? p << n : op == JIT_SHR ? p >> n : (uint32_t)((int32_t)p >> n));
    enum jit_op by = op == JIT_SHL ? JIT_SHL_IMM : op == JIT_SHR ? JIT_SHR_IMM : JIT_SAR_IMM;
    return n ? amd_sq_jit_emit(b, by, x, JIT_NONE, JIT_NONE, n) : x;
}

/* ---- primitives ---- */

/* No signalling NaN and, where the mode flushes, no denormal: what arithmetic makes. */
static bool is_calm(const struct sq_jit_builder *b, jit_value v)
{
    enum jit_op op = b->insts[v].op;
    uint32_t bits = b->insts[v].imm, magnitude = bits & 0x7fffffff;
    if (op == JIT_CONST)
        return magnitude == 0 || (magnitude >= 0x00800000 && magnitude <= 0x7f800000);
    return op == JIT_FADD || op == JIT_FSUB || op == JIT_FMUL || op == JIT_FMA || op == JIT_FDIV || op == JIT_FSQRT ||
           op == JIT_FMIN || op == JIT_FMAX || op == JIT_F32_OF_I32 || op == JIT_F32_OF_U32;
}

/* As lane_calm_f32: outside of IEEE mode minimum and maximum see signalling NaNs as quiet ones. */
static jit_value calm(struct sq_jit_builder *b, jit_value x)
{
    return b->mode.ieee || is_calm(b, x) ? x : amd_sq_jit_fmul(b, x, amd_sq_jit_const(b, 0x3f800000));
}

jit_value amd_sq_jit_fma_f32(struct sq_jit_builder *b, jit_value x, jit_value y, jit_value z)
{
    return amd_sq_jit_emit(b, JIT_FMA, x, y, z, 0);
}

jit_value amd_sq_jit_min_f32(struct sq_jit_builder *b, jit_value x, jit_value y)
{
    return amd_sq_jit_emit(b, JIT_FMIN, calm(b, y), calm(b, x), JIT_NONE, 0);
}

jit_value amd_sq_jit_max_f32(struct sq_jit_builder *b, jit_value x, jit_value y)
{
    return amd_sq_jit_emit(b, JIT_FMAX, calm(b, y), calm(b, x), JIT_NONE, 0);
}

jit_value amd_sq_jit_med3_f32(struct sq_jit_builder *b, jit_value x, jit_value y, jit_value z)
{
    jit_value ordered =
        amd_sq_jit_and(b, amd_sq_jit_and(b, amd_sq_jit_feq(b, x, x), amd_sq_jit_feq(b, y, y)), amd_sq_jit_feq(b, z, z));
    x = calm(b, x), y = calm(b, y), z = calm(b, z);
    jit_value low = amd_sq_jit_emit(b, JIT_FMIN, x, y, JIT_NONE, 0),
              high = amd_sq_jit_emit(b, JIT_FMAX, x, y, JIT_NONE, 0);
    jit_value least = amd_sq_jit_emit(b, JIT_FMIN, low, z, JIT_NONE, 0);
    jit_value middle =
        amd_sq_jit_emit(b, JIT_FMAX, low, amd_sq_jit_emit(b, JIT_FMIN, high, z, JIT_NONE, 0), JIT_NONE, 0);
    return amd_sq_jit_select(b, ordered, middle, least);
}

static jit_value without_denormals(struct sq_jit_builder *b, jit_value x)
{
    jit_value exponent = amd_sq_jit_and(b, x, amd_sq_jit_const(b, 0x7f800000));
    jit_value is_small = amd_sq_jit_eq(b, exponent, amd_sq_jit_const(b, 0));
    return amd_sq_jit_select(b, is_small, amd_sq_jit_and(b, x, amd_sq_jit_const(b, 0x80000000)), x);
}

jit_value amd_sq_jit_flush_f32(struct sq_jit_builder *b, jit_value x)
{
    return b->mode.keep_in_f32 || is_calm(b, x) ? x : without_denormals(b, x);
}

/* The transcendental unit knows no denormals. Where the host flushes by itself, arithmetic does it. */
static jit_value flushed(struct sq_jit_builder *b, jit_value x)
{
    return b->mode.keep_in_f32 ? without_denormals(b, x) : x;
}

jit_value amd_sq_jit_rcp_f32(struct sq_jit_builder *b, jit_value x)
{
    return flushed(b, amd_sq_jit_emit(b, JIT_FDIV, amd_sq_jit_const(b, 0x3f800000), flushed(b, x), JIT_NONE, 0));
}

jit_value amd_sq_jit_sqrt_f32(struct sq_jit_builder *b, jit_value x)
{
    return amd_sq_jit_unary(b, JIT_FSQRT, flushed(b, x));
}

/* As lane_rsq_f32: an estimate, and a step of Newton's with what the product loses. */
jit_value amd_sq_jit_rsq_f32(struct sq_jit_builder *b, jit_value x)
{
    const jit_value one = amd_sq_jit_const(b, 0x3f800000), sign = amd_sq_jit_const(b, 0x80000000);
    jit_value a = flushed(b, x), y = amd_sq_jit_emit(b, JIT_FDIV, one, amd_sq_jit_unary(b, JIT_FSQRT, a), JIT_NONE, 0);
    jit_value minus = amd_sq_jit_xor(b, amd_sq_jit_fmul(b, a, y), sign), lost = amd_sq_jit_fma_f32(b, a, y, minus);
    jit_value error = amd_sq_jit_fma_f32(b, amd_sq_jit_xor(b, lost, sign), y, amd_sq_jit_fma_f32(b, minus, y, one));
    jit_value better = amd_sq_jit_fma_f32(b, amd_sq_jit_fmul(b, y, amd_sq_jit_const(b, 0x3f000000)), error, y);
    jit_value is_number = amd_sq_jit_and(b, amd_sq_jit_flt(b, amd_sq_jit_const(b, 0), a),
                                         amd_sq_jit_fle(b, a, amd_sq_jit_const(b, 0x7f7fffff)));
    return amd_sq_jit_select(b, is_number, better, y);
}

jit_value amd_sq_jit_fract_f32(struct sq_jit_builder *b, jit_value x)
{
    jit_value a = amd_sq_jit_flush_f32(b, x), part = amd_sq_jit_fsub(b, a, amd_sq_jit_unary(b, JIT_FLOOR, a));
    jit_value too_much = amd_sq_jit_fle(b, amd_sq_jit_const(b, 0x3f800000), part);
    return amd_sq_jit_select(b, too_much, amd_sq_jit_const(b, 0x3f7fffff), part);
}

jit_value amd_sq_jit_clamp01_f32(struct sq_jit_builder *b, jit_value x)
{
    jit_value zero = amd_sq_jit_const(b, 0), one = amd_sq_jit_const(b, 0x3f800000);
    jit_value above = amd_sq_jit_select(b, amd_sq_jit_flt(b, x, one), x, one);
    jit_value number = amd_sq_jit_select(b, amd_sq_jit_flt(b, zero, x), above, zero);
    return b->mode.clamps_nan ? number : amd_sq_jit_select(b, amd_sq_jit_feq(b, x, x), number, x);
}

jit_value amd_sq_jit_f16_rtz_f32(struct sq_jit_builder *b, jit_value x)
{
    jit_value half = amd_sq_jit_unary(b, JIT_HALF_OF_F32, x);
    if (b->mode.keep_out_f16)
        return half;
    jit_value is_normal =
        amd_sq_jit_lt_u(b, amd_sq_jit_const(b, 0x3ff), amd_sq_jit_and(b, half, amd_sq_jit_const(b, 0x7fff)));
    return amd_sq_jit_select(b, is_normal, half, amd_sq_jit_and(b, half, amd_sq_jit_const(b, 0x8000)));
}

jit_value amd_sq_jit_bfe(struct sq_jit_builder *b, bool is_signed, jit_value x, jit_value offset, jit_value width)
{
    enum jit_op down = is_signed ? JIT_SAR : JIT_SHR;
    uint32_t from, bits;
    if (amd_sq_jit_is_const(b, offset, &from) && amd_sq_jit_is_const(b, width, &bits)) {
        bits = bits < 32 - from ? bits : 32 - from;
        if (!bits)
            return amd_sq_jit_const(b, 0);
        return amd_sq_jit_shift_by(b, down, amd_sq_jit_shift_by(b, JIT_SHL, x, 32 - from - bits), 32 - bits);
    }
    jit_value top = amd_sq_jit_sub(b, amd_sq_jit_const(b, 32), offset), used = amd_sq_jit_min_u(b, width, top);
    jit_value up = amd_sq_jit_shift(b, JIT_SHL, x, amd_sq_jit_sub(b, top, used));
    jit_value moved = amd_sq_jit_shift(b, down, up, amd_sq_jit_sub(b, amd_sq_jit_const(b, 32), used));
    jit_value zero = amd_sq_jit_const(b, 0);
    return amd_sq_jit_select(b, amd_sq_jit_eq(b, used, zero), zero, moved);
}

/* ---- operands ---- */

static bool is_constant(sq_place place)
{
    return (place & 1) == SQ_BASE_CONSTANTS;
}

/* The number of a row among temporaries and VGPRs. */
static bool row_number(struct sq_jit_builder *b, sq_place place, uint32_t *number_out)
{
    uint32_t row_B = b->lanes * 4, offset = place - (uint32_t)offsetof(struct sq_wave, temp);
    *number_out = offset / row_B;
    if (place < offsetof(struct sq_wave, temp) || offset % row_B || *number_out >= SQ_JIT_ROWS) {
        b->failed = true;
        *number_out = 0;
    }
    return !b->failed;
}

jit_value amd_sq_jit_read_row(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place)) /* one value in every lane */
        return amd_sq_jit_const(b, *(const uint32_t *)sq_at(b->wave, place));
    uint32_t row;
    if (!row_number(b, place, &row))
        return amd_sq_jit_const(b, 0);
    if (b->places.rows[row] == JIT_NONE)
        b->places.rows[row] = amd_sq_jit_emit(b, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, place);
    return b->places.rows[row];
}

void amd_sq_jit_write_row(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    uint32_t row;
    if (!row_number(b, place, &row))
        return;
    b->places.rows[row] = value;
    if (place >= offsetof(struct sq_wave, vgpr)) /* a temporary ends with its instruction */
        b->places.row_stores[row] = amd_sq_jit_emit(b, JIT_STORE, value, JIT_NONE, JIT_NONE, place);
}

/* The number of a register; the lane mask there is one or two of them. */
static uint32_t register_number(struct sq_jit_builder *b, sq_place place)
{
    uint32_t number = (place - (uint32_t)offsetof(struct sq_wave, sgpr)) / 4;
    if (place < offsetof(struct sq_wave, sgpr) || number + 1 >= SQ_REGISTERS) {
        b->failed = true;
        return 0;
    }
    return number;
}

/* Whether a lane mask that was written has this register but is not the one that begins here. */
static bool overlaps_written(const struct sq_jit_builder *b, uint32_t number, bool is_mask)
{
    const jit_value *stores = b->places.mask_stores;
    bool wide = b->lanes == 64;
    return (wide && number > 0 && stores[number - 1] != JIT_NONE) ||
           (is_mask ? wide && stores[number + 1] != JIT_NONE : stores[number] != JIT_NONE);
}

bool amd_sq_jit_changes(const struct sq_jit_builder *b, sq_place place, unsigned count)
{
    uint32_t number = (place - (uint32_t)offsetof(struct sq_wave, sgpr)) / 4;
    for (unsigned i = 0; i < count && !is_constant(place); i++) {
        if (number + i + 1 >= SQ_REGISTERS || overlaps_written(b, number + i, false))
            return true;
    }
    return false;
}

jit_value amd_sq_jit_read_mask(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place)) {
        uint64_t bits = sq_read64(sq_at(b->wave, place)), all = lanes_full_mask(b->lanes);
        b->failed |= (bits & all) != 0 && (bits & all) != all;
        return amd_sq_jit_const(b, bits & all ? UINT32_MAX : 0);
    }
    uint32_t number = register_number(b, place);
    b->failed |= overlaps_written(b, number, true);
    if (b->places.masks[number] == JIT_NONE) {
        b->places.masks[number] = amd_sq_jit_emit(b, JIT_BITS, JIT_NONE, JIT_NONE, JIT_NONE, place);
        b->places.mask_count++;
    }
    return b->places.masks[number];
}

void amd_sq_jit_write_mask(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    uint32_t number = register_number(b, place);
    if (number == SQ_TRASH)
        return;
    b->failed |= overlaps_written(b, number, true);
    b->places.mask_count += b->places.mask_stores[number] == JIT_NONE;
    b->places.masks[number] = value;
    b->places.mask_stores[number] = amd_sq_jit_emit(b, JIT_STORE_BITS, value, JIT_NONE, JIT_NONE, place);
    b->places.exec_is_written |= number == SQ_EXEC;
}

jit_value amd_sq_jit_read_scalar(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place))
        return amd_sq_jit_const(b, *(const uint32_t *)sq_at(b->wave, place));
    uint32_t number = register_number(b, place);
    b->failed |= overlaps_written(b, number, false);
    if (b->places.scalars[number] == JIT_NONE)
        b->places.scalars[number] = amd_sq_jit_emit(b, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, place);
    return b->places.scalars[number];
}

/* ---- micro-operations around a kernel ---- */

static void lower_splat(struct sq_jit_builder *b)
{
    for (uint32_t row = 0; row < b->uop->imm; row++)
        amd_sq_jit_write_row(b, b->uop->d + row * b->lanes * 4, amd_sq_jit_read_scalar(b, b->uop->s[0] + row * 4));
}

static void lower_and_xor(struct sq_jit_builder *b)
{
    jit_value kept = amd_sq_jit_and(b, amd_sq_jit_read_row(b, b->uop->s[0]), amd_sq_jit_const(b, b->uop->imm));
    amd_sq_jit_write_row(b, b->uop->d, amd_sq_jit_xor(b, kept, amd_sq_jit_const(b, b->uop->s[1])));
}

static void lower_high_half(struct sq_jit_builder *b)
{
    amd_sq_jit_write_row(b, b->uop->d, amd_sq_jit_shift_by(b, JIT_SHR, amd_sq_jit_read_row(b, b->uop->s[0]), 16));
}

static void lower_select_halves(struct sq_jit_builder *b)
{
    jit_value s = amd_sq_jit_read_row(b, b->uop->s[0]);
    jit_value low = amd_sq_jit_zero_extend(b, amd_sq_jit_shift_by(b, JIT_SHR, s, b->uop->imm & 1 ? 16 : 0), 16);
    jit_value high = amd_sq_jit_shift_by(b, JIT_SHL, amd_sq_jit_shift_by(b, JIT_SHR, s, b->uop->imm & 2 ? 16 : 0), 16);
    amd_sq_jit_write_row(b, b->uop->d, amd_sq_jit_or(b, low, high));
}

static void lower_sdwa_select(struct sq_jit_builder *b)
{
    unsigned sel = b->uop->imm;
    unsigned bits = sel <= ISA_SDWA_BYTE_3 ? 8 : sel <= ISA_SDWA_WORD_1 ? 16 : 32;
    unsigned shift = sel <= ISA_SDWA_BYTE_3 ? sel * 8 : sel == ISA_SDWA_WORD_1 ? 16 : 0;
    jit_value up = amd_sq_jit_shift_by(b, JIT_SHL, amd_sq_jit_read_row(b, b->uop->s[0]), 32 - bits - shift);
    amd_sq_jit_write_row(b, b->uop->d, amd_sq_jit_shift_by(b, b->uop->s[1] ? JIT_SAR : JIT_SHR, up, 32 - bits));
}

static void lower_output_f32(struct sq_jit_builder *b)
{
    static const uint32_t factors[] = {0x3f800000, 0x40000000, 0x40800000, 0x3f000000};
    jit_value value = amd_sq_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm && !b->mode.keep_out_f32 && !b->mode.ieee)
        value = amd_sq_jit_fadd(b, amd_sq_jit_fmul(b, value, amd_sq_jit_const(b, factors[b->uop->imm & 3])),
                                amd_sq_jit_const(b, 0));
    if (b->uop->s[1])
        value = amd_sq_jit_clamp01_f32(b, value);
    amd_sq_jit_write_row(b, b->uop->d, value);
}

static void lower_merge_high(struct sq_jit_builder *b)
{
    jit_value low = amd_sq_jit_zero_extend(b, amd_sq_jit_read_row(b, b->uop->d), 16);
    jit_value high = amd_sq_jit_shift_by(b, JIT_SHL, amd_sq_jit_read_row(b, b->uop->s[0]), 16);
    amd_sq_jit_write_row(b, b->uop->d, amd_sq_jit_or(b, low, high));
}

static const struct {
    sq_run_fn run;
    amd_sq_jit_lower lower;
} around[] = {
    {amd_sq_uop_splat, lower_splat},
    {amd_sq_uop_and_xor, lower_and_xor},
    {amd_sq_uop_high_half, lower_high_half},
    {amd_sq_uop_select_halves, lower_select_halves},
    {amd_sq_uop_sdwa_select, lower_sdwa_select},
    {amd_sq_uop_output_f32, lower_output_f32},
    {amd_sq_uop_merge_high, lower_merge_high},
};

static amd_sq_jit_lower lowering_of(const struct sq_uop *uop)
{
    for (unsigned i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
        if (around[i].run == uop->run)
            return around[i].lower;
    }
    if (!uop->inst || uop->run != amd_sq_alu_kernels[uop->inst->op])
        return uop->inst ? amd_sq_jit_input_lowering(uop) : NULL;
    const struct sq_jit_row *row = &amd_sq_jit_rows[uop->inst->op];
    return row->not_clamped && uop->inst->alu.clamp ? NULL : row->lower;
}

bool amd_sq_jit_knows(const struct sq_uop *uop)
{
    return lowering_of(uop) != NULL;
}

void amd_sq_jit_lower_uop(struct sq_jit_builder *b)
{
    amd_sq_jit_lower lower = lowering_of(b->uop);
    bool is_kernel = b->uop->inst && b->uop->run == amd_sq_alu_kernels[b->uop->inst->op];
    if (!lower || (is_kernel && amd_sq_jit_rows[b->uop->inst->op].is_half && b->wave->f16_rounds_apart))
        b->failed = true;
    else
        lower(b);
}
