/* VkImage: creation, memory, bindings, and in which layouts its metadata may be used. radeon_image_layout.c decides
 * where its bytes are. */
#include "amd/driver/radeon_image.h"

#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_memory.h"
#include "amd/driver/radeon_sparse.h"
#include "vulkan/runtime/memory/vk_host_copy.h"

#define ALL_QUEUES ((1u << RADEON_QUEUE_FAMILY_COUNT) - 1)
#define FOREIGN_QUEUE (1u << RADEON_QUEUE_FAMILY_COUNT)

static uint32_t concurrent_families(const VkImageCreateInfo *info)
{
    uint32_t mask = 0;
    if (info->sharingMode != VK_SHARING_MODE_CONCURRENT)
        return 0;
    for (uint32_t i = 0; i < info->queueFamilyIndexCount; i++) {
        uint32_t family = info->pQueueFamilyIndices[i];
        mask |= family < RADEON_QUEUE_FAMILY_COUNT ? 1u << family : ALL_QUEUES;
    }
    return mask;
}

static VkResult lay_out(struct vk_device *device, struct vk_image *base, const VkImageCreateInfo *info)
{
    struct radeon_image *image = (struct radeon_image *)base;
    image->queue_families = concurrent_families(info);
    return radeon_image_layout((struct radeon_device *)device, image, info->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_CreateImage(VkDevice handle, const VkImageCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkImage *image_out)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_image *image = vk_image_create(&device->vk, info, allocator, sizeof(*image));
    if (!image)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = lay_out(&device->vk, &image->vk, info);
    if (result == VK_SUCCESS && radeon_image_is_sparse(&image->vk))
        result = radeon_sparse_image_begin(device, image);
    if (result != VK_SUCCESS) {
        vk_image_destroy(&device->vk, allocator, &image->vk);
        return result;
    }
    *image_out = radeon_image_to_handle(image);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL radeon_DestroyImage(VkDevice handle, VkImage image_handle,
                                               const VkAllocationCallbacks *allocator)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_image *image = radeon_image_from_handle(image_handle);
    if (image && radeon_image_is_sparse(&image->vk))
        radeon_sparse_image_end(device, image);
    vk_image_destroy(&device->vk, allocator, image ? &image->vk : NULL);
}

/* ---- memory ---- */

static uint32_t memory_types(const struct vk_device *device, const struct vk_image *image)
{
    const struct radeon_physical_device *physical = (const struct radeon_physical_device *)device->physical;
    return vk_image_is_host_copied(image) ? physical->mapped_types : physical->vk.plain_types;
}

static void subresource_layout(const struct vk_image *base, const VkImageSubresource *subresource,
                               VkSubresourceLayout *layout)
{
    const struct radeon_image *image = (const struct radeon_image *)base;
    const struct radeon_surface *surface = radeon_image_surface_of(image, subresource->aspectMask);
    uint32_t level = subresource->mipLevel;
    bool linear = surface->swizzle == AMD_SW_LINEAR;
    uint64_t unit_B = surface->element_B == 12 ? 4 : surface->element_B; /* of a pitch */
    *layout = (VkSubresourceLayout){
        .offset = surface->offset_B + surface->slice_B * subresource->arrayLayer +
                  (linear ? surface->level_offset_B[level] : 0),
        .size = surface->slice_B,
        .rowPitch = (linear ? surface->level_pitch[level] : surface->pitch) * unit_B,
        .arrayPitch = surface->slice_B,
        .depthPitch = surface->slice_B,
    };
    if (image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT) { /* of a whole plane of memory */
        layout->size = surface->size_B;
        layout->depthPitch = 0;
        layout->arrayPitch = image->vk.layers > 1 ? surface->slice_B : 0;
    }
    if (image->vk.type == VK_IMAGE_TYPE_3D)
        layout->size *= vk_image_level_extent(&image->vk, level).depth;
}

const struct vk_image_ops radeon_image_ops = {
    .image_B = sizeof(struct radeon_image),
    .lay_out = lay_out,
    .memory_types = memory_types,
    .subresource = subresource_layout,
};

/* ---- metadata and layouts ---- */

uint32_t radeon_image_queue_mask(const struct radeon_image *image, uint32_t family, uint32_t current)
{
    if (image->vk.sharing_mode == VK_SHARING_MODE_CONCURRENT)
        return image->queue_families;
    if (family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT)
        return ALL_QUEUES | FOREIGN_QUEUE;
    return 1u << (family == VK_QUEUE_FAMILY_IGNORED ? current : family);
}

/* Attachments, and what is only read: all others must find plain pixels (radeon_metadata.h). */
static bool is_compressible(VkImageLayout layout)
{
    switch (layout) {
    case VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL:
        return true;
    default:
        return false;
    }
}

/* Other drivers know nothing of what is in use here, and the DMA engine is not asked to look. */
static bool is_plain_only(uint32_t queue_mask)
{
    return queue_mask & (FOREIGN_QUEUE | 1u << RADEON_QUEUE_TRANSFER);
}

bool radeon_layout_htile_compressed(const struct radeon_image *image, VkImageLayout layout, uint32_t queue_mask)
{
    return image->htile.enabled && is_compressible(layout) && !is_plain_only(queue_mask);
}

/* Shaders do not look at it: an attachment of colour alone. */
bool radeon_layout_fmask_compressed(const struct radeon_image *image, VkImageLayout layout, uint32_t queue_mask)
{
    return image->fmask_enabled && !is_plain_only(queue_mask) &&
           (layout == VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL || layout == VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL);
}

VkFormat radeon_dcc_bits_format(const struct radeon_image *image)
{
    /* Unsigned and signed numbers of the same channels, the ones whose bits are seen last. */
    static const VkFormat families[][2][2] = {
        {{VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UINT}, {VK_FORMAT_R8_SNORM, VK_FORMAT_R8_SINT}},
        {{VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8_UINT}, {VK_FORMAT_R8G8_SNORM, VK_FORMAT_R8G8_SINT}},
        {{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UINT}, {VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_R8G8B8A8_SINT}},
        {{VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_UINT}, {VK_FORMAT_B8G8R8A8_SNORM, VK_FORMAT_B8G8R8A8_SINT}},
        {{VK_FORMAT_A8B8G8R8_UNORM_PACK32, VK_FORMAT_A8B8G8R8_UINT_PACK32},
         {VK_FORMAT_A8B8G8R8_SNORM_PACK32, VK_FORMAT_A8B8G8R8_SINT_PACK32}},
        {{VK_FORMAT_R16_UNORM, VK_FORMAT_R16_UINT}, {VK_FORMAT_R16_SNORM, VK_FORMAT_R16_SINT}},
        {{VK_FORMAT_R16G16_UNORM, VK_FORMAT_R16G16_UINT}, {VK_FORMAT_R16G16_SNORM, VK_FORMAT_R16G16_SINT}},
        {{VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R16G16B16A16_UINT},
         {VK_FORMAT_R16G16B16A16_SNORM, VK_FORMAT_R16G16B16A16_SINT}},
        {{VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_A2B10G10R10_UINT_PACK32}},
    };
    const struct format_info *info = image->vk.format_info;
    VkFormat format = (VkFormat)info->linear_format;
    if (image->vk.samples > 1)
        return VK_FORMAT_UNDEFINED;
    if (info->channels[0].bits == 32)
        return image->vk.format; /* a register holds such a channel as it is */
    for (unsigned i = 0; i < ARRAY_SIZE(families) * 2; i++) {
        const VkFormat *family = families[i / 2][i % 2];
        if ((family[0] == format || family[1] == format) && radeon_format(family[1])->color.format)
            return family[1];
    }
    return VK_FORMAT_UNDEFINED;
}

/* Copies read through DCC where they can see the bits; what is to be presented is copied, where it has any. */
static bool is_copied_from(const struct radeon_image *image, VkImageLayout layout)
{
    return (layout == VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL || layout == VK_IMAGE_LAYOUT_PRESENT_SRC_KHR) &&
           radeon_dcc_bits_format(image) != VK_FORMAT_UNDEFINED;
}

/* Beside FMASK, where that is in use: whatever changes one must find the other expanded. */
bool radeon_layout_dcc_compressed(const struct radeon_image *image, uint32_t level, VkImageLayout layout,
                                  uint32_t queue_mask)
{
    return radeon_dcc_enabled(image, level) && (is_compressible(layout) || is_copied_from(image, layout)) &&
           !is_plain_only(queue_mask) &&
           (!image->fmask_enabled || radeon_layout_fmask_compressed(image, layout, queue_mask));
}

bool radeon_layout_can_fast_clear(const struct radeon_image *image, uint32_t level, VkImageLayout layout,
                                  uint32_t queue_mask)
{
    return radeon_layout_dcc_compressed(image, level, layout, queue_mask) && image->comp_to_single &&
           (layout == VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL || layout == VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL);
}
