/* Queues that run at the same time, with commands beside them: a GPU that does not exist, with a second level, a cache
 * of loads and stores that is coherent with it, read-only caches, and a unit that keeps what it writes. Each test is
 * what two queues do, and what must be reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/coherence/coherence.h"
#include "util/bits.h"
#include "util/strbuf.h"

enum {
    MEMORY,
    L2,
    L1,
    TEXTURE,
    UNIT,
    BACKEND,
    PLACES
};
enum {
    HOST,
    SHADER,
    ATOMIC,
    SAMPLE,
    TARGET,
    BINS,
    SIGNAL,
    FRONT,
    PIXEL,
    CLIENTS
};
enum {
    CLEAN_L1,
    CLEAN_L2,
    INVALIDATE_ALL,
    INVALIDATE_TEXTURE,
    FINISH,
    EMPTY_BACKEND,
    WAIT_FRONT,
    EVENTS
};

#define BIT COHERENCE_BIT
static const struct coherence_place places[PLACES] = {
    [MEMORY] = {.name = "memory", .is_ordered = true},
    [L2] = {.name = "L2",
            .clean = "clean L2",
            .invalidate = "invalidate",
            .found_by = BIT(L1) | BIT(UNIT),
            .orders_writes = true,
            .ends_cleaned = true},
    [L1] = {.name = "L1",
            .parent = L2,
            .clean = "clean L1",
            .invalidate = "invalidate",
            .found_by = BIT(L2) | BIT(UNIT),
            .orders_writes = true,
            .ends_cleaned = true},
    [TEXTURE] = {.name = "texture cache", .parent = L2, .invalidate = "invalidate textures"},
    [UNIT] = {.name = "unit", .parent = L2, .clean = "finish", .invalidate = "invalidate", .orders_writes = true},
    [BACKEND] = {.name = "backend",
                 .parent = L2,
                 .clean = "empty backend",
                 .invalidate = "empty backend",
                 .is_ordered = true,
                 .is_own = true},
};

static const struct coherence_client clients[CLIENTS] = {
    [HOST] = {"the host", MEMORY},
    [SHADER] = {"a shader", L1},
    [ATOMIC] = {"an atomic", L1, .keeps_order = true},
    [SAMPLE] = {"a texture", TEXTURE},
    [TARGET] = {"a target", L2},
    [BINS] = {"bins", UNIT, .keeps_order = true},
    [SIGNAL] = {"a signal", L2, .is_signal = true},
    [FRONT] = {"the front", L2, .level = 1},
    [PIXEL] = {"a pixel", BACKEND},
};

static const struct coherence_event events[EVENTS] = {
    [CLEAN_L1] = {"clean L1", .cleans = BIT(L1)},
    [CLEAN_L2] = {"clean L2", .cleans = BIT(L2)},
    [INVALIDATE_ALL] = {"invalidate all", .invalidates = BIT(L2) | BIT(L1) | BIT(TEXTURE) | BIT(UNIT)},
    [INVALIDATE_TEXTURE] = {"invalidate textures", .invalidates = BIT(TEXTURE)},
    [FINISH] = {"finish", .cleans = BIT(UNIT), .comes_after = true},
    [EMPTY_BACKEND] = {"empty backend", .cleans = BIT(BACKEND), .invalidates = BIT(BACKEND)},
    [WAIT_FRONT] = {"wait of the front", .waits = BIT(1)},
};
static const char *const waits[] = {"wait", "wait of the front"};
static const char *const set_waits[] = {"wait", "wait", "wait", "wait", "wait", "wait", "wait", "wait for seven"};

struct rig {
    struct coherence *c;
    struct coherence_space *space;
    struct coherence_actor *queue[2];
    unsigned reports;
    struct strbuf text;
    uint32_t number;
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
    return true;
}

static const struct coherence_family family = {
    .places = places,
    .clients = clients,
    .events = events,
    .waits = waits,
    .set_waits = set_waits,
    .place_count = PLACES,
    .client_count = CLIENTS,
    .event_count = EVENTS,
    .level_count = 2,
    .host_client = HOST,
    .describe = describe_command,
    .report = report_error,
};

static int begin_test(void **state)
{
    static struct rig rig;
    rig = (struct rig){.c = coherence_create(&family)};
    rig.space = rig.c ? coherence_space(rig.c, &rig) : NULL;
    if (!rig.space)
        return 1;
    for (unsigned i = 0; i < 2; i++) {
        rig.queue[i] = coherence_actor_create(rig.c, &rig, 8);
        if (!rig.queue[i])
            return 1;
    }
    for (unsigned i = 0; i < 2; i++) {
        coherence_job_begin(rig.queue[i], rig.space);
        coherence_event(rig.queue[i], INVALIDATE_ALL);
    }
    *state = &rig;
    return 0;
}

static int end_test(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 2; i++)
        coherence_actor_destroy(rig->queue[i]);
    coherence_destroy(rig->c);
    strbuf_finish(&rig->text);
    return 0;
}

#define VA 0x10000ull
#define SIGNAL_VA 0x80000ull

static struct coherence_actor *issue_command(struct rig *rig, unsigned queue, unsigned set)
{
    const struct coherence_command command = {.va = 0x1000, .job = 1, .length_dw = 1, .dw = {++rig->number}};
    struct coherence_actor *actor = coherence_issue(rig->queue[queue], set, &command);
    assert_non_null(actor);
    return actor;
}

/* A command that writes, or reads, and ends. */
static void write_by(struct rig *rig, unsigned queue, unsigned set, unsigned client, uint64_t va)
{
    struct coherence_actor *actor = issue_command(rig, queue, set);
    coherence_write(actor, client, 0, va, 64);
    coherence_complete(actor);
}

static void read_by(struct rig *rig, unsigned queue, unsigned set, unsigned client, uint64_t va)
{
    struct coherence_actor *actor = issue_command(rig, queue, set);
    coherence_read(actor, client, 0, va, 64);
    coherence_complete(actor);
}

static void event_by(struct rig *rig, unsigned queue, unsigned set, unsigned waits_for, unsigned event)
{
    struct coherence_actor *actor = issue_command(rig, queue, set);
    coherence_join(actor, waits_for);
    coherence_event(actor, event);
    coherence_complete(actor);
}

static void expect_none(struct rig *rig)
{
    if (rig->reports)
        fail_msg("reported: %s", rig->text.text);
}

static void expect_report(struct rig *rig, const char *what)
{
    assert_int_equal(rig->reports, 1);
    if (!strstr(rig->text.text, what))
        fail_msg("not in the report: %s\n%s", what, rig->text.text);
    rig->reports = 0;
}

/* ---- commands beside a queue ---- */

static void a_set_must_be_waited_for(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    read_by(rig, 0, 4, SHADER, VA);
    expect_report(rig, "missing: wait\n");
    coherence_join(rig->queue[0], 1 << 4);
    read_by(rig, 0, 4, TARGET, VA);
    expect_report(rig, "missing: wait\n");
    coherence_join(rig->queue[0], 1 << 3);
    read_by(rig, 0, 4, SHADER, VA);
    read_by(rig, 0, 4, TARGET, VA); /* the caches are coherent */
    expect_none(rig);
}

static void the_same_set_is_not_in_order(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    read_by(rig, 0, 3, SHADER, VA);
    expect_report(rig, "missing: wait\n");
}

static void writes_wait_for_writes_but_atomics_do_not(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    write_by(rig, 0, 4, SHADER, VA);
    expect_report(rig, "written again by");
    write_by(rig, 0, 3, ATOMIC, VA + 4096);
    write_by(rig, 0, 4, ATOMIC, VA + 4096);
    expect_none(rig);
    read_by(rig, 0, 4, SHADER, VA + 4096);
    expect_report(rig, "missing: wait\n");
}

static void a_command_knows_what_it_waited_for_itself(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    struct coherence_actor *late = issue_command(rig, 0, 1);
    write_by(rig, 0, 3, SHADER, VA + 64); /* after it was issued */
    coherence_join(late, 1 << 3);
    coherence_read(late, TARGET, 0, VA, 64);
    expect_none(rig);
    coherence_read(late, TARGET, 0, VA + 64, 64);
    expect_report(rig, "missing: wait\n");
    coherence_complete(late);
}

/* A wait of the queue after a command was issued is nothing to the command. */
static void a_command_knows_what_was_known_when_it_was_issued(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    struct coherence_actor *early = issue_command(rig, 0, 4);
    coherence_join(rig->queue[0], 1 << 3);
    coherence_read(early, SHADER, 0, VA, 64);
    expect_report(rig, "missing: wait\n");
    coherence_complete(early);
}

static void a_flush_is_waited_for(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    event_by(rig, 0, 2, 1 << 3, INVALIDATE_TEXTURE);
    coherence_join(rig->queue[0], 1 << 3);
    read_by(rig, 0, 4, SAMPLE, VA);
    expect_report(rig, "missing: invalidate textures\n");
    coherence_join(rig->queue[0], 1 << 2);
    read_by(rig, 0, 4, SAMPLE, VA);
    expect_none(rig);
}

static void a_flush_finds_only_what_has_ended(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, TARGET, VA);
    event_by(rig, 0, 2, 0, INVALIDATE_TEXTURE);
    coherence_join(rig->queue[0], 0xff);
    read_by(rig, 0, 4, SAMPLE, VA);
    expect_report(rig, "missing: invalidate textures\n");
}

static void a_unit_is_finished_in_order(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, BINS, VA);
    write_by(rig, 0, 3, BINS, VA); /* by itself it keeps order */
    expect_none(rig);
    coherence_join(rig->queue[0], 1 << 3);
    read_by(rig, 0, 4, TARGET, VA);
    expect_report(rig, "missing: finish\n");
    write_by(rig, 0, 3, BINS, VA + 64);
    event_by(rig, 0, 3, 0, FINISH);
    coherence_join(rig->queue[0], 1 << 3);
    read_by(rig, 0, 4, TARGET, VA + 64);
    expect_none(rig);
}

/* ---- signals ---- */

static void a_queue_knows_by_a_signal(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    read_by(rig, 1, 3, SHADER, VA);
    expect_report(rig, "missing: wait\n");
    struct coherence_actor *signal = issue_command(rig, 0, 1);
    coherence_join(signal, 1 << 3);
    coherence_write(signal, SIGNAL, 0, SIGNAL_VA, 8);
    coherence_release(signal, SIGNAL_VA, 1);
    coherence_complete(signal);
    coherence_acquire(rig->queue[1], SIGNAL_VA, 0);
    read_by(rig, 1, 3, SHADER, VA);
    read_by(rig, 1, 3, TARGET, SIGNAL_VA); /* whoever reads it looks again */
    expect_none(rig);
}

static void a_signal_brings_no_more_than_it_was_waited_for(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 3; i++) {
        write_by(rig, 0, 3, SHADER, VA + 64 * i);
        coherence_join(rig->queue[0], 1 << 3);
        coherence_release(rig->queue[0], SIGNAL_VA, i + 1);
    }
    coherence_acquire(rig->queue[1], SIGNAL_VA, 1);
    read_by(rig, 1, 3, SHADER, VA);
    read_by(rig, 1, 3, SHADER, VA + 64);
    expect_none(rig);
    read_by(rig, 1, 3, SHADER, VA + 128);
    expect_report(rig, "missing: wait\n");
}

static void signals_carry_on_what_they_brought(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, TARGET, VA);
    event_by(rig, 0, 2, 1 << 3, INVALIDATE_TEXTURE);
    coherence_join(rig->queue[0], 1 << 2 | 1 << 3);
    coherence_release(rig->queue[0], SIGNAL_VA, 5);
    coherence_acquire(rig->queue[1], SIGNAL_VA, 4);
    read_by(rig, 1, 3, SAMPLE, VA);
    expect_none(rig);
    /* One that comes down is waited for as a whole. */
    write_by(rig, 0, 3, TARGET, VA + 64);
    coherence_join(rig->queue[0], 1 << 3);
    coherence_release(rig->queue[0], SIGNAL_VA, 2);
    coherence_acquire(rig->queue[1], SIGNAL_VA, UINT64_MAX);
    read_by(rig, 1, 3, TARGET, VA + 64);
    expect_none(rig);
}

static void a_handler_sees_an_unfinished_command(void **state)
{
    struct rig *rig = *state;
    struct coherence_actor *tiling = issue_command(rig, 0, 3);
    coherence_write(tiling, BINS, 0, VA, 64);
    coherence_event(tiling, FINISH);
    coherence_follow(rig->queue[1], tiling, true);
    read_by(rig, 1, 3, TARGET, VA);
    expect_none(rig);
    write_by(rig, 1, 3, TARGET, VA + 64);
    coherence_join(rig->queue[1], 1 << 3);
    coherence_follow(tiling, rig->queue[1], true);
    coherence_read(tiling, BINS, 0, VA + 64, 64);
    expect_none(rig);
    coherence_complete(tiling);
}

/* ---- jobs, the host ---- */

static void jobs_come_after_those_that_have_ended(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    coherence_join(rig->queue[0], 0xff);
    event_by(rig, 0, 2, 0, CLEAN_L1);
    coherence_join(rig->queue[0], 0xff);
    event_by(rig, 0, 2, 0, CLEAN_L2);
    coherence_join(rig->queue[0], 0xff);
    coherence_job_end(rig->queue[0]);
    expect_none(rig);
    coherence_job_end(rig->queue[1]);
    coherence_job_begin(rig->queue[1], rig->space);
    read_by(rig, 1, 3, SHADER, VA);
    expect_none(rig);
    read_by(rig, 1, 3, SHADER, VA + 64);
    expect_report(rig, "the host, before the job");
    coherence_event(rig->queue[1], INVALIDATE_ALL);
    read_by(rig, 1, 3, SHADER, VA + 64);
    expect_none(rig);
}

/* The host finds it after both caches were cleaned, in their order. */
static void a_job_ends_cleaned(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    coherence_join(rig->queue[0], 0xff);
    event_by(rig, 0, 2, 0, CLEAN_L2);
    event_by(rig, 0, 2, 0, CLEAN_L1);
    coherence_join(rig->queue[0], 0xff);
    coherence_job_end(rig->queue[0]);
    expect_report(rig, "the job ends and holds what a shader wrote");
}

static void memory_is_handed_out_anew(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 3, SHADER, VA);
    coherence_discard(rig->queue[0], VA + 8, 40);
    struct coherence_actor *command = issue_command(rig, 0, 4);
    coherence_read(command, SHADER, 0, VA + 8, 40);
    expect_none(rig);
    coherence_read(command, SHADER, 0, VA + 48, 1);
    expect_report(rig, "missing: wait\n");
    coherence_complete(command);
    coherence_discard(rig->queue[0], VA - 4096, 1 << 20);
    read_by(rig, 0, 4, SHADER, VA);
    expect_none(rig);
}

static void parts_of_cores_are_not_looked_at(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 2; i++) {
        struct coherence_actor *command = issue_command(rig, 0, 3 + i);
        coherence_ignore(command, VA, 4096);
        coherence_write(command, SHADER, 0, VA + 64, 64);
        coherence_write(command, SHADER, 0, VA + 4096, 64);
        coherence_complete(command);
        if (!i)
            expect_none(rig);
    }
    expect_report(rig, "writes 0x11000");
}

static void actors_come_and_go(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 1, 3, SHADER, VA);
    coherence_join(rig->queue[1], 0xff);
    coherence_job_end(rig->queue[1]);
    rig->reports = 0;
    for (unsigned i = 0; i < 300; i++) {
        coherence_actor_destroy(rig->queue[1]);
        rig->queue[1] = coherence_actor_create(rig->c, rig, 8);
        assert_non_null(rig->queue[1]);
    }
    coherence_job_begin(rig->queue[1], rig->space);
    read_by(rig, 1, 3, SHADER, VA);
    expect_none(rig);
    assert_null(coherence_actor_create(rig->c, rig, 32));
}

/* ---- parts, fronts, caches of one's own ---- */

static void a_report_names_the_wait_of_the_set(void **state)
{
    struct rig *rig = *state;
    write_by(rig, 0, 7, SHADER, VA);
    read_by(rig, 0, 3, SHADER, VA);
    expect_report(rig, "missing: wait for seven\n");
}

static void parts_are_one_command(void **state)
{
    struct rig *rig = *state;
    struct coherence_actor *first = issue_command(rig, 0, 3), *second = coherence_issue_part(first, 4);
    assert_non_null(second);
    coherence_write(first, SHADER, 0, VA, 64);
    coherence_read(second, SHADER, 0, VA, 64);
    coherence_write(second, SHADER, 0, VA + 64, 64);
    coherence_complete(second);
    coherence_complete(first);
    expect_none(rig);
    coherence_join(rig->queue[0], 1 << 3);
    read_by(rig, 0, 3, SHADER, VA);
    expect_none(rig);
    read_by(rig, 0, 3, SHADER, VA + 64); /* of the other set */
    expect_report(rig, "missing: wait\n");
}

static void a_front_sees_what_it_waited_for(void **state)
{
    struct rig *rig = *state;
    const struct coherence_command words = {.va = 0x2000, .job = 1, .length_dw = 1, .dw = {99}};
    write_by(rig, 0, 3, SHADER, VA);
    coherence_join(rig->queue[0], 1 << 3);
    coherence_command(rig->queue[0], &words);
    coherence_read(rig->queue[0], TARGET, 0, VA, 64);
    expect_none(rig);
    coherence_read(rig->queue[0], FRONT, 0, VA, 64);
    expect_report(rig, "missing: wait of the front\n");
    coherence_event(rig->queue[0], WAIT_FRONT);
    coherence_command(rig->queue[0], &words);
    coherence_read(rig->queue[0], FRONT, 0, VA, 64);
    expect_none(rig);
}

/* It was emptied before the write, and nothing came through it since. */
static void an_empty_cache_holds_nothing_old(void **state)
{
    struct rig *rig = *state;
    event_by(rig, 0, 5, 0, EMPTY_BACKEND);
    write_by(rig, 0, 3, SHADER, VA);
    coherence_join(rig->queue[0], 1 << 3);
    read_by(rig, 0, 4, PIXEL, VA);
    expect_none(rig);
    write_by(rig, 0, 3, SHADER, VA + 64);
    coherence_join(rig->queue[0], 1 << 3);
    read_by(rig, 0, 4, PIXEL, VA); /* as before */
    expect_none(rig);
    read_by(rig, 0, 4, PIXEL, VA + 64); /* it is no longer empty */
    expect_report(rig, "missing: empty backend\n");
    event_by(rig, 0, 5, 0xff, EMPTY_BACKEND);
    coherence_join(rig->queue[0], 1 << 5);
    read_by(rig, 0, 4, PIXEL, VA + 64);
    expect_none(rig);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        TEST(a_set_must_be_waited_for),
        TEST(the_same_set_is_not_in_order),
        TEST(writes_wait_for_writes_but_atomics_do_not),
        TEST(a_command_knows_what_it_waited_for_itself),
        TEST(a_command_knows_what_was_known_when_it_was_issued),
        TEST(a_flush_is_waited_for),
        TEST(a_flush_finds_only_what_has_ended),
        TEST(a_unit_is_finished_in_order),
        TEST(a_queue_knows_by_a_signal),
        TEST(a_signal_brings_no_more_than_it_was_waited_for),
        TEST(signals_carry_on_what_they_brought),
        TEST(a_handler_sees_an_unfinished_command),
        TEST(jobs_come_after_those_that_have_ended),
        TEST(a_job_ends_cleaned),
        TEST(memory_is_handed_out_anew),
        TEST(parts_of_cores_are_not_looked_at),
        TEST(actors_come_and_go),
        TEST(a_report_names_the_wait_of_the_set),
        TEST(parts_are_one_command),
        TEST(a_front_sees_what_it_waited_for),
        TEST(an_empty_cache_holds_nothing_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
