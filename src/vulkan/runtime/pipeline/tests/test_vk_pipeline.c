/* Layouts, templates, compute pipelines, and the two places where shaders are looked for. Graphics:
 * test_vk_pipeline_graphics.c. */
#include "vulkan/runtime/pipeline/tests/pipeline_test.h"

#include <pthread.h>

#include "compiler/ir/ir.h"
#include "util/strbuf.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update_template.h"
#include "vulkan/runtime/pipeline/vk_code_parts.h"
#include "vulkan/runtime/pipeline/vk_stage_ir.h"

/* ---- code ---- */

static void parts_of_code_come_back_and_forged_sizes_do_not(void **state)
{
    struct vk_device *device = vk_device_from_handle(dev());
    static const uint8_t key[VK_HASH_SIZE_B];
    static const uint32_t words[3] = {1, 2, 3};
    const struct vk_code_part parts[4] = {{words, sizeof(words)}, {0}, vk_code_text(NULL), vk_code_text("mov")};
    struct vk_code_part read[4];
    struct vk_code *code = vk_code_pack(device, VK_SHADER_STAGE_COMPUTE_BIT, key, parts, 4);
    assert_true(vk_code_unpack(code, read, 4, 2));
    assert_int_equal(read[0].size_B, sizeof(words));
    assert_memory_equal(read[0].bytes, words, sizeof(words));
    assert_null(read[1].bytes);
    assert_null(read[2].bytes);
    assert_string_equal(read[3].bytes, "mov");

    assert_false(vk_code_unpack(code, read, 5, 2));
    uint32_t *sizes = (uint32_t *)(void *)code->bytes;
    static const uint32_t forged[] = {0, 8, 17, 64, 0x7fffffff, 0xffffffff};
    for (unsigned i = 0; i < ARRAY_SIZE(forged); i++) {
        sizes[0] = forged[i];
        assert_false(vk_code_unpack(code, read, 4, 2));
    }
    sizes[0] = sizeof(words);
    code->bytes[code->size_B - 5] = 'x'; /* the text's end */
    assert_false(vk_code_unpack(code, read, 4, 2));
    vk_code_destroy(device, code);
}

/* ---- layouts ---- */

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
    assert_int_equal(layout->set_count, 2); /* it still has a reference */
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

    const struct fake_note *first = fake_shader_of(a, VK_SHADER_STAGE_COMPUTE_BIT);
    const struct fake_note *second = fake_shader_of(b, VK_SHADER_STAGE_COMPUTE_BIT);
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
    /* A stage's robustness stands for the pipeline's whole, and "default" for the features. */
    assert_int_equal(second->robustness.uniform_buffers, VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT);
    assert_int_equal(second->robustness.storage_buffers,
                     VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT);
    assert_int_equal(second->robustness.images, VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED_EXT);
    assert_int_equal(second->required_subgroup_size, 32);
    assert_int_equal(second->ir_subgroup_size, 32);
    assert_true(second->require_full);
    assert_false(second->allow_varying); /* SPIR-V 1.3 */
    assert_int_equal(second->flags, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
    destroy_pipeline(a);
    destroy_pipeline(b);
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
    /* An equal value, lying elsewhere. */
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
    destroy_pipeline(a);
    assert_int_equal(fake_shaders.living, 2);
    destroy_pipeline(b);
    assert_int_equal(fake_shaders.living, 1);
    destroy_pipeline(make_compute(&c, VK_NULL_HANDLE));
    assert_int_equal(fake_shaders.compiles, 3);
    destroy_pipeline(other);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyPipelineLayout(dev(), equal, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
    vk_common_DestroyShaderModule(dev(), twin, NULL);
}

/* The table of shaders grows with them, and is small again when they are gone. */
static void many_shaders_are_found_and_leave_nothing(void **state)
{
    enum {
        COUNT = 5000
    };
    static VkPipeline pipelines[COUNT];
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    struct compute c;
    for (uint32_t i = 0; i < COUNT; i++) {
        compute_init(&c, module, layout, i + 1);
        pipelines[i] = make_compute(&c, VK_NULL_HANDLE);
    }
    assert_int_equal(device.living_shaders.count, COUNT);
    assert_in_range(device.living_shaders.num_buckets, COUNT, 2 * COUNT);
    assert_int_equal(fake_shaders.compiles, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) { /* each of them is there, and goes in another order than it came */
        uint32_t other = i * 7 % COUNT;
        compute_init(&c, module, layout, other + 1);
        VkPipeline again = make_compute(&c, VK_NULL_HANDLE);
        assert_ptr_equal(fake_shader_of(again, VK_SHADER_STAGE_COMPUTE_BIT),
                         fake_shader_of(pipelines[other], VK_SHADER_STAGE_COMPUTE_BIT));
        destroy_pipeline(again);
        destroy_pipeline(pipelines[other]);
    }
    assert_int_equal(fake_shaders.compiles, COUNT);
    assert_ptr_equal(device.living_shaders.buckets, device.living_shaders.least);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
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
    destroy_pipeline(same);
    for (uint32_t i = 0; i < ARRAY_SIZE(c); i++)
        destroy_pipeline(pipelines[i]);
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
    destroy_pipeline(make_compute(&c, cache));
    assert_int_equal(c.feedback.flags, VALID);
    assert_int_equal(c.stage_feedback.flags, VALID);
    assert_true(c.feedback.duration >= c.stage_feedback.duration);
    assert_int_equal(fake_shaders.living, 1); /* the cache has it */

    c.info.flags = FAIL_ON_COMPILE;
    destroy_pipeline(make_compute(&c, cache));
    assert_int_equal(c.feedback.flags, VALID | HIT);
    assert_int_equal(c.stage_feedback.flags, VALID | HIT);
    assert_int_equal(fake_shaders.compiles, 1);

    cache = through_a_file(cache);
    pipeline = make_compute(&c, cache);
    assert_int_equal(c.feedback.flags, VALID | HIT);
    assert_int_equal(fake_shaders.compiles, 1);
    assert_int_equal(fake_shaders.loads, 2); /* of the same code */
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_COMPUTE_BIT)->generation, 1);
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_COMPUTE_BIT)->workgroup_size_x, 24);

    /* A second cache learns of it from the living, and another of the same bytes shares the object. */
    VkPipelineCache second = new_cache(NULL, 0);
    destroy_pipeline(make_compute(&c, second));
    assert_int_equal(c.feedback.flags, VALID);
    destroy_pipeline(make_compute(&c, second));
    assert_int_equal(c.feedback.flags, VALID | HIT);
    second = through_a_file(second);
    assert_int_equal(fake_shaders.living, 1);

    destroy_pipeline(pipeline);
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
    destroy_pipeline(make_compute(&c, cache));
    destroy_pipeline(make_compute(&d, cache));
    assert_int_equal(d.feedback.flags, VALID | HIT);
    /* An identifier of another implementation. */
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
    destroy_pipeline(pipelines[1]);
    destroy_pipeline(pipelines[3]);

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
    fake_shaders.bake_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
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
    VkPipeline living = make_compute(&c, VK_NULL_HANDLE);
    c.info.stage.pName = "nowhere";
    assert_int_equal(try_compute(&c, VK_NULL_HANDLE, &pipeline), VK_ERROR_UNKNOWN);
    destroy_pipeline(living);
    compute_init(&c, good, layout, 8);
    c.entry.size = 2; /* of a constant of four bytes */
    assert_int_equal(try_compute(&c, VK_NULL_HANDLE, &pipeline), VK_ERROR_UNKNOWN);
    device.enabled_extensions.NV_glsl_shader = true;
    assert_int_equal(try_compute(&c, VK_NULL_HANDLE, &pipeline), VK_ERROR_INVALID_SHADER_NV);
    assert_int_equal(fake_shaders.compiles, 1);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), broken, NULL);
    vk_common_DestroyShaderModule(dev(), good, NULL);
    vk_common_DestroyShaderModule(dev(), none, NULL);
}

/* A file is not trusted: the key names the stage, and what does not fit it is no shader. */
static void shaders_of_another_stage_are_not_taken(void **state)
{
    uint32_t shader[2 + sizeof(struct fake_note) / 4] = {VK_SHADER_STAGE_COMPUTE_BIT};
    struct ir_shader *ir = ir_shader_create(IR_STAGE_compute);
    struct strbuf text = {0};
    ir_print(ir, &text);
    ir_shader_destroy(ir);
    uint8_t key[VK_HASH_SIZE_B] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        vk_key_set_stage(key, i ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_VERTEX_BIT);
        shader[0] = i == 2 ? 0 : VK_SHADER_STAGE_COMPUTE_BIT;
        struct vk_cached *cached = vk_shader_cached_ops.deserialize(&device, key, shader, sizeof(shader));
        assert_int_equal(cached != NULL, i == 1);
        vk_cached_unref(&device, cached);
        assert_null(vk_shader_cached_ops.deserialize(&device, key, shader, sizeof(shader) - 4)); /* no code of ours */
        cached = vk_stage_ir_cached_ops.deserialize(&device, key, text.text, text.length + (i != 2));
        assert_int_equal(cached != NULL, i == 1);
        vk_cached_unref(&device, cached);
    }
    strbuf_finish(&text);
}

/* A driver's own stages come as IR. */
static void a_stage_may_be_ir(void **state)
{
    struct ir_shader *ir = ir_shader_create(IR_STAGE_compute);
    assert_non_null(ir);
    ir->workgroup_size[0] = 7;
    VkPipelineLayout layout = compute_layout();
    struct vk_stage_ir_create_info given = {.sType = VK_STRUCTURE_TYPE_STAGE_IR, .ir = ir, .hash = {1}};
    struct compute c;
    compute_init(&c, VK_NULL_HANDLE, layout, 0);
    c.info.stage.pSpecializationInfo = NULL;
    c.info.stage.pNext = &given;
    VkPipeline a = make_compute(&c, VK_NULL_HANDLE), b = make_compute(&c, VK_NULL_HANDLE);
    given.hash[0] = 2;
    VkPipeline other = make_compute(&c, VK_NULL_HANDLE);
    assert_int_equal(fake_shader_of(a, VK_SHADER_STAGE_COMPUTE_BIT)->workgroup_size_x, 7);
    assert_ptr_equal(fake_shader_of(a, VK_SHADER_STAGE_COMPUTE_BIT), fake_shader_of(b, VK_SHADER_STAGE_COMPUTE_BIT));
    assert_int_equal(fake_shaders.compiles, 2);
    destroy_pipeline(a);
    destroy_pipeline(b);
    destroy_pipeline(other);
    ir_shader_destroy(ir);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
}

/* Many threads make and destroy the same few pipelines: a shader that dies must not be found again. */
static void *churn_pipelines(void *argument)
{
    const struct compute *c = argument;
    for (uint32_t i = 0; i < 300; i++) {
        VkPipeline pipeline;
        if (try_compute(&c[i % 3], VK_NULL_HANDLE, &pipeline) != VK_SUCCESS)
            return (void *)c;
        if (fake_shader_of(pipeline, VK_SHADER_STAGE_COMPUTE_BIT)->workgroup_size_x != i % 3 + 1)
            return (void *)c;
        destroy_pipeline(pipeline);
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
        assert_int_equal(pthread_create(&threads[i], NULL, churn_pipelines, c), 0);
    for (uint32_t i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(parts_of_code_come_back_and_forged_sizes_do_not),
        TEST(layouts_hold_their_sets_and_are_known_by_content),
        TEST(layouts_of_parts_become_one),
        TEST(templates_keep_their_entries),
        TEST(the_compiler_is_told_everything),
        TEST(equal_pipelines_share_one_shader),
        TEST(many_shaders_are_found_and_leave_nothing),
        TEST(everything_that_matters_is_in_the_key),
        TEST(caches_answer_and_say_so),
        TEST(an_identifier_stands_for_words_that_are_cached),
        TEST(one_of_many_may_fail),
        TEST(broken_modules_are_refused),
        TEST(shaders_of_another_stage_are_not_taken),
        TEST(a_stage_may_be_ir),
        TEST(threads_share_shaders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
