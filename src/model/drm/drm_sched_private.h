/* The scheduler's inside, for its two files: drm_sched.c, which starts jobs and ends them, and drm_watch.c, which ends
 * those that hang. */
#ifndef MODEL_DRM_SCHED_PRIVATE_H
#define MODEL_DRM_SCHED_PRIVATE_H

#include "model/drm/drm_given.h"
#include "model/drm/drm_job.h"

#define RINGS_MAX 512
#define WATCH_PERIOD_NS 250000000ll

struct drm_sched_ring {
    struct list running; /* jobs that the engine has */
    uint32_t in_flight;
    bool feeding;                 /* a thread is handing jobs over, without the lock */
    const struct drm_queue *last; /* whose state the ring has */
    struct list queues;           /* that have jobs for it */
    /* By the clock of drm_given.h. */
    uint64_t last_progress;
    int64_t last_progress_ns;
    uint64_t front; /* order of the job that runs, and since when it does */
    int64_t front_since_ns;
};

struct drm_sched {
    struct drm_device *device;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* the thread: a dependency was met, or the end */
    pthread_cond_t idle; /* a job has ended */
    pthread_t thread;
    _Atomic bool thread_runs;
    bool sleeps; /* the thread, for as long as it is let; otherwise it looks by itself when a period is over */
    bool kicked;
    bool ending;
    uint64_t next_order;
    uint32_t unfinished;    /* jobs of all contexts, queued or running */
    int64_t timeout_ns;     /* without progress */
    int64_t limit_ns;       /* with it; 0: none */
    struct drm_given given; /* the thread's; the clock itself under the lock */
    bool stands_still;      /* some ring, when it was looked at last */
    char limit_text[64];
    uint64_t waiting[RINGS_MAX / 64]; /* rings that have queues */
    uint32_t ring_count;
    struct drm_sched_ring *rings;
};

/* ---- with the lock ---- */

/* End what the engine has of this context. */
void drm_sched_kill_running(struct drm_sched *sched, const struct drm_context *context);

/* The time that a job has, from the environment. */
void drm_watch_init(struct drm_sched *sched);
/* A ring whose job has stood still, or has run, for too long loses it. True: some ring has a job. Gives the lock away
 * for a moment. */
bool drm_watch_rings(struct drm_sched *sched);

#endif
