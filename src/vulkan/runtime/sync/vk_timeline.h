/* A timeline: a number that only grows, and the syncobj by which the kernel knows it. Every queue has one, on which
 * each of its submissions is a point; a timeline semaphore is one. "The work is done" is always "that timeline has
 * reached that value", so a fence or a binary semaphore needs no object in the kernel: it names a point.
 *
 * A value goes through three states. Nothing will reach it; a submission that reaches it is with the kernel, which can
 * make others wait for it (`submitted`); it is reached. Host waits may begin in any of them. */
#ifndef VULKAN_RUNTIME_VK_TIMELINE_H
#define VULKAN_RUNTIME_VK_TIMELINE_H

#include <stdatomic.h>

#include "vulkan/runtime/sync/vk_syncobj.h"

struct vk_timeline {
    uint32_t syncobj;
    bool is_shared;             /* others have the syncobj by fd: what is submitted, the kernel alone knows */
    _Atomic uint64_t submitted; /* at least; all of it unless the timeline is shared */
    _Atomic uint64_t reached;   /* at least: the highest value seen so far */
};

struct vk_point {
    struct vk_timeline *timeline;
    uint64_t value;
};

/* Every value is reached, and no syncobj is needed: the point of what is signalled from the start. */
extern struct vk_timeline vk_timeline_of_the_past;

VkResult vk_timeline_init(struct vk_device *device, struct vk_timeline *timeline, uint64_t initial);
void vk_timeline_finish(struct vk_device *device, struct vk_timeline *timeline);

/* By the host. */
VkResult vk_timeline_signal(struct vk_device *device, struct vk_timeline *timeline, uint64_t value);
VkResult vk_timeline_get_value(struct vk_device *device, struct vk_timeline *timeline, uint64_t *value_out);

static inline void vk_timeline_raise(_Atomic uint64_t *value, uint64_t to)
{
    uint64_t now = atomic_load(value);
    while (now < to && !atomic_compare_exchange_weak(value, &now, to))
        ;
}

/* As far as is known without asking the kernel. */
static inline bool vk_point_is_reached(struct vk_point point)
{
    return atomic_load_explicit(&point.timeline->reached, memory_order_acquire) >= point.value;
}

static inline struct vk_syncobj_point vk_point_in_kernel(struct vk_point point)
{
    return (struct vk_syncobj_point){point.timeline->syncobj, point.value};
}

/* VK_SUCCESS: the kernel lets a submission wait for it. VK_NOT_READY otherwise. */
VkResult vk_point_check_submitted(struct vk_device *device, struct vk_point point);

/* Until all points are reached, or with `any` one of them. VK_TIMEOUT after the deadline. */
VkResult vk_points_wait(struct vk_device *device, const struct vk_point *points, uint32_t count, bool any,
                        uint64_t deadline_ns);

#endif
