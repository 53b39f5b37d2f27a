/* The graphics half of a command buffer: what is bound for draws, and the rendering that is recorded. */
#ifndef MALI_DRIVER_GRAPHICS_H
#define MALI_DRIVER_GRAPHICS_H

#include <stdbool.h>
#include <stdint.h>

struct mali_cmd_buffer;

struct mali_graphics {
    bool is_rendering;
};

#endif
