/* The command-stream machine: registers, the stack of streams, and the operations that it has issued and that are not
 * done yet. Shared by the files of this folder, and private to them.
 *
 * An asynchronous instruction holds a slot of the scoreboard and is done later. Here it is done when something waits
 * for it: a WAIT for its slot, a SYNC_WAIT that would sleep, a full list, the end of the job. That is the latest order
 * that the hardware may take, so a stream that forgets to wait reads old memory and old registers here, too. Operations
 * of one iterator (compute, tiling, fragment, loads and stores) are done in order.
 *
 * docs/mali-cs.md explains the machine. */
#ifndef MALI_MODEL_CS_MACHINE_H
#define MALI_MODEL_CS_MACHINE_H

#include "mali/hw/instructions.h"
#include "mali/model/blocks.h"
#include "mali/model/cs/cs.h"
#include "util/array.h"
#include "util/list.h"

struct mali_cs;

struct cs_frame {
    uint64_t start_va, end_va;
    uint64_t at_va; /* of the next instruction */
};

/* The unit that does an operation: those of one iterator are done in the order of the stream. */
enum cs_iterator {
    CS_NO_ITERATOR,
    CS_ITERATOR_MEMORY, /* loads and stores */
    CS_ITERATOR_COMPUTE,
    CS_ITERATOR_TILER,
    CS_ITERATOR_FRAGMENT,
};

struct cs_op;
typedef bool (*cs_action)(struct mali_cs *m, struct cs_op *op);

/* An operation that was issued and is not done yet. */
struct cs_op {
    struct list node; /* in the order of the stream */
    cs_action action;
    enum cs_iterator iterator;
    uint8_t slot;       /* that it holds */
    uint16_t wait_mask; /* slots that must be empty before it begins */
    bool is_running;
    bool is_progress;              /* counts up the queue's progress when it is done */
    struct coherence_actor *actor; /* what the caches' state is to it; NULL: nothing is looked at */
    uint32_t number;               /* among those of the machine, for lists of tests */
    uint64_t at_va;                /* of the instruction */
    uint64_t va;                   /* of memory that it accesses */
    uint64_t data;
    ARRAY(struct mali_run_draw) more; /* run.more */
    struct mali_run run; /* .word is the instruction of all; registers of what goes to an endpoint, or what is stored */
};

struct mali_cs {
    struct mali_queue *queue;

    /* State that stays from job to job. */
    uint32_t regs[MALI_CS_REGS];
    uint8_t endpoint_slot, other_slot; /* SET_SB_ENTRY */
    uint8_t resources;                 /* REQ_RESOURCE, bits as in the instruction */
    bool has_error;                    /* inherited from a synchronisation object, until ERROR_BARRIER */
    uint64_t handler_va;               /* SET_EXCEPTION_HANDLER, of the tiler's heap; under sync_lock */
    uint32_t handler_B;

    /* of the job */
    struct cs_frame frames[MALI_CS_CALL_DEPTH + 1]; /* and one of a handler */
    unsigned depth;                                 /* frames in use */
    bool is_handling;                               /* an exception */
    uint64_t at_va;                                 /* of the instruction in hand */
    uint64_t instructions;                          /* so far */
    uint32_t loops;                                 /* branches back since something was done */
    uint64_t now;                                   /* the queue's own time: mali_cs_advance */
    bool is_polling;                                /* it has branched back since then */
    struct list ops;
    unsigned op_count;
    struct list spare_ops;

    uint32_t op_count_ever, op_in_hand; /* for lists of tests: numbers of operations; 0: the machine itself */
    struct coherence_actor *actor;      /* the machine itself; NULL: nothing is looked at */
    uint32_t job_number;                /* for reports of coherence.h */

    uint8_t loading[MALI_CS_REGS]; /* strict mode: how many pending loads will write the register */
};

typedef bool (*cs_handler)(struct mali_cs *m, uint64_t word);

/* ---- ends: all return false, so that a handler can return them ---- */

#define CS_STOP(m, ...) mali_stop((m)->queue, GPU_STOP_UNIMPLEMENTED, __VA_ARGS__)
#define CS_BROKEN(m, ...) mali_stop((m)->queue, GPU_STOP_BROKEN, __VA_ARGS__)
#define CS_STRICT(m, ...) mali_stop((m)->queue, GPU_STOP_STRICT, "strict mode: " __VA_ARGS__)

/* Put the place in the stream around the text of a stop (cs_report.c). */
void mali_cs_describe_stop(struct mali_cs *m);

/* ---- registers (cs_values.c): false is a stop ---- */

bool mali_cs_get32(struct mali_cs *m, unsigned reg, uint32_t *value_out);
bool mali_cs_get64(struct mali_cs *m, unsigned reg, uint64_t *value_out);
bool mali_cs_set64(struct mali_cs *m, unsigned reg, uint64_t value);
/* Strict mode: none of these registers waits for a load. */
bool mali_cs_check_read(struct mali_cs *m, unsigned reg, unsigned count);

/* ---- operations (cs_ops.c) ---- */

/* A new operation of the instruction in hand; NULL after a stop. Fill it in and issue it. */
struct cs_op *mali_cs_op(struct mali_cs *m, uint64_t word, cs_action action);
bool mali_cs_issue(struct mali_cs *m, struct cs_op *op, unsigned slot);
/* As the fields WAIT_MASK and SIGNAL_SLOT ask: without a mask it is done at once, and holds no slot. */
bool mali_cs_issue_deferred(struct mali_cs *m, struct cs_op *op, unsigned wait_mask, unsigned slot);
/* Do the first pending operation with what it waits for; *is_done_out is false when there is none. */
bool mali_cs_do_one(struct mali_cs *m, bool *is_done_out);
/* Loads and stores that were issued are done. */
bool mali_cs_finish_memory(struct mali_cs *m);
void mali_cs_drop_ops(struct mali_cs *m);

/* ---- time ---- */

/* Work, and waiting for another queue, take time; a queue's other instructions take none. So the times that two
 * queues store are in the order in which the queues wait for each other, however long the host lets a thread sleep
 * between two instructions. A queue may also wait by a loop. */
static inline void mali_cs_advance(struct mali_cs *m)
{
    m->now = mali_timestamp();
    m->is_polling = false;
}

/* ---- flow (cs_machine.c) ---- */

/* Run the handler of the exception, inside the instruction in hand. */
bool mali_cs_handle(struct mali_cs *m, uint64_t va, uint32_t size_B);

/* ---- exceptions (cs_heap.c) ---- */

/* Does a tiler of the queue's heap starve, and the queue has a handler for it? Then this runs it. */
bool mali_cs_look_for_exception(struct mali_cs *m, bool *has_run_out);

/* ---- coherence (cs_coherence.c): only where gpu->coherence is set ---- */

bool mali_cs_coherence_begin(struct mali_cs *m); /* false: no memory */
void mali_cs_coherence_end(struct mali_cs *m);
/* An operation was issued, begins, has ended. One that holds no slot is the machine's own. */
bool mali_cs_coherence_issue(struct mali_cs *m, struct cs_op *op);
void mali_cs_coherence_do(struct mali_cs *m, struct cs_op *op);
/* A flush has been carried out, or tiling is finished. */
void mali_cs_coherence_flush(struct mali_cs *m, uint64_t word);
/* Handlers of a heap that is exhausted see its bins; and then the tiler sees what the handler did. */
void mali_cs_coherence_starve(struct mali_queue *queue);
void mali_cs_coherence_go_on(struct mali_queue *queue);
void mali_cs_coherence_handle(struct mali_cs *m, bool has_ended);

/* ---- mutations (cs_mutations.c): only where gpu->has_mutations is set ---- */

/* A line of the list, of the instruction in hand. */
void mali_cs_note(struct mali_cs *m, const char *what, uint64_t first, uint64_t second);
void mali_cs_end_notes(void);
bool mali_cs_is_left_out(const struct mali_cs *m, uint64_t word);

/* The instructions, and their handlers. */
#define CS_HANDLERS(X)                                                                                                 \
    X(NOP, mali_cs_nop)                                                                                                \
    X(MOVE, mali_cs_move)                                                                                              \
    X(MOVE32, mali_cs_move32)                                                                                          \
    X(WAIT, mali_cs_wait)                                                                                              \
    X(RUN_COMPUTE, mali_cs_run_endpoint)                                                                               \
    X(RUN_TILING, mali_cs_run_endpoint)                                                                                \
    X(RUN_IDVS, mali_cs_run_endpoint)                                                                                  \
    X(RUN_FRAGMENT, mali_cs_run_endpoint)                                                                              \
    X(RUN_FULLSCREEN, mali_cs_run_endpoint)                                                                            \
    X(FINISH_TILING, mali_cs_run_endpoint)                                                                             \
    X(FINISH_FRAGMENT, mali_cs_finish_fragment)                                                                        \
    X(ADD_IMMEDIATE32, mali_cs_add32)                                                                                  \
    X(ADD_IMMEDIATE64, mali_cs_add64)                                                                                  \
    X(UMIN32, mali_cs_umin32)                                                                                          \
    X(LOAD_MULTIPLE, mali_cs_load_multiple)                                                                            \
    X(STORE_MULTIPLE, mali_cs_store_multiple)                                                                          \
    X(BRANCH, mali_cs_branch)                                                                                          \
    X(SET_SB_ENTRY, mali_cs_set_sb_entry)                                                                              \
    X(PROGRESS_WAIT, mali_cs_progress_wait)                                                                            \
    X(SET_EXCEPTION_HANDLER, mali_cs_set_exception_handler)                                                            \
    X(CALL, mali_cs_call)                                                                                              \
    X(JUMP, mali_cs_jump)                                                                                              \
    X(REQ_RESOURCE, mali_cs_req_resource)                                                                              \
    X(FLUSH_CACHE2, mali_cs_flush_cache)                                                                               \
    X(SYNC_ADD32, mali_cs_sync_add32)                                                                                  \
    X(SYNC_SET32, mali_cs_sync_set32)                                                                                  \
    X(SYNC_WAIT32, mali_cs_sync_wait32)                                                                                \
    X(STORE_STATE, mali_cs_store_state)                                                                                \
    X(PROT_REGION, mali_cs_prot_region)                                                                                \
    X(PROGRESS_STORE, mali_cs_progress_store)                                                                          \
    X(PROGRESS_LOAD, mali_cs_progress_load)                                                                            \
    X(RUN_COMPUTE_INDIRECT, mali_cs_run_endpoint)                                                                      \
    X(ERROR_BARRIER, mali_cs_error_barrier)                                                                            \
    X(HEAP_SET, mali_cs_heap_set)                                                                                      \
    X(HEAP_OPERATION, mali_cs_heap_operation)                                                                          \
    X(TRACE_POINT, mali_cs_trace_point)                                                                                \
    X(SYNC_ADD64, mali_cs_sync_add64)                                                                                  \
    X(SYNC_SET64, mali_cs_sync_set64)                                                                                  \
    X(SYNC_WAIT64, mali_cs_sync_wait64)

#define CS_DECLARE_HANDLER(instr, handler) bool handler(struct mali_cs *m, uint64_t word);
CS_HANDLERS(CS_DECLARE_HANDLER)
#undef CS_DECLARE_HANDLER

#endif
