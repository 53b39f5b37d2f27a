/* Reads and writes of one instruction, how late its sources are read and how its results are waited for. The rules
 * are those that Mesa's compiler keeps (docs/strict.md); what is checked with them stands in strict.c. */
#include <stddef.h>

#include "adreno/model/gpu.h"
#include "adreno/model/sp/memory.h"
#include "adreno/model/sp/strict.h"
#include "util/bits.h"

static struct strict_register *add_register(struct strict_register *list, uint32_t *count, unsigned component,
                                            bool is_half, unsigned cycle)
{
    static _Thread_local struct strict_register beyond; /* written, never read */
    if (*count == STRICT_REGISTERS || component >= ADRENO_ISA_REG_A0)
        return &beyond;
    list[*count] = (struct strict_register){
        .component = (uint8_t)component, .is_half = is_half, .cycle = (uint8_t)cycle, .step = STRICT_ALL_STEPS};
    return &list[(*count)++];
}

static void read_some(struct strict_facts *facts, unsigned component, bool is_half, unsigned count, unsigned cycle)
{
    for (unsigned i = 0; i < count; i++)
        add_register(facts->reads, &facts->read_count, component + i, is_half, cycle);
}

static uint32_t special_of(unsigned component)
{
    if (component < ADRENO_ISA_REG_A0)
        return 0;
    return component < ADRENO_ISA_REG_P0 ? STRICT_ADDRESS_0 << (component & 1) : STRICT_PREDICATE << (component & 3);
}

/* The registers that a relative operand is: each with the lanes whose a0.x leads to it. */
static void add_relative(struct adreno_wave *wave, struct strict_register *list, uint32_t *count, int32_t offset,
                         bool is_half, unsigned cycle)
{
    const uint32_t *address = adreno_wave_row(wave, ADRENO_ISA_REG_A0);
    for (struct lane_mask left = wave->active; lane_mask_any(left);) {
        const unsigned component = ((uint32_t)offset + address[lane_mask_lowest(left)]) & 0xff;
        struct lane_mask lanes = lane_mask_none();
        lane_mask_foreach(left, i)
        {
            if ((((uint32_t)offset + address[i]) & 0xff) == component)
                lanes = lane_mask_with(lanes, i);
        }
        struct strict_register *reg = add_register(list, count, component, is_half, cycle);
        reg->has_lanes = true;
        reg->lanes = lanes;
        left = lane_mask_and_not(left, lanes);
    }
}

/* One source of an instruction, `count` registers of it; the later ones are read `step` cycles after each other. */
static void source(struct adreno_wave *wave, struct strict_facts *facts, const struct adreno_isa_operand *operand,
                   unsigned count, unsigned cycle, unsigned step)
{
    const bool is_half = operand->flags & ADRENO_ISA_FLAG_HALF;
    const unsigned component = (unsigned)operand->value, first = facts->read_count;
    switch ((enum adreno_isa_operand_kind)operand->kind) {
    case ADRENO_ISA_OPERAND_GPR:
        facts->reads_special |= special_of(component);
        for (unsigned i = 0; i < count; i++) {
            struct strict_register *reg =
                add_register(facts->reads, &facts->read_count, component + i, is_half, cycle + i * step);
            reg->step = step && count > 1 ? (uint8_t)i : STRICT_ALL_STEPS;
        }
        break;
    case ADRENO_ISA_OPERAND_GPR_RELATIVE:
        facts->reads_special |= STRICT_ADDRESS_0;
        add_relative(wave, facts->reads, &facts->read_count, operand->value, is_half, cycle);
        break;
    case ADRENO_ISA_OPERAND_CONST_RELATIVE:
        facts->reads_special |= STRICT_ADDRESS_0;
        break;
    case ADRENO_ISA_OPERAND_PREDICATE:
        facts->reads_special |= STRICT_PREDICATE << (component & 3);
        break;
    default:
        break;
    }
    for (unsigned i = first; i < facts->read_count; i++)
        facts->reads[i].source = facts->source_count;
    facts->source_count++;
}

static void constant_source(struct strict_facts *facts, const struct adreno_isa_operand *operand, unsigned n,
                            unsigned count)
{
    if (operand->kind != ADRENO_ISA_OPERAND_CONST && operand->kind != ADRENO_ISA_OPERAND_CONST_RELATIVE)
        return;
    facts->is_constant_relative[n] = operand->kind == ADRENO_ISA_OPERAND_CONST_RELATIVE;
    facts->constant_read[n] = operand->value;
    facts->constant_read_count[n] = (int32_t)count;
}

static void write_some(struct strict_facts *facts, const struct adreno_isa_operand *dst, bool is_half, uint32_t mask,
                       unsigned step)
{
    if (dst->kind != ADRENO_ISA_OPERAND_GPR)
        return;
    facts->writes_special |= special_of((unsigned)dst->value);
    for (unsigned i = 0; i < 32; i++) {
        if (mask >> i & 1)
            add_register(facts->writes, &facts->write_count, (unsigned)dst->value + i, is_half, i * step)->step =
                (uint8_t)i;
    }
}

/* ---- categories 0 to 4 ---- */

static bool reads_third_late(unsigned op)
{
    return op == ADRENO_ISA_OP_MAD_U16 || op == ADRENO_ISA_OP_MAD_S16 || op == ADRENO_ISA_OP_MAD_U24 ||
           op == ADRENO_ISA_OP_MAD_S24 || op == ADRENO_ISA_OP_MAD_F16 || op == ADRENO_ISA_OP_MAD_F32 ||
           op == ADRENO_ISA_OP_MADSH_U16 || op == ADRENO_ISA_OP_MADSH_M16;
}

static void flow_facts(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *facts)
{
    facts->slots = 1 + (uint32_t)inst->field[ADRENO_ISA_FIELD_REPEAT];
    for (unsigned i = 0; i < 4; i++)
        source(wave, facts, &inst->operands[ADRENO_ISA_PLACE_SRC0 + i], 1, 0, 0);
    if (inst->op == ADRENO_ISA_OP_PREDT || inst->op == ADRENO_ISA_OP_PREDF)
        facts->reads_special |= STRICT_PREDICATE;
}

/* swz and sct write one destination in each cycle, gat and swz read one source in each. */
static void several_moves(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *facts)
{
    static const uint8_t places[] = {ADRENO_ISA_PLACE_DST, ADRENO_ISA_PLACE_DST1, ADRENO_ISA_PLACE_DST2,
                                     ADRENO_ISA_PLACE_DST3};
    const bool half_dst = sp_is_half_type((unsigned)inst->field[ADRENO_ISA_FIELD_DST_TYPE]);
    const unsigned count = inst->op == ADRENO_ISA_OP_SWZ ? 2 : 4;
    facts->slots = count;
    for (unsigned i = 0; i < count; i++) {
        if (inst->op == ADRENO_ISA_OP_SCT)
            source(wave, facts, &inst->operands[ADRENO_ISA_PLACE_SRC0], i == 0 ? 4 : 0, 0, 1);
        else
            source(wave, facts, &inst->operands[ADRENO_ISA_PLACE_SRC0 + i], 1, i, 0);
        if (inst->op != ADRENO_ISA_OP_SCT && facts->read_count > i)
            facts->reads[i].step = (uint8_t)i;
        constant_source(facts, &inst->operands[ADRENO_ISA_PLACE_SRC0 + i], i, 1);
    }
    if (inst->op == ADRENO_ISA_OP_GAT) {
        write_some(facts, &inst->operands[ADRENO_ISA_PLACE_DST], half_dst, 15, 1);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        write_some(facts, &inst->operands[places[i]], half_dst, 1, 0);
    for (unsigned i = 0; i < facts->write_count; i++)
        facts->writes[i].cycle = facts->writes[i].step = (uint8_t)i;
}

static bool is_shared(const struct adreno_isa_operand *operand)
{
    return operand->kind == ADRENO_ISA_OPERAND_GPR && sp_is_shared((unsigned)operand->value);
}

/* Instructions that write shared registers. A move of an ordinary register to a shared one takes another way. */
static bool runs_on_scalar_alu(const struct adreno_wave *wave, const struct adreno_isa_inst *inst)
{
    const struct adreno_gpu *gpu = wave->launch->gpu;
    const struct adreno_isa_operand *first = &inst->operands[ADRENO_ISA_PLACE_SRC0];
    if (inst->op == ADRENO_ISA_OP_MOVMSK || inst->op == ADRENO_ISA_OP_MOVS || (gpu && !gpu->chip->has_scalar_alu))
        return false;
    return inst->op >= ADRENO_ISA_OP_ADD_F || is_shared(first) || first->kind != ADRENO_ISA_OPERAND_GPR;
}

static void alu_facts(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *facts)
{
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    const unsigned repeat = (unsigned)inst->field[ADRENO_ISA_FIELD_REPEAT];
    facts->is_alu = inst->op < ADRENO_ISA_OP_RCP;
    facts->slots = facts->is_alu ? 1 + repeat + inst->nop : 0;
    if (inst->op == ADRENO_ISA_OP_SWZ || inst->op == ADRENO_ISA_OP_GAT || inst->op == ADRENO_ISA_OP_SCT) {
        several_moves(wave, inst, facts);
    } else {
        for (unsigned i = 0; i < 3; i++) {
            const struct adreno_isa_operand *operand = &inst->operands[ADRENO_ISA_PLACE_SRC0 + i];
            unsigned count = 1 + (operand->flags & ADRENO_ISA_FLAG_R ? repeat : 0);
            if (inst->op == ADRENO_ISA_OP_FLAT_B && i == 1)
                continue; /* names a register, and needs none */
            if (inst->op == ADRENO_ISA_OP_BARY_F && i == 1)
                count = 2; /* i and j */
            source(wave, facts, operand, count, i == 2 && reads_third_late(inst->op) ? 2 : 0, repeat ? 1 : 0);
            for (unsigned n = 0; inst->op == ADRENO_ISA_OP_BARY_F && n < facts->read_count; n++)
                facts->reads[n].step = STRICT_ALL_STEPS;
            constant_source(facts, operand, i, count);
        }
        bool is_half = dst->flags & ADRENO_ISA_FLAG_HALF;
        if (dst->kind == ADRENO_ISA_OPERAND_GPR_RELATIVE) {
            facts->reads_special |= STRICT_ADDRESS_0;
            add_relative(wave, facts->writes, &facts->write_count, dst->value, is_half, repeat);
        }
        write_some(facts, dst, is_half, (2u << repeat) - 1, inst->op == ADRENO_ISA_OP_MOVMSK ? 0 : 1);
        for (unsigned i = 0; inst->op == ADRENO_ISA_OP_MOVMSK && i < facts->write_count; i++)
            facts->writes[i].cycle = (uint8_t)repeat; /* nothing of it is there before all of it */
    }
    if (!facts->is_alu || is_shared(dst))
        facts->result = facts->sources = STRICT_SS;
    facts->is_scalar = facts->is_alu && is_shared(dst) && runs_on_scalar_alu(wave, inst);
    if (facts->is_scalar)
        facts->slots = inst->nop;
}

/* ---- category 5 ---- */

static bool has_gradients(unsigned op)
{
    return op == ADRENO_ISA_OP_SAMGQ || (op >= ADRENO_ISA_OP_SAMGP0 && op <= ADRENO_ISA_OP_SAMGP3);
}

static unsigned coordinates(const struct adreno_isa_inst *inst)
{
    const int16_t *field = inst->field;
    unsigned count = (field[ADRENO_ISA_FIELD_3D] ? 3u : 2u);
    if (inst->op == ADRENO_ISA_OP_ISAM && field[ADRENO_ISA_FIELD_VECTOR])
        return 1;
    if (inst->op == ADRENO_ISA_OP_GETLOD)
        return count;
    count += (field[ADRENO_ISA_FIELD_SHADOW] != 0) + (field[ADRENO_ISA_FIELD_ARRAY] != 0) +
             (field[ADRENO_ISA_FIELD_PROJ] != 0) + (inst->op == ADRENO_ISA_OP_ISAMM);
    return has_gradients(inst->op) ? MAX2(count, 4u) + 2 * (field[ADRENO_ISA_FIELD_3D] ? 3u : 2u) : count;
}

static unsigned first_count(const struct adreno_isa_inst *inst)
{
    if (inst->op <= ADRENO_ISA_OP_GETLOD || has_gradients(inst->op) ||
        (inst->op >= ADRENO_ISA_OP_GATHER4R && inst->op <= ADRENO_ISA_OP_GATHER4A))
        return coordinates(inst);
    return 1;
}

static unsigned second_count(const struct adreno_isa_inst *inst)
{
    const bool has_level =
        inst->op == ADRENO_ISA_OP_ISAML || inst->op == ADRENO_ISA_OP_SAMB || inst->op == ADRENO_ISA_OP_SAML;
    /* Cubes have no offsets: three coordinates are those of a volume. */
    unsigned count = !inst->field[ADRENO_ISA_FIELD_OFFSETS] ? 0 : inst->field[ADRENO_ISA_FIELD_3D] ? 3 : 2;
    count += has_level + (inst->field[ADRENO_ISA_FIELD_CLAMP] != 0);
    return count ? count : 1;
}

static void texture_facts(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *facts)
{
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    const struct adreno_isa_operand *first = &inst->operands[ADRENO_ISA_PLACE_SRC0];
    const uint32_t mask = (uint32_t)inst->field[ADRENO_ISA_FIELD_WRMASK];
    const struct adreno_isa_resource resource = adreno_isa_resource(inst);
    if (inst->op >= ADRENO_ISA_OP_DSX && inst->op <= ADRENO_ISA_OP_DSYPP_1 &&
        (inst->op <= ADRENO_ISA_OP_DSY || inst->op >= ADRENO_ISA_OP_DSXPP_1)) {
        for (unsigned i = 0; i < 4; i++) {
            if (mask >> i & 1)
                read_some(facts, (unsigned)first->value + i, first->flags & ADRENO_ISA_FLAG_HALF, 1, 0);
        }
    } else {
        source(wave, facts, first, first_count(inst), 0, 0);
        if (inst->op < ADRENO_ISA_OP_QUAD_SHUFFLE_HORIZ)
            source(wave, facts, &inst->operands[ADRENO_ISA_PLACE_SRC1], second_count(inst), 0, 0);
    }
    if (resource.has_register)
        read_some(facts, resource.reg, !resource.is_bindless, 2, 0);
    if (resource.has_a1)
        facts->reads_special |= STRICT_ADDRESS_1;
    write_some(facts, dst, dst->flags & ADRENO_ISA_FLAG_HALF, mask, 0);
    facts->result = STRICT_SY;
    facts->sources = STRICT_SS_OR_SY;
    facts->completes =
        inst->op >= ADRENO_ISA_OP_DSXPP_1 && inst->op <= ADRENO_ISA_OP_DSYPP_1 && inst->field[ADRENO_ISA_FIELD_PROJ];
}

/* ---- category 6 ---- */

enum {
    COUNT_ONE = 1,
    COUNT_TWO,
    COUNT_SIZE,        /* the field `size` */
    COUNT_ELEMENTS,    /* the field of that name, and one */
    COUNT_COORDINATES, /* dimensions */
    COUNT_DATA,        /* of an atomic */
    COUNT_THREE,
    COUNT_FOURS, /* constants: `size` or `load` vectors */
};

struct memory_row {
    uint16_t first, last;  /* opcodes */
    uint8_t sources[3];    /* how many registers each has */
    uint8_t destination;   /* the same; 0: none */
    uint8_t result, reads; /* enum strict_wait */
};

static const struct memory_row memory_rows[] = {
    {ADRENO_ISA_OP_LDG, ADRENO_ISA_OP_LDG, {COUNT_TWO}, COUNT_SIZE, STRICT_SY, STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_LDG_A, ADRENO_ISA_OP_LDG_A, {COUNT_TWO, COUNT_ONE}, COUNT_SIZE, STRICT_SY, STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_LDG_K, ADRENO_ISA_OP_LDG_K, {COUNT_TWO}, COUNT_FOURS, STRICT_SY, STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_LDL, ADRENO_ISA_OP_LDL, {COUNT_ONE}, COUNT_SIZE, STRICT_SS, STRICT_SS},
    {ADRENO_ISA_OP_LDLW, ADRENO_ISA_OP_LDLW, {COUNT_ONE}, COUNT_SIZE, STRICT_SS, STRICT_SS},
    {ADRENO_ISA_OP_LDLV, ADRENO_ISA_OP_LDLV, {0}, COUNT_SIZE, STRICT_SS, STRICT_SS},
    {ADRENO_ISA_OP_LDP, ADRENO_ISA_OP_LDP, {COUNT_ONE}, COUNT_SIZE, STRICT_SY, STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_STG, ADRENO_ISA_OP_STG, {COUNT_TWO, 0, COUNT_SIZE}, 0, 0, STRICT_SS},
    {ADRENO_ISA_OP_STG_A, ADRENO_ISA_OP_STG_A, {COUNT_TWO, COUNT_ONE, COUNT_SIZE}, 0, 0, STRICT_SS},
    {ADRENO_ISA_OP_STL, ADRENO_ISA_OP_STP, {COUNT_ONE, COUNT_SIZE}, 0, 0, STRICT_SS},
    {ADRENO_ISA_OP_STLW, ADRENO_ISA_OP_STLW, {COUNT_ONE, COUNT_SIZE}, 0, 0, STRICT_SS},
    {ADRENO_ISA_OP_STC, ADRENO_ISA_OP_STC, {COUNT_SIZE}, COUNT_SIZE, STRICT_SS, STRICT_SS},
    {ADRENO_ISA_OP_LDC, ADRENO_ISA_OP_LDC, {COUNT_ONE, COUNT_ONE}, COUNT_ELEMENTS, STRICT_SY, STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_LDC_K, ADRENO_ISA_OP_LDC_K, {COUNT_ONE, COUNT_ONE}, COUNT_FOURS, STRICT_SY, STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_LDIB_B,
     ADRENO_ISA_OP_LDIB_B,
     {0, COUNT_COORDINATES, COUNT_ONE},
     COUNT_ELEMENTS,
     STRICT_SY,
     STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_STIB_B, ADRENO_ISA_OP_STIB_B, {COUNT_ELEMENTS, COUNT_COORDINATES, COUNT_ONE}, 0, 0, STRICT_SS},
    {ADRENO_ISA_OP_RESINFO_B, ADRENO_ISA_OP_RESINFO_B, {COUNT_ONE}, COUNT_THREE, STRICT_SS, STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_SHFL, ADRENO_ISA_OP_SHFL, {COUNT_ONE, COUNT_ONE}, COUNT_ONE, STRICT_SS, STRICT_SS},
    {ADRENO_ISA_OP_GETSPID, ADRENO_ISA_OP_GETFIBERID, {0}, COUNT_ONE, 0, 0},
    {ADRENO_ISA_OP_ATOMIC_ADD,
     ADRENO_ISA_OP_ATOMIC_XOR,
     {COUNT_ONE, COUNT_DATA},
     COUNT_ONE,
     STRICT_SS,
     STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_ATOMIC_G_ADD,
     ADRENO_ISA_OP_ATOMIC_G_XOR,
     {COUNT_TWO, COUNT_DATA},
     COUNT_ONE,
     STRICT_SY,
     STRICT_SS_OR_SY},
    {ADRENO_ISA_OP_ATOMIC_B_ADD,
     ADRENO_ISA_OP_ATOMIC_B_XOR,
     {0, COUNT_COORDINATES, COUNT_ONE},
     COUNT_ONE,
     STRICT_SY,
     STRICT_SS_OR_SY},
};

static bool is_wide_atomic(const struct adreno_isa_inst *inst)
{
    return inst->op >= ADRENO_ISA_OP_ATOMIC_ADD && inst->field[ADRENO_ISA_FIELD_TYPE] == SP_TYPE_U8 &&
           inst->op != ADRENO_ISA_OP_SHFL && inst->op != ADRENO_ISA_OP_STC;
}

static unsigned data_count(const struct adreno_isa_inst *inst)
{
    const bool is_exchange = inst->op == ADRENO_ISA_OP_ATOMIC_CMPXCHG || inst->op == ADRENO_ISA_OP_ATOMIC_G_CMPXCHG ||
                             inst->op == ADRENO_ISA_OP_ATOMIC_B_CMPXCHG;
    return (is_exchange ? 2 : 1) * (is_wide_atomic(inst) ? 2 : 1);
}

static unsigned count_of(const struct adreno_isa_inst *inst, unsigned count)
{
    switch (count) {
    case COUNT_SIZE:
        return (unsigned)inst->field[ADRENO_ISA_FIELD_SIZE];
    case COUNT_ELEMENTS:
        return (unsigned)inst->field[ADRENO_ISA_FIELD_ELEMENTS] + 1;
    case COUNT_COORDINATES:
        return (unsigned)inst->field[ADRENO_ISA_FIELD_DIM] + 1;
    case COUNT_DATA:
        return data_count(inst);
    case COUNT_THREE:
        return 3;
    case COUNT_FOURS:
        return inst->op == ADRENO_ISA_OP_LDC_K ? ((unsigned)inst->field[ADRENO_ISA_FIELD_LOAD] + 1) * 4
                                               : (unsigned)inst->field[ADRENO_ISA_FIELD_SIZE] * 4;
    default:
        return count;
    }
}

/* Constants that the instruction writes, counted from a1.x where it says so. */
static void constant_write(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *facts,
                           unsigned count)
{
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    facts->constant_write = dst->value;
    facts->constant_write_count = (int32_t)count;
    if ((dst->kind == ADRENO_ISA_OPERAND_CONST_A1 || inst->op == ADRENO_ISA_OP_LDC_K) && lane_mask_any(wave->active)) {
        facts->reads_special |= STRICT_ADDRESS_1;
        facts->constant_write +=
            (int32_t)(adreno_wave_row(wave, ADRENO_ISA_REG_A1)[lane_mask_lowest(wave->active)] & 0xffff);
    }
}

static void memory_facts(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *facts)
{
    const struct memory_row *row = memory_rows, *end = memory_rows + sizeof(memory_rows) / sizeof(memory_rows[0]);
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    while (row < end && (inst->op < row->first || inst->op > row->last))
        row++;
    if (row == end)
        return;
    const bool is_half_type = sp_is_half_type((unsigned)inst->field[ADRENO_ISA_FIELD_TYPE]) && !is_wide_atomic(inst);
    for (unsigned i = 0; i < 3; i++) {
        struct adreno_isa_operand operand = inst->operands[ADRENO_ISA_PLACE_SRC0 + i];
        const bool is_data = row->sources[i] == COUNT_SIZE || row->sources[i] == COUNT_ELEMENTS;
        if (is_data) /* data has the instruction's type */
            operand.flags =
                (uint8_t)((operand.flags & ~ADRENO_ISA_FLAG_HALF) | (is_half_type ? ADRENO_ISA_FLAG_HALF : 0));
        source(wave, facts, &operand, count_of(inst, row->sources[i]), 0, 0);
    }
    const unsigned asked = count_of(inst, row->destination), written = asked < 16 ? asked : 16; /* words of any bits */
    facts->result = (enum strict_wait)row->result;
    facts->sources = (enum strict_wait)row->reads;
    if (inst->op == ADRENO_ISA_OP_STC || inst->op == ADRENO_ISA_OP_LDC_K || inst->op == ADRENO_ISA_OP_LDG_K) {
        constant_write(wave, inst, facts, asked);
        return;
    }
    if (row->first == ADRENO_ISA_OP_ATOMIC_B_ADD) /* data follows the place of the result */
        read_some(facts, (unsigned)dst->value + (is_wide_atomic(inst) ? 2 : 1), false, data_count(inst), 0);
    const bool has_type =
        row->destination == COUNT_SIZE || row->destination == COUNT_ELEMENTS || inst->op == ADRENO_ISA_OP_SHFL;
    write_some(facts, dst, has_type && is_half_type && inst->op != ADRENO_ISA_OP_LDC,
               (uint32_t)((1ull << (written << is_wide_atomic(inst))) - 1), 0);
    if (sp_is_shared((unsigned)dst->value) && facts->write_count && facts->result == STRICT_NOTHING)
        facts->result = STRICT_SS;
}

void adreno_sp_strict_facts(struct adreno_wave *wave, const struct adreno_isa_inst *inst, struct strict_facts *out)
{
    memset(out, 0, offsetof(struct strict_facts, reads));
    if (inst->op < ADRENO_ISA_OP_MOV || inst->op >= ADRENO_ISA_OP_BAR || inst->op == ADRENO_ISA_OP_TCINV)
        flow_facts(wave, inst, out);
    else if (inst->op < ADRENO_ISA_OP_ISAM)
        alu_facts(wave, inst, out);
    else if (inst->op < ADRENO_ISA_OP_LDG)
        texture_facts(wave, inst, out);
    else
        memory_facts(wave, inst, out);
}
