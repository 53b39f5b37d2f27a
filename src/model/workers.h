/* The worker pool that runs a GPU model's work on all cores. A job is cut into turns: a worker asks a job for a turn
 * until the job has nothing left for it. Several jobs (of several rings) share the workers turn by turn, so that one
 * that spins on another's result does not keep it from running. A thread that waits for its job is itself one of the
 * workers meanwhile, where one of them sleeps: then there is one fewer to wake.
 *
 * Not for: ordering between jobs, which is the command processor's business. */
#ifndef MODEL_WORKERS_H
#define MODEL_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/stat.h"

struct workers;

struct workers_job {
    /* One turn of worker number `worker` (below workers_count). True: there is more for this worker. False: there is
     * not and never will be; it is not asked again. Every worker is asked, unless is_shared. */
    bool (*turn)(struct workers_job *job, unsigned worker);
    const void *owner; /* for workers_are_awaited; may be NULL */
    /* For stat.h: what its turns are, and how many parts it has that cannot be shared (0: any number). */
    enum stat_stage stage;
    uint64_t units;
    bool is_single; /* one worker at a time has a turn; the first false ends it */
    bool is_shared; /* where one worker has found nothing more there is nothing for those that had no turn yet */

    /* the pool's own */
    unsigned running; /* turns */
    uint64_t begun;   /* workers that had a turn, one bit each */
    struct workers_job *next;
    uint64_t left; /* workers that have not answered false yet, one bit each */
    _Atomic bool done;
    struct stat_job *stat; /* NULL while stat.h is off */
};

#define WORKERS_MAX 64

/* 0 workers: as many as the process may run on. As many of them as the host gives threads for; without any, jobs are
 * run by their callers. NULL: no memory. Workers block all signals. */
struct workers *workers_create(unsigned count);
/* As many as the environment says (TUFF_WORKERS), otherwise as many as the process may run on. */
struct workers *workers_create_default(void);
void workers_destroy(struct workers *workers); /* no job is left */
unsigned workers_count(const struct workers *workers);

/* Run a job to its end; from any thread that is not a worker. */
void workers_run(struct workers *workers, struct workers_job *job);
/* A run in two parts: the caller goes on meanwhile, and asks for the end before the job is started again or goes
 * away. Where the host gave no thread, workers_start does it all. */
void workers_start(struct workers *workers, struct workers_job *job);
void workers_wait(struct workers *workers, struct workers_job *job);
/* Does a job of this owner wait for workers that others have, while none of its jobs has one? From any thread. */
bool workers_are_awaited(struct workers *workers, const void *owner);

#endif
