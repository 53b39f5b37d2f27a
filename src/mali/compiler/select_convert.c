/* Selection of conversions and packing. A value of 8 or 16 bits is the low bits of a register: making one narrower
 * costs nothing. */
#include "mali/compiler/select.h"

static struct mach_operand source(struct select *ctx, const struct ir_instr *instr, unsigned i)
{
    return mali_sel_operand(ctx, ir_src(instr, i), 0);
}

static void set_result(struct select *ctx, const struct ir_instr *instr, mach_temp reg)
{
    mach_select_set_one(&ctx->m, &instr->def, reg);
}

static struct mach_operand low_half(struct mach_operand operand)
{
    return sel_part(operand, MALI_ISA_HALVES_H00);
}

/* To 32 bits. */
static mach_temp widened(struct select *ctx, struct mach_operand x, unsigned bits, bool is_signed)
{
    if (bits == 8)
        return SEL_ALU(ctx, is_signed ? MALI_ISA_OP_S8_TO_S32 : MALI_ISA_OP_U8_TO_U32, sel_part(x, MALI_ISA_BYTE_B0));
    if (bits == 16)
        return SEL_ALU(ctx, is_signed ? MALI_ISA_OP_S16_TO_S32 : MALI_ISA_OP_U16_TO_U32, low_half(x));
    return mali_sel_move(ctx, x);
}

/* ---- integers ---- */

/* Conversions of 64 bits have become pairs; only cutting and widening by the lower word is left of them, if
 * anything. */
static void select_resize(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *x = ir_src(instr, 0);
    const bool is_signed = instr->op == IR_OP_i2i;
    if (instr->def.bits == 64) {
        mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
        regs[0] = widened(ctx, source(ctx, instr, 0), x->bits, is_signed);
        regs[1] = x->bits == 64 ? mach_select_reg(&ctx->m, x, 1) : 0;
        if (!regs[1] && is_signed) {
            regs[1] = mali_sel_shift_right(ctx, mach_use(regs[0]), 31);
            mali_sel_last(ctx)->field[MALI_ISA_FIELD_SIGNED] = 1;
        } else if (!regs[1]) {
            regs[1] = mali_sel_number(ctx, 0);
        }
        mach_select_set(&ctx->m, &instr->def, regs);
        return;
    }
    set_result(ctx, instr,
               instr->def.bits > x->bits ? widened(ctx, source(ctx, instr, 0), x->bits, is_signed)
                                         : mali_sel_move(ctx, source(ctx, instr, 0)));
}

/* ---- floats ---- */

static mach_temp to_half(struct select *ctx, mach_temp x, unsigned rounding)
{
    const mach_temp result = SEL_ALU(ctx, MALI_ISA_OP_V2F32_TO_V2F16, mach_use(x), mach_number(0));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_ROUND] =
        rounding == IR_ROUNDING_zero ? MALI_ISA_ROUND_RTZ : MALI_ISA_ROUND_RTE;
    return result;
}

static mach_temp integer_to_single(struct select *ctx, const struct ir_instr *instr)
{
    const bool is_signed = instr->op == IR_OP_i2f;
    const struct mach_operand x = source(ctx, instr, 0);
    const unsigned bits = ir_src(instr, 0)->bits;
    if (bits == 8)
        return SEL_ALU(ctx, is_signed ? MALI_ISA_OP_S8_TO_F32 : MALI_ISA_OP_U8_TO_F32, sel_part(x, MALI_ISA_BYTE_B0));
    if (bits == 16)
        return SEL_ALU(ctx, is_signed ? MALI_ISA_OP_S16_TO_F32 : MALI_ISA_OP_U16_TO_F32, low_half(x));
    const mach_temp result = SEL_ALU(ctx, is_signed ? MALI_ISA_OP_S32_TO_F32 : MALI_ISA_OP_U32_TO_F32, x);
    if (ir_imm(instr, IR_IMM_ROUNDING) == IR_ROUNDING_zero)
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_ROUND] = MALI_ISA_ROUND_RTZ;
    return result;
}

/* Both of 16 bits: without a way through 32. */
static mach_temp between_halves(struct select *ctx, const struct ir_instr *instr, unsigned round)
{
    const unsigned op = instr->op == IR_OP_f2i   ? MALI_ISA_OP_V2F16_TO_V2S16
                        : instr->op == IR_OP_f2u ? MALI_ISA_OP_V2F16_TO_V2U16
                        : instr->op == IR_OP_i2f ? MALI_ISA_OP_V2S16_TO_V2F16
                                                 : MALI_ISA_OP_V2U16_TO_V2F16;
    const mach_temp result = SEL_ALU(ctx, op, source(ctx, instr, 0));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_ROUND] = (uint8_t)round;
    return result;
}

static unsigned round_of(const struct ir_instr *instr)
{
    return ir_imm(instr, IR_IMM_ROUNDING) == IR_ROUNDING_zero ? MALI_ISA_ROUND_RTZ : MALI_ISA_ROUND_RTE;
}

static mach_temp float_to_integer(struct select *ctx, const struct ir_instr *instr)
{
    const bool is_signed = instr->op == IR_OP_f2i;
    const struct mach_operand x = source(ctx, instr, 0);
    const bool is_half = ir_src(instr, 0)->bits == 16;
    if (is_half && instr->def.bits == 16)
        return between_halves(ctx, instr, MALI_ISA_ROUND_RTZ);
    const unsigned op = is_half ? (is_signed ? MALI_ISA_OP_F16_TO_S32 : MALI_ISA_OP_F16_TO_U32)
                                : (is_signed ? MALI_ISA_OP_F32_TO_S32 : MALI_ISA_OP_F32_TO_U32);
    const mach_temp result = SEL_ALU(ctx, op, is_half ? low_half(x) : x);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_ROUND] = MALI_ISA_ROUND_RTZ;
    return result;
}

static mach_temp float_to_float(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned from = ir_src(instr, 0)->bits;
    if (from == instr->def.bits)
        return mali_sel_move(ctx, source(ctx, instr, 0));
    if (from == 16)
        return SEL_ALU(ctx, MALI_ISA_OP_F16_TO_F32, sel_part(source(ctx, instr, 0), MALI_ISA_HALFWORD_H0));
    return to_half(ctx, mali_sel_move(ctx, source(ctx, instr, 0)), ir_imm(instr, IR_IMM_ROUNDING));
}

static bool select_float(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp x;
    if (instr->op != IR_OP_f2f && instr->op != IR_OP_f2i && instr->op != IR_OP_f2u && instr->op != IR_OP_i2f &&
        instr->op != IR_OP_u2f)
        return false;
    if (ir_src(instr, 0)->bits == 64 || instr->def.bits == 64)
        sel_fail(ctx, "there are no doubles");
    switch (instr->op) {
    case IR_OP_f2f:
        set_result(ctx, instr, float_to_float(ctx, instr));
        return true;
    case IR_OP_i2f:
    case IR_OP_u2f:
        if (ir_src(instr, 0)->bits == 16 && instr->def.bits == 16) {
            set_result(ctx, instr, between_halves(ctx, instr, round_of(instr)));
            return true;
        }
        x = integer_to_single(ctx, instr);
        set_result(ctx, instr, instr->def.bits == 16 ? to_half(ctx, x, ir_imm(instr, IR_IMM_ROUNDING)) : x);
        return true;
    default:
        set_result(ctx, instr, float_to_integer(ctx, instr));
        return true;
    }
}

/* ---- packing ---- */

static bool select_packing(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    switch (instr->op) {
    case IR_OP_pack64:
        regs[0] = mach_select_reg(&ctx->m, ir_src(instr, 0), 0);
        regs[1] = mach_select_reg(&ctx->m, ir_src(instr, 1), 0);
        break;
    case IR_OP_lo32:
    case IR_OP_hi32:
        regs[0] = mach_select_reg(&ctx->m, ir_src(instr, 0), instr->op == IR_OP_hi32);
        break;
    case IR_OP_lo16:
        regs[0] = mach_select_reg(&ctx->m, ir_src(instr, 0), 0);
        break;
    case IR_OP_hi16:
        regs[0] = mali_sel_upper_half(ctx, source(ctx, instr, 0));
        break;
    case IR_OP_pack32:
        regs[0] = mali_sel_halves(ctx, source(ctx, instr, 0), source(ctx, instr, 1));
        break;
    case IR_OP_vec_bits:
    case IR_OP_bits_vec: /* a pair is the register */
        regs[0] = mali_sel_move(ctx, mali_sel_whole(ctx, ir_src(instr, 0)));
        break;
    case IR_OP_pkrtz:
        regs[0] = SEL_ALU(ctx, MALI_ISA_OP_V2F32_TO_V2F16, source(ctx, instr, 0), source(ctx, instr, 1));
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_ROUND] = MALI_ISA_ROUND_RTZ;
        break;
    case IR_OP_b2i: /* of all ones the highest bit; of 64 bits the upper word is zero */
        regs[0] = mali_sel_shift_right(ctx, source(ctx, instr, 0), 31);
        regs[1] = instr->def.bits == 64 ? mali_sel_number(ctx, 0) : 0;
        break;
    default:
        return false;
    }
    mach_select_set(&ctx->m, &instr->def, regs);
    return true;
}

bool mali_select_convert(struct select *ctx, const struct ir_instr *instr)
{
    if (select_packing(ctx, instr))
        return true;
    if (instr->op == IR_OP_i2i || instr->op == IR_OP_u2u) {
        select_resize(ctx, instr);
        return true;
    }
    return select_float(ctx, instr);
}
