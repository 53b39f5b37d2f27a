/* The inside of a synchronisation object, for the files of drm_syncobj.c: the queue in our own memory and, once the
 * object is exported, its copy in a memfd.
 *
 *     drm_syncobj.c        fences of this process and stand-ins for those of others
 *     drm_syncobj_queue.c  the queue, and how it goes to the memfd and back
 *     drm_syncobj_run.c    fences of this process in the order of their entries
 *     drm_syncobj_share.c  export and import */
#ifndef MODEL_DRM_SYNCOBJ_QUEUE_H
#define MODEL_DRM_SYNCOBJ_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/drm/drm_peer.h"
#include "model/drm/drm_syncobj.h"
#include "model/drm/drm_syncobj_run.h"
#include "util/list.h"

#define SYNCOBJ_SHARED_B 65536u

struct syncobj_entry {
    uint64_t point;
    uint64_t serial;
    uint32_t owner;
    uint32_t done;
};

struct syncobj_header {
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
#define SYNCOBJ_SHARED_ENTRIES 2048u
struct syncobj_shared {
    uint32_t magic;
    struct drm_peer_lock lock;
    _Atomic uint32_t changed; /* futex word of the watchers */
    uint32_t pad;
    struct syncobj_header header;
    struct syncobj_entry entries[SYNCOBJ_SHARED_ENTRIES];
};
_Static_assert(sizeof(struct syncobj_shared) <= SYNCOBJ_SHARED_B, "the memfd has its size for good");

/* Ours alone. */
struct syncobj_state {
    struct syncobj_header header;
    uint32_t capacity;
    uint32_t first; /* of the entries; those before it have left */
    bool is_dirty;  /* differs from the shared one */
    struct syncobj_entry entries[];
};

static inline struct syncobj_entry *syncobj_entries(struct syncobj_state *state)
{
    return state->entries + state->first;
}

/* A fence is there for the point, or it has been reached: what a submission may wait for. */
static inline bool syncobj_has_point(const struct syncobj_header *header, uint64_t point)
{
    return header->has_fence && (point == 0 || (header->is_chain && header->last_point >= point));
}

struct drm_syncobj {
    _Atomic uint32_t refs;
    pthread_mutex_t lock; /* this process's; the shared one is taken inside it */
    struct syncobj_state *state;
    uint32_t promised; /* entries that there is memory for because somebody will put a fence there */
    struct syncobj_run *run;
    struct list stand_ins; /* struct syncobj_local, for fences of other processes */
    struct list listeners; /* struct drm_syncobj_listener */
    bool watched;          /* a watcher thread runs, with a reference of its own */
    bool tells_others;     /* at the unlock: the queue has changed */

    /* once exported or imported */
    int memfd; /* -1 before */
    struct syncobj_shared *shared;
    struct drm_peer_trust trust;
    int alive_fd; /* an open file description of our own, whose lock shows the others that this process is alive */
    uint32_t owner;
    dev_t dev;
    ino_t ino;
    struct list shared_node; /* in `shared_objects` */
};

/* Around all that looks at the queue or changes it: this process's lock, and the shared one. */
void drm_syncobj_lock(struct drm_syncobj *object);
void drm_syncobj_unlock(struct drm_syncobj *object);

/* ---- under the locks ---- */

/* Whoever waits is told. */
void drm_syncobj_changed(struct drm_syncobj *object);
/* Entries at the front that are done leave. */
void drm_syncobj_prune(struct syncobj_state *state);
/* Room for so many more entries; a private queue grows, a shared one has its size for good, free places at its end. */
int drm_syncobj_reserve(struct drm_syncobj *object, uint32_t more);
/* The entry with a number; NULL: it has left. In our own queue they are in order. */
struct syncobj_entry *drm_syncobj_entry(struct drm_syncobj *object, uint64_t serial);
void drm_syncobj_write_shared(struct drm_syncobj *object);
/* Watch the shared queue while a thread of this process waits for it. */
int drm_syncobj_watch(struct drm_syncobj *object);

/* ---- ends ---- */

void drm_syncobj_destroy(struct drm_syncobj *object);
/* An import finds shared objects by inode, so the last reference of those is dropped under the list's lock. True: it
 * was the last. */
bool drm_syncobj_drop(struct drm_syncobj *object);

#endif
