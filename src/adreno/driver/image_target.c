/* One level of an image for the render backend and the 2D engine. */
#include "adreno/driver/image.h"
#include "util/bits.h"

/* The number of a format in a colour target. Depth and stencil are moved as the colours that have their bits. */
static uint8_t color_number(const struct adreno_vkformat *format, VkImageAspectFlags aspect)
{
    if (!format_is_depth_or_stencil(format->info))
        return format->color;
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT && format->depth == ADRENO_DEPTH_FORMAT_Z32)
        return ADRENO_FORMAT_8_UINT;
    return format->texture;
}

struct adreno_target adreno_image_target(const struct adreno_image *image, VkFormat vk_format,
                                         VkImageAspectFlags aspect, uint32_t level, uint32_t layer)
{
    const unsigned plane = adreno_image_plane_index(image, aspect);
    const struct adreno_vkformat *format = adreno_vkformat(vk_format);
    const struct adreno_surface *surface = &image->planes[plane].surface;
    const struct adreno_surface_level *at = &surface->levels[level];
    const struct adreno_format *hw = adreno_format_find(color_number(format, aspect));
    struct adreno_target target = {
        .va = adreno_image_va(image, plane, level, layer),
        .layer_B = adreno_image_layer_B(image, plane, level),
        .pitch_B = at->pitch_B,
        .width = MAX2(image->planes[plane].width >> level, 1u),
        .height = MAX2(image->planes[plane].height >> level, 1u),
        .format = hw ? hw->number : ADRENO_FORMAT_NONE,
        .swap = surface->is_tiled ? ADRENO_COLOR_SWAP_WZYX : format->swap,
        .depth_format = format->depth,
        .tile_mode = at->is_tiled ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR,
        .sample_B = (uint8_t)(surface->element_B / image->vk.samples),
        .samples_log2 = (uint8_t)log2_floor(image->vk.samples),
        .has_ubwc = surface->has_ubwc && at->is_tiled,
        .is_srgb = format->is_srgb,
        .is_tight = !at->is_tiled && level + 1 < image->vk.levels,
        .is_sint = hw && hw->numeric == ADRENO_NUMERIC_SINT,
        .is_uint = hw && hw->numeric == ADRENO_NUMERIC_UINT,
    };
    if (target.has_ubwc) {
        target.flag_va = adreno_image_flag_va(image, plane, level, layer);
        target.flag_layer_B = surface->flag_layer_B;
        target.flag_pitch_B = at->flag_pitch_B;
    }
    return target;
}
