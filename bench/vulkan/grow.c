/* How a driver's time and memory grow: many objects of a kind, which are made, destroyed in another order, and whose
 * memory must be there again; much work; or one module, compiled. bench/growth.py runs it with several numbers on
 * several drivers.
 *
 *     bench_grow KIND COUNT      `create_s C destroy_s D base_kB B peak_kB P left_kB L`
 *     bench_grow module FILE     `create_s C use_s U peak_kB P result R`: until the pipeline is there, and until its first result
 *     bench_grow count WORD...   whoever counts instructions sees grow_phase_begins and grow_phase_ends around each phase of each
 *                                word: KIND:COUNT has two, module:FILE one, of which a line each says what it was
 *
 * Seconds are those of the processor, of all threads together. Ends with 77 where the device does not offer so many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "grow.h"

struct grow grow;

void grow_nothing(void)
{
}

void grow_nothing_of(uint32_t i)
{
    (void)i;
}

/* ---- measuring ---- */

static long resident_kB(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size, resident = 0;
    bench_need(file && fscanf(file, "%ld %ld", &size, &resident) == 2, "/proc/self/statm");
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A permutation that is the same everywhere: what goes in another order than it came finds the squares of lists. */
static uint32_t *shuffled(uint32_t count)
{
    uint32_t *order = malloc(count * sizeof(*order));
    uint64_t state = 1;
    bench_need(order != NULL, "memory");
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        uint32_t other = bench_random(&state) % (i + 1), swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
    return order;
}

static void make_all(const struct grow_kind *kind, uint32_t count)
{
    grow.count = count;
    for (uint32_t i = 0; i < count; i++)
        kind->create(i);
}

static void destroy_all(const struct grow_kind *kind, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kind->destroy(order[i]);
    kind->finish();
}

/* Room for so many objects; the first one has been, with what a driver makes once. */
static void prepare_kind(const struct grow_kind *kind, uint32_t count)
{
    grow.handles = malloc(count * sizeof(uint64_t));
    grow.others = malloc(count * sizeof(uint64_t));
    grow.count = count;
    bench_need(grow.handles && grow.others, "memory");
    /* Their pages are there before the first look. */
    memset(grow.handles, 1, count * sizeof(uint64_t));
    memset(grow.others, 1, count * sizeof(uint64_t));
    kind->prepare();
    make_all(kind, 1);
    destroy_all(kind, &(uint32_t){0}, 1);
}

static int measure_objects(const struct grow_kind *kind, uint32_t count)
{
    uint32_t *order = shuffled(count);
    prepare_kind(kind, count);
    long base_kB = resident_kB();
    struct bench_took start = bench_now();
    make_all(kind, count);
    double create_s = bench_since(start).cpu_s;
    long peak_kB = resident_kB();
    start = bench_now();
    destroy_all(kind, order, count);
    double destroy_s = bench_since(start).cpu_s;
    printf("create_s %.6f destroy_s %.6f base_kB %ld peak_kB %ld left_kB %ld\n", create_s, destroy_s, base_kB, peak_kB,
           resident_kB());
    return 0;
}

static struct bench_spirv read_module(const char *path)
{
    FILE *file = fopen(path, "rb");
    bench_need(file && fseek(file, 0, SEEK_END) == 0, path);
    long size_B = ftell(file);
    bench_need(size_B > 0, path);
    rewind(file);
    uint32_t *words = malloc((size_t)size_B);
    bench_need(words && fread(words, 1, (size_t)size_B, file) == (size_t)size_B, path);
    fclose(file);
    return (struct bench_spirv){words, (size_t)size_B};
}

/* Some drivers compile when the first dispatch comes. */
static int measure_module(const char *path)
{
    struct bench *b = &grow.bench;
    struct bench_spirv code = read_module(path);
    grow.buffer = bench_buffer(b, 1 << 20, NULL);
    struct bench_took start = bench_now();
    grow.compute = bench_compute(b, code, &grow.buffer, 1, 0);
    double create_s = bench_since(start).cpu_s;
    bench_begin(b);
    bench_dispatch(b, &grow.compute, NULL, 0, 1, 1, 1);
    bench_end(b);
    bench_submit(b, b->commands);
    double use_s = bench_since(start).cpu_s;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("create_s %.6f use_s %.6f peak_kB %ld result %u\n", create_s, use_s, used.ru_maxrss,
           *(const uint32_t *)grow.buffer.map);
    return 0;
}

/* ---- counting instructions ---- */

static volatile uint32_t phases_begun, phases_ended;

/* Functions of their own, by whose names a counter of instructions knows where to begin and to end. */
__attribute__((noinline)) static void grow_phase_begins(void)
{
    phases_begun++;
}

__attribute__((noinline)) static void grow_phase_ends(void)
{
    phases_ended++;
}

static void count_kind(const struct grow_kind *kind, uint32_t count)
{
    uint32_t *order = shuffled(count);
    prepare_kind(kind, count);
    grow_phase_begins();
    make_all(kind, count);
    grow_phase_ends();
    grow_phase_begins();
    destroy_all(kind, order, count);
    grow_phase_ends();
    free(order);
    free(grow.handles);
    free(grow.others);
}

static void count_module(const char *path)
{
    struct bench_spirv code = read_module(path);
    if (!grow.buffer.buffer)
        grow.buffer = bench_buffer(&grow.bench, 1 << 20, NULL);
    grow_phase_begins();
    struct bench_compute compute = bench_compute(&grow.bench, code, &grow.buffer, 1, 0);
    grow_phase_ends();
    vkDestroyPipeline(grow.bench.device, compute.pipeline, NULL);
    free((void *)(uintptr_t)code.words);
}

/* ---- the line ---- */

static const struct grow_kind *kind_of(const char *name, size_t length)
{
    const struct grow_kind *const lists[] = {grow_objects, grow_work};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (const struct grow_kind *kind = lists[i]; kind->name; kind++) {
            if (strlen(kind->name) == length && memcmp(kind->name, name, length) == 0)
                return kind;
        }
    }
    return NULL;
}

static bool count_word(const char *word)
{
    const char *colon = strchr(word, ':');
    const struct grow_kind *kind = colon ? kind_of(word, (size_t)(colon - word)) : NULL;
    const long count = kind ? strtol(colon + 1, NULL, 10) : 0;
    if (kind && count > 0 && count <= 100000000)
        count_kind(kind, (uint32_t)count);
    else if (colon && strncmp(word, "module:", 7) == 0)
        count_module(colon + 1);
    else
        return false;
    printf(kind ? "%s create\n%s destroy\n" : "%s create\n", word, word);
    return true;
}

static int print_usage(void)
{
    fprintf(stderr, "usage: bench_grow KIND COUNT | module FILE | count KIND:COUNT|module:FILE...\nkinds:");
    for (const struct grow_kind *kind = grow_objects; kind->name; kind++)
        fprintf(stderr, " %s", kind->name);
    for (const struct grow_kind *kind = grow_work; kind->name; kind++)
        fprintf(stderr, " %s", kind->name);
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return print_usage();
    const struct grow_kind *kind = kind_of(argv[1], strlen(argv[1]));
    const bool is_count = strcmp(argv[1], "count") == 0, is_module = strcmp(argv[1], "module") == 0;
    const long count = strtol(argv[2], NULL, 10);
    if (!is_count && (argc != 3 || (!is_module && (!kind || count < 1 || count > 100000000))))
        return print_usage();
    bench_open(&grow.bench);
    if (!is_count)
        return is_module ? measure_module(argv[2]) : measure_objects(kind, (uint32_t)count);
    for (int i = 2; i < argc; i++) {
        if (!count_word(argv[i]))
            return print_usage();
    }
    return 0;
}
