/* Captures of command streams (.rd): sections that say where a buffer is, what it holds, and where a stream in it
 * begins. Everything in the file is foreign: sizes are checked before they are used. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/decode.h"
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

struct memory {
    uint64_t va;
    uint32_t *words;
    size_t size_B;
};

struct capture {
    const struct hw_decode_options *caller;
    struct hw_decode_options options;
    struct memory *buffers;
    size_t buffer_count, buffer_space;
    uint64_t next_va; /* of the contents that come next */
    unsigned problems;
    bool out_of_memory;
};

/* --- what the decoder asks for --- */

/* Of buffers that overlap the newest wins. */
static const uint32_t *read_memory(void *data, uint64_t va, uint32_t count_dw)
{
    const struct capture *c = data;
    for (size_t i = c->buffer_count; i-- > 0;) {
        const struct memory *m = &c->buffers[i];
        if (va >= m->va && va - m->va <= m->size_B && m->size_B - (va - m->va) >= 4 * (uint64_t)count_dw && va % 4 == 0)
            return m->words + (va - m->va) / 4;
    }
    return NULL;
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

/* The buffer at this address, a new one where there is none; NULL when memory is out. */
static struct memory *buffer_at(struct capture *c, uint64_t va)
{
    for (size_t i = 0; i < c->buffer_count; i++) {
        if (c->buffers[i].va == va)
            return &c->buffers[i];
    }
    if (c->buffer_count == c->buffer_space) {
        size_t space = c->buffer_space ? 2 * c->buffer_space : 64;
        struct memory *grown = realloc(c->buffers, space * sizeof(*grown));
        if (!grown)
            return NULL;
        c->buffers = grown;
        c->buffer_space = space;
    }
    c->buffers[c->buffer_count] = (struct memory){.va = va};
    return &c->buffers[c->buffer_count++];
}

/* Later contents of a buffer replace earlier ones. */
static void add_contents(struct capture *c, const uint8_t *bytes, size_t size_B)
{
    uint32_t *words = calloc(size_B / 4 + 1, sizeof(*words));
    struct memory *m = words ? buffer_at(c, c->next_va) : NULL;
    if (!m) {
        free(words);
        c->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < size_B / 4; i++)
        words[i] = dword_at(bytes + 4 * i);
    free(m->words);
    m->words = words;
    m->size_B = size_B;
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
        add_contents(c, bytes, size_B);
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
    for (size_t at = 0; at < size_B && !c.out_of_memory;) {
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
    if (c.out_of_memory) {
        c.problems++;
        pass_problem(&c, 0, 0, "out of memory");
    }
    for (size_t i = 0; i < c.buffer_count; i++)
        free(c.buffers[i].words);
    free(c.buffers);
    return c.problems;
}
