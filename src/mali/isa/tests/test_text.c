/* Words and their text, and what the decoder refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali/isa/isa_tables.h"

static const struct {
    uint64_t word;
    const char *text;
} pairs[] = {
    {UINT64_C(0x7800c00000000000), "NOP.end"},
    {UINT64_C(0x501fc05000000440), "BRANCHZ.eq.reconverge ^r0.h1, offset:4"},
    {UINT64_C(0x501fc017ffffffc0), "BRANCHZ.eq.reconverge 0x0, offset:-1"},
    {UINT64_C(0x002fc110000030c0), "BRANCHZI.eq.absolute 0x0, r48"},
    {UINT64_C(0x4845c001c0000000), "BARRIER.slot7.wait"},
    {UINT64_C(0x0091c3000000000a), "MOV.i32 r3, r10"},
    {UINT64_C(0x6091c10000000087), "MOV.i32.wait_resource r1, u7"},
    {UINT64_C(0x02914500000000e2), "MOV.i32 r5.h0, thread_local_pointer.w0"},
    {UINT64_C(0x0691c500000000e2), "MOV.i32 r5, lane_id.w0"},
    {UINT64_C(0x00a4c0c208008201), "FADD.f32.clamp_m1_1 r0, r1.neg.abs, u2.h1"},
    {UINT64_C(0x02b2c10400c08240), "FMA.f32 r1, ^r0, u66, 0x0.neg"},
    {UINT64_C(0x30b385101bdb000a), "FMA.v2f16.wait12 r5.h1, r10.h10, r0.neg, 0x3C000000.h11"},
    {UINT64_C(0x00a2c11050000302), "IADD.v4u8.saturate r1, r2.b3210, r3.b0000"},
    {UINT64_C(0x01a3c00020473c82), "SHADDX.u64 r0, u2, r60.w0, shift:0x4"},
    {UINT64_C(0x00b4c4691547c801), "LSHIFT_OR.i32 r4, r1.b2, 0x3020100.b11, ^r7.not"},
    {UINT64_C(0x00f8c1049cc0c440), "ICMP_OR.s32.lt.m1 r1, ^r0, 0x1000000.b3, 0x0"},
    {UINT64_C(0x00a0c211140fc801), "CLPER.i32.subgroup4.xor r2, r1, 0x3020100.b11"},
    {UINT64_C(0x0110c51234567840), "IADD_IMM.i32 r5, ^r0, #0x12345678"},
    {UINT64_C(0x0090c340100b0040), "F16_TO_F32 r3, ^r0.neg.h1"},
    {UINT64_C(0x0090c3b000130000), "V2U8_TO_V2F16 r3, r0.b32"},
    {UINT64_C(0x0860808218fff840), "LOAD.i32.unsigned.slot0.wait0 @r0, ^r0, offset:-8"},
    {UINT64_C(0x7861440839001040), "STORE.i128.istream.slot0.end @r4:r5:r6:r7, ^r0, offset:16"},
    {UINT64_C(0x0120c4045fc20040), "ATOM_RETURN.i32.slot1.compare.axchg @r2, @r4:r5, ^r0, offset:0x0"},
    {UINT64_C(0x005c80083210007d), "LD_VAR_BUF_IMM.f32.slot0.v4.src_f32.center.store @r0:r1:r2:r3, ^r61, index:0x10"},
    {UINT64_C(0x092840b417c02080), "TEX_SINGLE.slot0.skip.f.32.2d.computed.wait0 @r0:r1:r2:r3, @r0:r1, u0"},
    {UINT64_C(0x787f4008323c00f0), "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0"},
};

static void words_have_their_text(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct mali_isa_inst inst;
        char text[MALI_ISA_MAX_TEXT];
        assert_int_equal(mali_isa_decode(pairs[i].word, &inst), 0);
        size_t length = mali_isa_print(&inst, text);
        assert_int_equal(length, strlen(text));
        assert_string_equal(text, pairs[i].text);
    }
}

static void nothing_of_a_word_is_lost(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            struct mali_isa_inst inst;
            uint64_t word = pairs[i].word ^ 1ull << bit, again = 0;
            if (mali_isa_decode(word, &inst) != 0)
                continue;
            assert_int_equal(mali_isa_encode(&inst, &again), 0);
            assert_int_equal(again, word);
        }
    }
}

static void what_has_no_meaning_is_refused(void **state)
{
    static const uint64_t words[] = {
        0,
        UINT64_C(0x00010000000000c0),              /* no such opcode */
        UINT64_C(0x8091c00000000000),              /* bit 63 */
        UINT64_C(0x5891c00000000000),              /* flow 11 */
        UINT64_C(0x0091000000000000),              /* writes neither half */
        UINT64_C(0x0091c000000000e0),              /* special value 0 of page 0 */
        UINT64_C(0x0491c000000000e2),              /* special values of page 2 */
        UINT64_C(0x0091c00000010000),              /* opcode 1 of those with one source */
        UINT64_C(0x00b2c00030000000),              /* FMA with half 3 */
        UINT64_C(0x0860808218000040) | 3ull << 30, /* slot 3 */
    };
    struct mali_isa_inst inst;
    (void)state;
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (mali_isa_decode(words[i], &inst) == 0)
            fail_msg("0x%016llx is decoded", (unsigned long long)words[i]);
    }
}

static void operands_say_what_they_are(void **state)
{
    struct mali_isa_inst inst;
    (void)state;
    assert_int_equal(mali_isa_decode(UINT64_C(0x00a4c0c208008201), &inst), 0);
    assert_int_equal(inst.sources[0].flags, MALI_ISA_FLAG_NEG | MALI_ISA_FLAG_ABS);
    assert_int_equal(inst.sources[1].kind, MALI_ISA_SOURCE_UNIFORM);
    assert_int_equal(inst.sources[1].select, MALI_ISA_HALF_H1);
    assert_int_equal(inst.field[MALI_ISA_FIELD_CLAMP], MALI_ISA_CLAMP_CLAMP_M1_1);
    assert_false(mali_isa_is_message(inst.op));
    assert_true(mali_isa_is_message(MALI_ISA_OP_TEX_SINGLE));
    assert_true(mali_isa_staging_is_written(MALI_ISA_OP_TEX_SINGLE, 0));
    assert_true(mali_isa_staging_is_read(MALI_ISA_OP_TEX_SINGLE, 1));
    assert_true(mali_isa_source_flags(MALI_ISA_OP_LOAD_I32, 0) & MALI_ISA_SOURCE_WIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_have_their_text),
        cmocka_unit_test(nothing_of_a_word_is_lost),
        cmocka_unit_test(what_has_no_meaning_is_refused),
        cmocka_unit_test(operands_say_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
