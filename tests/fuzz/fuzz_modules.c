/* SPIR-V of any kind, through a whole compiler: what the front end takes ends in machine code or in an error that says
 * why, never in a crash, with all passes and with none. fuzz_mutate.c has the mutator, a family its back end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/spirv.h"
#include "fuzz_modules.h"
#include "util/bits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

static void compile_shader(struct ir_shader *shader, bool no_optimisation, bool has_other_waves)
{
    char error[256] = "";
    if (fuzz_compile(shader, no_optimisation, has_other_waves, error))
        return;
    if (!error[0]) {
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
        if (copy)
            compile_shader(copy, true, size_B & 4);
        if (shader)
            compile_shader(shader, false, size_B & 4);
        ir_shader_destroy(copy);
        ir_shader_destroy(shader);
    }
    free(words);
    return 0;
}
