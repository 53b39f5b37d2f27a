/* vkCmdBeginRendering and vkCmdEndRendering: what is drawn into. Clears at the beginning and resolves at the end are
 * operations of their own (vulkan/meta); render passes are made of renderings by the runtime. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_rates.h"
#include "amd/hw/regs_sc.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/render/vk_render_pass.h"

#define MAX_COORDINATE 16384u

/* ---- which target an attachment is ---- */

static void note_targets(struct radeon_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct vk_color_slots *slots = &cmd->graphics->slots;
    uint32_t traits = radeon_depth_traits(rendering->depth.format, rendering->stencil.format);
    for (uint32_t i = 0; i < rendering->num_colors; i++) {
        if (vk_color_is_written(slots, i))
            traits |= radeon_color_traits(vk_color_slot(slots, i), rendering->colors[i].format);
    }
    cmd->graphics->traits = traits;
}

static void move_targets(struct radeon_cmd_buffer *cmd, struct vk_color_slots slots)
{
    cmd->graphics->slots = slots;
    note_targets(cmd);
    cmd->graphics->dirty |= RADEON_DIRTY_TARGETS | RADEON_DIRTY_FORMATS;
}

void radeon_write_all_targets(struct radeon_cmd_buffer *cmd)
{
    if (!cmd->graphics->slots.is_moved)
        return;
    struct vk_color_slots slots = cmd->graphics->slots;
    slots.written = UINT8_MAX;
    move_targets(cmd, slots);
}

VKAPI_ATTR void VKAPI_CALL
radeon_CmdSetRenderingAttachmentLocationsKHR(VkCommandBuffer handle, const VkRenderingAttachmentLocationInfoKHR *info)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    vk_common_CmdSetRenderingAttachmentLocationsKHR(handle, info);
    move_targets(cmd, vk_color_slots_of(&cmd->vk.rec->objects.local));
}

/* ---- commands ---- */

void radeon_set_targets(struct radeon_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    vk_rendering_begin(&cmd->vk.rec->rendering, info);
    move_targets(cmd, (struct vk_color_slots){0});
    if (cmd->device->vk.enabled_features.attachmentFragmentShadingRate)
        cmd->graphics->dirty |= RADEON_DIRTY_SHADING | RADEON_DIRTY_SPECIAL;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo *info)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    radeon_set_targets(cmd, info);
    if (cmd->vk.rec->rendering.rate_view)
        radeon_rates_begin(cmd);
    if (!(info->flags & VK_RENDERING_RESUMING_BIT))
        vk_meta_clear_rendering(&cmd->vk, info);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdEndRendering(VkCommandBuffer handle)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    if (!(cmd->vk.rec->rendering.flags & VK_RENDERING_SUSPENDING_BIT))
        vk_meta_resolve_rendering(&cmd->vk);
    cmd->vk.rec->rendering.active = false;
}

/* ---- into the stream ---- */

static bool is_color_compressed(const struct vk_attachment *color)
{
    const struct radeon_image *image = radeon_image_of(color->view->image);
    uint32_t queue_mask = radeon_image_queue_mask(image, VK_QUEUE_FAMILY_IGNORED, RADEON_QUEUE_GENERAL);
    return radeon_layout_dcc_compressed(image, color->view->base_level, color->layout, queue_mask) ||
           radeon_layout_fmask_compressed(image, color->layout, queue_mask);
}

static bool is_read_only(VkImageLayout layout)
{
    switch (layout) {
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
        return true;
    default:
        return false;
    }
}

static void emit_depth(struct radeon_cmd_buffer *cmd)
{
    const struct vk_attachment *depth = &cmd->vk.rec->rendering.depth, *stencil = &cmd->vk.rec->rendering.stencil;
    const struct vk_attachment *any = depth->view ? depth : stencil;
    radeon_cs_reserve(&cmd->cs, RADEON_TARGET_MAX_DW);
    if (cmd->vk.rec->rendering.rate_view) {
        radeon_depth_target_emit(&cmd->cs, &cmd->graphics->rates, true, !depth->view || is_read_only(depth->layout),
                                 !stencil->view || is_read_only(stencil->layout));
        return;
    }
    if (!any->view) {
        radeon_depth_target_emit_none(&cmd->cs);
        return;
    }
    const struct radeon_image_view *view = radeon_image_view_of(any->view);
    const struct radeon_image *image = view->image;
    uint32_t queue_mask = radeon_image_queue_mask(image, VK_QUEUE_FAMILY_IGNORED, RADEON_QUEUE_GENERAL);
    bool compressed = radeon_layout_htile_compressed(image, any->layout, queue_mask);
    radeon_depth_target_emit(&cmd->cs, &view->depth, compressed, !depth->view || is_read_only(depth->layout),
                             !stencil->view || is_read_only(stencil->layout));
}

void radeon_emit_targets(struct radeon_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    struct radeon_cs *cs = &cmd->cs;
    if (!rendering->active || rendering->inherited)
        return; /* a secondary command buffer: the primary has written them */
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        const struct vk_attachment *color = &rendering->colors[vk_color_at_slot(&cmd->graphics->slots, i)];
        radeon_cs_reserve(cs, RADEON_TARGET_MAX_DW);
        if (color->view)
            radeon_color_target_emit(cs, i, &radeon_image_view_of(color->view)->color, is_color_compressed(color));
        else
            radeon_color_target_emit_none(cs, i);
    }
    emit_depth(cmd);
    const VkRect2D *area = &rendering->area;
    uint32_t x0 = MIN2((uint32_t)MAX2(area->offset.x, 0), MAX_COORDINATE),
             y0 = MIN2((uint32_t)MAX2(area->offset.y, 0), MAX_COORDINATE);
    radeon_cs_reserve(cs, 4);
    radeon_set_context_reg_seq(cs, AMD_REG_PA_SC_WINDOW_SCISSOR_TL, 2);
    radeon_emit(cs,
                AMD_PACK(RADEON_GFX, PA_SC_WINDOW_SCISSOR_TL, .TL_X = x0, .TL_Y = y0, .WINDOW_OFFSET_DISABLE = true));
    radeon_emit(cs, AMD_PACK(RADEON_GFX, PA_SC_WINDOW_SCISSOR_BR, .BR_X = MIN2(x0 + area->extent.width, MAX_COORDINATE),
                             .BR_Y = MIN2(y0 + area->extent.height, MAX_COORDINATE)));
}

/* ---- secondary command buffers ---- */

void radeon_inherit_rendering(struct radeon_cmd_buffer *cmd, const VkCommandBufferBeginInfo *info)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    struct radeon_graphics_state *graphics = cmd->graphics;
    /* A query of the primary may be running: samples are counted as precisely as it may need. */
    if (info->pInheritanceInfo && info->pInheritanceInfo->occlusionQueryEnable) {
        cmd->queries.occlusion_active++;
        cmd->queries.precise_active += (info->pInheritanceInfo->queryFlags & VK_QUERY_CONTROL_PRECISE_BIT) != 0;
    }
    if (!rendering->inherited)
        return;
    if (rendering->subpass && rendering->subpass == graphics->inherited.subpass &&
        !cmd->vk.rec->objects.local.has_locations) {
        graphics->traits = graphics->inherited.traits; /* and all is dirty */
        return;
    }
    move_targets(cmd, vk_color_slots_of(&cmd->vk.rec->objects.local));
    graphics->inherited.subpass = graphics->slots.is_moved ? 0 : rendering->subpass;
    graphics->inherited.traits = graphics->traits;
}

void radeon_graphics_before_execute(struct radeon_cmd_buffer *cmd)
{
    if (cmd->vk.rec->rendering.active && cmd->graphics->dirty & RADEON_DIRTY_TARGETS)
        radeon_emit_targets(cmd);
}
