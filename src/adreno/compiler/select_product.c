/* Selection of products of integers, which are made of 16 or 24 bits, of sums with products, and of sums that
 * saturate. */
#include "adreno/compiler/select_alu.h"

/* ---- products ---- */

/* 32 bits out of three products of 16. */
mach_temp adreno_sel_multiply(struct select *ctx, struct mach_operand a, struct mach_operand b)
{
    const mach_temp low = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MULL_U, AIR_FULL(1), a, b);
    const mach_temp middle =
        adreno_sel_alu(ctx, ADRENO_ISA_OP_MADSH_M16, AIR_FULL(1), 3, (struct mach_operand[]){a, b, mach_use(low)});
    return adreno_sel_alu(ctx, ADRENO_ISA_OP_MADSH_M16, AIR_FULL(1), 3,
                          (struct mach_operand[]){b, a, mach_use(middle)});
}

/* The upper half of a product, by four products of 16 bits, which lose nothing. */
mach_temp adreno_sel_multiply_high(struct select *ctx, mach_temp a, mach_temp b)
{
    const mach_temp a_hi = int2n(ctx, ADRENO_ISA_OP_SHR_B, a, 16), b_hi = int2n(ctx, ADRENO_ISA_OP_SHR_B, b, 16);
    const mach_temp low = int2(ctx, ADRENO_ISA_OP_MULL_U, a, b);
    const mach_temp middle = int2(ctx, ADRENO_ISA_OP_MULL_U, a_hi, b), other = int2(ctx, ADRENO_ISA_OP_MULL_U, a, b_hi);
    const mach_temp high = int2(ctx, ADRENO_ISA_OP_MULL_U, a_hi, b_hi);
    const mach_temp first = int2(ctx, ADRENO_ISA_OP_ADD_U, middle, int2n(ctx, ADRENO_ISA_OP_SHR_B, low, 16));
    const mach_temp mask = adreno_sel_number(ctx, AIR_FULL(1), 0xffff);
    const mach_temp second = int2(ctx, ADRENO_ISA_OP_ADD_U, other, int2(ctx, ADRENO_ISA_OP_AND_B, first, mask));
    const mach_temp carried = int2(ctx, ADRENO_ISA_OP_ADD_U, high, int2n(ctx, ADRENO_ISA_OP_SHR_B, first, 16));
    return int2(ctx, ADRENO_ISA_OP_ADD_U, carried, int2n(ctx, ADRENO_ISA_OP_SHR_B, second, 16));
}

/* Of a constant below 65536 the upper half adds nothing. */
static void select_product(struct select *ctx, const struct ir_instr *instr)
{
    if (is_16(&instr->def)) {
        set_one(ctx, instr,
                adreno_sel_alu2(ctx, ADRENO_ISA_OP_MUL_S24, AIR_HALF(1), reg(ctx, instr, 0), reg(ctx, instr, 1)));
        return;
    }
    const unsigned last = ir_is_const(ir_src(instr, 0)) ? 0 : 1;
    if (!ir_is_const(ir_src(instr, last)) || ir_const_u64(ir_src(instr, last)) >= 65536) {
        set_one(ctx, instr, adreno_sel_multiply(ctx, reg(ctx, instr, 0), reg(ctx, instr, 1)));
        return;
    }
    const struct mach_operand x = reg(ctx, instr, 1 - last);
    const struct mach_operand k = adreno_sel_operand(ctx, ir_src(instr, last), 0, INTEGER);
    const struct mach_operand in_file = adreno_sel_operand(ctx, ir_src(instr, last), 0, SEL_TAKES_CONST);
    const mach_temp low = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MULL_U, AIR_FULL(1), x, k);
    const struct mach_operand sources[] = {in_file, x, mach_use(low)};
    set_one(ctx, instr, adreno_sel_alu(ctx, ADRENO_ISA_OP_MADSH_M16, AIR_FULL(1), 3, sources));
}

static void select_multiply_high(struct select *ctx, const struct ir_instr *instr)
{
    const mach_temp a = adreno_sel_reg(ctx, ir_src(instr, 0), 0), b = adreno_sel_reg(ctx, ir_src(instr, 1), 0);
    mach_temp high = adreno_sel_multiply_high(ctx, a, b);
    if (instr->op == IR_OP_imul_hi) {
        const mach_temp a_sign = int2n(ctx, ADRENO_ISA_OP_ASHR_B, a, 31),
                        b_sign = int2n(ctx, ADRENO_ISA_OP_ASHR_B, b, 31);
        high = int2(ctx, ADRENO_ISA_OP_SUB_S, high, int2(ctx, ADRENO_ISA_OP_AND_B, a_sign, b));
        high = int2(ctx, ADRENO_ISA_OP_SUB_S, high, int2(ctx, ADRENO_ISA_OP_AND_B, b_sign, a));
    }
    set_one(ctx, instr, high);
}

/* ---- sums that saturate, and dot products ---- */

static mach_temp saturated(struct select *ctx, unsigned op, struct mach_operand a, struct mach_operand b)
{
    const mach_temp sum = adreno_sel_alu2(ctx, op, AIR_FULL(1), a, b);
    air_isa(last_instr(ctx))->field[ADRENO_ISA_FIELD_SAT] = 1;
    return sum;
}

static bool select_saturating(struct select *ctx, const struct ir_instr *instr)
{
    unsigned op;
    switch (instr->op) {
    case IR_OP_iadd_sat:
        op = ADRENO_ISA_OP_ADD_S;
        break;
    case IR_OP_isub_sat:
        op = ADRENO_ISA_OP_SUB_S;
        break;
    case IR_OP_uadd_sat:
        op = ADRENO_ISA_OP_ADD_U;
        break;
    case IR_OP_usub_sat:
        op = ADRENO_ISA_OP_SUB_U;
        break;
    default:
        return false;
    }
    set_one(ctx, instr, saturated(ctx, op, reg(ctx, instr, 0), reg(ctx, instr, 1)));
    return true;
}

/* Of bytes; those of the first are signed where it is mixed. */
static mach_temp dot4(struct select *ctx, bool is_mixed, mach_temp a, mach_temp b, mach_temp sum)
{
    const mach_temp result = mach_new_temp(ctx->m.program, AIR_FULL(1)), sources[] = {a, b, sum};
    struct mach_instr *dp = adreno_air_form(&ctx->m.b, AIR_FORM_DP4, result, 3);
    air_isa(dp)->field[ADRENO_ISA_FIELD_MIXED] = is_mixed;
    for (unsigned i = 0; i < 3; i++) {
        dp->operands[i] = mach_use(sources[i]);
        dp->operands[i].place = (uint8_t)(ADRENO_ISA_PLACE_SRC0 + i);
    }
    return result;
}

/* Two signed factors: y is y + 128 without a sign, and 128 times the sum of x too much. The sum that saturates is an
 * instruction of its own, for of all that the chips do here only this is alike. */
static void select_dot(struct select *ctx, const struct ir_instr *instr)
{
    const uint32_t signs = ir_imm(instr, IR_IMM_SIGNS);
    const bool sat = ir_imm(instr, IR_IMM_SAT);
    const mach_temp c = adreno_sel_reg(ctx, ir_src(instr, 2), 0);
    const mach_temp first = sat ? adreno_sel_number(ctx, AIR_FULL(1), 0) : c;
    mach_temp x = adreno_sel_reg(ctx, ir_src(instr, signs == 2 ? 1 : 0), 0);
    mach_temp y = adreno_sel_reg(ctx, ir_src(instr, signs == 2 ? 0 : 1), 0);
    mach_temp result;
    if (signs == 3) {
        const mach_temp flip = adreno_sel_number(ctx, AIR_FULL(1), 0x80808080);
        const mach_temp more = dot4(ctx, true, x, flip, adreno_sel_number(ctx, AIR_FULL(1), 0));
        result =
            int2(ctx, ADRENO_ISA_OP_SUB_S, dot4(ctx, true, x, int2(ctx, ADRENO_ISA_OP_XOR_B, y, flip), first), more);
    } else {
        result = dot4(ctx, signs != 0, x, y, first);
    }
    if (sat)
        result = saturated(ctx, signs ? ADRENO_ISA_OP_ADD_S : ADRENO_ISA_OP_ADD_U, mach_use(result), mach_use(c));
    set_one(ctx, instr, result);
}

static void select_fma(struct select *ctx, const struct ir_instr *instr)
{
    /* The second source is a register; one of the others may be a constant, of the factors the first. */
    const unsigned first = !ir_is_const(ir_src(instr, 0)) && ir_is_const(ir_src(instr, 1));
    struct mach_operand operands[3] = {reg(ctx, instr, first), reg(ctx, instr, !first), reg(ctx, instr, 2)};
    if (!is_16(&instr->def)) {
        if (ir_is_const(ir_src(instr, 2)))
            operands[2] = adreno_sel_operand(ctx, ir_src(instr, 2), 0, SEL_TAKES_CONST);
        else if (ir_is_const(ir_src(instr, first)))
            operands[0] = adreno_sel_operand(ctx, ir_src(instr, first), 0, SEL_TAKES_CONST);
    }
    const unsigned op = is_16(&instr->def) ? ADRENO_ISA_OP_MAD_F16 : ADRENO_ISA_OP_MAD_F32;
    set_one(ctx, instr, adreno_sel_alu(ctx, op, adreno_sel_class(&instr->def), 3, operands));
}

bool adreno_select_product(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_imul:
        select_product(ctx, instr);
        return true;
    case IR_OP_umul_hi:
    case IR_OP_imul_hi:
        select_multiply_high(ctx, instr);
        return true;
    case IR_OP_dot4:
        select_dot(ctx, instr);
        return true;
    case IR_OP_ffma:
        select_fma(ctx, instr);
        return true;
    default:
        return select_saturating(ctx, instr);
    }
}
