/* Scenes of compute shaders: bloom, a flag drawn by indirect draws, a map by its histogram. */
#include <string.h>

#include "scene.h"

#include "scene_bloom_comp.h"
#include "scene_blur_comp.h"
#include "scene_bright_comp.h"
#include "scene_cloth_comp.h"
#include "scene_flag_frag.h"
#include "scene_flag_vert.h"
#include "scene_heights_comp.h"
#include "scene_map_comp.h"
#include "scene_neon_frag.h"
#include "scene_ranks_comp.h"
#include "scene_tiles_comp.h"

static struct vt_image storage_image(struct vt *vt, VkFormat format, uint32_t width, uint32_t height)
{
    return vt_image_2d(vt, format, width, height, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
}

static uint32_t groups(uint32_t count, uint32_t size)
{
    return (count + size - 1) / size;
}

/* Of what one dispatch wrote to what the next reads, and back. */
static void compute_barrier(VkCommandBuffer commands, VkPipelineStageFlags stages, VkAccessFlags access)
{
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                               .dstAccessMask = access};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* ---- bloom ---- */

static void record_neon(struct vt *vt, VkCommandBuffer commands, struct vt_target *target)
{
    const struct scene_mesh torus = scene_torus(vt), knot = scene_knot(vt), sphere = scene_sphere(vt),
                            ground = scene_floor(vt);
    const struct mat4 camera = scene_camera(v3(0, 1.5f, 6.5f), v3(0, 0.7f, 0), 0.6f);
    struct vt_graphics graphics;
    scene_graphics(&graphics, target, scene_mesh_vert_code, VT_SPIRV(scene_neon_frag));
    scene_pipeline(vt, &graphics, target, NULL, 0);
    vt_begin_rendering(commands, target);
    scene_bind(commands, &graphics, NULL, 0);
    scene_draw(commands, &graphics, &ground, camera, stretch(9, 1, 9), v3(0.5f, 0.5f, 0.55f), 0);
    scene_draw(commands, &graphics, &torus, camera,
               mul(move(v3(-1.7f, 1, 0)), mul(turn(v3(1, 0, 0), 1.35f), stretch(0.75f, 0.25f, 0.75f))),
               v3(1, 0.04f, 0.25f), 1.7f);
    scene_draw(commands, &graphics, &knot, camera, mul(move(v3(0.2f, 1.1f, -0.6f)), stretch(0.55f, 0.55f, 0.55f)),
               v3(0.03f, 0.4f, 1), 1.8f);
    scene_draw(commands, &graphics, &sphere, camera, mul(move(v3(1.9f, 0.8f, 0.2f)), stretch(0.45f, 0.45f, 0.45f)),
               v3(1, 0.35f, 0.03f), 2);
    for (int i = 0; i < 7; i++)
        scene_draw(commands, &graphics, &sphere, camera,
                   mul(move(v3((float)i * 0.75f - 2.2f, 0.25f, 1.5f + 0.4f * sinf((float)i * 2))),
                       stretch(0.25f, 0.25f, 0.25f)),
                   v3(0.8f, 0.8f, 0.85f), 0);
    vkCmdEndRendering(commands);
}

static void draw_bloom(struct vt *vt, uint8_t *rgba_out)
{
    const uint32_t width = SCENE_WIDTH / 2, height = SCENE_HEIGHT / 2;
    struct vt_target target = scene_target(vt, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_D32_SFLOAT);
    target.clears[0].color = (VkClearColorValue){{0.004f, 0.004f, 0.01f, 1}};
    struct vt_image glow[2], picture = storage_image(vt, VK_FORMAT_R8G8B8A8_UNORM, SCENE_WIDTH, SCENE_HEIGHT);
    VkImageView views[2];
    for (int i = 0; i < 2; i++) {
        glow[i] = storage_image(vt, VK_FORMAT_R16G16B16A16_SFLOAT, width, height);
        views[i] = vt_view(vt, &glow[i], VK_IMAGE_VIEW_TYPE_2D);
    }
    VkSampler sampler = scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    struct scene_compute bright =
        scene_compute(vt, VT_SPIRV(scene_bright_comp), NULL,
                      (struct vt_binding[]){VT_SAMPLED(sampler, target.color_views[0]), VT_STORAGE_IMAGE(views[0])}, 2);
    struct scene_compute blur[2];
    for (int i = 0; i < 2; i++)
        blur[i] = scene_compute(vt, VT_SPIRV(scene_blur_comp),
                                vt_constants(&(struct vt_constants){.values = {0}}, 1, &(int32_t){i}),
                                (struct vt_binding[]){VT_STORAGE_IMAGE(views[i]), VT_STORAGE_IMAGE(views[!i])}, 2);
    struct scene_compute join =
        scene_compute(vt, VT_SPIRV(scene_bloom_comp), NULL,
                      (struct vt_binding[]){VT_SAMPLED(sampler, target.color_views[0]), VT_SAMPLED(sampler, views[0]),
                                            VT_STORAGE_IMAGE(vt_view(vt, &picture, VK_IMAGE_VIEW_TYPE_2D))},
                      3);
    VkCommandBuffer commands = vt_begin(vt);
    record_neon(vt, commands, &target);
    vt_to_layout(commands, &target.colors[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_to_layout(commands, &glow[0], VK_IMAGE_LAYOUT_GENERAL);
    vt_to_layout(commands, &glow[1], VK_IMAGE_LAYOUT_GENERAL);
    scene_dispatch(commands, &bright, NULL, 0, groups(width, 8), groups(height, 8), 1);
    for (int i = 0; i < 2; i++) {
        compute_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
        scene_dispatch(commands, &blur[i], NULL, 0, groups(i ? height : width, 64), i ? width : height, 1);
    }
    vt_to_layout(commands, &glow[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_to_layout(commands, &picture, VK_IMAGE_LAYOUT_GENERAL);
    scene_dispatch(commands, &join, NULL, 0, groups(SCENE_WIDTH, 8), groups(SCENE_HEIGHT, 8), 1);
    scene_finish(vt, commands, &picture, rgba_out);
}

/* ---- flag ---- */

#define COLUMNS 41
#define ROWS 25
#define ROOM 60 /* for draws: more than there are tiles */

static void draw_flag(struct vt *vt, uint8_t *rgba_out)
{
    if (!vt->features12.drawIndirectCount || !vt->features.features.drawIndirectFirstInstance)
        vt_skip(vt, "no indirect draws with a count and a first instance");
    static float start[ROWS * COLUMNS][4];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        float x = (float)(i % COLUMNS) * 0.1f, y = (float)(i / COLUMNS) * -0.1f;
        const float at[4] = {x, y, 0.12f * sinf(x * 2.2f), 1};
        memcpy(start[i], at, sizeof(at));
    }
    uint16_t indices[5 * 4 * 6], *index = indices;
    for (int i = 0; i < 20; i++) {
        int a = i / 5 * COLUMNS + i % 5, b = a + COLUMNS;
        const int corners[6] = {a, b, a + 1, a + 1, b, b + 1};
        for (int n = 0; n < 6; n++)
            *index++ = (uint16_t)corners[n];
    }
    struct vt_buffer points[2] = {vt_buffer(vt, sizeof(start), start), vt_local_buffer(vt, sizeof(start))};
    struct vt_buffer speeds = vt_buffer(vt, sizeof(start), NULL), draws = vt_buffer(vt, 16 + ROOM * 20, NULL),
                     index_buffer = vt_buffer(vt, sizeof(indices), indices);
    struct scene_compute step[2];
    for (int i = 0; i < 2; i++)
        step[i] = scene_compute(vt, VT_SPIRV(scene_cloth_comp), NULL,
                                (struct vt_binding[]){VT_STORAGE_BUFFER(points[i]), VT_STORAGE_BUFFER(speeds),
                                                      VT_STORAGE_BUFFER(points[!i])},
                                3);
    struct scene_compute tiles =
        scene_compute(vt, VT_SPIRV(scene_tiles_comp), NULL, (struct vt_binding[]){VT_STORAGE_BUFFER(draws)}, 1);
    struct vt_set set = vt_set(vt, (struct vt_binding[]){VT_STORAGE_BUFFER(points[0])}, 1);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics graphics, pole;
    vt_graphics_init(&graphics, &target, VT_SPIRV(scene_flag_vert), VT_SPIRV(scene_flag_frag));
    graphics.depth.depthTestEnable = graphics.depth.depthWriteEnable = VK_TRUE;
    graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    scene_pipeline(vt, &graphics, &target, &set, 1);
    scene_graphics(&pole, &target, scene_mesh_vert_code, VT_SPIRV(scene_neon_frag));
    scene_pipeline(vt, &pole, &target, NULL, 0);

    VkCommandBuffer commands = vt_begin(vt);
    for (int i = 0; i < 120; i++) {
        scene_dispatch(commands, &step[i & 1], &(float){(float)i * 0.02f}, 4, groups(COLUMNS, 8), groups(ROWS, 8), 1);
        compute_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
    scene_dispatch(commands, &tiles, NULL, 0, 1, 1, 1);
    compute_barrier(commands, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT,
                    VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.1f, 0.25f, 0.55f), v3(0.55f, 0.6f, 0.65f));
    const struct mat4 camera = scene_camera(v3(2.3f, -0.4f, 6), v3(1.9f, -1.25f, 0), 0.72f);
    const struct scene_mesh sphere = scene_sphere(vt);
    scene_bind(commands, &pole, NULL, 0);
    scene_draw(commands, &pole, &sphere, camera, mul(move(v3(-0.08f, -2.2f, 0)), stretch(0.07f, 2.5f, 0.07f)),
               v3(0.4f, 0.3f, 0.16f), 1);
    scene_bind(commands, &graphics, &set, 1);
    vt_push(commands, &graphics, &camera, sizeof(camera));
    vkCmdBindIndexBuffer(commands, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexedIndirectCount(commands, draws.buffer, 16, draws.buffer, 0, ROOM, 20);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- map ---- */

static void draw_map(struct vt *vt, uint8_t *rgba_out)
{
    if (!(vt->subgroup.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT))
        vt_skip(vt, "no arithmetic in subgroups");
    struct vt_image heights = storage_image(vt, VK_FORMAT_R32_SFLOAT, SCENE_WIDTH, SCENE_HEIGHT),
                    picture = storage_image(vt, VK_FORMAT_R8G8B8A8_UNORM, SCENE_WIDTH, SCENE_HEIGHT);
    VkImageView heights_view = vt_view(vt, &heights, VK_IMAGE_VIEW_TYPE_2D);
    struct vt_buffer counts = vt_local_buffer(vt, 1024), ranks = vt_local_buffer(vt, 1024);
    struct scene_compute passes[3] = {
        scene_compute(vt, VT_SPIRV(scene_heights_comp), NULL,
                      (struct vt_binding[]){VT_STORAGE_IMAGE(heights_view), VT_STORAGE_BUFFER(counts)}, 2),
        scene_compute(vt, VT_SPIRV(scene_ranks_comp), NULL,
                      (struct vt_binding[]){VT_STORAGE_BUFFER(counts), VT_STORAGE_BUFFER(ranks)}, 2),
        scene_compute(vt, VT_SPIRV(scene_map_comp), NULL,
                      (struct vt_binding[]){VT_STORAGE_IMAGE(heights_view), VT_STORAGE_BUFFER(ranks),
                                            VT_STORAGE_IMAGE(vt_view(vt, &picture, VK_IMAGE_VIEW_TYPE_2D))},
                      3)};
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &heights, VK_IMAGE_LAYOUT_GENERAL);
    vt_to_layout(commands, &picture, VK_IMAGE_LAYOUT_GENERAL);
    const VkMemoryBarrier counted = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdFillBuffer(commands, counts.buffer, 0, VK_WHOLE_SIZE, 0);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &counted,
                         0, NULL, 0, NULL);
    for (int i = 0; i < 3; i++) {
        bool single = i == 1;
        scene_dispatch(commands, &passes[i], NULL, 0, single ? 1 : groups(SCENE_WIDTH, 16),
                       single ? 1 : groups(SCENE_HEIGHT, 16), 1);
        compute_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    }
    scene_finish(vt, commands, &picture, rgba_out);
}

const struct scene scene_compute_table[] = {
    {"bloom", "storage images, workgroup memory, specialization, barriers between dispatches and draws", draw_bloom},
    {"flag", "120 dispatches that depend on each other, indirect draws with a count", draw_flag, .keeps_state = true},
    {"map", "a histogram by atomics, its sums by subgroups, an image written by compute alone", draw_map},
    {0},
};
