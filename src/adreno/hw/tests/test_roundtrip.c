/* Every register, packet and descriptor of A6xx, by the checks that all families share (hw/tests), and headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adreno/hw/table.h"
#include "hw/tests/roundtrip.h"

extern const struct hw_roundtrip roundtrip_packets[];

static void registers_pack_what_they_unpack(void **state)
{
    hw_check_registers(&adreno_hw_tables);
}

static void packets_pack_what_they_unpack(void **state)
{
    hw_check_packets(&adreno_hw_tables.packets[0], roundtrip_packets, 1, adreno_pkt7_header);
}

static void short_packets_are_refused(void **state)
{
    hw_check_short_packets(&adreno_hw_tables.packets[0], roundtrip_packets, ADRENO_A6XX);
}

static void descriptors_pack_what_they_unpack(void **state)
{
    hw_check_descriptors(&adreno_hw_tables);
}

static void every_number_finds_its_row_and_only_its_row(void **state)
{
    hw_check_places(&adreno_hw_tables);
}

static void whatever_is_ignored_or_stops_has_a_reason(void **state)
{
    hw_check_reasons(&adreno_hw_tables);
}

static void names_lead_back_to_their_rows(void **state)
{
    hw_check_names(&adreno_hw_tables);
}

/* One wrong bit anywhere in a header, and it is none: each part has its parity. */
static void headers_have_parity(void **state)
{
    for (unsigned opcode = 0; opcode < 128; opcode++) {
        for (unsigned length_dw = 1; length_dw <= 16; length_dw++) {
            uint32_t header = adreno_pkt7_header(opcode, length_dw);
            assert_true(adreno_is_pkt7(header));
            assert_int_equal(ADRENO_PKT7_OPCODE(header), opcode);
            assert_int_equal(ADRENO_PKT7_COUNT(header), length_dw - 1);
            for (unsigned bit = 0; bit < 32; bit++)
                assert_false(adreno_is_pkt7(header ^ 1u << bit));
        }
    }
    for (unsigned reg = 0; reg < 0x40000; reg += 0x123) {
        uint32_t header = adreno_pkt4_header(reg, reg % 128);
        assert_true(adreno_is_pkt4(header));
        assert_int_equal(ADRENO_PKT4_REG(header), reg);
        assert_int_equal(ADRENO_PKT4_COUNT(header), reg % 128);
        for (unsigned bit = 0; bit < 32; bit++)
            assert_false(adreno_is_pkt4(header ^ 1u << bit));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_pack_what_they_unpack),
        cmocka_unit_test(packets_pack_what_they_unpack),
        cmocka_unit_test(short_packets_are_refused),
        cmocka_unit_test(descriptors_pack_what_they_unpack),
        cmocka_unit_test(every_number_finds_its_row_and_only_its_row),
        cmocka_unit_test(whatever_is_ignored_or_stops_has_a_reason),
        cmocka_unit_test(names_lead_back_to_their_rows),
        cmocka_unit_test(headers_have_parity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
