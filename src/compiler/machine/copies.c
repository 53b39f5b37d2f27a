/* The order of moves of a parallel copy. */
#include "compiler/machine/copies.h"

#include <string.h>

struct copy_plan {
    struct copies *copies;
    const struct copy_ops *ops;
    void *state;
    uint16_t readers[COPY_REGISTERS]; /* of each register, among the copies that are left */
    int16_t writer[COPY_REGISTERS];   /* the copy that is left into a register, or -1 */
    bool done[COPY_MAX];
};

static void finish_copy(struct copy_plan *plan, const struct copy *copy)
{
    plan->done[copy - plan->copies->list] = true;
    plan->writer[copy->to] = -1;
    if (copy->from != COPY_NO_REGISTER)
        plan->readers[copy->from]--;
}

static void read_from(struct copy_plan *plan, struct copy *copy, uint16_t reg)
{
    plan->readers[copy->from]--;
    plan->readers[reg]++;
    copy->from = reg;
}

const struct copy *copies_ready(const struct copy_plan *plan, uint16_t reg)
{
    int index = plan->writer[reg];
    return index >= 0 && plan->readers[reg] == 0 ? &plan->copies->list[index] : NULL;
}

static bool emit_ready(struct copy_plan *plan)
{
    bool has_progress = false;
    for (unsigned i = 0; i < plan->copies->count; i++) {
        const struct copy *copy = &plan->copies->list[i];
        if (plan->done[i] || plan->readers[copy->to])
            continue;
        const struct copy *joined = plan->ops->join ? plan->ops->join(plan->state, plan, copy) : NULL;
        if (joined)
            finish_copy(plan, joined);
        else
            plan->ops->move(plan->state, copy);
        finish_copy(plan, copy);
        has_progress = true;
    }
    return has_progress;
}

/* After an exchange the first register has its value; a reader of the old one finds it in the other. */
static void follow_exchange(struct copy_plan *plan, const struct copy *copy)
{
    uint16_t a = copy->to, b = copy->from;
    finish_copy(plan, copy);
    for (unsigned i = 0; i < plan->copies->count; i++) {
        struct copy *other = &plan->copies->list[i];
        if (plan->done[i] || other->from == COPY_NO_REGISTER)
            continue;
        if (other->from == a || other->from == b)
            read_from(plan, other, other->from == a ? b : a);
        if (other->from == other->to)
            finish_copy(plan, other);
    }
}

static bool open_cycle(struct copy_plan *plan, const struct copy *copy)
{
    const struct copy_ops *ops = plan->ops;
    uint16_t saved = copy->to;
    if (ops->exchange && ops->exchange(plan->state, copy->to, copy->from)) {
        follow_exchange(plan, copy);
        return true;
    }
    uint16_t spare = ops->spare(plan->state, saved);
    if (spare == COPY_NO_REGISTER)
        return false;
    ops->move(plan->state, &(struct copy){.to = spare, .from = saved});
    for (unsigned i = 0; i < plan->copies->count; i++) {
        if (!plan->done[i] && plan->copies->list[i].from == saved)
            read_from(plan, &plan->copies->list[i], spare);
    }
    return true;
}

bool copies_resolve(struct copies *copies, const struct copy_ops *ops, void *state)
{
    struct copy_plan plan;
    plan.copies = copies;
    plan.ops = ops;
    plan.state = state;
    memset(plan.readers, 0, sizeof(plan.readers));
    memset(plan.writer, 0xff, sizeof(plan.writer));
    memset(plan.done, 0, copies->count * sizeof(plan.done[0]));
    for (unsigned i = 0; i < copies->count; i++) {
        plan.writer[copies->list[i].to] = (int16_t)i;
        if (copies->list[i].from != COPY_NO_REGISTER)
            plan.readers[copies->list[i].from]++;
    }
    for (unsigned first = 0;;) {
        while (emit_ready(&plan))
            continue;
        while (first < copies->count && plan.done[first])
            first++;
        if (first == copies->count)
            return true;
        if (!open_cycle(&plan, &copies->list[first]))
            return false;
    }
}
