/* What runs the jobs: the interface between the kernel driver's model, which owns contexts, memory and order between
 * submissions, and the GPU behind it (command processor, shaders, pipeline). The kernel model never looks into a
 * stream; the engine never sees an ioctl. */
#ifndef AMD_MODEL_ENGINE_H
#define AMD_MODEL_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct amd_chip;
struct amd_engine;
struct amd_engine_context;
struct gpu_space;
struct strbuf;

enum amd_ring_kind {
    AMD_RING_GFX,
    AMD_RING_COMPUTE,
    AMD_RING_SDMA,
    AMD_RING_KIND_COUNT,
};

#define AMD_MAX_RINGS 4 /* of one kind */

/* "graphics" */
static inline const char *amd_ring_name(enum amd_ring_kind kind)
{
    return kind == AMD_RING_GFX ? "graphics" : kind == AMD_RING_COMPUTE ? "compute" : "DMA";
}

/* Indirect buffers of one job run one after the other. */
struct amd_engine_ib {
    uint64_t va;
    uint32_t size_dw;
    uint32_t flags; /* AMDGPU_IB_FLAG_*; a PREAMBLE was already left out when the same context ran last on this ring */
};

/* A part of the on-chip memory that the kernel gave to this job's context; size 0: none. */
struct amd_engine_partition {
    uint32_t base;
    uint32_t size;
};

/* How a job ended. */
struct amd_engine_result {
    int error; /* 0; -EFAULT: an access to an unmapped page; -ENOSYS: a stop at something unimplemented; -ETIME: killed;
                  -EIO: a broken stream or a strict-mode error. Anything but 0 loses the job's context. */
    const char *report; /* text for people, any number of lines; NULL when error is 0 */
};

struct amd_engine_job {
    /* Filled in by the kernel model and constant while the engine has the job. */
    enum amd_ring_kind ring_kind;
    uint32_t ring;
    struct amd_engine_context *context;
    const struct gpu_space *space;
    const struct amd_engine_ib *ibs;
    uint32_t ib_count;
    struct amd_engine_partition gds_B, gws, oa;

    /* Set from outside at any time: end soon, with -ETIME. Engines look at it on back edges and between packets, and
     * before they begin: a job that is killed by then must not begin. */
    _Atomic bool killed;

    /* Called once, from any thread, when every effect of the job is in memory. The job is the kernel model's again. */
    void (*finished)(struct amd_engine_job *job, const struct amd_engine_result *result);

    void *engine_data; /* the engine's own, NULL at submit */
};

/* What an engine may ask of the kernel model; from any thread. */
struct amd_engine_host {
    /* Append what is mapped at or near an address of this space: buffers with their ranges, below and above. */
    void (*describe_address)(const struct gpu_space *space, uint64_t va, struct strbuf *text);
};

struct amd_engine_ops {
    const char *name;

    /* One engine per device. 0 or -errno. */
    int (*create)(const struct amd_chip *chip, const struct amd_engine_host *host, struct amd_engine **engine_out);
    void (*destroy)(struct amd_engine *engine); /* no job is left */

    /* State that belongs to a kernel context, not to a ring: shadowed registers, say. Destroyed when none of its jobs
     * is left. */
    int (*context_create)(struct amd_engine *engine, const struct gpu_space *space,
                          struct amd_engine_context **context_out);
    void (*context_destroy)(struct amd_engine *engine, struct amd_engine_context *context);

    /* Take a job. Jobs of one ring run in the order in which they come; rings run beside each other and wait for each
     * other by memory. Must not block: the work is done by the engine's own threads. The kernel model hands over only
     * jobs whose dependencies are met, a few per ring at a time. */
    void (*submit)(struct amd_engine *engine, struct amd_engine_job *job);

    /* job->killed was set: wake whatever sleeps for it. Must not call `finished` itself, nor wait for a thread that
     * does. */
    void (*kill)(struct amd_engine *engine, struct amd_engine_job *job);

    /* A number that grows while anything gets done (packets, workgroups, tiles). A ring whose engine has stood still
     * for some seconds has its job killed. Must not block. */
    uint64_t (*progress)(struct amd_engine *engine);

    /* The counter of chip->counter_freq_kHz that timestamps use. */
    uint64_t (*timestamp)(struct amd_engine *engine);
};

/* The engine that the model's library is built with. */
const struct amd_engine_ops *amd_engine_default(void);

#endif
