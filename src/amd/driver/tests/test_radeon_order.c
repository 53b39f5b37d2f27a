/* Orders as packets: which waits and cache operations the stream has for a set of things that are due, and in what
 * order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amd/driver/radeon_cmd.h"
#include "util/bits.h"
#include "util/strbuf.h"

static struct radeon_device device;
static struct radeon_cmd_buffer cmd;
static uint32_t stream[256];

static int set_up(void **state)
{
    memset(&cmd, 0, sizeof(cmd));
    memset(stream, 0, sizeof(stream));
    cmd.device = &device;
    cmd.cs.dw = stream;
    cmd.cs.end = stream + ARRAY_SIZE(stream);
    cmd.fence_va = 0x100000; /* as if it had been taken */
    return 0;
}

/* The fields of caches that a packet has set. */
static void print_caches(struct strbuf *out, uint32_t opcode, const uint32_t *dw)
{
    struct amd_pkt_ACQUIRE_MEM acquire = {0};
    struct amd_pkt_RELEASE_MEM release = {0};
    if (opcode == AMD_PKT_ACQUIRE_MEM)
        assert_true(amd_unpack_pkt_ACQUIRE_MEM(RADEON_GFX, dw, AMD_PKT_COUNT(dw[0]) + 2, &acquire));
    if (opcode == AMD_PKT_RELEASE_MEM)
        assert_true(amd_unpack_pkt_RELEASE_MEM(RADEON_GFX, dw, AMD_PKT_COUNT(dw[0]) + 2, &release));
    const struct {
        const char *name;
        bool is_set;
    } caches[] = {
        {"GLI_INV", acquire.GLI_INV != AMD_GCR_GLI_INV_NOP}, {"GLM_WB", acquire.GLM_WB | release.GLM_WB},
        {"GLM_INV", acquire.GLM_INV | release.GLM_INV},      {"GLK_INV", acquire.GLK_INV},
        {"GLV_INV", acquire.GLV_INV | release.GLV_INV},      {"GL1_INV", acquire.GL1_INV | release.GL1_INV},
        {"GL2_INV", acquire.GL2_INV | release.GL2_INV},      {"GL2_WB", acquire.GL2_WB | release.GL2_WB},
    };
    for (size_t i = 0; i < ARRAY_SIZE(caches); i++) {
        if (caches[i].is_set)
            strbuf_printf(out, ".%s", caches[i].name);
    }
}

/* The packets in short: events by name, others by name with the fields of caches that are set. */
static const char *written(bool is_compute, uint32_t due)
{
    static const struct {
        uint32_t type;
        const char *name;
    } events[] = {
        {AMD_EVENT_TYPE_FLUSH_AND_INV_CB_META, "CB_META"},
        {AMD_EVENT_TYPE_FLUSH_AND_INV_DB_META, "DB_META"},
        {AMD_EVENT_TYPE_PS_PARTIAL_FLUSH, "PS"},
        {AMD_EVENT_TYPE_VS_PARTIAL_FLUSH, "VS"},
        {AMD_EVENT_TYPE_CS_PARTIAL_FLUSH, "CS"},
        {AMD_EVENT_TYPE_VGT_FLUSH, "VGT"},
        {AMD_EVENT_TYPE_FLUSH_AND_INV_CB_DATA_TS, "CB"},
        {AMD_EVENT_TYPE_FLUSH_AND_INV_DB_DATA_TS, "DB"},
        {AMD_EVENT_TYPE_CACHE_FLUSH_AND_INV_TS_EVENT, "CB+DB"},
        {AMD_EVENT_TYPE_PIPELINESTAT_START, "COUNT"},
        {AMD_EVENT_TYPE_PIPELINESTAT_STOP, "STOP"},
    };
    static char text[512];
    set_up(NULL);
    cmd.is_compute = is_compute;
    cmd.due = due;
    radeon_emit_due(&cmd);
    assert_int_equal(cmd.due, 0);
    struct strbuf out = {0};
    for (const uint32_t *dw = stream; dw < cmd.cs.dw; dw += AMD_PKT_COUNT(dw[0]) + 2) {
        uint32_t opcode = AMD_PKT3_OPCODE(dw[0]);
        const char *name = opcode == AMD_PKT_ACQUIRE_MEM    ? "ACQUIRE"
                           : opcode == AMD_PKT_WAIT_REG_MEM ? "WAIT"
                           : opcode == AMD_PKT_PFP_SYNC_ME  ? "PFP"
                           : opcode == AMD_PKT_SET_SH_REG   ? "REGISTER"
                                                            : NULL;
        for (size_t i = 0; i < ARRAY_SIZE(events) && !name; i++) {
            if ((dw[1] & 0x3f) == events[i].type)
                name = events[i].name;
        }
        strbuf_printf(&out, "%s%s", out.length ? " " : "", name ? name : "?");
        print_caches(&out, opcode, dw);
    }
    snprintf(text, sizeof(text), "%s", out.text ? out.text : "");
    strbuf_finish(&out);
    return text;
}

static void nothing_due_is_nothing_written(void **state)
{
    assert_string_equal(written(false, 0), "");
    assert_string_equal(written(true, RADEON_OUT_ALL_COLOR | RADEON_AFTER_PIXELS | RADEON_GEOMETRY_ENDS), "");
}

static void a_later_stage_covers_an_earlier_one(void **state)
{
    assert_string_equal(written(false, RADEON_AFTER_VERTICES), "VS PFP");
    assert_string_equal(written(false, RADEON_AFTER_VERTICES | RADEON_AFTER_PIXELS), "PS PFP");
    assert_string_equal(written(false, RADEON_AFTER_PIXELS | RADEON_AFTER_COMPUTE), "PS CS PFP");
    assert_string_equal(written(false, RADEON_AFTER_PIXELS | RADEON_OUT_COLOR), "CB_META CB WAIT PFP");
    assert_string_equal(written(true, RADEON_AFTER_COMPUTE), "CS"); /* no front to be held back */
}

static void the_backends_are_waited_for_by_a_fence(void **state)
{
    assert_string_equal(written(false, RADEON_OUT_ALL_COLOR), "CB_META CB WAIT PFP");
    assert_string_equal(written(false, RADEON_OUT_ALL_DEPTH), "DB_META DB WAIT PFP");
    assert_string_equal(written(false, RADEON_OUT_ALL_COLOR | RADEON_OUT_ALL_DEPTH | RADEON_AFTER_COMPUTE),
                        "CB_META DB_META CS CB+DB WAIT PFP");
    assert_string_equal(written(false, RADEON_OUT_COLOR_METADATA), "CB_META"); /* pixels stay where they are */
    uint32_t value = cmd.fence_value;
    cmd.due = RADEON_OUT_COLOR;
    radeon_emit_due(&cmd);
    assert_int_equal(cmd.fence_value, value + 1); /* each has its own */
}

static void readers_drop_their_own_caches(void **state)
{
    assert_string_equal(written(false, RADEON_FRESH_SCALAR), "ACQUIRE.GLK_INV.GL1_INV");
    assert_string_equal(written(false, RADEON_FRESH_VECTOR), "ACQUIRE.GLV_INV.GL1_INV");
    assert_string_equal(written(true, RADEON_FRESH_CODE | RADEON_FRESH_SCALAR | RADEON_FRESH_VECTOR),
                        "ACQUIRE.GLI_INV.GLK_INV.GLV_INV.GL1_INV");
    assert_string_equal(written(false, RADEON_FRESH_METADATA), "ACQUIRE.GLM_WB.GLM_INV");
}

static void l2_takes_the_metadata_with_it(void **state)
{
    assert_string_equal(written(false, RADEON_OUT_L2), "ACQUIRE.GLM_WB.GLM_INV.GL2_WB");
    assert_string_equal(written(false, RADEON_FRESH_L2), "ACQUIRE.GLM_WB.GLM_INV.GL2_INV.GL2_WB");
    assert_string_equal(written(false, RADEON_FRESH_L2 | RADEON_OUT_L2 | RADEON_FRESH_METADATA),
                        "ACQUIRE.GLM_WB.GLM_INV.GL2_INV.GL2_WB");
}

/* L2 must not be written back before what the backends write has come there. */
static void l2_follows_the_backends(void **state)
{
    assert_string_equal(written(false, RADEON_OUT_ALL_COLOR | RADEON_FRESH_L2),
                        "CB_META CB.GLM_WB.GLM_INV.GL2_INV.GL2_WB WAIT PFP");
    assert_string_equal(written(false, RADEON_OUT_ALL_DEPTH | RADEON_OUT_L2 | RADEON_FRESH_VECTOR),
                        "DB_META DB.GLM_WB.GLM_INV.GL2_WB WAIT ACQUIRE.GLV_INV.GL1_INV");
}

static void statistics_change_last(void **state)
{
    assert_string_equal(written(false, RADEON_STATISTICS_OFF | RADEON_AFTER_COMPUTE), "CS PFP STOP");
    assert_string_equal(written(false, RADEON_STATISTICS_ON | RADEON_FRESH_VECTOR), "ACQUIRE.GLV_INV.GL1_INV COUNT");
    assert_string_equal(written(true, RADEON_STATISTICS_ON), "REGISTER");
    assert_string_equal(written(false, RADEON_GEOMETRY_ENDS), "VGT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_due_is_nothing_written),
        cmocka_unit_test(a_later_stage_covers_an_earlier_one),
        cmocka_unit_test(the_backends_are_waited_for_by_a_fence),
        cmocka_unit_test(readers_drop_their_own_caches),
        cmocka_unit_test(l2_takes_the_metadata_with_it),
        cmocka_unit_test(l2_follows_the_backends),
        cmocka_unit_test(statistics_change_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
