/* Inside model/coherence: the state that coherence.c keeps and report.c puts into words. */
#ifndef MODEL_COHERENCE_STATE_H
#define MODEL_COHERENCE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "model/coherence/coherence.h"
#include "model/coherence/lines.h"

struct coherence_space {
    struct coherence_space *next;
    const void *key;
    struct lines *lines;
};

/* Commands that a report can still name. */
#define COHERENCE_LOG 65536

struct coherence_entry {
    uint64_t time;
    struct coherence_command command;
};

struct coherence {
    const struct coherence_family *family;
    void *context;
    uint32_t id; /* of this one among all that the process has had */
    pthread_mutex_t lock;
    struct coherence_space *spaces, *space; /* all; of the job */

    _Atomic bool is_over; /* no more reports in this job */
    uint64_t now;         /* grows with each command and event */
    uint64_t job_time, command_time;
    /* [level][writer][reader]: what was written through the one before this time is found by the other. Of a place by
     * itself: by other views. */
    uint64_t seen[COHERENCE_LEVELS][COHERENCE_PLACES][COHERENCE_PLACES];
    uint64_t ordered[COHERENCE_LEVELS]; /* commands before this time have ended */
    struct coherence_dirty {
        uint64_t time, va; /* of the last write through a place */
        uint8_t client;
    } dirty[COHERENCE_PLACES];

    uint64_t logged; /* how many there were; the log holds the last ones, and times grow */
    struct coherence_entry log[COHERENCE_LOG];
};

struct coherence_access {
    uint8_t client, place;
    uint16_t view;
    bool is_write;
    bool needs_contents; /* must find what is there; else what is there only must not come after it */
};

/* Where the ways of two places to memory meet. */
unsigned coherence_common(const struct coherence_family *family, unsigned a, unsigned b);

/* ---- report.c ---- */

/* The access comes too early after the write. */
void coherence_report_access(struct coherence *c, const struct coherence_access *access, const struct line_write *write,
                             uint64_t va);
/* A place holds what was not cleaned, and something happens that it may be lost by. */
void coherence_report_dirty(struct coherence *c, unsigned place, const char *what);

#endif
