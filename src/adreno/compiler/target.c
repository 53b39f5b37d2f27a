/* The abilities of A6xx, for the passes that all back ends share: compiler/ir/target.h says what the words mean. */
#include "compiler/ir/target.h"

#include "adreno/compiler/compiler.h"

/* Registers of 32 bits and halves of them, which have the operations of 16 bits; integers of 8 bits are computed in
 * full registers. A multiplication takes 24 bits, or 16 with a sum. No doubles. mad rounds twice, as the two
 * instructions that it replaces do. */
static const struct ir_target a6xx = {
    .name = "A6xx",
    .wave_sizes = 64 | 128,
    .lacks =
        {
            IR_LACKS_AS_ALL_DO,
            [IR_OP_iadd_sat] = 8 | 16 | 64,
            [IR_OP_isub_sat] = 8 | 16 | 64,
            [IR_OP_uadd_sat] = 8 | 16 | 64,
            [IR_OP_usub_sat] = 8 | 16 | 64,
            [IR_OP_dot2] = 32,
            [IR_OP_ubfe] = 32,
            [IR_OP_ibfe] = 32,
            [IR_OP_bfi] = 32,
            [IR_OP_bitselect] = 32,
            [IR_OP_ffrexp_mant] = 16 | 32,
            [IR_OP_ffrexp_exp] = 16 | 32,
            [IR_OP_fclass] = 16 | 32,
            [IR_OP_mbcnt] = 64,
            [IR_OP_inverse_ballot] = 64,
        },
    .narrow = 8,
    .narrow_uniform = 8,
    .has_pairs = true,
    .lacks_packed = true,
    .fuses = 16 | 32,
    .lacks_atomic =
        {
            [IR_ATOMIC_IN_BUFFER] = {[IR_ATOMIC_fadd] = 32 | 64,
                                     [IR_ATOMIC_fmin] = 32 | 64,
                                     [IR_ATOMIC_fmax] = 32 | 64,
                                     [IR_ATOMIC_imin] = 64,
                                     [IR_ATOMIC_imax] = 64},
            [IR_ATOMIC_IN_IMAGE] = {[IR_ATOMIC_imin] = 64,
                                    [IR_ATOMIC_imax] = 64,
                                    [IR_ATOMIC_fadd] = 32 | 64,
                                    [IR_ATOMIC_fmin] = 32 | 64,
                                    [IR_ATOMIC_fmax] = 32 | 64},
            [IR_ATOMIC_IN_SHARED] =
                {[IR_ATOMIC_fadd] = 32 | 64, [IR_ATOMIC_fmin] = 32 | 64, [IR_ATOMIC_fmax] = 32 | 64},
        },
    .lacks_indexed_inputs = true,
    .lacks_fetch_offset = true,
    .access_B = 16,
    .branch_cost = 20,
    .flatten_cost = 40,
    .divide_cost = 20,
    .float_divide_cost = 8,
    .wide_cost = 4,
    .indexed_registers = ADRENO_ARRAY_REGISTERS,
    .unroll_size = 32 * 28,
    .unroll_size_asked = 4000,
};

const struct ir_target *adreno_target(void)
{
    return &a6xx;
}
