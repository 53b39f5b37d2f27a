/* See alone.h. */
#include "alone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/spirv.h"
#include "model/tests/file_space.h"
#include "util/file.h"

const struct alone_range alone_ranges[ALONE_BINDINGS] = {
    {0x1000, INPUT_B}, {0x20000, OUTPUT_B}, {0x30000, BLOCK_B}, {0x40000, SECOND_B}};
static const struct alone_range addressed = {0x50000, ADDRESSED_B};

struct ir_shader *alone_read(const char *path, enum ir_stage stage, unsigned wave_size, char error_out[512])
{
    struct spirv_error error = {.text = ""};
    char *data;
    size_t size_B;
    if (file_read(path, &data, &size_B) != 0) {
        snprintf(error_out, 512, "the module cannot be read");
        return NULL;
    }
    struct ir_shader *shader =
        spirv_to_ir((const uint32_t *)data, (uint32_t)(size_B / 4),
                    &(struct spirv_options){.stage = stage, .max_subgroup_size = wave_size}, &error);
    free(data);
    if (!shader)
        snprintf(error_out, 512, "the front end refuses word %u: %s", error.word, error.text);
    return shader;
}

unsigned alone_registers(void)
{
    const char *registers = getenv("CORPUS_REGISTERS");
    return registers ? (unsigned)atoi(registers) : 0;
}

static void bring_world(struct alone *alone, const struct world *world)
{
    const uint32_t *const contents[ALONE_BINDINGS] = {world->input, world->output, world->block, world->second};
    for (unsigned i = 0; i < ALONE_BINDINGS; i++)
        memcpy(alone->memory + alone_ranges[i].offset_B, contents[i], alone_ranges[i].size_B);
    memcpy(alone->memory + addressed.offset_B, world->addressed, ADDRESSED_B);
}

static void take_world(struct alone *alone, struct world *world)
{
    uint32_t *const contents[ALONE_BINDINGS] = {world->input, world->output, world->block, world->second};
    for (unsigned i = 0; i < ALONE_BINDINGS; i++)
        memcpy(contents[i], alone->memory + alone_ranges[i].offset_B, alone_ranges[i].size_B);
    memcpy(world->addressed, alone->memory + addressed.offset_B, ADDRESSED_B);
}

static bool run_one(const struct alone_family *family, const struct job *job, const struct alone_shape *shape,
                    struct world *world, char error_out[512])
{
    world_fill(world, ALONE_VA + addressed.offset_B);
    bring_world(family->alone, world);
    const bool ok = family->run(family->alone, job, shape, world, error_out);
    if (job->kind == JOB_BUFFERS)
        take_world(family->alone, world);
    else
        memcpy(world->second, family->alone->memory + alone_ranges[3].offset_B, SECOND_B);
    return ok;
}

static bool run_job(const struct alone_family *family, const struct job *job, const char *directory)
{
    static struct world world;
    for (unsigned i = 0; i < family->num_shapes; i++) {
        const struct alone_shape *shape = &family->shapes[i];
        char error[512] = "";
        const bool ok = run_one(family, job, shape, &world, error);
        if (ok && !world_dump(&world, directory, job->name, shape->name)) {
            fprintf(stderr, "%s cannot be written\n", directory);
            return false;
        }
        for (char *c = error; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        printf("%s %s %s %s\n", ok ? "ran" : "failed", job->name, shape->name, error);
        fflush(stdout);
    }
    return true;
}

int alone_main(int argc, char **argv, const struct alone_family *family)
{
    struct job job;
    FILE *list = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: run_model LIST DIRECTORY\n");
        return 2;
    }
    setenv("TUFF_DEBUG", "strict", 0);
    family->alone->memory = file_space_begin(&family->alone->space, ALONE_VA, ALONE_SIZE_B);
    if (!family->alone->memory || !family->begin(family->alone)) {
        fprintf(stderr, "the model cannot be made\n");
        return 1;
    }
    while (world_next_job(list, &job)) {
        if (!run_job(family, &job, argv[2]))
            return 1;
    }
    fclose(list);
    return 0;
}
