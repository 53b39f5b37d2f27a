/* Vector ALU instructions as text: sources with their modifiers, then what follows the operands. */
#include "amd/isa/print_internal.h"
#include "util/bits.h"

static int source_number(unsigned name)
{
    return name == ISA_NAME_S0 ? 0 : name == ISA_NAME_S1 ? 1 : name == ISA_NAME_S2 ? 2 : -1;
}

static bool is_constant(const struct isa_operand *operand)
{
    return operand->kind == ISA_OPERAND_INT || operand->kind == ISA_OPERAND_FLOAT ||
           operand->kind == ISA_OPERAND_LITERAL;
}

static void put_source(struct printer *p, const struct isa_operand *operand, unsigned type, bool abs, bool neg,
                       bool sext)
{
    /* -1 is not the negated 1: a constant is negated in words. */
    bool call = neg && !abs && is_constant(operand);
    if (call)
        put_text(p, "neg(");
    else if (neg)
        put_char(p, '-');
    if (abs)
        put_char(p, '|');
    if (sext)
        put_text(p, "sext(");
    amd_isa_put_operand(p, operand, type);
    if (sext)
        put_char(p, ')');
    if (abs)
        put_char(p, '|');
    if (call)
        put_char(p, ')');
}

static void put_bits(struct printer *p, const char *name, unsigned bits, unsigned count)
{
    put_char(p, ' ');
    put_text(p, name);
    for (unsigned i = 0; i < count; i++) {
        put_char(p, i ? ',' : '[');
        put_char(p, (char)('0' + (bits >> i & 1)));
    }
    put_char(p, ']');
}

static void put_clamp_omod(struct printer *p)
{
    static const char *const omods[] = {"", " mul:2", " mul:4", " div:2"};
    put_flag(p, p->inst->alu.clamp, "clamp");
    put_text(p, omods[p->inst->alu.omod]);
}

static void put_dpp_ctrl(struct printer *p, unsigned ctrl)
{
    static const struct {
        uint16_t first, last;
        const char *text;
        bool counted;
    } forms[] = {
        {0x101, 0x10f, " row_shl:", true},         {0x111, 0x11f, " row_shr:", true},
        {0x121, 0x12f, " row_ror:", true},         {0x140, 0x140, " row_mirror", false},
        {0x141, 0x141, " row_half_mirror", false}, {0x150, 0x15f, " row_share:", true},
        {0x160, 0x16f, " row_xmask:", true},
    };
    if (ctrl < 0x100) {
        put_text(p, " quad_perm:");
        for (unsigned i = 0; i < 4; i++) {
            put_char(p, i ? ',' : '[');
            put_char(p, (char)('0' + (ctrl >> (2 * i) & 3)));
        }
        put_char(p, ']');
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(forms); i++) {
        if (ctrl < forms[i].first || ctrl > forms[i].last)
            continue;
        put_text(p, forms[i].text);
        if (forms[i].counted)
            put_unsigned(p, ctrl & 15);
        return;
    }
}

static void put_dpp16(struct printer *p)
{
    const struct isa_alu *alu = &p->inst->alu;
    put_dpp_ctrl(p, alu->dpp_ctrl);
    put_text(p, " row_mask:");
    put_hex(p, alu->row_mask);
    put_text(p, " bank_mask:");
    put_hex(p, alu->bank_mask);
    put_flag(p, alu->bound_ctrl, "bound_ctrl:1");
    put_flag(p, alu->fi, "fi:1");
}

static void put_dpp8(struct printer *p)
{
    put_text(p, " dpp8:");
    for (unsigned i = 0; i < 8; i++) {
        put_char(p, i ? ',' : '[');
        put_char(p, (char)('0' + (p->inst->alu.dpp8 >> (3 * i) & 7)));
    }
    put_char(p, ']');
    put_flag(p, p->inst->alu.fi, "fi:1");
}

static void put_sdwa(struct printer *p)
{
    const struct isa_alu *alu = &p->inst->alu;
    unsigned sources = 0;
    for (unsigned i = 0; i < p->info->operand_count; i++)
        sources |= 1u << (1 + source_number(p->info->operands[i].name));
    put_clamp_omod(p);
    if (p->info->format != ISA_FORMAT_VOPC && p->info->dst_count) {
        put_text(p, " dst_sel:");
        put_text(p, amd_isa_sdwa_sel_names[alu->dst_sel]);
        put_text(p, " dst_unused:");
        put_text(p, amd_isa_dst_unused_names[alu->dst_unused]);
    }
    if (sources & 2) {
        put_text(p, " src0_sel:");
        put_text(p, amd_isa_sdwa_sel_names[alu->src0_sel]);
    }
    if (sources & 4) {
        put_text(p, " src1_sel:");
        put_text(p, amd_isa_sdwa_sel_names[alu->src1_sel]);
    }
}

static void put_packed_modifiers(struct printer *p, unsigned sources)
{
    const struct isa_alu *alu = &p->inst->alu;
    bool mix = p->info->properties & ISA_PROP_MIX;
    unsigned all = (1u << sources) - 1, usual_hi = mix ? 0 : all;
    if (alu->op_sel & all)
        put_bits(p, "op_sel:", alu->op_sel, sources);
    if ((alu->op_sel_hi & all) != usual_hi)
        put_bits(p, "op_sel_hi:", alu->op_sel_hi, sources);
    if (!mix) {
        if (alu->neg & all)
            put_bits(p, "neg_lo:", alu->neg, sources);
        if (alu->neg_hi & all)
            put_bits(p, "neg_hi:", alu->neg_hi, sources);
    }
    put_flag(p, alu->clamp, "clamp");
}

static void put_long_modifiers(struct printer *p, unsigned sources)
{
    const struct isa_alu *alu = &p->inst->alu;
    if (p->info->format == ISA_FORMAT_VOP3P) {
        put_packed_modifiers(p, sources);
        return;
    }
    put_flag(p, alu->high, "high");
    if (alu->op_sel) {
        bool has_dst = p->info->properties & ISA_PROP_OP_SEL;
        put_bits(
            p, "op_sel:", has_dst ? (alu->op_sel & ~(1u << sources)) | (alu->op_sel >> 3 & 1) << sources : alu->op_sel,
            has_dst ? sources + 1 : 2);
    }
    put_clamp_omod(p);
}

void amd_isa_print_vector(struct printer *p)
{
    const struct isa_alu *alu = &p->inst->alu;
    bool packed = p->info->format == ISA_FORMAT_VOP3P, mix = p->info->properties & ISA_PROP_MIX;
    unsigned abs = mix ? alu->neg_hi : alu->abs, neg = packed && !mix ? 0 : alu->neg, sources = 0;
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        const struct isa_operand *operand = &p->inst->operands[i];
        const struct isa_operand_info *info = &p->info->operands[i];
        put_separator(p);
        int number = source_number(info->name);
        if (operand->kind == ISA_OPERAND_IMM) {
            amd_isa_put_immediate(p, operand->value, info->type);
        } else if (number < 0) {
            amd_isa_put_operand(p, operand, info->type);
        } else {
            put_source(p, operand, info->type, abs >> number & 1, neg >> number & 1, alu->sext >> number & 1);
            sources++;
        }
    }
    switch ((enum isa_variant)p->inst->variant) {
    case ISA_VARIANT_DPP16:
        put_dpp16(p);
        break;
    case ISA_VARIANT_DPP8:
        put_dpp8(p);
        break;
    case ISA_VARIANT_SDWA:
        put_sdwa(p);
        break;
    default:
        put_long_modifiers(p, sources);
    }
}
