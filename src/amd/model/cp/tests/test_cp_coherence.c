/* Streams without a wait or a cache operation that the hardware needs, on the whole engine with TUFF_DEBUG=coherence:
 * each stops at the packet that comes too early, and the same stream with the packet runs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/model/cp/tests/cp_rig.h"
#include "amd/model/sdma/sdma.h"
#include "util/bits.h"

/* Thread t of group g writes 7 + n at data[n], n = 64 g + t. */
static const uint32_t store_program[] = {0xd7460001, 0x04010c02, 0x34040282, 0x4a020287,
                                         0xdc708000, 0x00000102, 0xbf810000};
/* global_load_dword v1, v0, s[0:1], and the same with s_load_dword s4, s[0:1], 0x0; then s_endpgm. */
static const uint32_t load_program[] = {0x7e000280, 0xdc308000, 0x01000000, 0xbf8c3f70, 0xbf810000};
static const uint32_t scalar_program[] = {0xf4000100, 0xfa000000, 0xbf8cc07f, 0xbf810000};

#define STORE_B 0x40000
#define LOAD_B 0x41000
#define SCALAR_B 0x42000
#define DATA_B 0x50000
#define FENCE_B 0x60000
#define COPY_B 0x61000

static int setup(void **state)
{
    if (rig_setup(state))
        return 1;
    struct rig *rig = *state;
    memcpy(rig->map + STORE_B, store_program, sizeof(store_program));
    memcpy(rig->map + LOAD_B, load_program, sizeof(load_program));
    memcpy(rig->map + SCALAR_B, scalar_program, sizeof(scalar_program));
    return 0;
}

/* A job's first packets: the host may have written anything. */
static void put_begin(struct stream *s)
{
    PUT(s, ACQUIRE_MEM, .SIZE = ~0u, .GLI_INV = AMD_GCR_GLI_INV_ALL, .GLK_INV = true, .GLV_INV = true, .GL1_INV = true,
        .GLM_WB = true, .GLM_INV = true, .GL2_WB = true, .GL2_INV = true);
}

static void put_dispatch(struct stream *s, uint32_t program_B)
{
    put_program(s, RIG_VA + program_B, RIG_VA + DATA_B, 64);
    PUT(s, DISPATCH_DIRECT, .DIM_X = 1, .DIM_Y = 1, .DIM_Z = 1, .COMPUTE_SHADER_EN = true, .FORCE_START_AT_000 = true);
}

static void put_event(struct stream *s, uint32_t type)
{
    PUT(s, EVENT_WRITE, .EVENT_TYPE = type, .EVENT_INDEX = AMD_EVENT_INDEX_PARTIAL_FLUSH);
}

/* The stream stops with this report; NULL: it runs to its end. */
static void expect_report(struct rig *rig, enum amd_ring_kind kind, const struct stream *s, const char *text)
{
    const int error = rig_run(rig, kind, s);
    if (text ? error != -EIO || !strstr(rig->report, text) : error != 0) {
        print_message("error %d, wanted %s\n%s\n", error, text ? text : "none", rig->report);
        fail();
    }
}

/* ---- shaders ---- */

static void a_load_of_what_a_dispatch_stored(void **state)
{
    struct rig *rig = *state;
    static const struct {
        bool waits, drops_gl1, drops_glv;
        const char *missing;
    } cases[] = {
        {false, true, true, "missing: CS_PARTIAL_FLUSH, then GL1_INV, then GLV_INV\n"},
        {true, false, false, "missing: GL1_INV, then GLV_INV\n"},
        {true, true, false, "missing: GLV_INV\n"},
        {true, false, true, "missing: GL1_INV, then GLV_INV\n"},
        {true, true, true, NULL},
    };
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
        struct stream s = {0};
        put_begin(&s);
        put_dispatch(&s, STORE_B);
        if (cases[i / 2].waits)
            put_event(&s, AMD_EVENT_TYPE_CS_PARTIAL_FLUSH);
        PUT(&s, ACQUIRE_MEM, .SIZE = ~0u, .GL1_INV = cases[i / 2].drops_gl1, .GLV_INV = cases[i / 2].drops_glv);
        put_dispatch(&s, LOAD_B);
        expect_report(rig, i % 2 ? AMD_RING_COMPUTE : AMD_RING_GFX, &s, cases[i / 2].missing);
    }
}

static void an_invalidate_before_the_wait_is_too_early(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_begin(&s);
    put_dispatch(&s, STORE_B);
    PUT(&s, ACQUIRE_MEM, .SIZE = ~0u, .GL1_INV = true, .GLV_INV = true);
    put_event(&s, AMD_EVENT_TYPE_CS_PARTIAL_FLUSH);
    put_dispatch(&s, LOAD_B);
    expect_report(rig, AMD_RING_GFX, &s, "missing: GL1_INV, then GLV_INV\n");
}

static void scalar_loads_have_a_cache_of_their_own(void **state)
{
    struct rig *rig = *state;
    for (unsigned drops = 0; drops < 2; drops++) {
        struct stream s = {0};
        put_begin(&s);
        put_dispatch(&s, STORE_B);
        put_event(&s, AMD_EVENT_TYPE_CS_PARTIAL_FLUSH);
        PUT(&s, ACQUIRE_MEM, .SIZE = ~0u, .GL1_INV = true, .GLV_INV = true, .GLK_INV = drops);
        put_dispatch(&s, SCALAR_B);
        expect_report(rig, AMD_RING_GFX, &s, drops ? NULL : "a scalar load (GLK) reads");
    }
}

static void a_report_names_both_packets(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_begin(&s);
    put_dispatch(&s, STORE_B);
    put_dispatch(&s, LOAD_B);
    expect_report(rig, AMD_RING_GFX, &s,
                  "coherence: a shader (GLV) reads 0xffff800000050000, which a shader (GL2) wrote before\n");
    assert_non_null(strstr(rig->report, "written by: job 1, 0xffff8000000"));
    assert_non_null(strstr(rig->report, "read by: job 1, 0xffff8000000"));
    assert_non_null(strstr(rig->report, "DISPATCH_DIRECT"));
}

/* ---- the host, the ends of jobs ---- */

static void what_the_host_wrote(void **state)
{
    struct rig *rig = *state;
    struct stream bare = {0}, code = {0}, whole = {0};
    put_dispatch(&bare, LOAD_B);
    expect_report(rig, AMD_RING_GFX, &bare, "missing: GL2_INV, then GLI_INV\n");
    PUT(&code, ACQUIRE_MEM, .SIZE = ~0u, .GL2_INV = true, .GLI_INV = AMD_GCR_GLI_INV_ALL);
    put_dispatch(&code, LOAD_B);
    expect_report(rig, AMD_RING_GFX, &code, "missing: GL1_INV, then GLV_INV\n");
    put_begin(&whole);
    put_dispatch(&whole, LOAD_B);
    expect_report(rig, AMD_RING_GFX, &whole, NULL);
}

/* The kernel's fence waits for everything and writes it back: the next job needs its own invalidates alone. */
static void jobs_follow_each_other(void **state)
{
    struct rig *rig = *state;
    struct stream store = {0}, load = {0};
    put_begin(&store);
    put_dispatch(&store, STORE_B);
    expect_report(rig, AMD_RING_COMPUTE, &store, NULL);
    put_begin(&load);
    put_dispatch(&load, LOAD_B);
    expect_report(rig, AMD_RING_GFX, &load, NULL);
}

/* ---- the command processor ---- */

static void put_copy_word(struct stream *s, uint64_t from_va)
{
    PUT(s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_MEM, .SRC_ADDR = from_va, .DST_SEL = AMD_COPY_DST_MEM,
        .DST_ADDR = RIG_VA + COPY_B);
}

static void the_processor_reads_the_second_level(void **state)
{
    struct rig *rig = *state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stream s = {0};
        put_begin(&s);
        put_dispatch(&s, STORE_B);
        if (waits)
            put_event(&s, AMD_EVENT_TYPE_CS_PARTIAL_FLUSH);
        put_copy_word(&s, RIG_VA + DATA_B);
        expect_report(rig, AMD_RING_GFX, &s, waits ? NULL : "missing: CS_PARTIAL_FLUSH\n");
    }
}

static void a_fence_is_waited_for(void **state)
{
    struct rig *rig = *state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stream s = {0};
        put_begin(&s);
        put_store(&s, FENCE_B, 0);
        put_dispatch(&s, STORE_B);
        PUT(&s, RELEASE_MEM, .EVENT_TYPE = AMD_EVENT_TYPE_BOTTOM_OF_PIPE_TS, .EVENT_INDEX = AMD_EVENT_INDEX_END_OF_PIPE,
            .DATA_SEL = AMD_RELEASE_DATA_32_BITS, .ADDR = RIG_VA + FENCE_B, .DATA = 1);
        if (waits)
            PUT(&s, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
                .ADDR = RIG_VA + FENCE_B, .REFERENCE = 1, .MASK = UINT32_MAX);
        put_copy_word(&s, RIG_VA + DATA_B);
        expect_report(rig, AMD_RING_GFX, &s, waits ? NULL : "missing: CS_PARTIAL_FLUSH\n");
    }
}

/* Arguments of an indirect dispatch are read by the front, which runs ahead; a compute ring has none. */
static void the_front_waits_by_itself(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 3; i++) {
        struct stream s = {0};
        put_begin(&s);
        PUT(&s, SET_BASE, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = RIG_VA + DATA_B);
        put_dispatch(&s, STORE_B);
        put_event(&s, AMD_EVENT_TYPE_CS_PARTIAL_FLUSH);
        if (i == 1)
            PUT(&s, PFP_SYNC_ME, .DUMMY = 0);
        if (i == 2)
            PUT(&s, ACQUIRE_MEM, .SIZE = ~0u, .GL2_WB = true);
        put_program(&s, RIG_VA + SCALAR_B, RIG_VA + FENCE_B, 64);
        PUT(&s, DISPATCH_INDIRECT, .DATA_OFFSET = 0, .COMPUTE_SHADER_EN = true, .FORCE_START_AT_000 = true);
        expect_report(rig, AMD_RING_GFX, &s, i ? NULL : "missing: PFP_SYNC_ME\n");
    }
}

static void dma_runs_beside_the_processor(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 3; i++) {
        struct stream s = {0};
        put_begin(&s);
        PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_DATA, .SRC_DATA = 5, .DST_SEL = AMD_DMA_DST_ADDR_TC_L2,
            .DST_ADDR = RIG_VA + DATA_B, .BYTE_COUNT = 64, .CP_SYNC = i == 1);
        if (i == 2)
            PUT(&s, DMA_DATA, .SRC_SEL = AMD_DMA_SRC_ADDR, .DST_SEL = AMD_DMA_DST_ADDR, .CP_SYNC = true);
        put_copy_word(&s, RIG_VA + DATA_B);
        expect_report(rig, AMD_RING_GFX, &s, i ? NULL : "missing: DMA_DATA with CP_SYNC\n");
    }
}

/* The DMA engine goes around the second level, whose contents a job leaves in memory. */
static void the_dma_engine_reads_memory(void **state)
{
    struct rig *rig = *state;
    struct stream store = {0}, copy = {0}, load = {0};
    put_begin(&store);
    put_dispatch(&store, STORE_B);
    expect_report(rig, AMD_RING_GFX, &store, NULL);
    copy.count += amd_pack_sdma_COPY_LINEAR(
        RIG_GFX, copy.dw,
        &(const struct amd_sdma_COPY_LINEAR){.COUNT_B = 63, .SRC_ADDR = RIG_VA + DATA_B, .DST_ADDR = RIG_VA + COPY_B});
    expect_report(rig, AMD_RING_SDMA, &copy, NULL);
    put_copy_word(&load, RIG_VA + COPY_B);
    expect_report(rig, AMD_RING_GFX, &load,
                  "the command processor (GL2) reads 0xffff800000061000, which the DMA engine (memory) wrote");
}

/* The right order of events is nothing to strict timing: rings that wait for each other by memory hand on what they
 * know. */
static void rings_hand_on_what_they_know(void **state)
{
    struct rig *rig = *state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct stream compute = {0}, gfx = {0};
        static struct rig_job jobs[2];
        *rig_dw(rig, FENCE_B) = 0;
        /* The other ring has begun: what a job has ended with is known to those after it. */
        PUT(&compute, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
            .ADDR = RIG_VA + COPY_B + 64, .REFERENCE = waits + 1, .MASK = UINT32_MAX);
        put_begin(&compute);
        put_dispatch(&compute, STORE_B);
        if (waits)
            put_event(&compute, AMD_EVENT_TYPE_CS_PARTIAL_FLUSH);
        put_store(&compute, FENCE_B, waits + 1);
        put_begin(&gfx);
        put_store(&gfx, COPY_B + 64, waits + 1);
        PUT(&gfx, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
            .ADDR = RIG_VA + FENCE_B, .REFERENCE = waits + 1, .MASK = UINT32_MAX);
        put_copy_word(&gfx, RIG_VA + DATA_B);
        rig_submit(rig, &jobs[0], AMD_RING_GFX, &gfx);
        rig_submit(rig, &jobs[1], AMD_RING_COMPUTE, &compute);
        rig_wait(&jobs[0]);
        rig_wait(&jobs[1]);
        assert_int_equal(jobs[0].error, waits ? 0 : -EIO);
        assert_int_equal(jobs[1].error, 0);
    }
}

int main(void)
{
    setenv("TUFF_DEBUG", "coherence", 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_load_of_what_a_dispatch_stored),
        TEST(an_invalidate_before_the_wait_is_too_early),
        TEST(scalar_loads_have_a_cache_of_their_own),
        TEST(a_report_names_both_packets),
        TEST(what_the_host_wrote),
        TEST(jobs_follow_each_other),
        TEST(the_processor_reads_the_second_level),
        TEST(a_fence_is_waited_for),
        TEST(the_front_waits_by_itself),
        TEST(dma_runs_beside_the_processor),
        TEST(the_dma_engine_reads_memory),
        TEST(rings_hand_on_what_they_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
