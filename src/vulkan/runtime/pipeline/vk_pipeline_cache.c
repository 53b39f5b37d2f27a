/* The pipeline cache. */
#include "vulkan/runtime/pipeline/vk_pipeline_cache.h"

#include <string.h>

#include "util/hash.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

struct vk_pipeline_cache_entry {
    struct vk_pipeline_cache_entry *next;
    struct vk_cached *cached;
};

/* In a file, after the specification's header: entries, each one of these and its bytes, to the next multiple of
 * eight. */
struct file_entry {
    uint32_t kind;
    uint32_t size_B;
    uint64_t checksum;
    uint8_t key[VK_HASH_SIZE_B];
};

void vk_cached_init(struct vk_cached *cached, const struct vk_cached_ops *ops, const uint8_t key[VK_HASH_SIZE_B])
{
    cached->ops = ops;
    atomic_init(&cached->refs, 1);
    memcpy(cached->key, key, VK_HASH_SIZE_B);
}

void vk_cached_unref(struct vk_device *device, struct vk_cached *cached)
{
    if (cached && atomic_fetch_sub_explicit(&cached->refs, 1, memory_order_acq_rel) == 1)
        cached->ops->destroy(device, cached);
}

static void lock(struct vk_pipeline_cache *cache)
{
    if (!cache->external_lock)
        pthread_mutex_lock(&cache->lock);
}

static void unlock_cache(struct vk_pipeline_cache *cache)
{
    if (!cache->external_lock)
        pthread_mutex_unlock(&cache->lock);
}

/* A key is a hash already: its first bytes choose. */
static uint32_t bucket_of(const struct vk_pipeline_cache *cache, const uint8_t key[VK_HASH_SIZE_B])
{
    uint32_t bits;
    memcpy(&bits, key, sizeof(bits));
    return bits & (cache->num_buckets - 1);
}

static struct vk_cached *find_cached(const struct vk_pipeline_cache *cache, const uint8_t key[VK_HASH_SIZE_B],
                                     const struct vk_cached_ops *ops)
{
    if (!cache->num_buckets)
        return NULL;
    for (struct vk_pipeline_cache_entry *entry = cache->buckets[bucket_of(cache, key)]; entry; entry = entry->next) {
        if (entry->cached->ops == ops && !memcmp(entry->cached->key, key, VK_HASH_SIZE_B))
            return entry->cached;
    }
    return NULL;
}

struct vk_cached *vk_pipeline_cache_find(struct vk_pipeline_cache *cache, const uint8_t key[VK_HASH_SIZE_B],
                                         const struct vk_cached_ops *ops)
{
    if (!cache)
        return NULL;
    lock(cache);
    struct vk_cached *cached = find_cached(cache, key, ops);
    if (cached)
        vk_cached_ref(cached);
    unlock_cache(cache);
    return cached;
}

static bool grow_table(struct vk_pipeline_cache *cache)
{
    struct vk_device *device = cache->base.device;
    uint32_t num_buckets = cache->num_buckets ? cache->num_buckets * 2 : 64;
    struct vk_pipeline_cache_entry **buckets =
        vk_zalloc(&device->alloc, NULL, num_buckets * sizeof(*buckets), VK_SYSTEM_ALLOCATION_SCOPE_CACHE);
    if (!buckets)
        return false;
    struct vk_pipeline_cache_entry **old = cache->buckets;
    uint32_t num_old = cache->num_buckets;
    cache->buckets = buckets;
    cache->num_buckets = num_buckets;
    for (uint32_t i = 0; i < num_old; i++) {
        for (struct vk_pipeline_cache_entry *entry = old[i], *next; entry; entry = next) {
            next = entry->next;
            struct vk_pipeline_cache_entry **bucket = &buckets[bucket_of(cache, entry->cached->key)];
            entry->next = *bucket;
            *bucket = entry;
        }
    }
    vk_free(&device->alloc, NULL, old);
    return true;
}

/* A cache that has no memory for more forgets; nothing depends on it. */
static void insert_cached(struct vk_pipeline_cache *cache, struct vk_cached *cached)
{
    if (cache->count >= cache->num_buckets && !grow_table(cache) && !cache->num_buckets)
        return;
    struct vk_pipeline_cache_entry *entry =
        vk_alloc(&cache->base.device->alloc, NULL, sizeof(*entry), VK_SYSTEM_ALLOCATION_SCOPE_CACHE);
    if (!entry)
        return;
    struct vk_pipeline_cache_entry **bucket = &cache->buckets[bucket_of(cache, cached->key)];
    *entry = (struct vk_pipeline_cache_entry){*bucket, vk_cached_ref(cached)};
    *bucket = entry;
    cache->count++;
}

struct vk_cached *vk_pipeline_cache_add(struct vk_pipeline_cache *cache, struct vk_cached *cached)
{
    if (!cache)
        return cached;
    lock(cache);
    struct vk_cached *first = find_cached(cache, cached->key, cached->ops);
    if (first)
        vk_cached_ref(first);
    else
        insert_cached(cache, cached);
    unlock_cache(cache);
    if (!first)
        return cached;
    vk_cached_unref(cache->base.device, cached);
    return first;
}

void vk_pipeline_cache_remove(struct vk_pipeline_cache *cache, const struct vk_cached *cached)
{
    struct vk_pipeline_cache_entry *removed = NULL;
    if (!cache)
        return;
    lock(cache);
    struct vk_pipeline_cache_entry **place = cache->num_buckets ? &cache->buckets[bucket_of(cache, cached->key)] : NULL;
    while (place && *place && (*place)->cached != cached)
        place = &(*place)->next;
    if (place && *place) {
        removed = *place;
        *place = removed->next;
        cache->count--;
    }
    unlock_cache(cache);
    if (!removed)
        return;
    vk_cached_unref(cache->base.device, removed->cached);
    vk_free(&cache->base.device->alloc, NULL, removed);
}

/* ---- files ---- */

static VkPipelineCacheHeaderVersionOne header_of(struct vk_device *device)
{
    VkPhysicalDeviceProperties properties;
    device->physical->dispatch.GetPhysicalDeviceProperties(vk_physical_device_to_handle(device->physical), &properties);
    VkPipelineCacheHeaderVersionOne header = {.headerSize = sizeof(header),
                                              .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                                              .vendorID = properties.vendorID,
                                              .deviceID = properties.deviceID};
    memcpy(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE);
    return header;
}

static size_t padded(size_t size_B)
{
    return (size_B + 7) & ~(size_t)7;
}

static const struct vk_cached_ops *kind_of(const struct vk_pipeline_cache *cache, uint32_t kind)
{
    for (const struct vk_cached_ops *const *ops = cache->kinds; ops && *ops; ops++) {
        if ((*ops)->kind == kind)
            return *ops;
    }
    return NULL;
}

static void read_file(struct vk_pipeline_cache *cache, const char *data, size_t size_B)
{
    VkPipelineCacheHeaderVersionOne header = header_of(cache->base.device);
    if (size_B < sizeof(header) || memcmp(data, &header, sizeof(header)))
        return;
    size_t at_B = padded(sizeof(header));
    struct file_entry entry;
    while (at_B <= size_B && size_B - at_B >= sizeof(entry)) {
        memcpy(&entry, data + at_B, sizeof(entry));
        at_B += sizeof(entry);
        if (entry.size_B > size_B - at_B || hash_bytes(data + at_B, entry.size_B) != entry.checksum)
            return;
        const struct vk_cached_ops *ops = kind_of(cache, entry.kind);
        struct vk_cached *cached =
            ops ? ops->deserialize(cache->base.device, entry.key, data + at_B, entry.size_B) : NULL;
        if (cached)
            vk_cached_unref(cache->base.device, vk_pipeline_cache_add(cache, cached));
        at_B += padded(entry.size_B);
    }
}

/* One entry at `data`, or only its size; false where there is no room for it. */
static bool write_entry(struct vk_cached *cached, char *data, size_t room_B, size_t *size_B_out)
{
    size_t size_B = 0;
    if (!cached->ops->serialize(cached, NULL, &size_B) || size_B > UINT32_MAX) {
        *size_B_out = 0;
        return true;
    }
    struct file_entry entry = {.kind = cached->ops->kind, .size_B = (uint32_t)size_B};
    *size_B_out = sizeof(entry) + padded(size_B);
    if (!data)
        return true;
    if (room_B < *size_B_out)
        return false;
    memset(data, 0, *size_B_out);
    if (!cached->ops->serialize(cached, data + sizeof(entry), &size_B))
        return false;
    entry.checksum = hash_bytes(data + sizeof(entry), size_B);
    memcpy(entry.key, cached->key, VK_HASH_SIZE_B);
    memcpy(data, &entry, sizeof(entry));
    return true;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPipelineCacheData(VkDevice handle, VkPipelineCache cache_handle,
                                                              size_t *size_B, void *data)
{
    struct vk_pipeline_cache *cache = vk_pipeline_cache_from_handle(cache_handle);
    VkPipelineCacheHeaderVersionOne header = header_of(cache->base.device);
    size_t at_B = padded(sizeof(header));
    if (data && *size_B < at_B) {
        *size_B = 0;
        return VK_INCOMPLETE;
    }
    if (data) {
        memset(data, 0, at_B);
        memcpy(data, &header, sizeof(header));
    }
    bool complete = true;
    lock(cache);
    for (uint32_t i = 0; i < cache->num_buckets; i++) {
        for (struct vk_pipeline_cache_entry *entry = cache->buckets[i]; entry; entry = entry->next) {
            size_t entry_B;
            if (write_entry(entry->cached, data ? (char *)data + at_B : NULL, data ? *size_B - at_B : 0, &entry_B))
                at_B += entry_B;
            else
                complete = false;
        }
    }
    unlock_cache(cache);
    *size_B = at_B;
    return complete ? VK_SUCCESS : VK_INCOMPLETE;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreatePipelineCache(VkDevice handle, const VkPipelineCacheCreateInfo *info,
                                                             const VkAllocationCallbacks *allocator,
                                                             VkPipelineCache *cache_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_pipeline_cache *cache =
        vk_object_create(device, allocator, sizeof(*cache), VK_OBJECT_TYPE_PIPELINE_CACHE);
    if (!cache)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    cache->kinds = device->cached_kinds;
    cache->external_lock = info->flags & VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
    pthread_mutex_init(&cache->lock, NULL);
    if (info->initialDataSize)
        read_file(cache, info->pInitialData, info->initialDataSize);
    *cache_out = vk_pipeline_cache_to_handle(cache);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyPipelineCache(VkDevice handle, VkPipelineCache cache_handle,
                                                          const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_pipeline_cache *cache = vk_pipeline_cache_from_handle(cache_handle);
    if (!cache)
        return;
    for (uint32_t i = 0; i < cache->num_buckets; i++) {
        for (struct vk_pipeline_cache_entry *entry = cache->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            vk_cached_unref(device, entry->cached);
            vk_free(&device->alloc, NULL, entry);
        }
    }
    vk_free(&device->alloc, NULL, cache->buckets);
    pthread_mutex_destroy(&cache->lock);
    vk_object_destroy(device, allocator, &cache->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_MergePipelineCaches(VkDevice handle, VkPipelineCache target_handle,
                                                             uint32_t count, const VkPipelineCache *sources)
{
    struct vk_pipeline_cache *target = vk_pipeline_cache_from_handle(target_handle);
    for (uint32_t i = 0; i < count; i++) {
        struct vk_pipeline_cache *source = vk_pipeline_cache_from_handle(sources[i]);
        lock(source);
        for (uint32_t b = 0; b < source->num_buckets; b++) {
            for (struct vk_pipeline_cache_entry *entry = source->buckets[b]; entry; entry = entry->next)
                vk_cached_unref(target->base.device, vk_pipeline_cache_add(target, vk_cached_ref(entry->cached)));
        }
        unlock_cache(source);
    }
    return VK_SUCCESS;
}
