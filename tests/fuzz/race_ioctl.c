/* Several threads on the same files of a kernel driver's model: each takes inputs of the fuzzer (fuzz_ioctl.h), changes
 * a few bytes and makes their calls, so that objects are made, mapped, submitted and destroyed under each other's
 * hands. Right is whatever ends; wrong is what the sanitizers report.
 *
 *     race_ioctl SECONDS CORPUS */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz_ioctl.h"
#include "util/bits.h"

#define THREADS 6
#define INPUTS 512
#define INPUT_B 4096
#define INPUTS_OF_ROUND 200 /* of each thread, on one device */

static struct {
    size_t size_B;
    uint8_t bytes[INPUT_B];
} inputs[INPUTS];
static unsigned input_count;

struct racer {
    pthread_t thread;
    struct drm_file *const *files;
    uint64_t random;
};

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

static void read_input(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    inputs[input_count].size_B = fread(inputs[input_count].bytes, 1, INPUT_B, file);
    input_count += inputs[input_count].size_B != 0;
    fclose(file);
}

static void read_inputs(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && input_count < INPUTS && (entry = readdir(entries))) {
        if (entry->d_name[0] != '.')
            read_input(folder, entry->d_name);
    }
    if (entries)
        closedir(entries);
}

/* The beginning of one input and the end of another. */
static size_t make_input(struct racer *racer, uint8_t bytes[INPUT_B])
{
    const unsigned first = next_random(&racer->random) % input_count,
                   second = next_random(&racer->random) % input_count;
    const size_t head_B = next_random(&racer->random) % (inputs[first].size_B + 1),
                 from_B = next_random(&racer->random) % inputs[second].size_B,
                 tail_B = MIN2(inputs[second].size_B - from_B, INPUT_B - head_B);
    memcpy(bytes, inputs[first].bytes, head_B);
    memcpy(bytes + head_B, inputs[second].bytes + from_B, tail_B);
    return head_B + tail_B;
}

static void *run_racer(void *argument)
{
    struct racer *racer = argument;
    uint8_t bytes[INPUT_B];
    for (unsigned i = 0; i < INPUTS_OF_ROUND; i++) {
        const size_t size_B = make_input(racer, bytes);
        for (uint32_t changes = next_random(&racer->random) % 4; changes && size_B; changes--)
            bytes[next_random(&racer->random) % size_B] = (uint8_t)next_random(&racer->random);
        fuzz_run_calls(&fuzz_family, racer->files, bytes, size_B);
    }
    return NULL;
}

/* False: there are no threads. */
static bool run_round(unsigned round)
{
    struct drm_file *files[2];
    struct racer racers[THREADS];
    struct drm_device *device = fuzz_open_device(&fuzz_family, files);
    unsigned started = 0;
    for (; started < THREADS; started++) {
        racers[started] = (struct racer){.files = files, .random = (uint64_t)round * THREADS + started + 1};
        if (pthread_create(&racers[started].thread, NULL, run_racer, &racers[started]))
            break;
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(racers[i].thread, NULL);
    fuzz_close_device(device, files);
    return started == THREADS;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: race_ioctl SECONDS CORPUS\n");
        return 2;
    }
    LLVMFuzzerInitialize(NULL, NULL);
    read_inputs(argv[2]);
    const double end_s = now_s() + atof(argv[1]);
    unsigned rounds = 0;
    bool is_good = input_count != 0;
    while (is_good && (!rounds || now_s() < end_s))
        is_good = run_round(rounds++);
    printf("%s 1 - %u devices, each with %u threads on two files, %u inputs\n1..1\n", is_good ? "ok" : "not ok", rounds,
           THREADS, input_count);
    return !is_good;
}
