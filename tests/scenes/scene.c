/* See scene.h: targets, pipelines, textures, compute. Meshes are in scene_mesh.c. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scene_backdrop_frag.h"
#include "scene_mesh_vert.h"
#include "scene_screen_vert.h"
#include "scene_tone_frag.h"

const struct vt_spirv scene_mesh_vert_code = {scene_mesh_vert, sizeof(scene_mesh_vert)};

/* ---- targets and pipelines ---- */

struct vt_target scene_target(struct vt *vt, VkFormat color, VkFormat depth)
{
    struct vt_target target = vt_target(vt, color, SCENE_WIDTH, SCENE_HEIGHT);
    if (depth)
        vt_add_depth(vt, &target, depth);
    return target;
}

void scene_graphics(struct vt_graphics *graphics, const struct vt_target *target, struct vt_spirv vertex,
                    struct vt_spirv fragment)
{
    vt_graphics_init(graphics, target, vertex, fragment);
    vt_add_binding(graphics, sizeof(struct scene_vertex), VK_VERTEX_INPUT_RATE_VERTEX);
    vt_add_attribute(graphics, VK_FORMAT_R32G32B32_SFLOAT, offsetof(struct scene_vertex, position));
    vt_add_attribute(graphics, VK_FORMAT_R32G32B32_SFLOAT, offsetof(struct scene_vertex, normal));
    vt_add_attribute(graphics, VK_FORMAT_R32G32_SFLOAT, offsetof(struct scene_vertex, u));
    if (target->depth_format) {
        graphics->depth.depthTestEnable = graphics->depth.depthWriteEnable = VK_TRUE;
        graphics->depth.depthCompareOp = VK_COMPARE_OP_LESS;
        graphics->raster.cullMode = VK_CULL_MODE_BACK_BIT;
    }
}

void scene_screen_graphics(struct vt_graphics *graphics, const struct vt_target *target, struct vt_spirv fragment)
{
    vt_graphics_init(graphics, target, VT_SPIRV(scene_screen_vert), fragment);
}

void scene_pipeline(struct vt *vt, struct vt_graphics *graphics, const struct vt_target *target,
                    const struct vt_set *sets, uint32_t set_count)
{
    for (uint32_t i = 0; i < set_count; i++)
        graphics->sets[i] = sets[i].layout;
    graphics->set_count = set_count;
    vt_make_pipeline(vt, graphics, target);
}

void scene_bind(VkCommandBuffer commands, const struct vt_graphics *graphics, const struct vt_set *sets,
                uint32_t set_count)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    for (uint32_t i = 0; i < set_count; i++)
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->layout, i, 1, &sets[i].set, 0,
                                NULL);
}

void scene_blend(struct vt_graphics *graphics, VkBlendFactor source, VkBlendFactor destination)
{
    graphics->blends[0] =
        (VkPipelineColorBlendAttachmentState){.blendEnable = VK_TRUE,
                                              .srcColorBlendFactor = source,
                                              .dstColorBlendFactor = destination,
                                              .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                              .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                              .colorWriteMask = 0xf};
}

void scene_backdrop(struct vt *vt, VkCommandBuffer commands, const struct vt_target *target, struct vec3 top,
                    struct vec3 bottom)
{
    const float push[8] = {top.x, top.y, top.z, 1, bottom.x, bottom.y, bottom.z, 1};
    struct vt_graphics graphics;
    scene_screen_graphics(&graphics, target, VT_SPIRV(scene_backdrop_frag));
    vt_make_pipeline(vt, &graphics, target);
    scene_bind(commands, &graphics, NULL, 0);
    vt_push(commands, &graphics, push, sizeof(push));
    vkCmdDraw(commands, 3, 1, 0, 0);
}

/* ---- frames ---- */

#define MOST_FRAMES 1000
#define FEWEST_FRAMES 3

struct scene_frames scene_frames;

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void submit_again(struct vt *vt, VkCommandBuffer commands)
{
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &submit, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
}

/* The first submission was the warm-up. */
static void measure_frames(struct vt *vt, VkCommandBuffer commands)
{
    static double took_s[MOST_FRAMES], cpu_s[MOST_FRAMES];
    const double start_s = clock_s(CLOCK_MONOTONIC);
    uint32_t runs = 0;
    while (runs < MOST_FRAMES && (runs < FEWEST_FRAMES || clock_s(CLOCK_MONOTONIC) - start_s < scene_frames.seconds)) {
        took_s[runs] = clock_s(CLOCK_MONOTONIC);
        cpu_s[runs] = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        submit_again(vt, commands);
        took_s[runs] = clock_s(CLOCK_MONOTONIC) - took_s[runs];
        cpu_s[runs] = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s[runs];
        runs++;
    }
    qsort(took_s, runs, sizeof(took_s[0]), compare_numbers);
    qsort(cpu_s, runs, sizeof(cpu_s[0]), compare_numbers);
    scene_frames.runs = runs;
    scene_frames.median_s = took_s[runs / 2];
    scene_frames.best_s = took_s[0];
    scene_frames.cpu_s = cpu_s[runs / 2];
}

void scene_finish(struct vt *vt, VkCommandBuffer commands, struct vt_image *image, uint8_t *rgba_out)
{
    const size_t size_B = (size_t)SCENE_WIDTH * SCENE_HEIGHT * 4;
    struct vt_buffer texels = vt_record_download(vt, commands, image, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    memcpy(rgba_out, texels.map, size_B);
    if (scene_frames.seconds > 0) {
        measure_frames(vt, commands);
        if (!scene_frames.may_differ && memcmp(rgba_out, texels.map, size_B) != 0)
            vt_fail(vt, "the same frame once more is another picture");
    }
}

void scene_tone_map(struct vt *vt, VkCommandBuffer commands, struct vt_image *hdr, float exposure, uint8_t *rgba_out)
{
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, 0);
    struct vt_graphics graphics;
    scene_screen_graphics(&graphics, &target, VT_SPIRV(scene_tone_frag));
    struct vt_set set =
        vt_set(vt,
               (struct vt_binding[]){VT_SAMPLED(scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                                                vt_view(vt, hdr, VK_IMAGE_VIEW_TYPE_2D))},
               1);
    scene_pipeline(vt, &graphics, &target, &set, 1);
    vt_to_layout(commands, hdr, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_begin_rendering(commands, &target);
    scene_bind(commands, &graphics, &set, 1);
    vt_push(commands, &graphics, &exposure, sizeof(exposure));
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- compute ---- */

struct scene_compute scene_compute(struct vt *vt, struct vt_spirv code, const VkSpecializationInfo *constants,
                                   const struct vt_binding *bindings, uint32_t count)
{
    struct scene_compute made = {.set = vt_set(vt, bindings, count)};
    made.layout = vt_pipeline_layout(vt, &made.set.layout, 1);
    made.pipeline = vt_compute_pipeline(vt, code, made.layout, constants);
    return made;
}

void scene_dispatch(VkCommandBuffer commands, const struct scene_compute *compute, const void *push, uint32_t push_B,
                    uint32_t x, uint32_t y, uint32_t z)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->layout, 0, 1, &compute->set.set, 0,
                            NULL);
    if (push_B)
        vkCmdPushConstants(commands, compute->layout, VK_SHADER_STAGE_ALL, 0, push_B, push);
    vkCmdDispatch(commands, x, y, z);
}

/* ---- camera and objects ---- */

struct mat4 scene_camera(struct vec3 from, struct vec3 to, float fov_y)
{
    return mul(perspective(fov_y, (float)SCENE_WIDTH / SCENE_HEIGHT, 0.1f, 60), look(from, to, v3(0, 1, 0)));
}

void scene_push(VkCommandBuffer commands, const struct vt_graphics *graphics, struct mat4 view_projection,
                struct mat4 model, struct vec3 color, float alpha)
{
    struct scene_object object = {.clip = mul(view_projection, model), .color = {color.x, color.y, color.z, alpha}};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++)
            object.model[r][c] = model.at[c][r];
    }
    vt_push(commands, graphics, &object, sizeof(object));
}

void scene_draw_mesh(VkCommandBuffer commands, const struct scene_mesh *mesh, uint32_t instances)
{
    vkCmdBindVertexBuffers(commands, 0, 1, &mesh->vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(commands, mesh->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(commands, mesh->index_count, instances, 0, 0, 0);
}

void scene_draw(VkCommandBuffer commands, const struct vt_graphics *graphics, const struct scene_mesh *mesh,
                struct mat4 view_projection, struct mat4 model, struct vec3 color, float alpha)
{
    scene_push(commands, graphics, view_projection, model, color, alpha);
    scene_draw_mesh(commands, mesh, 1);
}

/* ---- textures ---- */

static VkImageMemoryBarrier level_barrier(const struct vt_image *image, uint32_t level, VkImageLayout from,
                                          VkImageLayout to)
{
    return (VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                  .oldLayout = from,
                                  .newLayout = to,
                                  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .image = image->image,
                                  .subresourceRange = {image->aspects, level, 1, 0, VK_REMAINING_ARRAY_LAYERS}};
}

void scene_make_levels(VkCommandBuffer commands, struct vt_image *image)
{
    uint32_t layers = image->info.arrayLayers, width = image->info.extent.width, height = image->info.extent.height;
    for (uint32_t level = 0; level < image->info.mipLevels; level++) {
        if (level) {
            VkImageBlit blit = {
                .srcSubresource = {image->aspects, level - 1, 0, layers},
                .srcOffsets[1] = {(int32_t)vt_mip(width, level - 1), (int32_t)vt_mip(height, level - 1), 1},
                .dstSubresource = {image->aspects, level, 0, layers},
                .dstOffsets[1] = {(int32_t)vt_mip(width, level), (int32_t)vt_mip(height, level), 1}};
            vkCmdBlitImage(commands, image->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_LINEAR);
        }
        VkImageMemoryBarrier barrier =
            level_barrier(image, level, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
                             NULL, 1, &barrier);
    }
    image->layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    vt_to_layout(commands, image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

struct vt_image scene_texture(struct vt *vt, VkFormat format, uint32_t width, uint32_t height, bool mip_mapped,
                              const void *texels)
{
    uint32_t levels = 1;
    while (mip_mapped && (width | height) >> levels)
        levels++;
    struct vt_image image = vt_image(
        vt,
        &(struct vt_image_info){
            .format = format, .width = width, .height = height, .levels = levels, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    vt_upload(vt, &image, 0, texels,
              mip_mapped ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    if (mip_mapped) {
        VkCommandBuffer commands = vt_begin(vt);
        scene_make_levels(commands, &image);
        vt_submit(vt, commands);
    }
    return image;
}

VkSampler scene_sampler(struct vt *vt, VkSamplerAddressMode mode)
{
    return vt_sampler(vt, (VkSamplerCreateInfo){.magFilter = VK_FILTER_LINEAR,
                                                .minFilter = VK_FILTER_LINEAR,
                                                .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                                .addressModeU = mode,
                                                .addressModeV = mode,
                                                .addressModeW = mode,
                                                .maxLod = VK_LOD_CLAMP_NONE});
}

static float lattice(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t n = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ seed * 0xc2b2ae3du;
    n = (n ^ n >> 15) * 0x2c1b3c6du;
    n = (n ^ n >> 12) * 0x297a2d39u;
    return (float)((n ^ n >> 15) >> 8) / (float)(1 << 24);
}

float scene_noise(float u, float v, uint32_t cells, uint32_t seed)
{
    float x = (u - floorf(u)) * (float)cells, y = (v - floorf(v)) * (float)cells;
    uint32_t ix = (uint32_t)x % cells, iy = (uint32_t)y % cells, jx = (ix + 1) % cells, jy = (iy + 1) % cells;
    float fx = x - floorf(x), fy = y - floorf(y);
    fx = fx * fx * (3 - 2 * fx);
    fy = fy * fy * (3 - 2 * fy);
    float above = lattice(ix, iy, seed) * (1 - fx) + lattice(jx, iy, seed) * fx;
    float below = lattice(ix, jy, seed) * (1 - fx) + lattice(jx, jy, seed) * fx;
    return above * (1 - fy) + below * fy;
}

float scene_fractal(float u, float v, uint32_t cells, uint32_t octaves, uint32_t seed)
{
    float sum = 0, weight = 0.5f, all = 0;
    for (uint32_t i = 0; i < octaves; i++, weight /= 2) {
        sum += weight * scene_noise(u, v, cells << i, seed + i);
        all += weight;
    }
    return sum / all;
}

struct vec3 scene_hue(float hue, float saturation, float value)
{
    struct vec3 color;
    float *out[3] = {&color.x, &color.y, &color.z};
    for (int i = 0; i < 3; i++) {
        float place = hue + (float)(3 - i) / 3, ramp = fabsf((place - floorf(place)) * 6 - 3) - 1;
        ramp = ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
        *out[i] = value * (1 - saturation + saturation * ramp);
    }
    return color;
}
