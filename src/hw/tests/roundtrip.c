/* See roundtrip.h. */
#include "hw/tests/roundtrip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hw/pack.h"

#define MAX_DW 64

struct subject {
    const char *name;
    const struct hw_roundtrip *code;
    const struct hw_field *fields;
    unsigned field_count;
    unsigned length_dw;
    unsigned first_dw;  /* 1 for packets whose header is not a field */
    uint32_t header;    /* what a dword has besides fields, */
    unsigned header_dw; /* and which */
    unsigned generation;
};

static void known_bits(const struct subject *s, uint32_t mask[MAX_DW])
{
    memset(mask, 0, MAX_DW * sizeof(mask[0]));
    for (unsigned i = 0; i < s->field_count; i++) {
        struct hw_bits bits = s->fields[i].bits[s->generation];
        for (unsigned b = bits.low; b < bits.low + (unsigned)bits.width; b++)
            mask[b / 32] |= 1u << b % 32;
    }
}

/* Unknown bits vanish, known ones come back. */
static void check_repack(const struct subject *s, const uint32_t *words, const uint32_t *mask)
{
    uint32_t out[MAX_DW] = {0};
    assert_true(s->code->repack(s->generation, words, s->length_dw, out));
    for (unsigned i = 0; i < s->length_dw; i++) {
        uint32_t expected = i < s->first_dw ? s->header : (words[i] & mask[i]) | (i == s->header_dw ? s->header : 0);
        if (out[i] != expected)
            fail_msg("%s of generation %u, dword %u: 0x%08x came back as 0x%08x", s->name, s->generation, i, expected,
                     out[i]);
    }
}

static void check_members(const struct subject *s, const uint32_t *words)
{
    for (unsigned i = 0; i < s->field_count; i++) {
        struct hw_bits bits = s->fields[i].bits[s->generation];
        uint64_t expected = bits.width ? hw_get_uint(words, bits.low, bits.width) : 0;
        uint64_t actual = s->code->member(s->generation, words, s->length_dw, i);
        /* A signed member is as wide as the widest generation's field. */
        if (bits.width && bits.width < 64)
            actual &= (1ull << bits.width) - 1;
        if (actual != expected)
            fail_msg("%s.%s of generation %u: table 0x%llx, struct 0x%llx", s->name, hw_name(&s->fields[i]), s->generation,
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

void hw_check_registers(const struct hw_tables *tables)
{
    for (unsigned i = 0; i < tables->reg_count; i++) {
        const struct hw_reg *reg = &tables->regs[i];
        assert_string_equal(hw_name(reg), roundtrip_regs[i].name);
        for (unsigned g = 0; g < tables->generation_count; g++) {
            if (reg->offset[g] == 0)
                continue;
            check_subject(&(struct subject){.name = hw_name(reg),
                                            .code = &roundtrip_regs[i],
                                            .fields = hw_fields(reg),
                                            .field_count = reg->field_count,
                                            .length_dw = reg->is_wide ? 2 : 1,
                                            .generation = g});
        }
    }
}

void hw_check_descriptors(const struct hw_tables *tables)
{
    for (unsigned i = 0; i < tables->descriptor_count; i++) {
        const struct hw_descriptor *row = &tables->descriptors[i];
        assert_ptr_equal(hw_descriptor_find(tables, hw_name(row)), row);
        for (unsigned g = 0; g < tables->generation_count; g++) {
            check_subject(&(struct subject){.name = hw_name(row),
                                            .code = &roundtrip_descriptors[i],
                                            .fields = hw_fields(row),
                                            .field_count = row->field_count,
                                            .length_dw = row->length_dw,
                                            .generation = g});
        }
    }
}

void hw_check_packets(const struct hw_packets *packets, const struct hw_roundtrip *code, unsigned generation_count,
                      uint32_t (*header)(unsigned opcode, unsigned length_dw))
{
    for (unsigned i = 0; i < packets->count; i++) {
        const struct hw_packet *packet = &packets->rows[i];
        assert_string_equal(hw_name(packet), code[i].name);
        for (unsigned g = 0; g < generation_count; g++) {
            if (packet->opcode[g] < 0)
                continue;
            unsigned opcode = (unsigned)packet->opcode[g], length_dw = packet->length_dw[g];
            assert_ptr_equal(hw_packet_find(packets, g, opcode, length_dw), packet);
            check_subject(&(struct subject){.name = hw_name(packet),
                                            .code = &code[i],
                                            .fields = hw_fields(packet),
                                            .field_count = packet->field_count,
                                            .length_dw = length_dw,
                                            .first_dw = header ? 1 : 0,
                                            .header = header ? header(opcode, length_dw)
                                                             : (uint32_t)opcode << packets->opcode_low % 32,
                                            .header_dw = packets->opcode_low / 32,
                                            .generation = g});
        }
    }
}

void hw_check_short_packets(const struct hw_packets *packets, const struct hw_roundtrip *code, unsigned generation)
{
    uint32_t words[MAX_DW] = {0}, out[MAX_DW];
    for (unsigned i = 0; i < packets->count; i++) {
        const struct hw_packet *packet = &packets->rows[i];
        if (packet->opcode[generation] >= 0 && packet->min_dw[generation] >= 2)
            assert_false(code[i].repack(generation, words, packet->min_dw[generation] - 1u, out));
    }
}

void hw_check_places(const struct hw_tables *tables)
{
    for (unsigned g = 0; g < tables->generation_count; g++) {
        unsigned expected = 0, found = 0;
        for (unsigned i = 0; i < tables->reg_count; i++) {
            const struct hw_reg *reg = &tables->regs[i];
            for (unsigned e = 0; reg->offset[g] && e < reg->count; e++) {
                for (unsigned half = 0; half < (reg->is_wide ? 2u : 1u); half++, expected++) {
                    uint32_t offset = reg->offset[g] + e * reg->stride + (half << tables->reg_shift);
                    unsigned index = UINT32_MAX;
                    assert_ptr_equal(hw_reg_find(tables, g, offset, &index), reg);
                    assert_int_equal(index, e);
                }
            }
        }
        for (uint32_t offset = 0; offset < tables->reg_limit + 0x10000; offset++)
            found += hw_reg_find(tables, g, offset, NULL) != NULL;
        assert_int_equal(found, expected);
    }
    assert_null(hw_reg_find(tables, tables->generation_count, tables->regs[0].offset[0], NULL));
}

void hw_check_reasons(const struct hw_tables *tables)
{
    for (unsigned i = 0; i < tables->reg_count; i++) {
        const struct hw_reg *reg = &tables->regs[i];
        assert_true((reg->policy == HW_POLICY_IMPLEMENTED) == (hw_reason(reg) == NULL));
        for (unsigned f = 0; f < reg->field_count; f++)
            assert_true((hw_fields(reg)[f].policy == HW_POLICY_IMPLEMENTED) == (hw_reason(&hw_fields(reg)[f]) == NULL));
    }
    for (unsigned k = 0; k < HW_MAX_PACKET_KINDS; k++) {
        for (unsigned i = 0; i < tables->packets[k].count; i++) {
            const struct hw_packet *packet = &tables->packets[k].rows[i];
            assert_true((packet->policy == HW_POLICY_IMPLEMENTED) == (hw_reason(packet) == NULL));
        }
    }
}

void hw_check_names(const struct hw_tables *tables)
{
    for (unsigned i = 0; i < tables->reg_count; i++) {
        const struct hw_reg *reg = &tables->regs[i];
        char name[96];
        unsigned index;
        hw_reg_name(reg, reg->count - 1u, name, sizeof(name));
        assert_ptr_equal(hw_reg_find_name(tables, name, &index), reg);
        assert_int_equal(index, reg->count - 1u);
    }
}
