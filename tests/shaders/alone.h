/* The corpus on a model without a driver: what a family's runner shares with the others. Every shader of a list is
 * compiled and run in several shapes, in strict mode; a line is printed for each, and what the shader left in memory is
 * written.
 *
 *     run_model LIST DIRECTORY        LIST: lines of world.h */
#ifndef TESTS_SHADERS_ALONE_H
#define TESTS_SHADERS_ALONE_H

#include <stdbool.h>

#include "compiler/ir/ir.h"
#include "model/memory.h"
#include "world.h"

#define ALONE_VA 0x100000000ull
#define ALONE_SIZE_B 0x400000u
#define ALONE_SETS_B 0x180000u /* descriptors */
#define ALONE_CODE_B 0x200000u /* code, and what a family wants after it; buffers are before */
#define ALONE_BINDINGS 4

/* Where the buffers of the world lie, by binding: a page after each, so that what is outside is not the next one. */
struct alone_range {
    uint32_t offset_B, size_B;
};
extern const struct alone_range alone_ranges[ALONE_BINDINGS];

/* The family's struct begins with it. */
struct alone {
    struct gpu_space space;
    uint8_t *memory;
};

struct alone_shape {
    const char *name;
    unsigned wave_size;
    bool is_plain; /* no pass that is not needed */
};

struct alone_family {
    const struct alone_shape *shapes;
    unsigned num_shapes;
    struct alone *alone;
    bool (*begin)(struct alone *alone); /* memory is there */
    /* The buffers are in memory; those of the world are taken from there afterwards, but what is drawn is left in
     * `world` by this. False with a reason. */
    bool (*run)(struct alone *alone, const struct job *job, const struct alone_shape *shape, struct world *world,
                char error_out[512]);
};

int alone_main(int argc, char **argv, const struct alone_family *family);

/* A module's shader; NULL with a reason. */
struct ir_shader *alone_read(const char *path, enum ir_stage stage, unsigned wave_size, char error_out[512]);
/* CORPUS_REGISTERS: so few, of four words each, that much is spilled; 0: all. */
unsigned alone_registers(void);

#endif
