/* See workers.h. Nothing is locked: a worker uses its own entries, and spaces go away while no job runs. */
#include "adreno/model/hlsq/workers.h"

#include <stdlib.h>

#include "adreno/model/blocks.h"
#include "adreno/model/hlsq/hlsq.h"
#include "model/workers.h"

#define SPACES 4 /* address spaces whose programs a worker keeps decoded */

struct entry {
    const struct gpu_space *space;
    struct adreno_sp *sp;
    uint64_t used;
};

struct adreno_hlsq_workers {
    struct {
        struct entry entries[SPACES];
        uint64_t clock;
    } worker[WORKERS_MAX + 1];
};

struct adreno_hlsq_workers *adreno_hlsq_workers_create(void)
{
    return calloc(1, sizeof(struct adreno_hlsq_workers));
}

void adreno_hlsq_workers_destroy(struct adreno_hlsq_workers *workers)
{
    for (unsigned i = 0; workers && i <= WORKERS_MAX; i++) {
        for (unsigned n = 0; n < SPACES; n++)
            adreno_sp_destroy(workers->worker[i].entries[n].sp);
    }
    free(workers);
}

void adreno_hlsq_forget_space(struct adreno_gpu *gpu, const struct gpu_space *space)
{
    struct adreno_hlsq_workers *workers = gpu->hlsq->workers;
    for (unsigned i = 0; i <= WORKERS_MAX; i++) {
        for (unsigned n = 0; n < SPACES; n++) {
            struct entry *entry = &workers->worker[i].entries[n];
            if (entry->space != space)
                continue;
            adreno_sp_destroy(entry->sp);
            *entry = (struct entry){0};
        }
    }
}

struct adreno_sp *adreno_hlsq_sp(struct adreno_gpu *gpu, unsigned worker)
{
    struct adreno_hlsq_workers *workers = gpu->hlsq->workers;
    struct entry *oldest = NULL;
    uint64_t now = ++workers->worker[worker].clock;
    for (unsigned n = 0; n < SPACES; n++) {
        struct entry *entry = &workers->worker[worker].entries[n];
        if (entry->sp && entry->space == gpu->space) {
            entry->used = now;
            return entry->sp;
        }
        if (!oldest || entry->used < oldest->used)
            oldest = entry;
    }
    adreno_sp_destroy(oldest->sp);
    *oldest = (struct entry){gpu->space, adreno_sp_create(gpu->space, gpu->killed), now};
    if (oldest->sp)
        adreno_sp_count_progress(oldest->sp, &gpu->progress);
    return oldest->sp;
}
