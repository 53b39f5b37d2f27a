/* Random shaders on the Radeon model: fuzz_machine.h says what is compared and how a seed is repeated. */
#include <stdlib.h>

#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/tests/fuzz_machine.h"

static struct shader_rig rig;

static bool begin_case(void)
{
    shader_rig_begin(&rig);
    return true;
}

static void end_case(void)
{
    shader_rig_end(&rig);
}

static bool run_program(struct ir_shader *shader, const struct fuzz_run *how, fuzz_memory memory, char error_out[512])
{
    struct rig_buffer buffers[RANDOM_BUFFERS];
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        buffers[i] = (struct rig_buffer){memory[i], RANDOM_BUFFER_B};
    struct rig_shape shape = {.wave_size = how->wave_size,
                              .no_optimisation = how->is_plain,
                              .buffers = buffers,
                              .num_buffers = RANDOM_BUFFERS,
                              .push = how->push,
                              .push_size_B = how->push_size_B};
    if (how->is_verbose)
        setenv("TUFF_RIG_VERBOSE", "1", 1);
    return shader_rig_run(&rig, shader, &shape, error_out);
}

int main(int argc, char **argv)
{
    static const struct fuzz_machine radeon = {
        .wave_sizes = {64, 32}, .has_halves = true, .begin = begin_case, .run = run_program, .end = end_case};
    return fuzz_machine_main(argc, argv, &radeon);
}
