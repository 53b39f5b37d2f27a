/* Every register, packet and descriptor of every generation: the typed structs and the run-time tables must say the
 * same, bit by bit. The structs are reached through generated functions, so that a new row is tested by being there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amd/hw/pack.h"
#include "amd/hw/table.h"
#include "amd/hw/tests/roundtrip.h"

#define MAX_DW 32

struct subject {
    const char *name;
    const struct roundtrip *code;
    const struct amd_field *fields;
    unsigned field_count;
    unsigned length_dw;
    unsigned first_dw; /* 1 for packets: the header is not a field */
    uint32_t header;   /* what dword 0 has besides fields */
    enum amd_gfx gfx;
};

static void known_bits(const struct subject *s, uint32_t mask[MAX_DW])
{
    memset(mask, 0, MAX_DW * sizeof(mask[0]));
    for (unsigned i = 0; i < s->field_count; i++) {
        struct amd_bits bits = s->fields[i].bits[s->gfx];
        for (unsigned b = bits.low; b < bits.low + (unsigned)bits.width; b++)
            mask[b / 32] |= 1u << b % 32;
    }
}

/* Unknown bits vanish, known ones come back. */
static void check_repack(const struct subject *s, const uint32_t *words, const uint32_t *mask)
{
    uint32_t out[MAX_DW] = {0};
    assert_true(s->code->repack(s->gfx, words, s->length_dw, out));
    for (unsigned i = 0; i < s->length_dw; i++) {
        uint32_t expected = i < s->first_dw ? s->header : (words[i] & mask[i]) | (i == 0 ? s->header : 0);
        if (out[i] != expected)
            fail_msg("%s on %s, dword %u: 0x%08x came back as 0x%08x", s->name, amd_gfx_name(s->gfx), i, expected,
                     out[i]);
    }
}

static void check_members(const struct subject *s, const uint32_t *words)
{
    for (unsigned i = 0; i < s->field_count; i++) {
        struct amd_bits bits = s->fields[i].bits[s->gfx];
        uint64_t expected = bits.width ? amd_get_uint(words, bits.low, bits.width) : 0;
        uint64_t actual = s->code->member(s->gfx, words, s->length_dw, i);
        /* A signed member is as wide as the widest generation's field. */
        if (bits.width && bits.width < 64)
            actual &= (1ull << bits.width) - 1;
        if (actual != expected)
            fail_msg("%s.%s on %s: table 0x%llx, struct 0x%llx", s->name, s->fields[i].name, amd_gfx_name(s->gfx),
                     (unsigned long long)expected, (unsigned long long)actual);
    }
}

static void check_subject(const struct subject *s)
{
    uint32_t mask[MAX_DW], words[MAX_DW];
    assert_true(s->length_dw <= MAX_DW);
    known_bits(s, mask);
    for (unsigned bit = 32 * s->first_dw; bit <= 32 * s->length_dw; bit++) {
        /* each bit alone, then all of them */
        bool all = bit == 32 * s->length_dw;
        memset(words, all ? 0xff : 0, sizeof(words));
        if (!all)
            words[bit / 32] = 1u << bit % 32;
        if (s->first_dw)
            words[0] = s->header;
        check_repack(s, words, mask);
        check_members(s, words);
    }
}

static void registers_pack_what_they_unpack(void **state)
{
    for (unsigned i = 0; i < amd_reg_count; i++) {
        assert_string_equal(amd_regs[i].name, roundtrip_regs[i].name);
        for (unsigned gfx = 0; gfx < AMD_GFX_COUNT; gfx++) {
            if (amd_regs[i].offset_B[gfx] == 0)
                continue;
            check_subject(&(struct subject){.name = amd_regs[i].name,
                                            .code = &roundtrip_regs[i],
                                            .fields = amd_regs[i].fields,
                                            .field_count = amd_regs[i].field_count,
                                            .length_dw = 1,
                                            .gfx = (enum amd_gfx)gfx});
        }
    }
}

static void packets_pack_what_they_unpack(void **state)
{
    for (unsigned i = 0; i < amd_packet_count; i++) {
        const struct amd_packet *packet = &amd_packets[i];
        assert_string_equal(packet->name, roundtrip_packets[i].name);
        for (unsigned gfx = 0; gfx < AMD_GFX_COUNT; gfx++) {
            if (packet->opcode[gfx] < 0)
                continue;
            /* all header flags set, so that they are carried too */
            struct amd_pkt_flags flags = {true, true, true};
            check_subject(&(struct subject){
                .name = packet->name,
                .code = &roundtrip_packets[i],
                .fields = packet->fields,
                .field_count = packet->field_count,
                .length_dw = packet->length_dw[gfx],
                .first_dw = 1,
                .header = amd_pkt3_header((unsigned)packet->opcode[gfx], packet->length_dw[gfx], flags),
                .gfx = (enum amd_gfx)gfx});
        }
    }
}

static void packets_of_the_dma_engine_pack_what_they_unpack(void **state)
{
    for (unsigned i = 0; i < amd_sdma_packet_count; i++) {
        const struct amd_packet *packet = &amd_sdma_packets[i];
        assert_string_equal(packet->name, roundtrip_sdmas[i].name);
        for (unsigned gfx = 0; gfx < AMD_GFX_COUNT; gfx++) {
            if (packet->opcode[gfx] < 0)
                continue;
            assert_ptr_equal(amd_sdma_find((enum amd_gfx)gfx, 0xabcd0000u | (uint32_t)packet->opcode[gfx]), packet);
            check_subject(&(struct subject){.name = packet->name,
                                            .code = &roundtrip_sdmas[i],
                                            .fields = packet->fields,
                                            .field_count = packet->field_count,
                                            .length_dw = packet->length_dw[gfx],
                                            .header = (uint32_t)packet->opcode[gfx],
                                            .gfx = (enum amd_gfx)gfx});
        }
    }
}

static void descriptors_pack_what_they_unpack(void **state)
{
    for (unsigned i = 0; i < amd_descriptor_count; i++) {
        for (unsigned gfx = 0; gfx < AMD_GFX_COUNT; gfx++) {
            check_subject(&(struct subject){.name = amd_descriptors[i].name,
                                            .code = &roundtrip_descriptors[i],
                                            .fields = amd_descriptors[i].fields,
                                            .field_count = amd_descriptors[i].field_count,
                                            .length_dw = amd_descriptors[i].length_dw,
                                            .gfx = (enum amd_gfx)gfx});
        }
    }
}

static void short_packets_are_refused(void **state)
{
    uint32_t words[MAX_DW] = {0}, out[MAX_DW];
    for (unsigned i = 0; i < amd_packet_count; i++) {
        const struct amd_packet *packet = &amd_packets[i];
        if (packet->opcode[AMD_GFX10_3] < 0 || packet->min_dw[AMD_GFX10_3] < 2)
            continue;
        assert_false(roundtrip_packets[i].repack(AMD_GFX10_3, words, packet->min_dw[AMD_GFX10_3] - 1u, out));
    }
}

/* The index answers for every element of every row and for nothing else. */
static void every_offset_finds_its_row_and_only_its_row(void **state)
{
    for (unsigned gfx = 0; gfx < AMD_GFX_COUNT; gfx++) {
        unsigned expected = 0, found = 0;
        for (unsigned i = 0; i < amd_reg_count; i++) {
            const struct amd_reg *reg = &amd_regs[i];
            for (unsigned e = 0; reg->offset_B[gfx] && e < reg->count; e++, expected++) {
                unsigned index = 99;
                assert_ptr_equal(amd_reg_find((enum amd_gfx)gfx, reg->offset_B[gfx] + e * reg->stride_B, &index), reg);
                assert_int_equal(index, e);
            }
        }
        for (uint32_t offset_B = 0; offset_B < 0x50000; offset_B++)
            found += amd_reg_find((enum amd_gfx)gfx, offset_B, NULL) != NULL;
        assert_int_equal(found, expected);
    }
}

/* What a model is told of the state behind CLEAR_STATE must be a value that it does not stop at. */
static void the_cleared_state_stops_no_model(void **state)
{
    unsigned cleared = 0;
    for (unsigned i = 0; i < amd_reg_count; i++) {
        const struct amd_reg *reg = &amd_regs[i];
        if (!reg->in_clear_state)
            continue;
        cleared += reg->count;
        assert_int_equal(amd_reg_unknown_bits(reg, AMD_GFX10_3, reg->clear_value), 0);
        if (amd_reg_write_stops(reg, AMD_GFX10_3, reg->clear_value))
            fail_msg("%s stops at its own default 0x%x", reg->name, reg->clear_value);
    }
    assert_true(cleared > 600);
}

static void whatever_is_ignored_or_stops_has_a_reason(void **state)
{
    for (unsigned i = 0; i < amd_reg_count; i++) {
        const struct amd_reg *reg = &amd_regs[i];
        assert_true((reg->policy == AMD_POLICY_IMPLEMENTED) == (reg->reason == NULL));
        for (unsigned f = 0; f < reg->field_count; f++)
            assert_true((reg->fields[f].policy == AMD_POLICY_IMPLEMENTED) == (reg->fields[f].reason == NULL));
    }
    for (unsigned i = 0; i < amd_packet_count; i++)
        assert_true((amd_packets[i].policy == AMD_POLICY_IMPLEMENTED) == (amd_packets[i].reason == NULL));
    for (unsigned i = 0; i < amd_sdma_packet_count; i++)
        assert_true((amd_sdma_packets[i].policy == AMD_POLICY_IMPLEMENTED) == (amd_sdma_packets[i].reason == NULL));
}

static void names_lead_back_to_their_rows(void **state)
{
    for (unsigned i = 0; i < amd_reg_count; i++) {
        const struct amd_reg *reg = &amd_regs[i];
        char name[64];
        unsigned index;
        amd_reg_name(reg, reg->count - 1u, name, sizeof(name));
        assert_ptr_equal(amd_reg_find_name(name, &index), reg);
        assert_int_equal(index, reg->count - 1u);
    }
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
