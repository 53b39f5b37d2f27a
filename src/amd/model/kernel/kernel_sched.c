/* The scheduler. Each context has one queue per ring; a ring takes the head of the queue with the highest priority
 * whose dependencies are met, a few jobs ahead of the engine. Feeding is done by whoever makes it possible: the
 * submitting thread, the engine's thread that ends a job, and a thread of the scheduler's own for fences, since a
 * fence's callback runs under that fence's lock and must not call the engine. The same thread is the watchdog. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amd/model/kernel/kernel_sched.h"
#include "util/bits.h"
#include "util/log.h"

#define JOBS_AHEAD 2 /* per ring: one that runs and one to go on with */
#define WATCH_PERIOD_NS 250000000ll
#define DEFAULT_TIMEOUT_MS 5000

struct ring {
    struct list running; /* jobs that the engine has */
    uint32_t in_flight;
    bool feeding;                  /* somebody is handing jobs over, without the lock */
    const struct amd_entity *last; /* whose state the ring has: decides about preambles */
    uint64_t last_progress;
    int64_t last_progress_ns;
};

struct amd_sched {
    struct amd_device *device;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* the thread: a dependency was met, or the end */
    pthread_cond_t idle; /* a job has ended */
    pthread_t thread;
    bool thread_runs;
    bool kicked;
    bool ending;
    uint64_t next_order;
    uint32_t unfinished; /* jobs of all contexts, queued or running */
    int64_t timeout_ns;
    ARRAY(struct amd_entity *) active; /* queues that have jobs */
    struct ring rings[AMD_RING_KIND_COUNT][AMD_MAX_RINGS];
};

/* ---- jobs ---- */

struct amd_job *amd_job_create(struct amd_entity *entity)
{
    struct amd_job *job = calloc(1, sizeof(*job));
    if (!job)
        return NULL;
    job->fence = drm_fence_create();
    job->scheduled = drm_fence_create();
    if (!job->fence || !job->scheduled) {
        drm_fence_unref(job->fence);
        drm_fence_unref(job->scheduled);
        free(job);
        return NULL;
    }
    atomic_init(&job->dependencies_left, 1);
    job->entity = entity;
    job->ctx = entity->ctx;
    atomic_fetch_add(&job->ctx->refs, 1);
    job->vm = amd_vm_ref(entity->ctx->vm);
    job->fence->owner = job->vm;
    list_init(&job->node);
    return job;
}

void amd_job_destroy(struct amd_job *job)
{
    if (!job)
        return;
    drm_fence_signal(job->scheduled, -ECANCELED); /* no effect on a job that has ended */
    drm_fence_signal(job->fence, -ECANCELED);
    array_foreach (&job->dependencies, dependency) {
        drm_fence_remove_callback(dependency->fence, &dependency->callback);
        drm_fence_unref(dependency->fence);
    }
    array_finish(&job->dependencies);
    array_finish(&job->ibs);
    amd_bo_list_destroy(&job->bos);
    amd_bo_unref(job->user_fence_bo);
    drm_fence_unref(job->fence);
    drm_fence_unref(job->scheduled);
    amd_ctx_unref(job->ctx);
    amd_vm_unref(job->vm);
    free(job);
}

int amd_job_depend(struct amd_job *job, struct drm_fence *fence)
{
    if (!fence || drm_fence_is_signaled(fence))
        return 0;
    struct amd_job_dependency dependency = {.job = job, .fence = fence};
    if (!array_push(&job->dependencies, dependency))
        return -ENOMEM;
    drm_fence_ref(fence);
    /* The array may move until the job is queued: nodes point at themselves only then. */
    array_foreach (&job->dependencies, moved)
        list_init(&moved->callback.node);
    return 0;
}

static void dependency_met(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    struct amd_job *job = container_of(callback, struct amd_job_dependency, callback)->job;
    struct amd_sched *sched = job->ctx->device->sched;
    pthread_mutex_lock(&sched->lock);
    /* Under the lock: a met dependency may be the end of the job's life as soon as it is visible. */
    if (atomic_fetch_sub(&job->dependencies_left, 1) == 1) {
        sched->kicked = true;
        pthread_cond_signal(&sched->wake);
    }
    pthread_mutex_unlock(&sched->lock);
}

/* ---- picking; the lock is held ---- */

static bool is_ready(const struct amd_job *job)
{
    return atomic_load(&job->dependencies_left) == 0 || atomic_load(&job->ctx->guilty);
}

static struct amd_job *pick(struct amd_sched *sched, enum amd_ring_kind kind, uint32_t ring)
{
    struct amd_job *best = NULL;
    array_foreach (&sched->active, entity) {
        if ((*entity)->kind != kind || (*entity)->ring != ring)
            continue;
        struct amd_job *job = container_of((*entity)->queue.next, struct amd_job, node);
        if (!is_ready(job))
            continue;
        int32_t priority = amd_ctx_effective_priority(job->ctx);
        int32_t best_priority = best ? amd_ctx_effective_priority(best->ctx) : 0;
        if (!best || priority > best_priority || (priority == best_priority && job->order < best->order))
            best = job;
    }
    return best;
}

static void take_from_queue(struct amd_sched *sched, struct amd_job *job)
{
    list_remove(&job->node);
    if (!list_is_empty(&job->entity->queue))
        return;
    for (uint32_t i = 0; i < sched->active.count; i++) {
        if (sched->active.data[i] == job->entity) {
            array_remove_swap(&sched->active, i);
            return;
        }
    }
}

/* A preamble sets up state that the ring still has when the same context ran last; the first one always runs. */
static void drop_preambles(struct ring *ring, struct amd_job *job)
{
    bool same = ring->last == job->entity;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < job->ibs.count; i++) {
        if (same && job->ibs.data[i].flags & AMDGPU_IB_FLAG_PREAMBLE && job->entity->had_preamble)
            continue;
        job->entity->had_preamble |= (job->ibs.data[i].flags & AMDGPU_IB_FLAG_PREAMBLE) != 0;
        job->ibs.data[kept++] = job->ibs.data[i];
    }
    job->ibs.count = kept;
    ring->last = job->entity;
}

/* ---- running ---- */

static void end_job(struct amd_sched *sched, struct amd_job *job, int error)
{
    if (!error && job->user_fence_bo)
        amd_bo_write(job->user_fence_bo, job->user_fence_offset_B, &job->seq, sizeof(job->seq));
    drm_fence_signal(job->scheduled, error);
    drm_fence_signal(job->fence, error);
    pthread_mutex_lock(&sched->lock);
    job->ctx->unfinished--;
    sched->unfinished--;
    pthread_cond_broadcast(&sched->idle);
    pthread_mutex_unlock(&sched->lock);
    amd_job_destroy(job);
}

static const char *error_name(int error)
{
    switch (error) {
    case -EFAULT:
        return "page fault";
    case -ENOSYS:
        return "not implemented";
    case -ETIME:
        return "killed: no progress";
    default:
        return "error";
    }
}

static void lose_context(const struct amd_job *job, const struct amd_engine_result *result)
{
    if (atomic_exchange(&job->ctx->guilty, true))
        return;
    LOG_ERROR("amd/model", "context %u lost on %s ring %u, job %llu: %s\n%s", job->ctx->id,
              amd_ring_name(job->base.ring_kind), job->base.ring, (unsigned long long)job->seq,
              error_name(result->error), result->report ? result->report : "");
}

/* End what the engine has of this context; the lock is held. */
static void kill_running(struct amd_sched *sched, const struct amd_ctx *ctx)
{
    struct amd_device *device = sched->device;
    for (unsigned i = 0; i < AMD_RING_KIND_COUNT * AMD_MAX_RINGS; i++) {
        list_foreach (&sched->rings[i / AMD_MAX_RINGS][i % AMD_MAX_RINGS].running, struct amd_job, job, node) {
            if (job->ctx == ctx && !atomic_exchange(&job->base.killed, true))
                device->engine_ops->kill(device->engine, &job->base);
        }
    }
}

static void feed(struct amd_sched *sched);

static void job_finished(struct amd_engine_job *base, const struct amd_engine_result *result)
{
    struct amd_job *job = container_of(base, struct amd_job, base);
    struct amd_sched *sched = job->ctx->device->sched;
    /* The kernel ends the fence of a killed or faulting job with ENODATA and cancels what stands behind it. */
    int error = !result->error ? 0 : atomic_load(&job->ctx->guilty) ? -ECANCELED : -ENODATA;
    if (result->error)
        lose_context(job, result);
    pthread_mutex_lock(&sched->lock);
    list_remove(&job->node);
    if (result->error)
        kill_running(sched, job->ctx);
    sched->rings[job->base.ring_kind][job->base.ring].in_flight--;
    pthread_mutex_unlock(&sched->lock);
    atomic_fetch_sub(&job->vm->jobs, 1);
    end_job(sched, job, error);
    feed(sched);
}

/* The lock is held on entry and on return, not in between. */
static void start_job(struct amd_sched *sched, struct ring *ring, struct amd_job *job)
{
    take_from_queue(sched, job);
    if (atomic_load(&job->ctx->guilty)) {
        pthread_mutex_unlock(&sched->lock);
        end_job(sched, job, -ECANCELED);
        pthread_mutex_lock(&sched->lock);
        return;
    }
    drop_preambles(ring, job);
    list_push_back(&ring->running, &job->node);
    if (ring->in_flight++ == 0)
        ring->last_progress_ns = drm_now_ns();
    atomic_fetch_add(&job->vm->jobs, 1);
    pthread_cond_signal(&sched->wake); /* the watchdog has something to watch */
    pthread_mutex_unlock(&sched->lock);

    job->base.context = job->ctx->engine_context;
    job->base.space = &job->vm->space;
    job->base.ibs = job->ibs.data;
    job->base.ib_count = job->ibs.count;
    job->base.finished = job_finished;
    amd_trace_job(job);
    drm_fence_signal(job->scheduled, 0);
    sched->device->engine_ops->submit(sched->device->engine, &job->base);
    pthread_mutex_lock(&sched->lock);
}

static void feed_ring(struct amd_sched *sched, enum amd_ring_kind kind, uint32_t index)
{
    struct ring *ring = &sched->rings[kind][index];
    /* One feeder at a time, or jobs would overtake each other on their way to the engine. A second one need not wait:
     * the first looks again after each job. */
    if (ring->feeding)
        return;
    ring->feeding = true;
    struct amd_job *job;
    while (ring->in_flight < JOBS_AHEAD && (job = pick(sched, kind, index)))
        start_job(sched, ring, job);
    ring->feeding = false;
}

static void feed(struct amd_sched *sched)
{
    pthread_mutex_lock(&sched->lock);
    for (unsigned kind = 0; kind < AMD_RING_KIND_COUNT; kind++) {
        for (uint32_t ring = 0; ring < AMD_MAX_RINGS; ring++)
            feed_ring(sched, (enum amd_ring_kind)kind, ring);
    }
    pthread_mutex_unlock(&sched->lock);
}

/* ---- the thread ---- */

/* The lock is held. A ring whose engine has not moved for too long loses the job at its front. */
static bool watch_rings(struct amd_sched *sched)
{
    struct amd_device *device = sched->device;
    uint64_t progress = device->engine_ops->progress(device->engine);
    int64_t now_ns = drm_now_ns();
    bool busy = false;
    for (unsigned i = 0; i < AMD_RING_KIND_COUNT * AMD_MAX_RINGS; i++) {
        struct ring *ring = &sched->rings[i / AMD_MAX_RINGS][i % AMD_MAX_RINGS];
        if (list_is_empty(&ring->running))
            continue;
        busy = true;
        if (ring->last_progress != progress) {
            ring->last_progress = progress;
            ring->last_progress_ns = now_ns;
        } else if (now_ns - ring->last_progress_ns > sched->timeout_ns) {
            struct amd_job *job = container_of(ring->running.next, struct amd_job, node);
            ring->last_progress_ns = now_ns;
            if (!atomic_exchange(&job->base.killed, true))
                device->engine_ops->kill(device->engine, &job->base);
        }
    }
    return busy;
}

static void *sched_main(void *argument)
{
    struct amd_sched *sched = argument;
    pthread_mutex_lock(&sched->lock);
    while (!sched->ending) {
        if (sched->kicked) {
            sched->kicked = false;
            pthread_mutex_unlock(&sched->lock);
            feed(sched);
            pthread_mutex_lock(&sched->lock);
            continue;
        }
        if (watch_rings(sched)) {
            int64_t until_ns = drm_now_ns() + WATCH_PERIOD_NS;
            struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
            pthread_cond_timedwait(&sched->wake, &sched->lock, &until);
        } else {
            pthread_cond_wait(&sched->wake, &sched->lock);
        }
    }
    pthread_mutex_unlock(&sched->lock);
    return NULL;
}

/* The lock is held. Started with the first job: many programs only ask what there is. */
static void start_thread(struct amd_sched *sched)
{
    if (sched->thread_runs)
        return;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    sched->thread_runs = pthread_create(&sched->thread, NULL, sched_main, sched) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!sched->thread_runs)
        LOG_ERROR("amd/model", "no thread for the scheduler: jobs that wait for others will not start");
}

int amd_sched_create(struct amd_device *device, struct amd_sched **sched_out)
{
    struct amd_sched *sched = calloc(1, sizeof(*sched));
    if (!sched)
        return -ENOMEM;
    sched->device = device;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&sched->lock, NULL);
    pthread_cond_init(&sched->wake, &monotonic);
    pthread_cond_init(&sched->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (unsigned i = 0; i < AMD_RING_KIND_COUNT * AMD_MAX_RINGS; i++)
        list_init(&sched->rings[i / AMD_MAX_RINGS][i % AMD_MAX_RINGS].running);
    const char *timeout = secure_getenv("TUFF_JOB_TIMEOUT_MS");
    long timeout_ms = timeout ? strtol(timeout, NULL, 10) : 0;
    sched->timeout_ns = (timeout_ms > 0 ? timeout_ms : DEFAULT_TIMEOUT_MS) * 1000000ll;
    *sched_out = sched;
    return 0;
}

void amd_sched_stop(struct amd_sched *sched)
{
    pthread_mutex_lock(&sched->lock);
    sched->ending = true;
    pthread_cond_signal(&sched->wake);
    pthread_mutex_unlock(&sched->lock);
    if (sched->thread_runs)
        pthread_join(sched->thread, NULL);
}

void amd_sched_destroy(struct amd_sched *sched)
{
    array_finish(&sched->active);
    pthread_cond_destroy(&sched->wake);
    pthread_cond_destroy(&sched->idle);
    pthread_mutex_destroy(&sched->lock);
    free(sched);
}

/* The job is in no queue yet, so nothing can start or free it meanwhile. */
static void await_dependencies(struct amd_job *job)
{
    uint32_t count = job->dependencies.count;
    atomic_fetch_add(&job->dependencies_left, count);
    for (uint32_t i = 0; i < count; i++) {
        struct amd_job_dependency *dependency = &job->dependencies.data[i];
        dependency->callback.signaled = dependency_met;
        if (!drm_fence_add_callback(dependency->fence, &dependency->callback))
            atomic_fetch_sub(&job->dependencies_left, 1);
    }
}

int amd_sched_queue(struct amd_sched *sched, struct amd_job *job)
{
    job->base.ring_kind = job->entity->kind;
    job->base.ring = job->entity->ring;
    await_dependencies(job);
    pthread_mutex_lock(&sched->lock);
    start_thread(sched);
    int error = 0;
    if (list_is_empty(&job->entity->queue) && !array_push(&sched->active, job->entity))
        error = -ENOMEM;
    if (!error) {
        job->order = ++sched->next_order;
        job->ctx->unfinished++;
        sched->unfinished++;
        list_push_back(&job->entity->queue, &job->node);
        atomic_fetch_sub(&job->dependencies_left, 1);
    }
    pthread_mutex_unlock(&sched->lock);
    return error;
}

void amd_sched_kick(struct amd_sched *sched)
{
    feed(sched);
}

/* Wait until a count, which changes under the lock, is 0. */
static bool wait_for_zero(struct amd_sched *sched, const uint32_t *count, int64_t deadline_ns)
{
    struct timespec until = {.tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000};
    int error = 0;
    pthread_mutex_lock(&sched->lock);
    while (*count && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&sched->idle, &sched->lock, &until);
    bool idle = *count == 0;
    pthread_mutex_unlock(&sched->lock);
    return idle;
}

bool amd_sched_wait_ctx(struct amd_sched *sched, struct amd_ctx *ctx, int64_t deadline_ns)
{
    return wait_for_zero(sched, &ctx->unfinished, deadline_ns);
}

bool amd_sched_wait_idle(struct amd_sched *sched, int64_t deadline_ns)
{
    return wait_for_zero(sched, &sched->unfinished, deadline_ns);
}

void amd_sched_kill_ctx(struct amd_sched *sched, struct amd_ctx *ctx)
{
    atomic_store(&ctx->guilty, true);
    pthread_mutex_lock(&sched->lock);
    kill_running(sched, ctx);
    pthread_mutex_unlock(&sched->lock);
    feed(sched);
}
