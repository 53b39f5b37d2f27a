/* See stat.h. Time is the host's counter, which costs some nanoseconds to read; a thread writes to its own record
 * alone, and what several change (how many are busy, sums of jobs) stands under one lock, which is taken when a thread
 * begins or ends to wait. */
#include "model/stat.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/stat_text.h"

bool stat_is_on;

struct stat_all stat_all = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local struct stat_thread *self;

/* ---- on and off ---- */

__attribute__((constructor)) static void read_environment(void)
{
    const char *to = secure_getenv("TUFF_STAT");
    if (!to || !*to)
        return;
    stat_all.process = getpid();
    stat_all.loaded_ticks = stat_now();
    stat_all.loaded_ns = stat_clock_ns();
    stat_is_on = true;
}

/* A child of fork has its parent's figures and none of its threads: it reports nothing. */
__attribute__((destructor)) static void report(void)
{
    if (stat_is_on && stat_all.process == getpid() && stat_all.gpu_begun)
        stat_write(&stat_all, secure_getenv("TUFF_STAT"));
}

/* ---- threads ---- */

static struct stat_thread *this_thread(void)
{
    if (self)
        return self;
    self = calloc(1, sizeof(*self));
    if (!self) {
        static struct stat_thread spare; /* of those for which there is no memory; it is not in the list */
        return &spare;
    }
    self->since = stat_now();
    self->kind = "thread";
    pthread_mutex_lock(&stat_all.lock);
    self->next = stat_all.threads;
    stat_all.threads = self;
    pthread_mutex_unlock(&stat_all.lock);
    return self;
}

void stat_name_thread(const char *kind, unsigned number)
{
    struct stat_thread *thread = this_thread();
    thread->kind = kind;
    thread->number = number;
}

struct stat_thread *stat_stand_in(struct stat_thread *other)
{
    struct stat_thread *before = this_thread();
    self = other ? other : self;
    return before;
}

static void add_ticks(_Atomic uint64_t *to, uint64_t ticks)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + ticks, memory_order_relaxed);
}

/* The lock is held: so many were busy until now. */
static void pass_time(uint64_t now)
{
    if (stat_all.gpu_jobs)
        stat_all.busy_ticks[stat_all.busy < STAT_BUSY_MAX ? stat_all.busy : STAT_BUSY_MAX] += now - stat_all.busy_since;
    stat_all.busy_since = now;
}

static void change_busy(uint64_t now, bool is_busy)
{
    pthread_mutex_lock(&stat_all.lock);
    pass_time(now > stat_all.busy_since ? now : stat_all.busy_since);
    stat_all.busy += is_busy ? 1 : -1u;
    pthread_mutex_unlock(&stat_all.lock);
}

unsigned stat_switch(unsigned to)
{
    struct stat_thread *thread = this_thread();
    const unsigned from = thread->class;
    const uint64_t now = stat_now();
    add_ticks(&thread->ticks[from], now - thread->since);
    thread->since = now;
    thread->class = to;
    if ((from < STAT_WAIT_COUNT) != (to < STAT_WAIT_COUNT))
        change_busy(now, to >= STAT_WAIT_COUNT);
    return from;
}

static enum stat_stage stage_of(unsigned class)
{
    return class < STAT_WAIT_COUNT ? STAT_COMMANDS : (enum stat_stage)((class - STAT_WAIT_COUNT) / STAT_WORK_COUNT);
}

unsigned stat_switch_work(enum stat_work work)
{
    return stat_switch(stat_class(stage_of(this_thread()->class), work));
}

void stat_add(enum stat_count what, uint64_t count)
{
    add_ticks(&this_thread()->counts[what], count);
}

void stat_add_waves(uint64_t count)
{
    struct stat_thread *thread = this_thread();
    add_ticks(&thread->waves[stage_of(thread->class)], count);
}

/* ---- rings ---- */

void stat_ring_begin(unsigned ring)
{
    struct stat_thread *thread = this_thread();
    stat_name_thread("ring", ring);
    thread->is_ring = true;
    const uint64_t now = stat_now();
    pthread_mutex_lock(&stat_all.lock);
    pass_time(now > stat_all.busy_since ? now : stat_all.busy_since);
    if (!stat_all.gpu_begun)
        stat_all.gpu_begun = now;
    stat_all.gpu_jobs++;
    pthread_mutex_unlock(&stat_all.lock);
    stat_add(STAT_SUBMISSIONS, 1);
    stat_switch(stat_class(STAT_COMMANDS, STAT_FIXED));
}

void stat_ring_end(void)
{
    stat_switch(STAT_IDLE);
    const uint64_t now = stat_now();
    pthread_mutex_lock(&stat_all.lock);
    pass_time(now > stat_all.busy_since ? now : stat_all.busy_since);
    stat_all.gpu_jobs--;
    stat_all.gpu_ended = now;
    pthread_mutex_unlock(&stat_all.lock);
}

/* ---- jobs of the workers ---- */

unsigned stat_job_begin(struct stat_job *job)
{
    *job = (struct stat_job){.begun = stat_now()};
    return stat_switch(STAT_FOR_WORKERS);
}

uint64_t stat_turn_begin(struct stat_job *job, enum stat_stage stage)
{
    stat_switch(stat_class(stage, STAT_FIXED));
    const uint64_t now = stat_now();
    uint64_t none = 0;
    atomic_compare_exchange_strong_explicit(&job->first_turn, &none, now, memory_order_relaxed, memory_order_relaxed);
    return now;
}

void stat_turn_end(struct stat_job *job, uint64_t begun)
{
    stat_switch(STAT_IDLE);
    const uint64_t now = stat_now();
    atomic_fetch_add_explicit(&job->busy, now - begun, memory_order_relaxed);
    atomic_store_explicit(&job->last_turn, now, memory_order_relaxed);
}

void stat_job_end(struct stat_job *job, uint64_t units, unsigned before)
{
    const uint64_t now = stat_now(), busy = job->busy;
    const uint64_t first = job->first_turn ? job->first_turn : now, last = job->last_turn ? job->last_turn : now;
    stat_switch(before);
    pthread_mutex_lock(&stat_all.lock);
    struct stat_jobs *jobs = &stat_all.jobs;
    jobs->count++;
    jobs->elapsed += now - job->begun;
    jobs->busy += busy;
    jobs->waking += first - job->begun + (now > last ? now - last : 0);
    for (unsigned i = 0; i < STAT_CORE_STEPS; i++) {
        const uint64_t cores = 1ull << i;
        jobs->on_cores[i] +=
            units ? (double)busy * (double)((units + cores - 1) / cores) / (double)units : (double)busy / (double)cores;
    }
    pthread_mutex_unlock(&stat_all.lock);
}
