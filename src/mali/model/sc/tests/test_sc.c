/* Warps of small programs, assembled here: arithmetic with selections and modifiers, uniforms, branches that divide a
 * warp and join again, memory, buffers, what the launching block answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mali/model/sc/tests/rig.h"
#include "mali/model/tex/tex.h"
#include "util/tests/host_level_test.h"

static uint32_t bits(float number)
{
    uint32_t word;
    memcpy(&word, &number, sizeof(word));
    return word;
}

/* ---- arithmetic ---- */

/* r1 to r4 are the sources, r8 the result, before which it is all ones. */
static void check_one(const char *text, const uint32_t sources[4], uint32_t expected, uint32_t expected_high)
{
    char source[256];
    snprintf(source, sizeof(source), "%s\nNOP.end\n", text);
    mali_rig_assemble(source, 0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    struct mali_warp *warp = mali_rig_begin();
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        for (unsigned n = 0; n < 4; n++)
            mali_warp_row(warp, 1 + n)[i] = sources[n];
        mali_warp_row(warp, 8)[i] = mali_warp_row(warp, 9)[i] = UINT32_MAX;
    }
    assert_true(mali_sc_run(warp));
    for (unsigned i = 0; i < MALI_ROW_LANES; i += 21) {
        if (mali_rig_lane(warp, 8, i) != expected || mali_rig_lane(warp, 9, i) != expected_high)
            fail_msg("%s: 0x%08x 0x%08x, not 0x%08x 0x%08x", text, mali_rig_lane(warp, 8, i), mali_rig_lane(warp, 9, i),
                     expected, expected_high);
    }
}

static void instructions_compute(void **state)
{
    static const struct {
        const char *text;
        uint32_t sources[4];
        uint32_t result;
    } rows[] = {
        {"MOV.i32 r8, r1", {0x12345678}, 0x12345678},
        {"MOV.i32 r8.h0, r1", {0x12345678}, 0xffff5678},
        {"MOV.i32 r8.h1, r1", {0x12345678}, 0x1234ffff},
        {"MOV.i32 r8, 0x3F800000", {0}, 0x3f800000},
        {"IADD.u32 r8, r1, r2", {0xffffffff, 2}, 1},
        {"IADD.u32.saturate r8, r1, r2", {0xffffffff, 2}, 0xffffffff},
        {"IADD.s32.saturate r8, r1, r2", {0x80000000, 0xffffffff}, 0x80000000},
        {"IADD.u32 r8, r1.h1, r2.b3", {0x80010000, 0xff000000}, 0x8100},
        {"IADD.s32 r8, r1.h1, r2.b3", {0x80010000, 0xff000000}, 0xffff8000},
        {"IADD.u32 r8, r1, 0x7060504.b2", {10}, 16},
        {"IADD.v2u16 r8, r1.h10, r2", {0x00010002, 0x00100020}, 0x00120021},
        {"IADD.v2s16.saturate r8, r1, r2", {0x7fff8000, 0x0001ffff}, 0x7fff8000},
        {"IADD.v4u8.saturate r8, r1.b3210, r2", {0x01020304, 0xff000000}, 0xff030201},
        {"ISUB.v4s8 r8, r1, r2", {0x00000000, 0x01020304}, 0xfffefdfc},
        {"IMUL.i32 r8, r1, r2", {0x10001, 0x10001}, 0x00020001},
        {"IMUL.s32.saturate r8, r1, r2", {0x10000, 0x10000}, 0x7fffffff},
        {"HADD.s32 r8, r1, r2", {0x80000000, 0x80000002}, 0x80000001},
        {"HADD.u32.rhadd r8, r1, r2", {3, 4}, 4},
        {"IADD_IMM.i32 r8, r1, #0x1234", {1}, 0x1235},
        {"IADD_IMM.v2i16 r8, r1, #0x10001", {0xffffffff}, 0},
        {"FADD.f32 r8, r1, r2.neg", {0x40400000, 0x3f800000}, 0x40000000},
        {"FADD.f32 r8, r1.neg.abs, r2.h1", {0xbf800000, 0x40000000}, 0x3f800000},
        {"FADD.f32.clamp_0_1 r8, r1, r2", {0x40400000, 0x3f800000}, 0x3f800000},
        {"FADD.f32.clamp_m1_1 r8, r1, r2", {0xc0400000, 0x3f800000}, 0xbf800000},
        {"FADD.f32.clamp_m1_1 r8, r1, 0x0", {0x7fc00000}, 0xbf800000},
        {"FADD.v2f16 r8, r1.h00, r2.h11", {0x3c00, 0x40000000}, 0x42004200},
        {"FADD.v2f16.clamp_0_1 r8.h1, r1, r2.neg", {0x40003c00, 0x3c003c00}, 0x3c00ffff},
        {"FADD_IMM.f32 r8, r1, #0x3F800000", {0x3f800000}, 0x40000000},
        {"FMA.f32 r8, r1, r2, r3.neg", {0x40000000, 0x40400000, 0x3f800000}, 0x40a00000},
        {"FMIN.f32 r8, r1, r2", {0x7fc00000, 0x3f800000}, 0x3f800000},
        {"FMAX.v2f16 r8, r1, r2", {0x3c004000, 0x40003c00}, 0x40004000},
        {"V2F32_TO_V2F16 r8, r1, r2.neg", {0x3f800000, 0x40000000}, 0xc0003c00},
        {"V2F32_TO_V2F16.rtz r8, r1, r2", {0x3f7fffff, 0x3f7fffff}, 0x3bff3bff},
        {"F32_TO_S32.rtz r8, r1", {0xbfe00000}, 0xffffffff},
        {"F32_TO_S32 r8, r1", {0xc0200000}, 0xfffffffe},
        {"F32_TO_U32.rtp r8, r1", {0x3fa00000}, 2},
        {"F32_TO_U32 r8, r1", {0xbf800000}, 0},
        {"S32_TO_F32 r8, r1", {0xffffffff}, 0xbf800000},
        {"S32_TO_F32 r8, r1.h1", {0xffff0000}, 0xbf800000},
        {"U32_TO_F32.rtz r8, r1", {0xffffffff}, 0x4f7fffff},
        {"U32_TO_F32 r8, r1", {0xffffffff}, 0x4f800000},
        {"S16_TO_S32 r8, r1.h10", {0x80000000}, 0xffff8000},
        {"F16_TO_F32 r8, r1.neg.h1", {0x3c000000}, 0xbf800000},
        {"S8_TO_F32 r8, r1.b2", {0x00ff0000}, 0xbf800000},
        {"V2U8_TO_V2F16 r8, r1.b32", {0x02010000}, 0x3c004000},
        {"V2S8_TO_V2S16 r8, r1.b01", {0x000080ff}, 0xff80ffff},
        {"FROUND.f32.rtn r8, r1", {0xbf000000}, 0xbf800000},
        {"FROUND.v2f16 r8, r1", {0x3e003a00}, 0x40003c00},
        {"CLZ.u32 r8, r1", {0x00010000}, 15},
        {"CLZ.u32 r8, r1", {0}, 32},
        {"CLZ.v2u16 r8, r1", {0x00010000}, 0x000f0010},
        {"CLZ.v4u8 r8, r1", {0x01800010}, 0x07000803},
        {"IABS.s32 r8, r1", {0xfffffffe}, 2},
        {"POPCOUNT.i32 r8, r1", {0xf0f0}, 8},
        {"BITREV.i32 r8, r1", {1}, 0x80000000},
        {"LSHIFT_OR.i32 r8, r1, r2.b00, r3", {0xff, 4, 0xf}, 0xfff},
        {"LSHIFT_AND.i32 r8, r1, 0x7060504.b00, r3.not", {0xff, 0, 0xf0}, 0xf00},
        {"RSHIFT_OR.i32 r8, r1, r2.b11, 0x0", {0x80000000, 0x1f00}, 1},
        {"RSHIFT_OR.i32.signed r8, r1, r2.b00, 0x0", {0x80000000, 31}, 0xffffffff},
        {"RSHIFT_XOR.v2i16.signed r8, r1, r2.b00, r3", {0x80004000, 4, 0x0000ffff}, 0xf800fbff},
        {"LSHIFT_XOR.v4i8.not_result r8, r1, r2.b00, 0x0", {0x81018101, 1}, 0xfdfdfdfd},
        {"CSEL.f32.lt r8, r1, r2, r3, r4", {0x3f800000, 0x40000000, 5, 6}, 5},
        {"CSEL.f32.total r8, r1, r2, r3, r4", {0x7fc00000, 0x40000000, 5, 6}, 6},
        {"CSEL.s32.gt r8, r1, r2, r3, r4", {0, 0xffffffff, 5, 6}, 5},
        {"CSEL.u32.gt r8, r1, r2, r3, r4", {0, 0xffffffff, 5, 6}, 6},
        {"CSEL.v2u16.eq r8, r1, r2, r3, r4", {0x00010002, 0x00010003, 0x50005, 0x60006}, 0x50006},
        {"MUX.i32 r8, r1, r2, r3", {5, 6, 0}, 5},
        {"MUX.i32.bit r8, r1, r2, r3", {0xffffffff, 0, 0x0ff0}, 0x0ff0},
        {"MUX.v2i16.neg r8, r1, r2, r3", {0x50005, 0x60006, 0x80000000}, 0x50006},
        {"ICMP_OR.u32.gt.m1 r8, r1, r2, 0x0", {3, 2}, 0xffffffff},
        {"ICMP_OR.s32.gt.i1 r8, r1, r2, r3", {0xffffffff, 2, 1}, 1},
        {"ICMP_AND.u32.eq.f1 r8, r1, r2, r3", {2, 2, 1}, 0x3f800000},
        {"ICMP_OR.v2u16.ne.i1 r8, r1, r2, 0x0", {0x00010001, 0x00010002}, 0x00000001},
        {"ICMP_OR.v4u8.lt.m1 r8, r1, r2, 0x0", {0x00ff0102, 0x01000302}, 0xff00ff00},
        {"FCMP_OR.f32.lt.f1 r8, r1, r2, 0x0", {0xbf800000, 0}, 0x3f800000},
        {"FCMP_OR.f32.ne.m1 r8, r1, r2, 0x0", {0x7fc00000, 0x7fc00000}, 0xffffffff},
        {"FCMP_OR.f32.gtlt.m1 r8, r1, r2, 0x0", {0x7fc00000, 0x7fc00000}, 0},
        {"FCMP_AND.v2f16.ge.f1 r8, r1, r2, r3", {0x40003c00, 0x3c003c00, 0x00010000}, 0x3c000000},
        {"ICMP_MULTI.u32.gt.u1 r8, r1, r2, 0x0", {3, 2}, 1},
        {"ICMP_MULTI.s32.gt.m1 r8, r1, r2, r3", {2, 2, 1}, 0xffffffff},
        {"MKVEC.v2i16 r8, r1.h11, r2.h00", {0x12340000, 0x5678}, 0x56781234},
        {"MKVEC.v2i8 r8, r1.b3, r2.b0, r3", {0xab000000, 0xcd, 0xef}, 0x00efcdab},
        {"IDP.v4s8 r8, r1, r2, r3", {0x01ff0203, 0x02020202, 10}, 20},
        {"IDP.v4s8 r8, r1, r2, r3", {1, 1, 0x7fffffff}, 0x80000000},
        {"IDP.v4s8.saturate r8, r1, r2, r3", {1, 1, 0x7fffffff}, 0x7fffffff},
        {"IDP.v4u8 r8, r1, r2, r3", {0xff, 0xff, 0xffffffff}, 0xfe00},
        {"IDP.v4u8.saturate r8, r1, r2, r3", {0xff, 0xff, 0xffffffff}, 0xffffffff},
        {"FRCP.f32 r8, r1", {0x40800000}, 0x3e800000},
        {"FRSQ.f16 r8.h1, r1.h00", {0x4400}, 0x3800ffff},
        {"FREXPE.f32.log r8, r1", {0x3fa00000}, 0},
        {"FREXPM.f32.sqrt r8, r1", {0x3f800000}, 0x3e800000},
        {"FSIN_TABLE.u6 r8, r1", {16}, 0x3f800000},
        {"FLUSH.f32.flush_inf.flush_nan r8, r1", {0xff800000}, 0xff7fffff},
        {"CUBEFACE2_V9 r8, r1, r2, r3", {0x3f800000, 0xc0000000, 0x3f800000}, 3u << 29},
        {"CUBE_TSEL r8, r1, r2, r3", {0x3f800000, 0x40000000, 3u << 29}, 0xc0000000},
        {"FMA_RSCALE.f32 r8, r1, r2, r3, r4", {0x3f800000, 0x40000000, 0, 3}, 0x41800000},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_one(rows[i].text, rows[i].sources, rows[i].result, UINT32_MAX);
}

static void pairs_of_registers_compute(void **state)
{
    static const struct {
        const char *text;
        uint32_t sources[4];
        uint32_t low, high;
    } rows[] = {
        {"IADD.u64 r8, r2, r4", {0, 0xffffffff, 1, 2}, 1, 2},
        {"IADD.u64 r8, r2, 0xFFFFFFFF", {0, 1, 0, 0}, 0, 1},
        {"ISUB.s64 r8, r2, r4.w0", {0, 0, 0, 1}, 0xffffffff, 0xffffffff},
        {"IADD.s64 r8, r2, r4.b0", {0, 0, 0, 0x80}, 0xffffff80, 0xffffffff},
        {"SHADDX.u64 r8, r2, r1.w0, shift:0x4", {0x20000000, 0, 1, 0}, 0, 3},
        {"SHADDX.s64 r8, r2, r1.w0, shift:0x2", {0xffffffff, 8, 0, 0}, 4, 0},
        {"IMULD.u64 r8, r1.w0, r2.w0", {0xffffffff, 0xffffffff, 0, 0}, 1, 0xfffffffe},
        {"LSHIFT_OR.i64 r8, r2, r1.b00, 0x0", {36, 1, 0, 0}, 0, 16},
        {"SEG_ADD.u64.neg r8, r2, r1.w0", {1, 0, 1, 0}, 0xffffffff, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_one(rows[i].text, rows[i].sources, rows[i].low, rows[i].high);
}

/* The ways that compilers compute logarithms and powers. */
static void logarithms_and_powers(void **state)
{
    static const float numbers[] = {1.0f, 2.0f, 0.75f, 1.5f, 10.0f, 1e-20f, 3e38f};
    static const double logs[] = {
        0, 1, -0.41503749927884381, 0.58496250072115618, 3.3219280948873623, -66.438561897747246, 127.81823005842};
    (void)state;
    mali_rig_assemble("FREXPE.f32.log r2, r1\nS32_TO_F32 r2, r2\nFADD_LSCALE.f32 r3, 0x3F800000.neg, r1\n"
                      "FLOGD.f32 r4, r1\nFMA.f32 r8, r4, r3, r2\n"
                      "IADD_IMM.i32 r6, 0x0, #0x18\nFMA_RSCALE.f32 r5, r8, 0x3F800000, 0x0.neg, r6\n"
                      "F32_TO_S32 r6, r5\nFEXP.f32 r9, r6, r5\nNOP.end\n",
                      0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    struct mali_warp *warp = mali_rig_begin();
    for (unsigned i = 0; i < 64; i++)
        mali_warp_row(warp, 1)[i] = i < 7 ? bits(numbers[i]) : i == 7 ? 0 : i == 8 ? 0x7f800000 : 0xbf800000;
    assert_true(mali_sc_run(warp));
    for (unsigned i = 0; i < 7; i++) {
        float result, power;
        memcpy(&result, &mali_warp_row(warp, 8)[i], 4);
        memcpy(&power, &mali_warp_row(warp, 9)[i], 4);
        assert_float_equal(result, logs[i], 1e-5);
        assert_float_equal(power / numbers[i], 1, 1e-4);
    }
    assert_int_equal(mali_rig_lane(warp, 8, 7), 0xff800000);
    assert_int_equal(mali_rig_lane(warp, 9, 7), 0);
    assert_int_equal(mali_rig_lane(warp, 8, 8), 0x7f800000);
    assert_int_equal(mali_rig_lane(warp, 9, 8), 0x7f800000);
    assert_int_equal(mali_rig_lane(warp, 8, 9) & 0x7fc00000, 0x7fc00000);
}

/* ---- uniforms and warps ---- */

static void uniforms_are_those_of_the_launch(void **state)
{
    (void)state;
    mali_rig_assemble("MOV.i32 r8, u1\nMOV.i32 r9, u130\nMOV.i32 r10, lane_id.w0\nMOV.i32 r11, blend_descriptor_1.w1\n"
                      "IADD.u32 r12, u1.h1, r0\nMOV.i32 r13, program_counter.w0\nNOP.end\n",
                      0);
    for (uint32_t round = 1; round < 3; round++) {
        mali_rig_launch(MALI_STAGE_FRAGMENT);
        mali_rig.launch.fau_count = 132;
        mali_rig.launch.fau[1] = round << 16;
        mali_rig.launch.fau[130] = 5 + round;
        mali_rig.launch.blend[1] = (uint64_t)round << 32;
        struct mali_warp *warp = mali_rig_begin();
        assert_true(mali_sc_run(warp));
        for (unsigned i = 0; i < 64; i++) {
            assert_int_equal(mali_rig_lane(warp, 8, i), round << 16);
            assert_int_equal(mali_rig_lane(warp, 9, i), 5 + round);
            assert_int_equal(mali_rig_lane(warp, 10, i), i % 16);
            assert_int_equal(mali_rig_lane(warp, 11, i), round);
            assert_int_equal(mali_rig_lane(warp, 12, i), round + i);
            assert_int_equal(mali_rig_lane(warp, 13, i), (uint32_t)(RIG_CODE_VA + 6 * 8));
        }
    }
}

static void lanes_of_a_warp_see_each_other(void **state)
{
    (void)state;
    struct mali_warp *warp = mali_rig_run("CLPER.i32.subgroup4.xor r2, r0, 0x3020100.b11\n"
                                          "CLPER.i32 r3, r0, 0x3020100.b33\n"
                                          "WMASK r4, r0\n"
                                          "NOP.end\n");
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(mali_rig_lane(warp, 2, i), i ^ 1);
        assert_int_equal(mali_rig_lane(warp, 3, i), (i & ~15u) + 3);
        assert_int_equal(mali_rig_lane(warp, 4, i), i < 16 ? 0xfffe : 0xffff);
    }
}

static unsigned lane_read(unsigned lane, unsigned which, unsigned size, bool is_xor)
{
    const unsigned inside = size - 1;
    return (lane & ~inside) | ((which ^ (is_xor ? lane : 0)) & inside);
}

/* Each lane by a number of its own; those that do not run have nothing to read, and keep what they had. */
static void lanes_of_a_warp_choose(unsigned size, bool is_xor, uint64_t launched)
{
    char text[128], kind[32];
    snprintf(kind, sizeof(kind), size < MALI_WARP_LANES ? ".subgroup%u%s" : "%.0u%s", size < MALI_WARP_LANES ? size : 0,
             is_xor ? ".xor" : "");
    snprintf(text, sizeof(text), "CLPER.i32%s r2, r0, r1.b00\nCLPER.i32%s r3, r3, r1.b00\nNOP.end\n", kind, kind);
    mali_rig_assemble(text, 0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    struct mali_warp *warp = mali_rig_begin();
    warp->launched = launched;
    for (unsigned i = 0; i < 64; i++) {
        mali_warp_row(warp, 1)[i] = i * 37 + (i >> 4) + 5;
        mali_warp_row(warp, 2)[i] = 7000 + i;
        mali_warp_row(warp, 3)[i] = 100 + i;
    }
    assert_true(mali_sc_run(warp));
    for (unsigned i = 0; i < 64; i++) {
        const unsigned from = lane_read(i, i * 37 + (i >> 4) + 5, size, is_xor);
        const bool runs = launched >> i & 1, is_there = launched >> from & 1;
        assert_int_equal(mali_rig_lane(warp, 2, i), !runs ? 7000 + i : is_there ? from : 0);
        assert_int_equal(mali_rig_lane(warp, 3, i), !runs ? 100 + i : is_there ? 100 + from : 0);
    }
}

static void lanes_see_what_they_ask_for(void **state)
{
    (void)state;
    for (unsigned size = 2; size <= 16; size *= 2) {
        for (unsigned is_xor = 0; is_xor < 2; is_xor++) {
            lanes_of_a_warp_choose(size, is_xor, UINT64_MAX);
            lanes_of_a_warp_choose(size, is_xor, 0x8001f0f0fffe7ac5ull);
        }
    }
}

/* ---- control flow ---- */

/* Lane n goes around n & 31 times, or all of them 27 times: each has what it had when it left. */
static void loops_end(bool is_together)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "IADD_IMM.i32 r1, 0x0, #0x0\n"
             "IADD_IMM.i32 r4, 0x0, #0x5\n"
             "IADD_IMM.i32 r5, r0, #0x9\n"
             "IADD_IMM.i32 r7, 0x0, #0x1f\n"
             "%s"
             "loop: IADD_IMM.i32 r6, r4, #0x11\n"
             "ICMP_OR.u32.eq.m1 r3, r1, r2, 0x0\n"
             "BRANCHZ.reconverge r3, offset:done\n"
             "IADD_IMM.i32 r1, r1, #0x1\n"
             "IADD.u32 r4, r4, r5\n"
             "LSHIFT_XOR.i32 r5, r5, 0x0.b00, ^r6\n"
             "IADD_IMM.i32 r5, r5, #0x39\n"
             "BRANCHZ.eq.reconverge 0x0, offset:loop\n"
             "done: IADD_IMM.i32 r8, r6, #0x0\n"
             "NOP.end\n",
             is_together ? "IADD_IMM.i32 r2, 0x0, #0x1b\n" : "LSHIFT_AND.i32 r2, r0, 0x0.b00, r7\n");
    struct mali_warp *warp = mali_rig_run(text);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t rounds = is_together ? 27 : i & 31;
        uint32_t x = 5, y = i + 9, z = x + 0x11;
        for (uint32_t round = 0; round < rounds; round++) {
            x += y;
            y = (y ^ z) + 0x39;
            z = x + 0x11;
        }
        assert_int_equal(mali_rig_lane(warp, 1, i), rounds);
        assert_int_equal(mali_rig_lane(warp, 4, i), x);
        assert_int_equal(mali_rig_lane(warp, 5, i), y);
        assert_int_equal(mali_rig_lane(warp, 8, i), z);
    }
}

static void lanes_leave_a_loop(void **state)
{
    (void)state;
    loops_end(true);
    loops_end(false);
}

static void lanes_part_and_join(void **state)
{
    (void)state;
    /* Lane n goes around n & 7 times; those of 3 leave the loop in the middle. */
    struct mali_warp *warp = mali_rig_run("IADD_IMM.i32 r1, 0x0, #0x0\n"
                                          "IADD_IMM.i32 r7, 0x0, #0x7\n"
                                          "LSHIFT_AND.i32 r2, r0, 0x0.b00, r7\n"
                                          "loop: ICMP_OR.u32.eq.m1 r3, r1, r2, 0x0\n"
                                          "BRANCHZ.reconverge r3, offset:done\n"
                                          "IADD_IMM.i32 r1, r1, #0x1\n"
                                          "ICMP_OR.u32.eq.m1 r3, r1, 0x3020100.b3, 0x0\n"
                                          "BRANCHZ.reconverge r3, offset:middle\n"
                                          "BRANCHZ.eq.reconverge 0x0, offset:loop\n"
                                          "middle: IADD_IMM.i32 r1, r1, #0x64\n"
                                          "NOP.reconverge\n"
                                          "done: WMASK r4, 0xFFFFFFFF\n"
                                          "NOP.end\n");
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(mali_rig_lane(warp, 1, i), (i & 7) < 3 ? i & 7 : 103);
        assert_int_equal(mali_rig_lane(warp, 4, i), 0xffff);
    }
}

static void a_shader_is_called_and_returns(void **state)
{
    (void)state;
    mali_rig_assemble("IADD_IMM.i32 r8, r8, #0x5\nIADD_IMM.i32 r9, 0x0, #0x9\nBRANCHZI.absolute.end r48, r48\n", 0x400);
    /* Lanes below 32 have an address to return to. */
    struct mali_warp *warp = mali_rig_run("IADD_IMM.i32 r8, 0x0, #0x1\n"
                                          "IADD_IMM.i32 r9, 0x0, #0x0\n"
                                          "IADD_IMM.i32 r7, 0x0, #0x20\n"
                                          "IADD_IMM.i32 r48, program_counter.w0, #0x20\n"
                                          "CSEL.u32.lt r48, r0, r7, r48, 0x0\n"
                                          "IADD_IMM.i32 r6, 0x0, #0x400\n"
                                          "BRANCHZI.eq.absolute.reconverge 0x0, r6\n"
                                          "NOP.end\n"
                                          "IADD_IMM.i32 r9, 0x0, #0x7\n"
                                          "NOP.end\n");
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(mali_rig_lane(warp, 8, i), 6);
        assert_int_equal(mali_rig_lane(warp, 9, i), i < 32 ? 7 : 9);
    }
}

static void what_is_no_instruction_stops(void **state)
{
    (void)state;
    mali_rig_assemble("FPCLASS.f32 r0, r1\nNOP.end\n", 0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    assert_false(mali_sc_run(mali_rig_begin()));
    assert_non_null(strstr(gpu_stop_text(&mali_rig.queue->stop), "does not implement"));
    assert_non_null(strstr(gpu_stop_text(&mali_rig.queue->stop), "FPCLASS.f32 r0, r1"));
}

/* ---- memory ---- */

static void memory_is_read_and_written(void **state)
{
    uint32_t *data = mali_rig_data();
    (void)state;
    for (unsigned i = 0; i < 1024; i++)
        data[i] = 0x80000000u + i * 0x01010101u;
    mali_rig_assemble("SHADDX.u64 r2, u0, r0.w0, shift:0x2\n"
                      "SHADDX.u64 r4, u0, r0.w0, shift:0x4\n"
                      "LOAD.i32.unsigned.slot0 @r8, r2, offset:4\n"
                      "LOAD.i128.unsigned.slot0 @r12:r13:r14:r15, r4, offset:0\n"
                      "LOAD.i8.slot1.w0 @r9, r2, offset:3\n"
                      "LOAD.i8.unsigned.slot1.h1 @r10, r2, offset:3\n"
                      "LOAD.i16.slot1.d0.wait01 @r16:r17, r2, offset:2\n"
                      "STORE.i32.slot0 @r0, r2, offset:4096\n"
                      "STORE.i8.slot0 @r0, r2, offset:4611\n"
                      "STORE.i96.slot0 @r12:r13:r14, r4, offset:8192\n"
                      "NOP.end\n",
                      0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    mali_rig.launch.fau_count = 2;
    mali_rig.launch.fau[0] = (uint32_t)RIG_DATA_VA;
    mali_rig.launch.fau[1] = RIG_DATA_VA >> 32;
    for (unsigned round = 0; round < 2; round++) { /* all lanes, and some */
        struct mali_warp *warp = mali_rig_begin();
        memset(data + 1024, 0, 8192);
        memset(mali_warp_row(warp, 10), 0xff, 256);
        warp->launched = round ? 0x00ffff0000ffff0full : UINT64_MAX;
        assert_true(mali_sc_run(warp));
        for (unsigned i = 0; i < 64; i++) {
            if (!(warp->launched >> i & 1)) {
                assert_int_equal(data[1024 + i], 0);
                continue;
            }
            assert_int_equal(mali_rig_lane(warp, 8, i), data[i + 1]);
            assert_int_equal(mali_rig_lane(warp, 9, i), (uint32_t)(int8_t)(data[i] >> 24));
            assert_int_equal(mali_rig_lane(warp, 10, i), (data[i] >> 24) << 16 | 0xffff);
            assert_int_equal(mali_rig_lane(warp, 16, i), (uint32_t)(int16_t)(data[i] >> 16));
            assert_int_equal(mali_rig_lane(warp, 17, i), UINT32_MAX);
            for (unsigned n = 0; n < 4; n++)
                assert_int_equal(mali_rig_lane(warp, 12 + n, i), data[i * 4 + n]);
            assert_int_equal(data[1024 + i], i);
            assert_int_equal(data[1152 + i], i << 24);
            for (unsigned n = 0; n < 3; n++)
                assert_int_equal(data[2048 + i * 4 + n], data[i * 4 + n]);
            assert_int_equal(data[2048 + i * 4 + 3], 0);
        }
    }
}

static void atomics_return_what_was_there(void **state)
{
    uint32_t *data = mali_rig_data();
    (void)state;
    memset(data, 0, 64);
    data[2] = 7;
    mali_rig_assemble("IADD.u64 r2, u0, 0x0\n"
                      "IADD_IMM.i32 r4, 0x0, #0x3\n"
                      "ATOM_RETURN.i32.slot0.aadd @r8, @r4, r2, offset:0x0\n"
                      "ATOM1_RETURN.i32.slot0.ainc @r9, r2, offset:0x4\n"
                      "IADD_IMM.i32 r6, 0x0, #0x9\n"
                      "IADD_IMM.i32 r7, 0x0, #0x7\n"
                      "ATOM_RETURN.i32.slot0.compare.axchg @r10, @r6:r7, r2, offset:0x8\n"
                      "ATOM.i64.slot0.aumax @r6:r7, r2, offset:0x10\n"
                      "NOP.end\n",
                      0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    mali_rig.launch.fau_count = 2;
    mali_rig.launch.fau[0] = (uint32_t)RIG_DATA_VA;
    mali_rig.launch.fau[1] = RIG_DATA_VA >> 32;
    struct mali_warp *warp = mali_rig_begin();
    assert_true(mali_sc_run(warp));
    assert_int_equal(data[0], 3 * 64);
    assert_int_equal(data[1], 64);
    assert_int_equal(data[2], 9);
    assert_int_equal(data[4], 9);
    assert_int_equal(data[5], 7);
    assert_int_equal(mali_rig_lane(warp, 8, 5), 15);
    assert_int_equal(mali_rig_lane(warp, 9, 5), 5);
    assert_int_equal(mali_rig_lane(warp, 10, 0), 7);
    assert_int_equal(mali_rig_lane(warp, 10, 1), 9);
}

/* Lanes side by side at one word, others between them, as if one came after the other. */
static void atomics_of_lanes_are_in_order(void **state)
{
    uint32_t *data = mali_rig_data(), sums[3] = {5, 6, 7}, last[3] = {5, 6, 7};
    (void)state;
    mali_rig_assemble("IADD.u64 r2, u0, r0.w0\n"
                      "ATOM_RETURN.i32.slot0.aadd @r8, @r4, r2, offset:0x0\n"
                      "ATOM_RETURN.i32.slot0.axchg @r9, @r4, r2, offset:0x40\n"
                      "ATOM1_RETURN.i32.slot0.adec @r10, r2, offset:0x80\n"
                      "NOP.end\n",
                      0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    mali_rig.launch.fau_count = 2;
    mali_rig.launch.fau[0] = (uint32_t)RIG_DATA_VA;
    mali_rig.launch.fau[1] = RIG_DATA_VA >> 32;
    for (unsigned i = 0; i < 3; i++)
        data[i] = data[16 + i] = data[32 + i] = 5 + i;
    struct mali_warp *warp = mali_rig_begin();
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        mali_warp_row(warp, 0)[i] = 4 * (i / 8 % 3);
        mali_warp_row(warp, 4)[i] = 100 * i + 3;
    }
    assert_true(mali_sc_run(warp));
    for (unsigned i = 0, counts[3] = {0}; i < MALI_ROW_LANES; i++) {
        const unsigned at = i / 8 % 3;
        assert_int_equal(mali_rig_lane(warp, 8, i), sums[at]);
        assert_int_equal(mali_rig_lane(warp, 9, i), last[at]);
        assert_int_equal(mali_rig_lane(warp, 10, i), 5 + at - counts[at]++);
        sums[at] += 100 * i + 3;
        last[at] = 100 * i + 3;
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(data[i], sums[i]);
        assert_int_equal(data[16 + i], last[i]);
    }
}

static void an_address_that_is_not_mapped_faults(void **state)
{
    (void)state;
    mali_rig_assemble(
        "IADD_IMM.i32 r2, 0x0, #0x1000\nIADD_IMM.i32 r3, 0x0, #0x0\nSTORE.i32.slot0 @r0, r2, offset:-4\nNOP.end\n", 0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    assert_false(mali_sc_run(mali_rig_begin()));
    assert_int_equal(mali_rig.queue->stop.kind, GPU_STOP_FAULT);
    assert_int_equal(mali_rig.queue->stop.fault_va, 0xffc);
    assert_true(mali_rig.queue->stop.is_write);
}

static void buffers_are_found_in_tables(void **state)
{
    const uint64_t buffer_va = RIG_DATA_VA + 1024;
    (void)state;
    mali_rig_make_buffer(buffer_va);
    mali_rig_assemble("IADD_IMM.i32 r1, 0x0, #0x1000002\n"
                      "LSHIFT_OR.i32 r2, r0, 0x3020100.b22, 0x0\n"
                      "LD_BUFFER.i32.unsigned.slot0 @r8, r2, r1\n"
                      "LEA_BUFFER.slot0 @r10:r11, r2, r1\n"
                      "IADD_IMM.i32 r1, 0x0, #0x1000003\n"
                      "LD_BUFFER.i64.unsigned.slot0 @r12:r13, r2, r1\n"
                      "NOP.end\n",
                      0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    mali_rig.launch.resources_va = RIG_DATA_VA;
    mali_rig.launch.resource_count = 2;
    struct mali_warp *warp = mali_rig_begin();
    assert_true(mali_sc_run(warp));
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(mali_rig_lane(warp, 8, i), i < 10 ? 100 + i : 0);
        const uint64_t va = i < 10 ? buffer_va + i * 4 : MALI_TEX_NOWHERE;
        assert_int_equal(mali_rig_lane(warp, 10, i), (uint32_t)va);
        assert_int_equal(mali_rig_lane(warp, 11, i), va >> 32);
        assert_int_equal(mali_rig_lane(warp, 12, i), 0);
    }
}

/* ---- what the launching block answers ---- */

static struct {
    uint32_t coverage[64], colour[4];
    uint64_t lanes;
    uint32_t descriptor[2];
    enum mali_blend_result answer;
    unsigned blends;
} seen;

static bool load_varying(struct mali_warp *warp, const struct mali_varying_load *load, uint64_t lanes)
{
    (void)warp;
    assert_int_equal(load->kind, MALI_VARYING_BUFFER);
    assert_int_equal(load->offset_B, 0x20);
    assert_int_equal(load->components, 2);
    assert_int_equal(load->regfmt, MALI_REGFMT_F32);
    for (unsigned i = 0; i < 64; i++) {
        if (lanes >> i & 1) {
            load->rows_out[i] = load->source0[i] * 2;
            load->rows_out[64 + i] = 11;
        }
    }
    return true;
}

static bool alpha_test(struct mali_warp *warp, const uint32_t *coverage, const uint32_t *alpha, uint32_t datum,
                       uint32_t *coverage_out, uint64_t lanes)
{
    (void)warp;
    assert_int_equal(alpha[3], 0x3f800000);
    assert_int_equal(datum, 77);
    for (unsigned i = 0; i < 64; i++) {
        if (lanes >> i & 1)
            coverage_out[i] = coverage[i] & 0x5;
    }
    return true;
}

static enum mali_blend_result blend_pixel(struct mali_warp *warp, const struct mali_blend *request, uint64_t lanes)
{
    (void)warp;
    memcpy(seen.coverage, request->coverage, sizeof(seen.coverage));
    memcpy(seen.descriptor, request->descriptor, sizeof(seen.descriptor));
    for (unsigned n = 0; n < 4; n++)
        seen.colour[n] = request->colour[n * 64 + 3];
    seen.lanes = lanes;
    seen.blends++;
    assert_int_equal(request->components, 4);
    assert_int_equal(request->regfmt, MALI_REGFMT_F32);
    return seen.answer;
}

static void fragments_are_tested_and_blended(void **state)
{
    static const struct mali_warp_hooks hooks = {
        .load_varying = load_varying, .alpha_test = alpha_test, .blend = blend_pixel};
    (void)state;
    mali_rig_assemble("LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r0:r1, r61, index:0x20\n"
                      "DISCARD.f32.eq r0, 0x0\n"
                      "ATEST.discard @r60, r60, 0x3F800000, atest_datum.w0\n"
                      "IADD_IMM.i32 r9, 0x0, #0x1\n"
                      "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x1\n"
                      "IADD_IMM.i32 r9, 0x0, #0x2\n"
                      "NOP.end\n",
                      0);
    for (unsigned round = 0; round < 2; round++) {
        mali_rig_launch(MALI_STAGE_FRAGMENT);
        mali_rig.launch.hooks = &hooks;
        mali_rig.launch.atest_datum = 77;
        mali_rig.launch.blend[0] = 0x1234567800abcdefull;
        seen.answer = round ? MALI_BLEND_SHADER : MALI_BLEND_DONE;
        seen.blends = 0;
        struct mali_warp *warp = mali_rig_begin();
        for (unsigned i = 0; i < 64; i++) {
            mali_warp_row(warp, 60)[i] = 0xf;
            mali_warp_row(warp, 61)[i] = i;
            mali_warp_row(warp, 9)[i] = 0;
        }
        warp->covered = ~(uint64_t)0xf0; /* four helpers; lane 0 is discarded */
        assert_true(mali_sc_run(warp));
        assert_int_equal(seen.blends, 1);
        assert_int_equal(seen.lanes, ~(uint64_t)0xf1);
        assert_int_equal(seen.coverage[3], 0x5);
        assert_int_equal(seen.descriptor[0], 0x00abcdef);
        assert_int_equal(seen.descriptor[1], 0x12345678);
        assert_int_equal(seen.colour[0], 6);
        assert_int_equal(seen.colour[1], 11);
        assert_int_equal(mali_rig_lane(warp, 9, 3), round ? 2 : 1);
        assert_int_equal(mali_rig_lane(warp, 9, 4), 0);
        assert_int_equal(warp->discarded, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(instructions_compute, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(pairs_of_registers_compute, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(logarithms_and_powers, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(uniforms_are_those_of_the_launch, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(lanes_of_a_warp_see_each_other, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(lanes_see_what_they_ask_for, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(lanes_leave_a_loop, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(lanes_part_and_join, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(a_shader_is_called_and_returns, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(what_is_no_instruction_stops, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(memory_is_read_and_written, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(atomics_return_what_was_there, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(atomics_of_lanes_are_in_order, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(an_address_that_is_not_mapped_faults, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(buffers_are_found_in_tables, mali_rig_setup, mali_rig_teardown),
        cmocka_unit_test_setup_teardown(fragments_are_tested_and_blended, mali_rig_setup, mali_rig_teardown),
    };
    return host_level_runs() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
