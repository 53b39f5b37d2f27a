/* Selection of arithmetic that is one instruction or few: floats and integers of 16 bits in half registers, of 32 bits
 * in full ones; comparisons, bits, signs. Products are in select_product.c, conversions in select_convert.c. */
#include <math.h>

#include "adreno/compiler/select_alu.h"

enum {
    LT,
    LE,
    GT,
    GE,
    EQ,
    NE
};

/* ---- one instruction each ---- */

struct simple {
    uint16_t op;
    uint8_t takes;
};

static struct simple binary(unsigned op)
{
    switch (op) {
    case IR_OP_fadd:
        return (struct simple){ADRENO_ISA_OP_ADD_F, FLOAT};
    case IR_OP_fmul:
        return (struct simple){ADRENO_ISA_OP_MUL_F, FLOAT};
    case IR_OP_fmin:
        return (struct simple){ADRENO_ISA_OP_MIN_F, FLOAT};
    case IR_OP_fmax:
        return (struct simple){ADRENO_ISA_OP_MAX_F, FLOAT};
    case IR_OP_iadd:
        return (struct simple){ADRENO_ISA_OP_ADD_S, INTEGER};
    case IR_OP_isub:
        return (struct simple){ADRENO_ISA_OP_SUB_S, INTEGER};
    case IR_OP_imin:
        return (struct simple){ADRENO_ISA_OP_MIN_S, INTEGER};
    case IR_OP_imax:
        return (struct simple){ADRENO_ISA_OP_MAX_S, INTEGER};
    case IR_OP_umin:
        return (struct simple){ADRENO_ISA_OP_MIN_U, INTEGER};
    case IR_OP_umax:
        return (struct simple){ADRENO_ISA_OP_MAX_U, INTEGER};
    case IR_OP_iand:
        return (struct simple){ADRENO_ISA_OP_AND_B, INTEGER};
    case IR_OP_ior:
        return (struct simple){ADRENO_ISA_OP_OR_B, INTEGER};
    case IR_OP_ixor:
        return (struct simple){ADRENO_ISA_OP_XOR_B, INTEGER};
    case IR_OP_ishl:
        return (struct simple){ADRENO_ISA_OP_SHL_B, INTEGER};
    case IR_OP_ushr:
        return (struct simple){ADRENO_ISA_OP_SHR_B, INTEGER};
    case IR_OP_ishr:
        return (struct simple){ADRENO_ISA_OP_ASHR_B, INTEGER};
    case IR_OP_umul24:
        return (struct simple){ADRENO_ISA_OP_MUL_U24, INTEGER};
    case IR_OP_imul24:
        return (struct simple){ADRENO_ISA_OP_MUL_S24, INTEGER};
    default:
        return (struct simple){0, 0};
    }
}

static unsigned unary(unsigned op)
{
    switch (op) {
    case IR_OP_ffloor:
        return ADRENO_ISA_OP_FLOOR_F;
    case IR_OP_fceil:
        return ADRENO_ISA_OP_CEIL_F;
    case IR_OP_ftrunc:
        return ADRENO_ISA_OP_TRUNC_F;
    case IR_OP_fround:
        return ADRENO_ISA_OP_RNDNE_F;
    case IR_OP_brev:
        return ADRENO_ISA_OP_BFREV_B;
    default:
        return 0;
    }
}

static unsigned special(unsigned op)
{
    switch (op) {
    case IR_OP_frcp:
        return ADRENO_ISA_OP_RCP;
    case IR_OP_frsq:
        return ADRENO_ISA_OP_RSQ;
    case IR_OP_fsqrt:
        return ADRENO_ISA_OP_SQRT;
    case IR_OP_fexp2:
        return ADRENO_ISA_OP_EXP2;
    case IR_OP_flog2:
        return ADRENO_ISA_OP_LOG2;
    case IR_OP_fsin:
        return ADRENO_ISA_OP_SIN;
    case IR_OP_fcos:
        return ADRENO_ISA_OP_COS;
    default:
        return 0;
    }
}

/* The unit of special functions works on full registers; angles come in range. */
static void select_special(struct select *ctx, const struct ir_instr *instr)
{
    struct mach_operand x = reg(ctx, instr, 0);
    if (is_16(&instr->def))
        x = mach_use(adreno_sel_move(ctx, AIR_F16, AIR_F32, x));
    const mach_temp result = adreno_sel_alu(ctx, special(instr->op), AIR_FULL(1), 1, &x);
    set_one(ctx, instr, is_16(&instr->def) ? adreno_sel_move(ctx, AIR_F32, AIR_F16, mach_use(result)) : result);
}

/* ---- bits ---- */

static mach_temp count_bits(struct select *ctx, mach_temp x)
{
    /* The instruction counts in halves. */
    const mach_temp low = adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(x));
    const mach_temp high = adreno_sel_move(ctx, AIR_U32, AIR_U16, mach_use(int2n(ctx, ADRENO_ISA_OP_SHR_B, x, 16)));
    const struct mach_operand a = mach_use(low), b = mach_use(high);
    const mach_temp first = adreno_sel_alu(ctx, ADRENO_ISA_OP_CBITS_B, AIR_HALF(1), 1, &a);
    const mach_temp second = adreno_sel_alu(ctx, ADRENO_ISA_OP_CBITS_B, AIR_HALF(1), 1, &b);
    const mach_temp sum = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_HALF(1), mach_use(first), mach_use(second));
    return adreno_sel_move(ctx, AIR_U16, AIR_U32, mach_use(sum));
}

static mach_temp choose_value(struct select *ctx, mach_temp condition, struct mach_operand a, struct mach_operand b)
{
    const struct mach_operand operands[] = {a, mach_use(condition), b};
    return adreno_sel_alu(ctx, ADRENO_ISA_OP_SEL_B32, AIR_FULL(1), 3, operands);
}

/* From the number of leading bits, -1 where there is none, to the number of the bit. */
static mach_temp bit_of(struct select *ctx, mach_temp leading)
{
    const mach_temp bit = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SUB_S, AIR_FULL(1), mach_number(31), mach_use(leading));
    const mach_temp is_none = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_S, LT, mach_use(leading), mach_number(0));
    return choose_value(ctx, is_none, mach_use(leading), mach_use(bit));
}

static bool select_bits(struct select *ctx, const struct ir_instr *instr)
{
    struct mach_operand x;
    switch (instr->op) {
    case IR_OP_bcount:
        set_one(ctx, instr, count_bits(ctx, adreno_sel_reg(ctx, ir_src(instr, 0), 0)));
        return true;
    case IR_OP_ufind_msb:
    case IR_OP_ifind_msb:
        x = reg(ctx, instr, 0);
        set_one(
            ctx, instr,
            bit_of(ctx, adreno_sel_alu(ctx, instr->op == IR_OP_ifind_msb ? ADRENO_ISA_OP_CLZ_S : ADRENO_ISA_OP_CLZ_B,
                                       AIR_FULL(1), 1, &x)));
        return true;
    case IR_OP_find_lsb:
        x = reg(ctx, instr, 0);
        x = mach_use(adreno_sel_alu(ctx, ADRENO_ISA_OP_BFREV_B, AIR_FULL(1), 1, &x));
        /* The lowest bit of one is the number of leading zeros of the other. */
        set_one(ctx, instr, adreno_sel_alu(ctx, ADRENO_ISA_OP_CLZ_B, AIR_FULL(1), 1, &x));
        return true;
    default:
        return false;
    }
}

/* ---- comparisons ---- */

struct comparison {
    uint16_t op;
    int8_t cond; /* -1: none */
};

static struct comparison comparison_of(unsigned op)
{
    switch (op) {
    case IR_OP_feq:
        return (struct comparison){ADRENO_ISA_OP_CMPS_F, EQ};
    case IR_OP_flt:
        return (struct comparison){ADRENO_ISA_OP_CMPS_F, LT};
    case IR_OP_fge:
        return (struct comparison){ADRENO_ISA_OP_CMPS_F, GE};
    case IR_OP_ieq:
        return (struct comparison){ADRENO_ISA_OP_CMPS_U, EQ};
    case IR_OP_ine:
        return (struct comparison){ADRENO_ISA_OP_CMPS_U, NE};
    case IR_OP_ilt:
        return (struct comparison){ADRENO_ISA_OP_CMPS_S, LT};
    case IR_OP_ige:
        return (struct comparison){ADRENO_ISA_OP_CMPS_S, GE};
    case IR_OP_ult:
    case IR_OP_usub_borrow:
        return (struct comparison){ADRENO_ISA_OP_CMPS_U, LT};
    case IR_OP_uge:
        return (struct comparison){ADRENO_ISA_OP_CMPS_U, GE};
    default:
        return (struct comparison){0, -1};
    }
}

bool adreno_sel_is_comparison(const struct ir_instr *instr)
{
    return comparison_of(instr->op).cond >= 0;
}

static void compare_to(struct select *ctx, const struct ir_instr *instr, struct mach_def def)
{
    const struct comparison comparison = comparison_of(instr->op);
    struct mach_operand operands[2];
    sources(ctx, instr, comparison.op == ADRENO_ISA_OP_CMPS_F ? FLOAT : INTEGER, operands);
    adreno_sel_compare_to(ctx, comparison.op, comparison.cond, operands[0], operands[1], def);
}

void adreno_sel_condition_to(struct select *ctx, const struct ir_value *condition, unsigned predicate)
{
    const struct mach_def def = {.special = (uint16_t)predicate};
    if (!ir_is_const(condition) && !ctx->m.values[condition->index]) {
        compare_to(ctx, ir_def_instr(condition), def);
        return;
    }
    const struct mach_operand value = mach_use(adreno_sel_reg(ctx, condition, 0));
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_S, NE, value, mach_number(0), def);
}

void adreno_sel_condition(struct select *ctx, const struct ir_value *condition)
{
    adreno_sel_condition_to(ctx, condition, ADRENO_ISA_REG_P0);
}

static void select_comparison(struct select *ctx, const struct ir_instr *instr)
{
    const mach_temp *regs = adreno_sel_results(ctx, &instr->def);
    compare_to(ctx, instr, (struct mach_def){.temp = regs[0]});
}

/* Predicates that are not one comparison. */
static bool select_predicate(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp first, second;
    if (instr->op != IR_OP_flg && instr->op != IR_OP_ford && instr->op != IR_OP_uadd_carry)
        return false;
    const struct mach_operand a = reg(ctx, instr, 0), b = reg(ctx, instr, 1);
    switch (instr->op) {
    case IR_OP_flg:
        first = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_F, LT, a, b);
        second = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_F, GT, a, b);
        set_one(ctx, instr, int2(ctx, ADRENO_ISA_OP_OR_B, first, second));
        return true;
    case IR_OP_ford:
        first = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_F, EQ, a, a);
        second = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_F, EQ, b, b);
        set_one(ctx, instr, int2(ctx, ADRENO_ISA_OP_AND_B, first, second));
        return true;
    default:
        first = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, adreno_sel_class(ir_src(instr, 0)), a, b);
        set_one(ctx, instr, adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, LT, mach_use(first), a));
        return true;
    }
}

/* ---- signs and limits ---- */

static bool select_sign(struct select *ctx, const struct ir_instr *instr)
{
    const struct mach_class class = adreno_sel_class(&instr->def);
    struct mach_operand x;
    switch (instr->op) {
    case IR_OP_fneg:
        x = with(reg(ctx, instr, 0), ADRENO_ISA_FLAG_NEG);
        set_one(ctx, instr, adreno_sel_alu(ctx, ADRENO_ISA_OP_ABSNEG_F, class, 1, &x));
        return true;
    case IR_OP_fabs:
        x = with(reg(ctx, instr, 0), ADRENO_ISA_FLAG_ABS);
        set_one(ctx, instr, adreno_sel_alu(ctx, ADRENO_ISA_OP_ABSNEG_F, class, 1, &x));
        return true;
    case IR_OP_ineg:
        x = with(reg(ctx, instr, 0), ADRENO_ISA_FLAG_NEG);
        set_one(ctx, instr, adreno_sel_alu(ctx, ADRENO_ISA_OP_ABSNEG_S, class, 1, &x));
        return true;
    case IR_OP_iabs:
        x = with(reg(ctx, instr, 0), ADRENO_ISA_FLAG_ABS);
        set_one(ctx, instr, adreno_sel_alu(ctx, ADRENO_ISA_OP_ABSNEG_S, class, 1, &x));
        return true;
    case IR_OP_fcanonical:
        set_one(ctx, instr, adreno_sel_alu2(ctx, ADRENO_ISA_OP_MAX_F, class, reg(ctx, instr, 0), reg(ctx, instr, 0)));
        return true;
    case IR_OP_fsat:
        set_one(ctx, instr, adreno_sel_alu2(ctx, ADRENO_ISA_OP_MAX_F, class, reg(ctx, instr, 0), reg(ctx, instr, 0)));
        air_isa(container_of(ctx->m.b.before->prev, struct mach_instr, link))->field[ADRENO_ISA_FIELD_SAT] = 1;
        return true;
    case IR_OP_ffract:
        x = reg(ctx, instr, 0);
        x = mach_use(adreno_sel_alu(ctx, ADRENO_ISA_OP_FLOOR_F, class, 1, &x));
        set_one(ctx, instr,
                adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_F, class, reg(ctx, instr, 0), with(x, ADRENO_ISA_FLAG_NEG)));
        return true;
    case IR_OP_inot:
        x = reg(ctx, instr, 0);
        set_one(ctx, instr,
                instr->def.bits == 1 ? int2n(ctx, ADRENO_ISA_OP_XOR_B, x.temp, 1)
                                     : adreno_sel_alu(ctx, ADRENO_ISA_OP_NOT_B, class, 1, &x));
        return true;
    case IR_OP_b2i:
        x = reg(ctx, instr, 0);
        set_one(ctx, instr, air_is_half(class) ? adreno_sel_move(ctx, AIR_U32, AIR_U16, x) : x.temp);
        return true;
    default:
        return false;
    }
}

/* Counts have 32 bits; that of a half is one, too. */
static struct mach_operand half_count(struct select *ctx, const struct ir_value *count)
{
    if (ir_is_const(count))
        return mach_number((uint32_t)(ir_const_u64(count) % 16));
    return mach_use(adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_HALF(1), mach_use(adreno_sel_reg(ctx, count, 0)),
                                    mach_number(15)));
}

static void select_binary(struct select *ctx, const struct ir_instr *instr, struct simple simple)
{
    struct mach_operand operands[2];
    const bool is_shift = instr->op == IR_OP_ishl || instr->op == IR_OP_ishr || instr->op == IR_OP_ushr;
    if (is_shift && is_16(&instr->def)) {
        operands[0] = reg(ctx, instr, 0);
        operands[1] = half_count(ctx, ir_src(instr, 1));
    } else {
        if (is_shift && !ir_is_const(ir_src(instr, 1)))
            simple.takes = 0; /* the count is never the constant then */
        sources(ctx, instr, simple.takes, operands);
    }
    set_one(ctx, instr, adreno_sel_alu2(ctx, simple.op, adreno_sel_class(&instr->def), operands[0], operands[1]));
}

bool adreno_select_alu(struct select *ctx, const struct ir_instr *instr)
{
    if (adreno_select_vector_bits(ctx, instr))
        return true;
    if (instr->def.comps != 1 || !instr->num_srcs || ir_src(instr, 0)->comps != 1)
        return false;
    if (adreno_select_choice(ctx, instr))
        return true;
    if (ir_src(instr, 0)->bits == 64 || instr->def.bits == 64)
        return adreno_select_conversion(ctx, instr);
    struct mach_operand x;
    if (adreno_sel_is_comparison(instr)) {
        select_comparison(ctx, instr);
    } else if (binary(instr->op).op) {
        select_binary(ctx, instr, binary(instr->op));
    } else if (unary(instr->op)) {
        x = reg(ctx, instr, 0);
        set_one(ctx, instr, adreno_sel_alu(ctx, unary(instr->op), adreno_sel_class(&instr->def), 1, &x));
    } else if (special(instr->op)) {
        select_special(ctx, instr);
    } else {
        return adreno_select_product(ctx, instr) || select_sign(ctx, instr) || select_bits(ctx, instr) ||
               select_predicate(ctx, instr) || adreno_select_conversion(ctx, instr);
    }
    return true;
}
