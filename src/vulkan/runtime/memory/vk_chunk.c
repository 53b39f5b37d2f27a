/* Chunks, their rests, and uploads. */
#include "vulkan/runtime/memory/vk_chunk.h"

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"

enum {
    PAGE_B = 4096,
    /* Recordings of one chunk share no line of any cache. */
    REST_ALIGN_B = 256,
    /* A rest that is smaller is left alone. */
    MIN_UPLOAD_REST_B = 1 << 10,
};

/* ---- chunks ---- */

void vk_chunk_pool_init(struct vk_chunk_pool *pool, struct vk_device *device,
                        struct vk_bo *(*create)(struct vk_device *device, uint32_t size_B),
                        void (*destroy)(struct vk_device *device, struct vk_bo *bo))
{
    pool->device = device;
    pool->create = create;
    pool->destroy = destroy;
    atomic_init(&pool->large, 0);
    pthread_mutex_init(&pool->lock, NULL);
    list_init(&pool->free);
}

static void destroy_chunk(struct vk_chunk_pool *pool, struct vk_chunk *chunk)
{
    pool->destroy(pool->device, chunk->bo);
    vk_free(&pool->device->alloc, NULL, chunk);
}

void vk_chunk_pool_finish(struct vk_chunk_pool *pool)
{
    list_foreach (&pool->free, struct vk_chunk, chunk, link)
        destroy_chunk(pool, chunk);
    pthread_mutex_destroy(&pool->lock);
}

static struct vk_chunk *create_chunk(struct vk_chunk_pool *pool, uint32_t size_B)
{
    const VkAllocationCallbacks *alloc = &pool->device->alloc;
    struct vk_chunk *chunk = vk_zalloc(alloc, NULL, sizeof(*chunk), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!chunk)
        return NULL;
    chunk->bo = pool->create(pool->device, size_B);
    if (!chunk->bo) {
        vk_free(alloc, NULL, chunk);
        return NULL;
    }
    chunk->map = chunk->bo->map;
    chunk->size_B = size_B;
    chunk->users = 1;
    return chunk;
}

struct vk_chunk *vk_chunk_take(struct vk_chunk_pool *pool, uint32_t size_B)
{
    struct vk_chunk *chunk = NULL;
    if (size_B > VK_CHUNK_B) {
        chunk = create_chunk(pool, (uint32_t)align_u64(size_B, PAGE_B));
        if (chunk)
            atomic_fetch_add_explicit(&pool->large, 1, memory_order_relaxed);
        return chunk;
    }
    pthread_mutex_lock(&pool->lock);
    if (!list_is_empty(&pool->free)) {
        chunk = container_of(pool->free.next, struct vk_chunk, link);
        list_remove(&chunk->link);
    }
    pthread_mutex_unlock(&pool->lock);
    if (chunk)
        chunk->users = 1;
    return chunk ? chunk : create_chunk(pool, VK_CHUNK_B);
}

static void give_back(struct vk_chunk_pool *pool, struct vk_chunk *chunk)
{
    if (chunk->size_B != VK_CHUNK_B) {
        destroy_chunk(pool, chunk);
        atomic_fetch_sub_explicit(&pool->large, 1, memory_order_relaxed);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    list_push_front(&pool->free, &chunk->link);
    pthread_mutex_unlock(&pool->lock);
}

void vk_chunk_drop(struct vk_chunk_pool *pool, struct vk_chunk *chunk, struct vk_rest *rest)
{
    if (--chunk->users == 0)
        give_back(pool, chunk);
    else if (rest && rest->chunk == chunk && chunk->users == 1)
        rest->at_B = 0;
}

/* Chunks that cannot go back to the pool by the list as a whole. */
static void drop_odd(struct vk_chunk_pool *pool, struct list *chunks, struct vk_rest *rest)
{
    list_foreach (chunks, struct vk_chunk, chunk, link) {
        if (chunk->users == 1 && chunk->size_B == VK_CHUNK_B)
            continue;
        list_remove(&chunk->link);
        vk_chunk_drop(pool, chunk, rest);
    }
}

void vk_chunks_drop(struct vk_chunk_pool *pool, struct list *chunks, struct vk_rest *rest)
{
    if (list_is_empty(chunks))
        return;
    struct vk_chunk *last = container_of(chunks->prev, struct vk_chunk, link);
    /* A large one of this list was counted by this thread, or by one that handed the list over. */
    if (atomic_load_explicit(&pool->large, memory_order_relaxed)) {
        drop_odd(pool, chunks, rest);
    } else if (last->users > 1) {
        list_remove(&last->link);
        vk_chunk_drop(pool, last, rest);
    }
    if (list_is_empty(chunks))
        return;
    /* In front of the others, in the order in which they were written: the next recording takes them so, too. */
    pthread_mutex_lock(&pool->lock);
    list_splice_back(chunks, &pool->free);
    list_splice_back(&pool->free, chunks);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- rests ---- */

void vk_rest_drop(struct vk_chunk_pool *pool, struct vk_rest *rest)
{
    if (rest->chunk)
        vk_chunk_drop(pool, rest->chunk, NULL);
    *rest = (struct vk_rest){0};
}

struct vk_chunk *vk_rest_take(struct vk_rest *rest, uint32_t size_B, uint32_t *at_B_out)
{
    if (!rest || !rest->chunk || rest->chunk->size_B - rest->at_B < size_B)
        return NULL;
    struct vk_chunk *chunk = rest->chunk;
    *at_B_out = rest->at_B;
    rest->chunk = NULL;
    return chunk;
}

void vk_rest_give(struct vk_chunk_pool *pool, struct vk_rest *rest, struct vk_chunk *chunk, uint32_t used_B)
{
    uint32_t at_B = (uint32_t)align_u64(used_B, REST_ALIGN_B);
    if (!rest || chunk->size_B != VK_CHUNK_B || at_B >= VK_CHUNK_B || (rest->chunk && rest->at_B <= at_B))
        return;
    vk_rest_drop(pool, rest);
    chunk->users++;
    *rest = (struct vk_rest){chunk, at_B};
}

/* ---- uploads ---- */

void vk_upload_init(struct vk_upload *upload, struct vk_chunk_pool *pool, struct vk_rest *rest)
{
    *upload = (struct vk_upload){.pool = pool, .rest = rest};
    list_init(&upload->chunks);
}

void vk_upload_reset(struct vk_upload *upload)
{
    if (upload->shared)
        vk_chunk_drop(upload->pool, upload->shared, upload->rest);
    vk_chunks_drop(upload->pool, &upload->chunks, upload->rest);
    vk_upload_init(upload, upload->pool, upload->rest);
}

void vk_upload_end(struct vk_upload *upload)
{
    if (upload->current)
        vk_rest_give(upload->pool, upload->rest, upload->current, upload->used_B);
    upload->size_B = upload->used_B;
}

static void fill_next(struct vk_upload *upload, struct vk_chunk *chunk, uint32_t used_B)
{
    upload->current = chunk;
    upload->map = chunk->map;
    upload->va = chunk->bo->va;
    upload->size_B = chunk->size_B;
    upload->used_B = used_B;
}

void *vk_upload_grow(struct vk_upload *upload, uint32_t size_B, uint64_t *va_out)
{
    uint32_t at_B = 0;
    struct vk_chunk *chunk =
        upload->current ? NULL : vk_rest_take(upload->rest, MAX2(size_B, (uint32_t)MIN_UPLOAD_REST_B), &at_B);
    if (chunk) {
        upload->shared = chunk;
    } else {
        chunk = vk_chunk_take(upload->pool, size_B);
        if (!chunk)
            return NULL;
        list_push_back(&upload->chunks, &chunk->link);
    }
    /* One that is larger than the usual chunk is used up by what it was made for; the current one goes on. */
    if (chunk->size_B == VK_CHUNK_B)
        fill_next(upload, chunk, at_B + size_B);
    *va_out = chunk->bo->va + at_B;
    return chunk->map + at_B;
}
