/* See objects.h. */
#include "cases/shader_object/objects.h"

#include <stdlib.h>
#include <string.h>

#define SIZE 64

/* ---- objects ---- */

void need_objects(struct vt *vt)
{
    if (!vt->has[VT_SHADER_OBJECT])
        vt_skip(vt, "no shader objects");
}

static void destroy_shader(struct vt *vt, uint64_t handle)
{
    VT_LOAD(vt, DestroyShaderEXT)(vt->device, (VkShaderEXT)handle, NULL);
}

static void free_bytes(struct vt *vt, uint64_t handle)
{
    free((void *)(uintptr_t)handle);
}

VkShaderEXT object_of(struct vt *vt, const VkShaderCreateInfoEXT *info)
{
    VkShaderEXT shader;
    VkResult result = VT_LOAD(vt, CreateShadersEXT)(vt->device, 1, info, NULL, &shader);
    if (result != VK_SUCCESS)
        vt_fail(vt, "vkCreateShadersEXT: VkResult %d", result);
    vt_defer(vt, destroy_shader, (uint64_t)shader);
    return shader;
}

void *binary_of(struct vt *vt, VkShaderEXT shader, size_t *size_B)
{
    PFN_vkGetShaderBinaryDataEXT get = VT_LOAD(vt, GetShaderBinaryDataEXT);
    VT_CHECK(vt, get(vt->device, shader, size_B, NULL));
    void *bytes = aligned_alloc(64, (*size_B + 63) / 64 * 64);
    if (!bytes)
        vt_fail(vt, "no memory for a binary of %zu bytes", *size_B);
    vt_defer(vt, free_bytes, (uintptr_t)bytes);
    size_t written_B = *size_B;
    VT_CHECK(vt, get(vt->device, shader, &written_B, bytes));
    if (written_B != *size_B)
        vt_fail(vt, "a binary of %zu bytes has %zu", *size_B, written_B);
    return bytes;
}

uint32_t object_infos(const struct vt_graphics *graphics, VkShaderCreateInfoEXT infos_out[OBJECT_STAGES])
{
    static const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 128};
    const struct {
        VkShaderStageFlagBits stage;
        struct vt_spirv code;
        const VkSpecializationInfo *constants;
    } stages[OBJECT_STAGES] = {
        {VK_SHADER_STAGE_VERTEX_BIT, graphics->vertex_code, graphics->vertex_constants},
        {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, graphics->control_code, NULL},
        {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, graphics->evaluation_code, NULL},
        {VK_SHADER_STAGE_GEOMETRY_BIT, graphics->geometry_code, NULL},
        {VK_SHADER_STAGE_TASK_BIT_EXT, graphics->task_code, NULL},
        {VK_SHADER_STAGE_MESH_BIT_EXT, graphics->mesh_code, NULL},
        {VK_SHADER_STAGE_FRAGMENT_BIT, graphics->fragment_code, graphics->fragment_constants},
    };
    uint32_t count = 0;
    for (uint32_t i = 0; i < OBJECT_STAGES; i++) {
        if (!stages[i].code.words)
            continue;
        if (count)
            infos_out[count - 1].nextStage = stages[i].stage;
        const bool is_mesh_alone = stages[i].stage == VK_SHADER_STAGE_MESH_BIT_EXT && !graphics->task_code.words;
        infos_out[count++] = (VkShaderCreateInfoEXT){
            .sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
            .flags = is_mesh_alone ? VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT : 0,
            .stage = stages[i].stage,
            .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
            .codeSize = stages[i].code.size_B,
            .pCode = stages[i].code.words,
            .pName = "main",
            .setLayoutCount = graphics->set_count,
            .pSetLayouts = graphics->sets,
            .pushConstantRangeCount = 1,
            .pPushConstantRanges = &push,
            .pSpecializationInfo = stages[i].constants,
        };
    }
    return count;
}

static void through_binaries(struct vt *vt, uint32_t count, VkShaderCreateInfoEXT *infos, VkShaderEXT *shaders)
{
    for (uint32_t i = 0; i < count; i++) {
        infos[i].pCode = binary_of(vt, shaders[i], &infos[i].codeSize);
        infos[i].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
        shaders[i] = object_of(vt, &infos[i]);
    }
}

const VkShaderStageFlagBits object_stages[OBJECT_STAGES] = {VK_SHADER_STAGE_VERTEX_BIT,
                                                            VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                            VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                            VK_SHADER_STAGE_GEOMETRY_BIT,
                                                            VK_SHADER_STAGE_TASK_BIT_EXT,
                                                            VK_SHADER_STAGE_MESH_BIT_EXT,
                                                            VK_SHADER_STAGE_FRAGMENT_BIT};

void make_objects(struct vt *vt, const struct vt_graphics *graphics, enum object_way way, struct objects *out)
{
    VkShaderCreateInfoEXT infos[OBJECT_STAGES];
    VkShaderEXT shaders[OBJECT_STAGES];
    uint32_t count = object_infos(graphics, infos);
    if (way == OBJECTS_LINKED && count > 1) {
        for (uint32_t i = 0; i < count; i++)
            infos[i].flags |= VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
        VT_CHECK(vt, VT_LOAD(vt, CreateShadersEXT)(vt->device, count, infos, NULL, shaders));
        for (uint32_t i = 0; i < count; i++)
            vt_defer(vt, destroy_shader, (uint64_t)shaders[i]);
    } else {
        for (uint32_t i = 0; i < count; i++)
            shaders[i] = object_of(vt, &infos[i]);
    }
    if (way == OBJECTS_OF_BINARIES)
        through_binaries(vt, count, infos, shaders);
    memset(out->shaders, 0, sizeof(out->shaders));
    for (uint32_t i = 0; i < OBJECT_STAGES; i++) {
        for (uint32_t n = 0; n < count; n++) {
            if (infos[n].stage == object_stages[i])
                out->shaders[i] = shaders[n];
        }
    }
}

static bool has_stage(const struct vt *vt, VkShaderStageFlagBits stage)
{
    switch (stage) {
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
        return vt->features.features.tessellationShader;
    case VK_SHADER_STAGE_GEOMETRY_BIT:
        return vt->features.features.geometryShader;
    case VK_SHADER_STAGE_TASK_BIT_EXT:
        return vt->has[VT_MESH_SHADER] && vt->has_task_shader;
    case VK_SHADER_STAGE_MESH_BIT_EXT:
        return vt->has[VT_MESH_SHADER];
    default:
        return true;
    }
}

void bind_objects(struct vt *vt, VkCommandBuffer commands, const struct objects *objects)
{
    for (uint32_t i = 0; i < OBJECT_STAGES; i++) {
        if (has_stage(vt, object_stages[i]))
            VT_LOAD(vt, CmdBindShadersEXT)(commands, 1, &object_stages[i], &objects->shaders[i]);
    }
}

/* ---- scenes ---- */

void scene_init(struct vt *vt, struct scene *scene, VkFormat format, struct vt_spirv vertex, struct vt_spirv fragment)
{
    static const float corners[9][3] = {{-0.9f, -0.8f, 0.6f}, {0.7f, -0.7f, 0.2f}, {-0.2f, 0.9f, 0.4f},
                                        {0.9f, 0.8f, 0.5f},   {0.1f, -0.9f, 0.5f}, {-0.8f, 0.6f, 0.5f},
                                        {-0.5f, -0.5f, 0.9f}, {0.6f, -0.4f, 0.1f}, {0.3f, 0.7f, 0.7f}};
    memset(scene, 0, sizeof(*scene));
    scene->vt = vt;
    scene->instances = 1;
    scene->target = vt_target(vt, format, SIZE, SIZE);
    vt_graphics_init(&scene->graphics, &scene->target, vertex, fragment);
    scene->num_vertices = 9;
    for (uint32_t i = 0; i < 9; i++) {
        const float color[4] = {(float)(i % 3) * 0.5f, (float)(i / 3) * 0.5f, i & 1 ? 0.75f : 0.25f,
                                0.25f + 0.75f * (float)(i % 2)};
        memcpy(scene->vertices[i].position, corners[i], sizeof(corners[i]));
        scene->vertices[i].position[3] = 1;
        memcpy(scene->vertices[i].color, color, sizeof(color));
    }
}

void scene_init_plain(struct vt *vt, struct scene *scene)
{
    scene_init(vt, scene, VK_FORMAT_R8G8B8A8_UNORM, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&scene->graphics);
}

void scene_needs(struct vt *vt, bool has, const char *what)
{
    if (!has)
        vt_skip(vt, what);
}

static void draw(struct vt *vt, VkCommandBuffer commands, struct scene *scene)
{
    static const VkDeviceSize zeros[4];
    VkBuffer buffers[4];
    for (uint32_t i = 0; i < scene->num_buffers; i++)
        buffers[i] = scene->buffers[i].buffer;
    if (scene->num_buffers)
        vkCmdBindVertexBuffers(commands, 0, scene->num_buffers, buffers, zeros);
    if (scene->set.set)
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->graphics.layout, 0, 1,
                                &scene->set.set, 0, NULL);
    vt_push(commands, &scene->graphics, scene->push, sizeof(scene->push));
    if (scene->graphics.mesh_code.words) {
        VT_LOAD(vt, CmdDrawMeshTasksEXT)(commands, scene->groups[0], scene->groups[1], scene->groups[2]);
    } else if (scene->num_indices) {
        struct vt_buffer indices = vt_buffer(vt, sizeof(scene->indices), scene->indices);
        vkCmdBindIndexBuffer(commands, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(commands, scene->num_indices, scene->instances, 0, 0, 0);
    } else {
        vkCmdDraw(commands, scene->num_vertices, scene->instances, 0, 0);
    }
}

static void draw_by_pipeline(struct vt *vt, VkCommandBuffer commands, struct scene *scene)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->graphics.pipeline);
    draw(vt, commands, scene);
}

static void draw_by_objects(struct vt *vt, VkCommandBuffer commands, struct scene *scene, const struct objects *objects)
{
    bind_objects(vt, commands, objects);
    set_state(vt, commands, scene);
    draw(vt, commands, scene);
}

/* A small rectangle in the corner, by a pipeline with nothing dynamic: what it leaves behind must not be seen. */
static void disturb_state(struct vt *vt, VkCommandBuffer commands, struct scene *scene, struct vt_graphics *other)
{
    vt_graphics_init(other, &scene->target, vt_plain_vert,
                     scene->graphics.fragment_code.words ? vt_plain_frag : (struct vt_spirv){NULL, 0});
    vt_use_vertices(other);
    other->raster.cullMode = VK_CULL_MODE_FRONT_AND_BACK;
    other->scissors[0].extent.width = 3;
    vt_make_pipeline(vt, other, &scene->target);
    struct vt_vertex quad[6];
    vt_quad(quad, 0.5f, (const float[4]){1, 1, 1, 1});
    vt_draw(vt, commands, other, quad, 6);
}

static const void *picture(struct vt *vt, struct scene *scene, const struct objects *objects, enum object_way way)
{
    struct vt_graphics other;
    VkCommandBuffer commands = vt_begin(vt), secondary = NULL;
    if (objects && way == OBJECTS_IN_SECONDARY) {
        secondary = vt_begin_secondary(vt, &scene->target, 0, 0);
        draw_by_objects(vt, secondary, scene, objects);
        VT_CHECK(vt, vkEndCommandBuffer(secondary));
    }
    vt_begin_rendering_with(commands, &scene->target,
                            secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0);
    if (secondary) {
        vkCmdExecuteCommands(commands, 1, &secondary);
    } else if (!objects) {
        draw_by_pipeline(vt, commands, scene);
    } else {
        if (way == OBJECTS_AMONG_PIPELINES)
            disturb_state(vt, commands, scene, &other);
        draw_by_objects(vt, commands, scene, objects);
        if (way == OBJECTS_AMONG_PIPELINES)
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, other.pipeline);
    }
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    struct vt_image *shown = scene->target.resolve       ? scene->target.resolve
                             : scene->target.color_count ? &scene->target.colors[scene->target.color_count - 1]
                                                         : &scene->target.depth;
    struct vt_buffer texels = vt_record_download(
        vt, commands, shown, 0, scene->target.color_count ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT);
    vt_submit(vt, commands);
    return texels.map;
}

static void compare_picture(struct vt *vt, const struct scene *scene, const void *expected, const void *got)
{
    const struct vt_target *target = &scene->target;
    const struct vt_format *format =
        vt_format(target->color_count ? target->color_formats[target->color_count - 1] : target->depth_format);
    const uint32_t texel_B = format ? format->texel_B : 4, count = SIZE * SIZE * target->layers;
    bool is_blank = true;
    for (uint32_t i = 1; i < count && is_blank; i++)
        is_blank = !memcmp(expected, (const char *)expected + (size_t)i * texel_B, texel_B);
    if (is_blank != scene->is_blank)
        vt_fail(vt, "the pipeline's picture is %s", is_blank ? "empty" : "not empty");
    if (!scene->is_rounded) {
        vt_expect_texels(vt, got, expected, texel_B, SIZE, count, "beside a pipeline");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        double color[4];
        const char *texel = (const char *)got + (size_t)i * texel_B;
        vt_decode(format, (const char *)expected + (size_t)i * texel_B, color);
        if (!vt_texel_is(format, texel, color, 1, 1e-6))
            vt_fail_texel(vt, format, texel, color, "beside a pipeline", i % SIZE, i / SIZE, 0);
    }
}

/* Without formats colours leave a shader in more bits than they need. */
static void round_as(struct scene *scene, const struct vt_library_way *way)
{
    scene->is_rounded |= way && !way->is_optimised;
}

/* The rest of what the pipeline needs, and its picture. */
static const void *expected_picture(struct vt *vt, struct scene *scene, enum object_way way)
{
    if (!scene->num_buffers && scene->graphics.vertex.vertexBindingDescriptionCount) {
        scene->buffers[0] = vt_buffer(vt, sizeof(scene->vertices), scene->vertices);
        scene->num_buffers = 1;
    }
    if (scene->set.set) {
        scene->graphics.sets[0] = scene->set.layout;
        scene->graphics.set_count = 1;
    }
    scene->graphics.blend.attachmentCount = scene->target.color_count;
    scene->graphics.multisample.rasterizationSamples = scene->target.samples;
    scene_chain_state(scene);
    round_as(scene, vt->way);
    vt_make_pipeline(vt, &scene->graphics, &scene->target);
    return picture(vt, scene, NULL, way);
}

void scene_compare_libraries(struct vt *vt, struct scene *scene, const struct vt_library_way *way)
{
    const void *expected = expected_picture(vt, scene, OBJECTS_UNLINKED);
    scene->graphics.way = way;
    round_as(scene, way);
    vt_make_pipeline(vt, &scene->graphics, &scene->target);
    compare_picture(vt, scene, expected, picture(vt, scene, NULL, OBJECTS_UNLINKED));
}

/* Draws both ways and compares; everything is freed with the case. */
static void scene_compare(struct vt *vt, struct scene *scene, enum object_way way)
{
    struct objects objects;
    const void *expected = expected_picture(vt, scene, way);
    make_objects(vt, &scene->graphics, way, &objects);
    compare_picture(vt, scene, expected, picture(vt, scene, &objects, way));
}

void case_scene(struct vt *vt, const void *argument)
{
    const struct scene_case *what = argument;
    struct scene scene;
    need_objects(vt);
    what->make(vt, &scene, what->argument);
    scene_compare(vt, &scene, what->way);
}
