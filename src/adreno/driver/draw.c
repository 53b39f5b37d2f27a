/* vkCmdDraw in all its forms, and what is bound for them. State is written by adreno_before_draw; here are what differs
 * from draw to draw and the packets that start it. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/hw/regs_vfd.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_buffer.h"

#define DRAW_MAX_DW 32

/* ---- what differs ---- */

static enum adreno_PRIM_TYPE prim_type(const struct adreno_cmd_buffer *cmd)
{
    static const uint8_t map[] = {
        [VK_PRIMITIVE_TOPOLOGY_POINT_LIST] = ADRENO_PRIM_TYPE_POINTLIST,
        [VK_PRIMITIVE_TOPOLOGY_LINE_LIST] = ADRENO_PRIM_TYPE_LINELIST,
        [VK_PRIMITIVE_TOPOLOGY_LINE_STRIP] = ADRENO_PRIM_TYPE_LINESTRIP,
        [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST] = ADRENO_PRIM_TYPE_TRILIST,
        [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP] = ADRENO_PRIM_TYPE_TRISTRIP,
        [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN] = ADRENO_PRIM_TYPE_TRIFAN,
        [VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY] = ADRENO_PRIM_TYPE_LINE_ADJ,
        [VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY] = ADRENO_PRIM_TYPE_LINESTRIP_ADJ,
        [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY] = ADRENO_PRIM_TYPE_TRI_ADJ,
        [VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY] = ADRENO_PRIM_TYPE_TRISTRIP_ADJ,
    };
    if (cmd->graphics.baked->tess_va)
        return (enum adreno_PRIM_TYPE)(ADRENO_PRIM_TYPE_PATCHES0 + cmd->vk.rec->dynamic_state.ts.patch_control_points);
    return (enum adreno_PRIM_TYPE)map[cmd->vk.rec->dynamic_state.ia.topology];
}

static enum adreno_PATCH_TYPE patch_type(const struct adreno_cmd_buffer *cmd)
{
    const struct adreno_shader *control = cmd->graphics.baked->shaders[ADRENO_STAGE_CONTROL];
    const enum ir_primitive domain = control ? control->binary.config.tess.domain : IR_PRIMITIVE_quads;
    return domain == IR_PRIMITIVE_isolines    ? ADRENO_PATCH_TYPE_ISOLINES
           : domain == IR_PRIMITIVE_triangles ? ADRENO_PATCH_TYPE_TRIANGLES
                                              : ADRENO_PATCH_TYPE_QUADS;
}

/* Patches that are under way together, counted in indices. */
static void emit_subdraw(const struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_graphics_pipeline *baked = cmd->graphics.baked;
    if (baked->tess_va)
        ADRENO_PACKET(cs, CP_SET_SUBDRAW_SIZE,
                      .SIZE = cmd->vk.rec->dynamic_state.ts.patch_control_points *
                              adreno_tess_patches(&baked->shaders[ADRENO_STAGE_CONTROL]->binary.config.tess));
}

static bool has_geometry(const struct adreno_cmd_buffer *cmd)
{
    return cmd->graphics.baked->shaders[ADRENO_STAGE_GEOMETRY] != NULL;
}

static void load_draw_param(struct adreno_cs *cs, uint16_t at, uint32_t draw_index, uint32_t base_vertex,
                            uint32_t base_instance)
{
    const uint32_t words[4] = {draw_index, base_vertex, base_instance, 0};
    adreno_load_constants(cs, ADRENO_STAGE_VERTEX, at, words, 4);
}

static void emit_arguments(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t base_vertex,
                           uint32_t draw_index, uint32_t base_instance)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    const uint16_t at = graphics->baked->shaders[ADRENO_STAGE_VERTEX]->binary.config.param[ADRENO_PARAM_DRAW];
    if (graphics->last.is_valid && graphics->last.base_vertex == base_vertex &&
        graphics->last.base_instance == base_instance && graphics->last.draw_index == draw_index)
        return;
    adreno_set_regs(cs, ADRENO_REG_VFD_INDEX_OFFSET, 2);
    adreno_emit(cs, base_vertex);
    adreno_emit(cs, base_instance);
    if (at != ADRENO_CONST_UNUSED)
        load_draw_param(cs, at, draw_index, base_vertex, base_instance);
    graphics->last.is_valid = true;
    graphics->last.base_vertex = base_vertex;
    graphics->last.base_instance = base_instance;
    graphics->last.draw_index = draw_index;
}

/* ---- direct draws ---- */

static void draw(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t vertices, uint32_t instances)
{
    uint32_t words[8];
    adreno_pack_pkt_CP_DRAW_INDX_OFFSET(
        words, &(const struct adreno_pkt_CP_DRAW_INDX_OFFSET){.PRIM_TYPE = prim_type(cmd),
                                                              .SOURCE_SELECT = ADRENO_SRC_SEL_AUTO_INDEX,
                                                              .VIS_CULL = ADRENO_VIS_CULL_MODE_USE,
                                                              .PATCH_TYPE = patch_type(cmd),
                                                              .GS_ENABLE = has_geometry(cmd),
                                                              .TESS_ENABLE = cmd->graphics.baked->tess_va != 0,
                                                              .NUM_INSTANCES = instances,
                                                              .NUM_INDICES = vertices});
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_DRAW_INDX_OFFSET, 4));
    adreno_emit_array(cs, words + 1, 3);
}

static void draw_indexed(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t first, uint32_t count,
                         uint32_t instances)
{
    const struct adreno_graphics *graphics = &cmd->graphics;
    ADRENO_PACKET(cs, CP_DRAW_INDX_OFFSET, .PRIM_TYPE = prim_type(cmd), .SOURCE_SELECT = ADRENO_SRC_SEL_DMA,
                  .VIS_CULL = ADRENO_VIS_CULL_MODE_USE, .PATCH_TYPE = patch_type(cmd), .GS_ENABLE = has_geometry(cmd),
                  .TESS_ENABLE = cmd->graphics.baked->tess_va != 0,
                  .INDEX_SIZE = (enum adreno_INDEX_SIZE)graphics->index_size, .NUM_INSTANCES = instances,
                  .NUM_INDICES = count, .FIRST_INDX = first, .INDX_BASE = graphics->index_va,
                  .MAX_INDICES = graphics->index_count);
}

static struct adreno_cs *begin_draw(struct adreno_cmd_buffer *cmd, uint32_t base_vertex, uint32_t draw_index,
                                    uint32_t base_instance)
{
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    adreno_cs_reserve(cs, DRAW_MAX_DW);
    emit_subdraw(cmd, cs);
    emit_arguments(cmd, cs, base_vertex, draw_index, base_instance);
    return cs;
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdDraw(VkCommandBuffer handle, uint32_t vertices, uint32_t instances,
                                          uint32_t first_vertex, uint32_t first_instance)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    if (!vertices || !instances || !adreno_before_draw(cmd))
        return;
    draw(cmd, begin_draw(cmd, first_vertex, 0, first_instance), vertices, instances);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdDrawIndexed(VkCommandBuffer handle, uint32_t indices, uint32_t instances,
                                                 uint32_t first_index, int32_t vertex_offset, uint32_t first_instance)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    if (!indices || !instances || !adreno_before_draw(cmd))
        return;
    draw_indexed(cmd, begin_draw(cmd, (uint32_t)vertex_offset, 0, first_instance), first_index, indices, instances);
}

static bool begin_many(struct vk_command_buffer *cmd, bool is_indexed, uint32_t instances)
{
    return adreno_before_draw(adreno_cmd_of(cmd));
}

static void draw_one(struct vk_command_buffer *base, const struct vk_draw *one, bool is_indexed, uint32_t instances,
                     uint32_t first_instance)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    struct adreno_cs *cs = begin_draw(cmd, one->vertex_offset, one->number, first_instance);
    if (is_indexed)
        draw_indexed(cmd, cs, one->first_index, one->count, instances);
    else
        draw(cmd, cs, one->count, instances);
}

/* ---- draws whose parameters are in memory ---- */

/* The packet writes the base vertex, the base instance and the draw's number where the shader reads them. */
static void draw_from_memory(struct vk_command_buffer *base, const struct vk_draw_indirect *in)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    const struct adreno_graphics *graphics = &cmd->graphics;
    const bool is_indexed = in->kind == VK_DRAW_INDEXED;
    if (!adreno_before_draw(cmd))
        return;
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    const uint16_t at = graphics->baked->shaders[ADRENO_STAGE_VERTEX]->binary.config.param[ADRENO_PARAM_DRAW];
    const enum adreno_INDIRECT_OP op =
        is_indexed ? in->count_va ? ADRENO_INDIRECT_OP_COUNT_INDEXED : ADRENO_INDIRECT_OP_INDEXED
        : in->count_va ? ADRENO_INDIRECT_OP_COUNT
                       : ADRENO_INDIRECT_OP_NORMAL;
    uint32_t words[12];
    adreno_pack_pkt_CP_DRAW_INDIRECT_MULTI(
        words, &(const struct adreno_pkt_CP_DRAW_INDIRECT_MULTI){
                   .PRIM_TYPE = prim_type(cmd),
                   .SOURCE_SELECT = is_indexed ? ADRENO_SRC_SEL_DMA : ADRENO_SRC_SEL_AUTO_INDEX,
                   .VIS_CULL = ADRENO_VIS_CULL_MODE_USE,
                   .PATCH_TYPE = patch_type(cmd),
                   .GS_ENABLE = has_geometry(cmd),
                   .TESS_ENABLE = cmd->graphics.baked->tess_va != 0,
                   .INDEX_SIZE = is_indexed ? (enum adreno_INDEX_SIZE)graphics->index_size : 0});
    adreno_cs_reserve(cs, DRAW_MAX_DW);
    emit_subdraw(cmd, cs);
    if (cmd->device->chip->quirk_indirect_draw_wfm && in->count_va)
        ADRENO_PACKET(cs, CP_WAIT_FOR_ME);
    const unsigned length = 4 + (is_indexed ? 3 : 0) + 2 + (in->count_va ? 2 : 0) + 1;
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_DRAW_INDIRECT_MULTI, length));
    adreno_emit(cs, words[1]);
    adreno_emit(cs, (uint32_t)op | (at != ADRENO_CONST_UNUSED ? (uint32_t)at << 8 : 0));
    adreno_emit(cs, in->count);
    if (is_indexed) {
        adreno_emit64(cs, graphics->index_va);
        adreno_emit(cs, graphics->index_count);
    }
    adreno_emit64(cs, in->va);
    if (in->count_va)
        adreno_emit64(cs, in->count_va);
    adreno_emit(cs, in->stride_B);
    cmd->graphics.last.is_valid = false;
}

const struct vk_draw_ops adreno_draw_ops = {draw_from_memory, begin_many, draw_one};

/* As many vertices as a buffer of transform feedback holds. The front of the command processor reads the counter, which
 * is often its own. */
VKAPI_ATTR void VKAPI_CALL adreno_CmdDrawIndirectByteCountEXT(VkCommandBuffer handle, uint32_t instances,
                                                              uint32_t first_instance, VkBuffer counter_buffer,
                                                              VkDeviceSize counter_buffer_offset_B,
                                                              uint32_t counter_offset_B, uint32_t stride_B)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    if (!instances || !adreno_before_draw(cmd))
        return;
    struct adreno_cs *cs = begin_draw(cmd, 0, 0, first_instance);
    ADRENO_PACKET(cs, CP_WAIT_FOR_ME);
    ADRENO_PACKET(cs, CP_DRAW_AUTO, .PRIM_TYPE = prim_type(cmd), .SOURCE_SELECT = ADRENO_SRC_SEL_AUTO_XFB,
                  .VIS_CULL = ADRENO_VIS_CULL_MODE_USE, .PATCH_TYPE = patch_type(cmd), .GS_ENABLE = has_geometry(cmd),
                  .TESS_ENABLE = cmd->graphics.baked->tess_va != 0, .NUM_INSTANCES = instances,
                  .NUM_VERTICES_BASE = vk_buffer_from_handle(counter_buffer)->va + counter_buffer_offset_B,
                  .NUM_VERTICES_OFFSET = counter_offset_B, .STRIDE = stride_B);
}

/* ---- what is bound ---- */

VKAPI_ATTR void VKAPI_CALL adreno_CmdBindVertexBuffers2(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                        const VkBuffer *buffers, const VkDeviceSize *offsets,
                                                        const VkDeviceSize *sizes, const VkDeviceSize *strides)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_buffer *buffer = vk_buffer_from_handle(buffers[i]);
        cmd->graphics.vertex_buffers[first + i].va = buffer ? buffer->va + offsets[i] : 0;
        cmd->graphics.vertex_buffers[first + i].size_B =
            buffer ? vk_buffer_range(buffer, offsets[i], sizes ? sizes[i] : VK_WHOLE_SIZE) : 0;
    }
    cmd->graphics.dirty |= ADRENO_DIRTY_VERTEX_BUFFERS;
    vk_cmd_set_vertex_binding_strides(&cmd->vk, first, count, strides);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdBindIndexBuffer2KHR(VkCommandBuffer handle, VkBuffer buffer_handle,
                                                         VkDeviceSize offset_B, VkDeviceSize size_B, VkIndexType type)
{
    struct adreno_graphics *graphics = &adreno_cmd_buffer_from_handle(handle)->graphics;
    const struct vk_buffer *buffer = vk_buffer_from_handle(buffer_handle);
    const uint8_t size = type == VK_INDEX_TYPE_UINT8_EXT ? ADRENO_INDEX_SIZE_8_BIT
                         : type == VK_INDEX_TYPE_UINT16  ? ADRENO_INDEX_SIZE_16_BIT
                                                         : ADRENO_INDEX_SIZE_32_BIT;
    /* Without a buffer every index is 0, as beyond its end. */
    graphics->index_va = buffer ? buffer->va + offset_B : 0;
    graphics->index_count = buffer ? (uint32_t)(vk_buffer_range(buffer, offset_B, size_B) >> size) : 0;
    if (graphics->index_size != size)
        graphics->dirty |= ADRENO_DIRTY_INDEX_TYPE;
    graphics->index_size = size;
}
