/* The abilities of Valhall, for the passes that all back ends share: compiler/ir/target.h says what the words mean. */
#include "compiler/ir/target.h"

#include "mali/compiler/compiler.h"

/* Registers of 32 bits, which hold two halves: float and integer operations take pairs of halves at once. A warp has 16
 * lanes. No doubles; no atomic operation on floats. */
static const struct ir_target valhall = {
    .name = "Valhall",
    .wave_sizes = 16,
    .lacks =
        {
            IR_LACKS_AS_ALL_DO,
            [IR_OP_iadd_sat] = 8 | 64,
            [IR_OP_isub_sat] = 8 | 64,
            [IR_OP_uadd_sat] = 8 | 64,
            [IR_OP_usub_sat] = 8 | 64,
            [IR_OP_dot2] = 32,
            [IR_OP_umul24] = 32,
            [IR_OP_imul24] = 32,
            [IR_OP_ubfe] = 32,
            [IR_OP_ibfe] = 32,
            [IR_OP_bfi] = 32,
            [IR_OP_fclass] = 16 | 32,
            [IR_OP_mbcnt] = 64,
            [IR_OP_inverse_ballot] = 64,
        },
    .narrow = 8 | 16,
    .narrow_uniform = 8 | 16,
    .narrow_from = 16,
    .has_pairs = true,
    .shares_counts = true,
    .lacks_mixed_dot = true,
    .fuses = 16 | 32,
    .lacks_atomic =
        {
            [IR_ATOMIC_IN_BUFFER] =
                {[IR_ATOMIC_fadd] = 32 | 64, [IR_ATOMIC_fmin] = 32 | 64, [IR_ATOMIC_fmax] = 32 | 64},
            [IR_ATOMIC_IN_IMAGE] = {[IR_ATOMIC_fadd] = 32 | 64, [IR_ATOMIC_fmin] = 32 | 64, [IR_ATOMIC_fmax] = 32 | 64},
            [IR_ATOMIC_IN_SHARED] =
                {[IR_ATOMIC_fadd] = 32 | 64, [IR_ATOMIC_fmin] = 32 | 64, [IR_ATOMIC_fmax] = 32 | 64},
        },
    .lacks_indexed_inputs = true,
    .lacks_fetch_offset = true,
    .takes_face_gradients = true,
    .access_B = 16,
    .branch_cost = 20,
    .flatten_cost = 40,
    .divide_cost = 20,
    .float_divide_cost = 4,
    .wide_cost = 2,
    .chosen_elements = 8,
    .unroll_size = 32 * 28,
    .unroll_size_asked = 4000,
};

const struct ir_target *mali_target(void)
{
    return &valhall;
}

const uint8_t mali_sysval_words[MALI_SYSVAL_COUNT] = {
    [MALI_SYSVAL_PUSH_ADDRESS] = 2,    [MALI_SYSVAL_DATA_ADDRESS] = 2,
    [MALI_SYSVAL_WORKGROUPS] = 3,      [MALI_SYSVAL_WORKGROUP_BASE] = 3,
    [MALI_SYSVAL_VIEWPORT_SCALE] = 3,  [MALI_SYSVAL_VIEWPORT_OFFSET] = 3,
    [MALI_SYSVAL_BASE_VERTEX] = 1,     [MALI_SYSVAL_BASE_INSTANCE] = 1,
    [MALI_SYSVAL_NOPERSPECTIVE] = 1,   [MALI_SYSVAL_SAMPLES] = 1,
    [MALI_SYSVAL_BLEND_CONSTANTS] = 4, [MALI_SYSVAL_INPUT_0... MALI_SYSVAL_COUNT - 1] = 2,
};
