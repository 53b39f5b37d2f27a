/* Where the texels of a level in TILE6_3 are. Four steps lead from a coordinate to a byte:
 *
 * 1. A block of 256 bytes. Bits of x and y take turns in an element's number: from the lowest x0 y0 x1 y1 x2 x3 x4 y2,
 *    as many as the block has elements.
 * 2. A macrotile of 2 KiB, two blocks wide and four high. Each of the three bits that choose a block is an exclusive or
 *    of bits of the block's coordinates, of its own and of farther blocks: tile.c has the equations.
 * 3. Macrotiles lie row by row.
 * 4. Where rows are so far apart that macrotiles below each other would be in the same bank of memory, bits of the row
 *    are mixed into the address: the chip's highest bank bit and its levels of swizzling say which.
 *
 * Every bit of the result depends on x or on y by exclusive or, so that the parts can be computed apart. */
#ifndef ADRENO_HW_TILING_TILE_H
#define ADRENO_HW_TILING_TILE_H

#include "adreno/hw/chip.h"

#define ADRENO_TILE_BLOCK_B 256u
#define ADRENO_MACROTILE_B 2048u

struct adreno_tile {
    uint8_t element_log2; /* bytes of an element: a texel or compressed block with all its samples */
    uint8_t block_w_log2, block_h_log2;
    uint8_t bank_rows;        /* bits of a block's row that go to banks, */
    uint8_t bank_shift;       /* and how far up */
    uint8_t x_place[8];       /* which block of a macrotile, by the low bits of the block's column */
    uint8_t y_place[8];       /* and of its row */
    uint64_t macrotile_row_B; /* from a row of macrotiles to the next */
};

/* The number of an element in its block, by the low bits of each coordinate. */
extern const uint8_t adreno_tile_x_order[32];
extern const uint8_t adreno_tile_y_order[8];

/* element_B is a power of two up to 128; the pitch is a multiple of two blocks. */
struct adreno_tile adreno_tile_init(const struct adreno_chip *chip, uint32_t element_B, uint32_t pitch_B);

/* The offset without tables, for vectors of coordinates. */
static inline uint32_t adreno_tile_x_number(uint32_t inside)
{
    return (inside & 1) | (inside & 2) << 1 | (inside & 28) << 2;
}

static inline uint32_t adreno_tile_y_number(uint32_t inside)
{
    return (inside & 1) << 1 | (inside & 2) << 2 | (inside & 4) << 5;
}

/* x_place or y_place of a block's column or row: each bit of that has its part of the place. */
static inline uint32_t adreno_tile_place(const uint8_t place[8], uint32_t block)
{
    return ((0u - (block & 1)) & place[1]) ^ ((0u - (block >> 1 & 1)) & place[2]) ^ ((0u - (block >> 2 & 1)) & place[4]);
}

/* The part of an offset that x decides. */
static inline uint64_t adreno_tile_x_B(const struct adreno_tile *t, uint32_t x)
{
    const uint32_t block = x >> t->block_w_log2, inside = x & ((1u << t->block_w_log2) - 1);
    return ((uint64_t)adreno_tile_x_order[inside] << t->element_log2 | t->x_place[block & 7] * ADRENO_TILE_BLOCK_B) +
           (uint64_t)(block >> 1) * ADRENO_MACROTILE_B;
}

/* The part that y decides within a row of macrotiles, by exclusive or. */
static inline uint64_t adreno_tile_y_B(const struct adreno_tile *t, uint32_t y)
{
    const uint32_t block = y >> t->block_h_log2, inside = y & ((1u << t->block_h_log2) - 1);
    return ((uint64_t)adreno_tile_y_order[inside] << t->element_log2 | t->y_place[block & 7] * ADRENO_TILE_BLOCK_B) ^
           (uint64_t)(block & t->bank_rows) << t->bank_shift;
}

/* Where the row of macrotiles begins. */
static inline uint64_t adreno_tile_row_B(const struct adreno_tile *t, uint32_t y)
{
    return (y >> t->block_h_log2 >> 2) * t->macrotile_row_B;
}

/* The offset of an element from the level's first byte. */
static inline uint64_t adreno_tile_offset_B(const struct adreno_tile *t, uint32_t x, uint32_t y)
{
    return (adreno_tile_x_B(t, x) ^ adreno_tile_y_B(t, y)) + adreno_tile_row_B(t, y);
}

#endif
