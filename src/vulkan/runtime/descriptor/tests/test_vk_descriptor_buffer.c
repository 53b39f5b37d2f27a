/* Descriptor buffers with a made-up family, whose descriptors are a tag and what was written: places in memory, single
 * descriptors beside what updates of sets write, what commands bind, and which memory such buffers may have. */
#include "vulkan/runtime/descriptor/tests/descriptor_test.h"

#include "util/format/format.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/descriptor/vk_push_set.h"
#include "vulkan/runtime/descriptor/vk_sampler.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/memory/vk_buffer.h"

#define IMAGE_B 32
#define BUFFER_B 16
#define IN_BUFFER VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT

static struct vk_physical_device physical;
static struct vk_device device;

static VkDevice dev(void)
{
    return vk_device_to_handle(&device);
}

static void put_tag(uint32_t *out, uint32_t tag, uint64_t value)
{
    out[0] = 0x7a900000u | tag;
    out[1] = (uint32_t)value;
}

static void write_samplers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor ()
        put_tag(out, 0, (uintptr_t)((const VkDescriptorImageInfo *)src)->sampler);
}

static void write_images(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                         const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor ()
        put_tag(out, 1, (uintptr_t)((const VkDescriptorImageInfo *)src)->imageView);
}

static void write_combined(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    for (unsigned plane = 0; plane < binding->planes; plane++)
        write_images(out + plane * IMAGE_B / 4, out_stride, src, src_stride_B, count, binding);
    if (binding->sampler_index == VK_NO_SAMPLER)
        write_samplers(out + binding->sampler_offset_B / 4, out_stride, src, src_stride_B, count, binding);
}

static void write_texels(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                         const struct vk_descriptor_binding *binding)
{
    put_tag(out, 2, 0);
}

static void write_buffers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                          const struct vk_descriptor_binding *binding)
{
    put_tag(out, 3, 0);
}

static void write_address(VkDescriptorType type, const VkDescriptorAddressInfoEXT *info, uint32_t *out)
{
    put_tag(out, 0x100 + type, info->address);
    out[2] = (uint32_t)info->range;
    out[3] = info->format;
}

static void write_inline_header(uint64_t va, uint32_t size_B, uint32_t *out)
{
    put_tag(out, 5, va);
}

static const struct vk_descriptor_ops family = {
    .size_B = {16, 0, IMAGE_B, IMAGE_B, BUFFER_B, BUFFER_B, BUFFER_B, BUFFER_B, BUFFER_B, BUFFER_B, IMAGE_B},
    .inline_header_B = 16,
    .inline_align_B = 16,
    .set_align_B = 32,
    .max_set_B = 1u << 24,
    .max_descriptors = 1u << 16,
    .max_dynamic = 64,
    .max_inline_B = 1u << 16,
    .write = {write_samplers, write_combined, write_images, write_images, write_texels, write_texels, write_buffers,
              write_buffers, write_buffers, write_buffers, write_images},
    .write_address = write_address,
    .write_inline_header = write_inline_header,
};

static int setup(void **state)
{
    memset(&device, 0, sizeof(device));
    device.alloc = counted;
    device.descriptors = &family;
    device.physical = &physical;
    vk_object_base_init(&device.base, &device, VK_OBJECT_TYPE_DEVICE);
    vk_object_base_init(&physical.base, NULL, VK_OBJECT_TYPE_PHYSICAL_DEVICE);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(live_allocations, 0);
    return 0;
}

static VkDeviceSize size_of(const struct vk_descriptor_set_layout *layout)
{
    VkDeviceSize size_B;
    vk_common_GetDescriptorSetLayoutSizeEXT(
        dev(), vk_descriptor_set_layout_to_handle((struct vk_descriptor_set_layout *)layout), &size_B);
    return size_B;
}

static VkDeviceSize offset_of(struct vk_descriptor_set_layout *layout, uint32_t binding)
{
    VkDeviceSize offset_B;
    vk_common_GetDescriptorSetLayoutBindingOffsetEXT(dev(), vk_descriptor_set_layout_to_handle(layout), binding,
                                                     &offset_B);
    return offset_B;
}

/* ---- places ---- */

/* A block's bytes are where the application is told, with nothing before them. */
static void inline_blocks_have_no_header(void **state)
{
    const VkDescriptorSetLayoutBinding bindings[] = {BINDING(0, INLINE_UNIFORM_BLOCK, 20),
                                                     BINDING(1, INLINE_UNIFORM_BLOCK, 64)};
    struct vk_descriptor_set_layout *plain = make_layout_with(NULL, 0, bindings, 2),
                                    *layout = make_layout_with(NULL, IN_BUFFER, bindings, 2);
    assert_int_equal(offset_of(layout, 0), 0);
    assert_int_equal(offset_of(layout, 1), 32);
    assert_int_equal(size_of(layout), 96);
    assert_int_equal(vk_descriptor_set_layout_size_B(plain, 0), 128);
    assert_memory_not_equal(plain->hash, layout->hash, VK_HASH_SIZE_B);
    drop_layout(plain);
    drop_layout(layout);
}

/* The size is that of the most elements; fewer end where the size of a descriptor says. */
static void variable_counts_come_last(void **state)
{
    VkDescriptorBindingFlags flags[2] = {VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT, 0};
    VkDescriptorSetLayoutBindingFlagsCreateInfo more = vk_struct_init(VkDescriptorSetLayoutBindingFlagsCreateInfo);
    more.bindingCount = 2;
    more.pBindingFlags = flags;
    const VkDescriptorSetLayoutBinding bindings[] = {BINDING(0, UNIFORM_BUFFER, 1000), BINDING(1, SAMPLED_IMAGE, 3)};
    struct vk_descriptor_set_layout *layout = make_layout_with(&more, IN_BUFFER, bindings, 2);
    assert_int_equal(offset_of(layout, 1), 0);
    assert_int_equal(offset_of(layout, 0), 96);
    assert_int_equal(size_of(layout), 96 + 16000);
    drop_layout(layout);
}

/* As many descriptors of an image with its sampler as Vulkan says that the format takes. */
static void planes_take_whole_descriptors(void **state)
{
    static struct vk_ycbcr_conversion conversion;
    static struct vk_sampler sampler = {.ycbcr = &conversion};
    conversion.format_info = format_info((enum format)VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM);
    VkSampler handles[2] = {vk_sampler_to_handle(&sampler), vk_sampler_to_handle(&sampler)};
    const VkDescriptorSetLayoutBinding binding = BINDING(0, COMBINED_IMAGE_SAMPLER, 2, .pImmutableSamplers = handles);
    struct vk_descriptor_set_layout *plain = make_layout_with(NULL, 0, &binding, 1),
                                    *layout = make_layout_with(NULL, IN_BUFFER, &binding, 1);
    assert_int_equal(plain->bindings[0].stride_B, 4 * IMAGE_B);
    assert_int_equal(layout->bindings[0].stride_B, 3 * 64);
    assert_int_equal(layout->bindings[0].sampler_offset_B, 3 * IMAGE_B);
    assert_int_equal(size_of(layout), 2 * 3 * 64);

    uint32_t words[3 * 16] = {0};
    const VkDescriptorImageInfo image = {handles[0], (VkImageView)(uintptr_t)77, VK_IMAGE_LAYOUT_GENERAL};
    VkDescriptorGetInfoEXT info = vk_struct_init(VkDescriptorGetInfoEXT);
    info.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    info.data.pCombinedImageSampler = &image;
    vk_common_GetDescriptorEXT(dev(), &info, sizeof(words), words);
    for (unsigned plane = 0; plane < 3; plane++)
        assert_int_equal(words[plane * 8 + 1], 77);
    assert_int_equal(words[3 * 8], 0x7a900000u);
    drop_layout(plain);
    drop_layout(layout);
}

static bool supports_types(const VkDescriptorType *types, uint32_t count, VkDescriptorSetLayoutCreateFlags flags)
{
    VkMutableDescriptorTypeCreateInfoEXT mutable = vk_struct_init(VkMutableDescriptorTypeCreateInfoEXT);
    const VkMutableDescriptorTypeListEXT list = {count, types};
    mutable.mutableDescriptorTypeListCount = 1;
    mutable.pMutableDescriptorTypeLists = &list;
    const VkDescriptorSetLayoutBinding binding = BINDING(0, MUTABLE_EXT, 1);
    VkDescriptorSetLayoutCreateInfo info = vk_struct_init(VkDescriptorSetLayoutCreateInfo);
    info.pNext = &mutable;
    info.flags = flags;
    info.bindingCount = 1;
    info.pBindings = &binding;
    VkDescriptorSetLayoutSupport support = vk_struct_init(VkDescriptorSetLayoutSupport);
    vk_common_GetDescriptorSetLayoutSupport(dev(), &info, &support);
    VkDescriptorSetLayout layout;
    VkResult result = vk_common_CreateDescriptorSetLayout(dev(), &info, NULL, &layout);
    assert_int_equal(result == VK_SUCCESS, support.supported);
    if (result == VK_SUCCESS)
        vk_common_DestroyDescriptorSetLayout(dev(), layout, NULL);
    return support.supported;
}

static void samplers_have_one_place(void **state)
{
    const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                      VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE};
    assert_true(supports_types(types, 3, 0));
    assert_false(supports_types(types, 3, IN_BUFFER));
    assert_true(supports_types(types + 1, 2, IN_BUFFER));
    assert_true(supports_types(types, 1, IN_BUFFER));
}

/* ---- descriptors ---- */

static void get_descriptor(VkDescriptorType type, const void *data, size_t size_B, void *out)
{
    VkDescriptorGetInfoEXT info = vk_struct_init(VkDescriptorGetInfoEXT);
    info.type = type;
    info.data.pUniformBuffer = data;
    vk_common_GetDescriptorEXT(dev(), &info, size_B, out);
}

static void descriptors_are_the_familys(void **state)
{
    uint32_t words[5] = {0};
    char odd[21];
    VkSampler sampler = (VkSampler)(uintptr_t)0x1230;
    get_descriptor(VK_DESCRIPTOR_TYPE_SAMPLER, &sampler, 16, words);
    assert_int_equal(words[1], 0x1230);
    VkDescriptorImageInfo image = {VK_NULL_HANDLE, (VkImageView)(uintptr_t)0x4560, VK_IMAGE_LAYOUT_UNDEFINED};
    get_descriptor(VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &image, 16, words);
    assert_int_equal(words[0], 0x7a900001);
    assert_int_equal(words[1], 0x4560);
    VkDescriptorAddressInfoEXT address = vk_struct_init(VkDescriptorAddressInfoEXT);
    address.address = 0x78900;
    address.range = 99;
    address.format = VK_FORMAT_R8_UINT;
    for (VkDescriptorType type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER; type <= VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
         type++) {
        words[4] = 0xaaaaaaaa;
        get_descriptor(type, &address, 16, words);
        assert_int_equal(words[0], 0x7a900100 + type);
        assert_int_equal(words[1], 0x78900);
        assert_int_equal(words[2], 99);
        assert_int_equal(words[3], VK_FORMAT_R8_UINT);
        assert_int_equal(words[4], 0xaaaaaaaa);
        get_descriptor(type, &address, 16, odd + 1);
        assert_memory_equal(odd + 1, words, 16);
    }
}

static void nothing_is_a_null_descriptor(void **state)
{
    uint32_t words[8];
    VkDescriptorAddressInfoEXT address = vk_struct_init(VkDescriptorAddressInfoEXT);
    get_descriptor(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, NULL, 16, words);
    assert_int_equal(words[0], 0x7a900003);
    get_descriptor(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &address, 16, words);
    assert_int_equal(words[0], 0x7a900003);
    get_descriptor(VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, NULL, 16, words);
    assert_int_equal(words[0], 0x7a900002);
    get_descriptor(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, NULL, 32, words);
    assert_int_equal(words[0], 0x7a900001);
    assert_int_equal(words[1], 0);
}

/* ---- commands ---- */

static void commands_bind_addresses(void **state)
{
    static struct vk_recording recording;
    struct vk_command_buffer cmd = {.rec = &recording};
    static struct vk_push_set push = {.number = 2};
    memset(&recording, 0, sizeof(recording));
    VkCommandBuffer handle = vk_command_buffer_to_handle(&cmd);
    const VkDescriptorBufferBindingInfoEXT infos[2] = {{.address = 0x10000}, {.address = 0x20000}};
    struct vk_bindings *compute = &recording.bindings[VK_BIND_COMPUTE],
                       *graphics = &recording.bindings[VK_BIND_GRAPHICS];
    vk_common_CmdBindDescriptorBuffersEXT(handle, 2, infos);
    vk_common_CmdSetDescriptorBufferOffsetsEXT(handle, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE, 1, 2,
                                               (const uint32_t[]){1, 0}, (const VkDeviceSize[]){32, 64});
    assert_int_equal(compute->valid, 6);
    assert_int_equal(compute->dirty, 6);
    assert_int_equal(compute->set_va[1], 0x20020);
    assert_int_equal(compute->set_va[2], 0x10040);
    assert_int_equal(graphics->valid, 0);

    /* An equal bind changes nothing; buffers that are bound later are for offsets that follow. */
    compute->dirty = 0;
    vk_common_CmdBindDescriptorBuffersEXT(handle, 1, &infos[1]);
    assert_int_equal(compute->set_va[2], 0x10040);
    vk_common_CmdSetDescriptorBufferOffsetsEXT(handle, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE, 1, 1,
                                               (const uint32_t[]){0}, (const VkDeviceSize[]){32});
    assert_int_equal(compute->dirty, 0);

    /* Descriptors that were pushed and not used are gone where something else is bound, and there alone. */
    compute->push_set = &push;
    compute->push_dirty = true;
    vk_common_CmdBindDescriptorBufferEmbeddedSamplersEXT(handle, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE, 3);
    assert_true(compute->push_dirty);
    vk_common_CmdSetDescriptorBufferOffsetsEXT(handle, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE, 2, 1,
                                               (const uint32_t[]){0}, (const VkDeviceSize[]){0});
    assert_false(compute->push_dirty);
    assert_int_equal(compute->set_va[2], 0x20000);
}

/* ---- memory ---- */

static uint32_t types_for(VkBufferUsageFlags usage)
{
    VkBufferCreateInfo create = vk_struct_init(VkBufferCreateInfo);
    create.size = 100;
    create.usage = usage;
    VkDeviceBufferMemoryRequirements question = vk_struct_init(VkDeviceBufferMemoryRequirements);
    question.pCreateInfo = &create;
    VkMemoryRequirements2 needs = vk_struct_init(VkMemoryRequirements2);
    vk_common_GetDeviceBufferMemoryRequirements(dev(), &question, &needs);
    return needs.memoryRequirements.memoryTypeBits;
}

static void buffers_have_their_own_memory(void **state)
{
    physical = (struct vk_physical_device){.base = physical.base, .plain_types = 5, .buffer_align_B = 16};
    assert_int_equal(types_for(VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT), 5);
    physical.descriptor_types = 10;
    assert_int_equal(types_for(VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT), 10);
    assert_int_equal(types_for(VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT), 10);
    assert_int_equal(types_for(VK_BUFFER_USAGE_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_BIT_EXT), 10);
    assert_int_equal(types_for(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT), 5);

    VkBufferUsageFlags2CreateInfoKHR wide = vk_struct_init(VkBufferUsageFlags2CreateInfoKHR);
    wide.usage = VK_BUFFER_USAGE_2_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT;
    VkPhysicalDeviceExternalBufferInfo outside = vk_struct_init(VkPhysicalDeviceExternalBufferInfo);
    outside.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalBufferProperties properties = vk_struct_init(VkExternalBufferProperties);
    vk_common_GetPhysicalDeviceExternalBufferProperties(vk_physical_device_to_handle(&physical), &outside, &properties);
    assert_int_not_equal(properties.externalMemoryProperties.externalMemoryFeatures, 0);
    outside.pNext = &wide;
    vk_common_GetPhysicalDeviceExternalBufferProperties(vk_physical_device_to_handle(&physical), &outside, &properties);
    assert_int_equal(properties.externalMemoryProperties.externalMemoryFeatures, 0);
}

/* Host memory that is not there is an error and nothing else. */
static void layouts_may_fail(void **state)
{
    const VkDescriptorSetLayoutBinding binding = BINDING(0, INLINE_UNIFORM_BLOCK, 64);
    VkDescriptorSetLayoutCreateInfo info = vk_struct_init(VkDescriptorSetLayoutCreateInfo);
    info.flags = IN_BUFFER;
    info.bindingCount = 1;
    info.pBindings = &binding;
    VkDescriptorSetLayout layout;
    allocations_left = 0;
    assert_int_equal(vk_common_CreateDescriptorSetLayout(dev(), &info, NULL, &layout), VK_ERROR_OUT_OF_HOST_MEMORY);
    allocations_left = -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(inline_blocks_have_no_header), TEST(variable_counts_come_last),     TEST(planes_take_whole_descriptors),
        TEST(samplers_have_one_place),      TEST(descriptors_are_the_familys),   TEST(nothing_is_a_null_descriptor),
        TEST(commands_bind_addresses),      TEST(buffers_have_their_own_memory), TEST(layouts_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
