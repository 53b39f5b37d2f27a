/* Selection of pairs: two values of 16 bits in one register. Vectors of two halves are such pairs everywhere; combine.c
 * lets instructions select the halves that they read, so that taking pairs apart and putting them together costs
 * nothing as a rule. */
#include "mali/compiler/select.h"

mach_temp mali_sel_upper_half(struct select *ctx, struct mach_operand word)
{
    const struct mach_operand half = sel_part(word, MALI_ISA_HALVES_H11);
    return SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I16, half, half);
}

mach_temp mali_sel_halves(struct select *ctx, struct mach_operand low, struct mach_operand high)
{
    if (low.kind == MACH_NUMBER && high.kind == MACH_NUMBER)
        return mali_sel_number(ctx, ((uint32_t)low.value & 0xffff) | (uint32_t)high.value << 16);
    return SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I16, sel_part(low, MALI_ISA_HALVES_H00),
                   sel_part(high, MALI_ISA_HALVES_H00));
}

struct mach_operand mali_sel_whole(struct select *ctx, const struct ir_value *value)
{
    if (!sel_is_pair(value))
        return mali_sel_operand(ctx, value, 0);
    return ir_is_undef(value) ? mach_number(0) : mach_use(mach_select_reg(&ctx->m, value, 0));
}

void mali_sel_set(struct select *ctx, const struct ir_value *value, mach_temp *regs)
{
    if (sel_is_pair(value))
        mach_select_set_one(&ctx->m, value, mali_sel_halves(ctx, mach_use(regs[0]), mach_use(regs[1])));
    else
        mach_select_set(&ctx->m, value, regs);
}

/* ---- vectors ---- */

static bool select_vector(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op == IR_OP_vec && sel_is_pair(&instr->def)) {
        mach_select_set_one(&ctx->m, &instr->def,
                            mali_sel_halves(ctx, mali_sel_operand(ctx, ir_src(instr, 0), 0),
                                            mali_sel_operand(ctx, ir_src(instr, 1), 0)));
        return true;
    }
    if (instr->op == IR_OP_extract && sel_is_pair(ir_src(instr, 0))) {
        mach_select_set_one(&ctx->m, &instr->def,
                            mali_sel_move(ctx, mali_sel_operand(ctx, ir_src(instr, 0), ir_imm(instr, IR_IMM_COMP))));
        return true;
    }
    return false;
}

/* ---- integers ---- */

static const struct row {
    uint16_t op;
    bool saturates, is_choice; /* of the lesser or greater one */
    uint8_t cond;
} rows[IR_OP_COUNT] = {
    [IR_OP_iadd] = {.op = MALI_ISA_OP_IADD_V2U16},
    [IR_OP_isub] = {.op = MALI_ISA_OP_ISUB_V2U16},
    [IR_OP_imul] = {.op = MALI_ISA_OP_IMUL_V2I16},
    [IR_OP_iadd_sat] = {.op = MALI_ISA_OP_IADD_V2S16, .saturates = true},
    [IR_OP_isub_sat] = {.op = MALI_ISA_OP_ISUB_V2S16, .saturates = true},
    [IR_OP_uadd_sat] = {.op = MALI_ISA_OP_IADD_V2U16, .saturates = true},
    [IR_OP_usub_sat] = {.op = MALI_ISA_OP_ISUB_V2U16, .saturates = true},
    [IR_OP_imin] = {.op = MALI_ISA_OP_CSEL_V2S16, .is_choice = true, .cond = MALI_ISA_COND_LT},
    [IR_OP_imax] = {.op = MALI_ISA_OP_CSEL_V2S16, .is_choice = true, .cond = MALI_ISA_COND_GT},
    [IR_OP_umin] = {.op = MALI_ISA_OP_CSEL_V2U16, .is_choice = true, .cond = MALI_ISA_COND_LT},
    [IR_OP_umax] = {.op = MALI_ISA_OP_CSEL_V2U16, .is_choice = true, .cond = MALI_ISA_COND_GT},
};

static mach_temp select_row(struct select *ctx, const struct ir_instr *instr)
{
    const struct row *row = &rows[instr->op];
    const struct mach_operand a = mali_sel_whole(ctx, ir_src(instr, 0)), b = mali_sel_whole(ctx, ir_src(instr, 1));
    const mach_temp result = row->is_choice ? SEL_ALU(ctx, row->op, a, b, a, b) : SEL_ALU(ctx, row->op, a, b);
    if (row->is_choice)
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_COND] = row->cond;
    if (row->saturates)
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_SATURATE] = 1;
    return result;
}

/* Both halves by one number: compiler/ir/target.h, shares_counts. */
static mach_temp select_shift(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *count = ir_component(ir_src(instr, 1), 0);
    if (!count || !ir_is_const(count))
        sel_fail(ctx, "internal: a pair is shifted by a number that is not known");
    const unsigned op = instr->op == IR_OP_ishl ? MALI_ISA_OP_LSHIFT_OR_V2I16 : MALI_ISA_OP_RSHIFT_OR_V2I16;
    const mach_temp result = SEL_ALU(ctx, op, mali_sel_whole(ctx, ir_src(instr, 0)),
                                     mali_sel_count((unsigned)ir_const_u64(count) & 15), mach_number(0));
    if (instr->op == IR_OP_ishr)
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_SIGNED] = 1;
    return result;
}

static mach_temp select_integer(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_ineg:
        return SEL_ALU(ctx, MALI_ISA_OP_ISUB_V2U16, mach_number(0), mali_sel_whole(ctx, ir_src(instr, 0)));
    case IR_OP_ishl:
    case IR_OP_ishr:
    case IR_OP_ushr:
        return select_shift(ctx, instr);
    default:
        return rows[instr->op].op ? select_row(ctx, instr) : 0;
    }
}

bool mali_select_pair(struct select *ctx, const struct ir_instr *instr)
{
    if (select_vector(ctx, instr))
        return true;
    /* One half is computed as two, where nothing shorter is there for it. */
    if (instr->def.bits != 16 || (!sel_is_pair(&instr->def) && !rows[instr->op].saturates))
        return false;
    const mach_temp result = select_integer(ctx, instr);
    if (result)
        mach_select_set_one(&ctx->m, &instr->def, result);
    return result != 0;
}
