/* See drm_handles.h. */
#include <errno.h>

#include "model/drm/drm_handles.h"

int drm_handles_insert(struct drm_handles *handles, void *object, uint32_t limit, uint32_t *handle_out)
{
    uint32_t index = handles->first_free;
    while (index < handles->slots.count && handles->slots.data[index])
        index++;
    if (index >= limit)
        return -ENOSPC;
    if (index == handles->slots.count && !array_push(&handles->slots, NULL))
        return -ENOMEM;
    handles->slots.data[index] = object;
    handles->first_free = index + 1;
    *handle_out = index + 1;
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
    if (handle - 1 < handles->first_free)
        handles->first_free = handle - 1;
    return object;
}
