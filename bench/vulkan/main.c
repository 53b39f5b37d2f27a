/* Measures one scene on the first Vulkan device: submits the same commands again and again and says the median rate.
 *
 *     bench_vulkan --list
 *     bench_vulkan SCENE [SECONDS]
 *
 * The line `rate R UNIT runs N median_s M best_s B cpu_s C device NAME` is for bench/run.py; cpu_s is the time that the
 * process had on all cores together. Ends with 1 where the work was not done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

#define MOST_RUNS 100000

static const struct bench_scene *const tables[] = {bench_graphics_scenes, bench_compute_scenes};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const struct bench_scene *find_scene(const char *name)
{
    for (size_t i = 0; i < TABLES; i++) {
        for (const struct bench_scene *scene = tables[i]; scene->name; scene++) {
            if (strcmp(scene->name, name) == 0)
                return scene;
        }
    }
    return NULL;
}

static int list_scenes(void)
{
    for (size_t i = 0; i < TABLES; i++) {
        for (const struct bench_scene *scene = tables[i]; scene->name; scene++)
            printf("%s\t%s\t%s\n", scene->name, scene->unit, scene->what);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list_scenes();
    const struct bench_scene *scene = argc >= 2 ? find_scene(argv[1]) : NULL;
    if (!scene) {
        fprintf(stderr, "usage: bench_vulkan --list | SCENE [SECONDS]\n");
        return 2;
    }
    double wanted_s = argc > 2 ? strtod(argv[2], NULL) : 1;

    struct bench b = {0};
    bench_open(&b);
    scene->prepare(&b);
    /* The first submissions also pay for what a driver compiles, maps or clears late. */
    bench_submit(&b, b.commands);
    bench_submit(&b, b.commands);

    double *times = malloc(MOST_RUNS * sizeof(*times)), total_s = 0;
    bench_need(times != NULL, "memory for the times");
    size_t runs = 0;
    double cpu_s = cpu_now();
    while (runs < MOST_RUNS && (total_s < wanted_s || runs < 3)) {
        times[runs] = bench_submit(&b, b.commands);
        total_s += times[runs++];
    }
    cpu_s = (cpu_now() - cpu_s) / (double)runs;
    qsort(times, runs, sizeof(*times), compare_doubles);
    double median_s = times[runs / 2];
    bool done = scene->check(&b);
    printf("rate %.6g %s runs %zu median_s %.6g best_s %.6g cpu_s %.6g device %s\n", b.work / median_s, scene->unit,
           runs, median_s, times[0], cpu_s, b.properties.deviceName);
    if (!done)
        fprintf(stderr, "bench_vulkan: %s: the result is wrong\n", scene->name);
    free(times);
    return done ? 0 : 1;
}
