/* How queues wait for each other and for the host: synchronisation objects in memory, progress counters, cache flushes,
 * timestamps.
 *
 * A synchronisation object is a value of 32 or 64 bits and a status after it, which is not zero when what it stands for
 * has failed. The scope of a signal says who looks at it, the group or everyone; here everyone sees it. */
#include <inttypes.h>

#include "mali/hw/chip.h"
#include "mali/model/coherence.h"
#include "mali/model/cs/cs_machine.h"

/* ---- memory ---- */

static void *resolve_access(struct mali_cs *m, uint64_t va, uint32_t size_B, unsigned need, enum gpu_access *access_out)
{
    *access_out = GPU_ACCESS_MEMORY;
    void *host = gpu_space_pointer(m->queue->space, va, size_B, need);
    if (!host)
        *access_out = gpu_space_resolve(m->queue->space, va, size_B, need, &host);
    return host;
}

static bool check_place(struct mali_cs *m, uint64_t va, uint32_t size_B)
{
    if (va % size_B)
        return CS_BROKEN(m, "a value of %u bytes at 0x%" PRIx64 ", which is no multiple of its size", size_B, va);
    return true;
}

/* Memory that others see, too: 4 or 8 bytes, aligned. */
static bool mali_cs_load(struct mali_cs *m, uint64_t va, uint32_t size_B, uint64_t *value_out)
{
    enum gpu_access access;
    if (!check_place(m, va, size_B))
        return false;
    const void *host = resolve_access(m, va, size_B, GPU_PERM_READ, &access);
    if (access == GPU_ACCESS_FAULT)
        return mali_fault(m->queue, "synchronisation object", va, size_B, false);
    if (access == GPU_ACCESS_ZERO)
        *value_out = 0;
    else if (size_B == 4)
        *value_out = __atomic_load_n((const uint32_t *)host, __ATOMIC_ACQUIRE);
    else
        *value_out = __atomic_load_n((const uint64_t *)host, __ATOMIC_ACQUIRE);
    return true;
}

static void *for_store(struct mali_cs *m, uint64_t va, uint32_t size_B)
{
    enum gpu_access access;
    if (!check_place(m, va, size_B))
        return NULL;
    void *host = resolve_access(m, va, size_B, GPU_PERM_READ | GPU_PERM_WRITE, &access);
    if (access != GPU_ACCESS_MEMORY) {
        mali_fault(m->queue, "synchronisation object", va, size_B, true);
        return NULL;
    }
    return host;
}

static bool mali_cs_store(struct mali_cs *m, uint64_t va, uint32_t size_B, uint64_t value)
{
    void *host = for_store(m, va, size_B);
    if (!host)
        return false;
    if (size_B == 4)
        __atomic_store_n((uint32_t *)host, (uint32_t)value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)host, value, __ATOMIC_RELEASE);
    return true;
}

static bool add_to_memory(struct mali_cs *m, uint64_t va, uint32_t size_B, uint64_t value)
{
    void *host = for_store(m, va, size_B);
    if (!host)
        return false;
    if (size_B == 4)
        __atomic_fetch_add((uint32_t *)host, (uint32_t)value, __ATOMIC_ACQ_REL);
    else
        __atomic_fetch_add((uint64_t *)host, value, __ATOMIC_ACQ_REL);
    return true;
}

/* ---- signals: SYNC_ADD and SYNC_SET, which have one layout ---- */

/* Whoever sees the value finds what it brings: the lock is held until it is in memory. */
static bool prepare_signal(struct mali_cs *m, const struct cs_op *op, uint32_t size_B, bool is_add)
{
    uint64_t value = 0;
    MALI_WRITES(m->queue, MALI_CLIENT_SIGNAL, op->va, size_B + 4);
    pthread_mutex_lock(&m->queue->gpu->coherence_lock);
    if (is_add && !mali_cs_load(m, op->va, size_B, &value)) {
        pthread_mutex_unlock(&m->queue->gpu->coherence_lock);
        return false;
    }
    value += op->data;
    coherence_release(m->queue->coherence, op->va, size_B == 4 ? (uint32_t)value : value);
    return true;
}

static bool do_signal(struct mali_cs *m, struct cs_op *op)
{
    unsigned opcode = MALI_CS_OPCODE(op->run.word);
    const struct mali_cs_SYNC_ADD64 f = mali_unpack_cs_SYNC_ADD64(op->run.word);
    bool is_add = opcode == MALI_CS_SYNC_ADD32 || opcode == MALI_CS_SYNC_ADD64;
    uint32_t size_B = opcode == MALI_CS_SYNC_ADD32 || opcode == MALI_CS_SYNC_SET32 ? 4 : 8;
    struct coherence_actor *actor = m->queue->coherence;
    /* The status comes first: whoever sees the value sees it, too. */
    if (f.ERROR_PROPAGATE && !mali_cs_store(m, op->va + size_B, 4, m->has_error))
        return false;
    if (m->queue->gpu->has_mutations) {
        uint64_t before = 0;
        if (is_add && !mali_cs_load(m, op->va, size_B, &before))
            return false;
        mali_cs_note(m, "signal", op->va, before + op->data);
    }
    if (actor && !prepare_signal(m, op, size_B, is_add))
        return false;
    const bool is_ok = (is_add ? add_to_memory : mali_cs_store)(m, op->va, size_B, op->data);
    if (actor)
        pthread_mutex_unlock(&m->queue->gpu->coherence_lock);
    if (!is_ok)
        return false;
    mali_sync_wake_memory(m->queue->gpu);
    return true;
}

static bool signal32(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_SYNC_ADD32 f = mali_unpack_cs_SYNC_ADD32(word);
    struct cs_op *op = mali_cs_op(m, word, do_signal);
    uint32_t data;
    if (!op || !mali_cs_get64(m, f.ADDRESS, &op->va) || !mali_cs_get32(m, f.DATA, &data))
        return false;
    op->data = data;
    return mali_cs_issue_deferred(m, op, f.WAIT_MASK, f.SIGNAL_SLOT);
}

static bool signal64(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_SYNC_ADD64 f = mali_unpack_cs_SYNC_ADD64(word);
    struct cs_op *op = mali_cs_op(m, word, do_signal);
    return op && mali_cs_get64(m, f.ADDRESS, &op->va) && mali_cs_get64(m, f.DATA, &op->data) &&
           mali_cs_issue_deferred(m, op, f.WAIT_MASK, f.SIGNAL_SLOT);
}

bool mali_cs_sync_add32(struct mali_cs *m, uint64_t word)
{
    return signal32(m, word);
}

bool mali_cs_sync_set32(struct mali_cs *m, uint64_t word)
{
    return signal32(m, word);
}

bool mali_cs_sync_add64(struct mali_cs *m, uint64_t word)
{
    return signal64(m, word);
}

bool mali_cs_sync_set64(struct mali_cs *m, uint64_t word)
{
    return signal64(m, word);
}

/* ---- waits ---- */

/* Between two looks at what the queue waits for: work of its own that is pending, handlers of exceptions, sleep. */
static bool meanwhile(struct mali_cs *m, const struct mali_awaited *awaited, uint64_t seen)
{
    bool has_done;
    if (!mali_cs_do_one(m, &has_done))
        return false;
    if (!has_done && !mali_cs_look_for_exception(m, &has_done))
        return false;
    if (!has_done)
        mali_sync_sleep(m->queue, awaited, seen);
    return true;
}

struct sync_wait {
    uint64_t va, reference;
    uint32_t size_B;
    unsigned condition;
    bool is_rejected; /* a failure of what it waits for is none of this queue */
};

static bool sync_wait(struct mali_cs *m, const struct sync_wait *w, uint64_t word)
{
    if (m->queue->gpu->has_mutations && mali_cs_is_left_out(m, word))
        return true;
    if (w->condition != MALI_CS_CONDITION_LEQUAL && w->condition != MALI_CS_CONDITION_GREATER)
        return CS_BROKEN(m, "a queue waits for a value that is greater, or less or equal, not for condition %u",
                         w->condition);
    for (;;) {
        uint64_t seen = mali_sync_changes(m->queue->gpu), value;
        const struct mali_awaited awaited = {
            .host = gpu_space_pointer(m->queue->space, w->va, w->size_B, GPU_PERM_READ),
            .size_B = w->size_B,
            .is_at_most = w->condition == MALI_CS_CONDITION_LEQUAL,
            .reference = w->reference,
        };
        if (!mali_cs_load(m, w->va, w->size_B, &value))
            return false;
        if (mali_is_there(&awaited, value))
            break;
        if (mali_is_killed(m->queue))
            return mali_stop(m->queue, GPU_STOP_KILLED,
                             "killed here: 0x%" PRIx64 " holds %" PRIu64 ", which is not %s %" PRIu64, w->va, value,
                             w->condition == MALI_CS_CONDITION_GREATER ? "greater than" : "at most", w->reference);
        if (!meanwhile(m, &awaited, seen))
            return false;
    }
    mali_cs_advance(m);
    if (m->queue->gpu->has_mutations)
        mali_cs_note(m, w->condition == MALI_CS_CONDITION_GREATER ? "sync" : "down", w->va, w->reference);
    if (m->actor)
        coherence_acquire(m->actor, w->va, w->condition == MALI_CS_CONDITION_GREATER ? w->reference : UINT64_MAX);
    uint64_t status = 0;
    if (!w->is_rejected && !mali_cs_load(m, w->va + w->size_B, 4, &status))
        return false;
    m->has_error |= status != 0;
    return true;
}

bool mali_cs_sync_wait32(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_SYNC_WAIT32 f = mali_unpack_cs_SYNC_WAIT32(word);
    struct sync_wait w = {.size_B = 4, .condition = f.CONDITION, .is_rejected = f.ERROR_REJECT};
    uint32_t reference;
    if (!mali_cs_get64(m, f.ADDRESS, &w.va) || !mali_cs_get32(m, f.DATA, &reference))
        return false;
    w.reference = reference;
    return sync_wait(m, &w, word);
}

bool mali_cs_sync_wait64(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_SYNC_WAIT64 f = mali_unpack_cs_SYNC_WAIT64(word);
    struct sync_wait w = {.size_B = 8, .condition = f.CONDITION, .is_rejected = f.ERROR_REJECT};
    return mali_cs_get64(m, f.ADDRESS, &w.va) && mali_cs_get64(m, f.DATA, &w.reference) && sync_wait(m, &w, word);
}

/* Instructions after it are of the next job: an error of this one ends here. */
bool mali_cs_error_barrier(struct mali_cs *m, uint64_t word)
{
    m->has_error = false;
    return true;
}

/* ---- progress counters of queues ---- */

bool mali_cs_progress_load(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_PROGRESS_LOAD f = mali_unpack_cs_PROGRESS_LOAD(word);
    return mali_cs_set64(m, f.DESTINATION, atomic_load(&m->queue->progress));
}

bool mali_cs_progress_store(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_PROGRESS_STORE f = mali_unpack_cs_PROGRESS_STORE(word);
    uint64_t value;
    if (!mali_cs_get64(m, f.SOURCE, &value))
        return false;
    atomic_store(&m->queue->progress, value);
    mali_sync_wake_others(m->queue->gpu);
    return true;
}

/* Until the counter of a queue of the group is at least the reference. */
bool mali_cs_progress_wait(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_PROGRESS_WAIT f = mali_unpack_cs_PROGRESS_WAIT(word);
    uint64_t reference;
    if (!mali_cs_get64(m, f.SOURCE, &reference))
        return false;
    if (f.QUEUE >= MALI_QUEUE_COUNT)
        return CS_BROKEN(m, "a group has no queue %u", f.QUEUE);
    const struct mali_queue *other = &m->queue->group->queues[f.QUEUE];
    for (;;) {
        uint64_t seen = mali_sync_changes(m->queue->gpu), value = atomic_load(&other->progress);
        if (value >= reference) {
            mali_cs_advance(m);
            return true;
        }
        if (mali_is_killed(m->queue))
            return mali_stop(m->queue, GPU_STOP_KILLED, "killed here: queue %u is at %" PRIu64 ", not at %" PRIu64,
                             f.QUEUE, value, reference);
        if (!meanwhile(m, NULL, seen))
            return false;
    }
}

/* ---- caches ---- */

/* Memory is coherent here; programs that were decoded are the one thing that is kept. */
static bool do_flush(struct mali_cs *m, struct cs_op *op)
{
    const struct mali_cs_FLUSH_CACHE2 f = mali_unpack_cs_FLUSH_CACHE2(op->run.word);
    atomic_fetch_add(m->queue->work->flush_id, 1);
    if (f.OTHER_INVALIDATE)
        mali_sc_invalidate_code(m->queue->gpu);
    if (m->actor)
        mali_cs_coherence_flush(m, op->run.word);
    return true;
}

/* The register has the number of the last flush that user space knew of; where a later one was, this need not be. It is
 * done all the same, since it costs nothing and hides nothing. */
bool mali_cs_flush_cache(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_FLUSH_CACHE2 f = mali_unpack_cs_FLUSH_CACHE2(word);
    uint32_t latest;
    struct cs_op *op = mali_cs_op(m, word, do_flush);
    if (!op || !mali_cs_get32(m, f.LATEST_FLUSH_ID, &latest))
        return false;
    if (m->queue->gpu->has_mutations && mali_cs_is_left_out(m, word))
        return true;
    op->wait_mask = f.WAIT_MASK;
    return mali_cs_issue(m, op, f.SIGNAL_SLOT);
}

/* ---- state and tracing ---- */

static bool do_store_state(struct mali_cs *m, struct cs_op *op)
{
    const struct mali_cs_STORE_STATE f = mali_unpack_cs_STORE_STATE(op->run.word);
    const uint64_t frequency_Hz = m->queue->gpu->chip->max_freq_Hz;
    uint64_t value = 0;
    switch (f.STATE) {
    case MALI_CS_STATE_TIMESTAMP:
    case MALI_CS_STATE_CYCLE_COUNT:
        if (m->is_polling)
            mali_cs_advance(m);
        value = m->now;
        if (f.STATE == MALI_CS_STATE_CYCLE_COUNT)
            value = value / MALI_TICKS_PER_SECOND * frequency_Hz +
                    value % MALI_TICKS_PER_SECOND * frequency_Hz / MALI_TICKS_PER_SECOND;
        break;
    case MALI_CS_STATE_DISJOINT_COUNT: /* the clock never changes */
        break;
    case MALI_CS_STATE_ERROR_STATUS:
        value = m->has_error;
        break;
    }
    MALI_WRITES(m->queue, MALI_CLIENT_CS, op->va, 8);
    return mali_cs_store(m, op->va, 8, value);
}

bool mali_cs_store_state(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_STORE_STATE f = mali_unpack_cs_STORE_STATE(word);
    struct cs_op *op = mali_cs_op(m, word, do_store_state);
    if (!op || !mali_cs_get64(m, f.ADDRESS, &op->va))
        return false;
    op->va += (uint64_t)(int64_t)f.OFFSET;
    return mali_cs_issue_deferred(m, op, f.WAIT_MASK, f.SIGNAL_SLOT);
}

static bool do_nothing(struct mali_cs *m, struct cs_op *op)
{
    return true;
}

/* The firmware's trace buffer is nowhere; the slot is held all the same. */
bool mali_cs_trace_point(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_TRACE_POINT f = mali_unpack_cs_TRACE_POINT(word);
    struct cs_op *op = mali_cs_op(m, word, do_nothing);
    return op && mali_cs_issue_deferred(m, op, f.WAIT_MASK, f.SIGNAL_SLOT);
}
