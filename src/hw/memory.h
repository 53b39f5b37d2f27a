/* GPU memory as a capture holds it: buffers at addresses, for decoders that read what a stream points to. Everything in a
 * capture is foreign: sizes are checked before they are used. */
#ifndef HW_MEMORY_H
#define HW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hw_memory_buffer {
    uint64_t va;
    uint32_t *words;
    size_t size_B;
};

struct hw_memory {
    struct hw_memory_buffer *buffers;
    size_t count, space;
    bool is_out_of_memory;
};

/* The bytes of a buffer, little-endian, which replace earlier ones at the same address. False: the host has no memory. */
bool hw_memory_add(struct hw_memory *memory, uint64_t va, const uint8_t *bytes, size_t size_B);

/* `count_dw` dwords at an address, of the newest buffer that has all of them; NULL: none has. */
const uint32_t *hw_memory_read(const struct hw_memory *memory, uint64_t va, uint32_t count_dw);

void hw_memory_finish(struct hw_memory *memory);

#endif
