/* The IR as text that ir_parse reads back. docs/compiler-ir.md shows it. */
#include <inttypes.h>
#include <math.h>

#include "util/bits.h"
#include "util/half.h"
#include "util/strbuf.h"

#include "compiler/ir/ir_fold.h"
#include "compiler/ir/ir_text.h"

/* A name in quotes; what would end it or the line is written as a question mark, because names mean nothing to the
 * code. */
static void print_quoted(struct strbuf *out, const char *text)
{
    strbuf_append(out, "\"");
    for (; *text; text++) {
        char c = *text == '"' || *text == '\\' || (unsigned char)*text < ' ' ? '?' : *text;
        strbuf_append_n(out, &c, 1);
    }
    strbuf_append(out, "\"");
}

static void print_location(struct strbuf *out, uint32_t location)
{
    if (location >= IR_LOCATION_VAR0)
        strbuf_printf(out, "var%u", location - IR_LOCATION_VAR0);
    else if (location < ir_num_location_names)
        strbuf_append(out, ir_location_names[location]);
    else
        strbuf_printf(out, "%u", location);
}

static void print_bits(struct strbuf *out, uint32_t value, const char *const *words, uint32_t num_words)
{
    const char *between = "";
    for (uint32_t i = 0; i < num_words; i++) {
        if (!(value >> i & 1))
            continue;
        strbuf_printf(out, "%s%s", between, words[i]);
        between = "+";
    }
    if (num_words < 32 && value >> num_words)
        strbuf_printf(out, "%s%u", between, value >> num_words << num_words);
}

static void print_imm(struct strbuf *out, const struct ir_imm_info *info, uint32_t value)
{
    strbuf_printf(out, "%s ", info->name);
    switch (info->format) {
    case IR_IMM_FORMAT_dec:
        strbuf_printf(out, "%u", value);
        break;
    case IR_IMM_FORMAT_hex:
        strbuf_printf(out, "0x%x", value);
        break;
    case IR_IMM_FORMAT_var:
        strbuf_printf(out, "v%u", value);
        break;
    case IR_IMM_FORMAT_location:
        print_location(out, value);
        break;
    case IR_IMM_FORMAT_enum:
        if (value < info->num_words)
            strbuf_append(out, info->words[value]);
        else
            strbuf_printf(out, "%u", value);
        break;
    case IR_IMM_FORMAT_set:
    case IR_IMM_FORMAT_bits:
        print_bits(out, value, info->words, info->num_words);
        break;
    }
}

static bool is_silent(const struct ir_imm_info *info, uint32_t value)
{
    return value == 0 && info->format != IR_IMM_FORMAT_enum && info->format != IR_IMM_FORMAT_var &&
           info->format != IR_IMM_FORMAT_location;
}

static void print_imms(struct strbuf *out, const struct ir_instr *instr)
{
    const struct ir_op_info *info = ir_info(instr);
    bool any = false;
    for (uint32_t i = 0; i < info->num_imms; i++) {
        const struct ir_imm_info *imm = &ir_imm_infos[info->imms[i]];
        if (is_silent(imm, instr->imm[i]))
            continue;
        strbuf_append(out, any ? ", " : " {");
        print_imm(out, imm, instr->imm[i]);
        any = true;
    }
    if (any)
        strbuf_append(out, "}");
}

static void print_srcs(struct strbuf *out, const struct ir_instr *instr)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        strbuf_append(out, i ? ", " : " ");
        if (instr->op == IR_OP_phi)
            strbuf_printf(out, "b%u ", instr->preds[i]->index);
        if (ir_src(instr, i))
            strbuf_printf(out, "%%%u", ir_src(instr, i)->index);
        else
            strbuf_append(out, "%?");
    }
}

/* A constant, and as a remark the float that it would be where that is a number people write. */
static void print_const(struct strbuf *out, const struct ir_instr *instr)
{
    uint64_t value = (uint64_t)instr->imm[1] << 32 | instr->imm[0];
    strbuf_printf(out, " 0x%" PRIx64, value);
    if (instr->def.bits < 16)
        return;
    double number = ir_bits_to_float(value, instr->def.bits);
    if (isfinite(number) && fabs(number) > 1e-5 && fabs(number) < 1e7)
        strbuf_printf(out, " ; %.9g", number);
}

void ir_print_instr(const struct ir_instr *instr, struct strbuf *out)
{
    if (instr->op >= IR_OP_COUNT) {
        strbuf_printf(out, "operation %u", instr->op);
        return;
    }
    if (instr->def.bits) {
        strbuf_printf(out, "%%%u:%u", instr->def.index, instr->def.bits);
        if (instr->def.comps != 1)
            strbuf_printf(out, "x%u", instr->def.comps);
        strbuf_append(out, " = ");
    }
    strbuf_append(out, ir_info(instr)->name);
    if (instr->op == IR_OP_const) {
        print_const(out, instr);
        return;
    }
    print_srcs(out, instr);
    print_imms(out, instr);
    for (uint32_t i = 0; i < ir_flag_fields.count; i++)
        if (instr->flags >> i & 1)
            strbuf_printf(out, " !%s", ir_flag_fields.data[i].name);
}

static void print_indent(struct strbuf *out, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        strbuf_append_n(out, "    ", 4);
}

struct print {
    struct strbuf *out;
    bool divergence;
};

static void print_region(const struct print *p, const struct ir_region *region, uint32_t depth);

static void print_block(const struct print *p, const struct ir_block *block, uint32_t depth)
{
    print_indent(p->out, depth);
    strbuf_printf(p->out, "b%u:\n", block->index);
    ir_foreach_instr (block, instr) {
        print_indent(p->out, depth + 1);
        ir_print_instr(instr, p->out);
        if (p->divergence && instr->def.bits && instr->def.divergent)
            strbuf_append(p->out, " ; divergent");
        strbuf_append(p->out, "\n");
    }
}

static void print_if(const struct print *p, const struct ir_if *node, uint32_t depth)
{
    print_indent(p->out, depth);
    if (node->condition.value)
        strbuf_printf(p->out, "if %%%u", node->condition.value->index);
    else
        strbuf_append(p->out, "if %?");
    strbuf_printf(p->out, "%s%s {\n", node->flatten ? " flatten" : "", node->dont_flatten ? " dont_flatten" : "");
    print_region(p, &node->then_region, depth + 1);
    print_indent(p->out, depth);
    strbuf_append(p->out, "} else {\n");
    print_region(p, &node->else_region, depth + 1);
    print_indent(p->out, depth);
    strbuf_append(p->out, "}\n");
}

static void print_loop(const struct print *p, const struct ir_loop *node, uint32_t depth)
{
    print_indent(p->out, depth);
    strbuf_printf(p->out, "loop%s%s {\n", node->unroll ? " unroll" : "", node->dont_unroll ? " dont_unroll" : "");
    print_region(p, &node->body, depth + 1);
    print_indent(p->out, depth);
    strbuf_append(p->out, "} continue {\n");
    print_region(p, &node->cont, depth + 1);
    print_indent(p->out, depth);
    strbuf_append(p->out, "}\n");
}

static void print_region(const struct print *p, const struct ir_region *region, uint32_t depth)
{
    list_foreach (&region->nodes, struct ir_node, node, link) {
        if (node->kind == IR_BLOCK)
            print_block(p, ir_node_block(node), depth);
        else if (node->kind == IR_IF)
            print_if(p, ir_node_if(node), depth);
        else
            print_loop(p, ir_node_loop(node), depth);
    }
}

static void print_field(struct strbuf *out, const struct ir_field *field, uint64_t value)
{
    strbuf_append(out, field->name);
    switch (field->kind) {
    case IR_FIELD_BOOL:
        break;
    case IR_FIELD_WORD:
        if (value < field->num_words)
            strbuf_printf(out, " %s", field->words[value]);
        else
            strbuf_printf(out, " %" PRIu64, value);
        break;
    case IR_FIELD_LOCATION:
        strbuf_append(out, " ");
        print_location(out, (uint32_t)value);
        break;
    case IR_FIELD_TEXT:
        strbuf_append(out, " ");
        print_quoted(out, (const char *)(uintptr_t)value);
        break;
    default:
        strbuf_printf(out, " %" PRIu64, value);
    }
}

static void print_object(struct strbuf *out, const char *word, const struct ir_fields *fields, const void *object)
{
    strbuf_printf(out, "%s {", word);
    for (uint32_t i = 0; i < fields->count; i++) {
        uint64_t value = ir_field_get(&fields->data[i], object);
        if (value == 0 && fields->data[i].kind != IR_FIELD_LOCATION)
            continue;
        strbuf_append(out, " ");
        print_field(out, &fields->data[i], value);
    }
    strbuf_append(out, " }\n");
}

static void print_const_data(struct strbuf *out, const struct ir_shader *shader)
{
    if (!shader->const_data_size_B)
        return;
    strbuf_append(out, "const_data \"");
    for (uint32_t i = 0; i < shader->const_data_size_B; i++)
        strbuf_printf(out, "%02x", shader->const_data[i]);
    strbuf_append(out, "\"\n");
}

void ir_print(const struct ir_shader *shader, struct strbuf *out)
{
    strbuf_printf(out, "shader %s", ir_stage_names[shader->stage]);
    if (shader->name) {
        strbuf_append(out, " ");
        print_quoted(out, shader->name);
    }
    strbuf_append(out, "\n");
    for (uint32_t i = 0; i < ir_shader_fields.count; i++) {
        uint64_t value = ir_field_get(&ir_shader_fields.data[i], shader);
        if (value == 0)
            continue;
        print_field(out, &ir_shader_fields.data[i], value);
        strbuf_append(out, "\n");
    }
    for (uint32_t i = 0; i < shader->num_inputs; i++)
        print_object(out, "input", &ir_io_fields, &shader->inputs[i]);
    for (uint32_t i = 0; i < shader->num_outputs; i++)
        print_object(out, "output", &ir_io_fields, &shader->outputs[i]);
    for (uint32_t i = 0; i < shader->num_resources; i++)
        print_object(out, "resource", &ir_resource_fields, &shader->resources[i]);
    for (uint32_t i = 0; i < shader->num_captures; i++)
        print_object(out, "capture", &ir_capture_fields, &shader->captures[i]);
    print_const_data(out, shader);
    list_foreach (&shader->vars, struct ir_var, var, link) {
        strbuf_printf(out, "var v%u %u x %u", var->index, var->bits, var->length);
        if (var->name) {
            strbuf_append(out, " ");
            print_quoted(out, var->name);
        }
        if (var->scratch_offset_B)
            strbuf_printf(out, " scratch %u", var->scratch_offset_B);
        strbuf_append(out, "\n");
    }
    const struct print print = {out, shader->divergence_valid};
    print_region(&print, &shader->body, 0);
}
