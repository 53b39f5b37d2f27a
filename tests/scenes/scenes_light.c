/* Scenes of light: a lit knot, shadow maps, reflections of a cube map, deferred shading, shadow volumes. */
#include <string.h>

#include "scene.h"

#include "scene_deferred_frag.h"
#include "scene_gbuffer_frag.h"
#include "scene_knot_frag.h"
#include "scene_mirror_frag.h"
#include "scene_shadow_frag.h"
#include "scene_sky_frag.h"
#include "scene_sky_layered_vert.h"
#include "scene_sky_vert.h"
#include "scene_skybox_frag.h"
#include "scene_skybox_vert.h"
#include "scene_stencil_frag.h"
#include "scene_volume_shadow_vert.h"

/* ---- knot ---- */

static void draw_knot(struct vt *vt, uint8_t *rgba_out)
{
    static const float lights[7][4] = {{0.6f, 1.2f, 4.6f, 0}, {2.5f, 3, 3, 0},       {1.7f, 1.5f, 1.2f, 0},
                                       {-3.5f, 0.5f, 2, 0},   {0.2f, 0.6f, 1.6f, 0}, {1, -3, -1.5f, 0},
                                       {1.6f, 0.3f, 0.5f, 0}};
    const struct vec3 eye = v3(lights[0][0], lights[0][1], lights[0][2]);
    struct vt_buffer uniforms = vt_buffer(vt, sizeof(lights), lights);
    struct vt_set set = vt_set(vt, (struct vt_binding[]){VT_UNIFORM_BUFFER(uniforms)}, 1);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    struct scene_mesh knot = scene_knot(vt);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, scene_mesh_vert_code, VT_SPIRV(scene_knot_frag));
    scene_pipeline(vt, &graphics, &target, &set, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.05f, 0.09f, 0.2f), v3(0.3f, 0.16f, 0.2f));
    scene_bind(commands, &graphics, &set, 1);
    scene_draw(commands, &graphics, &knot, scene_camera(eye, v3(0, 0, 0), 0.75f), turn(unit(v3(1, 0.6f, 0)), 0.5f),
               v3(0.7f, 0.08f, 0.1f), 1);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- shadow ---- */

struct placed {
    const struct scene_mesh *mesh;
    struct mat4 model;
    struct vec3 color;
    float kind;
};

static void draw_all(VkCommandBuffer commands, const struct vt_graphics *graphics, struct mat4 view_projection,
                     const struct placed *objects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        scene_draw(commands, graphics, objects[i].mesh, view_projection, objects[i].model, objects[i].color,
                   objects[i].kind);
}

/* The depth of what the sun sees, compared where the eye looks. */
static void draw_shadow(struct vt *vt, uint8_t *rgba_out)
{
    const struct vec3 eye = v3(-2.6f, 3.1f, 6.2f), to_light = unit(v3(-0.7f, 1, 0.35f));
    const struct scene_mesh ground = scene_floor(vt), sphere = scene_sphere(vt), torus = scene_torus(vt),
                            vase = scene_vase(vt), box = scene_box(vt), knot = scene_knot(vt);
    const struct placed objects[] = {
        {&ground, stretch(12, 1, 12), v3(0.75f, 0.68f, 0.58f), 1},
        {&sphere, mul(move(v3(-1.9f, 0.8f, 1)), stretch(0.8f, 0.8f, 0.8f)), v3(0.75f, 0.12f, 0.1f), 0},
        {&torus, mul(move(v3(1.7f, 0.36f, 1.5f)), identity()), v3(0.12f, 0.4f, 0.65f), 0},
        {&vase, mul(move(v3(0, 0, -0.3f)), identity()), v3(0.8f, 0.55f, 0.16f), 0},
        {&box, mul(move(v3(2.7f, 0.8f, -1.6f)), mul(turn(v3(0, 1, 0), 0.5f), stretch(0.8f, 0.8f, 0.8f))),
         v3(0.25f, 0.55f, 0.25f), 0},
        {&knot, mul(move(v3(-2, 1.6f, -2.2f)), stretch(0.8f, 0.8f, 0.8f)), v3(0.5f, 0.25f, 0.6f), 0}};
    const struct mat4 light_clip = mul(orthographic(6, 6, 1, 20), look(scaled(to_light, 10), v3(0, 0, 0), v3(0, 1, 0)));

    struct vt_target map = vt_empty_target(512, 512, VK_SAMPLE_COUNT_1_BIT);
    vt_add_depth(vt, &map, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics depth_only;
    scene_graphics(&depth_only, &map, scene_mesh_vert_code, (struct vt_spirv){0});
    depth_only.raster.depthBiasEnable = VK_TRUE;
    depth_only.raster.depthBiasConstantFactor = 2;
    depth_only.raster.depthBiasSlopeFactor = 2;
    scene_pipeline(vt, &depth_only, &map, NULL, 0);

    struct {
        float eye[4], to_light[4];
        struct mat4 light_clip;
    } uniforms = {{eye.x, eye.y, eye.z, 1}, {to_light.x, to_light.y, to_light.z, 0}, light_clip};
    struct vt_buffer buffer = vt_buffer(vt, sizeof(uniforms), &uniforms);
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.magFilter = VK_FILTER_LINEAR,
                                                             .minFilter = VK_FILTER_LINEAR,
                                                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                             .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
                                                             .compareEnable = VK_TRUE,
                                                             .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL});
    struct vt_set set =
        vt_set(vt, (struct vt_binding[]){VT_UNIFORM_BUFFER(buffer), VT_SAMPLED(sampler, map.depth_view)}, 2);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, scene_mesh_vert_code, VT_SPIRV(scene_shadow_frag));
    scene_pipeline(vt, &graphics, &target, &set, 1);

    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &map);
    scene_bind(commands, &depth_only, NULL, 0);
    draw_all(commands, &depth_only, light_clip, objects, COUNT_OF(objects));
    vkCmdEndRendering(commands);
    vt_to_layout(commands, &map.depth, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.2f, 0.32f, 0.55f), v3(0.5f, 0.55f, 0.62f));
    scene_bind(commands, &graphics, &set, 1);
    draw_all(commands, &graphics, scene_camera(eye, v3(0.2f, 0.6f, 0), 0.7f), objects, COUNT_OF(objects));
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- mirror ---- */

#define SKY_SIZE 128

/* Six faces in one pass of six views, and their levels. lavapipe 22.3 draws the first view alone: there, six instances
 * choose their layers. */
static struct vt_image make_sky(struct vt *vt)
{
    const bool layered = vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE;
    struct vt_target target = vt_empty_target(SKY_SIZE, SKY_SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.layers = 6;
    target.color_count = 1;
    target.view_mask = layered ? 0 : 0x3f;
    target.color_formats[0] = VK_FORMAT_R16G16B16A16_SFLOAT;
    target.colors[0] = vt_image(
        vt, &(struct vt_image_info){.format = target.color_formats[0],
                                    .width = SKY_SIZE,
                                    .height = SKY_SIZE,
                                    .levels = 8,
                                    .layers = 6,
                                    .flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    target.color_views[0] =
        vt_view_of(vt, &target.colors[0],
                   (VkImageViewCreateInfo){.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY, .subresourceRange.levelCount = 1});
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, layered ? VT_SPIRV(scene_sky_layered_vert) : VT_SPIRV(scene_sky_vert),
                     VT_SPIRV(scene_sky_frag));
    scene_pipeline(vt, &graphics, &target, NULL, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_bind(commands, &graphics, NULL, 0);
    vkCmdDraw(commands, 3, layered ? 6 : 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_to_layout(commands, &target.colors[0], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    scene_make_levels(commands, &target.colors[0]);
    vt_submit(vt, commands);
    return target.colors[0];
}

static void draw_mirror(struct vt *vt, uint8_t *rgba_out)
{
    const float eye[4] = {1.2f, 0.9f, 6.3f, 1};
    struct vt_image sky = make_sky(vt);
    struct vt_buffer uniforms = vt_buffer(vt, sizeof(eye), eye);
    struct vt_set set =
        vt_set(vt,
               (struct vt_binding[]){VT_UNIFORM_BUFFER(uniforms),
                                     VT_SAMPLED(scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                                                vt_view(vt, &sky, VK_IMAGE_VIEW_TYPE_CUBE))},
               2);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D16_UNORM);
    struct vt_graphics mirror, skybox;
    scene_graphics(&mirror, &target, scene_mesh_vert_code, VT_SPIRV(scene_mirror_frag));
    scene_pipeline(vt, &mirror, &target, &set, 1);
    scene_graphics(&skybox, &target, VT_SPIRV(scene_skybox_vert), VT_SPIRV(scene_skybox_frag));
    skybox.vertex.vertexAttributeDescriptionCount = 1;
    skybox.raster.cullMode = VK_CULL_MODE_FRONT_BIT; /* seen from inside */
    skybox.depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    skybox.depth.depthWriteEnable = VK_FALSE;
    scene_pipeline(vt, &skybox, &target, &set, 1);

    const struct scene_mesh box = scene_box(vt), sphere = scene_sphere(vt), knot = scene_knot(vt),
                            torus = scene_torus(vt);
    const struct placed objects[] = {
        {&sphere, mul(move(v3(-1.9f, -0.2f, 0)), stretch(1.35f, 1.35f, 1.35f)), v3(0.96f, 0.96f, 0.97f), 0},
        {&knot, mul(move(v3(1.7f, 0.2f, -0.5f)), turn(v3(0, 1, 0), -0.6f)), v3(1, 0.78f, 0.34f), 0.25f},
        {&torus, mul(move(v3(0.2f, -1.2f, 1.8f)), mul(turn(v3(1, 0, 0), 0.5f), stretch(0.6f, 0.6f, 0.6f))),
         v3(0.95f, 0.64f, 0.54f), 0.55f}};
    const struct mat4 camera = scene_camera(v3(eye[0], eye[1], eye[2]), v3(0, 0, 0), 0.8f);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_bind(commands, &mirror, &set, 1);
    draw_all(commands, &mirror, camera, objects, COUNT_OF(objects));
    scene_bind(commands, &skybox, &set, 1);
    const struct mat4 around = mul(camera, move(v3(eye[0], eye[1], eye[2])));
    vt_push(commands, &skybox, &around, sizeof(around));
    scene_draw_mesh(commands, &box, 1);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- deferred ---- */

#define LIGHTS 36

enum {
    ALBEDO,
    NORMAL,
    MATERIAL,
    DEPTH,
    SHADED,
    ATTACHMENTS
};

static const VkFormat deferred_formats[ATTACHMENTS] = {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                                       VK_FORMAT_R8G8_UINT, VK_FORMAT_D32_SFLOAT,
                                                       VK_FORMAT_R8G8B8A8_SRGB};

static void destroy_pass(struct vt *vt, uint64_t handle)
{
    vkDestroyRenderPass(vt->device, (VkRenderPass)handle, NULL);
}

static void destroy_framebuffer(struct vt *vt, uint64_t handle)
{
    vkDestroyFramebuffer(vt->device, (VkFramebuffer)handle, NULL);
}

/* The first subpass writes three colours and depth; the second reads all four at its own pixel. */
static VkRenderPass make_deferred_pass(struct vt *vt)
{
    VkAttachmentDescription attachments[ATTACHMENTS];
    for (int i = 0; i < ATTACHMENTS; i++) {
        attachments[i] = (VkAttachmentDescription){
            .format = deferred_formats[i],
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = i == SHADED ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = i == SHADED ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .finalLayout = i == SHADED  ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
                           : i == DEPTH ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
                                        : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    }
    const VkAttachmentReference written[3] = {{ALBEDO, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                              {NORMAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                              {MATERIAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}};
    const VkAttachmentReference depth = {DEPTH, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference read[4] = {{ALBEDO, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                           {NORMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                           {MATERIAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                           {DEPTH, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL}};
    const VkAttachmentReference shaded = {SHADED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpasses[2] = {
        {.colorAttachmentCount = 3, .pColorAttachments = written, .pDepthStencilAttachment = &depth},
        {.colorAttachmentCount = 1,
         .pColorAttachments = &shaded,
         .inputAttachmentCount = 4,
         .pInputAttachments = read}};
    const VkSubpassDependency dependencies[2] = {
        {.srcSubpass = 0,
         .dstSubpass = 1,
         .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
         .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
         .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
         .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
         .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT},
        {.srcSubpass = 1,
         .dstSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
         .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
         .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT}};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = ATTACHMENTS,
                                   .pAttachments = attachments,
                                   .subpassCount = 2,
                                   .pSubpasses = subpasses,
                                   .dependencyCount = 2,
                                   .pDependencies = dependencies};
    VkRenderPass pass;
    VT_CHECK(vt, vkCreateRenderPass(vt->device, &info, NULL, &pass));
    vt_defer(vt, destroy_pass, (uint64_t)pass);
    return pass;
}

static struct mat4 inverse(struct mat4 m)
{
    /* Gauss and Jordan with the largest pivot. */
    struct mat4 out = identity();
    for (int i = 0; i < 4; i++) {
        int best = i;
        for (int r = i + 1; r < 4; r++)
            best = fabsf(m.at[i][r]) > fabsf(m.at[i][best]) ? r : best;
        for (int c = 0; c < 4; c++) {
            float a = m.at[c][i], b = out.at[c][i];
            m.at[c][i] = m.at[c][best], m.at[c][best] = a;
            out.at[c][i] = out.at[c][best], out.at[c][best] = b;
        }
        float pivot = m.at[i][i];
        for (int c = 0; c < 4; c++)
            m.at[c][i] /= pivot, out.at[c][i] /= pivot;
        for (int r = 0; r < 4; r++) {
            float factor = m.at[i][r];
            for (int c = 0; r != i && c < 4; c++)
                m.at[c][r] -= factor * m.at[c][i], out.at[c][r] -= factor * out.at[c][i];
        }
    }
    return out;
}

struct deferred_uniforms {
    struct mat4 from_clip;
    float eye[4], lights[48][2][4];
};

static struct deferred_uniforms deferred_uniforms(struct mat4 camera, struct vec3 eye)
{
    struct deferred_uniforms uniforms = {.from_clip = inverse(camera), .eye = {eye.x, eye.y, eye.z, 1}};
    for (int i = 0; i < LIGHTS; i++) {
        float around = (float)i * 2.4f, far = 0.9f * sqrtf((float)i + 0.5f);
        struct vec3 color = scaled(scene_hue((float)i / LIGHTS * 3, 0.9f, 1), 1.7f);
        const float rows[2][4] = {{far * cosf(around), 0.55f + 0.35f * sinf((float)i), far * sinf(around), 2.2f},
                                  {color.x, color.y, color.z, 0}};
        memcpy(uniforms.lights[i], rows, sizeof(rows));
    }
    return uniforms;
}

static void record_gbuffer(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics,
                           struct mat4 camera)
{
    const struct scene_mesh ground = scene_floor(vt), sphere = scene_sphere(vt), vase = scene_vase(vt),
                            box = scene_box(vt);
    scene_bind(commands, graphics, NULL, 0);
    scene_draw(commands, graphics, &ground, camera, stretch(9, 1, 9), v3(0.8f, 0.8f, 0.8f), 1);
    for (int z = -3; z <= 3; z++) {
        for (int x = -3; x <= 3; x++) {
            struct mat4 at = move(v3((float)x * 1.6f, 0, (float)z * 1.6f));
            switch ((x + z * 3 + 30) % 3) {
            case 0:
                scene_draw(commands, graphics, &sphere, camera,
                           mul(at, mul(move(v3(0, 0.45f, 0)), stretch(0.45f, 0.45f, 0.45f))), v3(0.9f, 0.88f, 0.85f),
                           0);
                break;
            case 1:
                scene_draw(commands, graphics, &vase, camera, mul(at, stretch(0.55f, 0.55f, 0.55f)),
                           v3(0.8f, 0.75f, 0.7f), 0);
                break;
            default:
                scene_draw(commands, graphics, &box, camera,
                           mul(at, mul(move(v3(0, 0.35f, 0)),
                                       mul(turn(v3(0, 1, 0), (float)(x * 2 + z)), stretch(0.35f, 0.35f, 0.35f)))),
                           v3(0.75f, 0.78f, 0.85f), 0);
            }
        }
    }
}

static void draw_deferred(struct vt *vt, uint8_t *rgba_out)
{
    struct vt_target target = vt_empty_target(SCENE_WIDTH, SCENE_HEIGHT, VK_SAMPLE_COUNT_1_BIT), shaded = target;
    vt_add_color(vt, &target, deferred_formats[ALBEDO]);
    vt_add_color(vt, &target, deferred_formats[NORMAL]);
    vt_add_color(vt, &target, deferred_formats[MATERIAL]);
    vt_add_depth(vt, &target, deferred_formats[DEPTH]);
    vt_add_color(vt, &shaded, deferred_formats[SHADED]);
    const VkImageView views[ATTACHMENTS] = {target.color_views[ALBEDO], target.color_views[NORMAL],
                                            target.color_views[MATERIAL], target.depth_view, shaded.color_views[0]};
    VkRenderPass pass = make_deferred_pass(vt);
    VkFramebuffer framebuffer;
    VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                    .renderPass = pass,
                                    .attachmentCount = ATTACHMENTS,
                                    .pAttachments = views,
                                    .width = SCENE_WIDTH,
                                    .height = SCENE_HEIGHT,
                                    .layers = 1};
    VT_CHECK(vt, vkCreateFramebuffer(vt->device, &info, NULL, &framebuffer));
    vt_defer(vt, destroy_framebuffer, (uint64_t)framebuffer);

    const struct vec3 eye = v3(2.4f, 4.2f, 6.6f);
    const struct mat4 camera = scene_camera(eye, v3(0, 0, 0), 0.85f);
    const struct deferred_uniforms uniforms = deferred_uniforms(camera, eye);
    struct vt_buffer buffer = vt_buffer(vt, sizeof(uniforms), &uniforms);
    struct vt_binding bindings[5];
    for (int i = 0; i < 4; i++)
        bindings[i] = (struct vt_binding){.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                                          .image = {VK_NULL_HANDLE, views[i],
                                                    i == DEPTH ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
                                                               : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
    bindings[4] = (struct vt_binding)VT_UNIFORM_BUFFER(buffer);
    struct vt_set set = vt_set(vt, bindings, 5);

    struct vt_graphics first, second;
    scene_graphics(&first, &target, scene_mesh_vert_code, VT_SPIRV(scene_gbuffer_frag));
    first.pass = pass;
    scene_pipeline(vt, &first, &target, NULL, 0);
    scene_screen_graphics(&second, &shaded, VT_SPIRV(scene_deferred_frag));
    second.pass = pass;
    second.subpass = 1;
    second.fragment_constants = VT_CONSTANTS(LIGHTS);
    scene_pipeline(vt, &second, &shaded, &set, 1);

    VkCommandBuffer commands = vt_begin(vt);
    const VkClearValue clears[ATTACHMENTS] = {[DEPTH].depthStencil = {1, 0}};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = pass,
                                   .framebuffer = framebuffer,
                                   .renderArea = {{0, 0}, {SCENE_WIDTH, SCENE_HEIGHT}},
                                   .clearValueCount = ATTACHMENTS,
                                   .pClearValues = clears};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    record_gbuffer(vt, commands, &first, camera);
    vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
    scene_bind(commands, &second, &set, 1);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
    shaded.colors[0].layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    scene_finish(vt, commands, &shaded.colors[0], rgba_out);
}

/* ---- volumes ---- */

/* The prism that a triangle that faces the light hides: its two ends and three sides, all facing outwards. Returns
 * the number of points. */
static uint32_t add_prism(struct vec3 *out, const struct vec3 near[3], struct vec3 light)
{
    struct vec3 far[3];
    for (int i = 0; i < 3; i++)
        far[i] = add(near[i], scaled(unit(minus(near[i], light)), 9));
    if (dot(cross(minus(near[1], near[0]), minus(near[2], near[0])), minus(light, near[0])) <= 0)
        return 0;
    uint32_t count = 0;
    for (int i = 0; i < 3; i++) {
        out[count++] = near[i];
        out[count + 2] = far[2 - i];
    }
    count += 3;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        const struct vec3 side[6] = {near[j], near[i], far[i], near[j], far[i], far[j]};
        memcpy(out + count, side, sizeof(side));
        count += 6;
    }
    return count;
}

static struct vec3 transformed(struct mat4 m, struct vec3 p)
{
    return v3(m.at[0][0] * p.x + m.at[1][0] * p.y + m.at[2][0] * p.z + m.at[3][0],
              m.at[0][1] * p.x + m.at[1][1] * p.y + m.at[2][1] * p.z + m.at[3][1],
              m.at[0][2] * p.x + m.at[1][2] * p.y + m.at[2][2] * p.z + m.at[3][2]);
}

static uint32_t add_volume(struct vec3 *out, const struct placed *object, struct vec3 light)
{
    const uint16_t *index = object->mesh->indices.map;
    const struct scene_vertex *vertices = object->mesh->vertices.map;
    uint32_t count = 0;
    for (uint32_t i = 0; i < object->mesh->index_count; i += 3) {
        struct vec3 corners[3];
        for (int n = 0; n < 3; n++)
            corners[n] = transformed(object->model, vertices[index[i + n]].position);
        count += add_prism(out + count, corners, light);
    }
    return count;
}

static struct vec3 coarse_ring(float u, float v)
{
    float around = u * 2 * PI, ring = v * 2 * PI, far = 1 + 0.3f * cosf(ring);
    return v3(far * sinf(around), 0.3f * sinf(ring), far * cosf(around));
}

/* Shadows counted in the stencil where volumes are behind what is seen: in at front faces, out at back faces. The upper
 * bit marks the object that gets an outline. */
static void draw_volumes(struct vt *vt, uint8_t *rgba_out)
{
    const struct vec3 eye = v3(1.5f, 3.4f, 6.4f), light = v3(-2.6f, 5.2f, 2);
    const struct scene_mesh ground = scene_floor(vt), box = scene_box(vt), ring = scene_grid(vt, 24, 10, coarse_ring);
    const struct placed objects[] = {
        {&ring, mul(move(v3(-1.3f, 1.5f, 0.2f)), turn(unit(v3(1, 0.3f, 0)), 1.1f)), v3(0.2f, 0.5f, 0.8f), 0},
        {&box, mul(move(v3(1.4f, 1.1f, 0.6f)), mul(turn(unit(v3(1, 1, 0.3f)), 0.8f), stretch(0.55f, 0.55f, 0.55f))),
         v3(0.85f, 0.3f, 0.2f), 0},
        {&box, mul(move(v3(0.1f, 0.35f, 1.8f)), mul(turn(v3(0, 1, 0), 0.3f), stretch(0.35f, 0.35f, 0.35f))),
         v3(0.9f, 0.75f, 0.3f), 0},
        {&box, mul(move(v3(2.6f, 1, -1.9f)), stretch(0.3f, 1, 0.3f)), v3(0.6f, 0.6f, 0.62f), 0},
        {&ground, stretch(9, 1, 9), v3(0.6f, 0.42f, 0.28f), 1}};
    const uint32_t casters = COUNT_OF(objects) - 1;
    uint32_t triangles = 0, points = 0;
    for (uint32_t i = 0; i < casters; i++)
        triangles += objects[i].mesh->index_count / 3;
    struct vt_buffer volumes = vt_buffer(vt, triangles * 24 * sizeof(struct vec3), NULL);
    for (uint32_t i = 0; i < casters; i++)
        points += add_volume((struct vec3 *)volumes.map + points, &objects[i], light);

    const float uniforms[2][4] = {{eye.x, eye.y, eye.z, 1}, {light.x, light.y, light.z, 1}};
    struct vt_buffer buffer = vt_buffer(vt, sizeof(uniforms), uniforms);
    struct vt_set set = vt_set(vt, (struct vt_binding[]){VT_UNIFORM_BUFFER(buffer)}, 1);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT_S8_UINT);
    struct vt_graphics passes[3], volume;
    for (int i = 0; i < 3; i++) {
        scene_graphics(&passes[i], &target, scene_mesh_vert_code, VT_SPIRV(scene_stencil_frag));
        passes[i].fragment_constants = vt_constants(&(struct vt_constants){.values = {0}}, 1, &(int32_t){i});
        passes[i].depth.stencilTestEnable = VK_TRUE;
        if (i == 0) {
            vt_add_dynamic(&passes[i], VK_DYNAMIC_STATE_STENCIL_REFERENCE);
            passes[i].depth.front = passes[i].depth.back = (VkStencilOpState){
                .passOp = VK_STENCIL_OP_REPLACE, .compareOp = VK_COMPARE_OP_ALWAYS, .writeMask = 0x80};
        } else if (i == 1) {
            passes[i].depth.depthWriteEnable = VK_FALSE;
            passes[i].depth.depthCompareOp = VK_COMPARE_OP_EQUAL;
            passes[i].depth.front = passes[i].depth.back =
                (VkStencilOpState){.compareOp = VK_COMPARE_OP_EQUAL, .compareMask = 0x7f};
            scene_blend(&passes[i], VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE);
        } else {
            passes[i].depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
            passes[i].depth.front = passes[i].depth.back =
                (VkStencilOpState){.compareOp = VK_COMPARE_OP_NOT_EQUAL, .compareMask = 0x80, .reference = 0x80};
        }
        scene_pipeline(vt, &passes[i], &target, &set, 1);
    }
    vt_graphics_init(&volume, &target, VT_SPIRV(scene_volume_shadow_vert), (struct vt_spirv){0});
    vt_add_binding(&volume, sizeof(struct vec3), VK_VERTEX_INPUT_RATE_VERTEX);
    vt_add_attribute(&volume, VK_FORMAT_R32G32B32_SFLOAT, 0);
    volume.blends[0].colorWriteMask = 0;
    volume.raster.depthBiasEnable = VK_TRUE; /* a volume begins behind the surface that casts it */
    volume.raster.depthBiasConstantFactor = 16;
    volume.raster.depthBiasSlopeFactor = 1;
    volume.depth.depthTestEnable = volume.depth.stencilTestEnable = VK_TRUE;
    volume.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    volume.depth.front = (VkStencilOpState){
        .depthFailOp = VK_STENCIL_OP_DECREMENT_AND_WRAP, .compareOp = VK_COMPARE_OP_ALWAYS, .writeMask = 0x7f};
    volume.depth.back = (VkStencilOpState){
        .depthFailOp = VK_STENCIL_OP_INCREMENT_AND_WRAP, .compareOp = VK_COMPARE_OP_ALWAYS, .writeMask = 0x7f};
    scene_pipeline(vt, &volume, &target, NULL, 0);

    const struct mat4 camera = scene_camera(eye, v3(0.2f, 0.6f, 0), 0.75f);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.03f, 0.04f, 0.07f), v3(0.12f, 0.1f, 0.1f));
    scene_bind(commands, &passes[0], &set, 1);
    for (uint32_t i = 0; i < COUNT_OF(objects); i++) {
        vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, i == 1 ? 0x80 : 0);
        draw_all(commands, &passes[0], camera, &objects[i], 1);
    }
    scene_bind(commands, &volume, NULL, 0);
    vt_push(commands, &volume, &camera, sizeof(camera));
    vkCmdBindVertexBuffers(commands, 0, 1, &volumes.buffer, &(VkDeviceSize){0});
    vkCmdDraw(commands, points, 1, 0, 0);
    scene_bind(commands, &passes[1], &set, 1);
    draw_all(commands, &passes[1], camera, objects, COUNT_OF(objects));
    scene_bind(commands, &passes[2], &set, 1);
    struct placed outlined = objects[1];
    outlined.model = mul(outlined.model, stretch(1.09f, 1.09f, 1.09f));
    draw_all(commands, &passes[2], camera, &outlined, 1);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

const struct scene scene_light_table[] = {
    {"knot", "indexed mesh, depth test, uniform buffer, three lights", draw_knot},
    {"shadow", "shadow map: depth-only pass with bias, compare sampler with filter", draw_shadow},
    {"mirror", "cube map drawn by multiview, its levels by blits, skybox at depth 1", draw_mirror},
    {"deferred", "two subpasses, four input attachments (depth and integers too), 36 lights", draw_deferred},
    {"volumes", "two-sided stencil that wraps, masks, equal depth, an outline", draw_volumes},
    {0},
};
