/* Registers of a program, in one pass over its operations: the value whose next use is farthest away is evicted, and
 * one that can be loaded or made again is not saved. */
#include "model/jit_maker.h"

uint32_t jit_next_use(struct jit_maker *m, jit_value v, uint32_t now)
{
    while (m->next_use[v] < m->first_use[v + 1] && m->uses[m->next_use[v]] < now)
        m->next_use[v]++;
    return m->next_use[v] < m->first_use[v + 1] ? m->uses[m->next_use[v]] : UINT32_MAX;
}

bool jit_is_cheap(const struct jit_maker *m, jit_value v)
{
    enum jit_op op = m->insts[v].op;
    return op == JIT_CONST || op == JIT_SPLAT || (op == JIT_ROW && m->is_kept_in_row[v]);
}

void jit_give_up(struct jit_maker *m, unsigned reg)
{
    jit_value v = m->now.owner[reg];
    if (!jit_is_cheap(m, v) && m->now.slot[v] == NO_SLOT) {
        m->now.slot[v] = (uint16_t)m->shape.slot_count++;
        jit_host_spill(m->buffer, m->now.slot[v], reg);
    }
    m->now.reg[v] = NOWHERE;
    m->now.free |= 1u << reg;
}

/* A register for a value: a free one, if possible one that survives its calls; else that of the value whose next use is
 * last. */
static unsigned take_register(struct jit_maker *m, jit_value v, uint32_t now)
{
    uint32_t usable = m->now.free & ~m->pinned;
    if (!usable) {
        unsigned farthest = 0;
        uint32_t distance = 0;
        for (unsigned r = 0; r < JIT_MAX_REGISTERS; r++) {
            if (!((jit_host_registers & ~m->now.held & ~m->pinned & ~m->now.free) >> r & 1))
                continue;
            uint32_t use = jit_next_use(m, m->now.owner[r], now);
            if (use >= distance) {
                distance = use;
                farthest = r;
            }
        }
        jit_give_up(m, farthest);
        usable = 1u << farthest;
    }
    uint32_t fitting = usable & (m->crosses_call[v] ? jit_host_kept : ~jit_host_kept);
    unsigned reg = (unsigned)__builtin_ctz(fitting ? fitting : usable);
    m->now.free &= ~(1u << reg);
    m->now.owner[reg] = v;
    m->now.reg[v] = (int8_t)reg;
    return reg;
}

void jit_copy_to(struct jit_maker *m, jit_value v, unsigned reg)
{
    if (m->now.reg[v] != NOWHERE)
        jit_host_move(m->buffer, reg, (unsigned)m->now.reg[v]);
    else if (m->now.slot[v] != NO_SLOT)
        jit_host_reload(m->buffer, m->now.slot[v], reg);
    else
        jit_host_emit(m->buffer, &m->shape, &m->insts[v], reg, 0, 0, 0, 0);
}

unsigned jit_bring(struct jit_maker *m, jit_value v, uint32_t now)
{
    if (m->now.reg[v] == NOWHERE) {
        unsigned reg = take_register(m, v, now);
        m->now.reg[v] = NOWHERE;
        jit_copy_to(m, v, reg);
        m->now.reg[v] = (int8_t)reg;
    }
    m->pinned |= 1u << m->now.reg[v];
    return (unsigned)m->now.reg[v];
}

/* A value that no later operation uses gives its register back. */
void jit_release(struct jit_maker *m, jit_value v, uint32_t now)
{
    if (v != JIT_NONE && m->now.reg[v] != NOWHERE && !(m->now.held >> m->now.reg[v] & 1) &&
        jit_next_use(m, v, now + 1) == UINT32_MAX) {
        m->now.free |= 1u << m->now.reg[v];
        m->now.reg[v] = NOWHERE;
    }
}

/* A call's operands are read before anything is lost; values that live on and would not survive it are moved. */
static void prepare_call(struct jit_maker *m, uint32_t i)
{
    for (unsigned r = 0; r < JIT_MAX_REGISTERS; r++) {
        if ((jit_host_registers & ~jit_host_kept & ~m->now.free) >> r & 1 &&
            jit_next_use(m, m->now.owner[r], i + 1) != UINT32_MAX)
            jit_give_up(m, r);
    }
}

/* The register for a result: that of an operand that ends here, where that is as good as another. */
static unsigned choose_result(struct jit_maker *m, uint32_t i, const unsigned *regs)
{
    const struct jit_inst *inst = &m->insts[i];
    const int phi = jit_loop_register(m, i);
    if (phi != NOWHERE)
        return (unsigned)phi;
    for (unsigned n = 0; n < jit_operand_count(inst->op); n++) {
        if (inst->op != JIT_CALL && jit_host_result_in(inst->op, n) && regs[n] != JIT_IN_MEMORY &&
            (m->now.free >> regs[n] & 1) && (!m->crosses_call[i] || !jit_host_kept || (jit_host_kept >> regs[n] & 1))) {
            m->now.free &= ~(1u << regs[n]);
            m->now.owner[regs[n]] = (uint16_t)i;
            m->now.reg[i] = (int8_t)regs[n];
            return regs[n];
        }
    }
    return take_register(m, (jit_value)i, i + 1);
}

/* A constant that is added is loaded to where the sum will be, which takes no more than bringing it to another
 * register. */
static bool is_put(const struct jit_maker *m, const struct jit_inst *inst)
{
    return jit_host_adds_in_place && (inst->op == JIT_FMA || inst->op == JIT_FMS || inst->op == JIT_FMA_HALF) &&
           m->insts[inst->c].op == JIT_CONST;
}

/* Or to a register of the emitter's own, where a factor would be lost. */
static void make_sum(struct jit_maker *m, const struct jit_inst *inst, unsigned d, const unsigned *regs)
{
    const unsigned sum = d == regs[0] || d == regs[1] ? 0 : d;
    jit_host_emit(m->buffer, &m->shape, &m->insts[inst->c], sum, 0, 0, 0, 0);
    jit_host_emit(m->buffer, &m->shape, inst, d, regs[0], regs[1], sum, 0);
}

/* Where a value lies that has no register. */
static struct jit_memory memory_of(const struct jit_maker *m, jit_value v)
{
    const struct jit_inst *inst = &m->insts[v];
    if (m->now.slot[v] != NO_SLOT)
        return (struct jit_memory){JIT_MEMORY_SLOT, m->now.slot[v]};
    return (struct jit_memory){inst->op == JIT_CONST ? JIT_MEMORY_CONST
                               : inst->op == JIT_ROW ? JIT_MEMORY_ROW
                                                     : JIT_MEMORY_SCALAR,
                               inst->imm};
}

/* The operand that is read where it lies, or as many as there are: of several the one whose next use is last, for the
 * others stay in the registers that they are brought to. */
static unsigned choose_memory(struct jit_maker *m, uint32_t i, unsigned operands)
{
    const struct jit_inst *inst = &m->insts[i];
    unsigned chosen = operands;
    uint32_t farthest = 0;
    for (unsigned n = 0; n < operands; n++) {
        const jit_value v = jit_operand(inst, n);
        bool is_twice = false;
        for (unsigned other = 0; other < operands; other++)
            is_twice |= other != n && jit_operand(inst, other) == v;
        if (v == JIT_NONE || is_twice || m->now.reg[v] != NOWHERE || !jit_host_reads(inst->op, n, memory_of(m, v).kind))
            continue;
        const uint32_t use = jit_next_use(m, v, i + 1);
        if (use >= farthest) {
            chosen = n;
            farthest = use;
        }
    }
    return chosen;
}

/* The registers of operands, but for one that is read in memory. */
static void bring_operands(struct jit_maker *m, uint32_t i, unsigned operands, unsigned *regs)
{
    const struct jit_inst *inst = &m->insts[i];
    const unsigned in_memory = choose_memory(m, i, operands);
    m->pinned = 0;
    for (unsigned n = 0; n < operands; n++) {
        const jit_value v = jit_operand(inst, n);
        if (n == in_memory)
            regs[n] = JIT_IN_MEMORY;
        else if (v != JIT_NONE)
            regs[n] = jit_bring(m, v, i);
    }
    if (in_memory < operands)
        m->buffer->memory = memory_of(m, jit_operand(inst, in_memory));
}

static void make_one(struct jit_maker *m, uint32_t i)
{
    const struct jit_inst *inst = &m->insts[i];
    const bool puts_sum = is_put(m, inst);
    unsigned regs[3] = {0}, operands = puts_sum ? 2 : jit_operand_count(inst->op);
    bring_operands(m, i, operands, regs);
    if (inst->op == JIT_CALL)
        prepare_call(m, i);
    if (inst->op == JIT_MISS) {
        jit_host_miss(m->buffer, inst->c, regs[0], inst->imm);
        jit_release(m, inst->a, i);
        return;
    }
    if (jit_is_result(inst)) {
        jit_host_emit(m->buffer, &m->shape, inst, 0, regs[0], 0, 0, jit_mask_of(m, inst));
        jit_release(m, inst->a, i);
        return;
    }
    for (unsigned n = 0; n < operands; n++)
        jit_release(m, jit_operand(inst, n), i);
    if (jit_is_write(inst)) {
        jit_host_emit(m->buffer, &m->shape, inst, 0, regs[0], regs[1], regs[2], 0);
        return;
    }
    const unsigned d = choose_result(m, i, regs);
    if (puts_sum) {
        make_sum(m, inst, d, regs);
        jit_release(m, inst->c, i);
        return;
    }
    jit_host_emit(m->buffer, &m->shape, inst, d, regs[0], regs[1], regs[2], jit_mask_of(m, inst));
}

/* An operation that may read a value where it lies takes a part of one that needs a register for it. */
#define WEIGHT_OF_USE 4u

static uint32_t weigh_use(const struct jit_maker *m, const struct jit_inst *inst, jit_value v)
{
    if (is_put(m, inst) && inst->a != v && inst->b != v)
        return 0;
    for (unsigned n = 0; n < jit_operand_count(inst->op); n++) {
        if (jit_operand(inst, n) == v && !jit_host_reads(inst->op, n, memory_of(m, v).kind))
            return WEIGHT_OF_USE;
    }
    return 1;
}

/* Uses that want a value in a register. */
static uint32_t count_uses(const struct jit_maker *m, uint32_t v)
{
    uint32_t uses = 0;
    for (uint32_t n = m->first_use[v]; n < m->first_use[v + 1]; n++)
        uses += weigh_use(m, &m->insts[m->uses[n]], (jit_value)v);
    return uses;
}

/* Constants and scalars are made once, as long as there are registers to keep them in: what is used most first. */
static void make_before_lanes(struct jit_maker *m)
{
    for (uint32_t usable = m->shape.has_calls ? jit_host_kept : jit_host_registers; m->spare && usable; m->spare--) {
        uint32_t best = 0, most = 0;
        for (uint32_t v = 0; v < m->count; v++) {
            if ((m->insts[v].op != JIT_CONST && m->insts[v].op != JIT_SPLAT) || m->now.reg[v] != NOWHERE)
                continue;
            const uint32_t uses = count_uses(m, v);
            if (uses > most) {
                best = v;
                most = uses;
            }
        }
        if (!most)
            break;
        unsigned reg = (unsigned)__builtin_ctz(usable);
        jit_host_emit(m->buffer, &m->shape, &m->insts[best], reg, 0, 0, 0, 0);
        m->now.reg[best] = (int8_t)reg;
        m->now.owner[reg] = (uint16_t)best;
        m->now.held |= 1u << reg;
        usable &= ~m->now.held;
    }
    m->now.free = jit_host_registers & ~m->now.held;
}

static void make_flow(struct jit_maker *m, uint32_t i)
{
    switch ((enum jit_op)m->insts[i].op) {
    case JIT_LOOP:
        jit_loop_begin(m);
        break;
    case JIT_LEAVE:
        jit_loop_leave(m, i);
        break;
    case JIT_STAY:
        jit_loop_stay(m, i);
        break;
    default:
        jit_loop_end(m);
    }
}

void jit_make_all(struct jit_maker *m)
{
    jit_host_begin(m->buffer, &m->shape);
    make_before_lanes(m);
    m->buffer->loop = m->buffer->at;
    for (uint32_t i = 0; i < m->count; i++) {
        if (jit_is_flow(&m->insts[i]))
            make_flow(m, i);
        /* Cheap values are made where they are used. */
        else if (m->is_used[i] && m->insts[i].op != JIT_PHI && !jit_is_cheap(m, (jit_value)i))
            make_one(m, i);
    }
    jit_host_end(m->buffer, &m->shape);
}
