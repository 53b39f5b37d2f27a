/* See coherence.h: time, events, and what an access must find. */
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

struct coherence *coherence_create(const struct coherence_family *family, void *context)
{
    static atomic_uint_least32_t ids;
    if (!is_good(family))
        return NULL;
    struct coherence *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->family = family;
    c->context = context;
    c->id = atomic_fetch_add(&ids, 1) + 1;
    pthread_mutex_init(&c->lock, NULL);
    coherence_reset(c);
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
        lines_destroy(space->lines);
        free(space);
        break;
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- time ---- */

/* The GPU is idle: what was issued has been carried out. */
static void settle(struct coherence *c)
{
    for (unsigned level = 1; level < c->family->level_count; level++)
        memcpy(c->seen[level], c->seen[0], sizeof(c->seen[0]));
    for (unsigned level = 0; level < c->family->level_count; level++)
        c->ordered[level] = c->now + 1;
}

void coherence_reset(struct coherence *c)
{
    c->now++;
    atomic_store(&c->is_over, false);
    for (unsigned writer = 0; writer < COHERENCE_PLACES; writer++) {
        for (unsigned reader = 0; reader < COHERENCE_PLACES; reader++)
            c->seen[0][writer][reader] = c->now;
    }
    memset(c->dirty, 0, sizeof(c->dirty));
    settle(c);
}

void coherence_job_begin(struct coherence *c, struct coherence_space *space)
{
    c->space = space;
    atomic_store(&c->is_over, false);
    c->job_time = ++c->now;
    c->command_time = ++c->now;
    settle(c);
}

void coherence_job_end(struct coherence *c)
{
    for (unsigned place = 1; place < c->family->place_count; place++) {
        if (c->family->places[place].ends_cleaned && coherence_is_dirty(c, place))
            coherence_report_dirty(c, place, "the job ends");
    }
    settle(c);
    c->space = NULL;
}

void coherence_command(struct coherence *c, const struct coherence_command *command)
{
    c->command_time = ++c->now;
    struct coherence_entry *entry = &c->log[c->logged++ % COHERENCE_LOG];
    entry->time = c->command_time;
    entry->command = *command;
}

/* ---- events ---- */

/* Whether what is written through `writer` goes by this place on its way to memory. */
static bool is_passed(const struct coherence_family *family, unsigned writer, unsigned place)
{
    while (writer > place)
        writer = family->places[writer].parent;
    return writer == place;
}

static void clean(struct coherence *c, unsigned place)
{
    const unsigned parent = c->family->places[place].parent;
    for (unsigned writer = 1; writer < c->family->place_count; writer++) {
        if (!is_passed(c->family, writer, place))
            continue;
        uint64_t *seen = &c->seen[0][writer][parent];
        *seen = MAX2(*seen, writer == place ? c->now : c->seen[0][writer][place]);
    }
}

static void invalidate(struct coherence *c, unsigned place)
{
    const unsigned parent = c->family->places[place].parent;
    if (c->family->places[place].loses_dirty && coherence_is_dirty(c, place))
        coherence_report_dirty(c, place, "it is invalidated");
    for (unsigned writer = 0; writer < c->family->place_count; writer++) {
        if (writer == place || !is_passed(c->family, writer, place))
            c->seen[0][writer][place] = writer == parent ? c->now : c->seen[0][writer][parent];
    }
}

/* What an event did at level 0 also holds at this one. */
static void take_over(struct coherence *c, unsigned level, uint32_t cleans, uint32_t invalidates)
{
    for (unsigned place = 1; place < c->family->place_count; place++) {
        for (unsigned writer = 0; writer < c->family->place_count; writer++) {
            const unsigned parent = c->family->places[place].parent;
            if (cleans >> place & 1 && writer && is_passed(c->family, writer, place))
                c->seen[level][writer][parent] = c->seen[0][writer][parent];
            if (invalidates >> place & 1)
                c->seen[level][writer][place] = c->seen[0][writer][place];
        }
    }
}

void coherence_event(struct coherence *c, unsigned number)
{
    const struct coherence_event *event = &c->family->events[number];
    c->now++;
    /* From the places that lie furthest from memory to those in front of it, and back. */
    for (unsigned place = c->family->place_count; place-- > 1;) {
        if (event->cleans >> place & 1)
            clean(c, place);
    }
    for (unsigned place = 1; place < c->family->place_count; place++) {
        if (event->invalidates >> place & 1)
            invalidate(c, place);
    }
    for (unsigned level = 1; level < c->family->level_count; level++) {
        if (event->is_waited)
            take_over(c, level, event->cleans, event->invalidates);
        if (!(event->waits >> level & 1))
            continue;
        memcpy(c->seen[level], c->seen[level - 1], sizeof(c->seen[level]));
        c->ordered[level] = level == 1 ? c->now : c->ordered[level - 1];
    }
}

bool coherence_is_dirty(const struct coherence *c, unsigned place)
{
    return c->dirty[place].time >= c->seen[0][place][c->family->places[place].parent];
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

/* Whether the access finds what the write left, or comes after it has left its cache. */
static bool is_seen(const struct coherence *c, const struct coherence_access *access, const struct line_write *write)
{
    const struct coherence_family *family = c->family;
    const unsigned from = place_of_write(family, write->client), level = family->clients[access->client].level;
    if (write->time == c->command_time)
        return true; /* within a command the program or the block keeps its own order */
    if (from == access->place && !(family->places[from].has_views && write->view != access->view))
        return access->is_write || family->places[from].is_ordered || level == 0 || write->time < c->ordered[level];
    if (family->places[from].found_by >> access->place & 1)
        return true;
    const unsigned to = access->needs_contents ? access->place : coherence_common(family, from, access->place);
    if (from == to && from == COHERENCE_MEMORY)
        return true;
    if (from == to && !access->needs_contents)
        return true; /* a cache in front of this one is written: lines here are replaced when it is cleaned */
    return write->time < c->seen[level][from][to];
}

static void check_line(struct coherence *c, const struct coherence_access *access, const struct line *line, uint64_t va,
                       uint64_t bytes)
{
    uint64_t left = line ? bytes & ~line->forgotten : bytes;
    for (unsigned i = 0; line && i < LINES_WRITES; i++) {
        const struct line_write *write = &line->writes[i];
        const uint64_t same = write->bytes & bytes;
        left &= ~same;
        if (same && !is_seen(c, access, write)) {
            coherence_report_access(c, access, write, va + (unsigned)__builtin_ctzll(same));
            return;
        }
    }
    const struct line_write host = {.bytes = left, .time = c->job_time, .client = c->family->host_client};
    if (left && !is_seen(c, access, &host))
        coherence_report_access(c, access, &host, va + (unsigned)__builtin_ctzll(left));
}

static void mark_dirty(struct coherence *c, unsigned client, uint64_t va)
{
    struct coherence_dirty *dirty = &c->dirty[place_of_write(c->family, client)];
    if (__atomic_load_n(&dirty->time, __ATOMIC_RELAXED) == c->command_time)
        return;
    pthread_mutex_lock(&c->lock);
    dirty->va = va;
    dirty->client = (uint8_t)client;
    __atomic_store_n(&dirty->time, c->command_time, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&c->lock);
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

static struct memo *find_memo(const struct coherence *c, const struct coherence_access *access, uint64_t line)
{
    struct memo *memo = &memos[(line ^ line >> 6 ^ access->client ^ (unsigned)access->is_write << 5) % 64];
    const struct memo wanted = {.command_time = c->command_time,
                                .line = line,
                                .id = c->id,
                                .view = access->view,
                                .client = access->client,
                                .is_write = access->is_write};
    if (memo->command_time != wanted.command_time || memo->line != line || memo->id != wanted.id ||
        memo->view != wanted.view || memo->client != wanted.client || memo->is_write != wanted.is_write)
        *memo = wanted;
    return memo;
}

static void access_line(struct coherence *c, const struct coherence_access *access, uint64_t va, uint64_t bytes)
{
    struct memo *memo = find_memo(c, access, va / COHERENCE_LINE_B);
    if (!(bytes & ~memo->bytes))
        return;
    if (c->family->trace)
        c->family->trace(c->context, access->client, access->view, va, bytes, access->is_write);
    struct line_page *page = access->is_write ? lines_open(c->space->lines, va) : lines_find(c->space->lines, va);
    struct line *line = page ? &page->lines[va / COHERENCE_LINE_B % LINES_PER_PAGE] : NULL;
    if (page)
        pthread_mutex_lock(&page->lock);
    check_line(c, access, line, va, bytes);
    if (line && access->is_write) {
        const struct line_write write = {
            .bytes = bytes, .time = c->command_time, .client = access->client, .view = access->view};
        line_put(line, &write);
    }
    if (page)
        pthread_mutex_unlock(&page->lock);
    memo->bytes |= bytes;
}

static void access_bytes(struct coherence *c, const struct coherence_access *access, uint64_t va, uint64_t size_B)
{
    if (!c->space || !size_B || atomic_load_explicit(&c->is_over, memory_order_relaxed))
        return;
    if (access->is_write)
        mark_dirty(c, access->client, va);
    for (uint64_t end = va + size_B; va < end;) {
        const uint64_t line = va & ~(uint64_t)(COHERENCE_LINE_B - 1), count = MIN2(end, line + COHERENCE_LINE_B) - va;
        const uint64_t bytes = (count == COHERENCE_LINE_B ? UINT64_MAX : (1ull << count) - 1) << (va - line);
        access_line(c, access, line, bytes);
        va += count;
    }
}

void coherence_read(struct coherence *c, unsigned client, unsigned view, uint64_t va, uint64_t size_B)
{
    const struct coherence_access access = {.client = (uint8_t)client,
                                            .place = c->family->clients[client].place,
                                            .view = (uint16_t)view,
                                            .needs_contents = true};
    access_bytes(c, &access, va, size_B);
}

void coherence_write(struct coherence *c, unsigned client, unsigned view, uint64_t va, uint64_t size_B)
{
    const uint8_t place = c->family->clients[client].place;
    const struct coherence_access access = {.client = (uint8_t)client,
                                            .place = place,
                                            .view = (uint16_t)view,
                                            .is_write = true,
                                            .needs_contents = c->family->places[place].fills &&
                                                              !c->family->clients[client].overwrites};
    access_bytes(c, &access, va, size_B);
}
