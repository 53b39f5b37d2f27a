/* Graphics pipelines of libraries beside pipelines in one piece: the scenes of shader objects in several ways, and what
 * only parts can have: sets that one side knows, one part in several pipelines. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cases/shader_object/objects.h"

#include "shaders/library_array_vert.h"
#include "shaders/library_frag.h"
#include "shaders/library_layer_vert.h"
#include "shaders/library_many_frag.h"
#include "shaders/library_many_vert.h"
#include "shaders/library_numbers_frag.h"
#include "shaders/library_point_vert.h"
#include "shaders/library_targets_frag.h"
#include "shaders/library_vert.h"
#include "shaders/library_viewport_vert.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64

/* ---- scenes ---- */

/* By the primitive's number, which a vertex shader alone hands on where the fragment shader asks for it. */
static void numbers(struct vt *vt, struct scene *scene, int topology)
{
    scene_needs(vt, vt->features.features.geometryShader, "no numbers of primitives");
    scene_init_plain(vt, scene);
    scene->graphics.fragment_code = VT_SPIRV(library_numbers_frag);
    scene->graphics.assembly.topology = (VkPrimitiveTopology)topology;
    scene->push[0] = 5; /* of points */
    if (topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST)
        scene->graphics.vertex_code = VT_SPIRV(library_point_vert);
}

static void last_numbers(struct vt *vt, struct scene *scene, int topology)
{
    scene_needs(vt, vt->has[VT_PROVOKING_VERTEX], "no provoking vertices");
    numbers(vt, scene, topology);
    scene->more.provoking = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
}

/* Layers and viewports are read by the fragment shader, too. */
static void layer_numbers(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->features12.shaderOutputLayer && vt->features12.shaderOutputViewportIndex,
                "no layers by vertex shaders");
    scene_needs(vt, vt->features.features.geometryShader, "no numbers of primitives");
    scene_init(vt, scene, RGBA8, argument ? VT_SPIRV(library_viewport_vert) : VT_SPIRV(library_layer_vert),
               VT_SPIRV(library_numbers_frag));
    scene->target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    scene->target.layers = argument ? 1 : 4;
    vt_add_color(vt, &scene->target, RGBA8);
    scene->num_vertices = 3;
    scene->instances = 4;
    if (!argument)
        return;
    scene->graphics.viewport.viewportCount = scene->graphics.viewport.scissorCount = 4;
    for (uint32_t i = 0; i < 4; i++) {
        scene->graphics.viewports[i] = (VkViewport){(float)(i % 2) * 32, (float)(i / 2) * 32, 32, 32, 0, 1};
        scene->graphics.scissors[i] = scene->graphics.scissors[0];
    }
}

/* As many locations as there are, of which the fragment shader reads some. */
static void many_outputs(struct vt *vt, struct scene *scene, int argument)
{
    scene_init(vt, scene, RGBA8, VT_SPIRV(library_many_vert), VT_SPIRV(library_many_frag));
    scene->graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    scene->num_vertices = 64;
}

/* Targets that the fragment shader has no output for, and outputs without a target. */
static void fewer_targets(struct vt *vt, struct scene *scene, int count)
{
    scene_init_plain(vt, scene);
    scene->graphics.fragment_code = VT_SPIRV(library_targets_frag);
    for (int i = 1; i < count; i++)
        vt_add_color(vt, &scene->target, i & 1 ? VK_FORMAT_R16G16B16A16_SFLOAT : RGBA8);
    for (int i = 0; i < count; i++)
        scene->graphics.blends[i] = scene->graphics.blends[0];
}

/* Attributes that the shader has as an array: all locations but the first's. */
static void attribute_array(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.vertex_code = VT_SPIRV(library_array_vert);
    scene->graphics.vertex.vertexAttributeDescriptionCount = 1;
    for (uint32_t i = 1; i < COUNT_OF(scene->graphics.attributes); i++)
        vt_add_attribute(&scene->graphics, VK_FORMAT_R32G32B32A32_SFLOAT,
                         i & 1 ? offsetof(struct vt_vertex, color) : offsetof(struct vt_vertex, position));
}

static const struct {
    const char *name;
    scene_fn make;
    int argument;
} scenes[] = {
    {"numbers of triangles", numbers, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
    {"numbers of a strip", numbers, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP},
    {"numbers of lines", numbers, VK_PRIMITIVE_TOPOLOGY_LINE_LIST},
    {"numbers of points", numbers, VK_PRIMITIVE_TOPOLOGY_POINT_LIST},
    {"numbers by the last vertex", last_numbers, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP},
    {"numbers of layers", layer_numbers, 0},
    {"numbers of viewports", layer_numbers, 1},
    {"many outputs", many_outputs, 0},
    {"an array of attributes", attribute_array, 0},
    {"two of eight targets", fewer_targets, 2},
    {"one of eight targets", fewer_targets, 1},
};

struct library_scene {
    scene_fn make;
    int argument;
    const struct vt_library_way *way;
};

static void case_library_scene(struct vt *vt, const void *argument)
{
    const struct library_scene *what = argument;
    struct scene scene;
    vt_need_libraries(vt);
    what->make(vt, &scene, what->argument);
    if (vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE && what->way->own &&
        scene.graphics.assembly.topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST)
        vt_skip(vt, "lavapipe has other lines where the samples come with a library");
    scene_compare_libraries(vt, &scene, what->way);
}

/* ---- sets that one side knows ---- */

#define SETS 4
#define ALIGN_B 256u

struct one_sided {
    VkDescriptorSetLayout layouts[SETS];
    VkDescriptorSet sets[SETS];
    VkPipelineLayout whole, halves[2];
    uint32_t offsets[8];
    uint32_t num_offsets;
};

static VkPipelineLayout independent_layout(struct vt *vt, const VkDescriptorSetLayout *sets)
{
    static const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 128};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .flags = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT,
                                             .setLayoutCount = SETS,
                                             .pSetLayouts = sets,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &push};
    VkPipelineLayout layout;
    VT_CHECK(vt, vkCreatePipelineLayout(vt->device, &info, NULL, &layout));
    vt_defer(vt, vt_destroy_layout, (uint64_t)layout);
    return layout;
}

/* A set that one of the stages alone sees. */
static void make_set(struct vt *vt, struct one_sided *sides, uint32_t set, const VkDescriptorSetLayoutBinding *bindings,
                     const VkDescriptorBufferInfo *buffers, uint32_t count)
{
    VkDescriptorPoolSize sizes[2];
    VkWriteDescriptorSet writes[2];
    VkDescriptorPool pool;
    const VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &layout_info, NULL, &sides->layouts[set]));
    vt_defer(vt, vt_destroy_set_layout, (uint64_t)sides->layouts[set]);
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = (VkDescriptorPoolSize){bindings[i].descriptorType, 1};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = 1,
                                                  .poolSizeCount = count,
                                                  .pPoolSizes = sizes};
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, vt_destroy_set_pool, (uint64_t)pool);
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &sides->layouts[set]};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &info, &sides->sets[set]));
    for (uint32_t i = 0; i < count; i++)
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = sides->sets[set],
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = bindings[i].descriptorType,
                                           .pBufferInfo = &buffers[i]};
    vkUpdateDescriptorSets(vt->device, count, writes, 0, NULL);
}

/* Dynamic buffers or plain ones; what is at other offsets is wrong. */
static void make_sets(struct vt *vt, struct one_sided *sides, bool is_dynamic)
{
    static const float values[6][4] = {{1, 1, 1, 1},           {0.25f, -0.125f, 0, 0},   {0.5f, 0.75f, 1, 1},
                                       {0.5f, 0.5f, 0.25f, 1}, {0.125f, 0.25f, 0.5f, 0}, {0.25f, 0, 0.125f, 0}};
    static const struct {
        uint32_t set;
        bool is_storage;
        uint32_t value;
    } places[] = {{0, false, 0}, {1, false, 3}, {1, true, 4}, {2, false, 1}, {2, false, 2}, {3, false, 5}};
    struct vt_buffer buffer = vt_buffer(vt, ALIGN_B * 8, NULL);
    for (uint32_t i = 0; i < 6; i++)
        memcpy((char *)buffer.map + (size_t)ALIGN_B * (i + 1), values[i], sizeof(values[i]));
    for (uint32_t set = 0; set < SETS; set++) {
        VkDescriptorSetLayoutBinding bindings[2];
        VkDescriptorBufferInfo buffers[2];
        uint32_t count = 0;
        for (uint32_t i = 0; i < COUNT_OF(places); i++) {
            if (places[i].set != set)
                continue;
            const uint32_t at_B = ALIGN_B * (places[i].value + 1);
            const VkDescriptorType type =
                (places[i].is_storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER) +
                (is_dynamic ? 2 : 0);
            bindings[count] = (VkDescriptorSetLayoutBinding){
                count, type, 1, set % 2 ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT, NULL};
            buffers[count++] = (VkDescriptorBufferInfo){buffer.buffer, is_dynamic ? 0 : at_B, ALIGN_B};
            if (is_dynamic)
                sides->offsets[sides->num_offsets++] = at_B;
        }
        make_set(vt, sides, set, bindings, buffers, count);
    }
    const VkDescriptorSetLayout *l = sides->layouts;
    sides->whole = independent_layout(vt, l);
    sides->halves[0] = independent_layout(vt, (VkDescriptorSetLayout[]){l[0], VK_NULL_HANDLE, l[2], VK_NULL_HANDLE});
    sides->halves[1] = independent_layout(vt, (VkDescriptorSetLayout[]){VK_NULL_HANDLE, l[1], VK_NULL_HANDLE, l[3]});
}

static const uint32_t *draw_sided(struct vt *vt, struct vt_graphics *graphics, struct vt_target *target,
                                  const struct one_sided *sides)
{
    static const float color[4] = {1, 0.5f, 0.25f, 0.75f};
    struct vt_vertex vertices[6];
    vt_rectangle(vertices, -0.5f, -0.5f, 0.5f, 0.25f, 0.5f, color);
    vt_make_pipeline(vt, graphics, target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, target);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, sides->whole, 0, SETS, sides->sets,
                            sides->num_offsets, sides->offsets);
    vt_draw(vt, commands, graphics, vertices, 6);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    return vt_download(vt, &target->colors[0], 0);
}

static void case_sides(struct vt *vt, const void *argument)
{
    const struct vt_library_way *way = &vt_library_ways[(uintptr_t)argument & 7];
    struct one_sided sides = {0};
    struct vt_graphics graphics;
    vt_need_libraries(vt);
    make_sets(vt, &sides, (uintptr_t)argument & 8);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    vt_graphics_init(&graphics, &target, VT_SPIRV(library_vert), VT_SPIRV(library_frag));
    vt_use_vertices(&graphics);
    graphics.layout = sides.whole;
    graphics.way = way;
    graphics.library_layouts = sides.halves;
    const uint32_t *texels = draw_sided(vt, &graphics, &target, &sides);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t x = i % SIZE, y = i / SIZE;
        const bool is_inside = x >= 24 && x < 56 && y >= 12 && y < 36;
        const uint32_t expected = is_inside ? 0xbfaf709f : 0;
        for (uint32_t channel = 0; channel < 32; channel += 8) {
            const int got = (int)(texels[i] >> channel & 0xff), want = (int)(expected >> channel & 0xff);
            if (got - want > 1 || want - got > 1)
                vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", x, y, texels[i], expected);
        }
    }
}

/* ---- one pipeline in two renderings ---- */

static void case_renderings(struct vt *vt, const void *argument)
{
    static const float red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 1};
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    struct vt_vertex vertices[12];
    vt_need_libraries(vt);
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.way = &vt_library_ways[(uintptr_t)argument];
    vt_make_pipeline(vt, &graphics, &target);
    vt_rectangle(vertices, -1, -1, 0, 1, 0.5f, red);
    vt_rectangle(vertices + 6, 0, -1, 1, 1, 0.5f, blue);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(vertices), vertices);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t pass = 0; pass < 2; pass++) {
        vt_begin_rendering(commands, &target);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
        vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
        vkCmdDraw(commands, 6, 1, 6 * pass, 0);
        vkCmdEndRendering(commands);
        target.load = VK_ATTACHMENT_LOAD_OP_LOAD;
    }
    vt_submit(vt, commands);
    const uint32_t *texels = vt_download(vt, &target.colors[0], 0);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t expected = i % SIZE < SIZE / 2 ? 0xff0000ff : 0xffff0000;
        if (texels[i] != expected)
            vt_fail(vt, "pixel %u,%u is 0x%08x, expected 0x%08x", i % SIZE, i / SIZE, texels[i], expected);
    }
}

/* ---- the list ---- */

static const struct vt_case own_cases[] = {
    {"sets of one side", case_sides, (const void *)0},
    {"sets of one side, nested", case_sides, (const void *)4},
    {"sets of one side, optimised", case_sides, (const void *)6},
    {"two renderings", case_renderings, (const void *)0},
    {"dynamic buffers of one side", case_sides, (const void *)8},
    {"dynamic buffers of one side, two libraries", case_sides, (const void *)9},
    {"dynamic buffers of one side, nested", case_sides, (const void *)12},
    {"dynamic buffers of one side, optimised", case_sides, (const void *)14},
};

#define MAX_CASES 512
static struct vt_case cases[MAX_CASES];
static struct library_scene scene_arguments[MAX_CASES];
static char names[MAX_CASES][96];
static size_t count;

static void add_case(const char *name, scene_fn make, int argument, const struct vt_library_way *way)
{
    snprintf(names[count], sizeof(names[count]), "%s, %s", name, way->name);
    scene_arguments[count] = (struct library_scene){make, argument, way};
    cases[count] = (struct vt_case){names[count], case_library_scene, &scene_arguments[count]};
    count++;
}

/* A scene that objects draw linked is drawn in all ways, the others by four libraries. */
static void add_scenes(const struct vt_case *table, size_t table_count)
{
    for (size_t i = 0; i < table_count; i++) {
        const struct scene_case *scene = table[i].argument;
        if (table[i].run != case_scene || scene->way != OBJECTS_UNLINKED)
            continue;
        const struct scene_case *next = i + 1 < table_count ? table[i + 1].argument : NULL;
        const bool has_all = next && next->make == scene->make && next->way == OBJECTS_LINKED;
        /* A bit that is rounded otherwise makes a logic operation's result another one: its shader knows its target. */
        const size_t first = strncmp(table[i].name, "logic", 5) == 0;
        for (size_t way = first; way < (has_all ? VT_LIBRARY_WAYS : first + 1); way++)
            add_case(table[i].name, scene->make, scene->argument, &vt_library_ways[way]);
    }
}

const struct vt_case *vt_library_list(size_t *count_out)
{
    memcpy(cases, own_cases, sizeof(own_cases));
    count = COUNT_OF(own_cases);
    for (size_t i = 0; i < COUNT_OF(scenes); i++) {
        for (size_t way = 0; way < VT_LIBRARY_WAYS; way++)
            add_case(scenes[i].name, scenes[i].make, scenes[i].argument, &vt_library_ways[way]);
    }
    add_scenes(vt_shader_object_scenes, vt_shader_object_scene_count);
    add_scenes(vt_shader_object_stages, vt_shader_object_stage_count);
    *count_out = count;
    return cases;
}
