/* Query counts of task and mesh shaders: invocations, and primitives that mesh shaders put out. */
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/counted_few_mesh.h"
#include "shaders/counted_few_task.h"
#include "shaders/counted_fewer_mesh.h"
#include "shaders/counted_frag.h"
#include "shaders/counted_many_mesh.h"

#define SIZE 32
#define TASKS VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT
#define MESHES VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT
#define RESULTS (VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT)
#define CODE(name)                                                                                                     \
    {                                                                                                                  \
        name, sizeof(name)                                                                                             \
    }

/* A draw, and what it counts. */
struct counted {
    struct vt_spirv mesh, task;
    uint32_t groups;
    uint64_t tasks, meshes, primitives;
};

static const struct counted draws[] = {
    {CODE(counted_many_mesh), {0}, 8, 0, 8 * 128, 8 * 16},  /* more invocations than a wave has */
    {CODE(counted_fewer_mesh), {0}, 64, 0, 64 * 8, 32 * 2}, /* every other workgroup puts nothing out */
    {CODE(counted_few_mesh), CODE(counted_few_task), 8, 64, 7 * 4 * 16, 7 * 4 * 4}, /* one task wants no meshes */
};

struct scene {
    struct vt_target target;
    struct vt_graphics graphics;
    VkQueryPool statistics, primitives;
    VkQueryPipelineStatisticFlags counts;
};

static void begin_scene(struct vt *vt, struct scene *scene, const struct counted *counted)
{
    if (!vt->has[VT_MESH_SHADER] || !vt->has_mesh_queries || (counted->task.words && !vt->has_task_shader))
        vt_skip(vt, "no queries of mesh shaders");
    if (!vt->features.features.pipelineStatisticsQuery)
        vt_skip(vt, "no pipelineStatisticsQuery");
    scene->target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    vt_graphics_init(&scene->graphics, &scene->target, (struct vt_spirv){0}, VT_SPIRV(counted_frag));
    scene->graphics.mesh_code = counted->mesh;
    scene->graphics.task_code = counted->task;
    vt_make_pipeline(vt, &scene->graphics, &scene->target);
    scene->counts = counted->task.words ? TASKS | MESHES : MESHES;
    scene->statistics = vt_query_pool(vt, VK_QUERY_TYPE_PIPELINE_STATISTICS, 2, scene->counts);
    scene->primitives = vt_query_pool(vt, VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT, 2, 0);
}

/* Tasks and meshes as a query of both gives them, times so many draws. */
static void expect_result(struct vt *vt, const struct counted *counted, uint64_t times, const uint64_t *statistics,
                          const uint64_t *primitives, const char *what)
{
    const bool has_task = counted->task.words;
    if (has_task && statistics[0] != counted->tasks * times)
        vt_fail(vt, "%s: %llu invocations of tasks, not %llu", what, (unsigned long long)statistics[0],
                (unsigned long long)(counted->tasks * times));
    if (statistics[has_task] != counted->meshes * times)
        vt_fail(vt, "%s: %llu invocations of meshes, not %llu", what, (unsigned long long)statistics[has_task],
                (unsigned long long)(counted->meshes * times));
    if (primitives && *primitives != counted->primitives * times)
        vt_fail(vt, "%s: %llu primitives, not %llu", what, (unsigned long long)*primitives,
                (unsigned long long)(counted->primitives * times));
}

/* Two draws within the first queries and none within the second; others before, between and after. */
static void case_counts(struct vt *vt, const void *argument)
{
    const struct counted *counted = argument;
    struct scene scene;
    begin_scene(vt, &scene, counted);
    const PFN_vkCmdDrawMeshTasksEXT draw = VT_LOAD(vt, CmdDrawMeshTasksEXT);
    const VkDeviceSize stride_B = 16;
    struct vt_buffer copies = vt_buffer(vt, 4 * stride_B, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, scene.statistics, 0, 2);
    vkCmdResetQueryPool(commands, scene.primitives, 0, 2);
    vt_begin_rendering(commands, &scene.target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene.graphics.pipeline);
    draw(commands, counted->groups, 1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        vkCmdBeginQuery(commands, scene.statistics, i, 0);
        vkCmdBeginQuery(commands, scene.primitives, i, 0);
        for (uint32_t k = 0; k < 2 - 2 * i; k++)
            draw(commands, counted->groups, 1, 1);
        vkCmdEndQuery(commands, scene.primitives, i);
        vkCmdEndQuery(commands, scene.statistics, i);
        draw(commands, counted->groups, 1, 1);
    }
    vkCmdEndRendering(commands);
    vkCmdCopyQueryPoolResults(commands, scene.statistics, 0, 2, copies.buffer, 0, stride_B, RESULTS);
    vkCmdCopyQueryPoolResults(commands, scene.primitives, 0, 2, copies.buffer, 2 * stride_B, stride_B, RESULTS);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint64_t statistics[2][2] = {0}, primitives[2] = {0};
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, scene.statistics, 0, 2, sizeof(statistics), statistics,
                                       sizeof(statistics[0]), RESULTS));
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, scene.primitives, 0, 2, sizeof(primitives), primitives,
                                       sizeof(primitives[0]), RESULTS));
    const uint64_t(*copied)[2] = copies.map;
    for (uint32_t i = 0; i < 2; i++) {
        expect_result(vt, counted, 2 - 2 * i, statistics[i], &primitives[i], i ? "nothing" : "two draws");
        expect_result(vt, counted, 2 - 2 * i, copied[i], copied[2 + i], i ? "a copy of nothing" : "a copy");
    }
}

/* Draws of a secondary count for the query that is active where it is executed. */
static void case_secondaries(struct vt *vt, const void *argument)
{
    const struct counted *counted = argument;
    struct scene scene;
    begin_scene(vt, &scene, counted);
    if (!vt->features.features.inheritedQueries)
        vt_skip(vt, "no inheritedQueries");
    VkCommandBuffer secondary = vt_begin_secondary(
        vt, &scene.target, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, scene.counts);
    vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, scene.graphics.pipeline);
    VT_LOAD(vt, CmdDrawMeshTasksEXT)(secondary, counted->groups, 1, 1);
    VT_CHECK(vt, vkEndCommandBuffer(secondary));

    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, scene.statistics, 0, 2);
    for (uint32_t i = 0; i < 2; i++) {
        vkCmdBeginQuery(commands, scene.statistics, i, 0);
        vt_begin_rendering_with(commands, &scene.target, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
        for (uint32_t k = 0; k <= i; k++)
            vkCmdExecuteCommands(commands, 1, &secondary);
        vkCmdEndRendering(commands);
        vkCmdEndQuery(commands, scene.statistics, i);
        vt_full_barrier(commands);
    }
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t statistics[2] = {0};
        VT_CHECK(vt, vkGetQueryPoolResults(vt->device, scene.statistics, i, 1, sizeof(statistics), statistics,
                                           sizeof(statistics), RESULTS));
        expect_result(vt, counted, i + 1, statistics, NULL, i ? "twice" : "once");
    }
}

const struct vt_case vt_mesh_query_cases[] = {
    {"many invocations", case_counts, &draws[0]},          {"workgroups without output", case_counts, &draws[1]},
    {"tasks and meshes", case_counts, &draws[2]},          {"meshes in secondaries", case_secondaries, &draws[0]},
    {"tasks in secondaries", case_secondaries, &draws[2]},
};
const size_t vt_mesh_query_count = COUNT_OF(vt_mesh_query_cases);
