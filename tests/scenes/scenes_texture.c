/* Scenes of textures: filters on a floor, arrays of descriptors, compressed blocks, Y'CbCr, volumes. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "scene_block.h"

#include "scene_blocks_frag.h"
#include "scene_floor_frag.h"
#include "scene_gallery_bindless_frag.h"
#include "scene_gallery_frag.h"
#include "scene_gallery_vert.h"
#include "scene_march_frag.h"
#include "scene_video_conversion_frag.h"
#include "scene_video_frag.h"

/* A texture's colour for u and v from 0 to 1. */
typedef void (*paint)(float u, float v, float rgba_out[4], int which);

static void set_texel(float rgba[4], struct vec3 color, float alpha)
{
    rgba[0] = color.x;
    rgba[1] = color.y;
    rgba[2] = color.z;
    rgba[3] = alpha;
}

static struct vec3 mix_colors(struct vec3 a, struct vec3 b, float t)
{
    return add(scaled(a, 1 - t), scaled(b, t));
}

static float smooth(float from, float to, float x)
{
    float t = (x - from) / (to - from);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

static struct vt_image painted(struct vt *vt, uint32_t size, bool mip_mapped, paint paint, int which)
{
    uint8_t *texels = malloc((size_t)size * size * 4), *at = texels;
    for (uint32_t y = 0; y < size; y++) {
        for (uint32_t x = 0; x < size; x++) {
            float color[4];
            paint(((float)x + 0.5f) / (float)size, ((float)y + 0.5f) / (float)size, color, which);
            for (int c = 0; c < 4; c++)
                *at++ = scene_byte(color[c]);
        }
    }
    struct vt_image image = scene_texture(vt, VK_FORMAT_R8G8B8A8_SRGB, size, size, mip_mapped, texels);
    free(texels);
    return image;
}

/* ---- floor ---- */

static void paint_tiles(float u, float v, float rgba[4], int which)
{
    float x = u * 4, y = v * 4, fx = x - floorf(x) - 0.5f, fy = y - floorf(y) - 0.5f;
    int tile = (int)x * 3 + (int)y * 5;
    float far = sqrtf(fx * fx + fy * fy), edge = fmaxf(fabsf(fx), fabsf(fy));
    struct vec3 base = (tile & 1) ? v3(0.93f, 0.88f, 0.76f) : scene_hue((float)(tile % 7) / 7, 0.6f, 0.55f);
    struct vec3 dot_color = (tile & 1) ? v3(0.72f, 0.25f, 0.18f) : v3(0.95f, 0.85f, 0.5f);
    base = mix_colors(base, dot_color, 1 - smooth(0.2f, 0.24f, fabsf(far - 0.12f) * 2.2f));
    base = mix_colors(base, v3(0.12f, 0.1f, 0.1f), smooth(0.455f, 0.475f, edge));
    set_texel(rgba, base, 1);
}

static void draw_floor(struct vt *vt, uint8_t *rgba_out)
{
    struct vt_image tiles = painted(vt, 256, true, paint_tiles, 0);
    VkDescriptorImageInfo samplers[3];
    for (int i = 0; i < 3; i++) {
        samplers[i].sampler = vt_sampler(
            vt, (VkSamplerCreateInfo){.magFilter = VK_FILTER_LINEAR,
                                      .minFilter = VK_FILTER_LINEAR,
                                      .mipmapMode = i ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                      .anisotropyEnable = i == 2,
                                      .maxAnisotropy = i == 2 ? 8 : 1,
                                      .maxLod = VK_LOD_CLAMP_NONE});
    }
    struct vt_set set = vt_set(
        vt,
        (struct vt_binding[]){{.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                               .image = {VK_NULL_HANDLE, vt_view(vt, &tiles, VK_IMAGE_VIEW_TYPE_2D), tiles.layout}},
                              {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .count = 3, .images = samplers}},
        2);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D16_UNORM);
    struct scene_mesh ground = scene_floor(vt);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, scene_mesh_vert_code, VT_SPIRV(scene_floor_frag));
    scene_pipeline(vt, &graphics, &target, &set, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.12f, 0.2f, 0.42f), v3(0.62f, 0.55f, 0.55f));
    scene_bind(commands, &graphics, &set, 1);
    scene_draw(commands, &graphics, &ground, scene_camera(v3(0, 1.7f, 9), v3(0.5f, 0.4f, 0), 0.8f), stretch(50, 1, 50),
               v3(0.42f, 0.42f, 0.5f), 1);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- gallery ---- */

#define PICTURES 24

static void paint_picture(float u, float v, float rgba[4], int which)
{
    float x = u * 2 - 1, y = v * 2 - 1, far = sqrtf(x * x + y * y), angle = atan2f(y, x), value;
    switch (which % 6) {
    case 0: /* a flower */
        value = smooth(0.05f, -0.05f, far - 0.55f - 0.25f * cosf(angle * (float)(5 + which / 6)));
        break;
    case 1: /* waves */
        value = 0.5f + 0.5f * sinf(y * 14 + 2.5f * sinf(x * (3 + (float)which / 6)));
        break;
    case 2: /* rings */
        value = 0.5f + 0.5f * cosf(far * (12 + (float)which));
        break;
    case 3: /* clouds */
        value = smooth(0.3f, 0.7f, scene_fractal(u, v, 4, 4, (uint32_t)which));
        break;
    case 4: /* a chequer that turns */
        value = smooth(-0.2f, 0.2f, sinf(x * 8 + y * (float)(which - 12)) * sinf(y * 8 - x * (float)(which - 12)));
        break;
    default: /* a spiral */
        value = 0.5f + 0.5f * sinf(angle * 2 + far * (8 + (float)which / 3));
    }
    float hue = (float)which * 0.38f;
    set_texel(rgba, mix_colors(scene_hue(hue, 0.55f, 0.95f), scene_hue(hue + 0.45f, 0.8f, 0.35f), value), 1);
}

static void draw_gallery(struct vt *vt, uint8_t *rgba_out)
{
    const bool bindless =
        vt->features12.shaderSampledImageArrayNonUniformIndexing && vt->features12.runtimeDescriptorArray;
    VkSampler sampler = scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT);
    VkDescriptorImageInfo pictures[PICTURES];
    for (int i = 0; i < PICTURES; i++) {
        struct vt_image image = painted(vt, 64, true, paint_picture, i);
        pictures[i] = (VkDescriptorImageInfo){sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D), image.layout};
    }
    struct vt_set set =
        vt_set(vt,
               (struct vt_binding[]){
                   {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .count = PICTURES, .images = pictures}},
               1);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D16_UNORM);
    struct scene_mesh card = scene_grid(vt, 8, 1, scene_flat);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, VT_SPIRV(scene_gallery_vert),
                   bindless ? VT_SPIRV(scene_gallery_bindless_frag) : VT_SPIRV(scene_gallery_frag));
    graphics.raster.cullMode = VK_CULL_MODE_NONE;
    scene_pipeline(vt, &graphics, &target, &set, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.16f, 0.14f, 0.12f), v3(0.42f, 0.34f, 0.26f));
    scene_bind(commands, &graphics, &set, 1);
    struct mat4 camera = scene_camera(v3(-0.9f, 0.3f, 9.6f), v3(0.1f, 0, 0), 0.62f);
    vt_push(commands, &graphics, &camera, sizeof(camera));
    scene_draw_mesh(commands, &card, PICTURES);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- blocks ---- */

static void brick(float u, float v, struct vec3 *color, float *height)
{
    float y = v * 8, row = floorf(y), x = u * 4 + ((int)row & 1 ? 0.5f : 0), column = floorf(x);
    float fx = fabsf(x - column - 0.5f) * 2, fy = fabsf(y - row - 0.5f) * 2;
    float grain = scene_fractal(u, v, 8, 3, 5), inside = smooth(1, 0.86f, fx) * smooth(1, 0.75f, fy);
    float tint = scene_noise((column - 4 * floorf(column / 4)) / 4 + 0.01f, row / 8 + 0.01f, 16, 9);
    *color =
        mix_colors(v3(0.42f, 0.4f, 0.37f), mix_colors(v3(0.5f, 0.16f, 0.1f), v3(0.75f, 0.38f, 0.22f), tint), inside);
    *color = scaled(*color, 0.75f + 0.5f * grain);
    *height = inside + 0.25f * grain;
}

static void paint_block(float u, float v, float rgba[4], int which)
{
    struct vec3 color, ignored;
    float height, right, below;
    switch (which) {
    case 0: /* BC1: bricks */
        brick(u, v, &color, &height);
        set_texel(rgba, color, 1);
        break;
    case 1: { /* BC3: a lattice of brass */
        float x = fabsf(sinf((u + v) * 2 * PI * 2)), y = fabsf(sinf((u - v) * 2 * PI * 2));
        float bar = fminf(x, y), round = 1 - smooth(0, 0.38f, bar);
        set_texel(rgba, mix_colors(v3(0.35f, 0.22f, 0.08f), v3(0.95f, 0.78f, 0.4f), round),
                  1 - smooth(0.3f, 0.46f, bar));
        break;
    }
    case 2: { /* BC4: marble */
        float turned = scene_fractal(u, v, 4, 4, 3);
        float vein = 0.5f + 0.5f * sinf((u + 2 * v) * 2 * PI + turned * 9);
        set_texel(rgba, v3(powf(vein, 0.6f), 0, 0), 1);
        break;
    }
    case 3: /* BC5: the bricks' normals */
        brick(u, v, &color, &height);
        brick(u + 1.f / 256, v, &ignored, &right);
        brick(u, v + 1.f / 256, &ignored, &below);
        set_texel(rgba, v3(0.5f + (height - right) * 1.2f, 0.5f - (height - below) * 1.2f, 0), 1);
        break;
    case 4: { /* BC6H: a sun */
        float x = u * 2 - 1, y = v * 2 - 1, far = sqrtf(x * x + y * y), angle = atan2f(y, x);
        float rays = 0.5f + 0.5f * cosf(angle * 12);
        float light = 5 * expf(-far * far * 60) + (0.12f + 0.5f * rays) * expf(-far * 3.6f);
        set_texel(rgba, add(scaled(v3(1, 0.62f, 0.2f), light), v3(0.03f, 0.06f, 0.16f)), 1);
        break;
    }
    default: /* BC7: a picture */
        paint_picture(u, v, rgba, 11);
    }
}

static struct vt_image block_texture(struct vt *vt, VkFormat format, uint32_t size, int which)
{
    uint32_t levels = 1, block_B = vt_format(format)->texel_B;
    while (size >> levels >= 4)
        levels++;
    struct vt_image image = vt_image(
        vt,
        &(struct vt_image_info){
            .format = format, .width = size, .height = size, .levels = levels, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t across = (size >> level) / 4;
        uint8_t *blocks = malloc((size_t)across * across * block_B);
        for (uint32_t b = 0; b < across * across; b++) {
            float texels[16][4];
            for (uint32_t i = 0; i < 16; i++) {
                float u = ((float)(b % across * 4 + i % 4) + 0.5f) / (float)(across * 4);
                float v = ((float)(b / across * 4 + i / 4) + 0.5f) / (float)(across * 4);
                paint_block(u, v, texels[i], which);
            }
            uint8_t *out = blocks + (size_t)b * block_B;
            const float(*in)[4] = (const float(*)[4])texels;
            switch (which) {
            case 0:
                block_bc1(in, out);
                break;
            case 1:
                block_bc3(in, out);
                break;
            case 2:
                block_bc4(in, 0, out);
                break;
            case 3:
                block_bc5(in, out);
                break;
            case 4:
                block_bc6h(in, out);
                break;
            default:
                block_bc7(in, out);
            }
        }
        vt_upload(vt, &image, level, blocks, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        free(blocks);
    }
    return image;
}

static void draw_blocks(struct vt *vt, uint8_t *rgba_out)
{
    static const VkFormat formats[6] = {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, VK_FORMAT_BC3_UNORM_BLOCK,
                                        VK_FORMAT_BC4_UNORM_BLOCK,     VK_FORMAT_BC5_UNORM_BLOCK,
                                        VK_FORMAT_BC6H_UFLOAT_BLOCK,   VK_FORMAT_BC7_SRGB_BLOCK};
    if (!vt->features.features.textureCompressionBC)
        vt_skip(vt, "no BC textures");
    VkSampler sampler = scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_REPEAT);
    struct vt_binding bindings[6];
    for (int i = 0; i < 6; i++) {
        struct vt_image image = block_texture(vt, formats[i], 128, i);
        bindings[i] = (struct vt_binding)VT_SAMPLED(sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D));
    }
    struct vt_set set = vt_set(vt, bindings, 6);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, scene_mesh_vert_code, VT_SPIRV(scene_blocks_frag));
    graphics.raster.cullMode = VK_CULL_MODE_NONE;
    scene_pipeline(vt, &graphics, &target, &set, 1);
    const struct scene_mesh sphere = scene_sphere(vt), ground = scene_floor(vt), box = scene_box(vt),
                            vase = scene_vase(vt);
    const struct mat4 camera = scene_camera(v3(0, 1.4f, 5.6f), v3(0, 0.7f, 0), 0.75f);
    const struct mat4 upright = turn(v3(1, 0, 0), PI / 2);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_bind(commands, &graphics, &set, 1);
    scene_draw(commands, &graphics, &ground, camera, mul(move(v3(0, 2, -6)), mul(upright, stretch(7, 1, 7))),
               v3(0, 0, 0), 3);
    scene_draw(commands, &graphics, &ground, camera, stretch(8, 1, 6), v3(0, 0, 0), 2);
    scene_draw(commands, &graphics, &sphere, camera, mul(move(v3(-1.5f, 0.95f, 0)), stretch(0.95f, 0.95f, 0.95f)),
               v3(0, 0, 0), 0);
    scene_draw(commands, &graphics, &box, camera,
               mul(move(v3(1.7f, 0.7f, 0.3f)), mul(turn(v3(0, 1, 0), 0.6f), stretch(0.7f, 0.7f, 0.7f))), v3(0, 0, 0),
               4);
    scene_draw(commands, &graphics, &vase, camera, mul(move(v3(0.2f, 0, 1.2f)), stretch(0.75f, 0.75f, 0.75f)),
               v3(0, 0, 0), 1);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- video ---- */

#define VIDEO_WIDTH 256
#define VIDEO_HEIGHT 192

/* A test card as a camera would send it: Y', Cb and Cr of BT.709 in the narrow range, colour at half the size. */
static struct vec3 card_color(float u, float v)
{
    float x = (u - 0.5f) * 4 / 3, y = v - 0.5f, far = sqrtf(x * x + y * y);
    struct vec3 back =
        mix_colors(v3(0.18f, 0.2f, 0.24f), v3(0.3f, 0.32f, 0.36f), smooth(-0.1f, 0.1f, sinf(u * 50) * sinf(v * 38)));
    struct vec3 inside;
    if (y < -0.16f)
        inside = scene_hue(floorf(u * 10) / 10 * 1.3f, 0.75f, 0.9f);
    else if (y < 0.08f)
        inside = scene_hue(u, 0.7f, 0.35f + 0.6f * smooth(-0.16f, 0.08f, y));
    else
        inside = mix_colors(v3(0.05f, 0.05f, 0.06f), v3(0.95f, 0.93f, 0.9f), u);
    float ring = smooth(0.02f, 0.01f, fabsf(far - 0.42f));
    return mix_colors(mix_colors(back, inside, smooth(0.425f, 0.415f, far)), v3(0.95f, 0.95f, 0.9f), ring);
}

static void make_planes(uint8_t *luma, uint8_t *blue, uint8_t *red)
{
    for (int y = 0; y < VIDEO_HEIGHT; y++) {
        for (int x = 0; x < VIDEO_WIDTH; x++) {
            struct vec3 c = card_color(((float)x + 0.5f) / VIDEO_WIDTH, ((float)y + 0.5f) / VIDEO_HEIGHT);
            luma[y * VIDEO_WIDTH + x] = (uint8_t)(16.5f + 219 * (0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z));
        }
    }
    for (int y = 0; y < VIDEO_HEIGHT / 2; y++) {
        for (int x = 0; x < VIDEO_WIDTH / 2; x++) {
            struct vec3 c = card_color(((float)x + 0.5f) / VIDEO_WIDTH * 2, ((float)y + 0.5f) / VIDEO_HEIGHT * 2);
            float bright = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
            blue[y * VIDEO_WIDTH / 2 + x] = (uint8_t)(128.5f + 224 * (c.z - bright) / 1.8556f);
            red[y * VIDEO_WIDTH / 2 + x] = (uint8_t)(128.5f + 224 * (c.x - bright) / 1.5748f);
        }
    }
}

static void destroy_conversion(struct vt *vt, uint64_t handle)
{
    vkDestroySamplerYcbcrConversion(vt->device, (VkSamplerYcbcrConversion)handle, NULL);
}

static void destroy_set_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorSetLayout(vt->device, (VkDescriptorSetLayout)handle, NULL);
}

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorPool(vt->device, (VkDescriptorPool)handle, NULL);
}

static void upload_planes(struct vt *vt, struct vt_image *image, const uint8_t *planes, const size_t offsets_B[3])
{
    struct vt_buffer buffer = vt_buffer(vt, VIDEO_WIDTH * VIDEO_HEIGHT * 3 / 2, planes);
    VkBufferImageCopy regions[3];
    for (uint32_t i = 0; i < 3; i++)
        regions[i] = (VkBufferImageCopy){.bufferOffset = offsets_B[i],
                                         .imageSubresource = {VK_IMAGE_ASPECT_PLANE_0_BIT << i, 0, 0, 1},
                                         .imageExtent = {VIDEO_WIDTH >> (i != 0), VIDEO_HEIGHT >> (i != 0), 1}};
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, buffer.buffer, image->image, image->layout, 3, regions);
    vt_to_layout(commands, image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_submit(vt, commands);
}

/* The set of an image of three planes with an immutable sampler that converts. */
static struct vt_set conversion_set(struct vt *vt, const uint8_t *planes, const size_t offsets_B[3])
{
    VkSamplerYcbcrConversionCreateInfo conversion_info = {.sType =
                                                              VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
                                                          .format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM,
                                                          .ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709,
                                                          .ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW,
                                                          .xChromaOffset = VK_CHROMA_LOCATION_MIDPOINT,
                                                          .yChromaOffset = VK_CHROMA_LOCATION_MIDPOINT,
                                                          .chromaFilter = VK_FILTER_LINEAR};
    VkSamplerYcbcrConversion conversion;
    VT_CHECK(vt, vkCreateSamplerYcbcrConversion(vt->device, &conversion_info, NULL, &conversion));
    vt_defer(vt, destroy_conversion, (uint64_t)conversion);
    const VkSamplerYcbcrConversionInfo chain = {.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO,
                                                .conversion = conversion};
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.pNext = &chain,
                                                             .magFilter = VK_FILTER_LINEAR,
                                                             .minFilter = VK_FILTER_LINEAR,
                                                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                             .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE});
    struct vt_image image =
        vt_image_2d(vt, conversion_info.format, VIDEO_WIDTH, VIDEO_HEIGHT, VK_IMAGE_USAGE_SAMPLED_BIT);
    upload_planes(vt, &image, planes, offsets_B);
    VkImageView view =
        vt_view_of(vt, &image, (VkImageViewCreateInfo){.pNext = &chain, .viewType = VK_IMAGE_VIEW_TYPE_2D});

    struct vt_set made;
    VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                            VK_SHADER_STAGE_FRAGMENT_BIT, &sampler};
    VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &layout, NULL, &made.layout));
    vt_defer(vt, destroy_set_layout, (uint64_t)made.layout);
    /* A descriptor of three planes may count as three. */
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &made.layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &allocate, &made.set));
    VkDescriptorImageInfo info = {sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = made.set,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                  .pImageInfo = &info};
    vkUpdateDescriptorSets(vt->device, 1, &write, 0, NULL);
    return made;
}

static struct vt_set plane_set(struct vt *vt, const uint8_t *planes, const size_t offsets_B[3])
{
    VkSampler sampler = scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    struct vt_binding bindings[3];
    for (int i = 0; i < 3; i++) {
        struct vt_image image = scene_texture(vt, VK_FORMAT_R8_UNORM, VIDEO_WIDTH >> (i != 0), VIDEO_HEIGHT >> (i != 0),
                                              false, planes + offsets_B[i]);
        bindings[i] = (struct vt_binding)VT_SAMPLED(sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D));
    }
    return vt_set(vt, bindings, 3);
}

static struct vec3 screen_at(float u, float v)
{
    float x = u * 2 - 1, y = v * 2 - 1;
    return v3(x * 1.6f, y * 1.2f, -0.14f * (x * x + y * y));
}

static void draw_video(struct vt *vt, uint8_t *rgba_out)
{
    static uint8_t planes[VIDEO_WIDTH * VIDEO_HEIGHT * 3 / 2];
    static const size_t offsets_B[3] = {0, VIDEO_WIDTH * VIDEO_HEIGHT, VIDEO_WIDTH * VIDEO_HEIGHT * 5 / 4};
    const bool conversion = vt->features11.samplerYcbcrConversion;
    make_planes(planes, planes + offsets_B[1], planes + offsets_B[2]);
    struct vt_set set = conversion ? conversion_set(vt, planes, offsets_B) : plane_set(vt, planes, offsets_B);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D16_UNORM);
    struct scene_mesh screen = scene_grid(vt, 16, 12, screen_at);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, scene_mesh_vert_code,
                   conversion ? VT_SPIRV(scene_video_conversion_frag) : VT_SPIRV(scene_video_frag));
    scene_pipeline(vt, &graphics, &target, &set, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.02f, 0.02f, 0.025f), v3(0.1f, 0.08f, 0.07f));
    scene_bind(commands, &graphics, &set, 1);
    scene_draw(commands, &graphics, &screen, scene_camera(v3(0.6f, 0.4f, 5), v3(0, 0, 0), 0.56f),
               turn(v3(0, 1, 0), 0.35f), v3(1, 1, 1), 1);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- volume ---- */

#define VOXELS 40

static void draw_volume(struct vt *vt, uint8_t *rgba_out)
{
    static uint16_t voxels[VOXELS][VOXELS][VOXELS];
    for (int z = 0; z < VOXELS; z++) {
        for (int y = 0; y < VOXELS; y++) {
            for (int x = 0; x < VOXELS; x++) {
                float px = ((float)x + 0.5f) / VOXELS * 2 - 1, py = ((float)y + 0.5f) / VOXELS * 2 - 1,
                      pz = ((float)z + 0.5f) / VOXELS * 2 - 1, sum = 0;
                for (int i = 0; i < 7; i++) {
                    float a = (float)i * 2.4f, cx = 0.5f * cosf(a), cy = ((float)i - 3) * 0.17f, cz = 0.5f * sinf(a);
                    float far = (px - cx) * (px - cx) + (py - cy) * (py - cy) + (pz - cz) * (pz - cz);
                    sum += 1.1f * expf(-far * 14);
                }
                float ring = sqrtf(px * px + pz * pz) - 0.78f;
                sum += 0.8f * expf(-(ring * ring + py * py) * 130);
                voxels[z][y][x] = (uint16_t)(fminf(sum, 1) * 65535);
            }
        }
    }
    struct vt_image density = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R16_UNORM,
                                                                   .type = VK_IMAGE_TYPE_3D,
                                                                   .width = VOXELS,
                                                                   .height = VOXELS,
                                                                   .depth = VOXELS,
                                                                   .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    vt_upload(vt, &density, 0, voxels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    struct vt_set set =
        vt_set(vt,
               (struct vt_binding[]){VT_SAMPLED(scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                                                vt_view(vt, &density, VK_IMAGE_VIEW_TYPE_3D))},
               1);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, 0);
    struct scene_mesh box = scene_box(vt);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, scene_mesh_vert_code, VT_SPIRV(scene_march_frag));
    graphics.raster.cullMode = VK_CULL_MODE_FRONT_BIT;
    graphics.fragment_constants = VT_CONSTANTS(56);
    scene_blend(&graphics, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
    scene_pipeline(vt, &graphics, &target, &set, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.01f, 0.012f, 0.03f), v3(0.06f, 0.05f, 0.11f));
    scene_bind(commands, &graphics, &set, 1);
    scene_draw(commands, &graphics, &box, scene_camera(v3(1.6f, 1.3f, 3.4f), v3(0, 0, 0), 0.52f), identity(),
               v3(1, 1, 1), 1);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

const struct scene scene_texture_table[] = {
    {"floor", "levels by blits; nearest level, blended levels and anisotropy beside each other", draw_floor, 0.06,
     "which samples an anisotropic filter takes is left to the implementation"},
    {"gallery", "an array of textures, another index in each quarter of a quad", draw_gallery},
    {"blocks", "BC1, BC3, BC4, BC5, BC6H and BC7 with their levels, discard", draw_blocks},
    {"video", "an image of three planes through a Y'CbCr conversion", draw_video},
    {"volume", "a ray through a 3D texture: loops with breaks, discard, specialization", draw_volume},
    {0},
};
