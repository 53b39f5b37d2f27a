/* Surfaces in memory, as the writeback sees them: blocks of 8 by 8 pixels in the order of the tile buffer's cells. What
 * lies together in memory is looked up once. Private to this folder. */
#ifndef MALI_MODEL_FRAG_SURFACE_H
#define MALI_MODEL_FRAG_SURFACE_H

#include "mali/hw/tiling/afbc.h"
#include "mali/hw/tiling/tile.h"
#include "mali/model/frag/frag.h"

/* A surface's descriptor. */
struct frag_surface_info {
    uint64_t base_va;
    unsigned pixel_B, block_format;
    uint32_t row_B, body_B; /* body_B of AFBC: from the first header */
    bool is_wide;
};

struct frag_surface {
    struct mali_queue *queue;
    const char *client;
    unsigned pixel_B;
    uint64_t base_va;
    struct mali_tile tile;
    bool is_afbc;
    struct mali_afbc afbc;
    uint32_t body_B;
    /* Superblocks that were found, by their place in squares of so many: a tile has no more. */
    struct frag_known {
        uint32_t x, y; /* in superblocks */
        uint8_t *body; /* NULL: none is known */
    } known[16];
};

/* Where the pixels of a block are. */
struct frag_block {
    uint32_t x, y; /* of its first pixel on the surface */
    unsigned pixel_B;
    uint8_t *row[RASTER_BLOCK]; /* of a linear surface; NULL: nothing of it is written */
    uint8_t *first;             /* of the others: pixel i of the block is element order[i] from here on */
    const uint8_t *order;
    bool is_curve; /* U-interleaved: the block is one run of memory */
};

struct frag_surface mali_frag_surface(struct mali_queue *queue, const char *client,
                                      const struct frag_surface_info *info);

/* Before pixels of the tile in the rectangle (x0, y0, x1, y1) are written: superblocks of AFBC that they lie in become
 * ones that are not compressed. `writes_all`: no pixel of the rectangle stays as it is. False: stopped. */
bool mali_frag_surface_open(struct frag_surface *surface, const int32_t rect[4], bool writes_all);

/* The block of 8 by 8 pixels at (x, y), of which those of `pixels` are written. False: stopped. */
bool mali_frag_surface_find(struct frag_surface *surface, uint32_t x, uint32_t y, uint64_t pixels,
                            struct frag_block *block_out);

/* Store: `size_B` bytes of each pixel, `at_B` from its beginning, come from `data`, `stride_B` from one to the next. */
void mali_frag_surface_put(const struct frag_block *block, uint64_t pixels, const uint8_t *data, unsigned stride_B,
                           unsigned at_B, unsigned size_B);

/* Writes four bytes of each pixel, from rows of eight pixels that are row_B apart. */
void mali_frag_surface_put_rows(const struct frag_block *block, uint64_t pixels, const uint8_t *rows, size_t row_B);
/* Pixels of the block at (x, y) that lie in the rectangle. */
uint64_t mali_frag_pixels_inside(const int32_t rect[4], int32_t x, int32_t y);

/* The bytes of the superblock of AFBC at (x, y), and of those whose headers follow its own, `count` in all, which are
 * all written next, by nobody else. NULL: stopped. */
uint8_t *mali_frag_surface_take(const struct frag_surface *surface, uint32_t x, uint32_t y, unsigned count);

/* All pixels of the rectangle become `pixel`. False: stopped. */
bool mali_frag_surface_fill(struct frag_surface *surface, const int32_t rect[4], const uint8_t *pixel);

/* ---- targets (frag_writeback.c) ---- */

/* The part of the tile that lies in the bounds: pixels outside stay as they are in memory. False: nothing. */
bool mali_frag_find_rect(const struct frag_worker *w, int32_t rect_out[4]);
/* Are cells and memory the same bytes? */
bool mali_frag_is_plain(const struct frag_target *target);
struct frag_surface mali_frag_target_surface(const struct frag_fb *fb, const struct frag_target *target,
                                             unsigned sample);
/* For the report (model/stat.h): bytes of pixels that go to memory. */
void mali_frag_count_rect(const int32_t rect[4], unsigned pixel_B);

/* A rectangle as what of it is in whole cells of a grid, and the rim around that: parts that are not empty, the first
 * of which is the inside. Returns how many there are; 0: it has no whole cell. Sides of cells are powers of two. */
#define FRAG_PARTS 5
unsigned mali_frag_split(const int32_t rect[4], int32_t w, int32_t h, int32_t parts_out[FRAG_PARTS][4]);

#endif
