/* Images whose memory goes to another process or comes from one: the layout goes along with the buffer, as the kernel's
 * tiling word and as words that drivers of this family agree on (an image descriptor without its address). */
#include <string.h>

#include "amd/driver/radeon_image.h"
#include "amd/hw/descriptors.h"
#include "amd/hw/enums.h"

#define METADATA_VERSION 1
#define VENDOR_ID 0x1002u
#define HEADER_DW 2
#define METADATA_DW (HEADER_DW + 8)

/* Tiling modes mean something else on another chip. */
static uint32_t chip_word(const struct radeon_device *device)
{
    return VENDOR_ID << 16 | device->ws->info.device.device_id;
}

static void whole_image_descriptor(struct radeon_device *device, struct radeon_image *image, uint32_t words[8])
{
    static const VkImageViewType types[] = {[VK_IMAGE_TYPE_1D] = VK_IMAGE_VIEW_TYPE_1D,
                                            [VK_IMAGE_TYPE_2D] = VK_IMAGE_VIEW_TYPE_2D,
                                            [VK_IMAGE_TYPE_3D] = VK_IMAGE_VIEW_TYPE_3D};
    struct radeon_image_view view;
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = radeon_image_to_handle(image),
        .viewType = types[image->vk.type],
        .format = image->vk.format,
        .subresourceRange = {image->vk.aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    radeon_image_view_init(device, &view, &info, NULL);
    struct amd_desc_IMAGE desc = amd_unpack_desc_IMAGE(RADEON_GFX, view.sampled[0]);
    desc.BASE_ADDRESS = 0;
    amd_pack_desc_IMAGE(RADEON_GFX, words, &desc);
}

VkResult radeon_image_export(struct radeon_device *device, struct radeon_image *image, struct ws_bo *bo)
{
    if (image->plane_count > 1) /* the words describe one surface */
        return VK_SUCCESS;
    struct drm_amdgpu_gem_metadata metadata = {
        .data =
            {
                .tiling_info = AMDGPU_TILING_SET(SWIZZLE_MODE, image->planes[0].surface.swizzle),
                .data_size_bytes = METADATA_DW * sizeof(uint32_t),
                .data = {METADATA_VERSION, chip_word(device)},
            },
    };
    whole_image_descriptor(device, image, &metadata.data.data[HEADER_DW]);
    return vk_kernel_result(amd_ws_bo_set_metadata(bo, &metadata));
}

/* The descriptor's words must say the same as the application. */
static bool words_describe(const struct amd_desc_IMAGE *desc, const struct radeon_image *image)
{
    const struct vk_image *vk = &image->vk;
    uint32_t last = vk->samples > 1 ? log2_floor(vk->samples) : vk->levels - 1;
    return desc->WIDTH + 1 == vk->extent.width && desc->HEIGHT + 1 == vk->extent.height && desc->LAST_LEVEL == last;
}

VkResult radeon_image_import(struct radeon_device *device, struct radeon_image *image, struct ws_bo *bo)
{
    struct drm_amdgpu_gem_metadata metadata = {0};
    if (image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
        return VK_SUCCESS; /* the application has said it all */
    int error = amd_ws_bo_get_metadata(bo, &metadata);
    if (error)
        return vk_kernel_result(error);
    /* Memory that came without a description is laid out as the same create info gives here. */
    if (image->plane_count > 1 || metadata.data.data_size_bytes < METADATA_DW * sizeof(uint32_t) ||
        metadata.data.data[0] != METADATA_VERSION || metadata.data.data[1] != chip_word(device))
        return VK_SUCCESS;
    struct amd_desc_IMAGE desc = amd_unpack_desc_IMAGE(RADEON_GFX, &metadata.data.data[HEADER_DW]);
    enum amd_swizzle swizzle = (enum amd_swizzle)AMDGPU_TILING_GET(metadata.data.tiling_info, SWIZZLE_MODE);
    if (!words_describe(&desc, image) || desc.COMPRESSION_EN || !radeon_image_set_swizzle(device, image, swizzle) ||
        bo->vk.size_B < image->vk.size_B)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return VK_SUCCESS;
}
