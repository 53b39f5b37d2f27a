/* See spi.h. */
#include <stdlib.h>
#include <string.h>

#include "amd/model/spi/spi_workers.h"

struct spi *amd_spi_create(struct workers *workers)
{
    struct spi *spi = calloc(1, sizeof(*spi));
    if (!spi)
        return NULL;
    spi->workers = workers;
    spi->count = workers_count(workers);
    spi->state = calloc(spi->count + 1, sizeof(*spi->state));
    if (!spi->state) {
        free(spi);
        return NULL;
    }
    pthread_mutex_init(&spi->outside_lock, NULL);
    return spi;
}

void amd_spi_destroy(struct spi *spi)
{
    if (!spi)
        return;
    for (unsigned i = 0; i <= spi->count; i++) {
        for (unsigned n = 0; n < spi->state[i].spare_count; n++)
            amd_sq_workgroup_destroy(spi->state[i].spare[n]);
        for (unsigned n = 0; n < SPI_CACHES; n++)
            amd_sq_code_destroy(spi->state[i].caches[n].code);
        amd_sq_workgroup_destroy(spi->state[i].whole.group);
        amd_sq_workgroup_destroy(spi->state[i].moves.group);
    }
    pthread_mutex_destroy(&spi->outside_lock);
    free(spi->state);
    free(spi);
}

void amd_spi_invalidate_code(struct spi *spi)
{
    atomic_fetch_add(&spi->epoch, 1);
}

/* Each worker drops its own caches: no other thread uses them. */
struct forget {
    struct workers_job job;
    struct spi *spi;
    const struct gpu_space *space;
};

static void drop_cache(struct spi_worker *worker, unsigned n)
{
    if (worker->moves.code == worker->caches[n].code)
        worker->moves.code = NULL;
    amd_sq_code_destroy(worker->caches[n].code);
    memset(&worker->caches[n], 0, sizeof(worker->caches[n]));
}

static void forget_space(struct spi_worker *worker, const struct gpu_space *space)
{
    for (unsigned n = 0; n < SPI_CACHES; n++) {
        if (worker->caches[n].space == space)
            drop_cache(worker, n);
    }
}

static bool forget_turn(struct workers_job *job, unsigned number)
{
    struct forget *forget = (struct forget *)job;
    forget_space(&forget->spi->state[number], forget->space);
    return false;
}

void amd_spi_forget_space(struct spi *spi, const struct gpu_space *space)
{
    struct forget forget = {.job.turn = forget_turn, .spi = spi, .space = space};
    workers_run(spi->workers, &forget.job);
    pthread_mutex_lock(&spi->outside_lock);
    forget_space(&spi->state[spi->count], space);
    pthread_mutex_unlock(&spi->outside_lock);
}

uint64_t amd_spi_progress(const struct spi *spi)
{
    return atomic_load_explicit(&spi->progress, memory_order_relaxed);
}

unsigned amd_spi_find_code(struct spi *spi, struct spi_worker *worker, const struct gpu_space *space)
{
    unsigned at = SPI_CACHES;
    for (unsigned i = 0; i < SPI_CACHES; i++) {
        if (worker->caches[i].space == space) {
            at = i;
            break;
        }
        if (!worker->caches[i].resident && (at == SPI_CACHES || worker->caches[i].used < worker->caches[at].used))
            at = i;
    }
    if (at == SPI_CACHES)
        return SPI_CACHES; /* every one is in use: more spaces at once than a worker keeps */

    uint64_t epoch = atomic_load(&spi->epoch);
    if (worker->caches[at].space != space) {
        drop_cache(worker, at);
        worker->caches[at].code = amd_sq_code_create(space);
        if (!worker->caches[at].code)
            return SPI_CACHES;
        amd_sq_code_exec(worker->caches[at].code)->progress = &spi->progress;
        worker->caches[at].space = space;
        worker->caches[at].epoch = epoch;
    } else if (worker->caches[at].epoch != epoch && !worker->caches[at].resident) {
        amd_sq_code_validate(worker->caches[at].code);
        worker->caches[at].epoch = epoch;
    }
    if (!worker->caches[at].resident)
        amd_sq_code_trim(worker->caches[at].code);
    worker->caches[at].used = ++worker->clock;
    return at;
}

unsigned amd_spi_outside(const struct spi *spi)
{
    return spi->count;
}

struct sq_code *amd_spi_enter(struct spi *spi, unsigned number, const struct gpu_space *space)
{
    struct spi_worker *worker = &spi->state[number];
    if (number == spi->count)
        pthread_mutex_lock(&spi->outside_lock);
    unsigned at = amd_spi_find_code(spi, worker, space);
    if (at == SPI_CACHES) {
        if (number == spi->count)
            pthread_mutex_unlock(&spi->outside_lock);
        return NULL;
    }
    worker->caches[at].resident++;
    return worker->caches[at].code;
}

void amd_spi_leave(struct spi *spi, unsigned number, const struct sq_code *code)
{
    struct spi_worker *worker = &spi->state[number];
    for (unsigned i = 0; i < SPI_CACHES; i++) {
        if (worker->caches[i].code == code)
            worker->caches[i].resident--;
    }
    if (number == spi->count)
        pthread_mutex_unlock(&spi->outside_lock);
}
