/* Differential fuzzing of a back end on its model: random valid shaders, compiled with all passes and with none, must
 * leave the same bytes in memory; those without floats also those of the IR's interpreter. A seed says everything: the
 * shader, its size, whether it has floats, loops, memory, operations between lanes, and the size of a wave.
 *
 *     fuzz_model [--first SEED] [--count N] [--seconds S] [--verbose]
 *
 * Both limits may be given; --seconds is for long runs by hand. */
#ifndef COMPILER_IR_TESTS_FUZZ_MACHINE_H
#define COMPILER_IR_TESTS_FUZZ_MACHINE_H

#include "compiler/ir/tests/random_compute.h"

typedef uint8_t fuzz_memory[RANDOM_BUFFERS][RANDOM_BUFFER_B];

struct fuzz_run {
    unsigned wave_size;
    bool is_plain;   /* no pass that is not needed */
    bool is_verbose; /* print what was compiled */
    const uint8_t *push;
    uint32_t push_size_B;
};

struct fuzz_machine {
    unsigned wave_sizes[2];
    struct random_floats floats;
    bool has_halves; /* every second shader has many vectors of 16 bits */
    bool (*begin)(void);
    /* One workgroup, with the buffers as storage buffers of set 0; what it leaves there. The shader is consumed. False
     * with a reason. */
    bool (*run)(struct ir_shader *shader, const struct fuzz_run *how, fuzz_memory memory, char error_out[512]);
    void (*end)(void);
};

int fuzz_machine_main(int argc, char **argv, const struct fuzz_machine *machine);

#endif
