/* A command buffer of this driver: a stream for each subqueue (subqueue.h), what is bound, and how far the recording
 * is.
 *
 *     struct mali_stream *s = mali_cmd_begin_work(cmd, MALI_COMPUTE);    a slot of the scoreboard is chosen
 *     … registers …
 *     mali_put_run_compute(s, …);
 *
 * Work waits for nothing by itself: dependencies are put by barriers (barrier.c) between subqueues and within them. */
#ifndef MALI_DRIVER_CMD_H
#define MALI_DRIVER_CMD_H

#include "mali/driver/device.h"
#include "mali/driver/graphics.h"
#include "mali/driver/shader.h"
#include "mali/driver/stream_flow.h"
#include "mali/driver/stream_put.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/command/vk_draw.h"

struct mali_cmd_pool {
    struct vk_command_pool vk;
    struct vk_rest rests[MALI_CHUNK_KIND_COUNT];
};

/* One subqueue's part of a recording. */
struct mali_cmd_stream {
    struct mali_stream s;
    uint32_t signals;  /* points of synchronisation of this subqueue since the beginning, or since the last secondary */
    uint8_t slot;      /* of the scoreboard, that work holds now */
    uint8_t busy;      /* bit n: work may hold slot n */
    bool has_slot;     /* SET_SB_ENTRY has been written for it */
    bool is_unflushed; /* something was written since the caches were cleaned last */
    uint32_t waited[MALI_SUBQUEUES]; /* points of the others that were waited for already */
};

/* An image whose headers nothing has written yet. */
struct mali_new_image {
    const struct mali_image *image;
    VkImageSubresourceRange range;
};

struct mali_cmd_buffer {
    struct vk_command_buffer vk;
    struct mali_device *device;
    struct mali_cmd_stream streams[MALI_SUBQUEUES];
    struct vk_upload upload;

    uint8_t push_constants[MALI_MAX_PUSH_B];
    VkShaderStageFlags push_dirty;

    const struct mali_shader *compute_shader;
    bool compute_dirty;      /* the shader's registers are not in the stream */
    bool has_busy_groups;    /* a dispatch with storage of workgroups may be running */
    uint64_t compute_tables; /* value of the SRT register, as it was made last */

    struct {
        uint64_t va; /* 0: nothing is conditional */
        bool is_inverted;
        bool is_paused; /* what is recorded is the driver's own */
    } predicate;

    struct {
        ARRAY(struct mali_new_image) list;
        uint32_t src, dst; /* subqueues of their dependencies */
    } new_images;

    struct mali_graphics graphics;
};

VK_DEFINE_CASTS(mali_cmd_buffer, VkCommandBuffer)

extern const struct vk_command_buffer_ops mali_command_buffer_ops;
extern const struct vk_draw_ops mali_draw_ops; /* draw.c */

static inline struct mali_cmd_buffer *mali_cmd_of(struct vk_command_buffer *command_buffer)
{
    return (struct mali_cmd_buffer *)command_buffer;
}

/* The stream of a subqueue. */
static inline struct mali_stream *mali_cmd_stream(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue)
{
    return &cmd->streams[subqueue].s;
}

/* Data that the GPU reads in this recording; NULL, with the error remembered, when there is no memory. */
static inline void *mali_cmd_upload(struct mali_cmd_buffer *cmd, uint32_t size_B, uint32_t align_B, uint64_t *va_out)
{
    void *map = vk_upload_alloc(&cmd->upload, size_B, align_B, va_out);
    if (!map)
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return map;
}

/* ---- order (order.c) ---- */

/* The stream for RUN_* of a subqueue: a slot is chosen, and the work that follows holds it. */
struct mali_stream *mali_cmd_begin_work(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue);
/* Wait in the subqueue for its own work so far, and for what it has stored. */
void mali_cmd_wait_work(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue);
/* A point that is reached when the work so far is done; the subqueue itself goes on. The next work holds another slot.
 * The result is for mali_cmd_wait_point. */
uint32_t mali_cmd_signal(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue);
/* A subqueue waits for a point of another one; `point` as mali_cmd_signal returned it, in this recording. */
void mali_cmd_wait_point(struct mali_cmd_buffer *cmd, enum mali_subqueue waiter, enum mali_subqueue of, uint32_t point);
/* All work of the subqueues of `src` is done before anything that follows in those of `dst` begins. Bits by
 * subqueue. */
void mali_cmd_order(struct mali_cmd_buffer *cmd, uint32_t src, uint32_t dst);

/* The wait of an instruction that is done when the work so far is; the subqueue itself goes on. */
struct mali_deferred mali_cmd_after_work(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue);
/* A subqueue in which what follows knows that the work of all of `src` so far is done, once its own is. */
enum mali_subqueue mali_cmd_gather(struct mali_cmd_buffer *cmd, uint32_t src);

/* Caches, by FLUSH_CACHE2. */
enum mali_flush {
    MALI_FLUSH_CLEAN = 1 << 0,      /* what was written goes to memory: for the host and other devices */
    MALI_FLUSH_INVALIDATE = 1 << 1, /* L2 and the load-store caches: others have written memory */
    MALI_FLUSH_READ_ONLY = 1 << 2,  /* textures and the tiler read what was written */
};
/* At this place of the subqueue, and waited for. */
void mali_cmd_flush(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue, uint32_t flush);

/* The registers of progress become what the recording has reached, and points count from here: before a secondary
 * command buffer, and at the end. */
void mali_cmd_settle_progress(struct mali_cmd_buffer *cmd);

/* ---- barriers (barrier.c) ---- */

/* A whole dependency, but for layouts of images. */
void mali_dependency(struct mali_cmd_buffer *cmd, const VkDependencyInfo *info);
/* Its requests. */
struct mali_scopes {
    uint32_t src, dst;  /* subqueues */
    uint32_t src_flush; /* enum mali_flush: after the work of the first scope */
    uint32_t dst_flush; /* before that of the second */
};
struct mali_scopes mali_scopes_of(const VkDependencyInfo *info);
/* The subqueues in which commands of these stages run; expanded ones. */
uint32_t mali_subqueues_of_stages(VkPipelineStageFlags2 stages);

/* ---- images whose contents are given up (new_images.c) ---- */

/* After the dependency: headers of compressed ones are to be written. */
void mali_new_images(struct mali_cmd_buffer *cmd, const VkDependencyInfo *info);
void mali_write_new_images(struct mali_cmd_buffer *cmd);
/* Before any work but a rendering that writes the headers itself. */
static inline void mali_settle_new_images(struct mali_cmd_buffer *cmd)
{
    if (cmd->new_images.list.count)
        mali_write_new_images(cmd);
}
/* A rendering that writes every superblock of a level follows: of these layers of a view; true: it is of a new image.
 * Clears of all levels and layers of a range follow. */
bool mali_new_image_drawn(struct mali_cmd_buffer *cmd, const struct vk_image_view *view, uint32_t layers);
void mali_new_image_cleared(struct mali_cmd_buffer *cmd, const struct vk_image *image,
                            const VkImageSubresourceRange *range);

/* ---- conditional rendering (predicate.c) ---- */

/* Around what the application's predicate may leave out. */
void mali_predicate_begin(const struct mali_cmd_buffer *cmd, struct mali_stream *s, struct mali_block *block);
void mali_predicate_end(const struct mali_cmd_buffer *cmd, struct mali_stream *s, struct mali_block *block);

/* ---- dispatches (compute.c) ---- */

void mali_bind_compute_shader(struct mali_cmd_buffer *cmd, const struct mali_shader *shader);
/* With the bound shader; the counts are of workgroups. */
void mali_dispatch(struct mali_cmd_buffer *cmd, const uint32_t base[3], const uint32_t counts[3]);

#endif
