/* Scenes of blending and of targets: samples, particles, lists of transparent fragments, formats. */
#include "scene.h"

#include "scene_cloud_frag.h"
#include "scene_cloud_vert.h"
#include "scene_glass_blend_frag.h"
#include "scene_glass_frag.h"
#include "scene_leaf_frag.h"
#include "scene_leaf_vert.h"
#include "scene_panel_frag.h"
#include "scene_solid_frag.h"
#include "scene_star_frag.h"
#include "scene_star_vert.h"
#include "scene_studio_frag.h"

/* ---- foliage ---- */

static void draw_foliage(struct vt *vt, uint8_t *rgba_out)
{
    struct vt_target resolved = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, 0);
    struct vt_target target = vt_empty_target(SCENE_WIDTH, SCENE_HEIGHT, VK_SAMPLE_COUNT_4_BIT);
    vt_add_color(vt, &target, VK_FORMAT_R8G8B8A8_SRGB);
    vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    target.resolve = &resolved.colors[0];
    target.resolve_view = resolved.color_views[0];
    target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    target.store = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    struct scene_mesh leaf = scene_grid(vt, 2, 10, scene_flat);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, VT_SPIRV(scene_leaf_vert), VT_SPIRV(scene_leaf_frag));
    graphics.raster.cullMode = VK_CULL_MODE_NONE;
    graphics.multisample.alphaToCoverageEnable = VK_TRUE;
    scene_pipeline(vt, &graphics, &target, NULL, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.3f, 0.45f, 0.62f), v3(0.03f, 0.035f, 0.015f));
    scene_bind(commands, &graphics, NULL, 0);
    scene_push(commands, &graphics, scene_camera(v3(0.3f, 1.7f, 4.3f), v3(0, 0.35f, 0), 0.75f), identity(), v3(1, 1, 1),
               1);
    scene_draw_mesh(commands, &leaf, 14 * 30);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &resolved.colors[0], rgba_out);
}

/* ---- galaxy ---- */

static void draw_galaxy(struct vt *vt, uint8_t *rgba_out)
{
    struct vt_target target = scene_target(vt, VK_FORMAT_R16G16B16A16_SFLOAT, 0);
    struct vt_graphics stars, clouds;
    vt_graphics_init(&stars, &target, VT_SPIRV(scene_star_vert), VT_SPIRV(scene_star_frag));
    stars.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    scene_blend(&stars, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE);
    scene_pipeline(vt, &stars, &target, NULL, 0);
    vt_graphics_init(&clouds, &target, VT_SPIRV(scene_cloud_vert), VT_SPIRV(scene_cloud_frag));
    clouds.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    scene_blend(&clouds, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE);
    scene_pipeline(vt, &clouds, &target, NULL, 0);
    const struct vec3 eye = v3(1.2f, 4.4f, 6);
    const struct mat4 view = look(eye, v3(0, -0.15f, 0), v3(0, 1, 0));
    const struct {
        struct mat4 clip;
        float right[4], up[4];
    } push = {scene_camera(eye, v3(0, -0.15f, 0), 0.8f),
              {view.at[0][0], view.at[1][0], view.at[2][0], 0},
              {view.at[0][1], view.at[1][1], view.at[2][1], 0}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.004f, 0.005f, 0.012f), v3(0.012f, 0.006f, 0.015f));
    scene_bind(commands, &clouds, NULL, 0);
    vt_push(commands, &clouds, &push, sizeof(push));
    vkCmdDraw(commands, 4, 220, 0, 0);
    scene_bind(commands, &stars, NULL, 0);
    vt_push(commands, &stars, &push, sizeof(push));
    vkCmdDraw(commands, 2600, 1, 0, 0);
    vkCmdEndRendering(commands);
    scene_tone_map(vt, commands, &target.colors[0], 1.1f, rgba_out);
}

/* ---- glass ---- */

#define NODES (SCENE_WIDTH * SCENE_HEIGHT * 4)

static void draw_glass(struct vt *vt, uint8_t *rgba_out)
{
    if (!vt->features.features.fragmentStoresAndAtomics)
        vt_skip(vt, "no stores in fragment shaders");
    struct vt_image heads = vt_image_2d(vt, VK_FORMAT_R32_UINT, SCENE_WIDTH, SCENE_HEIGHT, VK_IMAGE_USAGE_STORAGE_BIT);
    struct vt_buffer nodes = vt_buffer(vt, 16 + 16 * NODES, NULL);
    ((uint32_t *)nodes.map)[1] = NODES;
    struct vt_set set = vt_set(
        vt,
        (struct vt_binding[]){VT_STORAGE_IMAGE(vt_view(vt, &heads, VK_IMAGE_VIEW_TYPE_2D)), VT_STORAGE_BUFFER(nodes)},
        2);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics solid, glass, blend;
    scene_graphics(&solid, &target, scene_mesh_vert_code, VT_SPIRV(scene_solid_frag));
    scene_pipeline(vt, &solid, &target, NULL, 0);
    scene_graphics(&glass, &target, scene_mesh_vert_code, VT_SPIRV(scene_glass_frag));
    glass.raster.cullMode = VK_CULL_MODE_NONE;
    glass.depth.depthWriteEnable = VK_FALSE;
    glass.blends[0].colorWriteMask = 0;
    scene_pipeline(vt, &glass, &target, &set, 1);
    scene_screen_graphics(&blend, &target, VT_SPIRV(scene_glass_blend_frag));
    scene_blend(&blend, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
    scene_pipeline(vt, &blend, &target, &set, 1);

    const struct scene_mesh sphere = scene_sphere(vt), torus = scene_torus(vt), knot = scene_knot(vt),
                            vase = scene_vase(vt), box = scene_box(vt), ground = scene_floor(vt);
    const struct mat4 camera = scene_camera(v3(0, 1.2f, 6), v3(0, 0.5f, 0), 0.62f);
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &heads, VK_IMAGE_LAYOUT_GENERAL);
    VkClearColorValue zero = {0};
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(commands, heads.image, heads.layout, &zero, 1, &all);
    vkCmdFillBuffer(commands, nodes.buffer, 0, sizeof(uint32_t), 0); /* nodes in use */
    vt_full_barrier(commands);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.3f, 0.36f, 0.45f), v3(0.12f, 0.11f, 0.13f));
    scene_bind(commands, &solid, NULL, 0);
    scene_draw(commands, &solid, &ground, camera, mul(move(v3(0, -0.6f, 0)), stretch(8, 1, 6)), v3(0.75f, 0.72f, 0.68f),
               1);
    scene_draw(commands, &solid, &box, camera,
               mul(move(v3(0.1f, 0.1f, -1)), mul(turn(v3(0, 1, 0), 0.7f), stretch(0.5f, 0.7f, 0.5f))),
               v3(0.16f, 0.16f, 0.18f), 0);
    scene_bind(commands, &glass, &set, 1);
    scene_draw(commands, &glass, &knot, camera, mul(move(v3(0, 0.55f, 0)), stretch(0.75f, 0.75f, 0.75f)),
               v3(0.95f, 0.35f, 0.12f), 0.3f);
    scene_draw(commands, &glass, &sphere, camera, mul(move(v3(-1, 0.5f, 0.4f)), stretch(0.85f, 0.85f, 0.85f)),
               v3(0.1f, 0.45f, 0.9f), 0.25f);
    scene_draw(commands, &glass, &vase, camera, mul(move(v3(1.35f, -0.6f, 0.7f)), stretch(0.85f, 0.85f, 0.85f)),
               v3(0.15f, 0.7f, 0.3f), 0.25f);
    scene_draw(commands, &glass, &torus, camera, mul(move(v3(0.35f, 0.2f, 0.3f)), turn(unit(v3(1, 0, 0.5f)), 0.5f)),
               v3(0.75f, 0.3f, 0.8f), 0.3f);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    target.load = target.depth_load = VK_ATTACHMENT_LOAD_OP_LOAD;
    vt_begin_rendering(commands, &target);
    scene_bind(commands, &blend, &set, 1);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
    if (((const uint32_t *)nodes.map)[0] > NODES)
        vt_fail(vt, "%u fragments of glass and room for %u", ((const uint32_t *)nodes.map)[0], NODES);
}

/* ---- formats ---- */

static void draw_formats(struct vt *vt, uint8_t *rgba_out)
{
    static const struct {
        VkFormat format;
        int mapped; /* as studio.frag has it */
    } panels[9] = {{VK_FORMAT_R8G8B8A8_UNORM, 1},           {VK_FORMAT_B8G8R8A8_SRGB, 1},
                   {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 1}, {VK_FORMAT_R16G16B16A16_SFLOAT, 0},
                   {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 0},  {VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                   {VK_FORMAT_R5G6B5_UNORM_PACK16, 2},      {VK_FORMAT_R8G8B8A8_SNORM, 1},
                   {VK_FORMAT_R16G16B16A16_UNORM, 1}};
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, 0);
    VkSampler sampler = scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    struct vt_set sets[9];
    VkCommandBuffer commands = vt_begin(vt);
    for (int i = 0; i < 9; i++) {
        struct vt_target panel = vt_target(vt, panels[i].format, 132, 99);
        struct vt_graphics graphics;
        scene_screen_graphics(&graphics, &panel, VT_SPIRV(scene_studio_frag));
        graphics.fragment_constants =
            vt_constants(&(struct vt_constants){.values = {0}}, 1, &(int32_t){panels[i].mapped});
        scene_pipeline(vt, &graphics, &panel, NULL, 0);
        vt_begin_rendering(commands, &panel);
        scene_bind(commands, &graphics, NULL, 0);
        scene_push(commands, &graphics, identity(), identity(), scene_hue((float)i / 9, 0.75f, 0.7f), 1);
        vkCmdDraw(commands, 3, 1, 0, 0);
        vkCmdEndRendering(commands);
        vt_to_layout(commands, &panel.colors[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        sets[i] = vt_set(vt, (struct vt_binding[]){VT_SAMPLED(sampler, panel.color_views[0])}, 1);
    }
    struct vt_graphics show;
    scene_screen_graphics(&show, &target, VT_SPIRV(scene_panel_frag));
    vt_add_dynamic(&show, VK_DYNAMIC_STATE_VIEWPORT);
    vt_add_dynamic(&show, VK_DYNAMIC_STATE_SCISSOR);
    scene_pipeline(vt, &show, &target, sets, 1);
    vt_begin_rendering(commands, &target);
    for (int i = 0; i < 9; i++) {
        const VkViewport viewport = {(float)(i % 3 * 400 / 3), (float)(i / 3 * 100), 133.5f, 100, 0, 1};
        const VkRect2D scissor = {{i % 3 * 400 / 3, i / 3 * 100}, {134, 100}};
        scene_bind(commands, &show, &sets[i], 1);
        vkCmdSetViewport(commands, 0, 1, &viewport);
        vkCmdSetScissor(commands, 0, 1, &scissor);
        scene_push(commands, &show, identity(), identity(), v3(0, 0, 0), (float)panels[i].mapped);
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

const struct scene scene_blend_table[] = {
    {"foliage", "four samples, alpha to coverage, resolve", draw_foliage, 0.1,
     "which samples an alpha covers is left to the implementation"},
    {"galaxy", "points with coordinates, instanced quads, additive blending in 16-bit floats, tone mapping",
     draw_galaxy},
    {"glass", "lists of fragments: early tests with image and buffer atomics, loops over arrays", draw_glass},
    {"formats", "targets of 8, 10, 16, 32 bits, packed and sRGB", draw_formats, 0.03,
     "to 5 and 6 bits lavapipe rounds twice: a step of them is more than rounding"},
    {0},
};
