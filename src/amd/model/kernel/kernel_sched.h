/* Order between jobs: what a submission becomes, and the queues that feed the engine's rings. */
#ifndef AMD_MODEL_KERNEL_SCHED_H
#define AMD_MODEL_KERNEL_SCHED_H

#include "amd/model/kernel/kernel_types.h"

struct amd_job;

struct amd_job_dependency {
    struct drm_fence_callback callback;
    struct amd_job *job;
    struct drm_fence *fence; /* a reference */
};

/* A job is built by the submission, then belongs to the scheduler, which frees it. */
struct amd_job {
    struct amd_engine_job base;
    struct amd_entity *entity; /* kept alive by ctx */
    struct amd_ctx *ctx;       /* references */
    struct amd_vm *vm;
    struct drm_fence *fence;     /* it is done */
    struct drm_fence *scheduled; /* it has gone to its ring */
    uint64_t seq;
    uint64_t order; /* of submission, across all queues */
    ARRAY(struct amd_engine_ib) ibs;
    ARRAY(struct amd_job_dependency) dependencies;
    _Atomic uint32_t dependencies_left; /* and one for the submission itself */
    struct amd_bo_list bos;
    struct amd_bo *user_fence_bo; /* where the sequence number is written at the end; NULL: nowhere */
    uint32_t user_fence_offset_B;
    struct list node; /* in its queue, then in its ring's list of running jobs */
};

int amd_sched_create(struct amd_device *device, struct amd_sched **sched_out);
/* No job is left. Stopped, it asks the engine for nothing more; destroyed when the engine is no more, which may still
 * be telling of the last job. */
void amd_sched_stop(struct amd_sched *sched);
void amd_sched_destroy(struct amd_sched *sched);

/* An empty job of this queue; NULL without memory. */
struct amd_job *amd_job_create(struct amd_entity *entity);
void amd_job_destroy(struct amd_job *job); /* one that was never submitted; NULL is allowed */

/* The job starts after this fence; takes no reference of the caller's. 0 or -ENOMEM. */
int amd_job_depend(struct amd_job *job, struct drm_fence *fence);

/* Queue it: from now on it is the scheduler's. The caller orders jobs of one queue by its own lock. 0 or -ENOMEM, and
 * then the job is still the caller's. */
int amd_sched_queue(struct amd_sched *sched, struct amd_job *job);
/* Start what can be started. The caller holds no lock. */
void amd_sched_kick(struct amd_sched *sched);

/* Wait until no job of this context is queued or running; false at the deadline. */
bool amd_sched_wait_ctx(struct amd_sched *sched, struct amd_ctx *ctx, int64_t deadline_ns);
/* The same for all contexts. */
bool amd_sched_wait_idle(struct amd_sched *sched, int64_t deadline_ns);
/* End what runs of it, and let nothing more start. */
void amd_sched_kill_ctx(struct amd_sched *sched, struct amd_ctx *ctx);

/* kernel_implicit.c: what these jobs of one space, the last of which ends last, must wait for because others use the
 * buffers, too; and from now on the others wait for them. To be called before they are queued. 0 or -ENOMEM. */
int amd_implicit_sync(struct amd_job *const *jobs, uint32_t count, const struct amd_bo_list *bos);

/* kernel_trace.c: a job goes to its ring; write its streams where the environment asks for it. */
void amd_trace_job(const struct amd_job *job);

#endif
