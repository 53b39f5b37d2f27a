/* Memory of the tiler: chunks of a heap, and what a tiler context has of them.
 *
 * The heap's context, 32 bytes that the kernel hands out zeroed, has the list of unused chunks: its head, and whether
 * the first ones, which the heap's descriptor knows, are in it. A chunk begins with the link to the next one and goes
 * on after a line of the cache. A tiler context takes whole chunks, links them, and gives all of them back when its
 * pass has been rendered (FINISH_FRAGMENT with COMPLETED_TOP and COMPLETED_BOTTOM). */
#include <string.h>

#include "mali/model/coherence.h"
#include "mali/model/tiler/tiler_internal.h"
#include "util/bits.h"

#define HEADER_B 64
#define MAX_BINS 4096 /* of a table */

static uint64_t link_va(uint64_t link)
{
    return link & ~0xfffull;
}

static uint64_t link_B(uint64_t link)
{
    return (link & 0xfff) << 12;
}

/* The heap's list is taken from and given back to by all queues, with no events between them. */
static bool write_shared(struct mali_queue *queue, uint64_t va, const void *data, uint64_t size_B)
{
    return gpu_space_write(queue->space, va, data, size_B) == size_B || mali_fault(queue, "tiler", va, size_B, true);
}

bool mali_tiler_write_any(struct mali_queue *queue, uint64_t va, const void *data, uint64_t size_B)
{
    MALI_WRITES(queue, MALI_CLIENT_TILER, va, size_B);
    return write_shared(queue, va, data, size_B);
}

static bool write64(struct mali_queue *queue, uint64_t va, uint64_t value)
{
    return mali_tiler_write(queue, va, &value, sizeof(value));
}

static bool read64(struct mali_queue *queue, uint64_t va, uint64_t *value_out)
{
    return gpu_mem_read64(queue->space, va, value_out) || mali_fault(queue, "tiler", va, 8, false);
}

/* ---- the heap's list; the lock is held ---- */

struct heap_words {
    uint64_t head;    /* a link; 0: no chunk is unused */
    uint64_t is_open; /* the first chunks are in the list, or were */
};

static bool read_list(struct mali_queue *queue, const struct mali_desc_TILER_HEAP *heap, struct heap_words *words_out)
{
    if (!mali_read(queue, "tiler heap", queue->heap->va, words_out, sizeof(*words_out)))
        return false;
    if (!words_out->is_open && heap)
        *words_out = (struct heap_words){heap->BASE | heap->SIZE >> 12, 1};
    return true;
}

static bool write_list(struct mali_queue *queue, const struct heap_words *words)
{
    return write_shared(queue, queue->heap->va, words, sizeof(*words));
}

/* *link_out 0: there is none. */
static bool pop_chunk(struct tiler_context *context, uint64_t *link_out)
{
    struct mali_queue *queue = context->queue;
    struct heap_words words;
    pthread_mutex_lock(&queue->gpu->tiler->lock);
    bool is_ok = read_list(queue, &context->heap, &words);
    *link_out = is_ok ? words.head : 0;
    if (*link_out)
        is_ok = read64(queue, link_va(*link_out), &words.head) && write_list(queue, &words);
    pthread_mutex_unlock(&queue->gpu->tiler->lock);
    return is_ok;
}

bool mali_tiler_free_chunks(struct mali_queue *queue, uint64_t first_va, uint64_t last_va)
{
    struct heap_words words;
    if (!first_va || !last_va)
        return true;
    if (!queue->heap)
        return mali_stop(queue, GPU_STOP_BROKEN, "chunks come back to a queue without a heap");
    pthread_mutex_lock(&queue->gpu->tiler->lock);
    bool is_ok =
        read_list(queue, NULL, &words) && write_shared(queue, link_va(last_va), &words.head, sizeof(words.head));
    words.head = first_va;
    is_ok = is_ok && write_list(queue, &words);
    pthread_mutex_unlock(&queue->gpu->tiler->lock);
    return is_ok;
}

/* ---- contexts ---- */

bool mali_tiler_root_is_sane(const struct tiler_root *root)
{
    return root->magic == TILER_ROOT_MAGIC && root->level_mask >> TILER_LEVELS == 0 && root->fb_width <= 65536 &&
           root->fb_height <= 65536 && root->layer_count <= TILER_LAYERS;
}

bool mali_tiler_context_read(struct tiler_context *context, struct mali_queue *queue, uint64_t va)
{
    uint32_t words[32], heap_words[8];
    *context = (struct tiler_context){.queue = queue, .va = va};
    if (!queue->heap)
        return mali_stop(queue, GPU_STOP_BROKEN, "a tiler job in a queue without a heap: HEAP_SET was not executed");
    if (!mali_read(queue, "tiler context", va, words, sizeof(words)))
        return false;
    context->fields = mali_unpack_desc_TILER_CONTEXT(words);
    if (!mali_read(queue, "tiler heap descriptor", context->fields.HEAP, heap_words, sizeof(heap_words)))
        return false;
    context->heap = mali_unpack_desc_TILER_HEAP(heap_words);
    if (context->heap.SIZE < 4 * HEADER_B || context->heap.SIZE & 0xfff || context->heap.BASE & 0xfff)
        return mali_stop(queue, GPU_STOP_BROKEN, "a tiler heap of chunks of %u bytes at 0x%llx", context->heap.SIZE,
                         (unsigned long long)context->heap.BASE);
    context->root_va = context->fields.POLYGON_LIST;
    if (!context->root_va)
        return true;
    if (!mali_read(queue, "polygon list", context->root_va, &context->root, sizeof(context->root)))
        return false;
    if (!mali_tiler_root_is_sane(&context->root))
        return mali_stop(queue, GPU_STOP_BROKEN, "the polygon list of a tiler context is not the tiler's");
    context->is_open = true;
    return true;
}

#define OFFSET_COMPLETED_B 40 /* COMPLETED_TOP, then COMPLETED_BOTTOM */

static bool write_completed(struct tiler_context *context)
{
    const uint64_t links[2] = {context->is_open ? context->root.first_chunk : 0,
                               context->is_open ? context->root.last_chunk : 0};
    return mali_tiler_write(context->queue, context->va + OFFSET_COMPLETED_B, links, sizeof(links));
}

/* A pass of many layers has several contexts, and one FINISH_TILING, which names one of them: what the others hold is
 * complete as well. */
bool mali_tiler_context_write(struct tiler_context *context)
{
    if (!write_completed(context))
        return false;
    if (!context->is_open)
        return true;
    return mali_tiler_write(context->queue, context->root_va, &context->root, sizeof(context->root)) &&
           write64(context->queue, context->va, context->root_va);
}

uint64_t mali_tiler_chunk_room_B(const struct tiler_context *context)
{
    return context->heap.SIZE - HEADER_B;
}

/* ---- tables of bins ---- */

uint32_t mali_tiler_bins_x(const struct tiler_root *root, unsigned level)
{
    return (root->fb_width + (16u << level) - 1) >> (4 + level);
}

uint32_t mali_tiler_bins_y(const struct tiler_root *root, unsigned level)
{
    return (root->fb_height + (16u << level) - 1) >> (4 + level);
}

uint64_t mali_tiler_table_B(const struct tiler_root *root, unsigned level)
{
    return (uint64_t)mali_tiler_bins_x(root, level) * mali_tiler_bins_y(root, level) * sizeof(struct tiler_bin);
}

static uint64_t table_slot_va(const struct tiler_root *root, unsigned layer, unsigned level)
{
    return root->layers_va + 8ull * (layer * TILER_LEVELS + level);
}

bool mali_tiler_table(const struct tiler_context *context, unsigned layer, unsigned level, uint64_t *va_out)
{
    return read64(context->queue, table_slot_va(&context->root, layer, level), va_out);
}

static bool clear_memory(struct mali_queue *queue, uint64_t va, uint64_t size_B)
{
    static const uint8_t zeros[4096];
    bool is_ok = true;
    for (uint64_t done_B = 0; done_B < size_B && is_ok; done_B += sizeof(zeros))
        is_ok = mali_tiler_write(queue, va + done_B, zeros, MIN2(size_B - done_B, sizeof(zeros)));
    return is_ok;
}

bool mali_tiler_table_create(struct tiler_context *context, unsigned layer, unsigned level)
{
    const uint64_t size_B = mali_tiler_table_B(&context->root, level), va = mali_tiler_take(context, size_B);
    return clear_memory(context->queue, va, size_B) &&
           write64(context->queue, table_slot_va(&context->root, layer, level), va);
}

/* Of the levels that the driver allows those whose tables are of a sensible size; and one of so large bins that nothing
 * covers more than four. */
static uint32_t choose_levels(const struct tiler_root *root, uint32_t allowed)
{
    uint32_t mask = 0;
    for (unsigned level = 0; level < TILER_LEVELS; level++) {
        uint32_t x = mali_tiler_bins_x(root, level), y = mali_tiler_bins_y(root, level);
        bool is_largest = x <= 2 && y <= 2;
        if (x * y <= MAX_BINS && (allowed >> level & 1 || is_largest))
            mask |= 1u << level;
        if (is_largest)
            break;
    }
    return mask;
}

/* ---- memory of a context ---- */

static uint64_t root_size_B(const struct tiler_context *context)
{
    return align_u64(sizeof(struct tiler_root), 64) + context->fields.LAYER_COUNT * TILER_LEVELS * 8ull;
}

/* The context's first chunk is there. */
static bool open_root(struct tiler_context *context, uint64_t link)
{
    context->root = (struct tiler_root){
        .magic = TILER_ROOT_MAGIC,
        .first_chunk = link,
        .last_chunk = link,
        .next_va = link_va(link) + HEADER_B,
        .end_va = link_va(link) + link_B(link),
        .fb_width = context->fields.FB_WIDTH,
        .fb_height = context->fields.FB_HEIGHT,
        .layer_count = context->fields.LAYER_COUNT,
    };
    context->root.level_mask = choose_levels(&context->root, context->fields.HIERARCHY_MASK);
    context->is_open = true;
    const uint64_t size_B = root_size_B(context);
    context->root_va = mali_tiler_take(context, size_B);
    context->root.layers_va = context->root_va + align_u64(sizeof(struct tiler_root), 64);
    return clear_memory(context->queue, context->root_va, size_B) && write64(context->queue, link_va(link), 0);
}

static bool add_chunk(struct tiler_context *context, uint64_t link)
{
    if (link_B(link) < context->heap.SIZE)
        return mali_stop(context->queue, GPU_STOP_BROKEN, "a chunk of %llu bytes in a heap of larger ones",
                         (unsigned long long)link_B(link));
    if (context->queue->coherence)
        mali_coherence_discard(context->queue, link_va(link), link_B(link));
    if (!context->is_open)
        return open_root(context, link);
    uint64_t before = context->root.first_chunk;
    context->root.first_chunk = link;
    context->root.next_va = link_va(link) + HEADER_B;
    context->root.end_va = link_va(link) + link_B(link);
    return write64(context->queue, link_va(link), before);
}

/* The bins are complete: an exception handler may render them, and free their chunks. */
static bool wait_for_chunk(struct tiler_context *context, uint32_t freed, uint64_t *link_out, bool *is_anew_out)
{
    const bool was_open = context->is_open;
    if (!mali_tiler_context_write(context) || !mali_cs_starve(context->queue, freed, link_out))
        return false;
    uint64_t root_va;
    if (!read64(context->queue, context->va, &root_va))
        return false;
    if (was_open && !root_va) {
        context->is_open = false;
        *is_anew_out = true;
    }
    return true;
}

static bool has_room(const struct tiler_context *context, uint64_t size_B)
{
    return context->is_open && context->root.end_va >= context->root.next_va &&
           context->root.end_va - context->root.next_va >= size_B;
}

enum tiler_room mali_tiler_reserve(struct tiler_context *context, uint64_t size_B, bool may_wait)
{
    bool is_anew = false;
    size_B += 64 + context->promised_B; /* alignment */
    if (size_B + root_size_B(context) + 64 > mali_tiler_chunk_room_B(context)) {
        if (context->promised_B) /* alone it may fit */
            return TILER_FULL;
        mali_stop(context->queue, GPU_STOP_BROKEN, "%llu bytes for one piece of the polygon list, chunks have %u",
                  (unsigned long long)size_B, context->heap.SIZE);
        return TILER_STOPPED;
    }
    while (!has_room(context, size_B)) {
        uint64_t link = 0;
        const uint32_t freed = mali_cs_freed(context->queue); /* before the list is looked at */
        if (!pop_chunk(context, &link))
            return TILER_STOPPED;
        if (!link && !may_wait)
            return TILER_FULL;
        if (!link && !wait_for_chunk(context, freed, &link, &is_anew))
            return TILER_STOPPED;
        if (link && !add_chunk(context, link))
            return TILER_STOPPED;
    }
    return is_anew ? TILER_ROOM_ANEW : TILER_ROOM;
}

uint64_t mali_tiler_take(struct tiler_context *context, uint64_t size_B)
{
    uint64_t va = align_u64(context->root.next_va, 64);
    context->root.next_va = va + size_B;
    return va;
}

bool mali_tiler_finish(struct mali_run *run)
{
    struct tiler_context context;
    return mali_tiler_context_read(&context, run->queue, mali_run_reg64(run, MALI_SR(IDVS_TILER_CONTEXT))) &&
           write_completed(&context);
}
