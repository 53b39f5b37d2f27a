/* Strict mode: results of the units that answer late are read after they were waited for. Categories 5 and 6 answer to
 * (sy), category 4 and loads of local memory to (ss). Kept for each wave along the way that it takes, by halves of
 * registers. Not here yet: delays of ALU results, sources of pending instructions that are overwritten. */
#include "adreno/model/sp/strict.h"

#include "adreno/model/sp/memory.h"

static unsigned unit_of(unsigned component, bool is_half)
{
    if (!is_half)
        return component * 2;
    return adreno_half_row(component) * 2 + (adreno_half_shift(component) ? 1 : 0);
}

static bool test(const uint32_t *set, unsigned unit)
{
    return set[unit / 32] >> (unit % 32) & 1;
}

/* One register: whether any part of it is in the set. */
static bool has(const uint32_t *set, unsigned component, bool is_half)
{
    const unsigned unit = unit_of(component & 0xff, is_half);
    return test(set, unit) || (!is_half && test(set, unit + 1));
}

static void put(uint32_t *set, unsigned component, bool is_half, bool is_in)
{
    const unsigned unit = unit_of(component & 0xff, is_half);
    for (unsigned i = unit; i < unit + (is_half ? 1 : 2); i++)
        set[i / 32] = (set[i / 32] & ~(1u << (i % 32))) | (uint32_t)is_in << (i % 32);
}

static void read_one(struct adreno_wave *wave, const struct sp_uop *uop, unsigned component, bool is_half)
{
    const bool misses_sy = has(wave->pending_sy, component, is_half);
    if (component >= ADRENO_ISA_REG_A0 || (!misses_sy && !has(wave->pending_ss, component, is_half)))
        return;
    adreno_sp_fault(wave, uop, ADRENO_FAULT_STRICT, "%sr%u.%c is read before %s", is_half ? "h" : "", component / 4,
                    "xyzw"[component % 4], misses_sy ? "(sy)" : "(ss)");
}

/* Registers that an operand of categories 5 and 6 has: as many as are known to be read. */
static unsigned read_count(const struct adreno_isa_inst *inst, unsigned place)
{
    if (inst->op >= ADRENO_ISA_OP_LDG && place == ADRENO_ISA_PLACE_SRC0 &&
        (inst->op <= ADRENO_ISA_OP_LDG_K || inst->op == ADRENO_ISA_OP_STG || inst->op == ADRENO_ISA_OP_STG_A))
        return 2;
    if ((inst->op == ADRENO_ISA_OP_STG || inst->op == ADRENO_ISA_OP_STG_A) && place == ADRENO_ISA_PLACE_SRC2)
        return (unsigned)inst->field[ADRENO_ISA_FIELD_SIZE];
    if ((inst->op == ADRENO_ISA_OP_STL || inst->op == ADRENO_ISA_OP_STP) && place == ADRENO_ISA_PLACE_SRC1)
        return (unsigned)inst->field[ADRENO_ISA_FIELD_SIZE];
    return 1;
}

static void check_sources(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct adreno_isa_inst *inst = uop->inst;
    const unsigned repeat = inst->op < ADRENO_ISA_OP_ISAM ? (unsigned)inst->field[ADRENO_ISA_FIELD_REPEAT] : 0;
    for (unsigned place = ADRENO_ISA_PLACE_SRC0; place <= ADRENO_ISA_PLACE_SRC3; place++) {
        const struct adreno_isa_operand *operand = &inst->operands[place];
        if (operand->kind != ADRENO_ISA_OPERAND_GPR)
            continue;
        unsigned count = inst->op >= ADRENO_ISA_OP_ISAM ? read_count(inst, place)
                                                        : 1 + (operand->flags & ADRENO_ISA_FLAG_R ? repeat : 0);
        for (unsigned i = 0; i < count; i++)
            read_one(wave, uop, (unsigned)operand->value + i, operand->flags & ADRENO_ISA_FLAG_HALF);
    }
}

/* What an instruction writes, and what its results wait for. */
struct result {
    uint32_t mask; /* of registers from the destination on */
    bool needs_sy, needs_ss;
};

static struct result result_of(const struct adreno_isa_inst *inst)
{
    const int16_t *field = inst->field;
    const unsigned op = inst->op;
    if (op < ADRENO_ISA_OP_RCP)
        return (struct result){(2u << field[ADRENO_ISA_FIELD_REPEAT]) - 1, false, false};
    if (op < ADRENO_ISA_OP_ISAM)
        return (struct result){(2u << field[ADRENO_ISA_FIELD_REPEAT]) - 1, false, true};
    if (op < ADRENO_ISA_OP_LDG)
        return (struct result){(uint32_t)field[ADRENO_ISA_FIELD_WRMASK], true, false};
    if (op == ADRENO_ISA_OP_LDL || op == ADRENO_ISA_OP_LDLW || op == ADRENO_ISA_OP_LDLV)
        return (struct result){(1u << field[ADRENO_ISA_FIELD_SIZE]) - 1, false, true};
    if (op == ADRENO_ISA_OP_LDG || op == ADRENO_ISA_OP_LDG_A || op == ADRENO_ISA_OP_LDP)
        return (struct result){(1u << field[ADRENO_ISA_FIELD_SIZE]) - 1, true, false};
    if (op == ADRENO_ISA_OP_LDC || op == ADRENO_ISA_OP_LDIB_B)
        return (struct result){(2u << field[ADRENO_ISA_FIELD_ELEMENTS]) - 1, true, false};
    return (struct result){0};
}

void adreno_sp_strict_run(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct adreno_isa_inst *inst = uop->inst;
    if (inst->field[ADRENO_ISA_FIELD_SY])
        memset(wave->pending_sy, 0, sizeof(wave->pending_sy));
    if (inst->field[ADRENO_ISA_FIELD_SS])
        memset(wave->pending_ss, 0, sizeof(wave->pending_ss));
    check_sources(wave, uop);
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    if (dst->kind != ADRENO_ISA_OPERAND_GPR || dst->value >= ADRENO_ISA_REG_A0)
        return;
    const struct result result = result_of(inst);
    const bool is_half =
        inst->op >= ADRENO_ISA_OP_LDG
            ? sp_is_half_type((unsigned)inst->field[ADRENO_ISA_FIELD_TYPE]) && inst->op != ADRENO_ISA_OP_LDC
            : dst->flags & ADRENO_ISA_FLAG_HALF;
    for (unsigned i = 0; i < 32; i++) {
        if (!(result.mask >> i & 1))
            continue;
        put(wave->pending_sy, (unsigned)dst->value + i, is_half, result.needs_sy);
        put(wave->pending_ss, (unsigned)dst->value + i, is_half, result.needs_ss);
    }
}
