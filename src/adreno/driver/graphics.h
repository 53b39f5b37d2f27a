/* A command buffer's graphics state. State reaches the registers by groups: a group is a short stream in the
 * recording's memory that the command processor executes before the next draw of each pass that it is enabled for, so
 * that the draws of a rendering are recorded once and replayed for every tile. Commands only note what changed;
 * adreno_before_draw (state.c) writes the groups that are dirty.
 *
 *   vkCmdBeginRendering ─▶ pieces of `draws`: targets, groups, draws …
 *   vkCmdEndRendering   ─▶ main stream: clears, then the pieces once (memory), or for each tile (GMEM) */
#ifndef ADRENO_DRIVER_GRAPHICS_H
#define ADRENO_DRIVER_GRAPHICS_H

#include "adreno/driver/image.h"
#include "adreno/driver/lrz.h"
#include "adreno/driver/pm4.h"
#include "adreno/driver/shader.h"
#include "adreno/driver/tiles.h"
#include "vulkan/runtime/pipeline/vk_output_locations.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"
#include "vulkan/runtime/render/vk_graphics_state.h"

struct adreno_cmd_buffer;

#define ADRENO_MAX_VERTEX_BUFFERS 32

/* ---- pipelines ---- */

/* In the order of the pipeline and of VkShaderStageFlagBits. */
enum adreno_stage {
    ADRENO_STAGE_VERTEX,
    ADRENO_STAGE_CONTROL,
    ADRENO_STAGE_EVALUATION,
    ADRENO_STAGE_GEOMETRY,
    ADRENO_STAGE_FRAGMENT,
    ADRENO_STAGES,
};

/* vk_pipeline::driver_data of a graphics pipeline. */
struct adreno_graphics_pipeline {
    struct adreno_shader *shaders[ADRENO_STAGES]; /* NULL: none */
    enum adreno_stage last;                       /* before the rasteriser */
    struct adreno_link link;
    struct vk_code_place place;                /* of the program's group */
    struct adreno_range program;               /* shaders, linking, immediates */
    struct adreno_range binning;               /* the same for binning passes; empty: the same serves */
    uint8_t attributes[ADRENO_MAX_ATTRIBUTES]; /* locations that the vertex shader reads, in the order of VFD */
    uint8_t num_attributes;
    uint8_t color_mask;    /* targets that the fragment shader writes */
    uint64_t tess_va;      /* of the memory that patches share; 0: no tessellation */
    bool is_feedback_loop; /* its shaders may read what it draws into */
};

/* ---- groups ---- */

enum adreno_group {
    ADRENO_GROUP_PROGRAM,
    ADRENO_GROUP_PROGRAM_BINNING, /* instead, in binning passes, where the vertex shader has a version for them */
    ADRENO_GROUP_VERTEX_INPUT,
    ADRENO_GROUP_VERTEX_BUFFERS,
    ADRENO_GROUP_VIEWPORT,
    ADRENO_GROUP_RASTER,
    ADRENO_GROUP_SAMPLES,
    ADRENO_GROUP_DEPTH,
    ADRENO_GROUP_LRZ,
    ADRENO_GROUP_BLEND,
    ADRENO_GROUP_SETS,
    ADRENO_GROUP_SETS_IN_TILES, /* instead, in tiles, where input attachments are read from GMEM (inputs.c) */
    ADRENO_GROUP_CONSTANTS,
    ADRENO_GROUP_COUNT,
    ADRENO_GROUP_ALL = (1 << ADRENO_GROUP_COUNT) - 1,
};

/* Dirty state beside the rows of dynamic state. */
enum adreno_graphics_dirty {
    ADRENO_DIRTY_PIPELINE = 1 << 0,
    ADRENO_DIRTY_TARGETS = 1 << 1, /* attachments and views */
    ADRENO_DIRTY_VERTEX_BUFFERS = 1 << 2,
    ADRENO_DIRTY_INDEX_TYPE = 1 << 3,
    ADRENO_DIRTY_QUERIES = 1 << 4,
    ADRENO_DIRTY_LRZ = 1 << 5, /* what draws do with low-resolution depth */
    ADRENO_DIRTY_ALL = (1 << 6) - 1,
};

/* ---- renderings ---- */

/* An attachment's way into GMEM and out of it. */
struct adreno_pass_part {
    const struct vk_image_view *view;
    struct adreno_target target;  /* in memory; format 0 and depth_format 0: none */
    struct adreno_target resolve; /* va 0: none */
    struct adreno_target resolve_stencil;
    const struct vk_image *resolve_image; /* NULL: none */
    VkFormat format;
    VkImageAspectFlags aspects;            /* of what the part holds: a packed format has depth and stencil in one */
    bool is_loaded, is_cleared, is_stored; /* of colour or depth */
    bool is_stencil_loaded, is_stencil_cleared, is_stencil_stored; /* of a packed format's stencil */
    bool is_resolve_average;
    VkClearValue clear;
    uint32_t gmem_B, gmem_layer_B; /* where it is, and from a layer to the next */
};

/* Colours of joined subpasses together (vk_render_pass.h). */
#define ADRENO_MAX_PASS_COLORS 12

enum {
    ADRENO_PART_DEPTH = ADRENO_MAX_PASS_COLORS,
    ADRENO_PART_STENCIL,
    ADRENO_PARTS,
    ADRENO_PART_NONE = ADRENO_PARTS, /* an empty one */
};

struct adreno_pass {
    bool is_active;
    bool is_joined;    /* of several subpasses */
    bool reads_inputs; /* of a secondary command buffer: it does not know whether these are in GMEM */
    struct adreno_pass_part parts[ADRENO_PARTS + 1];
    uint32_t part_mask;                       /* of the rendering, and of the subpass that is recorded: */
    uint8_t colors[VK_MAX_COLOR_ATTACHMENTS]; /* the part of each; ADRENO_PART_NONE */
    bool has_depth, has_stencil;
    const struct vk_image_view *depth_view; /* of the rendering; NULL: none */
    const struct adreno_image *resolved_depth;
    struct adreno_tiles tiles;
    uint32_t layer_mask; /* of layers or views that tiles have; 0: too many */
    struct adreno_lrz_pass lrz;
    uint32_t first_piece, first_clear, first_after; /* of `draws`, `clears` and `after` */
    uint32_t num_draws;
    bool needs_memory; /* something was recorded that tiles cannot do */
    bool cannot_bin;
    bool needs_binning; /* something must happen once, and not for each tile */
};

struct adreno_graphics {
    struct vk_graphics_pipeline *pipeline;
    const struct adreno_graphics_pipeline *baked; /* NULL: no pipeline is bound */
    struct adreno_range groups[ADRENO_GROUP_COUNT];
    uint32_t dirty_groups; /* to be named in the stream */
    uint32_t dirty;        /* enum adreno_graphics_dirty */

    uint64_t index_va;
    uint32_t index_count; /* that fit into the buffer */
    uint8_t index_size;   /* ADRENO_INDEX_SIZE_* */
    struct {
        uint64_t va, size_B;
    } vertex_buffers[ADRENO_MAX_VERTEX_BUFFERS];
    struct {
        uint64_t va, size_B;   /* size_B 0: none is bound */
    } xfb[ADRENO_XFB_BUFFERS]; /* xfb.c */

    /* Values that the last draw left in registers. */
    struct {
        bool is_valid;
        uint32_t base_vertex, base_instance, draw_index;
    } last;

    struct adreno_lrz_use lrz_use; /* of the last draw */
    struct vk_color_slots slots;

    bool is_predicated; /* predicate.c */
    uint8_t occlusion_queries, statistics_queries,
        generated_queries; /* that are active: operations of the driver's own pause them */

    struct adreno_cs draws;  /* of all renderings of the recording */
    struct adreno_cs clears; /* draws that clear targets of several samples in memory */
    struct adreno_cs *cs;    /* where draws go; NULL: the main stream */
    struct adreno_cs after;  /* what must happen after a rendering, not for every tile */
    struct adreno_pass pass;
};

static inline struct adreno_graphics_pipeline *adreno_baked(const struct vk_pipeline *pipeline)
{
    return pipeline->driver_data;
}

static inline const struct adreno_shader_config *adreno_last_config(const struct adreno_graphics_pipeline *baked)
{
    return &baked->shaders[baked->last]->binary.config;
}

/* ---- stages (stages.c, stage_outputs.c) ---- */

void adreno_load_constants(struct adreno_cs *cs, enum adreno_stage stage, uint32_t first, const void *words,
                           uint32_t count_dw);
void adreno_emit_stage_configs(struct adreno_cs *cs, struct adreno_shader *const shaders[ADRENO_STAGES]);
void adreno_emit_stage(struct adreno_cs *cs, const struct adreno_chip *chip, enum adreno_stage stage,
                       const struct adreno_shader *shader);
enum adreno_THREADSIZE adreno_threadsize(const struct adreno_shader_config *config);
/* Of the last stage before the rasteriser, and what is captured of it. */
void adreno_emit_outputs(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked);

/* ---- tessellation (tess.c) ---- */

VkResult adreno_tess_memory(struct adreno_device *device, uint64_t *va_out);
void adreno_emit_tess(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked);
void adreno_emit_tess_state(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs); /* what commands may set */
/* That may be under way together. */
uint32_t adreno_tess_patches(const struct adreno_tess_plan *plan);

/* ---- life (render.c) ---- */

void adreno_graphics_init(struct adreno_cmd_buffer *cmd);
void adreno_graphics_reset(struct adreno_cmd_buffer *cmd, bool release);
/* Registers were written elsewhere; what is bound stays. */
void adreno_graphics_forget(struct adreno_cmd_buffer *cmd);
void adreno_graphics_begin(struct adreno_cmd_buffer *cmd, const VkCommandBufferBeginInfo *info);
void adreno_graphics_end(struct adreno_cmd_buffer *cmd);
/* Draws of a secondary command buffer that continues the rendering. */
void adreno_graphics_execute(struct adreno_cmd_buffer *cmd, struct adreno_cmd_buffer *secondary);

/* ---- pipelines (graphics_compile.c, graphics_pipeline.c) ---- */

VkResult adreno_graphics_compile(struct adreno_device *device, uint32_t count, const struct vk_stage_job *jobs,
                                 const struct vk_graphics_state *state, struct vk_code **codes_out);
void adreno_graphics_hash_state(struct vk_device *device, const struct vk_graphics_state *state,
                                VkShaderStageFlags stages, struct vk_hasher *hasher);
bool adreno_graphics_fits(struct vk_shader *const *shaders); /* vk_codegen::fits */
VkResult adreno_graphics_pipeline_init(struct vk_device *device, struct vk_pipeline *pipeline,
                                       const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator);
void adreno_graphics_pipeline_finish(struct vk_device *device, struct vk_pipeline *pipeline,
                                     const VkAllocationCallbacks *allocator);
void adreno_graphics_bind(struct adreno_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline);

/* ---- state (state*.c): each writes one group ---- */

bool adreno_before_draw(struct adreno_cmd_buffer *cmd);
void adreno_emit_vertex_input(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_emit_vertex_buffers(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_emit_viewport(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_emit_raster(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_emit_samples(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_emit_depth(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_emit_blend(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);

/* ---- targets (target.c) ---- */

/* The rendering's attachments as parts, their place in GMEM, how they are loaded and stored, and their registers;
 * adreno_choose_parts finds those of the subpass. */
void adreno_fill_parts(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info);
void adreno_choose_parts(struct adreno_cmd_buffer *cmd);
const struct vk_joined_rendering *adreno_joined(const VkRenderingInfo *info); /* NULL: one subpass */
void adreno_choose_tiles(struct adreno_cmd_buffer *cmd);
void adreno_set_operations(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info);
void adreno_commit_parts(struct adreno_cmd_buffer *cmd, bool is_in_tiles);
void adreno_emit_targets(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);

/* ---- input attachments (inputs.c) ---- */

/* Addresses of copies of the bound sets whose input attachments are read from GMEM; false: no set needs one. */
bool adreno_sets_in_tiles(struct adreno_cmd_buffer *cmd, uint32_t sets, uint64_t *vas_out);

/* ---- renderings ---- */

/* vk_device::next_subpass (render.c). */
void adreno_next_subpass(struct vk_command_buffer *cmd, const VkDependencyInfo *dependency,
                         const VkRenderingInfo *info);

/* vkCmdBeginRendering's half that draws of the driver's own need, too: `info` without load operations (render.c). */
void adreno_set_targets(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info);

/* The pieces of a stream from one on; those of draws that the rendering has recorded (sysmem.c). */
void adreno_call_pieces(struct adreno_cs *cs, const struct adreno_cs *from, uint32_t first);
void adreno_call_draws(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);

/* sysmem.c: the rendering that was recorded, into memory. */
void adreno_draw_into_memory(struct adreno_cmd_buffer *cmd);
/* Registers around draws into memory, and those that say which pixels may be drawn. */
void adreno_emit_memory_mode(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t right, uint32_t bottom);
void adreno_emit_window(struct adreno_cs *cs, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t offset_x,
                        uint32_t offset_y);

/* gmem.c: the rendering that was recorded, tile by tile. */
bool adreno_can_use_gmem(struct adreno_cmd_buffer *cmd);
void adreno_emit_tiles(struct adreno_cmd_buffer *cmd);

/* tile_store.c: stores and resolves of tiles by the 2D engine, where a BLIT event cannot. False: something can leave
 * GMEM by neither. */
struct adreno_tile_rect {
    uint32_t x0, y0, x1, y1; /* pixels of the area, the last ones not included */
};
bool adreno_can_store(const struct adreno_cmd_buffer *cmd);
bool adreno_stores_by_engine(const struct adreno_cmd_buffer *cmd, const struct adreno_pass_part *part,
                             const struct adreno_target *memory);
void adreno_before_stores(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_store_by_engine(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, const struct adreno_pass_part *part,
                            const struct adreno_target *memory, const struct adreno_tile_rect *rect);

/* visibility.c. False without memory: then nothing is binned. */
bool adreno_visibility(struct adreno_device *device, struct adreno_visibility *out);
void adreno_visibility_finish(struct adreno_device *device);
/* After a binning pass: which streams were too short. */
void adreno_emit_overflow(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs,
                          const struct adreno_visibility *visibility);

#endif
