/* Random shaders with control flow, memory, variables and lane operations: compiled with all passes and with as few as
 * possible, for both wave sizes, they must do on the model what the IR's interpreter says.
 *
 *     TUFF_TEST_SEED=N     that shader alone
 *     TUFF_TEST_COUNT=N    how many (default 60) */
#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/tests/ir_test.h"
#include "compiler/ir/tests/random_compute.h"
#include "compiler/ir/tests/random_shader.h"

#define BUFFER_B RANDOM_BUFFER_B
#define BUFFERS RANDOM_BUFFERS

static struct shader_rig rig;
static uint8_t initial[BUFFERS][BUFFER_B], expected[BUFFERS][BUFFER_B], got[BUFFERS][BUFFER_B];
static unsigned undecided, decided;

static void run_seed(uint64_t seed, const struct random_options *options, unsigned wave_size, bool plain)
{
    struct ir_shader *shader = random_shader(seed, options);
    random_compute_adapt(shader);
    uint8_t push[256];
    char error[512];
    random_compute_fill(initial, seed);
    memset(push, 7, sizeof(push));
    memcpy(expected, initial, sizeof(expected));
    struct ir_interpret_buffer buffers[BUFFERS];
    for (unsigned i = 0; i < BUFFERS; i++)
        buffers[i] = (struct ir_interpret_buffer){.binding = i, .data = expected[i], .size_B = BUFFER_B};
    struct ir_interpret_options world = {.seed = 1,
                                         .wave_size = wave_size,
                                         .num_workgroups = {1, 1, 1},
                                         .push = push,
                                         .push_size_B = sizeof(push),
                                         .buffers = buffers,
                                         .num_buffers = BUFFERS};
    struct ir_interpret_result result;
    bool ran = ir_interpret(shader, &world, &result);
    bool usable = ran && !result.used_undef && !result.too_long;
    ir_interpret_finish(&result);
    if (!usable) {
        undecided++;
        ir_shader_destroy(shader);
        return;
    }
    memcpy(got, initial, sizeof(got));
    struct rig_buffer gpu[BUFFERS];
    for (unsigned i = 0; i < BUFFERS; i++)
        gpu[i] = (struct rig_buffer){got[i], BUFFER_B};
    struct rig_shape shape = {.wave_size = wave_size,
                              .no_optimisation = plain,
                              .buffers = gpu,
                              .num_buffers = BUFFERS,
                              .push = push,
                              .push_size_B = sizeof(push)};
    if (!shader_rig_run(&rig, shader, &shape, error))
        fail_msg("seed %llu wave%u%s: %s", (unsigned long long)seed, wave_size, plain ? " plain" : "", error);
    ir_shader_destroy(shader);
    decided++;
    for (unsigned i = 0; i < BUFFERS; i++) {
        for (unsigned n = 0; n < BUFFER_B; n++) {
            if (got[i][n] != expected[i][n])
                fail_msg("seed %llu wave%u%s: byte %u of buffer %u is 0x%02x, the interpreter says 0x%02x",
                         (unsigned long long)seed, wave_size, plain ? " plain" : "", n, i, got[i][n], expected[i][n]);
        }
    }
}

static void run_all(const struct random_options *options)
{
    const char *seed_text = getenv("TUFF_TEST_SEED"), *count_text = getenv("TUFF_TEST_COUNT");
    uint64_t first = seed_text ? strtoull(seed_text, NULL, 0) : 1, count = seed_text    ? 1
                                                                           : count_text ? strtoull(count_text, NULL, 0)
                                                                                        : 60;
    undecided = decided = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        for (unsigned wave = 32; wave <= 64; wave += 32) {
            run_seed(seed, options, wave, false);
            run_seed(seed, options, wave, true);
        }
    }
    print_message("# %u compared, %u could not be\n", decided, undecided);
    assert_true(decided >= (seed_text ? 0 : undecided));
}

static void integers_and_control_flow(void **state)
{
    (void)state;
    run_all(&(struct random_options){.no_floats = true, .no_lanes = true});
}

static void lanes(void **state)
{
    (void)state;
    run_all(&(struct random_options){.no_floats = true});
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
