/* The attachments of a rendering: as parts of GMEM, as registers for draws, and how they are loaded and stored. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/memory.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "util/bits.h"
#include "vulkan/runtime/render/vk_render_pass.h"

/* ---- parts ---- */

static const struct adreno_image_view *view_of(const VkRenderingAttachmentInfo *info)
{
    return info ? adreno_image_view_from_handle(info->imageView) : NULL;
}

static void fill_color(struct adreno_pass *pass, unsigned number, const struct adreno_image_view *view)
{
    if (!view)
        return;
    pass->parts[number] = (struct adreno_pass_part){
        .view = &view->vk, .target = view->target, .format = view->vk.format, .aspects = VK_IMAGE_ASPECT_COLOR_BIT};
    pass->part_mask |= 1u << number;
}

static void fill_depth(struct adreno_pass *pass, const struct adreno_image_view *depth,
                       const struct adreno_image_view *stencil)
{
    const struct adreno_image_view *packed = depth ? depth : stencil;
    pass->depth_view = depth ? &depth->vk : NULL;
    if (packed && packed->vk.image->format == VK_FORMAT_D24_UNORM_S8_UINT) {
        pass->parts[ADRENO_PART_DEPTH] = (struct adreno_pass_part){
            .view = &packed->vk,
            .target = packed->stencil,
            .format = VK_FORMAT_D24_UNORM_S8_UINT,
            .aspects = (depth ? VK_IMAGE_ASPECT_DEPTH_BIT : 0) | (stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0)};
        pass->part_mask |= 1u << ADRENO_PART_DEPTH;
        return;
    }
    if (depth) {
        pass->parts[ADRENO_PART_DEPTH] = (struct adreno_pass_part){.view = &depth->vk,
                                                                   .target = depth->target,
                                                                   .format = depth->vk.image->format,
                                                                   .aspects = VK_IMAGE_ASPECT_DEPTH_BIT};
        pass->part_mask |= 1u << ADRENO_PART_DEPTH;
    }
    if (stencil) {
        pass->parts[ADRENO_PART_STENCIL] = (struct adreno_pass_part){.view = &stencil->vk,
                                                                     .target = stencil->stencil,
                                                                     .format = VK_FORMAT_S8_UINT,
                                                                     .aspects = VK_IMAGE_ASPECT_STENCIL_BIT};
        pass->part_mask |= 1u << ADRENO_PART_STENCIL;
    }
}

const struct vk_joined_rendering *adreno_joined(const VkRenderingInfo *info)
{
    for (const VkBaseInStructure *in = info->pNext; in; in = in->pNext) {
        if (in->sType == VK_STRUCTURE_TYPE_JOINED_RENDERING)
            return (const struct vk_joined_rendering *)in;
    }
    return NULL;
}

static void fill_joined(struct adreno_pass *pass, const struct vk_joined_rendering *joined)
{
    unsigned colors = 0;
    for (uint32_t i = 0; i < joined->count; i++) {
        const struct vk_joined_attachment *attachment = &joined->attachments[i];
        const struct adreno_image_view *view = view_of(&attachment->info);
        if (attachment->aspects & VK_IMAGE_ASPECT_COLOR_BIT)
            fill_color(pass, colors++, view);
        else
            fill_depth(pass, attachment->aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? view : NULL,
                       attachment->aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? view : NULL);
    }
}

/* The targets of the rendering; how they are loaded and stored is the caller's. */
void adreno_fill_parts(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    struct adreno_pass *pass = &cmd->graphics.pass;
    const struct vk_joined_rendering *joined = adreno_joined(info);
    pass->part_mask = 0;
    memset(pass->parts, 0, sizeof(pass->parts));
    pass->is_joined = joined != NULL;
    if (joined) {
        fill_joined(pass, joined);
    } else {
        for (uint32_t i = 0; i < cmd->vk.rec->rendering.num_colors; i++)
            fill_color(pass, i, view_of(&info->pColorAttachments[i]));
        fill_depth(pass, view_of(info->pDepthAttachment), view_of(info->pStencilAttachment));
    }
    adreno_choose_parts(cmd);
}

/* Colours of joined subpasses are known by their views. */
static uint8_t find_color(const struct adreno_pass *pass, uint32_t number, const struct vk_image_view *view)
{
    if (!view)
        return ADRENO_PART_NONE;
    if (!pass->is_joined)
        return (uint8_t)number;
    for (uint8_t i = 0; i < ADRENO_MAX_PASS_COLORS; i++) {
        if (pass->part_mask >> i & 1 && pass->parts[i].view == view)
            return i;
    }
    return ADRENO_PART_NONE;
}

void adreno_choose_parts(struct adreno_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    struct adreno_pass *pass = &cmd->graphics.pass;
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++)
        pass->colors[i] = find_color(pass, i, i < rendering->num_colors ? rendering->colors[i].view : NULL);
    const bool is_packed = pass->parts[ADRENO_PART_DEPTH].format == VK_FORMAT_D24_UNORM_S8_UINT;
    pass->has_depth =
        pass->part_mask >> ADRENO_PART_DEPTH & 1 && (rendering->depth.view || (is_packed && rendering->stencil.view));
    pass->has_stencil = pass->part_mask >> ADRENO_PART_STENCIL & 1 && rendering->stencil.view;
}

#define MAX_LAYERS 32u /* in GMEM */

static uint32_t layers_of(const struct vk_rendering *rendering)
{
    return rendering->view_mask ? 32u - (uint32_t)__builtin_clz(rendering->view_mask) : MAX2(rendering->layers, 1);
}

void adreno_choose_tiles(struct adreno_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const VkRect2D *area = &rendering->area;
    struct adreno_pass *pass = &cmd->graphics.pass;
    const uint32_t layers = layers_of(rendering);
    struct adreno_tiles_info info = {
        .right = (uint32_t)area->offset.x + area->extent.width,
        .bottom = (uint32_t)area->offset.y + area->extent.height,
        .layers = MIN2(layers, MAX_LAYERS),
        .parts = ADRENO_PARTS,
    };
    for (unsigned i = 0; i < ADRENO_PARTS; i++) {
        const struct adreno_target *target = &pass->parts[i].target;
        info.part_B[i] = pass->part_mask >> i & 1 ? (uint8_t)(target->sample_B << target->samples_log2) : 0;
    }
    pass->tiles = adreno_tiles(cmd->device->chip, &info);
    for (unsigned i = 0; i < ADRENO_PARTS; i++) {
        pass->parts[i].gmem_B = pass->tiles.gmem_B[i];
        pass->parts[i].gmem_layer_B = pass->tiles.width * pass->tiles.height * info.part_B[i];
    }
    pass->layer_mask = layers > MAX_LAYERS    ? 0
                       : rendering->view_mask ? rendering->view_mask
                                              : (uint32_t)bits_mask(layers);
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
                                .ARRAY_PITCH = (uint32_t)(target->flag_layer_B / 4)));
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
                                .ARRAY_PITCH = (uint32_t)(target->flag_layer_B / 4)));
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

/* Targets are in the order of outputs. */
static unsigned part_at(const struct adreno_cmd_buffer *cmd, unsigned target)
{
    return cmd->graphics.pass.colors[vk_color_at_slot(&cmd->graphics.slots, target)];
}

void adreno_emit_targets(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct adreno_pass_part *depth = &pass->parts[pass->has_depth ? ADRENO_PART_DEPTH : ADRENO_PART_NONE];
    const uint32_t layers = layers_of(rendering);
    uint32_t flags = 0, srgb = 0;
    adreno_cs_reserve(cs, 200);
    for (unsigned i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        const unsigned number = part_at(cmd, i);
        const struct adreno_pass_part *part = &pass->parts[number];
        if (number == ADRENO_PART_NONE)
            continue;
        emit_color(cs, i, part);
        flags |= (uint32_t)part->target.has_ubwc << i;
        srgb |= (uint32_t)part->target.is_srgb << i;
    }
    if (pass->has_depth) {
        emit_depth(cs, depth);
    } else {
        adreno_set_reg(cs, ADRENO_REG_RB_DEPTH_BUFFER_INFO, 0);
        adreno_set_reg(cs, ADRENO_REG_GRAS_SU_DEPTH_BUFFER_INFO, 0);
    }
    if (pass->has_stencil)
        emit_stencil(cs, &pass->parts[ADRENO_PART_STENCIL]);
    else
        adreno_set_reg(cs, ADRENO_REG_RB_STENCIL_BUFFER_INFO, 0);
    adreno_set_reg(cs, ADRENO_REG_RB_SRGB_CNTL, srgb);
    adreno_set_reg(cs, ADRENO_REG_SP_SRGB_CNTL, srgb);
    adreno_set_reg(cs, ADRENO_REG_RB_DITHER_CNTL, 0);
    ADRENO_REG(cs, GRAS_LRZ_MRT_BUFFER_INFO_0, .COLOR_FORMAT = pass->parts[part_at(cmd, 0)].target.format);
    ADRENO_REG(cs, GRAS_CL_ARRAY_SIZE, .VALUE = layers - 1);
    ADRENO_REG(cs, RB_RENDER_CNTL, .CCUSINGLECACHELINESIZE = 2, .FLAG_DEPTH = depth->target.has_ubwc,
               .FLAG_MRTS = flags);
}

/* ---- load and store operations ---- */

static void set_resolve(struct adreno_pass_part *part, struct adreno_target *out, const VkRenderingAttachmentInfo *info,
                        VkImageAspectFlags aspect)
{
    const struct adreno_image_view *view = adreno_image_view_from_handle(info->resolveImageView);
    if (!view || info->resolveMode == VK_RESOLVE_MODE_NONE)
        return;
    *out = aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? view->stencil : view->target;
    part->resolve_image = view->vk.image;
}

static bool is_load(VkAttachmentLoadOp op)
{
    return op == VK_ATTACHMENT_LOAD_OP_LOAD || op == VK_ATTACHMENT_LOAD_OP_NONE_EXT;
}

static void set_operations(struct adreno_pass_part *part, const VkRenderingAttachmentInfo *info,
                           VkImageAspectFlags aspect)
{
    part->is_loaded = is_load(info->loadOp);
    part->is_cleared = info->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR;
    part->is_stored = info->storeOp == VK_ATTACHMENT_STORE_OP_STORE;
    part->clear = info->clearValue;
    set_resolve(part, &part->resolve, info, aspect);
    part->is_resolve_average = aspect == VK_IMAGE_ASPECT_COLOR_BIT && info->resolveMode == VK_RESOLVE_MODE_AVERAGE_BIT;
}

static void set_stencil_operations(struct adreno_pass_part *part, const VkRenderingAttachmentInfo *info)
{
    part->is_stencil_loaded = is_load(info->loadOp);
    part->is_stencil_cleared = info->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR;
    part->is_stencil_stored = info->storeOp == VK_ATTACHMENT_STORE_OP_STORE;
    part->clear.depthStencil.stencil = info->clearValue.depthStencil.stencil;
    set_resolve(part, &part->resolve_stencil, info, VK_IMAGE_ASPECT_STENCIL_BIT);
}

/* Of a packed format the aspect that is no attachment must stay what it is. NULL: no attachment. */
static void set_depth_operations(struct adreno_pass *pass, const VkRenderingAttachmentInfo *depth_info,
                                 const VkRenderingAttachmentInfo *stencil_info)
{
    struct adreno_pass_part *depth = &pass->parts[ADRENO_PART_DEPTH], *stencil = &pass->parts[ADRENO_PART_STENCIL];
    const bool is_packed = depth->format == VK_FORMAT_D24_UNORM_S8_UINT;
    if (is_packed)
        depth->is_loaded = depth->is_stored = depth->is_stencil_loaded = depth->is_stencil_stored = true;
    if (depth_info)
        set_operations(depth, depth_info, VK_IMAGE_ASPECT_DEPTH_BIT);
    if (stencil_info && is_packed)
        set_stencil_operations(depth, stencil_info);
    else if (stencil_info)
        set_operations(stencil, stencil_info, VK_IMAGE_ASPECT_STENCIL_BIT);
    if (depth->resolve.va)
        pass->resolved_depth = (const struct adreno_image *)depth->resolve_image;
}

static const VkRenderingAttachmentInfo *used(const VkRenderingAttachmentInfo *info)
{
    return info && info->imageView ? info : NULL;
}

static void set_joined_operations(struct adreno_pass *pass, const struct vk_joined_rendering *joined)
{
    unsigned colors = 0;
    for (uint32_t i = 0; i < joined->count; i++) {
        const struct vk_joined_attachment *attachment = &joined->attachments[i];
        if (attachment->aspects & VK_IMAGE_ASPECT_COLOR_BIT) {
            if (attachment->info.imageView)
                set_operations(&pass->parts[colors], &attachment->info, VK_IMAGE_ASPECT_COLOR_BIT);
            colors++;
        } else {
            set_depth_operations(pass, attachment->aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? used(&attachment->info) : NULL,
                                 attachment->aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? used(&attachment->stencil) : NULL);
        }
    }
}

/* Memory of attachments that are lazily allocated: tiles need it for what they load, store or resolve. */
void adreno_commit_parts(struct adreno_cmd_buffer *cmd, bool is_in_tiles)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    bits_foreach (pass->part_mask, i) {
        const struct adreno_pass_part *part = &pass->parts[i];
        VkResult result = VK_SUCCESS;
        if (!is_in_tiles || part->is_loaded || part->is_stencil_loaded || part->is_stored || part->is_stencil_stored)
            result = adreno_image_commit(part->view->image);
        if (result == VK_SUCCESS && part->resolve_image)
            result = adreno_image_commit(part->resolve_image);
        vk_command_buffer_set_error(&cmd->vk, result);
    }
}

void adreno_set_operations(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    struct adreno_pass *pass = &cmd->graphics.pass;
    const struct vk_joined_rendering *joined = adreno_joined(info);
    if (joined) {
        set_joined_operations(pass, joined);
        return;
    }
    for (uint32_t i = 0; i < cmd->vk.rec->rendering.num_colors; i++) {
        if (pass->part_mask >> i & 1)
            set_operations(&pass->parts[i], &info->pColorAttachments[i], VK_IMAGE_ASPECT_COLOR_BIT);
    }
    set_depth_operations(pass, used(info->pDepthAttachment), used(info->pStencilAttachment));
}
