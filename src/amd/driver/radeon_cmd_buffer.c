/* Command buffers: their life, secondary ones, push constants. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_cp_dma.h"

#include <string.h>

#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_query.h"
#include "amd/hw/table.h"
#include "util/bits.h"

static struct radeon_cmd_pool *pool_of(struct vk_command_pool *pool)
{
    return (struct radeon_cmd_pool *)pool;
}

static VkResult init_cmd_buffer(struct vk_command_buffer *base)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    cmd->device = radeon_device_of(base->base.device);
    cmd->family = base->pool->family_index;
    cmd->is_compute = cmd->family != RADEON_QUEUE_GENERAL;
    cmd->is_transfer = cmd->family == RADEON_QUEUE_TRANSFER;
    struct vk_rest *rests = pool_of(base->pool)->rests;
    radeon_device_cs_init(cmd->device, &cmd->cs, &rests[RADEON_CHUNK_STREAM]);
    cmd->cs.is_dma = cmd->is_transfer;
    radeon_device_cs_init(cmd->device, &cmd->tasks, NULL);
    vk_upload_init(&cmd->upload, &cmd->device->chunks[RADEON_CHUNK_UPLOAD], &rests[RADEON_CHUNK_UPLOAD]);
    vk_upload_init(&cmd->local, &cmd->device->chunks[RADEON_CHUNK_LOCAL], &rests[RADEON_CHUNK_LOCAL]);
    return VK_SUCCESS;
}

static void reset_cmd_buffer(struct vk_command_buffer *base, bool release)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    radeon_cs_reset(&cmd->cs);
    radeon_cs_reset(&cmd->tasks);
    vk_upload_reset(&cmd->upload);
    vk_upload_reset(&cmd->local);
    cmd->due = 0;
    cmd->fence_va = 0;
    cmd->fence_value = 0;
    cmd->compute_shader = NULL;
    cmd->last_baked = NULL;
    cmd->compute_dirty = false;
    cmd->rays.pipeline = NULL;
    cmd->rays.stack_B = 0;
    cmd->push_dirty = 0;
    cmd->compute_scratch_B_per_wave = cmd->graphics_scratch_B_per_wave = cmd->geometry_ring_B = 0;
    cmd->tasks_scratch_B_per_wave = 0;
    cmd->pending_writes_by_cp = false;
    cmd->dma_room_va = 0;
    memset(&cmd->predicate, 0, sizeof(cmd->predicate));
    memset(&cmd->queries, 0, sizeof(cmd->queries));
    cmd->meta_depth = 0;
}

static void finish_cmd_buffer(struct vk_command_buffer *base)
{
    reset_cmd_buffer(base, true);
}

static void pool_trim(struct vk_command_pool *base)
{
    struct radeon_cmd_pool *pool = pool_of(base);
    for (int kind = 0; kind < RADEON_CHUNK_KIND_COUNT; kind++)
        vk_rest_drop(&radeon_device_of(base->base.device)->chunks[kind], &pool->rests[kind]);
    vk_free(&base->alloc, NULL, pool->steps);
    pool->steps = NULL;
}

const struct vk_command_buffer_ops radeon_command_buffer_ops = {
    .size_B = sizeof(struct radeon_cmd_buffer),
    .recording_size_B = sizeof(struct radeon_recording),
    .init = init_cmd_buffer,
    .finish = finish_cmd_buffer,
    .reset = reset_cmd_buffer,
    .pool_size_B = sizeof(struct radeon_cmd_pool),
    .pool_trim = pool_trim,
};

/* Queries that may be active in the primary: draws of the secondary count for them. */
static void inherit_queries(struct radeon_cmd_buffer *cmd, const VkCommandBufferInheritanceInfo *info)
{
    cmd->queries.occlusion_active = info->occlusionQueryEnable;
    cmd->queries.precise_active = info->occlusionQueryEnable && info->queryFlags & VK_QUERY_CONTROL_PRECISE_BIT;
    cmd->queries.statistics_active = info->pipelineStatistics != 0;
    /* Of queries of mesh primitives nothing is said beforehand. */
    if (info->pipelineStatistics & RADEON_STATISTICS_OF_SHADERS || cmd->device->vk.enabled_features.meshShaderQueries) {
        const size_t size_B = sizeof(cmd->queries.count_va);
        void *cell = radeon_cmd_upload(cmd, size_B, 8, &cmd->queries.counts_cell_va);
        if (cell)
            memset(cell, 0, size_B);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo *info)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    VkResult result = vk_command_buffer_begin(&cmd->vk, info);
    if (result != VK_SUCCESS)
        return result;
    radeon_take_recording(cmd, cmd->vk.rec);
    if (!cmd->is_compute) {
        radeon_graphics_reset(cmd);
        if (cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY)
            radeon_inherit_rendering(cmd, info);
    }
    if (cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY && info->pInheritanceInfo)
        inherit_queries(cmd, info->pInheritanceInfo);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_EndCommandBuffer(VkCommandBuffer handle)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    if (cmd->pending_writes_by_cp)
        radeon_cp_writes_wait(cmd);
    /* Writes of the last commands must have left the render backends before the submission counts as done; the
     * caches behind them are the kernel's at its end. A secondary leaves this to the commands after it. */
    if (cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_PRIMARY) {
        if (!cmd->is_compute)
            cmd->due |= RADEON_OUT_ALL_COLOR | RADEON_OUT_ALL_DEPTH | RADEON_AFTER_PIXELS;
        cmd->due |= RADEON_AFTER_COMPUTE | RADEON_OUT_L2;
        if (radeon_cs_is_empty(&cmd->cs))
            cmd->due = 0;
    }
    if (cmd->due)
        radeon_emit_due(cmd);
    radeon_cs_end(&cmd->cs);
    if (!radeon_cs_is_empty(&cmd->tasks))
        radeon_cs_end(&cmd->tasks);
    vk_command_buffer_set_error(&cmd->vk, cmd->tasks.error);
    vk_upload_end(&cmd->upload);
    if (cmd->local.current)
        vk_upload_end(&cmd->local);
    vk_command_buffer_set_error(&cmd->vk, cmd->cs.error);
    cmd->last_baked = cmd->graphics->baked;
    cmd->graphics = NULL; /* another's */
    cmd->push_constants = NULL;
    return vk_command_buffer_end(&cmd->vk);
}

/* ---- secondary command buffers ---- */

static uint32_t packet_length_dw(const struct radeon_cs *cs, const uint32_t *words)
{
    const uint32_t header = words[0];
    if (cs->is_dma)
        return hw_packet_length_dw(amd_sdma_find(RADEON_GFX, header), RADEON_GFX, words);
    if (header == AMD_PKT3_NOP_FILLER || AMD_PKT_TYPE(header) == 2)
        return 1;
    return AMD_PKT_COUNT(header) + 2;
}

/* Whole packets only: where this stream's chunk ends there is a jump, and not in the middle of a packet. */
static void copy_packets(struct radeon_cs *cs, const uint32_t *words, uint32_t count_dw)
{
    uint32_t at = 0;
    while (at < count_dw) {
        uint32_t piece = packet_length_dw(cs, words + at);
        while (at + piece < count_dw && piece + packet_length_dw(cs, words + at + piece) <= RADEON_CS_MAX_RESERVE)
            piece += packet_length_dw(cs, words + at + piece);
        radeon_cs_reserve(cs, piece);
        radeon_emit_array(cs, words + at, piece);
        at += piece;
    }
}

/* The stream of a secondary is called on the graphics ring if it is one piece; otherwise, and on other rings, which
 * cannot call, its packets are copied, but for the jump at a chunk's end or the jump's empty place. */
static void execute_secondary(struct radeon_cmd_buffer *cmd, struct radeon_cmd_buffer *secondary)
{
    if (radeon_cs_is_empty(&secondary->cs))
        return;
    struct radeon_piece first = radeon_cs_first(&secondary->cs);
    if (!cmd->is_compute && !secondary->cs.jump) {
        radeon_cs_reserve(&cmd->cs, AMD_PKT_INDIRECT_BUFFER_DW);
        RADEON_PACKET(&cmd->cs, INDIRECT_BUFFER, .IB_BASE = first.va, .IB_SIZE = first.count_dw, .VALID = true);
        return;
    }
    const uint32_t jump_dw = cmd->is_transfer ? 0 : AMD_PKT_INDIRECT_BUFFER_DW;
    for (struct radeon_piece piece = first; piece.chunk; piece = radeon_cs_next(&secondary->cs, &piece))
        copy_packets(&cmd->cs, piece.words, piece.count_dw - jump_dw);
}

/* Commands for the other ring are always copied. */
static void execute_tasks(struct radeon_cmd_buffer *cmd, struct radeon_cmd_buffer *secondary)
{
    if (radeon_cs_is_empty(&secondary->tasks))
        return;
    for (struct radeon_piece piece = radeon_cs_first(&secondary->tasks); piece.chunk;
         piece = radeon_cs_next(&secondary->tasks, &piece))
        copy_packets(&cmd->tasks, piece.words, piece.count_dw - AMD_PKT_INDIRECT_BUFFER_DW);
    cmd->tasks_scratch_B_per_wave = MAX2(cmd->tasks_scratch_B_per_wave, secondary->tasks_scratch_B_per_wave);
}

/* The counters of a secondary's draws are there while it runs. Draws that read the cell for another query must be
 * done with it. */
static void hand_over_counts(struct radeon_cmd_buffer *cmd, const struct radeon_cmd_buffer *secondary,
                             const uint64_t counts[AMD_COUNTS])
{
    uint32_t words[2 * AMD_COUNTS];
    memcpy(words, counts, sizeof(words));
    cmd->due |= RADEON_AFTER_PIXELS | RADEON_FRESH_SCALAR;
    radeon_emit_due(cmd);
    radeon_cp_write(cmd, secondary->queries.counts_cell_va, words, 2 * AMD_COUNTS);
    radeon_cp_writes_wait(cmd);
    cmd->due |= RADEON_FRESH_SCALAR;
    radeon_emit_due(cmd);
}

/* Many small ones are no longer near the processor when they are executed. */
#define FETCH_AHEAD 4
static void fetch_secondary(const struct radeon_cmd_buffer *secondary)
{
    __builtin_prefetch(&secondary->cs);
    __builtin_prefetch(&secondary->cs.tail);
    __builtin_prefetch(&secondary->tasks);
    __builtin_prefetch(&secondary->graphics_scratch_B_per_wave);
    __builtin_prefetch(&secondary->queries.counts_cell_va);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                                     const VkCommandBuffer *buffers)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    radeon_cp_writes_wait(cmd);
    radeon_emit_due(cmd);
    if (!cmd->is_compute)
        radeon_graphics_before_execute(cmd);
    for (uint32_t i = 0; i < count; i++) {
        struct radeon_cmd_buffer *secondary = radeon_cmd_buffer_from_handle(buffers[i]);
        if (i + FETCH_AHEAD < count)
            fetch_secondary(radeon_cmd_buffer_from_handle(buffers[i + FETCH_AHEAD]));
        const bool is_counted = secondary->queries.counts_cell_va && cmd->queries.counts_cell_va;
        if (is_counted)
            hand_over_counts(cmd, secondary, cmd->queries.count_va);
        execute_secondary(cmd, secondary);
        execute_tasks(cmd, secondary);
        if (is_counted)
            hand_over_counts(cmd, secondary, (const uint64_t[AMD_COUNTS]){0});
        cmd->compute_scratch_B_per_wave = MAX2(cmd->compute_scratch_B_per_wave, secondary->compute_scratch_B_per_wave);
        cmd->graphics_scratch_B_per_wave =
            MAX2(cmd->graphics_scratch_B_per_wave, secondary->graphics_scratch_B_per_wave);
        cmd->geometry_ring_B = MAX2(cmd->geometry_ring_B, secondary->geometry_ring_B);
    }
    /* All state is undefined after a secondary, but what is bound here may be used again after a new bind: every
     * register is dirty. */
    cmd->compute_dirty = true;
    for (int i = 0; i < VK_BIND_POINT_COUNT; i++)
        vk_bindings_all_dirty(&cmd->vk.rec->bindings[i]);
    cmd->push_dirty = VK_SHADER_STAGE_ALL;
    if (!cmd->is_compute)
        radeon_graphics_forget_registers(cmd);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
                                                   VkShaderStageFlags stages, uint32_t offset_B, uint32_t size_B,
                                                   const void *values)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    memcpy(cmd->push_constants + offset_B, values, size_B);
    cmd->push_dirty |= stages;
}
