/* Shorthand for tests of descriptor sets, and host memory that is counted and can run out. The including file defines
 * dev(), whose allocator is `counted`. */
#ifndef VULKAN_RUNTIME_TESTS_DESCRIPTOR_TEST_H
#define VULKAN_RUNTIME_TESTS_DESCRIPTOR_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/descriptor/vk_descriptor_pool.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

static VkDevice dev(void);

/* ---- chance and memory ---- */

static uint32_t random_state = 1;
static inline uint32_t random_below(uint32_t end)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((random_state >> 4) * (uint64_t)end >> 28);
}

static int live_allocations, allocations_left = -1;

static inline VKAPI_ATTR void *VKAPI_CALL counted_alloc(void *user, size_t size_B, size_t align_B,
                                                        VkSystemAllocationScope scope)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    live_allocations++;
    void *memory = malloc(size_B);
    return memset(memory, 0xcd, size_B);
}

static inline VKAPI_ATTR void VKAPI_CALL counted_free(void *user, void *memory)
{
    live_allocations--;
    free(memory);
}

static const VkAllocationCallbacks counted = {.pfnAllocation = counted_alloc, .pfnFree = counted_free};

/* ---- layouts ---- */

#define BINDING(number, kind, elements, ...)                                                                           \
    {                                                                                                                  \
        .binding = (number), .descriptorType = VK_DESCRIPTOR_TYPE_##kind, .descriptorCount = (elements),               \
        .stageFlags = VK_SHADER_STAGE_ALL, ##__VA_ARGS__                                                               \
    }

static inline struct vk_descriptor_set_layout *make_layout_with(const void *chain,
                                                                VkDescriptorSetLayoutCreateFlags flags,
                                                                const VkDescriptorSetLayoutBinding *bindings,
                                                                uint32_t count)
{
    VkDescriptorSetLayoutCreateInfo info = vk_struct_init(VkDescriptorSetLayoutCreateInfo);
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    info.pNext = chain;
    info.flags = flags;
    info.bindingCount = count;
    info.pBindings = bindings;
    assert_int_equal(vk_common_CreateDescriptorSetLayout(dev(), &info, NULL, &layout), VK_SUCCESS);
    return vk_descriptor_set_layout_from_handle(layout);
}
#define MAKE_LAYOUT(...)                                                                                               \
    make_layout_with(NULL, 0, (VkDescriptorSetLayoutBinding[]){__VA_ARGS__},                                           \
                     ARRAY_SIZE(((VkDescriptorSetLayoutBinding[]){__VA_ARGS__})))

static inline void drop_layout(struct vk_descriptor_set_layout *layout)
{
    vk_common_DestroyDescriptorSetLayout(dev(), vk_descriptor_set_layout_to_handle(layout), NULL);
}

static const VkDescriptorType all_types[] = {
    VK_DESCRIPTOR_TYPE_SAMPLER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
    VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
    VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
};

/* ---- pools and sets ---- */

static inline VkDescriptorPool make_pool_with(const void *chain, VkDescriptorPoolCreateFlags flags, uint32_t max_sets,
                                              const VkDescriptorPoolSize *sizes, uint32_t count)
{
    VkDescriptorPoolCreateInfo info = vk_struct_init(VkDescriptorPoolCreateInfo);
    VkDescriptorPool pool = VK_NULL_HANDLE;
    info.pNext = chain;
    info.flags = flags;
    info.maxSets = max_sets;
    info.poolSizeCount = count;
    info.pPoolSizes = sizes;
    assert_int_equal(vk_common_CreateDescriptorPool(dev(), &info, NULL, &pool), VK_SUCCESS);
    return pool;
}
#define MAKE_POOL(flags, max_sets, ...)                                                                                \
    make_pool_with(NULL, flags, max_sets, (VkDescriptorPoolSize[]){__VA_ARGS__},                                       \
                   ARRAY_SIZE(((VkDescriptorPoolSize[]){__VA_ARGS__})))

/* A pool that holds plenty of everything. */
static inline VkDescriptorPool make_large_pool(VkDescriptorPoolCreateFlags flags)
{
    VkDescriptorPoolInlineUniformBlockCreateInfo blocks = vk_struct_init(VkDescriptorPoolInlineUniformBlockCreateInfo);
    blocks.maxInlineUniformBlockBindings = 100;
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 10000},
                                    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1000},
                                    {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 10000}};
    return make_pool_with(&blocks, flags, 100, sizes, ARRAY_SIZE(sizes));
}

static inline VkResult allocate_set(VkDescriptorPool pool, struct vk_descriptor_set_layout *layout,
                                    uint32_t variable_count, struct vk_descriptor_set **set_out)
{
    VkDescriptorSetVariableDescriptorCountAllocateInfo variable =
        vk_struct_init(VkDescriptorSetVariableDescriptorCountAllocateInfo);
    VkDescriptorSetAllocateInfo info = vk_struct_init(VkDescriptorSetAllocateInfo);
    VkDescriptorSetLayout handle = vk_descriptor_set_layout_to_handle(layout);
    VkDescriptorSet set = VK_NULL_HANDLE;
    variable.descriptorSetCount = 1;
    variable.pDescriptorCounts = &variable_count;
    info.pNext = &variable;
    info.descriptorPool = pool;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &handle;
    VkResult result = vk_common_AllocateDescriptorSets(dev(), &info, &set);
    *set_out = vk_descriptor_set_from_handle(set);
    return result;
}

static inline struct vk_descriptor_set *make_set(VkDescriptorPool pool, struct vk_descriptor_set_layout *layout)
{
    struct vk_descriptor_set *set;
    assert_int_equal(allocate_set(pool, layout, 0, &set), VK_SUCCESS);
    return set;
}

static inline void free_set(VkDescriptorPool pool, struct vk_descriptor_set *set)
{
    VkDescriptorSet handle = vk_descriptor_set_to_handle(set);
    vk_common_FreeDescriptorSets(dev(), pool, 1, &handle);
}

static inline VkWriteDescriptorSet write_of(struct vk_descriptor_set *set, VkDescriptorType type, uint32_t binding,
                                            uint32_t first, uint32_t count)
{
    VkWriteDescriptorSet write = vk_struct_init(VkWriteDescriptorSet);
    write.dstSet = vk_descriptor_set_to_handle(set);
    write.dstBinding = binding;
    write.dstArrayElement = first;
    write.descriptorCount = count;
    write.descriptorType = type;
    return write;
}

static inline const uint32_t *words_at(const struct vk_descriptor_set *set, uint32_t binding, uint32_t element)
{
    const struct vk_descriptor_binding *b = &set->layout->bindings[binding];
    return set->map + (b->offset_B + element * b->stride_B) / 4;
}

static inline bool bytes_are_apart(const struct vk_descriptor_set *a, const struct vk_descriptor_set *b)
{
    size_t dynamic = vk_descriptor_dynamic_B(a->layout->ops) / 4;
    const char *a_map = (const char *)a->map, *b_map = (const char *)b->map;
    bool is_memory_apart = !a->size_B || !b->size_B || a_map + a->size_B <= b_map || b_map + b->size_B <= a_map;
    bool is_dynamic_apart = !a->num_dynamic || !b->num_dynamic ||
                            a->dynamic + (size_t)a->num_dynamic * dynamic <= b->dynamic ||
                            b->dynamic + (size_t)b->num_dynamic * dynamic <= a->dynamic;
    return is_memory_apart && is_dynamic_apart;
}

#endif
