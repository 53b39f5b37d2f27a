/* Strict mode: a stream that relies on what the scoreboard does not promise is stopped. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static void expect_report(struct rig *rig, const struct stream *s, const char *text)
{
    int error = rig_run(rig, s);
    if (!text) {
        if (error)
            print_error("%s\n", rig->report);
        assert_int_equal(error, 0);
        return;
    }
    assert_int_equal(error, -EIO);
    if (!strstr(rig->report, text))
        print_error("%s\n", rig->report);
    assert_non_null(strstr(rig->report, text));
}

static void put_load(struct stream *s, unsigned reg)
{
    put_set64(s, 60, RIG_VA);
    PUT(s, LOAD_MULTIPLE, .BASE_REGISTER = reg, .MASK = 1, .ADDRESS = 60);
}

static void a_register_is_read_after_its_load(void **state)
{
    struct stream s = {0};
    put_load(&s, 10);
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 11, .SOURCE = 10, .IMMEDIATE = 1);
    expect_report(*state, &s, "r10 is read before its load was waited for");
    s.count = 0;
    put_load(&s, 10);
    put_wait(&s, 1);
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 11, .SOURCE = 10, .IMMEDIATE = 1);
    expect_report(*state, &s, NULL);
}

static void a_register_is_written_after_its_load(void **state)
{
    struct stream s = {0};
    put_load(&s, 10);
    put_set(&s, 10, 1);
    expect_report(*state, &s, "r10 is written before its load was waited for");
}

static void work_reads_its_registers(void **state)
{
    struct stream s = {0};
    PUT(&s, REQ_RESOURCE, .COMPUTE = 1, .FRAGMENT = 1);
    put_load(&s, 39);
    PUT(&s, RUN_FRAGMENT, 0); /* reads r40 to r43 */
    PUT(&s, RUN_COMPUTE, 0);
    expect_report(*state, &s, "r39 is read");
}

static void work_has_its_resources(void **state)
{
    struct stream s = {0};
    PUT(&s, REQ_RESOURCE, .FRAGMENT = 1);
    PUT(&s, RUN_FRAGMENT, 0);
    PUT(&s, REQ_RESOURCE, 0);
    put_wait(&s, 1);
    expect_report(*state, &s, NULL);
    PUT(&s, RUN_FRAGMENT, 0);
    expect_report(*state, &s, "REQ_RESOURCE has not asked");
}

static void every_slot_is_waited_for(void **state)
{
    struct stream s = {0};
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 5, .OTHER_ENTRY = 0);
    PUT(&s, REQ_RESOURCE, .FRAGMENT = 1);
    PUT(&s, RUN_FRAGMENT, 0);
    put_wait(&s, 0xdf);
    expect_report(*state, &s, "nothing waits for slot 5");
    put_wait(&s, 0x20);
    expect_report(*state, &s, NULL);
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 1);
#define ROW(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        ROW(a_register_is_read_after_its_load), ROW(a_register_is_written_after_its_load),
        ROW(work_reads_its_registers),          ROW(work_has_its_resources),
        ROW(every_slot_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
