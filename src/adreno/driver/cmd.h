/* A command buffer of this driver: the stream, what is bound, and what is still to be written before the next work.
 * Commands only note what changed; adreno_before_dispatch (compute.c) and the draws write it.
 *
 * Every primary command buffer begins and ends with the CCU set up for targets in memory, and with the registers of
 * start.c; what it changes of them it puts back. */
#ifndef ADRENO_DRIVER_CMD_H
#define ADRENO_DRIVER_CMD_H

#include "adreno/driver/descriptor.h"
#include "adreno/driver/device.h"
#include "adreno/driver/graphics.h"
#include "adreno/driver/order.h"
#include "adreno/driver/shader.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/command/vk_draw.h"

struct adreno_cmd_pool {
    struct vk_command_pool vk;
    struct vk_rest rests[ADRENO_CHUNK_KIND_COUNT];
};

struct adreno_cmd_buffer {
    struct vk_command_buffer vk;
    struct adreno_device *device;
    struct adreno_cs cs;
    struct vk_upload upload;
    struct adreno_orders orders; /* before the next draw, dispatch or copy */

    uint8_t push_constants[ADRENO_MAX_PUSH_B];
    VkShaderStageFlags push_dirty;

    const struct adreno_shader *compute_shader;
    bool compute_dirty; /* the shader's registers and constants are not in the stream */

    struct adreno_graphics graphics;
};

VK_DEFINE_CASTS(adreno_cmd_buffer, VkCommandBuffer)

extern const struct vk_command_buffer_ops adreno_command_buffer_ops;
extern const struct vk_draw_ops adreno_draw_ops; /* draw.c */

static inline struct adreno_cmd_buffer *adreno_cmd_of(struct vk_command_buffer *command_buffer)
{
    return (struct adreno_cmd_buffer *)command_buffer;
}

/* Data that the GPU reads in this recording; NULL, with the error remembered, when there is no memory. */
static inline void *adreno_cmd_upload(struct adreno_cmd_buffer *cmd, uint32_t size_B, uint32_t align_B,
                                      uint64_t *va_out)
{
    void *map = vk_upload_alloc(&cmd->upload, size_B, align_B, va_out);
    if (!map)
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return map;
}

/* Where commands go: the main stream, or inside of a rendering that of its draws. */
static inline struct adreno_cs *adreno_cmd_stream(struct adreno_cmd_buffer *cmd)
{
    return cmd->graphics.cs ? cmd->graphics.cs : &cmd->cs;
}

/* The stream for commands that must run once and not for every tile. */
static inline struct adreno_cs *adreno_cmd_stream_after_tiles(struct adreno_cmd_buffer *cmd)
{
    return cmd->graphics.cs ? &cmd->graphics.after : &cmd->cs;
}

/* A stream of at most `size_dw` dwords in this recording's memory, for groups of state and for what is called more than
 * once; ended by adreno_cmd_stream_end. Nothing else may be uploaded meanwhile. */
void adreno_cmd_stream_begin(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t size_dw);
struct adreno_range adreno_cmd_stream_end(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);

/* barrier.c: a whole dependency, but for layouts of images. */
void adreno_dependency(struct adreno_cmd_buffer *cmd, const VkDependencyInfo *info);
/* A dependency of the driver's own: enum adreno_access, and enum adreno_order for waits. */
static inline void adreno_depend(struct adreno_cmd_buffer *cmd, uint32_t src_access, uint32_t dst_access,
                                 uint32_t waits)
{
    adreno_orders_add(&cmd->orders, src_access, dst_access);
    cmd->orders.due |= waits;
}

void adreno_emit_due_slow(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);

/* Waits and flushes that are due go into the stream: before every draw, dispatch, copy and event. */
static inline void adreno_emit_due(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    if (cmd->orders.due)
        adreno_emit_due_slow(cmd, cs);
}

void adreno_bind_compute_shader(struct adreno_cmd_buffer *cmd, const struct adreno_shader *shader);
/* A dispatch of the driver's own with the bound shader; the counts are of workgroups. */
void adreno_dispatch(struct adreno_cmd_buffer *cmd, const uint32_t base[3], const uint32_t counts[3]);

#endif
