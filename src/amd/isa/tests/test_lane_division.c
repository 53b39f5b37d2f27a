/* Division as compilers write it, from v_div_scale, v_rcp, v_fma, v_div_fmas and v_div_fixup, equals the quotient of
 * IEEE 754. One wrong threshold in v_div_scale breaks it. */
#include "amd/isa/tests/lane_test.h"

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
    const struct lane_mode m = amd_lane_mode_unpack(MODE_KEEP);
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
    const struct lane_mode m = amd_lane_mode_unpack(MODE_KEEP);
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
    const struct lane_mode m = amd_lane_mode_unpack(MODE_KEEP);
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

static void enough_was_checked(void **unused)
{
    (void)unused;
    assert_true(checks >= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(division_f32_equals_ieee),
        cmocka_unit_test(division_f64_equals_ieee),
        cmocka_unit_test(division_f16),
        cmocka_unit_test(enough_was_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
