/* The abilities of each generation, for the passes that all back ends share: compiler/ir/target.h says what the
 * words mean. */
#include "compiler/ir/target.h"
#include "amd/compiler/lower_amd.h"

/* RDNA2. 8-bit integers nowhere; 16 bits on the vector unit alone; 64 bits where an instruction or a pair with carry
 * does it. Doubles divide by v_div_scale and its companions, in instruction selection. */
static const struct ir_target gfx10_3 = {
    .name = "GFX10.3",
    .wave_sizes = 32 | 64,
    .lacks =
        {
            IR_LACKS_AS_ALL_DO,
            [IR_OP_iadd_sat] = 8 | 64,
            [IR_OP_isub_sat] = 8 | 64,
            [IR_OP_uadd_sat] = 8 | 64,
            [IR_OP_usub_sat] = 8 | 64,
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
    .lower_rays = amd_lower_amd_ray,
    .access_B = 16,
    .branch_cost = 6,
    .flatten_cost = 40,
    .divide_cost = 20,
    .float_divide_cost = 8,
    .wide_cost = 4,
    .chosen_elements = 16,
    .unroll_size = 32 * 28,
    .unroll_size_asked = 4000,
};

const struct ir_target *amd_target(enum isa_gfx gfx)
{
    return gfx == ISA_GFX10_3 ? &gfx10_3 : NULL;
}
