/* Random shaders on the Mali model, in strict mode: fuzz_machine.h says what is compared and how a seed is repeated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/tests/fuzz_machine.h"
#include "mali/compiler/tests/launch.h"
#include "model/tests/file_space.h"
#include "util/bits.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x400000u
#define BUFFERS_B 0x10000u /* a page is left before them; each has its own half of a megabyte */
#define STRIDE_B 0x40000u

static struct gpu_space space;
static struct launch launch = {.space = &space, .va = BASE_VA, .code_B = 0x200000};

static bool begin_case(void)
{
    launch.memory = file_space_begin(&space, BASE_VA, SIZE_B);
    return launch.memory && launch_begin(&launch);
}

static void end_case(void)
{
    launch_end(&launch);
    file_space_end(&space, launch.memory, SIZE_B);
}

static bool dispatch(const struct mali_binary *binary, const struct fuzz_run *how, fuzz_memory memory,
                     char error_out[512])
{
    struct launch_buffer buffers[RANDOM_BUFFERS];
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++) {
        buffers[i] = (struct launch_buffer){BUFFERS_B + i * STRIDE_B, RANDOM_BUFFER_B};
        memcpy(launch.memory + buffers[i].offset_B, memory[i], RANDOM_BUFFER_B);
    }
    const struct launch_run run = {.binary = binary,
                                   .buffers = buffers,
                                   .num_buffers = RANDOM_BUFFERS,
                                   .push = how->push,
                                   .push_size_B = how->push_size_B,
                                   .groups = {1, 1, 1}};
    const bool ok = launch_compute(&launch, &run, error_out);
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        memcpy(memory[i], launch.memory + buffers[i].offset_B, RANDOM_BUFFER_B);
    return ok;
}

static bool run_program(struct ir_shader *shader, const struct fuzz_run *how, fuzz_memory memory, char error_out[512])
{
    static const struct ir_binding_layout bindings[RANDOM_BUFFERS] = {
        {.index = 0, .stride = 1}, {.index = 1, .stride = 1}, {.index = 2, .stride = 1}, {.index = 3, .stride = 1}};
    static const struct ir_set_layout set = {bindings, RANDOM_BUFFERS};
    const char *registers = getenv("CORPUS_REGISTERS"); /* so few that much is spilled */
    const struct mali_compile_options options = {.sets = &set,
                                                 .num_sets = 1,
                                                 .max_registers = (uint16_t)(registers ? 4 * atoi(registers) : 0),
                                                 .no_optimisation = how->is_plain,
                                                 .keep_text = how->is_verbose};
    struct mali_binary binary;
    if (!mali_compile(shader, &options, &binary, error_out))
        return false;
    if (how->is_verbose)
        printf("%s\n%s\n", binary.ir_text ? binary.ir_text : "", binary.disassembly ? binary.disassembly : "");
    const bool ok = dispatch(&binary, how, memory, error_out);
    mali_binary_finish(&binary);
    return ok;
}

int main(int argc, char **argv)
{
    static const struct fuzz_machine valhall = {.wave_sizes = {16, 16},
                                                .floats = {.fract_is_exact_sum = true, .has_no_doubles = true},
                                                .has_halves = true,
                                                .begin = begin_case,
                                                .run = run_program,
                                                .end = end_case};
    return fuzz_machine_main(argc, argv, &valhall);
}
