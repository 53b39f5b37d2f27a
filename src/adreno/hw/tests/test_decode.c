/* The text of streams and captures. Streams are packed by the generated functions; the words of one are written out, as
 * a judge that does not share them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/decode.h"
#include "adreno/hw/packets.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/table.h"
#include "util/bits.h"

#define BUFFER_VA 0x1000u

struct memory {
    const uint32_t *words; /* at BUFFER_VA */
    size_t count_dw;
    char problem[256]; /* the last one */
    unsigned problems;
};

static const uint32_t *read_memory(void *data, uint64_t va, uint32_t count_dw)
{
    struct memory *m = data;
    return va >= BUFFER_VA && (va - BUFFER_VA) / 4 + count_dw <= m->count_dw ? m->words + (va - BUFFER_VA) / 4 : NULL;
}

static void note_problem(void *data, uint64_t va, uint64_t offset_B, const char *message)
{
    struct memory *m = data;
    (void)va;
    m->problems++;
    snprintf(m->problem, sizeof(m->problem), "0x%llx: %s", (unsigned long long)offset_B, message);
}

static char text[16384];

static const char *decode_words(struct memory *m, const uint32_t *words, size_t count_dw, bool policies)
{
    struct strbuf out = {0};
    struct hw_decode_options options = {
        .policies = policies, .read = m->words ? read_memory : NULL, .problem = note_problem, .data = m};
    unsigned problems = adreno_decode_stream(&out, &options, words, count_dw);
    assert_int_equal(problems, m->problems);
    snprintf(text, sizeof(text), "%s", out.text ? out.text : "");
    strbuf_finish(&out);
    return text;
}

static void assert_contains(const char *haystack, const char *needle)
{
    if (!strstr(haystack, needle))
        fail_msg("no '%s' in:\n%s", needle, haystack);
}

static void registers_and_packets_have_names(void **state)
{
    /* CP_EVENT_WRITE of CACHE_INVALIDATE, RB_CCU_CNTL, CP_WAIT_FOR_IDLE: the first words of a stream of Turnip's */
    static const uint32_t words[] = {0x70460001, 0x00000031, 0x408e0701, 0x10000000, 0x70268000};
    struct memory m = {0};
    const char *out = decode_words(&m, words, ARRAY_SIZE(words), false);
    assert_int_equal(m.problems, 0);
    assert_contains(out, "CP_EVENT_WRITE EVENT=CACHE_INVALIDATE\n");
    assert_contains(out, "08e07 RB_CCU_CNTL                    = 0x10000000 COLOR_OFFSET=0x20000\n");
    assert_contains(out, "00000010  CP_WAIT_FOR_IDLE\n");
}

static void wide_registers_share_a_line(void **state)
{
    const uint32_t both[] = {adreno_pkt4_header(ADRENO_REG_RB_MRT_BASE + 8, 2), 0x89abc000, 0x1};
    const uint32_t high[] = {adreno_pkt4_header(ADRENO_REG_RB_MRT_BASE + 1, 1), 0x1};
    struct memory m = {0};
    assert_contains(decode_words(&m, both, ARRAY_SIZE(both), false),
                    "RB_MRT1_BASE                   = 0x0000000189abc000\n");
    assert_contains(decode_words(&m, high, ARRAY_SIZE(high), false), "RB_MRT0_BASE (high)            = 0x00000001\n");
    assert_int_equal(m.problems, 0);
}

static void formats_and_shifted_values_are_spelled_out(void **state)
{
    const uint32_t words[] = {
        adreno_pkt4_header(ADRENO_REG_RB_MRT_BUF_INFO, 2),
        ADRENO_PACK(RB_MRT_BUF_INFO, .COLOR_FORMAT = 48, .COLOR_TILE_MODE = ADRENO_TILE_MODE_TILE6_3,
                    .COLOR_SWAP = ADRENO_COLOR_SWAP_WXYZ),
        ADRENO_PACK(RB_MRT_PITCH, .VALUE = 4096),
    };
    struct memory m = {0};
    const char *out = decode_words(&m, words, ARRAY_SIZE(words), false);
    assert_contains(out, "COLOR_FORMAT=8_8_8_8_UNORM COLOR_TILE_MODE=TILE6_3 COLOR_SWAP=WXYZ\n");
    assert_contains(out, "RB_MRT0_PITCH                  = 0x00000040 VALUE=4096\n");
}

static void policies_are_told(void **state)
{
    const uint32_t words[] = {adreno_pkt4_header(0x800, 1),
                              1,
                              adreno_pkt4_header(ADRENO_REG_RB_ALPHA_TEST_CNTL, 1),
                              1,
                              adreno_pkt7_header(ADRENO_PKT_CP_SET_PROTECTED_MODE, 2),
                              0};
    struct memory m = {0};
    const char *out = decode_words(&m, words, ARRAY_SIZE(words), true);
    assert_contains(out, "[stop: the kernel protects it from the streams of programs]");
    assert_contains(out, "[stop: the alpha test of older APIs is not modelled]");
}

static void groups_repeat_and_are_entered(void **state)
{
    static const uint32_t inner[] = {0x70268000, 0x70268000};
    const uint32_t words[] = {
        adreno_pkt7_header(ADRENO_PKT_CP_SET_DRAW_STATE, 7),
        1 | 7u << 20 | 3u << 24,
        BUFFER_VA,
        0, /* group 3, in all passes */
        1 | 1u << 20 | 4u << 24,
        BUFFER_VA + 4,
        0, /* group 4, in binning */
    };
    struct memory m = {.words = inner, .count_dw = ARRAY_SIZE(inner)};
    const char *out = decode_words(&m, words, ARRAY_SIZE(words), false);
    assert_int_equal(m.problems, 0);
    assert_contains(out, "CP_SET_DRAW_STATE COUNT=1 BINNING=1 GMEM=1 SYSMEM=1 GROUP_ID=3 ADDR=0x000000001000\n");
    assert_contains(out, "COUNT=1 BINNING=1 GROUP_ID=4 ADDR=0x000000001004\n");
    assert_contains(out, "group 3: call 0x000000001000 {\n00000000  CP_WAIT_FOR_IDLE\n} back from 0x000000001000\n");
    assert_contains(out, "group 4: call 0x000000001004 {\n");
}

static void bunches_are_pairs(void **state)
{
    const uint32_t words[] = {adreno_pkt7_header(ADRENO_PKT_CP_CONTEXT_REG_BUNCH, 5), ADRENO_REG_RB_WINDOW_OFFSET,
                              0x00200010, ADRENO_REG_RB_CCU_CNTL, 0};
    struct memory m = {0};
    const char *out = decode_words(&m, words, ARRAY_SIZE(words), false);
    assert_contains(out, "RB_WINDOW_OFFSET               = 0x00200010 X=16 Y=32\n");
    assert_contains(out, "RB_CCU_CNTL                    = 0x00000000\n");
}

static void buffers_are_called_and_chained(void **state)
{
    uint32_t inner[5] = {0x70268000};
    struct adreno_pkt_CP_INDIRECT_BUFFER ib = {.IB_BASE = BUFFER_VA, .IB_SIZE = 1};
    uint32_t call[4];
    assert_int_equal(adreno_pack_pkt_CP_INDIRECT_BUFFER(call, &ib), 4);
    struct memory m = {.words = inner, .count_dw = 5};
    assert_contains(decode_words(&m, call, 4, false), "call 0x000000001000 {\n00000000  CP_WAIT_FOR_IDLE\n} back");

    /* A chain that comes back to itself ends with a report. */
    struct adreno_pkt_CP_INDIRECT_BUFFER_CHAIN chain = {.IB_BASE = BUFFER_VA + 4, .IB_SIZE = 4};
    adreno_pack_pkt_CP_INDIRECT_BUFFER_CHAIN(inner + 1, &chain);
    decode_words(&m, inner + 1, 4, false);
    assert_int_equal(m.problems, 1);
    assert_contains(m.problem, "the chain comes back to 0x1004");
}

static void damage_is_reported_and_decoding_goes_on(void **state)
{
    const uint32_t words[] = {0,          0x12345678,
                              0x70268000, adreno_pkt4_header(0x7000, 1),
                              5,          adreno_pkt7_header(0x0a, 2),
                              0,          adreno_pkt4_header(0x8800, 2),
                              1};
    struct memory m = {0};
    const char *out = decode_words(&m, words, ARRAY_SIZE(words), false);
    assert_int_equal(m.problems, 4);
    assert_contains(out, "00000000  ? 2 dwords\n");
    assert_contains(out, "00000008  CP_WAIT_FOR_IDLE\n");
    assert_contains(out, "? opcode 0x0a\n");
    assert_contains(m.problem, "registers are cut off: 1 of 2 are there");
}

/* --- captures --- */

static size_t add_section(uint8_t *at, uint32_t type, const void *payload, uint32_t size_B)
{
    memcpy(at, &type, 4);
    memcpy(at + 4, &size_B, 4);
    memcpy(at + 8, payload, size_B);
    return 8 + size_B;
}

static void captures_hold_memory_and_streams(void **state)
{
    static const uint32_t buffer[3] = {0x10008000, 12, 1}, stream[3] = {0x10008004, 1, 1}, lost[3] = {0x500, 1, 1};
    static const uint32_t contents[3] = {0, 0x70268000, 0}, gap[2] = {UINT32_MAX, UINT32_MAX};
    uint8_t file[256];
    size_t size_B = add_section(file, 2, "a program", 10);
    memcpy(file + size_B, gap, 8);
    size_B += 8;
    size_B += add_section(file + size_B, 3, buffer, 12);
    size_B += add_section(file + size_B, 12, contents, 12);
    size_B += add_section(file + size_B, 6, stream, 12);
    size_B += add_section(file + size_B, 6, lost, 12);
    assert_true(adreno_is_capture(file, size_B));
    assert_false(adreno_is_capture(contents + 1, 8));

    struct memory m = {0};
    struct strbuf out = {0};
    struct hw_decode_options options = {.problem = note_problem, .data = &m};
    assert_int_equal(adreno_decode_capture(&out, &options, file, size_B), 1);
    assert_contains(out.text, "program a program\nstream 0x000110008004, 1 dwords\n00000000  CP_WAIT_FOR_IDLE\n");
    assert_contains(m.problem, "the capture does not hold the stream");
    strbuf_finish(&out);

    for (size_t cut_B = 0; cut_B < size_B; cut_B++) {
        adreno_decode_capture(&out, &options, file, cut_B); /* reads nothing beyond the cut: the sanitizers look */
        strbuf_finish(&out);
    }
}

static void descriptors_are_spelled_out(void **state)
{
    const uint32_t ubo[2] = {0x89ab0000, 0x1 | 4u << 17};
    struct strbuf out = {0};
    struct hw_decode_options options = {0};
    assert_true(adreno_decode_descriptor(&out, &options, "UBO", ubo));
    assert_string_equal(out.text, "UBO BASE=0x000189ab0000 SIZE=4");
    assert_false(adreno_decode_descriptor(&out, &options, "TEXTURE", ubo));
    strbuf_clear(&out);
    assert_true(adreno_decode_register(&out, &options, ADRENO_REG_RB_CCU_CNTL, 0));
    assert_false(adreno_decode_register(&out, &options, 0x7000, 0));
    strbuf_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_and_packets_have_names),
        cmocka_unit_test(wide_registers_share_a_line),
        cmocka_unit_test(formats_and_shifted_values_are_spelled_out),
        cmocka_unit_test(policies_are_told),
        cmocka_unit_test(groups_repeat_and_are_entered),
        cmocka_unit_test(bunches_are_pairs),
        cmocka_unit_test(buffers_are_called_and_chained),
        cmocka_unit_test(damage_is_reported_and_decoding_goes_on),
        cmocka_unit_test(captures_hold_memory_and_streams),
        cmocka_unit_test(descriptors_are_spelled_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
