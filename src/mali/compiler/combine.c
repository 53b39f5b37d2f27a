/* Combining instructions: what two of them compute and one can. An instruction takes in what its operand's instruction
 * does, which goes (mach_drop_dead) where nothing else reads it. Before numbers and registers are placed. */
#include <string.h>

#include "mali/compiler/vir.h"

struct combine {
    struct mach_program *program;
    struct mach_instr **def; /* by temporary; NULL: by a pseudo instruction */
    uint32_t *uses;
};

/* ---- looking at operands ---- */

/* The instruction that made a whole operand. */
static struct mach_instr *def_of(const struct combine *c, const struct mach_operand *operand)
{
    return operand->kind == MACH_TEMP && !operand->select && !operand->flags ? c->def[operand->temp] : NULL;
}

static bool is_only_use(const struct combine *c, const struct mach_operand *operand)
{
    return c->uses[operand->temp] == 1;
}

static bool is_number(const struct mach_operand *operand, uint32_t value)
{
    return operand->kind == MACH_NUMBER && (uint32_t)operand->value == value && !operand->select && !operand->flags;
}

static bool is_plain(const struct mach_operand *operand)
{
    return !operand->select && !operand->flags;
}

static unsigned field_of(const struct mach_instr *instr, unsigned field)
{
    return vir_isa(instr)->field[field];
}

/* ---- changing instructions ---- */

static void count_uses(struct combine *c, const struct mach_instr *instr, int sign)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            c->uses[instr->operands[i].temp] += (uint32_t)sign;
    }
}

/* Goes where nothing reads it any more. */
static void drop_dead(struct combine *c, mach_temp temp)
{
    struct mach_instr *def = c->def[temp];
    if (!def || c->uses[temp] || def->has_effect)
        return;
    c->def[temp] = NULL;
    count_uses(c, def, -1);
    list_remove(&def->link);
    for (unsigned i = 0; i < def->num_operands; i++) {
        if (def->operands[i].kind == MACH_TEMP)
            drop_dead(c, def->operands[i].temp);
    }
}

/* The instruction becomes another one with the same result. */
static struct mali_isa_inst *become_op(struct combine *c, struct mach_instr *instr, unsigned op, unsigned num,
                                       const struct mach_operand *operands)
{
    struct mach_operand *own = mach_alloc(c->program, num * sizeof(*own));
    for (unsigned i = 0; i < num; i++) {
        own[i] = operands[i];
        own[i].place = (uint8_t)i;
    }
    const struct mach_operand *old = instr->operands;
    const unsigned num_old = instr->num_operands;
    count_uses(c, instr, -1);
    instr->op = (uint16_t)op;
    instr->num_operands = num;
    instr->operands = own;
    count_uses(c, instr, 1);
    for (unsigned i = 0; i < num_old; i++) {
        if (old[i].kind == MACH_TEMP)
            drop_dead(c, old[i].temp);
    }
    mali_isa_begin(op, vir_isa(instr));
    return vir_isa(instr);
}

/* It does what its operand's instruction does, from where the caller goes on. */
static struct mali_isa_inst *become_copy(struct combine *c, struct mach_instr *instr, const struct mach_instr *of)
{
    const struct mali_isa_inst as = *vir_isa(of);
    struct mali_isa_inst *isa = become_op(c, instr, of->op, of->num_operands, of->operands);
    *isa = as;
    return isa;
}

static void set_operand(struct combine *c, struct mach_operand *operand, struct mach_operand to)
{
    const struct mach_operand was = *operand;
    to.place = operand->place;
    if (to.kind == MACH_TEMP)
        c->uses[to.temp]++;
    *operand = to;
    if (was.kind == MACH_TEMP) {
        c->uses[was.temp]--;
        drop_dead(c, was.temp);
    }
}

/* ---- comparisons ---- */

/* Which of the three kinds, and what else there is of the kind. */
static const struct kind {
    uint16_t or_op, and_op, csel;
    bool is_float;
} kinds[] = {
    {MALI_ISA_OP_ICMP_OR_U32, MALI_ISA_OP_ICMP_AND_U32, MALI_ISA_OP_CSEL_U32, false},
    {MALI_ISA_OP_ICMP_OR_S32, MALI_ISA_OP_ICMP_AND_S32, MALI_ISA_OP_CSEL_S32, false},
    {MALI_ISA_OP_FCMP_OR_F32, MALI_ISA_OP_FCMP_AND_F32, MALI_ISA_OP_CSEL_F32, true},
};

static const struct kind *kind_of(const struct mach_instr *instr)
{
    for (unsigned i = 0; instr && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (instr->op == kinds[i].or_op || instr->op == kinds[i].and_op)
            return &kinds[i];
    }
    return NULL;
}

/* A comparison of two values and nothing else, with all ones as its result. */
static const struct kind *pure_comparison(const struct mach_instr *instr)
{
    const struct kind *kind = kind_of(instr);
    return kind && instr->op == kind->or_op && is_number(&instr->operands[2], 0) &&
                   field_of(instr, MALI_ISA_FIELD_RESULT) == MALI_ISA_RESULT_M1
               ? kind
               : NULL;
}

/* x != 0 or x == 0 of a whole word: `*is_equal`. */
static const struct mach_operand *compared_with_zero(const struct mach_instr *instr, bool *is_equal)
{
    const struct kind *kind = pure_comparison(instr);
    const unsigned cond = kind ? field_of(instr, MALI_ISA_FIELD_COND) : 0;
    if (!kind || kind->is_float || (cond != MALI_ISA_COND_EQ && cond != MALI_ISA_COND_NE))
        return NULL;
    *is_equal = cond == MALI_ISA_COND_EQ;
    for (unsigned i = 0; i < 2; i++) {
        const struct mach_operand *x = &instr->operands[i];
        if (is_number(&instr->operands[1 - i], 0) && x->kind == MACH_TEMP && is_plain(x))
            return x;
    }
    return NULL;
}

static unsigned others(const struct mach_operand *operands, unsigned num)
{
    unsigned result = 0;
    for (unsigned i = 0; i < num; i++) {
        bool is_new = operands[i].kind != MACH_TEMP;
        for (unsigned j = 0; j < i && is_new; j++)
            is_new = operands[j].kind != operands[i].kind || operands[j].value != operands[i].value;
        result += is_new;
    }
    return result;
}

/* A choice by a comparison is one instruction, or the result of the comparison is the choice. */
static bool combine_choice(struct combine *c, struct mach_instr *instr)
{
    if (instr->op != MALI_ISA_OP_MUX_I32 || field_of(instr, MALI_ISA_FIELD_MUX) != MALI_ISA_MUX_INT_ZERO)
        return false;
    struct mach_operand *otherwise = &instr->operands[0], *then = &instr->operands[1];
    const struct mach_instr *test = def_of(c, &instr->operands[2]);
    bool is_equal;
    const struct mach_operand *x = compared_with_zero(test, &is_equal);
    if (x) {
        if (is_equal) {
            const struct mach_operand was = *then;
            *then = *otherwise;
            *otherwise = was;
            then->place = VIR_SOURCE1;
            otherwise->place = VIR_SOURCE0;
        }
        set_operand(c, &instr->operands[2], *x);
        return true;
    }
    const struct kind *kind = pure_comparison(test);
    if (!kind || !is_only_use(c, &instr->operands[2]))
        return false;
    const unsigned cond = field_of(test, MALI_ISA_FIELD_COND);
    if (is_number(otherwise, 0) && (is_number(then, 1) || is_number(then, 0x3f800000))) {
        const bool is_float = !is_number(then, 1);
        become_copy(c, instr, test)->field[MALI_ISA_FIELD_RESULT] = is_float ? MALI_ISA_RESULT_F1 : MALI_ISA_RESULT_I1;
        return true;
    }
    const struct mach_operand operands[] = {test->operands[0], test->operands[1], *then, *otherwise};
    if (!is_plain(&operands[0]) || !is_plain(&operands[1]) || others(operands, 4) > 2)
        return false;
    become_op(c, instr, kind->csel, 4, operands)->field[MALI_ISA_FIELD_COND] = (uint8_t)cond;
    return true;
}

/* ---- bits ---- */

enum logic {
    LOGIC_AND,
    LOGIC_OR,
    LOGIC_XOR,
    LOGIC_NONE
};

static const uint16_t shifts[2][3] = {
    {MALI_ISA_OP_LSHIFT_AND_I32, MALI_ISA_OP_LSHIFT_OR_I32, MALI_ISA_OP_LSHIFT_XOR_I32},
    {MALI_ISA_OP_RSHIFT_AND_I32, MALI_ISA_OP_RSHIFT_OR_I32, MALI_ISA_OP_RSHIFT_XOR_I32}};

static enum logic logic_of(const struct mach_instr *instr, bool *is_right)
{
    *is_right = false;
    for (unsigned i = 0; instr && i < 6; i++) {
        *is_right = i >= 3;
        if (instr->op == shifts[i / 3][i % 3])
            return (enum logic)(i % 3);
    }
    return LOGIC_NONE;
}

/* A constant's byte: 0 to 31 are there. */
static bool is_count(const struct mach_operand *operand, unsigned number)
{
    const unsigned byte = (unsigned)operand->select - 1 - MALI_ISA_BYTES_B00;
    return operand->kind == VIR_CONSTANT && operand->select && byte < 4 &&
           (mali_isa_constants[operand->value] >> 8 * byte & 0xff) == number;
}

/* A bitwise operation without a shift. */
static enum logic bare_logic(const struct mach_instr *instr)
{
    bool is_right;
    const enum logic logic = logic_of(instr, &is_right);
    return logic != LOGIC_NONE && is_count(&instr->operands[1], 0) ? logic : LOGIC_NONE;
}

/* A shift and nothing else. */
static bool is_shift(const struct mach_instr *instr)
{
    bool is_right;
    return logic_of(instr, &is_right) == LOGIC_OR && is_number(&instr->operands[2], 0) &&
           !field_of(instr, MALI_ISA_FIELD_NOT_RESULT) && !is_count(&instr->operands[1], 0);
}

/* All bits of its operand the other way. */
static bool is_inversion(const struct mach_instr *instr)
{
    return bare_logic(instr) == LOGIC_OR && is_number(&instr->operands[2], 0) &&
           field_of(instr, MALI_ISA_FIELD_NOT_RESULT) && is_plain(&instr->operands[0]);
}

/* 0 or all ones. */
static bool is_boolean(const struct combine *c, const struct mach_operand *operand, unsigned depth)
{
    const struct mach_instr *def = def_of(c, operand);
    if (kind_of(def))
        return field_of(def, MALI_ISA_FIELD_RESULT) == MALI_ISA_RESULT_M1;
    return depth && bare_logic(def) != LOGIC_NONE && is_boolean(c, &def->operands[0], depth - 1) &&
           (is_boolean(c, &def->operands[2], depth - 1) || is_number(&def->operands[2], 0));
}

static void swap_sides(struct mach_instr *instr)
{
    const struct mach_operand was = instr->operands[0];
    instr->operands[0] = instr->operands[2];
    instr->operands[2] = was;
    instr->operands[0].place = VIR_SOURCE0;
    instr->operands[2].place = VIR_SOURCE2;
}

/* (x << n) & y. */
static bool take_shift(struct combine *c, struct mach_instr *instr, enum logic logic)
{
    const struct mach_instr *shift = def_of(c, &instr->operands[0]);
    bool is_right;
    if (!is_shift(shift) || !is_only_use(c, &instr->operands[0]))
        return false;
    logic_of(shift, &is_right);
    const struct mach_operand operands[] = {shift->operands[0], shift->operands[1], instr->operands[2]};
    const uint8_t inverts = (uint8_t)field_of(instr, MALI_ISA_FIELD_NOT_RESULT);
    const uint8_t is_signed = (uint8_t)field_of(shift, MALI_ISA_FIELD_SIGNED);
    struct mali_isa_inst *isa = become_op(c, instr, shifts[is_right][logic], 3, operands);
    isa->field[MALI_ISA_FIELD_NOT_RESULT] = inverts;
    isa->field[MALI_ISA_FIELD_SIGNED] = is_signed;
    return true;
}

/* A comparison and another truth. */
static bool take_comparison(struct combine *c, struct mach_instr *instr, enum logic logic)
{
    const struct mach_instr *test = def_of(c, &instr->operands[0]);
    const struct kind *kind = pure_comparison(test);
    if (!kind || logic == LOGIC_XOR || !is_only_use(c, &instr->operands[0]) ||
        field_of(instr, MALI_ISA_FIELD_NOT_RESULT))
        return false;
    const struct mach_operand other = instr->operands[2];
    if (logic == LOGIC_AND && (is_number(&other, 1) || is_number(&other, 0x3f800000))) {
        const bool is_float = !is_number(&other, 1);
        become_copy(c, instr, test)->field[MALI_ISA_FIELD_RESULT] = is_float ? MALI_ISA_RESULT_F1 : MALI_ISA_RESULT_I1;
        return true;
    }
    if (!is_boolean(c, &other, 3))
        return false;
    const uint8_t cond = (uint8_t)field_of(test, MALI_ISA_FIELD_COND);
    const struct mach_operand operands[] = {test->operands[0], test->operands[1], other};
    struct mali_isa_inst *isa = become_op(c, instr, logic == LOGIC_AND ? kind->and_op : kind->or_op, 3, operands);
    isa->field[MALI_ISA_FIELD_COND] = cond;
    isa->field[MALI_ISA_FIELD_RESULT] = MALI_ISA_RESULT_M1;
    return true;
}

/* x & ~y. */
static bool take_inversion(struct combine *c, struct mach_instr *instr)
{
    const struct mach_instr *inversion = def_of(c, &instr->operands[2]);
    if (!is_inversion(inversion))
        return false;
    struct mach_operand x = inversion->operands[0];
    x.flags = MALI_ISA_FLAG_NOT;
    set_operand(c, &instr->operands[2], x);
    return true;
}

static bool combine_logic(struct combine *c, struct mach_instr *instr)
{
    const enum logic logic = bare_logic(instr);
    if (logic == LOGIC_NONE || is_number(&instr->operands[2], 0))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        if (take_shift(c, instr, logic) || take_comparison(c, instr, logic))
            return true;
        if (take_inversion(c, instr))
            return true;
        if (!is_plain(&instr->operands[2]) || instr->operands[0].select)
            return false;
        swap_sides(instr);
    }
    return false;
}

/* The highest bit of all ones. */
static bool combine_to_integer(struct combine *c, struct mach_instr *instr)
{
    bool is_right;
    if (logic_of(instr, &is_right) != LOGIC_OR || !is_right || !is_shift(instr) || !is_count(&instr->operands[1], 31) ||
        field_of(instr, MALI_ISA_FIELD_SIGNED))
        return false;
    const struct mach_instr *test = def_of(c, &instr->operands[0]);
    if (!pure_comparison(test) || !is_only_use(c, &instr->operands[0]))
        return false;
    become_copy(c, instr, test)->field[MALI_ISA_FIELD_RESULT] = MALI_ISA_RESULT_I1;
    return true;
}

/* ---- floats ---- */

static const uint16_t clamping[2][4] = {
    {MALI_ISA_OP_FADD_F32, MALI_ISA_OP_FMIN_F32, MALI_ISA_OP_FMAX_F32, MALI_ISA_OP_FMA_F32},
    {MALI_ISA_OP_FADD_V2F16, MALI_ISA_OP_FMIN_V2F16, MALI_ISA_OP_FMAX_V2F16, MALI_ISA_OP_FMA_V2F16}};

static bool can_clamp(unsigned op, bool is_half)
{
    const uint16_t *ops = clamping[is_half];
    return op == ops[0] || op == ops[1] || op == ops[2] || op == ops[3];
}

/* x + -0, clamped: the instruction that made x clamps. */
static bool combine_clamp(struct combine *c, struct mach_instr *instr)
{
    const bool is_half = instr->op == MALI_ISA_OP_FADD_V2F16;
    const struct mach_operand *sum = instr->operands;
    if ((instr->op != MALI_ISA_OP_FADD_F32 && !is_half) || sum[1].kind != MACH_NUMBER || sum[1].value != 0 ||
        sum[1].flags != MALI_ISA_FLAG_NEG)
        return false;
    const struct mach_instr *def = def_of(c, &sum[0]);
    const uint8_t clamp = (uint8_t)field_of(instr, MALI_ISA_FIELD_CLAMP);
    if (!def || !clamp || !can_clamp(def->op, is_half) || field_of(def, MALI_ISA_FIELD_CLAMP) ||
        !is_only_use(c, &sum[0]))
        return false;
    become_copy(c, instr, def)->field[MALI_ISA_FIELD_CLAMP] = clamp;
    return true;
}

/* ---- parts of registers ---- */

/* Whether it extends parts of integers by their sign. */
static bool is_signed_op(unsigned op)
{
    const char *name = mali_isa_name(op), *dot = strchr(name, '.');
    return dot ? strchr(dot, 's') != NULL : name[0] == 'S';
}

/* The operand where the conversion of a half or byte is the instruction's own selection. */
static bool widened(const struct mach_instr *instr, const struct mach_instr *def, struct mach_operand *to)
{
    const bool is_signed = is_signed_op(instr->op);
    const unsigned part = def->operands[0].select - 1u; /* none: larger than all */
    if (def->operands[0].flags)
        return false;
    *to = def->operands[0];
    switch (def->op) {
    case MALI_ISA_OP_U16_TO_U32:
    case MALI_ISA_OP_S16_TO_S32:
        if ((def->op == MALI_ISA_OP_S16_TO_S32) != is_signed ||
            (part != MALI_ISA_HALVES_H00 && part != MALI_ISA_HALVES_H11))
            return false;
        to->select = VIR_SELECT(part == MALI_ISA_HALVES_H00 ? MALI_ISA_WIDEN32_H0 : MALI_ISA_WIDEN32_H1);
        return true;
    case MALI_ISA_OP_U8_TO_U32:
    case MALI_ISA_OP_S8_TO_S32:
        if ((def->op == MALI_ISA_OP_S8_TO_S32) != is_signed)
            return false;
        to->select = VIR_SELECT(MALI_ISA_WIDEN32_B0 + part);
        return true;
    default:
        return false;
    }
}

static bool combine_parts(struct combine *c, struct mach_instr *instr)
{
    bool has_changed = false;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mach_operand *operand = &instr->operands[i], to;
        if (operand->place > VIR_SOURCE3 || operand->kind != MACH_TEMP || operand->select)
            continue;
        const enum mali_isa_selection selection = mali_isa_source_selection(instr->op, operand->place);
        const struct mach_instr *def = c->def[operand->temp];
        if (!def || def->num_operands != 1 || def->operands[0].kind != MACH_TEMP)
            continue;
        if (selection == MALI_ISA_SELECT_WIDEN32 && !operand->flags && !field_of(instr, MALI_ISA_FIELD_SIGNED) &&
            widened(instr, def, &to)) {
            set_operand(c, operand, to);
            has_changed = true;
        } else if (selection == MALI_ISA_SELECT_HALF && def->op == MALI_ISA_OP_F16_TO_F32) {
            to = def->operands[0];
            to.select = VIR_SELECT(to.select == VIR_SELECT(MALI_ISA_HALFWORD_H1) ? MALI_ISA_HALF_H1 : MALI_ISA_HALF_H0);
            to.flags = operand->flags & MALI_ISA_FLAG_ABS ? operand->flags : to.flags ^ operand->flags;
            set_operand(c, operand, to);
            has_changed = true;
        }
    }
    return has_changed;
}

/* ---- branches ---- */

/* A branch looks at a word itself. */
static bool combine_branch(struct combine *c, struct mach_instr *instr)
{
    if (instr->op != MACH_P_BRANCH)
        return false;
    const struct mach_instr *test = def_of(c, &instr->operands[0]);
    bool is_equal = true;
    const struct mach_operand *x = compared_with_zero(test, &is_equal);
    if (!x && is_inversion(test) && is_boolean(c, &test->operands[0], 3))
        x = &test->operands[0];
    if (!x)
        return false;
    if (is_equal) {
        const uint32_t target = instr->target;
        instr->target = instr->other;
        instr->other = target;
    }
    set_operand(c, &instr->operands[0], *x);
    return true;
}

/* ---- the program ---- */

static void combine_instr(struct combine *c, struct mach_instr *instr)
{
    if (mach_is_pseudo(instr)) {
        while (combine_branch(c, instr))
            continue;
        return;
    }
    if (instr->num_defs != 1 || instr->has_effect || instr->defs[0].is_fixed)
        return;
    combine_parts(c, instr);
    while (combine_choice(c, instr) || combine_logic(c, instr) || combine_to_integer(c, instr) ||
           combine_clamp(c, instr))
        continue;
}

void mali_vir_combine(struct mach_program *program)
{
    struct combine c = {program, mach_alloc(program, program->num_temps * sizeof(*c.def)),
                        mach_alloc(program, program->num_temps * sizeof(*c.uses))};
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->num_defs == 1 && !mach_is_pseudo(instr))
                c.def[instr->defs[0].temp] = instr;
            count_uses(&c, instr, 1);
        }
    }
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr) combine_instr(&c, instr);
    }
}
