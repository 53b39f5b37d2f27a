/* Where the elements of a render target or a depth buffer are: a layout with its tables, kept from draw to draw because
 * neighbours use the same. */
#ifndef AMD_MODEL_CB_SURFACE_H
#define AMD_MODEL_CB_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/tiling/tiling.h"

struct cb_surface {
    bool valid; /* the layout below is that of `desc` */
    struct amd_surface_desc desc;
    struct amd_surface layout;
    struct amd_tiling_table table;
    uint64_t va;            /* without the pipe and bank bits that the register holds */
    uint32_t width, height; /* of the level that is drawn to */
    unsigned level;
    /* Blocks: the same sample of 8 by 8 aligned pixels, or of 4 by 4 or 2 by 2, lies in one aligned piece of memory
     * within a page. */
    bool has_blocks;
    bool blocks_fit;                 /* the same but for the alignment of `va` */
    uint8_t block_log2;              /* pixels each way: 3, or else 2, or of eight samples 1 */
    uint16_t block_B;                /* the piece's size */
    uint16_t block_x[8], block_y[8]; /* the address bits that change with a coordinate in a block */
    uint16_t quad_xor[4];            /* the same for the pixels of a quad */
    bool quad_is_row;                /* the four elements of a quad are contiguous */
    bool block_is_row;               /* all elements of a block of 8 by 8 are, in some order */
    bool fours_are_rows;             /* four elements of a row are, in blocks of 8 by 8: */
    uint16_t four_at[16];            /* the bits of these fours, from left to right and row by row */
    bool samples_are_row;            /* the samples of a pixel are, in one piece */
    /* In 64 by 64 aligned pixels the address of a block is that of the first one XOR these, by fours of pixels. */
    bool has_tiles;
    bool tiles_fit; /* the same but for the alignment of `va` */
    uint32_t tile_x[16], tile_y[16];
    uint32_t quad_x[32], quad_y[32]; /* the same by quads */
    /* Blocks are 4 by 4, but all of a tile's elements are at most 64 KiB from each other, so that where that is one
     * piece of the host's memory those of a tile are found without blocks, and 8 by 8 pixels by block_x and block_y. */
    bool has_wide;
    struct {
        uint8_t x, y; /* one element of each 256 bytes that a block touches */
    } unit[16];
    uint8_t unit_count;
    bool fills_units;     /* 8 by 8 pixels touch no 256 bytes that other pixels are in */
    unsigned block_level; /* that all this is for */
    uint64_t generation;  /* of the layout: another number, another layout */
};

/* A block that was looked up: the element of a pixel's sample stands at host[sample] + (low[sample] ^
 * cb_block_bits(...)). */
struct cb_block {
    uint64_t draw;        /* that looked it up; 0: none */
    uint32_t x, y, slice; /* x and y of the first pixel */
    uint8_t *host[8];
    uint16_t low[8];
};

/* Of colours whose FMASK is kept pixel by pixel, of which there are four samples at most: that of the block, its 64
 * bytes. */
#define CB_NUMBERS 7
static inline uint8_t *cb_block_numbers(const struct cb_block *block)
{
    return block->host[CB_NUMBERS];
}

/* The blocks that a worker has looked up in a surface: those of a tile, or of a corner of it where blocks are small.
 * Primitives come back to a block again and again. */
#define CB_BLOCKS_LOG2 3 /* each way */
struct cb_blocks {
    struct cb_block at[1 << 2 * CB_BLOCKS_LOG2];
};

static inline uint32_t cb_block_first(const struct cb_surface *surface, uint32_t x)
{
    return x >> surface->block_log2 << surface->block_log2;
}

static inline uint32_t cb_block_bits(const struct cb_surface *surface, uint32_t x, uint32_t y)
{
    uint32_t mask = (1u << surface->block_log2) - 1;
    return surface->block_x[x & mask] ^ surface->block_y[y & mask];
}

static inline bool cb_block_is(const struct cb_surface *surface, const struct cb_block *block, uint64_t draw,
                               uint32_t x, uint32_t y, uint32_t slice)
{
    return block->draw == draw && !((block->x ^ x) >> surface->block_log2) &&
           !((block->y ^ y) >> surface->block_log2) && block->slice == slice;
}

static inline struct cb_block *cb_block_slot(struct cb_blocks *blocks, const struct cb_surface *surface, uint32_t x,
                                             uint32_t y)
{
    const uint32_t mask = (1u << CB_BLOCKS_LOG2) - 1;
    return &blocks->at[(y >> surface->block_log2 & mask) << CB_BLOCKS_LOG2 | (x >> surface->block_log2 & mask)];
}

/* `base_va` is as the register has it: its low bits may hold pipe and bank bits, which replace those of `desc`. NULL,
 * or what is wrong. */
const char *amd_cb_surface_set(struct cb_surface *surface, uint32_t gb_addr_config, struct amd_surface_desc desc,
                               uint64_t base_va, unsigned level);

/* A 40-bit base register and its extension: 256-byte units, 48 bits, sign-extended. */
static inline uint64_t cb_surface_va(uint32_t base, uint32_t extension)
{
    uint64_t va = ((uint64_t)base | (uint64_t)(extension & 0xff) << 32) << 8;
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

static inline uint64_t cb_surface_at(const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice,
                                     uint32_t sample)
{
    return surface->va + amd_tiling_table_offset(&surface->table, x, y, slice, sample, surface->level);
}

/* Asks the host for a block's memory, all of which is likely to be wanted soon. */
static inline void cb_block_fetch(const struct cb_surface *surface, const uint8_t *host)
{
    for (uint32_t at = 0; at < surface->block_B; at += 64)
        __builtin_prefetch(host + at, 1);
}

#endif
