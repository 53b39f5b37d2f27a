/* The assembler reads what the disassembler writes: random fillings of every row, programs with labels; and it refuses
 * what the hardware cannot read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali/isa/asm_internal.h"

static uint64_t random_state;

static uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Several staging registers begin at a pair. */
static bool is_aligned(const struct mali_isa_inst *inst)
{
    bool ok = true;
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++)
        ok &= inst->staging[i].count < 2 || inst->staging[i].reg % 2 == 0;
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++)
        ok &= inst->staging[i].reg + inst->staging[i].count <= 64;
    return ok;
}

/* The page and the registers of no staging are not in the text; all else comes back. */
static bool check_result(uint64_t word)
{
    struct mali_isa_inst inst;
    char text[MALI_ISA_MAX_TEXT], again[MALI_ISA_MAX_TEXT];
    uint64_t assembled = 0;
    if (mali_isa_decode(word, &inst) != 0)
        return false;
    mali_isa_print(&inst, text);
    const bool is_allowed = mali_isa_sources_fit(&inst) && is_aligned(&inst);
    if ((mali_isa_assemble_line(text, &assembled) == 0) != is_allowed)
        fail_msg("0x%016llx is %s: %s", (unsigned long long)word, is_allowed ? "not read" : "read", text);
    if (!is_allowed)
        return false;
    assert_int_equal(mali_isa_decode(assembled, &inst), 0);
    mali_isa_print(&inst, again);
    assert_string_equal(again, text);
    return true;
}

static void every_row_is_read(void **state)
{
    (void)state;
    for (unsigned op = 0; op < MALI_ISA_OP_COUNT; op++) {
        const struct mali_isa_row *row = &mali_isa_rows[op];
        unsigned read = 0;
        random_state = 0x9e3779b97f4a7c15 + op;
        for (unsigned i = 0; i < 3000; i++) {
            uint64_t filling = random_word();
            if (i % 2)
                filling &= ~(UINT64_C(0xf) << 59) & ~UINT64_C(0x80808080); /* no flow; registers */
            read += check_result((filling & row->known & ~row->mask) | row->match | row->fixed);
        }
        if (!read)
            fail_msg("%s: no word of 3000 was read", row->name);
    }
}

static void programs_have_labels(void **state)
{
    static const char source[] = "start: IADD_IMM.i32 r0, ^r0, #0x1 // counts\n"
                                 "  BRANCHZ.eq.reconverge r0, offset:done ; leaves\n"
                                 "\n"
                                 "  BRANCHZ.eq.reconverge 0x0, offset:start\n"
                                 "done:\n"
                                 "  NOP.end\n";
    uint64_t words[4], expected;
    unsigned line;
    (void)state;
    assert_int_equal(mali_isa_assemble(source, words, 4, &line), 4);
    assert_int_equal(mali_isa_assemble_line("BRANCHZ.eq.reconverge r0, offset:1", &expected), 0);
    assert_int_equal(words[1], expected);
    assert_int_equal(mali_isa_assemble_line("BRANCHZ.eq.reconverge 0x0, offset:-3", &expected), 0);
    assert_int_equal(words[2], expected);
    assert_int_equal(mali_isa_assemble("NOP\nBRANCHZ r0, offset:away\n", words, 4, &line), MALI_ISA_ERROR_ENCODE);
    assert_int_equal(line, 2);
    assert_int_equal(mali_isa_assemble("a: NOP\na: NOP\n", words, 4, &line), MALI_ISA_ERROR_ENCODE);
}

static void what_cannot_be_is_refused(void **state)
{
    static const char *const lines[] = {
        "",
        "FADD",
        "FADD.f32 r0, r1",
        "FADD.f32 r0, r1, r2, r3",
        "FADD.f32 r0, r64, r2",
        "FADD.f32 r0, r1.b0, r2",
        "FADD.f32 r0, r1.h0.h1, r2",
        "FADD.f32 r0, u1, u2",            /* two entries */
        "FMA.f32 r0, u0, u1, 0x3F800000", /* three words */
        "FADD.f32 r0, 0x12345678, r1",    /* no such constant */
        "FADD.f32.wait0.wait1 r0, r1, r2",
        "ICMP_OR.u32.eq r0, r1, r2, r3", /* of what kind is the result? */
        "IADD.u32 r0, lane_id.w0, thread_local_pointer.w0",
        "MOV.i32 r0, lane_id",
        "LOAD.i64.slot0 @r1:r2, r0, offset:0",
        "LOAD.i64.slot0 @r2:r4, r0, offset:0",
        "LOAD.i64.slot3 @r2:r3, r0, offset:0",
        "LOAD.i64.slot0 @r2:r3, r0, offset:32768",
        "BRANCHZ r0, offset:67108864",
    };
    uint64_t word;
    (void)state;
    for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (mali_isa_assemble_line(lines[i], &word) == 0)
            fail_msg("'%s' became 0x%016llx", lines[i], (unsigned long long)word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_read),
        cmocka_unit_test(programs_have_labels),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
