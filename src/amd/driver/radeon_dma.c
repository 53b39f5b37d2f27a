/* The DMA engine's packets for plain memory, for order and for time. */
#include "amd/driver/radeon_dma.h"

#include "util/bits.h"

enum {
    MAX_COPY_B = (1 << 30) - 256,
    MAX_FILL_B = (1 << 22) - 256,
    MAX_WRITE_DW = 1024,
    PACKET_DW = 8, /* of any here, without a tail */
};

void radeon_dma_copy(struct radeon_cmd_buffer *cmd, uint64_t dst_va, uint64_t src_va, uint64_t size_B)
{
    radeon_emit_due(cmd);
    while (size_B) {
        uint32_t piece_B = (uint32_t)MIN2(size_B, MAX_COPY_B);
        radeon_cs_reserve(&cmd->cs, PACKET_DW);
        RADEON_DMA_PACKET(&cmd->cs, COPY_LINEAR, .COUNT_B = piece_B - 1, .SRC_ADDR = src_va, .DST_ADDR = dst_va);
        src_va += piece_B;
        dst_va += piece_B;
        size_B -= piece_B;
    }
}

void radeon_dma_fill(struct radeon_cmd_buffer *cmd, uint64_t dst_va, uint64_t size_B, uint32_t value)
{
    radeon_emit_due(cmd);
    while (size_B) {
        uint32_t piece_B = (uint32_t)MIN2(size_B, MAX_FILL_B);
        radeon_cs_reserve(&cmd->cs, PACKET_DW);
        RADEON_DMA_PACKET(&cmd->cs, CONSTANT_FILL, .FILL_SIZE = AMD_SDMA_FILL_DWORD, .DST_ADDR = dst_va, .DATA = value,
                          .COUNT_B = piece_B - 1);
        dst_va += piece_B;
        size_B -= piece_B;
    }
}

void radeon_dma_write(struct radeon_cmd_buffer *cmd, uint64_t dst_va, const uint32_t *words, uint32_t count_dw)
{
    radeon_emit_due(cmd);
    while (count_dw) {
        uint32_t piece_dw = MIN2(count_dw, (uint32_t)MAX_WRITE_DW);
        radeon_cs_reserve(&cmd->cs, PACKET_DW + piece_dw);
        RADEON_DMA_PACKET(&cmd->cs, WRITE, .DST_ADDR = dst_va, .COUNT = piece_dw - 1);
        radeon_emit_array(&cmd->cs, words, piece_dw);
        dst_va += 4ull * piece_dw;
        words += piece_dw;
        count_dw -= piece_dw;
    }
}

void radeon_dma_timestamp(struct radeon_cmd_buffer *cmd, uint64_t va)
{
    radeon_dma_wait(cmd);
    radeon_cs_reserve(&cmd->cs, PACKET_DW);
    RADEON_DMA_PACKET(&cmd->cs, TIMESTAMP_GET_GLOBAL, .ADDR = va);
}

void radeon_dma_fence(struct radeon_cmd_buffer *cmd, uint64_t va, uint32_t value)
{
    radeon_dma_wait(cmd);
    radeon_cs_reserve(&cmd->cs, PACKET_DW);
    RADEON_DMA_PACKET(&cmd->cs, FENCE, .ADDR = va, .DATA = value);
}
