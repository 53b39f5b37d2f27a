/* Inside model/coherence: what actors know, and what they share. */
#ifndef MODEL_COHERENCE_STATE_H
#define MODEL_COHERENCE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "model/coherence/coherence.h"
#include "model/coherence/lines.h"

/* An actor, each of its sets and the host have a timeline: commands on it end in the order in which they are waited
 * for. */
#define COHERENCE_TIMELINES 512
#define COHERENCE_HOST_TIMELINE 0

/* The knowledge about one timeline. */
struct coherence_row {
    uint64_t done; /* commands before this time have ended */
    /* [writer][reader]: what they wrote through the one before this time is found by the other. Of a place by itself:
     * by other views. */
    uint64_t seen[COHERENCE_PLACES][COHERENCE_PLACES];
};

struct coherence_signal;

struct coherence_space {
    struct coherence_space *next;
    const void *key;
    struct lines *lines;
    struct coherence_signal *signals; /* under the lock */
};

/* Commands that a report can still name. */
#define COHERENCE_LOG 65536

struct coherence_entry {
    uint64_t time;
    struct coherence_command command;
};

struct coherence_dirty {
    uint64_t time, va; /* of the last write through a place */
    uint8_t client;
};

struct coherence {
    const struct coherence_family *family;
    uint32_t id; /* of this one among all that the process has had */
    pthread_mutex_t lock;
    struct coherence_space *spaces;

    _Atomic uint64_t now;    /* grows with each command and event */
    unsigned timeline_count; /* that have ever been used; under the lock */
    bool is_used[COHERENCE_TIMELINES];
    uint8_t set_of[COHERENCE_TIMELINES];             /* from 1 on; 0: of an actor itself */
    struct coherence_row ended[COHERENCE_TIMELINES]; /* what is known after the jobs that have ended; under the lock */
    struct coherence_dirty dirty[COHERENCE_TIMELINES][COHERENCE_PLACES];

    uint64_t logged; /* how many there were; the log holds the last ones, and times grow. Under the lock */
    struct coherence_entry log[COHERENCE_LOG];
};

#define COHERENCE_IGNORED 4

struct coherence_actor {
    struct coherence *c;
    void *context;
    struct coherence_actor *parent; /* of a command that runs beside an actor; NULL: it is one */
    struct coherence_actor *spare;  /* of an actor: commands that are gone; of those, the next */
    unsigned timeline, set_count;   /* its own, and those of its sets follow */
    struct coherence_space *space;  /* of the job; NULL: none runs */
    _Atomic bool is_over;           /* no more reports in this job */
    uint64_t job_time, command_time;
    bool has_events;        /* of a command: its knowledge has grown */
    _Atomic uint32_t empty; /* of an actor: bits of own places that nothing came through since they were invalidated */

    struct coherence_row *known[COHERENCE_LEVELS]; /* by level, and there by timeline */
    struct coherence_row *results; /* of an actor, by set and timeline: what its commands knew at their end */
    bool has_results[32];          /* by set */

    unsigned ignored_count;
    struct {
        uint64_t va, size_B;
    } ignored[COHERENCE_IGNORED];
};

struct coherence_access {
    uint8_t client, place;
    uint16_t view;
    bool is_write;
    bool needs_contents; /* must find what is there; else what is there only must not come after it */
};

/* The actor that jobs and reports are of. */
static inline struct coherence_actor *coherence_owner(struct coherence_actor *actor)
{
    return actor->parent ? actor->parent : actor;
}

/* The level whose state an access of the client looks at. */
static inline unsigned coherence_level(const struct coherence_actor *actor, unsigned client)
{
    return actor->parent ? 0 : actor->c->family->clients[client].level;
}

/* ---- knowledge.c ---- */

/* How many timelines there are: rows beyond have nothing. */
unsigned coherence_timelines(struct coherence *c);
void coherence_rows_merge(struct coherence_row *to, const struct coherence_row *from, unsigned count);

/* ---- signals.c ---- */

void coherence_forget_signals(struct coherence_space *space);

/* Where the ways of two places to memory meet. */
unsigned coherence_common(const struct coherence_family *family, unsigned a, unsigned b);

/* ---- report.c ---- */

/* The access comes too early after the write. */
void coherence_report_access(struct coherence_actor *actor, const struct coherence_access *access,
                             const struct line_write *write, uint64_t va);
/* A place holds what was not cleaned, and something happens that it may be lost by. */
void coherence_report_dirty(struct coherence_actor *actor, const struct coherence_dirty *dirty, unsigned place,
                            const char *what);

#endif
