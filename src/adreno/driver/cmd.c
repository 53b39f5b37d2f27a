/* Command buffers: their life, secondary ones, push constants, streams beside the main one. */
#include "adreno/driver/cmd.h"

#include "adreno/driver/entrypoints.h"
#include "util/bits.h"

static struct adreno_cmd_pool *pool_of(struct vk_command_pool *pool)
{
    return (struct adreno_cmd_pool *)pool;
}

static VkResult init_cmd_buffer(struct vk_command_buffer *base)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    struct vk_rest *rests = pool_of(base->pool)->rests;
    cmd->device = adreno_device_of(base->base.device);
    adreno_cs_init(&cmd->cs, &cmd->device->chunks[ADRENO_CHUNK_STREAM], &rests[ADRENO_CHUNK_STREAM]);
    adreno_graphics_init(cmd);
    vk_upload_init(&cmd->upload, &cmd->device->chunks[ADRENO_CHUNK_UPLOAD], &rests[ADRENO_CHUNK_UPLOAD]);
    return VK_SUCCESS;
}

static void reset_cmd_buffer(struct vk_command_buffer *base, bool release)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    if (release)
        adreno_cs_finish(&cmd->cs);
    else
        adreno_cs_reset(&cmd->cs);
    adreno_graphics_reset(cmd, release);
    vk_upload_reset(&cmd->upload);
    cmd->orders = (struct adreno_orders){0};
    cmd->push_dirty = 0;
    cmd->compute_shader = NULL;
    cmd->compute_dirty = false;
}

static void finish_cmd_buffer(struct vk_command_buffer *base)
{
    reset_cmd_buffer(base, true);
}

static void pool_trim(struct vk_command_pool *base)
{
    for (int kind = 0; kind < ADRENO_CHUNK_KIND_COUNT; kind++)
        vk_rest_drop(&adreno_device_of(base->base.device)->chunks[kind], &pool_of(base)->rests[kind]);
}

const struct vk_command_buffer_ops adreno_command_buffer_ops = {
    .size_B = sizeof(struct adreno_cmd_buffer),
    .init = init_cmd_buffer,
    .finish = finish_cmd_buffer,
    .reset = reset_cmd_buffer,
    .pool_size_B = sizeof(struct adreno_cmd_pool),
    .pool_trim = pool_trim,
};

VKAPI_ATTR VkResult VKAPI_CALL adreno_BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo *info)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    VkResult result = vk_command_buffer_begin(&cmd->vk, info);
    if (result != VK_SUCCESS)
        return result;
    cmd->orders = adreno_orders_begin();
    adreno_graphics_begin(cmd, info);
    return VK_SUCCESS;
}

/* Memory that was made available must be so for the command buffers that follow, whoever reads it there: all that is
 * pending is cleaned. Memory that no barrier spoke of is the queue's matter (queue.c). */
VKAPI_ATTR VkResult VKAPI_CALL adreno_EndCommandBuffer(VkCommandBuffer handle)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    cmd->orders.due |= cmd->orders.pending & ADRENO_CLEAN_ALL;
    adreno_emit_due(cmd, &cmd->cs);
    adreno_cs_end(&cmd->cs);
    adreno_graphics_end(cmd);
    vk_upload_end(&cmd->upload);
    vk_command_buffer_set_error(&cmd->vk, cmd->cs.error);
    return vk_command_buffer_end(&cmd->vk);
}

/* ---- secondary command buffers ---- */

VKAPI_ATTR void VKAPI_CALL adreno_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                                     const VkCommandBuffer *buffers)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    cmd->orders.due |= cmd->orders.pending & ADRENO_CLEAN_ALL;
    cmd->graphics.pass.needs_memory |= cmd->orders.due && cmd->graphics.pass.is_active;
    adreno_emit_due(cmd, adreno_cmd_stream(cmd));
    for (uint32_t i = 0; i < count; i++) {
        struct adreno_cmd_buffer *secondary = adreno_cmd_buffer_from_handle(buffers[i]);
        if (cmd->graphics.pass.is_active)
            adreno_graphics_execute(cmd, secondary);
        else
            adreno_cs_append(&cmd->cs, &secondary->cs);
    }
    cmd->orders.pending |= ADRENO_DROP_ALL;
    adreno_graphics_forget(cmd);
    /* All state is undefined after a secondary, but what is bound here may be used again after a new bind: every
     * register is dirty. */
    cmd->compute_dirty = true;
    for (int i = 0; i < VK_BIND_POINT_COUNT; i++)
        vk_bindings_all_dirty(&cmd->vk.rec->bindings[i]);
    cmd->push_dirty = VK_SHADER_STAGE_ALL;
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
                                                   VkShaderStageFlags stages, uint32_t offset_B, uint32_t size_B,
                                                   const void *values)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    memcpy(cmd->push_constants + offset_B, values, size_B);
    cmd->push_dirty |= stages;
}

/* ---- streams beside the main one ---- */

/* Without memory the words go where nothing reads them. */
static uint32_t trash[ADRENO_CS_MAX_RESERVE];

void adreno_cmd_stream_begin(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t size_dw)
{
    uint64_t va = 0;
    uint32_t *words = adreno_cmd_upload(cmd, size_dw * 4, 64, &va);
    assert(words || size_dw <= ADRENO_CS_MAX_RESERVE);
    adreno_cs_init_fixed(cs, words ? words : trash, va, size_dw);
}

struct adreno_range adreno_cmd_stream_end(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_range range = adreno_cs_range(cs);
    if (!range.va)
        return (struct adreno_range){0};
    cmd->upload.used_B -= (uint32_t)(cs->end - cs->dw) * 4;
    return range;
}
