/* VkImage and VkImageView: what they were created with, the memory that is bound, and the arithmetic of levels, layers
 * and aspects that every driver needs. Where texels are in the memory is the driver's. */
#ifndef VULKAN_RUNTIME_VK_IMAGE_H
#define VULKAN_RUNTIME_VK_IMAGE_H

#include "util/bits.h"
#include "util/format/format.h"
#include "vulkan/runtime/object/vk_object.h"

struct vk_bo;

#define VK_IMAGE_MAX_PLANES 3

struct vk_image {
    struct vk_object_base base;
    VkImageCreateFlags flags;
    VkImageType type;
    VkFormat format;
    VkExtent3D extent;
    uint32_t levels, layers;
    VkSampleCountFlagBits samples;
    VkImageTiling tiling;
    VkImageUsageFlags usage;
    VkImageUsageFlags stencil_usage; /* the same as `usage` where nothing else was said */
    VkSharingMode sharing_mode;
    VkImageLayout initial_layout;
    VkExternalMemoryHandleTypeFlags external_types;
    const struct format_info *format_info;
    VkImageAspectFlags aspects; /* of the format; of a multi-planar one the colour aspect and its planes' */
    /* Of each plane: its own binding where the planes are disjoint, and all the same otherwise. */
    struct {
        struct vk_bo *bo; /* NULL until it is bound */
        uint64_t va;
    } memory[VK_IMAGE_MAX_PLANES];
    /* Filled in by vk_image_ops::lay_out. */
    uint64_t size_B;
    uint32_t align_B;
    uint64_t modifier; /* of VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT */
};

/* A driver's additions to the commands of images. */
struct vk_image_ops {
    size_t image_B; /* of the driver's struct, which begins with a vk_image */
    /* Where the bytes are: all but the bindings, from what the image says. */
    VkResult (*lay_out)(struct vk_device *device, struct vk_image *image, const VkImageCreateInfo *info);
    uint32_t (*memory_types)(const struct vk_device *device, const struct vk_image *image);
    void (*subresource)(const struct vk_image *image, const VkImageSubresource *at, VkSubresourceLayout *layout_out);
};

VK_DEFINE_CASTS(vk_image, VkImage)

/* An object of `size_B` bytes that begins with a vk_image; NULL when there is no memory. */
void *vk_image_create(struct vk_device *device, const VkImageCreateInfo *info, const VkAllocationCallbacks *own,
                      size_t size_B);
void vk_image_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_image *image);
/* An image on the stack of a driver, to ask what it would be like; nothing to destroy. */
void vk_image_init(struct vk_device *device, struct vk_image *image, const VkImageCreateInfo *info);

VkImageAspectFlags vk_format_aspects(VkFormat format);
/* The number of the plane that an aspect is; 0 for one that is no plane. */
unsigned vk_plane_of_aspect(VkImageAspectFlags aspect);
/* The format that one aspect or plane of an image is viewed with; VK_FORMAT_UNDEFINED where there is none. */
VkFormat vk_aspect_format(VkFormat format, VkImageAspectFlags aspect);

static inline VkExtent3D vk_image_level_extent(const struct vk_image *image, uint32_t level)
{
    return (VkExtent3D){MAX2(image->extent.width >> level, 1), MAX2(image->extent.height >> level, 1),
                        MAX2(image->extent.depth >> level, 1)};
}

static inline uint32_t vk_image_level_count(const struct vk_image *image, const VkImageSubresourceRange *range)
{
    return range->levelCount == VK_REMAINING_MIP_LEVELS ? image->levels - range->baseMipLevel : range->levelCount;
}

static inline uint32_t vk_image_layer_count(const struct vk_image *image, const VkImageSubresourceRange *range)
{
    return range->layerCount == VK_REMAINING_ARRAY_LAYERS ? image->layers - range->baseArrayLayer : range->layerCount;
}

/* Of a copy's VkImageSubresourceLayers. */
static inline uint32_t vk_image_copy_layer_count(const struct vk_image *image, const VkImageSubresourceLayers *layers)
{
    return layers->layerCount == VK_REMAINING_ARRAY_LAYERS ? image->layers - layers->baseArrayLayer
                                                           : layers->layerCount;
}

struct vk_image_view {
    struct vk_object_base base;
    struct vk_image *image;
    VkImageViewCreateFlags flags;
    VkImageViewType type;
    VkFormat format;
    VkComponentMapping components; /* no identities: each names its source */
    VkImageAspectFlags aspects;
    uint32_t base_level, level_count;
    uint32_t base_layer, layer_count; /* a 2D view of a 3D image: slices */
    VkExtent3D extent;                /* of base_level, in texels of the image's format */
    VkImageUsageFlags usage;
    float min_lod; /* VkImageViewMinLodCreateInfoEXT, or 0 */
};

VK_DEFINE_CASTS(vk_image_view, VkImageView)

void *vk_image_view_create(struct vk_device *device, const VkImageViewCreateInfo *info,
                           const VkAllocationCallbacks *own, size_t size_B);
void vk_image_view_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_image_view *view);

/* A view on the stack of a driver, for its own operations; nothing to destroy. */
void vk_image_view_init(struct vk_device *device, struct vk_image_view *view, const VkImageViewCreateInfo *info);

#endif
