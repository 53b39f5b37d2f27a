/* Conversions between full and half registers, folded into the instruction that makes the value: categories 2 and 3 may
 * write a register of the other size. Before optimise.c, which removes the copies that are left. */
#include "adreno/compiler/air.h"
#include "util/bits.h"

struct converter {
    struct air_program *program;
    struct air_instr **def; /* by temporary, of instructions with one result */
    uint32_t *uses;
};

static bool is_half(const struct converter *c, air_temp temp)
{
    return c->program->temps[temp].class.is_half;
}

/* Operations of category 2 on integers, whose result is cut to its lower bits; products are not known to be. */
static bool makes_integer(unsigned op)
{
    return op >= ADRENO_ISA_OP_ADD_U && op < ADRENO_ISA_OP_BARY_F && op != ADRENO_ISA_OP_MUL_U24 &&
           op != ADRENO_ISA_OP_MUL_S24 && op != ADRENO_ISA_OP_MULL_U && op != ADRENO_ISA_OP_CBITS_B &&
           op != ADRENO_ISA_OP_SETRM;
}

/* mov.u32u16 of a value that nothing else reads. */
static void cut(struct converter *c, struct air_instr *mov)
{
    if (mov->isa.op != ADRENO_ISA_OP_MOV || !mov->num_defs || !mov->defs[0].temp || mov->has_effect ||
        mov->operands[0].kind != AIR_TEMP || mov->operands[0].flags || mov->isa.field[ADRENO_ISA_FIELD_SS] ||
        mov->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] != AIR_U32 || mov->isa.field[ADRENO_ISA_FIELD_DST_TYPE] != AIR_U16)
        return;
    const air_temp wide = mov->operands[0].temp;
    struct air_instr *def = c->def[wide];
    if (!def || c->uses[wide] != 1 || air_is_pseudo(def) || !makes_integer(def->isa.op) || def->has_effect ||
        def->is_tied || def->isa.field[ADRENO_ISA_FIELD_SAT] || def->isa.field[ADRENO_ISA_FIELD_CONV] ||
        is_half(c, wide))
        return;
    const air_temp half = adreno_air_temp(c->program, AIR_HALF(1));
    def->defs[0].temp = half;
    def->isa.field[ADRENO_ISA_FIELD_CONV] = 1;
    mov->operands[0].temp = half;
    mov->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = AIR_U16;
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
static void widen(struct converter *c, struct air_instr *mov)
{
    const int16_t from = mov->isa.field[ADRENO_ISA_FIELD_SRC_TYPE], to = mov->isa.field[ADRENO_ISA_FIELD_DST_TYPE];
    if (mov->isa.op != ADRENO_ISA_OP_MOV || !mov->num_defs || !mov->defs[0].temp || mov->has_effect ||
        mov->operands[0].kind != AIR_TEMP || mov->operands[0].flags || mov->isa.field[ADRENO_ISA_FIELD_SS] ||
        !((from == AIR_U16 && to == AIR_U32) || (from == AIR_S16 && to == AIR_S32)))
        return;
    const air_temp half = mov->operands[0].temp;
    struct air_instr *def = c->def[half];
    if (!def || c->uses[half] != 1 || air_is_pseudo(def) || def->has_effect || def->is_tied ||
        def->isa.field[ADRENO_ISA_FIELD_SAT] || def->isa.field[ADRENO_ISA_FIELD_CONV] || !is_half(c, half))
        return;
    const unsigned op = extended(def->isa.op, from == AIR_S16);
    if (!op)
        return;
    const air_temp wide = adreno_air_temp(c->program, AIR_FULL(1));
    def->isa.op = (uint16_t)op;
    def->defs[0].temp = wide;
    def->isa.field[ADRENO_ISA_FIELD_CONV] = 1;
    mov->operands[0].temp = wide;
    mov->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = mov->isa.field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_U32;
}

void adreno_air_fold_conversions(struct air_program *program)
{
    struct converter c = {.program = program};
    c.def = adreno_air_alloc(program, program->num_temps * sizeof(*c.def));
    c.uses = adreno_air_alloc(program, program->num_temps * sizeof(*c.uses));
    air_foreach_block(program, block)
    {
        air_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_defs; i++)
                c.def[instr->defs[i].temp] = instr->num_defs == 1 ? instr : NULL;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == AIR_TEMP)
                    c.uses[instr->operands[i].temp]++;
            }
        }
    }
    air_foreach_block(program, block)
    {
        air_foreach_instr(block, instr)
        {
            cut(&c, instr);
            widen(&c, instr);
        }
    }
}
