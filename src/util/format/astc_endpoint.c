/* ASTC: the colour endpoints of a partition, and which partition a texel belongs to. */
#include "util/bits.h"
#include "util/format/astc.h"

/* How an LDR endpoint mode uses its integers. */
enum astc_style {
    ASTC_HDR,
    ASTC_DIRECT, /* pairs: a component of the first and of the second colour */
    ASTC_OFFSET, /* pairs: a component and how much larger it is in the second colour */
    ASTC_PACKED, /* a pair: luminance and offset share bits in another way */
    ASTC_SCALE,  /* the second colour, and a factor for the first; a pair of alphas may follow */
};

struct astc_endpoint_mode {
    uint8_t style;        /* enum astc_style */
    uint8_t is_luminance; /* one component stands for red, green and blue */
    uint8_t has_alpha;
};

static const struct astc_endpoint_mode endpoint_modes[16] = {
    [0] = {ASTC_DIRECT, true, false},  [1] = {ASTC_PACKED, true, false}, [4] = {ASTC_DIRECT, true, true},
    [5] = {ASTC_OFFSET, true, true},   [6] = {ASTC_SCALE, false, false}, [8] = {ASTC_DIRECT, false, false},
    [9] = {ASTC_OFFSET, false, false}, [10] = {ASTC_SCALE, false, true}, [12] = {ASTC_DIRECT, false, true},
    [13] = {ASTC_OFFSET, false, true},
};

static uint8_t clamp_code(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void put_colour(uint8_t dst[4], const int components[4])
{
    for (unsigned i = 0; i < 4; i++)
        dst[i] = clamp_code(components[i]);
}

/* Blue contraction: near grey, red and green are kept as differences from blue. */
static void put_contracted(uint8_t dst[4], const int components[4])
{
    put_colour(dst, (const int[4]){(components[0] + components[2]) >> 1, (components[1] + components[2]) >> 1,
                                   components[2], components[3]});
}

/* Both colours from the integers; where `order` is negative they are exchanged and contracted. */
static void put_pair(struct astc_endpoints *endpoints, int first[4], int second[4], int order)
{
    if (order < 0) {
        put_contracted(endpoints->colour[0], second);
        put_contracted(endpoints->colour[1], first);
    } else {
        put_colour(endpoints->colour[0], first);
        put_colour(endpoints->colour[1], second);
    }
}

/* A pair of integers as base and signed offset of six bits, of which the base takes one. */
static void split_offset(const uint8_t pair[2], int *base_out, int *offset_out)
{
    *base_out = pair[0] >> 1 | (pair[1] & 0x80);
    *offset_out = (int)bits_sign_extend(pair[1] >> 1 & 0x3f, 6);
}

static void decode_pairs(struct astc_endpoints *endpoints, const struct astc_endpoint_mode *mode, const uint8_t *values)
{
    int first[4] = {0, 0, 0, 255}, second[4] = {0, 0, 0, 255};
    unsigned colours = mode->is_luminance ? 1 : 3;
    int order = 0;
    for (unsigned pair = 0; pair < colours + mode->has_alpha; pair++) {
        unsigned component = pair < colours ? pair : 3;
        if (mode->style == ASTC_OFFSET) {
            int offset;
            split_offset(values + 2 * pair, &first[component], &offset);
            second[component] = first[component] + offset;
        } else {
            first[component] = values[2 * pair];
            second[component] = values[2 * pair + 1];
        }
        if (component < 3)
            order += second[component] - first[component];
    }
    if (mode->is_luminance) {
        first[1] = first[2] = first[0];
        second[1] = second[2] = second[0];
        order = 0;
    }
    put_pair(endpoints, first, second, order);
}

static void decode_packed(struct astc_endpoints *endpoints, const uint8_t *values)
{
    int low = values[0] >> 2 | (values[1] & 0xc0), high = low + (values[1] & 0x3f);
    put_pair(endpoints, (int[4]){low, low, low, 255}, (int[4]){high, high, high, 255}, 0);
}

static void decode_scale(struct astc_endpoints *endpoints, bool has_alpha, const uint8_t *values)
{
    int first[4], second[4];
    for (unsigned i = 0; i < 3; i++) {
        second[i] = values[i];
        first[i] = values[i] * values[3] >> 8;
    }
    first[3] = has_alpha ? values[4] : 255;
    second[3] = has_alpha ? values[5] : 255;
    put_pair(endpoints, first, second, 0);
}

void astc_decode_endpoints(struct astc_endpoints *endpoints, unsigned mode, const uint8_t *values)
{
    const struct astc_endpoint_mode *row = &endpoint_modes[mode];
    endpoints->is_hdr = row->style == ASTC_HDR;
    switch ((enum astc_style)row->style) {
    case ASTC_HDR:
        return;
    case ASTC_DIRECT:
    case ASTC_OFFSET:
        decode_pairs(endpoints, row, values);
        return;
    case ASTC_PACKED:
        decode_packed(endpoints, values);
        return;
    case ASTC_SCALE:
        decode_scale(endpoints, row->has_alpha, values);
        return;
    }
}

/* The specification's hash52. */
static uint32_t hash_pattern(uint32_t x)
{
    x ^= x >> 15;
    x *= 0xeede0891u; /* its subtraction and its two additions of shifted numbers, as one product */
    x ^= x >> 5;
    x += x << 16;
    x ^= x >> 7;
    x ^= x >> 3;
    x ^= x << 6;
    return x ^ x >> 17;
}

/* Each partition has a plane over the block whose slopes and height come from the hash; the highest plane wins, the
 * lower number where two are equal. */
void astc_select_partitions(uint8_t *dst, unsigned width, unsigned height, unsigned partitions, unsigned index)
{
    unsigned seed = index + (partitions - 1) * 1024;
    uint32_t hash = hash_pattern(seed);
    unsigned by_count = partitions == 3 ? 6 : 5, by_seed = seed & 2 ? 4 : 5;
    unsigned shift_x = seed & 1 ? by_seed : by_count, shift_y = seed & 1 ? by_count : by_seed;
    unsigned scale = width * height < 31 ? 2 : 1; /* small blocks see every other texel of the pattern */

    uint8_t slope_x[ASTC_MAX_PARTITIONS], slope_y[ASTC_MAX_PARTITIONS], start[ASTC_MAX_PARTITIONS];
    for (unsigned i = 0; i < partitions; i++) {
        unsigned x = hash >> 8 * i & 15, y = hash >> (8 * i + 4) & 15;
        slope_x[i] = (uint8_t)((x * x >> shift_x) * scale);
        slope_y[i] = (uint8_t)((y * y >> shift_y) * scale);
        start[i] = (uint8_t)(hash >> (14 - 4 * i) & 63);
    }
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            unsigned best = 0, highest = 0;
            for (unsigned i = 0; i < partitions; i++) {
                unsigned level = (slope_x[i] * x + slope_y[i] * y + start[i]) & 63;
                if (i == 0 || level > highest) {
                    best = i;
                    highest = level;
                }
            }
            *dst++ = (uint8_t)best;
        }
    }
}
