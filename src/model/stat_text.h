/* The figures that stat.c collects, and the text that stat_text.c makes of them. */
#ifndef MODEL_STAT_TEXT_H
#define MODEL_STAT_TEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "model/stat.h"

#define STAT_BUSY_MAX 64  /* threads that are busy at once, so many or more */
#define STAT_CORE_STEPS 7 /* 1, 2, 4 to 64 cores */

struct stat_thread {
    struct stat_thread *next;
    const char *kind;
    unsigned number;
    bool is_ring;
    unsigned class;
    uint64_t since; /* ticks */
    _Atomic uint64_t ticks[STAT_CLASS_COUNT];
    _Atomic uint64_t waves[STAT_STAGE_COUNT];
    _Atomic uint64_t counts[STAT_COUNT_COUNT];
};

/* Sums of what the workers share. */
struct stat_jobs {
    uint64_t count;
    uint64_t elapsed, busy; /* ticks: by the clock, and of all workers */
    uint64_t waking;        /* before the first turn and after the last */
    double on_cores[STAT_CORE_STEPS];
};

struct stat_all {
    pthread_mutex_t lock;
    pid_t process;
    uint64_t loaded_ticks, loaded_ns; /* both of one moment, for the length of a tick */
    struct stat_thread *threads;
    unsigned busy, gpu_jobs; /* threads that do not wait; rings that have a job */
    uint64_t busy_since;
    uint64_t busy_ticks[STAT_BUSY_MAX + 1]; /* by the number of busy threads, while a ring has a job */
    uint64_t gpu_begun, gpu_ended;
    struct stat_jobs jobs;
};

static inline uint64_t stat_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Ticks of a counter that all cores share. */
static inline uint64_t stat_now(void)
{
#if defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#elif defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return stat_clock_ns();
#endif
}

/* `to`: "-", or the name of a file to whose end the text goes. */
void stat_write(struct stat_all *all, const char *to);

#endif
