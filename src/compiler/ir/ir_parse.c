/* Reads the text that ir_print writes. Any text ends in a shader that keeps the rules or in a line and a reason:
 * nothing is trusted. A semicolon starts a remark; the end of a line ends an instruction. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/bits.h"
#include "util/map.h"

#include "compiler/ir/ir_builder.h"
#include "compiler/ir/ir_internal.h"
#include "compiler/ir/ir_text.h"
#include "compiler/ir/opt.h"

#define MAX_DEPTH 4096
#define MAX_VAR 0xfffff
#define MAX_VARS_B (16u * IR_MAX_SCRATCH_B) /* of all together: some become no memory */

/* A source of a phi, which may stand in the text before what it names. */
struct pending {
    struct ir_instr *phi;
    uint64_t pred, value;
    uint32_t line;
};

struct parser {
    struct ir_shader *shader;
    const char *next; /* what follows the token */
    const char *token;
    size_t length;   /* 0: the end */
    uint32_t line;   /* of the token */
    bool line_start; /* it is the first of its line */
    uint32_t depth;
    struct map64 values, blocks; /* by number */
    uint64_t vars_B;
    ARRAY(struct pending) pending;
};

/* --- tokens: a word (names and numbers), a text in quotes, or one character --- */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '[' || c == ']';
}

static void advance(struct parser *p)
{
    const char *c = p->next;
    p->line_start = p->token == NULL;
    for (;; c++) {
        if (*c == ';')
            c += strcspn(c, "\n");
        if (*c == '\n') {
            p->line++;
            p->line_start = true;
        } else if (*c != ' ' && *c != '\t' && *c != '\r') {
            break;
        }
    }
    p->token = c;
    if (*c == '"') {
        size_t length = strcspn(c + 1, "\"\n");
        if (c[1 + length] != '"')
            ir_fail(p->shader, "line %u: a text without its end", p->line);
        p->length = length + 2;
    } else if (is_word(*c)) {
        for (p->length = 0; is_word(c[p->length]);)
            p->length++;
    } else {
        p->length = *c != '\0';
    }
    p->next = c + p->length;
}

static bool is(const struct parser *p, const char *text)
{
    return strlen(text) == p->length && memcmp(p->token, text, p->length) == 0;
}

static _Noreturn void refuse(const struct parser *p, const char *what)
{
    ir_fail(p->shader, "line %u: %s, not '%.*s'", p->line, what, (int)MIN2(p->length, 40u), p->token);
}

static bool accept(struct parser *p, const char *text)
{
    if (!is(p, text))
        return false;
    advance(p);
    return true;
}

static void expect(struct parser *p, const char *text)
{
    if (!accept(p, text)) {
        char what[64];
        snprintf(what, sizeof(what), "'%s' must stand here", text);
        refuse(p, what);
    }
}

/* A number in what is left of the token after a prefix of `skip` characters. */
static uint64_t number_behind(struct parser *p, size_t skip, uint64_t largest)
{
    char digits[32], *end;
    if (p->length <= skip || p->length - skip >= sizeof(digits) || p->token[skip] < '0' || p->token[skip] > '9')
        refuse(p, "a number must stand here");
    memcpy(digits, p->token + skip, p->length - skip);
    digits[p->length - skip] = '\0';
    bool hex = digits[0] == '0' && digits[1] == 'x';
    errno = 0;
    uint64_t number = strtoull(hex ? digits + 2 : digits, &end, hex ? 16 : 10);
    if (*end || end == digits + 2 * hex || errno)
        refuse(p, "a number must stand here");
    if (number > largest)
        refuse(p, "a smaller number must stand here");
    advance(p);
    return number;
}

static uint64_t number(struct parser *p, uint64_t largest)
{
    return number_behind(p, 0, largest);
}

static bool starts_with(const struct parser *p, const char *prefix)
{
    size_t length = strlen(prefix);
    return p->length > length && memcmp(p->token, prefix, length) == 0;
}

static char *quoted(struct parser *p)
{
    if (*p->token != '"')
        refuse(p, "a text in quotes must stand here");
    char *text = ir_alloc(p->shader, p->length - 1);
    memcpy(text, p->token + 1, p->length - 2);
    advance(p);
    return text;
}

static uint32_t word_index(struct parser *p, const char *const *words, uint32_t count, const char *what)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is(p, words[i])) {
            advance(p);
            return i;
        }
    }
    refuse(p, what);
}

static uint32_t location(struct parser *p, uint32_t largest)
{
    if (starts_with(p, "var"))
        return IR_LOCATION_VAR0 + (uint32_t)number_behind(p, 3, largest - IR_LOCATION_VAR0);
    if (p->length && *p->token >= '0' && *p->token <= '9')
        return (uint32_t)number(p, largest);
    return word_index(p, ir_location_names, ir_num_location_names, "a location must stand here");
}

static uint8_t width(struct parser *p)
{
    uint64_t bits = number(p, 64);
    if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
        ir_fail(p->shader, "line %u: %u bits are no width", p->line, (unsigned)bits);
    return (uint8_t)bits;
}

/* --- the head: fields, interface, variables --- */

static const struct ir_field *find_field(const struct parser *p, const struct ir_fields *fields)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (is(p, fields->data[i].name))
            return &fields->data[i];
    return NULL;
}

static void parse_field(struct parser *p, const struct ir_field *field, void *object)
{
    advance(p);
    uint64_t value = 1;
    switch (field->kind) {
    case IR_FIELD_BOOL:
        break;
    case IR_FIELD_U8:
    case IR_FIELD_U16:
    case IR_FIELD_U32:
    case IR_FIELD_U64:
        value = number(p, ir_field_largest(field));
        break;
    case IR_FIELD_WORD:
        value = word_index(p, field->words, field->num_words, "a word of this field must stand here");
        break;
    case IR_FIELD_LOCATION:
        value = location(p, (uint32_t)ir_field_largest(field));
        break;
    case IR_FIELD_TEXT:
        value = (uintptr_t)quoted(p);
        break;
    }
    ir_field_set(field, object, value);
}

/* Appends `{ field value … }` as an element of an array, which moves when its count reaches a power of two. */
static void parse_object(struct parser *p, const struct ir_fields *fields, void **array, uint32_t *count, size_t size_B)
{
    if ((*count & (*count - 1)) == 0) {
        void *grown = ir_alloc(p->shader, (*count ? *count * 2 : 1) * size_B);
        if (*count)
            memcpy(grown, *array, *count * size_B);
        *array = grown;
    }
    void *object = (char *)*array + *count * size_B;
    expect(p, "{");
    while (!accept(p, "}")) {
        const struct ir_field *field = find_field(p, fields);
        if (!field)
            refuse(p, "a field or '}' must stand here");
        parse_field(p, field, object);
    }
    ++*count;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void parse_const_data(struct parser *p)
{
    const char *text = quoted(p);
    size_t length = strlen(text);
    uint8_t *data = ir_alloc(p->shader, length / 2 + 1);
    for (size_t i = 0; i < length; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            ir_fail(p->shader, "line %u: constant data is pairs of digits", p->line);
        data[i / 2] = (uint8_t)(high << 4 | low);
    }
    p->shader->const_data = data;
    p->shader->const_data_size_B = (uint32_t)(length / 2);
}

static void parse_var(struct parser *p)
{
    if (!starts_with(p, "v"))
        refuse(p, "a variable like v0 must stand here");
    uint32_t index = (uint32_t)number_behind(p, 1, MAX_VAR);
    if (ir_var_by_index(p->shader, index))
        ir_fail(p->shader, "line %u: v%u stands there twice", p->line, index);
    uint8_t bits = width(p);
    expect(p, "x");
    uint32_t length = (uint32_t)number(p, UINT32_MAX);
    p->vars_B += (uint64_t)length * MAX2(bits / 8u, 1u);
    if (p->vars_B > MAX_VARS_B)
        ir_fail(p->shader, "line %u: variables of more than %u bytes", p->line, MAX_VARS_B);
    char *name = *p->token == '"' ? quoted(p) : NULL;
    struct ir_var *var = ir_var_create(p->shader, bits, length, name);
    var->index = index;
    p->shader->num_vars = MAX2(p->shader->num_vars, index + 1);
    if (accept(p, "scratch"))
        var->scratch_offset_B = (uint32_t)number(p, UINT32_MAX);
}

static void parse_head(struct parser *p)
{
    struct ir_shader *shader = p->shader;
    expect(p, "shader");
    shader->stage = (enum ir_stage)word_index(p, ir_stage_names, ir_num_stages, "a stage must stand here");
    if (*p->token == '"')
        shader->name = quoted(p);
    for (;;) {
        const struct ir_field *field = find_field(p, &ir_shader_fields);
        if (field)
            parse_field(p, field, shader);
        else if (accept(p, "input"))
            parse_object(p, &ir_io_fields, (void **)&shader->inputs, &shader->num_inputs, sizeof(*shader->inputs));
        else if (accept(p, "output"))
            parse_object(p, &ir_io_fields, (void **)&shader->outputs, &shader->num_outputs, sizeof(*shader->outputs));
        else if (accept(p, "resource"))
            parse_object(p, &ir_resource_fields, (void **)&shader->resources, &shader->num_resources,
                         sizeof(*shader->resources));
        else if (accept(p, "capture"))
            parse_object(p, &ir_capture_fields, (void **)&shader->captures, &shader->num_captures,
                         sizeof(*shader->captures));
        else if (accept(p, "var"))
            parse_var(p);
        else if (accept(p, "const_data"))
            parse_const_data(p);
        else
            break;
    }
}

/* --- instructions --- */

static struct ir_value *find_value(struct parser *p, uint64_t name, uint32_t line)
{
    uint64_t *place = map64_get(&p->values, name);
    if (!place)
        ir_fail(p->shader, "line %u: nothing is called %%%llu", line, (unsigned long long)name);
    return (struct ir_value *)(uintptr_t)*place;
}

static uint64_t value_name(struct parser *p)
{
    expect(p, "%");
    return number(p, UINT32_MAX);
}

static struct ir_value *parse_value(struct parser *p)
{
    uint64_t name = value_name(p);
    return find_value(p, name, p->line);
}

static void define(struct parser *p, struct map64 *map, uint64_t name, void *thing, uint32_t line)
{
    if (map64_get(map, name))
        ir_fail(p->shader, "line %u: %c%llu stands there twice", line, map == &p->values ? '%' : 'b',
                (unsigned long long)name);
    if (!map64_set(map, name, (uintptr_t)thing))
        ir_fail(p->shader, "out of memory");
}

static uint32_t parse_bits_imm(struct parser *p, const struct ir_imm_info *info)
{
    uint32_t value = 0;
    do
        value |= 1u << word_index(p, info->words, info->num_words, "a word of this set must stand here");
    while (accept(p, "+"));
    return value;
}

static uint32_t parse_imm_value(struct parser *p, const struct ir_imm_info *info)
{
    switch (info->format) {
    case IR_IMM_FORMAT_var:
        if (!starts_with(p, "v"))
            refuse(p, "a variable like v0 must stand here");
        return (uint32_t)number_behind(p, 1, UINT32_MAX);
    case IR_IMM_FORMAT_location:
        return location(p, UINT32_MAX);
    case IR_IMM_FORMAT_enum:
        return word_index(p, info->words, info->num_words, "a word of this immediate must stand here");
    case IR_IMM_FORMAT_set:
    case IR_IMM_FORMAT_bits:
        return parse_bits_imm(p, info);
    default:
        return (uint32_t)number(p, UINT32_MAX);
    }
}

static void parse_imms(struct parser *p, struct ir_instr *instr)
{
    if (!is(p, "{") || p->line_start)
        return;
    advance(p);
    do {
        const struct ir_op_info *info = ir_info(instr);
        uint32_t slot = 0;
        while (slot < info->num_imms && !is(p, ir_imm_infos[info->imms[slot]].name))
            slot++;
        if (slot == info->num_imms)
            refuse(p, "an immediate of this operation must stand here");
        advance(p);
        instr->imm[slot] = parse_imm_value(p, &ir_imm_infos[info->imms[slot]]);
    } while (accept(p, ","));
    expect(p, "}");
}

static void parse_flags(struct parser *p, struct ir_instr *instr)
{
    while (is(p, "!") && !p->line_start) {
        advance(p);
        uint32_t bit = 0;
        while (bit < ir_flag_fields.count && !is(p, ir_flag_fields.data[bit].name))
            bit++;
        if (bit == ir_flag_fields.count)
            refuse(p, "a flag must stand here");
        advance(p);
        instr->flags |= 1u << bit;
    }
}

static void parse_phi_sources(struct parser *p, struct ir_instr *phi)
{
    if (p->line_start || !starts_with(p, "b"))
        return;
    do {
        struct pending pending = {.phi = phi, .line = p->line};
        if (!starts_with(p, "b"))
            refuse(p, "a block like b0 must stand here");
        pending.pred = number_behind(p, 1, UINT32_MAX);
        pending.value = value_name(p);
        if (!array_push(&p->pending, pending))
            ir_fail(p->shader, "out of memory");
    } while (accept(p, ","));
}

static uint32_t parse_sources(struct parser *p, struct ir_value **srcs, uint32_t room)
{
    uint32_t count = 0;
    if (!is(p, "%") || p->line_start)
        return 0;
    do {
        if (count == room)
            ir_fail(p->shader, "line %u: more than %u operands", p->line, room);
        srcs[count++] = parse_value(p);
    } while (accept(p, ","));
    return count;
}

static enum ir_op parse_op(struct parser *p)
{
    for (uint32_t op = 0; op < IR_OP_COUNT; op++) {
        if (is(p, ir_op_infos[op].name)) {
            advance(p);
            return (enum ir_op)op;
        }
    }
    refuse(p, "an operation must stand here");
}

static void parse_instr(struct parser *p, struct ir_block *block)
{
    uint32_t line = p->line;
    uint64_t name = 0;
    uint8_t bits = 0, comps = 1;
    if (is(p, "%")) {
        name = value_name(p);
        expect(p, ":");
        /* 32x4 is one word to the lexer: cut it before the x. */
        const char *x = memchr(p->token, 'x', p->length);
        if (x) {
            p->length = (size_t)(x - p->token);
            p->next = x;
        }
        bits = width(p);
        if (x)
            comps = (uint8_t)number_behind(p, 1, IR_MAX_COMPS);
        expect(p, "=");
    }
    if (p->line_start && bits)
        refuse(p, "an operation must stand here");
    enum ir_op op = parse_op(p);
    struct ir_value *srcs[32];
    uint64_t constant = op == IR_OP_const ? number(p, UINT64_MAX) : 0;
    uint32_t num_srcs = op == IR_OP_phi ? 0 : parse_sources(p, srcs, ARRAY_SIZE(srcs));
    struct ir_instr *instr = ir_instr_alloc(p->shader, op, bits, comps, num_srcs);
    for (uint32_t i = 0; i < num_srcs; i++)
        ir_use_set(&instr->srcs[i], srcs[i]);
    instr->imm[0] = (uint32_t)constant;
    instr->imm[1] = (uint32_t)(constant >> 32);
    if (op == IR_OP_phi)
        parse_phi_sources(p, instr);
    parse_imms(p, instr);
    parse_flags(p, instr);
    if (!p->line_start && p->length)
        refuse(p, "the line must end here");
    instr->block = block;
    list_push_back(&block->instrs, &instr->link);
    if (bits)
        define(p, &p->values, name, &instr->def, line);
}

/* --- control flow --- */

static void parse_region(struct parser *p, struct ir_region *region);

static void parse_braced(struct parser *p, struct ir_region *region)
{
    if (++p->depth > MAX_DEPTH)
        ir_fail(p->shader, "line %u: nested deeper than %u", p->line, MAX_DEPTH);
    expect(p, "{");
    parse_region(p, region);
    expect(p, "}");
    p->depth--;
}

static void parse_if(struct parser *p, struct ir_region *region)
{
    struct ir_if *node = ir_if_create(p->shader, parse_value(p));
    node->flatten = accept(p, "flatten");
    node->dont_flatten = accept(p, "dont_flatten");
    ir_node_insert_after(&ir_region_last(region)->node, &node->node);
    parse_braced(p, &node->then_region);
    expect(p, "else");
    parse_braced(p, &node->else_region);
}

static void parse_loop(struct parser *p, struct ir_region *region)
{
    struct ir_loop *node = ir_loop_create(p->shader);
    node->unroll = accept(p, "unroll");
    node->dont_unroll = accept(p, "dont_unroll");
    ir_node_insert_after(&ir_region_last(region)->node, &node->node);
    parse_braced(p, &node->body);
    expect(p, "continue");
    parse_braced(p, &node->cont);
}

static void parse_block(struct parser *p, struct ir_block *block)
{
    if (!starts_with(p, "b"))
        refuse(p, "a block like b0 must stand here");
    uint32_t line = p->line;
    uint64_t name = number_behind(p, 1, UINT32_MAX);
    expect(p, ":");
    define(p, &p->blocks, name, block, line);
    while (p->length && !is(p, "}") && !is(p, "if") && !is(p, "loop"))
        parse_instr(p, block);
}

static void parse_region(struct parser *p, struct ir_region *region)
{
    parse_block(p, ir_region_first(region));
    for (;;) {
        if (accept(p, "if"))
            parse_if(p, region);
        else if (accept(p, "loop"))
            parse_loop(p, region);
        else
            return;
        struct ir_node *node = container_of(region->nodes.prev, struct ir_node, link);
        parse_block(p, ir_block_insert_after(p->shader, node));
    }
}

static void resolve_phis(struct parser *p)
{
    array_foreach (&p->pending, pending) {
        uint64_t *block = map64_get(&p->blocks, pending->pred);
        if (!block)
            ir_fail(p->shader, "line %u: no block is called b%llu", pending->line, (unsigned long long)pending->pred);
        ir_phi_add(p->shader, pending->phi, (struct ir_block *)(uintptr_t)*block,
                   find_value(p, pending->value, pending->line));
    }
}

/* setjmp's function changes no variable of its own. */
static __attribute__((noinline)) bool parse_guarded(struct parser *p, struct ir_failure *failure)
{
    if (ir_guard(p->shader, failure))
        return false;
    advance(p);
    parse_head(p);
    parse_region(p, &p->shader->body);
    if (p->length)
        refuse(p, "the text must end here");
    resolve_phis(p);
    ir_index(p->shader);
    p->shader->failure = NULL;
    return true;
}

struct ir_shader *ir_parse_unchecked(const char *text, char error_out[256])
{
    struct parser p = {.shader = ir_shader_create(IR_STAGE_compute), .next = text, .line = 1};
    struct ir_failure failure = {0};
    snprintf(error_out, 256, "out of memory");
    if (!p.shader)
        return NULL;
    bool done = parse_guarded(&p, &failure);
    map64_finish(&p.values);
    map64_finish(&p.blocks);
    array_finish(&p.pending);
    if (done)
        return p.shader;
    memcpy(error_out, failure.text, sizeof(failure.text));
    ir_shader_destroy(p.shader);
    return NULL;
}

static __attribute__((noinline)) bool keeps_rules(struct ir_shader *shader, char error_out[256])
{
    struct ir_failure failure = {0};
    if (ir_guard(shader, &failure)) {
        memcpy(error_out, failure.text, sizeof(failure.text));
        return false;
    }
    const char *wrong = ir_validate(shader);
    if (wrong)
        snprintf(error_out, 256, "%s", wrong);
    arena_reset(&shader->scratch);
    shader->failure = NULL;
    return !wrong;
}

struct ir_shader *ir_parse(const char *text, char error_out[256])
{
    struct ir_shader *shader = ir_parse_unchecked(text, error_out);
    if (!shader || keeps_rules(shader, error_out))
        return shader;
    ir_shader_destroy(shader);
    return NULL;
}
