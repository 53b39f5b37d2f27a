/* See lanewise.h. What is not known to be so is not: the lists name what may be. */
#include "adreno/model/sp/lanewise.h"

#include "adreno/isa/isa.h"
#include "adreno/isa/isa_tables.h"
#include "adreno/model/sp/memory.h"
#include "model/memory.h"
#include "util/bits.h"

#define MOST_INSTRUCTIONS 8192

static bool is_between(unsigned op, unsigned first, unsigned last)
{
    return op >= first && op <= last;
}

static bool is_branch(unsigned op)
{
    return op == ADRENO_ISA_OP_JUMP || op == ADRENO_ISA_OP_SHPS || op == ADRENO_ISA_OP_BR || op == ADRENO_ISA_OP_BRAO ||
           op == ADRENO_ISA_OP_BRAA;
}

static bool is_flow(unsigned op)
{
    return is_branch(op) || op == ADRENO_ISA_OP_NOP || op == ADRENO_ISA_OP_END || op == ADRENO_ISA_OP_KILL ||
           op == ADRENO_ISA_OP_PREDT || op == ADRENO_ISA_OP_PREDF || op == ADRENO_ISA_OP_PREDE;
}

static bool is_arithmetic(unsigned op)
{
    return is_between(op, adreno_isa_categories[1], adreno_isa_categories[5] - 1) && op != ADRENO_ISA_OP_MOVS &&
           op != ADRENO_ISA_OP_MOVMSK && op != ADRENO_ISA_OP_SETRM && op != ADRENO_ISA_OP_WMM &&
           op != ADRENO_ISA_OP_WMM_ACCU;
}

/* One descriptor for all lanes, by a register of the first, is one for all fragments of a draw. */
static bool has_own_resource(const struct adreno_isa_inst *inst)
{
    const struct adreno_isa_resource resource = adreno_isa_resource(inst);
    return !resource.has_register || resource.is_nonuniform;
}

static bool is_memory(const struct adreno_isa_inst *inst)
{
    const unsigned op = inst->op;
    const bool is_plain = op == ADRENO_ISA_OP_LDG || op == ADRENO_ISA_OP_LDG_A || op == ADRENO_ISA_OP_STG ||
                          op == ADRENO_ISA_OP_STG_A || op == ADRENO_ISA_OP_LDP || op == ADRENO_ISA_OP_STP ||
                          op == ADRENO_ISA_OP_FENCE || is_between(op, ADRENO_ISA_OP_ATOMIC_G_ADD, ADRENO_ISA_OP_ATOMIC_G_XOR);
    const bool has_descriptor = op == ADRENO_ISA_OP_LDC || op == ADRENO_ISA_OP_RESINFO_B ||
                                op == ADRENO_ISA_OP_LDIB_B || op == ADRENO_ISA_OP_STIB_B ||
                                is_between(op, ADRENO_ISA_OP_ATOMIC_B_ADD, ADRENO_ISA_OP_ATOMIC_B_XOR);
    return is_plain || (has_descriptor && inst->field[ADRENO_ISA_FIELD_MODE] == 0); /* by a number of its own */
}

static bool is_texture(const struct adreno_isa_inst *inst)
{
    return is_between(inst->op, adreno_isa_categories[5], adreno_isa_categories[6] - 1) &&
           inst->op != ADRENO_ISA_OP_BRCST_ACTIVE && has_own_resource(inst);
}

/* Shared registers, and a1.x, have what the first lane gives. */
static bool gives_to_all(const struct adreno_isa_inst *inst)
{
    static const uint8_t places[] = {ADRENO_ISA_PLACE_DST, ADRENO_ISA_PLACE_DST1, ADRENO_ISA_PLACE_DST2,
                                     ADRENO_ISA_PLACE_DST3};
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        const struct adreno_isa_operand *to = &inst->operands[places[i]];
        if (to->kind != ADRENO_ISA_OPERAND_GPR)
            continue;
        if (sp_is_shared((unsigned)to->value) || sp_is_shared((unsigned)to->value + 3) ||
            (to->value == ADRENO_ISA_REG_A1 && inst->operands[ADRENO_ISA_PLACE_SRC0].kind != ADRENO_ISA_OPERAND_NUMBER))
            return true;
    }
    return false;
}

static bool is_alone(const struct adreno_isa_inst *inst)
{
    return (is_flow(inst->op) || is_arithmetic(inst->op) || is_texture(inst) || is_memory(inst)) && !gives_to_all(inst);
}

/* The furthest place that a branch leads to. */
static uint32_t target_of(const struct adreno_isa_inst *inst, uint32_t pc)
{
    int32_t furthest = 0;
    for (unsigned i = 0; i < ADRENO_ISA_PLACE_COUNT && is_branch(inst->op); i++) {
        if (inst->operands[i].kind == ADRENO_ISA_OPERAND_NUMBER)
            furthest = MAX2(furthest, inst->operands[i].value);
    }
    return pc + (uint32_t)furthest;
}

bool adreno_sp_is_lanewise(const struct gpu_space *space, uint64_t va)
{
    uint32_t furthest = 0;
    bool is_preamble = false;
    for (uint32_t pc = 0; pc < MOST_INSTRUCTIONS; pc++) {
        struct adreno_isa_inst inst;
        uint64_t word;
        if (!gpu_mem_read64(space, va + pc * 8ull, &word) || adreno_isa_decode(word, &inst) != 0)
            return false;
        is_preamble |= inst.op == ADRENO_ISA_OP_SHPS;
        furthest = MAX2(furthest, target_of(&inst, pc));
        if (!is_preamble && !is_alone(&inst))
            return false;
        is_preamble &= inst.op != ADRENO_ISA_OP_SHPE;
        if (inst.op == ADRENO_ISA_OP_END && pc >= furthest)
            return true;
    }
    return false;
}
