/* Words to struct isa_inst. Prefix, opcode and row come from the generated tables; what a field's number means is
 * decided here. Not for: text (print.c). */
#include <string.h>

#include "amd/isa/isa_layouts.h"
#include "amd/isa/isa_tables.h"
#include "util/bits.h"

struct decoder {
    const struct isa_generation *gen;
    uint64_t word;
    struct isa_inst *inst;
    bool literal; /* an operand is the dword after the instruction */
};

static inline unsigned slot_value(const struct isa_slot *slot, uint64_t word)
{
    unsigned low = (unsigned)(word >> slot->shift) & ((1u << slot->width) - 1);
    return low | ((unsigned)(word >> slot->top_shift) & ((1u << slot->top_width) - 1)) << slot->width;
}

static inline bool set_vgpr(struct isa_operand *operand, unsigned value, unsigned count)
{
    *operand = (struct isa_operand){ISA_OPERAND_VGPR, count, value};
    return value + count <= 256;
}

/* SGPR tuples begin at even numbers, longer ones at multiples of four. */
static inline bool is_aligned(unsigned value, unsigned count)
{
    return count < 2 || (value & (count == 2 ? 1 : 3)) == 0;
}

/* A scalar register or constant by its source number. Registers that would run over the end of their file do not exist.
 */
static bool set_scalar(struct decoder *decoder, struct isa_operand *operand, unsigned value, unsigned count)
{
    const struct isa_register reg = decoder->gen->registers[value];
    *operand = (struct isa_operand){reg.kind, count, (uint16_t)reg.value};
    switch (reg.kind) {
    case ISA_OPERAND_NONE:
        return false;
    case ISA_OPERAND_SGPR:
        return value + count <= isa_sgpr_end(decoder->gen, count) && is_aligned(value, count);
    case ISA_OPERAND_TTMP:
        return (unsigned)reg.value + count <= 16 && is_aligned((unsigned)reg.value, count);
    case ISA_OPERAND_SPECIAL:
        return count < 2 || (count == 2 && amd_isa_special_pair_names[reg.value]);
    case ISA_OPERAND_LITERAL:
        decoder->literal = true;
        return true;
    default:
        return true;
    }
}

static bool set_scalar_register(struct decoder *decoder, struct isa_operand *operand, unsigned value, unsigned count)
{
    unsigned kind = decoder->gen->registers[value].kind;
    return kind >= ISA_OPERAND_SGPR && kind <= ISA_OPERAND_SPECIAL && set_scalar(decoder, operand, value, count);
}

static inline bool is_null(const struct decoder *decoder, unsigned value)
{
    return value == decoder->gen->special_numbers[ISA_SPECIAL_NULL];
}

static bool set_export(struct decoder *decoder, struct isa_operand *operand, unsigned index, unsigned value)
{
    const struct isa_export *exp = &decoder->inst->exp;
    bool enabled = exp->compr ? index < 2 && (exp->en >> (2 * index) & 3) : exp->en >> index & 1;
    if (!enabled) {
        *operand = (struct isa_operand){0};
        return true;
    }
    return set_vgpr(operand, value, 1);
}

static bool set_buffer_address(struct decoder *decoder, struct isa_operand *operand, unsigned value)
{
    unsigned count = decoder->inst->mem.offen + decoder->inst->mem.idxen;
    if (count)
        return set_vgpr(operand, value, count);
    *operand = (struct isa_operand){0};
    return true;
}

/* The scalar address of FLAT: absent is null, in GFX9 127. A later scratch instruction with 127 has no address but its
 * offset. */
#define SADDR_NOTHING 127

static bool saddr_is_nothing(const struct decoder *decoder, unsigned saddr)
{
    return saddr == SADDR_NOTHING && decoder->gen == &amd_isa_generations[ISA_GFX10_3] &&
           (isa_info(decoder->inst->op)->properties & ISA_PROP_SCRATCH);
}

static bool saddr_is_absent(const struct decoder *decoder, unsigned saddr)
{
    return is_null(decoder, saddr) || saddr_is_nothing(decoder, saddr) ||
           (saddr == SADDR_NOTHING && decoder->gen == &amd_isa_generations[ISA_GFX9]);
}

static bool set_flat_address(struct decoder *decoder, struct isa_operand *operand, unsigned value, unsigned count)
{
    const struct isa_op_info *info = isa_info(decoder->inst->op);
    unsigned saddr = decoder->word >> 48 & 0x7f;
    if ((saddr_is_absent(decoder, saddr) && !saddr_is_nothing(decoder, saddr)) || (info->properties & ISA_PROP_FLAT))
        return set_vgpr(operand, value, count);
    /* With a scalar address, a global vaddr is a 32-bit offset and a scratch one does not exist. */
    if (info->properties & ISA_PROP_GLOBAL)
        return set_vgpr(operand, value, 1);
    *operand = (struct isa_operand){0};
    return true;
}

static bool set_image_address(struct decoder *decoder, struct isa_operand *operand, unsigned value)
{
    struct isa_mem *mem = &decoder->inst->mem;
    unsigned count = amd_isa_image_address_count(decoder->inst);
    mem->addr_count = count;
    if (mem->nsa) {
        if (count > 1 + 4u * mem->nsa)
            return false;
        return set_vgpr(operand, value, 1);
    }
    return set_vgpr(operand, value, count);
}

static bool set_saddr(struct decoder *decoder, struct isa_operand *operand, unsigned value, unsigned count)
{
    if (!saddr_is_absent(decoder, value))
        return set_scalar_register(decoder, operand, value, count);
    *operand = (struct isa_operand){0};
    return true;
}

/* GFX9 says by `imm` and `soffset_en` what the offset is; with neither, the offset field is the number of an SGPR. */
static bool set_smem_offset(struct decoder *decoder, struct isa_operand *operand, unsigned value)
{
    struct isa_mem *mem = &decoder->inst->mem;
    bool absent = is_null(decoder, value);
    if (decoder->gen == &amd_isa_generations[ISA_GFX9]) {
        absent = mem->imm && !mem->soffset_en;
        if (!mem->imm && !mem->soffset_en) {
            value = mem->offset & 0x7f;
            mem->offset = 0;
        }
    }
    if (!absent)
        return set_scalar_register(decoder, operand, value, 1);
    *operand = (struct isa_operand){0};
    return true;
}

static inline bool set_operand(struct decoder *decoder, unsigned index, const struct isa_slot *slot)
{
    struct isa_operand *operand = &decoder->inst->operands[index];
    unsigned value = slot_value(slot, decoder->word), count = slot->count;
    switch ((enum isa_slot_class)slot->class) {
    case ISA_SLOT_VGPR:
        return set_vgpr(operand, value, count);
    case ISA_SLOT_SRC:
        return value >= 256 ? set_vgpr(operand, value - 256, count) : set_scalar(decoder, operand, value, count);
    case ISA_SLOT_SRC_VGPR:
        return value >= 256 && set_vgpr(operand, value - 256, count);
    case ISA_SLOT_SRC_VGPR_LDS:
        if (value == decoder->gen->special_numbers[ISA_SPECIAL_SRC_LDS_DIRECT])
            return set_scalar(decoder, operand, value, count);
        return value >= 256 && set_vgpr(operand, value - 256, count);
    case ISA_SLOT_SRC_SCALAR:
    case ISA_SLOT_SRC_SCALAR_LITERAL:
        return value <= ISA_SRC_LITERAL && set_scalar(decoder, operand, value, count);
    case ISA_SLOT_SSRC:
        return set_scalar(decoder, operand, value, count);
    case ISA_SLOT_SSRC_REGISTER:
        return (count < 2 || value < ISA_SRC_INT_FIRST) && set_scalar_register(decoder, operand, value, count);
    case ISA_SLOT_SDST:
        return set_scalar_register(decoder, operand, value, count);
    case ISA_SLOT_VCC:
        *operand = (struct isa_operand){ISA_OPERAND_SPECIAL, ISA_COUNT_WAVE, ISA_SPECIAL_VCC_LO};
        return true;
    case ISA_SLOT_SBASE:
        return set_scalar_register(decoder, operand, value * 2, count);
    case ISA_SLOT_SRSRC:
        return set_scalar_register(decoder, operand, value * 4, count);
    case ISA_SLOT_IMM:
        *operand = (struct isa_operand){ISA_OPERAND_IMM, 1, value};
        return true;
    case ISA_SLOT_PARAM:
        *operand = (struct isa_operand){ISA_OPERAND_IMM, 1, value};
        return value < 4 && amd_isa_param_names[value];
    case ISA_SLOT_LITERAL:
        *operand = (struct isa_operand){ISA_OPERAND_LITERAL, 1, 0};
        decoder->literal = true;
        return true;
    case ISA_SLOT_ATTR:
        *operand = (struct isa_operand){ISA_OPERAND_ATTR, 1, value};
        return true;
    case ISA_SLOT_SDWA_SRC:
        if (value < 256)
            return set_vgpr(operand, value, count);
        return value != 256 + ISA_SRC_LITERAL && set_scalar(decoder, operand, value - 256, count);
    case ISA_SLOT_SDWA_SDST:
        if (value & 128)
            return set_scalar_register(decoder, operand, value & 127, count);
        *operand = (struct isa_operand){ISA_OPERAND_SPECIAL, ISA_COUNT_WAVE, ISA_SPECIAL_VCC_LO};
        return true;
    case ISA_SLOT_SOFFSET:
        return set_smem_offset(decoder, operand, value);
    case ISA_SLOT_SADDR:
        return set_saddr(decoder, operand, value, count);
    case ISA_SLOT_VADDR_BUFFER:
        return set_buffer_address(decoder, operand, value);
    case ISA_SLOT_VDATA_IMAGE:
        return set_vgpr(operand, value, amd_isa_image_data_count(decoder->inst));
    case ISA_SLOT_VADDR_IMAGE:
        return set_image_address(decoder, operand, value);
    case ISA_SLOT_VADDR_FLAT:
        return set_flat_address(decoder, operand, value, count);
    case ISA_SLOT_VDST_ATOMIC:
        if (decoder->inst->mem.glc)
            return set_vgpr(operand, value, count);
        *operand = (struct isa_operand){0};
        return true;
    case ISA_SLOT_EXPORT:
        return set_export(decoder, operand, index, value);
    }
    return false;
}

/* The layout that the first dword chooses; 0 for none. */
static inline unsigned find_layout(const struct isa_generation *gen, uint32_t word)
{
    unsigned layout = gen->prefixes[word >> 23];
    const struct isa_layout *base = &amd_isa_layouts[layout];
    if (base->sdwa | base->dpp16 | base->dpp8) {
        switch (word & 0x1ff) {
        case ISA_SRC_SDWA:
            return base->sdwa;
        case ISA_SRC_DPP16:
            return base->dpp16;
        case ISA_SRC_DPP8:
        case ISA_SRC_DPP8_FI:
            return base->dpp8;
        }
    }
    return layout;
}

static bool sdwa_is_valid(const struct isa_alu *alu)
{
    return alu->dst_sel <= ISA_SDWA_DWORD && alu->src0_sel <= ISA_SDWA_DWORD && alu->src1_sel <= ISA_SDWA_DWORD &&
           alu->dst_unused < 3;
}

static bool dpp_is_valid(unsigned ctrl)
{
    switch (ctrl >> 4) {
    case 0x10: /* row_shl */
    case 0x11: /* row_shr */
    case 0x12: /* row_ror */
        return (ctrl & 15) != 0;
    case 0x14: /* row_mirror, row_half_mirror */
        return (ctrl & 15) < 2;
    case 0x15: /* row_share */
    case 0x16: /* row_xmask */
        return true;
    default:
        return ctrl < 0x100; /* quad_perm */
    }
}

static bool modifiers_are_valid(const struct isa_inst *inst)
{
    if (inst->variant == ISA_VARIANT_SDWA)
        return sdwa_is_valid(&inst->alu);
    return inst->variant != ISA_VARIANT_DPP16 || dpp_is_valid(inst->alu.dpp_ctrl);
}

static int read_nsa(const uint32_t *words, size_t count_dw, struct isa_inst *out)
{
    unsigned size_dw = 2 + out->mem.nsa;
    if (count_dw < size_dw)
        return ISA_ERROR_TRUNCATED;
    for (unsigned i = 0; i + 1 < out->mem.addr_count; i++)
        out->mem.nsa_addr[i] = words[2 + i / 4] >> (8 * (i % 4)) & 0xff;
    return (int)size_dw;
}

int amd_isa_decode(enum isa_gfx gfx, const uint32_t *words, size_t count_dw, struct isa_inst *out)
{
    const struct isa_generation *gen = &amd_isa_generations[gfx];
    if (count_dw == 0)
        return ISA_ERROR_TRUNCATED;
    const struct isa_layout *layout = &amd_isa_layouts[find_layout(gen, words[0])];
    if (layout->size_dw == 0)
        return ISA_ERROR_INVALID;
    if (count_dw < layout->size_dw)
        return ISA_ERROR_TRUNCATED;

    struct decoder decoder = {gen, words[0], out, false};
    if (layout->size_dw == 2)
        decoder.word |= (uint64_t)words[1] << 32;
    unsigned op = (unsigned)(decoder.word >> layout->op_shift) & ((1u << layout->op_width) - 1);
    op |= ((unsigned)(decoder.word >> layout->op_top_shift) & ((1u << layout->op_top_width) - 1)) << layout->op_width;
    const struct isa_entry *entry = &amd_isa_entries[amd_isa_opcode_map[layout->map + op]];
    /* Compilers leave anything in bits that hardware does not read: from here on they are as our encoder writes
     * them. */
    decoder.word ^= (decoder.word ^ entry->value) & entry->unread;
    if (entry->layout == 0 || ((decoder.word ^ entry->value) & entry->mask))
        return ISA_ERROR_INVALID;

    memset(out, 0, sizeof(*out));
    out->op = entry->op;
    out->variant = entry->variant;
    isa_unpack(entry->layout, decoder.word, out);
    if (!modifiers_are_valid(out))
        return ISA_ERROR_INVALID;
    for (unsigned i = 0; i < entry->operand_count; i++) {
        if (!set_operand(&decoder, i, &amd_isa_slots[entry->slots + i]))
            return ISA_ERROR_INVALID;
    }

    int size_dw = layout->size_dw;
    if (decoder.literal) {
        /* GFX9 has no literal after a long instruction; memory instructions never have one. */
        if (entry->format > ISA_FORMAT_VINTRP || (gfx == ISA_GFX9 && size_dw == 2))
            return ISA_ERROR_INVALID;
        if (count_dw <= (size_t)size_dw)
            return ISA_ERROR_TRUNCATED;
        out->literal = words[size_dw++];
    } else if (entry->format == ISA_FORMAT_MIMG && out->mem.nsa) {
        size_dw = read_nsa(words, count_dw, out);
        if (size_dw < 0)
            return size_dw;
    }
    out->size_dw = (uint8_t)size_dw;
    return size_dw;
}
