/* vkCmdDraw in all its forms. State is written by radeon_before_draw; here are what differs from draw to draw and the
 * packets that start it. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_memory.h"
#include "amd/driver/radeon_quick.h"
#include "amd/driver/radeon_task.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_spi.h"
#include "util/bits.h"

/* The most that one draw writes, with its arguments and a view's index. */
#define DRAW_MAX_DW 32
/* The most that binds can make a draw write: a step from pipeline to pipeline, and the plans of two stages. */
#define BOUND_MAX_DW (RADEON_STEP_MAX_DW + RADEON_PLANS_MAX_DW)

/* ---- what differs ---- */

static void emit_arguments(struct radeon_cmd_buffer *cmd, uint32_t base_vertex, uint32_t draw_index,
                           uint32_t base_instance)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    struct radeon_cs *cs = &cmd->cs;
    if (cmd->graphics->last.valid && cmd->graphics->last.base_vertex == base_vertex &&
        cmd->graphics->last.base_instance == base_instance &&
        (cmd->graphics->last.draw_index == draw_index || !baked->has_draw_index))
        return;
    radeon_set_sh_reg_seq(cs, baked->base_vertex_reg, baked->has_draw_index ? 3 : 2);
    radeon_emit(cs, base_vertex);
    if (baked->has_draw_index)
        radeon_emit(cs, draw_index);
    radeon_emit(cs, base_instance);
    cmd->graphics->last.valid = true;
    cmd->graphics->last.is_odd = true;
    cmd->graphics->last.base_vertex = base_vertex;
    cmd->graphics->last.base_instance = base_instance;
    cmd->graphics->last.draw_index = draw_index;
}

static void emit_instances(struct radeon_cmd_buffer *cmd, uint32_t count)
{
    if (cmd->graphics->last.num_instances == count)
        return;
    RADEON_PACKET(&cmd->cs, NUM_INSTANCES, .COUNT = count);
    cmd->graphics->last.num_instances = count;
}

static void emit_view(struct radeon_cmd_buffer *cmd, uint32_t view)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    struct amd_sgpr_place vertex = baked->vertex->binary.config.user[AMD_USER_view_index],
                          fragment = baked->fragment->binary.config.user[AMD_USER_view_index];
    if (vertex.count)
        radeon_set_sh_reg(&cmd->cs, baked->vertex_user_reg + vertex.first * 4u, view);
    const struct amd_sgpr_place hull = baked->front->binary.config.user[AMD_USER_view_index];
    if (baked->hull && hull.count)
        radeon_set_sh_reg(&cmd->cs, baked->front_user_reg + hull.first * 4u, view);
    if (fragment.count)
        radeon_set_sh_reg(&cmd->cs, AMD_REG_SPI_SHADER_USER_DATA_PS + fragment.first * 4u, view);
}

/* Runs what follows once for each view of the rendering; once where there are none. Room for a draw is reserved. */
#define FOREACH_VIEW(cmd)                                                                                              \
    for (uint32_t views_left = first_view(cmd); views_left; views_left = next_view(cmd, views_left))

static uint32_t view_in_hand(uint32_t views)
{
    return (uint32_t)__builtin_ctz(views);
}

static uint32_t begin_view(struct radeon_cmd_buffer *cmd, uint32_t views)
{
    radeon_cs_reserve(&cmd->cs, DRAW_MAX_DW);
    if (__builtin_expect(cmd->graphics->baked->has_view_index && views, 0))
        emit_view(cmd, view_in_hand(views));
    return views;
}

static uint32_t first_view(struct radeon_cmd_buffer *cmd)
{
    uint32_t mask = cmd->vk.rec->rendering.view_mask;
    return begin_view(cmd, mask ? mask : 1);
}

static uint32_t next_view(struct radeon_cmd_buffer *cmd, uint32_t views)
{
    views &= views - 1;
    return views ? begin_view(cmd, views) : 0;
}

/* ---- direct draws ---- */

#define BOUND_DIRTY ((uint32_t)(RADEON_DIRTY_INDEX_BUFFER | RADEON_DIRTY_PIPELINE))

static void draw(struct radeon_cmd_buffer *cmd, uint32_t vertices)
{
    RADEON_PACKET(&cmd->cs, DRAW_INDEX_AUTO, .flags.predicate = radeon_is_predicated(cmd), .INDEX_COUNT = vertices,
                  .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
}

/* Indices beyond the buffer read as zero. */
static void draw_indexed(struct radeon_cmd_buffer *cmd, uint32_t first, uint32_t count)
{
    const struct radeon_graphics_state *graphics = cmd->graphics;
    RADEON_PACKET(&cmd->cs, DRAW_INDEX_2, .flags.predicate = radeon_is_predicated(cmd),
                  .MAX_SIZE = first < graphics->index_count ? graphics->index_count - first : 0,
                  .INDEX_BASE = graphics->index_va + ((uint64_t)first << graphics->index_log2_B), .INDEX_COUNT = count,
                  .SOURCE_SELECT = AMD_DRAW_SOURCE_DMA);
}

/* Changes that radeon_before_draw must see to, but for those of emit_bound: 0 for the second of two draws with
 * nothing else between them. 0 instances are never in the register. */
static inline uint64_t what_changed(const struct radeon_cmd_buffer *cmd, uint32_t base_vertex, uint32_t instances,
                                    uint32_t base_instance)
{
    const struct radeon_graphics_state *graphics = cmd->graphics;
    const struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    const uint32_t changed = (graphics->last.base_vertex ^ base_vertex) |
                             (graphics->last.base_instance ^ base_instance) |
                             (graphics->last.num_instances ^ instances) | graphics->last.is_odd |
                             (graphics->dirty & ~BOUND_DIRTY) | bindings->dynamic_dirty | bindings->push_dirty | cmd->due;
    return changed | cmd->vk.rec->dynamic_state.dirty;
}

/* Changes that emit_bound writes. */
static inline uint32_t what_is_bound(const struct radeon_cmd_buffer *cmd)
{
    return (cmd->graphics->dirty & RADEON_DIRTY_PIPELINE) | cmd->vk.rec->bindings[VK_BIND_GRAPHICS].dirty |
           (cmd->push_dirty & RADEON_GRAPHICS_STAGES);
}

static inline bool has_room(const struct radeon_cmd_buffer *cmd)
{
    return cmd->cs.end - cmd->cs.dw >= DRAW_MAX_DW + BOUND_MAX_DW;
}

static inline bool is_odd(const struct radeon_cmd_buffer *cmd)
{
    return cmd->vk.rec->rendering.view_mask || cmd->graphics->baked->has_view_index || cmd->predicate.enabled ||
           cmd->device->marks;
}

/* After a draw whose state was written: what need not be asked of the next one. Who changes any of this says so,
 * by what is dirty or by last.is_odd. */
static inline void note_odd(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    graphics->last.is_odd = graphics->last.draw_index || is_odd(cmd);
}

static inline bool has_user_data(const struct radeon_cmd_buffer *cmd)
{
    return !(cmd->vk.rec->bindings[VK_BIND_GRAPHICS].dirty | (cmd->push_dirty & RADEON_GRAPHICS_STAGES));
}

/* Writes another pipeline as radeon_before_draw does, where nothing else changed. False: nothing was done. */
static inline bool emit_pipeline(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    if (graphics->baked->traits != graphics->traits || !radeon_emit_step(cmd))
        return false;
    graphics->dirty &= ~(uint32_t)RADEON_DIRTY_PIPELINE;
    return true;
}

/* Writes sets and push constants, and the pipeline before them. False: not in this way; words that were written need
 * not be written again. */
static inline bool emit_bound(struct radeon_cmd_buffer *cmd)
{
    if ((cmd->graphics->dirty & RADEON_DIRTY_PIPELINE && !emit_pipeline(cmd)) || !cmd->graphics->baked->has_plans)
        return false;
    radeon_emit_plans(cmd);
    return true;
}

/* A draw that is no odd one, where none of its arguments is known to be in the registers. */
static void draw_first(struct radeon_cmd_buffer *cmd, uint32_t vertices, uint32_t instances, uint32_t first_vertex,
                       uint32_t first_instance)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    radeon_cs_reserve(&cmd->cs, DRAW_MAX_DW);
    uint32_t *dw = cmd->cs.dw;
    dw += RADEON_PACKET_AT(dw, SET_SH_REG, .REG_OFFSET = (graphics->baked->base_vertex_reg - RADEON_SH_BASE) / 4,
                           .tail_dw = 2);
    *dw++ = first_vertex;
    *dw++ = first_instance;
    dw += RADEON_PACKET_AT(dw, NUM_INSTANCES, .COUNT = instances);
    dw += RADEON_PACKET_AT(dw, DRAW_INDEX_AUTO, .INDEX_COUNT = vertices, .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
    cmd->cs.dw = dw;
    graphics->last.valid = true;
    graphics->last.is_odd = false;
    graphics->last.base_vertex = first_vertex;
    graphics->last.base_instance = first_instance;
    graphics->last.num_instances = instances;
    graphics->last.draw_index = 0;
}

static void __attribute__((noinline))
draw_with_state(struct radeon_cmd_buffer *cmd, uint32_t vertices, uint32_t instances, uint32_t first_vertex,
                uint32_t first_instance)
{
    if (!vertices || !instances || !radeon_before_draw(cmd))
        return;
    const struct radeon_graphics_state *graphics = cmd->graphics;
    if (!graphics->last.valid && !graphics->last.num_instances && !graphics->baked->has_draw_index && !is_odd(cmd)) {
        draw_first(cmd, vertices, instances, first_vertex, first_instance);
        return;
    }
    FOREACH_VIEW(cmd)
    {
        emit_arguments(cmd, first_vertex, 0, first_instance);
        emit_instances(cmd, instances);
        draw(cmd, vertices);
    }
    note_odd(cmd);
}

/* Apart, as the next, so that a draw with nothing new saves no registers, and one with another pipeline few. */
static void __attribute__((noinline))
draw_after_pipeline(struct radeon_cmd_buffer *cmd, uint32_t vertices, uint32_t instances, uint32_t first_vertex,
                    uint32_t first_instance)
{
    if (emit_pipeline(cmd))
        RADEON_PACKET(&cmd->cs, DRAW_INDEX_AUTO, .INDEX_COUNT = vertices, .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
    else
        draw_with_state(cmd, vertices, instances, first_vertex, first_instance);
}

static void __attribute__((noinline))
draw_after_bind(struct radeon_cmd_buffer *cmd, uint32_t vertices, uint32_t instances, uint32_t first_vertex,
                uint32_t first_instance)
{
    if (emit_bound(cmd))
        RADEON_PACKET(&cmd->cs, DRAW_INDEX_AUTO, .INDEX_COUNT = vertices, .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
    else
        draw_with_state(cmd, vertices, instances, first_vertex, first_instance);
}

static void __attribute__((noinline))
draw_otherwise(struct radeon_cmd_buffer *cmd, uint32_t vertices, uint32_t instances, uint32_t first_vertex,
               uint32_t first_instance, uint64_t changed)
{
    if (!vertices || changed || !has_room(cmd))
        draw_with_state(cmd, vertices, instances, first_vertex, first_instance);
    else if (!has_user_data(cmd))
        draw_after_bind(cmd, vertices, instances, first_vertex, first_instance);
    else
        draw_after_pipeline(cmd, vertices, instances, first_vertex, first_instance);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdDraw(VkCommandBuffer handle, uint32_t vertices, uint32_t instances,
                                          uint32_t first_vertex, uint32_t first_instance)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    const uint64_t changed = what_changed(cmd, first_vertex, instances, first_instance);
    if (vertices && !(changed | what_is_bound(cmd)) && has_room(cmd))
        RADEON_PACKET(&cmd->cs, DRAW_INDEX_AUTO, .INDEX_COUNT = vertices, .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
    else
        draw_otherwise(cmd, vertices, instances, first_vertex, first_instance, changed);
}

void radeon_draw_internal(struct radeon_cmd_buffer *cmd, uint32_t vertices, uint32_t instances, uint32_t first_instance)
{
    radeon_CmdDraw(radeon_cmd_buffer_to_handle(cmd), vertices, instances, 0, first_instance);
}

static void __attribute__((noinline))
draw_indexed_with_state(struct radeon_cmd_buffer *cmd, uint32_t indices, uint32_t instances, uint32_t first_index,
                        uint32_t vertex_offset, uint32_t first_instance)
{
    if (!indices || !instances || !radeon_before_draw(cmd))
        return;
    FOREACH_VIEW(cmd)
    {
        emit_arguments(cmd, vertex_offset, 0, first_instance);
        emit_instances(cmd, instances);
        draw_indexed(cmd, first_index, indices);
    }
    note_odd(cmd);
}

static void __attribute__((noinline))
draw_indexed_after_pipeline(struct radeon_cmd_buffer *cmd, uint32_t indices, uint32_t instances, uint32_t first_index,
                            uint32_t vertex_offset, uint32_t first_instance)
{
    if (emit_pipeline(cmd))
        draw_indexed(cmd, first_index, indices);
    else
        draw_indexed_with_state(cmd, indices, instances, first_index, vertex_offset, first_instance);
}

static void __attribute__((noinline))
draw_indexed_after_bind(struct radeon_cmd_buffer *cmd, uint32_t indices, uint32_t instances, uint32_t first_index,
                        uint32_t vertex_offset, uint32_t first_instance)
{
    if (emit_bound(cmd))
        draw_indexed(cmd, first_index, indices);
    else
        draw_indexed_with_state(cmd, indices, instances, first_index, vertex_offset, first_instance);
}

static void __attribute__((noinline))
draw_indexed_otherwise(struct radeon_cmd_buffer *cmd, uint32_t indices, uint32_t instances, uint32_t first_index,
                       uint32_t vertex_offset, uint32_t first_instance, uint64_t changed)
{
    if (!indices || changed || !has_room(cmd))
        draw_indexed_with_state(cmd, indices, instances, first_index, vertex_offset, first_instance);
    else if (!has_user_data(cmd))
        draw_indexed_after_bind(cmd, indices, instances, first_index, vertex_offset, first_instance);
    else
        draw_indexed_after_pipeline(cmd, indices, instances, first_index, vertex_offset, first_instance);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdDrawIndexed(VkCommandBuffer handle, uint32_t indices, uint32_t instances,
                                                 uint32_t first_index, int32_t vertex_offset, uint32_t first_instance)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    const uint64_t changed = what_changed(cmd, (uint32_t)vertex_offset, instances, first_instance);
    if (indices && !(changed | what_is_bound(cmd)) && has_room(cmd))
        draw_indexed(cmd, first_index, indices);
    else
        draw_indexed_otherwise(cmd, indices, instances, first_index, (uint32_t)vertex_offset, first_instance, changed);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdDrawMultiEXT(VkCommandBuffer handle, uint32_t count,
                                                  const VkMultiDrawInfoEXT *infos, uint32_t instances,
                                                  uint32_t first_instance, uint32_t stride_B)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    if (!count || !instances || !radeon_before_draw(cmd))
        return;
    FOREACH_VIEW(cmd)
    {
        emit_instances(cmd, instances);
        for (uint32_t i = 0; i < count; i++) {
            const VkMultiDrawInfoEXT *info = (const VkMultiDrawInfoEXT *)((const char *)infos + (size_t)i * stride_B);
            if (!info->vertexCount)
                continue;
            radeon_cs_reserve(&cmd->cs, DRAW_MAX_DW);
            emit_arguments(cmd, info->firstVertex, i, first_instance);
            draw(cmd, info->vertexCount);
        }
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdDrawMultiIndexedEXT(VkCommandBuffer handle, uint32_t count,
                                                         const VkMultiDrawIndexedInfoEXT *infos, uint32_t instances,
                                                         uint32_t first_instance, uint32_t stride_B,
                                                         const int32_t *vertex_offset)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    if (!count || !instances || !radeon_before_draw(cmd))
        return;
    FOREACH_VIEW(cmd)
    {
        emit_instances(cmd, instances);
        for (uint32_t i = 0; i < count; i++) {
            const VkMultiDrawIndexedInfoEXT *info =
                (const VkMultiDrawIndexedInfoEXT *)((const char *)infos + (size_t)i * stride_B);
            if (!info->indexCount)
                continue;
            radeon_cs_reserve(&cmd->cs, DRAW_MAX_DW);
            emit_arguments(cmd, (uint32_t)(vertex_offset ? *vertex_offset : info->vertexOffset), i, first_instance);
            draw_indexed(cmd, info->firstIndex, info->indexCount);
        }
    }
}

/* As many vertices as fit between an offset and what a counter says, which the packet itself finds out. */
VKAPI_ATTR void VKAPI_CALL radeon_CmdDrawIndirectByteCountEXT(VkCommandBuffer handle, uint32_t instances,
                                                              uint32_t first_instance, VkBuffer counter,
                                                              VkDeviceSize counter_at_B, uint32_t offset_B,
                                                              uint32_t stride_B)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_cs *cs = &cmd->cs;
    if (!instances || !radeon_before_draw(cmd))
        return;
    radeon_cs_reserve(cs, DRAW_MAX_DW);
    radeon_set_context_reg(cs, AMD_REG_VGT_STRMOUT_DRAW_OPAQUE_OFFSET, offset_B);
    radeon_set_context_reg(cs, AMD_REG_VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE, stride_B);
    RADEON_PACKET(cs, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_MEM, .DST_SEL = AMD_COPY_DST_REG, .WR_CONFIRM = true,
                  .ENGINE = AMD_CP_ENGINE_ME, .SRC_ADDR = vk_buffer_from_handle(counter)->va + counter_at_B,
                  .DST_REG = AMD_REG_VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE / 4);
    FOREACH_VIEW(cmd)
    {
        emit_arguments(cmd, 0, 0, first_instance);
        emit_instances(cmd, instances);
        RADEON_PACKET(cs, DRAW_INDEX_AUTO, .flags.predicate = radeon_is_predicated(cmd), .USE_OPAQUE = true,
                      .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
    }
}

/* ---- draws whose parameters are in memory ---- */

static uint32_t sh_place(uint32_t reg)
{
    return (reg - RADEON_SH_BASE) / 4;
}

/* For the indices' address, which packets of this kind do not carry. */
static void emit_index_buffer(struct radeon_cmd_buffer *cmd)
{
    RADEON_PACKET(&cmd->cs, INDEX_BASE, .ADDR = cmd->graphics->index_va);
    RADEON_PACKET(&cmd->cs, INDEX_BUFFER_SIZE, .SIZE = cmd->graphics->index_count);
    cmd->graphics->dirty &= ~(uint32_t)RADEON_DIRTY_INDEX_BUFFER;
}

static void draw_indirect(struct radeon_cmd_buffer *cmd, const struct vk_draw_indirect *indirect)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    uint32_t vertex = sh_place(baked->base_vertex_reg), instance = vertex + (baked->has_draw_index ? 2 : 1);
    if (indirect->count == 1 && !indirect->count_va && !baked->has_draw_index) {
        RADEON_PACKET(&cmd->cs, DRAW_INDIRECT, .flags.predicate = radeon_is_predicated(cmd), .START_VTX_LOC = vertex,
                      .START_INST_LOC = instance, .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
        return;
    }
    RADEON_PACKET(&cmd->cs, DRAW_INDIRECT_MULTI, .flags.predicate = radeon_is_predicated(cmd), .START_VTX_LOC = vertex,
                  .START_INST_LOC = instance, .DRAW_INDEX_LOC = baked->has_draw_index ? vertex + 1 : 0,
                  .DRAW_INDEX_ENABLE = baked->has_draw_index, .COUNT_INDIRECT_ENABLE = indirect->count_va != 0,
                  .COUNT = indirect->count, .COUNT_ADDR = indirect->count_va, .STRIDE = indirect->stride_B,
                  .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
}

static void draw_indexed_indirect(struct radeon_cmd_buffer *cmd, const struct vk_draw_indirect *indirect)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    uint32_t vertex = sh_place(baked->base_vertex_reg), instance = vertex + (baked->has_draw_index ? 2 : 1);
    if (indirect->count == 1 && !indirect->count_va && !baked->has_draw_index) {
        RADEON_PACKET(&cmd->cs, DRAW_INDEX_INDIRECT, .flags.predicate = radeon_is_predicated(cmd),
                      .BASE_VTX_LOC = vertex, .START_INST_LOC = instance, .SOURCE_SELECT = AMD_DRAW_SOURCE_DMA);
        return;
    }
    RADEON_PACKET(&cmd->cs, DRAW_INDEX_INDIRECT_MULTI, .flags.predicate = radeon_is_predicated(cmd),
                  .BASE_VTX_LOC = vertex, .START_INST_LOC = instance,
                  .DRAW_INDEX_LOC = baked->has_draw_index ? vertex + 1 : 0, .DRAW_INDEX_ENABLE = baked->has_draw_index,
                  .COUNT_INDIRECT_ENABLE = indirect->count_va != 0, .COUNT = indirect->count,
                  .COUNT_ADDR = indirect->count_va, .STRIDE = indirect->stride_B, .SOURCE_SELECT = AMD_DRAW_SOURCE_DMA);
}

static void draw_from_memory(struct radeon_cmd_buffer *cmd, const struct vk_draw_indirect *indirect)
{
    const bool indexed = indirect->kind == VK_DRAW_INDEXED;
    if (!radeon_before_draw(cmd))
        return;
    radeon_cs_reserve(&cmd->cs, DRAW_MAX_DW);
    RADEON_PACKET(&cmd->cs, SET_BASE, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = indirect->va);
    if (indexed && cmd->graphics->dirty & RADEON_DIRTY_INDEX_BUFFER)
        emit_index_buffer(cmd);
    FOREACH_VIEW(cmd)
    {
        if (indexed)
            draw_indexed_indirect(cmd, indirect);
        else
            draw_indirect(cmd, indirect);
    }
    /* The packet has written the arguments and the number of instances. */
    radeon_forget_arguments(cmd->graphics);
}

/* ---- mesh shaders ---- */

static uint32_t mesh_register(const struct radeon_cmd_buffer *cmd, enum amd_user_data which)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    return baked->vertex_user_reg + baked->vertex->binary.config.user[which].first * 4u;
}

/* A point of the draw is a workgroup. */
VKAPI_ATTR void VKAPI_CALL radeon_CmdDrawMeshTasksEXT(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    if (!x || !y || !z || !radeon_before_draw(cmd))
        return;
    FOREACH_VIEW(cmd)
    {
        if (cmd->graphics->baked->task) {
            radeon_draw_tasks(cmd, &(const struct radeon_tasks){.groups = {x, y, z}, .view = view_in_hand(views_left)});
            continue;
        }
        radeon_set_sh_reg_seq(&cmd->cs, mesh_register(cmd, AMD_USER_num_workgroups), 3);
        radeon_emit(&cmd->cs, x);
        radeon_emit(&cmd->cs, y);
        radeon_emit(&cmd->cs, z);
        if (cmd->graphics->baked->has_draw_index)
            radeon_set_sh_reg(&cmd->cs, mesh_register(cmd, AMD_USER_draw_index), 0);
        emit_instances(cmd, 1);
        draw(cmd, x * y * z);
    }
}

static void draw_meshes_from_memory(struct radeon_cmd_buffer *cmd, const struct vk_draw_indirect *indirect)
{
    if (!radeon_before_draw(cmd))
        return;
    const bool has_index = cmd->graphics->baked->has_draw_index;
    radeon_cs_reserve(&cmd->cs, DRAW_MAX_DW);
    RADEON_PACKET(&cmd->cs, SET_BASE, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = indirect->va);
    FOREACH_VIEW(cmd)
    {
        if (cmd->graphics->baked->task) {
            radeon_draw_tasks(cmd, &(const struct radeon_tasks){.va = indirect->va,
                                                                .count_va = indirect->count_va,
                                                                .count = indirect->count,
                                                                .stride_B = indirect->stride_B,
                                                                .view = view_in_hand(views_left)});
            continue;
        }
        RADEON_PACKET(&cmd->cs, DISPATCH_MESH_INDIRECT_MULTI, .flags.predicate = radeon_is_predicated(cmd),
                      .XYZ_DIM_LOC = sh_place(mesh_register(cmd, AMD_USER_num_workgroups)),
                      .DRAW_INDEX_LOC = has_index ? sh_place(mesh_register(cmd, AMD_USER_draw_index)) : 0,
                      .DRAW_INDEX_ENABLE = has_index, .COUNT_INDIRECT_ENABLE = indirect->count_va != 0,
                      .COUNT = indirect->count, .COUNT_ADDR = indirect->count_va, .STRIDE = indirect->stride_B,
                      .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
    }
    cmd->graphics->last.is_odd = true;
    cmd->graphics->last.num_instances = 0;
}

static void draw_any_from_memory(struct vk_command_buffer *base, const struct vk_draw_indirect *indirect)
{
    if (indirect->kind == VK_DRAW_MESHES)
        draw_meshes_from_memory(radeon_cmd_of(base), indirect);
    else
        draw_from_memory(radeon_cmd_of(base), indirect);
}

const struct vk_draw_ops radeon_draw_ops = {.indirect = draw_any_from_memory};
