/* Every register, instruction and descriptor of v10, by the checks that all families share (hw/tests). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hw/tests/roundtrip.h"
#include "mali/hw/table.h"

extern const struct hw_roundtrip roundtrip_instrs[];

static void registers_pack_what_they_unpack(void **state)
{
    hw_check_registers(&mali_hw_tables);
}

static void instructions_pack_what_they_unpack(void **state)
{
    hw_check_packets(&mali_hw_tables.packets[0], roundtrip_instrs, 1, NULL);
    hw_check_short_packets(&mali_hw_tables.packets[0], roundtrip_instrs, MALI_V10);
}

static void descriptors_pack_what_they_unpack(void **state)
{
    hw_check_descriptors(&mali_hw_tables);
}

static void every_number_finds_its_row_and_only_its_row(void **state)
{
    hw_check_places(&mali_hw_tables);
}

static void whatever_is_ignored_or_stops_has_a_reason(void **state)
{
    hw_check_reasons(&mali_hw_tables);
}

static void names_lead_back_to_their_rows(void **state)
{
    hw_check_names(&mali_hw_tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_pack_what_they_unpack),
        cmocka_unit_test(instructions_pack_what_they_unpack),
        cmocka_unit_test(descriptors_pack_what_they_unpack),
        cmocka_unit_test(every_number_finds_its_row_and_only_its_row),
        cmocka_unit_test(whatever_is_ignored_or_stops_has_a_reason),
        cmocka_unit_test(names_lead_back_to_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
