/* Pipelines, their layouts, shaders and libraries, with a compiler that only takes notes (fake_shaders.h). */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/tests/fake_shaders.h"
#include "vulkan/runtime/vk_common_entrypoints.h"
#include "vulkan/runtime/vk_descriptor_update_template.h"
#include "vulkan/runtime/vk_graphics_state.h"
#include "vulkan/runtime/vk_instance.h"
#include "vulkan/runtime/vk_physical_device.h"
#include "vulkan/runtime/vk_struct.h"

#include "vulkan/runtime/pipeline_comp.h"
#include "vulkan/runtime/pipeline_frag.h"
#include "vulkan/runtime/pipeline_vert.h"

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

static int setup(void **state)
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
    device.shader_ops = &fake_shader_ops;
    return result;
}

/* Whatever a test does, nothing may be left of it. */
static int teardown(void **state)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(device.living_shaders); i++)
        assert_null(device.living_shaders[i]);
    vk_device_finish(&device);
    vk_physical_device_finish(&physical);
    assert_int_equal(fake_shaders.living, 0);
    assert_int_equal(fake_shaders.pipelines, 0);
    assert_int_equal(fake_set_layouts, 0);
    assert_int_equal(fake_memory.living, 0);
    return 0;
}

static VkDevice dev(void)
{
    return vk_device_to_handle(&device);
}

static VkResult try_module(const uint32_t *words, size_t size_B, VkShaderModule *module_out)
{
    VkShaderModuleCreateInfo info = vk_struct_init(VkShaderModuleCreateInfo);
    info.codeSize = size_B;
    info.pCode = words;
    return vk_common_CreateShaderModule(dev(), &info, NULL, module_out);
}

static VkShaderModule module_of(const uint32_t *words, size_t size_B)
{
    VkShaderModule module;
    assert_int_equal(try_module(words, size_B, &module), VK_SUCCESS);
    return module;
}
#define MODULE(words) module_of(words, sizeof(words))

static VkPipelineCache new_cache(const void *data, size_t size_B)
{
    VkPipelineCacheCreateInfo info = vk_struct_init(VkPipelineCacheCreateInfo);
    info.pInitialData = data;
    info.initialDataSize = size_B;
    VkPipelineCache cache;
    assert_int_equal(vk_common_CreatePipelineCache(dev(), &info, NULL, &cache), VK_SUCCESS);
    return cache;
}

/* A cache of the bytes of another, as a later run of the program has it. */
static VkPipelineCache through_a_file(VkPipelineCache cache)
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

static void destroy(VkPipeline pipeline)
{
    vk_common_DestroyPipeline(dev(), pipeline, &fake_allocator);
}

/* ---- layouts ---- */

/* Sets by the seeds of their layouts; 0 is an open one. */
static VkResult try_layout(uint32_t set_count, const uint32_t *seeds, const VkPushConstantRange *push,
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

static VkPipelineLayout new_layout(uint32_t set_count, const uint32_t *seeds, const VkPushConstantRange *push,
                                   uint32_t push_count)
{
    VkPipelineLayout layout;
    assert_int_equal(try_layout(set_count, seeds, push, push_count, &layout), VK_SUCCESS);
    return layout;
}

static void layouts_hold_their_sets_and_are_known_by_content(void **state)
{
    VkPushConstantRange push[] = {{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16},
                                  {VK_SHADER_STAGE_COMPUTE_BIT, 32, 8},
                                  {VK_SHADER_STAGE_GEOMETRY_BIT, 0, 0}};
    VkPipelineLayout a = new_layout(2, (uint32_t[]){7, 8}, push, 3), b = new_layout(2, (uint32_t[]){7, 8}, push, 2);
    VkPipelineLayout c = new_layout(2, (uint32_t[]){7, 9}, push, 2), d = new_layout(2, (uint32_t[]){7, 8}, push, 1);
    struct vk_pipeline_layout *layout = vk_pipeline_layout_from_handle(a);
    assert_int_equal(fake_set_layouts, 8); /* the application's own references are gone */
    assert_memory_equal(layout->hash, vk_pipeline_layout_from_handle(b)->hash, VK_HASH_SIZE_B);
    assert_memory_not_equal(layout->hash, vk_pipeline_layout_from_handle(c)->hash, VK_HASH_SIZE_B);
    assert_memory_not_equal(layout->hash, vk_pipeline_layout_from_handle(d)->hash, VK_HASH_SIZE_B);
    assert_int_equal(layout->push_size_B, 40);
    assert_int_equal(layout->push_range_count, 2);
    VkPushConstantRange of_compute = vk_pipeline_layout_push_range(layout, VK_SHADER_STAGE_COMPUTE_BIT);
    assert_int_equal(of_compute.offset, 32);
    assert_int_equal(of_compute.size, 8);
    assert_int_equal(vk_pipeline_layout_push_range(layout, VK_SHADER_STAGE_FRAGMENT_BIT).size, 16);
    assert_int_equal(vk_pipeline_layout_push_range(layout, VK_SHADER_STAGE_GEOMETRY_BIT).size, 0);
    assert_int_equal(vk_pipeline_layout_push_range(layout, VK_SHADER_STAGE_ALL).size, 40);

    vk_pipeline_layout_ref(layout);
    vk_common_DestroyPipelineLayout(dev(), a, NULL);
    assert_int_equal(layout->set_count, 2); /* somebody still has it */
    vk_pipeline_layout_unref(layout);
    vk_common_DestroyPipelineLayout(dev(), b, NULL);
    vk_common_DestroyPipelineLayout(dev(), c, NULL);
    vk_common_DestroyPipelineLayout(dev(), d, NULL);
    vk_common_DestroyPipelineLayout(dev(), VK_NULL_HANDLE, NULL);
}

static void layouts_of_parts_become_one(void **state)
{
    VkPushConstantRange vertex = {VK_SHADER_STAGE_VERTEX_BIT, 0, 16}, fragment = {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 4};
    VkPipelineLayout parts[] = {new_layout(1, (uint32_t[]){1}, &vertex, 1),
                                new_layout(3, (uint32_t[]){0, 2, 3}, &fragment, 1),
                                new_layout(3, (uint32_t[]){1, 2, 3}, (VkPushConstantRange[]){vertex, fragment}, 2)};
    struct vk_pipeline_layout *layouts[4], *merged;
    for (unsigned i = 0; i < 3; i++)
        layouts[i] = vk_pipeline_layout_from_handle(parts[i]);
    layouts[3] = NULL;

    assert_int_equal(vk_pipeline_layout_merge(&device, 2, layouts, &merged), VK_SUCCESS);
    assert_memory_equal(merged->hash, layouts[2]->hash, VK_HASH_SIZE_B);
    vk_pipeline_layout_unref(merged);
    /* Where one already has everything, no new one is made. */
    assert_int_equal(vk_pipeline_layout_merge(&device, 4, layouts, &merged), VK_SUCCESS);
    assert_ptr_equal(merged, layouts[2]);
    vk_pipeline_layout_unref(merged);
    assert_int_equal(vk_pipeline_layout_merge(&device, 0, NULL, &merged), VK_SUCCESS);
    assert_null(merged);
    for (unsigned i = 0; i < 3; i++)
        vk_common_DestroyPipelineLayout(dev(), parts[i], NULL);
}

static void templates_keep_their_entries(void **state)
{
    VkPipelineLayout layout = new_layout(2, (uint32_t[]){5, 6}, NULL, 0);
    VkDescriptorUpdateTemplateEntry entries[] = {
        {.dstBinding = 3, .dstArrayElement = 1, .descriptorCount = 2, .descriptorType = 6, .offset = 8, .stride = 24},
        {.dstBinding = 4, .descriptorCount = 0},
        {.dstBinding = 5, .descriptorCount = 16, .descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK},
    };
    VkDescriptorUpdateTemplateCreateInfo info = vk_struct_init(VkDescriptorUpdateTemplateCreateInfo);
    info.descriptorUpdateEntryCount = ARRAY_SIZE(entries);
    info.pDescriptorUpdateEntries = entries;
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
    info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    info.pipelineLayout = layout;
    info.set = 1;
    info.descriptorSetLayout = (VkDescriptorSetLayout)(uintptr_t)1; /* ignored */
    VkDescriptorUpdateTemplate handle;
    assert_int_equal(vk_common_CreateDescriptorUpdateTemplate(dev(), &info, &fake_allocator, &handle), VK_SUCCESS);
    struct vk_descriptor_update_template *template = vk_descriptor_update_template_from_handle(handle);
    struct vk_descriptor_set_layout *set = vk_pipeline_layout_from_handle(layout)->set_layouts[1];
    assert_ptr_equal(template->set_layout, set);
    assert_int_equal(template->set, 1);
    assert_int_equal(template->bind_point, VK_PIPELINE_BIND_POINT_COMPUTE);
    assert_int_equal(template->entry_count, 2);
    assert_int_equal(template->entries[0].binding, 3);
    assert_int_equal(template->entries[0].first, 1);
    assert_int_equal(template->entries[0].count, 2);
    assert_int_equal(template->entries[0].offset_B, 8);
    assert_int_equal(template->entries[0].stride_B, 24);
    assert_int_equal(template->entries[1].binding, 5);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    assert_int_equal(fake_set_layouts, 1);
    vk_common_DestroyDescriptorUpdateTemplate(dev(), handle, &fake_allocator);
    vk_common_DestroyDescriptorUpdateTemplate(dev(), VK_NULL_HANDLE, NULL);
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

static void compute_init(struct compute *c, VkShaderModule module, VkPipelineLayout layout, uint32_t group_size)
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

static VkResult try_compute(const struct compute *c, VkPipelineCache cache, VkPipeline *pipeline_out)
{
    return vk_common_CreateComputePipelines(dev(), cache, 1, &c->info, &fake_allocator, pipeline_out);
}

static VkPipeline make_compute(const struct compute *c, VkPipelineCache cache)
{
    VkPipeline pipeline;
    assert_int_equal(try_compute(c, cache, &pipeline), VK_SUCCESS);
    return pipeline;
}

static VkPipelineLayout compute_layout(void)
{
    return new_layout(1, (uint32_t[]){1}, &(VkPushConstantRange){VK_SHADER_STAGE_COMPUTE_BIT, 4, 12}, 1);
}

static void the_compiler_is_told_everything(void **state)
{
    device.enabled_features.robustBufferAccess = true;
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    struct compute c;
    compute_init(&c, module, layout, 48);
    VkPipelineRobustnessCreateInfoEXT whole = vk_struct_init(VkPipelineRobustnessCreateInfoEXT), stage = whole;
    whole.images = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2_EXT;
    stage.uniformBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size =
        vk_struct_init(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
    size.requiredSubgroupSize = 32;

    vk_append_struct(&c.info, &whole);
    VkPipeline a = make_compute(&c, VK_NULL_HANDLE);
    vk_append_struct(&c.info.stage, &stage);
    vk_append_struct(&c.info.stage, &size);
    c.info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    c.info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT | VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
    VkPipeline b = make_compute(&c, VK_NULL_HANDLE);

    const struct fake_shader *first = fake_shader_of(a, VK_SHADER_STAGE_COMPUTE_BIT);
    const struct fake_shader *second = fake_shader_of(b, VK_SHADER_STAGE_COMPUTE_BIT);
    assert_ptr_not_equal(first, second);
    assert_int_equal(first->workgroup_size_x, 48);
    assert_int_equal(first->set_count, 1);
    assert_int_equal(first->push.offset, 4);
    assert_int_equal(first->push.size, 12);
    assert_int_equal(first->next_stages, 0);
    assert_int_equal(first->robustness.images, VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2_EXT);
    assert_int_equal(first->robustness.uniform_buffers,
                     VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT);
    assert_int_equal(first->required_subgroup_size, 0);
    /* What a stage says about robustness stands for the pipeline's whole, and "default" for the features. */
    assert_int_equal(second->robustness.uniform_buffers, VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT);
    assert_int_equal(second->robustness.storage_buffers,
                     VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT);
    assert_int_equal(second->robustness.images, VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED_EXT);
    assert_int_equal(second->required_subgroup_size, 32);
    assert_int_equal(second->ir_subgroup_size, 32);
    assert_true(second->require_full);
    assert_false(second->allow_varying); /* SPIR-V 1.3 */
    assert_int_equal(second->flags, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
    destroy(a);
    destroy(b);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
}

static void equal_pipelines_share_one_shader(void **state)
{
    VkShaderModule module = MODULE(pipeline_comp), twin = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout(), equal = compute_layout();
    struct compute c, d, e;
    compute_init(&c, module, layout, 16);
    compute_init(&d, twin, equal, 16);
    compute_init(&e, module, layout, 32);
    /* The same value, lying elsewhere. */
    uint32_t data[] = {99, 16};
    d.entry.offset = 4;
    d.spec.pData = data;
    d.spec.dataSize = sizeof(data);
    VkPipeline a = make_compute(&c, VK_NULL_HANDLE), b = make_compute(&d, VK_NULL_HANDLE);
    VkPipeline other = make_compute(&e, VK_NULL_HANDLE);
    assert_ptr_equal(fake_shader_of(a, VK_SHADER_STAGE_COMPUTE_BIT), fake_shader_of(b, VK_SHADER_STAGE_COMPUTE_BIT));
    assert_ptr_not_equal(fake_shader_of(a, VK_SHADER_STAGE_COMPUTE_BIT),
                         fake_shader_of(other, VK_SHADER_STAGE_COMPUTE_BIT));
    assert_int_equal(fake_shaders.compiles, 2);
    assert_int_equal(fake_shaders.living, 2);
    assert_int_equal(c.feedback.flags, VALID);
    assert_int_equal(d.feedback.flags, VALID); /* found, but in no cache of the application's */
    /* The last pipeline takes it along: then it is compiled again. */
    destroy(a);
    assert_int_equal(fake_shaders.living, 2);
    destroy(b);
    assert_int_equal(fake_shaders.living, 1);
    destroy(make_compute(&c, VK_NULL_HANDLE));
    assert_int_equal(fake_shaders.compiles, 3);
    destroy(other);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyPipelineLayout(dev(), equal, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
    vk_common_DestroyShaderModule(dev(), twin, NULL);
}

/* Each of these must give a shader of its own. */
static void everything_that_matters_is_in_the_key(void **state)
{
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    VkPipelineLayout other_set = new_layout(1, (uint32_t[]){2}, NULL, 0);
    struct compute c[8];
    VkPipelineRobustnessCreateInfoEXT robustness = vk_struct_init(VkPipelineRobustnessCreateInfoEXT);
    robustness.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size =
        vk_struct_init(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
    size.requiredSubgroupSize = 64;
    for (uint32_t i = 0; i < ARRAY_SIZE(c); i++)
        compute_init(&c[i], module, layout, 16);
    c[1].group_size = 17;
    c[2].info.layout = other_set;
    vk_append_struct(&c[3].info, &robustness);
    vk_append_struct(&c[4].info.stage, &size);
    c[5].info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT;
    c[6].info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    c[7].entry.constantID = 1;
    VkPipeline pipelines[ARRAY_SIZE(c)];
    for (uint32_t i = 0; i < ARRAY_SIZE(c); i++) {
        pipelines[i] = make_compute(&c[i], VK_NULL_HANDLE);
        for (uint32_t j = 0; j < i; j++)
            assert_ptr_not_equal(vk_pipeline_from_handle(pipelines[i])->shaders[5],
                                 vk_pipeline_from_handle(pipelines[j])->shaders[5]);
    }
    /* And this does not matter: hints and feedback. */
    c[0].info.flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    c[0].info.pNext = NULL;
    VkPipeline same = make_compute(&c[0], VK_NULL_HANDLE);
    assert_ptr_equal(vk_pipeline_from_handle(same)->shaders[5], vk_pipeline_from_handle(pipelines[0])->shaders[5]);
    destroy(same);
    for (uint32_t i = 0; i < ARRAY_SIZE(c); i++)
        destroy(pipelines[i]);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyPipelineLayout(dev(), other_set, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
}

static void caches_answer_and_say_so(void **state)
{
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    VkPipelineCache cache = new_cache(NULL, 0);
    VkPipeline pipeline;
    struct compute c;
    compute_init(&c, module, layout, 24);
    c.info.flags = FAIL_ON_COMPILE;
    c.feedback.flags = VALID;
    assert_int_equal(try_compute(&c, cache, &pipeline), VK_PIPELINE_COMPILE_REQUIRED);
    assert_null(pipeline);
    assert_int_equal(c.feedback.flags & VALID, 0);
    assert_int_equal(fake_shaders.compiles, 0);

    c.info.flags = 0;
    destroy(make_compute(&c, cache));
    assert_int_equal(c.feedback.flags, VALID);
    assert_int_equal(c.stage_feedback.flags, VALID);
    assert_true(c.feedback.duration >= c.stage_feedback.duration);
    assert_int_equal(fake_shaders.living, 1); /* the cache has it */

    c.info.flags = FAIL_ON_COMPILE;
    destroy(make_compute(&c, cache));
    assert_int_equal(c.feedback.flags, VALID | HIT);
    assert_int_equal(c.stage_feedback.flags, VALID | HIT);
    assert_int_equal(fake_shaders.compiles, 1);

    cache = through_a_file(cache);
    pipeline = make_compute(&c, cache);
    assert_int_equal(c.feedback.flags, VALID | HIT);
    assert_int_equal(fake_shaders.compiles, 1);
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_COMPUTE_BIT)->generation, 0);
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_COMPUTE_BIT)->workgroup_size_x, 24);

    /* A second cache learns of it from the living, and another of the same bytes shares the object. */
    VkPipelineCache second = new_cache(NULL, 0);
    destroy(make_compute(&c, second));
    assert_int_equal(c.feedback.flags, VALID);
    destroy(make_compute(&c, second));
    assert_int_equal(c.feedback.flags, VALID | HIT);
    second = through_a_file(second);
    assert_int_equal(fake_shaders.living, 1);

    destroy(pipeline);
    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    vk_common_DestroyPipelineCache(dev(), second, NULL);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
}

static void an_identifier_stands_for_words_that_are_cached(void **state)
{
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    VkPipelineCache cache = new_cache(NULL, 0);
    VkShaderModuleIdentifierEXT identifier = vk_struct_init(VkShaderModuleIdentifierEXT);
    vk_common_GetShaderModuleIdentifierEXT(dev(), module, &identifier);
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT by_identifier =
        vk_struct_init(VkPipelineShaderStageModuleIdentifierCreateInfoEXT);
    by_identifier.identifierSize = identifier.identifierSize;
    by_identifier.pIdentifier = identifier.identifier;
    struct compute c, d;
    compute_init(&c, module, layout, 24);
    compute_init(&d, VK_NULL_HANDLE, layout, 24);
    d.info.flags = FAIL_ON_COMPILE;
    vk_append_struct(&d.info.stage, &by_identifier);
    VkPipeline pipeline;
    assert_int_equal(try_compute(&d, cache, &pipeline), VK_PIPELINE_COMPILE_REQUIRED);
    destroy(make_compute(&c, cache));
    destroy(make_compute(&d, cache));
    assert_int_equal(d.feedback.flags, VALID | HIT);
    /* An identifier of somebody else's. */
    by_identifier.identifierSize = 8;
    assert_int_equal(try_compute(&d, cache, &pipeline), VK_PIPELINE_COMPILE_REQUIRED);
    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
}

static void one_of_many_may_fail(void **state)
{
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    struct compute c[4];
    VkComputePipelineCreateInfo infos[4];
    VkPipeline pipelines[4];
    for (uint32_t i = 0; i < 4; i++) {
        compute_init(&c[i], module, layout, i + 1);
        infos[i] = c[i].info;
    }
    infos[0].flags = FAIL_ON_COMPILE;
    fake_shaders.fail_compile = 2; /* of infos[2] */
    memset(pipelines, 0xff, sizeof(pipelines));
    VkResult result = vk_common_CreateComputePipelines(dev(), VK_NULL_HANDLE, 4, infos, &fake_allocator, pipelines);
    assert_int_equal(result, VK_ERROR_OUT_OF_DEVICE_MEMORY); /* it counts more than "compile required" */
    assert_null(pipelines[0]);
    assert_non_null(pipelines[1]);
    assert_null(pipelines[2]);
    assert_non_null(pipelines[3]);
    assert_int_equal(c[2].feedback.flags, 0);
    assert_int_equal(c[3].feedback.flags, VALID);
    destroy(pipelines[1]);
    destroy(pipelines[3]);

    fake_shaders.compile_result = VK_ERROR_UNKNOWN;
    infos[0].flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    memset(pipelines, 0xff, sizeof(pipelines));
    uint32_t before = fake_shaders.compiles;
    assert_int_equal(vk_common_CreateComputePipelines(dev(), VK_NULL_HANDLE, 4, infos, &fake_allocator, pipelines),
                     VK_ERROR_UNKNOWN);
    assert_int_equal(fake_shaders.compiles, before + 1);
    for (uint32_t i = 0; i < 4; i++)
        assert_null(pipelines[i]);
    fake_shaders.compile_result = VK_SUCCESS;
    fake_shaders.pipeline_init_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    infos[0].flags = 0;
    assert_int_equal(vk_common_CreateComputePipelines(dev(), VK_NULL_HANDLE, 1, infos, &fake_allocator, pipelines),
                     VK_ERROR_OUT_OF_DEVICE_MEMORY);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
}

static void broken_modules_are_refused(void **state)
{
    VkPipelineLayout layout = compute_layout();
    struct compute c;
    VkPipeline pipeline;
    uint32_t words[ARRAY_SIZE(pipeline_comp)];
    memcpy(words, pipeline_comp, sizeof(words));
    words[5] ^= 0x00ff00ff;
    VkShaderModule broken = MODULE(words), good = MODULE(pipeline_comp), none = module_of(words, 0);
    VkShaderModule modules[] = {broken, none};
    for (uint32_t i = 0; i < 2; i++) {
        compute_init(&c, modules[i], layout, 8);
        assert_int_equal(try_compute(&c, VK_NULL_HANDLE, &pipeline), VK_ERROR_UNKNOWN);
        assert_null(pipeline);
    }
    compute_init(&c, good, layout, 8);
    c.info.stage.pName = "nowhere";
    assert_int_equal(try_compute(&c, VK_NULL_HANDLE, &pipeline), VK_ERROR_UNKNOWN);
    compute_init(&c, good, layout, 8);
    c.entry.size = 2; /* of a constant of four bytes */
    assert_int_equal(try_compute(&c, VK_NULL_HANDLE, &pipeline), VK_ERROR_UNKNOWN);
    device.enabled_extensions.NV_glsl_shader = true;
    assert_int_equal(try_compute(&c, VK_NULL_HANDLE, &pipeline), VK_ERROR_INVALID_SHADER_NV);
    assert_int_equal(fake_shaders.compiles, 0);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), broken, NULL);
    vk_common_DestroyShaderModule(dev(), good, NULL);
    vk_common_DestroyShaderModule(dev(), none, NULL);
}

/* Many threads make and destroy the same few pipelines: a shader that dies must not be found again. */
static void *churn(void *argument)
{
    const struct compute *c = argument;
    for (uint32_t i = 0; i < 300; i++) {
        VkPipeline pipeline;
        if (try_compute(&c[i % 3], VK_NULL_HANDLE, &pipeline) != VK_SUCCESS)
            return (void *)c;
        if (fake_shader_of(pipeline, VK_SHADER_STAGE_COMPUTE_BIT)->workgroup_size_x != i % 3 + 1)
            return (void *)c;
        destroy(pipeline);
    }
    return NULL;
}

static void threads_share_shaders(void **state)
{
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    struct compute c[3];
    for (uint32_t i = 0; i < 3; i++) {
        compute_init(&c[i], module, layout, i + 1);
        c[i].info.pNext = NULL;
    }
    pthread_t threads[4];
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, churn, c), 0);
    for (uint32_t i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
}

/* ---- graphics ---- */

#define VERTEX_INPUT VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define PRE_RASTERIZATION VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENT_SHADER VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define FRAGMENT_OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT

/* A triangle that can be varied before it is made. */
struct graphics {
    VkGraphicsPipelineCreateInfo info;
    VkPipelineShaderStageCreateInfo stages[2]; /* fragment first: the order is the application's */
    VkPipelineVertexInputStateCreateInfo vertex_input;
    VkPipelineInputAssemblyStateCreateInfo input_assembly;
    VkViewport viewport;
    VkRect2D scissor;
    VkPipelineViewportStateCreateInfo viewports;
    VkPipelineRasterizationStateCreateInfo rasterization;
    VkPipelineMultisampleStateCreateInfo multisample;
    VkPipelineColorBlendAttachmentState blend;
    VkPipelineColorBlendStateCreateInfo blends;
    VkFormat format;
    VkPipelineRenderingCreateInfo rendering;
    VkPipelineCreationFeedback feedback, stage_feedbacks[2];
    VkPipelineCreationFeedbackCreateInfo feedback_info;
    VkGraphicsPipelineLibraryCreateInfoEXT subsets;
    VkPipelineLibraryCreateInfoKHR libraries;
};

static VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, VkShaderModule module)
{
    VkPipelineShaderStageCreateInfo info = vk_struct_init(VkPipelineShaderStageCreateInfo);
    info.stage = stage;
    info.module = module;
    info.pName = "main";
    return info;
}

static void graphics_init(struct graphics *g, VkShaderModule vertex, VkShaderModule fragment, VkPipelineLayout layout,
                          VkFormat format)
{
    memset(g, 0, sizeof(*g));
    g->stages[0] = stage_of(VK_SHADER_STAGE_FRAGMENT_BIT, fragment);
    g->stages[1] = stage_of(VK_SHADER_STAGE_VERTEX_BIT, vertex);
    g->vertex_input = vk_struct_init(VkPipelineVertexInputStateCreateInfo);
    g->input_assembly = vk_struct_init(VkPipelineInputAssemblyStateCreateInfo);
    g->input_assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    g->viewport = (VkViewport){0, 0, 64, 64, 0, 1};
    g->scissor.extent = (VkExtent2D){64, 64};
    g->viewports = vk_struct_init(VkPipelineViewportStateCreateInfo);
    g->viewports.viewportCount = g->viewports.scissorCount = 1;
    g->viewports.pViewports = &g->viewport;
    g->viewports.pScissors = &g->scissor;
    g->rasterization = vk_struct_init(VkPipelineRasterizationStateCreateInfo);
    g->rasterization.lineWidth = 1.0f;
    g->multisample = vk_struct_init(VkPipelineMultisampleStateCreateInfo);
    g->multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    g->blend.colorWriteMask = 0xf;
    g->blends = vk_struct_init(VkPipelineColorBlendStateCreateInfo);
    g->blends.attachmentCount = 1;
    g->blends.pAttachments = &g->blend;
    g->format = format;
    g->rendering = vk_struct_init(VkPipelineRenderingCreateInfo);
    g->rendering.colorAttachmentCount = 1;
    g->rendering.pColorAttachmentFormats = &g->format;
    g->feedback_info = vk_struct_init(VkPipelineCreationFeedbackCreateInfo);
    g->feedback_info.pPipelineCreationFeedback = &g->feedback;
    g->feedback_info.pipelineStageCreationFeedbackCount = 2;
    g->feedback_info.pPipelineStageCreationFeedbacks = g->stage_feedbacks;
    g->info = vk_struct_init(VkGraphicsPipelineCreateInfo);
    g->info.stageCount = 2;
    g->info.pStages = g->stages;
    g->info.pVertexInputState = &g->vertex_input;
    g->info.pInputAssemblyState = &g->input_assembly;
    g->info.pViewportState = &g->viewports;
    g->info.pRasterizationState = &g->rasterization;
    g->info.pMultisampleState = &g->multisample;
    g->info.pColorBlendState = &g->blends;
    g->info.layout = layout;
    vk_append_struct(&g->info, &g->rendering);
    vk_append_struct(&g->info, &g->feedback_info);
}

/* Only some parts; the pointers of the others are poison, for nobody may look at them. */
static void graphics_make_library(struct graphics *g, VkGraphicsPipelineLibraryFlagsEXT subsets)
{
    void *poison = (void *)(uintptr_t)0x10;
    g->info.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    g->subsets = vk_struct_init(VkGraphicsPipelineLibraryCreateInfoEXT);
    g->subsets.flags = subsets;
    vk_append_struct(&g->info, &g->subsets);
    if (!(subsets & VERTEX_INPUT)) {
        g->info.pVertexInputState = poison;
        g->info.pInputAssemblyState = poison;
    }
    if (!(subsets & PRE_RASTERIZATION)) {
        g->info.pViewportState = poison;
        g->info.pRasterizationState = poison;
        g->info.stageCount = 1; /* the fragment shader */
    }
    if (!(subsets & FRAGMENT_SHADER) && (subsets & PRE_RASTERIZATION)) {
        g->info.pStages = &g->stages[1];
        g->info.stageCount = 1;
    }
    if (!(subsets & (PRE_RASTERIZATION | FRAGMENT_SHADER))) {
        g->info.pStages = poison;
        g->info.stageCount = 0;
        g->info.layout = VK_NULL_HANDLE;
    }
    if (!(subsets & FRAGMENT_OUTPUT))
        g->info.pColorBlendState = poison;
    if (!(subsets & (FRAGMENT_OUTPUT | FRAGMENT_SHADER)))
        g->info.pMultisampleState = poison;
    g->feedback_info.pipelineStageCreationFeedbackCount = g->info.stageCount;
}

/* Nothing but libraries. */
static void graphics_link(struct graphics *g, const VkPipeline *libraries, uint32_t count, VkPipelineLayout layout)
{
    memset(g, 0, sizeof(*g));
    g->libraries = vk_struct_init(VkPipelineLibraryCreateInfoKHR);
    g->libraries.libraryCount = count;
    g->libraries.pLibraries = libraries;
    g->feedback_info = vk_struct_init(VkPipelineCreationFeedbackCreateInfo);
    g->feedback_info.pPipelineCreationFeedback = &g->feedback;
    g->info = vk_struct_init(VkGraphicsPipelineCreateInfo);
    g->info.layout = layout;
    vk_append_struct(&g->info, &g->libraries);
    vk_append_struct(&g->info, &g->feedback_info);
}

static VkResult try_graphics(const struct graphics *g, VkPipelineCache cache, VkPipeline *pipeline_out)
{
    return vk_common_CreateGraphicsPipelines(dev(), cache, 1, &g->info, &fake_allocator, pipeline_out);
}

static VkPipeline make_graphics(const struct graphics *g, VkPipelineCache cache)
{
    VkPipeline pipeline;
    assert_int_equal(try_graphics(g, cache, &pipeline), VK_SUCCESS);
    return pipeline;
}

/* What the graphics tests need, all at once. */
struct scene {
    VkShaderModule vertex, fragment;
    VkPipelineLayout layout, vertex_layout, fragment_layout; /* the whole, and each stage's part of it */
};

static void scene_init(struct scene *scene)
{
    VkPushConstantRange push[] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    scene->vertex = MODULE(pipeline_vert);
    scene->fragment = MODULE(pipeline_frag);
    scene->layout = new_layout(2, (uint32_t[]){1, 2}, push, 2);
    scene->vertex_layout = new_layout(2, (uint32_t[]){1, 0}, push, 2);
    scene->fragment_layout = new_layout(2, (uint32_t[]){0, 2}, push, 2);
}

static void scene_finish(struct scene *scene)
{
    vk_common_DestroyShaderModule(dev(), scene->vertex, NULL);
    vk_common_DestroyShaderModule(dev(), scene->fragment, NULL);
    vk_common_DestroyPipelineLayout(dev(), scene->layout, NULL);
    vk_common_DestroyPipelineLayout(dev(), scene->vertex_layout, NULL);
    vk_common_DestroyPipelineLayout(dev(), scene->fragment_layout, NULL);
}

static void stages_are_compiled_together(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE);
    const struct fake_shader *vertex = fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT);
    const struct fake_shader *fragment = fake_shader_of(pipeline, VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_int_equal(fake_shaders.compiles, 1);
    assert_int_equal(vertex->next_stages, VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_int_equal(fragment->next_stages, 0);
    assert_int_equal(vertex->push.offset, 0);
    assert_int_equal(fragment->push.offset, 16);
    assert_int_equal(fragment->color_format, VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(g.feedback.flags, VALID);
    assert_int_equal(g.stage_feedbacks[0].flags, VALID);
    assert_true(g.feedback.duration >= g.stage_feedbacks[0].duration + g.stage_feedbacks[1].duration);

    /* State that the compiler does not look at gives the same shaders, other state others. */
    g.rasterization.cullMode = VK_CULL_MODE_BACK_BIT;
    VkPipeline culled = make_graphics(&g, VK_NULL_HANDLE);
    g.format = VK_FORMAT_R32G32B32A32_SFLOAT;
    VkPipeline wide = make_graphics(&g, VK_NULL_HANDLE);
    assert_ptr_equal(fake_shader_of(culled, VK_SHADER_STAGE_VERTEX_BIT), vertex);
    assert_ptr_not_equal(fake_shader_of(wide, VK_SHADER_STAGE_FRAGMENT_BIT), fragment);
    assert_int_equal(fake_shaders.compiles, 2);
    destroy(pipeline);
    destroy(culled);
    destroy(wide);
    scene_finish(&scene);
}

static void a_bind_sets_shaders_and_static_state(void **state)
{
    struct scene scene;
    struct graphics g;
    struct compute c;
    scene_init(&scene);
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    compute_init(&c, module, layout, 8);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    g.rasterization.cullMode = VK_CULL_MODE_FRONT_BIT;
    VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_LINE_WIDTH};
    VkPipelineDynamicStateCreateInfo dynamic = vk_struct_init(VkPipelineDynamicStateCreateInfo);
    dynamic.dynamicStateCount = 1;
    dynamic.pDynamicStates = dynamic_states;
    g.info.pDynamicState = &dynamic;
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE), compute = make_compute(&c, VK_NULL_HANDLE);

    static struct vk_command_buffer command_buffer;
    memset(&command_buffer, 0, sizeof(command_buffer));
    vk_object_base_init(&command_buffer.base, &device, VK_OBJECT_TYPE_COMMAND_BUFFER);
    VkCommandBuffer handle = vk_command_buffer_to_handle(&command_buffer);
    vk_common_CmdBindPipeline(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    assert_int_equal(fake_shaders.bound_stages, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_ptr_equal(fake_shaders.bound_pipeline, vk_pipeline_from_handle(pipeline));
    assert_non_null(fake_shaders.bound_pipeline->driver_data);
    assert_int_equal(command_buffer.dynamic_state.rs.cull_mode, VK_CULL_MODE_FRONT_BIT);
    assert_true(command_buffer.dynamic_state.set & VK_DYN(CULL_MODE));
    assert_true(command_buffer.dynamic_state.dirty & VK_DYN(CULL_MODE));
    assert_false(command_buffer.dynamic_state.set & VK_DYN(LINE_WIDTH));

    vk_common_CmdBindPipeline(handle, VK_PIPELINE_BIND_POINT_COMPUTE, compute);
    assert_int_equal(fake_shaders.bound_stages, VK_SHADER_STAGE_COMPUTE_BIT);
    assert_ptr_equal(fake_shaders.bound[vk_stage_index(VK_SHADER_STAGE_COMPUTE_BIT)],
                     vk_pipeline_from_handle(compute)->shaders[vk_stage_index(VK_SHADER_STAGE_COMPUTE_BIT)]);
    vk_object_base_finish(&command_buffer.base);
    destroy(pipeline);
    destroy(compute);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
    scene_finish(&scene);
}

static void without_rasterization_there_is_no_fragment_shader(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    g.rasterization.rasterizerDiscardEnable = VK_TRUE;
    g.info.pViewportState = (void *)(uintptr_t)0x10; /* all ignored */
    g.info.pMultisampleState = (void *)(uintptr_t)0x10;
    g.info.pColorBlendState = (void *)(uintptr_t)0x10;
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE);
    assert_null(fake_shader_of(pipeline, VK_SHADER_STAGE_FRAGMENT_BIT));
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT)->next_stages, 0);
    assert_int_equal(g.stage_feedbacks[0].flags, 0);
    assert_int_equal(g.stage_feedbacks[1].flags, VALID);
    destroy(pipeline);
    scene_finish(&scene);
}

static void executables_are_counted_through_all_stages(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE);
    VkPipelineInfoKHR info = vk_struct_init(VkPipelineInfoKHR);
    info.pipeline = pipeline;
    uint32_t count;
    assert_int_equal(vk_common_GetPipelineExecutablePropertiesKHR(dev(), &info, &count, NULL), VK_SUCCESS);
    assert_int_equal(count, 3); /* one of the vertex, two of the fragment shader */
    VkPipelineExecutablePropertiesKHR properties[4];
    memset(properties, 0, sizeof(properties));
    count = 4;
    assert_int_equal(vk_common_GetPipelineExecutablePropertiesKHR(dev(), &info, &count, properties), VK_SUCCESS);
    assert_int_equal(count, 3);
    assert_int_equal(properties[0].stages, VK_SHADER_STAGE_VERTEX_BIT);
    assert_string_equal(properties[2].name, "1 of stage 16");
    memset(properties, 0, sizeof(properties));
    count = 2;
    assert_int_equal(vk_common_GetPipelineExecutablePropertiesKHR(dev(), &info, &count, properties), VK_INCOMPLETE);
    assert_int_equal(count, 2);
    assert_string_equal(properties[1].name, "0 of stage 16");
    assert_int_equal(properties[2].stages, 0);

    VkPipelineExecutableInfoKHR executable = vk_struct_init(VkPipelineExecutableInfoKHR);
    executable.pipeline = pipeline;
    executable.executableIndex = 2;
    VkPipelineExecutableStatisticKHR statistic = vk_struct_init(VkPipelineExecutableStatisticKHR);
    count = 1;
    assert_int_equal(vk_common_GetPipelineExecutableStatisticsKHR(dev(), &executable, &count, &statistic), VK_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(statistic.value.u64, VK_SHADER_STAGE_FRAGMENT_BIT << 8 | 1);
    count = 7;
    assert_int_equal(vk_common_GetPipelineExecutableInternalRepresentationsKHR(dev(), &executable, &count, NULL),
                     VK_SUCCESS);
    assert_int_equal(count, 0);
    destroy(pipeline);
    scene_finish(&scene);
}

/* ---- libraries ---- */

/* The four parts of one triangle. */
static VkResult try_libraries(const struct scene *scene, VkPipelineCache cache, VkPipelineCreateFlags flags,
                              VkPipeline libraries_out[4])
{
    static const VkGraphicsPipelineLibraryFlagsEXT parts[] = {VERTEX_INPUT, PRE_RASTERIZATION, FRAGMENT_SHADER,
                                                              FRAGMENT_OUTPUT};
    VkPipelineLayout layouts[] = {VK_NULL_HANDLE, scene->vertex_layout, scene->fragment_layout, VK_NULL_HANDLE};
    memset(libraries_out, 0, 4 * sizeof(*libraries_out));
    for (uint32_t i = 0; i < 4; i++) {
        struct graphics g;
        graphics_init(&g, scene->vertex, scene->fragment, layouts[i], VK_FORMAT_R8G8B8A8_UNORM);
        graphics_make_library(&g, parts[i]);
        g.info.flags |= flags;
        VkResult result = try_graphics(&g, cache, &libraries_out[i]);
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

static void destroy_libraries(VkPipeline libraries[4])
{
    for (uint32_t i = 0; i < 4; i++)
        destroy(libraries[i]);
}

static void linked_libraries_are_the_whole_pipeline(void **state)
{
    struct scene scene;
    struct graphics whole, linked, half;
    VkPipeline libraries[4], pipelines[4];
    scene_init(&scene);
    graphics_init(&whole, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    pipelines[0] = make_graphics(&whole, VK_NULL_HANDLE);
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    assert_int_equal(fake_shaders.compiles, 1);
    assert_int_equal(fake_shaders.pipelines, 1); /* a library has nothing of the driver's */

    /* At once, and in two steps with a library of libraries between; with the final layout and without. */
    graphics_link(&linked, libraries, 4, scene.layout);
    pipelines[1] = make_graphics(&linked, VK_NULL_HANDLE);
    graphics_link(&linked, libraries, 4, VK_NULL_HANDLE);
    pipelines[2] = make_graphics(&linked, VK_NULL_HANDLE);
    VkPipeline two[2];
    graphics_link(&half, libraries, 3, VK_NULL_HANDLE);
    half.info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    two[0] = make_graphics(&half, VK_NULL_HANDLE);
    two[1] = libraries[3];
    graphics_link(&linked, two, 2, scene.layout);
    pipelines[3] = make_graphics(&linked, VK_NULL_HANDLE);
    destroy_libraries(libraries);
    destroy(two[0]);

    assert_int_equal(fake_shaders.compiles, 1);
    for (uint32_t i = 1; i < 4; i++) {
        struct vk_pipeline *pipeline = vk_pipeline_from_handle(pipelines[i]);
        assert_int_equal(pipeline->stages, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
        assert_memory_equal(pipeline->shaders, vk_pipeline_from_handle(pipelines[0])->shaders,
                            sizeof(pipeline->shaders));
        const struct vk_dynamic_graphics_state *dynamic = vk_graphics_pipeline(pipeline)->dynamic;
        assert_int_equal(dynamic->ia.topology, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        assert_int_equal(dynamic->cb.write_masks[0], 0xf);
        assert_int_equal(dynamic->vp.viewport_count, 1);
        assert_int_equal(dynamic->set, VK_DYN_ALL);
    }
    for (uint32_t i = 0; i < 4; i++)
        destroy(pipelines[i]);

    /* Without the whole before: the link compiles, from what the libraries kept, as often as it is asked to. */
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    graphics_link(&linked, libraries, 4, VK_NULL_HANDLE);
    linked.info.flags = FAIL_ON_COMPILE;
    assert_int_equal(try_graphics(&linked, VK_NULL_HANDLE, &pipelines[0]), VK_PIPELINE_COMPILE_REQUIRED);
    linked.info.flags = 0;
    for (uint32_t i = 0; i < 2; i++) {
        pipelines[0] = make_graphics(&linked, VK_NULL_HANDLE);
        const struct fake_shader *fragment = fake_shader_of(pipelines[0], VK_SHADER_STAGE_FRAGMENT_BIT);
        assert_int_equal(fake_shaders.compiles, 2 + i);
        assert_int_equal(fragment->set_count, 2);
        assert_int_equal(fragment->sets_open, 0); /* each library left one open */
        destroy(pipelines[0]);
    }
    destroy_libraries(libraries);
    scene_finish(&scene);
}

/* A pipeline may bring the last parts itself. */
static void a_pipeline_may_complete_libraries(void **state)
{
    struct scene scene;
    struct graphics rest;
    VkPipeline libraries[4];
    scene_init(&scene);
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    graphics_init(&rest, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    graphics_make_library(&rest, FRAGMENT_SHADER | FRAGMENT_OUTPUT);
    rest.info.flags = 0;
    rest.libraries = vk_struct_init(VkPipelineLibraryCreateInfoKHR);
    rest.libraries.libraryCount = 2;
    rest.libraries.pLibraries = libraries;
    vk_append_struct(&rest.info, &rest.libraries);
    VkPipeline pipeline = make_graphics(&rest, VK_NULL_HANDLE);
    assert_int_equal(vk_pipeline_from_handle(pipeline)->stages,
                     VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT)->next_stages, VK_SHADER_STAGE_FRAGMENT_BIT);
    destroy(pipeline);
    destroy_libraries(libraries);
    scene_finish(&scene);
}

static void libraries_use_the_cache(void **state)
{
    struct scene scene;
    struct graphics g;
    VkPipeline libraries[4], pipeline;
    scene_init(&scene);
    VkPipelineCache cache = new_cache(NULL, 0);
    VkPipeline early[4];
    assert_int_equal(try_libraries(&scene, cache, FAIL_ON_COMPILE, early), VK_PIPELINE_COMPILE_REQUIRED);
    destroy_libraries(early);
    assert_int_equal(try_libraries(&scene, cache, 0, libraries), VK_SUCCESS);
    graphics_link(&g, libraries, 4, scene.layout);
    destroy(make_graphics(&g, cache));
    assert_int_equal(g.feedback.flags, VALID);
    destroy_libraries(libraries);

    /* In the next run everything is there: stages for libraries, even by identifiers alone, and shaders for the link.
     */
    cache = through_a_file(cache);
    assert_int_equal(try_libraries(&scene, cache, FAIL_ON_COMPILE, libraries), VK_SUCCESS);
    graphics_link(&g, libraries, 4, scene.layout);
    g.info.flags = FAIL_ON_COMPILE;
    destroy(make_graphics(&g, cache));
    assert_int_equal(g.feedback.flags, VALID | HIT);
    assert_int_equal(fake_shaders.compiles, 1);

    /* What came back from the file as IR can be compiled. */
    graphics_link(&g, libraries, 4, scene.layout);
    g.info.flags = VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT;
    pipeline = make_graphics(&g, VK_NULL_HANDLE);
    assert_int_equal(fake_shaders.compiles, 2);
    destroy(pipeline);
    destroy_libraries(libraries);

    VkShaderModuleIdentifierEXT identifier = vk_struct_init(VkShaderModuleIdentifierEXT);
    vk_common_GetShaderModuleIdentifierEXT(dev(), scene.vertex, &identifier);
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT by_identifier =
        vk_struct_init(VkPipelineShaderStageModuleIdentifierCreateInfoEXT);
    by_identifier.identifierSize = identifier.identifierSize;
    by_identifier.pIdentifier = identifier.identifier;
    graphics_init(&g, VK_NULL_HANDLE, VK_NULL_HANDLE, scene.vertex_layout, VK_FORMAT_UNDEFINED);
    graphics_make_library(&g, PRE_RASTERIZATION);
    g.info.flags |= FAIL_ON_COMPILE;
    vk_append_struct(&g.stages[1], &by_identifier);
    destroy(make_graphics(&g, cache));
    assert_int_equal(g.stage_feedbacks[0].flags, VALID | HIT);
    assert_int_equal(try_graphics(&g, VK_NULL_HANDLE, &pipeline), VK_PIPELINE_COMPILE_REQUIRED);

    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    scene_finish(&scene);
}

/* Two threads link one library: cloning must not disturb the other. */
static void *link_often(void *argument)
{
    for (uint32_t i = 0; i < 100; i++) {
        struct graphics g;
        VkPipeline pipeline;
        graphics_link(&g, argument, 4, VK_NULL_HANDLE);
        g.info.flags = i % 2 ? VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT : 0;
        if (try_graphics(&g, VK_NULL_HANDLE, &pipeline) != VK_SUCCESS)
            return argument;
        destroy(pipeline);
    }
    return NULL;
}

static void threads_link_one_library(void **state)
{
    struct scene scene;
    VkPipeline libraries[4];
    scene_init(&scene);
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    pthread_t threads[4];
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, link_often, libraries), 0);
    for (uint32_t i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    destroy_libraries(libraries);
    scene_finish(&scene);
}

/* ---- no memory ---- */

/* Everything that allocates, as one program: the first error ends it, and it cleans up what it has. */
struct program {
    struct scene scene;
    VkShaderModule compute;
    VkPipelineCache cache;
    VkPipeline pipelines[2], libraries[4];
    VkDescriptorUpdateTemplate template;
};

static VkResult program_objects(struct program *p, const void *data, size_t size_B)
{
    VkPushConstantRange push[] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    VkResult results[] = {
        try_module(pipeline_comp, sizeof(pipeline_comp), &p->compute),
        try_module(pipeline_vert, sizeof(pipeline_vert), &p->scene.vertex),
        try_module(pipeline_frag, sizeof(pipeline_frag), &p->scene.fragment),
        try_layout(2, (uint32_t[]){1, 2}, push, 2, &p->scene.layout),
        try_layout(2, (uint32_t[]){1, 0}, push, 2, &p->scene.vertex_layout),
        try_layout(2, (uint32_t[]){0, 2}, push, 2, &p->scene.fragment_layout),
        VK_SUCCESS,
    };
    VkPipelineCacheCreateInfo info = vk_struct_init(VkPipelineCacheCreateInfo);
    info.pInitialData = data;
    info.initialDataSize = size_B;
    results[6] = vk_common_CreatePipelineCache(dev(), &info, NULL, &p->cache);
    for (uint32_t i = 0; i < ARRAY_SIZE(results); i++) {
        if (results[i] != VK_SUCCESS)
            return results[i];
    }
    return VK_SUCCESS;
}

static VkResult program_pipelines(struct program *p)
{
    struct compute c;
    struct graphics g;
    compute_init(&c, p->compute, p->scene.layout, 8);
    VkResult result = try_compute(&c, p->cache, &p->pipelines[0]);
    if (result == VK_SUCCESS)
        result = try_libraries(&p->scene, p->cache, 0, p->libraries);
    if (result != VK_SUCCESS)
        return result;
    graphics_link(&g, p->libraries, 4, VK_NULL_HANDLE);
    result = try_graphics(&g, p->cache, &p->pipelines[1]);
    if (result != VK_SUCCESS)
        return result;
    VkDescriptorUpdateTemplateCreateInfo info = vk_struct_init(VkDescriptorUpdateTemplateCreateInfo);
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
    info.pipelineLayout = p->scene.layout;
    return vk_common_CreateDescriptorUpdateTemplate(dev(), &info, &fake_allocator, &p->template);
}

static VkResult program_run(const void *data, size_t size_B)
{
    struct program p;
    memset(&p, 0, sizeof(p));
    VkResult result = program_objects(&p, data, size_B);
    if (result == VK_SUCCESS)
        result = program_pipelines(&p);
    vk_common_DestroyDescriptorUpdateTemplate(dev(), p.template, &fake_allocator);
    destroy(p.pipelines[0]);
    destroy(p.pipelines[1]);
    destroy_libraries(p.libraries);
    vk_common_DestroyPipelineCache(dev(), p.cache, NULL);
    vk_common_DestroyShaderModule(dev(), p.compute, NULL);
    scene_finish(&p.scene);
    return result;
}

/* A cache's file with the shaders and stages of that program. */
static void *program_file(size_t *size_B)
{
    struct program p;
    memset(&p, 0, sizeof(p));
    assert_int_equal(program_objects(&p, NULL, 0), VK_SUCCESS);
    assert_int_equal(program_pipelines(&p), VK_SUCCESS);
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), p.cache, size_B, NULL), VK_SUCCESS);
    void *data = malloc(*size_B);
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), p.cache, size_B, data), VK_SUCCESS);
    vk_common_DestroyDescriptorUpdateTemplate(dev(), p.template, &fake_allocator);
    destroy(p.pipelines[0]);
    destroy(p.pipelines[1]);
    destroy_libraries(p.libraries);
    vk_common_DestroyPipelineCache(dev(), p.cache, NULL);
    vk_common_DestroyShaderModule(dev(), p.compute, NULL);
    scene_finish(&p.scene);
    return data;
}

static void every_allocation_may_fail(void **state)
{
    size_t size_B;
    void *data = program_file(&size_B);
    int32_t before = fake_memory.living;
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t errors = 0, call = 1;
        for (bool all_seen = false; !all_seen; call++) {
            fake_memory_fail_at(call);
            VkResult result = program_run(round ? data : NULL, round ? size_B : 0);
            all_seen = fake_memory.failures == 0;
            errors += result != VK_SUCCESS;
            if (result != VK_SUCCESS && (all_seen || result != VK_ERROR_OUT_OF_HOST_MEMORY))
                fail_msg("allocation %u failed: result %d", call, result);
            if (fake_memory.living != before || fake_shaders.living || fake_shaders.pipelines || fake_set_layouts)
                fail_msg("allocation %u failed: %d allocations left", call, fake_memory.living - before);
        }
        /* All but what only a cache wanted to remember. */
        print_message("%u allocations, %u errors\n", call - 2, errors);
        assert_true(errors > 20 && errors >= (call - 2) / 2);
    }
    fake_memory_fail_at(0);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(layouts_hold_their_sets_and_are_known_by_content),
        TEST(layouts_of_parts_become_one),
        TEST(templates_keep_their_entries),
        TEST(the_compiler_is_told_everything),
        TEST(equal_pipelines_share_one_shader),
        TEST(everything_that_matters_is_in_the_key),
        TEST(caches_answer_and_say_so),
        TEST(an_identifier_stands_for_words_that_are_cached),
        TEST(one_of_many_may_fail),
        TEST(broken_modules_are_refused),
        TEST(threads_share_shaders),
        TEST(stages_are_compiled_together),
        TEST(a_bind_sets_shaders_and_static_state),
        TEST(without_rasterization_there_is_no_fragment_shader),
        TEST(executables_are_counted_through_all_stages),
        TEST(linked_libraries_are_the_whole_pipeline),
        TEST(a_pipeline_may_complete_libraries),
        TEST(libraries_use_the_cache),
        TEST(threads_link_one_library),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
