/* Conversions between full and half registers, folded into the instruction that makes the value: categories 2 and 3 may
 * write a register of the other size. Before optimise.c, which removes the copies that are left. */
#include "adreno/compiler/air.h"
#include "util/bits.h"

struct converter {
    struct mach_program *program;
    struct mach_instr **def; /* by temporary, of instructions with one result */
    uint32_t *uses;
};

static bool is_half(const struct converter *c, mach_temp temp)
{
    return air_is_half(c->program->temps[temp].class);
}

/* Operations of category 2 on integers, whose result is cut to its lower bits; products are not known to be. */
static bool makes_integer(unsigned op)
{
    return op >= ADRENO_ISA_OP_ADD_U && op < ADRENO_ISA_OP_BARY_F && op != ADRENO_ISA_OP_MUL_U24 &&
           op != ADRENO_ISA_OP_MUL_S24 && op != ADRENO_ISA_OP_MULL_U && op != ADRENO_ISA_OP_CBITS_B &&
           op != ADRENO_ISA_OP_SETRM;
}

/* mov.u32u16 of a value that nothing else reads. */
static void cut_value(struct converter *c, struct mach_instr *mov)
{
    if (mov->op != ADRENO_ISA_OP_MOV || !mov->num_defs || !mov->defs[0].temp || mov->has_effect ||
        mov->operands[0].kind != MACH_TEMP || mov->operands[0].flags || air_isa(mov)->field[ADRENO_ISA_FIELD_SS] ||
        air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE] != AIR_U32 ||
        air_isa(mov)->field[ADRENO_ISA_FIELD_DST_TYPE] != AIR_U16)
        return;
    const mach_temp wide = mov->operands[0].temp;
    struct mach_instr *def = c->def[wide];
    if (!def || c->uses[wide] != 1 || mach_is_pseudo(def) || !makes_integer(def->op) || def->has_effect ||
        def->is_tied || air_isa(def)->field[ADRENO_ISA_FIELD_SAT] || air_isa(def)->field[ADRENO_ISA_FIELD_CONV] ||
        is_half(c, wide))
        return;
    const mach_temp half = mach_new_temp(c->program, AIR_HALF(1));
    def->defs[0].temp = half;
    air_isa(def)->field[ADRENO_ISA_FIELD_CONV] = 1;
    mov->operands[0].temp = half;
    air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE] = AIR_U16;
}

/* The operation whose result is extended that way, of halves; 0: none. Others are extended as their type says. */
static unsigned extended(unsigned op, bool is_signed)
{
    switch (op) {
    case ADRENO_ISA_OP_ADD_S:
    case ADRENO_ISA_OP_ADD_U:
        return is_signed ? ADRENO_ISA_OP_ADD_S : ADRENO_ISA_OP_ADD_U;
    case ADRENO_ISA_OP_SUB_S:
    case ADRENO_ISA_OP_SUB_U:
        return is_signed ? ADRENO_ISA_OP_SUB_S : ADRENO_ISA_OP_SUB_U;
    case ADRENO_ISA_OP_MIN_S:
    case ADRENO_ISA_OP_MAX_S:
    case ADRENO_ISA_OP_ASHR_B:
        return is_signed ? op : 0;
    case ADRENO_ISA_OP_MIN_U:
    case ADRENO_ISA_OP_MAX_U:
    case ADRENO_ISA_OP_AND_B:
    case ADRENO_ISA_OP_OR_B:
    case ADRENO_ISA_OP_XOR_B:
    case ADRENO_ISA_OP_NOT_B:
    case ADRENO_ISA_OP_SHL_B:
    case ADRENO_ISA_OP_SHR_B:
        return is_signed ? 0 : op;
    default:
        return 0;
    }
}

/* mov.u16u32 or mov.s16s32 of a value that nothing else reads. */
static void widen_value(struct converter *c, struct mach_instr *mov)
{
    const int16_t from = air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE],
                  to = air_isa(mov)->field[ADRENO_ISA_FIELD_DST_TYPE];
    if (mov->op != ADRENO_ISA_OP_MOV || !mov->num_defs || !mov->defs[0].temp || mov->has_effect ||
        mov->operands[0].kind != MACH_TEMP || mov->operands[0].flags || air_isa(mov)->field[ADRENO_ISA_FIELD_SS] ||
        !((from == AIR_U16 && to == AIR_U32) || (from == AIR_S16 && to == AIR_S32)))
        return;
    const mach_temp half = mov->operands[0].temp;
    struct mach_instr *def = c->def[half];
    if (!def || c->uses[half] != 1 || mach_is_pseudo(def) || def->has_effect || def->is_tied ||
        air_isa(def)->field[ADRENO_ISA_FIELD_SAT] || air_isa(def)->field[ADRENO_ISA_FIELD_CONV] || !is_half(c, half))
        return;
    const unsigned op = extended(def->op, from == AIR_S16);
    if (!op)
        return;
    const mach_temp wide = mach_new_temp(c->program, AIR_FULL(1));
    def->op = (uint16_t)op;
    def->defs[0].temp = wide;
    air_isa(def)->field[ADRENO_ISA_FIELD_CONV] = 1;
    mov->operands[0].temp = wide;
    air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(mov)->field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_U32;
}

void adreno_air_fold_conversions(struct mach_program *program)
{
    struct converter c = {.program = program};
    c.def = mach_alloc(program, program->num_temps * sizeof(*c.def));
    c.uses = mach_alloc(program, program->num_temps * sizeof(*c.uses));
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_defs; i++)
                c.def[instr->defs[i].temp] = instr->num_defs == 1 ? instr : NULL;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    c.uses[instr->operands[i].temp]++;
            }
        }
    }
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            cut_value(&c, instr);
            widen_value(&c, instr);
        }
    }
}
