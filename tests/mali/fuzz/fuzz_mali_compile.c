/* For tests/fuzz/fuzz_modules.c: SPIR-V of any kind through this family's compiler. There is one size of warps; in its
 * place half of the registers are taken away. */
#include "fuzz_modules.h"
#include "mali/compiler/compiler.h"

static void make_layouts(struct ir_binding_layout bindings[FUZZ_BINDINGS], struct ir_set_layout sets[FUZZ_SETS])
{
    for (unsigned i = 0; i < FUZZ_BINDINGS; i++)
        bindings[i] = (struct ir_binding_layout){.index = 2 * i, .stride = 2, .is_dynamic = i == 5};
    for (unsigned i = 0; i < FUZZ_SETS; i++)
        sets[i] = (struct ir_set_layout){bindings, FUZZ_BINDINGS};
}

bool fuzz_compile(struct ir_shader *shader, bool no_optimisation, bool has_other_waves, char error_out[256])
{
    struct ir_binding_layout bindings[FUZZ_BINDINGS];
    struct ir_set_layout sets[FUZZ_SETS];
    const struct mali_stage_options stage = {.fs.blend_shaders = has_other_waves ? 1 : 0};
    struct mali_binary binary;
    make_layouts(bindings, sets);
    const struct mali_compile_options options = {.sets = sets,
                                                 .num_sets = FUZZ_SETS,
                                                 .stage = &stage,
                                                 .max_registers = has_other_waves ? 32 : 0,
                                                 .no_optimisation = no_optimisation};
    if (!mali_compile(shader, &options, &binary, error_out))
        return false;
    mali_binary_finish(&binary);
    return true;
}
