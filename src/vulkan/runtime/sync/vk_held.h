/* Submissions that wait for what has not been submitted. Nothing polls for them: the thread that brings a signal to
 * the kernel, by a submission or from the host, looks after those that were held for it and submits them
 * (vk_held_release). Only for signals that may come from other devices or processes a thread of the device waits in the
 * kernel; it is started by the first such need. */
#ifndef VULKAN_RUNTIME_VK_HELD_H
#define VULKAN_RUNTIME_VK_HELD_H

#include <pthread.h>

#include "vulkan/runtime/sync/vk_timeline.h"

struct vk_queue;
struct vk_submission;

/* Of a device. */
struct vk_held {
    pthread_mutex_t lock;   /* of the queues' lists; held while their submissions go to the driver */
    _Atomic uint32_t count; /* in all queues */
    /* Grows when its waiters must look again: a watched need is new or gone, a fence that nothing would have
     * signalled has been submitted, the device is lost. */
    struct vk_timeline news;
    _Atomic uint32_t listeners; /* threads that wait for the news of fences */
    bool has_watcher, stops;
    pthread_t watcher;
};

void vk_held_init(struct vk_device *device);
void vk_held_finish(struct vk_device *device); /* after all queues */
/* State that needs a kernel; with the first queue. */
VkResult vk_held_start(struct vk_device *device);

void vk_held_enter(struct vk_queue *queue); /* into vk_device::queues */
void vk_held_leave(struct vk_queue *queue); /* its held submissions are destroyed */

/* First what can fail, then the submission comes to the end of its queue's list, and may be gone when it returns. */
VkResult vk_held_prepare(struct vk_device *device, const struct vk_submission *submission);
void vk_held_add(struct vk_queue *queue, struct vk_submission *submission);

/* Whatever has become ready goes to the kernel; vk_held_release (vk_device.h) is for code that has brought a signal
 * there. */
void vk_held_release_all(struct vk_device *device);
/* For the listeners. */
void vk_held_post_news(struct vk_device *device);
/* Of a lost device: nothing is held when it returns, unless it was called by the driver's own submission, after which
 * the same is done. Objects that a held submission would have used may be destroyed then. */
void vk_held_give_up(struct vk_device *device);

#endif
