/* Compute shaders of SPIR-V modules: what they do to buffers on the model, in strict mode, must be what the IR's
 * interpreter says of the unoptimised shader. Numbers that are floats may differ by rounding. Shaders that want images
 * or more than buffers in set 0 are left out and counted.
 *
 *     shader_compare [--all] [CHOICES] FILE.spv...     prints TAP; --all: one that is left out is a failure */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/ir_interpret.h"
#include "compiler/spirv/spirv.h"
#include "util/bits.h"
#include "util/file.h"

#define BUFFER_B 65536

static struct shader_rig rig;
static uint32_t initial[RIG_MAX_BINDINGS][BUFFER_B / 4], expected[RIG_MAX_BINDINGS][BUFFER_B / 4],
    got[RIG_MAX_BINDINGS][BUFFER_B / 4];

/* Small integers and tame floats: what most shaders can compute with. As floats the integers are denormal, which the
 * GPU flushes: where that shows, floats alone decide. */
static void fill_buffers(uint64_t seed, bool only_floats)
{
    for (unsigned i = 0; i < RIG_MAX_BINDINGS; i++) {
        for (unsigned n = 0; n < BUFFER_B / 4; n++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            float number = (float)((int32_t)(seed >> 40) % 1000) / 16.0f;
            uint32_t word;
            memcpy(&word, &number, 4);
            initial[i][n] = only_floats || (seed >> 32 & 1) ? word : (uint32_t)(seed >> 48) % 64;
        }
    }
}

static bool is_close(uint32_t a, uint32_t b)
{
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    if (a == b || (isnan(x) && isnan(y)))
        return true;
    if (!isfinite(x) || !isfinite(y) || fabsf(x) < 1e-30f || fabsf(y) < 1e-30f)
        return fabsf(x) < 1e-6f && fabsf(y) < 1e-6f && (a >> 23) != 0 && (b >> 23) != 0;
    return fabsf(x - y) <= 1e-3f * fmaxf(fabsf(x), fabsf(y)) + 1e-6f;
}

static bool only_buffers(const struct ir_shader *shader)
{
    for (uint32_t i = 0; i < shader->num_resources; i++) {
        const struct ir_resource *resource = &shader->resources[i];
        bool buffer = resource->kind == IR_RESOURCE_uniform_buffer || resource->kind == IR_RESOURCE_storage_buffer;
        if (!buffer || resource->set != 0 || resource->binding >= RIG_MAX_BINDINGS || resource->count != 1)
            return false;
    }
    return true;
}

/* `choice` is specialization constant 0, which many of our shaders choose an operation by; negative: as it is. */
static struct ir_shader *read_shader(const char *path, int choice)
{
    char *data;
    size_t size_B;
    struct spirv_error error;
    if (file_read(path, &data, &size_B) != 0)
        return NULL;
    struct spirv_spec_entry entry = {.constant_id = 0, .offset_B = 0, .size_B = 4};
    struct spirv_options options = {.stage = IR_STAGE_compute,
                                    .spec_entries = &entry,
                                    .num_spec_entries = choice >= 0,
                                    .spec_data = &choice,
                                    .spec_data_size_B = sizeof(choice)};
    struct ir_shader *shader = spirv_to_ir((const uint32_t *)data, size_B / 4, &options, &error);
    free(data);
    return shader;
}

/* NULL, or why not. `skip_out`: it cannot be compared. */
static const char *compare_shader(const char *path, int choice, unsigned wave_size, bool plain, bool only_floats,
                                  const char **skip_out)
{
    static char why[768];
    struct ir_shader *shader = read_shader(path, choice);
    uint8_t push[256];
    *skip_out = !shader ? "not a compute shader" : !only_buffers(shader) ? "wants more than buffers" : NULL;
    if (*skip_out)
        goto out;
    fill_buffers(1, only_floats);
    memset(push, 0, sizeof(push));
    push[0] = 5;
    memcpy(expected, initial, sizeof(expected));
    memcpy(got, initial, sizeof(got));
    struct ir_interpret_buffer buffers[RIG_MAX_BINDINGS];
    struct rig_buffer gpu[RIG_MAX_BINDINGS];
    for (unsigned i = 0; i < RIG_MAX_BINDINGS; i++) {
        buffers[i] = (struct ir_interpret_buffer){.binding = i, .data = expected[i], .size_B = BUFFER_B};
        gpu[i] = (struct rig_buffer){got[i], BUFFER_B};
    }
    struct ir_interpret_options world = {.wave_size = wave_size,
                                         .num_workgroups = {1, 1, 1},
                                         .push = push,
                                         .push_size_B = sizeof(push),
                                         .buffers = buffers,
                                         .num_buffers = RIG_MAX_BINDINGS};
    struct ir_interpret_result result;
    bool ran = ir_interpret(shader, &world, &result);
    *skip_out = !ran                ? "the interpreter cannot run it"
                : result.used_undef ? "relies on undefined values"
                : result.too_long   ? "runs too long"
                                    : NULL;
    ir_interpret_finish(&result);
    if (*skip_out)
        goto out;
    char error[512];
    struct rig_shape shape = {.wave_size = wave_size,
                              .no_optimisation = plain,
                              .push = push,
                              .push_size_B = sizeof(push),
                              .buffers = gpu,
                              .num_buffers = RIG_MAX_BINDINGS};
    if (!shader_rig_run(&rig, shader, &shape, error)) {
        snprintf(why, sizeof(why), "%s", error);
        ir_shader_destroy(shader);
        return why;
    }
    for (unsigned i = 0; i < RIG_MAX_BINDINGS; i++) {
        for (unsigned n = 0; n < BUFFER_B / 4; n++) {
            if (is_close(got[i][n], expected[i][n]))
                continue;
            snprintf(why, sizeof(why), "dword %u of binding %u is 0x%08x, the interpreter says 0x%08x", n, i, got[i][n],
                     expected[i][n]);
            ir_shader_destroy(shader);
            return why;
        }
    }
out:
    if (shader)
        ir_shader_destroy(shader);
    return NULL;
}

static unsigned cases, failures;
static bool all;

static void compare_all(const char *path, int choice)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (unsigned shape = 0; shape < 4; shape++) {
        unsigned wave = shape & 1 ? 64 : 32;
        bool plain = shape & 2;
        const char *skip, *why = compare_shader(path, choice, wave, plain, false, &skip);
        if (why && (strstr(path, "float") || strstr(path, "narrow")))
            why = compare_shader(path, choice, wave, plain, true, &skip);
        if (all && skip)
            why = skip;
        printf("%s %u - %s", why ? "not ok" : "ok", ++cases, name);
        if (choice >= 0)
            printf(" choice %d", choice);
        printf(" wave%u%s%s%s\n", wave, plain ? " plain" : "", skip && !why ? " # SKIP " : "",
               skip && !why ? skip : "");
        if (why) {
            printf("# %s\n", why);
            failures++;
        }
    }
}

/* A number before a file: so many values of specialization constant 0. */
int main(int argc, char **argv)
{
    int choices = 0;
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    for (int i = 1; i < argc; i++) {
        char *end;
        if (strcmp(argv[i], "--all") == 0) {
            all = true;
            continue;
        }
        long number = strtol(argv[i], &end, 10);
        if (*end == '\0') {
            choices = (int)number;
            continue;
        }
        for (int choice = choices ? 0 : -1; choice < choices; choice++)
            compare_all(argv[i], choice);
    }
    printf("1..%u\n", cases);
    shader_rig_end(&rig);
    return failures != 0;
}
