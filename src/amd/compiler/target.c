/* What each generation has, for the passes that all back ends share: compiler/ir/target.h says what the words mean. */
#include "compiler/ir/target.h"
#include "amd/compiler/compiler.h"

/* RDNA2. 8-bit integers nowhere; 16 bits on the vector unit alone; 64 bits where an instruction or a pair with carry
 * does it. Doubles divide by v_div_scale and its companions, in instruction selection. */
static const struct ir_target gfx10_3 = {
    .name = "GFX10.3",
    .wave_sizes = 32 | 64,
    .lacks =
        {
            [IR_OP_idiv] = IR_ALL_WIDTHS,
            [IR_OP_udiv] = IR_ALL_WIDTHS,
            [IR_OP_irem] = IR_ALL_WIDTHS,
            [IR_OP_imod] = IR_ALL_WIDTHS,
            [IR_OP_umod] = IR_ALL_WIDTHS,
            [IR_OP_fdiv] = 16 | 32,
            [IR_OP_frem] = IR_ALL_WIDTHS,
            [IR_OP_fmod] = IR_ALL_WIDTHS,
            [IR_OP_imul_hi] = 16 | 64,
            [IR_OP_umul_hi] = 16 | 64,
            [IR_OP_imin] = 64,
            [IR_OP_imax] = 64,
            [IR_OP_umin] = 64,
            [IR_OP_umax] = 64,
            [IR_OP_iadd_sat] = 8 | 64,
            [IR_OP_isub_sat] = 8 | 64,
            [IR_OP_uadd_sat] = 8 | 64,
            [IR_OP_usub_sat] = 8 | 64,
            [IR_OP_uadd_carry] = 64,
            [IR_OP_usub_borrow] = 64,
            [IR_OP_iabs] = 64,
            [IR_OP_isign] = IR_ALL_WIDTHS,
            [IR_OP_fsign] = IR_ALL_WIDTHS,
            [IR_OP_find_lsb] = 8 | 16,
            [IR_OP_ufind_msb] = 8 | 16 | 64,
            [IR_OP_ifind_msb] = 8 | 16 | 64,
            [IR_OP_brev] = 16,
            [IR_OP_bcount] = 8 | 16,
            [IR_OP_fquantize] = 32,
            [IR_OP_fldexp] = 16,
            [IR_OP_i2f] = 64,
            [IR_OP_u2f] = 64,
            [IR_OP_f2i] = 8 | 64,
            [IR_OP_f2u] = 8 | 64,
        },
    .narrow = 8,
    .narrow_uniform = 16,
    .narrow_from = 16,
    .fuses = 16 | 32 | 64,
    .lacks_mixed_dot = true,
    /* In shared memory there is an addition of 32-bit floats. */
    .lacks_atomic =
        {
            [IR_ATOMIC_IN_BUFFER] = {[IR_ATOMIC_fadd] = 32 | 64},
            [IR_ATOMIC_IN_IMAGE] = {[IR_ATOMIC_fadd] = 32 | 64},
            [IR_ATOMIC_IN_SHARED] = {[IR_ATOMIC_fadd] = 64},
        },
    .lacks_indexed_inputs = true,
    .lacks_fetch_offset = true,
    .takes_face_gradients = true,
    .access_B = 16,
    .branch_cost = 6,
    .flatten_cost = 40,
    .divide_cost = 20,
    .float_divide_cost = 8,
    .wide_cost = 4,
    .unroll_size = 32 * 28,
    .unroll_size_asked = 4000,
};

const struct ir_target *amd_target(enum isa_gfx gfx)
{
    return gfx == ISA_GFX10_3 ? &gfx10_3 : NULL;
}
