/* A GPU's instruction set and its costs: a machine's facts for the optimiser (opt.h) and the lowering passes
 * (compiler/lower), of which neither names it. Each family's compiler has one constant of it for each generation.
 *
 * Widths are sets: 8, 16, 32 and 64 are single bits, so that 16 | 64 is "at 16 and at 64 bits". */
#ifndef COMPILER_IR_TARGET_H
#define COMPILER_IR_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/ir_enums.h"
#include "compiler/ir/ir_opcodes.h"

#define IR_ALL_WIDTHS (1 | 8 | 16 | 32 | 64)

/* The kinds of memory that atomics work on. */
enum ir_atomic_place {
    IR_ATOMIC_IN_BUFFER, /* through a descriptor or by an address */
    IR_ATOMIC_IN_IMAGE,
    IR_ATOMIC_IN_SHARED,
    IR_ATOMIC_PLACES
};

struct ir_shader;

struct ir_target {
    const char *name;    /* for people: "lowered for NAME" */
    uint16_t wave_sizes; /* a set as above: 16, 32, 64, 128 lanes */

    /* --- what there is no instruction for, as widths at which the operation is made of others --- */

    /* By operation. The width is that of the first operand; of a conversion that of the integer in it. */
    uint8_t lacks[IR_OP_COUNT];
    /* Integers that are computed in 32 bits and cut: anywhere; where all lanes have the same value, too. */
    uint8_t narrow, narrow_uniform;
    uint8_t
        narrow_from; /* floats that are converted to a 16-bit integer with its own range; others go through 32 bits */
    bool has_pairs;  /* registers have 32 bits: a 64-bit integer is two of them, and no instruction takes both */
    uint8_t fuses;   /* widths at which ffma costs no more than fmul: products and sums become one */
    bool lacks_packed;  /* two 16-bit values at once */
    bool shares_counts; /* both are shifted by one number, which is known */
    bool lacks_mixed_dot; /* dot2, dot4 of one signed and one unsigned operand */
    /* By memory and operation; made of a loop of compare and exchange. */
    uint8_t lacks_atomic[IR_ATOMIC_PLACES][IR_ATOMIC_COUNT];
    bool lacks_indexed_inputs; /* an input's location is part of the instruction */
    bool lacks_fetch_offset;   /* texel offsets of fetches; those of samples are the sampler's */
    /* Makes loops of ray queries (compiler/lower/lower_rays.h): the first pass of all. NULL: there are no rays. */
    bool (*lower_rays)(struct ir_shader *shader, const void *options);
    bool takes_face_gradients; /* explicit gradients of a cube are given on its face, not in space */

    /* --- costs, in instructions of an ordinary kind --- */

    uint8_t access_B;                  /* the longest load or store of one lane */
    uint8_t branch_cost, flatten_cost; /* an if with no more than this becomes selects; where the program asks for it */
    uint8_t divide_cost, float_divide_cost, wide_cost; /* integer division, float division, anything of 64 bits */
    uint16_t indexed_registers; /* that an array of 32-bit elements may take with computed indices; 0: there are none */
    uint8_t chosen_elements;    /* of an array, vectors counted once, that comparisons choose from; 0: memory is cheaper */
    uint16_t unroll_size, unroll_size_asked; /* instructions that a loop may become; where the program asks for it */
};

/* Rows of `lacks` for what no GPU here has an instruction for: divisions, signs, most of 64 bits and of the narrow
 * widths. A machine that lacks more adds its own rows. */
#define IR_LACKS_AS_ALL_DO                                                                                             \
    [IR_OP_idiv] = IR_ALL_WIDTHS, [IR_OP_udiv] = IR_ALL_WIDTHS, [IR_OP_irem] = IR_ALL_WIDTHS,                          \
    [IR_OP_imod] = IR_ALL_WIDTHS, [IR_OP_umod] = IR_ALL_WIDTHS, [IR_OP_fdiv] = 16 | 32, [IR_OP_frem] = IR_ALL_WIDTHS,  \
    [IR_OP_fmod] = IR_ALL_WIDTHS, [IR_OP_imul_hi] = 16 | 64, [IR_OP_umul_hi] = 16 | 64, [IR_OP_imin] = 64,             \
    [IR_OP_imax] = 64, [IR_OP_umin] = 64, [IR_OP_umax] = 64, [IR_OP_uadd_carry] = 64, [IR_OP_usub_borrow] = 64,        \
    [IR_OP_iabs] = 64, [IR_OP_isign] = IR_ALL_WIDTHS, [IR_OP_fsign] = IR_ALL_WIDTHS, [IR_OP_find_lsb] = 8 | 16,        \
    [IR_OP_ufind_msb] = 8 | 16 | 64, [IR_OP_ifind_msb] = 8 | 16 | 64, [IR_OP_brev] = 16, [IR_OP_bcount] = 8 | 16,      \
    [IR_OP_fquantize] = 32, [IR_OP_fldexp] = 16, [IR_OP_i2f] = 64, [IR_OP_u2f] = 64, [IR_OP_f2i] = 8 | 64,             \
    [IR_OP_f2u] = 8 | 64

/* Everything is there: for shaders that no back end has yet. */
extern const struct ir_target ir_target_generic;

static inline bool ir_target_lacks(const struct ir_target *target, enum ir_op op, unsigned bits)
{
    return target->lacks[op] & bits;
}

/* Lanes of the widest wave. */
static inline unsigned ir_target_max_lanes(const struct ir_target *target)
{
    return 1u << (31 - __builtin_clz(target->wave_sizes));
}

#endif
