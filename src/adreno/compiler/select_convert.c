/* Selection of what moves values from one size or type to another: selects, packing, conversions. */
#include "adreno/compiler/select_alu.h"

/* ---- choosing, packing, converting ---- */

static void select_choice(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = adreno_sel_words(&instr->def);
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    const bool is_half = air_is_half(adreno_sel_class(&instr->def));
    mach_temp condition = adreno_sel_reg(ctx, ir_src(instr, 0), 0);
    if (is_half)
        condition = adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(condition));
    for (unsigned i = 0; i < words; i++) {
        const unsigned takes = is_half || ir_is_const(ir_src(instr, 2)) ? 0 : SEL_TAKES_CONST;
        const struct mach_operand operands[] = {
            adreno_sel_operand(ctx, ir_src(instr, 1), i, takes), mach_use(condition),
            adreno_sel_operand(ctx, ir_src(instr, 2), i, is_half ? 0 : SEL_TAKES_CONST)};
        regs[i] = adreno_sel_alu(ctx, is_half ? ADRENO_ISA_OP_SEL_B16 : ADRENO_ISA_OP_SEL_B32,
                                 adreno_sel_class(&instr->def), 3, operands);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static bool select_packing(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *x = ir_src(instr, 0);
    mach_temp *regs;
    mach_temp high;
    switch (instr->op) {
    case IR_OP_pack64:
        regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
        regs[0] = adreno_sel_reg(ctx, x, 0);
        regs[1] = adreno_sel_reg(ctx, ir_src(instr, 1), 0);
        adreno_sel_set(ctx, &instr->def, regs);
        return true;
    case IR_OP_lo32:
        set_one(ctx, instr, adreno_sel_reg(ctx, x, 0));
        return true;
    case IR_OP_hi32:
        set_one(ctx, instr, adreno_sel_reg(ctx, x, 1));
        return true;
    case IR_OP_lo16:
        set_one(ctx, instr, adreno_sel_move(ctx, AIR_U32, AIR_U16, reg(ctx, instr, 0)));
        return true;
    case IR_OP_hi16:
        high = int2n(ctx, ADRENO_ISA_OP_SHR_B, adreno_sel_reg(ctx, x, 0), 16);
        set_one(ctx, instr, adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(high)));
        return true;
    case IR_OP_pack32:
        high = int2n(ctx, ADRENO_ISA_OP_SHL_B, adreno_sel_move(ctx, AIR_U16, AIR_U32, reg(ctx, instr, 1)), 16);
        set_one(ctx, instr,
                int2(ctx, ADRENO_ISA_OP_OR_B, adreno_sel_move(ctx, AIR_U16, AIR_U32, reg(ctx, instr, 0)), high));
        return true;
    default:
        return false;
    }
}

/* Of 8 bits the upper ones of the half register are anything. */
static mach_temp widen_byte(struct select *ctx, const struct ir_value *x, bool is_signed)
{
    const mach_temp from = adreno_sel_reg(ctx, x, 0);
    const mach_temp wide =
        adreno_sel_move(ctx, is_signed ? AIR_S16 : AIR_U16, is_signed ? AIR_S32 : AIR_U32, mach_use(from));
    if (x->bits == 16)
        return wide;
    if (!is_signed)
        return int2n(ctx, ADRENO_ISA_OP_AND_B, wide, 0xff);
    return int2n(ctx, ADRENO_ISA_OP_ASHR_B, int2n(ctx, ADRENO_ISA_OP_SHL_B, wide, 24), 24);
}

static void select_resize(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *x = ir_src(instr, 0);
    const bool is_signed = instr->op == IR_OP_i2i;
    mach_temp wide = x->bits == 32 ? adreno_sel_reg(ctx, x, 0) : 0;
    if (instr->def.bits == x->bits || (instr->def.bits < x->bits && x->bits < 32)) {
        set_one(ctx, instr, adreno_sel_reg(ctx, x, 0));
        return;
    }
    if (!wide)
        wide = widen_byte(ctx, x, is_signed);
    set_one(ctx, instr, instr->def.bits == 32 ? wide : adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(wide)));
}

static enum air_type type_of(const struct ir_value *value, bool is_float, bool is_signed)
{
    if (is_float)
        return is_16(value) ? AIR_F16 : AIR_F32;
    if (is_16(value))
        return is_signed ? AIR_S16 : AIR_U16;
    return is_signed ? AIR_S32 : AIR_U32;
}

bool adreno_select_conversion(struct select *ctx, const struct ir_instr *instr)
{
    const bool from_float = instr->op == IR_OP_f2f || instr->op == IR_OP_f2i || instr->op == IR_OP_f2u;
    const bool to_float = instr->op == IR_OP_f2f || instr->op == IR_OP_i2f || instr->op == IR_OP_u2f;
    const bool is_signed = instr->op == IR_OP_f2i || instr->op == IR_OP_i2f;
    const struct ir_value *x = ir_src(instr, 0);
    if (!from_float && !to_float)
        return false;
    if (x->bits == 64 || instr->def.bits == 64)
        sel_fail(ctx, "there are no doubles");
    struct mach_operand from = reg(ctx, instr, 0);
    enum air_type type = type_of(x, from_float, is_signed);
    if (x->bits == 8) {
        from = mach_use(widen_byte(ctx, x, is_signed));
        type = is_signed ? AIR_S32 : AIR_U32;
    }
    mach_temp *regs = mach_alloc(ctx->m.program, sizeof(*regs));
    regs[0] = adreno_sel_move(ctx, type, type_of(&instr->def, to_float, is_signed), from);
    struct mach_instr *mov = container_of(ctx->m.b.before->prev, struct mach_instr, link);
    /* Without a mark it rounds towards zero; (even) is 1. */
    if (to_float && !(instr->op == IR_OP_f2f && ir_imm(instr, IR_IMM_ROUNDING) == IR_ROUNDING_zero))
        air_isa(mov)->field[ADRENO_ISA_FIELD_ROUND] = 1;
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}

/* Two values of 16 bits side by side, and the 32 bits that they are. */
bool adreno_select_vector_bits(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    mach_temp wide[2];
    switch (instr->op) {
    case IR_OP_bits_vec:
        wide[0] = adreno_sel_reg(ctx, ir_src(instr, 0), 0);
        regs[0] = adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(wide[0]));
        regs[1] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_HALF(1), mach_use(wide[0]), mach_number(16));
        break;
    case IR_OP_vec_bits:
        for (unsigned i = 0; i < 2; i++)
            wide[i] = adreno_sel_move(ctx, AIR_U16, AIR_U32, mach_use(adreno_sel_reg(ctx, ir_src(instr, 0), i)));
        regs[0] = int2(ctx, ADRENO_ISA_OP_OR_B, wide[0], int2n(ctx, ADRENO_ISA_OP_SHL_B, wide[1], 16));
        break;
    default:
        return false;
    }
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}

bool adreno_select_choice(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_select:
        select_choice(ctx, instr);
        return true;
    case IR_OP_i2i:
    case IR_OP_u2u:
        select_resize(ctx, instr);
        return true;
    default:
        return select_packing(ctx, instr);
    }
}
