/* A statement fitted to an encoding of its instruction: each operand to its slot (asm_match_operands.c), each modifier
 * to its field (asm_match_modifiers.c), and the rules that hold between them. What has no suffix gets the encoding that
 * LLVM would choose: the shortest that takes it. */
#include "amd/isa/asm_match.h"
#include "util/bits.h"

/* ---- rules between operands ---- */

static bool reads_scalar_bus(const struct isa_operand *operand)
{
    if (operand->kind == ISA_OPERAND_SPECIAL)
        return operand->value != ISA_SPECIAL_NULL;
    return operand->kind == ISA_OPERAND_SGPR || operand->kind == ISA_OPERAND_TTMP;
}

/* The vector ALU reads one or two scalars for all lanes of an instruction; a literal is one of them. */
static bool check_scalar_reads(struct asm_matcher *m)
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
                     matcher_dwords(m, inst->operands[k].count) == matcher_dwords(m, operand->count);
        used += !again;
    }
    if (used + two_literals > limit)
        return amd_asm_error(m->parser, m->statement->at, "the instruction reads more than %u scalar values", limit);
    return true;
}

/* Instructions whose sources are exchanged read LDS too late, and SDWA not at all. */
static bool takes_lds_direct(const struct asm_matcher *m, unsigned index)
{
    static const char *const reversed[] = {"subrev_", "lshlrev_", "lshrrev_", "ashrrev_"};
    const char *name = m->parser->gen->names[m->inst.op];
    if (matcher_is_interpolation(m->info))
        return true;
    if (!matcher_is_vector(m->info) || m->info->operands[index].name != ISA_NAME_S0 ||
        m->inst.variant == ISA_VARIANT_SDWA)
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(reversed); i++) {
        if (strstr(name, reversed[i]))
            return false;
    }
    return true;
}

static bool check_lds_direct(struct asm_matcher *m)
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
static bool check_early_write(struct asm_matcher *m)
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

static bool check_image(struct asm_matcher *m)
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

static bool check_rules(struct asm_matcher *m)
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
    struct asm_matcher m = {.parser = parser, .statement = statement, .info = isa_info(statement->op)};
    unsigned entry = parser->gen->encode[statement->op][variant];
    if (entry == 0)
        return amd_asm_error(parser, statement->at, "the instruction has no such encoding");
    m.entry = &amd_isa_entries[entry];
    m.slots = &amd_isa_slots[m.entry->slots];
    m.inst.op = (uint16_t)statement->op;
    m.inst.variant = (uint8_t)variant;
    if (!amd_asm_set_modifiers(&m) || !amd_asm_set_operands(&m) || !check_rules(&m))
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
