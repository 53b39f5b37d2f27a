/* Coherence, checked: which client wrote each line of memory last, and which clean, invalidate and wait came since. An
 * access that the hardware may answer with old data is reported with both commands and the event that is missing.
 *
 * The models' own memory is always coherent: a packet's work is in memory when the packet ends. What a chip does
 * between is described by a table of the family, and followed beside the execution:
 *
 *   place    memory (place 0) or a cache. A cache has a parent: cleaning moves what was written to the parent, and after
 *            an invalidate lines are filled from there. Caches may stand in front of each other.
 *   client   who accesses memory: a name for reports, the place that it goes through, and how long it waits.
 *   event    what a packet does: places that it cleans, places that it invalidates, waits that it ends.
 *   wait     Events are carried out after they are issued. Level 0 of the state is what has been issued; a wait of level
 *            n makes what holds at level n - 1 hold at level n. Each client sees one level.
 *   actor    a ring or a queue, whose commands and events follow each other; several run at the same time. What one of
 *            them knows of another's work it knows by a signal that it waited for.
 *   set      commands that run beside their actor and may overtake each other, until it waits for all of the set: the
 *            slots of a scoreboard. Such a command is an actor, too, and knows what its actor knew when it was issued.
 *
 * Time is counted in commands and events. An actor knows for each set of each actor the time before which its commands
 * have ended, and for each pair of places the time before which everything that they wrote through the one is seen by
 * readers of the other, so that events cost little, whatever was written before.
 *
 * Threads: an actor's commands and events come from one thread, and so do those of the commands beside it; actors have
 * different ones. Accesses of a command may come from any number of threads at once.
 *
 * Not for: what families there are, how a command looks (both come by the table and its functions), memory that a cache
 * never sees. Lines are those of lines.h. */
#ifndef MODEL_COHERENCE_H
#define MODEL_COHERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct coherence;
struct coherence_actor;
struct coherence_space;
struct strbuf;

#define COHERENCE_LINE_B 64
#define COHERENCE_MEMORY 0 /* the place that all others lead to */
#define COHERENCE_PLACES 12
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
    bool fills;       /* a write brings the rest of its line: it must find what a read must */
    bool is_ordered;  /* commands access it one after the other; else a reader waits for the command that wrote */
    bool loses_dirty; /* an invalidate may drop what has not been cleaned */
    uint32_t
        found_by; /* bits of places that find at once what is written here: one cache, or one that is kept coherent */
    bool orders_writes; /* a write waits for the command that wrote before, as a reader does */
    bool ends_cleaned;  /* the end of a job must find nothing that has not been cleaned */
    bool is_own;        /* only its actor's commands fill it: after an invalidate it is empty until one of them does */
};

struct coherence_client {
    const char *name;
    uint8_t place;
    uint8_t level;    /* of the state that its accesses see; a command beside an actor sees level 0 */
    bool overwrites;  /* what it writes it writes whole: nothing is filled */
    bool keeps_order; /* its accesses wait for each other by themselves, whatever commands they are of: atomics */
    bool is_signal;   /* what it writes is looked at again by whoever waits for it */
};

struct coherence_event {
    const char *name;
    uint32_t cleans, invalidates; /* bits of places; the cleans come first */
    uint32_t waits;               /* bits of levels, from 1 on; the lowest comes first, after the others */
    bool is_waited;               /* the packet ends when this is carried out: it holds at every level */
    bool
        comes_after; /* all that its own actor has issued, with the commands beside it, whether they have ended or not */
};

/* A command, for reports: where it stands and how it begins. */
struct coherence_command {
    uint64_t va;
    uint32_t job; /* counted from 1 */
    uint32_t length_dw;
    uint32_t dw[COHERENCE_COMMAND_DW];
};

/* An access to bytes of a line. */
struct coherence_touch {
    unsigned client, view, set; /* the set counts from 1 on; 0: the actor's own */
    uint64_t line_va, bytes;
    bool is_write;
};

struct coherence_family {
    const struct coherence_place *places;
    const struct coherence_client *clients;
    const struct coherence_event *events;
    const char *const *waits; /* what a report says is missing, by level; [0]: a wait for a command beside an actor */
    const char *const *set_waits; /* the same by set, in place of waits[0]; NULL: that one */
    uint8_t place_count, client_count, event_count, level_count;

    /* The possible writer of memory before a job: bytes that no command has written count as written there. */
    uint8_t host_client;

    /* One command as text, in lines; the report indents them. */
    void (*describe)(void *context, struct strbuf *text, const struct coherence_command *command);
    /* An error, from the thread that found it. False: nothing more is looked at before the next job. */
    bool (*report)(void *context, const char *text);
    /* May be NULL: accesses, from any thread; not those that a command has just made. */
    void (*trace)(void *context, const struct coherence_touch *touch);
};

/* NULL: no memory, or a table that contradicts itself. */
struct coherence *coherence_create(const struct coherence_family *family);
void coherence_destroy(struct coherence *c); /* after its actors */

/* The lines of an address space. `key` is what the caller knows it by. NULL: no memory. */
struct coherence_space *coherence_space(struct coherence *c, const void *key);
void coherence_forget_space(struct coherence *c, const void *key);

/* ---- actors ---- */

/* `context` is that of the family's functions. `set_count` sets of commands run beside it. NULL: no memory, or too many
 * of them. */
struct coherence_actor *coherence_actor_create(struct coherence *c, void *context, unsigned set_count);
struct coherence *coherence_of(const struct coherence_actor *actor);
void coherence_actor_destroy(struct coherence_actor *actor); /* NULL is allowed; none of its jobs runs */

/* Everything is as after a reset: all that was written counts as seen by this actor. */
void coherence_reset(struct coherence_actor *actor);

/* A job begins, whose accesses are to `space`: the host may have written anything before it, and whatever jobs have
 * ended came before it. */
void coherence_job_begin(struct coherence_actor *actor, struct coherence_space *space);
/* It has ended, and so has what ran beside it. */
void coherence_job_end(struct coherence_actor *actor);

/* The command whose accesses follow. */
void coherence_command(struct coherence_actor *actor, const struct coherence_command *command);

/* An event, by its number in the family's table. */
void coherence_event(struct coherence_actor *actor, unsigned event);

/* Bytes that the command in hand reads or writes. `view` is looked at where the place has views. */
void coherence_read(struct coherence_actor *actor, unsigned client, unsigned view, uint64_t va, uint64_t size_B);
void coherence_write(struct coherence_actor *actor, unsigned client, unsigned view, uint64_t va, uint64_t size_B);

/* Whether something that was written through the place has not been cleaned. */
bool coherence_is_dirty(const struct coherence_actor *actor, unsigned place);

/* ---- commands beside an actor ---- */

/* A command is issued to a set; its accesses and events follow, at any time before coherence_complete. It may do what
 * an actor does, but neither begin jobs nor issue commands. NULL: no memory. */
struct coherence_actor *coherence_issue(struct coherence_actor *actor, unsigned set,
                                        const struct coherence_command *command);
/* Another part of a command that was just issued, which runs in another set: what one part wrote the other need not
 * wait for, as within one command. NULL: no memory. */
struct coherence_actor *coherence_issue_part(struct coherence_actor *command, unsigned set);
/* It has ended: whoever waits for its set knows its events. It is gone. */
void coherence_complete(struct coherence_actor *command);

/* Commands of these sets (bits) have ended that were issued before: before the command, or before now, where `actor` is
 * one that issues. */
void coherence_join(struct coherence_actor *actor, uint32_t sets);

/* ---- signals between actors ---- */

/* Everything that the actor knows it hands on by a signal: a counter at `va`, which will then hold `value`. This comes
 * before it does. */
void coherence_release(struct coherence_actor *actor, uint64_t va, uint64_t value);
/* The actor has waited until the counter was above that; UINT64_MAX: until it came down. */
void coherence_acquire(struct coherence_actor *actor, uint64_t va, uint64_t above);
/* The effect of a wait of another kind: the actor knows all that the other does, and, with `has_ended`, that its
 * command's work so far is done. Neither of them runs meanwhile. */
void coherence_follow(struct coherence_actor *actor, struct coherence_actor *other, bool has_ended);

/* ---- memory that is not what it seems ---- */

/* The bytes are handed out anew: what was written there no longer counts. */
void coherence_discard(struct coherence_actor *actor, uint64_t va, uint64_t size_B);
/* Accesses of the command to these bytes are not looked at: each core has its own part of them. Up to four ranges. */
void coherence_ignore(struct coherence_actor *command, uint64_t va, uint64_t size_B);

#endif
