/* Binary syncs over a kernel that has timelines only. Each signal takes the next point; a reset makes the next point
 * the one to wait for. */
#ifndef VULKAN_RUNTIME_VK_SYNC_BINARY_H
#define VULKAN_RUNTIME_VK_SYNC_BINARY_H

#include "vulkan/runtime/vk_sync.h"

struct vk_sync_binary_type {
    struct vk_sync_type base;
    const struct vk_sync_type *timeline;
};

struct vk_sync_binary {
    struct vk_sync base;
    uint64_t point;            /* that a wait waits for and a signal signals */
    struct vk_sync timeline[]; /* one, of the type's size */
};

/* `timeline` must have VK_SYNC_TIMELINE and GPU_WAIT, and its objects must bear to be moved in memory: the kernel's, no
 * emulation. What else it can do, the binary one can do. */
void vk_sync_binary_type_init(struct vk_sync_binary_type *type_out, const struct vk_sync_type *timeline);
/* The binary sync behind `sync`, or NULL when it is of another type. */
struct vk_sync_binary *vk_sync_as_binary(struct vk_sync *sync);

#endif
