/* Scheduling after allocation: copies, reloads and addresses that came with it stand next to the instructions that need
 * them and make it wait. Within a stretch that nothing may leave, instructions are ordered anew by what registers
 * allow: no register is read before it is written, none overwritten before it is read. An order is taken where it is
 * shorter for one wave than the one that was there. */
#include <string.h>

#include "amd/compiler/estimate.h"
#include "amd/compiler/schedule.h"
#include "util/bits.h"

enum {
    REGS = 512,
    MAX_STRETCH = 512,
    SHORT_STRETCH = 3, /* nothing to gain */
};

struct edge {
    struct edge *next;
    uint32_t to, latency;
};

struct node {
    struct mir_instr *instr;
    struct edge *succs;
    uint32_t num_preds, height, ready;
    struct estimate time;
    uint8_t clause;
};

/* Which instruction wrote a register last in this stretch, and which have read it since. */
struct history {
    uint32_t writer; /* node + 1 */
    struct edge *readers;
};

struct scheduler {
    struct mir_program *program;
    struct arena arena; /* of a stretch */
    struct node *nodes;
    uint32_t count;
    struct history *regs;
};

static void *alloc_array(struct scheduler *scheduler, size_t size_B)
{
    void *memory = arena_zalloc(&scheduler->arena, size_B);
    if (!memory) {
        arena_finish(&scheduler->arena);
        amd_mir_fail(scheduler->program, "out of memory");
    }
    return memory;
}

static void add_edge(struct scheduler *scheduler, uint32_t from, uint32_t to, uint32_t latency)
{
    if (from == to)
        return;
    struct edge *edge = alloc_array(scheduler, sizeof(*edge));
    *edge = (struct edge){scheduler->nodes[from].succs, to, latency};
    scheduler->nodes[from].succs = edge;
    scheduler->nodes[to].num_preds++;
}

/* ---- registers ---- */

static void read_register(struct scheduler *scheduler, uint32_t node, unsigned reg)
{
    struct history *history = &scheduler->regs[reg];
    if (history->writer)
        add_edge(scheduler, history->writer - 1, node, scheduler->nodes[history->writer - 1].time.ready);
    struct edge *reader = alloc_array(scheduler, sizeof(*reader));
    *reader = (struct edge){history->readers, node, 0};
    history->readers = reader;
}

static void write_register(struct scheduler *scheduler, uint32_t node, unsigned reg)
{
    struct history *history = &scheduler->regs[reg];
    for (const struct edge *reader = history->readers; reader; reader = reader->next)
        add_edge(scheduler, reader->to, node, 0);
    if (history->writer)
        add_edge(scheduler, history->writer - 1, node, 1);
    *history = (struct history){.writer = node + 1};
}

/* State that an instruction reads or writes without naming it. */
static void touch_state(struct scheduler *scheduler, uint32_t node, unsigned state,
                        void (*touch)(struct scheduler *, uint32_t, unsigned))
{
    if (state & ISA_STATE_SCC)
        touch(scheduler, node, MIR_REG_SCC);
    if (state & ISA_STATE_M0)
        touch(scheduler, node, MIR_REG_M0);
    for (unsigned i = 0; state & ISA_STATE_VCC && i < 2; i++)
        touch(scheduler, node, MIR_REG_VCC + i);
}

static void order_registers(struct scheduler *scheduler, uint32_t node)
{
    const struct mir_instr *instr = scheduler->nodes[node].instr;
    const struct isa_op_info *info = isa_info(instr->op);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        for (unsigned j = 0; operand->kind == MIR_REG && j < operand->dwords; j++)
            read_register(scheduler, node, operand->reg + j);
    }
    touch_state(scheduler, node, info->reads, read_register);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        for (unsigned j = 0; instr->defs[i].reg != MIR_REG_NULL && j < instr->defs[i].dwords; j++)
            write_register(scheduler, node, instr->defs[i].reg + j);
    }
    touch_state(scheduler, node, info->writes, write_register);
}

/* ---- memory ---- */

static void order_memory(struct scheduler *scheduler, struct history kinds[SCHED_KINDS], uint32_t node)
{
    bool writes;
    unsigned touched = amd_sched_memory_of(scheduler->nodes[node].instr, &writes);
    for (unsigned k = 0; k < SCHED_KINDS; k++) {
        struct history *history = &kinds[k];
        if (!(touched >> k & 1))
            continue;
        if (history->writer)
            add_edge(scheduler, history->writer - 1, node, 1);
        for (const struct edge *reader = history->readers; writes && reader; reader = reader->next)
            add_edge(scheduler, reader->to, node, 1);
        if (writes) {
            *history = (struct history){.writer = node + 1};
        } else {
            struct edge *reader = alloc_array(scheduler, sizeof(*reader));
            *reader = (struct edge){history->readers, node, 0};
            history->readers = reader;
        }
    }
}

static void build_graph(struct scheduler *scheduler)
{
    struct history kinds[SCHED_KINDS] = {0};
    memset(scheduler->regs, 0, REGS * sizeof(*scheduler->regs));
    for (uint32_t n = 0; n < scheduler->count; n++) {
        order_registers(scheduler, n);
        order_memory(scheduler, kinds, n);
    }
    for (uint32_t n = scheduler->count; n-- > 0;) {
        struct node *node = &scheduler->nodes[n];
        node->height = node->time.ready;
        for (const struct edge *edge = node->succs; edge; edge = edge->next)
            node->height = MAX2(node->height, edge->latency + scheduler->nodes[edge->to].height);
    }
}

/* ---- order ---- */

/* One wave's time: an instruction begins when its operands are there and its unit is free. */
struct clock {
    uint32_t now, free[ESTIMATE_UNITS];
};

static uint32_t begin_at(const struct clock *clock, const struct node *node)
{
    return MAX2(MAX2(clock->now, node->ready), clock->free[node->time.unit]);
}

static void run_node(struct scheduler *scheduler, struct clock *clock, const struct node *node)
{
    uint32_t at = begin_at(clock, node);
    bool twice = scheduler->program->wave_size == 64 && node->time.unit == ESTIMATE_VALU;
    clock->free[node->time.unit] = at + node->time.issue;
    clock->now = at + (twice ? 2 : 1);
    for (const struct edge *edge = node->succs; edge; edge = edge->next) {
        struct node *next = &scheduler->nodes[edge->to];
        next->ready = MAX2(next->ready, at + edge->latency);
    }
}

static uint32_t time_of_order(struct scheduler *scheduler, const uint32_t *order)
{
    struct clock clock = {0};
    for (uint32_t n = 0; n < scheduler->count; n++)
        scheduler->nodes[n].ready = 0;
    for (uint32_t i = 0; i < scheduler->count; i++)
        run_node(scheduler, &clock, &scheduler->nodes[order[i]]);
    uint32_t end = clock.now;
    for (uint32_t n = 0; n < scheduler->count; n++) /* what is still in flight is waited for at the end */
        end = MAX2(end, scheduler->nodes[n].ready);
    return end;
}

static bool is_better(const struct node *a, const struct node *b, uint32_t a_at, uint32_t b_at, unsigned clause)
{
    bool a_joins = clause && a->clause == clause, b_joins = clause && b->clause == clause;
    if (a_joins != b_joins)
        return a_joins;
    if (a_at != b_at)
        return a_at < b_at;
    return a->height > b->height;
}

static void find_order(struct scheduler *scheduler, uint32_t *order)
{
    uint32_t *ready = alloc_array(scheduler, scheduler->count * sizeof(*ready)), num_ready = 0, done = 0;
    struct clock clock = {0};
    unsigned clause = 0;
    for (uint32_t n = 0; n < scheduler->count; n++) {
        if (scheduler->nodes[n].num_preds == 0)
            ready[num_ready++] = n;
    }
    while (num_ready) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < num_ready; i++) {
            const struct node *a = &scheduler->nodes[ready[i]], *b = &scheduler->nodes[ready[best]];
            uint32_t a_at = begin_at(&clock, a), b_at = begin_at(&clock, b);
            if (is_better(a, b, a_at, b_at, clause) || (!is_better(b, a, b_at, a_at, clause) && ready[i] < ready[best]))
                best = i;
        }
        uint32_t chosen = ready[best];
        struct node *node = &scheduler->nodes[chosen];
        ready[best] = ready[--num_ready];
        order[done++] = chosen;
        clause = node->clause;
        run_node(scheduler, &clock, node);
        for (const struct edge *edge = node->succs; edge; edge = edge->next) {
            if (--scheduler->nodes[edge->to].num_preds == 0)
                ready[num_ready++] = edge->to;
        }
    }
}

/* ---- stretches ---- */

static bool is_border(const struct mir_instr *instr)
{
    if (amd_sched_is_fence(instr) || mir_is_pseudo(instr) || instr->op == ISA_OP_S_GETPC_B64 ||
        instr->pass_flags & MIR_FLAG_CONST_ADDR)
        return true;
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].reg >= MIR_REG_EXEC && instr->defs[i].reg < MIR_REG_EXEC + 2)
            return true;
    }
    return false;
}

static void schedule_stretch(struct scheduler *scheduler, struct list *first, struct list *end, uint32_t count)
{
    arena_reset(&scheduler->arena);
    scheduler->count = count;
    scheduler->nodes = alloc_array(scheduler, count * sizeof(*scheduler->nodes));
    uint32_t *order = alloc_array(scheduler, count * sizeof(*order)),
             *written = alloc_array(scheduler, count * sizeof(*written));
    uint32_t n = 0;
    for (struct list *link = first; link != end; link = link->next, n++) {
        struct mir_instr *instr = container_of(link, struct mir_instr, link);
        scheduler->nodes[n] = (struct node){.instr = instr,
                                            .time = estimate_of(instr->op, scheduler->program->wave_size),
                                            .clause = (uint8_t)amd_sched_clause_of(instr)};
        written[n] = n;
    }
    build_graph(scheduler);
    find_order(scheduler, order);
    if (time_of_order(scheduler, order) >= time_of_order(scheduler, written))
        return;
    struct list *before = first->prev;
    for (uint32_t i = 0; i < count; i++) {
        struct mir_instr *instr = scheduler->nodes[order[i]].instr;
        list_remove(&instr->link);
        list_insert_after(before, &instr->link);
        before = &instr->link;
    }
}

void amd_mir_schedule_allocated(struct mir_program *program)
{
    struct scheduler scheduler = {.program = program};
    scheduler.regs = amd_mir_alloc(program, REGS * sizeof(*scheduler.regs));
    mir_foreach_block(program, block)
    {
        for (struct list *link = block->instrs.next; link != &block->instrs;) {
            struct list *first = link;
            uint32_t count = 0;
            while (link != &block->instrs && count < MAX_STRETCH &&
                   !is_border(container_of(link, struct mir_instr, link))) {
                link = link->next;
                count++;
            }
            if (count >= SHORT_STRETCH)
                schedule_stretch(&scheduler, first, link, count);
            else if (count == 0)
                link = link->next;
        }
    }
    arena_finish(&scheduler.arena);
}
