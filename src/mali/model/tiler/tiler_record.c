/* Bins are filled: a draw's record, and for each primitive a record and an entry in the bins that it touches, on the
 * level of the hierarchy where these are at most four. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "mali/model/tiler/tiler_record.h"
#include "util/bits.h"

#define BINS_OF_PRIM 4

uint64_t mali_tiler_blocks_B(uint32_t prim_count)
{
    return (uint64_t)prim_count * BINS_OF_PRIM * sizeof(struct tiler_block);
}

uint64_t mali_tiler_records_B(uint32_t prim_count)
{
    return (uint64_t)prim_count * TILER_PRIM_B + mali_tiler_blocks_B(prim_count);
}

/* A draw, as its pixels see it, is in its words, and in memory that is looked at when they are drawn: one whose
 * words are those of the draw before is more of that, and shares its batches. */
uint64_t mali_tiler_put_draw(struct tiler_context *context, const struct tiler_draw *draw)
{
    struct tiler_draw_record record;
    if (context->root.draw_va) {
        if (!mali_read(context->queue, "polygon list", context->root.draw_va, &record, sizeof(record)))
            return 0;
        if (record.serial == context->root.draws && memcmp(record.words, draw->words, sizeof(record.words)) == 0)
            return context->root.draw_va;
    }
    record = (struct tiler_draw_record){.serial = ++context->root.draws};
    memcpy(record.words, draw->words, sizeof(record.words));
    const uint64_t va = mali_tiler_take(context, TILER_DRAW_B);
    if (!mali_tiler_write(context->queue, va, &record, sizeof(record)))
        return 0;
    return context->root.draw_va = va;
}

/* ---- where a primitive belongs ---- */

struct bin_range {
    unsigned level;
    uint32_t x0, y0, x1, y1; /* the last ones are inside */
};

static struct bin_range range_of(const struct tiler_root *root, const struct raster_prim *prim)
{
    struct bin_range range = {0};
    bits_foreach (root->level_mask, level) {
        unsigned shift = 4 + (unsigned)level;
        range = (struct bin_range){(unsigned)level, (uint32_t)prim->x0 >> shift, (uint32_t)prim->y0 >> shift,
                                   (uint32_t)(prim->x1 - 1) >> shift, (uint32_t)(prim->y1 - 1) >> shift};
        if (range.x1 - range.x0 < 2 && range.y1 - range.y0 < 2)
            break;
    }
    return range;
}

/* The layer among those of the context; as many as it has, or more: it is in another one. */
static uint32_t layer_of(const struct tiler_draw *draw, const struct raster_prim *prim)
{
    const struct tiler_source *source = (const struct tiler_source *)prim->own;
    return (uint32_t)(draw->flags.VIEW_MASK ? draw->views[source->view] : (int32_t)prim->layer) +
           (uint32_t)draw->layer_offset;
}

uint32_t mali_tiler_drop_other_layers(const struct tiler_draw *draw, const struct tiler_batch *batch)
{
    uint32_t total = 0;
    for (struct raster_block *block = batch->list.first; block; block = block->next) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < block->count; i++) {
            if (layer_of(draw, &block->prims[i]) >= draw->layer_count)
                continue;
            if (kept != i)
                block->prims[kept] = block->prims[i];
            kept++;
        }
        block->count = kept;
        total += kept;
    }
    return total;
}

static enum tiler_room need_table(struct tiler_context *context, unsigned layer, unsigned level, bool may_wait)
{
    uint64_t va;
    if (!mali_tiler_table(context, layer, level, &va))
        return TILER_STOPPED;
    if (va)
        return TILER_ROOM;
    enum tiler_room room = mali_tiler_reserve(context, mali_tiler_table_B(&context->root, level), may_wait);
    if (room == TILER_ROOM || room == TILER_ROOM_ANEW)
        return mali_tiler_table_create(context, layer, level) ? room : TILER_STOPPED;
    return room;
}

enum tiler_room mali_tiler_need_tables(struct tiler_context *context, const struct tiler_draw *draw,
                                       const struct tiler_batch *batch, bool may_wait)
{
    enum tiler_room room = context->is_open ? TILER_ROOM : mali_tiler_reserve(context, 64, may_wait);
    uint64_t seen = 0; /* of the first layers: bit level + 16 * layer */
    for (const struct raster_block *block = batch->list.first; block && room == TILER_ROOM; block = block->next) {
        for (uint32_t i = 0; i < block->count && room == TILER_ROOM; i++) {
            const unsigned layer = layer_of(draw, &block->prims[i]);
            const unsigned level = range_of(&context->root, &block->prims[i]).level;
            uint64_t bit = layer < 4 ? 1ull << (level + 16 * layer) : 0;
            if (seen & bit)
                continue;
            seen |= bit;
            room = need_table(context, layer, level, may_wait);
        }
    }
    return room;
}

/* ---- writing ---- */

/* The numbers of a primitive's vertices among those of the batch, with their views. */
struct corner_marks {
    uint32_t at[3];
};

static inline struct corner_marks marks_of(const struct tiler_batch *batch, const struct raster_prim *prim)
{
    struct corner_marks marks;
    for (unsigned i = 0; i < 3; i++)
        marks.at[i] = (uint32_t)(prim->params[i] - batch->marks);
    return marks;
}

static uint8_t flags_of(const struct tiler_draw *draw, const struct tiler_batch *batch, const struct raster_prim *prim,
                        const struct corner_marks *marks)
{
    /* Is a vertex behind the eye, or outside of the depth bounds? */
    const unsigned depths = batch->depths[marks->at[0]] | batch->depths[marks->at[1]] | batch->depths[marks->at[2]];
    return (uint8_t)((prim->is_back ? TILER_PRIM_BACK : 0) | (prim->is_point ? TILER_PRIM_POINT : 0) |
                     (prim->is_linear ? TILER_PRIM_LINEAR : 0) |
                     (draw->topology->kind == RASTER_TRIANGLE ? TILER_PRIM_FACE : 0) |
                     (depths & TILER_DEPTH_CUT ? TILER_PRIM_CUT : 0));
}

/* Every byte of the record is written, field by field: it may be memory that others look at. */
static void encode_record(struct tiler_prim_record *record, const struct tiler_draw *draw,
                          const struct tiler_batch *batch, const struct raster_prim *prim, unsigned layer)
{
    const struct tiler_source *source = (const struct tiler_source *)prim->own;
    const struct corner_marks marks = marks_of(batch, prim);
    float z_top = 0;
    for (unsigned i = 0; i < 3; i++)
        z_top = fmaxf(z_top, fabsf(batch->pos[marks.at[i]][0][2]));
    record->bounds[0] = prim->x0;
    record->bounds[1] = prim->y0;
    record->bounds[2] = prim->x1;
    record->bounds[3] = prim->y1;
    record->draw_va = batch->draw_va;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t vertex = draw->view_slots == 1 ? marks.at[i] : marks.at[i] / draw->view_slots;
        const uint32_t view = marks.at[i] - vertex * draw->view_slots;
        record->varying_va[i] =
            draw->has_varyings
                ? batch->varying_va + (batch->place[vertex] * draw->view_slots + view) * (uint64_t)draw->varying_B
                : 0;
    }
    record->primitive = source->primitive;
    record->flags = flags_of(draw, batch, prim, &marks);
    record->edge_count = prim->edge_count;
    record->provoking = (uint8_t)source->provoking;
    record->layer = (uint8_t)layer;
    memcpy(record->edges, prim->edges, sizeof(record->edges));
    record->origin[0] = prim->origin_x;
    record->origin[1] = prim->origin_y;
    record->z = prim->z;
    record->w = prim->w;
    record->weights[0] = prim->is_linear ? prim->i : prim->iw;
    record->weights[1] = prim->is_linear ? prim->j : prim->jw;
    record->z_top = z_top;
    record->pad = 0;
}

/* Where all records of the batch are, in plain memory; NULL: they are written one by one. */
static uint8_t *find_records(const struct tiler_draw *draw, const struct tiler_batch *batch)
{
    return draw->queue->coherence ? NULL
                                  : gpu_space_whole(draw->queue->space, batch->records_va,
                                                    (uint64_t)batch->result_count * TILER_PRIM_B, GPU_PERM_WRITE);
}

bool mali_tiler_write_records(const struct tiler_draw *draw, const struct tiler_batch *batch)
{
    uint8_t *host = find_records(draw, batch);
    uint64_t at_B = 0;
    for (const struct raster_block *block = batch->list.first; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++, at_B += TILER_PRIM_B) {
            struct tiler_prim_record record;
            const unsigned layer = layer_of(draw, &block->prims[i]);
            if (host) {
                encode_record((struct tiler_prim_record *)(void *)(host + at_B), draw, batch, &block->prims[i], layer);
                continue;
            }
            encode_record(&record, draw, batch, &block->prims[i], layer);
            if (!mali_tiler_write(draw->queue, batch->records_va + at_B, &record, sizeof(record)))
                return false;
        }
    }
    return true;
}

/* ---- bins ---- */

/* A table of bins, found once for primitives that follow each other. */
struct known_table {
    uint64_t va;
    unsigned layer, level;
    uint32_t bins_x;
    uint64_t host_count;    /* bins that are in plain memory; others are read and written one by one */
    struct tiler_bin *host; /* these */
};

/* State for filling bins. */
struct filling {
    struct tiler_context *context;
    struct known_table table;
    uint64_t chunk_va; /* the newest, where nearly all is: in plain memory, if it has a size */
    uint64_t chunk_B;
    uint8_t *chunk;
};

static void find_chunk(struct filling *filling)
{
    const struct tiler_context *context = filling->context;
    filling->chunk_va = context->root.first_chunk & ~0xfffull;
    filling->chunk_B = context->root.end_va - filling->chunk_va;
    filling->chunk = context->queue->coherence ? NULL
                                               : gpu_space_whole(context->queue->space, filling->chunk_va,
                                                                 filling->chunk_B, GPU_PERM_READ | GPU_PERM_WRITE);
    if (!filling->chunk)
        filling->chunk_B = 0;
}

static inline bool fill_bytes(const struct filling *filling, uint64_t va, const void *data, uint64_t size_B)
{
    const uint64_t at_B = va - filling->chunk_va;
    if (at_B >= filling->chunk_B || size_B > filling->chunk_B - at_B)
        return mali_tiler_write(filling->context->queue, va, data, size_B);
    memcpy(filling->chunk + at_B, data, size_B);
    return true;
}

static bool new_block(const struct filling *filling, const struct tiler_entry *entry, uint64_t *va_out)
{
    struct tiler_block block = {.entries = {*entry}};
    *va_out = mali_tiler_take(filling->context, sizeof(block));
    return fill_bytes(filling, *va_out, &block, sizeof(block));
}

#define TAIL_COUNT 63ull /* bits of a bin's tail */

/* Another entry after those of a bin, which is changed. */
static bool append_entry(const struct filling *filling, struct tiler_bin *bin, const struct tiler_entry *entry)
{
    const uint64_t tail_va = bin->tail & ~TAIL_COUNT, count = bin->tail & TAIL_COUNT;
    uint64_t va;
    if (tail_va && count < TILER_BLOCK_ENTRIES) {
        bin->tail++;
        return fill_bytes(filling, tail_va + offsetof(struct tiler_block, entries) + count * sizeof(*entry), entry,
                          sizeof(*entry));
    }
    if (!new_block(filling, entry, &va))
        return false;
    *bin = (struct tiler_bin){tail_va ? bin->head_va : va, va + 1};
    return !tail_va || fill_bytes(filling, tail_va, &va, sizeof(va));
}

static bool append_to(const struct filling *filling, uint64_t number, const struct tiler_entry *entry)
{
    struct mali_queue *queue = filling->context->queue;
    const uint64_t va = filling->table.va + sizeof(struct tiler_bin) * number;
    struct tiler_bin bin;
    if (number < filling->table.host_count) {
        bin = filling->table.host[number]; /* a copy: the queue's memory is anybody's */
        if (!append_entry(filling, &bin, entry))
            return false;
        filling->table.host[number] = bin;
        return true;
    }
    return mali_read(queue, "bin", va, &bin, sizeof(bin)) && append_entry(filling, &bin, entry) &&
           mali_tiler_write(queue, va, &bin, sizeof(bin));
}

static bool find_table(struct filling *filling, unsigned layer, unsigned level)
{
    struct tiler_context *context = filling->context;
    struct known_table *table = &filling->table;
    if (table->va && table->layer == layer && table->level == level)
        return true;
    *table = (struct known_table){.layer = layer, .level = level};
    if (!mali_tiler_table(context, layer, level, &table->va))
        return false;
    table->bins_x = mali_tiler_bins_x(&context->root, level);
    const uint64_t size_B = mali_tiler_table_B(&context->root, level);
    if (size_B && !context->queue->coherence && table->va % _Alignof(struct tiler_bin) == 0)
        table->host = gpu_space_whole(context->queue->space, table->va, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
    table->host_count = table->host ? size_B / sizeof(*table->host) : 0;
    return true;
}

static bool put_prim(struct filling *filling, const struct raster_prim *prim, unsigned layer,
                     const struct tiler_entry *entry)
{
    const struct bin_range range = range_of(&filling->context->root, prim);
    if (!find_table(filling, layer, range.level))
        return false;
    for (uint32_t y = range.y0; y <= range.y1; y++) {
        for (uint32_t x = range.x0; x <= range.x1; x++) {
            if (!append_to(filling, (uint64_t)y * filling->table.bins_x + x, entry))
                return false;
        }
    }
    return true;
}

bool mali_tiler_put_batch(struct tiler_context *context, const struct tiler_draw *draw, const struct tiler_batch *batch)
{
    struct filling filling = {.context = context};
    struct tiler_entry entry = {batch->order, batch->records_va};
    if (batch->result_count)
        find_chunk(&filling);
    for (const struct raster_block *block = batch->list.first; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++, entry.order++, entry.prim_va += TILER_PRIM_B) {
            if (!put_prim(&filling, &block->prims[i], layer_of(draw, &block->prims[i]), &entry))
                return false;
        }
    }
    return true;
}
