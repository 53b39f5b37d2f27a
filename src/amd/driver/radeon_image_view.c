/* VkImageView: what a shader's descriptor says about a part of an image. */
#include "amd/driver/radeon_image.h"

#include <string.h>

#include "amd/driver/radeon_entrypoints.h"
#include "amd/hw/descriptors.h"
#include "amd/hw/enums.h"

#define BASE_MASK 0xffffffffffull /* 40 bits of 256-byte units */

/* ---- extents ---- */

static uint32_t clamp_level(uint32_t value, uint32_t low, uint32_t high)
{
    return MIN2(MAX2(value, low), high);
}

static uint32_t halved(uint32_t extent, unsigned level)
{
    return MAX2(extent >> level, 1u);
}

/* Does a chain of `desc` put its level `level` where the image has the one that the view wants? */
static bool stands_in(const struct amd_surface *image, unsigned image_level, const struct amd_tiling_config *config,
                      const struct amd_surface_desc *desc, unsigned level, uint32_t width, uint32_t height)
{
    struct amd_surface chain;
    if (halved(desc->width, level) != width || halved(desc->height, level) != height ||
        !amd_surface_init(&chain, config, desc))
        return false;
    bool in_tail = image_level >= image->first_tail_level;
    if ((level >= chain.first_tail_level) != in_tail)
        return false;
    const struct amd_surface_level *is = &chain.level[level], *wanted = &image->level[image_level];
    if (in_tail)
        return is->tail_x == wanted->tail_x && is->tail_y == wanted->tail_y;
    return is->pitch == wanted->pitch && is->offset_B == 0;
}

/* The hardware halves the extent of level 0 and rounds down; a compressed image's levels were rounded up in blocks.
 * Where that loses blocks, the level is made one of a chain of its own that begins at its own address: by itself, or
 * below one of about twice its size; in the tail, among as many as share it. */
static bool view_alone(struct radeon_device *device, struct radeon_image_view *view, uint32_t width, uint32_t height)
{
    const struct amd_tiling_config *config = &device->physical->tiling;
    unsigned image_level = view->vk.base_level;
    struct amd_surface image;
    if (!radeon_image_surface(device, view->image, VK_IMAGE_ASPECT_COLOR_BIT, &image) || image.desc.dim != AMD_DIM_2D)
        return false;
    bool in_tail = image_level >= image.first_tail_level;
    unsigned first = in_tail ? image_level - image.first_tail_level : 0;
    unsigned last = in_tail ? first : 1;
    for (unsigned level = first; level <= last; level++) {
        struct amd_surface_desc desc = image.desc;
        desc.block_w = desc.block_h = 1;
        desc.slices = 1;
        desc.levels = (uint8_t)(in_tail ? MAX2(image.desc.levels - image.first_tail_level, 2) : level + 1);
        for (unsigned extra = 0; extra < (level ? 4 : 1); extra++) {
            desc.width = (width << level) + (extra & 1);
            desc.height = (height << level) + (extra >> 1);
            if (!stands_in(&image, image_level, config, &desc, level, width, height))
                continue;
            view->alone.valid = true;
            view->alone.level = (uint8_t)level;
            view->alone.levels = desc.levels;
            view->alone.pipe_bank_xor = (uint16_t)amd_tiling_slice_xor(&image, view->vk.base_layer);
            view->alone.offset_B = image.slice_B * view->vk.base_layer + image.level[image_level].offset_B;
            view->extent.width = desc.width;
            view->extent.height = desc.height;
            return true;
        }
    }
    return false;
}

/* Uncompressed texels on compressed blocks: level 0 must be as large as makes the view's level come out right, but not
 * so large that the layout changes. */
static void block_view_extent(struct radeon_device *device, struct radeon_image_view *view,
                              const struct format_info *from)
{
    const struct radeon_image *image = view->image;
    const struct radeon_surface *surface = &image->planes[view->plane].surface;
    unsigned level = view->vk.base_level;
    if (view->vk.level_count > 1) {
        view->extent.width = surface->pitch;
        view->extent.height = surface->aligned_height;
        return;
    }
    VkExtent3D extent = vk_image_level_extent(&image->vk, level);
    uint32_t width = div_round_up(extent.width, from->block_width),
             height = div_round_up(extent.height, from->block_height);
    view->extent.width = clamp_level(width << level, view->extent.width, surface->pitch);
    view->extent.height = clamp_level(height << level, view->extent.height, surface->aligned_height);
    if ((halved(view->extent.width, level) < width || halved(view->extent.height, level) < height) &&
        view->vk.layer_count == 1)
        view_alone(device, view, width, height);
}

static void fill_extent(struct radeon_device *device, struct radeon_image_view *view)
{
    const struct radeon_image *image = view->image;
    const struct radeon_surface *surface = &image->planes[view->plane].surface;
    view->extent =
        (VkExtent3D){surface->width, surface->height, image->vk.type == VK_IMAGE_TYPE_3D ? image->vk.extent.depth : 1};
    if (view->plane_count > 1) { /* the whole image; each plane has its own part of it */
        view->extent.width = image->vk.extent.width;
        view->extent.height = image->vk.extent.height;
        return;
    }
    const struct format_info *from = format_info((enum format)image->planes[view->plane].format),
                             *to = format_info((enum format)view->format);
    if (from == to || (from->block_width == to->block_width && from->block_height == to->block_height))
        return;
    view->extent.width = div_round_up(view->extent.width * to->block_width, from->block_width);
    view->extent.height = div_round_up(view->extent.height * to->block_height, from->block_height);
    if (format_is_compressed(from) && !format_is_compressed(to))
        block_view_extent(device, view, from);
}

/* ---- descriptors ---- */

/* A volume whose slices a shader stores to as layers: the volume's own layout, from the view's first slice on. */
static bool is_slices_of_volume(const struct radeon_image_view *view, bool storage)
{
    return storage && view->image->vk.type == VK_IMAGE_TYPE_3D && view->vk.type != VK_IMAGE_VIEW_TYPE_3D &&
           view->image->vk.flags & VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
}

static enum amd_IMG_TYPE descriptor_type(const struct radeon_image_view *view, bool storage)
{
    if (is_slices_of_volume(view, storage))
        return AMD_IMG_TYPE_3D;
    const struct vk_image *image = &view->image->vk;
    /* A view of some layers says so by BASE_ARRAY, which only arrays have. */
    bool array = image->layers > 1;
    switch (view->vk.type) {
    case VK_IMAGE_VIEW_TYPE_CUBE:
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
        return storage ? AMD_IMG_TYPE_2D_ARRAY : AMD_IMG_TYPE_CUBE;
    case VK_IMAGE_VIEW_TYPE_3D:
        return AMD_IMG_TYPE_3D;
    default:
        break;
    }
    switch (image->type) {
    case VK_IMAGE_TYPE_1D:
        return array ? AMD_IMG_TYPE_1D_ARRAY : AMD_IMG_TYPE_1D;
    case VK_IMAGE_TYPE_3D:
        return AMD_IMG_TYPE_2D_ARRAY;
    default:
        if (image->samples > 1)
            return array ? AMD_IMG_TYPE_2D_MSAA_ARRAY : AMD_IMG_TYPE_2D_MSAA;
        return array ? AMD_IMG_TYPE_2D_ARRAY : AMD_IMG_TYPE_2D;
    }
}

static uint32_t fixed_lod(float lod)
{
    return (uint32_t)(MIN2(MAX2(lod, 0.0f), 15.0f) * 256.0f);
}

/* Shaders read through DCC and HTILE. Stores find plain pixels and leave them plain: they happen in layouts in which no
 * metadata is in use. 0: none. */
static uint64_t metadata_va(const struct radeon_image_view *view, bool storage,
                            const struct radeon_image_view_options *options)
{
    const struct radeon_image *image = view->image;
    if (options->no_compression || storage)
        return 0;
    if (radeon_dcc_enabled(image, view->vk.base_level)) {
        uint64_t xor_B = (uint64_t)image->planes[0].surface.pipe_bank_xor << 8 & (image->dcc.range.align_B - 1);
        return (image->vk.memory[0].va + image->dcc.range.offset_B) | xor_B;
    }
    return image->htile.enabled ? image->vk.memory[0].va + image->htile.range.offset_B : 0;
}

static void fill_compression(struct amd_desc_IMAGE *desc, const struct radeon_image_view *view,
                             const struct radeon_format *format, bool storage,
                             const struct radeon_image_view_options *options)
{
    const struct radeon_image *image = view->image;
    uint64_t meta_va = metadata_va(view, storage, options);
    /* Depth of several samples that is read through HTILE is stored in pieces of 256 bytes. */
    desc->ITERATE_256 = image->htile.enabled && image->vk.samples > 1;
    if (radeon_dcc_enabled(image, view->vk.base_level)) {
        desc->MAX_UNCOMPRESSED_BLOCK_SIZE = AMD_DCC_SIZE_256B;
        desc->MAX_COMPRESSED_BLOCK_SIZE = AMD_DCC_SIZE_128B;
        desc->ALPHA_IS_ON_MSB = format->info->channel_count == 1 ? format->dst_sel[3] == AMD_DST_SEL_X
                                                                 : format->color.swap == AMD_COMP_SWAP_STD ||
                                                                       format->color.swap == AMD_COMP_SWAP_ALT;
    }
    if (!meta_va)
        return;
    desc->COMPRESSION_EN = true;
    desc->META_PIPE_ALIGNED = true;
    desc->META_ADDRESS = meta_va >> 8 & BASE_MASK;
}

/* `index` counts the view's planes. */
static void fill_descriptor(const struct radeon_image_view *view, unsigned index, VkFormat vk_format, bool storage,
                            const struct radeon_image_view_options *options, uint32_t words[8])
{
    const struct radeon_image *image = view->image;
    const struct radeon_format *format = radeon_format(vk_format);
    unsigned plane = view->plane + index;
    const struct radeon_surface *surface = view->vk.aspects == VK_IMAGE_ASPECT_STENCIL_BIT
                                               ? radeon_image_surface_of(image, VK_IMAGE_ASPECT_STENCIL_BIT)
                                               : &image->planes[plane].surface;
    unsigned samples_log2 = log2_floor(image->vk.samples);
    bool msaa = samples_log2 > 0, alone = view->alone.valid;
    uint64_t va = image->vk.memory[plane].va + surface->offset_B + view->alone.offset_B;
    uint32_t xor_256B = alone ? view->alone.pipe_bank_xor : surface->pipe_bank_xor;
    uint32_t first_level = alone ? view->alone.level : view->vk.base_level;
    uint32_t levels = alone ? view->alone.levels : image->vk.levels;
    uint32_t last_layer = alone ? 0 : view->vk.base_layer + view->vk.layer_count - 1;
    uint32_t width = view->extent.width, height = view->extent.height;
    enum amd_IMG_TYPE type = descriptor_type(view, storage);
    uint8_t sel[4];
    if (view->plane_count > 1) {
        width = surface->width;
        height = surface->height;
    }
    radeon_format_swizzle(format, &view->vk.components, sel);
    struct amd_desc_IMAGE desc = {
        .BASE_ADDRESS = (va >> 8 & BASE_MASK) | xor_256B,
        .MIN_LOD = fixed_lod(view->vk.min_lod),
        .FORMAT = format->image,
        .WIDTH = width - 1,
        .HEIGHT = height - 1,
        .RESOURCE_LEVEL = 1,
        .DST_SEL_X = sel[0],
        .DST_SEL_Y = sel[1],
        .DST_SEL_Z = sel[2],
        .DST_SEL_W = sel[3],
        .BASE_LEVEL = msaa ? 0 : first_level,
        .LAST_LEVEL = msaa ? samples_log2 : first_level + view->vk.level_count - 1,
        .SW_MODE = surface->swizzle,
        .BC_SWIZZLE = format->bc_swizzle,
        .TYPE = type,
        .DEPTH = type == AMD_IMG_TYPE_3D ? view->extent.depth - 1 : last_layer,
        .BASE_ARRAY = alone || type == AMD_IMG_TYPE_3D ? 0 : view->vk.base_layer,
        .MAX_MIP = msaa ? samples_log2 : levels - 1,
        .PERF_MOD = 4,
    };
    if (is_slices_of_volume(view, storage)) {
        desc.ARRAY_PITCH = 1;
        desc.BASE_ARRAY = view->vk.base_layer;
        desc.DEPTH = vk_image_level_extent(&image->vk, view->vk.base_level).depth - 1;
    }
    fill_compression(&desc, view, format, storage, options);
    amd_pack_desc_IMAGE(RADEON_GFX, words, &desc);
}

static void fill_descriptors(struct radeon_image_view *view, const struct radeon_image_view_options *options)
{
    for (unsigned i = 0; i < view->plane_count; i++) {
        VkFormat format =
            view->plane_count > 1 ? vk_aspect_format(view->format, VK_IMAGE_ASPECT_PLANE_0_BIT << i) : view->format;
        if (!radeon_format(format)->image)
            continue;
        fill_descriptor(view, i, format, false, options, view->sampled[i]);
        fill_descriptor(view, i, format, true, options, view->storage[i]);
    }
}

static void fill_view(struct radeon_device *device, struct radeon_image_view *view,
                      const struct radeon_image_view_options *options)
{
    static const struct radeon_image_view_options defaults;
    struct radeon_image *image = radeon_image_of(view->vk.image);
    view->image = image;
    view->plane = (uint8_t)vk_plane_of_aspect(view->vk.aspects);
    view->plane_count = image->plane_count > 1 && view->vk.aspects == VK_IMAGE_ASPECT_COLOR_BIT
                            ? format_info((enum format)view->vk.format)->plane_count
                            : 1;
    view->format = vk_aspect_format(view->vk.format, view->vk.aspects);
    fill_extent(device, view);
    fill_descriptors(view, options ? options : &defaults);
    if (format_is_depth_or_stencil(image->vk.format_info))
        radeon_depth_target_init(&view->depth, view);
    else if (view->plane_count == 1 && radeon_format(view->format)->color.format)
        radeon_color_target_init(&view->color, view, options ? options : &defaults);
}

void radeon_image_view_init(struct radeon_device *device, struct radeon_image_view *view,
                            const VkImageViewCreateInfo *info, const struct radeon_image_view_options *options)
{
    memset(view, 0, sizeof(*view));
    vk_image_view_init(&device->vk, &view->vk, info);
    fill_view(device, view, options);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_CreateImageView(VkDevice handle, const VkImageViewCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkImageView *view_out)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_image_view *view = vk_image_view_create(&device->vk, info, allocator, sizeof(*view));
    if (!view)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    fill_view(device, view, NULL);
    *view_out = radeon_image_view_to_handle(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL radeon_DestroyImageView(VkDevice handle, VkImageView view,
                                                   const VkAllocationCallbacks *allocator)
{
    vk_image_view_destroy(vk_device_from_handle(handle), allocator, vk_image_view_from_handle(view));
}
