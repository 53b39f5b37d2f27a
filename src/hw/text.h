/* Command streams as text: what the decoders of all families share. Lines, fields by name, registers with their fields
 * and what a model does with them, packets with their tails, and the buffers that a stream enters. The walk over a
 * stream's packets is the family's: it knows the headers. */
#ifndef HW_TEXT_H
#define HW_TEXT_H

#include "hw/table.h"
#include "util/strbuf.h"

struct hw_decode_options {
    unsigned generation; /* a column of the family's tables */
    unsigned stream;     /* the family's number of a kind of stream */
    bool all_fields;     /* zero fields too */
    bool policies;       /* say of each packet and register where a model stops, or that it ignores it */

    /* `count_dw` dwords of GPU memory at `va`, or NULL when they are not there. NULL: buffers are not followed. */
    const uint32_t *(*read)(void *data, uint64_t va, uint32_t count_dw);

    /* Reports everything that could not be decoded, in the order of the stream. The offset counts from the first byte
     * of the buffer in which the trouble is, and `va` is that buffer's address (0 for the outermost). */
    void (*problem)(void *data, uint64_t va, uint64_t offset_B, const char *message);

    /* Called now and then between packets, so that the text of a long stream need not fit memory: may write `out` away
     * and clear it. NULL: the whole text stays. */
    void (*flush)(void *data, struct strbuf *out);
    void *data; /* for the three */
};

struct hw_text {
    struct strbuf *out;
    const struct hw_tables *tables;
    const struct hw_decode_options *options;
    unsigned generation;
    unsigned problems;
    uint64_t followed_dw;
    size_t line_start; /* where the current line begins in `out` */
    unsigned indent;   /* of lines that a long one goes on in */
    uint64_t va;       /* of the buffer at hand */
    unsigned depth;
};

/* A buffer in GPU memory. */
struct hw_buffer {
    const uint32_t *dw;
    size_t count_dw;
    uint64_t va;
};

static inline struct hw_text hw_text_begin(struct strbuf *out, const struct hw_tables *tables,
                                           const struct hw_decode_options *options)
{
    return (struct hw_text){.out = out, .tables = tables, .options = options, .generation = options->generation};
}

/* Reports what cannot be decoded, and counts it. */
void hw_text_problem(struct hw_text *t, uint64_t offset_B, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- lines --- */

/* A line that begins where `out` ends now. */
void hw_text_line(struct hw_text *t);
void hw_text_end_line(struct hw_text *t);

/* Append a word to the line, or to the next one where it would be too long. */
void hw_text_word(struct hw_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Between packets: hand the text over when there is enough of it. */
void hw_text_flush(struct hw_text *t);

/* --- rows --- */

/* "FIELD=value" of all fields from `first` on that hold. Fields that are zero are left out, except whole dwords of a
 * packet: a count of zero is worth printing. */
void hw_text_fields(struct hw_text *t, const struct hw_field *fields, unsigned first, unsigned field_count,
                    const uint32_t *dw, unsigned count_dw, bool in_packet);

/* The rest of a line: "NAME = value FIELD=value …". */
void hw_text_register(struct hw_text *t, const struct hw_reg *reg, unsigned index, uint64_t value);

/* A line for each of `count` consecutive registers; the two halves of a wide one share a line where both are there.
 * stream_offset_B: of the first value, for reports. */
void hw_text_registers(struct hw_text *t, uint32_t offset, const uint32_t *values, unsigned count,
                       uint64_t stream_offset_B);

/* Lines of plain dwords. */
void hw_text_data(struct hw_text *t, const uint32_t *dw, unsigned count);

/* A packet after its name, to the end of its tail: `count_dw` dwords are there; the header may promise more. */
void hw_text_packet(struct hw_text *t, const struct hw_packet *packet, const uint32_t *dw, unsigned count_dw,
                    uint64_t offset_B);

/* A packet whose header does not hold its length, with its name. Returns the dwords of it that are there; after an
 * unknown one that is everything, for it is not known where the next one begins. */
size_t hw_text_self_sized(struct hw_text *t, const struct hw_packet *packet, const uint32_t *dw, size_t left_dw,
                          uint64_t offset_B);

/* "NAME FIELD=value …" of a descriptor, without a newline. False when there is no such descriptor. */
bool hw_text_descriptor(struct hw_text *t, const char *name, const uint32_t *dw);

/* --- buffers --- */

/* The buffer at `va`; false, with a report, when it cannot be entered. Depth and total are bounded: what a buffer calls
 * may call it back. */
bool hw_text_find_buffer(struct hw_text *t, uint64_t va, uint32_t count_dw, uint64_t offset_B,
                         struct hw_buffer *buffer_out);

/* `decode` for a called buffer, between brackets. */
void hw_text_call(struct hw_text *t, const struct hw_buffer *target,
                  void (*decode)(struct hw_text *t, const struct hw_buffer *buffer));

#endif
