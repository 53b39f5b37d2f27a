/* Conversions between widths and kinds of numbers. What goes through several (64-bit integers and floats) was taken
 * apart by lower_convert.c. */
#include "amd/compiler/select.h"

static bool is_scalar(const struct select *ctx, const struct ir_instr *instr)
{
    return amd_sel_place_of(ctx, &instr->def) == SEL_SGPR;
}

/* The low `bits` of a dword extended to 32. */
static mir_temp extend_bits(struct select *ctx, bool scalar, struct mir_operand a, unsigned bits, bool is_signed)
{
    if (scalar) {
        if (is_signed)
            return amd_sel_sop1(ctx, bits == 8 ? ISA_OP_S_SEXT_I32_I8 : ISA_OP_S_SEXT_I32_I16, 1, a);
        return amd_sel_sop2(ctx, ISA_OP_S_AND_B32, 1, a, mir_const(bits == 8 ? 0xff : 0xffff));
    }
    if (is_signed)
        return amd_sel_vop3(ctx, ISA_OP_V_BFE_I32, a, mir_const(0), mir_const(bits));
    return amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_const(bits == 8 ? 0xff : 0xffff), a);
}

static void integer(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *a = ir_src(instr, 0);
    bool is_signed = instr->op == IR_OP_i2i, scalar = is_scalar(ctx, instr);
    mir_temp low = 0;
    if (instr->def.bits <= a->bits) {
        low = amd_sel_value_dword(ctx, a, 0);
        if (instr->def.bits == 64)
            amd_sel_define_elems(ctx, &instr->def, 2, (mir_temp[]){low, amd_sel_value_dword(ctx, a, 1)});
        else
            amd_sel_define(ctx, &instr->def, low);
        return;
    }
    low = a->bits == 32 ? amd_sel_any(ctx, a) : extend_bits(ctx, scalar, amd_sel_use(ctx, a), a->bits, is_signed);
    if (instr->def.bits <= 32) {
        amd_sel_define(ctx, &instr->def, low);
        return;
    }
    mir_temp high;
    if (!is_signed)
        high = amd_sel_copy(ctx, scalar ? MIR_S(1) : MIR_V(1), mir_const(0));
    else if (scalar)
        high = amd_sel_sop2(ctx, ISA_OP_S_ASHR_I32, 1, mir_use(low), mir_const(31));
    else
        high = amd_sel_vop2(ctx, ISA_OP_V_ASHRREV_I32, mir_const(31), mir_use(low));
    amd_sel_define_elems(ctx, &instr->def, 2, (mir_temp[]){low, high});
}

static void from_bool(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *a = ir_src(instr, 0);
    bool wide = instr->def.bits == 64;
    mir_temp low;
    if (is_scalar(ctx, instr)) {
        low = amd_sel_bool(ctx, a);
    } else {
        low = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_const(0), mir_const(1), amd_sel_mask(ctx, a));
    }
    if (wide)
        amd_sel_define_elems(
            ctx, &instr->def, 2,
            (mir_temp[]){low, amd_sel_copy(ctx, is_scalar(ctx, instr) ? MIR_S(1) : MIR_V(1), mir_const(0))});
    else
        amd_sel_define(ctx, &instr->def, low);
}

static void set_rounding(struct select *ctx, uint32_t mode)
{
    struct mir_instr *set = amd_sel_instr(ctx, ISA_OP_S_ROUND_MODE, 0, 0);
    set->imm = mode;
}

/* A conversion that rounds otherwise than the shader's mode: the mode changes around it. Both fields are two bits wide,
 * 0 to nearest and 3 to zero. */
static bool begin_rounding(struct select *ctx, const struct ir_instr *instr)
{
    uint32_t wanted = ir_imm(instr, IR_IMM_ROUNDING), mode = ctx->program->float_mode & 15,
             other = wanted == IR_ROUNDING_zero ? 15 : 0;
    if (wanted == IR_ROUNDING_any || mode == other)
        return false;
    set_rounding(ctx, other);
    return true;
}

static void end_rounding(struct select *ctx, bool changed)
{
    if (changed)
        set_rounding(ctx, ctx->program->float_mode & 15);
}

static mir_temp to_half(struct select *ctx, struct mir_operand a, bool to_zero)
{
    return to_zero ? amd_sel_vop2(ctx, ISA_OP_V_CVT_PKRTZ_F16_F32, a, mir_const(0))
                   : amd_sel_vop1(ctx, ISA_OP_V_CVT_F16_F32, a);
}

static void float_to_float(struct select *ctx, struct ir_instr *instr)
{
    unsigned from = ir_src(instr, 0)->bits, to = instr->def.bits;
    bool to_zero = ir_imm(instr, IR_IMM_ROUNDING) == IR_ROUNDING_zero;
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
    mir_temp result;
    bool own = from == 32 && to == 16 && to_zero, changed = from > to && !own && begin_rounding(ctx, instr);
    if (from == to)
        result = amd_sel_vgpr(ctx, ir_src(instr, 0));
    else if (from == 32 && to == 16)
        result = to_half(ctx, a, to_zero);
    else if (from == 16 && to == 32)
        result = amd_sel_vop1(ctx, ISA_OP_V_CVT_F32_F16, a);
    else if (from == 32 && to == 64)
        result = amd_sel_vop1(ctx, ISA_OP_V_CVT_F64_F32, a);
    else if (from == 64 && to == 32)
        result = amd_sel_vop1(ctx, ISA_OP_V_CVT_F32_F64, a);
    else if (from == 16 && to == 64)
        result = amd_sel_vop1(ctx, ISA_OP_V_CVT_F64_F32, mir_use(amd_sel_vop1(ctx, ISA_OP_V_CVT_F32_F16, a)));
    else
        result = to_half(ctx, mir_use(amd_sel_vop1(ctx, ISA_OP_V_CVT_F32_F64, a)), to_zero);
    end_rounding(ctx, changed);
    amd_sel_define(ctx, &instr->def, result);
}

/* 8 bits of result are the low ones of 16: saturated to their own range by lower_convert.c. */
static void float_to_int(struct select *ctx, struct ir_instr *instr)
{
    bool is_signed = instr->op == IR_OP_f2i;
    unsigned from = ir_src(instr, 0)->bits;
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
    mir_temp result;
    if (instr->def.bits == 16 && from == 16) {
        result = amd_sel_vop1(ctx, is_signed ? ISA_OP_V_CVT_I16_F16 : ISA_OP_V_CVT_U16_F16, a);
    } else if (instr->def.bits != 32) {
        sel_fail(ctx, "internal: a conversion to %u-bit integers was not lowered", instr->def.bits);
    } else if (from == 64) {
        result = amd_sel_vop1(ctx, is_signed ? ISA_OP_V_CVT_I32_F64 : ISA_OP_V_CVT_U32_F64, a);
    } else {
        mir_temp wide = from == 16 ? amd_sel_vop1(ctx, ISA_OP_V_CVT_F32_F16, a) : 0;
        result = amd_sel_vop1(ctx, is_signed ? ISA_OP_V_CVT_I32_F32 : ISA_OP_V_CVT_U32_F32, wide ? mir_use(wide) : a);
    }
    amd_sel_define(ctx, &instr->def, result);
}

static void int_to_float(struct select *ctx, struct ir_instr *instr)
{
    bool is_signed = instr->op == IR_OP_i2f;
    const struct ir_value *a = ir_src(instr, 0);
    unsigned to = instr->def.bits;
    mir_temp result;
    if (a->bits == 64)
        sel_fail(ctx, "internal: a conversion from 64-bit integers was not lowered");
    bool changed = (to == 16 || (to == 32 && a->bits == 32)) && begin_rounding(ctx, instr);
    if (to == 16 && a->bits == 16) {
        result = amd_sel_vop1(ctx, is_signed ? ISA_OP_V_CVT_F16_I16 : ISA_OP_V_CVT_F16_U16, amd_sel_use(ctx, a));
    } else if (to == 32 && a->bits == 8 && !is_signed) {
        result = amd_sel_vop1(ctx, ISA_OP_V_CVT_F32_UBYTE0, amd_sel_use(ctx, a));
    } else {
        struct mir_operand wide = a->bits == 32
                                      ? amd_sel_use(ctx, a)
                                      : mir_use(extend_bits(ctx, false, amd_sel_use(ctx, a), a->bits, is_signed));
        if (to == 64) {
            result = amd_sel_vop1(ctx, is_signed ? ISA_OP_V_CVT_F64_I32 : ISA_OP_V_CVT_F64_U32, wide);
        } else {
            result = amd_sel_vop1(ctx, is_signed ? ISA_OP_V_CVT_F32_I32 : ISA_OP_V_CVT_F32_U32, wide);
            if (to == 16)
                result = to_half(ctx, mir_use(result), ir_imm(instr, IR_IMM_ROUNDING) == IR_ROUNDING_zero);
        }
    }
    end_rounding(ctx, changed);
    amd_sel_define(ctx, &instr->def, result);
}

bool amd_sel_convert(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_i2i:
    case IR_OP_u2u:
        integer(ctx, instr);
        return true;
    case IR_OP_b2i:
        from_bool(ctx, instr);
        return true;
    case IR_OP_f2f:
        float_to_float(ctx, instr);
        return true;
    case IR_OP_f2i:
    case IR_OP_f2u:
        float_to_int(ctx, instr);
        return true;
    case IR_OP_i2f:
    case IR_OP_u2f:
        int_to_float(ctx, instr);
        return true;
    default:
        return false;
    }
}
