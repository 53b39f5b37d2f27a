/* The order of instructions within a block, after registers were given out: messages leave early, and what does not
 * need their results fills the time. Registers stay as they are, so that the order is bound by what is written and
 * read.
 *
 * A window of 64 instructions at a time, so that sets of them are words. */
#include "mali/compiler/facts.h"
#include "util/bits.h"

#define WINDOW 64
#define LATENCY_ALU 1
#define LATENCY_MESSAGE 32

struct window {
    struct mach_instr *instrs[WINDOW];
    struct vir_facts facts[WINDOW];
    uint64_t before[WINDOW]; /* which must have been issued */
    uint32_t height[WINDOW]; /* cycles from its issue to the end */
    uint32_t ready[WINDOW];  /* the cycle that it can be issued at without waiting */
    unsigned count;
};

/* ---- what must stay in order ---- */

/* Nothing moves over these: control flow, tests and colours, places with waits of their own. */
static bool is_fence(const struct mach_instr *instr)
{
    switch (instr->op) {
    case MALI_ISA_OP_NOP:
    case MALI_ISA_OP_BRANCHZ:
    case MALI_ISA_OP_BRANCHZI:
    case MALI_ISA_OP_BARRIER:
    case MALI_ISA_OP_DISCARD_F32:
    case MALI_ISA_OP_ATEST:
    case MALI_ISA_OP_ZS_EMIT:
    case MALI_ISA_OP_BLEND:
        return true;
    default:
        return vir_isa(instr)->flow != MALI_ISA_FLOW_NONE;
    }
}

/* Addresses are computed from descriptors, which no shader writes. */
static bool is_memory(const struct mach_instr *instr)
{
    return mali_vir_is_message(vir_isa(instr)) && instr->op != MALI_ISA_OP_LEA_BUFFER &&
           instr->op != MALI_ISA_OP_LEA_BUF_IMM && instr->op != MALI_ISA_OP_LEA_TEX;
}

static bool writes_memory(const struct window *w, unsigned i)
{
    return is_memory(w->instrs[i]) && (w->instrs[i]->has_effect || !w->facts[i].message);
}

static bool is_bound(const struct window *w, unsigned first, unsigned second)
{
    const struct vir_facts *a = &w->facts[first], *b = &w->facts[second];
    if (a->writes & (b->reads | b->writes) || a->reads & b->writes)
        return true;
    return (writes_memory(w, first) && is_memory(w->instrs[second])) ||
           (is_memory(w->instrs[first]) && writes_memory(w, second)) ||
           (w->instrs[first]->has_effect && w->instrs[second]->has_effect);
}

/* Cycles from the issue of one to that of another that needs it. */
static uint32_t latency(const struct window *w, unsigned first, unsigned second)
{
    const struct vir_facts *a = &w->facts[first], *b = &w->facts[second];
    return a->message & (b->reads | b->writes) ? LATENCY_MESSAGE : LATENCY_ALU;
}

static void find_bonds(struct window *w)
{
    for (unsigned i = 0; i < w->count; i++) {
        w->before[i] = 0;
        w->ready[i] = 0;
        w->height[i] = 0;
        for (unsigned j = 0; j < i; j++)
            w->before[i] |= (uint64_t)is_bound(w, j, i) << j;
    }
    for (unsigned i = w->count; i-- > 0;) {
        bits_foreach (w->before[i], j)
            w->height[j] = MAX2(w->height[j], w->height[i] + latency(w, (unsigned)j, i));
    }
}

/* ---- the order ---- */

/* Instructions that wait for nothing, by the longest way to come; else the one with the shortest wait. */
static unsigned choose_instr(const struct window *w, uint64_t left, uint32_t now)
{
    unsigned best = WINDOW;
    bits_foreach (left, i) {
        if (w->before[i] & left)
            continue;
        if (best == WINDOW) {
            best = (unsigned)i;
            continue;
        }
        const uint32_t wait = MAX2(w->ready[i], now), least = MAX2(w->ready[best], now);
        if (wait < least || (wait == least && w->height[i] > w->height[best]))
            best = (unsigned)i;
    }
    return best;
}

/* Instructions leave their places and come back in the new order, before `place`. */
static void reorder_window(struct window *w, struct list *place)
{
    uint64_t left = vir_registers(0, w->count);
    uint32_t now = 0;
    find_bonds(w);
    for (unsigned i = 0; i < w->count; i++)
        list_remove(&w->instrs[i]->link);
    while (left) {
        const unsigned next = choose_instr(w, left, now);
        now = MAX2(now, w->ready[next]) + 1;
        left &= ~(1ull << next);
        bits_foreach (left, i) {
            if (w->before[i] >> next & 1)
                w->ready[i] = MAX2(w->ready[i], now - 1 + latency(w, next, (unsigned)i));
        }
        list_insert_after(place->prev, &w->instrs[next]->link);
    }
    w->count = 0;
}

static void schedule_block(struct window *w, struct mach_block *block)
{
    w->count = 0;
    for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
        struct mach_instr *instr = container_of(link, struct mach_instr, link);
        next = link->next;
        if (!is_fence(instr)) {
            w->instrs[w->count] = instr;
            w->facts[w->count++] = mali_vir_facts(vir_isa(instr));
        }
        if (w->count == WINDOW || is_fence(instr))
            reorder_window(w, is_fence(instr) ? link : next);
    }
    reorder_window(w, &block->instrs);
}

void mali_vir_schedule(struct mach_program *program)
{
    struct window *window = mach_alloc(program, sizeof(*window));
    mach_foreach_block(program, block) schedule_block(window, block);
}
