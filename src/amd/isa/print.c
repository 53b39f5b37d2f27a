/* struct isa_inst to text, in the words and the order of LLVM's assembler. Writes into a caller's buffer without
 * printf: text is made at the speed of decoding. Not for: choosing what is valid (decode.c). */
#include <string.h>

#include "amd/isa/isa_tables.h"
#include "util/bits.h"

struct printer {
    char *at;
    enum isa_gfx gfx;
    unsigned wave_size;
    const struct isa_inst *inst;
    const struct isa_op_info *info;
    bool first; /* no operand was written yet */
};

static inline void put_n(struct printer *p, const char *text, size_t length)
{
    memcpy(p->at, text, length);
    p->at += length;
}

/* The length of a literal is known when this is compiled: it becomes a store or two. */
static inline __attribute__((always_inline)) void put_text(struct printer *p, const char *text)
{
    put_n(p, text, strlen(text));
}

static inline void put_char(struct printer *p, char c)
{
    *p->at++ = c;
}

static void put_unsigned(struct printer *p, uint32_t value)
{
    if (value < 10) {
        *p->at++ = (char)('0' + value);
        return;
    }
    if (value < 1000) {
        unsigned hundreds = value / 100, tens = value / 10 % 10;
        *p->at = (char)('0' + hundreds);
        p->at += hundreds != 0;
        *p->at++ = (char)('0' + tens);
        *p->at++ = (char)('0' + value % 10);
        return;
    }
    char digits[10];
    unsigned count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count)
        *p->at++ = digits[--count];
}

static void put_signed(struct printer *p, int32_t value)
{
    if (value < 0)
        put_char(p, '-');
    put_unsigned(p, value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

static void put_hex(struct printer *p, uint32_t value)
{
    unsigned digits = value ? (31u - (unsigned)__builtin_clz(value)) / 4 + 1 : 1;
    put_text(p, "0x");
    while (digits--)
        *p->at++ = "0123456789abcdef"[value >> (4 * digits) & 15];
}

/* " word" where the flag is set. */
static inline __attribute__((always_inline)) void put_flag(struct printer *p, bool flag, const char *word)
{
    if (flag) {
        put_char(p, ' ');
        put_text(p, word);
    }
}

static void put_named(struct printer *p, const char *const *names, unsigned number)
{
    if (names[number])
        put_text(p, names[number]);
    else
        put_unsigned(p, number);
}

/* ---- operands ---- */

static inline void put_separator(struct printer *p)
{
    if (!p->first)
        put_char(p, ',');
    put_char(p, ' ');
    p->first = false;
}

static inline __attribute__((always_inline)) void put_registers(struct printer *p, const char *file, unsigned first,
                                                                unsigned count)
{
    put_text(p, file);
    if (count == 1) {
        put_unsigned(p, first);
        return;
    }
    put_char(p, '[');
    put_unsigned(p, first);
    put_char(p, ':');
    put_unsigned(p, first + count - 1);
    put_char(p, ']');
}

static void put_float(struct printer *p, unsigned index, unsigned type)
{
    static const char *const texts[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
    if (index < ARRAY_SIZE(texts))
        put_text(p, texts[index]);
    else if (type == ISA_TYPE_F64 || type == ISA_TYPE_B64 || type == ISA_TYPE_U64 || type == ISA_TYPE_I64)
        put_text(p, "0.15915494309189532");
    else
        put_text(p, "0.15915494");
}

/* A literal that cannot be an inline constant by its place is written as one where its value is one's. */
static void put_fixed_literal(struct printer *p, uint32_t value)
{
    static const uint32_t floats[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                      0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    if ((int32_t)value >= -16 && (int32_t)value <= 64) {
        put_signed(p, (int32_t)value);
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(floats); i++) {
        if (floats[i] == value) {
            put_float(p, i, ISA_TYPE_F32);
            return;
        }
    }
    put_hex(p, value);
}

static void put_special(struct printer *p, unsigned special, unsigned count)
{
    const char *pair = isa_special_pair_names[special];
    put_text(p, count == 2 && pair ? pair : isa_special_names[special]);
}

static void put_operand(struct printer *p, const struct isa_operand *operand, unsigned type)
{
    unsigned count = operand->count == ISA_COUNT_WAVE ? p->wave_size / 32 : operand->count;
    switch ((enum isa_operand_kind)operand->kind) {
    case ISA_OPERAND_NONE:
        put_text(p, "off");
        break;
    case ISA_OPERAND_VGPR:
        put_registers(p, "v", operand->value, count);
        break;
    case ISA_OPERAND_SGPR:
        put_registers(p, "s", operand->value, count);
        break;
    case ISA_OPERAND_TTMP:
        put_registers(p, "ttmp", operand->value, count);
        break;
    case ISA_OPERAND_SPECIAL:
        put_special(p, operand->value, count);
        break;
    case ISA_OPERAND_INT:
        put_signed(p, (int16_t)operand->value);
        break;
    case ISA_OPERAND_FLOAT:
        put_float(p, operand->value, type);
        break;
    case ISA_OPERAND_LITERAL:
        if (p->info->format == ISA_FORMAT_SOPK)
            put_fixed_literal(p, p->inst->literal);
        else
            put_hex(p, p->inst->literal);
        break;
    case ISA_OPERAND_IMM:
        put_unsigned(p, operand->value);
        break;
    case ISA_OPERAND_ATTR:
        put_text(p, "attr");
        put_unsigned(p, operand->value >> 2);
        put_char(p, '.');
        put_char(p, "xyzw"[operand->value & 3]);
        break;
    }
}

/* ---- immediates ---- */

static void put_waitcnt(struct printer *p, unsigned imm)
{
    /* A counter at its largest value is not waited for and not written, unless all are. */
    struct isa_waitcnt wait = isa_waitcnt_unpack(p->gfx, (uint16_t)imm), max = isa_waitcnt_max(p->gfx);
    bool all = wait.vmcnt == max.vmcnt && wait.expcnt == max.expcnt && wait.lgkmcnt == max.lgkmcnt, space = false;
    const struct {
        const char *name;
        unsigned value, max;
    } counters[] = {{"vmcnt(", wait.vmcnt, max.vmcnt},
                    {"expcnt(", wait.expcnt, max.expcnt},
                    {"lgkmcnt(", wait.lgkmcnt, max.lgkmcnt}};
    for (unsigned i = 0; i < ARRAY_SIZE(counters); i++) {
        if (counters[i].value == counters[i].max && !all)
            continue;
        if (space)
            put_char(p, ' ');
        put_text(p, counters[i].name);
        put_unsigned(p, counters[i].value);
        put_char(p, ')');
        space = true;
    }
}

static void put_sendmsg(struct printer *p, unsigned imm)
{
    enum {
        GS = 2,
        GS_DONE = 3,
        SYSMSG = 15
    };
    unsigned id = imm & 15, op = imm >> 4 & 7, stream = imm >> 8 & 3;
    bool gs = id == GS || id == GS_DONE;
    const char *op_name = gs ? isa_gs_op_names[op] : id == SYSMSG ? isa_sysmsg_op_names[op] : NULL;
    bool needs_op = gs || id == SYSMSG, has_stream = gs && op != 0;
    bool known = isa_message_names[id] && (needs_op ? op_name && !(id == GS && op == 0) : op == 0) &&
                 (has_stream || stream == 0);
    if (imm & ~0x37fu) {
        put_unsigned(p, imm);
        return;
    }
    put_text(p, "sendmsg(");
    if (known) {
        put_text(p, isa_message_names[id]);
    } else {
        put_unsigned(p, id);
        has_stream = true;
    }
    if (!known || needs_op) {
        put_text(p, ", ");
        if (known)
            put_text(p, op_name);
        else
            put_unsigned(p, op);
        if (has_stream) {
            put_text(p, ", ");
            put_unsigned(p, stream);
        }
    }
    put_char(p, ')');
}

static void put_hwreg(struct printer *p, unsigned imm)
{
    unsigned id = imm & 63, offset = imm >> 6 & 31, size = (imm >> 11 & 31) + 1;
    put_text(p, "hwreg(");
    put_named(p, isa_hwreg_names, id);
    if (offset != 0 || size != 32) {
        put_text(p, ", ");
        put_unsigned(p, offset);
        put_text(p, ", ");
        put_unsigned(p, size);
    }
    put_char(p, ')');
}

static void put_immediate(struct printer *p, unsigned imm, unsigned type)
{
    switch (type) {
    case ISA_TYPE_WAITCNT:
        put_waitcnt(p, imm);
        break;
    case ISA_TYPE_SENDMSG:
        put_sendmsg(p, imm);
        break;
    case ISA_TYPE_HWREG:
        put_hwreg(p, imm);
        break;
    case ISA_TYPE_X16:
        put_hex(p, imm);
        break;
    case ISA_TYPE_PARAM:
        put_named(p, isa_param_names, imm & 3);
        break;
    case ISA_TYPE_LABEL:
        put_unsigned(p, imm);
        break;
    default:
        /* What would be an inline constant is written as one; s_endpgm and SOPK have ways of their own. */
        if (p->info->format != ISA_FORMAT_SOPK && (imm <= 64 || (p->info->properties & ISA_PROP_DEFAULT_ZERO)))
            put_unsigned(p, imm);
        else
            put_hex(p, imm);
    }
}

/* ---- scalar and vector ALU ---- */

static void print_plain(struct printer *p)
{
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        const struct isa_operand *operand = &p->inst->operands[i];
        unsigned type = p->info->operands[i].type;
        if (operand->kind == ISA_OPERAND_IMM) {
            if (operand->value == 0 && (p->info->properties & ISA_PROP_DEFAULT_ZERO))
                continue;
            put_separator(p);
            put_immediate(p, operand->value, type);
        } else {
            put_separator(p);
            put_operand(p, operand, type);
        }
    }
}

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
    put_operand(p, operand, type);
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
        put_text(p, isa_sdwa_sel_names[alu->dst_sel]);
        put_text(p, " dst_unused:");
        put_text(p, isa_dst_unused_names[alu->dst_unused]);
    }
    if (sources & 2) {
        put_text(p, " src0_sel:");
        put_text(p, isa_sdwa_sel_names[alu->src0_sel]);
    }
    if (sources & 4) {
        put_text(p, " src1_sel:");
        put_text(p, isa_sdwa_sel_names[alu->src1_sel]);
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

static void print_vector(struct printer *p)
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
            put_immediate(p, operand->value, info->type);
        } else if (number < 0) {
            put_operand(p, operand, info->type);
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

/* ---- memory ---- */

static void put_signed_hex(struct printer *p, int32_t value)
{
    if (value < 0)
        put_char(p, '-');
    put_hex(p, value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

static void print_smem(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        const struct isa_operand *operand = &p->inst->operands[i];
        put_separator(p);
        if (p->info->operands[i].name == ISA_NAME_SOFFSET) {
            if (operand->kind == ISA_OPERAND_NONE) {
                put_signed_hex(p, mem->offset);
                continue;
            }
            put_operand(p, operand, p->info->operands[i].type);
            /* The hardware adds both. LLVM 14 keeps silent about the number; later ones write it so. */
            if (mem->offset) {
                put_text(p, " offset:");
                put_signed_hex(p, mem->offset);
            }
        } else if (operand->kind == ISA_OPERAND_IMM) {
            put_immediate(p, operand->value, p->info->operands[i].type);
        } else {
            put_operand(p, operand, p->info->operands[i].type);
        }
    }
    if (p->info->memory == ISA_MEMORY_LOAD) {
        put_flag(p, mem->glc, "glc");
        put_flag(p, mem->dlc, "dlc");
    }
}

static void put_swizzle(struct printer *p, unsigned imm)
{
    enum {
        QUAD_PERM = 0x8000,
        QUAD_PERM_RESERVED = 0x7f00
    };
    put_text(p, " offset:");
    if (imm & QUAD_PERM) {
        if (imm & QUAD_PERM_RESERVED) {
            put_unsigned(p, imm);
            return;
        }
        put_text(p, "swizzle(QUAD_PERM");
        for (unsigned i = 0; i < 4; i++) {
            put_char(p, ',');
            put_unsigned(p, imm >> (2 * i) & 3);
        }
        put_char(p, ')');
        return;
    }
    unsigned and = imm & 31, or = imm >> 5 & 31, xor = imm >> 10 & 31;
    put_text(p, "swizzle(");
    if (and == 31 && or == 0 && is_power_of_two(xor)) {
        put_text(p, "SWAP,");
        put_unsigned(p, xor);
    } else if (and == 31 && or == 0 && xor > 0 && is_power_of_two(xor+1)) {
        put_text(p, "REVERSE,");
        put_unsigned(p, xor+1);
    } else {
        unsigned group = 32 - and;
        if (group > 1 && is_power_of_two(group) && or < group && xor == 0) {
            put_text(p, "BROADCAST,");
            put_unsigned(p, group);
            put_char(p, ',');
            put_unsigned(p, or);
        } else {
            /* What becomes of each bit of a lane's number: 0, 1, preserved or inverted. */
            put_text(p, "BITMASK_PERM,\"");
            for (unsigned bit = 16; bit; bit >>= 1) {
                unsigned zero = ((0 & and) | or) ^ xor, one = ((bit & and) | or) ^ xor;
                bool from_zero = zero & bit, from_one = one & bit;
                put_char(p, from_zero == from_one ? (from_zero ? '1' : '0') : from_one ? 'p' : 'i');
            }
            put_char(p, '"');
        }
    }
    put_char(p, ')');
}

static void print_ds(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    print_plain(p);
    if (p->info->properties & ISA_PROP_SWIZZLE) {
        if (mem->offset)
            put_swizzle(p, (unsigned)mem->offset);
    } else if (p->info->properties & ISA_PROP_OFFSET2) {
        if (mem->offset & 0xff) {
            put_text(p, " offset0:");
            put_unsigned(p, mem->offset & 0xff);
        }
        if (mem->offset >> 8) {
            put_text(p, " offset1:");
            put_unsigned(p, (uint32_t)mem->offset >> 8);
        }
    } else if (mem->offset) {
        put_text(p, " offset:");
        put_unsigned(p, (uint32_t)mem->offset);
    }
    put_flag(p, mem->gds || (p->info->properties & ISA_PROP_GDS_ONLY), "gds");
}

static void put_offset(struct printer *p)
{
    if (p->inst->mem.offset) {
        put_text(p, " offset:");
        put_signed(p, p->inst->mem.offset);
    }
}

static void print_buffer(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    if (p->info->operand_count == 0)
        return;
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        put_separator(p);
        put_operand(p, &p->inst->operands[i], p->info->operands[i].type);
    }
    if (p->info->format == ISA_FORMAT_MTBUF && mem->format != 1) {
        put_text(p, " format:");
        if (isa_format_names[mem->format]) {
            put_char(p, '[');
            put_text(p, isa_format_names[mem->format]);
            put_char(p, ']');
        } else {
            put_unsigned(p, mem->format);
        }
    }
    put_flag(p, mem->idxen, "idxen");
    put_flag(p, mem->offen, "offen");
    put_offset(p);
    put_flag(p, mem->glc, "glc");
    put_flag(p, mem->slc, "slc");
    put_flag(p, mem->dlc, "dlc");
    put_flag(p, mem->tfe, "tfe");
    put_flag(p, mem->lds, "lds");
}

static void put_image_address(struct printer *p, const struct isa_operand *operand)
{
    const struct isa_mem *mem = &p->inst->mem;
    if (!mem->nsa) {
        put_operand(p, operand, ISA_TYPE_B32);
        return;
    }
    put_char(p, '[');
    put_operand(p, operand, ISA_TYPE_B32);
    for (unsigned i = 0; i + 1 < mem->addr_count; i++) {
        put_text(p, ", v");
        put_unsigned(p, mem->nsa_addr[i]);
    }
    put_char(p, ']');
}

static void print_image(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    bool ray = p->info->properties & (ISA_PROP_BVH | ISA_PROP_BVH64);
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        put_separator(p);
        if (p->info->operands[i].name == ISA_NAME_VADDR)
            put_image_address(p, &p->inst->operands[i]);
        else
            put_operand(p, &p->inst->operands[i], ISA_TYPE_B32);
    }
    if (!ray) {
        if (mem->dmask) {
            put_text(p, " dmask:");
            put_hex(p, mem->dmask);
        }
        put_text(p, " dim:");
        put_text(p, isa_dim_names[mem->dim]);
        put_flag(p, mem->unorm, "unorm");
    }
    put_flag(p, mem->glc, "glc");
    put_flag(p, mem->slc, "slc");
    put_flag(p, mem->dlc, "dlc");
    put_flag(p, mem->r128 && !ray, "r128");
    put_flag(p, mem->a16, "a16");
    put_flag(p, mem->tfe, "tfe");
    put_flag(p, mem->lwe, "lwe");
    put_flag(p, mem->d16, "d16");
}

static void print_flat(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        const struct isa_operand *operand = &p->inst->operands[i];
        if (operand->kind == ISA_OPERAND_NONE && p->info->operands[i].name == ISA_NAME_VDST)
            continue;
        put_separator(p);
        put_operand(p, operand, p->info->operands[i].type);
    }
    put_offset(p);
    put_flag(p, mem->glc, "glc");
    put_flag(p, mem->slc, "slc");
    put_flag(p, mem->dlc, "dlc");
    put_flag(p, mem->lds, "lds");
}

static void print_export(struct printer *p)
{
    const struct isa_export *exp = &p->inst->exp;
    put_char(p, ' ');
    if (isa_target_names[exp->target]) {
        put_text(p, isa_target_names[exp->target]);
    } else {
        put_text(p, "invalid_target_");
        put_unsigned(p, exp->target);
    }
    p->first = true;
    for (unsigned i = 0; i < 4; i++) {
        put_separator(p);
        if (exp->en >> i & 1)
            put_operand(p, &p->inst->operands[exp->compr ? i / 2 : i], ISA_TYPE_B32);
        else
            put_text(p, "off");
    }
    put_flag(p, exp->done, "done");
    put_flag(p, exp->compr, "compr");
    put_flag(p, exp->vm, "vm");
}

/* Instructions that have only one encoding, or no operands to tell them apart by, have no suffix. */
static void put_suffix(struct printer *p)
{
    static const char *const suffixes[] = {"_e32", "_e64", "_dpp", "_dpp", "_sdwa"};
    unsigned variants = p->info->variants[p->gfx];
    if (p->inst->variant == ISA_VARIANT_BASE && variants == 1 && p->info->format != ISA_FORMAT_VINTRP)
        return;
    if (p->info->operand_count == 0)
        return;
    put_text(p, suffixes[p->inst->variant]);
}

unsigned isa_print(enum isa_gfx gfx, unsigned wave_size, const struct isa_inst *inst, char text_out[ISA_MAX_TEXT])
{
    struct printer p = {text_out, gfx, wave_size, inst, isa_info(inst->op), true};
    put_n(&p, isa_generations[gfx].names[inst->op], isa_generations[gfx].name_lengths[inst->op]);
    switch ((enum isa_format)p.info->format) {
    case ISA_FORMAT_SOP1:
    case ISA_FORMAT_SOP2:
    case ISA_FORMAT_SOPK:
    case ISA_FORMAT_SOPC:
    case ISA_FORMAT_SOPP:
        print_plain(&p);
        break;
    case ISA_FORMAT_VOP1:
    case ISA_FORMAT_VOP2:
    case ISA_FORMAT_VOPC:
    case ISA_FORMAT_VINTRP:
        put_suffix(&p);
        print_vector(&p);
        break;
    case ISA_FORMAT_VOP3:
    case ISA_FORMAT_VOP3P:
        print_vector(&p);
        break;
    case ISA_FORMAT_SMEM:
        print_smem(&p);
        break;
    case ISA_FORMAT_DS:
        print_ds(&p);
        break;
    case ISA_FORMAT_MUBUF:
    case ISA_FORMAT_MTBUF:
        print_buffer(&p);
        break;
    case ISA_FORMAT_MIMG:
        print_image(&p);
        break;
    case ISA_FORMAT_FLAT:
        print_flat(&p);
        break;
    case ISA_FORMAT_EXP:
        print_export(&p);
        break;
    case ISA_FORMAT_COUNT:
        break;
    }
    *p.at = '\0';
    return (unsigned)(p.at - text_out);
}
