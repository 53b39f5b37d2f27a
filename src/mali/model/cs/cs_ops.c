/* Operations that were issued and are done later, and the slots of the scoreboard that they hold. cs_machine.h says
 * when they are done. */
#include <stdlib.h>

#include "mali/model/coherence.h"
#include "mali/model/cs/cs_machine.h"

/* More than that are never pending: the first is done then. So a stream with many draws keeps its endpoints busy while
 * it is read. */
#define MOST_OPS 32

#define SLOTS 8

struct cs_op *mali_cs_op(struct mali_cs *m, uint64_t word, cs_action action)
{
    if (list_is_empty(&m->spare_ops)) {
        struct cs_op *fresh = malloc(sizeof(*fresh));
        if (!fresh) {
            CS_STOP(m, "no memory for an operation");
            return NULL;
        }
        fresh->more.data = NULL;
        fresh->more.capacity = 0;
        list_push_back(&m->spare_ops, &fresh->node);
    }
    /* It is spare until it is issued: whoever stops in between leaves nothing behind. */
    struct cs_op *op = container_of(m->spare_ops.next, struct cs_op, node);
    op->action = action;
    op->iterator = CS_NO_ITERATOR;
    op->slot = 0;
    op->wait_mask = 0;
    op->is_running = false;
    op->is_progress = false;
    op->actor = NULL;
    op->number = 0;
    op->at_va = m->at_va;
    op->run.queue = m->queue;
    op->run.word = word;
    op->run.more_count = op->more.count = 0;
    return op;
}

static void remove_op(struct mali_cs *m, struct cs_op *op)
{
    if (op->actor)
        coherence_complete(op->actor);
    op->actor = NULL;
    list_remove(&op->node);
    m->op_count--;
    list_push_front(&m->spare_ops, &op->node);
}

void mali_cs_drop_ops(struct mali_cs *m)
{
    while (!list_is_empty(&m->ops))
        remove_op(m, container_of(m->ops.next, struct cs_op, node));
    for (unsigned i = 0; i < MALI_CS_REGS; i++)
        m->loading[i] = 0;
}

/* ---- doing them ---- */

/* Must `before`, which was issued first, be done before `op` begins? */
static bool is_needed(const struct cs_op *before, const struct cs_op *op)
{
    return (op->wait_mask >> before->slot & 1) || (op->iterator && op->iterator == before->iterator);
}

/* The first operation that must be done before this one; NULL: it can begin. */
static struct cs_op *find_needed(struct mali_cs *m, const struct cs_op *op)
{
    list_foreach (&m->ops, struct cs_op, before, node) {
        if (before == op)
            break;
        if (!before->is_running && is_needed(before, op))
            return before;
    }
    return NULL;
}

static bool act_on_op(struct mali_cs *m, struct cs_op *op)
{
    uint64_t at_va = m->at_va;
    struct coherence_actor *outer = m->queue->coherence;
    const uint8_t outer_reader = m->queue->reader;
    const uint32_t outer_op = m->op_in_hand;
    m->at_va = op->at_va;
    m->op_in_hand = op->number;
    if (m->queue->gpu->has_mutations)
        mali_cs_note(m, "do", op->number, 0);
    if (m->actor)
        mali_cs_coherence_do(m, op);
    if (!op->action(m, op))
        return false;
    m->op_in_hand = outer_op;
    m->at_va = at_va;
    m->queue->coherence = outer; /* a handler runs inside of another operation */
    m->queue->reader = outer_reader;
    if (m->actor && mali_is_stopped(m->queue))
        return false;
    if (op->is_progress) {
        atomic_fetch_add(&m->queue->progress, 1);
        mali_sync_wake_others(m->queue->gpu);
    }
    return true;
}

static bool do_op(struct mali_cs *m, struct cs_op *op)
{
    if (mali_is_killed(m->queue))
        return mali_stop(m->queue, GPU_STOP_KILLED, "killed here");
    op->is_running = true; /* a handler that runs inside must not begin it again */
    if (!act_on_op(m, op))
        return false;
    if (op->iterator > CS_ITERATOR_MEMORY) {
        mali_progress(m->queue);
        mali_cs_advance(m);
    }
    remove_op(m, op);
    m->loops = 0;
    return true;
}

/* Signals and the like follow what they wait for at once, since other queues may sleep for them. */
static bool do_followers(struct mali_cs *m)
{
    for (bool has_done = true; has_done;) {
        has_done = false;
        list_foreach (&m->ops, struct cs_op, op, node) {
            if (op->is_running || op->iterator || find_needed(m, op))
                continue;
            if (!do_op(m, op))
                return false;
            has_done = true;
            break; /* the list has changed */
        }
    }
    return true;
}

static bool complete_op(struct mali_cs *m, struct cs_op *op)
{
    for (;;) {
        struct cs_op *needed = find_needed(m, op);
        if (!needed)
            break;
        /* The first one needs only what is before it: this does not go deep. */
        while (find_needed(m, needed))
            needed = find_needed(m, needed);
        if (!do_op(m, needed))
            return false;
    }
    return do_op(m, op) && do_followers(m);
}

bool mali_cs_do_one(struct mali_cs *m, bool *is_done_out)
{
    *is_done_out = false;
    list_foreach (&m->ops, struct cs_op, op, node) {
        if (op->is_running)
            continue;
        *is_done_out = true;
        return complete_op(m, op);
    }
    return true;
}

/* Until the slots are empty. */
static bool mali_cs_wait_slots(struct mali_cs *m, unsigned mask)
{
    for (;;) {
        struct cs_op *next = NULL;
        list_foreach (&m->ops, struct cs_op, op, node) {
            if (!(mask >> op->slot & 1))
                continue;
            if (op->is_running)
                return CS_BROKEN(m, "an exception handler waits for slot %u, which holds what it interrupts", op->slot);
            next = op;
            break;
        }
        if (!next)
            return true;
        if (!complete_op(m, next))
            return false;
    }
}

bool mali_cs_finish_memory(struct mali_cs *m)
{
    for (;;) {
        struct cs_op *next = NULL;
        list_foreach (&m->ops, struct cs_op, op, node) {
            if (op->iterator == CS_ITERATOR_MEMORY && !op->is_running) {
                next = op;
                break;
            }
        }
        if (!next)
            return true;
        if (!complete_op(m, next))
            return false;
    }
}

/* ---- issuing them ---- */

bool mali_cs_issue(struct mali_cs *m, struct cs_op *op, unsigned slot)
{
    if (slot >= SLOTS)
        return CS_BROKEN(m, "the scoreboard has no slot %u", slot);
    if (op->wait_mask >> SLOTS)
        return CS_BROKEN(m, "the scoreboard has no slots of the mask 0x%x", op->wait_mask);
    if (op->wait_mask >> slot & 1)
        return CS_BROKEN(m, "it waits for slot %u, which it holds itself", slot);
    op->slot = (uint8_t)slot;
    if (m->queue->gpu->has_mutations) {
        op->number = ++m->op_count_ever;
        mali_cs_note(m, "issue", op->number, slot | (uint64_t)op->wait_mask << 8);
    }
    if (m->actor && !mali_cs_coherence_issue(m, op))
        return false;
    list_remove(&op->node);
    list_push_back(&m->ops, &op->node);
    m->op_count++;
    bool is_done;
    return m->op_count <= MOST_OPS || mali_cs_do_one(m, &is_done);
}

bool mali_cs_issue_deferred(struct mali_cs *m, struct cs_op *op, unsigned wait_mask, unsigned slot)
{
    if (!wait_mask)
        return act_on_op(m, op);
    op->wait_mask = (uint16_t)wait_mask;
    return mali_cs_issue(m, op, slot) && do_followers(m);
}

bool mali_cs_wait(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_WAIT f = mali_unpack_cs_WAIT(word);
    if (f.WAIT_MASK >> SLOTS)
        return CS_BROKEN(m, "the scoreboard has no slots of the mask 0x%x", f.WAIT_MASK);
    if (m->queue->gpu->has_mutations && mali_cs_is_left_out(m, word))
        return true;
    if (!mali_cs_wait_slots(m, f.WAIT_MASK))
        return false;
    if (m->queue->gpu->has_mutations)
        mali_cs_note(m, "wait", f.WAIT_MASK, 0);
    if (m->actor)
        coherence_join(m->actor, f.WAIT_MASK);
    if (f.PROGRESS_INCREMENT) {
        atomic_fetch_add(&m->queue->progress, 1);
        mali_sync_wake_others(m->queue->gpu);
    }
    return true;
}

bool mali_cs_set_sb_entry(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_SET_SB_ENTRY f = mali_unpack_cs_SET_SB_ENTRY(word);
    if (f.ENDPOINT_ENTRY >= SLOTS || f.OTHER_ENTRY >= SLOTS)
        return CS_BROKEN(m, "the scoreboard has no slots %u and %u", f.ENDPOINT_ENTRY, f.OTHER_ENTRY);
    m->endpoint_slot = f.ENDPOINT_ENTRY;
    m->other_slot = f.OTHER_ENTRY;
    return true;
}
