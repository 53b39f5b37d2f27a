/* The pixels of the 2D engine: fills, copies of elements, and everything else by way of colours. */
#include <math.h>
#include <string.h>

#include "adreno/model/coherence.h"
#include "adreno/model/rb/a2d.h"
#include "model/bulk.h"
#include "util/bits.h"
#include "util/half.h"

#define CHUNK PIXEL_LANES

void adreno_a2d_worker_init(struct adreno_a2d_worker *worker, const struct adreno_a2d *a2d)
{
    worker->a2d = a2d;
    worker->fault = (struct adreno_rb_fault){0};
    worker->has_block = false;
    adreno_rb_access_init(&worker->dst, &a2d->dst.surface, a2d->space, &worker->fault, true);
    adreno_rb_access_init(&worker->src, &a2d->src.surface, a2d->space, &worker->fault, false);
    adreno_rb_access_check(&worker->dst, a2d->coherence, ADRENO_CLIENT_A2D, 0, true);
    adreno_rb_access_check(&worker->src, a2d->coherence, ADRENO_CLIENT_A2D_SOURCE, 0, false);
}

/* ---- fills ---- */

static void repeat_element(uint8_t *to, const uint8_t *element, uint32_t element_B, uint32_t count)
{
    size_t done_B = element_B;
    const size_t size_B = (size_t)element_B * count;
    memcpy(to, element, element_B);
    while (done_B < size_B) {
        const size_t some_B = MIN2(done_B, size_B - done_B);
        memcpy(to + done_B, to, some_B);
        done_B += some_B;
    }
}

static bool fill_row(struct adreno_a2d_worker *worker, int32_t y)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *surface = &a2d->dst.surface;
    const uint32_t width = (uint32_t)(a2d->x1 - a2d->x0), samples = 1u << surface->samples_log2;
    uint8_t *row = surface->is_tiled ? NULL : adreno_rb_row(&worker->dst, a2d->x0, y, 0, width);
    if (row)
        repeat_element(row, a2d->element, surface->sample_B, width * samples);
    if (row || worker->fault.is_set)
        return row;
    for (int32_t x = a2d->x0; x < a2d->x1; x++) {
        uint8_t *at = adreno_rb_element(&worker->dst, x, y, 0);
        if (!at)
            return false;
        memcpy(at, worker->pattern, surface->element_B);
    }
    return true;
}

/* Columns of a row of whole blocks of 256 bytes, whose elements are all the same. */
static bool fill_blocks(struct adreno_a2d_worker *worker, int32_t x0, int32_t x1, int32_t y)
{
    const struct adreno_rb_surface *surface = &worker->a2d->dst.surface;
    const int32_t step = 1 << surface->tile.block_w_log2, height = 1 << surface->tile.block_h_log2;
    for (int32_t x = x0, end; x < x1; x = end) {
        end = (x / step + 1) * step;
        if (x % step == 0 && end <= x1) {
            uint8_t *block = adreno_rb_element(&worker->dst, x, y, 0);
            if (!block)
                return false;
            memcpy(block, worker->pattern, ADRENO_TILE_BLOCK_B);
            continue;
        }
        end = MIN2(end, x1);
        for (int32_t row = y; row < y + height; row++) {
            for (int32_t column = x; column < end; column++) {
                uint8_t *at = adreno_rb_element(&worker->dst, column, row, 0);
                if (!at)
                    return false;
                memcpy(at, worker->pattern, surface->element_B);
            }
        }
    }
    return true;
}

/* Bytes that hold nothing else; most elements are a word or the like of it. */
static void fill_bytes(const struct adreno_a2d_worker *worker, uint8_t *to, uint64_t size_B)
{
    uint32_t word;
    memcpy(&word, worker->pattern, sizeof(word));
    if (sizeof(word) % worker->a2d->dst.surface.sample_B == 0) {
        bulk_fill_here(to, word, size_B);
        return;
    }
    for (uint64_t at_B = 0; at_B < size_B; at_B += ADRENO_TILE_BLOCK_B)
        memcpy(to + at_B, worker->pattern, ADRENO_TILE_BLOCK_B);
}

/* A row of macrotiles is one piece of memory, in which banks change the places of macrotiles. From the first one that
 * is filled as a whole to the last; those that are neighbours at once. */
static void fill_macrotiles(const struct adreno_a2d_worker *worker, uint8_t *row, int32_t y, int32_t first,
                            int32_t last)
{
    const struct adreno_tile *tile = &worker->a2d->dst.surface.tile;
    uint64_t begin_B = 0, end_B = 0;
    for (int32_t i = first; i < last; i++) {
        const uint64_t x_B = adreno_tile_x_B(tile, (uint32_t)i << (tile->block_w_log2 + 1));
        const uint64_t at_B = (x_B ^ adreno_tile_y_B(tile, (uint32_t)y)) & ~(uint64_t)(ADRENO_MACROTILE_B - 1);
        if (at_B != end_B) {
            fill_bytes(worker, row + begin_B, end_B - begin_B);
            begin_B = at_B;
        }
        end_B = at_B + ADRENO_MACROTILE_B;
    }
    fill_bytes(worker, row + begin_B, end_B - begin_B);
}

/* A rectangle from end to end of its surface's rows. */
static bool is_whole_width(const struct adreno_a2d *a2d)
{
    return a2d->x0 == 0 && (uint64_t)a2d->x1 * a2d->dst.surface.element_B >= a2d->dst.surface.pitch_B;
}

/* All whole rows of macrotiles from y on, if marks are all that they need: one look at their pages. Returns how many
 * rows of pixels that were. */
static int32_t mark_macrotile_rows(const struct adreno_a2d_worker *worker, int32_t y, int32_t y1)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *surface = &a2d->dst.surface;
    const struct adreno_tile *tile = &surface->tile;
    const int32_t height = 4 << tile->block_h_log2, rows = (y1 - y) / height;
    if (!surface->has_marks || !is_whole_width(a2d) || y % height || rows <= 0)
        return 0;
    uint8_t *host = gpu_space_whole(a2d->space, surface->base + adreno_tile_row_B(tile, (uint32_t)y),
                                    (uint32_t)rows * tile->macrotile_row_B, GPU_PERM_READ | GPU_PERM_WRITE);
    return host && adreno_rb_mark(&worker->dst, host, (uint32_t)(y / height), (uint32_t)rows, 0,
                                  (uint32_t)(tile->macrotile_row_B / ADRENO_MACROTILE_B), worker->pattern)
               ? rows * height
               : 0;
}

/* The rows of one row of macrotiles. *is_done_out: they were; otherwise they are no such row, or are not all mapped.
 * False: a fault. */
static bool fill_macrotile_row(struct adreno_a2d_worker *worker, int32_t y, int32_t y1, bool *is_done_out)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *surface = &a2d->dst.surface;
    const struct adreno_tile *tile = &surface->tile;
    const int32_t block_h = 1 << tile->block_h_log2, height = 4 * block_h, width = 2 << tile->block_w_log2;
    const bool is_whole = is_whole_width(a2d);
    const int32_t first = (a2d->x0 + width - 1) / width,
                  last = is_whole ? (int32_t)(tile->macrotile_row_B / ADRENO_MACROTILE_B) : a2d->x1 / width;
    const uint64_t va = surface->base + adreno_tile_row_B(tile, (uint32_t)y);
    *is_done_out = false;
    if (y % height || y + height > y1 || last <= first || (a2d->coherence && !is_whole))
        return true;
    uint8_t *row = gpu_space_whole(a2d->space, va, tile->macrotile_row_B, GPU_PERM_READ | GPU_PERM_WRITE);
    if (!row)
        return true;
    if (a2d->coherence)
        adreno_rb_note(&worker->dst, 0, va, tile->macrotile_row_B);
    if (!adreno_rb_mark(&worker->dst, row, (uint32_t)(y / height), 1, (uint32_t)first, (uint32_t)last,
                        worker->pattern)) {
        if (!adreno_rb_set_flags(&worker->dst, (uint32_t)(first * width), (uint32_t)y,
                                 (uint32_t)(MIN2(last * width, a2d->x1) - first * width), (uint32_t)height, 0))
            return false;
        fill_macrotiles(worker, row, y, first, last);
    }
    const bool has_sides = a2d->x0 < first * width || last * width < a2d->x1;
    for (int32_t at = y; at < y + height && has_sides; at += block_h) {
        if (!fill_blocks(worker, a2d->x0, first * width, at) || !fill_blocks(worker, last * width, a2d->x1, at))
            return false;
    }
    *is_done_out = true;
    return true;
}

static bool fill_rows(struct adreno_a2d_worker *worker, int32_t y0, int32_t y1)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *surface = &a2d->dst.surface;
    const int32_t height = surface->is_tiled ? 1 << surface->tile.block_h_log2 : 1;
    repeat_element(worker->pattern, a2d->element, surface->sample_B, ADRENO_TILE_BLOCK_B / surface->sample_B);
    for (int32_t y = y0 + mark_macrotile_rows(worker, y0, y1); y < y1;) {
        bool is_done = false;
        if (surface->is_tiled && !fill_macrotile_row(worker, y, y1, &is_done))
            return false;
        const bool is_block = surface->is_tiled && y % height == 0 && y + height <= y1;
        if (!is_done && !(is_block ? fill_blocks(worker, a2d->x0, a2d->x1, y) : fill_row(worker, y)))
            return false;
        y += is_done ? 4 * height : is_block ? height : 1;
    }
    return true;
}

/* ---- copies ---- */

static int32_t clamp_to(int32_t value, int32_t size)
{
    return value < 0 || size <= 0 ? 0 : MIN2(value, size - 1);
}

/* One row of a copy: a side that is not tiled has its elements side by side, where all of them have memory. */
struct row {
    const uint8_t *from; /* NULL: element by element */
    uint8_t *to;
    int32_t src_x, src_y, x, y, end;
};

#define DEFINE_COPY(size)                                                                                              \
    static bool copy_row_##size(struct adreno_a2d_worker *worker, const struct row *row)                               \
    {                                                                                                                  \
        for (int32_t i = 0; i < row->end - row->x; i++) {                                                              \
            const uint8_t *from =                                                                                      \
                row->from ? row->from + i * (size) : adreno_rb_element(&worker->src, row->src_x + i, row->src_y, 0);   \
            uint8_t *to = row->to ? row->to + i * (size) : adreno_rb_element(&worker->dst, row->x + i, row->y, 0);     \
            if (!from || !to)                                                                                          \
                return false;                                                                                          \
            memcpy(to, from, size);                                                                                    \
        }                                                                                                              \
        return true;                                                                                                   \
    }
DEFINE_COPY(1)
DEFINE_COPY(2)
DEFINE_COPY(4)
DEFINE_COPY(8)
DEFINE_COPY(16)

static bool copy_row_any(struct adreno_a2d_worker *worker, int32_t src_x, int32_t src_y, int32_t x, int32_t y,
                         int32_t end)
{
    /* The source may have more samples: the first one is taken. */
    const uint32_t size_B = MIN2(worker->a2d->dst.surface.element_B, worker->a2d->src.surface.element_B);
    for (; x < end; x++, src_x++) {
        const uint8_t *from = adreno_rb_element(&worker->src, src_x, src_y, 0);
        uint8_t *to = adreno_rb_element(&worker->dst, x, y, 0);
        if (!from || !to)
            return false;
        memcpy(to, from, size_B);
    }
    return true;
}

/* From column x on. */
static bool copy_row(struct adreno_a2d_worker *worker, int32_t x, int32_t y)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *src = &a2d->src.surface, *dst = &a2d->dst.surface;
    const uint32_t width = (uint32_t)(a2d->x1 - x);
    struct row row = {
        .src_x = adreno_a2d_nearest(a2d->first_x, 1, x),
        .src_y = adreno_a2d_nearest(a2d->first_y, 1, y),
        .x = x,
        .y = y,
        .end = a2d->x1,
    };
    if (src->element_B != dst->element_B || !is_power_of_two(dst->element_B) || dst->element_B > 16)
        return copy_row_any(worker, row.src_x, row.src_y, row.x, y, row.end);
    if (!src->is_tiled)
        row.from = adreno_rb_row(&worker->src, row.src_x, row.src_y, 0, width);
    if (!dst->is_tiled)
        row.to = adreno_rb_row(&worker->dst, row.x, y, 0, width);
    if (worker->fault.is_set)
        return false;
    if (row.from && row.to) {
        memmove(row.to, row.from, (size_t)width * dst->element_B);
        return true;
    }
    static bool (*const copies[])(struct adreno_a2d_worker *, const struct row *) = {copy_row_1, copy_row_2, copy_row_4,
                                                                                     copy_row_8, copy_row_16};
    return copies[log2_floor(dst->element_B)](worker, &row);
}

static bool copy_rows(struct adreno_a2d_worker *worker, int32_t y0, int32_t y1)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const int32_t src_x = adreno_a2d_nearest(a2d->first_x, 1, a2d->x0);
    for (int32_t y = y0, end; y < y1; y = end) {
        const int32_t src_y = adreno_a2d_nearest(a2d->first_y, 1, y);
        const uint32_t rows = adreno_a2d_block_rows(a2d, src_x, src_y, y, y1);
        int32_t x = a2d->x0;
        if (rows && !adreno_a2d_copy_blocks(worker, src_x, src_y, y, rows, &x))
            return false;
        end = y + (int32_t)MAX2(rows, 1u);
        for (int32_t row = y; row < end && x < a2d->x1; row++) {
            if (!copy_row(worker, x, row))
                return false;
        }
    }
    return true;
}

/* ---- colours ---- */

static bool fetch_block_texel(struct adreno_a2d_worker *worker, int32_t x, int32_t y, union adreno_rb_color *out)
{
    const struct adreno_rb_format *format = &worker->a2d->src.format;
    const int32_t block_x = x / format->info->block_width, block_y = y / format->info->block_height;
    if (!worker->has_block || worker->block_x != block_x || worker->block_y != block_y) {
        const uint8_t *at = adreno_rb_element(&worker->src, block_x, block_y, 0);
        if (!at)
            return false;
        /* Every compressed format of the table decodes. */
        worker->has_block = format_decode_block_float(format->format, worker->block, at);
        worker->block_x = block_x;
        worker->block_y = block_y;
    }
    const int32_t in_x = x % format->info->block_width, in_y = y % format->info->block_height;
    memcpy(out, worker->block[in_y * format->info->block_width + in_x], sizeof(*out));
    return true;
}

/* A texel with its samples averaged, or the first of them. */
static bool fetch_texel(struct adreno_a2d_worker *worker, int32_t x, int32_t y, union adreno_rb_color *out)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const struct adreno_rb_surface *surface = &a2d->src.surface;
    x = clamp_to(x, a2d->src_width);
    y = clamp_to(y, a2d->src_height);
    if (format_is_compressed(a2d->src.format.info))
        return fetch_block_texel(worker, x, y, out);
    const uint8_t *at = adreno_rb_element(&worker->src, x, y, 0);
    if (!at)
        return false;
    const void *hosts[ADRENO_RB_MAX_SAMPLES];
    union adreno_rb_color colors[ADRENO_RB_MAX_SAMPLES];
    const unsigned count = a2d->is_averaged ? 1u << surface->samples_log2 : 1;
    for (unsigned s = 0; s < count; s++)
        hosts[s] = at + s * surface->sample_B;
    adreno_rb_fetch(&a2d->src.format, colors, hosts, count);
    *out = colors[0];
    for (unsigned c = 0; c < 4 && count > 1; c++) {
        float sum = 0;
        for (unsigned s = 0; s < count; s++)
            sum += colors[s].f[c];
        out->f[c] = sum / (float)count;
    }
    return true;
}

static bool sample_linear(struct adreno_a2d_worker *worker, double u, double v, union adreno_rb_color *out)
{
    const double left = floor(u - 0.5), top = floor(v - 0.5);
    const float s = (float)(u - 0.5 - left), t = (float)(v - 0.5 - top);
    union adreno_rb_color texels[4];
    for (int i = 0; i < 4; i++) {
        if (!fetch_texel(worker, (int32_t)left + (i & 1), (int32_t)top + (i >> 1), &texels[i]))
            return false;
    }
    for (unsigned c = 0; c < 4; c++) {
        const float upper = texels[0].f[c] * (1 - s) + texels[1].f[c] * s;
        const float lower = texels[2].f[c] * (1 - s) + texels[3].f[c] * s;
        out->f[c] = upper * (1 - t) + lower * t;
    }
    return true;
}

static bool find_colors(struct adreno_a2d_worker *worker, int32_t x, int32_t y, uint32_t count,
                        union adreno_rb_color *colors)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const double v = a2d->first_y + (y + 0.5) * a2d->step_y;
    for (uint32_t i = 0; i < count; i++) {
        const double u = a2d->first_x + (x + (int32_t)i + 0.5) * a2d->step_x;
        if (!(a2d->is_linear ? sample_linear(worker, u, v, &colors[i])
                             : fetch_texel(worker, (int32_t)floor(u), (int32_t)floor(v), &colors[i])))
            return false;
        for (unsigned c = 0; c < 4 && a2d->is_half; c++)
            colors[i].f[c] = half_to_float(float_to_half_rtne(colors[i].f[c]));
    }
    return true;
}

static void blend_pixel(const struct adreno_a2d *a2d, union adreno_rb_color *colors, void *const *hosts, uint32_t count)
{
    union adreno_rb_color stored[CHUNK];
    union pixel_colors source = {0}, destination = {0};
    adreno_rb_fetch(&a2d->dst.format, stored, (const void *const *)hosts, count);
    for (unsigned c = 0; c < 4; c++) {
        for (uint32_t i = 0; i < count; i++) {
            source.u[c][i] = colors[i].u[c];
            destination.u[c][i] = stored[i].u[c];
        }
    }
    pixel_blend(&a2d->blend, &source, NULL, &destination);
    for (unsigned c = 0; c < 4; c++) {
        for (uint32_t i = 0; i < count; i++)
            colors[i].u[c] = source.u[c][i];
    }
}

static bool convert_row(struct adreno_a2d_worker *worker, int32_t y)
{
    const struct adreno_a2d *a2d = worker->a2d;
    const void *solid[CHUNK];
    for (unsigned i = 0; i < CHUNK; i++)
        solid[i] = a2d->element;
    for (int32_t x = a2d->x0; x < a2d->x1; x += CHUNK) {
        const uint32_t count = (uint32_t)MIN2(a2d->x1 - x, CHUNK);
        union adreno_rb_color colors[CHUNK];
        void *hosts[CHUNK];
        if (a2d->is_solid)
            adreno_rb_fetch(&a2d->dst.format, colors, solid, count);
        else if (!find_colors(worker, x, y, count, colors))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            hosts[i] = adreno_rb_element(&worker->dst, x + (int32_t)i, y, 0);
            if (!hosts[i])
                return false;
        }
        if (a2d->is_blended)
            blend_pixel(a2d, colors, hosts, count);
        adreno_rb_store(&a2d->dst.format, hosts, colors, count);
    }
    return true;
}

bool adreno_a2d_rows(struct adreno_a2d_worker *worker, int32_t y0, int32_t y1)
{
    const struct adreno_a2d *a2d = worker->a2d;
    if (a2d->is_solid && !a2d->is_blended)
        return fill_rows(worker, y0, y1);
    if (a2d->is_raw)
        return copy_rows(worker, y0, y1);
    const int32_t block_h = a2d->is_byte_average ? 1 << a2d->src.surface.tile.block_h_log2 : 1;
    for (int32_t y = y0, end; y < y1; y = end) {
        end = MIN2(y1, (y / block_h + 1) * block_h);
        if (!(a2d->is_byte_average ? adreno_a2d_average_rows(worker, y, end) : convert_row(worker, y)))
            return false;
    }
    return true;
}
