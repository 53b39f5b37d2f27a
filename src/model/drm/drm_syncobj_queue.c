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
    memcpy(state->entries, object->shared->entries, state->header.count * sizeof(struct syncobj_entry));
    state->is_dirty = false;
}

void drm_syncobj_write_shared(struct drm_syncobj *object)
{
    const struct syncobj_state *state = object->state;
    memcpy(object->shared->entries, state->entries, state->header.count * sizeof(struct syncobj_entry));
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
    list_foreach (&object->listeners, struct drm_syncobj_listener, listener, node)
        drm_waiter_wake(listener->waiter);
    object->tells_others = true;
}

void drm_syncobj_prune(struct syncobj_state *state)
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
    memmove(state->entries, state->entries + done, state->header.count * sizeof(struct syncobj_entry));
}

int drm_syncobj_reserve(struct drm_syncobj *object)
{
    struct syncobj_state *state = object->state;
    if (state->header.count < state->capacity)
        return 0;
    if (object->memfd >= 0)
        return -ENOMEM;
    struct syncobj_state *grown =
        slab_realloc(state, sizeof(*state) + 2ull * state->capacity * sizeof(struct syncobj_entry));
    if (!grown)
        return -ENOMEM;
    grown->capacity *= 2;
    object->state = grown;
    return 0;
}
