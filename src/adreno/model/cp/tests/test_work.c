/* The command processor's requests to the other blocks, and the state that comes with them: groups of draw state,
 * passes and bins, draws in all forms, dispatches, events, queries. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_rbbm.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "adreno/hw/regs_vsc.h"
#include "rig.h"
#include "util/bits.h"

#define assert_report(rig, words) assert_non_null(strstr((rig)->report, words))

#define MARKER_REG ADRENO_REG_RB_BLEND_CONSTANT_RED_FP32

enum {
    GROUP_DISABLE = 1 << 17,
    GROUP_DISABLE_ALL = 1 << 18,
    GROUP_NOW = 1 << 19,
    GROUP_BINNING = 1 << 20,
    GROUP_GMEM = 1 << 21,
    GROUP_SYSMEM = 1 << 22,
    GROUP_ALWAYS = GROUP_BINNING | GROUP_GMEM | GROUP_SYSMEM,
};

static void put_marker(struct stream *s, unsigned mode)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_SET_MARKER, 2), mode);
}

static void put_event(struct stream *s, unsigned event)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_EVENT_WRITE, 2), event);
}

/* A group of state that writes a number to the marker register. */
static uint64_t place_group(struct rig *rig, uint32_t number)
{
    struct stream s = {0};
    put_reg(&s, MARKER_REG, number);
    return rig_place(rig, &s);
}

/* ---- groups of draw state ---- */

static void groups_are_executed_by_draws_in_the_passes_they_name(void **state)
{
    struct rig *rig = *state;
    static const struct {
        unsigned marker;
        uint32_t seen;
    } passes[] = {
        {ADRENO_MARKER_BIN_VISIBILITY, 2}, {ADRENO_MARKER_BIN_RENDER_START, 3}, {ADRENO_MARKER_DIRECT_RENDER, 4}};
    struct stream s = {0};
    uint64_t groups[3];
    for (unsigned i = 0; i < 3; i++)
        groups[i] = place_group(rig, 2 + i);
    for (unsigned i = 0; i < 3; i++) {
        put_reg(&s, MARKER_REG, 1);
        put_group(&s, 0, GROUP_DISABLE_ALL, 0, 0);
        put_group(&s, 1, GROUP_BINNING, groups[0], 2);
        put_group(&s, 2, GROUP_GMEM, groups[1], 2);
        put_group(&s, 3, GROUP_SYSMEM, groups[2], 2);
        put_marker(&s, passes[i].marker);
        put_draw(&s);
    }
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(rig_call_count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(rig_calls[i].marker, passes[i].seen);
}

static void group_waits_for_a_draw_and_is_executed_once(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    uint64_t group = place_group(rig, 9);
    put_group(&s, 5, GROUP_ALWAYS, group, 2);
    put_reg(&s, MARKER_REG, 1);
    put_read(&s, MARKER_REG, 0); /* still 1 */
    put_draw(&s);
    put_reg(&s, MARKER_REG, 2);
    put_draw(&s); /* nothing was set since: the group is not due */
    put_group(&s, 5, GROUP_ALWAYS, group, 2);
    put_group(&s, 5, GROUP_DISABLE, 0, 0);
    put_draw(&s);
    put_group(&s, 6, GROUP_ALWAYS | GROUP_NOW, group, 2);
    put_read(&s, MARKER_REG, 4);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_dw(rig, 0), 1);
    assert_int_equal(rig_calls[0].marker, 9);
    assert_int_equal(rig_calls[1].marker, 2);
    assert_int_equal(rig_calls[2].marker, 2);
    assert_int_equal(*rig_dw(rig, 4), 9);
}

/* Draws wait for those that differ in VFD_INDEX_OFFSET alone, and for nothing else. */
static void draws_wait_for_draws_that_are_alike(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    static const enum rig_call_kind kinds[] = {RIG_DRAW,         RIG_DRAW, RIG_DRAW,         RIG_DRAWS_FINISH,
                                               RIG_DRAW,         RIG_DRAWS_FINISH, RIG_DRAW, RIG_DRAWS_FINISH};
    rig_keeps_draws = true;
    put_reg(&s, MARKER_REG, 1);
    put_draw(&s);
    put_reg(&s, ADRENO_REG_VFD_INDEX_OFFSET, 3);
    put_draw(&s);
    put_group(&s, 5, GROUP_ALWAYS, place_group(rig, 1), 2); /* what the register has already */
    put_draw(&s);
    put_reg(&s, MARKER_REG, 2);
    put_draw(&s);
    put_store(&s, 0, 5); /* a packet that is no draw */
    put_draw(&s);
    const int error = rig_run(rig, &s); /* the job's end */
    rig_keeps_draws = false;
    assert_int_equal(error, 0);
    assert_int_equal(rig_call_count, ARRAY_SIZE(kinds));
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
        assert_int_equal(rig_calls[i].kind, kinds[i]);
    assert_int_equal(rig_calls[3].marker, 1); /* not yet changed */
    assert_int_equal(rig_calls[5].marker, 2);
}

static void groups_are_executed_in_the_order_of_their_numbers(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_group(&s, 20, GROUP_ALWAYS, place_group(rig, 20), 2);
    put_group(&s, 3, GROUP_ALWAYS, place_group(rig, 3), 2);
    put_draw(&s);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(rig_calls[0].marker, 20);
}

static void draw_or_call_in_a_group_is_broken(void **state)
{
    struct rig *rig = *state;
    struct stream group = {0}, s = {0};
    put_draw(&group);
    uint64_t va = rig_place(rig, &group);
    put_group(&s, 0, GROUP_ALWAYS, va, group.count);
    put_draw(&s);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_report(rig, "in the group of state 0x");
    group.count = s.count = 0;
    PUT(&group, CP_INDIRECT_BUFFER, .IB_BASE = va, .IB_SIZE = 4);
    va = rig_place(rig, &group);
    put_group(&s, 0, GROUP_ALWAYS, va, group.count);
    put_draw(&s);
    assert_int_equal(rig_run(rig, &s), -EIO);
    assert_report(rig, "a call from a group of draw state");
}

/* ---- passes and bins ---- */

static void draws_look_at_visibility_only_in_bins(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_reg64(&s, ADRENO_REG_VSC_PIPE_DATA_DRAW_BASE, RIG_VA + 0x1000);
    put_reg64(&s, ADRENO_REG_VSC_SIZE_BASE, RIG_VA + 0x2000);
    put_reg64(&s, ADRENO_REG_VSC_PIPE_DATA_PRIM_BASE, RIG_VA + 0x3000);
    put_marker(&s, ADRENO_MARKER_BIN_VISIBILITY);
    PUT(&s, CP_SET_VISIBILITY_OVERRIDE, .OVERRIDE = true);
    put_event(&s, ADRENO_EVENT_VSC_BINNING_START);
    put_draw(&s);
    put_event(&s, ADRENO_EVENT_VSC_BINNING_END);
    put_marker(&s, ADRENO_MARKER_BIN_RENDER_START);
    PUT(&s, CP_SET_BIN_DATA5_OFFSET, .VSC_SIZE = 4, .VSC_N = 2, .BIN_DATA_OFFSET = 0x10, .BIN_SIZE_OFFSET = 0x20,
        .BIN_DATA2_OFFSET = 0x30);
    put_draw(&s);
    PUT(&s, CP_SET_VISIBILITY_OVERRIDE, .OVERRIDE = false);
    put_draw(&s);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(rig_call_count, 5);
    assert_int_equal(rig_calls[0].kind, RIG_BINNING_START);
    assert_int_equal(rig_calls[1].draw.pass, ADRENO_PASS_BINNING);
    assert_true(rig_calls[1].draw.has_visibility);
    assert_null(rig_calls[1].draw.bin);
    assert_int_equal(rig_calls[2].kind, RIG_BINNING_END);
    assert_int_equal(rig_calls[3].draw.pass, ADRENO_PASS_GMEM);
    assert_null(rig_calls[3].draw.bin);
    assert_non_null(rig_calls[4].draw.bin);
    assert_int_equal(rig_calls[4].bin.draw_va, RIG_VA + 0x1010);
    assert_int_equal(rig_calls[4].bin.size_va, RIG_VA + 0x2020);
    assert_int_equal(rig_calls[4].bin.prim_va, RIG_VA + 0x3030);
    assert_int_equal(rig_calls[4].bin.pipe_bin, 2);
    assert_int_equal(rig_calls[4].bin.pipe_size, 4);
}

/* ---- draws ---- */

static void indexed_draw_brings_its_buffer(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, CP_DRAW_INDX_OFFSET, .PRIM_TYPE = ADRENO_PRIM_TYPE_LINESTRIP, .SOURCE_SELECT = ADRENO_SRC_SEL_DMA,
        .INDEX_SIZE = ADRENO_INDEX_SIZE_16_BIT, .NUM_INSTANCES = 2, .NUM_INDICES = 12, .FIRST_INDX = 5,
        .INDX_BASE = RIG_VA + 64, .MAX_INDICES = 100);
    assert_int_equal(rig_run(rig, &s), 0);
    const struct adreno_draw *draw = &rig_calls[0].draw;
    assert_int_equal(draw->topology, ADRENO_PRIM_TYPE_LINESTRIP);
    assert_int_equal(draw->index_size, ADRENO_INDEX_SIZE_16_BIT);
    assert_int_equal(draw->instance_count, 2);
    assert_int_equal(draw->count, 12);
    assert_int_equal(draw->first_index, 5);
    assert_int_equal(draw->index_va, RIG_VA + 64);
    assert_int_equal(draw->max_indices, 100);
    assert_false(draw->has_visibility);
}

static const uint32_t initiator = ADRENO_PRIM_TYPE_TRILIST | ADRENO_SRC_SEL_AUTO_INDEX << 6;
static const uint32_t indexed_initiator =
    ADRENO_PRIM_TYPE_TRILIST | ADRENO_SRC_SEL_DMA << 6 | ADRENO_INDEX_SIZE_32_BIT << 10;

static void indirect_draws_bring_offsets_and_parameters(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    static const uint32_t args[] = {3, 1, 10, 20, 6, 2, 30, 40};
    memcpy(rig_dw(rig, 0), args, sizeof(args));
    PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_DRAW_INDIRECT_MULTI, 7), initiator,
              ADRENO_INDIRECT_OP_NORMAL | 8 << 8, 2, (uint32_t)RIG_VA, (uint32_t)(RIG_VA >> 32), 16);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(rig_call_count, 4);
    for (unsigned i = 0; i < 2; i++) {
        const struct rig_call *load = &rig_calls[2 * i], *draw = &rig_calls[2 * i + 1];
        assert_int_equal(load->kind, RIG_LOAD_STATE);
        assert_int_equal(load->load.DST_OFF, 8);
        assert_int_equal(load->load.STATE_BLOCK, ADRENO_STATE_BLOCK_VS_SHADER);
        assert_int_equal(load->load_data[0], i);
        assert_int_equal(load->load_data[1], args[4 * i + 2]);
        assert_int_equal(load->load_data[2], args[4 * i + 3]);
        assert_int_equal(draw->draw.count, args[4 * i]);
        assert_int_equal(draw->draw.instance_count, args[4 * i + 1]);
        assert_int_equal(draw->vertex_offset, args[4 * i + 2]);
        assert_int_equal(draw->instance_offset, args[4 * i + 3]);
    }
}

static void counted_draws_take_the_smaller_count(void **state)
{
    struct rig *rig = *state;
    for (unsigned count = 0; count < 5; count++) {
        struct stream s = {0};
        memset(rig->map, 0, 256);
        *rig_dw(rig, 512) = count;
        PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_DRAW_INDIRECT_MULTI, 9), initiator, ADRENO_INDIRECT_OP_COUNT, 3,
                  (uint32_t)RIG_VA, (uint32_t)(RIG_VA >> 32), (uint32_t)RIG_VA + 512, (uint32_t)(RIG_VA >> 32), 16);
        assert_int_equal(rig_run(rig, &s), 0);
        assert_int_equal(rig_call_count, count < 3 ? count : 3);
    }
}

static void indexed_indirect_draws_have_five_arguments(void **state)
{
    struct rig *rig = *state;
    static const uint32_t args[] = {6, 2, 7, (uint32_t)-5, 40};
    memcpy(rig_dw(rig, 0), args, sizeof(args));
    *rig_dw(rig, 512) = 1;
    for (unsigned counted = 0; counted < 2; counted++) {
        struct stream s = {0};
        if (counted)
            PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_DRAW_INDIRECT_MULTI, 12), indexed_initiator,
                      ADRENO_INDIRECT_OP_COUNT_INDEXED, 4, 0x5000, 1, 99, (uint32_t)RIG_VA, (uint32_t)(RIG_VA >> 32),
                      (uint32_t)RIG_VA + 512, (uint32_t)(RIG_VA >> 32), 20);
        else
            PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_DRAW_INDIRECT_MULTI, 10), indexed_initiator,
                      ADRENO_INDIRECT_OP_INDEXED, 1, 0x5000, 1, 99, (uint32_t)RIG_VA, (uint32_t)(RIG_VA >> 32), 20);
        assert_int_equal(rig_run(rig, &s), 0);
        assert_int_equal(rig_call_count, 1);
        assert_int_equal(rig_calls[0].draw.first_index, 7);
        assert_int_equal(rig_calls[0].draw.index_va, 0x100005000);
        assert_int_equal(rig_calls[0].draw.max_indices, 99);
        assert_int_equal(rig_calls[0].vertex_offset, (uint32_t)-5);
        assert_int_equal(rig_calls[0].instance_offset, 40);
    }
}

static void draw_auto_divides_what_stream_out_has_written(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    *rig_dw(rig, 0) = 16 + 12 * 7 + 3;
    PUT(&s, CP_DRAW_AUTO, .PRIM_TYPE = ADRENO_PRIM_TYPE_TRILIST, .SOURCE_SELECT = ADRENO_SRC_SEL_AUTO_XFB,
        .NUM_INSTANCES = 3, .NUM_VERTICES_BASE = RIG_VA, .NUM_VERTICES_OFFSET = 16, .STRIDE = 12);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(rig_calls[0].draw.count, 7);
    assert_int_equal(rig_calls[0].draw.instance_count, 3);
}

static void state_that_is_not_modelled_stops_a_draw_and_not_its_write(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_reg(&s, ADRENO_REG_RB_ALPHA_TEST_CNTL, 0x100);
    assert_int_equal(rig_run(rig, &s), 0);
    put_draw(&s);
    assert_int_equal(rig_run(rig, &s), -ENOSYS);
    assert_report(rig, "RB_ALPHA_TEST_CNTL");
    assert_report(rig, "alpha test");
}

/* ---- predicates ---- */

static void predicate_keeps_draws_and_dispatches_from_running(void **state)
{
    struct rig *rig = *state;
    for (unsigned test = 0; test < 2; test++) {
        for (unsigned value = 0; value < 2; value++) {
            struct stream s = {0};
            *rig_qw(rig, 0) = (uint64_t)value << 40; /* all 64 bits count */
            PUT(&s, CP_DRAW_PRED_ENABLE_GLOBAL, .ENABLE = true);
            put_draw(&s); /* passes until a predicate is set */
            PUT(&s, CP_DRAW_PRED_SET, .SRC = ADRENO_PRED_SRC_MEM, .TEST = test, .MEM_ADDR = RIG_VA);
            put_draw(&s);
            PUT(&s, CP_EXEC_CS, .NGROUPS_X = 1);
            PUT(&s, CP_DRAW_PRED_ENABLE_LOCAL, .ENABLE = false);
            put_draw(&s);
            PUT(&s, CP_DRAW_PRED_ENABLE_GLOBAL, .ENABLE = false);
            assert_int_equal(rig_run(rig, &s), 0);
            bool passes = test == ADRENO_PRED_TEST_NE_0_PASS ? value : !value;
            assert_int_equal(rig_call_count, passes ? 4 : 2);
        }
    }
}

/* ---- dispatches, blits, state ---- */

static void indirect_dispatch_computes_global_sizes(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    memcpy(rig->map, (const uint32_t[]){2, 3, 4}, 12);
    PUT(&s, CP_EXEC_CS_INDIRECT, .ADDR = RIG_VA, .LOCALSIZEX = 63, .LOCALSIZEY = 1, .LOCALSIZEZ = 0);
    PUT(&s, CP_EXEC_CS, .NGROUPS_X = 5, .NGROUPS_Y = 6, .NGROUPS_Z = 7);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_memory_equal(rig_calls[0].dispatch.groups, ((const uint32_t[]){2, 3, 4}), 12);
    assert_memory_equal(rig_calls[0].global_size, ((const uint32_t[]){128, 6, 4}), 12);
    assert_memory_equal(rig_calls[1].dispatch.groups, ((const uint32_t[]){5, 6, 7}), 12);
}

static void state_loads_bring_the_words_that_follow(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    PUT(&s, CP_LOAD_STATE6_FRAG, .DST_OFF = 4, .STATE_TYPE = ADRENO_STATE_TYPE_CONSTANTS,
        .STATE_SRC = ADRENO_STATE_SRC_DIRECT, .STATE_BLOCK = ADRENO_STATE_BLOCK_CS_SHADER, .NUM_UNIT = 1, .tail_dw = 4);
    PUT_WORDS(&s, 1, 2, 3, 4);
    PUT(&s, CP_LOAD_STATE6, .STATE_SRC = ADRENO_STATE_SRC_INDIRECT, .EXT_SRC_ADDR = RIG_VA);
    PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_BLIT, 2), ADRENO_BLIT_OP_SCALE);
    put_event(&s, ADRENO_EVENT_CCU_RESOLVE);
    put_event(&s, ADRENO_EVENT_LRZ_CLEAR);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(rig_calls[0].load_data_dw, 4);
    assert_memory_equal(rig_calls[0].load_data, ((const uint32_t[]){1, 2, 3, 4}), 16);
    assert_int_equal(rig_calls[0].load.STATE_BLOCK, ADRENO_STATE_BLOCK_CS_SHADER);
    assert_int_equal(rig_calls[1].load_data_dw, 0);
    assert_int_equal(rig_calls[1].load.EXT_SRC_ADDR, RIG_VA);
    assert_int_equal(rig_calls[2].kind, RIG_BLIT_2D);
    assert_int_equal(rig_calls[3].kind, RIG_RESOLVE);
    assert_int_equal(rig_calls[4].kind, RIG_LRZ_CLEAR);
}

/* ---- queries ---- */

static void zpass_done_writes_samples_where_copying_is_on(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    rig_run(rig, &s); /* the GPU is there */
    rig_counters->samples_passed = 0x123456789ab;
    *rig_qw(rig, 0) = *rig_qw(rig, 8) = 77;
    put_reg64(&s, ADRENO_REG_RB_SAMPLE_COUNTER_BASE, RIG_VA);
    put_event(&s, ADRENO_EVENT_ZPASS_DONE);
    put_reg64(&s, ADRENO_REG_RB_SAMPLE_COUNTER_BASE, RIG_VA + 8);
    put_reg(&s, ADRENO_REG_RB_SAMPLE_COUNTER_CNTL, ADRENO_PACK(RB_SAMPLE_COUNTER_CNTL, .COPY = true));
    put_event(&s, ADRENO_EVENT_ZPASS_DONE);
    assert_int_equal(rig_run(rig, &s), 0);
    assert_int_equal(*rig_qw(rig, 0), 77);
    assert_int_equal(*rig_qw(rig, 8), 0x123456789ab);
}

static void statistics_are_registers(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    rig_run(rig, &s);
    for (unsigned i = 0; i < ADRENO_STAT_COUNT; i++)
        rig_counters->stats[i] = (uint64_t)i << 32 | (100 + i);
    PUT(&s, CP_REG_TO_MEM, .REG = ADRENO_REG_RBBM_PIPESTAT_IAVERTICES, .CNT = 2 * ADRENO_STAT_COUNT, .WIDE = true,
        .DEST = RIG_VA);
    put_event(&s, ADRENO_EVENT_START_PRIMITIVE_CTRS);
    put_event(&s, ADRENO_EVENT_START_COMPUTE_CTRS);
    put_event(&s, ADRENO_EVENT_STOP_COMPUTE_CTRS);
    assert_int_equal(rig_run(rig, &s), 0);
    for (unsigned i = 0; i < ADRENO_STAT_COUNT; i++)
        assert_int_equal(*rig_qw(rig, 8 * i), (uint64_t)i << 32 | (100 + i));
    assert_true(rig_counters->counts_primitives);
    assert_false(rig_counters->counts_fragments);
    assert_false(rig_counters->counts_compute);
}

static void stream_out_counts_and_offsets_are_written(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    rig_run(rig, &s);
    for (unsigned i = 0; i < ADRENO_STREAMS; i++) {
        rig_counters->so_written[i] = 10 + i;
        rig_counters->so_generated[i] = 20 + i;
    }
    put_reg64(&s, ADRENO_REG_VPC_SO_QUERY_BASE, RIG_VA);
    put_event(&s, ADRENO_EVENT_WRITE_PRIMITIVE_COUNTS);
    put_reg(&s, ADRENO_REG_VPC_SO_BUFFER_OFFSET + 2 * ADRENO_REG_VPC_SO_BUFFER_OFFSET_STRIDE, 48);
    put_reg64(&s, ADRENO_REG_VPC_SO_FLUSH_BASE + 2 * ADRENO_REG_VPC_SO_FLUSH_BASE_STRIDE, RIG_VA + 128);
    put_event(&s, ADRENO_EVENT_FLUSH_SO_2);
    assert_int_equal(rig_run(rig, &s), 0);
    for (unsigned i = 0; i < ADRENO_STREAMS; i++) {
        assert_int_equal(*rig_qw(rig, 16 * i), 10 + i);
        assert_int_equal(*rig_qw(rig, 16 * i + 8), 20 + i);
    }
    assert_int_equal(*rig_dw(rig, 128), 12); /* dwords */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(groups_are_executed_by_draws_in_the_passes_they_name),
        TEST(group_waits_for_a_draw_and_is_executed_once),
        TEST(draws_wait_for_draws_that_are_alike),
        TEST(groups_are_executed_in_the_order_of_their_numbers),
        TEST(draw_or_call_in_a_group_is_broken),
        TEST(draws_look_at_visibility_only_in_bins),
        TEST(indexed_draw_brings_its_buffer),
        TEST(indirect_draws_bring_offsets_and_parameters),
        TEST(counted_draws_take_the_smaller_count),
        TEST(indexed_indirect_draws_have_five_arguments),
        TEST(draw_auto_divides_what_stream_out_has_written),
        TEST(state_that_is_not_modelled_stops_a_draw_and_not_its_write),
        TEST(predicate_keeps_draws_and_dispatches_from_running),
        TEST(indirect_dispatch_computes_global_sizes),
        TEST(state_loads_bring_the_words_that_follow),
        TEST(zpass_done_writes_samples_where_copying_is_on),
        TEST(statistics_are_registers),
        TEST(stream_out_counts_and_offsets_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
