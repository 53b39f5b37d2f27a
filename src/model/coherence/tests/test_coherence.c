/* A GPU that does not exist, with every kind of place: a shader cache in front of a second level, a texture cache
 * beside it, a colour cache with views, a queue of writes. Each test is a stream of commands and what must be
 * reported. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/coherence/coherence.h"
#include "model/coherence/lines.h"
#include "util/bits.h"
#include "util/strbuf.h"

enum {
    MEMORY,
    L2,
    SHADER,
    TEXTURE,
    COLOUR,
    QUEUE,
    RESOLVE,
    PLACES
};
enum {
    HOST,
    LOAD_STORE,
    SAMPLE,
    DRAW,
    STORE_WORD,
    FETCH,
    STORE,
    FILL,
    CLIENTS
};
enum {
    CLEAN_L2,
    CLEAN_SHADER,
    INVALIDATE_SHADER,
    INVALIDATE_TEXTURE,
    INVALIDATE_L2,
    CLEAN_COLOUR,
    INVALIDATE_COLOUR,
    DRAIN,
    WAIT_GPU,
    WAIT_FETCH,
    BARRIER,
    EVENTS
};

static const struct coherence_place places[PLACES] = {
    [MEMORY] = {.name = "memory"},
    [L2] = {.name = "L2", .clean = "clean L2", .invalidate = "invalidate L2"},
    [SHADER] = {.name = "shader cache", .parent = L2, .clean = "clean shader", .invalidate = "invalidate shader"},
    [TEXTURE] = {.name = "texture cache", .parent = L2, .invalidate = "invalidate texture"},
    [COLOUR] = {.name = "colour cache",
                .clean = "clean colour",
                .invalidate = "invalidate colour",
                .has_views = true,
                .fills = true,
                .is_ordered = true,
                .loses_dirty = true,
                .ends_cleaned = true},
    [RESOLVE] = {.name = "resolves", .clean = "drain", .found_by = COHERENCE_BIT(COLOUR)},
    [QUEUE] = {.name = "queue", .clean = "drain", .is_ordered = true},
};

static const struct coherence_client clients[CLIENTS] = {
    [HOST] = {"the host", MEMORY, 0},           [LOAD_STORE] = {"load and store", SHADER, 1},
    [SAMPLE] = {"sampling", TEXTURE, 1},        [DRAW] = {"a draw", COLOUR, 1},
    [STORE_WORD] = {"a stored word", QUEUE, 0}, [FETCH] = {"the front end", MEMORY, 2},
    [STORE] = {"a store", RESOLVE, 1},          [FILL] = {"a fill", COLOUR, 1, .overwrites = true},
};

#define BIT COHERENCE_BIT
static const struct coherence_event events[EVENTS] = {
    [CLEAN_L2] = {"clean L2", .cleans = BIT(L2)},
    [CLEAN_SHADER] = {"clean shader", .cleans = BIT(SHADER)},
    [INVALIDATE_SHADER] = {"invalidate shader", .invalidates = BIT(SHADER)},
    [INVALIDATE_TEXTURE] = {"invalidate texture", .invalidates = BIT(TEXTURE)},
    [INVALIDATE_L2] = {"invalidate L2", .invalidates = BIT(L2)},
    [CLEAN_COLOUR] = {"clean colour", .cleans = BIT(COLOUR)},
    [INVALIDATE_COLOUR] = {"invalidate colour", .invalidates = BIT(COLOUR)},
    [DRAIN] = {"drain", .cleans = BIT(QUEUE), .is_waited = true},
    [WAIT_GPU] = {"wait", .waits = BIT(1)},
    [WAIT_FETCH] = {"wait for the front end", .waits = BIT(2)},
    [BARRIER] = {"everything", .cleans = BIT(L2) | BIT(SHADER) | BIT(COLOUR) | BIT(QUEUE),
                 .invalidates = BIT(L2) | BIT(SHADER) | BIT(TEXTURE) | BIT(COLOUR), .waits = BIT(1) | BIT(2)},
};

static const char *const waits[] = {NULL, "wait", "wait for the front end"};

struct rig {
    struct coherence_actor *c;
    struct coherence_space *space;
    unsigned reports;
    struct strbuf text;
    unsigned traced; /* accesses */
    uint64_t traced_va, traced_bytes;
    bool stops;      /* after a report */
    uint32_t number; /* of the last command */
};

static void describe_command(void *context, struct strbuf *text, const struct coherence_command *command)
{
    strbuf_printf(text, "command %u\n", command->dw[0]);
}

static bool report_error(void *context, const char *text)
{
    struct rig *rig = context;
    rig->reports++;
    strbuf_clear(&rig->text);
    strbuf_append(&rig->text, text);
    return !rig->stops;
}

static void trace(void *context, const struct coherence_touch *touch)
{
    struct rig *rig = context;
    if (touch->client != DRAW) /* whose accesses come from one thread */
        return;
    rig->traced += touch->is_write;
    rig->traced_va = touch->line_va;
    rig->traced_bytes = touch->bytes;
}

static const struct coherence_family family = {
    .places = places,
    .clients = clients,
    .events = events,
    .waits = waits,
    .place_count = PLACES,
    .client_count = CLIENTS,
    .event_count = EVENTS,
    .level_count = 3,
    .host_client = HOST,
    .describe = describe_command,
    .report = report_error,
    .trace = trace,
};

static int begin_test(void **state)
{
    static struct rig rig;
    rig = (struct rig){0};
    struct coherence *c = coherence_create(&family);
    rig.c = c ? coherence_actor_create(c, &rig, 0) : NULL;
    rig.space = rig.c ? coherence_space(c, &rig) : NULL;
    if (!rig.space)
        return 1;
    coherence_job_begin(rig.c, rig.space);
    coherence_event(rig.c, BARRIER);
    *state = &rig;
    return 0;
}

static int end_test(void **state)
{
    struct rig *rig = *state;
    struct coherence *c = coherence_of(rig->c);
    coherence_actor_destroy(rig->c);
    coherence_destroy(c);
    strbuf_finish(&rig->text);
    return 0;
}

static void command(struct rig *rig)
{
    const struct coherence_command command = {.va = 0x1000, .job = 1, .length_dw = 1, .dw = {++rig->number}};
    coherence_command(rig->c, &command);
}

static void write_by(struct rig *rig, unsigned client, uint64_t va, uint64_t size_B)
{
    command(rig);
    coherence_write(rig->c, client, 0, va, size_B);
}

static void read_by(struct rig *rig, unsigned client, uint64_t va, uint64_t size_B)
{
    command(rig);
    coherence_read(rig->c, client, 0, va, size_B);
}

static void run_event(struct rig *rig, unsigned event)
{
    coherence_event(rig->c, event);
}

/* The one report since the last call says this. */
static void expect_report(struct rig *rig, const char *text)
{
    if (rig->reports != 1 || !strstr(rig->text.text, text)) {
        print_message("%u reports, the last one:\n%s\nwanted: %s\n", rig->reports, rig->text.text ? rig->text.text : "",
                      text);
        fail();
    }
    rig->reports = 0;
}

static void expect_none(struct rig *rig)
{
    if (rig->reports)
        print_message("reported:\n%s", rig->text.text);
    assert_int_equal(rig->reports, 0);
}

#define VA 0x123456789000ull

/* ---- one cache ---- */

static void a_read_needs_the_clean(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    run_event(rig, INVALIDATE_TEXTURE);
    run_event(rig, WAIT_GPU);
    read_by(rig, SAMPLE, VA + 60, 4);
    expect_report(rig, "missing: clean colour, then invalidate L2, then invalidate texture\n");
}

static void a_report_names_both_commands(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    read_by(rig, FETCH, VA, 4);
    expect_report(rig, "the front end (memory) reads 0x123456789000, which a draw (colour cache) wrote before\n"
                       "  missing: clean colour\n"
                       "  written by: job 1, 0x1000\n    command 1\n"
                       "  read by: job 1, 0x1000\n    command 2\n");
}

static void a_read_needs_the_invalidate_after_the_clean(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    run_event(rig, INVALIDATE_L2);
    run_event(rig, CLEAN_COLOUR);
    run_event(rig, INVALIDATE_TEXTURE);
    run_event(rig, WAIT_GPU);
    read_by(rig, SAMPLE, VA, 4);
    expect_report(rig, "missing: invalidate L2, then invalidate texture\n");
    run_event(rig, INVALIDATE_L2);
    run_event(rig, INVALIDATE_TEXTURE);
    run_event(rig, WAIT_GPU);
    read_by(rig, SAMPLE, VA, 4);
    expect_none(rig);
}

static void events_hold_after_the_wait(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    run_event(rig, CLEAN_COLOUR);
    read_by(rig, FETCH, VA, 4);
    expect_report(rig, "missing: wait\n");
    run_event(rig, WAIT_GPU);
    read_by(rig, FETCH, VA, 4);
    expect_report(rig, "missing: wait for the front end\n");
    run_event(rig, WAIT_FETCH);
    read_by(rig, FETCH, VA, 4);
    expect_none(rig);
}

/* A packet that waits for itself needs no other wait. */
static void a_waited_event_holds_at_once(void **state)
{
    struct rig *rig = *state;
    write_by(rig, STORE_WORD, VA, 4);
    write_by(rig, DRAW, VA + 64, 4);
    run_event(rig, CLEAN_COLOUR);
    run_event(rig, DRAIN);
    read_by(rig, FETCH, VA, 4);
    expect_none(rig);
    read_by(rig, FETCH, VA + 64, 4);
    expect_report(rig, "missing: wait\n");
}

static void a_stopped_job_reports_no_more(void **state)
{
    struct rig *rig = *state;
    rig->stops = true;
    write_by(rig, DRAW, VA, 64);
    read_by(rig, FETCH, VA, 4);
    read_by(rig, FETCH, VA, 4);
    expect_report(rig, "clean colour");
    coherence_reset(rig->c);
    coherence_job_begin(rig->c, rig->space);
    write_by(rig, STORE_WORD, VA, 4);
    read_by(rig, FETCH, VA, 4);
    expect_report(rig, "drain");
}

/* Bytes that were made visible stay so, whatever is written and cleaned later. */
static void later_events_take_nothing_back(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    run_event(rig, BARRIER);
    write_by(rig, DRAW, VA + 64, 64);
    run_event(rig, CLEAN_COLOUR);
    read_by(rig, SAMPLE, VA, 64);
    expect_none(rig);
    read_by(rig, SAMPLE, VA + 64, 64);
    expect_report(rig, "missing: invalidate L2, then invalidate texture\n");
}

static void a_place_finds_its_own(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    read_by(rig, DRAW, VA, 64);
    write_by(rig, STORE_WORD, VA + 64, 4);
    write_by(rig, STORE_WORD, VA + 64, 4);
    expect_none(rig);
}

/* Commands of shaders overlap: the reader waits, and the writer of the same bytes need not. */
static void a_place_without_order_needs_the_wait(void **state)
{
    struct rig *rig = *state;
    write_by(rig, LOAD_STORE, VA, 4);
    write_by(rig, LOAD_STORE, VA, 4);
    expect_none(rig);
    read_by(rig, LOAD_STORE, VA, 4);
    expect_report(rig, "missing: wait\n");
    run_event(rig, WAIT_GPU);
    read_by(rig, LOAD_STORE, VA, 4);
    expect_none(rig);
}

static void a_command_keeps_its_own_order(void **state)
{
    struct rig *rig = *state;
    command(rig);
    coherence_write(rig->c, DRAW, 0, VA, 64);
    coherence_read(rig->c, SAMPLE, 0, VA, 64);
    expect_none(rig);
}

/* ---- bytes ---- */

static void neighbours_in_a_line_do_not_matter(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 16);
    write_by(rig, STORE_WORD, VA + 16, 4);
    read_by(rig, SAMPLE, VA + 20, 44);
    expect_none(rig);
    read_by(rig, SAMPLE, VA + 19, 1);
    expect_report(rig, "a stored word");
    read_by(rig, SAMPLE, VA + 15, 1);
    expect_report(rig, "a draw");
}

static void accesses_cross_lines_and_pages(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA + 4096 + 64, 1);
    read_by(rig, SAMPLE, VA + 1, 4096 + 63);
    expect_none(rig);
    read_by(rig, SAMPLE, VA + 1, 4096 + 64);
    expect_report(rig, "reads 0x12345678a040");
}

/* A line with more writers than it has room for: some are forgotten, none is taken for another. */
static void forgotten_writes_are_not_reported(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 16; i++)
        write_by(rig, STORE_WORD, VA + 4 * i, 4);
    run_event(rig, DRAIN);
    run_event(rig, INVALIDATE_L2);
    run_event(rig, INVALIDATE_TEXTURE);
    run_event(rig, WAIT_GPU);
    write_by(rig, STORE_WORD, VA + 60, 4);
    read_by(rig, SAMPLE, VA, 60);
    expect_none(rig);
    read_by(rig, SAMPLE, VA, 64);
    expect_report(rig, "reads 0x12345678903c");
}

/* They were written by the GPU, and so not by the host before the job. */
static void forgotten_writes_are_not_the_hosts(void **state)
{
    struct rig *rig = *state;
    coherence_job_end(rig->c);
    coherence_job_begin(rig->c, rig->space);
    for (unsigned i = 0; i < 16; i++)
        write_by(rig, LOAD_STORE, VA + 4 * i, 4);
    run_event(rig, WAIT_GPU);
    read_by(rig, LOAD_STORE, VA, 64);
    expect_none(rig);
    read_by(rig, LOAD_STORE, VA, 65);
    expect_report(rig, "which the host (memory) wrote before");
}

/* ---- writes ---- */

static void a_write_comes_after_the_clean_of_the_last(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    write_by(rig, LOAD_STORE, VA, 4);
    expect_report(rig, "load and store (shader cache) writes 0x123456789000, which a draw (colour cache) wrote before\n"
                       "  missing: clean colour\n");
    run_event(rig, CLEAN_COLOUR);
    run_event(rig, WAIT_GPU);
    write_by(rig, LOAD_STORE, VA, 4);
    expect_none(rig);
}

static void a_place_that_fills_must_find_the_rest(void **state)
{
    struct rig *rig = *state;
    write_by(rig, STORE_WORD, VA, 4);
    run_event(rig, DRAIN);
    run_event(rig, WAIT_GPU);
    write_by(rig, DRAW, VA, 64);
    expect_report(rig, "missing: invalidate colour\n");
}

static void what_is_overwritten_need_not_be_found(void **state)
{
    struct rig *rig = *state;
    write_by(rig, STORE_WORD, VA, 4);
    run_event(rig, DRAIN);
    run_event(rig, WAIT_GPU);
    write_by(rig, FILL, VA, 64);
    expect_none(rig);
    write_by(rig, STORE_WORD, VA + 64, 4);
    write_by(rig, FILL, VA + 64, 64);
    expect_report(rig, "missing: drain\n");
}

/* Parts of one cache: the one finds what is written through the other, and not the other way round. */
static void a_part_of_a_cache_finds_the_other(void **state)
{
    struct rig *rig = *state;
    write_by(rig, STORE, VA, 64);
    write_by(rig, DRAW, VA, 64);
    expect_none(rig);
    write_by(rig, STORE, VA, 64);
    expect_report(rig, "missing: clean colour");
    read_by(rig, FETCH, VA, 64);
    expect_report(rig, "missing: drain");
}

static void accesses_are_traced_by_line(void **state)
{
    struct rig *rig = *state;
    command(rig);
    for (unsigned i = 0; i < 3; i++)
        coherence_write(rig->c, DRAW, 0, VA + 4 * i, 4);
    assert_in_range(rig->traced, 1, 3);
    assert_int_equal(rig->traced_va, VA);
    rig->traced = 0;
    coherence_write(rig->c, DRAW, 0, VA + 60, 8);
    assert_int_equal(rig->traced, 2);
    assert_int_equal(rig->traced_va, VA + 64);
    assert_int_equal(rig->traced_bytes, 15);
}

/* ---- levels of caches ---- */

static void a_write_goes_from_cache_to_cache(void **state)
{
    struct rig *rig = *state;
    write_by(rig, LOAD_STORE, VA, 64);
    run_event(rig, CLEAN_SHADER);
    run_event(rig, INVALIDATE_TEXTURE);
    run_event(rig, WAIT_GPU);
    run_event(rig, WAIT_FETCH);
    read_by(rig, SAMPLE, VA, 64); /* they meet in L2 */
    expect_none(rig);
    read_by(rig, FETCH, VA, 64);
    expect_report(rig, "missing: clean L2\n");
    run_event(rig, CLEAN_L2);
    run_event(rig, WAIT_GPU);
    run_event(rig, WAIT_FETCH);
    read_by(rig, FETCH, VA, 64);
    expect_none(rig);
}

/* L2 has only what came before it was cleaned. */
static void cleans_out_of_order_do_not_help(void **state)
{
    struct rig *rig = *state;
    write_by(rig, LOAD_STORE, VA, 64);
    run_event(rig, CLEAN_L2);
    run_event(rig, CLEAN_SHADER);
    run_event(rig, WAIT_GPU);
    run_event(rig, WAIT_FETCH);
    read_by(rig, FETCH, VA, 64);
    expect_report(rig, "missing: clean L2\n");
}

static void an_event_cleans_from_the_inside_out(void **state)
{
    struct rig *rig = *state;
    write_by(rig, LOAD_STORE, VA, 64);
    run_event(rig, BARRIER);
    read_by(rig, FETCH, VA, 64);
    read_by(rig, DRAW, VA, 64);
    expect_none(rig);
}

/* ---- views ---- */

static void views_of_a_place_do_not_find_each_other(void **state)
{
    struct rig *rig = *state;
    command(rig);
    coherence_write(rig->c, DRAW, 0, VA, 64);
    command(rig);
    coherence_write(rig->c, DRAW, 1, VA, 64);
    expect_report(rig, "missing: clean colour, then invalidate colour\n");
    run_event(rig, CLEAN_COLOUR);
    run_event(rig, WAIT_GPU);
    command(rig);
    coherence_read(rig->c, DRAW, 0, VA, 64);
    expect_report(rig, "missing: invalidate colour\n");
    run_event(rig, INVALIDATE_COLOUR);
    run_event(rig, WAIT_GPU);
    command(rig);
    coherence_read(rig->c, DRAW, 0, VA, 64);
    expect_none(rig);
}

/* ---- what is lost ---- */

static void an_invalidate_loses_what_was_not_cleaned(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    run_event(rig, INVALIDATE_COLOUR);
    expect_report(rig, "colour cache: it is invalidated and holds what a draw wrote to 0x123456789000\n"
                       "  missing: clean colour\n");
}

static void a_job_ends_with_clean_caches(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    assert_true(coherence_is_dirty(rig->c, COLOUR));
    run_event(rig, CLEAN_COLOUR);
    assert_false(coherence_is_dirty(rig->c, COLOUR));
    coherence_job_end(rig->c);
    expect_none(rig);
    coherence_job_begin(rig->c, rig->space);
    run_event(rig, BARRIER);
    write_by(rig, DRAW, VA, 64);
    coherence_job_end(rig->c);
    expect_report(rig, "the job ends");
}

/* ---- the host ---- */

static void the_host_writes_before_a_job(void **state)
{
    struct rig *rig = *state;
    read_by(rig, SAMPLE, VA, 64);
    expect_none(rig);
    coherence_job_end(rig->c);
    coherence_job_begin(rig->c, rig->space);
    read_by(rig, FETCH, VA, 64);
    expect_none(rig);
    read_by(rig, SAMPLE, VA, 64);
    expect_report(rig, "which the host (memory) wrote before\n"
                       "  missing: invalidate L2, then invalidate texture\n"
                       "  written by: the host, before the job\n");
}

static void the_end_of_a_job_is_a_wait(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    run_event(rig, CLEAN_COLOUR);
    coherence_job_end(rig->c);
    coherence_job_begin(rig->c, rig->space);
    read_by(rig, FETCH, VA, 64);
    expect_none(rig);
}

static void after_a_reset_all_is_seen(void **state)
{
    struct rig *rig = *state;
    write_by(rig, DRAW, VA, 64);
    coherence_reset(rig->c);
    read_by(rig, SAMPLE, VA, 64);
    coherence_job_end(rig->c);
    expect_none(rig);
}

/* ---- spaces and threads ---- */

static void spaces_have_their_own_lines(void **state)
{
    struct rig *rig = *state;
    int key;
    write_by(rig, DRAW, VA, 64);
    run_event(rig, CLEAN_COLOUR);
    coherence_job_end(rig->c);
    coherence_job_begin(rig->c, coherence_space(coherence_of(rig->c), &key));
    read_by(rig, FETCH, VA, 64);
    coherence_job_end(rig->c);
    coherence_forget_space(coherence_of(rig->c), &key);
    assert_ptr_equal(coherence_space(coherence_of(rig->c), rig), rig->space);
    expect_none(rig);
}

static void addresses_may_be_anywhere(void **state)
{
    static const uint64_t at[] = {0, 0x1000, 0xffffffff0000, 0x800000000000, 0x7fffffffffc0, 0x1000000000, 0xfffff000};
    struct rig *rig = *state;
    for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
        write_by(rig, DRAW, at[i], 64);
        read_by(rig, FETCH, at[i] ^ 64, 64);
        expect_none(rig);
        read_by(rig, FETCH, at[i], 64);
        expect_report(rig, "a draw");
    }
}

#define THREADS 8
#define THREAD_BYTES 65536

struct part {
    pthread_t thread;
    struct coherence_actor *c;
    unsigned number;
};

/* Threads share every line: each has eight of its bytes. */
static void *write_part(void *context)
{
    const struct part *part = context;
    for (uint64_t at = 0; at < THREAD_BYTES; at += 64)
        coherence_write(part->c, LOAD_STORE, 0, VA + at + 8 * part->number, 8);
    return NULL;
}

static void workers_write_at_once(void **state)
{
    struct rig *rig = *state;
    struct part parts[THREADS];
    command(rig);
    for (unsigned i = 0; i < THREADS; i++) {
        parts[i] = (struct part){.c = rig->c, .number = i};
        assert_int_equal(pthread_create(&parts[i].thread, NULL, write_part, &parts[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(parts[i].thread, NULL);
    expect_none(rig);
    for (uint64_t at = 0; at < THREAD_BYTES; at += 4096 - 8) {
        read_by(rig, FETCH, VA + at / 8 * 8, 8);
        expect_report(rig, "load and store");
    }
    run_event(rig, BARRIER);
    read_by(rig, FETCH, VA, THREAD_BYTES);
    expect_none(rig);
}

/* ---- tables ---- */

static void bad_tables_are_refused(void **state)
{
    struct coherence_place wrong_places[] = {{.name = "memory"}, {.name = "cache", .parent = 1}};
    struct coherence_event wrong_events[] = {{"event", .cleans = BIT(PLACES)}};
    struct coherence_family bad = family;
    bad.places = wrong_places;
    bad.place_count = 2;
    assert_null(coherence_create(&bad));
    bad = family;
    bad.events = wrong_events;
    bad.event_count = 1;
    assert_null(coherence_create(&bad));
    wrong_events[0] = (struct coherence_event){"event", .waits = 1};
    assert_null(coherence_create(&bad));
    bad = family;
    bad.level_count = 2; /* the front end's is the third */
    assert_null(coherence_create(&bad));
    bad = family;
    bad.host_client = CLIENTS;
    assert_null(coherence_create(&bad));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        TEST(a_read_needs_the_clean),
        TEST(a_report_names_both_commands),
        TEST(a_read_needs_the_invalidate_after_the_clean),
        TEST(events_hold_after_the_wait),
        TEST(a_waited_event_holds_at_once),
        TEST(a_stopped_job_reports_no_more),
        TEST(later_events_take_nothing_back),
        TEST(a_place_finds_its_own),
        TEST(a_place_without_order_needs_the_wait),
        TEST(a_command_keeps_its_own_order),
        TEST(neighbours_in_a_line_do_not_matter),
        TEST(accesses_cross_lines_and_pages),
        TEST(forgotten_writes_are_not_reported),
        TEST(forgotten_writes_are_not_the_hosts),
        TEST(a_write_comes_after_the_clean_of_the_last),
        TEST(a_place_that_fills_must_find_the_rest),
        TEST(what_is_overwritten_need_not_be_found),
        TEST(a_part_of_a_cache_finds_the_other),
        TEST(accesses_are_traced_by_line),
        TEST(a_write_goes_from_cache_to_cache),
        TEST(cleans_out_of_order_do_not_help),
        TEST(an_event_cleans_from_the_inside_out),
        TEST(views_of_a_place_do_not_find_each_other),
        TEST(an_invalidate_loses_what_was_not_cleaned),
        TEST(a_job_ends_with_clean_caches),
        TEST(the_host_writes_before_a_job),
        TEST(the_end_of_a_job_is_a_wait),
        TEST(after_a_reset_all_is_seen),
        TEST(spaces_have_their_own_lines),
        TEST(addresses_may_be_anywhere),
        TEST(workers_write_at_once),
        TEST(bad_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
