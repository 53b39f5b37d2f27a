/* Copies of images by compute: elements are moved as unsigned integers of their size, so that every format, every
 * aspect and blocks of compressed texels are the same work. A buffer's side is plain memory; an image's side is a view
 * of one level with all its layers. */
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_image.h"

/* ---- one side of a copy that is an image ---- */

/* Texels of an element. */
struct block {
    uint32_t width, height;
};

static struct block side_init(struct vk_meta_side *side, struct vk_image *image, const VkImageSubresourceLayers *layers,
                              VkImageAspectFlagBits aspect, VkOffset3D offset, VkImageLayout layout)
{
    const struct format_info *info = format_info((enum format)vk_aspect_format(image->format, aspect));
    *side = (struct vk_meta_side){
        .image = image,
        .aspect = aspect,
        .level = layers->mipLevel,
        .layout = layout,
        .shape = vk_meta_shape(image),
        .element_B = info->block_size_B,
        .first = {(uint32_t)offset.x / info->block_width, (uint32_t)offset.y / info->block_height,
                  image->type == VK_IMAGE_TYPE_3D ? (uint32_t)offset.z : layers->baseArrayLayer},
    };
    return (struct block){info->block_width, info->block_height};
}

static void read_side(const struct vk_command_buffer *cmd, struct vk_meta_side *side)
{
    const struct vk_meta_ops *ops = vk_meta_ops_of(cmd);
    if (ops->read_format)
        side->read_format = ops->read_format(cmd, side->image, side->level, side->layout);
}

struct vk_meta_binding vk_meta_bind_side(const struct vk_meta_side *side)
{
    bool is_plain = side->read_format == VK_FORMAT_UNDEFINED;
    return (struct vk_meta_binding){
        is_plain ? VK_META_STORAGE_IMAGE : VK_META_LOADED_IMAGE,
        .view = {.image = side->image,
                 .aspects = side->aspect,
                 .format = is_plain ? vk_meta_raw_format(side->element_B) : side->read_format,
                 .type = vk_meta_view_type(side->shape),
                 .level = side->level,
                 .layers = VK_REMAINING_ARRAY_LAYERS},
    };
}

static uint32_t elements(uint32_t texels, uint32_t block)
{
    return (uint32_t)div_round_up(texels, block);
}

/* The coordinate of an element: place plus first element, both of three components, and the sample. */
static struct ir_value *coordinate(struct ir_builder *b, enum vk_meta_shape shape, struct ir_value *const at[3],
                                   uint32_t first_word, struct ir_value *sample)
{
    struct ir_value *place[3];
    for (uint32_t i = 0; i < 3; i++)
        place[i] = i == 1 && shape == VK_META_1D ? NULL : ir_iadd(b, at[i], vk_meta_push(b, first_word + i));
    return vk_meta_coordinate(b, shape, place, sample);
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

void vk_meta_texel_words(struct ir_builder *b, struct ir_value *texel, VkFormat packed, uint32_t count,
                         struct ir_value *words[4])
{
    if (packed != VK_FORMAT_UNDEFINED) {
        pack_words(b, texel, packed, count, words);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        words[i] = ir_extract(b, texel, i);
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
    enum vk_meta_shape shape;
    uint32_t element_B;
    uint8_t bits, comps;
    VkFormat packed;
    struct vk_meta_tile tile;
    struct ir_value *lane_B;                /* the invocation's place in its workgroup */
    struct ir_value *row[VK_META_MAX_ROWS]; /* its address in each row of workgroups, of column 0 */
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
    const struct vk_meta_tile *tile = &copy->tile;
    struct ir_value *y = ir_iadd(b, tile->corner[1], ir_const(b, 32, row * tile->size[1]));
    struct ir_value *index = ir_iadd(b, tile->corner[0], ir_imul(b, y, vk_meta_push(b, MEMORY_ROW)));
    index = ir_iadd(b, index, ir_imul(b, tile->corner[2], vk_meta_push(b, MEMORY_SLICE)));
    struct ir_value *offset = ir_imul(b, ir_u2u(b, 64, index), ir_const(b, 64, copy->element_B));
    struct ir_value *va = ir_load_push(b, 64, 1, ir_const(b, 32, 0), MEMORY_VA * 4, 4, 0);
    return ir_iadd(b, ir_iadd(b, va, offset), ir_u2u(b, 64, copy->lane_B));
}

static struct ir_value *lane_offset(struct ir_builder *b, const struct memory_copy *copy)
{
    const struct vk_meta_tile *tile = &copy->tile;
    struct ir_value *index = ir_iadd(b, tile->local[0], ir_imul(b, tile->local[1], vk_meta_push(b, MEMORY_ROW)));
    return ir_imul(b, index, ir_const(b, 32, copy->element_B));
}

static uint32_t column_B(const struct memory_copy *copy, uint32_t column)
{
    return column * copy->tile.size[0] * copy->element_B;
}

static struct ir_value *read_memory(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel)
{
    const struct memory_copy *copy = data;
    struct ir_value *loaded = ir_load_global(b, copy->bits, copy->comps, copy->row[texel->row],
                                             column_B(copy, texel->column), memory_align_B(copy), 0, 0);
    struct ir_value *words[4];
    for (uint32_t i = 0; i < copy->comps; i++)
        words[i] = ir_u2u(b, 32, ir_extract(b, loaded, i));
    return ir_vec(b, copy->comps, words);
}

static void write_texel(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                        struct ir_value *value)
{
    const struct memory_copy *copy = data;
    vk_meta_store(b, 0, copy->shape, coordinate(b, copy->shape, texel->at, MEMORY_FIRST, NULL), value);
}

static struct ir_value *read_texel(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel)
{
    const struct memory_copy *copy = data;
    return vk_meta_load(b, 0, copy->shape, coordinate(b, copy->shape, texel->at, MEMORY_FIRST, NULL));
}

static void write_memory(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                         struct ir_value *value)
{
    const struct memory_copy *copy = data;
    struct ir_value *words[4];
    vk_meta_texel_words(b, value, copy->packed, copy->comps, words);
    for (uint32_t i = 0; i < copy->comps; i++)
        words[i] = ir_u2u(b, copy->bits, words[i]);
    ir_store_global(b, ir_vec(b, copy->comps, words), copy->row[texel->row], column_B(copy, texel->column),
                    memory_align_B(copy), 0, 0);
}

static void build_memory_copy(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct memory_copy copy = {
        .shape = key >> 8 & 0xff, .element_B = key & 0xff, .packed = (VkFormat)(key >> 16 & bits_mask(32))};
    element_type(copy.element_B, &copy.bits, &copy.comps);
    vk_meta_tile_begin(b, &copy.tile, key, vk_meta_layout_of(copy.shape));
    copy.lane_B = lane_offset(b, &copy);
    for (uint32_t i = 0; i < copy.tile.rows; i++)
        copy.row[i] = row_address(b, &copy, i);
    if (key >> 56 == VK_META_COPY_TO_IMAGE)
        vk_meta_tile_end(b, &copy.tile, MEMORY_EXTENT, read_memory, write_texel, &copy);
    else
        vk_meta_tile_end(b, &copy.tile, MEMORY_EXTENT, read_texel, write_memory, &copy);
}

/* A workgroup's rows lie within 32 bits of each other, or there is one. */
static void dispatch_memory_copy(struct vk_command_buffer *cmd, const struct vk_meta_memory_copy *copy)
{
    const struct vk_meta_side *image = &copy->image;
    if (copy->extent[1] > 1 && copy->row > UINT32_MAX / (8 * image->element_B)) {
        for (uint32_t y = 0; y < copy->extent[1]; y++) {
            struct vk_meta_memory_copy one = *copy;
            one.extent[1] = 1;
            one.image.first[1] += y;
            one.va += (uint64_t)y * copy->row * image->element_B;
            dispatch_memory_copy(cmd, &one);
        }
        return;
    }
    const struct memory_push push = {
        .extent = {copy->extent[0], copy->extent[1], copy->extent[2]},
        .first = {image->first[0], image->first[1], image->first[2]},
        .va_lo = (uint32_t)copy->va,
        .va_hi = (uint32_t)(copy->va >> 32),
        .row = copy->row,
        .slice = copy->slice,
    };
    const struct vk_meta_binding binding = vk_meta_bind_side(image);
    uint32_t groups[3];
    uint64_t key = VK_META_KEY(copy->to_image ? VK_META_COPY_TO_IMAGE : VK_META_COPY_FROM_IMAGE,
                               MEMORY_KEY(image->shape, image->element_B, image->read_format));
    key |= vk_meta_count_tiles(vk_meta_layout_of(image->shape), push.extent, groups);
    vk_meta_dispatch(cmd, vk_meta_shader(cmd, key, build_memory_copy), &binding, 1, &push, sizeof(push), groups);
}

void vk_meta_copy_memory(struct vk_command_buffer *cmd, const struct vk_meta_memory_copy *copy)
{
    const struct vk_meta_ops *ops = vk_meta_ops_of(cmd);
    if (!ops->copy_memory || !ops->copy_memory(cmd, copy))
        dispatch_memory_copy(cmd, copy);
}

static void copy_memory(VkCommandBuffer handle, VkBuffer buffer, VkImage image_handle, const VkBufferImageCopy2 *region,
                        VkImageLayout layout, bool to_image)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    struct vk_image *image = vk_image_from_handle(image_handle);
    const VkImageSubresourceLayers *layers = &region->imageSubresource;
    const VkExtent3D *extent = &region->imageExtent;
    struct vk_meta_memory_copy copy;
    struct block block = side_init(&copy.image, image, layers, layers->aspectMask, region->imageOffset, layout);
    if (!to_image)
        read_side(cmd, &copy.image);
    /* The buffer's rows are given in texels, and are whole blocks. */
    uint32_t row_texels = region->bufferRowLength ? region->bufferRowLength : extent->width,
             slice_texels = region->bufferImageHeight ? region->bufferImageHeight : extent->height;
    copy.extent[0] = elements(extent->width, block.width);
    copy.extent[1] = elements(extent->height, block.height);
    copy.extent[2] = image->type == VK_IMAGE_TYPE_3D ? extent->depth : vk_image_copy_layer_count(image, layers);
    copy.va = vk_buffer_from_handle(buffer)->va + region->bufferOffset;
    copy.row = elements(row_texels, block.width);
    copy.slice = copy.row * elements(slice_texels, block.height);
    copy.to_image = to_image;
    vk_meta_copy_memory(cmd, &copy);
}

VKAPI_ATTR void VKAPI_CALL vk_meta_CmdCopyBufferToImage2(VkCommandBuffer handle, const VkCopyBufferToImageInfo2 *info)
{
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_memory(handle, info->srcBuffer, info->dstImage, &info->pRegions[i], info->dstImageLayout, true);
}

VKAPI_ATTR void VKAPI_CALL vk_meta_CmdCopyImageToBuffer2(VkCommandBuffer handle, const VkCopyImageToBufferInfo2 *info)
{
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_memory(handle, info->dstBuffer, info->srcImage, &info->pRegions[i], info->srcImageLayout, false);
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
    enum vk_meta_shape src, dst;
    uint8_t words; /* of an element */
    VkFormat packed;
    struct ir_value *sample, *layer;
};

static struct ir_value *read_source(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel)
{
    const struct image_copy *copy = data;
    struct ir_value *place[3] = {texel->at[0], texel->at[1], copy->layer};
    return vk_meta_load(b, 0, copy->src, coordinate(b, copy->src, place, IMAGE_SRC, copy->sample));
}

static void write_target(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                         struct ir_value *value)
{
    const struct image_copy *copy = data;
    struct ir_value *place[3] = {texel->at[0], texel->at[1], copy->layer}, *words[4];
    vk_meta_texel_words(b, value, copy->packed, copy->words, words);
    vk_meta_store(b, 1, copy->dst, coordinate(b, copy->dst, place, IMAGE_DST, copy->sample),
                  ir_vec(b, copy->words, words));
}

static enum vk_meta_layout image_copy_layout(enum vk_meta_shape src, enum vk_meta_shape dst)
{
    return src == VK_META_1D && dst == VK_META_1D ? VK_META_FLAT : VK_META_SQUARE;
}

static void build_image_copy(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct image_copy copy = {.src = key >> 16 & 0xff,
                              .dst = key >> 8 & 0xff,
                              .words = key >> 24 & 0xf,
                              .packed = (VkFormat)(key >> 28 & bits_mask(27))};
    uint32_t samples_log2 = key & 0xff;
    struct vk_meta_tile tile;
    vk_meta_tile_begin(b, &tile, key, image_copy_layout(copy.src, copy.dst));
    vk_meta_split_samples(b, tile.corner[2], samples_log2, &copy.layer, &copy.sample);
    vk_meta_tile_end(b, &tile, IMAGE_EXTENT, read_source, write_target, &copy);
}

static void dispatch_image_copy(struct vk_command_buffer *cmd, const struct vk_meta_image_copy *copy)
{
    const struct vk_meta_side *src = &copy->src, *dst = &copy->dst;
    uint32_t samples_log2 = log2_floor(src->image->samples), words = MAX2(src->element_B / 4, 1u), groups[3];
    const struct image_push push = {
        .extent = {copy->extent[0], copy->extent[1], copy->extent[2] << samples_log2},
        .src = {src->first[0], src->first[1], src->first[2]},
        .dst = {dst->first[0], dst->first[1], dst->first[2]},
    };
    const struct vk_meta_binding bindings[] = {vk_meta_bind_side(src), vk_meta_bind_side(dst)};
    uint64_t key =
        VK_META_KEY(VK_META_COPY_IMAGE, IMAGE_KEY(src->shape, dst->shape, samples_log2, words, src->read_format));
    key |= vk_meta_count_tiles(image_copy_layout(src->shape, dst->shape), push.extent, groups);
    vk_meta_dispatch(cmd, vk_meta_shader(cmd, key, build_image_copy), bindings, ARRAY_SIZE(bindings), &push,
                     sizeof(push), groups);
}

/* Slices of a volume may become layers and the other way round. */
static uint32_t copied_layers(const struct vk_image *src, const struct vk_image *dst, const VkImageCopy2 *region)
{
    uint32_t layers = vk_image_copy_layer_count(src, &region->srcSubresource);
    if (src->type == VK_IMAGE_TYPE_3D)
        return region->extent.depth;
    return dst->type == VK_IMAGE_TYPE_3D ? MAX2(region->extent.depth, layers) : layers;
}

static void copy_region(struct vk_command_buffer *cmd, const VkCopyImageInfo2 *info, const VkImageCopy2 *region,
                        VkImageAspectFlagBits src_aspect, VkImageAspectFlagBits dst_aspect)
{
    struct vk_image *src = vk_image_from_handle(info->srcImage), *dst = vk_image_from_handle(info->dstImage);
    struct vk_meta_image_copy copy;
    struct block block =
        side_init(&copy.src, src, &region->srcSubresource, src_aspect, region->srcOffset, info->srcImageLayout);
    side_init(&copy.dst, dst, &region->dstSubresource, dst_aspect, region->dstOffset, info->dstImageLayout);
    read_side(cmd, &copy.src);
    copy.extent[0] = elements(region->extent.width, block.width);
    copy.extent[1] = elements(region->extent.height, block.height);
    copy.extent[2] = copied_layers(src, dst, region);
    const struct vk_meta_ops *ops = vk_meta_ops_of(cmd);
    if (!ops->copy_image || !ops->copy_image(cmd, &copy))
        dispatch_image_copy(cmd, &copy);
}

VKAPI_ATTR void VKAPI_CALL vk_meta_CmdCopyImage2(VkCommandBuffer handle, const VkCopyImageInfo2 *info)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkImageCopy2 *region = &info->pRegions[i];
        /* Aspects of depth and stencil come in pairs; a plane may meet another plane or a whole colour image. */
        VkImageAspectFlags src_left = region->srcSubresource.aspectMask, dst_left = region->dstSubresource.aspectMask;
        while (src_left && dst_left) {
            VkImageAspectFlagBits src_aspect = src_left & -src_left, dst_aspect = dst_left & -dst_left;
            copy_region(cmd, info, region, src_aspect, dst_aspect);
            src_left &= ~src_aspect;
            dst_left &= ~dst_aspect;
        }
    }
}
