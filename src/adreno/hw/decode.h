/* Command streams as text, and captures of them. Follows nothing outside the buffer by itself: buffers that a stream
 * calls, and groups of state, are entered only through the caller's `read`, or from the capture. Knows no shader code;
 * adreno/isa does. */
#ifndef ADRENO_HW_DECODE_H
#define ADRENO_HW_DECODE_H

#include "hw/text.h"

/* Append the text of a stream. Returns the number of problems; whatever can be decoded is, in any case. */
unsigned adreno_decode_stream(struct strbuf *out, const struct hw_decode_options *options, const uint32_t *words,
                              size_t count_dw);

/* "NAME = value FIELD=value …" of one register, without a newline. False when there is no register of that number. */
bool adreno_decode_register(struct strbuf *out, const struct hw_decode_options *options, uint32_t reg, uint32_t value);

/* "NAME FIELD=value …" of a descriptor: "IMAGE", "PLANES", "BUFFER", "SAMPLER", "UBO" or "BORDER_COLOR". False when
 * there is none. */
bool adreno_decode_descriptor(struct strbuf *out, const struct hw_decode_options *options, const char *name,
                              const uint32_t *words);

/* Are these bytes the beginning of a capture (.rd), and not of a stream? */
bool adreno_is_capture(const void *bytes, size_t size_B);

/* Append the text of all streams of a capture, the format that Mesa's drivers and the kernel write: sections of a type,
 * a size and that many bytes. Memory is what the capture holds; `read` of the options is not used. */
unsigned adreno_decode_capture(struct strbuf *out, const struct hw_decode_options *options, const void *bytes,
                               size_t size_B);

#endif
