/* Shader objects by themselves: what is bound when, and the many ways to draw. The older validation
 * layers do not know them, so under validation the cases skip. */
#include <pthread.h>
#include <string.h>

#include "cases/shader_object/objects.h"

#include "shaders/object_effects_frag.h"
#include "shaders/object_mix_mesh.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64

/* ---- what is bound when ---- */

static void plain_scene(struct vt *vt, struct scene *scene, struct vt_spirv fragment)
{
    need_objects(vt);
    scene_init(vt, scene, RGBA8, vt_plain_vert, fragment);
    vt_use_vertices(&scene->graphics);
    scene->graphics.layout = vt_pipeline_layout(vt, scene->graphics.sets, scene->graphics.set_count);
    vt_quad(scene->vertices, 0.5f, (const float[4]){1, 0.5f, 0.25f, 1});
    scene->buffers[0] = vt_buffer(vt, sizeof(scene->vertices), scene->vertices);
}

static void bind_vertices(VkCommandBuffer commands, const struct scene *scene)
{
    vkCmdBindVertexBuffers(commands, 0, 1, &scene->buffers[0].buffer, &(VkDeviceSize){0});
}

static const double orange[4] = {1, 0.5, 0.25, 1}, constant[4] = {0.2, 0.4, 0.6, 0.8};

static void expect_halves(struct vt *vt, const void *texels, const double left[4], const double right[4])
{
    const struct vt_format *format = vt_format(RGBA8);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const double *expected = i % SIZE < SIZE / 2 ? left : right;
        const char *texel = (const char *)texels + 4 * (size_t)i;
        if (!vt_texel_is(format, texel, expected, 1, 0))
            vt_fail_texel(vt, format, texel, expected, "half of a picture", i % SIZE, i / SIZE, 0);
    }
}

static void half(VkCommandBuffer commands, uint32_t which)
{
    vkCmdSetScissorWithCount(commands, 1, &(VkRect2D){{(int32_t)(which * SIZE / 2), 0}, {SIZE / 2, SIZE}});
}

/* Another fragment shader for the right half, and nothing else is said again. */
static void case_exchange(struct vt *vt, const void *argument)
{
    struct scene scene;
    struct objects objects, other;
    plain_scene(vt, &scene, vt_plain_frag);
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &objects);
    scene.graphics.fragment_code = vt_constant_frag;
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &other);
    VkCommandBuffer commands = vt_begin(vt);
    set_state(vt, commands, &scene); /* before anything is bound */
    vt_begin_rendering(commands, &scene.target);
    bind_objects(vt, commands, &objects);
    bind_vertices(commands, &scene);
    half(commands, 0);
    vkCmdDraw(commands, 6, 1, 0, 0);
    half(commands, 1);
    VT_LOAD(vt, CmdBindShadersEXT)(commands, 1, &object_stages[OBJECT_STAGES - 1], &other.shaders[OBJECT_STAGES - 1]);
    vkCmdDraw(commands, 6, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &scene.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_halves(vt, texels.map, orange, constant);
}

/* Without a fragment shader colours are undefined, and masked here; depth is written. The shader is taken away by a
 * handle, or by an array that is not there. */
static void case_taken_away(struct vt *vt, const void *argument)
{
    const bool by_array = argument != NULL;
    static const double nothing[4] = {0, 0, 0, 0};
    static const VkShaderStageFlagBits stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    const VkShaderEXT none = VK_NULL_HANDLE;
    struct scene scene;
    struct objects objects;
    plain_scene(vt, &scene, vt_plain_frag);
    vt_add_depth(vt, &scene.target, VK_FORMAT_D32_SFLOAT);
    scene.graphics.depth.depthTestEnable = scene.graphics.depth.depthWriteEnable = true;
    scene.graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &objects);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    bind_objects(vt, commands, &objects);
    set_state(vt, commands, &scene);
    bind_vertices(commands, &scene);
    half(commands, 0);
    vkCmdDraw(commands, 6, 1, 0, 0);
    VT_LOAD(vt, CmdBindShadersEXT)(commands, 1, &stage, by_array ? NULL : &none);
    VT_LOAD(vt, CmdSetColorWriteMaskEXT)(commands, 0, 1, &(VkColorComponentFlags){0});
    half(commands, 1);
    vkCmdDraw(commands, 6, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &scene.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    struct vt_buffer depths = vt_record_download(vt, commands, &scene.target.depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    vt_submit(vt, commands);
    expect_halves(vt, texels.map, orange, nothing);
    vt_expect_color(vt, VK_FORMAT_D32_SFLOAT, depths.map, SIZE, SIZE, (const double[4]){0.5, 0, 0, 1}, 1, "depth");
}

/* Two renderings to targets of different formats, with what was bound once. */
static void case_two_formats(struct vt *vt, const void *argument)
{
    struct scene scene;
    struct objects objects;
    plain_scene(vt, &scene, vt_constant_frag);
    struct vt_target wide = vt_target(vt, VK_FORMAT_R32G32B32A32_SFLOAT, SIZE, SIZE);
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &objects);
    VkCommandBuffer commands = vt_begin(vt);
    bind_objects(vt, commands, &objects);
    set_state(vt, commands, &scene);
    bind_vertices(commands, &scene);
    for (int i = 0; i < 2; i++) {
        vt_begin_rendering(commands, i ? &wide : &scene.target);
        vkCmdDraw(commands, 6, 1, 0, 0);
        vkCmdEndRendering(commands);
    }
    struct vt_buffer texels = vt_record_download(vt, commands, &scene.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    struct vt_buffer floats = vt_record_download(vt, commands, &wide.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_color(vt, RGBA8, texels.map, SIZE, SIZE, constant, 1, "the first target");
    vt_expect_color(vt, VK_FORMAT_R32G32B32A32_SFLOAT, floats.map, SIZE, SIZE, constant, 4, "the second target");
}

/* Objects that are destroyed leave nothing behind for those that come after, perhaps at the same place. */
static void case_destroyed(struct vt *vt, const void *argument)
{
    struct scene scene;
    plain_scene(vt, &scene, vt_plain_frag);
    for (int i = 0; i < 8; i++) {
        VkShaderCreateInfoEXT infos[OBJECT_STAGES];
        VkShaderEXT shaders[2];
        scene.graphics.fragment_code = i & 1 ? vt_constant_frag : vt_plain_frag;
        object_infos(&scene.graphics, infos);
        VT_CHECK(vt, VT_LOAD(vt, CreateShadersEXT)(vt->device, 2, infos, NULL, shaders));
        struct objects objects = {.shaders = {[0] = shaders[0], [OBJECT_STAGES - 1] = shaders[1]}};
        VkCommandBuffer commands = vt_begin(vt);
        vt_begin_rendering(commands, &scene.target);
        bind_objects(vt, commands, &objects);
        set_state(vt, commands, &scene);
        bind_vertices(commands, &scene);
        vkCmdDraw(commands, 6, 1, 0, 0);
        vkCmdEndRendering(commands);
        struct vt_buffer texels =
            vt_record_download(vt, commands, &scene.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
        vt_submit(vt, commands);
        for (int n = 0; n < 2; n++)
            VT_LOAD(vt, DestroyShaderEXT)(vt->device, shaders[n], NULL);
        vt_expect_color(vt, RGBA8, texels.map, SIZE, SIZE, i & 1 ? constant : orange, 1, "new objects");
    }
}

/* ---- vertices and meshes ---- */

/* Half of a picture by a mesh shader, half by vertices, in one rendering: only what differs is bound again. */
static void case_mixed(struct vt *vt, const void *argument)
{
    const bool mesh_first = argument != NULL;
    struct scene scene;
    struct objects objects, mesh;
    plain_scene(vt, &scene, vt_plain_frag);
    if (!vt->has[VT_MESH_SHADER])
        vt_skip(vt, "no mesh shaders");
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &objects);
    scene.graphics.vertex_code = (struct vt_spirv){NULL, 0};
    scene.graphics.mesh_code = VT_SPIRV(object_mix_mesh);
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &mesh);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    set_state(vt, commands, &scene);
    bind_vertices(commands, &scene);
    for (uint32_t i = 0; i < 2; i++) {
        const bool is_mesh = (i == 0) == mesh_first;
        bind_objects(vt, commands, is_mesh ? &mesh : &objects);
        half(commands, i);
        if (is_mesh)
            VT_LOAD(vt, CmdDrawMeshTasksEXT)(commands, 1, 1, 1);
        else
            vkCmdDraw(commands, 6, 1, 0, 0);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &scene.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_halves(vt, texels.map, mesh_first ? constant : orange, mesh_first ? orange : constant);
}

/* ---- strides ---- */

/* The stride that counts is the one that was said last. */
static void case_strides(struct vt *vt, const void *argument)
{
    struct scene scene;
    struct objects objects;
    plain_scene(vt, &scene, vt_plain_frag);
    struct vt_vertex apart[12];
    memset(apart, 0, sizeof(apart));
    for (int i = 0; i < 6; i++)
        apart[2 * i] = scene.vertices[i];
    struct vt_buffer buffer = vt_buffer(vt, sizeof(apart), apart);
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &objects);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    bind_objects(vt, commands, &objects);
    set_state(vt, commands, &scene);
    vkCmdBindVertexBuffers2(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0}, NULL,
                            &(VkDeviceSize){2 * sizeof(struct vt_vertex)});
    vkCmdDraw(commands, 6, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &scene.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_color(vt, RGBA8, texels.map, SIZE, SIZE, orange, 1, "strides by a command");
}

/* ---- every way to draw ---- */

enum draw_way {
    DRAW_INDEXED,
    DRAW_INDIRECT,
    DRAW_INDEXED_INDIRECT,
    DRAW_INDIRECT_COUNT,
    DRAW_INDEXED_INDIRECT_COUNT,
    DRAW_MULTI,
    DRAW_MULTI_INDEXED,
};

static void case_draws(struct vt *vt, const void *argument)
{
    const enum draw_way way = *(const enum draw_way *)argument;
    const bool multi = way == DRAW_MULTI || way == DRAW_MULTI_INDEXED;
    struct scene scene;
    struct objects objects;
    plain_scene(vt, &scene, vt_plain_frag);
    if (multi && !vt->has[VT_MULTI_DRAW])
        vt_skip(vt, "no multi draws");
    if ((way == DRAW_INDIRECT_COUNT || way == DRAW_INDEXED_INDIRECT_COUNT) && !vt->features12.drawIndirectCount)
        vt_skip(vt, "no indirect counts");
    const uint16_t indices[] = {0, 1, 2, 3, 4, 5};
    struct vt_buffer index = vt_buffer(vt, sizeof(indices), indices), count = vt_buffer(vt, 4, &(uint32_t){1});
    struct vt_buffer plain = vt_buffer(vt, 16, &(VkDrawIndirectCommand){6, 1, 0, 0}),
                     indexed = vt_buffer(vt, 20, &(VkDrawIndexedIndirectCommand){6, 1, 0, 0, 0});
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &objects);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    bind_objects(vt, commands, &objects);
    set_state(vt, commands, &scene);
    bind_vertices(commands, &scene);
    vkCmdBindIndexBuffer(commands, index.buffer, 0, VK_INDEX_TYPE_UINT16);
    switch (way) {
    case DRAW_INDEXED:
        vkCmdDrawIndexed(commands, 6, 1, 0, 0, 0);
        break;
    case DRAW_INDIRECT:
        vkCmdDrawIndirect(commands, plain.buffer, 0, 1, 16);
        break;
    case DRAW_INDEXED_INDIRECT:
        vkCmdDrawIndexedIndirect(commands, indexed.buffer, 0, 1, 20);
        break;
    case DRAW_INDIRECT_COUNT:
        vkCmdDrawIndirectCount(commands, plain.buffer, 0, count.buffer, 0, 1, 16);
        break;
    case DRAW_INDEXED_INDIRECT_COUNT:
        vkCmdDrawIndexedIndirectCount(commands, indexed.buffer, 0, count.buffer, 0, 1, 20);
        break;
    case DRAW_MULTI:
        VT_LOAD(vt, CmdDrawMultiEXT)(commands, 2, (const VkMultiDrawInfoEXT[]){{0, 3}, {3, 3}}, 1, 0, 8);
        break;
    case DRAW_MULTI_INDEXED:
        VT_LOAD(vt, CmdDrawMultiIndexedEXT)
        (commands, 2, (const VkMultiDrawIndexedInfoEXT[]){{0, 3, 0}, {3, 3, 0}}, 1, 0, 12, NULL);
        break;
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &scene.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_color(vt, RGBA8, texels.map, SIZE, SIZE, orange, 1, "a draw by objects");
}

/* ---- sets ---- */

static void case_effects(struct vt *vt, const void *argument)
{
    struct scene scene;
    struct objects objects;
    need_objects(vt);
    if (!vt->features.features.fragmentStoresAndAtomics)
        vt_skip(vt, "no stores of fragments");
    struct vt_buffer left = vt_buffer(vt, 8 + SIZE * SIZE * 4, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(left);
    struct vt_set set = vt_set(vt, &binding, 1);
    plain_scene(vt, &scene, VT_SPIRV(object_effects_frag));
    scene.graphics.sets[0] = set.layout;
    scene.graphics.set_count = 1;
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    make_objects(vt, &scene.graphics, OBJECTS_LINKED, &objects);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene.target);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set.set, 0, NULL);
    bind_objects(vt, commands, &objects);
    set_state(vt, commands, &scene);
    bind_vertices(commands, &scene);
    vkCmdDraw(commands, 6, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    static uint32_t expected[2 + SIZE * SIZE];
    expected[0] = expected[1] = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        expected[0]++;
        expected[1] += i;
        expected[2 + i] = i * 3 + 1;
    }
    vt_expect_words(vt, left.map, expected, COUNT_OF(expected), "what fragments of objects leave");
}

/* ---- threads ---- */

#define THREADS 4

struct thread {
    struct vt *vt;
    struct scene *scene;
    const struct objects *objects;
    VkCommandPool pool;
    VkCommandBuffer commands;
    uint32_t number;
};

/* Records its quarter of the picture. */
static void *record_commands(void *argument)
{
    struct thread *thread = argument;
    struct vt *vt = thread->vt;
    const VkFormat color = RGBA8;
    VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &color,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                  .pNext = &rendering};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                      .pInheritanceInfo = &inheritance};
    vkBeginCommandBuffer(thread->commands, &begin);
    bind_objects(vt, thread->commands, thread->objects);
    set_state(vt, thread->commands, thread->scene);
    bind_vertices(thread->commands, thread->scene);
    vkCmdSetScissorWithCount(thread->commands, 1,
                             &(VkRect2D){{(int32_t)(thread->number * SIZE / THREADS), 0}, {SIZE / THREADS, SIZE}});
    vkCmdDraw(thread->commands, 6, 1, 0, 0);
    vkEndCommandBuffer(thread->commands);
    return NULL;
}

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyCommandPool(vt->device, (VkCommandPool)handle, NULL);
}

/* All threads ask for the same mix at the same time. */
static void case_threads(struct vt *vt, const void *argument)
{
    struct scene scene;
    struct objects objects;
    plain_scene(vt, &scene, vt_plain_frag);
    make_objects(vt, &scene.graphics, OBJECTS_UNLINKED, &objects);
    struct thread threads[THREADS];
    pthread_t ids[THREADS];
    VkCommandBuffer secondaries[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){.vt = vt, .scene = &scene, .objects = &objects, .number = i};
        VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .queueFamilyIndex = vt->family};
        VT_CHECK(vt, vkCreateCommandPool(vt->device, &pool, NULL, &threads[i].pool));
        vt_defer(vt, destroy_pool, (uint64_t)threads[i].pool);
        VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = threads[i].pool,
                                                .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                .commandBufferCount = 1};
        VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &allocate, &threads[i].commands));
        secondaries[i] = threads[i].commands;
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        if (pthread_create(&ids[i], NULL, record_commands, &threads[i]))
            vt_fail(vt, "no thread");
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering_with(commands, &scene.target, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdExecuteCommands(commands, THREADS, secondaries);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &scene.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    vt_expect_color(vt, RGBA8, texels.map, SIZE, SIZE, orange, 1, "quarters by four threads");
}

/* ---- the table ---- */

#define OF(name, function, type, value)                                                                                \
    {                                                                                                                  \
        name, function, &(const enum type)                                                                             \
        {                                                                                                              \
            value                                                                                                      \
        }                                                                                                              \
    }

const struct vt_case vt_shader_object_cases[] = {
    {"fragment shaders exchanged", case_exchange, NULL},
    {"fragment shader taken away", case_taken_away, NULL},
    {"fragment shader taken away by no array", case_taken_away, ""},
    {"two formats with what was bound once", case_two_formats, NULL},
    {"destroyed objects", case_destroyed, NULL},
    {"vertices, then a mesh", case_mixed, NULL},
    {"a mesh, then vertices", case_mixed, ""},
    {"strides by a command", case_strides, NULL},
    OF("indexed", case_draws, draw_way, DRAW_INDEXED),
    OF("indirect", case_draws, draw_way, DRAW_INDIRECT),
    OF("indexed indirect", case_draws, draw_way, DRAW_INDEXED_INDIRECT),
    OF("indirect count", case_draws, draw_way, DRAW_INDIRECT_COUNT),
    OF("indexed indirect count", case_draws, draw_way, DRAW_INDEXED_INDIRECT_COUNT),
    OF("multi", case_draws, draw_way, DRAW_MULTI),
    OF("multi indexed", case_draws, draw_way, DRAW_MULTI_INDEXED),
    {"effects of fragments", case_effects, NULL},
    {"four threads", case_threads, NULL},
};
const size_t vt_shader_object_count = COUNT_OF(vt_shader_object_cases);
