/* SPIR-V of any kind, through the whole compiler: what the front end takes ends in machine code or in an error that
 * says why, never in a crash, with all passes and with none. fuzz_mutate.c has the mutator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/compiler/compiler.h"
#include "compiler/spirv/spirv.h"
#include "util/bits.h"

#define BINDINGS 32
#define SETS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

/* As a driver lays sets out: an image with its sampler fits everywhere. */
static void make_layouts(struct amd_binding_layout bindings[BINDINGS], struct amd_set_layout sets[SETS])
{
    for (unsigned i = 0; i < BINDINGS; i++)
        bindings[i] = (struct amd_binding_layout){.offset_B = i * 64, .stride_B = 64, .sampler_offset_B = 32};
    for (unsigned i = 0; i < SETS; i++)
        sets[i] = (struct amd_set_layout){bindings, BINDINGS};
}

static void compile(struct ir_shader *shader, bool no_optimisation, unsigned wave_size)
{
    static struct amd_stage_options stage;
    struct amd_binding_layout bindings[BINDINGS];
    struct amd_set_layout sets[SETS];
    struct amd_binary binary;
    char error[256] = "";
    make_layouts(bindings, sets);
    struct amd_compile_options options = {.gfx = ISA_GFX_10_3,
                                          .wave_size = (uint8_t)wave_size,
                                          .address32_hi = 0xffff8000,
                                          .sets = sets,
                                          .num_sets = SETS,
                                          .no_optimisation = no_optimisation,
                                          .stage = &stage};
    if (amd_compile(shader, &options, &binary, error)) {
        amd_binary_finish(&binary);
    } else if (!error[0]) {
        fprintf(stderr, "an error without a reason\n");
        abort();
    } else if (strstr(error, "internal") && getenv("FUZZ_INTERNAL")) {
        fprintf(stderr, "%s\n", error);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static const enum ir_stage stages[] = {IR_STAGE_compute, IR_STAGE_vertex, IR_STAGE_fragment};
    size_t count = size_B / 4;
    uint32_t *words = malloc(count ? count * 4 : 1);
    if (!words)
        return 0;
    memcpy(words, data, count * 4);
    for (unsigned i = 0; i < ARRAY_SIZE(stages); i++) {
        struct spirv_error error;
        struct ir_shader *shader = spirv_to_ir(words, count, &(struct spirv_options){.stage = stages[i]}, &error);
        struct ir_shader *copy = shader ? ir_shader_clone(shader) : NULL;
        unsigned wave_size = shader && shader->subgroup_size ? shader->subgroup_size : size_B & 4 ? 32 : 64;
        if (copy)
            compile(copy, true, wave_size);
        if (shader)
            compile(shader, false, wave_size);
        ir_shader_destroy(copy);
        ir_shader_destroy(shader);
    }
    free(words);
    return 0;
}
