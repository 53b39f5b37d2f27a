/* The order of instructions within a block, before registers are given out: results that come late are asked for early,
 * and between an instruction and its reader stands what would otherwise be nops. Of those whose operands are there, the
 * one is taken that waits least, then the one that most depends on; where many registers are alive, the one that frees
 * some. What is looked at is a window of the block, so that long blocks take no longer than short ones, and values do
 * not live over all of them. */
#include <string.h>

#include "adreno/compiler/air.h"
#include "util/bits.h"

#define WINDOW 192
#define SLOTS_ALU 3
#define SLOTS_OTHER 6
#define SLOTS_SS 12 /* roughly: special functions and local memory */
#define SLOTS_SY 40 /* the rest of memory */
#define SPECIALS 512
#define NEAR_END 16 /* instructions */

enum kind {
    KIND_PSEUDO, /* no instruction of its own */
    KIND_ALU,
    KIND_SS,
    KIND_SY,
    KIND_OTHER,
};

struct node {
    struct mach_instr *instr;
    uint32_t first_edge, num_edges; /* to those that must come after it */
    uint32_t waits_for;             /* of those before it, how many are not placed */
    uint32_t path;                  /* slots from here to the end of the block */
    uint32_t ready;                 /* slot at which its operands are there */
    uint8_t kind;
    bool is_placed;
};

struct edge {
    uint32_t from, to;
    uint16_t slots;
};

struct scheduler {
    struct mach_program *program;
    struct node *nodes;
    uint32_t num_nodes;
    struct edge *edges;
    uint32_t num_edges, capacity_edges;
    uint32_t *def_node;  /* by temporary: its node + 1, in this block */
    uint32_t *uses_left; /* by temporary: operands in this block that are not placed; one more where it lives on */
    uint32_t now;
    uint32_t num_left; /* nodes that are not placed */
    int32_t halves;    /* alive */
    uint32_t limit;    /* halves above which registers count */
};

/* ---- kinds and delays ---- */

static bool is_local_atomic(unsigned op)
{
    return op >= ADRENO_ISA_OP_ATOMIC_ADD && op <= ADRENO_ISA_OP_ATOMIC_XOR;
}

static bool writes_shared(const struct mach_instr *instr)
{
    return instr->num_defs && !instr->defs[0].temp && instr->defs[0].special >= ADRENO_ISA_REG_SHARED &&
           instr->defs[0].special < ADRENO_ISA_REG_A0;
}

static enum kind kind_of(const struct mach_instr *instr)
{
    const unsigned op = instr->op;
    if (mach_is_pseudo(instr))
        return KIND_PSEUDO;
    if (op >= ADRENO_ISA_OP_MOV && op < ADRENO_ISA_OP_RCP)
        return writes_shared(instr) ? KIND_SS : KIND_ALU;
    if (op >= ADRENO_ISA_OP_RCP && op <= ADRENO_ISA_OP_HEXP2)
        return KIND_SS;
    switch (op) {
    case ADRENO_ISA_OP_LDL:
    case ADRENO_ISA_OP_LDLW:
    case ADRENO_ISA_OP_LDLV:
    case ADRENO_ISA_OP_SHFL:
    case ADRENO_ISA_OP_RESINFO:
    case ADRENO_ISA_OP_RESINFO_B:
        return KIND_SS;
    case ADRENO_ISA_OP_GETSPID:
    case ADRENO_ISA_OP_GETWID:
    case ADRENO_ISA_OP_GETFIBERID:
        return KIND_OTHER;
    default:
        if (op >= ADRENO_ISA_OP_ISAM && op < ADRENO_ISA_OP_BAR)
            return is_local_atomic(op) ? KIND_SS : KIND_SY;
        return KIND_OTHER;
    }
}

static bool is_memory(const struct mach_instr *instr)
{
    return instr->op >= ADRENO_ISA_OP_ISAM && instr->op < ADRENO_ISA_OP_BAR && instr->op != ADRENO_ISA_OP_LDC;
}

static bool is_half(const struct mach_program *program, mach_temp temp)
{
    return air_is_half(program->temps[temp].class);
}

/* Slots from the issue of one instruction to that of the reader of its result. */
static unsigned slots_between(const struct mach_program *program, const struct node *from, const struct node *to,
                              const struct mach_operand *operand, unsigned index)
{
    const unsigned to_op = to->instr->op;
    if (to->instr->is_tied && index == 0 && to_op == from->instr->op)
        return 1; /* a pair of fine derivatives */
    switch ((enum kind)from->kind) {
    case KIND_PSEUDO:
        return 0;
    case KIND_SS:
        return SLOTS_SS;
    case KIND_SY:
        return SLOTS_SY;
    case KIND_OTHER:
        return 1;
    default:
        break;
    }
    unsigned slots = 1 + SLOTS_OTHER;
    if (to->kind == KIND_ALU && operand->kind == MACH_TEMP)
        slots = 1 + SLOTS_ALU;
    if (operand->kind == MACH_TEMP && to->kind == KIND_ALU && from->instr->num_defs && from->instr->defs[0].temp &&
        is_half(program, from->instr->defs[0].temp) != is_half(program, operand->temp))
        slots = 1 + SLOTS_OTHER;
    if (index == 2 && to_op >= ADRENO_ISA_OP_MAD_U16 && to_op <= ADRENO_ISA_OP_MAD_F32)
        slots -= 2;
    return slots;
}

/* ---- the graph ---- */

static void add_edge(struct scheduler *s, uint32_t from, uint32_t to, unsigned slots)
{
    if (from == to)
        return;
    if (s->num_edges == s->capacity_edges) {
        const uint32_t capacity = MAX2(256u, s->capacity_edges * 2);
        struct edge *edges = mach_alloc(s->program, capacity * sizeof(*edges));
        if (s->num_edges)
            memcpy(edges, s->edges, s->num_edges * sizeof(*edges));
        s->edges = edges;
        s->capacity_edges = capacity;
    }
    s->edges[s->num_edges++] = (struct edge){from, to, (uint16_t)slots};
    s->nodes[to].waits_for++;
}

#define SPACES 3 /* of memory: local, private, the rest */

struct space {
    uint32_t effect;        /* the last one that writes it, + 1 */
    uint32_t since[WINDOW]; /* loads since then */
    uint32_t num_since;
};

/* The order that registers of their own kind, memory and inputs keep. */
struct order {
    uint32_t named[SPECIALS];                      /* the last one that names it: node + 1 */
    uint32_t wrote[SPECIALS];                      /* the last one that writes it */
    uint32_t effect;                               /* the last one, + 1 */
    uint32_t array;                                /* the last one that writes arrays, + 1 */
    uint32_t array_reads[WINDOW], num_array_reads; /* since then */
    struct space spaces[SPACES];
};

/* All that name one register of this kind stay in order: there are few. But what the hardware fills before the program
 * nothing writes. */
static void order_special(struct scheduler *s, struct order *order, uint32_t at, unsigned reg, bool is_write)
{
    if (reg >= SPECIALS || (reg >= ADRENO_ISA_REG_SHARED && reg < ADRENO_ISA_REG_SHARED + 4))
        return;
    if (order->wrote[reg]) {
        const enum kind kind = s->nodes[order->wrote[reg] - 1].kind;
        add_edge(s, order->wrote[reg] - 1, at, kind == KIND_SS ? SLOTS_SS : kind == KIND_ALU ? 1 + SLOTS_OTHER : 1);
    }
    if (order->named[reg] != order->wrote[reg])
        add_edge(s, order->named[reg] - 1, at, 1);
    order->named[reg] = at + 1;
    if (is_write)
        order->wrote[reg] = at + 1;
}

/* Which memory an instruction reads or writes, a bit for each; all where it keeps others in order. */
static unsigned spaces_of(const struct mach_instr *instr)
{
    const unsigned op = instr->op;
    if (!is_memory(instr))
        return (1u << SPACES) - 1;
    if (op == ADRENO_ISA_OP_LDL || op == ADRENO_ISA_OP_STL || op == ADRENO_ISA_OP_LDLW || op == ADRENO_ISA_OP_STLW ||
        is_local_atomic(op))
        return 1;
    return op == ADRENO_ISA_OP_LDP || op == ADRENO_ISA_OP_STP ? 2 : 4;
}

static void order_space(struct scheduler *s, struct space *space, uint32_t at, bool is_effect)
{
    if (space->effect)
        add_edge(s, space->effect - 1, at, 1);
    if (!is_effect && space->num_since < WINDOW) {
        space->since[space->num_since++] = at;
        return;
    }
    for (uint32_t i = 0; i < space->num_since; i++)
        add_edge(s, space->since[i], at, is_effect);
    space->num_since = 0;
    if (is_effect)
        space->effect = at + 1;
    else /* more loads than there is room for: the last one stands for all */
        space->since[space->num_since++] = at;
}

static void order_effects(struct scheduler *s, struct order *order, uint32_t at)
{
    const struct mach_instr *instr = s->nodes[at].instr;
    const bool is_effect = instr->has_effect && !writes_shared(instr) && !air_writes_array(instr);
    if (!is_effect && !is_memory(instr))
        return;
    for (unsigned i = 0; i < SPACES; i++) {
        if (spaces_of(instr) >> i & 1)
            order_space(s, &order->spaces[i], at, is_effect);
    }
}

/* Arrays are one piece of memory: what is written stays in order with all else. */
static void order_arrays(struct scheduler *s, struct order *order, uint32_t at)
{
    const struct mach_instr *instr = s->nodes[at].instr;
    const bool is_write = air_writes_array(instr);
    bool is_read = false;
    for (unsigned i = 0; i < instr->num_operands; i++)
        is_read |= instr->operands[i].kind == AIR_ARRAY || instr->operands[i].kind == AIR_ARRAY_RELATIVE;
    if (!is_write && !is_read)
        return;
    if (order->array)
        add_edge(s, order->array - 1, at, is_read ? 1 + SLOTS_ALU : 1);
    if (is_write || order->num_array_reads == WINDOW) {
        for (uint32_t i = 0; i < order->num_array_reads; i++)
            add_edge(s, order->array_reads[i], at, 1);
        order->num_array_reads = 0;
        order->array = at + 1;
    } else {
        order->array_reads[order->num_array_reads++] = at;
    }
}

static void add_edges(struct scheduler *s, struct order *order, uint32_t at)
{
    struct node *node = &s->nodes[at];
    struct mach_instr *instr = node->instr;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        if (operand->kind == MACH_TEMP && s->def_node[operand->temp]) {
            const uint32_t from = s->def_node[operand->temp] - 1;
            add_edge(s, from, at, slots_between(s->program, &s->nodes[from], node, operand, i));
        } else if (operand->kind == AIR_SPECIAL) {
            order_special(s, order, at, (unsigned)operand->value, false);
        } else if (operand->kind == AIR_CONST_RELATIVE) {
            order_special(s, order, at, ADRENO_ISA_REG_A0, false);
        }
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        const struct mach_def *def = &instr->defs[i];
        for (unsigned j = 0; !def->temp && j < MAX2(def->count, 1u); j++)
            order_special(s, order, at, def->special + j, true);
        if (def->temp)
            s->def_node[def->temp] = at + 1;
    }
    order_arrays(s, order, at);
    order_effects(s, order, at);
}

/* The branch at the end of the block reads it. */
static bool writes_predicate(const struct mach_instr *instr)
{
    return instr->num_defs && !instr->defs[0].temp && instr->defs[0].special >= ADRENO_ISA_REG_P0 &&
           instr->defs[0].special < AIR_SPECIAL_ARRAY;
}

/* Edges by where they begin, and the longest way from each node. */
static void sort_edges(struct scheduler *s)
{
    struct edge *sorted = mach_alloc(s->program, s->num_edges * sizeof(*sorted));
    for (uint32_t i = 0; i < s->num_edges; i++)
        s->nodes[s->edges[i].from].num_edges++;
    for (uint32_t i = 0, first = 0; i < s->num_nodes; i++) {
        s->nodes[i].first_edge = first;
        first += s->nodes[i].num_edges;
        s->nodes[i].num_edges = 0;
    }
    for (uint32_t i = 0; i < s->num_edges; i++) {
        struct node *from = &s->nodes[s->edges[i].from];
        sorted[from->first_edge + from->num_edges++] = s->edges[i];
    }
    s->edges = sorted;
    for (uint32_t i = s->num_nodes; i-- > 0;) {
        struct node *node = &s->nodes[i];
        node->path = writes_predicate(node->instr) ? 1 + SLOTS_OTHER : node->kind != KIND_PSEUDO;
        for (uint32_t j = 0; j < node->num_edges; j++) {
            const struct edge *edge = &s->edges[node->first_edge + j];
            node->path = MAX2(node->path, edge->slots + s->nodes[edge->to].path);
        }
    }
}

/* ---- choosing ---- */

/* Halves that are alive more afterwards. */
static int32_t growth(const struct scheduler *s, const struct mach_instr *instr)
{
    int32_t more = 0;
    for (unsigned i = 0; i < instr->num_defs; i++) {
        const mach_temp temp = instr->defs[i].temp;
        if (temp && s->uses_left[temp])
            more += (int32_t)mach_units(s->program->temps[temp].class);
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        if (operand->kind != MACH_TEMP)
            continue;
        uint32_t mine = 0;
        bool is_first = true;
        for (unsigned j = 0; j < instr->num_operands; j++) {
            if (instr->operands[j].kind == MACH_TEMP && instr->operands[j].temp == operand->temp) {
                mine++;
                is_first &= j >= i;
            }
        }
        if (is_first && s->uses_left[operand->temp] == mine)
            more -= (int32_t)mach_units(s->program->temps[operand->temp].class);
    }
    return more;
}

/* A tuple that nothing of the block reads, as outputs are: it comes last, so that its parts have ended and lie where it
 * will. */
static bool is_for_end(const struct node *node)
{
    return node->instr->op == MACH_P_COLLECT && !node->num_edges;
}

/* A number that becomes a part of such a tuple: it takes a register from there on, so that it may fill delays only near
 * the end. */
static bool is_early_part(const struct scheduler *s, const struct node *node)
{
    return s->num_left > NEAR_END && node->instr->op == ADRENO_ISA_OP_MOV && node->num_edges == 1 &&
           node->instr->operands[0].kind != MACH_TEMP && is_for_end(&s->nodes[s->edges[node->first_edge].to]);
}

/* Smaller is better, by what comes first. */
struct rank {
    int32_t pressure;
    uint32_t stall;
    uint32_t path;
};

static struct rank rank_of(const struct scheduler *s, const struct node *node)
{
    struct rank rank = {.stall = node->ready > s->now ? node->ready - s->now : 0, .path = UINT32_MAX - node->path};
    const int32_t more = growth(s, node->instr);
    if (s->halves + more > (int32_t)s->limit)
        rank.pressure = more;
    else if (more < 0)
        rank.pressure = 0;
    if (is_for_end(node))
        rank.stall = rank.path = UINT32_MAX;
    else if (is_early_part(s, node))
        rank.stall = UINT32_MAX - 1;
    else if (node->kind == KIND_PSEUDO && rank.pressure <= 0)
        rank.stall = rank.path = 0; /* nothing is issued for it */
    return rank;
}

static bool is_better(struct rank a, struct rank b)
{
    if (a.pressure != b.pressure)
        return a.pressure < b.pressure;
    if (a.stall != b.stall)
        return a.stall < b.stall;
    return a.path < b.path;
}

static uint32_t choose_node(const struct scheduler *s, uint32_t first)
{
    uint32_t best = UINT32_MAX;
    struct rank best_rank = {0};
    for (uint32_t i = first, seen = 0; i < s->num_nodes && seen < WINDOW; i++) {
        if (s->nodes[i].is_placed)
            continue;
        seen++;
        if (s->nodes[i].waits_for)
            continue;
        const struct rank rank = rank_of(s, &s->nodes[i]);
        if (best == UINT32_MAX || is_better(rank, best_rank)) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

static void place_node(struct scheduler *s, uint32_t at)
{
    struct node *node = &s->nodes[at];
    struct mach_instr *instr = node->instr;
    s->halves += growth(s, instr);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            s->uses_left[instr->operands[i].temp]--;
    }
    if (node->kind != KIND_PSEUDO) /* for which nothing waits */
        s->now = MAX2(s->now, node->ready);
    node->is_placed = true;
    for (uint32_t i = 0; i < node->num_edges; i++) {
        const struct edge *edge = &s->edges[node->first_edge + i];
        struct node *to = &s->nodes[edge->to];
        to->waits_for--;
        /* A pseudo instruction hands on what its operands wait for. */
        to->ready = MAX2(to->ready, node->kind == KIND_PSEUDO ? node->ready : s->now + edge->slots);
    }
    s->now += node->kind != KIND_PSEUDO;
}

/* ---- blocks ---- */

static bool is_fixed(const struct mach_instr *instr)
{
    return instr->op == MACH_P_PHI || instr->op == MACH_P_START;
}

static bool is_last(const struct mach_instr *instr)
{
    return instr->op == MACH_P_JUMP || instr->op == MACH_P_BRANCH || instr->op == ADRENO_ISA_OP_END ||
           instr->op == ADRENO_ISA_OP_CHSH;
}

static uint32_t collect_nodes(struct scheduler *s, struct mach_block *block)
{
    uint32_t count = 0;
    mach_foreach_instr(block, instr) count += !is_fixed(instr) && !is_last(instr);
    s->nodes = mach_alloc(s->program, count * sizeof(*s->nodes));
    s->num_nodes = 0;
    mach_foreach_instr(block, instr)
    {
        if (!is_fixed(instr) && !is_last(instr))
            s->nodes[s->num_nodes++] = (struct node){.instr = instr, .kind = (uint8_t)kind_of(instr)};
    }
    return count;
}

/* Counts the values that are alive at the start, and the reads that each still has: where it lives on, once more. */
static void count_uses(struct scheduler *s, struct mach_block *block)
{
    const struct live_sets *live = &s->program->live;
    s->halves = 0;
    mach_foreach_instr(block, instr)
    {
        for (unsigned i = 0; i < instr->num_operands && instr->op != MACH_P_PHI; i++) {
            if (instr->operands[i].kind == MACH_TEMP)
                s->uses_left[instr->operands[i].temp]++;
        }
    }
    live_foreach(live, out, block->index, temp) s->uses_left[temp]++;
    live_foreach(live, in, block->index, temp) s->halves += (int32_t)mach_units(s->program->temps[temp].class);
    mach_foreach_instr(block, instr)
    {
        for (unsigned i = 0; is_fixed(instr) && i < instr->num_defs; i++)
            s->halves += (int32_t)mach_units(s->program->temps[instr->defs[i].temp].class);
    }
}

static void forget_block(struct scheduler *s, struct mach_block *block)
{
    live_foreach(&s->program->live, out, block->index, temp) s->uses_left[temp] = 0;
    mach_foreach_instr(block, instr)
    {
        for (unsigned i = 0; i < instr->num_operands; i++) {
            if (instr->operands[i].kind == MACH_TEMP)
                s->uses_left[instr->operands[i].temp] = 0;
        }
        for (unsigned i = 0; i < instr->num_defs; i++)
            s->def_node[instr->defs[i].temp] = 0;
    }
}

static void schedule_block(struct scheduler *s, struct mach_block *block)
{
    if (collect_nodes(s, block) < 2)
        return;
    struct order *order = mach_alloc(s->program, sizeof(*order));
    s->num_edges = s->capacity_edges = s->now = 0;
    for (uint32_t i = 0; i < s->num_nodes; i++)
        add_edges(s, order, i);
    sort_edges(s);
    count_uses(s, block);
    struct list *before = &block->instrs;
    struct mach_instr *last = container_of(block->instrs.prev, struct mach_instr, link);
    if (is_last(last))
        before = &last->link;
    for (uint32_t placed = 0, first = 0; placed < s->num_nodes; placed++) {
        while (s->nodes[first].is_placed)
            first++;
        s->num_left = s->num_nodes - placed;
        const uint32_t next = choose_node(s, first);
        if (next == UINT32_MAX)
            mach_fail(s->program, "internal: instructions of a block wait for each other");
        place_node(s, next);
        list_remove(&s->nodes[next].instr->link);
        list_insert_after(before->prev, &s->nodes[next].instr->link);
    }
    forget_block(s, block);
}

void adreno_air_schedule(struct mach_program *program, uint32_t free_halves)
{
    mach_find_kills(program);
    struct scheduler s = {.program = program,
                          .limit = MIN2(MAX2(free_halves, program->max_demand), program->limit / 2)};
    s.def_node = mach_alloc(program, program->num_temps * sizeof(*s.def_node));
    s.uses_left = mach_alloc(program, program->num_temps * sizeof(*s.uses_left));
    mach_foreach_block(program, block) schedule_block(&s, block);
}
