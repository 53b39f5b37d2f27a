/* Streams without an event that the caches need, on the whole GPU with TUFF_DEBUG=coherence: each stops at the command
 * that comes too early, and the same stream with the event runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/regs_vpc.h"
#include "rig.h"
#include "util/bits.h"

#define IMAGE_B 0x1000u
#define COPY_B 0x3000u
#define WORD_B 0x5000u
#define RGBA8 48

#define PUT_REG(s, name, ...) put_reg(s, ADRENO_REG_##name, adreno_pack_##name(&(struct adreno_##name){__VA_ARGS__}))

static void put_event(struct stream *s, unsigned event)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_EVENT_WRITE, 2), event);
}

static void put_wait(struct stream *s)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_WAIT_FOR_IDLE, 1));
}

/* The 2D engine: 16 by 16 pixels of four bytes, filled or copied from the image. */
static void put_blit(struct stream *s, uint32_t offset_B, bool is_copy)
{
    PUT_REG(s, RB_A2D_DEST_BUFFER_INFO, .COLOR_FORMAT = RGBA8);
    put_reg64(s, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, RIG_VA + offset_B);
    PUT_REG(s, RB_A2D_DEST_BUFFER_PITCH, .VALUE = 64);
    PUT_REG(s, TPL1_A2D_SRC_TEXTURE_INFO, .COLOR_FORMAT = RGBA8);
    PUT_REG(s, TPL1_A2D_SRC_TEXTURE_SIZE, .WIDTH = 16, .HEIGHT = 16);
    put_reg64(s, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE, RIG_VA + IMAGE_B);
    PUT_REG(s, TPL1_A2D_SRC_TEXTURE_PITCH, .PITCH = 64);
    PUT_REG(s, GRAS_A2D_SRC_XMIN, .VALUE = 0);
    PUT_REG(s, GRAS_A2D_SRC_YMIN, .VALUE = 0);
    PUT_REG(s, GRAS_A2D_SRC_XMAX, .VALUE = 15);
    PUT_REG(s, GRAS_A2D_SRC_YMAX, .VALUE = 15);
    PUT_REG(s, GRAS_A2D_DEST_TL, .X = 0, .Y = 0);
    PUT_REG(s, GRAS_A2D_DEST_BR, .X = 15, .Y = 15);
    PUT_REG(s, RB_A2D_BLT_CNTL, .SOLID_COLOR = !is_copy, .MASK = 15, .IFMT = ADRENO_IFMT_2D_UNORM8);
    PUT(s, CP_BLIT, .OP = ADRENO_BLIT_OP_SCALE);
}

/* A word of the image into a register. */
static void put_load(struct stream *s, uint32_t offset_B)
{
    PUT(s, CP_MEM_TO_REG, .REG = ADRENO_REG_RB_BLEND_CONSTANT_RED_FP32, .CNT = 1, .SRC = RIG_VA + offset_B);
}

/* The stream stops with this report; NULL: it runs to its end. */
static void expect_report(struct rig *rig, const struct stream *s, const char *text)
{
    static struct rig_job job;
    rig_submit(rig, &job, s);
    rig_wait(&job);
    if (text ? !job.error || !strstr(job.report, text) : job.error != 0) {
        print_message("error %d, wanted %s\n%s\n", job.error, text ? text : "none", job.report);
        fail();
    }
}

static void test_a_copy_of_a_fill(void **state)
{
    struct rig *rig = *state;
    static const struct {
        uint8_t events[4];
        bool has_wait;
        const char *missing;
    } cases[] = {
        {{ADRENO_EVENT_CACHE_INVALIDATE}, true, "missing: PC_CCU_FLUSH_COLOR_TS, then CACHE_INVALIDATE\n"},
        {{ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS}, true, "missing: CACHE_INVALIDATE\n"},
        {{ADRENO_EVENT_CACHE_INVALIDATE, ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS}, true, "missing: CACHE_INVALIDATE\n"},
        {{ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS, ADRENO_EVENT_CACHE_INVALIDATE}, false, "missing: CP_WAIT_FOR_IDLE\n"},
        {{ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS, ADRENO_EVENT_CACHE_INVALIDATE}, true, NULL},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        struct stream s = {0};
        put_blit(&s, IMAGE_B, false);
        for (unsigned n = 0; cases[i].events[n]; n++)
            put_event(&s, cases[i].events[n]);
        if (cases[i].has_wait)
            put_wait(&s);
        put_blit(&s, COPY_B, true);
        put_event(&s, ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS);
        expect_report(rig, &s, cases[i].missing);
    }
}

static void test_a_report_names_both_commands(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_blit(&s, IMAGE_B, false);
    put_load(&s, IMAGE_B);
    expect_report(rig, &s,
                  "coherence: the CP (memory) reads 0x100001000, which the 2D engine (CCU colour) wrote before\n"
                  "  missing: PC_CCU_FLUSH_COLOR_TS\n"
                  "  written by: job 1, 0x100080");
    expect_report(rig, &s, "CP_BLIT OP=SCALE\n  read by: job 2, 0x100080");
    expect_report(rig, &s, "CP_MEM_TO_REG REG=");
}

static void test_writes_of_the_processor(void **state)
{
    struct rig *rig = *state;
    for (unsigned is_waited = 0; is_waited < 2; is_waited++) {
        struct stream s = {0};
        put_store(&s, WORD_B, 7);
        if (is_waited)
            PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_WAIT_MEM_WRITES, 1));
        put_load(&s, WORD_B);
        expect_report(rig, &s, is_waited ? NULL : "missing: CP_WAIT_MEM_WRITES\n");
    }
}

static void test_counts_of_stream_out(void **state)
{
    struct rig *rig = *state;
    for (unsigned is_flushed = 0; is_flushed < 2; is_flushed++) {
        struct stream s = {0};
        put_reg64(&s, ADRENO_REG_VPC_SO_QUERY_BASE, RIG_VA + WORD_B);
        put_event(&s, ADRENO_EVENT_WRITE_PRIMITIVE_COUNTS);
        if (is_flushed)
            put_event(&s, ADRENO_EVENT_CACHE_FLUSH_TS);
        put_wait(&s);
        put_load(&s, WORD_B);
        expect_report(rig, &s, is_flushed ? NULL : "missing: CACHE_FLUSH_TS\n");
    }
}

/* UCHE may have an old copy of memory that the host wrote before a job. */
static void test_the_host(void **state)
{
    struct rig *rig = *state;
    for (unsigned is_invalidated = 0; is_invalidated < 2; is_invalidated++) {
        struct stream s = {0};
        if (is_invalidated)
            put_event(&s, ADRENO_EVENT_CACHE_INVALIDATE);
        put_wait(&s);
        put_blit(&s, COPY_B, true);
        put_event(&s, ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS);
        expect_report(rig, &s, is_invalidated ? NULL : "written by: the host, before the job");
    }
}

static void test_what_a_cache_loses(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_blit(&s, IMAGE_B, false);
    expect_report(rig, &s, "CCU colour: the job ends and holds what the 2D engine wrote to 0x100001000");
    put_event(&s, ADRENO_EVENT_PC_CCU_INVALIDATE_COLOR);
    expect_report(rig, &s, "CCU colour: it is invalidated and holds what the 2D engine wrote");
}

int main(void)
{
    setenv("TUFF_DEBUG", "coherence", 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_a_copy_of_a_fill),
        TEST(test_a_report_names_both_commands),
        TEST(test_writes_of_the_processor),
        TEST(test_counts_of_stream_out),
        TEST(test_the_host),
        TEST(test_what_a_cache_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
