/* The arithmetic of channels against exact arithmetic in binary64, exhaustive over codes; floats at every half-way
 * point and its neighbours, at the edges, and at random. Built twice: with the host's fused multiply-add and without
 * it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/format/channel.h"
#include "util/format/srgb_cubic.h"

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint32_t random_u32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static const float edges[] = {0.0f,      -0.0f,    0x1p-149f,     -0x1p-149f,      0x1p-126f,        0x1.fffffep-127f,
                              0x1p-24f,  0x1p-14f, 0.5f,          -0.5f,           0x1.fffffep-2f,   0x1.fffffep-1f,
                              1.0f,      -1.0f,    0x1.000002p0f, -0x1.000002p0f,  65504.f,          65519.9f,
                              65520.0f,  65408.0f, 65536.0f,      1e30f,           -1e30f,           INFINITY,
                              -INFINITY, NAN,      -NAN,          0x1.fffffep127f, -0x1.fffffep127f, 255.5f,
                              -128.5f,   2.5f};

/* A signalling NaN is no constant: the compiler may quiet it on the way. */
static const uint32_t signalling_nans[] = {0x7f800001, 0xff800001, 0x7fbfffff};

/* `value` and its neighbours in both directions. */
#define NEIGHBOURS 5
static void neighbours(float value, float out[NEIGHBOURS])
{
    out[2] = value;
    out[1] = nextafterf(value, -INFINITY);
    out[0] = nextafterf(out[1], -INFINITY);
    out[3] = nextafterf(value, INFINITY);
    out[4] = nextafterf(out[3], INFINITY);
}

/* Of all floats none is nearer to code / max: products of 24 by 24 bits are exact in binary64. */
static void assert_nearest_quotient(float value, double code, double max)
{
    double error = fabs((double)value * max - code);
    assert_true(error <= fabs((double)nextafterf(value, -INFINITY) * max - code));
    assert_true(error <= fabs((double)nextafterf(value, INFINITY) * max - code));
}

static void unorm_codes_decode_to_the_nearest_float(void **state)
{
    for (unsigned bits = 1; bits <= 16; bits++) {
        uint32_t max = (1u << bits) - 1;
        for (uint32_t code = 0; code <= max; code++)
            assert_nearest_quotient(format_unorm_to_float(code, bits), code, max);
        assert_true(format_unorm_to_float(0, bits) == 0.0f);
        assert_true(format_unorm_to_float(max, bits) == 1.0f);
    }
    for (uint32_t code = 0; code < 1u << 24; code += code < 4096 || code > (1u << 24) - 4096 ? 1 : 61)
        assert_nearest_quotient(format_unorm_to_float(code, 24), code, 0xffffff);
    assert_true(format_unorm_to_float(0xffffff, 24) == 1.0f);
}

static void snorm_codes_decode_to_the_nearest_float_and_the_lowest_two_to_minus_one(void **state)
{
    for (unsigned bits = 2; bits <= 16; bits++) {
        int32_t max = (1 << (bits - 1)) - 1;
        for (int32_t code = -max; code <= max; code++)
            assert_nearest_quotient(format_snorm_to_float(code, bits), code, max);
        assert_true(format_snorm_to_float(-max, bits) == -1.0f);
        assert_true(format_snorm_to_float(-max - 1, bits) == -1.0f);
        assert_true(format_snorm_to_float(max, bits) == 1.0f);
    }
}

static void expect_unorm(float x, unsigned bits)
{
    double max = (double)((1u << bits) - 1);
    double clamped = isnan(x) ? 0 : x < 0 ? 0 : x > 1 ? 1 : (double)x;
    assert_int_equal(format_float_to_unorm(x, bits), (uint32_t)nearbyint(clamped * max));
}

static void expect_snorm(float x, unsigned bits)
{
    double max = (double)((1u << (bits - 1)) - 1);
    double clamped = isnan(x) ? 0 : x < -1 ? -1 : x > 1 ? 1 : (double)x;
    assert_int_equal(format_float_to_snorm(x, bits), (uint32_t)(int32_t)nearbyint(clamped * max) & ((1u << bits) - 1));
}

static void floats_round_to_the_nearest_even_unorm(void **state)
{
    static const unsigned sizes[] = {1, 2, 4, 5, 6, 8, 10, 12, 16, 24};
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        unsigned bits = sizes[i];
        uint32_t max = (1u << bits) - 1;
        for (uint32_t code = 0; code <= max; code += bits == 24 ? 97 : 1) {
            float near[NEIGHBOURS];
            neighbours((float)((code + 0.5) / max), near);
            for (unsigned n = 0; n < NEIGHBOURS; n++)
                expect_unorm(near[n], bits);
            expect_unorm(format_unorm_to_float(code, bits), bits);
            assert_int_equal(format_float_to_unorm(format_unorm_to_float(code, bits), bits), code);
        }
        for (unsigned n = 0; n < ARRAY_SIZE(edges); n++)
            expect_unorm(edges[n], bits);
        for (unsigned n = 0; n < ARRAY_SIZE(signalling_nans); n++)
            expect_unorm(bits_float(signalling_nans[n]), bits);
        for (unsigned n = 0; n < 200000; n++) {
            expect_unorm(bits_float(random_u32()), bits);
            expect_unorm((float)random_u32() * 0x1p-32f, bits);
        }
    }
    /* The half-way points that a float can be: 0.5 of an odd largest code. */
    assert_int_equal(format_float_to_unorm(0.5f, 8), 128);
    assert_int_equal(format_float_to_unorm(0.5f, 1), 0);
    assert_int_equal(format_float_to_unorm(0.5f, 2), 2);
}

static void floats_round_to_the_nearest_even_snorm(void **state)
{
    static const unsigned sizes[] = {2, 8, 10, 16};
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        unsigned bits = sizes[i];
        int32_t max = (1 << (bits - 1)) - 1;
        for (int32_t code = -max - 1; code <= max; code++) {
            float near[NEIGHBOURS];
            neighbours((float)((code + 0.5) / max), near);
            for (unsigned n = 0; n < NEIGHBOURS; n++)
                expect_snorm(near[n], bits);
            int32_t back = format_sign_extend(format_float_to_snorm(format_snorm_to_float(code, bits), bits), bits);
            assert_int_equal(back, MAX2(code, -max));
        }
        for (unsigned n = 0; n < ARRAY_SIZE(edges); n++)
            expect_snorm(edges[n], bits);
        for (unsigned n = 0; n < ARRAY_SIZE(signalling_nans); n++)
            expect_snorm(bits_float(signalling_nans[n]), bits);
        for (unsigned n = 0; n < 200000; n++) {
            expect_snorm(bits_float(random_u32()), bits);
            expect_snorm((float)(int32_t)random_u32() * 0x1p-31f, bits);
        }
    }
}

static void expect_scaled(float x, unsigned bits)
{
    double number = isnan(x) ? 0 : (double)x, umax = (double)((1u << bits) - 1),
           smax = (double)((1u << (bits - 1)) - 1);
    assert_int_equal(format_float_to_uscaled(x, bits), (uint32_t)nearbyint(fmin(fmax(number, 0), umax)));
    assert_int_equal(format_float_to_sscaled(x, bits),
                     (uint32_t)(int32_t)nearbyint(fmin(fmax(number, -smax - 1), smax)) & ((1u << bits) - 1));
}

static void floats_round_to_the_nearest_even_scaled(void **state)
{
    static const unsigned sizes[] = {2, 8, 10, 16};
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        for (int32_t code = -(1 << sizes[i]); code <= 1 << sizes[i]; code++) {
            float near[NEIGHBOURS];
            neighbours((float)code + 0.5f, near);
            for (unsigned n = 0; n < NEIGHBOURS; n++)
                expect_scaled(near[n], sizes[i]);
        }
        for (unsigned n = 0; n < ARRAY_SIZE(edges); n++)
            expect_scaled(edges[n], sizes[i]);
        for (unsigned n = 0; n < ARRAY_SIZE(signalling_nans); n++)
            expect_scaled(bits_float(signalling_nans[n]), sizes[i]);
        for (unsigned n = 0; n < 100000; n++)
            expect_scaled(bits_float(random_u32()), sizes[i]);
    }
}

static void integers_clamp(void **state)
{
    static const unsigned sizes[] = {2, 8, 10, 16, 32};
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        unsigned bits = sizes[i];
        int64_t umax = (int64_t)bits_mask(bits), smax = (int64_t)bits_mask(bits - 1);
        for (unsigned n = 0; n < 200000; n++) {
            uint32_t value = random_u32() >> (n % 32);
            value = n & 1 ? ~value : value;
            assert_int_equal(format_clamp_uint(value, bits), (uint32_t)MIN2((int64_t)value, umax));
            int64_t clamped = MAX2(MIN2((int64_t)(int32_t)value, smax), -smax - 1);
            assert_int_equal(format_sign_extend(format_clamp_sint((int32_t)value, bits), bits), (int32_t)clamped);
        }
    }
}

static void halves_are_those_of_util(void **state)
{
    for (uint32_t code = 0; code < 0x10000; code++) {
        assert_int_equal(float_bits(format_half_to_float(code)), float_bits(half_to_float((uint16_t)code)));
        /* Between this code and the next one up, at the half-way point, and one code and its neighbours. */
        for (unsigned half_way = 0; half_way < 2; half_way++) {
            uint32_t middle = float_bits(half_to_float((uint16_t)code)) + (half_way ? 0x1000 : 0);
            for (int step = -2; step <= 2; step++) {
                float x = bits_float(middle + (uint32_t)step);
                assert_int_equal(format_float_to_half(x), float_to_half_rtne(x));
                assert_int_equal(format_magnitude_to_small_rtz(float_bits(x) & 0x7fffffff, 10),
                                 float_to_half_rtz(x) & 0x7fff);
            }
        }
    }
    for (unsigned n = 0; n < 4000000; n++) {
        /* Mostly where half floats are. */
        uint32_t bits = n & 1 ? random_u32() : (random_u32() & 0x87ffffff) + 0x33000000 + (random_u32() % 40 << 23);
        assert_int_equal(format_float_to_half(bits_float(bits)), float_to_half_rtne(bits_float(bits)));
    }
}

/* The value of an unsigned small float. */
static double small_value(uint32_t code, unsigned m)
{
    uint32_t exponent = code >> m, fraction = code & ((1u << m) - 1);
    if (exponent == 31)
        return fraction ? (double)NAN : (double)INFINITY;
    return exponent ? ldexp(1.0 + ldexp(fraction, -(int)m), (int)exponent - 15) : ldexp(fraction, -14 - (int)m);
}

static void expect_ufloat(float x, unsigned m)
{
    uint32_t nearest = format_float_to_ufloat(x, m), cut = format_float_to_ufloat_rtz(x, m), infinity = 31u << m;
    if (isnan(x)) {
        assert_true(isnan(small_value(nearest, m)) && isnan(small_value(cut, m)));
        return;
    }
    if (x <= 0) {
        assert_int_equal(nearest, 0);
        assert_int_equal(cut, 0);
        return;
    }
    if (isinf(x)) {
        assert_int_equal(nearest, infinity);
        assert_int_equal(cut, infinity);
        return;
    }
    assert_true(cut < infinity && small_value(cut, m) <= (double)x);
    assert_true(cut + 1 == infinity || small_value(cut + 1, m) > (double)x);
    /* Infinity takes the place of the next number that a larger exponent would have. */
    double low = small_value(cut, m), high = cut + 1 == infinity ? 65536.0 : small_value(cut + 1, m);
    double middle = (low + high) / 2;
    bool up = (double)x > middle || ((double)x == middle && (cut & 1));
    assert_int_equal(nearest, cut + up);
}

static void unsigned_floats_of_ten_and_eleven_bits(void **state)
{
    for (unsigned m = 5; m <= 6; m++) {
        for (uint32_t code = 0; code < 32u << m; code++) {
            double value = small_value(code, m);
            float decoded = format_small_to_float(code, m);
            if (isnan(value)) {
                assert_true(isnan(decoded));
                assert_int_equal(format_float_to_ufloat(decoded, m), code); /* with all of its bits */
                assert_int_equal(format_float_to_ufloat_rtz(decoded, m), code);
                continue;
            }
            assert_true((double)decoded == value);
            assert_int_equal(format_float_to_ufloat(decoded, m), code);
            assert_int_equal(format_float_to_ufloat_rtz(decoded, m), code);
            if (isinf(value))
                continue;
            double next = code + 1 == 31u << m ? 65536.0 : small_value(code + 1, m);
            float near[2][NEIGHBOURS];
            neighbours(decoded, near[0]);
            neighbours((float)((value + next) / 2), near[1]);
            for (unsigned n = 0; n < NEIGHBOURS; n++) {
                expect_ufloat(near[0][n], m);
                expect_ufloat(near[1][n], m);
            }
        }
        for (unsigned n = 0; n < ARRAY_SIZE(edges); n++)
            expect_ufloat(edges[n], m);
        for (unsigned n = 0; n < ARRAY_SIZE(signalling_nans); n++)
            expect_ufloat(bits_float(signalling_nans[n]), m);
        for (unsigned n = 0; n < 1000000; n++)
            expect_ufloat(
                bits_float(n & 1 ? random_u32() : (random_u32() & 0x7ffffff) + 0x34000000 + (random_u32() % 30 << 23)),
                m);
    }
}

static double srgb_encode(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static double srgb_decode(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static void srgb_codes_decode_to_the_nearest_float(void **state)
{
    for (uint32_t code = 0; code < 256; code++) {
        float value = format_srgb_to_float(code);
        double exact = srgb_decode(code / 255.0);
        double unit = (double)nextafterf(value, INFINITY) - (double)value;
        assert_true(fabs((double)value - exact) <= unit * 0.5000001);
        assert_int_equal(format_float_to_srgb(value), code);
    }
}

/* As hosts with permutations have it (format_srgb_to_sixteen). */
static float decode_by_cubic(uint32_t code)
{
    const float above = (float)((int32_t)code - FORMAT_SRGB_CODES_BELOW);
    const uint32_t place = float_bits(above) >> FORMAT_SRGB_LINEAR_SHIFT & 31;
    const float x = above - format_srgb_linear_cubic[0][place];
    float sum = format_srgb_linear_cubic[4][place];
    for (unsigned power = 4; power-- > 1;)
        sum = fmaf(sum, x, format_srgb_linear_cubic[power][place]);
    return sum;
}

static void cubics_decode_to_the_same_float(void **state)
{
    for (uint32_t code = FORMAT_SRGB_CODES_BELOW + FORMAT_SRGB_FIRST_PLACE; code < 256; code++)
        assert_int_equal(float_bits(decode_by_cubic(code)), float_bits(format_srgb_to_float(code)));
    /* As many as are permuted of the table itself. */
    assert_true(FORMAT_SRGB_CODES_BELOW + FORMAT_SRGB_FIRST_PLACE <= 32);
#if defined(__AVX512F__)
    for (uint32_t code = 0; code < 256; code++) {
        float values[16];
        _mm512_storeu_ps(values, format_srgb_to_sixteen(_mm512_set1_epi32((int32_t)code)));
        assert_int_equal(float_bits(values[code % 16]), float_bits(format_srgb_to_float(code)));
    }
#endif
}

/* Over all floats from 2^-14 to 1: the code never falls, and where it changes it changes at the float that the curve
 * says. That fixes it for every float. */
static void every_float_encodes_to_the_nearest_srgb_code(void **state)
{
    uint32_t previous = 0, changes = 0;
    for (uint32_t bits = float_bits(0x1p-14f); bits <= float_bits(1.0f); bits++) {
        uint32_t code = format_float_to_srgb(bits_float(bits));
        if (code == previous)
            continue;
        assert_int_equal(code, previous + 1);
        double below = srgb_encode((double)bits_float(bits - 1)) * 255,
               at = srgb_encode((double)bits_float(bits)) * 255;
        assert_true(below < previous + 0.5 + 1e-12);
        assert_true(at > previous + 0.5 - 1e-12);
        previous = code;
        changes++;
    }
    assert_int_equal(previous, 255);
    assert_int_equal(changes, 255);
    for (unsigned n = 0; n < 300000; n++) {
        float x = (float)random_u32() * 0x1p-32f;
        assert_true(fabs(srgb_encode((double)x) * 255 - format_float_to_srgb(x)) <= 0.5 + 1e-9);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(signalling_nans); n++)
        assert_int_equal(format_float_to_srgb(bits_float(signalling_nans[n])), 0);
    for (unsigned n = 0; n < ARRAY_SIZE(edges); n++) {
        double clamped = isnan(edges[n]) || edges[n] < 0 ? 0 : fmin(edges[n], 1);
        assert_int_equal(format_float_to_srgb(edges[n]), (uint32_t)nearbyint(srgb_encode(clamped) * 255));
    }
}

/* The algorithm as the specification writes it, in binary64. */
static uint32_t shared_exponent_reference(const float rgb[3])
{
    double clamped[3], max = 0;
    for (unsigned i = 0; i < 3; i++) {
        clamped[i] = isnan(rgb[i]) ? 0 : fmax(0, fmin(511.0 / 512 * 65536, (double)rgb[i]));
        max = fmax(max, clamped[i]);
    }
    int exponent = MAX2(-16, max > 0 ? ilogb(max) : -1000) + 1 + 15;
    if (floor(max / ldexp(1, exponent - 24) + 0.5) == 512)
        exponent++;
    uint32_t code[3];
    for (unsigned i = 0; i < 3; i++)
        code[i] = (uint32_t)floor(clamped[i] / ldexp(1, exponent - 24) + 0.5);
    return (uint32_t)exponent << 27 | code[2] << 18 | code[1] << 9 | code[0];
}

static void expect_shared_exponent(float r, float g, float b)
{
    float rgb[3] = {r, g, b};
    assert_int_equal(format_pack_e5b9g9r9(r, g, b), shared_exponent_reference(rgb));
}

static void shared_exponents_follow_the_specification(void **state)
{
    for (unsigned a = 0; a < ARRAY_SIZE(edges); a++)
        for (unsigned b = 0; b < ARRAY_SIZE(edges); b++)
            for (unsigned c = 0; c < ARRAY_SIZE(edges); c++)
                expect_shared_exponent(edges[a], edges[b], edges[c]);
    for (unsigned n = 0; n < ARRAY_SIZE(signalling_nans); n++)
        expect_shared_exponent(1.0f, bits_float(signalling_nans[n]), 0.5f);
    /* Every fraction at every exponent, its half-way point above, and their neighbours. */
    for (int exponent = 0; exponent < 32; exponent++) {
        float unit = format_e5_scale((uint32_t)exponent);
        assert_true((double)unit == ldexp(1, exponent - 24));
        for (unsigned fraction = 0; fraction < 512; fraction++) {
            float near[2][NEIGHBOURS];
            neighbours((float)fraction * unit, near[0]);
            neighbours(((float)fraction + 0.5f) * unit, near[1]);
            for (unsigned n = 0; n < NEIGHBOURS; n++) {
                float other = bits_float((random_u32() & 0x87ffffff) + 0x33000000 + (random_u32() % 30 << 23));
                expect_shared_exponent(near[0][n], 0, 0);
                expect_shared_exponent(near[1][n], near[0][n], other);
                expect_shared_exponent(0.25f * unit, near[1][n], 511 * unit);
            }
        }
    }
    for (unsigned n = 0; n < 2000000; n++)
        expect_shared_exponent(bits_float((random_u32() & 0x7ffffff) + 0x33000000 + (random_u32() % 30 << 23)),
                               bits_float((random_u32() & 0x7ffffff) + 0x33000000 + (random_u32() % 30 << 23)),
                               bits_float(random_u32()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unorm_codes_decode_to_the_nearest_float),
        cmocka_unit_test(snorm_codes_decode_to_the_nearest_float_and_the_lowest_two_to_minus_one),
        cmocka_unit_test(floats_round_to_the_nearest_even_unorm),
        cmocka_unit_test(floats_round_to_the_nearest_even_snorm),
        cmocka_unit_test(floats_round_to_the_nearest_even_scaled),
        cmocka_unit_test(integers_clamp),
        cmocka_unit_test(halves_are_those_of_util),
        cmocka_unit_test(unsigned_floats_of_ten_and_eleven_bits),
        cmocka_unit_test(srgb_codes_decode_to_the_nearest_float),
        cmocka_unit_test(cubics_decode_to_the_same_float),
        cmocka_unit_test(every_float_encodes_to_the_nearest_srgb_code),
        cmocka_unit_test(shared_exponents_follow_the_specification),
    };
    return cmocka_run_group_tests_name("format channels", tests, NULL, NULL);
}
