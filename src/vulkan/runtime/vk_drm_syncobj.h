/* The kernel's own synchronisation object as a sync type. Needs a device whose `kernel_file` is set. */
#ifndef VULKAN_RUNTIME_VK_DRM_SYNCOBJ_H
#define VULKAN_RUNTIME_VK_DRM_SYNCOBJ_H

#include "vulkan/runtime/vk_sync.h"

struct kernel_file;

struct vk_drm_syncobj {
    struct vk_sync base;
    uint32_t handle;
};

/* The type with the features that this device's kernel has; `type_out` must live as long as the physical device.
 * False where the kernel has no syncobj at all. */
bool vk_drm_syncobj_type_init(struct kernel_file *file, struct vk_sync_type *type_out);
bool vk_sync_is_drm_syncobj(const struct vk_sync *sync);

static inline struct vk_drm_syncobj *vk_sync_as_drm_syncobj(struct vk_sync *sync)
{
    return (struct vk_drm_syncobj *)sync;
}

#endif
