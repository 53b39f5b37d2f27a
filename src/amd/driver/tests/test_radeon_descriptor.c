/* Descriptor sets without a GPU: where layouts put things, what pools give and take back, what updates write, what
 * binding remembers. The pools' memory is that of the modelled Navi 21. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_memory.h"
#include "amd/driver/radeon_sampler.h"
#include "vulkan/runtime/descriptor/tests/descriptor_test.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update_template.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"

/* ---- a device, and host memory that is counted and can run out ---- */

static struct radeon_physical_device physical;
static struct radeon_device device;

static VkDevice dev(void)
{
    return radeon_device_to_handle(&device);
}

enum {
    RESOURCES = 64
};
static struct vk_buffer buffers[RESOURCES];
static struct radeon_buffer_view buffer_views[RESOURCES];
static struct radeon_image_view image_views[RESOURCES];
static struct radeon_sampler samplers[RESOURCES];

static void random_words(uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        words[i] = random_below(1 << 28) << 4 | 1;
}

static int setup(void **state)
{
    struct kernel_file *file;
    int error = kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &file);
    if (error)
        return error;
    error = amd_ws_device_open(file, &physical.ws);
    if (error) {
        kernel_close(file);
        return error;
    }
    device.physical = &physical;
    device.ws = physical.ws;
    device.address32_hi = (uint32_t)(physical.ws->va[WS_VA_HIGH_32].start_va >> 32);
    device.vk.alloc = counted;
    vk_object_base_init(&device.vk.base, &device.vk, VK_OBJECT_TYPE_DEVICE);
    radeon_chunk_pools_init(&device);
    device.vk.descriptors = &radeon_descriptor_ops;
    for (unsigned i = 0; i < RESOURCES; i++) {
        buffers[i].size_B = 65536;
        buffers[i].va = 0xffff800100000000ull + i * 65536;
        random_words(buffer_views[i].descriptor, 4);
        random_words(image_views[i].sampled[0], 24);
        random_words(image_views[i].storage[0], 24);
        random_words(samplers[i].words, 4);
    }
    return 0;
}

static int teardown(void **state)
{
    radeon_chunk_pools_finish(&device);
    amd_ws_device_close(physical.ws);
    return 0;
}

static int count_before(void **state)
{
    *state = (void *)(intptr_t)live_allocations;
    return 0;
}

/* Chunks that the device keeps for reuse are no leak. */
static int nothing_is_left(void **state)
{
    radeon_chunk_pools_finish(&device);
    radeon_chunk_pools_init(&device);
    device.vk.descriptors = &radeon_descriptor_ops;
    return live_allocations == (int)(intptr_t)*state && device.ws->allocated_vram_B == 0 ? 0 : -1;
}

/* ---- shorthand ---- */

static const struct amd_binding_layout *compiler_bindings(const struct vk_descriptor_set_layout *layout)
{
    return layout->compiler_bindings;
}

static VkDescriptorBufferInfo buffer_info(unsigned buffer, VkDeviceSize offset_B, VkDeviceSize range_B)
{
    return (VkDescriptorBufferInfo){vk_buffer_to_handle(&buffers[buffer]), offset_B, range_B};
}

static VkDescriptorImageInfo image_info(unsigned image, unsigned sampler)
{
    return (VkDescriptorImageInfo){radeon_sampler_to_handle(&samplers[sampler]),
                                   radeon_image_view_to_handle(&image_views[image]), VK_IMAGE_LAYOUT_GENERAL};
}

static void assert_is_buffer(const uint32_t words[4], uint64_t va, uint32_t size_B)
{
    uint32_t expected[4];
    radeon_buffer_descriptor(va, size_B, expected);
    assert_memory_equal(words, expected, sizeof(expected));
    assert_int_equal(words[2], size_B);
}

/* ---- layouts ---- */

static void images_lie_at_multiples_of_32_and_nothing_overlaps(void **state)
{
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER, 3), BINDING(1, SAMPLED_IMAGE, 2), BINDING(2, SAMPLER, 1),
                    BINDING(3, COMBINED_IMAGE_SAMPLER, 2), BINDING(5, STORAGE_TEXEL_BUFFER, 1),
                    BINDING(6, INLINE_UNIFORM_BLOCK, 20), BINDING(7, STORAGE_BUFFER_DYNAMIC, 2),
                    BINDING(8, INPUT_ATTACHMENT, 1), BINDING(9, UNIFORM_BUFFER_DYNAMIC, 1));
    static const struct {
        uint32_t offset_B, stride_B;
    } expected[] = {{224, 16}, {0, 32}, {272, 16}, {64, 64}, {0, 0}, {288, 16}, {304, 0}, {0, 0}, {192, 32}, {0, 0}};
    assert_int_equal(layout->num_bindings, 10);
    for (unsigned i = 0; i < layout->num_bindings; i++) {
        const struct amd_binding_layout *compiler = &compiler_bindings(layout)[i];
        if (!layout->bindings[i].count || vk_descriptor_is_dynamic(layout->bindings[i].type))
            continue;
        assert_int_equal(layout->bindings[i].offset_B, expected[i].offset_B);
        assert_int_equal(layout->bindings[i].stride_B, expected[i].stride_B);
        assert_int_equal(compiler->offset_B, expected[i].offset_B);
        assert_int_equal(compiler->stride_B, expected[i].stride_B);
        assert_false(compiler->dynamic);
    }
    assert_int_equal(compiler_bindings(layout)[3].sampler_offset_B, 32);
    assert_int_equal(vk_descriptor_set_layout_size_B(layout, 0), 352); /* 304 and 16 and 20 as 32 */
    assert_int_equal(layout->num_dynamic, 3);
    assert_true(compiler_bindings(layout)[7].dynamic && compiler_bindings(layout)[9].dynamic);
    assert_int_equal(compiler_bindings(layout)[7].offset_B, 0);
    assert_int_equal(compiler_bindings(layout)[7].stride_B, 16);
    assert_int_equal(compiler_bindings(layout)[9].offset_B, 32);
    drop_layout(layout);
}

static void the_order_of_bindings_does_not_matter(void **state)
{
    VkDescriptorSetLayoutBinding forward[] = {BINDING(0, SAMPLED_IMAGE, 2), BINDING(1, UNIFORM_BUFFER, 1),
                                              BINDING(4, SAMPLER, 3), BINDING(5, STORAGE_IMAGE, 1)},
                                 backward[4];
    for (unsigned i = 0; i < 4; i++)
        backward[i] = forward[3 - i];
    struct vk_descriptor_set_layout *a = make_layout_with(NULL, 0, forward, 4),
                                    *b = make_layout_with(NULL, 0, backward, 4);
    assert_memory_equal(a->hash, b->hash, VK_HASH_SIZE_B);
    assert_memory_equal(a->bindings, b->bindings, a->num_bindings * sizeof(*a->bindings));
    backward[0].descriptorCount = 2;
    struct vk_descriptor_set_layout *c = make_layout_with(NULL, 0, backward, 4);
    assert_memory_not_equal(a->hash, c->hash, VK_HASH_SIZE_B);
    drop_layout(a);
    drop_layout(b);
    drop_layout(c);
}

static void immutable_samplers_are_in_the_table_and_in_new_sets(void **state)
{
    VkSampler handles[] = {radeon_sampler_to_handle(&samplers[3]), radeon_sampler_to_handle(&samplers[9])};
    const VkSampler *garbage = (const VkSampler *)(uintptr_t)0x10;
    VkDescriptorSetLayoutBinding bindings[] = {BINDING(0, COMBINED_IMAGE_SAMPLER, 2, .pImmutableSamplers = handles),
                                               BINDING(1, UNIFORM_BUFFER, 1, .pImmutableSamplers = garbage),
                                               BINDING(2, SAMPLER, 2, .pImmutableSamplers = handles)};
    struct vk_descriptor_set_layout *layout = make_layout_with(NULL, 0, bindings, 3);
    for (unsigned number = 0; number <= 2; number += 2) {
        const uint32_t *table = compiler_bindings(layout)[number].immutable_samplers;
        assert_memory_equal(table, samplers[3].words, 16);
        assert_memory_equal(table + 4, samplers[9].words, 16);
    }
    assert_null(compiler_bindings(layout)[1].immutable_samplers);
    VkDescriptorPool pool = make_large_pool(0);
    struct vk_descriptor_set *set = make_set(pool, layout);
    VkDescriptorImageInfo infos[] = {image_info(1, 20), image_info(2, 21)};
    VkWriteDescriptorSet write = write_of(set, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 0, 0, 2);
    write.pImageInfo = infos;
    vk_common_UpdateDescriptorSets(dev(), 1, &write, 0, NULL);
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t *sampler = samplers[i ? 9 : 3].words;
        assert_memory_equal(words_at(set, 0, i), image_views[1 + i].sampled[0], 32);
        assert_memory_equal(words_at(set, 0, i) + 8, sampler, 16);
        assert_memory_equal(words_at(set, 2, i), sampler, 16);
    }
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    handles[1] = handles[0];
    struct vk_descriptor_set_layout *other = make_layout_with(NULL, 0, bindings, 3);
    assert_memory_not_equal(layout->hash, other->hash, VK_HASH_SIZE_B);
    drop_layout(layout);
    drop_layout(other);
}

static void an_image_of_planes_has_a_descriptor_for_each(void **state)
{
    struct vk_ycbcr_conversion conversion = {.format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM,
                                             .format_info =
                                                 format_info((enum format)VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM)};
    struct radeon_sampler sampler = {.vk.ycbcr = &conversion, .words = {5, 6, 7, 8}};
    VkSampler handle = radeon_sampler_to_handle(&sampler);
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, COMBINED_IMAGE_SAMPLER, 1, .pImmutableSamplers = &handle), BINDING(1, SAMPLER, 1));
    assert_int_equal(layout->bindings[0].planes, 3);
    assert_int_equal(layout->bindings[0].stride_B, 128);
    assert_int_equal(compiler_bindings(layout)[0].sampler_offset_B, 96);
    assert_ptr_equal(layout->conversions[layout->bindings[0].sampler_index], &conversion);
    /* A pool's count is multiplied by combinedImageSamplerDescriptorCount, the number of planes. */
    VkDescriptorPool pool =
        MAKE_POOL(0, 1, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3}, {VK_DESCRIPTOR_TYPE_SAMPLER, 1});
    struct vk_descriptor_set *set = make_set(pool, layout);
    VkDescriptorImageInfo info = image_info(5, 1);
    VkWriteDescriptorSet write = write_of(set, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 0, 0, 1);
    write.pImageInfo = &info;
    vk_common_UpdateDescriptorSets(dev(), 1, &write, 0, NULL);
    assert_memory_equal(words_at(set, 0, 0), image_views[5].sampled, 96);
    assert_memory_equal(words_at(set, 0, 0) + 24, sampler.words, 16);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    conversion.model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709;
    struct vk_descriptor_set_layout *other =
        MAKE_LAYOUT(BINDING(0, COMBINED_IMAGE_SAMPLER, 1, .pImmutableSamplers = &handle), BINDING(1, SAMPLER, 1));
    assert_memory_not_equal(layout->hash, other->hash, VK_HASH_SIZE_B);
    drop_layout(other);
    drop_layout(layout);
}

static void the_compiler_finds_dynamic_buffers_behind_push_constants(void **state)
{
    struct vk_descriptor_set_layout *plain = MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER, 1)),
                                    *two = MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER, 1),
                                                       BINDING(1, UNIFORM_BUFFER_DYNAMIC, 2)),
                                    *one = MAKE_LAYOUT(BINDING(3, STORAGE_BUFFER_DYNAMIC, 1));
    struct vk_descriptor_set_layout *sets[] = {two, NULL, plain, one};
    struct radeon_compiler_layouts tables;
    assert_int_equal(radeon_layouts_for_compiler(&device, sets, 4, 20, &tables), VK_SUCCESS);
    assert_int_equal(tables.num_sets, 4);
    assert_int_equal(tables.sets[0].bindings[1].offset_B, 32);
    assert_int_equal(tables.sets[0].bindings[0].offset_B, 0);
    assert_int_equal(tables.sets[1].num_bindings, 0);
    assert_ptr_equal(tables.sets[2].bindings, compiler_bindings(plain));
    assert_int_equal(tables.sets[3].bindings[3].offset_B, 64);
    assert_true(tables.sets[3].bindings[3].dynamic);
    radeon_compiler_layouts_finish(&device, &tables);
    allocations_left = 0;
    assert_int_equal(radeon_layouts_for_compiler(&device, sets, 4, 20, &tables), VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(radeon_layouts_for_compiler(&device, sets + 1, 2, 20, &tables), VK_SUCCESS);
    allocations_left = -1;
    radeon_compiler_layouts_finish(&device, &tables);
    drop_layout(plain);
    drop_layout(one);
    drop_layout(two);
}

static void a_variable_binding_is_last_and_as_long_as_the_set_asks(void **state)
{
    VkDescriptorBindingFlags flags[] = {
        VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT, 0};
    VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info =
        vk_struct_init(VkDescriptorSetLayoutBindingFlagsCreateInfo);
    flags_info.bindingCount = 2;
    flags_info.pBindingFlags = flags;
    VkDescriptorSetLayoutBinding bindings[] = {BINDING(1, SAMPLED_IMAGE, 1000), BINDING(0, UNIFORM_BUFFER, 1)};
    struct vk_descriptor_set_layout *layout = make_layout_with(&flags_info, 0, bindings, 2);
    assert_int_equal(layout->variable_binding, 1);
    assert_int_equal(layout->bindings[1].offset_B, 32);
    assert_int_equal(vk_descriptor_set_layout_size_B(layout, 0), 32);
    assert_int_equal(vk_descriptor_set_layout_size_B(layout, 7), 32 + 7 * 32);
    /* Sets are counted by what they ask for and not by what the layout allows. */
    VkDescriptorPool pool =
        MAKE_POOL(0, 2, {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 10}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2});
    struct vk_descriptor_set *a, *b;
    assert_int_equal(allocate_set(pool, layout, 4, &a), VK_SUCCESS);
    assert_int_equal(allocate_set(pool, layout, 6, &b), VK_SUCCESS);
    assert_int_equal(b->variable_count, 6);
    assert_true(b->map - a->map == (32 + 4 * 32) / 4);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);

    /* A block: its size is what the shader may read. */
    bindings[0] = (VkDescriptorSetLayoutBinding)BINDING(1, INLINE_UNIFORM_BLOCK, 256);
    layout = make_layout_with(&flags_info, 0, bindings, 2);
    pool = make_large_pool(0);
    assert_int_equal(allocate_set(pool, layout, 36, &a), VK_SUCCESS);
    assert_is_buffer(words_at(a, 1, 0), a->va + layout->bindings[1].offset_B + 16, 36);
    assert_int_equal(a->size_B, 96); /* 16 and 16 and 36 as 48, up to 32 */
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
}

static VkBool32 supports_binding(const void *chain, const VkDescriptorSetLayoutBinding *bindings, uint32_t count,
                                 uint32_t *variable_out)
{
    VkDescriptorSetVariableDescriptorCountLayoutSupport variable =
        vk_struct_init(VkDescriptorSetVariableDescriptorCountLayoutSupport);
    VkDescriptorSetLayoutSupport support = vk_struct_init(VkDescriptorSetLayoutSupport);
    VkDescriptorSetLayoutCreateInfo info = vk_struct_init(VkDescriptorSetLayoutCreateInfo);
    support.pNext = &variable;
    variable.maxVariableDescriptorCount = 12345;
    info.pNext = chain;
    info.bindingCount = count;
    info.pBindings = bindings;
    vk_common_GetDescriptorSetLayoutSupport(dev(), &info, &support);
    *variable_out = variable.maxVariableDescriptorCount;
    return support.supported;
}

static void what_is_too_large_is_not_supported(void **state)
{
    uint32_t limit, again;
    const uint32_t max = RADEON_MAX_DESCRIPTORS_PER_SET;
    VkDescriptorSetLayoutBinding bindings[] = {BINDING(0, SAMPLED_IMAGE, 100),
                                               BINDING(1, COMBINED_IMAGE_SAMPLER, max - 100)};
    assert_true(supports_binding(NULL, bindings, 2, &limit));
    assert_int_equal(limit, 0);
    bindings[1].descriptorCount++;
    assert_false(supports_binding(NULL, bindings, 2, &limit));
    bindings[1].descriptorCount = UINT32_MAX;
    assert_false(supports_binding(NULL, bindings, 2, &limit));

    VkDescriptorBindingFlags flags[] = {0, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
    VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info =
        vk_struct_init(VkDescriptorSetLayoutBindingFlagsCreateInfo);
    flags_info.bindingCount = 2;
    flags_info.pBindingFlags = flags;
    bindings[1].descriptorCount = 1;
    assert_true(supports_binding(&flags_info, bindings, 2, &limit));
    assert_int_equal(limit, max - 100);
    bindings[1].descriptorCount = limit;
    assert_true(supports_binding(&flags_info, bindings, 2, &again));
    bindings[1].descriptorCount = limit + 1;
    assert_false(supports_binding(&flags_info, bindings, 2, &again));
    assert_int_equal(again, limit);
    bindings[1] = (VkDescriptorSetLayoutBinding)BINDING(1, INLINE_UNIFORM_BLOCK, 16);
    assert_true(supports_binding(&flags_info, bindings, 2, &limit));
    assert_int_equal(limit, RADEON_MAX_INLINE_BLOCK_B);
    VkDescriptorSetLayoutCreateInfo info = vk_struct_init(VkDescriptorSetLayoutCreateInfo);
    VkDescriptorSetLayout layout;
    bindings[1] = (VkDescriptorSetLayoutBinding)BINDING(1, STORAGE_BUFFER, UINT32_MAX);
    info.bindingCount = 2;
    info.pBindings = bindings;
    assert_true(vk_common_CreateDescriptorSetLayout(dev(), &info, NULL, &layout) < 0);
}

static void a_mutable_descriptor_is_as_large_as_its_types(void **state)
{
    VkDescriptorType small[] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER},
                     large[] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
    VkMutableDescriptorTypeListEXT lists[] = {{2, small}, {2, large}};
    VkMutableDescriptorTypeCreateInfoEXT types = vk_struct_init(VkMutableDescriptorTypeCreateInfoEXT);
    types.mutableDescriptorTypeListCount = 2;
    types.pMutableDescriptorTypeLists = lists;
    VkDescriptorSetLayoutBinding bindings[] = {BINDING(0, MUTABLE_EXT, 2), BINDING(1, MUTABLE_EXT, 3)};
    struct vk_descriptor_set_layout *layout = make_layout_with(&types, 0, bindings, 2),
                                    *plain = MAKE_LAYOUT(BINDING(0, STORAGE_IMAGE, 1), BINDING(1, UNIFORM_BUFFER, 1));
    assert_int_equal(layout->bindings[0].stride_B, 16);
    assert_int_equal(layout->bindings[1].stride_B, 32);
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2}, {VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 3}};
    VkDescriptorPool pool = make_pool_with(&types, 0, 1, sizes, 2), other = make_large_pool(0),
                     host = make_large_pool(VK_DESCRIPTOR_POOL_CREATE_HOST_ONLY_BIT_EXT);
    struct vk_descriptor_set *set = make_set(pool, layout), *to = make_set(other, plain),
                             *staged = make_set(host, layout);
    assert_true(staged->va == 0);
    /* Written in host memory as two types, copied to the mutable set, and from there to a plain one. */
    VkDescriptorImageInfo image = image_info(7, 0);
    VkDescriptorBufferInfo buffer = buffer_info(8, 256, 1024);
    VkWriteDescriptorSet writes[] = {write_of(staged, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, 0, 1),
                                     write_of(staged, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, 2, 1)};
    writes[0].pImageInfo = &image;
    writes[1].pBufferInfo = &buffer;
    VkCopyDescriptorSet copies[] = {
        {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
         .srcSet = vk_descriptor_set_to_handle(staged),
         .srcBinding = 1,
         .dstSet = vk_descriptor_set_to_handle(set),
         .dstBinding = 1,
         .descriptorCount = 3},
        {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
         .srcSet = vk_descriptor_set_to_handle(set),
         .srcBinding = 1,
         .dstSet = vk_descriptor_set_to_handle(to),
         .dstBinding = 0,
         .descriptorCount = 1},
        {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
         .srcSet = vk_descriptor_set_to_handle(set),
         .srcBinding = 1,
         .srcArrayElement = 2,
         .dstSet = vk_descriptor_set_to_handle(to),
         .dstBinding = 1,
         .descriptorCount = 1},
    };
    vk_common_UpdateDescriptorSets(dev(), 2, writes, 3, copies);
    assert_memory_equal(words_at(to, 0, 0), image_views[7].storage[0], 32);
    assert_is_buffer(words_at(to, 1, 0), buffers[8].va + 256, 1024);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    vk_common_DestroyDescriptorPool(dev(), other, NULL);
    vk_common_DestroyDescriptorPool(dev(), host, NULL);
    drop_layout(layout);
    drop_layout(plain);
}

/* ---- pools ---- */

static void sets_lie_where_32_bit_pointers_reach(void **state)
{
    struct vk_descriptor_set_layout *layout = MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER, 1));
    for (unsigned frees = 0; frees < 2; frees++) {
        VkDescriptorPool pool = make_large_pool(frees ? VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT : 0);
        for (unsigned i = 0; i < 20; i++) {
            struct vk_descriptor_set *set = make_set(pool, layout);
            assert_int_equal(set->va % RADEON_SET_ALIGN_B, 0);
            assert_true(set->va >> 32 == device.address32_hi);
        }
        vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    }
    drop_layout(layout);
}

/* ---- updates ---- */

static void buffers_are_checked_against_their_range(void **state)
{
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER, 4), BINDING(1, STORAGE_BUFFER_DYNAMIC, 2));
    VkDescriptorPool pool = make_large_pool(0);
    struct vk_descriptor_set *set = make_set(pool, layout);
    VkDescriptorBufferInfo infos[] = {buffer_info(0, 64, 128),
                                      buffer_info(1, 256, VK_WHOLE_SIZE),
                                      {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE},
                                      buffer_info(2, 0, 4)};
    VkWriteDescriptorSet writes[] = {write_of(set, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0, 0, 4),
                                     write_of(set, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, 0, 2)};
    memset(set->map, 0xee, set->size_B);
    writes[0].pBufferInfo = infos;
    writes[1].pBufferInfo = infos + 1;
    vk_common_UpdateDescriptorSets(dev(), 2, writes, 0, NULL);
    assert_is_buffer(words_at(set, 0, 0), buffers[0].va + 64, 128);
    assert_is_buffer(words_at(set, 0, 1), buffers[1].va + 256, 65536 - 256);
    static const uint32_t none[4];
    assert_memory_equal(words_at(set, 0, 2), none, 16);
    assert_is_buffer(words_at(set, 0, 3), buffers[2].va, 4);
    assert_is_buffer(set->dynamic, buffers[1].va + 256, 65536 - 256);
    assert_memory_equal(set->dynamic + 4, none, 16);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
}

static void a_null_view_is_a_null_descriptor(void **state)
{
    struct vk_descriptor_set_layout *layout =
        MAKE_LAYOUT(BINDING(0, COMBINED_IMAGE_SAMPLER, 1), BINDING(1, STORAGE_IMAGE, 1),
                    BINDING(2, UNIFORM_TEXEL_BUFFER, 1), BINDING(3, SAMPLED_IMAGE, 1));
    VkDescriptorPool pool = make_large_pool(0);
    struct vk_descriptor_set *set = make_set(pool, layout);
    VkDescriptorImageInfo image = image_info(0, 4);
    VkBufferView view = VK_NULL_HANDLE;
    static const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                             VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                             VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE};
    image.imageView = VK_NULL_HANDLE;
    memset(set->map, 0xee, set->size_B);
    for (uint32_t i = 0; i < 4; i++) {
        VkWriteDescriptorSet write = write_of(set, types[i], i, 0, 1);
        static const uint32_t none[8];
        write.pImageInfo = &image;
        write.pTexelBufferView = &view;
        vk_common_UpdateDescriptorSets(dev(), 1, &write, 0, NULL);
        assert_memory_equal(words_at(set, i, 0), none, i == 2 ? 16 : 32);
    }
    assert_memory_equal(words_at(set, 0, 0) + 8, samplers[4].words, 16);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
}

static void updates_go_on_in_the_next_binding(void **state)
{
    /* Binding 1 has no elements and 2 does not exist. */
    struct vk_descriptor_set_layout *layout = MAKE_LAYOUT(BINDING(0, SAMPLED_IMAGE, 2), BINDING(1, SAMPLED_IMAGE, 0),
                                                          BINDING(3, SAMPLED_IMAGE, 1), BINDING(4, SAMPLED_IMAGE, 3),
                                                          BINDING(5, INLINE_UNIFORM_BLOCK, 8),
                                                          BINDING(6, INLINE_UNIFORM_BLOCK, 24)),
                                    *flat = MAKE_LAYOUT(BINDING(0, SAMPLED_IMAGE, 3), BINDING(1, SAMPLED_IMAGE, 3));
    VkDescriptorPool pool = make_large_pool(0);
    struct vk_descriptor_set *set = make_set(pool, layout), *to = make_set(pool, flat);
    VkDescriptorImageInfo infos[5];
    for (unsigned i = 0; i < 5; i++)
        infos[i] = image_info(10 + i, 0);
    static const uint32_t block[] = {1, 2, 3, 4, 5};
    VkWriteDescriptorSetInlineUniformBlock block_info = vk_struct_init(VkWriteDescriptorSetInlineUniformBlock);
    block_info.dataSize = 20;
    block_info.pData = block;
    VkWriteDescriptorSet writes[] = {write_of(set, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 0, 1, 5),
                                     write_of(set, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 5, 4, 20)};
    writes[0].pImageInfo = infos;
    writes[1].pNext = &block_info;
    vk_common_UpdateDescriptorSets(dev(), 2, writes, 0, NULL);
    const uint32_t *places[] = {words_at(set, 0, 1), words_at(set, 3, 0), words_at(set, 4, 0), words_at(set, 4, 1),
                                words_at(set, 4, 2)};
    for (unsigned i = 0; i < 5; i++)
        assert_memory_equal(places[i], image_views[10 + i].sampled[0], 32);
    assert_int_equal(words_at(set, 5, 0)[4 + 1], 1);
    assert_memory_equal(words_at(set, 6, 0) + 4, block + 1, 16);
    assert_is_buffer(words_at(set, 6, 0), set->va + layout->bindings[6].offset_B + 16, 24);

    VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                .srcSet = vk_descriptor_set_to_handle(set),
                                .srcBinding = 0,
                                .srcArrayElement = 1,
                                .dstSet = vk_descriptor_set_to_handle(to),
                                .dstBinding = 0,
                                .dstArrayElement = 1,
                                .descriptorCount = 5};
    vk_common_UpdateDescriptorSets(dev(), 0, NULL, 1, &copy);
    for (unsigned i = 0; i < 5; i++)
        assert_memory_equal(words_at(to, (i + 1) / 3, (i + 1) % 3), image_views[10 + i].sampled[0], 32);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
    drop_layout(flat);
}

static void copies_bring_everything_but_immutable_samplers(void **state)
{
    VkSampler handle = radeon_sampler_to_handle(&samplers[40]);
    struct vk_descriptor_set_layout *from_layout = MAKE_LAYOUT(BINDING(0, COMBINED_IMAGE_SAMPLER, 1),
                                                               BINDING(1, UNIFORM_BUFFER_DYNAMIC, 2),
                                                               BINDING(2, INLINE_UNIFORM_BLOCK, 16)),
                                    *to_layout = MAKE_LAYOUT(
                                        BINDING(0, COMBINED_IMAGE_SAMPLER, 1, .pImmutableSamplers = &handle),
                                        BINDING(1, UNIFORM_BUFFER_DYNAMIC, 2), BINDING(2, INLINE_UNIFORM_BLOCK, 16));
    VkDescriptorPool pool = make_large_pool(0), host = make_large_pool(VK_DESCRIPTOR_POOL_CREATE_HOST_ONLY_BIT_EXT);
    struct vk_descriptor_set *from = make_set(host, from_layout), *to = make_set(pool, to_layout);
    VkDescriptorImageInfo image = image_info(3, 5);
    VkDescriptorBufferInfo infos[] = {buffer_info(3, 0, 32), buffer_info(4, 64, 96)};
    static const uint32_t block[] = {11, 12, 13, 14};
    VkWriteDescriptorSetInlineUniformBlock block_info = vk_struct_init(VkWriteDescriptorSetInlineUniformBlock);
    block_info.dataSize = 16;
    block_info.pData = block;
    VkWriteDescriptorSet writes[] = {write_of(from, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 0, 0, 1),
                                     write_of(from, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, 0, 2),
                                     write_of(from, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 2, 0, 16)};
    writes[0].pImageInfo = &image;
    writes[1].pBufferInfo = infos;
    writes[2].pNext = &block_info;
    VkCopyDescriptorSet copies[3];
    for (uint32_t i = 0; i < 3; i++)
        copies[i] = (VkCopyDescriptorSet){.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                          .srcSet = vk_descriptor_set_to_handle(from),
                                          .srcBinding = i,
                                          .dstSet = vk_descriptor_set_to_handle(to),
                                          .dstBinding = i,
                                          .descriptorCount = i == 0   ? 1
                                                             : i == 1 ? 2
                                                                      : 16};
    vk_common_UpdateDescriptorSets(dev(), 3, writes, 3, copies);
    assert_memory_equal(words_at(to, 0, 0), image_views[3].sampled[0], 32);
    assert_memory_equal(words_at(to, 0, 0) + 8, samplers[40].words, 16);
    assert_is_buffer(to->dynamic + 4, buffers[4].va + 64, 96);
    assert_memory_equal(words_at(to, 2, 0) + 4, block, 16);
    assert_is_buffer(words_at(to, 2, 0), to->va + to_layout->bindings[2].offset_B + 16, 16);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    vk_common_DestroyDescriptorPool(dev(), host, NULL);
    drop_layout(from_layout);
    drop_layout(to_layout);
}

/* One record of the application's for a template; the infos of an array are records apart. */
struct update_record {
    VkDescriptorImageInfo image;
    VkDescriptorBufferInfo buffer;
    VkBufferView texels;
    uint32_t block[4];
};

static void fill_record(struct update_record *record)
{
    record->image = image_info(random_below(RESOURCES), random_below(RESOURCES));
    record->buffer = buffer_info(random_below(RESOURCES), random_below(64) * 16, 4 + random_below(100) * 4);
    record->texels = radeon_buffer_view_to_handle(&buffer_views[random_below(RESOURCES)]);
    random_words(record->block, 4);
}

static size_t offset_in_record(VkDescriptorType type)
{
    switch (type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        return offsetof(struct update_record, texels);
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        return offsetof(struct update_record, buffer);
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
        return offsetof(struct update_record, block);
    default:
        return offsetof(struct update_record, image);
    }
}

static VkDescriptorUpdateTemplate make_template(VkDescriptorSetLayout layout, uint32_t count,
                                                const VkDescriptorUpdateTemplateEntry *entries)
{
    VkDescriptorUpdateTemplateCreateInfo info = vk_struct_init(VkDescriptorUpdateTemplateCreateInfo);
    VkDescriptorUpdateTemplate template;
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    info.descriptorSetLayout = layout;
    info.descriptorUpdateEntryCount = count;
    info.pDescriptorUpdateEntries = entries;
    assert_int_equal(vk_common_CreateDescriptorUpdateTemplate(dev(), &info, NULL, &template), VK_SUCCESS);
    return template;
}

static void write_record(struct vk_descriptor_set *set, VkDescriptorType type, uint32_t binding, uint32_t first,
                         uint32_t count, struct update_record *records)
{
    VkWriteDescriptorSetInlineUniformBlock block = vk_struct_init(VkWriteDescriptorSetInlineUniformBlock);
    VkWriteDescriptorSet write = write_of(set, type, binding, first, count);
    if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        block.dataSize = count;
        block.pData = records->block;
        write.pNext = &block;
        vk_common_UpdateDescriptorSets(dev(), 1, &write, 0, NULL);
        return;
    }
    write.descriptorCount = 1; /* element by element: another way than the template's */
    for (uint32_t i = 0; i < count; i++) {
        write.dstArrayElement = first + i;
        write.pImageInfo = &records[i].image;
        write.pBufferInfo = &records[i].buffer;
        write.pTexelBufferView = &records[i].texels;
        vk_common_UpdateDescriptorSets(dev(), 1, &write, 0, NULL);
    }
}

static void a_template_writes_what_plain_writes_do(void **state)
{
    VkDescriptorSetLayoutBinding bindings[ARRAY_SIZE(all_types)];
    for (uint32_t i = 0; i < ARRAY_SIZE(all_types); i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = all_types[i],
            .descriptorCount = all_types[i] == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 32 : 5};
    struct vk_descriptor_set_layout *layout = make_layout_with(NULL, 0, bindings, ARRAY_SIZE(all_types));
    VkDescriptorPool pool = make_large_pool(VK_DESCRIPTOR_POOL_CREATE_HOST_ONLY_BIT_EXT);
    struct vk_descriptor_set *a = make_set(pool, layout), *b = make_set(pool, layout);
    for (unsigned round = 0; round < 200; round++) {
        struct update_record records[ARRAY_SIZE(all_types)][5];
        VkDescriptorUpdateTemplateEntry entries[ARRAY_SIZE(all_types)];
        uint32_t count = 0;
        memset(a->map, round, a->size_B);
        memset(b->map, round, b->size_B);
        memset(a->dynamic, round, a->num_dynamic * 16);
        memset(b->dynamic, round, b->num_dynamic * 16);
        for (uint32_t i = 0; i < ARRAY_SIZE(all_types); i++) {
            bool is_block = all_types[i] == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
            uint32_t first = is_block ? random_below(5) * 4 : random_below(5),
                     elements = 1 + random_below(5 - first % 5);
            elements = is_block ? 4 * (1 + random_below(4)) : elements;
            for (unsigned r = 0; r < 5; r++)
                fill_record(&records[i][r]);
            if (random_below(3) == 0)
                continue;
            entries[count++] = (VkDescriptorUpdateTemplateEntry){
                .dstBinding = i,
                .dstArrayElement = first,
                .descriptorCount = elements,
                .descriptorType = all_types[i],
                .offset = (size_t)((char *)&records[i][0] - (char *)records) + offset_in_record(all_types[i]),
                .stride = is_block ? 12345 : sizeof(struct update_record)};
            write_record(a, all_types[i], i, first, elements, records[i]);
        }
        VkDescriptorUpdateTemplate template = make_template(vk_descriptor_set_layout_to_handle(layout), count, entries);
        vk_common_UpdateDescriptorSetWithTemplate(dev(), vk_descriptor_set_to_handle(b), template, records);
        vk_common_DestroyDescriptorUpdateTemplate(dev(), template, NULL);
        assert_memory_equal(a->map, b->map, a->size_B);
        assert_memory_equal(a->dynamic, b->dynamic, a->num_dynamic * 16);
    }
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    drop_layout(layout);
}

/* ---- binding ---- */

static struct vk_command_pool command_pool;
static struct radeon_cmd_buffer cmd;
static struct radeon_recording recording;

static VkCommandBuffer begin_cmd(void)
{
    memset(&cmd, 0, sizeof(cmd));
    memset(&recording, 0, sizeof(recording));
    radeon_take_recording(&cmd, &recording.vk);
    command_pool.alloc = counted;
    cmd.vk.pool = &command_pool;
    cmd.vk.base.device = &device.vk;
    cmd.device = &device;
    vk_upload_init(&cmd.upload, &device.chunks[RADEON_CHUNK_UPLOAD], NULL);
    for (unsigned i = 0; i < VK_BIND_POINT_COUNT; i++)
        vk_bindings_reset(&cmd.vk.rec->bindings[i]);
    return radeon_cmd_buffer_to_handle(&cmd);
}

static void end_cmd(void)
{
    for (unsigned i = 0; i < VK_BIND_POINT_COUNT; i++)
        vk_bindings_finish(&counted, &cmd.vk.rec->bindings[i]);
    vk_upload_reset(&cmd.upload);
}

static VkPipelineLayout make_pipeline_layout(uint32_t count, struct vk_descriptor_set_layout *const *layouts)
{
    VkPipelineLayoutCreateInfo info = vk_struct_init(VkPipelineLayoutCreateInfo);
    VkDescriptorSetLayout handles[RADEON_MAX_SETS];
    VkPipelineLayout layout;
    for (uint32_t i = 0; i < count; i++)
        handles[i] = vk_descriptor_set_layout_to_handle(layouts[i]);
    info.flags = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
    info.setLayoutCount = count;
    info.pSetLayouts = handles;
    assert_int_equal(vk_common_CreatePipelineLayout(dev(), &info, NULL, &layout), VK_SUCCESS);
    return layout;
}

static void binding_marks_only_what_changed(void **state)
{
    struct vk_descriptor_set_layout *layout = MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER, 1));
    VkPipelineLayout pipeline_layout =
        make_pipeline_layout(4, (struct vk_descriptor_set_layout *[]){layout, layout, NULL, layout});
    VkDescriptorPool pool = make_large_pool(0);
    VkDescriptorSet sets[4];
    for (unsigned i = 0; i < 4; i++)
        sets[i] = vk_descriptor_set_to_handle(make_set(pool, layout));
    VkDescriptorSet with_hole[] = {sets[1], VK_NULL_HANDLE, sets[3]};
    VkCommandBuffer handle = begin_cmd();
    struct vk_bindings *compute = &cmd.vk.rec->bindings[VK_BIND_COMPUTE],
                       *graphics = &cmd.vk.rec->bindings[VK_BIND_GRAPHICS];
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 1, 3, with_hole, 0, NULL);
    assert_int_equal(compute->dirty, 0xa);
    assert_int_equal(compute->valid, 0xa);
    assert_int_equal(graphics->dirty, 0);
    assert_true(compute->set_va[3] == vk_descriptor_set_from_handle(sets[3])->va);
    compute->dirty = 0;
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 2, sets, 0, NULL);
    assert_int_equal(compute->dirty, 1);
    assert_int_equal(compute->valid, 0xb);
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_layout, 0, 1, sets, 0, NULL);
    assert_int_equal(graphics->dirty, 1);
    /* Bindings of a recording are not there in the next one, though the bytes may be. */
    vk_bindings_reset(graphics);
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_layout, 0, 1, sets, 0, NULL);
    assert_int_equal(graphics->dirty, 1);
    end_cmd();
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    vk_common_DestroyPipelineLayout(dev(), pipeline_layout, NULL);
    drop_layout(layout);
}

static void dynamic_offsets_move_the_address_and_keep_the_range(void **state)
{
    struct vk_descriptor_set_layout *one = MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER_DYNAMIC, 1), BINDING(1, SAMPLER, 1)),
                                    *two = MAKE_LAYOUT(BINDING(2, STORAGE_BUFFER_DYNAMIC, 2));
    VkPipelineLayout pipeline_layout =
        make_pipeline_layout(4, (struct vk_descriptor_set_layout *[]){one, NULL, two, one});
    const struct vk_pipeline_layout *vk_layout = vk_pipeline_layout_from_handle(pipeline_layout);
    assert_int_equal(vk_layout->first_dynamic[0], 0);
    assert_int_equal(vk_layout->first_dynamic[2], 1);
    assert_int_equal(vk_layout->first_dynamic[3], 3);
    VkDescriptorPool pool = make_large_pool(0);
    struct vk_descriptor_set *a = make_set(pool, one), *b = make_set(pool, two), *c = make_set(pool, one);
    VkDescriptorBufferInfo infos[] = {buffer_info(1, 0, 64), buffer_info(2, 16, 128), buffer_info(3, 32, 256)};
    buffers[2].va = 0xffff8001fffffff0ull; /* the sum carries into the upper word */
    VkWriteDescriptorSet writes[] = {write_of(a, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 0, 0, 1),
                                     write_of(b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 2, 0, 2),
                                     write_of(c, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 0, 0, 1)};
    writes[0].pBufferInfo = infos;
    writes[1].pBufferInfo = infos + 1;
    writes[2].pBufferInfo = infos;
    vk_common_UpdateDescriptorSets(dev(), 3, writes, 0, NULL);
    VkDescriptorSet sets[] = {vk_descriptor_set_to_handle(b), vk_descriptor_set_to_handle(c)},
                    first_set = vk_descriptor_set_to_handle(a);
    uint32_t offsets[] = {0x300, 0x40, 0x80};
    VkCommandBuffer handle = begin_cmd();
    struct vk_bindings *bindings = &cmd.vk.rec->bindings[VK_BIND_COMPUTE];
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 2, 2, sets, 3, offsets);
    assert_true(bindings->dynamic_dirty);
    assert_int_equal(bindings->num_dynamic, 4);
    assert_is_buffer(&bindings->dynamic[1 * RADEON_BUFFER_DESCRIPTOR_B / 4], buffers[2].va + 16 + 0x300, 128);
    assert_is_buffer(&bindings->dynamic[2 * RADEON_BUFFER_DESCRIPTOR_B / 4], buffers[3].va + 32 + 0x40, 256);
    assert_is_buffer(&bindings->dynamic[3 * RADEON_BUFFER_DESCRIPTOR_B / 4], buffers[1].va + 0x80, 64);
    bindings->dynamic_dirty = false;
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 2, 2, sets, 3, offsets);
    assert_false(bindings->dynamic_dirty);
    offsets[2] = 0x84;
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 2, 2, sets, 3, offsets);
    assert_true(bindings->dynamic_dirty);
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &first_set, 1,
                                    offsets);
    assert_int_equal(bindings->num_dynamic, 4);
    assert_is_buffer(&bindings->dynamic[0 * RADEON_BUFFER_DESCRIPTOR_B / 4], buffers[1].va + 0x300, 64);
    assert_is_buffer(&bindings->dynamic[1 * RADEON_BUFFER_DESCRIPTOR_B / 4], buffers[2].va + 16 + 0x300, 128);
    /* A set that is left out still takes its place. */
    VkDescriptorSet left_out[] = {first_set, VK_NULL_HANDLE, VK_NULL_HANDLE, vk_descriptor_set_to_handle(c)};
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 4, left_out, 2,
                                    offsets);
    assert_is_buffer(&bindings->dynamic[3 * RADEON_BUFFER_DESCRIPTOR_B / 4], buffers[1].va + 0x40, 64);
    buffers[2].va = 0xffff800100000000ull + 2 * 65536;
    end_cmd();
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    vk_common_DestroyPipelineLayout(dev(), pipeline_layout, NULL);
    drop_layout(one);
    drop_layout(two);
}

static const uint32_t *uploaded(const struct vk_bindings *bindings, uint32_t set)
{
    return (const uint32_t *)(cmd.upload.map + (bindings->set_va[set] - cmd.upload.va));
}

static void pushed_descriptors_stay_until_they_are_pushed_over(void **state)
{
    VkSampler sampler = radeon_sampler_to_handle(&samplers[12]);
    VkDescriptorSetLayoutBinding push_bindings[] = {
        BINDING(0, STORAGE_BUFFER, 1), BINDING(1, STORAGE_BUFFER, 1),
        BINDING(2, COMBINED_IMAGE_SAMPLER, 1, .pImmutableSamplers = &sampler)};
    struct vk_descriptor_set_layout *layout =
                                        make_layout_with(NULL, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
                                                         push_bindings, 3),
                                    *larger = MAKE_LAYOUT(BINDING(0, STORAGE_IMAGE, 20)),
                                    *plain = MAKE_LAYOUT(BINDING(0, UNIFORM_BUFFER, 1));
    VkPipelineLayout pipeline_layout = make_pipeline_layout(2, (struct vk_descriptor_set_layout *[]){plain, layout}),
                     other_layout = make_pipeline_layout(2, (struct vk_descriptor_set_layout *[]){plain, larger});
    VkDescriptorBufferInfo infos[] = {buffer_info(1, 0, 64), buffer_info(2, 16, 128)};
    VkDescriptorImageInfo image = image_info(5, 0);
    VkWriteDescriptorSet writes[] = {write_of(NULL, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0, 1),
                                     write_of(NULL, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, 0, 1),
                                     write_of(NULL, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, 0, 1),
                                     write_of(NULL, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 0, 19, 1)};
    writes[0].pBufferInfo = &infos[0];
    writes[1].pBufferInfo = &infos[1];
    writes[2].pImageInfo = writes[3].pImageInfo = &image;
    VkCommandBuffer handle = begin_cmd();
    struct vk_bindings *bindings = &cmd.vk.rec->bindings[VK_BIND_GRAPHICS];
    vk_common_CmdPushDescriptorSetKHR(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_layout, 1, 1, &writes[0]);
    vk_common_CmdPushDescriptorSetKHR(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_layout, 1, 1, &writes[2]);
    vk_bindings_flush_push(&cmd.vk, bindings, &cmd.upload);
    assert_int_equal(bindings->dirty, 2);
    assert_true(bindings->set_va[1] >> 32 == device.address32_hi && bindings->set_va[1] % 32 == 0);
    uint64_t first_va = bindings->set_va[1];
    const uint32_t *words = uploaded(bindings, 1);
    assert_memory_equal(words, image_views[5].sampled[0], 32);
    assert_memory_equal(words + 8, samplers[12].words, 16);
    assert_is_buffer(words + layout->bindings[0].offset_B / 4, buffers[1].va, 64);
    bindings->dirty = 0;
    vk_bindings_flush_push(&cmd.vk, bindings, &cmd.upload);
    assert_int_equal(bindings->dirty, 0);
    /* The second push adds to the first, in other memory: the GPU may not have read that one yet. */
    vk_common_CmdPushDescriptorSetKHR(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_layout, 1, 1, &writes[1]);
    vk_bindings_flush_push(&cmd.vk, bindings, &cmd.upload);
    assert_int_equal(bindings->dirty, 2);
    assert_true(bindings->set_va[1] != first_va);
    assert_is_buffer(uploaded(bindings, 1) + layout->bindings[0].offset_B / 4, buffers[1].va, 64);
    assert_is_buffer(uploaded(bindings, 1) + layout->bindings[1].offset_B / 4, buffers[2].va + 16, 128);
    assert_is_buffer(words + layout->bindings[0].offset_B / 4, buffers[1].va, 64);

    /* A bound set at its number takes its place; another push comes back. */
    VkDescriptorPool pool = make_large_pool(0);
    VkDescriptorSet set = vk_descriptor_set_to_handle(make_set(pool, plain));
    vk_common_CmdPushDescriptorSetKHR(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_layout, 1, 1, &writes[1]);
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_layout, 0, 1, &set, 0, NULL);
    assert_true(bindings->push_dirty);
    vk_common_CmdBindDescriptorSets(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, other_layout, 1, 1, &set, 0, NULL);
    vk_bindings_flush_push(&cmd.vk, bindings, &cmd.upload);
    assert_true(bindings->set_va[1] == vk_descriptor_set_from_handle(set)->va);
    vk_common_CmdPushDescriptorSetKHR(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, other_layout, 1, 1, &writes[3]);
    vk_bindings_flush_push(&cmd.vk, bindings, &cmd.upload);
    assert_memory_equal(uploaded(bindings, 1) + 19 * 8, image_views[5].storage[0], 32);

    /* By template. */
    VkDescriptorUpdateTemplateEntry entry = {.dstBinding = 0,
                                             .descriptorCount = 2,
                                             .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             .stride = sizeof(infos[0])};
    VkDescriptorUpdateTemplateCreateInfo info = vk_struct_init(VkDescriptorUpdateTemplateCreateInfo);
    VkDescriptorUpdateTemplate template;
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
    info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    info.pipelineLayout = pipeline_layout;
    info.set = 1;
    info.descriptorUpdateEntryCount = 1;
    info.pDescriptorUpdateEntries = &entry;
    assert_int_equal(vk_common_CreateDescriptorUpdateTemplate(dev(), &info, NULL, &template), VK_SUCCESS);
    vk_common_CmdPushDescriptorSetWithTemplateKHR(handle, template, pipeline_layout, 1, infos);
    vk_bindings_flush_push(&cmd.vk, bindings, &cmd.upload);
    assert_is_buffer(uploaded(bindings, 1) + layout->bindings[0].offset_B / 4, buffers[1].va, 64);
    assert_is_buffer(uploaded(bindings, 1) + layout->bindings[1].offset_B / 4, buffers[2].va + 16, 128);
    assert_memory_equal(uploaded(bindings, 1) + 8, samplers[12].words, 16);
    assert_int_equal(cmd.vk.result, VK_SUCCESS);
    end_cmd();

    /* Without memory the recording fails and goes on. */
    begin_cmd();
    allocations_left = 0;
    vk_common_CmdPushDescriptorSetWithTemplateKHR(handle, template, pipeline_layout, 1, infos);
    vk_bindings_flush_push(&cmd.vk, bindings, &cmd.upload);
    allocations_left = -1;
    assert_int_equal(cmd.vk.result, VK_ERROR_OUT_OF_HOST_MEMORY);
    end_cmd();
    vk_common_DestroyDescriptorUpdateTemplate(dev(), template, NULL);
    vk_common_DestroyDescriptorPool(dev(), pool, NULL);
    vk_common_DestroyPipelineLayout(dev(), pipeline_layout, NULL);
    vk_common_DestroyPipelineLayout(dev(), other_layout, NULL);
    drop_layout(layout);
    drop_layout(larger);
    drop_layout(plain);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, count_before, nothing_is_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(images_lie_at_multiples_of_32_and_nothing_overlaps),
        TEST(the_order_of_bindings_does_not_matter),
        TEST(immutable_samplers_are_in_the_table_and_in_new_sets),
        TEST(an_image_of_planes_has_a_descriptor_for_each),
        TEST(the_compiler_finds_dynamic_buffers_behind_push_constants),
        TEST(a_variable_binding_is_last_and_as_long_as_the_set_asks),
        TEST(what_is_too_large_is_not_supported),
        TEST(a_mutable_descriptor_is_as_large_as_its_types),
        TEST(sets_lie_where_32_bit_pointers_reach),
        TEST(buffers_are_checked_against_their_range),
        TEST(a_null_view_is_a_null_descriptor),
        TEST(updates_go_on_in_the_next_binding),
        TEST(copies_bring_everything_but_immutable_samplers),
        TEST(a_template_writes_what_plain_writes_do),
        TEST(binding_marks_only_what_changed),
        TEST(dynamic_offsets_move_the_address_and_keep_the_range),
        TEST(pushed_descriptors_stay_until_they_are_pushed_over),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
