/* For tests/fuzz/fuzz_modules.c: SPIR-V of any kind through this family's compiler. */
#include "amd/compiler/compiler.h"
#include "fuzz_modules.h"

/* As a driver lays sets out: an image with its sampler fits everywhere. */
static void make_layouts(struct amd_binding_layout bindings[FUZZ_BINDINGS], struct amd_set_layout sets[FUZZ_SETS])
{
    for (unsigned i = 0; i < FUZZ_BINDINGS; i++)
        bindings[i] = (struct amd_binding_layout){.offset_B = i * 64, .stride_B = 64, .sampler_offset_B = 32};
    for (unsigned i = 0; i < FUZZ_SETS; i++)
        sets[i] = (struct amd_set_layout){bindings, FUZZ_BINDINGS};
}

bool fuzz_compile(struct ir_shader *shader, bool no_optimisation, bool has_other_waves, char error_out[256])
{
    static struct amd_stage_options stage;
    struct amd_binding_layout bindings[FUZZ_BINDINGS];
    struct amd_set_layout sets[FUZZ_SETS];
    struct amd_binary binary;
    const uint8_t chosen = (uint8_t)shader->subgroup_size;
    make_layouts(bindings, sets);
    struct amd_compile_options options = {.gfx = ISA_GFX_10_3,
                                          .wave_size = chosen            ? chosen
                                                       : has_other_waves ? 32
                                                                         : 64,
                                          .address32_hi = 0xffff8000,
                                          .sets = sets,
                                          .num_sets = FUZZ_SETS,
                                          .no_optimisation = no_optimisation,
                                          .stage = &stage};
    if (!amd_compile(shader, &options, &binary, error_out))
        return false;
    amd_binary_finish(&binary);
    return true;
}
