/* The assembler reads what the disassembler writes: random fillings of every row, and programs with labels. */
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

/* The word may differ where the text leaves something open; its text may not. */
static bool check_result(uint64_t word)
{
    struct adreno_isa_inst inst;
    char text[ADRENO_ISA_MAX_TEXT], again[ADRENO_ISA_MAX_TEXT];
    uint64_t assembled = 0;
    if (adreno_isa_decode(word, &inst) != 0)
        return false;
    adreno_isa_print(&inst, text);
    if (adreno_isa_assemble_line(text, &assembled) != 0)
        fail_msg("0x%016llx is not read: %s", (unsigned long long)word, text);
    assert_int_equal(adreno_isa_decode(assembled, &inst), 0);
    adreno_isa_print(&inst, again);
    assert_string_equal(again, text);
    return true;
}

static void every_row_is_read(void **state)
{
    (void)state;
    for (unsigned op = 0; op < ADRENO_ISA_OP_COUNT; op++) {
        const struct adreno_isa_row *row = &adreno_isa_rows[op];
        const uint64_t ignored = adreno_isa_layouts[row->layout].ignored;
        unsigned read = 0;
        random_state = 0x9e3779b97f4a7c15 + op;
        for (unsigned i = 0; i < 300; i++) {
            uint64_t filling = random_word();
            if (i % 2)
                filling &= random_word() & random_word();
            read += check_result((filling & ~row->mask & ~ignored) | row->match);
        }
        if (!read)
            fail_msg("%s: no word of 300 was read", row->name);
    }
}

/* Instructions that compilers write come back bit by bit. */
static void usual_instructions_have_one_word(void **state)
{
    static const struct {
        const char *text;
        uint64_t word;
    } rows[] = {
        {"(sy)(jp)end", UINT64_C(0x1b00000000000000)},
        {"(rpt5)nop", UINT64_C(0x0000050000000000)},
        {"br !p0.y, #16", UINT64_C(0x00b0000000000010)},
        {"mov.f32f32 r3.x, c72.w", UINT64_C(0x2024400c00000123)},
        {"(rpt3)mov.u32u32 r1.y, c<a0.x + 5>", UINT64_C(0x200cc30500000c05)},
        {"mova a0.x, hr0.w", UINT64_C(0x201100f400000003)},
        {"swz.u32u32 r2.x, r0.y, r0.w, r0.z", UINT64_C(0x240cc00800010203)},
        {"movmsk.w64 r49.x", UINT64_C(0x260cc1c400000000)},
        {"(sy)movs.u32u32 r49.x, r1.w, 3", UINT64_C(0x300cc0c481800007)},
        {"movs.s16s16 hr48.x, (last)hr2.w, a0.x", UINT64_C(0x201100c0c000040b)},
        {"(nop1) bary.f (ei)r0.z, 0, r0.x", UINT64_C(0x4730880200002000)},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t word = 0;
        if (adreno_isa_assemble_line(rows[i].text, &word) != 0 || word != rows[i].word)
            fail_msg("%s became 0x%016llx", rows[i].text, (unsigned long long)word);
    }
}

static void programs_have_labels_and_comments(void **state)
{
    static const char source[] = "; counts to three\n"
                                 "  mov.u32u32 r0.x, 0\n"
                                 "again: add.u r0.x, r0.x, 1   // one more\n"
                                 "\tcmps.u.lt p0.x, r0.x, 3\n"
                                 "br p0.x, #again\n"
                                 "jump #out\n"
                                 "nop\n"
                                 "out:\n"
                                 "(jp)end";
    uint64_t words[8];
    unsigned line;
    struct adreno_isa_inst inst;
    (void)state;
    assert_int_equal(adreno_isa_assemble(source, words, 8, &line), 7);
    assert_int_equal(adreno_isa_decode(words[3], &inst), 0);
    assert_int_equal(inst.operands[ADRENO_ISA_PLACE_SRC1].value, -2);
    assert_int_equal(adreno_isa_decode(words[4], &inst), 0);
    assert_int_equal(inst.operands[ADRENO_ISA_PLACE_SRC0].value, 2);
}

static void what_is_wrong_is_refused_with_its_line(void **state)
{
    uint64_t words[4];
    unsigned line;
    (void)state;
    static const char *const wrong[] = {"nop\nnope",
                                        "nop\njump #nowhere",
                                        "nop\nadd.f r0.x, r1.x",
                                        "nop\nadd.f r64.x, r0.x, r0.x",
                                        "nop\nmad.f32 r0.x, hr0.x, r0.x, r0.x",
                                        "nop\nmov.u32u32 r0.x, c512.x"};
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(adreno_isa_assemble(wrong[i], words, 4, &line), ADRENO_ISA_ERROR_ENCODE);
        assert_int_equal(line, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_read),
        cmocka_unit_test(usual_instructions_have_one_word),
        cmocka_unit_test(programs_have_labels_and_comments),
        cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
