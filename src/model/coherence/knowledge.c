/* The knowledge of actors: time, events, jobs, and commands that run beside them (coherence.h). */
#include <stdlib.h>
#include <string.h>

#include "model/coherence/state.h"
#include "util/bits.h"

static uint64_t coherence_tick(struct coherence *c)
{
    return atomic_fetch_add(&c->now, 1) + 1;
}

unsigned coherence_timelines(struct coherence *c)
{
    return __atomic_load_n(&c->timeline_count, __ATOMIC_ACQUIRE);
}

/* NULL: no memory */
static struct coherence_row *coherence_rows_create(void)
{
    return calloc(COHERENCE_TIMELINES, sizeof(struct coherence_row));
}

/* Whatever is known stays true: caches only come to hold newer data. */
void coherence_rows_merge(struct coherence_row *to, const struct coherence_row *from, unsigned count)
{
    for (unsigned t = 0; t < count; t++) {
        uint64_t *a = &to[t].done;
        const uint64_t *b = &from[t].done;
        for (unsigned i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
            a[i] = MAX2(a[i], b[i]);
    }
}

static void copy_rows(struct coherence_row *to, const struct coherence_row *from, unsigned count)
{
    memcpy(to, from, count * sizeof(*to));
}

/* ---- actors ---- */

static unsigned take_timelines(struct coherence *c, unsigned count)
{
    for (unsigned first = COHERENCE_HOST_TIMELINE + 1, found = 0; first + found < COHERENCE_TIMELINES;) {
        if (c->is_used[first + found]) {
            first += found + 1;
            found = 0;
        } else if (++found == count) {
            memset(&c->is_used[first], true, count);
            for (unsigned set = 0; set < count; set++)
                c->set_of[first + set] = (uint8_t)set;
            __atomic_store_n(&c->timeline_count, MAX2(c->timeline_count, first + count), __ATOMIC_RELEASE);
            return first;
        }
    }
    return 0;
}

struct coherence_actor *coherence_actor_create(struct coherence *c, void *context, unsigned set_count)
{
    struct coherence_actor *actor = calloc(1, sizeof(*actor));
    if (!actor || set_count >= ARRAY_SIZE(actor->has_results)) {
        free(actor);
        return NULL;
    }
    *actor = (struct coherence_actor){.c = c, .context = context, .set_count = set_count};
    bool is_ok = true;
    for (unsigned level = 0; level < c->family->level_count; level++)
        is_ok &= (actor->known[level] = coherence_rows_create()) != NULL;
    if (set_count)
        is_ok &= (actor->results = calloc((size_t)set_count * COHERENCE_TIMELINES, sizeof(*actor->results))) != NULL;
    pthread_mutex_lock(&c->lock);
    actor->timeline = is_ok ? take_timelines(c, 1 + set_count) : 0;
    pthread_mutex_unlock(&c->lock);
    if (!actor->timeline) {
        coherence_actor_destroy(actor);
        return NULL;
    }
    coherence_reset(actor);
    return actor;
}

void coherence_actor_destroy(struct coherence_actor *actor)
{
    if (!actor)
        return;
    struct coherence *c = actor->c;
    pthread_mutex_lock(&c->lock);
    if (actor->timeline)
        memset(&c->is_used[actor->timeline], false, 1 + actor->set_count);
    pthread_mutex_unlock(&c->lock);
    while (actor->spare) {
        struct coherence_actor *command = actor->spare;
        actor->spare = command->spare;
        free(command->known[0]);
        free(command);
    }
    for (unsigned level = 0; level < COHERENCE_LEVELS; level++)
        free(actor->known[level]);
    free(actor->results);
    free(actor);
}

struct coherence *coherence_of(const struct coherence_actor *actor)
{
    return actor->c;
}

/* Nothing of it runs: what was issued has been carried out. */
static void settle_actor(struct coherence_actor *actor)
{
    const unsigned count = coherence_timelines(actor->c);
    const uint64_t after = atomic_load(&actor->c->now) + 1;
    for (unsigned i = 0; i <= actor->set_count; i++)
        actor->known[0][actor->timeline + i].done = after;
    for (unsigned level = 1; level < actor->c->family->level_count; level++)
        copy_rows(actor->known[level], actor->known[0], count);
}

void coherence_reset(struct coherence_actor *actor)
{
    struct coherence *c = actor->c;
    const uint64_t now = coherence_tick(c);
    atomic_store(&actor->is_over, false);
    for (unsigned t = 0; t < coherence_timelines(c); t++) {
        struct coherence_row *row = &actor->known[0][t];
        row->done = now;
        for (unsigned writer = 0; writer < COHERENCE_PLACES; writer++) {
            for (unsigned reader = 0; reader < COHERENCE_PLACES; reader++)
                row->seen[writer][reader] = now;
        }
    }
    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i <= actor->set_count; i++)
        memset(c->dirty[actor->timeline + i], 0, sizeof(c->dirty[0]));
    pthread_mutex_unlock(&c->lock);
    settle_actor(actor);
}

void coherence_job_begin(struct coherence_actor *actor, struct coherence_space *space)
{
    struct coherence *c = actor->c;
    actor->space = space;
    atomic_store(&actor->is_over, false);
    actor->job_time = coherence_tick(c);
    actor->command_time = coherence_tick(c);
    pthread_mutex_lock(&c->lock);
    coherence_rows_merge(actor->known[0], c->ended, c->timeline_count);
    pthread_mutex_unlock(&c->lock);
    actor->known[0][COHERENCE_HOST_TIMELINE].done = actor->job_time + 1;
    settle_actor(actor);
}

/* Writes that the actor or a command beside it has left in a place, that memory does not have yet. */
static const struct coherence_dirty *find_dirty(const struct coherence_actor *actor, unsigned place, unsigned to)
{
    for (unsigned i = 0; i <= actor->set_count; i++) {
        const unsigned t = actor->timeline + i;
        const struct coherence_dirty *dirty = &actor->c->dirty[t][place];
        if (dirty->time && dirty->time >= actor->known[0][t].seen[place][to])
            return dirty;
    }
    return NULL;
}

bool coherence_is_dirty(const struct coherence_actor *actor, unsigned place)
{
    return find_dirty(actor, place, actor->c->family->places[place].parent) != NULL;
}

void coherence_job_end(struct coherence_actor *actor)
{
    struct coherence *c = actor->c;
    for (unsigned place = 1; place < c->family->place_count; place++) {
        const struct coherence_dirty *dirty = find_dirty(actor, place, COHERENCE_MEMORY);
        if (c->family->places[place].ends_cleaned && dirty)
            coherence_report_dirty(actor, dirty, place, "the job ends");
    }
    settle_actor(actor);
    pthread_mutex_lock(&c->lock);
    coherence_rows_merge(c->ended, actor->known[0], c->timeline_count);
    pthread_mutex_unlock(&c->lock);
    actor->space = NULL;
}

static void refresh_empty(struct coherence_actor *actor);

/* Times in the log grow. */
static uint64_t log_command(struct coherence *c, const struct coherence_command *command)
{
    pthread_mutex_lock(&c->lock);
    const uint64_t time = coherence_tick(c);
    struct coherence_entry *entry = &c->log[c->logged++ % COHERENCE_LOG];
    entry->time = time;
    entry->command = *command;
    pthread_mutex_unlock(&c->lock);
    return time;
}

void coherence_command(struct coherence_actor *actor, const struct coherence_command *command)
{
    actor->command_time = log_command(actor->c, command);
    actor->known[0][actor->timeline].done = actor->command_time;
    refresh_empty(actor);
}

/* ---- events ---- */

/* Whether what is written through `writer` goes by this place on its way to memory. */
static bool is_passed(const struct coherence_family *family, unsigned writer, unsigned place)
{
    while (writer > place)
        writer = family->places[writer].parent;
    return writer == place;
}

/* Before which time an event finds what was written. */
static uint64_t reach_of_event(struct coherence_actor *actor, const struct coherence_event *event, unsigned timeline)
{
    const struct coherence_actor *owner = coherence_owner(actor);
    if (event->comes_after && timeline - owner->timeline <= owner->set_count)
        return actor->command_time + 1; /* and its own */
    return actor->known[0][timeline].done;
}

static void clean_row(const struct coherence_family *family, struct coherence_row *row, unsigned place, uint64_t until)
{
    const unsigned parent = family->places[place].parent;
    for (unsigned writer = 1; writer < family->place_count; writer++) {
        if (!is_passed(family, writer, place))
            continue;
        uint64_t *seen = &row->seen[writer][parent];
        *seen = MAX2(*seen, writer == place ? until : row->seen[writer][place]);
    }
}

static void invalidate_row(const struct coherence_family *family, struct coherence_row *row, unsigned place,
                           uint64_t until)
{
    const unsigned parent = family->places[place].parent;
    for (unsigned writer = 0; writer < family->place_count; writer++) {
        const bool is_there = writer == parent || family->places[writer].found_by >> parent & 1;
        if (writer == place || !is_passed(family, writer, place))
            row->seen[writer][place] = MAX2(row->seen[writer][place], is_there ? until : row->seen[writer][parent]);
    }
}

/* The effect of an event at level 0 also holds at this one. */
static void take_over(const struct coherence_family *family, struct coherence_row *to, const struct coherence_row *from,
                      const struct coherence_event *event)
{
    for (unsigned place = 1; place < family->place_count; place++) {
        for (unsigned writer = 0; writer < family->place_count; writer++) {
            const unsigned parent = family->places[place].parent;
            if (event->cleans >> place & 1 && writer && is_passed(family, writer, place))
                to->seen[writer][parent] = from->seen[writer][parent];
            if (event->invalidates >> place & 1)
                to->seen[writer][place] = from->seen[writer][place];
        }
    }
}

/* From the places that lie furthest from memory to those in front of it, and back. */
static void carry_out(struct coherence_actor *actor, const struct coherence_event *event, unsigned timeline)
{
    const struct coherence_family *family = actor->c->family;
    struct coherence_row *row = &actor->known[0][timeline];
    const uint64_t until = reach_of_event(actor, event, timeline);
    for (unsigned place = family->place_count; place-- > 1;) {
        if (event->cleans >> place & 1)
            clean_row(family, row, place, until);
    }
    for (unsigned place = 1; place < family->place_count; place++) {
        if (event->invalidates >> place & 1)
            invalidate_row(family, row, place, until);
    }
}

/* Own places that are still empty hold nothing older than the command that comes now. */
static void refresh_empty(struct coherence_actor *actor)
{
    const struct coherence_family *family = actor->c->family;
    const uint32_t empty = atomic_load_explicit(&actor->empty, memory_order_relaxed);
    for (unsigned t = 0; empty && t < coherence_timelines(actor->c); t++) {
        bits_foreach (empty, place)
            invalidate_row(family, &actor->known[0][t], (unsigned)place, actor->known[0][t].done);
    }
}

static void look_for_losses(struct coherence_actor *actor, const struct coherence_event *event)
{
    const struct coherence_family *family = actor->c->family;
    const uint32_t lost = event->invalidates & ~event->cleans;
    for (unsigned place = 1; place < family->place_count; place++) {
        if (!(lost >> place & 1) || !family->places[place].loses_dirty)
            continue;
        const struct coherence_dirty *dirty = find_dirty(coherence_owner(actor), place, family->places[place].parent);
        if (dirty)
            coherence_report_dirty(actor, dirty, place, "it is invalidated");
    }
}

void coherence_event(struct coherence_actor *actor, unsigned number)
{
    const struct coherence_family *family = actor->c->family;
    const struct coherence_event *event = &family->events[number];
    const unsigned count = coherence_timelines(actor->c);
    const uint64_t now = coherence_tick(actor->c);
    if (!actor->parent)
        actor->known[0][actor->timeline].done = now;
    actor->has_events = true;
    look_for_losses(actor, event);
    for (unsigned t = 0; t < count; t++)
        carry_out(actor, event, t);
    bits_foreach (event->invalidates, place) {
        if (family->places[place].is_own)
            atomic_fetch_or_explicit(&coherence_owner(actor)->empty, COHERENCE_BIT(place), memory_order_relaxed);
    }
    for (unsigned level = 1; level < family->level_count; level++) {
        for (unsigned t = 0; t < count && event->is_waited; t++)
            take_over(family, &actor->known[level][t], &actor->known[0][t], event);
        if (event->waits >> level & 1)
            copy_rows(actor->known[level], actor->known[level - 1], count);
    }
}

/* ---- commands beside an actor ---- */

static struct coherence_actor *take_spare(struct coherence_actor *actor)
{
    struct coherence_actor *command = actor->spare;
    if (command) {
        actor->spare = command->spare;
        return command;
    }
    command = calloc(1, sizeof(*command));
    if (command && !(command->known[0] = coherence_rows_create())) {
        free(command);
        return NULL;
    }
    return command;
}

static struct coherence_actor *make_command(struct coherence_actor *actor, unsigned set,
                                            const struct coherence_row *known, uint64_t time)
{
    struct coherence_actor *command = take_spare(actor);
    if (!command)
        return NULL;
    command->c = actor->c;
    command->context = actor->context;
    command->parent = actor;
    command->timeline = actor->timeline + 1 + set;
    command->space = actor->space;
    command->job_time = actor->job_time;
    command->has_events = false;
    command->ignored_count = 0;
    command->command_time = time;
    copy_rows(command->known[0], known, coherence_timelines(actor->c));
    return command;
}

struct coherence_actor *coherence_issue(struct coherence_actor *actor, unsigned set,
                                        const struct coherence_command *words)
{
    const uint64_t time = log_command(actor->c, words);
    actor->known[0][actor->timeline].done = time;
    refresh_empty(actor);
    return make_command(actor, set, actor->known[0], time);
}

struct coherence_actor *coherence_issue_part(struct coherence_actor *command, unsigned set)
{
    return make_command(command->parent, set, command->known[0], command->command_time);
}

static struct coherence_row *results_of(struct coherence_actor *actor, unsigned set)
{
    return actor->results + (size_t)set * COHERENCE_TIMELINES;
}

void coherence_complete(struct coherence_actor *command)
{
    struct coherence_actor *actor = command->parent;
    const unsigned set = command->timeline - actor->timeline - 1;
    if (command->has_events) {
        coherence_rows_merge(results_of(actor, set), command->known[0], coherence_timelines(actor->c));
        actor->has_results[set] = true;
    }
    command->spare = actor->spare;
    actor->spare = command;
}

void coherence_join(struct coherence_actor *actor, uint32_t sets)
{
    struct coherence_actor *owner = coherence_owner(actor);
    const uint64_t until = actor->parent ? actor->command_time : atomic_load(&actor->c->now) + 1;
    bits_foreach (sets, set) {
        struct coherence_row *row = &actor->known[0][owner->timeline + 1 + (unsigned)set];
        if (owner->has_results[set])
            coherence_rows_merge(actor->known[0], results_of(owner, (unsigned)set), coherence_timelines(actor->c));
        row->done = MAX2(row->done, until);
    }
}

void coherence_follow(struct coherence_actor *actor, struct coherence_actor *other, bool has_ended)
{
    coherence_rows_merge(actor->known[0], other->known[0], coherence_timelines(actor->c));
    uint64_t *done = &actor->known[0][other->timeline].done;
    if (has_ended)
        *done = MAX2(*done, other->command_time + 1);
    actor->has_events = true;
}

/* ---- memory that is not what it seems ---- */

void coherence_ignore(struct coherence_actor *command, uint64_t va, uint64_t size_B)
{
    if (command->ignored_count < COHERENCE_IGNORED && size_B) {
        command->ignored[command->ignored_count].va = va;
        command->ignored[command->ignored_count++].size_B = size_B;
    }
}
