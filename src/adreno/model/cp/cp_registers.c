/* Packets that write registers, and the rule for every access: the hardware tables say which registers there are, and
 * the chip which of them the kernel keeps from streams. A register may hold anything; whoever uses it looks at it. */
#include <stdlib.h>

#include "adreno/hw/regs_cp.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_rbbm.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "adreno/model/cp/cp_machine.h"
#include "util/bits.h"

#define BUFFER_OFFSET(n) (ADRENO_REG_VPC_SO_BUFFER_OFFSET + (n)*ADRENO_REG_VPC_SO_BUFFER_OFFSET_STRIDE)

/* Registers whose write does something besides. */
static const uint32_t specials[] = {
    ADRENO_REG_VPC_SO_MAPPING_WPTR,
    ADRENO_REG_VPC_SO_MAPPING_PORT,
    BUFFER_OFFSET(0),
    BUFFER_OFFSET(1),
    BUFFER_OFFSET(2),
    BUFFER_OFFSET(3),
    ADRENO_REG_SP_UPDATE_CNTL,
};

/* ---- preparation ---- */

static void allow_row(struct adreno_cp *m, const struct hw_reg *row)
{
    if (row->policy == HW_POLICY_STOP && row->stop_mask[ADRENO_A6XX] == 0)
        return;
    for (unsigned n = 0; n < row->count; n++) {
        for (unsigned half = 0; half <= row->is_wide; half++) {
            uint32_t reg = row->offset[ADRENO_A6XX] + n * row->stride + half;
            if (reg < ADRENO_REG_COUNT && adreno_chip_may_write(m->gpu->chip, reg))
                m->registers[reg] = CP_REG_PLAIN;
        }
    }
}

bool adreno_cp_prepare_registers(struct adreno_cp *m)
{
    for (unsigned i = 0; i < adreno_reg_count; i++) {
        allow_row(m, &adreno_regs[i]);
        m->conditional_count += adreno_regs[i].stop_mask[ADRENO_A6XX] != 0;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(specials); i++)
        m->registers[specials[i]] = CP_REG_SPECIAL;
    if (m->strict.is_on)
        m->registers[ADRENO_REG_RB_CCU_CNTL] = CP_REG_SPECIAL;
    m->conditional = malloc(MAX2(m->conditional_count, 1) * sizeof(*m->conditional));
    if (!m->conditional)
        return false;
    for (unsigned i = 0, n = 0; i < adreno_reg_count; i++) {
        if (adreno_regs[i].stop_mask[ADRENO_A6XX])
            m->conditional[n++] = &adreno_regs[i];
    }
    return true;
}

bool adreno_cp_check_draw_registers(struct adreno_cp *m)
{
    for (unsigned i = 0; i < m->conditional_count; i++) {
        const struct hw_reg *row = m->conditional[i];
        for (unsigned n = 0; n < row->count; n++) {
            uint32_t reg = row->offset[ADRENO_A6XX] + n * row->stride;
            if (hw_reg_write_stops(row, ADRENO_A6XX, m->gpu->regs[reg]))
                return adreno_stop_register(m->gpu, reg, hw_reg_stop_reason(row, ADRENO_A6XX, m->gpu->regs[reg], NULL));
        }
    }
    return true;
}

/* ---- writes ---- */

void adreno_cp_set_register(struct adreno_cp *m, uint32_t reg, uint32_t value)
{
    m->gpu->reg_changes += m->gpu->regs[reg] != value;
    m->gpu->regs[reg] = value;
}

static void special_write(struct adreno_cp *m, uint32_t reg, uint32_t value)
{
    struct adreno_gpu *gpu = m->gpu;
    if (reg == ADRENO_REG_VPC_SO_MAPPING_WPTR) {
        struct adreno_VPC_SO_MAPPING_WPTR f = adreno_unpack_VPC_SO_MAPPING_WPTR(value);
        for (unsigned i = 0; f.RESET && i < ADRENO_SO_MAPPING_DW; i++)
            gpu->so_mapping[i] = 0;
        gpu->so_mapping_at = f.ADDR;
        gpu->reg_changes++;
    } else if (reg == ADRENO_REG_VPC_SO_MAPPING_PORT) {
        gpu->so_mapping[gpu->so_mapping_at++ % ADRENO_SO_MAPPING_DW] = value;
        gpu->reg_changes++;
    } else if (reg == ADRENO_REG_SP_UPDATE_CNTL) {
        if (gpu->coherence)
            adreno_cp_coherence_update(m, value);
    } else if (reg != ADRENO_REG_RB_CCU_CNTL) {
        unsigned buffer = (reg - ADRENO_REG_VPC_SO_BUFFER_OFFSET) / ADRENO_REG_VPC_SO_BUFFER_OFFSET_STRIDE;
        gpu->counters.so_offset_B[buffer] = value & ~3u;
    }
}

static bool refuse_write(struct adreno_cp *m, uint32_t reg, uint32_t value)
{
    char name[64];
    unsigned index = 0;
    const struct hw_reg *row = reg < ADRENO_REG_COUNT ? adreno_reg_find(reg, &index) : NULL;
    if (!row && reg > 0 && reg < ADRENO_REG_COUNT)
        row = adreno_reg_find(reg - 1, &index); /* the upper half of a wide one */
    if (!row || (row->offset[ADRENO_A6XX] + index * row->stride != reg && !row->is_wide)) {
        if (adreno_chip_may_write(m->gpu->chip, reg))
            return CP_STOP(m, "register 0x%05x = 0x%08x is not in the tables", reg, value);
        return CP_BROKEN(m, "register 0x%05x = 0x%08x: the kernel protects it", reg, value);
    }
    hw_reg_name(row, index, name, sizeof(name));
    if (!adreno_chip_may_write(m->gpu->chip, reg))
        return CP_BROKEN(m, "register %s (0x%05x) = 0x%08x: the kernel protects it", name, reg, value);
    return CP_STOP(m, "register %s (0x%05x) = 0x%08x: %s", name, reg, value,
                   hw_reason(row) ? hw_reason(row) : "not modelled");
}

bool adreno_cp_write_register(struct adreno_cp *m, uint32_t reg, uint32_t value)
{
    unsigned rule = reg < ADRENO_REG_COUNT ? m->registers[reg] : CP_REG_REFUSED;
    if (rule == CP_REG_REFUSED)
        return refuse_write(m, reg, value);
    if (m->gpu->has_series && reg != ADRENO_REG_VFD_INDEX_OFFSET &&
        (rule == CP_REG_SPECIAL || m->gpu->regs[reg] != value) && !adreno_draws_finish(m->gpu))
        return false;
    if (rule == CP_REG_SPECIAL && reg == ADRENO_REG_RB_CCU_CNTL && !adreno_cp_strict_ccu_cntl(m, value))
        return false;
    adreno_cp_set_register(m, reg, value);
    if (rule == CP_REG_SPECIAL)
        special_write(m, reg, value);
    return true;
}

bool adreno_cp_write_registers(struct adreno_cp *m, uint32_t reg, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!adreno_cp_write_register(m, reg + i, values[i]))
            return false;
    }
    return true;
}

/* ---- reads ---- */

/* Counters that are not kept in the register file. */
static bool read_counter(struct adreno_cp *m, uint32_t reg, uint32_t *value_out)
{
    if (reg == ADRENO_REG_CP_ALWAYS_ON_COUNTER) {
        m->time = adreno_timestamp();
        *value_out = (uint32_t)m->time;
        return true;
    }
    if (reg == ADRENO_REG_CP_ALWAYS_ON_COUNTER + 1) {
        *value_out = (uint32_t)(m->time >> 32);
        return true;
    }
    uint32_t stat = reg - ADRENO_REG_RBBM_PIPESTAT_IAVERTICES;
    if (stat >= 2 * ADRENO_STAT_COUNT)
        return false;
    *value_out = (uint32_t)(m->gpu->counters.stats[stat / 2] >> (stat % 2 * 32));
    return true;
}

bool adreno_cp_read_register(struct adreno_cp *m, uint32_t reg, uint32_t *value_out)
{
    if (reg < ADRENO_REG_COUNT && m->registers[reg] != CP_REG_REFUSED) {
        *value_out = m->gpu->regs[reg];
        return true;
    }
    if (read_counter(m, reg, value_out))
        return true;
    char name[64];
    unsigned index;
    const struct hw_reg *row = reg < ADRENO_REG_COUNT ? adreno_reg_find(reg, &index) : NULL;
    if (!adreno_chip_may_read(m->gpu->chip, reg))
        return CP_BROKEN(m, "a read of register 0x%05x, which the kernel protects", reg);
    if (!row)
        return CP_STOP(m, "a read of register 0x%05x, which is not in the tables", reg);
    hw_reg_name(row, index, name, sizeof(name));
    return CP_STOP(m, "a read of register %s (0x%05x), which is not modelled", name, reg);
}

/* ---- packets ---- */

bool adreno_cp_context_reg_bunch(struct adreno_cp *m)
{
    if (m->length_dw % 2 == 0)
        return CP_BROKEN(m, "half a pair of register and value");
    for (uint32_t at = 1; at < m->length_dw; at += 2) {
        if (!adreno_cp_write_register(m, m->dw[at] & 0x3ffff, m->dw[at + 1]))
            return false;
    }
    return true;
}

/* The trackers keep the hardware from redundant work; what is written is the same. That of low-resolution depth flushes
 * it when its direction or its view changes. */
bool adreno_cp_reg_write(struct adreno_cp *m)
{
    struct adreno_pkt_CP_REG_WRITE p;
    if (!CP_UNPACK(m, CP_REG_WRITE, &p))
        return false;
    if (p.TRACKER == ADRENO_REG_TRACKER_LRZ && !adreno_lrz_flush(m->gpu))
        return false;
    return adreno_cp_write_register(m, p.REG, p.VALUE);
}

bool adreno_cp_reg_rmw(struct adreno_cp *m)
{
    struct adreno_pkt_CP_REG_RMW p;
    uint32_t value;
    if (!CP_UNPACK(m, CP_REG_RMW, &p) || !adreno_cp_read_register(m, p.DST_REG, &value))
        return false;
    uint32_t and = p.SRC0, other = p.SRC1;
    if ((p.SRC0_IS_REG && !adreno_cp_read_register(m, p.SRC0 & 0x3ffff, &and)) ||
        (p.SRC1_IS_REG && !adreno_cp_read_register(m, p.SRC1 & 0x3ffff, &other)))
        return false;
    value &= and;
    value = value << p.ROTATE | (p.ROTATE ? value >> (32 - p.ROTATE) : 0);
    return adreno_cp_write_register(m, p.DST_REG, p.SRC1_ADD ? value + other : value | other);
}

bool adreno_cp_reg_to_scratch(struct adreno_cp *m)
{
    struct adreno_pkt_CP_REG_TO_SCRATCH p;
    if (!CP_UNPACK(m, CP_REG_TO_SCRATCH, &p))
        return false;
    for (uint32_t i = 0; i <= p.CNT; i++) {
        if (!adreno_cp_read_register(m, p.REG + i, &m->scratch[(p.SCRATCH + i) % CP_SCRATCH_COUNT]))
            return false;
    }
    return true;
}

bool adreno_cp_scratch_to_reg(struct adreno_cp *m)
{
    struct adreno_pkt_CP_SCRATCH_TO_REG p;
    if (!CP_UNPACK(m, CP_SCRATCH_TO_REG, &p))
        return false;
    for (uint32_t i = 0; i <= p.CNT; i++) {
        if (!adreno_cp_write_register(m, p.REG + i, m->scratch[(p.SCRATCH + i) % CP_SCRATCH_COUNT]))
            return false;
    }
    return true;
}

bool adreno_cp_scratch_write(struct adreno_cp *m)
{
    struct adreno_pkt_CP_SCRATCH_WRITE p;
    if (!CP_UNPACK(m, CP_SCRATCH_WRITE, &p))
        return false;
    for (uint32_t i = 0; i < p.tail_dw; i++)
        m->scratch[(p.SCRATCH + i) % CP_SCRATCH_COUNT] = m->dw[2 + i];
    return true;
}
