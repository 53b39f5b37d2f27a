/* Where everything of an image is: which swizzle mode each surface gets, which metadata there will be room for, and the
 * offsets. The policy is that of the other open driver for this hardware, so that sizes agree with it image by image
 * (tests/vulkan/tables/image_table.py); the arithmetic is amd/hw/tiling's. */
#include "amd/driver/radeon_image.h"

#include <stdatomic.h>
#include <string.h>

#include "amd/driver/radeon_modifier.h"
#include "amd/driver/radeon_sparse.h"
#include "util/debug.h"
#include "vulkan/runtime/memory/vk_host_copy.h"
#include "vulkan/runtime/object/vk_struct.h"

#define MIN_FAST_CLEAR_PIXELS                                                                                          \
    (512u *                                                                                                            \
     512u) /* a single-sampled image up to this is cleared as fast without metadata                             \
                   */
#define MIN_HTILE_PIXELS (8u * 8u)

#define READ_USAGE (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT)

struct layout {
    const struct radeon_device *device;
    struct radeon_image *image;
    const VkImageFormatListCreateInfo *list; /* the formats of views; NULL: unknown */
};

/* ---- swizzle modes ---- */

/* A mode is chosen in two steps: the size of its blocks, by what each would waste, then its type. These are the modes
 * in order of size; a larger one is taken unless it makes the surface half as big again. */
static bool not_much_larger(uint64_t size_B, uint64_t than_B)
{
    return size_B * 2 <= than_B * 3;
}

/* The other way round, where blocks are not larger: it must save a third. */
static bool much_smaller(uint64_t size_B, uint64_t than_B)
{
    return size_B * 3 < than_B * 2;
}

struct candidate {
    enum amd_swizzle swizzle; /* also the one that is taken when this size wins */
    unsigned block_log2;
};

static enum amd_swizzle smallest_waste(const struct amd_tiling_config *config, const struct amd_surface_desc *base,
                                       const struct candidate *candidates, unsigned count)
{
    struct amd_surface surface;
    uint64_t best_B = 0;
    unsigned best = 0;
    for (unsigned i = 0; i < count; i++) {
        struct amd_surface_desc desc = *base;
        desc.swizzle = candidates[i].swizzle;
        if (!amd_surface_init(&surface, config, &desc))
            continue;
        bool larger_blocks = candidates[i].block_log2 >= candidates[best].block_log2;
        if (!best_B ||
            (larger_blocks ? not_much_larger(surface.size_B, best_B) : much_smaller(surface.size_B, best_B))) {
            best_B = surface.size_B;
            best = i;
        }
    }
    return candidates[best].swizzle;
}

/* Of a colour surface with one sample. Rows of one element may be linear. Compressed blocks are never drawn to by their
 * own format and take display order; others the order of the render backends, which exists in 64 KiB only. */
static enum amd_swizzle choose_thin(const struct amd_tiling_config *config, const struct amd_surface_desc *desc)
{
    bool compressed = desc->block_w > 1;
    bool one_row = div_round_up(desc->height, MAX2(desc->block_h, 1)) == 1;
    struct candidate candidates[3];
    unsigned count = 0;
    if (one_row)
        candidates[count++] = (struct candidate){AMD_SW_LINEAR, 8};
    if (desc->dim == AMD_DIM_2D)
        candidates[count++] = (struct candidate){AMD_SW_4KB_D_X, 12};
    candidates[count++] =
        (struct candidate){compressed && desc->dim == AMD_DIM_2D ? AMD_SW_64KB_D_X : AMD_SW_64KB_R_X, 16};
    return smallest_waste(config, desc, candidates, count);
}

/* A volume of some depth is read in all directions: standard order in thick blocks. One of a single slice is like a 2D
 * surface, with thin blocks as a choice, and a render target where they are thick. */
static enum amd_swizzle choose_volume(const struct amd_tiling_config *config, const struct amd_surface_desc *desc,
                                      bool render_target)
{
    bool compressed = desc->block_w > 1;
    bool one_row = div_round_up(desc->height, MAX2(desc->block_h, 1)) == 1;
    struct candidate candidates[4];
    unsigned count = 0;
    if (one_row)
        candidates[count++] = (struct candidate){AMD_SW_LINEAR, 8};
    candidates[count++] = (struct candidate){AMD_SW_4KB_S_X, 12};
    if (desc->slices == 1) {
        candidates[count++] = (struct candidate){AMD_SW_64KB_R_X, 16};
        candidates[count++] = (struct candidate){compressed || render_target ? AMD_SW_64KB_D_X : AMD_SW_64KB_S_X, 16};
    } else {
        candidates[count++] = (struct candidate){AMD_SW_64KB_S_X, 16};
    }
    return smallest_waste(config, desc, candidates, count);
}

static enum amd_swizzle choose_swizzle(const struct layout *layout, const struct amd_surface_desc *desc, bool is_depth)
{
    const struct amd_tiling_config *config = &layout->device->physical->tiling;
    if (layout->image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
        return radeon_modifier_swizzle(layout->image->vk.modifier);
    if (layout->image->vk.tiling == VK_IMAGE_TILING_LINEAR || desc->element_B == 12)
        return AMD_SW_LINEAR;
    if (is_depth)
        return AMD_SW_64KB_Z_X;
    /* Blocks that mean the same in every place. */
    if (layout->image->vk.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)
        return desc->dim == AMD_DIM_3D ? AMD_SW_64KB_S_T : AMD_SW_64KB_D_T;
    if (desc->samples > 1)
        return AMD_SW_64KB_R_X;
    if (desc->dim != AMD_DIM_3D)
        return choose_thin(config, desc);
    /* Compressed blocks of 16 bytes in a volume cannot be a target by any format. */
    return choose_volume(config, desc, !(desc->block_w > 1 && desc->element_B == 16));
}

/* ---- surfaces ---- */

static void describe_plane(const struct radeon_image *image, const struct format_info *info, unsigned plane,
                           unsigned element_B, struct amd_surface_desc *desc)
{
    const struct vk_image *vk = &image->vk;
    static const enum amd_dim dims[] = {
        [VK_IMAGE_TYPE_1D] = AMD_DIM_1D, [VK_IMAGE_TYPE_2D] = AMD_DIM_2D, [VK_IMAGE_TYPE_3D] = AMD_DIM_3D};
    unsigned divide_w = 1, divide_h = 1;
    if (image->plane_count > 1) {
        divide_w = vk->format_info->planes[plane].width_divisor;
        divide_h = vk->format_info->planes[plane].height_divisor;
    }
    *desc = (struct amd_surface_desc){
        .dim = dims[vk->type],
        .width = div_round_up(vk->extent.width, divide_w),
        .height = div_round_up(vk->extent.height, divide_h),
        .slices = vk->type == VK_IMAGE_TYPE_3D ? vk->extent.depth : vk->layers,
        .block_w = info->block_width,
        .block_h = info->block_height,
        .element_B = (uint8_t)element_B,
        .samples = (uint8_t)vk->samples,
        .levels = (uint8_t)vk->levels,
    };
}

static void keep_surface(struct radeon_surface *kept, const struct amd_surface *surface)
{
    *kept = (struct radeon_surface){
        .size_B = surface->size_B,
        .slice_B = surface->slice_B,
        .align_B = surface->align_B,
        .swizzle = (uint8_t)surface->desc.swizzle,
        .dim = (uint8_t)surface->desc.dim,
        .element_B = surface->desc.element_B,
        .block_w = surface->desc.block_w,
        .block_h = surface->desc.block_h,
        .samples = surface->desc.samples,
        .levels = surface->desc.levels,
        .first_tail_level = surface->first_tail_level,
        .pipe_bank_xor = (uint16_t)surface->desc.pipe_bank_xor,
        .width = surface->desc.width,
        .height = surface->desc.height,
        .slices = surface->desc.slices,
        .pitch = surface->level[0].pitch,
        .aligned_height = surface->level[0].height,
    };
    for (unsigned i = 0; i < surface->desc.levels; i++) {
        kept->level_offset_B[i] = surface->level[i].offset_B;
        kept->level_pitch[i] = surface->level[i].pitch;
    }
}

static struct amd_surface_desc description_of(const struct radeon_surface *surface)
{
    return (struct amd_surface_desc){
        .swizzle = surface->swizzle,
        .dim = surface->dim,
        .width = surface->width,
        .height = surface->height,
        .slices = surface->slices,
        .block_w = surface->block_w,
        .block_h = surface->block_h,
        .element_B = surface->element_B,
        .samples = surface->samples,
        .levels = surface->levels,
        .pipe_bank_xor = surface->pipe_bank_xor,
    };
}

/* Targets that are used together should begin in different banks. Other images all begin in the same one, so that the
 * command processor can copy them as memory. Memory that leaves the driver has none of this: others would not know of
 * it. A chain that lies in its tail altogether has no block of its own to be moved. */
static uint32_t next_pipe_bank_xor(const struct layout *layout, const struct amd_surface *surface)
{
    static _Atomic uint32_t surface_index;
    const struct radeon_image *image = layout->image;
    bool all_in_tail = surface->first_tail_level == 0;
    if (!image->is_private || !(image->vk.usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) || all_in_tail ||
        format_is_depth_or_stencil(image->vk.format_info) || image->vk.flags & VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)
        return 0;
    if (amd_swizzle_info(surface->desc.swizzle)->xor_kind == AMD_SWIZZLE_XOR_NONE)
        return 0;
    uint32_t index = atomic_fetch_add_explicit(&surface_index, 1, memory_order_relaxed);
    return amd_tiling_pipe_bank_xor(&layout->device->physical->tiling, surface->desc.swizzle, index);
}

/* The size of one plane, while it grows. */
struct total {
    uint64_t size_B;
    uint32_t align_B;
};

static uint64_t append_size(struct total *total, uint64_t size_B, uint32_t align_B)
{
    uint64_t offset_B = align_u64(total->size_B, align_B);
    total->size_B = offset_B + size_B;
    total->align_B = MAX2(total->align_B, align_B);
    return offset_B;
}

/* ---- metadata ---- */

static void keep_meta(struct radeon_image_meta *kept, const struct amd_meta *meta, const struct amd_surface *data,
                      struct total *total)
{
    kept->range.offset_B = append_size(total, meta->size_B, meta->align_B);
    kept->range.size_B = meta->size_B;
    kept->range.align_B = meta->align_B;
    kept->slice_B = meta->slice_B;
    kept->piece_w_log2 = meta->compressed_w_log2;
    kept->piece_h_log2 = meta->compressed_h_log2;
    /* Of the levels in a tail the hardware can compress the first alone. */
    kept->levels = (uint8_t)MIN2(data->desc.levels, data->first_tail_level + 1);
    for (unsigned i = 0; i < kept->levels; i++) {
        kept->level[i].offset_B = meta->level[i].offset_B;
        kept->level[i].size_B = meta->level[i].size_B;
    }
}

static bool wants_htile(const struct radeon_image *image)
{
    const struct vk_image *vk = &image->vk;
    return vk->aspects & VK_IMAGE_ASPECT_DEPTH_BIT && image->planes[0].surface.swizzle != AMD_SW_LINEAR &&
           (vk->levels == 1 || vk->layers == 1) && image->is_private &&
           vk->extent.width * vk->extent.height >= MIN_HTILE_PIXELS;
}

static void layout_htile(const struct radeon_device *device, struct radeon_image *image,
                         const struct amd_surface *depth, struct total *total)
{
    struct amd_meta meta;
    if (!wants_htile(image) || !amd_meta_init(&meta, AMD_META_HTILE, depth, true))
        return;
    keep_meta(&image->htile, &meta, depth, total);
    /* Levels in a tail share a block of metadata and could not change their layouts one by one. Where depth and stencil
     * change theirs apart, one word would have to serve two. */
    bool apart =
        image->vk.aspects & VK_IMAGE_ASPECT_STENCIL_BIT && device->vk.enabled_features.separateDepthStencilLayouts;
    image->htile.enabled = !debug_enabled(DEBUG_NOHIZ) && image->vk.levels == 1 && !apart;
    image->tc_compatible_htile = !(image->vk.usage & VK_IMAGE_USAGE_STORAGE_BIT) && image->vk.usage & READ_USAGE;
}

static bool is_atomic_format(const struct layout *layout, VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_R64_UINT:
    case VK_FORMAT_R64_SINT:
        return true;
    case VK_FORMAT_R32_SFLOAT:
        return layout->device->vk.enabled_features.shaderImageFloat32Atomics;
    default:
        return false;
    }
}

/* Atomics decompress, whatever else keeps DCC. */
static bool may_have_atomics(const struct layout *layout)
{
    const struct vk_image *vk = &layout->image->vk;
    if (!(vk->usage & VK_IMAGE_USAGE_STORAGE_BIT))
        return false;
    if (is_atomic_format(layout, vk->format))
        return true;
    if (!(vk->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) || !layout->list)
        return false;
    for (uint32_t i = 0; i < layout->list->viewFormatCount; i++)
        if (is_atomic_format(layout, layout->list->pViewFormats[i]))
            return true;
    return false;
}

enum dcc_kind {
    DCC_NONE,
    DCC_UNSIGNED,
    DCC_SIGNED,
    DCC_FLOAT,
};

static enum dcc_kind dcc_kind(const struct format_info *info)
{
    unsigned bits = info->channels[0].bits;
    if (bits != 8 && bits != 10 && bits != 16 && bits != 32)
        return DCC_NONE;
    switch (info->numeric) {
    case FORMAT_NUMERIC_UFLOAT:
    case FORMAT_NUMERIC_SFLOAT:
        return DCC_FLOAT;
    case FORMAT_NUMERIC_SNORM:
    case FORMAT_NUMERIC_SSCALED:
    case FORMAT_NUMERIC_SINT:
        return DCC_SIGNED;
    default:
        return DCC_UNSIGNED;
    }
}

/* The compressor looks at channels: views must agree about their number, order, size, and whether they are floats. */
static bool same_for_dcc(VkFormat a, VkFormat b, bool *sign_changes)
{
    if (a == b)
        return true;
    const struct radeon_format *format[2] = {radeon_format(a), radeon_format(b)};
    if (!format[0]->info || !format[1]->info)
        return false;
    if (format[0]->info->channel_count != format[1]->info->channel_count ||
        format[0]->info->channels[0].bits != format[1]->info->channels[0].bits)
        return false;
    for (unsigned i = 0; i < format[0]->info->channel_count; i++) {
        uint8_t from[2] = {format[0]->dst_sel[i], format[1]->dst_sel[i]};
        if (from[0] >= AMD_DST_SEL_X && from[1] >= AMD_DST_SEL_X && from[0] != from[1])
            return false;
    }
    enum dcc_kind kind[2] = {dcc_kind(format[0]->info), dcc_kind(format[1]->info)};
    if (!kind[0] || !kind[1] || (kind[0] == DCC_FLOAT) != (kind[1] == DCC_FLOAT))
        return false;
    *sign_changes |= kind[0] != kind[1];
    return true;
}

static bool views_allow_dcc(const struct layout *layout)
{
    struct radeon_image *image = layout->image;
    if (!radeon_format(image->vk.format)->color.format)
        return false;
    if (!(image->vk.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT))
        return true;
    if (!layout->list || !layout->list->viewFormatCount)
        return false;
    for (uint32_t i = 0; i < layout->list->viewFormatCount; i++) {
        VkFormat view = layout->list->pViewFormats[i];
        if (view != VK_FORMAT_UNDEFINED && !same_for_dcc(image->vk.format, view, &image->dcc_sign_reinterpret))
            return false;
    }
    return true;
}

static bool wants_dcc(const struct layout *layout)
{
    const struct radeon_image *image = layout->image;
    const struct vk_image *vk = &image->vk;
    uint8_t swizzle = image->planes[0].surface.swizzle;
    if (swizzle != AMD_SW_64KB_R_X && swizzle != AMD_SW_64KB_Z_X)
        return false;
    if (!image->is_private || image->plane_count > 1 || format_is_compressed(vk->format_info) ||
        !(vk->usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) ||
        vk->usage & VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR || (vk->layers > 1 && vk->levels > 1))
        return false;
    if (vk->samples == 1 && vk->extent.width * vk->extent.height <= MIN_FAST_CLEAR_PIXELS)
        return false;
    return !may_have_atomics(layout) && views_allow_dcc(layout);
}

static void layout_dcc(const struct layout *layout, const struct amd_surface *color, struct total *total)
{
    struct radeon_image *image = layout->image;
    struct amd_meta meta;
    if (!wants_dcc(layout) || !amd_meta_init(&meta, AMD_META_DCC, color, true))
        return;
    keep_meta(&image->dcc, &meta, color, total);
    /* With blocks of 128 bytes that are independent of each other, stores can compress, too. */
    image->dcc_image_stores = true;
    image->comp_to_single = image->vk.type != VK_IMAGE_TYPE_3D;
    /* Several samples need FMASK beside it. */
    image->dcc.enabled = !debug_enabled(DEBUG_NODCC) && image->vk.type == VK_IMAGE_TYPE_2D && image->vk.levels == 1 &&
                         (image->vk.samples == 1 || image->fmask_enabled);
}

/* For each pixel, where its samples' colours are; CMASK says where that need not be looked up. */
static bool layout_fmask(const struct layout *layout, struct total *total)
{
    struct radeon_image *image = layout->image;
    const struct vk_image *vk = &image->vk;
    if (vk->samples == 1 || !(vk->usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) || image->plane_count > 1)
        return true;
    struct amd_surface_desc desc = {
        .swizzle = AMD_SW_64KB_Z_X,
        .dim = AMD_DIM_2D,
        .width = vk->extent.width,
        .height = vk->extent.height,
        .slices = vk->layers,
        .block_w = 1,
        .block_h = 1,
        .element_B = (uint8_t)amd_fmask_element_B(vk->samples, vk->samples),
        .samples = 1,
        .levels = 1,
    };
    struct amd_surface fmask;
    struct amd_meta cmask;
    if (!amd_surface_init(&fmask, &layout->device->physical->tiling, &desc) ||
        !amd_meta_init(&cmask, AMD_META_CMASK, &fmask, true))
        return false;
    keep_surface(&image->fmask, &fmask);
    image->fmask.offset_B = append_size(total, fmask.size_B, fmask.align_B);
    keep_meta(&image->cmask, &cmask, &fmask, total);
    image->fmask_enabled = image->cmask.enabled = !debug_enabled(DEBUG_NOFMASK) && image->is_private;
    return true;
}

/* ---- planes ---- */

static bool layout_color(const struct layout *layout, unsigned plane, struct total *total)
{
    struct radeon_image *image = layout->image;
    struct radeon_image_plane *at = &image->planes[plane];
    const struct radeon_format *format = radeon_format(at->format);
    const struct amd_tiling_config *config = &layout->device->physical->tiling;
    struct amd_surface_desc desc;
    struct amd_surface surface;
    describe_plane(image, format->info, plane, format->element_B, &desc);
    desc.swizzle = choose_swizzle(layout, &desc, false);
    if (!amd_surface_init(&surface, config, &desc))
        return false;
    surface.desc.pipe_bank_xor = next_pipe_bank_xor(layout, &surface);
    keep_surface(&at->surface, &surface);
    at->surface.offset_B = append_size(total, surface.size_B, surface.align_B);
    if (!layout_fmask(layout, total))
        return false;
    layout_dcc(layout, &surface, total);
    return true;
}

static bool layout_depth_stencil(const struct layout *layout, struct total *total)
{
    struct radeon_image *image = layout->image;
    const struct vk_image *vk = &image->vk;
    const struct amd_tiling_config *config = &layout->device->physical->tiling;
    const struct radeon_format *format = radeon_format(vk->format);
    struct amd_surface_desc desc;
    struct amd_surface depth, stencil;
    bool has_depth = vk->aspects & VK_IMAGE_ASPECT_DEPTH_BIT;
    describe_plane(image, format->info, 0, format->element_B, &desc);
    desc.swizzle = choose_swizzle(layout, &desc, true);
    if (has_depth) {
        if (!amd_surface_init(&depth, config, &desc))
            return false;
        keep_surface(&image->planes[0].surface, &depth);
        image->planes[0].surface.offset_B = append_size(total, depth.size_B, depth.align_B);
    }
    if (vk->aspects & VK_IMAGE_ASPECT_STENCIL_BIT) {
        desc.element_B = 1;
        if (!amd_surface_init(&stencil, config, &desc))
            return false;
        keep_surface(&image->stencil, &stencil);
        image->stencil.offset_B = append_size(total, stencil.size_B, stencil.align_B);
        image->has_stencil_surface = true;
        if (!has_depth)
            image->planes[0].surface = image->stencil;
    }
    if (has_depth)
        layout_htile(layout->device, image, &depth, total);
    return true;
}

/* Words that the GPU writes and reads: whether a clear waits to be eliminated, and clear values. */
static void layout_values(struct radeon_image *image)
{
    bool has_dcc = image->dcc.range.size_B, has_cmask = image->cmask.range.size_B,
         has_htile = image->htile.range.size_B;
    uint64_t pair_B = 8ull * image->vk.levels;
    bool eliminates = has_cmask || (has_dcc && !image->comp_to_single);
    if (eliminates) {
        image->fce_predicate_offset_B = image->vk.size_B;
        image->vk.size_B += pair_B;
    }
    if (has_dcc && !image->dcc_image_stores) {
        image->dcc_predicate_offset_B = image->vk.size_B;
        image->vk.size_B += pair_B;
    }
    if (eliminates || has_htile) {
        image->clear_value_offset_B = image->vk.size_B;
        image->vk.size_B += pair_B;
    }
}

/* Texture units and render backends use the same L2, but where the pieces of a pixel's metadata lie in another channel
 * than the pixel's data, a backend may write behind the back of a reader. */
static bool metadata_is_misaligned(const struct radeon_device *device, const struct radeon_image *image)
{
    const struct amd_tiling_config *tiling = &device->physical->tiling;
    int samples_log2 = (int)log2_floor(image->vk.samples);
    for (unsigned i = 0; i < image->plane_count; i++) {
        int element_log2 = (int)log2_floor(image->planes[i].surface.element_B);
        int overlap = MAX2(0, element_log2 + samples_log2 + (int)tiling->pipes_log2 - 8);
        if (image->vk.aspects & VK_IMAGE_ASPECT_DEPTH_BIT) {
            if ((image->tc_compatible_htile || image->htile.enabled) && overlap)
                return true;
        } else if (image->dcc.range.size_B || image->fmask_enabled) {
            int spread = MAX2(0, samples_log2 - (int)tiling->max_compressed_frags_log2);
            if (MIN2(samples_log2, overlap) > spread)
                return true;
        }
    }
    return false;
}

static bool layout_planes(const struct layout *layout)
{
    struct radeon_image *image = layout->image;
    image->vk.align_B = 1;
    for (unsigned i = 0; i < image->plane_count; i++) {
        struct total total = {.align_B = 1};
        bool depth = format_is_depth_or_stencil(image->vk.format_info);
        if (!(depth ? layout_depth_stencil(layout, &total) : layout_color(layout, i, &total)))
            return false;
        uint64_t offset_B = image->disjoint ? 0 : align_u64(image->vk.size_B, total.align_B);
        image->planes[i].surface.offset_B += offset_B; /* metadata exists in images of one plane only, at 0 */
        image->vk.size_B = MAX2(image->vk.size_B, offset_B + total.size_B);
        image->vk.align_B = MAX2(image->vk.align_B, total.align_B);
    }
    return true;
}

VkResult radeon_image_layout(struct radeon_device *device, struct radeon_image *image, const void *chain)
{
    const struct format_info *info = image->vk.format_info;
    if (!info || !info->block_size_B)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    struct layout layout = {
        .device = device,
        .image = image,
        .list = vk_find_struct_const(chain, VkImageFormatListCreateInfo),
    };
    image->plane_count = info->plane_count;
    image->disjoint = info->plane_count > 1 && image->vk.flags & VK_IMAGE_CREATE_DISJOINT_BIT;
    bool by_modifier = image->vk.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    image->is_private = !image->vk.external_types && !by_modifier && !vk_image_is_host_copied(&image->vk) &&
                        !radeon_image_is_sparse(&image->vk);
    if (by_modifier && !radeon_modifier_choose(device->physical, image->vk.format, chain, &image->vk.modifier))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    image->mutable_format = image->vk.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    for (unsigned i = 0; i < image->plane_count; i++)
        image->planes[i].format = vk_aspect_format(
            image->vk.format, info->plane_count > 1 ? VK_IMAGE_ASPECT_PLANE_0_BIT << i : VK_IMAGE_ASPECT_DEPTH_BIT);
    if (!layout_planes(&layout))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    VkResult result = by_modifier ? radeon_modifier_place_planes(image, chain) : VK_SUCCESS;
    if (result != VK_SUCCESS)
        return result;
    layout_values(image);
    if (radeon_image_is_sparse(&image->vk)) {
        image->vk.size_B = align_u64(image->vk.size_B, WS_SPARSE_BLOCK_B);
        image->vk.align_B = MAX2(image->vk.align_B, WS_SPARSE_BLOCK_B);
    }
    image->is_l2_coherent =
        is_power_of_two(device->ws->info.device.num_tcc_blocks) && !metadata_is_misaligned(device, image);
    return VK_SUCCESS;
}

bool radeon_image_set_swizzle(const struct radeon_device *device, struct radeon_image *image, enum amd_swizzle swizzle)
{
    struct radeon_surface *own = &image->planes[0].surface;
    struct amd_surface_desc desc = description_of(own);
    struct amd_surface surface;
    if (swizzle == own->swizzle)
        return true;
    if (image->plane_count > 1 || image->has_stencil_surface || image->vk.size_B != own->size_B)
        return false;
    desc.swizzle = swizzle;
    desc.pipe_bank_xor = 0;
    if (!amd_surface_init(&surface, &device->physical->tiling, &desc))
        return false;
    keep_surface(own, &surface);
    image->vk.size_B = surface.size_B;
    image->vk.align_B = surface.align_B;
    return true;
}

/* ---- looking at the result ---- */

const struct radeon_surface *radeon_image_surface_of(const struct radeon_image *image, VkImageAspectFlags aspect)
{
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT && image->has_stencil_surface)
        return &image->stencil;
    return &image->planes[vk_plane_of_aspect(aspect)].surface;
}

uint64_t radeon_image_surface_va(const struct radeon_image *image, VkImageAspectFlags aspect)
{
    return image->vk.memory[vk_plane_of_aspect(aspect)].va + radeon_image_surface_of(image, aspect)->offset_B;
}

bool radeon_image_surface(const struct radeon_device *device, const struct radeon_image *image,
                          VkImageAspectFlags aspect, struct amd_surface *surface_out)
{
    struct amd_surface_desc desc = description_of(radeon_image_surface_of(image, aspect));
    return amd_surface_init(surface_out, &device->physical->tiling, &desc);
}
