/* The thread of one ring: takes the ring's jobs in order and runs each to its end. It starts with the first job, since
 * many programs only ask what there is, and sleeps in the waits of a job, so that other rings go on. For engines. */
#ifndef MODEL_DRM_RING_H
#define MODEL_DRM_RING_H

#include <pthread.h>

#include "model/drm/drm_engine.h"

struct drm_ring;

struct drm_ring_ops {
    /* Before the first job, in the thread that submits it, with the ring's lock held: bring what jobs run on. */
    bool (*start)(struct drm_ring *ring);
    /* Run one job, in the ring's thread. The result's report stays valid until the next call. */
    struct drm_engine_result (*run)(struct drm_ring *ring, struct drm_engine_job *job);
};

/* Embedded in an engine's own ring. */
struct drm_ring {
    const struct drm_ring_ops *ops;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* a job, a kill, the end */
    struct list jobs;
    bool is_ready;   /* what jobs run on is there */
    bool is_running; /* the thread */
    bool is_ending;
    pthread_t thread;
};

void drm_ring_init(struct drm_ring *ring, const struct drm_ring_ops *ops);
/* Ends the thread after the jobs that it has; true when it was ever started. */
bool drm_ring_finish(struct drm_ring *ring);
/* Only the first part of that, its thread's end: where rings submit to each other, all are to be stopped before the
 * first is finished. */
void drm_ring_stop(struct drm_ring *ring);

/* 0, or -ENOMEM where the ring could not start; then the job is still the caller's. Where the host gives no thread the
 * job has ended when this returns: the kernel model submits one at a time to a ring. */
int drm_ring_submit(struct drm_ring *ring, struct drm_engine_job *job);
/* A job of this ring was killed: whatever sleeps for it wakes up. */
void drm_ring_wake(struct drm_ring *ring);
/* A wait inside a job, from `run`: 0 microseconds gives the processor away, more sleep until a kill or that time. */
void drm_ring_pause(struct drm_ring *ring, const struct drm_engine_job *job, uint32_t microseconds);

#endif
