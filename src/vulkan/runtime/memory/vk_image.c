/* Images and views: what the chains of their creation say. */
#include "vulkan/runtime/memory/vk_image.h"

#include <string.h>

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/memory/vk_components.h"
#include "vulkan/runtime/memory/vk_device_memory.h"
#include "vulkan/runtime/object/vk_struct.h"

VkImageAspectFlags vk_format_aspects(VkFormat format)
{
    const struct format_info *info = format_info((enum format)format);
    if (!info)
        return 0;
    /* The bits are the API's. A multi-planar image has a colour aspect beside those of its planes. */
    VkImageAspectFlags aspects = info->aspects;
    return info->plane_count > 1 ? aspects | VK_IMAGE_ASPECT_COLOR_BIT : aspects;
}

unsigned vk_plane_of_aspect(VkImageAspectFlags aspect)
{
    if (aspect & (VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT))
        return 1;
    if (aspect & (VK_IMAGE_ASPECT_PLANE_2_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT))
        return 2;
    return 0;
}

VkFormat vk_aspect_format(VkFormat format, VkImageAspectFlags aspect)
{
    const VkImageAspectFlags planes = VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT |
                                      VK_IMAGE_ASPECT_PLANE_2_BIT | VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT |
                                      VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT | VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT;
    const struct format_info *info = format_info((enum format)format);
    if (!info)
        return VK_FORMAT_UNDEFINED;
    if (info->plane_count > 1) {
        unsigned plane = vk_plane_of_aspect(aspect);
        if (!(aspect & planes))
            return format;
        return plane < info->plane_count ? (VkFormat)info->planes[plane].format : VK_FORMAT_UNDEFINED;
    }
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT && info->stencil_format)
        return (VkFormat)info->stencil_format;
    if (aspect & VK_IMAGE_ASPECT_DEPTH_BIT && info->depth_format)
        return (VkFormat)info->depth_format;
    return format;
}

static void fill_image(struct vk_image *image, const VkImageCreateInfo *info)
{
    image->flags = info->flags;
    image->type = info->imageType;
    image->format = info->format;
    image->extent = info->extent;
    image->levels = info->mipLevels;
    image->layers = info->arrayLayers;
    image->samples = info->samples;
    image->tiling = info->tiling;
    image->usage = image->stencil_usage = info->usage;
    image->sharing_mode = info->sharingMode;
    image->initial_layout = info->initialLayout;
    image->format_info = format_info((enum format)info->format);
    image->aspects = vk_format_aspects(info->format);
    const VkImageStencilUsageCreateInfo *stencil = vk_find_struct_const(info->pNext, VkImageStencilUsageCreateInfo);
    if (stencil)
        image->stencil_usage = stencil->stencilUsage;
    const VkExternalMemoryImageCreateInfo *external =
        vk_find_struct_const(info->pNext, VkExternalMemoryImageCreateInfo);
    if (external)
        image->external_types = external->handleTypes;
}

void *vk_image_create(struct vk_device *device, const VkImageCreateInfo *info, const VkAllocationCallbacks *own,
                      size_t size_B)
{
    struct vk_image *image = vk_object_create(device, own, size_B, VK_OBJECT_TYPE_IMAGE);
    if (image)
        fill_image(image, info);
    return image;
}

void vk_image_init(struct vk_device *device, struct vk_image *image, const VkImageCreateInfo *info)
{
    memset(image, 0, sizeof(*image));
    vk_object_base_init(&image->base, device, VK_OBJECT_TYPE_IMAGE);
    fill_image(image, info);
}

static void bind_memory(struct vk_image *image, const VkBindImageMemoryInfo *info)
{
    struct vk_bo *bo = vk_device_memory_from_handle(info->memory)->bo;
    unsigned first = 0, last = VK_IMAGE_MAX_PLANES - 1;
    const VkBindImagePlaneMemoryInfo *plane = vk_find_struct_const(info->pNext, VkBindImagePlaneMemoryInfo);
    if (image->flags & VK_IMAGE_CREATE_DISJOINT_BIT && plane)
        first = last = vk_plane_of_aspect(plane->planeAspect);
    for (unsigned i = first; i <= last; i++) {
        image->memory[i].bo = bo;
        image->memory[i].va = bo->va + info->memoryOffset;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_BindImageMemory2(VkDevice handle, uint32_t count,
                                                          const VkBindImageMemoryInfo *infos)
{
    for (uint32_t i = 0; i < count; i++) {
        bind_memory(vk_image_from_handle(infos[i].image), &infos[i]);
        vk_bind_succeeded(infos[i].pNext);
    }
    return VK_SUCCESS;
}

void vk_image_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_image *image)
{
    vk_object_destroy(device, own, image ? &image->base : NULL);
}

static void fill_view(struct vk_image_view *view, const VkImageViewCreateInfo *info)
{
    struct vk_image *image = vk_image_from_handle(info->image);
    view->image = image;
    view->flags = info->flags;
    view->type = info->viewType;
    view->format = info->format;
    view->components = vk_components_resolve(info->components);
    view->aspects = info->subresourceRange.aspectMask;
    view->base_level = info->subresourceRange.baseMipLevel;
    view->level_count = vk_image_level_count(image, &info->subresourceRange);
    view->base_layer = info->subresourceRange.baseArrayLayer;
    view->extent = vk_image_level_extent(image, view->base_level);
    /* The slices of a 3D image count as layers of a 2D view. */
    bool sliced = image->type == VK_IMAGE_TYPE_3D && view->type != VK_IMAGE_VIEW_TYPE_3D;
    if (sliced && info->subresourceRange.layerCount == VK_REMAINING_ARRAY_LAYERS)
        view->layer_count = view->extent.depth - view->base_layer;
    else
        view->layer_count = vk_image_layer_count(image, &info->subresourceRange);
    if (sliced)
        view->extent.depth = 1;
    const VkImageViewUsageCreateInfo *usage = vk_find_struct_const(info->pNext, VkImageViewUsageCreateInfo);
    if (usage)
        view->usage = usage->usage;
    else if (view->aspects == VK_IMAGE_ASPECT_STENCIL_BIT)
        view->usage = image->stencil_usage;
    else
        view->usage = image->usage;
    const VkImageViewMinLodCreateInfoEXT *min_lod = vk_find_struct_const(info->pNext, VkImageViewMinLodCreateInfoEXT);
    if (min_lod)
        view->min_lod = min_lod->minLod;
}

void *vk_image_view_create(struct vk_device *device, const VkImageViewCreateInfo *info,
                           const VkAllocationCallbacks *own, size_t size_B)
{
    struct vk_image_view *view = vk_object_create(device, own, size_B, VK_OBJECT_TYPE_IMAGE_VIEW);
    if (view)
        fill_view(view, info);
    return view;
}

void vk_image_view_init(struct vk_device *device, struct vk_image_view *view, const VkImageViewCreateInfo *info)
{
    memset(view, 0, sizeof(*view));
    vk_object_base_init(&view->base, device, VK_OBJECT_TYPE_IMAGE_VIEW);
    fill_view(view, info);
}

void vk_image_view_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_image_view *view)
{
    vk_object_destroy(device, own, view ? &view->base : NULL);
}
