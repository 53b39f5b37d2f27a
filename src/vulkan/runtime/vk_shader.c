/* Compiled shaders: their lives, the table of those that live, and how a pipeline cache's file holds them. */
#include "vulkan/runtime/vk_shader.h"

#include <string.h>

#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_stage_ir.h"

void *vk_shader_create(struct vk_device *device, size_t size_B, const struct vk_shader_ops *ops,
                       VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B])
{
    struct vk_shader *shader = vk_zalloc(&device->alloc, NULL, size_B, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!shader)
        return NULL;
    vk_cached_init(&shader->cached, &vk_shader_cached_ops, key);
    shader->device = device;
    shader->ops = ops;
    shader->stage = stage;
    return shader;
}

void vk_shader_free(struct vk_device *device, struct vk_shader *shader)
{
    vk_free(&device->alloc, NULL, shader);
}

/* ---- the table of the living ---- */

static struct vk_shader **bucket_of(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B])
{
    uint32_t bits;
    memcpy(&bits, key, sizeof(bits));
    return &device->living_shaders[bits % VK_LIVING_SHADER_BUCKETS];
}

/* A shader whose last reference is gone stands in the table until its destruction gets the lock: it must not be found.
 */
static bool ref_unless_dying(struct vk_shader *shader)
{
    uint32_t refs = atomic_load_explicit(&shader->cached.refs, memory_order_relaxed);
    while (refs) {
        if (atomic_compare_exchange_weak_explicit(&shader->cached.refs, &refs, refs + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    }
    return false;
}

static struct vk_shader *find_living(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B])
{
    for (struct vk_shader *shader = *bucket_of(device, key); shader; shader = shader->next_living) {
        if (!memcmp(shader->cached.key, key, VK_HASH_SIZE_B) && ref_unless_dying(shader))
            return shader;
    }
    return NULL;
}

static struct vk_shader *find_living_locked(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B])
{
    pthread_mutex_lock(&device->shader_lock);
    struct vk_shader *shader = find_living(device, key);
    pthread_mutex_unlock(&device->shader_lock);
    return shader;
}

/* The caller's reference, or one to the shader that was there first. */
static struct vk_shader *enter(struct vk_device *device, struct vk_shader *shader)
{
    pthread_mutex_lock(&device->shader_lock);
    struct vk_shader *first = find_living(device, shader->cached.key);
    if (!first) {
        struct vk_shader **bucket = bucket_of(device, shader->cached.key);
        shader->next_living = *bucket;
        shader->living = true;
        *bucket = shader;
    }
    pthread_mutex_unlock(&device->shader_lock);
    if (!first)
        return shader;
    vk_shader_unref(device, shader);
    return first;
}

static void leave(struct vk_device *device, struct vk_shader *shader)
{
    pthread_mutex_lock(&device->shader_lock);
    struct vk_shader **place = bucket_of(device, shader->cached.key);
    while (*place != shader)
        place = &(*place)->next_living;
    *place = shader->next_living;
    pthread_mutex_unlock(&device->shader_lock);
}

/* ---- in a pipeline cache ---- */

/* Before a driver's bytes in a file. */
struct file_header {
    uint32_t stage;
    uint32_t zero;
};

static bool serialize(struct vk_cached *cached, void *data, size_t *size_B)
{
    struct vk_shader *shader = (struct vk_shader *)cached;
    struct file_header header = {.stage = shader->stage};
    size_t room_B = data && *size_B > sizeof(header) ? *size_B - sizeof(header) : 0;
    if (!shader->ops->serialize || (data && !room_B) ||
        !shader->ops->serialize(shader->device, shader, data ? (char *)data + sizeof(header) : NULL, &room_B))
        return false;
    if (data)
        memcpy(data, &header, sizeof(header));
    *size_B = room_B + sizeof(header);
    return true;
}

static struct vk_cached *deserialize(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B], const void *data,
                                     size_t size_B)
{
    struct file_header header;
    if (size_B <= sizeof(header) || !device->shader_ops || !device->shader_ops->deserialize)
        return NULL;
    memcpy(&header, data, sizeof(header));
    if (!header.stage || (header.stage & (header.stage - 1)) || header.zero ||
        !vk_key_has_stage(key, (VkShaderStageFlagBits)header.stage))
        return NULL;
    struct vk_shader *shader = find_living_locked(device, key);
    if (shader)
        return &shader->cached;
    shader = device->shader_ops->deserialize(device, (VkShaderStageFlagBits)header.stage, key,
                                             (const char *)data + sizeof(header), size_B - sizeof(header));
    return shader ? &enter(device, shader)->cached : NULL;
}

static void destroy(struct vk_device *device, struct vk_cached *cached)
{
    struct vk_shader *shader = (struct vk_shader *)cached;
    if (shader->living)
        leave(device, shader);
    shader->ops->destroy(device, shader);
}

const struct vk_cached_ops vk_shader_cached_ops = {
    .kind = 0x52444853, /* "SHDR" */
    .serialize = serialize,
    .deserialize = deserialize,
    .destroy = destroy,
};

const struct vk_cached_ops *const vk_runtime_cached_kinds[] = {&vk_shader_cached_ops, &vk_stage_ir_cached_ops, NULL};

struct vk_shader *vk_shader_find(struct vk_device *device, struct vk_pipeline_cache *cache,
                                 const uint8_t key[VK_HASH_SIZE_B], bool *in_cache_out)
{
    struct vk_cached *cached = vk_pipeline_cache_find(cache, key, &vk_shader_cached_ops);
    *in_cache_out = cached != NULL;
    if (cached)
        return (struct vk_shader *)cached;
    struct vk_shader *shader = find_living_locked(device, key);
    return shader ? (struct vk_shader *)vk_pipeline_cache_add(cache, &shader->cached) : NULL;
}

struct vk_shader *vk_shader_publish(struct vk_device *device, struct vk_pipeline_cache *cache, struct vk_shader *shader)
{
    shader = enter(device, shader);
    return (struct vk_shader *)vk_pipeline_cache_add(cache, &shader->cached);
}
