#include "cases/device/queue.h"

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyCommandPool(vt->device, (VkCommandPool)handle, NULL);
}

static void destroy_semaphore(struct vt *vt, uint64_t handle)
{
    vkDestroySemaphore(vt->device, (VkSemaphore)handle, NULL);
}

VkCommandBuffer queue_allocate(struct vt *vt, uint32_t family, VkCommandBufferLevel level)
{
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = family};
    VkCommandPool pool;
    VkCommandBuffer commands;
    VT_CHECK(vt, vkCreateCommandPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .level = level,
                                              .commandBufferCount = 1};
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &info, &commands));
    return commands;
}

VkCommandBuffer queue_begin(struct vt *vt)
{
    VkCommandBuffer commands = queue_allocate(vt, vt->transfer_family, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &begin));
    return commands;
}

void queue_submit(struct vt *vt, VkQueue queue, VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal)
{
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                               .pWaitSemaphores = &wait,
                               .pWaitDstStageMask = &stages,
                               .commandBufferCount = commands != NULL,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                               .pSignalSemaphores = &signal};
    VT_CHECK(vt, vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
}

void queue_finish(struct vt *vt, VkCommandBuffer commands)
{
    vt_full_barrier(commands);
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    queue_submit(vt, vt->transfer_queue, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    VT_CHECK(vt, vkQueueWaitIdle(vt->transfer_queue));
}

VkSemaphore queue_semaphore(struct vt *vt)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore made;
    VT_CHECK(vt, vkCreateSemaphore(vt->device, &info, NULL, &made));
    vt_defer(vt, destroy_semaphore, (uint64_t)made);
    return made;
}

void queue_hand_over(VkCommandBuffer commands, const struct vt_image *image, uint32_t from, uint32_t to,
                     VkImageLayout layout, bool acquire)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = acquire ? 0 : VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = acquire || from == to ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : 0,
        .oldLayout = image->layout,
        .newLayout = layout,
        .srcQueueFamilyIndex = from,
        .dstQueueFamilyIndex = to,
        .image = image->image,
        .subresourceRange = {image->aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    if (from == to && acquire)
        return;
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    vkCmdPipelineBarrier(commands, all, all, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void queue_give(struct vt *vt, VkCommandBuffer last, VkCommandBuffer next, struct vt_image *image, VkImageLayout layout)
{
    queue_hand_over(last, image, vt->family, vt->transfer_family, layout, false);
    vt_submit(vt, last);
    queue_hand_over(next, image, vt->family, vt->transfer_family, layout, true);
    image->layout = layout;
}

VkCommandBuffer queue_take_back(struct vt *vt, VkCommandBuffer last, struct vt_image *image, VkImageLayout layout)
{
    queue_hand_over(last, image, vt->transfer_family, vt->family, layout, false);
    queue_finish(vt, last);
    VkCommandBuffer next = vt_begin(vt);
    queue_hand_over(next, image, vt->transfer_family, vt->family, layout, true);
    image->layout = layout;
    return next;
}

struct vt_buffer queue_random(struct vt *vt, size_t size_B, uint64_t seed)
{
    struct vt_buffer made = vt_buffer(vt, size_B, NULL);
    for (size_t i = 0; i < size_B; i++)
        ((uint8_t *)made.map)[i] = (uint8_t)vt_random(&seed);
    return made;
}
