/* Eight threads on one device, each with pools and objects of its own, on all queues of its families: they create
 * pipelines with one cache, record, submit and read back, round after round. Right bytes are looked at here; data races
 * are what the thread sanitizer looks for, in a build with -Db_sanitize=thread.
 *
 *     threads LIBRARY [ROUNDS] */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define VK_NO_PROTOTYPES
#include "script.h"

#define THREADS 8

static struct script script;
static pthread_mutex_t queue_locks[SCRIPT_FAMILIES][SCRIPT_QUEUES]; /* Vulkan leaves it to the application */
static unsigned rounds = 12;
static atomic_uint failures, pictures, computed;

static void report_failure(unsigned thread, unsigned round, const char *what, VkResult result)
{
    printf("# thread %u, round %u: %s: VkResult %d\n", thread, round, what, result);
    atomic_fetch_add(&failures, 1);
}

/* Twice: what is recorded anew uses the memory of the first time. */
static void use_job(struct script_job *job, unsigned thread, unsigned round)
{
    unsigned queue = (thread + round) % script.queue_count[job->family];
    pthread_mutex_t *lock = &queue_locks[script_has_one_family(&script) ? SCRIPT_GENERAL : job->family][queue];
    for (int again = 0; again < 2; again++) {
        VkResult result = script_job_record(job);
        if (result != VK_SUCCESS)
            return report_failure(thread, round, "recording", result);
        pthread_mutex_lock(lock);
        result = script_job_submit(job, script.queues[job->family][queue]);
        pthread_mutex_unlock(lock);
        if (result != VK_SUCCESS)
            return report_failure(thread, round, "submitting", result);
        result = script_job_wait(job);
        if (result != VK_SUCCESS)
            return report_failure(thread, round, "waiting", result);
        if (!script_job_is_right(job))
            return report_failure(thread, round, "wrong bytes", VK_SUCCESS);
        atomic_fetch_add(job->family == SCRIPT_GENERAL ? &pictures : &computed, 1);
    }
}

static void *work(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;
    for (unsigned round = 0; round < rounds; round++) {
        /* Seeds repeat between threads, so that some pipelines are in the cache and some are made twice at a time. */
        uint32_t seed = 1 + (thread / 2 + round * 3) % 16;
        struct script_job job;
        VkResult result =
            script_job_create(&job, &script, (thread + round) % 3 == 0 ? SCRIPT_COMPUTE : SCRIPT_GENERAL, seed);
        if (result == VK_SUCCESS)
            use_job(&job, thread, round);
        else
            report_failure(thread, round, "creating", result);
        script_job_destroy(&job);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !script_load(argv[1])) {
        fprintf(stderr, "usage: threads LIBRARY [ROUNDS]\n");
        return 2;
    }
    if (argc > 2)
        rounds = (unsigned)strtoul(argv[2], NULL, 0);
    VkResult result = script_open(&script, NULL);
    if (result != VK_SUCCESS) {
        printf("Bail out! no device: VkResult %d\n", result);
        return 1;
    }
    for (unsigned i = 0; i < SCRIPT_FAMILIES; i++) {
        for (unsigned n = 0; n < SCRIPT_QUEUES; n++)
            pthread_mutex_init(&queue_locks[i][n], NULL);
    }
    pthread_t threads[THREADS];
    unsigned started = 0;
    while (started < THREADS && pthread_create(&threads[started], NULL, work, (void *)(uintptr_t)started) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    script_close(&script);
    unsigned wanted = THREADS * rounds * 2, done = atomic_load(&pictures) + atomic_load(&computed);
    bool ok = atomic_load(&failures) == 0 && done == wanted;
    printf("%s 1 - %u threads: %u submissions with pictures, %u without, %u failures\n1..1\n", ok ? "ok" : "not ok",
           started, atomic_load(&pictures), atomic_load(&computed), atomic_load(&failures));
    return ok ? 0 : 1;
}
