/* The command processor's DMA: for whole ranges of bytes. */
#ifndef AMD_DRIVER_RADEON_CP_DMA_H
#define AMD_DRIVER_RADEON_CP_DMA_H

#include "amd/driver/radeon_cmd.h"

/* Each writes what is due before it (radeon_emit_due) and returns without waiting for its end. */
void radeon_cp_copy(struct radeon_cmd_buffer *cmd, uint64_t dst_va, uint64_t src_va, uint64_t size_B);
void radeon_cp_fill(struct radeon_cmd_buffer *cmd, uint64_t dst_va, uint64_t size_B, uint32_t value); /* words */
void radeon_cp_write(struct radeon_cmd_buffer *cmd, uint64_t dst_va, const uint32_t *words, uint32_t count_dw);

#endif
