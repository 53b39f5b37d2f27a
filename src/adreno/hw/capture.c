/* Captures of command streams (.rd): sections that say where a buffer is, what it holds, and where a stream in it
 * begins. Everything in the file is foreign: sizes are checked before they are used. */
#include <inttypes.h>
#include <string.h>

#include "adreno/hw/decode.h"
#include "hw/memory.h"
#include "util/bits.h"

/* Types of sections; those that are not here are skipped. */
enum {
    SECTION_COMMAND = 2, /* the program's name */
    SECTION_BUFFER = 3,  /* address and size of the buffer whose contents follow */
    SECTION_STREAM = 6,  /* address and length of a stream */
    SECTION_CONTENTS = 12,
    SECTION_CHIP = 14,
    SECTION_LAST = 63, /* types that may come, with room for new ones */
};
#define SECTION_GAP 0xffffffffu /* type and size of a mark between sections */

struct capture {
    const struct hw_decode_options *caller;
    struct hw_decode_options options;
    struct hw_memory memory;
    uint64_t next_va; /* of the contents that come next */
    unsigned problems;
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

/* --- sections --- */

static uint32_t dword_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* The address in dwords 0 and 2 of a section; the older form has 32 bits. */
static uint64_t address_of(const uint8_t *bytes, size_t size_B)
{
    return dword_at(bytes) | (size_B >= 12 ? (uint64_t)dword_at(bytes + 8) << 32 : 0);
}

static void decode_stream(struct capture *c, struct strbuf *out, uint64_t va, uint32_t count_dw, uint64_t offset_B)
{
    const uint32_t *words = read_memory(c, va, count_dw);
    strbuf_printf(out, "stream 0x%012" PRIx64 ", %" PRIu32 " dwords\n", va, count_dw);
    if (words) {
        c->problems += adreno_decode_stream(out, &c->options, words, count_dw);
        return;
    }
    c->problems++;
    pass_problem(c, 0, offset_B, "the capture does not hold the stream");
}

static void section(struct capture *c, struct strbuf *out, uint32_t type, const uint8_t *bytes, size_t size_B,
                    uint64_t offset_B)
{
    if (type == SECTION_COMMAND) {
        strbuf_printf(out, "program %.*s\n", (int)MIN2(strnlen((const char *)bytes, size_B), 200), (const char *)bytes);
    } else if (type == SECTION_CHIP && size_B >= 8) {
        strbuf_printf(out, "chip 0x%08" PRIx32 ", speed bin %" PRIu32 "\n", dword_at(bytes), dword_at(bytes + 4));
    } else if (type == SECTION_BUFFER && size_B >= 8) {
        c->next_va = address_of(bytes, size_B);
    } else if (type == SECTION_CONTENTS) {
        hw_memory_add(&c->memory, c->next_va, bytes, size_B);
    } else if (type == SECTION_STREAM && size_B >= 8) {
        decode_stream(c, out, address_of(bytes, size_B), dword_at(bytes + 4), offset_B);
    }
}

bool adreno_is_capture(const void *bytes, size_t size_B)
{
    if (size_B < 8)
        return false;
    uint32_t type = dword_at(bytes), size = dword_at((const uint8_t *)bytes + 4);
    return (type == SECTION_GAP && size == SECTION_GAP) || (type <= SECTION_LAST && size <= size_B - 8);
}

unsigned adreno_decode_capture(struct strbuf *out, const struct hw_decode_options *options, const void *bytes,
                               size_t size_B)
{
    struct capture c = {.caller = options, .options = *options};
    c.options.read = read_memory;
    c.options.problem = pass_problem;
    c.options.flush = options->flush ? pass_text : NULL;
    c.options.data = &c;
    for (size_t at = 0; at < size_B && !c.memory.is_out_of_memory;) {
        const uint8_t *head = (const uint8_t *)bytes + at;
        uint32_t type = size_B - at >= 8 ? dword_at(head) : 0, size = size_B - at >= 8 ? dword_at(head + 4) : 0;
        if (type == SECTION_GAP && size == SECTION_GAP) {
            at += 8;
            continue;
        }
        if (size_B - at < 8 || size > size_B - at - 8) {
            c.problems++;
            pass_problem(&c, 0, at, "the capture is cut off");
            break;
        }
        section(&c, out, type, head + 8, size, at);
        at += 8 + (size_t)size;
    }
    if (c.memory.is_out_of_memory) {
        c.problems++;
        pass_problem(&c, 0, 0, "out of memory");
    }
    hw_memory_finish(&c.memory);
    return c.problems;
}
