/* Where an element is in a plane. An element is a texel, or a block of a compressed format. Planes are rows of elements
 * (linear), or tiles of 16 × 16 texels or 4 × 4 blocks, whose elements follow a curve: the bits of the number in a tile
 * are, from the lowest on, x0 ^ y0, y0, x1 ^ y1, y1 … (U-interleaved). Tiles are in rows, one after the other.
 *
 * Not here: sizes and strides of images (surface.h), AFBC (afbc.h). */
#ifndef MALI_HW_TILING_TILE_H
#define MALI_HW_TILING_TILE_H

#include <stdbool.h>
#include <stdint.h>

struct mali_tile {
    uint32_t row_B; /* from a row of tiles to the next; of a linear plane, of elements */
    uint8_t element_B;
    uint8_t side_log2; /* of a tile in elements: 4, 2, or 0 for a linear plane */
};

static inline struct mali_tile mali_tile_init(unsigned element_B, uint32_t row_B, bool is_tiled, bool is_compressed)
{
    return (struct mali_tile){
        .row_B = row_B,
        .element_B = (uint8_t)element_B,
        .side_log2 = is_tiled ? is_compressed ? 2 : 4 : 0,
    };
}

/* The lowest four bits at even places. */
static inline uint32_t mali_tile_spread(uint32_t bits)
{
    return (bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 8) << 3;
}

/* An element's number in its row of tiles is mali_tile_x ^ mali_tile_y; the row itself is mali_tile_row_B. */
static inline uint32_t mali_tile_x(const struct mali_tile *tile, uint32_t x)
{
    const unsigned log2 = tile->side_log2;
    return x >> log2 << 2 * log2 | mali_tile_spread(x & ((1u << log2) - 1));
}

static inline uint32_t mali_tile_y(const struct mali_tile *tile, uint32_t y)
{
    return mali_tile_spread(y & ((1u << tile->side_log2) - 1)) * 3;
}

static inline uint64_t mali_tile_row_B(const struct mali_tile *tile, uint32_t y)
{
    return (uint64_t)(y >> tile->side_log2) * tile->row_B;
}

static inline uint64_t mali_tile_offset_B(const struct mali_tile *tile, uint32_t x, uint32_t y)
{
    return mali_tile_row_B(tile, y) + (uint64_t)(mali_tile_x(tile, x) ^ mali_tile_y(tile, y)) * tile->element_B;
}

#endif
