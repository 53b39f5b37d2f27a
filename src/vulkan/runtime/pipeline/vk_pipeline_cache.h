/* VkPipelineCache: compiled things by the hash of everything that went into them. In memory they are objects of the
 * driver, shared by reference; in a file they are bytes. What comes from a file is not trusted: a header that is not
 * ours, a length that does not fit or a checksum that is wrong ends the reading, and what was read before stays. The
 * checksum tells damage; bytes that were made on purpose have a right one, and are for `deserialize` to refuse. */
#ifndef VULKAN_RUNTIME_VK_PIPELINE_CACHE_H
#define VULKAN_RUNTIME_VK_PIPELINE_CACHE_H

#include <pthread.h>
#include <stdatomic.h>

#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/pipeline/vk_shader_module.h"

struct vk_cached;
struct vk_device;

/* One kind of thing that can be cached. */
struct vk_cached_ops {
    uint32_t kind; /* in the file: changes when the bytes mean something else */
    /* The thing as bytes: *size_B is the room and becomes the size; NULL asks for the size. False where it cannot be
     * stored. */
    bool (*serialize)(struct vk_cached *cached, void *data, size_t *size_B);
    /* A thing of bytes that may be anything; NULL where they are not right or there is no memory. */
    struct vk_cached *(*deserialize)(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B], const void *data,
                                     size_t size_B);
    void (*destroy)(struct vk_device *device, struct vk_cached *cached);
};

/* Begins the driver's object. */
struct vk_cached {
    const struct vk_cached_ops *ops;
    _Atomic uint32_t refs;
    uint8_t key[VK_HASH_SIZE_B];
};

void vk_cached_init(struct vk_cached *cached, const struct vk_cached_ops *ops, const uint8_t key[VK_HASH_SIZE_B]);
static inline struct vk_cached *vk_cached_ref(struct vk_cached *cached)
{
    atomic_fetch_add_explicit(&cached->refs, 1, memory_order_relaxed);
    return cached;
}
void vk_cached_unref(struct vk_device *device, struct vk_cached *cached); /* NULL is allowed */

struct vk_pipeline_cache_entry;

struct vk_pipeline_cache {
    struct vk_object_base base;
    const struct vk_cached_ops *const *kinds; /* ends with NULL; what a file may hold */
    pthread_mutex_t lock;
    bool external_lock; /* the application promised to use it from one thread at a time */
    struct vk_pipeline_cache_entry **buckets;
    uint32_t num_buckets, count;
};

VK_DEFINE_CASTS(vk_pipeline_cache, VkPipelineCache)

/* A reference, or NULL. `hit_in_application_cache` in the creation feedback follows from which cache answered. */
struct vk_cached *vk_pipeline_cache_find(struct vk_pipeline_cache *cache, const uint8_t key[VK_HASH_SIZE_B],
                                         const struct vk_cached_ops *ops);
/* Put a thing in; where another with the same key came first, that one is the answer and the caller's reference moves
 * to it. */
struct vk_cached *vk_pipeline_cache_add(struct vk_pipeline_cache *cache, struct vk_cached *cached);
/* The cache's own reference goes; it may have none, or be NULL. */
void vk_pipeline_cache_remove(struct vk_pipeline_cache *cache, const struct vk_cached *cached);

#endif
