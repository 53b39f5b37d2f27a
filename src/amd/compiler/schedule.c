/* Scheduling before allocation: within each stretch of a block that nothing may leave, instructions are put into an
 * order in which long latencies overlap, as far as registers allow.
 *
 * A list scheduler that counts cycles. Among the instructions whose operands are there, the one with the longest way to
 * the end of the stretch goes first; loads of one kind follow each other, for clauses. Where registers run short, what
 * frees most goes first. Registers run short at the largest number with which as many waves fit on a SIMD as with the
 * order that selection wrote: latency is never bought with occupancy. An order that still needs more is thrown away. */
#include <string.h>

#include "amd/compiler/estimate.h"
#include "amd/compiler/liveness.h"
#include "amd/compiler/schedule.h"
#include "util/bits.h"

#define MAX_STRETCH 2048

struct node {
    struct mir_instr *instr;
    struct edge *succs;
    uint32_t num_preds; /* that are not scheduled yet */
    uint32_t height;    /* cycles from its start to the end of the stretch */
    uint32_t ready;     /* cycle at which its operands are there */
    uint32_t index;     /* in the original order */
    struct edge *needs; /* constants that are made just before it */
    struct estimate time;
    uint8_t clause;
    bool lazy; /* a constant: made where it is first needed */
    bool done;
};

struct edge {
    struct edge *next;
    uint32_t to;
    uint32_t latency;
};

struct scheduler {
    struct mir_program *program;
    struct arena arena; /* of a stretch */
    struct node *nodes;
    uint32_t count;
    uint32_t *ready;
    uint32_t num_ready;
    uint32_t *writer;  /* by temporary: node + 1 that writes it in this stretch */
    uint16_t *left;    /* by temporary: operands of this block that still read it */
    uint8_t *lives_on; /* by temporary: alive after the block */
    int sgprs, vgprs, limit_sgprs, limit_vgprs, max_sgprs, max_vgprs;
};

/* ---- what may not be moved ---- */

static bool is_border(const struct mir_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].fixed && instr->defs[i].reg != MIR_REG_SCC)
            return true;
    }
    for (unsigned i = 0; mir_is_pseudo(instr) && i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_REG)
            return true; /* a copy of exec */
    }
    return amd_sched_is_fence(instr);
}

bool amd_sched_is_fence(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return !mir_is_movable_pseudo(instr);
    const struct isa_op_info *info = isa_info(instr->op);
    if (info->writes & MIR_FENCE_STATE)
        return true;
    if (info->reads & ISA_STATE_HWREG || info->properties & (ISA_PROP_TIME | ISA_PROP_CACHE_INV | ISA_PROP_GWS))
        return true;
    return info->format == ISA_FORMAT_SOPP || info->format == ISA_FORMAT_EXP || (instr->sync & MIR_SYNC_VOLATILE);
}

#define SYNC_KINDS (MIR_SYNC_BUFFER | MIR_SYNC_IMAGE | MIR_SYNC_SHARED | MIR_SYNC_SCRATCH)

unsigned amd_sched_memory_of(const struct mir_instr *instr, bool *writes)
{
    *writes = false;
    if (mir_is_pseudo(instr))
        return 0;
    const struct isa_op_info *info = isa_info(instr->op);
    if (info->memory == ISA_MEMORY_NONE || info->properties & ISA_PROP_CROSS_LANE || instr->sync & MIR_SYNC_CAN_REORDER)
        return 0;
    *writes = info->memory != ISA_MEMORY_LOAD;
    unsigned kinds = instr->sync & SYNC_KINDS;
    return kinds ? kinds : SYNC_KINDS;
}

unsigned amd_sched_clause_of(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return 0;
    const struct isa_op_info *info = isa_info(instr->op);
    return info->memory == ISA_MEMORY_LOAD && info->format != ISA_FORMAT_DS ? 1 + info->format : 0;
}

/* ---- the graph ---- */

static void *alloc_array(struct scheduler *scheduler, size_t size_B)
{
    void *memory = arena_zalloc(&scheduler->arena, size_B ? size_B : 1);
    if (!memory) {
        arena_finish(&scheduler->arena);
        amd_mir_fail(scheduler->program, "out of memory");
    }
    return memory;
}

static void add_edge(struct scheduler *scheduler, uint32_t from, uint32_t to, uint32_t latency)
{
    struct edge *edge = alloc_array(scheduler, sizeof(*edge));
    if (from == to)
        return;
    *edge = (struct edge){scheduler->nodes[from].succs, to, latency};
    scheduler->nodes[from].succs = edge;
    scheduler->nodes[to].num_preds++;
}

static void add_need(struct scheduler *scheduler, uint32_t node, uint32_t constant)
{
    struct edge *edge = alloc_array(scheduler, sizeof(*edge));
    *edge = (struct edge){scheduler->nodes[node].needs, constant, 0};
    scheduler->nodes[node].needs = edge;
}

static bool is_constant(const struct mir_instr *instr)
{
    bool plain =
        (instr->op == MIR_P_COPY || instr->op == MIR_P_VECTOR) && instr->num_defs == 1 && !instr->defs[0].fixed;
    for (unsigned i = 0; plain && i < instr->num_operands; i++)
        plain = instr->operands[i].kind == MIR_CONST || instr->operands[i].kind == MIR_UNDEF;
    return plain;
}

static struct estimate time_of(const struct scheduler *scheduler, const struct mir_instr *instr)
{
    if (!mir_is_pseudo(instr))
        return estimate_of(instr->op, scheduler->program->wave_size);
    /* most of these cost nothing once registers are well chosen */
    return (struct estimate){ESTIMATE_SALU, 0, 0};
}

static bool has_scc(const struct mir_instr *instr, bool *reads)
{
    bool writes = false;
    *reads = false;
    for (unsigned i = 0; i < instr->num_defs; i++)
        writes |= instr->defs[i].fixed && instr->defs[i].reg == MIR_REG_SCC && instr->defs[i].temp;
    for (unsigned i = 0; i < instr->num_operands; i++)
        *reads |= instr->operands[i].fixed && instr->operands[i].reg == MIR_REG_SCC;
    return writes;
}

/* Fixed registers other than scc are a resource that one instruction after the other uses. */
static bool has_fixed_operand(const struct mir_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].fixed && instr->operands[i].reg != MIR_REG_SCC)
            return true;
    }
    return false;
}

struct orders {
    uint32_t last_write[SCHED_KINDS], num_loads[SCHED_KINDS];
    uint32_t *loads[SCHED_KINDS];
    uint32_t scc_def, num_scc_readers, num_clobbers, last_fixed;
    uint32_t *scc_readers, *clobbers;
};

static void order_memory(struct scheduler *scheduler, struct orders *orders, uint32_t index)
{
    bool writes;
    unsigned kinds = amd_sched_memory_of(scheduler->nodes[index].instr, &writes);
    for (unsigned k = 0; k < SCHED_KINDS; k++) {
        if (!(kinds >> k & 1))
            continue;
        if (orders->last_write[k])
            add_edge(scheduler, orders->last_write[k] - 1, index, 1);
        for (uint32_t i = 0; writes && i < orders->num_loads[k]; i++)
            add_edge(scheduler, orders->loads[k][i], index, 1);
        if (writes) {
            orders->last_write[k] = index + 1;
            orders->num_loads[k] = 0;
        } else {
            orders->loads[k][orders->num_loads[k]++] = index;
        }
    }
}

/* Between a condition in scc and its last reader nothing may destroy it; instructions that destroy it may be in any
 * order among themselves. */
static void order_scc(struct scheduler *scheduler, struct orders *orders, uint32_t index)
{
    const struct mir_instr *instr = scheduler->nodes[index].instr;
    bool reads, writes = has_scc(instr, &reads), clobbers = amd_mir_clobbers(instr) & ISA_STATE_SCC;
    if (writes || clobbers) {
        for (uint32_t i = 0; i < orders->num_scc_readers; i++)
            add_edge(scheduler, orders->scc_readers[i], index, 0);
        if (orders->scc_def && orders->num_scc_readers == 0 && writes)
            add_edge(scheduler, orders->scc_def - 1, index, 1);
    }
    if (writes) {
        for (uint32_t i = 0; i < orders->num_clobbers; i++)
            add_edge(scheduler, orders->clobbers[i], index, 0);
        orders->num_clobbers = orders->num_scc_readers = 0;
        orders->scc_def = index + 1;
    } else if (clobbers) {
        orders->clobbers[orders->num_clobbers++] = index;
        /* A clobber between a condition and its readers is what selection wrote: it stays there. */
        if (orders->scc_def && orders->num_scc_readers == 0)
            add_edge(scheduler, orders->scc_def - 1, index, 1);
    }
    if (reads) {
        for (uint32_t i = 0; i < orders->num_clobbers; i++)
            add_edge(scheduler, orders->clobbers[i], index, 0);
        orders->scc_readers[orders->num_scc_readers++] = index;
    }
}

static void build_graph(struct scheduler *scheduler)
{
    struct orders orders = {0};
    for (unsigned k = 0; k < SCHED_KINDS; k++)
        orders.loads[k] = alloc_array(scheduler, scheduler->count * sizeof(uint32_t));
    orders.scc_readers = alloc_array(scheduler, scheduler->count * sizeof(uint32_t));
    orders.clobbers = alloc_array(scheduler, scheduler->count * sizeof(uint32_t));
    for (uint32_t n = 0; n < scheduler->count; n++) {
        struct mir_instr *instr = scheduler->nodes[n].instr;
        for (unsigned i = 0; i < instr->num_operands; i++) {
            const struct mir_operand *operand = &instr->operands[i];
            uint32_t writer = operand->kind == MIR_TEMP ? scheduler->writer[operand->temp] : 0;
            if (writer && scheduler->nodes[writer - 1].lazy)
                add_need(scheduler, n, writer - 1);
            else if (writer)
                add_edge(scheduler, writer - 1, n, scheduler->nodes[writer - 1].time.ready);
        }
        order_memory(scheduler, &orders, n);
        order_scc(scheduler, &orders, n);
        if (has_fixed_operand(instr)) {
            if (orders.last_fixed)
                add_edge(scheduler, orders.last_fixed - 1, n, 1);
            orders.last_fixed = n + 1;
        }
        for (unsigned i = 0; i < instr->num_defs; i++)
            scheduler->writer[instr->defs[i].temp] = instr->defs[i].temp ? n + 1 : 0;
    }
    for (uint32_t n = scheduler->count; n-- > 0;) {
        struct node *node = &scheduler->nodes[n];
        node->height = node->time.ready;
        for (const struct edge *edge = node->succs; edge; edge = edge->next)
            node->height = MAX2(node->height, edge->latency + scheduler->nodes[edge->to].height);
        for (unsigned i = 0; i < node->instr->num_defs; i++)
            scheduler->writer[node->instr->defs[i].temp] = 0;
    }
}

/* ---- registers ---- */

static void add_demand(const struct scheduler *scheduler, mir_temp temp, int sign, int *sgprs, int *vgprs)
{
    struct mir_class class = scheduler->program->temps[temp].class;
    *(class.vector ? vgprs : sgprs) += sign * (int)mir_pressure_of(class);
}

static bool ends_with(const struct scheduler *scheduler, const struct mir_instr *instr, unsigned index)
{
    const struct mir_operand *operand = &instr->operands[index];
    if (operand->kind != MIR_TEMP || scheduler->lives_on[operand->temp])
        return false;
    unsigned mine = 0;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        bool same = instr->operands[i].kind == MIR_TEMP && instr->operands[i].temp == operand->temp;
        if (same && i < index)
            return false; /* counted with the first of them */
        mine += same;
    }
    return scheduler->left[operand->temp] == mine;
}

/* How demand changes with this instruction. */
static void find_change(const struct scheduler *scheduler, const struct mir_instr *instr, int *sgprs, int *vgprs)
{
    *sgprs = *vgprs = 0;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (ends_with(scheduler, instr, i))
            add_demand(scheduler, instr->operands[i].temp, -1, sgprs, vgprs);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        mir_temp temp = instr->defs[i].temp;
        if (temp && (scheduler->left[temp] || scheduler->lives_on[temp]))
            add_demand(scheduler, temp, 1, sgprs, vgprs);
    }
}

static void account_instr(struct scheduler *scheduler, const struct mir_instr *instr)
{
    int sgprs, vgprs;
    find_change(scheduler, instr, &sgprs, &vgprs);
    scheduler->sgprs += sgprs;
    scheduler->vgprs += vgprs;
    scheduler->max_sgprs = MAX2(scheduler->max_sgprs, scheduler->sgprs);
    scheduler->max_vgprs = MAX2(scheduler->max_vgprs, scheduler->vgprs);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_TEMP && scheduler->left[instr->operands[i].temp])
            scheduler->left[instr->operands[i].temp]--;
    }
}

/* ---- choosing ---- */

struct choice {
    bool short_of_registers;
    int change;
    bool waits;
    uint32_t ready;
    bool same_clause;
    uint32_t height, index;
};

static bool is_better(const struct choice *a, const struct choice *b)
{
    if (a->short_of_registers || b->short_of_registers) {
        if (a->change != b->change)
            return a->change < b->change;
    }
    if (a->same_clause != b->same_clause)
        return a->same_clause;
    if (a->waits != b->waits)
        return !a->waits;
    if (a->waits && a->ready != b->ready)
        return a->ready < b->ready;
    if (a->height != b->height)
        return a->height > b->height;
    return a->index < b->index;
}

static uint32_t choose_node(const struct scheduler *scheduler, uint32_t cycle, uint8_t clause)
{
    struct choice best = {0};
    uint32_t best_at = 0;
    for (uint32_t i = 0; i < scheduler->num_ready; i++) {
        const struct node *node = &scheduler->nodes[scheduler->ready[i]];
        int sgprs, vgprs;
        find_change(scheduler, node->instr, &sgprs, &vgprs);
        bool tight = (vgprs > 0 && scheduler->vgprs + vgprs > scheduler->limit_vgprs) ||
                     (sgprs > 0 && scheduler->sgprs + sgprs > scheduler->limit_sgprs);
        struct choice choice = {.short_of_registers = tight,
                                .change = vgprs * 2 + sgprs,
                                .waits = node->ready > cycle,
                                .ready = node->ready,
                                .same_clause = clause && node->clause == clause && !tight && node->ready <= cycle,
                                .height = node->height,
                                .index = node->index};
        if (i == 0 || is_better(&choice, &best)) {
            best = choice;
            best_at = i;
        }
    }
    return best_at;
}

static uint32_t put_constants(struct scheduler *scheduler, const struct node *node, struct mir_instr **order,
                              uint32_t count)
{
    for (const struct edge *need = node->needs; need; need = need->next) {
        struct node *constant = &scheduler->nodes[need->to];
        if (constant->done)
            continue;
        constant->done = true;
        account_instr(scheduler, constant->instr);
        order[count++] = constant->instr;
    }
    return count;
}

static void order_stretch(struct scheduler *scheduler, struct mir_instr **order)
{
    uint32_t cycle = 0, count = 0;
    uint8_t clause = 0;
    scheduler->num_ready = 0;
    for (uint32_t n = 0; n < scheduler->count; n++) {
        if (scheduler->nodes[n].num_preds == 0 && !scheduler->nodes[n].lazy)
            scheduler->ready[scheduler->num_ready++] = n;
    }
    while (scheduler->num_ready) {
        uint32_t at = choose_node(scheduler, cycle, clause);
        struct node *node = &scheduler->nodes[scheduler->ready[at]];
        scheduler->ready[at] = scheduler->ready[--scheduler->num_ready];
        cycle = MAX2(cycle, node->ready);
        count = put_constants(scheduler, node, order, count);
        account_instr(scheduler, node->instr);
        order[count++] = node->instr;
        clause = node->clause;
        for (const struct edge *edge = node->succs; edge; edge = edge->next) {
            struct node *next = &scheduler->nodes[edge->to];
            next->ready = MAX2(next->ready, cycle + edge->latency);
            if (--next->num_preds == 0)
                scheduler->ready[scheduler->num_ready++] = edge->to;
        }
        cycle += node->time.issue;
    }
    /* Their readers come later. */
    for (uint32_t n = 0; n < scheduler->count; n++) {
        if (scheduler->nodes[n].lazy && !scheduler->nodes[n].done) {
            account_instr(scheduler, scheduler->nodes[n].instr);
            order[count++] = scheduler->nodes[n].instr;
        }
    }
}

/* ---- blocks ---- */

static void schedule_stretch(struct scheduler *scheduler, struct list *first, struct list *end, uint32_t count)
{
    int sgprs = scheduler->sgprs, vgprs = scheduler->vgprs;
    arena_reset(&scheduler->arena);
    scheduler->count = count;
    scheduler->nodes = alloc_array(scheduler, count * sizeof(*scheduler->nodes));
    scheduler->ready = alloc_array(scheduler, count * sizeof(*scheduler->ready));
    struct mir_instr **order = alloc_array(scheduler, count * sizeof(*order)),
                     **original = alloc_array(scheduler, count * sizeof(*original));
    uint32_t n = 0;
    for (struct list *link = first; link != end; link = link->next, n++) {
        struct mir_instr *instr = container_of(link, struct mir_instr, link);
        original[n] = instr;
        scheduler->nodes[n] = (struct node){.instr = instr,
                                            .index = n,
                                            .time = time_of(scheduler, instr),
                                            .clause = (uint8_t)amd_sched_clause_of(instr),
                                            .lazy = is_constant(instr)};
    }
    /* what the written order needs */
    uint16_t *left = scheduler->left;
    scheduler->max_sgprs = scheduler->max_vgprs = 0;
    for (uint32_t i = 0; i < count; i++)
        account_instr(scheduler, original[i]);
    int old_sgprs = scheduler->max_sgprs, old_vgprs = scheduler->max_vgprs, end_sgprs = scheduler->sgprs,
        end_vgprs = scheduler->vgprs;
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned j = 0; j < original[i]->num_operands; j++) {
            if (original[i]->operands[j].kind == MIR_TEMP)
                left[original[i]->operands[j].temp]++;
        }
    }
    scheduler->sgprs = sgprs;
    scheduler->vgprs = vgprs;
    scheduler->max_sgprs = scheduler->max_vgprs = 0;
    build_graph(scheduler);
    order_stretch(scheduler, order);
    bool fits = scheduler->max_sgprs <= MAX2(scheduler->limit_sgprs, old_sgprs) &&
                scheduler->max_vgprs <= MAX2(scheduler->limit_vgprs, old_vgprs);
    scheduler->sgprs = end_sgprs;
    scheduler->vgprs = end_vgprs;
    struct list *before = first->prev;
    for (uint32_t i = 0; fits && i < count; i++) {
        list_remove(&order[i]->link);
        list_insert_after(before, &order[i]->link);
        before = &order[i]->link;
    }
}

static void begin_block(struct scheduler *scheduler, const struct mir_block *block)
{
    const struct mir_live *live = scheduler->program->live;
    scheduler->sgprs = scheduler->vgprs = 0;
    mir_foreach_live_out(live, block, temp) scheduler->lives_on[temp] = 1;
    mir_foreach_live_in(live, block, temp) add_demand(scheduler, temp, 1, &scheduler->sgprs, &scheduler->vgprs);
    mir_foreach_instr(block, instr)
    {
        for (unsigned i = 0; !mir_is_phi(instr) && i < instr->num_operands; i++) {
            if (instr->operands[i].kind == MIR_TEMP)
                scheduler->left[instr->operands[i].temp]++;
        }
    }
}

static void end_block(struct scheduler *scheduler, const struct mir_block *block)
{
    const struct mir_live *live = scheduler->program->live;
    mir_foreach_live_out(live, block, temp) scheduler->lives_on[temp] = 0;
}

static void schedule_block(struct scheduler *scheduler, struct mir_block *block)
{
    begin_block(scheduler, block);
    struct list *link = block->instrs.next;
    while (link != &block->instrs) {
        struct mir_instr *instr = container_of(link, struct mir_instr, link);
        if (is_border(instr)) {
            struct list *next = link->next;
            if (mir_is_phi(instr)) {
                if (instr->defs[0].temp)
                    add_demand(scheduler, instr->defs[0].temp, 1, &scheduler->sgprs, &scheduler->vgprs);
            } else {
                account_instr(scheduler, instr);
            }
            link = next;
            continue;
        }
        struct list *first = link;
        uint32_t count = 0;
        while (link != &block->instrs && count < MAX_STRETCH &&
               !is_border(container_of(link, struct mir_instr, link))) {
            link = link->next;
            count++;
        }
        schedule_stretch(scheduler, first, link, count);
    }
    end_block(scheduler, block);
}

static int vgpr_limit(const struct mir_program *program, unsigned demand)
{
    unsigned waves = estimate_waves(program->wave_size, demand), limit = demand;
    while (limit < program->max_vgprs && estimate_waves(program->wave_size, limit + 1) == waves)
        limit++;
    /* A few are left for what allocation has to copy; with too few of them, only order can help. */
    limit = limit > demand + 4 ? limit - 4 : demand;
    /* Much more than the program needs hides no latency that is there. */
    limit = MIN2(limit, MAX2(4 * demand, 16u));
    return (int)MIN2(limit, program->max_vgprs);
}

void amd_mir_schedule(struct mir_program *program)
{
    unsigned sgprs = 0, vgprs = 0;
    amd_mir_liveness(program);
    mir_foreach_block(program, block)
    {
        sgprs = MAX2(sgprs, block->max_sgprs);
        vgprs = MAX2(vgprs, block->max_vgprs);
    }
    program->presched_sgprs = sgprs;
    program->presched_vgprs = vgprs;
    struct scheduler scheduler = {
        .program = program, .limit_sgprs = MAX2(program->max_sgprs - 10, 8), .limit_vgprs = vgpr_limit(program, vgprs)};
    scheduler.writer = amd_mir_alloc(program, program->num_temps * sizeof(*scheduler.writer));
    scheduler.left = amd_mir_alloc(program, program->num_temps * sizeof(*scheduler.left));
    scheduler.lives_on = amd_mir_alloc(program, program->num_temps);
    mir_foreach_block(program, block) schedule_block(&scheduler, block);
    arena_finish(&scheduler.arena);
}
