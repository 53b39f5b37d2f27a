/* Ray tracing pipelines beside their rays: launches of all sizes, handles of groups, libraries, caches, operations that
 * are deferred, stack sizes. */
#include <string.h>

#include "cases/rays/trace.h"

#define GROUPS(generate_, miss_, ...) .groups = {{.general = generate_}, {.general = miss_}, __VA_ARGS__}

/* ---- launches ---- */

static void run_launch(struct vt *vt, const void *argument)
{
    const struct trace_setup *setup = argument;
    struct trace trace;
    trace_run(&trace, vt, setup);
    const uint32_t(*answers)[TRACE_WORDS] = trace.answers.map, *size = setup->size;
    const uint32_t number = setup->records[TRACE_GENERATE][setup->first_record[TRACE_GENERATE]].number;
    for (uint32_t n = 0; n < size[0] * size[1] * size[2]; n++) {
        const uint32_t want[8] = {n % size[0], n / size[0] % size[1], n / size[0] / size[1], size[0], size[1], size[2],
                                  number,      setup->push.more};
        vt_expect_words(vt, answers[n], want, COUNT_OF(want), "ids, sizes, the record and a push constant");
    }
    if (!size[0] || !size[1] || !size[2])
        vt_expect_words(vt, answers[0], (const uint32_t[8]){0}, 8, "no launch");
}

#define LAUNCH(name, ...)                                                                                              \
    {                                                                                                                  \
        name, run_launch, &(const struct trace_setup)                                                                  \
        {                                                                                                              \
            .groups = {{.general = GENERATE_IDS}}, .push.more = 5, __VA_ARGS__                                         \
        }                                                                                                              \
    }
#define ONE .records = {{{1, 11}}}

/* ---- pipelines ---- */

static const struct trace_setup plain = {
    GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_FLAT, .any = ANY_IGNORE}, {.closest = HIT_FLAT}),
    .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {4, 32}}}, .push = {.mask = 0xff, .most = 100, .stride = 1, .more = 1}};

/* The first layer is ignored in the first geometry; the second has a group without an any hit shader. */
static void check_plain(const struct trace *trace)
{
    const uint32_t(*answers)[TRACE_WORDS] = trace->answers.map;
    for (unsigned n = 0; n < TRACE_RAYS; n++) {
        const bool is_upper = n >= TRACE_RAYS / 2, is_missed = n % 4 == 3;
        const uint32_t want[4] = {is_missed ? 7 : 5,
                                  is_missed  ? 21
                                  : is_upper ? 32
                                             : 31,
                                  is_missed  ? 0xdead0002
                                  : is_upper ? 1
                                             : 2,
                                  0xdead0003};
        vt_expect_words(trace->vt, answers[n], want, COUNT_OF(want), "what rays are told");
    }
}

static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

static void destroy_cache(struct vt *vt, uint64_t handle)
{
    vkDestroyPipelineCache(vt->device, (VkPipelineCache)handle, NULL);
}

static void run_handles(struct vt *vt, const void *argument)
{
    struct trace trace;
    uint8_t all[4][64], one[64], again[4][64];
    (void)argument;
    trace_open(&trace, vt, &plain);
    VkPipeline pipeline = trace_pipeline(&trace), same = trace_pipeline(&trace);
    const PFN_vkGetRayTracingShaderGroupHandlesKHR ask = RAYS_LOAD(vt, GetRayTracingShaderGroupHandlesKHR);
    const size_t size_B = trace.handle_B;
    if (size_B != 32)
        vt_fail(vt, "handles have %zu bytes", size_B);
    uint8_t packed[4 * 64];
    VT_CHECK(vt, ask(vt->device, pipeline, 0, 4, 4 * size_B, packed));
    for (unsigned n = 0; n < 4; n++)
        memcpy(all[n], packed + n * size_B, size_B);
    VT_CHECK(vt, ask(vt->device, same, 0, 4, 4 * size_B, packed));
    for (unsigned n = 0; n < 4; n++)
        memcpy(again[n], packed + n * size_B, size_B);
    for (uint32_t n = 0; n < 4; n++) {
        static const uint8_t zeros[64];
        VT_CHECK(vt, ask(vt->device, pipeline, n, 1, size_B, one));
        if (memcmp(one, all[n], size_B) != 0)
            vt_fail(vt, "the handle of group %u is another when it is asked for alone", n);
        if (memcmp(one, zeros, size_B) == 0)
            vt_fail(vt, "the handle of group %u is that of no group", n);
        for (unsigned i = 0; i < n; i++) {
            if (memcmp(all[n], all[i], size_B) == 0)
                vt_fail(vt, "groups %u and %u have one handle", n, i);
        }
    }
}

/* Generation and misses in the pipeline, hits in a library; the library's groups come after its own. */
static void run_library(struct vt *vt, const void *argument)
{
    const bool is_all_of_libraries = argument != NULL;
    struct trace trace;
    struct trace_create create;
    trace_open(&trace, vt, &plain);
    VkPipeline libraries[2];
    uint32_t count = 0;
    for (unsigned n = is_all_of_libraries ? 0 : 1; n < 2; n++) {
        trace_describe(&trace, n ? 2 : 0, 2, &create);
        create.info.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
        create.info.pLibraryInterface = &create.interface;
        libraries[count++] = trace_create(&trace, &create);
    }
    trace_describe(&trace, 0, is_all_of_libraries ? 0 : 2, &create);
    create.libraries.libraryCount = count;
    create.libraries.pLibraries = libraries;
    create.info.pLibraryInfo = &create.libraries;
    create.info.pLibraryInterface = &create.interface;
    trace_fill_tables(&trace, trace_create(&trace, &create));
    trace_launch(&trace);
    check_plain(&trace);
}

/* Libraries of libraries. */
static void run_libraries_of_libraries(struct vt *vt, const void *argument)
{
    struct trace trace;
    struct trace_create create;
    VkPipeline last = VK_NULL_HANDLE;
    (void)argument;
    trace_open(&trace, vt, &plain);
    for (unsigned n = 4; n-- > 0;) {
        trace_describe(&trace, n, 1, &create);
        create.info.flags |= n ? VK_PIPELINE_CREATE_LIBRARY_BIT_KHR : 0;
        create.info.pLibraryInterface = &create.interface;
        create.info.pLibraryInfo = last ? &create.libraries : NULL;
        create.libraries.libraryCount = 1;
        create.libraries.pLibraries = &last;
        last = trace_create(&trace, &create);
    }
    trace_fill_tables(&trace, last);
    trace_launch(&trace);
    check_plain(&trace);
}

static void run_deferred(struct vt *vt, const void *argument)
{
    struct trace trace;
    struct trace_create create;
    VkDeferredOperationKHR operation;
    VkPipeline pipeline = VK_NULL_HANDLE;
    (void)argument;
    if (vt->is_validated)
        vt_skip(vt, "Debian 12's layers lose pipelines that were not deferred after all");
    trace_open(&trace, vt, &plain);
    VT_CHECK(vt, RAYS_LOAD(vt, CreateDeferredOperationKHR)(vt->device, NULL, &operation));
    trace_describe(&trace, 0, 4, &create);
    VkResult result = RAYS_LOAD(vt, CreateRayTracingPipelinesKHR)(vt->device, operation, VK_NULL_HANDLE, 1,
                                                                  &create.info, NULL, &pipeline);
    if (result == VK_OPERATION_DEFERRED_KHR) {
        while ((result = RAYS_LOAD(vt, DeferredOperationJoinKHR)(vt->device, operation)) == VK_THREAD_IDLE_KHR)
            ;
        if (result == VK_SUCCESS || result == VK_THREAD_DONE_KHR)
            result = RAYS_LOAD(vt, GetDeferredOperationResultKHR)(vt->device, operation);
    } else if (result == VK_OPERATION_NOT_DEFERRED_KHR) {
        result = VK_SUCCESS;
    }
    RAYS_LOAD(vt, DestroyDeferredOperationKHR)(vt->device, operation, NULL);
    if (result != VK_SUCCESS || !pipeline)
        vt_fail(vt, "the operation ends with VkResult %d", result);
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);
    trace_fill_tables(&trace, pipeline);
    trace_launch(&trace);
    check_plain(&trace);
}

static VkPipelineCache make_cache(struct vt *vt, const void *data, size_t size_B)
{
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size_B, .pInitialData = data};
    VkPipelineCache cache;
    VT_CHECK(vt, vkCreatePipelineCache(vt->device, &info, NULL, &cache));
    vt_defer(vt, destroy_cache, (uint64_t)cache);
    return cache;
}

static VkPipeline create_with(struct trace *trace, VkPipelineCache cache, VkPipelineCreationFeedback *feedback)
{
    struct trace_create create;
    VkPipeline pipeline;
    const VkPipelineCreationFeedbackCreateInfo asked = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, .pPipelineCreationFeedback = feedback};
    trace_describe(trace, 0, 4, &create);
    create.info.pNext = &asked;
    VT_CHECK(trace->vt, RAYS_LOAD(trace->vt, CreateRayTracingPipelinesKHR)(trace->vt->device, VK_NULL_HANDLE, cache, 1,
                                                                           &create.info, NULL, &pipeline));
    if (!(feedback->flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT))
        vt_fail(trace->vt, "no feedback");
    return pipeline;
}

/* Pipelines in a cache are found, also by another one that was made of its bytes, when the first pipeline is gone. */
static void run_cache(struct vt *vt, const void *argument)
{
    static uint8_t bytes[1 << 20];
    size_t size_B = sizeof(bytes);
    struct trace trace;
    VkPipelineCreationFeedback first = {0}, second = {0}, third = {0};
    (void)argument;
    trace_open(&trace, vt, &plain);
    VkPipelineCache cache = make_cache(vt, NULL, 0);
    vkDestroyPipeline(vt->device, create_with(&trace, cache, &first), NULL);
    vkDestroyPipeline(vt->device, create_with(&trace, cache, &second), NULL);
    VT_CHECK(vt, vkGetPipelineCacheData(vt->device, cache, &size_B, bytes));
    VkPipeline pipeline = create_with(&trace, make_cache(vt, bytes, size_B), &third);
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);
    const VkPipelineCreationFeedbackFlags hit = VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
    if (first.flags & hit || !(second.flags & hit) || !(third.flags & hit))
        vt_fail(vt, "in the cache: %d, %d and %d", !!(first.flags & hit), !!(second.flags & hit),
                !!(third.flags & hit));
    trace_fill_tables(&trace, pipeline);
    trace_launch(&trace);
    check_plain(&trace);
}

/* A pipeline that must not be compiled is not there. */
static void run_not_compiled(struct vt *vt, const void *argument)
{
    struct trace trace;
    struct trace_create create;
    VkPipeline pipelines[2];
    (void)argument;
    trace_open(&trace, vt, &plain);
    trace_describe(&trace, 0, 4, &create);
    VkRayTracingPipelineCreateInfoKHR infos[2] = {create.info, create.info};
    infos[0].flags |= VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    const VkResult result = RAYS_LOAD(vt, CreateRayTracingPipelinesKHR)(vt->device, VK_NULL_HANDLE, VK_NULL_HANDLE, 2,
                                                                        infos, NULL, pipelines);
    if (pipelines[1])
        vt_defer(vt, destroy_pipeline, (uint64_t)pipelines[1]);
    if (result != VK_PIPELINE_COMPILE_REQUIRED || pipelines[0] || !pipelines[1])
        vt_fail(vt, "VkResult %d, pipelines %d and %d", result, pipelines[0] != VK_NULL_HANDLE,
                pipelines[1] != VK_NULL_HANDLE);
    trace_fill_tables(&trace, pipelines[1]);
    trace_launch(&trace);
    check_plain(&trace);
}

/* Two launches of two pipelines in one recording, and one of compute between them, without any barrier: none takes
 * another's place. */
static void run_between(struct vt *vt, const void *argument)
{
    struct trace trace;
    (void)argument;
    trace_open(&trace, vt, &plain);
    VkPipeline pipeline = trace_pipeline(&trace);
    const struct vt_compute compute = vt_compute(vt, vt_push_comp, 1, NULL);
    const struct vt_buffer out = vt_buffer(vt, 4096, NULL), *const outs[] = {&out};
    VkDescriptorSet set = vt_storage_set(vt, compute.set_layout, outs, 1);
    uint32_t words[32] = {1000}, want[32]; /* the first invocation's, the other's are one more each */
    for (uint32_t n = 0; n < 32; n++)
        want[n] = 1000 + n;
    trace_fill_tables(&trace, pipeline);
    VkCommandBuffer commands = vt_begin(vt);
    trace_bind(&trace, commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &set, 0, NULL);
    trace_command(&trace, commands);
    vkCmdPushConstants(commands, compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(words), words);
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    /* Bindings stay; push constants are others' now. */
    trace_push(&trace, commands);
    trace_command(&trace, commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    check_plain(&trace);
    vt_expect_words(vt, out.map, want, 32, "the dispatch between");
}

static void run_stack_sizes(struct vt *vt, const void *argument)
{
    struct trace trace;
    (void)argument;
    trace_open(&trace, vt, &plain);
    VkPipeline pipeline = trace_pipeline(&trace), same = trace_pipeline(&trace);
    const PFN_vkGetRayTracingShaderGroupStackSizeKHR ask = RAYS_LOAD(vt, GetRayTracingShaderGroupStackSizeKHR);
    static const struct {
        uint32_t group;
        VkShaderGroupShaderKHR shader;
    } asked[] = {{0, VK_SHADER_GROUP_SHADER_GENERAL_KHR},
                 {1, VK_SHADER_GROUP_SHADER_GENERAL_KHR},
                 {2, VK_SHADER_GROUP_SHADER_CLOSEST_HIT_KHR},
                 {2, VK_SHADER_GROUP_SHADER_ANY_HIT_KHR},
                 {3, VK_SHADER_GROUP_SHADER_CLOSEST_HIT_KHR}};
    for (unsigned n = 0; n < COUNT_OF(asked); n++) {
        const VkDeviceSize a = ask(vt->device, pipeline, asked[n].group, asked[n].shader),
                           b = ask(vt->device, same, asked[n].group, asked[n].shader);
        if (a != b || a > 1 << 20)
            vt_fail(vt, "shader %u of group %u needs %llu and %llu bytes", asked[n].shader, asked[n].group,
                    (unsigned long long)a, (unsigned long long)b);
    }
}

/* Every shader that has code is an executable of the pipeline. */
static void run_executables(struct vt *vt, const void *argument)
{
    struct trace trace;
    struct trace_create create;
    uint32_t count = 0;
    (void)argument;
    if (!vt->has[VT_PIPELINE_EXECUTABLE])
        vt_skip(vt, "no executables of pipelines");
    trace_open(&trace, vt, &plain);
    trace_describe(&trace, 0, 4, &create);
    create.info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
                                    .pipeline = trace_create(&trace, &create)};
    VT_CHECK(vt, RAYS_LOAD(vt, GetPipelineExecutablePropertiesKHR)(vt->device, &info, &count, NULL));
    if (!count)
        vt_fail(vt, "a pipeline without executables");
    for (uint32_t n = 0; n < count; n++) {
        const VkPipelineExecutableInfoKHR executable = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = info.pipeline, .executableIndex = n};
        uint32_t figures = 0;
        VT_CHECK(vt, RAYS_LOAD(vt, GetPipelineExecutableStatisticsKHR)(vt->device, &executable, &figures, NULL));
        if (!figures)
            vt_fail(vt, "executable %u has no figures", n);
    }
}

const struct vt_case vt_ray_table_cases[] = {
    LAUNCH("launch_one", .size = {1, 1, 1}, ONE),
    LAUNCH("launch_row", .size = {100, 1, 1}, ONE),
    LAUNCH("launch_column", .size = {1, 77, 1}, ONE),
    LAUNCH("launch_square", .size = {32, 32, 1}, ONE),
    LAUNCH("launch_odd", .size = {13, 7, 1}, ONE),
    LAUNCH("launch_deep", .size = {1, 1, 9}, ONE),
    LAUNCH("launch_box", .size = {9, 5, 3}, ONE),
    LAUNCH("launch_long", .size = {40000, 1, 1}, ONE),
    LAUNCH("launch_none", .size = {0, 4, 4}, ONE),
    LAUNCH("launch_from_memory", .size = {9, 5, 3}, ONE, .way = TRACE_INDIRECT),
    LAUNCH("launch_none_from_memory", .size = {9, 0, 3}, ONE, .way = TRACE_INDIRECT),
    LAUNCH("launch_with_table_from_memory", .size = {9, 5, 3}, ONE, .way = TRACE_INDIRECT2),
    LAUNCH("launch_from_memory_of_a_copy", .size = {9, 5, 3}, ONE, .way = TRACE_INDIRECT, .is_late = true),
    LAUNCH("launch_with_table_of_a_copy", .size = {9, 5, 3}, ONE, .way = TRACE_INDIRECT2, .is_late = true),
    LAUNCH("launch_in_a_secondary", .size = {9, 5, 3}, ONE, .way = TRACE_SECONDARY),
    LAUNCH("launch_on_a_compute_queue", .size = {9, 5, 3}, ONE, .way = TRACE_ON_COMPUTE),
    LAUNCH("launch_of_another_record", .size = {9, 5, 1}, .records = {{{1, 11}, {1, 12}, {1, 13}}},
           .first_record = {2}),
    {"handles", run_handles, NULL},
    {"library", run_library, NULL},
    {"libraries_alone", run_library, &plain},
    {"libraries_of_libraries", run_libraries_of_libraries, NULL},
    {"deferred", run_deferred, NULL},
    {"cache", run_cache, NULL},
    {"not_compiled", run_not_compiled, NULL},
    {"dispatch_between", run_between, NULL},
    {"stack_sizes", run_stack_sizes, NULL},
    {"executables", run_executables, NULL},
};
const size_t vt_ray_table_count = COUNT_OF(vt_ray_table_cases);
