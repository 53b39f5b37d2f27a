/* One submission from VkSubmitInfo2 to the driver: made, found ready, executed, destroyed. Used by vk_queue.c alone. */
#ifndef VULKAN_RUNTIME_VK_SUBMIT_H
#define VULKAN_RUNTIME_VK_SUBMIT_H

#include "vulkan/runtime/vk_queue.h"

/* The submission is given to the queue's mode; it is no longer the caller's. */
VkResult vk_queue_push(struct vk_queue *queue, struct vk_submit *submit);

/* Until every wait is signalled or pending: VK_TIMEOUT where that did not happen by the deadline or `stop` became true.
 */
VkResult vk_submit_wait_ready(struct vk_device *device, struct vk_submit *submit, uint64_t deadline_ns,
                              const bool *stop);

/* Emulations become what the driver knows, the driver submits, and signalled points become pending. The waits must be
 * ready. */
VkResult vk_submit_execute(struct vk_queue *queue, struct vk_submit *submit);

/* For a submission that a lost device cannot carry out: what it would have signalled is signalled, so that nobody waits
 * for ever, here, on another device or in another process. That the work is lost, this device's commands say. */
void vk_submit_abandon(struct vk_device *device, struct vk_submit *submit);
void vk_submit_destroy(struct vk_device *device, struct vk_submit *submit);

bool vk_sync_type_is_emulated_timeline(const struct vk_sync_type *type);

#endif
