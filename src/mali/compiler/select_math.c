/* Selection of functions: reciprocals, roots, powers, logarithms, angles, exponents. Those of halves that have no
 * instruction are computed in 32 bits. */
#include "mali/compiler/select.h"
#include "util/bits.h"

static struct mach_operand number_of(float value)
{
    return mach_number(float_bits(value));
}

static struct mach_operand minus_zero(void)
{
    return sel_with(mach_number(0), MALI_ISA_FLAG_NEG);
}

static mach_temp mul_add(struct select *ctx, struct mach_operand a, struct mach_operand b, struct mach_operand c)
{
    return SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, a, b, c);
}

/* The instruction takes the number with 24 bits of fraction as an integer, and as it is. */
static mach_temp power_of_two(struct select *ctx, struct mach_operand x)
{
    const mach_temp scaled = SEL_ALU(ctx, MALI_ISA_OP_FMA_RSCALE_F32, x, number_of(1), minus_zero(), mach_number(24));
    const mach_temp fixed = SEL_ALU(ctx, MALI_ISA_OP_F32_TO_S32, mach_use(scaled));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_ROUND] = MALI_ISA_ROUND_RTE;
    return SEL_ALU(ctx, MALI_ISA_OP_FEXP_F32, mach_use(fixed), x);
}

/* meanings.table: a slope, times what the fraction is above one, plus the exponent. */
static mach_temp logarithm(struct select *ctx, struct mach_operand x)
{
    const mach_temp slope = SEL_ALU(ctx, MALI_ISA_OP_FLOGD_F32, x);
    const mach_temp above = SEL_ALU(ctx, MALI_ISA_OP_FADD_LSCALE_F32, sel_with(number_of(1), MALI_ISA_FLAG_NEG), x);
    const mach_temp exponent = SEL_ALU(ctx, MALI_ISA_OP_FREXPE_F32, x);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_LOG] = 1;
    const mach_temp whole = SEL_ALU(ctx, MALI_ISA_OP_S32_TO_F32, mach_use(exponent));
    return mul_add(ctx, mach_use(slope), mach_use(above), mach_use(whole));
}

/* A turn has 64 steps with a sine and a cosine each; from the nearest one it is a small angle r:
 * sin (t + r) = sin t (1 - r²/2) + cos t (r - r³/6). */
static mach_temp wave(struct select *ctx, struct mach_operand x, bool is_cosine)
{
    const float magic = 12582912; /* 1.5 * 2^23: sums with it have integers in their low bits */
    const mach_temp steps = mul_add(ctx, x, number_of(10.185916f), number_of(magic));
    const mach_temp nearest = SEL_ALU(ctx, MALI_ISA_OP_FADD_F32, mach_use(steps), number_of(-magic));
    mach_temp r = mul_add(ctx, mach_use(nearest), number_of(-0.098174773f), x);
    r = mul_add(ctx, mach_use(nearest), number_of(2.7319618e-9f), mach_use(r));
    const mach_temp sine = SEL_ALU(ctx, MALI_ISA_OP_FSIN_TABLE_U6, mach_use(steps));
    const mach_temp cosine = SEL_ALU(ctx, MALI_ISA_OP_FCOS_TABLE_U6, mach_use(steps));
    const mach_temp square = mul_add(ctx, mach_use(r), mach_use(r), minus_zero());
    const mach_temp even = mul_add(ctx, mach_use(square), number_of(-0.5f), number_of(1));
    const mach_temp shrink = mul_add(ctx, mach_use(square), number_of(-1.0f / 6), number_of(1));
    mach_temp odd = mul_add(ctx, mach_use(r), mach_use(shrink), minus_zero());
    const struct mach_operand minor = is_cosine ? sel_with(mach_use(sine), MALI_ISA_FLAG_NEG) : mach_use(cosine);
    odd = mul_add(ctx, minor, mach_use(odd), minus_zero());
    return mul_add(ctx, mach_use(is_cosine ? cosine : sine), mach_use(even), mach_use(odd));
}

static mach_temp root(struct select *ctx, struct mach_operand x)
{
    return SEL_ALU(ctx, MALI_ISA_OP_FRCP_F32, mach_use(SEL_ALU(ctx, MALI_ISA_OP_FRSQ_F32, x)));
}

static mach_temp function(struct select *ctx, unsigned op, struct mach_operand x)
{
    switch (op) {
    case IR_OP_frcp:
        return SEL_ALU(ctx, MALI_ISA_OP_FRCP_F32, x);
    case IR_OP_frsq:
        return SEL_ALU(ctx, MALI_ISA_OP_FRSQ_F32, x);
    case IR_OP_fsqrt:
        return root(ctx, x);
    case IR_OP_fexp2:
        return power_of_two(ctx, x);
    case IR_OP_flog2:
        return logarithm(ctx, x);
    case IR_OP_fsin:
        return wave(ctx, x, false);
    case IR_OP_fcos:
        return wave(ctx, x, true);
    case IR_OP_ffrexp_mant:
        return SEL_ALU(ctx, MALI_ISA_OP_FREXPM_F32, x);
    case IR_OP_ffrexp_exp:
        return SEL_ALU(ctx, MALI_ISA_OP_FREXPE_F32, x);
    default:
        return 0;
    }
}

static mach_temp to_half(struct select *ctx, mach_temp x)
{
    return SEL_ALU(ctx, MALI_ISA_OP_V2F32_TO_V2F16, mach_use(x), mach_number(0));
}

bool mali_select_math(struct select *ctx, const struct ir_instr *instr)
{
    if (!instr->num_srcs || ir_src(instr, 0)->bits == 64 || ir_src(instr, 0)->comps != 1)
        return false;
    struct mach_operand x = mali_sel_operand(ctx, ir_src(instr, 0), 0);
    if (instr->op == IR_OP_fldexp && instr->def.bits == 32) {
        mach_select_set_one(&ctx->m, &instr->def,
                            SEL_ALU(ctx, MALI_ISA_OP_LDEXP_F32, x, mali_sel_operand(ctx, ir_src(instr, 1), 0)));
        return true;
    }
    switch (instr->op) {
    case IR_OP_frcp:
    case IR_OP_frsq:
    case IR_OP_fsqrt:
    case IR_OP_fexp2:
    case IR_OP_flog2:
    case IR_OP_fsin:
    case IR_OP_fcos:
    case IR_OP_ffrexp_mant:
    case IR_OP_ffrexp_exp:
        break;
    default:
        return false;
    }
    if (ir_src(instr, 0)->bits == 16)
        x = mach_use(SEL_ALU(ctx, MALI_ISA_OP_F16_TO_F32, sel_part(x, MALI_ISA_HALFWORD_H0)));
    const mach_temp result = function(ctx, instr->op, x);
    mach_select_set_one(&ctx->m, &instr->def, instr->def.bits == 16 ? to_half(ctx, result) : result);
    return true;
}
