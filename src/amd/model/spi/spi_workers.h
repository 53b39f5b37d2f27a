/* State that the workers of a device keep from job to job, for the files that launch waves there. */
#ifndef AMD_MODEL_SPI_WORKERS_H
#define AMD_MODEL_SPI_WORKERS_H

#include <pthread.h>

#include "amd/model/spi/spi.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_workgroup.h"
#include "model/workers.h"

#define SPI_SPARE 64 /* workgroups whose memory a worker keeps */
#define SPI_CACHES 8 /* address spaces whose programs a worker keeps decoded */

struct sq_whole;
struct sq_move;
struct sq_move_launch;

struct spi_worker {
    struct sq_workgroup *spare[SPI_SPARE]; /* memory of finished workgroups */
    uint32_t spare_count;
    uint32_t created; /* numbers them: each has private memory of its own */
    struct {
        const struct gpu_space *space;
        struct sq_code *code;
        uint64_t epoch;    /* of the last validation */
        uint64_t used;     /* for choosing the oldest */
        uint32_t resident; /* workgroups that run on it: it must stay as it is */
    } caches[SPI_CACHES];
    uint64_t clock;

    /* The dispatch whose program runs as a whole (sq_whole.h), and the waves that it runs on. */
    struct {
        uint64_t serial;
        const struct sq_code *code;
        uint32_t epoch;         /* of the code */
        struct sq_whole *whole; /* NULL: not such a program */
        struct sq_workgroup *group;
    } whole;

    /* The kept state of a dispatch that only copies (sq_move_launch.h). */
    struct {
        uint64_t serial, program_va;
        const struct sq_code *code;
        struct sq_move *move;
        uint32_t epoch;
        struct sq_move_launch *launch; /* NULL: its workgroups run as waves */
        struct sq_workgroup *group;
    } moves;
};

struct spi {
    struct workers *workers;
    unsigned count;
    _Atomic uint64_t epoch;
    _Atomic uint64_t progress;
    _Atomic uint64_t serial;      /* of dispatches */
    struct spi_worker *state;     /* one a worker, and one for a thread that is none */
    pthread_mutex_t outside_lock; /* of that one */
};

/* The place of this worker's programs of the space, or SPI_CACHES where there is no memory. They are checked against
 * memory once per epoch, as soon as no workgroup of this worker runs on them. */
unsigned amd_spi_find_code(struct spi *spi, struct spi_worker *worker, const struct gpu_space *space);

#endif
