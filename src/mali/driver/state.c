/* Dirty state to registers of RUN_IDVS. What is made of it once is kept (struct mali_draw_state); registers are written
 * by the stream where they differ. */
#include <math.h>
#include <string.h>

#include "mali/driver/cmd.h"
#include "mali/driver/descriptor.h"
#include "mali/driver/uniforms.h"
#include "mali/hw/regs_idvs.h"
#include "util/bits.h"

#define DEPTH_ROWS                                                                                                     \
    (VK_DYN_GROUP_DEPTH_STENCIL | VK_DYN(DEPTH_CLAMP) | VK_DYN(DEPTH_CLIP) | VK_DYN(DEPTH_BIAS) |                      \
     VK_DYN(DEPTH_BIAS_ENABLE))

#define PLACE_ROWS (VK_DYN_GROUP_VIEWPORT | VK_DYN(RASTERIZER_DISCARD) | VK_DYN(TOPOLOGY) | VK_DYN(LINE_WIDTH))

#define DEPTH_PARTS (1u << MALI_PART_DEPTH | 1u << MALI_PART_STENCIL)

void mali_graphics_forget(struct mali_cmd_buffer *cmd)
{
    cmd->graphics.dirty = MALI_DIRTY_ALL;
    vk_dynamic_graphics_state_dirty_all(&cmd->vk.rec->dynamic_state);
    vk_bindings_all_dirty(&cmd->vk.rec->bindings[VK_BIND_GRAPHICS]);
    cmd->push_dirty |= VK_SHADER_STAGE_ALL_GRAPHICS;
}

/* ---- uniforms ---- */

static void put_float(uint32_t *word, float value)
{
    memcpy(word, &value, sizeof(value));
}

/* Fragments outside of the depth range are found by the depth that they have got, so a range must not be empty: the
 * hardware tells depths apart that are this far from each other. */
#define SMALLEST_RANGE 37.7e-6f

static void depth_range(const VkViewport *v, float *min_out, float *max_out)
{
    const float half = SMALLEST_RANGE / 2, sign = v->minDepth <= v->maxDepth ? 1 : -1;
    *min_out = v->minDepth;
    *max_out = v->maxDepth;
    if (fabsf(v->maxDepth - v->minDepth) >= SMALLEST_RANGE)
        return;
    const float middle = fminf(fmaxf((v->minDepth + v->maxDepth) / 2, half), 1 - half);
    *min_out = middle - sign * half;
    *max_out = middle + sign * half;
}

/* Pixels and depth are clip / w · scale + offset. */
static void viewport_sysvals(const struct vk_viewport_state *vp, struct mali_sysvals *out)
{
    const VkViewport *v = &vp->viewports[0];
    float min_depth, max_depth;
    depth_range(v, &min_depth, &max_depth);
    const float depth = max_depth - min_depth;
    uint32_t *scale = out->words[MALI_SYSVAL_VIEWPORT_SCALE], *offset = out->words[MALI_SYSVAL_VIEWPORT_OFFSET];
    put_float(&scale[0], v->width / 2);
    put_float(&scale[1], v->height / 2);
    put_float(&scale[2], vp->negative_one_to_one ? depth / 2 : depth);
    put_float(&offset[0], v->x + v->width / 2);
    put_float(&offset[1], v->y + v->height / 2);
    put_float(&offset[2], vp->negative_one_to_one ? (min_depth + max_depth) / 2 : min_depth);
}

static void upload_vertex_uniforms(struct mali_cmd_buffer *cmd)
{
    struct mali_graphics *graphics = &cmd->graphics;
    const struct mali_uniforms uniforms = mali_upload_uniforms(cmd, graphics->baked->vertex, graphics->vertex_words);
    graphics->state.vertex_uniforms = uniforms.value;
    graphics->state.vertex_uniforms_va = uniforms.va;
}

static void make_vertex_uniforms(struct mali_cmd_buffer *cmd)
{
    struct mali_graphics *graphics = &cmd->graphics;
    struct mali_sysvals sysvals;
    viewport_sysvals(&cmd->vk.rec->dynamic_state.vp, &sysvals);
    sysvals.words[MALI_SYSVAL_BASE_VERTEX][0] = graphics->base_vertex;
    sysvals.words[MALI_SYSVAL_BASE_INSTANCE][0] = graphics->base_instance;
    sysvals.words[MALI_SYSVAL_NOPERSPECTIVE][0] =
        graphics->baked->fragment ? graphics->baked->fragment->binary.config.fs.noperspective : 0;
    mali_fill_uniforms(cmd, graphics->baked->vertex, &sysvals, graphics->vertex_words);
    upload_vertex_uniforms(cmd);
}

static void make_fragment_uniforms(struct mali_cmd_buffer *cmd)
{
    struct mali_graphics *graphics = &cmd->graphics;
    const struct mali_shader *fragment = graphics->baked->fragment;
    struct mali_sysvals sysvals;
    graphics->state.fragment_uniforms = 0;
    if (!fragment)
        return;
    sysvals.words[MALI_SYSVAL_SAMPLES][0] = MAX2(cmd->vk.rec->dynamic_state.ms.samples, 1u);
    memcpy(sysvals.words[MALI_SYSVAL_BLEND_CONSTANTS], cmd->vk.rec->dynamic_state.cb.constants, 16);
    bits_foreach (fragment->binary.config.fs.inputs_read, i)
        mali_input_words(cmd, (unsigned)i, sysvals.words[MALI_SYSVAL_INPUT_0 + i]);
    mali_fill_uniforms(cmd, fragment, &sysvals, graphics->fragment_words);
    graphics->state.fragment_uniforms = mali_upload_uniforms(cmd, fragment, graphics->fragment_words).value;
}

/* Push constants that a program reads by an index have an address, which changes with them. False: there is such a
 * one. */
static bool copy_push_words(const struct mali_cmd_buffer *cmd, const struct mali_shader *shader, uint32_t *words)
{
    const struct mali_fau_layout *layout = &shader->binary.config.fau;
    if (layout->sysval[MALI_SYSVAL_PUSH_ADDRESS] != MALI_FAU_UNUSED)
        return false;
    memcpy(words, cmd->push_constants + layout->push_offset_B, 4u * layout->push_words);
    return true;
}

static void push_vertex_uniforms(struct mali_cmd_buffer *cmd, struct mali_stream *s)
{
    struct mali_graphics *graphics = &cmd->graphics;
    if (!mali_reads_push_constants(graphics->baked->vertex))
        return;
    if (copy_push_words(cmd, graphics->baked->vertex, graphics->vertex_words))
        upload_vertex_uniforms(cmd);
    else
        make_vertex_uniforms(cmd);
    mali_set64(s, mali_d(MALI_SR(IDVS_VERTEX_FAU)), graphics->state.vertex_uniforms);
}

static void push_fragment_uniforms(struct mali_cmd_buffer *cmd, struct mali_stream *s)
{
    struct mali_graphics *graphics = &cmd->graphics;
    const struct mali_shader *fragment = graphics->baked->fragment;
    if (!fragment || !mali_reads_push_constants(fragment))
        return;
    if (copy_push_words(cmd, fragment, graphics->fragment_words))
        graphics->state.fragment_uniforms = mali_upload_uniforms(cmd, fragment, graphics->fragment_words).value;
    else
        make_fragment_uniforms(cmd);
    mali_set64(s, mali_d(MALI_SR(IDVS_FRAGMENT_FAU)), graphics->state.fragment_uniforms);
}

void mali_set_bases(struct mali_cmd_buffer *cmd, uint32_t vertex, uint32_t instance)
{
    struct mali_graphics *graphics = &cmd->graphics;
    if (graphics->base_vertex == vertex && graphics->base_instance == instance)
        return;
    const struct mali_fau_layout *fau = &graphics->baked->vertex->binary.config.fau;
    const uint16_t vertex_word = fau->sysval[MALI_SYSVAL_BASE_VERTEX],
                   instance_word = fau->sysval[MALI_SYSVAL_BASE_INSTANCE];
    graphics->base_vertex = vertex;
    graphics->base_instance = instance;
    if (vertex_word == MALI_FAU_UNUSED && instance_word == MALI_FAU_UNUSED)
        return;
    if (vertex_word != MALI_FAU_UNUSED)
        graphics->vertex_words[vertex_word] = vertex;
    if (instance_word != MALI_FAU_UNUSED)
        graphics->vertex_words[instance_word] = instance;
    upload_vertex_uniforms(cmd);
    mali_set64(mali_cmd_stream(cmd, MALI_VERTEX), mali_d(MALI_SR(IDVS_VERTEX_FAU)), graphics->state.vertex_uniforms);
}

/* ---- primitives ---- */

static enum mali_DRAW_MODE draw_mode(uint8_t topology)
{
    static const uint8_t map[] = {
        [VK_PRIMITIVE_TOPOLOGY_POINT_LIST] = MALI_DRAW_MODE_POINTS,
        [VK_PRIMITIVE_TOPOLOGY_LINE_LIST] = MALI_DRAW_MODE_LINES,
        [VK_PRIMITIVE_TOPOLOGY_LINE_STRIP] = MALI_DRAW_MODE_LINE_STRIP,
        [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST] = MALI_DRAW_MODE_TRIANGLES,
        [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP] = MALI_DRAW_MODE_TRIANGLE_STRIP,
        [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN] = MALI_DRAW_MODE_TRIANGLE_FAN,
    };
    return topology < ARRAY_SIZE(map) ? (enum mali_DRAW_MODE)map[topology] : MALI_DRAW_MODE_NONE;
}

static bool is_line(uint8_t topology)
{
    return topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST || topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
}

/* The type of indices comes with the draw. */
static uint32_t primitive_flags(const struct mali_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    const struct mali_shader_config *vertex = &cmd->graphics.baked->vertex->binary.config;
    const bool is_point = dyn->ia.topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    const bool is_clipped = vk_depth_clip_enable(&dyn->rs);
    return mali_pack_IDVS_PRIMITIVE_FLAGS(&(const struct mali_IDVS_PRIMITIVE_FLAGS){
        .DRAW_MODE = draw_mode(dyn->ia.topology),
        .POINT_SIZE_ARRAY_FORMAT =
            vertex->vs.writes_point_size && is_point ? MALI_POINT_SIZE_FORMAT_FP16 : MALI_POINT_SIZE_FORMAT_NONE,
        .LOW_DEPTH_CULL = is_clipped,
        .HIGH_DEPTH_CULL = is_clipped,
        .SECONDARY_SHADER = vertex->varying.size_B != 0,
        .LAYER_INDEX_ENABLE = vertex->vs.writes_layer,
        .POSITION_FIFO_FORMAT = vertex->vs.is_extended ? MALI_FIFO_FORMAT_EXTENDED : MALI_FIFO_FORMAT_BASIC,
        .VIEW_MASK = cmd->vk.rec->rendering.view_mask,
    });
}

/* ---- when pixels are tested ---- */

struct tests {
    enum mali_PIXEL_KILL kill, update;
};

/* Whether pixels that fail write stencil. */
static bool writes_failing_stencil(const struct mali_cmd_buffer *cmd)
{
    const struct vk_depth_stencil_state *ds = &cmd->vk.rec->dynamic_state.ds;
    if (!ds->stencil_test_enable || cmd->vk.rec->rendering.stencil.format == VK_FORMAT_UNDEFINED)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (ds->stencil_ops[i].fail != VK_STENCIL_OP_KEEP || ds->stencil_ops[i].depth_fail != VK_STENCIL_OP_KEEP)
            return true;
    }
    return false;
}

/* A program that may take coverage away must not have its depth written before it; one with side effects runs for
 * pixels that fail, and so does one after which such pixels write stencil. */
static struct tests choose_tests(const struct mali_cmd_buffer *cmd)
{
    const struct mali_shader *fragment = cmd->graphics.baked->fragment;
    if (!fragment || fragment->binary.config.fs.early_tests)
        return (struct tests){MALI_PIXEL_KILL_FORCE_EARLY, MALI_PIXEL_KILL_FORCE_EARLY};
    const struct mali_shader_config *config = &fragment->binary.config;
    if (config->fs.writes_depth || config->fs.writes_stencil)
        return (struct tests){MALI_PIXEL_KILL_FORCE_LATE, MALI_PIXEL_KILL_FORCE_LATE};
    const bool shrinks =
        config->fs.has_discard || config->fs.writes_mask || cmd->vk.rec->dynamic_state.ms.alpha_to_coverage;
    const bool runs_failing = config->writes_memory || (shrinks && writes_failing_stencil(cmd));
    /* Depth in the tile must not be overwritten before the program has read it. */
    const bool reads_depth = mali_parts_read(&cmd->graphics.pass, config->fs.inputs_read) & DEPTH_PARTS;
    return (struct tests){runs_failing ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_WEAK_EARLY,
                          shrinks || reads_depth ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_WEAK_EARLY};
}

static uint32_t dcd_flags_0(const struct mali_cmd_buffer *cmd)
{
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    const struct mali_graphics *graphics = &cmd->graphics;
    const struct mali_shader_config *fragment =
        graphics->baked->fragment ? &graphics->baked->fragment->binary.config : NULL;
    const struct tests tests = choose_tests(cmd);
    const bool is_aligned = is_line(dyn->ia.topology) && dyn->rs.line_mode == VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
    const bool is_multisampled = dyn->ms.samples > 1;
    const bool can_cull = !is_line(dyn->ia.topology) && dyn->ia.topology != VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    return mali_pack_IDVS_DCD_FLAGS_0(&(const struct mali_IDVS_DCD_FLAGS_0){
        .ALLOW_FORWARD_PIXEL_TO_BE_KILLED = fragment && !fragment->writes_memory,
        .PIXEL_KILL_OPERATION = tests.kill,
        .ZS_UPDATE_OPERATION = tests.update,
        .EVALUATE_PER_SAMPLE = fragment && fragment->fs.is_per_sample && is_multisampled,
        .ALIGNED_LINE_ENDS = is_aligned,
        .OCCLUSION_QUERY = !graphics->occlusion_va && !graphics->counts_for_caller ? MALI_OCCLUSION_MODE_DISABLED
                           : graphics->is_occlusion_precise                        ? MALI_OCCLUSION_MODE_COUNTER
                                                                                   : MALI_OCCLUSION_MODE_PREDICATE,
        .FRONT_FACE_CCW = dyn->rs.front_face == VK_FRONT_FACE_COUNTER_CLOCKWISE,
        .CULL_FRONT_FACE = can_cull && dyn->rs.cull_mode & VK_CULL_MODE_FRONT_BIT,
        .CULL_BACK_FACE = can_cull && dyn->rs.cull_mode & VK_CULL_MODE_BACK_BIT,
        .MULTISAMPLE_ENABLE = is_multisampled && !is_aligned, /* lines of whole pixels */
        .SHADER_MODIFIES_COVERAGE =
            fragment && (fragment->fs.has_discard || fragment->fs.writes_mask || dyn->ms.alpha_to_coverage),
        .ALPHA_TO_COVERAGE = dyn->ms.alpha_to_coverage,
    });
}

static uint32_t targets_written(const struct mali_graphics *graphics)
{
    uint32_t targets = 0;
    bits_foreach (graphics->baked->fragment ? graphics->baked->fragment->binary.config.fs.targets_written : 0, i) {
        const unsigned color = vk_color_at_slot(&graphics->slots, (uint32_t)i);
        const unsigned part = mali_pass_color(&graphics->pass, color);
        if (vk_color_is_written(&graphics->slots, color) && part != MALI_PART_NONE)
            targets |= 1u << part;
    }
    return targets;
}

static uint32_t dcd_flags_1(const struct mali_cmd_buffer *cmd)
{
    return mali_pack_IDVS_DCD_FLAGS_1(&(const struct mali_IDVS_DCD_FLAGS_1){
        .SAMPLE_MASK = (uint32_t)cmd->vk.rec->dynamic_state.ms.sample_mask & 0xffff,
        .RENDER_TARGET_MASK = targets_written(&cmd->graphics),
    });
}

/* Render targets that the program looks at itself, and those that it writes. */
static uint32_t dcd_flags_2(const struct mali_cmd_buffer *cmd)
{
    const struct mali_graphics *graphics = &cmd->graphics;
    const uint32_t inputs = graphics->baked->fragment ? graphics->baked->fragment->binary.config.fs.inputs_read : 0;
    return mali_pack_IDVS_DCD_FLAGS_2(&(const struct mali_IDVS_DCD_FLAGS_2){
        .READ_MASK = mali_parts_read(&graphics->pass, inputs) & ~DEPTH_PARTS,
        .WRITE_MASK = targets_written(graphics),
    });
}

/* ---- places ---- */

/* The viewport's rectangle cut by the scissor; false: nothing is left. */
static bool find_scissor(const struct vk_viewport_state *vp, struct mali_IDVS_SCISSOR *out)
{
    const VkViewport *v = &vp->viewports[0];
    const VkRect2D *scissor = &vp->scissors[0];
    const float left = MIN2(v->x, v->x + v->width), right = MAX2(v->x, v->x + v->width);
    const float top = MIN2(v->y, v->y + v->height), bottom = MAX2(v->y, v->y + v->height);
    const int64_t x0 = MAX2((int64_t)floorf(left), (int64_t)MAX2(scissor->offset.x, 0));
    const int64_t y0 = MAX2((int64_t)floorf(top), (int64_t)MAX2(scissor->offset.y, 0));
    const int64_t x1 = MIN2((int64_t)ceilf(right), (int64_t)scissor->offset.x + scissor->extent.width);
    const int64_t y1 = MIN2((int64_t)ceilf(bottom), (int64_t)scissor->offset.y + scissor->extent.height);
    if (x1 <= x0 || y1 <= y0 || x0 > UINT16_MAX || y0 > UINT16_MAX)
        return false;
    *out = (struct mali_IDVS_SCISSOR){
        .MIN_X = (uint32_t)x0,
        .MIN_Y = (uint32_t)y0,
        .MAX_X = (uint32_t)MIN2(x1 - 1, (int64_t)UINT16_MAX),
        .MAX_Y = (uint32_t)MIN2(y1 - 1, (int64_t)UINT16_MAX),
    };
    return true;
}

static void make_places(struct mali_cmd_buffer *cmd)
{
    static const struct mali_IDVS_SCISSOR nothing = {.MIN_X = 1, .MIN_Y = 1};
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    struct mali_draw_state *state = &cmd->graphics.state;
    struct mali_IDVS_SCISSOR scissor;
    float min_depth, max_depth;
    depth_range(&dyn->vp.viewports[0], &min_depth, &max_depth);
    if (dyn->rs.discard_enable || !find_scissor(&dyn->vp, &scissor))
        scissor = nothing;
    state->scissor = mali_pack_IDVS_SCISSOR(&scissor);
    put_float(&state->low_depth, MIN2(min_depth, max_depth));
    put_float(&state->high_depth, MAX2(min_depth, max_depth));
    put_float(&state->primitive_size, is_line(dyn->ia.topology) ? dyn->rs.line_width : 1.0f);
}

static void set_places(const struct mali_draw_state *state, struct mali_stream *s)
{
    mali_set64(s, mali_d(MALI_SR(IDVS_SCISSOR)), state->scissor);
    mali_set32(s, mali_r(MALI_SR(IDVS_LOW_DEPTH_CLAMP)), state->low_depth);
    mali_set32(s, mali_r(MALI_SR(IDVS_HIGH_DEPTH_CLAMP)), state->high_depth);
    mali_set32(s, mali_r(MALI_SR(IDVS_PRIMITIVE_SIZE)), state->primitive_size);
}

/* ---- all of it ---- */

static bool has_new_sets(const struct mali_cmd_buffer *cmd)
{
    const struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    return bindings->dirty || bindings->dynamic_dirty || bindings->push_dirty;
}

/* The driver's own tables are made again where something of them is new, not for every new set. */
static void make_tables(struct mali_cmd_buffer *cmd, uint64_t dirty_rows)
{
    struct mali_graphics *graphics = &cmd->graphics;
    struct mali_draw_state *state = &graphics->state;
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    const struct mali_shader *vertex = graphics->baked->vertex, *fragment = graphics->baked->fragment;
    const bool has_new_own = graphics->dirty & MALI_DIRTY_PIPELINE || bindings->dynamic_dirty;
    const bool has_new_vertices =
        has_new_own || graphics->dirty & MALI_DIRTY_VERTEX_BUFFERS || dirty_rows & VK_DYN_GROUP_VERTEX_INPUT;
    const bool has_changed = has_new_own || has_new_sets(cmd);
    if (has_new_vertices)
        state->vertex_own = mali_make_vertex_table(cmd);
    if (has_new_vertices || has_changed)
        state->vertex_tables = mali_upload_tables(cmd, VK_BIND_GRAPHICS, &vertex->binary.config, state->vertex_own);
    if (has_changed && !fragment)
        state->fragment_tables = 0;
    if (has_new_own && fragment)
        state->fragment_own =
            mali_upload_own_table(cmd, VK_BIND_GRAPHICS, &fragment->binary.config, &(const struct mali_own_entries){0});
    if (has_changed && fragment)
        state->fragment_tables =
            mali_upload_tables(cmd, VK_BIND_GRAPHICS, &fragment->binary.config, state->fragment_own);
    bindings->dirty = 0;
    bindings->dynamic_dirty = false;
}

static void make_state(struct mali_cmd_buffer *cmd)
{
    struct mali_graphics *graphics = &cmd->graphics;
    const uint64_t rows = cmd->vk.rec->dynamic_state.dirty;
    const bool is_new = graphics->dirty & (MALI_DIRTY_PIPELINE | MALI_DIRTY_TARGETS);
    make_tables(cmd, rows);
    if (is_new || cmd->push_dirty & VK_SHADER_STAGE_VERTEX_BIT || rows & VK_DYN_GROUP_VIEWPORT)
        make_vertex_uniforms(cmd);
    if (is_new || cmd->push_dirty & VK_SHADER_STAGE_FRAGMENT_BIT ||
        rows & (VK_DYN_GROUP_MULTISAMPLE | VK_DYN(BLEND_CONSTANTS)))
        make_fragment_uniforms(cmd);
    if (is_new || rows & DEPTH_ROWS)
        graphics->state.depth_stencil_va = mali_make_depth_stencil(cmd);
    if (is_new || rows & (VK_DYN_GROUP_COLOR_BLEND | VK_DYN(SAMPLES) | VK_DYN(ALPHA_TO_ONE)))
        graphics->state.blend = mali_make_blend(cmd);
    if (graphics->dirty & MALI_DIRTY_TARGETS || rows & PLACE_ROWS)
        make_places(cmd);
    graphics->state.primitive_flags = primitive_flags(cmd);
    graphics->state.dcd_flags_0 = dcd_flags_0(cmd);
    graphics->state.dcd_flags_1 = dcd_flags_1(cmd);
    graphics->state.dcd_flags_2 = dcd_flags_2(cmd);
    graphics->dirty = 0;
    cmd->vk.rec->dynamic_state.dirty = 0;
    cmd->push_dirty &= ~(VkShaderStageFlags)VK_SHADER_STAGE_ALL_GRAPHICS;
}

static void set_programs(const struct mali_cmd_buffer *cmd, struct mali_stream *s)
{
    const struct mali_graphics *graphics = &cmd->graphics;
    const struct mali_shader *vertex = graphics->baked->vertex, *fragment = graphics->baked->fragment;
    const struct mali_draw_state *state = &graphics->state;
    mali_set64(s, mali_d(MALI_SR(IDVS_VERTEX_SRT)), state->vertex_tables);
    mali_set64(s, mali_d(MALI_SR(IDVS_FRAGMENT_SRT)), state->fragment_tables);
    mali_set64(s, mali_d(MALI_SR(IDVS_VERTEX_FAU)), state->vertex_uniforms);
    mali_set64(s, mali_d(MALI_SR(IDVS_FRAGMENT_FAU)), state->fragment_uniforms);
    mali_set64(s, mali_d(MALI_SR(IDVS_POSITION_SPD)), vertex->main_va);
    mali_set64(s, mali_d(MALI_SR(IDVS_VARYING_SPD)), vertex->varying_va);
    mali_set64(s, mali_d(MALI_SR(IDVS_FRAGMENT_SPD)), fragment ? fragment->main_va : 0);
    mali_set64(s, mali_d(MALI_SR(IDVS_VERTEX_TSD)), vertex->storage_va);
    mali_set64(s, mali_d(MALI_SR(IDVS_FRAGMENT_TSD)), fragment ? fragment->storage_va : vertex->storage_va);
    mali_set32(s, mali_r(MALI_SR(IDVS_VARYING_SIZE)), vertex->binary.config.vs.varying_size_B);
}

/* False: all registers are as the draw before left them, but for buffers of vertices, sets, push constants and the
 * draw's own numbers. */
static bool has_new_state(const struct mali_cmd_buffer *cmd)
{
    return cmd->graphics.dirty & ~(uint32_t)MALI_DIRTY_VERTEX_BUFFERS || cmd->vk.rec->dynamic_state.dirty;
}

static void update_resources(struct mali_cmd_buffer *cmd, struct mali_stream *s)
{
    if (cmd->graphics.dirty || has_new_sets(cmd)) {
        make_tables(cmd, 0);
        cmd->graphics.dirty = 0;
        mali_set64(s, mali_d(MALI_SR(IDVS_VERTEX_SRT)), cmd->graphics.state.vertex_tables);
        mali_set64(s, mali_d(MALI_SR(IDVS_FRAGMENT_SRT)), cmd->graphics.state.fragment_tables);
    }
    if (cmd->push_dirty & VK_SHADER_STAGE_VERTEX_BIT)
        push_vertex_uniforms(cmd, s);
    if (cmd->push_dirty & VK_SHADER_STAGE_FRAGMENT_BIT)
        push_fragment_uniforms(cmd, s);
    cmd->push_dirty &= ~(VkShaderStageFlags)VK_SHADER_STAGE_ALL_GRAPHICS;
}

bool mali_before_draw(struct mali_cmd_buffer *cmd)
{
    struct mali_graphics *graphics = &cmd->graphics;
    const struct vk_rasterization_state *rs = &cmd->vk.rec->dynamic_state.rs;
    if (!graphics->baked || !cmd->vk.rec->rendering.active)
        return false;
    if (rs->discard_enable && !graphics->baked->vertex->binary.config.writes_memory)
        return false;
    mali_find_inputs(cmd);
    mali_pass_prepare(cmd);
    if (!graphics->pass.tilers_va && !cmd->vk.rec->rendering.inherited)
        return false; /* without memory */
    struct mali_stream *s = mali_cmd_begin_work(cmd, MALI_VERTEX);
    if (!has_new_state(cmd)) {
        update_resources(cmd, s);
        return true;
    }
    make_state(cmd);
    const struct mali_draw_state *state = &graphics->state;
    set_programs(cmd, s);
    set_places(state, s);
    mali_set32(s, mali_r(MALI_SR(IDVS_ATTRIBUTE_OFFSET)), 0);
    mali_set32(s, mali_r(MALI_SR(IDVS_DCD_FLAGS_2)), state->dcd_flags_2);
    if (graphics->occlusion_va || !graphics->has_inherited_query)
        mali_set64(s, mali_d(MALI_SR(IDVS_OCCLUSION)), graphics->occlusion_va);
    mali_set64(s, mali_d(MALI_SR(IDVS_BLEND)), state->blend);
    mali_set64(s, mali_d(MALI_SR(IDVS_DEPTH_STENCIL)), state->depth_stencil_va);
    mali_set32(s, mali_r(MALI_SR(IDVS_DCD_FLAGS_0)), state->dcd_flags_0);
    mali_set32(s, mali_r(MALI_SR(IDVS_DCD_FLAGS_1)), state->dcd_flags_1);
    return true;
}
