/* See drm_ring.h. */
#include "model/drm/drm_ring.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "model/engine_threads.h"
#include "model/stat.h"
#include "util/bits.h"

void drm_ring_init(struct drm_ring *ring, const struct drm_ring_ops *ops)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    *ring = (struct drm_ring){.ops = ops};
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    list_init(&ring->jobs);
}

static void *ring_main(void *argument)
{
    struct drm_ring *ring = argument;
    engine_thread_begin();
    pthread_mutex_lock(&ring->lock);
    for (;;) {
        if (!list_is_empty(&ring->jobs)) {
            struct drm_engine_job *job = container_of(ring->jobs.next, struct drm_engine_job, node);
            list_remove(&job->node);
            pthread_mutex_unlock(&ring->lock);
            if (STAT_ON)
                stat_ring_begin(job->ring);
            struct drm_engine_result result = ring->ops->run(ring, job);
            if (STAT_ON)
                stat_ring_end();
            job->finished(job, &result);
            pthread_mutex_lock(&ring->lock);
        } else if (ring->is_ending) {
            break;
        } else {
            pthread_cond_wait(&ring->wake, &ring->lock);
        }
    }
    pthread_mutex_unlock(&ring->lock);
    engine_thread_end();
    return NULL;
}

void drm_ring_stop(struct drm_ring *ring)
{
    if (!ring->is_running || ring->is_ending)
        return;
    pthread_mutex_lock(&ring->lock);
    ring->is_ending = true;
    pthread_cond_signal(&ring->wake);
    pthread_mutex_unlock(&ring->lock);
    pthread_join(ring->thread, NULL);
}

bool drm_ring_finish(struct drm_ring *ring)
{
    drm_ring_stop(ring);
    pthread_cond_destroy(&ring->wake);
    pthread_mutex_destroy(&ring->lock);
    return ring->is_running;
}

/* The lock is held. */
static bool start_thread(struct drm_ring *ring)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    ring->is_running = pthread_create(&ring->thread, NULL, ring_main, ring) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ring->is_running;
}

int drm_ring_submit(struct drm_ring *ring, struct drm_engine_job *job)
{
    pthread_mutex_lock(&ring->lock);
    if (!ring->is_ready)
        ring->is_ready = ring->ops->start(ring);
    bool is_ready = ring->is_ready, has_thread = is_ready && (ring->is_running || start_thread(ring));
    if (has_thread)
        list_push_back(&ring->jobs, &job->node);
    pthread_mutex_unlock(&ring->lock);
    if (has_thread) {
        pthread_cond_signal(&ring->wake); /* not before: the thread would be woken to wait for the lock */
    } else if (is_ready) {
        /* The host gives no thread: then the submitting thread does the work, one job at a time. */
        engine_thread_begin();
        struct drm_engine_result result = ring->ops->run(ring, job);
        engine_thread_end();
        job->finished(job, &result);
    }
    return is_ready ? 0 : -ENOMEM;
}

void drm_ring_wake(struct drm_ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    pthread_cond_signal(&ring->wake);
    pthread_mutex_unlock(&ring->lock);
}

void drm_ring_pause(struct drm_ring *ring, const struct drm_engine_job *job, uint32_t microseconds)
{
    const unsigned before = stat_enter_wait(STAT_FOR_MEMORY);
    if (microseconds == 0) {
        sched_yield();
        stat_leave(before);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += microseconds * 1000l;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&ring->lock);
    if (!atomic_load_explicit(&job->killed, memory_order_relaxed))
        pthread_cond_timedwait(&ring->wake, &ring->lock, &until);
    pthread_mutex_unlock(&ring->lock);
    stat_leave(before);
}
