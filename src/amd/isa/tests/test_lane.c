/* The meanings of ALU instructions, as statements about the hardware with expected values written by hand or computed
 * another way. Every case runs the generated vector code over 32 lanes, once with all of them active and once with
 * every other one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amd/isa/lane.h"
#include "amd/isa/lane/lane_functions.h"
#include "amd/isa/lane/lane_ops.h"
#include "amd/isa/lane_env.h"
#include "util/half.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum kind {
    KIND_scalar,
    KIND_vector,
    KIND_wave,
};

static const struct {
    const char *name;
    enum kind kind;
    enum lane_fp_class fp_class;
    void *fn;
} functions[] = {
#define FN_scalar(name) sop_##name
#define FN_vector(name) vec_##name
#define FN_wave(name) vec_##name
#define ROW(name, format, kind, fp_class) {#name, KIND_##kind, fp_class, (void *)FN_##kind(name)},
    LANE_FUNCTIONS(ROW)
#undef ROW
};

/* MODE: all denormals kept, DX10 clamp and IEEE on; and the same with f32 denormals flushed, as graphics drivers set
 * it. */
enum {
    MODE_KEEP = 0x3f0,
    MODE_FLUSH_F32 = 0x3c0,
    MODE_NOT_IEEE = 0x1f0,
    ROUND_F32_UP = 1,
    ROUND_F32_DOWN = 2,
    ROUND_F32_ZERO = 3,
    ROUND_F16_UP = 4,
    ROUND_F16_DOWN = 8,
    ROUND_F16_ZERO = 12,
};

/* What a case sets besides its sources; state_reset puts it back. */
static struct {
    uint32_t mode;
    uint64_t d;
    bool mask, vcc, clamp, scc;
    uint64_t exec, pc;
    uint32_t m0, imm, imm32;
} state;

static void state_reset(void)
{
    memset(&state, 0, sizeof(state));
    state.mode = MODE_KEEP;
    state.d = 0xdeadbeefcafef00dull;
    state.pc = 0x1000;
    state.exec = ~0ull;
}

static int find(const char *name)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!strcmp(functions[i].name, name))
            return (int)i;
    fail_msg("%s has no function", name);
    return 0;
}

struct rows {
    uint32_t d[4][32], s[3][4][32];
};

static void fill(uint32_t rows[4][32], uint64_t value)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t word = 0; word < 4; word++)
            rows[word][lane] = (uint32_t)(value >> (word & 1) * 32);
}

/* Runs a vector instruction; gives lane 0's result (and its bit of the mask) after checking that the others have the
 * same. */
static uint64_t run_vector(int index, const uint64_t s[3], uint32_t exec, bool *mask_out)
{
    static struct rows r;
    const struct lane_mode mode = lane_mode_unpack(state.mode);
    fill(r.d, state.d);
    for (int i = 0; i < 3; i++)
        fill(r.s[i], s[i]);
    struct lane_vector a = {
        .d = r.d[0],
        .s0 = r.s[0][0],
        .s1 = r.s[1][0],
        .s2 = r.s[2][0],
        .row = 32,
        .exec = exec,
        .vcc = state.vcc ? UINT32_MAX : 0,
        .mask = state.mask ? UINT32_MAX : 0,
        .clamp = state.clamp,
        .k = state.imm32,
        .m0 = state.m0,
        .mode = &mode,
    };
    const uint64_t before = lane_env_get();
    lane_env_set(lane_env_of(&mode, functions[index].fp_class));
    ((lane_vector_fn *)functions[index].fn)(&a);
    lane_env_set(before);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const bool on = exec >> lane & 1;
        const uint64_t kept = lane_pair((uint32_t)state.d, (uint32_t)(state.d >> 32));
        const uint64_t first = lane_pair(r.d[0][0], r.d[1][0]), mine = lane_pair(r.d[0][lane], r.d[1][lane]);
        if (mine != (on ? first : kept))
            fail_msg("%s: lane %u of exec %08x has %016llx", functions[index].name, lane, exec,
                     (unsigned long long)mine);
        if ((a.mask_out >> lane & 1) != (on ? a.mask_out & 1 : 0) ||
            (a.exec_out >> lane & 1) != (on ? a.exec_out & 1 : 0))
            fail_msg("%s: bit %u of exec %08x is wrong", functions[index].name, lane, exec);
    }
    *mask_out = (a.mask_out | a.exec_out) & 1;
    return lane_pair(r.d[0][0], r.d[1][0]);
}

static unsigned checks;

/* width: bits of d that the case states. */
static void check_vector(int line, const char *name, uint32_t width, uint64_t expected, int expected_mask,
                         const uint64_t s[3])
{
    const int index = find(name);
    const uint64_t ones = width == 64 ? ~0ull : (1ull << width) - 1;
    for (int half = 0; half < 2; half++) {
        bool mask;
        const uint64_t got = run_vector(index, s, half ? 0x55555555u : UINT32_MAX, &mask) & ones;
        if (width && got != (expected & ones))
            fail_msg("line %d: %s gives %llx, not %llx", line, name, (unsigned long long)got,
                     (unsigned long long)expected);
        if (expected_mask >= 0 && mask != expected_mask)
            fail_msg("line %d: %s gives the bit %d", line, name, mask);
    }
    checks++;
}

#define SOURCES(...)                                                                                                   \
    (const uint64_t[4])                                                                                                \
    {                                                                                                                  \
        __VA_ARGS__, 0                                                                                                 \
    }
#define V16(name, expected, ...) check_vector(__LINE__, name, 16, expected, -1, SOURCES(__VA_ARGS__))
#define V(name, expected, ...) check_vector(__LINE__, name, 32, expected, -1, SOURCES(__VA_ARGS__))
#define V64(name, expected, ...) check_vector(__LINE__, name, 64, expected, -1, SOURCES(__VA_ARGS__))
#define VM(name, expected, mask, ...) check_vector(__LINE__, name, 32, expected, mask, SOURCES(__VA_ARGS__))
#define VM64(name, expected, mask, ...) check_vector(__LINE__, name, 64, expected, mask, SOURCES(__VA_ARGS__))
#define CMP(name, mask, ...) check_vector(__LINE__, name, 0, 0, mask, SOURCES(__VA_ARGS__))

static uint32_t f(float x)
{
    return float_bits(x);
}

static uint64_t g(double x)
{
    return lane_bits_f64(x);
}

/* --- scalar instructions --- */

static struct lane_scalar scalar;
static uint32_t sgprs[8], last_hwreg, last_value, last_counter;

static uint32_t test_getreg(struct lane_scalar *a, uint32_t hwreg)
{
    (void)a;
    return hwreg + 0x10000;
}

static void test_setreg(struct lane_scalar *a, uint32_t hwreg, uint32_t value)
{
    (void)a;
    last_hwreg = hwreg;
    last_value = value;
}

static void test_wait(struct lane_scalar *a, uint32_t counter, uint32_t base, uint32_t limit)
{
    (void)a, (void)base;
    last_counter = counter;
    last_value = limit;
}

static const struct lane_services services = {test_getreg, test_setreg, test_wait};

static void run_scalar(const char *name, uint64_t s0, uint64_t s1)
{
    const struct lane_mode mode = lane_mode_unpack(state.mode);
    scalar = (struct lane_scalar){
        .d = state.d,
        .s0 = s0,
        .s1 = s1,
        .imm = state.imm,
        .imm32 = state.imm32,
        .d_index = 1,
        .s0_index = 2,
        .sgpr = sgprs,
        .sgpr_count = 8,
        .exec = state.exec,
        .vcc = 0,
        .pc = state.pc,
        .m0 = state.m0,
        .scc = state.scc,
        .priv = true,
        .mode = &mode,
        .services = &services,
    };
    ((lane_scalar_fn *)functions[find(name)].fn)(&scalar);
}

static void check_scalar(int line, const char *name, uint64_t expected, int scc, uint64_t s0, uint64_t s1)
{
    run_scalar(name, s0, s1);
    if (scalar.d != expected)
        fail_msg("line %d: %s gives %llx, not %llx", line, name, (unsigned long long)scalar.d,
                 (unsigned long long)expected);
    if (scc >= 0 && scalar.scc != scc)
        fail_msg("line %d: %s gives scc %d", line, name, scalar.scc);
    checks++;
}

#define S(name, expected, scc, s0, s1) check_scalar(__LINE__, name, expected, scc, s0, s1)
#define SCC(name, scc, s0, s1) check_scalar(__LINE__, name, state.d, scc, s0, s1)

static void scalar_arithmetic(void **unused)
{
    (void)unused;
    state_reset();
    S("s_add_u32", 0, 1, 0xffffffff, 1);
    S("s_add_u32", 0xffffffff, 0, 0xfffffffe, 1);
    S("s_sub_u32", 0xffffffff, 1, 0, 1);
    S("s_sub_u32", 0, 0, 5, 5);
    S("s_add_i32", 0x80000000, 1, 0x7fffffff, 1);
    S("s_add_i32", 0, 0, 0xffffffff, 1);
    S("s_add_i32", 0x7fffffff, 1, 0x80000000, 0xffffffff);
    S("s_sub_i32", 0x7fffffff, 1, 0x80000000, 1);
    S("s_sub_i32", 0x80000000, 1, 0, 0x80000000);
    state.scc = true;
    S("s_addc_u32", 0, 1, 0xffffffff, 0);
    S("s_addc_u32", 0xffffffff, 1, 0xffffffff, 0xffffffff);
    S("s_subb_u32", 0xffffffff, 1, 5, 5);
    S("s_subb_u32", 0, 0, 0xffffffff, 0xfffffffe);
    S("s_subb_u32", 0xffffffff, 1, 0xffffffff, 0xffffffff);
    S("s_cselect_b32", 7, 1, 7, 8);
    S("s_cselect_b64", 0x700000000, 1, 0x700000000, 8);
    S("s_cmov_b32", 7, 1, 7, 0);
    state.scc = false;
    S("s_addc_u32", 0xffffffff, 0, 0xffffffff, 0);
    S("s_subb_u32", 0, 0, 5, 5);
    S("s_cselect_b32", 8, 0, 7, 8);
    S("s_cmov_b64", 0xdeadbeefcafef00d, 0, 7, 0);
    S("s_min_i32", 0xffffffff, 1, 0xffffffff, 1);
    S("s_min_u32", 1, 0, 0xffffffff, 1);
    S("s_max_i32", 1, 0, 0xffffffff, 1);
    S("s_max_u32", 0xffffffff, 1, 0xffffffff, 1);
    S("s_mul_i32", 0xfffffffe, -1, 0x7fffffff, 2);
    S("s_mul_hi_u32", 0xfffffffe, -1, 0xffffffff, 0xffffffff);
    S("s_mul_hi_i32", 0, -1, 0xffffffff, 0xffffffff);
    S("s_absdiff_i32", 0x80000000, 1, 0x80000000, 0); /* the difference wraps, then its sign goes */
    S("s_absdiff_i32", 0x7fffffff, 1, 0x80000000, 1);
    S("s_absdiff_i32", 0x7ffffffe, 1, 0x80000000, 0xfffffffe);
    S("s_absdiff_i32", 0, 0, 3, 3);
    S("s_lshl1_add_u32", 1, 1, 0x80000000, 1);
    S("s_lshl4_add_u32", 0xffffffff, 0, 0x0fffffff, 15);
    S("s_abs_i32", 0x80000000, 1, 0x80000000, 0);
    S("s_abs_i32", 5, 1, 0xfffffffb, 0);
}

static void scalar_bits(void **unused)
{
    (void)unused;
    state_reset();
    S("s_lshl_b32", 2, 1, 1, 33);
    S("s_lshl_b64", 0x8000000000000000, 1, 1, 63);
    S("s_lshl_b64", 1, 1, 1, 64);
    S("s_lshr_b32", 0x80000000, 1, 0x80000000, 32);
    S("s_ashr_i32", 0xffffffff, 1, 0x80000000, 31);
    S("s_ashr_i64", 0xffffffffffffffff, 1, 0x8000000000000000, 63);
    S("s_andn2_b32", 0xf0, 1, 0xff, 0x0f);
    S("s_orn2_b64", 0xfffffffffffffff0, 1, 0, 0x0f);
    S("s_nand_b32", 0, 0, 0xffffffff, 0xffffffff);
    S("s_nor_b64", 0xfffffffffffffffe, 1, 1, 0);
    S("s_xnor_b32", 0, 0, 0xffffffff, 0);
    S("s_bfm_b32", 0x00000ff0, -1, 8, 4);
    S("s_bfm_b32", 0, -1, 32, 4);
    S("s_bfm_b64", 0xff00000000, -1, 8, 32);
    S("s_bfe_u32", 0x5, 1, 0x00000a50, 4 | 4 << 16);
    S("s_bfe_u32", 0, 0, 0xffffffff, 0);
    S("s_bfe_u32", 0x0fffffff, 1, 0xffffffff, 4 | 64 << 16);
    S("s_bfe_i32", 0xffffffff, 1, 0x00000080, 7 | 1 << 16);
    S("s_bfe_i32", 0xfffffff8, 1, 0x80000000, 28 | 8 << 16);
    S("s_bfe_u64", 0xff, 1, 0xff00000000, 32 | 8 << 16);
    S("s_bfe_i64", 0xffffffffffffffff, 1, 0xff00000000, 32 | 8 << 16);
    S("s_pack_ll_b32_b16", 0x56781234, -1, 0xffff1234, 0xffff5678);
    S("s_pack_lh_b32_b16", 0x56781234, -1, 0xffff1234, 0x5678ffff);
    S("s_pack_hh_b32_b16", 0x56781234, -1, 0x1234ffff, 0x5678ffff);
    S("s_not_b32", 0, 0, 0xffffffff, 0);
    S("s_brev_b32", 0x80000000, -1, 1, 0);
    S("s_brev_b64", 0x4000000000000000, -1, 2, 0);
    S("s_bcnt0_i32_b32", 32, 1, 0, 0);
    S("s_bcnt1_i32_b64", 64, 1, ~0ull, 0);
    S("s_bcnt1_i32_b32", 0, 0, 0, 0);
    S("s_ff0_i32_b32", 0xffffffff, -1, 0xffffffff, 0);
    S("s_ff0_i32_b64", 3, -1, 0xfffffffffffffff7, 0);
    S("s_ff1_i32_b32", 4, -1, 0x30, 0);
    S("s_ff1_i32_b64", 0xffffffff, -1, 0, 0);
    S("s_flbit_i32_b32", 0, -1, 0x80000000, 0);
    S("s_flbit_i32_b32", 0xffffffff, -1, 0, 0);
    S("s_flbit_i32_b64", 63, -1, 1, 0);
    S("s_flbit_i32", 0xffffffff, -1, 0xffffffff, 0);
    S("s_flbit_i32", 31, -1, 1, 0);
    S("s_flbit_i32", 4, -1, 0xf0000000 | 0x7ffffff, 0);
    S("s_flbit_i32_i64", 0xffffffff, -1, 0, 0);
    S("s_sext_i32_i8", 0xffffff80, -1, 0x12345680, 0);
    S("s_sext_i32_i16", 0x00007fff, -1, 0xffff7fff, 0);
    S("s_wqm_b32", 0xf00000f0, 1, 0x10000040, 0);
    S("s_wqm_b64", 0xf000000000000000, 1, 0x8000000000000000, 0);
    S("s_quadmask_b32", 0x82, 1, 0x10000040, 0);
    S("s_quadmask_b64", 0xffff, 1, 0x8421842184218421, 0);
    S("s_bitreplicate_b64_b32", 0xc00000000000000f, -1, 0x80000003, 0);
    state.d = 0xff;
    S("s_bitset0_b32", 0xfe, -1, 32, 0);
    S("s_bitset1_b64", 0x80000000000000ff, -1, 63, 0);
    state_reset();
    SCC("s_bitcmp0_b32", 1, 2, 32);
    SCC("s_bitcmp1_b32", 1, 2, 33);
    SCC("s_bitcmp1_b64", 1, 1ull << 40, 40);
    SCC("s_cmp_lt_i32", 1, 0xffffffff, 0);
    SCC("s_cmp_lt_u32", 0, 0xffffffff, 0);
    SCC("s_cmp_eq_u64", 0, 1ull << 32, 0);
    SCC("s_cmp_lg_u64", 1, 1ull << 32, 0);
    SCC("s_cmp_ge_i32", 1, 5, 5);
    SCC("s_cmp_le_u32", 1, 5, 5);
}

static void scalar_control(void **unused)
{
    (void)unused;
    state_reset();
    state.exec = 0xff00;
    S("s_and_saveexec_b64", 0xff00, 1, 0x0ff0, 0);
    assert_int_equal(scalar.exec, 0x0f00);
    S("s_andn2_saveexec_b64", 0xff00, 1, 0x0ff0, 0);
    assert_int_equal(scalar.exec, 0x00f0);
    S("s_andn1_saveexec_b64", 0xff00, 1, 0x0ff0, 0);
    assert_int_equal(scalar.exec, 0xf000);
    S("s_andn1_wrexec_b64", 0xf000, 1, 0x0ff0, 0);
    assert_int_equal(scalar.exec, 0xf000);
    S("s_andn2_wrexec_b64", 0, 0, 0xff00, 0);
    assert_int_equal(scalar.exec, 0);
    state.exec = 0xffffffff0000ffff;
    S("s_orn2_saveexec_b32", 0xffff, 1, 0, 0); /* the upper half of exec stays */
    assert_true(scalar.exec == 0xffffffffffff0000);
    S("s_xnor_saveexec_b32", 0xffff, 0, 0xffff0000, 0);
    assert_true(scalar.exec == 0xffffffff00000000);
    S("s_getpc_b64", 0x1000, -1, 0, 0);
    S("s_swappc_b64", 0x1000, -1, 0x2000, 0);
    assert_int_equal(scalar.pc, 0x2000);
    state.imm = 0xffff;
    S("s_call_b64", 0x1000, -1, 0, 0);
    assert_int_equal(scalar.pc, 0xffc);
    S("s_movk_i32", 0xffffffff, -1, 0, 0);
    SCC("s_cmpk_eq_i32", 1, 0xffffffff, 0);
    SCC("s_cmpk_eq_u32", 0, 0xffffffff, 0);
    SCC("s_cmpk_gt_u32", 1, 0x10000, 0);
    state.d = 0x80000000;
    S("s_addk_i32", 0x7fffffff, 1, 0, 0);
    S("s_mulk_i32", 0x80000000, -1, 0, 0);
    state.d = 0xdeadbeefcafef00dull;
    S("s_cmovk_i32", 0xcafef00d, 0, 0, 0);
    run_scalar("s_rfe_b64", 0x3000, 0);
    assert_true(scalar.pc == 0x3000 && !scalar.priv);
    state.imm = 0x1801;
    S("s_getreg_b32", 0x11801, -1, 0, 0);
    run_scalar("s_setreg_b32", 5, 0);
    assert_true(last_hwreg == 0x1801 && last_value == 5);
    state.imm32 = 9;
    run_scalar("s_setreg_imm32_b32", 5, 0);
    assert_int_equal(last_value, 9);
    run_scalar("s_waitcnt_lgkmcnt", 0, 0);
    assert_true(last_counter == LANE_LGKMCNT && last_value == 0x1801);
    for (uint32_t i = 0; i < 8; i++)
        sgprs[i] = 0x100 + i;
    state.m0 = 3;
    S("s_movrels_b32", 0x105, -1, 0, 0);
    S("s_movrels_b64", 0x10600000105, -1, 0, 0);
    run_scalar("s_movreld_b32", 0x77, 0);
    assert_int_equal(sgprs[4], 0x77);
    state.m0 = 5 << 16 | 1;
    run_scalar("s_movrelsd_2_b32", 0, 0);
    assert_int_equal(sgprs[6], 0x103);
    state.m0 = 100;
    run_scalar("s_movreld_b64", 0x77, 0);
    assert_true(scalar.out_of_range);
}

/* Both halves, one after the other, then on. */
static void scalar_subvector_loop(void **unused)
{
    (void)unused;
    state_reset();
    state.imm = 0x10;
    state.exec = 0;
    run_scalar("s_subvector_loop_begin", 0, 0);
    assert_int_equal(scalar.pc, 0x1040);
    state.exec = 0x000000ff00000000;
    run_scalar("s_subvector_loop_begin", 0, 0);
    assert_true(scalar.pc == 0x1000 && scalar.exec == 0x000000ff00000000 && (uint32_t)scalar.d == 0);
    state.exec = 0x000000ff0000000f;
    run_scalar("s_subvector_loop_begin", 0, 0);
    assert_true(scalar.pc == 0x1000 && scalar.exec == 0x0f && (uint32_t)scalar.d == 0xff);
    state.exec = scalar.exec;
    state.d = (uint32_t)scalar.d;
    run_scalar("s_subvector_loop_end", 0, 0);
    assert_true(scalar.pc == 0x1040 && scalar.exec == 0x000000ff00000000 && (uint32_t)scalar.d == 0x0f);
    state.exec = scalar.exec;
    state.d = (uint32_t)scalar.d;
    run_scalar("s_subvector_loop_end", 0, 0);
    assert_true(scalar.pc == 0x1000 && scalar.exec == 0x000000ff0000000f);
    checks += 5;
}

/* --- vector integers --- */

static void vector_integers(void **unused)
{
    (void)unused;
    state_reset();
    V("v_add_nc_u32", 0, 0xffffffff, 1);
    V("v_sub_nc_u32", 0xffffffff, 0, 1);
    V("v_subrev_nc_u32", 1, 0, 1);
    V("v_lshlrev_b32", 0x80000000, 63, 1);
    V("v_lshrrev_b32", 0x12345678, 32, 0x12345678);
    V("v_ashrrev_i32", 0xffffffff, 31, 0x80000000);
    V("v_lshlrev_b64", 0, 64 + 1, 0x8000000000000000);
    V64("v_lshlrev_b64", 0x8000000000000000, 63, 1);
    V64("v_lshrrev_b64", 1, 127, 0x8000000000000000);
    V64("v_ashrrev_i64", 0xffffffffffffffff, 63, 0x8000000000000000);
    V("v_mul_lo_u32", 1, 0xffffffff, 0xffffffff);
    V("v_mul_hi_u32", 0xfffffffe, 0xffffffff, 0xffffffff);
    V("v_mul_hi_i32", 0xffffffff, 0xffffffff, 1);
    V("v_mul_i32_i24", 0x00000001, 0xffffff, 0xffffffff);
    V("v_mul_i32_i24", 0x80000000, 0x00800000, 0x00000100);
    V("v_mul_hi_i32_i24", 0xffffffff, 0x00800000, 1);
    V("v_mul_u32_u24", 0xfe000001, 0xffffffff, 0xffffff);
    V("v_mul_hi_u32_u24", 0xffff, 0xffffff, 0xffffff);
    V("v_mad_u32_u24", 0xfe000003, 0xffffff, 0xffffff, 2);
    V("v_mad_i32_i24", 0xffffffff, 0xffffff, 1, 0);
    V("v_bfe_u32", 0, 0xffffffff, 4, 0);
    V("v_bfe_u32", 0, 0xffffffff, 4, 32);
    V("v_bfe_u32", 0x3, 0xffffffff, 30, 8);
    V("v_bfe_i32", 0xffffffff, 0x80, 7, 1);
    V("v_bfe_i32", 0xfffffffe, 0x80000000, 30, 8);
    V("v_bfi_b32", 0x1234ffff, 0xffff0000, 0x12345678, 0xffffffff);
    V("v_bfm_b32", 0x00fff000, 12, 12);
    V("v_alignbit_b32", 0x56789abc, 0x01234567, 0x89abcdef, 32 + 12);
    V("v_alignbit_b32", 0x89abcdef, 0x01234567, 0x89abcdef, 32);
    V("v_alignbyte_b32", 0x6789abcd, 0x01234567, 0x89abcdef, 1);
    V("v_alignbyte_b32", 0x89abcdef, 0x01234567, 0x89abcdef, 4);
    V("v_perm_b32", 0x01ef00ff, 0x01234567, 0x89abcdef, 0x07000c0d);
    V("v_perm_b32", 0x00ffffff, 0x01234567, 0x89abcdef, 0x0b0908ff);
    V("v_lerp_u8", 0xff018001, 0xff010001, 0xff01ff01, 0x01010100);
    V("v_sad_u8", 0x3fc + 1, 0xffffffff, 0, 1);
    V("v_sad_hi_u8", 0x00040001, 0x01010101, 0, 1);
    V("v_sad_u16", 0x1fffe, 0xffff0000, 0x0000ffff, 0);
    V("v_sad_u32", 0xfffffffb, 0xfffffffb, 0, 0); /* an unsigned distance */
    V("v_msad_u8", 0x0f, 0xffffff10, 0x00000001, 0);
    V("v_bcnt_u32_b32", 32 + 5, 0xffffffff, 5);
    V("v_ffbh_u32", 0xffffffff, 0);
    V("v_ffbh_u32", 31, 1);
    V("v_ffbl_b32", 0xffffffff, 0);
    V("v_ffbl_b32", 31, 0x80000000);
    V("v_ffbh_i32", 0xffffffff, 0xffffffff);
    V("v_ffbh_i32", 1, 0x80000000);
    V("v_bfrev_b32", 0x1e6a2c48, 0x12345678);
    V("v_xad_u32", 0, 0xf0, 0x0f, 0xffffff01);
    V("v_lshl_add_u32", 0x101, 1, 40, 1);
    V("v_add_lshl_u32", 0x300, 1, 2, 40);
    V("v_and_or_b32", 0x1f, 0x0f, 0xff, 0x10);
    V("v_lshl_or_b32", 0x111, 1, 36, 0x101);
    V("v_xor3_b32", 0x96, 0xf0, 0x66, 0);
    V("v_med3_i32", 0xffffffff, 0xfffffffe, 5, 0xffffffff);
    V("v_med3_u32", 0xfffffffe, 0xfffffffe, 5, 0xffffffff);
    V("v_min3_i32", 0xfffffffe, 0xfffffffe, 5, 0xffffffff);
    V("v_max3_u32", 0xffffffff, 0xfffffffe, 5, 0xffffffff);
    V("v_cvt_pk_u16_u32", 0xffff0005, 5, 0x10000);
    V("v_cvt_pk_i16_i32", 0x7fff8000, 0xffff0000, 0x8000);
    V("v_sat_pk_u8_i16", 0x0000ff00, 0x01008000);
    V("v_sat_pk_u8_i16", 0x00007f80, 0x007f0080);
    V64("v_qsad_pk_u16_u8", 0x000400040004000a, 0x0101010101010101, 0, 6);
    V64("v_mqsad_pk_u16_u8", 0, 0x0101010101010101, 0, 0);
    V64("v_mqsad_u32_u8", 0x0000000400000004, 0x0505050505050505, 0x04040404, 0);
}

static void vector_carry_and_clamp(void **unused)
{
    (void)unused;
    state_reset();
    VM("v_add_co_u32", 0, 1, 0xffffffff, 1);
    VM("v_add_co_u32", 0xffffffff, 0, 0xfffffffe, 1);
    VM("v_sub_co_u32", 0xffffffff, 1, 0, 1);
    VM("v_subrev_co_u32", 1, 0, 0, 1);
    VM("v_subrev_co_u32", 0xffffffff, 1, 1, 0);
    VM("v_add_co_ci_u32", 0, 1, 0xffffffff, 1);
    VM("v_sub_co_ci_u32", 0, 0, 5, 5);
    state.mask = true;
    VM("v_add_co_ci_u32", 0, 1, 0xffffffff, 0);
    VM("v_add_co_ci_u32", 0xffffffff, 1, 0xffffffff, 0xffffffff);
    VM("v_sub_co_ci_u32", 0xffffffff, 1, 5, 5);
    VM("v_sub_co_ci_u32", 0, 0, 6, 5);
    VM("v_subrev_co_ci_u32", 0xffffffff, 1, 5, 5);
    VM("v_subrev_co_ci_u32", 0, 0, 0, 1);
    V("v_cndmask_b32", 8, 7, 8);
    state.mask = false;
    V("v_cndmask_b32", 7, 7, 8);
    VM64("v_mad_u64_u32", 0, 1, 0xffffffff, 0xffffffff, 0x00000001ffffffff);
    VM64("v_mad_u64_u32", 0xfffffffe00000001, 0, 0xffffffff, 0xffffffff, 0);
    VM64("v_mad_i64_i32", 1, 0, 0xffffffff, 0xffffffff, 0);
    VM64("v_mad_i64_i32", 0xffffffffffffffff, 1, 0xffffffff, 1, 0);
    VM64("v_mad_i64_i32", 0x8000000000000000, 0, 1, 1, 0x7fffffffffffffff);
    state.clamp = true;
    V("v_add_nc_u32", 0xffffffff, 0xffffffff, 1);
    V("v_sub_nc_u32", 0, 0, 1);
    V("v_add_nc_i32", 0x7fffffff, 0x7fffffff, 1);
    V("v_sub_nc_i32", 0x80000000, 0x80000000, 1);
    V("v_mad_u32_u24", 0xffffffff, 0xffffff, 0xffffff, 0xffffffff);
    V("v_mul_i32_i24", 0x7fffffff, 0x7fffff, 0x7fffff);
    VM("v_add_co_u32", 0xffffffff, 1, 0xffffffff, 5);
    VM64("v_mad_u64_u32", ~0ull, 1, 0xffffffff, 0xffffffff, 0x00000001ffffffff);
    VM64("v_mad_i64_i32", 0x7fffffffffffffff, 0, 1, 1, 0x7fffffffffffffff);
    V("v_pk_add_u16", 0xffff0003, 0xfffe0001, 0x00020002);
    V("v_pk_sub_u16", 0x00000001, 0x00010003, 0x00020002);
    V("v_pk_add_i16", 0x7fff8000, 0x7fff8000, 0x0001ffff);
    V("v_pk_sub_i16", 0x80007fff, 0x80007fff, 0x0001ffff);
    V("v_pk_mad_u16", 0xffff0007, 0xffff0002, 0xffff0003, 0x00000001);
    V("v_pk_mad_i16", 0x7fff8000, 0x7fff7fff, 0x7fff8000, 0);
    V16("v_mad_u16", 0xffff, 0xffff, 2, 0);
    V16("v_mad_i16", 0x8000, 0x8000, 2, 0);
    V16("v_add_nc_u16", 0xffff, 0xffff, 2);
    V16("v_sub_nc_u16", 0, 1, 2);
    V16("v_add_nc_i16", 0x7fff, 0x7fff, 2);
    V16("v_sub_nc_i16", 0x8000, 0x8000, 2);
    V("v_dot4_i32_i8", 0x7fffffff, 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff);
    V("v_dot4_u32_u8", 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    V("v_dot2_u32_u16", 0xffffffff, 0xffffffff, 0xffffffff, 0);
    V("v_dot2_i32_i16", 0x7fffffff, 0x80008000, 0x80008000, 0);
    V("v_sad_u8", 0xffffffff, 0xffffffff, 0, 0xffffffff);
    state.clamp = false;
    V("v_pk_add_u16", 0x00000003, 0xfffe0001, 0x00020002);
    V("v_dot4_i32_i8", (uint32_t)(-4 * 128), 0x80808080, 0x01010101, 0);
    V("v_dot4_u32_u8", 4u * 128, 0x80808080, 0x01010101, 0);
    V("v_dot8_i32_i4", (uint32_t)(-8 * 8), 0x88888888, 0x11111111, 0);
    V("v_dot8_u32_u4", 8u * 225, 0xffffffff, 0xffffffff, 0);
    V("v_dot2_i32_i16", 0x80000000, 0x80008000, 0x80008000, 0);
    V("v_dot2_u32_u16", 0xfffc0002, 0xffffffff, 0xffffffff, 0);
    state.d = 100;
    V("v_dot4c_i32_i8", 96, 0x01010101, 0xffffffff);
}

static void vector_halves_of_registers(void **unused)
{
    (void)unused;
    state_reset();
    state.d = 0x11112222;
    V("v_add_f16", 0x11114000, 0x3c00, 0x3c00); /* the other half stays */
    V("v_mul_lo_u16", 0x11110001, 0xffff, 0xffff);
    V("v_lshlrev_b16", 0x11118000, 31, 1);
    V("v_lshrrev_b16", 0x11110001, 15, 0x8000);
    V("v_ashrrev_i16", 0x1111ffff, 15, 0x8000);
    V("v_max_i16", 0x11110001, 0xffff, 1);
    V("v_max_u16", 0x1111ffff, 0xffff, 1);
    V("v_med3_i16", 0x11110000, 0xffff, 0, 1);
    V("v_mad_u16", 0x11110000, 0xffff, 2, 2);
    V("v_mad_u32_u16", 0xfffe0002, 0xffff, 0xffff, 1);
    V("v_mad_i32_i16", 0xffffffff, 0xffff, 1, 0);
    V("v_pk_mul_lo_u16", 0x00010004, 0xffff0002, 0xffff0002);
    V("v_pk_lshlrev_b16", 0x00028000, 0x0011001f, 0x00010001);
    V("v_pk_lshrrev_b16", 0x40000001, 0x0001000f, 0x80008000);
    V("v_pk_ashrrev_i16", 0xc000ffff, 0x0001000f, 0x80008000);
    V("v_pk_max_i16", 0x00010000, 0x0001ffff, 0x00000000);
    V("v_pk_min_u16", 0x00000000, 0x0001ffff, 0x00000000);
    V("v_pk_add_f16", 0x40003c00, 0x3c003800, 0x3c003800);
    V("v_pk_fma_f16", 0x44003c00, 0x40003800, 0x3c003800, 0x40003a00);
    V("v_pack_b32_f16", 0x3c008001, 0x8001, 0x3c00);
    V("v_cvt_pkrtz_f16_f32", 0x7bff3bff, f(0.9999999f), f(70000.0f));
    V("v_cvt_pknorm_i16_f32", 0x80017fff, f(1.0f), f(-1.0f));
    V("v_cvt_pknorm_u16_f32", 0x00008000, f(0.5f), f(-3.0f));
    V("v_cvt_pknorm_i16_f16", 0x00004000, 0x3800, 0x7e00);
    V("v_cvt_pk_u8_f32", 0x1234ff78, f(300.0f), 1, 0x12345678);
    V("v_cvt_pk_u8_f32", 0x02345678, f(2.5f), 3, 0x12345678);
    state.mode |= ROUND_F32_UP;
    V("v_cvt_pk_u8_f32", 0x03345678, f(2.5f), 7, 0x12345678);
}

/* --- floats --- */

static void float_min_max(void **unused)
{
    const uint32_t qnan = 0x7fc00001, snan = 0x7f800001, pos0 = 0, neg0 = 0x80000000;
    (void)unused;
    state_reset();
    V("v_min_f32", f(1.0f), f(1.0f), qnan);
    V("v_min_f32", f(1.0f), qnan, f(1.0f));
    V("v_max_f32", f(-1.0f), f(-1.0f), qnan);
    V("v_max_f32", 0x7fc00001, f(1.0f), snan); /* IEEE mode: a signalling NaN wins, quieted */
    V("v_min_f32", 0x7fc00001, snan, f(1.0f));
    V("v_min_f32", neg0, pos0, neg0);
    V("v_min_f32", neg0, neg0, pos0);
    V("v_max_f32", pos0, neg0, pos0);
    V("v_max_f32", pos0, pos0, neg0);
    V("v_min_f32", f(-INFINITY), f(-INFINITY), f(3.0f));
    V("v_max_f32", f(3.0f), f(-INFINITY), f(3.0f));
    V("v_med3_f32", f(2.0f), f(3.0f), f(1.0f), f(2.0f));
    V("v_med3_f32", f(1.0f), qnan, f(1.0f), f(2.0f));
    V("v_med3_f32", f(1.0f), f(2.0f), qnan, f(1.0f));
    V("v_min3_f32", f(-2.0f), f(3.0f), f(-2.0f), qnan);
    V("v_max3_f32", f(3.0f), qnan, f(-2.0f), f(3.0f));
    V64("v_min_f64", g(1.0), 0x7ff8000000000000, g(1.0));
    V64("v_max_f64", 0x7ff8000000000001, 0x7ff0000000000001, g(1.0));
    V64("v_max_f64", 0, g(-0.0), g(0.0));
    V16("v_min_f16", 0x3c00, 0x7e00, 0x3c00);
    V16("v_max_f16", 0x7e01, 0x7c01, 0x3c00);
    V16("v_min_f16", 0x8000, 0, 0x8000);
    V16("v_med3_f16", 0x4000, 0x4200, 0x3c00, 0x4000);
    V("v_min_f32", 1, 1, f(1.0f)); /* denormals count here */
    state.mode = MODE_FLUSH_F32;
    V("v_min_f32", 0, 1, f(1.0f));
    V("v_max_f32", 0x80000000, 0x80000001, f(-1.0f));
    V16("v_min_f16", 1, 1, 0x3c00); /* f16 has a mode of its own */
    state.mode = MODE_NOT_IEEE;
    V("v_max_f32", f(1.0f), f(1.0f), snan);
    V("v_min_f32", f(1.0f), snan, f(1.0f));
}

static void float_arithmetic(void **unused)
{
    (void)unused;
    state_reset();
    V("v_add_f32", f(3.0f), f(1.0f), f(2.0f));
    V("v_subrev_f32", f(1.0f), f(1.0f), f(2.0f));
    V("v_mul_f32", f(INFINITY), f(1e30f), f(1e30f));
    V("v_mul_f32", 1, 0x00800000, f(0x1p-23f));
    V("v_mul_legacy_f32", 0, 0, f(INFINITY));
    V("v_mul_legacy_f32", 0, f(-5.0f), 0);
    V("v_mul_legacy_f32", f(6.0f), f(2.0f), f(3.0f));
    V("v_fma_legacy_f32", f(4.0f), 0, 0x7fc00000, f(4.0f));
    V("v_fma_f32", f(-0x1p-46f), f(1.0f + 0x1p-23f), f(1.0f - 0x1p-23f), f(-1.0f));
    V("v_mullit_f32", 0xff7fffff, f(2.0f), f(3.0f), f(-1.0f));
    V("v_mullit_f32", f(6.0f), f(2.0f), f(3.0f), f(1.0f));
    state.d = f(10.0f);
    V("v_fmac_f32", f(16.0f), f(2.0f), f(3.0f));
    V("v_dot2c_f32_f16", f(16.0f), 0x40003c00, 0x40004000);
    state.imm32 = f(0.5f);
    V("v_fmamk_f32", f(4.0f), f(2.0f), f(3.0f));
    V("v_fmaak_f32", f(6.5f), f(2.0f), f(3.0f));
    state.imm32 = 0x3800;
    V16("v_fmamk_f16", 0x4400, 0x4000, 0x4200);
    state_reset();
    V("v_fma_mix_f32", f(7.0f), f(2.0f), f(3.0f), f(1.0f));
    state.d = 0x11112222;
    V("v_fma_mixlo_f16", 0x11114700, f(2.0f), f(3.0f), f(1.0f));
    V("v_fma_mixhi_f16", 0x47002222, f(2.0f), f(3.0f), f(1.0f));
    state.clamp = true;
    V("v_fma_mixhi_f16", 0x3c002222, f(2.0f), f(3.0f), f(1.0f));
    V("v_fma_mixlo_f16", 0x11110000, 0x7fc00000, f(3.0f), f(1.0f));
    state_reset();
    V("v_dot2_f32_f16", f(5.5f), 0x40003c00, 0x40003800, f(1.0f));
    V64("v_add_f64", g(0.30000000000000004), g(0.1), g(0.2));
    V64("v_fma_f64", g(-0x1p-104), g(1.0 + 0x1p-52), g(1.0 - 0x1p-52), g(-1.0));
    V64("v_mul_f64", 1, 0x0010000000000000, g(0x1p-52));
    state.mode = MODE_FLUSH_F32;
    V("v_mul_f32", 0, 0x00800000, f(0.5f)); /* a result flushed */
    V("v_add_f32", 0x80000000, 0x80000001, 0x80000001);
    V("v_add_f32", 0x00800000, 0x00800000, 1); /* a source flushed */
    V64("v_mul_f64", 1, 0x0010000000000000, g(0x1p-52));
    V16("v_mul_f16", 0x0200, 0x0400, 0x3800);
    CMP("v_cmp_eq_f32", 1, 1, 0);
    state.mode = 0x330; /* f16 and f64 flushed, f32 kept */
    V16("v_mul_f16", 0, 0x0400, 0x3800);
    V64("v_mul_f64", 0, 0x0010000000000000, g(0.5));
    V("v_mul_f32", 0x00400000, 0x00800000, f(0.5f));
    CMP("v_cmp_eq_f32", 0, 1, 0);
    state.mode = MODE_KEEP | ROUND_F32_UP;
    V("v_add_f32", 0x3f800001, f(1.0f), f(0x1p-30f));
    V("v_cvt_f32_i32", 0x4b800001, 0x1000001);
    state.mode = MODE_KEEP | ROUND_F32_ZERO;
    V("v_add_f32", 0x3f7fffff, f(1.0f), f(-0x1p-30f));
    V("v_mul_f32", 0x7f7fffff, f(1e30f), f(1e30f));
    state.mode = MODE_KEEP | ROUND_F16_DOWN;
    V("v_add_f32", f(1.0f), f(1.0f), f(-0x1p-30f));
    V64("v_add_f64", 0x3fefffffffffffff, g(1.0), g(-0x1p-70));
    V16("v_add_f16", 0xbc01, 0xbc00, 0x8001);
}

static void float_conversions(void **unused)
{
    (void)unused;
    state_reset();
    V("v_cvt_i32_f32", 0x7fffffff, f(3e9f));
    V("v_cvt_i32_f32", 0x80000000, f(-3e9f));
    V("v_cvt_i32_f32", 0, 0x7fc00000);
    V("v_cvt_i32_f32", 0xffffffff, f(-1.9f));
    V("v_cvt_i32_f32", 0x80000000, f(-0x1p31f));
    V("v_cvt_u32_f32", 0, f(-5.0f));
    V("v_cvt_u32_f32", 0xffffffff, f(5e9f));
    V("v_cvt_u32_f32", 0xffffff00, f(4294967040.0f));
    V("v_cvt_u32_f32", 0, 0xffc00000);
    V("v_cvt_u32_f32", 0xffffffff, f(INFINITY));
    V("v_cvt_i32_f64", 0x80000000, g(-2147483648.9));
    V("v_cvt_i32_f64", 0x7fffffff, g(2147483647.9));
    V("v_cvt_i32_f64", 0x7fffffff, g(INFINITY));
    V("v_cvt_u32_f64", 0xffffffff, g(4294967295.5));
    V("v_cvt_u32_f64", 0, g(-0.9));
    V64("v_cvt_f64_i32", g(-2147483648.0), 0x80000000);
    V64("v_cvt_f64_u32", g(4294967295.0), 0xffffffff);
    V64("v_cvt_f64_f32", g(0x1p-149), 1);
    V("v_cvt_f32_f64", 1, g(0x1p-149));
    V("v_cvt_f32_f64", f(INFINITY), g(1e300));
    V("v_cvt_f32_u32", f(4294967296.0f), 0xffffffff);
    V("v_cvt_f32_i32", 0x4b800000, 0x1000001); /* ties to even */
    V("v_cvt_f32_f16", f(-65504.0f), 0xfbff);
    V("v_cvt_f32_f16", f(0x1p-24f), 1);
    V("v_cvt_f32_f16", 0x7f802000, 0x7c01);
    V16("v_cvt_f16_f32", 0x7c00, f(65520.0f));
    V16("v_cvt_f16_f32", 0x7bff, f(65519.0f));
    V16("v_cvt_f16_f32", 0x0001, f(0x1.8p-25f));
    V16("v_cvt_f16_f32", 0x0000, f(0x1p-25f));
    V16("v_cvt_f16_f32", 0x0400, f(0x1.ffep-15f));
    V16("v_cvt_f16_f32", 0x8000, 0x80000001);
    V16("v_cvt_f16_u16", 0x7c00, 65535);
    V16("v_cvt_f16_i16", 0xf800, 0x8000);
    V16("v_cvt_u16_f16", 65504, 0x7bff);
    V16("v_cvt_u16_f16", 65535, 0x7c00);
    V16("v_cvt_i16_f16", 0x7fff, 0x7bff);
    V16("v_cvt_i16_f16", 0x8000, 0xfc00);
    V16("v_cvt_i16_f16", 0, 0x7e00);
    V16("v_cvt_norm_i16_f16", 0x8001, 0xbc00);
    V16("v_cvt_norm_u16_f16", 0xffff, 0x4000);
    V("v_cvt_rpi_i32_f32", 3, f(2.5f));
    V("v_cvt_rpi_i32_f32", 0xfffffffe, f(-2.5f));
    V("v_cvt_rpi_i32_f32", 0, 0x3effffff); /* just below a half: the sum is not rounded */
    V("v_cvt_flr_i32_f32", 0xfffffffd, f(-2.5f));
    V("v_cvt_off_f32_i4", f(-0.5f), 0x18);
    V("v_cvt_off_f32_i4", f(0.4375f), 7);
    V("v_cvt_f32_ubyte3", f(255.0f), 0xff000000);
    V("v_cvt_f32_ubyte0", f(18.0f), 0x12);
    state.mode = MODE_KEEP | ROUND_F16_ZERO;
    V16("v_cvt_f16_f32", 0x7bff, f(1e9f));
    V16("v_cvt_f16_f32", 0x7c00, f(INFINITY));
    state.mode = MODE_KEEP | ROUND_F16_UP;
    V16("v_cvt_f16_f32", 0x0001, f(0x1p-40f));
    V16("v_cvt_f16_f32", 0x8000, f(-0x1p-40f));
    V16("v_cvt_f16_f32", 0xfbff, f(-1e9f));
    V16("v_cvt_f16_f32", 0x7c00, f(65505.0f));
}

static void float_parts(void **unused)
{
    (void)unused;
    state_reset();
    V("v_fract_f32", f(0.75f), f(-1.25f));
    V("v_fract_f32", 0x3f7fffff, f(-1e-20f)); /* never 1 */
    V64("v_fract_f64", 0x3fefffffffffffff, g(-1e-300));
    V16("v_fract_f16", 0x3bff, 0x8001);
    V("v_rndne_f32", f(2.0f), f(2.5f));
    V("v_rndne_f32", f(-2.0f), f(-1.5f));
    V("v_rndne_f32", 0x80000000, f(-0.5f));
    V64("v_rndne_f64", g(4503599627370498.0), g(4503599627370497.5));
    V16("v_rndne_f16", 0x4000, 0x4100);
    V("v_floor_f32", f(-2.0f), f(-1.5f));
    V("v_ceil_f32", 0x80000000, f(-0.5f));
    V("v_trunc_f32", f(-1.0f), f(-1.5f));
    V64("v_trunc_f64", g(1e300), g(1e300));
    V16("v_ceil_f16", 0x3c00, 0x0001);
    V("v_frexp_mant_f32", f(-0.75f), f(-6.0f));
    V("v_frexp_exp_i32_f32", 3, f(-6.0f));
    V("v_frexp_exp_i32_f32", (uint32_t)-148, 1);
    V("v_frexp_mant_f32", f(0.5f), 1);
    V("v_frexp_exp_i32_f32", 0, f(INFINITY));
    V("v_frexp_exp_i32_f32", 0, 0);
    V("v_frexp_mant_f32", f(INFINITY), f(INFINITY));
    V("v_frexp_exp_i32_f64", (uint32_t)-1073, 1);
    V64("v_frexp_mant_f64", g(0.5), 1);
    V16("v_frexp_exp_i16_f16", (uint16_t)-23, 1);
    V16("v_frexp_mant_f16", 0x3800, 1);
    V("v_ldexp_f32", f(INFINITY), f(1.0f), 128);
    V("v_ldexp_f32", 1, f(1.0f), (uint32_t)-149);
    V("v_ldexp_f32", 0, f(1.0f), (uint32_t)-150);
    V("v_ldexp_f32", f(1.0f), 1, 149);
    V("v_ldexp_f32", 0x80000000, f(-1.0f), 0x80000000);
    V64("v_ldexp_f64", 1, g(1.0), (uint32_t)-1074);
    V64("v_ldexp_f64", g(INFINITY), g(1.0), 0x7fffffff);
    V16("v_ldexp_f16", 1, 0x3c00, (uint16_t)-24);
    V16("v_ldexp_f16", 0x7c00, 0x3c00, 16);
    V("v_cubeid_f32", f(5.0f), f(1.0f), f(1.0f), f(-1.0f));
    V("v_cubeid_f32", f(2.0f), f(1.0f), f(2.0f), f(-1.0f));
    V("v_cubeid_f32", f(1.0f), f(-3.0f), f(2.0f), f(-1.0f));
    V("v_cubesc_f32", f(-1.0f), f(1.0f), f(1.0f), f(-2.0f));
    V("v_cubetc_f32", f(3.0f), f(1.0f), f(4.0f), f(3.0f));
    V("v_cubema_f32", f(-8.0f), f(1.0f), f(-4.0f), f(3.0f));
    state.mode = MODE_FLUSH_F32;
    V("v_frexp_exp_i32_f32", 0, 1);
    V("v_floor_f32", 0x80000000, 0x80000001);
    V("v_ldexp_f32", 0, f(1.0f), (uint32_t)-149);
}

static void float_transcendental(void **unused)
{
    (void)unused;
    state_reset();
    V("v_rcp_f32", f(INFINITY), 0);
    V("v_rcp_f32", f(-INFINITY), 0x80000000);
    V("v_rcp_f32", f(INFINITY), 1); /* denormals are not for this unit */
    V("v_rcp_f32", 0x80000000, f(-INFINITY));
    V("v_rcp_f32", 0, f(3e38f));
    V("v_rcp_f32", f(0.25f), f(4.0f));
    V("v_sqrt_f32", 0x80000000, 0x80000000);
    V("v_sqrt_f32", f(3.0f), f(9.0f));
    V("v_rsq_f32", f(-INFINITY), 0x80000000);
    V("v_rsq_f32", f(0.5f), f(4.0f));
    V("v_exp_f32", f(1.0f), 0);
    V("v_exp_f32", f(0x1p-126f), f(-126.0f));
    V("v_exp_f32", 0, f(-127.0f)); /* a denormal result */
    V("v_exp_f32", f(INFINITY), f(128.0f));
    V("v_exp_f32", 0, f(-INFINITY));
    V("v_log_f32", f(-INFINITY), 0x80000000);
    V("v_log_f32", f(10.0f), f(1024.0f));
    V("v_log_f32", 0, f(1.0f));
    V("v_log_f32", f(-126.0f), f(0x1p-126f));
    V("v_log_f32", 0x7fc00000, f(-1.0f));
    V("v_sin_f32", f(1.0f), f(0.25f));
    V("v_sin_f32", f(-1.0f), f(-0.25f));
    V("v_sin_f32", 0, f(1.0f));
    V("v_sin_f32", f(1.0f), f(255.25f));
    V("v_sin_f32", 0, f(257.0f));
    V("v_cos_f32", f(1.0f), f(300.25f));
    V("v_cos_f32", f(-1.0f), f(0.5f));
    V("v_cos_f32", f(1.0f), 0);
    V64("v_rcp_f64", g(0.5), g(2.0));
    V64("v_sqrt_f64", g(1.4142135623730951), g(2.0));
    V16("v_rcp_f16", 0x3555, 0x4200);
    V16("v_sqrt_f16", 0x3da8, 0x4000);
    V16("v_exp_f16", 0x0001, 0xce00); /* 2^-24: f16 has its denormals */
    V16("v_log_f16", 0xce00, 0x0001);
    V16("v_sin_f16", 0x3c00, 0x3400);
    V64("v_trig_preop_f64", g(0x1.45f306dc9c882p-1), g(1.0), 0); /* the first 53 digits of 2/pi */
    V64("v_trig_preop_f64", g(0x1.4a7f09d5f47d4p-54), g(1.0), 1);
}

static double worst_ulp(const char *name, double (*exact)(double), float low, float high)
{
    const int index = find(name);
    double worst = 0;
    for (int i = 0; i < 20000; i++) {
        const float x = low + (high - low) * (float)i / 20000.0f;
        bool mask;
        const uint64_t s[3] = {f(x)};
        const float got = bits_float((uint32_t)run_vector(index, s, UINT32_MAX, &mask));
        const double want = exact((double)x);
        const double ulp = fmax(ldexp(1.0, ilogb(want == 0 ? 0x1p-126 : want) - 23), 0x1p-149);
        worst = fmax(worst, fabs((double)got - want) / ulp);
    }
    checks++;
    return worst;
}

static double exact_sin(double x)
{
    return sin((x - floor(x)) * 6.283185307179586476925);
}

static double exact_rcp(double x)
{
    return 1.0 / x;
}

static double exact_rsq(double x)
{
    return 1.0 / sqrt(x);
}

static void float_transcendental_error(void **unused)
{
    (void)unused;
    state_reset();
    assert_true(worst_ulp("v_exp_f32", exp2, -125.0f, 127.0f) < 0.51);
    assert_true(worst_ulp("v_log_f32", log2, 1e-6f, 3.0f) < 0.51);
    assert_true(worst_ulp("v_log_f32", log2, 3.0f, 1e9f) < 0.51);
    assert_true(worst_ulp("v_sin_f32", exact_sin, 0.01f, 0.49f) < 0.51);
    assert_true(worst_ulp("v_rcp_f32", exact_rcp, 0.1f, 100.0f) < 0.51);
    assert_true(worst_ulp("v_rsq_f32", exact_rsq, 0.1f, 100.0f) < 0.51);
}

static void float_compares(void **unused)
{
    const uint64_t nan = 0x7fc00000;
    (void)unused;
    state_reset();
    CMP("v_cmp_lt_f32", 1, f(1.0f), f(2.0f));
    CMP("v_cmp_lt_f32", 0, nan, f(2.0f));
    CMP("v_cmp_nge_f32", 1, nan, f(2.0f));
    CMP("v_cmp_lg_f32", 0, nan, f(2.0f));
    CMP("v_cmp_neq_f32", 1, nan, nan);
    CMP("v_cmp_eq_f32", 1, 0, 0x80000000);
    CMP("v_cmp_o_f32", 0, f(1.0f), nan);
    CMP("v_cmp_u_f32", 1, f(1.0f), nan);
    CMP("v_cmp_nlg_f32", 1, f(1.0f), f(1.0f));
    CMP("v_cmp_tru_f32", 1, nan, nan);
    CMP("v_cmp_f_f64", 0, 0, 0);
    CMP("v_cmpx_gt_f32", 1, f(2.0f), f(1.0f));
    CMP("v_cmp_le_f64", 1, g(1.0), g(1.0));
    CMP("v_cmp_lt_f16", 1, 0x8001, 0x0000);
    CMP("v_cmp_u_f16", 1, 0x7e00, 0);
    CMP("v_cmp_lt_i32", 1, 0xffffffff, 0);
    CMP("v_cmp_lt_u32", 0, 0xffffffff, 0);
    CMP("v_cmp_gt_i16", 1, 0x00000001, 0xffff);
    CMP("v_cmp_gt_u16", 0, 0x00000001, 0xffff);
    CMP("v_cmp_ge_i64", 0, 0x8000000000000000, 0);
    CMP("v_cmpx_ge_u64", 1, 0x8000000000000000, 0);
    CMP("v_cmp_ne_u32", 0, 5, 5);
    CMP("v_cmp_t_i32", 1, 5, 6);
    static const uint64_t f32[10] = {0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001,
                                     0x80000000, 0,          1,          0x3f800000, 0x7f800000};
    static const uint64_t f16[10] = {0x7c01, 0x7e00, 0xfc00, 0xbc00, 0x8001, 0x8000, 0, 1, 0x3c00, 0x7c00};
    static const uint64_t f64[10] = {0x7ff0000000000001,
                                     0x7ff8000000000000,
                                     0xfff0000000000000,
                                     0xbff0000000000000,
                                     0x8000000000000001,
                                     0x8000000000000000,
                                     0,
                                     1,
                                     0x3ff0000000000000,
                                     0x7ff0000000000000};
    for (uint32_t bit = 0; bit < 10; bit++) {
        CMP("v_cmp_class_f32", 1, f32[bit], 1u << bit);
        CMP("v_cmp_class_f32", 0, f32[bit], 0x3ff & ~(1u << bit));
        CMP("v_cmp_class_f16", 1, f16[bit], 1u << bit);
        CMP("v_cmpx_class_f64", 1, f64[bit], 1u << bit);
        CMP("v_cmp_class_f64", 0, f64[bit], 0x3ff & ~(1u << bit));
    }
}

/* --- halves against arithmetic in double --- */

/* Another way to round: scale so that the last digit of f16 is 1, round to an integer, scale back. */
static uint16_t reference_half(double x, int round)
{
    if (isnan(x))
        return 0x7e00;
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (x == 0)
        return sign;
    if (isinf(x))
        return sign | 0x7c00;
    const int exponent = ilogb(x) < -14 ? -14 : ilogb(x);
    const double units = ldexp(x, 10 - exponent);
    const double low = floor(units), part = units - low;
    double whole = round == LANE_ROUND_UP ? ceil(units) : round == LANE_ROUND_DOWN ? low : trunc(units);
    if (round == LANE_ROUND_NEAREST)
        whole = part > 0.5 || (part == 0.5 && fmod(low, 2.0) != 0) ? low + 1 : low;
    const double value = fabs(ldexp(whole, exponent - 10));
    if (value > 65504.0) {
        const bool away =
            round == LANE_ROUND_NEAREST || (round == LANE_ROUND_UP && !sign) || (round == LANE_ROUND_DOWN && sign);
        return sign | (away ? 0x7c00 : 0x7bff);
    }
    if (value < 0x1p-14)
        return sign | (uint16_t)ldexp(value, 24);
    const int top = ilogb(value);
    return sign | (uint16_t)((top + 15) << 10) | (uint16_t)(ldexp(value, 10 - top) - 1024);
}

static bool same_half(uint16_t a, uint16_t b)
{
    return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00);
}

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}

static void half_conversions_exhaustive(void **unused)
{
    (void)unused;
    const struct lane_mode m = lane_mode_unpack(MODE_KEEP);
    for (uint32_t h = 0; h < 0x10000; h++) {
        float wide;
        lane_f16 back;
        lane_op_v_cvt_f32_f16(&m, &wide, (lane_f16)h);
        lane_op_v_cvt_f16_f32(&m, &back, wide);
        const float expected = half_to_float((uint16_t)h);
        if ((h & 0x7fff) <= 0x7c00 && (float_bits(wide) != float_bits(expected) || back != h))
            fail_msg("half %04x: %a and back %04x", h, wide, back);
        if ((h & 0x7fff) > 0x7c00 && (!isnan(wide) || (back & 0x7fff) <= 0x7c00))
            fail_msg("half NaN %04x", h);
    }
    for (uint32_t i = 0; i < 400000; i++) {
        const float x = bits_float(i & 1 ? ((uint32_t)random64() & 0x8fffffffu) | 0x30000000u : (uint32_t)random64());
        for (uint32_t round = 0; round < 4; round++) {
            const struct lane_mode rounded = lane_mode_unpack(MODE_KEEP | round << 2);
            lane_f16 got;
            lane_op_v_cvt_f16_f32(&rounded, &got, x);
            if (!same_half(got, reference_half((double)x, (int)round)))
                fail_msg("%a in rounding %u gives %04x, not %04x", x, round, got,
                         reference_half((double)x, (int)round));
        }
    }
    checks += 2;
}

/* Not inlined: between two changes of the host's rounding a compiler may move arithmetic, but not calls. */
__attribute__((noinline)) static void half_operations(const struct lane_mode *m, lane_f16 a, lane_f16 b, lane_f16 c,
                                                      lane_f16 results_out[3])
{
    lane_op_v_add_f16(m, &results_out[0], a, b);
    lane_op_v_mul_f16(m, &results_out[1], a, b);
    lane_op_v_fma_f16(m, &results_out[2], a, b, c);
}

static void half_arithmetic(void **unused)
{
    (void)unused;
    for (uint32_t round = 0; round < 4; round++) {
        const struct lane_mode m = lane_mode_unpack(MODE_KEEP | round << 2);
        const uint64_t before = lane_env_get(), env = lane_env_of(&m, LANE_FP_F16);
        for (uint32_t i = 0; i < 150000; i++) {
            const uint64_t r = random64();
            const lane_f16 a = (lane_f16)r, b = (lane_f16)(r >> 16);
            const lane_f16 c = i & 1 ? (lane_f16)((r >> 32 & 0x83ff) | ((r >> 48) % 31) << 10) : (lane_f16)(r >> 32);
            const double x = half_to_float(a), y = half_to_float(b), z = half_to_float(c);
            lane_f16 results[3];
            lane_env_set(env);
            half_operations(&m, a, b, c, results);
            lane_env_set(before);
            const lane_f16 sum = results[0], product = results[1], fused = results[2];
            if (x + y != 0 && !same_half(sum, reference_half(x + y, (int)round)))
                fail_msg("%04x + %04x in rounding %u gives %04x", a, b, round, sum);
            if (!same_half(product, reference_half(x * y, (int)round)))
                fail_msg("%04x * %04x in rounding %u gives %04x", a, b, round, product);
            /* A sum of more than 53 digits is left out: the reference cannot hold it. */
            const double exact = x * y + z;
            if (exact != 0 && (exact - x * y == z && exact - z == x * y) &&
                !same_half(fused, reference_half(exact, (int)round)))
                fail_msg("fma(%04x, %04x, %04x) in rounding %u gives %04x, not %04x", a, b, c, round, fused,
                         reference_half(exact, (int)round));
        }
    }
    checks += 3;
}

/* --- division from its helpers, as compilers write it --- */

static float divide_f32(const struct lane_mode *m, float n, float d)
{
    float ds, ns, r, q, e, result;
    bool unused_mask, scaled;
    lane_op_v_div_scale_f32(m, &ds, &unused_mask, d, d, n);
    lane_op_v_div_scale_f32(m, &ns, &scaled, n, d, n);
    lane_op_v_rcp_f32(m, &r, ds);
    lane_op_v_fma_f32(m, &e, -ds, r, 1.0f);
    lane_op_v_fma_f32(m, &r, e, r, r);
    lane_op_v_mul_f32(m, &q, ns, r);
    lane_op_v_fma_f32(m, &e, -ds, q, ns);
    lane_op_v_fma_f32(m, &q, e, r, q);
    lane_op_v_fma_f32(m, &e, -ds, q, ns);
    lane_op_v_div_fmas_f32(m, &result, e, r, q, scaled);
    lane_op_v_div_fixup_f32(m, &result, result, d, n);
    return result;
}

static double divide_f64(const struct lane_mode *m, double n, double d)
{
    double ds, ns, r, q, e, result;
    bool unused_mask, scaled;
    lane_op_v_div_scale_f64(m, &ds, &unused_mask, d, d, n);
    lane_op_v_div_scale_f64(m, &ns, &scaled, n, d, n);
    lane_op_v_rcp_f64(m, &r, ds);
    lane_op_v_fma_f64(m, &e, -ds, r, 1.0);
    lane_op_v_fma_f64(m, &r, r, e, r);
    lane_op_v_fma_f64(m, &e, -ds, r, 1.0);
    lane_op_v_fma_f64(m, &r, r, e, r);
    lane_op_v_mul_f64(m, &q, ns, r);
    lane_op_v_fma_f64(m, &e, -ds, q, ns);
    lane_op_v_div_fmas_f64(m, &result, e, r, q, scaled);
    lane_op_v_div_fixup_f64(m, &result, result, d, n);
    return result;
}

static const uint32_t special_f32[] = {
    0,          0x80000000, 1,          0x80000001, 2,          0x007fffff, 0x00800000, 0x00800001,
    0x01000000, 0x0b800000, 0x0c000000, 0x20000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0xbf800000,
    0x40400000, 0x5f000000, 0x7e000000, 0x7e800000, 0x7e800001, 0x7effffff, 0x7f000000, 0x7f7fffff,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
};

static void check_division_f32(const struct lane_mode *m, uint32_t n, uint32_t d)
{
    const float a = bits_float(n), b = bits_float(d), got = divide_f32(m, a, b), want = a / b;
    if (float_bits(got) != float_bits(want) && !(isnan(got) && isnan(want)))
        fail_msg("%a / %a (%08x / %08x) gives %a, not %a", a, b, n, d, got, want);
}

static void division_f32_equals_ieee(void **unused)
{
    (void)unused;
    const struct lane_mode m = lane_mode_unpack(MODE_KEEP);
    const size_t count = sizeof(special_f32) / sizeof(special_f32[0]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            check_division_f32(&m, special_f32[i], special_f32[j]);
    for (int i = 0; i < 1000000; i++) {
        const uint64_t r = random64();
        check_division_f32(&m, (uint32_t)r, (uint32_t)(r >> 32));
        /* quotients around the smallest normal number */
        const uint32_t exponent = (uint32_t)(r >> 40) % 120 + 1;
        check_division_f32(&m, ((uint32_t)r & 0x807fffff) | exponent << 23,
                           ((uint32_t)(r >> 8) & 0x807fffff) | (exponent + 120 + (uint32_t)(r >> 56) % 14) << 23);
        check_division_f32(&m, (uint32_t)r & 0x807fffff, (uint32_t)(r >> 32) & 0x81ffffff);
    }
    checks += 3;
}

static void check_division_f64(const struct lane_mode *m, uint64_t n, uint64_t d)
{
    const double a = lane_as_f64_u64(n), b = lane_as_f64_u64(d), got = divide_f64(m, a, b), want = a / b;
    if (g(got) != g(want) && !(isnan(got) && isnan(want)))
        fail_msg("%a / %a gives %a, not %a", a, b, got, want);
}

static void division_f64_equals_ieee(void **unused)
{
    static const uint64_t special[] = {
        0,
        0x8000000000000000,
        1,
        0x000fffffffffffff,
        0x0010000000000000,
        0x0340000000000000,
        0x0360000000000000,
        0x3fefffffffffffff,
        0x3ff0000000000000,
        0xbff0000000000001,
        0x4008000000000000,
        0x7fd0000000000000,
        0x7fd0000000000001,
        0x7fefffffffffffff,
        0x7ff0000000000000,
        0xfff0000000000000,
        0x7ff8000000000000,
        0x7ff0000000000001,
    };
    (void)unused;
    const struct lane_mode m = lane_mode_unpack(MODE_KEEP);
    const size_t count = sizeof(special) / sizeof(special[0]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            check_division_f64(&m, special[i], special[j]);
    for (int i = 0; i < 500000; i++) {
        const uint64_t r = random64(), t = random64();
        check_division_f64(&m, r, t);
        const uint64_t exponent = (r >> 53) % 900 + 1;
        check_division_f64(&m, (r & 0x800fffffffffffff) | exponent << 52,
                           (t & 0x800fffffffffffff) | (exponent + 1000 + (t >> 58)) << 52);
        check_division_f64(&m, r & 0x800fffffffffffff, t & 0x801fffffffffffff);
    }
    checks += 3;
}

/* f16 divides in f32: one reciprocal, one product, rounded, and the fixup for what is not finite. */
static void division_f16(void **unused)
{
    (void)unused;
    const struct lane_mode m = lane_mode_unpack(MODE_KEEP);
    for (int i = 0; i < 300000; i++) {
        const uint64_t r = random64();
        const lane_f16 n = (lane_f16)r, d = (lane_f16)(r >> 16);
        float wide_n, wide_d, reciprocal, quotient;
        lane_f16 half, result;
        lane_op_v_cvt_f32_f16(&m, &wide_n, n);
        lane_op_v_cvt_f32_f16(&m, &wide_d, d);
        lane_op_v_rcp_f32(&m, &reciprocal, wide_d);
        lane_op_v_mul_f32(&m, &quotient, wide_n, reciprocal);
        lane_op_v_cvt_f16_f32(&m, &half, quotient);
        lane_op_v_div_fixup_f16(&m, &result, half, d, n);
        const uint16_t want = reference_half((double)wide_n / (double)wide_d, LANE_ROUND_NEAREST);
        if (!same_half(result, want) && abs((result & 0x7fff) - (want & 0x7fff)) > 1)
            fail_msg("%04x / %04x gives %04x, not %04x", n, d, result, want);
    }
    checks++;
}

/* --- across lanes --- */

static void lanes_of_a_wave(void **unused)
{
    (void)unused;
    uint32_t s0[64], d[64];
    for (uint32_t i = 0; i < 64; i++)
        s0[i] = 0x100 + i, d[i] = 0x200 + i;
    struct lane_vector a = {.d = d, .s0 = s0, .lanes = 64, .wave_exec = 0xfffffffffffffff0ull};
    a.scalar[0] = 64 + 5;
    vec_v_readlane_b32(&a);
    assert_int_equal(a.scalar_out, 0x105);
    vec_v_readfirstlane_b32(&a);
    assert_int_equal(a.scalar_out, 0x104);
    a.wave_exec = 0;
    vec_v_readfirstlane_b32(&a);
    assert_int_equal(a.scalar_out, 0x100);
    a.scalar[0] = 0x55, a.scalar[1] = 63;
    vec_v_writelane_b32(&a); /* exec does not matter */
    assert_int_equal(d[63], 0x55);
    a.lanes = 32;
    vec_v_writelane_b32(&a);
    assert_int_equal(d[31], 0x55);

    a.lanes = 64;
    a.wave_exec = ~0ull & ~(1ull << 2);
    a.scalar[0] = 0x01234567, a.scalar[1] = 0x89abcdef; /* lane i takes 7 - i, then 15 - (i - 8) */
    vec_v_permlane16_b32(&a);
    assert_int_equal(d[0], 0x107);
    assert_int_equal(d[5], 0x205); /* lane 2 is inactive: nothing written */
    assert_int_equal(d[2], 0x202);
    assert_int_equal(d[8], 0x10f);
    assert_int_equal(d[16], 0x117);
    a.bound_ctrl = true;
    vec_v_permlane16_b32(&a);
    assert_int_equal(d[5], 0);
    a.fetch_inactive = true;
    vec_v_permlane16_b32(&a);
    assert_int_equal(d[5], 0x102);
    vec_v_permlanex16_b32(&a);
    assert_int_equal(d[0], 0x117);
    assert_int_equal(d[16], 0x107);
    assert_int_equal(d[48], 0x127);

    uint32_t ones[32], zero[32] = {0}, below[32];
    memset(ones, 0xff, sizeof(ones));
    struct lane_vector b = {.d = below, .s0 = ones, .s1 = zero, .row = 32, .exec = UINT32_MAX};
    vec_v_mbcnt_lo_u32_b32(&b);
    assert_true(below[0] == 0 && below[31] == 31);
    vec_v_mbcnt_hi_u32_b32(&b);
    assert_int_equal(below[31], 0);
    b.first_lane = 32;
    vec_v_mbcnt_lo_u32_b32(&b);
    assert_int_equal(below[0], 32);
    vec_v_mbcnt_hi_u32_b32(&b);
    assert_true(below[0] == 0 && below[31] == 31);
    checks += 19;
}

static void registers_relative_to_m0(void **unused)
{
    (void)unused;
    static uint32_t v[8][32];
    for (uint32_t reg = 0; reg < 8; reg++)
        for (uint32_t lane = 0; lane < 32; lane++)
            v[reg][lane] = reg << 8 | lane;
    const struct lane_mode mode = lane_mode_unpack(MODE_KEEP);
    struct lane_vector a = {.d = v[0], .s0 = v[1], .row = 32, .exec = 0x0000ffff, .m0 = 2, .mode = &mode};
    vec_v_movrels_b32(&a);
    assert_true(v[0][3] == 0x303 && v[0][31] == 0x01f);
    a.m0 = 4;
    vec_v_movreld_b32(&a);
    assert_true(v[4][3] == 0x103 && v[4][31] == 0x41f);
    a.m0 = 6 << 16 | 1;
    vec_v_movrelsd_2_b32(&a);
    assert_int_equal(v[6][3], 0x203);
    vec_v_swaprel_b32(&a);
    assert_true(v[6][3] == 0x203 && v[2][3] == 0x203);
    vec_v_swap_b32(&a);
    assert_true(v[0][3] == 0x103 && v[1][3] == 0x303 && v[0][31] == 0x01f && v[1][31] == 0x11f);
    checks += 5;
}

static void interpolation(void **unused)
{
    (void)unused;
    uint32_t p0[32], p10[32], p20[32], i[32], j[32], d[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        p0[lane] = f(10.0f), p10[lane] = f(2.0f), p20[lane] = f(4.0f), i[lane] = f(0.5f), j[lane] = f((float)lane);
    const struct lane_mode mode = lane_mode_unpack(MODE_KEEP);
    struct lane_vector a = {
        .d = d, .s0 = i, .row = 32, .exec = UINT32_MAX, .p0 = p0, .p10 = p10, .p20 = p20, .mode = &mode};
    vec_v_interp_p1_f32(&a);
    assert_true(bits_float(d[7]) == 11.0f);
    a.s0 = j;
    vec_v_interp_p2_f32(&a);
    assert_true(bits_float(d[7]) == 39.0f);
    static const float by_param[3] = {2.0f, 4.0f, 10.0f};
    for (a.p = 0; a.p < 3; a.p++) {
        vec_v_interp_mov_f32(&a);
        assert_true(bits_float(d[7]) == by_param[a.p]);
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        p0[lane] = 0x4900, p10[lane] = 0x4000, p20[lane] = 0x4400;
    a.s0 = i;
    vec_v_interp_p1ll_f16(&a);
    assert_true(bits_float(d[7]) == 11.0f);
    a.s2 = d, a.d = d;
    vec_v_interp_p2_f16(&a);
    assert_int_equal(d[7] & 0xffff, 0x4a80);
    checks += 7;
}

static void enough_was_checked(void **unused)
{
    (void)unused;
    assert_true(checks >= 450);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_arithmetic),
        cmocka_unit_test(scalar_bits),
        cmocka_unit_test(scalar_control),
        cmocka_unit_test(scalar_subvector_loop),
        cmocka_unit_test(vector_integers),
        cmocka_unit_test(vector_carry_and_clamp),
        cmocka_unit_test(vector_halves_of_registers),
        cmocka_unit_test(float_min_max),
        cmocka_unit_test(float_arithmetic),
        cmocka_unit_test(float_conversions),
        cmocka_unit_test(float_parts),
        cmocka_unit_test(float_transcendental),
        cmocka_unit_test(float_transcendental_error),
        cmocka_unit_test(float_compares),
        cmocka_unit_test(half_conversions_exhaustive),
        cmocka_unit_test(half_arithmetic),
        cmocka_unit_test(division_f32_equals_ieee),
        cmocka_unit_test(division_f64_equals_ieee),
        cmocka_unit_test(division_f16),
        cmocka_unit_test(lanes_of_a_wave),
        cmocka_unit_test(registers_relative_to_m0),
        cmocka_unit_test(interpolation),
        cmocka_unit_test(enough_was_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
