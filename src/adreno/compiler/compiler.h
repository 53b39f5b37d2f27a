/* The A6xx compiler as a driver and the tools see it: a shader of the shared IR in, machine code with what the hardware's
 * registers must be told about it out. */
#ifndef ADRENO_COMPILER_COMPILER_H
#define ADRENO_COMPILER_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/ir.h"

struct ir_target;

/* What A6xx has, for the optimiser and the shared lowering passes. */
const struct ir_target *adreno_target(void);

/* Where a binding's descriptors are in their set, counted in descriptors of 64 bytes. */
struct adreno_binding_layout {
    uint32_t index, stride; /* of the first one; from one array element to the next */
};

struct adreno_set_layout {
    const struct adreno_binding_layout *bindings; /* by binding number */
    uint32_t num_bindings;
};

#define ADRENO_MAX_SETS 5 /* bindless bases that A6xx has */

struct adreno_compile_options {
    const struct adreno_set_layout *sets;
    uint32_t num_sets;
    uint16_t max_registers; /* vec4; 0: all 48. For tests of spilling */
    bool no_optimisation;   /* every pass that is not needed for correctness is left out */
    bool keep_text;         /* keep what TUFF_DEBUG would print */
};

/* What a driver writes to the constant file beside the program's own constants, a vec4 each. */
enum adreno_param {
    ADRENO_PARAM_WORKGROUPS,     /* x, y, z */
    ADRENO_PARAM_WORKGROUP_BASE, /* x, y, z: of vkCmdDispatchBase */
    ADRENO_PARAM_DATA,           /* x, y: the address of the constant data, code_size_B after the program's */
    ADRENO_PARAM_COUNT,
};

#define ADRENO_REG_UNUSED 0xfc /* r63.x: the hardware writes it nowhere */

/* Registers by the hardware's number, constants by vec4. */
struct adreno_shader_config {
    uint16_t full_registers;        /* vec4 that are used; halves are parts of them */
    uint16_t constants;             /* vec4 that are used */
    uint16_t first_push, push_size; /* push constants, 0 where there are none */
    uint16_t first_param;           /* enum adreno_param */
    uint16_t first_immediate;       /* `immediates` go here */
    uint8_t local_id_reg, workgroup_id_reg;
    uint32_t local_size_B;   /* of a workgroup */
    uint32_t private_size_B; /* of a fiber */
    uint16_t workgroup_size[3];
    bool has_barrier;
};

struct adreno_binary {
    uint64_t *words; /* malloc'ed; constant data follows the code */
    uint32_t size_B, code_size_B;
    uint32_t *immediates; /* malloc'ed: num_immediates dwords, a multiple of 4 */
    uint32_t num_immediates;
    struct adreno_shader_config config;
    char *ir_text, *disassembly; /* NULL unless keep_text */
};

/* False with a reason. The shader is consumed by passes but still the caller's to destroy. */
bool adreno_compile(struct ir_shader *shader, const struct adreno_compile_options *options,
                    struct adreno_binary *binary_out, char error_out[256]);
void adreno_binary_finish(struct adreno_binary *binary);

#endif
