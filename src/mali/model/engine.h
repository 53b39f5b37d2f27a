/* The work of a job, between the panthor kernel driver's model and the GPU. How jobs come and go is
 * model/drm/drm_engine.h's. */
#ifndef MALI_MODEL_ENGINE_H
#define MALI_MODEL_ENGINE_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "model/drm/drm_engine.h"

/* A group has up to eight queues, and each is a command-stream machine of its own; all of them run at the same time and
 * wait for each other by memory. A group is one drm_engine_context. While it has work it holds a slot, and its queues
 * are the slot's rings: so a ring's next job may be of another group, and what persists belongs to the context. */
#define MALI_QUEUE_COUNT 8
#define MALI_SLOT_COUNT 32
#define MALI_RING_COUNT (MALI_SLOT_COUNT * MALI_QUEUE_COUNT)

static inline uint32_t mali_ring(uint32_t slot, uint32_t queue)
{
    return slot * MALI_QUEUE_COUNT + queue;
}

static inline uint32_t mali_ring_slot(uint32_t ring)
{
    return ring / MALI_QUEUE_COUNT;
}

static inline uint32_t mali_ring_queue(uint32_t ring)
{
    return ring % MALI_QUEUE_COUNT;
}

/* drm_engine_job.work: a stretch of the queue's ring buffer, which lies in the job's address space. The kernel has
 * written there what it puts around a user's stream: FLUSH_CACHE2, CALL, WAIT for all, SYNC_ADD64 with the error,
 * ERROR_BARRIER, with r92 to r95 as its own registers. The job has ended when the stretch has, and all that it started.
 * Registers of a queue are zero when its group is new, and stay from job to job. */
struct mali_work {
    uint64_t ring_va;
    uint32_t ring_B;    /* a multiple of an instruction's 8 bytes */
    uint64_t stream_va; /* the user's stream, for reports and traces; the CALL has it, too */
    uint32_t stream_B;

    /* LATEST_FLUSH_ID, a page that user space reads: a cache flush counts it up, and one whose own id is older than the
     * last flush may be left out. Never NULL. */
    _Atomic uint32_t *flush_id;

    /* The tiler has used up the chunks of a heap (its context's address): ask the kernel for another. *chunk_out is the
     * link as chunk headers have it, the address with the size in units of 4096 bytes in its low 12 bits. 0; -ENOMEM:
     * the heap's limit, or more render passes in flight than it is made for; -EINVAL: no such heap. From any thread;
     * it may take locks of the address space, but never waits for a job. */
    int (*grow_heap)(const struct drm_engine_job *job, uint64_t heap_va, uint32_t passes_in_flight,
                     uint32_t fragments_pending, uint64_t *chunk_out);
};

/* The engine that the model's library is built with; its chip is a struct mali_chip. */
extern const struct drm_engine_ops mali_engine_ops;

/* The host's clock in ticks of a counter that never stops. */
static inline uint64_t mali_ticks(uint64_t per_second)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * per_second + (uint64_t)now.tv_nsec * per_second / 1000000000;
}

/* The system counter of the chips, which timestamps are: 24 MHz. The counter of cycles runs at
 * mali_chip.max_freq_Hz. */
#define MALI_TICKS_PER_SECOND 24000000ull
static inline uint64_t mali_timestamp(void)
{
    return mali_ticks(MALI_TICKS_PER_SECOND);
}

#endif
