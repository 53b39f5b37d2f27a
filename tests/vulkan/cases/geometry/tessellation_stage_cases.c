/* Tessellation: what control and evaluation shaders see and hand on, and how patches are drawn. 64 patches become cells
 * of 4 by 4 pixels, each with its number in red and what its shaders found in green and blue (shaders/patch.*). */
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/patch_0_tesc.h"
#include "shaders/patch_0_tese.h"
#include "shaders/patch_0_vert.h"
#include "shaders/patch_10_tesc.h"
#include "shaders/patch_10_tese.h"
#include "shaders/patch_10_vert.h"
#include "shaders/patch_11_tesc.h"
#include "shaders/patch_11_tese.h"
#include "shaders/patch_11_vert.h"
#include "shaders/patch_12_tesc.h"
#include "shaders/patch_12_tese.h"
#include "shaders/patch_12_vert.h"
#include "shaders/patch_13_tesc.h"
#include "shaders/patch_13_tese.h"
#include "shaders/patch_13_vert.h"
#include "shaders/patch_14_tesc.h"
#include "shaders/patch_14_tese.h"
#include "shaders/patch_14_vert.h"
#include "shaders/patch_15_tesc.h"
#include "shaders/patch_15_tese.h"
#include "shaders/patch_15_vert.h"
#include "shaders/patch_16_tesc.h"
#include "shaders/patch_16_tese.h"
#include "shaders/patch_16_vert.h"
#include "shaders/patch_17_tesc.h"
#include "shaders/patch_17_tese.h"
#include "shaders/patch_17_vert.h"
#include "shaders/patch_1_geom.h"
#include "shaders/patch_1_tesc.h"
#include "shaders/patch_1_tese.h"
#include "shaders/patch_1_vert.h"
#include "shaders/patch_2_geom.h"
#include "shaders/patch_2_tesc.h"
#include "shaders/patch_2_tese.h"
#include "shaders/patch_2_vert.h"
#include "shaders/patch_3_tesc.h"
#include "shaders/patch_3_tese.h"
#include "shaders/patch_3_vert.h"
#include "shaders/patch_4_tesc.h"
#include "shaders/patch_4_tese.h"
#include "shaders/patch_4_vert.h"
#include "shaders/patch_5_tesc.h"
#include "shaders/patch_5_tese.h"
#include "shaders/patch_5_vert.h"
#include "shaders/patch_6_tesc.h"
#include "shaders/patch_6_tese.h"
#include "shaders/patch_6_vert.h"
#include "shaders/patch_7_tesc.h"
#include "shaders/patch_7_tese.h"
#include "shaders/patch_7_vert.h"
#include "shaders/patch_8_tesc.h"
#include "shaders/patch_8_tese.h"
#include "shaders/patch_8_vert.h"
#include "shaders/patch_9_tesc.h"
#include "shaders/patch_9_tese.h"
#include "shaders/patch_9_vert.h"
#define SHADERS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)

#define SIZE 32
#define CELLS 64
#define MAX_POINTS 32

static void need_feature(struct vt *vt)
{
    if (!vt->features.features.tessellationShader)
        vt_skip(vt, "no tessellation shaders");
}

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b)
{
    return r | g << 8 | b << 16 | 255u << 24;
}

#define CODE(name)                                                                                                     \
    {                                                                                                                  \
        name, sizeof(name)                                                                                             \
    }
static const struct {
    struct vt_spirv vertex, control, evaluation;
} shaders[] = {
#define X(what) {CODE(patch_##what##_vert), CODE(patch_##what##_tesc), CODE(patch_##what##_tese)},
    SHADERS(X)
#undef X
};

typedef uint32_t expect_fn(uint32_t cell);

struct patches {
    unsigned what;
    uint32_t points; /* of a patch that goes in */
    expect_fn *expect;
    bool dynamic_points, dynamic_origin, restarts;
    enum {
        DRAW,
        DRAW_INDEXED,
        DRAW_INDIRECT,
        DRAW_INSTANCES,
    } way;
    struct vt_spirv geometry;
};

static uint32_t of_green(uint32_t cell, uint32_t green, uint32_t blue)
{
    return rgba(cell, green, blue);
}

static uint32_t passed_word(uint32_t cell)
{
    return of_green(cell, 1 * 0 + 2 * 1 + 3 * 2, 0);
}

static uint32_t fewer(uint32_t cell)
{
    return of_green(cell, 2 * 1 + 3 * 2 + 4 * 3, 0);
}

static uint32_t more(uint32_t cell)
{
    return of_green(cell, 8 * (0 + 1 + 2 + 3), 0);
}

/* Odd ones of 32. */
static uint32_t wide(uint32_t cell)
{
    return of_green(cell, 16, 0);
}

static uint32_t neighbours(uint32_t cell)
{
    uint32_t green = 0, blue = 0;
    for (uint32_t i = 0; i < 5; i++) {
        green += (i + 1) * i;
        blue += (i + 1) * ((i + 1) % 5 + (i + 3) % 5);
    }
    return of_green(cell, green, blue);
}

static uint32_t of_patch(uint32_t cell)
{
    return of_green(cell, 2 * 1 + 3 * 2 + 4 * 3 + (0 + 1 + 2 + 3), 3 + (cell & 3));
}

static uint32_t levels(uint32_t cell)
{
    return of_green(cell, (1 + cell % 5) * 10 + 1 + (cell + 3) % 5, (1 + cell % 3) * 10 + 1 + cell % 7);
}

static uint32_t numbers(uint32_t cell)
{
    return of_green(cell, cell + 3, 6);
}

static uint32_t constant(uint32_t cell)
{
    return of_green(cell, 100, 0);
}

static uint32_t with_number(uint32_t cell)
{
    return of_green(cell, 100, cell);
}

static uint32_t culled(uint32_t cell)
{
    const uint32_t kind = cell & 7;
    return kind == 1 || kind == 3 || kind == 5 ? 0 : passed_word(cell);
}

static uint32_t many(uint32_t cell)
{
    return of_green(cell, 13 * 14 / 2, 2 + 3 + 4 + 5 + 6 + 7);
}

/* The control shader turns vertices round: see the sums there. */
static uint32_t types(uint32_t cell)
{
    return of_green(cell, cell & 1 ? 12 + 3 * cell : 13, 18);
}

static uint32_t returned_word(uint32_t cell)
{
    return of_green(cell, 1 * 0 + 2 * 5 + 3 * 2, 0);
}

static uint32_t resources(uint32_t cell)
{
    return of_green(cell, (10 + 1) + 2 * (20 + 1) + 3 * (30 + 1) + (cell & 3), 1);
}

static uint32_t clipped(uint32_t cell)
{
    return passed_word(cell);
}

/* ---- drawing ---- */

static void set_dynamic(struct vt *vt, VkCommandBuffer commands, const struct patches *test)
{
    if (test->dynamic_points)
        ((PFN_vkCmdSetPatchControlPointsEXT)vkGetDeviceProcAddr(vt->device, "vkCmdSetPatchControlPointsEXT"))(
            commands, test->points);
    if (test->dynamic_origin)
        ((PFN_vkCmdSetTessellationDomainOriginEXT)vkGetDeviceProcAddr(
            vt->device, "vkCmdSetTessellationDomainOriginEXT"))(commands, VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT);
}

static bool restarts_patches(struct vt *vt)
{
    VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT lists = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &lists};
    if (vt->has[VT_TOPOLOGY_LIST_RESTART])
        vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    return lists.primitiveTopologyPatchListRestart;
}

static void init_patches(struct vt *vt, struct vt_graphics *graphics, const struct vt_target *target,
                         const struct patches *test)
{
    need_feature(vt);
    if (test->dynamic_points && !vt->has[VT_EXTENDED_DYNAMIC_STATE2])
        vt_skip(vt, "no VK_EXT_extended_dynamic_state2");
    if (test->dynamic_origin && !vt->has[VT_EXTENDED_DYNAMIC_STATE3])
        vt_skip(vt, "no VK_EXT_extended_dynamic_state3");
    if (test->restarts && !restarts_patches(vt))
        vt_skip(vt, "no primitiveTopologyPatchListRestart");
    if (test->geometry.words && !vt->features.features.geometryShader)
        vt_skip(vt, "no geometry shaders");
    /* 26.1 stores slots of 16 bytes of which two levels are defined, and nothing reads the rest: strict mode reports
     * it. */
    if (test->what == 6 && vt->driver == VK_DRIVER_ID_MESA_RADV &&
        vt->properties.driverVersion > VK_MAKE_VERSION(25, 0, 99))
        vt_skip(vt, "RADV stores what is undefined beside inner levels");
    /* 22.3.6 gives geometry shaders the number of the triangle, not of the patch; 26.1 has it right. */
    if (test->geometry.words && vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE &&
        vt->properties.driverVersion < VK_MAKE_VERSION(25, 0, 0))
        vt_skip(vt, "lavapipe counts the triangles of patches");
    /* 22.3.6 comes to the barrier without a wait for its stores to LDS, which strict mode reports. */
    if (test->what == 4 && vt->driver == VK_DRIVER_ID_MESA_RADV &&
        vt->properties.driverVersion < VK_MAKE_VERSION(25, 0, 0))
        vt_skip(vt, "RADV does not wait for outputs before a barrier");
    if (test->what == 11 && !vt->features.features.shaderFloat64)
        vt_skip(vt, "no shaderFloat64");
    vt_graphics_init(graphics, target, shaders[test->what].vertex, vt_plain_frag);
    graphics->control_code = shaders[test->what].control;
    graphics->evaluation_code = shaders[test->what].evaluation;
    graphics->geometry_code = test->geometry;
    graphics->tessellation.patchControlPoints = test->dynamic_points ? 1 : test->points;
    graphics->assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    graphics->assembly.primitiveRestartEnable = test->restarts;
    if (test->dynamic_points)
        vt_add_dynamic(graphics, VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT);
    if (test->dynamic_origin) {
        vt_add_dynamic(graphics, VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT);
        graphics->raster.cullMode = VK_CULL_MODE_BACK_BIT; /* what turns counterclockwise turns clockwise then */
        graphics->raster.frontFace = VK_FRONT_FACE_CLOCKWISE;
    }
}

/* With restarts, a patch that is not whole stands before every fourth one. */
static uint32_t fill_indices(uint16_t *indices, const struct patches *test)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < CELLS * test->points; i++) {
        if (test->restarts && i % (4 * test->points) == 0) {
            indices[count++] = 7;
            indices[count++] = 0xffff;
        }
        indices[count++] = (uint16_t)i;
    }
    return count;
}

static void draw(struct vt *vt, VkCommandBuffer commands, const struct patches *test)
{
    static uint16_t indices[CELLS * MAX_POINTS * 2];
    const uint32_t count = CELLS * test->points, all = fill_indices(indices, test);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(indices), indices);
    vkCmdBindIndexBuffer(commands, buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
    switch (test->way) {
    case DRAW:
        vkCmdDraw(commands, count, 1, 0, 0);
        break;
    case DRAW_INDEXED:
        vkCmdDrawIndexed(commands, all, 1, 0, 0, 0);
        break;
    case DRAW_INDIRECT: {
        const VkDrawIndirectCommand words = {count, 1, 0, 0};
        vkCmdDrawIndirect(commands, vt_buffer(vt, sizeof(words), &words).buffer, 0, 1, 0);
        break;
    }
    case DRAW_INSTANCES:
        vkCmdDraw(commands, count / 4, 4, 0, 0);
        break;
    }
}

static void expect_cells(struct vt *vt, const uint32_t *texels, expect_fn *expect)
{
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t x = i % SIZE, y = i / SIZE, cell = y / 4 * 8 + x / 4, expected = expect(cell);
        if (expect == clipped && x % 4 >= 2) {
            if (texels[i])
                vt_fail(vt, "pixel (%u, %u) is %08x, expected nothing", x, y, texels[i]);
        } else if (expected != UINT32_MAX && texels[i] != expected) {
            vt_fail(vt, "pixel (%u, %u) is %08x, expected %08x", x, y, texels[i], expected);
        }
    }
}

static void case_patches(struct vt *vt, const void *argument)
{
    const struct patches *test = argument;
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    struct vt_graphics graphics;
    init_patches(vt, &graphics, &target, test);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    set_dynamic(vt, commands, test);
    draw(vt, commands, test);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_cells(vt, texels.map, test->expect);
}

static void case_resources(struct vt *vt, const void *argument)
{
    const struct patches *test = argument;
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    struct vt_graphics graphics;
    init_patches(vt, &graphics, &target, test);
    const float constants[4][4] = {{10}, {20}, {30}, {40}}, words[4] = {0, 1, 2, 3}, add = 1;
    struct vt_buffer uniform = vt_buffer(vt, sizeof(constants), constants),
                     storage = vt_buffer(vt, sizeof(words), words);
    struct vt_binding bindings[] = {VT_UNIFORM_BUFFER(uniform), VT_STORAGE_BUFFER(storage)};
    struct vt_set set = vt_set(vt, bindings, 2);
    graphics.sets[0] = set.layout;
    graphics.set_count = 1;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vt_push(commands, &graphics, &add, sizeof(add));
    draw(vt, commands, test);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_cells(vt, texels.map, test->expect);
}

/* Pipelines with tessellation and without take turns; patches of the first draw are seen where the last one ended. */
static void case_turns(struct vt *vt, const void *argument)
{
    const struct patches *test = argument;
    const float red[4] = {1, 0, 0, 1};
    struct vt_vertex vertices[6];
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    struct vt_graphics graphics, plain, other;
    init_patches(vt, &graphics, &target, test);
    vt_make_pipeline(vt, &graphics, &target);
    init_patches(vt, &other, &target, &(struct patches){.what = 5, .points = 4});
    vt_make_pipeline(vt, &other, &target);
    vt_graphics_init(&plain, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&plain);
    vt_make_pipeline(vt, &plain, &target);
    vt_quad(vertices, 0.5f, red);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    for (unsigned turn = 0; turn < 3; turn++) {
        vt_draw(vt, commands, &plain, vertices, 6);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, other.pipeline);
        vkCmdDraw(commands, CELLS * 4, 1, 0, 0);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
        vkCmdDraw(commands, CELLS * test->points, 1, 0, 0);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_cells(vt, texels.map, test->expect);
}

/* ---- counting ---- */

#define COUNTED                                                                                                        \
    (VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |                                                       \
     VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |                                                            \
     VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_CONTROL_SHADER_PATCHES_BIT |                                             \
     VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_EVALUATION_SHADER_INVOCATIONS_BIT)

/* More patches than a threadgroup has, many times over. */
static void case_statistics(struct vt *vt, const void *argument)
{
    const struct patches *test = argument;
    const uint32_t patches = 5000;
    need_feature(vt);
    if (!vt->features.features.pipelineStatisticsQuery)
        vt_skip(vt, "no pipelineStatisticsQuery");
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    struct vt_graphics graphics;
    init_patches(vt, &graphics, &target, test);
    vt_make_pipeline(vt, &graphics, &target);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, COUNTED);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vkCmdBeginQuery(commands, pool, 0, 0);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdDraw(commands, patches * test->points, 1, 0, 0);
    vkCmdEndRendering(commands);
    vkCmdEndQuery(commands, pool, 0);
    vt_submit(vt, commands);
    uint64_t r[4] = {0};
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(r), r, sizeof(r),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    const unsigned long long triangles = patches * 18ull, points = patches * 16ull;
    if (r[0] != patches || r[2] != patches)
        vt_fail(vt, "%llu primitives, %llu patches", (unsigned long long)r[0], (unsigned long long)r[2]);
    if (r[1] != triangles || r[3] < points || r[3] > triangles * 3)
        vt_fail(vt, "%llu triangles, %llu points", (unsigned long long)r[1], (unsigned long long)r[3]);
}

/* Every triangle is captured once. */
static void case_feedback(struct vt *vt, const void *argument)
{
    const struct patches *test = argument;
    const uint32_t vertices = CELLS * 18 * 3;
    need_feature(vt);
    if (!vt->has[VT_TRANSFORM_FEEDBACK])
        vt_skip(vt, "no VK_EXT_transform_feedback");
#define LOAD(name) PFN_vk##name name = (PFN_vk##name)vkGetDeviceProcAddr(vt->device, "vk" #name)
    LOAD(CmdBindTransformFeedbackBuffersEXT);
    LOAD(CmdBeginTransformFeedbackEXT);
    LOAD(CmdEndTransformFeedbackEXT);
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    struct vt_graphics graphics;
    init_patches(vt, &graphics, &target, test);
    vt_make_pipeline(vt, &graphics, &target);
    struct vt_buffer buffer = vt_buffer(vt, (vertices + 1) * 16, NULL), counter = vt_buffer(vt, 4, NULL);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 1, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    CmdBindTransformFeedbackBuffersEXT(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0},
                                       &(VkDeviceSize){vertices * 16});
    vkCmdBeginQuery(commands, pool, 0, 0);
    CmdBeginTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
    vkCmdDraw(commands, CELLS * test->points, 1, 0, 0);
    CmdEndTransformFeedbackEXT(commands, 0, 1, &counter.buffer, &(VkDeviceSize){0});
    vkCmdEndQuery(commands, pool, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint64_t r[2];
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(r), r, sizeof(r),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    if (r[0] * 3 != vertices || r[1] != CELLS * 18 || *(uint32_t *)counter.map != vertices * 16)
        vt_fail(vt, "%llu of %llu primitives, %u bytes", (unsigned long long)r[0], (unsigned long long)r[1],
                *(uint32_t *)counter.map);
    const float(*got)[4] = buffer.map;
    double areas[CELLS] = {0};
    for (uint32_t i = 0; i < vertices; i += 3) {
        const uint32_t cell = (uint32_t)got[i][0];
        if (cell >= CELLS || got[i + 1][0] != got[i][0] || got[i + 2][0] != got[i][0] || got[i][3] != 1)
            vt_fail(vt, "triangle %u is of cells %g, %g and %g", i / 3, got[i][0], got[i + 1][0], got[i + 2][0]);
        const double a = got[i + 1][1] - got[i][1], b = got[i + 2][1] - got[i][1], c = got[i + 1][2] - got[i][2],
                     d = got[i + 2][2] - got[i][2];
        areas[cell] += b * c - a * d; /* counterclockwise where v goes down */
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        if (areas[i] < 1.999 || areas[i] > 2.001)
            vt_fail(vt, "the triangles of cell %u cover %g of it", i, areas[i] / 2);
    }
    if (got[vertices][3] != 0)
        vt_fail(vt, "more than the buffer has");
}

/* ---- the list ---- */

static const struct patches tests[] = {
    {0, 3, passed_word},
    {1, 4, fewer},
    {2, 1, more},
    {3, 32, wide},
    {4, 5, neighbours},
    {5, 4, of_patch},
    {6, 4, levels},
    {7, 6, numbers},
    {8, 2, constant, .way = DRAW_INSTANCES},
    {9, 3, culled},
    {10, 3, many},
    {11, 3, types},
    {12, 3, returned_word},
    {13, 3, resources},
    {14, 2, with_number, .geometry = CODE(patch_1_geom)},
    {14, 2, with_number, .geometry = CODE(patch_2_geom)},
    {15, 3, clipped},
    {0, 3, passed_word, .way = DRAW_INDEXED},
    {17, 3, constant, .way = DRAW_INDEXED, .restarts = true},
    {0, 3, passed_word, .way = DRAW_INDIRECT},
    {0, 3, passed_word, .dynamic_points = true},
    {3, 32, wide, .dynamic_points = true},
    {0, 3, passed_word, .dynamic_origin = true},
    {16, 3, NULL},
};

const struct vt_case vt_tessellation_stage_cases[] = {
    {"as many points", case_patches, &tests[0]},
    {"fewer points", case_patches, &tests[1]},
    {"more points", case_patches, &tests[2]},
    {"32 points", case_patches, &tests[3]},
    {"outputs of other invocations", case_patches, &tests[4]},
    {"outputs of the patch", case_patches, &tests[5]},
    {"levels that are read again", case_patches, &tests[6]},
    {"numbers", case_patches, &tests[7]},
    {"instances", case_patches, &tests[8]},
    {"culled patches", case_patches, &tests[9]},
    {"many outputs", case_patches, &tests[10]},
    {"outputs of all types", case_patches, &tests[11]},
    {"an early return", case_patches, &tests[12]},
    {"resources", case_resources, &tests[13]},
    {"a geometry shader", case_patches, &tests[14]},
    {"a geometry shader with invocations", case_patches, &tests[15]},
    {"clip distances", case_patches, &tests[16]},
    {"indices", case_patches, &tests[17]},
    {"restarts", case_patches, &tests[18]},
    {"indirect", case_patches, &tests[19]},
    {"dynamic control points", case_patches, &tests[20]},
    {"32 dynamic control points", case_patches, &tests[21]},
    {"a dynamic origin", case_patches, &tests[22]},
    {"turns", case_turns, &tests[0]},
    {"statistics", case_statistics, &tests[0]},
    {"feedback", case_feedback, &tests[23]},
};
const size_t vt_tessellation_stage_count = COUNT_OF(vt_tessellation_stage_cases);
