/* Two instructions as one of category 3: a shift or a mask with the and or the or after it, two sums, a product of 24
 * bits and a sum, a float's double and a sum. After optimise.c, which brings numbers and constants to the operands.
 *
 * Both stand in one block, and nothing else reads what the first one makes. The second source of category 3 is a
 * register of the file; of the others one may be a constant. Shifts and masks take numbers instead. */
#include <string.h>

#include "adreno/compiler/air.h"
#include "util/bits.h"

#define MAX_NUMBER 255 /* of shifts and masks */

struct fuser {
    struct mach_program *program;
    struct mach_instr **def; /* by temporary, of instructions with one result in this block */
    uint32_t *uses;
};

/* Registers that the hardware fills before the program: shared ones, which nothing writes. */
static bool is_input(const struct mach_operand *operand)
{
    return operand->kind == AIR_SPECIAL && operand->value >= ADRENO_ISA_REG_SHARED &&
           operand->value < ADRENO_ISA_REG_SHARED + 4;
}

/* A plain instruction of category 2 on full registers. */
static bool is_plain(const struct fuser *f, const struct mach_instr *instr)
{
    if (mach_is_pseudo(instr) || instr->num_defs != 1 || !instr->defs[0].temp || instr->num_operands != 2 ||
        instr->has_effect || instr->is_tied || air_isa(instr)->field[ADRENO_ISA_FIELD_SAT] ||
        air_isa(instr)->field[ADRENO_ISA_FIELD_CONV] || air_isa(instr)->field[ADRENO_ISA_FIELD_SS] ||
        air_is_half(f->program->temps[instr->defs[0].temp].class))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t kind = instr->operands[i].kind;
        if (instr->operands[i].flags ||
            (kind != MACH_TEMP && kind != MACH_NUMBER && kind != AIR_CONST && !is_input(&instr->operands[i])))
            return false;
    }
    return true;
}

/* The instruction that makes an operand, where it may be a part of its reader. */
static const struct mach_instr *inner_of(const struct fuser *f, const struct mach_instr *instr, unsigned index)
{
    const struct mach_operand *operand = &instr->operands[index];
    if (operand->kind != MACH_TEMP || f->uses[operand->temp] != 1)
        return NULL;
    const struct mach_instr *def = f->def[operand->temp];
    return def && is_plain(f, def) ? def : NULL;
}

static void replace_instr(struct fuser *f, struct mach_instr *instr, unsigned op, unsigned index,
                          const struct mach_operand operands[3])
{
    f->uses[instr->operands[index].temp] = 0;
    instr->operands = mach_alloc(f->program, 3 * sizeof(*instr->operands));
    instr->num_operands = 3;
    instr->op = (uint16_t)op;
    memset(instr->isa, 0, sizeof(struct adreno_isa_inst));
    for (unsigned i = 0; i < 3; i++) {
        instr->operands[i] = operands[i];
        instr->operands[i].place = (uint8_t)(ADRENO_ISA_PLACE_SRC0 + i);
    }
}

/* ---- shifts and masks ---- */

static bool is_short(const struct mach_operand *operand)
{
    return operand->kind == MACH_TEMP ||
           (operand->kind == MACH_NUMBER && operand->value >= 0 && operand->value <= MAX_NUMBER);
}

static unsigned shift_of(unsigned outer, unsigned inner)
{
    if (inner == ADRENO_ISA_OP_SHL_B)
        return outer == ADRENO_ISA_OP_OR_B ? ADRENO_ISA_OP_SHLG : ADRENO_ISA_OP_SHLM;
    if (inner == ADRENO_ISA_OP_SHR_B)
        return outer == ADRENO_ISA_OP_OR_B ? ADRENO_ISA_OP_SHRG : ADRENO_ISA_OP_SHRM;
    return inner == ADRENO_ISA_OP_AND_B && outer == ADRENO_ISA_OP_OR_B ? ADRENO_ISA_OP_ANDG : 0;
}

static bool fuse_bits(struct fuser *f, struct mach_instr *instr, unsigned index)
{
    const struct mach_instr *inner = inner_of(f, instr, index);
    const struct mach_operand *other = &instr->operands[1 - index];
    const unsigned op = inner ? shift_of(instr->op, inner->op) : 0;
    if (!op || !is_short(other))
        return false;
    /* The shifted value is the second source, and the first one says how far; a mask may be either. */
    const bool is_turned = op == ADRENO_ISA_OP_ANDG && inner->operands[0].kind != MACH_TEMP;
    const struct mach_operand value = inner->operands[is_turned], count = inner->operands[!is_turned];
    if ((value.kind != MACH_TEMP && !is_input(&value)) || !is_short(&count))
        return false;
    replace_instr(f, instr, op, index, (const struct mach_operand[]){count, value, *other});
    air_isa(instr)->field[ADRENO_ISA_FIELD_FULL] = 1;
    return true;
}

/* ---- sums ---- */

/* The operand as a constant where it is a number; false where the file is full. */
static bool as_constant(struct fuser *f, struct mach_operand *operand)
{
    if (operand->kind != MACH_NUMBER)
        return true;
    const int32_t component =
        air_own(f->program)->constant_of(air_own(f->program)->constants, (uint32_t)operand->value);
    *operand = air_const(component);
    return component >= 0;
}

/* The one that is no register comes first; false: there are two. */
static bool put_first(struct mach_operand *operands, unsigned count)
{
    for (unsigned i = 1, found = operands[0].kind != MACH_TEMP; i < count; i++) {
        if (operands[i].kind == MACH_TEMP)
            continue;
        if (found++)
            return false;
        const struct mach_operand first = operands[0];
        operands[0] = operands[i];
        operands[i] = first;
    }
    return true;
}

static bool fuse_sum(struct fuser *f, struct mach_instr *instr, unsigned index)
{
    const struct mach_instr *inner = inner_of(f, instr, index);
    if (!inner)
        return false;
    const unsigned inner_op = inner->op;
    const bool is_sum = inner_op == ADRENO_ISA_OP_ADD_S || inner_op == ADRENO_ISA_OP_ADD_U;
    if (!is_sum && inner_op != ADRENO_ISA_OP_MUL_U24 && inner_op != ADRENO_ISA_OP_MUL_S24)
        return false;
    struct mach_operand operands[3] = {inner->operands[0], inner->operands[1], instr->operands[1 - index]};
    if (!put_first(operands, is_sum ? 3 : 2) || (operands[0].kind != MACH_TEMP && operands[2].kind != MACH_TEMP) ||
        operands[1].kind != MACH_TEMP)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        if (!as_constant(f, &operands[i]))
            return false;
    }
    const unsigned op = is_sum                              ? ADRENO_ISA_OP_SAD_S32
                        : inner_op == ADRENO_ISA_OP_MUL_U24 ? ADRENO_ISA_OP_MAD_U24
                                                            : ADRENO_ISA_OP_MAD_S24;
    replace_instr(f, instr, op, index, operands);
    return true;
}

/* x + x + y: the product with two is exact, so that mad rounds as the sums do. */
static bool fuse_double(struct fuser *f, struct mach_instr *instr, unsigned index)
{
    const struct mach_operand *operand = &instr->operands[index];
    const struct mach_instr *inner = operand->kind == MACH_TEMP ? f->def[operand->temp] : NULL;
    if (!inner || inner->op != ADRENO_ISA_OP_ADD_F || !is_plain(f, inner) || inner->operands[0].kind != MACH_TEMP ||
        inner->operands[1].kind != MACH_TEMP || inner->operands[0].temp != inner->operands[1].temp)
        return false;
    struct mach_operand operands[3] = {mach_number(float_bits(2)), inner->operands[0], instr->operands[1 - index]};
    const bool is_double_itself = operands[2].kind == MACH_TEMP && operands[2].temp == operand->temp;
    if (is_double_itself || operands[2].kind == MACH_NUMBER || is_input(&operands[2]) || !as_constant(f, &operands[0]))
        return false;
    const uint32_t uses = f->uses[operand->temp] - 1;
    const mach_temp sum = operand->temp;
    replace_instr(f, instr, ADRENO_ISA_OP_MAD_F32, index, operands);
    f->uses[sum] = uses;
    return true;
}

/* ---- the walk ---- */

static void visit_instr(struct fuser *f, struct mach_instr *instr)
{
    const unsigned op = instr->op;
    if (!is_plain(f, instr))
        return;
    if (op == ADRENO_ISA_OP_OR_B || op == ADRENO_ISA_OP_AND_B) {
        if (!fuse_bits(f, instr, 0))
            fuse_bits(f, instr, 1);
    } else if (op == ADRENO_ISA_OP_ADD_S || op == ADRENO_ISA_OP_ADD_U) {
        if (!fuse_sum(f, instr, 0))
            fuse_sum(f, instr, 1);
    } else if (op == ADRENO_ISA_OP_ADD_F) {
        if (!fuse_double(f, instr, 0))
            fuse_double(f, instr, 1);
    }
}

void adreno_air_fuse(struct mach_program *program)
{
    struct fuser f = {.program = program};
    f.def = mach_alloc(program, program->num_temps * sizeof(*f.def));
    f.uses = mach_alloc(program, program->num_temps * sizeof(*f.uses));
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    f.uses[instr->operands[i].temp]++;
            }
        }
    }
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            visit_instr(&f, instr);
            if (instr->num_defs == 1 && instr->defs[0].temp)
                f.def[instr->defs[0].temp] = instr;
        }
        mach_foreach_instr(block, instr)
        {
            if (instr->num_defs == 1 && instr->defs[0].temp)
                f.def[instr->defs[0].temp] = NULL;
        }
    }
}
