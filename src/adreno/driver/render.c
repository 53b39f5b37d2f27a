/* vkCmdBeginRendering and vkCmdEndRendering. Draws of a rendering are recorded into a stream of their own; at its end
 * it is decided where they are drawn: into memory (sysmem.c) or tile by tile (gmem.c). Render passes are made of
 * renderings by the runtime. */
#include <string.h>

#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/render/vk_render_pass.h"

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
    const VkCommandBufferInheritanceInfo *from =
        cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY ? info->pInheritanceInfo : NULL;
    cmd->graphics.is_predicated = false;
    cmd->graphics.occlusion_queries = from && from->occlusionQueryEnable;
    cmd->graphics.statistics_queries = from && from->pipelineStatistics;
    cmd->graphics.generated_queries = 0;
    cmd->graphics.dirty = ADRENO_DIRTY_ALL;
    adreno_graphics_forget(cmd);
    if (!cmd->vk.rec->rendering.inherited)
        return;
    cmd->graphics.slots = vk_color_slots_of(&cmd->vk.rec->objects.local);
    cmd->graphics.pass = (struct adreno_pass){.is_active = true};
    adreno_lrz_begin_secondary(cmd);
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
    adreno_lrz_before_secondary(cmd);
    adreno_lrz_join(&pass->lrz.rules, &secondary->graphics.pass.lrz.rules);
    cmd->graphics.dirty |= ADRENO_DIRTY_LRZ;
    adreno_cs_append(&cmd->graphics.draws, &secondary->graphics.draws);
    adreno_cs_append(&cmd->graphics.after, &secondary->graphics.after);
    pass->needs_memory |=
        secondary->graphics.pass.needs_memory || (pass->is_joined && secondary->graphics.pass.reads_inputs);
    pass->cannot_bin |= secondary->graphics.pass.cannot_bin;
    pass->needs_binning |= secondary->graphics.pass.needs_binning;
    pass->num_draws += secondary->graphics.pass.num_draws;
}

/* ---- commands ---- */

void adreno_set_targets(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    cmd->graphics.slots = (struct vk_color_slots){0};
    vk_rendering_begin(&cmd->vk.rec->rendering, info);
    adreno_fill_parts(cmd, info);
    forget_targets(cmd);
}

static bool clears_samples(const struct adreno_pass *pass)
{
    bits_foreach (pass->part_mask, i) {
        const struct adreno_pass_part *part = &pass->parts[i];
        if ((part->is_cleared || part->is_stencil_cleared) && part->target.samples_log2)
            return true;
    }
    return false;
}

/* Targets of several samples are cleared by draws, which tiles do without. */
static void record_clears(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    graphics->cs = &graphics->clears;
    adreno_emit_targets(cmd, graphics->cs);
    vk_meta_clear_rendering(&cmd->vk, info);
    adreno_cs_split(graphics->cs);
    graphics->pass.num_draws = 0;
}

/* Attachments of joined subpasses one by one: no subpass has them all. */
static void record_joined_clears(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info,
                                 const struct vk_joined_rendering *joined)
{
    for (uint32_t i = 0; i < joined->count; i++) {
        const struct vk_joined_attachment *attachment = &joined->attachments[i];
        VkRenderingInfo one = *info;
        one.pNext = NULL;
        one.colorAttachmentCount = attachment->aspects & VK_IMAGE_ASPECT_COLOR_BIT ? 1 : 0;
        one.pColorAttachments = &attachment->info;
        one.pDepthAttachment = attachment->aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? &attachment->info : NULL;
        one.pStencilAttachment = attachment->aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? &attachment->stencil : NULL;
        adreno_set_targets(cmd, &one);
        adreno_set_operations(cmd, &one);
        if (clears_samples(&cmd->graphics.pass))
            record_clears(cmd, &one);
    }
}

static void record_all_clears(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    const struct vk_joined_rendering *joined = adreno_joined(info);
    if (joined)
        record_joined_clears(cmd, info, joined);
    adreno_set_targets(cmd, info);
    adreno_choose_tiles(cmd);
    adreno_set_operations(cmd, info);
    if (!joined && !(info->flags & VK_RENDERING_RESUMING_BIT) && clears_samples(&cmd->graphics.pass))
        record_clears(cmd, info);
}

/* Sets that are bound are looked at again: their input attachments may be in GMEM from here on, or no more. */
static void forget_inputs(struct adreno_cmd_buffer *cmd)
{
    if (cmd->graphics.pass.is_joined)
        vk_bindings_all_dirty(&cmd->vk.rec->bindings[VK_BIND_GRAPHICS]);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo *info)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    struct adreno_graphics *graphics = &cmd->graphics;
    adreno_emit_due(cmd, &cmd->cs);
    graphics->pass = (struct adreno_pass){.is_active = true, .needs_binning = graphics->generated_queries != 0};
    graphics->pass.first_clear = graphics->clears.pieces.count;
    graphics->pass.first_after = graphics->after.pieces.count;
    record_all_clears(cmd, info);
    forget_inputs(cmd);
    adreno_lrz_begin(cmd);
    graphics->pass.first_piece = graphics->draws.pieces.count;
    graphics->cs = &graphics->draws;
    forget_targets(cmd);
    adreno_emit_targets(cmd, graphics->cs);
}

/* Subpasses that are joined hand over pixels alone: a tile need not wait for others. */
void adreno_next_subpass(struct vk_command_buffer *base, const VkDependencyInfo *dependency,
                         const VkRenderingInfo *info)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    struct adreno_cs *cs = &cmd->graphics.draws;
    adreno_dependency(cmd, dependency);
    adreno_emit_due(cmd, cs);
    vk_rendering_begin(&cmd->vk.rec->rendering, info);
    adreno_choose_parts(cmd);
    adreno_lrz_next_subpass(cmd);
    forget_targets(cmd);
    adreno_emit_targets(cmd, cs);
}

/* Pixels of another target may still be in the CCU, which finds them by that. */
VKAPI_ATTR void VKAPI_CALL
adreno_CmdSetRenderingAttachmentLocationsKHR(VkCommandBuffer handle, const VkRenderingAttachmentLocationInfoKHR *info)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    struct adreno_cs *cs = cmd->graphics.cs;
    const struct vk_color_slots old = cmd->graphics.slots;
    vk_common_CmdSetRenderingAttachmentLocationsKHR(handle, info);
    cmd->graphics.slots = vk_color_slots_of(&cmd->vk.rec->objects.local);
    forget_targets(cmd);
    if (!cmd->graphics.pass.part_mask || memcmp(&old, &cmd->graphics.slots, sizeof(old)) == 0)
        return; /* the targets are the caller's, who has said the same, or stay where they are */
    adreno_cs_reserve(cs, ADRENO_ORDER_DW);
    adreno_emit_order(cs, ADRENO_DROP_COLOR | ADRENO_WAIT_IDLE, adreno_word_va(cmd->device, ADRENO_WORD_EVENTS));
    adreno_emit_targets(cmd, cs);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdEndRendering(VkCommandBuffer handle)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    struct adreno_graphics *graphics = &cmd->graphics;
    adreno_cs_split(&graphics->draws);
    adreno_cs_split(&graphics->after);
    graphics->cs = NULL;
    const bool is_in_tiles = !(cmd->vk.rec->rendering.flags & PAUSED) && adreno_can_use_gmem(cmd);
    adreno_commit_parts(cmd, is_in_tiles);
    if (is_in_tiles)
        adreno_emit_tiles(cmd);
    else
        adreno_draw_into_memory(cmd);
    /* Depths that were resolved into an image are not those that its low-resolution depth was made of. */
    if (graphics->pass.resolved_depth)
        adreno_lrz_forget(cmd, graphics->pass.resolved_depth, VK_IMAGE_ASPECT_DEPTH_BIT);
    adreno_cs_reserve(&cmd->cs, 8);
    ADRENO_PACKET(&cmd->cs, CP_SET_DRAW_STATE, .DISABLE_ALL_GROUPS = true);
    adreno_call_pieces(&cmd->cs, &graphics->after, graphics->pass.first_after);
    forget_inputs(cmd);
    graphics->pass.is_active = graphics->pass.is_joined = false;
    graphics->pass.lrz = (struct adreno_lrz_pass){0};
    cmd->vk.rec->rendering.active = false;
    forget_targets(cmd);
}
