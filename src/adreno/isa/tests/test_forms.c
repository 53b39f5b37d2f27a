/* Every row both ways: each bit that a row leaves open, many random fillings of it, and words that belong to no row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/isa/isa_tables.h"

static uint64_t random_state;

static uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* A word that decodes has a text and encodes to itself. Returns whether it decodes. */
static bool check_word(uint64_t word, struct adreno_isa_inst *inst)
{
    if (adreno_isa_decode(word, inst) != 0)
        return false;
    uint64_t back = 0;
    if (adreno_isa_encode(inst, &back) != 0 || back != word)
        fail_msg("%s: 0x%016llx became 0x%016llx", adreno_isa_name(inst->op), (unsigned long long)word,
                 (unsigned long long)back);
    char text[ADRENO_ISA_MAX_TEXT];
    unsigned length = adreno_isa_print(inst, text);
    assert_true(length > 0 && length < ADRENO_ISA_MAX_TEXT - 1);
    assert_int_equal(strlen(text), length);
    return true;
}

static void every_row_is_decoded_as_itself(void **state)
{
    (void)state;
    for (unsigned op = 0; op < ADRENO_ISA_OP_COUNT; op++) {
        const struct adreno_isa_row *row = &adreno_isa_rows[op];
        unsigned decoded = 0;
        random_state = 0x9e3779b97f4a7c15 + op;
        for (unsigned i = 0; i < 1000; i++) {
            /* Sparse words too: most of what a compiler writes has few bits. */
            uint64_t filling = random_word();
            if (i % 2)
                filling &= random_word() & random_word();
            struct adreno_isa_inst inst;
            if (!check_word((filling & ~row->mask) | row->match, &inst))
                continue;
            if (adreno_isa_is_special_case(&adreno_isa_rows[inst.op], row))
                continue;
            assert_int_equal(inst.op, op);
            decoded++;
        }
        if (decoded < 10)
            fail_msg("%s: only %u of 1000 words decode", row->name, decoded);
    }
}

/* The bits of a row that are open whatever the others are. Operands, and the resource with its base, may leave some of
 * theirs no choice. */
static uint64_t free_bits(const struct adreno_isa_row *row)
{
    const struct adreno_isa_layout *layout = &adreno_isa_layouts[row->layout];
    uint64_t free = layout->ignored;
    for (unsigned i = 0; i < layout->piece_count; i++) {
        const struct adreno_isa_piece *piece = &layout->pieces[i];
        if (piece->kind == ADRENO_ISA_PIECE_OPERAND ||
            ((layout->flags & ADRENO_ISA_LAYOUT_RESOURCE) &&
             (piece->to == ADRENO_ISA_FIELD_RESOURCE || piece->to == ADRENO_ISA_FIELD_BASE)))
            continue;
        free |= ((UINT64_C(1) << piece->width) - 1) << piece->low;
    }
    return free;
}

/* A bit that the decoder keeps nowhere would make no difference. */
static void every_open_bit_means_something(void **state)
{
    (void)state;
    for (unsigned op = 0; op < ADRENO_ISA_OP_COUNT; op++) {
        const struct adreno_isa_row *row = &adreno_isa_rows[op];
        random_state = 0x123456789abcdef + op;
        uint64_t seen = 0;
        for (unsigned i = 0; i < 25600; i++) {
            uint64_t word = (random_word() & random_word() & random_word() & ~row->mask) | row->match;
            struct adreno_isa_inst one, other;
            uint64_t bit = UINT64_C(1) << i % 64;
            if ((bit & (row->mask | seen)) || adreno_isa_decode(word, &one) != 0 ||
                adreno_isa_decode(word ^ bit, &other) != 0)
                continue;
            assert_memory_not_equal(&one, &other, sizeof(one));
            seen |= bit;
        }
        if (free_bits(row) & ~seen)
            fail_msg("%s: bits 0x%016llx were never seen", row->name, (unsigned long long)(free_bits(row) & ~seen));
    }
}

static void any_word_is_refused_or_comes_back(void **state)
{
    (void)state;
    random_state = 0xfeedface12345;
    unsigned decoded = 0;
    for (unsigned i = 0; i < 200000; i++) {
        struct adreno_isa_inst inst;
        decoded += check_word(random_word(), &inst);
    }
    assert_in_range(decoded, 10000, 199999);
}

static void rows_are_told_apart_by_fixed_bits(void **state)
{
    (void)state;
    for (unsigned a = 0; a < ADRENO_ISA_OP_COUNT; a++) {
        for (unsigned b = 0; b < a; b++) {
            const struct adreno_isa_row *one = &adreno_isa_rows[a], *other = &adreno_isa_rows[b];
            if ((one->match ^ other->match) & one->mask & other->mask)
                continue;
            struct adreno_isa_inst inst;
            if (adreno_isa_is_special_case(one, other) || adreno_isa_is_special_case(other, one)) {
                assert_int_equal(adreno_isa_decode(one->match | other->match, &inst), 0);
                assert_int_equal(inst.op, adreno_isa_is_special_case(one, other) ? a : b);
                continue;
            }
            /* Offsets of ldib.b and stib.b are where others have their opcode; such a word is refused. */
            unsigned ops[] = {a, b};
            bool is_known = false;
            for (unsigned i = 0; i < 2; i++)
                is_known |= ops[i] == ADRENO_ISA_OP_LDIB_B || ops[i] == ADRENO_ISA_OP_STIB_B;
            if (!is_known)
                fail_msg("%s and %s have words in common", one->name, other->name);
            assert_int_equal(adreno_isa_decode(one->match | other->match, &inst), ADRENO_ISA_ERROR_INVALID);
        }
    }
}

static void decode_words(uint64_t word, struct adreno_isa_inst *inst)
{
    assert_int_equal(adreno_isa_decode(word, inst), 0);
}

static void assert_not_encoded(const struct adreno_isa_inst *inst)
{
    uint64_t word;
    assert_int_equal(adreno_isa_encode(inst, &word), ADRENO_ISA_ERROR_ENCODE);
}

static void what_has_no_encoding_is_refused(void **state)
{
    (void)state;
    struct adreno_isa_inst good, inst;
    decode_words(UINT64_C(0x4010000100030002), &good); /* add.f r0.y, r0.z, r0.w */
    inst = good;
    inst.operands[ADRENO_ISA_PLACE_DST].flags |= ADRENO_ISA_FLAG_HALF; /* but conv is not set */
    assert_not_encoded(&inst);
    inst = good;
    inst.operands[ADRENO_ISA_PLACE_SRC0].value = 256;
    assert_not_encoded(&inst);
    inst = good;
    inst.operands[ADRENO_ISA_PLACE_SRC1].kind = ADRENO_ISA_OPERAND_PREDICATE;
    assert_not_encoded(&inst);
    inst = good;
    inst.operands[ADRENO_ISA_PLACE_SRC0].kind = ADRENO_ISA_OPERAND_NUMBER;
    inst.operands[ADRENO_ISA_PLACE_SRC0].value = 1024; /* 11 bits and signed */
    assert_not_encoded(&inst);
    inst = good;
    inst.nop = 2;
    inst.field[ADRENO_ISA_FIELD_REPEAT] = 1; /* the bits are (r) then */
    assert_not_encoded(&inst);
    inst = good;
    inst.field[ADRENO_ISA_FIELD_WRMASK] = 1; /* of another category */
    assert_not_encoded(&inst);
    inst = good;
    inst.op = ADRENO_ISA_OP_COUNT;
    assert_not_encoded(&inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_decoded_as_itself),    cmocka_unit_test(every_open_bit_means_something),
        cmocka_unit_test(any_word_is_refused_or_comes_back), cmocka_unit_test(rows_are_told_apart_by_fixed_bits),
        cmocka_unit_test(what_has_no_encoding_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
