/* Every register, packet and descriptor of every generation, by the checks that all families share (hw/tests), and what
 * only Radeon has: state after CLEAR_STATE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amd/hw/pack.h"
#include "amd/hw/table.h"
#include "hw/tests/roundtrip.h"

extern const struct hw_roundtrip roundtrip_packets[];
extern const struct hw_roundtrip roundtrip_sdmas[];

static const struct hw_packets *const pm4 = &amd_hw_tables.packets[AMD_PACKETS_PM4];
static const struct hw_packets *const sdma = &amd_hw_tables.packets[AMD_PACKETS_SDMA];

static void registers_pack_what_they_unpack(void **state)
{
    hw_check_registers(&amd_hw_tables);
}

/* All header flags set, so that they are carried too. */
static uint32_t header_with_flags(unsigned opcode, unsigned length_dw)
{
    return amd_pkt3_header(opcode, length_dw, (struct amd_pkt_flags){true, true, true});
}

static void packets_pack_what_they_unpack(void **state)
{
    hw_check_packets(pm4, roundtrip_packets, AMD_GFX_COUNT, header_with_flags);
}

static void packets_of_the_dma_engine_pack_what_they_unpack(void **state)
{
    hw_check_packets(sdma, roundtrip_sdmas, AMD_GFX_COUNT, NULL);
    for (unsigned i = 0; i < amd_sdma_packet_count; i++) {
        uint32_t header = 0xabcd0000u | (uint32_t)amd_sdma_packets[i].opcode[AMD_GFX10_3];
        if (amd_sdma_packets[i].opcode[AMD_GFX10_3] >= 0)
            assert_ptr_equal(amd_sdma_find(AMD_GFX10_3, header), &amd_sdma_packets[i]);
    }
}

static void descriptors_pack_what_they_unpack(void **state)
{
    hw_check_descriptors(&amd_hw_tables);
}

static void short_packets_are_refused(void **state)
{
    hw_check_short_packets(pm4, roundtrip_packets, AMD_GFX10_3);
}

static void every_offset_finds_its_row_and_only_its_row(void **state)
{
    hw_check_places(&amd_hw_tables);
}

/* The state after CLEAR_STATE must be one that no model stops at. */
static void the_cleared_state_stops_no_model(void **state)
{
    unsigned cleared = 0;
    for (unsigned i = 0; i < amd_reg_count; i++) {
        const struct hw_reg *reg = &amd_regs[i];
        if (!reg->in_clear_state)
            continue;
        cleared += reg->count;
        assert_int_equal(hw_reg_unknown_bits(reg, AMD_GFX10_3, reg->clear_value), 0);
        if (hw_reg_write_stops(reg, AMD_GFX10_3, reg->clear_value))
            fail_msg("%s stops at its own default 0x%x", hw_name(reg), reg->clear_value);
    }
    assert_true(cleared > 600);
}

static void whatever_is_ignored_or_stops_has_a_reason(void **state)
{
    hw_check_reasons(&amd_hw_tables);
}

static void names_lead_back_to_their_rows(void **state)
{
    hw_check_names(&amd_hw_tables);
    assert_null(amd_reg_find_name("CB_COLOR8_INFO", NULL));
    assert_null(amd_reg_find_name("CB_COLOR_INFO", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_pack_what_they_unpack),
        cmocka_unit_test(packets_pack_what_they_unpack),
        cmocka_unit_test(packets_of_the_dma_engine_pack_what_they_unpack),
        cmocka_unit_test(descriptors_pack_what_they_unpack),
        cmocka_unit_test(short_packets_are_refused),
        cmocka_unit_test(every_offset_finds_its_row_and_only_its_row),
        cmocka_unit_test(the_cleared_state_stops_no_model),
        cmocka_unit_test(whatever_is_ignored_or_stops_has_a_reason),
        cmocka_unit_test(names_lead_back_to_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
