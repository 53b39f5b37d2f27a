/* Registers of a loop. Each value that comes into it, and each one that its rounds hand on (a phi), has a place for all
 * rounds: a register, for those that are used most, or a slot on the stack. So a round ends with the places that it
 * began with. After a way out everything is as it was before it. */
#include <string.h>

#include "model/jit_maker.h"

/* Values that are made before the loop and used in it. */
static bool comes_in(const struct jit_maker *m, uint32_t v)
{
    return v < m->loop && m->is_used[v] && m->first_use[v + 1] > m->first_use[v] &&
           m->uses[m->first_use[v + 1] - 1] > m->loop;
}

static bool is_phi(const struct jit_maker *m, uint32_t v)
{
    return v > m->loop && v <= m->loop + m->phi_count;
}

static uint32_t uses_inside(const struct jit_maker *m, uint32_t v)
{
    uint32_t count = 0;
    for (uint32_t n = m->first_use[v]; n < m->first_use[v + 1]; n++)
        count += m->uses[n] > m->loop;
    return count;
}

/* The most values that a round makes and has at once. */
static uint32_t pressure_inside(const struct jit_maker *m)
{
    uint32_t alive = 0, most = 0;
    uint16_t ends[LIMIT + 1];
    memset(ends, 0, (m->count + 1) * sizeof(ends[0]));
    for (uint32_t v = m->loop + m->phi_count + 1; v < m->count; v++) {
        alive -= ends[v];
        if (m->is_used[v] && m->first_use[v + 1] > m->first_use[v] && !jit_is_cheap(m, (jit_value)v)) {
            ends[m->uses[m->first_use[v + 1] - 1]]++;
            alive++;
        }
        most = alive > most ? alive : most;
    }
    return most;
}

/* Values that the loop needs go to slots, and the registers are free but for those of all lanes. */
static void clear_registers(struct jit_maker *m)
{
    for (unsigned r = 0; r < JIT_MAX_REGISTERS; r++) {
        if (!((jit_host_registers & ~m->now.held & ~m->now.free) >> r & 1))
            continue;
        const jit_value v = m->now.owner[r];
        if (jit_next_use(m, v, m->loop) != UINT32_MAX)
            jit_give_up(m, r);
        m->now.reg[v] = NOWHERE;
        m->now.free |= 1u << r;
    }
}

/* A register for all rounds. */
static void hold_register(struct jit_maker *m, jit_value v, unsigned reg)
{
    jit_copy_to(m, is_phi(m, v) ? m->insts[v].a : v, reg);
    m->now.reg[v] = (int8_t)reg;
    m->now.owner[reg] = v;
    m->now.held |= 1u << reg;
    m->now.free &= ~(1u << reg);
}

/* The most used ones, as long as the rest of a round has enough. */
static void hold_most_used(struct jit_maker *m)
{
    const uint32_t needed = pressure_inside(m) + 3; /* what is had again takes some, too */
    uint32_t usable = (m->shape.has_calls ? jit_host_kept : jit_host_registers) & m->now.free;
    uint16_t weights[LIMIT];
    for (uint32_t v = 0; v <= m->loop + m->phi_count; v++) {
        const bool fits = m->now.reg[v] == NOWHERE && (is_phi(m, v) ? m->is_used[v] : comes_in(m, v));
        weights[v] = fits ? (uint16_t)(uses_inside(m, v) + (is_phi(m, v) ? 2 : 0)) : 0;
    }
    while (usable && (uint32_t)__builtin_popcount(m->now.free) > needed) {
        uint32_t best = 0;
        for (uint32_t v = 1; v <= m->loop + m->phi_count; v++)
            best = weights[v] > weights[best] ? v : best;
        if (!weights[best])
            break;
        hold_register(m, (jit_value)best, (unsigned)__builtin_ctz(usable));
        usable &= m->now.free;
        weights[best] = 0;
    }
}

void jit_loop_begin(struct jit_maker *m)
{
    clear_registers(m);
    hold_most_used(m);
    for (uint32_t v = m->loop + 1; v <= m->loop + m->phi_count; v++) {
        if (!m->is_used[v] || m->now.reg[v] != NOWHERE)
            continue;
        m->pinned = 0;
        const unsigned reg = jit_bring(m, m->insts[v].a, m->loop);
        m->now.slot[v] = (uint16_t)m->shape.slot_count++;
        jit_host_spill(m->buffer, m->now.slot[v], reg);
        jit_release(m, m->insts[v].a, m->loop);
    }
    clear_registers(m);
    jit_host_round(m->buffer);
    m->buffer->round = m->buffer->at;
}

/* ---- ways out ---- */

/* Of as many values as there are. */
static void copy_places(const struct jit_maker *m, struct jit_places *to, const struct jit_places *from)
{
    memcpy(to->reg, from->reg, m->count);
    memcpy(to->slot, from->slot, m->count * sizeof(to->slot[0]));
    memcpy(to->owner, from->owner, sizeof(to->owner));
    to->free = from->free;
    to->held = from->held;
}

void jit_loop_leave(struct jit_maker *m, uint32_t i)
{
    const struct jit_inst *inst = &m->insts[i];
    m->pinned = 0;
    const unsigned reg = jit_bring(m, inst->a, i);
    m->leave = jit_host_leave(m->buffer, inst->c, reg);
    m->leave_number = inst->imm;
    jit_release(m, inst->a, i);
    copy_places(m, &m->kept, &m->now);
    m->kept_masks = m->buffer->masks;
}

void jit_loop_stay(struct jit_maker *m, uint32_t i)
{
    jit_host_stay(m->buffer, m->leave, m->leave_number);
    copy_places(m, &m->now, &m->kept);
    m->buffer->masks = m->kept_masks;
    for (unsigned r = 0; r < JIT_MAX_REGISTERS; r++) {
        if ((jit_host_registers & ~m->now.held & ~m->now.free) >> r & 1)
            jit_release(m, m->now.owner[r], i);
    }
}

/* ---- the next round ---- */

int jit_loop_register(struct jit_maker *m, uint32_t i)
{
    const jit_value phi = jit_is_in_loop(m, i) ? m->phi_of[i] : JIT_NONE;
    if (phi == JIT_NONE || m->now.reg[phi] == NOWHERE || !m->is_used[phi] || jit_next_use(m, phi, i + 1) != UINT32_MAX)
        return NOWHERE;
    const int reg = m->now.reg[phi];
    if (!(m->now.held >> reg & 1))
        return NOWHERE;
    m->now.reg[phi] = NOWHERE;
    m->now.reg[i] = (int8_t)reg;
    m->now.owner[reg] = (uint16_t)i;
    return reg;
}

static void hand_on(struct jit_maker *m, jit_value phi, unsigned from)
{
    if (m->now.slot[phi] != NO_SLOT)
        jit_host_spill(m->buffer, m->now.slot[phi], from);
    else
        jit_host_move(m->buffer, (unsigned)m->now.reg[phi], from);
}

/* Whether the next value is in the phi's place already. */
static bool is_in_place(const struct jit_maker *m, jit_value phi)
{
    return !m->is_used[phi] || m->insts[phi].b == phi || (m->now.reg[phi] == NOWHERE && m->now.slot[phi] == NO_SLOT);
}

/* Phis whose next values are other phis change places by way of slots of their own. These are taken before a value that
 * is brought to a register takes one for another that gives way. */
void jit_loop_end(struct jit_maker *m)
{
    const uint32_t first = m->loop + 1, end = first + m->phi_count;
    uint32_t to_slot = m->shape.slot_count, slot = to_slot;
    m->shape.slot_count += m->phi_count;
    jit_host_settle(m->buffer, jit_host_registers);
    for (uint32_t v = first; v < end; v++) {
        if (is_in_place(m, (jit_value)v) || !is_phi(m, m->insts[v].b))
            continue;
        m->pinned = 0;
        jit_host_spill(m->buffer, to_slot++, jit_bring(m, m->insts[v].b, m->again));
    }
    for (uint32_t v = first; v < end; v++) {
        if (is_in_place(m, (jit_value)v) || is_phi(m, m->insts[v].b))
            continue;
        m->pinned = 0;
        hand_on(m, (jit_value)v, jit_bring(m, m->insts[v].b, m->again)); /* which another phi may have, too */
    }
    for (uint32_t v = first; v < end; v++) {
        if (is_in_place(m, (jit_value)v) || !is_phi(m, m->insts[v].b))
            continue;
        jit_host_reload(m->buffer, slot++, 0);
        hand_on(m, (jit_value)v, 0);
    }
    jit_host_again(m->buffer, &m->shape);
}
