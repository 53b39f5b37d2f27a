/* See gpu.h: a GPU's life, the stop of a job, and how queues sleep for each other. */
#include "mali/model/gpu.h"

#include <stdlib.h>
#include <time.h>

#include "mali/model/blocks.h"
#include "mali/model/coherence.h"
#include "model/stat.h"
#include "util/debug.h"

/* Memory that the host writes wakes nothing: a sleeper looks again after that time. */
#define LOOK_AGAIN_NS 1000000l

struct mali_gpu *mali_gpu_create(const struct mali_chip *chip, const struct drm_engine_host *host,
                                 struct workers *workers)
{
    struct mali_gpu *gpu = calloc(1, sizeof(*gpu));
    if (!gpu)
        return NULL;
    gpu->chip = chip;
    gpu->host = host;
    gpu->workers = workers;
    gpu->is_strict = debug_enabled(DEBUG_STRICT);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&gpu->sync_lock, NULL);
    pthread_mutex_init(&gpu->coherence_lock, NULL);
    pthread_cond_init(&gpu->sync_wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (!mali_sc_create(gpu) || !mali_tiler_create(gpu) || !mali_frag_create(gpu)) {
        mali_gpu_destroy(gpu);
        return NULL;
    }
    return gpu;
}

/* Blocks take a GPU whose creation ended half-way. */
void mali_gpu_destroy(struct mali_gpu *gpu)
{
    if (!gpu)
        return;
    mali_frag_destroy(gpu);
    mali_tiler_destroy(gpu);
    mali_sc_destroy(gpu);
    pthread_cond_destroy(&gpu->sync_wake);
    pthread_mutex_destroy(&gpu->coherence_lock);
    pthread_mutex_destroy(&gpu->sync_lock);
    free(gpu);
}

/* ---- stops ---- */

bool mali_stop(struct mali_queue *queue, enum gpu_stop_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gpu_stop_vprintf(&queue->stop, kind, format, args);
    va_end(args);
    return false;
}

static struct gpu_stop_access access_of(const struct mali_queue *queue, uint64_t va, bool is_write)
{
    const struct drm_engine_host *host = queue->gpu->host;
    return (struct gpu_stop_access){
        .va = va, .is_write = is_write, .space = queue->space, .describe = host ? host->describe_address : NULL};
}

bool mali_stop_fault(struct mali_queue *queue, uint64_t va, bool is_write, const char *format, ...)
{
    const struct gpu_stop_access access = access_of(queue, va, is_write);
    va_list args;
    va_start(args, format);
    gpu_stop_vfault(&queue->stop, &access, format, args);
    va_end(args);
    return false;
}

bool mali_fault(struct mali_queue *queue, const char *client, uint64_t va, uint64_t size_B, bool is_write)
{
    const struct gpu_stop_access access = access_of(queue, va, is_write);
    return gpu_stop_fault(&queue->stop, &access, client, size_B);
}

bool mali_read_any(struct mali_queue *queue, const char *client, uint64_t va, void *data, uint64_t size_B)
{
    MALI_READS(queue, queue->reader, va, size_B);
    return gpu_space_read(queue->space, va, data, size_B) == size_B || mali_fault(queue, client, va, size_B, false);
}

/* ---- sleeping ---- */

uint64_t mali_sync_changes(struct mali_gpu *gpu)
{
    pthread_mutex_lock(&gpu->sync_lock);
    uint64_t changes = gpu->sync_changes;
    pthread_mutex_unlock(&gpu->sync_lock);
    return changes;
}

void mali_sync_sleep(struct mali_queue *queue, uint64_t seen)
{
    struct mali_gpu *gpu = queue->gpu;
    const unsigned before = stat_enter_wait(STAT_FOR_MEMORY);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_AGAIN_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&gpu->sync_lock);
    if (gpu->sync_changes == seen && !mali_is_killed(queue))
        pthread_cond_timedwait(&gpu->sync_wake, &gpu->sync_lock, &until);
    pthread_mutex_unlock(&gpu->sync_lock);
    stat_leave(before);
}

void mali_sync_wake(struct mali_gpu *gpu)
{
    pthread_mutex_lock(&gpu->sync_lock);
    gpu->sync_changes++;
    pthread_cond_broadcast(&gpu->sync_wake);
    pthread_mutex_unlock(&gpu->sync_lock);
}
