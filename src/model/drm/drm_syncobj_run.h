/* The fences of this process in one synchronisation object, in the order of their entries; and, for an entry that
 * somebody waits for, a fence that says that all up to it are done. Each is made once and signaled in turn, so that a
 * thousand waits for a thousand points cost a thousand steps, not a million.
 *
 * Replacing an object's content begins a new run; the old one lives as long as its fences. */
#ifndef MODEL_DRM_SYNCOBJ_RUN_H
#define MODEL_DRM_SYNCOBJ_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/drm/drm_fence.h"
#include "util/list.h"

struct drm_syncobj;

/* A fence in an object. */
struct syncobj_local {
    struct drm_fence_callback callback;
    struct drm_syncobj *object; /* a reference */
    struct drm_fence *fence;    /* a reference */
    uint64_t serial;
    struct list node;    /* in drm_syncobj.stand_ins, or among those that have left a run */
    int64_t deadline_ns; /* of a stand-in: then it is given up */
    int error;

    /* of one of this process */
    struct syncobj_run *run; /* a reference; NULL: a stand-in for another process's */
    bool is_done;
    struct drm_fence *reached; /* it and those before it are done; NULL: nobody has asked */
    uint64_t reached_since;    /* the first that it stands for */
};

struct syncobj_run {
    _Atomic uint32_t refs;
    struct syncobj_local **places; /* by serial; those before `first` have left, others may be done */
    uint32_t first, count, capacity;
    uint64_t error_serial; /* the last that ended with an error */
    int error;
};

struct syncobj_run *syncobj_run_create(void); /* NULL without memory */
void syncobj_run_unref(struct syncobj_run *run);

/* ---- under the object's lock ---- */

bool syncobj_run_is_empty(const struct syncobj_run *run);
bool syncobj_run_reserve(struct syncobj_run *run, uint32_t more);
/* There is room, and its serial is the highest. */
void syncobj_run_add(struct syncobj_run *run, struct syncobj_local *local);
struct syncobj_local *syncobj_run_find(const struct syncobj_run *run, uint64_t serial); /* NULL: none is pending */
/* A new reference; NULL without memory. */
struct drm_fence *syncobj_run_reached(struct syncobj_run *run, struct syncobj_local *local);
/* Its fence has ended. What leaves the run goes to the list: without the lock, syncobj_locals_leave. */
void syncobj_run_end(struct syncobj_run *run, struct syncobj_local *local, int error, struct list *left);

/* ---- without it ---- */

void syncobj_locals_leave(struct list *left);
void syncobj_local_destroy(struct syncobj_local *local);

#endif
