/* Transfer queues: the system DMA engine (sDMA) copies without the shader cores. It knows linear memory and boxes of
 * elements of tiled images; it works packet by packet and waits for those before it only where it is told to. */
#ifndef AMD_DRIVER_RADEON_DMA_H
#define AMD_DRIVER_RADEON_DMA_H

#include "amd/driver/radeon_cmd.h"
#include "amd/hw/sdma.h"
#include "vulkan/meta/vk_meta.h"

/* One packet of the engine's tables, by its fields; a tail follows by radeon_emit. */
#define RADEON_DMA_PACKET(cs, name, ...)                                                                               \
    ((cs)->dw += amd_pack_sdma_##name(RADEON_GFX, (cs)->dw, &(const struct amd_sdma_##name){__VA_ARGS__}))

/* Waits and flushes that are due (radeon_cmd_buffer::due) are written before each copy, fill and write. */
void radeon_dma_copy(struct radeon_cmd_buffer *cmd, uint64_t dst_va, uint64_t src_va, uint64_t size_B);
void radeon_dma_fill(struct radeon_cmd_buffer *cmd, uint64_t dst_va, uint64_t size_B, uint32_t value); /* words */
void radeon_dma_write(struct radeon_cmd_buffer *cmd, uint64_t dst_va, const uint32_t *words, uint32_t count_dw);

/* Packets after this start when all before it have ended: the engine drains at an empty packet. */
static inline void radeon_dma_wait(struct radeon_cmd_buffer *cmd)
{
    radeon_cs_reserve(&cmd->cs, 1);
    RADEON_DMA_PACKET(&cmd->cs, NOP, .COUNT = 0);
}

/* After all before it: the time, and a word. */
void radeon_dma_timestamp(struct radeon_cmd_buffer *cmd, uint64_t va);
void radeon_dma_fence(struct radeon_cmd_buffer *cmd, uint64_t va, uint32_t value);

/* Images (radeon_dma_image.c): plain pixels of any layout, elements of 1 to 16 bytes. */
void radeon_dma_copy_memory(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy);
void radeon_dma_copy_image(struct radeon_cmd_buffer *cmd, const struct vk_meta_image_copy *copy);

#endif
