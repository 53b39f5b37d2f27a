/* Promises of the writer of command streams, on the machine that reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mali/driver/stream_flow.h"
#include "mali/driver/stream_put.h"
#include "programs.h"
#include "rig.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/object/vk_alloc.h"

#define CHUNKS 6
#define CHUNK_B (RIG_STREAM_B + 0x10000) /* the first one; before it the ring buffer */
#define CELLS_B 0x1000
#define CELLS_REG 86

/* ---- chunks in the rig's buffer ---- */

static struct rig *rig;
static struct vk_device device;
static struct vk_chunk_pool pool;
static struct vk_rest rest;
static unsigned chunks_left;

static struct vk_bo *create_bo(struct vk_device *base, uint32_t size_B)
{
    const unsigned count = (size_B + VK_CHUNK_B - 1) / VK_CHUNK_B;
    if (chunks_left < count)
        return NULL;
    chunks_left -= count;
    const uint32_t at_B = CHUNK_B + (CHUNKS - chunks_left - count) * VK_CHUNK_B;
    struct vk_bo *bo = malloc(sizeof(*bo));
    if (bo)
        *bo = (struct vk_bo){.va = RIG_VA + at_B, .size_B = size_B, .map = rig->map + at_B};
    return bo;
}

static void destroy_bo(struct vk_device *base, struct vk_bo *bo)
{
    free(bo);
}

static int setup(void **state)
{
    if (rig_setup(state) != 0)
        return -1;
    rig = *state;
    chunks_left = CHUNKS;
    device.alloc = vk_default_allocator;
    rest = (struct vk_rest){0};
    vk_chunk_pool_init(&pool, &device, create_bo, destroy_bo);
    return 0;
}

static int teardown(void **state)
{
    vk_rest_drop(&pool, &rest);
    vk_chunk_pool_finish(&pool);
    return rig_teardown(state);
}

static void begin_stream(struct mali_stream *s)
{
    mali_stream_init(s, &pool, &rest, 0);
}

/* As the kernel does: a ring buffer that calls the stream. */
static void run_stream(struct mali_stream *s)
{
    struct stream ring = {0};
    mali_stream_end(s);
    assert_int_equal(s->error, VK_SUCCESS);
    const struct mali_piece first = mali_stream_first(s);
    rig->stream_B = RIG_STREAM_B;
    if (first.chunk)
        put_call(&ring, first.va, first.size_B / 8);
    if (rig_run(rig, &ring) != 0)
        fail_msg("%s", rig->report);
}

static uint32_t count_words(const struct mali_stream *s)
{
    uint32_t count = 0;
    for (struct mali_piece piece = mali_stream_first(s); piece.chunk; piece = mali_stream_next(s, &piece))
        count += piece.size_B / 8;
    return count;
}

static void put_cells(struct mali_stream *s)
{
    mali_set64(s, mali_d(CELLS_REG), RIG_VA + CELLS_B);
}

/* ---- statements ---- */

static void values_that_are_known_are_not_written_again(void **state)
{
    struct mali_stream s;
    begin_stream(&s);
    mali_set64(&s, mali_d(2), 0x123456789abcull);
    mali_set64(&s, mali_d(2), 0x123456789abcull);
    mali_set32(&s, mali_r(2), 0x56789abc);
    mali_set32(&s, mali_r(3), 0x1234);
    mali_stream_end(&s);
    assert_int_equal(count_words(&s), 1);
    mali_stream_reset(&s);
    mali_set64(&s, mali_d(2), 0x123456789abcull);
    mali_set64(&s, mali_d(2), 0x123456789abdull); /* the high half stays */
    mali_put_add32(&s, mali_r(2), mali_r(2), 1);
    mali_set32(&s, mali_r(2), 0x56789abd); /* a sum is not known */
    mali_stream_end(&s);
    assert_int_equal(count_words(&s), 4);
    mali_stream_finish(&s);
}

static void nothing_is_known_after_a_call(void **state)
{
    struct mali_stream s, callee;
    begin_stream(&callee);
    mali_set32(&callee, mali_r(1), 7);
    mali_stream_end(&callee);
    const struct mali_piece piece = mali_stream_first(&callee);
    begin_stream(&s);
    put_cells(&s);
    mali_set32(&s, mali_r(1), 5);
    mali_set64(&s, mali_d(10), piece.va);
    mali_set32(&s, mali_r(12), piece.size_B);
    mali_put_call(&s, mali_d(10), mali_r(12));
    mali_put_store32(&s, mali_r(1), mali_d(CELLS_REG), 0);
    mali_set32(&s, mali_r(1), 5);
    mali_put_store32(&s, mali_r(1), mali_d(CELLS_REG), 4);
    run_stream(&s);
    assert_int_equal(*rig_dw(rig, CELLS_B), 7);
    assert_int_equal(*rig_dw(rig, CELLS_B + 4), 5);
    mali_stream_finish(&s);
    mali_stream_finish(&callee);
}

/* One wait for all loads, where the first of them is used. */
static void loads_are_waited_for_once(void **state)
{
    struct mali_stream s;
    begin_stream(&s);
    put_cells(&s);
    for (unsigned i = 0; i < 4; i++)
        mali_put_load32(&s, mali_r(i), mali_d(CELLS_REG), (int16_t)(4 * i));
    for (unsigned i = 0; i < 4; i++)
        mali_put_add32(&s, mali_r(i), mali_r(i), 1);
    mali_stream_end(&s);
    assert_int_equal(count_words(&s), 1 + 4 + 1 + 4);
    mali_stream_finish(&s);
}

static void streams_go_on_in_the_next_chunk(void **state)
{
    struct mali_stream s;
    const uint32_t count = 3 * VK_CHUNK_B / 8;
    begin_stream(&s);
    put_cells(&s);
    mali_set32(&s, mali_r(0), 0);
    for (uint32_t i = 0; i < count; i++)
        mali_put_add32(&s, mali_r(0), mali_r(0), 1);
    mali_put_store32(&s, mali_r(0), mali_d(CELLS_REG), 0);
    run_stream(&s);
    assert_int_equal(*rig_dw(rig, CELLS_B), count);
    assert_int_equal(chunks_left, CHUNKS - 4);
    mali_stream_finish(&s);
}

/* A block that does not fit into what is left of a chunk lies in the next one as a whole; a large one has a chunk of
 * its own size. */
static void blocks_are_not_cut(void **state)
{
    struct mali_stream s;
    struct mali_block block;
    const uint32_t before = VK_CHUNK_B / 8 - 100, counts[] = {200, VK_CHUNK_B / 8 + 1000};
    for (unsigned i = 0; i < 2; i++) {
        begin_stream(&s);
        put_cells(&s);
        mali_set32(&s, mali_r(0), 0);
        for (uint32_t n = 0; n < before; n++)
            mali_put_add32(&s, mali_r(0), mali_r(0), 1);
        mali_set32(&s, mali_r(1), 2);
        mali_loop_begin(&s, &block);
        for (uint32_t n = 0; n < counts[i]; n++)
            mali_put_add32(&s, mali_r(0), mali_r(0), 1);
        mali_put_add32(&s, mali_r(1), mali_r(1), -1);
        mali_loop_end(&s, &block, MALI_CS_CONDITION_NEQUAL, mali_r(1));
        mali_put_store32(&s, mali_r(0), mali_d(CELLS_REG), 0);
        run_stream(&s);
        assert_int_equal(*rig_dw(rig, CELLS_B), before + 2 * counts[i]);
        mali_stream_finish(&s);
    }
}

static void a_branch_too_far_is_an_error(void **state)
{
    struct mali_stream s;
    struct mali_block block;
    begin_stream(&s);
    mali_if_begin(&s, &block, MALI_CS_CONDITION_EQUAL, mali_r(0));
    for (unsigned i = 0; i < 40000; i++)
        mali_put_add32(&s, mali_r(0), mali_r(0), 1);
    mali_if_end(&s, &block);
    mali_stream_end(&s);
    assert_int_equal(s.error, VK_ERROR_UNKNOWN);
    assert_non_null(strstr(s.why, "32,767"));
    mali_stream_finish(&s);
}

static void small_streams_share_a_chunk(void **state)
{
    struct mali_stream streams[8];
    for (unsigned i = 0; i < 8; i++) {
        begin_stream(&streams[i]);
        put_cells(&streams[i]);
        mali_set32(&streams[i], mali_r(0), 100 + i);
        mali_put_store32(&streams[i], mali_r(0), mali_d(CELLS_REG), (int16_t)(4 * i));
        mali_stream_end(&streams[i]);
    }
    assert_int_equal(chunks_left, CHUNKS - 1);
    for (unsigned i = 0; i < 8; i++) {
        run_stream(&streams[i]);
        assert_int_equal(*rig_dw(rig, CELLS_B + 4 * i), 100 + i);
    }
    for (unsigned i = 0; i < 8; i++)
        mali_stream_finish(&streams[i]);
}

/* The error stays, whatever is written after it, in blocks and out of them. */
static void without_memory_a_stream_goes_on_and_remembers(void **state)
{
    struct mali_stream s;
    struct mali_block outer, inner;
    begin_stream(&s);
    chunks_left = 1;
    mali_if_begin(&s, &outer, MALI_CS_CONDITION_EQUAL, mali_r(0));
    for (unsigned i = 0; i < 10000; i++)
        mali_put_add32(&s, mali_r(0), mali_r(0), 1);
    mali_if_end(&s, &outer);
    assert_int_equal(s.error, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    mali_loop_begin(&s, &outer);
    mali_match_begin(&s, &inner, mali_r(0), mali_r(1));
    mali_match_case(&s, &inner, 5);
    mali_put_load32(&s, mali_r(0), mali_d(2), 0);
    mali_match_end(&s, &inner);
    mali_loop_end(&s, &outer, MALI_CS_CONDITION_EQUAL, mali_r(0));
    mali_stream_end(&s);
    assert_int_equal(s.error, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    /* After a reset it is as new. */
    chunks_left = CHUNKS;
    mali_stream_reset(&s);
    put_cells(&s);
    mali_set32(&s, mali_r(0), 9);
    mali_put_store32(&s, mali_r(0), mali_d(CELLS_REG), 0);
    run_stream(&s);
    assert_int_equal(*rig_dw(rig, CELLS_B), 9);
    mali_stream_finish(&s);
}

static void registers_are_written_where_they_may_be(void **state)
{
    struct mali_stream s;
    begin_stream(&s);
    const mali_reg_set before = mali_stream_allow(&s, MALI_REGS_COMPUTE);
    mali_set32(&s, mali_r(39), 1);
    assert_int_equal(s.error, VK_SUCCESS);
    const mali_reg_set outer = mali_stream_allow(&s, MALI_REGS_IDVS); /* no more than before */
    mali_set32(&s, mali_r(40), 1);
    assert_int_equal(s.error, VK_ERROR_UNKNOWN);
    mali_stream_reset(&s);
    mali_stream_allow_again(&s, outer);
    mali_stream_allow_again(&s, before);
    mali_set32(&s, mali_r(40), 1);
    assert_int_equal(s.error, VK_SUCCESS);
    mali_set32(&s, mali_r(MALI_STREAM_LINK_LENGTH), 1); /* links need it */
    assert_int_equal(s.error, VK_ERROR_UNKNOWN);
    mali_stream_finish(&s);
}

/* A stream stores and signals, and another one that waits for the signal finds what was stored. */
static void signals_come_after_stores(void **state)
{
    struct mali_stream s;
    begin_stream(&s);
    put_cells(&s);
    mali_set64(&s, mali_d(2), RIG_VA + CELLS_B + 64);
    mali_set32(&s, mali_r(0), 77);
    mali_set64(&s, mali_d(4), 1);
    mali_put_store32(&s, mali_r(0), mali_d(CELLS_REG), 0);
    const uint32_t words = (uint32_t)(s.next - s.start);
    mali_put_sync_add64(&s, MALI_CS_SYNC_SCOPE_CSG, mali_d(2), mali_d(4), MALI_NOW);
    assert_int_equal(s.next - s.start, words + 2); /* with a wait */
    mali_put_store32(&s, mali_r(0), mali_d(CELLS_REG), 4);
    mali_put_sync_add64(&s, MALI_CS_SYNC_SCOPE_CSG, mali_d(2), mali_d(4), (struct mali_deferred){1, 1});
    assert_int_equal(s.next - s.start, words + 4); /* it waits itself */
    mali_put_wait(&s, 2);
    mali_set64(&s, mali_d(4), 1);
    mali_put_sync_wait64(&s, MALI_CS_CONDITION_GREATER, mali_d(2), mali_d(4));
    run_stream(&s);
    assert_int_equal(*rig_qw(rig, CELLS_B + 64), 2);
    mali_stream_finish(&s);
}

static void random_programs_do_what_they_say(void **state)
{
    struct program_state expected;
    struct mali_stream s;
    begin_stream(&s);
    for (uint32_t seed = 0; seed < 2000; seed++) {
        struct program *program = program_make(seed);
        for (uint32_t i = 0; i < PROGRAM_CELLS; i++)
            rig_dw(rig, CELLS_B)[i] = expected.cells[i] = i % 5 ? i * 0x9e3779b9u : i;
        for (uint32_t i = 0; i < PROGRAM_REGS; i++)
            expected.regs[i] = i % 4;
        program_run(program, &expected);
        put_cells(&s);
        for (uint32_t i = 0; i < PROGRAM_REGS; i++)
            mali_set32(&s, mali_r(i), i % 4);
        program_write(program, &s, mali_d(CELLS_REG));
        mali_put_store(&s, mali_r(0), (1u << PROGRAM_REGS) - 1, mali_d(CELLS_REG), 4 * PROGRAM_CELLS);
        run_stream(&s);
        for (uint32_t i = 0; i < PROGRAM_CELLS; i++) {
            if (rig_dw(rig, CELLS_B)[i] != expected.cells[i])
                fail_msg("seed %u: cell %u is %#x, not %#x", seed, i, rig_dw(rig, CELLS_B)[i], expected.cells[i]);
        }
        for (uint32_t i = 0; i < PROGRAM_REGS; i++) {
            const uint32_t found = rig_dw(rig, CELLS_B)[PROGRAM_CELLS + i];
            if (found != expected.regs[i])
                fail_msg("seed %u: r%u is %#x, not %#x", seed, i, found, expected.regs[i]);
        }
        program_free(program);
        mali_stream_reset(&s);
    }
    mali_stream_finish(&s);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        ROW(values_that_are_known_are_not_written_again),
        ROW(nothing_is_known_after_a_call),
        ROW(loads_are_waited_for_once),
        ROW(streams_go_on_in_the_next_chunk),
        ROW(blocks_are_not_cut),
        ROW(a_branch_too_far_is_an_error),
        ROW(small_streams_share_a_chunk),
        ROW(without_memory_a_stream_goes_on_and_remembers),
        ROW(registers_are_written_where_they_may_be),
        ROW(signals_come_after_stores),
        ROW(random_programs_do_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
