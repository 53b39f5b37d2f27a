/* Caches and waits, looked at: streams of which one instruction is missing, with TUFF_DEBUG=coherence. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "rig.h"

static void expect_report(const char *report, int error, const char *text)
{
    if (!text) {
        if (error)
            print_error("%s\n", report);
        assert_int_equal(error, 0);
        return;
    }
    assert_int_equal(error, -EIO);
    if (!strstr(report, text))
        print_error("%s\n", report);
    assert_non_null(strstr(report, text));
}

#define ALL MALI_CS_FLUSH_MODE_CLEAN_INVALIDATE

/* Instructions that the kernel puts before a stream, and drivers at its end. */
static void put_begin(struct stream *s)
{
    PUT(s, FLUSH_CACHE2, .LATEST_FLUSH_ID = 90, .L2_FLUSH_MODE = ALL, .LSC_FLUSH_MODE = ALL, .OTHER_INVALIDATE = true);
    put_wait(s, 1);
}

static void put_clean(struct stream *s)
{
    PUT(s, FLUSH_CACHE2, .LATEST_FLUSH_ID = 90, .L2_FLUSH_MODE = MALI_CS_FLUSH_MODE_CLEAN,
        .LSC_FLUSH_MODE = MALI_CS_FLUSH_MODE_CLEAN);
    put_wait(s, 1);
}

static void put_store(struct stream *s, uint32_t offset_B)
{
    put_set64(s, 60, RIG_VA + offset_B);
    PUT(s, STORE_MULTIPLE, .BASE_REGISTER = 10, .MASK = 1, .ADDRESS = 60);
}

static void put_load(struct stream *s, uint32_t offset_B)
{
    put_set64(s, 60, RIG_VA + offset_B);
    PUT(s, LOAD_MULTIPLE, .BASE_REGISTER = 12, .MASK = 1, .ADDRESS = 60);
}

static void the_hosts_writes_need_a_flush(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_load(&s, 0x400);
    put_wait(&s, 1);
    expect_report(rig->report, rig_run(rig, &s), "FLUSH_CACHE2 that invalidates L2\n  written by: the host");
    s.count = 0;
    put_begin(&s);
    put_load(&s, 0x400);
    put_wait(&s, 1);
    expect_report(rig->report, rig_run(rig, &s), NULL);
}

static void the_flush_is_waited_for(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_begin(&s);
    s.count--;
    put_load(&s, 0x400);
    put_wait(&s, 1);
    expect_report(rig->report, rig_run(rig, &s), "written by: the host");
}

static void a_store_is_waited_for(void **state)
{
    struct rig *rig = *state;
    for (unsigned has_wait = 0; has_wait < 2; has_wait++) {
        struct stream s = {0};
        put_begin(&s);
        put_store(&s, 0x400);
        if (has_wait)
            put_wait(&s, 1);
        put_load(&s, 0x400);
        put_wait(&s, 1);
        put_clean(&s);
        expect_report(rig->report, rig_run(rig, &s), has_wait ? NULL : "missing: WAIT for its slot");
    }
}

static void a_job_ends_cleaned(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_begin(&s);
    put_store(&s, 0x400);
    put_wait(&s, 1);
    expect_report(rig->report, rig_run(rig, &s), "L2: the job ends and holds what the command stream wrote");
    put_clean(&s);
    expect_report(rig->report, rig_run(rig, &s), NULL);
}

/* A clean that does not wait for the store cleans nothing. */
static void a_clean_comes_after_the_store(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_begin(&s);
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 2);
    put_store(&s, 0x400);
    put_clean(&s);
    put_wait(&s, 0xff);
    expect_report(rig->report, rig_run(rig, &s), "the job ends");
    s.words[s.count - 3] = MALI_CS(FLUSH_CACHE2, .LATEST_FLUSH_ID = 90, .L2_FLUSH_MODE = MALI_CS_FLUSH_MODE_CLEAN,
                                   .LSC_FLUSH_MODE = MALI_CS_FLUSH_MODE_CLEAN, .WAIT_MASK = 1 << 2);
    expect_report(rig->report, rig_run(rig, &s), NULL);
}

/* Queue 0 stores and signals, and does not end before the host says so; queue 1 loads. */
static void run_two(struct rig *rig, bool has_store_wait, bool has_sync_wait, const char *text)
{
    struct stream a = {0}, b = {0};
    struct rig_job jobs[2];
    *rig_qw(rig, 0x100) = *rig_qw(rig, 0x200) = 0;
    put_begin(&a);
    put_store(&a, 0x400);
    if (has_store_wait)
        put_wait(&a, 1);
    put_set64(&a, 0, RIG_VA + 0x100);
    put_set64(&a, 2, 1);
    PUT(&a, SYNC_ADD64, .ADDRESS = 0, .DATA = 2);
    put_set64(&a, 0, RIG_VA + 0x200);
    put_set64(&a, 2, 0);
    PUT(&a, SYNC_WAIT64, .ADDRESS = 0, .DATA = 2, .CONDITION = MALI_CS_CONDITION_GREATER);
    put_wait(&a, 1);
    put_clean(&a);
    put_begin(&b);
    put_set64(&b, 0, RIG_VA + 0x100);
    put_set64(&b, 2, 0);
    if (has_sync_wait)
        PUT(&b, SYNC_WAIT64, .ADDRESS = 0, .DATA = 2, .CONDITION = MALI_CS_CONDITION_GREATER);
    put_load(&b, 0x400);
    put_wait(&b, 1);
    rig_submit(rig, &jobs[0], 0, 0, &a);
    while (!__atomic_load_n(rig_qw(rig, 0x100), __ATOMIC_ACQUIRE))
        usleep(100);
    usleep(5000); /* what is pending runs while the queue waits for the host */
    rig_submit(rig, &jobs[1], 0, 1, &b);
    const int error = rig_wait(&jobs[1]);
    __atomic_store_n(rig_qw(rig, 0x200), 1, __ATOMIC_RELEASE);
    assert_int_equal(rig_wait(&jobs[0]), 0);
    expect_report(jobs[1].report, error, text);
}

static void queues_know_by_signals(void **state)
{
    run_two(*state, true, true, NULL);
    run_two(*state, true, false, "a SYNC_WAIT for a signal after it");
    run_two(*state, false, true, "missing: WAIT for its slot");
}

int main(void)
{
    setenv("TUFF_DEBUG", "coherence", 1);
#define ROW(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        ROW(the_hosts_writes_need_a_flush), ROW(the_flush_is_waited_for),
        ROW(a_store_is_waited_for),         ROW(a_job_ends_cleaned),
        ROW(a_clean_comes_after_the_store), ROW(queues_know_by_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
