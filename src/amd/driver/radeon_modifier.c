/* DRM format modifiers. */
#include "amd/driver/radeon_modifier.h"

#include <drm_fourcc.h>

#include "vulkan/runtime/object/vk_struct.h"

#define MAX_SHARED_BITS 64 /* of an element */

static uint64_t tiled(unsigned version, unsigned tile)
{
    return AMD_FMT_MOD | AMD_FMT_MOD_SET(TILE_VERSION, version) | AMD_FMT_MOD_SET(TILE, tile);
}

unsigned radeon_modifiers(const struct radeon_physical_device *physical, VkFormat vk_format,
                          uint64_t modifiers_out[RADEON_MAX_MODIFIERS])
{
    const struct format_info *info = radeon_format(vk_format)->info;
    unsigned count = 0;
    if (!info || !info->block_size_B || format_is_compressed(info) || format_is_depth_or_stencil(info))
        return 0;
    unsigned bits = 8u * format_info(info->plane_count > 1 ? info->planes[0].format : info->format)->block_size_B;
    if (bits > MAX_SHARED_BITS)
        return 0;
    uint64_t pipes = AMD_FMT_MOD_SET(PIPE_XOR_BITS, physical->tiling.pipes_log2);
    modifiers_out[count++] = tiled(AMD_FMT_MOD_TILE_VER_GFX10_RBPLUS, AMD_FMT_MOD_TILE_GFX9_64K_R_X) | pipes |
                             AMD_FMT_MOD_SET(PACKERS, physical->tiling.packers_log2);
    modifiers_out[count++] = tiled(AMD_FMT_MOD_TILE_VER_GFX10, AMD_FMT_MOD_TILE_GFX9_64K_S_X) | pipes;
    if (bits != 32) /* there S is the same */
        modifiers_out[count++] = tiled(AMD_FMT_MOD_TILE_VER_GFX9, AMD_FMT_MOD_TILE_GFX9_64K_D);
    modifiers_out[count++] = tiled(AMD_FMT_MOD_TILE_VER_GFX9, AMD_FMT_MOD_TILE_GFX9_64K_S);
    modifiers_out[count++] = DRM_FORMAT_MOD_LINEAR;
    return count;
}

/* The numbers of tiles are the hardware's. */
enum amd_swizzle radeon_modifier_swizzle(uint64_t modifier)
{
    return modifier == DRM_FORMAT_MOD_LINEAR ? AMD_SW_LINEAR : (enum amd_swizzle)AMD_FMT_MOD_GET(TILE, modifier);
}

bool radeon_modifier_choose(const struct radeon_physical_device *physical, VkFormat format, const void *chain,
                            uint64_t *modifier_out)
{
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *one =
        vk_find_struct_const(chain, VkImageDrmFormatModifierExplicitCreateInfoEXT);
    const VkImageDrmFormatModifierListCreateInfoEXT *list =
        vk_find_struct_const(chain, VkImageDrmFormatModifierListCreateInfoEXT);
    uint64_t modifiers[RADEON_MAX_MODIFIERS];
    unsigned count = radeon_modifiers(physical, format, modifiers);
    for (unsigned i = 0; i < count; i++) {
        *modifier_out = modifiers[i];
        if (one && one->drmFormatModifier == modifiers[i])
            return true;
        for (uint32_t j = 0; !one && list && j < list->drmFormatModifierCount; j++)
            if (list->pDrmFormatModifiers[j] == modifiers[i])
                return true;
    }
    return false;
}

/* The hardware derives a pitch from the width: there is one that it can read. */
VkResult radeon_modifier_place_planes(struct radeon_image *image, const void *chain)
{
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *info =
        vk_find_struct_const(chain, VkImageDrmFormatModifierExplicitCreateInfoEXT);
    if (!info)
        return VK_SUCCESS;
    if (info->drmFormatModifierPlaneCount != image->plane_count)
        return VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
    image->vk.size_B = 0;
    for (unsigned i = 0; i < image->plane_count; i++) {
        struct radeon_surface *surface = &image->planes[i].surface;
        const VkSubresourceLayout *layout = &info->pPlaneLayouts[i];
        if (layout->rowPitch != (uint64_t)surface->pitch * surface->element_B || layout->offset % surface->align_B ||
            layout->offset > UINT64_MAX - surface->size_B)
            return VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
        surface->offset_B = layout->offset;
        image->vk.size_B = MAX2(image->vk.size_B, layout->offset + surface->size_B);
    }
    return VK_SUCCESS;
}
