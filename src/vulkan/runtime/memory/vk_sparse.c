/* Sparse resources: binding memory by a queue, and what a device without them reports: no format has a sparse form, no
 * image a sparse requirement. A driver with sparse images brings its own of the commands that ask. */
#include "vulkan/runtime/memory/vk_sparse.h"

#include "util/log.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_device_memory.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/object/vk_temporary.h"
#include "vulkan/runtime/sync/vk_fence.h"
#include "vulkan/runtime/sync/vk_submit.h"

enum {
    STACK_REQUIREMENTS = 8
};

/* Without memory for the larger structures nothing is written, and the count says so. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetImageSparseMemoryRequirements(VkDevice handle, VkImage image, uint32_t *count,
                                                                      VkSparseImageMemoryRequirements *requirements)
{
    struct vk_device *device = vk_device_from_handle(handle);
    VkImageSparseMemoryRequirementsInfo2 info = vk_struct_init(VkImageSparseMemoryRequirementsInfo2);
    info.image = image;
    if (!requirements) {
        device->dispatch.GetImageSparseMemoryRequirements2(handle, &info, count, NULL);
        return;
    }
    VkSparseImageMemoryRequirements2 stack[STACK_REQUIREMENTS],
        *all = vk_temporary_array(&device->alloc, stack, *count);
    if (!all) {
        *count = 0;
        return;
    }
    for (uint32_t i = 0; i < *count; i++)
        all[i] = vk_struct_init(VkSparseImageMemoryRequirements2);
    device->dispatch.GetImageSparseMemoryRequirements2(handle, &info, count, all);
    for (uint32_t i = 0; i < *count; i++)
        requirements[i] = all[i].memoryRequirements;
    vk_temporary_free(&device->alloc, stack, all);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetImageSparseMemoryRequirements2(VkDevice handle,
                                                                       const VkImageSparseMemoryRequirementsInfo2 *info,
                                                                       uint32_t *count,
                                                                       VkSparseImageMemoryRequirements2 *requirements)
{
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL
vk_common_GetDeviceImageSparseMemoryRequirements(VkDevice handle, const VkDeviceImageMemoryRequirements *info,
                                                 uint32_t *count, VkSparseImageMemoryRequirements2 *requirements)
{
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
    VkSparseImageFormatProperties2 *properties)
{
    *count = 0;
}

/* ---- binding ---- */

static struct vk_sparse_bind bind_of(uint64_t va, uint64_t size_B, VkDeviceMemory memory, VkDeviceSize offset_B)
{
    return (struct vk_sparse_bind){.va = va,
                                   .size_B = size_B,
                                   .bo = memory ? vk_device_memory_from_handle(memory)->bo : NULL,
                                   .offset_B = offset_B};
}

/* The blocks of an image that a bind means, row by row. The last ones of a level may stick out. */
static VkExtent3D blocks_of(const struct vk_device *device, const VkSparseImageMemoryBind *bind, VkImage image)
{
    const VkExtent3D block = device->sparse->block_extent(vk_image_from_handle(image), bind->subresource.aspectMask);
    return (VkExtent3D){div_round_up(bind->extent.width, block.width), div_round_up(bind->extent.height, block.height),
                        div_round_up(bind->extent.depth, block.depth)};
}

static uint32_t add_blocks(const struct vk_device *device, const VkSparseImageMemoryBind *bind, VkImage handle,
                           struct vk_sparse_bind *out)
{
    const struct vk_image *image = vk_image_from_handle(handle);
    const VkExtent3D size = device->sparse->block_extent(image, bind->subresource.aspectMask),
                     count = blocks_of(device, bind, handle);
    const uint32_t block_B = device->sparse->block_B;
    uint32_t n = 0;
    for (uint32_t z = 0; z < count.depth; z++) {
        for (uint32_t y = 0; y < count.height; y++) {
            for (uint32_t x = 0; x < count.width; x++, n++) {
                const VkOffset3D at = {bind->offset.x / (int32_t)size.width + (int32_t)x,
                                       bind->offset.y / (int32_t)size.height + (int32_t)y,
                                       bind->offset.z / (int32_t)size.depth + (int32_t)z};
                out[n] = bind_of(device->sparse->block_va(image, &bind->subresource, at), block_B, bind->memory,
                                 bind->memoryOffset + (uint64_t)n * block_B);
            }
        }
    }
    return n;
}

static uint32_t count_binds(const struct vk_device *device, const VkBindSparseInfo *info)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->bufferBindCount; i++)
        count += info->pBufferBinds[i].bindCount;
    for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++)
        count += info->pImageOpaqueBinds[i].bindCount;
    for (uint32_t i = 0; i < info->imageBindCount; i++) {
        const VkSparseImageMemoryBindInfo *image = &info->pImageBinds[i];
        for (uint32_t j = 0; j < image->bindCount; j++) {
            const VkExtent3D blocks = blocks_of(device, &image->pBinds[j], image->image);
            count += blocks.width * blocks.height * blocks.depth;
        }
    }
    return count;
}

static void fill_binds(const struct vk_device *device, const VkBindSparseInfo *info, struct vk_sparse_bind *out)
{
    for (uint32_t i = 0; i < info->bufferBindCount; i++) {
        const VkSparseBufferMemoryBindInfo *buffer = &info->pBufferBinds[i];
        for (uint32_t j = 0; j < buffer->bindCount; j++) {
            const VkSparseMemoryBind *bind = &buffer->pBinds[j];
            /* The last block may be more than the buffer has. */
            *out++ = bind_of(vk_buffer_from_handle(buffer->buffer)->va + bind->resourceOffset,
                             align_u64(bind->size, device->sparse->block_B), bind->memory, bind->memoryOffset);
        }
    }
    for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++) {
        const VkSparseImageOpaqueMemoryBindInfo *image = &info->pImageOpaqueBinds[i];
        for (uint32_t j = 0; j < image->bindCount; j++) {
            const VkSparseMemoryBind *bind = &image->pBinds[j];
            *out++ = bind_of(vk_image_from_handle(image->image)->memory[0].va + bind->resourceOffset,
                             align_u64(bind->size, device->sparse->block_B), bind->memory, bind->memoryOffset);
        }
    }
    for (uint32_t i = 0; i < info->imageBindCount; i++) {
        const VkSparseImageMemoryBindInfo *image = &info->pImageBinds[i];
        for (uint32_t j = 0; j < image->bindCount; j++)
            out += add_blocks(device, &image->pBinds[j], image->image, out);
    }
}

static VkResult bind_one(struct vk_queue *queue, const VkBindSparseInfo *info, struct vk_fence *fence)
{
    struct vk_device *device = queue->base.device;
    const VkTimelineSemaphoreSubmitInfo *values = vk_find_struct_const(info->pNext, VkTimelineSemaphoreSubmitInfo);
    const uint32_t count = count_binds(device, info), waits = info->waitSemaphoreCount,
                   signals = info->signalSemaphoreCount;
    struct vk_sparse_bind *binds = vk_zalloc(
        &device->alloc, NULL, (count + 1) * sizeof(*binds) + (waits + signals) * sizeof(VkSemaphoreSubmitInfo),
        VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!binds)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkSemaphoreSubmitInfo *semaphores = (void *)(binds + count + 1);
    for (uint32_t i = 0; i < waits + signals; i++) {
        const bool is_wait = i < waits;
        const uint32_t n = is_wait ? i : i - waits;
        semaphores[i] = vk_struct_init(VkSemaphoreSubmitInfo);
        semaphores[i].semaphore = is_wait ? info->pWaitSemaphores[n] : info->pSignalSemaphores[n];
        if (values && is_wait && n < values->waitSemaphoreValueCount)
            semaphores[i].value = values->pWaitSemaphoreValues[n];
        if (values && !is_wait && n < values->signalSemaphoreValueCount)
            semaphores[i].value = values->pSignalSemaphoreValues[n];
    }
    VkSubmitInfo2 submit = vk_struct_init(VkSubmitInfo2);
    submit.waitSemaphoreInfoCount = waits;
    submit.pWaitSemaphoreInfos = semaphores;
    submit.signalSemaphoreInfoCount = signals;
    submit.pSignalSemaphoreInfos = semaphores + waits;
    fill_binds(device, info, binds);
    VkResult result = vk_queue_submit_binds(queue, &submit, binds, count, fence);
    vk_free(&device->alloc, NULL, binds);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_QueueBindSparse(VkQueue handle, uint32_t count, const VkBindSparseInfo *infos,
                                                         VkFence fence_handle)
{
    struct vk_queue *queue = vk_queue_from_handle(handle);
    if (!queue || !queue->base.device->sparse) { /* no queue family has VK_QUEUE_SPARSE_BINDING_BIT */
        LOG_WARN("vulkan", "vkQueueBindSparse on a queue that cannot bind sparse memory");
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    struct vk_device *device = queue->base.device;
    static const VkBindSparseInfo nothing = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    struct vk_fence *fence = vk_fence_from_handle(fence_handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    if (count == 0)
        return fence ? bind_one(queue, &nothing, fence) : VK_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        VkResult result = bind_one(queue, &infos[i], i + 1 == count ? fence : NULL);
        if (result != VK_SUCCESS)
            return i == 0 && result != VK_ERROR_DEVICE_LOST
                       ? result
                       : vk_device_set_lost(device, "bind %u of %u failed: %d", i, count, result);
    }
    return VK_SUCCESS;
}
