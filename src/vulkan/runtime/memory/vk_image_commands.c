/* The commands of images, for drivers that say where an image's bytes are (struct vk_image_ops). */
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_host_copy.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_struct.h"

#define SPARSE_FLAGS                                                                                                   \
    (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)

/* A driver that binds memory piece by piece has its own. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateImage(VkDevice handle, const VkImageCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkImage *image_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (info->flags & SPARSE_FLAGS)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    struct vk_image *image = vk_image_create(device, info, allocator, device->images->image_B);
    if (!image)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = device->images->lay_out(device, image, info);
    if (result != VK_SUCCESS) {
        vk_image_destroy(device, allocator, image);
        return result;
    }
    *image_out = vk_image_to_handle(image);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyImage(VkDevice handle, VkImage image,
                                                  const VkAllocationCallbacks *allocator)
{
    vk_image_destroy(vk_device_from_handle(handle), allocator, vk_image_from_handle(image));
}

/* Every plane of a disjoint image asks for what the largest of them needs. Who imports an image that is not linear must
 * be told what it is like, which belongs to its memory. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetImageMemoryRequirements2(VkDevice handle,
                                                                 const VkImageMemoryRequirementsInfo2 *info,
                                                                 VkMemoryRequirements2 *requirements)
{
    const struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_image *image = vk_image_from_handle(info->image);
    requirements->memoryRequirements = (VkMemoryRequirements){
        .size = image->size_B,
        .alignment = image->align_B,
        .memoryTypeBits = device->images->memory_types(device, image),
    };
    VkMemoryDedicatedRequirements *dedicated = vk_find_struct(requirements->pNext, VkMemoryDedicatedRequirements);
    if (dedicated)
        dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation =
            image->external_types != 0 && image->tiling != VK_IMAGE_TILING_LINEAR;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetImageSubresourceLayout2KHR(VkDevice handle, VkImage image,
                                                                   const VkImageSubresource2EXT *subresource,
                                                                   VkSubresourceLayout2EXT *layout)
{
    const struct vk_image *of = vk_image_from_handle(image);
    vk_device_from_handle(handle)->images->subresource(of, &subresource->imageSubresource, &layout->subresourceLayout);
    vk_host_copy_fill_layout(of, &subresource->imageSubresource, layout->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetImageDrmFormatModifierPropertiesEXT(
    VkDevice handle, VkImage image, VkImageDrmFormatModifierPropertiesEXT *properties)
{
    properties->drmFormatModifier = vk_image_from_handle(image)->modifier;
    return VK_SUCCESS;
}
