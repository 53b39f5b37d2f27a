/* Pixels as lane operations give the bytes that the plain functions give: conversion of exported halves, and blending
 * by every pair of factors, in any order of components, from colours that are numbers, edges and NaN, with denormals
 * and without. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/lane_env.h"
#include "model/pixel/pixel_program.h"
#include "model/pixel/pixel_srgb.h"
#include "util/format/channel.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

struct frame {
    uint32_t exec[PIXEL_LANES];
    union pixel_colors colors;
    uint32_t stored[PIXEL_LANES];
    uint32_t codes[PIXEL_LANES];
    uint32_t packed[2][PIXEL_LANES]; /* halves, two to a dword */
} __attribute__((aligned(64)));

static struct lane_program program;
static struct frame frame;
static struct jit *jit;
static uint64_t seed = 1;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 32);
}

static float random_color(void)
{
    static const uint32_t edges[] = {0,          0x80000000, 1,          0x3f800000, 0x3f7fffff, 0x3f800001, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0xffc00000, 0x387fc000, 0x38800000, 0x33800000, 0x337fffff,
                                     0xbf800000, 0x3f000000, 0x007fffff, 0x477fe000, 0x47800000};
    switch (random32() % 4) {
    case 0:
        return bits_float(edges[random32() % (sizeof(edges) / sizeof(edges[0]))]);
    case 1: /* near the ties between codes */
        return ((float)(random32() % 256) + 0.5f + (float)((int32_t)random32() % 64) / 65536.0f) / 255.0f;
    case 2:
        return (float)(random32() % 4096) * 0x1p-25f; /* halves without all of their bits */
    default:
        return (float)random32() * 0x1p-32f;
    }
}

static void fill_frame(void)
{
    for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
        frame.exec[lane] = UINT32_MAX;
        frame.stored[lane] = random32();
        for (unsigned c = 0; c < 4; c++)
            frame.colors.f[c][lane] = random_color();
        for (unsigned i = 0; i < 2; i++)
            frame.packed[i][lane] = random32();
    }
}

static jit_value row(const void *at)
{
    return lane_program_emit(&program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                             (uint32_t)((const char *)at - (const char *)&frame));
}

static void begin_program(bool flushes_f32, bool flushes_f16)
{
    struct lane_mode mode = {.keep_in_f32 = flushes_f32 ? 0 : UINT32_MAX,
                             .keep_out_f32 = flushes_f32 ? 0 : UINT32_MAX,
                             .keep_in_f16 = flushes_f16 ? 0 : UINT32_MAX,
                             .keep_out_f16 = flushes_f16 ? 0 : UINT32_MAX};
    program.mode = lane_mode_complete(mode);
    program.count = 0;
    program.failed = false;
    assert_true(pixel_program_fits(&program));
}

/* Once, to frame.codes. */
static void run_program(jit_value codes)
{
    const struct jit_frame shape = {PIXEL_LANES, offsetof(struct frame, exec), sizeof(frame)};
    lane_program_emit(&program, JIT_STORE, codes, JIT_NONE, JIT_NONE, offsetof(struct frame, codes));
    assert_false(program.failed);
    jit_reset(jit);
    jit_code code = jit_compile(jit, program.insts, program.count, &shape, true);
    assert_non_null(code);
    const uint64_t host = lane_env_get();
    lane_env_set(lane_env_of(&program.mode, LANE_FP_F32));
    code(&frame);
    lane_env_set(host);
}

/* As an export of halves has it. */
static uint16_t half_of(float value, bool flushes)
{
    uint16_t half = float_to_half_rtz(value);
    return flushes && (half & 0x7fff) < 0x400 ? half & 0x8000 : half;
}

static float unit_of(uint16_t half)
{
    const float value = half_to_float(half);
    return value > 0 ? value < 1 ? value : 1 : 0;
}

static uint32_t code_of(float unit)
{
    return (uint32_t)__builtin_nearbyintf(unit * 255.0f);
}

static jit_value half_value(const float *from)
{
    return lane_program_f16_rtz_f32(&program, row(from));
}

static void exported_halves(void **state)
{
    for (unsigned round = 0; round < 400; round++) {
        const bool flushes_f16 = round & 2, of_floats = round & 4;
        jit_value unit[4];
        fill_frame();
        begin_program(round & 1, flushes_f16);
        for (unsigned c = 0; c < 4; c++) {
            jit_value half = of_floats ? half_value(frame.colors.f[c]) : JIT_NONE;
            if (!of_floats) /* halves that come from elsewhere */
                half = lane_program_zero_extend(
                    &program, lane_program_shift_by(&program, JIT_SHR, row(frame.packed[c / 2]), c % 2 * 16), 16);
            unit[c] = pixel_program_code_of_half(&program, half);
        }
        run_program(pixel_program_pack_bytes4(&program, unit, true));
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            uint32_t expected = 0;
            for (unsigned c = 0; c < 4; c++) {
                const uint16_t half = of_floats ? half_of(frame.colors.f[c][lane], flushes_f16)
                                                : (uint16_t)(frame.packed[c / 2][lane] >> c % 2 * 16);
                expected |= code_of(unit_of(half)) << 8 * c;
            }
            assert_int_equal(frame.codes[lane], expected);
        }
    }
}

static void floats(void **state)
{
    for (unsigned round = 0; round < 100; round++) {
        jit_value unit[4];
        fill_frame();
        begin_program(round & 1, false);
        for (unsigned c = 0; c < 4; c++)
            unit[c] = pixel_program_unit(&program, row(frame.colors.f[c]));
        run_program(pixel_program_pack_bytes4(&program, unit, false));
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            uint32_t expected = 0;
            for (unsigned c = 0; c < 4; c++) {
                const float value = frame.colors.f[c][lane];
                expected |= code_of(value > 0 ? value < 1 ? value : 1 : 0) << 8 * c;
            }
            assert_int_equal(frame.codes[lane], expected);
        }
    }
}

/* A half of a channel, as it is exported; NaN and numbers around the limits are as likely as others. */
static uint16_t random_half(void)
{
    static const uint16_t edges[] = {0,      0x8000, 0x3c00, 0xbc00, 0x3c01, 0xbc01, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                     0x7e00, 0xfe00, 0x7c01, 0xfdff, 1,      0x8001, 0x3ff,  0x400,  0x7bf0, 0x7bf8};
    return random32() % 4 ? (uint16_t)random32() : edges[random32() % (sizeof(edges) / sizeof(edges[0]))];
}

/* The packed word as the format's codec makes it; a NaN of a channel of floats is any. */
static void expect_packed(const struct format_info *info, const uint16_t halves[4], uint32_t code)
{
    float colors[1][4];
    uint32_t expected = 0, free = 0;
    for (unsigned c = 0; c < 4; c++)
        colors[0][c] = half_to_float(halves[c]);
    assert_true(format_pack_rgba_float(info->format, &expected, (const float(*)[4])colors, 1));
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        if (channel->numeric != FORMAT_NUMERIC_UFLOAT || (halves[channel->component] & 0x7fff) <= 0x7c00)
            continue;
        const uint32_t all = (1u << channel->bits) - 1, infinity = 31u << (channel->bits - 5);
        assert_true((code >> channel->low_bit & all) > infinity);
        free |= all << channel->low_bit;
    }
    assert_int_equal(code & ~free, expected & ~free);
}

static void packed_halves(void **state)
{
    unsigned formats = 0;
    for (unsigned n = 0; n < format_count; n++) {
        const struct format_info *info = format_info_at(n);
        if (!pixel_program_packs(info->format))
            continue;
        formats++;
        for (unsigned round = 0; round < 24; round++) {
            const bool flushes_f16 = round & 2, of_floats = round & 4;
            jit_value halves[4];
            fill_frame();
            begin_program(round & 1, flushes_f16);
            for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
                for (unsigned i = 0; i < 2; i++)
                    frame.packed[i][lane] = random_half() | (uint32_t)random_half() << 16;
            }
            for (unsigned c = 0; c < 4; c++)
                halves[c] =
                    of_floats ? half_value(frame.colors.f[c])
                              : lane_program_zero_extend(
                                    &program,
                                    lane_program_shift_by(&program, JIT_SHR, row(frame.packed[c / 2]), c % 2 * 16), 16);
            run_program(pixel_program_pack_halves(&program, info->format, halves));
            for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
                uint16_t expected[4];
                for (unsigned c = 0; c < 4; c++)
                    expected[c] = of_floats ? half_of(frame.colors.f[c][lane], flushes_f16)
                                            : (uint16_t)(frame.packed[c / 2][lane] >> c % 2 * 16);
                expect_packed(info, expected, frame.codes[lane]);
            }
        }
    }
    assert_true(formats >= 20);
}

/* Floats and integers as the format's codec makes elements of them. */
static void packed_words(void **state)
{
    unsigned formats = 0;
    for (unsigned n = 0; n < format_count; n++) {
        const struct format_info *info = format_info_at(n);
        if (!pixel_program_packs_words(info->format))
            continue;
        formats++;
        for (unsigned round = 0; round < 8; round++) {
            const bool is_uint = info->numeric == FORMAT_NUMERIC_UINT, is_sint = info->numeric == FORMAT_NUMERIC_SINT;
            const struct format_codec *codec = format_codec(info->format);
            jit_value words[4];
            fill_frame();
            for (unsigned i = 0; i < 4 * PIXEL_LANES && (is_uint || is_sint); i++)
                frame.colors.u[i / PIXEL_LANES][i % PIXEL_LANES] =
                    (uint32_t)((int32_t)random32() >> (random32() % 3 * 12));
            begin_program(round & 1, false);
            for (unsigned c = 0; c < 4; c++)
                words[c] = row(frame.colors.f[c]);
            run_program(pixel_program_pack_words(&program, info->format, words));
            for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
                uint32_t expected = 0, color[1][4];
                void *const to = &expected;
                for (unsigned c = 0; c < 4; c++)
                    color[0][c] = frame.colors.u[c][lane];
                if (is_uint)
                    codec->store_uint(&to, (const uint32_t(*)[4])color, 1);
                else if (is_sint)
                    codec->store_sint(&to, (const int32_t(*)[4])(const void *)color, 1);
                else
                    codec->store_float(&to, (const float(*)[4])(const void *)color, 1);
                assert_int_equal(frame.codes[lane], expected);
            }
        }
    }
    assert_true(formats >= 30);
    assert_true(pixel_program_packs_words(FORMAT_A2B10G10R10_UNORM_PACK32));
    assert_true(pixel_program_packs_words(FORMAT_R16G16_SNORM));
    assert_true(pixel_program_packs_words(FORMAT_R8G8_UINT));
    assert_false(pixel_program_packs_words(FORMAT_R32_UINT));
    assert_false(pixel_program_packs_words(FORMAT_R8_UNORM));
    assert_false(pixel_program_packs_words(FORMAT_B10G11R11_UFLOAT_PACK32));
    assert_false(pixel_program_packs_words(FORMAT_R8G8B8A8_SRGB));
}

/* Others leave joined programs as rows, or are what is exported already. */
static void formats_that_are_packed(void **state)
{
    static const enum format packed[] = {FORMAT_R8G8B8A8_UNORM,
                                         FORMAT_B8G8R8A8_SNORM,
                                         FORMAT_A2R10G10B10_UNORM_PACK32,
                                         FORMAT_A2B10G10R10_SNORM_PACK32,
                                         FORMAT_R5G6B5_UNORM_PACK16,
                                         FORMAT_A1R5G5B5_UNORM_PACK16,
                                         FORMAT_R8G8_UNORM,
                                         FORMAT_R8_UNORM,
                                         FORMAT_R8_SNORM,
                                         FORMAT_B10G11R11_UFLOAT_PACK32,
                                         FORMAT_R10X6_UNORM_PACK16};
    static const enum format others[] = {FORMAT_R16G16_UNORM,
                                         FORMAT_R16_SNORM,
                                         FORMAT_R8G8B8A8_SRGB,
                                         FORMAT_R8G8B8A8_UINT,
                                         FORMAT_R16G16_SFLOAT,
                                         FORMAT_E5B9G9R9_UFLOAT_PACK32,
                                         FORMAT_R8_UINT,
                                         FORMAT_R16G16B16A16_UNORM,
                                         FORMAT_D16_UNORM,
                                         FORMAT_R12X4_UNORM_PACK16,
                                         FORMAT_G8B8G8R8_422_UNORM,
                                         FORMAT_X8_D24_UNORM_PACK32};
    for (unsigned i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
        assert_true(pixel_program_packs(packed[i]));
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(pixel_program_packs(others[i]));
}

static void logic_operations(void **state)
{
    for (unsigned i = 0; i < 65536; i++) {
        const uint8_t source = (uint8_t)i, destination = (uint8_t)(i >> 8);
        assert_int_equal(pixel_logic(0xc, source, destination), source);
        assert_int_equal(pixel_logic(0x8, source, destination), source & destination);
        assert_int_equal(pixel_logic(0x4, source, destination), source & (uint8_t)~destination);
        assert_int_equal(pixel_logic(0x2, source, destination), (uint8_t)~source & destination);
        assert_int_equal(pixel_logic(0x1, source, destination), (uint8_t) ~(source | destination));
    }
}

static uint32_t srgb_of(const float *units, bool is_fused)
{
    return format_float_to_srgb(units[0]) | format_float_to_srgb(units[1]) << 8 | format_float_to_srgb(units[2]) << 16 |
           (is_fused ? format_float_to_unorm(units[3], 8) : code_of(units[3])) << 24;
}

/* Alphas next to the middle between two codes, where it matters whether a product is rounded by itself. */
static void fill_alphas(void)
{
    for (unsigned lane = 0; lane < PIXEL_LANES; lane++)
        frame.colors.f[3][lane] = nextafterf(((float)(random32() % 255) + 0.5f) / 255, (float)(lane & 1));
}

/* The curve of three bytes, as the codec of the format has it; exported halves have a table of their own. */
static void encoded(void **state)
{
    for (unsigned round = 0; round < 200; round++) {
        const bool are_halves = round & 2, is_fused = round & 4;
        jit_value unit[4];
        fill_frame();
        if (round & 8)
            fill_alphas();
        begin_program(round & 1, false);
        for (unsigned c = 0; c < 4; c++)
            unit[c] = are_halves ? pixel_program_code_of_half(&program, half_value(frame.colors.f[c]))
                                 : pixel_program_unit(&program, row(frame.colors.f[c]));
        run_program(pixel_program_pack_srgb4(&program, unit, are_halves, is_fused));
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            float expected[4];
            for (unsigned c = 0; c < 4; c++) {
                const float value = frame.colors.f[c][lane];
                expected[c] = are_halves ? unit_of(half_of(value, false)) : value > 0 ? value < 1 ? value : 1 : 0;
            }
            assert_int_equal(frame.codes[lane], srgb_of(expected, is_fused));
        }
    }
}

static void expect_codes(uint32_t first, uint32_t step)
{
    uint32_t numbers[3][JIT_VECTOR_LANES], codes[JIT_VECTOR_LANES];
    jit_vector rows[3];
    for (unsigned c = 0; c < 3; c++) {
        for (uint32_t lane = 0; lane < JIT_VECTOR_LANES; lane++)
            numbers[c][lane] = first + (lane * 3 + c) * step;
    }
    memcpy(rows, numbers, sizeof(rows));
    const jit_vector found = pixel_srgb_of_floats(NULL, rows[0], rows[1], rows[2]);
    memcpy(codes, &found, sizeof(codes));
    for (uint32_t lane = 0; lane < JIT_VECTOR_LANES; lane++) {
        for (unsigned c = 0; c < 3; c++)
            assert_int_equal(codes[lane] >> 8 * c & 255,
                             format_float_to_srgb(bits_float(first + (lane * 3 + c) * step)));
    }
}

/* The smallest float that has more than this code. */
static uint32_t next_code(uint32_t code)
{
    uint32_t low = 0, high = float_bits(1);
    while (low + 1 < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (format_float_to_srgb(bits_float(middle)) > code)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Around all places where one code becomes the next, and of others, numbers that are none among them, one in many. */
static void encoded_floats(void **state)
{
    const uint32_t a_call = 3 * JIT_VECTOR_LANES;
    for (uint32_t code = 0; code < 255; code++) {
        const uint32_t next = next_code(code);
        for (uint32_t bits = next - 1000; bits < next + 1000; bits += a_call)
            expect_codes(bits, 1);
    }
    for (uint64_t bits = 0; bits + 997 * a_call <= UINT32_MAX; bits += 997 * a_call)
        expect_codes((uint32_t)bits, 997);
}

/* Every half between 0 and 1. */
static void encoded_halves(void **state)
{
    for (uint32_t half = 0; half <= 0x3c00; half++)
        assert_int_equal(format_half_to_srgb(half_to_float((uint16_t)half)),
                         format_float_to_srgb(half_to_float((uint16_t)half)));
    for (uint32_t first = 0; first <= 0x3c00; first += PIXEL_LANES) {
        jit_value unit[4];
        begin_program(false, false);
        for (unsigned c = 0; c < 4; c++) {
            for (unsigned lane = 0; lane < PIXEL_LANES; lane++) /* each half in each of the three */
                frame.colors.f[c][lane] = half_to_float((uint16_t)((first + lane + c * 5000) % 0x3c01));
            unit[c] = row(frame.colors.f[c]);
        }
        run_program(pixel_program_pack_srgb4(&program, unit, true, true));
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            const float expected[4] = {frame.colors.f[0][lane], frame.colors.f[1][lane], frame.colors.f[2][lane],
                                       frame.colors.f[3][lane]};
            assert_int_equal(frame.codes[lane], srgb_of(expected, true));
        }
    }
}

/* In any order, with a product that is rounded by itself or not, and with bits that stay as they were. */
static void ordered_floats(void **state)
{
    static const uint8_t orders[3][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {3, 2, 1, 0}};
    for (unsigned round = 0; round < 300; round++) {
        struct pixel_blend blend = {.is_bytes4 = true};
        const bool is_fused = round & 2;
        const uint32_t mask = is_fused || round & 4 ? UINT32_MAX : 0x00ff00ffu << round % 16 / 8 * 8;
        jit_value values[4];
        memcpy(blend.from, orders[round % 3], sizeof(blend.from));
        fill_frame();
        begin_program(round & 1, false);
        for (unsigned c = 0; c < 4; c++)
            values[c] = is_fused ? pixel_program_unit(&program, row(frame.colors.f[c])) : row(frame.colors.f[c]);
        run_program(is_fused ? pixel_program_units4(&program, &blend, blend.from, false, values, JIT_NONE)
                             : pixel_program_colors4(&program, &blend, false, mask, values, row(frame.stored)));
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            uint32_t expected = 0;
            for (unsigned k = 0; k < 4; k++) {
                const float value = frame.colors.f[blend.from[k]][lane], unit = value > 0 ? value < 1 ? value : 1 : 0;
                expected |= (is_fused ? (uint32_t)__builtin_nearbyint((double)unit * 255) : code_of(unit)) << 8 * k;
            }
            assert_int_equal(frame.codes[lane], (expected & mask) | (frame.stored[lane] & ~mask));
        }
    }
}

static void interpolation(void **state)
{
    for (unsigned round = 0; round < 100; round++) {
        const union pixel_colors *c = &frame.colors;
        fill_frame();
        begin_program(false, false);
        run_program(
            pixel_program_interpolate(&program, row(c->f[0]), row(c->f[1]), row(c->f[2]), row(c->f[3]), row(c->f[1])));
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            const float expected = c->f[0][lane] + c->f[1][lane] * c->f[2][lane] + c->f[3][lane] * c->f[1][lane];
            const bool is_nan = expected != expected,
                       was_nan = bits_float(frame.codes[lane]) != bits_float(frame.codes[lane]);
            assert_int_equal(was_nan, is_nan);
            if (!is_nan)
                assert_int_equal(frame.codes[lane], float_bits(expected));
        }
    }
}

/* Of one source; a saturated alpha is no sum of products. */
static struct pixel_equation random_equation(void)
{
    return (struct pixel_equation){(uint8_t)(random32() % PIXEL_FACTOR_SOURCE1),
                                   (uint8_t)(random32() % PIXEL_FACTOR_SOURCE1), PIXEL_ADD};
}

static struct pixel_blend random_blend(unsigned round)
{
    static const uint8_t orders[3][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {3, 2, 1, 0}};
    struct pixel_blend blend = {
        .color = random_equation(), .alpha = random_equation(), .clamp_max = 1, .is_bytes4 = true};
    if (round < PIXEL_FACTOR_SOURCE1 * PIXEL_FACTOR_SOURCE1) /* every pair */
        blend.color = (struct pixel_equation){(uint8_t)(round % PIXEL_FACTOR_SOURCE1),
                                              (uint8_t)(round / PIXEL_FACTOR_SOURCE1), PIXEL_ADD};
    for (unsigned c = 0; c < 4; c++)
        blend.constant[c] = random_color();
    blend.is_alpha_one = random32() % 8 == 0;
    memcpy(blend.from, orders[random32() % 3], sizeof(blend.from));
    pixel_blend_prepare(&blend);
    return blend;
}

static void blending(void **state)
{
    for (unsigned round = 0; round < 2000; round++) {
        const struct pixel_blend blend = random_blend(round);
        const bool flushes_f16 = round & 2;
        uint32_t expected[PIXEL_LANES];
        union pixel_colors unit;
        jit_value source[4];
        assert_true(blend.sums);
        fill_frame();
        begin_program(round & 1, flushes_f16);
        for (unsigned c = 0; c < 4; c++) {
            source[c] = pixel_program_unit_of_half(&program, half_value(frame.colors.f[c]));
            for (unsigned lane = 0; lane < PIXEL_LANES; lane++)
                unit.f[c][lane] = unit_of(half_of(frame.colors.f[c][lane], flushes_f16));
        }
        run_program(pixel_program_blend_bytes4(&program, &blend, source, row(frame.stored)));
        memcpy(expected, frame.stored, sizeof(expected));
        pixel_blend_bytes4(&blend, &unit, NULL, expected);
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            if (frame.codes[lane] != expected[lane])
                print_message("color %u %u, alpha %u %u, lane %u\n", blend.color.source, blend.color.destination,
                              blend.alpha.source, blend.alpha.destination, lane);
            assert_int_equal(frame.codes[lane], expected[lane]);
        }
    }
}

/* Blending in sRGB: between the curves it is pixel_blend. */
static void blending_encoded(void **state)
{
    for (unsigned round = 0; round < 1000; round++) {
        struct pixel_blend blend = random_blend(round);
        union pixel_colors unit, stored;
        jit_value source[4];
        const uint8_t order[4] = {round & 1 ? 2 : 0, 1, round & 1 ? 0 : 2, 3};
        memcpy(blend.from, order, sizeof(order));
        blend.is_bytes4 = false;
        pixel_blend_prepare(&blend);
        assert_true(blend.adds);
        fill_frame();
        begin_program(round & 1, false);
        for (unsigned c = 0; c < 4; c++) {
            source[c] = pixel_program_unit_of_half(&program, half_value(frame.colors.f[c]));
            for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
                const uint32_t code = frame.stored[lane] >> 8 * c & 255;
                unit.f[c][lane] = unit_of(half_of(frame.colors.f[c][lane], false));
                stored.f[order[c]][lane] = c < 3 ? format_srgb_to_float(code) : format_unorm_to_float(code, 8);
            }
        }
        run_program(pixel_program_blend_srgb4(&program, &blend, source, row(frame.stored), round & 2));
        pixel_blend(&blend, &unit, NULL, &stored);
        for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
            float expected[4];
            for (unsigned k = 0; k < 4; k++)
                expected[k] = unit.f[order[k]][lane] < 1 ? unit.f[order[k]][lane] : 1;
            assert_int_equal(frame.codes[lane], srgb_of(expected, round & 2));
        }
    }
}

static int make_jit(void **state)
{
    jit = jit_create();
    return jit ? 0 : -1;
}

static int drop_jit(void **state)
{
    jit_destroy(jit);
    return 0;
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exported_halves),
        cmocka_unit_test(packed_halves),
        cmocka_unit_test(packed_words),
        cmocka_unit_test(formats_that_are_packed),
        cmocka_unit_test(logic_operations),
        cmocka_unit_test(floats),
        cmocka_unit_test(encoded),
        cmocka_unit_test(encoded_floats),
        cmocka_unit_test(encoded_halves),
        cmocka_unit_test(ordered_floats),
        cmocka_unit_test(interpolation),
        cmocka_unit_test(blending),
        cmocka_unit_test(blending_encoded),
    };
    return cmocka_run_group_tests(tests, make_jit, drop_jit);
}
