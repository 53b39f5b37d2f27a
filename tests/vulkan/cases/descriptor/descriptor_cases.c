/* Descriptors: every type, arrays, sets, dynamic offsets, push descriptors, inline blocks, updates, bounds; and
 * specialization constants. */
#include <string.h>

#include "vt/vt_image.h"

#include "shaders/buffers.h"
#include "shaders/constants.h"
#include "shaders/descriptor.h"
#include "shaders/dynamic.h"
#include "shaders/inline_block.h"
#include "shaders/null_samples.h"
#include "shaders/robust.h"
#include "shaders/textures_constant.h"
#include "shaders/textures_few.h"
#include "shaders/textures_own.h"
#include "shaders/textures_same.h"
#include "shaders/textures_separate_constant.h"
#include "shaders/textures_separate_own.h"
#include "shaders/textures_separate_same.h"

static void expect_word(struct vt *vt, uint32_t got, uint32_t expected, const char *what)
{
    if (got != expected)
        vt_fail(vt, "%s is %u (0x%x), expected %u (0x%x)", what, got, got, expected, expected);
}

static void destroy_set_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorSetLayout(vt->device, (VkDescriptorSetLayout)handle, NULL);
}

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorPool(vt->device, (VkDescriptorPool)handle, NULL);
}

/* An image of one colour, to be sampled. */
static VkImageView colored(struct vt *vt, uint32_t texel)
{
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_R8G8B8A8_UNORM, 4, 4, VK_IMAGE_USAGE_SAMPLED_BIT);
    uint32_t texels[16];
    for (unsigned i = 0; i < 16; i++)
        texels[i] = texel;
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    return vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D);
}

/* Run a pipeline with these sets and dynamic offsets. */
static void run_pipeline(struct vt *vt, struct vt_spirv code, const VkSpecializationInfo *specialization,
                         const struct vt_set *sets, uint32_t count, const uint32_t *offsets, uint32_t offset_count,
                         int32_t push)
{
    VkDescriptorSetLayout layouts[4];
    for (uint32_t i = 0; i < count; i++)
        layouts[i] = sets[i].layout;
    VkPipelineLayout layout = vt_pipeline_layout(vt, layouts, count);
    VkPipeline pipeline = vt_compute_pipeline(vt, code, layout, specialization);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, 4, &push);
    for (uint32_t i = 0; i < count; i++) {
        if (sets[i].set)
            vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, i, 1, &sets[i].set, offset_count,
                                    offsets);
    }
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

enum {
    KINDS = 8
};

/* A descriptor of every kind that compute has, and what the shader leaves. */
struct every_kind {
    struct vt_binding bindings[KINDS];
    struct vt_image storage;
    struct vt_buffer storage_texels, words;
};

static void make_every_kind(struct vt *vt, struct every_kind *out)
{
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    out->storage = vt_image_2d(vt, VK_FORMAT_R32_UINT, 2, 1, VK_IMAGE_USAGE_STORAGE_BIT);
    vt_upload(vt, &out->storage, 0, (uint32_t[]){1, 333}, VK_IMAGE_LAYOUT_GENERAL);
    struct vt_buffer uniform_texels = vt_buffer(vt, 16, (uint32_t[]){0, 0, 444, 0});
    struct vt_buffer uniform = vt_buffer(vt, 16, (uint32_t[]){0, 0, 666, 0});
    out->storage_texels = vt_buffer(vt, 16, (uint32_t[]){0, 0, 0, 555});
    out->words = vt_buffer(vt, 64, NULL);
    ((uint32_t *)out->words.map)[10] = 1010;
    ((uint32_t *)out->words.map)[11] = 1111;
    const struct vt_binding bindings[KINDS] = {
        {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .image = {.sampler = sampler}},
        {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
         .image = {VK_NULL_HANDLE, colored(vt, 0x000000a1), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}},
        VT_SAMPLED(sampler, colored(vt, 0x0000b200)),
        VT_STORAGE_IMAGE(vt_view(vt, &out->storage, VK_IMAGE_VIEW_TYPE_2D)),
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
         .view = vt_buffer_view(vt, &uniform_texels, VK_FORMAT_R32_UINT, 0, VK_WHOLE_SIZE)},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
         .view = vt_buffer_view(vt, &out->storage_texels, VK_FORMAT_R32_UINT, 0, VK_WHOLE_SIZE)},
        VT_UNIFORM_BUFFER(uniform),
        VT_STORAGE_BUFFER(out->words)};
    memcpy(out->bindings, bindings, sizeof(bindings));
}

static void check_every_kind(struct vt *vt, struct every_kind *kinds)
{
    const uint32_t *got = kinds->words.map, *texels = vt_download(vt, &kinds->storage, 0);
    expect_word(vt, got[0], 0xa1, "the sampled image's red");
    expect_word(vt, got[1], 0xb2, "the combined image's green");
    expect_word(vt, got[2], 333, "the storage image's texel");
    expect_word(vt, got[3], 444, "the uniform texel");
    expect_word(vt, got[4], 555, "the storage texel");
    expect_word(vt, got[5], 666, "the uniform word");
    expect_word(vt, texels[0], 1010, "the stored texel of the image");
    expect_word(vt, ((uint32_t *)kinds->storage_texels.map)[1], 1111, "the stored texel of the buffer");
}

static void case_types(struct vt *vt, const void *argument)
{
    struct every_kind kinds;
    make_every_kind(vt, &kinds);
    vt_dispatch(vt, VT_SPIRV(descriptor), NULL, kinds.bindings, KINDS, 1, 1, 1);
    check_every_kind(vt, &kinds);
}

/* An image of samples that is not there: no texels, no samples. */
static void case_null_samples(struct vt *vt, const void *argument)
{
    enum {
        WORDS = 7
    };
    VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &robustness};
    vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!vt->has[VT_ROBUSTNESS2] || !robustness.nullDescriptor)
        vt_skip(vt, "no null descriptors");
    struct vt_buffer results = vt_buffer(vt, WORDS * 4, NULL);
    memset(results.map, 0x77, WORDS * 4);
    const struct vt_binding bindings[] = {VT_STORAGE_BUFFER(results),
                                          {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                          {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}};
    vt_dispatch(vt, VT_SPIRV(null_samples), NULL, bindings, 3, 1, 1, 1);
    const uint32_t expected[WORDS] = {[WORDS - 1] = 1234};
    vt_expect_words(vt, results.map, expected, WORDS, "of what is not there");
}

/* ---- descriptors that become another kind ---- */

/* A set of KINDS mutable descriptors: each may become anything, or one of two kinds. */
static struct vt_set mutable_set(struct vt *vt, const struct every_kind *kinds, bool host_only)
{
    VkDescriptorSetLayoutBinding bindings[KINDS];
    VkMutableDescriptorTypeListEXT lists[KINDS];
    VkDescriptorType any[KINDS], two[KINDS][2];
    for (uint32_t i = 0; i < KINDS; i++) {
        any[i] = two[i][0] = kinds->bindings[i].type;
        two[i][1] = i == KINDS - 1 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        lists[i] =
            i % 3 == 2 ? (VkMutableDescriptorTypeListEXT){KINDS, any} : (VkMutableDescriptorTypeListEXT){2, two[i]};
        bindings[i] =
            (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    }
    VkMutableDescriptorTypeCreateInfoEXT types = {.sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
                                                  .mutableDescriptorTypeListCount = KINDS,
                                                  .pMutableDescriptorTypeLists = lists};
    VkDescriptorSetLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .pNext = &types,
                                              .bindingCount = KINDS,
                                              .pBindings = bindings};
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_MUTABLE_EXT, KINDS};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    layout.flags = host_only ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_HOST_ONLY_POOL_BIT_EXT : 0;
    pool_info.flags = host_only ? VK_DESCRIPTOR_POOL_CREATE_HOST_ONLY_BIT_EXT : 0;
    VkDescriptorSetLayoutSupport support = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
    vkGetDescriptorSetLayoutSupport(vt->device, &layout, &support);
    if (!support.supported && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV lets nothing become a sampler");
    expect_word(vt, support.supported, VK_TRUE, "support of the layout");
    struct vt_set set;
    VkDescriptorPool pool;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &layout, NULL, &set.layout));
    vt_defer(vt, destroy_set_layout, (uint64_t)set.layout);
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &set.layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &allocate, &set.set));
    return set;
}

/* Buffers first, then what the shader wants, in a set of the host's; the other set gets copies. */
static void case_mutable(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_MUTABLE_DESCRIPTOR])
        vt_skip(vt, "no mutable descriptors");
    struct every_kind kinds;
    make_every_kind(vt, &kinds);
    struct vt_set host = mutable_set(vt, &kinds, true), set = mutable_set(vt, &kinds, false);
    for (uint32_t i = 0; i < 2 * KINDS; i++) {
        const struct vt_binding *binding = &kinds.bindings[i % KINDS];
        VkDescriptorBufferInfo first = {kinds.words.buffer, 0, 16};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = host.set,
                                      .dstBinding = i % KINDS,
                                      .descriptorCount = 1,
                                      .descriptorType = binding->type,
                                      .pImageInfo = &binding->image,
                                      .pBufferInfo = &binding->buffer,
                                      .pTexelBufferView = &binding->view};
        if (i < KINDS) {
            write.descriptorType =
                i == KINDS - 1 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            write.pBufferInfo = &first;
        }
        VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                    .srcSet = host.set,
                                    .srcBinding = i % KINDS,
                                    .dstSet = set.set,
                                    .dstBinding = i % KINDS,
                                    .descriptorCount = 1};
        vkUpdateDescriptorSets(vt->device, 1, &write, 1, &copy);
    }
    run_pipeline(vt, VT_SPIRV(descriptor), NULL, &set, 1, NULL, 0, 0);
    check_every_kind(vt, &kinds);
}

/* Arrays in set 0, a result in set 1, nothing in set 2, a binding after unused ones in set 3. */
static void case_arrays(struct vt *vt, const void *argument)
{
    int rotate = *(const int *)argument;
    uint32_t align = 256, data[4 * 64 * 2] = {0}, more[4] = {31, 32, 33, 34};
    for (uint32_t i = 0; i < 4; i++) {
        data[i * 64 + 1] = 100 + i;       /* uniform i, word y */
        data[256 + i * 64 + i] = 200 + i; /* storage i, word i */
    }
    struct vt_buffer buffer = vt_buffer(vt, sizeof(data), data), results = vt_buffer(vt, 64, NULL),
                     last = vt_buffer(vt, sizeof(more), more);
    VkDescriptorBufferInfo uniforms[4], storages[4];
    for (uint32_t i = 0; i < 4; i++) {
        uniforms[i] = (VkDescriptorBufferInfo){buffer.buffer, i * align, 16};
        storages[i] = (VkDescriptorBufferInfo){buffer.buffer, 1024 + i * align, 256};
    }
    struct vt_binding first[] = {{.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 4, .buffers = uniforms},
                                 {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 4, .buffers = storages}};
    struct vt_binding second[] = {VT_STORAGE_BUFFER(results)},
                      fourth[] = {VT_STORAGE_BUFFER(results), VT_UNIFORM_BUFFER(buffer), VT_UNIFORM_BUFFER(last)};
    struct vt_set sets[4] = {vt_set(vt, first, 2),
                             vt_set(vt, second, 1),
                             {vt_set_layout(vt, NULL, 0, 0), VK_NULL_HANDLE},
                             vt_set(vt, fourth, 3)};
    run_pipeline(vt, VT_SPIRV(buffers), VT_CONSTANTS(rotate), sets, 4, NULL, 0, 0);
    const uint32_t *got = results.map, *after = buffer.map;
    for (uint32_t i = 0; i < 4; i++) {
        expect_word(vt, got[i], 100 + ((i + (uint32_t)rotate) & 3), "a word of the uniform array");
        expect_word(vt, got[4 + i], 200 + ((i + (uint32_t)rotate) & 3), "a word of the storage array");
        expect_word(vt, got[8 + i], 31 + i, "a word of set 3");
        expect_word(vt, after[256 + 2 * 64 + 8 + i], 70 + i, "a word stored to element 2");
    }
}

static const int rotations[] = {0, 1, 3};

struct image_array {
    const uint32_t *code;
    size_t code_B;
    int kind, shift;
};

static void case_image_array(struct vt *vt, const void *argument)
{
    const struct image_array *test = argument;
    if (test->kind == 1 && !vt->features.features.shaderSampledImageArrayDynamicIndexing)
        vt_skip(vt, "no shaderSampledImageArrayDynamicIndexing");
    if (test->kind == 2 && !vt->features12.shaderSampledImageArrayNonUniformIndexing)
        vt_skip(vt, "no shaderSampledImageArrayNonUniformIndexing");
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    VkDescriptorImageInfo images[8];
    for (uint32_t i = 0; i < 8; i++)
        images[i] = (VkDescriptorImageInfo){sampler, colored(vt, (i + 1) * 0x05040302),
                                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    struct vt_buffer results = vt_buffer(vt, 8 * 16, NULL);
    struct vt_binding bindings[] = {{.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .count = 8, .images = images},
                                    VT_STORAGE_BUFFER(results)};
    struct vt_set set = vt_set(vt, bindings, 2);
    run_pipeline(vt, (struct vt_spirv){test->code, test->code_B}, NULL, &set, 1, NULL, 0, test->shift);
    for (uint32_t k = 0; k < 8; k++) {
        if (test->kind == 0 && k != 0 && k != 3 && k != 7)
            continue;
        uint32_t image = test->kind == 0 ? k : (k * (test->kind == 2 ? 5 : 1) + (uint32_t)test->shift) & 7;
        for (uint32_t c = 0; c < 4; c++)
            expect_word(vt, (uint32_t)(((float *)results.map)[4 * k + c] * 255 + 0.5f), (image + 1) * (c + 2),
                        "a component of an image");
    }
}

#define CODE(name) name, sizeof(name)
static const struct image_array image_arrays[] = {{CODE(textures_constant), 0, 0},
                                                  {CODE(textures_same), 1, 3},
                                                  {CODE(textures_own), 2, 0},
                                                  {CODE(textures_own), 2, 6},
                                                  {CODE(textures_separate_constant), 0, 0},
                                                  {CODE(textures_separate_same), 1, 3},
                                                  {CODE(textures_separate_own), 2, 0}};

/* Of eight images three are there; they change between binding and submission. */
static void case_after_bind(struct vt *vt, const void *argument)
{
    if (!vt->features12.descriptorBindingPartiallyBound ||
        !vt->features12.descriptorBindingSampledImageUpdateAfterBind ||
        !vt->features12.shaderSampledImageArrayNonUniformIndexing)
        vt_skip(vt, "no partially bound images, or no updates after binding");
    struct vt_buffer results = vt_buffer(vt, 8 * 16, NULL);
    VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 8, VK_SHADER_STAGE_ALL, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL}};
    VkDescriptorBindingFlags flags[2] = {
        VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT, 0};
    VkDescriptorSetLayoutBindingFlagsCreateInfo flag_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 2,
        .pBindingFlags = flags};
    VkDescriptorSetLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                   .pNext = &flag_info,
                                                   .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                                                   .bindingCount = 2,
                                                   .pBindings = bindings};
    VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 8},
                                     {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
                                            .maxSets = 1,
                                            .poolSizeCount = 2,
                                            .pPoolSizes = sizes};
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &layout_info, NULL, &set_layout));
    vt_defer(vt, destroy_set_layout, (uint64_t)set_layout);
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &set_layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &allocate, &set));
    VkDescriptorBufferInfo buffer = {results.buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .dstBinding = 1,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(vt->device, 1, &write, 0, NULL);

    VkPipelineLayout layout = vt_pipeline_layout(vt, &set_layout, 1);
    VkPipeline pipeline = vt_compute_pipeline(vt, VT_SPIRV(textures_few), layout, NULL);
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    static const uint32_t bound[3] = {1, 3, 6};
    VkImageView rounds[2][3];
    for (uint32_t i = 0; i < 6; i++)
        rounds[i / 3][i % 3] = colored(vt, (i + 1) * 0x05040302);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t i = 0; i < 6; i++) { /* the last ones count */
        VkDescriptorImageInfo image = {sampler, rounds[i / 3][i % 3], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        VkWriteDescriptorSet update = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .dstArrayElement = bound[i % 3],
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                       .pImageInfo = &image};
        vkUpdateDescriptorSets(vt->device, 1, &update, 0, NULL);
        if (i == 2) {
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
            vkCmdDispatch(commands, 1, 1, 1);
            vt_full_barrier(commands);
        }
    }
    vt_submit(vt, commands);
    for (uint32_t k = 0; k < 8; k++) {
        for (uint32_t c = 0; c < 4; c++)
            expect_word(vt, (uint32_t)(((float *)results.map)[4 * k + c] * 255 + 0.5f), (3 + k % 3 + 1) * (c + 2),
                        "a component of an image");
    }
}

static void case_dynamic(struct vt *vt, const void *argument)
{
    uint32_t data[512];
    for (uint32_t i = 0; i < 512; i++)
        data[i] = 5000 + i;
    struct vt_buffer buffer = vt_buffer(vt, sizeof(data), data), results = vt_buffer(vt, 16, NULL);
    struct vt_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, .buffer = {buffer.buffer, 0, 16}},
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, .buffer = {buffer.buffer, 256, 16}},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, .buffer = {buffer.buffer, 256, 16}},
        VT_STORAGE_BUFFER(results)};
    struct vt_set set = vt_set(vt, bindings, 4);
    static const uint32_t offsets[][3] = {{0, 0, 0}, {256, 1024, 512}, {1280, 0, 1536}};
    for (unsigned i = 0; i < 3; i++) {
        run_pipeline(vt, VT_SPIRV(dynamic), NULL, &set, 1, offsets[i], 3, 0);
        const uint32_t *got = results.map;
        expect_word(vt, got[0], 5000 + offsets[i][0] / 4, "the first uniform word");
        expect_word(vt, got[1], 5000 + (256 + offsets[i][1]) / 4 + 3, "the second uniform word");
        expect_word(vt, got[2], 5000 + (256 + offsets[i][2]) / 4 + 1, "the storage word");
        expect_word(vt, ((uint32_t *)buffer.map)[(256 + offsets[i][2]) / 4 + 2], 4711, "the stored word");
    }
}

static void case_push_descriptor(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_PUSH_DESCRIPTOR])
        vt_skip(vt, "no VK_KHR_push_descriptor");
    PFN_vkCmdPushDescriptorSetKHR push =
        (PFN_vkCmdPushDescriptorSetKHR)(void *)vkGetDeviceProcAddr(vt->device, "vkCmdPushDescriptorSetKHR");
    uint32_t data[256];
    for (uint32_t i = 0; i < 256; i++)
        data[i] = 9000 + i;
    struct vt_buffer buffer = vt_buffer(vt, sizeof(data), data), results = vt_buffer(vt, 512, NULL);
    struct vt_binding bindings[] = {VT_UNIFORM_BUFFER(buffer), VT_UNIFORM_BUFFER(buffer), VT_STORAGE_BUFFER(buffer),
                                    VT_STORAGE_BUFFER(results)};
    VkDescriptorSetLayout set_layout =
        vt_set_layout(vt, bindings, 4, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set_layout, 1);
    VkPipeline pipeline = vt_compute_pipeline(vt, VT_SPIRV(dynamic), layout, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    for (uint32_t round = 0; round < 2; round++) { /* the second time only two of them change */
        VkDescriptorBufferInfo infos[4] = {{buffer.buffer, 256 * round, 16},
                                           {buffer.buffer, 512, 16},
                                           {buffer.buffer, 768, 16},
                                           {results.buffer, 256 * round, 16}};
        for (uint32_t i = 0; i < 4; i++) {
            VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstBinding = i,
                                          .descriptorCount = 1,
                                          .descriptorType = bindings[i].type,
                                          .pBufferInfo = &infos[i]};
            if (round == 0 || i == 0 || i == 3)
                push(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &write);
        }
        vkCmdDispatch(commands, 1, 1, 1);
        vt_full_barrier(commands);
    }
    vt_submit(vt, commands);
    for (uint32_t round = 0; round < 2; round++) {
        const uint32_t *got = (uint32_t *)results.map + 64 * round;
        expect_word(vt, got[0], 9000 + 64 * round, "the first uniform word");
        expect_word(vt, got[1], 9000 + 128 + 3, "the second uniform word");
        expect_word(vt, got[2], 9000 + 192 + 1, "the storage word");
    }
}

static void case_inline(struct vt *vt, const void *argument)
{
    if (!vt->features13.inlineUniformBlock)
        vt_skip(vt, "no inlineUniformBlock");
    uint32_t data[16];
    for (uint32_t i = 0; i < 16; i++)
        data[i] = 600 + i;
    struct vt_buffer results = vt_buffer(vt, 48, NULL);
    struct vt_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, .count = sizeof(data), .inline_data = data},
        VT_STORAGE_BUFFER(results)};
    struct vt_set set = vt_set(vt, bindings, 2);
    run_pipeline(vt, VT_SPIRV(inline_block), NULL, &set, 1, NULL, 0, 2);
    for (uint32_t i = 0; i < 12; i++)
        expect_word(vt, ((uint32_t *)results.map)[i], 600 + i % 4 + (i < 4 ? 0 : i < 8 ? 12 : 8), "an inline word");
}

/* A set copied from another, and an update between two uses. */
static void case_update(struct vt *vt, const void *argument)
{
    struct vt_buffer a = vt_buffer(vt, 64, (uint32_t[16]){1, 2, 3, 4}),
                     b = vt_buffer(vt, 64, (uint32_t[16]){10, 20, 30, 40}), results = vt_buffer(vt, 16, NULL);
    struct vt_binding bindings[] = {VT_UNIFORM_BUFFER(a), VT_UNIFORM_BUFFER(a), VT_STORAGE_BUFFER(a),
                                    VT_STORAGE_BUFFER(results)};
    struct vt_binding others[] = {VT_UNIFORM_BUFFER(b), VT_UNIFORM_BUFFER(b), VT_STORAGE_BUFFER(b),
                                  VT_STORAGE_BUFFER(results)};
    struct vt_set set = vt_set(vt, bindings, 4), other = vt_set(vt, others, 4);
    run_pipeline(vt, VT_SPIRV(dynamic), NULL, &set, 1, NULL, 0, 0);
    expect_word(vt, ((uint32_t *)results.map)[1], 4, "before the update");
    VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                .srcSet = other.set,
                                .srcBinding = 1,
                                .dstSet = set.set,
                                .dstBinding = 1,
                                .descriptorCount = 1};
    vkUpdateDescriptorSets(vt->device, 0, NULL, 1, &copy);
    run_pipeline(vt, VT_SPIRV(dynamic), NULL, &set, 1, NULL, 0, 0);
    expect_word(vt, ((uint32_t *)results.map)[0], 1, "what was not copied");
    expect_word(vt, ((uint32_t *)results.map)[1], 40, "what was copied");
}

/* ---- bounds ---- */

/* Buffers of 256 bytes in the middle of larger ones. Beyond them reads give zero and writes do nothing
 * (robustBufferAccess2). */
static void case_robust(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_ROBUSTNESS2])
        vt_skip(vt, "no VK_EXT_robustness2");
    uint32_t first = *(const uint32_t *)argument, data[1024];
    for (uint32_t i = 0; i < 1024; i++)
        data[i] = 0x10000 + i;
    struct vt_buffer storage = vt_buffer(vt, sizeof(data), data), uniform = vt_buffer(vt, sizeof(data), data),
                     results = vt_buffer(vt, 1024, NULL);
    struct vt_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = {storage.buffer, 256, 256}},
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .buffer = {uniform.buffer, 256, 256}},
        VT_STORAGE_BUFFER(results),
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
         .view = vt_buffer_view(vt, &uniform, VK_FORMAT_R32_UINT, 256, 256)},
    };
    struct vt_set set = vt_set(vt, bindings, 4);
    run_pipeline(vt, VT_SPIRV(robust), NULL, &set, 1, NULL, 0, (int32_t)first);
    const uint32_t *got = results.map;
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t at = first + 4 * i;
        expect_word(vt, got[i], at < 64 ? data[64 + at] : 0, "a storage word");
        expect_word(vt, got[64 + i], (at & 255) < 16 ? data[64 + 4 * (at & 255)] : 0, "a uniform word");
        expect_word(vt, got[128 + i], at < 64 ? data[64 + at] : 0, "a texel");
        expect_word(vt, got[192 + i], 64, "the length");
    }
    for (uint32_t i = 0; i < 1024; i++) {
        bool written = i >= 64 && i < 128 && i - 64 >= first && (i - 64 - first) % 4 == 0;
        expect_word(vt, ((uint32_t *)storage.map)[i], written ? 99 : data[i],
                    "a word of the storage buffer afterwards");
    }
}

static const uint32_t firsts[] = {0, 50, 0x10000000, 0x7fffff00, 0xffffff00};

/* ---- specialization ---- */

static void case_constants(struct vt *vt, const void *argument)
{
    bool given = argument != NULL;
    struct {
        uint32_t a_bool;
        int32_t an_int;
        float a_float;
        uint32_t size, x, y;
    } data = {1, -77, 21.25f, 10, 8, 4};
    VkSpecializationMapEntry entries[6];
    for (uint32_t i = 0; i < 6; i++)
        entries[i] = (VkSpecializationMapEntry){i, 4 * i, 4};
    VkSpecializationInfo info = {6, entries, sizeof(data), &data};
    struct vt_buffer results = vt_buffer(vt, 64, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(results)};
    if (!given) { /* only the size of the workgroup: the others keep what the shader says */
        info.mapEntryCount = 2;
        info.pMapEntries = entries + 4;
    }
    vt_dispatch(vt, VT_SPIRV(constants), &info, bindings, 1, 1, 1, 1);
    const uint32_t *got = results.map;
    float doubled = given ? 42.5f : 1;
    uint32_t bits;
    memcpy(&bits, &doubled, sizeof(bits));
    expect_word(vt, got[0], given, "the bool");
    expect_word(vt, got[1], given ? (uint32_t)-77 : UINT32_MAX, "the int");
    expect_word(vt, got[2], bits, "the float");
    expect_word(vt, got[3], given ? 81 : 1, "the last element");
    expect_word(vt, got[4], 8, "the workgroup's x");
    expect_word(vt, got[5], 4, "the workgroup's y");
    expect_word(vt, got[6], 32, "the number of invocations");
}

const struct vt_case vt_descriptor_cases[] = {
    {"types", case_types, NULL},
    {"null images of samples", case_null_samples, NULL},
    {"types that change", case_mutable, NULL},
    {"arrays and sets", case_arrays, &rotations[0]},
    {"arrays by another index", case_arrays, &rotations[1]},
    {"arrays by a third index", case_arrays, &rotations[2]},
    {"images by constant index", case_image_array, &image_arrays[0]},
    {"images by uniform index", case_image_array, &image_arrays[1]},
    {"images by own index", case_image_array, &image_arrays[2]},
    {"images by shifted index", case_image_array, &image_arrays[3]},
    {"samplers apart from images by constant index", case_image_array, &image_arrays[4]},
    {"samplers apart from images by uniform index", case_image_array, &image_arrays[5]},
    {"samplers apart from images by own index", case_image_array, &image_arrays[6]},
    {"images updated after binding", case_after_bind, NULL},
    {"dynamic offsets", case_dynamic, NULL},
    {"push descriptors", case_push_descriptor, NULL},
    {"inline block", case_inline, NULL},
    {"update and copy", case_update, NULL},
    {"bounds within", case_robust, &firsts[0]},
    {"bounds across", case_robust, &firsts[1]},
    {"bounds far beyond", case_robust, &firsts[2]},
    {"bounds at 2^31", case_robust, &firsts[3]},
    {"bounds at 2^32", case_robust, &firsts[4]},
    {"constants given", case_constants, vt_descriptor_cases},
    {"constants by default", case_constants, NULL},
};
const size_t vt_descriptor_count = COUNT_OF(vt_descriptor_cases);
