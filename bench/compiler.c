/* See compiler.h. */
#include "compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/bits.h"
#include "util/file.h"
#include "world.h"

#define MAX_WORDS 65536

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void write_code(const struct bench_compiler *compiler, const struct job *job, const char *directory,
                       const char *data, size_t size_B)
{
    uint64_t *words;
    uint32_t count;
    char error[256], path[1024];
    if (!compiler->compile((const uint32_t *)data, size_B, &words, &count, error)) {
        printf("failed %s %s\n", job->name, error);
        return;
    }
    snprintf(path, sizeof(path), "%s/%s.code", directory, job->name);
    FILE *file = fopen(path, "wb");
    const bool ok = file && fwrite(words, 8, count, file) == count;
    if (file)
        fclose(file);
    printf("%s %s\n", ok ? "code" : "failed", job->name);
    free(words);
}

static void write_time(const struct bench_compiler *compiler, const struct job *job, unsigned rounds, const char *data,
                       size_t size_B)
{
    double best = 0;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t *words;
        uint32_t count;
        char error[256];
        const double begin = now_us();
        if (!compiler->compile((const uint32_t *)data, size_B, &words, &count, error))
            return;
        const double taken = now_us() - begin;
        free(words);
        best = i ? MIN2(best, taken) : taken;
    }
    printf("time %s %.1f\n", job->name, best);
}

static uint32_t assemble_text(const struct bench_compiler *compiler, const char *text, uint64_t *words,
                              const char *path)
{
    unsigned line = 0;
    const int count = compiler->assemble(text, words, MAX_WORDS, &line);
    if (count < 0 || count > MAX_WORDS)
        fprintf(stderr, "%s:%u: no such instruction\n", path, line);
    return count < 0 || count > MAX_WORDS ? 0 : (uint32_t)count;
}

static void print_figures(const struct bench_compiler *compiler, const char *path)
{
    static uint64_t words[MAX_WORDS];
    char *data;
    size_t size_B;
    uint32_t count;
    if (file_read(path, &data, &size_B) != 0)
        return;
    if (strlen(path) > 5 && strcmp(path + strlen(path) - 5, ".code") == 0) {
        count = (uint32_t)MIN2(size_B / 8, MAX_WORDS);
        memcpy(words, data, count * 8);
    } else {
        count = assemble_text(compiler, data, words, path);
    }
    free(data);
    if (!count)
        return;
    printf("figures %s", path);
    compiler->print_figures(words, count);
    printf("\n");
}

int bench_compiler_main(int argc, char **argv, const struct bench_compiler *compiler)
{
    const char *mode = argc > 2 ? argv[1] : "";
    struct job job;
    if (strcmp(mode, "--figures") == 0) {
        for (int i = 2; i < argc; i++)
            print_figures(compiler, argv[i]);
        return 0;
    }
    const bool is_time = strcmp(mode, "--time") == 0;
    FILE *list = argc == 4 && (is_time || strcmp(mode, "--code") == 0) ? fopen(argv[2], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: %s --code LIST DIRECTORY | --time LIST ROUNDS | --figures FILE...\n", compiler->name);
        return 2;
    }
    while (world_next_job(list, &job)) {
        char *data;
        size_t size_B;
        if (file_read(job.path, &data, &size_B) != 0)
            continue;
        if (is_time)
            write_time(compiler, &job, (unsigned)strtoul(argv[3], NULL, 10), data, size_B);
        else
            write_code(compiler, &job, argv[3], data, size_B);
        free(data);
        fflush(stdout);
    }
    fclose(list);
    return 0;
}
