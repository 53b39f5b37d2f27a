/* The A6xx compiler beside Mesa's: the family's part of bench/compiler.h. */
#include <stdio.h>

#include "../compiler.h"
#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "adreno/isa/isa.h"
#include "compiler/ir/bindings.h"
#include "compiler/spirv/spirv.h"

#define BINDINGS 4
#define SUBGROUP_SIZE 128 /* as Mesa's driver offers */

static bool compile_spirv(const uint32_t *spirv, size_t size_B, uint64_t **words_out, uint32_t *count_out,
                          char error_out[256])
{
    static const struct ir_binding_layout bindings[BINDINGS] = {
        {.index = 0, .stride = 1}, {.index = 1, .stride = 1}, {.index = 2, .stride = 1}, {.index = 3, .stride = 1}};
    static const struct ir_set_layout set = {bindings, BINDINGS};
    const struct adreno_compile_options options = {.chip = adreno_chip_find("adreno-635"), .sets = &set, .num_sets = 1};
    const struct spirv_options front = {.stage = IR_STAGE_compute, .max_subgroup_size = SUBGROUP_SIZE};
    struct spirv_error error = {.text = ""};
    struct adreno_binary binary;
    struct ir_shader *shader = spirv_to_ir(spirv, size_B / 4, &front, &error);
    if (!shader) {
        snprintf(error_out, 256, "%s", error.text);
        return false;
    }
    const bool ok = adreno_compile(shader, &options, &binary, error_out);
    ir_shader_destroy(shader);
    if (!ok)
        return false;
    *words_out = binary.words;
    *count_out = binary.code_size_B / 8;
    binary.words = NULL;
    adreno_binary_finish(&binary);
    return true;
}

static void print_figures(const uint64_t *words, uint32_t count)
{
    struct adreno_statistics s;
    adreno_statistics_of_code(words, count, &s);
    printf(" words %u slots %u nops %u moves %u ss %u sy %u ss_stall %u sy_stall %u cycles %u registers %u loops %u",
           s.words, s.slots, s.nops, s.moves, s.ss, s.sy, s.ss_stall, s.sy_stall, s.cycles, s.registers, s.loops);
}

int main(int argc, char **argv)
{
    static const struct bench_compiler compiler = {"bench_adreno_compiler", compile_spirv, adreno_isa_assemble,
                                                   print_figures};
    return bench_compiler_main(argc, argv, &compiler);
}
