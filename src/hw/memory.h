/* GPU memory as a capture holds it: buffers at addresses, for decoders that read what a stream points to. Everything in
 * a capture is foreign: sizes are checked before they are used, and neither many buffers nor overlapping ones make it
 * slow. */
#ifndef HW_MEMORY_H
#define HW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/ordered.h"

#define HW_MEMORY_CLASSES 64

/* A buffer can only have an address if it starts less than its size before it, so buffers are kept by the magnitude of
 * their sizes, and each magnitude by address: who reads looks at few that do not have it. */
struct hw_memory {
    struct ordered classes[HW_MEMORY_CLASSES]; /* of sizes below twice 1 << i; empty ones are all zero */
    uint64_t used;                             /* classes that have some, a bit each */
    uint64_t adds;                             /* so far: the newer of two buffers has the larger number */
    bool is_out_of_memory;
};

/* The bytes of a buffer, little-endian, which replace earlier ones at the same address. False: the host has no
 * memory. */
bool hw_memory_add(struct hw_memory *memory, uint64_t va, const uint8_t *bytes, size_t size_B);

/* `count_dw` dwords at an address, of the newest buffer that has all of them, until bytes replace that one's; NULL:
 * none has. */
const uint32_t *hw_memory_read(const struct hw_memory *memory, uint64_t va, uint32_t count_dw);

void hw_memory_finish(struct hw_memory *memory);

#endif
