/* Averages of samples of four unorm bytes, as resolves have them. Not for the rest (a2d_rows.c), by way of colours. */
#include "adreno/model/rb/a2d.h"
#include "util/bits.h"

/* Two sums of 2^log2 codes each, to the nearest average, ties to even. */
static uint32_t round_sums(uint32_t sums, unsigned log2)
{
    const uint32_t half = (1u << log2 >> 1) - 1, is_odd = sums >> log2 & 0x10001u;
    return (sums + half * 0x10001u + is_odd) >> log2 & 0xff00ffu;
}

/* Texels of four unorm bytes whose samples, and who themselves, stand side by side on both sides: sums of codes, two
 * channels 16 bits apart, rounded to the nearest, ties to even. */
typedef uint32_t word __attribute__((aligned(1), may_alias));
static inline void average_run(const uint8_t *from, const unsigned log2, uint8_t *restrict to, uint32_t count)
{
    const word *samples = (const word *)from;
    word *restrict codes = (word *)to;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t even = 0, odd = 0;
        for (unsigned s = 0; s < 1u << log2; s++) {
            even += samples[(i << log2) + s] & 0xff00ffu;
            odd += samples[(i << log2) + s] >> 8 & 0xff00ffu;
        }
        codes[i] = round_sums(even, log2) | round_sums(odd, log2) << 8;
    }
}

/* A block of the source has the first texels of a block of the destination, or those that follow, in the same order:
 * both begin x0 y0 x1 y1. *is_done_out: these were whole blocks. False: a fault. */
static bool average_block(struct adreno_a2d_worker *worker, int32_t src_x, int32_t src_y, int32_t x, int32_t y,
                          bool *is_done_out)
{
    const struct adreno_rb_surface *src = &worker->a2d->src.surface, *dst = &worker->a2d->dst.surface;
    const uint32_t count = ADRENO_TILE_BLOCK_B / src->element_B;
    *is_done_out = src->is_tiled && dst->is_tiled && !worker->a2d->coherence &&
                   x % (1 << src->tile.block_w_log2) == 0 && y % (1 << src->tile.block_h_log2) == 0 &&
                   src_y % (1 << src->tile.block_h_log2) == 0;
    if (!*is_done_out)
        return true;
    const uint8_t *from = adreno_rb_element(&worker->src, src_x, src_y, 0);
    uint8_t *to = adreno_rb_element(&worker->dst, x, y, 0);
    if (!from || !to)
        return false;
    switch (src->samples_log2) { /* numbers make vectors */
    case 1:
        average_run(from, 1, to, count);
        break;
    case 2:
        average_run(from, 2, to, count);
        break;
    default:
        average_run(from, src->samples_log2, to, count);
        break;
    }
    return true;
}

/* Blocks that follow each other are not so in memory, so that no processor sees where they go on. */
#define AHEAD 8
#define LINE_B 64
static bool prefetch_block(struct adreno_a2d_worker *worker, int32_t src_x, int32_t src_y)
{
    const uint8_t *block = adreno_rb_element(&worker->src, src_x, src_y, 0);
    for (unsigned at_B = 0; block && at_B < ADRENO_TILE_BLOCK_B; at_B += LINE_B)
        __builtin_prefetch(block + at_B);
    return block;
}

bool adreno_a2d_average_rows(struct adreno_a2d_worker *worker, int32_t y0, int32_t y1)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const unsigned log2 = a2d->src.surface.samples_log2;
    const int32_t step = 1 << a2d->src.surface.tile.block_w_log2;
    const int32_t to_src_x = adreno_a2d_nearest(a2d->first_x, 1, a2d->x0) - a2d->x0;
    for (int32_t x = a2d->x0, end; x < a2d->x1; x = end) {
        const int32_t block_y = adreno_a2d_nearest(a2d->first_y, 1, y0), ahead = x + AHEAD * step;
        bool is_done = false;
        end = MIN2(a2d->x1, x + step - (x + to_src_x) % step);
        if (end == x + step && y1 - y0 == 1 << a2d->src.surface.tile.block_h_log2 &&
            !(average_block(worker, x + to_src_x, block_y, x, y0, &is_done) &&
              (ahead >= a2d->x1 || prefetch_block(worker, ahead + to_src_x, block_y))))
            return false;
        if (is_done)
            continue;
        for (int32_t y = y0; y < y1; y++) {
            const int32_t src_y = adreno_a2d_nearest(a2d->first_y, 1, y);
            for (int32_t column = x; column < end; column++) {
                const uint8_t *from = adreno_rb_element(&worker->src, column + to_src_x, src_y, 0);
                uint8_t *to = adreno_rb_element(&worker->dst, column, y, 0);
                if (!from || !to)
                    return false;
                average_run(from, log2, to, 1);
            }
        }
    }
    return true;
}
