/* binary16 conversions against arithmetic in double: all 65,536 halves, and floats around every rounding boundary. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/half.h"

/* The value of a finite half, by its definition. */
static double half_value(uint16_t half)
{
    int exponent = (half >> 10) & 31;
    double fraction = half & 0x3ff;
    double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -magnitude : magnitude;
}

static void every_half_has_its_exact_value(void **state)
{
    for (uint32_t half = 0; half < 0x10000; half++) {
        float value = half_to_float((uint16_t)half);
        if ((half & 0x7c00) == 0x7c00) {
            assert_true((half & 0x3ff) ? isnan(value) : isinf(value) && (signbit(value) != 0) == (half >> 15 != 0));
            continue;
        }
        assert_true(value == half_value((uint16_t)half));
        assert_int_equal(signbit(value) != 0, half >> 15);
    }
}

static void every_half_survives_the_way_there_and_back(void **state)
{
    for (uint32_t half = 0; half < 0x10000; half++) {
        assert_int_equal(float_to_half_rtne(half_to_float((uint16_t)half)), half);
        assert_int_equal(float_to_half_rtz(half_to_float((uint16_t)half)), half);
    }
}

static void floats_round_to_the_nearest_and_ties_to_even(void **state)
{
    for (uint16_t half = 0; half < 0x7bff; half++) {
        double low = half_value(half), high = half_value(half + 1);
        float middle = (float)((low + high) / 2);
        uint16_t even = half & 1 ? half + 1 : half;
        assert_int_equal(float_to_half_rtne(middle), even);
        assert_int_equal(float_to_half_rtne(nextafterf(middle, 1e9f)), half + 1);
        assert_int_equal(float_to_half_rtne(nextafterf(middle, 0)), half);
        assert_int_equal(float_to_half_rtne(-middle), even | 0x8000);
        assert_int_equal(float_to_half_rtz(nextafterf((float)high, 0)), half);
        assert_int_equal(float_to_half_rtz(-nextafterf((float)high, 0)), half | 0x8000);
    }
}

static void overflow_is_infinite_or_the_largest_by_rounding_mode(void **state)
{
    assert_int_equal(float_to_half_rtne(65519.996f), 0x7bff);
    assert_int_equal(float_to_half_rtne(65520.0f), 0x7c00);
    assert_int_equal(float_to_half_rtz(65520.0f), 0x7bff);
    assert_int_equal(float_to_half_rtz(3e38f), 0x7bff);
    assert_int_equal(float_to_half_rtz(-INFINITY), 0xfc00);
    assert_int_equal(float_to_half_rtne(bits_float(1)), 0); /* float subnormal */
    assert_int_equal(float_to_half_rtne(-bits_float(1)), 0x8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_has_its_exact_value),
        cmocka_unit_test(every_half_survives_the_way_there_and_back),
        cmocka_unit_test(floats_round_to_the_nearest_and_ties_to_even),
        cmocka_unit_test(overflow_is_infinite_or_the_largest_by_rounding_mode),
    };
    return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
