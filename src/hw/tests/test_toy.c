/* The tables of a made-up family: everything that src/hw promises a family, without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hw/tests/roundtrip.h"
#include "hw/tests/toy/descriptors.h"
#include "hw/tests/toy/instructions.h"
#include "hw/tests/toy/packets.h"
#include "hw/tests/toy/regs_unit.h"
#include "hw/tests/toy/table.h"
#include "hw/text.h"

extern const struct hw_roundtrip roundtrip_packets[];
extern const struct hw_roundtrip roundtrip_instructions[];

const char *toy_format_name(unsigned generation, unsigned number)
{
    return number == 7 ? "SEVEN" : NULL;
}

static void everything_packs_what_it_unpacks(void **state)
{
    hw_check_registers(&toy_hw_tables);
    hw_check_packets(&toy_hw_tables.packets[0], roundtrip_packets, 1, toy_header);
    hw_check_packets(&toy_hw_tables.packets[1], roundtrip_instructions, 1, NULL);
    hw_check_short_packets(&toy_hw_tables.packets[0], roundtrip_packets, 0);
    hw_check_descriptors(&toy_hw_tables);
    hw_check_places(&toy_hw_tables);
    hw_check_reasons(&toy_hw_tables);
    hw_check_names(&toy_hw_tables);
}

static void opcodes_may_be_in_the_top_byte(void **state)
{
    const struct toy_instr_MOVE move = {.IMMEDIATE = 0x123456789abc, .DST = 9};
    uint64_t word = toy_pack_instr_MOVE(&move);
    assert_true(word == 0x0109123456789abcull);
    assert_true(toy_unpack_instr_MOVE(word).IMMEDIATE == move.IMMEDIATE && toy_unpack_instr_MOVE(word).DST == 9);
    uint32_t dw[2] = {(uint32_t)word, (uint32_t)(word >> 32)};
    const struct hw_packet *row = hw_packet_find_self_sized(&toy_hw_tables.packets[1], 0, dw);
    assert_string_equal(hw_name(row), "MOVE");
    assert_int_equal(hw_packet_length_dw(row, 0, dw), 2);
    dw[1] = 0xff000000;
    assert_null(hw_packet_find_self_sized(&toy_hw_tables.packets[1], 0, dw));
}

static void operands_have_a_letter(void **state)
{
    struct strbuf out = {0};
    struct hw_decode_options options = {0};
    struct hw_text t = hw_text_begin(&out, &toy_hw_tables, &options);
    uint64_t word = toy_pack_instr_ADD(&(struct toy_instr_ADD){.IMMEDIATE = 7, .DST = 3});
    const uint32_t dw[2] = {(uint32_t)word, (uint32_t)(word >> 32)};
    const struct hw_packet *row = hw_packet_find_self_sized(&toy_hw_tables.packets[1], 0, dw);
    assert_int_equal(hw_text_self_sized(&t, row, dw, 2, 0), 2);
    assert_string_equal(out.text, "00000000  ADD IMMEDIATE=7 SRC=r0 DST=3\n");
    strbuf_finish(&out);
}

static void wide_arrays_have_strides_of_their_own(void **state)
{
    unsigned index;
    assert_string_equal(hw_name(hw_reg_find(&toy_hw_tables, 0, 0x107, &index)), "BASE#");
    assert_int_equal(index, 2);
    assert_string_equal(hw_name(hw_reg_find(&toy_hw_tables, 0, 0x108, &index)), "STRIDE#");
    assert_true(toy_pack_BASE(&(struct toy_BASE){.ADDR = 0x123456789abc, .FLAGS = 0xff}) == 0xff00123456789abcull);
}

static void stops_and_unknown_bits(void **state)
{
    const struct hw_reg *reg = hw_reg_find_name(&toy_hw_tables, "CONTROL", NULL);
    const struct hw_field *field;
    assert_false(hw_reg_write_stops(reg, 0, 1u << 30));
    assert_true(hw_reg_write_stops(reg, 0, 0));
    assert_string_equal(hw_reg_stop_reason(reg, 0, 0, &field), "there is none of it");
    assert_string_equal(hw_name(field), "KIND");
    assert_int_equal(hw_reg_unknown_bits(reg, 0, UINT32_MAX), 0x3f000000);
}

static char text[4096];

/* The text of one packet after its name. */
static const char *packet_text(const char *name, const uint32_t *dw, unsigned count_dw)
{
    struct strbuf out = {0};
    struct hw_decode_options options = {0};
    struct hw_text t = hw_text_begin(&out, &toy_hw_tables, &options);
    for (unsigned i = 0; i < toy_packet_count; i++) {
        if (strcmp(hw_name(&toy_packets[i]), name) == 0)
            hw_text_packet(&t, &toy_packets[i], dw, count_dw, 0);
    }
    assert_int_equal(t.problems, 0);
    strcpy(text, out.text);
    strbuf_finish(&out);
    return text;
}

static void tails_are_spelled_out(void **state)
{
    const uint32_t write[] = {0, 0x101, 0x00ab0001, 5};
    assert_string_equal(packet_text("WRITE", write, 4),
                        "\n            00101 BASE0 (high)                   = 0x00ab0001\n"
                        "            00102 STRIDE0                        = 0x00000005\n");
    const uint32_t pairs[] = {0, 0x105, 3, 0x20, 0x3f800000};
    assert_string_equal(packet_text("PAIRS", pairs, 5),
                        "\n            00105 STRIDE1                        = 0x00000003\n"
                        "            00020 TUNING                         = 0x3f800000 SCALE=1\n");
    const uint32_t groups[] = {0, 1, 0x1000, 0, 0x80000002, 0x2000, 0, 77};
    assert_string_equal(packet_text("GROUPS", groups, 8),
                        " COUNT=1 ADDR=0x000000001000\n            COUNT=2 LAST=1 ADDR=0x000000002000\n"
                        "            0000004d\n");
}

static void conditions_and_registers_in_fields(void **state)
{
    const uint32_t green[] = {0, 5 | 2 << 8, 70000}, red[] = {0, 0, 70000};
    assert_string_equal(packet_text("DRAW", green, 3), " COLOUR=GREEN SLOT=STRIDE0 GREEN_SIZE=70000\n");
    assert_string_equal(packet_text("DRAW", red, 3), " OTHER_SIZE=4464\n"); /* fields that are zero are not printed */
}

/* A width of one and eight samples are stored as 0 and 3. */
static void stored_numbers_may_be_less_or_logarithms(void **state)
{
    uint32_t dw[TOY_DESC_THING_DW];
    toy_pack_desc_THING(dw, &(struct toy_desc_THING){.WIDTH = 16, .SAMPLES = 8});
    assert_int_equal(dw[2], 15 << 12 | 3 << 16);
    assert_int_equal(toy_unpack_desc_THING(dw).WIDTH, 16);
    assert_int_equal(toy_unpack_desc_THING(dw).SAMPLES, 8);
    dw[2] = 0;
    assert_int_equal(toy_unpack_desc_THING(dw).WIDTH, 1);
    assert_int_equal(toy_unpack_desc_THING(dw).SAMPLES, 1);
}

static void descriptors_know_formats(void **state)
{
    const uint32_t dw[3] = {6 | 0x1000, 1, 0x07010180};
    struct strbuf out = {0};
    struct hw_decode_options options = {0};
    struct hw_text t = hw_text_begin(&out, &toy_hw_tables, &options);
    assert_true(hw_text_descriptor(&t, "THING", dw));
    assert_string_equal(out.text, "THING COLOUR=BLUE BASE=0x000100001000 LEVEL=1.5 WIDTH=1 SAMPLES=2 FORMAT=SEVEN");
    strbuf_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_packs_what_it_unpacks),
        cmocka_unit_test(opcodes_may_be_in_the_top_byte),
        cmocka_unit_test(operands_have_a_letter),
        cmocka_unit_test(wide_arrays_have_strides_of_their_own),
        cmocka_unit_test(stops_and_unknown_bits),
        cmocka_unit_test(tails_are_spelled_out),
        cmocka_unit_test(conditions_and_registers_in_fields),
        cmocka_unit_test(stored_numbers_may_be_less_or_logarithms),
        cmocka_unit_test(descriptors_know_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
