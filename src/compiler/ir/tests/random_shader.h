/* Random shaders that keep every rule and end soon: for tests of passes and of the tools of this room. */
#ifndef COMPILER_IR_TESTS_RANDOM_SHADER_H
#define COMPILER_IR_TESTS_RANDOM_SHADER_H

#include <stddef.h>

#include "compiler/ir/ir.h"

struct random_options {
    uint32_t size;   /* about how many instructions; 0: 100 */
    bool no_floats;  /* no float arithmetic: then every pass must keep every bit */
    bool no_doubles; /* neither float arithmetic nor conversions of 64 bits */
    bool no_lanes;   /* nothing between lanes */
    bool no_loops;
    bool no_memory;  /* buffers and shared memory; variables stay */
    bool has_halves; /* more of vectors of 16 bits, component by component, also carried around loops */
    bool exact;      /* all float arithmetic is marked exact, NaN and infinities preserved */
    const uint8_t
        *bytes; /* choices come of these first, then of the seed: for a fuzzer that changes a byte here and there */
    size_t num_bytes;
};

/* NULL without memory. Compute, 64 lanes, no undefined value is used. Nothing races: a lane writes only its own bytes.
 */
struct ir_shader *random_shader(uint64_t seed, const struct random_options *options);

#endif
