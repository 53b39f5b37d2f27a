/* The text of `tuff run --stat`; docs/stat.md says how to read it. */
#include "model/stat_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/stat_view.h"
#include "util/file_limit.h"
#include "util/json.h"
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
    struct stat_view view;
};

static double share_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* ---- parts ---- */

static void write_head(struct text *t)
{
    const double elapsed_ms = t->view.elapsed_ms;
    const double gpu = stat_gpu_ms(&t->view);
    const uint64_t submissions = stat_counted(&t->view, STAT_SUBMISSIONS);
    strbuf_printf(&t->buf, "Where the time of the GPU's model went, process %d (%s)\n", (int)t->view.all->process,
                  program_invocation_short_name);
    strbuf_printf(&t->buf, "%llu submissions, %llu draws, %llu dispatches in %.1f ms since the first submission;",
                  (unsigned long long)submissions, (unsigned long long)stat_counted(&t->view, STAT_DRAWS),
                  (unsigned long long)stat_counted(&t->view, STAT_DISPATCHES), elapsed_ms);
    strbuf_printf(&t->buf, " the GPU had work in %.1f ms (%.0f%%), %.3f ms a submission;", gpu,
                  share_of(gpu, elapsed_ms), submissions ? gpu / (double)submissions : 0);
    strbuf_printf(&t->buf, " processor time of the process %.1f ms\n\n", stat_processor_ms());
}

/* Of GPUs that draw in tiles, with a memory that is copied to. */
static void write_tiles(struct text *t)
{
    const uint64_t loads_B = stat_counted(&t->view, STAT_TILE_LOADS_B),
                   stores_B = stat_counted(&t->view, STAT_TILE_STORES_B);
    if (loads_B || stores_B)
        strbuf_printf(&t->buf, "tiles: %llu bytes loaded, %llu bytes stored\n\n", (unsigned long long)loads_B,
                      (unsigned long long)stores_B);
}

static void write_stages(struct text *t)
{
    const double all = stat_ms_of_all(&t->view, false);
    strbuf_printf(&t->buf, "%-18s %10s %6s %12s %12s %10s %10s %10s %10s\n", "ms of all threads", "all", "", "waves",
                  "fixed", "waves", "host code", "textures", "making");
    for (unsigned i = 0; i <= STAT_STAGE_COUNT; i++) {
        double sum = 0, works[STAT_WORK_COUNT] = {0};
        uint64_t waves = 0;
        for (unsigned stage = i < STAT_STAGE_COUNT ? i : 0; stage < (i < STAT_STAGE_COUNT ? i + 1 : i); stage++) {
            for (unsigned work = 0; work < STAT_WORK_COUNT; work++)
                works[work] += stat_ms_in(&t->view, stat_class((enum stat_stage)stage, (enum stat_work)work), false);
            for (const struct stat_thread *thread = t->view.all->threads; thread; thread = thread->next)
                waves += atomic_load_explicit(&thread->waves[stage], memory_order_relaxed);
        }
        for (unsigned work = 0; work < STAT_WORK_COUNT; work++)
            sum += works[work];
        strbuf_printf(&t->buf, "%-18s %10.2f %5.1f%% %12llu %12.2f %10.2f %10.2f %10.2f %10.2f\n",
                      i < STAT_STAGE_COUNT ? stages[i] : "all", sum, share_of(sum, all), (unsigned long long)waves,
                      works[STAT_FIXED], works[STAT_WAVES], works[STAT_HOST], works[STAT_TEXTURES], works[STAT_MAKING]);
    }
    strbuf_append(&t->buf, "\n");
}

static void write_threads(struct text *t)
{
    strbuf_printf(&t->buf, "%-18s %10s %20s %20s %10s\n", "ms of each thread", "busy", "waits for workers",
                  "waits for memory", "idle");
    for (const struct stat_thread *thread = t->view.all->threads; thread; thread = thread->next) {
        char name[32];
        double busy = 0;
        for (unsigned c = STAT_WAIT_COUNT; c < STAT_CLASS_COUNT; c++)
            busy += (double)atomic_load_explicit(&thread->ticks[c], memory_order_relaxed) * t->view.ms_per_tick;
        snprintf(name, sizeof(name), "%s %u", thread->kind, thread->number);
        strbuf_printf(&t->buf, "%-18s %10.2f %20.2f %20.2f %10.2f\n", name, busy,
                      (double)thread->ticks[STAT_FOR_WORKERS] * t->view.ms_per_tick,
                      (double)thread->ticks[STAT_FOR_MEMORY] * t->view.ms_per_tick,
                      (double)thread->ticks[STAT_IDLE] * t->view.ms_per_tick);
    }
    strbuf_append(&t->buf, "\n");
}

static void write_busy(struct text *t)
{
    const double gpu = stat_gpu_ms(&t->view);
    strbuf_append(&t->buf, "While the GPU had work, so many threads were busy:");
    for (unsigned i = 0; i <= STAT_BUSY_MAX; i++) {
        if (t->view.all->busy_ticks[i])
            strbuf_printf(&t->buf, "  %u: %.1f%%", i,
                          share_of((double)t->view.all->busy_ticks[i] * t->view.ms_per_tick, gpu));
    }
    strbuf_append(&t->buf, "\n");
}

/* The time of a ring's thread alone, and the time that the workers share: with more cores the first stays as it is. */
static void write_cores(struct text *t)
{
    const struct stat_jobs *jobs = &t->view.all->jobs;
    const double serial = stat_ms_of_all(&t->view, true), gpu = stat_gpu_ms(&t->view), ms = t->view.ms_per_tick;
    const double elapsed = (double)jobs->elapsed * ms, rest = t->view.elapsed_ms - gpu;
    strbuf_printf(&t->buf, "Serial %.2f ms (%.1f%%):", serial, share_of(serial, serial + elapsed));
    for (unsigned i = 0; i < STAT_STAGE_COUNT; i++) {
        const double of_stage = stat_ms_of_stage(&t->view, (enum stat_stage)i, true);
        if (of_stage > 0)
            strbuf_printf(&t->buf, " %s %.2f", stages[i], of_stage);
    }
    strbuf_printf(&t->buf, "\nShared %.2f ms: %llu jobs with %.2f ms of work; %.2f ms until workers wake and end\n",
                  elapsed, (unsigned long long)jobs->count, (double)jobs->busy * ms, (double)jobs->waking * ms);
    strbuf_append(&t->buf, "The same work on more cores, by these figures:");
    for (unsigned i = 0; i < 5; i++) {
        const double whole = stat_core_ms(&t->view, i);
        strbuf_printf(&t->buf, "%s %u: %.1f ms (%.2f of now)", i ? "," : "", 1u << i, whole, gpu > 0 ? whole / gpu : 0);
    }
    strbuf_printf(&t->buf, ";\nthe rest, %.1f ms, is the program's.\n", rest > 0 ? rest : 0);
}

static struct strbuf make_text(const struct stat_view *view)
{
    struct text t = {.view = *view};
    write_head(&t);
    write_tiles(&t);
    write_stages(&t);
    write_threads(&t);
    write_busy(&t);
    write_cores(&t);
    return t.buf;
}

/* ---- the file ---- */

/* For "-", text is a message and JSON an output. */
static void put_text(const char *text, const char *to, bool is_json)
{
    if (strcmp(to, "-") == 0) {
        fputs(text, is_json ? stdout : stderr);
        fflush(stdout);
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
    const char *format = secure_getenv("TUFF_STAT_FORMAT");
    const bool is_json = format && strcmp(format, "json") == 0;
    pthread_mutex_lock(&all->lock);
    const struct stat_view view = stat_view_now(all);
    struct strbuf text = is_json ? stat_json(&view) : make_text(&view);
    pthread_mutex_unlock(&all->lock);
    if (text.failed)
        LOG_ERROR("stat", "no memory for the text");
    else
        put_text(text.text, to, is_json);
    strbuf_finish(&text);
}
