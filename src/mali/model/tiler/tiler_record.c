/* Bins are filled: a draw's record, and for each primitive a record and an entry in the bins that it touches, on the level
 * of the hierarchy where these are at most four. */
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

/* What a draw is to its pixels is in its words, and in memory that is looked at when they are drawn: one whose words are
 * those of the draw before is more of that, and shares its batches. */
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

/* The layer among those of the context; false: it is in another one. */
static bool layer_of(const struct tiler_draw *draw, const struct raster_prim *prim, unsigned *layer_out)
{
    const struct tiler_source *source = (const struct tiler_source *)prim->own;
    int32_t layer = draw->flags.VIEW_MASK ? draw->views[source->view] : prim->layer;
    layer += draw->layer_offset;
    *layer_out = (unsigned)layer;
    return layer >= 0 && (uint32_t)layer < draw->layer_count;
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
            unsigned layer, level = range_of(&context->root, &block->prims[i]).level;
            if (!layer_of(draw, &block->prims[i], &layer))
                continue;
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

static bool new_block(struct tiler_context *context, const struct tiler_entry *entry, uint64_t *va_out)
{
    struct tiler_block block = {.entries = {*entry}};
    *va_out = mali_tiler_take(context, sizeof(block));
    return mali_tiler_write(context->queue, *va_out, &block, sizeof(block));
}

#define TAIL_COUNT 63ull /* bits of a bin's tail */

static bool append(struct tiler_context *context, uint64_t bin_va, const struct tiler_entry *entry)
{
    struct mali_queue *queue = context->queue;
    struct tiler_bin bin;
    uint64_t va;
    if (!mali_read(queue, "bin", bin_va, &bin, sizeof(bin)))
        return false;
    const uint64_t tail_va = bin.tail & ~TAIL_COUNT, count = bin.tail & TAIL_COUNT;
    if (tail_va && count < TILER_BLOCK_ENTRIES) {
        bin.tail++;
        return mali_tiler_write(queue, tail_va + offsetof(struct tiler_block, entries) + count * sizeof(*entry), entry,
                                sizeof(*entry)) &&
               mali_tiler_write(queue, bin_va + offsetof(struct tiler_bin, tail), &bin.tail, sizeof(bin.tail));
    }
    if (!new_block(context, entry, &va))
        return false;
    if (tail_va && !mali_tiler_write(queue, tail_va, &va, sizeof(va)))
        return false;
    bin = (struct tiler_bin){tail_va ? bin.head_va : va, va + 1};
    return mali_tiler_write(queue, bin_va, &bin, sizeof(bin));
}

/* Is a vertex behind the eye, or outside of the depth bounds? */
static bool is_cut(const struct tiler_draw *draw, const struct tiler_batch *batch, const struct raster_prim *prim)
{
    for (unsigned i = 0; i < 3 && (draw->culls_low || draw->culls_high); i++) {
        const float *pos = batch->pos[prim->params[i] - batch->marks][0];
        if (!(pos[3] > 0 && pos[2] >= draw->depth_low && pos[2] <= draw->depth_high))
            return true;
    }
    return false;
}

static void encode(struct tiler_prim_record *record, const struct tiler_draw *draw, const struct tiler_batch *batch,
                   const struct raster_prim *prim, unsigned layer)
{
    const struct tiler_source *source = (const struct tiler_source *)prim->own;
    *record = (struct tiler_prim_record){
        .draw_va = batch->draw_va,
        .primitive = source->primitive,
        .flags = (uint8_t)((prim->is_back ? TILER_PRIM_BACK : 0) | (prim->is_point ? TILER_PRIM_POINT : 0) |
                           (prim->is_linear ? TILER_PRIM_LINEAR : 0) |
                           (draw->topology->kind == RASTER_TRIANGLE ? TILER_PRIM_FACE : 0) |
                           (is_cut(draw, batch, prim) ? TILER_PRIM_CUT : 0)),
        .edge_count = prim->edge_count,
        .provoking = (uint8_t)source->provoking,
        .layer = (uint8_t)layer,
        .bounds = {prim->x0, prim->y0, prim->x1, prim->y1},
        .origin = {prim->origin_x, prim->origin_y},
        .z = prim->z,
        .w = prim->w,
        .weights = {prim->is_linear ? prim->i : prim->iw, prim->is_linear ? prim->j : prim->jw},
    };
    for (unsigned i = 0; i < 3; i++)
        record->z_top = fmaxf(record->z_top, fabsf(batch->pos[prim->params[i] - batch->marks][0][2]));
    memcpy(record->edges, prim->edges, sizeof(record->edges));
    for (unsigned i = 0; i < 3 && draw->has_varyings; i++) {
        uint32_t mark = (uint32_t)(prim->params[i] - batch->marks);
        uint32_t packet = batch->place[mark / draw->view_slots] * draw->view_slots + mark % draw->view_slots;
        record->varying_va[i] = batch->varying_va + (uint64_t)packet * draw->varying_B;
    }
}

bool mali_tiler_write_records(const struct tiler_draw *draw, const struct tiler_batch *batch)
{
    uint64_t va = batch->records_va;
    for (const struct raster_block *block = batch->list.first; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++, va += TILER_PRIM_B) {
            struct tiler_prim_record record;
            unsigned layer;
            if (!layer_of(draw, &block->prims[i], &layer))
                continue;
            encode(&record, draw, batch, &block->prims[i], layer);
            if (!mali_tiler_write(draw->queue, va, &record, sizeof(record)))
                return false;
        }
    }
    return true;
}

/* A table of bins, found once for primitives that follow each other. */
struct known_table {
    uint64_t va;
    unsigned layer, level;
};

static bool put_prim(struct tiler_context *context, struct known_table *table, const struct raster_prim *prim,
                     unsigned layer, const struct tiler_entry *entry)
{
    const struct bin_range range = range_of(&context->root, prim);
    const uint32_t bins_x = mali_tiler_bins_x(&context->root, range.level);
    if (!table->va || table->layer != layer || table->level != range.level) {
        *table = (struct known_table){.layer = layer, .level = range.level};
        if (!mali_tiler_table(context, layer, range.level, &table->va))
            return false;
    }
    for (uint32_t y = range.y0; y <= range.y1; y++) {
        for (uint32_t x = range.x0; x <= range.x1; x++) {
            if (!append(context, table->va + sizeof(struct tiler_bin) * ((uint64_t)y * bins_x + x), entry))
                return false;
        }
    }
    return true;
}

bool mali_tiler_put_batch(struct tiler_context *context, const struct tiler_draw *draw, const struct tiler_batch *batch)
{
    struct known_table table = {0};
    struct tiler_entry entry = {batch->order, batch->records_va};
    for (const struct raster_block *block = batch->list.first; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++, entry.order++, entry.prim_va += TILER_PRIM_B) {
            unsigned layer;
            if (layer_of(draw, &block->prims[i], &layer) && !put_prim(context, &table, &block->prims[i], layer, &entry))
                return false;
        }
    }
    return true;
}
