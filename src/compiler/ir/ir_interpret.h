/* Executes a shader as it is written, without a GPU: the judge of passes. A shader before and after a pass must do the
 * same.
 *
 * All lanes of a workgroup run in lock-step, one instruction after the other over every active lane, which is one of
 * the orders that a GPU may take; a barrier then has nothing to do. Operations between lanes see the lanes of their own
 * wave.
 *
 * What the caller does not give is made up of the seed, always the same for the same question: a buffer, a texture, an
 * input answers what its name, address or coordinate hash to, with a liking for zeros, ones, small numbers and
 * infinities. What is written is remembered and read back. So any shader runs, and two runs can be compared. Not for
 * speed. */
#ifndef COMPILER_IR_IR_INTERPRET_H
#define COMPILER_IR_IR_INTERPRET_H

#include "compiler/ir/ir.h"

#define IR_INTERPRET_MAX_LANES 1024

/* A buffer that `resource {set, binding}` with operand `index` names, or (where `is_global`) that lies at an address.
 */
struct ir_interpret_buffer {
    uint32_t set, binding, index;
    bool is_global;
    uint64_t address;
    void *data; /* the shader may write it */
    uint64_t size_B;
};

/* The function that stack_call finds at an address. */
struct ir_interpret_function {
    uint64_t address;
    struct ir_shader *shader;
};

struct ir_interpret_options {
    uint64_t seed;
    uint32_t wave_size; /* 1 to 64; 0: 32 */
    uint32_t num_lanes; /* 0: the workgroup's size for compute, else one wave */
    uint32_t workgroup_id[3], num_workgroups[3];
    const void *push; /* NULL: made up */
    uint32_t push_size_B;
    const struct ir_interpret_buffer *buffers;
    uint32_t num_buffers;
    /* Asked first for inputs, barycentrics, system values, textures, image sizes and descriptors: component `comp` of
     * the result for one lane. `srcs[i]` are the components of operand i. False: the interpreter answers itself. NULL:
     * always. */
    bool (*source)(void *data, const struct ir_instr *instr, uint32_t lane, uint32_t comp, const uint64_t *const *srcs,
                   uint64_t *out);
    /* Asked first for each lane's load_image and store_image: the texel at `coord`, whose components are to be filled
     * in or are to be kept. False: the interpreter does it itself. NULL: always. */
    bool (*image)(void *data, const struct ir_instr *instr, const uint64_t coord[4], uint64_t texel[4]);
    void *source_data;  /* of both */
    const struct ir_interpret_function *functions; /* NULL: only address 0 can be called */
    uint32_t num_functions;
    uint32_t stack_size_B; /* of a lane; 0: 16 KiB */
    uint64_t max_steps; /* instructions times active lanes; 0: 16 million */
};

struct ir_interpret_output {
    uint32_t lane, location, comp, dual_index;
    uint64_t value;
    uint8_t bits;
    bool some_nan; /* a NaN that arithmetic made: which one is not specified */
    bool nan_bits; /* made of the bits of such a NaN: anything */
};

struct ir_interpret_result {
    /* Of everything that can be seen from outside: outputs, memory that was given or made up, image writes, vertices
     * emitted. Lanes that were demoted count for nothing. Buffers that the caller gave are the caller's to compare. */
    uint64_t digest;
    uint64_t effects; /* the same without the outputs */
    bool used_undef;  /* something seen, or a branch or address, depends on an undefined value: the digest means nothing
                       */
    bool used_nan;    /* memory, a branch or an address depends on which NaN arithmetic makes, which is not specified */
    bool too_long;    /* stopped at max_steps */
    uint64_t steps;
    uint32_t misaligned; /* accesses that break their `align` promise: an error of the shader's author */
    struct ir_interpret_output *outputs; /* sorted by lane, location, component; of lanes that were not demoted */
    uint32_t num_outputs;
    char error[256]; /* not empty: it could not be run */
    struct arena arena;
};

/* False where the result's error is set. Finish the result either way. */
bool ir_interpret(struct ir_shader *shader, const struct ir_interpret_options *options,
                  struct ir_interpret_result *result);
void ir_interpret_finish(struct ir_interpret_result *result);
const struct ir_interpret_output *ir_interpret_find_output(const struct ir_interpret_result *result, uint32_t lane,
                                                           uint32_t location, uint32_t comp);

enum ir_verdict {
    IR_SAME,
    IR_DIFFERENT,
    IR_UNDECIDED
};

/* Run both on the same made-up world and compare all that can be seen. An output that is some NaN may become another.
 * Undecided where one could not be run to its end, relies on undefined values, or differs where the bits of a NaN were
 * used; `reason_out` says what differs or why not. */
enum ir_verdict ir_interpret_compare(struct ir_shader *a, struct ir_shader *b,
                                     const struct ir_interpret_options *options, char reason_out[256]);

#endif
