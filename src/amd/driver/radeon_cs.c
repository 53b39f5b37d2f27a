/* Chunks of GPU memory and the streams and uploads that are made of them.
 *
 * A stream's piece of a chunk ends with a jump to the next one. Its size is known only when that next one is closed, so
 * the place of the size field is kept (`jump`) until then. The last piece ends with an empty place of a jump's size: a
 * submission of several command buffers chains them there (radeon_cs_chain).
 *
 * Recordings of a pool share chunks, one after the other: the first piece of a stream begins where another one ended.
 */
#include "amd/driver/radeon_cs.h"

#include <stdlib.h>

#include "amd/driver/radeon_device.h"
#include "util/bits.h"

enum {
    CHUNK_B = 64 << 10,
    JUMP_DW = AMD_PKT_INDIRECT_BUFFER_DW,
    /* The kernel says how the size of an indirect buffer must be aligned; no chip asks for more than this. */
    MAX_PAD_DW = 32,
    /* Recordings of one chunk share no line of any cache. */
    REST_ALIGN_B = 256,
    /* A smaller rest is not used: a stream of several pieces costs more than it saves. */
    MIN_STREAM_REST_B = 8 << 10,
    MIN_UPLOAD_REST_B = 1 << 10,
};

/* Where a stream goes on when there is no memory: somewhere that nothing reads. */
static _Thread_local uint32_t trash[RADEON_CS_MAX_RESERVE + JUMP_DW + MAX_PAD_DW];

void radeon_chunk_pool_init(struct radeon_chunk_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    for (int kind = 0; kind < RADEON_CHUNK_KIND_COUNT; kind++)
        list_init(&pool->free[kind]);
}

static void destroy_chunk(struct radeon_device *device, struct radeon_chunk *chunk)
{
    amd_ws_bo_unref(chunk->bo);
    vk_free(&device->vk.alloc, NULL, chunk);
}

void radeon_chunk_pool_finish(struct radeon_device *device)
{
    for (int kind = 0; kind < RADEON_CHUNK_KIND_COUNT; kind++) {
        list_foreach (&device->chunks.free[kind], struct radeon_chunk, chunk, link)
            destroy_chunk(device, chunk);
    }
    pthread_mutex_destroy(&device->chunks.lock);
}

static struct radeon_chunk *create_chunk(struct radeon_device *device, enum radeon_chunk_kind kind, uint32_t size_B)
{
    struct radeon_chunk *chunk = vk_zalloc(&device->vk.alloc, NULL, sizeof(*chunk), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!chunk)
        return NULL;
    uint32_t flags = WS_BO_CPU_ACCESS | WS_BO_WRITE_COMBINED;
    flags |= kind == RADEON_CHUNK_UPLOAD ? WS_BO_VA_32 : WS_BO_READ_ONLY;
    void *map = NULL;
    if (amd_ws_bo_create(device->ws, size_B, 4096, AMDGPU_GEM_DOMAIN_GTT, flags, 0, &chunk->bo) != 0 ||
        amd_ws_bo_map(chunk->bo, &map) != 0) {
        destroy_chunk(device, chunk);
        return NULL;
    }
    chunk->map = map;
    chunk->size_B = size_B;
    chunk->users = 1;
    return chunk;
}

struct radeon_chunk *radeon_chunk_take(struct radeon_device *device, enum radeon_chunk_kind kind, uint32_t size_B)
{
    if (size_B > CHUNK_B)
        return create_chunk(device, kind, (uint32_t)align_u64(size_B, 4096));
    struct radeon_chunk *chunk = NULL;
    struct list *free = &device->chunks.free[kind];
    pthread_mutex_lock(&device->chunks.lock);
    if (!list_is_empty(free)) {
        chunk = container_of(free->next, struct radeon_chunk, link);
        list_remove(&chunk->link);
    }
    pthread_mutex_unlock(&device->chunks.lock);
    if (chunk)
        chunk->users = 1;
    return chunk ? chunk : create_chunk(device, kind, CHUNK_B);
}

void radeon_chunk_give(struct radeon_device *device, enum radeon_chunk_kind kind, struct radeon_chunk *chunk)
{
    if (chunk->size_B != CHUNK_B) {
        destroy_chunk(device, chunk);
        return;
    }
    pthread_mutex_lock(&device->chunks.lock);
    list_push_front(&device->chunks.free[kind], &chunk->link);
    pthread_mutex_unlock(&device->chunks.lock);
}

/* ---- rests ---- */

static void drop_user(struct radeon_device *device, enum radeon_chunk_kind kind, struct radeon_chunk *chunk,
                      struct radeon_rest *rest)
{
    if (--chunk->users == 0)
        radeon_chunk_give(device, kind, chunk);
    else if (rest && rest->chunk == chunk && chunk->users == 1)
        rest->at_B = 0; /* nothing is in it any more */
}

void radeon_rest_drop(struct radeon_device *device, enum radeon_chunk_kind kind, struct radeon_rest *rest)
{
    if (rest->chunk)
        drop_user(device, kind, rest->chunk, NULL);
    *rest = (struct radeon_rest){0};
}

/* The rest if it has room, owned by the caller from now on; NULL otherwise. */
static struct radeon_chunk *take_rest(struct radeon_rest *rest, uint32_t size_B, uint32_t *at_B_out)
{
    if (!rest || !rest->chunk || rest->chunk->size_B - rest->at_B < size_B)
        return NULL;
    struct radeon_chunk *chunk = rest->chunk;
    *at_B_out = rest->at_B;
    rest->chunk = NULL;
    return chunk;
}

/* The larger of two rests is kept. */
static void give_rest(struct radeon_device *device, enum radeon_chunk_kind kind, struct radeon_rest *rest,
                      struct radeon_chunk *chunk, uint32_t used_B)
{
    uint32_t at_B = (uint32_t)align_u64(used_B, REST_ALIGN_B);
    if (!rest || chunk->size_B != CHUNK_B || at_B >= CHUNK_B || (rest->chunk && rest->at_B <= at_B))
        return;
    radeon_rest_drop(device, kind, rest);
    chunk->users++;
    *rest = (struct radeon_rest){chunk, at_B};
}

/* ---- streams ---- */

void radeon_cs_init(struct radeon_cs *cs, struct radeon_device *device, struct radeon_rest *rest)
{
    *cs = (struct radeon_cs){.device = device, .rest = rest};
    list_init(&cs->chunks);
}

void radeon_cs_reset(struct radeon_cs *cs)
{
    if (cs->shared.chunk)
        drop_user(cs->device, RADEON_CHUNK_STREAM, cs->shared.chunk, cs->rest);
    list_foreach (&cs->chunks, struct radeon_chunk, chunk, link) {
        list_remove(&chunk->link);
        drop_user(cs->device, RADEON_CHUNK_STREAM, chunk, cs->rest);
    }
    radeon_cs_init(cs, cs->device, cs->rest);
}

void radeon_cs_finish(struct radeon_cs *cs)
{
    radeon_cs_reset(cs);
}

static struct radeon_chunk *last_chunk(const struct radeon_cs *cs)
{
    return list_is_empty(&cs->chunks) ? cs->shared.chunk : container_of(cs->chunks.prev, struct radeon_chunk, link);
}

/* Fillers up to where a jump ends on the kernel's alignment; one packet of many dwords where it can be. */
static void pad_for_jump(struct radeon_cs *cs)
{
    const struct ws_info *info = &cs->device->ws->info;
    uint32_t align_dw = MAX2(info->gfx.ib_size_alignment, info->compute.ib_size_alignment) / 4;
    align_dw = align_dw ? align_dw : 1;
    assert(align_dw <= MAX_PAD_DW);
    while ((cs->dw - cs->start + JUMP_DW) % align_dw)
        *cs->dw++ = AMD_PKT3_NOP_FILLER;
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

static void begin_piece(struct radeon_cs *cs, const struct radeon_chunk *chunk, uint32_t at_B)
{
    cs->dw = cs->start = (uint32_t *)(chunk->map + at_B);
    cs->end = (uint32_t *)(chunk->map + chunk->size_B) - JUMP_DW - MAX_PAD_DW;
}

static bool begin_in_rest(struct radeon_cs *cs, uint32_t count_dw)
{
    uint32_t at_B, size_B = MAX2(4 * (count_dw + JUMP_DW + MAX_PAD_DW), (uint32_t)MIN_STREAM_REST_B);
    struct radeon_chunk *chunk = cs->start ? NULL : take_rest(cs->rest, size_B, &at_B);
    if (!chunk)
        return false;
    begin_piece(cs, chunk, at_B);
    cs->shared = (struct radeon_piece){.chunk = chunk, .words = cs->start, .va = chunk->bo->vk.va + at_B};
    return true;
}

void radeon_cs_grow(struct radeon_cs *cs, uint32_t count_dw)
{
    if (!cs->error && begin_in_rest(cs, count_dw))
        return;
    struct radeon_chunk *next = cs->error ? NULL : radeon_chunk_take(cs->device, RADEON_CHUNK_STREAM, 0);
    if (!next) {
        cs->error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        cs->dw = trash;
        cs->end = trash + RADEON_CS_MAX_RESERVE;
        return;
    }
    if (cs->start) {
        pad_for_jump(cs);
        write_jump(cs->dw, next->bo->vk.va, 0);
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
    pad_for_jump(cs);
    cs->tail = cs->dw;
    for (int i = 0; i < JUMP_DW; i++)
        *cs->dw++ = AMD_PKT3_NOP_FILLER;
    close_piece(cs);
    struct radeon_chunk *chunk = last_chunk(cs);
    give_rest(cs->device, RADEON_CHUNK_STREAM, cs->rest, chunk, (uint32_t)((uint8_t *)cs->dw - chunk->map));
    cs->end = cs->dw;
}

static struct radeon_piece piece_of(const struct radeon_cs *cs, const struct list *link)
{
    if (link == &cs->chunks)
        return (struct radeon_piece){0};
    struct radeon_chunk *chunk = container_of(link, struct radeon_chunk, link);
    return (struct radeon_piece){chunk, (uint32_t *)chunk->map, chunk->bo->vk.va, chunk->used_dw};
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

/* ---- uploads ---- */

void radeon_upload_init(struct radeon_upload *upload, struct radeon_device *device, struct radeon_rest *rest)
{
    *upload = (struct radeon_upload){.device = device, .rest = rest};
    list_init(&upload->chunks);
}

void radeon_upload_reset(struct radeon_upload *upload)
{
    if (upload->shared)
        drop_user(upload->device, RADEON_CHUNK_UPLOAD, upload->shared, upload->rest);
    list_foreach (&upload->chunks, struct radeon_chunk, chunk, link) {
        list_remove(&chunk->link);
        drop_user(upload->device, RADEON_CHUNK_UPLOAD, chunk, upload->rest);
    }
    radeon_upload_init(upload, upload->device, upload->rest);
}

void radeon_upload_end(struct radeon_upload *upload)
{
    if (upload->current)
        give_rest(upload->device, RADEON_CHUNK_UPLOAD, upload->rest, upload->current, upload->used_B);
    upload->size_B = upload->used_B;
}

static void fill_next(struct radeon_upload *upload, struct radeon_chunk *chunk, uint32_t used_B)
{
    upload->current = chunk;
    upload->map = chunk->map;
    upload->va = chunk->bo->vk.va;
    upload->size_B = chunk->size_B;
    upload->used_B = used_B;
}

void *radeon_upload_grow(struct radeon_upload *upload, uint32_t size_B, uint64_t *va_out)
{
    uint32_t at_B = 0;
    struct radeon_chunk *chunk =
        upload->current ? NULL : take_rest(upload->rest, MAX2(size_B, (uint32_t)MIN_UPLOAD_REST_B), &at_B);
    if (chunk) {
        upload->shared = chunk;
    } else {
        chunk = radeon_chunk_take(upload->device, RADEON_CHUNK_UPLOAD, size_B);
        if (!chunk)
            return NULL;
        list_push_back(&upload->chunks, &chunk->link);
    }
    /* A chunk larger than usual belongs to the upload that it was made for; the current one stays in use. */
    if (chunk->size_B == CHUNK_B)
        fill_next(upload, chunk, at_B + size_B);
    *va_out = chunk->bo->vk.va + at_B;
    return chunk->map + at_B;
}
