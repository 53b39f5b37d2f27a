/* Scenes of the rasterizer: lines of all kinds, queries and conditions, clip distances, outlines from gathered texels.
 */
#include "scene.h"

#include "scene_hills_frag.h"
#include "scene_ink_frag.h"
#include "scene_lamp_frag.h"
#include "scene_planet_frag.h"
#include "scene_planet_vert.h"
#include "scene_toon_frag.h"
#include "scene_toon_ink_frag.h"

/* ---- wires ---- */

static struct vec3 hills_at(float u, float v)
{
    float x = (u - 0.5f) * 9, z = (0.5f - v) * 8;
    float y = 0.55f * sinf(x * 1.1f + 0.4f) * cosf(z * 0.9f) + 0.25f * sinf(x * 2.3f - z * 1.7f);
    return v3(x, y, z);
}

static struct scene_mesh make_path(struct vt *vt)
{
    enum {
        POINTS = 60
    };
    struct scene_vertex vertices[POINTS];
    uint16_t indices[POINTS];
    for (int i = 0; i < POINTS; i++) {
        float t = (float)i / (POINTS - 1);
        struct vec3 at = hills_at(0.1f + 0.8f * t, 0.5f + 0.32f * sinf(t * 7));
        at.y += 0.1f;
        vertices[i] = (struct scene_vertex){at, v3(0, 1, 0), t, 0};
        indices[i] = (uint16_t)i;
    }
    return (struct scene_mesh){vt_buffer(vt, sizeof(vertices), vertices), vt_buffer(vt, sizeof(indices), indices),
                               POINTS};
}

static struct scene_mesh make_frame(struct vt *vt)
{
    static const uint16_t edges[24] = {0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7};
    struct scene_vertex vertices[8];
    for (int i = 0; i < 8; i++)
        vertices[i] = (struct scene_vertex){v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1), v3(0, 1, 0), 0, 0};
    return (struct scene_mesh){vt_buffer(vt, sizeof(vertices), vertices), vt_buffer(vt, sizeof(edges), edges), 24};
}

static void draw_wires(struct vt *vt, uint8_t *rgba_out)
{
    if (!vt->has[VT_LINE_RASTERIZATION] || !vt->features.features.fillModeNonSolid || !vt->features.features.wideLines)
        vt_skip(vt, "no Bresenham lines, no wireframes or no wide lines");
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    VkPipelineRasterizationLineStateCreateInfoEXT line = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        .lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT};
    VkPipelineRasterizationLineStateCreateInfoEXT dashes = line;
    dashes.stippledLineEnable = VK_TRUE;
    dashes.lineStippleFactor = 2;
    dashes.lineStipplePattern = 0x3f1f;
    struct vt_graphics solid, wire, path, frame;
    scene_graphics(&solid, &target, scene_mesh_vert_code, VT_SPIRV(scene_hills_frag));
    solid.raster.depthBiasEnable = VK_TRUE;
    solid.raster.depthBiasConstantFactor = 4;
    solid.raster.depthBiasSlopeFactor = 2;
    scene_pipeline(vt, &solid, &target, NULL, 0);
    scene_graphics(&wire, &target, scene_mesh_vert_code, VT_SPIRV(scene_ink_frag));
    wire.raster.polygonMode = VK_POLYGON_MODE_LINE;
    wire.raster.cullMode = VK_CULL_MODE_NONE;
    wire.raster.pNext = &line;
    scene_pipeline(vt, &wire, &target, NULL, 0);
    scene_graphics(&path, &target, scene_mesh_vert_code, VT_SPIRV(scene_ink_frag));
    path.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    path.raster.pNext = &dashes;
    scene_pipeline(vt, &path, &target, NULL, 0);
    scene_graphics(&frame, &target, scene_mesh_vert_code, VT_SPIRV(scene_ink_frag));
    frame.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    frame.raster.lineWidth = 3;
    frame.raster.pNext = &line;
    scene_pipeline(vt, &frame, &target, NULL, 0);

    const struct scene_mesh hills = scene_grid(vt, 36, 32, hills_at), ball = scene_torus(vt), way = make_path(vt),
                            box = make_frame(vt);
    const struct mat4 camera = scene_camera(v3(0.5f, 3.2f, 6), v3(0, -0.2f, 0), 0.75f);
    const struct mat4 ring =
        mul(move(v3(0.6f, 1.5f, -0.4f)), mul(turn(unit(v3(1, 0.4f, 0)), 0.9f), stretch(0.75f, 0.75f, 0.75f)));
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.01f, 0.01f, 0.05f), v3(0.2f, 0.02f, 0.14f));
    scene_bind(commands, &solid, NULL, 0);
    scene_draw(commands, &solid, &hills, camera, identity(), v3(1, 1, 1), 1);
    scene_draw(commands, &solid, &ball, camera, ring, v3(1, 1, 1), 1);
    scene_bind(commands, &wire, NULL, 0);
    scene_draw(commands, &wire, &hills, camera, identity(), v3(0.05f, 0.65f, 0.9f), 1);
    scene_draw(commands, &wire, &ball, camera, ring, v3(1, 0.25f, 0.55f), 1);
    scene_bind(commands, &path, NULL, 0);
    scene_draw(commands, &path, &way, camera, identity(), v3(1, 0.85f, 0.2f), 1);
    scene_bind(commands, &frame, NULL, 0);
    scene_draw(commands, &frame, &box, camera, mul(move(v3(0.6f, 1.5f, -0.4f)), stretch(1.1f, 0.85f, 0.9f)),
               v3(0.9f, 0.9f, 0.95f), 1);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- lamps ---- */

#define LAMPS 9

static void destroy_queries(struct vt *vt, uint64_t handle)
{
    vkDestroyQueryPool(vt->device, (VkQueryPool)handle, NULL);
}

/* A sphere in each place behind a wall of pillars. */
static struct mat4 ball_at(int i)
{
    return mul(move(v3(((float)i - 4) * 0.78f, 0.5f + 0.35f * sinf((float)i * 1.9f), -1.4f)),
               stretch(0.3f, 0.3f, 0.3f));
}

static void record_balls(VkCommandBuffer commands, const struct vt_graphics *graphics, const struct scene_mesh *box,
                         const struct scene_mesh *sphere, const struct scene_mesh *ground, struct mat4 camera,
                         VkQueryPool queries)
{
    scene_bind(commands, graphics, NULL, 0);
    scene_draw(commands, graphics, ground, camera, stretch(9, 1, 6), v3(0.35f, 0.33f, 0.36f), 0);
    for (int i = -1; i <= 1; i++)
        scene_draw(commands, graphics, box, camera,
                   mul(move(v3((float)i * 2.1f, 0.75f, 0)), stretch(0.42f, 0.75f, 0.25f)), v3(0.5f, 0.42f, 0.36f), 0);
    for (int i = 0; i < LAMPS; i++) {
        vkCmdBeginQuery(commands, queries, (uint32_t)i, 0);
        scene_draw(commands, graphics, sphere, camera, ball_at(i), scene_hue((float)i / LAMPS, 0.8f, 0.75f), 0);
        vkCmdEndQuery(commands, queries, (uint32_t)i);
    }
}

/* Which sphere shows anything at all decides whether its lamp above burns. */
static void draw_lamps(struct vt *vt, uint8_t *rgba_out)
{
    if (!vt->has[VT_CONDITIONAL_RENDERING])
        vt_skip(vt, "no conditional rendering");
    PFN_vkCmdBeginConditionalRenderingEXT begin_condition =
        (PFN_vkCmdBeginConditionalRenderingEXT)(void *)vkGetDeviceProcAddr(vt->device,
                                                                           "vkCmdBeginConditionalRenderingEXT");
    PFN_vkCmdEndConditionalRenderingEXT end_condition =
        (PFN_vkCmdEndConditionalRenderingEXT)(void *)vkGetDeviceProcAddr(vt->device, "vkCmdEndConditionalRenderingEXT");
    VkQueryPool queries;
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_OCCLUSION, .queryCount = LAMPS};
    VT_CHECK(vt, vkCreateQueryPool(vt->device, &info, NULL, &queries));
    vt_defer(vt, destroy_queries, (uint64_t)queries);
    struct vt_buffer seen = vt_buffer(vt, LAMPS * 4, NULL);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, scene_mesh_vert_code, VT_SPIRV(scene_lamp_frag));
    scene_pipeline(vt, &graphics, &target, NULL, 0);
    const struct scene_mesh box = scene_box(vt), sphere = scene_sphere(vt), ground = scene_floor(vt);
    const struct mat4 camera = scene_camera(v3(0, 1.3f, 5.4f), v3(0, 0.95f, 0), 0.7f);

    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, queries, 0, LAMPS);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.02f, 0.025f, 0.05f), v3(0.1f, 0.08f, 0.1f));
    record_balls(commands, &graphics, &box, &sphere, &ground, camera, queries);
    vkCmdEndRendering(commands);
    vkCmdCopyQueryPoolResults(commands, queries, 0, LAMPS, seen.buffer, 0, 4, VK_QUERY_RESULT_WAIT_BIT);
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT, 0,
                         1, &barrier, 0, NULL, 0, NULL);
    target.load = target.depth_load = VK_ATTACHMENT_LOAD_OP_LOAD;
    vt_begin_rendering(commands, &target);
    scene_bind(commands, &graphics, NULL, 0);
    for (int i = 0; i < LAMPS; i++) {
        struct mat4 at = mul(move(v3(((float)i - 4) * 0.5f, 2.15f, 0.4f)), stretch(0.17f, 0.17f, 0.17f));
        struct vec3 color = scene_hue((float)i / LAMPS, 0.8f, 0.75f);
        VkConditionalRenderingBeginInfoEXT condition = {.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
                                                        .buffer = seen.buffer,
                                                        .offset = (VkDeviceSize)i * 4};
        begin_condition(commands, &condition);
        scene_draw(commands, &graphics, &sphere, camera, at, color, 1);
        end_condition(commands);
        condition.flags = VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT; /* a dark one, and smaller */
        begin_condition(commands, &condition);
        scene_draw(commands, &graphics, &sphere, camera, mul(at, stretch(0.6f, 0.6f, 0.6f)), scaled(color, 0.3f), 0);
        end_condition(commands);
    }
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- planet ---- */

/* Where the quarter was: half of a square in each plane, a hair off it, so that the clip distance keeps it. */
static struct vec3 cut_x(float u, float v)
{
    return v3(-1e-4f, v * 2 - 1, 1 - u);
}

static struct vec3 cut_z(float u, float v)
{
    return v3(u, v * 2 - 1, -1e-4f);
}

static void draw_planet(struct vt *vt, uint8_t *rgba_out)
{
    if (!vt->features.features.shaderClipDistance)
        vt_skip(vt, "no clip distances");
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics sides[2];
    for (int i = 0; i < 2; i++) {
        scene_graphics(&sides[i], &target, VT_SPIRV(scene_planet_vert), VT_SPIRV(scene_planet_frag));
        sides[i].vertex.vertexAttributeDescriptionCount = 3;
        sides[i].vertex_constants = vt_constants(&(struct vt_constants){.values = {0}}, 1, &(int32_t){i});
        scene_pipeline(vt, &sides[i], &target, NULL, 0);
    }
    const struct scene_mesh sphere = scene_sphere(vt),
                            cuts[2] = {scene_grid(vt, 1, 1, cut_x), scene_grid(vt, 1, 1, cut_z)};
    const struct mat4 camera = scene_camera(v3(2.2f, 1.5f, 3.4f), v3(0, 0, 0), 0.52f);
    const struct mat4 own = mul(turn(v3(0, 0, 1), -0.2f), turn(v3(0, 1, 0), -0.08f));
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.003f, 0.004f, 0.012f), v3(0.02f, 0.016f, 0.03f));
    for (int i = 0; i < 2; i++) {
        scene_bind(commands, &sides[i], NULL, 0);
        scene_draw(commands, &sides[i], &sphere, camera, own, v3(0, 0, 0), 0);
    }
    for (int i = 0; i < 2; i++) {
        scene_bind(commands, &sides[i], NULL, 0);
        scene_draw(commands, &sides[i], &cuts[i], camera, own, v3(0, 0, 0), 1);
    }
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- toon ---- */

static void draw_toon(struct vt *vt, uint8_t *rgba_out)
{
    if (!(vt->subgroup.supportedOperations & VK_SUBGROUP_FEATURE_QUAD_BIT) ||
        !(vt->subgroup.supportedStages & VK_SHADER_STAGE_FRAGMENT_BIT))
        vt_skip(vt, "no quads of fragments");
    struct vt_target shapes = scene_target(vt, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D32_SFLOAT);
    vt_add_color(vt, &shapes, VK_FORMAT_R16G16B16A16_SFLOAT);
    shapes.clears[1].color = (VkClearColorValue){{0, 0, 0, 20}};
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_UNORM, 0);
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE});
    struct vt_set set = vt_set(
        vt,
        (struct vt_binding[]){VT_SAMPLED(sampler, shapes.color_views[0]), VT_SAMPLED(sampler, shapes.color_views[1])},
        2);
    struct vt_graphics paint, ink;
    scene_graphics(&paint, &shapes, scene_mesh_vert_code, VT_SPIRV(scene_toon_frag));
    scene_pipeline(vt, &paint, &shapes, NULL, 0);
    scene_screen_graphics(&ink, &target, VT_SPIRV(scene_toon_ink_frag));
    scene_pipeline(vt, &ink, &target, &set, 1);
    const struct scene_mesh vase = scene_vase(vt), box = scene_box(vt), sphere = scene_sphere(vt),
                            torus = scene_torus(vt), knot = scene_knot(vt);
    const struct mat4 camera = scene_camera(v3(1, 2.2f, 6), v3(0, 0.6f, 0), 0.62f);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &shapes);
    scene_bind(commands, &paint, NULL, 0);
    scene_draw(commands, &paint, &vase, camera, move(v3(-1.1f, 0, 0)), v3(0.25f, 0.55f, 0.85f), 1);
    scene_draw(commands, &paint, &box, camera,
               mul(move(v3(0.7f, 0.5f, -0.8f)), mul(turn(v3(0, 1, 0), 0.5f), stretch(0.5f, 0.5f, 0.5f))),
               v3(0.95f, 0.7f, 0.25f), 1);
    scene_draw(commands, &paint, &sphere, camera, mul(move(v3(1.5f, 0.5f, 0.6f)), stretch(0.5f, 0.5f, 0.5f)),
               v3(0.9f, 0.32f, 0.28f), 1);
    scene_draw(commands, &paint, &torus, camera, mul(move(v3(0.1f, 0.2f, 1.2f)), stretch(0.5f, 0.5f, 0.5f)),
               v3(0.45f, 0.75f, 0.4f), 1);
    scene_draw(commands, &paint, &knot, camera, mul(move(v3(0.8f, 1.75f, -0.9f)), stretch(0.5f, 0.5f, 0.5f)),
               v3(0.72f, 0.5f, 0.85f), 1);
    vkCmdEndRendering(commands);
    vt_to_layout(commands, &shapes.colors[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_to_layout(commands, &shapes.colors[1], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_begin_rendering(commands, &target);
    scene_bind(commands, &ink, &set, 1);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

const struct scene scene_raster_table[] = {
    {"wires", "wireframes, depth bias, Bresenham lines, wide and stippled", draw_wires, 0.004,
     "lavapipe cuts a stippled line into pieces that begin and end by the rule of a line's ends"},
    {"lamps", "occlusion queries copied to a buffer that conditions draws", draw_lamps},
    {"planet", "clip distances, discard", draw_planet},
    {"toon", "two targets, gathered texels with offsets, swaps within quads", draw_toon},
    {0},
};
