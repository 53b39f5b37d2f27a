/* Command streams as text: instructions one by one, with the registers of their queue as far as they are known, and for
 * each RUN_* everything that these point to: resource tables with their descriptors, uniforms, programs, local storage,
 * tiler contexts, framebuffers with their render targets and frame shaders.
 *
 * A stream is read from its first word to the last: conditional branches are printed and not taken, so that the text
 * has every instruction once; what a register is after them is what the instructions in between leave. Streams that are
 * called are entered, and a jump is followed. Memory comes by the options' `read`; without it only instructions and
 * registers are printed. Knows no shader code; mali/isa does. */
#ifndef MALI_HW_DECODE_H
#define MALI_HW_DECODE_H

#include "hw/text.h"

#define MALI_DECODE_REGS 96

/* The registers of a queue, which stay from submit to submit: a decoder of several submits keeps one for each queue. */
struct mali_decode_queue {
    uint32_t regs[MALI_DECODE_REGS];
    bool is_unknown[MALI_DECODE_REGS];
};

/* Append the text of a stream whose registers are not known at first. Returns the number of problems; whatever can be
 * decoded is, in any case. */
unsigned mali_decode_stream(struct strbuf *out, const struct hw_decode_options *options, const uint32_t *words,
                            size_t count_dw);

/* The text of a submit: the stream in GPU memory, with the registers that the queue has. */
unsigned mali_decode_submit(struct strbuf *out, const struct hw_decode_options *options,
                            struct mali_decode_queue *queue, uint64_t stream_va, uint32_t size_B);

/* "NAME FIELD=value …" of a descriptor: "TEXTURE", "PLANE", …, the names of descriptors.table. False when there is
 * none. */
bool mali_decode_descriptor(struct strbuf *out, const struct hw_decode_options *options, const char *name,
                            const uint32_t *words);

/* Are these bytes the text that Mesa's decoder writes, and not a stream? */
bool mali_is_capture(const void *bytes, size_t size_B);

/* Append the text of all streams of such a capture (capture.c). Memory is what the capture holds; `read` of the options
 * is not used. */
unsigned mali_decode_capture(struct strbuf *out, const struct hw_decode_options *options, const void *bytes,
                             size_t size_B);

#endif
