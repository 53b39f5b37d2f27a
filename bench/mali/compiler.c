/* The Valhall compiler beside Mesa's: the family's part of bench/compiler.h. */
#include <stdio.h>

#include "../compiler.h"
#include "compiler/ir/bindings.h"
#include "compiler/spirv/spirv.h"
#include "mali/compiler/compiler.h"
#include "mali/isa/isa.h"

#define BINDINGS 4
#define SUBGROUP_SIZE 16
#define BUFFER_ALIGNMENT_B 16 /* as the driver has it */

static bool compile_spirv(const uint32_t *spirv, size_t size_B, uint64_t **words_out, uint32_t *count_out,
                          char error_out[256])
{
    static const struct ir_binding_layout bindings[BINDINGS] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}};
    static const struct ir_set_layout set = {bindings, BINDINGS};
    const struct mali_compile_options options = {.sets = &set, .num_sets = 1, .store_check = MALI_STORE_CHECK_VECTORS};
    const struct spirv_options front = {
        .stage = IR_STAGE_compute, .max_subgroup_size = SUBGROUP_SIZE, .buffer_alignment_B = BUFFER_ALIGNMENT_B};
    struct spirv_error error = {.text = ""};
    struct mali_binary binary;
    struct ir_shader *shader = spirv_to_ir(spirv, size_B / 4, &front, &error);
    if (!shader) {
        snprintf(error_out, 256, "%s", error.text);
        return false;
    }
    const bool ok = mali_compile(shader, &options, &binary, error_out);
    ir_shader_destroy(shader);
    if (!ok)
        return false;
    *words_out = binary.words;
    *count_out = binary.code_size_B / 8;
    binary.words = NULL;
    mali_binary_finish(&binary);
    return true;
}

static void print_figures(const uint64_t *words, uint32_t count)
{
    struct mali_statistics s;
    mali_statistics_of_code(words, count, &s);
    printf(" instructions %u nops %u moves %u messages %u private %u waits %u registers %u loops %u", s.instructions,
           s.nops, s.moves, s.messages, s.private_accesses, s.waits, s.registers, s.loops);
}

int main(int argc, char **argv)
{
    static const struct bench_compiler compiler = {"bench_mali_compiler", compile_spirv, mali_isa_assemble,
                                                   print_figures};
    return bench_compiler_main(argc, argv, &compiler);
}
