/* Reservation objects between processes. A process has one slot of the table, which it alone writes. Its fences get
 * rising numbers; `done` is the number below which all have ended. A waiter notes a slot and a number, and a thread
 * watches the table while anything waits. Numbers continue when a slot gets another owner, so that what was noted stays
 * true. */
#include "model/drm/drm_resv.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
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
#include "util/log.h"

#define TABLE_MAGIC 0x52464654u /* "TFFR" */
#define SLOT_COUNT 64
#define NO_SLOT SLOT_COUNT
#define LOOK_PERIOD_NS 200000000ll /* in which the death of an owner is noticed */

struct slot {
    _Atomic uint32_t owner; /* 0: unused */
    uint32_t pad;
    struct count {
        _Atomic uint64_t added, done;
    } counts[DRM_RESV_USAGE_COUNT];
};

struct table {
    uint32_t magic;
    _Atomic uint32_t last_owner;
    _Atomic uint32_t changed; /* futex word of the watchers */
    uint32_t pad;
    struct drm_peer_lock lock; /* makes looking and adding one step; neither alone needs it. */
    struct slot slots[SLOT_COUNT];
};
_Static_assert(sizeof(struct table) <= DRM_RESV_TABLE_B, "the table has its size for good");

/* A fence of this process that is not done. */
struct local {
    struct drm_fence_callback callback;
    struct list node; /* by number */
    struct drm_resv *resv;
    struct drm_fence *fence;
    enum drm_resv_usage usage;
    uint64_t number;
};

/* Stands here for the fences of another process up to a number. */
struct stand_in {
    struct list node;
    struct drm_fence *fence;
    uint32_t slot;
    enum drm_resv_usage usage;
    uint64_t number;
    int64_t deadline_ns; /* then it is given up */
    int error;
};

struct drm_resv {
    _Atomic uint32_t refs;
    struct list node; /* in `open_resvs` */
    dev_t dev;
    ino_t ino;
    int own_fd; /* see drm_owner.h */
    uint32_t owner;
    void *pages;
    size_t pages_B;
    struct table *table; /* any process that has the file may write anything into it at any time */
    struct drm_peer_trust trust;

    pthread_mutex_t lock; /* of what follows; taken inside fences' locks */
    uint32_t slot;
    uint64_t added[DRM_RESV_USAGE_COUNT];                /* what our slot says, unless another writes it */
    uint64_t given_up[SLOT_COUNT][DRM_RESV_USAGE_COUNT]; /* fences of others up to here were waited for long enough */
    struct list locals[DRM_RESV_USAGE_COUNT];
    struct list stand_ins;
    bool watched; /* a thread runs, with a reference of its own */
};

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list open_resvs = {&open_resvs, &open_resvs};

/* A child of fork has the parent's objects by copy, but is another process. */
static void before_fork(void)
{
    pthread_mutex_lock(&open_lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&open_lock);
}

static void after_fork_in_child(void)
{
    list_foreach (&open_resvs, struct drm_resv, resv, node) {
        close(resv->own_fd);
        resv->own_fd = -1;
        list_remove(&resv->node);
    }
    pthread_mutex_unlock(&open_lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- opening ---- */

void drm_resv_table_init(void *memory)
{
    struct table *table = memory;
    table->magic = TABLE_MAGIC;
}

static int map_table(struct drm_resv *resv, uint64_t offset_B)
{
    uint64_t page_B = (uint64_t)sysconf(_SC_PAGESIZE), inside_B = offset_B % page_B;
    resv->pages_B = inside_B + DRM_RESV_TABLE_B;
    resv->pages =
        mmap(NULL, resv->pages_B, PROT_READ | PROT_WRITE, MAP_SHARED, resv->own_fd, (off_t)(offset_B - inside_B));
    if (resv->pages == MAP_FAILED)
        return -errno;
    resv->table = (struct table *)((char *)resv->pages + inside_B);
    if (resv->table->magic == TABLE_MAGIC)
        return 0;
    munmap(resv->pages, resv->pages_B);
    return -EINVAL;
}

/* A peer may have changed the number that comes next. */
static bool take_number(struct drm_resv *resv)
{
    for (unsigned i = 0; i < 64; i++) {
        resv->owner = (atomic_fetch_add(&resv->table->last_owner, 1) + 1) & DRM_OWNER_MASK;
        if (resv->owner && drm_owner_enter(resv->own_fd, resv->owner))
            return true;
    }
    return false;
}

/* The caller holds open_lock. */
static int attach_resv(int fd, uint64_t offset_B, const struct stat *status, struct drm_resv **resv_out)
{
    struct drm_resv *resv = calloc(1, sizeof(*resv));
    if (!resv)
        return -ENOMEM;
    resv->own_fd = drm_owner_open(fd);
    int error = resv->own_fd < 0 ? resv->own_fd : map_table(resv, offset_B);
    if (error) {
        if (resv->own_fd >= 0)
            close(resv->own_fd);
        free(resv);
        return error;
    }
    atomic_init(&resv->refs, 1);
    resv->dev = status->st_dev;
    resv->ino = status->st_ino;
    resv->slot = NO_SLOT;
    for (unsigned i = 0; i < DRM_RESV_USAGE_COUNT; i++)
        list_init(&resv->locals[i]);
    list_init(&resv->stand_ins);
    pthread_mutex_init(&resv->lock, NULL);
    if (!take_number(resv)) {
        munmap(resv->pages, resv->pages_B);
        close(resv->own_fd);
        pthread_mutex_destroy(&resv->lock);
        free(resv);
        return -EBUSY;
    }
    list_push_back(&open_resvs, &resv->node);
    *resv_out = resv;
    return 0;
}

/* The caller holds open_lock. */
static struct drm_resv *find_resv(const struct stat *status)
{
    list_foreach (&open_resvs, struct drm_resv, resv, node) {
        if (resv->ino == status->st_ino && resv->dev == status->st_dev)
            return drm_resv_ref(resv);
    }
    return NULL;
}

struct drm_resv *drm_resv_find(int fd)
{
    struct stat status;
    if (fstat(fd, &status))
        return NULL;
    pthread_mutex_lock(&open_lock);
    struct drm_resv *resv = find_resv(&status);
    pthread_mutex_unlock(&open_lock);
    return resv;
}

int drm_resv_open(int fd, uint64_t table_offset_B, struct drm_resv **resv_out)
{
    struct stat status;
    if (fstat(fd, &status))
        return -errno;
    if (table_offset_B > (uint64_t)status.st_size || (uint64_t)status.st_size - table_offset_B < DRM_RESV_TABLE_B)
        return -EINVAL;
    int error = 0;
    pthread_mutex_lock(&open_lock);
    *resv_out = find_resv(&status);
    if (!*resv_out)
        error = attach_resv(fd, table_offset_B, &status, resv_out);
    pthread_mutex_unlock(&open_lock);
    return error;
}

struct drm_resv *drm_resv_ref(struct drm_resv *resv)
{
    atomic_fetch_add_explicit(&resv->refs, 1, memory_order_relaxed);
    return resv;
}

/* No fence is pending, for each has a reference. */
static void destroy_resv(struct drm_resv *resv)
{
    if (resv->slot != NO_SLOT)
        atomic_store(&resv->table->slots[resv->slot].owner, 0);
    munmap(resv->pages, resv->pages_B);
    if (resv->own_fd >= 0)
        close(resv->own_fd);
    pthread_mutex_destroy(&resv->lock);
    free(resv);
}

void drm_resv_unref(struct drm_resv *resv)
{
    if (!resv)
        return;
    uint32_t refs = atomic_load(&resv->refs);
    while (refs > 1) {
        if (atomic_compare_exchange_weak(&resv->refs, &refs, refs - 1))
            return;
    }
    /* The last one, where drm_resv_open cannot find it any more. */
    pthread_mutex_lock(&open_lock);
    bool last = atomic_fetch_sub_explicit(&resv->refs, 1, memory_order_acq_rel) == 1;
    if (last)
        list_remove(&resv->node);
    pthread_mutex_unlock(&open_lock);
    if (last)
        destroy_resv(resv);
}

/* ---- one step for several ---- */

int drm_resv_compare(const struct drm_resv *a, const struct drm_resv *b)
{
    if (a->dev != b->dev)
        return a->dev < b->dev ? -1 : 1;
    return a->ino == b->ino ? 0 : a->ino < b->ino ? -1 : 1;
}

void drm_resv_lock(struct drm_resv *resv)
{
    drm_peer_lock(&resv->table->lock, resv->owner, &resv->trust);
}

void drm_resv_unlock(struct drm_resv *resv)
{
    drm_peer_unlock(&resv->table->lock, resv->owner);
}

/* ---- slots ---- */

static void tell_change(struct table *table)
{
    atomic_fetch_add(&table->changed, 1);
    syscall(SYS_futex, &table->changed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void raise_done(struct count *count, uint64_t number)
{
    uint64_t done = atomic_load(&count->done);
    for (unsigned i = 0; i < 100 && done < number; i++) {
        if (atomic_compare_exchange_weak(&count->done, &done, number))
            return;
    }
}

/* Where the slot's owner is dead, all that it has added is done; returns which one it was, or 0. Several processes may
 * do this at a time. */
static uint32_t bury_slot(struct drm_resv *resv, struct slot *slot)
{
    uint32_t owner = atomic_load(&slot->owner);
    if (owner == 0 || owner == resv->owner || drm_owner_is_alive(resv->own_fd, owner))
        return 0;
    uint64_t added[DRM_RESV_USAGE_COUNT];
    for (unsigned i = 0; i < DRM_RESV_USAGE_COUNT; i++)
        added[i] = atomic_load(&slot->counts[i].added);
    if (atomic_load(&slot->owner) != owner)
        return 0; /* it is another's now, and the numbers may be, too */
    for (unsigned i = 0; i < DRM_RESV_USAGE_COUNT; i++)
        raise_done(&slot->counts[i], added[i]);
    tell_change(resv->table);
    return owner;
}

/* A slot for this process: a free one, or a dead one's. False: others have all of them. The lock is held. */
static bool claim_slot(struct drm_resv *resv)
{
    for (unsigned pass = 0; pass < 2 && resv->slot == NO_SLOT; pass++) {
        for (uint32_t i = 0; i < SLOT_COUNT && resv->slot == NO_SLOT; i++) {
            struct slot *slot = &resv->table->slots[i];
            uint32_t before = pass == 0 ? 0 : bury_slot(resv, slot);
            if ((pass == 0 || before) && atomic_compare_exchange_strong(&slot->owner, &before, resv->owner))
                resv->slot = i;
        }
    }
    for (unsigned i = 0; resv->slot != NO_SLOT && i < DRM_RESV_USAGE_COUNT; i++)
        resv->added[i] = atomic_load(&resv->table->slots[resv->slot].counts[i].added);
    return resv->slot != NO_SLOT;
}

/* ---- fences of this process ---- */

static void local_finish(struct local *local)
{
    struct drm_resv *resv = local->resv;
    struct list *locals = &resv->locals[local->usage];
    pthread_mutex_lock(&resv->lock);
    struct count *count = &resv->table->slots[resv->slot].counts[local->usage];
    list_remove(&local->node);
    raise_done(count, list_is_empty(locals) ? resv->added[local->usage]
                                            : container_of(locals->next, struct local, node)->number - 1);
    tell_change(resv->table);
    pthread_mutex_unlock(&resv->lock);
    drm_fence_unref(local->fence);
    free(local);
    drm_resv_unref(resv);
}

static void local_signaled(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    local_finish(container_of(callback, struct local, callback));
}

int drm_resv_add(struct drm_resv *resv, struct drm_fence *fence, enum drm_resv_usage usage)
{
    if (drm_fence_is_signaled(fence))
        return 0;
    struct local *local = calloc(1, sizeof(*local));
    if (!local)
        return -ENOMEM;
    pthread_mutex_lock(&resv->lock);
    bool has_slot = resv->slot != NO_SLOT || claim_slot(resv);
    if (has_slot) {
        *local = (struct local){.callback.signaled = local_signaled,
                                .resv = drm_resv_ref(resv),
                                .fence = drm_fence_ref(fence),
                                .usage = usage,
                                .number = ++resv->added[usage]};
        atomic_store(&resv->table->slots[resv->slot].counts[usage].added, local->number);
        list_init(&local->callback.node);
        list_push_back(&resv->locals[usage], &local->node);
    }
    pthread_mutex_unlock(&resv->lock);
    if (!has_slot) {
        /* A peer that fills the table harms processes that would have waited for us, not our submission. */
        LOG_WARN("model/drm", "a shared buffer's table of fences is full: other processes will not wait for this one");
        free(local);
    } else if (!drm_fence_add_callback(fence, &local->callback)) {
        local_finish(local);
    }
    return 0;
}

/* ---- fences of others ---- */

static bool is_done(struct drm_resv *resv, const struct stand_in *stand_in)
{
    return atomic_load(&resv->table->slots[stand_in->slot].counts[stand_in->usage].done) >= stand_in->number;
}

/* Take out what is done or was waited for long enough; true while something is left. The lock is held. */
static bool watch_step(struct drm_resv *resv, bool look_after_owners, struct list *done_out)
{
    bool left = false;
    int64_t now_ns = drm_now_ns();
    list_foreach (&resv->stand_ins, struct stand_in, stand_in, node) {
        if (!is_done(resv, stand_in) && look_after_owners)
            bury_slot(resv, &resv->table->slots[stand_in->slot]);
        bool is_late = !is_done(resv, stand_in) && now_ns >= stand_in->deadline_ns;
        if (is_late) {
            uint64_t *given_up = &resv->given_up[stand_in->slot][stand_in->usage];
            *given_up = MAX2(*given_up, stand_in->number);
            stand_in->error = -ETIMEDOUT;
        }
        if (is_late || is_done(resv, stand_in)) {
            list_remove(&stand_in->node);
            list_push_back(done_out, &stand_in->node);
        } else {
            left = true;
        }
    }
    resv->watched = left;
    return left;
}

static void *watch_main(void *argument)
{
    struct drm_resv *resv = argument;
    const struct timespec period = {.tv_nsec = (long)MIN2(LOOK_PERIOD_NS, drm_peer_patience_ns())};
    int64_t next_look_ns = drm_now_ns() + LOOK_PERIOD_NS;
    bool left = true;
    while (left) {
        struct list done;
        list_init(&done);
        uint32_t seen = atomic_load(&resv->table->changed);
        bool look = drm_now_ns() >= next_look_ns;
        if (look)
            next_look_ns = drm_now_ns() + LOOK_PERIOD_NS;
        pthread_mutex_lock(&resv->lock);
        left = watch_step(resv, look, &done);
        pthread_mutex_unlock(&resv->lock);
        list_foreach (&done, struct stand_in, stand_in, node) {
            drm_fence_signal(stand_in->fence, stand_in->error);
            drm_fence_unref(stand_in->fence);
            free(stand_in);
        }
        if (left)
            syscall(SYS_futex, &resv->table->changed, FUTEX_WAIT, seen, &period, NULL, 0);
    }
    drm_resv_unref(resv);
    return NULL;
}

/* The lock is held. */
static int watch_resv(struct drm_resv *resv)
{
    if (resv->watched)
        return 0;
    sigset_t all, old;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    drm_resv_ref(resv);
    int error = pthread_create(&thread, NULL, watch_main, resv);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error) {
        atomic_fetch_sub(&resv->refs, 1);
        return -ENOMEM; /* not EAGAIN: an ioctl that returns that is tried again, for ever */
    }
    pthread_detach(thread);
    resv->watched = true;
    return 0;
}

/* A new reference to the fence that stands for a number; NULL without memory. The lock is held. */
static struct drm_fence *stand_in_for(struct drm_resv *resv, uint32_t slot, enum drm_resv_usage usage, uint64_t number)
{
    list_foreach (&resv->stand_ins, struct stand_in, known, node) {
        if (known->slot == slot && known->usage == usage && known->number == number)
            return drm_fence_ref(known->fence);
    }
    struct stand_in *stand_in = calloc(1, sizeof(*stand_in));
    struct drm_fence *fence = stand_in ? drm_fence_create() : NULL;
    if (!fence || watch_resv(resv)) {
        free(stand_in);
        drm_fence_unref(fence);
        return NULL;
    }
    *stand_in = (struct stand_in){.fence = drm_fence_ref(fence),
                                  .slot = slot,
                                  .usage = usage,
                                  .number = number,
                                  .deadline_ns = drm_now_ns() + drm_peer_patience_ns()};
    list_push_back(&resv->stand_ins, &stand_in->node);
    return fence;
}

struct fences {
    ARRAY(struct drm_fence *) list;
};

/* Takes the reference. */
static bool push_fence(struct fences *fences, struct drm_fence *fence)
{
    bool done = fence && array_push(&fences->list, fence);
    if (!done)
        drm_fence_unref(fence);
    return done;
}

static bool collect_local(struct drm_resv *resv, enum drm_resv_usage usage, const void *but_owner,
                          struct fences *fences)
{
    bool done = true;
    list_foreach (&resv->locals[usage], struct local, local, node) {
        bool own = but_owner && local->fence->owner == but_owner;
        if (done && !own && !drm_fence_is_signaled(local->fence))
            done = push_fence(fences, drm_fence_ref(local->fence));
    }
    return done;
}

static bool collect_foreign(struct drm_resv *resv, enum drm_resv_usage usage, struct fences *fences)
{
    for (uint32_t i = 0; i < SLOT_COUNT; i++) {
        struct slot *slot = &resv->table->slots[i];
        uint32_t owner = atomic_load(&slot->owner);
        uint64_t added = atomic_load(&slot->counts[usage].added);
        if (owner == 0 || owner == resv->owner || atomic_load(&slot->counts[usage].done) >= added ||
            added <= resv->given_up[i][usage])
            continue;
        bury_slot(resv, slot);
        if (atomic_load(&slot->counts[usage].done) < added && !push_fence(fences, stand_in_for(resv, i, usage, added)))
            return false;
    }
    return true;
}

struct drm_fence *drm_resv_fence(struct drm_resv *resv, enum drm_resv_usage up_to, const void *but_owner)
{
    struct fences fences = {0};
    bool complete = true;
    pthread_mutex_lock(&resv->lock);
    for (unsigned usage = DRM_RESV_WRITE; usage <= up_to && complete; usage++)
        complete = collect_local(resv, usage, but_owner, &fences) && collect_foreign(resv, usage, &fences);
    pthread_mutex_unlock(&resv->lock);
    struct drm_fence *all = complete ? drm_fence_all(fences.list.data, fences.list.count) : NULL;
    array_foreach (&fences.list, fence)
        drm_fence_unref(*fence);
    array_finish(&fences.list);
    return all;
}
