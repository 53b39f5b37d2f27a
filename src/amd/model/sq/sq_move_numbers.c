/* See sq_move_numbers.h. A value is the same for all workgroups, or is made somewhere of values that vary, or is such a
 * one and something that is the same: its 64-bit sum, or its exclusive or. */
#include "amd/model/sq/sq_move_numbers.h"

#include <stddef.h>
#include <string.h>

#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_uops.h"

#define NONE UINT16_MAX

enum kind {
    SAME,
    MADE,  /* by `of` of the makings */
    XOR,   /* that, changed by what is the same */
    LOW,   /* of sum `of` */
    HIGH,  /* the same */
    CARRY, /* from its lower half to its upper one */
    MIXED, /* some of several registers vary */
};

struct value {
    uint8_t kind;
    uint16_t of;
};

/* Where a register got a value: after so many micro-operations. */
struct making {
    uint16_t after;
    uint8_t reg;
};

/* 64 bits that vary and 64 that are the same. */
struct sum {
    uint16_t low, high; /* makings; high NONE: its upper half is the same */
    uint16_t of;        /* the sum that this one adds something to, or NONE */
    bool is_whole;
};

struct finder {
    struct sq_move_numbers *numbers;
    unsigned lanes;
    struct value values[SQ_REGISTER_SCC + 1];
    struct making makings[SQ_NUMBERS_UOPS];
    struct sum sums[SQ_NUMBERS_UOPS];
    uint32_t making_count, sum_count;
    bool failed;
};

static uint16_t add_making(struct finder *f, uint32_t after, unsigned reg)
{
    f->failed |= f->making_count == SQ_NUMBERS_UOPS;
    if (f->failed)
        return 0;
    f->makings[f->making_count] = (struct making){(uint16_t)after, (uint8_t)reg};
    return (uint16_t)f->making_count++;
}

static bool has_register(const struct sq_registers *set, unsigned reg)
{
    return set->bits[reg / 64] >> reg % 64 & 1;
}

/* All of these are the same, or each is made by this micro-operation. */
static void put_all(struct finder *f, const struct sq_registers *set, bool is_same, uint32_t after)
{
    for (unsigned reg = 0; reg <= SQ_REGISTER_SCC; reg++) {
        if (has_register(set, reg))
            f->values[reg] = is_same ? (struct value){SAME, 0} : (struct value){MADE, add_making(f, after, reg)};
    }
}

static bool any_varies(const struct finder *f, const struct sq_registers *set)
{
    for (unsigned reg = 0; reg <= SQ_REGISTER_SCC; reg++) {
        if (has_register(set, reg) && f->values[reg].kind != SAME)
            return true;
    }
    return false;
}

/* ---- instructions ---- */

static struct value value_of(const struct finder *f, const struct isa_operand *operand)
{
    struct sq_registers set = {{0}};
    if (operand->kind == ISA_OPERAND_SGPR)
        return f->values[operand->value];
    if (!amd_sq_registers_add_operand(&set, operand, f->lanes) || any_varies(f, &set))
        return (struct value){MIXED, 0};
    return (struct value){SAME, 0};
}

/* The one of two that varies. False: both do. */
static bool take_one(const struct finder *f, const struct isa_inst *inst, struct value *out)
{
    const struct value a = value_of(f, &inst->operands[1]), b = value_of(f, &inst->operands[2]);
    *out = a.kind == SAME ? b : a;
    return a.kind == SAME || b.kind == SAME;
}

/* A lower half. */
static bool add_low(struct finder *f, const struct isa_inst *inst, struct value *out, struct value *scc)
{
    struct value one;
    if (!take_one(f, inst, &one) || (one.kind != MADE && one.kind != LOW) || f->sum_count == SQ_NUMBERS_UOPS)
        return false;
    f->sums[f->sum_count] = one.kind == MADE ? (struct sum){.low = one.of, .high = NONE, .of = NONE}
                                             : (struct sum){.low = f->sums[one.of].low, .high = NONE, .of = one.of};
    *out = (struct value){LOW, (uint16_t)f->sum_count};
    *scc = (struct value){CARRY, (uint16_t)f->sum_count++};
    return true;
}

/* And the upper half that belongs to it. */
static bool add_high(struct finder *f, const struct isa_inst *inst, struct value *out)
{
    struct value one;
    const struct value carry = f->values[SQ_REGISTER_SCC];
    if (carry.kind != CARRY || !take_one(f, inst, &one))
        return false;
    struct sum *sum = &f->sums[carry.of];
    if (sum->is_whole)
        return false;
    if (sum->of != NONE) {
        if (one.kind != HIGH || one.of != sum->of)
            return false;
        sum->high = f->sums[sum->of].high;
    } else if (one.kind == MADE) {
        sum->high = one.of;
    } else if (one.kind != SAME) {
        return false;
    }
    sum->is_whole = true;
    *out = (struct value){HIGH, carry.of};
    return true;
}

static bool add_xor(const struct finder *f, const struct isa_inst *inst, struct value *out)
{
    struct value one;
    if (!take_one(f, inst, &one) || (one.kind != MADE && one.kind != XOR))
        return false;
    *out = (struct value){XOR, one.of};
    return true;
}

/* A scalar instruction of values that vary. */
static void follow_varying(struct finder *f, const struct isa_inst *inst, const struct sq_registers *writes,
                           uint32_t after)
{
    struct value out = {SAME, 0}, upper = {SAME, 0}, scc = {SAME, 0};
    const struct isa_operand *to = &inst->operands[0], *from = &inst->operands[1];
    const bool is_plain = to->kind == ISA_OPERAND_SGPR, is_pair = inst->op == ISA_OP_S_MOV_B64;
    bool is_known = false;
    switch (inst->op) {
    case ISA_OP_S_MOV_B32:
    case ISA_OP_S_MOV_B64:
        is_known = from->kind == ISA_OPERAND_SGPR;
        out = f->values[is_known ? from->value : 0];
        upper = f->values[is_known && is_pair ? from->value + 1 : 0];
        break;
    case ISA_OP_S_ADD_U32:
        is_known = add_low(f, inst, &out, &scc);
        break;
    case ISA_OP_S_ADDC_U32:
        is_known = add_high(f, inst, &out);
        break;
    case ISA_OP_S_XOR_B32:
        is_known = add_xor(f, inst, &out);
        break;
    default:
        break;
    }
    put_all(f, writes, false, after);
    if (!is_known || !is_plain)
        return;
    f->values[to->value] = out;
    if (is_pair)
        f->values[to->value + 1] = upper;
    if (scc.kind == CARRY)
        f->values[SQ_REGISTER_SCC] = scc;
}

/* Of all lanes: what they compute or load must be the same for all workgroups. */
static bool is_vector(const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    switch ((enum isa_format)info->format) {
    case ISA_FORMAT_VOP1:
    case ISA_FORMAT_VOP2:
    case ISA_FORMAT_VOPC:
    case ISA_FORMAT_VOP3:
        return info->helper == ISA_HELPER_NONE;
    case ISA_FORMAT_FLAT:
        return info->helper == ISA_HELPER_GLOBAL_LOAD && !uop->inst->mem.lds;
    default:
        return false;
    }
}

static bool follow_uop(struct finder *f, const struct sq_uop *uop, uint32_t after)
{
    struct sq_registers reads, writes;
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2);
    if (!amd_sq_registers_of(uop->inst, f->lanes, &reads, &writes) || sq_registers_meet(&writes, &exec))
        return false;
    const bool varies = any_varies(f, &reads);
    if (varies && amd_sq_is_scalar(uop) && isa_info(uop->inst->op)->format != ISA_FORMAT_SMEM) {
        follow_varying(f, uop->inst, &writes, after);
        return !f->failed;
    }
    put_all(f, &writes, true, after);
    return !varies && (amd_sq_is_scalar(uop) || is_vector(uop));
}

/* ---- the program ---- */

/* From its beginning to the move, and the move's own scalars. */
static bool list_uops(struct sq_move_numbers *numbers, const struct sq_move *move, const struct sq_uop *uop)
{
    numbers->uop_count = 0;
    for (; uop->run != amd_sq_uop_move; uop++) {
        if (amd_sq_jit_is_head(uop))
            continue;
        if (!uop->inst || amd_sq_control_flow(uop) != SQ_FLOW_NONE || numbers->uop_count == SQ_NUMBERS_UOPS)
            return false;
        numbers->uops[numbers->uop_count++] = uop;
    }
    if ((const struct sq_move *)(uintptr_t)uop->target_va != move ||
        numbers->uop_count + move->scalar_count > SQ_NUMBERS_UOPS)
        return false;
    for (uint32_t i = 0; i < move->scalar_count; i++)
        numbers->uops[numbers->uop_count++] = move->steps[i].uop;
    return true;
}

/* ---- sides ---- */

static struct value value_at(const struct finder *f, sq_place place)
{
    const uint32_t sgpr = offsetof(struct sq_wave, sgpr);
    if (place & SQ_BASE_CONSTANTS)
        return (struct value){SAME, 0};
    if (place < sgpr || place >= sgpr + 4 * SQ_SGPR_COUNT)
        return (struct value){MIXED, 0};
    return f->values[(place - sgpr) / 4];
}

/* The root that all copies of a side must have in common. */
struct root {
    uint16_t low, high, xor;
};

static bool find_root(const struct finder *f, const struct sq_move_side *side, struct root *root)
{
    const struct value low = value_at(f, side->base), high = value_at(f, side->base + 4),
                       first = value_at(f, side->first), second = value_at(f, side->second),
                       change = first.kind == SAME ? second : first;
    *root = (struct root){NONE, NONE, NONE};
    if (side->is_changed && change.kind != SAME) {
        if ((first.kind != SAME && second.kind != SAME) || (change.kind != MADE && change.kind != XOR))
            return false;
        root->xor = change.of;
    }
    if (low.kind == LOW && high.kind == HIGH && low.of == high.of) {
        root->low = f->sums[low.of].low;
        root->high = f->sums[low.of].high;
        return true;
    }
    if (low.kind == MADE)
        root->low = low.of;
    if (high.kind == MADE)
        root->high = high.of;
    return (low.kind == MADE || low.kind == SAME) && (high.kind == MADE || high.kind == SAME);
}

/* A making's slot; one for each. */
static uint8_t take_slot(struct finder *f, uint16_t making, uint16_t *slots)
{
    uint32_t i = 0;
    if (making == NONE)
        return SQ_NUMBERS_SAME;
    while (i < f->numbers->slot_count && slots[i] != making)
        i++;
    f->failed |= i == SQ_NUMBERS_SLOTS;
    if (f->failed)
        return SQ_NUMBERS_SAME;
    slots[i] = making;
    f->numbers->slot_count = i == f->numbers->slot_count ? i + 1 : f->numbers->slot_count;
    return (uint8_t)i;
}

static bool find_sides(struct finder *f, const struct sq_move *move, uint16_t *slots)
{
    struct root from = {0}, to = {0};
    for (uint32_t i = 0; i < move->copy_count; i++) {
        struct root a, b;
        if (!find_root(f, &move->copies[i].from, &a) || !find_root(f, &move->copies[i].to, &b) ||
            (i && (memcmp(&a, &from, sizeof(a)) != 0 || memcmp(&b, &to, sizeof(b)) != 0)))
            return false;
        from = a;
        to = b;
    }
    struct sq_move_numbers *n = f->numbers;
    n->slot_count = 0;
    n->from = (struct sq_numbers_side){take_slot(f, from.low, slots), take_slot(f, from.high, slots),
                                       take_slot(f, from.xor, slots)};
    n->to = (struct sq_numbers_side){take_slot(f, to.low, slots), take_slot(f, to.high, slots),
                                     take_slot(f, to.xor, slots)};
    return !f->failed;
}

/* ---- what runs for each workgroup ---- */

static void add_op(struct finder *f, const struct sq_numbers_op *op)
{
    f->failed |= f->numbers->op_count == SQ_NUMBERS_OPS;
    if (!f->failed)
        f->numbers->ops[f->numbers->op_count++] = *op;
}

static void add_sets(struct finder *f, const struct sq_registers *wanted, uint32_t after)
{
    for (unsigned reg = 0; reg <= SQ_REGISTER_SCC; reg++) {
        if (has_register(wanted, reg))
            add_op(f, &(struct sq_numbers_op){.kind = SQ_NUMBERS_SET, .reg = (uint8_t)reg, .after = (uint16_t)after});
    }
}

/* Registers kept as they are after so many micro-operations, and wanted therefore. */
static void add_keeps(struct finder *f, const uint16_t *slots, uint32_t after, struct sq_registers *wanted)
{
    for (uint32_t i = 0; i < f->numbers->slot_count; i++) {
        const struct making *making = &f->makings[slots[i]];
        if (making->after != after)
            continue;
        add_op(f, &(struct sq_numbers_op){
                      .kind = SQ_NUMBERS_KEEP, .reg = making->reg, .slot = (uint8_t)i, .after = (uint16_t)after});
        sq_registers_add(wanted, making->reg, 1);
    }
}

/* From the end to the beginning, then turned round. `varies` has a bit for each micro-operation of values that vary. */
static bool list_ops(struct finder *f, const uint16_t *slots, const uint8_t *varies)
{
    struct sq_move_numbers *n = f->numbers;
    struct sq_registers wanted = {{0}};
    n->op_count = 0;
    for (uint32_t i = n->uop_count; i > 0; i--) {
        struct sq_registers reads, writes, made = {{0}};
        add_keeps(f, slots, i, &wanted);
        amd_sq_registers_of(n->uops[i - 1]->inst, f->lanes, &reads, &writes);
        if (!sq_registers_meet(&writes, &wanted))
            continue;
        for (unsigned word = 0; word < SQ_REGISTER_WORDS; word++)
            made.bits[word] = writes.bits[word] & wanted.bits[word];
        if (varies[i - 1])
            add_op(f, &(struct sq_numbers_op){.kind = SQ_NUMBERS_RUN, .after = (uint16_t)i, .uop = n->uops[i - 1]});
        else
            add_sets(f, &made, i);
        sq_registers_remove(&wanted, &writes);
        if (varies[i - 1])
            sq_registers_unite(&wanted, &reads);
    }
    add_keeps(f, slots, 0, &wanted);
    sq_registers_remove(&wanted, &n->varying);
    add_sets(f, &wanted, 0);
    for (uint32_t i = 0; i < n->op_count / 2; i++) {
        const struct sq_numbers_op op = n->ops[i];
        n->ops[i] = n->ops[n->op_count - 1 - i];
        n->ops[n->op_count - 1 - i] = op;
    }
    return !f->failed;
}

bool amd_sq_move_numbers_find(struct sq_move_numbers *numbers, const struct sq_move *move, const struct sq_uop *first,
                              unsigned lanes, const struct sq_registers *varying)
{
    struct finder f = {.numbers = numbers, .lanes = lanes};
    uint8_t varies[SQ_NUMBERS_UOPS];
    uint16_t slots[SQ_NUMBERS_SLOTS];
    numbers->varying = *varying;
    if (!move->copy_count || !list_uops(numbers, move, first))
        return false;
    put_all(&f, varying, false, 0);
    for (uint32_t i = 0; i < numbers->uop_count; i++) {
        struct sq_registers reads, writes;
        if (!amd_sq_registers_of(numbers->uops[i]->inst, lanes, &reads, &writes))
            return false;
        varies[i] = any_varies(&f, &reads);
        if (!follow_uop(&f, numbers->uops[i], i + 1))
            return false;
    }
    return find_sides(&f, move, slots) && list_ops(&f, slots, varies);
}
