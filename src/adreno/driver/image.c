/* VkImage and VkImageView: creation, memory, and where subresources are. */
#include "adreno/driver/image.h"

#include "adreno/driver/device.h"
#include "adreno/driver/entrypoints.h"
#include "util/debug.h"

static VkResult lay_out(struct vk_device *device, struct vk_image *image, const VkImageCreateInfo *info)
{
    const struct adreno_layout_options options = {
        .no_ubwc = debug_enabled(DEBUG_NOUBWC),
        .no_lrz = debug_enabled(DEBUG_NOLRZ),
    };
    return adreno_image_layout(adreno_device_of(device)->chip, &options, adreno_image_of(image), info->pNext);
}

static uint32_t memory_types(const struct vk_device *device, const struct vk_image *image)
{
    const struct vk_physical_device *physical = device->physical;
    return image->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT ? (1u << physical->memory.memoryTypeCount) - 1
                                                                  : physical->plain_types;
}

static void subresource(const struct vk_image *base, const VkImageSubresource *at, VkSubresourceLayout *layout)
{
    const struct adreno_image *image = (const struct adreno_image *)base;
    const unsigned plane = adreno_image_plane_index(image, at->aspectMask);
    const struct adreno_surface *surface = &image->planes[plane].surface;
    const struct adreno_surface_level *level = &surface->levels[at->mipLevel];
    const bool is_volume = image->vk.type == VK_IMAGE_TYPE_3D;
    *layout = (VkSubresourceLayout){
        .offset = image->planes[plane].offset_B + level->offset_B + at->arrayLayer * surface->layer_B,
        .size = level->slice_B,
        .rowPitch = level->pitch_B,
        .arrayPitch = is_volume ? level->slice_B : surface->layer_B,
        .depthPitch = level->slice_B,
    };
    if (is_volume)
        layout->size *= vk_image_level_extent(&image->vk, at->mipLevel).depth;
    if (image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT) { /* of a plane of memory, which flags begin */
        layout->offset = image->planes[plane].offset_B;
        layout->size = surface->size_B;
    }
}

const struct vk_image_ops adreno_image_ops = {
    .image_B = sizeof(struct adreno_image),
    .lay_out = lay_out,
    .memory_types = memory_types,
    .subresource = subresource,
};

/* ---- views ---- */

VKAPI_ATTR VkResult VKAPI_CALL adreno_CreateImageView(VkDevice handle, const VkImageViewCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkImageView *view_out)
{
    struct adreno_device *device = adreno_device_from_handle(handle);
    struct adreno_image_view *view = vk_image_view_create(&device->vk, info, allocator, sizeof(*view));
    if (!view)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    adreno_image_view_fill(device->chip, view);
    *view_out = adreno_image_view_to_handle(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL adreno_DestroyImageView(VkDevice handle, VkImageView view,
                                                   const VkAllocationCallbacks *allocator)
{
    vk_image_view_destroy(vk_device_from_handle(handle), allocator, vk_image_view_from_handle(view));
}
