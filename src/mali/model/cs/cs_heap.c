/* The tiler's heap as command streams see it: which one a queue uses, render passes that are under way, chunks that
 * come back, and the exception of a tiler that finds no room.
 *
 * A tiler that needs a chunk asks the kernel. Where that has none the tiler sleeps. Passes that are tiled already will
 * give chunks back when their fragments are done. Without any, the exception is pending: the queue of the group that
 * has the same heap and a handler runs it while it waits for something, the handler renders what the bins have so far
 * and frees their chunks, and the tiler goes on. */
#include <errno.h>
#include <inttypes.h>

#include "mali/model/cs/cs_machine.h"
#include "util/log.h"

/* ---- heaps of a group ---- */

static struct mali_heap *find_heap(struct mali_group *group, uint64_t va)
{
    struct mali_heap *heap = NULL;
    pthread_mutex_lock(&group->lock);
    for (unsigned i = 0; i < group->heap_count && !heap; i++) {
        if (group->heaps[i].va == va)
            heap = &group->heaps[i];
    }
    if (!heap && group->heap_count < MALI_GROUP_HEAPS) {
        heap = &group->heaps[group->heap_count++];
        heap->va = va;
    }
    pthread_mutex_unlock(&group->lock);
    return heap;
}

bool mali_cs_heap_set(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_HEAP_SET f = mali_unpack_cs_HEAP_SET(word);
    uint64_t va;
    if (!mali_cs_get64(m, f.ADDRESS, &va))
        return false;
    struct mali_heap *heap = va ? find_heap(m->queue->group, va) : NULL;
    if (va && !heap)
        return CS_BROKEN(m, "HEAP_SET: a group with more than %u heaps", MALI_GROUP_HEAPS);
    pthread_mutex_lock(&m->queue->gpu->sync_lock);
    m->queue->heap = heap;
    pthread_mutex_unlock(&m->queue->gpu->sync_lock);
    return true;
}

static bool need_heap(struct mali_cs *m)
{
    return m->queue->heap || CS_BROKEN(m, "the queue has no heap: HEAP_SET was not executed");
}

/* ---- passes ---- */

static bool do_heap_operation(struct mali_cs *m, struct cs_op *op)
{
    struct mali_heap *heap = m->queue->heap;
    switch (mali_unpack_cs_HEAP_OPERATION(op->run.word).OPERATION) {
    case MALI_CS_HEAP_OPERATION_VERTEX_TILER_STARTED:
        atomic_fetch_add(&heap->vt_started, 1);
        break;
    case MALI_CS_HEAP_OPERATION_VERTEX_TILER_COMPLETED:
        atomic_fetch_add(&heap->vt_completed, 1);
        break;
    case MALI_CS_HEAP_OPERATION_FRAGMENT_COMPLETED:
        atomic_fetch_add(&heap->frag_completed, 1);
        break;
    default:
        return CS_BROKEN(m, "there is no such operation of a heap");
    }
    mali_sync_wake_others(m->queue->gpu);
    return true;
}

bool mali_cs_heap_operation(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_HEAP_OPERATION f = mali_unpack_cs_HEAP_OPERATION(word);
    if (!need_heap(m))
        return false;
    struct cs_op *op = mali_cs_op(m, word, do_heap_operation);
    return op && mali_cs_issue_deferred(m, op, f.WAIT_MASK, f.SIGNAL_SLOT);
}

static bool do_finish_fragment(struct mali_cs *m, struct cs_op *op)
{
    const struct mali_cs_FINISH_FRAGMENT f = mali_unpack_cs_FINISH_FRAGMENT(op->run.word);
    struct mali_heap *heap = m->queue->heap;
    if (op->va && !mali_tiler_free_chunks(m->queue, op->va, op->data))
        return false;
    if (op->va) /* before the pass counts as done: a tiler that finds none to wait for raises the exception */
        atomic_fetch_add(&heap->freed, 1);
    if (f.INCREMENT_FRAGMENT_COMPLETED)
        atomic_fetch_add(&heap->frag_completed, 1);
    mali_sync_wake_others(m->queue->gpu);
    return true;
}

bool mali_cs_finish_fragment(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_FINISH_FRAGMENT f = mali_unpack_cs_FINISH_FRAGMENT(word);
    if (!need_heap(m))
        return false;
    struct cs_op *op = mali_cs_op(m, word, do_finish_fragment);
    return op && mali_cs_get64(m, f.FIRST_HEAP_CHUNK, &op->va) && mali_cs_get64(m, f.LAST_HEAP_CHUNK, &op->data) &&
           mali_cs_issue_deferred(m, op, f.WAIT_MASK, f.SIGNAL_SLOT);
}

/* ---- the exception ---- */

bool mali_cs_set_exception_handler(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_SET_EXCEPTION_HANDLER f = mali_unpack_cs_SET_EXCEPTION_HANDLER(word);
    uint64_t va;
    uint32_t size_B;
    if (!mali_cs_get64(m, f.ADDRESS, &va) || !mali_cs_get32(m, f.LENGTH, &size_B))
        return false;
    if (f.EXCEPTION_TYPE != MALI_CS_EXCEPTION_TILER_OOM)
        return CS_STOP(m, "SET_EXCEPTION_HANDLER: the model raises no exception %u", f.EXCEPTION_TYPE);
    pthread_mutex_lock(&m->queue->gpu->sync_lock);
    m->handler_va = size_B ? va : 0;
    m->handler_B = va ? size_B : 0;
    pthread_mutex_unlock(&m->queue->gpu->sync_lock);
    return true;
}

/* Take the exception, if there is one that this queue has a handler for: one queue handles it. */
static bool take_exception(struct mali_cs *m)
{
    struct mali_queue *queue = m->queue;
    pthread_mutex_lock(&queue->gpu->sync_lock);
    struct mali_heap *heap = queue->heap;
    bool is_taken = heap && heap->is_raised && !heap->is_handled && m->handler_B && !m->is_handling;
    if (is_taken) {
        heap->is_raised = false;
        heap->is_handled = true;
    }
    pthread_mutex_unlock(&queue->gpu->sync_lock);
    return is_taken;
}

bool mali_cs_look_for_exception(struct mali_cs *m, bool *has_run_out)
{
    struct mali_heap *heap = m->queue->heap;
    *has_run_out = take_exception(m);
    if (!*has_run_out)
        return true;
    LOG_DEBUG("mali/model", "the heap at 0x%" PRIx64 " is exhausted: its handler runs on queue %u", heap->va,
              m->queue->number);
    if (m->actor)
        mali_cs_coherence_handle(m, false);
    bool is_ok = mali_cs_handle(m, m->handler_va, m->handler_B);
    if (m->actor)
        mali_cs_coherence_handle(m, true);
    pthread_mutex_lock(&m->queue->gpu->sync_lock);
    heap->is_handled = false;
    heap->handled++;
    pthread_mutex_unlock(&m->queue->gpu->sync_lock);
    mali_sync_wake(m->queue->gpu);
    return is_ok;
}

/* ---- a tiler that has no room ---- */

/* 0, or -errno of the kernel. */
static int ask_kernel(const struct mali_queue *queue, uint64_t *chunk_out)
{
    const struct mali_heap *heap = queue->heap;
    if (!queue->work->grow_heap)
        return -ENOMEM;
    uint32_t done = atomic_load(&heap->frag_completed);
    return queue->work->grow_heap(queue->job, heap->va, atomic_load(&heap->vt_started) - done,
                                  atomic_load(&heap->vt_completed) - done, chunk_out);
}

/* Passes that are tiled will give chunks back by themselves. */
static bool has_pass_to_wait_for(const struct mali_heap *heap)
{
    return atomic_load(&heap->vt_completed) != atomic_load(&heap->frag_completed);
}

static void set_raised(struct mali_queue *queue, bool is_raised)
{
    pthread_mutex_lock(&queue->gpu->sync_lock);
    queue->heap->is_raised = is_raised;
    pthread_mutex_unlock(&queue->gpu->sync_lock);
    mali_sync_wake(queue->gpu);
}

/* Handlers that have run, and with `with_running` the one that still does: it began for another exception. */
static uint64_t count_handled(struct mali_queue *queue, bool with_running)
{
    pthread_mutex_lock(&queue->gpu->sync_lock);
    uint64_t handled = queue->heap->handled + (with_running && queue->heap->is_handled);
    pthread_mutex_unlock(&queue->gpu->sync_lock);
    return handled;
}

/* It frees chunks before it empties the tiler's context: until its end neither means anything. */
static bool is_being_handled(struct mali_queue *queue)
{
    pthread_mutex_lock(&queue->gpu->sync_lock);
    bool is_handled = queue->heap->is_handled;
    pthread_mutex_unlock(&queue->gpu->sync_lock);
    return is_handled;
}

/* The exception is no longer pending; false: its handler runs. */
static bool withdraw_exception(struct mali_queue *queue)
{
    pthread_mutex_lock(&queue->gpu->sync_lock);
    bool is_handled = queue->heap->is_handled;
    if (!is_handled)
        queue->heap->is_raised = false;
    pthread_mutex_unlock(&queue->gpu->sync_lock);
    return !is_handled;
}

static bool starve_queue(struct mali_queue *queue, uint32_t freed, uint64_t *chunk_out)
{
    struct mali_heap *heap = queue->heap;
    uint64_t handled = count_handled(queue, true);
    bool is_raised = false;
    for (;;) {
        uint64_t seen = mali_sync_changes(queue->gpu);
        if (is_being_handled(queue) && !mali_is_killed(queue)) {
            mali_sync_sleep(queue, NULL, seen);
            continue;
        }
        int error = *chunk_out || atomic_load(&heap->freed) != freed ? 0 : ask_kernel(queue, chunk_out);
        if (!error) {
            /* A handler that has just begun would free what the tiler goes on with. */
            if (withdraw_exception(queue))
                return true;
            is_raised = false;
            continue;
        }
        if (error != -ENOMEM)
            return mali_stop(queue, GPU_STOP_BROKEN, "the kernel has no heap at 0x%" PRIx64, heap->va);
        if (count_handled(queue, false) > handled)
            return mali_stop(queue, GPU_STOP_BROKEN,
                             "the heap at 0x%" PRIx64 " is exhausted, and the exception handler "
                             "has freed no chunk",
                             heap->va);
        if (mali_is_killed(queue))
            return mali_stop(queue, GPU_STOP_KILLED,
                             "killed here: the tiler's heap at 0x%" PRIx64 " is exhausted, and no "
                             "exception handler frees chunks",
                             heap->va);
        if (!is_raised && !has_pass_to_wait_for(heap)) {
            set_raised(queue, true);
            is_raised = true;
        }
        bool has_run = false;
        if (!mali_cs_look_for_exception(queue->cs, &has_run))
            return false;
        if (!has_run)
            mali_sync_sleep(queue, NULL, seen);
    }
}

uint32_t mali_cs_freed(const struct mali_queue *queue)
{
    return queue->heap ? atomic_load(&queue->heap->freed) : 0;
}

bool mali_cs_starve(struct mali_queue *queue, uint32_t freed, uint64_t *chunk_out)
{
    *chunk_out = 0;
    if (!need_heap(queue->cs))
        return false;
    if (queue->coherence)
        mali_cs_coherence_starve(queue);
    bool is_ok = starve_queue(queue, freed, chunk_out);
    set_raised(queue, false);
    if (queue->coherence)
        mali_cs_coherence_go_on(queue);
    return is_ok;
}
