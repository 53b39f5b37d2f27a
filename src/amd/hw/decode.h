/* Command streams as text, PM4 and those of the DMA engine: packets, registers and fields by name. Follows nothing
 * outside the buffer by itself: INDIRECT_BUFFER is entered only through the caller's `read`. Knows no shader code;
 * amd/isa does. */
#ifndef AMD_HW_DECODE_H
#define AMD_HW_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amd/hw/chip.h"
#include "hw/text.h"

enum amd_stream {
    AMD_STREAM_PM4,  /* graphics and compute rings */
    AMD_STREAM_SDMA, /* rings of the DMA engine */
};

/* `generation` of the options is an enum amd_gfx, `stream` an enum amd_stream. */

/* Append the text of a stream. Returns the number of problems; whatever can be decoded is, in any case. */
unsigned amd_decode_stream(struct strbuf *out, const struct hw_decode_options *options, const uint32_t *words,
                           size_t count_dw);

/* "NAME = value FIELD=value …" of one register, without a newline. False when there is no register at that offset. */
bool amd_decode_register(struct strbuf *out, const struct hw_decode_options *options, uint32_t offset_B,
                         uint32_t value);

/* "FIELD=value …" of a descriptor: "BUFFER", "IMAGE" or "SAMPLER". False when there is no such descriptor. */
bool amd_decode_descriptor(struct strbuf *out, const struct hw_decode_options *options, const char *name,
                           const uint32_t *words);

#endif
