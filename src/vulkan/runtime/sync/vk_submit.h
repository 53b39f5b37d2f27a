/* One submission inside the runtime: what it needs before the kernel can have it, and what it will have signalled. Made
 * and first tried by vk_submit.c, tried again by vk_held.c. */
#ifndef VULKAN_RUNTIME_VK_SUBMIT_H
#define VULKAN_RUNTIME_VK_SUBMIT_H

#include "vulkan/runtime/memory/vk_sparse.h"
#include "vulkan/runtime/sync/vk_queue.h"

struct vk_fence;

/* Becomes one wait of the work. Either a point of a timeline or the fence of a syncobj. */
struct vk_need {
    struct vk_point point; /* no timeline: a syncobj */
    uint32_t source;       /* a shared syncobj whose fence moves to `syncobj` first; 0: it is there */
    uint32_t syncobj;
    bool owns_source, owns_syncobj; /* they come from a temporary payload and go with the submission */
    bool is_taken;                  /* from `source` */
};

struct vk_submission {
    struct vk_work work; /* its waits are filled in when all needs are met */
    uint32_t bind_count; /* of memory to sparse resources, before the work */
    struct vk_sparse_bind *binds;
    bool is_named;       /* something waits for its end by the queue's timeline */
    struct list link;    /* in vk_queue::held */
    uint32_t need_count;
    struct vk_need *needs;
    struct vk_timeline **signalled; /* of each signal; NULL: a shared syncobj without one */
};

/* The work of vkQueueSubmit2 for one of its infos, which has no command buffers, and binds of memory. */
VkResult vk_queue_submit_binds(struct vk_queue *queue, const VkSubmitInfo2 *info, const struct vk_sparse_bind *binds,
                               uint32_t bind_count, struct vk_fence *fence);

/* Fills in the waits. VK_NOT_READY: `blocked_out`, which may be NULL, is the first need that is not met. */
VkResult vk_submission_prepare(struct vk_device *device, struct vk_submission *submission,
                               struct vk_need **blocked_out);
/* To the driver, prepared; then its signals count as submitted. */
VkResult vk_submission_run(struct vk_queue *queue, struct vk_submission *submission);
/* Of a lost device: all that wait for what it would have signalled, in any process, are released. */
void vk_submission_signal_all(struct vk_device *device, struct vk_submission *submission);
void vk_submission_destroy(struct vk_device *device, struct vk_submission *submission);

#endif
