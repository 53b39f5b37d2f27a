/* A program before its code is made: whether its loop is one, what is the same in all lanes, how many vectors of lanes
 * are computed side by side (strands), and the program with each operation once per strand. */
#include <string.h>

#include "model/jit_maker.h"
#include "util/bits.h"

uint32_t jit_operand_count(enum jit_op op)
{
    switch (op) {
    case JIT_CONST:
    case JIT_ROW:
    case JIT_SPLAT:
    case JIT_BITS:
    case JIT_LANE:
    case JIT_LOOP:
    case JIT_STAY:
    case JIT_AGAIN:
        return 0;
    case JIT_NOT:
    case JIT_SHL_IMM:
    case JIT_SHR_IMM:
    case JIT_SAR_IMM:
    case JIT_POPCOUNT:
    case JIT_FSQRT:
    case JIT_FLOOR:
    case JIT_CEIL:
    case JIT_TRUNC:
    case JIT_NEAREST:
    case JIT_F32_OF_I32:
    case JIT_F32_OF_U32:
    case JIT_I32_OF_F32:
    case JIT_HALF_OF_F32:
    case JIT_U32_OF_F32:
    case JIT_F32_OF_HALF:
    case JIT_HALF_ROUNDED:
    case JIT_FLUSH_HALVES:
    case JIT_QUAD:
    case JIT_TABLE:
    case JIT_LOAD:
    case JIT_LOAD_LANE:
    case JIT_STORE:
    case JIT_STORE_BITS:
    case JIT_STORE_ONE:
    case JIT_MISS:
    case JIT_LEAVE:
        return 1;
    case JIT_SELECT:
    case JIT_WRITE:
    case JIT_WRITE_NEAR:
    case JIT_FMA:
    case JIT_FMS:
    case JIT_FMA_HALF:
    case JIT_CALL:
        return 3;
    default:
        return 2;
    }
}

bool jit_find_loop(const struct jit_inst *insts, uint32_t count, struct jit_outline *out)
{
    uint32_t leaves = 0, phis_end = 0, misses = 0;
    bool is_leaving = false, has_results = false, has_writes = false;
    out->loop = out->again = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_inside = out->loop != UINT32_MAX;
        switch ((enum jit_op)insts[i].op) {
        case JIT_LOOP:
            if (is_inside)
                return false;
            out->loop = i;
            phis_end = i + 1;
            break;
        case JIT_PHI:
            if (!is_inside || phis_end++ != i)
                return false;
            break;
        case JIT_LEAVE:
        case JIT_STAY:
            if (!is_inside || is_leaving != (insts[i].op == JIT_STAY) || (!is_leaving && leaves == JIT_MAX_LEAVES))
                return false;
            is_leaving = !is_leaving;
            leaves += is_leaving;
            break;
        case JIT_AGAIN:
            out->again = i;
            break;
        case JIT_MISS:
            if (is_leaving || misses++ == JIT_MAX_MISSES || has_results)
                return false;
            break;
        case JIT_WRITE:
            if (is_inside)
                return false;
            has_results = has_writes = true;
            break;
        case JIT_STORE:
        case JIT_STORE_BITS:
        case JIT_STORE_ONE:
            if (is_inside && !is_leaving)
                return false;
            has_results |= !is_inside || insts[i].op == JIT_STORE_BITS;
            break;
        default:
            if (is_leaving || (is_inside && insts[i].op == JIT_BITS))
                return false;
        }
    }
    if (out->loop == UINT32_MAX)
        return out->again == UINT32_MAX;
    return out->again == count - 1 && leaves && !is_leaving && !has_writes && count <= JIT_MAX_INSTS - JIT_MAX_LEAVES;
}

/* A phi is taken for such until it is found not to be. */
void jit_find_same(const struct jit_inst *insts, uint32_t count, bool *is_same)
{
    bool changed = true;
    memset(is_same, true, count);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < count; i++) {
            const enum jit_op op = insts[i].op;
            bool same = is_same[i] && op != JIT_ROW && op != JIT_BITS && op != JIT_LANE;
            for (unsigned n = 0; n < jit_operand_count(op) && same; n++)
                same = jit_operand(&insts[i], n) == JIT_NONE || is_same[jit_operand(&insts[i], n)];
            changed |= same != is_same[i];
            is_same[i] = same;
        }
    }
}

void jit_rename_operands(struct jit_inst *inst, const jit_value *names)
{
    const unsigned operands = jit_operand_count(inst->op);
    if (operands > 0 && inst->a != JIT_NONE)
        inst->a = names[inst->a];
    if (operands > 1 && inst->b != JIT_NONE && inst->op != JIT_PHI)
        inst->b = names[inst->b];
    if (operands > 2 && inst->c != JIT_NONE)
        inst->c = names[inst->c];
}

void jit_rename_rest(struct jit_inst *insts, uint32_t count, const jit_value *names, struct jit_outline *outline)
{
    for (uint32_t i = 0; i < count; i++) {
        if (insts[i].op == JIT_PHI)
            insts[i].b = names[insts[i].b];
    }
    if (outline->loop != UINT32_MAX) {
        outline->loop = names[outline->loop];
        outline->again = names[outline->again];
    }
}

void jit_find_needed(const struct jit_inst *insts, uint32_t count, bool *is_needed)
{
    bool changed = true;
    for (uint32_t i = 0; i < count; i++)
        is_needed[i] = !jit_is_value(&insts[i]);
    while (changed) {
        changed = false;
        for (uint32_t i = count; i-- > 0;) {
            for (unsigned n = 0; n < jit_operand_count(insts[i].op) && is_needed[i]; n++) {
                const jit_value v = jit_operand(&insts[i], n);
                if (v == JIT_NONE || is_needed[v])
                    continue;
                is_needed[v] = true;
                changed |= v > i;
            }
        }
    }
}

/* The most registers that are needed at once, leaving out values that can be made again at any time. */
static uint32_t pressure_of(const struct jit_inst *insts, uint32_t count, const struct jit_outline *outline,
                            uint32_t strands)
{
    uint16_t last[JIT_MAX_INSTS];
    bool is_needed[JIT_MAX_INSTS];
    jit_find_needed(insts, count, is_needed);
    for (uint32_t i = 0; i < count; i++) {
        last[i] = insts[i].op == JIT_PHI && is_needed[i] ? (uint16_t)outline->again : 0; /* 0: never */
        for (unsigned n = 0; is_needed[i] && n < (insts[i].op == JIT_PHI ? 1 : jit_operand_count(insts[i].op)); n++) {
            const jit_value v = jit_operand(&insts[i], n);
            const bool all_rounds = outline->loop != UINT32_MAX && i > outline->loop && v < outline->loop;
            if (v != JIT_NONE && last[v] < i)
                last[v] = (uint16_t)(all_rounds && insts[i].op != JIT_PHI ? outline->again : i);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (insts[i].op == JIT_PHI && is_needed[i])
            last[insts[i].b] = (uint16_t)outline->again;
    }
    uint32_t ends[JIT_MAX_INSTS + 1], alive = 0, most = 0;
    memset(ends, 0, (count + 1) * sizeof(ends[0]));
    for (uint32_t i = 0; i < count; i++) {
        alive -= ends[i];
        if (last[i] && insts[i].op != JIT_CONST && insts[i].op != JIT_SPLAT) {
            const uint32_t registers = outline->is_same[i] ? 1 : strands;
            ends[last[i]] += registers;
            alive += registers;
        }
        most = MAX2(most, alive);
    }
    return most;
}

/* Hosts begin the next lanes before these are done, but not over so many operations: the strands of long programs are
 * worth more of them waiting on the stack. Rounds of a loop do not begin before their values are there: where a round
 * is long, two strands share what is the same in all lanes, and each fills what the other waits for. */
#define LONG 768
#define LONG_LOOP 256

/* Values that may wait on the stack. */
static uint32_t find_excess(uint32_t count, bool has_loop, uint32_t strands)
{
    if (strands > 2)
        return 0;
    if (has_loop)
        return count > LONG_LOOP ? 3 * jit_host_excess : 0;
    return count > LONG ? 2 * jit_host_excess : jit_host_excess;
}

void jit_choose_strands(struct jit_maker *m, const struct jit_inst *insts, uint32_t count,
                        const struct jit_outline *outline)
{
    const uint32_t registers = (uint32_t)__builtin_popcount(jit_host_registers);
    const bool has_loop = outline->loop != UINT32_MAX;
    uint32_t strands = has_loop ? jit_host_strands : jit_host_straight_strands, pressure;
    for (;; strands /= 2) {
        const uint32_t excess = find_excess(count, has_loop, strands);
        pressure = pressure_of(insts, count, outline, strands);
        if (strands == 1 || (pressure + 2 < registers + excess && JIT_VECTOR_LANES * strands <= m->shape.frame->lanes))
            break;
    }
    m->shape.strands = strands;
    m->spare = pressure + 3 < registers ? registers - pressure - 3 : 0; /* what is had again takes some, too */
}

static jit_value add_inst(struct jit_maker *m, struct jit_inst inst)
{
    m->insts[m->count] = inst;
    return (jit_value)m->count++;
}

/* JIT_LEAVE, JIT_MISS: whether a lane of any strand is set. */
static void weave_any(struct jit_maker *m, struct jit_inst leave, const jit_value *made, bool is_same)
{
    jit_value any = made[0];
    for (uint32_t s = 1; s < m->shape.strands && !is_same; s++)
        any = add_inst(m, (struct jit_inst){.op = JIT_OR, .a = any, .b = made[s], .c = JIT_NONE});
    leave.a = any;
    leave.c = is_same;
    add_inst(m, leave);
}

void jit_weave(struct jit_maker *m, const struct jit_inst *insts, uint32_t count, const struct jit_outline *outline)
{
    jit_value made[JIT_MAX_INSTS][MAX_STRANDS];
    for (uint32_t i = 0; i < count; i++) {
        const bool is_value_once = outline->is_same[i] && jit_is_value(&insts[i]);
        if (insts[i].op == JIT_LOOP)
            m->loop = m->count;
        if (insts[i].op == JIT_LEAVE || insts[i].op == JIT_MISS) {
            weave_any(m, insts[i], made[insts[i].a], outline->is_same[insts[i].a]);
            continue;
        }
        for (uint32_t s = 0; s < m->shape.strands; s++) {
            if (s && (is_value_once || jit_is_flow(&insts[i]) || insts[i].op == JIT_STORE_ONE)) {
                made[i][s] = made[i][0];
                continue;
            }
            struct jit_inst inst = insts[i];
            const unsigned operands = jit_operand_count(inst.op);
            inst.a = operands > 0 && inst.a != JIT_NONE ? made[inst.a][s] : JIT_NONE;
            if (inst.op != JIT_PHI)
                inst.b = operands > 1 && inst.b != JIT_NONE ? made[inst.b][s] : JIT_NONE;
            inst.c = operands > 2 && inst.c != JIT_NONE ? made[inst.c][s] : JIT_NONE;
            if (inst.op == JIT_ROW || inst.op == JIT_STORE)
                inst.imm += s * JIT_VECTOR_LANES * 4;
            if (inst.op == JIT_LANE || inst.op == JIT_BITS || inst.op == JIT_LOAD_LANE || jit_is_result(&inst) ||
                inst.op == JIT_PHI)
                inst.c = (jit_value)s;
            if (inst.op == JIT_LOAD)
                inst.c = is_value_once;
            m->phi_count += inst.op == JIT_PHI;
            made[i][s] = add_inst(m, inst);
        }
    }
    m->again = m->count - 1;
    for (uint32_t i = m->loop + 1; i <= m->loop + m->phi_count; i++)
        m->insts[i].b = made[m->insts[i].b][m->insts[i].c];
}
