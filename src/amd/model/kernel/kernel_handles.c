/* Handles: the lowest free number first, as the kernel's IDs are given. */
#include <errno.h>

#include "amd/model/kernel/kernel_types.h"

int amd_handles_insert(struct amd_handles *handles, void *object, uint32_t limit, uint32_t *handle_out)
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

void *amd_handles_get(const struct amd_handles *handles, uint32_t handle)
{
    return handle && handle <= handles->slots.count ? handles->slots.data[handle - 1] : NULL;
}

void *amd_handles_remove(struct amd_handles *handles, uint32_t handle)
{
    void *object = amd_handles_get(handles, handle);
    if (!object)
        return NULL;
    handles->slots.data[handle - 1] = NULL;
    if (handle - 1 < handles->first_free)
        handles->first_free = handle - 1;
    return object;
}
