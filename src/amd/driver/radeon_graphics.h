/* A command buffer's graphics state: the pipeline's baked packets, render targets, vertex and index buffers, and
 * which of them are dirty. Commands only note what changed; radeon_before_draw (radeon_state.c) writes it by a table
 * of atoms, each a few registers with the rows of dynamic state and the bits below that they depend on. */
#ifndef AMD_DRIVER_RADEON_GRAPHICS_H
#define AMD_DRIVER_RADEON_GRAPHICS_H

#include "amd/driver/radeon_shader.h"
#include "amd/driver/radeon_surface.h"
#include "vulkan/runtime/pipeline/vk_output_locations.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"
#include "vulkan/runtime/render/vk_graphics_state.h"

struct radeon_cmd_buffer;
struct radeon_image_view;

#define RADEON_MAX_VERTEX_BUFFERS 32

/* Beyond VkPrimitiveTopology, for the driver's own draws: three corners of a rectangle parallel to the axes. */
#define RADEON_TOPOLOGY_RECT_LIST 0x40

/* ---- words that pipelines share (radeon_words.c) ---- */

struct radeon_words {
    struct radeon_words *next; /* of the same hash */
    uint64_t hash;
    uint32_t users;
    uint32_t count_dw;
    uint32_t dw[];
};

void radeon_words_table_init(struct radeon_device *device);
void radeon_words_table_finish(struct radeon_device *device);
/* The one object with this content, and a reference to it; NULL when there is no memory. */
const struct radeon_words *radeon_words_get(struct radeon_device *device, const uint32_t *dw, uint32_t count_dw);
void radeon_words_put(struct radeon_device *device, const struct radeon_words *words); /* NULL is allowed */

/* ---- pipelines ---- */

/* Registers that a pipeline may have as ready packets. A draw copies those blocks that are not in the registers yet;
 * what commands may change stays out of them. The last two depend on the formats of the targets. */
enum radeon_block {
    RADEON_BLOCK_VERTEX,   /* of the shaders: always whole */
    RADEON_BLOCK_GEOMETRY, /* sizes of subgroups */
    RADEON_BLOCK_FRAGMENT,
    RADEON_BLOCK_VIEWPORT,
    RADEON_BLOCK_RASTER,
    RADEON_BLOCK_SAMPLES,
    RADEON_BLOCK_DEPTH,
    RADEON_BLOCK_COLOR,
    RADEON_BLOCK_COUNT,
    RADEON_BLOCK_FORMATS = RADEON_BLOCK_DEPTH, /* from here on */
    RADEON_BLOCK_NONE = RADEON_BLOCK_COUNT,    /* of an atom that is never baked */
};

/* All that state depends on in the targets' formats: bits by number. */
enum radeon_target_traits {
    RADEON_TARGET_COLOR = 1 << 0, /* there is one */
    RADEON_TARGET_BLENDABLE = 1 << 8,
    RADEON_TARGET_NO_LOGIC = 1 << 16, /* logic operations leave it alone */
    RADEON_TARGET_DEPTH = 1 << 24,
    RADEON_TARGET_STENCIL = 1 << 25,
};

uint32_t radeon_color_traits(uint32_t number, VkFormat format);
static inline uint32_t radeon_depth_traits(VkFormat depth, VkFormat stencil)
{
    return (depth != VK_FORMAT_UNDEFINED ? RADEON_TARGET_DEPTH : 0) |
           (stencil != VK_FORMAT_UNDEFINED ? RADEON_TARGET_STENCIL : 0);
}

/* The table of vertex descriptors that shaders read, without addresses: this for each. */
struct radeon_vertex_element {
    uint32_t binding, stride_B;
    uint32_t end_B; /* where the farthest attribute of the element ends */
    uint32_t word3; /* of the descriptor */
};
#define RADEON_VERTEX_ELEMENT_DW 4

/* Fills elements for the layout and says how many there are: one at least. */
uint32_t radeon_vertex_elements(const struct radeon_device *device, const struct vk_vertex_input_state *vi,
                                struct radeon_vertex_element elements[RADEON_MAX_VERTEX_BUFFERS]);

/* VK_SHADER_STAGE_ALL_GRAPHICS is older than mesh shaders. */
#define RADEON_GRAPHICS_STAGES                                                                                         \
    ((VkShaderStageFlags)(VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT))

/* The user SGPRs of a stage that binds and push constants change, as words of the SH file. */
#define RADEON_PLAN_SETS 4
#define RADEON_PLAN_PUSH_DW 16
struct radeon_user_plan {
    uint32_t sets; /* by number: those that the code reads, each in a register of its own */
    uint32_t set_reg[RADEON_PLAN_SETS];
    uint32_t push_reg;
    uint8_t push_first, push_count; /* words of the push constants; 0: none */
};

/* vk_pipeline::driver_data of a graphics pipeline. */
struct radeon_graphics_pipeline {
    /* Never NULL: without a fragment shader, one that does nothing. A geometry shader is part of the vertex shader;
     * with tessellation the vertex shader is the evaluation shader. */
    struct radeon_shader *vertex, *fragment;
    const struct radeon_shader *copy; /* of vertices that a geometry shader has left in memory; NULL: there is none */
    struct radeon_shader *hull;       /* the vertex and the control shader of tessellation; NULL: there is none */
    struct radeon_shader *task;       /* before a mesh shader; NULL: there is none */
    struct radeon_shader *front;      /* that fetches vertices: hull or vertex */
    uint32_t front_user_reg;          /* the same for it as: */
    uint32_t vertex_user_reg; /* byte address of the register that SGPR 0 would be in: USER_DATA begins at s8 of NGG */
    uint32_t base_vertex_reg; /* of AMD_USER_base_vertex; the base instance is the next but for a draw index */
    bool has_draw_index, has_view_index, has_vertex_buffers;
    bool has_xfb_descriptors; /* which are loaded although nothing may be written */
    bool is_ngg, is_prolog;
    bool is_merged;           /* the vertex shader runs in the ES and GS stages, by NGG or not */
    bool is_mesh;             /* the vertex shader is a mesh shader */
    bool has_geometry;        /* or tessellation or a mesh shader: what is drawn does not follow from the topology */
    uint8_t geometry_outprim; /* AMD_GS_OUTPRIM_* of the geometry shader */
    uint8_t xfb_buffers;      /* that transform feedback writes, by number */
    uint16_t xfb_streams;     /* the same by stream, four bits each: VGT_STRMOUT_BUFFER_CONFIG */
    bool sample_shading;      /* an invocation for each sample */
    bool stays_fine;          /* no fragment has more than one pixel, whatever the shading rate is */
    bool owns_fragment;       /* the empty one: a reference of its own */
    bool has_sample_state;
    bool has_geometry_user; /* which vertex gives flat values, or where to count: user SGPRs of the vertex stage */
    uint32_t scratch_B_per_wave;
    uint32_t geometry_ring_B;
    /* Commands change nothing but buffers, sets and push constants: the first draw of a recording asks of little. */
    bool is_plain;
    /* Of the two stages that most pipelines have; without has_plans one of them reads a table, memory or more sets. */
    bool has_plans;
    struct radeon_user_plan vertex_plan, fragment_plan;
    const struct radeon_words *blocks[RADEON_BLOCK_COUNT]; /* packets; NULL: none */
    struct radeon_whole *whole;                            /* of all of them; NULL: too many */
    /* The places of user SGPRs, and the buffers of transform feedback: pipelines of the same need not write them
     * again. */
    const struct radeon_words *vertex_user, *fragment_user, *hull_user;
    const struct radeon_words *vertex_elements; /* struct radeon_vertex_element; NULL: commands may change them */
    uint32_t traits;                            /* enum radeon_target_traits, of the formats that it was made for */
    uint32_t live_atoms;                        /* bits of radeon_state.c's table: those that are in no block */
    uint64_t live_rows;                         /* of these */
    uint32_t live_dirty;
    uint64_t serial; /* of all pipelines that the device has ever had; not 0 */
    /* Traits that a bind compares beside blocks: pipelines with the same need nothing else. NULL: each bind looks. */
    const struct radeon_words *traits_of_bind;
};

/* ---- steps from pipeline to pipeline (radeon_step.c) ---- */

#define RADEON_STEP_MAX_DW 48
#define RADEON_STEPS 32

/* The blocks that a pipeline must write where the registers have those of another. */
struct radeon_step {
    uint64_t from, to; /* serials */
    uint32_t count_dw; /* RADEON_STEP_WHOLE: nothing is known of them, or too much differs */
    uint32_t dw[RADEON_STEP_MAX_DW];
};
#define RADEON_STEP_WHOLE UINT32_MAX

/* The last steps that recordings of a pool made. */
struct radeon_steps {
    struct radeon_step at[RADEON_STEPS];
};

void radeon_step_make(struct radeon_step *step, const struct radeon_graphics_pipeline *from,
                      const struct radeon_graphics_pipeline *to);
/* Makes one, in the place that it has among the steps; NULL: no memory. */
struct radeon_cmd_pool;
const struct radeon_step *radeon_step_find(struct radeon_cmd_pool *pool, const struct radeon_graphics_pipeline *from,
                                           const struct radeon_graphics_pipeline *to);

static inline struct radeon_step *radeon_step_at(struct radeon_steps *steps,
                                                 const struct radeon_graphics_pipeline *from,
                                                 const struct radeon_graphics_pipeline *to)
{
    return &steps->at[(from->serial * 5 + to->serial) % RADEON_STEPS];
}

/* ---- at the beginning of a recording, where nothing is known of the registers (radeon_whole.c) ---- */

/* All blocks of a pipeline. */
struct radeon_whole {
    uint32_t count_dw;
    uint32_t dw[]; /* there are more, for copies of several at a time */
};

/* For a pipeline whose blocks are there; false without memory. */
bool radeon_whole_make(struct radeon_device *device, struct radeon_graphics_pipeline *baked);

/* A few registers that most recordings begin with alike, as the last of a pool wrote them (radeon_state.c). */
#define RADEON_BEGUN_DW 12
struct radeon_begun {
    uint32_t key; /* what they were made of; 0: there are none yet */
    uint32_t dw[RADEON_BEGUN_DW];
};

/* The blocks of static state (radeon_state.c): all rows that `state` has set, as far as no command may change what they
 * are written with. Without a state nothing is baked. The rest of `baked` is there. */
VkResult radeon_bake_state(struct radeon_device *device, const struct vk_graphics_state *state,
                           struct radeon_graphics_pipeline *baked);

/* Buffers have a descriptor each, in the order of their bindings, or with robustBufferAccess2 each attribute has one,
 * in the order of locations: then an attribute may be out of bounds beside another of its binding that is not. */
static inline bool radeon_has_attribute_descriptors(const struct radeon_device *device)
{
    return device->vk.enabled_features.robustBufferAccess2;
}

/* Fragments may have several pixels. */
#define RADEON_COARSE_SAMPLES (VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT)
static inline bool radeon_has_shading_rates(const struct radeon_device *device)
{
    return device->vk.enabled_features.pipelineFragmentShadingRate ||
           device->vk.enabled_features.primitiveFragmentShadingRate ||
           device->vk.enabled_features.attachmentFragmentShadingRate;
}

/* The attributes of `locations` as the compiler wants them; those that are not there stay as they are. */
void radeon_fill_attributes(const struct radeon_device *device, const struct vk_vertex_input_state *vi,
                            uint32_t locations, struct amd_vertex_attribute attributes[AMD_MAX_ATTRIBUTES]);

/* ---- what a recording knows ---- */

/* Dirty state beside the rows of dynamic state. */
enum radeon_graphics_dirty {
    RADEON_DIRTY_PIPELINE = 1 << 0, /* blocks */
    RADEON_DIRTY_TARGETS = 1 << 1,  /* attachments, render area: radeon_render.c */
    RADEON_DIRTY_FORMATS = 1 << 2,  /* which targets there are, and their formats */
    RADEON_DIRTY_VERTEX_BUFFERS = 1 << 3,
    RADEON_DIRTY_INDEX_TYPE = 1 << 4,
    RADEON_DIRTY_INDEX_BUFFER = 1 << 5, /* for indirect draws; direct ones carry the address */
    RADEON_DIRTY_OCCLUSION = 1 << 6,    /* cmd->queries.occlusion_active or precise_active changed */
    RADEON_DIRTY_SPECIAL = 1 << 7,      /* struct radeon_special */
    RADEON_DIRTY_SHADING = 1 << 8, /* whether the fragment shader runs for each sample, or is for large fragments */
    RADEON_DIRTY_XFB = 1 << 9,     /* transform feedback began, ended or has other buffers */
    RADEON_DIRTY_VERTEX_USER = 1 << 10, /* user SGPRs of the vertex stage that are no sets and push constants */
    RADEON_DIRTY_ALL = (1 << 11) - 1,
};

/* The render backends' state for an operation of the driver's own; all zero for an application's draw. */
struct radeon_special {
    uint8_t cb_mode;            /* AMD_CB_MODE_*; 0: by the state */
    uint32_t db_render_control; /* the whole register */
};

struct radeon_graphics_state {
    struct vk_graphics_pipeline *pipeline;
    const struct radeon_graphics_pipeline *baked; /* NULL: no pipeline is bound */
    bool unbaked; /* targets have other formats than the pipeline was made for: its last blocks are not used */
    const struct radeon_graphics_pipeline *settled; /* all its blocks are in the registers; NULL: see `blocks` */
    bool has_blocks;                                /* some may be known */

    uint32_t traits;           /* enum radeon_target_traits, of the rendering (vk_command_buffer::rendering) */
    struct vk_color_slots slots; /* of it, too */

    uint32_t vertex_buffers_bound;              /* bits of `vertex_buffers` */
    const struct radeon_words *vertex_elements; /* what the descriptors were written with; NULL: dynamic state */
    uint64_t vertex_descriptors_va;             /* 0: to be written */
    uint64_t index_va;
    uint32_t index_count; /* that fit into the buffer */
    uint8_t index_type;   /* AMD_INDEX_TYPE_* */
    uint8_t index_log2_B;

    struct radeon_special special;
    uint32_t dirty; /* enum radeon_graphics_dirty */

    struct { /* VK_EXT_transform_feedback */
        struct {
            uint64_t va, size_B;
        } buffers[RADEON_XFB_BUFFERS];
        bool active;
        uint16_t enabled;        /* what VGT_STRMOUT_BUFFER_CONFIG has; 0 outside of feedback */
        uint64_t descriptors_va; /* 0: to be written */
    } xfb;

    /* Values that the last draw left in registers, so that the next need not write them again. */
    struct {
        bool valid; /* base_vertex, base_instance and draw_index */
        /* Otherwise these and num_instances are valid, and a draw with the same is one packet if nothing is dirty: no
         * views, no predicate, no marks, no index of the draw. */
        bool is_odd;
        uint32_t base_vertex, base_instance;
        uint32_t num_instances; /* 0: unknown */
        uint32_t draw_index;
    } last;

    /* A new recording does not clear what follows. */
    struct {
        uint64_t subpass; /* vk_rendering::subpass, of an earlier recording; 0: of none */
        uint32_t traits;  /* of it, where no target is moved */
    } inherited;
    const struct radeon_words *blocks[RADEON_BLOCK_COUNT]; /* with has_blocks and without `settled`: in the registers */
    struct radeon_depth_target rates; /* of a rendering with shading rates: its depth target (radeon_rates.h) */
    struct {
        uint64_t va, size_B;
    } vertex_buffers[RADEON_MAX_VERTEX_BUFFERS];
};

/* Before a block in the registers becomes another one, or unknown. */
static inline void radeon_unsettle(struct radeon_graphics_state *graphics)
{
    if (!graphics->settled)
        return;
    memcpy(graphics->blocks, graphics->settled->blocks, sizeof(graphics->settled->blocks));
    graphics->settled = NULL;
}

/* The next draw writes its arguments, its number of instances, too. */
static inline void radeon_forget_arguments(struct radeon_graphics_state *graphics)
{
    graphics->last.valid = false;
    graphics->last.is_odd = true;
    graphics->last.num_instances = 0;
}

/* Nothing is bound, nothing is known of the registers: for a new recording. */
void radeon_graphics_reset(struct radeon_cmd_buffer *cmd);
/* Registers were written elsewhere: by a secondary command buffer. What is bound stays. */
void radeon_graphics_forget_registers(struct radeon_cmd_buffer *cmd);

/* Everything that a draw needs into the stream; false where there is nothing to draw with. */
bool radeon_before_draw(struct radeon_cmd_buffer *cmd);

/* A secondary command buffer's inheritance: a rendering, an occlusion query (radeon_render.c). For
 * vkBeginCommandBuffer. */
void radeon_inherit_rendering(struct radeon_cmd_buffer *cmd, const VkCommandBufferBeginInfo *info);
/* Before vkCmdExecuteCommands: the targets must be in the stream. After it registers are forgotten. */
void radeon_graphics_before_execute(struct radeon_cmd_buffer *cmd);

/* ---- draws of the driver's own ----
 *
 *     struct radeon_graphics_saved saved;
 *     radeon_graphics_save(cmd, &saved);
 *     … bind a pipeline by radeon_graphics_bind, set cmd->vk.rec->dynamic_state, targets by radeon_set_targets …
 *     radeon_draw_internal(cmd, 3, instances, 0);
 *     radeon_graphics_restore(cmd, &saved); */
struct radeon_graphics_saved {
    struct vk_dynamic_graphics_state dynamic;
    struct vk_rendering rendering;
    struct radeon_graphics_state graphics;
};

void radeon_graphics_save(const struct radeon_cmd_buffer *cmd, struct radeon_graphics_saved *saved);
void radeon_graphics_restore(struct radeon_cmd_buffer *cmd, const struct radeon_graphics_saved *saved);
void radeon_graphics_bind(struct radeon_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline);
/* Clears write every attachment, whether or not it takes an output. Until the state is restored. */
void radeon_write_all_targets(struct radeon_cmd_buffer *cmd);
/* As vkCmdBeginRendering, without clears. There is nothing to end. */
void radeon_set_targets(struct radeon_cmd_buffer *cmd, const VkRenderingInfo *info);
void radeon_draw_internal(struct radeon_cmd_buffer *cmd, uint32_t vertices, uint32_t instances,
                          uint32_t first_instance);

/* ---- radeon_state_*.c: the atoms ---- */

void radeon_emit_viewports(struct radeon_cmd_buffer *cmd);
void radeon_emit_scissors(struct radeon_cmd_buffer *cmd);
void radeon_emit_guard_band(struct radeon_cmd_buffer *cmd);
void radeon_emit_discard_rectangles(struct radeon_cmd_buffer *cmd);
void radeon_emit_polygons(struct radeon_cmd_buffer *cmd);
void radeon_emit_conservative(struct radeon_cmd_buffer *cmd);
void radeon_emit_clipping(struct radeon_cmd_buffer *cmd);
void radeon_emit_depth_bias(struct radeon_cmd_buffer *cmd);
void radeon_emit_lines(struct radeon_cmd_buffer *cmd);
void radeon_emit_topology(struct radeon_cmd_buffer *cmd);
void radeon_emit_depth_control(struct radeon_cmd_buffer *cmd);
void radeon_emit_stencil(struct radeon_cmd_buffer *cmd);
void radeon_emit_depth_bounds(struct radeon_cmd_buffer *cmd);
void radeon_emit_depth_override(struct radeon_cmd_buffer *cmd);
void radeon_emit_occlusion(struct radeon_cmd_buffer *cmd);
void radeon_emit_blend(struct radeon_cmd_buffer *cmd);
void radeon_emit_color_control(struct radeon_cmd_buffer *cmd);
void radeon_emit_blend_constants(struct radeon_cmd_buffer *cmd);
void radeon_emit_samples(struct radeon_cmd_buffer *cmd);
void radeon_emit_sample_mask(struct radeon_cmd_buffer *cmd);
void radeon_emit_sample_locations(struct radeon_cmd_buffer *cmd);
void radeon_emit_alpha_to_coverage(struct radeon_cmd_buffer *cmd);
void radeon_emit_shading_rate(struct radeon_cmd_buffer *cmd);
void radeon_emit_targets(struct radeon_cmd_buffer *cmd);
void radeon_emit_vertex_buffers(struct radeon_cmd_buffer *cmd);
void radeon_emit_vertex_input(struct radeon_cmd_buffer *cmd);
void radeon_emit_index_type(struct radeon_cmd_buffer *cmd);

/* Tessellation (radeon_tess.c). */
void radeon_emit_tessellation(struct radeon_cmd_buffer *cmd);
void radeon_emit_tess_rings(struct radeon_cmd_buffer *cmd);
void radeon_bake_hull(struct radeon_cs *cs, const struct radeon_shader *hull);
/* For a pipeline that tessellates: the device has its rings. Queues learn of them with their next work. */
VkResult radeon_tess_need(struct radeon_device *device);
void radeon_tess_preamble(struct radeon_device *device, struct radeon_cs *cs);

/* Transform feedback (radeon_xfb.c). */
void radeon_emit_xfb(struct radeon_cmd_buffer *cmd);
static inline bool radeon_has_xfb(const struct radeon_graphics_state *graphics)
{
    return graphics->xfb.active || graphics->xfb.enabled || graphics->baked->has_xfb_descriptors;
}

/* Points, lines or triangles, polygon mode included: AMD_GS_OUTPRIM_*. */
uint8_t radeon_drawn_as(const struct radeon_cmd_buffer *cmd);

/* Vertices and primitives of an NGG subgroup. */
#define RADEON_NGG_SUBGROUP 128

/* ---- what a device keeps for graphics ---- */

struct radeon_graphics_cache;
VkResult radeon_graphics_cache_init(struct radeon_device *device);
void radeon_graphics_cache_finish(struct radeon_device *device); /* of a device whose init failed, too */
/* The fragment shader of a pipeline without one; a reference for the caller. */
VkResult radeon_empty_fragment_shader(struct radeon_device *device, struct radeon_shader **shader_out);
/* Parts that are put together at draw time (radeon_shader_parts.c). NULL without memory. They live as long as the
 * device. */
struct radeon_shader_part {
    uint64_t va;
    uint32_t vgpr_field; /* VGPRS of PGM_RSRC1; the shader's own may be greater */
};
const struct radeon_shader_part *radeon_vertex_prolog(struct radeon_device *device, const struct radeon_shader *main,
                                                      const struct vk_vertex_input_state *input);

#endif
