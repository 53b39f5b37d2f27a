/* Who accesses memory, and through which cache: what src/model/coherence is told by all blocks of this GPU
 * (docs/coherence.md). Nobody is told anything unless TUFF_DEBUG=coherence: then a ring is an actor, and what it starts
 * are commands beside it. */
#ifndef AMD_MODEL_COHERENCE_H
#define AMD_MODEL_COHERENCE_H

#include "model/coherence/coherence.h"

enum amd_client {
    AMD_CLIENT_HOST,
    AMD_CLIENT_ME,    /* packets' own accesses */
    AMD_CLIENT_PFP,   /* those of the front, which runs ahead */
    AMD_CLIENT_EVENT, /* what an event writes at the end of the pipe */
    AMD_CLIENT_DMA,
    AMD_CLIENT_DMA_MEMORY, /* around the second level */
    AMD_CLIENT_SDMA,
    AMD_CLIENT_INDEX,
    AMD_CLIENT_LEVELS, /* of tessellation */
    AMD_CLIENT_CODE,
    AMD_CLIENT_SCALAR,
    AMD_CLIENT_VECTOR,
    AMD_CLIENT_VECTOR_GL1, /* loads that leave out the nearest cache */
    AMD_CLIENT_VECTOR_GL2,
    AMD_CLIENT_ATOMIC,
    AMD_CLIENT_TEXTURE_META,
    AMD_CLIENT_COLOR,
    AMD_CLIENT_COLOR_META,
    AMD_CLIENT_DEPTH,
    AMD_CLIENT_DEPTH_META,
    AMD_CLIENT_COUNT,
};

/* Commands that run beside a ring: each set has a packet that waits for it. */
enum amd_set {
    AMD_SET_VERTICES,
    AMD_SET_PIXELS,
    AMD_SET_COMPUTE,
    AMD_SET_DMA,
    AMD_SET_EVENTS, /* which travel down the pipe */
    AMD_SET_COUNT,
};

enum amd_coherence_event {
    AMD_COHERENCE_GLM_WB,
    AMD_COHERENCE_GL2_WB,
    AMD_COHERENCE_GL2_INV,
    AMD_COHERENCE_GLM_INV,
    AMD_COHERENCE_GL1_INV,
    AMD_COHERENCE_GLV_INV,
    AMD_COHERENCE_GLK_INV,
    AMD_COHERENCE_GLI_INV,
    AMD_COHERENCE_CB_DATA,
    AMD_COHERENCE_CB_META,
    AMD_COHERENCE_DB_DATA,
    AMD_COHERENCE_DB_META,
    AMD_COHERENCE_BACKENDS, /* all four */
    AMD_COHERENCE_PFP_SYNC,
    /* Waits for commands beside the ring; nothing happens to caches. */
    AMD_COHERENCE_VS_WAIT,
    AMD_COHERENCE_PS_WAIT,
    AMD_COHERENCE_CS_WAIT,
    AMD_COHERENCE_DMA_WAIT,
    AMD_COHERENCE_EOP_WAIT,
    /* The kernel's stream around a job; the first alone where a buffer asks for it. */
    AMD_COHERENCE_MEM_SYNC,
    AMD_COHERENCE_JOB_BEGIN,
    AMD_COHERENCE_JOB_END,
    AMD_COHERENCE_EVENT_COUNT,
};

struct cp_machine;

/* One for all rings of a device; NULL: it is not wanted, or, with *is_ok_out false, there is no memory. */
struct coherence *amd_coherence_create(bool *is_ok_out);

/* For tests (model/coherence/list.h): an event in the list of what a run did; the kernel's have no number there. False:
 * it is to be left out. */
bool amd_coherence_takes(uint32_t job, enum amd_coherence_event event);

#endif
