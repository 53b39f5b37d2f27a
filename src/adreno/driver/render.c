/* vkCmdBeginRendering and vkCmdEndRendering. Draws of a rendering are recorded into a stream of their own; at its end it
 * is decided where they are drawn: into memory, here, or tile by tile (gmem.c). Render passes are made of renderings by
 * the runtime. */
#include "adreno/driver/a2d.h"
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/regs_vfd.h"
#include "util/bits.h"
#include "util/debug.h"
#include "vulkan/meta/vk_meta.h"
#include "vulkan/runtime/vk_render_pass.h"

#define PAUSED (VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT)

/* ---- life ---- */

void adreno_graphics_init(struct adreno_cmd_buffer *cmd)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    struct vk_chunk_pool *pool = &cmd->device->chunks[ADRENO_CHUNK_STREAM];
    adreno_cs_init(&graphics->draws, pool, NULL);
    adreno_cs_init(&graphics->clears, pool, NULL);
    adreno_cs_init(&graphics->after, pool, NULL);
}

void adreno_graphics_reset(struct adreno_cmd_buffer *cmd, bool release)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    struct adreno_cs *streams[] = {&graphics->draws, &graphics->clears, &graphics->after};
    for (unsigned i = 0; i < ARRAY_SIZE(streams); i++) {
        if (release)
            adreno_cs_finish(streams[i]);
        else
            adreno_cs_reset(streams[i]);
    }
    graphics->pipeline = NULL;
    graphics->baked = NULL;
    graphics->cs = NULL;
    graphics->pass.is_active = false;
    memset(graphics->groups, 0, sizeof(graphics->groups));
    memset(graphics->vertex_buffers, 0, sizeof(graphics->vertex_buffers));
}

void adreno_graphics_forget(struct adreno_cmd_buffer *cmd)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    graphics->dirty_groups = ADRENO_GROUP_ALL;
    graphics->last.is_valid = false;
}

/* State depends on the rendering's targets; groups that were written for others are written again. */
static void forget_targets(struct adreno_cmd_buffer *cmd)
{
    adreno_graphics_forget(cmd);
    cmd->graphics.dirty |= ADRENO_DIRTY_TARGETS;
}

void adreno_graphics_begin(struct adreno_cmd_buffer *cmd, const VkCommandBufferBeginInfo *info)
{
    VkCommandBufferInheritanceRenderingInfo storage;
    const VkCommandBufferInheritanceRenderingInfo *inherited =
        vk_inheritance_rendering_info(cmd->vk.level, info, &storage);
    const VkCommandBufferInheritanceInfo *from =
        cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY ? info->pInheritanceInfo : NULL;
    cmd->graphics.is_predicated = false;
    cmd->graphics.occlusion_queries = from && from->occlusionQueryEnable;
    cmd->graphics.statistics_queries = from && from->pipelineStatistics;
    cmd->graphics.dirty = ADRENO_DIRTY_ALL;
    adreno_graphics_forget(cmd);
    if (!inherited)
        return;
    vk_rendering_inherit(&cmd->vk.rendering, inherited);
    cmd->graphics.pass = (struct adreno_pass){.is_active = true};
    cmd->graphics.cs = &cmd->graphics.draws;
}

void adreno_graphics_end(struct adreno_cmd_buffer *cmd)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    struct adreno_cs *streams[] = {&graphics->draws, &graphics->clears, &graphics->after};
    for (unsigned i = 0; i < ARRAY_SIZE(streams); i++) {
        adreno_cs_end(streams[i]);
        vk_command_buffer_set_error(&cmd->vk, streams[i]->error);
    }
}

void adreno_graphics_execute(struct adreno_cmd_buffer *cmd, struct adreno_cmd_buffer *secondary)
{
    struct adreno_pass *pass = &cmd->graphics.pass;
    adreno_cs_append(&cmd->graphics.draws, &secondary->graphics.draws);
    adreno_cs_append(&cmd->graphics.after, &secondary->graphics.after);
    pass->needs_memory |= secondary->graphics.pass.needs_memory;
    pass->cannot_bin |= secondary->graphics.pass.cannot_bin;
    pass->num_draws += secondary->graphics.pass.num_draws;
}

/* ---- targets ---- */

static const struct adreno_image_view *view_of(const struct vk_attachment *attachment)
{
    return (const struct adreno_image_view *)attachment->view;
}

/* What the rendering draws into; how it is loaded and stored is the caller's. */
static void fill_parts(struct adreno_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rendering;
    struct adreno_pass *pass = &cmd->graphics.pass;
    const struct adreno_image_view *depth = view_of(&rendering->depth), *stencil = view_of(&rendering->stencil);
    const struct adreno_image_view *packed = depth ? depth : stencil;
    pass->part_mask = 0;
    memset(pass->parts, 0, sizeof(pass->parts));
    for (uint32_t i = 0; i < rendering->num_colors; i++) {
        const struct adreno_image_view *view = view_of(&rendering->colors[i]);
        if (!view)
            continue;
        pass->parts[i] = (struct adreno_pass_part){
            .target = view->target, .format = view->vk.format, .aspects = VK_IMAGE_ASPECT_COLOR_BIT};
        pass->part_mask |= 1u << i;
    }
    if (packed && packed->vk.image->format == VK_FORMAT_D24_UNORM_S8_UINT) {
        pass->parts[ADRENO_PART_DEPTH] = (struct adreno_pass_part){
            .target = packed->stencil,
            .format = VK_FORMAT_D24_UNORM_S8_UINT,
            .aspects = (depth ? VK_IMAGE_ASPECT_DEPTH_BIT : 0) | (stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0)};
        pass->part_mask |= 1u << ADRENO_PART_DEPTH;
        return;
    }
    if (depth) {
        pass->parts[ADRENO_PART_DEPTH] = (struct adreno_pass_part){
            .target = depth->target, .format = depth->vk.image->format, .aspects = VK_IMAGE_ASPECT_DEPTH_BIT};
        pass->part_mask |= 1u << ADRENO_PART_DEPTH;
    }
    if (stencil) {
        pass->parts[ADRENO_PART_STENCIL] = (struct adreno_pass_part){
            .target = stencil->stencil, .format = VK_FORMAT_S8_UINT, .aspects = VK_IMAGE_ASPECT_STENCIL_BIT};
        pass->part_mask |= 1u << ADRENO_PART_STENCIL;
    }
}

static void choose_tiles(struct adreno_cmd_buffer *cmd)
{
    const VkRect2D *area = &cmd->vk.rendering.area;
    struct adreno_pass *pass = &cmd->graphics.pass;
    struct adreno_tiles_info info = {
        .right = (uint32_t)area->offset.x + area->extent.width,
        .bottom = (uint32_t)area->offset.y + area->extent.height,
        .layers = 1,
        .parts = ADRENO_PARTS,
    };
    for (unsigned i = 0; i < ADRENO_PARTS; i++) {
        const struct adreno_target *target = &pass->parts[i].target;
        info.part_B[i] = pass->part_mask >> i & 1 ? (uint8_t)(target->sample_B << target->samples_log2) : 0;
    }
    pass->tiles = adreno_tiles(cmd->device->chip, &info);
    for (unsigned i = 0; i < ADRENO_PARTS; i++)
        pass->parts[i].gmem_B = pass->tiles.gmem_B[i];
}

static void emit_color(struct adreno_cs *cs, unsigned i, const struct adreno_pass_part *part)
{
    const struct adreno_target *target = &part->target;
    adreno_set_regs(cs, ADRENO_REG_RB_MRT_BUF_INFO + i * ADRENO_REG_RB_MRT_BUF_INFO_STRIDE, 6);
    adreno_emit(cs, ADRENO_PACK(RB_MRT_BUF_INFO, .COLOR_FORMAT = target->format,
                                .COLOR_TILE_MODE = (enum adreno_TILE_MODE)target->tile_mode,
                                .COLOR_SWAP = (enum adreno_COLOR_SWAP)target->swap));
    adreno_emit(cs, ADRENO_PACK(RB_MRT_PITCH, .VALUE = target->pitch_B));
    adreno_emit(cs, ADRENO_PACK(RB_MRT_ARRAY_PITCH, .VALUE = (uint32_t)target->layer_B));
    adreno_emit64(cs, target->va);
    adreno_emit(cs, ADRENO_PACK(RB_MRT_BASE_GMEM, .VALUE = part->gmem_B));
    adreno_set_reg(cs, ADRENO_REG_SP_PS_MRT + i,
                   ADRENO_PACK(SP_PS_MRT, .COLOR_FORMAT = target->format, .COLOR_SINT = target->is_sint,
                               .COLOR_UINT = target->is_uint));
    if (!target->has_ubwc)
        return;
    adreno_set_regs(cs, ADRENO_REG_RB_COLOR_FLAG_BUFFER_ADDR + i * ADRENO_REG_RB_COLOR_FLAG_BUFFER_ADDR_STRIDE, 3);
    adreno_emit64(cs, target->flag_va);
    adreno_emit(cs, ADRENO_PACK(RB_COLOR_FLAG_BUFFER_PITCH, .PITCH = target->flag_pitch_B,
                                .ARRAY_PITCH = (uint32_t)target->flag_layer_B));
}

static void emit_depth(struct adreno_cs *cs, const struct adreno_pass_part *part)
{
    const struct adreno_target *target = &part->target;
    const uint32_t info =
        ADRENO_PACK(RB_DEPTH_BUFFER_INFO, .DEPTH_FORMAT = (enum adreno_DEPTH_FORMAT)target->depth_format);
    adreno_set_regs(cs, ADRENO_REG_RB_DEPTH_BUFFER_INFO, 6);
    adreno_emit(cs, info);
    adreno_emit(cs, ADRENO_PACK(RB_DEPTH_BUFFER_PITCH, .VALUE = target->pitch_B));
    adreno_emit(cs, ADRENO_PACK(RB_DEPTH_BUFFER_ARRAY_PITCH, .VALUE = (uint32_t)target->layer_B));
    adreno_emit64(cs, target->va);
    adreno_emit(cs, ADRENO_PACK(RB_DEPTH_GMEM_BASE, .VALUE = part->gmem_B));
    adreno_set_reg(cs, ADRENO_REG_GRAS_SU_DEPTH_BUFFER_INFO, info);
    if (!target->has_ubwc)
        return;
    adreno_set_regs(cs, ADRENO_REG_RB_DEPTH_FLAG_BUFFER_BASE, 3);
    adreno_emit64(cs, target->flag_va);
    adreno_emit(cs, ADRENO_PACK(RB_DEPTH_FLAG_BUFFER_PITCH, .PITCH = target->flag_pitch_B,
                                .ARRAY_PITCH = (uint32_t)target->flag_layer_B));
}

static void emit_stencil(struct adreno_cs *cs, const struct adreno_pass_part *part)
{
    const struct adreno_target *target = &part->target;
    adreno_set_regs(cs, ADRENO_REG_RB_STENCIL_BUFFER_INFO, 6);
    adreno_emit(cs, ADRENO_PACK(RB_STENCIL_BUFFER_INFO, .SEPARATE_STENCIL = true));
    adreno_emit(cs, ADRENO_PACK(RB_STENCIL_BUFFER_PITCH, .VALUE = target->pitch_B));
    adreno_emit(cs, ADRENO_PACK(RB_STENCIL_BUFFER_ARRAY_PITCH, .VALUE = (uint32_t)target->layer_B));
    adreno_emit64(cs, target->va);
    adreno_emit(cs, ADRENO_PACK(RB_STENCIL_GMEM_BASE, .VALUE = part->gmem_B));
}

void adreno_emit_targets(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    const struct vk_rendering *rendering = &cmd->vk.rendering;
    const struct adreno_pass_part *depth = &pass->parts[ADRENO_PART_DEPTH];
    const uint32_t layers =
        rendering->view_mask ? 32u - (uint32_t)__builtin_clz(rendering->view_mask) : MAX2(rendering->layers, 1);
    uint32_t flags = 0, srgb = 0;
    adreno_cs_reserve(cs, 200);
    for (unsigned i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        if (!(pass->part_mask >> i & 1))
            continue;
        emit_color(cs, i, &pass->parts[i]);
        flags |= (uint32_t)pass->parts[i].target.has_ubwc << i;
        srgb |= (uint32_t)pass->parts[i].target.is_srgb << i;
    }
    if (pass->part_mask >> ADRENO_PART_DEPTH & 1) {
        emit_depth(cs, depth);
    } else {
        adreno_set_reg(cs, ADRENO_REG_RB_DEPTH_BUFFER_INFO, 0);
        adreno_set_reg(cs, ADRENO_REG_GRAS_SU_DEPTH_BUFFER_INFO, 0);
    }
    if (pass->part_mask >> ADRENO_PART_STENCIL & 1)
        emit_stencil(cs, &pass->parts[ADRENO_PART_STENCIL]);
    else
        adreno_set_reg(cs, ADRENO_REG_RB_STENCIL_BUFFER_INFO, 0);
    adreno_set_reg(cs, ADRENO_REG_RB_SRGB_CNTL, srgb);
    adreno_set_reg(cs, ADRENO_REG_SP_SRGB_CNTL, srgb);
    adreno_set_reg(cs, ADRENO_REG_RB_DITHER_CNTL, 0);
    ADRENO_REG(cs, GRAS_LRZ_MRT_BUFFER_INFO_0, .COLOR_FORMAT = pass->parts[0].target.format);
    ADRENO_REG(cs, GRAS_CL_ARRAY_SIZE, .VALUE = layers - 1);
    ADRENO_REG(cs, RB_RENDER_CNTL, .CCUSINGLECACHELINESIZE = 2, .FLAG_DEPTH = depth->target.has_ubwc,
               .FLAG_MRTS = flags);
}

void adreno_set_targets(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    vk_rendering_begin(&cmd->vk.rendering, info);
    fill_parts(cmd);
    forget_targets(cmd);
}

/* ---- load and store operations ---- */

static void set_resolve(struct adreno_target *out, const struct vk_attachment *attachment, VkImageAspectFlags aspect)
{
    const struct adreno_image_view *view = (const struct adreno_image_view *)attachment->resolve_view;
    if (!view || attachment->resolve_mode == VK_RESOLVE_MODE_NONE)
        return;
    const bool is_separate = aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
    *out = is_separate ? view->stencil : view->target;
}

static void set_color_operations(struct adreno_pass_part *part, const VkRenderingAttachmentInfo *info,
                                 const struct vk_attachment *attachment)
{
    part->is_loaded = info->loadOp == VK_ATTACHMENT_LOAD_OP_LOAD || info->loadOp == VK_ATTACHMENT_LOAD_OP_NONE_EXT;
    part->is_cleared = info->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR;
    part->is_stored = info->storeOp == VK_ATTACHMENT_STORE_OP_STORE;
    part->clear = info->clearValue;
    set_resolve(&part->resolve, attachment, VK_IMAGE_ASPECT_COLOR_BIT);
    part->is_resolve_average = attachment->resolve_mode == VK_RESOLVE_MODE_AVERAGE_BIT;
}

static void set_stencil_operations(struct adreno_pass_part *part, const VkRenderingAttachmentInfo *info,
                                   const struct vk_attachment *attachment)
{
    part->is_stencil_loaded =
        info->loadOp == VK_ATTACHMENT_LOAD_OP_LOAD || info->loadOp == VK_ATTACHMENT_LOAD_OP_NONE_EXT;
    part->is_stencil_cleared = info->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR;
    part->is_stencil_stored = info->storeOp == VK_ATTACHMENT_STORE_OP_STORE;
    part->clear.depthStencil.stencil = info->clearValue.depthStencil.stencil;
    set_resolve(&part->resolve_stencil, attachment, VK_IMAGE_ASPECT_STENCIL_BIT);
}

/* Of a packed format the aspect that is no attachment must stay what it is. */
static void set_operations(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    const struct vk_rendering *rendering = &cmd->vk.rendering;
    struct adreno_pass *pass = &cmd->graphics.pass;
    struct adreno_pass_part *depth = &pass->parts[ADRENO_PART_DEPTH], *stencil = &pass->parts[ADRENO_PART_STENCIL];
    const bool is_packed = depth->format == VK_FORMAT_D24_UNORM_S8_UINT;
    for (uint32_t i = 0; i < info->colorAttachmentCount; i++) {
        if (pass->part_mask >> i & 1)
            set_color_operations(&pass->parts[i], &info->pColorAttachments[i], &rendering->colors[i]);
    }
    if (is_packed)
        depth->is_loaded = depth->is_stored = depth->is_stencil_loaded = depth->is_stencil_stored = true;
    if (rendering->depth.view)
        set_color_operations(depth, info->pDepthAttachment, &rendering->depth);
    if (rendering->stencil.view && is_packed)
        set_stencil_operations(depth, info->pStencilAttachment, &rendering->stencil);
    else if (rendering->stencil.view)
        set_color_operations(stencil, info->pStencilAttachment, &rendering->stencil);
    if (rendering->stencil.view && !is_packed)
        set_resolve(&stencil->resolve, &rendering->stencil, VK_IMAGE_ASPECT_STENCIL_BIT);
    depth->is_resolve_average = stencil->is_resolve_average = false;
}

/* ---- memory ---- */

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
    const uint32_t cntl = ADRENO_PACK(RB_CNTL, .BUFFERS_LOCATION = ADRENO_BUFFERS_LOCATION_SYSMEM);
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

static void call_pieces(struct adreno_cs *cs, const struct adreno_cs *from, uint32_t first)
{
    for (uint32_t i = first; i < from->pieces.count; i++) {
        const struct adreno_piece *piece = &from->pieces.data[i];
        adreno_cs_reserve(cs, ADRENO_PKT_CP_INDIRECT_BUFFER_DW);
        adreno_call(cs, (struct adreno_range){piece->bo->vk.va + piece->offset_B, piece->size_dw});
    }
}

void adreno_call_draws(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    call_pieces(cs, &cmd->graphics.draws, cmd->graphics.pass.first_piece);
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
    const struct vk_rendering *rendering = &cmd->vk.rendering;
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

/* As the 2D engine knows a target of depth. */
static struct adreno_target engine_target(const struct adreno_target *target)
{
    struct adreno_target out = *target;
    if (out.format == ADRENO_FORMAT_Z24_UNORM_S8_UINT)
        out.format = ADRENO_FORMAT_Z24S8_AS_RGBA8;
    return out;
}

static void set_area(const struct adreno_cmd_buffer *cmd, struct adreno_a2d *op)
{
    const VkRect2D *area = &cmd->vk.rendering.area;
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
    struct adreno_a2d op = {.dst = engine_target(&part->target)};
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
        .dst = engine_target(to),
        .src = engine_target(&part->target),
        .has_source = true,
        .keep = keep,
        .is_average = part->is_resolve_average,
    };
    op.src.format =
        op.src.format == ADRENO_FORMAT_10_10_10_2_UNORM_DEST ? ADRENO_FORMAT_10_10_10_2_UNORM : op.src.format;
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

static void draw_into_memory(struct adreno_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rendering;
    const VkRect2D *area = &rendering->area;
    struct adreno_graphics *graphics = &cmd->graphics;
    if (!(rendering->flags & VK_RENDERING_RESUMING_BIT))
        fill_cleared(cmd);
    adreno_emit_memory_mode(cmd, &cmd->cs, (uint32_t)area->offset.x + area->extent.width,
                            (uint32_t)area->offset.y + area->extent.height);
    call_pieces(&cmd->cs, &graphics->clears, graphics->pass.first_clear);
    adreno_call_draws(cmd, &cmd->cs);
    if (!(rendering->flags & VK_RENDERING_SUSPENDING_BIT))
        resolve_all(cmd);
}

/* ---- commands ---- */

/* Targets of several samples are cleared by draws, which tiles do without. */
static void record_clears(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    bool has_any = false;
    bits_foreach (graphics->pass.part_mask, i) {
        const struct adreno_pass_part *part = &graphics->pass.parts[i];
        has_any |= (part->is_cleared || part->is_stencil_cleared) && part->target.samples_log2;
    }
    if (!has_any)
        return;
    graphics->cs = &graphics->clears;
    adreno_emit_targets(cmd, graphics->cs);
    vk_meta_clear_rendering(&cmd->vk, info);
    adreno_cs_split(graphics->cs);
    graphics->pass.num_draws = 0;
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo *info)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    struct adreno_graphics *graphics = &cmd->graphics;
    adreno_emit_due(cmd, &cmd->cs);
    graphics->pass = (struct adreno_pass){.is_active = true};
    adreno_set_targets(cmd, info);
    choose_tiles(cmd);
    set_operations(cmd, info);
    graphics->pass.first_clear = graphics->clears.pieces.count;
    graphics->pass.first_after = graphics->after.pieces.count;
    if (!(info->flags & VK_RENDERING_RESUMING_BIT))
        record_clears(cmd, info);
    graphics->pass.first_piece = graphics->draws.pieces.count;
    graphics->cs = &graphics->draws;
    forget_targets(cmd);
    adreno_emit_targets(cmd, graphics->cs);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdEndRendering(VkCommandBuffer handle)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    struct adreno_graphics *graphics = &cmd->graphics;
    adreno_cs_split(&graphics->draws);
    adreno_cs_split(&graphics->after);
    graphics->cs = NULL;
    if (!(cmd->vk.rendering.flags & PAUSED) && adreno_can_use_gmem(cmd))
        adreno_emit_tiles(cmd);
    else
        draw_into_memory(cmd);
    adreno_cs_reserve(&cmd->cs, 8);
    ADRENO_PACKET(&cmd->cs, CP_SET_DRAW_STATE, .DISABLE_ALL_GROUPS = true);
    call_pieces(&cmd->cs, &graphics->after, graphics->pass.first_after);
    graphics->pass.is_active = false;
    cmd->vk.rendering.active = false;
    forget_targets(cmd);
}
