/* TUFF_DEBUG=hang: marks in the stream, and a report when the GPU is lost. */
#ifndef AMD_DRIVER_RADEON_HANG_H
#define AMD_DRIVER_RADEON_HANG_H

#include "amd/driver/radeon_cmd.h"

struct vk_work;

/* The device's word for marks; nothing is done, and `device->marks` stays NULL, where the word is not set. */
VkResult radeon_hang_init(struct radeon_device *device);
void radeon_hang_finish(struct radeon_device *device);

void radeon_emit_mark(struct radeon_cmd_buffer *cmd);

/* Before a draw or dispatch: its number is written to memory when the command processor gets there. */
static inline void radeon_mark(struct radeon_cmd_buffer *cmd)
{
    if (__builtin_expect(cmd->device->marks != NULL, 0))
        radeon_emit_mark(cmd);
}

/* Write what is known of a lost device into a file and log its name. */
void radeon_hang_report(struct radeon_queue *queue, const struct vk_work *work, VkResult result);

#endif
