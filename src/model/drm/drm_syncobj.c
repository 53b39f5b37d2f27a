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
#include "util/log.h"
#include "util/slab.h"

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
    struct syncobj_run *run = syncobj_run_create();
    if (!object || !state || !run) {
        slab_free(object);
        slab_free(state);
        syncobj_run_unref(run);
        return NULL;
    }
    atomic_init(&object->refs, 1);
    pthread_mutex_init(&object->lock, NULL);
    list_init(&object->stand_ins);
    list_init(&object->listeners);
    list_init(&object->shared_node);
    object->memfd = object->alive_fd = -1;
    object->state = state;
    object->run = run;
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
    syncobj_run_unref(object->run);
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

/* A fence is signaled a moment before its callbacks run. A caller that has seen an effect of the fence must not get
 * the answer that it is not signaled. */
static void catch_up(struct drm_syncobj *object)
{
    struct syncobj_state *state = object->state;
    struct syncobj_entry *entries = syncobj_entries(state);
    for (uint32_t i = 0; i < state->header.count; i++) {
        const struct syncobj_local *local = entries[i].done ? NULL : syncobj_run_find(object->run, entries[i].serial);
        if (!entries[i].done && !(local && drm_fence_is_signaled(local->fence)))
            break;
        entries[i].done = 1;
    }
    drm_syncobj_prune(state);
}

static void local_finish(struct syncobj_local *local, int error)
{
    struct drm_syncobj *object = drm_syncobj_ref(local->object);
    struct list left;
    list_init(&left);
    drm_syncobj_lock(object);
    struct syncobj_entry *entry = drm_syncobj_entry(object, local->serial);
    if (entry)
        entry->done = 1;
    drm_syncobj_prune(object->state);
    drm_syncobj_changed(object);
    syncobj_run_end(local->run, local, error, &left);
    drm_syncobj_unlock(object);
    syncobj_locals_leave(&left);
    drm_syncobj_unref(object);
}

static void local_signaled(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    local_finish(container_of(callback, struct syncobj_local, callback), fence->error);
}

static struct syncobj_local *local_create(struct drm_syncobj *object)
{
    struct syncobj_local *local = slab_zalloc(sizeof(*local));
    if (!local)
        return NULL;
    local->object = drm_syncobj_ref(object);
    local->callback.signaled = local_signaled;
    list_init(&local->callback.node);
    list_init(&local->node);
    return local;
}

/* A shared queue has its size for good. Our own fences in it are waited for, or refused; those of others, who can fill
 * it with what never ends, make room. */
static bool has_no_room(struct drm_syncobj *object, uint32_t more)
{
    struct syncobj_state *state = object->state;
    return object->memfd >= 0 && state->header.count + more > state->capacity &&
           (!state->header.count || syncobj_run_find(object->run, syncobj_entries(state)->serial));
}

/* The locks are held: there is room for what was promised, and for one more. */
static int promise_entry(struct drm_syncobj *object)
{
    if (has_no_room(object, object->promised + 1) || !syncobj_run_reserve(object->run, object->promised + 1))
        return -ENOMEM;
    int error = drm_syncobj_reserve(object, object->promised + 1);
    object->promised += !error;
    return error;
}

int drm_syncobj_prepare(struct drm_syncobj *object, struct drm_syncobj_room *room_out)
{
    struct syncobj_local *local = local_create(object);
    *room_out = (struct drm_syncobj_room){0};
    if (!local)
        return -ENOMEM;
    drm_syncobj_lock(object);
    int error = promise_entry(object);
    drm_syncobj_unlock(object);
    if (error)
        syncobj_local_destroy(local);
    else
        *room_out = (struct drm_syncobj_room){drm_syncobj_ref(object), local};
    return error;
}

void drm_syncobj_room_finish(struct drm_syncobj_room *room)
{
    if (!room->object)
        return;
    drm_syncobj_lock(room->object);
    room->object->promised--;
    drm_syncobj_unlock(room->object);
    syncobj_local_destroy(room->local);
    drm_syncobj_unref(room->object);
    *room = (struct drm_syncobj_room){0};
}

/* An entry for a fence, or with NULL for one that is done. There is room, but where processes that share the queue have
 * filled it: then its oldest entry counts as done. */
static void append_entry(struct drm_syncobj *object, uint64_t point, struct syncobj_local *local)
{
    struct syncobj_state *state = object->state;
    if (object->memfd >= 0 && state->header.count == state->capacity) {
        LOG_ERROR("model/drm", "a shared synchronisation object is full: its oldest fence is not waited for any more");
        syncobj_entries(state)->done = 1;
        drm_syncobj_prune(state);
        drm_syncobj_reserve(object, 1);
    }
    syncobj_entries(state)[state->header.count++] = (struct syncobj_entry){
        .point = point, .serial = ++state->header.next_serial, .owner = object->owner, .done = local == NULL};
    if (local) {
        local->serial = state->header.next_serial;
        syncobj_run_add(object->run, local);
    }
}

/* The old fence goes on by itself, and nothing waits for it here. Without memory for another run whoever waits for
 * several fences of this one waits for those that were there before, too. */
static void begin_run(struct drm_syncobj *object)
{
    struct syncobj_run *run = syncobj_run_is_empty(object->run) ? NULL : syncobj_run_create();
    if (run && syncobj_run_reserve(run, object->promised)) {
        syncobj_run_unref(object->run);
        object->run = run;
    } else {
        syncobj_run_unref(run);
    }
}

/* The beginning of a queue that a fence replaces, or the point that a timeline goes on with. */
static uint64_t begin_entry(struct drm_syncobj *object, uint64_t point, bool is_timeline)
{
    struct syncobj_header *header = &object->state->header;
    if (!is_timeline) {
        header->count = 0;
        object->state->first = 0;
        begin_run(object);
        header->is_chain = 0;
        header->last_point = header->signaled_point = 0;
        header->chain_serial = header->next_serial + 1;
        return 0;
    }
    bool unordered = header->is_chain && point <= header->last_point;
    if (!header->is_chain || unordered) {
        header->chain_serial = header->next_serial + 1;
        header->signaled_point = 0;
    }
    point = unordered ? header->last_point : point;
    header->last_point = point;
    header->is_chain = 1;
    return point;
}

/* Everything that changes the content: forget what was there (a binary fence, or none) or go on with the timeline. */
static void put_fence(struct drm_syncobj_room *room, struct drm_fence *fence, uint64_t point, bool is_timeline)
{
    struct drm_syncobj *object = room->object;
    struct syncobj_local *local = drm_fence_is_signaled(fence) ? NULL : room->local;
    drm_syncobj_lock(object);
    if (local)
        local->fence = drm_fence_ref(fence);
    point = begin_entry(object, point, is_timeline);
    object->state->header.has_fence = 1;
    append_entry(object, point, local);
    object->promised--;
    drm_syncobj_prune(object->state);
    drm_syncobj_changed(object);
    drm_syncobj_unlock(object);
    if (!local)
        syncobj_local_destroy(room->local);
    else if (!drm_fence_add_callback(fence, &local->callback))
        local_finish(local, fence->error);
    drm_syncobj_unref(object);
    *room = (struct drm_syncobj_room){0};
}

void drm_syncobj_put(struct drm_syncobj_room *room, struct drm_fence *fence, uint64_t point)
{
    put_fence(room, fence, point, point != 0);
}

static void reset_content(struct drm_syncobj *object)
{
    drm_syncobj_lock(object);
    begin_entry(object, 0, false);
    object->state->header.has_fence = 0;
    drm_syncobj_changed(object);
    drm_syncobj_unlock(object);
}

int drm_syncobj_replace(struct drm_syncobj *object, struct drm_fence *fence)
{
    struct drm_syncobj_room room;
    int error = fence ? drm_syncobj_prepare(object, &room) : 0;
    if (!fence)
        reset_content(object);
    else if (!error)
        put_fence(&room, fence, 0, false);
    return error;
}

int drm_syncobj_add_point(struct drm_syncobj *object, struct drm_fence *fence, uint64_t point)
{
    struct drm_syncobj_room room;
    int error = drm_syncobj_prepare(object, &room);
    if (!error)
        put_fence(&room, fence, point, true);
    return error;
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

/* One look at the shared queue: end the entries of dead processes, take out the stand-ins whose entry is done. */
static bool watcher_step(struct drm_syncobj *object, struct list *done_out)
{
    struct syncobj_state *state = object->state;
    bool buried = false;
    for (uint32_t i = 0; i < state->header.count; i++) {
        struct syncobj_entry *entry = &syncobj_entries(state)[i];
        if (!entry->done && !owner_is_alive(object, entry->owner))
            entry->done = buried = true;
    }
    if (buried) {
        drm_syncobj_prune(state);
        drm_syncobj_changed(object);
    }
    bool waiting = false;
    int64_t now_ns = drm_now_ns();
    list_foreach (&object->stand_ins, struct syncobj_local, local, node) {
        const struct syncobj_entry *entry = drm_syncobj_entry(object, local->serial);
        bool is_pending = entry && !entry->done;
        if (is_pending && now_ns < local->deadline_ns) {
            waiting = true;
        } else {
            local->error = is_pending ? -ETIMEDOUT : 0;
            list_remove(&local->node);
            list_push_back(done_out, &local->node);
        }
    }
    list_foreach (&object->listeners, struct drm_syncobj_listener, listener, node) {
        if (syncobj_has_point(&state->header, listener->point))
            listener->heard(listener);
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
        list_foreach (&done, struct syncobj_local, local, node) {
            drm_fence_signal(local->fence, local->error);
            syncobj_local_destroy(local);
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

/* A new reference to the fence that stands for another process's entry; NULL without memory. */
static struct drm_fence *stand_in_for(struct drm_syncobj *object, const struct syncobj_entry *entry)
{
    list_foreach (&object->stand_ins, struct syncobj_local, local, node) {
        if (local->serial == entry->serial)
            return drm_fence_ref(local->fence);
    }
    struct syncobj_local *local = local_create(object);
    struct drm_fence *fence = local ? local->fence = drm_fence_create() : NULL;
    if (!fence || drm_syncobj_watch(object)) {
        if (local)
            syncobj_local_destroy(local);
        return NULL;
    }
    local->deadline_ns = drm_now_ns() + drm_peer_patience_ns();
    local->serial = entry->serial;
    list_push_back(&object->stand_ins, &local->node);
    return drm_fence_ref(fence);
}

/* The fence for an entry; makes a stand-in for another process's. The caller holds the locks. */
static struct drm_fence *fence_of_entry(struct drm_syncobj *object, const struct syncobj_entry *entry)
{
    const struct syncobj_local *local = syncobj_run_find(object->run, entry->serial);
    if (local)
        return drm_fence_ref(local->fence);
    if (object->memfd < 0 || entry->owner == object->owner)
        return drm_fence_stub(); /* its fence is being signaled at this moment */
    return stand_in_for(object, entry);
}

struct fence_array {
    struct drm_fence **data; /* references */
    uint32_t count, capacity;
};

/* How many entries at the front a point waits for; -EINVAL where it has no fence. */
static int entries_of_point(struct syncobj_state *state, uint64_t point)
{
    const struct syncobj_header *header = &state->header;
    const struct syncobj_entry *entries = syncobj_entries(state);
    if (!syncobj_has_point(header, point))
        return -EINVAL;
    if (point == 0)
        return (int)header->count;
    if (header->signaled_point >= point)
        return 0;
    /* Points of a timeline do not fall; what a peer has written instead is any place in the queue. */
    uint32_t low = 0, high = header->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (entries[middle].serial >= header->chain_serial && entries[middle].point >= point)
            high = middle;
        else
            low = middle + 1;
    }
    return low < header->count ? (int)low + 1 : 0;
}

/* Fences for the first entries of a queue, one by one: those that others may write to, too. */
static int collect_fences(struct drm_syncobj *object, uint32_t count, struct fence_array *fences)
{
    const struct syncobj_entry *entries = syncobj_entries(object->state);
    int error = 0;
    for (uint32_t i = 0; i < count && !error; i++) {
        if (entries[i].done)
            continue;
        struct drm_fence *fence = fence_of_entry(object, &entries[i]);
        if (!fence || !array_push(fences, fence)) {
            drm_fence_unref(fence);
            error = -ENOMEM;
        }
    }
    return error;
}

/* The lock is held; fences' own locks are outside of it. */
static int find_fences(struct drm_syncobj *object, uint64_t point, struct fence_array *fences)
{
    const struct syncobj_entry *entries = syncobj_entries(object->state);
    int count = entries_of_point(object->state, point);
    while (count > 0 && entries[count - 1].done)
        count--;
    if (count < 0)
        return count;
    struct syncobj_local *last =
        count > 1 && object->memfd < 0 ? syncobj_run_find(object->run, entries[count - 1].serial) : NULL;
    if (!last)
        return collect_fences(object, (uint32_t)count, fences);
    struct drm_fence *reached = syncobj_run_reached(object->run, last);
    if (reached && array_push(fences, reached))
        return 0;
    drm_fence_unref(reached);
    return -ENOMEM;
}

int drm_syncobj_find_fence(struct drm_syncobj *object, uint64_t point, struct drm_fence **fence_out)
{
    struct fence_array fences = {0};
    drm_syncobj_lock(object);
    int error = find_fences(object, point, &fences);
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

void drm_syncobj_listen(struct drm_syncobj *object, struct drm_syncobj_listener *listener)
{
    drm_syncobj_lock(object);
    list_push_back(&object->listeners, &listener->node);
    drm_syncobj_watch(object); /* without the thread only what this process submits is noticed */
    drm_syncobj_unlock(object);
}

void drm_syncobj_unlisten(struct drm_syncobj *object, struct drm_syncobj_listener *listener)
{
    drm_syncobj_lock(object);
    list_remove(&listener->node);
    drm_syncobj_unlock(object);
}

/* A thread that waits for one point. */
struct lone_listener {
    struct drm_syncobj_listener base;
    struct drm_waiter waiter;
};

static void wake_listener(struct drm_syncobj_listener *listener)
{
    drm_waiter_wake(&container_of(listener, struct lone_listener, base)->waiter);
}

int drm_syncobj_await_fence(struct drm_syncobj *object, uint64_t point, int64_t deadline_ns,
                            struct drm_fence **fence_out)
{
    int error = drm_syncobj_find_fence(object, point, fence_out);
    if (error != -EINVAL)
        return error;
    struct lone_listener listener = {.base = {.point = point, .heard = wake_listener}};
    drm_syncobj_listen(object, &listener.base);
    bool in_time = true;
    for (;;) {
        uint32_t seen = atomic_load_explicit(&listener.waiter.word, memory_order_acquire);
        error = drm_syncobj_find_fence(object, point, fence_out);
        if (error != -EINVAL || !in_time)
            break;
        in_time = drm_waiter_wait(&listener.waiter, seen, deadline_ns);
    }
    drm_syncobj_unlisten(object, &listener.base);
    return error == -EINVAL ? -ETIME : error;
}
