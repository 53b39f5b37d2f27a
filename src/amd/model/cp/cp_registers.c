/* Packets that write registers, and the rule for every write: the hardware table says whether the model implements a
 * register, may ignore it, or has to stop. */
#include <errno.h>
#include <string.h>

#include "amd/hw/regs_cp.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_perf.h"
#include "amd/model/cp/cp_machine.h"
#include "util/bits.h"

static bool stop_at_register(struct cp_machine *m, const struct hw_reg *reg, unsigned index, uint32_t value)
{
    char name[64];
    const struct hw_field *field;
    const char *reason = hw_reg_stop_reason(reg, m->gfx, value, &field);
    hw_reg_name(reg, index, name, sizeof(name));
    return amd_cp_stop(m, "register %s%s%s = 0x%08x: %s", name, field ? "." : "", field ? hw_name(field) : "", value,
                       reason ? reason : "not modelled");
}

void amd_cp_prepare_registers(struct cp_device *device)
{
    enum amd_gfx gfx = device->chip->gfx;
    for (uint32_t i = 0; i < CP_REG_COUNT; i++)
        device->registers[i] = (struct cp_reg_rule){0, 1};
    for (unsigned i = 0; i < amd_reg_count; i++) {
        const struct hw_reg *reg = &amd_regs[i];
        if (!reg->offset[gfx] || (reg->policy == HW_POLICY_STOP && reg->stop_mask[gfx] == 0))
            continue;
        struct cp_reg_rule rule = {reg->stop_mask[gfx], reg->stop_value[gfx]};
        if (reg->policy == HW_POLICY_IMPLEMENTED)
            rule.mask |= ~reg->known_mask[gfx]; /* bits without a name must be zero */
        for (unsigned n = 0; n < reg->count; n++) {
            uint32_t index = cp_reg_index(reg->offset[gfx] + n * reg->stride);
            if (index < CP_REG_COUNT)
                device->registers[index] = rule;
        }
    }
}

/* Why the write is refused. */
static bool refuse_write(struct cp_machine *m, uint32_t offset_B, uint32_t value)
{
    unsigned index;
    char name[64];
    const struct hw_reg *reg = amd_reg_find(m->gfx, offset_B, &index);
    if (!reg)
        return amd_cp_stop(m, "register 0x%05x = 0x%08x is not in the tables", offset_B, value);
    if (hw_reg_write_stops(reg, m->gfx, value))
        return stop_at_register(m, reg, index, value);
    hw_reg_name(reg, index, name, sizeof(name));
    return amd_cp_stop(m, "register %s = 0x%08x: the tables do not know bits 0x%08x of it", name, value,
                       (uint32_t)hw_reg_unknown_bits(reg, m->gfx, value));
}

bool amd_cp_write_register(struct cp_machine *m, uint32_t offset_B, uint32_t value)
{
    uint32_t index = cp_reg_index(offset_B);
    if (index == CP_REG_COUNT)
        return refuse_write(m, offset_B, value);
    const struct cp_reg_rule *rule = &m->device->registers[index];
    if ((value & rule->mask) != rule->value)
        return refuse_write(m, offset_B, value);
    if (__builtin_expect(m->perf.is_one_engine, 0) && offset_B != AMD_REG_GRBM_GFX_INDEX && offset_B < CP_PERF_BEGIN_B)
        return amd_cp_stop(m, "register 0x%05x = 0x%08x for one engine: all are alike here", offset_B, value);
    cp_reg_set(&m->registers, offset_B, value);
    if (offset_B == AMD_REG_CP_PERFMON_CNTL)
        amd_cp_perf_control(m, value);
    else if (offset_B == AMD_REG_GRBM_GFX_INDEX)
        m->perf.is_one_engine = value >> 29 != 7; /* not to all engines, arrays and instances */
    return true;
}

/* Set up by the kernel, readable by any job; amd_cp_machine_reset has put it into the file. */
static bool is_kernels(const struct amd_chip *chip, uint32_t offset_B)
{
    for (uint32_t i = 0; i < chip->mmr_count; i++) {
        if (chip->mmrs[i].offset_dw * 4 == offset_B && chip->mmrs[i].instance == UINT32_MAX)
            return true;
    }
    return false;
}

bool amd_cp_read_register(struct cp_machine *m, uint32_t offset_B, uint32_t *value_out)
{
    char name[64];
    unsigned index;
    const struct hw_reg *reg = amd_reg_find(m->gfx, offset_B, &index);
    if (!reg || cp_reg_index(offset_B) == CP_REG_COUNT)
        return amd_cp_stop(m, "a read of register 0x%05x, which is not in the tables", offset_B);
    /* Status and the command processor's own are not kept. */
    if (reg->policy == HW_POLICY_STOP && reg->stop_mask[m->gfx] == 0 && !is_kernels(m->device->chip, offset_B)) {
        hw_reg_name(reg, index, name, sizeof(name));
        return amd_cp_stop(m, "a read of register %s: %s", name, hw_reason(reg) ? hw_reason(reg) : "not modelled");
    }
    *value_out = cp_reg(&m->registers, offset_B);
    return true;
}

/* `count` values for consecutive registers of a file, from its register number `first` on. */
static bool write_registers(struct cp_machine *m, enum amd_space space, uint32_t first, const uint32_t *values,
                            uint32_t count)
{
    static const uint32_t end_B[AMD_SPACE_COUNT] = {
        [AMD_SPACE_CONFIG] = CP_CONFIG_END_B,
        [AMD_SPACE_SH] = CP_SH_END_B,
        [AMD_SPACE_CONTEXT] = CP_CONTEXT_END_B,
        [AMD_SPACE_UCONFIG] = CP_UCONFIG_END_B,
    };
    uint64_t offset_B = amd_space_base_B(space) + 4ull * first;
    if (offset_B + 4ull * count > end_B[space])
        return amd_cp_broken(m, "%u registers from 0x%05llx go beyond the end of their file", count,
                             (unsigned long long)offset_B);
    for (uint32_t i = 0; i < count; i++) {
        if (!amd_cp_write_register(m, (uint32_t)offset_B + 4 * i, values[i]))
            return false;
    }
    return true;
}

bool amd_cp_set_context_reg(struct cp_machine *m)
{
    struct amd_pkt_SET_CONTEXT_REG p;
    return CP_UNPACK(m, SET_CONTEXT_REG, &p) &&
           write_registers(m, AMD_SPACE_CONTEXT, p.REG_OFFSET, m->dw + 2, p.tail_dw);
}

/* Both forms: the index of SET_SH_REG_INDEX asks for the kernel's CU mask, which decides only where waves run. */
bool amd_cp_set_sh_reg(struct cp_machine *m)
{
    struct amd_pkt_SET_SH_REG p;
    return CP_UNPACK(m, SET_SH_REG, &p) && write_registers(m, AMD_SPACE_SH, p.REG_OFFSET, m->dw + 2, p.tail_dw);
}

/* Both forms: the index names the one register that is written. */
bool amd_cp_set_uconfig_reg(struct cp_machine *m)
{
    struct amd_pkt_SET_UCONFIG_REG p;
    return CP_UNPACK(m, SET_UCONFIG_REG, &p) &&
           write_registers(m, AMD_SPACE_UCONFIG, p.REG_OFFSET, m->dw + 2, p.tail_dw);
}

bool amd_cp_context_reg_rmw(struct cp_machine *m)
{
    struct amd_pkt_CONTEXT_REG_RMW p;
    if (!CP_UNPACK(m, CONTEXT_REG_RMW, &p))
        return false;
    uint64_t offset_B = CP_CONTEXT_BEGIN_B + 4ull * p.REG_OFFSET;
    if (offset_B >= CP_CONTEXT_END_B)
        return amd_cp_broken(m, "no context register has the offset 0x%x", p.REG_OFFSET);
    uint32_t value = (cp_reg(&m->registers, (uint32_t)offset_B) & ~p.REG_MASK) | (p.REG_DATA & p.REG_MASK);
    return amd_cp_write_register(m, (uint32_t)offset_B, value);
}

/* The three LOAD_*_REG_INDEX packets have one layout. */
static bool load_registers(struct cp_machine *m, enum amd_space space)
{
    struct amd_pkt_LOAD_SH_REG_INDEX p;
    if (!CP_UNPACK(m, LOAD_SH_REG_INDEX, &p))
        return false;
    if (p.INDEX != AMD_LOAD_INDEX_DIRECT || p.DATA_FORMAT != AMD_LOAD_FORMAT_OFFSET_AND_SIZE)
        return amd_cp_stop(
            m, "registers loaded by offset, or as pairs of offset and value: no driver of ours or RADV's does it");
    uint64_t va = (uint64_t)bits_sign_extend((uint64_t)p.ADDR_HI << 32 | (uint64_t)p.ADDR_LO << 2, 48);
    for (uint32_t done = 0; done < p.NUM_DWORDS;) {
        uint32_t values[64], count = MIN2(p.NUM_DWORDS - done, (uint32_t)ARRAY_SIZE(values));
        if (!amd_cp_read(m, va + 4ull * done, values, 4ull * count) ||
            !write_registers(m, space, p.REG_OFFSET + done, values, count))
            return false;
        done += count;
    }
    return true;
}

bool amd_cp_load_sh_reg(struct cp_machine *m)
{
    return load_registers(m, AMD_SPACE_SH);
}

bool amd_cp_load_uconfig_reg(struct cp_machine *m)
{
    return load_registers(m, AMD_SPACE_UCONFIG);
}

bool amd_cp_load_context_reg(struct cp_machine *m)
{
    return load_registers(m, AMD_SPACE_CONTEXT);
}

bool amd_cp_clear_state(struct cp_machine *m)
{
    for (unsigned i = 0; i < amd_reg_count; i++) {
        const struct hw_reg *reg = &amd_regs[i];
        if (!reg->in_clear_state || reg->space != AMD_SPACE_CONTEXT || !reg->offset[m->gfx])
            continue;
        for (unsigned n = 0; n < reg->count; n++)
            cp_reg_set(&m->registers, reg->offset[m->gfx] + n * reg->stride, reg->clear_value);
    }
    return true;
}

/* Its bits choose what is shadowed in memory; the table stops at those that ask for it. */
bool amd_cp_context_control(struct cp_machine *m)
{
    return true;
}

bool amd_cp_set_base(struct cp_machine *m)
{
    struct amd_pkt_SET_BASE p;
    if (!CP_UNPACK(m, SET_BASE, &p))
        return false;
    if (p.BASE_INDEX != AMD_BASE_INDEX_INDIRECT)
        return amd_cp_stop(m, "base %u: only that of indirect draws and dispatches is modelled", p.BASE_INDEX);
    m->indirect_base_va = (uint64_t)bits_sign_extend(p.ADDR & ~3ull, 48);
    return true;
}
