/* Packets that start work: draws in all their forms, dispatches, blits. Each becomes one call of a block (blocks.h). */
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/model/coherence.h"
#include "adreno/model/cp/cp_machine.h"
#include "util/bits.h"

/* The first dword of every packet of a draw. */
struct initiator {
    uint32_t topology, source, index_size, patch_type;
    bool has_visibility, has_gs, has_tess;
};

#define INITIATOR(p)                                                                                                   \
    ((struct initiator){(p).PRIM_TYPE, (p).SOURCE_SELECT, (p).INDEX_SIZE, (p).PATCH_TYPE,                              \
                        (p).VIS_CULL == ADRENO_VIS_CULL_MODE_USE, (p).GS_ENABLE, (p).TESS_ENABLE})

/* Draws and dispatches that CP_DRAW_PRED_* leaves out. */
static bool is_predicated_off(const struct adreno_cp *m)
{
    return m->draw_predicate_global && m->draw_predicate_local && !m->draw_predicate_passes;
}

/* Bring the registers to what the draw needs. */
static bool prepare_draw(struct adreno_cp *m)
{
    if (m->stack[m->depth - 1].is_group)
        return CP_BROKEN(m, "a draw in a group of draw state");
    return adreno_cp_apply_groups(m) && adreno_cp_check_draw_registers(m);
}

static struct adreno_draw make_draw(const struct adreno_cp *m, const struct initiator *initiator)
{
    bool is_culled = initiator->has_visibility && m->pass == ADRENO_PASS_GMEM && !m->ignores_visibility && m->has_bin;
    return (struct adreno_draw){
        .topology = initiator->topology,
        .source = initiator->source,
        .patch_type = initiator->patch_type,
        .has_gs = initiator->has_gs,
        .has_tess = initiator->has_tess,
        .index_size = initiator->index_size,
        .pass = m->pass,
        .has_visibility = initiator->has_visibility,
        .bin = is_culled ? &m->bin : NULL,
    };
}

static bool run_draw(struct adreno_cp *m, const struct adreno_draw *draw)
{
    if (m->pass != ADRENO_PASS_BINNING)
        adreno_cp_strict_use_ccu(m);
    return adreno_draw(m->gpu, draw);
}

static bool check_source(struct adreno_cp *m, const struct initiator *initiator, bool is_indexed)
{
    if (initiator->source == ADRENO_SRC_SEL_IMMEDIATE)
        return CP_STOP(m, "indices in the packet");
    if (is_indexed && initiator->source != ADRENO_SRC_SEL_DMA)
        return CP_BROKEN(m, "a draw with indices whose source is %u", initiator->source);
    if (is_indexed && initiator->index_size > ADRENO_INDEX_SIZE_32_BIT)
        return CP_BROKEN(m, "indices of size %u", initiator->index_size);
    return true;
}

bool adreno_cp_draw_indx_offset(struct adreno_cp *m)
{
    struct adreno_pkt_CP_DRAW_INDX_OFFSET p;
    if (!CP_UNPACK(m, CP_DRAW_INDX_OFFSET, &p))
        return false;
    struct initiator initiator = INITIATOR(p);
    bool is_indexed = initiator.source == ADRENO_SRC_SEL_DMA;
    if (is_indexed && m->length_dw < 8)
        return CP_BROKEN(m, "a draw with indices and without their address");
    if (is_predicated_off(m))
        return true;
    if (!check_source(m, &initiator, is_indexed) || !prepare_draw(m))
        return false;
    struct adreno_draw draw = make_draw(m, &initiator);
    draw.instance_count = p.NUM_INSTANCES;
    draw.count = p.NUM_INDICES;
    draw.first_index = p.FIRST_INDX;
    draw.index_va = p.INDX_BASE;
    draw.max_indices = p.MAX_INDICES;
    draw.may_wait = true;
    return run_draw(m, &draw);
}

/* ---- indirect draws ---- */

struct indirect {
    struct initiator initiator;
    bool is_indexed;
    uint64_t index_va;
    uint32_t max_indices;
    uint64_t args_va;
    uint32_t stride_B;
    uint32_t draw_count;
    uint32_t constants_at; /* of the vertex shader's constants that get the draw's parameters, in vec4; 0: none */
};

/* The vertex shader's own copy of a draw's parameters. */
static bool load_parameters(struct adreno_cp *m, uint32_t constants_at, uint32_t number, uint32_t first_vertex,
                            uint32_t first_instance)
{
    const uint32_t parameters[4] = {number, first_vertex, first_instance, 0};
    const struct adreno_pkt_CP_LOAD_STATE6 load = {
        .DST_OFF = constants_at,
        .STATE_TYPE = ADRENO_STATE_TYPE_CONSTANTS,
        .STATE_SRC = ADRENO_STATE_SRC_DIRECT,
        .STATE_BLOCK = ADRENO_STATE_BLOCK_VS_SHADER,
        .NUM_UNIT = 1,
        .tail_dw = 4,
    };
    return constants_at == 0 || adreno_hlsq_load_state(m->gpu, ADRENO_PKT_CP_LOAD_STATE6_GEOM, &load, parameters, 4);
}

static bool draw_one_indirect(struct adreno_cp *m, const struct indirect *i, uint32_t number)
{
    uint32_t args[5] = {0}, count = i->is_indexed ? 5 : 4;
    if (!adreno_cp_read(m, i->args_va + (uint64_t)number * i->stride_B, args, 4 * count))
        return false;
    struct adreno_draw draw = make_draw(m, &i->initiator);
    draw.count = args[0];
    draw.instance_count = args[1];
    draw.first_index = i->is_indexed ? args[2] : 0;
    draw.index_va = i->index_va;
    draw.max_indices = i->max_indices;
    uint32_t first_vertex = args[count - 2], first_instance = args[count - 1];
    adreno_cp_set_register(m, ADRENO_REG_VFD_INDEX_OFFSET, first_vertex);
    adreno_cp_set_register(m, ADRENO_REG_VFD_INSTANCE_START_OFFSET, first_instance);
    return load_parameters(m, i->constants_at, number, first_vertex, first_instance) && run_draw(m, &draw);
}

static bool draw_indirect(struct adreno_cp *m, const struct indirect *i)
{
    if (is_predicated_off(m))
        return true;
    if (!check_source(m, &i->initiator, i->is_indexed) || !prepare_draw(m))
        return false;
    for (uint32_t number = 0; number < i->draw_count; number++) {
        if (adreno_is_killed(m->gpu))
            return CP_KILLED(m);
        if (!draw_one_indirect(m, i, number))
            return false;
        adreno_progress(m->gpu);
    }
    return true;
}

bool adreno_cp_draw_indirect(struct adreno_cp *m)
{
    struct adreno_pkt_CP_DRAW_INDIRECT p;
    if (!CP_UNPACK(m, CP_DRAW_INDIRECT, &p))
        return false;
    const struct indirect i = {.initiator = INITIATOR(p), .args_va = p.INDIRECT, .draw_count = 1};
    return draw_indirect(m, &i);
}

bool adreno_cp_draw_indx_indirect(struct adreno_cp *m)
{
    struct adreno_pkt_CP_DRAW_INDX_INDIRECT p;
    if (!CP_UNPACK(m, CP_DRAW_INDX_INDIRECT, &p))
        return false;
    const struct indirect i = {.initiator = INITIATOR(p),
                               .is_indexed = true,
                               .index_va = p.INDX_BASE,
                               .max_indices = p.MAX_INDICES,
                               .args_va = p.INDIRECT,
                               .draw_count = 1};
    return draw_indirect(m, &i);
}

/* The smaller of the packet's count and the one in memory. */
static bool read_count(struct adreno_cp *m, uint64_t va, uint32_t *count)
{
    uint64_t value;
    m->reader = ADRENO_CLIENT_CP_EARLY;
    if (!adreno_cp_load(m, va & ~3ull, 4, &value))
        return false;
    *count = MIN2(*count, (uint32_t)value);
    return true;
}

bool adreno_cp_draw_indirect_multi(struct adreno_cp *m)
{
    static const uint8_t lengths_dw[16] = {
        [ADRENO_INDIRECT_OP_NORMAL] = 7,
        [ADRENO_INDIRECT_OP_INDEXED] = 10,
        [ADRENO_INDIRECT_OP_COUNT] = 9,
        [ADRENO_INDIRECT_OP_COUNT_INDEXED] = 12,
    };
    struct adreno_pkt_CP_DRAW_INDIRECT_MULTI p;
    if (!CP_UNPACK(m, CP_DRAW_INDIRECT_MULTI, &p))
        return false;
    if (!lengths_dw[p.OPCODE])
        return CP_STOP(m, "indirect draws of kind %u", p.OPCODE);
    if (m->length_dw < lengths_dw[p.OPCODE])
        return CP_BROKEN(m, "indirect draws of kind %u have %u dwords", p.OPCODE, lengths_dw[p.OPCODE]);
    bool is_indexed = p.OPCODE == ADRENO_INDIRECT_OP_INDEXED || p.OPCODE == ADRENO_INDIRECT_OP_COUNT_INDEXED;
    bool is_counted = p.OPCODE == ADRENO_INDIRECT_OP_COUNT || p.OPCODE == ADRENO_INDIRECT_OP_COUNT_INDEXED;
    struct indirect i = {
        .initiator = INITIATOR(p), .is_indexed = is_indexed, .draw_count = p.DRAW_COUNT, .constants_at = p.DST_OFF};
    if (is_indexed) {
        i.index_va = p.INDEX;
        i.max_indices = p.MAX_INDICES;
        i.args_va = p.INDEXED_INDIRECT;
        i.stride_B = is_counted ? p.INDEXED_COUNT_STRIDE : p.INDEXED_STRIDE;
    } else {
        i.args_va = p.INDIRECT;
        i.stride_B = is_counted ? p.COUNT_STRIDE : p.STRIDE;
    }
    if (is_counted && !read_count(m, is_indexed ? p.INDEXED_COUNT_ADDR : p.COUNT_ADDR, &i.draw_count))
        return false;
    return draw_indirect(m, &i);
}

/* As many vertices as stream out has written: bytes in memory, less an offset, by the size of one. */
bool adreno_cp_draw_auto(struct adreno_cp *m)
{
    struct adreno_pkt_CP_DRAW_AUTO p;
    uint64_t filled_B;
    if (!CP_UNPACK(m, CP_DRAW_AUTO, &p))
        return false;
    if (is_predicated_off(m))
        return true;
    if (p.STRIDE == 0)
        return CP_BROKEN(m, "vertices of no size");
    if (!adreno_cp_load(m, p.NUM_VERTICES_BASE & ~3ull, 4, &filled_B))
        return false;
    struct initiator initiator = INITIATOR(p);
    if (!prepare_draw(m))
        return false;
    struct adreno_draw draw = make_draw(m, &initiator);
    draw.source = ADRENO_SRC_SEL_AUTO_INDEX;
    draw.instance_count = p.NUM_INSTANCES;
    draw.count = filled_B > p.NUM_VERTICES_OFFSET ? (uint32_t)(filled_B - p.NUM_VERTICES_OFFSET) / p.STRIDE : 0;
    return run_draw(m, &draw);
}

/* ---- dispatches ---- */

static bool dispatch(struct adreno_cp *m, const uint32_t groups[3])
{
    static const uint32_t kernel_groups[3] = {ADRENO_REG_SP_CS_KERNEL_GROUP_X, ADRENO_REG_SP_CS_KERNEL_GROUP_Y,
                                              ADRENO_REG_SP_CS_KERNEL_GROUP_Z};
    struct adreno_dispatch dispatch;
    for (unsigned i = 0; i < 3; i++) {
        dispatch.groups[i] = groups[i];
        adreno_cp_set_register(m, kernel_groups[i], groups[i]);
    }
    return adreno_hlsq_dispatch(m->gpu, &dispatch);
}

bool adreno_cp_exec_cs(struct adreno_cp *m)
{
    struct adreno_pkt_CP_EXEC_CS p;
    if (!CP_UNPACK(m, CP_EXEC_CS, &p))
        return false;
    const uint32_t groups[3] = {p.NGROUPS_X, p.NGROUPS_Y, p.NGROUPS_Z};
    return is_predicated_off(m) || dispatch(m, groups);
}

bool adreno_cp_exec_cs_indirect(struct adreno_cp *m)
{
    struct adreno_pkt_CP_EXEC_CS_INDIRECT p;
    uint32_t groups[3];
    if (!CP_UNPACK(m, CP_EXEC_CS_INDIRECT, &p))
        return false;
    if (is_predicated_off(m))
        return true;
    if (!adreno_cp_read(m, p.ADDR & ~3ull, groups, sizeof(groups)))
        return false;
    /* sizes in the packet are one less */
    adreno_cp_set_register(m, ADRENO_REG_SP_CS_NDRANGE_1, groups[0] * (p.LOCALSIZEX + 1));
    adreno_cp_set_register(m, ADRENO_REG_SP_CS_NDRANGE_3, groups[1] * (p.LOCALSIZEY + 1));
    adreno_cp_set_register(m, ADRENO_REG_SP_CS_NDRANGE_5, groups[2] * (p.LOCALSIZEZ + 1));
    return dispatch(m, groups);
}

/* ---- blits ---- */

bool adreno_cp_blit(struct adreno_cp *m)
{
    struct adreno_pkt_CP_BLIT p;
    if (!CP_UNPACK(m, CP_BLIT, &p))
        return false;
    if (p.OP != ADRENO_BLIT_OP_SCALE)
        return CP_STOP(m, "a blit of kind %u: the driver uses SCALE for all", p.OP);
    adreno_cp_strict_use_ccu(m);
    return adreno_rb_2d(m->gpu);
}
