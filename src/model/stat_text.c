/* The text of `tuff run --stat`; docs/stat.md says how to read it. */
#include "model/stat_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "util/file_limit.h"
#include "util/log.h"
#include "util/strbuf.h"

static const char *const stages[STAT_STAGE_COUNT] = {
    [STAT_COMMANDS] = "command processor",
    [STAT_VERTICES] = "vertices",
    [STAT_RASTER] = "raster",
    [STAT_PIXELS] = "pixels",
    [STAT_COMPUTE] = "compute",
    [STAT_COPIES] = "copies",
};

struct text {
    struct strbuf buf;
    const struct stat_all *all;
    double ms_per_tick;
};

/* What all threads together, or the rings' alone, have spent in a class. */
static double ms_in(const struct text *t, unsigned class, bool only_rings)
{
    uint64_t ticks = 0;
    for (const struct stat_thread *thread = t->all->threads; thread; thread = thread->next) {
        if (thread->is_ring || !only_rings)
            ticks += atomic_load_explicit(&thread->ticks[class], memory_order_relaxed);
    }
    return (double)ticks * t->ms_per_tick;
}

static double ms_of_stage(const struct text *t, enum stat_stage stage, bool only_rings)
{
    double sum = 0;
    for (unsigned work = 0; work < STAT_WORK_COUNT; work++)
        sum += ms_in(t, stat_class(stage, (enum stat_work)work), only_rings);
    return sum;
}

static double ms_of_all(const struct text *t, bool only_rings)
{
    double sum = 0;
    for (unsigned stage = 0; stage < STAT_STAGE_COUNT; stage++)
        sum += ms_of_stage(t, (enum stat_stage)stage, only_rings);
    return sum;
}

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static uint64_t counted(const struct text *t, enum stat_count what)
{
    uint64_t sum = 0;
    for (const struct stat_thread *thread = t->all->threads; thread; thread = thread->next)
        sum += atomic_load_explicit(&thread->counts[what], memory_order_relaxed);
    return sum;
}

/* ---- parts ---- */

static double gpu_ms(const struct text *t)
{
    uint64_t ticks = 0;
    for (unsigned i = 0; i <= STAT_BUSY_MAX; i++)
        ticks += t->all->busy_ticks[i];
    return (double)ticks * t->ms_per_tick;
}

static void write_head(struct text *t, double elapsed_ms)
{
    const double gpu = gpu_ms(t);
    const uint64_t submissions = counted(t, STAT_SUBMISSIONS);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    strbuf_printf(&t->buf, "Where the time of the GPU's model went, process %d (%s)\n", (int)t->all->process,
                  program_invocation_short_name);
    strbuf_printf(&t->buf, "%llu submissions, %llu draws, %llu dispatches in %.1f ms since the first submission;",
                  (unsigned long long)submissions, (unsigned long long)counted(t, STAT_DRAWS),
                  (unsigned long long)counted(t, STAT_DISPATCHES), elapsed_ms);
    strbuf_printf(&t->buf, " the GPU had work in %.1f ms (%.0f%%), %.3f ms a submission;", gpu, share(gpu, elapsed_ms),
                  submissions ? gpu / (double)submissions : 0);
    strbuf_printf(&t->buf, " processor time of the process %.1f ms\n\n",
                  (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
                      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3);
}

/* Of GPUs that draw in tiles, with a memory that is copied to. */
static void write_tiles(struct text *t)
{
    const uint64_t loads_B = counted(t, STAT_TILE_LOADS_B), stores_B = counted(t, STAT_TILE_STORES_B);
    if (loads_B || stores_B)
        strbuf_printf(&t->buf, "tiles: %llu bytes loaded, %llu bytes stored\n\n", (unsigned long long)loads_B,
                      (unsigned long long)stores_B);
}

static void write_stages(struct text *t)
{
    const double all = ms_of_all(t, false);
    strbuf_printf(&t->buf, "%-18s %10s %6s %12s %12s %10s %10s %10s %10s\n", "ms of all threads", "all", "", "waves",
                  "fixed", "waves", "host code", "textures", "making");
    for (unsigned i = 0; i <= STAT_STAGE_COUNT; i++) {
        double sum = 0, works[STAT_WORK_COUNT] = {0};
        uint64_t waves = 0;
        for (unsigned stage = i < STAT_STAGE_COUNT ? i : 0; stage < (i < STAT_STAGE_COUNT ? i + 1 : i); stage++) {
            for (unsigned work = 0; work < STAT_WORK_COUNT; work++)
                works[work] += ms_in(t, stat_class((enum stat_stage)stage, (enum stat_work)work), false);
            for (const struct stat_thread *thread = t->all->threads; thread; thread = thread->next)
                waves += atomic_load_explicit(&thread->waves[stage], memory_order_relaxed);
        }
        for (unsigned work = 0; work < STAT_WORK_COUNT; work++)
            sum += works[work];
        strbuf_printf(&t->buf, "%-18s %10.2f %5.1f%% %12llu %12.2f %10.2f %10.2f %10.2f %10.2f\n",
                      i < STAT_STAGE_COUNT ? stages[i] : "all", sum, share(sum, all), (unsigned long long)waves,
                      works[STAT_FIXED], works[STAT_WAVES], works[STAT_HOST], works[STAT_TEXTURES], works[STAT_MAKING]);
    }
    strbuf_append(&t->buf, "\n");
}

static void write_threads(struct text *t)
{
    strbuf_printf(&t->buf, "%-18s %10s %20s %20s %10s\n", "ms of each thread", "busy", "waits for workers",
                  "waits for memory", "idle");
    for (const struct stat_thread *thread = t->all->threads; thread; thread = thread->next) {
        char name[32];
        double busy = 0;
        for (unsigned c = STAT_WAIT_COUNT; c < STAT_CLASS_COUNT; c++)
            busy += (double)atomic_load_explicit(&thread->ticks[c], memory_order_relaxed) * t->ms_per_tick;
        snprintf(name, sizeof(name), "%s %u", thread->kind, thread->number);
        strbuf_printf(&t->buf, "%-18s %10.2f %20.2f %20.2f %10.2f\n", name, busy,
                      (double)thread->ticks[STAT_FOR_WORKERS] * t->ms_per_tick,
                      (double)thread->ticks[STAT_FOR_MEMORY] * t->ms_per_tick,
                      (double)thread->ticks[STAT_IDLE] * t->ms_per_tick);
    }
    strbuf_append(&t->buf, "\n");
}

static void write_busy(struct text *t)
{
    const double gpu = gpu_ms(t);
    strbuf_append(&t->buf, "While the GPU had work, so many threads were busy:");
    for (unsigned i = 0; i <= STAT_BUSY_MAX; i++) {
        if (t->all->busy_ticks[i])
            strbuf_printf(&t->buf, "  %u: %.1f%%", i, share((double)t->all->busy_ticks[i] * t->ms_per_tick, gpu));
    }
    strbuf_append(&t->buf, "\n");
}

/* What only a ring's thread does, and what the workers share: with more cores the first stays as it is. */
static void write_cores(struct text *t, double elapsed_ms)
{
    const struct stat_jobs *jobs = &t->all->jobs;
    const double serial = ms_of_all(t, true), gpu = gpu_ms(t), waking = (double)jobs->waking * t->ms_per_tick,
                 now = serial + (double)jobs->elapsed * t->ms_per_tick;
    strbuf_printf(&t->buf, "Serial %.2f ms (%.1f%%):", serial, share(serial, now));
    for (unsigned i = 0; i < STAT_STAGE_COUNT; i++) {
        const double ms = ms_of_stage(t, (enum stat_stage)i, true);
        if (ms > 0)
            strbuf_printf(&t->buf, " %s %.2f", stages[i], ms);
    }
    strbuf_printf(&t->buf, "\nShared %.2f ms: %llu jobs with %.2f ms of work; %.2f ms until workers wake and end\n",
                  (double)jobs->elapsed * t->ms_per_tick, (unsigned long long)jobs->count,
                  (double)jobs->busy * t->ms_per_tick, waking);
    strbuf_append(&t->buf, "The same work on more cores, by these figures:");
    for (unsigned i = 0; i < 5; i++) {
        const double then = serial + jobs->on_cores[i] * t->ms_per_tick + (i ? waking : 0);
        const double whole = then > 0 && now > 0 ? gpu * then / now : 0;
        strbuf_printf(&t->buf, "%s %u: %.1f ms (%.2f of now)", i ? "," : "", 1u << i, whole, gpu > 0 ? whole / gpu : 0);
    }
    strbuf_printf(&t->buf, ";\nthe rest, %.1f ms, is the program's.\n", elapsed_ms > gpu ? elapsed_ms - gpu : 0);
}

/* ---- the file ---- */

static void put(const char *text, const char *to)
{
    if (strcmp(to, "-") == 0) {
        fputs(text, stderr);
        return;
    }
    FILE *file = fopen(to, "ae");
    struct file_limit limit = file_limit_enter();
    bool is_whole = file && fputs(text, file) >= 0;
    is_whole &= file && fclose(file) == 0;
    file_limit_leave(limit);
    if (!is_whole)
        LOG_ERROR("stat", "cannot write '%s': %s", to, strerror(errno));
}

void stat_write(struct stat_all *all, const char *to)
{
    const uint64_t ticks = stat_now(), ns = stat_clock_ns();
    struct text t = {.all = all};
    pthread_mutex_lock(&all->lock);
    if (ticks > all->loaded_ticks)
        t.ms_per_tick = (double)(ns - all->loaded_ns) / 1e6 / (double)(ticks - all->loaded_ticks);
    const double elapsed_ms = (double)(ticks - all->gpu_begun) * t.ms_per_tick;
    write_head(&t, elapsed_ms);
    write_tiles(&t);
    write_stages(&t);
    write_threads(&t);
    write_busy(&t);
    write_cores(&t, elapsed_ms);
    pthread_mutex_unlock(&all->lock);
    if (t.buf.failed)
        LOG_ERROR("stat", "no memory for the text");
    else
        put(t.buf.text, to);
    strbuf_finish(&t.buf);
}
