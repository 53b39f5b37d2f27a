/* Measures one scene on the first Vulkan device: does the same work again and again and says the median rate.
 *
 *     bench_vulkan --list                what there is: group, name, unit, words, by tabulators
 *     bench_vulkan --device              which device and driver it is
 *     bench_vulkan SCENE [SECONDS]
 *     bench_vulkan --verify SCENE        one run; the result must be right, and a spoilt one must be found
 *     bench_vulkan --memory SCENE        one run; `memory_B N` is the most that the process had in memory
 *
 * The line `rate R UNIT runs N median_s M best_s B cpu_s C work W device NAME` is for bench/run.py; cpu_s is the median
 * of the times that a run had on all cores together. Ends with 1 where the result is wrong, with 77 where the device
 * does not offer what the scene needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"

#define MOST_RUNS 100000
#define FEWEST_RUNS 3
#define LONG_S 10     /* after which one run will do */
#define WARM_UP_S 0.3 /* one run at least, two if the first was shorter than this */

static const struct {
    const char *name;
    const struct bench_scene *scenes;
} groups[] = {
    {"start", bench_start_scenes},  {"pipelines", bench_pipeline_scenes}, {"recording", bench_record_scenes},
    {"copies", bench_copy_scenes},  {"compute", bench_compute_scenes},    {"graphics", bench_graphics_scenes},
    {"stages", bench_stage_scenes},
    {"states", bench_state_scenes},
};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static struct bench_took run_scene(struct bench *b, const struct bench_scene *scene)
{
    b->runs++;
    return scene->run ? scene->run(b) : bench_submit(b, b->commands);
}

static const struct bench_scene *find_scene(const char *name)
{
    for (size_t i = 0; i < GROUPS; i++) {
        for (const struct bench_scene *scene = groups[i].scenes; scene->name; scene++) {
            if (strcmp(scene->name, name) == 0)
                return scene;
        }
    }
    return NULL;
}

static int list_scenes(void)
{
    for (size_t i = 0; i < GROUPS; i++) {
        for (const struct bench_scene *scene = groups[i].scenes; scene->name; scene++)
            printf("%s\t%s\t%s\t%s\n", groups[i].name, scene->name, scene->unit, scene->what);
    }
    return 0;
}

/* By an instance of 1.1, which knows what the driver calls itself. */
static int show_device(void)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    VkInstance instance;
    BENCH_CHECK(vkCreateInstance(&info, NULL, &instance));
    VkPhysicalDevice physical;
    uint32_t count = 1;
    VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
    bench_need((found == VK_SUCCESS || found == VK_INCOMPLETE) && count, "a Vulkan device");
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &driver};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    uint32_t version = properties.properties.apiVersion;
    printf("%s\t%s\t%s\t%u.%u\n", properties.properties.deviceName, driver.driverName, driver.driverInfo,
           VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    return 0;
}

/* 0 if the scene's result is right, and if a spoilt one is not taken for right. */
static int verify_scene(struct bench *b, const struct bench_scene *scene)
{
    run_scene(b, scene);
    bool right = scene->check(b);
    b->spoil = true;
    bool fooled = scene->check(b);
    if (!right)
        fprintf(stderr, "bench_vulkan: %s: the result is wrong\n", scene->name);
    if (fooled)
        fprintf(stderr, "bench_vulkan: %s: a spoilt result was taken for right\n", scene->name);
    return right && !fooled ? 0 : 1;
}

static int show_memory(struct bench *b, const struct bench_scene *scene)
{
    struct rusage used;
    run_scene(b, scene);
    if (!scene->check(b) || getrusage(RUSAGE_SELF, &used) != 0) {
        fprintf(stderr, "bench_vulkan: %s: the result is wrong\n", scene->name);
        return 1;
    }
    printf("memory_B %ld\n", used.ru_maxrss * 1024);
    return 0;
}

static int measure_scene(struct bench *b, const struct bench_scene *scene, double wanted_s)
{
    /* The first runs also pay for what a driver compiles, maps or clears late. */
    struct bench_took start = bench_now();
    run_scene(b, scene);
    if (bench_since(start).clock_s < WARM_UP_S)
        run_scene(b, scene);

    static double times[MOST_RUNS], cpu_times[MOST_RUNS];
    size_t runs = 0;
    start = bench_now();
    for (double passed_s = 0; runs < MOST_RUNS && (passed_s < wanted_s || runs < (passed_s > LONG_S ? 1 : FEWEST_RUNS));
         passed_s = bench_since(start).clock_s) {
        struct bench_took took = run_scene(b, scene);
        times[runs] = took.clock_s;
        cpu_times[runs++] = took.cpu_s;
    }
    double median_s = bench_median(times, runs), cpu_s = bench_median(cpu_times, runs);
    if (!scene->check(b)) {
        fprintf(stderr, "bench_vulkan: %s: the result is wrong\n", scene->name);
        return 1;
    }
    printf("rate %.6g %s runs %zu median_s %.6g best_s %.6g cpu_s %.6g work %.17g device %s\n", b->work / median_s,
           scene->unit, runs, median_s, times[0], cpu_s, b->work, b->properties.deviceName);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list_scenes();
    if (argc == 2 && strcmp(argv[1], "--device") == 0)
        return show_device();
    bool verifying = argc == 3 && strcmp(argv[1], "--verify") == 0,
         weighing = argc == 3 && strcmp(argv[1], "--memory") == 0;
    const char *name = verifying || weighing ? argv[2] : argc == 2 || argc == 3 ? argv[1] : "";
    const struct bench_scene *scene = find_scene(name);
    if (!scene) {
        fprintf(stderr, "usage: bench_vulkan --list | --device | --verify SCENE | --memory SCENE | SCENE [SECONDS]\n");
        return 2;
    }
    struct bench b = {0};
    bench_open(&b);
    scene->prepare(&b);
    if (weighing)
        return show_memory(&b, scene);
    return verifying ? verify_scene(&b, scene) : measure_scene(&b, scene, argc > 2 ? strtod(argv[2], NULL) : 1);
}
