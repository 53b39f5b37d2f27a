/* Characters of the assembler: spaces, comments, names, numbers and integer expressions. Not for: what names mean. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "amd/isa/asm_internal.h"

#define MAX_DEPTH 32 /* of parentheses and signs */

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

static inline bool is_name_char(char c)
{
    return is_name_start(c) || is_digit(c) || c == '@';
}

static inline char char_at(const struct asm_parser *parser, size_t offset)
{
    return (size_t)(parser->end - parser->p) > offset ? parser->p[offset] : '\0';
}

static void skip_block_comment(struct asm_parser *parser)
{
    const char *start = parser->p;
    for (parser->p += 2; parser->p < parser->end; parser->p++) {
        if (*parser->p == '*' && char_at(parser, 1) == '/') {
            parser->p += 2;
            return;
        }
        if (*parser->p == '\n') {
            parser->line++;
            parser->line_start = parser->p + 1;
        }
    }
    amd_asm_error(parser, start, "the comment has no end");
}

char amd_asm_peek(struct asm_parser *parser)
{
    while (parser->p < parser->end) {
        char c = *parser->p;
        if (c == ' ' || c == '\t' || c == '\r') {
            parser->p++;
        } else if (c == '/' && char_at(parser, 1) == '*') {
            skip_block_comment(parser);
        } else if (c == '\n' || c == ';' || (c == '/' && char_at(parser, 1) == '/')) {
            return '\0';
        } else {
            return c ? c : '\1'; /* a NUL is treated like any other invalid character */
        }
    }
    return '\0';
}

bool amd_asm_at_end(struct asm_parser *parser)
{
    return amd_asm_peek(parser) == '\0';
}

bool amd_asm_accept(struct asm_parser *parser, char c)
{
    if (amd_asm_peek(parser) != c)
        return false;
    parser->p++;
    return true;
}

bool amd_asm_expect(struct asm_parser *parser, char c)
{
    return amd_asm_accept(parser, c) || amd_asm_error(parser, parser->p, "expected '%c'", c);
}

bool amd_asm_peek_name(struct asm_parser *parser, struct asm_name *out)
{
    if (!is_name_start(amd_asm_peek(parser)))
        return false;
    const char *p = parser->p;
    while (p < parser->end && is_name_char(*p))
        p++;
    *out = (struct asm_name){parser->p, (uint32_t)(p - parser->p)};
    return true;
}

bool amd_asm_read_name(struct asm_parser *parser, struct asm_name *out)
{
    if (!amd_asm_peek_name(parser, out))
        return false;
    parser->p += out->length;
    return true;
}

bool amd_asm_name_is(struct asm_name name, const char *text)
{
    return strncmp(name.text, text, name.length) == 0 && text[name.length] == '\0';
}

int amd_asm_find_name(const char *const *names, unsigned count, struct asm_name name)
{
    for (unsigned i = 0; i < count; i++) {
        if (names[i] && amd_asm_name_is(name, names[i]))
            return (int)i;
    }
    return -1;
}

/* ---- numbers ---- */

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool read_integer(struct asm_parser *parser, int64_t *out)
{
    const char *start = parser->p;
    char second = char_at(parser, 1);
    int base = 10;
    if (*start == '0' && (second == 'x' || second == 'X'))
        base = 16;
    else if (*start == '0' && (second == 'b' || second == 'B'))
        base = 2;
    else if (*start == '0' && is_digit(second))
        base = 8;
    parser->p += base == 16 || base == 2 ? 2 : 0;
    uint64_t value = 0;
    const char *digits = parser->p;
    for (; parser->p < parser->end && digit_value(*parser->p) < base; parser->p++) {
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_value(*parser->p), &value))
            return amd_asm_error(parser, start, "the number has more than 64 bits");
    }
    if (parser->p == digits || (parser->p < parser->end && is_name_char(*parser->p)))
        return amd_asm_error(parser, start, "this is no number");
    *out = (int64_t)value;
    return true;
}

bool amd_asm_read_real(struct asm_parser *parser, double *out)
{
    char c = amd_asm_peek(parser);
    const char *p = parser->p, *end = parser->end;
    bool dot = false, exponent = false;
    if (!is_digit(c) && !(c == '.' && is_digit(char_at(parser, 1))))
        return false;
    for (; p < end; p++) {
        if (*p == '.' && !dot && !exponent)
            dot = true;
        else if ((*p == 'e' || *p == 'E') && !exponent)
            exponent = true;
        else if (!is_digit(*p) && !((*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E')))
            break;
    }
    size_t length = (size_t)(p - parser->p);
    char copy[128];
    if ((!dot && !exponent) || length >= sizeof(copy))
        return false;
    memcpy(copy, parser->p, length);
    copy[length] = '\0';
    char *stop;
    *out = strtod(copy, &stop);
    if (stop != copy + length)
        return false;
    parser->p = p;
    return true;
}

/* ---- expressions ---- */

static bool read_expression(struct asm_parser *parser, int level, unsigned depth, int64_t *out);

static bool read_symbol(struct asm_parser *parser, int64_t *out)
{
    struct asm_name name;
    amd_asm_read_name(parser, &name);
    const struct asm_symbol *symbol = strmap_get_n(&parser->symbols, name.text, name.length);
    if (!symbol || symbol->label)
        return amd_asm_error(parser, name.text, "'%.*s' is no register, constant or modifier", (int)name.length,
                             name.text);
    *out = symbol->value;
    return true;
}

static bool read_term(struct asm_parser *parser, unsigned depth, int64_t *out)
{
    char c = amd_asm_peek(parser);
    const char *start = parser->p;
    if (depth > MAX_DEPTH)
        return amd_asm_error(parser, start, "the expression is nested too deep");
    if (is_digit(c))
        return read_integer(parser, out);
    if (is_name_start(c))
        return read_symbol(parser, out);
    if (c == '\0')
        return amd_asm_error(parser, start, "expected an operand");
    parser->p++;
    switch (c) {
    case '(':
        return read_expression(parser, 0, depth + 1, out) && amd_asm_expect(parser, ')');
    case '-':
    case '~':
    case '+':
        if (!read_term(parser, depth + 1, out))
            return false;
        *out = c == '-' ? (int64_t)(0 - (uint64_t)*out) : c == '~' ? ~*out : *out;
        return true;
    case '\'':
        if (char_at(parser, 1) == '\'' && *parser->p != '\\' && *parser->p != '\n') {
            *out = (unsigned char)*parser->p;
            parser->p += 2;
            return true;
        }
        /* fall through */
    default:
        parser->p = start;
        return amd_asm_error(parser, start, "unexpected character '%c'", c >= ' ' && c < 127 ? c : '?');
    }
}

/* Precedence of LLVM's expressions: additions bind less than logic, and that less than products and shifts. */
static int binary_level(struct asm_parser *parser)
{
    switch (amd_asm_peek(parser)) {
    case '+':
    case '-':
        return 1;
    case '&':
    case '|':
    case '^':
        return char_at(parser, 1) == *parser->p ? 0 : 2;
    case '*':
    case '/':
    case '%':
        return 3;
    case '<':
    case '>':
        return char_at(parser, 1) == *parser->p ? 3 : 0;
    default:
        return 0;
    }
}

static bool apply_operator(struct asm_parser *parser, const char *at, char operator, int64_t b, int64_t *a)
{
    uint64_t left = (uint64_t)*a, right = (uint64_t)b;
    switch (operator) {
    case '+':
        *a = (int64_t)(left + right);
        return true;
    case '-':
        *a = (int64_t)(left - right);
        return true;
    case '*':
        *a = (int64_t)(left * right);
        return true;
    case '&':
        *a = (int64_t)(left & right);
        return true;
    case '|':
        *a = (int64_t)(left | right);
        return true;
    case '^':
        *a = (int64_t)(left ^ right);
        return true;
    case '<':
        *a = right < 64 ? (int64_t)(left << right) : 0;
        return true;
    case '>':
        *a = right < 64 ? (int64_t)(left >> right) : 0;
        return true;
    default:
        if (b == 0 || (*a == INT64_MIN && b == -1))
            return amd_asm_error(parser, at, "the quotient does not exist");
        *a = operator== '/' ? *a / b : * a % b;
        return true;
    }
}

/* Every operator above `level`; recursion is bounded by the levels and, for parentheses, by MAX_DEPTH. */
static bool read_expression(struct asm_parser *parser, int level, unsigned depth, int64_t *out)
{
    if (!read_term(parser, depth, out))
        return false;
    for (;;) {
        int next = binary_level(parser);
        if (next <= level)
            return true;
        const char *at = parser->p;
        char operator= * at;
        parser->p += operator== '<' || operator== '>' ? 2 : 1;
        int64_t right;
        if (!read_expression(parser, next, depth + 1, &right) || !apply_operator(parser, at, operator, right, out))
            return false;
    }
}

bool amd_asm_expression(struct asm_parser *parser, bool simple, int64_t *out)
{
    return simple ? read_term(parser, 0, out) : read_expression(parser, 0, 0, out);
}

bool amd_asm_number(struct asm_parser *parser, const char *what, int64_t min, int64_t max, int64_t *out)
{
    amd_asm_peek(parser);
    const char *at = parser->p;
    if (!amd_asm_expression(parser, false, out))
        return false;
    if (*out < min || *out > max)
        return amd_asm_error(parser, at, "%s must be from %lld to %lld", what, (long long)min, (long long)max);
    return true;
}
