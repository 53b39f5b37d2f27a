/* Descriptor pools and the sets in them. A pool is one piece of GPU memory that 32-bit pointers reach (or of host
 * memory, where its sets are only ever copied from) and one piece of host memory for everything else, both made with
 * the pool: sets come and go without any allocation.
 *
 * Where single sets are never freed, each takes the next bytes; otherwise the places are ranges (vk_range.h). */
#include <string.h>

#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_entrypoints.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_range.h"
#include "vulkan/runtime/vk_struct.h"

struct radeon_descriptor_pool {
    struct vk_object_base base;
    struct radeon_device *device;
    VkDescriptorPoolCreateFlags flags;
    struct ws_bo *bo; /* NULL: host memory, or none at all */
    uint64_t va;
    char *map;
    uint32_t size_B;
    uint32_t *dynamic; /* 4 words for each dynamic buffer */
    uint32_t max_dynamic;
    struct radeon_descriptor_set *sets;
    uint32_t max_sets, live_sets;
    uint32_t used_sets; /* of `sets`, from the first on: those after were never used since the last reset */

    /* Without VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT. */
    uint32_t used_B, used_dynamic;
    /* With it. */
    struct vk_ranges memory_ranges, dynamic_ranges; /* the first in units of RADEON_SET_ALIGN_B */
    struct radeon_descriptor_set *free_sets;
};

VK_DEFINE_CASTS(radeon_descriptor_pool, VkDescriptorPool)

static bool frees_sets(const struct radeon_descriptor_pool *pool)
{
    return pool->flags & VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
}

/* ---- pools ---- */

struct pool_extent {
    uint64_t size_B, dynamic;
};

static struct pool_extent measure(const VkDescriptorPoolCreateInfo *info)
{
    const VkMutableDescriptorTypeCreateInfoEXT *mutable_types =
        vk_find_struct_const(info->pNext, VkMutableDescriptorTypeCreateInfoEXT);
    const VkDescriptorPoolInlineUniformBlockCreateInfo *inline_info =
        vk_find_struct_const(info->pNext, VkDescriptorPoolInlineUniformBlockCreateInfo);
    uint64_t size_B = 0, descriptors = 0, dynamic = 0;
    for (uint32_t i = 0; i < info->poolSizeCount; i++) {
        const VkDescriptorPoolSize *size = &info->pPoolSizes[i];
        const VkMutableDescriptorTypeListEXT *types = NULL;
        if (mutable_types && i < mutable_types->mutableDescriptorTypeListCount)
            types = &mutable_types->pMutableDescriptorTypeLists[i];
        if (radeon_is_dynamic(size->type))
            dynamic += size->descriptorCount;
        else if (size->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
            size_B += size->descriptorCount; /* bytes */
        else
            size_B += (uint64_t)size->descriptorCount * radeon_descriptor_B(size->type, 1, types);
        descriptors += size->descriptorCount;
    }
    /* Each inline block has its descriptor, and its last 16 bytes may be used in part. */
    if (inline_info)
        size_B += (uint64_t)inline_info->maxInlineUniformBlockBindings *
                  (RADEON_INLINE_HEADER_B + RADEON_BUFFER_DESCRIPTOR_B);
    /* What a set wastes (radeon_set_layout.c); one without descriptors wastes nothing. */
    size_B += MIN2(info->maxSets, descriptors) * RADEON_SET_ALIGN_B;
    return (struct pool_extent){align_u64(size_B, RADEON_SET_ALIGN_B), dynamic};
}

static VkResult create_memory(struct radeon_descriptor_pool *pool)
{
    void *map;
    struct radeon_device *device = pool->device;
    uint32_t domain = device->physical->is_apu ? AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM;
    int error = amd_ws_bo_create(device->ws, pool->size_B, 4096, domain,
                                 WS_BO_CPU_ACCESS | WS_BO_WRITE_COMBINED | WS_BO_VA_32 | WS_BO_READ_ONLY, 0, &pool->bo);
    if (!error)
        error = amd_ws_bo_map(pool->bo, &map);
    if (error)
        return radeon_result(error);
    pool->map = map;
    pool->va = pool->bo->vk.va;
    return VK_SUCCESS;
}

static void reset_places(struct radeon_descriptor_pool *pool)
{
    pool->live_sets = pool->used_sets = 0;
    pool->used_B = pool->used_dynamic = 0;
    pool->free_sets = NULL;
    if (frees_sets(pool)) {
        vk_ranges_reset(&pool->memory_ranges);
        vk_ranges_reset(&pool->dynamic_ranges);
    }
}

static void destroy_pool(struct radeon_descriptor_pool *pool, const VkAllocationCallbacks *allocator)
{
    amd_ws_bo_unref(pool->bo);
    vk_object_base_finish(&pool->base);
    vk_free(&pool->device->vk.alloc, allocator, pool);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_CreateDescriptorPool(VkDevice handle, const VkDescriptorPoolCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkDescriptorPool *pool_out)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_descriptor_pool *pool;
    struct pool_extent extent = measure(info);
    bool host_only = info->flags & VK_DESCRIPTOR_POOL_CREATE_HOST_ONLY_BIT_EXT;
    bool frees = info->flags & VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
    if (extent.size_B > UINT32_MAX || extent.dynamic > UINT32_MAX)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    uint64_t nodes = frees ? vk_ranges_node_count(info->maxSets) : 0;
    /* One piece: the pool, its sets, the nodes of two kinds of ranges, dynamic buffers, and the sets' contents where
     * they are the host's alone. It is not cleared: much of it may never be used. */
    size_t sets_at_B = align_u64(sizeof(*pool), 16),
           nodes_at_B = sets_at_B + info->maxSets * align_u64(sizeof(*pool->sets), 16),
           dynamic_at_B = align_u64(nodes_at_B + 2 * nodes * sizeof(struct vk_range), 16),
           map_at_B = dynamic_at_B + extent.dynamic * RADEON_BUFFER_DESCRIPTOR_B;
    pool = vk_alloc(&device->vk.alloc, allocator, map_at_B + (host_only ? extent.size_B : 0),
                    VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memset(pool, 0, sizeof(*pool));
    vk_object_base_init(&pool->base, &device->vk, VK_OBJECT_TYPE_DESCRIPTOR_POOL);
    pool->device = device;
    pool->flags = info->flags;
    pool->size_B = (uint32_t)extent.size_B;
    pool->max_dynamic = (uint32_t)extent.dynamic;
    pool->max_sets = info->maxSets;
    pool->sets = (struct radeon_descriptor_set *)((char *)pool + sets_at_B);
    pool->dynamic = (uint32_t *)((char *)pool + dynamic_at_B);
    pool->map = (char *)pool + map_at_B; /* of no bytes, where there is a buffer or nothing in memory at all */
    if (frees) {
        struct vk_range *first = (struct vk_range *)((char *)pool + nodes_at_B);
        vk_ranges_init(&pool->memory_ranges, pool->size_B / RADEON_SET_ALIGN_B, first, (uint32_t)nodes);
        vk_ranges_init(&pool->dynamic_ranges, pool->max_dynamic, first + nodes, (uint32_t)nodes);
    }
    reset_places(pool);
    if (!host_only && pool->size_B) {
        VkResult result = create_memory(pool);
        if (result != VK_SUCCESS) {
            destroy_pool(pool, allocator);
            return result;
        }
    }
    *pool_out = radeon_descriptor_pool_to_handle(pool);
    return VK_SUCCESS;
}

/* The set's own part of its end; its places are the caller's. */
static void end_set(struct radeon_descriptor_set *set)
{
    vk_descriptor_set_layout_unref(&set->layout->vk);
    set->layout = NULL;
    vk_object_base_finish(&set->base);
}

static void end_all_sets(struct radeon_descriptor_pool *pool)
{
    for (uint32_t i = 0; i < pool->used_sets; i++) {
        if (pool->sets[i].layout)
            end_set(&pool->sets[i]);
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_DestroyDescriptorPool(VkDevice handle, VkDescriptorPool pool_handle,
                                                        const VkAllocationCallbacks *allocator)
{
    struct radeon_descriptor_pool *pool = radeon_descriptor_pool_from_handle(pool_handle);
    if (!pool)
        return;
    end_all_sets(pool);
    destroy_pool(pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_ResetDescriptorPool(VkDevice handle, VkDescriptorPool pool_handle,
                                                          VkDescriptorPoolResetFlags flags)
{
    struct radeon_descriptor_pool *pool = radeon_descriptor_pool_from_handle(pool_handle);
    end_all_sets(pool);
    reset_places(pool);
    return VK_SUCCESS;
}

/* ---- sets ---- */

/* Places of a set in a pool that frees none: the next ones. */
static VkResult take_next(struct radeon_descriptor_pool *pool, struct radeon_descriptor_set *set, uint32_t *at_B_out,
                          uint32_t *dynamic_out)
{
    if (set->size_B > pool->size_B - pool->used_B || set->num_dynamic > pool->max_dynamic - pool->used_dynamic)
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    *at_B_out = pool->used_B;
    *dynamic_out = pool->used_dynamic;
    pool->used_B += set->size_B;
    pool->used_dynamic += set->num_dynamic;
    return VK_SUCCESS;
}

static VkResult take_range(struct vk_ranges *ranges, uint32_t size, struct vk_range **range_out)
{
    *range_out = size ? vk_ranges_take(ranges, size) : NULL;
    if (!size || *range_out)
        return VK_SUCCESS;
    return size <= ranges->free ? VK_ERROR_FRAGMENTED_POOL : VK_ERROR_OUT_OF_POOL_MEMORY;
}

static void give_ranges(struct radeon_descriptor_pool *pool, struct radeon_descriptor_set *set)
{
    if (set->memory_range)
        vk_ranges_give(&pool->memory_ranges, set->memory_range);
    if (set->dynamic_range)
        vk_ranges_give(&pool->dynamic_ranges, set->dynamic_range);
}

static VkResult take_ranges(struct radeon_descriptor_pool *pool, struct radeon_descriptor_set *set, uint32_t *at_B_out,
                            uint32_t *dynamic_out)
{
    set->dynamic_range = NULL;
    VkResult result = take_range(&pool->memory_ranges, set->size_B / RADEON_SET_ALIGN_B, &set->memory_range);
    if (result == VK_SUCCESS)
        result = take_range(&pool->dynamic_ranges, set->num_dynamic, &set->dynamic_range);
    if (result != VK_SUCCESS) {
        give_ranges(pool, set);
        return result;
    }
    *at_B_out = set->memory_range ? set->memory_range->at * RADEON_SET_ALIGN_B : 0;
    *dynamic_out = set->dynamic_range ? set->dynamic_range->at : 0;
    return VK_SUCCESS;
}

/* The object of a set, which becomes one only when its places are found. */
static struct radeon_descriptor_set *next_object(struct radeon_descriptor_pool *pool)
{
    if (pool->free_sets)
        return pool->free_sets;
    return pool->used_sets < pool->max_sets ? &pool->sets[pool->used_sets] : NULL;
}

static void take_object(struct radeon_descriptor_pool *pool, struct radeon_descriptor_set *set)
{
    if (pool->free_sets == set)
        pool->free_sets = set->next_free;
    else
        pool->used_sets++;
    pool->live_sets++;
}

static VkResult create_set(struct radeon_descriptor_pool *pool, struct radeon_set_layout *layout,
                           uint32_t variable_count, struct radeon_descriptor_set **set_out)
{
    uint32_t at_B, dynamic_at;
    struct radeon_descriptor_set *set = next_object(pool);
    if (!set)
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    set->variable_count = layout->variable_binding != UINT32_MAX ? variable_count : 0;
    set->size_B = radeon_set_layout_size_B(layout, set->variable_count);
    set->num_dynamic = layout->num_dynamic;
    VkResult result =
        frees_sets(pool) ? take_ranges(pool, set, &at_B, &dynamic_at) : take_next(pool, set, &at_B, &dynamic_at);
    if (result != VK_SUCCESS)
        return result;
    take_object(pool, set);
    vk_object_base_init(&set->base, &pool->device->vk, VK_OBJECT_TYPE_DESCRIPTOR_SET);
    vk_descriptor_set_layout_ref(&layout->vk);
    set->layout = layout;
    set->pool = pool;
    set->va = pool->bo && set->size_B ? pool->va + at_B : 0;
    set->map = (uint32_t *)(pool->map + at_B);
    set->dynamic = pool->dynamic + (size_t)dynamic_at * 4;
    radeon_write_fixed_content(set);
    *set_out = set;
    return VK_SUCCESS;
}

/* In a pool that frees no single sets only the last ones can go, which are a failed allocation's. */
static void free_set(struct radeon_descriptor_pool *pool, struct radeon_descriptor_set *set)
{
    end_set(set);
    pool->live_sets--;
    if (frees_sets(pool)) {
        give_ranges(pool, set);
        set->next_free = pool->free_sets;
        pool->free_sets = set;
        return;
    }
    pool->used_sets--;
    pool->used_B -= set->size_B;
    pool->used_dynamic -= set->num_dynamic;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_AllocateDescriptorSets(VkDevice handle, const VkDescriptorSetAllocateInfo *info,
                                                             VkDescriptorSet *sets_out)
{
    struct radeon_descriptor_pool *pool = radeon_descriptor_pool_from_handle(info->descriptorPool);
    const VkDescriptorSetVariableDescriptorCountAllocateInfo *variable =
        vk_find_struct_const(info->pNext, VkDescriptorSetVariableDescriptorCountAllocateInfo);
    VkResult result = VK_SUCCESS;
    uint32_t made = 0;
    for (; made < info->descriptorSetCount; made++) {
        struct radeon_descriptor_set *set;
        uint32_t count = variable && made < variable->descriptorSetCount ? variable->pDescriptorCounts[made] : 0;
        result = create_set(pool, radeon_set_layout_from_handle(info->pSetLayouts[made]), count, &set);
        if (result != VK_SUCCESS)
            break;
        sets_out[made] = radeon_descriptor_set_to_handle(set);
    }
    if (result == VK_SUCCESS)
        return VK_SUCCESS;
    while (made--)
        free_set(pool, radeon_descriptor_set_from_handle(sets_out[made]));
    for (uint32_t i = 0; i < info->descriptorSetCount; i++)
        sets_out[i] = VK_NULL_HANDLE;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_FreeDescriptorSets(VkDevice handle, VkDescriptorPool pool_handle, uint32_t count,
                                                         const VkDescriptorSet *sets)
{
    struct radeon_descriptor_pool *pool = radeon_descriptor_pool_from_handle(pool_handle);
    for (uint32_t i = 0; i < count; i++) {
        struct radeon_descriptor_set *set = radeon_descriptor_set_from_handle(sets[i]);
        if (set)
            free_set(pool, set);
    }
    return VK_SUCCESS;
}
