/* Chunks of GPU memory and the streams and uploads that are made of them.
 *
 * A stream's chunk ends with a jump to the next one. Its size is known only when that next one is closed, so the place
 * of the size field is kept (`jump`) until then. The last chunk ends with an empty place of a jump's size: a submission
 * of several command buffers chains them there (radeon_cs_chain). */
#include "amd/driver/radeon_cs.h"

#include <stdlib.h>

#include "amd/driver/radeon_device.h"
#include "util/bits.h"

enum {
    CHUNK_B = 64 << 10,
    JUMP_DW = AMD_PKT_INDIRECT_BUFFER_DW,
    /* The kernel says how the size of an indirect buffer must be aligned; no chip asks for more than this. */
    MAX_PAD_DW = 32,
};

/* Where a stream goes on when there is no memory: somewhere that nobody reads. */
static _Thread_local uint32_t trash[RADEON_CS_MAX_RESERVE + JUMP_DW + MAX_PAD_DW];

void radeon_chunk_pool_init(struct radeon_chunk_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    for (int kind = 0; kind < RADEON_CHUNK_KIND_COUNT; kind++)
        list_init(&pool->free[kind]);
}

static void destroy_chunk(struct radeon_device *device, struct radeon_chunk *chunk)
{
    ws_bo_unref(chunk->bo);
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
    struct radeon_chunk *chunk =
        vk_zalloc(&device->vk.alloc, NULL, sizeof(*chunk), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!chunk)
        return NULL;
    uint32_t flags = WS_BO_CPU_ACCESS | WS_BO_WRITE_COMBINED;
    flags |= kind == RADEON_CHUNK_UPLOAD ? WS_BO_VA_32 : WS_BO_READ_ONLY;
    void *map = NULL;
    if (ws_bo_create(device->ws, size_B, 4096, AMDGPU_GEM_DOMAIN_GTT, flags, 0, &chunk->bo) != 0 ||
        ws_bo_map(chunk->bo, &map) != 0) {
        destroy_chunk(device, chunk);
        return NULL;
    }
    chunk->map = map;
    chunk->size_B = size_B;
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

/* ---- streams ---- */

void radeon_cs_init(struct radeon_cs *cs, struct radeon_device *device)
{
    *cs = (struct radeon_cs){.device = device};
    list_init(&cs->chunks);
}

void radeon_cs_reset(struct radeon_cs *cs)
{
    list_foreach (&cs->chunks, struct radeon_chunk, chunk, link) {
        list_remove(&chunk->link);
        radeon_chunk_give(cs->device, RADEON_CHUNK_STREAM, chunk);
    }
    radeon_cs_init(cs, cs->device);
}

void radeon_cs_finish(struct radeon_cs *cs)
{
    radeon_cs_reset(cs);
}

static struct radeon_chunk *last_chunk(const struct radeon_cs *cs)
{
    return container_of(cs->chunks.prev, struct radeon_chunk, link);
}

/* Fillers up to where a jump ends on the kernel's alignment; one packet of many dwords where it can be. */
static void pad_for_jump(struct radeon_cs *cs, const struct radeon_chunk *chunk)
{
    const struct ws_info *info = &cs->device->ws->info;
    uint32_t align_dw = MAX2(info->gfx.ib_size_alignment, info->compute.ib_size_alignment) / 4;
    align_dw = align_dw ? align_dw : 1;
    assert(align_dw <= MAX_PAD_DW);
    while ((cs->dw - (uint32_t *)chunk->map + JUMP_DW) % align_dw)
        *cs->dw++ = AMD_PKT3_NOP_FILLER;
}

/* The size of the chunk that ends here is known now. */
static void close_chunk(struct radeon_cs *cs, struct radeon_chunk *chunk)
{
    chunk->used_dw = (uint32_t)(cs->dw - (uint32_t *)chunk->map);
    if (cs->jump)
        *cs->jump |= chunk->used_dw;
}

static void write_jump(uint32_t *dw, uint64_t va, uint32_t size_dw)
{
    amd_pack_pkt_INDIRECT_BUFFER(RADEON_GFX, dw,
                                 &(const struct amd_pkt_INDIRECT_BUFFER){
                                     .IB_BASE = va, .IB_SIZE = size_dw, .CHAIN = true, .VALID = true});
}

void radeon_cs_grow(struct radeon_cs *cs, uint32_t count_dw)
{
    struct radeon_chunk *next = cs->error ? NULL : radeon_chunk_take(cs->device, RADEON_CHUNK_STREAM, 0);
    if (!next) {
        cs->error = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        cs->dw = trash;
        cs->end = trash + RADEON_CS_MAX_RESERVE;
        return;
    }
    if (!list_is_empty(&cs->chunks)) {
        struct radeon_chunk *chunk = last_chunk(cs);
        pad_for_jump(cs, chunk);
        write_jump(cs->dw, next->bo->va, 0);
        uint32_t *size_field = &cs->dw[3];
        cs->dw += JUMP_DW;
        close_chunk(cs, chunk);
        cs->jump = size_field;
    }
    list_push_back(&cs->chunks, &next->link);
    cs->dw = (uint32_t *)next->map;
    cs->end = (uint32_t *)(next->map + next->size_B) - JUMP_DW - MAX_PAD_DW;
}

void radeon_cs_end(struct radeon_cs *cs)
{
    if (list_is_empty(&cs->chunks) || cs->error)
        return;
    struct radeon_chunk *chunk = last_chunk(cs);
    pad_for_jump(cs, chunk);
    cs->tail = cs->dw;
    for (int i = 0; i < JUMP_DW; i++)
        *cs->dw++ = AMD_PKT3_NOP_FILLER;
    close_chunk(cs, chunk);
}

struct ws_ib radeon_cs_ib(const struct radeon_cs *cs)
{
    const struct radeon_chunk *first = container_of(cs->chunks.next, struct radeon_chunk, link);
    return (struct ws_ib){.va = first->bo->va, .size_dw = first->used_dw};
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

void radeon_upload_init(struct radeon_upload *upload, struct radeon_device *device)
{
    *upload = (struct radeon_upload){.device = device};
    list_init(&upload->chunks);
}

void radeon_upload_reset(struct radeon_upload *upload)
{
    list_foreach (&upload->chunks, struct radeon_chunk, chunk, link) {
        list_remove(&chunk->link);
        radeon_chunk_give(upload->device, RADEON_CHUNK_UPLOAD, chunk);
    }
    radeon_upload_init(upload, upload->device);
}

void *radeon_upload_grow(struct radeon_upload *upload, uint32_t size_B, uint64_t *va_out)
{
    struct radeon_chunk *chunk = radeon_chunk_take(upload->device, RADEON_CHUNK_UPLOAD, size_B);
    if (!chunk)
        return NULL;
    list_push_back(&upload->chunks, &chunk->link);
    /* One that is larger than the usual chunk is used up by whom it was made for; the current one goes on. */
    if (chunk->size_B == CHUNK_B) {
        upload->map = chunk->map;
        upload->va = chunk->bo->va;
        upload->size_B = chunk->size_B;
        upload->used_B = size_B;
    }
    *va_out = chunk->bo->va;
    return chunk->map;
}
