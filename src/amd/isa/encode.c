/* struct isa_inst to words: the inverse of the decoder, by the same tables. Names what has no encoding. */
#include <string.h>

#include "amd/isa/isa_layouts.h"
#include "amd/isa/isa_tables.h"

struct encoder {
    enum isa_gfx gfx;
    const struct isa_generation *gen;
    const struct isa_inst *inst;
    const struct isa_op_info *info;
};

static const char *const slot_errors[] = {
    [ISA_OPERAND_NONE] = "a missing operand",         [ISA_OPERAND_VGPR] = "a VGPR in that place",
    [ISA_OPERAND_SGPR] = "an SGPR in that place",     [ISA_OPERAND_TTMP] = "a trap register in that place",
    [ISA_OPERAND_SPECIAL] = "that named register",    [ISA_OPERAND_INT] = "an inline constant in that place",
    [ISA_OPERAND_FLOAT] = "an inline constant there", [ISA_OPERAND_LITERAL] = "a literal in that place",
    [ISA_OPERAND_IMM] = "a number in that place",     [ISA_OPERAND_ATTR] = "an attribute in that place",
};

/* The source number of a scalar register or constant; -1 where it has none. */
static int scalar_number(const struct encoder *encoder, const struct isa_operand *operand)
{
    int value = (int16_t)operand->value, alignment = operand->count < 2 ? 1 : operand->count == 2 ? 2 : 4;
    switch ((enum isa_operand_kind)operand->kind) {
    case ISA_OPERAND_SGPR:
        return value + operand->count <= (int)isa_sgpr_end(encoder->gen, operand->count) && value % alignment == 0
                   ? value
                   : -1;
    case ISA_OPERAND_TTMP:
        return value + operand->count <= 16 && value % alignment == 0 ? encoder->gen->ttmp_first + value : -1;
    case ISA_OPERAND_SPECIAL:
        if (value >= ISA_SPECIAL_COUNT || encoder->gen->special_numbers[value] == 255)
            return -1;
        return encoder->gen->special_numbers[value];
    case ISA_OPERAND_INT:
        if (value < -16 || value > 64)
            return -1;
        return value >= 0 ? ISA_SRC_INT_FIRST + value : ISA_SRC_INT_LAST - value;
    case ISA_OPERAND_FLOAT:
        return value <= ISA_FLOAT_INV_2PI ? ISA_SRC_FLOAT_FIRST + value : -1;
    case ISA_OPERAND_LITERAL:
        return ISA_SRC_LITERAL;
    default:
        return -1;
    }
}

static bool is_scalar_register(const struct isa_operand *operand)
{
    return operand->kind == ISA_OPERAND_SGPR || operand->kind == ISA_OPERAND_TTMP ||
           operand->kind == ISA_OPERAND_SPECIAL;
}

static int vgpr_number(const struct isa_operand *operand)
{
    return operand->kind == ISA_OPERAND_VGPR && operand->value + operand->count <= 256 ? operand->value : -1;
}

/* A register that begins a group of `alignment`, counted in groups. */
static int group_number(const struct encoder *encoder, const struct isa_operand *operand, int alignment)
{
    int number = is_scalar_register(operand) ? scalar_number(encoder, operand) : -1;
    return number >= 0 && number % alignment == 0 ? number / alignment : -1;
}

static bool flat_address_is_absent(const struct encoder *encoder)
{
    for (unsigned i = 0; i < encoder->info->operand_count; i++) {
        if (encoder->info->operands[i].name == ISA_NAME_VADDR)
            return encoder->inst->operands[i].kind == ISA_OPERAND_NONE;
    }
    return false;
}

/* How a missing scalar address is encoded: null, which GFX9 lacks, or a scratch access without any address. */
static int null_number(const struct encoder *encoder)
{
    bool nothing = (encoder->info->properties & ISA_PROP_SCRATCH) && flat_address_is_absent(encoder);
    return encoder->gfx == ISA_GFX9 || nothing ? 127 : encoder->gen->special_numbers[ISA_SPECIAL_NULL];
}

/* The nine bits of a vector instruction's source. */
static int source_number(const struct encoder *encoder, const struct isa_operand *operand, enum isa_slot_class class)
{
    bool lds = operand->kind == ISA_OPERAND_SPECIAL && operand->value == ISA_SPECIAL_SRC_LDS_DIRECT;
    bool scalar = class == ISA_SLOT_SRC_SCALAR || class == ISA_SLOT_SRC_SCALAR_LITERAL;
    if (operand->kind == ISA_OPERAND_VGPR)
        return vgpr_number(operand) < 0 || scalar ? -1 : 256 + operand->value;
    if (class == ISA_SLOT_SRC_VGPR || (class == ISA_SLOT_SRC_VGPR_LDS && !lds))
        return -1;
    return scalar_number(encoder, operand);
}

/* The number in a slot's field for an operand; -1 where the operand cannot stand there. */
static int slot_number(const struct encoder *encoder, const struct isa_operand *operand, const struct isa_slot *slot)
{
    bool absent = operand->kind == ISA_OPERAND_NONE;
    switch ((enum isa_slot_class)slot->class) {
    case ISA_SLOT_VGPR:
        return vgpr_number(operand);
    case ISA_SLOT_VADDR_BUFFER:
        if (absent)
            return encoder->inst->mem.offen || encoder->inst->mem.idxen ? -1 : 0;
        return encoder->inst->mem.offen + encoder->inst->mem.idxen == operand->count ? vgpr_number(operand) : -1;
    case ISA_SLOT_VADDR_FLAT:
    case ISA_SLOT_VDST_ATOMIC:
    case ISA_SLOT_EXPORT:
        return absent ? 0 : vgpr_number(operand);
    case ISA_SLOT_VDATA_IMAGE:
    case ISA_SLOT_VADDR_IMAGE:
        return vgpr_number(operand);
    case ISA_SLOT_SRC:
    case ISA_SLOT_SRC_VGPR:
    case ISA_SLOT_SRC_VGPR_LDS:
    case ISA_SLOT_SRC_SCALAR:
    case ISA_SLOT_SRC_SCALAR_LITERAL:
        return source_number(encoder, operand, slot->class);
    case ISA_SLOT_SSRC:
        return scalar_number(encoder, operand);
    case ISA_SLOT_SSRC_REGISTER:
        if (operand->count > 1 && scalar_number(encoder, operand) >= ISA_SRC_INT_FIRST)
            return -1;
        return is_scalar_register(operand) ? scalar_number(encoder, operand) : -1;
    case ISA_SLOT_SDST:
        return is_scalar_register(operand) ? scalar_number(encoder, operand) : -1;
    case ISA_SLOT_VCC:
        return operand->kind == ISA_OPERAND_SPECIAL && operand->value == ISA_SPECIAL_VCC_LO ? 0 : -1;
    case ISA_SLOT_SBASE:
        return group_number(encoder, operand, 2);
    case ISA_SLOT_SRSRC:
        return group_number(encoder, operand, 4);
    case ISA_SLOT_IMM:
    case ISA_SLOT_PARAM:
        return operand->kind == ISA_OPERAND_IMM ? operand->value : -1;
    case ISA_SLOT_LITERAL:
        return operand->kind == ISA_OPERAND_LITERAL ? 0 : -1;
    case ISA_SLOT_ATTR:
        return operand->kind == ISA_OPERAND_ATTR ? operand->value : -1;
    case ISA_SLOT_SDWA_SRC:
        if (operand->kind == ISA_OPERAND_VGPR)
            return vgpr_number(operand);
        return operand->kind == ISA_OPERAND_LITERAL || scalar_number(encoder, operand) < 0
                   ? -1
                   : 256 + scalar_number(encoder, operand);
    case ISA_SLOT_SDWA_SDST:
        if (operand->kind == ISA_OPERAND_SPECIAL && operand->value == ISA_SPECIAL_VCC_LO)
            return 0;
        return is_scalar_register(operand) && scalar_number(encoder, operand) >= 0
                   ? 128 + scalar_number(encoder, operand)
                   : -1;
    case ISA_SLOT_SOFFSET:
        if (absent)
            return encoder->gfx == ISA_GFX9 ? 0 : null_number(encoder);
        return is_scalar_register(operand) ? scalar_number(encoder, operand) : -1;
    case ISA_SLOT_SADDR:
        if (absent)
            return null_number(encoder);
        return is_scalar_register(operand) ? scalar_number(encoder, operand) : -1;
    }
    return -1;
}

static const char *field_of(unsigned layout, uint64_t bits)
{
    for (unsigned i = 0; i < amd_isa_field_name_count; i++) {
        if (amd_isa_field_names[i].layout == layout && (amd_isa_field_names[i].mask & bits))
            return amd_isa_field_names[i].name;
    }
    return "a reserved bit";
}

static const char *put_operands(const struct encoder *encoder, const struct isa_entry *entry, uint64_t *word)
{
    for (unsigned i = 0; i < encoder->info->operand_count; i++) {
        const struct isa_operand *operand = &encoder->inst->operands[i];
        const struct isa_slot *slot = &amd_isa_slots[entry->slots + i];
        if (slot->width == 0 && slot_number(encoder, operand, slot) >= 0)
            continue;
        int number = slot_number(encoder, operand, slot);
        if (number < 0 || number >> (slot->width + slot->top_width))
            return operand->kind <= ISA_OPERAND_ATTR ? slot_errors[operand->kind] : "an operand of no known kind";
        uint64_t low = (unsigned)number & ((1u << slot->width) - 1), top = (unsigned)number >> slot->width;
        *word |= low << slot->shift | (slot->top_width ? top << slot->top_shift : 0);
    }
    return NULL;
}

/* Numbers in fields of which the decoder refuses some. */
static const char *check_choices(const struct isa_inst *inst)
{
    const struct isa_alu *alu = &inst->alu;
    if (inst->variant == ISA_VARIANT_SDWA) {
        bool sels =
            alu->dst_sel <= ISA_SDWA_DWORD && alu->src0_sel <= ISA_SDWA_DWORD && alu->src1_sel <= ISA_SDWA_DWORD;
        return !sels ? "an SDWA selector" : alu->dst_unused > 2 ? "dst_unused" : NULL;
    }
    return NULL;
}

static bool has_literal(const struct encoder *encoder)
{
    for (unsigned i = 0; i < encoder->info->operand_count; i++) {
        if (encoder->inst->operands[i].kind == ISA_OPERAND_LITERAL)
            return true;
    }
    return false;
}

static const char *put_tail(const struct encoder *encoder, uint32_t *words, unsigned *size_dw)
{
    const struct isa_inst *inst = encoder->inst;
    if (has_literal(encoder)) {
        if (encoder->info->format > ISA_FORMAT_VINTRP || (encoder->gfx == ISA_GFX9 && *size_dw == 2))
            return "a literal in this instruction";
        words[(*size_dw)++] = inst->literal;
    } else if (encoder->info->format == ISA_FORMAT_MIMG && inst->mem.nsa) {
        if (inst->mem.addr_count > 1 + 4 * inst->mem.nsa)
            return "so many addresses";
        for (unsigned i = 0; i < inst->mem.nsa; i++)
            words[*size_dw + i] = 0;
        for (unsigned i = 0; i + 1 < inst->mem.addr_count; i++)
            words[*size_dw + i / 4] |= (uint32_t)inst->mem.nsa_addr[i] << (8 * (i % 4));
        *size_dw += inst->mem.nsa;
    }
    return NULL;
}

/* The offset of a scalar load in GFX9 may be the number of an SGPR: the decoder has moved it into the operand. */
static uint64_t gfx9_smem_offset(const struct encoder *encoder, uint64_t word)
{
    const struct isa_mem *mem = &encoder->inst->mem;
    for (unsigned i = 0; i < encoder->info->operand_count; i++) {
        const struct isa_operand *operand = &encoder->inst->operands[i];
        if (encoder->info->operands[i].name == ISA_NAME_SOFFSET && operand->kind != ISA_OPERAND_NONE && !mem->imm &&
            !mem->soffset_en)
            return (word & ~(0x7full << 57)) | (uint64_t)scalar_number(encoder, operand) << 32;
    }
    return word;
}

static const char *encode_inst(const struct encoder *encoder, const struct isa_entry *entry, uint32_t *words,
                               unsigned *size_dw)
{
    uint64_t fields, operands = 0;
    const char *what = isa_pack(entry->layout, encoder->inst, &fields);
    if (!what)
        what = check_choices(encoder->inst);
    if (!what)
        what = put_operands(encoder, entry, &operands);
    if (what)
        return what;
    /* An instruction decides some fields itself; a field that it decides or lacks must not be set otherwise. */
    uint64_t refused = fields & entry->mask & ~entry->value;
    if (refused)
        return field_of(entry->layout, refused);
    uint64_t word = entry->value | fields | operands;
    if (encoder->gfx == ISA_GFX9 && encoder->info->format == ISA_FORMAT_SMEM)
        word = gfx9_smem_offset(encoder, word);
    words[0] = (uint32_t)word;
    words[1] = (uint32_t)(word >> 32);
    *size_dw = amd_isa_layouts[entry->layout].size_dw;
    return put_tail(encoder, words, size_dw);
}

int amd_isa_encode(enum isa_gfx gfx, const struct isa_inst *inst, uint32_t words_out[ISA_MAX_DW], const char **what_out)
{
    const char *what = "this instruction in this generation";
    unsigned size_dw = 0;
    if (inst->op < ISA_OP_COUNT && inst->variant < ISA_VARIANT_COUNT) {
        const struct isa_entry *entry = &amd_isa_entries[amd_isa_generations[gfx].encode[inst->op][inst->variant]];
        struct encoder encoder = {gfx, &amd_isa_generations[gfx], inst, isa_info(inst->op)};
        if (entry->layout)
            what = encode_inst(&encoder, entry, words_out, &size_dw);
        else if (amd_isa_generations[gfx].names[inst->op])
            what = "this variant of the instruction";
    }
    if (!what)
        return (int)size_dw;
    if (what_out)
        *what_out = what;
    return ISA_ERROR_ENCODE;
}
