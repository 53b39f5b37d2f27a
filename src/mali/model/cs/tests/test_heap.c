/* The tiler's heap: chunks from the kernel, passes in flight, and the exception of an exhausted heap. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "rig.h"

#define HEAP_VA (RIG_VA + 0x1000)
#define DONE_B 0x100 /* the tiling queue's signal */

static void put_heap(struct stream *s, uint64_t va)
{
    put_set64(s, 80, va);
    PUT(s, HEAP_SET, .ADDRESS = 80);
}

/* Tile, then signal when that is done. */
static void put_tiling(struct stream *s)
{
    put_heap(s, HEAP_VA);
    PUT(s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    PUT(s, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_VERTEX_TILER_STARTED);
    PUT(s, RUN_IDVS, 0);
    put_set64(s, 0, RIG_VA + DONE_B);
    put_set64(s, 2, 1);
    PUT(s, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_VERTEX_TILER_COMPLETED, .WAIT_MASK = 1 << 3,
        .SIGNAL_SLOT = 1);
    PUT(s, SYNC_ADD64, .ADDRESS = 0, .DATA = 2, .WAIT_MASK = 1 << 3, .SIGNAL_SLOT = 1);
    put_wait(s, 0xff);
}

static void put_wait_for_tiling(struct stream *s)
{
    put_set64(s, 0, RIG_VA + DONE_B);
    put_set64(s, 2, 0);
    PUT(s, SYNC_WAIT64, .ADDRESS = 0, .DATA = 2, .CONDITION = MALI_CS_CONDITION_GREATER);
}

/* A handler that renders, gives chunks back, and counts itself in r70. */
static uint64_t place_handler(struct rig *rig, uint32_t *count_out)
{
    struct stream s = {0};
    PUT(&s, RUN_FRAGMENT, 0);
    put_wait(&s, 1 << 4);
    put_set64(&s, 72, rig_blocks.frees_nothing ? 0 : 0x10000);
    put_set64(&s, 74, rig_blocks.frees_nothing ? 0 : 0x20000);
    PUT(&s, FINISH_FRAGMENT, .FIRST_HEAP_CHUNK = 72, .LAST_HEAP_CHUNK = 74);
    PUT(&s, ADD_IMMEDIATE32, .DESTINATION = 70, .SOURCE = 70, .IMMEDIATE = 1);
    *count_out = s.count;
    return rig_place(rig, &s);
}

static void put_handler(struct stream *s, uint64_t va, uint32_t count)
{
    put_set64(s, 76, va);
    put_set(s, 78, 8 * count);
    PUT(s, SET_EXCEPTION_HANDLER, .EXCEPTION_TYPE = MALI_CS_EXCEPTION_TILER_OOM, .ADDRESS = 76, .LENGTH = 78);
}

static void the_kernel_gives_chunks(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    rig_blocks.starvations = 2;
    rig_blocks.chunks_left = 2;
    put_tiling(&s);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(rig_blocks.chunk, 0x12345000);
    assert_int_equal(rig_blocks.chunks_left, 0);
    assert_int_equal(rig_blocks.passes_in_flight, 1);
    assert_int_equal(rig_blocks.passes_tiled, 0);
}

static void passes_are_counted(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_heap(&s, HEAP_VA);
    for (unsigned i = 0; i < 5; i++)
        PUT(&s, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_VERTEX_TILER_STARTED);
    for (unsigned i = 0; i < 3; i++)
        PUT(&s, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_VERTEX_TILER_COMPLETED);
    PUT(&s, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_FRAGMENT_COMPLETED);
    PUT(&s, FINISH_FRAGMENT, .INCREMENT_FRAGMENT_COMPLETED = 1, .FIRST_HEAP_CHUNK = 50, .LAST_HEAP_CHUNK = 50);
    PUT(&s, RUN_IDVS, 0);
    put_wait(&s, 0xff);
    rig_blocks.starvations = rig_blocks.chunks_left = 1;
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(rig_blocks.passes_in_flight, 3);
    assert_int_equal(rig_blocks.passes_tiled, 1);
    assert_int_equal(rig_blocks.call_count, 1); /* nothing was freed of addresses that are 0 */
}

static void a_queue_without_a_heap_is_refused(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, RUN_IDVS, 0);
    rig_blocks.starvations = 1;
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_non_null(strstr(rig->report, "HEAP_SET was not executed"));
    s.count = 0;
    put_heap(&s, RIG_UNMAPPED_VA);
    PUT(&s, RUN_IDVS, 0);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_non_null(strstr(rig->report, "the kernel has no heap"));
}

/* The handler is the fragment queue's, and runs while that waits for the tiler that starves. */
static void a_handler_runs_while_its_queue_waits(void **state)
{
    struct rig *rig = *state;
    struct stream tiling = {0}, fragment = {0};
    struct rig_job jobs[2];
    uint32_t count;
    uint64_t handler_va = place_handler(rig, &count);
    rig_blocks.starvations = 3;
    put_tiling(&tiling);
    put_heap(&fragment, HEAP_VA);
    put_set(&fragment, 70, 0);
    PUT(&fragment, SET_SB_ENTRY, .ENDPOINT_ENTRY = 4, .OTHER_ENTRY = 0);
    put_handler(&fragment, handler_va, count);
    put_wait_for_tiling(&fragment);
    put_dump(&fragment, 70, 0x200);
    rig_submit(rig, &jobs[0], 0, 0, &tiling);
    rig_submit(rig, &jobs[1], 0, 1, &fragment);
    assert_int_equal(rig_wait(&jobs[0]), 0);
    assert_int_equal(rig_wait(&jobs[1]), 0);
    assert_int_equal(*rig_dw(rig, 0x200), 3);
    unsigned freed = 0;
    for (unsigned i = 0; i < rig_blocks.call_count; i++) {
        const struct rig_call *call = &rig_blocks.calls[i];
        if (call->kind == RIG_FREE) {
            assert_int_equal(call->queue, 1);
            assert_int_equal(call->first_va, 0x10000);
            assert_int_equal(call->last_va, 0x20000);
            freed++;
        }
    }
    assert_int_equal(freed, 3);
}

/* The exception stays pending until a handler is registered. */
static void an_exception_waits_for_its_handler(void **state)
{
    struct rig *rig = *state;
    struct stream tiling = {0}, fragment = {0};
    struct rig_job jobs[2];
    uint32_t count;
    uint64_t handler_va = place_handler(rig, &count);
    rig_blocks.starvations = 1;
    put_tiling(&tiling);
    put_heap(&fragment, HEAP_VA);
    PUT(&fragment, SET_SB_ENTRY, .ENDPOINT_ENTRY = 4, .OTHER_ENTRY = 0);
    put_handler(&fragment, 0, 0); /* none */
    put_set64(&fragment, 0, RIG_VA + 0x300);
    put_set64(&fragment, 2, 0);
    PUT(&fragment, SYNC_WAIT64, .ADDRESS = 0, .DATA = 2, .CONDITION = MALI_CS_CONDITION_GREATER); /* the host */
    put_handler(&fragment, handler_va, count);
    put_wait_for_tiling(&fragment);
    rig_submit(rig, &jobs[0], 0, 0, &tiling);
    rig_submit(rig, &jobs[1], 0, 1, &fragment);
    while (!atomic_load(&rig_blocks.call_count))
        usleep(1000);
    usleep(20000);
    assert_false(atomic_load(&jobs[0].is_done));
    assert_int_equal(rig_blocks.call_count, 1); /* RUN_IDVS has begun, and nothing else */
    __atomic_store_n(rig_qw(rig, 0x300), 1, __ATOMIC_RELEASE);
    assert_int_equal(rig_wait(&jobs[0]), 0);
    assert_int_equal(rig_wait(&jobs[1]), 0);
}

/* A queue that does everything: its handler runs while it waits for its own tiling job. */
static void one_queue_handles_its_own_exception(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    uint32_t count;
    uint64_t handler_va = place_handler(rig, &count);
    rig_blocks.starvations = 2;
    put_heap(&s, HEAP_VA);
    put_handler(&s, handler_va, count);
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    PUT(&s, RUN_IDVS, 0);
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 4, .OTHER_ENTRY = 0);
    put_set(&s, 70, 100); /* the handler sees the registers as they are in the wait */
    put_wait(&s, 1 << 3);
    put_dump(&s, 70, 0x200);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0x200), 102);
}

/* A pass that is tiled gives chunks back without any handler. */
static void earlier_passes_give_chunks_back(void **state)
{
    struct rig *rig = *state;
    struct stream tiling = {0}, fragment = {0};
    struct rig_job jobs[2];
    put_heap(&tiling, HEAP_VA);
    PUT(&tiling, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_VERTEX_TILER_STARTED);
    PUT(&tiling, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_VERTEX_TILER_COMPLETED);
    put_tiling(&tiling);
    put_heap(&fragment, HEAP_VA);
    put_set64(&fragment, 72, 0x10000);
    PUT(&fragment, FINISH_FRAGMENT, .INCREMENT_FRAGMENT_COMPLETED = 1, .FIRST_HEAP_CHUNK = 72, .LAST_HEAP_CHUNK = 72);
    rig_blocks.starvations = 1;
    rig_submit(rig, &jobs[0], 0, 0, &tiling);
    while (!atomic_load(&rig_blocks.call_count))
        usleep(1000);
    usleep(20000);
    assert_false(atomic_load(&jobs[0].is_done));
    rig_submit(rig, &jobs[1], 0, 1, &fragment);
    assert_int_equal(rig_wait(&jobs[1]), 0);
    assert_int_equal(rig_wait(&jobs[0]), 0);
}

/* They may come between the tiler's look at the heap's list and its wait: then there is nothing to wait for any
 * more. */
static void chunks_that_came_back_are_not_waited_for(void **state)
{
    struct rig *rig = *state;
    struct stream tiling = {0}, fragment = {0};
    struct rig_job jobs[2];
    put_tiling(&tiling);
    put_heap(&fragment, HEAP_VA);
    put_set64(&fragment, 72, 0x10000);
    PUT(&fragment, FINISH_FRAGMENT, .FIRST_HEAP_CHUNK = 72, .LAST_HEAP_CHUNK = 72);
    rig_blocks.starvations = 1;
    rig_blocks.is_slow = true;
    rig_submit(rig, &jobs[0], 0, 0, &tiling);
    while (!atomic_load(&rig_blocks.call_count))
        usleep(1000);
    usleep(5000);
    rig_submit(rig, &jobs[1], 0, 1, &fragment);
    assert_int_equal(rig_wait(&jobs[1]), 0);
    assert_int_equal(rig_wait(&jobs[0]), 0);
    assert_int_equal(rig_blocks.chunk, 0);
}

static void an_exhausted_heap_without_a_handler_is_a_hang(void **state)
{
    struct rig *rig = *state;
    struct stream tiling = {0};
    struct rig_job job;
    rig_blocks.starvations = 1;
    put_tiling(&tiling);
    rig_submit(rig, &job, 0, 0, &tiling);
    while (!atomic_load(&rig_blocks.call_count))
        usleep(1000);
    usleep(20000);
    assert_false(atomic_load(&job.is_done));
    rig_kill(rig, &job);
    assert_int_equal(rig_wait(&job), -ETIME);
    assert_non_null(strstr(job.report, "is exhausted, and no exception handler frees chunks"));
}

static void a_handler_that_frees_nothing_ends_the_job(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    uint32_t count;
    rig_blocks.frees_nothing = true;
    uint64_t handler_va = place_handler(rig, &count);
    rig_blocks.starvations = 1;
    put_heap(&s, HEAP_VA);
    put_handler(&s, handler_va, count);
    PUT(&s, SET_SB_ENTRY, .ENDPOINT_ENTRY = 4, .OTHER_ENTRY = 0);
    PUT(&s, RUN_IDVS, 0);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_non_null(strstr(rig->report, "waits for slot 4, which holds what it interrupts"));
    s.words[s.count - 2] = MALI_CS(SET_SB_ENTRY, .ENDPOINT_ENTRY = 3, .OTHER_ENTRY = 0);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_non_null(strstr(rig->report, "has freed no chunk"));
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        ROW(the_kernel_gives_chunks),
        ROW(passes_are_counted),
        ROW(a_queue_without_a_heap_is_refused),
        ROW(a_handler_runs_while_its_queue_waits),
        ROW(an_exception_waits_for_its_handler),
        ROW(one_queue_handles_its_own_exception),
        ROW(earlier_passes_give_chunks_back),
        ROW(chunks_that_came_back_are_not_waited_for),
        ROW(an_exhausted_heap_without_a_handler_is_a_hang),
        ROW(a_handler_that_frees_nothing_ends_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
