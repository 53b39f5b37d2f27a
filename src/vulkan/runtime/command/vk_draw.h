/* Draws whose parameters are in memory, and many draws of one command: what their commands say, without the API's
 * handles. A driver has vkCmdDraw and vkCmdDrawIndexed themselves, the commands that programs record most. */
#ifndef VULKAN_RUNTIME_VK_DRAW_H
#define VULKAN_RUNTIME_VK_DRAW_H

#include <stdbool.h>

#include "vulkan/runtime/object/vk_api.h"

struct vk_command_buffer;

enum vk_draw_kind {
    VK_DRAW_PLAIN,
    VK_DRAW_INDEXED,
    VK_DRAW_MESHES,
};

struct vk_draw_indirect {
    enum vk_draw_kind kind;
    uint64_t va, count_va; /* of the parameters, of the number of draws; 0: there are `count` */
    uint32_t count, stride_B;
};

/* One of several draws. */
struct vk_draw {
    uint32_t count, first_index; /* of vertices, or of indices */
    uint32_t vertex_offset;      /* or the first vertex */
    uint32_t number;             /* of the draw in its command */
};

/* vk_device::draws. The runtime's commands have looked at the numbers: a command that draws nothing calls nothing. */
struct vk_draw_ops {
    void (*indirect)(struct vk_command_buffer *cmd, const struct vk_draw_indirect *indirect);
    /* vkCmdDrawMulti*EXT, as a pair: everything but the draws' own numbers, false where nothing is drawn; then the
     * draws, none of which is empty. NULL: the driver has these commands. */
    bool (*begin_many)(struct vk_command_buffer *cmd, bool is_indexed, uint32_t instances);
    void (*draw)(struct vk_command_buffer *cmd, const struct vk_draw *draw, bool is_indexed, uint32_t instances,
                 uint32_t first_instance);
};

#endif
