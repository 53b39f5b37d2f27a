/* Strict mode outside of shaders: the caches' part of GMEM, and what of GMEM a bin may read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/regs_rb.h"
#include "whole.h"

#define PICTURE_B 0x10000
#define FORMAT_8_8_8_8_UNORM 48
#define BIN 32 /* pixels each way */

static void put_event(struct stream *s, unsigned event)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_EVENT_WRITE, 2), event);
}

static void put_marker(struct stream *s, unsigned mode)
{
    PUT(s, CP_SET_MARKER, .MODE = mode);
}

/* ---- the carve-out ---- */

enum {
    FLUSHES = 1,
    INVALIDATES = 2,
    WAITS = 4,
};

static void put_resolve(struct stream *s, enum adreno_BLIT_EVENT_TYPE type);

/* Something uses the caches, what `steps` says is done, and RB_CCU_CNTL changes. */
static int use_caches(struct rig *rig, unsigned pass, unsigned steps)
{
    static uint32_t color_offset;
    struct stream s = {0};
    put_marker(&s, pass);
    put_resolve(&s, ADRENO_BLIT_EVENT_TYPE_CLEAR);
    if (steps & FLUSHES) {
        PUT(&s, CP_EVENT_WRITE, .EVENT = ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS, .ADDR = RIG_VA);
        PUT(&s, CP_EVENT_WRITE, .EVENT = ADRENO_EVENT_PC_CCU_FLUSH_DEPTH_TS, .ADDR = RIG_VA);
    }
    if (steps & INVALIDATES) {
        put_event(&s, ADRENO_EVENT_PC_CCU_INVALIDATE_COLOR);
        put_event(&s, ADRENO_EVENT_PC_CCU_INVALIDATE_DEPTH);
    }
    if (steps & WAITS)
        PUT_WORDS(&s, adreno_pkt7_header(ADRENO_PKT_CP_WAIT_FOR_IDLE, 1));
    color_offset = (color_offset + 0x1000) & 0xffff;
    put_reg(&s, ADRENO_REG_RB_CCU_CNTL, ADRENO_PACK(RB_CCU_CNTL, .COLOR_OFFSET = color_offset));
    return whole_run(rig, &s);
}

static void the_carve_out_changes_after_a_flush(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(use_caches(rig, ADRENO_MARKER_DIRECT_RENDER, FLUSHES | INVALIDATES | WAITS), 0);
    assert_int_not_equal(use_caches(rig, ADRENO_MARKER_DIRECT_RENDER, INVALIDATES | WAITS), 0);
    assert_non_null(strstr(rig->report, "strict mode: RB_CCU_CNTL changes, and the cache of colour was not flushed"));
    assert_int_not_equal(use_caches(rig, ADRENO_MARKER_DIRECT_RENDER, FLUSHES | WAITS), 0);
    assert_non_null(strstr(rig->report, "was not invalidated"));
    assert_int_not_equal(use_caches(rig, ADRENO_MARKER_DIRECT_RENDER, FLUSHES | INVALIDATES), 0);
    assert_non_null(strstr(rig->report, "without a wait for idle"));
    /* A bin's pixels are in GMEM and not in a cache of memory. */
    assert_int_equal(use_caches(rig, ADRENO_MARKER_BIN_RENDER_START, INVALIDATES | WAITS), 0);
}

/* ---- GMEM ---- */

/* A surface of GMEM and one in memory, of a bin. */
static void put_resolve(struct stream *s, enum adreno_BLIT_EVENT_TYPE type)
{
    put_reg(s, ADRENO_REG_RB_RESOLVE_CNTL_1, 0);
    put_reg(s, ADRENO_REG_RB_RESOLVE_CNTL_2, ADRENO_PACK(RB_RESOLVE_CNTL_2, .X = BIN - 1, .Y = BIN - 1));
    put_reg(s, ADRENO_REG_RB_RESOLVE_CNTL_3, ADRENO_PACK(RB_RESOLVE_CNTL_3, .BINW = BIN, .BINH = BIN));
    put_reg(s, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_INFO,
            ADRENO_PACK(RB_RESOLVE_SYSTEM_BUFFER_INFO, .COLOR_FORMAT = FORMAT_8_8_8_8_UNORM));
    put_reg64(s, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_BASE, RIG_VA + PICTURE_B);
    put_reg(s, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_PITCH,
            ADRENO_PACK(RB_RESOLVE_SYSTEM_BUFFER_PITCH, .VALUE = BIN * 4));
    put_reg(s, ADRENO_REG_RB_RESOLVE_OPERATION, ADRENO_PACK(RB_RESOLVE_OPERATION, .TYPE = type, .CLEAR_MASK = 15));
    put_event(s, ADRENO_EVENT_CCU_RESOLVE);
}

static void a_bin_reads_what_it_has_written(void **state)
{
    struct rig *rig = *state;
    struct stream s = {0};
    put_marker(&s, ADRENO_MARKER_BIN_RENDER_START);
    put_resolve(&s, ADRENO_BLIT_EVENT_TYPE_CLEAR);
    put_resolve(&s, ADRENO_BLIT_EVENT_TYPE_STORE);
    put_marker(&s, ADRENO_MARKER_BIN_RENDER_START);
    put_resolve(&s, ADRENO_BLIT_EVENT_TYPE_LOAD);
    put_resolve(&s, ADRENO_BLIT_EVENT_TYPE_STORE);
    assert_int_equal(whole_run(rig, &s), 0);
    put_marker(&s, ADRENO_MARKER_BIN_RENDER_START);
    put_resolve(&s, ADRENO_BLIT_EVENT_TYPE_STORE); /* what the last bin left */
    assert_int_not_equal(whole_run(rig, &s), 0);
    assert_non_null(strstr(rig->report, "strict mode: the BLIT event reads byte 0x0 of GMEM"));
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_carve_out_changes_after_a_flush, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_bin_reads_what_it_has_written, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
