/* Descriptors of images and of buffers of texels, as shaders read them. The hardware derives the levels of a view from
 * its first one, so a view that begins at a higher level is an image of its own. */
#include <string.h>

#include "adreno/driver/image.h"
#include "adreno/hw/descriptors.h"
#include "util/bits.h"

#define TEXEL_ALIGN_B 64u /* of a descriptor's base; what is left counts in texels */

static enum adreno_TEX_TYPE texture_type(const struct adreno_texture_info *info)
{
    switch (info->type) {
    case VK_IMAGE_VIEW_TYPE_1D:
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
        return ADRENO_TEX_TYPE_1D;
    case VK_IMAGE_VIEW_TYPE_3D:
        return ADRENO_TEX_TYPE_3D;
    case VK_IMAGE_VIEW_TYPE_CUBE:
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
        return info->is_storage ? ADRENO_TEX_TYPE_2D : ADRENO_TEX_TYPE_CUBE;
    default:
        return ADRENO_TEX_TYPE_2D;
    }
}

/* A format's own places of components under those that the view asks for. */
static uint8_t select_component(const struct adreno_texture_format *format, VkComponentSwizzle from)
{
    switch (from) {
    case VK_COMPONENT_SWIZZLE_ZERO:
        return ADRENO_TEX_SWIZ_ZERO;
    case VK_COMPONENT_SWIZZLE_ONE:
        return ADRENO_TEX_SWIZ_ONE;
    default:
        return format->swizzle[from - VK_COMPONENT_SWIZZLE_R];
    }
}

static void set_swizzle(struct adreno_desc_IMAGE *d, const struct adreno_texture_info *info,
                        const struct adreno_texture_format *format)
{
    if (info->is_storage) { /* stores have all components where they are */
        d->SWIZ_X = ADRENO_TEX_SWIZ_X;
        d->SWIZ_Y = ADRENO_TEX_SWIZ_Y;
        d->SWIZ_Z = ADRENO_TEX_SWIZ_Z;
        d->SWIZ_W = ADRENO_TEX_SWIZ_W;
        return;
    }
    d->SWIZ_X = (enum adreno_TEX_SWIZ)select_component(format, info->components.r);
    d->SWIZ_Y = (enum adreno_TEX_SWIZ)select_component(format, info->components.g);
    d->SWIZ_Z = (enum adreno_TEX_SWIZ)select_component(format, info->components.b);
    d->SWIZ_W = (enum adreno_TEX_SWIZ)select_component(format, info->components.a);
}

/* Texels of an uncompressed format over compressed blocks: a block is a texel. */
static void set_size(struct adreno_desc_IMAGE *d, const struct adreno_texture_info *info)
{
    const struct adreno_image_plane *plane = &info->image->planes[info->plane];
    const struct format_info *own = format_info((enum format)plane->format);
    const struct format_info *view = format_info((enum format)info->format);
    uint32_t width = MAX2(plane->width >> info->base_level, 1u), height = MAX2(plane->height >> info->base_level, 1u);
    if (own->block_width > view->block_width || own->block_height > view->block_height) {
        width = (uint32_t)div_round_up(width, own->block_width);
        height = (uint32_t)div_round_up(height, own->block_height);
    }
    d->WIDTH = width;
    d->HEIGHT = height;
}

static void set_layers(struct adreno_desc_IMAGE *d, const struct adreno_texture_info *info)
{
    const struct adreno_surface *surface = &info->image->planes[info->plane].surface;
    d->ARRAY_PITCH = (uint32_t)adreno_image_layer_B(info->image, info->plane, info->base_level);
    if (info->type == VK_IMAGE_VIEW_TYPE_3D) {
        d->DEPTH = MAX2(info->image->vk.extent.depth >> info->base_level, 1u);
        d->MIN_LAYERSZ = (uint32_t)surface->min_slice_B;
        return;
    }
    d->DEPTH = d->TYPE == ADRENO_TEX_TYPE_CUBE ? info->layer_count / 6 : info->layer_count;
}

static void set_flags(struct adreno_desc_IMAGE *d, const struct adreno_texture_info *info, uint32_t layer)
{
    const struct adreno_surface *surface = &info->image->planes[info->plane].surface;
    const struct adreno_surface_level *level = &surface->levels[info->base_level];
    if (!surface->has_ubwc || !level->is_tiled)
        return;
    d->FLAG = true;
    d->FLAG_BUFFER = adreno_image_flag_va(info->image, info->plane, info->base_level, layer);
    d->FLAG_BUFFER_PITCH = level->flag_pitch_B;
    d->FLAG_BUFFER_ARRAY_PITCH = (uint32_t)(surface->flag_layer_B / 4); /* in dwords */
    d->FLAG_BUFFER_LOGW = log2_ceil((uint32_t)div_round_up(d->WIDTH, surface->flag_block_w));
    d->FLAG_BUFFER_LOGH = log2_ceil((uint32_t)div_round_up(d->HEIGHT, surface->flag_block_h));
}

void adreno_texture_words(const struct adreno_chip *chip, const struct adreno_texture_info *info,
                          uint32_t words_out[ADRENO_IMAGE_DW])
{
    const struct adreno_surface *surface = &info->image->planes[info->plane].surface;
    const struct adreno_surface_level *level = &surface->levels[info->base_level];
    const struct adreno_texture_format format =
        adreno_texture_format(chip, info->format, info->aspect, surface->is_tiled);
    const uint32_t layer = info->type == VK_IMAGE_VIEW_TYPE_3D ? 0 : info->base_layer;
    struct adreno_desc_IMAGE d = {
        .TILE_MODE = level->is_tiled ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR,
        .SRGB = format.is_srgb && !info->is_storage,
        .MIPLVLS = info->is_storage ? 0 : info->level_count - 1,
        .SAMPLES = (enum adreno_MSAA_SAMPLES)log2_floor(info->image->vk.samples),
        .FMT = format.number,
        .SWAP = (enum adreno_COLOR_SWAP)format.swap,
        .PITCHALIGN = surface->pitch_align_log2 - 6u,
        .PITCH = level->pitch_B,
        .TYPE = texture_type(info),
        .TILE_ALL = surface->is_all_tiled,
        .BASE = adreno_image_va(info->image, info->plane, info->base_level, layer),
        .MIN_LOD_CLAMP = (uint32_t)(MIN2(info->min_lod, 15.0f) * 256.0f),
    };
    set_swizzle(&d, info, &format);
    set_size(&d, info);
    set_layers(&d, info);
    set_flags(&d, info, layer);
    adreno_pack_desc_IMAGE(words_out, &d);
}

void adreno_texel_buffer_words(VkFormat vk_format, uint64_t va, uint64_t size_B, uint32_t words_out[ADRENO_IMAGE_DW])
{
    const struct adreno_vkformat *format = adreno_vkformat(vk_format);
    const uint32_t extra_B = va % TEXEL_ALIGN_B;
    const struct adreno_desc_BUFFER d = {
        .FMT = format->texture,
        .SWAP = (enum adreno_COLOR_SWAP)format->swap,
        .SRGB = format->is_srgb,
        .SWIZ_X = ADRENO_TEX_SWIZ_X,
        .SWIZ_Y = ADRENO_TEX_SWIZ_Y,
        .SWIZ_Z = ADRENO_TEX_SWIZ_Z,
        .SWIZ_W = ADRENO_TEX_SWIZ_W,
        .NUM_ELEMENTS = (uint32_t)(size_B / format->element_B),
        .STARTOFFSETTEXELS = extra_B / format->element_B,
        .TYPE = ADRENO_TEX_TYPE_BUFFER,
        .BASE = va - extra_B,
    };
    memset(words_out, 0, ADRENO_IMAGE_DW * sizeof(*words_out));
    adreno_pack_desc_BUFFER(words_out, &d);
}

/* ---- views ---- */

static struct adreno_texture_info info_of(const struct adreno_image_view *view)
{
    const struct vk_image_view *vk = &view->vk;
    return (struct adreno_texture_info){
        .image = (const struct adreno_image *)vk->image,
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

static void fill_planes(const struct adreno_chip *chip, struct adreno_image_view *view)
{
    const struct format_info *format = format_info((enum format)view->vk.format);
    struct adreno_texture_info info = info_of(view);
    for (unsigned i = 0; i < format->plane_count; i++) {
        info.plane = i;
        info.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
        info.format = (VkFormat)format->planes[i].format;
        adreno_texture_words(chip, &info, view->sampled[i]);
    }
}

/* Of a view of depth and stencil shaders see the depth. */
static VkImageAspectFlags sampled_aspect(VkImageAspectFlags aspects)
{
    return aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? VK_IMAGE_ASPECT_DEPTH_BIT : aspects;
}

void adreno_image_view_fill(const struct adreno_chip *chip, struct adreno_image_view *view)
{
    const struct adreno_image *image = (const struct adreno_image *)view->vk.image;
    const struct vk_image_view *vk = &view->vk;
    struct adreno_texture_info info = info_of(view);
    if (format_info((enum format)vk->format)->plane_count > 1) {
        fill_planes(chip, view);
        return;
    }
    info.aspect = sampled_aspect(vk->aspects);
    info.plane = adreno_image_plane_index(image, info.aspect);
    adreno_texture_words(chip, &info, view->sampled[0]);
    info.is_storage = true;
    adreno_texture_words(chip, &info, view->storage);
    /* As an attachment a view has all aspects of its image, whatever shaders see. */
    const VkImageAspectFlags drawn =
        image->vk.aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? VK_IMAGE_ASPECT_DEPTH_BIT : info.aspect;
    view->target = adreno_image_target(image, vk->format, drawn, vk->base_level, vk->base_layer);
    if (image->vk.aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
        view->stencil =
            adreno_image_target(image, image->vk.format, VK_IMAGE_ASPECT_STENCIL_BIT, vk->base_level, vk->base_layer);
}
