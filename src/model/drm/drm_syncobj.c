/* A synchronisation object is a short queue of entries, each standing for one fence. Entries leave at the front when
 * they are done. The queue is plain data in our own memory. Once the object is exported there is a second one in a
 * memfd that other processes map, too: under its lock it is copied here, looked over, worked on and copied back, so
 * that what a peer writes meanwhile is never acted on. Beside the queue each process keeps the fences that it can wait
 * for: its own, and stand-ins for those of other processes, which a watching thread signals when the shared entry is
 * done. */
#include "model/drm/drm_syncobj_queue.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_owner.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/slab.h"

struct local_fence {
    struct drm_fence_callback callback;
    struct drm_syncobj *object; /* a reference */
    struct drm_fence *fence;
    struct list node;
    uint64_t serial;
    bool stand_in;       /* for another process's fence: signaled by the watcher */
    int64_t deadline_ns; /* of a stand-in: then it is given up */
    int error;
};

static struct syncobj_state *state_create(uint32_t capacity)
{
    struct syncobj_state *state = slab_zalloc(sizeof(*state) + capacity * sizeof(struct syncobj_entry));
    if (state)
        state->capacity = capacity;
    return state;
}

struct drm_syncobj *drm_syncobj_create(bool signaled)
{
    struct drm_syncobj *object = slab_zalloc(sizeof(*object));
    struct syncobj_state *state = state_create(4);
    if (!object || !state) {
        slab_free(object);
        slab_free(state);
        return NULL;
    }
    atomic_init(&object->refs, 1);
    pthread_mutex_init(&object->lock, NULL);
    list_init(&object->locals);
    list_init(&object->listeners);
    list_init(&object->shared_node);
    object->memfd = object->alive_fd = -1;
    object->state = state;
    state->header.has_fence = signaled;
    return object;
}

struct drm_syncobj *drm_syncobj_ref(struct drm_syncobj *object)
{
    atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
    return object;
}

void drm_syncobj_destroy(struct drm_syncobj *object)
{
    if (object->memfd >= 0) {
        munmap(object->shared, SYNCOBJ_SHARED_B);
        close(object->memfd);
        if (object->alive_fd >= 0)
            close(object->alive_fd);
    }
    slab_free(object->state);
    pthread_mutex_destroy(&object->lock);
    slab_free(object);
}

void drm_syncobj_unref(struct drm_syncobj *object)
{
    if (!object)
        return;
    uint32_t refs = atomic_load(&object->refs);
    while (refs > 1) {
        if (atomic_compare_exchange_weak(&object->refs, &refs, refs - 1))
            return;
    }
    if (drm_syncobj_drop(object))
        drm_syncobj_destroy(object);
}

/* ---- fences of this process ---- */

static void mark_done(struct drm_syncobj *object, uint64_t serial)
{
    struct syncobj_state *state = object->state;
    for (uint32_t i = 0; i < state->header.count; i++) {
        if (state->entries[i].serial == serial)
            state->entries[i].done = 1;
    }
    drm_syncobj_prune(state);
    drm_syncobj_changed(object);
}

/* A fence is signaled a moment before its callbacks run. A caller that has seen an effect of the fence must not get
 * the answer that it is not signaled. */
static void catch_up(struct drm_syncobj *object)
{
    struct syncobj_state *state = object->state;
    list_foreach (&object->locals, struct local_fence, local, node) {
        if (local->stand_in || !drm_fence_is_signaled(local->fence))
            continue;
        for (uint32_t i = 0; i < state->header.count; i++) {
            if (state->entries[i].serial == local->serial)
                state->entries[i].done = 1;
        }
    }
    drm_syncobj_prune(state);
}

static void local_finish(struct local_fence *local)
{
    struct drm_syncobj *object = local->object;
    drm_syncobj_lock(object);
    list_remove(&local->node);
    if (!local->stand_in)
        mark_done(object, local->serial);
    drm_syncobj_unlock(object);
    drm_fence_unref(local->fence);
    free(local);
    drm_syncobj_unref(object);
}

static void local_signaled(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    local_finish(container_of(callback, struct local_fence, callback));
}

static struct local_fence *local_create(struct drm_syncobj *object, struct drm_fence *fence)
{
    struct local_fence *local = calloc(1, sizeof(*local));
    if (!local)
        return NULL;
    local->object = drm_syncobj_ref(object);
    local->fence = drm_fence_ref(fence);
    local->callback.signaled = local_signaled;
    list_init(&local->callback.node);
    list_init(&local->node);
    return local;
}

static void local_destroy(struct local_fence *local)
{
    drm_fence_unref(local->fence);
    drm_syncobj_unref(local->object);
    free(local);
}

/* The two ways in share this: append an entry for `fence`, which may be done already. */
static void append_entry(struct drm_syncobj *object, uint64_t point, struct local_fence *local)
{
    struct syncobj_state *state = object->state;
    struct syncobj_entry *entry = &state->entries[state->header.count];
    *entry = (struct syncobj_entry){
        .point = point, .serial = ++state->header.next_serial, .owner = object->owner, .done = local == NULL};
    state->header.count++;
    if (local) {
        local->serial = entry->serial;
        list_push_back(&object->locals, &local->node);
    }
}

/* Everything that changes the content: forget what was there (a binary fence, or none) or go on with the timeline. */
static int put_fence(struct drm_syncobj *object, struct drm_fence *fence, uint64_t point, bool chain)
{
    bool pending = fence && !drm_fence_is_signaled(fence);
    struct local_fence *local = pending ? local_create(object, fence) : NULL;
    if (pending && !local)
        return -ENOMEM;
    drm_syncobj_lock(object);
    struct syncobj_state *state = object->state;
    if (!chain)
        state->header.count = 0;
    int error = fence ? drm_syncobj_reserve(object) : 0;
    state = object->state;
    if (error) {
        drm_syncobj_unlock(object);
        if (local)
            local_destroy(local);
        return error;
    }
    if (!chain) {
        state->header.is_chain = 0;
        state->header.last_point = state->header.signaled_point = 0;
        state->header.chain_serial = state->header.next_serial + 1;
    } else {
        bool unordered = state->header.is_chain && point <= state->header.last_point;
        if (!state->header.is_chain || unordered) {
            state->header.chain_serial = state->header.next_serial + 1;
            state->header.signaled_point = 0;
        }
        point = unordered ? state->header.last_point : point;
        state->header.last_point = point;
        state->header.is_chain = 1;
    }
    state->header.has_fence = fence != NULL;
    if (fence)
        append_entry(object, point, local);
    drm_syncobj_prune(state);
    drm_syncobj_changed(object);
    drm_syncobj_unlock(object);
    if (local && !drm_fence_add_callback(fence, &local->callback))
        local_finish(local);
    return 0;
}

int drm_syncobj_replace(struct drm_syncobj *object, struct drm_fence *fence)
{
    return put_fence(object, fence, 0, false);
}

int drm_syncobj_add_point(struct drm_syncobj *object, struct drm_fence *fence, uint64_t point)
{
    return put_fence(object, fence, point, true);
}

uint64_t drm_syncobj_query(struct drm_syncobj *object, bool last_submitted)
{
    drm_syncobj_lock(object);
    catch_up(object);
    const struct syncobj_state *state = object->state;
    uint64_t point = !state->header.is_chain ? 0
                     : last_submitted        ? state->header.last_point
                                             : state->header.signaled_point;
    drm_syncobj_unlock(object);
    return point;
}

/* ---- fences of other processes ---- */

static bool owner_is_alive(struct drm_syncobj *object, uint32_t owner)
{
    return owner == object->owner || drm_owner_is_alive(object->alive_fd, owner);
}

static bool entry_is_pending(const struct syncobj_state *state, uint64_t serial)
{
    for (uint32_t i = 0; i < state->header.count; i++) {
        if (state->entries[i].serial == serial)
            return !state->entries[i].done;
    }
    return false;
}

/* One look at the shared queue: end the entries of dead processes, take out the stand-ins whose entry is done. */
static bool watcher_step(struct drm_syncobj *object, struct list *done_out)
{
    struct syncobj_state *state = object->state;
    bool buried = false;
    for (uint32_t i = 0; i < state->header.count; i++) {
        if (!state->entries[i].done && !owner_is_alive(object, state->entries[i].owner))
            state->entries[i].done = buried = true;
    }
    if (buried) {
        drm_syncobj_prune(state);
        drm_syncobj_changed(object);
    }
    bool waiting = false;
    int64_t now_ns = drm_now_ns();
    list_foreach (&object->locals, struct local_fence, local, node) {
        if (!local->stand_in)
            continue;
        bool is_pending = entry_is_pending(state, local->serial);
        if (is_pending && now_ns < local->deadline_ns) {
            waiting = true;
        } else {
            local->error = is_pending ? -ETIMEDOUT : 0;
            list_remove(&local->node);
            list_push_back(done_out, &local->node);
        }
    }
    list_foreach (&object->listeners, struct drm_syncobj_listener, listener, node) {
        drm_waiter_wake(listener->waiter);
        waiting = true;
    }
    return waiting;
}

static void *watcher_main(void *argument)
{
    struct drm_syncobj *object = argument;
    const struct timespec look_after_the_living = {.tv_nsec = (long)MIN2(200000000ll, drm_peer_patience_ns())};
    bool waiting = true;
    while (waiting) {
        struct list done;
        list_init(&done);
        drm_syncobj_lock(object);
        uint32_t seen = atomic_load(&object->shared->changed);
        waiting = watcher_step(object, &done);
        if (!waiting)
            object->watched = false;
        drm_syncobj_unlock(object);
        list_foreach (&done, struct local_fence, local, node) {
            drm_fence_signal(local->fence, local->error);
            local_destroy(local);
        }
        if (waiting)
            syscall(SYS_futex, &object->shared->changed, FUTEX_WAIT, seen, &look_after_the_living, NULL, 0);
    }
    drm_syncobj_unref(object);
    return NULL;
}

int drm_syncobj_watch(struct drm_syncobj *object)
{
    if (object->memfd < 0 || object->watched)
        return 0;
    sigset_t all, old;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    drm_syncobj_ref(object);
    int error = pthread_create(&thread, NULL, watcher_main, object);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error) {
        atomic_fetch_sub(&object->refs, 1);
        return -ENOMEM; /* not EAGAIN: an ioctl that returns that is tried again, for ever */
    }
    pthread_detach(thread);
    object->watched = true;
    return 0;
}

/* This process's fence for an entry; makes a stand-in for another process's. The caller holds the locks. */
static struct drm_fence *fence_of_entry(struct drm_syncobj *object, const struct syncobj_entry *entry)
{
    list_foreach (&object->locals, struct local_fence, local, node) {
        if (local->serial == entry->serial)
            return drm_fence_ref(local->fence);
    }
    if (object->memfd < 0 || entry->owner == object->owner)
        return drm_fence_stub(); /* its fence is being signaled at this moment */
    struct drm_fence *fence = drm_fence_create();
    struct local_fence *local = fence ? local_create(object, fence) : NULL;
    if (!local || drm_syncobj_watch(object)) {
        if (local)
            local_destroy(local);
        drm_fence_unref(fence);
        return NULL;
    }
    local->stand_in = true;
    local->deadline_ns = drm_now_ns() + drm_peer_patience_ns();
    local->serial = entry->serial;
    list_push_back(&object->locals, &local->node);
    return fence;
}

/* How many entries at the front a point waits for; -EINVAL where it has no fence. */
static int entries_of_point(const struct syncobj_state *state, uint64_t point)
{
    if (!state->header.has_fence)
        return -EINVAL;
    if (point == 0)
        return (int)state->header.count;
    if (!state->header.is_chain || state->header.last_point < point)
        return -EINVAL;
    if (state->header.signaled_point >= point)
        return 0;
    for (uint32_t i = 0; i < state->header.count; i++) {
        if (state->entries[i].serial >= state->header.chain_serial && state->entries[i].point >= point)
            return (int)i + 1;
    }
    return 0;
}

int drm_syncobj_find_fence(struct drm_syncobj *object, uint64_t point, struct drm_fence **fence_out)
{
    ARRAY(struct drm_fence *) fences = {0};
    drm_syncobj_lock(object);
    const struct syncobj_state *state = object->state;
    int count = entries_of_point(state, point);
    int error = count < 0 ? count : 0;
    for (int i = 0; i < count && !error; i++) {
        if (state->entries[i].done)
            continue;
        struct drm_fence *fence = fence_of_entry(object, &state->entries[i]);
        if (!fence || !array_push(&fences, fence)) {
            drm_fence_unref(fence);
            error = -ENOMEM;
        }
    }
    drm_syncobj_unlock(object);
    if (!error) {
        *fence_out = drm_fence_all(fences.data, fences.count);
        error = *fence_out ? 0 : -ENOMEM;
    }
    array_foreach (&fences, fence)
        drm_fence_unref(*fence);
    array_finish(&fences);
    return error;
}

struct drm_syncobj_listener *drm_syncobj_listen(struct drm_syncobj *object, struct drm_waiter *waiter)
{
    struct drm_syncobj_listener *listener = calloc(1, sizeof(*listener));
    if (!listener)
        return NULL;
    listener->waiter = waiter;
    drm_syncobj_lock(object);
    list_push_back(&object->listeners, &listener->node);
    drm_syncobj_watch(object); /* without the thread only what this process submits is noticed */
    drm_syncobj_unlock(object);
    return listener;
}

void drm_syncobj_unlisten(struct drm_syncobj *object, struct drm_syncobj_listener *listener)
{
    if (!listener)
        return;
    drm_syncobj_lock(object);
    list_remove(&listener->node);
    drm_syncobj_unlock(object);
    free(listener);
}

int drm_syncobj_await_fence(struct drm_syncobj *object, uint64_t point, int64_t deadline_ns,
                            struct drm_fence **fence_out)
{
    int error = drm_syncobj_find_fence(object, point, fence_out);
    if (error != -EINVAL)
        return error;
    struct drm_waiter waiter = {0};
    struct drm_syncobj_listener *listener = drm_syncobj_listen(object, &waiter);
    if (!listener)
        return -ENOMEM;
    bool in_time = true;
    for (;;) {
        uint32_t seen = atomic_load_explicit(&waiter.word, memory_order_acquire);
        error = drm_syncobj_find_fence(object, point, fence_out);
        if (error != -EINVAL || !in_time)
            break;
        in_time = drm_waiter_wait(&waiter, seen, deadline_ns);
    }
    drm_syncobj_unlisten(object, listener);
    return error == -EINVAL ? -ETIME : error;
}
