/* Subpasses that are one rendering (vk_render_pass.h): what one of them draws stays in the tile for the next, which
 * reads it as an input attachment from there. All attachments of the subpasses are render targets of the same
 * framebuffers, so those of a subpass have other numbers there: its blend descriptors say which.
 *
 * Recordings that are called know neither those numbers nor what of an earlier subpass is in the tile: before a subpass
 * of secondary command buffers the rendering ends, and each of those that are left is a rendering of its own. What they
 * do know is which inputs their own subpass draws to. Those are read from the tile, for a recording that is called in
 * the middle of a rendering cannot end it: a barrier in it has nothing to do then. */
#include <string.h>

#include "mali/driver/cmd.h"
#include "mali/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/render/vk_render_pass.h"

static const void *find_in_chain(const VkRenderingInfo *info, VkStructureType type)
{
    for (const VkBaseInStructure *in = info->pNext; in; in = in->pNext) {
        if (in->sType == type)
            return in;
    }
    return NULL;
}

static const struct vk_image_view *view_of(VkImageView handle)
{
    return handle ? &mali_image_view_from_handle(handle)->vk : NULL;
}

/* ---- all attachments ---- */

/* Tiles have as many samples of one attachment as of any other. */
static bool has_one_sample_count(const struct vk_joined_rendering *joined)
{
    uint32_t samples = 0;
    for (uint32_t i = 0; i < joined->count; i++) {
        const struct vk_image_view *view = view_of(joined->attachments[i].info.imageView);
        if (!view)
            continue;
        if (samples && samples != (uint32_t)view->image->samples)
            return false;
        samples = view->image->samples;
    }
    return samples != 0;
}

bool mali_join_attachments(const VkRenderingInfo *info, VkRenderingAttachmentInfo colors[VK_MAX_COLOR_ATTACHMENTS],
                           VkRenderingInfo *whole_out)
{
    const struct vk_joined_rendering *joined = find_in_chain(info, VK_STRUCTURE_TYPE_JOINED_RENDERING);
    if (!joined || info->flags & VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT || !has_one_sample_count(joined))
        return false;
    *whole_out = *info;
    whole_out->pNext = NULL;
    whole_out->colorAttachmentCount = 0;
    whole_out->pColorAttachments = colors;
    whole_out->pDepthAttachment = whole_out->pStencilAttachment = NULL;
    for (uint32_t i = 0; i < joined->count; i++) {
        const struct vk_joined_attachment *attachment = &joined->attachments[i];
        if (attachment->aspects & VK_IMAGE_ASPECT_COLOR_BIT)
            colors[whole_out->colorAttachmentCount++] = attachment->info;
        if (attachment->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
            whole_out->pDepthAttachment = &attachment->info;
        if (attachment->aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
            whole_out->pStencilAttachment = &attachment->stencil;
    }
    return true;
}

/* ---- those of a subpass ---- */

static uint8_t find_part(const struct mali_pass *pass, const struct vk_image_view *view)
{
    bits_foreach (view ? pass->part_mask : 0, i) {
        if (&pass->parts[i].view->vk == view)
            return (uint8_t)i;
    }
    return MALI_PART_NONE;
}

static void choose_subpass(struct mali_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct vk_subpass_inputs *inputs = find_in_chain(info, VK_STRUCTURE_TYPE_SUBPASS_INPUTS);
    vk_rendering_begin(&cmd->vk.rec->rendering, info);
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++)
        pass->colors[i] = find_part(pass, i < rendering->num_colors ? rendering->colors[i].view : NULL);
    for (uint32_t i = 0; i < MALI_MAX_INPUTS; i++)
        pass->inputs[i] = find_part(pass, inputs && i < inputs->count ? view_of(inputs->views[i]) : NULL);
    pass->is_memory_old = true;
    mali_graphics_forget(cmd);
}

void mali_joined_begin(struct mali_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    cmd->graphics.pass.is_joined = cmd->graphics.pass.has_inputs = true;
    cmd->graphics.whole = cmd->vk.rec->rendering;
    choose_subpass(cmd, info);
}

/* Everything goes to memory, as if the subpasses so far had been renderings of their own. */
static void leave_tile(struct mali_cmd_buffer *cmd)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    bits_foreach (pass->part_mask, i) {
        struct mali_part *part = &pass->parts[i];
        if (part->is_resolved)
            cmd->graphics.whole.colors[i].resolve_view = part->resolve_view;
        part->is_resolved = false;
        part->is_stored = true;
    }
}

void mali_next_subpass(struct vk_command_buffer *base, const VkDependencyInfo *dependency, const VkRenderingInfo *info)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    const bool has_secondaries = info->flags & VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
    const bool has_any = info->colorAttachmentCount || info->pDepthAttachment || info->pStencilAttachment;
    (void)dependency; /* on the same pixels, which are drawn in their order */
    if (cmd->graphics.pass.is_joined && !has_secondaries && has_any) {
        choose_subpass(cmd, info);
        return;
    }
    if (cmd->graphics.pass.is_joined)
        leave_tile(cmd);
    mali_CmdEndRendering(mali_cmd_buffer_to_handle(cmd));
    mali_cmd_wait_work(cmd, MALI_FRAGMENT);
    mali_cmd_flush(cmd, MALI_FRAGMENT, MALI_FLUSH_READ_ONLY);
    mali_CmdBeginRendering(mali_cmd_buffer_to_handle(cmd), info);
}

/* ---- input attachments ---- */

/* As a rendering of one subpass numbers them. */
static uint8_t find_drawn(const struct vk_subpass *subpass, const struct vk_subpass_attachment *input)
{
    if (input->index == VK_ATTACHMENT_UNUSED)
        return MALI_PART_NONE;
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        if (subpass->colors[i].index == input->index)
            return (uint8_t)i;
    }
    if (subpass->depth_stencil.index != input->index)
        return MALI_PART_NONE;
    return subpass->depth_format != VK_FORMAT_UNDEFINED ? MALI_PART_DEPTH : MALI_PART_STENCIL;
}

void mali_inherit_inputs(struct mali_cmd_buffer *cmd, const struct vk_subpass *subpass)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    if (!subpass)
        return;
    pass->has_inputs = true;
    for (uint32_t i = 0; i < MALI_MAX_INPUTS; i++)
        pass->inputs[i] = i < subpass->input_count ? find_drawn(subpass, &subpass->inputs[i]) : MALI_PART_NONE;
}

static void set_number(struct mali_graphics_pipeline *pipeline, uint8_t number, unsigned part)
{
    if (number < MALI_MAX_INPUTS)
        pipeline->inputs[number] = (uint8_t)part;
}

void mali_pipeline_inputs(struct mali_graphics_pipeline *pipeline, const struct vk_rendering_formats *formats)
{
    pipeline->has_inputs = true;
    memset(pipeline->inputs, MALI_PART_NONE, sizeof(pipeline->inputs));
    for (unsigned i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++)
        set_number(pipeline, formats->color_inputs[i], i);
    if (formats->stencil_format != VK_FORMAT_UNDEFINED)
        set_number(pipeline, formats->stencil_input, MALI_PART_STENCIL);
    if (formats->depth_format != VK_FORMAT_UNDEFINED)
        set_number(pipeline, formats->depth_input, MALI_PART_DEPTH);
}

uint32_t mali_parts_read(const struct mali_pass *pass, uint32_t numbers)
{
    uint32_t parts = 0;
    bits_foreach (pass->has_inputs ? numbers : 0, i)
        parts |= pass->inputs[i] != MALI_PART_NONE ? 1u << pass->inputs[i] : 0;
    return parts;
}

/* Programs read inputs from memory that are not known to be in the tile, and some as they were compiled: then all that
 * was drawn goes there. */
void mali_find_inputs(struct mali_cmd_buffer *cmd)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    const struct mali_graphics_pipeline *baked = cmd->graphics.baked;
    if (!baked->fragment)
        return;
    const struct mali_shader_config *config = &baked->fragment->binary.config;
    if (baked->has_inputs && cmd->graphics.dirty & MALI_DIRTY_PIPELINE) {
        pass->has_inputs = true;
        memcpy(pass->inputs, baked->inputs, sizeof(pass->inputs));
    }
    if (!pass->is_memory_old || !(config->fs.reads_input_memory || (config->fs.inputs_read && !pass->has_inputs)))
        return;
    mali_pass_flush(cmd);
    pass->is_memory_old = false;
}

/* Other reads of attachments (feedback loops) are of textures. */
static bool is_local(VkPipelineStageFlags2 src_stages, VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access)
{
    const VkPipelineStageFlags2 stages =
        VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |
        VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkAccessFlags2 accesses = VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT |
                                    VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
                                    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                                    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    return !((src_stages | dst_stages) & ~stages) && !(dst_access & ~accesses);
}

bool mali_is_local_barrier(struct mali_cmd_buffer *cmd, const VkDependencyInfo *info)
{
    bool all_local = info->dependencyFlags & VK_DEPENDENCY_BY_REGION_BIT && !info->bufferMemoryBarrierCount;
    for (uint32_t i = 0; i < info->memoryBarrierCount; i++) {
        const VkMemoryBarrier2 *b = &info->pMemoryBarriers[i];
        all_local = all_local && is_local(b->srcStageMask, b->dstStageMask, b->dstAccessMask);
    }
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++) {
        const VkImageMemoryBarrier2 *b = &info->pImageMemoryBarriers[i];
        all_local =
            all_local && is_local(b->srcStageMask, b->dstStageMask, b->dstAccessMask) && b->oldLayout == b->newLayout;
    }
    if (all_local)
        cmd->graphics.pass.is_memory_old = true;
    return all_local;
}

void mali_input_words(const struct mali_cmd_buffer *cmd, unsigned number, uint32_t words_out[2])
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    const unsigned part = pass->has_inputs ? pass->inputs[number] : MALI_PART_NONE;
    words_out[0] = words_out[1] = 0;
    if (part == MALI_PART_NONE)
        return;
    words_out[0] = MALI_INPUT_OWN_PIXEL;
    if (part >= MALI_PART_DEPTH)
        return;
    const struct mali_vkformat *format = mali_vkformat(pass->parts[part].target.format);
    words_out[0] |= part << 8;
    words_out[1] = mali_pixel_format_bits(format->color.conversion) | (uint32_t)mali_register_format(format->info)
                                                                          << 24;
}
