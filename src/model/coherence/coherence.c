/* See coherence.h: its life, address spaces, and what an access must find. */
#include "model/coherence/coherence.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "model/coherence/lines.h"
#include "model/coherence/state.h"
#include "util/bits.h"

/* ---- life ---- */

static bool is_good(const struct coherence_family *family)
{
    if (family->place_count == 0 || family->place_count > COHERENCE_PLACES || family->level_count == 0 ||
        family->level_count > COHERENCE_LEVELS || family->host_client >= family->client_count)
        return false;
    for (unsigned i = 0; i < family->place_count; i++) {
        if (family->places[i].parent >= i && i)
            return false;
    }
    for (unsigned i = 0; i < family->client_count; i++) {
        if (family->clients[i].place >= family->place_count || family->clients[i].level >= family->level_count)
            return false;
    }
    for (unsigned i = 0; i < family->event_count; i++) {
        const struct coherence_event *event = &family->events[i];
        if ((event->cleans | event->invalidates) >> family->place_count || event->waits >> family->level_count ||
            event->waits & 1)
            return false;
    }
    return true;
}

struct coherence *coherence_create(const struct coherence_family *family)
{
    static atomic_uint_least32_t ids;
    if (!is_good(family))
        return NULL;
    struct coherence *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->family = family;
    c->id = atomic_fetch_add(&ids, 1) + 1;
    c->timeline_count = COHERENCE_HOST_TIMELINE + 1;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void coherence_destroy(struct coherence *c)
{
    if (!c)
        return;
    while (c->spaces)
        coherence_forget_space(c, c->spaces->key);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct coherence_space *coherence_space(struct coherence *c, const void *key)
{
    pthread_mutex_lock(&c->lock);
    struct coherence_space *space = c->spaces;
    while (space && space->key != key)
        space = space->next;
    if (!space && (space = calloc(1, sizeof(*space)))) {
        *space = (struct coherence_space){.key = key, .lines = lines_create(), .next = c->spaces};
        if (space->lines) {
            c->spaces = space;
        } else {
            free(space);
            space = NULL;
        }
    }
    pthread_mutex_unlock(&c->lock);
    return space;
}

void coherence_forget_space(struct coherence *c, const void *key)
{
    pthread_mutex_lock(&c->lock);
    for (struct coherence_space **at = &c->spaces; *at; at = &(*at)->next) {
        struct coherence_space *space = *at;
        if (space->key != key)
            continue;
        *at = space->next;
        coherence_forget_signals(space);
        lines_destroy(space->lines);
        free(space);
        break;
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- accesses ---- */

/* Where what a client writes stays until it is cleaned. */
static unsigned place_of_write(const struct coherence_family *family, unsigned client)
{
    unsigned place = family->clients[client].place;
    while (place && !family->places[place].clean)
        place = family->places[place].parent;
    return place;
}

unsigned coherence_common(const struct coherence_family *family, unsigned a, unsigned b)
{
    while (a != b) {
        if (a > b)
            a = family->places[a].parent;
        else
            b = family->places[b].parent;
    }
    return a;
}

/* Whether a reader of the one place finds what is in the other without any event. */
static bool is_at_once(const struct coherence_family *family, const struct coherence_access *access, unsigned from,
                       unsigned view)
{
    const struct coherence_place *place = &family->places[from];
    if (from == access->place)
        return !(place->has_views && view != access->view);
    return place->found_by >> access->place & 1;
}

/* Whether the access finds what the write left, or comes after it has left its cache. */
static bool is_seen(const struct coherence_actor *actor, const struct coherence_access *access,
                    const struct line_write *write)
{
    const struct coherence_family *family = actor->c->family;
    const struct coherence_client *writer = &family->clients[write->client];
    const unsigned from = place_of_write(family, write->client), level = coherence_level(actor, access->client);
    const struct coherence_row *row = &actor->known[level][write->timeline];
    if (write->time == actor->command_time)
        return true; /* within a command the program or the block keeps its own order */
    if (writer->is_signal || (writer->keeps_order && write->client == access->client))
        return true;
    if (is_at_once(family, access, from, write->view))
        return family->places[from].is_ordered || (access->is_write && !family->places[from].orders_writes) ||
               write->time < row->done;
    const unsigned to = access->needs_contents ? access->place : coherence_common(family, from, access->place);
    if (from == to && from == COHERENCE_MEMORY)
        return true;
    if (from == to && !access->needs_contents)
        return true; /* a cache in front of this one is written: lines here are replaced when it is cleaned */
    return write->time < row->seen[from][to];
}

static void check_line(struct coherence_actor *actor, const struct coherence_access *access, const struct line *line,
                       uint64_t va, uint64_t bytes)
{
    uint64_t left = line ? bytes & ~line->forgotten : bytes;
    for (unsigned i = 0; line && i < LINES_WRITES; i++) {
        const struct line_write *write = &line->writes[i];
        const uint64_t same = write->bytes & bytes;
        left &= ~same;
        if (same && !is_seen(actor, access, write)) {
            coherence_report_access(actor, access, write, va + (unsigned)__builtin_ctzll(same));
            return;
        }
    }
    const struct line_write host = {.bytes = left,
                                    .time = actor->job_time,
                                    .timeline = COHERENCE_HOST_TIMELINE,
                                    .client = actor->c->family->host_client};
    if (left && !is_seen(actor, access, &host))
        coherence_report_access(actor, access, &host, va + (unsigned)__builtin_ctzll(left));
}

static void mark_dirty(struct coherence_actor *actor, unsigned client, uint64_t va)
{
    struct coherence *c = actor->c;
    if (c->family->clients[client].is_signal)
        return;
    struct coherence_dirty *dirty = &c->dirty[actor->timeline][place_of_write(c->family, client)];
    if (__atomic_load_n(&dirty->time, __ATOMIC_RELAXED) == actor->command_time)
        return;
    pthread_mutex_lock(&c->lock);
    dirty->va = va;
    dirty->client = (uint8_t)client;
    __atomic_store_n(&dirty->time, actor->command_time, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&c->lock);
}

/* A place that was empty no longer is. */
static void mark_used(struct coherence_actor *actor, unsigned place)
{
    _Atomic uint32_t *empty = &coherence_owner(actor)->empty;
    if (atomic_load_explicit(empty, memory_order_relaxed) >> place & 1)
        atomic_fetch_and_explicit(empty, ~COHERENCE_BIT(place), memory_order_relaxed);
}

/* Accesses to one line by one thread follow each other closely: those that were looked at are kept. */
struct memo {
    uint64_t command_time, line, bytes;
    uint32_t id;
    uint16_t view;
    uint8_t client;
    bool is_write;
};
static _Thread_local struct memo memos[64];

static struct memo *find_memo(const struct coherence_actor *actor, const struct coherence_access *access, uint64_t line)
{
    struct memo *memo = &memos[(line ^ line >> 6 ^ access->client ^ (unsigned)access->is_write << 5) % 64];
    const struct memo wanted = {.command_time = actor->command_time,
                                .line = line,
                                .id = actor->c->id,
                                .view = access->view,
                                .client = access->client,
                                .is_write = access->is_write};
    if (memo->command_time != wanted.command_time || memo->line != line || memo->id != wanted.id ||
        memo->view != wanted.view || memo->client != wanted.client || memo->is_write != wanted.is_write)
        *memo = wanted;
    return memo;
}

static void access_line(struct coherence_actor *actor, const struct coherence_access *access, uint64_t va,
                        uint64_t bytes)
{
    const struct coherence_family *family = actor->c->family;
    struct lines *lines = actor->space->lines;
    struct memo *memo = find_memo(actor, access, va / COHERENCE_LINE_B);
    if (!(bytes & ~memo->bytes))
        return;
    if (family->trace)
        family->trace(actor->context, &(const struct coherence_touch){.client = access->client,
                                                                      .view = access->view,
                                                                      .set = actor->c->set_of[actor->timeline],
                                                                      .line_va = va,
                                                                      .bytes = bytes,
                                                                      .is_write = access->is_write});
    struct line_page *page = access->is_write ? lines_open(lines, va) : lines_find(lines, va);
    struct line *line = page ? &page->lines[va / COHERENCE_LINE_B % LINES_PER_PAGE] : NULL;
    if (page)
        pthread_mutex_lock(&page->lock);
    check_line(actor, access, line, va, bytes);
    if (line && access->is_write) {
        const struct line_write write = {.bytes = bytes,
                                         .time = actor->command_time,
                                         .timeline = (uint16_t)actor->timeline,
                                         .client = access->client,
                                         .view = access->view};
        line_put(line, &write);
    }
    if (page)
        pthread_mutex_unlock(&page->lock);
    memo->bytes |= bytes;
}

/* The bytes of a line that lie from `va` to `end`, one bit each. */
static uint64_t bytes_of_line(uint64_t va, uint64_t end)
{
    const uint64_t line = va & ~(uint64_t)(COHERENCE_LINE_B - 1), count = MIN2(end, line + COHERENCE_LINE_B) - va;
    return (count == COHERENCE_LINE_B ? UINT64_MAX : (1ull << count) - 1) << (va - line);
}

static bool is_ignored(const struct coherence_actor *actor, uint64_t va)
{
    for (unsigned i = 0; i < actor->ignored_count; i++) {
        if (va - actor->ignored[i].va < actor->ignored[i].size_B)
            return true;
    }
    return false;
}

static void access_bytes(struct coherence_actor *actor, const struct coherence_access *access, uint64_t va,
                         uint64_t size_B)
{
    if (!actor->space || !size_B || is_ignored(actor, va) ||
        atomic_load_explicit(&coherence_owner(actor)->is_over, memory_order_relaxed))
        return;
    if (access->is_write)
        mark_dirty(actor, access->client, va);
    mark_used(actor, access->place);
    for (uint64_t end = va + size_B; va < end;) {
        const uint64_t line = va & ~(uint64_t)(COHERENCE_LINE_B - 1);
        access_line(actor, access, line, bytes_of_line(va, end));
        va = line + COHERENCE_LINE_B;
    }
}

void coherence_read(struct coherence_actor *actor, unsigned client, unsigned view, uint64_t va, uint64_t size_B)
{
    const struct coherence_access access = {.client = (uint8_t)client,
                                            .place = actor->c->family->clients[client].place,
                                            .view = (uint16_t)view,
                                            .needs_contents = true};
    access_bytes(actor, &access, va, size_B);
}

void coherence_write(struct coherence_actor *actor, unsigned client, unsigned view, uint64_t va, uint64_t size_B)
{
    const struct coherence_family *family = actor->c->family;
    const uint8_t place = family->clients[client].place;
    const struct coherence_access access = {.client = (uint8_t)client,
                                            .place = place,
                                            .view = (uint16_t)view,
                                            .is_write = true,
                                            .needs_contents =
                                                family->places[place].fills && !family->clients[client].overwrites};
    access_bytes(actor, &access, va, size_B);
}

void coherence_discard(struct coherence_actor *actor, uint64_t va, uint64_t size_B)
{
    for (uint64_t end = va + size_B; actor->space && va < end;) {
        const uint64_t line_va = va & ~(uint64_t)(COHERENCE_LINE_B - 1), bytes = bytes_of_line(va, end);
        struct line_page *page = lines_find(actor->space->lines, va);
        if (page) {
            pthread_mutex_lock(&page->lock);
            struct line *line = &page->lines[va / COHERENCE_LINE_B % LINES_PER_PAGE];
            for (unsigned i = 0; i < LINES_WRITES; i++)
                line->writes[i].bytes &= ~bytes;
            pthread_mutex_unlock(&page->lock);
        }
        va = line_va + COHERENCE_LINE_B;
    }
}
