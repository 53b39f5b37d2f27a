/* Fills, updates and copies of buffers. A few words are stored by the command stream itself; all else is a dispatch
 * that moves the largest elements that addresses and size allow, 16 bytes of a thread at most. */
#include "mali/driver/transfer.h"

#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/meta.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"
#include "vulkan/runtime/memory/vk_buffer.h"

enum {
    MAX_ELEMENT_B = 16,
    MAX_STREAM_B = 64, /* what the stream stores by itself: 16 registers */
};
#define MAX_DISPATCH_B (1ull << 31)

/* ---- shaders ---- */

struct push {
    uint32_t extent[3]; /* elements; 1; 1 */
    uint32_t value;     /* of a fill */
    uint32_t dst[2], src[2];
};
enum {
    PUSH_EXTENT = 0,
    PUSH_VALUE = 3,
    PUSH_DST = 4,
    PUSH_SRC = 6,
};

#define KEY_ELEMENT 0xff /* its logarithm */

struct transfer {
    struct vk_meta_tile tile;
    uint32_t element_B;
    uint8_t bits, comps;
    struct ir_value *value;
};

static struct ir_value *address(struct ir_builder *b, const struct transfer *transfer, uint32_t va_word,
                                const struct vk_meta_texel *texel)
{
    struct ir_value *offset_B = ir_imul(b, texel->at[0], ir_const(b, 32, transfer->element_B));
    return ir_iadd(b, vk_meta_push64(b, va_word), ir_u2u(b, 64, offset_B));
}

static struct ir_value *read_element(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel)
{
    const struct transfer *transfer = data;
    return ir_load_global(b, transfer->bits, transfer->comps, address(b, transfer, PUSH_SRC, texel), 0,
                          transfer->element_B, 0, 0);
}

static void write_element(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                          struct ir_value *value)
{
    const struct transfer *transfer = data;
    ir_store_global(b, value ? value : transfer->value, address(b, transfer, PUSH_DST, texel), 0, transfer->element_B,
                    0, 0);
}

static void build_shader(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    const bool is_copy = key >> 56 == MALI_META_COPY_BUFFER;
    const uint32_t element_B = 1u << (key & KEY_ELEMENT);
    struct transfer transfer = {
        .element_B = element_B, .bits = (uint8_t)(8 * MIN2(element_B, 4u)), .comps = (uint8_t)MAX2(element_B / 4, 1u)};
    vk_meta_tile_begin(b, &transfer.tile, key, VK_META_STREAM);
    if (!is_copy) {
        struct ir_value *word = vk_meta_push(b, PUSH_VALUE), *words[4] = {word, word, word, word};
        transfer.value = transfer.comps > 1 ? ir_vec(b, transfer.comps, words) : word;
    }
    vk_meta_tile_end(b, &transfer.tile, PUSH_EXTENT, is_copy ? read_element : NULL, write_element, &transfer);
}

/* The largest element that these are multiples of, as a logarithm. */
static uint32_t element_log2(uint64_t bits)
{
    return (uint32_t)__builtin_ctzll(bits | MAX_ELEMENT_B);
}

static void dispatch(struct mali_cmd_buffer *cmd, uint64_t operation, uint64_t dst_va, uint64_t src_va, uint64_t size_B,
                     uint32_t value)
{
    const uint32_t log2 = element_log2(dst_va | src_va | size_B);
    while (size_B) {
        const uint64_t some_B = MIN2(size_B, MAX_DISPATCH_B);
        const struct push push = {
            .extent = {(uint32_t)(some_B >> log2), 1, 1},
            .value = value,
            .dst = {(uint32_t)dst_va, (uint32_t)(dst_va >> 32)},
            .src = {(uint32_t)src_va, (uint32_t)(src_va >> 32)},
        };
        uint32_t groups[3];
        const uint64_t key = VK_META_KEY(operation, log2 | vk_meta_count_tiles(VK_META_STREAM, push.extent, groups));
        vk_meta_dispatch(&cmd->vk, vk_meta_shader(&cmd->vk, key, build_shader), NULL, 0, &push, sizeof(push), groups);
        dst_va += some_B;
        src_va += some_B;
        size_B -= some_B;
    }
}

/* ---- by the stream ---- */

/* Words, of which NULL is the same value again and again. */
static void store_words(struct mali_cmd_buffer *cmd, uint64_t va, uint32_t count, const uint32_t *words, uint32_t value)
{
    struct mali_cmd_stream *part = &cmd->streams[MALI_COMPUTE];
    const struct mali_d address_reg = mali_scratch_pair(0);
    mali_settle_new_images(cmd);
    mali_set64(&part->s, address_reg, va);
    for (uint32_t i = 0; i < count; i++)
        mali_set32(&part->s, mali_scratch(2 + i), words ? words[i] : value);
    mali_put_store(&part->s, mali_scratch(2), (uint16_t)((1u << count) - 1), address_reg, 0);
    part->is_unflushed = true;
}

/* ---- for everyone ---- */

void mali_cmd_fill(struct mali_cmd_buffer *cmd, uint64_t va, uint64_t size_B, uint32_t value)
{
    if (size_B && size_B <= MAX_STREAM_B)
        store_words(cmd, va, (uint32_t)size_B / 4, NULL, value);
    else
        dispatch(cmd, MALI_META_FILL_BUFFER, va, 0, size_B, value);
}

static void mali_cmd_copy(struct mali_cmd_buffer *cmd, uint64_t dst_va, uint64_t src_va, uint64_t size_B)
{
    dispatch(cmd, MALI_META_COPY_BUFFER, dst_va, src_va, size_B, 0);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2 *info)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    const uint64_t src_va = vk_buffer_from_handle(info->srcBuffer)->va,
                   dst_va = vk_buffer_from_handle(info->dstBuffer)->va;
    for (uint32_t i = 0; i < info->regionCount; i++)
        mali_cmd_copy(cmd, dst_va + info->pRegions[i].dstOffset, src_va + info->pRegions[i].srcOffset,
                      info->pRegions[i].size);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B,
                                                VkDeviceSize size_B, const void *data)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    const uint64_t dst_va = vk_buffer_from_handle(buffer)->va + offset_B;
    if (size_B <= MAX_STREAM_B) {
        store_words(cmd, dst_va, (uint32_t)size_B / 4, data, 0);
        return;
    }
    uint64_t va;
    void *map = mali_cmd_upload(cmd, (uint32_t)size_B, MAX_ELEMENT_B, &va);
    if (!map)
        return;
    memcpy(map, data, size_B);
    mali_cmd_copy(cmd, dst_va, va, size_B);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdFillBuffer(VkCommandBuffer handle, VkBuffer buffer_handle, VkDeviceSize offset_B,
                                              VkDeviceSize range_B, uint32_t value)
{
    const struct vk_buffer *buffer = vk_buffer_from_handle(buffer_handle);
    mali_cmd_fill(mali_cmd_buffer_from_handle(handle), buffer->va + offset_B,
                  vk_buffer_range(buffer, offset_B, range_B) & ~3ull, value);
}
