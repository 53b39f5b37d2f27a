/* See drm_syncobj_queue.h. The caller holds the locks. */
#include "model/drm/drm_syncobj_queue.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/drm/drm_fence.h"
#include "util/bits.h"
#include "util/slab.h"

/* Bring the shared queue here: as much of it as there can be, and flags that are flags. */
static void read_shared(struct drm_syncobj *object)
{
    struct syncobj_state *state = object->state;
    memcpy(&state->header, &object->shared->header, sizeof(state->header));
    state->header.count = MIN2(state->header.count, SYNCOBJ_SHARED_ENTRIES);
    state->header.has_fence = state->header.has_fence != 0;
    state->header.is_chain = state->header.is_chain != 0;
    state->first = 0;
    memcpy(state->entries, object->shared->entries, state->header.count * sizeof(struct syncobj_entry));
    state->is_dirty = false;
}

void drm_syncobj_write_shared(struct drm_syncobj *object)
{
    struct syncobj_state *state = object->state;
    memcpy(object->shared->entries, syncobj_entries(state), state->header.count * sizeof(struct syncobj_entry));
    memcpy(&object->shared->header, &state->header, sizeof(state->header));
}

void drm_syncobj_lock(struct drm_syncobj *object)
{
    pthread_mutex_lock(&object->lock);
    if (object->memfd < 0)
        return;
    drm_peer_lock(&object->shared->lock, object->owner, &object->trust);
    read_shared(object);
}

void drm_syncobj_unlock(struct drm_syncobj *object)
{
    if (object->memfd >= 0) {
        if (object->state->is_dirty)
            drm_syncobj_write_shared(object);
        drm_peer_unlock(&object->shared->lock, object->owner);
        if (object->tells_others) {
            atomic_fetch_add(&object->shared->changed, 1);
            syscall(SYS_futex, &object->shared->changed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        }
    }
    object->tells_others = false;
    pthread_mutex_unlock(&object->lock);
}

void drm_syncobj_changed(struct drm_syncobj *object)
{
    object->state->is_dirty = true;
    list_foreach (&object->listeners, struct drm_syncobj_listener, listener, node) {
        if (syncobj_has_point(&object->state->header, listener->point))
            listener->heard(listener);
    }
    object->tells_others = true;
}

void drm_syncobj_prune(struct syncobj_state *state)
{
    const struct syncobj_entry *entries = syncobj_entries(state);
    uint32_t done = 0;
    while (done < state->header.count && entries[done].done) {
        if (entries[done].serial >= state->header.chain_serial)
            state->header.signaled_point = entries[done].point;
        done++;
    }
    if (!done)
        return;
    state->is_dirty = true;
    state->header.count -= done;
    state->first = state->header.count ? state->first + done : 0;
}

static void compact_entries(struct syncobj_state *state)
{
    memmove(state->entries, syncobj_entries(state), state->header.count * sizeof(struct syncobj_entry));
    state->first = 0;
}

int drm_syncobj_reserve(struct drm_syncobj *object, uint32_t more)
{
    struct syncobj_state *state = object->state;
    const uint32_t needed = state->header.count + more;
    if (state->first + needed <= state->capacity)
        return 0;
    /* Where those that have left are half of them each entry moves once. */
    if (object->memfd >= 0 || (state->first >= state->capacity / 2 && needed <= state->capacity)) {
        compact_entries(state);
        return 0;
    }
    const uint32_t capacity = MAX2(2 * state->capacity, state->first + needed);
    struct syncobj_state *grown = slab_realloc(state, sizeof(*state) + capacity * sizeof(struct syncobj_entry));
    if (!grown)
        return -ENOMEM;
    grown->capacity = capacity;
    object->state = grown;
    return 0;
}

struct syncobj_entry *drm_syncobj_entry(struct drm_syncobj *object, uint64_t serial)
{
    struct syncobj_entry *entries = syncobj_entries(object->state);
    const uint32_t count = object->state->header.count;
    uint32_t low = 0, high = count;
    if (object->memfd >= 0) { /* a peer's numbers are in any order */
        while (low < count && entries[low].serial != serial)
            low++;
        return low < count ? &entries[low] : NULL;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (entries[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && entries[low].serial == serial ? &entries[low] : NULL;
}
