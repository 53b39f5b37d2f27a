/* VkCommandPool and VkCommandBuffer: where they belong, which state they are in, and when they are freed. What is
 * recorded is the driver's. */
#ifndef VULKAN_RUNTIME_VK_COMMAND_BUFFER_H
#define VULKAN_RUNTIME_VK_COMMAND_BUFFER_H

#include "util/list.h"
#include "vulkan/runtime/descriptor/vk_bindings.h"
#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/pipeline/vk_shader_object.h"
#include "vulkan/runtime/render/vk_graphics_state.h"
#include "vulkan/runtime/render/vk_rendering.h"

struct vk_command_buffer;
struct vk_cmd_queue;
struct vk_command_pool;
struct vk_pass_instance;

/* A driver's operations on its command buffers. */
struct vk_command_buffer_ops {
    size_t size_B;           /* of the driver's struct, which begins with a vk_command_buffer */
    size_t recording_size_B; /* of one that begins with a vk_recording and is zero at first; 0: of that alone */
    /* The rest of a zeroed command buffer whose base is set up. */
    VkResult (*init)(struct vk_command_buffer *command_buffer);
    void (*finish)(struct vk_command_buffer *command_buffer);
    /* Back to empty. Memory is kept for the next recording unless `release` says otherwise. */
    void (*reset)(struct vk_command_buffer *command_buffer, bool release);

    /* Optional, a pair: a driver's struct that begins with a vk_command_pool and is zero at first, and giving back all
     * that is in it and no recording uses: for vkTrimCommandPool, and for the end, after that of the command buffers.
     */
    size_t pool_size_B;
    void (*pool_trim)(struct vk_command_pool *pool);
};

enum vk_command_buffer_state {
    VK_COMMAND_BUFFER_INITIAL,
    VK_COMMAND_BUFFER_RECORDING,
    VK_COMMAND_BUFFER_EXECUTABLE, /* pending ones look the same: the application keeps them apart */
    VK_COMMAND_BUFFER_INVALID,
};

struct vk_command_pool {
    struct vk_object_base base;
    VkAllocationCallbacks alloc;
    VkCommandPoolCreateFlags flags;
    uint32_t family_index;
    struct list command_buffers; /* in use; vk_command_buffer::link */
    struct list free_buffers;    /* given back and kept for the next allocation */
    struct list recordings;      /* lent to none; vk_recording::link */
    bool is_replayed;            /* TUFF_DEBUG=replay */
};

VK_DEFINE_CASTS(vk_command_pool, VkCommandPool)

/* State of a command buffer while it is recorded and never after: the pool lends it from begin to end. As a rule one
 * recording is made at a time, and its state is near the processor however many command buffers there are. */
struct vk_recording {
    struct list link;
    /* what a draw sees: vkCmdSet... and bound pipelines' static state */
    struct vk_dynamic_graphics_state dynamic_state;
    uint64_t descriptor_buffers[VK_MAX_DESCRIPTOR_BUFFERS]; /* addresses; vk_descriptor_buffer.c */
    struct vk_bindings bindings[VK_BIND_POINT_COUNT];       /* descriptor sets, for a family that has them */
    struct vk_rendering rendering;   /* the driver's to fill; a new recording has none, or what it inherits */
    struct vk_bound_objects objects; /* shader objects and what they see of local reads */
};

struct vk_command_buffer {
    struct vk_object_base base;
    struct list link;
    struct vk_command_pool *pool;
    VkCommandBufferLevel level;
    enum vk_command_buffer_state state;
    VkCommandBufferUsageFlags usage;
    VkResult result;               /* the first error while recording; vkEndCommandBuffer gives it out */
    struct vk_pass_instance *pass; /* the render pass that is being recorded; vk_render_pass_cmd.c */
    struct vk_cmd_queue *queue;    /* memory for recorded replay, once there was one; vk_cmd_queue.h */
    bool is_replayed;              /* this recording is kept in it */
    struct vk_recording *rec;      /* NULL: not being recorded */
};

VK_DEFINE_CASTS(vk_command_buffer, VkCommandBuffer)

/* For a driver's vkBeginCommandBuffer and vkEndCommandBuffer. Begin resets what was recorded before; where it fails,
 * there is nothing to record into. */
VkResult vk_command_buffer_begin(struct vk_command_buffer *command_buffer, const VkCommandBufferBeginInfo *info);
VkResult vk_command_buffer_end(struct vk_command_buffer *command_buffer);

static inline struct vk_bindings *vk_bindings_of(struct vk_command_buffer *command_buffer, VkPipelineBindPoint point)
{
    return &command_buffer->rec->bindings[point == VK_PIPELINE_BIND_POINT_COMPUTE           ? VK_BIND_COMPUTE
                                          : point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR ? VK_BIND_RAYS
                                                                                            : VK_BIND_GRAPHICS];
}

/* Remember the first error of a recording. */
static inline void vk_command_buffer_set_error(struct vk_command_buffer *command_buffer, VkResult result)
{
    if (result != VK_SUCCESS && command_buffer->result == VK_SUCCESS)
        command_buffer->result = result;
}

#endif
