/* The figures of `tuff run --stat --json`, one object in one line; docs/json.md lists the keys. */
#include <errno.h>
#include <stdio.h>

#include "model/stat_view.h"
#include "util/json.h"

static const char *const stages[STAT_STAGE_COUNT] = {
    [STAT_COMMANDS] = "command_processor",
    [STAT_VERTICES] = "vertices",
    [STAT_RASTER] = "raster",
    [STAT_PIXELS] = "pixels",
    [STAT_COMPUTE] = "compute",
    [STAT_COPIES] = "copies",
};

static const char *const works[STAT_WORK_COUNT] = {
    [STAT_FIXED] = "fixed_ms",       [STAT_WAVES] = "waves_ms",   [STAT_HOST] = "host_code_ms",
    [STAT_TEXTURES] = "textures_ms", [STAT_MAKING] = "making_ms",
};

static void add_stages(struct json *json, const struct stat_view *v)
{
    json_object(json, "stages");
    for (unsigned stage = 0; stage < STAT_STAGE_COUNT; stage++) {
        uint64_t waves = 0;
        for (const struct stat_thread *thread = v->all->threads; thread; thread = thread->next)
            waves += atomic_load_explicit(&thread->waves[stage], memory_order_relaxed);
        json_object(json, stages[stage]);
        json_real(json, "all_ms", stat_ms_of_stage(v, (enum stat_stage)stage, false));
        json_real(json, "serial_ms", stat_ms_of_stage(v, (enum stat_stage)stage, true));
        json_number(json, "waves", waves);
        for (unsigned work = 0; work < STAT_WORK_COUNT; work++)
            json_real(json, works[work],
                      stat_ms_in(v, stat_class((enum stat_stage)stage, (enum stat_work)work), false));
        json_end(json);
    }
    json_end(json);
}

static void add_threads(struct json *json, const struct stat_view *v)
{
    json_array(json, "threads");
    for (const struct stat_thread *thread = v->all->threads; thread; thread = thread->next) {
        uint64_t busy = 0;
        for (unsigned class = STAT_WAIT_COUNT; class < STAT_CLASS_COUNT; class ++)
            busy += atomic_load_explicit(&thread->ticks[class], memory_order_relaxed);
        json_object(json, NULL);
        json_string(json, "kind", thread->kind);
        json_number(json, "number", thread->number);
        json_real(json, "busy_ms", (double)busy * v->ms_per_tick);
        json_real(json, "for_workers_ms", (double)thread->ticks[STAT_FOR_WORKERS] * v->ms_per_tick);
        json_real(json, "for_memory_ms", (double)thread->ticks[STAT_FOR_MEMORY] * v->ms_per_tick);
        json_real(json, "idle_ms", (double)thread->ticks[STAT_IDLE] * v->ms_per_tick);
        json_end(json);
    }
    json_end(json);
}

/* How long so many threads were busy at once, while the GPU had work. */
static void add_busy(struct json *json, const struct stat_view *v)
{
    json_array(json, "busy_threads");
    for (unsigned i = 0; i <= STAT_BUSY_MAX; i++) {
        if (!v->all->busy_ticks[i])
            continue;
        json_object(json, NULL);
        json_number(json, "threads", i);
        json_real(json, "ms", (double)v->all->busy_ticks[i] * v->ms_per_tick);
        json_end(json);
    }
    json_end(json);
}

static void add_cores(struct json *json, const struct stat_view *v)
{
    const struct stat_jobs *jobs = &v->all->jobs;
    json_real(json, "serial_ms", stat_ms_of_all(v, true));
    json_object(json, "shared");
    json_number(json, "jobs", jobs->count);
    json_real(json, "ms", (double)jobs->elapsed * v->ms_per_tick);
    json_real(json, "work_ms", (double)jobs->busy * v->ms_per_tick);
    json_real(json, "waking_ms", (double)jobs->waking * v->ms_per_tick);
    json_end(json);
    json_array(json, "on_cores");
    for (unsigned i = 0; i < STAT_CORE_STEPS; i++) {
        json_object(json, NULL);
        json_number(json, "cores", 1u << i);
        json_real(json, "gpu_ms", stat_core_ms(v, i));
        json_end(json);
    }
    json_end(json);
}

struct strbuf stat_json(const struct stat_view *v)
{
    struct json json = {.is_line = true};
    json_object(&json, NULL);
    json_number(&json, "process", (uint64_t)v->all->process);
    json_string(&json, "program", program_invocation_short_name);
    json_number(&json, "submissions", stat_counted(v, STAT_SUBMISSIONS));
    json_number(&json, "draws", stat_counted(v, STAT_DRAWS));
    json_number(&json, "dispatches", stat_counted(v, STAT_DISPATCHES));
    json_number(&json, "tile_load_bytes", stat_counted(v, STAT_TILE_LOADS_B));
    json_number(&json, "tile_store_bytes", stat_counted(v, STAT_TILE_STORES_B));
    json_real(&json, "elapsed_ms", v->elapsed_ms);
    json_real(&json, "gpu_ms", stat_gpu_ms(v));
    json_real(&json, "processor_ms", stat_processor_ms());
    add_stages(&json, v);
    add_threads(&json, v);
    add_busy(&json, v);
    add_cores(&json, v);
    json_end(&json);
    return json.text;
}
