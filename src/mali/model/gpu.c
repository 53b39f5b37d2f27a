/* See gpu.h: a GPU's life, the stop of a job, and how queues sleep for each other. */
#include "mali/model/gpu.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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
    list_init(&gpu->sleepers);
    pthread_mutex_init(&gpu->sync_lock, NULL);
    pthread_mutex_init(&gpu->coherence_lock, NULL);
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

/* In gpu->sleepers until it is woken or gives up. */
struct sleeper {
    struct list node;
    const struct mali_awaited *awaited;
    _Atomic uint32_t is_woken; /* what it sleeps on; under the lock, but for its own looks */
};

bool mali_is_there(const struct mali_awaited *awaited, uint64_t value)
{
    return awaited->is_at_most ? value <= awaited->reference : value > awaited->reference;
}

static bool has_come(const struct mali_awaited *awaited)
{
    if (!awaited->host)
        return true; /* the sleeper looks itself */
    return mali_is_there(awaited, awaited->size_B == 4
                                      ? __atomic_load_n((const uint32_t *)awaited->host, __ATOMIC_ACQUIRE)
                                      : __atomic_load_n((const uint64_t *)awaited->host, __ATOMIC_ACQUIRE));
}

uint64_t mali_sync_changes(struct mali_gpu *gpu)
{
    return atomic_load(&gpu->sync_changes);
}

void mali_sync_sleep(struct mali_queue *queue, const struct mali_awaited *awaited, uint64_t seen)
{
    struct mali_gpu *gpu = queue->gpu;
    struct sleeper me = {.awaited = awaited};
    const unsigned before = stat_enter_wait(STAT_FOR_MEMORY);
    pthread_mutex_lock(&gpu->sync_lock);
    const bool sleeps = atomic_load(&gpu->sync_changes) == seen && !mali_is_killed(queue);
    if (sleeps)
        list_push_back(&gpu->sleepers, &me.node);
    pthread_mutex_unlock(&gpu->sync_lock);
    const struct timespec patience = {.tv_nsec = LOOK_AGAIN_NS};
    if (sleeps)
        syscall(SYS_futex, &me.is_woken, FUTEX_WAIT_PRIVATE, 0, &patience, NULL, 0);
    if (sleeps && !atomic_load(&me.is_woken)) {
        pthread_mutex_lock(&gpu->sync_lock);
        if (!me.is_woken)
            list_remove(&me.node);
        pthread_mutex_unlock(&gpu->sync_lock);
    }
    stat_leave(before);
}

enum who {
    EVERYONE,
    WITH_MEMORY,    /* whose memory has what they sleep for */
    WITHOUT_MEMORY, /* who sleep for something else */
};

static bool is_meant(const struct sleeper *sleeper, enum who who)
{
    return who == EVERYONE || (who == WITH_MEMORY ? sleeper->awaited && has_come(sleeper->awaited) : !sleeper->awaited);
}

/* They are woken when the lock is free again, which they may want next. A sleeper that has gone on meanwhile leaves an
 * address behind at which nobody sleeps. */
static void wake_sleepers(struct mali_gpu *gpu, enum who who)
{
    enum {
        AT_ONCE = 16
    };
    _Atomic uint32_t *words[AT_ONCE];
    for (unsigned count = AT_ONCE; count == AT_ONCE;) {
        count = 0;
        pthread_mutex_lock(&gpu->sync_lock);
        atomic_fetch_add(&gpu->sync_changes, 1);
        list_foreach (&gpu->sleepers, struct sleeper, sleeper, node) {
            if (count == AT_ONCE || !is_meant(sleeper, who))
                continue;
            list_remove(&sleeper->node);
            words[count++] = &sleeper->is_woken;
            atomic_store(&sleeper->is_woken, 1);
        }
        pthread_mutex_unlock(&gpu->sync_lock);
        for (unsigned i = 0; i < count; i++)
            syscall(SYS_futex, words[i], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

void mali_sync_wake(struct mali_gpu *gpu)
{
    wake_sleepers(gpu, EVERYONE);
}

void mali_sync_wake_memory(struct mali_gpu *gpu)
{
    wake_sleepers(gpu, WITH_MEMORY);
}

void mali_sync_wake_others(struct mali_gpu *gpu)
{
    wake_sleepers(gpu, WITHOUT_MEMORY);
}
