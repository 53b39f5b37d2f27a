/* Facts of an instruction besides its row: names, counters, sizes that its fields decide. */
#include <string.h>

#include "amd/isa/isa_tables.h"
#include "util/bits.h"

static const struct {
    const char *name;
    enum isa_gfx gfx;
} gpus[] = {
    /* The first of a generation is the name that we use. */
    {"gfx900", ISA_GFX9},     {"gfx1030", ISA_GFX10_3}, {"gfx1100", ISA_GFX11},   {"gfx1031", ISA_GFX10_3},
    {"gfx1032", ISA_GFX10_3}, {"gfx1033", ISA_GFX10_3}, {"gfx1034", ISA_GFX10_3}, {"gfx1035", ISA_GFX10_3},
};

const char *amd_isa_gfx_name(enum isa_gfx gfx)
{
    for (unsigned i = 0; i < ARRAY_SIZE(gpus); i++) {
        if (gpus[i].gfx == gfx)
            return gpus[i].name;
    }
    return NULL;
}

bool amd_isa_gfx_from_name(const char *name, enum isa_gfx *gfx_out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(gpus); i++) {
        if (strcmp(gpus[i].name, name) == 0) {
            *gfx_out = gpus[i].gfx;
            return true;
        }
    }
    return false;
}

const char *amd_isa_op_name(enum isa_gfx gfx, unsigned op)
{
    return op < ISA_OP_COUNT ? amd_isa_generations[gfx].names[op] : NULL;
}

bool amd_isa_op_from_name(enum isa_gfx gfx, const char *name, size_t length, enum isa_op *op_out)
{
    const struct isa_generation *gen = &amd_isa_generations[gfx];
    unsigned low = 0, high = gen->by_name_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        const char *candidate = gen->names[gen->by_name[middle]];
        int order = strncmp(name, candidate, length);
        if (order == 0 && candidate[length] == '\0') {
            *op_out = gen->by_name[middle];
            return true;
        }
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

#define KIND(name) (1u << ISA_OPERAND_##name)
#define SCALAR_REGISTERS (KIND(SGPR) | KIND(TTMP) | KIND(SPECIAL))
#define INLINE_CONSTANTS (KIND(INT) | KIND(FLOAT))

static const uint16_t slot_kinds[] = {
    [ISA_SLOT_VGPR] = KIND(VGPR),
    [ISA_SLOT_SRC] = KIND(VGPR) | SCALAR_REGISTERS | INLINE_CONSTANTS | KIND(LITERAL),
    [ISA_SLOT_SRC_VGPR] = KIND(VGPR),
    [ISA_SLOT_SRC_VGPR_LDS] = KIND(VGPR) | KIND(SPECIAL),
    [ISA_SLOT_SRC_SCALAR] = SCALAR_REGISTERS | INLINE_CONSTANTS,
    [ISA_SLOT_SRC_SCALAR_LITERAL] = SCALAR_REGISTERS | INLINE_CONSTANTS | KIND(LITERAL),
    [ISA_SLOT_SSRC] = SCALAR_REGISTERS | INLINE_CONSTANTS | KIND(LITERAL),
    [ISA_SLOT_SSRC_REGISTER] = SCALAR_REGISTERS,
    [ISA_SLOT_SDST] = SCALAR_REGISTERS,
    [ISA_SLOT_VCC] = KIND(SPECIAL),
    [ISA_SLOT_SBASE] = SCALAR_REGISTERS,
    [ISA_SLOT_SRSRC] = SCALAR_REGISTERS,
    [ISA_SLOT_IMM] = KIND(IMM),
    [ISA_SLOT_LITERAL] = KIND(LITERAL),
    [ISA_SLOT_PARAM] = KIND(IMM),
    [ISA_SLOT_ATTR] = KIND(ATTR),
    [ISA_SLOT_SDWA_SRC] = KIND(VGPR) | SCALAR_REGISTERS | INLINE_CONSTANTS,
    [ISA_SLOT_SDWA_SDST] = SCALAR_REGISTERS,
    [ISA_SLOT_SOFFSET] = KIND(NONE) | SCALAR_REGISTERS,
    [ISA_SLOT_SADDR] = KIND(NONE) | SCALAR_REGISTERS,
    [ISA_SLOT_VADDR_BUFFER] = KIND(NONE) | KIND(VGPR),
    [ISA_SLOT_VDATA_IMAGE] = KIND(VGPR),
    [ISA_SLOT_VADDR_IMAGE] = KIND(VGPR),
    [ISA_SLOT_VADDR_FLAT] = KIND(NONE) | KIND(VGPR),
    [ISA_SLOT_VDST_ATOMIC] = KIND(NONE) | KIND(VGPR),
    [ISA_SLOT_EXPORT] = KIND(NONE) | KIND(VGPR),
};

unsigned amd_isa_operand_kinds(enum isa_gfx gfx, unsigned op, unsigned variant, unsigned index)
{
    const struct isa_entry *entry = &amd_isa_entries[amd_isa_generations[gfx].encode[op][variant]];
    if (index >= entry->operand_count)
        return 0;
    unsigned kinds = slot_kinds[amd_isa_slots[entry->slots + index].class];
    bool no_literal =
        entry->format > ISA_FORMAT_VINTRP || (gfx == ISA_GFX9 && amd_isa_layouts[entry->layout].size_dw == 2);
    return no_literal ? kinds & ~KIND(LITERAL) : kinds;
}

/* Where the counters stand in the immediate; vmcnt is in two pieces before GFX11. */
struct piece {
    uint8_t low, width;
};

static const struct {
    struct piece vmcnt, vmcnt_high, expcnt, lgkmcnt;
} waitcnt_pieces[ISA_GFX_COUNT] = {
    [ISA_GFX9] = {{0, 4}, {14, 2}, {4, 3}, {8, 4}},
    [ISA_GFX10_3] = {{0, 4}, {14, 2}, {4, 3}, {8, 6}},
    [ISA_GFX11] = {{10, 6}, {0, 0}, {0, 3}, {4, 6}},
};

static unsigned piece_max(struct piece piece)
{
    return (1u << piece.width) - 1;
}

struct isa_waitcnt amd_isa_waitcnt_max(enum isa_gfx gfx)
{
    return amd_isa_waitcnt_unpack(gfx, UINT16_MAX);
}

struct isa_waitcnt amd_isa_waitcnt_unpack(enum isa_gfx gfx, uint16_t imm)
{
    struct piece low = waitcnt_pieces[gfx].vmcnt, high = waitcnt_pieces[gfx].vmcnt_high;
    struct piece expcnt = waitcnt_pieces[gfx].expcnt, lgkmcnt = waitcnt_pieces[gfx].lgkmcnt;
    return (struct isa_waitcnt){
        .vmcnt = (uint8_t)((imm >> low.low & piece_max(low)) | (imm >> high.low & piece_max(high)) << low.width),
        .expcnt = imm >> expcnt.low & piece_max(expcnt),
        .lgkmcnt = imm >> lgkmcnt.low & piece_max(lgkmcnt),
    };
}

uint16_t amd_isa_waitcnt_pack(enum isa_gfx gfx, struct isa_waitcnt waitcnt)
{
    struct piece low = waitcnt_pieces[gfx].vmcnt, high = waitcnt_pieces[gfx].vmcnt_high;
    struct isa_waitcnt max = amd_isa_waitcnt_max(gfx);
    unsigned vmcnt = MIN2(waitcnt.vmcnt, max.vmcnt);
    return (uint16_t)((vmcnt & piece_max(low)) << low.low | (vmcnt >> low.width & piece_max(high)) << high.low |
                      (unsigned)MIN2(waitcnt.expcnt, max.expcnt) << waitcnt_pieces[gfx].expcnt.low |
                      (unsigned)MIN2(waitcnt.lgkmcnt, max.lgkmcnt) << waitcnt_pieces[gfx].lgkmcnt.low);
}

unsigned amd_isa_counters(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    unsigned counters = info->counters;
    if (info->memory == ISA_MEMORY_ATOMIC && (counters & ISA_COUNTER_VM) && !inst->mem.glc)
        counters = (counters & ~ISA_COUNTER_VM) | ISA_COUNTER_VS;
    if (info->format == ISA_FORMAT_DS && inst->mem.gds)
        counters |= ISA_COUNTER_EXP;
    return counters;
}

static bool writes_exec(const struct isa_inst *inst, const struct isa_op_info *info)
{
    for (unsigned i = 0; i < info->dst_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        if (operand->kind == ISA_OPERAND_SPECIAL &&
            (operand->value == ISA_SPECIAL_EXEC_LO || operand->value == ISA_SPECIAL_EXEC_HI))
            return true;
    }
    return info->writes & ISA_STATE_EXEC;
}

unsigned amd_isa_hazards(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    unsigned hazards = info->hazards;
    if ((hazards & ISA_HAZARD_LONG_NSA) && inst->size_dw < 4)
        hazards &= ~ISA_HAZARD_LONG_NSA;
    if ((hazards & ISA_HAZARD_EXEC_WRITE) && !writes_exec(inst, info))
        hazards &= ~ISA_HAZARD_EXEC_WRITE;
    return hazards;
}

unsigned amd_isa_image_data_count(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    unsigned count = (unsigned)__builtin_popcount(inst->mem.dmask);
    if (info->properties & ISA_PROP_GATHER4)
        count = 4;
    count = MAX2(count, 1u);
    if (inst->mem.d16)
        count = (count + 1) / 2;
    return count + inst->mem.tfe;
}

/* Coordinates and derivatives of each `dim`. */
static const struct {
    uint8_t coords;
    uint8_t gradients;
} image_dims[8] = {{1, 2}, {2, 4}, {3, 6}, {3, 4}, {2, 2}, {3, 4}, {3, 4}, {4, 4}};

unsigned amd_isa_image_address_count(const struct isa_inst *inst)
{
    uint64_t properties = isa_info(inst->op)->properties;
    const struct isa_mem *mem = &inst->mem;
    unsigned count = 0, packed = 0;
    if (properties & ISA_PROP_BVH)
        count = mem->a16 ? 8 : 11;
    else if (properties & ISA_PROP_BVH64)
        count = mem->a16 ? 9 : 12;
    count += !!(properties & ISA_PROP_OFFSET_ARG) + !!(properties & ISA_PROP_BIAS) + !!(properties & ISA_PROP_COMPARE);
    if (properties & ISA_PROP_GRAD)
        count += image_dims[mem->dim].gradients;
    /* Halves are packed for each direction by itself: three of them take two registers. */
    if (properties & ISA_PROP_GRAD16)
        count += (image_dims[mem->dim].gradients / 2 + 1) / 2 * 2;
    if (properties & ISA_PROP_COORDS)
        packed += image_dims[mem->dim].coords;
    packed += !!(properties & ISA_PROP_LOD) + !!(properties & ISA_PROP_CLAMP_ARG);
    count += mem->a16 ? (packed + 1) / 2 : packed;
    /* Without NSA the registers are one tuple, and there is none between 8 and 16. */
    if (mem->nsa == 0 && count > 8)
        count = 16;
    return count;
}
