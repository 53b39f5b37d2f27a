/* Fences: something that will be finished once, successfully or with an error, and never becomes unfinished again. What
 * the kernel calls a dma_fence. Thread-safe; reference-counted. */
#ifndef MODEL_DRM_FENCE_H
#define MODEL_DRM_FENCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"

struct drm_fence {
    _Atomic uint32_t refs;
    _Atomic bool signaled;
    int error;         /* 0 or -errno; final once `signaled` is seen */
    const void *owner; /* whose work it is, for users that need not wait for their own; NULL: no particular owner */
    const void *order; /* fences of one order end one after the other, as they were made; NULL: of none */
    pthread_mutex_t lock;
    struct list callbacks; /* struct drm_fence_callback; empty once signaled */
};

/* Called once, from the thread that signals, with the fence's lock held: it may take other locks, so those locks must
 * never be held around add or remove of a callback of the same fence. It may free its own callback. */
struct drm_fence_callback {
    struct list node;
    void (*signaled)(struct drm_fence_callback *callback, struct drm_fence *fence);
};

struct drm_fence *drm_fence_create(void); /* one reference; NULL without memory */
struct drm_fence *drm_fence_stub(void);   /* a new reference to the fence that is signaled from the start */
struct drm_fence *drm_fence_ref(struct drm_fence *fence);
void drm_fence_unref(struct drm_fence *fence); /* NULL is allowed */

/* The first call decides; later ones have no effect. */
void drm_fence_signal(struct drm_fence *fence, int error);

static inline bool drm_fence_is_signaled(const struct drm_fence *fence)
{
    return atomic_load_explicit(&fence->signaled, memory_order_acquire);
}

/* False when the fence is signaled already: the callback is not added and will not be called. */
bool drm_fence_add_callback(struct drm_fence *fence, struct drm_fence_callback *callback);

/* After it returns the callback is not running and will not be called. */
void drm_fence_remove_callback(struct drm_fence *fence, struct drm_fence_callback *callback);

/* The users of something: whose ends whoever needs it idle waits for. Of one order the last is enough, and the last
 * that writes: a thousand submissions of a queue are two entries. */
struct drm_fence_use {
    struct drm_fence *fence; /* a reference */
    bool is_write;
};
struct drm_fence_uses {
    struct drm_fence_use *data;
    uint32_t count, capacity;
};
bool drm_fence_uses_reserve(struct drm_fence_uses *uses, uint32_t more); /* false: no memory */
/* There is room. The fence ends after those of its order that are there. */
void drm_fence_uses_add(struct drm_fence_uses *uses, struct drm_fence *fence, bool is_write);
void drm_fence_uses_finish(struct drm_fence_uses *uses);

/* A fence that is signaled when all of `fences` are, with the first error among them. Takes no references of the
 * caller's. NULL without memory. */
struct drm_fence *drm_fence_all(struct drm_fence *const *fences, uint32_t count);

/* A thread that waits for several things. Read `word` first, look at the conditions, then wait for it to change. */
struct drm_waiter {
    _Atomic uint32_t word;
};

void drm_waiter_wake(struct drm_waiter *waiter);

/* Sleep until `word` is no longer `seen` or CLOCK_MONOTONIC reaches `deadline_ns` (INT64_MAX: for ever); false after
 * the deadline. May return early. */
bool drm_waiter_wait(struct drm_waiter *waiter, uint32_t seen, int64_t deadline_ns);

int64_t drm_now_ns(void);

/* Wait for one fence; false when the deadline came first. */
bool drm_fence_wait(struct drm_fence *fence, int64_t deadline_ns);

/* Wait for the first of several (NULLs are not allowed): its index, or -1 after the deadline, -ENOMEM. */
int drm_fence_wait_any(struct drm_fence *const *fences, uint32_t count, int64_t deadline_ns);

#endif
