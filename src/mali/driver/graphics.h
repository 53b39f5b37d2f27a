/* The graphics half of a command buffer: what is bound for draws, and the rendering that is recorded.
 *
 *   vkCmdBeginRendering ─▶ attachments and operations are noted
 *   the first draw      ─▶ vertex subqueue: tiler contexts are made ready
 *   draws               ─▶ vertex subqueue: dirty state to registers, RUN_IDVS
 *   vkCmdEndRendering   ─▶ vertex subqueue: FINISH_TILING, a signal
 *                          fragment subqueue: a wait for it, RUN_FRAGMENT for each layer, chunks of the heap go back
 *
 * Commands only note what changed; mali_before_draw (state.c) makes the descriptors that are dirty and writes the
 * registers that differ. */
#ifndef MALI_DRIVER_GRAPHICS_H
#define MALI_DRIVER_GRAPHICS_H

#include "mali/driver/descriptor.h"
#include "mali/driver/image.h"
#include "mali/driver/shader.h"
#include "mali/hw/descriptors.h"
#include "util/array.h"
#include "vulkan/runtime/pipeline/vk_output_locations.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"
#include "vulkan/runtime/render/vk_graphics_state.h"
#include "vulkan/runtime/render/vk_rendering.h"

struct mali_cmd_buffer;
struct mali_queue;
struct vk_hasher;
struct vk_subpass;

/* ---- pipelines (graphics_compile.c, graphics_pipeline.c) ---- */

/* vk_pipeline::driver_data of a graphics pipeline. */
struct mali_graphics_pipeline {
    struct mali_shader *vertex, *fragment; /* fragment NULL: none */
    /* Of dynamic rendering: the parts that input attachments are, by number. Of a subpass the pass knows them. */
    bool has_inputs;
    uint8_t inputs[MALI_MAX_INPUTS];
};

static inline struct mali_graphics_pipeline *mali_baked(const struct vk_pipeline *pipeline)
{
    return pipeline->driver_data;
}

VkResult mali_graphics_compile(struct mali_device *device, uint32_t count, const struct vk_stage_job *jobs,
                               const struct vk_graphics_state *state, struct vk_code **codes_out);
void mali_graphics_hash_state(struct vk_device *device, const struct vk_graphics_state *state,
                              VkShaderStageFlags stages, struct vk_hasher *hasher);
VkResult mali_graphics_pipeline_init(struct vk_device *device, struct vk_pipeline *pipeline,
                                     const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator);
void mali_graphics_pipeline_finish(struct vk_device *device, struct vk_pipeline *pipeline,
                                   const VkAllocationCallbacks *allocator);
void mali_graphics_bind(struct mali_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline);

/* ---- renderings ---- */

enum {
    MALI_PART_DEPTH = VK_MAX_COLOR_ATTACHMENTS,
    MALI_PART_STENCIL,
    MALI_PARTS,
    MALI_PART_NONE = MALI_PARTS,
    MALI_TILER_LAYERS = 8, /* of one tiler context */
};

/* An attachment's way into the tile buffer and out of it. Depth and stencil of one surface are two parts. */
struct mali_part {
    struct mali_target target;
    const struct mali_image_view *view;
    bool is_loaded, is_cleared, is_stored;
    bool is_resolved; /* the mean of its samples is all that is written, to `resolve` */
    struct mali_target resolve;
    struct vk_image_view *resolve_view;
    VkClearValue clear;
};

struct mali_pass {
    struct mali_part parts[MALI_PARTS];
    uint32_t part_mask;
    uint32_t samples;       /* 0: not known before the first draw */
    uint32_t x, y;          /* where frames begin */
    uint32_t width, height; /* where they end */
    bool is_extended;       /* beyond the area, to whole superblocks: everything is loaded, and cleared by draws */
    uint32_t late_clears;   /* those parts */
    uint32_t layers;        /* with views, up to the last one */
    uint64_t tilers_va;     /* 0: nothing was drawn yet */
    uint32_t tiler_count;
    bool is_provoking_last;
    /* Of several subpasses (joined.c): of the one that is recorded, the parts that it draws to by location, and those
     * that its input attachments are, MALI_PART_NONE for those in memory. */
    bool is_joined;
    bool has_inputs;    /* those that are known; always, where it is joined */
    bool is_memory_old; /* inputs in memory are not what was drawn before this subpass or the last barrier */
    uint8_t colors[VK_MAX_COLOR_ATTACHMENTS], inputs[MALI_MAX_INPUTS];
};

/* The render target of a colour; MALI_PART_NONE: it has none. */
static inline unsigned mali_pass_color(const struct mali_pass *pass, unsigned color)
{
    return pass->is_joined ? pass->colors[color] : color;
}

/* Dirty state beside the rows of dynamic state. */
enum mali_graphics_dirty {
    MALI_DIRTY_PIPELINE = 1 << 0,
    MALI_DIRTY_TARGETS = 1 << 1, /* attachments and views */
    MALI_DIRTY_VERTEX_BUFFERS = 1 << 2,
    MALI_DIRTY_QUERY = 1 << 3,
    MALI_DIRTY_ALL = (1 << 4) - 1,
};

/* The contents of a draw's registers, as it was made last. */
struct mali_draw_state {
    uint64_t vertex_tables, fragment_tables, vertex_uniforms, fragment_uniforms;
    uint64_t vertex_uniforms_va; /* where the stream writes bases of indirect draws */
    struct mali_own_table vertex_own, fragment_own;
    uint64_t scissor;
    uint32_t low_depth, high_depth, primitive_size; /* floats */
    uint64_t depth_stencil_va, blend;
    uint32_t primitive_flags, dcd_flags_0, dcd_flags_1, dcd_flags_2;
    bool is_nothing_drawn; /* both faces are culled, or everything is discarded */
};

struct mali_graphics {
    struct vk_graphics_pipeline *pipeline;
    const struct mali_graphics_pipeline *baked; /* NULL: no pipeline is bound */
    uint32_t dirty;                             /* enum mali_graphics_dirty */
    struct vk_color_slots slots;
    uint64_t index_va;
    uint32_t index_size_B; /* of the buffer */
    uint8_t index_type;    /* MALI_INDEX_TYPE_* */
    struct {
        uint64_t va, size_B;
    } vertex_buffers[VK_MAX_VERTEX_BINDINGS];
    uint64_t occlusion_va; /* 0: no query is active */
    bool is_occlusion_precise;
    bool has_inherited_query;            /* a secondary one: who calls it has set the register */
    bool counts_for_caller;              /* what is drawn now */
    ARRAY(uint64_t) ended_queries;       /* addresses, that become available with the frames of this pass */
    uint32_t base_vertex, base_instance; /* that the uniforms have */
    struct mali_draw_state state;
    uint32_t vertex_words[MALI_FAU_WORDS_MAX],
        fragment_words[MALI_FAU_WORDS_MAX]; /* of the uniforms, as uploaded last */
    struct mali_pass pass;
    struct {
        uint32_t first, count; /* 0: all of them */
    } layers;                  /* that the next draw is known to reach */
    struct vk_rendering whole; /* of joined subpasses: all that they draw to */
};

/* ---- life (render.c) ---- */

void mali_graphics_reset(struct mali_cmd_buffer *cmd, bool release);
void mali_graphics_begin(struct mali_cmd_buffer *cmd, const VkCommandBufferBeginInfo *info);
/* Around the draws of a secondary command buffer that continues the rendering: called once for each tiler context, with
 * its register set. */
uint32_t mali_graphics_execute_begin(struct mali_cmd_buffer *cmd);
void mali_graphics_execute(struct mali_cmd_buffer *cmd, const struct mali_cmd_buffer *secondary, uint32_t tiler);
/* After them: the queries that ended there. */
void mali_graphics_execute_end(struct mali_cmd_buffer *cmd, const struct mali_cmd_buffer *secondary);

/* vkCmdBeginRendering's half that draws of the driver's own need, too. */
void mali_pass_begin(struct mali_cmd_buffer *cmd, const VkRenderingInfo *info);
/* Renders what was drawn; after it the pass has ended. */
void mali_pass_end(struct mali_cmd_buffer *cmd);
/* In the middle of a rendering: what was drawn so far goes to memory, and what follows begins with it. Before a
 * dependency on the rendering's own results. */
void mali_pass_flush(struct mali_cmd_buffer *cmd);

/* ---- joined subpasses (joined.c) ---- */

/* For vkCmdBeginRendering: all attachments of the subpasses that are joined, in the place of those of the first one.
 * False: each is a rendering of its own. */
bool mali_join_attachments(const VkRenderingInfo *info, VkRenderingAttachmentInfo colors[VK_MAX_COLOR_ATTACHMENTS],
                           VkRenderingInfo *whole_out);
/* After mali_pass_begin() for all of them: the first subpass. */
void mali_joined_begin(struct mali_cmd_buffer *cmd, const VkRenderingInfo *info);
/* In a secondary command buffer, after the pass was made: which of the subpass's inputs are drawn to by it as well.
 * NULL: it is no subpass. */
void mali_inherit_inputs(struct mali_cmd_buffer *cmd, const struct vk_subpass *subpass);
/* vk_device::next_subpass. */
void mali_next_subpass(struct vk_command_buffer *base, const VkDependencyInfo *dependency, const VkRenderingInfo *info);
/* Input attachments of dynamic rendering that are in the tile, for a pipeline. */
void mali_pipeline_inputs(struct mali_graphics_pipeline *pipeline, const struct vk_rendering_formats *formats);
/* Before a draw whose program reads input attachments. */
void mali_find_inputs(struct mali_cmd_buffer *cmd);
/* A barrier in a rendering whose second scope reads nothing but pixels of attachments, each its own: what is in the
 * tile needs nothing. False: it must do what barriers do. */
bool mali_is_local_barrier(struct mali_cmd_buffer *cmd, const VkDependencyInfo *info);
/* Words of an input attachment for its program (compiler.h). */
void mali_input_words(const struct mali_cmd_buffer *cmd, unsigned number, uint32_t words_out[2]);
/* Parts that programs read of those in `numbers`. */
uint32_t mali_parts_read(const struct mali_pass *pass, uint32_t numbers);

/* query_occlusion.c: after its frames. */
void mali_pass_end_queries(struct mali_cmd_buffer *cmd);
/* Before the first draw: the tiler contexts. */
void mali_pass_prepare(struct mali_cmd_buffer *cmd);

/* ---- rendering in parts (partial.c) ---- */

/* Frames of one tiler context: descriptors side by side, MALI_FRAME_STRIDE_B apart, named as the FBD register does. */
enum {
    MALI_FRAME_STRIDE_B = 704, /* the largest framebuffer */
};
struct mali_plan_tiler {
    uint64_t part, end;  /* what the handler of an exhausted heap renders next, and what the pass ends with */
    uint64_t next, last; /* and these two, after a part */
    uint32_t frames, unused;
};
struct mali_plan {
    uint64_t box, tilers_va;
    uint32_t tilers, unused;
    struct mali_plan_tiler of[];
};
VkResult mali_queue_handler_init(struct mali_queue *queue);
/* Around the fragment subqueue's wait for bins. `of` is each tiler's as it is before any part. */
void mali_plan_begin(struct mali_stream *s, uint64_t plan_va, const struct mali_plan_tiler *of, uint32_t tilers);
void mali_plan_end(struct mali_stream *s);
/* After both: the first frame of a tiler comes into the FBD register. */
void mali_plan_choose(struct mali_stream *s, uint64_t plan_va, uint32_t tiler);

/* ---- framebuffers (framebuffer.c) ---- */

/* One layer of a pass. `preload` has the pre-frame draws: their modes, MALI_FRAME_SHADER_MODE_*, and the
 * descriptors. */
struct mali_preload {
    enum mali_FRAME_SHADER_MODE modes[2];
    uint64_t draws_va;
};
/* How the FBD register names a framebuffer descriptor. */
uint64_t mali_framebuffer_pointer(const struct mali_pass *pass, uint64_t va);
void mali_framebuffer_pack(const struct mali_chip *chip, const struct mali_pass *pass, uint32_t layer,
                           const struct mali_preload *preload, uint64_t locations_va, uint32_t *out);
/* Is any target written by superblocks of AFBC? Could one be, with as many bytes of a pixel? */
bool mali_pass_has_compressed(const struct mali_pass *pass);
bool mali_pass_can_compress(const struct mali_chip *chip, const struct mali_pass *pass);
/* The table of sample positions. */
enum {
    MALI_LOCATIONS_B = 256
};
void mali_sample_locations(uint32_t samples, uint16_t out[MALI_LOCATIONS_B / 2]);
enum mali_SAMPLE_PATTERN mali_sample_pattern(uint32_t samples);

/* preload.c: what attachments that are loaded need before the first fragment of a tile. False: there is no memory. */
bool mali_pass_preload(struct mali_cmd_buffer *cmd, uint32_t layer, struct mali_preload *preload_out);

/* ---- state (state*.c) ---- */

/* Everything of the next draw but its counts; false: nothing is to be drawn. */
bool mali_before_draw(struct mali_cmd_buffer *cmd);
/* Base vertex and instance, for shaders that read them. */
void mali_set_bases(struct mali_cmd_buffer *cmd, uint32_t vertex, uint32_t instance);
/* Registers were written elsewhere, or what descriptors were made of changed; what is bound stays. */
void mali_graphics_forget(struct mali_cmd_buffer *cmd);

uint64_t mali_make_depth_stencil(struct mali_cmd_buffer *cmd);
uint64_t mali_make_blend(struct mali_cmd_buffer *cmd);
/* Of a colour of this format in a program. */
enum mali_REGISTER_FORMAT mali_register_format(const struct format_info *info);
/* blend_shader.c: targets whose blending may be code; the code of one, 0 where there is none. */
uint8_t mali_blend_shader_targets(const struct vk_graphics_state *state);
uint32_t mali_blend_shader_pc(struct mali_cmd_buffer *cmd, const struct mali_blend_key *key, uint16_t constants_word);
/* The driver's own table of the vertex stage (descriptor.h). */
struct mali_own_table mali_make_vertex_table(struct mali_cmd_buffer *cmd);

/* ---- the tiler's heap of a queue (heap.c) ---- */

VkResult mali_queue_heap_init(struct mali_queue *queue);
void mali_queue_heap_finish(struct mali_queue *queue);

#endif
