/* See fuzz_machine.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/tests/fuzz_machine.h"
#include "compiler/ir/tests/random_shader.h"
#include "util/bits.h"
#include "util/hash.h"

typedef fuzz_memory memory;

static const struct fuzz_machine *machine;
static memory initial, interpreted, plain, optimised;
static uint8_t push[256];
static unsigned compared, with_floats, undecided;
static bool is_verbose;

struct choice {
    struct random_options options;
    unsigned wave_size;
};

static struct choice choose_machine(uint64_t seed)
{
    uint64_t bits = hash_u64(seed ^ 0x5eed);
    return (struct choice){.options = {.size = 20 + (uint32_t)(bits >> 8) % 180,
                                       .no_floats = bits & 1,
                                       .no_doubles = machine->floats.has_no_doubles,
                                       .no_lanes = (bits >> 1 & 3) == 0,
                                       .no_loops = (bits >> 3 & 3) == 0,
                                       .no_memory = (bits >> 5 & 7) == 0,
                                       .has_halves = machine->has_halves && bits >> 59 & 1,
                                       .exact = true},
                           .wave_size = machine->wave_sizes[bits >> 60 & 1]};
}

static struct ir_shader *make_shader(uint64_t seed, const struct choice *choice)
{
    struct ir_shader *shader = random_shader(seed, &choice->options);
    if (!shader)
        return NULL;
    random_compute_adapt(shader);
    if (!choice->options.no_floats)
        random_compute_exact_floats(shader, &machine->floats);
    return shader;
}

/* False where the result depends on what is not specified: undefined values, bits of NaN, or takes too long. */
static bool interpret_program(struct ir_shader *shader, const struct choice *choice)
{
    struct ir_interpret_buffer buffers[RANDOM_BUFFERS];
    memcpy(interpreted, initial, sizeof(memory));
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        buffers[i] = (struct ir_interpret_buffer){.binding = i, .data = interpreted[i], .size_B = RANDOM_BUFFER_B};
    struct ir_interpret_options world = {.seed = 1,
                                         .wave_size = choice->wave_size,
                                         .num_workgroups = {1, 1, 1},
                                         .push = push,
                                         .push_size_B = sizeof(push),
                                         .buffers = buffers,
                                         .num_buffers = RANDOM_BUFFERS,
                                         .max_steps = 1 << 21};
    struct ir_interpret_result result;
    bool usable = ir_interpret(shader, &world, &result) && !result.used_undef && !result.used_nan && !result.too_long;
    ir_interpret_finish(&result);
    return usable;
}

static bool run_program(struct ir_shader *shader, const struct choice *choice, bool no_optimisation, memory out,
                        char error_out[512])
{
    memcpy(out, initial, sizeof(memory));
    const struct fuzz_run how = {.wave_size = choice->wave_size,
                                 .is_plain = no_optimisation,
                                 .is_verbose = is_verbose,
                                 .push = push,
                                 .push_size_B = sizeof(push)};
    return machine->run(shader, &how, out, error_out);
}

/* A word that is a NaN in both may be another NaN. */
static bool same(memory a, memory b, bool floats, char error_out[512])
{
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++) {
        for (unsigned n = 0; n < RANDOM_BUFFER_B; n += 4) {
            uint32_t x, y;
            memcpy(&x, &a[i][n], 4);
            memcpy(&y, &b[i][n], 4);
            bool nan = floats && (x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000;
            if (x == y || nan)
                continue;
            uint32_t z;
            memcpy(&z, &interpreted[i][n], 4);
            snprintf(error_out, 512, "dword %u of buffer %u is 0x%08x, without passes 0x%08x, interpreted 0x%08x",
                     n / 4, i, x, y, z);
            return false;
        }
    }
    return true;
}

static bool try_seed(uint64_t seed, char error_out[512])
{
    struct choice choice = choose_machine(seed);
    bool floats = !choice.options.no_floats;
    random_compute_fill(initial, seed);
    struct ir_shader *shader = make_shader(seed, &choice), *copy = shader ? ir_shader_clone(shader) : NULL;
    bool usable = copy && interpret_program(shader, &choice), ok = true;
    if (usable) {
        ok = run_program(shader, &choice, false, optimised, error_out) &&
             run_program(copy, &choice, true, plain, error_out) && same(optimised, plain, floats, error_out) &&
             (floats || same(optimised, interpreted, floats, error_out));
        compared++;
        with_floats += floats;
    } else {
        undecided++;
    }
    ir_shader_destroy(shader);
    ir_shader_destroy(copy);
    return ok;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int fuzz_machine_main(int argc, char **argv, const struct fuzz_machine *fuzzed)
{
    machine = fuzzed;
    uint64_t first = 1, count = UINT64_MAX;
    double seconds = 0;
    bool limited = false;
    for (int i = 1; i < argc; i++) {
        bool last = i + 1 == argc;
        if (strcmp(argv[i], "--verbose") == 0)
            is_verbose = true;
        else if (strcmp(argv[i], "--first") == 0 && !last)
            first = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--count") == 0 && !last)
            count = strtoull(argv[++i], NULL, 0), limited = true;
        else if (strcmp(argv[i], "--seconds") == 0 && !last)
            seconds = strtod(argv[++i], NULL), limited = true;
        else
            limited = false, argc = 0;
    }
    if (!limited) {
        fprintf(stderr, "usage: fuzz_model [--first SEED] [--count N] [--seconds S] [--verbose]\n");
        return 2;
    }
    setenv("TUFF_DEBUG", "strict", 0);
    if (!machine->begin())
        return 1;
    memset(push, 7, sizeof(push));
    unsigned failures = 0;
    double begin = now_s();
    for (uint64_t n = 0; n < count && failures < 10 && (seconds == 0 || now_s() - begin < seconds); n++) {
        char error[512] = "";
        if (try_seed(first + n, error))
            continue;
        failures++;
        printf("seed %llu, wave%u: %s\n  repeat: fuzz_model --first %llu --count 1 --verbose\n",
               (unsigned long long)(first + n), choose_machine(first + n).wave_size, error,
               (unsigned long long)(first + n));
        fflush(stdout);
    }
    printf("%u shaders compared (%u with floats), %u could not be, %u differ\n", compared, with_floats, undecided,
           failures);
    machine->end();
    return failures != 0;
}
