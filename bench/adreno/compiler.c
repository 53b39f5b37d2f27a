/* The A6xx compiler on the corpus of tests/shaders, for compiler.py:
 *
 *     bench_adreno_compiler --code LIST DIRECTORY     writes the code of each compute shader of LIST, NAME.code
 *     bench_adreno_compiler --time LIST ROUNDS        prints the best time from SPIR-V to code, in microseconds
 *     bench_adreno_compiler --figures FILE...         figures of code: words (FILE.code), or lines of assembly */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "adreno/isa/isa.h"
#include "compiler/spirv/spirv.h"
#include "util/bits.h"
#include "util/file.h"
#include "world.h"

#define BINDINGS 4
#define MAX_WORDS 65536
#define SUBGROUP_SIZE 128 /* as Mesa's driver offers */

static bool compile(const char *data, size_t size_B, struct adreno_binary *binary_out, char error_out[256])
{
    static const struct adreno_binding_layout bindings[BINDINGS] = {
        {.index = 0, .stride = 1}, {.index = 1, .stride = 1}, {.index = 2, .stride = 1}, {.index = 3, .stride = 1}};
    static const struct adreno_set_layout set = {bindings, BINDINGS};
    const struct adreno_compile_options options = {.chip = adreno_chip_find("adreno-635"), .sets = &set, .num_sets = 1};
    const struct spirv_options front = {.stage = IR_STAGE_compute, .max_subgroup_size = SUBGROUP_SIZE};
    struct spirv_error error = {.text = ""};
    struct ir_shader *shader = spirv_to_ir((const uint32_t *)data, size_B / 4, &front, &error);
    if (!shader) {
        snprintf(error_out, 256, "%s", error.text);
        return false;
    }
    const bool ok = adreno_compile(shader, &options, binary_out, error_out);
    ir_shader_destroy(shader);
    return ok;
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void write_code(const struct job *job, const char *directory, const char *data, size_t size_B)
{
    struct adreno_binary binary;
    char error[256], path[1024];
    if (!compile(data, size_B, &binary, error)) {
        printf("failed %s %s\n", job->name, error);
        return;
    }
    snprintf(path, sizeof(path), "%s/%s.code", directory, job->name);
    FILE *file = fopen(path, "wb");
    const bool ok = file && fwrite(binary.words, 1, binary.code_size_B, file) == binary.code_size_B;
    if (file)
        fclose(file);
    printf("%s %s\n", ok ? "code" : "failed", job->name);
    adreno_binary_finish(&binary);
}

static void write_time(const struct job *job, unsigned rounds, const char *data, size_t size_B)
{
    double best = 0;
    for (unsigned i = 0; i < rounds; i++) {
        struct adreno_binary binary;
        char error[256];
        const double begin = now_us();
        if (!compile(data, size_B, &binary, error))
            return;
        const double taken = now_us() - begin;
        adreno_binary_finish(&binary);
        best = i ? MIN2(best, taken) : taken;
    }
    printf("time %s %.1f\n", job->name, best);
}

static uint32_t assemble(const char *text, uint64_t *words, const char *path)
{
    unsigned line = 0;
    const int count = adreno_isa_assemble(text, words, MAX_WORDS, &line);
    if (count < 0 || count > MAX_WORDS)
        fprintf(stderr, "%s:%u: no such instruction\n", path, line);
    return count < 0 || count > MAX_WORDS ? 0 : (uint32_t)count;
}

static void print_figures(const char *path)
{
    static uint64_t words[MAX_WORDS];
    struct adreno_statistics s;
    char *data;
    size_t size_B;
    uint32_t count;
    if (file_read(path, &data, &size_B) != 0)
        return;
    if (strlen(path) > 5 && strcmp(path + strlen(path) - 5, ".code") == 0) {
        count = (uint32_t)MIN2(size_B / 8, MAX_WORDS);
        memcpy(words, data, count * 8);
    } else {
        count = assemble(data, words, path);
    }
    free(data);
    if (!count)
        return;
    adreno_statistics_of_code(words, count, &s);
    printf("figures %s words %u slots %u nops %u moves %u ss %u sy %u ss_stall %u sy_stall %u cycles %u registers %u "
           "loops %u\n",
           path, s.words, s.slots, s.nops, s.moves, s.ss, s.sy, s.ss_stall, s.sy_stall, s.cycles, s.registers, s.loops);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "";
    struct job job;
    if (strcmp(mode, "--figures") == 0) {
        for (int i = 2; i < argc; i++)
            print_figures(argv[i]);
        return 0;
    }
    const bool is_time = strcmp(mode, "--time") == 0;
    FILE *list = argc == 4 && (is_time || strcmp(mode, "--code") == 0) ? fopen(argv[2], "r") : NULL;
    if (!list) {
        fprintf(stderr,
                "usage: bench_adreno_compiler --code LIST DIRECTORY | --time LIST ROUNDS | --figures FILE...\n");
        return 2;
    }
    while (world_next_job(list, &job)) {
        char *data;
        size_t size_B;
        if (file_read(job.path, &data, &size_B) != 0)
            continue;
        if (is_time)
            write_time(&job, (unsigned)strtoul(argv[3], NULL, 10), data, size_B);
        else
            write_code(&job, argv[3], data, size_B);
        free(data);
        fflush(stdout);
    }
    fclose(list);
    return 0;
}
