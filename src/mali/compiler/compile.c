/* From a shader of the shared IR to a binary: the order of all passes. */
#include "mali/compiler/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mali_compile(struct ir_shader *shader, const struct mali_compile_options *options, struct mali_binary *binary_out,
                  char error_out[256])
{
    (void)shader, (void)options;
    memset(binary_out, 0, sizeof(*binary_out));
    snprintf(error_out, 256, "shaders are not compiled for Valhall yet");
    return false;
}

bool mali_compile_blend(const struct mali_blend_key *key, uint16_t constants_word, struct mali_binary *binary_out,
                        char error_out[256])
{
    (void)key, (void)constants_word;
    memset(binary_out, 0, sizeof(*binary_out));
    snprintf(error_out, 256, "blend shaders are not compiled for Valhall yet");
    return false;
}

void mali_binary_finish(struct mali_binary *binary)
{
    free(binary->words);
    free(binary->immediates);
    free(binary->ir_text);
    free(binary->disassembly);
    memset(binary, 0, sizeof(*binary));
}
