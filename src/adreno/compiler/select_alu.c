/* Selection of arithmetic: floats in full and half registers, integers in full ones. */
#include <math.h>

#include "adreno/compiler/select.h"
#include "util/bits.h"

enum {
    LT,
    LE,
    GT,
    GE,
    EQ,
    NE
};

static bool is_16(const struct ir_value *value)
{
    return value->bits == 16;
}

static void set_one(struct select *ctx, const struct ir_instr *instr, air_temp reg)
{
    air_temp *regs = adreno_sel_alloc(ctx, sizeof(*regs));
    regs[0] = reg;
    adreno_sel_set(ctx, &instr->def, regs);
}

static struct air_operand with(struct air_operand operand, uint8_t flags)
{
    operand.flags |= flags;
    return operand;
}

static struct air_operand reg(struct select *ctx, const struct ir_instr *instr, unsigned i)
{
    return air_use(adreno_sel_reg(ctx, ir_src(instr, i), 0));
}

/* The two sources of category 2: one of them may be a number or a constant. */
static void sources(struct select *ctx, const struct ir_instr *instr, unsigned takes, struct air_operand out[2])
{
    const bool is_first = ir_is_const(ir_src(instr, 0)) && !ir_is_const(ir_src(instr, 1));
    out[0] = adreno_sel_operand(ctx, ir_src(instr, 0), 0, is_first ? takes : 0);
    out[1] = adreno_sel_operand(ctx, ir_src(instr, 1), 0, is_first ? 0 : takes);
}

#define INTEGER (SEL_TAKES_NUMBER | SEL_TAKES_CONST)
#define FLOAT SEL_TAKES_CONST

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
    struct air_operand x = reg(ctx, instr, 0);
    if (is_16(&instr->def))
        x = air_use(adreno_sel_move(ctx, AIR_F16, AIR_F32, x));
    const air_temp result = adreno_sel_alu(ctx, special(instr->op), AIR_FULL(1), 1, &x);
    set_one(ctx, instr, is_16(&instr->def) ? adreno_sel_move(ctx, AIR_F32, AIR_F16, air_use(result)) : result);
}

/* ---- products ---- */

/* 32 bits out of three products of 16. */
air_temp adreno_sel_multiply(struct select *ctx, struct air_operand a, struct air_operand b)
{
    const air_temp low = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MULL_U, AIR_FULL(1), a, b);
    const air_temp middle =
        adreno_sel_alu(ctx, ADRENO_ISA_OP_MADSH_M16, AIR_FULL(1), 3, (struct air_operand[]){a, b, air_use(low)});
    return adreno_sel_alu(ctx, ADRENO_ISA_OP_MADSH_M16, AIR_FULL(1), 3, (struct air_operand[]){b, a, air_use(middle)});
}

static air_temp int2(struct select *ctx, unsigned op, air_temp a, air_temp b)
{
    return adreno_sel_alu2(ctx, op, AIR_FULL(1), air_use(a), air_use(b));
}

static air_temp int2n(struct select *ctx, unsigned op, air_temp a, int32_t number)
{
    return adreno_sel_alu2(ctx, op, AIR_FULL(1), air_use(a), air_number(number));
}

/* The upper half of a product, by four products of 16 bits, which lose nothing. */
air_temp adreno_sel_multiply_high(struct select *ctx, air_temp a, air_temp b)
{
    const air_temp a_hi = int2n(ctx, ADRENO_ISA_OP_SHR_B, a, 16), b_hi = int2n(ctx, ADRENO_ISA_OP_SHR_B, b, 16);
    const air_temp low = int2(ctx, ADRENO_ISA_OP_MULL_U, a, b);
    const air_temp middle = int2(ctx, ADRENO_ISA_OP_MULL_U, a_hi, b), other = int2(ctx, ADRENO_ISA_OP_MULL_U, a, b_hi);
    const air_temp high = int2(ctx, ADRENO_ISA_OP_MULL_U, a_hi, b_hi);
    const air_temp first = int2(ctx, ADRENO_ISA_OP_ADD_U, middle, int2n(ctx, ADRENO_ISA_OP_SHR_B, low, 16));
    const air_temp mask = adreno_sel_number(ctx, AIR_FULL(1), 0xffff);
    const air_temp second = int2(ctx, ADRENO_ISA_OP_ADD_U, other, int2(ctx, ADRENO_ISA_OP_AND_B, first, mask));
    const air_temp carried = int2(ctx, ADRENO_ISA_OP_ADD_U, high, int2n(ctx, ADRENO_ISA_OP_SHR_B, first, 16));
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
    const struct air_operand x = reg(ctx, instr, 1 - last);
    const struct air_operand k = adreno_sel_operand(ctx, ir_src(instr, last), 0, INTEGER);
    const struct air_operand in_file = adreno_sel_operand(ctx, ir_src(instr, last), 0, SEL_TAKES_CONST);
    const air_temp low = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MULL_U, AIR_FULL(1), x, k);
    const struct air_operand sources[] = {in_file, x, air_use(low)};
    set_one(ctx, instr, adreno_sel_alu(ctx, ADRENO_ISA_OP_MADSH_M16, AIR_FULL(1), 3, sources));
}

static void select_multiply_high(struct select *ctx, const struct ir_instr *instr)
{
    const air_temp a = adreno_sel_reg(ctx, ir_src(instr, 0), 0), b = adreno_sel_reg(ctx, ir_src(instr, 1), 0);
    air_temp high = adreno_sel_multiply_high(ctx, a, b);
    if (instr->op == IR_OP_imul_hi) {
        const air_temp a_sign = int2n(ctx, ADRENO_ISA_OP_ASHR_B, a, 31),
                       b_sign = int2n(ctx, ADRENO_ISA_OP_ASHR_B, b, 31);
        high = int2(ctx, ADRENO_ISA_OP_SUB_S, high, int2(ctx, ADRENO_ISA_OP_AND_B, a_sign, b));
        high = int2(ctx, ADRENO_ISA_OP_SUB_S, high, int2(ctx, ADRENO_ISA_OP_AND_B, b_sign, a));
    }
    set_one(ctx, instr, high);
}

/* ---- sums that saturate, and dot products ---- */

static struct air_instr *last_instr(struct select *ctx)
{
    return container_of(ctx->b.before->prev, struct air_instr, link);
}

static air_temp saturated(struct select *ctx, unsigned op, struct air_operand a, struct air_operand b)
{
    const air_temp sum = adreno_sel_alu2(ctx, op, AIR_FULL(1), a, b);
    last_instr(ctx)->isa.field[ADRENO_ISA_FIELD_SAT] = 1;
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
static air_temp dot4(struct select *ctx, bool is_mixed, air_temp a, air_temp b, air_temp sum)
{
    const air_temp result = adreno_air_temp(ctx->program, AIR_FULL(1)), sources[] = {a, b, sum};
    struct air_instr *dp = adreno_air_form(&ctx->b, AIR_FORM_DP4, result, 3);
    dp->isa.field[ADRENO_ISA_FIELD_MIXED] = is_mixed;
    for (unsigned i = 0; i < 3; i++) {
        dp->operands[i] = air_use(sources[i]);
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
    const air_temp c = adreno_sel_reg(ctx, ir_src(instr, 2), 0);
    const air_temp first = sat ? adreno_sel_number(ctx, AIR_FULL(1), 0) : c;
    air_temp x = adreno_sel_reg(ctx, ir_src(instr, signs == 2 ? 1 : 0), 0);
    air_temp y = adreno_sel_reg(ctx, ir_src(instr, signs == 2 ? 0 : 1), 0);
    air_temp result;
    if (signs == 3) {
        const air_temp flip = adreno_sel_number(ctx, AIR_FULL(1), 0x80808080);
        const air_temp more = dot4(ctx, true, x, flip, adreno_sel_number(ctx, AIR_FULL(1), 0));
        result =
            int2(ctx, ADRENO_ISA_OP_SUB_S, dot4(ctx, true, x, int2(ctx, ADRENO_ISA_OP_XOR_B, y, flip), first), more);
    } else {
        result = dot4(ctx, signs != 0, x, y, first);
    }
    if (sat)
        result = saturated(ctx, signs ? ADRENO_ISA_OP_ADD_S : ADRENO_ISA_OP_ADD_U, air_use(result), air_use(c));
    set_one(ctx, instr, result);
}

static void select_fma(struct select *ctx, const struct ir_instr *instr)
{
    /* The second source is a register; one of the others may be a constant, of the factors the first. */
    const unsigned first = !ir_is_const(ir_src(instr, 0)) && ir_is_const(ir_src(instr, 1));
    struct air_operand operands[3] = {reg(ctx, instr, first), reg(ctx, instr, !first), reg(ctx, instr, 2)};
    if (!is_16(&instr->def)) {
        if (ir_is_const(ir_src(instr, 2)))
            operands[2] = adreno_sel_operand(ctx, ir_src(instr, 2), 0, SEL_TAKES_CONST);
        else if (ir_is_const(ir_src(instr, first)))
            operands[0] = adreno_sel_operand(ctx, ir_src(instr, first), 0, SEL_TAKES_CONST);
    }
    const unsigned op = is_16(&instr->def) ? ADRENO_ISA_OP_MAD_F16 : ADRENO_ISA_OP_MAD_F32;
    set_one(ctx, instr, adreno_sel_alu(ctx, op, adreno_sel_class(&instr->def), 3, operands));
}

/* ---- bits ---- */

static air_temp count_bits(struct select *ctx, air_temp x)
{
    /* The instruction counts in halves. */
    const air_temp low = adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(x));
    const air_temp high = adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(int2n(ctx, ADRENO_ISA_OP_SHR_B, x, 16)));
    const struct air_operand a = air_use(low), b = air_use(high);
    const air_temp first = adreno_sel_alu(ctx, ADRENO_ISA_OP_CBITS_B, AIR_HALF(1), 1, &a);
    const air_temp second = adreno_sel_alu(ctx, ADRENO_ISA_OP_CBITS_B, AIR_HALF(1), 1, &b);
    const air_temp sum = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_HALF(1), air_use(first), air_use(second));
    return adreno_sel_move(ctx, AIR_U16, AIR_U32, air_use(sum));
}

static air_temp choose(struct select *ctx, air_temp condition, struct air_operand a, struct air_operand b)
{
    const struct air_operand operands[] = {a, air_use(condition), b};
    return adreno_sel_alu(ctx, ADRENO_ISA_OP_SEL_B32, AIR_FULL(1), 3, operands);
}

/* From the number of leading bits, -1 where there is none, to the number of the bit. */
static air_temp bit_of(struct select *ctx, air_temp leading)
{
    const air_temp bit = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SUB_S, AIR_FULL(1), air_number(31), air_use(leading));
    const air_temp is_none = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_S, LT, air_use(leading), air_number(0));
    return choose(ctx, is_none, air_use(leading), air_use(bit));
}

static bool select_bits(struct select *ctx, const struct ir_instr *instr)
{
    struct air_operand x;
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
        x = air_use(adreno_sel_alu(ctx, ADRENO_ISA_OP_BFREV_B, AIR_FULL(1), 1, &x));
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

static void compare_to(struct select *ctx, const struct ir_instr *instr, struct air_def def)
{
    const struct comparison comparison = comparison_of(instr->op);
    struct air_operand operands[2];
    sources(ctx, instr, comparison.op == ADRENO_ISA_OP_CMPS_F ? FLOAT : INTEGER, operands);
    adreno_sel_compare_to(ctx, comparison.op, comparison.cond, operands[0], operands[1], def);
}

void adreno_sel_condition(struct select *ctx, const struct ir_value *condition)
{
    const struct air_def predicate = {.special = ADRENO_ISA_REG_P0};
    if (!ir_is_const(condition) && !ctx->values[condition->index]) {
        compare_to(ctx, ir_def_instr(condition), predicate);
        return;
    }
    const struct air_operand value = air_use(adreno_sel_reg(ctx, condition, 0));
    adreno_sel_compare_to(ctx, ADRENO_ISA_OP_CMPS_S, NE, value, air_number(0), predicate);
}

static void select_comparison(struct select *ctx, const struct ir_instr *instr)
{
    const air_temp *regs = adreno_sel_results(ctx, &instr->def);
    compare_to(ctx, instr, (struct air_def){.temp = regs[0]});
}

/* Those that are not one comparison. */
static bool select_predicate(struct select *ctx, const struct ir_instr *instr)
{
    air_temp first, second;
    if (instr->op != IR_OP_flg && instr->op != IR_OP_ford && instr->op != IR_OP_uadd_carry)
        return false;
    const struct air_operand a = reg(ctx, instr, 0), b = reg(ctx, instr, 1);
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
        set_one(ctx, instr, adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, LT, air_use(first), a));
        return true;
    }
}

/* ---- choosing, packing, converting ---- */

static void select_choice(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = adreno_sel_words(&instr->def);
    air_temp *regs = adreno_sel_alloc(ctx, words * sizeof(*regs));
    const bool is_half = adreno_sel_class(&instr->def).is_half;
    air_temp condition = adreno_sel_reg(ctx, ir_src(instr, 0), 0);
    if (is_half)
        condition = adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(condition));
    for (unsigned i = 0; i < words; i++) {
        const unsigned takes = is_half || ir_is_const(ir_src(instr, 2)) ? 0 : SEL_TAKES_CONST;
        const struct air_operand operands[] = {
            adreno_sel_operand(ctx, ir_src(instr, 1), i, takes), air_use(condition),
            adreno_sel_operand(ctx, ir_src(instr, 2), i, is_half ? 0 : SEL_TAKES_CONST)};
        regs[i] = adreno_sel_alu(ctx, is_half ? ADRENO_ISA_OP_SEL_B16 : ADRENO_ISA_OP_SEL_B32,
                                 adreno_sel_class(&instr->def), 3, operands);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static bool select_packing(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *x = ir_src(instr, 0);
    air_temp *regs;
    air_temp high;
    switch (instr->op) {
    case IR_OP_pack64:
        regs = adreno_sel_alloc(ctx, 2 * sizeof(*regs));
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
        set_one(ctx, instr, adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(high)));
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
static air_temp widen(struct select *ctx, const struct ir_value *x, bool is_signed)
{
    const air_temp from = adreno_sel_reg(ctx, x, 0);
    const air_temp wide =
        adreno_sel_move(ctx, is_signed ? AIR_S16 : AIR_U16, is_signed ? AIR_S32 : AIR_U32, air_use(from));
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
    air_temp wide = x->bits == 32 ? adreno_sel_reg(ctx, x, 0) : 0;
    if (instr->def.bits == x->bits || (instr->def.bits < x->bits && x->bits < 32)) {
        set_one(ctx, instr, adreno_sel_reg(ctx, x, 0));
        return;
    }
    if (!wide)
        wide = widen(ctx, x, is_signed);
    set_one(ctx, instr, instr->def.bits == 32 ? wide : adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(wide)));
}

static enum air_type type_of(const struct ir_value *value, bool is_float, bool is_signed)
{
    if (is_float)
        return is_16(value) ? AIR_F16 : AIR_F32;
    if (is_16(value))
        return is_signed ? AIR_S16 : AIR_U16;
    return is_signed ? AIR_S32 : AIR_U32;
}

static bool select_conversion(struct select *ctx, const struct ir_instr *instr)
{
    const bool from_float = instr->op == IR_OP_f2f || instr->op == IR_OP_f2i || instr->op == IR_OP_f2u;
    const bool to_float = instr->op == IR_OP_f2f || instr->op == IR_OP_i2f || instr->op == IR_OP_u2f;
    const bool is_signed = instr->op == IR_OP_f2i || instr->op == IR_OP_i2f;
    const struct ir_value *x = ir_src(instr, 0);
    if (!from_float && !to_float)
        return false;
    if (x->bits == 64 || instr->def.bits == 64)
        sel_fail(ctx, "there are no doubles");
    struct air_operand from = reg(ctx, instr, 0);
    enum air_type type = type_of(x, from_float, is_signed);
    if (x->bits == 8) {
        from = air_use(widen(ctx, x, is_signed));
        type = is_signed ? AIR_S32 : AIR_U32;
    }
    air_temp *regs = adreno_sel_alloc(ctx, sizeof(*regs));
    regs[0] = adreno_sel_move(ctx, type, type_of(&instr->def, to_float, is_signed), from);
    struct air_instr *mov = container_of(ctx->b.before->prev, struct air_instr, link);
    /* Without a mark it rounds towards zero; (even) is 1. */
    if (to_float && !(instr->op == IR_OP_f2f && ir_imm(instr, IR_IMM_ROUNDING) == IR_ROUNDING_zero))
        mov->isa.field[ADRENO_ISA_FIELD_ROUND] = 1;
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}

/* ---- signs and limits ---- */

static bool select_sign(struct select *ctx, const struct ir_instr *instr)
{
    const struct air_class class = adreno_sel_class(&instr->def);
    struct air_operand x;
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
        container_of(ctx->b.before->prev, struct air_instr, link)->isa.field[ADRENO_ISA_FIELD_SAT] = 1;
        return true;
    case IR_OP_ffract:
        x = reg(ctx, instr, 0);
        x = air_use(adreno_sel_alu(ctx, ADRENO_ISA_OP_FLOOR_F, class, 1, &x));
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
        set_one(ctx, instr, class.is_half ? adreno_sel_move(ctx, AIR_U32, AIR_U16, x) : x.temp);
        return true;
    default:
        return false;
    }
}

/* Counts have 32 bits; that of a half is one, too. */
static struct air_operand half_count(struct select *ctx, const struct ir_value *count)
{
    if (ir_is_const(count))
        return air_number((int32_t)(ir_const_u64(count) % 16));
    return air_use(
        adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_HALF(1), air_use(adreno_sel_reg(ctx, count, 0)), air_number(15)));
}

static void select_binary(struct select *ctx, const struct ir_instr *instr, struct simple simple)
{
    struct air_operand operands[2];
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

/* Two values of 16 bits side by side, and the 32 bits that they are. */
static bool select_bits_of_vector(struct select *ctx, const struct ir_instr *instr)
{
    air_temp *regs = adreno_sel_alloc(ctx, 2 * sizeof(*regs));
    air_temp wide[2];
    switch (instr->op) {
    case IR_OP_bits_vec:
        wide[0] = adreno_sel_reg(ctx, ir_src(instr, 0), 0);
        regs[0] = adreno_sel_move(ctx, AIR_U32, AIR_U16, air_use(wide[0]));
        regs[1] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_HALF(1), air_use(wide[0]), air_number(16));
        break;
    case IR_OP_vec_bits:
        for (unsigned i = 0; i < 2; i++)
            wide[i] = adreno_sel_move(ctx, AIR_U16, AIR_U32, air_use(adreno_sel_reg(ctx, ir_src(instr, 0), i)));
        regs[0] = int2(ctx, ADRENO_ISA_OP_OR_B, wide[0], int2n(ctx, ADRENO_ISA_OP_SHL_B, wide[1], 16));
        break;
    default:
        return false;
    }
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}

bool adreno_select_alu(struct select *ctx, const struct ir_instr *instr)
{
    if (select_bits_of_vector(ctx, instr))
        return true;
    if (instr->def.comps != 1 || !instr->num_srcs || ir_src(instr, 0)->comps != 1)
        return false;
    if (instr->op == IR_OP_select) {
        select_choice(ctx, instr);
        return true;
    }
    if (select_packing(ctx, instr))
        return true;
    if (instr->op == IR_OP_i2i || instr->op == IR_OP_u2u) {
        select_resize(ctx, instr);
        return true;
    }
    if (ir_src(instr, 0)->bits == 64 || instr->def.bits == 64)
        return select_conversion(ctx, instr);
    struct air_operand x;
    if (adreno_sel_is_comparison(instr)) {
        select_comparison(ctx, instr);
    } else if (binary(instr->op).op) {
        select_binary(ctx, instr, binary(instr->op));
    } else if (unary(instr->op)) {
        x = reg(ctx, instr, 0);
        set_one(ctx, instr, adreno_sel_alu(ctx, unary(instr->op), adreno_sel_class(&instr->def), 1, &x));
    } else if (special(instr->op)) {
        select_special(ctx, instr);
    } else if (instr->op == IR_OP_imul) {
        select_product(ctx, instr);
    } else if (instr->op == IR_OP_umul_hi || instr->op == IR_OP_imul_hi) {
        select_multiply_high(ctx, instr);
    } else if (instr->op == IR_OP_dot4) {
        select_dot(ctx, instr);
    } else if (instr->op == IR_OP_ffma) {
        select_fma(ctx, instr);
    } else {
        return select_saturating(ctx, instr) || select_sign(ctx, instr) || select_bits(ctx, instr) ||
               select_predicate(ctx, instr) || select_conversion(ctx, instr);
    }
    return true;
}
