/* A command buffer of this driver: the stream, what is bound, and what is still to be written before the next draw or
 * dispatch. Commands only note what changed; radeon_before_dispatch and radeon_before_draw write it. */
#ifndef AMD_DRIVER_RADEON_CMD_H
#define AMD_DRIVER_RADEON_CMD_H

#include "amd/driver/radeon_cs.h"
#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_graphics.h"
#include "amd/driver/radeon_order.h"
#include "amd/driver/radeon_shader.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/command/vk_draw.h"

struct radeon_cmd_pool {
    struct vk_command_pool vk;
    struct vk_rest rests[RADEON_CHUNK_KIND_COUNT];
    struct radeon_steps *steps; /* NULL before the first one */
    struct radeon_begun begun;
};

/* State that is lent to a command buffer while it is recorded. */
struct radeon_recording {
    struct vk_recording vk;
    struct radeon_graphics_state graphics; /* radeon_graphics.h */
    /* A plan's copies are rounded up. */
    uint8_t push_constants[RADEON_MAX_PUSH_B + 4 * RADEON_PLAN_PUSH_DW];
};

/* In the order of use: of many small command buffers few lines are touched. */
struct radeon_cmd_buffer {
    struct vk_command_buffer vk;
    struct radeon_device *device;
    enum radeon_family_index family;
    bool is_compute;  /* no graphics commands: of another family than the general one */
    bool is_transfer; /* nor dispatches: its stream has the DMA engine's packets (radeon_dma.h) */
    struct radeon_graphics_state *graphics; /* the recording's, as the next */
    uint8_t *push_constants;
    VkShaderStageFlags push_dirty;
    uint32_t due; /* enum radeon_order: before the next draw, dispatch or copy */
    struct radeon_cs cs;
    struct vk_upload upload;
    uint64_t fence_va; /* what says that the render backends are done; 0: none yet */
    uint32_t fence_value;
    uint32_t compute_scratch_B_per_wave, graphics_scratch_B_per_wave; /* the most that anything recorded needs */
    uint32_t tasks_scratch_B_per_wave;
    uint32_t geometry_ring_B;
    bool pending_writes_by_cp; /* DMA or WRITE_DATA whose end has not been waited for */
    bool compute_dirty;        /* the shader's registers are not in the stream */
    const struct radeon_shader *compute_shader;
    const struct radeon_graphics_pipeline *last_baked; /* after the end: the last that was bound, for radeon_hang.c */
    struct {
        /* Counters that shaders add to, and the place of their addresses; 0: nothing is counted. A secondary's are
         * written by the primary that executes it while one is active, and are zero otherwise. */
        uint64_t count_va[AMD_COUNTS], counts_cell_va;
        uint32_t occlusion_active, precise_active, statistics_active;
        bool precise_begun; /* at most one occlusion query is active at a time */
    } queries;
    struct {
        bool enabled, inverted; /* VK_EXT_conditional_rendering */
        uint64_t va;
    } predicate;
    uint64_t dma_room_va; /* of a transfer: where pieces of images lie as rows (radeon_dma_image.c); 0: none yet */
    uint32_t meta_depth;  /* inside an operation of the driver's own: predicates and queries pause */
    struct {
        const struct vk_ray_pipeline *pipeline;
        uint32_t stack_B;   /* of a lane, as the application set it */
    } rays;                 /* radeon_trace.c */
    struct radeon_cs tasks; /* for the compute ring beside it (radeon_task.c); as a rule empty */
    struct vk_upload local; /* memory near the GPU, that it alone writes and reads */
};

VK_DEFINE_CASTS(radeon_cmd_buffer, VkCommandBuffer)

/* As it is lent: vkBeginCommandBuffer. */
static inline void radeon_take_recording(struct radeon_cmd_buffer *cmd, struct vk_recording *rec)
{
    struct radeon_recording *recording = (struct radeon_recording *)rec;
    cmd->vk.rec = rec;
    cmd->graphics = &recording->graphics;
    cmd->push_constants = recording->push_constants;
}

/* For AMD_USER_counters (radeon_query_cmd.c). */
uint32_t radeon_counts_pointer(const struct radeon_cmd_buffer *cmd);

extern const struct vk_command_buffer_ops radeon_command_buffer_ops;
extern const struct vk_draw_ops radeon_draw_ops; /* radeon_draw.c */

/* The halves of a barrier (radeon_access.c), for internal use too: the order after writes, and before reads, of these
 * accesses. `image` may be NULL. */
struct radeon_image;
uint32_t radeon_order_after(VkPipelineStageFlags2 stages, VkAccessFlags2 access, const struct radeon_image *image);
uint32_t radeon_order_before(VkPipelineStageFlags2 stages, VkAccessFlags2 access, const struct radeon_image *image);

/* A whole dependency: waits, caches, layouts. */
void radeon_dependency(struct radeon_cmd_buffer *cmd, const VkDependencyInfo *info);

/* Dispatches (radeon_compute.c). */
void radeon_bind_compute_shader(struct radeon_cmd_buffer *cmd, const struct radeon_shader *shader);
/* User SGPRs of a shader from what is bound: pointers to descriptor sets, push constants and dynamic buffers.
 * `sgpr0_reg` is the address of the register that the stage's SGPR 0 has or would have; `sets` and `push` say what is
 * dirty. Pushed descriptors must be in memory before (vk_bindings_flush_push). */
void radeon_emit_user_data(struct radeon_cmd_buffer *cmd, struct radeon_cs *cs, enum vk_bind_point point,
                           const struct radeon_shader *shader, uint32_t sgpr0_reg, uint32_t sets, bool push);
/* The registers of a shader that is dispatched. */
void radeon_emit_compute_shader(struct radeon_cs *cs, const struct radeon_shader *shader);
/* On a compute ring a predicated packet of `count_dw` dwords stands after one that skips it. */
void radeon_skip_unless_predicate(struct radeon_cmd_buffer *cmd, uint32_t count_dw);
/* A dispatch of the driver's own: the shader is bound, its user data written; the group counts are in workgroups. */
void radeon_dispatch_internal(struct radeon_cmd_buffer *cmd, uint32_t x, uint32_t y, uint32_t z);

/* Whether the application's draws and dispatches carry the predicate bit: not those of the driver's own. */
static inline bool radeon_is_predicated(const struct radeon_cmd_buffer *cmd)
{
    return cmd->predicate.enabled && !cmd->meta_depth;
}

/* After copies and writes of the command processor that others may read (radeon_cp_dma.c). */
void radeon_cp_writes_wait(struct radeon_cmd_buffer *cmd);

static inline struct radeon_cmd_buffer *radeon_cmd_of(struct vk_command_buffer *command_buffer)
{
    return (struct radeon_cmd_buffer *)command_buffer;
}

/* Data that the GPU reads in this recording; NULL, with the error remembered, when there is no memory. */
static inline void *radeon_cmd_upload(struct radeon_cmd_buffer *cmd, uint32_t size_B, uint32_t align_B,
                                      uint64_t *va_out)
{
    void *map = vk_upload_alloc(&cmd->upload, size_B, align_B, va_out);
    if (!map)
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return map;
}

#endif
