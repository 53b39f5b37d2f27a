/* Coherence, checked: which client wrote each line of memory last, and which clean, invalidate and wait came since. An
 * access that the hardware may answer with old data is reported with both commands and the event that is missing.
 *
 * The models' own memory is always coherent: a packet's work is in memory when the packet ends. What a chip does between
 * is described by a table of the family, and followed beside the execution:
 *
 *   place    memory (place 0) or a cache. A cache has a parent: cleaning moves what was written to the parent, and after
 *            an invalidate lines are filled from there. Caches may stand in front of each other.
 *   client   who accesses memory: a name for reports, the place that it goes through, and how long it waits.
 *   event    what a packet does: places that it cleans, places that it invalidates, waits that it ends.
 *   wait     Events are carried out after they are issued. Level 0 of the state is what has been issued; a wait of level
 *            n makes what holds at level n - 1 hold at level n. Each client sees one level.
 *
 * Time is counted in commands and events. For each pair of places the state holds the time before which everything that
 * was written through the one is seen by readers of the other, so that events cost little, whatever was written before.
 *
 * Threads: commands and events of a ring come from its own thread, one ring at a time; accesses of a command may come
 * from any number of threads at once.
 *
 * Not for: what families there are, how a command looks (both come by the table and its functions), memory that a cache
 * never sees. Lines are those of lines.h. */
#ifndef MODEL_COHERENCE_H
#define MODEL_COHERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct coherence;
struct coherence_space;
struct strbuf;

#define COHERENCE_LINE_B 64
#define COHERENCE_MEMORY 0 /* the place that all others lead to */
#define COHERENCE_PLACES 16
#define COHERENCE_LEVELS 4
#define COHERENCE_COMMAND_DW 8

#define COHERENCE_BIT(place) (1u << (place))

struct coherence_place {
    const char *name;
    uint8_t parent;         /* smaller than the place's own number; of memory itself 0 */
    const char *clean;      /* the event that a report says is missing; NULL: nothing is ever kept back */
    const char *invalidate; /* NULL: nothing is ever kept for reads */
    /* Lines are found by the view of an access, too: what one view wrote another does not find before it was cleaned
     * and the cache invalidated. */
    bool has_views;
    bool fills;        /* a write brings the rest of its line: it must find what a read must */
    bool is_ordered;   /* commands access it one after the other; else a reader waits for the command that wrote */
    bool loses_dirty;  /* an invalidate may drop what has not been cleaned */
    uint32_t found_by; /* bits of places that find at once what is written here: parts of one cache */
    bool ends_cleaned; /* the end of a job must find nothing that has not been cleaned */
};

struct coherence_client {
    const char *name;
    uint8_t place;
    uint8_t level;   /* of the state that its accesses see */
    bool overwrites; /* what it writes it writes whole: nothing is filled */
};

struct coherence_event {
    const char *name;
    uint32_t cleans, invalidates; /* bits of places; the cleans come first */
    uint32_t waits;               /* bits of levels, from 1 on; the lowest comes first, after the others */
    bool is_waited;               /* the packet ends when this is carried out: it holds at every level */
};

/* A command, for reports: where it stands and how it begins. */
struct coherence_command {
    uint64_t va;
    uint32_t job; /* counted from 1 */
    uint32_t length_dw;
    uint32_t dw[COHERENCE_COMMAND_DW];
};

struct coherence_family {
    const struct coherence_place *places;
    const struct coherence_client *clients;
    const struct coherence_event *events;
    const char *const *waits; /* what a report says is missing, by level; [0] is not looked at */
    uint8_t place_count, client_count, event_count, level_count;

    /* What memory may have been written by before a job: bytes that no command has written count as written there. */
    uint8_t host_client;

    /* One command as text: complete lines, indented by four. */
    void (*describe)(void *context, struct strbuf *text, const struct coherence_command *command);
    /* An error, from the thread that found it. False: nothing more is looked at before the next job. */
    bool (*report)(void *context, const char *text);
    /* May be NULL: an access to bytes of a line, from any thread; not those that a command has just accessed so. */
    void (*trace)(void *context, unsigned client, unsigned view, uint64_t line_va, uint64_t bytes, bool is_write);
};

/* NULL: no memory, or a table that contradicts itself. */
struct coherence *coherence_create(const struct coherence_family *family, void *context);
void coherence_destroy(struct coherence *c);

/* The lines of an address space. `key` is what the caller knows it by. NULL: no memory. */
struct coherence_space *coherence_space(struct coherence *c, const void *key);
void coherence_forget_space(struct coherence *c, const void *key);

/* Everything is as after a reset: all that was written counts as seen by all. */
void coherence_reset(struct coherence *c);

/* A job begins, whose accesses are to `space`: the host may have written anything before it. */
void coherence_job_begin(struct coherence *c, struct coherence_space *space);
/* It has ended, and the GPU is idle. */
void coherence_job_end(struct coherence *c);

/* The command whose accesses follow. */
void coherence_command(struct coherence *c, const struct coherence_command *command);

/* An event, by its number in the family's table. */
void coherence_event(struct coherence *c, unsigned event);

/* Bytes that the command in hand reads or writes. `view` is looked at where the place has views. */
void coherence_read(struct coherence *c, unsigned client, unsigned view, uint64_t va, uint64_t size_B);
void coherence_write(struct coherence *c, unsigned client, unsigned view, uint64_t va, uint64_t size_B);

/* Whether something that was written through the place has not been cleaned. */
bool coherence_is_dirty(const struct coherence *c, unsigned place);

#endif
