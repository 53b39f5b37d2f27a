/* Copies and fills by the command processor's own DMA, and small writes out of the stream itself. It reads and writes
 * through L2, as shaders do. It runs beside draws and dispatches: work that depends on it must wait
 * (radeon_cp_writes_wait). On a transfer queue the system's DMA engine does all of it (radeon_dma.h). */
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_dma.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_memory.h"
#include "util/bits.h"

enum {
    MAX_PIECE_B = (1 << 26) - 64, /* of BYTE_COUNT's 26 bits, a multiple of the cache line */
    MAX_INLINE_DW = 1024,         /* of an update's data in one packet */
};

static void before(struct radeon_cmd_buffer *cmd)
{
    radeon_emit_due(cmd);
    cmd->pending_writes_by_cp = true;
}

void radeon_cp_writes_wait(struct radeon_cmd_buffer *cmd)
{
    if (!cmd->pending_writes_by_cp)
        return;
    cmd->pending_writes_by_cp = false;
    radeon_cs_reserve(&cmd->cs, AMD_PKT_DMA_DATA_DW);
    /* A transfer of nothing that the processor waits for waits for those before it. */
    RADEON_PACKET(&cmd->cs, DMA_DATA, .CP_SYNC = true);
}

void radeon_cp_copy(struct radeon_cmd_buffer *cmd, uint64_t dst_va, uint64_t src_va, uint64_t size_B)
{
    if (cmd->is_transfer) {
        radeon_dma_copy(cmd, dst_va, src_va, size_B);
        return;
    }
    before(cmd);
    while (size_B) {
        uint32_t piece_B = (uint32_t)MIN2(size_B, MAX_PIECE_B);
        radeon_cs_reserve(&cmd->cs, AMD_PKT_DMA_DATA_DW);
        RADEON_PACKET(&cmd->cs, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_ADDR_TC_L2, .DST_SEL = AMD_DMA_DST_ADDR_TC_L2,
                      .SRC_ADDR = src_va, .DST_ADDR = dst_va, .BYTE_COUNT = piece_B);
        src_va += piece_B;
        dst_va += piece_B;
        size_B -= piece_B;
    }
}

void radeon_cp_fill(struct radeon_cmd_buffer *cmd, uint64_t dst_va, uint64_t size_B, uint32_t value)
{
    if (cmd->is_transfer) {
        radeon_dma_fill(cmd, dst_va, size_B, value);
        return;
    }
    before(cmd);
    while (size_B) {
        uint32_t piece_B = (uint32_t)MIN2(size_B, MAX_PIECE_B);
        radeon_cs_reserve(&cmd->cs, AMD_PKT_DMA_DATA_DW);
        RADEON_PACKET(&cmd->cs, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_DATA, .DST_SEL = AMD_DMA_DST_ADDR_TC_L2,
                      .SRC_DATA = value, .DST_ADDR = dst_va, .BYTE_COUNT = piece_B);
        dst_va += piece_B;
        size_B -= piece_B;
    }
}

void radeon_cp_write(struct radeon_cmd_buffer *cmd, uint64_t dst_va, const uint32_t *words, uint32_t count_dw)
{
    if (cmd->is_transfer) {
        radeon_dma_write(cmd, dst_va, words, count_dw);
        return;
    }
    before(cmd);
    while (count_dw) {
        uint32_t piece_dw = MIN2(count_dw, (uint32_t)MAX_INLINE_DW);
        radeon_cs_reserve(&cmd->cs, 4 + piece_dw);
        RADEON_PACKET(&cmd->cs, WRITE_DATA, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true,
                      .ENGINE = AMD_CP_ENGINE_ME, .ADDR = dst_va, .tail_dw = piece_dw);
        radeon_emit_array(&cmd->cs, words, piece_dw);
        dst_va += 4ull * piece_dw;
        words += piece_dw;
        count_dw -= piece_dw;
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2 *info)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct vk_buffer *src = vk_buffer_from_handle(info->srcBuffer), *dst = vk_buffer_from_handle(info->dstBuffer);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkBufferCopy2 *region = &info->pRegions[i];
        radeon_cp_copy(cmd, dst->va + region->dstOffset, src->va + region->srcOffset, region->size);
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdFillBuffer(VkCommandBuffer handle, VkBuffer buffer_handle, VkDeviceSize offset_B,
                                                VkDeviceSize size_B, uint32_t value)
{
    struct vk_buffer *buffer = vk_buffer_from_handle(buffer_handle);
    /* The rest is rounded down to words. */
    size_B = vk_buffer_range(buffer, offset_B, size_B) & ~3ull;
    radeon_cp_fill(radeon_cmd_buffer_from_handle(handle), buffer->va + offset_B, size_B, value);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B,
                                                  VkDeviceSize size_B, const void *data)
{
    radeon_cp_write(radeon_cmd_buffer_from_handle(handle), vk_buffer_from_handle(buffer)->va + offset_B, data,
                    (uint32_t)(size_B / 4));
}
