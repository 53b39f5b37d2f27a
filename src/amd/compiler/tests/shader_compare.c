/* Compute shaders of SPIR-V modules: what they do to buffers on the model, in strict mode, must be what the IR's interpreter says of the unoptimised shader. Numbers that
 * are floats may differ by rounding. Shaders that want images or more than buffers in set 0 are left out and counted.
 *
 *     shader_compare FILE.spv...     prints TAP */
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
static uint32_t initial[RIG_MAX_BINDINGS][BUFFER_B / 4], expected[RIG_MAX_BINDINGS][BUFFER_B / 4], got[RIG_MAX_BINDINGS][BUFFER_B / 4];

/* Small integers and tame floats: what most shaders can compute with. */
static void fill(uint64_t seed)
{
    for (unsigned i = 0; i < RIG_MAX_BINDINGS; i++) {
        for (unsigned n = 0; n < BUFFER_B / 4; n++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            float number = (float)((int32_t)(seed >> 40) % 1000) / 16.0f;
            uint32_t word;
            memcpy(&word, &number, 4);
            initial[i][n] = seed >> 32 & 1 ? word : (uint32_t)(seed >> 48) % 64;
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

static struct ir_shader *read_shader(const char *path)
{
    char *data;
    size_t size_B;
    struct spirv_error error;
    if (file_read(path, &data, &size_B) != 0)
        return NULL;
    struct ir_shader *shader = spirv_to_ir((const uint32_t *)data, size_B / 4, &(struct spirv_options){.stage = IR_STAGE_compute}, &error);
    free(data);
    return shader;
}

/* NULL, or why not. `skip_out`: it cannot be compared. */
static const char *compare(const char *path, unsigned wave_size, bool plain, const char **skip_out)
{
    static char why[768];
    struct ir_shader *shader = read_shader(path);
    uint8_t push[256];
    *skip_out = !shader ? "not a compute shader" : !only_buffers(shader) ? "wants more than buffers" : NULL;
    if (*skip_out)
        goto out;
    fill(1);
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
    struct ir_interpret_options world = {.wave_size = wave_size, .num_workgroups = {1, 1, 1}, .push = push, .push_size_B = sizeof(push), .buffers = buffers, .num_buffers = RIG_MAX_BINDINGS};
    struct ir_interpret_result result;
    bool ran = ir_interpret(shader, &world, &result);
    *skip_out = !ran ? "the interpreter cannot run it" : result.used_undef ? "relies on undefined values" : result.too_long ? "runs too long" : NULL;
    ir_interpret_finish(&result);
    if (*skip_out)
        goto out;
    char error[512];
    struct rig_shape shape = {.wave_size = wave_size, .no_optimisation = plain, .push = push, .push_size_B = sizeof(push), .buffers = gpu, .num_buffers = RIG_MAX_BINDINGS};
    if (!shader_rig_run(&rig, shader, &shape, error)) {
        snprintf(why, sizeof(why), "%s", error);
        ir_shader_destroy(shader);
        return why;
    }
    for (unsigned i = 0; i < RIG_MAX_BINDINGS; i++) {
        for (unsigned n = 0; n < BUFFER_B / 4; n++) {
            if (is_close(got[i][n], expected[i][n]))
                continue;
            snprintf(why, sizeof(why), "dword %u of binding %u is 0x%08x, the interpreter says 0x%08x", n, i, got[i][n], expected[i][n]);
            ir_shader_destroy(shader);
            return why;
        }
    }
out:
    if (shader)
        ir_shader_destroy(shader);
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned cases = 0, failures = 0;
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    for (int i = 1; i < argc; i++) {
        for (unsigned shape = 0; shape < 4; shape++) {
            unsigned wave = shape & 1 ? 64 : 32;
            bool plain = shape & 2;
            const char *skip, *why = compare(argv[i], wave, plain, &skip), *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
            printf("%s %u - %s wave%u%s%s%s\n", why ? "not ok" : "ok", ++cases, name, wave, plain ? " plain" : "", skip ? " # SKIP " : "", skip ? skip : "");
            if (why) {
                printf("# %s\n", why);
                failures++;
            }
        }
    }
    printf("1..%u\n", cases);
    shader_rig_end(&rig);
    return failures != 0;
}
