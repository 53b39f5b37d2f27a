/* Random shaders with control flow, memory, variables and lane operations: compiled with all passes and with as few as
 * possible, for both wave sizes, they must do on the model what the IR's interpreter says (random_run.h). */
#include "amd/compiler/tests/random_run.h"

static void run_seed(uint64_t seed, const struct random_options *options)
{
    struct ir_shader *kernel = random_shader(seed, options);
    random_compute_adapt(kernel);
    random_compute_fill(initial, seed);
    for (unsigned wave = 32; wave <= 64; wave += 32) {
        if (!random_interpret(kernel, wave, (struct ir_interpret_options){0}, NULL)) {
            undecided++;
            continue;
        }
        for (unsigned plain = 0; plain < 2; plain++) {
            struct ir_shader *copy = ir_shader_clone(kernel);
            random_compare(seed, copy, (struct rig_shape){.wave_size = wave, .no_optimisation = plain});
            ir_shader_destroy(copy);
        }
    }
    ir_shader_destroy(kernel);
}

static void integers_and_control_flow(void **state)
{
    (void)state;
    random_seeds(run_seed, &(struct random_options){.no_floats = true, .no_lanes = true}, 60);
}

static void lanes(void **state)
{
    (void)state;
    random_seeds(run_seed, &(struct random_options){.no_floats = true}, 60);
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers_and_control_flow), cmocka_unit_test(lanes)};
    int failed = cmocka_run_group_tests_name("select random", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
