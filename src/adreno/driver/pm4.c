/* Streams, made of pieces of chunks. Recordings of a pool share chunks, one after the other: the first piece of a
 * stream begins where another one ended. */
#include "adreno/driver/pm4.h"

#include "util/bits.h"

enum {
    /* A rest that is smaller is left alone: a stream of several pieces costs more than it. */
    MIN_STREAM_REST_B = 8 << 10,
};

/* Where streams go on when there is no memory: somewhere that nothing reads. Not a thread's own, for the thread may end
 * before the recording does. */
static uint32_t trash[ADRENO_CS_MAX_RESERVE];

void adreno_cs_init(struct adreno_cs *cs, struct vk_chunk_pool *pool, struct vk_rest *rest)
{
    *cs = (struct adreno_cs){.pool = pool, .rest = rest};
    list_init(&cs->chunks);
}

void adreno_cs_init_fixed(struct adreno_cs *cs, uint32_t *words, uint64_t va, uint32_t size_dw)
{
    adreno_cs_init(cs, NULL, NULL);
    cs->dw = cs->start = words;
    cs->end = words + size_dw;
    cs->va = va;
}

void adreno_cs_reset(struct adreno_cs *cs)
{
    if (cs->shared)
        vk_chunk_drop(cs->pool, cs->shared, cs->rest);
    vk_chunks_drop(cs->pool, &cs->chunks, cs->rest);
    cs->dw = cs->end = cs->start = NULL;
    cs->current = cs->shared = NULL;
    cs->pieces.count = 0;
    cs->error = VK_SUCCESS;
}

void adreno_cs_finish(struct adreno_cs *cs)
{
    adreno_cs_reset(cs);
    array_finish(&cs->pieces);
}

static void fail_stream(struct adreno_cs *cs, VkResult error)
{
    cs->error = cs->error ? cs->error : error;
    cs->dw = cs->start = trash;
    cs->end = trash + ADRENO_CS_MAX_RESERVE;
}

static void add_piece(struct adreno_cs *cs, struct adreno_piece piece)
{
    if (!array_push(&cs->pieces, piece))
        fail_stream(cs, VK_ERROR_OUT_OF_HOST_MEMORY);
}

void adreno_cs_split(struct adreno_cs *cs)
{
    if (cs->error || cs->dw == cs->start)
        return;
    struct vk_chunk *chunk = cs->current;
    add_piece(cs, (struct adreno_piece){.bo = (struct adreno_bo *)chunk->bo,
                                        .offset_B = (uint32_t)((uint8_t *)cs->start - chunk->map),
                                        .size_dw = (uint32_t)(cs->dw - cs->start)});
    if (!cs->error) {
        cs->va += 4ull * (uint32_t)(cs->dw - cs->start);
        cs->start = cs->dw;
    }
}

static void begin_piece(struct adreno_cs *cs, struct vk_chunk *chunk, uint32_t at_B)
{
    cs->current = chunk;
    cs->dw = cs->start = (uint32_t *)(chunk->map + at_B);
    cs->end = (uint32_t *)(chunk->map + chunk->size_B);
    cs->va = chunk->bo->va + at_B;
}

void adreno_cs_grow(struct adreno_cs *cs, uint32_t count_dw)
{
    assert(cs->pool); /* a place of fixed size was chosen too small */
    adreno_cs_split(cs);
    if (cs->error) {
        fail_stream(cs, cs->error);
        return;
    }
    uint32_t at_B = 0;
    struct vk_chunk *chunk =
        cs->current ? NULL : vk_rest_take(cs->rest, MAX2(4 * count_dw, (uint32_t)MIN_STREAM_REST_B), &at_B);
    if (chunk) {
        cs->shared = chunk;
    } else {
        chunk = vk_chunk_take(cs->pool, 0);
        if (!chunk) {
            fail_stream(cs, VK_ERROR_OUT_OF_DEVICE_MEMORY);
            return;
        }
        list_push_back(&cs->chunks, &chunk->link);
    }
    begin_piece(cs, chunk, at_B);
}

void adreno_cs_end(struct adreno_cs *cs)
{
    adreno_cs_split(cs);
    if (cs->error || !cs->current)
        return;
    vk_rest_give(cs->pool, cs->rest, cs->current, (uint32_t)((uint8_t *)cs->dw - cs->current->map));
    cs->end = cs->dw;
}

void adreno_cs_append(struct adreno_cs *cs, const struct adreno_cs *other)
{
    adreno_cs_split(cs);
    for (uint32_t i = 0; i < other->pieces.count && !cs->error; i++)
        add_piece(cs, other->pieces.data[i]);
}
