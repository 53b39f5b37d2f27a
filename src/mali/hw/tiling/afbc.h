/* AFBC, Arm's framebuffer compression: an image is superblocks of 256 texels, each with a header of 16 bytes. A header
 * has the offset of the superblock's bytes from the first header, and sixteen sizes of 6 bits, one for each of its
 * blocks of 4 × 4. A size of 1 means a block that is not compressed; a first size of 0 that all texels have one colour,
 * which is in the header. What is compressed has bits that are not public, and nothing here writes it: the order of
 * blocks in a superblock that is not compressed is not public either, and here it is row by row.
 *
 * Headers are in rows, or in tiles of 8 × 8 whose headers follow Morton's order; of 4 × 4 where texels have more than
 * four bytes. */
#ifndef MALI_HW_TILING_AFBC_H
#define MALI_HW_TILING_AFBC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "mali/hw/tiling/tile.h"

#define MALI_AFBC_HEADER_B 16u
#define MALI_AFBC_TEXELS 256u
#define MALI_AFBC_BLOCKS 16u
#define MALI_AFBC_BODY_ALIGN_B 128u
#define MALI_AFBC_UNCOMPRESSED 1u

enum mali_afbc_kind {
    MALI_AFBC_SOLID,      /* one colour: 8 bytes of the header */
    MALI_AFBC_RAW,        /* all blocks as they are */
    MALI_AFBC_COMPRESSED, /* at least one whose bits are not public */
};

struct mali_afbc_header {
    enum mali_afbc_kind kind;
    uint32_t body_B; /* from the first header */
    uint8_t sizes[MALI_AFBC_BLOCKS];
    uint64_t colour; /* of a solid one */
};

/* A plane: how its headers lie, and how large a texel is. */
struct mali_afbc {
    uint32_t row_B; /* of headers, or of tiles of them */
    uint8_t w_log2; /* of a superblock: 4, 5 or 6; it has 256 texels */
    uint8_t pixel_B;
    uint8_t header_tile_log2; /* of the side of a tile of headers; 0: they are in rows */
};

static inline unsigned mali_afbc_header_tile_log2(bool is_tiled, unsigned pixel_B)
{
    return !is_tiled ? 0 : pixel_B <= 4 ? 3 : 2;
}

/* Where the header of superblock (x, y) is, from the first one. */
static inline uint64_t mali_afbc_header_offset_B(uint32_t row_B, unsigned tile_log2, uint32_t x, uint32_t y)
{
    const uint32_t mask = (1u << tile_log2) - 1;
    const uint32_t inside = mali_tile_spread(x & mask) | mali_tile_spread(y & mask) << 1;
    return (uint64_t)(y >> tile_log2) * row_B +
           (((uint64_t)(x >> tile_log2) << 2 * tile_log2) + inside) * MALI_AFBC_HEADER_B;
}

/* Sixteen sizes of MALI_AFBC_UNCOMPRESSED, of six bits each. */
static const uint8_t mali_afbc_raw_sizes[12] = {0x41, 0x10, 0x04, 0x41, 0x10, 0x04, 0x41, 0x10, 0x04, 0x41, 0x10, 0x04};

/* Are none of its blocks compressed? */
static inline bool mali_afbc_is_raw(const uint8_t bytes[MALI_AFBC_HEADER_B])
{
    return memcmp(bytes + 4, mali_afbc_raw_sizes, sizeof(mali_afbc_raw_sizes)) == 0;
}

static inline struct mali_afbc_header mali_afbc_unpack(const uint8_t bytes[MALI_AFBC_HEADER_B])
{
    struct mali_afbc_header header = {.kind = MALI_AFBC_RAW};
    if ((bytes[4] & 63) == 0) { /* the first size */
        header.kind = MALI_AFBC_SOLID;
        memcpy(&header.colour, bytes + 8, 8);
        return header;
    }
    memcpy(&header.body_B, bytes, 4);
    if (mali_afbc_is_raw(bytes)) {
        memset(header.sizes, MALI_AFBC_UNCOMPRESSED, sizeof(header.sizes));
        return header;
    }
    header.kind = MALI_AFBC_COMPRESSED;
    for (unsigned i = 0; i < MALI_AFBC_BLOCKS; i++) {
        uint32_t word = 0;
        unsigned bit = 32 + 6 * i;
        memcpy(&word, bytes + bit / 8, bit / 8 + 2 <= MALI_AFBC_HEADER_B ? 2 : 1);
        header.sizes[i] = (uint8_t)(word >> bit % 8 & 63);
    }
    return header;
}

/* The header of a texel's superblock, from the first one. */
static inline uint64_t mali_afbc_texel_header_B(const struct mali_afbc *afbc, uint32_t x, uint32_t y)
{
    return mali_afbc_header_offset_B(afbc->row_B, afbc->header_tile_log2, x >> afbc->w_log2, y >> (8 - afbc->w_log2));
}

/* Where a texel is in the bytes of its superblock, where it is not compressed: blocks of 4 × 4 in rows. */
static inline uint32_t mali_afbc_texel_B(const struct mali_afbc *afbc, uint32_t x, uint32_t y)
{
    const uint32_t inside_x = x & ((1u << afbc->w_log2) - 1), inside_y = y & ((1u << (8 - afbc->w_log2)) - 1);
    const uint32_t block = ((inside_y >> 2) << (afbc->w_log2 - 2)) + (inside_x >> 2);
    return (block * 16 + (inside_y & 3) * 4 + (inside_x & 3)) * afbc->pixel_B;
}

/* The place that a superblock has for itself in the body, by where its header is. */
static inline uint32_t mali_afbc_body_B(const struct mali_afbc *afbc, uint64_t header_offset_B)
{
    return (uint32_t)(header_offset_B / MALI_AFBC_HEADER_B) * MALI_AFBC_TEXELS * afbc->pixel_B;
}

static inline void mali_afbc_pack_raw(uint8_t bytes[MALI_AFBC_HEADER_B], uint32_t body_B)
{
    memcpy(bytes, &body_B, 4);
    memcpy(bytes + 4, mali_afbc_raw_sizes, sizeof(mali_afbc_raw_sizes));
}

static inline void mali_afbc_pack_solid(uint8_t bytes[MALI_AFBC_HEADER_B], uint64_t colour)
{
    memset(bytes, 0, MALI_AFBC_HEADER_B);
    memcpy(bytes + 8, &colour, 8);
}

#endif
