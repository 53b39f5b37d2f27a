/* Low-resolution depth in the stream: how a rendering's bounds begin and end, and what each draw does with them. See
 * lrz.h. */
#include "adreno/driver/lrz.h"

#include "adreno/driver/a2d.h"
#include "adreno/driver/cmd.h"
#include "adreno/driver/memory.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "util/bits.h"
#include "util/debug.h"

/* Views that no image has: the first is in buffers whose bounds hold for nothing, the second in the register while
 * draws must not use what a buffer has. */
#define NO_VIEW ADRENO_PACK(GRAS_LRZ_VIEW_INFO, .BASE_LAYER = 0x7ff, .LAYER_COUNT = 0x7ff, .BASE_MIP_LEVEL = 0xf)
#define OTHER_VIEW ADRENO_PACK(GRAS_LRZ_VIEW_INFO, .BASE_LAYER = 0x7ff, .LAYER_COUNT = 0, .BASE_MIP_LEVEL = 0xf)

static uint64_t buffer_va(const struct adreno_image *image)
{
    return image->vk.memory[0].va + image->lrz_offset_B;
}

static uint32_t view_info(const struct vk_image_view *view)
{
    return ADRENO_PACK(GRAS_LRZ_VIEW_INFO, .BASE_LAYER = view->base_layer, .LAYER_COUNT = view->layer_count,
                       .BASE_MIP_LEVEL = view->base_level);
}

/* ---- how bounds begin ---- */

/* Does the rendering clear all that later ones of the same view may test? */
static bool is_whole(const struct vk_rendering *rendering, const struct vk_image_view *view)
{
    const VkRect2D *area = &rendering->area;
    const uint32_t layers =
        rendering->view_mask ? (uint32_t)__builtin_popcount(rendering->view_mask) : MAX2(rendering->layers, 1);
    return area->offset.x == 0 && area->offset.y == 0 && area->extent.width >= view->extent.width &&
           area->extent.height >= view->extent.height && layers >= view->layer_count;
}

static enum adreno_lrz_start choose_start(const struct adreno_cmd_buffer *cmd, const struct adreno_lrz_pass *lrz,
                                          const struct vk_image_view *view)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct adreno_pass_part *part = &cmd->graphics.pass.parts[ADRENO_PART_DEPTH];
    const bool is_followed = lrz->rules.is_followed;
    if (rendering->flags & VK_RENDERING_RESUMING_BIT || (part->is_loaded && !part->is_cleared))
        return is_followed ? ADRENO_LRZ_START_KEEP : ADRENO_LRZ_START_NONE;
    if (!part->is_cleared)
        return lrz->has_fast_clear ? ADRENO_LRZ_START_CLEAR : ADRENO_LRZ_START_NONE;
    /* Without bounds nothing is rejected, which is no worse than bounds at the end of the range. */
    const bool is_end = lrz->depth == 0.0f || lrz->depth == 1.0f, may_fill = is_whole(rendering, view) || !is_followed;
    if (lrz->has_fast_clear && (is_end || !may_fill))
        return ADRENO_LRZ_START_CLEAR;
    return may_fill ? ADRENO_LRZ_START_FILL : ADRENO_LRZ_START_NONE;
}

void adreno_lrz_begin(struct adreno_cmd_buffer *cmd)
{
    const struct adreno_chip *chip = cmd->device->chip;
    const struct vk_image_view *view = cmd->graphics.pass.depth_view;
    struct adreno_lrz_pass *lrz = &cmd->graphics.pass.lrz;
    *lrz = (struct adreno_lrz_pass){0};
    if (!view || !adreno_image_of(view->image)->lrz.size_B || adreno_image_is_lazy(view->image))
        return;
    lrz->image = adreno_image_of(view->image);
    lrz->has_fast_clear = lrz->image->lrz.clear_bytes != 0;
    lrz->view = view_info(view);
    lrz->depth = cmd->graphics.pass.parts[ADRENO_PART_DEPTH].clear.depthStencil.depth;
    lrz->rules.is_followed = chip->has_lrz_direction;
    lrz->rules.direction = ADRENO_LRZ_UNSET;
    lrz->start = choose_start(cmd, lrz, view);
    lrz->rules.is_valid = lrz->start != ADRENO_LRZ_START_NONE;
}

/* Only a chip that follows the direction knows, when the draws are executed, what bounds there are. */
void adreno_lrz_begin_secondary(struct adreno_cmd_buffer *cmd)
{
    const bool is_followed = cmd->device->chip->has_lrz_direction;
    cmd->graphics.pass.lrz = (struct adreno_lrz_pass){
        .has_fast_clear = cmd->device->chip->has_lrz_fast_clear,
        .rules = {.is_valid = is_followed && cmd->vk.rec->rendering.depth.format != VK_FORMAT_UNDEFINED &&
                              !debug_enabled(DEBUG_NOLRZ),
                  .is_followed = is_followed,
                  .has_color = true,
                  .direction = ADRENO_LRZ_UNSET},
    };
}

/* Its draws know nothing of those before: where these have spoilt the bounds, or may not write more of them in a
 * binning pass, the view is another one. */
void adreno_lrz_before_secondary(struct adreno_cmd_buffer *cmd)
{
    const struct adreno_lrz_pass *lrz = &cmd->graphics.pass.lrz;
    struct adreno_cs *cs = &cmd->graphics.draws;
    if (!cmd->device->chip->has_lrz_direction || (lrz->rules.is_valid && !lrz->rules.is_closed))
        return;
    adreno_cs_reserve(cs, 8);
    if (lrz->rules.is_valid)
        *adreno_if_binning(cs) = 2;
    adreno_set_reg(cs, ADRENO_REG_GRAS_LRZ_VIEW_INFO, OTHER_VIEW);
}

/* Bounds of a binning pass would hide what the subpasses before have drawn from shaders that read it. */
void adreno_lrz_next_subpass(struct adreno_cmd_buffer *cmd)
{
    struct adreno_lrz_rules *rules = &cmd->graphics.pass.lrz.rules;
    rules->is_closed = rules->has_color = true;
}

/* ---- the buffer ---- */

static void emit_buffer(struct adreno_cs *cs, const struct adreno_image *image)
{
    const struct adreno_lrz *lrz = &image->lrz;
    adreno_set_regs(cs, ADRENO_REG_GRAS_LRZ_BUFFER_BASE, 5);
    adreno_emit64(cs, buffer_va(image));
    adreno_emit(cs, ADRENO_PACK(GRAS_LRZ_BUFFER_PITCH, .PITCH = lrz->pitch * 2, .ARRAY_PITCH = lrz->layer_B));
    adreno_emit64(cs, lrz->state_B ? buffer_va(image) + lrz->state_B : 0);
}

/* Events look at the same register as draws. */
static void emit_event_mode(struct adreno_cs *cs, bool has_fast_clear, bool is_followed)
{
    ADRENO_REG(cs, GRAS_LRZ_CNTL, .ENABLE = true, .FC_ENABLE = has_fast_clear, .DISABLE_ON_WRONG_DIR = is_followed);
}

static void emit_no_bounds(struct adreno_cs *cs)
{
    adreno_set_reg(cs, ADRENO_REG_GRAS_LRZ_VIEW_INFO, NO_VIEW);
    emit_event_mode(cs, false, true);
    adreno_event(cs, ADRENO_EVENT_LRZ_CLEAR);
    adreno_event(cs, ADRENO_EVENT_LRZ_FLUSH_INVALIDATE);
}

void adreno_emit_lrz_buffer(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_lrz_pass *lrz = &cmd->graphics.pass.lrz;
    adreno_cs_reserve(cs, 12);
    if (lrz->image) {
        emit_buffer(cs, lrz->image);
    } else { /* a direction that says "disabled", for secondary command buffers that expect a buffer */
        adreno_set_regs(cs, ADRENO_REG_GRAS_LRZ_BUFFER_BASE, 5);
        adreno_emit64(cs, 0);
        adreno_emit(cs, 0);
        adreno_emit64(cs, adreno_word_va(cmd->device, ADRENO_WORD_NO_LRZ));
    }
    if (cmd->device->chip->has_lrz_direction)
        adreno_set_reg(cs, ADRENO_REG_GRAS_LRZ_VIEW_INFO, lrz->start == ADRENO_LRZ_START_NONE ? OTHER_VIEW : lrz->view);
}

/* ---- fills ---- */

static void fill_buffer(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint64_t va, uint32_t pitch_B,
                        uint32_t width, uint32_t height, enum adreno_format_number format,
                        const VkClearColorValue *value)
{
    struct adreno_a2d op = {
        .dst = {.va = va,
                .pitch_B = pitch_B,
                .width = width,
                .height = height,
                .format = (uint8_t)format,
                .sample_B = 2,
                .is_uint = format == ADRENO_FORMAT_32_UINT},
        .x1 = width,
        .y1 = height,
    };
    adreno_a2d_color(&op.dst, value, op.color);
    adreno_cs_reserve(cs, ADRENO_A2D_DW);
    adreno_emit_a2d(cs, cmd->device->chip, &op);
}

/* Later renderings and secondary command buffers take blocks for cleared whose bits say so: all bits are set. */
static void fill_bounds(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_lrz_pass *lrz = &cmd->graphics.pass.lrz;
    const struct adreno_lrz *layout = &lrz->image->lrz;
    const uint64_t va = buffer_va(lrz->image), word_va = adreno_word_va(cmd->device, ADRENO_WORD_EVENTS);
    adreno_cs_reserve(cs, ADRENO_ORDER_DW);
    adreno_emit_order(cs, ADRENO_DROP_COLOR | ADRENO_WAIT_IDLE, word_va);
    for (uint32_t layer = 0; layer < lrz->image->vk.layers; layer++)
        fill_buffer(cmd, cs, va + (uint64_t)layer * layout->layer_B, layout->pitch * 2, layout->pitch, layout->height,
                    ADRENO_FORMAT_16_UNORM, &(const VkClearColorValue){.float32 = {lrz->depth}});
    if (lrz->has_fast_clear)
        fill_buffer(cmd, cs, va + layout->state_B, ADRENO_LRZ_CLEAR_B, ADRENO_LRZ_CLEAR_B / 4, 1, ADRENO_FORMAT_32_UINT,
                    &(const VkClearColorValue){.uint32 = {UINT32_MAX}});
    adreno_cs_reserve(cs, ADRENO_ORDER_DW);
    adreno_emit_order(cs, ADRENO_CLEAN_COLOR | ADRENO_DROP_COLOR | ADRENO_DROP_UCHE | ADRENO_WAIT_IDLE, word_va);
}

/* ---- around the draws ---- */

void adreno_emit_lrz_start(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_lrz_pass *lrz = &cmd->graphics.pass.lrz;
    const bool is_followed = lrz->rules.is_followed;
    adreno_emit_lrz_buffer(cmd, cs);
    if (!lrz->image || lrz->start == ADRENO_LRZ_START_KEEP)
        return;
    adreno_cs_reserve(cs, 16);
    if (lrz->start == ADRENO_LRZ_START_NONE) {
        if (is_followed) {
            emit_no_bounds(cs);
            adreno_set_reg(cs, ADRENO_REG_GRAS_LRZ_VIEW_INFO, OTHER_VIEW);
        }
        return;
    }
    const bool clears_bits = lrz->has_fast_clear && lrz->start == ADRENO_LRZ_START_CLEAR;
    if (clears_bits || is_followed) {
        emit_event_mode(cs, clears_bits, is_followed);
        adreno_event(cs, ADRENO_EVENT_LRZ_CLEAR);
        adreno_event(cs, ADRENO_EVENT_LRZ_FLUSH_INVALIDATE);
    }
    if (lrz->start == ADRENO_LRZ_START_FILL)
        fill_bounds(cmd, cs);
}

/* The hardware's cached bounds go to memory; bounds that the draws have spoilt hold for nothing. */
void adreno_emit_lrz_end(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_lrz_pass *lrz = &cmd->graphics.pass.lrz;
    if (!lrz->image)
        return;
    adreno_emit_lrz_buffer(cmd, cs);
    adreno_cs_reserve(cs, 16);
    if (lrz->rules.is_followed && !lrz->rules.is_valid) {
        emit_no_bounds(cs);
        return;
    }
    emit_event_mode(cs, lrz->has_fast_clear, lrz->rules.is_followed);
    adreno_event(cs, ADRENO_EVENT_LRZ_FLUSH_INVALIDATE);
}

void adreno_lrz_forget(struct adreno_cmd_buffer *cmd, const struct adreno_image *image, VkImageAspectFlags aspects)
{
    struct adreno_cs *cs = &cmd->cs;
    if (!image->lrz.size_B || !(aspects & VK_IMAGE_ASPECT_DEPTH_BIT) || !cmd->device->chip->has_lrz_direction ||
        adreno_image_is_lazy(&image->vk))
        return;
    adreno_cs_reserve(cs, 24);
    emit_buffer(cs, image);
    emit_no_bounds(cs);
}

/* ---- draws ---- */

static bool writes_stencil(const struct vk_depth_stencil_state *ds, unsigned face)
{
    const struct vk_stencil_ops *ops = &ds->stencil_ops[face];
    const bool may_pass = ops->compare != VK_COMPARE_OP_NEVER, may_fail = ops->compare != VK_COMPARE_OP_ALWAYS;
    return ds->stencil_write_mask[face] &&
           ((may_fail && ops->fail != VK_STENCIL_OP_KEEP) ||
            (may_pass && (ops->pass != VK_STENCIL_OP_KEEP || ops->depth_fail != VK_STENCIL_OP_KEEP)));
}

static void read_stencil(struct adreno_lrz_draw *draw, const struct adreno_cmd_buffer *cmd)
{
    const struct vk_depth_stencil_state *ds = &cmd->vk.rec->dynamic_state.ds;
    if (!ds->stencil_test_enable || cmd->vk.rec->rendering.stencil.format == VK_FORMAT_UNDEFINED)
        return;
    for (unsigned face = 0; face < 2; face++) {
        draw->writes_stencil |= writes_stencil(ds, face);
        draw->may_fail |= ds->stencil_ops[face].compare != VK_COMPARE_OP_ALWAYS;
    }
}

static void read_colors(struct adreno_lrz_draw *draw, const struct adreno_cmd_buffer *cmd)
{
    const struct vk_color_blend_state *cb = &cmd->vk.rec->dynamic_state.cb;
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    draw->replaces_color = true;
    for (uint32_t i = 0; i < rendering->num_colors; i++) {
        if (rendering->colors[i].format == VK_FORMAT_UNDEFINED)
            continue;
        const struct vk_color_slots *slots = &cmd->graphics.slots;
        const bool is_output = vk_color_is_written(slots, i) && cb->color_write_enables >> i & 1 &&
                               cmd->graphics.baked->color_mask >> vk_color_slot(slots, i) & 1;
        const bool is_mixed = cb->blend_enables >> i & 1 || cb->logic_op_enable;
        draw->has_color |= is_output && cb->write_masks[i];
        draw->replaces_color &= is_output && !is_mixed && cb->write_masks[i] == 0xf;
    }
}

static void read_shader(struct adreno_lrz_draw *draw, const struct adreno_cmd_buffer *cmd)
{
    const struct adreno_shader *fragment = cmd->graphics.baked->shaders[ADRENO_STAGE_FRAGMENT];
    const struct vk_multisample_state *ms = &cmd->vk.rec->dynamic_state.ms;
    draw->may_kill = ms->alpha_to_coverage || ~ms->sample_mask & bits_mask(MAX2(ms->samples, 1));
    if (!fragment)
        return;
    const struct adreno_shader_config *fs = &fragment->binary.config;
    draw->may_kill |= fs->fs.has_kill || fs->fs.sample_mask_out_reg != ADRENO_REG_UNUSED;
    draw->has_effects = fs->writes_memory;
    draw->is_late = !fs->fs.early_tests && (fs->fs.depth_reg != ADRENO_REG_UNUSED ||
                                            fs->fs.stencil_reg != ADRENO_REG_UNUSED || fs->writes_memory);
}

bool adreno_lrz_decide(struct adreno_cmd_buffer *cmd)
{
    const struct vk_depth_stencil_state *ds = &cmd->vk.rec->dynamic_state.ds;
    const struct adreno_lrz_use old = cmd->graphics.lrz_use;
    struct adreno_lrz_rules *rules = &cmd->graphics.pass.lrz.rules;
    struct adreno_lrz_draw draw = {0};
    if (rules->is_valid && !cmd->vk.rec->dynamic_state.rs.discard_enable) {
        draw.is_tested = ds->depth_test_enable && cmd->vk.rec->rendering.depth.format != VK_FORMAT_UNDEFINED;
        draw.is_written = draw.is_tested && ds->depth_write_enable;
        draw.compare = ds->depth_compare_op;
        draw.has_bounds = ds->depth_bounds_test_enable;
        draw.is_counted = cmd->graphics.occlusion_queries != 0;
        read_stencil(&draw, cmd);
        read_colors(&draw, cmd);
        read_shader(&draw, cmd);
    }
    cmd->graphics.lrz_use = adreno_lrz_next(rules, &draw);
    return memcmp(&old, &cmd->graphics.lrz_use, sizeof(old)) != 0;
}

void adreno_emit_lrz(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_lrz_use *use = &cmd->graphics.lrz_use;
    const struct adreno_lrz_pass *lrz = &cmd->graphics.pass.lrz;
    if (use->is_tested)
        ADRENO_REG(cs, GRAS_LRZ_CNTL, .ENABLE = true, .LRZ_WRITE = use->is_written, .GREATER = use->is_greater,
                   .FC_ENABLE = lrz->has_fast_clear, .Z_WRITE_ENABLE = use->writes_depth,
                   .Z_BOUNDS_ENABLE = use->has_bounds,
                   .DIR = use->is_greater ? ADRENO_LRZ_DIR_STATUS_GE : ADRENO_LRZ_DIR_STATUS_LE,
                   .DIR_WRITE = lrz->rules.is_followed, .DISABLE_ON_WRONG_DIR = lrz->rules.is_followed);
    else
        adreno_set_reg(cs, ADRENO_REG_GRAS_LRZ_CNTL, 0);
    ADRENO_REG(cs, RB_LRZ_CNTL, .ENABLE = use->is_tested);
}
