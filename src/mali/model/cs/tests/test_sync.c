/* Scoreboards, signals and waits: in which order things are done, and who waits for whom. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mali/hw/chip.h"
#include "rig.h"

#define RUN_OK(rig, s)                                                                                                 \
    do {                                                                                                               \
        if (rig_run(rig, s))                                                                                           \
            print_error("%s\n", (rig)->report);                                                                        \
        assert_int_equal((rig)->error, 0);                                                                             \
    } while (0)

static void work_runs_when_it_is_waited_for(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    put_set(&s, 10, 111);
    PUT(&s, RUN_COMPUTE, .TASK_INCREMENT = 1);
    put_set(&s, 10, 222); /* the work has the registers as they were */
    put_set(&s, 20, 1);
    put_dump(&s, 20, 0); /* another slot */
    put_wait(&s, 1 << 3);
    put_set(&s, 20, 2);
    put_dump(&s, 20, 0);
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.call_count, 1);
    assert_int_equal(rig_blocks.calls[0].kind, RIG_COMPUTE);
    assert_int_equal(rig_blocks.calls[0].regs[10], 111);
    assert_int_equal(rig_blocks.calls[0].marker, 1); /* after the first store, before the second */
}

static void every_run_goes_to_its_endpoint(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, RUN_COMPUTE, 0);
    PUT(&s, RUN_COMPUTE_INDIRECT, 0);
    PUT(&s, RUN_IDVS, 0);
    PUT(&s, RUN_TILING, 0);
    PUT(&s, RUN_FULLSCREEN, 0);
    PUT(&s, FINISH_TILING, 0);
    PUT(&s, RUN_FRAGMENT, 0);
    put_wait(&s, 0xff);
    RUN_OK(rig, &s);
    static const enum rig_call_kind kinds[] = {RIG_COMPUTE,    RIG_COMPUTE,       RIG_IDVS,    RIG_TILING,
                                               RIG_FULLSCREEN, RIG_FINISH_TILING, RIG_FRAGMENT};
    assert_int_equal(rig_blocks.call_count, 7);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(rig_blocks.calls[i].kind, kinds[i]);
}

/* Work of one iterator is done in order, whatever slots it has. */
static void an_iterator_keeps_the_order(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    for (uint32_t i = 0; i < 3; i++) {
        PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3 + i, .OTHER_ENTRY = 0);
        put_set(&s, 10, i);
        PUT(&s, RUN_IDVS, 0);
    }
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 6, .OTHER_ENTRY = 0);
    PUT(&s, RUN_COMPUTE, 0);
    put_wait(&s, 1 << 5); /* the last tiling job, and with it the others, but not the dispatch */
    put_set(&s, 20, 1);
    put_dump(&s, 20, 0);
    put_wait(&s, 0xff);
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.call_count, 4);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(rig_blocks.calls[i].kind, RIG_IDVS);
        assert_int_equal(rig_blocks.calls[i].regs[10], i);
        assert_int_equal(rig_blocks.calls[i].marker, 0);
    }
    assert_int_equal(rig_blocks.calls[3].kind, RIG_COMPUTE);
    assert_int_equal(rig_blocks.calls[3].marker, 1);
}

/* Three draws, of which only the vertices differ. */
static void put_draws(struct stream *s)
{
    for (uint32_t i = 0; i < 3; i++) {
        put_set(s, 36, 3 * i);
        put_set(s, 70, i);
        PUT(s, RUN_IDVS, .DRAW_ID_REGISTER_ENABLE = true, .DRAW_ID = 70);
    }
}

static void draws_that_differ_in_vertices_run_together(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_draws(&s);
    put_set(&s, 16, 1); /* another shader */
    put_draws(&s);
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 4, .OTHER_ENTRY = 0);
    put_draws(&s);
    PUT(&s, FINISH_TILING, 0);
    put_draws(&s);
    put_wait(&s, 0xff);
    put_draws(&s);
    put_wait(&s, 0xff);
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.call_count, 6);
    for (unsigned i = 0; i < 6; i++) {
        if (i == 3)
            continue;
        assert_int_equal(rig_blocks.calls[i].kind, RIG_IDVS);
        assert_int_equal(rig_blocks.calls[i].regs[36], 0);
        assert_int_equal(rig_blocks.calls[i].regs[16], i > 0);
        assert_int_equal(rig_blocks.calls[i].more_count, 2);
        assert_int_equal(rig_blocks.calls[i].last.vertex_offset, 6);
        assert_int_equal(rig_blocks.calls[i].last.id, 2);
    }
    assert_int_equal(rig_blocks.calls[3].kind, RIG_FINISH_TILING);
}

/* A stream that stores other uniforms between its draws has draws of their own. */
static void draws_with_other_uniforms_run_alone(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    put_set64(&s, 8, (RIG_VA + 64) | 1ull << 56);
    for (uint32_t i = 0; i < 4; i++) {
        put_set(&s, 72, i / 2); /* the first two have the same, and so have the others */
        put_dump(&s, 72, 64);
        put_set(&s, 36, 3 * i);
        PUT(&s, RUN_IDVS, 0);
    }
    put_wait(&s, 0xff);
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.call_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(rig_blocks.calls[i].more_count, 1);
        assert_int_equal(rig_blocks.calls[i].regs[36], 6 * i);
    }
}

/* A register that stands after those of the vertices, the uniforms of the other shader, and draws that count
 * progress. */
static void draws_that_differ_otherwise_run_alone(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    for (uint32_t i = 0; i < 2; i++) {
        put_set(&s, 39, i);
        PUT(&s, RUN_IDVS, 0);
    }
    put_set64(&s, 10, (RIG_VA + 64) | 1ull << 56);
    for (uint32_t i = 0; i < 2; i++) {
        put_set(&s, 72, i);
        put_dump(&s, 72, 64);
        PUT(&s, RUN_IDVS, .VARYING_FAU_SELECT = 1);
    }
    for (uint32_t i = 0; i < 2; i++)
        PUT(&s, RUN_IDVS, .PROGRESS_INCREMENT = true);
    put_wait(&s, 0xff);
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.call_count, 6);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(rig_blocks.calls[i].more_count, 0);
        assert_int_equal(rig_blocks.calls[i].regs[39], i > 0);
    }
}

static void long_streams_keep_their_order(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    for (uint32_t i = 0; i < 60; i++) {
        put_set(&s, 10, i);
        PUT(&s, RUN_COMPUTE, 0);
    }
    put_wait(&s, 0xff);
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.call_count, 60);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(rig_blocks.calls[i].regs[10], i);
}

static void signals_add_and_set(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_qw(rig, 0x100) = 0xfffffffffull;
    *rig_dw(rig, 0x108) = 9;
    *rig_dw(rig, 0x110) = 0xffffffff;
    *rig_dw(rig, 0x114) = 9;
    put_set64(&s, 0, RIG_VA + 0x100);
    put_set64(&s, 2, RIG_VA + 0x110);
    put_set64(&s, 4, RIG_VA + 0x120);
    put_set64(&s, 6, RIG_VA + 0x128);
    put_set64(&s, 8, 0x100000002ull);
    PUT(&s, SYNC_ADD64, .ADDRESS = 0, .DATA = 8, .ERROR_PROPAGATE = 1);
    PUT(&s, SYNC_ADD32, .ADDRESS = 2, .DATA = 8);
    PUT(&s, SYNC_SET64, .ADDRESS = 4, .DATA = 8);
    PUT(&s, SYNC_SET32, .ADDRESS = 6, .DATA = 8, .SCOPE = MALI_CS_SYNC_SCOPE_CSG);
    RUN_OK(rig, &s);
    assert_int_equal(*rig_qw(rig, 0x100), 0x1100000001ull);
    assert_int_equal(*rig_dw(rig, 0x108), 0); /* no error was propagated */
    assert_int_equal(*rig_qw(rig, 0x110), 9ull << 32 | 1);
    assert_int_equal(*rig_qw(rig, 0x120), 0x100000002ull);
    assert_int_equal(*rig_qw(rig, 0x128), 2);
}

/* A deferred signal comes after what its mask names, and holds its own slot until then. */
static void deferred_signals_come_after_what_they_wait_for(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    put_set64(&s, 0, RIG_VA);
    put_set64(&s, 2, 5);
    PUT(&s, RUN_FRAGMENT, 0);
    PUT(&s, SYNC_SET64, .ADDRESS = 0, .DATA = 2, .WAIT_MASK = 1 << 3, .SIGNAL_SLOT = 1);
    put_set64(&s, 2, 6); /* it has the registers as they were */
    put_set64(&s, 60, RIG_VA);
    PUT(&s, LOAD_MULTIPLE, .BASE_REGISTER = 20, .MASK = 1, .ADDRESS = 60);
    put_wait(&s, 1);
    put_dump(&s, 20, 0x10); /* not yet */
    put_wait(&s, 1 << 1);
    PUT(&s, LOAD_MULTIPLE, .BASE_REGISTER = 20, .MASK = 1, .ADDRESS = 60);
    put_wait(&s, 1);
    put_dump(&s, 20, 0x14);
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.call_count, 1);
    assert_int_equal(rig_blocks.calls[0].marker, 0);
    assert_int_equal(*rig_dw(rig, 0x10), 0);
    assert_int_equal(*rig_dw(rig, 0x14), 5);
}

static void a_wait_for_the_own_slot_is_refused(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_set64(&s, 0, RIG_VA);
    PUT(&s, SYNC_SET64, .ADDRESS = 0, .DATA = 2, .WAIT_MASK = 2, .SIGNAL_SLOT = 1);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_non_null(strstr(rig->report, "which it holds itself"));
}

static void misplaced_signals_are_refused(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_set64(&s, 0, RIG_VA + 4);
    PUT(&s, SYNC_SET64, .ADDRESS = 0, .DATA = 2);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_non_null(strstr(rig->report, "no multiple of its size"));
    s.count = 0;
    put_set64(&s, 0, RIG_UNMAPPED_VA);
    PUT(&s, SYNC_ADD32, .ADDRESS = 0, .DATA = 2);
    assert_int_equal(rig_run(rig, &s), -EFAULT);
}

/* ---- queues ---- */

/* A: wait until the word is greater than 0, then 2 to another place. B: signal. */
static void put_wait_then_set(struct stream *s, uint32_t wait_B, uint32_t set_B)
{
    put_set64(s, 0, RIG_VA + wait_B);
    put_set64(s, 2, 0);
    PUT(s, SYNC_WAIT64, .ADDRESS = 0, .DATA = 2, .CONDITION = MALI_CS_CONDITION_GREATER);
    put_set64(s, 0, RIG_VA + set_B);
    put_set64(s, 2, 2);
    PUT(s, SYNC_SET64, .ADDRESS = 0, .DATA = 2);
}

static void queues_wait_for_each_other_in_any_order(void **state)
{
    struct rig *rig = *state;
    struct stream s[3] = {0};
    struct rig_job jobs[3];
    /* Queue 0 waits for 1, which waits for 2, which waits for the host. */
    for (unsigned i = 0; i < 3; i++) {
        put_wait_then_set(&s[i], 0x100 + 0x10 * (i + 1), 0x100 + 0x10 * i);
        rig_submit(rig, &jobs[i], 0, i, &s[i]);
    }
    usleep(20000);
    for (unsigned i = 0; i < 3; i++)
        assert_false(atomic_load(&jobs[i].is_done));
    __atomic_store_n(rig_qw(rig, 0x130), 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(rig_wait(&jobs[i]), 0);
    assert_int_equal(*rig_qw(rig, 0x100), 2);
}

static void groups_run_side_by_side(void **state)
{
    struct rig *rig = *state;
    struct stream a = {0}, b = {0};
    struct rig_job jobs[2];
    put_wait_then_set(&a, 0x100, 0x110);
    rig_submit(rig, &jobs[0], 0, 0, &a);
    put_set64(&b, 0, RIG_VA + 0x100);
    put_set64(&b, 2, 1);
    PUT(&b, SYNC_ADD64, .ADDRESS = 0, .DATA = 2);
    rig_submit(rig, &jobs[1], 1, 0, &b);
    assert_int_equal(rig_wait(&jobs[1]), 0);
    assert_int_equal(rig_wait(&jobs[0]), 0);
}

/* A fragment job, the next pass's tiling job and a compute job end only if all are under way at once. */
static void jobs_of_three_queues_overlap(void **state)
{
    struct rig *rig = *state;
    struct stream s[3] = {0};
    struct rig_job jobs[3];
    rig_blocks.must_meet = 3;
    PUT(&s[0], RUN_IDVS, 0);
    PUT(&s[1], RUN_FRAGMENT, 0);
    PUT(&s[2], RUN_COMPUTE, 0);
    for (unsigned i = 0; i < 3; i++) {
        put_wait(&s[i], 0xff);
        rig_submit(rig, &jobs[i], 0, i, &s[i]);
    }
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(rig_wait(&jobs[i]), 0);
    assert_int_equal(rig_blocks.met, 3);
}

/* Work that is pending runs while the queue waits for another. */
static void pending_work_runs_in_a_wait(void **state)
{
    struct rig *rig = *state;
    struct stream a = {0}, b = {0};
    struct rig_job jobs[2];
    PUT(&a, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    put_set64(&a, 0, RIG_VA + 0x100);
    put_set64(&a, 2, 1);
    PUT(&a, RUN_FRAGMENT, 0);
    PUT(&a, SYNC_ADD64, .ADDRESS = 0, .DATA = 2, .WAIT_MASK = 1 << 3, .SIGNAL_SLOT = 1);
    put_wait_then_set(&a, 0x110, 0x120);
    put_wait(&a, 0xff);
    put_wait_then_set(&b, 0x100, 0x110);
    rig_submit(rig, &jobs[0], 0, 0, &a);
    rig_submit(rig, &jobs[1], 0, 1, &b);
    assert_int_equal(rig_wait(&jobs[0]), 0);
    assert_int_equal(rig_wait(&jobs[1]), 0);
}

static void waits_compare_as_they_say(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_qw(rig, 0x100) = 0x8000000000000000ull; /* unsigned */
    *rig_dw(rig, 0x110) = 5;
    put_set64(&s, 0, RIG_VA + 0x100);
    put_set64(&s, 2, RIG_VA + 0x110);
    put_set64(&s, 4, 0x7fffffffffffffffull);
    put_set(&s, 6, 5);
    PUT(&s, SYNC_WAIT64, .ADDRESS = 0, .DATA = 4, .CONDITION = MALI_CS_CONDITION_GREATER);
    PUT(&s, SYNC_WAIT32, .ADDRESS = 2, .DATA = 6, .CONDITION = MALI_CS_CONDITION_LEQUAL);
    RUN_OK(rig, &s);
    PUT(&s, SYNC_WAIT32, .ADDRESS = 2, .DATA = 6, .CONDITION = MALI_CS_CONDITION_EQUAL);
    assert_int_equal(rig_run(rig, &s), -EIO);
}

static void a_wait_that_never_ends_is_killed_with_a_report(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    struct rig_job job, other;
    *rig_qw(rig, 0x100) = 3;
    put_set64(&s, 0, RIG_VA + 0x100);
    put_set64(&s, 2, 7);
    PUT(&s, SYNC_WAIT64, .ADDRESS = 0, .DATA = 2, .CONDITION = MALI_CS_CONDITION_GREATER);
    rig_submit(rig, &job, 0, 0, &s);
    usleep(20000);
    uint64_t before = mali_engine_ops.job_progress(rig->engine, &job.base);
    /* The group stands still although another one works. */
    struct stream busy = {0};
    PUT(&busy, RUN_COMPUTE, 0);
    rig_submit(rig, &other, 1, 0, &busy);
    assert_int_equal(rig_wait(&other), 0);
    assert_int_equal(mali_engine_ops.job_progress(rig->engine, &job.base), before);
    assert_false(atomic_load(&job.is_done));
    rig_kill(rig, &job);
    assert_int_equal(rig_wait(&job), -ETIME);
    assert_non_null(strstr(job.report, "holds 3, which is not greater than 7"));
    assert_non_null(strstr(job.report, "SYNC_WAIT64"));
}

/* ---- errors of others ---- */

static void errors_are_inherited_until_the_barrier(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_qw(rig, 0x100) = 1;
    *rig_dw(rig, 0x108) = 1;
    put_set64(&s, 0, RIG_VA + 0x100);
    put_set64(&s, 2, 0);
    put_set64(&s, 4, RIG_VA + 0x200);
    put_set64(&s, 6, RIG_VA + 0x210);
    PUT(&s, SYNC_WAIT64, .ADDRESS = 0, .DATA = 2, .CONDITION = MALI_CS_CONDITION_GREATER, .ERROR_REJECT = 1);
    PUT(&s, RUN_COMPUTE, 0); /* rejected: runs */
    PUT(&s, SYNC_WAIT64, .ADDRESS = 0, .DATA = 2, .CONDITION = MALI_CS_CONDITION_GREATER);
    PUT(&s, RUN_COMPUTE, 0); /* inherited: does not */
    PUT(&s, SYNC_ADD64, .ADDRESS = 4, .DATA = 2, .ERROR_PROPAGATE = 1);
    PUT(&s, ERROR_BARRIER, 0);
    PUT(&s, RUN_COMPUTE, 0);
    PUT(&s, SYNC_ADD64, .ADDRESS = 6, .DATA = 2, .ERROR_PROPAGATE = 1);
    put_wait(&s, 0xff);
    *rig_dw(rig, 0x218) = 5;
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.call_count, 2);
    assert_int_equal(*rig_dw(rig, 0x208), 1);
    assert_int_equal(*rig_dw(rig, 0x218), 0);
}

/* ---- progress, flushes, state ---- */

static void progress_counters_are_seen_by_other_queues(void **state)
{
    struct rig *rig = *state;
    struct stream a = {0}, b = {0};
    struct rig_job jobs[2];
    put_set64(&a, 2, 12);
    PUT(&a, PROGRESS_WAIT, .QUEUE = 1, .SOURCE = 2);
    PUT(&a, PROGRESS_LOAD, .DESTINATION = 4);
    put_dump64(&a, 4, 0x100);
    rig_submit(rig, &jobs[0], 0, 0, &a);
    put_set64(&b, 2, 10);
    PUT(&b, PROGRESS_STORE, .SOURCE = 2);
    PUT(&b, RUN_COMPUTE, .PROGRESS_INCREMENT = 1);
    put_wait(&b, 0xff);
    PUT(&b, WAIT, .WAIT_MASK = 0xff, .PROGRESS_INCREMENT = 1);
    PUT(&b, PROGRESS_LOAD, .DESTINATION = 4);
    put_dump64(&b, 4, 0x110);
    usleep(10000);
    assert_false(atomic_load(&jobs[0].is_done));
    rig_submit(rig, &jobs[1], 0, 1, &b);
    assert_int_equal(rig_wait(&jobs[1]), 0);
    assert_int_equal(rig_wait(&jobs[0]), 0);
    assert_int_equal(*rig_qw(rig, 0x100), 0);
    assert_int_equal(*rig_qw(rig, 0x110), 12);
}

static void flushes_count_and_invalidate(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    PUT(&s, RUN_COMPUTE, 0);
    PUT(&s, FLUSH_CACHE2, .L2_FLUSH_MODE = MALI_CS_FLUSH_MODE_CLEAN, .LATEST_FLUSH_ID = 20, .SIGNAL_SLOT = 1);
    PUT(&s, FLUSH_CACHE2, .OTHER_INVALIDATE = 1, .LATEST_FLUSH_ID = 20, .WAIT_MASK = 1 << 3, .SIGNAL_SLOT = 2);
    put_wait(&s, 1 << 2);
    put_wait(&s, 0xff);
    RUN_OK(rig, &s);
    assert_int_equal(rig_blocks.flush_id, 2);
    assert_int_equal(rig_blocks.call_count, 2);
    assert_int_equal(rig_blocks.calls[0].kind, RIG_COMPUTE);
    assert_int_equal(rig_blocks.calls[1].kind, RIG_INVALIDATE);
}

static void state_is_stored_after_what_it_waits_for(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    const uint32_t freq_Hz = mali_chip_find("mali-g610")->max_freq_Hz;
    uint64_t before = mali_timestamp(), cycles_before = mali_ticks(freq_Hz);
    *rig_qw(rig, 0x110) = *rig_qw(rig, 0x118) = 99;
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    put_set64(&s, 0, RIG_VA + 0x100);
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_TIMESTAMP, .ADDRESS = 0);
    PUT(&s, RUN_COMPUTE, 0);
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_TIMESTAMP, .ADDRESS = 0, .OFFSET = 8, .WAIT_MASK = 1 << 3,
        .SIGNAL_SLOT = 1);
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_CYCLE_COUNT, .ADDRESS = 0, .OFFSET = 32);
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_DISJOINT_COUNT, .ADDRESS = 0, .OFFSET = 16);
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_ERROR_STATUS, .ADDRESS = 0, .OFFSET = 24);
    PUT(&s, TRACE_POINT, .REGISTER_COUNT = 2, .WAIT_MASK = 2, .SIGNAL_SLOT = 4);
    put_wait(&s, 0xff);
    RUN_OK(rig, &s);
    assert_true(*rig_qw(rig, 0x100) >= before);
    assert_true(*rig_qw(rig, 0x108) >= *rig_qw(rig, 0x100));
    assert_true(mali_timestamp() >= *rig_qw(rig, 0x108));
    assert_true(*rig_qw(rig, 0x120) >= cycles_before && *rig_qw(rig, 0x120) <= mali_ticks(freq_Hz));
    assert_int_equal(*rig_qw(rig, 0x110), 0);
    assert_int_equal(*rig_qw(rig, 0x118), 0);
}

/* Whatever is done between the end of the work and the store: signals, after which another queue runs, other stores,
 * loads. Work takes time. */
static void a_time_is_that_of_the_last_wait(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    const unsigned count = 24;
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    put_set64(&s, 0, RIG_VA + 0x100);
    PUT(&s, RUN_COMPUTE, 0);
    for (unsigned i = 0; i < count; i++)
        PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_TIMESTAMP, .ADDRESS = 0, .OFFSET = (int16_t)(8 * i),
            .WAIT_MASK = 1 << 3, .SIGNAL_SLOT = 1);
    put_wait(&s, 0xff);
    PUT(&s, LOAD_MULTIPLE, .ADDRESS = 0, .MASK = 3, .BASE_REGISTER = 10);
    put_wait(&s, 0xff);
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_TIMESTAMP, .ADDRESS = 0, .OFFSET = 8 * 24);
    for (unsigned i = 0; i < 200; i++) { /* longer than a tick */
        PUT(&s, RUN_COMPUTE, 0);
        put_wait(&s, 0xff);
    }
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_TIMESTAMP, .ADDRESS = 0, .OFFSET = 8 * 25);
    const uint64_t before = mali_timestamp();
    RUN_OK(rig, &s);
    assert_true(*rig_qw(rig, 0x100) >= before);
    for (unsigned i = 1; i <= count; i++)
        assert_int_equal(*rig_qw(rig, 0x100 + 8 * i), *rig_qw(rig, 0x100));
    assert_true(*rig_qw(rig, 0x100 + 8 * 25) > *rig_qw(rig, 0x100));
}

/* One that looks for itself whether memory has changed has waited, too. */
static void a_loop_takes_time(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_set64(&s, 0, RIG_VA + 0x100);
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_TIMESTAMP, .ADDRESS = 0);
    PUT(&s, MOVE32, .DESTINATION = 4, .IMMEDIATE = 1000);
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 4, .SOURCE = 4, .IMMEDIATE = -1);
    PUT(&s, BRANCH, .CONDITION = MALI_CS_CONDITION_GREATER, .VALUE = 4, .OFFSET = -2);
    PUT(&s, STORE_STATE, .STATE = MALI_CS_STATE_TIMESTAMP, .ADDRESS = 0, .OFFSET = 8);
    RUN_OK(rig, &s);
    assert_true(*rig_qw(rig, 0x108) > *rig_qw(rig, 0x100));
}

/* ---- sleepers by themselves ---- */

struct dreamer {
    struct mali_gpu gpu;
    struct mali_queue queue;
    _Atomic bool is_killed, is_ended, may_sleep;
    uint32_t value;
    const struct mali_awaited *awaited;
};

static void *dream(void *argument)
{
    struct dreamer *dreamer = argument;
    while (!dreamer->is_ended) {
        if (dreamer->may_sleep)
            mali_sync_sleep(&dreamer->queue, dreamer->awaited, mali_sync_changes(&dreamer->gpu));
        else
            usleep(10);
    }
    return NULL;
}

static bool is_asleep(struct dreamer *dreamer)
{
    pthread_mutex_lock(&dreamer->gpu.sync_lock);
    bool is_empty = list_is_empty(&dreamer->gpu.sleepers);
    pthread_mutex_unlock(&dreamer->gpu.sync_lock);
    return !is_empty;
}

/* How often of a hundred times a sleeper slept on: now and then its time is over at that very moment. */
static unsigned count_deaf(struct dreamer *dreamer, void (*wake)(struct mali_gpu *gpu))
{
    unsigned count = 0;
    for (unsigned i = 0; i < 100; i++) {
        dreamer->may_sleep = true;
        while (!is_asleep(dreamer))
            usleep(10);
        dreamer->may_sleep = false;
        wake(&dreamer->gpu);
        count += is_asleep(dreamer);
    }
    return count;
}

static void only_those_are_woken_that_have_what_they_sleep_for(void **state)
{
    struct dreamer dreamer = {.value = 3};
    const struct mali_awaited greater = {&dreamer.value, 4, false, 4}, at_most = {&dreamer.value, 4, true, 4},
                              hidden = {NULL, 4, false, 4};
    const struct {
        const struct mali_awaited *awaited;
        bool hears_memory, hears_others;
    } rows[] = {{&greater, false, false}, {&at_most, true, false}, {&hidden, true, false}, {NULL, false, true}};
    dreamer.queue = (struct mali_queue){.gpu = &dreamer.gpu, .killed = &dreamer.is_killed};
    pthread_mutex_init(&dreamer.gpu.sync_lock, NULL);
    list_init(&dreamer.gpu.sleepers);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pthread_t thread;
        dreamer.awaited = rows[i].awaited;
        dreamer.is_ended = false;
        assert_int_equal(pthread_create(&thread, NULL, dream, &dreamer), 0);
        assert_int_equal(count_deaf(&dreamer, mali_sync_wake_memory) < 50, rows[i].hears_memory);
        assert_int_equal(count_deaf(&dreamer, mali_sync_wake_others) < 50, rows[i].hears_others);
        assert_true(count_deaf(&dreamer, mali_sync_wake) < 50);
        dreamer.is_ended = true;
        mali_sync_wake(&dreamer.gpu);
        pthread_join(thread, NULL);
    }
    pthread_mutex_destroy(&dreamer.gpu.sync_lock);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        ROW(work_runs_when_it_is_waited_for),
        ROW(every_run_goes_to_its_endpoint),
        ROW(an_iterator_keeps_the_order),
        ROW(draws_that_differ_in_vertices_run_together),
        ROW(draws_with_other_uniforms_run_alone),
        ROW(draws_that_differ_otherwise_run_alone),
        ROW(long_streams_keep_their_order),
        ROW(signals_add_and_set),
        ROW(deferred_signals_come_after_what_they_wait_for),
        ROW(a_wait_for_the_own_slot_is_refused),
        ROW(misplaced_signals_are_refused),
        ROW(queues_wait_for_each_other_in_any_order),
        ROW(groups_run_side_by_side),
        ROW(jobs_of_three_queues_overlap),
        ROW(pending_work_runs_in_a_wait),
        ROW(waits_compare_as_they_say),
        ROW(a_wait_that_never_ends_is_killed_with_a_report),
        ROW(errors_are_inherited_until_the_barrier),
        ROW(progress_counters_are_seen_by_other_queues),
        ROW(flushes_count_and_invalidate),
        ROW(state_is_stored_after_what_it_waits_for),
        ROW(a_time_is_that_of_the_last_wait),
        ROW(a_loop_takes_time),
        cmocka_unit_test(only_those_are_woken_that_have_what_they_sleep_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
