/* Ray tracing pipelines: shaders, groups, libraries, handles, the stack. */
#include "vulkan/runtime/pipeline/tests/pipeline_test.h"

#include "compiler/ir/ir.h"
#include "vulkan/runtime/pipeline/vk_stage_ir.h"

/* Stages of a pipeline as IR, with a number each that stands for their program. */
struct stages {
    uint32_t count;
    struct ir_shader *irs[8];
    struct vk_stage_ir_create_info given[8];
    VkPipelineShaderStageCreateInfo infos[8];
};

static void add_stage(struct stages *stages, VkShaderStageFlagBits stage, enum ir_stage kind, uint8_t number)
{
    const uint32_t n = stages->count++;
    stages->irs[n] = ir_shader_create(kind);
    assert_non_null(stages->irs[n]);
    stages->given[n] =
        (struct vk_stage_ir_create_info){.sType = VK_STRUCTURE_TYPE_STAGE_IR, .ir = stages->irs[n], .hash = {number}};
    stages->infos[n] = vk_struct_init(VkPipelineShaderStageCreateInfo);
    stages->infos[n].pNext = &stages->given[n];
    stages->infos[n].stage = stage;
    stages->infos[n].pName = "main";
}

/* A generation shader, a miss shader, a closest hit and an any hit shader, an intersection and a callable shader. */
static void add_all(struct stages *stages)
{
    *stages = (struct stages){.count = 0};
    add_stage(stages, VK_SHADER_STAGE_RAYGEN_BIT_KHR, IR_STAGE_raygen, 1);
    add_stage(stages, VK_SHADER_STAGE_MISS_BIT_KHR, IR_STAGE_miss, 2);
    add_stage(stages, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, IR_STAGE_closest_hit, 3);
    add_stage(stages, VK_SHADER_STAGE_ANY_HIT_BIT_KHR, IR_STAGE_any_hit, 4);
    add_stage(stages, VK_SHADER_STAGE_INTERSECTION_BIT_KHR, IR_STAGE_intersection, 5);
    add_stage(stages, VK_SHADER_STAGE_CALLABLE_BIT_KHR, IR_STAGE_callable, 6);
}

static void drop_stages(struct stages *stages)
{
    for (uint32_t i = 0; i < stages->count; i++)
        ir_shader_destroy(stages->irs[i]);
}

#define NONE VK_SHADER_UNUSED_KHR

static VkRayTracingShaderGroupCreateInfoKHR group_of(VkRayTracingShaderGroupTypeKHR type, uint32_t general,
                                                     uint32_t closest, uint32_t any, uint32_t intersection)
{
    VkRayTracingShaderGroupCreateInfoKHR group = vk_struct_init(VkRayTracingShaderGroupCreateInfoKHR);
    group.type = type;
    group.generalShader = general;
    group.closestHitShader = closest;
    group.anyHitShader = any;
    group.intersectionShader = intersection;
    return group;
}

static VkRayTracingPipelineCreateInfoKHR info_of(const struct stages *stages, VkPipelineLayout layout,
                                                 const VkRayTracingShaderGroupCreateInfoKHR *groups, uint32_t count)
{
    VkRayTracingPipelineCreateInfoKHR info = vk_struct_init(VkRayTracingPipelineCreateInfoKHR);
    info.stageCount = stages->count;
    info.pStages = stages->infos;
    info.groupCount = count;
    info.pGroups = groups;
    info.maxPipelineRayRecursionDepth = 3;
    info.layout = layout;
    return info;
}

static VkResult try_rays(const VkRayTracingPipelineCreateInfoKHR *info, VkPipelineCache cache, VkPipeline *pipeline_out)
{
    return vk_common_CreateRayTracingPipelinesKHR(dev(), VK_NULL_HANDLE, cache, 1, info, &fake_allocator, pipeline_out);
}

static VkPipeline make_rays(const VkRayTracingPipelineCreateInfoKHR *info)
{
    VkPipeline pipeline;
    assert_int_equal(try_rays(info, VK_NULL_HANDLE, &pipeline), VK_SUCCESS);
    return pipeline;
}

static VkPipelineLayout rays_layout(void)
{
    const VkPushConstantRange push[] = {{VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, 4},
                                        {VK_SHADER_STAGE_MISS_BIT_KHR, 8, 8},
                                        {VK_SHADER_STAGE_COMPUTE_BIT, 16, 64}};
    return new_layout(1, (uint32_t[]){1}, push, ARRAY_SIZE(push));
}

#define FIVE_GROUPS                                                                                                    \
    {                                                                                                                  \
        group_of(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 0, NONE, NONE, NONE),                                   \
            group_of(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 1, NONE, NONE, NONE),                               \
            group_of(VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, NONE, 2, 3, NONE),                      \
            group_of(VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR, NONE, 2, NONE, 4),                     \
            group_of(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 5, NONE, NONE, NONE)                                \
    }

/* The fake driver's handles have the numbers of the shaders' compilations. */
static void groups_name_their_shaders(void **state)
{
    struct stages stages;
    add_all(&stages);
    VkPipelineLayout layout = rays_layout();
    const VkRayTracingShaderGroupCreateInfoKHR groups[] = FIVE_GROUPS;
    const VkRayTracingPipelineCreateInfoKHR info = info_of(&stages, layout, groups, ARRAY_SIZE(groups));
    VkPipeline pipeline = make_rays(&info), same = make_rays(&info);
    assert_int_equal(fake_shaders.compiles, 6); /* each stage alone, and once */
    static const uint8_t numbers[5][3] = {{1}, {2}, {3, 4}, {3, 0, 5}, {6}};
    uint8_t handles[5][VK_RAY_HANDLE_B], again[5][VK_RAY_HANDLE_B];
    assert_int_equal(vk_common_GetRayTracingShaderGroupHandlesKHR(dev(), pipeline, 0, 5, sizeof(handles), handles),
                     VK_SUCCESS);
    assert_int_equal(vk_common_GetRayTracingShaderGroupHandlesKHR(dev(), same, 0, 5, sizeof(again), again), VK_SUCCESS);
    assert_memory_equal(handles, again, sizeof(handles));
    for (unsigned i = 0; i < 5; i++)
        assert_memory_equal(handles[i], numbers[i], 3);
    vk_common_GetRayTracingShaderGroupHandlesKHR(dev(), pipeline, 2, 1, VK_RAY_HANDLE_B, again[0]);
    assert_memory_equal(again[0], handles[2], VK_RAY_HANDLE_B);
    /* All read the push constants of all stages of rays, for they call one another with one pointer. */
    const struct vk_ray_pipeline *rays = vk_ray_pipeline(vk_pipeline_from_handle(pipeline));
    for (uint32_t i = 0; i < rays->shader_count; i++) {
        const struct fake_note *note = (const void *)rays->shaders[i]->code->bytes;
        assert_int_equal(note->push.offset, 0);
        assert_int_equal(note->push.size, 16);
    }
    destroy_pipeline(pipeline);
    destroy_pipeline(same);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    drop_stages(&stages);
}

/* The fake driver's shaders need a hundred bytes for each number of their compilation. */
static void stacks_are_as_the_specification_adds_them_up(void **state)
{
    struct stages stages;
    add_all(&stages);
    VkPipelineLayout layout = rays_layout();
    const VkRayTracingShaderGroupCreateInfoKHR groups[] = FIVE_GROUPS;
    VkRayTracingPipelineCreateInfoKHR info = info_of(&stages, layout, groups, ARRAY_SIZE(groups));
    VkPipeline three = make_rays(&info);
    info.maxPipelineRayRecursionDepth = 1;
    VkPipeline one = make_rays(&info);
    info.maxPipelineRayRecursionDepth = 0;
    VkPipeline none = make_rays(&info);
    assert_int_equal(vk_ray_pipeline(vk_pipeline_from_handle(none))->stack_B, 100 + 2 * 600);
    assert_int_equal(vk_ray_pipeline(vk_pipeline_from_handle(one))->stack_B, 100 + (500 + 400) + 2 * 600);
    assert_int_equal(vk_ray_pipeline(vk_pipeline_from_handle(three))->stack_B, 100 + (500 + 400) + 2 * 300 + 2 * 600);
    assert_false(vk_ray_pipeline(vk_pipeline_from_handle(three))->has_dynamic_stack);
    static const struct {
        uint32_t group;
        VkShaderGroupShaderKHR shader;
        uint32_t size_B;
    } rows[] = {{0, VK_SHADER_GROUP_SHADER_GENERAL_KHR, 100},     {2, VK_SHADER_GROUP_SHADER_CLOSEST_HIT_KHR, 300},
                {2, VK_SHADER_GROUP_SHADER_ANY_HIT_KHR, 400},     {3, VK_SHADER_GROUP_SHADER_INTERSECTION_KHR, 500},
                {3, VK_SHADER_GROUP_SHADER_CLOSEST_HIT_KHR, 300}, {4, VK_SHADER_GROUP_SHADER_GENERAL_KHR, 600}};
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        assert_int_equal(
            vk_common_GetRayTracingShaderGroupStackSizeKHR(dev(), three, rows[i].group, rows[i].shader), rows[i].size_B);
    destroy_pipeline(three);
    destroy_pipeline(one);
    destroy_pipeline(none);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    drop_stages(&stages);
}

/* A library's groups come after the pipeline's own, and its shaders outlive it. */
static void libraries_are_linked(void **state)
{
    struct stages own = {.count = 0}, hits = {.count = 0};
    add_stage(&own, VK_SHADER_STAGE_RAYGEN_BIT_KHR, IR_STAGE_raygen, 1);
    add_stage(&hits, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, IR_STAGE_closest_hit, 3);
    add_stage(&hits, VK_SHADER_STAGE_ANY_HIT_BIT_KHR, IR_STAGE_any_hit, 4);
    VkPipelineLayout layout = rays_layout();
    const VkRayTracingShaderGroupCreateInfoKHR
        first = group_of(VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, 0, NONE, NONE, NONE),
        second = group_of(VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, NONE, 0, 1, NONE);
    VkRayTracingPipelineCreateInfoKHR info = info_of(&hits, layout, &second, 1);
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    VkPipeline library = make_rays(&info);
    assert_int_equal(fake_shaders.pipelines, 0); /* the driver has no part in it */
    const VkPipelineDynamicStateCreateInfo dynamic = {
        .dynamicStateCount = 1,
        .pDynamicStates = (const VkDynamicState[]){VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR}};
    VkPipelineLibraryCreateInfoKHR libraries = vk_struct_init(VkPipelineLibraryCreateInfoKHR);
    libraries.libraryCount = 1;
    libraries.pLibraries = &library;
    info = info_of(&own, layout, &first, 1);
    info.pLibraryInfo = &libraries;
    info.pDynamicState = &dynamic;
    VkPipeline pipeline = make_rays(&info);
    uint8_t of_library[VK_RAY_HANDLE_B], linked[2][VK_RAY_HANDLE_B];
    vk_common_GetRayTracingShaderGroupHandlesKHR(dev(), library, 0, 1, sizeof(of_library), of_library);
    vk_common_GetRayTracingShaderGroupHandlesKHR(dev(), pipeline, 0, 2, sizeof(linked), linked);
    assert_memory_equal(of_library, linked[1], VK_RAY_HANDLE_B);
    assert_memory_not_equal(linked[0], linked[1], VK_RAY_HANDLE_B);
    assert_true(vk_ray_pipeline(vk_pipeline_from_handle(pipeline))->has_dynamic_stack);
    destroy_pipeline(library);
    assert_int_equal(fake_shaders.living, 3);
    uint32_t count = 0;
    const VkPipelineInfoKHR asked = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    assert_int_equal(vk_common_GetPipelineExecutablePropertiesKHR(dev(), &asked, &count, NULL), VK_SUCCESS);
    assert_int_equal(count, 3);
    destroy_pipeline(pipeline);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    drop_stages(&own);
    drop_stages(&hits);
}

static void failures_leave_nothing(void **state)
{
    struct stages stages;
    add_all(&stages);
    VkPipelineLayout layout = rays_layout();
    const VkRayTracingShaderGroupCreateInfoKHR groups[] = FIVE_GROUPS;
    VkRayTracingPipelineCreateInfoKHR info = info_of(&stages, layout, groups, ARRAY_SIZE(groups));
    VkPipeline pipeline;
    const int32_t living = fake_memory.living;
    for (uint32_t n = 1; n <= 6; n++) {
        fake_shaders.fail_compile = fake_shaders.compiles + n;
        assert_int_equal(try_rays(&info, VK_NULL_HANDLE, &pipeline), VK_ERROR_OUT_OF_DEVICE_MEMORY);
        assert_true(pipeline == VK_NULL_HANDLE);
        assert_int_equal(fake_memory.living, living);
    }
    fake_shaders.fail_compile = 0;
    for (uint32_t call = 1;; call++) {
        fake_memory_fail_at(call);
        const VkResult result = try_rays(&info, VK_NULL_HANDLE, &pipeline);
        if (!fake_memory.failures) {
            assert_int_equal(result, VK_SUCCESS);
            break;
        }
        if (result == VK_SUCCESS) /* a table that did not grow */
            destroy_pipeline(pipeline);
        else
            assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
    }
    fake_memory_fail_at(0);
    destroy_pipeline(pipeline);
    info.flags = FAIL_ON_COMPILE;
    assert_int_equal(try_rays(&info, VK_NULL_HANDLE, &pipeline), VK_PIPELINE_COMPILE_REQUIRED);
    fake_shaders.bake_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    info.flags = 0;
    assert_int_equal(try_rays(&info, VK_NULL_HANDLE, &pipeline), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    fake_shaders.bake_result = VK_SUCCESS;
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    drop_stages(&stages);
}

/* Also: who gives an operation is told that nothing was deferred. */
static void caches_have_all_stages(void **state)
{
    struct stages stages;
    add_all(&stages);
    VkPipelineLayout layout = rays_layout();
    const VkRayTracingShaderGroupCreateInfoKHR groups[] = FIVE_GROUPS;
    VkPipelineCreationFeedback whole, each[6];
    VkPipelineCreationFeedbackCreateInfo feedback = vk_struct_init(VkPipelineCreationFeedbackCreateInfo);
    feedback.pPipelineCreationFeedback = &whole;
    feedback.pipelineStageCreationFeedbackCount = 6;
    feedback.pPipelineStageCreationFeedbacks = each;
    VkRayTracingPipelineCreateInfoKHR info = info_of(&stages, layout, groups, ARRAY_SIZE(groups));
    info.pNext = &feedback;
    VkPipelineCache cache = new_cache(NULL, 0);
    VkPipeline pipeline;
    assert_int_equal(vk_common_CreateRayTracingPipelinesKHR(dev(), (VkDeferredOperationKHR)(uintptr_t)1, cache, 1,
                                                            &info, &fake_allocator, &pipeline),
                     VK_OPERATION_NOT_DEFERRED_KHR);
    assert_int_equal(whole.flags, VALID);
    destroy_pipeline(pipeline);
    cache = through_a_file(cache);
    const uint32_t compiles = fake_shaders.compiles;
    assert_int_equal(try_rays(&info, cache, &pipeline), VK_SUCCESS);
    assert_int_equal(fake_shaders.compiles, compiles);
    assert_int_equal(whole.flags, VALID | HIT);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(each[i].flags, VALID | HIT);
    destroy_pipeline(pipeline);
    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    drop_stages(&stages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(groups_name_their_shaders), TEST(stacks_are_as_the_specification_adds_them_up),
        TEST(libraries_are_linked),      TEST(failures_leave_nothing),
        TEST(caches_have_all_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
