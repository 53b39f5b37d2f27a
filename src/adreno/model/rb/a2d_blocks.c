/* Copies of the 2D engine by whole blocks of 256 bytes: between rows of elements and blocks, where two neighbours in x
 * are neighbours in both, or from block to block. Not for: what is no whole block, which a2d_rows.c does element by
 * element. */
#include <string.h>

#include "adreno/model/rb/a2d.h"
#include "util/bits.h"

#define MAX_ROWS 8 /* of a block */

/* ---- one block ---- */

/* Rows of the linear side, from the block's first element on; by pairs of elements. */
#define DEFINE_BLOCK(size, w, h)                                                                                       \
    static void tile_##size(uint8_t *block, uint8_t *const rows[MAX_ROWS], size_t at_B)                                \
    {                                                                                                                  \
        for (unsigned y = 0; y < (h); y++) {                                                                           \
            for (unsigned x = 0; x < (w); x += 2)                                                                      \
                memcpy(block + (adreno_tile_x_order[x] | adreno_tile_y_order[y]) * (size),                             \
                       rows[y] + at_B + x * (size), 2 * (size));                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void untile_##size(uint8_t *block, uint8_t *const rows[MAX_ROWS], size_t at_B)                              \
    {                                                                                                                  \
        for (unsigned y = 0; y < (h); y++) {                                                                           \
            for (unsigned x = 0; x < (w); x += 2)                                                                      \
                memcpy(rows[y] + at_B + x * (size),                                                                    \
                       block + (adreno_tile_x_order[x] | adreno_tile_y_order[y]) * (size), 2 * (size));                \
        }                                                                                                              \
    }
DEFINE_BLOCK(1, 32, 8)
DEFINE_BLOCK(2, 32, 4)
DEFINE_BLOCK(8, 8, 4)
DEFINE_BLOCK(16, 4, 4)

/* Of four bytes: squares of four by four elements are 64 bytes, in which the two halves of two rows stand together. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));

static void tile_4(uint8_t *block, uint8_t *const rows[MAX_ROWS], size_t at_B)
{
    for (unsigned square = 0; square < 4; square++) {
        pair row[4], *to = (pair *)(block + square * 64);
        for (unsigned y = 0; y < 4; y++)
            row[y] = *(const pair *)(rows[y] + at_B + square * 16);
        to[0] = (pair){row[0][0], row[1][0]};
        to[1] = (pair){row[0][1], row[1][1]};
        to[2] = (pair){row[2][0], row[3][0]};
        to[3] = (pair){row[2][1], row[3][1]};
    }
}

static void untile_4(uint8_t *block, uint8_t *const rows[MAX_ROWS], size_t at_B)
{
    for (unsigned square = 0; square < 4; square++) {
        pair part[4];
        for (unsigned i = 0; i < 4; i++)
            part[i] = *(const pair *)(block + square * 64 + i * 16);
        for (unsigned y = 0; y < 4; y++)
            *(pair *)(rows[y] + at_B + square * 16) = (pair){part[y & 2][y & 1], part[(y & 2) + 1][y & 1]};
    }
}

typedef void (*block_fn)(uint8_t *block, uint8_t *const rows[MAX_ROWS], size_t at_B);
static const block_fn tile_block[] = {tile_1, tile_2, tile_4, tile_8, tile_16},
                      untile_block[] = {untile_1, untile_2, untile_4, untile_8, untile_16};

/* ---- a row of blocks ---- */

uint32_t adreno_a2d_block_rows(const struct adreno_a2d *a2d, int32_t src_x, int32_t src_y, int32_t y)
{
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const struct adreno_tile *tile = dst->is_tiled ? &dst->tile : &src->tile;
    if (!(src->is_tiled || dst->is_tiled) || src->element_B != dst->element_B || !is_power_of_two(dst->element_B) ||
        dst->element_B > 16 || src->gmem || dst->gmem)
        return 0;
    const int32_t x = dst->is_tiled ? a2d->x0 : src_x, width = 1 << tile->block_w_log2,
                  height = 1 << tile->block_h_log2, first_y = dst->is_tiled ? y : src_y;
    if (x % width || first_y % height || a2d->x1 - a2d->x0 < width || src_x < 0 || src_y < 0 ||
        (src->is_tiled && (src_x % width || src_y % height)))
        return 0;
    return (uint32_t)height;
}

bool adreno_a2d_copy_blocks(struct adreno_a2d_worker *worker, int32_t src_x, int32_t src_y, int32_t y, int32_t *x_out)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const struct adreno_tile *tile = dst->is_tiled ? &dst->tile : &src->tile;
    const uint32_t width = 1u << tile->block_w_log2, height = 1u << tile->block_h_log2,
                   count = (uint32_t)(a2d->x1 - a2d->x0) >> tile->block_w_log2;
    const size_t step_B = (size_t)width * dst->element_B;
    uint8_t *rows[MAX_ROWS] = {NULL};
    for (uint32_t i = 0; i < height && !(src->is_tiled && dst->is_tiled); i++) {
        rows[i] = dst->is_tiled ? adreno_rb_row(&worker->src, src_x, src_y + (int32_t)i, 0, count * width)
                                : adreno_rb_row(&worker->dst, a2d->x0, y + (int32_t)i, 0, count * width);
        if (!rows[i])
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int32_t x_offset = (int32_t)(i * width);
        uint8_t *from = src->is_tiled ? adreno_rb_element(&worker->src, src_x + x_offset, src_y, 0) : NULL,
                *to = dst->is_tiled ? adreno_rb_element(&worker->dst, a2d->x0 + x_offset, y, 0) : NULL;
        if ((src->is_tiled && !from) || (dst->is_tiled && !to))
            return false;
        if (from && to)
            memcpy(to, from, ADRENO_TILE_BLOCK_B);
        else if (to)
            tile_block[tile->element_log2](to, rows, i * step_B);
        else
            untile_block[tile->element_log2](from, rows, i * step_B);
    }
    *x_out = a2d->x0 + (int32_t)(count * width);
    return true;
}
