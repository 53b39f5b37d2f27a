/* The state that all blocks of a Mali share: the GPU itself, groups and their queues, and the one stop of a job.
 *
 * Queues run side by side, each in the thread of its ring, so nearly everything belongs to a queue: its address space,
 * its stop, the registers of its command-stream machine. A block gets a struct mali_queue, or a struct mali_run, which
 * has one; what it keeps for all queues (decoded programs) is in its own struct, reached from struct mali_gpu, and has
 * locks.
 *
 * Not for: how the command-stream machine works (cs/), the kernel's side of a job (engine.h), who calls whom
 * (blocks.h). */
#ifndef MALI_MODEL_GPU_H
#define MALI_MODEL_GPU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mali/model/engine.h"
#include "model/memory.h"
#include "model/stop.h"

struct coherence;
struct coherence_actor;
struct mali_chip;
struct mali_cs;
struct mali_frag;
struct mali_group;
struct mali_sc;
struct mali_tiler;
struct workers;

struct mali_gpu {
    const struct mali_chip *chip;
    const struct drm_engine_host *host;
    struct workers *workers; /* all cores, shared by all queues */
    bool is_strict;
    bool has_mutations; /* of tests: cs/cs_mutations.c */

    /* The lock by which queues wait for each other: a SYNC instruction, a progress counter, an exception and a kill
     * wake those that sleep for it. */
    pthread_mutex_t sync_lock;
    struct list sleepers;          /* under the lock */
    _Atomic uint64_t sync_changes; /* grows with each of them; under the lock */

    _Atomic uint64_t progress; /* of all groups */

    struct coherence *coherence;    /* NULL: nothing is looked at (coherence.h) */
    pthread_mutex_t coherence_lock; /* a signal and what it brings are one */

    /* State that blocks keep for all queues. */
    struct mali_sc *sc;
    struct mali_tiler *tiler;
    struct mali_frag *frag;
};

/* Render passes of a heap, counted by HEAP_OPERATION and FINISH_FRAGMENT. */
struct mali_heap {
    uint64_t va;
    _Atomic uint32_t vt_started, vt_completed, frag_completed;
    _Atomic uint32_t freed; /* how often chunks came back */
    /* The exception of a tiler that sleeps because the heap is exhausted. All under sync_lock. */
    bool is_raised;                   /* pending, until some queue's handler begins */
    bool is_handled;                  /* a handler runs */
    uint64_t handled;                 /* handlers that have run to their end */
    struct coherence_actor *starving; /* the tiler's job; NULL: nothing is looked at */
};

#define MALI_GROUP_HEAPS 128 /* as many as the kernel makes in an address space */

/* The registers of a command stream, and how deep streams call each other; a handler of an exception comes on top. */
#define MALI_CS_REGS 96
#define MALI_CS_CALL_DEPTH 8

struct mali_queue {
    struct mali_gpu *gpu;
    struct mali_group *group;
    unsigned number;
    struct mali_cs *cs; /* the machine; its registers stay from job to job */

    struct mali_heap *heap;    /* HEAP_SET; NULL: none */
    _Atomic uint64_t progress; /* the counter of PROGRESS_LOAD, _STORE and _WAIT */

    /* of the running job */
    const struct drm_engine_job *job;
    const struct mali_work *work;
    const struct gpu_space *space;
    const _Atomic bool *killed;
    struct gpu_stop stop;
    struct coherence_actor *coherence; /* of the operation in hand; NULL: nothing is looked at */
    uint8_t reader;                    /* enum mali_client of mali_read; set where `coherence` is */
};

/* The engine's context: what stays as long as the kernel's group. */
struct mali_group {
    const struct gpu_space *space;
    _Atomic uint64_t progress; /* grows while any of its queues gets something done */
    pthread_mutex_t lock;      /* of heap_count */
    unsigned heap_count;
    struct mali_heap heaps[MALI_GROUP_HEAPS];
    struct mali_queue queues[MALI_QUEUE_COUNT];
};

/* Uniforms as they were when a RUN instruction was read. */
#define MALI_RUN_UNIFORM_WORDS 256
struct mali_run_uniforms {
    uint64_t fau; /* the register: address and number; 0: none were copied */
    uint32_t words[MALI_RUN_UNIFORM_WORDS];
};

/* The main difference of draws that follow each other: which vertices they have. */
struct mali_run_draw {
    uint32_t index_count, instance_count, index_offset, vertex_offset, instance_offset;
    uint32_t id; /* 0 where the instruction names no register for it */
};

/* A RUN instruction on its way to an endpoint: it runs later than the instruction was read, with the registers as they
 * were then. Uniforms of vertex and compute shaders are those of then, too: streams store other ones to the same place
 * for the next draw, and wait for nothing. */
struct mali_run {
    struct mali_queue *queue;
    uint64_t word; /* the instruction */
    uint32_t regs[MALI_CS_REGS];
    struct mali_run_uniforms uniforms[2];
    /* More of RUN_IDVS, in their order, which differ in nothing else. */
    const struct mali_run_draw *more;
    uint32_t more_count;
};

/* The copy of what a register points to; NULL: there is none. */
static inline const uint32_t *mali_run_uniforms(const struct mali_run *run, uint64_t fau)
{
    for (unsigned i = 0; i < 2; i++) {
        if (fau && run->uniforms[i].fau == fau)
            return run->uniforms[i].words;
    }
    return NULL;
}

static inline uint64_t mali_run_reg64(const struct mali_run *run, unsigned reg)
{
    return run->regs[reg] | (uint64_t)run->regs[reg + 1] << 32;
}

/* NULL: no memory. */
struct mali_gpu *mali_gpu_create(const struct mali_chip *chip, const struct drm_engine_host *host,
                                 struct workers *workers);
void mali_gpu_destroy(struct mali_gpu *gpu); /* NULL is allowed */

/* End the queue's job: every block returns false from there on, and so does this, from any thread. The first stop
 * counts; the command-stream machine puts the place in the stream around its text. */
bool mali_stop(struct mali_queue *queue, enum gpu_stop_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A stop for an address whose client says itself how it came there: the mappings near it follow. */
bool mali_stop_fault(struct mali_queue *queue, uint64_t va, bool is_write, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A stop for an address; `client` is the part that accessed it ("framebuffer descriptor"). */
bool mali_fault(struct mali_queue *queue, const char *client, uint64_t va, uint64_t size_B, bool is_write);

/* Read a descriptor; false is a fault. Nearly all are in plain memory, and small. */
bool mali_read_any(struct mali_queue *queue, const char *client, uint64_t va, void *data, uint64_t size_B);
static inline bool mali_read(struct mali_queue *queue, const char *client, uint64_t va, void *data, uint64_t size_B)
{
    const void *host = size_B && size_B <= GPU_PAGE_SIZE_B && !queue->coherence
                           ? gpu_space_pointer(queue->space, va, (uint32_t)size_B, GPU_PERM_READ)
                           : NULL;
    if (!host)
        return mali_read_any(queue, client, va, data, size_B);
    memcpy(data, host, size_B);
    return true;
}

static inline bool mali_is_stopped(const struct mali_queue *queue)
{
    return gpu_stop_is_set(&queue->stop);
}

/* Was the job killed from outside? Whoever sees it ends soon with GPU_STOP_KILLED. */
static inline bool mali_is_killed(const struct mali_queue *queue)
{
    return queue->killed && atomic_load_explicit(queue->killed, memory_order_relaxed);
}

/* An instruction, a workgroup, a tile is done; from any thread. */
static inline void mali_progress(struct mali_queue *queue)
{
    atomic_fetch_add_explicit(&queue->group->progress, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&queue->gpu->progress, 1, memory_order_relaxed);
}

/* ---- sleeping for other queues ---- */

/* A value in memory that a queue sleeps for. */
struct mali_awaited {
    const void *host; /* NULL: only the queue itself can look */
    uint32_t size_B;  /* 4 or 8 */
    bool is_at_most;  /* the reference; otherwise it is to be greater */
    uint64_t reference;
};
bool mali_is_there(const struct mali_awaited *awaited, uint64_t value);

/* Sleep until something has happened that a queue may wait for, or the host may have written memory (a millisecond), or
 * a kill. `awaited` NULL: it is nothing in memory. `seen` is of mali_sync_changes before the caller looked at what it
 * waits for. */
uint64_t mali_sync_changes(struct mali_gpu *gpu);
void mali_sync_sleep(struct mali_queue *queue, const struct mali_awaited *awaited, uint64_t seen);
/* All are to look again; those whose memory has what they sleep for; those that sleep for a counter or a heap. */
void mali_sync_wake(struct mali_gpu *gpu);
void mali_sync_wake_memory(struct mali_gpu *gpu);
void mali_sync_wake_others(struct mali_gpu *gpu);

#endif
