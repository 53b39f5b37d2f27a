/* Graphics pipelines: what is made ready when one is created. Everything of its state could have been set by a command,
 * too (state*.c). */
#include "mali/driver/cmd.h"
#include "util/bits.h"

VkResult mali_graphics_pipeline_init(struct vk_device *base, struct vk_pipeline *pipeline,
                                     const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    struct vk_shader *vertex = pipeline->shaders[vk_stage_index(VK_SHADER_STAGE_VERTEX_BIT)],
                     *fragment = pipeline->shaders[vk_stage_index(VK_SHADER_STAGE_FRAGMENT_BIT)];
    struct mali_graphics_pipeline *baked =
        vk_zalloc(&base->alloc, allocator, sizeof(*baked), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!baked)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    baked->vertex = mali_shader_of(vertex);
    baked->fragment = fragment ? mali_shader_of(fragment) : NULL;
    if (state && state->rendering.has_inputs)
        mali_pipeline_inputs(baked, &state->rendering);
    pipeline->driver_data = baked;
    return VK_SUCCESS;
}

void mali_graphics_pipeline_finish(struct vk_device *base, struct vk_pipeline *pipeline,
                                   const VkAllocationCallbacks *allocator)
{
    vk_free(&base->alloc, allocator, pipeline->driver_data);
}

void mali_graphics_bind(struct mali_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline)
{
    struct mali_graphics *graphics = &cmd->graphics;
    const struct mali_graphics_pipeline *baked = mali_baked(&pipeline->base);
    graphics->pipeline = pipeline;
    if (graphics->baked == baked)
        return;
    graphics->baked = baked;
    graphics->dirty |= MALI_DIRTY_PIPELINE;
    cmd->push_dirty |= VK_SHADER_STAGE_ALL_GRAPHICS;
}
