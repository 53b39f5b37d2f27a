/* Copies of the 2D engine by whole blocks of 256 bytes: between rows of elements and blocks, where two neighbours in x
 * are neighbours in both, or from block to block. Not for: what is no whole block, which a2d_rows.c does element by
 * element. */
#include <string.h>

#include "adreno/model/blocks.h"
#include "adreno/model/rb/a2d.h"
#include "model/bulk.h"
#include "util/bits.h"

#define MACROTILE_W ADRENO_A2D_MACROTILE_W
#define MACROTILE_H ADRENO_A2D_MACROTILE_H

/* ---- a row of blocks ---- */

uint32_t adreno_a2d_block_rows(const struct adreno_a2d *a2d, int32_t src_x, int32_t src_y, int32_t y, int32_t y1)
{
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const struct adreno_tile *tile = dst->is_tiled ? &dst->tile : &src->tile;
    if (!(src->is_tiled || dst->is_tiled) || src->element_B != dst->element_B || !is_power_of_two(dst->element_B) ||
        dst->element_B > 16)
        return 0;
    const int32_t x = dst->is_tiled ? a2d->x0 : src_x, width = 1 << tile->block_w_log2,
                  height = 1 << tile->block_h_log2, first_y = dst->is_tiled ? y : src_y;
    if (x % width || first_y % height || a2d->x1 - a2d->x0 < width || src_x < 0 || src_y < 0 ||
        (src->is_tiled && (src_x % width || src_y % height)))
        return 0;
    const int32_t blocks = (y1 - y) / height, in_macrotile = MACROTILE_H - first_y / height % MACROTILE_H;
    return (uint32_t)(MIN2(blocks, in_macrotile) * height);
}

/* Where the host has blocks of a macrotile, from the one at x, y on. False: not in one piece, or each access is looked
 * at. */
static bool find_together(const struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t columns,
                          uint32_t rows, uint8_t *blocks[MACROTILE_H][MACROTILE_W])
{
    const struct adreno_rb_surface *surface = access->surface;
    const struct adreno_tile *tile = &surface->tile;
    const uint64_t first_B = adreno_tile_offset_B(tile, x, y) & ~(uint64_t)(ADRENO_MACROTILE_B - 1);
    const unsigned need = access->is_write ? GPU_PERM_READ | GPU_PERM_WRITE : GPU_PERM_READ;
    if (access->coherence)
        return false;
    uint8_t *host = gpu_space_pointer(access->space, surface->base + first_B, ADRENO_MACROTILE_B, need);
    uint64_t x_B[MACROTILE_W];
    if (!host)
        return false;
    for (uint32_t column = 0; column < columns; column++)
        x_B[column] = adreno_tile_x_B(tile, x + (column << tile->block_w_log2));
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t row_y = y + (row << tile->block_h_log2);
        const uint64_t y_B = adreno_tile_y_B(tile, row_y), row_B = adreno_tile_row_B(tile, row_y);
        for (uint32_t column = 0; column < columns; column++) {
            const uint64_t at_B = (x_B[column] ^ y_B) + row_B - first_B;
            if (at_B >= ADRENO_MACROTILE_B)
                return false;
            blocks[row][column] = host + at_B;
        }
    }
    return true;
}

/* The macrotiles' marks, found block by block. False: a fault. */
static bool find_each(struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t columns, uint32_t rows,
                      uint8_t *blocks[MACROTILE_H][MACROTILE_W])
{
    const struct adreno_tile *tile = &access->surface->tile;
    if (!access->surface->is_tiled || find_together(access, x, y, columns, rows, blocks))
        return true;
    for (uint32_t i = 0; i < rows * columns; i++) {
        uint8_t **block = &blocks[i / columns][i % columns];
        *block = adreno_rb_element(access, (int32_t)(x + (i % columns << tile->block_w_log2)),
                                   (int32_t)(y + (i / columns << tile->block_h_log2)), 0);
        if (!*block)
            return false;
    }
    return true;
}

/* A macrotile whose blocks are in the same order on both sides. False: it is not. */
static bool copy_macrotile(uint8_t *const to[MACROTILE_H][MACROTILE_W], uint8_t *const from[MACROTILE_H][MACROTILE_W])
{
    uint8_t *to_first = to[0][0], *from_first = from[0][0];
    for (unsigned i = 1; i < MACROTILE_H * MACROTILE_W; i++) {
        if (to[i / MACROTILE_W][i % MACROTILE_W] - to[0][0] != from[i / MACROTILE_W][i % MACROTILE_W] - from[0][0])
            return false;
        to_first = MIN2(to_first, to[i / MACROTILE_W][i % MACROTILE_W]);
        from_first = MIN2(from_first, from[i / MACROTILE_W][i % MACROTILE_W]);
    }
    for (unsigned i = 0; i < MACROTILE_H * MACROTILE_W; i++) {
        if (to[i / MACROTILE_W][i % MACROTILE_W] - to_first >= (ptrdiff_t)ADRENO_MACROTILE_B)
            return false;
    }
    memcpy(to_first, from_first, ADRENO_MACROTILE_B);
    return true;
}

/* A row of macrotiles from end to end is one piece of memory, for banks change places only inside of it; where they do
 * so in the same way on both sides, it is copied as it is. False: not such a row, or not all mapped. */
static bool has_like_rows(const struct adreno_a2d *a2d, int32_t src_x, int32_t src_y, int32_t y)
{
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const struct adreno_tile *from = &src->tile, *to = &dst->tile; /* of one chip and one size of elements */
    const uint32_t different = ((uint32_t)src_y ^ (uint32_t)y) >> to->block_h_log2;
    return src->is_tiled && dst->is_tiled && !a2d->coherence && from->macrotile_row_B == to->macrotile_row_B &&
           from->bank_rows == to->bank_rows && from->bank_shift == to->bank_shift &&
           !(different & (7u | to->bank_rows)) && !a2d->x0 && !src_x &&
           (uint64_t)a2d->x1 * dst->element_B >= dst->pitch_B;
}

static bool copy_macrotile_row(struct adreno_a2d_worker *worker, int32_t src_x, int32_t src_y, int32_t y,
                               uint32_t row_count)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const struct adreno_tile *from = &src->tile, *to = &dst->tile;
    const unsigned both = GPU_PERM_READ | GPU_PERM_WRITE;
    if (!has_like_rows(a2d, src_x, src_y, y) || row_count != (uint32_t)MACROTILE_H << to->block_h_log2)
        return false;
    void *host = gpu_space_whole(a2d->space, dst->base + adreno_tile_row_B(to, (uint32_t)y), to->macrotile_row_B, both);
    const void *source = gpu_space_whole(a2d->space, src->base + adreno_tile_row_B(from, (uint32_t)src_y),
                                         from->macrotile_row_B, GPU_PERM_READ);
    if (!host || !source)
        return false;
    memmove(host, source, to->macrotile_row_B);
    return true;
}

/* Between rows and a row of macrotiles that the host has in one piece. False: it is none, or each access is looked
 * at. */
static bool copy_strips(const struct adreno_a2d_worker *worker, uint8_t *const *rows, int32_t src_x, int32_t src_y,
                        int32_t y, uint32_t row_count)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const bool is_tiling = a2d->dst.surface.is_tiled;
    const struct adreno_rb_surface *surface = is_tiling ? &a2d->dst.surface : &a2d->src.surface;
    const struct adreno_tile *tile = &surface->tile;
    struct adreno_a2d_strips strips = {
        .tile = tile,
        .rows = rows,
        .column = (uint32_t)(is_tiling ? a2d->x0 : src_x) >> tile->block_w_log2,
        .count = (uint32_t)(a2d->x1 - a2d->x0) >> tile->block_w_log2,
        .y = (uint32_t)(is_tiling ? y : src_y),
        .row_count = row_count,
    };
    if (a2d->coherence || (a2d->src.surface.is_tiled && a2d->dst.surface.is_tiled))
        return false;
    strips.macrotiles =
        gpu_space_whole(a2d->space, surface->base + adreno_tile_row_B(tile, strips.y), tile->macrotile_row_B,
                        is_tiling ? GPU_PERM_READ | GPU_PERM_WRITE : GPU_PERM_READ);
    if (!strips.macrotiles)
        return false;
    adreno_a2d_move_strips(&strips, is_tiling);
    return true;
}

/* Blocks of a macrotile are not read in the order that they have in memory, nor are macrotiles, which no processor
 * foresees. */
#define AHEAD 4 /* macrotiles */
#define LINE_B 64
static void prefetch_macrotile(const struct adreno_rb_access *access, uint32_t x, uint32_t y)
{
    const uint64_t at_B = adreno_tile_offset_B(&access->surface->tile, x, y) & ~(uint64_t)(ADRENO_MACROTILE_B - 1);
    const uint8_t *host =
        gpu_space_pointer(access->space, access->surface->base + at_B, ADRENO_MACROTILE_B, GPU_PERM_READ);
    for (unsigned line_B = 0; host && line_B < ADRENO_MACROTILE_B; line_B += LINE_B)
        __builtin_prefetch(host + line_B, 0, 2);
}

static void fill_row(uint8_t *to, const uint8_t color[ADRENO_UBWC_COLOR_B], size_t size_B)
{
    uint32_t words[ADRENO_UBWC_COLOR_B / 4];
    memcpy(words, color, sizeof(words));
    if (words[0] == words[1] && words[0] == words[2] && words[0] == words[3]) {
        bulk_fill_here(to, words[0], size_B);
        return;
    }
    for (size_t at_B = 0; at_B < size_B; at_B += sizeof(words)) /* blocks are 16 bytes wide and more */
        memcpy(to + at_B, words, sizeof(words));
}

/* Macrotiles of one colour to rows, which need not be opened for that: as many blocks from number `first` on as have
 * the first one's. Returns how many. */
static uint32_t copy_color(const struct adreno_a2d_worker *worker, uint8_t *const *rows, uint32_t row_count,
                           int32_t src_x, int32_t src_y, uint32_t first, uint32_t count)
{
    const struct adreno_rb_surface *src = &worker->a2d->src.surface;
    const uint32_t w_log2 = src->tile.block_w_log2, column = (uint32_t)src_x >> w_log2;
    const size_t block_B = (size_t)src->element_B << w_log2;
    uint8_t color[ADRENO_UBWC_COLOR_B], next[ADRENO_UBWC_COLOR_B];
    uint32_t end = first;
    while (end < count &&
           adreno_rb_macrotile_color(&worker->src, (uint32_t)src_x + (end << w_log2), (uint32_t)src_y,
                                     end == first ? color : next) &&
           (end == first || memcmp(color, next, sizeof(color)) == 0))
        end = MIN2(end + MACROTILE_W - (column + end) % MACROTILE_W, count);
    for (uint32_t i = 0; i < row_count && end > first; i++)
        fill_row(rows[i] + first * block_B, color, (end - first) * block_B);
    return end - first;
}

/* Macrotile by macrotile, as far as the rows go: its blocks are neighbours in memory. */
bool adreno_a2d_copy_blocks(struct adreno_a2d_worker *worker, int32_t src_x, int32_t src_y, int32_t y,
                            uint32_t row_count, int32_t *x_out)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const struct adreno_tile *tile = dst->is_tiled ? &dst->tile : &src->tile;
    const uint32_t width = 1u << tile->block_w_log2, height = 1u << tile->block_h_log2,
                   count = (uint32_t)(a2d->x1 - a2d->x0) >> tile->block_w_log2;
    uint8_t *rows[MACROTILE_H * ADRENO_A2D_BLOCK_ROWS] = {NULL};
    for (uint32_t i = 0; i < row_count && !(src->is_tiled && dst->is_tiled); i++) {
        rows[i] = dst->is_tiled ? adreno_rb_row(&worker->src, src_x, src_y + (int32_t)i, 0, count * width)
                                : adreno_rb_row(&worker->dst, a2d->x0, y + (int32_t)i, 0, count * width);
        if (!rows[i])
            return !worker->fault.is_set; /* not all of it has memory: row by row */
    }
    if (dst->is_tiled &&
        !adreno_rb_set_flags(&worker->dst, (uint32_t)a2d->x0, (uint32_t)y, count * width, row_count, 0))
        return false;
    const bool has_colors =
        !dst->is_tiled && adreno_rb_may_have_colors(&worker->src, (uint32_t)src_x, (uint32_t)src_y, count * width);
    if (src->is_tiled && !has_colors)
        adreno_rb_open(&worker->src, (uint32_t)src_x, (uint32_t)src_y, count * width, row_count);
    *x_out = a2d->x0 + (int32_t)(count * width);
    if (copy_macrotile_row(worker, src_x, src_y, y, row_count) ||
        (!has_colors && copy_strips(worker, rows, src_x, src_y, y, row_count)))
        return true;
    for (uint32_t first = 0, end; first < count; first = end) {
        const uint32_t column = ((uint32_t)(dst->is_tiled ? a2d->x0 : src_x) >> tile->block_w_log2) + first;
        uint8_t *from[MACROTILE_H][MACROTILE_W], *to[MACROTILE_H][MACROTILE_W];
        const uint32_t colored = has_colors ? copy_color(worker, rows, row_count, src_x, src_y, first, count) : 0;
        if (colored) {
            end = first + colored;
            continue;
        }
        end = MIN2(first + MACROTILE_W - column % MACROTILE_W, count);
        if (src->is_tiled && first + AHEAD * MACROTILE_W < count)
            prefetch_macrotile(&worker->src, (uint32_t)src_x + (first + AHEAD * MACROTILE_W) * width, (uint32_t)src_y);
        if (!find_each(&worker->src, (uint32_t)src_x + first * width, (uint32_t)src_y, end - first, row_count / height,
                       from) ||
            !find_each(&worker->dst, (uint32_t)a2d->x0 + first * width, (uint32_t)y, end - first, row_count / height,
                       to))
            return false;
        if (src->is_tiled && dst->is_tiled && end - first == MACROTILE_W && row_count / height == MACROTILE_H &&
            copy_macrotile(to, from))
            continue;
        for (uint32_t row = 0; row < row_count / height; row++) {
            for (uint32_t i = first; i < end; i++) {
                const size_t at_B = (size_t)i * width * dst->element_B;
                if (src->is_tiled && dst->is_tiled)
                    memcpy(to[row][i - first], from[row][i - first], ADRENO_TILE_BLOCK_B);
                else if (dst->is_tiled)
                    adreno_a2d_tile_block[tile->element_log2](to[row][i - first], rows + row * height, at_B);
                else
                    adreno_a2d_untile_block[tile->element_log2](from[row][i - first], rows + row * height, at_B);
            }
        }
    }
    return true;
}

/* ---- all rows ---- */

#define WHOLE_B (1u << 20) /* less is as quick by its rows */

int32_t adreno_a2d_copy_macrotiles(struct adreno_gpu *gpu, const struct adreno_a2d *a2d)
{
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const struct bulk bulk = {gpu->workers, NULL};
    const int32_t src_x = adreno_a2d_nearest(a2d->first_x, 1, a2d->x0),
                  src_y = adreno_a2d_nearest(a2d->first_y, 1, a2d->y0);
    if (a2d->is_solid || !a2d->is_raw || src_y != a2d->y0 ||
        !adreno_a2d_block_rows(a2d, src_x, src_y, a2d->y0, a2d->y1) || !has_like_rows(a2d, src_x, src_y, a2d->y0))
        return 0;
    const int32_t height = MACROTILE_H << dst->tile.block_h_log2, rows = (a2d->y1 - a2d->y0) / height * height;
    const uint64_t size_B = (uint64_t)(uint32_t)(rows / height) * dst->tile.macrotile_row_B;
    if (a2d->y0 % height || size_B < WHOLE_B)
        return 0;
    const uint64_t to_va = dst->base + adreno_tile_row_B(&dst->tile, (uint32_t)a2d->y0),
                   from_va = src->base + adreno_tile_row_B(&src->tile, (uint32_t)src_y);
    uint8_t *to = gpu_space_whole(a2d->space, to_va, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
    const uint8_t *from = gpu_space_whole(a2d->space, from_va, size_B, GPU_PERM_READ);
    if (!to || !from || (to_va < from_va + size_B && from_va < to_va + size_B) || gpu_space_has_aliases(a2d->space))
        return 0;
    struct adreno_a2d_worker worker;
    adreno_a2d_worker_init(&worker, a2d);
    const uint32_t width = (uint32_t)a2d->x1;
    if (!adreno_rb_set_flags(&worker.dst, 0, (uint32_t)a2d->y0, width, (uint32_t)rows, 0))
        return 0; /* the fault is found once more */
    adreno_rb_open(&worker.src, 0, (uint32_t)src_y, width, (uint32_t)rows);
    bulk_copy(&bulk, to, from, size_B);
    return rows;
}
