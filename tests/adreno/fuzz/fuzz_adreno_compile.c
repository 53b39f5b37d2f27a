/* For tests/fuzz/fuzz_modules.c: SPIR-V of any kind through this family's compiler, vertex shaders in both versions. */
#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "fuzz_modules.h"

static void make_layouts(struct ir_binding_layout bindings[FUZZ_BINDINGS], struct ir_set_layout sets[FUZZ_SETS])
{
    for (unsigned i = 0; i < FUZZ_BINDINGS; i++)
        bindings[i] = (struct ir_binding_layout){.index = 2 * i, .stride = 2, .sampler = 1, .is_dynamic = i == 5};
    for (unsigned i = 0; i < FUZZ_SETS; i++)
        sets[i] = (struct ir_set_layout){bindings, FUZZ_BINDINGS};
}

bool fuzz_compile(struct ir_shader *shader, bool no_optimisation, bool has_other_waves, char error_out[256])
{
    struct ir_binding_layout bindings[FUZZ_BINDINGS];
    struct ir_set_layout sets[FUZZ_SETS];
    struct adreno_stage_options stage = {.vs.is_binning = has_other_waves};
    struct adreno_binary binary;
    make_layouts(bindings, sets);
    const struct adreno_compile_options options = {.chip = adreno_chip_find("adreno-635"),
                                                   .sets = sets,
                                                   .num_sets = FUZZ_SETS,
                                                   .wave_size = has_other_waves ? 64 : 128,
                                                   .no_optimisation = no_optimisation,
                                                   .stage = &stage};
    if (!adreno_compile(shader, &options, &binary, error_out))
        return false;
    adreno_binary_finish(&binary);
    return true;
}
