/* The shared part of the pipelines' tests: a device with the fake compiler, modules, caches, layouts, and a compute
 * pipeline that can be varied. */
#ifndef VULKAN_RUNTIME_TESTS_PIPELINE_TEST_H
#define VULKAN_RUNTIME_TESTS_PIPELINE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/tests/fake_shaders.h"

#include "vulkan/runtime/pipeline/tests/pipeline_comp.h"

#define VALID VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT
#define HIT VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT
#define FAIL_ON_COMPILE VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT

static struct vk_instance instance;
static struct vk_physical_device physical;
static struct vk_device device;
static struct vk_icd icd;
static const struct vk_driver driver = {.name = "test"};
static const struct vk_device_extensions no_extensions;
static const struct vk_features no_features;

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *properties)
{
    memset(properties, 0, sizeof(*properties));
    memset(properties->pipelineCacheUUID, 0x5a, VK_UUID_SIZE);
}

static inline int setup(void **state)
{
    memset(&fake_shaders, 0, sizeof(fake_shaders));
    fake_memory_fail_at(0);
    instance = (struct vk_instance){.icd = &icd, .alloc = fake_allocator, .api_version = VK_API_VERSION_1_3};
    struct vk_physical_device_dispatch entrypoints;
    memset(&entrypoints, 0, sizeof(entrypoints));
    entrypoints.GetPhysicalDeviceProperties = get_properties;
    struct vk_physical_device_info info = {.driver = &driver,
                                           .api_version = VK_API_VERSION_1_3,
                                           .entrypoints = &entrypoints,
                                           .supported_extensions = &no_extensions,
                                           .supported_features = &no_features};
    VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
    if (vk_physical_device_init(&physical, &instance, &info) != VK_SUCCESS)
        return -1;
    VkResult result = vk_device_init(&device, &physical, &create, NULL, &(struct vk_device_dispatch){0}, NULL, 0);
    device.codegen = &fake_codegen;
    device.descriptors = &fake_descriptors;
    return result;
}

/* Whatever a test does, nothing may be left of it. */
static inline int teardown(void **state)
{
    assert_int_equal(device.living_shaders.count, 0);
    for (uint32_t i = 0; i < device.living_shaders.num_buckets; i++)
        assert_null(device.living_shaders.buckets[i]);
    vk_device_finish(&device);
    vk_physical_device_finish(&physical);
    assert_int_equal(fake_shaders.living, 0);
    assert_int_equal(fake_shaders.pipelines, 0);
    assert_int_equal(fake_set_layouts, 0);
    assert_int_equal(fake_memory.living, 0);
    return 0;
}

static inline VkDevice dev(void)
{
    return vk_device_to_handle(&device);
}

static inline VkResult try_module(const uint32_t *words, size_t size_B, VkShaderModule *module_out)
{
    VkShaderModuleCreateInfo info = vk_struct_init(VkShaderModuleCreateInfo);
    info.codeSize = size_B;
    info.pCode = words;
    return vk_common_CreateShaderModule(dev(), &info, NULL, module_out);
}

static inline VkShaderModule module_of(const uint32_t *words, size_t size_B)
{
    VkShaderModule module;
    assert_int_equal(try_module(words, size_B, &module), VK_SUCCESS);
    return module;
}
#define MODULE(words) module_of(words, sizeof(words))

static inline VkPipelineCache new_cache(const void *data, size_t size_B)
{
    VkPipelineCacheCreateInfo info = vk_struct_init(VkPipelineCacheCreateInfo);
    info.pInitialData = data;
    info.initialDataSize = size_B;
    VkPipelineCache cache;
    assert_int_equal(vk_common_CreatePipelineCache(dev(), &info, NULL, &cache), VK_SUCCESS);
    return cache;
}

/* A cache of the bytes of another, as a later run of the program has it. */
static inline VkPipelineCache through_a_file(VkPipelineCache cache)
{
    size_t size_B;
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), cache, &size_B, NULL), VK_SUCCESS);
    void *data = malloc(size_B);
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), cache, &size_B, data), VK_SUCCESS);
    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    VkPipelineCache again = new_cache(data, size_B);
    free(data);
    return again;
}

static inline void destroy_pipeline(VkPipeline pipeline)
{
    vk_common_DestroyPipeline(dev(), pipeline, &fake_allocator);
}

/* ---- layouts ---- */

/* Sets by the seeds of their layouts; 0 is an open one. */
static inline VkResult try_layout(uint32_t set_count, const uint32_t *seeds, const VkPushConstantRange *push,
                                  uint32_t push_count, VkPipelineLayout *layout_out)
{
    VkDescriptorSetLayout sets[4] = {VK_NULL_HANDLE};
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < set_count; i++) {
        struct vk_descriptor_set_layout *set = seeds[i] ? fake_set_layout(&device, seeds[i]) : NULL;
        if (seeds[i] && !set)
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        sets[i] = vk_descriptor_set_layout_to_handle(set);
    }
    VkPipelineLayoutCreateInfo info = vk_struct_init(VkPipelineLayoutCreateInfo);
    info.flags = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
    info.setLayoutCount = set_count;
    info.pSetLayouts = sets;
    info.pushConstantRangeCount = push_count;
    info.pPushConstantRanges = push;
    if (result == VK_SUCCESS)
        result = vk_common_CreatePipelineLayout(dev(), &info, NULL, layout_out);
    for (uint32_t i = 0; i < set_count; i++)
        vk_common_DestroyDescriptorSetLayout(dev(), sets[i], NULL);
    return result;
}

static inline VkPipelineLayout new_layout(uint32_t set_count, const uint32_t *seeds, const VkPushConstantRange *push,
                                          uint32_t push_count)
{
    VkPipelineLayout layout;
    assert_int_equal(try_layout(set_count, seeds, push, push_count, &layout), VK_SUCCESS);
    return layout;
}

/* ---- compute ---- */

/* A compute pipeline that can be varied before it is made. */
struct compute {
    VkComputePipelineCreateInfo info;
    VkSpecializationMapEntry entry;
    VkSpecializationInfo spec;
    uint32_t group_size;
    VkPipelineCreationFeedback feedback, stage_feedback;
    VkPipelineCreationFeedbackCreateInfo feedback_info;
};

static inline void compute_init(struct compute *c, VkShaderModule module, VkPipelineLayout layout, uint32_t group_size)
{
    memset(c, 0, sizeof(*c));
    c->group_size = group_size;
    c->entry = (VkSpecializationMapEntry){0, 0, 4};
    c->spec = (VkSpecializationInfo){1, &c->entry, 4, &c->group_size};
    c->feedback_info = vk_struct_init(VkPipelineCreationFeedbackCreateInfo);
    c->feedback_info.pPipelineCreationFeedback = &c->feedback;
    c->feedback_info.pipelineStageCreationFeedbackCount = 1;
    c->feedback_info.pPipelineStageCreationFeedbacks = &c->stage_feedback;
    c->info = vk_struct_init(VkComputePipelineCreateInfo);
    c->info.pNext = &c->feedback_info;
    c->info.layout = layout;
    c->info.stage = vk_struct_init(VkPipelineShaderStageCreateInfo);
    c->info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    c->info.stage.module = module;
    c->info.stage.pName = "main";
    c->info.stage.pSpecializationInfo = &c->spec;
}

static inline VkResult try_compute(const struct compute *c, VkPipelineCache cache, VkPipeline *pipeline_out)
{
    return vk_common_CreateComputePipelines(dev(), cache, 1, &c->info, &fake_allocator, pipeline_out);
}

static inline VkPipeline make_compute(const struct compute *c, VkPipelineCache cache)
{
    VkPipeline pipeline;
    assert_int_equal(try_compute(c, cache, &pipeline), VK_SUCCESS);
    return pipeline;
}

static inline VkPipelineLayout compute_layout(void)
{
    return new_layout(1, (uint32_t[]){1}, &(VkPushConstantRange){VK_SHADER_STAGE_COMPUTE_BIT, 4, 12}, 1);
}

#endif
