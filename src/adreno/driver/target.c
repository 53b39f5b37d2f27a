/* The attachments of a rendering: as parts of GMEM, as registers for draws, and how they are loaded and stored. */
#include "adreno/driver/cmd.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "util/bits.h"

/* ---- parts ---- */

static const struct adreno_image_view *view_of(const struct vk_attachment *attachment)
{
    return (const struct adreno_image_view *)attachment->view;
}

/* What the rendering draws into; how it is loaded and stored is the caller's. */
void adreno_fill_parts(struct adreno_cmd_buffer *cmd)
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

void adreno_choose_tiles(struct adreno_cmd_buffer *cmd)
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

/* ---- registers ---- */

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
void adreno_set_operations(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
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
