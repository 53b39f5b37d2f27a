/* Captures of command streams: the text that Mesa's decoder writes with `trace` and `dump` among the debugging switches
 * of its drivers for Mali. It holds the memory of all buffers as hexadecimal bytes, and the streams either by their
 * address (main_cs@ADDRESS, with a line for each instruction) or as the bytes of the instructions in the order in which
 * they ran. Memory is read first, for it comes after the streams. Everything in the file is foreign. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/memory.h"
#include "mali/hw/decode_internal.h"
#include "util/bits.h"

#define ROW_B 16u
#define MAX_BUFFER_B (256u << 20)
#define MAX_QUEUES 16u

/* Bytes that grow. */
struct bytes {
    uint8_t *data;
    size_t size_B, space_B;
};

struct capture {
    const struct hw_decode_options *caller;
    struct hw_decode_options options;
    struct hw_memory memory;
    struct mali_decode_queue queues[MAX_QUEUES];
    unsigned problems;

    /* of the line at hand */
    const char *line, *end;

    /* the buffer that is read */
    bool in_buffer;
    uint64_t buffer_va;
    struct bytes contents;

    /* the stream that is read */
    unsigned queue;
    bool in_stream;
    uint64_t stream_va;
    uint32_t stream_lines;
    struct bytes instructions;
};

/* --- what the decoder asks for --- */

static const uint32_t *read_memory(void *data, uint64_t va, uint32_t count_dw)
{
    return hw_memory_read(&((const struct capture *)data)->memory, va, count_dw);
}

static void pass_problem(void *data, uint64_t va, uint64_t offset_B, const char *message)
{
    const struct capture *c = data;
    if (c->caller->problem)
        c->caller->problem(c->caller->data, va, offset_B, message);
}

static void pass_text(void *data, struct strbuf *out)
{
    const struct capture *c = data;
    c->caller->flush(c->caller->data, out);
}

/* --- lines --- */

static bool grow_bytes(struct capture *c, struct bytes *bytes, size_t size_B)
{
    if (size_B > bytes->space_B) {
        size_t space_B = MAX2(size_B, 2 * bytes->space_B);
        uint8_t *data = size_B <= MAX_BUFFER_B ? realloc(bytes->data, space_B) : NULL;
        if (!data) {
            c->memory.is_out_of_memory = true;
            return false;
        }
        bytes->data = data;
        bytes->space_B = space_B;
    }
    return true;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Hexadecimal digits from `at` on; returns where they end. */
static const char *read_hex(const char *at, const char *end, uint64_t *value_out)
{
    *value_out = 0;
    for (; at < end && digit_of(*at) >= 0; at++)
        *value_out = *value_out << 4 | (unsigned)digit_of(*at);
    return at;
}

static bool begins_with(const char *at, const char *end, const char *text)
{
    return (size_t)(end - at) >= strlen(text) && memcmp(at, text, strlen(text)) == 0;
}

static const char *find_in(const char *at, const char *end, const char *text)
{
    for (; at < end; at++) {
        if (begins_with(at, end, text))
            return at;
    }
    return NULL;
}

/* --- memory --- */

static void end_buffer(struct capture *c)
{
    if (c->in_buffer && c->contents.size_B)
        hw_memory_add(&c->memory, c->buffer_va, c->contents.data, c->contents.size_B);
    c->in_buffer = false;
    c->contents.size_B = 0;
}

/* "OFFSET  XX XX …": 16 bytes, or fewer in the last row. Rows that are missing are like the one before. */
static bool add_row(struct capture *c)
{
    uint64_t offset_B, byte;
    const char *at = read_hex(c->line, c->end, &offset_B);
    uint8_t row[ROW_B];
    unsigned count = 0;
    if (at < c->line + 6 || !begins_with(at, c->end, "  ") || offset_B % ROW_B || offset_B < c->contents.size_B)
        return false;
    for (at += 2; count < ROW_B && at + 2 <= c->end && digit_of(at[0]) >= 0 && digit_of(at[1]) >= 0; count++) {
        at = read_hex(at, at + 2, &byte);
        row[count] = (uint8_t)byte;
        at += at < c->end && *at == ' ';
    }
    if (!count || !grow_bytes(c, &c->contents, offset_B + count))
        return false;
    uint8_t *data = c->contents.data;
    for (size_t i = c->contents.size_B; i < offset_B; i++)
        data[i] = i >= ROW_B ? data[i - ROW_B] : 0;
    memcpy(data + offset_B, row, count);
    c->contents.size_B = offset_B + count;
    return true;
}

static void memory_line(struct capture *c)
{
    const char *gpu = begins_with(c->line, c->end, "Buffer: ") ? find_in(c->line, c->end, " gpu ") : NULL;
    if (gpu) {
        end_buffer(c);
        c->in_buffer = true;
        read_hex(gpu + 5, c->end, &c->buffer_va);
    } else if (c->in_buffer && c->line < c->end && *c->line != '*' && !add_row(c) && c->contents.size_B) {
        end_buffer(c);
    }
}

/* --- streams --- */

static void end_instructions(struct capture *c, struct strbuf *out)
{
    if (c->instructions.size_B) {
        strbuf_append(out, "instructions in the order in which they ran\n");
        c->problems += mali_decode_flat(out, &c->options, &c->queues[c->queue], (const uint32_t *)c->instructions.data,
                                        c->instructions.size_B / 4);
    }
    c->instructions.size_B = 0;
}

static void end_stream(struct capture *c, struct strbuf *out)
{
    strbuf_printf(out, "stream 0x%012" PRIx64 ", %" PRIu32 " instructions, queue %u\n", c->stream_va, c->stream_lines,
                  c->queue);
    c->problems += mali_decode_submit(out, &c->options, &c->queues[c->queue], c->stream_va, 8 * c->stream_lines);
    c->in_stream = false;
}

/* "xx xx xx xx xx xx xx xx  NAME …": the bytes of an instruction that ran. */
static bool add_instruction(struct capture *c, const char *at)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++, at += 3) {
        if (at + 3 > c->end || digit_of(at[0]) < 0 || digit_of(at[1]) < 0 || at[2] != ' ')
            return false;
        bytes[i] = (uint8_t)(digit_of(at[0]) << 4 | digit_of(at[1]));
    }
    if (at >= c->end || *at != ' ' || !grow_bytes(c, &c->instructions, c->instructions.size_B + 8))
        return false;
    uint32_t words[2];
    for (unsigned i = 0; i < 2; i++)
        words[i] = bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 | (uint32_t)bytes[4 * i + 2] << 16 |
                   (uint32_t)bytes[4 * i + 3] << 24;
    memcpy(c->instructions.data + c->instructions.size_B, words, 8);
    c->instructions.size_B += 8;
    return true;
}

static void stream_line(struct capture *c, struct strbuf *out)
{
    const char *at = c->line, *queue;
    uint64_t number;
    while (at < c->end && isspace((unsigned char)*at))
        at++;
    if (c->in_stream) {
        if (begins_with(at, c->end, "}"))
            end_stream(c, out);
        else
            c->stream_lines += at < c->end && !begins_with(at, c->end, "label_");
    } else if (begins_with(at, c->end, "main_cs@")) {
        end_instructions(c, out);
        read_hex(at + 8, c->end, &c->stream_va);
        c->in_stream = true;
        c->stream_lines = 0;
    } else if (begins_with(at, c->end, "CS ") && (queue = find_in(at, c->end, "on subqueue "))) {
        end_instructions(c, out);
        read_hex(queue + strlen("on subqueue "), c->end, &number);
        c->queue = (unsigned)MIN2(number, MAX_QUEUES - 1);
    } else {
        add_instruction(c, at);
    }
}

/* --- files --- */

/* `use` for every line. */
static void each_line(struct capture *c, struct strbuf *out, const char *text, size_t size_B, bool is_memory)
{
    const char *end = text + size_B;
    while (text < end && !c->memory.is_out_of_memory) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        c->line = text;
        c->end = newline ? newline : end;
        if (is_memory)
            memory_line(c);
        else
            stream_line(c, out);
        text = newline ? newline + 1 : end;
    }
    if (is_memory)
        end_buffer(c);
    else
        end_instructions(c, out);
}

bool mali_is_capture(const void *bytes, size_t size_B)
{
    const char *text = bytes, *end = text + MIN2(size_B, (size_t)4096);
    for (const char *at = text; at < end; at++) {
        if ((unsigned char)*at < 9)
            return false; /* words, not text */
    }
    return size_B && (begins_with(text, end, "Buffer: ") || find_in(text, end, "\nBuffer: ") ||
                      find_in(text, end, "on subqueue ") || find_in(text, end, "main_cs@"));
}

unsigned mali_decode_capture(struct strbuf *out, const struct hw_decode_options *options, const void *bytes,
                             size_t size_B)
{
    struct capture *c = calloc(1, sizeof(*c));
    if (!c)
        return 1;
    c->caller = options;
    c->options = *options;
    c->options.read = read_memory;
    c->options.problem = pass_problem;
    c->options.flush = options->flush ? pass_text : NULL;
    c->options.data = c;
    for (unsigned i = 0; i < MAX_QUEUES; i++)
        memset(c->queues[i].is_unknown, true, sizeof(c->queues[i].is_unknown));
    each_line(c, out, bytes, size_B, true);
    each_line(c, out, bytes, size_B, false);
    if (c->memory.is_out_of_memory) {
        c->problems++;
        pass_problem(c, 0, 0, "out of memory");
    }
    unsigned problems = c->problems;
    hw_memory_finish(&c->memory);
    free(c->contents.data);
    free(c->instructions.data);
    free(c);
    return problems;
}
