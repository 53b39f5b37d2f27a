/* Order between jobs: what a submission becomes, and the queues that feed the engine's rings. A family embeds the
 * structs first in its own: a context is lost as a whole and has a priority, a queue has the jobs of one context
 * for one ring, in order. */
#ifndef MODEL_DRM_JOB_H
#define MODEL_DRM_JOB_H

#include "model/drm/drm_device.h"
#include "model/drm/drm_fence.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_vm.h"

struct drm_job;

struct drm_context {
    _Atomic uint32_t refs;
    struct drm_device *device;
    struct drm_vm *vm; /* a reference */
    uint32_t id;       /* for reports */
    _Atomic int32_t priority;
    _Atomic bool is_guilty; /* one of its jobs was lost: nothing runs any more */
    uint32_t unfinished;    /* jobs queued or running; under drm_sched.lock */
    struct drm_engine_context *engine_context;
};

/* In zeroed memory, with one reference. 0 or -errno, and then nothing is to be undone. */
int drm_context_init(struct drm_context *context, struct drm_device *device, struct drm_vm *vm, int32_t priority);
struct drm_context *drm_context_ref(struct drm_context *context);
void drm_context_unref(struct drm_context *context); /* NULL is allowed */

struct drm_queue {
    struct drm_context *context;
    uint32_t ring;
    struct list jobs; /* in order; under drm_sched.lock, as the next one */
    struct list node; /* in its ring's, while it has jobs */
};

void drm_queue_init(struct drm_queue *queue, struct drm_context *context, uint32_t ring);

struct drm_dependency {
    struct drm_fence_callback callback;
    struct drm_job *job;
    struct drm_fence *fence; /* a reference */
};

/* A family's operations on its part of a job. */
struct drm_job_ops {
    size_t job_B; /* of the whole struct */
    /* It goes to its ring, where the job before it was of the same queue or not: fill in base.work. Called without
     * locks, but in the order of the ring. */
    void (*starts)(struct drm_job *job, bool is_same_queue);
    /* Its own fault or hang loses its context: note it where user space asks for it. Nobody knows of the loss yet; the
     * scheduler's lock is held. May be NULL. */
    void (*lost)(struct drm_job *job);
    /* It has ended, before its fence is signaled. May be NULL. */
    void (*ended)(struct drm_job *job, int error);
    void (*finish)(struct drm_job *job); /* free what the family has in it; may be NULL */
};

/* A job is built by the submission, then belongs to the scheduler, which frees it. */
struct drm_job {
    struct drm_engine_job base;
    const struct drm_job_ops *ops;
    struct drm_queue *queue;     /* kept alive by its context */
    struct drm_context *context; /* references */
    struct drm_vm *vm;
    struct drm_fence *fence;     /* it is done */
    struct drm_fence *scheduled; /* it has gone to its ring */
    uint64_t seq;                /* the family's number, for reports */
    bool is_empty;               /* it only waits and signals: an idle ring need not see it */
    const char *killed_why;      /* by the scheduler's watchdog; NULL: it was not */
    int engine_error;            /* how the engine ended it (drm_engine_result.error), for `lost` */
    uint64_t order;              /* of submission, across all queues */
    ARRAY(struct drm_dependency) dependencies;
    _Atomic uint32_t dependencies_left; /* and one for the submission itself */
    struct drm_use_list uses;
    struct list node; /* in its queue, then in its ring's list of running jobs */
};

int drm_sched_create(struct drm_device *device, struct drm_sched **sched_out);
/* No job is left. Stopped, it asks the engine for nothing more; destroyed when the engine is no more, which may still
 * be reporting the last job. */
void drm_sched_stop(struct drm_sched *sched);
void drm_sched_destroy(struct drm_sched *sched);

/* An empty job of this queue; NULL without memory. */
struct drm_job *drm_job_create(const struct drm_job_ops *ops, struct drm_queue *queue);
void drm_job_destroy(struct drm_job *job); /* one that was never submitted; NULL is allowed */

/* The job starts after this fence; takes no reference of the caller's. 0 or -ENOMEM. */
int drm_job_depend(struct drm_job *job, struct drm_fence *fence);

/* The fence that these jobs of one space, the last of which ends last, must wait for because others use the buffers,
 * too; and from now on the others wait for them. To be called before they are queued. 0 or -ENOMEM. */
int drm_implicit_sync(struct drm_job *const *jobs, uint32_t count, const struct drm_use_list *list);

/* Waits for a buffer to be idle include these jobs of one space from now on, with `is_of_space` waits for the space,
 * too; `also` is used by the last of them (NULL: nothing). The last step that may fail: they are queued next. 0, or
 * -ENOMEM and nothing has changed. */
int drm_jobs_publish(struct drm_job *const *jobs, uint32_t count, bool is_of_space, const struct drm_use_list *also);

/* Queue it: from now on it is the scheduler's. The caller orders jobs of one queue by its own lock. It needs no memory:
 * where it would be short, a submission has been refused before. */
void drm_sched_queue(struct drm_sched *sched, struct drm_job *job);
/* Start what can be started. The caller holds no lock. */
void drm_sched_kick(struct drm_sched *sched);

/* Wait until no job of this context is queued or running; false at the deadline. */
bool drm_sched_wait_context(struct drm_sched *sched, struct drm_context *context, int64_t deadline_ns);
/* Waits for all contexts. */
bool drm_sched_wait_idle(struct drm_sched *sched, int64_t deadline_ns);
/* End its running jobs, and let no more start. */
void drm_sched_kill_context(struct drm_sched *sched, struct drm_context *context);

#endif
