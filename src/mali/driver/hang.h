/* TUFF_DEBUG=hang: marks in the streams, and a report when the GPU is lost. */
#ifndef MALI_DRIVER_HANG_H
#define MALI_DRIVER_HANG_H

#include "mali/driver/cmd.h"

struct vk_work;

void mali_put_mark(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue);

/* Before work: its number is written to the queue's memory when the stream gets there. */
static inline void mali_mark(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue)
{
    if (__builtin_expect(cmd->device->has_marks, 0))
        mali_put_mark(cmd, subqueue);
}

/* Write what is known of a lost device into a file and log its name. */
void mali_hang_report(struct mali_queue *queue, const struct vk_work *work, VkResult result);

#endif
