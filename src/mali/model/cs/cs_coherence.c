/* Command streams as src/model/coherence is told of them: jobs, operations, waits, flushes, and the exception of the
 * heap. Nothing here is called while coherence is off. */
#include "mali/model/coherence.h"
#include "mali/model/cs/cs_machine.h"

#define SLOTS 8

static struct coherence_command command_of(const struct mali_cs *m, uint64_t va, uint64_t word)
{
    return (struct coherence_command){
        .va = va, .job = m->job_number, .length_dw = 2, .dw = {(uint32_t)word, (uint32_t)(word >> 32)}};
}

/* ---- jobs ---- */

bool mali_cs_coherence_begin(struct mali_cs *m)
{
    struct mali_queue *queue = m->queue;
    struct coherence *c = queue->gpu->coherence;
    if (!m->actor)
        m->actor = coherence_actor_create(c, queue, SLOTS);
    struct coherence_space *space = coherence_space(c, queue->space);
    if (!m->actor || !space)
        return CS_STOP(m, "no memory to look at caches");
    m->job_number++;
    queue->coherence = m->actor;
    queue->reader = MALI_CLIENT_CS;
    coherence_job_begin(m->actor, space);
    return true;
}

void mali_cs_coherence_end(struct mali_cs *m)
{
    m->queue->coherence = NULL;
    coherence_job_end(m->actor);
}

/* ---- operations ---- */

bool mali_cs_coherence_issue(struct mali_cs *m, struct cs_op *op)
{
    const struct coherence_command command = command_of(m, op->at_va, op->run.word);
    op->actor = coherence_issue(m->actor, op->slot, &command);
    return op->actor || CS_STOP(m, "no memory to look at caches");
}

void mali_cs_coherence_do(struct mali_cs *m, struct cs_op *op)
{
    struct mali_queue *queue = m->queue;
    if (op->actor) {
        coherence_join(op->actor, op->wait_mask);
    } else {
        const struct coherence_command command = command_of(m, op->at_va, op->run.word);
        coherence_command(m->actor, &command);
    }
    queue->coherence = op->actor ? op->actor : m->actor;
    queue->reader = op->iterator == CS_ITERATOR_TILER   ? MALI_CLIENT_TILER
                    : op->iterator > CS_ITERATOR_MEMORY ? MALI_CLIENT_DESCRIPTOR
                                                        : MALI_CLIENT_CS;
    if (op->iterator <= CS_ITERATOR_MEMORY)
        return;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t fau = op->run.uniforms[i].fau;
        if (fau)
            coherence_read(queue->coherence, MALI_CLIENT_DESCRIPTOR, 0, fau & 0xffffffffffffull, (fau >> 56) * 8);
    }
}

/* ---- events ---- */

static void event_if(struct mali_cs *m, bool is_wanted, enum mali_coherence_event event)
{
    if (is_wanted)
        coherence_event(m->queue->coherence, event);
}

void mali_cs_coherence_flush(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_FLUSH_CACHE2 f = mali_unpack_cs_FLUSH_CACHE2(word);
    if (MALI_CS_OPCODE(word) == MALI_CS_FINISH_TILING) {
        coherence_event(m->queue->coherence, MALI_COHERENCE_FINISH_TILING);
        return;
    }
    event_if(m, f.LSC_FLUSH_MODE != MALI_CS_FLUSH_MODE_NONE, MALI_COHERENCE_LSC_CLEAN);
    event_if(m, f.L2_FLUSH_MODE != MALI_CS_FLUSH_MODE_NONE, MALI_COHERENCE_L2_CLEAN);
    event_if(m, f.L2_FLUSH_MODE == MALI_CS_FLUSH_MODE_CLEAN_INVALIDATE, MALI_COHERENCE_L2_INVALIDATE);
    event_if(m, f.LSC_FLUSH_MODE == MALI_CS_FLUSH_MODE_CLEAN_INVALIDATE, MALI_COHERENCE_LSC_INVALIDATE);
    event_if(m, f.OTHER_INVALIDATE, MALI_COHERENCE_OTHER_INVALIDATE);
}

/* ---- the heap's exception ---- */

void mali_cs_coherence_starve(struct mali_queue *queue)
{
    coherence_event(queue->coherence, MALI_COHERENCE_FINISH_TILING);
    queue->heap->starving = queue->coherence;
}

/* The tiler sleeps from the exception's beginning to its handler's end. */
void mali_cs_coherence_handle(struct mali_cs *m, bool has_ended)
{
    struct coherence_actor *starving = m->queue->heap->starving;
    if (!starving)
        return;
    if (has_ended)
        coherence_follow(starving, m->actor, true);
    else
        coherence_follow(m->actor, starving, true);
}

/* The tiler's jobs are done in order: those after it come after the handler, too. */
void mali_cs_coherence_go_on(struct mali_queue *queue)
{
    struct mali_cs *m = queue->cs;
    queue->heap->starving = NULL;
    coherence_follow(m->actor, queue->coherence, false);
    list_foreach (&m->ops, struct cs_op, op, node) {
        if (op->iterator == CS_ITERATOR_TILER && op->actor && op->actor != queue->coherence)
            coherence_follow(op->actor, queue->coherence, false);
    }
}
