/* ASTC: one block of 16 bytes to its texels. Integer sequences, the block's configuration, weights, interpolation. */
#include "util/format/astc.h"

#include <string.h>

/* The grid's weights of both planes, with room for what interpolation reads after the last row (its share is zero). */
#define GRID_WEIGHTS (64 + 2 * 13)

struct astc_block {
    struct block_bits bits;
    const struct astc_mode *mode;
    unsigned partitions, partition_index;
    unsigned second_component; /* the one that the second plane's weights are for */
    uint8_t endpoint_modes[ASTC_MAX_PARTITIONS];
    unsigned value_count, colour_range, colour_first, colour_bits;
};

/* Trits of five integers and quints of three lie between the plain bits: this many after those of each integer. */
static void take_group(struct block_bits *bits, unsigned plain, const uint8_t *packed_bits, unsigned count,
                       uint8_t *dst, unsigned *packed_out)
{
    unsigned packed = 0, at = 0;
    for (unsigned i = 0; i < count; i++) {
        dst[i] = (uint8_t)block_bits_take(bits, plain);
        packed |= block_bits_take(bits, packed_bits[i]) << at;
        at += packed_bits[i];
    }
    *packed_out = packed;
}

/* `count` integers of one range. `dst` may be written past `count` up to the next multiple of 5. */
static void astc_take_integers(struct block_bits bits, unsigned range, unsigned count, uint8_t *dst)
{
    static const uint8_t trit_bits[5] = {2, 2, 1, 2, 1}, quint_bits[3] = {3, 2, 2};
    const struct astc_range *row = &astc_ranges[range];
    unsigned packed;
    if (row->trits) {
        for (unsigned i = 0; i < count; i += 5) {
            take_group(&bits, row->bits, trit_bits, 5, dst + i, &packed);
            for (unsigned k = 0; k < 5; k++)
                dst[i + k] |= (uint8_t)(astc_trits[packed][k] << row->bits);
        }
    } else if (row->quints) {
        for (unsigned i = 0; i < count; i += 3) {
            take_group(&bits, row->bits, quint_bits, 3, dst + i, &packed);
            for (unsigned k = 0; k < 3; k++)
                dst[i + k] |= (uint8_t)(astc_quints[packed][k] << row->bits);
        }
    } else {
        for (unsigned i = 0; i < count; i++)
            dst[i] = (uint8_t)block_bits_take(&bits, row->bits);
    }
}

static unsigned bits_at(const struct astc_block *block, unsigned first, unsigned count)
{
    return (unsigned)block_bits_slice(block->bits, first, count).low;
}

/* The endpoint modes of two to four partitions: one for all, or for each a bit that selects one of two neighbouring
 * classes and two bits inside the class. Six bits lie above the partition index, the rest directly below `end`. The
 * result is the number of those. */
static unsigned read_endpoint_modes(struct astc_block *block, unsigned end)
{
    unsigned field = bits_at(block, 23, 6), selector = field & 3, partitions = block->partitions;
    if (!selector) {
        memset(block->endpoint_modes, (int)(field >> 2), sizeof(block->endpoint_modes));
        return 0;
    }
    unsigned extra = 3 * partitions - 4;
    unsigned rest = field >> 2 | bits_at(block, end - extra, extra) << 4;
    for (unsigned i = 0; i < partitions; i++) {
        unsigned class = selector - 1 + (rest >> i & 1);
        block->endpoint_modes[i] = (uint8_t)(class << 2 | (rest >> (partitions + 2 * i) & 3));
    }
    return extra;
}

/* False for an illegal block. Void extents are not handled here. */
static bool read_block(struct astc_block *block, unsigned width, unsigned height)
{
    block->mode = &astc_modes[bits_at(block, 0, 11)];
    block->partitions = bits_at(block, 11, 2) + 1;
    if (!block->mode->width || block->mode->width > width || block->mode->height > height ||
        (block->mode->is_dual && block->partitions == 4))
        return false;

    unsigned end = 128 - block->mode->weight_bits;
    if (block->partitions == 1) {
        block->endpoint_modes[0] = (uint8_t)bits_at(block, 13, 4);
        block->colour_first = 17;
    } else {
        block->partition_index = bits_at(block, 13, 10);
        block->colour_first = 29;
        end -= read_endpoint_modes(block, end);
    }
    if (block->mode->is_dual) {
        end -= 2;
        block->second_component = bits_at(block, end, 2);
    }

    block->value_count = 0;
    for (unsigned i = 0; i < block->partitions; i++)
        block->value_count += astc_endpoint_values(block->endpoint_modes[i]);
    if (block->value_count > ASTC_MAX_VALUES || end <= block->colour_first)
        return false;
    block->colour_bits = end - block->colour_first;
    block->colour_range = astc_colour_range[block->value_count / 2][block->colour_bits];
    return block->colour_range != 0;
}

static unsigned sequence_bits(unsigned range, unsigned count)
{
    const struct astc_range *row = &astc_ranges[range];
    return (count * 8 * row->trits + 4) / 5 + (count * 7 * row->quints + 2) / 3 + count * row->bits;
}

static void read_endpoints(const struct astc_block *block, struct astc_endpoints endpoints[ASTC_MAX_PARTITIONS])
{
    uint8_t values[ASTC_MAX_VALUES + 4];
    unsigned bits = sequence_bits(block->colour_range, block->value_count);
    astc_take_integers(block_bits_slice(block->bits, block->colour_first, bits), block->colour_range,
                       block->value_count, values);
    for (unsigned i = 0; i < block->value_count; i++)
        values[i] = astc_colours[block->colour_range][values[i]];
    for (unsigned i = 0, first = 0; i < block->partitions; i++) {
        astc_decode_endpoints(&endpoints[i], block->endpoint_modes[i], values + first);
        first += astc_endpoint_values(block->endpoint_modes[i]);
    }
}

static uint64_t reverse_bits(uint64_t value)
{
    value = (value >> 1 & 0x5555555555555555) | (value & 0x5555555555555555) << 1;
    value = (value >> 2 & 0x3333333333333333) | (value & 0x3333333333333333) << 2;
    value = (value >> 4 & 0x0f0f0f0f0f0f0f0f) | (value & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(value);
}

/* Weights grow downwards from the block's last bit; two planes take turns. */
static void read_weights(const struct astc_block *block, uint8_t grid[GRID_WEIGHTS])
{
    const struct astc_mode *mode = block->mode;
    struct block_bits reversed = {reverse_bits(block->bits.high), reverse_bits(block->bits.low)};
    unsigned count = (unsigned)mode->width * mode->height << mode->is_dual;
    astc_take_integers(block_bits_slice(reversed, 0, mode->weight_bits), mode->range, count, grid);
    for (unsigned i = 0; i < count; i++)
        grid[i] = astc_weights[mode->range][grid[i]];
    memset(grid + count, 0, GRID_WEIGHTS - count);
}

/* Where the texels of one axis lie in the grid, in sixteenths of a grid step. Always for twelve texels, the maximum. */
static void grid_positions(uint8_t positions[12], unsigned texels, unsigned weights)
{
    unsigned step = (1024 + texels / 2) / (texels - 1);
    for (unsigned i = 0; i < 12; i++)
        positions[i] = (uint8_t)((step * i * (weights - 1) + 32) >> 6);
}

/* One plane's weight of every texel. */
static void spread_weights(uint8_t *dst, unsigned width, unsigned height, const struct astc_mode *mode,
                           const uint8_t *grid)
{
    unsigned stride = 1u << mode->is_dual, row_stride = mode->width * stride;
    if (mode->width == width && mode->height == height) {
        for (unsigned i = 0; i < width * height; i++)
            dst[i] = grid[i * stride];
        return;
    }
    uint8_t along[12], down[12];
    grid_positions(along, width, mode->width);
    grid_positions(down, height, mode->height);
    for (unsigned y = 0; y < height; y++) {
        unsigned part_y = down[y] & 15;
        const uint8_t *row = grid + (down[y] >> 4) * row_stride;
        for (unsigned x = 0; x < width; x++) {
            unsigned part_x = along[x] & 15;
            const uint8_t *corner = row + (along[x] >> 4) * stride;
            unsigned both = (part_x * part_y + 8) >> 4;
            *dst++ = (uint8_t)((corner[0] * (16 - part_x - part_y + both) + corner[stride] * (part_x - both) +
                                corner[row_stride] * (part_y - both) + corner[row_stride + stride] * both + 8) >>
                               4);
        }
    }
}

static const uint16_t magenta[4] = {0xffff, 0, 0xffff, 0xffff};

static void fill_texels(uint16_t (*dst)[4], unsigned count, const uint16_t colour[4])
{
    for (unsigned i = 0; i < count; i++)
        memcpy(dst[i], colour, sizeof(dst[i]));
}

/* Both colours in 16 bits, the form that the interpolation needs. */
struct astc_ramp {
    uint16_t from[4], to[4];
};

static struct astc_ramp make_ramp(const struct astc_endpoints *endpoints, bool srgb)
{
    struct astc_ramp ramp;
    if (endpoints->is_hdr) {
        memcpy(ramp.from, magenta, sizeof(magenta));
        memcpy(ramp.to, magenta, sizeof(magenta));
        return ramp;
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = endpoints->colour[0][i], to = endpoints->colour[1][i];
        ramp.from[i] = (uint16_t)(from << 8 | (srgb ? 0x80 : from));
        ramp.to[i] = (uint16_t)(to << 8 | (srgb ? 0x80 : to));
    }
    return ramp;
}

static uint16_t interpolate(unsigned from, unsigned to, unsigned weight)
{
    return (uint16_t)((from * (64 - weight) + to * weight + 32) >> 6);
}

static void decode_texels(uint16_t (*dst)[4], unsigned width, unsigned height, bool srgb,
                          const struct astc_block *block)
{
    struct astc_endpoints endpoints[ASTC_MAX_PARTITIONS];
    struct astc_ramp ramps[ASTC_MAX_PARTITIONS];
    read_endpoints(block, endpoints);
    for (unsigned i = 0; i < block->partitions; i++)
        ramps[i] = make_ramp(&endpoints[i], srgb);

    uint8_t grid[GRID_WEIGHTS], weights[2][ASTC_MAX_TEXELS], partition[ASTC_MAX_TEXELS];
    unsigned count = width * height;
    read_weights(block, grid);
    spread_weights(weights[0], width, height, block->mode, grid);
    if (block->partitions > 1)
        astc_select_partitions(partition, width, height, block->partitions, block->partition_index);
    else
        memset(partition, 0, count);

    for (unsigned texel = 0; texel < count; texel++) {
        const struct astc_ramp *ramp = &ramps[partition[texel]];
        for (unsigned i = 0; i < 4; i++)
            dst[texel][i] = interpolate(ramp->from[i], ramp->to[i], weights[0][texel]);
    }
    if (block->mode->is_dual) {
        unsigned i = block->second_component;
        spread_weights(weights[1], width, height, block->mode, grid + 1);
        for (unsigned texel = 0; texel < count; texel++) {
            const struct astc_ramp *ramp = &ramps[partition[texel]];
            dst[texel][i] = interpolate(ramp->from[i], ramp->to[i], weights[1][texel]);
        }
    }
}

/* One colour. Four coordinates of 13 bits say how far it reaches: all ones, or each axis from a lower to a higher one.
 */
static void decode_void_extent(uint16_t (*dst)[4], unsigned count, const struct astc_block *block)
{
    unsigned is_hdr = bits_at(block, 9, 1), reserved = bits_at(block, 10, 2), s_low = bits_at(block, 12, 13),
             s_high = bits_at(block, 25, 13), t_low = bits_at(block, 38, 13), t_high = bits_at(block, 51, 13);
    bool everywhere = (s_low & s_high & t_low & t_high) == 0x1fff;
    bool is_legal = reserved == 3 && (everywhere || (s_low < s_high && t_low < t_high));
    uint16_t colour[4];
    for (unsigned i = 0; i < 4; i++)
        colour[i] = (uint16_t)(block->bits.high >> 16 * i);
    fill_texels(dst, count, is_hdr || !is_legal ? magenta : colour);
}

void astc_decode(uint16_t (*dst)[4], unsigned width, unsigned height, bool srgb, const uint8_t *bytes)
{
    struct astc_block block = {.bits = block_bits_start(bytes)};
    if (bits_at(&block, 0, 9) == 0x1fc)
        decode_void_extent(dst, width * height, &block);
    else if (read_block(&block, width, height))
        decode_texels(dst, width, height, srgb, &block);
    else
        fill_texels(dst, width * height, magenta);
}
