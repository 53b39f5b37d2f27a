/* Images, their buffers, the copies between them, and their dma-bufs. */
#include "vulkan/wsi/wsi_image.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "kernel/dma_buf.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_fence.h"
#include "vulkan/runtime/sync/vk_queue.h"

/* The first type of `bits` with all of `wanted`; -1 where there is none. */
static int find_type(struct vk_physical_device *physical, uint32_t bits, VkMemoryPropertyFlags wanted)
{
    VkPhysicalDeviceMemoryProperties2 all = vk_struct_init(VkPhysicalDeviceMemoryProperties2);
    physical->dispatch.GetPhysicalDeviceMemoryProperties2(vk_physical_device_to_handle(physical), &all);
    for (uint32_t i = 0; i < all.memoryProperties.memoryTypeCount; i++) {
        if ((bits & 1u << i) && (all.memoryProperties.memoryTypes[i].propertyFlags & wanted) == wanted)
            return (int)i;
    }
    return -1;
}

static VkResult allocate_image(struct vk_device *device, const VkAllocationCallbacks *allocator,
                               const VkMemoryRequirements *needs, const VkMemoryPropertyFlags *wanted, unsigned choices,
                               const void *chain, VkDeviceMemory *memory_out)
{
    int type = -1;
    for (unsigned i = 0; i < choices && type < 0; i++)
        type = find_type(device->physical, needs->memoryTypeBits, wanted[i]);
    if (type < 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkMemoryAllocateInfo info = vk_struct_init(VkMemoryAllocateInfo);
    info.pNext = chain;
    info.allocationSize = needs->size;
    info.memoryTypeIndex = (uint32_t)type;
    return device->dispatch.AllocateMemory(vk_device_to_handle(device), &info, allocator, memory_out);
}

static VkResult create_image(struct vk_device *device, const VkImageCreateInfo *info, unsigned use,
                             const VkAllocationCallbacks *allocator, struct wsi_image *image)
{
    VkDevice handle = vk_device_to_handle(device);
    VkResult result = device->dispatch.CreateImage(handle, info, allocator, &image->image);
    if (result != VK_SUCCESS)
        return result;
    VkImageMemoryRequirementsInfo2 ask = vk_struct_init(VkImageMemoryRequirementsInfo2);
    ask.image = image->image;
    VkMemoryRequirements2 needs = vk_struct_init(VkMemoryRequirements2);
    device->dispatch.GetImageMemoryRequirements2(handle, &ask, &needs);
    VkMemoryDedicatedAllocateInfo dedicated = vk_struct_init(VkMemoryDedicatedAllocateInfo);
    dedicated.image = image->image;
    VkExportMemoryAllocateInfo exported = vk_struct_init(VkExportMemoryAllocateInfo);
    exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    if (use & WSI_IMAGE_SHARED)
        dedicated.pNext = &exported;
    static const VkMemoryPropertyFlags wanted[] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    result = allocate_image(device, allocator, &needs.memoryRequirements, wanted, 2, &dedicated, &image->memory);
    if (result != VK_SUCCESS)
        return result;
    VkBindImageMemoryInfo bind = vk_struct_init(VkBindImageMemoryInfo);
    bind.image = image->image;
    bind.memory = image->memory;
    return device->dispatch.BindImageMemory2(handle, 1, &bind);
}

static VkResult create_buffer(struct vk_device *device, VkDeviceSize size_B, const VkAllocationCallbacks *allocator,
                              struct wsi_image *image)
{
    VkDevice handle = vk_device_to_handle(device);
    VkBufferCreateInfo info = vk_struct_init(VkBufferCreateInfo);
    info.size = size_B;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkResult result = device->dispatch.CreateBuffer(handle, &info, allocator, &image->buffer);
    if (result != VK_SUCCESS)
        return result;
    VkBufferMemoryRequirementsInfo2 ask = vk_struct_init(VkBufferMemoryRequirementsInfo2);
    ask.buffer = image->buffer;
    VkMemoryRequirements2 needs = vk_struct_init(VkMemoryRequirements2);
    device->dispatch.GetBufferMemoryRequirements2(handle, &ask, &needs);
    static const VkMemoryPropertyFlags wanted[] = {
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    };
    result = allocate_image(device, allocator, &needs.memoryRequirements, wanted, 2, NULL, &image->buffer_memory);
    if (result != VK_SUCCESS)
        return result;
    VkBindBufferMemoryInfo bind = vk_struct_init(VkBindBufferMemoryInfo);
    bind.buffer = image->buffer;
    bind.memory = image->buffer_memory;
    result = device->dispatch.BindBufferMemory2(handle, 1, &bind);
    void *map = NULL;
    if (result == VK_SUCCESS)
        result = device->dispatch.MapMemory(handle, image->buffer_memory, 0, VK_WHOLE_SIZE, 0, &map);
    image->pixels = map;
    return result;
}

static uint32_t count_planes(struct vk_physical_device *physical, VkFormat format, uint64_t modifier)
{
    VkDrmFormatModifierPropertiesEXT found[WSI_MAX_MODIFIERS];
    VkDrmFormatModifierPropertiesListEXT list = vk_struct_init(VkDrmFormatModifierPropertiesListEXT);
    list.drmFormatModifierCount = ARRAY_SIZE(found);
    list.pDrmFormatModifierProperties = found;
    VkFormatProperties2 properties = vk_struct_init(VkFormatProperties2);
    properties.pNext = &list;
    physical->dispatch.GetPhysicalDeviceFormatProperties2(vk_physical_device_to_handle(physical), format, &properties);
    for (uint32_t i = 0; i < list.drmFormatModifierCount; i++) {
        if (found[i].drmFormatModifier == modifier)
            return found[i].drmFormatModifierPlaneCount;
    }
    return 0;
}

/* The server's view of the image. All planes are in one memory. */
static VkResult export_image(struct vk_device *device, const VkImageCreateInfo *info, struct wsi_image *image)
{
    VkDevice handle = vk_device_to_handle(device);
    VkImageDrmFormatModifierPropertiesEXT properties = vk_struct_init(VkImageDrmFormatModifierPropertiesEXT);
    VkResult result = device->dispatch.GetImageDrmFormatModifierPropertiesEXT(handle, image->image, &properties);
    if (result != VK_SUCCESS)
        return result;
    struct wsi_shared_image *shared = &image->shared;
    shared->modifier = properties.drmFormatModifier;
    shared->plane_count = count_planes(device->physical, info->format, shared->modifier);
    if (shared->plane_count == 0 || shared->plane_count > WSI_MAX_PLANES)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    for (uint32_t i = 0; i < shared->plane_count; i++) {
        VkImageSubresource plane = {VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT << i, 0, 0};
        VkSubresourceLayout layout;
        device->dispatch.GetImageSubresourceLayout(handle, image->image, &plane, &layout);
        if (layout.offset > UINT32_MAX || layout.rowPitch > UINT32_MAX)
            return VK_ERROR_FORMAT_NOT_SUPPORTED; /* the protocols' numbers have 32 bits */
        shared->offsets_B[i] = (uint32_t)layout.offset;
        shared->strides_B[i] = (uint32_t)layout.rowPitch;
    }
    VkMemoryGetFdInfoKHR ask = vk_struct_init(VkMemoryGetFdInfoKHR);
    ask.memory = image->memory;
    ask.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    return device->dispatch.GetMemoryFdKHR(handle, &ask, &shared->fd);
}

bool wsi_image_tell_drawn(struct vk_device *device, const struct wsi_image *image)
{
    struct vk_payload *drawn = vk_payload_of(&vk_fence_from_handle(image->drawn)->payload);
    struct dma_buf_import_sync_file give = {.flags = DMA_BUF_SYNC_RW, .fd = -1};
    if (vk_payload_copy_file(device, drawn, &give.fd) != VK_SUCCESS)
        return false;
    bool told = ioctl(image->shared.fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &give) == 0;
    close(give.fd);
    return told;
}

void wsi_image_set_used(struct vk_device *device, const struct wsi_image *image, bool used)
{
    if (device->set_memory_used && image->shared.fd >= 0)
        device->set_memory_used(device, image->memory, used);
}

int wsi_image_export_uses(const struct wsi_image *image)
{
    /* As a writer: readers count, too. */
    struct dma_buf_export_sync_file ask = {.flags = DMA_BUF_SYNC_RW, .fd = -1};
    if (ioctl(image->shared.fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &ask) == 0)
        return ask.fd;
    return -1;
}

VkResult wsi_image_init(struct vk_device *device, const VkImageCreateInfo *info, unsigned use,
                        const VkAllocationCallbacks *allocator, struct wsi_image *image_out)
{
    *image_out = (struct wsi_image){.shared.fd = -1};
    VkDeviceSize size_B = (VkDeviceSize)info->extent.width * info->extent.height * WSI_PIXEL_B;
    VkResult result = create_image(device, info, use, allocator, image_out);
    if (result == VK_SUCCESS && use & WSI_IMAGE_SHARED)
        result = export_image(device, info, image_out);
    if (result == VK_SUCCESS && use & WSI_IMAGE_COPIED)
        result = create_buffer(device, size_B, allocator, image_out);
    VkExportFenceCreateInfo exported = vk_struct_init(VkExportFenceCreateInfo);
    exported.handleTypes = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
    VkFenceCreateInfo fence = vk_struct_init(VkFenceCreateInfo);
    if (use & WSI_IMAGE_SHARED && device->physical->supported_extensions.KHR_external_fence_fd)
        fence.pNext = &exported;
    if (result == VK_SUCCESS)
        result = device->dispatch.CreateFence(vk_device_to_handle(device), &fence, allocator, &image_out->drawn);
    if (result != VK_SUCCESS)
        wsi_image_finish(device, allocator, image_out);
    else
        wsi_image_set_used(device, image_out, false);
    return result;
}

void wsi_image_finish(struct vk_device *device, const VkAllocationCallbacks *allocator, struct wsi_image *image)
{
    VkDevice handle = vk_device_to_handle(device);
    device->dispatch.DestroyFence(handle, image->drawn, allocator);
    device->dispatch.DestroyBuffer(handle, image->buffer, allocator);
    if (image->buffer_memory)
        device->dispatch.FreeMemory(handle, image->buffer_memory, allocator);
    device->dispatch.DestroyImage(handle, image->image, allocator);
    if (image->memory)
        device->dispatch.FreeMemory(handle, image->memory, allocator);
    if (image->shared.fd >= 0)
        close(image->shared.fd);
    *image = (struct wsi_image){.shared.fd = -1};
}

static void change_layout(struct vk_device *device, VkCommandBuffer commands, const struct wsi_image *image,
                          bool before)
{
    VkImageMemoryBarrier2 barrier = vk_struct_init(VkImageMemoryBarrier2);
    /* The semaphores order everything before; the fence makes the host wait for everything after. */
    barrier.srcStageMask = before ? VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT : VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.srcAccessMask = before ? VK_ACCESS_2_MEMORY_WRITE_BIT : 0;
    barrier.dstStageMask = before ? VK_PIPELINE_STAGE_2_COPY_BIT : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.dstAccessMask = before ? VK_ACCESS_2_TRANSFER_READ_BIT : 0;
    barrier.oldLayout = before ? VK_IMAGE_LAYOUT_PRESENT_SRC_KHR : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    barrier.newLayout = before ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image->image;
    barrier.subresourceRange = (VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkBufferMemoryBarrier2 to_host = vk_struct_init(VkBufferMemoryBarrier2);
    to_host.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    to_host.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    to_host.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    to_host.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    to_host.srcQueueFamilyIndex = to_host.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    to_host.buffer = image->buffer;
    to_host.size = VK_WHOLE_SIZE;
    VkDependencyInfo dependency = vk_struct_init(VkDependencyInfo);
    dependency.imageMemoryBarrierCount = 1;
    dependency.pImageMemoryBarriers = &barrier;
    dependency.bufferMemoryBarrierCount = before ? 0 : 1;
    dependency.pBufferMemoryBarriers = &to_host;
    device->dispatch.CmdPipelineBarrier2(commands, &dependency);
}

VkResult wsi_image_record_copy(struct vk_device *device, VkCommandPool pool, const struct wsi_image *image,
                               VkExtent3D extent, VkCommandBuffer *commands_out)
{
    VkDevice handle = vk_device_to_handle(device);
    VkCommandBufferAllocateInfo allocate_info = vk_struct_init(VkCommandBufferAllocateInfo);
    allocate_info.commandPool = pool;
    allocate_info.commandBufferCount = 1;
    VkCommandBuffer commands;
    VkResult result = device->dispatch.AllocateCommandBuffers(handle, &allocate_info, &commands);
    if (result != VK_SUCCESS)
        return result;
    VkCommandBufferBeginInfo begin = vk_struct_init(VkCommandBufferBeginInfo);
    result = device->dispatch.BeginCommandBuffer(commands, &begin);
    if (result == VK_SUCCESS) {
        change_layout(device, commands, image, true);
        VkBufferImageCopy2 region = vk_struct_init(VkBufferImageCopy2);
        region.imageSubresource = (VkImageSubresourceLayers){VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        region.imageExtent = extent;
        VkCopyImageToBufferInfo2 copy = vk_struct_init(VkCopyImageToBufferInfo2);
        copy.srcImage = image->image;
        copy.srcImageLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
        copy.dstBuffer = image->buffer;
        copy.regionCount = 1;
        copy.pRegions = &region;
        device->dispatch.CmdCopyImageToBuffer2(commands, &copy);
        change_layout(device, commands, image, false);
        result = device->dispatch.EndCommandBuffer(commands);
    }
    if (result != VK_SUCCESS) {
        device->dispatch.FreeCommandBuffers(handle, pool, 1, &commands);
        return result;
    }
    *commands_out = commands;
    return VK_SUCCESS;
}
