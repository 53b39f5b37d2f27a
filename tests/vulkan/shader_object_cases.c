/* Shader objects by themselves: compute, binaries, what is bound when, and the many ways to draw. The older validation
 * layers do not know them, so under validation the cases skip. */
#include <pthread.h>
#include <string.h>

#include "objects.h"

#include "object_base.h"
#include "object_constants.h"
#include "object_effects_frag.h"
#include "object_push.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64

/* ---- compute ---- */

#define GROUPS 32

static const VkPushConstantRange compute_push = {VK_SHADER_STAGE_ALL, 0, 128};

static VkShaderCreateInfoEXT compute_info(struct vt_spirv code, const VkDescriptorSetLayout *layout)
{
    return (VkShaderCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
        .codeSize = code.size_B,
        .pCode = code.words,
        .pName = "main",
        .setLayoutCount = 1,
        .pSetLayouts = layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &compute_push,
    };
}

static void bind_compute(struct vt *vt, VkCommandBuffer commands, VkShaderEXT shader)
{
    LOAD(vt, CmdBindShadersEXT)(commands, 1, (const VkShaderStageFlagBits[]){VK_SHADER_STAGE_COMPUTE_BIT}, &shader);
}

enum compute_way {
    COMPUTE_PLAIN,
    COMPUTE_BINARY,
    COMPUTE_BINARY_OF_BINARY,
    COMPUTE_AMONG_PIPELINES,
    COMPUTE_SUBGROUP_SIZE,
};

static void push_values(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t add)
{
    uint32_t values[GROUPS];
    for (uint32_t i = 0; i < GROUPS; i++)
        values[i] = 1000 * i + add;
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof(values), values);
}

static void case_compute(struct vt *vt, const void *argument)
{
    const enum compute_way way = *(const enum compute_way *)argument;
    need_objects(vt);
    struct vt_buffer result = vt_buffer(vt, GROUPS * 32 * 4, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(result);
    struct vt_set set = vt_set(vt, &binding, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkShaderCreateInfoEXT info = compute_info(VT_SPIRV(object_push), &set.layout);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = 32};
    if (way == COMPUTE_SUBGROUP_SIZE) {
        VkPhysicalDeviceVulkan13Properties properties = {.sType =
                                                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
        VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                           .pNext = &properties};
        vkGetPhysicalDeviceProperties2(vt->physical, &all);
        if (!vt->features13.subgroupSizeControl ||
            !(properties.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) || properties.minSubgroupSize > 32 ||
            properties.maxSubgroupSize < 32)
            vt_skip(vt, "no subgroups of 32");
        info.pNext = &size;
    }
    VkShaderEXT shader = object_of(vt, &info);
    for (int i = way == COMPUTE_BINARY ? 1 : way == COMPUTE_BINARY_OF_BINARY ? 2 : 0; i; i--) {
        info.pCode = binary_of(vt, shader, &info.codeSize);
        info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
        shader = object_of(vt, &info);
    }
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    push_values(commands, layout, 7);
    if (way == COMPUTE_AMONG_PIPELINES) {
        VkPipeline other = vt_compute_pipeline(vt, VT_SPIRV(object_base), layout, NULL);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, other);
        vkCmdDispatch(commands, 2, 1, 1);
        vt_full_barrier(commands);
        bind_compute(vt, commands, shader);
        vkCmdDispatch(commands, GROUPS, 1, 1);
        vt_full_barrier(commands);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, other);
        vkCmdDispatch(commands, 1, 1, 1);
    } else {
        bind_compute(vt, commands, shader);
        vkCmdDispatch(commands, GROUPS, 1, 1);
    }
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t expected[GROUPS * 32];
    for (uint32_t i = 0; i < GROUPS * 32; i++)
        expected[i] = i / 32 * 1000 + 7 + i % 32;
    expected[0] += way == COMPUTE_AMONG_PIPELINES;
    vt_expect_words(vt, result.map, expected, GROUPS * 32, "a compute shader object");
}

static void case_constants(struct vt *vt, const void *argument)
{
    need_objects(vt);
    struct vt_buffer result = vt_buffer(vt, 64, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(result);
    struct vt_set set = vt_set(vt, &binding, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkShaderCreateInfoEXT info = compute_info(VT_SPIRV(object_constants), &set.layout);
    info.pSpecializationInfo = VT_CONSTANTS(1, 42, 0x40000000, 5, 4, 2);
    VkShaderEXT shader = object_of(vt, &info);
    if (argument) {
        info.pCode = binary_of(vt, shader, &info.codeSize);
        info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
        shader = object_of(vt, &info);
    }
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    bind_compute(vt, commands, shader);
    vkCmdDispatch(commands, 3, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_words(vt, result.map, (const uint32_t[]){1, 42, 0x40800000, 16, 4, 2, 24}, 7, "constants of an object");
}

static void case_base(struct vt *vt, const void *argument)
{
    need_objects(vt);
    struct vt_buffer result = vt_buffer(vt, 256, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(result);
    struct vt_set set = vt_set(vt, &binding, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkShaderCreateInfoEXT info = compute_info(VT_SPIRV(object_base), &set.layout);
    info.flags = VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT;
    VkShaderEXT shader = object_of(vt, &info);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    bind_compute(vt, commands, shader);
    vkCmdDispatchBase(commands, 2, 1, 0, 3, 2, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t expected[32] = {0};
    for (uint32_t y = 1; y < 3; y++) {
        for (uint32_t x = 2; x < 5; x++)
            expected[x + 8 * y] = 1;
    }
    vt_expect_words(vt, result.map, expected, 32, "a dispatch from a base");
}

/* ---- binaries ---- */

static void case_small_room(struct vt *vt, const void *argument)
{
    need_objects(vt);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    VkShaderCreateInfoEXT infos[OBJECT_STAGES];
    object_infos(&graphics, infos);
    VkShaderEXT shader = object_of(vt, &infos[0]);
    size_t size_B, small_B;
    const void *bytes = binary_of(vt, shader, &size_B);
    const void *again = binary_of(vt, shader, &small_B);
    if (size_B != small_B || memcmp(bytes, again, size_B))
        vt_fail(vt, "a shader has two binaries");
    static _Alignas(16) uint8_t room[1 << 20];
    if (size_B > sizeof(room))
        vt_fail(vt, "a binary of %zu bytes", size_B);
    memset(room, 0xa5, sizeof(room));
    small_B = size_B - 1;
    VkResult result = LOAD(vt, GetShaderBinaryDataEXT)(vt->device, shader, &small_B, room);
    if (result != VK_INCOMPLETE)
        vt_fail(vt, "too little room gives VkResult %d", result);
    for (size_t i = 0; i < size_B; i++) {
        if (room[i] != 0xa5)
            vt_fail(vt, "byte %zu of too little room was written", i);
    }
}

/* The first is made, the second is of nobody, the third is not tried. */
static void case_foreign_binary(struct vt *vt, const void *argument)
{
    need_objects(vt);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    VkShaderCreateInfoEXT infos[OBJECT_STAGES];
    object_infos(&graphics, infos);
    static _Alignas(64) uint8_t bytes[512];
    memset(bytes, 0x5a, sizeof(bytes));
    VkShaderCreateInfoEXT three[3] = {infos[0], infos[1], infos[1]};
    three[1].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    three[1].pCode = bytes;
    three[1].codeSize = sizeof(bytes);
    VkShaderEXT shaders[3];
    memset(shaders, 0xff, sizeof(shaders));
    VkResult result = LOAD(vt, CreateShadersEXT)(vt->device, 3, three, NULL, shaders);
    bool first = shaders[0] != VK_NULL_HANDLE;
    for (uint32_t i = 0; i < 3; i++)
        LOAD(vt, DestroyShaderEXT)(vt->device, shaders[i], NULL);
    if (result != VK_INCOMPATIBLE_SHADER_BINARY_EXT)
        vt_fail(vt, "a binary of nobody gives VkResult %d", result);
    if (!first || shaders[1])
        vt_fail(vt, "the handles do not say which shader it was");
}

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
    LOAD(vt, CmdBindShadersEXT)(commands, 1, &other.stages[OBJECT_STAGES - 1], &other.shaders[OBJECT_STAGES - 1]);
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
    LOAD(vt, CmdBindShadersEXT)(commands, 1, &stage, by_array ? NULL : &none);
    LOAD(vt, CmdSetColorWriteMaskEXT)(commands, 0, 1, &(VkColorComponentFlags){0});
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
        VT_CHECK(vt, LOAD(vt, CreateShadersEXT)(vt->device, 2, infos, NULL, shaders));
        struct objects objects = {{VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                   VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_SHADER_STAGE_GEOMETRY_BIT,
                                   VK_SHADER_STAGE_FRAGMENT_BIT},
                                  {shaders[0], VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE, shaders[1]}};
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
            LOAD(vt, DestroyShaderEXT)(vt->device, shaders[n], NULL);
        vt_expect_color(vt, RGBA8, texels.map, SIZE, SIZE, i & 1 ? constant : orange, 1, "new objects");
    }
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
        LOAD(vt, CmdDrawMultiEXT)(commands, 2, (const VkMultiDrawInfoEXT[]){{0, 3}, {3, 3}}, 1, 0, 8);
        break;
    case DRAW_MULTI_INDEXED:
        LOAD(vt, CmdDrawMultiIndexedEXT)
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
static void *record(void *argument)
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
        if (pthread_create(&ids[i], NULL, record, &threads[i]))
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
    OF("compute", case_compute, compute_way, COMPUTE_PLAIN),
    OF("compute of a binary", case_compute, compute_way, COMPUTE_BINARY),
    OF("compute of a binary of a binary", case_compute, compute_way, COMPUTE_BINARY_OF_BINARY),
    OF("compute among pipelines", case_compute, compute_way, COMPUTE_AMONG_PIPELINES),
    OF("compute in subgroups of 32", case_compute, compute_way, COMPUTE_SUBGROUP_SIZE),
    {"constants of compute", case_constants, NULL},
    {"constants of a binary", case_constants, ""},
    {"dispatch from a base", case_base, NULL},
    {"too little room for a binary", case_small_room, NULL},
    {"binary of nobody", case_foreign_binary, NULL},
    {"fragment shaders exchanged", case_exchange, NULL},
    {"fragment shader taken away", case_taken_away, NULL},
    {"fragment shader taken away by no array", case_taken_away, ""},
    {"two formats with what was bound once", case_two_formats, NULL},
    {"destroyed objects", case_destroyed, NULL},
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
