/* Command buffers: their life, secondary ones, push constants. */
#include "mali/driver/cmd.h"

#include <string.h>

#include "mali/driver/entrypoints.h"

static struct mali_cmd_pool *pool_of(struct vk_command_pool *pool)
{
    return (struct mali_cmd_pool *)pool;
}

static VkResult init_cmd_buffer(struct vk_command_buffer *base)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    struct vk_rest *rests = pool_of(base->pool)->rests;
    cmd->device = mali_device_of(base->base.device);
    for (int i = 0; i < MALI_SUBQUEUES; i++)
        mali_stream_init(&cmd->streams[i].s, &cmd->device->chunks[MALI_CHUNK_STREAM], &rests[MALI_CHUNK_STREAM],
                         MALI_SLOT_MEMORY);
    vk_upload_init(&cmd->upload, &cmd->device->chunks[MALI_CHUNK_UPLOAD], &rests[MALI_CHUNK_UPLOAD]);
    return VK_SUCCESS;
}

static void reset_cmd_buffer(struct vk_command_buffer *base, bool release)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        struct mali_cmd_stream *part = &cmd->streams[i];
        if (release)
            mali_stream_finish(&part->s);
        else
            mali_stream_reset(&part->s);
        part->signals = 0;
        part->busy = 0;
        part->has_slot = part->is_unflushed = false;
        memset(part->waited, 0, sizeof(part->waited));
    }
    if (release)
        array_finish(&cmd->new_images.list);
    cmd->new_images.list.count = 0;
    cmd->new_images.src = cmd->new_images.dst = 0;
    vk_upload_reset(&cmd->upload);
    cmd->push_dirty = 0;
    cmd->compute_shader = NULL;
    cmd->compute_dirty = cmd->has_busy_groups = false;
    cmd->compute_tables = 0;
    cmd->predicate.va = 0;
    cmd->predicate.is_paused = false;
    mali_graphics_reset(cmd, release);
}

static void finish_cmd_buffer(struct vk_command_buffer *base)
{
    reset_cmd_buffer(base, true);
}

static void pool_trim(struct vk_command_pool *base)
{
    for (int kind = 0; kind < MALI_CHUNK_KIND_COUNT; kind++)
        vk_rest_drop(&mali_device_of(base->base.device)->chunks[kind], &pool_of(base)->rests[kind]);
}

const struct vk_command_buffer_ops mali_command_buffer_ops = {
    .size_B = sizeof(struct mali_cmd_buffer),
    .init = init_cmd_buffer,
    .finish = finish_cmd_buffer,
    .reset = reset_cmd_buffer,
    .pool_size_B = sizeof(struct mali_cmd_pool),
    .pool_trim = pool_trim,
};

/* A primary one begins when the work of the one before in the same subqueue is done, and its stores; a secondary one
 * may begin in the middle of anything. */
VKAPI_ATTR VkResult VKAPI_CALL mali_BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo *info)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    VkResult result = vk_command_buffer_begin(&cmd->vk, info);
    if (result != VK_SUCCESS)
        return result;
    const bool is_secondary = cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        cmd->streams[i].slot = MALI_SLOT_WORK;
        cmd->streams[i].busy = is_secondary ? MALI_WORK_SLOTS : 0;
    }
    cmd->has_busy_groups = is_secondary;
    mali_graphics_begin(cmd, info);
    return VK_SUCCESS;
}

/* Nothing is left running, and the kernel leaves caches alone at the end of a job: what was written goes to memory. */
static void end_primary(struct mali_cmd_buffer *cmd)
{
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        struct mali_cmd_stream *part = &cmd->streams[i];
        if (mali_stream_is_empty(&part->s))
            continue;
        mali_put_wait(&part->s, MALI_ALL_SLOTS);
        part->busy = 0;
        mali_cmd_flush(cmd, (enum mali_subqueue)i, MALI_FLUSH_CLEAN);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL mali_EndCommandBuffer(VkCommandBuffer handle)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    mali_settle_new_images(cmd);
    mali_cmd_settle_progress(cmd);
    if (cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_PRIMARY)
        end_primary(cmd);
    for (int i = 0; i < MALI_SUBQUEUES; i++) {
        mali_stream_end(&cmd->streams[i].s);
        vk_command_buffer_set_error(&cmd->vk, cmd->streams[i].s.error);
    }
    vk_upload_end(&cmd->upload);
    return vk_command_buffer_end(&cmd->vk);
}

/* ---- secondary command buffers ---- */

static void call_stream(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue, const struct mali_stream *called)
{
    struct mali_cmd_stream *part = &cmd->streams[subqueue];
    const struct mali_piece piece = mali_stream_first(called);
    if (!piece.chunk)
        return;
    const struct mali_d address = mali_scratch_pair(0);
    const struct mali_r length = mali_scratch(2);
    mali_set64(&part->s, address, piece.va);
    mali_set32(&part->s, length, piece.size_B);
    mali_put_call(&part->s, address, length);
    part->busy = MALI_WORK_SLOTS;
    part->has_slot = false;
    part->is_unflushed = true;
}

VKAPI_ATTR void VKAPI_CALL mali_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                                   const VkCommandBuffer *buffers)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    mali_settle_new_images(cmd);
    for (uint32_t i = 0; i < count; i++) {
        const struct mali_cmd_buffer *secondary = mali_cmd_buffer_from_handle(buffers[i]);
        const uint32_t tilers = mali_graphics_execute_begin(cmd);
        mali_cmd_settle_progress(cmd);
        for (int subqueue = 0; subqueue < MALI_SUBQUEUES; subqueue++) {
            for (uint32_t tiler = 0; tiler < (subqueue == MALI_VERTEX ? tilers : 1); tiler++) {
                mali_graphics_execute(cmd, secondary, tiler);
                call_stream(cmd, (enum mali_subqueue)subqueue, &secondary->streams[subqueue].s);
            }
        }
        mali_graphics_execute_end(cmd, secondary);
    }
    /* All state is undefined after a secondary, but what is bound here may be used again after a new bind: every
     * register is dirty. */
    cmd->compute_dirty = cmd->has_busy_groups = true;
    for (int i = 0; i < VK_BIND_POINT_COUNT; i++)
        vk_bindings_all_dirty(&cmd->vk.rec->bindings[i]);
    cmd->push_dirty = VK_SHADER_STAGE_ALL;
    mali_graphics_forget(cmd);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
                                                 VkShaderStageFlags stages, uint32_t offset_B, uint32_t size_B,
                                                 const void *values)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    memcpy(cmd->push_constants + offset_B, values, size_B);
    cmd->push_dirty |= stages;
}
