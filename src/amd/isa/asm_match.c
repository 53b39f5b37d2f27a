/* A statement fitted to an encoding of its instruction: each operand to its slot, each modifier to its field, and the
 * rules that hold between them. What has no suffix gets the encoding that LLVM would choose: the shortest that takes
 * it. */
#include <string.h>

#include "amd/isa/asm_internal.h"
#include "util/bits.h"

struct matcher {
    struct asm_parser *parser;
    const struct asm_statement *statement;
    const struct isa_op_info *info;
    const struct isa_entry *entry;
    const struct isa_slot *slots;
    struct isa_inst inst;
    unsigned next;       /* operand of the statement */
    bool implicit_masks; /* vcc is not written */
    bool has_literal;
    const struct asm_operand *label;
};

/* ---- modifiers: which of them, in which order ---- */

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
static uint64_t field_mask(unsigned layout, const char *name)
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
static bool needs_glc(const struct matcher *m)
{
    return field_mask(m->entry->layout, "glc") & m->entry->mask & m->entry->value;
}

/* Whether the instruction can set any bit of a modifier's field. */
static bool takes_modifier(const struct matcher *m, unsigned modifier)
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
    return field_mask(m->entry->layout, field) & ~m->entry->mask;
}

static bool check_modifier_order(struct matcher *m)
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

/* ---- modifiers: their fields ---- */

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

static bool set_op_sel(struct matcher *m)
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

static bool set_alu_modifiers(struct matcher *m)
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

static bool set_memory_modifiers(struct matcher *m)
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

static bool set_modifiers(struct matcher *m)
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

/* ---- operands ---- */

static bool operand_error(struct matcher *m, const struct asm_operand *operand, const char *expected)
{
    return amd_asm_error(m->parser, operand->at, "expected %s", expected);
}

static const char *const tuple_names[] = {
    [ISA_OPERAND_VGPR] = "VGPR",
    [ISA_OPERAND_SGPR] = "SGPR",
};

static bool wrong_register(struct matcher *m, const struct asm_operand *operand, unsigned kind, unsigned count)
{
    return amd_asm_error(m->parser, operand->at, "expected %u %s%s", count, tuple_names[kind], count == 1 ? "" : "s");
}

static bool set_vgprs(struct matcher *m, const struct asm_operand *operand, unsigned count, struct isa_operand *out)
{
    if (operand->kind != ASM_REGISTER || operand->reg.kind != ISA_OPERAND_VGPR || operand->reg.count != count ||
        operand->modifiers)
        return wrong_register(m, operand, ISA_OPERAND_VGPR, count);
    *out = operand->reg;
    return true;
}

static unsigned dwords(const struct matcher *m, unsigned count)
{
    return count == ISA_COUNT_WAVE ? m->parser->wave_size / 32 : count;
}

/* A scalar register of a slot's size; `count` may be that of a lane mask. */
static bool set_scalars(struct matcher *m, const struct asm_operand *operand, unsigned count, struct isa_operand *out)
{
    if (operand->kind != ASM_REGISTER || operand->reg.kind == ISA_OPERAND_VGPR ||
        (operand->reg.count != dwords(m, count) && !(operand->several_widths && dwords(m, count) <= 2)))
        return wrong_register(m, operand, ISA_OPERAND_SGPR, dwords(m, count));
    *out = operand->reg;
    out->count = (uint8_t)count;
    return true;
}

static bool is_constant(const struct asm_operand *operand)
{
    return operand->kind == ASM_NUMBER || operand->kind == ASM_REAL;
}

static bool set_literal(struct matcher *m, const struct asm_operand *operand, uint32_t literal)
{
    if (m->has_literal && m->inst.literal != literal)
        return amd_asm_error(m->parser, operand->at, "an instruction has only one literal");
    m->has_literal = true;
    m->inst.literal = literal;
    return true;
}

static bool set_constant(struct matcher *m, const struct asm_operand *operand, unsigned type, unsigned count,
                         bool literal_ok, struct isa_operand *out)
{
    uint32_t literal;
    bool fold = m->inst.variant == ISA_VARIANT_BASE && m->info->format != ISA_FORMAT_VOP3 &&
                m->info->format != ISA_FORMAT_VOP3P;
    out->count = (uint8_t)count;
    switch (amd_asm_constant(type, operand, fold, out, &literal)) {
    case ASM_CONSTANT_INLINE:
        return true;
    case ASM_CONSTANT_LITERAL:
        if (literal_ok)
            return set_literal(m, operand, literal);
        return amd_asm_error(m->parser, operand->at,
                             "the number is not one of the inline constants, and no literal can stand here");
    case ASM_CONSTANT_NONE:
        break;
    }
    return amd_asm_error(m->parser, operand->at, "the number does not fit");
}

static bool is_vector(const struct isa_op_info *info)
{
    return info->format >= ISA_FORMAT_VOP1 && info->format <= ISA_FORMAT_VINTRP;
}

static int source_number(unsigned name)
{
    return name == ISA_NAME_S0 ? 0 : name == ISA_NAME_S1 ? 1 : name == ISA_NAME_S2 ? 2 : -1;
}

/* Constants of the short encodings are changed themselves, where the long one would have a bit for it. */
static bool takes_folded_modifiers(const struct matcher *m)
{
    unsigned long_form = m->parser->gen->encode[m->inst.op][ISA_VARIANT_E64];
    const struct isa_entry *entry = &amd_isa_entries[long_form];
    return long_form && (field_mask(entry->layout, "neg") & ~entry->mask);
}

/* abs, neg and sext of a source. The short encodings have no such bits: there only constants have them, by being
 * changed. */
static bool set_source_modifiers(struct matcher *m, const struct asm_operand *operand,
                                 const struct isa_operand_info *info)
{
    int number = source_number(info->name);
    unsigned modifiers = operand->modifiers, variant = m->inst.variant;
    struct isa_alu *alu = &m->inst.alu;
    if (!modifiers)
        return true;
    if (number < 0 || info->type == ISA_TYPE_MASK || !is_vector(m->info))
        return amd_asm_error(m->parser, operand->at, "the operand takes no modifiers");
    if ((modifiers & ASM_SEXT) && variant != ISA_VARIANT_SDWA)
        return amd_asm_error(m->parser, operand->at, "only SDWA extends the sign of a source");
    bool has_bits =
        variant != ISA_VARIANT_BASE || m->info->format == ISA_FORMAT_VOP3 || m->info->format == ISA_FORMAT_VOP3P;
    if (!has_bits) {
        if (is_constant(operand) && takes_folded_modifiers(m))
            return true;
        return amd_asm_error(m->parser, operand->at, "the operand takes no modifiers in this encoding");
    }
    bool packed = m->info->format == ISA_FORMAT_VOP3P, mix = m->info->properties & ISA_PROP_MIX;
    if (packed && !mix)
        return amd_asm_error(m->parser, operand->at, "packed operands are modified by neg_lo and neg_hi");
    unsigned layout = m->entry->layout;
    if (!field_mask(layout, "neg") || ((modifiers & ASM_ABS) && !mix && !field_mask(layout, "abs")))
        return amd_asm_error(m->parser, operand->at, "the encoding has no such modifiers of sources");
    uint8_t bit = (uint8_t)(1u << number);
    if (modifiers & ASM_NEG)
        alu->neg |= bit;
    if (modifiers & ASM_ABS)
        *(mix ? &alu->neg_hi : &alu->abs) |= bit;
    if (modifiers & ASM_SEXT)
        alu->sext |= bit;
    return true;
}

/* The type that a constant is read as, where it is not the operand's. */
static unsigned constant_type(unsigned op, const struct isa_op_info *info, unsigned type, unsigned count)
{
    /* The scalar ALU reads 32 bits at least, and so do packed integers outside VOP3P. */
    bool packed_integer = type == ISA_TYPE_I16X2 || type == ISA_TYPE_U16X2;
    if (type == ISA_TYPE_I16 && op == ISA_OP_V_LDEXP_F16)
        return ISA_TYPE_B32;
    if (count == 1 && (!is_vector(info) || (packed_integer && info->format != ISA_FORMAT_VOP3P)))
        return ISA_TYPE_B32;
    /* A constant of mixed precision is a half: it must be right for every op_sel_hi. */
    return info->properties & ISA_PROP_MIX ? (unsigned)ISA_TYPE_F16 : type;
}

static bool set_source(struct matcher *m, const struct asm_operand *operand, unsigned index, bool vgpr_ok,
                       bool scalar_ok, bool literal_ok)
{
    const struct isa_operand_info *info = &m->info->operands[index];
    struct isa_operand *out = &m->inst.operands[index];
    unsigned count = m->slots[index].count;
    if (!set_source_modifiers(m, operand, info))
        return false;
    if (is_constant(operand) && scalar_ok) {
        if (info->type == ISA_TYPE_MASK)
            return wrong_register(m, operand, ISA_OPERAND_SGPR, dwords(m, count));
        unsigned type = constant_type(m->inst.op, m->info, info->type, count);
        return set_constant(m, operand, type, count, literal_ok, out);
    }
    if (operand->kind == ASM_REGISTER && operand->reg.kind == ISA_OPERAND_VGPR && vgpr_ok) {
        if (operand->reg.count != count)
            return wrong_register(m, operand, ISA_OPERAND_VGPR, dwords(m, count));
        *out = operand->reg;
        return true;
    }
    if (!scalar_ok)
        return wrong_register(m, operand, ISA_OPERAND_VGPR, count);
    return set_scalars(m, operand, count, out);
}

static bool set_immediate(struct matcher *m, const struct asm_operand *operand, unsigned index)
{
    unsigned type = m->info->operands[index].type;
    struct isa_operand *out = &m->inst.operands[index];
    *out = (struct isa_operand){ISA_OPERAND_IMM, 1, (uint16_t)operand->number};
    if (type == ISA_TYPE_PARAM)
        return operand->kind == ASM_PARAM || operand_error(m, operand, "p10, p20 or p0");
    if (operand->kind == ASM_PACKED)
        return operand->type == type || operand_error(m, operand, "another kind of number");
    if (operand->kind == ASM_LABEL && type == ISA_TYPE_LABEL) {
        m->label = operand;
        out->value = 0;
        return true;
    }
    if (operand->kind != ASM_NUMBER || operand->modifiers)
        return operand_error(m, operand, type == ISA_TYPE_LABEL ? "a label or a number of dwords" : "a number");
    bool compare = m->info->format == ISA_FORMAT_SOPK && index == 1 && !(m->info->properties & ISA_PROP_WAIT);
    bool is_signed = type != ISA_TYPE_HWREG && type != ISA_TYPE_SENDMSG && type != ISA_TYPE_IMM &&
                     !(type == ISA_TYPE_U16 && compare) && !(m->info->properties & ISA_PROP_DEFAULT_ZERO);
    int64_t min = is_signed ? INT16_MIN : 0, max = type == ISA_TYPE_IMM ? 127 : UINT16_MAX;
    if (operand->number < min || operand->number > max)
        return amd_asm_error(m->parser, operand->at, "the number must be from %lld to %lld", (long long)min,
                             (long long)max);
    return true;
}

/* The offset of a scalar load: a number or a register. */
static bool set_smem_offset(struct matcher *m, const struct asm_operand *operand, unsigned index)
{
    struct isa_operand *out = &m->inst.operands[index];
    if (operand->kind != ASM_NUMBER || operand->modifiers)
        return set_scalars(m, operand, 1, out);
    const struct asm_modifiers *mods = &m->statement->mods;
    if (mods->seen & ASM_MOD_BIT(ASM_MOD_OFFSET))
        return amd_asm_error(m->parser, mods->at[ASM_MOD_OFFSET], "the offset is given already");
    bool buffer = m->info->operands[index - 1].count == 4;
    int64_t min = buffer ? 0 : -(1 << 20), max = (1 << 20) - 1;
    if (operand->number < min || operand->number > max)
        return amd_asm_error(m->parser, operand->at, "the offset must be from %lld to %lld", (long long)min,
                             (long long)max);
    m->inst.mem.offset = (int32_t)operand->number;
    *out = (struct isa_operand){0};
    return true;
}

static bool set_image_address(struct matcher *m, const struct asm_operand *operand, unsigned index)
{
    struct isa_mem *mem = &m->inst.mem;
    unsigned given = operand->reg.count;
    if ((operand->kind != ASM_REGISTER && operand->kind != ASM_LIST) || operand->reg.kind != ISA_OPERAND_VGPR)
        return operand_error(m, operand, "VGPRs of an address");
    m->inst.operands[index] = operand->reg;
    if (operand->list_count > 1) {
        given = operand->list_count;
        mem->nsa = (uint8_t)((given + 2) / 4);
        m->inst.operands[index].count = 1;
        for (unsigned i = 1; i < given; i++)
            mem->nsa_addr[i - 1] = operand->list[i];
    }
    unsigned needed = amd_isa_image_address_count(&m->inst);
    mem->addr_count = (uint8_t)needed;
    /* Tuples of five to seven are younger than that of eight, which may still be written. */
    bool rounded = mem->nsa == 0 && given == 8 && needed > 4 && needed < 8;
    if (rounded)
        m->inst.operands[index].count = (uint8_t)needed;
    if (given != needed && !rounded)
        return amd_asm_error(m->parser, operand->at, "the address has %u VGPRs, not %u", needed, given);
    return true;
}

static bool set_export_source(struct matcher *m, const struct asm_operand *operand, unsigned index)
{
    struct isa_export *exp = &m->inst.exp;
    struct isa_operand reg = {0};
    if (operand->kind != ASM_OFF) {
        if (!set_vgprs(m, operand, 1, &reg))
            return false;
        exp->en |= (uint8_t)(1u << index);
    }
    /* Compressed, each of the first two sources is two channels, which LLVM writes one by one. */
    if (!exp->compr) {
        m->inst.operands[index] = reg;
    } else if (reg.kind) {
        struct isa_operand *half = &m->inst.operands[index / 2];
        if (index % 2 && half->kind && half->value != reg.value)
            return amd_asm_error(m->parser, operand->at, "both channels of a compressed export are in one VGPR");
        *half = reg;
    }
    return true;
}

static bool set_absent_or(struct matcher *m, const struct asm_operand *operand, unsigned index, bool vgpr,
                          unsigned count)
{
    if (operand->kind == ASM_OFF) {
        m->inst.operands[index] = (struct isa_operand){0};
        return true;
    }
    return vgpr ? set_vgprs(m, operand, count, &m->inst.operands[index])
                : set_scalars(m, operand, count, &m->inst.operands[index]);
}

static const struct asm_operand *find_saddr(const struct matcher *m, unsigned vaddr)
{
    const struct asm_statement *statement = m->statement;
    for (unsigned i = vaddr + 1; i < m->info->operand_count; i++) {
        if (m->info->operands[i].name == ISA_NAME_SADDR && m->next + (i - vaddr) < statement->count)
            return &statement->operands[m->next + (i - vaddr)];
    }
    return NULL;
}

/* With a scalar address, a global vaddr is an offset of 32 bits; a scratch access has one of the two at most. */
static bool set_flat_address(struct matcher *m, const struct asm_operand *operand, unsigned index)
{
    const struct asm_operand *saddr = find_saddr(m, index);
    bool has_saddr = saddr && saddr->kind == ASM_REGISTER;
    if (m->info->properties & ISA_PROP_SCRATCH) {
        if (operand->kind != ASM_OFF && has_saddr)
            return amd_asm_error(m->parser, saddr->at, "a scratch access has a vector or a scalar address, not both");
        return set_absent_or(m, operand, index, true, 1);
    }
    return set_vgprs(m, operand, has_saddr ? 1 : m->slots[index].count, &m->inst.operands[index]);
}

static bool set_saddr(struct matcher *m, const struct asm_operand *operand, unsigned index)
{
    bool null = operand->kind == ASM_REGISTER && operand->reg.kind == ISA_OPERAND_SPECIAL &&
                operand->reg.value == ISA_SPECIAL_NULL;
    if (null)
        return amd_asm_error(m->parser, operand->at, "null is how an absent address is encoded: write off");
    return set_absent_or(m, operand, index, false, m->slots[index].count);
}

static bool set_buffer_address(struct matcher *m, const struct asm_operand *operand, unsigned index)
{
    unsigned count = m->inst.mem.offen + m->inst.mem.idxen;
    if (count)
        return set_vgprs(m, operand, count, &m->inst.operands[index]);
    return operand->kind == ASM_OFF || operand_error(m, operand, "off: neither idxen nor offen is given");
}

/* Scalar loads return at any time: not into registers that instructions read without waiting. */
static bool check_smem_data(struct matcher *m, const struct asm_operand *operand, const struct isa_operand *out)
{
    bool allowed =
        m->info->format != ISA_FORMAT_SMEM || out->kind != ISA_OPERAND_SPECIAL ||
        (out->value != ISA_SPECIAL_M0 && out->value != ISA_SPECIAL_EXEC_LO && out->value != ISA_SPECIAL_EXEC_HI);
    return allowed || amd_asm_error(m->parser, operand->at, "a scalar load cannot write m0 or exec");
}

static bool is_interpolation(const struct isa_op_info *info)
{
    return info->format == ISA_FORMAT_VINTRP || (info->properties & ISA_PROP_INTERP);
}

/* SDWA has one kind of source; what must be a VGPR is known from the short encoding. */
static bool is_vgpr_only(const struct matcher *m, unsigned index)
{
    unsigned base = m->parser->gen->encode[m->inst.op][ISA_VARIANT_BASE];
    return amd_isa_slots[amd_isa_entries[base].slots + index].class == ISA_SLOT_SRC_VGPR;
}

static bool is_lds_direct(const struct asm_operand *operand)
{
    return operand->kind == ASM_REGISTER && operand->reg.kind == ISA_OPERAND_SPECIAL &&
           operand->reg.value == ISA_SPECIAL_SRC_LDS_DIRECT;
}

static bool set_operand(struct matcher *m, unsigned index)
{
    const struct isa_slot *slot = &m->slots[index];
    struct isa_operand *out = &m->inst.operands[index];
    if (slot->class == ISA_SLOT_VDST_ATOMIC && !m->inst.mem.glc) {
        *out = (struct isa_operand){0};
        return true;
    }
    if (slot->class == ISA_SLOT_VCC && m->implicit_masks) {
        *out = (struct isa_operand){ISA_OPERAND_SPECIAL, ISA_COUNT_WAVE, ISA_SPECIAL_VCC_LO};
        return true;
    }
    if (m->next >= m->statement->count) {
        if (m->info->properties & ISA_PROP_DEFAULT_ZERO) {
            *out = (struct isa_operand){ISA_OPERAND_IMM, 1, 0};
            return true;
        }
        if (slot->class == ISA_SLOT_SOFFSET)
            return true;
        return amd_asm_error(m->parser, m->parser->p, "the instruction has %u operands",
                             (unsigned)m->info->operand_count);
    }
    const struct asm_operand *operand = &m->statement->operands[m->next];
    bool ok = false;
    if (operand->modifiers && (!is_vector(m->info) || source_number(m->info->operands[index].name) < 0))
        return amd_asm_error(m->parser, operand->at, "the operand takes no modifiers");
    switch ((enum isa_slot_class)slot->class) {
    case ISA_SLOT_VGPR:
        ok = set_source(m, operand, index, true, false, false);
        break;
    case ISA_SLOT_SRC:
        /* The scalar bus is 64 bits wide. */
        ok = set_source(m, operand, index, true, slot->count <= 2, !is_interpolation(m->info));
        break;
    case ISA_SLOT_SRC_VGPR:
        ok = set_source(m, operand, index, true, false, false);
        break;
    case ISA_SLOT_SRC_VGPR_LDS:
        ok = set_source(m, operand, index, true, is_lds_direct(operand), false);
        break;
    case ISA_SLOT_SRC_SCALAR:
        ok = set_source(m, operand, index, false, true, false);
        break;
    case ISA_SLOT_SRC_SCALAR_LITERAL:
        ok = set_source(m, operand, index, false, true, true);
        break;
    case ISA_SLOT_SSRC:
        ok = set_source(m, operand, index, false, true, m->info->format <= ISA_FORMAT_SOPP);
        break;
    case ISA_SLOT_SDWA_SRC:
        ok = set_source(m, operand, index, true, !is_vgpr_only(m, index), false);
        break;
    case ISA_SLOT_SSRC_REGISTER:
    case ISA_SLOT_SDST:
        ok = set_scalars(m, operand, slot->count, out) && check_smem_data(m, operand, out);
        break;
    case ISA_SLOT_SBASE:
    case ISA_SLOT_SRSRC:
    case ISA_SLOT_SDWA_SDST:
        ok = set_scalars(m, operand, slot->count, out);
        break;
    case ISA_SLOT_VCC:
        ok = set_scalars(m, operand, slot->count, out) &&
             ((out->kind == ISA_OPERAND_SPECIAL && out->value == ISA_SPECIAL_VCC_LO) ||
              operand_error(m, operand, "vcc"));
        break;
    case ISA_SLOT_IMM:
    case ISA_SLOT_PARAM:
        ok = set_immediate(m, operand, index);
        break;
    case ISA_SLOT_LITERAL: {
        uint32_t literal;
        *out = (struct isa_operand){ISA_OPERAND_LITERAL, 1, 0};
        ok = operand->modifiers == 0 && amd_asm_literal(m->info->operands[index].type, operand, &literal)
                 ? set_literal(m, operand, literal)
                 : operand_error(m, operand, "a number that fits");
        break;
    }
    case ISA_SLOT_ATTR:
        *out = (struct isa_operand){ISA_OPERAND_ATTR, 1, (uint16_t)operand->number};
        ok = operand->kind == ASM_ATTR || operand_error(m, operand, "an attribute");
        break;
    case ISA_SLOT_SOFFSET:
        ok = set_smem_offset(m, operand, index);
        break;
    case ISA_SLOT_SADDR:
        ok = set_saddr(m, operand, index);
        break;
    case ISA_SLOT_VADDR_BUFFER:
        ok = set_buffer_address(m, operand, index);
        break;
    case ISA_SLOT_VDATA_IMAGE:
        ok = set_vgprs(m, operand, amd_isa_image_data_count(&m->inst), out);
        break;
    case ISA_SLOT_VADDR_IMAGE:
        ok = set_image_address(m, operand, index);
        break;
    case ISA_SLOT_VADDR_FLAT:
        ok = set_flat_address(m, operand, index);
        break;
    case ISA_SLOT_VDST_ATOMIC:
        ok = set_vgprs(m, operand, slot->count, out);
        break;
    case ISA_SLOT_EXPORT:
        ok = set_export_source(m, operand, index);
        break;
    default:
        ok = operand_error(m, operand, "something else");
    }
    m->next++;
    return ok;
}

static bool set_operands(struct matcher *m)
{
    const struct asm_statement *statement = m->statement;
    unsigned masks = 0;
    if (m->info->format == ISA_FORMAT_EXP) {
        if (statement->count == 0 || statement->operands[0].kind != ASM_TARGET)
            return amd_asm_error(m->parser, statement->count ? statement->operands[0].at : m->parser->p,
                                 "expected the target of an export");
        m->inst.exp.target = (uint8_t)statement->operands[0].number;
        m->next = 1;
    }
    for (unsigned i = 0; i < m->info->operand_count; i++)
        masks += m->slots[i].class == ISA_SLOT_VCC;
    m->implicit_masks = masks && statement->count + masks == m->info->operand_count;
    for (unsigned i = 0; i < m->info->operand_count; i++) {
        if (!set_operand(m, i))
            return false;
    }
    if (m->next < statement->count)
        return amd_asm_error(m->parser, statement->operands[m->next].at, "one operand too many");
    return true;
}

/* ---- rules between operands ---- */

static bool reads_scalar_bus(const struct isa_operand *operand)
{
    if (operand->kind == ISA_OPERAND_SPECIAL)
        return operand->value != ISA_SPECIAL_NULL;
    return operand->kind == ISA_OPERAND_SGPR || operand->kind == ISA_OPERAND_TTMP;
}

/* The vector ALU reads one or two scalars for all lanes of an instruction; a literal is one of them. */
static bool check_scalar_reads(struct matcher *m)
{
    const struct isa_inst *inst = &m->inst;
    bool long_shift =
        inst->op == ISA_OP_V_LSHLREV_B64 || inst->op == ISA_OP_V_LSHRREV_B64 || inst->op == ISA_OP_V_ASHRREV_I64;
    /* v_div_fmas reads vcc besides its sources, and does not share it with them. */
    bool implicit_vcc = m->info->format == ISA_FORMAT_VOP3 && (m->info->reads & ISA_STATE_VCC);
    unsigned used = m->has_literal + implicit_vcc, limit = m->parser->gfx == ISA_GFX9 || long_shift ? 1 : 2;
    unsigned literal_dw = 0;
    bool two_literals = false;
    for (unsigned i = m->info->dst_count; i < m->info->operand_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        /* A literal that is extended to 64 bits for one source and not for another is two values. */
        two_literals |= operand->kind == ISA_OPERAND_LITERAL && literal_dw && literal_dw != operand->count;
        literal_dw = operand->kind == ISA_OPERAND_LITERAL ? operand->count : literal_dw;
        if (!reads_scalar_bus(operand))
            continue;
        bool again = false;
        for (unsigned k = m->info->dst_count; k < i && !long_shift; k++)
            again |= inst->operands[k].kind == operand->kind && inst->operands[k].value == operand->value &&
                     dwords(m, inst->operands[k].count) == dwords(m, operand->count);
        used += !again;
    }
    if (used + two_literals > limit)
        return amd_asm_error(m->parser, m->statement->at, "the instruction reads more than %u scalar values", limit);
    return true;
}

/* Instructions whose sources are exchanged read LDS too late, and SDWA not at all. */
static bool takes_lds_direct(const struct matcher *m, unsigned index)
{
    static const char *const reversed[] = {"subrev_", "lshlrev_", "lshrrev_", "ashrrev_"};
    const char *name = m->parser->gen->names[m->inst.op];
    if (is_interpolation(m->info))
        return true;
    if (!is_vector(m->info) || m->info->operands[index].name != ISA_NAME_S0 || m->inst.variant == ISA_VARIANT_SDWA)
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(reversed); i++) {
        if (strstr(name, reversed[i]))
            return false;
    }
    return true;
}

static bool check_lds_direct(struct matcher *m)
{
    for (unsigned i = 0; i < m->info->operand_count; i++) {
        const struct isa_operand *operand = &m->inst.operands[i];
        if (operand->kind == ISA_OPERAND_SPECIAL && operand->value == ISA_SPECIAL_SRC_LDS_DIRECT &&
            !takes_lds_direct(m, i))
            return amd_asm_error(m->parser, m->statement->at,
                                 "src_lds_direct can only be the first source of some vector instructions");
    }
    return true;
}

/* Some instructions write parts of their result before they have read all sources. */
static bool check_early_write(struct matcher *m)
{
    const struct isa_inst *inst = &m->inst;
    if (inst->op != ISA_OP_V_QSAD_PK_U16_U8 && inst->op != ISA_OP_V_MQSAD_PK_U16_U8 &&
        inst->op != ISA_OP_V_MQSAD_U32_U8)
        return true;
    const struct isa_operand *d = &inst->operands[0];
    for (unsigned i = 1; i < m->info->operand_count; i++) {
        const struct isa_operand *s = &inst->operands[i];
        if (s->kind == ISA_OPERAND_VGPR && s->value < d->value + d->count && d->value < s->value + s->count)
            return amd_asm_error(m->parser, m->statement->operands[i].at, "the result must not overlap a source");
    }
    return true;
}

static bool check_image(struct matcher *m)
{
    const struct isa_mem *mem = &m->inst.mem;
    const char *at =
        m->statement->mods.seen & ASM_MOD_BIT(ASM_MOD_DMASK) ? m->statement->mods.at[ASM_MOD_DMASK] : m->statement->at;
    unsigned channels = (unsigned)__builtin_popcount(mem->dmask);
    if ((m->info->properties & ISA_PROP_GATHER4) && channels != 1)
        return amd_asm_error(m->parser, at, "a gather takes one channel");
    if ((m->info->properties & ISA_PROP_MSAA) && !strstr(amd_isa_dim_names[mem->dim], "MSAA"))
        return amd_asm_error(m->parser, m->statement->mods.at[ASM_MOD_DIM], "the instruction needs an MSAA dim");
    if (m->info->memory == ISA_MEMORY_ATOMIC && mem->dmask != 1 && mem->dmask != 3 && mem->dmask != 15)
        return amd_asm_error(m->parser, at, "an atomic takes dmask 0x1, 0x3 or 0xf");
    /* One value of 32 or 64 bits, or two to compare and swap. */
    unsigned values = m->info->properties & ISA_PROP_CMPSWAP ? 2 : 1, data = amd_isa_image_data_count(&m->inst);
    if (m->info->memory == ISA_MEMORY_ATOMIC && data != values && data != 2 * values)
        return amd_asm_error(m->parser, at, "the atomic has no data of %u VGPRs", data);
    return true;
}

static bool check_rules(struct matcher *m)
{
    switch ((enum isa_format)m->info->format) {
    case ISA_FORMAT_VOP1:
    case ISA_FORMAT_VOP2:
    case ISA_FORMAT_VOPC:
    case ISA_FORMAT_VOP3:
    case ISA_FORMAT_VOP3P:
        return check_scalar_reads(m) && check_lds_direct(m) && check_early_write(m);
    case ISA_FORMAT_MIMG:
        return check_image(m);
    default:
        return check_lds_direct(m);
    }
}

/* ---- encodings ---- */

static bool encode_as(struct asm_parser *parser, const struct asm_statement *statement, unsigned variant,
                      uint32_t words_out[ISA_MAX_DW], unsigned *count_out, const struct asm_operand **label_out)
{
    struct matcher m = {.parser = parser, .statement = statement, .info = isa_info(statement->op)};
    unsigned entry = parser->gen->encode[statement->op][variant];
    if (entry == 0)
        return amd_asm_error(parser, statement->at, "the instruction has no such encoding");
    m.entry = &amd_isa_entries[entry];
    m.slots = &amd_isa_slots[m.entry->slots];
    m.inst.op = (uint16_t)statement->op;
    m.inst.variant = (uint8_t)variant;
    if (!set_modifiers(&m) || !set_operands(&m) || !check_rules(&m))
        return false;
    const char *what = NULL;
    int count = amd_isa_encode(parser->gfx, &m.inst, words_out, &what);
    if (count < 0)
        return amd_asm_error(parser, statement->at, "the instruction cannot be encoded: %s",
                             what ? what : "an operand does not fit");
    *count_out = (unsigned)count;
    *label_out = m.label;
    return true;
}

static bool wants_sdwa(const struct asm_statement *statement)
{
    if (statement->mods.seen & (ASM_MOD_BIT(ASM_MOD_DST_SEL) | ASM_MOD_BIT(ASM_MOD_DST_UNUSED) |
                                ASM_MOD_BIT(ASM_MOD_SRC0_SEL) | ASM_MOD_BIT(ASM_MOD_SRC1_SEL)))
        return true;
    for (unsigned i = 0; i < statement->count; i++) {
        if (statement->operands[i].modifiers & ASM_SEXT)
            return true;
    }
    return false;
}

bool amd_asm_encode_statement(struct asm_parser *parser, const struct asm_statement *statement,
                              uint32_t words_out[ISA_MAX_DW], unsigned *count_out, const struct asm_operand **label_out)
{
    unsigned variant = statement->variant, variants = isa_info(statement->op)->variants[parser->gfx];
    if (statement->has_variant) {
        if (variant == ISA_VARIANT_DPP16 && (statement->mods.seen & ASM_MOD_BIT(ASM_MOD_DPP8)))
            variant = ISA_VARIANT_DPP8;
        return encode_as(parser, statement, variant, words_out, count_out, label_out);
    }
    if (statement->mods.seen & ASM_MOD_BIT(ASM_MOD_DPP8))
        return encode_as(parser, statement, ISA_VARIANT_DPP8, words_out, count_out, label_out);
    if (statement->mods.seen & ASM_MOD_BIT(ASM_MOD_DPP_CTRL))
        return encode_as(parser, statement, ISA_VARIANT_DPP16, words_out, count_out, label_out);
    if (wants_sdwa(statement))
        return encode_as(parser, statement, ISA_VARIANT_SDWA, words_out, count_out, label_out);
    /* The shortest encoding that takes it; where none does, the error of the longest is the most useful. */
    static const uint8_t preference[] = {ISA_VARIANT_BASE, ISA_VARIANT_E64, ISA_VARIANT_SDWA};
    unsigned last = variants & 1u << ISA_VARIANT_E64 ? ISA_VARIANT_E64 : ISA_VARIANT_BASE;
    if (variants != 1u << ISA_VARIANT_BASE) {
        for (unsigned i = 0; i < ARRAY_SIZE(preference); i++) {
            parser->quiet = true;
            bool ok = variants & 1u << preference[i] &&
                      encode_as(parser, statement, preference[i], words_out, count_out, label_out);
            parser->quiet = false;
            if (ok)
                return true;
        }
    }
    return encode_as(parser, statement, last, words_out, count_out, label_out);
}
