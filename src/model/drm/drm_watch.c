/* The watchdog: jobs that make no progress end, and so do those that have made it for too long. Both times stand while
 * the host gives no processor (drm_given.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/drm/drm_sched_private.h"
#include "util/bits.h"
#include "util/debug.h"
#include "util/log.h"

#define DEFAULT_TIMEOUT_MS 5000
#define DEFAULT_LIMIT_S 900 /* a job that only ever makes progress ends, too: an indirect count that is wild */

/* The lock is held. A killed job has not ended: the engine does not answer. A kernel driver resets it then, and the
 * work of others that is there is lost. */
static void reset_engine(struct drm_sched *sched, const struct drm_job *stuck)
{
    const struct drm_driver *driver = sched->device->driver;
    for (uint32_t i = 0; driver->context_reset && i < sched->ring_count; i++) {
        list_foreach (&sched->rings[i].running, struct drm_job, job, node) {
            struct drm_context *context = job->context;
            if (atomic_load(&context->is_guilty) || context == stuck->context || !driver->context_reset(context))
                continue;
            atomic_store(&context->is_guilty, true);
            LOG_ERROR(driver->log_name,
                      "context %u lost by a reset: job %llu of context %u was killed and does not end", context->id,
                      (unsigned long long)stuck->seq, stuck->context->id);
            drm_sched_kill_running(sched, context);
        }
    }
}

/* The lock is held. The job stands still, or has run for too long; the others, which may have waited for what it has,
 * get their time again. */
static void end_hang(struct drm_sched *sched, struct drm_job *job, const char *why)
{
    struct drm_device *device = sched->device;
    for (uint32_t i = 0; i < sched->ring_count; i++)
        sched->rings[i].last_progress_ns = sched->rings[i].front_since_ns = sched->given.now_ns;
    if (atomic_exchange(&job->base.killed, true)) {
        reset_engine(sched, job);
        return;
    }
    job->killed_why = why;
    device->engine_ops->kill(device->engine, &job->base);
}

static void watch_ring(struct drm_sched *sched, struct drm_sched_ring *ring, uint64_t engine_progress)
{
    struct drm_device *device = sched->device;
    struct drm_job *job = container_of(ring->running.next, struct drm_job, node);
    const int64_t now_ns = sched->given.now_ns;
    uint64_t progress = device->engine_ops->job_progress ? device->engine_ops->job_progress(device->engine, &job->base)
                                                         : engine_progress;
    if (ring->front != job->order) {
        ring->front = job->order;
        ring->front_since_ns = now_ns;
    }
    if (ring->last_progress != progress) {
        ring->last_progress = progress;
        ring->last_progress_ns = now_ns;
    } else {
        sched->stands_still = true;
    }
    if (now_ns - ring->last_progress_ns > sched->timeout_ns)
        end_hang(sched, job, "killed: no progress");
    else if (sched->limit_ns && now_ns - ring->front_since_ns > sched->limit_ns)
        end_hang(sched, job, sched->limit_text);
}

/* The clock goes on, without the lock: the host may be asked about each thread. */
static void tick(struct drm_sched *sched)
{
    struct drm_given given = sched->given;
    const bool stands_still = sched->stands_still;
    pthread_mutex_unlock(&sched->lock);
    drm_given_tick(&given, WATCH_PERIOD_NS, stands_still);
    pthread_mutex_lock(&sched->lock);
    sched->given = given;
}

/* The lock is held. A ring whose engine has not moved for too long loses the job at its front. */
bool drm_watch_rings(struct drm_sched *sched)
{
    struct drm_device *device = sched->device;
    bool is_busy = false;
    tick(sched);
    uint64_t engine_progress = device->engine_ops->progress(device->engine);
    sched->stands_still = false;
    for (uint32_t i = 0; i < sched->ring_count; i++) {
        if (list_is_empty(&sched->rings[i].running))
            continue;
        is_busy = true;
        watch_ring(sched, &sched->rings[i], engine_progress);
    }
    return is_busy;
}

/* A positive number of the environment (NULL: none), or for the limit 0. */
static int64_t number_of(const char *text, int64_t otherwise)
{
    char *end;
    long number = text && *text ? strtol(text, &end, 10) : -1;
    return number > 0 || (number == 0 && otherwise == DEFAULT_LIMIT_S) ? MIN2((int64_t)number, INT64_C(1) << 32)
                                                                       : otherwise;
}

void drm_watch_init(struct drm_sched *sched)
{
    sched->timeout_ns = number_of(secure_getenv("TUFF_JOB_TIMEOUT_MS"), DEFAULT_TIMEOUT_MS) * 1000000;
    const int64_t limit_s = number_of(secure_getenv("TUFF_JOB_LIMIT_S"), DEFAULT_LIMIT_S);
    sched->limit_ns = limit_s * 1000000000;
    snprintf(sched->limit_text, sizeof(sched->limit_text), "killed: it has run for %" PRId64 " s (TUFF_JOB_LIMIT_S)",
             limit_s);
    LOG_AT(debug_enabled(DEBUG_HANG) ? LOG_LEVEL_WARN : LOG_LEVEL_INFO, sched->device->driver->log_name,
           "a job ends after %" PRId64 " ms without progress (TUFF_JOB_TIMEOUT_MS), or after %" PRId64
           " s with it (TUFF_JOB_LIMIT_S; 0: never)",
           sched->timeout_ns / 1000000, limit_s);
}
