/* VkImage, VkImageView, VkSampler and VkBufferView: creation, memory, and where subresources are. */
#include "mali/driver/image.h"

#include "mali/driver/buffer_view.h"
#include "mali/driver/device.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/sampler.h"
#include "vulkan/runtime/vk_host_copy.h"
#include "vulkan/runtime/vk_struct.h"

#define SPARSE_FLAGS                                                                                                   \
    (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)

VKAPI_ATTR VkResult VKAPI_CALL mali_CreateImage(VkDevice handle, const VkImageCreateInfo *info,
                                                const VkAllocationCallbacks *allocator, VkImage *image_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (info->flags & SPARSE_FLAGS)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    struct mali_image *image = vk_image_create(device, info, allocator, sizeof(*image));
    if (!image)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = mali_image_layout(image, info->pNext);
    if (result != VK_SUCCESS) {
        vk_image_destroy(device, allocator, &image->vk);
        return result;
    }
    *image_out = mali_image_to_handle(image);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL mali_DestroyImage(VkDevice handle, VkImage image, const VkAllocationCallbacks *allocator)
{
    vk_image_destroy(vk_device_from_handle(handle), allocator, vk_image_from_handle(image));
}

/* ---- memory ---- */

static void fill_requirements(const struct mali_device *device, const struct mali_image *image,
                              VkMemoryRequirements2 *requirements)
{
    requirements->memoryRequirements = (VkMemoryRequirements){
        .size = image->size_B,
        .alignment = image->align_B,
        .memoryTypeBits = device->physical->vk.plain_types,
    };
    VkMemoryDedicatedRequirements *dedicated = vk_find_struct(requirements->pNext, VkMemoryDedicatedRequirements);
    if (dedicated)
        dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation =
            image->vk.external_types != 0 && image->vk.tiling != VK_IMAGE_TILING_LINEAR;
}

VKAPI_ATTR void VKAPI_CALL mali_GetImageMemoryRequirements2(VkDevice handle, const VkImageMemoryRequirementsInfo2 *info,
                                                            VkMemoryRequirements2 *requirements)
{
    fill_requirements(mali_device_from_handle(handle), mali_image_from_handle(info->image), requirements);
}

VKAPI_ATTR void VKAPI_CALL mali_GetDeviceImageMemoryRequirements(VkDevice handle,
                                                                 const VkDeviceImageMemoryRequirements *info,
                                                                 VkMemoryRequirements2 *requirements)
{
    struct mali_device *device = mali_device_from_handle(handle);
    struct mali_image image = {0};
    vk_image_init(&device->vk, &image.vk, info->pCreateInfo);
    requirements->memoryRequirements = (VkMemoryRequirements){0};
    if (mali_image_layout(&image, info->pCreateInfo->pNext) == VK_SUCCESS)
        fill_requirements(device, &image, requirements);
}

/* ---- subresources ---- */

static void fill_layout(const struct mali_image *image, const VkImageSubresource *at, VkSubresourceLayout *layout)
{
    const unsigned plane = mali_image_plane_index(image, at->aspectMask);
    const struct mali_surface *surface = &image->planes[plane].surface;
    const bool is_shared = image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    const struct mali_surface_level *level = &surface->levels[is_shared ? 0 : at->mipLevel];
    *layout = (VkSubresourceLayout){
        .offset = image->planes[plane].offset_B + level->offset_B + at->arrayLayer * surface->layer_B,
        .size = level->size_B,
        .rowPitch = mali_image_pitch_B(image, plane, is_shared ? 0 : at->mipLevel),
        .arrayPitch = surface->layer_B,
        .depthPitch = image->vk.type == VK_IMAGE_TYPE_3D ? level->slice_B : 0,
    };
    if (is_shared) { /* of a plane of memory */
        layout->offset = image->planes[plane].offset_B;
        layout->size = surface->size_B;
        layout->arrayPitch = image->vk.layers > 1 ? surface->layer_B : 0;
    }
}

VKAPI_ATTR void VKAPI_CALL mali_GetImageSubresourceLayout(VkDevice handle, VkImage image,
                                                          const VkImageSubresource *subresource,
                                                          VkSubresourceLayout *layout)
{
    fill_layout(mali_image_from_handle(image), subresource, layout);
}

VKAPI_ATTR void VKAPI_CALL mali_GetImageSubresourceLayout2EXT(VkDevice handle, VkImage image,
                                                              const VkImageSubresource2EXT *subresource,
                                                              VkSubresourceLayout2EXT *layout)
{
    fill_layout(mali_image_from_handle(image), &subresource->imageSubresource, &layout->subresourceLayout);
    vk_host_copy_fill_layout(vk_image_from_handle(image), &subresource->imageSubresource, layout->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL mali_GetImageDrmFormatModifierPropertiesEXT(
    VkDevice handle, VkImage image, VkImageDrmFormatModifierPropertiesEXT *properties)
{
    properties->drmFormatModifier = mali_image_from_handle(image)->modifier;
    return VK_SUCCESS;
}

/* ---- views ---- */

VKAPI_ATTR VkResult VKAPI_CALL mali_CreateImageView(VkDevice handle, const VkImageViewCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkImageView *view_out)
{
    struct mali_device *device = mali_device_from_handle(handle);
    struct mali_image_view *view = vk_image_view_create(&device->vk, info, allocator, sizeof(*view));
    void *map;
    if (!view)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = vk_code_memory_alloc(&device->code_memory, mali_image_view_planes_B(view), &view->place, &map);
    if (result != VK_SUCCESS) {
        vk_image_view_destroy(&device->vk, allocator, &view->vk);
        return result;
    }
    mali_image_view_fill(view, map, view->place.va);
    *view_out = mali_image_view_to_handle(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL mali_DestroyImageView(VkDevice handle, VkImageView view_handle,
                                                 const VkAllocationCallbacks *allocator)
{
    struct mali_device *device = mali_device_from_handle(handle);
    struct mali_image_view *view = mali_image_view_from_handle(view_handle);
    if (!view)
        return;
    vk_code_memory_free(&device->code_memory, &view->place);
    vk_image_view_destroy(&device->vk, allocator, &view->vk);
}

const struct mali_chip *mali_chip_of(const struct vk_physical_device *physical)
{
    return ((const struct mali_physical_device *)physical)->chip;
}

/* ---- samplers ---- */

VKAPI_ATTR VkResult VKAPI_CALL mali_CreateSampler(VkDevice handle, const VkSamplerCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkSampler *sampler_out)
{
    struct mali_sampler *sampler = vk_sampler_create(vk_device_from_handle(handle), info, allocator, sizeof(*sampler));
    if (!sampler)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    mali_sampler_words(&sampler->vk, sampler->words);
    *sampler_out = mali_sampler_to_handle(sampler);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL mali_DestroySampler(VkDevice handle, VkSampler sampler,
                                               const VkAllocationCallbacks *allocator)
{
    vk_sampler_destroy(vk_device_from_handle(handle), allocator, vk_sampler_from_handle(sampler));
}

/* ---- buffers of texels ---- */

VKAPI_ATTR VkResult VKAPI_CALL mali_CreateBufferView(VkDevice handle, const VkBufferViewCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkBufferView *view_out)
{
    struct mali_buffer_view *view =
        vk_buffer_view_create(vk_device_from_handle(handle), info, allocator, sizeof(*view));
    if (!view)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    mali_texel_buffer_words(info->format, view->vk.buffer->va + info->offset,
                            (uint64_t)view->vk.elements * mali_vkformat(info->format)->element_B, view->words);
    *view_out = mali_buffer_view_to_handle(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL mali_DestroyBufferView(VkDevice handle, VkBufferView view,
                                                  const VkAllocationCallbacks *allocator)
{
    vk_buffer_view_destroy(vk_device_from_handle(handle), allocator, vk_buffer_view_from_handle(view));
}
