/* Elements of formats as lane operations make them, beside the formats' codecs: every format that fits, colours that
 * are numbers, edges and NaN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/lane_env.h"
#include "model/pixel/pixel_program.h"
#include "model/pixel/pixel_words.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

#define WORDS 4

struct frame {
    uint32_t exec[PIXEL_LANES];
    uint32_t colors[4][PIXEL_LANES];
    uint32_t words[WORDS][PIXEL_LANES];
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

static uint32_t random_word(bool is_integer)
{
    static const uint32_t edges[] = {0,          0x80000000, 1,          0x3f800000, 0x3f7fffff, 0x3f800001,
                                     0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x387fc000, 0x38800000,
                                     0x33800000, 0x337fffff, 0xbf800000, 0x3f000000, 0x007fffff, 0x477fe000,
                                     0x47800000, 0xff,       0x100,      0x7f,       0x80,       0xffffff80,
                                     0xffff8000, 0x7fff,     0x8000,     0xffffffff};
    if (random32() % 3 == 0)
        return edges[random32() % (sizeof(edges) / sizeof(edges[0]))];
    if (is_integer)
        return random32() >> random32() % 32;
    return random32() % 2 ? float_bits(((float)(random32() % 65536) + 0.5f) / 65535.0f) : random32();
}

static bool is_integer(const struct format_info *info)
{
    return info->numeric == FORMAT_NUMERIC_UINT || info->numeric == FORMAT_NUMERIC_SINT;
}

static void make_words(enum format format, bool flushes)
{
    const struct jit_frame shape = {PIXEL_LANES, offsetof(struct frame, exec), sizeof(frame)};
    struct lane_mode mode = {.keep_in_f32 = flushes ? 0 : UINT32_MAX, .keep_out_f32 = flushes ? 0 : UINT32_MAX};
    jit_value colors[4], words[4];
    program.mode = lane_mode_complete(mode);
    program.count = 0;
    program.failed = false;
    assert_true(pixel_program_fits(&program));
    for (unsigned c = 0; c < 4; c++)
        colors[c] = lane_program_emit(&program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                                      (uint32_t)(offsetof(struct frame, colors) + c * sizeof(frame.colors[0])));
    pixel_words_pack(&program, format, colors, words);
    for (unsigned k = 0; k < WORDS; k++) {
        assert_int_equal(words[k] == JIT_NONE, 4 * k >= format_info(format)->block_size_B);
        if (words[k] != JIT_NONE)
            lane_program_emit(&program, JIT_STORE, words[k], JIT_NONE, JIT_NONE,
                              (uint32_t)(offsetof(struct frame, words) + k * sizeof(frame.words[0])));
    }
    assert_false(program.failed);
    jit_reset(jit);
    const jit_code code = jit_compile(jit, program.insts, program.count, &shape, true);
    assert_non_null(code);
    const uint64_t host = lane_env_get();
    lane_env_set(lane_env_of(&program.mode, LANE_FP_F32));
    code(&frame);
    lane_env_set(host);
}

/* Bits of channels that are NaN may be those of any. */
static void forgive_nan(const struct format_info *info, const uint32_t colors[4], uint32_t *made, uint32_t *expected)
{
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        const bool is_unsigned = channel->numeric == FORMAT_NUMERIC_UFLOAT;
        if ((channel->numeric != FORMAT_NUMERIC_SFLOAT && !is_unsigned) ||
            (colors[channel->component] & 0x7fffffff) <= 0x7f800000)
            continue;
        const unsigned word = channel->low_bit / 32u, low = channel->low_bit % 32u;
        const uint32_t all = channel->bits == 32 ? UINT32_MAX : (1u << channel->bits) - 1,
                       magnitude = is_unsigned ? all : all >> 1,
                       infinity = channel->bits == 32 ? 0x7f800000 : magnitude + 1 - ((magnitude + 1) >> 5);
        assert_true((made[word] >> low & magnitude) > infinity);
        made[word] &= ~(all << low);
        expected[word] &= ~(all << low);
    }
}

static void compare_words(const struct format_info *info)
{
    for (unsigned lane = 0; lane < PIXEL_LANES; lane++) {
        uint32_t colors[4], made[WORDS], expected[WORDS] = {0};
        for (unsigned i = 0; i < 4; i++) {
            colors[i] = frame.colors[i][lane];
            made[i] = 4 * i < info->block_size_B ? frame.words[i][lane] : 0;
        }
        if (info->numeric == FORMAT_NUMERIC_UINT)
            assert_true(format_pack_rgba_uint(info->format, expected, (const uint32_t(*)[4])colors, 1));
        else if (info->numeric == FORMAT_NUMERIC_SINT)
            assert_true(format_pack_rgba_sint(info->format, expected, (const int32_t(*)[4])colors, 1));
        else
            assert_true(format_pack_rgba_float(info->format, expected, (const float(*)[4])colors, 1));
        forgive_nan(info, colors, made, expected);
        assert_memory_equal(made, expected, info->block_size_B);
    }
}

static void elements(void **state)
{
    unsigned formats = 0;
    for (unsigned n = 0; n < format_count; n++) {
        const struct format_info *info = format_info_at(n);
        if (!pixel_words_fit(info->format))
            continue;
        formats++;
        for (unsigned round = 0; round < 16; round++) {
            for (unsigned i = 0; i < 4 * PIXEL_LANES; i++)
                frame.colors[i / PIXEL_LANES][i % PIXEL_LANES] = random_word(is_integer(info));
            memset(frame.exec, 0xff, sizeof(frame.exec));
            make_words(info->format, round & 1);
            compare_words(info);
        }
    }
    assert_in_range(formats, 40, format_count);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements)};
    return cmocka_run_group_tests(tests, make_jit, drop_jit);
}
