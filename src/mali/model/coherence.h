/* Who accesses memory, and through which cache: what src/model/coherence is told by all blocks of this GPU
 * (docs/coherence.md). A queue's `coherence` is NULL unless TUFF_DEBUG=coherence; else it is the operation in hand. */
#ifndef MALI_MODEL_COHERENCE_H
#define MALI_MODEL_COHERENCE_H

#include "model/coherence/coherence.h"

struct mali_gpu;
struct mali_queue;

enum mali_client {
    MALI_CLIENT_HOST,
    MALI_CLIENT_CS,         /* loads and stores of the command stream */
    MALI_CLIENT_SIGNAL,     /* SYNC_ADD and SYNC_SET */
    MALI_CLIENT_DESCRIPTOR, /* what compute and fragment jobs read before their shaders run, and bins */
    MALI_CLIENT_TILER,      /* the tiler's descriptors, indices and bins */
    MALI_CLIENT_SHADER,
    MALI_CLIENT_ATOMIC,
    MALI_CLIENT_IMAGE, /* LD_TEX */
    MALI_CLIENT_ATTRIBUTE,
    MALI_CLIENT_VARYING,
    MALI_CLIENT_TEXTURE,   /* TEX_* */
    MALI_CLIENT_WRITEBACK, /* of tiles */
    MALI_CLIENT_OCCLUSION, /* counters */
    MALI_CLIENT_COUNT,
};

enum mali_coherence_event {
    MALI_COHERENCE_LSC_CLEAN, /* parts of FLUSH_CACHE2, in the order in which they come */
    MALI_COHERENCE_L2_CLEAN,
    MALI_COHERENCE_L2_INVALIDATE,
    MALI_COHERENCE_LSC_INVALIDATE,
    MALI_COHERENCE_OTHER_INVALIDATE,
    MALI_COHERENCE_FINISH_TILING,
    MALI_COHERENCE_EVENT_COUNT,
};

/* Sets gpu->coherence if it is wanted. False: no memory. */
bool mali_coherence_create(struct mali_gpu *gpu);

/* The bytes are handed out anew; only where the queue's `coherence` is set. */
void mali_coherence_discard(struct mali_queue *queue, uint64_t va, uint64_t size_B);

/* The test that costs something where nothing is looked at. */
#define MALI_READS(queue, client, va, size_B)                                                                          \
    do {                                                                                                               \
        if (__builtin_expect((queue)->coherence != NULL, 0))                                                           \
            coherence_read((queue)->coherence, (client), 0, (va), (size_B));                                           \
    } while (0)
#define MALI_WRITES(queue, client, va, size_B)                                                                         \
    do {                                                                                                               \
        if (__builtin_expect((queue)->coherence != NULL, 0))                                                           \
            coherence_write((queue)->coherence, (client), 0, (va), (size_B));                                          \
    } while (0)

#endif
