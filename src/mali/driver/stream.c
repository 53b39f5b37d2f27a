/* Streams, made of pieces of chunks (vk_chunk.h).
 *
 * A piece ends with a link to the next one: a JUMP, which needs the next one's length. That is known only when the next
 * one is closed, so the place of the MOVE32 that has it is kept (`link`) until then. The kernel calls the first piece,
 * and the end of the last one returns.
 *
 * Recordings of a pool share chunks, one after the other: the first piece of a stream begins where another one
 * ended. */
#include "mali/driver/stream.h"

#include <string.h>

#include "util/bits.h"

enum {
    LINK_WORDS = 3, /* MOVE, MOVE32, JUMP */
    /* A rest that is smaller is left alone: a stream of several pieces costs more than it. */
    MIN_REST_B = 4 << 10,
    MIN_HELD_WORDS = 64,
};

void mali_stream_init(struct mali_stream *s, struct vk_chunk_pool *pool, struct vk_rest *rest, unsigned memory_slot)
{
    *s = (struct mali_stream){
        .pool = pool, .rest = rest, .memory_slot = (uint8_t)memory_slot, .writable = MALI_REGS_ALL};
    list_init(&s->chunks);
}

void mali_stream_reset(struct mali_stream *s)
{
    if (s->shared.chunk)
        vk_chunk_drop(s->pool, s->shared.chunk, s->rest);
    vk_chunks_drop(s->pool, &s->chunks, s->rest);
    s->next = s->end = s->start = s->link = s->outer_next = s->outer_end = NULL;
    s->shared = (struct mali_piece){0};
    s->held.count = s->exits.count = s->depth = 0;
    s->loading = s->known.set = 0;
    s->writable = MALI_REGS_ALL;
    s->is_storing = false;
    s->error = VK_SUCCESS;
    s->why = NULL;
}

void mali_stream_finish(struct mali_stream *s)
{
    mali_stream_reset(s);
    array_finish(&s->held);
    array_finish(&s->exits);
}

void mali_stream_fail(struct mali_stream *s, VkResult error, const char *why)
{
    if (s->error)
        return;
    s->error = error;
    s->why = why;
    s->end = s->next;
}

void mali_stream_settle(struct mali_stream *s)
{
    if (!s->loading && !s->is_storing)
        return;
    mali_stream_word(s, MALI_CS(WAIT, .WAIT_MASK = 1u << s->memory_slot));
    s->loading = 0;
    s->is_storing = false;
}

/* ---- pieces ---- */

static struct vk_chunk *last_chunk(const struct mali_stream *s)
{
    return list_is_empty(&s->chunks) ? s->shared.chunk : container_of(s->chunks.prev, struct vk_chunk, link);
}

/* The length of the piece that ends here is known now. */
static void close_piece(struct mali_stream *s)
{
    const uint32_t size_B = (uint32_t)(s->next - s->start) * 8;
    if (list_is_empty(&s->chunks))
        s->shared.size_B = size_B;
    else
        last_chunk(s)->used_dw = size_B / 4;
    if (s->link)
        *s->link |= mali_pack_cs_MOVE32(&(const struct mali_cs_MOVE32){.IMMEDIATE = size_B});
}

static void begin_piece(struct mali_stream *s, const struct vk_chunk *chunk, uint32_t at_B)
{
    s->next = s->start = (uint64_t *)(chunk->map + at_B);
    s->end = (uint64_t *)(chunk->map + chunk->size_B) - LINK_WORDS;
}

static bool begin_in_rest(struct mali_stream *s, uint32_t size_B)
{
    uint32_t at_B;
    struct vk_chunk *chunk = s->start ? NULL : vk_rest_take(s->rest, MAX2(size_B, (uint32_t)MIN_REST_B), &at_B);
    if (!chunk)
        return false;
    begin_piece(s, chunk, at_B);
    s->shared = (struct mali_piece){.chunk = chunk, .words = s->start, .va = chunk->bo->va + at_B};
    return true;
}

/* After `end` there is room for this. */
static void write_link(struct mali_stream *s, uint64_t va)
{
    s->next[0] = MALI_CS(MOVE, .DESTINATION = MALI_STREAM_LINK_ADDRESS, .IMMEDIATE = va);
    s->next[1] = MALI_CS(MOVE32, .DESTINATION = MALI_STREAM_LINK_LENGTH);
    s->next[2] = MALI_CS(JUMP, .ADDRESS = MALI_STREAM_LINK_ADDRESS, .LENGTH = MALI_STREAM_LINK_LENGTH);
    uint64_t *link = &s->next[1];
    s->next += LINK_WORDS;
    close_piece(s);
    s->link = link;
}

static bool grow_chunks(struct mali_stream *s, uint32_t count)
{
    const uint32_t size_B = (count + LINK_WORDS) * 8;
    if (begin_in_rest(s, size_B))
        return true;
    struct vk_chunk *next = vk_chunk_take(s->pool, size_B);
    if (!next) {
        mali_stream_fail(s, VK_ERROR_OUT_OF_DEVICE_MEMORY, "no memory for a command stream");
        return false;
    }
    if (s->start)
        write_link(s, next->bo->va);
    list_push_back(&s->chunks, &next->link);
    begin_piece(s, next, 0);
    return true;
}

/* The instructions of open blocks may move: blocks know them by number. */
static bool grow_held(struct mali_stream *s, uint32_t count)
{
    const uint32_t used = mali_stream_held(s);
    if (!array_reserve(&s->held, used + MAX2(count, (uint32_t)MIN_HELD_WORDS))) {
        mali_stream_fail(s, VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for a block of a command stream");
        return false;
    }
    s->next = s->held.data + used;
    s->end = s->held.data + s->held.capacity;
    return true;
}

bool mali_stream_grow(struct mali_stream *s, uint32_t count)
{
    return !s->error && (s->depth ? grow_held(s, count) : grow_chunks(s, count));
}

void mali_stream_end(struct mali_stream *s)
{
    assert(!s->depth);
    mali_stream_settle(s);
    if (!s->start || s->error)
        return;
    close_piece(s);
    struct vk_chunk *chunk = last_chunk(s);
    vk_rest_give(s->pool, s->rest, chunk, (uint32_t)((uint8_t *)s->next - chunk->map));
    s->end = s->next;
}

static struct mali_piece piece_of(const struct mali_stream *s, const struct list *link)
{
    if (link == &s->chunks)
        return (struct mali_piece){0};
    struct vk_chunk *chunk = container_of(link, struct vk_chunk, link);
    return (struct mali_piece){chunk, (uint64_t *)chunk->map, chunk->bo->va, chunk->used_dw * 4};
}

struct mali_piece mali_stream_first(const struct mali_stream *s)
{
    return s->shared.chunk ? s->shared : piece_of(s, s->chunks.next);
}

struct mali_piece mali_stream_next(const struct mali_stream *s, const struct mali_piece *piece)
{
    return piece_of(s, piece->chunk == s->shared.chunk ? s->chunks.next : piece->chunk->link.next);
}
