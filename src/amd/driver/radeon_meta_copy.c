/* Copies of images by compute: elements are moved as unsigned integers of their size, so that every format, every
 * aspect and blocks of compressed texels are the same work. A buffer's side is plain memory; an image's side is a view
 * of one level with all its layers. */
#include <string.h>

#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_memory.h"
#include "amd/driver/radeon_meta.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"

/* ---- one side of a copy that is an image ---- */

struct side {
    struct radeon_image *image;
    enum radeon_meta_shape shape;
    uint32_t element_B;
    uint32_t block_w, block_h; /* texels of an element */
    VkFormat packed;           /* read through DCC: what the texel's channels make an element of; else undefined */
    uint32_t descriptor[8];
    int32_t x, y, z; /* the first element; z counts layers or slices */
};

/* Of a side that is read in a layout in which DCC is in use. */
static bool is_read_through_dcc(const struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                                const VkImageSubresourceLayers *layers, VkImageLayout layout)
{
    uint32_t family = cmd->is_compute ? RADEON_QUEUE_COMPUTE : RADEON_QUEUE_GENERAL;
    return radeon_layout_dcc_compressed(image, layers->mipLevel, layout,
                                        radeon_image_queue_mask(image, VK_QUEUE_FAMILY_IGNORED, family));
}

static void side_init(struct radeon_cmd_buffer *cmd, struct side *side, struct radeon_image *image,
                      const VkImageSubresourceLayers *layers, VkOffset3D offset, bool through_dcc)
{
    VkFormat format = vk_aspect_format(image->vk.format, layers->aspectMask);
    const struct format_info *info = format_info((enum format)format);
    side->image = image;
    side->shape = radeon_meta_shape(image);
    side->element_B = info->block_size_B;
    side->block_w = info->block_width;
    side->block_h = info->block_height;
    side->x = offset.x / info->block_width;
    side->y = offset.y / info->block_height;
    side->z = image->vk.type == VK_IMAGE_TYPE_3D ? offset.z : (int32_t)layers->baseArrayLayer;
    side->packed = through_dcc ? radeon_dcc_bits_format(image) : VK_FORMAT_UNDEFINED;
    if (side->element_B == 12)
        return; /* linear memory, and no format for stores: moved by rows */
    struct radeon_image_view view;
    radeon_image_view_init(cmd->device, &view,
                           &(const VkImageViewCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                               .image = radeon_image_to_handle(image),
                               .viewType = radeon_meta_view_type(side->shape),
                               .format = through_dcc ? side->packed : radeon_raw_format(side->element_B),
                               .subresourceRange = {.aspectMask = layers->aspectMask,
                                                    .baseMipLevel = layers->mipLevel,
                                                    .levelCount = 1,
                                                    .layerCount = VK_REMAINING_ARRAY_LAYERS},
                           },
                           &(const struct radeon_image_view_options){.no_compression = !through_dcc});
    memcpy(side->descriptor, through_dcc ? view.sampled[0] : view.storage[0], sizeof(side->descriptor));
}

/* The coordinate of an element: place plus first element, both of three components, and the sample. */
static struct ir_value *coordinate(struct ir_builder *b, enum radeon_meta_shape shape, struct ir_value *const at[3],
                                   uint32_t first_word, struct ir_value *sample)
{
    struct ir_value *parts[4];
    uint32_t count = 0;
    parts[count++] = ir_iadd(b, at[0], radeon_meta_push(b, first_word));
    if (shape != RADEON_META_1D)
        parts[count++] = ir_iadd(b, at[1], radeon_meta_push(b, first_word + 1));
    parts[count++] = ir_iadd(b, at[2], radeon_meta_push(b, first_word + 2));
    if (shape == RADEON_META_MS)
        parts[count++] = sample;
    return ir_vec(b, count, parts);
}

static struct ir_value *load_texel(struct ir_builder *b, uint32_t binding, enum radeon_meta_shape shape,
                                   struct ir_value *at)
{
    return ir_load_image(b, 32, 4, radeon_meta_image(b, binding), at, ir_const(b, 32, 0), radeon_meta_dim(shape),
                         shape != RADEON_META_3D, 0, 0);
}

/* The words of an element out of the channels of `format`. */
static void pack_words(struct ir_builder *b, struct ir_value *texel, VkFormat format, uint32_t count,
                       struct ir_value *words[4])
{
    const struct format_info *info = format_info((enum format)format);
    for (uint32_t i = 0; i < count; i++)
        words[i] = NULL;
    for (uint32_t i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        struct ir_value *value = ir_extract(b, texel, channel->component), **word = &words[channel->low_bit / 32];
        if (info->numeric == FORMAT_NUMERIC_SINT && channel->bits < 32)
            value = ir_iand(b, value, ir_const(b, 32, (uint32_t)bits_mask(channel->bits)));
        if (channel->low_bit % 32)
            value = ir_ishl(b, value, ir_const(b, 32, channel->low_bit % 32));
        *word = *word ? ir_ior(b, *word, value) : value;
    }
}

/* The words of an element that was loaded; `packed` as in struct side. Not before all loads are in flight. */
static void texel_words(struct ir_builder *b, struct ir_value *texel, VkFormat packed, uint32_t count,
                        struct ir_value *words[4])
{
    if (packed != VK_FORMAT_UNDEFINED) {
        pack_words(b, texel, packed, count, words);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        words[i] = ir_extract(b, texel, i);
}

static void store_texel(struct ir_builder *b, uint32_t binding, enum radeon_meta_shape shape, struct ir_value *at,
                        struct ir_value *texel)
{
    ir_store_image(b, texel, radeon_meta_image(b, binding), at, ir_const(b, 32, 0), radeon_meta_dim(shape),
                   shape != RADEON_META_3D, 0, 0);
}

/* ---- between memory and an image ---- */

struct memory_push {
    uint32_t extent[3]; /* elements */
    uint32_t first[3];
    uint32_t va_lo, va_hi;
    uint32_t row, slice; /* elements from one to the next */
};
enum {
    MEMORY_EXTENT = 0,
    MEMORY_FIRST = 3,
    MEMORY_VA = 6,
    MEMORY_ROW = 8,
    MEMORY_SLICE = 9
};

#define MEMORY_KEY(shape, element_B, packed) ((uint64_t)(packed) << 16 | (uint64_t)(shape) << 8 | (element_B))

/* Elements of a dword and more are dwords; smaller ones are one narrow value. */
static void element_type(uint32_t element_B, uint8_t *bits_out, uint8_t *comps_out)
{
    *bits_out = (uint8_t)(element_B < 4 ? element_B * 8 : 32);
    *comps_out = (uint8_t)(element_B < 4 ? 1 : element_B / 4);
}

struct memory_copy {
    enum radeon_meta_shape shape;
    uint32_t element_B;
    uint8_t bits, comps;
    VkFormat packed;
    struct radeon_meta_tile tile;
    struct ir_value *lane_B;                    /* the invocation's place in its workgroup */
    struct ir_value *row[RADEON_META_MAX_ROWS]; /* its address in each row of workgroups, of column 0 */
};

/* A buffer's offset promises no more than a dword. */
static uint32_t memory_align_B(const struct memory_copy *copy)
{
    return MIN2(copy->element_B, 4u);
}

/* va + element_B * (x + y * row + z * slice), whose index may need more than 32 bits in bytes but not in elements. What
 * all invocations share comes first; the columns of a tile are a constant apart. */
static struct ir_value *row_address(struct ir_builder *b, const struct memory_copy *copy, uint32_t row)
{
    const struct radeon_meta_tile *tile = &copy->tile;
    struct ir_value *y = ir_iadd(b, tile->corner[1], ir_const(b, 32, row * tile->size[1]));
    struct ir_value *index = ir_iadd(b, tile->corner[0], ir_imul(b, y, radeon_meta_push(b, MEMORY_ROW)));
    index = ir_iadd(b, index, ir_imul(b, tile->corner[2], radeon_meta_push(b, MEMORY_SLICE)));
    struct ir_value *offset = ir_imul(b, ir_u2u(b, 64, index), ir_const(b, 64, copy->element_B));
    struct ir_value *va = ir_load_push(b, 64, 1, ir_const(b, 32, 0), MEMORY_VA * 4, 4, 0);
    return ir_iadd(b, ir_iadd(b, va, offset), ir_u2u(b, 64, copy->lane_B));
}

static struct ir_value *lane_offset(struct ir_builder *b, const struct memory_copy *copy)
{
    const struct radeon_meta_tile *tile = &copy->tile;
    struct ir_value *index = ir_iadd(b, tile->local[0], ir_imul(b, tile->local[1], radeon_meta_push(b, MEMORY_ROW)));
    return ir_imul(b, index, ir_const(b, 32, copy->element_B));
}

static uint32_t column_B(const struct memory_copy *copy, uint32_t column)
{
    return column * copy->tile.size[0] * copy->element_B;
}

static struct ir_value *read_memory(struct ir_builder *b, const void *data, const struct radeon_meta_texel *texel)
{
    const struct memory_copy *copy = data;
    struct ir_value *loaded = ir_load_global(b, copy->bits, copy->comps, copy->row[texel->row],
                                             column_B(copy, texel->column), memory_align_B(copy), 0, 0);
    struct ir_value *words[4];
    for (uint32_t i = 0; i < copy->comps; i++)
        words[i] = ir_u2u(b, 32, ir_extract(b, loaded, i));
    return ir_vec(b, copy->comps, words);
}

static void write_texel(struct ir_builder *b, const void *data, const struct radeon_meta_texel *texel,
                        struct ir_value *value)
{
    const struct memory_copy *copy = data;
    store_texel(b, 0, copy->shape, coordinate(b, copy->shape, texel->at, MEMORY_FIRST, NULL), value);
}

static struct ir_value *read_texel(struct ir_builder *b, const void *data, const struct radeon_meta_texel *texel)
{
    const struct memory_copy *copy = data;
    return load_texel(b, 0, copy->shape, coordinate(b, copy->shape, texel->at, MEMORY_FIRST, NULL));
}

static void write_memory(struct ir_builder *b, const void *data, const struct radeon_meta_texel *texel,
                         struct ir_value *value)
{
    const struct memory_copy *copy = data;
    struct ir_value *words[4];
    texel_words(b, value, copy->packed, copy->comps, words);
    for (uint32_t i = 0; i < copy->comps; i++)
        words[i] = ir_u2u(b, copy->bits, words[i]);
    ir_store_global(b, ir_vec(b, copy->comps, words), copy->row[texel->row], column_B(copy, texel->column),
                    memory_align_B(copy), 0, 0);
}

static void build_memory_copy(struct ir_builder *b, uint64_t key)
{
    struct memory_copy copy = {
        .shape = key >> 8 & 0xff, .element_B = key & 0xff, .packed = (VkFormat)(key >> 16 & bits_mask(32))};
    element_type(copy.element_B, &copy.bits, &copy.comps);
    radeon_meta_tile_begin(b, &copy.tile, key, radeon_meta_layout_of(copy.shape));
    copy.lane_B = lane_offset(b, &copy);
    for (uint32_t i = 0; i < copy.tile.rows; i++)
        copy.row[i] = row_address(b, &copy, i);
    if (key >> 56 == RADEON_META_COPY_TO_IMAGE)
        radeon_meta_tile_end(b, &copy.tile, MEMORY_EXTENT, read_memory, write_texel, &copy);
    else
        radeon_meta_tile_end(b, &copy.tile, MEMORY_EXTENT, read_texel, write_memory, &copy);
}

/* 12-byte texels exist in linear images of one level only: rows of bytes on both sides. */
static void copy_rows(struct radeon_cmd_buffer *cmd, const struct side *side, const struct memory_push *push,
                      bool to_image)
{
    const struct radeon_surface *surface = radeon_image_surface_of(side->image, VK_IMAGE_ASPECT_COLOR_BIT);
    uint64_t base = radeon_image_surface_va(side->image, VK_IMAGE_ASPECT_COLOR_BIT);
    uint64_t memory = (uint64_t)push->va_hi << 32 | push->va_lo;
    for (uint32_t z = 0; z < push->extent[2]; z++) {
        for (uint32_t y = 0; y < push->extent[1]; y++) {
            /* The pitch of 12-byte elements counts dwords. */
            uint64_t in_image = base + (push->first[2] + z) * surface->slice_B +
                                (uint64_t)(push->first[1] + y) * surface->level_pitch[0] * 4 + push->first[0] * 12ull;
            uint64_t in_memory = memory + 12 * ((uint64_t)z * push->slice + (uint64_t)y * push->row);
            radeon_cp_copy(cmd, to_image ? in_image : in_memory, to_image ? in_memory : in_image,
                           push->extent[0] * 12ull);
        }
    }
}

/* A workgroup's rows lie within 32 bits of each other, or there is one. */
static void dispatch_memory_copy(struct radeon_cmd_buffer *cmd, const struct side *side, struct memory_push *push,
                                 bool to_image)
{
    if (push->extent[1] > 1 && push->row > UINT32_MAX / (8 * side->element_B)) {
        uint64_t va = (uint64_t)push->va_hi << 32 | push->va_lo;
        for (uint32_t y = 0; y < push->extent[1]; y++) {
            struct memory_push one = *push;
            uint64_t row_va = va + (uint64_t)y * push->row * side->element_B;
            one.extent[1] = 1;
            one.first[1] += y;
            one.va_lo = (uint32_t)row_va;
            one.va_hi = (uint32_t)(row_va >> 32);
            dispatch_memory_copy(cmd, side, &one, to_image);
        }
        return;
    }
    uint32_t groups[3];
    uint64_t key = RADEON_META_KEY(to_image ? RADEON_META_COPY_TO_IMAGE : RADEON_META_COPY_FROM_IMAGE,
                                   MEMORY_KEY(side->shape, side->element_B, side->packed));
    key |= radeon_meta_count_tiles(radeon_meta_layout_of(side->shape), push->extent, groups);
    radeon_meta_dispatch(cmd, radeon_meta_shader(cmd, key, build_memory_copy), &side->descriptor, 1, push,
                         sizeof(*push), groups);
}

static void copy_memory(struct radeon_cmd_buffer *cmd, struct vk_buffer *buffer, struct radeon_image *image,
                        const VkBufferImageCopy2 *region, VkImageLayout layout, bool to_image)
{
    struct side side;
    side_init(cmd, &side, image, &region->imageSubresource, region->imageOffset,
              !to_image && is_read_through_dcc(cmd, image, &region->imageSubresource, layout));
    /* The buffer's rows are given in texels, and are whole blocks. */
    uint32_t row_texels = region->bufferRowLength ? region->bufferRowLength : region->imageExtent.width;
    uint32_t slice_texels = region->bufferImageHeight ? region->bufferImageHeight : region->imageExtent.height;
    uint32_t row = (uint32_t)div_round_up(row_texels, side.block_w);
    uint64_t va = buffer->va + region->bufferOffset;
    bool is_3d = image->vk.type == VK_IMAGE_TYPE_3D;
    struct memory_push push = {
        .extent = {(uint32_t)div_round_up(region->imageExtent.width, side.block_w),
                   (uint32_t)div_round_up(region->imageExtent.height, side.block_h),
                   is_3d ? region->imageExtent.depth
                         : vk_image_copy_layer_count(&image->vk, &region->imageSubresource)},
        .first = {(uint32_t)side.x, (uint32_t)side.y, (uint32_t)side.z},
        .va_lo = (uint32_t)va,
        .va_hi = (uint32_t)(va >> 32),
        .row = row,
        .slice = row * (uint32_t)div_round_up(slice_texels, side.block_h),
    };
    if (side.element_B == 12) {
        copy_rows(cmd, &side, &push, to_image);
        return;
    }
    const struct radeon_meta_memory memory = {va, push.row, push.slice};
    if (side.packed == VK_FORMAT_UNDEFINED &&
        radeon_meta_copy_tiled(cmd, image, region->imageSubresource.aspectMask, region->imageSubresource.mipLevel,
                               push.first, push.extent, &memory, to_image))
        return;
    dispatch_memory_copy(cmd, &side, &push, to_image);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdCopyBufferToImage2(VkCommandBuffer handle, const VkCopyBufferToImageInfo2 *info)
{
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_memory(radeon_cmd_buffer_from_handle(handle), vk_buffer_from_handle(info->srcBuffer),
                    radeon_image_from_handle(info->dstImage), &info->pRegions[i], info->dstImageLayout, true);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdCopyImageToBuffer2(VkCommandBuffer handle, const VkCopyImageToBufferInfo2 *info)
{
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_memory(radeon_cmd_buffer_from_handle(handle), vk_buffer_from_handle(info->dstBuffer),
                    radeon_image_from_handle(info->srcImage), &info->pRegions[i], info->srcImageLayout, false);
}

/* ---- between two images ---- */

struct image_push {
    uint32_t extent[3]; /* elements; z counts layers or slices, times samples */
    uint32_t src[3], dst[3];
};
enum {
    IMAGE_EXTENT = 0,
    IMAGE_SRC = 3,
    IMAGE_DST = 6
};

#define IMAGE_KEY(src, dst, samples_log2, words, packed)                                                               \
    ((uint64_t)(packed) << 28 | (uint64_t)(words) << 24 | (uint64_t)(src) << 16 | (uint64_t)(dst) << 8 | (samples_log2))

struct image_copy {
    enum radeon_meta_shape src, dst;
    uint8_t words; /* of an element */
    VkFormat packed;
    struct ir_value *sample, *layer;
};

static struct ir_value *read_source(struct ir_builder *b, const void *data, const struct radeon_meta_texel *texel)
{
    const struct image_copy *copy = data;
    struct ir_value *place[3] = {texel->at[0], texel->at[1], copy->layer};
    return load_texel(b, 0, copy->src, coordinate(b, copy->src, place, IMAGE_SRC, copy->sample));
}

static void write_target(struct ir_builder *b, const void *data, const struct radeon_meta_texel *texel,
                         struct ir_value *value)
{
    const struct image_copy *copy = data;
    struct ir_value *place[3] = {texel->at[0], texel->at[1], copy->layer}, *words[4];
    texel_words(b, value, copy->packed, copy->words, words);
    store_texel(b, 1, copy->dst, coordinate(b, copy->dst, place, IMAGE_DST, copy->sample),
                ir_vec(b, copy->words, words));
}

static enum radeon_meta_layout image_copy_layout(enum radeon_meta_shape src, enum radeon_meta_shape dst)
{
    return src == RADEON_META_1D && dst == RADEON_META_1D ? RADEON_META_FLAT : RADEON_META_SQUARE;
}

static void build_image_copy(struct ir_builder *b, uint64_t key)
{
    struct image_copy copy = {.src = key >> 16 & 0xff,
                              .dst = key >> 8 & 0xff,
                              .words = key >> 24 & 0xf,
                              .packed = (VkFormat)(key >> 28 & bits_mask(27))};
    uint32_t samples_log2 = key & 0xff;
    struct radeon_meta_tile tile;
    radeon_meta_tile_begin(b, &tile, key, image_copy_layout(copy.src, copy.dst));
    copy.layer = tile.corner[2];
    if (samples_log2) {
        copy.sample = ir_iand(b, tile.corner[2], ir_const(b, 32, (1u << samples_log2) - 1));
        copy.layer = ir_ushr(b, tile.corner[2], ir_const(b, 32, samples_log2));
    }
    radeon_meta_tile_end(b, &tile, IMAGE_EXTENT, read_source, write_target, &copy);
}

static void copy_rows_of_images(struct radeon_cmd_buffer *cmd, const struct side *src, const struct side *dst,
                                const struct image_push *push)
{
    const struct radeon_surface *surface = radeon_image_surface_of(src->image, VK_IMAGE_ASPECT_COLOR_BIT);
    uint64_t base = radeon_image_surface_va(src->image, VK_IMAGE_ASPECT_COLOR_BIT) + push->src[2] * surface->slice_B +
                    push->src[1] * (uint64_t)surface->level_pitch[0] * 4 + push->src[0] * 12ull;
    const struct memory_push memory = {
        .extent = {push->extent[0], push->extent[1], 1},
        .first = {push->dst[0], push->dst[1], push->dst[2]},
    };
    for (uint32_t y = 0; y < push->extent[1]; y++) {
        uint64_t va = base + (uint64_t)y * surface->level_pitch[0] * 4;
        struct memory_push row = memory;
        row.extent[1] = 1;
        row.first[1] += y;
        row.va_lo = (uint32_t)va;
        row.va_hi = (uint32_t)(va >> 32);
        copy_rows(cmd, dst, &row, true);
    }
}

static void copy_region(struct radeon_cmd_buffer *cmd, struct radeon_image *src_image, struct radeon_image *dst_image,
                        const VkImageCopy2 *region, VkImageLayout src_layout, VkImageAspectFlagBits src_aspect,
                        VkImageAspectFlagBits dst_aspect)
{
    VkImageSubresourceLayers src_layers = region->srcSubresource, dst_layers = region->dstSubresource;
    src_layers.aspectMask = src_aspect;
    dst_layers.aspectMask = dst_aspect;
    struct side src, dst;
    side_init(cmd, &src, src_image, &src_layers, region->srcOffset,
              is_read_through_dcc(cmd, src_image, &src_layers, src_layout));
    side_init(cmd, &dst, dst_image, &dst_layers, region->dstOffset, false);
    /* Slices of a volume may become layers and the other way round. */
    uint32_t depth = src_image->vk.type == VK_IMAGE_TYPE_3D ? region->extent.depth
                     : dst_image->vk.type == VK_IMAGE_TYPE_3D
                         ? MAX2(region->extent.depth, vk_image_copy_layer_count(&src_image->vk, &src_layers))
                         : vk_image_copy_layer_count(&src_image->vk, &src_layers);
    uint32_t samples_log2 = log2_floor(src_image->vk.samples);
    const struct image_push push = {
        .extent = {(uint32_t)div_round_up(region->extent.width, src.block_w),
                   (uint32_t)div_round_up(region->extent.height, src.block_h), depth << samples_log2},
        .src = {(uint32_t)src.x, (uint32_t)src.y, (uint32_t)src.z},
        .dst = {(uint32_t)dst.x, (uint32_t)dst.y, (uint32_t)dst.z},
    };
    if (src.element_B == 12) {
        copy_rows_of_images(cmd, &src, &dst, &push);
        return;
    }
    if (src.packed == VK_FORMAT_UNDEFINED && radeon_meta_copy_raw(cmd, src_image, dst_image, region, push.extent))
        return;
    uint32_t descriptors[2][8], groups[3], words = MAX2(src.element_B / 4, 1u);
    memcpy(descriptors[0], src.descriptor, sizeof(src.descriptor));
    memcpy(descriptors[1], dst.descriptor, sizeof(dst.descriptor));
    uint64_t key =
        RADEON_META_KEY(RADEON_META_COPY_IMAGE, IMAGE_KEY(src.shape, dst.shape, samples_log2, words, src.packed));
    key |= radeon_meta_count_tiles(image_copy_layout(src.shape, dst.shape), push.extent, groups);
    radeon_meta_dispatch(cmd, radeon_meta_shader(cmd, key, build_image_copy), descriptors, 2, &push, sizeof(push),
                         groups);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdCopyImage2(VkCommandBuffer handle, const VkCopyImageInfo2 *info)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_image *src = radeon_image_from_handle(info->srcImage),
                        *dst = radeon_image_from_handle(info->dstImage);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkImageCopy2 *region = &info->pRegions[i];
        /* Aspects of depth and stencil come in pairs; a plane may meet another plane or a whole colour image. */
        VkImageAspectFlags src_left = region->srcSubresource.aspectMask, dst_left = region->dstSubresource.aspectMask;
        while (src_left && dst_left) {
            VkImageAspectFlagBits src_aspect = src_left & -src_left, dst_aspect = dst_left & -dst_left;
            copy_region(cmd, src, dst, region, info->srcImageLayout, src_aspect, dst_aspect);
            src_left &= ~src_aspect;
            dst_left &= ~dst_aspect;
        }
    }
}
