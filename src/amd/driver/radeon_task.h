/* Draws with task shaders: radeon_task.c says how they run. */
#ifndef AMD_DRIVER_RADEON_TASK_H
#define AMD_DRIVER_RADEON_TASK_H

#include "amd/driver/radeon_cmd.h"

struct radeon_tasks {
    uint32_t groups[3];
    uint64_t va;       /* of draws whose sizes are in memory; 0: `groups` */
    uint64_t count_va; /* 0: `count` draws */
    uint32_t count, stride_B;
    uint32_t view;
};

/* After radeon_before_draw, with a pipeline that has a task shader. */
void radeon_draw_tasks(struct radeon_cmd_buffer *cmd, const struct radeon_tasks *tasks);

#endif
