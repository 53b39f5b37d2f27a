/* The scheduler. Each context has one queue per ring; a ring takes the head of the queue with the highest priority
 * whose dependencies are met, a few jobs ahead of the engine. Feeding is done by the thread that makes it possible: the
 * submitting thread, the engine's thread that ends a job, and a thread of the scheduler's own for fences, since a
 * fence's callback runs under that fence's lock and must not call the engine. The same thread is the watchdog. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/drm/drm_sched_private.h"
#include "util/bits.h"
#include "util/host_limits.h"
#include "util/log.h"

#define JOBS_AHEAD 2   /* per ring: one that runs and one to go on with */
#define IDLE_PERIODS 4 /* without a job, after which the watchdog sleeps until it is woken */

/* ---- the start of the thread ---- */

static void *sched_main(void *argument);

/* The one thread that cannot be done without. Started with the first job: many programs only ask what there is, and one
 * that has a thread pays for locks with every allocation. */
static int start_thread(struct drm_sched *sched)
{
    if (atomic_load(&sched->thread_runs))
        return 0;
    int error = 0;
    pthread_mutex_lock(&sched->lock);
    if (!sched->thread_runs) {
        sigset_t all, old;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        error = -pthread_create(&sched->thread, NULL, sched_main, sched);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        sched->thread_runs = !error;
    }
    pthread_mutex_unlock(&sched->lock);
    if (error)
        LOG_ERROR(sched->device->driver->log_name, "the host gives no thread for the scheduler: %s", strerror(-error));
    return error ? -ENOMEM : 0; /* not EAGAIN: an ioctl that returns that is tried again, for ever */
}

/* ---- jobs ---- */

struct drm_job *drm_job_create(const struct drm_job_ops *ops, struct drm_queue *queue)
{
    struct drm_job *job = start_thread(queue->context->device->sched) ? NULL : calloc(1, ops->job_B);
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
    job->ops = ops;
    job->queue = queue;
    job->context = drm_context_ref(queue->context);
    job->vm = drm_vm_ref(queue->context->vm);
    job->fence->owner = job->vm;
    job->fence->order = queue;
    list_init(&job->node);
    return job;
}

void drm_job_destroy(struct drm_job *job)
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
    if (job->ops->finish)
        job->ops->finish(job);
    drm_use_list_finish(&job->uses);
    drm_fence_unref(job->fence);
    drm_fence_unref(job->scheduled);
    drm_context_unref(job->context);
    drm_vm_unref(job->vm);
    free(job);
}

/* Both under the device's lock. */
static bool reserve_uses(const struct drm_use_list *list, uint32_t more)
{
    bool has_room = true;
    array_foreach (&list->uses, use)
        has_room = has_room && drm_fence_uses_reserve(&use->gem->fences, more);
    return has_room;
}

static void add_uses(const struct drm_use_list *list, struct drm_fence *fence)
{
    array_foreach (&list->uses, use)
        drm_fence_uses_add(&use->gem->fences, fence, use->flags & DRM_USE_WRITE);
}

int drm_jobs_publish(struct drm_job *const *jobs, uint32_t count, bool is_of_space, const struct drm_use_list *also)
{
    static const struct drm_use_list nothing;
    struct drm_vm *vm = jobs[0]->vm;
    also = also ? also : &nothing;
    pthread_mutex_lock(&vm->device->lock);
    bool has_room = reserve_uses(also, count + 1) && drm_fence_uses_reserve(&vm->fences, count);
    for (uint32_t i = 0; i < count; i++)
        has_room = has_room && reserve_uses(&jobs[i]->uses, count + 1);
    for (uint32_t i = 0; i < count && has_room; i++) {
        add_uses(&jobs[i]->uses, jobs[i]->fence);
        if (is_of_space)
            drm_fence_uses_add(&vm->fences, jobs[i]->fence, true);
    }
    if (has_room)
        add_uses(also, jobs[count - 1]->fence);
    pthread_mutex_unlock(&vm->device->lock);
    return has_room ? 0 : -ENOMEM;
}

int drm_job_depend(struct drm_job *job, struct drm_fence *fence)
{
    if (!fence || drm_fence_is_signaled(fence))
        return 0;
    struct drm_dependency dependency = {.job = job, .fence = fence};
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
    struct drm_job *job = container_of(callback, struct drm_dependency, callback)->job;
    struct drm_sched *sched = job->context->device->sched;
    pthread_mutex_lock(&sched->lock);
    /* Under the lock: a met dependency may be the end of the job's life as soon as it is visible. */
    if (atomic_fetch_sub(&job->dependencies_left, 1) == 1) {
        sched->kicked = true;
        pthread_cond_signal(&sched->wake);
    }
    pthread_mutex_unlock(&sched->lock);
}

/* ---- picking; the lock is held ---- */

static bool is_ready(const struct drm_job *job)
{
    return atomic_load(&job->dependencies_left) == 0 || atomic_load(&job->context->is_guilty);
}

static int32_t priority_of(const struct drm_job *job)
{
    return atomic_load_explicit(&job->context->priority, memory_order_relaxed);
}

static struct drm_job *pick_job(const struct drm_sched_ring *ring)
{
    struct drm_job *best = NULL;
    list_foreach (&ring->queues, struct drm_queue, queue, node) {
        struct drm_job *job = container_of(queue->jobs.next, struct drm_job, node);
        if (!is_ready(job))
            continue;
        int32_t priority = priority_of(job), best_priority = best ? priority_of(best) : 0;
        if (!best || priority > best_priority || (priority == best_priority && job->order < best->order))
            best = job;
    }
    return best;
}

static void take_from_queue(struct drm_sched *sched, struct drm_job *job)
{
    list_remove(&job->node);
    if (!list_is_empty(&job->queue->jobs))
        return;
    const uint32_t ring = job->queue->ring;
    list_remove(&job->queue->node);
    if (list_is_empty(&sched->rings[ring].queues))
        sched->waiting[ring / 64] &= ~(1ull << ring % 64);
}

/* ---- running ---- */

static void end_job(struct drm_sched *sched, struct drm_job *job, int error)
{
    if (job->ops->ended)
        job->ops->ended(job, error);
    drm_fence_signal(job->scheduled, error);
    drm_fence_signal(job->fence, error);
    pthread_mutex_lock(&sched->lock);
    job->context->unfinished--;
    sched->unfinished--;
    pthread_cond_broadcast(&sched->idle);
    pthread_mutex_unlock(&sched->lock);
    drm_job_destroy(job);
}

static const char *error_name(int error)
{
    switch (error) {
    case -EFAULT:
        return "page fault";
    case -ENOSYS:
        return "not implemented";
    case -ETIME:
        return "killed";
    default:
        return "error";
    }
}

/* End what the engine has of this context; the lock is held. */
void drm_sched_kill_running(struct drm_sched *sched, const struct drm_context *context)
{
    struct drm_device *device = sched->device;
    for (uint32_t i = 0; i < sched->ring_count; i++) {
        list_foreach (&sched->rings[i].running, struct drm_job, job, node) {
            if (job->context == context && !atomic_exchange(&job->base.killed, true))
                device->engine_ops->kill(device->engine, &job->base);
        }
    }
}

/* The lock is held; true: it is this job that loses its context. Whoever learns of the loss, by a fence of another of
 * its jobs, say, finds it noted: the family notes it first, then the context takes no more, then what it has is
 * ended. */
static bool lose_context(struct drm_sched *sched, struct drm_job *job)
{
    struct drm_context *context = job->context;
    bool is_first = !atomic_load(&context->is_guilty);
    if (is_first && job->ops->lost)
        job->ops->lost(job);
    atomic_store(&context->is_guilty, true);
    drm_sched_kill_running(sched, context);
    return is_first;
}

static void report_loss(const struct drm_job *job, const struct drm_engine_result *result)
{
    const struct drm_driver *driver = job->context->device->driver;
    char ring[64];
    driver->ring_name(job->base.ring, ring, sizeof(ring));
    LOG_ERROR(driver->log_name, "context %u lost on %s, job %llu: %s\n%s", job->context->id, ring,
              (unsigned long long)job->seq, job->killed_why ? job->killed_why : error_name(result->error),
              result->report ? result->report : "");
}

static void feed_rings(struct drm_sched *sched);

static void job_finished(struct drm_engine_job *base, const struct drm_engine_result *result)
{
    struct drm_job *job = container_of(base, struct drm_job, base);
    struct drm_sched *sched = job->context->device->sched;
    bool is_loss = false;
    job->engine_error = result->error;
    pthread_mutex_lock(&sched->lock);
    list_remove(&job->node);
    if (result->error)
        is_loss = lose_context(sched, job);
    sched->rings[job->base.ring].in_flight--;
    pthread_mutex_unlock(&sched->lock);
    if (is_loss)
        report_loss(job, result);
    atomic_fetch_sub(&job->vm->jobs, 1);
    /* The kernel ends the fence of a killed or faulting job with ENODATA and cancels what comes after it. */
    end_job(sched, job, !result->error ? 0 : is_loss ? -ENODATA : -ECANCELED);
    feed_rings(sched);
}

/* The lock is held on entry and on return, not in between. */
static void start_job(struct drm_sched *sched, struct drm_sched_ring *ring, struct drm_job *job)
{
    take_from_queue(sched, job);
    if (atomic_load(&job->context->is_guilty)) {
        pthread_mutex_unlock(&sched->lock);
        end_job(sched, job, -ECANCELED);
        pthread_mutex_lock(&sched->lock);
        return;
    }
    bool is_same_queue = ring->last == job->queue;
    ring->last = job->queue;
    if (job->is_empty && !ring->in_flight) {
        pthread_mutex_unlock(&sched->lock);
        job->ops->starts(job, is_same_queue);
        end_job(sched, job, 0);
        pthread_mutex_lock(&sched->lock);
        return;
    }
    job->base.context = job->context->engine_context;
    job->base.space = &job->vm->space;
    job->base.finished = job_finished;
    list_push_back(&ring->running, &job->node);
    if (ring->in_flight++ == 0)
        ring->last_progress_ns = sched->given.now_ns;
    atomic_fetch_add(&job->vm->jobs, 1);
    if (sched->sleeps)
        pthread_cond_signal(&sched->wake); /* the watchdog has something to watch */
    pthread_mutex_unlock(&sched->lock);

    job->ops->starts(job, is_same_queue);
    drm_fence_signal(job->scheduled, 0);
    sched->device->engine_ops->submit(sched->device->engine, &job->base);
    pthread_mutex_lock(&sched->lock);
}

static void feed_ring(struct drm_sched *sched, uint32_t index)
{
    struct drm_sched_ring *ring = &sched->rings[index];
    /* One feeder at a time, or jobs would overtake each other on their way to the engine. A second one need not wait:
     * the first looks again after each job. */
    if (ring->feeding)
        return;
    ring->feeding = true;
    struct drm_job *job;
    while (ring->in_flight < JOBS_AHEAD && (job = pick_job(ring)))
        start_job(sched, ring, job);
    ring->feeding = false;
}

/* Rings that something waits for; what is queued meanwhile is fed by who queued it. */
static void feed_rings(struct drm_sched *sched)
{
    uint64_t waiting[RINGS_MAX / 64];
    pthread_mutex_lock(&sched->lock);
    memcpy(waiting, sched->waiting, sizeof(waiting));
    for (uint32_t i = 0; i < ARRAY_SIZE(waiting); i++) {
        bits_foreach (waiting[i], ring)
            feed_ring(sched, 64 * i + (uint32_t)ring);
    }
    pthread_mutex_unlock(&sched->lock);
}

/* ---- the thread ---- */

static void *sched_main(void *argument)
{
    struct drm_sched *sched = argument;
    unsigned idle_periods = 0;
    pthread_mutex_lock(&sched->lock);
    while (!sched->ending) {
        if (sched->kicked) {
            sched->kicked = false;
            pthread_mutex_unlock(&sched->lock);
            feed_rings(sched);
            pthread_mutex_lock(&sched->lock);
            continue;
        }
        /* To be woken for each of many short jobs would cost more than to look some times in vain. */
        idle_periods = drm_watch_rings(sched) ? 0 : idle_periods + 1;
        if (idle_periods <= IDLE_PERIODS) {
            int64_t until_ns = drm_now_ns() + WATCH_PERIOD_NS;
            struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
            pthread_cond_timedwait(&sched->wake, &sched->lock, &until);
        } else {
            sched->sleeps = true;
            pthread_cond_wait(&sched->wake, &sched->lock);
            sched->sleeps = false;
            idle_periods = 0;
        }
    }
    pthread_mutex_unlock(&sched->lock);
    return NULL;
}

/* ---- contexts and queues ---- */

int drm_context_init(struct drm_context *context, struct drm_device *device, struct drm_vm *vm, int32_t priority)
{
    int error = host_has_few_threads() ? start_thread(device->sched) : 0;
    if (!error)
        error = device->engine_ops->context_create(device->engine, &vm->space, &context->engine_context);
    if (error)
        return error;
    atomic_init(&context->refs, 1);
    atomic_init(&context->priority, priority);
    context->device = device;
    context->vm = drm_vm_ref(vm);
    return 0;
}

struct drm_context *drm_context_ref(struct drm_context *context)
{
    atomic_fetch_add_explicit(&context->refs, 1, memory_order_relaxed);
    return context;
}

void drm_context_unref(struct drm_context *context)
{
    if (!context || atomic_fetch_sub_explicit(&context->refs, 1, memory_order_acq_rel) != 1)
        return;
    struct drm_device *device = context->device;
    struct drm_vm *vm = context->vm;
    device->engine_ops->context_destroy(device->engine, context->engine_context);
    device->driver->context_destroy(context);
    drm_vm_unref(vm);
}

void drm_queue_init(struct drm_queue *queue, struct drm_context *context, uint32_t ring)
{
    queue->context = context;
    queue->ring = ring;
    list_init(&queue->jobs);
    list_init(&queue->node);
}

/* ---- the scheduler ---- */

int drm_sched_create(struct drm_device *device, struct drm_sched **sched_out)
{
    if (device->driver->ring_count > RINGS_MAX)
        return -EINVAL;
    struct drm_sched *sched = calloc(1, sizeof(*sched));
    struct drm_sched_ring *rings = calloc(device->driver->ring_count, sizeof(*rings));
    if (!sched || !rings) {
        free(sched);
        free(rings);
        return -ENOMEM;
    }
    sched->device = device;
    sched->rings = rings;
    sched->ring_count = device->driver->ring_count;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&sched->lock, NULL);
    pthread_cond_init(&sched->wake, &monotonic);
    pthread_cond_init(&sched->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (uint32_t i = 0; i < sched->ring_count; i++) {
        list_init(&rings[i].running);
        list_init(&rings[i].queues);
    }
    drm_watch_init(sched);
    *sched_out = sched;
    return 0;
}

void drm_sched_stop(struct drm_sched *sched)
{
    pthread_mutex_lock(&sched->lock);
    sched->ending = true;
    pthread_cond_signal(&sched->wake);
    pthread_mutex_unlock(&sched->lock);
    if (sched->thread_runs)
        pthread_join(sched->thread, NULL);
}

void drm_sched_destroy(struct drm_sched *sched)
{
    pthread_cond_destroy(&sched->wake);
    pthread_cond_destroy(&sched->idle);
    pthread_mutex_destroy(&sched->lock);
    free(sched->rings);
    free(sched);
}

/* The job is in no queue yet, so nothing can start or free it meanwhile. */
static void await_dependencies(struct drm_job *job)
{
    uint32_t count = job->dependencies.count;
    atomic_fetch_add(&job->dependencies_left, count);
    for (uint32_t i = 0; i < count; i++) {
        struct drm_dependency *dependency = &job->dependencies.data[i];
        dependency->callback.signaled = dependency_met;
        if (!drm_fence_add_callback(dependency->fence, &dependency->callback))
            atomic_fetch_sub(&job->dependencies_left, 1);
    }
}

void drm_sched_queue(struct drm_sched *sched, struct drm_job *job)
{
    const uint32_t ring = job->queue->ring;
    job->base.ring = ring;
    await_dependencies(job);
    pthread_mutex_lock(&sched->lock);
    if (list_is_empty(&job->queue->jobs)) {
        list_push_back(&sched->rings[ring].queues, &job->queue->node);
        sched->waiting[ring / 64] |= 1ull << ring % 64;
    }
    job->order = ++sched->next_order;
    job->context->unfinished++;
    sched->unfinished++;
    list_push_back(&job->queue->jobs, &job->node);
    atomic_fetch_sub(&job->dependencies_left, 1);
    pthread_mutex_unlock(&sched->lock);
}

void drm_sched_kick(struct drm_sched *sched)
{
    feed_rings(sched);
}

/* Wait until a count, which changes under the lock, is 0. */
static bool wait_for_zero(struct drm_sched *sched, const uint32_t *count, int64_t deadline_ns)
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

bool drm_sched_wait_context(struct drm_sched *sched, struct drm_context *context, int64_t deadline_ns)
{
    return wait_for_zero(sched, &context->unfinished, deadline_ns);
}

bool drm_sched_wait_idle(struct drm_sched *sched, int64_t deadline_ns)
{
    return wait_for_zero(sched, &sched->unfinished, deadline_ns);
}

void drm_sched_kill_context(struct drm_sched *sched, struct drm_context *context)
{
    atomic_store(&context->is_guilty, true);
    pthread_mutex_lock(&sched->lock);
    drm_sched_kill_running(sched, context);
    pthread_mutex_unlock(&sched->lock);
    feed_rings(sched);
}
