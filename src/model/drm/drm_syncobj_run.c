/* See drm_syncobj_run.h. */
#include "model/drm/drm_syncobj_run.h"

#include <stdlib.h>
#include <string.h>

#include "model/drm/drm_syncobj.h"
#include "util/slab.h"

struct syncobj_run *syncobj_run_create(void)
{
    struct syncobj_run *run = slab_zalloc(sizeof(*run));
    if (run)
        atomic_init(&run->refs, 1);
    return run;
}

void syncobj_run_unref(struct syncobj_run *run)
{
    if (!run || atomic_fetch_sub_explicit(&run->refs, 1, memory_order_acq_rel) != 1)
        return;
    slab_free(run->places);
    slab_free(run);
}

bool syncobj_run_is_empty(const struct syncobj_run *run)
{
    return run->first == run->count;
}

/* Entries that have left are half of them before the others move: each moves once. */
bool syncobj_run_reserve(struct syncobj_run *run, uint32_t more)
{
    if (run->count + more <= run->capacity)
        return true;
    if (run->first && run->first >= run->count / 2) {
        run->count -= run->first;
        memmove(run->places, run->places + run->first, run->count * sizeof(*run->places));
        run->first = 0;
    }
    return slab_array_reserve_bytes((void **)&run->places, &run->capacity, run->count + more, sizeof(*run->places));
}

void syncobj_run_add(struct syncobj_run *run, struct syncobj_local *local)
{
    atomic_fetch_add_explicit(&run->refs, 1, memory_order_relaxed);
    local->run = run;
    run->places[run->count++] = local;
}

struct syncobj_local *syncobj_run_find(const struct syncobj_run *run, uint64_t serial)
{
    uint32_t low = run->first, high = run->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (run->places[middle]->serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < run->count && run->places[low]->serial == serial && !run->places[low]->is_done ? run->places[low]
                                                                                                : NULL;
}

struct drm_fence *syncobj_run_reached(struct syncobj_run *run, struct syncobj_local *local)
{
    if (!local->reached) {
        local->reached = drm_fence_create();
        local->reached_since = run->places[run->first]->serial;
    }
    return local->reached ? drm_fence_ref(local->reached) : NULL;
}

void syncobj_run_end(struct syncobj_run *run, struct syncobj_local *local, int error, struct list *left)
{
    local->is_done = true;
    local->error = error;
    while (run->first < run->count && run->places[run->first]->is_done) {
        struct syncobj_local *next = run->places[run->first++];
        if (next->error) {
            run->error = next->error;
            run->error_serial = next->serial;
        }
        if (next->reached && !next->error && run->error_serial >= next->reached_since)
            next->error = run->error;
        list_push_back(left, &next->node);
    }
    if (run->first == run->count)
        run->first = run->count = 0;
}

void syncobj_local_destroy(struct syncobj_local *local)
{
    drm_fence_unref(local->reached);
    drm_fence_unref(local->fence);
    syncobj_run_unref(local->run);
    drm_syncobj_unref(local->object);
    slab_free(local);
}

void syncobj_locals_leave(struct list *left)
{
    list_foreach (left, struct syncobj_local, local, node) {
        list_remove(&local->node);
        if (local->reached)
            drm_fence_signal(local->reached, local->error);
        syncobj_local_destroy(local);
    }
}
