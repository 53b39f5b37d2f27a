/* Fetch and flow of the command-stream machine: streams, calls, jumps, branches, and the choice of an instruction's
 * handler. What instructions do is in the other files of this folder. */
#include "mali/model/cs/cs_machine.h"

#include <inttypes.h>
#include <stdlib.h>

#include "mali/model/coherence.h"
#include "util/bits.h"

/* Every so many instructions count as progress, up to a limit: a stream that branches back for ever is a hang, and the
 * watchdog must see that. */
#define INSTRUCTIONS_PER_PROGRESS 4096
#define INSTRUCTIONS_THAT_COUNT (1ull << 24)

/* A loop that looks at memory without waiting for it (loads and branches) ends only when pending work is done. */
#define LOOPS_WITHOUT_WORK 64

/* ---- life ---- */

bool mali_cs_create(struct mali_queue *queue)
{
    struct mali_cs *m = calloc(1, sizeof(*m));
    if (!m)
        return false;
    m->queue = queue;
    list_init(&m->ops);
    list_init(&m->spare_ops);
    queue->cs = m;
    return true;
}

void mali_cs_destroy(struct mali_queue *queue)
{
    struct mali_cs *m = queue->cs;
    if (!m)
        return;
    mali_cs_drop_ops(m);
    coherence_actor_destroy(m->actor);
    while (!list_is_empty(&m->spare_ops)) {
        struct cs_op *op = container_of(m->spare_ops.next, struct cs_op, node);
        list_remove(&op->node);
        array_finish(&op->more);
        free(op);
    }
    free(m);
    queue->cs = NULL;
}

/* ---- streams ---- */

static bool check_stream(struct mali_cs *m, const char *what, uint64_t va, uint64_t size_B)
{
    if (va % 8 || size_B % 8)
        return CS_BROKEN(m, "%s: a stream of %" PRIu64 " bytes at 0x%" PRIx64 " is no multiple of 8 bytes", what,
                         size_B, va);
    return true;
}

static bool push_call(struct mali_cs *m, const char *what, uint64_t va, uint64_t size_B)
{
    if (!check_stream(m, what, va, size_B))
        return false;
    if (m->depth == (m->is_handling ? MALI_CS_CALL_DEPTH + 1u : MALI_CS_CALL_DEPTH))
        return CS_BROKEN(m, "%s: streams call each other deeper than %u", what, MALI_CS_CALL_DEPTH);
    m->frames[m->depth++] = (struct cs_frame){.start_va = va, .end_va = va + size_B, .at_va = va};
    return true;
}

bool mali_cs_call(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_CALL f = mali_unpack_cs_CALL(word);
    uint64_t va;
    uint32_t size_B;
    return mali_cs_get64(m, f.ADDRESS, &va) && mali_cs_get32(m, f.LENGTH, &size_B) && push_call(m, "CALL", va, size_B);
}

bool mali_cs_jump(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_JUMP f = mali_unpack_cs_JUMP(word);
    uint64_t va;
    uint32_t size_B;
    if (!mali_cs_get64(m, f.ADDRESS, &va) || !mali_cs_get32(m, f.LENGTH, &size_B) ||
        !check_stream(m, "JUMP", va, size_B))
        return false;
    if (m->depth == 1)
        return CS_BROKEN(m, "JUMP: the ring buffer cannot be left");
    m->frames[m->depth - 1] = (struct cs_frame){.start_va = va, .end_va = va + size_B, .at_va = va};
    m->loops++; /* a stream may jump to itself */
    m->is_polling = true;
    return true;
}

/* A register of 32 bits beside zero, signed. */
static bool condition_holds(struct mali_cs *m, unsigned condition, int32_t value, bool *result_out)
{
    switch (condition) {
    case MALI_CS_CONDITION_LEQUAL:
        *result_out = value <= 0;
        return true;
    case MALI_CS_CONDITION_GREATER:
        *result_out = value > 0;
        return true;
    case MALI_CS_CONDITION_EQUAL:
        *result_out = value == 0;
        return true;
    case MALI_CS_CONDITION_NEQUAL:
        *result_out = value != 0;
        return true;
    case MALI_CS_CONDITION_LESS:
        *result_out = value < 0;
        return true;
    case MALI_CS_CONDITION_GEQUAL:
        *result_out = value >= 0;
        return true;
    case MALI_CS_CONDITION_ALWAYS:
        *result_out = true;
        return true;
    }
    return CS_BROKEN(m, "there is no condition %u", condition);
}

bool mali_cs_branch(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_BRANCH f = mali_unpack_cs_BRANCH(word);
    uint32_t value = 0;
    bool is_taken;
    if (f.CONDITION != MALI_CS_CONDITION_ALWAYS && !mali_cs_get32(m, f.VALUE, &value))
        return false;
    if (!condition_holds(m, f.CONDITION, (int32_t)value, &is_taken) || !is_taken)
        return !mali_is_stopped(m->queue);
    struct cs_frame *frame = &m->frames[m->depth - 1];
    int64_t to_B = (int64_t)(frame->at_va - frame->start_va) + f.OFFSET * 8ll;
    if (to_B < 0 || to_B > (int64_t)(frame->end_va - frame->start_va))
        return CS_BROKEN(m, "BRANCH: %+d instructions from here is outside of the stream", f.OFFSET);
    frame->at_va = frame->start_va + (uint64_t)to_B;
    m->loops += f.OFFSET < 0;
    m->is_polling |= f.OFFSET < 0;
    return true;
}

bool mali_cs_nop(struct mali_cs *m, uint64_t word)
{
    return true;
}

bool mali_cs_prot_region(struct mali_cs *m, uint64_t word)
{
    return CS_STOP(m, "PROT_REGION: the model has no protected mode");
}

/* ---- the loop ---- */

static const cs_handler handlers[256] = {
#define ROW(instr, handler) [MALI_CS_##instr] = handler,
    CS_HANDLERS(ROW)
#undef ROW
};

/* Between instructions: work that a loop may be waiting for, progress, kills. */
static bool housekeeping(struct mali_cs *m)
{
    m->instructions++;
    if (m->instructions % INSTRUCTIONS_PER_PROGRESS == 0 && m->instructions < INSTRUCTIONS_THAT_COUNT)
        mali_progress(m->queue);
    if (mali_is_killed(m->queue))
        return mali_stop(m->queue, GPU_STOP_KILLED, "killed here");
    if (m->loops < LOOPS_WITHOUT_WORK)
        return true;
    m->loops = 0;
    bool is_done;
    return mali_cs_do_one(m, &is_done);
}

static bool step_instruction(struct mali_cs *m)
{
    struct cs_frame *frame = &m->frames[m->depth - 1];
    uint64_t word;
    m->at_va = frame->at_va;
    if (!gpu_mem_read64(m->queue->space, frame->at_va, &word))
        return mali_fault(m->queue, "command stream", frame->at_va, 8, false);
    frame->at_va += 8;
    cs_handler handler = handlers[MALI_CS_OPCODE(word)];
    if (!handler)
        return CS_BROKEN(m, "there is no instruction with opcode %u", MALI_CS_OPCODE(word));
    return handler(m, word) && housekeeping(m);
}

/* Until so many frames are left. */
static bool run_to(struct mali_cs *m, unsigned depth)
{
    while (m->depth > depth) {
        const struct cs_frame *frame = &m->frames[m->depth - 1];
        if (frame->at_va == frame->end_va)
            m->depth--;
        else if (!step_instruction(m))
            return false;
    }
    return true;
}

bool mali_cs_handle(struct mali_cs *m, uint64_t va, uint32_t size_B)
{
    unsigned depth = m->depth;
    uint64_t at_va = m->at_va;
    m->is_handling = true;
    bool is_ok = push_call(m, "exception handler", va, size_B) && run_to(m, depth);
    if (!is_ok)
        return false;
    m->is_handling = false;
    m->at_va = at_va;
    return true;
}

/* Operations that were never waited for are done before the job ends; strict mode says so. */
static bool finish_ops(struct mali_cs *m)
{
    if (m->queue->gpu->is_strict && !list_is_empty(&m->ops)) {
        const struct cs_op *op = container_of(m->ops.next, struct cs_op, node);
        m->at_va = op->at_va;
        return CS_STRICT(m, "nothing waits for slot %u, which this instruction holds", op->slot);
    }
    for (bool is_done = true; is_done;) {
        if (!mali_cs_do_one(m, &is_done))
            return false;
    }
    return true;
}

bool mali_cs_run(struct mali_queue *queue)
{
    struct mali_cs *m = queue->cs;
    m->depth = 0;
    m->is_handling = false;
    m->instructions = 0;
    m->loops = 0;
    mali_cs_advance(m);
    if (queue->gpu->has_mutations)
        mali_cs_note(m, "begin", 0, 0);
    mali_progress(queue);
    bool is_ok = !mali_is_killed(queue) || mali_stop(queue, GPU_STOP_KILLED, "killed before it began");
    if (queue->gpu->coherence && is_ok)
        is_ok = mali_cs_coherence_begin(m);
    is_ok = is_ok && push_call(m, "ring buffer", queue->work->ring_va, queue->work->ring_B) && run_to(m, 0) &&
            finish_ops(m);
    if (queue->gpu->has_mutations) {
        mali_cs_note(m, "end", 0, 0);
        mali_cs_end_notes();
    }
    if (m->actor) {
        mali_cs_coherence_end(m);
        is_ok = is_ok && !mali_is_stopped(queue);
    }
    if (!is_ok) {
        mali_cs_describe_stop(m);
        mali_cs_drop_ops(m);
    }
    return is_ok;
}
