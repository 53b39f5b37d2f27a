/* The report of an access that comes too early: both commands, and the steps that are missing between them. */
#include <inttypes.h>
#include <string.h>

#include "model/coherence/state.h"
#include "util/bits.h"
#include "util/strbuf.h"

static const struct coherence_command *find_command(const struct coherence *c, uint64_t time)
{
    uint64_t first = c->logged > COHERENCE_LOG ? c->logged - COHERENCE_LOG : 0, end = c->logged;
    while (first < end) {
        const uint64_t middle = first + (end - first) / 2;
        const struct coherence_entry *entry = &c->log[middle % COHERENCE_LOG];
        if (entry->time == time)
            return &entry->command;
        if (entry->time < time)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

static void describe_event(const struct coherence_actor *actor, struct strbuf *text, const char *what, uint64_t time)
{
    struct coherence_command command;
    pthread_mutex_lock(&actor->c->lock);
    const struct coherence_command *found = find_command(actor->c, time);
    if (found)
        command = *found;
    pthread_mutex_unlock(&actor->c->lock);
    if (!found) {
        strbuf_printf(text, "  %s: a command too long ago, or none\n", what);
        return;
    }
    strbuf_printf(text, "  %s: job %u, 0x%" PRIx64 "\n", what, command.job, command.va);
    struct strbuf lines = {0};
    actor->c->family->describe(actor->context, &lines, &command);
    for (const char *line = lines.text; line && *line;) {
        const size_t length = strcspn(line, "\n");
        strbuf_printf(text, "    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    strbuf_finish(&lines);
}

static void add_name(struct strbuf *text, unsigned *count, const char *name)
{
    strbuf_printf(text, "%s%s", (*count)++ ? ", then " : "  missing: ", name ? name : "an event");
}

static void finish_report(struct coherence_actor *actor, struct strbuf *text)
{
    struct coherence_actor *owner = coherence_owner(actor);
    const char *whole = text->text && !text->failed ? text->text : "no memory for a report";
    if (!atomic_load(&owner->is_over) && !actor->c->family->report(actor->context, whole))
        atomic_store(&owner->is_over, true);
    strbuf_finish(text);
}

/* The steps that a write still needs to get from its place to another one, in order. */
static void list_missing(const struct coherence_actor *actor, struct strbuf *text,
                         const struct coherence_access *access, const struct line_write *write, unsigned from)
{
    const struct coherence_family *family = actor->c->family;
    const struct coherence_place *places = family->places;
    const unsigned level = coherence_level(actor, access->client);
    const struct coherence_row *row = &actor->known[0][write->timeline];
    const bool is_same = from == access->place, is_ordered = is_same && !places[from].has_views;
    const bool is_found = places[from].found_by >> access->place & 1;
    unsigned common = coherence_common(family, from, access->place), count = 0, way[COHERENCE_PLACES], steps = 0;
    if (is_same && places[from].has_views)
        common = places[from].parent;
    const unsigned set = actor->c->set_of[write->timeline];
    const char *wait = set && family->set_waits ? family->set_waits[set - 1] : family->waits[0];
    if (write->time >= row->done && write->timeline != COHERENCE_HOST_TIMELINE && wait)
        add_name(text, &count, wait);
    for (unsigned place = from; place != common && !is_found; place = places[place].parent) {
        const bool is_there = places[from].found_by >> places[place].parent & 1;
        if (write->time >= row->seen[from][places[place].parent] && !is_there)
            add_name(text, &count, places[place].clean);
    }
    if (access->needs_contents && !is_found) {
        for (unsigned place = access->place; place != common; place = places[place].parent)
            way[steps++] = place;
        while (steps--) {
            if (count || write->time >= row->seen[from][way[steps]])
                add_name(text, &count, places[way[steps]].invalidate);
        }
    }
    const unsigned to = access->needs_contents ? access->place : common;
    for (unsigned i = 1; i <= level && !count; i++) {
        const struct coherence_row *waited = &actor->known[i][write->timeline];
        if (write->time >= (is_ordered ? waited->done : waited->seen[from][to]))
            add_name(text, &count, family->waits[i]);
    }
    strbuf_append(text, "\n");
}

void coherence_report_access(struct coherence_actor *actor, const struct coherence_access *access,
                             const struct line_write *write, uint64_t va)
{
    const struct coherence_family *family = actor->c->family;
    const struct coherence_client *client = &family->clients[access->client], *writer = &family->clients[write->client];
    struct strbuf text = {0};
    unsigned from = writer->place;
    while (from && !family->places[from].clean)
        from = family->places[from].parent;
    strbuf_printf(&text, "%s (%s) %s 0x%" PRIx64 ", which %s (%s) wrote before\n", client->name,
                  family->places[access->place].name, access->is_write ? "writes" : "reads", va, writer->name,
                  family->places[from].name);
    list_missing(actor, &text, access, write, from);
    if (write->timeline == COHERENCE_HOST_TIMELINE)
        strbuf_append(&text, "  written by: the host, before the job\n");
    else
        describe_event(actor, &text, "written by", write->time);
    describe_event(actor, &text, access->is_write ? "written again by" : "read by", actor->command_time);
    finish_report(actor, &text);
}

void coherence_report_dirty(struct coherence_actor *actor, const struct coherence_dirty *dirty, unsigned place,
                            const char *what)
{
    const struct coherence_family *family = actor->c->family;
    struct strbuf text = {0};
    strbuf_printf(&text, "%s: %s and holds what %s wrote to 0x%" PRIx64 "\n  missing: %s\n", family->places[place].name,
                  what, family->clients[dirty->client].name, dirty->va, family->places[place].clean);
    describe_event(actor, &text, "written by", dirty->time);
    describe_event(actor, &text, "lost by", actor->command_time);
    finish_report(actor, &text);
}
