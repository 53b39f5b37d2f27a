/* Abilities that features give compute shaders: narrow numbers in blocks, shared memory that is laid out or begins
 * with zeros, images without a format, of many samples, with atomics on floats, and arrays of descriptors by any
 * index. */
#include <string.h>

#include "vt/vt_image.h"

#include "shaders/formatless.h"
#include "shaders/image_float_atomics.h"
#include "shaders/image_samples.h"
#include "shaders/indexed.h"
#include "shaders/indexed_own.h"
#include "shaders/many.h"
#include "shaders/narrow_blocks.h"
#include "shaders/narrow_blocks_own.h"
#include "shaders/shared_int64.h"
#include "shaders/shared_layout.h"
#include "shaders/zero_shared.h"
#include "shaders/zero_shared_dirt.h"

static uint32_t bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

/* ---- narrow numbers ---- */

struct narrow_push {
    uint8_t bytes[16];
    int16_t shorts[16];
    uint16_t halves[16];
};

/* Elements of arrays in uniform blocks stand 16 bytes apart. */
struct narrow_block {
    struct {
        int8_t bytes[4], unused[12];
    } bytes[16];
    struct {
        uint16_t shorts[2], unused[6];
    } shorts[16];
    struct {
        uint16_t halves[4], unused[4];
    } halves[16];
};

static void case_narrow_blocks(struct vt *vt, const void *argument)
{
    bool own = argument != NULL; /* an index of each invocation's own */
    if (own && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV 22.3 reads the first byte of a word of push constants");
    if (!vt->features11.storagePushConstant16 || !vt->features12.storagePushConstant8 ||
        !vt->features11.uniformAndStorageBuffer16BitAccess || !vt->features12.uniformAndStorageBuffer8BitAccess ||
        !vt->features12.shaderInt8 || !vt->features12.shaderFloat16 || !vt->features.features.shaderInt16)
        vt_skip(vt, "no narrow numbers in blocks");
    struct narrow_push push;
    struct narrow_block block;
    uint64_t seed = 11;
    memset(&block, 0x99, sizeof(block));
    for (unsigned i = 0; i < 16; i++) {
        push.bytes[i] = (uint8_t)vt_random(&seed);
        push.shorts[i] = (int16_t)vt_random(&seed);
        push.halves[i] = vt_half_bits((int)i * 3 - 20);
        for (unsigned c = 0; c < 4; c++) {
            block.bytes[i].bytes[c] = (int8_t)vt_random(&seed);
            block.shorts[i].shorts[c & 1] = (uint16_t)vt_random(&seed);
            block.halves[i].halves[c] = vt_half_bits((int)(i * 4 + c) * 7 - 100);
        }
    }
    struct vt_buffer uniform = vt_buffer(vt, sizeof(block), &block), results = vt_buffer(vt, 16 * 32, NULL);
    struct vt_binding bindings[] = {VT_UNIFORM_BUFFER(uniform), VT_STORAGE_BUFFER(results)};
    struct vt_set set = vt_set(vt, bindings, 2);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkPipeline pipeline =
        vt_compute_pipeline(vt, own ? VT_SPIRV(narrow_blocks_own) : VT_SPIRV(narrow_blocks), layout, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof(push), &push);
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t expected[16][8];
    for (unsigned i = 0; i < 16; i++) {
        uint32_t *e = expected[i];
        e[0] = push.bytes[i] + 256u * push.bytes[3];
        e[1] = (uint32_t)(push.shorts[i] + 3 * push.shorts[5]);
        e[2] = bits((float)((int)i * 3 - 20 + (7 * 3 - 20)));
        e[3] = (uint32_t)(block.bytes[i].bytes[2] - block.bytes[i].bytes[0]);
        e[4] = block.shorts[i].shorts[1] * 65536u + block.shorts[15 - i].shorts[0];
        e[5] = bits((float)((int)(i * 4 + 3) * 7 - 100));
        e[6] = bits((float)((2 * 4 + 1) * 7 - 100));
        e[7] = (uint32_t)(int8_t)(block.bytes[9].bytes[3] * push.bytes[i]);
    }
    vt_expect_words(vt, results.map, expected[0], 16 * 8, "narrow numbers");
}

/* ---- shared memory ---- */

static void case_zero_shared(struct vt *vt, const void *argument)
{
    (void)argument;
    enum {
        GROUPS = 12
    };
    if (!vt->features13.shaderZeroInitializeWorkgroupMemory)
        vt_skip(vt, "no shaderZeroInitializeWorkgroupMemory");
    struct vt_buffer results = vt_buffer(vt, GROUPS * 64 * 4, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(results)};
    uint32_t expected[GROUPS * 64];
    vt_dispatch(vt, VT_SPIRV(zero_shared_dirt), NULL, bindings, 1, GROUPS, 1, 1);
    for (unsigned i = 0; i < GROUPS * 64; i++)
        expected[i] = 0xdeadbeefu + (i % 64 * 37 & 4095);
    vt_expect_words(vt, results.map, expected, GROUPS * 64, "what was left");
    vt_dispatch(vt, VT_SPIRV(zero_shared), NULL, bindings, 1, GROUPS, 1, 1);
    for (unsigned i = 0; i < GROUPS * 64; i++)
        expected[i] = 64 - i % 64;
    vt_expect_words(vt, results.map, expected, GROUPS * 64, "zeros");
}

static void case_shared_layout(struct vt *vt, const void *argument)
{
    (void)argument;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &about};
    if (vt->has[VT_WORKGROUP_LAYOUT])
        vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!about.workgroupMemoryExplicitLayout8BitAccess || !about.workgroupMemoryExplicitLayout16BitAccess ||
        !about.workgroupMemoryExplicitLayoutScalarBlockLayout)
        vt_skip(vt, "no layouts of shared memory");
    struct vt_buffer results = vt_buffer(vt, 64 * 16, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(results)};
    vt_dispatch(vt, VT_SPIRV(shared_layout), NULL, bindings, 1, 1, 1, 1);
    uint32_t words[96], expected[64][4];
    for (uint32_t i = 0; i < 96; i++)
        words[i] = i * 0x01030507u;
    for (uint32_t i = 0; i < 64; i++) {
        uint16_t word;
        memcpy(&word, (const char *)words + 4 + 2 * (i * 2 + 1), 2);
        expected[i][0] = ((const uint8_t *)words)[i * 5 + 3];
        expected[i][1] = word;
        expected[i][2] = words[(i & 31) * 3 + 2];
        expected[i][3] = (words[i] & 0xffff00ff) | (i * 7 & 0xff) << 8;
    }
    vt_expect_words(vt, results.map, expected[0], 256, "shared memory");
}

static void case_shared_int64(struct vt *vt, const void *argument)
{
    (void)argument;
    enum {
        GROUPS = 3
    };
    if (!vt->features12.shaderSharedInt64Atomics || !vt->features.features.shaderInt64)
        vt_skip(vt, "no shaderSharedInt64Atomics");
    uint64_t values[GROUPS * 64], expected[GROUPS * 8], seed = 31;
    for (unsigned i = 0; i < GROUPS * 64; i++)
        values[i] = (uint64_t)vt_random(&seed) << 32 | vt_random(&seed);
    for (unsigned g = 0; g < GROUPS; g++) {
        uint64_t *e = &expected[g * 8];
        memcpy(e, (const uint64_t[8]){0, UINT64_MAX, 0, UINT64_MAX, 0, 0, 0x1234567890abcdefull, values[g * 64 + 9]},
               64);
        for (unsigned i = 0; i < 64; i++) {
            uint64_t x = values[g * 64 + i];
            e[0] += x;
            e[1] = x < e[1] ? x : e[1];
            e[2] = x > e[2] ? x : e[2];
            e[3] &= x | 0xff00000000000000ull;
            e[4] |= x & 0x0f0f0f0f0f0f0f0full;
            e[5] ^= x;
        }
    }
    struct vt_buffer in = vt_buffer(vt, sizeof(values), values), out = vt_buffer(vt, sizeof(expected), NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(in), VT_STORAGE_BUFFER(out)};
    vt_dispatch(vt, VT_SPIRV(shared_int64), NULL, bindings, 2, GROUPS, 1, 1);
    vt_expect_words(vt, out.map, (const uint32_t *)expected, GROUPS * 16, "words of 64 bits");
}

/* ---- images ---- */

/* As an exchange every value is somewhere at the end, once: in the texel or as what another invocation found. */
static void case_image_float_atomics(struct vt *vt, const void *argument)
{
    int32_t op = *(const int32_t *)argument;
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT two = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT one = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, .pNext = &two};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &one};
    if (vt->has[VT_ATOMIC_FLOAT] && vt->has[VT_ATOMIC_FLOAT2])
        vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!one.shaderImageFloat32Atomics || !two.shaderImageFloat32AtomicMinMax)
        vt_skip(vt, "no atomics on texels that are floats");
    vt_need_features(vt, VK_FORMAT_R32_SFLOAT, VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT);
    float values[256], first[64];
    for (unsigned i = 0; i < 256; i++)
        values[i] = (float)((int)(i * 97 % 251) - 125) / 4; /* no two of a texel are equal... */
    for (unsigned i = 0; i < 64; i++)
        first[i] = (float)i + 100.0625f - (i & 1 ? 200 : 0); /* ...and none of these is among them */
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_R32_SFLOAT, 8, 8, VK_IMAGE_USAGE_STORAGE_BIT);
    vt_upload(vt, &image, 0, first, VK_IMAGE_LAYOUT_GENERAL);
    struct vt_buffer in = vt_buffer(vt, sizeof(values), values), out = vt_buffer(vt, sizeof(values), NULL);
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D)), VT_STORAGE_BUFFER(in),
                                    VT_STORAGE_BUFFER(out)};
    vt_dispatch(vt, VT_SPIRV(image_float_atomics), VT_CONSTANTS(op), bindings, 3, 4, 1, 1);
    const float *texels = vt_download(vt, &image, 0), *before = out.map;
    for (unsigned t = 0; t < 64; t++) {
        float candidates[5] = {first[t], values[t], values[t + 64], values[t + 128], values[t + 192]};
        if (op == 2) {
            float found[5] = {texels[t], before[t], before[t + 64], before[t + 128], before[t + 192]};
            for (unsigned c = 0; c < 5; c++) {
                unsigned times = 0;
                for (unsigned f = 0; f < 5; f++)
                    times += found[f] == candidates[c];
                if (times != 1)
                    vt_fail(vt, "texel %u: %g is there %u times", t, (double)candidates[c], times);
            }
            continue;
        }
        float expected = candidates[0];
        for (unsigned c = 1; c < 5; c++)
            expected = (op == 0) == (candidates[c] < expected) ? candidates[c] : expected;
        if (texels[t] != expected)
            vt_fail(vt, "texel %u is %g, expected %g", t, (double)texels[t], (double)expected);
    }
}

static const int32_t ops[] = {0, 1, 2};

static void case_image_samples(struct vt *vt, const void *argument)
{
    int32_t samples = *(const int32_t *)argument;
    enum {
        WIDTH = 20,
        HEIGHT = 11
    };
    VkSampleCountFlags counts = vt->properties.limits.storageImageSampleCounts;
    if (!vt->features.features.shaderStorageImageMultisample || !(counts & (VkSampleCountFlags)samples))
        vt_skip(vt, "no storage images of so many samples");
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                                 .width = WIDTH,
                                                                 .height = HEIGHT,
                                                                 .samples = (VkSampleCountFlagBits)samples,
                                                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &image, VK_IMAGE_LAYOUT_GENERAL);
    vt_submit(vt, commands);
    struct vt_buffer out = vt_buffer(vt, WIDTH * HEIGHT * 8 * 4, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D)),
                                    VT_STORAGE_BUFFER(out)};
    vt_dispatch(vt, VT_SPIRV(image_samples), VT_CONSTANTS(0, samples), bindings, 2, 3, 2, 1);
    vt_dispatch(vt, VT_SPIRV(image_samples), VT_CONSTANTS(1, samples), bindings, 2, 3, 2, 1);
    const uint32_t *got = out.map;
    for (uint32_t i = 0; i < WIDTH * HEIGHT * (uint32_t)samples; i++) {
        uint32_t s = i % (uint32_t)samples, x = i / (uint32_t)samples % WIDTH, y = i / (uint32_t)samples / WIDTH;
        uint32_t expected = x * 7 + y * 1031 + s * 0x500301;
        if (got[i] != expected)
            vt_fail(vt, "sample %u of %u,%u is 0x%08x, expected 0x%08x", s, x, y, got[i], expected);
    }
}

static const int32_t sample_counts[] = {2, 4, 8};

struct formats {
    VkFormat from, to;
};

static void case_formatless(struct vt *vt, const void *argument)
{
    const struct formats *test = argument;
    enum {
        SIZE = 16
    };
    if (!vt->features.features.shaderStorageImageReadWithoutFormat ||
        !vt->features.features.shaderStorageImageWriteWithoutFormat)
        vt_skip(vt, "no images without a format");
    vt_need_features(vt, test->from, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT);
    vt_need_features(vt, test->to, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT);
    const struct vt_format *from = vt_format(test->from), *to = vt_format(test->to);
    struct vt_image source = vt_image_2d(vt, test->from, SIZE, SIZE, VK_IMAGE_USAGE_STORAGE_BIT),
                    destination = vt_image_2d(vt, test->to, SIZE, SIZE, VK_IMAGE_USAGE_STORAGE_BIT);
    uint8_t texels[SIZE * SIZE * 16], zeros[SIZE * SIZE * 16] = {0};
    uint64_t seed = 3;
    vt_random_texels(from, &seed, texels, SIZE * SIZE);
    vt_upload(vt, &source, 0, texels, VK_IMAGE_LAYOUT_GENERAL);
    vt_upload(vt, &destination, 0, zeros, VK_IMAGE_LAYOUT_GENERAL);
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(vt_view(vt, &source, VK_IMAGE_VIEW_TYPE_2D)),
                                    VT_STORAGE_IMAGE(vt_view(vt, &destination, VK_IMAGE_VIEW_TYPE_2D))};
    vt_dispatch(vt, VT_SPIRV(formatless), NULL, bindings, 2, 2, 2, 1);
    const uint8_t *got = vt_download(vt, &destination, 0);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        double color[4], turned[4];
        vt_decode(from, texels + i * from->texel_B, color);
        for (unsigned c = 0; c < 4; c++)
            turned[c] = color[(c + 3) % 4];
        if (!vt_texel_is(to, got + i * to->texel_B, turned, 1, 0))
            vt_fail_texel(vt, to, got + i * to->texel_B, turned, "texel", i % SIZE, i / SIZE, 0);
    }
}

static const struct formats formats[] = {{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM},
                                         {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT},
                                         {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT},
                                         {VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_R16G16B16A16_SFLOAT},
                                         {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT}};

/* ---- arrays of descriptors ---- */

struct indexed {
    bool own; /* an index of each invocation's own */
    uint32_t shift;
    bool late; /* the descriptors are written when the commands are recorded already */
};

#define MANY 4

static void destroy_set_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorSetLayout(vt->device, (VkDescriptorSetLayout)handle, NULL);
}

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorPool(vt->device, (VkDescriptorPool)handle, NULL);
}

/* A set whose bindings have these flags; with `variable` the last of them has only so many descriptors. Nothing is
 * written to it yet. */
static struct vt_set flagged_set(struct vt *vt, const struct vt_binding *bindings, uint32_t count,
                                 const VkDescriptorBindingFlags *flags, uint32_t variable)
{
    VkDescriptorSetLayoutBinding list[8];
    VkDescriptorPoolSize sizes[8];
    bool late = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t many = bindings[i].count ? bindings[i].count : 1;
        list[i] = (VkDescriptorSetLayoutBinding){i, bindings[i].type, many, VK_SHADER_STAGE_ALL, NULL};
        sizes[i] = (VkDescriptorPoolSize){bindings[i].type, variable && i == count - 1 ? variable : many};
        late |= (flags[i] & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT) != 0;
    }
    VkDescriptorSetLayoutBindingFlagsCreateInfo chain = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = count,
        .pBindingFlags = flags};
    VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pNext = &chain,
        .flags = late ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0,
        .bindingCount = count,
        .pBindings = list};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .flags = late ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0,
                                            .maxSets = 1,
                                            .poolSizeCount = count,
                                            .pPoolSizes = sizes};
    struct vt_set set;
    VkDescriptorPool pool;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &layout_info, NULL, &set.layout));
    vt_defer(vt, destroy_set_layout, (uint64_t)set.layout);
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    VkDescriptorSetVariableDescriptorCountAllocateInfo counts = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pDescriptorCounts = &variable};
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .pNext = variable ? &counts : NULL,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &set.layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &allocate, &set.set));
    return set;
}

static void write_set(struct vt *vt, VkDescriptorSet set, const struct vt_binding *bindings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct vt_binding *b = &bindings[i];
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = i,
                                      .descriptorCount = b->count ? b->count : 1,
                                      .descriptorType = b->type,
                                      .pImageInfo = b->images ? b->images : &b->image,
                                      .pBufferInfo = b->buffers ? b->buffers : &b->buffer,
                                      .pTexelBufferView = b->views ? b->views : &b->view};
        vkUpdateDescriptorSets(vt->device, 1, &write, 0, NULL);
    }
}

static void case_indexed(struct vt *vt, const void *argument)
{
    const struct indexed *test = argument;
    const VkPhysicalDeviceFeatures *f = &vt->features.features;
    const VkPhysicalDeviceVulkan12Features *f12 = &vt->features12;
    bool uniform = f->shaderUniformBufferArrayDynamicIndexing && f->shaderSampledImageArrayDynamicIndexing &&
                   f->shaderStorageBufferArrayDynamicIndexing && f->shaderStorageImageArrayDynamicIndexing &&
                   f12->shaderUniformTexelBufferArrayDynamicIndexing &&
                   f12->shaderStorageTexelBufferArrayDynamicIndexing;
    bool own = f12->shaderUniformBufferArrayNonUniformIndexing && f12->shaderSampledImageArrayNonUniformIndexing &&
               f12->shaderStorageBufferArrayNonUniformIndexing && f12->shaderStorageImageArrayNonUniformIndexing &&
               f12->shaderUniformTexelBufferArrayNonUniformIndexing &&
               f12->shaderStorageTexelBufferArrayNonUniformIndexing;
    bool late =
        f12->descriptorBindingUniformBufferUpdateAfterBind && f12->descriptorBindingSampledImageUpdateAfterBind &&
        f12->descriptorBindingStorageImageUpdateAfterBind && f12->descriptorBindingStorageBufferUpdateAfterBind &&
        f12->descriptorBindingUniformTexelBufferUpdateAfterBind &&
        f12->descriptorBindingStorageTexelBufferUpdateAfterBind;
    if (test->late && !late)
        vt_skip(vt, "not every descriptor may be written after its set was bound");
    if (!uniform || (test->own && !own))
        vt_skip(vt, "not every array of descriptors takes such an index");
    struct vt_buffer buffers[MANY][4], results = vt_buffer(vt, 64 * 32, NULL);
    struct vt_image images[MANY], textures[MANY];
    VkDescriptorBufferInfo uniforms[MANY], storages[MANY];
    VkDescriptorImageInfo image_infos[MANY], texture_infos[MANY];
    VkBufferView texels[MANY], stores[MANY];
    for (uint32_t n = 0; n < MANY; n++) {
        uint32_t words[256], layers[64];
        for (unsigned kind = 0; kind < 4; kind++) {
            for (uint32_t i = 0; i < 256; i++)
                words[i] = (kind + 1) * 10000000 + n * 100000 + i;
            buffers[n][kind] = vt_buffer(vt, 512 + n * 16, words); /* no two are of one size */
        }
        for (uint32_t i = 0; i < 256; i++)
            words[i] = 50000000 + n * 100000 + i;
        for (uint32_t i = 0; i < 64; i++)
            layers[i] = 60000000 + n * 100000 + i;
        images[n] = vt_image_2d(vt, VK_FORMAT_R32_UINT, 8, 16, VK_IMAGE_USAGE_STORAGE_BIT);
        textures[n] = vt_image_2d(vt, VK_FORMAT_R32_UINT, 8, 8, VK_IMAGE_USAGE_SAMPLED_BIT);
        vt_upload(vt, &images[n], 0, words, VK_IMAGE_LAYOUT_GENERAL);
        vt_upload(vt, &textures[n], 0, layers, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        uniforms[n] = (VkDescriptorBufferInfo){buffers[n][0].buffer, 0, 64};
        storages[n] = (VkDescriptorBufferInfo){buffers[n][1].buffer, 0, VK_WHOLE_SIZE};
        texels[n] = vt_buffer_view(vt, &buffers[n][2], VK_FORMAT_R32_UINT, 0, VK_WHOLE_SIZE);
        stores[n] = vt_buffer_view(vt, &buffers[n][3], VK_FORMAT_R32_UINT, 0, VK_WHOLE_SIZE);
        image_infos[n] = (VkDescriptorImageInfo){VK_NULL_HANDLE, vt_view(vt, &images[n], VK_IMAGE_VIEW_TYPE_2D),
                                                 VK_IMAGE_LAYOUT_GENERAL};
        texture_infos[n] = (VkDescriptorImageInfo){VK_NULL_HANDLE, vt_view(vt, &textures[n], VK_IMAGE_VIEW_TYPE_2D),
                                                   VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    }
    struct vt_binding bindings[] = {{.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = MANY, .buffers = uniforms},
                                    {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = MANY, .buffers = storages},
                                    {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .count = MANY, .images = image_infos},
                                    {.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, .count = MANY, .views = texels},
                                    {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, .count = MANY, .views = stores},
                                    {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .count = MANY, .images = texture_infos},
                                    VT_STORAGE_BUFFER(results)};
    VkDescriptorBindingFlags flags[COUNT_OF(bindings)];
    for (unsigned i = 0; i < COUNT_OF(bindings); i++)
        flags[i] = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
    struct vt_set set =
        test->late ? flagged_set(vt, bindings, COUNT_OF(bindings), flags, 0) : vt_set(vt, bindings, COUNT_OF(bindings));
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkPipeline pipeline = vt_compute_pipeline(vt, test->own ? VT_SPIRV(indexed_own) : VT_SPIRV(indexed), layout, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, 4, &test->shift);
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    if (test->late)
        write_set(vt, set.set, bindings, COUNT_OF(bindings));
    vt_submit(vt, commands);

    uint32_t expected[64][8];
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t n = (test->own ? i * 3 + i / 5 + test->shift : test->shift) & 3, *e = expected[i];
        e[0] = 10000000 + n * 100000 + 1;
        e[1] = 20000000 + n * 100000 + i;
        e[2] = 50000000 + n * 100000 + i;
        e[3] = 30000000 + n * 100000 + i;
        e[4] = 40000000 + n * 100000 + i;
        e[5] = 60000000 + n * 100000 + i;
        e[6] = test->own ? n : 128 + n * 4; /* the length of the block */
        e[7] = n;
    }
    vt_expect_words(vt, results.map, expected[0], 64 * 8, "what was read");
    for (uint32_t n = 0; n < MANY; n++) {
        const uint32_t *words = buffers[n][1].map, *stored = buffers[n][3].map,
                       *written = vt_download(vt, &images[n], 0);
        for (uint32_t i = 0; i < 64; i++) {
            bool here = expected[i][7] == n;
            uint32_t e[3] = {here ? i + 1 : 20000000 + n * 100000 + 64 + i,
                             here ? i + 2 : 50000000 + n * 100000 + 64 + i,
                             here ? i + 3 : 40000000 + n * 100000 + 64 + i};
            if (words[64 + i] != e[0] || written[64 + i] != e[1] || stored[64 + i] != e[2])
                vt_fail(vt, "element %u, word %u: stored %u, %u, %u; expected %u, %u, %u", n, i, words[64 + i],
                        written[64 + i], stored[64 + i], e[0], e[1], e[2]);
        }
    }
}

static const struct indexed indices[] = {
    {false, 0, false}, {false, 3, false}, {true, 0, false}, {true, 2, false}, {true, 1, true}};

/* A set with fewer descriptors than its layout could have; with `pending` those that no shader looks at change while
 * the work waits. */
static void case_variable_count(struct vt *vt, const void *argument)
{
    bool pending = argument != NULL;
    enum {
        MOST = 100,
        THERE = 23,
        USED = 19
    };
    const VkPhysicalDeviceVulkan12Features *f12 = &vt->features12;
    if (!f12->descriptorBindingVariableDescriptorCount || !f12->runtimeDescriptorArray ||
        !f12->shaderStorageBufferArrayNonUniformIndexing || !f12->descriptorBindingPartiallyBound)
        vt_skip(vt, "no sets of a variable count");
    if (pending && !f12->descriptorBindingUpdateUnusedWhilePending)
        vt_skip(vt, "no descriptorBindingUpdateUnusedWhilePending");
    struct vt_buffer results = vt_buffer(vt, 64 * 4, NULL), buffers[THERE];
    VkDescriptorBufferInfo infos[THERE];
    for (uint32_t i = 0; i < THERE; i++) {
        buffers[i] = vt_buffer(vt, 16, (uint32_t[]){i * 100, i * 100 + 1, i * 100 + 2, i * 100 + 3});
        infos[i] = (VkDescriptorBufferInfo){buffers[i].buffer, 0, VK_WHOLE_SIZE};
    }
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(results),
                                    {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = MOST, .buffers = infos}};
    const VkDescriptorBindingFlags flags[] = {
        0, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
               (pending ? VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT : 0)};
    struct vt_set set = flagged_set(vt, bindings, 2, flags, THERE);
    bindings[1].count = pending ? USED : THERE;
    write_set(vt, set.set, bindings, 2);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkPipeline pipeline = vt_compute_pipeline(vt, VT_SPIRV(many), layout, NULL);
    uint32_t used = pending ? USED : THERE;
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, 4, &used);
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    if (!pending) {
        vt_submit(vt, commands);
    } else {
        VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
        VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
        VkSemaphore gate;
        VT_CHECK(vt, vkCreateSemaphore(vt->device, &info, NULL, &gate));
        VT_CHECK(vt, vkEndCommandBuffer(commands));
        VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                .waitSemaphoreValueCount = 1,
                                                .pWaitSemaphoreValues = &(const uint64_t){1}};
        VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &gate,
                               .pWaitDstStageMask = &(const VkPipelineStageFlags){VK_PIPELINE_STAGE_ALL_COMMANDS_BIT},
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands};
        VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &submit, VK_NULL_HANDLE));
        for (uint32_t i = USED; i < THERE; i++) {
            VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = set.set,
                                          .dstBinding = 1,
                                          .dstArrayElement = i,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .pBufferInfo = &infos[i]};
            vkUpdateDescriptorSets(vt->device, 1, &write, 0, NULL);
        }
        VkSemaphoreSignalInfo signal = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = gate, .value = 1};
        VT_CHECK(vt, vkSignalSemaphore(vt->device, &signal));
        VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
        vkDestroySemaphore(vt->device, gate, NULL);
    }
    uint32_t expected[64];
    for (uint32_t i = 0; i < 64; i++)
        expected[i] = i * 7 % used * 100 + (i & 3);
    vt_expect_words(vt, results.map, expected, 64, "what many buffers hold");
}

const struct vt_case vt_shader_cases[] = {
    {"narrow blocks", case_narrow_blocks, NULL},
    {"narrow blocks by own index", case_narrow_blocks, vt_shader_cases},
    {"shared memory of zeros", case_zero_shared, NULL},
    {"shared memory laid out", case_shared_layout, NULL},
    {"shared memory's words of 64 bits", case_shared_int64, NULL},
    {"image float min", case_image_float_atomics, &ops[0]},
    {"image float max", case_image_float_atomics, &ops[1]},
    {"image float exchange", case_image_float_atomics, &ops[2]},
    {"image of 2 samples", case_image_samples, &sample_counts[0]},
    {"image of 4 samples", case_image_samples, &sample_counts[1]},
    {"image of 8 samples", case_image_samples, &sample_counts[2]},
    {"images without format", case_formatless, &formats[0]},
    {"images without format, halves", case_formatless, &formats[1]},
    {"images without format, unorm to float", case_formatless, &formats[2]},
    {"images without format, snorm to half", case_formatless, &formats[3]},
    {"images without format, one channel", case_formatless, &formats[4]},
    {"descriptors by one index", case_indexed, &indices[0]},
    {"descriptors by another index", case_indexed, &indices[1]},
    {"descriptors by own index", case_indexed, &indices[2]},
    {"descriptors by own shifted index", case_indexed, &indices[3]},
    {"descriptors written after binding", case_indexed, &indices[4]},
    {"descriptors of a variable count", case_variable_count, NULL},
    {"descriptors written while others are used", case_variable_count, vt_shader_cases},
};
const size_t vt_shader_count = COUNT_OF(vt_shader_cases);
