/* What a draw finds in the registers: the table of atoms, and writing those that are old. */
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_hang.h"
#include "amd/hw/regs_spi.h"
#include "util/bits.h"

/* A few registers that are written together, and what they are made of. */
struct atom {
    uint64_t rows;  /* of dynamic state */
    uint32_t dirty; /* enum radeon_graphics_dirty */
    void (*emit)(struct radeon_cmd_buffer *cmd);
};

#define RASTER_SAMPLES                                                                                                 \
    (VK_DYN(SAMPLES) | VK_DYN(SAMPLE_LOCATIONS) | VK_DYN(SAMPLE_LOCATIONS_ENABLE) | VK_DYN(LINE_MODE) |                \
     VK_DYN(TOPOLOGY) | VK_DYN(POLYGON_MODE))

static const struct atom atoms[] = {
    {0, RADEON_DIRTY_TARGETS, radeon_emit_targets},
    {VK_DYN(VIEWPORTS) | VK_DYN(VIEWPORT_COUNT) | VK_DYN(NEGATIVE_ONE_TO_ONE) | VK_DYN(DEPTH_CLAMP), 0,
     radeon_emit_viewports},
    {VK_DYN(SCISSORS) | VK_DYN(SCISSOR_COUNT) | VK_DYN(VIEWPORTS) | VK_DYN(VIEWPORT_COUNT), 0, radeon_emit_scissors},
    {VK_DYN(VIEWPORTS) | VK_DYN(VIEWPORT_COUNT) | VK_DYN(TOPOLOGY) | VK_DYN(POLYGON_MODE) | VK_DYN(LINE_WIDTH), 0,
     radeon_emit_guard_band},
    {VK_DYN(DISCARD_RECTANGLE_MODE) | VK_DYN(DISCARD_RECTANGLES), 0, radeon_emit_discard_rectangles},
    {VK_DYN(CULL_MODE) | VK_DYN(FRONT_FACE) | VK_DYN(POLYGON_MODE) | VK_DYN(DEPTH_BIAS_ENABLE) |
         VK_DYN(PROVOKING_VERTEX),
     0, radeon_emit_polygons},
    {VK_DYN(DEPTH_CLAMP) | VK_DYN(DEPTH_CLIP) | VK_DYN(RASTERIZER_DISCARD) | VK_DYN(NEGATIVE_ONE_TO_ONE), 0,
     radeon_emit_clipping},
    {VK_DYN(CONSERVATIVE_MODE), 0, radeon_emit_conservative},
    {VK_DYN(DEPTH_BIAS), 0, radeon_emit_depth_bias},
    {VK_DYN(LINE_WIDTH) | VK_DYN(LINE_MODE) | VK_DYN(LINE_STIPPLE) | VK_DYN(LINE_STIPPLE_ENABLE) | VK_DYN(TOPOLOGY), 0,
     radeon_emit_lines},
    {VK_DYN(TOPOLOGY), 0, radeon_emit_topology},
    {VK_DYN(PRIMITIVE_RESTART), RADEON_DIRTY_INDEX_TYPE, radeon_emit_index_type},
    {VK_DYN(DEPTH_TEST) | VK_DYN(DEPTH_WRITE) | VK_DYN(DEPTH_COMPARE_OP) | VK_DYN(DEPTH_BOUNDS_TEST) |
         VK_DYN(STENCIL_TEST) | VK_DYN(STENCIL_OP),
     RADEON_DIRTY_FORMATS, radeon_emit_depth_control},
    {VK_DYN(STENCIL_OP) | VK_DYN(STENCIL_COMPARE_MASK) | VK_DYN(STENCIL_WRITE_MASK) | VK_DYN(STENCIL_REFERENCE), 0,
     radeon_emit_stencil},
    {VK_DYN(DEPTH_BOUNDS), 0, radeon_emit_depth_bounds},
    {VK_DYN(DEPTH_CLAMP) | VK_DYN(DEPTH_CLIP), RADEON_DIRTY_SPECIAL, radeon_emit_depth_override},
    {VK_DYN(SAMPLES), RADEON_DIRTY_OCCLUSION, radeon_emit_occlusion},
    {VK_DYN(BLEND_ENABLE) | VK_DYN(BLEND_EQUATION) | VK_DYN(LOGIC_OP_ENABLE), RADEON_DIRTY_FORMATS, radeon_emit_blend},
    {VK_DYN(LOGIC_OP) | VK_DYN(LOGIC_OP_ENABLE) | VK_DYN(COLOR_WRITE_MASK) | VK_DYN(COLOR_WRITE_ENABLE),
     RADEON_DIRTY_FORMATS | RADEON_DIRTY_SPECIAL, radeon_emit_color_control},
    {VK_DYN(BLEND_CONSTANTS), 0, radeon_emit_blend_constants},
    {RASTER_SAMPLES | VK_DYN(LINE_STIPPLE_ENABLE) | VK_DYN(CONSERVATIVE_MODE), RADEON_DIRTY_SHADING,
     radeon_emit_samples},
    {RASTER_SAMPLES, 0, radeon_emit_sample_locations},
    {VK_DYN(SAMPLE_MASK), 0, radeon_emit_sample_mask},
    {VK_DYN(ALPHA_TO_COVERAGE), 0, radeon_emit_alpha_to_coverage},
    {VK_DYN(VERTEX_INPUT), RADEON_DIRTY_PIPELINE, radeon_emit_vertex_input},
    {VK_DYN(VERTEX_INPUT) | VK_DYN(BINDING_STRIDES), RADEON_DIRTY_VERTEX_BUFFERS | RADEON_DIRTY_PIPELINE,
     radeon_emit_vertex_buffers},
    {0, RADEON_DIRTY_XFB | RADEON_DIRTY_PIPELINE, radeon_emit_xfb},
};

static void emit_pipeline(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics.baked;
    radeon_cs_reserve(&cmd->cs, baked->count_dw);
    radeon_emit_array(&cmd->cs, baked->dw, baked->count_dw);
    struct amd_sgpr_place place = baked->fragment->binary.config.user[AMD_USER_sample_state];
    if (place.count)
        cmd->graphics.dirty |= RADEON_DIRTY_SHADING;
}

/* Fragment shaders that do not know the number of samples are told its logarithm. */
static void emit_sample_state(struct radeon_cmd_buffer *cmd)
{
    struct amd_sgpr_place place = cmd->graphics.baked->fragment->binary.config.user[AMD_USER_sample_state];
    if (!place.count)
        return;
    radeon_cs_reserve(&cmd->cs, 3);
    radeon_set_sh_reg(&cmd->cs, AMD_REG_SPI_SHADER_USER_DATA_PS + place.first * 4u,
                      log2_floor(MAX2(cmd->vk.dynamic_state.ms.samples, 1)));
}

static void __attribute__((noinline)) emit_state(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = &cmd->graphics;
    struct vk_dynamic_graphics_state *dyn = &cmd->vk.dynamic_state;
    if (graphics->dirty & RADEON_DIRTY_PIPELINE)
        emit_pipeline(cmd);
    uint64_t rows = dyn->dirty;
    uint32_t dirty = graphics->dirty;
    for (size_t i = 0; i < ARRAY_SIZE(atoms); i++) {
        if (atoms[i].rows & rows || atoms[i].dirty & dirty)
            atoms[i].emit(cmd);
    }
    if (rows & VK_DYN(SAMPLES) || dirty & RADEON_DIRTY_SHADING)
        emit_sample_state(cmd);
    dyn->dirty = 0;
    graphics->dirty &= RADEON_DIRTY_INDEX_BUFFER;
}

static void emit_user_data(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics.baked;
    struct radeon_bindings *bindings = &cmd->bindings[RADEON_BIND_GRAPHICS];
    radeon_push_descriptors_flush(cmd, bindings);
    bool all = bindings->dynamic_dirty;
    radeon_emit_user_data(cmd, RADEON_BIND_GRAPHICS, baked->vertex, baked->vertex_user_reg, bindings->dirty,
                          all || cmd->push_dirty & VK_SHADER_STAGE_VERTEX_BIT);
    radeon_emit_user_data(cmd, RADEON_BIND_GRAPHICS, baked->fragment, AMD_REG_SPI_SHADER_USER_DATA_PS, bindings->dirty,
                          all || cmd->push_dirty & VK_SHADER_STAGE_FRAGMENT_BIT);
    bindings->dirty = 0;
    bindings->dynamic_dirty = false;
    cmd->push_dirty &= ~(VkShaderStageFlags)VK_SHADER_STAGE_ALL_GRAPHICS;
}

bool radeon_before_draw(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_bindings *bindings = &cmd->bindings[RADEON_BIND_GRAPHICS];
    if (__builtin_expect(!cmd->graphics.baked, 0))
        return false;
    if (cmd->vk.dynamic_state.dirty || cmd->graphics.dirty & ~(uint32_t)RADEON_DIRTY_INDEX_BUFFER)
        emit_state(cmd);
    if (bindings->dirty || bindings->dynamic_dirty || bindings->push_dirty ||
        cmd->push_dirty & VK_SHADER_STAGE_ALL_GRAPHICS)
        emit_user_data(cmd);
    if (cmd->flush)
        radeon_flush(cmd);
    radeon_mark(cmd);
    return true;
}

/* ---- what is known ---- */

void radeon_graphics_forget_registers(struct radeon_cmd_buffer *cmd)
{
    vk_dynamic_graphics_state_dirty_all(&cmd->vk.dynamic_state);
    cmd->graphics.dirty = RADEON_DIRTY_ALL;
    cmd->bindings[RADEON_BIND_GRAPHICS].dirty = UINT32_MAX;
    cmd->push_dirty |= VK_SHADER_STAGE_ALL_GRAPHICS;
    cmd->graphics.last.valid = false;
    cmd->graphics.last.num_instances = 0;
}

void radeon_graphics_reset(struct radeon_cmd_buffer *cmd)
{
    cmd->graphics = (struct radeon_graphics_state){0};
    memset(&cmd->xfb, 0, sizeof(cmd->xfb));
    radeon_graphics_forget_registers(cmd);
}

void radeon_graphics_save(const struct radeon_cmd_buffer *cmd, struct radeon_graphics_saved *saved)
{
    saved->dynamic = cmd->vk.dynamic_state;
    saved->graphics = cmd->graphics;
}

void radeon_graphics_restore(struct radeon_cmd_buffer *cmd, const struct radeon_graphics_saved *saved)
{
    cmd->vk.dynamic_state = saved->dynamic;
    cmd->graphics = saved->graphics;
    radeon_graphics_forget_registers(cmd);
}
