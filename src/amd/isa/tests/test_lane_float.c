/* Float instructions: NaN rules, modes, conversions at their edges, halves. Division: test_lane_division.c. */
#include "amd/isa/tests/lane_test.h"

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
    V("v_cos_f32", f(-1.0f), f(300.5f));
    V("v_cos_f32", f(-1.0f), f(-4097.5f));
    V("v_sin_f32", f(-1.0f), f(1048575.75f));
    V("v_sin_f32", 0, f(0x1p60f));
    V("v_cos_f32", f(1.0f), f(0x1p60f));
    V("v_cos_f32", f(-1.0f), f(0.5f));
    V("v_cos_f32", f(1.0f), 0);
    V64("v_rcp_f64", g(0.5), g(2.0));
    V64("v_sqrt_f64", g(1.4142135623730951), g(2.0));
    V16("v_rcp_f16", 0x3555, 0x4200);
    V16("v_sqrt_f16", 0x3da8, 0x4000);
    V16("v_exp_f16", 0x0001, 0xce00); /* 2^-24: f16 has its denormals */
    V16("v_log_f16", 0xce00, 0x0001);
    V16("v_sin_f16", 0x3c00, 0x3400);
    V16("v_sin_f16", 0x3c00, 0x5d01);                            /* 320.25 turns */
    V16("v_cos_f16", 0xbc00, 0x6201);                            /* 768.5 turns */
    V64("v_trig_preop_f64", g(0x1.45f306dc9c882p-1), g(1.0), 0); /* the first 53 digits of 2/pi */
    V64("v_trig_preop_f64", g(0x1.4a7f09d5f47d4p-54), g(1.0), 1);
}

static double worst_ulp(const char *name, double (*exact)(double), float low, float high)
{
    const int index = find_op(name);
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
    /* The hardware states 1 ulp. */
    assert_true(worst_ulp("v_exp_f32", exp2, -125.0f, 127.0f) < 0.94);
    assert_true(worst_ulp("v_log_f32", log2, 1e-6f, 3.0f) < 0.94);
    assert_true(worst_ulp("v_log_f32", log2, 3.0f, 1e9f) < 0.94);
    assert_true(worst_ulp("v_sin_f32", exact_sin, 0.01f, 0.49f) < 0.99);
    assert_true(worst_ulp("v_sin_f32", exact_sin, 60000.01f, 60000.49f) < 0.99);
    assert_true(worst_ulp("v_rcp_f32", exact_rcp, 0.1f, 100.0f) < 0.51);
    assert_true(worst_ulp("v_rsq_f32", exact_rsq, 0.1f, 100.0f) < 0.88);
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

static void half_conversions_exhaustive(void **unused)
{
    (void)unused;
    const struct lane_mode m = amd_lane_mode_unpack(MODE_KEEP);
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
            const struct lane_mode rounded = amd_lane_mode_unpack(MODE_KEEP | round << 2);
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
        const struct lane_mode m = amd_lane_mode_unpack(MODE_KEEP | round << 2);
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

static void enough_was_checked(void **unused)
{
    (void)unused;
    assert_true(checks >= 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_min_max),        cmocka_unit_test(float_arithmetic),
        cmocka_unit_test(float_conversions),    cmocka_unit_test(float_parts),
        cmocka_unit_test(float_transcendental), cmocka_unit_test(float_transcendental_error),
        cmocka_unit_test(float_compares),       cmocka_unit_test(half_conversions_exhaustive),
        cmocka_unit_test(half_arithmetic),      cmocka_unit_test(enough_was_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
