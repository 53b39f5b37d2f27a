/* Small jobs of each kind, whole and in memory, for tests that then break them: a dispatch, and a draw of two triangles
 * into a framebuffer with depth. Descriptors are at known offsets, so that a test can change a field of any of them. */
#ifndef TESTS_MALI_FAULTS_WORK_H
#define TESTS_MALI_FAULTS_WORK_H

#include "mali/hw/descriptors.h"
#include "mali/hw/enums.h"
#include "mali/hw/instructions.h"
#include "mali/hw/pack.h"

#define WORK_B 0x40000u
#define WORK_SIDE 64u /* of the target */

/* Offsets in the work's memory. */
enum {
    WORK_STREAM = 0x0,
    WORK_PROGRAMS = 0x1000, /* compute, position, fragment: 0x200 bytes each */
    WORK_SHADERS = 0x1800,  /* SHADER_PROGRAM, in the same order */
    WORK_STORAGE = 0x1880,  /* LOCAL_STORAGE */
    WORK_TABLES = 0x18c0,   /* RESOURCE: one table, of: */
    WORK_ENTRIES = 0x1900,  /* TEXTURE, SAMPLER, BUFFER */
    WORK_PLANE = 0x1980,
    WORK_FAU = 0x1a00, /* addresses: of data, of places */
    WORK_TILER = 0x1b00,
    WORK_HEAP = 0x1b80,
    WORK_FBD = 0x1c00, /* with extension and target */
    WORK_FRAME_DRAWS = 0x1e00,
    WORK_BLEND = 0x2000,
    WORK_DEPTH = 0x2040,
    WORK_INDICES = 0x2100,
    WORK_PLACES = 0x2200, /* of vertices: x, y, z, 1 / w */
    WORK_DATA = 0x3000,   /* of the dispatch: a word is read, its double written after it */
    WORK_IMAGE = 0x4000,  /* the texture */
    WORK_TARGET = 0x8000,
    WORK_TARGET_DEPTH = 0x10000,
    WORK_CHECKSUMS = 0x1f000,
    WORK_GEOMETRY = 0x20000, /* 64 KiB */
};

enum work_program {
    WORK_COMPUTE,
    WORK_POSITION,
    WORK_FRAGMENT,
};

struct work {
    uint8_t *map;               /* WORK_B bytes */
    uint64_t va;                /* where the GPU has them */
    uint64_t heap_va, chunk_va; /* the kernel's heap */
    uint32_t chunk_B;
    unsigned count; /* words of the stream */
};

/* Fill memory; heap and chunk are set. */
void work_fill(struct work *work);
/* Assemble another program. */
void work_program(struct work *work, enum work_program number, const char *source);
void work_put(struct work *work, uint64_t word);
void work_set(struct work *work, unsigned reg, uint64_t value); /* a pair */
/* Streams: all registers, RUN_*, and the waits for it. */
void work_put_dispatch(struct work *work);
void work_put_draw(struct work *work);

static inline uint32_t *work_dw(const struct work *work, uint32_t offset_B)
{
    return (uint32_t *)(work->map + offset_B);
}

#endif
