/* Buffers, conditions, registers, moves, waits and ends of the command processor, through the engine's interface. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/hw/regs_cp.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_rbbm.h"
#include "adreno/hw/table.h"
#include "adreno/model/cp/cp_machine.h"
#include "rig.h"

#define assert_report(rig, words) assert_non_null(strstr((rig)->report, words))

#define REG_A ADRENO_REG_RB_BLEND_CONSTANT_RED_FP32
#define REG_B ADRENO_REG_RB_BLEND_CONSTANT_GREEN_FP32

static void put_call(struct stream *s, uint64_t va, uint32_t size_dw)
{
    PUT(s, CP_INDIRECT_BUFFER, .IB_BASE = va, .IB_SIZE = size_dw);
}

/* ---- the tables ---- */

static void every_executed_packet_has_a_handler(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    for (unsigned i = 0; i < adreno_packet_count; i++) {
        const struct hw_packet *packet = &adreno_packets[i];
        if (packet->policy == HW_POLICY_STOP)
            continue;
        /* a packet of zeros may be wrong in many ways, but never unknown */
        s.count = 0;
        for (unsigned n = 0; n < packet->length_dw[0]; n++)
            s.dw[s.count++] = 0;
        s.dw[0] = adreno_pkt7_header((unsigned)packet->opcode[0], s.count);
        rig_run(rig, &s);
        if (strstr(rig->report, "no handler") || strstr(rig->report, "opcode"))
            fail_msg("%s: %s", hw_name(packet), rig->report);
    }
}

/* ---- buffers ---- */

static void empty_job_and_nop_end_well(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    assert_int_equal(rig_run(rig, &s), 0);
    PUT(&s, CP_NOP, .tail_dw = 3);
    PUT_WORDS(&s, 0x12345678, 0, 0xffffffff);
    put_store(&s, 0, 77);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 77);
}

static void three_levels_of_buffers_and_no_fourth(void **state)
{
    struct rig *rig = *state;
    struct stream fourth = {0}, third = {0}, second = {0}, s = {0};
    put_store(&third, 0, 3);
    uint64_t third_va = rig_place(rig, &third);
    put_call(&second, third_va, third.count);
    put_store(&second, 4, 2);
    uint64_t second_va = rig_place(rig, &second);
    put_call(&s, second_va, second.count);
    put_store(&s, 8, 1);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 3);
    assert_int_equal(*rig_dw(rig, 4), 2);
    assert_int_equal(*rig_dw(rig, 8), 1);

    put_call(&fourth, third_va, third.count);
    uint64_t fourth_va = rig_place(rig, &fourth);
    second.count = s.count = 0;
    put_call(&second, fourth_va, fourth.count);
    second_va = rig_place(rig, &second);
    put_call(&s, second_va, second.count);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_report(rig, "a call from a buffer of level 3");
    assert_report(rig, "in the call of 0x");
}

static void chain_replaces_its_buffer_and_returns_to_the_caller(void **state)
{
    struct rig *rig = *state;
    struct stream last = {0}, first = {0}, s = {0};
    put_store(&last, 0, 5);
    uint64_t last_va = rig_place(rig, &last);
    PUT(&first, CP_INDIRECT_BUFFER_CHAIN, .IB_BASE = last_va, .IB_SIZE = last.count);
    uint64_t first_va = rig_place(rig, &first);
    put_call(&s, first_va, first.count);
    put_store(&s, 4, 6);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 5);
    assert_int_equal(*rig_dw(rig, 4), 6);

    put_store(&first, 8, 1); /* after the chain */
    first_va = rig_place(rig, &first);
    s.count = 0;
    put_call(&s, first_va, first.count);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_report(rig, "not the last packet");
}

static void endless_chain_makes_no_progress_and_can_be_killed(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    static struct rig_job job;
    PUT(&s, CP_INDIRECT_BUFFER_CHAIN, .IB_BASE = RIG_VA + rig->stream_B, .IB_SIZE = 4);
    rig_submit(rig, &job, &s);
    uint64_t before = 1, after = 0;
    for (unsigned i = 0; i < 6000 && before != after; i++) {
        before = adreno_engine_ops.progress(rig->engine);
        usleep(10000);
        after = adreno_engine_ops.progress(rig->engine);
        before = after ? before : 1;
    }
    assert_int_equal(before, after);
    rig_kill(rig, &job);
    rig_wait(&job);
    assert_int_equal(job.error, -ETIME);
}

static void headers_need_their_parity(void **state)
{
    struct rig *rig = *state;
    const uint32_t good = adreno_pkt7_header(ADRENO_PKT_CP_NOP, 1), good4 = adreno_pkt4_header(REG_A, 1);
    for (unsigned i = 0; i < 4; i++) {
        struct stream s = {0};
        static const uint32_t bits[4] = {1u << 15, 1u << 23, 1u << 7, 1u << 27};
        PUT_WORDS(&s, (i < 2 ? good : good4) ^ bits[i], 0);
        assert_int_equal(rig_run(rig, &s), -EIO);
        assert_report(rig, "no header of a packet");
    }
}

static void broken_streams_end_their_job_and_say_where(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_store(&s, 0, 1);
    PUT_WORDS(&s, adreno_pkt7_header(0x02, 1));
    assert_int_equal(rig_run(rig, &s), -ENOSYS);
    assert_report(rig, "opcode 0x02 is not in the tables");
    assert_report(rig, "CP_MEM_WRITE");
    assert_report(rig, "-> +000010");

    s.count = 0;
    PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_NOP, 5));
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_report(rig, "a packet of 5 dwords, but the buffer has only 1 more");

    s.count = 0;
    put_call(&s, RIG_UNMAPPED_VA, 4);
    assert_int_equal(rig_run(rig, &s), -EFAULT);
    assert_report(rig, "fetch of a stream: a read of 4 bytes at 0x104000000");
    assert_report(rig, "the rig has nothing at");

    s.count = 0;
    PUT(&s, CP_SMMU_TABLE_UPDATE, .TTBR0 = 0x1000);
    assert_int_equal(rig_run(rig, &s), -ENOSYS);
    assert_report(rig, "the kernel protects it");
}

/* ---- registers ---- */

static void registers_stay_from_job_to_job_and_are_gone_after_a_lost_one(void **state)
{
    struct rig *rig = *state;
    struct stream set = {0}, get = {0}, bad = {0};
    put_reg(&set, REG_A, 0x1234);
    put_read(&get, REG_A, 0);
    PUT_WORDS(&bad, 0);
    assert_int_equal(rig_run(rig, &set), 0);
    assert_int_equal(rig_run(rig, &get), 0);
    assert_int_equal(*rig_dw(rig, 0), 0x1234);
    assert_int_equal(rig_run(rig, &bad), -EIO);
    assert_int_equal(rig_run(rig, &get), 0);
    assert_int_equal(*rig_dw(rig, 0), 0);
}

static void unknown_and_protected_registers_are_refused(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_reg(&s, 0x8fff - 0x100, 1); /* RB's range has a hole there */
    assert_true(rig_run(rig, &s) != 0);
    s.count = 0;
    put_reg(&s, ADRENO_REG_CP_RB_CNTL, 1);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_report(rig, "CP_RB_CNTL");
    assert_report(rig, "the kernel protects it");
    s.count = 0;
    put_read(&s, ADRENO_REG_CP_RB_CNTL, 0);
    assert_int_equal(rig_run(rig, &s), -EIO);
}

static void both_halves_of_a_wide_register_are_written(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_reg64(&s, ADRENO_REG_RB_SAMPLE_COUNTER_BASE, 0x1122334455667788ull);
    PUT(&s, CP_REG_TO_MEM, .REG = ADRENO_REG_RB_SAMPLE_COUNTER_BASE, .CNT = 2, .WIDE = true, .DEST = RIG_VA);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_qw(rig, 0), 0x1122334455667788ull);
}

static void bunch_and_rmw_and_scratch(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, CP_CONTEXT_REG_BUNCH, .tail_dw = 4);
    PUT_WORDS(&s, REG_A, 0xf0f0, REG_B, 3);
    put_read(&s, REG_B, 0);
    PUT(&s, CP_REG_RMW, .DST_REG = REG_A, .ROTATE = 4, .SRC0 = 0xff00, .SRC1 = 1);
    put_read(&s, REG_A, 4);
    PUT(&s, CP_REG_RMW, .DST_REG = REG_A, .SRC1_ADD = true, .SRC1_IS_REG = true, .SRC0 = ~0u, .SRC1 = REG_B);
    put_read(&s, REG_A, 8);
    PUT(&s, CP_REG_TO_SCRATCH, .REG = REG_A, .SCRATCH = 2, .CNT = 1); /* one more than CNT */
    PUT(&s, CP_SCRATCH_TO_REG, .REG = REG_A, .SCRATCH = 3, .CNT = 0);
    put_read(&s, REG_A, 12);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 3);
    assert_int_equal(*rig_dw(rig, 4), 0xf0001);
    assert_int_equal(*rig_dw(rig, 8), 0xf0004);
    assert_int_equal(*rig_dw(rig, 12), 3);
}

/* ---- conditions ---- */

/* A store that runs only if the condition before it holds. */
static uint32_t conditional_store(struct stream *s, uint32_t offset_B)
{
    put_store(s, offset_B, 1);
    return 4;
}

static void reg_test_decides_cond_reg_exec(void **state)
{
    struct rig *rig = *state;
    for (unsigned bit = 0; bit < 2; bit++) {
        struct stream s = {0};
        put_store(&s, 0, 0);
        put_reg(&s, REG_A, 1u << 5);
        PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_REG_TEST, 2), REG_A | (4 + bit) << 20 | 3u << 26);
        PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_COND_REG_EXEC, 3),
                  3u << 18 | (uint32_t)ADRENO_COMPARE_MODE_PRED_TEST << 28, 4);
        conditional_store(&s, 0);
        assert_int_equal(rig_run(rig, &s), 0);
        assert_int_equal(*rig_dw(rig, 0), bit);
    }
}

static void cond_reg_exec_compares_registers_and_knows_the_pass(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    memset(rig->map, 0, 64);
    put_reg(&s, REG_A, 7);
    put_reg(&s, REG_B, 7);
    PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_COND_REG_EXEC, 4),
              REG_A | (uint32_t)ADRENO_COMPARE_MODE_REG_COMPARE << 28, REG_B, 4);
    conditional_store(&s, 0);
    put_reg(&s, REG_B, 8);
    PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_COND_REG_EXEC, 4),
              REG_A | (uint32_t)ADRENO_COMPARE_MODE_REG_COMPARE << 28, REG_B, 4);
    conditional_store(&s, 4);
    static const uint32_t markers[3] = {ADRENO_MARKER_BIN_VISIBILITY, ADRENO_MARKER_BIN_RENDER_START,
                                        ADRENO_MARKER_DIRECT_RENDER};
    for (unsigned pass = 0; pass < 3; pass++) {
        PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_SET_MARKER, 2), markers[pass]);
        for (unsigned bit = 0; bit < 3; bit++) {
            PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_COND_REG_EXEC, 3),
                      1u << (25 + bit) | (uint32_t)ADRENO_COMPARE_MODE_RENDER_MODE << 28, 4);
            conditional_store(&s, 8 + 4 * (3 * pass + bit));
        }
    }
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 1);
    assert_int_equal(*rig_dw(rig, 4), 0);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(*rig_dw(rig, 8 + 4 * i), i / 3 == i % 3);
}

static void cond_exec_wants_a_flag_and_a_time_not_yet_reached(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 4; i++) {
        struct stream s = {0};
        *rig_dw(rig, 0) = i & 1;
        *rig_dw(rig, 4) = i & 2 ? 9 : (uint32_t)-1;
        *rig_dw(rig, 8) = 0;
        PUT(&s, CP_COND_EXEC, .BOOL_ADDR = RIG_VA, .TIMESTAMP_ADDR = RIG_VA + 4, .ACTIVE_TIMESTAMP = 5, .DWORDS = 4);
        conditional_store(&s, 8);
        assert_int_equal(rig_run(rig, &s), 0);
        assert_int_equal(*rig_dw(rig, 8), i == 1);
    }
}

static void condition_beyond_the_buffer_is_broken(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_COND_REG_EXEC, 3), (uint32_t)ADRENO_COMPARE_MODE_PRED_TEST << 28, 9);
    conditional_store(&s, 0);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_report(rig, "9 conditional dwords, but the buffer has only 4 more");
}

/* ---- moves ---- */

static void mem_to_mem_adds_and_negates(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_qw(rig, 0) = 0x500000000;
    *rig_qw(rig, 8) = 3;
    *rig_qw(rig, 16) = 0x100000001;
    PUT(&s, CP_MEM_TO_MEM, .DOUBLE = true, .NEG_C = true, .DST = RIG_VA + 24, .SRC_A = RIG_VA, .SRC_B = RIG_VA + 8,
        .SRC_C = RIG_VA + 16);
    PUT(&s, CP_MEM_TO_MEM, .NEG_A = true, .DST = RIG_VA + 32, .SRC_A = RIG_VA + 8, .SRC_B = RIG_VA + 8,
        .SRC_C = RIG_VA + 8);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_qw(rig, 24), 0x400000002);
    assert_int_equal(*rig_dw(rig, 32), 3);
}

static void reg_to_mem_accumulates_and_mem_to_reg_shifts(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_dw(rig, 0) = 100;
    *rig_dw(rig, 4) = 5;
    put_reg(&s, REG_A, 7);
    PUT(&s, CP_REG_TO_MEM, .REG = REG_A, .CNT = 1, .ACCUMULATE = true, .DEST = RIG_VA);
    PUT(&s, CP_MEM_TO_REG, .REG = REG_A, .CNT = 1, .SHIFT_BY_2 = true, .SRC = RIG_VA + 4);
    put_read(&s, REG_A, 8);
    PUT(&s, CP_MEMCPY, .DWORDS = 3, .SRC = RIG_VA, .DST = RIG_VA + 16);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 107);
    assert_int_equal(*rig_dw(rig, 8), 20);
    assert_memory_equal(rig->map, rig->map + 16, 12);
}

static void cond_write_compares_signed_and_unsigned(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_dw(rig, 0) = 0xfffffffe;
    *rig_dw(rig, 8) = *rig_dw(rig, 12) = 0;
    for (unsigned is_signed = 0; is_signed < 2; is_signed++)
        PUT(&s, CP_COND_WRITE5, .FUNCTION = ADRENO_COND_FUNCTION_LT, .SIGNED_COMPARE = is_signed,
            .POLL = ADRENO_POLL_MEMORY, .WRITE_MEMORY = true, .POLL_ADDR = RIG_VA, .REF = 1, .MASK = ~0u,
            .WRITE_ADDR = RIG_VA + 8 + 4 * is_signed, .WRITE_DATA = 42);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 8), 0);
    assert_int_equal(*rig_dw(rig, 12), 42);
}

/* ---- waits ---- */

static void wait_sleeps_until_the_host_writes(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    static struct rig_job job;
    *rig_dw(rig, 0) = 0;
    *rig_dw(rig, 4) = 0;
    PUT(&s, CP_WAIT_REG_MEM, .FUNCTION = ADRENO_COND_FUNCTION_EQ, .POLL = ADRENO_POLL_MEMORY, .POLL_ADDR = RIG_VA,
        .REF = 3, .MASK = 0xff);
    put_store(&s, 4, 1);
    rig_submit(rig, &job, &s);
    usleep(20000);
    assert_false(atomic_load(&job.is_done));
    __atomic_store_n(rig_dw(rig, 0), 0x103, __ATOMIC_RELEASE);
    rig_wait(&job);
    assert_int_equal(job.error, 0);
    assert_int_equal(*rig_dw(rig, 4), 1);
}

static void killed_wait_ends(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    static struct rig_job job;
    *rig_dw(rig, 0) = 0;
    PUT(&s, CP_WAIT_MEM_GTE, .POLL_ADDR = RIG_VA, .REF = 1);
    rig_submit(rig, &job, &s);
    usleep(10000);
    rig_kill(rig, &job);
    rig_wait(&job);
    assert_int_equal(job.error, -ETIME);
    assert_non_null(strstr(job.report, "-> +000000  CP_WAIT_MEM_GTE"));
}

static void timestamps_are_64_bits_and_grow(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, CP_REG_TO_MEM, .REG = ADRENO_REG_CP_ALWAYS_ON_COUNTER, .CNT = 2, .WIDE = true, .DEST = RIG_VA);
    PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_EVENT_WRITE, 5), ADRENO_EVENT_RB_DONE_TS | 1u << 30,
              (uint32_t)RIG_VA + 8, (uint32_t)((RIG_VA + 8) >> 32), 0);
    uint64_t before = adreno_timestamp();
    assert_int_equal(rig_run(rig, &s), 0);
    uint64_t after = adreno_timestamp();
    assert_true(before <= *rig_qw(rig, 0) && *rig_qw(rig, 0) <= *rig_qw(rig, 8) && *rig_qw(rig, 8) <= after);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_executed_packet_has_a_handler),
        TEST(empty_job_and_nop_end_well),
        TEST(three_levels_of_buffers_and_no_fourth),
        TEST(chain_replaces_its_buffer_and_returns_to_the_caller),
        TEST(endless_chain_makes_no_progress_and_can_be_killed),
        TEST(headers_need_their_parity),
        TEST(broken_streams_end_their_job_and_say_where),
        TEST(registers_stay_from_job_to_job_and_are_gone_after_a_lost_one),
        TEST(unknown_and_protected_registers_are_refused),
        TEST(both_halves_of_a_wide_register_are_written),
        TEST(bunch_and_rmw_and_scratch),
        TEST(reg_test_decides_cond_reg_exec),
        TEST(cond_reg_exec_compares_registers_and_knows_the_pass),
        TEST(cond_exec_wants_a_flag_and_a_time_not_yet_reached),
        TEST(condition_beyond_the_buffer_is_broken),
        TEST(mem_to_mem_adds_and_negates),
        TEST(reg_to_mem_accumulates_and_mem_to_reg_shifts),
        TEST(cond_write_compares_signed_and_unsigned),
        TEST(wait_sleeps_until_the_host_writes),
        TEST(killed_wait_ends),
        TEST(timestamps_are_64_bits_and_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
