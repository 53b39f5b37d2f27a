/* Queries around draws: occlusion, statistics, timestamps, and the ways to their results. */
#include <string.h>

#include "vt/vt_graphics.h"

#define SIZE 64

static const float red[4] = {1, 0, 0, 1};

/* Rectangles of these widths and heights, in pixels, each one a draw. */
static const uint32_t extents[][2] = {{64, 64}, {0, 0}, {1, 1}, {13, 7}, {64, 1}, {33, 64}};
#define DRAWS COUNT_OF(extents)

struct scene {
    struct vt_target target;
    struct vt_graphics graphics;
    struct vt_vertex vertices[DRAWS][6];
};

static void make_scene(struct vt *vt, struct scene *scene, VkSampleCountFlagBits samples)
{
    scene->target = vt_empty_target(SIZE, SIZE, samples);
    vt_add_color(vt, &scene->target, VK_FORMAT_R8G8B8A8_UNORM);
    vt_add_depth(vt, &scene->target, VK_FORMAT_D32_SFLOAT);
    vt_graphics_init(&scene->graphics, &scene->target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&scene->graphics);
    for (unsigned i = 0; i < DRAWS; i++)
        vt_rectangle(scene->vertices[i], -1, -1, -1 + (float)extents[i][0] / 32, -1 + (float)extents[i][1] / 32, 0.5f,
                     red);
}

static void case_occlusion(struct vt *vt, const void *argument)
{
    VkSampleCountFlagBits samples = *(const VkSampleCountFlagBits *)argument;
    if (!vt->features.features.occlusionQueryPrecise)
        vt_skip(vt, "no occlusionQueryPrecise");
    struct scene scene;
    make_scene(vt, &scene, samples);
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_OCCLUSION, DRAWS, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, DRAWS);
    vt_begin_rendering(commands, &scene.target);
    for (uint32_t i = 0; i < DRAWS; i++) {
        vkCmdBeginQuery(commands, pool, i, VK_QUERY_CONTROL_PRECISE_BIT);
        vt_draw(vt, commands, &scene.graphics, scene.vertices[i], 6);
        vkCmdEndQuery(commands, pool, i);
    }
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    uint64_t results[DRAWS];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, DRAWS, sizeof(results), results, 8,
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (uint32_t i = 0; i < DRAWS; i++) {
        if (results[i] != extents[i][0] * extents[i][1] * samples)
            vt_fail(vt, "draw %u passed %llu samples, expected %u", i, (unsigned long long)results[i],
                    extents[i][0] * extents[i][1] * samples);
    }
}

static const VkSampleCountFlagBits sample_counts[] = {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT};

/* Only what passes the depth test counts; a query may go over several draws. */
static void case_occlusion_depth(struct vt *vt, const void *argument)
{
    struct scene scene;
    make_scene(vt, &scene, VK_SAMPLE_COUNT_1_BIT);
    scene.graphics.depth.depthTestEnable = scene.graphics.depth.depthWriteEnable = VK_TRUE;
    scene.graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_OCCLUSION, 2, 0);
    bool precise = vt->features.features.occlusionQueryPrecise;
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 2);
    vt_begin_rendering(commands, &scene.target);
    vkCmdBeginQuery(commands, pool, 0, precise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
    vt_draw(vt, commands, &scene.graphics, scene.vertices[3], 6);
    vt_draw(vt, commands, &scene.graphics, scene.vertices[0], 6); /* all but what the first covered */
    vkCmdEndQuery(commands, pool, 0);
    vkCmdBeginQuery(commands, pool, 1, 0);
    vt_draw(vt, commands, &scene.graphics, scene.vertices[0], 6); /* nothing */
    vkCmdEndQuery(commands, pool, 1);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    uint32_t results[2];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 2, sizeof(results), results, 4, VK_QUERY_RESULT_WAIT_BIT));
    if (precise ? results[0] != SIZE * SIZE : results[0] == 0)
        vt_fail(vt, "the first query counted %u, expected %u", results[0], SIZE * SIZE);
    if (results[1] != 0)
        vt_fail(vt, "the second query counted %u, expected none", results[1]);
}

/* ---- primitives ---- */

#define GENERATED_SIZE 600 /* more than one tile, where there are tiles */

/* A query inside of a rendering, and one around two of them: the same counts, however the drawing is cut up. */
static void case_generated(struct vt *vt, const void *argument)
{
    if (!vt->has[VT_PRIMITIVES_GENERATED])
        vt_skip(vt, "no primitivesGeneratedQuery");
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, GENERATED_SIZE, GENERATED_SIZE);
    struct vt_graphics graphics;
    struct vt_vertex vertices[12];
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    vt_make_pipeline(vt, &graphics, &target);
    vt_quad(vertices, 0.5f, red);
    vt_rectangle(vertices + 6, -0.9f, 0.5f, -0.8f, 0.6f, 0.5f, red);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 3, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 3);
    vt_begin_rendering(commands, &target);
    vkCmdBeginQuery(commands, pool, 0, 0);
    vt_draw(vt, commands, &graphics, vertices, 12);
    vt_draw(vt, commands, &graphics, vertices + 6, 6);
    vkCmdEndQuery(commands, pool, 0);
    vkCmdBeginQuery(commands, pool, 1, 0);
    vkCmdEndQuery(commands, pool, 1);
    vkCmdEndRendering(commands);
    vkCmdBeginQuery(commands, pool, 2, 0);
    target.load = VK_ATTACHMENT_LOAD_OP_LOAD;
    for (unsigned i = 0; i < 2; i++) {
        vt_begin_rendering(commands, &target);
        for (unsigned j = 0; j < 6; j++)
            vt_draw(vt, commands, &graphics, vertices, 12);
        vkCmdEndRendering(commands);
    }
    vkCmdEndQuery(commands, pool, 2);
    vt_submit(vt, commands);
    static const uint64_t expected[3] = {6, 0, 48};
    uint64_t results[3];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 3, sizeof(results), results, 8,
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (unsigned i = 0; i < 3; i++) {
        if (results[i] != expected[i])
            vt_fail(vt, "query %u counted %llu primitives, expected %llu", i, (unsigned long long)results[i],
                    (unsigned long long)expected[i]);
    }
}

/* ---- statistics ---- */

static void case_statistics(struct vt *vt, const void *argument)
{
    if (!vt->features.features.pipelineStatisticsQuery)
        vt_skip(vt, "no pipelineStatisticsQuery");
    struct scene scene;
    make_scene(vt, &scene, VK_SAMPLE_COUNT_1_BIT);
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_PIPELINE_STATISTICS, 1,
                                    VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                                        VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
                                        VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
                                        VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
                                        VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT |
                                        VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vt_begin_rendering(commands, &scene.target);
    vkCmdBeginQuery(commands, pool, 0, 0);
    vt_draw(vt, commands, &scene.graphics, scene.vertices[0], 6);
    vt_draw(vt, commands, &scene.graphics, scene.vertices[5], 6);
    vkCmdEndQuery(commands, pool, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    uint64_t r[6];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(r), r, sizeof(r),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    uint32_t pixels = 64 * 64 + 33 * 64;
    if (r[0] != 12)
        vt_fail(vt, "%llu vertices, expected 12", (unsigned long long)r[0]);
    if (r[1] != 4)
        vt_fail(vt, "%llu primitives, expected 4", (unsigned long long)r[1]);
    if (r[2] < 12 || r[2] > 64)
        vt_fail(vt, "%llu invocations of the vertex shader, expected about 12", (unsigned long long)r[2]);
    if (r[3] != 4)
        vt_fail(vt, "%llu invocations of clipping, expected 4", (unsigned long long)r[3]);
    if (r[4] < 2 || r[4] > 16)
        vt_fail(vt, "%llu primitives out of clipping, expected 4", (unsigned long long)r[4]);
    if (r[5] < pixels || r[5] > 2 * pixels)
        vt_fail(vt, "%llu invocations of the fragment shader, expected at least %u", (unsigned long long)r[5], pixels);
}

/* ---- results through buffers ---- */

static void case_copy(struct vt *vt, const void *argument)
{
    VkQueryResultFlags flags = *(const VkQueryResultFlags *)argument;
    struct scene scene;
    make_scene(vt, &scene, VK_SAMPLE_COUNT_1_BIT);
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_OCCLUSION, DRAWS, 0);
    bool precise = vt->features.features.occlusionQueryPrecise;
    struct vt_buffer results = vt_buffer(vt, 64 + DRAWS * 32, NULL);
    memset(results.map, 0xee, results.size_B);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, DRAWS);
    vt_begin_rendering(commands, &scene.target);
    for (uint32_t i = 1; i < DRAWS; i++) {
        vkCmdBeginQuery(commands, pool, i, precise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
        vt_draw(vt, commands, &scene.graphics, scene.vertices[i], 6);
        vkCmdEndQuery(commands, pool, i);
    }
    vkCmdEndRendering(commands);
    uint32_t first = flags & VK_QUERY_RESULT_WAIT_BIT ? 1 : 0; /* query 0 is never available */
    vt_full_barrier(commands);
    vkCmdCopyQueryPoolResults(commands, pool, first, DRAWS - first, results.buffer, 32, 32, flags);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    for (uint32_t i = first; i < DRAWS; i++) {
        const uint8_t *at = (uint8_t *)results.map + 32 + 32 * (i - first);
        uint64_t value = 0, available = 1;
        uint32_t size_B = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
        memcpy(&value, at, size_B);
        if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) {
            available = 0;
            memcpy(&available, at + size_B, size_B);
            if ((flags & VK_QUERY_RESULT_WAIT_BIT) && !available)
                vt_fail(vt, "query %u is not available though the copy waited", i);
            if (i == 0 && available)
                vt_fail(vt, "query 0 is available though it never ran");
        }
        uint32_t expected = extents[i][0] * extents[i][1];
        if (available && i > 0 && (precise ? value != expected : !value != !expected))
            vt_fail(vt, "query %u is %llu, expected %u", i, (unsigned long long)value, expected);
    }
    for (uint32_t i = 0; i < 32; i++) {
        if (((uint8_t *)results.map)[i] != 0xee)
            vt_fail(vt, "byte %u before the results was written", i);
    }
}

static const VkQueryResultFlags copy_flags[] = {
    VK_QUERY_RESULT_WAIT_BIT,
    VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_64_BIT,
    VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
    VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
};

/* Available only once it ran, and no more after a reset by the host. */
static void case_availability(struct vt *vt, const void *argument)
{
    struct scene scene;
    make_scene(vt, &scene, VK_SAMPLE_COUNT_1_BIT);
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_OCCLUSION, 1, 0);
    uint64_t result[2] = {77, 77};
    VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    for (unsigned round = 0; round < 2; round++) {
        vkResetQueryPool(vt->device, pool, 0, 1);
        VkResult before = vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(result), result, sizeof(result), flags);
        if (before != VK_NOT_READY || result[1] != 0)
            vt_fail(vt, "round %u: VkResult %d, availability %llu before the query ran", round, before,
                    (unsigned long long)result[1]);
        VkCommandBuffer commands = vt_begin(vt);
        vt_begin_rendering(commands, &scene.target);
        vkCmdBeginQuery(commands, pool, 0, 0);
        vt_draw(vt, commands, &scene.graphics, scene.vertices[0], 6);
        vkCmdEndQuery(commands, pool, 0);
        vkCmdEndRendering(commands);
        vt_submit(vt, commands);
        VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(result), result, sizeof(result),
                                           flags | VK_QUERY_RESULT_WAIT_BIT));
        if (result[0] == 0 || result[1] == 0)
            vt_fail(vt, "round %u: counted %llu, availability %llu", round, (unsigned long long)result[0],
                    (unsigned long long)result[1]);
    }
}

static void case_timestamps(struct vt *vt, const void *argument)
{
    if (!vt->properties.limits.timestampComputeAndGraphics)
        vt_skip(vt, "no timestamps");
    struct scene scene;
    make_scene(vt, &scene, VK_SAMPLE_COUNT_1_BIT);
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_TIMESTAMP, 4, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 4);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
    vt_begin_rendering(commands, &scene.target);
    vt_draw(vt, commands, &scene.graphics, scene.vertices[0], 6);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, pool, 1);
    for (unsigned i = 0; i < 20; i++)
        vt_draw(vt, commands, &scene.graphics, scene.vertices[0], 6);
    vkCmdEndRendering(commands);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, pool, 2);
    vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool, 3);
    vt_submit(vt, commands);
    uint64_t r[4];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 4, sizeof(r), r, 8,
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (unsigned i = 1; i < 4; i++) {
        if (r[i] < r[i - 1])
            vt_fail(vt, "timestamp %u is %llu, before %llu", i, (unsigned long long)r[i], (unsigned long long)r[i - 1]);
    }
    if (r[0] == 0 || r[3] == r[0])
        vt_fail(vt, "time stands still at %llu", (unsigned long long)r[0]);
}

/* ---- views ---- */

#define VIEWS 2

/* A query of a rendering with several views takes as many places as there are views, and all of them become
 * available; which of them has the results is the driver's choice. */
static void case_views(struct vt *vt, const void *argument)
{
    if (!vt->features11.multiview)
        vt_skip(vt, "no multiview");
    if (vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE)
        vt_skip(vt, "lavapipe 22.3 never completes the queries of the other views");
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.color_count = 1;
    target.color_formats[0] = VK_FORMAT_R8G8B8A8_UNORM;
    target.layers = VIEWS;
    target.view_mask = (1u << VIEWS) - 1;
    target.colors[0] = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                            .width = SIZE,
                                                            .height = SIZE,
                                                            .layers = VIEWS,
                                                            .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    target.color_views[0] = vt_view(vt, &target.colors[0], VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_vertex vertices[6];
    vt_rectangle(vertices, -1, -1, 1, 1, 0.5f, red);
    VkQueryPool counts = vt_query_pool(vt, VK_QUERY_TYPE_OCCLUSION, VIEWS, 0);
    VkQueryPool times = vt_query_pool(vt, VK_QUERY_TYPE_TIMESTAMP, VIEWS, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, counts, 0, VIEWS);
    vkCmdResetQueryPool(commands, times, 0, VIEWS);
    vt_begin_rendering(commands, &target);
    vkCmdBeginQuery(commands, counts, 0,
                    vt->features.features.occlusionQueryPrecise ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
    vt_draw(vt, commands, &graphics, vertices, 6);
    vkCmdEndQuery(commands, counts, 0);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    uint64_t results[2][VIEWS][2], samples = 0, time = 0;
    for (unsigned i = 0; i < 2; i++)
        VT_CHECK(vt, vkGetQueryPoolResults(vt->device, i ? times : counts, 0, VIEWS, sizeof(results[i]), results[i], 16,
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT));
    for (unsigned i = 0; i < VIEWS; i++) {
        if (!results[0][i][1] || !results[1][i][1])
            vt_fail(vt, "the query of view %u never becomes available", i);
        samples += results[0][i][0];
        time |= results[1][i][0];
    }
    if (vt->features.features.occlusionQueryPrecise ? samples != VIEWS * SIZE * SIZE : !samples)
        vt_fail(vt, "%llu samples passed, expected %u", (unsigned long long)samples, VIEWS * SIZE * SIZE);
    if (!time)
        vt_fail(vt, "no view has a time");
}

const struct vt_case vt_query_cases[] = {
    {"occlusion", case_occlusion, &sample_counts[0]},
    {"occlusion of 4 samples", case_occlusion, &sample_counts[1]},
    {"occlusion behind depth", case_occlusion_depth, NULL},
    {"primitives generated", case_generated, NULL},
    {"statistics", case_statistics, NULL},
    {"copy", case_copy, &copy_flags[0]},
    {"copy 64 bits", case_copy, &copy_flags[1]},
    {"copy with availability", case_copy, &copy_flags[2]},
    {"copy without wait", case_copy, &copy_flags[3]},
    {"availability", case_availability, NULL},
    {"timestamps", case_timestamps, NULL},
    {"views", case_views, NULL},
};
const size_t vt_query_count = COUNT_OF(vt_query_cases);
