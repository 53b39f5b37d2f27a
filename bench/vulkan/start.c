/* The cost of a start: an instance, a device, a pool and a fence, all that a program needs before its first command;
 * and the first work, because a driver may leave things for then. Not for: pipelines (pipelines.c). */
#include "bench.h"

#define WORD 0x7ff05a17u
#define WORDS 1024u

static void prepare_start(struct bench *b)
{
    b->work = 1;
}

/* Fill a buffer, submit and wait; is it full? */
static bool does_work(struct bench *b)
{
    struct bench_buffer buffer = bench_buffer(b, WORDS * sizeof(uint32_t), NULL);
    bench_begin(b);
    vkCmdFillBuffer(b->commands, buffer.buffer, 0, VK_WHOLE_SIZE, WORD);
    bench_barrier(b->commands);
    bench_end(b);
    bench_submit(b, b->commands);
    const uint32_t *words = bench_result(b, buffer.map, WORDS * sizeof(*words));
    bool full = true;
    for (uint32_t i = 0; i < WORDS; i++)
        full = full && words[i] == WORD;
    vkDestroyBuffer(b->device, buffer.buffer, NULL);
    vkFreeMemory(b->device, buffer.memory, NULL);
    return full;
}

/* An instance lives already, so that the libraries are loaded. */
static struct bench_took start_again(struct bench *b)
{
    struct bench other = {0};
    struct bench_took start = bench_now();
    bench_open(&other);
    struct bench_took took = bench_since(start);
    bench_close(&other);
    return took;
}

/* As an application that has just been started; what the loader has to do is in it. */
static struct bench_took start_alone(struct bench *b)
{
    bench_close(b);
    struct bench_took start = bench_now();
    bench_open(b);
    return bench_since(start);
}

static struct bench_took start_and_work(struct bench *b)
{
    bench_close(b);
    struct bench_took start = bench_now();
    bench_open(b);
    bench_need(does_work(b), "a buffer filled by a new device");
    return bench_since(start);
}

const struct bench_scene bench_start_scenes[] = {
    {"start", "start/s", "create an instance and a device beside others", prepare_start, does_work, start_again},
    {"start_alone", "start/s", "create an instance and a device, the only ones", prepare_start, does_work, start_alone},
    {"start_work", "start/s", "the same, then fill a buffer of 4 KiB and wait", prepare_start, does_work,
     start_and_work},
    {0},
};
