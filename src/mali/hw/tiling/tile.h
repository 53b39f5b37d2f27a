/* Where an element is in a plane. An element is a texel, or a block of a compressed format. Planes are
 *
 *   linear            rows of elements
 *   U-interleaved     rows of tiles, of 16 × 16 texels or 4 × 4 blocks of a compressed format, whose elements follow a
 *                     curve: the bits of the number in a tile are, from the lowest on, x0 ^ y0, y0, x1 ^ y1, y1 …
 *   interleaved 64k   rows of pages of 64 KiB, squares or twice as wide as high; a page has rows of such tiles, always of
 *                     16 × 16 elements. For elements of 1, 2, 4, 8 and 16 bytes
 *
 * Not here: sizes and strides of images (surface.h), AFBC (afbc.h). */
#ifndef MALI_HW_TILING_TILE_H
#define MALI_HW_TILING_TILE_H

#include <stdbool.h>
#include <stdint.h>

#define MALI_PAGE_LOG2_B 16

/* All are pages: of the first two kinds, as wide as a row and as high as a tile. */
struct mali_tile {
    uint32_t row_B; /* from a row of pages to the next */
    uint8_t element_B;
    uint8_t side_log2;                /* of a tile in elements: 4, 2, or 0 for a linear plane */
    uint8_t page_w_log2, page_h_log2; /* of a page in elements */
    uint8_t page_log2;                /* elements of a page */
};

enum mali_order {
    MALI_ORDER_LINEAR,
    MALI_ORDER_TILED,
    MALI_ORDER_64K,
};

static inline struct mali_tile mali_tile_init(unsigned element_B, uint32_t row_B, enum mali_order order,
                                              bool is_compressed)
{
    struct mali_tile tile = {.row_B = row_B, .element_B = (uint8_t)element_B, .page_w_log2 = 31};
    if (order == MALI_ORDER_64K) {
        unsigned log2 = MALI_PAGE_LOG2_B - (unsigned)__builtin_ctz(element_B);
        tile.side_log2 = 4;
        tile.page_log2 = (uint8_t)log2;
        tile.page_w_log2 = (uint8_t)((log2 + 1) / 2);
        tile.page_h_log2 = (uint8_t)(log2 / 2);
    } else if (order == MALI_ORDER_TILED) {
        tile.side_log2 = tile.page_h_log2 = is_compressed ? 2 : 4;
    }
    return tile;
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
    const uint32_t inside = x & ((1u << tile->page_w_log2) - 1);
    return x >> tile->page_w_log2 << tile->page_log2 | inside >> log2 << 2 * log2 |
           mali_tile_spread(x & ((1u << log2) - 1));
}

static inline uint32_t mali_tile_y(const struct mali_tile *tile, uint32_t y)
{
    return mali_tile_spread(y & ((1u << tile->side_log2) - 1)) * 3;
}

/* Rows of tiles of a page follow each other. */
static inline uint64_t mali_tile_row_B(const struct mali_tile *tile, uint32_t y)
{
    const uint32_t inside = (y & ((1u << tile->page_h_log2) - 1)) >> tile->side_log2;
    return (uint64_t)(y >> tile->page_h_log2) * tile->row_B +
           (inside ? (uint64_t)inside << (tile->page_w_log2 + tile->side_log2) : 0) * tile->element_B;
}

static inline uint64_t mali_tile_offset_B(const struct mali_tile *tile, uint32_t x, uint32_t y)
{
    return mali_tile_row_B(tile, y) + (uint64_t)(mali_tile_x(tile, x) ^ mali_tile_y(tile, y)) * tile->element_B;
}

#endif
