/* Descriptors of textures with their planes, and of buffers, as shaders read them. A view's levels and layers are an
 * array of planes, so that a view that begins anywhere needs nothing of the image's other levels. */
#include <string.h>

#include "mali/driver/image.h"
#include "mali/hw/descriptors.h"
#include "util/bits.h"

/* ---- shapes ---- */

static enum mali_TEXTURE_DIMENSION dimension_of(const struct mali_texture_info *info)
{
    switch (info->type) {
    case VK_IMAGE_VIEW_TYPE_1D:
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
        return MALI_TEXTURE_DIMENSION_1D;
    case VK_IMAGE_VIEW_TYPE_3D:
        return MALI_TEXTURE_DIMENSION_3D;
    case VK_IMAGE_VIEW_TYPE_CUBE:
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
        return info->is_storage ? MALI_TEXTURE_DIMENSION_2D : MALI_TEXTURE_DIMENSION_CUBE;
    default:
        return MALI_TEXTURE_DIMENSION_2D;
    }
}

static uint32_t level_count(const struct mali_texture_info *info)
{
    return info->is_storage ? 1 : info->level_count;
}

static uint32_t layer_count(const struct mali_texture_info *info)
{
    return info->type == VK_IMAGE_VIEW_TYPE_3D ? 1 : info->layer_count;
}

uint32_t mali_texture_planes(const struct mali_texture_info *info)
{
    return level_count(info) * layer_count(info);
}

/* Texels of an uncompressed format over compressed blocks: a block is a texel. */
static VkExtent2D level_size(const struct mali_texture_info *info, uint32_t level)
{
    const struct mali_image_plane *plane = &info->image->planes[info->plane];
    const struct format_info *own = format_info((enum format)plane->format);
    const struct format_info *view = format_info((enum format)info->format);
    VkExtent2D size = {MAX2(plane->width >> level, 1u), MAX2(plane->height >> level, 1u)};
    if (own->block_width > view->block_width || own->block_height > view->block_height) {
        size.width = (uint32_t)div_round_up(size.width, own->block_width);
        size.height = (uint32_t)div_round_up(size.height, own->block_height);
    }
    return size;
}

/* ---- planes ---- */

static enum mali_ASTC_2D_SIZE astc_size(unsigned texels)
{
    static const uint8_t sizes[13] = {
        [4] = MALI_ASTC_2D_SIZE_4, [5] = MALI_ASTC_2D_SIZE_5,   [6] = MALI_ASTC_2D_SIZE_6,
        [8] = MALI_ASTC_2D_SIZE_8, [10] = MALI_ASTC_2D_SIZE_10, [12] = MALI_ASTC_2D_SIZE_12};
    return (enum mali_ASTC_2D_SIZE)sizes[texels];
}

static void pack_plane(const struct mali_texture_info *info, const struct mali_texture_format *format, uint32_t level,
                       uint32_t layer, uint32_t out[MALI_DESCRIPTOR_DW])
{
    const struct mali_image_plane *plane = &info->image->planes[info->plane];
    const struct mali_surface_level *at = &plane->surface.levels[level];
    const VkExtent2D size = level_size(info, level);
    struct mali_desc_PLANE d = {
        .TYPE = MALI_DESCRIPTOR_TYPE_PLANE,
        .PLANE_TYPE = (enum mali_PLANE_TYPE)format->plane_type,
        .CLUMP_ORDERING =
            plane->layout == MALI_LAYOUT_TILED ? MALI_CLUMP_ORDERING_TILED_U_INTERLEAVED : MALI_CLUMP_ORDERING_LINEAR,
        .SIZE = (uint32_t)MIN2(at->size_B, UINT32_MAX),
        .POINTER = mali_image_va(info->image, info->plane, level, layer),
        .ROW_STRIDE = at->row_B,
        .CHROMA_WIDTH = 1, /* stored less one: nothing, where there is no chroma */
        .CHROMA_HEIGHT = 1,
        .SLICE_STRIDE = (int32_t)at->slice_B,
        .WIDTH = size.width,
        .HEIGHT = size.height,
    };
    if (plane->layout == MALI_LAYOUT_AFBC) {
        d = (struct mali_desc_PLANE){
            .TYPE = MALI_DESCRIPTOR_TYPE_PLANE,
            .PLANE_TYPE = MALI_PLANE_TYPE_AFBC,
            .AFBC_SUPERBLOCK = MALI_AFBC_SUPERBLOCK_16X16,
            .AFBC_YTR = plane->is_ytr,
            .AFBC_PREFETCH = true,
            .AFBC_MODE = (enum mali_AFBC_MODE)mali_vkformat(plane->format)->afbc_mode,
            .SIZE = d.SIZE,
            .POINTER = d.POINTER,
            .ROW_STRIDE = at->row_B,
            .AFBC_HEADER_STRIDE = (uint32_t)at->header_B,
            .CHROMA_WIDTH = 1,
            .CHROMA_HEIGHT = 1,
            .SLICE_STRIDE = (int32_t)at->slice_B,
            .WIDTH = size.width,
            .HEIGHT = size.height,
        };
    } else if (format->plane_type == MALI_PLANE_TYPE_ASTC_2D) {
        const struct format_info *block = format_info((enum format)info->format);
        d.ASTC_DECODE_WIDE = !format->pixel.is_srgb;
        d.ASTC_2D_WIDTH = astc_size(block->block_width);
        d.ASTC_2D_HEIGHT = astc_size(block->block_height);
    } else {
        d.CLUMP_FORMAT = (enum mali_CLUMP_FORMAT)format->clump;
    }
    mali_pack_desc_PLANE(out, &d);
}

/* ---- textures ---- */

static enum mali_CHANNEL channel_of(const struct mali_texture_format *format, VkComponentSwizzle from)
{
    switch (from) {
    case VK_COMPONENT_SWIZZLE_ZERO:
        return MALI_CHANNEL_0;
    case VK_COMPONENT_SWIZZLE_ONE:
        return MALI_CHANNEL_1;
    case VK_COMPONENT_SWIZZLE_A:
        return format->is_opaque ? MALI_CHANNEL_1 : MALI_CHANNEL_A;
    default:
        if (format->is_alpha)
            return MALI_CHANNEL_0;
        return (enum mali_CHANNEL)(MALI_CHANNEL_R + (from - VK_COMPONENT_SWIZZLE_R));
    }
}

static void set_swizzle(struct mali_desc_TEXTURE *d, const struct mali_texture_info *info,
                        const struct mali_texture_format *format)
{
    static const VkComponentMapping same = {VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_B,
                                            VK_COMPONENT_SWIZZLE_A};
    const VkComponentMapping *components = info->is_storage ? &same : &info->components;
    d->SWIZZLE_R = channel_of(format, components->r);
    d->SWIZZLE_G = channel_of(format, components->g);
    d->SWIZZLE_B = channel_of(format, components->b);
    d->SWIZZLE_A = channel_of(format, components->a);
}

void mali_texture_words(const struct mali_texture_info *info, uint64_t planes_va, uint32_t *planes_out,
                        uint32_t words_out[MALI_DESCRIPTOR_DW])
{
    const struct mali_texture_format format = mali_texture_format(info->format, info->aspect);
    const struct mali_image *image = info->image;
    const enum mali_TEXTURE_DIMENSION dimension = dimension_of(info);
    const uint32_t levels = level_count(info), layers = layer_count(info);
    const VkExtent2D size = level_size(info, info->base_level);
    const bool is_volume = info->type == VK_IMAGE_VIEW_TYPE_3D;
    for (uint32_t layer = 0; layer < layers; layer++) {
        for (uint32_t level = 0; level < levels; level++, planes_out += MALI_DESCRIPTOR_DW)
            pack_plane(info, &format, info->base_level + level, is_volume ? 0 : info->base_layer + layer, planes_out);
    }
    struct mali_desc_TEXTURE d = {
        .TYPE = MALI_DESCRIPTOR_TYPE_TEXTURE,
        .DIMENSION = dimension,
        .ORDER = (enum mali_RGB_ORDER)format.pixel.order,
        .FORMAT = format.pixel.number,
        .SRGB = format.pixel.is_srgb && !info->is_storage,
        .WIDTH = size.width,
        .HEIGHT = size.height,
        .TEXEL_INTERLEAVE = image->planes[info->plane].layout != MALI_LAYOUT_LINEAR,
        .LEVELS = levels,
        .MINIMUM_LOD = info->is_storage ? 0 : (uint32_t)(MIN2(info->min_lod, 15.0f) * 256.0f),
        .SAMPLE_COUNT = image->vk.samples,
        .MAXIMUM_LOD = info->is_storage ? 0 : (levels - 1) * 256,
        .SURFACES = planes_va,
        .ARRAY_SIZE = dimension == MALI_TEXTURE_DIMENSION_CUBE ? layers / 6 : layers,
        .DEPTH = is_volume ? MAX2(image->vk.extent.depth >> info->base_level, 1u) : 1,
    };
    set_swizzle(&d, info, &format);
    mali_pack_desc_TEXTURE(words_out, &d);
}

/* ---- buffers ---- */

void mali_buffer_words(uint64_t va, uint64_t size_B, uint32_t words_out[MALI_DESCRIPTOR_DW])
{
    mali_pack_desc_BUFFER(words_out, &(const struct mali_desc_BUFFER){
                                         .TYPE = MALI_DESCRIPTOR_TYPE_BUFFER,
                                         .BUFFER_TYPE = MALI_BUFFER_TYPE_SIMPLE,
                                         .SIZE = (uint32_t)MIN2(size_B, UINT32_MAX),
                                         .ADDRESS = va,
                                     });
}

void mali_texel_buffer_words(VkFormat vk_format, uint64_t va, uint64_t size_B, uint32_t words_out[MALI_DESCRIPTOR_DW])
{
    const struct mali_vkformat *format = mali_vkformat(vk_format);
    mali_pack_desc_BUFFER(words_out, &(const struct mali_desc_BUFFER){
                                         .TYPE = MALI_DESCRIPTOR_TYPE_BUFFER,
                                         .BUFFER_TYPE = MALI_BUFFER_TYPE_STRUCTURE,
                                         .SIZE = (uint32_t)(size_B / format->element_B * format->element_B),
                                         .ADDRESS = va,
                                         .STRIDE = format->element_B,
                                         .CONVERSION = mali_pixel_format_bits(format->texture),
                                     });
}

/* ---- views ---- */

static struct mali_texture_info info_of(const struct mali_image_view *view)
{
    const struct vk_image_view *vk = &view->vk;
    return (struct mali_texture_info){
        .image = (const struct mali_image *)vk->image,
        .format = vk->format,
        .type = vk->type,
        .base_level = vk->base_level,
        .level_count = vk->level_count,
        .base_layer = vk->base_layer,
        .layer_count = vk->layer_count,
        .components = vk->components,
        .min_lod = MAX2(vk->min_lod - (float)vk->base_level, 0.0f),
    };
}

/* Of a view of depth and stencil shaders see the depth. */
static VkImageAspectFlags sampled_aspect(VkImageAspectFlags aspects)
{
    return aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? VK_IMAGE_ASPECT_DEPTH_BIT : aspects;
}

static unsigned sampled_count(const struct mali_image_view *view)
{
    return MAX2(format_info((enum format)view->vk.format)->plane_count, 1u);
}

uint32_t mali_image_view_planes_B(const struct mali_image_view *view)
{
    struct mali_texture_info info = info_of(view);
    uint32_t count = mali_texture_planes(&info) * sampled_count(view);
    info.is_storage = true;
    return (count + mali_texture_planes(&info)) * MALI_DESCRIPTOR_B;
}

void mali_image_view_fill(struct mali_image_view *view, void *map, uint64_t va)
{
    const struct mali_image *image = (const struct mali_image *)view->vk.image;
    const struct vk_image_view *vk = &view->vk;
    const struct format_info *format = format_info((enum format)vk->format);
    const unsigned count = sampled_count(view);
    struct mali_texture_info info = info_of(view);
    const uint32_t sampled_B = mali_texture_planes(&info) * MALI_DESCRIPTOR_B;
    uint8_t *planes = map;
    for (unsigned i = 0; i < count; i++, planes += sampled_B, va += sampled_B) {
        info.aspect = count > 1 ? VK_IMAGE_ASPECT_COLOR_BIT : sampled_aspect(vk->aspects);
        info.plane = count > 1 ? i : mali_image_plane_index(image, info.aspect);
        info.format = count > 1 ? (VkFormat)format->planes[i].format : vk->format;
        mali_texture_words(&info, va, (uint32_t *)(void *)planes, view->sampled[i]);
    }
    if (count > 1)
        return;
    info.is_storage = true;
    mali_texture_words(&info, va, (uint32_t *)(void *)planes, view->storage);
    mali_image_view_targets(view);
}

/* An attachment has both aspects of its image, whichever the view names. */
void mali_image_view_targets(struct mali_image_view *view)
{
    const struct mali_image *image = (const struct mali_image *)view->vk.image;
    const struct vk_image_view *vk = &view->vk;
    const VkImageAspectFlags aspects = vk->aspects | (image->vk.aspects & VK_IMAGE_ASPECT_DEPTH_BIT);
    view->target = mali_image_target(image, vk->format, sampled_aspect(aspects), vk->base_level, vk->base_layer);
    if (image->vk.aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
        view->stencil =
            mali_image_target(image, image->vk.format, VK_IMAGE_ASPECT_STENCIL_BIT, vk->base_level, vk->base_layer);
}
