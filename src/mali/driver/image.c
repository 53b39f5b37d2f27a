/* VkImage, VkImageView, VkSampler and VkBufferView: creation, memory, and where subresources are. */
#include "mali/driver/image.h"

#include "mali/driver/buffer_view.h"
#include "mali/driver/device.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/sampler.h"

static VkResult lay_out(struct vk_device *device, struct vk_image *image, const VkImageCreateInfo *info)
{
    return mali_image_layout(mali_image_of(image), info->pNext);
}

static uint32_t memory_types(const struct vk_device *device, const struct vk_image *image)
{
    return device->physical->plain_types;
}

static void subresource(const struct vk_image *base, const VkImageSubresource *at, VkSubresourceLayout *layout)
{
    const struct mali_image *image = (const struct mali_image *)base;
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

const struct vk_image_ops mali_image_ops = {
    .image_B = sizeof(struct mali_image),
    .lay_out = lay_out,
    .memory_types = memory_types,
    .subresource = subresource,
};

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
