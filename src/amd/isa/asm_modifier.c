/* The modifiers after the operands: flags, `name:value` and `name:[bits]`. One table says how each is written; which
 * of them an instruction takes, and in which order, is decided later (asm_match.c). */
#include <stdio.h>
#include <string.h>

#include "amd/isa/asm_internal.h"
#include "util/bits.h"

enum form {
    FLAG,       /* name, or `no` and the name */
    FIXED,      /* name alone: the value is `first` */
    NUMBER,     /* name:number, from first to last; `base` is added */
    BITS,       /* name:[0,1,...]: up to `last` of them */
    LANES,      /* name:[2,0,...]: `last` numbers of `first` bits */
    SELECT,     /* name:WORD of amd_isa_sdwa_sel_names */
    UNUSED,     /* name:WORD of amd_isa_dst_unused_names */
    MULTIPLIER, /* mul:1, mul:2, mul:4 */
    DIVISOR,    /* div:1, div:2 */
    BOUND,      /* bound_ctrl:0 and bound_ctrl:1 mean the same: the bit is set */
    DIMENSION,
    FORMAT,
    OFFSET, /* a number or swizzle() */
};

struct word {
    const char *name;
    uint8_t modifier; /* enum asm_modifier */
    uint8_t form;     /* enum form */
    int32_t first, last;
    uint16_t base;
};

static const struct word words[] = {
    {"clamp", ASM_MOD_CLAMP, FLAG, 0, 0, 0},
    {"mul", ASM_MOD_OMOD, MULTIPLIER, 0, 0, 0},
    {"div", ASM_MOD_OMOD, DIVISOR, 0, 0, 0},
    {"op_sel", ASM_MOD_OP_SEL, BITS, 0, 4, 0},
    {"op_sel_hi", ASM_MOD_OP_SEL_HI, BITS, 0, 4, 0},
    {"neg_lo", ASM_MOD_NEG_LO, BITS, 0, 4, 0},
    {"neg_hi", ASM_MOD_NEG_HI, BITS, 0, 4, 0},
    {"high", ASM_MOD_HIGH, FLAG, 0, 0, 0},
    {"quad_perm", ASM_MOD_DPP_CTRL, LANES, 2, 4, 0},
    {"row_shl", ASM_MOD_DPP_CTRL, NUMBER, 1, 15, 0x100},
    {"row_shr", ASM_MOD_DPP_CTRL, NUMBER, 1, 15, 0x110},
    {"row_ror", ASM_MOD_DPP_CTRL, NUMBER, 1, 15, 0x120},
    {"row_mirror", ASM_MOD_DPP_CTRL, FIXED, 0x140, 0, 0},
    {"row_half_mirror", ASM_MOD_DPP_CTRL, FIXED, 0x141, 0, 0},
    {"row_share", ASM_MOD_DPP_CTRL, NUMBER, 0, 15, 0x150},
    {"row_xmask", ASM_MOD_DPP_CTRL, NUMBER, 0, 15, 0x160},
    {"dpp8", ASM_MOD_DPP8, LANES, 3, 8, 0},
    {"row_mask", ASM_MOD_ROW_MASK, NUMBER, 0, 15, 0},
    {"bank_mask", ASM_MOD_BANK_MASK, NUMBER, 0, 15, 0},
    {"bound_ctrl", ASM_MOD_BOUND_CTRL, BOUND, 0, 1, 0},
    {"fi", ASM_MOD_FI, NUMBER, 0, 1, 0},
    {"dst_sel", ASM_MOD_DST_SEL, SELECT, 0, 0, 0},
    {"dst_unused", ASM_MOD_DST_UNUSED, UNUSED, 0, 0, 0},
    {"src0_sel", ASM_MOD_SRC0_SEL, SELECT, 0, 0, 0},
    {"src1_sel", ASM_MOD_SRC1_SEL, SELECT, 0, 0, 0},
    {"offen", ASM_MOD_OFFEN, FLAG, 0, 0, 0},
    {"idxen", ASM_MOD_IDXEN, FLAG, 0, 0, 0},
    {"offset", ASM_MOD_OFFSET, OFFSET, 0, 0, 0},
    {"offset0", ASM_MOD_OFFSET0, NUMBER, 0, 255, 0},
    {"offset1", ASM_MOD_OFFSET1, NUMBER, 0, 255, 0},
    {"glc", ASM_MOD_GLC, FLAG, 0, 0, 0},
    {"slc", ASM_MOD_SLC, FLAG, 0, 0, 0},
    {"dlc", ASM_MOD_DLC, FLAG, 0, 0, 0},
    {"gds", ASM_MOD_GDS, FLAG, 0, 0, 0},
    {"lds", ASM_MOD_LDS, FLAG, 0, 0, 0},
    {"tfe", ASM_MOD_TFE, FLAG, 0, 0, 0},
    {"lwe", ASM_MOD_LWE, FLAG, 0, 0, 0},
    {"r128", ASM_MOD_R128, FLAG, 0, 0, 0},
    {"a16", ASM_MOD_A16, FLAG, 0, 0, 0},
    {"d16", ASM_MOD_D16, FLAG, 0, 0, 0},
    {"unorm", ASM_MOD_UNORM, FLAG, 0, 0, 0},
    {"dmask", ASM_MOD_DMASK, NUMBER, 0, 15, 0},
    {"dim", ASM_MOD_DIM, DIMENSION, 0, 0, 0},
    {"format", ASM_MOD_FORMAT, FORMAT, 0, 127, 0},
    {"done", ASM_MOD_DONE, FLAG, 0, 0, 0},
    {"compr", ASM_MOD_COMPR, FLAG, 0, 0, 0},
    {"vm", ASM_MOD_VM, FLAG, 0, 0, 0},
};

static const struct word *find_exact_word(struct asm_name name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        if (words[i].name[0] == name.text[0] && amd_asm_name_is(name, words[i].name))
            return &words[i];
    }
    return NULL;
}

static const struct word *find_word(struct asm_name name, bool *negated_out)
{
    const struct word *word = find_exact_word(name);
    *negated_out = false;
    if (word || name.length <= 2 || memcmp(name.text, "no", 2) != 0)
        return word;
    word = find_exact_word((struct asm_name){name.text + 2, name.length - 2});
    *negated_out = true;
    return word && word->form == FLAG ? word : NULL;
}

const char *amd_asm_modifier_name(unsigned modifier)
{
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        if (words[i].modifier == modifier)
            return words[i].name;
    }
    return "?";
}

bool amd_asm_is_modifier(struct asm_name name, char behind)
{
    bool negated;
    const struct word *word = find_word(name, &negated);
    return word && (word->form == FLAG || word->form == FIXED || behind == ':');
}

/* ---- values ---- */

static bool read_choice(struct asm_parser *parser, const char *what, const char *const *names, unsigned count,
                        int64_t *out)
{
    struct asm_name name;
    amd_asm_peek(parser);
    int number = amd_asm_peek_name(parser, &name) ? amd_asm_find_name(names, count, name) : -1;
    if (number < 0)
        return amd_asm_error(parser, parser->p, "this is no %s", what);
    parser->p += name.length;
    *out = number;
    return true;
}

static bool read_lanes(struct asm_parser *parser, const struct word *word, int64_t *out)
{
    unsigned bits = (unsigned)word->first, count = (unsigned)word->last;
    *out = 0;
    for (unsigned i = 0; i < count; i++) {
        int64_t lane;
        if (!amd_asm_expect(parser, i ? ',' : '[') || !amd_asm_number(parser, "a lane", 0, (1 << bits) - 1, &lane))
            return false;
        *out |= lane << (bits * i);
    }
    return amd_asm_expect(parser, ']');
}

static bool read_bits(struct asm_parser *parser, const struct word *word, int64_t *out)
{
    *out = 0;
    for (int i = 0; i < word->last; i++) {
        int64_t bit;
        if (i && amd_asm_peek(parser) == ']')
            break;
        if (!amd_asm_expect(parser, i ? ',' : '[') || !amd_asm_number(parser, "a bit", 0, 1, &bit))
            return false;
        *out |= bit << i;
    }
    return amd_asm_expect(parser, ']');
}

/* SQ_RSRC_IMG_2D or 2D, which is no identifier. */
static bool read_dimension(struct asm_parser *parser, int64_t *out)
{
    static const char prefix[] = "SQ_RSRC_IMG_";
    const size_t prefix_length = sizeof(prefix) - 1;
    amd_asm_peek(parser);
    const char *start = parser->p, *p = start;
    while (p < parser->end && ((*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') || *p == '_'))
        p++;
    struct asm_name name = {start, (uint32_t)(p - start)};
    for (unsigned i = 0; i < 8; i++) {
        const char *known = amd_isa_dim_names[i];
        if (known && (amd_asm_name_is(name, known) ||
                      (strncmp(known, prefix, prefix_length) == 0 && amd_asm_name_is(name, known + prefix_length)))) {
            parser->p = p;
            *out = i;
            return true;
        }
    }
    return amd_asm_error(parser, start, "this is no dimension of an image");
}

/* [BUF_FMT_32_FLOAT], [BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] or a number. */
static bool read_format(struct asm_parser *parser, int64_t *out)
{
    static const char data[] = "BUF_DATA_FORMAT_", number[] = "BUF_NUM_FORMAT_";
    struct asm_name name, second;
    char joined[ASM_MAX_NAME];
    if (!amd_asm_accept(parser, '['))
        return amd_asm_number(parser, "a format", 0, 127, out);
    amd_asm_peek(parser);
    const char *at = parser->p;
    if (!amd_asm_read_name(parser, &name))
        return amd_asm_error(parser, at, "expected the name of a format");
    if (amd_asm_accept(parser, ',')) {
        if (!amd_asm_read_name(parser, &second))
            return amd_asm_error(parser, parser->p, "expected the name of a format");
        if (strncmp(name.text, data, sizeof(data) - 1) != 0) {
            struct asm_name swapped = name;
            name = second;
            second = swapped;
        }
        if (name.length < sizeof(data) || second.length < sizeof(number) ||
            name.length + second.length > ASM_MAX_NAME || strncmp(name.text, data, sizeof(data) - 1) != 0 ||
            strncmp(second.text, number, sizeof(number) - 1) != 0)
            return amd_asm_error(parser, at, "expected BUF_DATA_FORMAT_... and BUF_NUM_FORMAT_...");
        int length = snprintf(joined, sizeof(joined), "BUF_FMT_%.*s_%.*s", (int)(name.length - sizeof(data) + 1),
                              name.text + sizeof(data) - 1, (int)(second.length - sizeof(number) + 1),
                              second.text + sizeof(number) - 1);
        name = (struct asm_name){joined, (uint32_t)MIN2(length, ASM_MAX_NAME - 1)};
        /* The number of no format has no numeric type in its name. */
        if (amd_asm_name_is(name, "BUF_FMT_INVALID_UNORM"))
            name.length -= (uint32_t)strlen("_UNORM");
    }
    int found = amd_asm_find_name(amd_isa_format_names, 128, name);
    if (found < 0)
        return amd_asm_error(parser, at, "there is no such format");
    *out = found;
    return amd_asm_expect(parser, ']');
}

static bool read_offset(struct asm_parser *parser, int64_t *out)
{
    struct asm_name name;
    if (amd_asm_peek_name(parser, &name) && amd_asm_name_is(name, "swizzle")) {
        parser->p += name.length;
        return amd_asm_read_swizzle(parser, out);
    }
    return amd_asm_number(parser, "the offset", INT32_MIN, INT32_MAX, out);
}

static bool read_output_modifier(struct asm_parser *parser, const struct word *word, int64_t *out)
{
    amd_asm_peek(parser);
    const char *at = parser->p;
    int64_t factor;
    if (!amd_asm_number(parser, word->name, 1, 4, &factor))
        return false;
    bool divide = word->form == DIVISOR;
    if (factor == 3 || (divide && factor == 4))
        return amd_asm_error(parser, at, "a result can be multiplied by 2 or 4 and divided by 2");
    *out = factor == 1 ? 0 : divide ? 3 : factor / 2;
    return true;
}

static bool read_value(struct asm_parser *parser, const struct word *word, int64_t *out)
{
    switch ((enum form)word->form) {
    case NUMBER:
        if (!amd_asm_number(parser, word->name, word->first, word->last, out))
            return false;
        *out += word->base;
        return true;
    case BITS:
        return read_bits(parser, word, out);
    case LANES:
        return read_lanes(parser, word, out);
    case SELECT:
        return read_choice(parser, "part of a register", amd_isa_sdwa_sel_names, ISA_SDWA_DWORD + 1, out);
    case UNUSED:
        return read_choice(parser, "treatment of unused bits", amd_isa_dst_unused_names, 3, out);
    case MULTIPLIER:
    case DIVISOR:
        return read_output_modifier(parser, word, out);
    case BOUND:
        if (!amd_asm_number(parser, word->name, 0, 1, out))
            return false;
        *out = 1;
        return true;
    case DIMENSION:
        return read_dimension(parser, out);
    case FORMAT:
        return read_format(parser, out);
    case OFFSET:
        return read_offset(parser, out);
    case FLAG:
    case FIXED:
        break;
    }
    return false;
}

bool amd_asm_read_modifier(struct asm_parser *parser, struct asm_modifiers *mods)
{
    struct asm_name name;
    bool negated;
    amd_asm_peek(parser);
    const char *at = parser->p;
    const struct word *word = amd_asm_read_name(parser, &name) ? find_word(name, &negated) : NULL;
    if (!word)
        return amd_asm_error(parser, at, "expected a modifier");
    unsigned modifier = word->modifier;
    if (mods->seen & ASM_MOD_BIT(modifier))
        return amd_asm_error(parser, at, "'%.*s' stands twice, or beside another of its kind", (int)name.length,
                             name.text);
    if (word->form == FLAG)
        mods->value[modifier] = !negated;
    else if (word->form == FIXED)
        mods->value[modifier] = word->first;
    else if (!amd_asm_expect(parser, ':') || !read_value(parser, word, &mods->value[modifier]))
        return false;
    mods->seen |= ASM_MOD_BIT(modifier);
    mods->at[modifier] = at;
    mods->order[mods->count++] = (uint8_t)modifier;
    return true;
}
