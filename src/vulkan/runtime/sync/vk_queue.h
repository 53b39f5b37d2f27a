/* VkQueue and how work reaches it. A queue has a timeline; a submission whose end something names, a fence or a binary
 * semaphore, is the next point of it.
 *
 * No kernel lets a submission wait for what has not been submitted, and an application may do so with timeline
 * semaphores. Such a submission is held (vk_held.h), and with it those after it in the same queue. */
#ifndef VULKAN_RUNTIME_VK_QUEUE_H
#define VULKAN_RUNTIME_VK_QUEUE_H

#include <stdatomic.h>

#include "util/list.h"
#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/sync/vk_timeline.h"

struct vk_command_buffer;
struct vk_queue;

/* Work that a driver gives to its kernel, as one: it begins when all waits are signalled, and signals at its end. */
struct vk_work {
    uint32_t wait_count, signal_count, command_buffer_count;
    struct vk_syncobj_point *waits, *signals;
    struct vk_command_buffer **command_buffers;
};

/* Called for one queue by one thread at a time, perhaps not one of the application's. Each wait has a fence in the
 * kernel. An error means that nothing of the work has been submitted; where that cannot be said the device is lost. */
typedef VkResult (*vk_queue_submit_fn)(struct vk_queue *queue, const struct vk_work *work);

struct vk_queue {
    struct vk_object_base base;
    struct list link; /* in vk_device::queues */
    VkDeviceQueueCreateFlags flags;
    uint32_t family_index;
    uint32_t index; /* within the family and among those of the same flags */
    vk_queue_submit_fn submit;

    struct vk_timeline timeline;
    uint64_t last;               /* the value of the latest submission that has one, held or not */
    bool has_unnamed;            /* submissions came after it */
    struct list held;            /* struct vk_submission::link, oldest first; under vk_device::held.lock */
    _Atomic uint32_t held_count; /* 0: `submit` may be called at once by the thread that uses the queue */
};

VK_DEFINE_CASTS(vk_queue, VkQueue)

/* Queue `index` of those that `info` asks for; it can be found by vkGetDeviceQueue from now on. The device must have
 * its `kernel_file`. */
VkResult vk_queue_init(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                       uint32_t index, vk_queue_submit_fn submit);
/* A driver's queues: one array of structs that begin with a vk_queue. */
struct vk_queue_set {
    void *queues;
    uint32_t count;
    /* Set before vk_queue_set_create. */
    size_t size_B;
    VkResult (*init)(struct vk_queue *queue, struct vk_device *device, const VkDeviceQueueCreateInfo *info,
                     uint32_t index);
    void (*finish)(struct vk_queue *queue);
};

/* All queues that vkCreateDevice asks for; what was made before an error is for vk_queue_set_destroy, too. */
VkResult vk_queue_set_create(struct vk_queue_set *set, struct vk_device *device, const VkDeviceCreateInfo *info);
void vk_queue_set_destroy(struct vk_queue_set *set, struct vk_device *device);

static inline void *vk_queue_set_at(const struct vk_queue_set *set, uint32_t index)
{
    return (uint8_t *)set->queues + index * set->size_B;
}

/* Held submissions are forgotten. */
void vk_queue_finish(struct vk_queue *queue);

static inline struct vk_point vk_queue_latest_point(struct vk_queue *queue)
{
    return (struct vk_point){&queue->timeline, queue->last};
}

/* Reached when everything that was submitted before this call is done. Submits an empty work where something has been
 * submitted that has no point. */
VkResult vk_queue_name_end(struct vk_queue *queue, struct vk_point *point_out);

#endif
