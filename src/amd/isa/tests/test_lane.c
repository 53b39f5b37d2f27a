/* Scalar and vector integer instructions, carries, lanes: statements about the hardware. Floats: test_lane_float.c. */
#include "amd/isa/tests/lane_test.h"

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

/* --- across lanes --- */

static void lanes_of_a_wave(void **unused)
{
    (void)unused;
    uint32_t s0[64], d[64];
    for (uint32_t i = 0; i < 64; i++)
        s0[i] = 0x100 + i, d[i] = 0x200 + i;
    struct lane_vector a = {.d = d, .s0 = s0, .lanes = 64, .wave_exec = 0xfffffffffffffff0ull};
    a.scalar[0] = 64 + 5;
    amd_vec_v_readlane_b32(&a);
    assert_int_equal(a.scalar_out, 0x105);
    amd_vec_v_readfirstlane_b32(&a);
    assert_int_equal(a.scalar_out, 0x104);
    a.wave_exec = 0;
    amd_vec_v_readfirstlane_b32(&a);
    assert_int_equal(a.scalar_out, 0x100);
    a.scalar[0] = 0x55, a.scalar[1] = 63;
    amd_vec_v_writelane_b32(&a); /* exec does not matter */
    assert_int_equal(d[63], 0x55);
    a.lanes = 32;
    amd_vec_v_writelane_b32(&a);
    assert_int_equal(d[31], 0x55);

    a.lanes = 64;
    a.wave_exec = ~0ull & ~(1ull << 2);
    a.scalar[0] = 0x01234567, a.scalar[1] = 0x89abcdef; /* lane i takes 7 - i, then 15 - (i - 8) */
    amd_vec_v_permlane16_b32(&a);
    assert_int_equal(d[0], 0x107);
    assert_int_equal(d[5], 0x205); /* lane 2 is inactive: nothing written */
    assert_int_equal(d[2], 0x202);
    assert_int_equal(d[8], 0x10f);
    assert_int_equal(d[16], 0x117);
    a.bound_ctrl = true;
    amd_vec_v_permlane16_b32(&a);
    assert_int_equal(d[5], 0);
    a.fetch_inactive = true;
    amd_vec_v_permlane16_b32(&a);
    assert_int_equal(d[5], 0x102);
    amd_vec_v_permlanex16_b32(&a);
    assert_int_equal(d[0], 0x117);
    assert_int_equal(d[16], 0x107);
    assert_int_equal(d[48], 0x127);

    uint32_t ones[32], zero[32] = {0}, below[32];
    memset(ones, 0xff, sizeof(ones));
    struct lane_vector b = {.d = below, .s0 = ones, .s1 = zero, .row = 32, .exec = UINT32_MAX};
    amd_vec_v_mbcnt_lo_u32_b32(&b);
    assert_true(below[0] == 0 && below[31] == 31);
    amd_vec_v_mbcnt_hi_u32_b32(&b);
    assert_int_equal(below[31], 0);
    b.first_lane = 32;
    amd_vec_v_mbcnt_lo_u32_b32(&b);
    assert_int_equal(below[0], 32);
    amd_vec_v_mbcnt_hi_u32_b32(&b);
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
    const struct lane_mode mode = amd_lane_mode_unpack(MODE_KEEP);
    struct lane_vector a = {.d = v[0], .s0 = v[1], .row = 32, .exec = 0x0000ffff, .m0 = 2, .mode = &mode};
    amd_vec_v_movrels_b32(&a);
    assert_true(v[0][3] == 0x303 && v[0][31] == 0x01f);
    a.m0 = 4;
    amd_vec_v_movreld_b32(&a);
    assert_true(v[4][3] == 0x103 && v[4][31] == 0x41f);
    a.m0 = 6 << 16 | 1;
    amd_vec_v_movrelsd_2_b32(&a);
    assert_int_equal(v[6][3], 0x203);
    amd_vec_v_swaprel_b32(&a);
    assert_true(v[6][3] == 0x203 && v[2][3] == 0x203);
    amd_vec_v_swap_b32(&a);
    assert_true(v[0][3] == 0x103 && v[1][3] == 0x303 && v[0][31] == 0x01f && v[1][31] == 0x11f);
    checks += 5;
}

static void interpolation(void **unused)
{
    (void)unused;
    uint32_t p0[32], p10[32], p20[32], i[32], j[32], d[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        p0[lane] = f(10.0f), p10[lane] = f(2.0f), p20[lane] = f(4.0f), i[lane] = f(0.5f), j[lane] = f((float)lane);
    const struct lane_mode mode = amd_lane_mode_unpack(MODE_KEEP);
    struct lane_vector a = {
        .d = d, .s0 = i, .row = 32, .exec = UINT32_MAX, .p0 = p0, .p10 = p10, .p20 = p20, .mode = &mode};
    amd_vec_v_interp_p1_f32(&a);
    assert_true(bits_float(d[7]) == 11.0f);
    a.s0 = j;
    amd_vec_v_interp_p2_f32(&a);
    assert_true(bits_float(d[7]) == 39.0f);
    static const float by_param[3] = {2.0f, 4.0f, 10.0f};
    for (a.p = 0; a.p < 3; a.p++) {
        amd_vec_v_interp_mov_f32(&a);
        assert_true(bits_float(d[7]) == by_param[a.p]);
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        p0[lane] = 0x4900, p10[lane] = 0x4000, p20[lane] = 0x4400;
    a.s0 = i;
    amd_vec_v_interp_p1ll_f16(&a);
    assert_true(bits_float(d[7]) == 11.0f);
    a.s2 = d, a.d = d;
    amd_vec_v_interp_p2_f16(&a);
    assert_int_equal(d[7] & 0xffff, 0x4a80);
    checks += 7;
}

/* --- every instruction --- */

/* A value that is often at an edge: of integers, of halves, of floats. */
static uint32_t edge32(void)
{
    static const uint32_t edges[] = {0,          1,          31,         32,         0xff,       0x7fff,
                                     0x8000,     0xffff,     0x3c00,     0x7c00,     0x7e00,     0x3c003c00,
                                     0x7fffffff, 0x80000000, 0xffffffff, 0x00800000, 0x3f800000, 0xbf000000,
                                     0x40490fdb, 0x4f000000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000};
    const uint64_t r = random64();
    return r >> 32 & 1 ? edges[(uint32_t)r % (sizeof(edges) / sizeof(edges[0]))] : (uint32_t)r;
}

/* Which NaN comes out of two is the compiler's choice of operand order. */
static bool same_result(enum lane_fp_class fp_class, uint64_t a, uint64_t b)
{
    if (fp_class == LANE_FP_F64)
        return a == b || (lane_is_nan_f64(lane_as_f64_u64(a)) && lane_is_nan_f64(lane_as_f64_u64(b)));
    const bool same_halves = same_half((uint16_t)a, (uint16_t)b) && same_half((uint16_t)(a >> 16), (uint16_t)(b >> 16));
    if (fp_class == LANE_FP_F32)
        return (a ^ b) >> 32 == 0 && ((uint32_t)a == (uint32_t)b || (lane_is_nan_f32(lane_as_f32_u32((uint32_t)a)) &&
                                                                     lane_is_nan_f32(lane_as_f32_u32((uint32_t)b))));
    if (fp_class == LANE_FP_F16)
        return same_halves && (a ^ b) >> 32 == 0;
    return a == b;
}

/* Vector code must do in each of 32 different lanes what it does when all lanes have that lane's values. */
static void each_lane_is_its_own(void **unused)
{
    static uint32_t mixed[7][4][32], wanted[4][32];
    (void)unused;
    const struct lane_mode mode = amd_lane_mode_unpack(MODE_KEEP);
    for (size_t index = 0; index < sizeof(functions) / sizeof(functions[0]); index++) {
        if (functions[index].kind != KIND_vector || strstr(functions[index].name, "rel") ||
            !strcmp(functions[index].name, "v_swap_b32"))
            continue;
        for (int round = 0; round < 4; round++) {
            const uint32_t exec = (uint32_t)random64(), vcc = (uint32_t)random64(), mask = (uint32_t)random64(),
                           k = edge32();
            uint32_t mask_wanted = 0, exec_wanted = 0;
            for (int i = 0; i < 7 * 4 * 32; i++)
                (&mixed[0][0][0])[i] = edge32();
            for (uint32_t lane = 0; lane < 32; lane++) {
                static uint32_t one[7][4][32];
                for (int row = 0; row < 28; row++)
                    for (uint32_t i = 0; i < 32; i++)
                        one[row / 4][row % 4][i] = mixed[row / 4][row % 4][lane];
                struct lane_vector a = {.d = one[0][0], .s0 = one[1][0], .s1 = one[2][0], .s2 = one[3][0], .row = 32};
                a.p0 = one[4][0], a.p10 = one[5][0], a.p20 = one[6][0];
                a.exec = exec >> lane & 1 ? UINT32_MAX : 0, a.vcc = vcc >> lane & 1 ? UINT32_MAX : 0;
                a.mask = mask >> lane & 1 ? UINT32_MAX : 0, a.k = k, a.clamp = round & 1, a.mode = &mode;
                a.first_lane = 0;
                ((lane_vector_fn *)functions[index].fn)(&a);
                for (int word = 0; word < 4; word++)
                    wanted[word][lane] = one[0][word][lane];
                mask_wanted |= a.mask_out & 1u << lane;
                exec_wanted |= a.exec_out & 1u << lane;
            }
            struct lane_vector a = {
                .d = mixed[0][0], .s0 = mixed[1][0], .s1 = mixed[2][0], .s2 = mixed[3][0], .row = 32};
            a.p0 = mixed[4][0], a.p10 = mixed[5][0], a.p20 = mixed[6][0];
            a.exec = exec, a.vcc = vcc, a.mask = mask, a.k = k, a.clamp = round & 1, a.mode = &mode;
            ((lane_vector_fn *)functions[index].fn)(&a);
            for (uint32_t lane = 0; lane < 32; lane++)
                for (int word = 0; word < 4; word += 2) {
                    const uint64_t got = lane_pair(mixed[0][word][lane], mixed[0][word + 1][lane]);
                    const uint64_t alone = lane_pair(wanted[word][lane], wanted[word + 1][lane]);
                    /* v_fma_mixlo and _mixhi have their sources' class, but write one half of a register. */
                    const bool is_mix_half =
                        strstr(functions[index].name, "v_fma_mixlo") || strstr(functions[index].name, "v_fma_mixhi");
                    if (!same_result(is_mix_half ? LANE_FP_F16 : functions[index].fp_class, got, alone))
                        fail_msg("%s: lane %u has %016llx, not %016llx", functions[index].name, lane,
                                 (unsigned long long)got, (unsigned long long)alone);
                }
            if (a.mask_out != mask_wanted || a.exec_out != exec_wanted)
                fail_msg("%s: mask %08x, not %08x", functions[index].name, a.mask_out | a.exec_out,
                         mask_wanted | exec_wanted);
        }
        checks++;
    }
}

static void enough_was_checked(void **unused)
{
    (void)unused;
    assert_true(checks >= 600);
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
        cmocka_unit_test(lanes_of_a_wave),
        cmocka_unit_test(registers_relative_to_m0),
        cmocka_unit_test(interpolation),
        cmocka_unit_test(each_lane_is_its_own),
        cmocka_unit_test(enough_was_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
