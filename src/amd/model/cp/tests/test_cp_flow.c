/* Buffers, predication, registers and ends of the command processor, through the engine's interface. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "amd/hw/regs_cp.h"
#include "amd/hw/regs_db.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_pa.h"
#include "amd/hw/regs_perf.h"
#include "amd/model/cp/cp_machine.h"
#include "amd/model/cp/tests/cp_rig.h"

#define assert_report(rig, words) assert_non_null(strstr((rig)->report, words))

static const uint32_t kinds[2] = {AMD_RING_GFX, AMD_RING_COMPUTE};

/* ---- the table ---- */

static void every_executed_packet_has_a_handler(void **state)
{
    enum cp_rings rings;
    for (unsigned i = 0; i < amd_packet_count; i++) {
        bool executed = amd_packets[i].policy != HW_POLICY_STOP;
        if (executed != (amd_cp_handler_find(&amd_packets[i], &rings) != NULL))
            fail_msg("%s", hw_name(&amd_packets[i]));
    }
}

/* ---- buffers ---- */

static void empty_jobs_and_fillers_end_well(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 2; i++) {
        struct stream s = {0};
        assert_int_equal(rig_run(rig, kinds[i], &s), 0);
        PUT_WORDS(&s, AMD_PKT2_FILLER, AMD_PKT3_NOP_FILLER);
        PUT(&s, NOP, .tail_dw = 3);
        PUT_WORDS(&s, 0x12345678, 0, 0xffffffff);
        put_store(&s, 0, 77 + i);
        assert_int_equal(rig_run(rig, kinds[i], &s), 0);
        assert_int_equal(*rig_dw(rig, 0), 77 + i);
    }
}

static void call_comes_back_chain_does_not(void **state)
{
    struct rig *rig = *state;
    struct stream called = {0}, chained = {0}, s = {0};
    put_store(&called, 0, 1);
    put_store(&chained, 4, 2);
    uint64_t called_va = rig_place(rig, &called), chained_va = rig_place(rig, &chained);
    PUT(&s, INDIRECT_BUFFER, .IB_BASE = called_va, .IB_SIZE = called.count);
    put_store(&s, 8, 3);
    PUT(&s, INDIRECT_BUFFER, .IB_BASE = chained_va, .IB_SIZE = chained.count, .CHAIN = true, .VALID = true);
    put_store(&s, 12, 4);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 1);
    assert_int_equal(*rig_dw(rig, 4), 2);
    assert_int_equal(*rig_dw(rig, 8), 3);
    assert_int_equal(*rig_dw(rig, 12), 0);
}

static void chain_in_a_call_comes_back_to_the_caller(void **state)
{
    struct rig *rig = *state;
    struct stream second = {0}, first = {0}, s = {0};
    put_store(&second, 0, 5);
    uint64_t second_va = rig_place(rig, &second);
    PUT(&first, INDIRECT_BUFFER, .IB_BASE = second_va, .IB_SIZE = second.count, .CHAIN = true);
    uint64_t first_va = rig_place(rig, &first);
    PUT(&s, INDIRECT_BUFFER, .IB_BASE = first_va, .IB_SIZE = first.count);
    put_store(&s, 4, 6);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 5);
    assert_int_equal(*rig_dw(rig, 4), 6);
}

static void calls_go_one_level_deep_on_graphics_and_none_on_compute(void **state)
{
    struct rig *rig = *state;
    struct stream inner = {0}, outer = {0}, s = {0};
    put_store(&inner, 0, 1);
    uint64_t inner_va = rig_place(rig, &inner);
    PUT(&outer, INDIRECT_BUFFER, .IB_BASE = inner_va, .IB_SIZE = inner.count);
    uint64_t outer_va = rig_place(rig, &outer);
    assert_int_equal(rig_run_gfx(rig, &outer), 0);
    assert_int_equal(rig_run_compute(rig, &outer), -EIO);
    assert_report(rig, "compute ring");
    PUT(&s, INDIRECT_BUFFER, .IB_BASE = outer_va, .IB_SIZE = outer.count);
    assert_int_equal(rig_run_gfx(rig, &s), -EIO);
    assert_report(rig, "in the call of");
}

static void endless_chain_is_no_progress_and_can_be_killed(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    uint64_t own_va = RIG_VA + rig->stream_B;
    PUT(&s, INDIRECT_BUFFER, .IB_BASE = own_va, .IB_SIZE = 4, .CHAIN = true);
    static struct rig_job job;
    rig_submit(rig, &job, AMD_RING_GFX, &s);
    uint64_t before, after = rig->ops->progress(rig->engine);
    unsigned same = 0;
    while (same < 3) { /* it ends: only so many jumps count */
        before = after;
        struct stream wait = {0};
        rig_run_compute(rig, &wait); /* takes a while */
        after = rig->ops->progress(rig->engine);
        same = before == after && after > 1000 ? same + 1 : 0;
    }
    rig_kill(rig, &job);
    rig_wait(&job);
    assert_int_equal(job.error, -ETIME);
}

static void killed_job_does_not_begin(void **state)
{
    struct rig *rig = *state;
    struct stream waits = {0}, s = {0};
    static struct rig_job first, second;
    PUT(&waits, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM, .ADDR = RIG_VA,
        .REFERENCE = 1, .MASK = 0xffffffff);
    put_store(&s, 4, 1);
    rig_submit(rig, &first, AMD_RING_GFX, &waits);
    rig_submit(rig, &second, AMD_RING_GFX, &s);
    rig_kill(rig, &second);
    __atomic_store_n(rig_dw(rig, 0), 1, __ATOMIC_RELEASE);
    rig_wait(&first);
    rig_wait(&second);
    assert_int_equal(first.error, 0);
    assert_int_equal(second.error, -ETIME);
    assert_int_equal(*rig_dw(rig, 4), 0);
}

/* ---- broken streams ---- */

static void broken_streams_are_told_apart(void **state)
{
    struct rig *rig = *state;
    static const struct {
        uint32_t dw[4];
        uint32_t count;
        int error;
        const char *words;
    } cases[] = {
        {{0x00000000}, 1, -EIO, "no header"},
        {{0xc0ff7600}, 1, -EIO, "the buffer has only 1 more"},
        {{0xc000ee00, 0}, 2, -ENOSYS, "opcode 0xee"},
        {{0xc0003700, 0}, 2, -EIO, "WRITE_DATA has 2 dwords and needs 4"},
        {{0xc0012f00, 1, 2}, 3, -EIO, "NUM_INSTANCES has 3 dwords and takes 2"},
        {{0xc0012200, 0, 0}, 3, -EIO, "COND_EXEC"},
        {{0xc0004100, 0}, 2, -ENOSYS, "GFX6 alone has it"},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stream s = {0};
        put_store(&s, 0, 9);
        put_words(&s, cases[i].dw, cases[i].count);
        assert_int_equal(rig_run_gfx(rig, &s), cases[i].error);
        assert_report(rig, cases[i].words);
        assert_report(rig, "WRITE_DATA DST_SEL=MEM"); /* the stream around it */
        assert_report(rig, "-> +000014");
    }
}

static void buffer_that_is_not_there_is_a_fault(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, INDIRECT_BUFFER, .IB_BASE = RIG_UNMAPPED_VA, .IB_SIZE = 4);
    assert_int_equal(rig_run_gfx(rig, &s), -EFAULT);
    assert_report(rig, "0xffff800004000000");
    assert_report(rig, "the rig has nothing at");
}

static void compute_ring_refuses_packets_of_graphics(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_context(&s, AMD_REG_DB_STENCIL_CLEAR, 0);
    assert_int_equal(rig_run_compute(rig, &s), -EIO);
    assert_report(rig, "SET_CONTEXT_REG");
    assert_int_equal(rig_run_gfx(rig, &s), 0);
}

/* ---- predication ---- */

static void cond_exec_skips_dwords_when_memory_is_zero(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 2; i++) {
        struct stream s = {0}, conditional = {0};
        put_store(&conditional, 4, 11);
        *rig_dw(rig, 0) = i;
        *rig_dw(rig, 4) = 0;
        PUT(&s, COND_EXEC, .ADDR = RIG_VA, .EXEC_COUNT = conditional.count);
        put_words(&s, conditional.dw, conditional.count);
        put_store(&s, 8, 12 + i);
        assert_int_equal(rig_run(rig, kinds[i], &s), 0);
        assert_int_equal(*rig_dw(rig, 4), i ? 11 : 0);
        assert_int_equal(*rig_dw(rig, 8), 12 + i);
    }
}

static void predication_looks_at_the_header_of_each_packet(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 8; i++) {
        bool set = i & 1, inverted = i & 2, wide = i & 4;
        struct stream s = {0};
        memset(rig->map, 0, 64);
        /* The words around it say the opposite; of the wide one only the upper half is set. */
        uint32_t at_B = wide ? 40 : 36;
        *rig_dw(rig, at_B - 4) = *rig_dw(rig, at_B + (wide ? 8 : 4)) = !set;
        *rig_dw(rig, at_B + (wide ? 4 : 0)) = set;
        PUT(&s, SET_PREDICATION, .PRED_OP = wide ? AMD_PREDICATE_OP_BOOL64 : AMD_PREDICATE_OP_BOOL32,
            .PRED_BOOL = inverted ? AMD_PREDICATE_BOOL_DRAW_IF_NOT_VISIBLE : AMD_PREDICATE_BOOL_DRAW_IF_VISIBLE,
            .ADDR = RIG_VA + at_B);
        PUT(&s, WRITE_DATA, .flags.predicate = true, .tail_dw = 1, .DST_SEL = AMD_WRITE_DST_MEM, .ADDR = RIG_VA);
        PUT_WORDS(&s, 1);
        put_store(&s, 4, 2);
        PUT(&s, SET_PREDICATION, .PRED_OP = AMD_PREDICATE_OP_CLEAR);
        PUT(&s, WRITE_DATA, .flags.predicate = true, .tail_dw = 1, .DST_SEL = AMD_WRITE_DST_MEM, .ADDR = RIG_VA + 8);
        PUT_WORDS(&s, 3);
        assert_int_equal(rig_run_gfx(rig, &s), 0);
        assert_int_equal(*rig_dw(rig, 0), set != inverted ? 1 : 0);
        assert_int_equal(*rig_dw(rig, 4), 2);
        assert_int_equal(*rig_dw(rig, 8), 3);
    }
}

static void predication_by_occlusion_adds_up_the_backends(void **state)
{
    struct rig *rig = *state;
    for (unsigned passed = 0; passed < 2; passed++) {
        struct stream s = {0};
        *rig_dw(rig, 0x1000) = 0;
        for (unsigned rb = 0; rb < 16; rb++) {
            *rig_qw(rig, rb * 16) = 1ull << 63 | 100;
            *rig_qw(rig, rb * 16 + 8) = 1ull << 63 | (rb == 15 ? 100 + passed : 100);
        }
        PUT(&s, SET_PREDICATION, .PRED_OP = AMD_PREDICATE_OP_ZPASS, .PRED_BOOL = AMD_PREDICATE_BOOL_DRAW_IF_VISIBLE,
            .ADDR = RIG_VA);
        PUT(&s, WRITE_DATA, .flags.predicate = true, .tail_dw = 1, .DST_SEL = AMD_WRITE_DST_MEM,
            .ADDR = RIG_VA + 0x1000);
        PUT_WORDS(&s, 1);
        assert_int_equal(rig_run_gfx(rig, &s), 0);
        assert_int_equal(*rig_dw(rig, 0x1000), passed);
    }
}

/* ---- registers ---- */

static void registers_stay_from_job_to_job_and_go_with_an_error(void **state)
{
    struct rig *rig = *state;
    struct stream set = {0}, get = {0}, bad = {0};
    put_uconfig(&set, AMD_REG_SCRATCH_REG, 0xabcd);
    put_read_register(&get, AMD_REG_SCRATCH_REG, 0);
    PUT_WORDS(&bad, 0);
    assert_int_equal(rig_run_gfx(rig, &set), 0);
    assert_int_equal(rig_run_gfx(rig, &get), 0);
    assert_int_equal(*rig_dw(rig, 0), 0xabcd);
    assert_int_equal(rig_run_compute(rig, &get), 0); /* a ring has registers of its own */
    assert_int_equal(*rig_dw(rig, 0), 0);
    assert_int_equal(rig_run_gfx(rig, &bad), -EIO);
    *rig_dw(rig, 0) = 5;
    assert_int_equal(rig_run_gfx(rig, &get), 0);
    assert_int_equal(*rig_dw(rig, 0), 0);
}

static void registers_are_set_masked_and_loaded(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    rig_dw(rig, 0x100)[0] = 0x11;
    rig_dw(rig, 0x100)[1] = 0x3f800000;
    put_context(&s, AMD_REG_DB_STENCIL_CLEAR, 0xff);
    PUT(&s, CONTEXT_REG_RMW, .REG_OFFSET = (AMD_REG_DB_STENCIL_CLEAR - 0x28000) / 4, .REG_MASK = 0x0f,
        .REG_DATA = 0x55);
    put_read_register(&s, AMD_REG_DB_STENCIL_CLEAR, 0);
    PUT(&s, LOAD_CONTEXT_REG_INDEX, .ADDR_LO = ((uint32_t)RIG_VA + 0x100) >> 2, .ADDR_HI = (uint32_t)(RIG_VA >> 32),
        .REG_OFFSET = (AMD_REG_DB_STENCIL_CLEAR - 0x28000) / 4, .NUM_DWORDS = 2);
    put_read_register(&s, AMD_REG_DB_STENCIL_CLEAR, 4);
    put_read_register(&s, AMD_REG_DB_DEPTH_CLEAR, 8);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 0xf5);
    assert_int_equal(*rig_dw(rig, 4), 0x11);
    assert_int_equal(*rig_dw(rig, 8), 0x3f800000);
}

static void clear_state_gives_every_context_register_its_default(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    uint32_t checked = 0;
    put_context(&s, AMD_REG_DB_STENCIL_CLEAR, 0xff);
    PUT(&s, CLEAR_STATE);
    for (unsigned i = 0; i < amd_reg_count && checked < 256; i++) {
        const struct hw_reg *reg = &amd_regs[i];
        if (reg->in_clear_state && reg->space == AMD_SPACE_CONTEXT && reg->offset[RIG_GFX] &&
            reg->policy != HW_POLICY_STOP)
            put_read_register(&s, reg->offset[RIG_GFX], 4 * checked++);
    }
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_true(checked > 100);
    checked = 0;
    for (unsigned i = 0; i < amd_reg_count && checked < 256; i++) {
        const struct hw_reg *reg = &amd_regs[i];
        if (reg->in_clear_state && reg->space == AMD_SPACE_CONTEXT && reg->offset[RIG_GFX] &&
            reg->policy != HW_POLICY_STOP)
            assert_int_equal(rig_dw(rig, 0)[checked++], reg->clear_value);
    }
}

static void register_writes_that_matter_stop(void **state)
{
    struct rig *rig = *state;
    struct stream unknown = {0}, status = {0}, field = {0}, beyond = {0}, bits = {0};
    put_context(&unknown, 0x2fffc, 1);
    assert_int_equal(rig_run_gfx(rig, &unknown), -ENOSYS);
    assert_report(rig, "0x2fffc = 0x00000001 is not in the tables");
    put_uconfig(&status, AMD_REG_CP_COHER_STATUS, 0);
    assert_int_equal(rig_run_gfx(rig, &status), -ENOSYS);
    assert_report(rig, "CP_COHER_STATUS");
    put_uconfig(&field, AMD_REG_GL2C_PERFCOUNTER0_SELECT1, 1);
    assert_int_equal(rig_run_gfx(rig, &field), -ENOSYS);
    assert_report(rig, "GL2C_PERFCOUNTER0_SELECT1");
    PUT(&beyond, SET_SH_REG, .tail_dw = 2, .REG_OFFSET = 0x3ff);
    PUT_WORDS(&beyond, 0, 0);
    assert_int_equal(rig_run_gfx(rig, &beyond), -EIO);
    put_uconfig(&bits, AMD_REG_VGT_INDEX_TYPE, 0x80000000);
    assert_int_equal(rig_run_gfx(rig, &bits), -ENOSYS);
    assert_report(rig, "do not know bits 0x80000000");
}

static void what_the_kernel_has_set_up_can_be_read(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_read_register(&s, AMD_REG_GB_ADDR_CONFIG, 0);
    assert_int_equal(rig_run_gfx(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 0x444);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_executed_packet_has_a_handler),
        CASE(empty_jobs_and_fillers_end_well),
        CASE(call_comes_back_chain_does_not),
        CASE(chain_in_a_call_comes_back_to_the_caller),
        CASE(calls_go_one_level_deep_on_graphics_and_none_on_compute),
        CASE(endless_chain_is_no_progress_and_can_be_killed),
        CASE(killed_job_does_not_begin),
        CASE(broken_streams_are_told_apart),
        CASE(buffer_that_is_not_there_is_a_fault),
        CASE(compute_ring_refuses_packets_of_graphics),
        CASE(cond_exec_skips_dwords_when_memory_is_zero),
        CASE(predication_looks_at_the_header_of_each_packet),
        CASE(predication_by_occlusion_adds_up_the_backends),
        CASE(registers_stay_from_job_to_job_and_go_with_an_error),
        CASE(registers_are_set_masked_and_loaded),
        CASE(clear_state_gives_every_context_register_its_default),
        CASE(register_writes_that_matter_stop),
        CASE(what_the_kernel_has_set_up_can_be_read),
    };
    return cmocka_run_group_tests_name("command processor: flow", tests, NULL, NULL);
}
