/* Numbers that are written as what they are made of: hwreg(), sendmsg(), the counters of s_waitcnt, and swizzle(). */
#include <string.h>

#include "amd/isa/asm_internal.h"
#include "util/bits.h"

static bool accept_name(struct asm_parser *parser, const char *word)
{
    struct asm_name name;
    if (!amd_asm_peek_name(parser, &name) || !amd_asm_name_is(name, word))
        return false;
    parser->p += name.length;
    return true;
}

/* A name of a table or a number up to max. */
static bool read_named(struct asm_parser *parser, const char *what, const char *const *names, unsigned count,
                       int64_t max, int64_t *out, bool *named_out)
{
    struct asm_name name;
    *named_out = false;
    if (amd_asm_peek_name(parser, &name) && !strmap_get_n(&parser->symbols, name.text, name.length)) {
        int number = amd_asm_find_name(names, count, name);
        if (number < 0)
            return amd_asm_error(parser, name.text, "'%.*s' is no %s of this GPU", (int)name.length, name.text, what);
        parser->p += name.length;
        *out = number;
        *named_out = true;
        return true;
    }
    return amd_asm_number(parser, what, 0, max, out);
}

static bool read_hwreg(struct asm_parser *parser, struct asm_operand *out)
{
    int64_t id, offset = 0, size = 32;
    bool named;
    if (!amd_asm_expect(parser, '(') ||
        !read_named(parser, "hardware register", amd_isa_hwreg_names, 64, 63, &id, &named))
        return false;
    if (amd_asm_accept(parser, ',')) {
        if (!amd_asm_number(parser, "the first bit", 0, 31, &offset) || !amd_asm_expect(parser, ',') ||
            !amd_asm_number(parser, "the number of bits", 1, 32, &size))
            return false;
    }
    out->number = id | offset << 6 | (size - 1) << 11;
    return amd_asm_expect(parser, ')');
}

/* Written by name, a message must make sense; by numbers, anything that fits is taken. */
static bool read_sendmsg(struct asm_parser *parser, struct asm_operand *out)
{
    enum {
        GS = 2,
        GS_DONE = 3,
        SYSMSG = 15
    };
    int64_t id, op = 0, stream = 0;
    bool named, op_named;
    if (!amd_asm_expect(parser, '(') || !read_named(parser, "message", amd_isa_message_names, 16, 15, &id, &named))
        return false;
    const char *const *ops = id == SYSMSG ? amd_isa_sysmsg_op_names : amd_isa_gs_op_names;
    bool takes_op = id == GS || id == GS_DONE || id == SYSMSG;
    amd_asm_peek(parser);
    const char *at = parser->p;
    if (amd_asm_accept(parser, ',')) {
        amd_asm_peek(parser);
        at = parser->p;
        if (named && !takes_op)
            return amd_asm_error(parser, at, "the message has no operations");
        if (!read_named(parser, "operation of the message", ops, 8, 7, &op, &op_named))
            return false;
        if (named && (!ops[op] || (id == GS && op == 0)))
            return amd_asm_error(parser, at, "the message has no such operation");
        if (amd_asm_accept(parser, ',')) {
            if (named && (id == SYSMSG || op == 0))
                return amd_asm_error(parser, parser->p, "the operation has no stream");
            if (!amd_asm_number(parser, "the stream", 0, 3, &stream))
                return false;
        }
    } else if (named && takes_op) {
        return amd_asm_error(parser, at, "the message needs an operation");
    }
    out->number = id | op << 4 | stream << 8;
    return amd_asm_expect(parser, ')');
}

struct counter {
    const char *name;
    uint8_t low_shift, low_width, high_shift, high_width;
};

static const struct counter *find_counter(const struct asm_parser *parser, struct asm_name name, bool *saturate_out)
{
    static const struct counter gfx9[] = {{"vmcnt", 0, 4, 14, 2}, {"expcnt", 4, 3, 0, 0}, {"lgkmcnt", 8, 4, 0, 0}};
    static const struct counter gfx10[] = {{"vmcnt", 0, 4, 14, 2}, {"expcnt", 4, 3, 0, 0}, {"lgkmcnt", 8, 6, 0, 0}};
    static const struct counter gfx11[] = {{"vmcnt", 10, 6, 0, 0}, {"expcnt", 0, 3, 0, 0}, {"lgkmcnt", 4, 6, 0, 0}};
    const struct counter *counters = parser->gfx == ISA_GFX9 ? gfx9 : parser->gfx == ISA_GFX11 ? gfx11 : gfx10;
    *saturate_out = name.length > 4 && memcmp(name.text + name.length - 4, "_sat", 4) == 0;
    name.length -= *saturate_out ? 4 : 0;
    for (unsigned i = 0; i < ARRAY_SIZE(gfx10); i++) {
        if (amd_asm_name_is(name, counters[i].name))
            return &counters[i];
    }
    return NULL;
}

static uint32_t put_counter(const struct counter *counter, uint32_t imm, uint32_t value)
{
    uint32_t low = (1u << counter->low_width) - 1, high = (1u << counter->high_width) - 1;
    imm &= ~(low << counter->low_shift | high << counter->high_shift);
    return imm | (value & low) << counter->low_shift | (value >> counter->low_width & high) << counter->high_shift;
}

/* Counters that are not written are not waited for: all ones. */
static bool read_counters(struct asm_parser *parser, struct asm_operand *out)
{
    static const char *const words[] = {"vmcnt", "expcnt", "lgkmcnt"};
    uint32_t imm = 0;
    bool saturate;
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        struct asm_name word = {words[i], (uint32_t)strlen(words[i])};
        const struct counter *counter = find_counter(parser, word, &saturate);
        imm = put_counter(counter, imm, (1u << (counter->low_width + counter->high_width)) - 1);
    }
    for (;;) {
        struct asm_name name;
        amd_asm_peek(parser);
        const char *at = parser->p;
        const struct counter *counter = amd_asm_peek_name(parser, &name) ? find_counter(parser, name, &saturate) : NULL;
        if (!counter)
            return amd_asm_error(parser, at, "expected vmcnt, expcnt or lgkmcnt");
        parser->p += name.length;
        int64_t value, max = (1 << (counter->low_width + counter->high_width)) - 1;
        if (!amd_asm_expect(parser, '(') ||
            !amd_asm_number(parser, "the counter", 0, saturate ? INT64_MAX : max, &value) ||
            !amd_asm_expect(parser, ')'))
            return false;
        imm = put_counter(counter, imm, (uint32_t)MIN2(value, max));
        if (!amd_asm_accept(parser, '&') && !amd_asm_accept(parser, ',') && !amd_asm_peek_name(parser, &name))
            break;
    }
    out->number = imm;
    return true;
}

bool amd_asm_read_packed(struct asm_parser *parser, struct asm_operand *out, bool *ok_out)
{
    struct asm_name name;
    bool saturate;
    if (!amd_asm_peek_name(parser, &name))
        return false;
    out->kind = ASM_PACKED;
    if (find_counter(parser, name, &saturate)) {
        out->type = ISA_TYPE_WAITCNT;
        *ok_out = read_counters(parser, out);
        return true;
    }
    if (accept_name(parser, "hwreg")) {
        out->type = ISA_TYPE_HWREG;
        *ok_out = read_hwreg(parser, out);
        return true;
    }
    if (accept_name(parser, "sendmsg")) {
        out->type = ISA_TYPE_SENDMSG;
        *ok_out = read_sendmsg(parser, out);
        return true;
    }
    return false;
}

/* ---- swizzle() ---- */

enum {
    AND_SHIFT = 0,
    OR_SHIFT = 5,
    XOR_SHIFT = 10,
    LANE_BITS = 31,
    QUAD_PERM = 0x8000
};

static int64_t bitmask_perm(unsigned and, unsigned or, unsigned xor)
{
    return and << AND_SHIFT | or << OR_SHIFT | xor << XOR_SHIFT;
}

static bool read_quad_perm(struct asm_parser *parser, int64_t *out)
{
    *out = QUAD_PERM;
    for (unsigned i = 0; i < 4; i++) {
        int64_t lane;
        if (!amd_asm_expect(parser, ',') || !amd_asm_number(parser, "a lane of four", 0, 3, &lane))
            return false;
        *out |= lane << (2 * i);
    }
    return true;
}

/* Five characters, the highest bit of the lane's number first: 0, 1, p(reserved) or i(nverted). */
static bool read_bitmask_perm(struct asm_parser *parser, int64_t *out)
{
    unsigned and = 0, or = 0, xor = 0;
    if (!amd_asm_expect(parser, ',') || !amd_asm_expect(parser, '"'))
        return false;
    for (unsigned bit = 16; bit; bit >>= 1) {
        char c = parser->p < parser->end ? *parser->p : '\0';
        if (c != '0' && c != '1' && c != 'p' && c != 'i')
            return amd_asm_error(parser, parser->p, "expected five of 0, 1, p and i");
        parser->p++;
        and |= c == 'p' || c == 'i' ? bit : 0;
        or |= c == '1' ? bit : 0;
        xor |= c == 'i' ? bit : 0;
    }
    *out = bitmask_perm(and, or, xor);
    return parser->p < parser->end && *parser->p == '"' ? (parser->p++, true)
                                                        : amd_asm_error(parser, parser->p, "expected '\"'");
}

static bool read_group(struct asm_parser *parser, int64_t min, int64_t max, int64_t *out)
{
    if (!amd_asm_expect(parser, ','))
        return false;
    amd_asm_peek(parser);
    const char *at = parser->p;
    if (!amd_asm_number(parser, "a group of lanes", min, max, out))
        return false;
    return is_power_of_two((uint64_t)*out) || amd_asm_error(parser, at, "a group of lanes must be a power of two");
}

bool amd_asm_read_swizzle(struct asm_parser *parser, int64_t *out)
{
    int64_t group, lane;
    if (!amd_asm_expect(parser, '('))
        return false;
    if (accept_name(parser, "QUAD_PERM")) {
        if (!read_quad_perm(parser, out))
            return false;
    } else if (accept_name(parser, "BITMASK_PERM")) {
        if (!read_bitmask_perm(parser, out))
            return false;
    } else if (accept_name(parser, "BROADCAST")) {
        if (!read_group(parser, 2, 32, &group) || !amd_asm_expect(parser, ',') ||
            !amd_asm_number(parser, "the lane", 0, group - 1, &lane))
            return false;
        *out = bitmask_perm((unsigned)(32 - group), (unsigned)lane, 0);
    } else if (accept_name(parser, "SWAP")) {
        if (!read_group(parser, 1, 16, &group))
            return false;
        *out = bitmask_perm(LANE_BITS, 0, (unsigned)group);
    } else if (accept_name(parser, "REVERSE")) {
        if (!read_group(parser, 2, 32, &group))
            return false;
        *out = bitmask_perm(LANE_BITS, 0, (unsigned)group - 1);
    } else {
        return amd_asm_error(parser, parser->p, "expected QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP or REVERSE");
    }
    return amd_asm_expect(parser, ')');
}
