/* The bounds of low-resolution depth: where they are, how they are compared and written.
 *
 * A bound has 16 bits, 65535 for a depth of 1. Whoever compares or writes rounds so that a bound holds whatever the
 * depth buffer rounds to: a depth written with "less" is rounded up, one that is compared down. Clears, which the 2D
 * engine rounds to the nearest, are half a step off at most, and a whole one is needed to reject. */
#include <math.h>
#include <pthread.h>

#include "adreno/hw/tiling/lrz.h"
#include "adreno/model/coherence.h"
#include "adreno/model/gras/gras_lrz.h"
#include "util/bits.h"

#define BOUND_MAX 65535

/* ---- memory ---- */

static void *find_bytes(const struct gras_lrz *lrz, uint64_t va, uint32_t size_B, bool is_write)
{
    if (is_write)
        ADRENO_WRITES(lrz->gpu->coherence, ADRENO_CLIENT_LRZ, va, size_B);
    else
        ADRENO_READS(lrz->gpu->coherence, ADRENO_CLIENT_LRZ, va, size_B);
    const unsigned need = GPU_PERM_READ | GPU_PERM_WRITE;
    void *host = gpu_space_pointer(lrz->gpu->space, va, size_B, need);
    if (__builtin_expect(host != NULL, 1) ||
        gpu_space_resolve(lrz->gpu->space, va, size_B, need, &host) == GPU_ACCESS_MEMORY)
        return host;
    adreno_fault(lrz->gpu, "low-resolution depth", va, size_B, true);
    return NULL;
}

/* Goes to functions by its address: in registers two numbers share one, and who has just stored them one by one
 * waits. */
struct place {
    uint32_t column, row, layer;
};

static bool is_inside(const struct gras_lrz *lrz, const struct place *at)
{
    return at->column < lrz->columns && at->row < lrz->rows;
}

static uint64_t bound_va(const struct gras_lrz *lrz, const struct place *at)
{
    return lrz->va + at->layer * lrz->layer_B + ((uint64_t)at->row * lrz->columns + at->column) * 2;
}

static uint16_t *find_bound(const struct gras_lrz *lrz, const struct place *at, bool is_write)
{
    if (lrz->bounds && !at->layer)
        return lrz->bounds + (uint64_t)at->row * lrz->columns + at->column;
    return find_bytes(lrz, bound_va(lrz, at), 2, is_write);
}

/* ---- fast clears ---- */

/* The order of the bits is not public; this one is ours: rows of the pitch, layers from a byte on. A group whose bit
 * would be outside of the 512 bytes has none and stays cleared. */
struct group {
    uint64_t va;
    uint8_t *byte; /* NULL: none */
    uint8_t bit;
};

static struct group find_group(const struct gras_lrz *lrz, const struct place *at)
{
    const uint32_t groups_x = (uint32_t)div_round_up(lrz->columns, ADRENO_LRZ_CLEAR_W);
    const uint32_t groups_y = (uint32_t)div_round_up(lrz->rows, ADRENO_LRZ_CLEAR_H);
    const uint64_t number = (uint64_t)at->row / ADRENO_LRZ_CLEAR_H * groups_x + at->column / ADRENO_LRZ_CLEAR_W;
    const uint64_t byte = at->layer * div_round_up((uint64_t)groups_x * groups_y, 8) + number / 8;
    if (byte >= ADRENO_LRZ_CLEAR_B)
        return (struct group){0};
    uint8_t *host = lrz->clears ? lrz->clears + byte : find_bytes(lrz, lrz->clear_va + byte, 1, false);
    return (struct group){lrz->clear_va + byte, host, (uint8_t)(1u << number % 8)};
}

static bool is_cleared(struct group group)
{
    return !group.byte || !(__atomic_load_n(group.byte, __ATOMIC_ACQUIRE) & group.bit);
}

/* The first write to a group: all of its blocks get what "cleared" stands for. Blocks of a group may belong to several
 * workers, who meet here. */
static bool fill_group(const struct gras_lrz *lrz, const struct place *at, struct group group)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const uint16_t value = lrz->is_greater ? 0 : BOUND_MAX;
    bool is_good = true;
    pthread_mutex_lock(&lock);
    const struct place first = {at->column & ~(ADRENO_LRZ_CLEAR_W - 1), at->row & ~(ADRENO_LRZ_CLEAR_H - 1), at->layer};
    for (uint32_t i = 0; is_cleared(group) && i < ADRENO_LRZ_CLEAR_W * ADRENO_LRZ_CLEAR_H; i++) {
        const struct place block = {first.column + i % ADRENO_LRZ_CLEAR_W, first.row + i / ADRENO_LRZ_CLEAR_W,
                                    at->layer};
        uint16_t *bound = is_inside(lrz, &block) ? find_bound(lrz, &block, true) : NULL;
        if (bound)
            __atomic_store_n(bound, value, __ATOMIC_RELAXED);
        is_good &= bound || !is_inside(lrz, &block);
    }
    if (is_good) {
        ADRENO_WRITES(lrz->gpu->coherence, ADRENO_CLIENT_LRZ, group.va, 1);
        __atomic_fetch_or(group.byte, group.bit, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return is_good;
}

/* The block's bound; false: it has none. */
static bool load_bound(const struct gras_lrz *lrz, const struct place *at, uint16_t *out)
{
    if (!is_inside(lrz, at) || (lrz->has_fast_clear && is_cleared(find_group(lrz, at))))
        return false;
    const uint16_t *bound = find_bound(lrz, at, false);
    if (bound)
        *out = __atomic_load_n(bound, __ATOMIC_RELAXED);
    return bound;
}

/* In a binning pass several workers write. */
static void tighten_bound(const struct gras_lrz *lrz, const struct place *at, uint16_t value)
{
    if (!is_inside(lrz, at))
        return;
    if (lrz->has_fast_clear) {
        const struct group group = find_group(lrz, at);
        if (!group.byte || (is_cleared(group) && !fill_group(lrz, at, group)))
            return;
    }
    uint16_t *bound = find_bound(lrz, at, true);
    uint16_t old = bound ? __atomic_load_n(bound, __ATOMIC_RELAXED) : value;
    while (lrz->is_greater ? old < value : old > value) {
        if (__atomic_compare_exchange_n(bound, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            break;
    }
}

/* ---- depths ---- */

/* The depths of a primitive over a rectangle, in steps of a bound. */
struct depths {
    uint16_t low, high; /* rounded down and up */
};

/* Of a number b: the library's functions are calls. */
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

/* A NaN rejects and bounds nothing. */
static double clamp_depth(const struct raster_prim *prim, double z, bool is_low)
{
    const double inner = least(most(z, prim->z_min), prim->z_max); /* where the RB clamps to the viewport */
    const double unit = least(most(is_low ? least(z, inner) : most(z, inner), 0), 1);
    return z == z ? unit * BOUND_MAX : is_low ? 0 : BOUND_MAX;
}

/* The RB evaluates the plane in floats, sample by sample; `slack` is more than its rounding. */
static struct depths find_depths(const struct raster_prim *prim, double x0, double y0, double x1, double y1)
{
    const struct raster_plane *z = &prim->z;
    const double dx0 = x0 - prim->origin_x, dy0 = y0 - prim->origin_y, width = x1 - x0, height = y1 - y0;
    const double corner = z->at + z->dx * dx0 + z->dy * dy0;
    const double slack =
        (fabs(z->at) + fabs(z->dx) * (fabs(dx0) + width) + fabs(z->dy) * (fabs(dy0) + height)) * 0x1p-20;
    const double low = corner + least(z->dx, 0) * width + least(z->dy, 0) * height - slack;
    const double high = corner + most(z->dx, 0) * width + most(z->dy, 0) * height + slack;
    return (struct depths){(uint16_t)floor(clamp_depth(prim, low, true)),
                           (uint16_t)ceil(clamp_depth(prim, high, false))};
}

/* ---- test ---- */

static bool is_beyond(const struct gras_lrz *lrz, const struct raster_prim *prim, const struct place *at,
                      uint16_t bound)
{
    const int32_t x = (int32_t)at->column << lrz->w_log2, y = (int32_t)at->row << lrz->h_log2;
    const struct depths depths =
        find_depths(prim, MAX2(x, prim->x0), MAX2(y, prim->y0), MIN2(x + (1 << lrz->w_log2), prim->x1),
                    MIN2(y + (1 << lrz->h_log2), prim->y1));
    return lrz->is_greater ? depths.high < bound : depths.low > bound;
}

static bool is_hidden(const struct gras_lrz *lrz, const struct raster_prim *prim, const struct place *at)
{
    uint16_t bound;
    return load_bound(lrz, at, &bound) && is_beyond(lrz, prim, at, bound);
}

uint32_t adreno_gras_lrz_test(const struct gras_lrz *lrz, struct raster_quad *quads, uint32_t count)
{
    uint32_t last_column = UINT32_MAX, last_row = UINT32_MAX;
    bool is_gone = false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct raster_prim *prim = quads[i].prim;
        const struct place at = {(uint32_t)quads[i].x >> lrz->w_log2, (uint32_t)quads[i].y >> lrz->h_log2, prim->layer};
        if (at.column != last_column || at.row != last_row) {
            is_gone = is_hidden(lrz, prim, &at);
            last_column = at.column;
            last_row = at.row;
        }
        if (!is_gone)
            quads[kept++] = quads[i];
    }
    return kept;
}

/* A row of a tile's blocks, which follow each other in memory: of the bits, those that are hidden. */
static uint32_t hidden_of_row(const struct gras_lrz *lrz, const struct raster_prim *prim, const struct place *at,
                              uint32_t blocks)
{
    const uint32_t count = MIN2(lrz->columns - at->column, 8u);
    const uint16_t *bounds = gpu_space_pointer(lrz->gpu->space, bound_va(lrz, at), 2 * count, GPU_PERM_READ);
    uint32_t hidden = 0;
    bits_foreach (blocks &bits_mask(count), i) {
        const struct place block = {at->column + (uint32_t)i, at->row, at->layer};
        const bool is_gone = bounds ? is_beyond(lrz, prim, &block, __atomic_load_n(&bounds[i], __ATOMIC_RELAXED))
                                    : is_hidden(lrz, prim, &block);
        hidden |= (uint32_t)is_gone << i;
    }
    return hidden;
}

uint64_t adreno_gras_lrz_hidden(const struct gras_lrz *lrz, const struct raster_prim *prim,
                                const struct raster_tile *tile, uint64_t blocks)
{
    uint64_t hidden = 0;
    bool has_bounds = false;
    uint32_t group = UINT32_MAX;
    for (uint32_t y = 0; y < 8; y++) {
        const struct place at = {(uint32_t)tile->x / RASTER_BLOCK, (uint32_t)tile->y / RASTER_BLOCK + y, prim->layer};
        const uint32_t row = blocks >> 8 * y & 0xff;
        if (!row || !is_inside(lrz, &at))
            continue;
        if (at.row / ADRENO_LRZ_CLEAR_H != group) { /* a tile's columns are of one group */
            group = at.row / ADRENO_LRZ_CLEAR_H;
            has_bounds = !lrz->has_fast_clear || !is_cleared(find_group(lrz, &at));
        }
        if (has_bounds)
            hidden |= (uint64_t)hidden_of_row(lrz, prim, &at, row) << 8 * y;
    }
    return hidden;
}

/* ---- writes ---- */

static void write_block(const struct gras_lrz *lrz, const struct raster_prim *prim, uint32_t column, uint32_t row)
{
    const int32_t x = (int32_t)(column << lrz->w_log2), y = (int32_t)(row << lrz->h_log2);
    const struct depths depths = find_depths(prim, x, y, x + (1 << lrz->w_log2), y + (1 << lrz->h_log2));
    const struct place at = {column, row, prim->layer};
    tighten_bound(lrz, &at, lrz->is_greater ? depths.low : depths.high);
}

/* Is every point of the rectangle inside of all edges? */
static bool covers_rect(const struct raster_prim *prim, int64_t x0, int64_t y0, int64_t x1, int64_t y1)
{
    const int64_t one = (int64_t)1 << prim->subpixel_bits;
    for (unsigned e = 0; e < prim->edge_count; e++) {
        const struct raster_edge *edge = &prim->edges[e];
        if (edge->a * one * (edge->a < 0 ? x1 : x0) + edge->b * one * (edge->b < 0 ? y1 : y0) + edge->c < 0)
            return false;
    }
    return true;
}

void adreno_gras_lrz_write(const struct gras_lrz *lrz, const struct raster_prim *prim, int32_t x0, int32_t y0,
                           int32_t x1, int32_t y1)
{
    const int32_t width = 1 << lrz->w_log2, height = 1 << lrz->h_log2;
    /* the first block that begins in the primitive's bounds, and the last one that ends there */
    x0 = (MAX2(x0, prim->x0) + width - 1) & -width;
    y0 = (MAX2(y0, prim->y0) + height - 1) & -height;
    x1 = MIN2(x1, prim->x1);
    y1 = MIN2(y1, prim->y1);
    for (int32_t y = y0; y + height <= y1; y += height) {
        for (int32_t x = x0; x + width <= x1; x += width) {
            if (covers_rect(prim, x, y, x + width, y + height))
                write_block(lrz, prim, (uint32_t)x >> lrz->w_log2, (uint32_t)y >> lrz->h_log2);
        }
    }
}

/* Blocks whose quads are spread over two waves are left out. */
void adreno_gras_lrz_feed(const struct gras_lrz *lrz, const struct raster_quad *quads, uint32_t count)
{
    struct {
        const struct raster_prim *prim;
        uint32_t column, row, quads;
    } blocks[32];
    const uint32_t needed = 1u << (lrz->w_log2 + lrz->h_log2 - 2);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t column = (uint32_t)quads[i].x >> lrz->w_log2, row = (uint32_t)quads[i].y >> lrz->h_log2;
        uint32_t b = 0;
        if (quads[i].mask != lrz->whole_quad)
            continue;
        while (b < used && (blocks[b].prim != quads[i].prim || blocks[b].column != column || blocks[b].row != row))
            b++;
        if (b == ARRAY_SIZE(blocks))
            return;
        if (b == used) {
            blocks[b].prim = quads[i].prim;
            blocks[b].column = column;
            blocks[b].row = row;
            blocks[b].quads = 0;
            used++;
        }
        if (++blocks[b].quads == needed)
            write_block(lrz, quads[i].prim, column, row);
    }
}
