/* A synchronisation object is a short queue of entries, each standing for one fence. Entries leave at the front when
 * they are done. The queue is plain data in our own memory. Once the object is exported there is a second one in a
 * memfd that other processes map, too: under its lock it is copied here, looked over, worked on and copied back, so
 * that what a peer writes meanwhile is never acted on. Beside the queue each process keeps the fences that it can wait
 * for: its own, and stand-ins for those of other processes, which a watching thread signals when the shared entry is
 * done. */
#include "model/drm/drm_syncobj.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_owner.h"
#include "model/drm/drm_peer.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/list.h"
#include "util/slab.h"

#define STATE_MAGIC 0x53464654u /* "TFFS" */
#define SHARED_SIZE_B 65536u
#define MEMFD_NAME "tuff-syncobj"

struct entry {
    uint64_t point;
    uint64_t serial;
    uint32_t owner;
    uint32_t done;
};

struct header {
    uint64_t next_serial;
    uint64_t signaled_point;
    uint64_t last_point;
    uint64_t chain_serial; /* entries below belong to a timeline that an unordered point has ended */
    uint32_t has_fence;
    uint32_t is_chain;
    uint32_t count;
    uint32_t next_owner;
};

/* The contents of a memfd. Any process that has it may write anything at any time. */
#define SHARED_ENTRIES 2048u
struct shared {
    uint32_t magic;
    struct drm_peer_lock lock;
    _Atomic uint32_t changed; /* futex word of the watchers */
    uint32_t pad;
    struct header header;
    struct entry entries[SHARED_ENTRIES];
};
_Static_assert(sizeof(struct shared) <= SHARED_SIZE_B, "the memfd has its size for good");

/* Ours alone. */
struct state {
    struct header header;
    uint32_t capacity;
    bool is_dirty; /* differs from the shared one */
    struct entry entries[];
};

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

struct drm_syncobj_listener {
    struct list node;
    struct drm_waiter *waiter;
};

struct drm_syncobj {
    _Atomic uint32_t refs;
    pthread_mutex_t lock; /* this process's; the shared one is taken inside it */
    struct state *state;
    struct list locals;    /* struct local_fence */
    struct list listeners; /* struct drm_syncobj_listener */
    bool watched;          /* a watcher thread runs, with a reference of its own */
    bool tells_others;     /* at the unlock: the queue has changed */

    /* once exported or imported */
    int memfd; /* -1 before */
    struct shared *shared;
    struct drm_peer_trust trust;
    int alive_fd; /* an open file description of our own, whose lock shows the others that this process is alive */
    uint32_t owner;
    dev_t dev;
    ino_t ino;
    struct list shared_node; /* in `shared_objects` */
};

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER; /* before an object's lock */
static struct list shared_objects = {&shared_objects, &shared_objects};

/* A child of fork has the parent's objects by copy, but is another process: it must neither find them by inode nor keep
 * the parent's sign of life open. */
static void before_fork(void)
{
    pthread_mutex_lock(&shared_lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&shared_lock);
}

static void after_fork_in_child(void)
{
    list_foreach (&shared_objects, struct drm_syncobj, object, shared_node) {
        close(object->alive_fd);
        object->alive_fd = -1;
        list_remove(&object->shared_node);
    }
    pthread_mutex_unlock(&shared_lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static struct state *private_state_create(uint32_t capacity)
{
    struct state *state = slab_zalloc(sizeof(*state) + capacity * sizeof(struct entry));
    if (state)
        state->capacity = capacity;
    return state;
}

struct drm_syncobj *drm_syncobj_create(bool signaled)
{
    struct drm_syncobj *object = slab_zalloc(sizeof(*object));
    struct state *state = private_state_create(4);
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

static void object_destroy(struct drm_syncobj *object)
{
    if (object->memfd >= 0) {
        munmap(object->shared, SHARED_SIZE_B);
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
    /* An import finds shared objects by inode, so the last reference of those is dropped under the list's lock. */
    uint32_t refs = atomic_load(&object->refs);
    while (refs > 1) {
        if (atomic_compare_exchange_weak(&object->refs, &refs, refs - 1))
            return;
    }
    pthread_mutex_lock(&shared_lock);
    bool last = atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1;
    if (last)
        list_remove(&object->shared_node);
    pthread_mutex_unlock(&shared_lock);
    if (last)
        object_destroy(object);
}

/* ---- the queue; the caller holds the locks ---- */

/* Bring the shared queue here: as much of it as there can be, and flags that are flags. */
static void read_shared(struct drm_syncobj *object)
{
    struct state *state = object->state;
    memcpy(&state->header, &object->shared->header, sizeof(state->header));
    state->header.count = MIN2(state->header.count, SHARED_ENTRIES);
    state->header.has_fence = state->header.has_fence != 0;
    state->header.is_chain = state->header.is_chain != 0;
    memcpy(state->entries, object->shared->entries, state->header.count * sizeof(struct entry));
    state->is_dirty = false;
}

static void write_shared(struct drm_syncobj *object)
{
    const struct state *state = object->state;
    memcpy(object->shared->entries, state->entries, state->header.count * sizeof(struct entry));
    memcpy(&object->shared->header, &state->header, sizeof(state->header));
}

static void state_lock(struct drm_syncobj *object)
{
    pthread_mutex_lock(&object->lock);
    if (object->memfd < 0)
        return;
    drm_peer_lock(&object->shared->lock, object->owner, &object->trust);
    read_shared(object);
}

static void state_unlock(struct drm_syncobj *object)
{
    if (object->memfd >= 0) {
        if (object->state->is_dirty)
            write_shared(object);
        drm_peer_unlock(&object->shared->lock, object->owner);
        if (object->tells_others) {
            atomic_fetch_add(&object->shared->changed, 1);
            syscall(SYS_futex, &object->shared->changed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        }
    }
    object->tells_others = false;
    pthread_mutex_unlock(&object->lock);
}

static void state_changed(struct drm_syncobj *object)
{
    object->state->is_dirty = true;
    list_foreach (&object->listeners, struct drm_syncobj_listener, listener, node)
        drm_waiter_wake(listener->waiter);
    object->tells_others = true;
}

static void state_prune(struct state *state)
{
    uint32_t done = 0;
    while (done < state->header.count && state->entries[done].done) {
        if (state->entries[done].serial >= state->header.chain_serial)
            state->header.signaled_point = state->entries[done].point;
        done++;
    }
    if (!done)
        return;
    state->is_dirty = true;
    state->header.count -= done;
    memmove(state->entries, state->entries + done, state->header.count * sizeof(struct entry));
}

/* Room for one more entry; a private queue grows, a shared one has its size for good. */
static int state_reserve(struct drm_syncobj *object)
{
    struct state *state = object->state;
    if (state->header.count < state->capacity)
        return 0;
    if (object->memfd >= 0)
        return -ENOMEM;
    struct state *grown = slab_realloc(state, sizeof(*state) + 2ull * state->capacity * sizeof(struct entry));
    if (!grown)
        return -ENOMEM;
    grown->capacity *= 2;
    object->state = grown;
    return 0;
}

static void mark_done(struct drm_syncobj *object, uint64_t serial)
{
    struct state *state = object->state;
    for (uint32_t i = 0; i < state->header.count; i++) {
        if (state->entries[i].serial == serial)
            state->entries[i].done = 1;
    }
    state_prune(state);
    state_changed(object);
}

/* ---- fences of this process ---- */

/* A fence is signaled a moment before its callbacks run. A caller that has seen an effect of the fence must not get
 * the answer that it is not signaled. */
static void catch_up(struct drm_syncobj *object)
{
    struct state *state = object->state;
    list_foreach (&object->locals, struct local_fence, local, node) {
        if (local->stand_in || !drm_fence_is_signaled(local->fence))
            continue;
        for (uint32_t i = 0; i < state->header.count; i++) {
            if (state->entries[i].serial == local->serial)
                state->entries[i].done = 1;
        }
    }
    state_prune(state);
}

static void local_finish(struct local_fence *local)
{
    struct drm_syncobj *object = local->object;
    state_lock(object);
    list_remove(&local->node);
    if (!local->stand_in)
        mark_done(object, local->serial);
    state_unlock(object);
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
    struct state *state = object->state;
    struct entry *entry = &state->entries[state->header.count];
    *entry = (struct entry){
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
    state_lock(object);
    struct state *state = object->state;
    if (!chain)
        state->header.count = 0;
    int error = fence ? state_reserve(object) : 0;
    state = object->state;
    if (error) {
        state_unlock(object);
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
    state_prune(state);
    state_changed(object);
    state_unlock(object);
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
    state_lock(object);
    catch_up(object);
    const struct state *state = object->state;
    uint64_t point = !state->header.is_chain ? 0
                     : last_submitted        ? state->header.last_point
                                             : state->header.signaled_point;
    state_unlock(object);
    return point;
}

/* ---- fences of other processes ---- */

static bool owner_is_alive(struct drm_syncobj *object, uint32_t owner)
{
    return owner == object->owner || drm_owner_is_alive(object->alive_fd, owner);
}

static bool entry_is_pending(const struct state *state, uint64_t serial)
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
    struct state *state = object->state;
    bool buried = false;
    for (uint32_t i = 0; i < state->header.count; i++) {
        if (!state->entries[i].done && !owner_is_alive(object, state->entries[i].owner))
            state->entries[i].done = buried = true;
    }
    if (buried) {
        state_prune(state);
        state_changed(object);
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
        state_lock(object);
        uint32_t seen = atomic_load(&object->shared->changed);
        waiting = watcher_step(object, &done);
        if (!waiting)
            object->watched = false;
        state_unlock(object);
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

/* The caller holds the locks. Watch the shared queue while a thread of this process waits for it. */
static int watch(struct drm_syncobj *object)
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
static struct drm_fence *fence_of_entry(struct drm_syncobj *object, const struct entry *entry)
{
    list_foreach (&object->locals, struct local_fence, local, node) {
        if (local->serial == entry->serial)
            return drm_fence_ref(local->fence);
    }
    if (object->memfd < 0 || entry->owner == object->owner)
        return drm_fence_stub(); /* its fence is being signaled at this moment */
    struct drm_fence *fence = drm_fence_create();
    struct local_fence *local = fence ? local_create(object, fence) : NULL;
    if (!local || watch(object)) {
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
static int entries_of_point(const struct state *state, uint64_t point)
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
    state_lock(object);
    const struct state *state = object->state;
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
    state_unlock(object);
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
    state_lock(object);
    list_push_back(&object->listeners, &listener->node);
    watch(object); /* without the thread only what this process submits is noticed */
    state_unlock(object);
    return listener;
}

void drm_syncobj_unlisten(struct drm_syncobj *object, struct drm_syncobj_listener *listener)
{
    if (!listener)
        return;
    state_lock(object);
    list_remove(&listener->node);
    state_unlock(object);
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

/* ---- between processes ---- */

/* A number that no other process has: a peer may have changed the one that comes next. 0: none was free. The locks are
 * held. */
static uint32_t take_number(struct drm_syncobj *object)
{
    for (unsigned i = 0; i < 64; i++) {
        uint32_t number = ++object->state->header.next_owner & DRM_OWNER_MASK;
        object->state->is_dirty = true;
        if (number && number != DRM_OWNER_MASK && drm_owner_enter(object->alive_fd, number))
            return number;
    }
    return 0;
}

static void remember_inode(struct drm_syncobj *object)
{
    struct stat status = {0};
    fstat(object->memfd, &status);
    object->dev = status.st_dev;
    object->ino = status.st_ino;
    list_push_back(&shared_objects, &object->shared_node);
}

/* The object's file, its mapping, and room for the largest queue that can be in it. Without effect where it fails. */
static int open_shared(struct drm_syncobj *object, int memfd)
{
    int alive_fd = drm_owner_open(memfd);
    if (alive_fd < 0)
        return alive_fd;
    struct shared *shared = mmap(NULL, SHARED_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    int error = shared == MAP_FAILED ? -errno : 0;
    struct state *grown =
        error ? NULL : slab_realloc(object->state, sizeof(struct state) + SHARED_ENTRIES * sizeof(struct entry));
    if (!grown) {
        if (!error)
            munmap(shared, SHARED_SIZE_B);
        close(alive_fd);
        return error ? error : -ENOMEM;
    }
    grown->capacity = SHARED_ENTRIES;
    object->state = grown;
    object->shared = shared;
    object->alive_fd = alive_fd;
    object->memfd = memfd;
    return 0;
}

/* Move the queue into a memfd. The caller holds shared_lock and the object's lock. */
static int share_state(struct drm_syncobj *object)
{
    if (object->state->header.count > SHARED_ENTRIES)
        return -ENOMEM;
    int memfd = drm_peer_file_create(MEMFD_NAME, SHARED_SIZE_B);
    int error = memfd < 0 ? memfd : open_shared(object, memfd);
    if (error) {
        if (memfd >= 0)
            close(memfd);
        return error;
    }
    object->owner = take_number(object); /* no other process has the file yet */
    for (uint32_t i = 0; i < object->state->header.count; i++)
        object->state->entries[i].owner = object->owner;
    write_shared(object);
    remember_inode(object);
    object->shared->magic = STATE_MAGIC;
    return 0;
}

int drm_syncobj_export(struct drm_syncobj *object)
{
    pthread_mutex_lock(&shared_lock);
    pthread_mutex_lock(&object->lock);
    int error = object->memfd >= 0 ? 0 : share_state(object);
    if (!error && !list_is_empty(&object->listeners))
        watch(object);
    int fd = error ? error : fcntl(object->memfd, F_DUPFD_CLOEXEC, 0);
    if (!error && fd < 0)
        fd = -errno;
    pthread_mutex_unlock(&object->lock);
    pthread_mutex_unlock(&shared_lock);
    return fd;
}

/* An object of another process. The caller holds shared_lock. */
static struct drm_syncobj *attach(int fd)
{
    struct drm_syncobj *object = drm_syncobj_create(false);
    int memfd = object ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (memfd < 0 || open_shared(object, memfd)) {
        if (memfd >= 0)
            close(memfd);
        if (object)
            object_destroy(object);
        return NULL;
    }
    object->owner = DRM_OWNER_MASK; /* until it has a number */
    state_lock(object);
    uint32_t number = object->shared->magic == STATE_MAGIC ? take_number(object) : 0;
    state_unlock(object);
    object->owner = number;
    if (!number) {
        object_destroy(object);
        return NULL;
    }
    remember_inode(object);
    return object;
}

int drm_syncobj_import(int fd, struct drm_syncobj **object_out)
{
    struct stat status;
    if (!drm_peer_file_check(fd, MEMFD_NAME, &status) || status.st_size != SHARED_SIZE_B)
        return -EINVAL;
    pthread_mutex_lock(&shared_lock);
    struct drm_syncobj *found = NULL;
    list_foreach (&shared_objects, struct drm_syncobj, object, shared_node) {
        if (object->dev == status.st_dev && object->ino == status.st_ino)
            found = drm_syncobj_ref(object);
    }
    if (!found)
        found = attach(fd);
    pthread_mutex_unlock(&shared_lock);
    *object_out = found;
    return found ? 0 : -EINVAL;
}
