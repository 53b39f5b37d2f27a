/* Operands of a statement, each fitted to its slot. */
#include <string.h>

#include "amd/isa/asm_match.h"
#include "util/bits.h"

static bool operand_error(struct asm_matcher *m, const struct asm_operand *operand, const char *expected)
{
    return amd_asm_error(m->parser, operand->at, "expected %s", expected);
}

static const char *const tuple_names[] = {
    [ISA_OPERAND_VGPR] = "VGPR",
    [ISA_OPERAND_SGPR] = "SGPR",
};

static bool wrong_register(struct asm_matcher *m, const struct asm_operand *operand, unsigned kind, unsigned count)
{
    return amd_asm_error(m->parser, operand->at, "expected %u %s%s", count, tuple_names[kind], count == 1 ? "" : "s");
}

static bool set_vgprs(struct asm_matcher *m, const struct asm_operand *operand, unsigned count, struct isa_operand *out)
{
    if (operand->kind != ASM_REGISTER || operand->reg.kind != ISA_OPERAND_VGPR || operand->reg.count != count ||
        operand->modifiers)
        return wrong_register(m, operand, ISA_OPERAND_VGPR, count);
    *out = operand->reg;
    return true;
}

/* A scalar register of a slot's size; `count` may be that of a lane mask. */
static bool set_scalars(struct asm_matcher *m, const struct asm_operand *operand, unsigned count,
                        struct isa_operand *out)
{
    if (operand->kind != ASM_REGISTER || operand->reg.kind == ISA_OPERAND_VGPR ||
        (operand->reg.count != matcher_dwords(m, count) && !(operand->several_widths && matcher_dwords(m, count) <= 2)))
        return wrong_register(m, operand, ISA_OPERAND_SGPR, matcher_dwords(m, count));
    *out = operand->reg;
    out->count = (uint8_t)count;
    return true;
}

static bool is_constant(const struct asm_operand *operand)
{
    return operand->kind == ASM_NUMBER || operand->kind == ASM_REAL;
}

static bool set_literal(struct asm_matcher *m, const struct asm_operand *operand, uint32_t literal)
{
    if (m->has_literal && m->inst.literal != literal)
        return amd_asm_error(m->parser, operand->at, "an instruction has only one literal");
    m->has_literal = true;
    m->inst.literal = literal;
    return true;
}

static bool set_constant(struct asm_matcher *m, const struct asm_operand *operand, unsigned type, unsigned count,
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

static int source_number(unsigned name)
{
    return name == ISA_NAME_S0 ? 0 : name == ISA_NAME_S1 ? 1 : name == ISA_NAME_S2 ? 2 : -1;
}

/* Constants of the short encodings are changed themselves, where the long one would have a bit for it. */
static bool takes_folded_modifiers(const struct asm_matcher *m)
{
    unsigned long_form = m->parser->gen->encode[m->inst.op][ISA_VARIANT_E64];
    const struct isa_entry *entry = &amd_isa_entries[long_form];
    return long_form && (amd_asm_field_mask(entry->layout, "neg") & ~entry->mask);
}

/* abs, neg and sext of a source. The short encodings have no such bits: there only constants have them, by being
 * changed. */
static bool set_source_modifiers(struct asm_matcher *m, const struct asm_operand *operand,
                                 const struct isa_operand_info *info)
{
    int number = source_number(info->name);
    unsigned modifiers = operand->modifiers, variant = m->inst.variant;
    struct isa_alu *alu = &m->inst.alu;
    if (!modifiers)
        return true;
    if (number < 0 || info->type == ISA_TYPE_MASK || !matcher_is_vector(m->info))
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
    if (!amd_asm_field_mask(layout, "neg") || ((modifiers & ASM_ABS) && !mix && !amd_asm_field_mask(layout, "abs")))
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
    if (count == 1 && (!matcher_is_vector(info) || (packed_integer && info->format != ISA_FORMAT_VOP3P)))
        return ISA_TYPE_B32;
    /* A constant of mixed precision is a half: it must be right for every op_sel_hi. */
    return info->properties & ISA_PROP_MIX ? (unsigned)ISA_TYPE_F16 : type;
}

static bool set_source(struct asm_matcher *m, const struct asm_operand *operand, unsigned index, bool vgpr_ok,
                       bool scalar_ok, bool literal_ok)
{
    const struct isa_operand_info *info = &m->info->operands[index];
    struct isa_operand *out = &m->inst.operands[index];
    unsigned count = m->slots[index].count;
    if (!set_source_modifiers(m, operand, info))
        return false;
    if (is_constant(operand) && scalar_ok) {
        if (info->type == ISA_TYPE_MASK)
            return wrong_register(m, operand, ISA_OPERAND_SGPR, matcher_dwords(m, count));
        unsigned type = constant_type(m->inst.op, m->info, info->type, count);
        return set_constant(m, operand, type, count, literal_ok, out);
    }
    if (operand->kind == ASM_REGISTER && operand->reg.kind == ISA_OPERAND_VGPR && vgpr_ok) {
        if (operand->reg.count != count)
            return wrong_register(m, operand, ISA_OPERAND_VGPR, matcher_dwords(m, count));
        *out = operand->reg;
        return true;
    }
    if (!scalar_ok)
        return wrong_register(m, operand, ISA_OPERAND_VGPR, count);
    return set_scalars(m, operand, count, out);
}

static bool set_immediate(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
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
static bool set_smem_offset(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
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

static bool set_image_address(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
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

static bool set_export_source(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
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

static bool set_absent_or(struct asm_matcher *m, const struct asm_operand *operand, unsigned index, bool vgpr,
                          unsigned count)
{
    if (operand->kind == ASM_OFF) {
        m->inst.operands[index] = (struct isa_operand){0};
        return true;
    }
    return vgpr ? set_vgprs(m, operand, count, &m->inst.operands[index])
                : set_scalars(m, operand, count, &m->inst.operands[index]);
}

static const struct asm_operand *find_saddr(const struct asm_matcher *m, unsigned vaddr)
{
    const struct asm_statement *statement = m->statement;
    for (unsigned i = vaddr + 1; i < m->info->operand_count; i++) {
        if (m->info->operands[i].name == ISA_NAME_SADDR && m->next + (i - vaddr) < statement->count)
            return &statement->operands[m->next + (i - vaddr)];
    }
    return NULL;
}

/* With a scalar address, a global vaddr is an offset of 32 bits; a scratch access has one of the two at most. */
static bool set_flat_address(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
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

static bool set_saddr(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
{
    bool null = operand->kind == ASM_REGISTER && operand->reg.kind == ISA_OPERAND_SPECIAL &&
                operand->reg.value == ISA_SPECIAL_NULL;
    if (null)
        return amd_asm_error(m->parser, operand->at, "null is how an absent address is encoded: write off");
    return set_absent_or(m, operand, index, false, m->slots[index].count);
}

static bool set_buffer_address(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
{
    unsigned count = m->inst.mem.offen + m->inst.mem.idxen;
    if (count)
        return set_vgprs(m, operand, count, &m->inst.operands[index]);
    return operand->kind == ASM_OFF || operand_error(m, operand, "off: neither idxen nor offen is given");
}

/* Scalar loads return at any time: not into registers that instructions read without waiting. */
static bool check_smem_data(struct asm_matcher *m, const struct asm_operand *operand, const struct isa_operand *out)
{
    bool allowed =
        m->info->format != ISA_FORMAT_SMEM || out->kind != ISA_OPERAND_SPECIAL ||
        (out->value != ISA_SPECIAL_M0 && out->value != ISA_SPECIAL_EXEC_LO && out->value != ISA_SPECIAL_EXEC_HI);
    return allowed || amd_asm_error(m->parser, operand->at, "a scalar load cannot write m0 or exec");
}

/* SDWA has one kind of source; what must be a VGPR is known from the short encoding. */
static bool is_vgpr_only(const struct asm_matcher *m, unsigned index)
{
    unsigned base = m->parser->gen->encode[m->inst.op][ISA_VARIANT_BASE];
    return amd_isa_slots[amd_isa_entries[base].slots + index].class == ISA_SLOT_SRC_VGPR;
}

static bool is_lds_direct(const struct asm_operand *operand)
{
    return operand->kind == ASM_REGISTER && operand->reg.kind == ISA_OPERAND_SPECIAL &&
           operand->reg.value == ISA_SPECIAL_SRC_LDS_DIRECT;
}

/* Sources: the registers and numbers that they may be. */
static bool set_any_source(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
{
    const struct isa_slot *slot = &m->slots[index];
    switch ((enum isa_slot_class)slot->class) {
    case ISA_SLOT_SRC: /* the scalar bus is 64 bits wide */
        return set_source(m, operand, index, true, slot->count <= 2, !matcher_is_interpolation(m->info));
    case ISA_SLOT_SRC_VGPR_LDS:
        return set_source(m, operand, index, true, is_lds_direct(operand), false);
    case ISA_SLOT_SRC_SCALAR:
        return set_source(m, operand, index, false, true, false);
    case ISA_SLOT_SRC_SCALAR_LITERAL:
        return set_source(m, operand, index, false, true, true);
    case ISA_SLOT_SSRC:
        return set_source(m, operand, index, false, true, m->info->format <= ISA_FORMAT_SOPP);
    case ISA_SLOT_SDWA_SRC:
        return set_source(m, operand, index, true, !is_vgpr_only(m, index), false);
    default:
        return set_source(m, operand, index, true, false, false);
    }
}

/* Addresses and data of memory, and exports. */
static bool set_memory_operand(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
{
    const struct isa_slot *slot = &m->slots[index];
    struct isa_operand *out = &m->inst.operands[index];
    switch ((enum isa_slot_class)slot->class) {
    case ISA_SLOT_SOFFSET:
        return set_smem_offset(m, operand, index);
    case ISA_SLOT_SADDR:
        return set_saddr(m, operand, index);
    case ISA_SLOT_VADDR_BUFFER:
        return set_buffer_address(m, operand, index);
    case ISA_SLOT_VDATA_IMAGE:
        return set_vgprs(m, operand, amd_isa_image_data_count(&m->inst), out);
    case ISA_SLOT_VADDR_IMAGE:
        return set_image_address(m, operand, index);
    case ISA_SLOT_VADDR_FLAT:
        return set_flat_address(m, operand, index);
    case ISA_SLOT_VDST_ATOMIC:
        return set_vgprs(m, operand, slot->count, out);
    case ISA_SLOT_EXPORT:
        return set_export_source(m, operand, index);
    default:
        return operand_error(m, operand, "something else");
    }
}

static bool set_always_literal(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
{
    uint32_t literal;
    m->inst.operands[index] = (struct isa_operand){ISA_OPERAND_LITERAL, 1, 0};
    return operand->modifiers == 0 && amd_asm_literal(m->info->operands[index].type, operand, &literal)
               ? set_literal(m, operand, literal)
               : operand_error(m, operand, "a number that fits");
}

static bool set_written(struct asm_matcher *m, const struct asm_operand *operand, unsigned index)
{
    const struct isa_slot *slot = &m->slots[index];
    struct isa_operand *out = &m->inst.operands[index];
    switch ((enum isa_slot_class)slot->class) {
    case ISA_SLOT_VGPR:
    case ISA_SLOT_SRC:
    case ISA_SLOT_SRC_VGPR:
    case ISA_SLOT_SRC_VGPR_LDS:
    case ISA_SLOT_SRC_SCALAR:
    case ISA_SLOT_SRC_SCALAR_LITERAL:
    case ISA_SLOT_SSRC:
    case ISA_SLOT_SDWA_SRC:
        return set_any_source(m, operand, index);
    case ISA_SLOT_SSRC_REGISTER:
    case ISA_SLOT_SDST:
        return set_scalars(m, operand, slot->count, out) && check_smem_data(m, operand, out);
    case ISA_SLOT_SBASE:
    case ISA_SLOT_SRSRC:
    case ISA_SLOT_SDWA_SDST:
        return set_scalars(m, operand, slot->count, out);
    case ISA_SLOT_VCC:
        return set_scalars(m, operand, slot->count, out) &&
               ((out->kind == ISA_OPERAND_SPECIAL && out->value == ISA_SPECIAL_VCC_LO) ||
                operand_error(m, operand, "vcc"));
    case ISA_SLOT_IMM:
    case ISA_SLOT_PARAM:
        return set_immediate(m, operand, index);
    case ISA_SLOT_LITERAL:
        return set_always_literal(m, operand, index);
    case ISA_SLOT_ATTR:
        *out = (struct isa_operand){ISA_OPERAND_ATTR, 1, (uint16_t)operand->number};
        return operand->kind == ASM_ATTR || operand_error(m, operand, "an attribute");
    default:
        return set_memory_operand(m, operand, index);
    }
}

/* The statement has no more operands. */
static bool leave_out(struct asm_matcher *m, unsigned index)
{
    if (m->info->properties & ISA_PROP_DEFAULT_ZERO)
        m->inst.operands[index] = (struct isa_operand){ISA_OPERAND_IMM, 1, 0};
    else if (m->slots[index].class != ISA_SLOT_SOFFSET)
        return amd_asm_error(m->parser, m->parser->p, "the instruction has %u operands",
                             (unsigned)m->info->operand_count);
    return true;
}

static bool set_operand(struct asm_matcher *m, unsigned index)
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
    if (m->next >= m->statement->count)
        return leave_out(m, index);
    const struct asm_operand *operand = &m->statement->operands[m->next];
    if (operand->modifiers && (!matcher_is_vector(m->info) || source_number(m->info->operands[index].name) < 0))
        return amd_asm_error(m->parser, operand->at, "the operand takes no modifiers");
    const bool ok = set_written(m, operand, index); /* which may look at others, by m->next */
    m->next++;
    return ok;
}

bool amd_asm_set_operands(struct asm_matcher *m)
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
