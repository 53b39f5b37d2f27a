/* A sync that is always signalled: where a payload is known to be complete already (an image that a window system gives
 * back). */
#ifndef VULKAN_RUNTIME_VK_SYNC_DUMMY_H
#define VULKAN_RUNTIME_VK_SYNC_DUMMY_H

#include "vulkan/runtime/vk_sync.h"

/* Submissions drop waits on it; it is never given to a driver. */
extern const struct vk_sync_type vk_sync_dummy_type;

static inline bool vk_sync_is_dummy(const struct vk_sync *sync)
{
    return sync->type == &vk_sync_dummy_type;
}

#endif
