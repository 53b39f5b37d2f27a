/* What fences and semaphores share when their payload comes or goes by fd: a sync of their own, and in front of it for
 * a while one that was imported. */
#ifndef VULKAN_RUNTIME_VK_PAYLOAD_H
#define VULKAN_RUNTIME_VK_PAYLOAD_H

#include "vulkan/runtime/vk_sync.h"

/* The two syncs of a fence or semaphore. */
struct vk_payload {
    struct vk_sync **temporary; /* where the object keeps what was imported; NULL there: nothing */
    struct vk_sync *permanent;
};

static inline struct vk_sync *vk_payload_sync(const struct vk_payload *payload)
{
    return *payload->temporary ? *payload->temporary : payload->permanent;
}

void vk_payload_drop_temporary(struct vk_device *device, const struct vk_payload *payload);

/* Takes `fd` over when it succeeds. A sync file is a copy of a payload, so its import is temporary whatever
 * `temporarily` says. */
VkResult vk_payload_import_fd(struct vk_device *device, const struct vk_payload *payload, bool sync_file,
                              bool temporarily, int fd);

/* An export as a sync file takes the payload away, as a wait does. */
VkResult vk_payload_export_fd(struct vk_device *device, const struct vk_payload *payload, bool sync_file, int *fd_out);

#endif
