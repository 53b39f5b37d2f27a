/* Streams, made of pieces of chunks (vk_chunk.h).
 *
 * A stream's piece of a chunk ends with a jump to the next one. Its size is known only when that next one is closed, so
 * the place of the size field is kept (`jump`) until then. The last piece ends with an empty place of a jump's size: a
 * submission of several command buffers chains them there (radeon_cs_chain).
 *
 * Recordings of a pool share chunks, one after the other: the first piece of a stream begins where another one ended.
 */
#include "amd/driver/radeon_cs.h"

#include <stdlib.h>

#include "util/bits.h"

enum {
    JUMP_DW = AMD_PKT_INDIRECT_BUFFER_DW,
    /* The kernel says how the size of an indirect buffer must be aligned; no chip asks for more than this. */
    MAX_PAD_DW = 64,
    /* A rest that is smaller is left alone: a stream of several pieces costs more than it. */
    MIN_STREAM_REST_B = 8 << 10,
};

/* Where streams go on when there is no memory: somewhere that nothing reads. Not a thread's own, for the thread may end
 * before the recording does. */
static uint32_t trash[RADEON_CS_MAX_RESERVE + JUMP_DW + MAX_PAD_DW];

void radeon_cs_init(struct radeon_cs *cs, struct vk_chunk_pool *pool, const struct ws_info *info, struct vk_rest *rest)
{
    *cs = (struct radeon_cs){.pool = pool, .info = info, .rest = rest};
    list_init(&cs->chunks);
}

void radeon_cs_reset(struct radeon_cs *cs)
{
    if (cs->shared.chunk)
        vk_chunk_drop(cs->pool, cs->shared.chunk, cs->rest);
    vk_chunks_drop(cs->pool, &cs->chunks, cs->rest);
    const bool is_dma = cs->is_dma;
    radeon_cs_init(cs, cs->pool, cs->info, cs->rest);
    cs->is_dma = is_dma;
}

void radeon_cs_finish(struct radeon_cs *cs)
{
    radeon_cs_reset(cs);
}

static struct vk_chunk *last_chunk(const struct radeon_cs *cs)
{
    return list_is_empty(&cs->chunks) ? cs->shared.chunk : container_of(cs->chunks.prev, struct vk_chunk, link);
}

/* Up to a multiple of `align_dw`, a power of two or 0, where `behind_dw` more follow. */
static void pad_stream(struct radeon_cs *cs, uint32_t align_dw, uint32_t behind_dw, uint32_t filler)
{
    assert(align_dw <= MAX_PAD_DW && !(align_dw & (align_dw - 1)));
    const uint32_t count_dw = (uint32_t)(cs->dw - cs->start) + behind_dw;
    uint32_t *dw = cs->dw; /* the stream's own would be in memory after each word */
    for (uint32_t left = align_dw ? -count_dw & (align_dw - 1) : 0; left; left--)
        *dw++ = filler;
    cs->dw = dw;
}

/* Fillers up to where a jump ends on the kernel's alignment. */
static void pad_for_jump(struct radeon_cs *cs)
{
    pad_stream(cs, MAX2(cs->info->gfx.ib_size_alignment, cs->info->compute.ib_size_alignment) / 4, JUMP_DW,
               AMD_PKT3_NOP_FILLER);
}

/* The DMA engine's empty packet is a word of 0. The next stream may begin where this one ends. */
static void pad_for_dma(struct radeon_cs *cs)
{
    const struct drm_amdgpu_info_hw_ip *dma = &cs->info->dma;
    pad_stream(cs, MAX2(dma->ib_size_alignment, dma->ib_start_alignment) / 4, 0, 0);
}

/* The size of the piece that ends here is known now. */
static void close_piece(struct radeon_cs *cs)
{
    uint32_t count_dw = (uint32_t)(cs->dw - cs->start);
    if (list_is_empty(&cs->chunks))
        cs->shared.count_dw = count_dw;
    else
        last_chunk(cs)->used_dw = count_dw;
    if (cs->jump)
        *cs->jump |= count_dw;
}

static void write_jump(uint32_t *dw, uint64_t va, uint32_t size_dw)
{
    amd_pack_pkt_INDIRECT_BUFFER(
        RADEON_GFX, dw,
        &(const struct amd_pkt_INDIRECT_BUFFER){.IB_BASE = va, .IB_SIZE = size_dw, .CHAIN = true, .VALID = true});
}

static void begin_piece(struct radeon_cs *cs, const struct vk_chunk *chunk, uint32_t at_B)
{
    cs->dw = cs->start = (uint32_t *)(chunk->map + at_B);
    cs->end = (uint32_t *)(chunk->map + chunk->size_B) - JUMP_DW - MAX_PAD_DW;
}

static bool begin_in_rest(struct radeon_cs *cs, uint32_t count_dw)
{
    uint32_t at_B, size_B = MAX2(4 * (count_dw + JUMP_DW + MAX_PAD_DW), (uint32_t)MIN_STREAM_REST_B);
    struct vk_chunk *chunk = cs->start ? NULL : vk_rest_take(cs->rest, size_B, &at_B);
    if (!chunk)
        return false;
    begin_piece(cs, chunk, at_B);
    cs->shared = (struct radeon_piece){.chunk = chunk, .words = cs->start, .va = chunk->bo->va + at_B};
    return true;
}

void radeon_cs_grow(struct radeon_cs *cs, uint32_t count_dw)
{
    if (!cs->error && begin_in_rest(cs, count_dw))
        return;
    struct vk_chunk *next = cs->error ? NULL : vk_chunk_take(cs->pool, 0);
    if (!next) {
        cs->error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        cs->dw = trash;
        cs->end = trash + RADEON_CS_MAX_RESERVE;
        return;
    }
    if (cs->start && cs->is_dma) {
        pad_for_dma(cs);
        close_piece(cs);
    } else if (cs->start) {
        pad_for_jump(cs);
        write_jump(cs->dw, next->bo->va, 0);
        uint32_t *size_field = &cs->dw[3];
        cs->dw += JUMP_DW;
        close_piece(cs);
        cs->jump = size_field;
    }
    list_push_back(&cs->chunks, &next->link);
    begin_piece(cs, next, 0);
}

void radeon_cs_end(struct radeon_cs *cs)
{
    if (!cs->start || cs->error)
        return;
    if (cs->is_dma) {
        pad_for_dma(cs);
    } else {
        pad_for_jump(cs);
        uint32_t *dw = cs->tail = cs->dw;
        for (int i = 0; i < JUMP_DW; i++)
            dw[i] = AMD_PKT3_NOP_FILLER;
        cs->dw = dw + JUMP_DW;
    }
    close_piece(cs);
    struct vk_chunk *chunk = last_chunk(cs);
    vk_rest_give(cs->pool, cs->rest, chunk, (uint32_t)((uint8_t *)cs->dw - chunk->map));
    cs->end = cs->dw;
}

static struct radeon_piece piece_of(const struct radeon_cs *cs, const struct list *link)
{
    if (link == &cs->chunks)
        return (struct radeon_piece){0};
    struct vk_chunk *chunk = container_of(link, struct vk_chunk, link);
    return (struct radeon_piece){chunk, (uint32_t *)chunk->map, chunk->bo->va, chunk->used_dw};
}

struct radeon_piece radeon_cs_first(const struct radeon_cs *cs)
{
    return cs->shared.chunk ? cs->shared : piece_of(cs, cs->chunks.next);
}

struct radeon_piece radeon_cs_next(const struct radeon_cs *cs, const struct radeon_piece *piece)
{
    return piece_of(cs, piece->chunk == cs->shared.chunk ? cs->chunks.next : piece->chunk->link.next);
}

struct ws_ib radeon_cs_ib(const struct radeon_cs *cs)
{
    struct radeon_piece first = radeon_cs_first(cs);
    return (struct ws_ib){.va = first.va, .size_dw = first.count_dw};
}

void radeon_cs_chain(struct radeon_cs *cs, const struct radeon_cs *next)
{
    if (next) {
        struct ws_ib ib = radeon_cs_ib(next);
        write_jump(cs->tail, ib.va, ib.size_dw);
    } else {
        for (int i = 0; i < JUMP_DW; i++)
            cs->tail[i] = AMD_PKT3_NOP_FILLER;
    }
}
