/* The kernel's syncobj, as every DRM driver offers it: calls on `vk_device::kernel_file`, and no state of our own. A
 * syncobj holds either one fence that can be replaced and removed, or a timeline: fences at values that grow. Value 0
 * names the fence of the former. What fences and semaphores make of this is vk_payload.h's and vk_timeline.h's.
 *
 * Functions return VK_SUCCESS or the error that the application gets; an ioctl that cannot fail in a working program
 * loses the device. */
#ifndef VULKAN_RUNTIME_VK_SYNCOBJ_H
#define VULKAN_RUNTIME_VK_SYNCOBJ_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/object/vk_api.h"

struct kernel_file;
struct vk_device;

/* A point that a submission waits for or signals. */
struct vk_syncobj_point {
    uint32_t handle;
    uint64_t value;
};

/* Whether the kernel has syncobjs with timelines, which the runtime needs (Linux 5.2). */
bool vk_syncobj_is_supported(struct kernel_file *file);

VkResult vk_syncobj_create(struct vk_device *device, bool is_signalled, uint32_t *handle_out);
void vk_syncobj_destroy(struct vk_device *device, uint32_t handle); /* 0 is allowed */

VkResult vk_syncobj_signal(struct vk_device *device, struct vk_syncobj_point point);
/* Removes the fence. */
VkResult vk_syncobj_reset(struct vk_device *device, uint32_t handle);
/* The highest value whose fence, and those of all values below, are signalled. */
VkResult vk_syncobj_query(struct vk_device *device, uint32_t handle, uint64_t *value_out);

enum vk_syncobj_wait {
    VK_SYNCOBJ_WAIT_ALL = 0,
    VK_SYNCOBJ_WAIT_ANY = 1 << 0,
    VK_SYNCOBJ_WAIT_SUBMITTED = 1 << 1, /* until there are fences, not until they are signalled */
};

/* Until the absolute time; VK_TIMEOUT when it passed. A point that has no fence yet is waited for. `first_out`, which
 * may be NULL: the index of one that ended a VK_SYNCOBJ_WAIT_ANY. */
VkResult vk_syncobj_wait(struct vk_device *device, const struct vk_syncobj_point *points, uint32_t count, unsigned wait,
                         uint64_t deadline_ns, uint32_t *first_out);

/* Puts the fence of `from` into `to` as well. VK_NOT_READY: there is none. */
VkResult vk_syncobj_copy(struct vk_device *device, struct vk_syncobj_point from, struct vk_syncobj_point to);

/* By fd: the object itself, or a sync file, which is a copy of its fence. The fd stays the caller's. */
VkResult vk_syncobj_import(struct vk_device *device, int fd, uint32_t *handle_out);
VkResult vk_syncobj_export(struct vk_device *device, uint32_t handle, int *fd_out);
VkResult vk_syncobj_import_file(struct vk_device *device, int fd, uint32_t *handle_out);
/* The fence has been submitted, as the specification demands, but its submission may be on its way to the kernel: that
 * is waited for. */
VkResult vk_syncobj_export_file(struct vk_device *device, struct vk_syncobj_point point, int *fd_out);

#endif
