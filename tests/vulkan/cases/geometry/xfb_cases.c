/* Transform feedback: what vertex shaders write to buffers, how far, and what counts it. The shader (shaders/xfb.vert)
 * writes buffers 0, 1 and 3. */
#include <string.h>

#include "vt/vt_graphics.h"

#define SIZE 16
#define BUFFERS 4
#define MAX_VERTICES 2048
#define UNTOUCHED 0xeeeeeeeeu

static const uint32_t strides_dw[BUFFERS] = {8, 6, 0, 2};

#define COMMANDS(X)                                                                                                    \
    X(CmdBindTransformFeedbackBuffersEXT)                                                                              \
    X(CmdBeginTransformFeedbackEXT)                                                                                    \
    X(CmdEndTransformFeedbackEXT)                                                                                      \
    X(CmdBeginQueryIndexedEXT)                                                                                         \
    X(CmdEndQueryIndexedEXT)                                                                                           \
    X(CmdDrawIndirectByteCountEXT)                                                                                     \
    X(CmdSetVertexInputEXT)

static struct {
#define X(name) PFN_vk##name name;
    COMMANDS(X)
#undef X
} vk;

#include "shaders/xfb_attribute_vert.h"
#include "shaders/xfb_same_vert.h"
#include "shaders/xfb_vert.h"

/* ---- a scene ---- */

struct scene {
    struct vt_target target;
    struct vt_graphics graphics;
    struct vt_buffer buffers[BUFFERS], counters; /* counters: of buffer n at word 4 n + 1 */
    uint32_t expected[BUFFERS][MAX_VERTICES * 8];
    uint32_t vertices; /* that are expected, in all buffers */
};

static void make_scene(struct vt *vt, struct scene *scene, VkPrimitiveTopology topology, bool discard, bool last)
{
    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
    if (!vt->has[VT_TRANSFORM_FEEDBACK])
        vt_skip(vt, "no VK_EXT_transform_feedback");
#define X(name) vk.name = (PFN_vk##name)vkGetDeviceProcAddr(vt->device, "vk" #name);
    COMMANDS(X)
#undef X
    memset(scene->expected, UNTOUCHED & 0xff, sizeof(scene->expected));
    scene->vertices = 0;
    scene->target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    vt_graphics_init(&scene->graphics, &scene->target, VT_SPIRV(xfb_vert),
                     discard ? (struct vt_spirv){0} : vt_constant_frag);
    scene->graphics.raster.rasterizerDiscardEnable = discard;
    scene->graphics.raster.pNext = last ? &provoking : NULL;
    scene->graphics.assembly.topology = topology;
    vt_make_pipeline(vt, &scene->graphics, &scene->target);
    scene->graphics.raster.pNext = NULL;
    for (unsigned i = 0; i < BUFFERS; i++) {
        scene->buffers[i] = vt_buffer(vt, sizeof(scene->expected[i]), NULL);
        memset(scene->buffers[i].map, UNTOUCHED & 0xff, sizeof(scene->expected[i]));
    }
    scene->counters = vt_buffer(vt, BUFFERS * 16, NULL);
    memset(scene->counters.map, UNTOUCHED & 0xff, BUFFERS * 16);
}

/* A vertex as the shader writes it, after those that are there. */
static void expect_vertex(struct scene *scene, uint32_t vertex, uint32_t instance)
{
    float v = (float)vertex, i = (float)instance;
    const float position[5] = {vertex % 3 == 1 ? 3 : -1, vertex % 3 == 2 ? 3 : -1, 0.5f, 1, 1};
    const float pairs[5] = {v, i, v + 0.5f, i + 0.25f, -v};
    uint32_t at = scene->vertices++;
    memcpy(&scene->expected[0][at * 8], position, sizeof(position));
    scene->expected[0][at * 8 + 7] = vertex * 1000 + instance;
    memcpy(&scene->expected[1][at * 6 + 1], pairs, sizeof(pairs));
    scene->expected[3][at * 2] = vertex;
    scene->expected[3][at * 2 + 1] = instance;
}

static void bind_buffers(VkCommandBuffer commands, const struct scene *scene, const VkDeviceSize sizes[BUFFERS])
{
    VkBuffer buffers[BUFFERS];
    static const VkDeviceSize offsets[BUFFERS];
    for (unsigned i = 0; i < BUFFERS; i++)
        buffers[i] = scene->buffers[i].buffer;
    vk.CmdBindTransformFeedbackBuffersEXT(commands, 0, BUFFERS, buffers, offsets, sizes);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->graphics.pipeline);
}

static const VkDeviceSize counter_offsets[BUFFERS] = {4, 20, 36, 52};

static void count_query(VkCommandBuffer commands, const struct scene *scene, bool begin)
{
    VkBuffer counters[BUFFERS];
    for (unsigned i = 0; i < BUFFERS; i++)
        counters[i] = scene->counters.buffer;
    if (begin)
        vk.CmdBeginTransformFeedbackEXT(commands, 0, BUFFERS, counters, counter_offsets);
    else
        vk.CmdEndTransformFeedbackEXT(commands, 0, BUFFERS, counters, counter_offsets);
}

static void expect_buffers(struct vt *vt, const struct scene *scene)
{
    static const char *const names[] = {"buffer 0", "buffer 1", "buffer 2", "buffer 3"};
    for (unsigned i = 0; i < BUFFERS; i++)
        vt_expect_words(vt, scene->buffers[i].map, scene->expected[i], COUNT_OF(scene->expected[i]), names[i]);
}

static void expect_counters(struct vt *vt, const struct scene *scene)
{
    const uint32_t *words = scene->counters.map;
    for (unsigned i = 0; i < BUFFERS; i++) {
        uint32_t expected = scene->vertices * strides_dw[i] * 4;
        if (i != 2 && words[4 * i + 1] != expected)
            vt_fail(vt, "counter %u is %u, expected %u", i, words[4 * i + 1], expected);
    }
}

/* ---- primitives ---- */

struct shape {
    VkPrimitiveTopology topology;
    uint32_t count, instances, first_instance;
    bool indexed, discard, last; /* last: the provoking vertex */
};

static const uint16_t indices[] = {5, 4, 3, 8, 0, 1, 2, 2, 7, 300, 301, 0};
#define VERTEX_OFFSET 11

static uint32_t vertex_of(const struct shape *shape, uint32_t at)
{
    return shape->indexed ? (uint32_t)indices[at] + VERTEX_OFFSET : at + 3;
}

/* Primitive by primitive; a strip's odd triangles keep their winding, and their first vertex or their last one,
 * whichever provokes. */
static void expect_shape(struct scene *scene, const struct shape *shape, uint32_t instance)
{
    switch (shape->topology) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        for (uint32_t i = 0; i + 1 < shape->count; i++)
            for (uint32_t j = 0; j < 2; j++)
                expect_vertex(scene, vertex_of(shape, i + j), instance);
        break;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
        for (uint32_t i = 0; i + 2 < shape->count; i++) {
            uint32_t odd = i % 2, turned = odd && shape->last;
            expect_vertex(scene, vertex_of(shape, i + turned), instance);
            expect_vertex(scene, vertex_of(shape, turned ? i : i + 1 + odd), instance);
            expect_vertex(scene, vertex_of(shape, turned ? i + 2 : i + 2 - odd), instance);
        }
        break;
    default:
        for (uint32_t i = 0; i < shape->count; i++)
            expect_vertex(scene, vertex_of(shape, i), instance);
    }
}

static void draw_shape(struct vt *vt, VkCommandBuffer commands, const struct shape *shape)
{
    if (shape->indexed) {
        struct vt_buffer buffer = vt_buffer(vt, sizeof(indices), indices);
        vkCmdBindIndexBuffer(commands, buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(commands, shape->count, shape->instances, 0, VERTEX_OFFSET, shape->first_instance);
    } else {
        vkCmdDraw(commands, shape->count, shape->instances, 3, shape->first_instance);
    }
}

static void expect_painted(const void *argument, uint32_t x, uint32_t y, double color_out[4])
{
    static const double color[4] = {0.2, 0.4, 0.6, 0.8};
    for (unsigned i = 0; i < 4; i++)
        color_out[i] = *(const bool *)argument ? color[i] : 0;
}

static bool preserves_provoking_vertex(struct vt *vt)
{
    VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &provoking};
    if (!vt->has[VT_PROVOKING_VERTEX])
        return false;
    vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    return provoking.provokingVertexLast && provoking.transformFeedbackPreservesProvokingVertex;
}

static void case_shape(struct vt *vt, const void *argument)
{
    static struct scene scene;
    const struct shape *shape = argument;
    if (shape->last && !preserves_provoking_vertex(vt))
        vt_skip(vt, "feedback does not keep the last vertex last");
    if (shape->last && shape->discard && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV 22.3 does not look at the provoking vertex where nothing is drawn");
    make_scene(vt, &scene, shape->topology, shape->discard, shape->last);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    bind_buffers(commands, &scene, NULL);
    vk.CmdBeginTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
    draw_shape(vt, commands, shape);
    count_query(commands, &scene, false);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < shape->instances; i++)
        expect_shape(&scene, shape, shape->first_instance + i);
    expect_buffers(vt, &scene);
    expect_counters(vt, &scene);
    bool triangles = shape->topology >= VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, painted = triangles && !shape->discard;
    if (triangles)
        vt_expect_picture(vt, &scene.target, vt_download(vt, &scene.target.colors[0], 0), expect_painted, &painted, 1,
                          0, "picture");
}

/* Where attributes are dynamic, something may run before the shader: it must leave alone what feedback needs. */
static void case_dynamic_input(struct vt *vt, const void *argument)
{
    static struct scene scene;
    static const struct shape shape = {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 300, 2, 0, false, true, false};
    static const uint32_t values[2] = {17, 99};
    const VkVertexInputBindingDescription2EXT binding = {.sType =
                                                             VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
                                                         .stride = 4,
                                                         .inputRate = VK_VERTEX_INPUT_RATE_INSTANCE,
                                                         .divisor = 1};
    const VkVertexInputAttributeDescription2EXT attribute = {
        .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, .format = VK_FORMAT_R32_UINT};
    if (!vt->has[VT_VERTEX_INPUT_DYNAMIC])
        vt_skip(vt, "no VK_EXT_vertex_input_dynamic_state");
    make_scene(vt, &scene, shape.topology, true, false);
    scene.graphics.vertex_code = VT_SPIRV(xfb_attribute_vert);
    vt_add_dynamic(&scene.graphics, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(values), values);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    bind_buffers(commands, &scene, NULL);
    vk.CmdSetVertexInputEXT(commands, 1, &binding, 1, &attribute);
    vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    vk.CmdBeginTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
    draw_shape(vt, commands, &shape);
    count_query(commands, &scene, false);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < 2; i++)
        expect_shape(&scene, &shape, values[i]);
    expect_buffers(vt, &scene);
    expect_counters(vt, &scene);
}

/* Outputs of the same value may have the same register: each is captured to its own place. */
static void case_same_values(struct vt *vt, const void *argument)
{
    static struct scene scene;
    static const float values[BUFFERS][6] = {
        {1, 2, 3, 4, 5, 6}, {4, 5, 6, 7, 2, 3}, {1, 2, 3, 1, 2, 8}, {9, 9, 9, 4, 5, 6}};
    const uint32_t drawn = 3;
    make_scene(vt, &scene, VK_PRIMITIVE_TOPOLOGY_POINT_LIST, true, false);
    scene.graphics.vertex_code = VT_SPIRV(xfb_same_vert);
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    bind_buffers(commands, &scene, NULL);
    vk.CmdBeginTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
    vkCmdDraw(commands, drawn, 1, 0, 0);
    vk.CmdEndTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    for (unsigned i = 0; i < BUFFERS * drawn; i++)
        memcpy(&scene.expected[i % BUFFERS][i / BUFFERS * 6], values[i % BUFFERS], sizeof(values[0]));
    expect_buffers(vt, &scene);
}

/* ---- pause, resume, and draws that are not captured ---- */

static void barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT |
                                               VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT,
                              .dstAccessMask = VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT |
                                               VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT,
                         VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT, 0, 1,
                         &memory, 0, NULL, 0, NULL);
}

static void case_pause(struct vt *vt, const void *argument)
{
    static struct scene scene;
    bool overwrites = *(const bool *)argument; /* begins anew, without counters */
    make_scene(vt, &scene, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, true, false);
    VkCommandBuffer commands = vt_begin(vt);
    for (unsigned round = 0; round < 3; round++) {
        vt_begin_rendering(commands, &scene.target);
        bind_buffers(commands, &scene, NULL);
        if (round == 0 || overwrites)
            vk.CmdBeginTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
        else
            count_query(commands, &scene, true);
        scene.vertices = overwrites ? 0 : scene.vertices;
        for (unsigned draw = 0; draw < 2; draw++) {
            uint32_t first = 100 * round + 10 * draw;
            vkCmdDraw(commands, 6, 1, first, round);
            for (uint32_t i = 0; i < 6; i++)
                expect_vertex(&scene, first + i, round);
        }
        count_query(commands, &scene, false);
        vkCmdDraw(commands, 9, 1, 77, 0); /* not captured */
        vkCmdEndRendering(commands);
        barrier(commands);
    }
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    expect_buffers(vt, &scene);
    expect_counters(vt, &scene);
}

static const bool no = false, yes = true;

/* ---- draws by a byte count ---- */

struct bytes {
    uint32_t filled_B, offset_B, stride_B;
    bool by_gpu; /* the counter of a feedback before */
};

static void case_byte_count(struct vt *vt, const void *argument)
{
    static struct scene scene;
    const struct bytes *bytes = argument;
    if ((vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE || vt->driver == VK_DRIVER_ID_MESA_RADV) && bytes->offset_B)
        vt_skip(vt, "lavapipe and RADV do not look at the offset");
    make_scene(vt, &scene, VK_PRIMITIVE_TOPOLOGY_POINT_LIST, true, false);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    bind_buffers(commands, &scene, NULL);
    ((uint32_t *)scene.counters.map)[1] = bytes->filled_B;
    if (bytes->by_gpu) {
        vk.CmdBeginTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
        vkCmdDraw(commands, bytes->filled_B / (strides_dw[0] * 4), 1, 0, 0);
        count_query(commands, &scene, false);
        vkCmdEndRendering(commands);
        barrier(commands);
        vt_begin_rendering(commands, &scene.target);
        bind_buffers(commands, &scene, NULL);
    }
    VkBuffer unused[BUFFERS];
    for (unsigned i = 0; i < BUFFERS; i++)
        unused[i] = VK_NULL_HANDLE;
    vk.CmdBeginTransformFeedbackEXT(commands, 0, BUFFERS, unused, NULL);
    vk.CmdDrawIndirectByteCountEXT(commands, 2, 5, scene.counters.buffer, counter_offsets[0], bytes->offset_B,
                                   bytes->stride_B);
    vk.CmdEndTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t drawn = (bytes->filled_B - bytes->offset_B) / bytes->stride_B;
    for (uint32_t instance = 5; instance < 7; instance++)
        for (uint32_t i = 0; i < drawn; i++)
            expect_vertex(&scene, i, instance);
    expect_buffers(vt, &scene);
}

static const struct bytes byte_counts[] = {
    {320, 0, 32, false}, {330, 10 * 4, 12, false}, {4096, 0, 512, false}, {32 * 37, 0, 32, true}, {0, 0, 16, false}};

/* ---- queries, and buffers that are too small ---- */

struct room {
    uint32_t vertices[BUFFERS]; /* that fit */
    uint32_t fitting;           /* primitives in all */
};
static const struct room rooms[] = {{{2048, 2048, 2048, 2048}, 40}, {{2048, 37, 2048, 99}, 12}, {{2, 99, 99, 99}, 0}};

static void case_room(struct vt *vt, const void *argument)
{
    static struct scene scene;
    const struct room *room = argument;
    VkDeviceSize sizes[BUFFERS];
    make_scene(vt, &scene, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, true, false);
    for (unsigned i = 0; i < BUFFERS; i++)
        sizes[i] = i == 2 ? 4 : room->vertices[i] * strides_dw[i] * 4;
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 2, 0);
    struct vt_buffer copied = vt_buffer(vt, 2 * 24, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 2);
    vt_begin_rendering(commands, &scene.target);
    bind_buffers(commands, &scene, sizes);
    vk.CmdBeginQueryIndexedEXT(commands, pool, 0, 0, 0);
    vk.CmdBeginTransformFeedbackEXT(commands, 0, 0, NULL, NULL);
    vkCmdDraw(commands, 3 * 25, 1, 0, 0);
    vkCmdDraw(commands, 3 * 15, 1, 0, 1);
    count_query(commands, &scene, false);
    vk.CmdEndQueryIndexedEXT(commands, pool, 0, 0);
    vkCmdBeginQuery(commands, pool, 1, 0);
    vkCmdEndQuery(commands, pool, 1);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vkCmdCopyQueryPoolResults(commands, pool, 0, 2, copied.buffer, 0, 24,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT |
                                  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint64_t r[4];
    VkResult result = vkGetQueryPoolResults(vt->device, pool, 0, 2, sizeof(r), r, 16,
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    VT_CHECK(vt, result);
    const uint64_t *c = copied.map;
    if (r[0] != room->fitting || r[1] != 40 || r[2] != 0 || r[3] != 0)
        vt_fail(vt, "written %llu of %llu, then %llu of %llu, expected %u of 40", (unsigned long long)r[0],
                (unsigned long long)r[1], (unsigned long long)r[2], (unsigned long long)r[3], room->fitting);
    if (c[0] != r[0] || c[1] != r[1] || c[2] != 1 || c[3] != 0 || c[4] != 0 || c[5] != 1)
        vt_fail(vt, "the copy says %llu of %llu, available %llu", (unsigned long long)c[0], (unsigned long long)c[1],
                (unsigned long long)c[2]);
    for (uint32_t i = 0; i < room->fitting * 3; i++)
        expect_vertex(&scene, i < 75 ? i : i - 75, i >= 75);
    expect_buffers(vt, &scene);
    expect_counters(vt, &scene);
}

#define TOPOLOGY(name) VK_PRIMITIVE_TOPOLOGY_##name
static const struct shape shapes[] = {{TOPOLOGY(TRIANGLE_LIST), 9, 1, 0, false, true, false},
                                      {TOPOLOGY(TRIANGLE_STRIP), 8, 1, 0, false, true, false},
                                      {TOPOLOGY(POINT_LIST), 5, 1, 0, false, true, false},
                                      {TOPOLOGY(LINE_LIST), 6, 1, 0, false, true, false},
                                      {TOPOLOGY(LINE_STRIP), 5, 1, 0, false, true, false},
                                      {TOPOLOGY(TRIANGLE_LIST), 12, 1, 0, true, true, false},
                                      {TOPOLOGY(TRIANGLE_LIST), 6, 7, 2, false, true, false},
                                      {TOPOLOGY(TRIANGLE_LIST), 999, 2, 1, false, true, false},
                                      {TOPOLOGY(TRIANGLE_LIST), 12, 3, 0, true, false, false},
                                      {TOPOLOGY(TRIANGLE_LIST), 600, 1, 0, false, false, false},
                                      {TOPOLOGY(TRIANGLE_STRIP), 200, 2, 0, false, false, false},
                                      {TOPOLOGY(TRIANGLE_STRIP), 9, 1, 0, false, true, true},
                                      {TOPOLOGY(TRIANGLE_STRIP), 12, 2, 0, true, true, true},
                                      {TOPOLOGY(TRIANGLE_LIST), 12, 1, 0, false, true, true},
                                      {TOPOLOGY(LINE_STRIP), 6, 2, 1, false, true, true},
                                      {TOPOLOGY(TRIANGLE_STRIP), 200, 2, 0, false, false, true}};

const struct vt_case vt_xfb_cases[] = {
    {"triangles", case_shape, &shapes[0]},
    {"triangle strip", case_shape, &shapes[1]},
    {"points", case_shape, &shapes[2]},
    {"lines", case_shape, &shapes[3]},
    {"line strip", case_shape, &shapes[4]},
    {"indexed", case_shape, &shapes[5]},
    {"instanced", case_shape, &shapes[6]},
    {"many", case_shape, &shapes[7]},
    {"drawn, indexed and instanced", case_shape, &shapes[8]},
    {"drawn, many", case_shape, &shapes[9]},
    {"drawn strip", case_shape, &shapes[10]},
    {"triangle strip, last vertex provoking", case_shape, &shapes[11]},
    {"indexed strip, last vertex provoking", case_shape, &shapes[12]},
    {"triangles, last vertex provoking", case_shape, &shapes[13]},
    {"line strip, last vertex provoking", case_shape, &shapes[14]},
    {"drawn strip, last vertex provoking", case_shape, &shapes[15]},
    {"dynamic vertex input", case_dynamic_input, NULL},
    {"same values in all buffers", case_same_values, NULL},
    {"pause and resume", case_pause, &no},
    {"begin anew", case_pause, &yes},
    {"byte count", case_byte_count, &byte_counts[0]},
    {"byte count from an offset", case_byte_count, &byte_counts[1]},
    {"byte count of wide vertices", case_byte_count, &byte_counts[2]},
    {"byte count of a feedback", case_byte_count, &byte_counts[3]},
    {"byte count of nothing", case_byte_count, &byte_counts[4]},
    {"queries", case_room, &rooms[0]},
    {"overflow", case_room, &rooms[1]},
    {"overflow of all", case_room, &rooms[2]},
};
const size_t vt_xfb_count = COUNT_OF(vt_xfb_cases);
