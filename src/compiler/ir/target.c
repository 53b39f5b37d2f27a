/* The target of shaders that belong to no back end yet: it has every operation, and bounds that hold for all machines.
 */
#include "compiler/ir/target.h"

const struct ir_target ir_target_generic = {
    .name = "no machine",
    .wave_sizes = 16 | 32 | 64 | 128,
    .narrow_from = 16 | 32 | 64,
    .access_B = 16,
    .branch_cost = 6,
    .flatten_cost = 40,
    .divide_cost = 20,
    .float_divide_cost = 8,
    .wide_cost = 4,
    .unroll_size = 32 * 28,
    .unroll_size_asked = 4000,
};
