/* Random shaders of the IR made fit for compute shaders on a model: inputs and outputs become buffers, and what no
 * hardware promises is taken out. */
#ifndef COMPILER_IR_TESTS_RANDOM_COMPUTE_H
#define COMPILER_IR_TESTS_RANDOM_COMPUTE_H

#include "compiler/ir/ir.h"

#define RANDOM_BUFFERS 4
#define RANDOM_BUFFER_B 65536

/* Instructions that a compute shader cannot have come from and go to buffers 2 and 1; fields stay within the word,
 * divisors are odd. */
void random_compute_adapt(struct ir_shader *shader);
/* A machine's treatment of floats. */
struct random_floats {
    bool flushes_denormals;
    bool rounds_twice;       /* ffma is a product and a sum */
    bool fract_is_exact_sum; /* x - floor(x), which may round to one */
    bool has_no_doubles;
};
/* For shaders with floats that are compared bit by bit: operations that the hardware rounds otherwise than the folder,
 * which is allowed, become others, and denormals are kept everywhere or flushed. */
void random_compute_exact_floats(struct ir_shader *shader, const struct random_floats *floats);
void random_compute_fill(uint8_t buffers[RANDOM_BUFFERS][RANDOM_BUFFER_B], uint64_t seed);

#endif
