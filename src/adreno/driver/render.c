/* vkCmdBeginRendering and vkCmdEndRendering. Draws of a rendering are recorded into a stream of their own; at its end it
 * is decided where they are drawn: into memory (sysmem.c) or tile by tile (gmem.c). Render passes are made of renderings by
 * the runtime. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "util/bits.h"
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
    pass->needs_memory |= secondary->graphics.pass.needs_memory;
    pass->cannot_bin |= secondary->graphics.pass.cannot_bin;
    pass->num_draws += secondary->graphics.pass.num_draws;
}

/* ---- commands ---- */

void adreno_set_targets(struct adreno_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    vk_rendering_begin(&cmd->vk.rendering, info);
    adreno_fill_parts(cmd);
    forget_targets(cmd);
}

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
    adreno_choose_tiles(cmd);
    adreno_set_operations(cmd, info);
    graphics->pass.first_clear = graphics->clears.pieces.count;
    graphics->pass.first_after = graphics->after.pieces.count;
    if (!(info->flags & VK_RENDERING_RESUMING_BIT))
        record_clears(cmd, info);
    adreno_lrz_begin(cmd);
    graphics->pass.first_piece = graphics->draws.pieces.count;
    graphics->cs = &graphics->draws;
    forget_targets(cmd);
    adreno_emit_targets(cmd, graphics->cs);
}

/* Depths that were resolved into an image are not those that its low-resolution depth was made of. */
static void forget_resolved(struct adreno_cmd_buffer *cmd)
{
    const struct vk_attachment *depth = &cmd->vk.rendering.depth;
    if (depth->resolve_view && depth->resolve_mode != VK_RESOLVE_MODE_NONE)
        adreno_lrz_forget(cmd, adreno_image_of(depth->resolve_view->image), VK_IMAGE_ASPECT_DEPTH_BIT);
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
        adreno_draw_into_memory(cmd);
    forget_resolved(cmd);
    adreno_cs_reserve(&cmd->cs, 8);
    ADRENO_PACKET(&cmd->cs, CP_SET_DRAW_STATE, .DISABLE_ALL_GROUPS = true);
    adreno_call_pieces(&cmd->cs, &graphics->after, graphics->pass.first_after);
    graphics->pass.is_active = false;
    graphics->pass.lrz = (struct adreno_lrz_pass){0};
    cmd->vk.rendering.active = false;
    forget_targets(cmd);
}
