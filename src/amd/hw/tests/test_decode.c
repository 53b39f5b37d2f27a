/* The decoder's text, and its reports on streams that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amd/hw/decode.h"
#include "amd/hw/packets.h"
#include "util/bits.h"

/* GPU memory of the tests: one buffer at one address. */
struct memory {
    uint64_t va;
    const uint32_t *words;
    uint32_t count_dw;
    char problems[2048];
};

static const uint32_t *read_memory(void *data, uint64_t va, uint32_t count_dw)
{
    struct memory *memory = data;
    return va == memory->va && count_dw <= memory->count_dw ? memory->words : NULL;
}

static void note_problem(void *data, uint64_t va, uint64_t offset_B, const char *message)
{
    struct memory *memory = data;
    size_t length = strlen(memory->problems);
    snprintf(memory->problems + length, sizeof(memory->problems) - length, "%llx+%llx: %s\n", (unsigned long long)va,
             (unsigned long long)offset_B, message);
}

static struct hw_decode_options options_for(struct memory *memory)
{
    return (struct hw_decode_options){.generation = AMD_GFX10_3, .problem = note_problem, .data = memory};
}

static void expect_result(const uint32_t *words, size_t count_dw, const char *text, const char *problems)
{
    struct memory memory = {0};
    struct hw_decode_options options = options_for(&memory);
    struct strbuf out = {0};
    unsigned count = amd_decode_stream(&out, &options, words, count_dw);
    assert_string_equal(out.text ? out.text : "", text);
    assert_string_equal(memory.problems, problems);
    assert_int_equal(count > 0, problems[0] != '\0');
    strbuf_finish(&out);
}

static void registers_are_printed_with_fields_and_values(void **state)
{
    const uint32_t words[] = {0xc0026900, 0x0000031c, 0x00008928, 0x00028000};
    expect_result(
        words, ARRAY_SIZE(words),
        "00000000  SET_CONTEXT_REG\n"
        "            28c70 CB_COLOR0_INFO                 = 0x00008928 FORMAT=8_8_8_8 NUMBER_TYPE=SNORM COMP_SWAP=ALT "
        "BLEND_CLAMP=1\n"
        "            28c74 CB_COLOR0_ATTRIB               = 0x00028000 NUM_FRAGMENTS=1 FORCE_DST_ALPHA_1=1\n",
        "");
}

static void floats_are_printed_as_numbers(void **state)
{
    const uint32_t words[] = {0xc0016900, 0x0000010f, 0x43800000};
    expect_result(words, ARRAY_SIZE(words),
                  "00000000  SET_CONTEXT_REG\n"
                  "            2843c PA_CL_VPORT_XSCALE_0           = 0x43800000 VALUE=256\n",
                  "");
}

static void draws_and_dispatches_show_their_counts(void **state)
{
    const uint32_t words[] = {0xc0012d00, 3, 2, 0xc0031502, 8, 4, 1, 0x8001};
    expect_result(words, ARRAY_SIZE(words),
                  "00000000  DRAW_INDEX_AUTO INDEX_COUNT=3 SOURCE_SELECT=AUTO_INDEX\n"
                  "0000000c  DISPATCH_DIRECT (compute) DIM_X=8 DIM_Y=4 DIM_Z=1 COMPUTE_SHADER_EN=1 CS_W32_EN=1\n",
                  "");
}

static void fields_that_do_not_hold_are_left_out(void **state)
{
    /* COPY_DATA of a timestamp has a destination address and no source */
    const uint32_t words[] = {0xc0044000, 0x00110509, 0, 0, 0x1000, 0xffff8001};
    expect_result(
        words, ARRAY_SIZE(words),
        "00000000  COPY_DATA SRC_SEL=TIMESTAMP DST_SEL=MEM COUNT_64=1 WR_CONFIRM=1 DST_ADDR=0xffff800100001000\n", "");
}

static void fillers_of_both_kinds_are_one_line(void **state)
{
    const uint32_t words[] = {AMD_PKT2_FILLER, AMD_PKT2_FILLER, AMD_PKT3_NOP_FILLER};
    expect_result(words, ARRAY_SIZE(words), "00000000  filler (3 dwords)\n", "");
}

static void a_packet_that_is_cut_off_is_named(void **state)
{
    const uint32_t words[] = {0xc0042700, 3, 0x1000};
    expect_result(words, ARRAY_SIZE(words), "00000000  DRAW_INDEX_2 MAX_SIZE=3\n",
                  "0+0: DRAW_INDEX_2 is cut off: 3 dwords of 6 are there\n");
}

static void a_register_that_is_cut_off_still_prints_the_ones_before(void **state)
{
    const uint32_t words[] = {0xc0036900, 0x0000008e, 0xf};
    expect_result(words, ARRAY_SIZE(words),
                  "00000000  SET_CONTEXT_REG\n"
                  "            28238 CB_TARGET_MASK                 = 0x0000000f TARGET0_ENABLE=15\n",
                  "0+0: SET_CONTEXT_REG is cut off: 3 dwords of 5 are there\n");
}

static void unknown_opcodes_and_registers_do_not_end_the_stream(void **state)
{
    const uint32_t words[] = {0xc000fe00, 7, 0xc0017900, 0x00003fff, 1, 0xc0002f00, 1};
    expect_result(words, ARRAY_SIZE(words),
                  "00000000  ? opcode 0xfe\n"
                  "            00000007\n"
                  "00000008  SET_UCONFIG_REG\n"
                  "            3fffc ?                              = 0x00000001\n"
                  "00000014  NUM_INSTANCES COUNT=1\n",
                  "0+0: opcode 0xfe is not in the tables\n"
                  "0+10: register 0x3fffc is not in the tables\n");
}

static void words_that_are_no_header_are_one_problem(void **state)
{
    const uint32_t words[] = {0, 0x40000000, 0, 0xc0002f00, 1};
    expect_result(words, ARRAY_SIZE(words),
                  "00000000  ? 3 dwords of type 0\n"
                  "0000000c  NUM_INSTANCES COUNT=1\n",
                  "0+0: 0x00000000 is not the header of a packet (type 0), nor are the words after it\n");
}

static void lengths_that_are_wrong_are_told(void **state)
{
    const uint32_t words[] = {0xc0001500, 8, 0xc0012f00, 1, 2};
    expect_result(words, ARRAY_SIZE(words),
                  "00000000  DISPATCH_DIRECT DIM_X=8\n"
                  "00000008  NUM_INSTANCES COUNT=1\n"
                  "            00000002\n",
                  "0+0: DISPATCH_DIRECT has 2 dwords, it needs 5\n"
                  "0+8: NUM_INSTANCES has 3 dwords, 1 more than it should\n");
}

static void nothing_at_all_is_no_problem_of_the_decoder(void **state)
{
    expect_result(NULL, 0, "", "");
}

static void buffers_are_called_and_come_back(void **state)
{
    const uint32_t inner[] = {0xc0002f00, 5, 0xc000fe00, 0};
    const uint32_t outer[] = {0xc0023f00, 0x2000, 0xffff8001, 0x00800004, 0xc0002f00, 6};
    struct memory memory = {.va = 0xffff800100002000, .words = inner, .count_dw = ARRAY_SIZE(inner)};
    struct hw_decode_options options = options_for(&memory);
    options.read = read_memory;
    struct strbuf out = {0};
    assert_int_equal(amd_decode_stream(&out, &options, outer, ARRAY_SIZE(outer)), 1);
    assert_string_equal(out.text, "00000000  INDIRECT_BUFFER IB_BASE=0xffff800100002000 IB_SIZE=4 VALID=1\n"
                                  "call 0xffff800100002000 {\n"
                                  "00000000  NUM_INSTANCES COUNT=5\n"
                                  "00000008  ? opcode 0xfe\n"
                                  "            00000000\n"
                                  "} back from 0xffff800100002000\n"
                                  "00000010  NUM_INSTANCES COUNT=6\n");
    assert_string_equal(memory.problems, "ffff800100002000+8: opcode 0xfe is not in the tables\n");
    strbuf_finish(&out);
}

static void packets_of_the_dma_engine_have_the_length_their_fields_say(void **state)
{
    struct memory memory = {0};
    struct hw_decode_options options = options_for(&memory);
    options.stream = AMD_STREAM_SDMA;
    options.policies = true;
    struct strbuf out = {0};
    uint32_t words[30] = {0, 0, 0x00020000, 7, 8, 0x00080501, 0x8000, 1};
    const uint32_t behind[] = {0x00000002, 0x1000, 0, 1, 0x55, 0x66, 0x0000000b, 4};
    memcpy(words + 5 + 17, behind, sizeof(behind)); /* with DCC, a copy has 17 dwords */
    assert_int_equal(amd_decode_stream(&out, &options, words, ARRAY_SIZE(words)), 1);
    assert_non_null(strstr(out.text, "00000000  filler (2 dwords)\n"
                                     "00000008  NOP COUNT=2\n"
                                     "            00000007 00000008\n"
                                     "00000014  COPY_TILED_SUB_WINDOW DCC=1 TILED_ADDR=0x000100008000"));
    assert_non_null(strstr(out.text, "META_ADDR=0x000000000000"));
    assert_non_null(strstr(out.text, "00000058  WRITE DST_ADDR=0x000000001000 COUNT=1\n"
                                     "            00000055 00000066\n"
                                     "00000070  CONSTANT_FILL"));
    assert_string_equal(memory.problems, "0+70: CONSTANT_FILL is cut off: 2 dwords of 5 are there\n");
    strbuf_finish(&out);
}

static void a_chain_that_comes_back_ends(void **state)
{
    const uint32_t ring[] = {0xc0023f00, 0x2000, 0, 0x00900004};
    struct memory memory = {.va = 0x2000, .words = ring, .count_dw = ARRAY_SIZE(ring)};
    struct hw_decode_options options = options_for(&memory);
    options.read = read_memory;
    struct strbuf out = {0};
    assert_int_equal(amd_decode_stream(&out, &options, ring, ARRAY_SIZE(ring)), 1);
    assert_string_equal(memory.problems, "2000+0: the chain comes back to 0x2000\n");
    strbuf_finish(&out);
}

static void a_buffer_that_calls_itself_ends(void **state)
{
    const uint32_t ring[] = {0xc0023f00, 0x2000, 0, 0x00800008, 0xc0023f00, 0x2000, 0, 0x00800008};
    struct memory memory = {.va = 0x2000, .words = ring, .count_dw = ARRAY_SIZE(ring)};
    struct hw_decode_options options = options_for(&memory);
    options.read = read_memory;
    struct strbuf out = {0};
    assert_true(amd_decode_stream(&out, &options, ring, ARRAY_SIZE(ring)) > 0);
    assert_non_null(strstr(memory.problems, "too deep"));
    strbuf_finish(&out);
}

static void a_buffer_that_is_not_there_is_told(void **state)
{
    const uint32_t words[] = {0xc0023f00, 0x3000, 0, 0x00800004, 0xc0002f00, 6};
    struct memory memory = {.va = 0x2000};
    struct hw_decode_options options = options_for(&memory);
    options.read = read_memory;
    struct strbuf out = {0};
    assert_int_equal(amd_decode_stream(&out, &options, words, ARRAY_SIZE(words)), 1);
    assert_string_equal(memory.problems, "0+0: cannot read 4 dwords of the indirect buffer at 0x3000\n");
    assert_non_null(strstr(out.text, "00000010  NUM_INSTANCES COUNT=6\n"));
    strbuf_finish(&out);
}

static void policies_say_where_a_model_stops(void **state)
{
    const uint32_t words[] = {0xc0016900, 0x000002d5, 1u << 14, 0xc0026900, 0x00000311, 3, 0};
    struct memory memory = {0};
    struct hw_decode_options options = options_for(&memory);
    options.policies = true;
    struct strbuf out = {0};
    assert_int_equal(amd_decode_stream(&out, &options, words, ARRAY_SIZE(words)), 0);
    assert_non_null(strstr(out.text, "ORDERED_ID_MODE=1 [stop: ORDERED_ID_MODE: ordered wave ids are not modelled]"));
    assert_non_null(strstr(out.text, "[ignored: binning"));
    strbuf_finish(&out);
}

static void descriptors_and_single_registers_can_be_asked_for(void **state)
{
    struct memory memory = {0};
    struct hw_decode_options options = options_for(&memory);
    struct strbuf out = {0};
    const uint32_t buffer[4] = {0x1000, 0xffff8001u & 0xffff, 64, 0x31016fac};
    assert_true(amd_decode_descriptor(&out, &options, "BUFFER", buffer));
    assert_string_equal(
        out.text, "BUFFER BASE_ADDRESS=0x800100001000 NUM_RECORDS=64 DST_SEL_X=X DST_SEL_Y=Y DST_SEL_Z=Z DST_SEL_W=W "
                  "FORMAT=32_FLOAT RESOURCE_LEVEL=1\n"
                  "                              OOB_SELECT=RAW");
    assert_false(amd_decode_descriptor(&out, &options, "TEXTURE", buffer));
    strbuf_clear(&out);
    assert_true(amd_decode_register(&out, &options, 0x28714, 0x49));
    assert_string_equal(
        out.text,
        "SPI_SHADER_COL_FORMAT          = 0x00000049 COL0_EXPORT_FORMAT=32_ABGR COL1_EXPORT_FORMAT=FP16_ABGR");
    assert_false(amd_decode_register(&out, &options, 0x28001, 0));
    strbuf_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_printed_with_fields_and_values),
        cmocka_unit_test(floats_are_printed_as_numbers),
        cmocka_unit_test(draws_and_dispatches_show_their_counts),
        cmocka_unit_test(fields_that_do_not_hold_are_left_out),
        cmocka_unit_test(fillers_of_both_kinds_are_one_line),
        cmocka_unit_test(a_packet_that_is_cut_off_is_named),
        cmocka_unit_test(a_register_that_is_cut_off_still_prints_the_ones_before),
        cmocka_unit_test(unknown_opcodes_and_registers_do_not_end_the_stream),
        cmocka_unit_test(words_that_are_no_header_are_one_problem),
        cmocka_unit_test(lengths_that_are_wrong_are_told),
        cmocka_unit_test(nothing_at_all_is_no_problem_of_the_decoder),
        cmocka_unit_test(buffers_are_called_and_come_back),
        cmocka_unit_test(packets_of_the_dma_engine_have_the_length_their_fields_say),
        cmocka_unit_test(a_chain_that_comes_back_ends),
        cmocka_unit_test(a_buffer_that_calls_itself_ends),
        cmocka_unit_test(a_buffer_that_is_not_there_is_told),
        cmocka_unit_test(policies_say_where_a_model_stops),
        cmocka_unit_test(descriptors_and_single_registers_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
