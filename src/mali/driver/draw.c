/* Draws: counts, indices and the instruction that starts them. Indirect draws are loops of the stream itself. */
#include "mali/driver/cmd.h"
#include "mali/driver/entrypoints.h"
#include "mali/hw/regs_idvs.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_buffer.h"

#define CONTEXT_B (4u * MALI_DESC_TILER_CONTEXT_DW)

/* Scratch registers of draws. */
enum {
    ADDRESS = 0, /* a pair */
    COUNT = 2,
    LIMIT = 3,
    UNIFORMS = 4, /* a pair */
    DRAW_ID = 18,
};

/* ---- what is bound ---- */

VKAPI_ATTR void VKAPI_CALL mali_CmdBindVertexBuffers2(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                      const VkBuffer *buffers, const VkDeviceSize *offsets,
                                                      const VkDeviceSize *sizes, const VkDeviceSize *strides)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    struct mali_graphics *graphics = &cmd->graphics;
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_buffer *buffer = vk_buffer_from_handle(buffers[i]);
        graphics->vertex_buffers[first + i].va = buffer ? buffer->va + offsets[i] : 0;
        graphics->vertex_buffers[first + i].size_B =
            buffer ? vk_buffer_range(buffer, offsets[i], sizes ? sizes[i] : VK_WHOLE_SIZE) : 0;
    }
    graphics->dirty |= MALI_DIRTY_VERTEX_BUFFERS;
    vk_cmd_set_vertex_binding_strides(&cmd->vk, first, count, strides);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdBindIndexBuffer2KHR(VkCommandBuffer handle, VkBuffer buffer_handle,
                                                       VkDeviceSize offset_B, VkDeviceSize size_B, VkIndexType type)
{
    struct mali_graphics *graphics = &mali_cmd_buffer_from_handle(handle)->graphics;
    const struct vk_buffer *buffer = vk_buffer_from_handle(buffer_handle);
    graphics->index_va = buffer ? buffer->va + offset_B : 0;
    graphics->index_size_B =
        buffer ? (uint32_t)MIN2(vk_buffer_range(buffer, offset_B, size_B), (VkDeviceSize)UINT32_MAX) : 0;
    graphics->index_type = type == VK_INDEX_TYPE_UINT32   ? MALI_INDEX_TYPE_UINT32
                           : type == VK_INDEX_TYPE_UINT16 ? MALI_INDEX_TYPE_UINT16
                                                          : MALI_INDEX_TYPE_UINT8;
}

/* ---- one draw ---- */

static struct mali_r reg(unsigned number)
{
    return mali_r(number);
}

/* Whether indices are used is the draw's. */
static void set_indices(struct mali_cmd_buffer *cmd, struct mali_stream *s, bool is_indexed)
{
    const struct mali_graphics *graphics = &cmd->graphics;
    const uint32_t flags = mali_pack_IDVS_PRIMITIVE_FLAGS(&(const struct mali_IDVS_PRIMITIVE_FLAGS){
        .INDEX_TYPE = is_indexed ? (enum mali_INDEX_TYPE)graphics->index_type : MALI_INDEX_TYPE_NONE,
        .PRIMITIVE_RESTART = is_indexed && cmd->vk.rec->dynamic_state.ia.primitive_restart,
    });
    mali_set32(s, reg(MALI_SR(IDVS_PRIMITIVE_FLAGS)), graphics->state.primitive_flags | flags);
    if (!is_indexed)
        return;
    mali_set64(s, mali_d(MALI_SR(IDVS_INDICES)), graphics->index_va);
    mali_set32(s, reg(MALI_SR(IDVS_INDEX_ARRAY_SIZE)), graphics->index_size_B);
}

/* Tiler contexts, from the first to the one before the end. */
struct tilers {
    uint32_t first, end;
};

static struct tilers tilers_of_draw(const struct mali_cmd_buffer *cmd)
{
    const struct mali_graphics *graphics = &cmd->graphics;
    struct tilers tilers = {0, graphics->pass.tiler_count};
    if (!graphics->layers.count || cmd->vk.rec->rendering.view_mask)
        return tilers;
    tilers.first = graphics->layers.first / MALI_TILER_LAYERS;
    const uint32_t last = (graphics->layers.first + graphics->layers.count - 1) / MALI_TILER_LAYERS;
    tilers.end = MIN2(tilers.end, last + 1);
    return tilers;
}

/* Once for each tiler context. What a secondary command buffer draws has the context of whoever calls it. */
static void run_draw(const struct mali_cmd_buffer *cmd, struct mali_stream *s)
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    const bool is_inherited = cmd->vk.rec->rendering.inherited;
    const struct tilers tilers = is_inherited ? (struct tilers){0, 1} : tilers_of_draw(cmd);
    for (uint32_t i = tilers.first; i < tilers.end; i++) {
        if (!is_inherited)
            mali_set64(s, mali_d(MALI_SR(IDVS_TILER_CONTEXT)), pass->tilers_va + i * CONTEXT_B);
        mali_put_run_idvs(s, (struct mali_cs_RUN_IDVS){.MALLOC_ENABLE = true,
                                                       .DRAW_ID_REGISTER_ENABLE = true,
                                                       .FRAGMENT_SRT_SELECT = true,
                                                       .FRAGMENT_TSD_SELECT = true,
                                                       .DRAW_ID = mali_scratch(DRAW_ID).number});
    }
}

struct draw {
    uint32_t count, instances, first_index;
    int32_t vertex_offset;
    uint32_t first_instance, draw_id;
};

static void put_draw(struct mali_cmd_buffer *cmd, struct mali_stream *s, const struct draw *draw)
{
    struct mali_block condition;
    if (!draw->count || !draw->instances)
        return;
    mali_set_bases(cmd, (uint32_t)draw->vertex_offset, draw->first_instance);
    mali_set32(s, reg(MALI_SR(IDVS_INDEX_COUNT)), draw->count);
    mali_set32(s, reg(MALI_SR(IDVS_INSTANCE_COUNT)), draw->instances);
    mali_set32(s, reg(MALI_SR(IDVS_INDEX_OFFSET)), draw->first_index);
    mali_set32(s, reg(MALI_SR(IDVS_VERTEX_OFFSET)), (uint32_t)draw->vertex_offset);
    mali_set32(s, reg(MALI_SR(IDVS_INSTANCE_OFFSET)), draw->first_instance);
    mali_set32(s, mali_scratch(DRAW_ID), draw->draw_id);
    mali_predicate_begin(cmd, s, &condition);
    run_draw(cmd, s);
    mali_predicate_end(cmd, s, &condition);
}

/* The stream with everything but the draw's own numbers; NULL: nothing is drawn. */
static struct mali_stream *begin_draw(struct mali_cmd_buffer *cmd, bool is_indexed)
{
    if (!mali_before_draw(cmd))
        return NULL;
    struct mali_stream *s = mali_cmd_stream(cmd, MALI_VERTEX);
    set_indices(cmd, s, is_indexed);
    return s;
}

VKAPI_ATTR void VKAPI_CALL mali_CmdDraw(VkCommandBuffer handle, uint32_t count, uint32_t instances, uint32_t first,
                                        uint32_t first_instance)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    struct mali_stream *s = begin_draw(cmd, false);
    if (s)
        put_draw(
            cmd, s,
            &(const struct draw){count, instances, .vertex_offset = (int32_t)first, .first_instance = first_instance});
}

VKAPI_ATTR void VKAPI_CALL mali_CmdDrawIndexed(VkCommandBuffer handle, uint32_t count, uint32_t instances,
                                               uint32_t first_index, int32_t vertex_offset, uint32_t first_instance)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    struct mali_stream *s = begin_draw(cmd, true);
    if (s)
        put_draw(cmd, s,
                 &(const struct draw){count, instances, first_index, vertex_offset, .first_instance = first_instance});
}

static bool begin_many(struct vk_command_buffer *cmd, bool is_indexed, uint32_t instances)
{
    return begin_draw(mali_cmd_of(cmd), is_indexed) != NULL;
}

static void draw_one(struct vk_command_buffer *base, const struct vk_draw *draw, bool is_indexed, uint32_t instances,
                     uint32_t first_instance)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    put_draw(cmd, mali_cmd_stream(cmd, MALI_VERTEX),
             &(const struct draw){draw->count, instances, draw->first_index, (int32_t)draw->vertex_offset,
                                  first_instance, draw->number});
}

/* ---- indirect draws ---- */

/* A command without indices has no first index: registers that the mask leaves out have no room in memory. */
static void load_command(struct mali_stream *s, bool is_indexed)
{
    enum {
        INDEXED = 0x1f,
        PLAIN = 0x1b
    };
    mali_put_load(s, reg(MALI_SR(IDVS_INDEX_COUNT)), is_indexed ? INDEXED : PLAIN, mali_scratch_pair(ADDRESS), 0);
}

/* A shader that reads the bases finds them among its uniforms: the draw before must have read its own. */
static void store_bases(struct mali_cmd_buffer *cmd, struct mali_stream *s, bool is_first)
{
    const struct mali_fau_layout *fau = &cmd->graphics.baked->vertex->binary.config.fau;
    static const struct {
        enum mali_sysval which;
        uint8_t reg;
    } bases[] = {{MALI_SYSVAL_BASE_VERTEX, MALI_SR(IDVS_VERTEX_OFFSET)},
                 {MALI_SYSVAL_BASE_INSTANCE, MALI_SR(IDVS_INSTANCE_OFFSET)}};
    bool has_waited = is_first;
    for (unsigned i = 0; i < ARRAY_SIZE(bases); i++) {
        const uint16_t word = fau->sysval[bases[i].which];
        if (word == MALI_FAU_UNUSED)
            continue;
        if (!has_waited)
            mali_put_wait(s, MALI_WORK_SLOTS);
        has_waited = true;
        mali_set64(s, mali_scratch_pair(UNIFORMS), cmd->graphics.state.vertex_uniforms_va);
        mali_put_store32(s, reg(bases[i].reg), mali_scratch_pair(UNIFORMS), (int16_t)(4 * word));
    }
    mali_stream_settle(s);
}

static void put_loop(struct mali_cmd_buffer *cmd, struct mali_stream *s, const struct vk_draw_indirect *indirect)
{
    struct mali_block some, loop;
    mali_set32(s, mali_scratch(COUNT), indirect->count);
    if (indirect->count_va) {
        mali_set64(s, mali_scratch_pair(ADDRESS), indirect->count_va);
        mali_put_load32(s, mali_scratch(LIMIT), mali_scratch_pair(ADDRESS), 0);
        mali_put_umin32(s, mali_scratch(COUNT), mali_scratch(COUNT), mali_scratch(LIMIT));
    }
    mali_set64(s, mali_scratch_pair(ADDRESS), indirect->va);
    mali_set32(s, mali_scratch(DRAW_ID), 0);
    mali_if_begin(s, &some, MALI_CS_CONDITION_NEQUAL, mali_scratch(COUNT));
    mali_loop_begin(s, &loop);
    load_command(s, indirect->kind == VK_DRAW_INDEXED);
    store_bases(cmd, s, false);
    run_draw(cmd, s);
    mali_put_add64(s, mali_scratch_pair(ADDRESS), mali_scratch_pair(ADDRESS), (int32_t)indirect->stride_B);
    mali_put_add32(s, mali_scratch(DRAW_ID), mali_scratch(DRAW_ID), 1);
    mali_put_add32(s, mali_scratch(COUNT), mali_scratch(COUNT), -1);
    mali_loop_end(s, &loop, MALI_CS_CONDITION_NEQUAL, mali_scratch(COUNT));
    mali_if_end(s, &some);
}

static void put_indirect(struct vk_command_buffer *base, const struct vk_draw_indirect *indirect)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    struct mali_stream *s = begin_draw(cmd, indirect->kind == VK_DRAW_INDEXED);
    struct mali_block condition;
    if (!s)
        return;
    mali_set32(s, reg(MALI_SR(IDVS_INDEX_OFFSET)), 0);
    /* Uniforms of their own: the stream writes into them. */
    mali_set_bases(cmd, cmd->graphics.base_vertex + 1, cmd->graphics.base_instance);
    mali_predicate_begin(cmd, s, &condition);
    if (indirect->count == 1 && !indirect->count_va) {
        mali_set64(s, mali_scratch_pair(ADDRESS), indirect->va);
        mali_set32(s, mali_scratch(DRAW_ID), 0);
        load_command(s, indirect->kind == VK_DRAW_INDEXED);
        store_bases(cmd, s, true);
        run_draw(cmd, s);
    } else {
        put_loop(cmd, s, indirect);
    }
    mali_predicate_end(cmd, s, &condition);
    cmd->graphics.dirty |= MALI_DIRTY_PIPELINE; /* the next draw has other bases */
}

const struct vk_draw_ops mali_draw_ops = {put_indirect, begin_many, draw_one};
