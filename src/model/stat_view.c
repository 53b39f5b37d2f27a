/* See stat_view.h. */
#include "model/stat_view.h"

#include <sys/resource.h>

/* The time that all threads together, or the rings' alone, have spent in a class. */
double stat_ms_in(const struct stat_view *v, unsigned class, bool only_rings)
{
    uint64_t ticks = 0;
    for (const struct stat_thread *thread = v->all->threads; thread; thread = thread->next) {
        if (thread->is_ring || !only_rings)
            ticks += atomic_load_explicit(&thread->ticks[class], memory_order_relaxed);
    }
    return (double)ticks * v->ms_per_tick;
}

double stat_ms_of_stage(const struct stat_view *v, enum stat_stage stage, bool only_rings)
{
    double sum = 0;
    for (unsigned work = 0; work < STAT_WORK_COUNT; work++)
        sum += stat_ms_in(v, stat_class(stage, (enum stat_work)work), only_rings);
    return sum;
}

double stat_ms_of_all(const struct stat_view *v, bool only_rings)
{
    double sum = 0;
    for (unsigned stage = 0; stage < STAT_STAGE_COUNT; stage++)
        sum += stat_ms_of_stage(v, (enum stat_stage)stage, only_rings);
    return sum;
}

uint64_t stat_counted(const struct stat_view *v, enum stat_count what)
{
    uint64_t sum = 0;
    for (const struct stat_thread *thread = v->all->threads; thread; thread = thread->next)
        sum += atomic_load_explicit(&thread->counts[what], memory_order_relaxed);
    return sum;
}

double stat_gpu_ms(const struct stat_view *v)
{
    uint64_t ticks = 0;
    for (unsigned i = 0; i <= STAT_BUSY_MAX; i++)
        ticks += v->all->busy_ticks[i];
    return (double)ticks * v->ms_per_tick;
}

struct stat_view stat_view_now(struct stat_all *all)
{
    const uint64_t ticks = stat_now(), ns = stat_clock_ns();
    struct stat_view v = {.all = all};
    if (ticks > all->loaded_ticks)
        v.ms_per_tick = (double)(ns - all->loaded_ns) / 1e6 / (double)(ticks - all->loaded_ticks);
    v.elapsed_ms = (double)(ticks - all->gpu_begun) * v.ms_per_tick;
    return v;
}

double stat_processor_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

double stat_core_ms(const struct stat_view *v, unsigned step)
{
    const struct stat_jobs *jobs = &v->all->jobs;
    const double serial = stat_ms_of_all(v, true), now = serial + (double)jobs->elapsed * v->ms_per_tick;
    const double then = serial + (jobs->on_cores[step] + (step ? (double)jobs->waking : 0)) * v->ms_per_tick;
    return then > 0 && now > 0 ? stat_gpu_ms(v) * then / now : 0;
}
