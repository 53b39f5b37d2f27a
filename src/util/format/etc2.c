/* ETC2 and EAC: blocks of 4x4 texels.
 *
 * Inside a block texels go down the columns: number x * 4 + y. Bit numbers are those of the specification: of the eight
 * bytes as one big-endian word. */
#include "util/format/etc2.h"

#include <string.h>

#include "util/bits.h"
#include "util/format/load_store.h"

static uint64_t load_word(const uint8_t *block)
{
    return __builtin_bswap64(format_load64(block));
}

static unsigned field(uint64_t word, unsigned high, unsigned low)
{
    return (unsigned)(word >> low & ((2ull << (high - low)) - 1));
}

static uint8_t clamp_code(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* `bits` known bits become eight: the top ones are repeated below. */
static int extend_bits(unsigned value, unsigned bits)
{
    return (int)(value << (8 - bits) | value >> (2 * bits - 8));
}

/* By the two bits of a texel: 0 and 1 are added, 2 and 3 taken away. */
static const uint8_t modifiers[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
static const uint8_t distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};

/* The four colours that a texel's two bits choose from; for each half of the block. */
struct palette {
    uint8_t colour[2][4][4];
};

static void put_colour(uint8_t dst[4], const int base[3], int add)
{
    for (unsigned i = 0; i < 3; i++)
        dst[i] = clamp_code(base[i] + add);
    dst[3] = 255;
}

/* Individual and differential blocks: each half has a base colour and a row of modifiers. */
static void fill_halves(struct palette *palette, const int base[2][3], uint64_t word, bool is_opaque)
{
    for (unsigned half = 0; half < 2; half++) {
        const uint8_t *row = modifiers[half ? field(word, 36, 34) : field(word, 39, 37)];
        for (unsigned index = 0; index < 4; index++) {
            int step = index & 1 ? row[1] : is_opaque ? row[0] : 0;
            put_colour(palette->colour[half][index], base[half], index & 2 ? -step : step);
        }
    }
}

/* T and H blocks: two base colours, of which one or both are lightened and darkened by a distance. */
static void fill_paints(struct palette *palette, const int base[4][3], const int add[4])
{
    for (unsigned index = 0; index < 4; index++)
        put_colour(palette->colour[0][index], base[index], add[index]);
    memcpy(palette->colour[1], palette->colour[0], sizeof(palette->colour[0]));
}

static void second_base(int base[3], uint64_t word)
{
    for (unsigned i = 0; i < 3; i++)
        base[i] = extend_bits(field(word, 47 - 4 * i, 44 - 4 * i), 4);
}

static void fill_t(struct palette *palette, uint64_t word)
{
    int first[3] = {extend_bits(field(word, 60, 59) << 2 | field(word, 57, 56), 4), extend_bits(field(word, 55, 52), 4),
                    extend_bits(field(word, 51, 48), 4)};
    int second[3];
    second_base(second, word);
    int distance = distances[field(word, 35, 34) << 1 | field(word, 32, 32)];
    int base[4][3];
    for (unsigned i = 0; i < 4; i++)
        memcpy(base[i], i ? second : first, sizeof(base[i]));
    fill_paints(palette, (const int(*)[3])base, (const int[4]){0, distance, 0, -distance});
}

static void fill_h(struct palette *palette, uint64_t word)
{
    int first[3] = {extend_bits(field(word, 62, 59), 4), extend_bits(field(word, 58, 56) << 1 | field(word, 52, 52), 4),
                    extend_bits(field(word, 51, 51) << 3 | field(word, 49, 47), 4)};
    int second[3];
    /* All of it is one bit lower than in T blocks. */
    second_base(second, word << 1);
    bool is_first_greater =
        (first[0] << 16 | first[1] << 8 | first[2]) >= (second[0] << 16 | second[1] << 8 | second[2]);
    int distance = distances[field(word, 34, 34) << 2 | field(word, 32, 32) << 1 | is_first_greater];
    int base[4][3];
    for (unsigned i = 0; i < 4; i++)
        memcpy(base[i], i < 2 ? first : second, sizeof(base[i]));
    fill_paints(palette, (const int(*)[3])base, (const int[4]){distance, -distance, distance, -distance});
}

/* A plane through the colours of the first texel and of those that would follow its row and its column. */
static void decode_planar(uint8_t (*dst)[4], uint64_t word)
{
    const int origin[3] = {extend_bits(field(word, 62, 57), 6),
                           extend_bits(field(word, 56, 56) << 6 | field(word, 54, 49), 7),
                           extend_bits(field(word, 48, 48) << 5 | field(word, 44, 43) << 3 | field(word, 41, 39), 6)};
    const int across[3] = {extend_bits(field(word, 38, 34) << 1 | field(word, 32, 32), 6),
                           extend_bits(field(word, 31, 25), 7), extend_bits(field(word, 24, 19), 6)};
    const int down[3] = {extend_bits(field(word, 18, 13), 6), extend_bits(field(word, 12, 6), 7),
                         extend_bits(field(word, 5, 0), 6)};
    for (int texel = 0; texel < 16; texel++) {
        int x = texel % 4, y = texel / 4;
        for (unsigned i = 0; i < 3; i++)
            dst[texel][i] =
                clamp_code((x * (across[i] - origin[i]) + y * (down[i] - origin[i]) + 4 * origin[i] + 2) >> 2);
        dst[texel][3] = 255;
    }
}

static void choose_texels(uint8_t (*dst)[4], const struct palette *palette, uint64_t word, bool is_flipped)
{
    for (unsigned texel = 0; texel < 16; texel++) {
        unsigned x = texel % 4, y = texel / 4, number = x * 4 + y;
        unsigned half = (is_flipped ? y : x) >> 1,
                 index = field(word, 16 + number, 16 + number) << 1 | field(word, number, number);
        memcpy(dst[texel], palette->colour[half][index], sizeof(dst[texel]));
    }
}

void etc2_decode_colour(uint8_t (*dst)[4], const uint8_t *block, bool punchthrough)
{
    uint64_t word = load_word(block);
    bool bit33 = field(word, 33, 33), is_opaque = !punchthrough || bit33;
    struct palette palette;
    int base[2][3];
    unsigned outside = 3; /* the first component whose second colour leaves the range selects the mode */
    if (!punchthrough && !bit33) {
        for (unsigned i = 0; i < 3; i++) {
            base[0][i] = extend_bits(field(word, 63 - 8 * i, 60 - 8 * i), 4);
            base[1][i] = extend_bits(field(word, 59 - 8 * i, 56 - 8 * i), 4);
        }
    } else {
        for (unsigned i = 3; i-- > 0;) {
            int first = (int)field(word, 63 - 8 * i, 59 - 8 * i),
                second = first + (int)bits_sign_extend(field(word, 58 - 8 * i, 56 - 8 * i), 3);
            if (second < 0 || second > 31)
                outside = i;
            base[0][i] = extend_bits((unsigned)first, 5);
            base[1][i] = extend_bits((unsigned)second & 31, 5);
        }
    }
    if (outside == 2) {
        decode_planar(dst, word); /* opaque, whatever bit 33 says */
        return;
    }
    if (outside == 0)
        fill_t(&palette, word);
    else if (outside == 1)
        fill_h(&palette, word);
    else
        fill_halves(&palette, (const int(*)[3])base, word, is_opaque);
    if (!is_opaque)
        for (unsigned half = 0; half < 2; half++)
            memset(palette.colour[half][2], 0, sizeof(palette.colour[half][2]));
    choose_texels(dst, &palette, word, outside == 3 && field(word, 32, 32));
}

/* The steps of the lower four indices are negative, of the upper ones positive and smaller by one. */
static const uint8_t eac_steps[16][4] = {
    {3, 6, 9, 15}, {3, 7, 10, 13}, {2, 5, 8, 13}, {2, 4, 6, 13}, {3, 6, 8, 12}, {3, 7, 9, 11},
    {4, 7, 8, 11}, {3, 5, 8, 11},  {2, 6, 8, 10}, {2, 5, 8, 10}, {2, 4, 8, 10}, {2, 5, 7, 10},
    {3, 4, 7, 10}, {1, 2, 3, 10},  {4, 6, 8, 9},  {3, 5, 7, 9},
};

static int eac_modifier(uint64_t word, unsigned index)
{
    int step = eac_steps[field(word, 51, 48)][index & 3];
    return index & 4 ? step - 1 : -step;
}

static unsigned eac_index(uint64_t word, unsigned texel)
{
    unsigned number = texel % 4 * 4 + texel / 4;
    return (unsigned)(word >> (45 - 3 * number) & 7);
}

void etc2_decode_alpha(uint8_t (*dst)[4], const uint8_t *block)
{
    uint64_t word = load_word(block);
    uint8_t values[8];
    for (unsigned index = 0; index < 8; index++)
        values[index] = clamp_code((int)field(word, 63, 56) + eac_modifier(word, index) * (int)field(word, 55, 52));
    for (unsigned texel = 0; texel < 16; texel++)
        dst[texel][3] = values[eac_index(word, texel)];
}

void eac_decode(uint16_t *dst, unsigned stride, const uint8_t *block, bool is_signed)
{
    uint64_t word = load_word(block);
    /* -128 counts as -127. A multiplier of zero stands for an eighth. */
    int code = is_signed ? (int8_t)block[0] : block[0];
    int base = is_signed ? (code < -127 ? -127 : code) * 8 : code * 8 + 4;
    int factor = field(word, 55, 52) ? (int)field(word, 55, 52) * 8 : 1;
    int low = is_signed ? -1023 : 0, high = is_signed ? 1023 : 2047;
    uint16_t values[8];
    for (unsigned index = 0; index < 8; index++) {
        int value = base + eac_modifier(word, index) * factor;
        value = value < low ? low : value > high ? high : value;
        int magnitude = value < 0 ? -value : value;
        magnitude = magnitude << 5 | magnitude >> (is_signed ? 5 : 6);
        values[index] = (uint16_t)(value < 0 ? -magnitude : magnitude);
    }
    for (unsigned texel = 0; texel < 16; texel++)
        dst[texel * stride] = values[eac_index(word, texel)];
}
