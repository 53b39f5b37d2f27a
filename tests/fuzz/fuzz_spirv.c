/* SPIR-V of any kind: the front end answers with an error, or with a shader that keeps the rules of the IR. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "compiler/spirv/spirv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

static void check_stage(const uint32_t *words, size_t count, enum ir_stage stage, const char *entry)
{
    static struct ir_failure failure;
    struct spirv_options options = {.stage = stage, .entry = entry};
    struct spirv_error error;
    struct ir_shader *shader = spirv_to_ir(words, count, &options, &error);
    if (!shader) {
        if (!error.text[0] || error.word > count) {
            fprintf(stderr, "an error without a reason or a place\n");
            abort();
        }
        return;
    }
    if (ir_guard(shader, &failure) == 0) {
        const char *wrong = ir_validate(shader);
        if (wrong) {
            fprintf(stderr, "the shader breaks a rule: %s\n", wrong);
            abort();
        }
    }
    ir_shader_destroy(shader);
}

/* Of an execution model; -1: another. */
static int stage_of(uint32_t model)
{
    if (model <= SpvExecutionModelGLCompute)
        return (int)model;
    if (model >= SpvExecutionModelRayGenerationKHR && model <= SpvExecutionModelCallableKHR)
        return (int)(IR_STAGE_raygen + model - SpvExecutionModelRayGenerationKHR);
    return -1;
}

/* The first entry point of each stage, by the name that it has. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    size_t count = size_B / 4;
    uint32_t *words =
        malloc(count ? count * 4 : 1); /* of the exact size, so that the sanitizer sees a read after the end */
    if (!words)
        return 0;
    memcpy(words, data, count * 4);
    unsigned seen = 0;
    for (size_t at = 5; at < count && words[at] >> 16; at += words[at] >> 16) {
        char name[64] = {0};
        if ((words[at] & 0xffff) != SpvOpEntryPoint || at + 3 >= count)
            continue;
        const int stage = stage_of(words[at + 1]);
        if (stage < 0 || seen & 1u << stage)
            continue;
        size_t left_B = (count - at - 3) * 4;
        memcpy(name, &words[at + 3], left_B < sizeof(name) - 1 ? left_B : sizeof(name) - 1);
        seen |= 1u << stage;
        check_stage(words, count, (enum ir_stage)stage, name);
    }
    if (!seen)
        check_stage(words, count, IR_STAGE_compute, NULL);
    free(words);
    return 0;
}
