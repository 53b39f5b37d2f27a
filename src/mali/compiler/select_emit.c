/* Instructions as selection makes them: operands, shifts with a bitwise operation, comparisons, runs. */
#include "mali/compiler/select.h"

struct mach_operand mali_sel_operand(struct select *ctx, const struct ir_value *value, unsigned index)
{
    if (ir_is_const(value)) {
        const uint64_t bits = value->bits == 1 && ir_const_u64(value) ? UINT32_MAX : ir_const_u64(value);
        return mach_number((uint32_t)(bits >> 32 * index));
    }
    if (ir_is_undef(value))
        return mach_number(0);
    if (sel_is_pair(value) && index)
        return mach_use(mali_sel_upper_half(ctx, mach_use(mach_select_reg(&ctx->m, value, 0))));
    return mach_use(mach_select_reg(&ctx->m, value, index));
}

#define FIRST_COUNTS 8 /* 0x03020100 among the constants, and those after it */

struct mach_operand mali_sel_count(unsigned count)
{
    return sel_part(vir_constant(FIRST_COUNTS + (count & 31) / 4), MALI_ISA_BYTES_B00 + (count & 3));
}

struct mach_operand mali_sel_bytes(struct mach_operand operand)
{
    if (operand.kind == MACH_NUMBER && !operand.select)
        return mali_sel_count((unsigned)operand.value);
    return sel_part(operand, MALI_ISA_BYTES_B00);
}

struct mach_instr *mali_sel_instr(struct select *ctx, unsigned op, mach_temp result, unsigned count,
                                  const struct mach_operand *operands)
{
    return mali_vir_instr(&ctx->m.b, op, result, count, operands);
}

struct mali_isa_inst *mali_sel_last(struct select *ctx)
{
    return vir_isa(container_of(ctx->m.b.before->prev, struct mach_instr, link));
}

mach_temp mali_sel_alu(struct select *ctx, unsigned op, unsigned count, const struct mach_operand *operands)
{
    const mach_temp result = mach_new_temp(ctx->m.program, VIR_RUN(1));
    mali_sel_instr(ctx, op, result, count, operands);
    return result;
}

mach_temp mali_sel_wide(struct select *ctx, unsigned op, unsigned count, const struct mach_operand *operands)
{
    const mach_temp result = mach_new_temp(ctx->m.program, VIR_RUN(2));
    mali_sel_instr(ctx, op, result, count, operands);
    return result;
}

mach_temp mali_sel_number(struct select *ctx, uint32_t value)
{
    const int constant = mali_vir_constant(value);
    if (constant >= 0)
        return SEL_ALU(ctx, MALI_ISA_OP_MOV_I32, vir_constant((unsigned)constant));
    const mach_temp result = SEL_ALU(ctx, MALI_ISA_OP_IADD_IMM_I32, vir_constant(0));
    mali_sel_last(ctx)->number[0] = value;
    return result;
}

mach_temp mali_sel_move(struct select *ctx, struct mach_operand operand)
{
    if (operand.kind == MACH_TEMP && !operand.select && !operand.flags)
        return operand.temp;
    if (operand.kind == MACH_NUMBER)
        return mali_sel_number(ctx, (uint32_t)operand.value);
    return SEL_ALU(ctx, MALI_ISA_OP_MOV_I32, operand);
}

mach_temp mali_sel_and(struct select *ctx, struct mach_operand a, struct mach_operand b)
{
    return SEL_ALU(ctx, MALI_ISA_OP_LSHIFT_AND_I32, a, mali_sel_count(0), b);
}

mach_temp mali_sel_or(struct select *ctx, struct mach_operand a, struct mach_operand b)
{
    return SEL_ALU(ctx, MALI_ISA_OP_LSHIFT_OR_I32, a, mali_sel_count(0), b);
}

mach_temp mali_sel_xor(struct select *ctx, struct mach_operand a, struct mach_operand b)
{
    return SEL_ALU(ctx, MALI_ISA_OP_LSHIFT_XOR_I32, a, mali_sel_count(0), b);
}

mach_temp mali_sel_shift_left(struct select *ctx, struct mach_operand a, unsigned count)
{
    return SEL_ALU(ctx, MALI_ISA_OP_LSHIFT_OR_I32, a, mali_sel_count(count), mach_number(0));
}

mach_temp mali_sel_shift_right(struct select *ctx, struct mach_operand a, unsigned count)
{
    return SEL_ALU(ctx, MALI_ISA_OP_RSHIFT_OR_I32, a, mali_sel_count(count), mach_number(0));
}

mach_temp mali_sel_add(struct select *ctx, struct mach_operand a, struct mach_operand b)
{
    const bool is_first = a.kind == MACH_NUMBER && b.kind != MACH_NUMBER;
    const struct mach_operand x = is_first ? b : a, y = is_first ? a : b;
    if (y.kind != MACH_NUMBER || x.kind != MACH_TEMP)
        return SEL_ALU(ctx, MALI_ISA_OP_IADD_U32, a, b);
    const mach_temp result = SEL_ALU(ctx, MALI_ISA_OP_IADD_IMM_I32, x);
    mali_sel_last(ctx)->number[0] = (uint32_t)y.value;
    return result;
}

mach_temp mali_sel_compare(struct select *ctx, unsigned op, unsigned cond, struct mach_operand a, struct mach_operand b)
{
    const mach_temp result = SEL_ALU(ctx, op, a, b, mach_number(0));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_COND] = (uint8_t)cond;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_RESULT] = MALI_ISA_RESULT_M1;
    return result;
}

mach_temp mali_sel_choose(struct select *ctx, struct mach_operand condition, struct mach_operand then_value,
                          struct mach_operand else_value)
{
    return SEL_ALU(ctx, MALI_ISA_OP_MUX_I32, else_value, then_value, condition);
}

mach_temp mali_sel_run(struct select *ctx, unsigned count, const struct mach_operand *operands)
{
    if (count == 1)
        return mali_sel_move(ctx, operands[0]);
    return mach_select_run(&ctx->m, VIR_RUN(count), operands);
}

void mali_sel_split(struct select *ctx, mach_temp run, unsigned count, mach_temp *regs_out)
{
    mach_select_split(&ctx->m, run, VIR_RUN(1), count, regs_out);
}
