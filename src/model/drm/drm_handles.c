/* See drm_handles.h. */
#include <errno.h>

#include "model/drm/drm_handles.h"

static void swap_slots(uint32_t *a, uint32_t *b)
{
    uint32_t old = *a;
    *a = *b;
    *b = old;
}

static void add_unused(struct drm_handles *handles, uint32_t slot)
{
    uint32_t *heap = handles->unused.data, at = handles->unused.count++;
    heap[at] = slot;
    for (; at && heap[(at - 1) / 2] > heap[at]; at = (at - 1) / 2)
        swap_slots(&heap[(at - 1) / 2], &heap[at]);
}

static void take_lowest(struct drm_handles *handles)
{
    uint32_t *heap = handles->unused.data, count = --handles->unused.count;
    heap[0] = heap[count];
    for (uint32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[at] <= heap[child])
            break;
        swap_slots(&heap[at], &heap[child]);
    }
}

int drm_handles_insert(struct drm_handles *handles, void *object, uint32_t limit, uint32_t *handle_out)
{
    uint32_t slot = handles->unused.count ? handles->unused.data[0] : handles->slots.count;
    if (slot >= limit)
        return -ENOSPC;
    if (handles->unused.count)
        take_lowest(handles);
    else if (!array_reserve(&handles->unused, slot + 1) || !array_push(&handles->slots, NULL))
        return -ENOMEM;
    handles->slots.data[slot] = object;
    *handle_out = slot + 1;
    return 0;
}

void *drm_handles_get(const struct drm_handles *handles, uint32_t handle)
{
    return handle && handle <= handles->slots.count ? handles->slots.data[handle - 1] : NULL;
}

void *drm_handles_remove(struct drm_handles *handles, uint32_t handle)
{
    void *object = drm_handles_get(handles, handle);
    if (!object)
        return NULL;
    handles->slots.data[handle - 1] = NULL;
    add_unused(handles, handle - 1);
    if (handles->unused.count == handles->slots.count)
        drm_handles_finish(handles);
    return object;
}

void drm_handles_finish(struct drm_handles *handles)
{
    array_finish(&handles->slots);
    array_finish(&handles->unused);
}
