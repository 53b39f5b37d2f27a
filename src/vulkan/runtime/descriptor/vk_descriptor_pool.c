/* Descriptor pools and the sets in them. Where single sets are never freed, each takes the next bytes; otherwise the
 * places are ranges (vk_range.h). */
#include "vulkan/runtime/descriptor/vk_descriptor_pool.h"

#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/memory/vk_range.h"
#include "vulkan/runtime/object/vk_struct.h"

struct vk_descriptor_pool {
    struct vk_object_base base;
    struct vk_device *device;
    const struct vk_descriptor_ops *ops;
    VkDescriptorPoolCreateFlags flags;
    struct vk_bo *bo; /* NULL: host memory, or none at all */
    char *map;
    uint32_t size_B;
    uint32_t *dynamic;
    uint32_t max_dynamic;
    struct vk_descriptor_set *sets;
    uint32_t max_sets, live_sets;
    uint32_t used_sets; /* of `sets`, from the first on: those after were never used since the last reset */

    /* Without VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT. */
    uint32_t used_B, used_dynamic;
    /* With it. */
    struct vk_ranges memory_ranges, dynamic_ranges; /* the first in units of ops->set_align_B */
    struct vk_descriptor_set *free_sets;
};

VK_DEFINE_CASTS(vk_descriptor_pool, VkDescriptorPool)

static bool frees_sets(const struct vk_descriptor_pool *pool)
{
    return pool->flags & VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
}

/* ---- pools ---- */

struct pool_extent {
    uint64_t size_B, dynamic;
};

static struct pool_extent measure_pool(const struct vk_descriptor_ops *ops, const VkDescriptorPoolCreateInfo *info)
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
        if (vk_descriptor_is_dynamic(size->type))
            dynamic += size->descriptorCount;
        else if (size->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
            size_B += size->descriptorCount; /* bytes */
        else
            size_B += (uint64_t)size->descriptorCount * vk_descriptor_B(ops, size->type, 1, types);
        descriptors += size->descriptorCount;
    }
    /* Their headers, and the last bytes, which may be used in part. */
    if (inline_info)
        size_B += (uint64_t)inline_info->maxInlineUniformBlockBindings * (ops->inline_header_B + ops->inline_align_B);
    /* The bytes that a set wastes; one without descriptors wastes nothing. */
    size_B += MIN2(info->maxSets, descriptors) * ops->set_align_B;
    return (struct pool_extent){align_u64(size_B, ops->set_align_B), dynamic};
}

static void reset_places(struct vk_descriptor_pool *pool)
{
    pool->live_sets = pool->used_sets = 0;
    pool->used_B = pool->used_dynamic = 0;
    pool->free_sets = NULL;
    if (frees_sets(pool)) {
        vk_ranges_reset(&pool->memory_ranges);
        vk_ranges_reset(&pool->dynamic_ranges);
    }
}

static void destroy_pool(struct vk_descriptor_pool *pool, const VkAllocationCallbacks *allocator)
{
    if (pool->bo)
        pool->ops->destroy_bo(pool->device, pool->bo);
    vk_object_base_finish(&pool->base);
    vk_free(&pool->device->alloc, allocator, pool);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateDescriptorPool(VkDevice handle, const VkDescriptorPoolCreateInfo *info,
                                                              const VkAllocationCallbacks *allocator,
                                                              VkDescriptorPool *pool_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    const struct vk_descriptor_ops *ops = device->descriptors;
    struct vk_descriptor_pool *pool;
    struct pool_extent extent = measure_pool(ops, info);
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
           map_at_B = dynamic_at_B + extent.dynamic * vk_descriptor_dynamic_B(ops);
    pool = vk_alloc(&device->alloc, allocator, map_at_B + (host_only ? extent.size_B : 0),
                    VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memset(pool, 0, sizeof(*pool));
    vk_object_base_init(&pool->base, device, VK_OBJECT_TYPE_DESCRIPTOR_POOL);
    pool->device = device;
    pool->ops = ops;
    pool->flags = info->flags;
    pool->size_B = (uint32_t)extent.size_B;
    pool->max_dynamic = (uint32_t)extent.dynamic;
    pool->max_sets = info->maxSets;
    pool->sets = (struct vk_descriptor_set *)((char *)pool + sets_at_B);
    pool->dynamic = (uint32_t *)((char *)pool + dynamic_at_B);
    pool->map = (char *)pool + map_at_B; /* of no bytes, where there is a buffer or nothing in memory at all */
    if (frees) {
        struct vk_range *first = (struct vk_range *)((char *)pool + nodes_at_B);
        vk_ranges_init(&pool->memory_ranges, pool->size_B / ops->set_align_B, first, (uint32_t)nodes);
        vk_ranges_init(&pool->dynamic_ranges, pool->max_dynamic, first + nodes, (uint32_t)nodes);
    }
    reset_places(pool);
    if (!host_only && pool->size_B) {
        VkResult result = ops->create_bo(device, pool->size_B, &pool->bo);
        if (result != VK_SUCCESS) {
            destroy_pool(pool, allocator);
            return result;
        }
        pool->map = pool->bo->map;
    }
    *pool_out = vk_descriptor_pool_to_handle(pool);
    return VK_SUCCESS;
}

/* The set's own part of its end; its places are the caller's. */
static void end_set(struct vk_descriptor_set *set)
{
    vk_descriptor_set_layout_unref(set->layout);
    set->layout = NULL;
    vk_object_base_finish(&set->base);
}

static void end_all_sets(struct vk_descriptor_pool *pool)
{
    for (uint32_t i = 0; i < pool->used_sets; i++) {
        if (pool->sets[i].layout)
            end_set(&pool->sets[i]);
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyDescriptorPool(VkDevice handle, VkDescriptorPool pool_handle,
                                                           const VkAllocationCallbacks *allocator)
{
    struct vk_descriptor_pool *pool = vk_descriptor_pool_from_handle(pool_handle);
    if (!pool)
        return;
    end_all_sets(pool);
    destroy_pool(pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_ResetDescriptorPool(VkDevice handle, VkDescriptorPool pool_handle,
                                                             VkDescriptorPoolResetFlags flags)
{
    struct vk_descriptor_pool *pool = vk_descriptor_pool_from_handle(pool_handle);
    end_all_sets(pool);
    reset_places(pool);
    return VK_SUCCESS;
}

/* ---- sets ---- */

/* Places of a set in a pool that frees none: the next ones. */
static VkResult take_next(struct vk_descriptor_pool *pool, struct vk_descriptor_set *set, uint32_t *at_B_out,
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

static void give_ranges(struct vk_descriptor_pool *pool, struct vk_descriptor_set *set)
{
    if (set->memory_range)
        vk_ranges_give(&pool->memory_ranges, set->memory_range);
    if (set->dynamic_range)
        vk_ranges_give(&pool->dynamic_ranges, set->dynamic_range);
}

static VkResult take_ranges(struct vk_descriptor_pool *pool, struct vk_descriptor_set *set, uint32_t *at_B_out,
                            uint32_t *dynamic_out)
{
    set->dynamic_range = NULL;
    VkResult result = take_range(&pool->memory_ranges, set->size_B / pool->ops->set_align_B, &set->memory_range);
    if (result == VK_SUCCESS)
        result = take_range(&pool->dynamic_ranges, set->num_dynamic, &set->dynamic_range);
    if (result != VK_SUCCESS) {
        give_ranges(pool, set);
        return result;
    }
    *at_B_out = set->memory_range ? set->memory_range->at * pool->ops->set_align_B : 0;
    *dynamic_out = set->dynamic_range ? set->dynamic_range->at : 0;
    return VK_SUCCESS;
}

/* The object of a set, which becomes one only when its places are found. */
static struct vk_descriptor_set *next_object(struct vk_descriptor_pool *pool)
{
    if (pool->free_sets)
        return pool->free_sets;
    return pool->used_sets < pool->max_sets ? &pool->sets[pool->used_sets] : NULL;
}

static void take_object(struct vk_descriptor_pool *pool, struct vk_descriptor_set *set)
{
    if (pool->free_sets == set)
        pool->free_sets = set->next_free;
    else
        pool->used_sets++;
    pool->live_sets++;
}

static VkResult create_set(struct vk_descriptor_pool *pool, struct vk_descriptor_set_layout *layout,
                           uint32_t variable_count, struct vk_descriptor_set **set_out)
{
    uint32_t at_B, dynamic_at;
    struct vk_descriptor_set *set = next_object(pool);
    if (!set)
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    set->variable_count = layout->variable_binding != VK_NO_BINDING ? variable_count : 0;
    set->size_B = vk_descriptor_set_layout_size_B(layout, set->variable_count);
    set->num_dynamic = layout->num_dynamic;
    VkResult result =
        frees_sets(pool) ? take_ranges(pool, set, &at_B, &dynamic_at) : take_next(pool, set, &at_B, &dynamic_at);
    if (result != VK_SUCCESS)
        return result;
    take_object(pool, set);
    vk_object_base_init(&set->base, pool->device, VK_OBJECT_TYPE_DESCRIPTOR_SET);
    vk_descriptor_set_layout_ref(layout);
    set->layout = layout;
    set->va = pool->bo && set->size_B ? pool->bo->va + at_B : 0;
    set->map = (uint32_t *)(pool->map + at_B);
    set->dynamic = pool->dynamic + (size_t)dynamic_at * (vk_descriptor_dynamic_B(pool->ops) / 4);
    vk_descriptor_set_begin(set);
    *set_out = set;
    return VK_SUCCESS;
}

/* In a pool that frees no single sets only the last ones can go, which are a failed allocation's. */
static void free_set(struct vk_descriptor_pool *pool, struct vk_descriptor_set *set)
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

VKAPI_ATTR VkResult VKAPI_CALL vk_common_AllocateDescriptorSets(VkDevice handle,
                                                                const VkDescriptorSetAllocateInfo *info,
                                                                VkDescriptorSet *sets_out)
{
    struct vk_descriptor_pool *pool = vk_descriptor_pool_from_handle(info->descriptorPool);
    const VkDescriptorSetVariableDescriptorCountAllocateInfo *variable =
        vk_find_struct_const(info->pNext, VkDescriptorSetVariableDescriptorCountAllocateInfo);
    VkResult result = VK_SUCCESS;
    uint32_t made = 0;
    for (; made < info->descriptorSetCount; made++) {
        struct vk_descriptor_set *set;
        uint32_t count = variable && made < variable->descriptorSetCount ? variable->pDescriptorCounts[made] : 0;
        result = create_set(pool, vk_descriptor_set_layout_from_handle(info->pSetLayouts[made]), count, &set);
        if (result != VK_SUCCESS)
            break;
        sets_out[made] = vk_descriptor_set_to_handle(set);
    }
    if (result == VK_SUCCESS)
        return VK_SUCCESS;
    while (made--)
        free_set(pool, vk_descriptor_set_from_handle(sets_out[made]));
    for (uint32_t i = 0; i < info->descriptorSetCount; i++)
        sets_out[i] = VK_NULL_HANDLE;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_FreeDescriptorSets(VkDevice handle, VkDescriptorPool pool_handle,
                                                            uint32_t count, const VkDescriptorSet *sets)
{
    struct vk_descriptor_pool *pool = vk_descriptor_pool_from_handle(pool_handle);
    for (uint32_t i = 0; i < count; i++) {
        struct vk_descriptor_set *set = vk_descriptor_set_from_handle(sets[i]);
        if (set)
            free_set(pool, set);
    }
    return VK_SUCCESS;
}
