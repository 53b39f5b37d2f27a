/* Sums of the figures that stat.c collects, in milliseconds: what stat_text.c and stat_json.c write. */
#ifndef MODEL_STAT_VIEW_H
#define MODEL_STAT_VIEW_H

#include "model/stat_text.h"
#include "util/strbuf.h"

struct stat_view {
    const struct stat_all *all;
    double ms_per_tick;
    double elapsed_ms; /* since the first submission */
};

/* At this moment; the caller holds all->lock until it has read what it wants. */
struct stat_view stat_view_now(struct stat_all *all);

/* The time that all threads together, or the rings' alone, have spent in a class, in a stage, in all of them. */
double stat_ms_in(const struct stat_view *v, unsigned class, bool only_rings);
double stat_ms_of_stage(const struct stat_view *v, enum stat_stage stage, bool only_rings);
double stat_ms_of_all(const struct stat_view *v, bool only_rings);

double stat_gpu_ms(const struct stat_view *v); /* in which any ring had a job */
double stat_processor_ms(void);                /* of the process */
uint64_t stat_counted(const struct stat_view *v, enum stat_count what);

/* How long the GPU would have work on 1 << step cores. */
double stat_core_ms(const struct stat_view *v, unsigned step);

/* All of it as JSON, in one line (stat_json.c). */
struct strbuf stat_json(const struct stat_view *v);

#endif
