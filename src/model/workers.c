/* One list of jobs under one lock, which is taken once per turn. Turns are long (whole workgroups), so the lock is
 * never hot. */
#include "model/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "model/engine_threads.h"
#include "util/bits.h"

struct worker {
    struct workers *pool;
    pthread_t thread;
    unsigned number;
    pthread_cond_t work;      /* a job came, the number was given back, or the end */
    bool is_asleep;           /* and nothing has woken it yet */
    bool is_looking;          /* it has no turn and will look for one before it sleeps */
    _Atomic bool is_lent;     /* a thread that waits for its own job has turns in its place */
    struct stat_thread *stat; /* NULL while stat.h is off */
};

/* Where others have the cores, what is waited for seldom comes in time: after vain looks there are fewer. */
struct patience {
    unsigned vain; /* looks one after the other, about */
    unsigned asked;
};

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t done; /* a job ended */
    struct workers_job *jobs;
    _Atomic uint32_t came; /* jobs, for those that look */
    unsigned looking;      /* workers */
    uint64_t wake_ns;      /* what it costs to wake one */
    struct patience for_jobs, for_ends;
    bool stop;
    bool is_inline; /* the host gave no thread: the caller that has a job is the only worker, one at a time */
    unsigned count;
    struct worker worker[WORKERS_MAX];
};

static bool wants_worker(const struct workers_job *job, unsigned number)
{
    return (job->left >> number & 1) && !(job->is_single && job->running);
}

/* The first job after `last` in the ring that still wants this worker. */
static struct workers_job *pick_job(struct workers *pool, const struct workers_job *last, unsigned number)
{
    struct workers_job *first = NULL;
    bool behind = false;
    for (struct workers_job *job = pool->jobs; job; job = job->next) {
        if (wants_worker(job, number)) {
            if (behind)
                return job;
            if (!first)
                first = job;
        }
        behind |= job == last;
    }
    return first;
}

static void finish_job(struct workers *pool, struct workers_job *job)
{
    struct workers_job **link = &pool->jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    atomic_store_explicit(&job->done, true, memory_order_release);
    pthread_cond_broadcast(&pool->done);
}

/* A turn of a job; the lock is held before and after. */
static void take_turn(struct workers *pool, struct workers_job *job, unsigned number)
{
    job->running++;
    job->begun |= 1ull << number;
    pthread_mutex_unlock(&pool->lock);
    const uint64_t begun = job->stat ? stat_turn_begin(job->stat, job->stage) : stat_enter(job->stage);
    const bool more = job->turn(job, number);
    if (job->stat)
        stat_turn_end(job->stat, begun);
    else
        stat_leave((unsigned)begun);
    pthread_mutex_lock(&pool->lock);
    job->running--;
    if (more)
        return;
    job->left &= job->is_single ? 0 : ~(1ull << number);
    if (job->is_shared)
        job->left &= job->begun;
    if (!job->left)
        finish_job(pool, job);
}

/* ---- patience ---- */

/* To wake a thread that sleeps costs the waker a system call and, where the other core is a virtual one that has to be
 * called, ten times that; the sleeper is there only after some more of the same. Who has nothing to do therefore looks
 * on for as long as sleeping and waking would take, which is measured whenever a thread is woken: a few microseconds on
 * one host, tens of them on another. */
#define FIRST_ns 5000 /* before one was woken */
#define LEAST_ns 3000
#define MOST_ns 50000
#define WAKES_OF_PATIENCE 4 /* the waker's part of what it costs to be woken */
#define ROUNDS 16           /* between looks at the clock */

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The least counts for more: a waker may lose its processor meanwhile. */
static void note_wake(struct workers *pool, uint64_t ns)
{
    const uint64_t known = pool->wake_ns;
    pool->wake_ns = ns < known ? known - (known - ns) / 2 : known + (MIN2(ns, 4 * known) - known) / 16;
}

#define FEW_VAIN 2 /* say nothing yet */
#define MOST_VAIN 8

/* How long to look this time; the lock is held. */
static uint64_t patience_ns(const struct workers *pool, struct patience *patience)
{
    const uint64_t ns = WAKES_OF_PATIENCE * pool->wake_ns;
    if (patience->vain > FEW_VAIN && patience->asked++ & ((1u << (patience->vain - FEW_VAIN)) - 1))
        return 0;
    return ns < LEAST_ns ? LEAST_ns : MIN2(ns, MOST_ns);
}

static void note_look(struct patience *patience, bool is_good)
{
    if (!is_good)
        patience->vain += patience->vain < MOST_VAIN;
    else
        patience->vain /= 2;
}

static void relax_core(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Look until a job came; the lock is held before and after. False: it took too long, or enough of the others look. */
static bool look_for_job(struct workers *pool, struct worker *worker)
{
    const uint32_t came = atomic_load_explicit(&pool->came, memory_order_relaxed);
    bool is_over = false;
    if (pool->looking + 1 >= pool->count) /* a thread that gives jobs has a core, too */
        return false;
    const uint64_t ns = patience_ns(pool, &pool->for_jobs);
    if (!ns)
        return false;
    pool->looking++;
    worker->is_looking = true;
    pthread_mutex_unlock(&pool->lock);
    const uint64_t begun = now_ns();
    do {
        for (unsigned i = 0; i < ROUNDS && !is_over; i++) {
            relax_core();
            is_over = atomic_load_explicit(&pool->came, memory_order_relaxed) != came ||
                      atomic_load_explicit(&worker->is_lent, memory_order_relaxed);
        }
    } while (!is_over && now_ns() - begun < ns);
    pthread_mutex_lock(&pool->lock);
    pool->looking--;
    worker->is_looking = false;
    note_look(&pool->for_jobs, is_over);
    return is_over;
}

/* The others have begun, too, and most often end at about the same time. */
static void wait_briefly(struct workers *pool, const struct workers_job *job)
{
    bool is_over = false;
    if (job->done)
        return;
    const uint64_t asked = patience_ns(pool, &pool->for_ends), ns = asked ? asked : LEAST_ns;
    pthread_mutex_unlock(&pool->lock);
    const uint64_t begun = now_ns();
    do {
        for (unsigned i = 0; i < ROUNDS && !is_over; i++) {
            relax_core();
            is_over = atomic_load_explicit(&job->done, memory_order_acquire);
        }
    } while (!is_over && now_ns() - begun < ns);
    pthread_mutex_lock(&pool->lock);
    if (asked)
        note_look(&pool->for_ends, is_over);
}

/* ---- workers ---- */

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct workers *pool = worker->pool;
    const struct workers_job *last = NULL;
    bool is_patient = false; /* it had a turn since it slept */
    engine_thread_begin();
    pthread_mutex_lock(&pool->lock);
    if (STAT_ON) {
        stat_name_thread("worker", worker->number);
        worker->stat = stat_stand_in(NULL);
    }
    while (!pool->stop) {
        struct workers_job *job = worker->is_lent ? NULL : pick_job(pool, last, worker->number);
        if (!job && is_patient && !worker->is_lent) {
            is_patient = look_for_job(pool, worker);
            continue;
        }
        if (!job) {
            worker->is_asleep = true;
            pthread_cond_wait(&worker->work, &pool->lock);
            worker->is_asleep = false;
            continue;
        }
        last = job;
        is_patient = true;
        take_turn(pool, job, worker->number);
    }
    pthread_mutex_unlock(&pool->lock);
    engine_thread_end();
    return NULL;
}

static void wake_worker(struct worker *worker)
{
    const uint64_t begun = now_ns();
    worker->is_asleep = false;
    pthread_cond_signal(&worker->work);
    note_wake(worker->pool, now_ns() - begun);
}

/* Workers that have no turn, of a job that has just come: one or all. Who looks for one is awake. */
static void wake_for(struct workers *pool, const struct workers_job *job)
{
    for (unsigned i = 0; i < pool->count; i++) {
        struct worker *worker = &pool->worker[i];
        if (!worker->is_looking || worker->is_lent)
            continue;
        worker->is_looking = false; /* it has found this one */
        if (job->is_single)
            return;
    }
    for (unsigned i = 0; i < pool->count; i++) {
        if (pool->worker[i].is_asleep && !pool->worker[i].is_lent) {
            wake_worker(&pool->worker[i]);
            if (job->is_single)
                return;
        }
    }
}

/* ---- the caller as a worker ---- */

static struct worker *borrow_worker(struct workers *pool)
{
    for (unsigned i = 0; i < 2 * pool->count; i++) {
        struct worker *worker = &pool->worker[i % pool->count];
        if ((i < pool->count ? worker->is_asleep : worker->is_looking) && !worker->is_lent) {
            worker->is_lent = true;
            return worker;
        }
    }
    return NULL;
}

static void give_back(struct workers *pool, struct worker *worker)
{
    worker->is_lent = false;
    if (pick_job(pool, NULL, worker->number))
        wake_worker(worker);
}

/* As long as the job wants it and no other one does. */
static void work_here(struct workers *pool, struct workers_job *job, struct worker *worker)
{
    struct stat_thread *mine = worker->stat ? stat_stand_in(worker->stat) : NULL;
    while (!job->done && pick_job(pool, job, worker->number) == job)
        take_turn(pool, job, worker->number);
    if (mine)
        stat_stand_in(mine);
    give_back(pool, worker);
}

static unsigned usable_cores(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > WORKERS_MAX ? WORKERS_MAX : (unsigned)count;
}

struct workers *workers_create(unsigned count)
{
    struct workers *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return NULL;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP); /* it is never held for long */
    pthread_mutex_init(&pool->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pool->wake_ns = FIRST_ns;
    pthread_cond_init(&pool->done, NULL);

    /* A signal meant for the application must not land in a worker. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    unsigned wanted = count ? (count < WORKERS_MAX ? count : WORKERS_MAX) : usable_cores();
    for (unsigned i = 0; i < wanted; i++) {
        pool->worker[i] = (struct worker){.pool = pool, .number = i};
        pthread_cond_init(&pool->worker[i].work, NULL);
        if (pthread_create(&pool->worker[i].thread, NULL, worker_main, &pool->worker[i]) != 0)
            break;
        pool->count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pool->is_inline = pool->count == 0;
    pool->count = pool->is_inline ? 1 : pool->count;
    return pool;
}

struct workers *workers_create_default(void)
{
    const char *count = secure_getenv("TUFF_WORKERS");
    return workers_create(count ? (unsigned)strtoul(count, NULL, 10) : 0);
}

void workers_destroy(struct workers *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    atomic_fetch_add_explicit(&pool->came, 1, memory_order_relaxed); /* nobody need look on */
    for (unsigned i = 0; i < pool->count; i++)
        pthread_cond_signal(&pool->worker[i].work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->count && !pool->is_inline; i++) {
        pthread_join(pool->worker[i].thread, NULL);
        pthread_cond_destroy(&pool->worker[i].work);
    }
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

unsigned workers_count(const struct workers *pool)
{
    return pool->count;
}

/* The lock is held. */
static void add_job(struct workers *pool, struct workers_job *job)
{
    job->left = pool->count == 64 ? UINT64_MAX : (1ull << pool->count) - 1;
    job->done = false;
    job->running = 0;
    job->begun = 0;
    job->next = NULL;
    struct workers_job **link = &pool->jobs;
    while (*link)
        link = &(*link)->next;
    *link = job;
    atomic_fetch_add_explicit(&pool->came, 1, memory_order_relaxed);
}

void workers_run(struct workers *pool, struct workers_job *job)
{
    pthread_mutex_lock(&pool->lock);
    if (pool->is_inline) {
        const unsigned here = stat_enter(job->stage);
        while (job->turn(job, 0))
            ;
        stat_leave(here);
        pthread_mutex_unlock(&pool->lock);
        return;
    }
    struct stat_job stat;
    unsigned before = 0;
    job->stat = NULL;
    if (STAT_ON) {
        before = stat_job_begin(&stat);
        job->stat = &stat;
    }
    add_job(pool, job);
    struct worker *here = borrow_worker(pool);
    wake_for(pool, job);
    if (here) {
        work_here(pool, job, here);
        wait_briefly(pool, job);
    }
    while (!job->done)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    if (STAT_ON)
        stat_job_end(&stat, job->units, before);
}

void workers_start(struct workers *pool, struct workers_job *job)
{
    pthread_mutex_lock(&pool->lock);
    if (pool->is_inline) {
        while (job->turn(job, 0))
            ;
        job->done = true;
    } else {
        job->stat = NULL;
        add_job(pool, job);
        wake_for(pool, job);
    }
    pthread_mutex_unlock(&pool->lock);
}

void workers_wait(struct workers *pool, struct workers_job *job)
{
    pthread_mutex_lock(&pool->lock);
    wait_briefly(pool, job);
    while (!job->done)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

bool workers_are_awaited(struct workers *pool, const void *owner)
{
    bool is_waiting = false, is_running = false;
    if (pool->is_inline) /* the lock is held while a job runs */
        return false;
    pthread_mutex_lock(&pool->lock);
    for (const struct workers_job *job = pool->jobs; job; job = job->next) {
        is_waiting |= job->owner == owner;
        is_running |= job->owner == owner && job->running;
    }
    pthread_mutex_unlock(&pool->lock);
    return is_waiting && !is_running;
}
