/* A rendering into memory: attachments are cleared by the 2D engine, the recorded draws called once, samples resolved
 * by the 2D engine. */
#include "adreno/driver/a2d.h"
#include "adreno/driver/cmd.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/regs_vfd.h"
#include "util/bits.h"

void adreno_emit_window(struct adreno_cs *cs, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t offset_x,
                        uint32_t offset_y)
{
    const uint32_t tl = x0 | y0 << 16, br = (x1 - 1) | (y1 - 1) << 16, offset = offset_x | offset_y << 16;
    adreno_set_regs(cs, ADRENO_REG_GRAS_SC_WINDOW_SCISSOR_TL, 2);
    adreno_emit(cs, tl);
    adreno_emit(cs, br);
    adreno_set_regs(cs, ADRENO_REG_GRAS_A2D_SCISSOR_TL, 2);
    adreno_emit(cs, tl);
    adreno_emit(cs, br);
    adreno_set_reg(cs, ADRENO_REG_RB_WINDOW_OFFSET, offset);
    adreno_set_reg(cs, ADRENO_REG_RB_RESOLVE_WINDOW_OFFSET, offset);
    adreno_set_reg(cs, ADRENO_REG_SP_WINDOW_OFFSET, offset);
    adreno_set_reg(cs, ADRENO_REG_TPL1_WINDOW_OFFSET, offset);
}

void adreno_emit_memory_mode(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t right, uint32_t bottom)
{
    const bool has_feedback = cmd->device->chip->has_lrz_feedback;
    const uint32_t cntl =
        ADRENO_PACK(RB_CNTL, .BUFFERS_LOCATION = ADRENO_BUFFERS_LOCATION_SYSMEM, .FORCE_LRZ_WRITE_DIS = !has_feedback,
                    .LRZ_FEEDBACK_ZMODE_MASK = has_feedback ? ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z_OR_EARLY_Z_LATE_Z
                                                            : ADRENO_LRZ_FEEDBACK_MASK_NONE);
    adreno_cs_reserve(cs, 48);
    adreno_emit_window(cs, 0, 0, MAX2(right, 1), MAX2(bottom, 1), 0, 0);
    adreno_set_reg(cs, ADRENO_REG_GRAS_SC_BIN_CNTL, cntl);
    adreno_set_reg(cs, ADRENO_REG_RB_CNTL, cntl);
    adreno_set_reg(cs, ADRENO_REG_RB_RESOLVE_CNTL_3, 0);
    adreno_set_reg(cs, ADRENO_REG_VFD_RENDER_MODE, 0);
    ADRENO_PACKET(cs, CP_SET_MARKER, .MODE = ADRENO_MARKER_DIRECT_RENDER);
    ADRENO_PACKET(cs, CP_SKIP_IB2_ENABLE_GLOBAL, .ENABLE = 0);
    ADRENO_PACKET(cs, CP_SET_VISIBILITY_OVERRIDE, .OVERRIDE = 1);
    ADRENO_PACKET(cs, CP_SET_MODE, .BINNING = 0);
}

void adreno_call_pieces(struct adreno_cs *cs, const struct adreno_cs *from, uint32_t first)
{
    for (uint32_t i = first; i < from->pieces.count; i++) {
        const struct adreno_piece *piece = &from->pieces.data[i];
        adreno_cs_reserve(cs, ADRENO_PKT_CP_INDIRECT_BUFFER_DW);
        adreno_call(cs, (struct adreno_range){piece->bo->vk.va + piece->offset_B, piece->size_dw});
    }
}

void adreno_call_draws(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    adreno_call_pieces(cs, &cmd->graphics.draws, cmd->graphics.pass.first_piece);
}

/* Caches of targets, before and after the 2D engine has the same memory for its own. */
static void change_target(struct adreno_cmd_buffer *cmd, uint32_t more)
{
    adreno_cs_reserve(&cmd->cs, ADRENO_ORDER_DW);
    adreno_emit_order(&cmd->cs,
                      ADRENO_CLEAN_COLOR | ADRENO_CLEAN_DEPTH | ADRENO_DROP_COLOR | ADRENO_DROP_DEPTH |
                          ADRENO_WAIT_IDLE | more,
                      adreno_word_va(cmd->device, ADRENO_WORD_EVENTS));
}

/* Runs the operation for each layer of the rendering: those of its views, or all. */
static void for_layers(struct adreno_cmd_buffer *cmd, struct adreno_a2d *op)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct adreno_target dst = op->dst, src = op->src;
    const uint32_t count = rendering->view_mask ? 32 : MAX2(rendering->layers, 1);
    for (uint32_t layer = 0; layer < count; layer++) {
        if (rendering->view_mask && !(rendering->view_mask >> layer & 1))
            continue;
        op->dst.va = dst.va + layer * dst.layer_B;
        op->dst.flag_va = dst.flag_va + layer * dst.flag_layer_B;
        op->src.va = src.va + layer * src.layer_B;
        op->src.flag_va = src.flag_va + layer * src.flag_layer_B;
        adreno_cs_reserve(&cmd->cs, ADRENO_A2D_DW);
        adreno_emit_a2d(&cmd->cs, cmd->device->chip, op);
    }
}

static void set_area(const struct adreno_cmd_buffer *cmd, struct adreno_a2d *op)
{
    const VkRect2D *area = &cmd->vk.rec->rendering.area;
    op->x0 = op->src_x0 = (uint32_t)area->offset.x;
    op->y0 = op->src_y0 = (uint32_t)area->offset.y;
    op->x1 = op->src_x1 = op->x0 + area->extent.width;
    op->y1 = op->src_y1 = op->y0 + area->extent.height;
}

static bool is_filled(const struct adreno_pass_part *part)
{
    return (part->is_cleared || part->is_stencil_cleared) && !part->target.samples_log2;
}

static void fill_part(struct adreno_cmd_buffer *cmd, unsigned i)
{
    const struct adreno_pass_part *part = &cmd->graphics.pass.parts[i];
    struct adreno_a2d op = {.dst = adreno_a2d_target(&part->target)};
    set_area(cmd, &op);
    if (i < ADRENO_PART_DEPTH)
        adreno_a2d_color(&op.dst, &part->clear.color, op.color);
    else
        adreno_a2d_depth_color(&op.dst, &part->clear.depthStencil, i == ADRENO_PART_STENCIL, op.color);
    if (part->format == VK_FORMAT_D24_UNORM_S8_UINT && !(part->is_cleared && part->is_stencil_cleared))
        op.keep = part->is_cleared ? ADRENO_A2D_DEPTH : ADRENO_A2D_STENCIL;
    for_layers(cmd, &op);
}

static void fill_cleared(struct adreno_cmd_buffer *cmd)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    uint32_t mask = 0;
    bits_foreach (pass->part_mask, i)
        mask |= (uint32_t)is_filled(&pass->parts[i]) << i;
    if (!mask)
        return;
    change_target(cmd, 0);
    bits_foreach (mask, i)
        fill_part(cmd, (unsigned)i);
    change_target(cmd, 0);
}

static void resolve_part(struct adreno_cmd_buffer *cmd, const struct adreno_pass_part *part,
                         const struct adreno_target *to, enum adreno_a2d_keep keep)
{
    struct adreno_a2d op = {
        .dst = adreno_a2d_target(to),
        .src = adreno_a2d_source(&part->target),
        .has_source = true,
        .keep = keep,
        .is_average = part->is_resolve_average,
    };
    set_area(cmd, &op);
    for_layers(cmd, &op);
}

static void resolve_all(struct adreno_cmd_buffer *cmd)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    bool has_any = false;
    bits_foreach (pass->part_mask, i)
        has_any |= pass->parts[i].resolve.va || pass->parts[i].resolve_stencil.va;
    if (!has_any)
        return;
    change_target(cmd, ADRENO_DROP_UCHE);
    bits_foreach (pass->part_mask, i) {
        const struct adreno_pass_part *part = &pass->parts[i];
        const bool is_packed = part->format == VK_FORMAT_D24_UNORM_S8_UINT;
        if (part->resolve.va)
            resolve_part(cmd, part, &part->resolve,
                         is_packed && !part->resolve_stencil.va ? ADRENO_A2D_DEPTH : ADRENO_A2D_ALL);
        else if (part->resolve_stencil.va)
            resolve_part(cmd, part, &part->resolve_stencil, ADRENO_A2D_STENCIL);
    }
}

/* Chips without feedback have no bounds in memory: the group that tests them is for tiles alone. */
static void start_lrz(struct adreno_cmd_buffer *cmd)
{
    if (cmd->device->chip->has_lrz_feedback) {
        adreno_emit_lrz_start(cmd, &cmd->cs);
        return;
    }
    adreno_cs_reserve(&cmd->cs, 4);
    adreno_set_reg(&cmd->cs, ADRENO_REG_GRAS_LRZ_CNTL, 0);
    adreno_set_reg(&cmd->cs, ADRENO_REG_RB_LRZ_CNTL, 0);
}

void adreno_draw_into_memory(struct adreno_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const VkRect2D *area = &rendering->area;
    struct adreno_graphics *graphics = &cmd->graphics;
    if (!(rendering->flags & VK_RENDERING_RESUMING_BIT))
        fill_cleared(cmd);
    adreno_emit_memory_mode(cmd, &cmd->cs, (uint32_t)area->offset.x + area->extent.width,
                            (uint32_t)area->offset.y + area->extent.height);
    adreno_call_pieces(&cmd->cs, &graphics->clears, graphics->pass.first_clear);
    start_lrz(cmd);
    adreno_call_draws(cmd, &cmd->cs);
    if (cmd->device->chip->has_lrz_feedback)
        adreno_emit_lrz_end(cmd, &cmd->cs);
    if (!(rendering->flags & VK_RENDERING_SUSPENDING_BIT))
        resolve_all(cmd);
}
