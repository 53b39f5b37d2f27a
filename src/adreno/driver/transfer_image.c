/* Between images by the 2D engine: copies, blits, resolves, clears. What it cannot do is drawn (vulkan/meta): clears
 * and blits of several samples, blits that scale along z or filter with cubes, those of compressed texels with one bit
 * of alpha. Bits that two images hold in different orders go through rows of memory. */
#include "adreno/driver/entrypoints.h"
#include "adreno/driver/transfer.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta.h"
#include "vulkan/meta/vk_meta_entrypoints.h"

/* ---- copies ---- */

struct side {
    const struct adreno_image *image;
    VkImageAspectFlags aspect;
    uint32_t level, layer; /* or slice */
    uint32_t x, y;         /* elements */
    struct adreno_bits_format bits;
};

struct copy {
    struct side src, dst;
    uint32_t width, height, layers; /* elements; layers or slices */
};

static struct side side_of(const struct adreno_image *image, const VkImageSubresourceLayers *at, const VkOffset3D *from)
{
    const unsigned plane = adreno_image_plane_index(image, at->aspectMask);
    const VkFormat format = image->planes[plane].format;
    const struct format_info *info = format_info((enum format)format);
    const bool is_volume = image->vk.type == VK_IMAGE_TYPE_3D;
    return (struct side){
        .image = image,
        .aspect = at->aspectMask,
        .level = at->mipLevel,
        .layer = is_volume ? (uint32_t)from->z : at->baseArrayLayer,
        .x = (uint32_t)from->x / info->block_width,
        .y = (uint32_t)from->y / info->block_height,
        .bits = adreno_bits_format(format, at->aspectMask, image->planes[plane].surface.has_ubwc),
    };
}

static bool is_tiled(const struct side *side)
{
    return side->image->planes[adreno_image_plane_index(side->image, side->aspect)].surface.is_tiled;
}

static bool has_ubwc(const struct side *side)
{
    return side->image->planes[adreno_image_plane_index(side->image, side->aspect)].surface.has_ubwc;
}

/* All samples of a pixel are one element. */
static bool join_samples(struct side *side)
{
    const uint32_t element_B = side->bits.element_B * side->image->vk.samples;
    static const uint8_t numbers[] = {ADRENO_FORMAT_8_UINT, ADRENO_FORMAT_16_UINT, ADRENO_FORMAT_32_UINT,
                                      ADRENO_FORMAT_32_32_UINT, ADRENO_FORMAT_32_32_32_32_UINT};
    if (element_B > 16)
        return false;
    side->bits = (struct adreno_bits_format){.number = numbers[log2_floor(element_B)], .element_B = (uint8_t)element_B};
    return true;
}

static struct adreno_target target_of(const struct side *side, uint32_t layer, bool is_read)
{
    struct adreno_target target =
        adreno_bits_target(side->image, side->aspect, side->level, side->layer + layer, &side->bits, is_read);
    if (target.samples_log2) {
        target.samples_log2 = 0;
        target.sample_B = side->bits.element_B;
    }
    return target;
}

/* As the same format on both sides: where it is one, or where no order and no compression tell formats apart. */
static bool formats_agree(struct copy *copy)
{
    struct adreno_bits_format *src = &copy->src.bits, *dst = &copy->dst.bits;
    if (copy->src.image->vk.samples > 1)
        return join_samples(&copy->src) && join_samples(&copy->dst);
    if (src->number == dst->number && src->swap == dst->swap)
        return true;
    const bool is_src_plain = !has_ubwc(&copy->src) && (src->swap == ADRENO_COLOR_SWAP_WZYX || !is_tiled(&copy->src));
    const bool is_dst_plain = !has_ubwc(&copy->dst) && (dst->swap == ADRENO_COLOR_SWAP_WZYX || !is_tiled(&copy->dst));
    if (!is_src_plain || !is_dst_plain || dst->keep != ADRENO_A2D_ALL)
        return false;
    return join_samples(&copy->src) && join_samples(&copy->dst);
}

static void copy_layer(struct adreno_cmd_buffer *cmd, const struct copy *copy, uint32_t layer)
{
    const struct adreno_a2d op = {
        .dst = target_of(&copy->dst, layer, false),
        .src = target_of(&copy->src, layer, true),
        .x0 = copy->dst.x,
        .y0 = copy->dst.y,
        .x1 = copy->dst.x + copy->width,
        .y1 = copy->dst.y + copy->height,
        .keep = copy->dst.bits.keep,
        .has_source = true,
        .src_x0 = copy->src.x,
        .src_y0 = copy->src.y,
        .src_x1 = copy->src.x + copy->width,
        .src_y1 = copy->src.y + copy->height,
    };
    adreno_cmd_a2d(cmd, &op);
}

static struct adreno_target memory_side(const struct adreno_bits_format *bits, uint64_t va, uint32_t pitch_B,
                                        const struct copy *copy, bool is_read)
{
    const struct adreno_format *hw = adreno_format_find(bits->memory);
    return (struct adreno_target){
        .va = va,
        .pitch_B = pitch_B,
        .width = copy->width,
        .height = copy->height,
        .format = is_read ? adreno_bits_source(bits->memory) : bits->memory,
        .swap = bits->swap,
        .sample_B = bits->element_B,
        .is_uint = hw->numeric == ADRENO_NUMERIC_UINT,
        .is_sint = hw->numeric == ADRENO_NUMERIC_SINT,
    };
}

/* To memory and from there to the other image. */
static void copy_layer_through_memory(struct adreno_cmd_buffer *cmd, const struct copy *copy, uint32_t layer)
{
    const uint32_t pitch_B = (uint32_t)align_u64((uint64_t)copy->width * copy->src.bits.element_B, ADRENO_A2D_ALIGN_B);
    uint64_t va;
    if (!adreno_cmd_upload(cmd, pitch_B * copy->height, ADRENO_A2D_ALIGN_B, &va))
        return;
    adreno_cmd_a2d(cmd, &(const struct adreno_a2d){
                            .dst = memory_side(&copy->src.bits, va, pitch_B, copy, false),
                            .src = target_of(&copy->src, layer, true),
                            .x1 = copy->width,
                            .y1 = copy->height,
                            .has_source = true,
                            .src_x0 = copy->src.x,
                            .src_y0 = copy->src.y,
                            .src_x1 = copy->src.x + copy->width,
                            .src_y1 = copy->src.y + copy->height,
                        });
    adreno_depend(cmd, ADRENO_ACCESS_COLOR_WRITE | ADRENO_ACCESS_NEW_TARGET,
                  ADRENO_ACCESS_UCHE_READ | ADRENO_ACCESS_COLOR_WRITE, ADRENO_WAIT_IDLE);
    adreno_cmd_a2d(cmd, &(const struct adreno_a2d){
                            .dst = target_of(&copy->dst, layer, false),
                            .src = memory_side(&copy->dst.bits, va, pitch_B, copy, true),
                            .x0 = copy->dst.x,
                            .y0 = copy->dst.y,
                            .x1 = copy->dst.x + copy->width,
                            .y1 = copy->dst.y + copy->height,
                            .keep = copy->dst.bits.keep,
                            .has_source = true,
                            .src_x1 = copy->width,
                            .src_y1 = copy->height,
                        });
}

/* Samples are side by side: one aspect of packed ones cannot be told from the other's. */
static bool can_copy(const VkCopyImageInfo2 *info)
{
    const struct adreno_image *image = adreno_image_from_handle(info->srcImage);
    return image->vk.samples == 1 ||
           (image->planes[0].surface.element_B <= 16 && image->vk.format != VK_FORMAT_D24_UNORM_S8_UINT);
}

static void copy_region(struct adreno_cmd_buffer *cmd, const VkCopyImageInfo2 *info, const VkImageCopy2 *region)
{
    const struct adreno_image *src = adreno_image_from_handle(info->srcImage);
    const struct adreno_image *dst = adreno_image_from_handle(info->dstImage);
    const unsigned plane = adreno_image_plane_index(src, region->srcSubresource.aspectMask);
    const struct format_info *format = format_info((enum format)src->planes[plane].format);
    struct copy copy = {
        .src = side_of(src, &region->srcSubresource, &region->srcOffset),
        .dst = side_of(dst, &region->dstSubresource, &region->dstOffset),
        .width = (uint32_t)div_round_up(region->extent.width, format->block_width),
        .height = (uint32_t)div_round_up(region->extent.height, format->block_height),
        .layers = MAX2(region->extent.depth, vk_image_copy_layer_count(&src->vk, &region->srcSubresource)),
    };
    const bool is_direct = formats_agree(&copy);
    for (uint32_t layer = 0; layer < copy.layers; layer++) {
        if (is_direct)
            copy_layer(cmd, &copy, layer);
        else
            copy_layer_through_memory(cmd, &copy, layer);
    }
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdCopyImage2(VkCommandBuffer handle, const VkCopyImageInfo2 *info)
{
    adreno_lrz_forget(adreno_cmd_buffer_from_handle(handle), adreno_image_from_handle(info->dstImage),
                      VK_IMAGE_ASPECT_DEPTH_BIT);
    if (!can_copy(info)) {
        vk_meta_CmdCopyImage2(handle, info);
        return;
    }
    for (uint32_t i = 0; i < info->regionCount; i++) {
        /* Depth and stencil in one region are two. */
        bits_foreach (info->pRegions[i].srcSubresource.aspectMask, bit) {
            VkImageCopy2 region = info->pRegions[i];
            region.srcSubresource.aspectMask = 1u << bit;
            if (region.dstSubresource.aspectMask & (region.dstSubresource.aspectMask - 1))
                region.dstSubresource.aspectMask = 1u << bit;
            copy_region(adreno_cmd_buffer_from_handle(handle), info, &region);
        }
    }
}

/* ---- blits and resolves ---- */

/* The aspects of a region that are written at once: a packed format has both. */
static enum adreno_a2d_keep keep_of(const struct adreno_image *image, VkImageAspectFlags aspects)
{
    if (image->vk.format != VK_FORMAT_D24_UNORM_S8_UINT)
        return ADRENO_A2D_ALL;
    return aspects == VK_IMAGE_ASPECT_DEPTH_BIT     ? ADRENO_A2D_DEPTH
           : aspects == VK_IMAGE_ASPECT_STENCIL_BIT ? ADRENO_A2D_STENCIL
                                                    : ADRENO_A2D_ALL;
}

/* The target that the engine takes an aspect for: packed depth and stencil are four bytes. */
static struct adreno_target blit_target(const struct adreno_image *image, VkImageAspectFlags aspect, uint32_t level,
                                        uint32_t layer, bool is_read)
{
    struct adreno_target target =
        adreno_image_target(image, image->planes[adreno_image_plane_index(image, aspect)].format, aspect, level, layer);
    const struct adreno_vkformat *format = adreno_vkformat(image->vk.format);
    if (target.format == ADRENO_FORMAT_Z24_UNORM_S8_UINT)
        target.format = ADRENO_FORMAT_Z24S8_AS_RGBA8;
    if (is_read && !format_is_depth_or_stencil(format->info)) {
        target.format = format->texture;
        target.is_srgb = format->is_srgb;
    }
    return target;
}

static bool can_blit(const VkBlitImageInfo2 *info)
{
    const struct adreno_image *src = adreno_image_from_handle(info->srcImage);
    const struct adreno_image *dst = adreno_image_from_handle(info->dstImage);
    if (src->vk.samples > 1 || dst->vk.samples > 1 || info->filter == VK_FILTER_CUBIC_EXT)
        return false;
    if (src->vk.format_info->compression == FORMAT_COMPRESSION_BC || src->plane_count > 1 || dst->plane_count > 1)
        return false;
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkImageBlit2 *r = &info->pRegions[i];
        if (r->srcOffsets[1].z - r->srcOffsets[0].z != r->dstOffsets[1].z - r->dstOffsets[0].z)
            return false;
    }
    return true;
}

static void set_axis(int32_t src0, int32_t src1, int32_t dst0, int32_t dst1, uint32_t *src0_out, uint32_t *src1_out,
                     uint32_t *dst0_out, uint32_t *dst1_out, bool *is_mirrored_out)
{
    *is_mirrored_out = (src0 > src1) != (dst0 > dst1);
    *src0_out = (uint32_t)MIN2(src0, src1);
    *src1_out = (uint32_t)MAX2(src0, src1);
    *dst0_out = (uint32_t)MIN2(dst0, dst1);
    *dst1_out = (uint32_t)MAX2(dst0, dst1);
}

static void blit_region(struct adreno_cmd_buffer *cmd, const VkBlitImageInfo2 *info, const VkImageBlit2 *region)
{
    const struct adreno_image *src = adreno_image_from_handle(info->srcImage);
    const struct adreno_image *dst = adreno_image_from_handle(info->dstImage);
    const VkImageSubresourceLayers *from = &region->srcSubresource, *to = &region->dstSubresource;
    struct adreno_a2d op = {
        .has_source = true,
        .is_linear = info->filter == VK_FILTER_LINEAR,
        .keep = keep_of(dst, to->aspectMask),
    };
    const int32_t dz = region->dstOffsets[1].z < region->dstOffsets[0].z ? -1 : 1;
    const int32_t sz = region->srcOffsets[1].z < region->srcOffsets[0].z ? -1 : 1;
    const bool is_src_volume = src->vk.type == VK_IMAGE_TYPE_3D, is_dst_volume = dst->vk.type == VK_IMAGE_TYPE_3D;
    const uint32_t count = is_src_volume || is_dst_volume
                               ? (uint32_t)((region->dstOffsets[1].z - region->dstOffsets[0].z) * dz)
                               : vk_image_copy_layer_count(&src->vk, from);
    set_axis(region->srcOffsets[0].x, region->srcOffsets[1].x, region->dstOffsets[0].x, region->dstOffsets[1].x,
             &op.src_x0, &op.src_x1, &op.x0, &op.x1, &op.is_mirrored_x);
    set_axis(region->srcOffsets[0].y, region->srcOffsets[1].y, region->dstOffsets[0].y, region->dstOffsets[1].y,
             &op.src_y0, &op.src_y1, &op.y0, &op.y1, &op.is_mirrored_y);
    if (op.x0 == op.x1 || op.y0 == op.y1)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t src_z = region->srcOffsets[0].z - (sz < 0) + (int32_t)i * sz;
        const int32_t dst_z = region->dstOffsets[0].z - (dz < 0) + (int32_t)i * dz;
        op.src = blit_target(src, from->aspectMask, from->mipLevel,
                             is_src_volume ? (uint32_t)src_z : from->baseArrayLayer + i, true);
        op.dst = blit_target(dst, to->aspectMask, to->mipLevel,
                             is_dst_volume ? (uint32_t)dst_z : to->baseArrayLayer + i, false);
        adreno_cmd_a2d(cmd, &op);
    }
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdBlitImage2(VkCommandBuffer handle, const VkBlitImageInfo2 *info)
{
    adreno_lrz_forget(adreno_cmd_buffer_from_handle(handle), adreno_image_from_handle(info->dstImage),
                      VK_IMAGE_ASPECT_DEPTH_BIT);
    if (!can_blit(info)) {
        vk_meta_CmdBlitImage2(handle, info);
        return;
    }
    for (uint32_t i = 0; i < info->regionCount; i++)
        blit_region(adreno_cmd_buffer_from_handle(handle), info, &info->pRegions[i]);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdResolveImage2(VkCommandBuffer handle, const VkResolveImageInfo2 *info)
{
    const struct adreno_image *src = adreno_image_from_handle(info->srcImage);
    const struct adreno_image *dst = adreno_image_from_handle(info->dstImage);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkImageResolve2 *region = &info->pRegions[i];
        const VkImageSubresourceLayers *from = &region->srcSubresource, *to = &region->dstSubresource;
        const uint32_t layers = vk_image_copy_layer_count(&src->vk, from);
        for (uint32_t layer = 0; layer < layers; layer++) {
            const struct adreno_a2d op = {
                .src = blit_target(src, from->aspectMask, from->mipLevel, from->baseArrayLayer + layer, true),
                .dst = blit_target(dst, to->aspectMask, to->mipLevel,
                                   dst->vk.type == VK_IMAGE_TYPE_3D ? (uint32_t)region->dstOffset.z
                                                                    : to->baseArrayLayer + layer,
                                   false),
                .x0 = (uint32_t)region->dstOffset.x,
                .y0 = (uint32_t)region->dstOffset.y,
                .x1 = (uint32_t)region->dstOffset.x + region->extent.width,
                .y1 = (uint32_t)region->dstOffset.y + region->extent.height,
                .has_source = true,
                .src_x0 = (uint32_t)region->srcOffset.x,
                .src_y0 = (uint32_t)region->srcOffset.y,
                .src_x1 = (uint32_t)region->srcOffset.x + region->extent.width,
                .src_y1 = (uint32_t)region->srcOffset.y + region->extent.height,
                .is_average = !format_is_integer(src->vk.format_info),
            };
            adreno_cmd_a2d(adreno_cmd_buffer_from_handle(handle), &op);
        }
    }
}

/* ---- clears ---- */

static void clear_range(struct adreno_cmd_buffer *cmd, const struct adreno_image *image, VkImageAspectFlags aspect,
                        const VkImageSubresourceRange *range, const VkClearValue *value)
{
    const bool is_volume = image->vk.type == VK_IMAGE_TYPE_3D;
    const uint32_t levels = vk_image_level_count(&image->vk, range), layers = vk_image_layer_count(&image->vk, range);
    for (uint32_t i = 0; i < levels; i++) {
        const uint32_t level = range->baseMipLevel + i;
        const uint32_t first = is_volume ? 0 : range->baseArrayLayer;
        const uint32_t count = is_volume ? vk_image_level_extent(&image->vk, level).depth : layers;
        for (uint32_t layer = first; layer < first + count; layer++) {
            struct adreno_a2d op = {.dst = blit_target(image, aspect, level, layer, false),
                                    .keep = keep_of(image, range->aspectMask)};
            op.x1 = op.dst.width;
            op.y1 = op.dst.height;
            if (aspect & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) {
                const bool is_alone = op.dst.format == ADRENO_FORMAT_8_UINT;
                adreno_a2d_depth_color(&op.dst, &value->depthStencil, is_alone, op.color);
            } else if (!op.dst.format) { /* a format that is no target: its bits */
                op.dst.format = ADRENO_FORMAT_32_UINT;
                op.dst.is_uint = true;
                vk_meta_pack_color(image->vk.format, &value->color, op.color);
            } else {
                adreno_a2d_color(&op.dst, &value->color, op.color);
            }
            adreno_cmd_a2d(cmd, &op);
        }
    }
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdClearColorImage(VkCommandBuffer handle, VkImage image_handle, VkImageLayout layout,
                                                     const VkClearColorValue *color, uint32_t count,
                                                     const VkImageSubresourceRange *ranges)
{
    const struct adreno_image *image = adreno_image_from_handle(image_handle);
    if (image->vk.samples > 1) {
        vk_meta_CmdClearColorImage(handle, image_handle, layout, color, count, ranges);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        clear_range(adreno_cmd_buffer_from_handle(handle), image, VK_IMAGE_ASPECT_COLOR_BIT, &ranges[i],
                    &(const VkClearValue){.color = *color});
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdClearDepthStencilImage(VkCommandBuffer handle, VkImage image_handle,
                                                            VkImageLayout layout, const VkClearDepthStencilValue *value,
                                                            uint32_t count, const VkImageSubresourceRange *ranges)
{
    const struct adreno_image *image = adreno_image_from_handle(image_handle);
    const bool is_split = image->plane_count > 1;
    adreno_lrz_forget(adreno_cmd_buffer_from_handle(handle), image, VK_IMAGE_ASPECT_DEPTH_BIT);
    if (image->vk.samples > 1) {
        vk_meta_CmdClearDepthStencilImage(handle, image_handle, layout, value, count, ranges);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const VkImageAspectFlags aspects = ranges[i].aspectMask;
        const VkClearValue both = {.depthStencil = *value};
        struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
        if (!is_split) {
            clear_range(cmd, image, aspects, &ranges[i], &both);
            continue;
        }
        bits_foreach (aspects, bit)
            clear_range(cmd, image, 1u << bit, &ranges[i], &both);
    }
}
