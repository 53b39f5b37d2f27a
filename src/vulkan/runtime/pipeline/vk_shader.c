/* Compiled shaders: their lifetime, the table of those that exist, and how a pipeline cache's file holds them. */
#include "vulkan/runtime/pipeline/vk_shader.h"

#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/pipeline/vk_stage_ir.h"

struct vk_code *vk_code_create(struct vk_device *device, VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B],
                               size_t size_B)
{
    struct vk_code *code = vk_alloc(&device->alloc, NULL, sizeof(*code) + size_B, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!code)
        return NULL;
    code->stage = stage;
    code->size_B = size_B;
    memcpy(code->key, key, VK_HASH_SIZE_B);
    return code;
}

void vk_code_destroy(struct vk_device *device, struct vk_code *code)
{
    vk_free(&device->alloc, NULL, code);
}

VkResult vk_shader_load(struct vk_device *device, struct vk_code *code, struct vk_shader **shader_out)
{
    const struct vk_codegen *codegen = device->codegen;
    struct vk_shader *shader =
        vk_zalloc(&device->alloc, NULL, codegen->shader_size_B, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!shader)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    vk_cached_init(&shader->cached, &vk_shader_cached_ops, code->key);
    shader->device = device;
    shader->code = code;
    VkResult result = codegen->load(device, shader);
    if (result != VK_SUCCESS) {
        vk_free(&device->alloc, NULL, shader);
        return result;
    }
    *shader_out = shader;
    return VK_SUCCESS;
}

const uint8_t vk_no_key[VK_HASH_SIZE_B];

VkResult vk_compile_error(const char *text)
{
    static const char memory[] = "out of memory";
    return strncmp(text, memory, strlen(memory)) == 0 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
}

VkResult vk_shader_take(struct vk_device *device, struct vk_code *code, struct vk_shader **shader_out)
{
    VkResult result = vk_shader_load(device, code, shader_out);
    if (result != VK_SUCCESS)
        vk_code_destroy(device, code);
    return result;
}

/* ---- the table of existing shaders ---- */

void vk_shader_table_init(struct vk_device *device)
{
    struct vk_shader_table *table = &device->living_shaders;
    table->buckets = table->least;
    table->num_buckets = ARRAY_SIZE(table->least);
}

void vk_shader_table_finish(struct vk_device *device)
{
    if (device->living_shaders.buckets != device->living_shaders.least)
        vk_free(&device->alloc, NULL, device->living_shaders.buckets);
}

static struct vk_shader **bucket_of(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B])
{
    uint32_t bits;
    memcpy(&bits, key, sizeof(bits));
    return &device->living_shaders.buckets[bits & (device->living_shaders.num_buckets - 1)];
}

/* Without memory the table stays as it is, and its chains are longer or its buckets emptier than they should be. */
static void resize_table(struct vk_device *device, uint32_t num_buckets)
{
    struct vk_shader_table *table = &device->living_shaders;
    struct vk_shader **old = table->buckets;
    uint32_t num_old = table->num_buckets;
    struct vk_shader **buckets = table->least;
    if (num_buckets > ARRAY_SIZE(table->least))
        buckets = vk_zalloc(&device->alloc, NULL, num_buckets * sizeof(*buckets), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    else
        memset(buckets, 0, sizeof(table->least));
    if (!buckets)
        return;
    table->buckets = buckets;
    table->num_buckets = num_buckets;
    for (uint32_t i = 0; i < num_old; i++) {
        for (struct vk_shader *shader = old[i], *next; shader; shader = next) {
            next = shader->next_living;
            struct vk_shader **bucket = bucket_of(device, shader->cached.key);
            shader->next_living = *bucket;
            *bucket = shader;
        }
    }
    if (old != table->least)
        vk_free(&device->alloc, NULL, old);
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
static struct vk_shader *enter_shader(struct vk_device *device, struct vk_shader *shader)
{
    pthread_mutex_lock(&device->shader_lock);
    struct vk_shader *first = find_living(device, shader->cached.key);
    if (!first) {
        struct vk_shader_table *table = &device->living_shaders;
        if (++table->count > table->num_buckets)
            resize_table(device, table->num_buckets * 2);
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

static void remove_shader_locked(struct vk_device *device, struct vk_shader *shader)
{
    struct vk_shader **place = bucket_of(device, shader->cached.key);
    while (*place != shader)
        place = &(*place)->next_living;
    *place = shader->next_living;
    struct vk_shader_table *table = &device->living_shaders;
    if (--table->count < table->num_buckets / 8 && table->num_buckets > ARRAY_SIZE(table->least))
        resize_table(device, table->num_buckets / 2);
    shader->living = false;
}

/* ---- in a pipeline cache ---- */

/* Before the code in a file. */
struct file_header {
    uint32_t stage;
    uint32_t zero;
};

static bool serialize_shader(struct vk_cached *cached, void *data, size_t *size_B)
{
    const struct vk_code *code = ((const struct vk_shader *)cached)->code;
    const struct file_header header = {.stage = code->stage};
    size_t needed_B = sizeof(header) + code->size_B;
    if (data && *size_B < needed_B)
        return false;
    *size_B = needed_B;
    if (data) {
        memcpy(data, &header, sizeof(header));
        memcpy((char *)data + sizeof(header), code->bytes, code->size_B);
    }
    return true;
}

static struct vk_cached *deserialize_shader(struct vk_device *device, const uint8_t key[VK_HASH_SIZE_B],
                                            const void *data, size_t size_B)
{
    struct file_header header;
    if (size_B <= sizeof(header) || !device->codegen)
        return NULL;
    memcpy(&header, data, sizeof(header));
    if (!header.stage || (header.stage & (header.stage - 1)) || header.zero ||
        !vk_key_has_stage(key, (VkShaderStageFlagBits)header.stage))
        return NULL;
    struct vk_shader *shader = find_living_locked(device, key);
    if (shader)
        return &shader->cached;
    struct vk_code *code = vk_code_create(device, (VkShaderStageFlagBits)header.stage, key, size_B - sizeof(header));
    if (!code)
        return NULL;
    memcpy(code->bytes, (const char *)data + sizeof(header), code->size_B);
    if (vk_shader_load(device, code, &shader) != VK_SUCCESS) {
        vk_code_destroy(device, code);
        return NULL;
    }
    return &enter_shader(device, shader)->cached;
}

static void destroy_shader(struct vk_device *device, struct vk_cached *cached)
{
    struct vk_shader *shader = (struct vk_shader *)cached;
    if (shader->living) { /* nothing else changes it: this was the last reference */
        pthread_mutex_lock(&device->shader_lock);
        remove_shader_locked(device, shader);
        pthread_mutex_unlock(&device->shader_lock);
    }
    device->codegen->unload(device, shader);
    vk_free(&device->alloc, NULL, (void *)(uintptr_t)shader->code);
    vk_free(&device->alloc, NULL, shader);
}

const struct vk_cached_ops vk_shader_cached_ops = {
    .kind = 0x52444853, /* "SHDR" */
    .serialize = serialize_shader,
    .deserialize = deserialize_shader,
    .destroy = destroy_shader,
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
    shader = enter_shader(device, shader);
    return (struct vk_shader *)vk_pipeline_cache_add(cache, &shader->cached);
}

void vk_shader_forget(struct vk_device *device, struct vk_pipeline_cache *cache, struct vk_shader *shader)
{
    pthread_mutex_lock(&device->shader_lock);
    if (shader->living)
        remove_shader_locked(device, shader);
    pthread_mutex_unlock(&device->shader_lock);
    vk_pipeline_cache_remove(cache, &shader->cached);
}
