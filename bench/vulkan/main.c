/* Measures one scene on the first Vulkan device: submits the same commands again and again and says the median rate.
 *
 *     bench_vulkan --list
 *     bench_vulkan SCENE [SECONDS]
 *
 * The line `rate R UNIT runs N median_s M best_s B cpu_s C device NAME` is for bench/run.py; cpu_s is the median of the
 * times that a run had on all cores together. Ends with 1 where the work was not done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define MOST_RUNS 100000

static const struct bench_scene *const tables[] = {bench_graphics_scenes, bench_compute_scenes, bench_driver_scenes};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare_doubles);
    return values[count / 2];
}

static struct bench_took run(struct bench *b, const struct bench_scene *scene)
{
    return scene->run ? scene->run(b) : bench_submit(b, b->commands);
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
    /* The first runs also pay for what a driver compiles, maps or clears late. */
    run(&b, scene);
    run(&b, scene);

    static double times[MOST_RUNS], cpu_times[MOST_RUNS];
    size_t runs = 0;
    struct bench_took start = bench_now();
    while (runs < MOST_RUNS && (bench_since(start).clock_s < wanted_s || runs < 3)) {
        struct bench_took took = run(&b, scene);
        times[runs] = took.clock_s;
        cpu_times[runs++] = took.cpu_s;
    }
    double median_s = median(times, runs), cpu_s = median(cpu_times, runs);
    bool done = scene->check(&b);
    printf("rate %.6g %s runs %zu median_s %.6g best_s %.6g cpu_s %.6g device %s\n", b.work / median_s, scene->unit,
           runs, median_s, times[0], cpu_s, b.properties.deviceName);
    if (!done)
        fprintf(stderr, "bench_vulkan: %s: the result is wrong\n", scene->name);
    return done ? 0 : 1;
}
