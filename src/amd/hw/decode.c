/* Prints command streams from the hardware tables. No register or packet is known here by name but for the few whose
 * meaning is the shape of the stream: NOP's one-dword form, INDIRECT_BUFFER, and the SET packets' tails. */
#include "amd/hw/decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "amd/hw/pack.h"
#include "amd/hw/packets.h"
#include "amd/hw/table.h"
#include "util/bits.h"
#include "util/map.h"

#define COLUMN_LIMIT 140
#define CONTINUE_COLUMN 29 /* where a long line goes on */
#define DATA_PER_LINE 8
#define FLUSH_AT_B (64u << 10)

/* Buffers call each other two deep on hardware. What they call may call them back: depth and total are bounded. */
#define MAX_DEPTH 4
#define MAX_FOLLOWED_DW (4u << 20)

struct decoder {
    struct strbuf *out;
    const struct amd_decode_options *options;
    enum amd_gfx gfx;
    unsigned problems;
    uint64_t followed_dw;
    size_t line_start; /* where the current line begins in `out` */
    unsigned indent;   /* of lines that a long one goes on in */
    uint64_t va;       /* of the buffer at hand */
    unsigned depth;
};

static void report(struct decoder *d, uint64_t offset_B, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void report(struct decoder *d, uint64_t offset_B, const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    d->problems++;
    if (d->options->problem)
        d->options->problem(d->options->data, d->va, offset_B, message);
}

/* --- lines --- */

static void begin_line(struct decoder *d, unsigned indent)
{
    d->line_start = d->out->length;
    d->indent = indent;
}

static void end_line(struct decoder *d)
{
    strbuf_append(d->out, "\n");
}

/* Append a word to the line, or to the next one where it would be too long. */
static void add_word(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_word(struct decoder *d, const char *format, ...)
{
    char word[256];
    va_list args;
    va_start(args, format);
    vsnprintf(word, sizeof(word), format, args);
    va_end(args);
    if (d->out->length - d->line_start + 1 + strlen(word) > COLUMN_LIMIT) {
        strbuf_append(d->out, "\n");
        begin_line(d, d->indent);
        strbuf_printf(d->out, "%*s", (int)d->indent, "");
    }
    strbuf_printf(d->out, " %s", word);
}

/* --- fields --- */

static void register_text(enum amd_gfx gfx, uint32_t offset_B, char *text, size_t size_B)
{
    unsigned index;
    const struct amd_reg *reg = amd_reg_find(gfx, offset_B, &index);
    if (reg)
        amd_reg_name(reg, index, text, size_B);
    else
        snprintf(text, size_B, "0x%05" PRIx32, offset_B);
}

static void fixed_text(const struct amd_field *field, uint64_t value, unsigned width, char *text, size_t size_B)
{
    int64_t number = field->type == AMD_TYPE_SFIXED ? bits_sign_extend(value, width) : (int64_t)value;
    snprintf(text, size_B, "%g", (double)number / (double)(1u << field->fraction_bits));
}

static void value_text(enum amd_gfx gfx, const struct amd_field *field, const uint32_t *dw, char *text, size_t size_B)
{
    struct amd_bits bits = field->bits[gfx];
    uint64_t value = amd_get_uint(dw, bits.low, bits.width);
    const char *name = NULL;
    switch (field->type) {
    case AMD_TYPE_HEX:
        snprintf(text, size_B, "0x%" PRIx64, value);
        return;
    case AMD_TYPE_INT:
        snprintf(text, size_B, "%" PRId64, bits_sign_extend(value, bits.width));
        return;
    case AMD_TYPE_FLOAT:
        snprintf(text, size_B, "%.9g", (double)amd_get_float(dw, bits.low));
        return;
    case AMD_TYPE_VA:
        snprintf(text, size_B, "0x%012" PRIx64, value);
        return;
    case AMD_TYPE_REG:
        register_text(gfx, (uint32_t)value * 4, text, size_B);
        return;
    case AMD_TYPE_SHREG:
        register_text(gfx, amd_space_base_B(AMD_SPACE_SH) + (uint32_t)value * 4, text, size_B);
        return;
    case AMD_TYPE_CTXREG:
        register_text(gfx, amd_space_base_B(AMD_SPACE_CONTEXT) + (uint32_t)value * 4, text, size_B);
        return;
    case AMD_TYPE_UREG:
        register_text(gfx, amd_space_base_B(AMD_SPACE_UCONFIG) + (uint32_t)value * 4, text, size_B);
        return;
    case AMD_TYPE_FIXED:
    case AMD_TYPE_SFIXED:
        fixed_text(field, value, bits.width, text, size_B);
        return;
    case AMD_TYPE_FORMAT: {
        const struct amd_image_format *format = amd_image_format_find(gfx, (unsigned)value);
        name = format ? format->name : NULL;
        break;
    }
    case AMD_TYPE_ENUM:
        name = amd_enum_name(field->values, value);
        break;
    case AMD_TYPE_UINT:
        break;
    }
    if (name)
        snprintf(text, size_B, "%s", name);
    else
        snprintf(text, size_B, "%" PRIu64, value);
}

/* Fields that are zero say nothing, but for whole dwords of a packet: a count of zero is news. */
static bool is_silent(const struct decoder *d, const struct amd_field *field, const uint32_t *dw, bool in_packet)
{
    struct amd_bits bits = field->bits[d->gfx];
    return !d->options->all_fields && !(in_packet && bits.width >= 32) && amd_get_uint(dw, bits.low, bits.width) == 0;
}

static void add_fields(struct decoder *d, const struct amd_field *fields, unsigned first, unsigned field_count,
                       const uint32_t *dw, unsigned count_dw, bool in_packet)
{
    for (unsigned i = first; i < field_count; i++) {
        const struct amd_field *field = &fields[i];
        if (!amd_field_applies(fields, field, d->gfx, dw, count_dw) || is_silent(d, field, dw, in_packet))
            continue;
        char text[96];
        value_text(d->gfx, field, dw, text, sizeof(text));
        add_word(d, "%s=%s", field->name, text);
    }
}

/* --- registers --- */

static void add_register_policy(struct decoder *d, const struct amd_reg *reg, uint32_t value)
{
    if (!d->options->policies)
        return;
    if (amd_reg_write_stops(reg, d->gfx, value)) {
        const struct amd_field *field;
        const char *reason = amd_reg_stop_reason(reg, d->gfx, value, &field);
        add_word(d, "[stop: %s%s%s]", field ? field->name : "", field ? ": " : "", reason ? reason : "");
    } else if (reg->policy == AMD_POLICY_IGNORED) {
        add_word(d, "[ignored: %s]", reg->reason);
    }
}

/* The rest of a line, from the register's name on. */
static void add_register(struct decoder *d, const struct amd_reg *reg, unsigned index, uint32_t value)
{
    char name[64];
    amd_reg_name(reg, index, name, sizeof(name));
    strbuf_printf(d->out, "%-30s = 0x%08" PRIx32, name, value);
    /* A register that is one number needs no field name; its bits are the value already. */
    if (reg->field_count > 1 || reg->fields[0].type != AMD_TYPE_UINT || reg->fields[0].bits[d->gfx].width != 32)
        add_fields(d, reg->fields, 0, reg->field_count, &value, 1, false);
    uint32_t unknown = amd_reg_unknown_bits(reg, d->gfx, value);
    if (unknown)
        add_word(d, "?=0x%" PRIx32, unknown);
    add_register_policy(d, reg, value);
}

static void print_registers(struct decoder *d, uint32_t offset_B, const uint32_t *values, unsigned count,
                            uint64_t stream_offset_B)
{
    for (unsigned i = 0; i < count; i++, offset_B += 4) {
        unsigned index;
        const struct amd_reg *reg = amd_reg_find(d->gfx, offset_B, &index);
        begin_line(d, CONTINUE_COLUMN);
        strbuf_printf(d->out, "%*s%05" PRIx32 " ", 12, "", offset_B);
        if (reg) {
            add_register(d, reg, index, values[i]);
        } else {
            strbuf_printf(d->out, "%-30s = 0x%08" PRIx32, "?", values[i]);
            report(d, stream_offset_B + 4 * i, "register 0x%05" PRIx32 " is not in the tables", offset_B);
        }
        end_line(d);
    }
}

/* --- packets --- */

static void print_data(struct decoder *d, const uint32_t *dw, unsigned count)
{
    for (unsigned i = 0; i < count; i += DATA_PER_LINE) {
        strbuf_printf(d->out, "%*s", 11, "");
        for (unsigned j = i; j < count && j < i + DATA_PER_LINE; j++)
            strbuf_printf(d->out, " %08" PRIx32, dw[j]);
        end_line(d);
    }
}

static const struct amd_field *find_field(const struct amd_packet *packet, const char *name)
{
    for (unsigned i = 0; i < packet->field_count; i++) {
        if (strcmp(packet->fields[i].name, name) == 0)
            return &packet->fields[i];
    }
    return NULL;
}

static uint64_t field_value(const struct decoder *d, const struct amd_field *field, const uint32_t *dw)
{
    return amd_get_uint(dw, field->bits[d->gfx].low, field->bits[d->gfx].width);
}

static void print_load_pairs(struct decoder *d, const uint32_t *dw, unsigned count)
{
    for (unsigned i = 0; i + 1 < count; i += 2)
        strbuf_printf(d->out, "%*sREG_OFFSET=0x%" PRIx32 " NUM_DWORDS=%" PRIu32 "\n", 12, "", dw[i] & 0xffff,
                      dw[i + 1] & 0x3fff);
}

static bool tail_space(enum amd_tail tail, enum amd_space *space_out)
{
    switch (tail) {
    case AMD_TAIL_REGS_CONFIG:
        *space_out = AMD_SPACE_CONFIG;
        return true;
    case AMD_TAIL_REGS_SH:
        *space_out = AMD_SPACE_SH;
        return true;
    case AMD_TAIL_REGS_CONTEXT:
        *space_out = AMD_SPACE_CONTEXT;
        return true;
    case AMD_TAIL_REGS_UCONFIG:
        *space_out = AMD_SPACE_UCONFIG;
        return true;
    default:
        return false;
    }
}

static void print_tail(struct decoder *d, const struct amd_packet *packet, const uint32_t *dw, unsigned count_dw,
                       uint64_t offset_B)
{
    unsigned fixed_dw = packet->length_dw[d->gfx];
    if (count_dw <= fixed_dw)
        return;
    unsigned tail_dw = count_dw - fixed_dw;
    enum amd_space space;
    if (tail_space(packet->tail, &space)) {
        uint32_t first = (uint32_t)field_value(d, find_field(packet, "REG_OFFSET"), dw);
        print_registers(d, amd_space_base_B(space) + 4 * first, dw + fixed_dw, tail_dw, offset_B + 4 * fixed_dw);
    } else if (packet->tail == AMD_TAIL_LOADS) {
        print_load_pairs(d, dw + fixed_dw, tail_dw);
    } else {
        print_data(d, dw + fixed_dw, tail_dw);
    }
    if (packet->tail == AMD_TAIL_NONE)
        report(d, offset_B, "%s has %u dwords, %u more than it should", packet->name, count_dw, tail_dw);
}

static void add_packet_policy(struct decoder *d, const struct amd_packet *packet, const uint32_t *dw, unsigned count_dw)
{
    if (!d->options->policies)
        return;
    const struct amd_field *field = amd_packet_stop_field(packet, d->gfx, dw, count_dw);
    if (packet->policy == AMD_POLICY_STOP)
        add_word(d, "[stop: %s]", packet->reason);
    else if (field)
        add_word(d, "[stop: %s: %s]", field->name, field->reason);
    else if (packet->policy == AMD_POLICY_IGNORED)
        add_word(d, "[ignored: %s]", packet->reason);
}

/* `count_dw` dwords are there; the header may promise more. */
static void print_packet(struct decoder *d, const struct amd_packet *packet, const uint32_t *dw, unsigned count_dw,
                         uint64_t offset_B)
{
    strbuf_append(d->out, packet->name);
    if (AMD_PKT3_PREDICATE(dw[0]))
        add_word(d, "(predicated)");
    if (AMD_PKT3_COMPUTE(dw[0]))
        add_word(d, "(compute)");
    unsigned fixed_dw = MIN2(count_dw, packet->length_dw[d->gfx]);
    enum amd_space space;
    /* The offset of a SET packet is told by the registers below it. */
    unsigned skip = tail_space(packet->tail, &space) ? 1 : 0;
    add_fields(d, packet->fields, skip, packet->field_count, dw, fixed_dw, true);
    add_packet_policy(d, packet, dw, count_dw);
    end_line(d);
    print_tail(d, packet, dw, count_dw, offset_B);
}

/* A buffer in GPU memory. */
struct buffer {
    const uint32_t *dw;
    size_t count_dw;
    uint64_t va;
};

static void decode_buffer(struct decoder *d, struct buffer buffer);

/* The buffer that an INDIRECT_BUFFER names; false, with a report, when it cannot be entered. */
static bool find_target(struct decoder *d, const struct amd_pkt_INDIRECT_BUFFER *ib, uint64_t offset_B,
                        struct buffer *buffer_out)
{
    uint64_t va = ib->IB_BASE & ~3ull;
    d->followed_dw += ib->IB_SIZE;
    if (d->followed_dw > MAX_FOLLOWED_DW || d->depth >= MAX_DEPTH) {
        report(d, offset_B, "the buffer at 0x%" PRIx64 " is not entered: too deep, or too much in all", va);
        return false;
    }
    const uint32_t *dw = d->options->read(d->options->data, va, ib->IB_SIZE);
    if (!dw) {
        report(d, offset_B, "cannot read %" PRIu32 " dwords of the indirect buffer at 0x%" PRIx64, ib->IB_SIZE, va);
        return false;
    }
    *buffer_out = (struct buffer){dw, ib->IB_SIZE, va};
    return true;
}

static void call_buffer(struct decoder *d, struct buffer target)
{
    uint64_t va = d->va;
    strbuf_printf(d->out, "call 0x%012" PRIx64 " {\n", target.va);
    d->depth++;
    decode_buffer(d, target);
    d->depth--;
    d->va = va;
    strbuf_printf(d->out, "} back from 0x%012" PRIx64 "\n", target.va);
}

static unsigned packet_length_dw(uint32_t header)
{
    if (AMD_PKT3_OPCODE(header) == AMD_PKT_NOP && AMD_PKT_COUNT(header) == 0x3fff)
        return 1;
    return AMD_PKT_COUNT(header) + 2;
}

/* One type-3 packet; returns its length as the header has it. */
static size_t decode_packet(struct decoder *d, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    unsigned length_dw = packet_length_dw(dw[0]);
    unsigned there_dw = (unsigned)MIN2(length_dw, left_dw);
    const struct amd_packet *packet = amd_packet_find(d->gfx, AMD_PKT3_OPCODE(dw[0]), length_dw);
    const char *name = packet ? packet->name : "it";

    begin_line(d, CONTINUE_COLUMN);
    strbuf_printf(d->out, "%08" PRIx64 "  ", offset_B);
    if (packet) {
        print_packet(d, packet, dw, there_dw, offset_B);
    } else {
        strbuf_printf(d->out, "? opcode 0x%02" PRIx32 "\n", AMD_PKT3_OPCODE(dw[0]));
        print_data(d, dw + 1, there_dw - 1);
        report(d, offset_B, "opcode 0x%02" PRIx32 " is not in the tables", AMD_PKT3_OPCODE(dw[0]));
    }
    if (there_dw < length_dw)
        report(d, offset_B, "%s is cut off: %u dwords of %u are there", name, there_dw, length_dw);
    else if (packet && length_dw < packet->min_dw[d->gfx])
        report(d, offset_B, "%s has %u dwords, it needs %u", name, length_dw, packet->min_dw[d->gfx]);
    return length_dw;
}

/* ---- the DMA engine ---- */

/* One packet, or padding; returns its length. Behind an unknown header nobody knows where the next one is. */
static size_t decode_sdma_packet(struct decoder *d, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    const struct amd_packet *packet = amd_sdma_find(d->gfx, dw[0]);
    size_t fillers = 0;
    while (fillers < left_dw && dw[fillers] == 0)
        fillers++;
    if (fillers) {
        strbuf_printf(d->out, "%08" PRIx64 "  filler (%zu dword%s)\n", offset_B, fillers, fillers == 1 ? "" : "s");
        return fillers;
    }
    begin_line(d, CONTINUE_COLUMN);
    strbuf_printf(d->out, "%08" PRIx64 "  ", offset_B);
    if (!packet) {
        strbuf_printf(d->out, "? header 0x%08" PRIx32 "\n", dw[0]);
        report(d, offset_B, "header 0x%08" PRIx32 " is not in the tables, nor is its length", dw[0]);
        return left_dw;
    }
    uint32_t there_dw = (uint32_t)MIN2(left_dw, UINT32_MAX), fixed_dw = packet->min_dw[d->gfx];
    uint32_t length_dw = there_dw < fixed_dw ? fixed_dw : amd_sdma_length_dw(packet, d->gfx, dw);
    uint32_t tail_dw = packet->tail == AMD_TAIL_NONE || length_dw < fixed_dw ? 0 : length_dw - fixed_dw;
    there_dw = MIN2(there_dw, length_dw);
    strbuf_append(d->out, packet->name);
    add_fields(d, packet->fields, 0, packet->field_count, dw, MIN2(there_dw, length_dw - tail_dw), true);
    add_packet_policy(d, packet, dw, there_dw);
    end_line(d);
    if (there_dw > fixed_dw && tail_dw)
        print_data(d, dw + fixed_dw, there_dw - fixed_dw);
    if (there_dw < length_dw)
        report(d, offset_B, "%s is cut off: %u dwords of %u are there", packet->name, there_dw, length_dw);
    return there_dw;
}

/* ---- buffers ---- */

/* Words that are no header, as one remark: there may be thousands. Returns how many. */
static size_t skip_garbage(struct decoder *d, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    size_t count = 0;
    while (count < left_dw && AMD_PKT_TYPE(dw[count]) < 2)
        count++;
    strbuf_printf(d->out, "%08" PRIx64 "  ? %zu dword%s of type %" PRIu32 "\n", offset_B, count, count == 1 ? "" : "s",
                  AMD_PKT_TYPE(dw[0]));
    report(d, offset_B, "0x%08" PRIx32 " is not the header of a packet (type %" PRIu32 ")%s", dw[0],
           AMD_PKT_TYPE(dw[0]), count > 1 ? ", nor are the words behind it" : "");
    return count;
}

/* Nothing but padding: a type-2 packet, or a NOP that is its own header. */
static bool is_filler(uint32_t word)
{
    return AMD_PKT_TYPE(word) == 2 || word == AMD_PKT3_NOP_FILLER;
}

static size_t skip_filler(struct decoder *d, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    size_t count = 0;
    while (count < left_dw && is_filler(dw[count]))
        count++;
    strbuf_printf(d->out, "%08" PRIx64 "  filler (%zu dword%s)\n", offset_B, count, count == 1 ? "" : "s");
    return count;
}

/* Is this an INDIRECT_BUFFER to be followed? */
static bool is_call(const struct decoder *d, const uint32_t *dw, size_t left_dw, struct amd_pkt_INDIRECT_BUFFER *ib_out)
{
    return d->options->read && d->options->stream == AMD_STREAM_PM4 && AMD_PKT_TYPE(dw[0]) == 3 &&
           AMD_PKT3_OPCODE(dw[0]) == AMD_PKT_INDIRECT_BUFFER && packet_length_dw(dw[0]) == AMD_PKT_INDIRECT_BUFFER_DW &&
           left_dw >= AMD_PKT_INDIRECT_BUFFER_DW &&
           amd_unpack_pkt_INDIRECT_BUFFER(d->gfx, dw, AMD_PKT_INDIRECT_BUFFER_DW, ib_out);
}

/* Decode a buffer and those that it calls; goes on in those that it chains to, and does not come back from them. */
static void decode_buffer(struct decoder *d, struct buffer buffer)
{
    struct map64 chained = {0}; /* where this buffer's chain has been: one that comes back never ends */
    d->va = buffer.va;
    for (size_t at = 0; at < buffer.count_dw;) {
        const uint32_t *dw = buffer.dw + at;
        size_t left_dw = buffer.count_dw - at;
        uint64_t offset_B = 4 * (uint64_t)at;
        struct amd_pkt_INDIRECT_BUFFER ib;
        struct buffer target;
        if (d->options->stream == AMD_STREAM_SDMA)
            at += decode_sdma_packet(d, dw, left_dw, offset_B);
        else if (is_filler(dw[0]))
            at += skip_filler(d, dw, left_dw, offset_B);
        else if (AMD_PKT_TYPE(dw[0]) == 3)
            at += decode_packet(d, dw, left_dw, offset_B);
        else
            at += skip_garbage(d, dw, left_dw, offset_B);
        if (is_call(d, dw, left_dw, &ib)) {
            bool found = find_target(d, &ib, offset_B, &target);
            if (ib.CHAIN && found && (map64_get(&chained, target.va) || !map64_set(&chained, target.va, 1))) {
                report(d, offset_B, "the chain comes back to 0x%" PRIx64, target.va);
                found = false;
            }
            if (ib.CHAIN && !found)
                break;
            if (ib.CHAIN) {
                strbuf_printf(d->out, "chain 0x%012" PRIx64 "\n", target.va);
                buffer = target;
                d->va = target.va;
                at = 0;
            } else if (found) {
                call_buffer(d, target);
            }
        }
        if (d->options->flush && d->out->length > FLUSH_AT_B)
            d->options->flush(d->options->data, d->out);
    }
    map64_finish(&chained);
}

unsigned amd_decode_stream(struct strbuf *out, const struct amd_decode_options *options, const uint32_t *words,
                           size_t count_dw)
{
    struct decoder d = {.out = out, .options = options, .gfx = options->gfx};
    decode_buffer(&d, (struct buffer){words, count_dw, 0});
    return d.problems;
}

bool amd_decode_register(struct strbuf *out, const struct amd_decode_options *options, uint32_t offset_B,
                         uint32_t value)
{
    struct decoder d = {.out = out, .options = options, .gfx = options->gfx};
    unsigned index;
    const struct amd_reg *reg = amd_reg_find(options->gfx, offset_B, &index);
    if (!reg)
        return false;
    begin_line(&d, CONTINUE_COLUMN);
    add_register(&d, reg, index, value);
    return true;
}

bool amd_decode_descriptor(struct strbuf *out, const struct amd_decode_options *options, const char *name,
                           const uint32_t *words)
{
    struct decoder d = {.out = out, .options = options, .gfx = options->gfx};
    const struct amd_descriptor *descriptor = amd_descriptor_find(name);
    if (!descriptor)
        return false;
    begin_line(&d, CONTINUE_COLUMN);
    strbuf_append(out, name);
    add_fields(&d, descriptor->fields, 0, descriptor->field_count, words, descriptor->length_dw, false);
    return true;
}
