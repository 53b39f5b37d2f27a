/* Rows of the 2D engine that follow each other in memory. Drivers copy and fill buffers by rows, which are 64 KiB at
 * most, one CP_BLIT for each: too little to share among the workers. So a row waits until something comes that is not
 * the next one: then all of them are one range of memory. Nothing can tell, for whoever looks at memory in between must
 * wait for the engine first, by a packet (adreno_rb_2d_finish).
 *
 * Not for: tiled surfaces, scaling, conversions, memory that is not mapped throughout; or while caches are followed. */
#include <string.h>

#include "adreno/model/blocks.h"
#include "adreno/model/rb/a2d.h"
#include "adreno/model/rb/rb.h"
#include "model/bulk.h"
#include "model/workers.h"

#define LEAST_B 4096 /* of a row: less is done sooner than kept */

static bool is_plain(const struct adreno_rb_surface *surface)
{
    return !surface->gmem && !surface->is_tiled && !surface->samples_log2 && !surface->flag_base;
}

static uint64_t address(const struct adreno_rb_surface *surface, int32_t x, int32_t y)
{
    return surface->base + (uint64_t)(uint32_t)y * surface->pitch_B + (uint64_t)(uint32_t)x * surface->element_B;
}

/* A fill's element as a word. */
static bool word_of(const struct adreno_a2d *a2d, uint32_t *word_out)
{
    const uint32_t element_B = a2d->dst.surface.element_B;
    for (uint32_t at_B = 0; at_B < sizeof(*word_out); at_B += element_B) {
        if (element_B != 1 && element_B != 2 && element_B != 4)
            return false;
        memcpy((uint8_t *)word_out + at_B, a2d->element, element_B);
    }
    return true;
}

/* A rectangle as a series of one row. */
static bool series_of(struct adreno_gpu *gpu, const struct adreno_a2d *a2d, struct adreno_a2d_series *series_out)
{
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const int32_t src_x = (int32_t)(a2d->first_x + a2d->x0), src_y = (int32_t)(a2d->first_y + a2d->y0);
    *series_out = (struct adreno_a2d_series){.is_fill = a2d->is_solid,
                                             .to_va = address(dst, a2d->x0, a2d->y0),
                                             .size_B = (uint64_t)(uint32_t)(a2d->x1 - a2d->x0) * dst->element_B};
    if (a2d->coherence || !gpu->workers || workers_count(gpu->workers) < 2 || a2d->y1 != a2d->y0 + 1 ||
        a2d->is_blended || !is_plain(dst) || series_out->size_B < LEAST_B)
        return false;
    if (a2d->is_solid)
        return word_of(a2d, &series_out->word);
    series_out->from_va = address(src, src_x, src_y);
    return a2d->is_raw && is_plain(src) && src->element_B == dst->element_B && src_x >= 0 && src_y >= 0;
}

static bool is_mapped(const struct adreno_gpu *gpu, const struct adreno_a2d_series *row)
{
    const unsigned both = GPU_PERM_READ | GPU_PERM_WRITE;
    return gpu_space_whole(gpu->space, row->to_va, row->size_B, both) &&
           (row->is_fill || gpu_space_whole(gpu->space, row->from_va, row->size_B, GPU_PERM_READ));
}

static bool do_ranges_meet(uint64_t a, uint64_t b, uint64_t size_B)
{
    return a < b + size_B && b < a + size_B;
}

/* Whether the row is the next one; what a copy reads must not be what an earlier row has written. */
static bool is_next(const struct adreno_a2d_series *series, const struct adreno_a2d_series *row)
{
    return series->size_B && row->is_fill == series->is_fill && row->to_va == series->to_va + series->size_B &&
           (row->is_fill ? row->word == series->word
                         : row->from_va == series->from_va + series->size_B &&
                               !do_ranges_meet(series->to_va, series->from_va, series->size_B + row->size_B));
}

bool adreno_a2d_keep_row(struct adreno_gpu *gpu, const struct adreno_a2d *a2d)
{
    struct adreno_a2d_series *series = &gpu->a2d_series, row;
    if (!series_of(gpu, a2d, &row) || !is_mapped(gpu, &row))
        return false;
    if (is_next(series, &row)) {
        series->size_B += row.size_B;
        return true;
    }
    if (!row.is_fill && do_ranges_meet(row.to_va, row.from_va, row.size_B))
        return false;
    if (!adreno_rb_2d_finish(gpu))
        return false;
    *series = row;
    return true;
}

bool adreno_rb_2d_finish(struct adreno_gpu *gpu)
{
    const struct adreno_a2d_series series = gpu->a2d_series;
    const struct bulk bulk = {gpu->workers, NULL};
    gpu->a2d_series.size_B = 0;
    if (!series.size_B)
        return true;
    void *to = gpu_space_whole(gpu->space, series.to_va, series.size_B, GPU_PERM_READ | GPU_PERM_WRITE);
    const void *from =
        series.is_fill ? NULL : gpu_space_whole(gpu->space, series.from_va, series.size_B, GPU_PERM_READ);
    if (!to || (!series.is_fill && !from)) { /* it was mapped when the rows came */
        const struct adreno_rb_fault fault = {
            .is_set = true, .is_write = !to, .va = to ? series.from_va : series.to_va};
        return adreno_rb_stop_at_fault(gpu, &fault, "the 2D engine");
    }
    if (series.is_fill)
        bulk_fill(&bulk, to, series.word, series.size_B);
    else
        bulk_copy(&bulk, to, from, series.size_B);
    return true;
}
