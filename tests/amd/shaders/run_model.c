/* The corpus through our compiler: every shader of a list in wave32 and wave64, with the optimiser and without, on the
 * model in strict mode. Prints a line for each and writes what the shader left in memory; judge.py compares.
 *
 *     run_model LIST DIRECTORY                 runs the compute shaders of LIST: lines of "NAME FILE.spv X Y Z"
 *     run_model --compile LIST DIRECTORY       compiles them, of any stage, and writes their code
 *     run_model --time LIST ROUNDS             prints the best time of a compilation from SPIR-V, in microseconds
 *     run_model --figures WAVE FILE            figures of a file of machine code: what the estimator says of any
 *     compiler's binary */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amd/compiler/mir.h"
#include "amd/compiler/tests/shader_rig.h"
#include "compiler/spirv/spirv.h"
#include "util/bits.h"
#include "util/file.h"
#include "world.h"

#define LAYOUT_BINDINGS 32

static const struct {
    const char *name;
    unsigned wave_size;
    bool plain;
} shapes[] = {{"w64", 64, false}, {"w32", 32, false}, {"w64-plain", 64, true}, {"w32-plain", 32, true}};

static bool read_module(const char *path, char **data_out, size_t *size_out)
{
    return file_read(path, data_out, size_out) == 0 && *size_out % 4 == 0;
}

/* Of the first stage that the module has. */
static struct ir_shader *to_ir(const char *data, size_t size_B, char error_out[512])
{
    static const enum ir_stage stages[] = {IR_STAGE_compute, IR_STAGE_vertex, IR_STAGE_fragment};
    struct spirv_error error = {.text = ""};
    for (unsigned i = 0; i < ARRAY_SIZE(stages); i++) {
        struct ir_shader *shader = spirv_to_ir((const uint32_t *)data, size_B / 4, &(struct spirv_options){.stage = stages[i]}, &error);
        if (shader)
            return shader;
        if (!strstr(error.text, "entry point"))
            break;
    }
    snprintf(error_out, 512, "the front end refuses word %u: %s", error.word, error.text);
    return NULL;
}

/* ---- running ---- */

static bool run_one(struct shader_rig *rig, const struct job *job, unsigned shape, struct world *world, char error_out[512])
{
    char *data;
    size_t size_B;
    if (!read_module(job->path, &data, &size_B)) {
        snprintf(error_out, 512, "the module cannot be read");
        return false;
    }
    struct ir_shader *shader = to_ir(data, size_B, error_out);
    free(data);
    if (!shader)
        return false;
    uint64_t address;
    shader_rig_reset(rig);
    void *addressed = shader_rig_alloc(rig, ADDRESSED_B, &address);
    world_fill(world, address);
    memcpy(addressed, world->addressed, ADDRESSED_B);
    struct rig_buffer buffers[] = {{world->input, INPUT_B}, {world->output, OUTPUT_B}, {world->block, BLOCK_B}, {world->second, SECOND_B}};
    struct rig_shape run = {
        .wave_size = shader->subgroup_size ? shader->subgroup_size : shapes[shape].wave_size,
        .no_optimisation = shapes[shape].plain,
        .groups = {job->groups[0], job->groups[1], job->groups[2]},
        .push = world->push,
        .push_size_B = PUSH_B,
        .buffers = buffers,
        .num_buffers = ARRAY_SIZE(buffers),
    };
    bool ok = shader_rig_run(rig, shader, &run, error_out);
    memcpy(world->addressed, addressed, ADDRESSED_B);
    ir_shader_destroy(shader);
    return ok;
}

static int run_list(FILE *list, const char *directory)
{
    static struct world world;
    struct shader_rig rig;
    struct job job;
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    while (world_next_job(list, &job)) {
        for (unsigned i = 0; i < ARRAY_SIZE(shapes); i++) {
            char error[512] = "";
            bool ok = run_one(&rig, &job, i, &world, error);
            if (ok && !world_dump(&world, directory, job.name, shapes[i].name)) {
                fprintf(stderr, "%s cannot be written\n", directory);
                return 1;
            }
            printf("%s %s %s %s\n", ok ? "ran" : "failed", job.name, shapes[i].name, error);
            fflush(stdout);
        }
    }
    shader_rig_end(&rig);
    return 0;
}

/* ---- compiling ---- */

struct layouts {
    struct amd_binding_layout bindings[LAYOUT_BINDINGS];
    struct amd_set_layout sets[4];
    struct amd_stage_options stage;
};

/* As RADV lays sets out: one descriptor after the other, 16 bytes per buffer, 64 per image with its sampler. */
static void make_layouts(struct layouts *layouts, const struct ir_shader *shader)
{
    *layouts = (struct layouts){0};
    for (unsigned i = 0, at = 0; i < LAYOUT_BINDINGS; i++, at += 64)
        layouts->bindings[i] = (struct amd_binding_layout){.offset_B = at, .stride_B = 64, .sampler_offset_B = 32};
    for (unsigned i = 0; i < 4; i++)
        layouts->sets[i] = (struct amd_set_layout){layouts->bindings, LAYOUT_BINDINGS};
    if (shader->stage == IR_STAGE_compute) {
        for (unsigned i = 0; i < 4; i++)
            layouts->bindings[i] = (struct amd_binding_layout){.offset_B = i * 16, .stride_B = 16};
    }
    for (uint32_t i = 0; shader->stage == IR_STAGE_vertex && i < shader->num_inputs; i++) {
        uint32_t at = shader->inputs[i].location - IR_LOCATION_VAR0;
        for (uint32_t n = 0; shader->inputs[i].location >= IR_LOCATION_VAR0 && n < MAX2(shader->inputs[i].num_locations, 1u) && at + n < AMD_MAX_ATTRIBUTES; n++)
            layouts->stage.vs.attributes[at + n] =
                (struct amd_vertex_attribute){.present = true, .binding = (uint8_t)(at + n), .channels = 4, .format = 77, .is_int = shader->inputs[i].base != IR_BASE_float};
    }
    for (uint32_t i = 0; shader->stage == IR_STAGE_fragment && i < shader->num_outputs; i++) {
        uint32_t at = shader->outputs[i].location - IR_LOCATION_VAR0;
        if (shader->outputs[i].location >= IR_LOCATION_VAR0 && at < AMD_MAX_TARGETS)
            layouts->stage.fs.color_formats |= (uint32_t)AMD_EXPORT_FP16_ABGR << 4 * at;
    }
}

static bool compile_one(const char *data, size_t size_B, unsigned shape, struct amd_binary *binary, char error_out[512])
{
    static struct layouts layouts;
    struct ir_shader *shader = to_ir(data, size_B, error_out);
    if (!shader)
        return false;
    make_layouts(&layouts, shader);
    struct amd_compile_options options = {
        .gfx = ISA_GFX_10_3,
        .wave_size = (uint8_t)(shader->subgroup_size ? shader->subgroup_size : shapes[shape].wave_size),
        .address32_hi = 0xffff8000,
        .sets = layouts.sets,
        .num_sets = ARRAY_SIZE(layouts.sets),
        .no_optimisation = shapes[shape].plain,
        .stage = &layouts.stage,
    };
    char error[256] = "";
    bool ok = amd_compile(shader, &options, binary, error);
    if (!ok)
        snprintf(error_out, 512, "%s", error);
    ir_shader_destroy(shader);
    return ok;
}

static bool write_code(const struct amd_binary *binary, const char *directory, const char *name, const char *shape)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.%s.code", directory, name, shape);
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(binary->words, 1, binary->code_size_B, file) == binary->code_size_B;
    return file && fclose(file) == 0 && ok;
}

static int compile_list(FILE *list, const char *directory)
{
    struct job job;
    while (world_next_job(list, &job)) {
        char *data;
        size_t size_B;
        if (!read_module(job.path, &data, &size_B)) {
            printf("failed %s all cannot be read\n", job.name);
            continue;
        }
        for (unsigned i = 0; i < ARRAY_SIZE(shapes); i++) {
            struct amd_binary binary;
            char error[512] = "";
            bool ok = compile_one(data, size_B, i, &binary, error);
            if (ok && !write_code(&binary, directory, job.name, shapes[i].name))
                return 1;
            const struct amd_statistics *s = ok ? binary.statistics : &(struct amd_statistics){0};
            printf("%s %s %s vgprs %u sgprs %u scratch %u %s\n", ok ? "compiled" : "failed", job.name, shapes[i].name, s->vgprs, s->sgprs, s->scratch_size_B, error);
            fflush(stdout);
            if (ok)
                amd_binary_finish(&binary);
        }
        free(data);
    }
    return 0;
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int time_list(FILE *list, unsigned rounds)
{
    struct job job;
    while (world_next_job(list, &job)) {
        char *data;
        size_t size_B;
        double best = 0;
        if (!read_module(job.path, &data, &size_B))
            continue;
        for (unsigned i = 0; i < rounds; i++) {
            struct amd_binary binary;
            char error[512];
            double begin = now_us();
            if (!compile_one(data, size_B, 0, &binary, error))
                break;
            double taken = now_us() - begin;
            amd_binary_finish(&binary);
            best = i ? MIN2(best, taken) : taken;
        }
        if (best > 0)
            printf("time %s %.1f\n", job.name, best);
        free(data);
    }
    return 0;
}

static int print_figures(unsigned wave_size, const char *path)
{
    char *data;
    size_t size_B;
    struct amd_statistics s;
    if (file_read(path, &data, &size_B) != 0)
        return 1;
    amd_statistics_of_code(ISA_GFX_10_3, wave_size, (const uint32_t *)data, (uint32_t)(size_B / 4), &s);
    printf("figures %s instructions %u size %u vgprs %u sgprs %u latency %u throughput %u valu %u salu %u vmem %u smem %u branches %u copies %u\n", path, s.instructions,
           s.code_size_B, s.vgprs, s.sgprs, s.latency, s.inverse_throughput, s.valu, s.salu, s.vmem, s.smem, s.branches, s.copies);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "--figures") == 0) {
        int result = 0;
        for (int i = 3; i < argc; i++)
            result |= print_figures((unsigned)strtoul(argv[2], NULL, 10), argv[i]);
        return result;
    }
    bool compile = argc == 4 && strcmp(argv[1], "--compile") == 0, timed = argc == 4 && strcmp(argv[1], "--time") == 0;
    if (argc != 3 && !compile && !timed) {
        fprintf(stderr, "usage: run_model [--compile | --time] LIST DIRECTORY|ROUNDS, or --figures WAVE FILE...\n");
        return 2;
    }
    const char *const *rest = (const char *const *)argv + argc - 2;
    FILE *list = fopen(rest[0], "r");
    if (!list) {
        fprintf(stderr, "%s cannot be read\n", rest[0]);
        return 1;
    }
    int result = compile ? compile_list(list, rest[1]) : timed ? time_list(list, (unsigned)strtoul(rest[1], NULL, 10)) : run_list(list, rest[1]);
    fclose(list);
    return result;
}
