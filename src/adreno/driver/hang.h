/* TUFF_DEBUG=hang: marks in the stream, and a report when the GPU is lost. */
#ifndef ADRENO_DRIVER_HANG_H
#define ADRENO_DRIVER_HANG_H

#include "adreno/driver/cmd.h"

struct vk_work;

void adreno_emit_mark(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);

/* Before a draw or dispatch: its number is written to memory when the command processor gets there. */
static inline void adreno_mark(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    if (__builtin_expect(cmd->device->has_marks, 0))
        adreno_emit_mark(cmd, cs);
}

/* Write what is known of a lost device into a file and log its name. */
void adreno_hang_report(struct adreno_queue *queue, const struct vk_work *work, VkResult result);

#endif
