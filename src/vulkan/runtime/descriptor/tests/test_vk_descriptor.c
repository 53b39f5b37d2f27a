/* Descriptor set layouts, pools and updates with three made-up families, which differ as real ones do: descriptors of
 * 16 and 32 bytes, of 64 bytes each, and of 32 bytes each. A descriptor of these is its type and what was written. */
#include "vulkan/runtime/descriptor/tests/descriptor_test.h"

#include "util/format/format.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update_template.h"
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"
#include "vulkan/runtime/descriptor/vk_push_set.h"
#include "vulkan/runtime/descriptor/vk_sampler.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/memory/vk_bo.h"

/* ---- three families ---- */

static struct vk_device device;

static VkDevice dev(void)
{
    return vk_device_to_handle(&device);
}

/* Two words: a tag by type, which is never 0, and the handle's low bits. */
static void put_tag(uint32_t *out, uint32_t tag, uint64_t handle)
{
    out[0] = 0x7a900000u | tag;
    out[1] = (uint32_t)handle;
}

static void write_samplers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor ()
        put_tag(out, VK_DESCRIPTOR_TYPE_SAMPLER, (uintptr_t)((const VkDescriptorImageInfo *)src)->sampler);
}

static void write_images(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                         const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor ()
        put_tag(out, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, (uintptr_t)((const VkDescriptorImageInfo *)src)->imageView);
}

static void write_combined(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    write_images(out, out_stride, src, src_stride_B, count, binding);
    if (binding->sampler_index == VK_NO_SAMPLER)
        write_samplers(out + binding->sampler_offset_B / 4, out_stride, src, src_stride_B, count, binding);
}

static void write_texels(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                         const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        VkBufferView view;
        memcpy(&view, src, sizeof(view));
        put_tag(out, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, (uintptr_t)view);
    }
}

static void write_buffers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                          const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor ()
        put_tag(out, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, ((const VkDescriptorBufferInfo *)src)->offset);
}

#define STRUCTURE_TAG 77

static void write_structures(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                             const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        VkAccelerationStructureKHR structure;
        memcpy(&structure, src, sizeof(structure));
        put_tag(out, STRUCTURE_TAG, (uintptr_t)structure);
    }
}

static void write_inline_header(uint64_t va, uint32_t size_B, uint32_t *out)
{
    out[0] = (uint32_t)va;
    out[1] = size_B;
}

/* Formats of any planes in one descriptor. */
static uint32_t one_plane(const struct vk_ycbcr_conversion *conversion)
{
    return 1;
}

static VkResult create_bo(struct vk_device *base, uint32_t size_B, struct vk_bo **bo_out)
{
    struct vk_bo *bo = calloc(1, sizeof(*bo));
    bo->va = 0x40000000;
    bo->map = calloc(1, size_B);
    *bo_out = bo;
    return VK_SUCCESS;
}

static void destroy_bo(struct vk_device *base, struct vk_bo *bo)
{
    free(bo->map);
    free(bo);
}

static void describe_binding(const struct vk_descriptor_set_layout *layout, const struct vk_descriptor_binding *binding,
                             void *compiler_binding_out)
{
    *(uint32_t *)compiler_binding_out = binding->offset_B;
}

#define FAMILY(image, buffer, ...)                                                                                     \
    {                                                                                                                  \
        .size_B = {buffer, 0, image, image, buffer, buffer, buffer, buffer, buffer, buffer, image},                    \
        .max_set_B = 1u << 24, .max_descriptors = 1u << 16, .max_dynamic = 64, .max_inline_B = 1u << 16,               \
        .write = {write_samplers, write_combined, write_images,  write_images,  write_texels, write_texels,            \
                  write_buffers,  write_buffers,  write_buffers, write_buffers, write_images},                         \
        .compiler_binding_B = 4, .describe = describe_binding, .create_bo = create_bo, .destroy_bo = destroy_bo,       \
        __VA_ARGS__                                                                                                    \
    }

static const struct vk_descriptor_ops families[] = {
    FAMILY(32, 16, .set_align_B = 32, .inline_header_B = 16, .inline_align_B = 16,
           .write_inline_header = write_inline_header, .size_B[VK_DESCRIPTOR_ACCELERATION_STRUCTURE] = 16,
           .write[VK_DESCRIPTOR_ACCELERATION_STRUCTURE] = write_structures),
    FAMILY(64, 64, .set_align_B = 64, .inline_align_B = 64, .planes = one_plane),
    FAMILY(32, 32, .set_align_B = 64, .inline_header_B = 32, .inline_align_B = 32,
           .write_inline_header = write_inline_header),
};

static struct vk_sampler samplers[8];

static int setup_family(unsigned family)
{
    memset(&device, 0, sizeof(device));
    device.alloc = counted;
    device.descriptors = &families[family];
    vk_object_base_init(&device.base, &device, VK_OBJECT_TYPE_DEVICE);
    return 0;
}

static int setup_mixed(void **state)
{
    return setup_family(0);
}

static int setup_wide(void **state)
{
    return setup_family(1);
}

static int setup_table(void **state)
{
    return setup_family(2);
}

static int teardown(void **state)
{
    assert_int_equal(live_allocations, 0);
    return 0;
}

static void assert_is(const uint32_t *words, VkDescriptorType type, uint64_t value)
{
    uint32_t expected[2];
    put_tag(expected, type, value);
    assert_memory_equal(words, expected, sizeof(expected));
}

static VkDescriptorImageInfo image_info(uintptr_t view, unsigned sampler)
{
    return (VkDescriptorImageInfo){.sampler = vk_sampler_to_handle(&samplers[sampler]),
                                   .imageView = (VkImageView)(uintptr_t)view};
}

static VkDescriptorSetLayoutBinding random_binding(uint32_t number)
{
    VkDescriptorType type = all_types[random_below(ARRAY_SIZE(all_types))];
    bool is_block = type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    return (VkDescriptorSetLayoutBinding){.binding = number,
                                          .descriptorType = type,
                                          .descriptorCount = is_block ? random_below(30) * 4 : random_below(4),
                                          .stageFlags = VK_SHADER_STAGE_ALL};
}

/* ---- layouts ---- */

static uint32_t end_of(const struct vk_descriptor_set_layout *layout, const struct vk_descriptor_binding *binding)
{
    if (binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return binding->offset_B + layout->ops->inline_header_B + binding->count;
    return binding->offset_B + binding->count * binding->stride_B;
}

static bool is_in_memory(const struct vk_descriptor_binding *binding)
{
    return binding->count && !vk_descriptor_is_dynamic(binding->type);
}

/* Not more than the set's alignment is wasted, wherever bindings lie, and each is where its hardware wants it. */
static void bindings_are_aligned_and_apart(void **state)
{
    for (unsigned round = 0; round < 500; round++) {
        VkDescriptorSetLayoutBinding infos[8];
        unsigned count = random_below(9);
        uint32_t needed_B = 0, num_dynamic = 0;
        for (unsigned i = 0; i < count; i++)
            infos[i] = random_binding(i * 2);
        struct vk_descriptor_set_layout *layout = make_layout_with(NULL, 0, infos, count);
        uint32_t size_B = vk_descriptor_set_layout_size_B(layout, 0);
        for (uint32_t i = 0; i < layout->num_bindings; i++) {
            const struct vk_descriptor_binding *a = &layout->bindings[i];
            assert_int_equal(((const uint32_t *)layout->compiler_bindings)[i], a->offset_B);
            num_dynamic += vk_descriptor_is_dynamic(a->type) ? a->count : 0;
            if (!is_in_memory(a))
                continue;
            bool is_block = a->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
            uint32_t natural_B = is_block ? layout->ops->inline_align_B : a->stride_B & -a->stride_B;
            assert_int_equal(a->offset_B % MIN2(natural_B, layout->ops->set_align_B), 0);
            assert_true(end_of(layout, a) <= size_B);
            needed_B += is_block
                            ? layout->ops->inline_header_B + (uint32_t)align_u64(a->count, layout->ops->inline_align_B)
                            : a->count * a->stride_B;
            for (uint32_t j = 0; j < i; j++) {
                const struct vk_descriptor_binding *b = &layout->bindings[j];
                assert_true(!is_in_memory(b) || end_of(layout, a) <= b->offset_B || end_of(layout, b) <= a->offset_B);
            }
        }
        assert_int_equal(layout->num_dynamic, num_dynamic);
        assert_int_equal(size_B, align_u64(needed_B, layout->ops->set_align_B));
        drop_layout(layout);
    }
}

static void planes_are_the_familys(void **state)
{
    struct vk_ycbcr_conversion conversion = {.format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM,
                                             .format_info =
                                                 format_info((enum format)VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM)};
    struct vk_sampler converting = {.ycbcr = &conversion};
    VkSampler handle = vk_sampler_to_handle(&converting);
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, COMBINED_IMAGE_SAMPLER, 1, .pImmutableSamplers = &handle));
    uint32_t image_B = device.descriptors->size_B[VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE],
             sampler_B = device.descriptors->size_B[VK_DESCRIPTOR_TYPE_SAMPLER],
             planes = device.descriptors->planes ? 1 : 3;
    assert_int_equal(layout->bindings[0].planes, planes);
    assert_int_equal(layout->bindings[0].sampler_offset_B, planes * image_B);
    assert_int_equal(layout->bindings[0].stride_B, align_u64(planes * image_B + sampler_B, image_B));
    assert_true(layout->has_conversions && layout->conversions[0] == &conversion);
    /* Another conversion is another layout to compiled code. */
    struct vk_descriptor_set_layout *same =
        MAKE_LAYOUT(BINDING(0, COMBINED_IMAGE_SAMPLER, 1, .pImmutableSamplers = &handle));
    assert_memory_equal(same->hash, layout->hash, VK_HASH_SIZE_B);
    conversion.range = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
    struct vk_descriptor_set_layout *other =
        MAKE_LAYOUT(BINDING(0, COMBINED_IMAGE_SAMPLER, 1, .pImmutableSamplers = &handle));
    assert_memory_not_equal(other->hash, layout->hash, VK_HASH_SIZE_B);
    drop_layout(layout);
    drop_layout(same);
    drop_layout(other);
}

static void a_variable_binding_is_last(void **state)
{
    VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT, 0};
    VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info =
        vk_struct_init(VkDescriptorSetLayoutBindingFlagsCreateInfo);
    flags_info.bindingCount = 2;
    flags_info.pBindingFlags = flags;
    VkDescriptorSetLayoutBinding infos[] = {BINDING(0, SAMPLED_IMAGE, 100), BINDING(1, STORAGE_BUFFER, 3)};
    struct vk_descriptor_set_layout *layout = make_layout_with(&flags_info, 0, infos, 2);
    const struct vk_descriptor_binding *last = &layout->bindings[0];
    assert_int_equal(layout->variable_binding, 0);
    assert_true(last->offset_B >= end_of(layout, &layout->bindings[1]));
    for (uint32_t count = 0; count <= 100; count++)
        assert_int_equal(vk_descriptor_set_layout_size_B(layout, count),
                         align_u64(last->offset_B + count * last->stride_B, layout->ops->set_align_B));
    drop_layout(layout);
}

/* ---- pools ---- */

/* The specification promises it to a pool that is reset or new. */
static void what_a_pool_was_made_for_always_fits(void **state)
{
    enum {
        SETS = 6
    };
    for (unsigned round = 0; round < 300; round++) {
        VkDescriptorPoolSize sizes[ARRAY_SIZE(all_types)];
        VkDescriptorPoolInlineUniformBlockCreateInfo blocks =
            vk_struct_init(VkDescriptorPoolInlineUniformBlockCreateInfo);
        struct vk_descriptor_set_layout *layouts[SETS];
        struct vk_descriptor_set *sets[SETS];
        for (unsigned i = 0; i < ARRAY_SIZE(all_types); i++)
            sizes[i] = (VkDescriptorPoolSize){all_types[i], 0};
        for (unsigned set = 0; set < SETS; set++) {
            VkDescriptorSetLayoutBinding bindings[8];
            unsigned count = random_below(8);
            for (unsigned i = 0; i < count; i++) {
                bindings[i] = random_binding(i);
                for (unsigned type = 0; type < ARRAY_SIZE(all_types); type++) {
                    if (all_types[type] == bindings[i].descriptorType)
                        sizes[type].descriptorCount += bindings[i].descriptorCount;
                }
                blocks.maxInlineUniformBlockBindings +=
                    bindings[i].descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK &&
                    bindings[i].descriptorCount;
            }
            layouts[set] = make_layout_with(NULL, 0, bindings, count);
        }
        unsigned first = 0; /* no empty sizes, as the specification has it */
        for (unsigned i = 0; i < ARRAY_SIZE(all_types); i++) {
            if (sizes[i].descriptorCount)
                sizes[first++] = sizes[i];
        }
        VkDescriptorPool pool = make_pool_with(
            &blocks, round & 1 ? VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT : 0, SETS, sizes, first);
        for (unsigned again = 0; again < 2; again++) {
            for (unsigned i = 0; i < SETS; i++) {
                assert_int_equal(allocate_set(pool, layouts[i], 0, &sets[i]), VK_SUCCESS);
                assert_int_equal(sets[i]->va % device.descriptors->set_align_B, 0);
                for (unsigned other = 0; other < i; other++)
                    assert_true(bytes_are_apart(sets[i], sets[other]));
            }
            struct vk_descriptor_set *none;
            assert_int_equal(allocate_set(pool, layouts[0], 0, &none), VK_ERROR_OUT_OF_POOL_MEMORY);
            assert_int_equal(vk_common_ResetDescriptorPool(dev(), pool, 0), VK_SUCCESS);
        }
        vk_common_DestroyDescriptorPool(dev(), pool, NULL);
        for (unsigned i = 0; i < SETS; i++)
            drop_layout(layouts[i]);
    }
}

/* The worst that a set can do: each block has a header, and bytes to waste. */
static void many_small_blocks_fit_too(void **state)
{
    VkDescriptorSetLayoutBinding bindings[9];
    for (uint32_t i = 0; i < 8; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding)BINDING(i, INLINE_UNIFORM_BLOCK, 4);
    bindings[8] = (VkDescriptorSetLayoutBinding)BINDING(8, UNIFORM_BUFFER, 1);
    struct vk_descriptor_set_layout *layout = make_layout_with(NULL, 0, bindings, 9);
    VkDescriptorPoolInlineUniformBlockCreateInfo blocks = vk_struct_init(VkDescriptorPoolInlineUniformBlockCreateInfo);
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 3 * 32},
                                    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 3}};
    blocks.maxInlineUniformBlockBindings = 3 * 8;
    VkDescriptorPool pool = make_pool_with(&blocks, 0, 3, sizes, 2);
    for (unsigned i = 0; i < 3; i++)
        make_set(pool, layout);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, STORAGE_IMAGE, 3), BINDING(1, UNIFORM_BUFFER_DYNAMIC, 1));
    for (unsigned frees = 0; frees < 2; frees++) {
        VkDescriptorPool pool =
            MAKE_POOL(frees ? VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT : 0, 10,
                      {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 9}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 3});
        VkDescriptorSetLayout layouts[4];
        VkDescriptorSet sets[4];
        for (unsigned i = 0; i < 4; i++)
            layouts[i] = vk_descriptor_set_layout_to_handle(layout);
        VkDescriptorSetAllocateInfo info = vk_struct_init(VkDescriptorSetAllocateInfo);
        info.descriptorPool = pool;
        info.pSetLayouts = layouts;
        for (unsigned round = 0; round < 3; round++) {
            info.descriptorSetCount = 4;
            memset(sets, 0xff, sizeof(sets));
            assert_int_equal(vk_common_AllocateDescriptorSets(dev(), &info, sets), VK_ERROR_OUT_OF_POOL_MEMORY);
            for (unsigned i = 0; i < 4; i++)
                assert_true(sets[i] == VK_NULL_HANDLE);
            assert_int_equal(layout->refs, 1);
        }
        info.descriptorSetCount = 3;
        assert_int_equal(vk_common_AllocateDescriptorSets(dev(), &info, sets), VK_SUCCESS);
        assert_int_equal(layout->refs, 4);
        vk_common_DestroyDescriptorPool(dev(), pool, NULL);
        assert_int_equal(layout->refs, 1);
    }
    drop_layout(layout);
}

static void holes_that_are_too_small_are_fragments(void **state)
{
    struct vk_descriptor_set_layout *small = MAKE_LAYOUT(BINDING(0, STORAGE_IMAGE, 2)),
                                    *large = MAKE_LAYOUT(BINDING(0, STORAGE_IMAGE, 8));
    VkDescriptorPool pool =
        MAKE_POOL(VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT, 64, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 32});
    struct vk_descriptor_set *sets[64], *set;
    unsigned count = 0;
    while (allocate_set(pool, small, 0, &sets[count]) == VK_SUCCESS)
        count++;
    assert_in_range(count, 16, 63); /* what it was made for, at least; ended by its memory */
    assert_int_equal(allocate_set(pool, small, 0, &set), VK_ERROR_OUT_OF_POOL_MEMORY);
    assert_null(set);
    for (unsigned i = 0; i < count; i += 2)
        free_set(pool, sets[i]);
    assert_int_equal(allocate_set(pool, large, 0, &set), VK_ERROR_FRAGMENTED_POOL);
    for (unsigned i = 0; i < count; i += 2)
        assert_int_equal(allocate_set(pool, small, 0, &sets[i]), VK_SUCCESS);
    assert_int_equal(allocate_set(pool, small, 0, &set), VK_ERROR_OUT_OF_POOL_MEMORY);
    for (unsigned i = 0; i < count; i++)
        free_set(pool, sets[i]);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(allocate_set(pool, large, 0, &set), VK_SUCCESS);
    VkDescriptorSet none = VK_NULL_HANDLE;
    assert_int_equal(vk_common_FreeDescriptorSets(dev(), pool, 1, &none), VK_SUCCESS);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(small);
    drop_layout(large);
}

static void a_set_outlives_its_layouts_handle(void **state)
{
    struct vk_descriptor_set_layout *layout = MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER, 1));
    VkDescriptorPool pool = make_large_pool(VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
    struct vk_descriptor_set *set = make_set(pool, layout);
    int before = live_allocations;
    drop_layout(layout);
    assert_int_equal(live_allocations, before);
    assert_int_equal(set->layout->num_bindings, 1);
    free_set(pool, set);
    assert_int_equal(live_allocations, before - 1);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
}

static void a_pool_of_nothing_gives_empty_sets(void **state)
{
    struct vk_descriptor_set_layout *empty = make_layout_with(NULL, 0, NULL, 0);
    VkDescriptorPool pool = make_pool_with(NULL, 0, 3, NULL, 0);
    for (unsigned i = 0; i < 3; i++)
        assert_true(make_set(pool, empty)->va == 0);
    struct vk_descriptor_set *set;
    assert_int_equal(allocate_set(pool, empty, 0, &set), VK_ERROR_OUT_OF_POOL_MEMORY);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    vk_common_DestroyDescriptorPool(dev(), VK_NULL_HANDLE, NULL);
    drop_layout(empty);
}

static void without_memory_there_is_an_error(void **state)
{
    VkDescriptorSetLayoutCreateInfo layout_info = vk_struct_init(VkDescriptorSetLayoutCreateInfo);
    VkDescriptorPoolCreateInfo pool_info = vk_struct_init(VkDescriptorPoolCreateInfo);
    VkDescriptorPoolSize huge = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, UINT32_MAX};
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    pool_info.maxSets = 1;
    allocations_left = 0;
    assert_int_equal(vk_common_CreateDescriptorSetLayout(dev(), &layout_info, NULL, &layout),
                     VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(vk_common_CreateDescriptorPool(dev(), &pool_info, NULL, &pool), VK_ERROR_OUT_OF_HOST_MEMORY);
    allocations_left = -1;
    pool_info.poolSizeCount = 1;
    pool_info.pPoolSizes = &huge;
    assert_int_equal(vk_common_CreateDescriptorPool(dev(), &pool_info, NULL, &pool), VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

/* ---- updates ---- */

static void immutable_samplers_and_headers_are_in_new_sets(void **state)
{
    VkSampler handles[] = {vk_sampler_to_handle(&samplers[1]), vk_sampler_to_handle(&samplers[2])};
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, COMBINED_IMAGE_SAMPLER, 2, .pImmutableSamplers = handles),
                    BINDING(1, SAMPLER, 2, .pImmutableSamplers = handles), BINDING(2, INLINE_UNIFORM_BLOCK, 20));
    VkDescriptorPool pool = make_large_pool(0);
    struct vk_descriptor_set *set = make_set(pool, layout);
    VkDescriptorImageInfo infos[] = {image_info(100, 5), image_info(101, 6)};
    VkWriteDescriptorSet writes[] = {write_of(set, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 0, 0, 2),
                                     write_of(set, VK_DESCRIPTOR_TYPE_SAMPLER, 1, 0, 2)};
    writes[0].pImageInfo = writes[1].pImageInfo = infos;
    vk_common_UpdateDescriptorSets(dev(), 2, writes, 0, NULL);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t sampler = (uintptr_t)handles[i];
        assert_is(words_at(set, 0, i), VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 100 + i);
        assert_is(words_at(set, 0, i) + layout->bindings[0].sampler_offset_B / 4, VK_DESCRIPTOR_TYPE_SAMPLER, sampler);
        assert_is(words_at(set, 1, i), VK_DESCRIPTOR_TYPE_SAMPLER, sampler);
    }
    if (device.descriptors->write_inline_header) {
        const uint32_t *header = words_at(set, 2, 0);
        assert_int_equal(header[0], set->va + layout->bindings[2].offset_B + device.descriptors->inline_header_B);
        assert_int_equal(header[1], 20);
    }
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
}

/* Into the next bindings, over one that has no elements, and the same by template and by copy. */
static void updates_go_on_in_the_next_binding(void **state)
{
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, STORAGE_BUFFER, 2), BINDING(1, STORAGE_BUFFER, 0), BINDING(3, STORAGE_BUFFER, 2),
                    BINDING(4, UNIFORM_BUFFER_DYNAMIC, 2), BINDING(5, INLINE_UNIFORM_BLOCK, 8),
                    BINDING(6, INLINE_UNIFORM_BLOCK, 8));
    VkDescriptorPool pool = make_large_pool(0), host = make_large_pool(VK_DESCRIPTOR_POOL_CREATE_HOST_ONLY_BIT_EXT);
    struct vk_descriptor_set *set = make_set(host, layout), *by_template = make_set(host, layout),
                             *copied = make_set(host, layout), *in_memory = make_set(pool, layout);
    struct {
        VkDescriptorBufferInfo buffers[3], dynamic[2];
        uint32_t block[3];
    } data = {{{.offset = 11}, {.offset = 12}, {.offset = 13}}, {{.offset = 21}, {.offset = 22}}, {1, 2, 3}};
    VkWriteDescriptorSetInlineUniformBlock block = vk_struct_init(VkWriteDescriptorSetInlineUniformBlock);
    block.dataSize = 12;
    block.pData = data.block;
    VkWriteDescriptorSet writes[] = {write_of(set, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 1, 3),
                                     write_of(set, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 4, 0, 2),
                                     write_of(set, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 5, 4, 12)};
    writes[0].pBufferInfo = data.buffers;
    writes[1].pBufferInfo = data.dynamic;
    writes[2].pNext = &block;
    struct vk_descriptor_set *all[] = {set, by_template, copied, in_memory};
    for (unsigned i = 0; i < 4; i++)
        memset(all[i]->map, 0, all[i]->size_B);
    vk_common_UpdateDescriptorSets(dev(), 3, writes, 0, NULL);
    assert_is(words_at(set, 0, 1), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 11);
    assert_is(words_at(set, 3, 0), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 12);
    assert_is(words_at(set, 3, 1), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 13);
    assert_is(set->dynamic + vk_descriptor_dynamic_B(device.descriptors) / 4, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 22);
    uint32_t header = device.descriptors->inline_header_B / 4;
    assert_int_equal(words_at(set, 5, 0)[header + 1], 1);
    assert_memory_equal(words_at(set, 6, 0) + header, data.block + 1, 8);

    VkDescriptorUpdateTemplateEntry entries[3];
    const void *places[] = {data.buffers, data.dynamic, data.block};
    for (unsigned i = 0; i < 3; i++)
        entries[i] = (VkDescriptorUpdateTemplateEntry){.dstBinding = writes[i].dstBinding,
                                                       .dstArrayElement = writes[i].dstArrayElement,
                                                       .descriptorCount = writes[i].descriptorCount,
                                                       .descriptorType = writes[i].descriptorType,
                                                       .offset = (size_t)((const char *)places[i] - (char *)&data),
                                                       .stride = sizeof(VkDescriptorBufferInfo)};
    VkDescriptorUpdateTemplateCreateInfo info = vk_struct_init(VkDescriptorUpdateTemplateCreateInfo);
    VkDescriptorUpdateTemplate template;
    info.descriptorSetLayout = vk_descriptor_set_layout_to_handle(layout);
    info.descriptorUpdateEntryCount = 3;
    info.pDescriptorUpdateEntries = entries;
    assert_int_equal(vk_common_CreateDescriptorUpdateTemplate(dev(), &info, NULL, &template), VK_SUCCESS);
    vk_common_UpdateDescriptorSetWithTemplate(dev(), vk_descriptor_set_to_handle(by_template), template, &data);
    vk_common_DestroyDescriptorUpdateTemplate(dev(), template, NULL);
    assert_memory_equal(by_template->map, set->map, set->size_B);
    assert_memory_equal(by_template->dynamic, set->dynamic, 2 * vk_descriptor_dynamic_B(device.descriptors));

    VkCopyDescriptorSet copies[3];
    for (unsigned i = 0; i < 3; i++)
        copies[i] = (VkCopyDescriptorSet){.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                          .srcSet = writes[i].dstSet,
                                          .srcBinding = writes[i].dstBinding,
                                          .srcArrayElement = writes[i].dstArrayElement,
                                          .dstSet = vk_descriptor_set_to_handle(copied),
                                          .dstBinding = writes[i].dstBinding,
                                          .dstArrayElement = writes[i].dstArrayElement,
                                          .descriptorCount = writes[i].descriptorCount};
    vk_common_UpdateDescriptorSets(dev(), 0, NULL, 3, copies);
    assert_memory_equal(copied->map, set->map, set->size_B);
    assert_memory_equal(copied->dynamic, set->dynamic, 2 * vk_descriptor_dynamic_B(device.descriptors));
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    vk_common_DestroyDescriptorPool(dev(), host, NULL);
    drop_layout(layout);
}

/* Their infos are behind the write; a family that has none of them gives them no room and writes nothing. */
static void structures_are_written_where_a_family_has_them(void **state)
{
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, STORAGE_BUFFER, 1), BINDING(1, ACCELERATION_STRUCTURE_KHR, 3));
    VkDescriptorPool pool =
        MAKE_POOL(0, 3, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}, {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 9});
    struct vk_descriptor_set *set = make_set(pool, layout), *by_template = make_set(pool, layout),
                             *copied = make_set(pool, layout);
    const VkAccelerationStructureKHR handles[2] = {(VkAccelerationStructureKHR)(uintptr_t)31,
                                                   (VkAccelerationStructureKHR)(uintptr_t)32};
    VkWriteDescriptorSetAccelerationStructureKHR structures =
        vk_struct_init(VkWriteDescriptorSetAccelerationStructureKHR);
    structures.accelerationStructureCount = 2;
    structures.pAccelerationStructures = handles;
    VkWriteDescriptorSet write = write_of(set, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, 1, 2);
    const bool has_them = device.descriptors->size_B[VK_DESCRIPTOR_ACCELERATION_STRUCTURE];
    struct vk_descriptor_set *all[] = {set, by_template, copied};
    for (unsigned i = 0; i < 3; i++)
        memset(all[i]->map, 0, all[i]->size_B);
    vk_common_UpdateDescriptorSets(dev(), 1, &write, 0, NULL); /* without infos nothing happens */
    write.pNext = &structures;
    vk_common_UpdateDescriptorSets(dev(), 1, &write, 0, NULL);
    assert_int_equal(layout->bindings[1].stride_B, has_them ? 16 : 0);
    if (has_them) {
        assert_int_equal(words_at(set, 1, 0)[0], 0);
        assert_is(words_at(set, 1, 1), STRUCTURE_TAG, 31);
        assert_is(words_at(set, 1, 2), STRUCTURE_TAG, 32);
    }
    const VkDescriptorUpdateTemplateEntry entry = {.dstBinding = 1,
                                                   .dstArrayElement = 1,
                                                   .descriptorCount = 2,
                                                   .descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
                                                   .stride = sizeof(handles[0])};
    VkDescriptorUpdateTemplateCreateInfo info = vk_struct_init(VkDescriptorUpdateTemplateCreateInfo);
    VkDescriptorUpdateTemplate template;
    info.descriptorSetLayout = vk_descriptor_set_layout_to_handle(layout);
    info.descriptorUpdateEntryCount = 1;
    info.pDescriptorUpdateEntries = &entry;
    assert_int_equal(vk_common_CreateDescriptorUpdateTemplate(dev(), &info, NULL, &template), VK_SUCCESS);
    vk_common_UpdateDescriptorSetWithTemplate(dev(), vk_descriptor_set_to_handle(by_template), template, handles);
    vk_common_DestroyDescriptorUpdateTemplate(dev(), template, NULL);
    assert_memory_equal(by_template->map, set->map, set->size_B);
    const VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                      .srcSet = write.dstSet,
                                      .srcBinding = 1,
                                      .dstSet = vk_descriptor_set_to_handle(copied),
                                      .dstBinding = 1,
                                      .descriptorCount = 3};
    vk_common_UpdateDescriptorSets(dev(), 0, NULL, 1, &copy);
    assert_memory_equal(copied->map, set->map, set->size_B);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
}

/* Writes over the end of the set are dropped. */
static void nothing_is_written_after_the_last_binding(void **state)
{
    struct vk_descriptor_set_layout *layout = MAKE_LAYOUT(BINDING(0, STORAGE_BUFFER, 2));
    VkDescriptorPool pool = make_large_pool(0);
    struct vk_descriptor_set *set = make_set(pool, layout), *next = make_set(pool, layout);
    VkDescriptorBufferInfo infos[4] = {{.offset = 1}, {.offset = 2}, {.offset = 3}, {.offset = 4}};
    VkWriteDescriptorSet writes[] = {write_of(set, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 1, 4),
                                     write_of(set, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 7, 0, 1),
                                     write_of(set, (VkDescriptorType)12345, 0, 0, 1)};
    writes[0].pBufferInfo = writes[1].pBufferInfo = writes[2].pBufferInfo = infos;
    memset(next->map, 0x55, next->size_B);
    vk_common_UpdateDescriptorSets(dev(), 3, writes, 0, NULL);
    assert_is(words_at(set, 0, 1), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1);
    for (uint32_t i = 0; i < next->size_B / 4; i++)
        assert_int_equal(next->map[i], 0x55555555);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
}

/* ---- pushed sets ---- */

static VkPipelineLayout pipeline_layout_of(struct vk_descriptor_set_layout *a, struct vk_descriptor_set_layout *b)
{
    VkDescriptorSetLayout handles[] = {vk_descriptor_set_layout_to_handle(a), vk_descriptor_set_layout_to_handle(b)};
    VkPipelineLayoutCreateInfo info = vk_struct_init(VkPipelineLayoutCreateInfo);
    VkPipelineLayout layout;
    info.setLayoutCount = 2;
    info.pSetLayouts = handles;
    assert_int_equal(vk_common_CreatePipelineLayout(dev(), &info, NULL, &layout), VK_SUCCESS);
    return layout;
}

static void pushes_add_to_each_other_while_the_layout_stays(void **state)
{
    struct vk_descriptor_set_layout *a = MAKE_LAYOUT(BINDING(0, STORAGE_BUFFER, 3)),
                                    *again = MAKE_LAYOUT(BINDING(0, STORAGE_BUFFER, 3)),
                                    *larger = MAKE_LAYOUT(BINDING(0, STORAGE_BUFFER, 30)),
                                    *dynamic = MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER_DYNAMIC, 2));
    VkPipelineLayout layouts[] = {pipeline_layout_of(dynamic, a), pipeline_layout_of(dynamic, again),
                                  pipeline_layout_of(a, larger)};
    assert_int_equal(vk_pipeline_layout_from_handle(layouts[0])->first_dynamic[1], 2);
    struct vk_command_pool command_pool = {.alloc = counted};
    struct vk_command_buffer cmd = {.pool = &command_pool};
    struct vk_push_set *push = NULL;
    VkDescriptorBufferInfo infos[2] = {{.offset = 5}, {.offset = 6}};
    VkWriteDescriptorSet write = write_of(NULL, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0, 1);
    write.pBufferInfo = &infos[0];
    assert_true(vk_push_set_write(&cmd, &push, layouts[0], 1, 1, &write));
    write.pBufferInfo = &infos[1];
    write.dstArrayElement = 2;
    assert_true(vk_push_set_write(&cmd, &push, layouts[1], 1, 1, &write));
    assert_is(words_at(&push->set, 0, 0), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 5);
    assert_is(words_at(&push->set, 0, 2), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 6);
    assert_int_equal(push->set.size_B, vk_descriptor_set_layout_size_B(a, 0));
    /* Another layout, or another number, begins anew; without memory what was there stays. */
    allocations_left = 0;
    assert_false(vk_push_set_write(&cmd, &push, layouts[2], 1, 1, &write));
    allocations_left = -1;
    assert_int_equal(cmd.result, VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_is(words_at(&push->set, 0, 0), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 5);
    assert_true(vk_push_set_write(&cmd, &push, layouts[2], 1, 1, &write));
    assert_is(words_at(&push->set, 0, 2), VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 6);
    assert_int_equal(words_at(&push->set, 0, 0)[0], 0);
    assert_true(vk_push_set_write(&cmd, &push, layouts[2], 0, 1, &write));
    assert_int_equal(push->number, 0);
    assert_ptr_equal(push->set.layout, a);
    vk_push_set_reset(push);
    assert_int_equal(a->refs, 3); /* the test's and two pipeline layouts' */
    vk_push_set_destroy(&cmd.pool->alloc, push);
    for (unsigned i = 0; i < 3; i++)
        vk_common_DestroyPipelineLayout(dev(), layouts[i], NULL);
    struct vk_descriptor_set_layout *all[] = {a, again, larger, dynamic};
    for (unsigned i = 0; i < 4; i++)
        drop_layout(all[i]);
}

#define CASES(name)                                                                                                    \
    {#name " (16 and 32 bytes)", name, setup_mixed, teardown, NULL},                                                   \
        {#name " (64 bytes)", name, setup_wide, teardown, NULL},                                                       \
    {                                                                                                                  \
#name " (32 bytes)", name, setup_table, teardown, NULL                                                         \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASES(bindings_are_aligned_and_apart),
        CASES(planes_are_the_familys),
        CASES(a_variable_binding_is_last),
        CASES(what_a_pool_was_made_for_always_fits),
        CASES(many_small_blocks_fit_too),
        CASES(a_failed_allocation_leaves_nothing_behind),
        CASES(holes_that_are_too_small_are_fragments),
        CASES(a_set_outlives_its_layouts_handle),
        CASES(a_pool_of_nothing_gives_empty_sets),
        CASES(without_memory_there_is_an_error),
        CASES(immutable_samplers_and_headers_are_in_new_sets),
        CASES(updates_go_on_in_the_next_binding),
        CASES(structures_are_written_where_a_family_has_them),
        CASES(nothing_is_written_after_the_last_binding),
        CASES(pushes_add_to_each_other_while_the_layout_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
