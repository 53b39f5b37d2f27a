/* Memory that recordings write for the GPU: chunks of one size, taken from a device and given back, and shared by small
 * recordings of the same pool one after the other. Streams are a family's (how pieces are joined is); uploads are here.
 *
 * A chunk pool has chunks of one kind; a device has one pool for each kind of memory that it wants, for streams and for
 * uploads at least. */
#ifndef VULKAN_RUNTIME_VK_CHUNK_H
#define VULKAN_RUNTIME_VK_CHUNK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/list.h"
#include "vulkan/runtime/memory/vk_bo.h"

struct vk_device;

#define VK_CHUNK_B (64u << 10)

struct vk_chunk_pool {
    struct vk_device *device;
    /* Mapped memory of whole pages; NULL without memory. Any thread may call it. */
    struct vk_bo *(*create)(struct vk_device *device, uint32_t size_B);
    void (*destroy)(struct vk_device *device, struct vk_bo *bo);
    pthread_mutex_t lock;
    struct list free;  /* struct vk_chunk: those that nothing uses */
    atomic_uint large; /* chunks of more than the usual size that are in use */
};

struct vk_chunk {
    struct list link; /* in the stream or upload that began it, or in the pool */
    struct vk_bo *bo;
    uint8_t *map;
    uint32_t size_B;
    uint32_t users;   /* streams or uploads in it, and the keeper of its rest: all of one command pool */
    uint32_t used_dw; /* of the stream that began it: what the GPU reads */
};

/* The rest of a chunk after a recording that has ended, for the next recording of the same command pool: small ones lie
 * side by side. While it is being written nothing else has it. A command pool has one for each kind. */
struct vk_rest {
    struct vk_chunk *chunk; /* NULL: none */
    uint32_t at_B;
};

void vk_chunk_pool_init(struct vk_chunk_pool *pool, struct vk_device *device,
                        struct vk_bo *(*create)(struct vk_device *device, uint32_t size_B),
                        void (*destroy)(struct vk_device *device, struct vk_bo *bo));
void vk_chunk_pool_finish(struct vk_chunk_pool *pool);

/* At least `size_B` bytes, with one user; NULL when there is no memory. Of more than VK_CHUNK_B it is made for the
 * caller, and destroyed when its last user is gone. */
struct vk_chunk *vk_chunk_take(struct vk_chunk_pool *pool, uint32_t size_B);
/* One user less. `rest` is the command pool's, or NULL: where nothing but that is left, it begins at the front
 * again. */
void vk_chunk_drop(struct vk_chunk_pool *pool, struct vk_chunk *chunk, struct vk_rest *rest);
/* Drops every chunk that a stream or an upload began, in their order, which has none then. Only the last of them can
 * have other users: its rest may be the next recording's. The pool's lock is taken once for all of them, and no other
 * chunk is looked at where all have the usual size, for they are long out of the caches. */
void vk_chunks_drop(struct vk_chunk_pool *pool, struct list *chunks, struct vk_rest *rest);

/* The rest, if it has `size_B` bytes; its user is the caller now. NULL otherwise; `rest` may be NULL. */
struct vk_chunk *vk_rest_take(struct vk_rest *rest, uint32_t size_B, uint32_t *at_B_out);
/* The free part of a chunk after its first `used_B` bytes; the larger of two rests is kept. */
void vk_rest_give(struct vk_chunk_pool *pool, struct vk_rest *rest, struct vk_chunk *chunk, uint32_t used_B);
/* Of a command pool that nothing records into: what it keeps is the device's again. */
void vk_rest_drop(struct vk_chunk_pool *pool, struct vk_rest *rest);

/* ---- uploads ---- */

/* Data for the GPU that lives as long as a recording: push constants, descriptors, small copies. */
struct vk_upload {
    struct vk_chunk_pool *pool;
    struct vk_rest *rest;              /* NULL: whole chunks only */
    struct vk_chunk *shared, *current; /* the rest that it began in; the one that is being filled */
    struct list chunks;
    uint8_t *map; /* of the current chunk */
    uint64_t va;
    uint32_t used_B, size_B;
};

void vk_upload_init(struct vk_upload *upload, struct vk_chunk_pool *pool, struct vk_rest *rest);
void vk_upload_reset(struct vk_upload *upload);
/* After a recording: what is left is the next one's. */
void vk_upload_end(struct vk_upload *upload);
void *vk_upload_grow(struct vk_upload *upload, uint32_t size_B, uint64_t *va_out);

/* `size_B` bytes at a multiple of `align_B` (a power of two); NULL when there is no memory. */
static inline void *vk_upload_alloc(struct vk_upload *upload, uint32_t size_B, uint32_t align_B, uint64_t *va_out)
{
    uint32_t at_B = (upload->used_B + align_B - 1) & ~(align_B - 1);
    if (__builtin_expect(at_B + size_B > upload->size_B, 0))
        return vk_upload_grow(upload, size_B, va_out);
    upload->used_B = at_B + size_B;
    *va_out = upload->va + at_B;
    return upload->map + at_B;
}

#endif
