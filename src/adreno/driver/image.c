/* VkImage and VkImageView: creation, memory, and where subresources are. */
#include "adreno/driver/image.h"

#include "adreno/driver/device.h"
#include "adreno/driver/entrypoints.h"
#include "util/debug.h"
#include "vulkan/runtime/vk_host_copy.h"
#include "vulkan/runtime/vk_struct.h"

#define SPARSE_FLAGS                                                                                                   \
    (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)

static VkResult lay_out(const struct adreno_device *device, struct adreno_image *image, const void *chain)
{
    const struct adreno_layout_options options = {
        .no_ubwc = debug_enabled(DEBUG_NOUBWC),
        .no_lrz = debug_enabled(DEBUG_NOLRZ),
    };
    return adreno_image_layout(device->chip, &options, image, chain);
}

VKAPI_ATTR VkResult VKAPI_CALL adreno_CreateImage(VkDevice handle, const VkImageCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkImage *image_out)
{
    struct adreno_device *device = adreno_device_from_handle(handle);
    if (info->flags & SPARSE_FLAGS)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    struct adreno_image *image = vk_image_create(&device->vk, info, allocator, sizeof(*image));
    if (!image)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = lay_out(device, image, info->pNext);
    if (result != VK_SUCCESS) {
        vk_image_destroy(&device->vk, allocator, &image->vk);
        return result;
    }
    *image_out = adreno_image_to_handle(image);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL adreno_DestroyImage(VkDevice handle, VkImage image, const VkAllocationCallbacks *allocator)
{
    vk_image_destroy(vk_device_from_handle(handle), allocator, vk_image_from_handle(image));
}

/* ---- memory ---- */

static void fill_requirements(const struct adreno_device *device, const struct adreno_image *image,
                              VkMemoryRequirements2 *requirements)
{
    requirements->memoryRequirements = (VkMemoryRequirements){
        .size = image->size_B,
        .alignment = image->align_B,
        .memoryTypeBits = image->vk.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT
                              ? (1u << device->physical->vk.memory.memoryTypeCount) - 1
                              : device->physical->vk.plain_types,
    };
    VkMemoryDedicatedRequirements *dedicated = vk_find_struct(requirements->pNext, VkMemoryDedicatedRequirements);
    if (dedicated)
        dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation =
            image->vk.external_types != 0 && image->vk.tiling != VK_IMAGE_TILING_LINEAR;
}

VKAPI_ATTR void VKAPI_CALL adreno_GetImageMemoryRequirements2(VkDevice handle,
                                                              const VkImageMemoryRequirementsInfo2 *info,
                                                              VkMemoryRequirements2 *requirements)
{
    fill_requirements(adreno_device_from_handle(handle), adreno_image_from_handle(info->image), requirements);
}

VKAPI_ATTR void VKAPI_CALL adreno_GetDeviceImageMemoryRequirements(VkDevice handle,
                                                                   const VkDeviceImageMemoryRequirements *info,
                                                                   VkMemoryRequirements2 *requirements)
{
    struct adreno_device *device = adreno_device_from_handle(handle);
    struct adreno_image image = {0};
    vk_image_init(&device->vk, &image.vk, info->pCreateInfo);
    requirements->memoryRequirements = (VkMemoryRequirements){0};
    if (lay_out(device, &image, info->pCreateInfo->pNext) == VK_SUCCESS)
        fill_requirements(device, &image, requirements);
}

/* ---- subresources ---- */

static void fill_layout(const struct adreno_image *image, const VkImageSubresource *at, VkSubresourceLayout *layout)
{
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

VKAPI_ATTR void VKAPI_CALL adreno_GetImageSubresourceLayout(VkDevice handle, VkImage image,
                                                            const VkImageSubresource *subresource,
                                                            VkSubresourceLayout *layout)
{
    fill_layout(adreno_image_from_handle(image), subresource, layout);
}

VKAPI_ATTR void VKAPI_CALL adreno_GetImageSubresourceLayout2EXT(VkDevice handle, VkImage image,
                                                                const VkImageSubresource2EXT *subresource,
                                                                VkSubresourceLayout2EXT *layout)
{
    fill_layout(adreno_image_from_handle(image), &subresource->imageSubresource, &layout->subresourceLayout);
    vk_host_copy_fill_layout(vk_image_from_handle(image), &subresource->imageSubresource, layout->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL adreno_GetImageDrmFormatModifierPropertiesEXT(
    VkDevice handle, VkImage image, VkImageDrmFormatModifierPropertiesEXT *properties)
{
    properties->drmFormatModifier = adreno_image_from_handle(image)->modifier;
    return VK_SUCCESS;
}

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
