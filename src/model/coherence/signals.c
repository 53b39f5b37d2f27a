/* Signals between actors: what was known when a counter in memory came to each of its last values. */
#include <stdlib.h>
#include <string.h>

#include "model/coherence/state.h"
#include "util/bits.h"

/* Older values are those of the oldest that is kept: more is known then than was, so no error is invented. */
#define VALUES 32

struct value {
    uint64_t value;
    unsigned row_count;
    struct coherence_row *rows;
};

struct coherence_signal {
    struct coherence_signal *next;
    uint64_t va;
    unsigned count; /* of values; they grow */
    struct value values[VALUES];
};

static struct coherence_signal *find_signal(struct coherence_space *space, uint64_t va)
{
    struct coherence_signal *signal = space->signals;
    while (signal && signal->va != va)
        signal = signal->next;
    return signal;
}

static void drop_values(struct coherence_signal *signal, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        free(signal->values[i].rows);
    signal->count -= count;
    memmove(&signal->values[first], &signal->values[first + count],
            (signal->count - first) * sizeof(signal->values[0]));
}

void coherence_forget_signals(struct coherence_space *space)
{
    while (space->signals) {
        struct coherence_signal *signal = space->signals;
        space->signals = signal->next;
        drop_values(signal, 0, signal->count);
        free(signal);
    }
}

/* A counter that comes down is a new one. */
static void put_value(struct coherence_signal *signal, uint64_t number, const struct coherence_actor *actor)
{
    const unsigned row_count = coherence_timelines(actor->c);
    struct value value = {number, row_count, calloc(row_count, sizeof(*value.rows))};
    if (!value.rows)
        return;
    memcpy(value.rows, actor->known[0], row_count * sizeof(*value.rows));
    if (signal->count) {
        const struct value *last = &signal->values[signal->count - 1];
        coherence_rows_merge(value.rows, last->rows, last->row_count);
        if (last->value >= number)
            drop_values(signal, 0, signal->count);
    }
    if (signal->count == VALUES)
        drop_values(signal, 0, 1);
    signal->values[signal->count++] = value;
}

void coherence_release(struct coherence_actor *actor, uint64_t va, uint64_t value)
{
    struct coherence_space *space = actor->space;
    if (!space)
        return;
    pthread_mutex_lock(&actor->c->lock);
    struct coherence_signal *signal = find_signal(space, va);
    if (!signal && (signal = calloc(1, sizeof(*signal)))) {
        signal->va = va;
        signal->next = space->signals;
        space->signals = signal;
    }
    if (signal)
        put_value(signal, value, actor);
    pthread_mutex_unlock(&actor->c->lock);
}

/* Where none of the values is above, the host has written it, and brings nothing; a counter that is waited for to come
 * down brings what its last value does. */
void coherence_acquire(struct coherence_actor *actor, uint64_t va, uint64_t above)
{
    struct coherence_space *space = actor->space;
    if (!space)
        return;
    pthread_mutex_lock(&actor->c->lock);
    const struct coherence_signal *signal = find_signal(space, va);
    for (unsigned i = 0; signal && i < signal->count; i++) {
        const struct value *value = &signal->values[i];
        if (value->value <= above && !(above == UINT64_MAX && i + 1 == signal->count))
            continue;
        coherence_rows_merge(actor->known[0], value->rows, value->row_count);
        actor->has_events = true;
        break;
    }
    pthread_mutex_unlock(&actor->c->lock);
}
