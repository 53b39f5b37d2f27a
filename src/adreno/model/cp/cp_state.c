/* State that later packets depend on: passes and bins, groups of draw state, predicates of draws, loads of shader
 * state. */
#include "adreno/hw/regs_vsc.h"
#include "adreno/model/coherence.h"
#include "adreno/model/cp/cp_machine.h"
#include "util/bits.h"

/* The buffers between the stages of patches have room for these many indices. */
bool adreno_cp_set_subdraw_size(struct adreno_cp *m)
{
    struct adreno_pkt_CP_SET_SUBDRAW_SIZE p;
    if (!CP_UNPACK(m, CP_SET_SUBDRAW_SIZE, &p))
        return false;
    m->gpu->subdraw_size = p.SIZE;
    return true;
}

/* ---- passes and bins ---- */

bool adreno_cp_set_marker(struct adreno_cp *m)
{
    struct adreno_pkt_CP_SET_MARKER p;
    if (!CP_UNPACK(m, CP_SET_MARKER, &p))
        return false;
    if (p.MARKER_KIND == ADRENO_MARKER_KIND_IFPC_MODE)
        return true; /* power */
    switch (p.MODE) {
    case ADRENO_MARKER_DIRECT_RENDER:
        m->pass = ADRENO_PASS_SYSMEM;
        return true;
    case ADRENO_MARKER_BIN_VISIBILITY:
        m->pass = ADRENO_PASS_BINNING;
        return true;
    case ADRENO_MARKER_BLIT2DSCALE: /* the firmware ignores it */
        return true;
    case ADRENO_MARKER_IB1LIST_START:
    case ADRENO_MARKER_IB1LIST_END:
        return CP_BROKEN(m, "marker %u, which only the kernel's stream may set", p.MODE);
    case ADRENO_MARKER_BIN_RENDER_START:
        adreno_cp_strict_begin_bin(m);
        m->pass = ADRENO_PASS_GMEM;
        return true;
    default: /* groups of state, and conditions, know three kinds: all others count as rendering to GMEM */
        m->pass = ADRENO_PASS_GMEM;
        return true;
    }
}

bool adreno_cp_set_visibility_override(struct adreno_cp *m)
{
    struct adreno_pkt_CP_SET_VISIBILITY_OVERRIDE p;
    if (!CP_UNPACK(m, CP_SET_VISIBILITY_OVERRIDE, &p))
        return false;
    m->ignores_visibility = p.OVERRIDE;
    return true;
}

static void set_bin(struct adreno_cp *m, struct adreno_bin bin)
{
    bin.serial = m->bin.serial + 1;
    m->bin = bin;
    m->has_bin = true;
}

bool adreno_cp_set_bin_data5(struct adreno_cp *m)
{
    struct adreno_pkt_CP_SET_BIN_DATA5 p;
    if (!CP_UNPACK(m, CP_SET_BIN_DATA5, &p))
        return false;
    set_bin(m, (struct adreno_bin){.draw_va = p.BIN_DATA_ADDR,
                                   .size_va = p.BIN_SIZE_ADDR,
                                   .prim_va = p.BIN_PRIM_STRM,
                                   .pipe_bin = p.VSC_N,
                                   .pipe_size = p.VSC_SIZE,
                                   .mask = p.VSC_MASK});
    return true;
}

bool adreno_cp_set_bin_data5_offset(struct adreno_cp *m)
{
    struct adreno_pkt_CP_SET_BIN_DATA5_OFFSET p;
    if (!CP_UNPACK(m, CP_SET_BIN_DATA5_OFFSET, &p))
        return false;
    set_bin(
        m, (struct adreno_bin){.draw_va = adreno_reg64(m->gpu, ADRENO_REG_VSC_PIPE_DATA_DRAW_BASE) + p.BIN_DATA_OFFSET,
                               .size_va = adreno_reg64(m->gpu, ADRENO_REG_VSC_SIZE_BASE) + p.BIN_SIZE_OFFSET,
                               .prim_va = adreno_reg64(m->gpu, ADRENO_REG_VSC_PIPE_DATA_PRIM_BASE) + p.BIN_DATA2_OFFSET,
                               .pipe_bin = p.VSC_N,
                               .pipe_size = p.VSC_SIZE,
                               .mask = p.VSC_MASK});
    return true;
}

/* Pseudo registers of the visibility streams stand for the registers. */
bool adreno_cp_set_pseudo_reg(struct adreno_cp *m)
{
    if ((m->length_dw - 1) % 3)
        return CP_BROKEN(m, "a part of a pseudo register's three dwords");
    for (uint32_t at = 1; at < m->length_dw; at += 3) {
        uint32_t reg;
        switch (m->dw[at] & 0x7ff) {
        case ADRENO_PSEUDO_REG_VSC_PIPE_DATA_DRAW_BASE:
            reg = ADRENO_REG_VSC_PIPE_DATA_DRAW_BASE;
            break;
        case ADRENO_PSEUDO_REG_VSC_SIZE_BASE:
            reg = ADRENO_REG_VSC_SIZE_BASE;
            break;
        case ADRENO_PSEUDO_REG_VSC_PIPE_DATA_PRIM_BASE:
            reg = ADRENO_REG_VSC_PIPE_DATA_PRIM_BASE;
            break;
        default:
            return CP_STOP(m, "pseudo register %u: the kernel's, or of later chips", m->dw[at] & 0x7ff);
        }
        if (!adreno_cp_write_registers(m, reg, &m->dw[at + 1], 2))
            return false;
    }
    return true;
}

/* Buffers for the switch between contexts, which never happens here: jobs run to their end. */
bool adreno_cp_set_amble(struct adreno_cp *m)
{
    struct adreno_pkt_CP_SET_AMBLE p;
    if (!CP_UNPACK(m, CP_SET_AMBLE, &p))
        return false;
    return p.TYPE != ADRENO_AMBLE_KMD || CP_BROKEN(m, "an amble that only the kernel's stream may set");
}

/* ---- groups of draw state ---- */

static uint32_t passes_of(const struct adreno_pkt_CP_SET_DRAW_STATE *p)
{
    return (uint32_t)p->SYSMEM << ADRENO_PASS_SYSMEM | (uint32_t)p->BINNING << ADRENO_PASS_BINNING |
           (uint32_t)p->GMEM << ADRENO_PASS_GMEM;
}

static bool set_group(struct adreno_cp *m, const struct adreno_pkt_CP_SET_DRAW_STATE *p)
{
    struct cp_group group = {.va = p->ADDR & ~3ull, .size_dw = p->COUNT, .passes = passes_of(p)};
    uint64_t bit = 1ull << p->GROUP_ID % CP_GROUPS;
    if (p->DISABLE_ALL_GROUPS)
        m->groups_enabled = m->groups_dirty = 0;
    if (p->LOAD_IMMED)
        return !(group.passes >> m->pass & 1) || group.size_dw == 0 || adreno_cp_run_group(m, &group);
    m->groups_dirty &= ~bit;
    m->groups_enabled &= ~bit;
    if (p->DISABLE || p->DISABLE_ALL_GROUPS || group.size_dw == 0)
        return true;
    m->groups[p->GROUP_ID % CP_GROUPS] = group;
    m->groups_enabled |= bit;
    m->groups_dirty |= bit; /* with DIRTY or without it: to execute it again changes nothing */
    return true;
}

bool adreno_cp_set_draw_state(struct adreno_cp *m)
{
    uint32_t count = (m->length_dw - 1) / 3;
    if ((m->length_dw - 1) % 3)
        return CP_BROKEN(m, "a part of a group's three dwords");
    /* A group that is loaded at once takes the place of the words. */
    struct adreno_pkt_CP_SET_DRAW_STATE groups[CP_GROUPS + 1];
    if (count > ARRAY_SIZE(groups))
        return CP_BROKEN(m, "%u groups of state; there are %u", count, CP_GROUPS);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t words[4] = {m->dw[0], m->dw[3 * i + 1], m->dw[3 * i + 2], m->dw[3 * i + 3]};
        adreno_unpack_pkt_CP_SET_DRAW_STATE(words, 4, &groups[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!set_group(m, &groups[i]))
            return false;
    }
    return true;
}

bool adreno_cp_apply_groups(struct adreno_cp *m)
{
    bits_foreach (m->groups_dirty & m->groups_enabled, group) {
        if (!(m->groups[group].passes >> m->pass & 1))
            continue;
        m->groups_dirty &= ~(1ull << group);
        if (!adreno_cp_run_group(m, &m->groups[group]))
            return false;
    }
    return true;
}

/* ---- predicates of draws ---- */

/* Switching it on also lets draws pass until a predicate is set. */
bool adreno_cp_draw_pred_enable_global(struct adreno_cp *m)
{
    struct adreno_pkt_CP_DRAW_PRED_ENABLE_GLOBAL p;
    if (!CP_UNPACK(m, CP_DRAW_PRED_ENABLE_GLOBAL, &p))
        return false;
    m->draw_predicate_global = p.ENABLE;
    if (p.ENABLE)
        m->draw_predicate_local = m->draw_predicate_passes = true;
    return true;
}

bool adreno_cp_draw_pred_enable_local(struct adreno_cp *m)
{
    struct adreno_pkt_CP_DRAW_PRED_ENABLE_LOCAL p;
    if (!CP_UNPACK(m, CP_DRAW_PRED_ENABLE_LOCAL, &p))
        return false;
    m->draw_predicate_local = p.ENABLE;
    return true;
}

bool adreno_cp_draw_pred_set(struct adreno_cp *m)
{
    struct adreno_pkt_CP_DRAW_PRED_SET p;
    uint64_t value;
    if (!CP_UNPACK(m, CP_DRAW_PRED_SET, &p))
        return false;
    if (p.SRC != ADRENO_PRED_SRC_MEM)
        return CP_STOP(m, "a predicate from source %u: counts of stream out", p.SRC);
    m->reader = ADRENO_CLIENT_CP_EARLY;
    if (!adreno_cp_load(m, p.MEM_ADDR & ~7ull, 8, &value))
        return false;
    m->draw_predicate_passes = (value == 0) == (p.TEST == ADRENO_PRED_TEST_EQ_0_PASS);
    return true;
}

/* ---- shader state ---- */

/* The three opcodes have one layout; they differ in the queue that the load goes through. */
bool adreno_cp_load_state6(struct adreno_cp *m)
{
    struct adreno_pkt_CP_LOAD_STATE6 p;
    if (!CP_UNPACK(m, CP_LOAD_STATE6, &p))
        return false;
    return adreno_hlsq_load_state(m->gpu, ADRENO_PKT7_OPCODE(m->dw[0]), &p, m->dw + 4, p.tail_dw);
}
