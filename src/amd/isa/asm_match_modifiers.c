/* Modifiers of a statement: which of them its encoding takes, in which order, and their fields. */
#include <string.h>

#include "amd/isa/asm_match.h"
#include "util/bits.h"

/* ---- which of them, in which order ---- */

#define END ASM_MOD_COUNT

static const uint8_t order_none[] = {END};
static const uint8_t order_vop3[] = {ASM_MOD_HIGH, ASM_MOD_OP_SEL, ASM_MOD_CLAMP, ASM_MOD_OMOD, END};
static const uint8_t order_vop3p[] = {ASM_MOD_OP_SEL, ASM_MOD_OP_SEL_HI, ASM_MOD_NEG_LO,
                                      ASM_MOD_NEG_HI, ASM_MOD_CLAMP,     END};
static const uint8_t order_mix[] = {ASM_MOD_OP_SEL, ASM_MOD_OP_SEL_HI, ASM_MOD_CLAMP, END};
static const uint8_t order_dpp16[] = {ASM_MOD_DPP_CTRL,   ASM_MOD_ROW_MASK, ASM_MOD_BANK_MASK,
                                      ASM_MOD_BOUND_CTRL, ASM_MOD_FI,       END};
static const uint8_t order_dpp8[] = {ASM_MOD_DPP8, ASM_MOD_FI, END};
static const uint8_t order_sdwa[] = {
    ASM_MOD_CLAMP, ASM_MOD_OMOD, ASM_MOD_DST_SEL, ASM_MOD_DST_UNUSED, ASM_MOD_SRC0_SEL, ASM_MOD_SRC1_SEL, END};
static const uint8_t order_smem[] = {ASM_MOD_OFFSET, ASM_MOD_GLC, ASM_MOD_DLC, END};
static const uint8_t order_ds[] = {ASM_MOD_OFFSET, ASM_MOD_GDS, END};
static const uint8_t order_ds2[] = {ASM_MOD_OFFSET0, ASM_MOD_OFFSET1, ASM_MOD_GDS, END};
static const uint8_t order_mubuf[] = {ASM_MOD_IDXEN, ASM_MOD_OFFEN, ASM_MOD_OFFSET, ASM_MOD_GLC, ASM_MOD_SLC,
                                      ASM_MOD_DLC,   ASM_MOD_TFE,   ASM_MOD_LDS,    END};
static const uint8_t order_mtbuf[] = {ASM_MOD_FORMAT, ASM_MOD_IDXEN, ASM_MOD_OFFEN,
                                      ASM_MOD_OFFSET, ASM_MOD_GLC,   ASM_MOD_SLC,
                                      ASM_MOD_DLC,    ASM_MOD_TFE,   END};
static const uint8_t order_mimg[] = {ASM_MOD_DMASK, ASM_MOD_DIM, ASM_MOD_UNORM, ASM_MOD_GLC, ASM_MOD_SLC, ASM_MOD_DLC,
                                     ASM_MOD_R128,  ASM_MOD_A16, ASM_MOD_TFE,   ASM_MOD_LWE, ASM_MOD_D16, END};
static const uint8_t order_ray[] = {ASM_MOD_A16, END};
static const uint8_t order_flat[] = {ASM_MOD_OFFSET, ASM_MOD_GLC, ASM_MOD_SLC, ASM_MOD_DLC, ASM_MOD_LDS, END};
static const uint8_t order_exp[] = {ASM_MOD_DONE, ASM_MOD_COMPR, ASM_MOD_VM, END};

static const uint8_t *modifier_order(const struct isa_op_info *info, unsigned variant)
{
    switch (variant) {
    case ISA_VARIANT_E64:
        return order_vop3;
    case ISA_VARIANT_DPP16:
        return order_dpp16;
    case ISA_VARIANT_DPP8:
        return order_dpp8;
    case ISA_VARIANT_SDWA:
        return order_sdwa;
    }
    switch ((enum isa_format)info->format) {
    case ISA_FORMAT_VOP3:
        return order_vop3;
    case ISA_FORMAT_VOP3P:
        return info->properties & ISA_PROP_MIX ? order_mix : order_vop3p;
    case ISA_FORMAT_SMEM:
        return info->properties & (ISA_PROP_CACHE_INV | ISA_PROP_TIME) ? order_none : order_smem;
    case ISA_FORMAT_DS:
        return info->properties & ISA_PROP_OFFSET2 ? order_ds2 : order_ds;
    case ISA_FORMAT_MUBUF:
        return info->properties & ISA_PROP_CACHE_INV ? order_none : order_mubuf;
    case ISA_FORMAT_MTBUF:
        return order_mtbuf;
    case ISA_FORMAT_MIMG:
        return info->properties & (ISA_PROP_BVH | ISA_PROP_BVH64) ? order_ray : order_mimg;
    case ISA_FORMAT_FLAT:
        return order_flat;
    case ISA_FORMAT_EXP:
        return order_exp;
    default:
        return order_none;
    }
}

/* The cache bits are one field to LLVM: they may stand in any order. */
static bool is_cache_bit(unsigned modifier)
{
    return modifier == ASM_MOD_GLC || modifier == ASM_MOD_SLC || modifier == ASM_MOD_DLC;
}

static unsigned order_rank(const uint8_t *order, unsigned modifier)
{
    for (unsigned i = 0, rank = 0; order[i] != END; i++) {
        rank = i && is_cache_bit(order[i]) && is_cache_bit(order[i - 1]) ? rank : i;
        if (order[i] == modifier)
            return rank;
    }
    return END;
}

/* Where a layout has a field; the rows are in the order of the layouts. */
uint64_t amd_asm_field_mask(unsigned layout, const char *name)
{
    unsigned low = 0, high = amd_isa_field_name_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (amd_isa_field_names[middle].layout < layout)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t mask = 0;
    for (; low < amd_isa_field_name_count && amd_isa_field_names[low].layout == layout; low++) {
        if (strcmp(amd_isa_field_names[low].name, name) == 0)
            mask |= amd_isa_field_names[low].mask;
    }
    return mask;
}

/* An atomic that only exists with its result. */
static bool needs_glc(const struct asm_matcher *m)
{
    return amd_asm_field_mask(m->entry->layout, "glc") & m->entry->mask & m->entry->value;
}

/* Whether the instruction can set any bit of a modifier's field. */
static bool takes_modifier(const struct asm_matcher *m, unsigned modifier)
{
    const char *field = amd_asm_modifier_name(modifier);
    switch (modifier) {
    case ASM_MOD_DPP8:
    case ASM_MOD_FI:
        return true;
    case ASM_MOD_GDS:
        if (m->info->properties & ISA_PROP_GDS_ONLY)
            return true;
        break;
    case ASM_MOD_GLC:
        if (needs_glc(m))
            return true;
        break;
    case ASM_MOD_OMOD:
        field = "omod";
        break;
    case ASM_MOD_NEG_LO:
        field = "neg";
        break;
    case ASM_MOD_DPP_CTRL:
        field = "dpp_ctrl";
        break;
    case ASM_MOD_OFFSET0:
    case ASM_MOD_OFFSET1:
        field = "offset";
        break;
    }
    return amd_asm_field_mask(m->entry->layout, field) & ~m->entry->mask;
}

static bool check_modifier_order(struct asm_matcher *m)
{
    const struct asm_modifiers *mods = &m->statement->mods;
    const uint8_t *order = modifier_order(m->info, m->inst.variant);
    unsigned last = 0;
    for (unsigned i = 0; i < mods->count; i++) {
        unsigned modifier = mods->order[i], rank = order_rank(order, modifier);
        const char *name = amd_asm_modifier_name(modifier);
        if (rank == END || !takes_modifier(m, modifier))
            return amd_asm_error(m->parser, mods->at[modifier], "the instruction has no '%s' in this encoding", name);
        if (rank < last)
            return amd_asm_error(m->parser, mods->at[modifier], "'%s' must stand before '%s'", name,
                                 amd_asm_modifier_name(mods->order[i - 1]));
        last = rank;
    }
    return true;
}

/* ---- their fields ---- */

static unsigned source_count(const struct isa_op_info *info)
{
    unsigned count = 0;
    for (unsigned i = info->dst_count; i < info->operand_count; i++) {
        unsigned name = info->operands[i].name;
        count += name == ISA_NAME_S0 || name == ISA_NAME_S1 || name == ISA_NAME_S2;
    }
    return count;
}

static inline int64_t value_or(const struct asm_modifiers *mods, unsigned modifier, int64_t usual)
{
    return mods->seen & ASM_MOD_BIT(modifier) ? mods->value[modifier] : usual;
}

static bool set_op_sel(struct asm_matcher *m)
{
    const struct asm_modifiers *mods = &m->statement->mods;
    unsigned sources = source_count(m->info), all = (1u << sources) - 1;
    unsigned sel = (unsigned)value_or(mods, ASM_MOD_OP_SEL, 0);
    if (m->info->format != ISA_FORMAT_VOP3P && (m->info->properties & ISA_PROP_OP_SEL)) {
        if (sel >> (sources + 1))
            return amd_asm_error(m->parser, mods->at[ASM_MOD_OP_SEL], "op_sel has %u bits here", sources + 1);
        m->inst.alu.op_sel = (uint8_t)((sel & all) | (sel >> sources & 1) << 3);
        return true;
    }
    static const uint8_t vectors[] = {ASM_MOD_OP_SEL, ASM_MOD_OP_SEL_HI, ASM_MOD_NEG_LO, ASM_MOD_NEG_HI};
    for (unsigned i = 0; i < ARRAY_SIZE(vectors); i++) {
        if (value_or(mods, vectors[i], 0) & ~all)
            return amd_asm_error(m->parser, mods->at[vectors[i]], "%s has %u bits here",
                                 amd_asm_modifier_name(vectors[i]), sources);
    }
    m->inst.alu.op_sel = (uint8_t)sel;
    return true;
}

static bool set_alu_modifiers(struct asm_matcher *m)
{
    const struct asm_modifiers *mods = &m->statement->mods;
    struct isa_alu *alu = &m->inst.alu;
    alu->clamp = (uint8_t)value_or(mods, ASM_MOD_CLAMP, 0);
    alu->omod = (uint8_t)value_or(mods, ASM_MOD_OMOD, 0);
    alu->high = (uint8_t)value_or(mods, ASM_MOD_HIGH, 0);
    switch (m->inst.variant) {
    case ISA_VARIANT_DPP16:
        if (!(mods->seen & ASM_MOD_BIT(ASM_MOD_DPP_CTRL)))
            return amd_asm_error(m->parser, m->statement->at,
                                 "the instruction needs quad_perm, row_shl or another DPP control");
        alu->dpp_ctrl = (uint16_t)mods->value[ASM_MOD_DPP_CTRL];
        alu->row_mask = (uint8_t)value_or(mods, ASM_MOD_ROW_MASK, 15);
        alu->bank_mask = (uint8_t)value_or(mods, ASM_MOD_BANK_MASK, 15);
        alu->bound_ctrl = (uint8_t)value_or(mods, ASM_MOD_BOUND_CTRL, 0);
        alu->fi = (uint8_t)value_or(mods, ASM_MOD_FI, 0);
        return true;
    case ISA_VARIANT_DPP8:
        alu->dpp8 = (uint32_t)value_or(mods, ASM_MOD_DPP8, 0);
        alu->fi = (uint8_t)value_or(mods, ASM_MOD_FI, 0);
        return true;
    case ISA_VARIANT_SDWA: {
        unsigned sources = source_count(m->info);
        bool has_dst = m->info->dst_count && m->info->format != ISA_FORMAT_VOPC;
        alu->dst_sel = (uint8_t)value_or(mods, ASM_MOD_DST_SEL, has_dst ? ISA_SDWA_DWORD : 0);
        alu->dst_unused = (uint8_t)value_or(mods, ASM_MOD_DST_UNUSED, has_dst ? 2 : 0);
        alu->src0_sel = (uint8_t)value_or(mods, ASM_MOD_SRC0_SEL, sources > 0 ? ISA_SDWA_DWORD : 0);
        alu->src1_sel = (uint8_t)value_or(mods, ASM_MOD_SRC1_SEL, sources > 1 ? ISA_SDWA_DWORD : 0);
        return true;
    }
    default:
        if (m->info->format == ISA_FORMAT_VOP3P) {
            bool mix = m->info->properties & ISA_PROP_MIX;
            alu->op_sel_hi = (uint8_t)value_or(mods, ASM_MOD_OP_SEL_HI, mix ? 0 : 7);
            alu->neg |= (uint8_t)value_or(mods, ASM_MOD_NEG_LO, 0);
            alu->neg_hi |= (uint8_t)value_or(mods, ASM_MOD_NEG_HI, 0);
        }
        return set_op_sel(m);
    }
}

static bool set_memory_modifiers(struct asm_matcher *m)
{
    const struct asm_modifiers *mods = &m->statement->mods;
    struct isa_mem *mem = &m->inst.mem;
    mem->glc = value_or(mods, ASM_MOD_GLC, 0);
    mem->slc = value_or(mods, ASM_MOD_SLC, 0);
    mem->dlc = value_or(mods, ASM_MOD_DLC, 0);
    mem->lds = value_or(mods, ASM_MOD_LDS, 0);
    mem->offen = value_or(mods, ASM_MOD_OFFEN, 0);
    mem->idxen = value_or(mods, ASM_MOD_IDXEN, 0);
    mem->tfe = value_or(mods, ASM_MOD_TFE, 0);
    mem->lwe = value_or(mods, ASM_MOD_LWE, 0);
    mem->r128 = value_or(mods, ASM_MOD_R128, 0);
    mem->a16 = value_or(mods, ASM_MOD_A16, 0);
    mem->d16 = value_or(mods, ASM_MOD_D16, 0);
    mem->unorm = value_or(mods, ASM_MOD_UNORM, 0);
    mem->gds = m->info->properties & ISA_PROP_GDS_ONLY ? 0 : value_or(mods, ASM_MOD_GDS, 0);
    mem->dmask = (uint8_t)value_or(mods, ASM_MOD_DMASK, 0);
    mem->dim = (uint8_t)value_or(mods, ASM_MOD_DIM, 0);
    mem->format = (uint8_t)value_or(mods, ASM_MOD_FORMAT, 1);
    mem->offset = (int32_t)value_or(mods, ASM_MOD_OFFSET, 0);
    if (m->info->properties & ISA_PROP_OFFSET2)
        mem->offset = (int32_t)(value_or(mods, ASM_MOD_OFFSET0, 0) | value_or(mods, ASM_MOD_OFFSET1, 0) << 8);
    if (m->info->memory == ISA_MEMORY_ATOMIC && !mem->glc && needs_glc(m))
        return amd_asm_error(m->parser, m->statement->at, "the instruction needs glc");
    if (mem->tfe && mem->lds)
        return amd_asm_error(m->parser, mods->at[ASM_MOD_LDS], "what goes to LDS has no tfe");
    if ((m->info->properties & ISA_PROP_GDS_ONLY) && mods->seen == ASM_MOD_BIT(ASM_MOD_OFFSET))
        return amd_asm_error(m->parser, m->statement->at, "the instruction needs gds");
    if (m->info->format == ISA_FORMAT_MIMG && !(m->info->properties & (ISA_PROP_BVH | ISA_PROP_BVH64)) &&
        !(mods->seen & ASM_MOD_BIT(ASM_MOD_DIM)))
        return amd_asm_error(m->parser, m->statement->at, "the instruction needs a dim");
    return true;
}

bool amd_asm_set_modifiers(struct asm_matcher *m)
{
    const struct asm_modifiers *mods = &m->statement->mods;
    if (!check_modifier_order(m))
        return false;
    switch ((enum isa_format)m->info->format) {
    case ISA_FORMAT_VOP1:
    case ISA_FORMAT_VOP2:
    case ISA_FORMAT_VOPC:
    case ISA_FORMAT_VOP3:
    case ISA_FORMAT_VOP3P:
    case ISA_FORMAT_VINTRP:
        return set_alu_modifiers(m);
    case ISA_FORMAT_EXP:
        m->inst.exp.done = (uint8_t)value_or(mods, ASM_MOD_DONE, 0);
        m->inst.exp.compr = (uint8_t)value_or(mods, ASM_MOD_COMPR, 0);
        m->inst.exp.vm = (uint8_t)value_or(mods, ASM_MOD_VM, 0);
        return true;
    case ISA_FORMAT_SMEM:
    case ISA_FORMAT_DS:
    case ISA_FORMAT_MUBUF:
    case ISA_FORMAT_MTBUF:
    case ISA_FORMAT_MIMG:
    case ISA_FORMAT_FLAT:
        return set_memory_modifiers(m);
    default:
        return true;
    }
}
