/* Buffers by the 2D engine: copies, fills, updates; and copies between buffers and images. Bytes of memory are rows of
 * elements. Rows whose pitch or address the engine cannot take are copied one by one. */
#include "adreno/driver/transfer.h"

#include "adreno/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_buffer.h"

void adreno_cmd_a2d(struct adreno_cmd_buffer *cmd, const struct adreno_a2d *op)
{
    adreno_emit_due(cmd, &cmd->cs);
    adreno_cs_reserve(&cmd->cs, ADRENO_A2D_DW);
    adreno_emit_a2d(&cmd->cs, cmd->device->chip, op);
}

/* ---- buffers ---- */

/* The largest element that addresses and the size are multiples of. */
static uint32_t element_of(uint64_t bits)
{
    const unsigned log2 = bits & 15 ? (unsigned)__builtin_ctzll(bits) : 4;
    return 1u << log2;
}

static void copy_bytes(struct adreno_cmd_buffer *cmd, uint64_t dst_va, uint64_t src_va, uint64_t size_B)
{
    const uint32_t element_B = element_of(dst_va | src_va | size_B);
    while (size_B) {
        uint32_t dst_x, src_x;
        struct adreno_a2d op = {.has_source = true};
        op.dst = adreno_a2d_row(dst_va, element_B, &dst_x);
        op.src = adreno_a2d_row(src_va, element_B, &src_x);
        const uint32_t count = (uint32_t)MIN2(size_B / element_B, (uint64_t)(ADRENO_A2D_MAX_ROW - MAX2(dst_x, src_x)));
        op.x0 = dst_x;
        op.x1 = dst_x + count;
        op.src_x0 = src_x;
        op.src_x1 = src_x + count;
        op.y1 = op.src_y1 = 1;
        adreno_cmd_a2d(cmd, &op);
        dst_va += (uint64_t)count * element_B;
        src_va += (uint64_t)count * element_B;
        size_B -= (uint64_t)count * element_B;
    }
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2 *info)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const uint64_t src_va = vk_buffer_from_handle(info->srcBuffer)->va,
                   dst_va = vk_buffer_from_handle(info->dstBuffer)->va;
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_bytes(cmd, dst_va + info->pRegions[i].dstOffset, src_va + info->pRegions[i].srcOffset,
                   info->pRegions[i].size);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B,
                                                  VkDeviceSize size_B, const void *data)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    uint64_t va;
    void *map = adreno_cmd_upload(cmd, (uint32_t)size_B, ADRENO_A2D_ALIGN_B, &va);
    if (!map)
        return;
    memcpy(map, data, size_B);
    copy_bytes(cmd, vk_buffer_from_handle(buffer)->va + offset_B, va, size_B);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdFillBuffer(VkCommandBuffer handle, VkBuffer buffer_handle, VkDeviceSize offset_B,
                                                VkDeviceSize range_B, uint32_t value)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const struct vk_buffer *buffer = vk_buffer_from_handle(buffer_handle);
    uint64_t va = buffer->va + offset_B, left = vk_buffer_range(buffer, offset_B, range_B) / 4;
    while (left) {
        struct adreno_a2d op = {.color = {value, 0, 0, 0}, .y1 = 1};
        op.dst = adreno_a2d_row(va, 4, &op.x0);
        const uint32_t count = (uint32_t)MIN2(left, (uint64_t)(ADRENO_A2D_MAX_ROW - op.x0));
        op.x1 = op.x0 + count;
        adreno_cmd_a2d(cmd, &op);
        va += 4ull * count;
        left -= count;
    }
}

/* ---- between buffers and images ---- */

struct memory_copy {
    const struct adreno_image *image;
    VkImageAspectFlags aspect;
    uint32_t level, first_layer;
    uint32_t x, y, width, height, layers; /* elements; layers or slices */
    struct adreno_bits_format bits;
    uint64_t va;
    uint64_t row_B, layer_B;
    bool to_image;
};

static struct adreno_target memory_side(const struct memory_copy *copy, uint64_t va, uint32_t pitch_B)
{
    const struct adreno_format *hw = adreno_format_find(copy->bits.memory);
    return (struct adreno_target){
        .va = va,
        .pitch_B = pitch_B,
        .width = copy->width,
        .height = copy->height,
        .format = copy->to_image ? adreno_bits_source(copy->bits.memory) : copy->bits.memory,
        .swap = copy->bits.swap,
        .sample_B = copy->bits.element_B,
        .is_uint = hw->numeric == ADRENO_NUMERIC_UINT,
        .is_sint = hw->numeric == ADRENO_NUMERIC_SINT,
    };
}

/* `rows` rows of a layer, whose first element in memory is `skip` elements after the side's address. */
static void copy_rows(struct adreno_cmd_buffer *cmd, const struct memory_copy *copy, const struct adreno_target *image,
                      const struct adreno_target *memory, uint32_t skip, uint32_t y, uint32_t rows)
{
    struct adreno_a2d op = {.has_source = true, .keep = copy->to_image ? copy->bits.keep : ADRENO_A2D_ALL};
    op.dst = copy->to_image ? *image : *memory;
    op.src = copy->to_image ? *memory : *image;
    op.x0 = copy->to_image ? copy->x : skip;
    op.y0 = copy->to_image ? y : 0;
    op.src_x0 = copy->to_image ? skip : copy->x;
    op.src_y0 = copy->to_image ? 0 : y;
    op.x1 = op.x0 + copy->width;
    op.y1 = op.y0 + rows;
    op.src_x1 = op.src_x0 + copy->width;
    op.src_y1 = op.src_y0 + rows;
    adreno_cmd_a2d(cmd, &op);
}

static void copy_layer(struct adreno_cmd_buffer *cmd, const struct memory_copy *copy, uint32_t layer)
{
    const struct adreno_target image = adreno_bits_target(copy->image, copy->aspect, copy->level,
                                                          copy->first_layer + layer, &copy->bits, !copy->to_image);
    const uint64_t va = copy->va + layer * copy->layer_B;
    if (va % ADRENO_A2D_ALIGN_B == 0 && copy->row_B % ADRENO_A2D_ALIGN_B == 0 && copy->row_B <= 0xffff * 64) {
        const struct adreno_target memory = memory_side(copy, va, (uint32_t)copy->row_B);
        copy_rows(cmd, copy, &image, &memory, 0, copy->y, copy->height);
        return;
    }
    for (uint32_t row = 0; row < copy->height; row++) {
        const uint64_t row_va = va + row * copy->row_B;
        const uint32_t extra_B = row_va % ADRENO_A2D_ALIGN_B, skip = extra_B / copy->bits.element_B;
        struct adreno_target memory = memory_side(copy, row_va - extra_B, ADRENO_A2D_ALIGN_B);
        memory.width += skip;
        memory.height = 1;
        copy_rows(cmd, copy, &image, &memory, skip, copy->y + row, 1);
    }
}

static void copy_region(struct adreno_cmd_buffer *cmd, struct adreno_image *image, uint64_t buffer_va,
                        const VkBufferImageCopy2 *region, bool to_image)
{
    const VkImageSubresourceLayers *at = &region->imageSubresource;
    const unsigned plane = adreno_image_plane_index(image, at->aspectMask);
    const VkFormat format = image->planes[plane].format;
    const struct format_info *info = format_info((enum format)format);
    const uint32_t bw = info->block_width, bh = info->block_height;
    const bool is_volume = image->vk.type == VK_IMAGE_TYPE_3D;
    struct memory_copy copy = {
        .image = image,
        .aspect = at->aspectMask,
        .level = at->mipLevel,
        .first_layer = is_volume ? (uint32_t)region->imageOffset.z : at->baseArrayLayer,
        .x = (uint32_t)region->imageOffset.x / bw,
        .y = (uint32_t)region->imageOffset.y / bh,
        .width = (uint32_t)div_round_up(region->imageExtent.width, bw),
        .height = (uint32_t)div_round_up(region->imageExtent.height, bh),
        .layers = is_volume ? region->imageExtent.depth : vk_image_copy_layer_count(&image->vk, at),
        .bits = adreno_bits_format(format, at->aspectMask, image->planes[plane].surface.has_ubwc),
        .va = buffer_va + region->bufferOffset,
        .to_image = to_image,
    };
    const uint32_t row = region->bufferRowLength ? region->bufferRowLength : region->imageExtent.width;
    const uint32_t height = region->bufferImageHeight ? region->bufferImageHeight : region->imageExtent.height;
    copy.row_B = div_round_up(row, bw) * copy.bits.element_B;
    copy.layer_B = copy.row_B * div_round_up(height, bh);
    for (uint32_t layer = 0; layer < copy.layers; layer++)
        copy_layer(cmd, &copy, layer);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdCopyBufferToImage2(VkCommandBuffer handle, const VkCopyBufferToImageInfo2 *info)
{
    const uint64_t va = vk_buffer_from_handle(info->srcBuffer)->va;
    adreno_lrz_forget(adreno_cmd_buffer_from_handle(handle), adreno_image_from_handle(info->dstImage),
                      VK_IMAGE_ASPECT_DEPTH_BIT);
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_region(adreno_cmd_buffer_from_handle(handle), adreno_image_from_handle(info->dstImage), va,
                    &info->pRegions[i], true);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdCopyImageToBuffer2(VkCommandBuffer handle, const VkCopyImageToBufferInfo2 *info)
{
    const uint64_t va = vk_buffer_from_handle(info->dstBuffer)->va;
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_region(adreno_cmd_buffer_from_handle(handle), adreno_image_from_handle(info->srcImage), va,
                    &info->pRegions[i], false);
}
