/* Timelines over a kernel that has binary syncs only: a list of points, each a value with the binary sync of the
 * submission that will reach it. The driver sees the binary syncs. A value that nobody has submitted yet has no point:
 * whoever submits a wait for it must first wait until it is pending. */
#ifndef VULKAN_RUNTIME_VK_SYNC_TIMELINE_H
#define VULKAN_RUNTIME_VK_SYNC_TIMELINE_H

#include <pthread.h>

#include "util/list.h"
#include "vulkan/runtime/vk_sync.h"

struct vk_sync_timeline_type {
    struct vk_sync_type base;
    const struct vk_sync_type *binary;
};

struct vk_sync_timeline {
    struct vk_sync base;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t reached;   /* the value now */
    uint64_t pending;   /* the highest value of an installed point, or `reached` */
    struct list points; /* installed, not seen complete; values ascend */
    struct list free_points;
};

struct vk_sync_timeline_point {
    struct vk_sync_timeline *timeline;
    struct list link;
    uint64_t value;
    uint32_t users; /* waits that hold it; the list is not one */
    bool installed;
    struct vk_sync sync[]; /* one, of the binary type's size */
};

/* The binary type must be one that several submissions can wait on: two waits for one value become two waits for one
 * binary sync. */
bool vk_sync_timeline_type_init(struct vk_sync_timeline_type *type_out, const struct vk_sync_type *binary);
struct vk_sync_timeline *vk_sync_as_timeline(struct vk_sync *sync); /* NULL when it is of another type */

/* For a submission that will signal `value`: a point with an unsignalled sync, to be installed behind the submission or
 * given back before. */
VkResult vk_sync_timeline_alloc_point(struct vk_device *device, struct vk_sync_timeline *timeline, uint64_t value,
                                      struct vk_sync_timeline_point **point_out);
VkResult vk_sync_timeline_install(struct vk_device *device, struct vk_sync_timeline_point *point);
/* For a submission that waits: the point that reaches `value`, held until released; NULL when the value is reached.
 * VK_NOT_READY when nothing pending reaches it. */
VkResult vk_sync_timeline_get_point(struct vk_device *device, struct vk_sync_timeline *timeline, uint64_t value,
                                    struct vk_sync_timeline_point **point_out);
void vk_sync_timeline_release(struct vk_device *device, struct vk_sync_timeline_point *point);

#endif
