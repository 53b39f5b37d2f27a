/* Selection of arithmetic and bits: one or two instructions for each operation. */
#include "mali/compiler/select.h"

static struct mach_operand source(struct select *ctx, const struct ir_instr *instr, unsigned i)
{
    return mali_sel_whole(ctx, ir_src(instr, i));
}

static void set_result(struct select *ctx, const struct ir_instr *instr, mach_temp reg)
{
    mach_select_set_one(&ctx->m, &instr->def, reg);
}

/* ---- floats: signs are modifiers of sources ---- */

static struct mach_operand float_value(struct select *ctx, const struct ir_value *value)
{
    uint8_t flags = 0;
    while (!ir_is_const(value)) {
        const struct ir_instr *def = ir_def_instr(value);
        if (def->op == IR_OP_fneg && !(flags & MALI_ISA_FLAG_ABS))
            flags ^= MALI_ISA_FLAG_NEG;
        else if (def->op == IR_OP_fabs)
            flags |= MALI_ISA_FLAG_ABS;
        else if (def->op != IR_OP_fneg)
            break;
        value = ir_src(def, 0);
    }
    return sel_with(mali_sel_whole(ctx, value), flags);
}

static struct mach_operand float_source(struct select *ctx, const struct ir_instr *instr, unsigned i)
{
    return float_value(ctx, ir_src(instr, i));
}

static struct mach_operand minus_zero(void)
{
    return sel_with(mach_number(0), MALI_ISA_FLAG_NEG);
}

struct row {
    uint16_t op, op16; /* of 32 and of 16 bits; 0: none */
    int8_t field;      /* that is set to `value`; -1: none */
    uint8_t value;
};

/* Floats with as many sources as the operation has. */
static const struct row float_rows[IR_OP_COUNT] = {
    [IR_OP_fadd] = {MALI_ISA_OP_FADD_F32, MALI_ISA_OP_FADD_V2F16, -1, 0},
    [IR_OP_fmin] = {MALI_ISA_OP_FMIN_F32, MALI_ISA_OP_FMIN_V2F16, -1, 0},
    [IR_OP_fmax] = {MALI_ISA_OP_FMAX_F32, MALI_ISA_OP_FMAX_V2F16, -1, 0},
    [IR_OP_ffma] = {MALI_ISA_OP_FMA_F32, MALI_ISA_OP_FMA_V2F16, -1, 0},
    [IR_OP_ffloor] = {MALI_ISA_OP_FROUND_F32, MALI_ISA_OP_FROUND_V2F16, MALI_ISA_FIELD_ROUND, MALI_ISA_ROUND_RTN},
    [IR_OP_fceil] = {MALI_ISA_OP_FROUND_F32, MALI_ISA_OP_FROUND_V2F16, MALI_ISA_FIELD_ROUND, MALI_ISA_ROUND_RTP},
    [IR_OP_ftrunc] = {MALI_ISA_OP_FROUND_F32, MALI_ISA_OP_FROUND_V2F16, MALI_ISA_FIELD_ROUND, MALI_ISA_ROUND_RTZ},
    [IR_OP_fround] = {MALI_ISA_OP_FROUND_F32, MALI_ISA_OP_FROUND_V2F16, MALI_ISA_FIELD_ROUND, MALI_ISA_ROUND_RTE},
};

static bool select_float_row(struct select *ctx, const struct ir_instr *instr)
{
    const struct row *row = &float_rows[instr->op];
    const unsigned op = instr->def.bits == 32 ? row->op : row->op16;
    struct mach_operand operands[3];
    if (!row->op || instr->def.bits == 64)
        return false;
    for (unsigned i = 0; i < instr->num_srcs; i++)
        operands[i] = float_source(ctx, instr, i);
    set_result(ctx, instr, mali_sel_alu(ctx, op, instr->num_srcs, operands));
    if (row->field >= 0)
        mali_sel_last(ctx)->field[row->field] = row->value;
    return true;
}

/* x + -0, which leaves everything as it is. */
static mach_temp float_copy(struct select *ctx, const struct ir_instr *instr, unsigned clamp)
{
    const unsigned op = instr->def.bits == 32 ? MALI_ISA_OP_FADD_F32 : MALI_ISA_OP_FADD_V2F16;
    const mach_temp result = SEL_ALU(ctx, op, float_source(ctx, instr, 0), minus_zero());
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_CLAMP] = (uint8_t)clamp;
    return result;
}

static mach_temp fraction(struct select *ctx, const struct ir_instr *instr)
{
    const bool is_single = instr->def.bits == 32;
    const struct mach_operand x = float_source(ctx, instr, 0);
    const mach_temp floor = SEL_ALU(ctx, is_single ? MALI_ISA_OP_FROUND_F32 : MALI_ISA_OP_FROUND_V2F16, x);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_ROUND] = MALI_ISA_ROUND_RTN;
    return SEL_ALU(ctx, is_single ? MALI_ISA_OP_FADD_F32 : MALI_ISA_OP_FADD_V2F16, x,
                   sel_with(mach_use(floor), MALI_ISA_FLAG_NEG));
}

static bool select_float(struct select *ctx, const struct ir_instr *instr)
{
    const bool is_single = instr->def.bits == 32;
    if (instr->def.bits == 64)
        return false;
    switch (instr->op) {
    case IR_OP_fmul:
        set_result(ctx, instr,
                   SEL_ALU(ctx, is_single ? MALI_ISA_OP_FMA_F32 : MALI_ISA_OP_FMA_V2F16, float_source(ctx, instr, 0),
                           float_source(ctx, instr, 1), minus_zero()));
        return true;
    case IR_OP_fneg:
        set_result(ctx, instr,
                   mali_sel_xor(ctx, source(ctx, instr, 0), mach_number(is_single ? 0x80000000 : 0x80008000)));
        return true;
    case IR_OP_fabs:
        set_result(ctx, instr,
                   mali_sel_and(ctx, source(ctx, instr, 0), mach_number(is_single ? 0x7fffffff : 0x7fff7fff)));
        return true;
    case IR_OP_fsat:
        set_result(ctx, instr, float_copy(ctx, instr, MALI_ISA_CLAMP_CLAMP_0_1));
        return true;
    case IR_OP_fcanonical:
        set_result(ctx, instr, float_copy(ctx, instr, MALI_ISA_CLAMP_NONE));
        return true;
    case IR_OP_ffract:
        set_result(ctx, instr, fraction(ctx, instr));
        return true;
    default:
        return select_float_row(ctx, instr);
    }
}

/* ---- comparisons ---- */

struct comparison {
    bool is_there, is_float, is_signed;
    uint8_t cond;
};

static const struct comparison comparisons[IR_OP_COUNT] = {
    [IR_OP_feq] = {true, true, false, MALI_ISA_COND_EQ},
    [IR_OP_flg] = {true, true, false, MALI_ISA_COND_GTLT},
    [IR_OP_flt] = {true, true, false, MALI_ISA_COND_LT},
    [IR_OP_fge] = {true, true, false, MALI_ISA_COND_GE},
    [IR_OP_ford] = {true, true, false, MALI_ISA_COND_TOTAL},
    [IR_OP_ieq] = {true, false, false, MALI_ISA_COND_EQ},
    [IR_OP_ine] = {true, false, false, MALI_ISA_COND_NE},
    [IR_OP_ilt] = {true, false, true, MALI_ISA_COND_LT},
    [IR_OP_ige] = {true, false, true, MALI_ISA_COND_GE},
    [IR_OP_ult] = {true, false, false, MALI_ISA_COND_LT},
    [IR_OP_uge] = {true, false, false, MALI_ISA_COND_GE},
    [IR_OP_usub_borrow] = {true, false, false, MALI_ISA_COND_LT},
};

/* Halves are read as singles, so that the result has 32 bits. */
static struct mach_operand compared(struct select *ctx, const struct ir_instr *instr, unsigned i)
{
    const struct ir_value *value = ir_src(instr, i);
    if (!comparisons[instr->op].is_float)
        return mali_sel_operand(ctx, value, 0);
    const struct mach_operand operand = float_value(ctx, value);
    return value->bits == 16 ? sel_part(operand, MALI_ISA_HALF_H0) : operand;
}

static bool select_comparison(struct select *ctx, const struct ir_instr *instr)
{
    const struct comparison *c = &comparisons[instr->op];
    const unsigned bits = instr->num_srcs ? ir_src(instr, 0)->bits : 0;
    if (!c->is_there || bits == 64 || (!c->is_float && bits != 32 && bits != 1))
        return false;
    const unsigned op = c->is_float    ? MALI_ISA_OP_FCMP_OR_F32
                        : c->is_signed ? MALI_ISA_OP_ICMP_OR_S32
                                       : MALI_ISA_OP_ICMP_OR_U32;
    set_result(ctx, instr, mali_sel_compare(ctx, op, c->cond, compared(ctx, instr, 0), compared(ctx, instr, 1)));
    return true;
}

/* ---- integers ---- */

static mach_temp lesser(struct select *ctx, const struct ir_instr *instr, unsigned op, unsigned cond)
{
    const struct mach_operand a = source(ctx, instr, 0), b = source(ctx, instr, 1);
    const mach_temp result = SEL_ALU(ctx, op, a, b, a, b);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_COND] = (uint8_t)cond;
    return result;
}

static mach_temp saturated(struct select *ctx, const struct ir_instr *instr, unsigned op)
{
    const mach_temp result = SEL_ALU(ctx, op, source(ctx, instr, 0), source(ctx, instr, 1));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_SATURATE] = 1;
    return result;
}

/* The upper half of a product of 32 bits. */
static mach_temp high_product(struct select *ctx, struct mach_operand a, struct mach_operand b)
{
    mach_temp words[2];
    const struct mach_operand operands[] = {sel_part(mach_use(mali_sel_move(ctx, a)), MALI_ISA_WIDEN64_W0),
                                            sel_part(mach_use(mali_sel_move(ctx, b)), MALI_ISA_WIDEN64_W0)};
    mali_sel_split(ctx, mali_sel_wide(ctx, MALI_ISA_OP_IMULD_U64, 2, operands), 2, words);
    return words[1];
}

/* A factor that is negative counts 2^32 too much of the other. */
static mach_temp less_if_negative(struct select *ctx, mach_temp high, struct mach_operand a, struct mach_operand b)
{
    const mach_temp part = SEL_ALU(ctx, MALI_ISA_OP_RSHIFT_AND_I32, a, mali_sel_count(31), b);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_SIGNED] = 1;
    return SEL_ALU(ctx, MALI_ISA_OP_ISUB_U32, mach_use(high), mach_use(part));
}

static mach_temp select_dot(struct select *ctx, const struct ir_instr *instr)
{
    const mach_temp result =
        SEL_ALU(ctx, ir_imm(instr, IR_IMM_SIGNS) == 3 ? MALI_ISA_OP_IDP_V4S8 : MALI_ISA_OP_IDP_V4U8,
                source(ctx, instr, 0), source(ctx, instr, 1), source(ctx, instr, 2));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_SATURATE] = (uint8_t)ir_imm(instr, IR_IMM_SAT);
    return result;
}

static bool select_integer(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp high, x;
    if (!instr->num_srcs || ir_src(instr, 0)->bits != 32)
        return false;
    const struct mach_operand a = source(ctx, instr, 0);
    switch (instr->op) {
    case IR_OP_iadd:
        x = mali_sel_global_id(ctx, instr);
        set_result(ctx, instr, x ? x : mali_sel_add(ctx, a, source(ctx, instr, 1)));
        return true;
    case IR_OP_isub:
        set_result(ctx, instr, SEL_ALU(ctx, MALI_ISA_OP_ISUB_U32, a, source(ctx, instr, 1)));
        return true;
    case IR_OP_imul:
        set_result(ctx, instr, SEL_ALU(ctx, MALI_ISA_OP_IMUL_I32, a, source(ctx, instr, 1)));
        return true;
    case IR_OP_ineg:
        set_result(ctx, instr, SEL_ALU(ctx, MALI_ISA_OP_ISUB_U32, mach_number(0), a));
        return true;
    case IR_OP_iabs:
        set_result(ctx, instr, SEL_ALU(ctx, MALI_ISA_OP_IABS_S32, a));
        return true;
    case IR_OP_imin:
        set_result(ctx, instr, lesser(ctx, instr, MALI_ISA_OP_CSEL_S32, MALI_ISA_COND_LT));
        return true;
    case IR_OP_imax:
        set_result(ctx, instr, lesser(ctx, instr, MALI_ISA_OP_CSEL_S32, MALI_ISA_COND_GT));
        return true;
    case IR_OP_umin:
        set_result(ctx, instr, lesser(ctx, instr, MALI_ISA_OP_CSEL_U32, MALI_ISA_COND_LT));
        return true;
    case IR_OP_umax:
        set_result(ctx, instr, lesser(ctx, instr, MALI_ISA_OP_CSEL_U32, MALI_ISA_COND_GT));
        return true;
    case IR_OP_iadd_sat:
        set_result(ctx, instr, saturated(ctx, instr, MALI_ISA_OP_IADD_S32));
        return true;
    case IR_OP_isub_sat:
        set_result(ctx, instr, saturated(ctx, instr, MALI_ISA_OP_ISUB_S32));
        return true;
    case IR_OP_uadd_sat:
        set_result(ctx, instr, saturated(ctx, instr, MALI_ISA_OP_IADD_U32));
        return true;
    case IR_OP_usub_sat:
        set_result(ctx, instr, saturated(ctx, instr, MALI_ISA_OP_ISUB_U32));
        return true;
    case IR_OP_uadd_carry:
        high = mali_sel_add(ctx, a, source(ctx, instr, 1));
        set_result(ctx, instr, mali_sel_compare(ctx, MALI_ISA_OP_ICMP_OR_U32, MALI_ISA_COND_LT, mach_use(high), a));
        return true;
    case IR_OP_umul_hi:
        set_result(ctx, instr, high_product(ctx, a, source(ctx, instr, 1)));
        return true;
    case IR_OP_imul_hi:
        high = high_product(ctx, a, source(ctx, instr, 1));
        high = less_if_negative(ctx, high, a, source(ctx, instr, 1));
        set_result(ctx, instr, less_if_negative(ctx, high, source(ctx, instr, 1), a));
        return true;
    case IR_OP_dot4:
        set_result(ctx, instr, select_dot(ctx, instr));
        return true;
    default:
        return false;
    }
}

/* ---- bits ---- */

static struct mach_operand word_of(struct select *ctx, const struct ir_value *value, unsigned word)
{
    return word ? mali_sel_operand(ctx, value, word) : mali_sel_whole(ctx, value);
}

/* Of 64 bits word by word. */
static void select_bitwise(struct select *ctx, const struct ir_instr *instr, unsigned op)
{
    const unsigned words = instr->def.bits == 64 ? 2 : 1;
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    for (unsigned i = 0; i < words; i++)
        regs[i] =
            SEL_ALU(ctx, op, word_of(ctx, ir_src(instr, 0), i), mali_sel_count(0), word_of(ctx, ir_src(instr, 1), i));
    mach_select_set(&ctx->m, &instr->def, regs);
}

static void select_not(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned words = instr->def.bits == 64 ? 2 : 1;
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    for (unsigned i = 0; i < words; i++) {
        regs[i] = mali_sel_or(ctx, word_of(ctx, ir_src(instr, 0), i), mach_number(0));
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_NOT_RESULT] = 1;
    }
    mach_select_set(&ctx->m, &instr->def, regs);
}

static void select_shift(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned op = instr->op == IR_OP_ishl ? MALI_ISA_OP_LSHIFT_OR_I32 : MALI_ISA_OP_RSHIFT_OR_I32;
    set_result(ctx, instr,
               SEL_ALU(ctx, op, source(ctx, instr, 0), mali_sel_bytes(source(ctx, instr, 1)), mach_number(0)));
    if (instr->op == IR_OP_ishr)
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_SIGNED] = 1;
}

/* 31 less the leading zeros, of which zero has 32. */
static mach_temp highest_bit(struct select *ctx, struct mach_operand x)
{
    const mach_temp leading = SEL_ALU(ctx, MALI_ISA_OP_CLZ_U32, x);
    return SEL_ALU(ctx, MALI_ISA_OP_ISUB_U32, mach_number(31), mach_use(leading));
}

static bool select_bits(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp x;
    const unsigned bits = instr->num_srcs ? ir_src(instr, 0)->bits : 0;
    switch (instr->op) {
    case IR_OP_iand:
        select_bitwise(ctx, instr, MALI_ISA_OP_LSHIFT_AND_I32);
        return true;
    case IR_OP_ior:
        select_bitwise(ctx, instr, MALI_ISA_OP_LSHIFT_OR_I32);
        return true;
    case IR_OP_ixor:
        select_bitwise(ctx, instr, MALI_ISA_OP_LSHIFT_XOR_I32);
        return true;
    case IR_OP_inot:
        select_not(ctx, instr);
        return true;
    default:
        break;
    }
    if (bits != 32)
        return false;
    switch (instr->op) {
    case IR_OP_ishl:
    case IR_OP_ishr:
    case IR_OP_ushr:
        select_shift(ctx, instr);
        return true;
    case IR_OP_bitselect: /* the bits of the first of the two where the mask has ones */
        set_result(
            ctx, instr,
            SEL_ALU(ctx, MALI_ISA_OP_MUX_I32, source(ctx, instr, 1), source(ctx, instr, 2), source(ctx, instr, 0)));
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_MUX] = MALI_ISA_MUX_BIT;
        return true;
    case IR_OP_bcount:
        set_result(ctx, instr, SEL_ALU(ctx, MALI_ISA_OP_POPCOUNT_I32, source(ctx, instr, 0)));
        return true;
    case IR_OP_brev:
        set_result(ctx, instr, SEL_ALU(ctx, MALI_ISA_OP_BITREV_I32, source(ctx, instr, 0)));
        return true;
    case IR_OP_ufind_msb:
        set_result(ctx, instr, highest_bit(ctx, source(ctx, instr, 0)));
        return true;
    case IR_OP_ifind_msb:
        x = SEL_ALU(ctx, MALI_ISA_OP_RSHIFT_XOR_I32, source(ctx, instr, 0), mali_sel_count(31), source(ctx, instr, 0));
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_SIGNED] = 1;
        set_result(ctx, instr, highest_bit(ctx, mach_use(x)));
        return true;
    case IR_OP_find_lsb:
        x = SEL_ALU(ctx, MALI_ISA_OP_BITREV_I32, source(ctx, instr, 0));
        x = SEL_ALU(ctx, MALI_ISA_OP_CLZ_U32, mach_use(x));
        set_result(ctx, instr, mali_sel_choose(ctx, source(ctx, instr, 0), mach_use(x), mach_number(UINT32_MAX)));
        return true;
    default:
        return false;
    }
}

static bool select_choice(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op != IR_OP_select)
        return false;
    const unsigned words = instr->def.bits == 64 ? 2 : 1;
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    for (unsigned i = 0; i < words; i++)
        regs[i] = mali_sel_choose(ctx, source(ctx, instr, 0), mali_sel_operand(ctx, ir_src(instr, 1), i),
                                  mali_sel_operand(ctx, ir_src(instr, 2), i));
    mach_select_set(&ctx->m, &instr->def, regs);
    return true;
}

bool mali_select_alu(struct select *ctx, const struct ir_instr *instr)
{
    if (!instr->num_srcs || (instr->def.comps != 1 && !sel_is_pair(&instr->def)) ||
        ir_src(instr, 0)->comps != instr->def.comps)
        return false;
    return select_float(ctx, instr) || select_comparison(ctx, instr) || select_integer(ctx, instr) ||
           select_bits(ctx, instr) || select_choice(ctx, instr);
}
