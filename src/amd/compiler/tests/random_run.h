/* For tests with random kernels: interpreted, then compiled with all passes and with as few as possible and run on the
 * model; the buffers must be the same bytes.
 *
 *     TUFF_TEST_SEED=N     that kernel alone
 *     TUFF_TEST_COUNT=N    how many */
#ifndef AMD_COMPILER_TESTS_RANDOM_RUN_H
#define AMD_COMPILER_TESTS_RANDOM_RUN_H

#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/tests/ir_test.h"
#include "compiler/ir/tests/random_compute.h"
#include "compiler/ir/tests/random_shader.h"

#define BUFFER_B RANDOM_BUFFER_B
#define BUFFERS RANDOM_BUFFERS

static struct shader_rig rig;
static uint8_t initial[BUFFERS][BUFFER_B], expected[BUFFERS][BUFFER_B], got[BUFFERS][BUFFER_B], push[256];
static unsigned undecided, decided;

/* The interpreter's contents of the buffers; false where they depend on undefined values, or take too long. The
 * world has all that the kernel needs besides its buffers, which one more may follow. */
static inline bool random_interpret(struct ir_shader *kernel, unsigned wave_size, struct ir_interpret_options world,
                                    const struct ir_interpret_buffer *more)
{
    struct ir_interpret_buffer buffers[BUFFERS + 1];
    memset(push, 7, sizeof(push));
    memcpy(expected, initial, sizeof(expected));
    for (unsigned i = 0; i < BUFFERS; i++)
        buffers[i] = (struct ir_interpret_buffer){.binding = i, .data = expected[i], .size_B = BUFFER_B};
    if (more)
        buffers[BUFFERS] = *more;
    world.seed = 1;
    world.wave_size = wave_size;
    for (unsigned i = 0; i < 3; i++)
        world.num_workgroups[i] = 1;
    world.push = push;
    world.push_size_B = sizeof(push);
    world.buffers = buffers;
    world.num_buffers = more ? BUFFERS + 1 : BUFFERS;
    struct ir_interpret_result result;
    const bool usable = ir_interpret(kernel, &world, &result) && !result.used_undef && !result.too_long;
    if (result.error[0])
        fail_msg("interpreted: %s", result.error);
    ir_interpret_finish(&result);
    return usable;
}

/* The kernel, which the compiler changes, does on the model what was expected. */
static inline void random_compare(uint64_t seed, struct ir_shader *kernel, struct rig_shape shape)
{
    struct rig_buffer gpu[BUFFERS];
    char error[512], what[64];
    snprintf(what, sizeof(what), "seed %llu wave%u%s", (unsigned long long)seed, shape.wave_size,
             shape.no_optimisation ? " plain" : "");
    memcpy(got, initial, sizeof(got));
    for (unsigned i = 0; i < BUFFERS; i++)
        gpu[i] = (struct rig_buffer){got[i], BUFFER_B};
    shape.buffers = gpu;
    shape.num_buffers = BUFFERS;
    shape.push = push;
    shape.push_size_B = sizeof(push);
    if (!shader_rig_run(&rig, kernel, &shape, error))
        fail_msg("%s: %s", what, error);
    for (unsigned i = 0; i < BUFFERS; i++) {
        for (unsigned n = 0; n < BUFFER_B; n++) {
            if (got[i][n] != expected[i][n])
                fail_msg("%s: byte %u of buffer %u is 0x%02x, the interpreter says 0x%02x", what, n, i, got[i][n],
                         expected[i][n]);
        }
    }
    decided++;
}

typedef void random_seed(uint64_t seed, const struct random_options *options);

static inline void random_seeds(random_seed *run_seed, const struct random_options *options, uint64_t count)
{
    const char *seed_text = getenv("TUFF_TEST_SEED"), *count_text = getenv("TUFF_TEST_COUNT");
    const uint64_t first = seed_text ? strtoull(seed_text, NULL, 0) : 1;
    count = seed_text ? 1 : count_text ? strtoull(count_text, NULL, 0) : count;
    undecided = decided = 0;
    for (uint64_t seed = first; seed < first + count; seed++)
        run_seed(seed, options);
    print_message("# %u compared, %u could not be\n", decided, undecided);
    assert_true(decided >= (seed_text ? 0 : undecided));
}

#endif
