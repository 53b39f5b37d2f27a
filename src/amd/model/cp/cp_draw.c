/* Draw packets: where indices come from, how many there are, and what an indirect draw writes into user SGPRs. The
 * pipeline itself is behind ge_draw.h. */
#include "amd/model/ge/ge_draw.h"

#include <errno.h>
#include <string.h>

#include "amd/hw/regs_ge.h"
#include "amd/model/coherence.h"
#include "amd/model/cp/cp_machine.h"
#include "util/bits.h"
#include "util/debug.h"

/* Where a user SGPR's register number is 0, the shader does not want the value. */
bool amd_cp_write_user_sgpr(struct cp_machine *m, uint32_t number, uint32_t value)
{
    return number == 0 || amd_cp_write_register(m, CP_SH_BEGIN_B + 4 * number, value);
}

static uint32_t index_size_B(const struct cp_machine *m)
{
    switch (amd_unpack_VGT_INDEX_TYPE(m->gfx, cp_reg(&m->registers, AMD_REG_VGT_INDEX_TYPE)).INDEX_TYPE) {
    case AMD_INDEX_TYPE_32:
        return 4;
    case AMD_INDEX_TYPE_8:
        return 1;
    default:
        return 2;
    }
}

/* A draw before the packet in hand may be the one that failed: the report is about its packet. */
static bool report_draw(struct cp_machine *m, const struct ge_result *result)
{
    const struct cp_place *place = &m->draw_places[result->number % GE_DRAWS_BEFORE];
    m->ib = place->ib;
    m->depth = place->depth;
    m->packet_at_dw = place->packet_at_dw;
    memcpy(m->stack, place->stack, sizeof(m->stack));
    if (result->in_shader)
        return amd_cp_shader_fault(m, result->stage, result->program_va, result->wave_size, &result->fault);
    switch (result->error) {
    case -EFAULT:
        return amd_cp_fault(m, result->fault.va, 1, result->fault.is_write);
    case -ETIME:
        return amd_cp_killed(m);
    case -ENOSYS:
        return amd_cp_stop(m, "%s", result->why);
    default:
        return amd_cp_broken(m, "%s", result->why);
    }
}

bool amd_cp_finish_draws(struct cp_machine *m)
{
    struct ge_result result = {0};
    m->has_draws = false;
    return amd_ge_finish(m->device->ge, &result) || report_draw(m, &result);
}

/* The two parts of a draw. Events that are in the pipe reach the backends before it. */
static void begin_coherence(struct cp_machine *m, struct ge_draw *draw)
{
    draw->front = m->actor;
    draw->vertices = amd_cp_coherence_issue(m, AMD_SET_VERTICES);
    draw->pixels = draw->vertices ? coherence_issue_part(draw->vertices, AMD_SET_PIXELS) : NULL;
    if (draw->pixels)
        coherence_join(draw->pixels, COHERENCE_BIT(AMD_SET_EVENTS));
}

static void end_coherence(const struct ge_draw *draw)
{
    if (draw->pixels)
        coherence_complete(draw->pixels);
    if (draw->vertices)
        coherence_complete(draw->vertices);
}

static bool draw(struct cp_machine *m, struct ge_draw *draw)
{
    if (draw->count == 0 || draw->instance_count == 0)
        return true;
    draw->chip = m->device->chip;
    draw->memory = m->space;
    draw->registers = &m->registers;
    draw->counters = &m->counters;
    draw->gds = amd_cp_shader_gds(m);
    draw->killed = &m->job->killed;
    draw->number = ++m->draw_number;
    struct cp_place *place = &m->draw_places[draw->number % GE_DRAWS_BEFORE];
    place->ib = m->ib;
    place->depth = m->depth;
    place->packet_at_dw = m->packet_at_dw;
    memcpy(place->stack, m->stack, sizeof(m->stack));
    m->has_draws = true;
    struct ge_result result = {0};
    uint32_t unwritten = CP_REG_COUNT;
    m->registers.unwritten = debug_enabled(DEBUG_STRICT) ? &unwritten : NULL;
    if (m->actor)
        begin_coherence(m, draw);
    draw->vertex_perf = amd_cp_perf_of(m, CP_PERF_VERTICES);
    draw->pixel_perf = amd_cp_perf_of(m, CP_PERF_PIXELS);
    bool done = amd_ge_draw(m->device->ge, draw, &result);
    if (m->actor)
        end_coherence(draw);
    m->registers.unwritten = NULL;
    if (done && unwritten == CP_REG_COUNT)
        return true;
    if (done)
        return amd_cp_unwritten(m, unwritten);
    return report_draw(m, &result);
}

static bool draw_auto(struct cp_machine *m, uint32_t count, uint32_t instance_count, uint32_t initiator)
{
    struct ge_draw d = {.count = count, .instance_count = instance_count, .initiator = initiator};
    return draw(m, &d);
}

/* `first` counts from the base of the buffer, which holds `size` indices. */
static bool draw_indexed(struct cp_machine *m, uint64_t base_va, uint32_t size, uint32_t first, uint32_t count,
                         uint32_t instance_count, uint32_t initiator)
{
    struct ge_draw d = {
        .count = count,
        .instance_count = instance_count,
        .indexed = true,
        .index_va = base_va + (uint64_t)first * index_size_B(m),
        .index_available = size > first ? size - first : 0,
        .initiator = initiator,
    };
    return draw(m, &d);
}

static uint32_t instances(const struct cp_machine *m)
{
    return cp_reg(&m->registers, AMD_REG_VGT_NUM_INSTANCES);
}

/* ---- state ---- */

bool amd_cp_index_buffer_size(struct cp_machine *m)
{
    m->index_buffer_size = m->dw[1];
    return true;
}

bool amd_cp_index_base(struct cp_machine *m)
{
    struct amd_pkt_INDEX_BASE p;
    if (!CP_UNPACK(m, INDEX_BASE, &p))
        return false;
    m->index_base_va = (uint64_t)bits_sign_extend(p.ADDR, 48);
    return true;
}

bool amd_cp_num_instances(struct cp_machine *m)
{
    return amd_cp_write_register(m, AMD_REG_VGT_NUM_INSTANCES, m->dw[1]);
}

/* ---- stream out ---- */

/* How far a buffer is filled: to memory, and anew from memory, from the packet, or not at all. In dwords, or with
 * DATA_TYPE in bytes. */
bool amd_cp_strmout_buffer_update(struct cp_machine *m)
{
    struct amd_pkt_STRMOUT_BUFFER_UPDATE p;
    uint64_t filled;
    if (!CP_UNPACK(m, STRMOUT_BUFFER_UPDATE, &p))
        return false;
    uint32_t *buffer = &m->counters.filled_dw[p.BUFFER_SELECT], unit = p.DATA_TYPE ? 4 : 1;
    if (p.STORE_FILLED_SIZE && !amd_cp_store(m, p.DST_ADDR & ~3ull, 4, *buffer * unit))
        return false;
    switch (p.OFFSET_SOURCE) {
    case AMD_STRMOUT_SOURCE_PACKET:
        *buffer = p.SRC_OFFSET / unit;
        return true;
    case AMD_STRMOUT_SOURCE_MEM:
        if (!amd_cp_load(m, p.SRC_ADDR & ~3ull, 4, &filled))
            return false;
        *buffer = (uint32_t)filled / unit;
        return true;
    default:
        return true;
    }
}

/* As many vertices as stream out has left in a buffer. Dwords or bytes, all three the same. RADV writes strides of 512
 * bytes, one more than the nine bits hold that are written about. */
static uint32_t opaque_count(const struct cp_machine *m)
{
    const struct cp_registers *registers = &m->registers;
    uint32_t filled = cp_reg(registers, AMD_REG_VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE),
             first = cp_reg(registers, AMD_REG_VGT_STRMOUT_DRAW_OPAQUE_OFFSET),
             stride = cp_reg(registers, AMD_REG_VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE);
    return stride && filled > first ? (filled - first) / stride : 0;
}

/* ---- direct draws ---- */

bool amd_cp_draw_index_2(struct cp_machine *m)
{
    struct amd_pkt_DRAW_INDEX_2 p;
    return CP_UNPACK(m, DRAW_INDEX_2, &p) && draw_indexed(m, (uint64_t)bits_sign_extend(p.INDEX_BASE, 48), p.MAX_SIZE,
                                                          0, p.INDEX_COUNT, instances(m), m->dw[5]);
}

bool amd_cp_draw_index_auto(struct cp_machine *m)
{
    bool opaque = amd_unpack_VGT_DRAW_INITIATOR(m->gfx, m->dw[2]).USE_OPAQUE;
    return draw_auto(m, opaque ? opaque_count(m) : m->dw[1], instances(m), m->dw[2]);
}

bool amd_cp_draw_index_offset_2(struct cp_machine *m)
{
    struct amd_pkt_DRAW_INDEX_OFFSET_2 p;
    return CP_UNPACK(m, DRAW_INDEX_OFFSET_2, &p) &&
           draw_indexed(m, m->index_base_va, p.MAX_SIZE, p.INDEX_OFFSET, p.INDEX_COUNT, instances(m), m->dw[4]);
}

/* ---- indirect draws ---- */

/* The common part of the packets. Register numbers are of the SH file, 0 where there is none. */
struct indirect {
    bool indexed;
    bool is_mesh; /* the arguments are workgroups in three dimensions; vertex_loc and the two after it take them */
    uint64_t va;
    uint32_t vertex_loc;
    uint32_t instance_loc;
    uint32_t first_index_loc;
    uint32_t draw_index_loc;
    uint32_t initiator;
};

/* Each workgroup is a point of the draw. */
bool amd_cp_draw_mesh(struct cp_machine *m, const uint32_t size[3], uint32_t size_loc, uint32_t initiator)
{
    for (uint32_t i = 0; i < 3 && size_loc; i++) {
        if (!amd_cp_write_user_sgpr(m, size_loc + i, size[i]))
            return false;
    }
    const uint64_t plane = (uint64_t)size[0] * size[1];
    if (plane > UINT32_MAX || plane * size[2] > UINT32_MAX)
        return amd_cp_broken(m, "a draw of %u x %u x %u mesh workgroups", size[0], size[1], size[2]);
    cp_reg_set(&m->registers, AMD_REG_VGT_NUM_INSTANCES, 1);
    return draw_auto(m, (uint32_t)(plane * size[2]), 1, initiator);
}

/* VkDrawMeshTasksIndirectCommandEXT: workgroups in three dimensions. */
static bool draw_mesh_from(struct cp_machine *m, const struct indirect *in, uint64_t va, uint32_t draw_index)
{
    uint32_t size[3] = {0};
    return amd_cp_read(m, va, size, sizeof(size)) && amd_cp_write_user_sgpr(m, in->draw_index_loc, draw_index) &&
           amd_cp_draw_mesh(m, size, in->vertex_loc, in->initiator);
}

static bool draw_one(struct cp_machine *m, const struct indirect *in, uint64_t va, uint32_t draw_index)
{
    /* VkDrawIndirectCommand: vertices, instances, first vertex, first instance.
     * VkDrawIndexedIndirectCommand: indices, instances, first index, base vertex, first instance. */
    uint32_t args[5] = {0};
    if (m->actor)
        amd_cp_coherence_front(m);
    if (in->is_mesh)
        return draw_mesh_from(m, in, va, draw_index);
    if (!amd_cp_read(m, va, args, in->indexed ? 20 : 16))
        return false;
    uint32_t first_vertex = in->indexed ? args[3] : args[2], first_instance = in->indexed ? args[4] : args[3];
    if (!amd_cp_write_user_sgpr(m, in->vertex_loc, first_vertex) ||
        !amd_cp_write_user_sgpr(m, in->instance_loc, first_instance) ||
        !amd_cp_write_user_sgpr(m, in->draw_index_loc, draw_index) ||
        (in->indexed && !amd_cp_write_user_sgpr(m, in->first_index_loc, args[2])))
        return false;
    cp_reg_set(&m->registers, AMD_REG_VGT_NUM_INSTANCES, args[1]);
    if (in->indexed)
        return draw_indexed(m, m->index_base_va, m->index_buffer_size, args[2], args[0], args[1], in->initiator);
    return draw_auto(m, args[0], args[1], in->initiator);
}

bool amd_cp_draw_indirect(struct cp_machine *m)
{
    struct amd_pkt_DRAW_INDIRECT p;
    if (!CP_UNPACK(m, DRAW_INDIRECT, &p))
        return false;
    const struct indirect in = {.vertex_loc = p.START_VTX_LOC, .instance_loc = p.START_INST_LOC, .initiator = m->dw[4]};
    return draw_one(m, &in, m->indirect_base_va + p.DATA_OFFSET, 0);
}

bool amd_cp_draw_index_indirect(struct cp_machine *m)
{
    struct amd_pkt_DRAW_INDEX_INDIRECT p;
    if (!CP_UNPACK(m, DRAW_INDEX_INDIRECT, &p))
        return false;
    const struct indirect in = {
        .indexed = true,
        .vertex_loc = p.BASE_VTX_LOC,
        .instance_loc = p.START_INST_LOC,
        .first_index_loc = p.START_INDX_ENABLE ? p.START_INDX_LOC : 0,
        .initiator = m->dw[4],
    };
    return draw_one(m, &in, m->indirect_base_va + p.DATA_OFFSET, 0);
}

static bool draw_many(struct cp_machine *m, const struct indirect *in, uint32_t count, uint64_t count_va,
                      uint32_t stride_B)
{
    uint64_t limit;
    if (m->actor)
        amd_cp_coherence_front(m);
    if (count_va) {
        if (!amd_cp_load(m, count_va & ~3ull, 4, &limit))
            return false;
        count = MIN2(count, (uint32_t)limit);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (cp_is_killed(m))
            return amd_cp_killed(m);
        if (!draw_one(m, in, in->va + (uint64_t)i * stride_B, i))
            return false;
        cp_progress(m);
    }
    return true;
}

bool amd_cp_draw_indirect_multi(struct cp_machine *m)
{
    struct amd_pkt_DRAW_INDIRECT_MULTI p;
    if (!CP_UNPACK(m, DRAW_INDIRECT_MULTI, &p))
        return false;
    const struct indirect in = {
        .va = m->indirect_base_va + p.DATA_OFFSET,
        .vertex_loc = p.START_VTX_LOC,
        .instance_loc = p.START_INST_LOC,
        .draw_index_loc = p.DRAW_INDEX_ENABLE ? p.DRAW_INDEX_LOC : 0,
        .initiator = m->dw[9],
    };
    return draw_many(m, &in, p.COUNT, p.COUNT_INDIRECT_ENABLE ? p.COUNT_ADDR : 0, p.STRIDE);
}

bool amd_cp_draw_index_indirect_multi(struct cp_machine *m)
{
    struct amd_pkt_DRAW_INDEX_INDIRECT_MULTI p;
    if (!CP_UNPACK(m, DRAW_INDEX_INDIRECT_MULTI, &p))
        return false;
    const struct indirect in = {
        .indexed = true,
        .va = m->indirect_base_va + p.DATA_OFFSET,
        .vertex_loc = p.BASE_VTX_LOC,
        .instance_loc = p.START_INST_LOC,
        .first_index_loc = p.START_INDX_ENABLE ? p.START_INDX_LOC : 0,
        .draw_index_loc = p.DRAW_INDEX_ENABLE ? p.DRAW_INDEX_LOC : 0,
        .initiator = m->dw[9],
    };
    return draw_many(m, &in, p.COUNT, p.COUNT_INDIRECT_ENABLE ? p.COUNT_ADDR : 0, p.STRIDE);
}

bool amd_cp_dispatch_mesh_indirect_multi(struct cp_machine *m)
{
    struct amd_pkt_DISPATCH_MESH_INDIRECT_MULTI p;
    if (!CP_UNPACK(m, DISPATCH_MESH_INDIRECT_MULTI, &p))
        return false;
    const struct indirect in = {
        .is_mesh = true,
        .va = m->indirect_base_va + p.DATA_OFFSET,
        .vertex_loc = p.XYZ_DIM_LOC,
        .draw_index_loc = p.DRAW_INDEX_ENABLE ? p.DRAW_INDEX_LOC : 0,
        .initiator = m->dw[8],
    };
    return draw_many(m, &in, p.COUNT, p.COUNT_INDIRECT_ENABLE ? p.COUNT_ADDR : 0, p.STRIDE);
}
