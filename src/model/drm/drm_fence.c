/* Fences and the threads that wait for them. */
#include "model/drm/drm_fence.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/array.h"
#include "util/bits.h"

static struct drm_fence stub = {
    .refs = 1, .signaled = true, .lock = PTHREAD_MUTEX_INITIALIZER, .callbacks = {&stub.callbacks, &stub.callbacks}};

struct drm_fence *drm_fence_create(void)
{
    struct drm_fence *fence = calloc(1, sizeof(*fence));
    if (!fence)
        return NULL;
    atomic_init(&fence->refs, 1);
    pthread_mutex_init(&fence->lock, NULL);
    list_init(&fence->callbacks);
    return fence;
}

struct drm_fence *drm_fence_stub(void)
{
    return &stub;
}

struct drm_fence *drm_fence_ref(struct drm_fence *fence)
{
    if (fence != &stub)
        atomic_fetch_add_explicit(&fence->refs, 1, memory_order_relaxed);
    return fence;
}

void drm_fence_unref(struct drm_fence *fence)
{
    if (!fence || fence == &stub || atomic_fetch_sub_explicit(&fence->refs, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_destroy(&fence->lock);
    free(fence);
}

void drm_fence_signal(struct drm_fence *fence, int error)
{
    drm_fence_ref(fence);
    pthread_mutex_lock(&fence->lock);
    if (!drm_fence_is_signaled(fence)) {
        fence->error = error;
        atomic_store_explicit(&fence->signaled, true, memory_order_release);
        while (!list_is_empty(&fence->callbacks)) {
            struct drm_fence_callback *callback = container_of(fence->callbacks.next, struct drm_fence_callback, node);
            list_remove(&callback->node);
            callback->signaled(callback, fence);
        }
    }
    pthread_mutex_unlock(&fence->lock);
    drm_fence_unref(fence);
}

bool drm_fence_add_callback(struct drm_fence *fence, struct drm_fence_callback *callback)
{
    if (drm_fence_is_signaled(fence))
        return false;
    pthread_mutex_lock(&fence->lock);
    bool pending = !drm_fence_is_signaled(fence);
    if (pending)
        list_push_back(&fence->callbacks, &callback->node);
    pthread_mutex_unlock(&fence->lock);
    return pending;
}

void drm_fence_remove_callback(struct drm_fence *fence, struct drm_fence_callback *callback)
{
    pthread_mutex_lock(&fence->lock);
    list_remove(&callback->node);
    pthread_mutex_unlock(&fence->lock);
}

struct all_part {
    struct drm_fence_callback callback;
    struct all *all;
};

struct all {
    struct drm_fence *fence;
    _Atomic uint32_t left;
    _Atomic int error;
    struct all_part parts[];
};

static void all_drop(struct all *all, int error)
{
    int none = 0;
    if (error)
        atomic_compare_exchange_strong(&all->error, &none, error);
    if (atomic_fetch_sub_explicit(&all->left, 1, memory_order_acq_rel) != 1)
        return;
    drm_fence_signal(all->fence, atomic_load(&all->error));
    drm_fence_unref(all->fence);
    free(all);
}

static void all_part_signaled(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    all_drop(container_of(callback, struct all_part, callback)->all, fence->error);
}

struct drm_fence *drm_fence_all(struct drm_fence *const *fences, uint32_t count)
{
    if (count == 0)
        return drm_fence_stub();
    if (count == 1)
        return drm_fence_ref(fences[0]);
    struct all *all = calloc(1, sizeof(*all) + count * sizeof(all->parts[0]));
    struct drm_fence *result = all ? drm_fence_create() : NULL;
    if (!result) {
        free(all);
        return NULL;
    }
    all->fence = drm_fence_ref(result);
    atomic_init(&all->left, count + 1); /* one is ours, so that it cannot end while parts are being added */
    for (uint32_t i = 0; i < count; i++) {
        all->parts[i] = (struct all_part){.callback.signaled = all_part_signaled, .all = all};
        list_init(&all->parts[i].callback.node);
        if (!drm_fence_add_callback(fences[i], &all->parts[i].callback))
            all_drop(all, fences[i]->error);
    }
    all_drop(all, 0);
    return result;
}

/* ---- users ---- */

bool drm_fence_uses_reserve(struct drm_fence_uses *uses, uint32_t more)
{
    return array_reserve(uses, uses->count + more);
}

void drm_fence_uses_add(struct drm_fence_uses *uses, struct drm_fence *fence, bool is_write)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < uses->count; i++) {
        const struct drm_fence_use *use = &uses->data[i];
        const bool is_said = fence->order && use->fence->order == fence->order && (is_write || !use->is_write);
        if (is_said || drm_fence_is_signaled(use->fence))
            drm_fence_unref(use->fence);
        else
            uses->data[kept++] = *use;
    }
    uses->data[kept++] = (struct drm_fence_use){drm_fence_ref(fence), is_write};
    uses->count = kept;
}

void drm_fence_uses_finish(struct drm_fence_uses *uses)
{
    array_foreach (uses, use)
        drm_fence_unref(use->fence);
    array_finish(uses);
}

void drm_waiter_wake(struct drm_waiter *waiter)
{
    atomic_fetch_add_explicit(&waiter->word, 1, memory_order_release);
    syscall(SYS_futex, &waiter->word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

int64_t drm_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool drm_waiter_wait(struct drm_waiter *waiter, uint32_t seen, int64_t deadline_ns)
{
    if (deadline_ns != INT64_MAX && drm_now_ns() >= deadline_ns)
        return false;
    struct timespec deadline = {.tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000};
    long result = syscall(SYS_futex, &waiter->word, FUTEX_WAIT_BITSET_PRIVATE, seen,
                          deadline_ns == INT64_MAX ? NULL : &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

struct wake_callback {
    struct drm_fence_callback callback;
    struct drm_waiter *waiter;
};

static void wake_on_signal(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    drm_waiter_wake(container_of(callback, struct wake_callback, callback)->waiter);
}

bool drm_fence_wait(struct drm_fence *fence, int64_t deadline_ns)
{
    return drm_fence_is_signaled(fence) || drm_fence_wait_any(&fence, 1, deadline_ns) == 0;
}

static int first_signaled(struct drm_fence *const *fences, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (drm_fence_is_signaled(fences[i]))
            return (int)i;
    }
    return -1;
}

int drm_fence_wait_any(struct drm_fence *const *fences, uint32_t count, int64_t deadline_ns)
{
    int found = first_signaled(fences, count);
    if (found >= 0 || count == 0 || drm_now_ns() >= deadline_ns)
        return found;
    struct wake_callback few[8], *wakes = count <= ARRAY_SIZE(few) ? few : calloc(count, sizeof(*wakes));
    if (!wakes)
        return -ENOMEM;
    struct drm_waiter waiter = {0};
    for (uint32_t i = 0; i < count; i++) {
        wakes[i] = (struct wake_callback){.callback.signaled = wake_on_signal, .waiter = &waiter};
        list_init(&wakes[i].callback.node);
        drm_fence_add_callback(fences[i], &wakes[i].callback);
    }
    bool in_time = true;
    for (;;) {
        uint32_t seen = atomic_load_explicit(&waiter.word, memory_order_acquire);
        found = first_signaled(fences, count);
        if (found >= 0 || !in_time)
            break;
        in_time = drm_waiter_wait(&waiter, seen, deadline_ns);
    }
    for (uint32_t i = 0; i < count; i++)
        drm_fence_remove_callback(fences[i], &wakes[i].callback);
    if (wakes != few)
        free(wakes);
    return found;
}
