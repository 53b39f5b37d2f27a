/* Command streams as text, PM4 and those of the DMA engine: packets, registers and fields by name. Follows nothing
 * outside the buffer by itself: INDIRECT_BUFFER is entered only through the caller's `read`. Knows no shader code;
 * amd/isa does. */
#ifndef AMD_HW_DECODE_H
#define AMD_HW_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amd/hw/chip.h"
#include "util/strbuf.h"

enum amd_stream {
    AMD_STREAM_PM4,  /* graphics and compute rings */
    AMD_STREAM_SDMA, /* rings of the DMA engine */
};

struct amd_decode_options {
    enum amd_gfx gfx;
    enum amd_stream stream;
    bool all_fields; /* zero fields too */
    bool policies;   /* say of each packet and register where a model stops, or that it ignores it */

    /* `count_dw` dwords of GPU memory at `va`, or NULL when they are not there. NULL: buffers are not followed. */
    const uint32_t *(*read)(void *data, uint64_t va, uint32_t count_dw);

    /* Told of everything that could not be decoded, in the order of the stream. The offset counts from the first byte
     * of the buffer in which the trouble is, and `va` is that buffer's address (0 for the outermost). */
    void (*problem)(void *data, uint64_t va, uint64_t offset_B, const char *message);

    /* Called now and then between packets, so that the text of a long stream need not fit memory: may write `out` away
     * and clear it. NULL: the whole text stays. */
    void (*flush)(void *data, struct strbuf *out);
    void *data; /* for the three */
};

/* Append the text of a stream. Returns the number of problems; whatever can be decoded is, in any case. */
unsigned amd_decode_stream(struct strbuf *out, const struct amd_decode_options *options, const uint32_t *words,
                           size_t count_dw);

/* "NAME = value FIELD=value …" of one register, without a newline. False when there is no register at that offset. */
bool amd_decode_register(struct strbuf *out, const struct amd_decode_options *options, uint32_t offset_B,
                         uint32_t value);

/* "FIELD=value …" of a descriptor: "BUFFER", "IMAGE" or "SAMPLER". False when there is no such descriptor. */
bool amd_decode_descriptor(struct strbuf *out, const struct amd_decode_options *options, const char *name,
                           const uint32_t *words);

#endif
