/* Shaders that belong to no application's pipeline: the fragment shader of a pipeline without one, and prologs that
 * load vertices whose layout is known only when they are drawn. They live as long as the device. */
#include "amd/driver/radeon_graphics.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "util/hash.h"
#include "util/log.h"
#include "vulkan/runtime/object/vk_alloc.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

#define BUCKETS 256

struct part {
    struct part *next;
    XXH128_hash_t key;
    struct radeon_shader_part base;
    struct vk_code_place place;
};

struct radeon_graphics_cache {
    pthread_mutex_t lock;
    struct radeon_shader *empty_fragment;
    struct part *prologs[BUCKETS];
};

VkResult radeon_graphics_cache_init(struct radeon_device *device)
{
    struct radeon_graphics_cache *cache =
        vk_zalloc(&device->vk.alloc, NULL, sizeof(*cache), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!cache)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_init(&cache->lock, NULL);
    device->graphics_cache = cache;
    return VK_SUCCESS;
}

void radeon_graphics_cache_finish(struct radeon_device *device)
{
    struct radeon_graphics_cache *cache = device->graphics_cache;
    if (!cache)
        return;
    radeon_shader_unref(device, cache->empty_fragment);
    for (int i = 0; i < BUCKETS; i++) {
        for (struct part *part = cache->prologs[i], *next; part; part = next) {
            next = part->next;
            vk_code_memory_free(&device->code_memory, &part->place);
            vk_free(&device->vk.alloc, NULL, part);
        }
    }
    pthread_mutex_destroy(&cache->lock);
    vk_free(&device->vk.alloc, NULL, cache);
    device->graphics_cache = NULL;
}

/* ---- without a fragment shader ---- */

static VkResult compile_empty(struct radeon_device *device, struct radeon_shader **shader_out)
{
    struct ir_shader *ir = ir_shader_create(IR_STAGE_fragment);
    if (!ir)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const struct amd_stage_options stage = {.fs.samples = 1};
    const struct amd_compile_options options = {.wave_size = 64, .stage = &stage};
    VkResult result = radeon_shader_compile_internal(device, ir, &options, shader_out);
    ir_shader_destroy(ir);
    return result;
}

VkResult radeon_empty_fragment_shader(struct radeon_device *device, struct radeon_shader **shader_out)
{
    struct radeon_graphics_cache *cache = device->graphics_cache;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&cache->lock);
    if (!cache->empty_fragment)
        result = compile_empty(device, &cache->empty_fragment);
    if (result == VK_SUCCESS) {
        vk_shader_ref(&cache->empty_fragment->vk);
        *shader_out = cache->empty_fragment;
    }
    pthread_mutex_unlock(&cache->lock);
    return result;
}

/* ---- vertex prologs ---- */

/* Everything that a prolog's code depends on. */
struct prolog_key {
    uint8_t hw_stage, wave_size, num_start_sgprs;
    uint32_t locations;
    struct amd_sgpr_place user[AMD_USER_COUNT];
    struct amd_vertex_attribute attributes[AMD_MAX_ATTRIBUTES];
};

static VkResult compile_prolog(struct radeon_device *device, const struct amd_shader_config *main,
                               const struct prolog_key *key, struct part *part)
{
    struct amd_prolog_key of_compiler = {.main = main};
    memcpy(of_compiler.attributes, key->attributes, sizeof(key->attributes));
    const struct amd_compile_options options = {
        .gfx = ISA_GFX_10_3, .wave_size = main->wave_size, .address32_hi = device->address32_hi};
    struct amd_binary binary;
    char error[256];
    void *map;
    if (!amd_compile_prolog(&of_compiler, &options, &binary, error)) {
        LOG_ERROR("amd", "a vertex prolog cannot be compiled: %s", error);
        return vk_compile_error(error);
    }
    VkResult result = vk_code_memory_alloc(&device->code_memory, binary.size_B, &part->place, &map);
    if (result == VK_SUCCESS) {
        uint32_t granule = main->wave_size == 32 ? 8 : 4;
        memcpy(map, binary.words, binary.size_B);
        part->base.va = part->place.va;
        part->base.vgpr_field = (uint32_t)div_round_up(MAX2(binary.config.num_vgprs, 1u), granule) - 1;
    }
    amd_binary_finish(&binary);
    return result;
}

static struct part *find_part(struct part *const *buckets, XXH128_hash_t key)
{
    for (struct part *part = buckets[key.low64 % BUCKETS]; part; part = part->next) {
        if (XXH128_isEqual(part->key, key))
            return part;
    }
    return NULL;
}

const struct radeon_shader_part *radeon_vertex_prolog(struct radeon_device *device, const struct radeon_shader *main,
                                                      const struct vk_vertex_input_state *input)
{
    struct radeon_graphics_cache *cache = device->graphics_cache;
    const struct amd_shader_config *config = &main->binary.config;
    struct prolog_key key;
    memset(&key, 0, sizeof(key)); /* the padding, too */
    key.hw_stage = (uint8_t)config->hw_stage;
    key.wave_size = config->wave_size;
    key.num_start_sgprs = config->num_start_sgprs;
    key.locations = config->attributes_used;
    memcpy(key.user, config->user, sizeof(key.user));
    radeon_fill_attributes(device, input, config->attributes_used, key.attributes);
    XXH128_hash_t hash = XXH3_128bits(&key, sizeof(key));

    pthread_mutex_lock(&cache->lock);
    struct part *part = find_part(cache->prologs, hash);
    if (!part && (part = vk_zalloc(&device->vk.alloc, NULL, sizeof(*part), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE))) {
        part->key = hash;
        if (compile_prolog(device, config, &key, part) == VK_SUCCESS) {
            part->next = cache->prologs[hash.low64 % BUCKETS];
            cache->prologs[hash.low64 % BUCKETS] = part;
        } else {
            vk_free(&device->vk.alloc, NULL, part);
            part = NULL;
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return part ? &part->base : NULL;
}
