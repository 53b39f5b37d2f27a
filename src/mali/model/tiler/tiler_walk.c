/* Bins are read: the primitives of a rectangle, in order. A cursor stands in each bin that the rectangle touches, on
 * any level; the lowest order is next, and one that several bins have counts once. Orders must grow along a bin, so
 * that a list which something has written over comes to an end. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "mali/model/tiler/tiler_record.h"
#include "util/bits.h"

#define EDGE_LIMIT (1 << 26)
#define EDGE_C_LIMIT (1ll << 54)

static bool broken(struct mali_queue *queue, uint64_t va, const char *why)
{
    return mali_stop(queue, GPU_STOP_BROKEN, "the polygon list at 0x%llx was written over: %s", (unsigned long long)va,
                     why);
}

/* A walk's view of the root: mali_bins.private. */
struct open_bins {
    bool has_bins;
    struct tiler_root root;
};

_Static_assert(sizeof(struct open_bins) <= sizeof(((struct mali_bins *)NULL)->private), "room for a root");

static struct open_bins open_of(const struct mali_bins *bins)
{
    struct open_bins open;
    memcpy(&open, bins->private, sizeof(open));
    return open;
}

bool mali_bins_open(struct mali_bins *bins_out, struct mali_queue *queue, uint64_t context_va, unsigned layer)
{
    struct open_bins open = {0};
    uint64_t root_va = 0;
    *bins_out = (struct mali_bins){.queue = queue, .context_va = context_va, .layer = layer};
    if (context_va && !mali_read(queue, "tiler context", context_va, &root_va, sizeof(root_va)))
        return false;
    if (root_va) {
        if (!mali_read(queue, "polygon list", root_va, &open.root, sizeof(open.root)))
            return false;
        if (!mali_tiler_root_is_sane(&open.root))
            return broken(queue, root_va, "its beginning");
        open.has_bins = layer < open.root.layer_count;
    }
    bins_out->depth_exponent = -24;
    memcpy(bins_out->private, &open, sizeof(open));
    return true;
}

/* ---- cursors ---- */

/* Bytes that lie in plain memory, where nobody follows who reads it; NULL: mali_read has to. The pointer is good as
 * long as the job runs. */
static inline const void *find_plain(const struct mali_queue *queue, uint64_t va, uint32_t size_B)
{
    return queue->coherence ? NULL : gpu_space_pointer(queue->space, va, size_B, GPU_PERM_READ);
}

/* Another block of the bin; 0: there is none. */
static inline void enter_block(const struct mali_bins *bins, struct mali_bin_cursor *cursor, uint64_t va)
{
    cursor->block_va = va;
    cursor->block = va ? find_plain(bins->queue, va, sizeof(struct tiler_block)) : NULL;
    cursor->entry = 0;
}

static inline bool read_block(const struct mali_bins *bins, const struct mali_bin_cursor *cursor, size_t at_B,
                              void *data, size_t size_B)
{
    if (!cursor->block)
        return mali_read(bins->queue, "bin", cursor->block_va + at_B, data, size_B);
    memcpy(data, (const char *)cursor->block + at_B, size_B);
    return true;
}

/* Where the cursor points, which is read soon. An entry without an address ends the bin; so does the end of blocks.
 * False: stopped. */
static inline bool settle_cursor(const struct mali_bins *bins, struct mali_bin_cursor *cursor)
{
    struct mali_queue *queue = bins->queue;
    const uint64_t before = cursor->order;
    struct tiler_entry entry;
    cursor->prim_va = 0;
    if (cursor->entry == TILER_BLOCK_ENTRIES) {
        uint64_t next_va;
        if (!read_block(bins, cursor, offsetof(struct tiler_block, next_va), &next_va, sizeof(next_va)))
            return false;
        enter_block(bins, cursor, next_va);
    }
    if (!cursor->block_va)
        return true;
    if (!read_block(bins, cursor, offsetof(struct tiler_block, entries) + cursor->entry * sizeof(entry), &entry,
                    sizeof(entry)))
        return false;
    if (!entry.prim_va)
        return true;
    cursor->prim_va = entry.prim_va;
    cursor->order = entry.order;
    cursor->record = find_plain(queue, entry.prim_va, TILER_PRIM_B);
    for (unsigned at_B = 0; cursor->record && at_B < TILER_PRIM_B; at_B += 64)
        __builtin_prefetch((const char *)cursor->record + at_B);
    return entry.order > before || broken(queue, entry.prim_va, "the order of primitives");
}

/* The cursor's place among the first `count`, which are in order. */
static inline void insert_cursor(struct mali_bin_walk *walk, uint32_t count, uint8_t cursor)
{
    const uint64_t order = walk->cursors[cursor].order;
    uint32_t at = count;
    for (; at && walk->orders[at - 1] < order; at--) {
        walk->orders[at] = walk->orders[at - 1];
        walk->places[at] = walk->places[at - 1];
    }
    walk->orders[at] = order;
    walk->places[at] = cursor;
}

static bool add_cursor(struct mali_bin_walk *walk, uint64_t bin_va)
{
    struct tiler_bin bin;
    if (!mali_read(walk->bins->queue, "bin", bin_va, &bin, sizeof(bin)))
        return false;
    if (!bin.head_va)
        return true;
    if (walk->cursor_count == MALI_BIN_CURSORS)
        return mali_stop(walk->bins->queue, GPU_STOP_UNIMPLEMENTED, "a walk over too many bins");
    struct mali_bin_cursor *cursor = &walk->cursors[walk->cursor_count];
    *cursor = (struct mali_bin_cursor){0};
    enter_block(walk->bins, cursor, bin.head_va);
    if (!settle_cursor(walk->bins, cursor))
        return false;
    if (cursor->prim_va)
        insert_cursor(walk, walk->cursor_count, (uint8_t)walk->cursor_count), walk->cursor_count++;
    return true;
}

/* The table of bins of a level; 0: there is none. False: stopped. */
static bool read_table(const struct mali_bins *bins, const struct tiler_root *root, unsigned level, uint64_t *va_out)
{
    return mali_read(bins->queue, "polygon list", root->layers_va + 8ull * (bins->layer * TILER_LEVELS + level), va_out,
                     sizeof(*va_out));
}

static bool add_level(struct mali_bin_walk *walk, const struct tiler_root *root, unsigned level)
{
    const uint32_t bins_x = mali_tiler_bins_x(root, level), bins_y = mali_tiler_bins_y(root, level);
    const struct raster_tile *tile = &walk->tile;
    uint64_t table_va;
    if (!read_table(walk->bins, root, level, &table_va))
        return false;
    if (!table_va || tile->x < 0 || tile->y < 0 || tile->width <= 0 || tile->height <= 0)
        return true;
    uint32_t x1 = (uint32_t)(tile->x + tile->width - 1) >> (4 + level),
             y1 = (uint32_t)(tile->y + tile->height - 1) >> (4 + level);
    for (uint32_t y = (uint32_t)tile->y >> (4 + level); y <= y1 && y < bins_y; y++) {
        for (uint32_t x = (uint32_t)tile->x >> (4 + level); x <= x1 && x < bins_x; x++) {
            if (!add_cursor(walk, table_va + sizeof(struct tiler_bin) * ((uint64_t)y * bins_x + x)))
                return false;
        }
    }
    return true;
}

void mali_bin_walk_begin(struct mali_bin_walk *walk, const struct mali_bins *bins, const struct raster_tile *tile)
{
    const struct open_bins open = open_of(bins);
    walk->bins = bins;
    walk->tile = *tile;
    walk->draw.serial = 0;
    walk->draw_va = 0;
    walk->cursor_count = 0;
    if (!open.has_bins)
        return;
    bits_foreach (open.root.level_mask, level) {
        if (!add_level(walk, &open.root, (unsigned)level)) {
            walk->cursor_count = 0;
            return;
        }
    }
}

/* ---- records ---- */

static bool check_record(const struct mali_bins *bins, const struct tiler_root *root,
                         const struct tiler_prim_record *record, uint64_t va)
{
    const int32_t *bounds = record->bounds;
    bool is_ok = record->edge_count <= RASTER_MAX_EDGES && record->provoking < 3 && bounds[0] >= 0 && bounds[1] >= 0 &&
                 bounds[0] < bounds[2] && bounds[1] < bounds[3] && bounds[2] <= (int32_t)root->fb_width &&
                 bounds[3] <= (int32_t)root->fb_height;
    for (unsigned i = 0; i < RASTER_MAX_EDGES; i++) {
        const struct raster_edge *edge = &record->edges[i];
        is_ok = is_ok && edge->a > -EDGE_LIMIT && edge->a < EDGE_LIMIT && edge->b > -EDGE_LIMIT &&
                edge->b < EDGE_LIMIT && edge->c > -EDGE_C_LIMIT && edge->c < EDGE_C_LIMIT;
    }
    return is_ok || broken(bins->queue, va, "a primitive");
}

static void decode_record(struct mali_bin_prim *prim, const struct tiler_prim_record *record)
{
    const bool is_linear = record->flags & TILER_PRIM_LINEAR;
    const struct raster_plane *weights = record->weights;
    const float w = record->w.at;
    prim->raster = (struct raster_prim){
        .x0 = record->bounds[0],
        .y0 = record->bounds[1],
        .x1 = record->bounds[2],
        .y1 = record->bounds[3],
        .origin_x = record->origin[0],
        .origin_y = record->origin[1],
        .z = record->z,
        .w = record->w,
        .layer = record->layer,
        .edge_count = record->edge_count,
        .subpixel_bits = TILER_SUBPIXEL_BITS,
        .is_back = record->flags & TILER_PRIM_BACK,
        .is_point = record->flags & TILER_PRIM_POINT,
        .is_linear = is_linear,
    };
    memcpy(prim->raster.edges, record->edges, sizeof(prim->raster.edges));
    if (is_linear) {
        prim->raster.i = weights[0];
        prim->raster.j = weights[1];
        prim->raster.iw = (struct raster_plane){weights[0].at * w, weights[0].dx * w, weights[0].dy * w};
        prim->raster.jw = (struct raster_plane){weights[1].at * w, weights[1].dx * w, weights[1].dy * w};
    } else {
        prim->raster.iw = weights[0];
        prim->raster.jw = weights[1];
    }
    memcpy(prim->varying_va, record->varying_va, sizeof(prim->varying_va));
    prim->provoking = record->provoking;
    prim->primitive = record->primitive;
}

/* The draw's depth state: the bias, and the bounds. */
static bool read_depth(struct mali_bin_walk *walk)
{
    const uint64_t va = walk->draw.words[10] | (uint64_t)walk->draw.words[11] << 32;
    uint32_t words[8];
    walk->culls_depth = walk->has_bias = false;
    if (!va)
        return true;
    if (!mali_read(walk->bins->queue, "depth and stencil descriptor", va, words, sizeof(words)))
        return false;
    const struct mali_desc_DEPTH_STENCIL depth = mali_unpack_desc_DEPTH_STENCIL(words);
    walk->culls_depth = depth.DEPTH_CULL_ENABLE;
    walk->has_bias = depth.DEPTH_BIAS_ENABLE;
    walk->bias = (struct raster_bias){depth.DEPTH_FACTOR, depth.DEPTH_UNITS, depth.DEPTH_BIAS_CLAMP,
                                      walk->bins->depth_exponent, walk->bins->depth_is_float};
    return true;
}

static void set_depth(struct mali_bin_walk *walk, const struct tiler_prim_record *record)
{
    struct raster_prim *prim = &walk->prim.raster;
    const float low = bits_float(walk->draw.words[6]), high = bits_float(walk->draw.words[7]);
    prim->z_min = MIN2(low, high);
    prim->z_max = MAX2(low, high);
    walk->prim.is_cut = walk->culls_depth && record->flags & TILER_PRIM_CUT;
    walk->prim.cut_z_at = prim->z.at;
    if (walk->has_bias && record->flags & TILER_PRIM_FACE)
        prim->z.at += raster_bias(&walk->bias, fmaxf(fabsf(prim->z.dx), fabsf(prim->z.dy)), record->z_top);
}

/* A bin may be larger than the tile. */
static inline bool touches_tile(const struct raster_tile *tile, const int32_t bounds[4])
{
    return bounds[0] < tile->x + tile->width && bounds[2] > tile->x && bounds[1] < tile->y + tile->height &&
           bounds[3] > tile->y;
}

/* `from`: the record in plain memory, or NULL. False: stopped. */
static bool load_record(struct mali_bin_walk *walk, uint64_t va, const void *from, bool *is_touching_out)
{
    struct mali_queue *queue = walk->bins->queue;
    struct open_bins open;
    struct tiler_prim_record record;
    struct tiler_draw_record draw;
    *is_touching_out = false;
    if (from)
        memcpy(&record, from, sizeof(record));
    else if (!mali_read(queue, "polygon list", va, &record, sizeof(record)))
        return false;
    if (!touches_tile(&walk->tile, record.bounds))
        return true;
    memcpy(&open, walk->bins->private, sizeof(open));
    if (!check_record(walk->bins, &open.root, &record, va))
        return false;
    if (record.draw_va != walk->draw_va) {
        if (!mali_read(queue, "polygon list", record.draw_va, &draw, sizeof(draw)))
            return false;
        walk->draw_va = record.draw_va;
        walk->draw.serial = draw.serial;
        memcpy(walk->draw.words, draw.words, sizeof(walk->draw.words));
        if (!read_depth(walk))
            return false;
    }
    decode_record(&walk->prim, &record);
    set_depth(walk, &record);
    *is_touching_out = true;
    return true;
}

/* The cursor with the lowest order goes on, and all that stand at the same record. */
static bool step_cursor(struct mali_bin_walk *walk, uint64_t *va_out, const void **record_out)
{
    const uint64_t order = walk->cursor_count ? walk->orders[walk->cursor_count - 1] : 0;
    *va_out = 0;
    *record_out = NULL;
    while (walk->cursor_count && walk->orders[walk->cursor_count - 1] == order) {
        const uint8_t number = walk->places[--walk->cursor_count];
        struct mali_bin_cursor *cursor = &walk->cursors[number];
        *va_out = cursor->prim_va;
        *record_out = cursor->record;
        cursor->entry++;
        if (!settle_cursor(walk->bins, cursor))
            return false;
        if (cursor->prim_va)
            insert_cursor(walk, walk->cursor_count++, number);
    }
    return true;
}

bool mali_bin_walk_next(struct mali_bin_walk *walk)
{
    for (;;) {
        bool is_touching;
        uint64_t va;
        const void *record;
        if (!step_cursor(walk, &va, &record) || !va || !load_record(walk, va, record, &is_touching))
            return false;
        if (is_touching)
            return true;
    }
}

/* ---- all of a layer ---- */

/* Whether there are no more bins than a walk has cursors for. */
static bool has_few_bins(const struct mali_bins *bins, const struct tiler_root *root)
{
    uint64_t count = 0, table_va;
    bits_foreach (root->level_mask, level) {
        if (!read_table(bins, root, (unsigned)level, &table_va))
            return false;
        if (table_va)
            count += (uint64_t)mali_tiler_bins_x(root, (unsigned)level) * mali_tiler_bins_y(root, (unsigned)level);
    }
    return count && count <= MALI_BIN_CURSORS;
}

unsigned mali_bins_few(const struct mali_bins *bins, struct mali_bins_few *few_out)
{
    const struct open_bins open = open_of(bins);
    const struct raster_tile all = {0, 0, (int32_t)open.root.fb_width, (int32_t)open.root.fb_height};
    struct mali_bin_walk walk;
    unsigned count = 0;
    if (!open.has_bins || !has_few_bins(bins, &open.root))
        return 0;
    mali_bin_walk_begin(&walk, bins, &all);
    for (; mali_bin_walk_next(&walk); count++) {
        if (count == MALI_BINS_FEW)
            return 0;
        few_out->draws[count] = walk.draw;
        few_out->prims[count] = walk.prim;
    }
    return count;
}
