/* Spilling, the second half: which of the values that were given up share a place, and the loads and stores. A value
 * is stored where it is written and loaded before each use. A phi is a place that its operands are stored to at the
 * ends of the ways that it comes by; an operand that is in memory, too, is in the same place where the two are never
 * alive at once, so that nothing is copied. */
#include "compiler/machine/spill.h"

#include <string.h>

#include "util/bits.h"

#define NO_PLACE UINT32_MAX

/* A place is named by one of the values that share it, or by `num_temps` and one that has left the others. */
struct memory {
    struct spill *spill;
    struct mach_program *program;
    uint32_t *place;           /* by temporary */
    uint32_t *slot;            /* by place, in dwords */
    struct mach_instr **maker; /* by temporary: what is repeated */
    uint32_t *alive;           /* by place: values of it that are alive */
    bool *is_alive;            /* by temporary */
    uint32_t *readers;         /* by place: copies of this edge that still read it */
    uint32_t *writer;          /* by place: the copy of this edge that writes it, + 1 */
    mach_temp *saved;          /* by place: a register that has its value from before */
    struct edge_copy *copies;  /* to memory, of one edge */
    uint32_t *ready, num_copies, num_ready;
};

struct edge_copy {
    mach_temp to;
    const struct mach_operand *from;
    bool is_done;
};

static bool is_given_up(const struct memory *m, mach_temp temp)
{
    return temp && temp < m->spill->num_temps && m->spill->is_given_up[temp];
}

static bool is_in_memory(const struct memory *m, mach_temp temp)
{
    return spill_is_in_memory(m->spill, temp);
}

/* ---- places ---- */

static uint32_t place_of(struct memory *m, mach_temp temp)
{
    for (; m->place[temp] != temp; temp = m->place[temp])
        m->place[temp] = m->place[m->place[temp]];
    return temp;
}

static void join_phis(struct memory *m)
{
    mach_foreach_block(m->program, block)
    {
        mach_foreach_instr(block, phi)
        {
            if (phi->op != MACH_P_PHI)
                break;
            for (unsigned i = 0; i < phi->num_operands && spill_is_memory_phi(m->spill, phi); i++) {
                if (phi->operands[i].kind == MACH_TEMP && is_in_memory(m, phi->operands[i].temp))
                    m->place[place_of(m, phi->operands[i].temp)] = place_of(m, phi->defs[0].temp);
            }
        }
    }
    for (mach_temp temp = 0; temp < m->spill->num_temps; temp++)
        m->place[temp] = place_of(m, temp);
}

static void begin_temp(struct memory *m, mach_temp temp)
{
    if (!is_in_memory(m, temp) || m->is_alive[temp])
        return;
    m->is_alive[temp] = true;
    m->alive[m->place[temp]]++;
}

static void end_temp(struct memory *m, mach_temp temp)
{
    if (!is_in_memory(m, temp) || !m->is_alive[temp])
        return;
    m->is_alive[temp] = false;
    m->alive[m->place[temp]]--;
}

/* Two values are in each other's way where one is alive when the other is written: then this one leaves. */
static void write_result(struct memory *m, const struct mach_def *def)
{
    const mach_temp temp = def->temp;
    if (!is_in_memory(m, temp) || def->is_dead)
        return;
    if (m->alive[m->place[temp]])
        m->place[temp] = temp + m->spill->num_temps;
    begin_temp(m, temp);
}

static void separate_places(struct memory *m)
{
    mach_foreach_block(m->program, block)
    {
        live_foreach(&m->program->live, in, block->index, temp) begin_temp(m, temp);
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_operands && instr->op != MACH_P_PHI; i++) {
                if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].is_kill)
                    end_temp(m, instr->operands[i].temp);
            }
            for (unsigned i = 0; i < instr->num_defs; i++)
                write_result(m, &instr->defs[i]);
        }
        live_foreach(&m->program->live, out, block->index, temp) end_temp(m, temp);
    }
}

static uint32_t slot_of(const struct memory *m, mach_temp temp)
{
    return m->slot[m->place[temp]];
}

/* ---- loads and stores ---- */

static void store_temp(struct memory *m, struct list *before, mach_temp value, mach_temp to)
{
    m->program->machine->access_spill(m->program, before, true, value, slot_of(m, to));
    m->program->spills++;
}

static struct mach_instr *copy_instr(struct memory *m, struct list *before, const struct mach_instr *from)
{
    struct mach_builder builder = {m->program, before};
    struct mach_instr *copy = mach_new_instr(&builder, from->op, 1, from->num_operands);
    const struct mach_instr fresh = *copy;
    *copy = *from;
    copy->link = fresh.link;
    copy->isa = fresh.isa;
    copy->defs = fresh.defs;
    copy->operands = fresh.operands;
    copy->is_spill = true;
    copy->defs[0] = from->defs[0];
    memcpy(copy->operands, from->operands, from->num_operands * sizeof(*copy->operands));
    memcpy(copy->isa, from->isa, m->program->machine->template_B);
    return copy;
}

static mach_temp load_temp(struct memory *m, struct list *before, mach_temp temp)
{
    const mach_temp copy = mach_new_temp(m->program, m->program->temps[temp].class);
    m->program->temps[copy].is_spilled = true;
    if (m->spill->is_repeated[temp]) {
        copy_instr(m, before, m->maker[temp])->defs[0].temp = copy;
    } else {
        m->program->machine->access_spill(m->program, before, false, copy, slot_of(m, temp));
        m->program->spills++;
    }
    return copy;
}

/* ---- instructions ---- */

static void load_operands(struct memory *m, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mach_operand *operand = &instr->operands[i];
        if (operand->kind != MACH_TEMP || !is_given_up(m, operand->temp))
            continue;
        const mach_temp temp = operand->temp;
        operand->temp = load_temp(m, &instr->link, temp);
        for (unsigned j = i + 1; j < instr->num_operands; j++) {
            if (instr->operands[j].kind == MACH_TEMP && instr->operands[j].temp == temp)
                instr->operands[j].temp = operand->temp;
        }
    }
}

static void store_results(struct memory *m, struct list *before, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (is_in_memory(m, instr->defs[i].temp))
            store_temp(m, before, instr->defs[i].temp, instr->defs[i].temp);
    }
}

/* New instructions stand where the walk has been, but for the stores of inputs, which come last. */
static void rewrite_block(struct memory *m, struct mach_block *block)
{
    for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
        struct mach_instr *instr = container_of(link, struct mach_instr, link);
        next = link->next;
        if (instr->op == MACH_P_PHI || instr->op == MACH_P_START)
            continue;
        load_operands(m, instr);
        store_results(m, next, instr);
        if (instr->num_defs && m->maker[instr->defs[0].temp] == instr)
            list_remove(&instr->link);
    }
    mach_foreach_instr(block, instr)
    {
        if (instr->op == MACH_P_START)
            store_results(m, (m->program->spill_begin ? m->program->spill_begin : instr)->link.next, instr);
    }
}

/* ---- edges ---- */

/* The place that a copy reads; NO_PLACE: it reads none. */
static uint32_t place_read(const struct memory *m, const struct edge_copy *copy)
{
    return copy->from->kind == MACH_TEMP && is_in_memory(m, copy->from->temp) ? m->place[copy->from->temp] : NO_PLACE;
}

static void collect_copies(struct memory *m, const struct mach_block *to, unsigned pred, struct list *before)
{
    m->num_copies = m->num_ready = 0;
    mach_foreach_instr(to, phi)
    {
        if (phi->op != MACH_P_PHI)
            break;
        struct mach_operand *operand = &phi->operands[pred];
        const mach_temp temp = phi->defs[0].temp;
        if (!spill_is_memory_phi(m->spill, phi)) {
            if (operand->kind == MACH_TEMP && is_given_up(m, operand->temp))
                operand->temp = load_temp(m, before, operand->temp);
            continue;
        }
        struct edge_copy copy = {.to = temp, .from = operand};
        const uint32_t from = place_read(m, &copy);
        if (phi->defs[0].is_dead || operand->kind == MACH_UNDEF || from == m->place[temp])
            continue;
        m->copies[m->num_copies++] = copy;
        m->writer[m->place[temp]] = m->num_copies;
        if (from != NO_PLACE)
            m->readers[from]++;
    }
}

static mach_temp source_temp(struct memory *m, const struct edge_copy *copy, struct list *before)
{
    const uint32_t place = place_read(m, copy);
    if (place != NO_PLACE && m->saved[place])
        return m->saved[place];
    if (copy->from->kind == MACH_TEMP)
        return is_given_up(m, copy->from->temp) ? load_temp(m, before, copy->from->temp) : copy->from->temp;
    struct mach_builder builder = {m->program, before};
    struct mach_instr *number = mach_new_instr(&builder, MACH_P_COPY, 1, 1);
    number->operands[0] = *copy->from;
    number->defs[0].temp = mach_new_temp(m->program, m->program->temps[copy->to].class);
    m->program->temps[number->defs[0].temp].is_spilled = true;
    return number->defs[0].temp;
}

/* One copy, and then all that it was in the way of. */
static void put_copies(struct memory *m, uint32_t first, struct list *before)
{
    m->ready[m->num_ready++] = first;
    while (m->num_ready) {
        struct edge_copy *copy = &m->copies[m->ready[--m->num_ready]];
        const uint32_t place = place_read(m, copy);
        store_temp(m, before, source_temp(m, copy, before), copy->to);
        copy->is_done = true;
        m->writer[m->place[copy->to]] = 0;
        if (place != NO_PLACE && !m->saved[place] && --m->readers[place] == 0 && m->writer[place])
            m->ready[m->num_ready++] = m->writer[place] - 1;
    }
}

/* First copies that overwrite nothing that is still read, then the cycles, each with one value kept in a register. */
static void order_copies(struct memory *m, struct list *before)
{
    for (uint32_t i = 0; i < m->num_copies; i++) {
        if (!m->copies[i].is_done && !m->readers[m->place[m->copies[i].to]])
            put_copies(m, i, before);
    }
    for (uint32_t i = 0; i < m->num_copies; i++) {
        const uint32_t place = m->place[m->copies[i].to];
        if (m->copies[i].is_done)
            continue;
        m->saved[place] = load_temp(m, before, m->copies[i].to);
        put_copies(m, i, before);
        m->saved[place] = 0;
        m->readers[place] = 0;
    }
}

static void rewrite_edges(struct memory *m, struct mach_block *to)
{
    for (uint32_t i = 0; i < to->num_preds; i++) {
        struct list *before = m->program->blocks[to->preds[i]].instrs.prev;
        collect_copies(m, to, i, before);
        order_copies(m, before);
    }
    for (struct list *link = to->instrs.next, *next; link != &to->instrs; link = next) {
        struct mach_instr *phi = container_of(link, struct mach_instr, link);
        next = link->next;
        if (phi->op != MACH_P_PHI)
            break;
        if (spill_is_memory_phi(m->spill, phi))
            list_remove(&phi->link);
    }
}

/* ---- the program ---- */

/* Instructions that are repeated, and the most phis of a block. */
static uint32_t find_makers(struct memory *m)
{
    uint32_t most = 0;
    mach_foreach_block(m->program, block)
    {
        uint32_t phis = 0;
        mach_foreach_instr(block, instr)
        {
            phis += instr->op == MACH_P_PHI;
            if (instr->num_defs == 1 && is_given_up(m, instr->defs[0].temp) &&
                m->spill->is_repeated[instr->defs[0].temp])
                m->maker[instr->defs[0].temp] = instr;
        }
        most = MAX2(most, phis);
    }
    return most;
}

void mach_spill_rewrite(struct spill *spill)
{
    struct mach_program *program = spill->program;
    const size_t temps = spill->num_temps, places = 2 * temps;
    struct memory m = {.spill = spill, .program = program};
    m.place = mach_alloc(program, temps * sizeof(*m.place));
    m.slot = mach_alloc(program, places * sizeof(*m.slot));
    m.maker = mach_alloc(program, temps * sizeof(struct mach_instr *));
    m.alive = mach_alloc(program, places * sizeof(*m.alive));
    m.is_alive = mach_alloc(program, temps * sizeof(*m.is_alive));
    m.readers = mach_alloc(program, places * sizeof(*m.readers));
    m.writer = mach_alloc(program, places * sizeof(*m.writer));
    m.saved = mach_alloc(program, places * sizeof(*m.saved));
    for (mach_temp temp = 0; temp < temps; temp++) {
        m.place[temp] = temp;
        program->temps[temp].is_spilled |= spill->is_given_up[temp];
    }
    const uint32_t most = find_makers(&m);
    m.copies = mach_alloc(program, most * sizeof(*m.copies));
    m.ready = mach_alloc(program, (most + 1) * sizeof(*m.ready));
    join_phis(&m);
    separate_places(&m);
    mach_spill_assign_slots(spill, m.place, (uint32_t)places, m.slot);
    mach_foreach_block(program, block) rewrite_block(&m, block);
    mach_foreach_block(program, block)
    {
        if (block->num_preds > 1)
            rewrite_edges(&m, block);
    }
}
