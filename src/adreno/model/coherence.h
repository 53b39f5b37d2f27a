/* Who accesses memory, and through which cache: what src/model/coherence is told by all blocks of this GPU
 * (docs/coherence.md). gpu->coherence is NULL unless TUFF_DEBUG=coherence. */
#ifndef ADRENO_MODEL_COHERENCE_H
#define ADRENO_MODEL_COHERENCE_H

#include "model/coherence/coherence.h"

struct adreno_gpu;

enum adreno_client {
    ADRENO_CLIENT_HOST,
    ADRENO_CLIENT_CP_FETCH, /* packets */
    ADRENO_CLIENT_CP_READ,  /* packets that wait for the micro engine by themselves */
    ADRENO_CLIENT_CP_EARLY, /* packets that do not */
    ADRENO_CLIENT_CP_POLL,  /* packets that look again, or wait for events by themselves */
    ADRENO_CLIENT_CP_WRITE,
    ADRENO_CLIENT_EVENT,  /* what an event writes when it comes to the pipeline's end */
    ADRENO_CLIENT_COUNTS, /* of stream out */
    ADRENO_CLIENT_STATE,
    ADRENO_CLIENT_DESCRIPTOR,
    ADRENO_CLIENT_PROGRAM,
    ADRENO_CLIENT_SHADER,
    ADRENO_CLIENT_TEXTURE,
    ADRENO_CLIENT_INDEX,
    ADRENO_CLIENT_VERTEX,
    ADRENO_CLIENT_STREAM_OUT,
    ADRENO_CLIENT_VSC,
    ADRENO_CLIENT_VISIBILITY,
    ADRENO_CLIENT_LRZ,
    ADRENO_CLIENT_COLOR,
    ADRENO_CLIENT_DEPTH,
    ADRENO_CLIENT_A2D_SOURCE,
    ADRENO_CLIENT_A2D,
    ADRENO_CLIENT_BLIT_LOAD,
    ADRENO_CLIENT_BLIT_STORE,
    ADRENO_CLIENT_GMEM, /* the RB's own side of GMEM */
    ADRENO_CLIENT_COUNT,
};

enum adreno_coherence_event {
    ADRENO_COHERENCE_CACHE_FLUSH,
    ADRENO_COHERENCE_CACHE_INVALIDATE,
    ADRENO_COHERENCE_FLUSH_COLOR,
    ADRENO_COHERENCE_FLUSH_DEPTH,
    ADRENO_COHERENCE_INVALIDATE_COLOR,
    ADRENO_COHERENCE_INVALIDATE_DEPTH,
    ADRENO_COHERENCE_RESOLVE,
    ADRENO_COHERENCE_LRZ_FLUSH,
    ADRENO_COHERENCE_BINDLESS,
    ADRENO_COHERENCE_WAIT_MEM_WRITES,
    ADRENO_COHERENCE_WAIT_FOR_IDLE,
    ADRENO_COHERENCE_WAIT_FOR_ME,
    ADRENO_COHERENCE_FLUSH_SO,
    ADRENO_COHERENCE_OWN_WAIT,  /* a packet that waits for the CP's writes before it reads */
    ADRENO_COHERENCE_JOB_BEGIN, /* the kernel's stream around a job */
    ADRENO_COHERENCE_JOB_END,
    ADRENO_COHERENCE_EVENT_COUNT,
};

/* Sets gpu->coherence if it is wanted: one for all rings, which run one at a time. False: no memory. */
bool adreno_coherence_create(struct adreno_gpu *gpu);
void adreno_coherence_destroy(struct adreno_gpu *gpu);

/* For tests (model/coherence/list.h): an event in the list of what a run did; what is no packet for caches alone has no
 * number there. False: it is to be left out. */
bool adreno_coherence_takes(uint32_t job, enum adreno_coherence_event event);

/* Where GMEM stands among the lines of an address space: nothing is mapped there. */
#define ADRENO_COHERENCE_GMEM (1ull << 47)

/* The view that a colour target or a surface of depth is accessed by: lines of the CCU are found by it, too. */
static inline unsigned adreno_ccu_view(unsigned target, unsigned layer)
{
    return target + layer * 8;
}

/* The test that costs something where nothing is looked at: for places that many bytes go through at once. */
#define ADRENO_READS(c, client, va, size_B)                                                                            \
    do {                                                                                                               \
        if (__builtin_expect((c) != NULL, 0))                                                                          \
            coherence_read((c), (client), 0, (va), (size_B));                                                          \
    } while (0)
#define ADRENO_WRITES(c, client, va, size_B)                                                                           \
    do {                                                                                                               \
        if (__builtin_expect((c) != NULL, 0))                                                                          \
            coherence_write((c), (client), 0, (va), (size_B));                                                         \
    } while (0)

#endif
