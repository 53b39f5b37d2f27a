/* Every codec of every format against a reference that reads struct format_info bit by bit and calculates in binary64:
 * it shares the table with the generated code, and nothing else. Every code of every channel of up to 16 bits is
 * unpacked. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/format/format.h"
#include "util/format/format_texel.h"

static uint64_t random_state = 0x2545f4914f6cdd1dull;

static uint32_t random_u32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

/* ---- the reference ---- */

enum domain {
    DOMAIN_FLOAT,
    DOMAIN_SINT,
    DOMAIN_UINT,
};

static enum domain channel_domain(const struct format_channel *channel)
{
    return channel->numeric == FORMAT_NUMERIC_UINT   ? DOMAIN_UINT
           : channel->numeric == FORMAT_NUMERIC_SINT ? DOMAIN_SINT
                                                     : DOMAIN_FLOAT;
}

static unsigned channel_slot(const struct format_channel *channel)
{
    return channel->component <= FORMAT_COMPONENT_A ? channel->component : 0;
}

static uint64_t get_code(const uint8_t *block, const struct format_channel *channel)
{
    uint64_t code = 0;
    for (unsigned bit = 0; bit < channel->bits; bit++) {
        unsigned at = channel->low_bit + bit;
        code |= (uint64_t)(block[at / 8] >> at % 8 & 1) << bit;
    }
    return code;
}

static void set_code(uint8_t *block, const struct format_channel *channel, uint64_t code)
{
    for (unsigned bit = 0; bit < channel->bits; bit++) {
        unsigned at = channel->low_bit + bit;
        block[at / 8] = (uint8_t)((block[at / 8] & ~(1 << at % 8)) | (code >> bit & 1) << at % 8);
    }
}

static double small_float(uint64_t code, unsigned m)
{
    uint64_t exponent = code >> m & 31, fraction = code & bits_mask(m);
    if (exponent == 31)
        return fraction ? (double)NAN : (double)INFINITY;
    return exponent ? ldexp(1 + ldexp((double)fraction, -(int)m), (int)exponent - 15)
                    : ldexp((double)fraction, -14 - (int)m);
}

/* The number that a code means, before it is rounded to a float. */
static double decode_words(uint64_t code, const struct format_channel *channel)
{
    unsigned bits = channel->bits;
    double max = (double)bits_mask(bits), number = (double)bits_sign_extend(code, bits),
           smax = (double)bits_mask(bits - 1);
    switch (channel->numeric) {
    case FORMAT_NUMERIC_UNORM:
        return (double)code / max;
    case FORMAT_NUMERIC_SNORM:
        return fmax(number / smax, -1);
    case FORMAT_NUMERIC_USCALED:
        return (double)code;
    case FORMAT_NUMERIC_SSCALED:
        return number;
    case FORMAT_NUMERIC_UFLOAT:
        return small_float(code, bits - 5);
    case FORMAT_NUMERIC_SFLOAT:
        if (bits == 16)
            return copysign(small_float(code & 0x7fff, 10), code >> 15 ? -1 : 1);
        return bits == 32 ? (double)bits_float((uint32_t)code) : bits_double(code);
    case FORMAT_NUMERIC_SRGB:
        return code / 255.0 <= 0.04045 ? code / 255.0 / 12.92 : pow((code / 255.0 + 0.055) / 1.055, 2.4);
    default:
        abort();
    }
}

static bool has_shared_exponent(const struct format_info *info)
{
    return info->channel_count == 4 && info->channels[3].component == FORMAT_COMPONENT_E;
}

/* Channels of a 4:2:2 block: the first sample of a component is that of the left texel. */
static const struct format_channel *find_channel(const struct format_info *info, enum domain domain, unsigned slot,
                                                 unsigned x)
{
    const struct format_channel *found = NULL;
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        if (channel->component == FORMAT_COMPONENT_E || channel_domain(channel) != domain ||
            channel_slot(channel) != slot)
            continue;
        if (!found || x)
            found = channel;
    }
    return found;
}

static void reference_float(const struct format_info *info, const uint8_t *block, unsigned x, float out[4])
{
    for (unsigned slot = 0; slot < 4; slot++) {
        const struct format_channel *channel = find_channel(info, DOMAIN_FLOAT, slot, x);
        if (has_shared_exponent(info) && channel)
            out[slot] = (float)ldexp((double)get_code(block, channel), (int)get_code(block, &info->channels[3]) - 24);
        else
            out[slot] = channel ? (float)decode_words(get_code(block, channel), channel) : slot == 3;
    }
}

static void reference_integer(const struct format_info *info, const uint8_t *block, enum domain domain, uint32_t out[4])
{
    for (unsigned slot = 0; slot < 4; slot++) {
        const struct format_channel *channel = find_channel(info, domain, slot, 0);
        uint64_t code = channel ? get_code(block, channel) : slot == 3;
        out[slot] =
            (uint32_t)(channel && domain == DOMAIN_SINT ? (uint64_t)bits_sign_extend(code, channel->bits) : code);
    }
}

/* The number of units from one float to the other: 0 for any two NaN. */
static uint32_t distance(float a, float b)
{
    if (isnan(a) && isnan(b))
        return 0;
    return (uint32_t)llabs((int64_t)(int32_t)float_bits(a) - (int32_t)float_bits(b));
}

/* ---- which conversions there are ---- */

static bool expect_domain(const struct format_info *info, enum domain domain)
{
    if (info->format == FORMAT_UNDEFINED || info->plane_count > 1 || format_is_compressed(info))
        return false;
    for (unsigned i = 0; i < info->channel_count; i++)
        if (channel_domain(&info->channels[i]) == domain)
            return domain == DOMAIN_FLOAT || info->channels[i].bits <= 32;
    return false;
}

static void conversions_that_do_not_exist_say_so_and_write_nothing(void **state)
{
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        uint32_t texels[2][4], before[2][4];
        uint8_t block[64] = {0}, block_before[64];
        memset(texels, 0xa5, sizeof(texels));
        memcpy(before, texels, sizeof(texels));
        memcpy(block_before, block, sizeof(block));
        const uint32_t ones[1][4] = {{1, 1, 1, 1}};
        bool row = info->block_width == 1;
        for (unsigned domain = 0; domain < 3; domain++) {
            if (expect_domain(info, domain))
                continue;
            bool unpacked =
                domain == DOMAIN_FLOAT  ? format_unpack_rgba_float(info->format, (float(*)[4])texels, block, 1)
                : domain == DOMAIN_SINT ? format_unpack_rgba_sint(info->format, (int32_t(*)[4])texels, block, 1)
                                        : format_unpack_rgba_uint(info->format, texels, block, 1);
            bool packed =
                domain == DOMAIN_FLOAT  ? format_pack_rgba_float(info->format, block, (const float(*)[4])ones, 1)
                : domain == DOMAIN_SINT ? format_pack_rgba_sint(info->format, block, (const int32_t(*)[4])ones, 1)
                                        : format_pack_rgba_uint(info->format, block, ones, 1);
            assert_false(unpacked || packed);
        }
        assert_memory_equal(texels, before, sizeof(texels));
        assert_memory_equal(block, block_before, sizeof(block));

        const struct format_codec *codec = format_codec(info->format);
        assert_true(row || !expect_domain(info, DOMAIN_FLOAT) || codec->unpack_float);
        assert_int_equal(codec->fetch_float != NULL, expect_domain(info, DOMAIN_FLOAT) && row);
        assert_int_equal(codec->store_float != NULL, expect_domain(info, DOMAIN_FLOAT) && row);
        assert_int_equal(codec->fetch_sint != NULL, expect_domain(info, DOMAIN_SINT));
        assert_int_equal(codec->store_sint != NULL, expect_domain(info, DOMAIN_SINT));
        assert_int_equal(codec->fetch_uint != NULL, expect_domain(info, DOMAIN_UINT));
        assert_int_equal(codec->store_uint != NULL, expect_domain(info, DOMAIN_UINT));
    }
    float texel[1][4];
    assert_false(format_unpack_rgba_float((enum format)185, texel, texel, 1));
    assert_false(format_unpack_rgba_float((enum format) - 1, texel, texel, 1));
}

/* ---- unpack ---- */

/* The row is long enough for vector loops and their rests, and neither end is aligned. */
#define ROW 67

static void check_unpack(const struct format_info *info, uint8_t *blocks)
{
    const struct format_codec *codec = format_codec(info->format);
    unsigned size = info->block_size_B, width = info->block_width;
    uint32_t texels[ROW + 1][4], fetched[ROW][4];
    const void *pointers[ROW];
    for (unsigned i = 0; i < ROW; i++)
        pointers[i] = blocks + i * size;
    for (unsigned domain = 0; domain < 3; domain++) {
        if (!expect_domain(info, domain))
            continue;
        memset(texels[ROW], 0x5a, sizeof(texels[ROW]));
        if (domain == DOMAIN_FLOAT) {
            assert_true(format_unpack_rgba_float(info->format, (float(*)[4])texels, blocks, ROW));
            if (codec->fetch_float)
                codec->fetch_float((float(*)[4])fetched, pointers, ROW);
        } else if (domain == DOMAIN_SINT) {
            assert_true(format_unpack_rgba_sint(info->format, (int32_t(*)[4])texels, blocks, ROW));
            codec->fetch_sint((int32_t(*)[4])fetched, pointers, ROW);
        } else {
            assert_true(format_unpack_rgba_uint(info->format, texels, blocks, ROW));
            codec->fetch_uint(fetched, pointers, ROW);
        }
        assert_true(texels[ROW][0] == 0x5a5a5a5a && texels[ROW][3] == 0x5a5a5a5a);
        if (width == 1)
            assert_memory_equal(texels, fetched, sizeof(fetched));
        for (unsigned i = 0; i < ROW; i++) {
            const uint8_t *block = blocks + i / width * size;
            uint32_t expected[4];
            if (domain != DOMAIN_FLOAT) {
                reference_integer(info, block, domain, expected);
                assert_memory_equal(texels[i], expected, sizeof(expected));
                continue;
            }
            float number[4];
            reference_float(info, block, i % width, number);
            for (unsigned slot = 0; slot < 4; slot++) {
                /* pow() of the host may be wrong in its last place; test_format_channel has the sRGB table to the last
                 * bit. */
                uint32_t allowed = info->numeric == FORMAT_NUMERIC_SRGB && slot < 3 ? 1 : 0;
                if (distance(bits_float(texels[i][slot]), number[slot]) > allowed)
                    fail_msg("%s: component %u of block %02x%02x%02x%02x... is %a, not %a", info->name, slot, block[0],
                             block[1], block[2], block[3], (double)bits_float(texels[i][slot]), (double)number[slot]);
            }
        }
    }
}

static void fill_random(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)random_u32();
}

static void every_code_of_every_channel_unpacks_to_its_number(void **state)
{
    static uint8_t storage[1 + ROW * 32];
    uint8_t *blocks = storage + 1;
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        if (!expect_domain(info, DOMAIN_FLOAT) && !expect_domain(info, DOMAIN_SINT) &&
            !expect_domain(info, DOMAIN_UINT))
            continue;
        for (unsigned c = 0; c < info->channel_count; c++) {
            const struct format_channel *channel = &info->channels[c];
            uint64_t codes = 1ull << MIN2(channel->bits, 16);
            for (uint64_t first = 0; first < codes; first += ROW) {
                fill_random(blocks, ROW * info->block_size_B);
                for (unsigned i = 0; i < ROW; i++)
                    set_code(blocks + i * info->block_size_B, channel,
                             channel->bits <= 16 ? (first + i) & (codes - 1)
                                                 : (uint64_t)random_u32() << 32 | random_u32());
                check_unpack(info, blocks);
            }
        }
    }
}

/* ---- pack ---- */

/* The code that a number becomes; sRGB and shared exponents have their own tests. */
static uint64_t encode_number(float x, const struct format_channel *channel)
{
    unsigned bits = channel->bits;
    double number = isnan(x) ? 0 : (double)x, max = (double)bits_mask(bits), smax = (double)bits_mask(bits - 1);
    switch (channel->numeric) {
    case FORMAT_NUMERIC_UNORM:
        return (uint64_t)nearbyint(fmin(fmax(number, 0), 1) * max);
    case FORMAT_NUMERIC_SNORM:
        return (uint64_t)(int64_t)nearbyint(fmin(fmax(number, -1), 1) * smax) & bits_mask(bits);
    case FORMAT_NUMERIC_USCALED:
        return (uint64_t)nearbyint(fmin(fmax(number, 0), max));
    case FORMAT_NUMERIC_SSCALED:
        return (uint64_t)(int64_t)nearbyint(fmin(fmax(number, -smax - 1), smax)) & bits_mask(bits);
    case FORMAT_NUMERIC_SFLOAT:
        return bits == 16 ? float_to_half_rtne(x) : bits == 32 ? float_bits(x) : double_bits((double)x);
    case FORMAT_NUMERIC_UFLOAT:
        return format_float_to_ufloat(x, bits - 5);
    case FORMAT_NUMERIC_SRGB:
        return format_float_to_srgb(x);
    default:
        abort();
    }
}

static float random_number(unsigned i)
{
    static const float edges[] = {0.0f,     -0.0f, 1.0f,   -1.0f,    2.0f,      -2.0f, 0.5f,  65504.0f,
                                  65520.0f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN,   1e-40f};
    switch (i % 8) {
    case 0:
        return edges[random_u32() % ARRAY_SIZE(edges)];
    case 1:
        return bits_float(random_u32() |
                          0x400000); /* no signalling NaN: 64-bit channels convert it, which may quiet it */
    case 2:
        return (float)(int32_t)(random_u32() % 200001 - 100000) * 0.5f;
    case 3:
        return (float)(int32_t)random_u32() * 0x1p-31f;
    default:
        return (float)random_u32() * 0x1p-32f;
    }
}

static void set_expected(const struct format_info *info, uint8_t *block, enum domain domain, const uint32_t texel[4])
{
    /* Bits that belong to no channel are written as zero, those of another aspect stay. */
    uint8_t fresh[32] = {0};
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        uint32_t bits = texel[channel_slot(channel)];
        uint64_t code;
        if (channel_domain(channel) != domain)
            code = get_code(block, channel);
        else if (domain == DOMAIN_FLOAT)
            code = encode_number(bits_float(bits), channel);
        else if (domain == DOMAIN_UINT)
            code = MIN2((uint64_t)bits, bits_mask(channel->bits));
        else
            code = (uint64_t)MAX2(MIN2((int64_t)(int32_t)bits, (int64_t)bits_mask(channel->bits - 1)),
                                  -(int64_t)bits_mask(channel->bits - 1) - 1);
        set_code(fresh, channel, code);
    }
    memcpy(block, fresh, info->block_size_B);
}

static void check_pack(const struct format_info *info, enum domain domain)
{
    static uint8_t storage[3][1 + (ROW + 1) * 32];
    uint8_t *row = storage[0] + 1, *stored = storage[1] + 1, *expected = storage[2] + 1;
    const struct format_codec *codec = format_codec(info->format);
    unsigned size = info->block_size_B;
    uint32_t texels[ROW][4];
    void *pointers[ROW];
    for (unsigned i = 0; i < ROW; i++) {
        for (unsigned slot = 0; slot < 4; slot++) {
            uint32_t integer = random_u32() >> random_u32() % 32;
            texels[i][slot] = domain == DOMAIN_FLOAT ? float_bits(random_number(random_u32()))
                              : random_u32() & 1     ? ~integer
                                                     : integer;
        }
        pointers[i] = stored + i * size;
    }
    fill_random(row, (ROW + 1) * size);
    memcpy(stored, row, (ROW + 1) * size);
    memcpy(expected, row, (ROW + 1) * size);
    for (unsigned i = 0; i < ROW; i++) {
        if (has_shared_exponent(info))
            format_store32(expected + i * 4, format_pack_e5b9g9r9(bits_float(texels[i][0]), bits_float(texels[i][1]),
                                                                  bits_float(texels[i][2])));
        else
            set_expected(info, expected + i * size, domain, texels[i]);
    }
    if (domain == DOMAIN_FLOAT) {
        assert_true(format_pack_rgba_float(info->format, row, (const float(*)[4])texels, ROW));
        codec->store_float(pointers, (const float(*)[4])texels, ROW);
    } else if (domain == DOMAIN_SINT) {
        assert_true(format_pack_rgba_sint(info->format, row, (const int32_t(*)[4])texels, ROW));
        codec->store_sint(pointers, (const int32_t(*)[4])texels, ROW);
    } else {
        assert_true(format_pack_rgba_uint(info->format, row, texels, ROW));
        codec->store_uint(pointers, (const uint32_t(*)[4])texels, ROW);
    }
    for (unsigned i = 0; i < ROW * size; i++)
        if (row[i] != expected[i])
            fail_msg("%s: byte %u of texel %u is %02x, not %02x (texel %a %a %a %a)", info->name, i % size, i / size,
                     row[i], expected[i], (double)bits_float(texels[i / size][0]),
                     (double)bits_float(texels[i / size][1]), (double)bits_float(texels[i / size][2]),
                     (double)bits_float(texels[i / size][3]));
    assert_memory_equal(row, expected, (ROW + 1) * size);
    assert_memory_equal(stored, expected, (ROW + 1) * size);
}

static void numbers_pack_to_their_codes(void **state)
{
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        for (unsigned domain = 0; domain < 3; domain++)
            if (expect_domain(info, domain) && info->block_width == 1)
                for (unsigned n = 0; n < 100; n++)
                    check_pack(info, domain);
    }
}

/* Unpacked numbers pack to equal bits: but for the two codes of -1, payloads of NaN, unused bits and shared
 * exponents that are not in their smallest form. */
static void codes_survive_the_way_to_numbers_and_back(void **state)
{
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        if (info->block_width != 1 || !expect_domain(info, DOMAIN_FLOAT) || info->channels[0].bits > 16 ||
            has_shared_exponent(info) || info->aspects != FORMAT_ASPECT_COLOR)
            continue;
        for (unsigned n = 0; n < 20000; n++) {
            uint8_t block[32] = {0}, back[32] = {0};
            for (unsigned c = 0; c < info->channel_count; c++) {
                const struct format_channel *channel = &info->channels[c];
                uint64_t code = random_u32() & bits_mask(channel->bits);
                if (channel->numeric == FORMAT_NUMERIC_SNORM && code == 1ull << (channel->bits - 1))
                    code++;
                if ((channel->numeric == FORMAT_NUMERIC_UFLOAT || channel->numeric == FORMAT_NUMERIC_SFLOAT) &&
                    isnan(decode_words(code, channel)))
                    code = 0;
                set_code(block, channel, code);
            }
            float texel[1][4];
            assert_true(format_unpack_rgba_float(info->format, texel, block, 1));
            assert_true(format_pack_rgba_float(info->format, back, (const float(*)[4])texel, 1));
            assert_memory_equal(block, back, info->block_size_B);
        }
    }
}

static void one_texel_functions_are_there_for_those_who_know_their_format(void **state)
{
    const uint8_t bytes[4] = {255, 0, 51, 204};
    float texel[4];
    format_r8g8b8a8_unorm_unpack_float(texel, bytes);
    assert_true(texel[0] == 1.0f && texel[1] == 0.0f && texel[2] == 0.2f && texel[3] == 0.8f);
    format_b8g8r8a8_unorm_unpack_float(texel, bytes);
    assert_true(texel[2] == 1.0f && texel[0] == 0.2f);
    /* Aliases: a packed word of bytes is an array of bytes. */
    format_a8b8g8r8_unorm_pack32_unpack_float(texel, bytes);
    assert_true(texel[0] == 1.0f && texel[3] == 0.8f);
    uint8_t back[4];
    format_a8b8g8r8_unorm_pack32_pack_float(back, texel);
    assert_memory_equal(back, bytes, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_that_do_not_exist_say_so_and_write_nothing),
        cmocka_unit_test(every_code_of_every_channel_unpacks_to_its_number),
        cmocka_unit_test(numbers_pack_to_their_codes),
        cmocka_unit_test(codes_survive_the_way_to_numbers_and_back),
        cmocka_unit_test(one_texel_functions_are_there_for_those_who_know_their_format),
    };
    return cmocka_run_group_tests_name("format codecs", tests, NULL, NULL);
}
