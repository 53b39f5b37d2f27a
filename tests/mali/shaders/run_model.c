/* The corpus through our Valhall compiler: every compute shader of a list, with the optimiser and without, on the
 * model's shader core. */
#include <stdio.h>
#include <string.h>

#include "alone.h"
#include "mali/compiler/tests/launch.h"
#include "util/bits.h"

struct rig {
    struct alone alone; /* first */
    struct launch launch;
};

static const struct alone_shape shapes[] = {{"w16", 16, false}, {"w16-plain", 16, true}};

static bool begin_model(struct alone *alone)
{
    struct rig *rig = (struct rig *)alone;
    rig->launch =
        (struct launch){.space = &alone->space, .memory = alone->memory, .va = ALONE_VA, .code_B = ALONE_CODE_B};
    return launch_begin(&rig->launch);
}

static bool dispatch(struct rig *rig, const struct job *job, const struct mali_binary *binary,
                     const struct world *world, char error_out[512])
{
    struct launch_buffer buffers[ALONE_BINDINGS];
    for (unsigned i = 0; i < ALONE_BINDINGS; i++)
        buffers[i] = (struct launch_buffer){alone_ranges[i].offset_B, alone_ranges[i].size_B};
    const struct launch_run run = {.binary = binary,
                                   .buffers = buffers,
                                   .num_buffers = ALONE_BINDINGS,
                                   .push = world->push,
                                   .push_size_B = PUSH_B,
                                   .groups = {job->groups[0], job->groups[1], job->groups[2]}};
    return launch_compute(&rig->launch, &run, error_out);
}

static bool run_job(struct alone *alone, const struct job *job, const struct alone_shape *shape, struct world *world,
                    char error_out[512])
{
    static const struct ir_binding_layout bindings[ALONE_BINDINGS] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}};
    static const struct ir_set_layout set = {bindings, ALONE_BINDINGS};
    struct rig *rig = (struct rig *)alone;
    const struct mali_compile_options options = {.sets = &set,
                                                 .num_sets = 1,
                                                 .no_optimisation = shape->is_plain,
                                                 .max_registers = (uint16_t)(4 * alone_registers())};
    struct mali_binary binary;
    if (job->kind != JOB_BUFFERS) {
        snprintf(error_out, 512, "draws are not run without a driver");
        return false;
    }
    struct ir_shader *shader = alone_read(job->path, IR_STAGE_compute, shape->wave_size, error_out);
    if (!shader)
        return false;
    bool ok = mali_compile(shader, &options, &binary, error_out);
    ir_shader_destroy(shader);
    if (!ok)
        return false;
    ok = dispatch(rig, job, &binary, world, error_out);
    mali_binary_finish(&binary);
    return ok;
}

int main(int argc, char **argv)
{
    static struct rig rig;
    static const struct alone_family valhall = {shapes, ARRAY_SIZE(shapes), &rig.alone, begin_model, run_job};
    return alone_main(argc, argv, &valhall);
}
