/* See text.h. No register or packet is known here by name. */
#include "hw/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hw/pack.h"
#include "util/bits.h"

#define COLUMN_LIMIT 140
#define CONTINUE_COLUMN 29 /* where a long line goes on */
#define DATA_PER_LINE 8
#define FLUSH_AT_B (64u << 10)

#define MAX_DEPTH 4 /* hardware has two or three levels */
#define MAX_FOLLOWED_DW (4u << 20)

void hw_text_problem(struct hw_text *t, uint64_t offset_B, const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    t->problems++;
    if (t->options->problem)
        t->options->problem(t->options->data, t->va, offset_B, message);
}

/* --- lines --- */

void hw_text_line(struct hw_text *t)
{
    t->line_start = t->out->length;
    t->indent = CONTINUE_COLUMN;
}

void hw_text_end_line(struct hw_text *t)
{
    strbuf_append(t->out, "\n");
}

void hw_text_word(struct hw_text *t, const char *format, ...)
{
    char word[256];
    va_list args;
    va_start(args, format);
    vsnprintf(word, sizeof(word), format, args);
    va_end(args);
    if (t->out->length - t->line_start + 1 + strlen(word) > COLUMN_LIMIT) {
        strbuf_append(t->out, "\n");
        hw_text_line(t);
        strbuf_printf(t->out, "%*s", (int)t->indent, "");
    }
    strbuf_printf(t->out, " %s", word);
}

void hw_text_flush(struct hw_text *t)
{
    if (t->options->flush && t->out->length > FLUSH_AT_B)
        t->options->flush(t->options->data, t->out);
}

/* --- fields --- */

static void register_text(const struct hw_text *t, uint32_t offset, char *text, size_t size_B)
{
    unsigned index;
    const struct hw_reg *reg = hw_reg_find(t->tables, t->generation, offset, &index);
    if (reg)
        hw_reg_name(reg, index, text, size_B);
    else
        snprintf(text, size_B, "0x%05" PRIx32, offset);
}

static void fixed_text(const struct hw_field *field, uint64_t value, unsigned width, char *text, size_t size_B)
{
    int64_t number = field->type == HW_TYPE_SFIXED ? bits_sign_extend(value, width) : (int64_t)value;
    snprintf(text, size_B, "%g", (double)number / (double)(1u << field->shift));
}

static void value_text(const struct hw_text *t, const struct hw_field *field, const uint32_t *dw, char *text,
                       size_t size_B)
{
    struct hw_bits bits = field->bits[t->generation];
    uint64_t value = hw_get_uint(dw, bits.low, bits.width);
    const char *name = NULL;
    switch (field->type) {
    case HW_TYPE_HEX:
        snprintf(text, size_B, "0x%" PRIx64, value << field->shift);
        return;
    case HW_TYPE_INT:
        snprintf(text, size_B, "%" PRId64, bits_sign_extend(value, bits.width));
        return;
    case HW_TYPE_FLOAT:
        snprintf(text, size_B, "%.9g", (double)hw_get_float(dw, bits.low));
        return;
    case HW_TYPE_VA:
        snprintf(text, size_B, "0x%012" PRIx64, value << field->shift);
        return;
    case HW_TYPE_REG:
        register_text(t, field->base + ((uint32_t)value << t->tables->reg_shift), text, size_B);
        return;
    case HW_TYPE_FIXED:
    case HW_TYPE_SFIXED:
        fixed_text(field, value, bits.width, text, size_B);
        return;
    case HW_TYPE_FORMAT:
        name = t->tables->format_name(t->generation, (unsigned)value);
        break;
    case HW_TYPE_ENUM:
        name = hw_enum_name(hw_follow(&field->values), value);
        break;
    case HW_TYPE_LETTER:
        snprintf(text, size_B, "%c%" PRIu64, (char)field->base, value);
        return;
    case HW_TYPE_POW2:
        value = 1ull << value;
        break;
    case HW_TYPE_UINT:
        value = (value << field->shift) + field->less;
        break;
    }
    if (name)
        snprintf(text, size_B, "%s", name);
    else
        snprintf(text, size_B, "%" PRIu64, value);
}

static bool is_silent(const struct hw_text *t, const struct hw_field *field, const uint32_t *dw, bool in_packet)
{
    struct hw_bits bits = field->bits[t->generation];
    if (field->less || field->type == HW_TYPE_POW2 || field->type == HW_TYPE_LETTER)
        return false; /* bits of zero mean something */
    return !t->options->all_fields && !(in_packet && bits.width >= 32) && hw_get_uint(dw, bits.low, bits.width) == 0;
}

static void add_field(struct hw_text *t, const struct hw_field *field, const uint32_t *dw, bool in_packet)
{
    if (is_silent(t, field, dw, in_packet))
        return;
    char text[96];
    value_text(t, field, dw, text, sizeof(text));
    hw_text_word(t, "%s=%s", hw_name(field), text);
}

void hw_text_fields(struct hw_text *t, const struct hw_field *fields, unsigned first, unsigned field_count,
                    const uint32_t *dw, unsigned count_dw, bool in_packet)
{
    for (unsigned i = first; i < field_count; i++) {
        if (hw_field_applies(fields, &fields[i], t->generation, dw, count_dw))
            add_field(t, &fields[i], dw, in_packet);
    }
}

bool hw_text_descriptor(struct hw_text *t, const char *name, const uint32_t *dw)
{
    const struct hw_descriptor *descriptor = hw_descriptor_find(t->tables, name);
    if (!descriptor)
        return false;
    hw_text_line(t);
    strbuf_append(t->out, name);
    hw_text_fields(t, hw_fields(descriptor), 0, descriptor->field_count, dw, descriptor->length_dw, false);
    return true;
}

/* --- registers --- */

static void add_register_policy(struct hw_text *t, const struct hw_reg *reg, uint32_t value)
{
    if (!t->options->policies)
        return;
    if (hw_reg_write_stops(reg, t->generation, value)) {
        const struct hw_field *field;
        const char *reason = hw_reg_stop_reason(reg, t->generation, value, &field);
        hw_text_word(t, "[stop: %s%s%s]", field ? hw_name(field) : "", field ? ": " : "", reason ? reason : "");
    } else if (reg->policy == HW_POLICY_IGNORED) {
        hw_text_word(t, "[ignored: %s]", hw_reason(reg));
    }
}

void hw_text_register(struct hw_text *t, const struct hw_reg *reg, unsigned index, uint64_t value)
{
    const uint32_t dw[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    const unsigned width = reg->is_wide ? 64 : 32;
    char name[64];
    hw_reg_name(reg, index, name, sizeof(name));
    strbuf_printf(t->out, "%-30s = 0x%0*" PRIx64, name, (int)width / 4, value);
    /* A register that is one number needs no field name; its bits are the value already. */
    const struct hw_field *only = hw_fields(reg);
    bool is_number = reg->field_count == 1 && only->bits[t->generation].width == width &&
                     (only->type == HW_TYPE_UINT || (reg->is_wide && only->type == HW_TYPE_VA));
    if (!is_number)
        hw_text_fields(t, hw_fields(reg), 0, reg->field_count, dw, width / 32, false);
    uint64_t unknown = hw_reg_unknown_bits(reg, t->generation, value);
    if (unknown)
        hw_text_word(t, "?=0x%" PRIx64, unknown);
    add_register_policy(t, reg, dw[0]);
}

/* One register of a run, or both halves of a wide one; returns how many values it took. */
static unsigned print_register(struct hw_text *t, uint32_t offset, const uint32_t *values, unsigned count,
                               uint64_t stream_offset_B)
{
    unsigned index;
    const struct hw_reg *reg = hw_reg_find(t->tables, t->generation, offset, &index);
    hw_text_line(t);
    strbuf_printf(t->out, "%*s%05" PRIx32 " ", 12, "", offset);
    if (!reg) {
        strbuf_printf(t->out, "%-30s = 0x%08" PRIx32, "?", values[0]);
        hw_text_problem(t, stream_offset_B, "register 0x%05" PRIx32 " is not in the tables", offset);
    } else if (!reg->is_wide) {
        hw_text_register(t, reg, index, values[0]);
    } else if (count > 1 && offset == reg->offset[t->generation] + index * reg->stride) {
        hw_text_register(t, reg, index, (uint64_t)values[1] << 32 | values[0]);
        hw_text_end_line(t);
        return 2;
    } else {
        char name[64], half[80];
        bool is_high = offset != reg->offset[t->generation] + index * reg->stride;
        hw_reg_name(reg, index, name, sizeof(name));
        snprintf(half, sizeof(half), "%s (%s)", name, is_high ? "high" : "low");
        strbuf_printf(t->out, "%-30s = 0x%08" PRIx32, half, values[0]);
        add_register_policy(t, reg, values[0]);
    }
    hw_text_end_line(t);
    return 1;
}

void hw_text_registers(struct hw_text *t, uint32_t offset, const uint32_t *values, unsigned count,
                       uint64_t stream_offset_B)
{
    for (unsigned i = 0, step; i < count; i += step)
        step = print_register(t, offset + (i << t->tables->reg_shift), values + i, count - i, stream_offset_B + 4 * i);
}

/* --- packets --- */

void hw_text_data(struct hw_text *t, const uint32_t *dw, unsigned count)
{
    for (unsigned i = 0; i < count; i += DATA_PER_LINE) {
        strbuf_printf(t->out, "%*s", 11, "");
        for (unsigned j = i; j < count && j < i + DATA_PER_LINE; j++)
            strbuf_printf(t->out, " %08" PRIx32, dw[j]);
        hw_text_end_line(t);
    }
}

/* The fields of the last dwords again, a line for each time. What is left over at the end is plain data. */
static void print_repeats(struct hw_text *t, const struct hw_packet *packet, const uint32_t *dw, unsigned count_dw)
{
    unsigned fixed_dw = packet->length_dw[t->generation], first_bit = 32 * (fixed_dw - packet->repeat_dw);
    for (unsigned at = fixed_dw; at + packet->repeat_dw <= count_dw; at += packet->repeat_dw) {
        const uint32_t *moved = dw + (at + packet->repeat_dw - fixed_dw);
        hw_text_line(t);
        strbuf_printf(t->out, "%*s", 11, "");
        for (unsigned i = 0; i < packet->field_count; i++) {
            const struct hw_field *field = &hw_fields(packet)[i];
            if (field->bits[t->generation].low >= first_bit &&
                hw_field_applies(hw_fields(packet), field, t->generation, moved, fixed_dw))
                add_field(t, field, moved, true);
        }
        hw_text_end_line(t);
    }
    unsigned rest_dw = (count_dw - fixed_dw) % packet->repeat_dw;
    hw_text_data(t, dw + count_dw - rest_dw, rest_dw);
}

static void print_pairs(struct hw_text *t, const uint32_t *dw, unsigned count, uint32_t base, uint64_t offset_B)
{
    for (unsigned i = 0; i + 1 < count; i += 2)
        hw_text_registers(t, base + (dw[i] << t->tables->reg_shift), dw + i + 1, 1, offset_B + 4 * i);
    if (count % 2)
        hw_text_data(t, dw + count - 1, 1);
}

static void print_tail(struct hw_text *t, const struct hw_packet *packet, const uint32_t *dw, unsigned count_dw,
                       uint64_t offset_B)
{
    unsigned fixed_dw = packet->length_dw[t->generation];
    if (count_dw <= fixed_dw)
        return;
    unsigned tail_dw = count_dw - fixed_dw;
    if (packet->tail == HW_TAIL_REGS) {
        struct hw_bits bits = hw_fields(packet)[0].bits[t->generation];
        uint32_t first = (uint32_t)hw_get_uint(dw, bits.low, bits.width) << t->tables->reg_shift;
        hw_text_registers(t, packet->tail_base + first, dw + fixed_dw, tail_dw, offset_B + 4 * fixed_dw);
    } else if (packet->tail == HW_TAIL_PAIRS) {
        print_pairs(t, dw + fixed_dw, tail_dw, packet->tail_base, offset_B + 4 * fixed_dw);
    } else if (packet->tail == HW_TAIL_REPEAT) {
        print_repeats(t, packet, dw, count_dw);
    } else {
        hw_text_data(t, dw + fixed_dw, tail_dw);
    }
    if (packet->tail == HW_TAIL_NONE)
        hw_text_problem(t, offset_B, "%s has %u dwords, %u more than it should", hw_name(packet), count_dw, tail_dw);
}

static void add_packet_policy(struct hw_text *t, const struct hw_packet *packet, const uint32_t *dw, unsigned count_dw)
{
    if (!t->options->policies)
        return;
    const struct hw_field *field = hw_packet_stop_field(packet, t->generation, dw, count_dw);
    if (packet->policy == HW_POLICY_STOP)
        hw_text_word(t, "[stop: %s]", hw_reason(packet));
    else if (field)
        hw_text_word(t, "[stop: %s: %s]", hw_name(field), hw_reason(field));
    else if (packet->policy == HW_POLICY_IGNORED)
        hw_text_word(t, "[ignored: %s]", hw_reason(packet));
}

void hw_text_packet(struct hw_text *t, const struct hw_packet *packet, const uint32_t *dw, unsigned count_dw,
                    uint64_t offset_B)
{
    unsigned fixed_dw = MIN2(count_dw, packet->length_dw[t->generation]);
    /* The registers below such a packet say its offset. */
    unsigned skip = packet->tail == HW_TAIL_REGS ? 1 : 0;
    hw_text_fields(t, hw_fields(packet), skip, packet->field_count, dw, fixed_dw, true);
    add_packet_policy(t, packet, dw, count_dw);
    hw_text_end_line(t);
    print_tail(t, packet, dw, count_dw, offset_B);
}

size_t hw_text_self_sized(struct hw_text *t, const struct hw_packet *packet, const uint32_t *dw, size_t left_dw,
                          uint64_t offset_B)
{
    hw_text_line(t);
    strbuf_printf(t->out, "%08" PRIx64 "  ", offset_B);
    if (!packet) {
        strbuf_printf(t->out, "? header 0x%08" PRIx32 "\n", dw[0]);
        hw_text_problem(t, offset_B, "header 0x%08" PRIx32 " is not in the tables, nor is its length", dw[0]);
        return left_dw;
    }
    uint32_t there_dw = (uint32_t)MIN2(left_dw, UINT32_MAX), fixed_dw = packet->min_dw[t->generation];
    uint32_t length_dw = there_dw < fixed_dw ? fixed_dw : hw_packet_length_dw(packet, t->generation, dw);
    uint32_t tail_dw = packet->tail == HW_TAIL_NONE || length_dw < fixed_dw ? 0 : length_dw - fixed_dw;
    there_dw = MIN2(there_dw, length_dw);
    strbuf_append(t->out, hw_name(packet));
    hw_text_fields(t, hw_fields(packet), 0, packet->field_count, dw, MIN2(there_dw, length_dw - tail_dw), true);
    add_packet_policy(t, packet, dw, there_dw);
    hw_text_end_line(t);
    if (there_dw > fixed_dw && tail_dw)
        hw_text_data(t, dw + fixed_dw, there_dw - fixed_dw);
    if (there_dw < length_dw)
        hw_text_problem(t, offset_B, "%s is cut off: %u dwords of %u are there", hw_name(packet), there_dw, length_dw);
    return there_dw;
}

/* --- buffers --- */

bool hw_text_find_buffer(struct hw_text *t, uint64_t va, uint32_t count_dw, uint64_t offset_B,
                         struct hw_buffer *buffer_out)
{
    t->followed_dw += count_dw;
    if (t->followed_dw > MAX_FOLLOWED_DW || t->depth >= MAX_DEPTH) {
        hw_text_problem(t, offset_B, "the buffer at 0x%" PRIx64 " is not entered: too deep, or too much in all", va);
        return false;
    }
    const uint32_t *dw = t->options->read(t->options->data, va, count_dw);
    if (!dw) {
        hw_text_problem(t, offset_B, "cannot read %" PRIu32 " dwords of the indirect buffer at 0x%" PRIx64, count_dw,
                        va);
        return false;
    }
    *buffer_out = (struct hw_buffer){dw, count_dw, va};
    return true;
}

void hw_text_call(struct hw_text *t, const struct hw_buffer *target,
                  void (*decode)(struct hw_text *t, const struct hw_buffer *buffer))
{
    uint64_t va = t->va;
    strbuf_printf(t->out, "call 0x%012" PRIx64 " {\n", target->va);
    t->depth++;
    decode(t, target);
    t->depth--;
    t->va = va;
    strbuf_printf(t->out, "} back from 0x%012" PRIx64 "\n", target->va);
}
