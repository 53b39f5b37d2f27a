/* The queue that does nothing but copy, for the cases that need it. Devices without one copy on the general queue. */
#ifndef TESTS_VULKAN_QUEUE_H
#define TESTS_VULKAN_QUEUE_H

#include "vt/vt_image.h"

VkCommandBuffer queue_allocate(struct vt *vt, uint32_t family, VkCommandBufferLevel level);
/* Of the transfer family: begins; ends, submits and waits. */
VkCommandBuffer queue_begin(struct vt *vt);
void queue_finish(struct vt *vt, VkCommandBuffer commands);

VkSemaphore queue_semaphore(struct vt *vt);
/* Commands and semaphores may be null. */
void queue_submit(struct vt *vt, VkQueue queue, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal);

/* One half of a change of owner and layout: the release, or with `acquire` the other. Within one family the release is
 * an ordinary barrier and the acquire nothing. */
void queue_hand_over(VkCommandBuffer commands, const struct vt_image *image, uint32_t from, uint32_t to,
                     VkImageLayout layout, bool acquire);
/* An image goes to the transfer queue: `last` of the general queue is submitted, `next` goes on. */
void queue_give(struct vt *vt, VkCommandBuffer last, VkCommandBuffer next, struct vt_image *image,
                VkImageLayout layout);
/* And back: `last` of the transfer queue is submitted. The result is of the general queue. */
VkCommandBuffer queue_take_back(struct vt *vt, VkCommandBuffer last, struct vt_image *image, VkImageLayout layout);

struct vt_buffer queue_random(struct vt *vt, size_t size_B, uint64_t seed);

#endif
