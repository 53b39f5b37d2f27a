/* Scenes of state: what a command may change while one pipeline stays, and vertices in formats said while recording. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#include "scene_balloon_frag.h"
#include "scene_balloon_vert.h"
#include "scene_glyph_frag.h"
#include "scene_glyph_vert.h"
#include "scene_sides_frag.h"

/* ---- states ---- */

/* A panel's changes; zeros are the plain choice. */
struct panel {
    enum {
        VASE,
        SPHERES,
        RIBBONS,
        FAN,
        MASKED
    } draws;
    VkCullModeFlags cull;
    VkFrontFace front;
    VkCompareOp compare; /* 0: less */
    bool no_depth, no_write, coarse, small_scissor, discard_second, turned;
};

static const struct panel panels[12] = {
    {VASE},
    {VASE, .cull = VK_CULL_MODE_BACK_BIT},
    {VASE, .cull = VK_CULL_MODE_FRONT_BIT},
    {VASE, .front = VK_FRONT_FACE_CLOCKWISE},
    {SPHERES},
    {SPHERES, .no_depth = true},
    {SPHERES, .compare = VK_COMPARE_OP_GREATER},
    {SPHERES, .no_write = true, .discard_second = true},
    {RIBBONS},
    {FAN},
    {MASKED},
    {VASE, .coarse = true, .small_scissor = true, .turned = true},
};

struct shapes {
    struct scene_mesh vase, sphere, torus, ribbons, fan;
};

/* Strips of every other row of a torus, with a restart between them. */
static struct scene_mesh make_ribbons(struct vt *vt, const struct scene_mesh *torus)
{
    enum {
        AROUND = 56,
        RINGS = 20
    };
    uint16_t indices[RINGS / 2 * (2 * (AROUND + 1) + 1)], *at = indices;
    for (int ring = 0; ring < RINGS; ring += 2) {
        for (int i = 0; i <= AROUND; i++) {
            *at++ = (uint16_t)((ring + 1) * (AROUND + 1) + i);
            *at++ = (uint16_t)(ring * (AROUND + 1) + i);
        }
        *at++ = 0xffff;
    }
    return (struct scene_mesh){torus->vertices, vt_buffer(vt, sizeof(indices), indices), COUNT_OF(indices)};
}

static struct scene_mesh make_fan(struct vt *vt)
{
    enum {
        POINTS = 22
    };
    struct scene_vertex vertices[POINTS + 2];
    uint16_t indices[POINTS + 2];
    vertices[0] = (struct scene_vertex){v3(0, 0, 0.45f), v3(0, 0, 1), 0, 0};
    for (int i = 0; i <= POINTS; i++) {
        float angle = (float)i / POINTS * 2 * PI, far = i & 1 ? 0.6f : 1.15f;
        struct vec3 out = v3(cosf(angle), sinf(angle), 0);
        vertices[i + 1] =
            (struct scene_vertex){scaled(out, far), unit(add(scaled(out, i & 1 ? 0.3f : 0.8f), v3(0, 0, 0.6f))), 0, 0};
    }
    for (int i = 0; i < POINTS + 2; i++)
        indices[i] = (uint16_t)i;
    return (struct scene_mesh){vt_buffer(vt, sizeof(vertices), vertices), vt_buffer(vt, sizeof(indices), indices),
                               POINTS + 2};
}

static void draw_shape(VkCommandBuffer commands, const struct vt_graphics *graphics, const struct scene_mesh *mesh,
                       const struct panel *panel, struct mat4 model, struct vec3 color)
{
    static const VkPrimitiveTopology topologies[] = {
        [RIBBONS] = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, [FAN] = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN};
    VkPrimitiveTopology topology =
        panel->draws == RIBBONS || panel->draws == FAN ? topologies[panel->draws] : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    const struct mat4 camera = mul(perspective(0.62f, 1, 0.1f, 20), look(v3(0, 1.6f, 4.2f), v3(0, 0, 0), v3(0, 1, 0)));
    /* A stride of two vertices reads every other one: half of the indices reach as far. */
    const VkDeviceSize stride_B = sizeof(struct scene_vertex) * (panel->coarse ? 2 : 1);
    vkCmdSetPrimitiveTopology(commands, topology);
    vkCmdSetPrimitiveRestartEnable(commands, topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    scene_push(commands, graphics, camera, model, color, 1);
    vkCmdBindVertexBuffers2(commands, 0, 1, &mesh->vertices.buffer, &(VkDeviceSize){0}, NULL, &stride_B);
    vkCmdBindIndexBuffer(commands, mesh->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(commands, panel->coarse ? mesh->index_count / 2 / 6 * 6 : mesh->index_count, 1, 0, 0, 0);
}

static void set_states(VkCommandBuffer commands, const struct panel *panel, int place)
{
    const float x = (float)(place % 4) * 100, y = (float)(place / 4) * 100;
    const VkViewport viewport = {x + 2, y + 2, 96, 96, 0, 1}, upside_down = {x + 2, y + 98, 96, -96, 0, 1};
    const int32_t inset = panel->small_scissor ? 18 : 2;
    const VkRect2D scissor = {{(int32_t)x + inset, (int32_t)y + inset},
                              {100 - 2 * (uint32_t)inset, 100 - 2 * (uint32_t)inset}};
    vkCmdSetViewportWithCount(commands, 1, panel->turned ? &upside_down : &viewport);
    vkCmdSetScissorWithCount(commands, 1, &scissor);
    vkCmdSetCullMode(commands, panel->cull);
    vkCmdSetFrontFace(commands, panel->front);
    vkCmdSetDepthTestEnable(commands, !panel->no_depth);
    vkCmdSetDepthWriteEnable(commands, !panel->no_write);
    vkCmdSetDepthCompareOp(commands, panel->compare ? panel->compare : VK_COMPARE_OP_LESS);
    vkCmdSetDepthBiasEnable(commands, VK_FALSE);
    vkCmdSetRasterizerDiscardEnable(commands, VK_FALSE);
    vkCmdSetStencilTestEnable(commands, panel->draws == MASKED);
    /* Depth as it suits the comparison, in this panel alone. */
    const VkClearAttachment clear = {VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT,
                                     0,
                                     {.depthStencil = {panel->compare == VK_COMPARE_OP_GREATER ? 0 : 1, 0}}};
    const VkClearRect rect = {{{(int32_t)x, (int32_t)y}, {100, 100}}, 0, 1};
    vkCmdClearAttachments(commands, 1, &clear, 1, &rect);
}

static void set_stencil(VkCommandBuffer commands, VkStencilOp pass, VkCompareOp compare, uint32_t reference)
{
    const VkStencilFaceFlags both = VK_STENCIL_FACE_FRONT_AND_BACK;
    vkCmdSetStencilOp(commands, both, VK_STENCIL_OP_KEEP, pass, pass, compare);
    vkCmdSetStencilReference(commands, both, reference);
    vkCmdSetStencilCompareMask(commands, both, 0x0f);
    vkCmdSetStencilWriteMask(commands, both, 0x0f);
}

static void draw_panel(VkCommandBuffer commands, const struct vt_graphics *graphics, const struct shapes *shapes,
                       const struct panel *panel, int place)
{
    struct vec3 color = scene_hue((float)place / 12, 0.8f, 0.65f);
    struct mat4 tilt = mul(turn(v3(1, 0, 0), 0.45f), turn(v3(0, 1, 0), 0.4f));
    set_states(commands, panel, place);
    set_stencil(commands, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 0);
    switch (panel->draws) {
    case VASE:
        draw_shape(commands, graphics, &shapes->vase, panel,
                   mul(tilt, mul(move(v3(0, -0.95f, 0)), stretch(0.95f, 0.95f, 0.95f))), color);
        break;
    case SPHERES:
        draw_shape(commands, graphics, &shapes->sphere, panel,
                   mul(move(v3(-0.35f, 0, 0.3f)), stretch(0.75f, 0.75f, 0.75f)), color);
        vkCmdSetRasterizerDiscardEnable(commands, panel->discard_second);
        draw_shape(commands, graphics, &shapes->sphere, panel,
                   mul(move(v3(0.4f, 0.2f, -0.4f)), stretch(0.75f, 0.75f, 0.75f)), v3(color.y, color.z, color.x));
        vkCmdSetRasterizerDiscardEnable(commands, VK_FALSE);
        draw_shape(commands, graphics, &shapes->sphere, panel,
                   mul(move(v3(0, -0.55f, 0.1f)), stretch(0.5f, 0.5f, 0.5f)), v3(color.z, color.x, color.y));
        break;
    case RIBBONS:
        draw_shape(commands, graphics, &shapes->ribbons, panel, mul(tilt, stretch(0.95f, 0.95f, 0.95f)), color);
        break;
    case FAN:
        draw_shape(commands, graphics, &shapes->fan, panel, identity(), color);
        break;
    case MASKED: /* what of a ring lies over a sphere, and the sphere's rest */
        set_stencil(commands, VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS, 5);
        draw_shape(commands, graphics, &shapes->sphere, panel, stretch(0.85f, 0.85f, 0.85f), color);
        vkCmdSetDepthTestEnable(commands, VK_FALSE);
        set_stencil(commands, VK_STENCIL_OP_ZERO, VK_COMPARE_OP_EQUAL, 5);
        draw_shape(commands, graphics, &shapes->ribbons, &(struct panel){RIBBONS},
                   mul(turn(v3(1, 0, 0), 0.9f), stretch(0.9f, 0.9f, 0.9f)), v3(0.9f, 0.85f, 0.75f));
        break;
    }
}

static void draw_states(struct vt *vt, uint8_t *rgba_out)
{
    static const VkDynamicState states[] = {VK_DYNAMIC_STATE_CULL_MODE,
                                            VK_DYNAMIC_STATE_FRONT_FACE,
                                            VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
                                            VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
                                            VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
                                            VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
                                            VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
                                            VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
                                            VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
                                            VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
                                            VK_DYNAMIC_STATE_STENCIL_OP,
                                            VK_DYNAMIC_STATE_STENCIL_REFERENCE,
                                            VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
                                            VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
                                            VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
                                            VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
                                            VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE};
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT_S8_UINT);
    struct shapes shapes = {.vase = scene_vase(vt), .sphere = scene_sphere(vt), .torus = scene_torus(vt)};
    shapes.ribbons = make_ribbons(vt, &shapes.torus);
    shapes.fan = make_fan(vt);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, scene_mesh_vert_code, VT_SPIRV(scene_sides_frag));
    graphics.viewport.viewportCount = graphics.viewport.scissorCount = 0;
    for (size_t i = 0; i < COUNT_OF(states); i++)
        vt_add_dynamic(&graphics, states[i]);
    scene_pipeline(vt, &graphics, &target, NULL, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.07f, 0.08f, 0.1f), v3(0.2f, 0.19f, 0.18f));
    scene_bind(commands, &graphics, NULL, 0);
    for (int i = 0; i < 12; i++)
        draw_panel(commands, &graphics, &shapes, &panels[i], i);
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- glyphs ---- */

#define CELL_WIDTH 32
#define CELL_HEIGHT 40
#define ATLAS_WIDTH (6 * CELL_WIDTH)
#define ATLAS_HEIGHT (5 * CELL_HEIGHT)

/* Strokes through points of a grid of 5 by 7: two digits a point, a space between strokes. */
static const char *const strokes[26] = {"062046 1434",
                                        "06003041423303 3344453606",
                                        "4130100105163645",
                                        "00062645412000",
                                        "40000646 0333",
                                        "400006 0333",
                                        "41301001051636454323",
                                        "0006 4046 0343",
                                        "1030 2026 1636",
                                        "4045361605",
                                        "0006 400346",
                                        "000646",
                                        "0600234046",
                                        "06004640",
                                        "103041453616050110",
                                        "06003041423303",
                                        "103041453616050110 3446",
                                        "06003041423303 2346",
                                        "413010010213334445361605",
                                        "0040 2026",
                                        "000516364540",
                                        "002640",
                                        "0016233640",
                                        "0046 4006",
                                        "002340 2326",
                                        "00400646"};

static float segment_distance(float x, float y, const char *a, const char *b)
{
    float ax = (float)(a[0] - '0'), ay = (float)(a[1] - '0'), dx = (float)(b[0] - '0') - ax,
          dy = (float)(b[1] - '0') - ay;
    float along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    return hypotf(x - ax - along * dx, y - ay - along * dy);
}

static float letter_distance(int letter, float x, float y)
{
    float best = 9;
    for (const char *at = strokes[letter]; at[0] && at[1] && at[2]; at += 2) {
        if (at[2] == ' ') {
            at++;
            continue;
        }
        best = fminf(best, segment_distance(x, y, at, at + 2));
    }
    return best;
}

static struct vt_image make_atlas(struct vt *vt)
{
    static uint16_t texels[ATLAS_HEIGHT][ATLAS_WIDTH];
    for (int y = 0; y < ATLAS_HEIGHT; y++) {
        for (int x = 0; x < ATLAS_WIDTH; x++) {
            int letter = y / CELL_HEIGHT * 6 + x / CELL_WIDTH;
            float px = ((float)(x % CELL_WIDTH) + 0.5f) / CELL_WIDTH * 7 - 1.5f;
            float py = ((float)(y % CELL_HEIGHT) + 0.5f) / CELL_HEIGHT * 9 - 1.5f;
            float value = letter < 26 ? 0.5f + (0.5f - letter_distance(letter, px, py)) * 0.5f : 0;
            texels[y][x] = (uint16_t)(65535 * fminf(fmaxf(value, 0), 1));
        }
    }
    return scene_texture(vt, VK_FORMAT_R16_UNORM, ATLAS_WIDTH, ATLAS_HEIGHT, false, texels);
}

/* Two ways to store a glyph. */
struct plain_glyph {
    float place[2], size[2];
    uint8_t color[4];
    uint16_t cell[2];
};

struct packed_glyph {
    uint8_t cell[2], unused[2];
    int16_t place[2], size[2]; /* of 32767: 1 */
    uint32_t color;            /* 10 bits per channel */
};

struct text {
    const char *words;
    float x, y, size, hue;
};

/* The words along a wave, at most `room` glyphs. Returns how many. */
static uint32_t set_words(const struct text *text, struct plain_glyph *out, uint32_t room)
{
    uint32_t count = 0, length = (uint32_t)strlen(text->words);
    for (uint32_t i = 0; i < length && count < room; i++) {
        if (text->words[i] == ' ')
            continue;
        int letter = text->words[i] - 'A';
        float middle = (float)i - (float)(length - 1) / 2, wave = middle * 0.35f + text->hue * 20;
        struct vec3 color = scene_hue(text->hue + (float)i * 0.022f, 0.7f, 1);
        out[count++] = (struct plain_glyph){{text->x + middle * text->size * 0.56f, text->y + 0.025f * sinf(wave)},
                                            {text->size, 0.12f * cosf(wave)},
                                            {scene_byte(color.x), scene_byte(color.y), scene_byte(color.z), 255},
                                            {(uint16_t)(letter % 6), (uint16_t)(letter / 6)}};
    }
    return count;
}

static struct packed_glyph packed(struct plain_glyph glyph)
{
    struct packed_glyph out = {.cell = {(uint8_t)glyph.cell[0], (uint8_t)glyph.cell[1]}, .color = 3u << 30};
    for (int i = 0; i < 2; i++) {
        out.place[i] = (int16_t)lrintf(glyph.place[i] * 32767);
        out.size[i] = (int16_t)lrintf(glyph.size[i] * 32767);
    }
    for (int c = 0; c < 3; c++)
        out.color |= (uint32_t)(glyph.color[c] * 1023 / 255) << (10 * c);
    return out;
}

static void set_input(PFN_vkCmdSetVertexInputEXT set, VkCommandBuffer commands, bool pack)
{
    const VkVertexInputBindingDescription2EXT binding = {
        .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
        .stride = pack ? sizeof(struct packed_glyph) : sizeof(struct plain_glyph),
        .inputRate = VK_VERTEX_INPUT_RATE_INSTANCE,
        .divisor = 1};
    static const struct {
        VkFormat format;
        uint32_t offset_B;
    } layouts[2][4] = {{{VK_FORMAT_R32G32_SFLOAT, offsetof(struct plain_glyph, place)},
                        {VK_FORMAT_R32G32_SFLOAT, offsetof(struct plain_glyph, size)},
                        {VK_FORMAT_R8G8B8A8_UNORM, offsetof(struct plain_glyph, color)},
                        {VK_FORMAT_R16G16_UINT, offsetof(struct plain_glyph, cell)}},
                       {{VK_FORMAT_R16G16_SNORM, offsetof(struct packed_glyph, place)},
                        {VK_FORMAT_R16G16_SNORM, offsetof(struct packed_glyph, size)},
                        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, offsetof(struct packed_glyph, color)},
                        {VK_FORMAT_R8G8_UINT, offsetof(struct packed_glyph, cell)}}};
    VkVertexInputAttributeDescription2EXT attributes[4];
    for (uint32_t i = 0; i < 4; i++)
        attributes[i] =
            (VkVertexInputAttributeDescription2EXT){.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                    .location = i,
                                                    .format = layouts[pack][i].format,
                                                    .offset = layouts[pack][i].offset_B};
    set(commands, 1, &binding, 4, attributes);
}

static void draw_glyphs(struct vt *vt, uint8_t *rgba_out)
{
    static const struct text texts[] = {{"TUFF", 0, -0.52f, 0.78f, 0.02f},
                                        {"EVERY LETTER IS", 0, 0.08f, 0.2f, 0.45f},
                                        {"A FIELD OF DISTANCES", 0, 0.3f, 0.17f, 0.6f},
                                        {"PACK MY BOX WITH FIVE DOZEN LIQUOR JUGS", 0, 0.55f, 0.085f, 0.1f},
                                        {"SPHINX OF BLACK QUARTZ JUDGE MY VOW", 0, 0.7f, 0.085f, 0.3f},
                                        {"THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG", 0, 0.85f, 0.07f, 0.75f}};
    if (!vt->has[VT_VERTEX_INPUT_DYNAMIC] || !vt->has[VT_PUSH_DESCRIPTOR])
        vt_skip(vt, "no dynamic vertex input or no push descriptors");
    PFN_vkCmdSetVertexInputEXT set_vertex_input =
        (PFN_vkCmdSetVertexInputEXT)(void *)vkGetDeviceProcAddr(vt->device, "vkCmdSetVertexInputEXT");
    PFN_vkCmdPushDescriptorSetKHR push_set =
        (PFN_vkCmdPushDescriptorSetKHR)(void *)vkGetDeviceProcAddr(vt->device, "vkCmdPushDescriptorSetKHR");
    struct vt_image atlas = make_atlas(vt);
    struct vt_binding binding = VT_SAMPLED(scene_sampler(vt, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                                           vt_view(vt, &atlas, VK_IMAGE_VIEW_TYPE_2D));
    struct vt_set pushed = {
        .layout = vt_set_layout(vt, &binding, 1, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR)};
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, 0);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(scene_glyph_vert), VT_SPIRV(scene_glyph_frag));
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    scene_blend(&graphics, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
    scene_pipeline(vt, &graphics, &target, &pushed, 1);

    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.012f, 0.014f, 0.03f), v3(0.05f, 0.02f, 0.06f));
    scene_bind(commands, &graphics, NULL, 0);
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .descriptorCount = 1,
                                        .descriptorType = binding.type,
                                        .pImageInfo = &binding.image};
    push_set(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &write);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct plain_glyph glyphs[64];
        struct packed_glyph small[64];
        bool pack = i & 1;
        uint32_t count = set_words(&texts[i], glyphs, 64);
        for (uint32_t n = 0; n < count; n++)
            small[n] = packed(glyphs[n]);
        struct vt_buffer buffer =
            pack ? vt_buffer(vt, count * sizeof(*small), small) : vt_buffer(vt, count * sizeof(*glyphs), glyphs);
        set_input(set_vertex_input, commands, pack);
        vkCmdBindVertexBuffers(commands, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
        vkCmdDraw(commands, 4, count, 0, 0);
    }
    vkCmdEndRendering(commands);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

/* ---- balloons ---- */

#define BANDS 3
#define BALLOONS 24 /* eight a band, the farthest first */

static struct vec3 balloon_at(float u, float v)
{
    static const float outline[9] = {0.1f, 0.13f, 0.12f, 0.42f, 0.75f, 0.95f, 0.95f, 0.66f, 0};
    float place = fminf(fmaxf(v, 0), 1) * 8, around = u * 2 * PI;
    int at = place >= 8 ? 7 : (int)place;
    float t = place - (float)at, far = outline[at] * (1 - t) + outline[at + 1] * t;
    return v3(far * sinf(around), v * 2.4f - 1.4f, far * cosf(around));
}

struct band {
    struct mat4 clip;
    float haze[4];
    uint8_t unused[256 - 80]; /* to what any offset must be a multiple of */
};

static void fill_balloons(struct band bands[BANDS], float places[BALLOONS][4], uint8_t colors[BALLOONS * 2][4])
{
    for (int b = 0; b < BANDS; b++)
        bands[b] = (struct band){.clip = scene_camera(v3(0, 0.4f, 6), v3(0, 0.4f, 0), 0.7f),
                                 .haze = {0.62f, 0.36f, 0.3f, 0.62f - 0.3f * (float)b}};
    for (int i = 0; i < BALLOONS; i++) {
        float depth = -11 + 4.8f * (float)(i / 8) + 0.3f * (float)(i % 8), wide = 6 - depth;
        float x = ((float)((i * 5) % 8) - 3.5f) * 0.125f * wide * 1.05f,
              y = 0.4f + 0.24f * wide * sinf((float)i * 2.7f + 0.6f);
        const float place[4] = {x, y, depth, 0.62f};
        memcpy(places[i], place, sizeof(place));
        for (int n = 0; n < 2; n++) {
            struct vec3 color = n ? v3(0.95f, 0.88f, 0.72f) : scene_hue((float)i * 0.17f, 0.85f, 0.8f);
            const uint8_t bytes[4] = {scene_byte(color.x), scene_byte(color.y), scene_byte(color.z), 255};
            memcpy(colors[i * 2 + n], bytes, 4);
        }
    }
}

/* Commands for a band, recorded apart. */
static VkCommandBuffer record_band(struct vt *vt, const struct vt_graphics *graphics, const struct vt_target *target,
                                   const struct vt_set *set, const struct scene_mesh *mesh, uint32_t band)
{
    VkCommandBuffer commands;
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = vt->commands,
                                            .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                            .commandBufferCount = 1};
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &allocate, &commands));
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = target->color_formats,
        .depthAttachmentFormat = target->depth_format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                        .pNext = &rendering};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inheritance};
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &begin));
    const uint32_t offset_B = band * (uint32_t)sizeof(struct band);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->layout, 0, 1, &set->set, 1, &offset_B);
    vkCmdBindVertexBuffers(commands, 0, 1, &mesh->vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(commands, mesh->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(commands, mesh->index_count, BALLOONS / BANDS, 0, 0, band * (BALLOONS / BANDS));
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    return commands;
}

/* Rendering that only executes what was recorded apart. */
static void execute_bands(VkCommandBuffer commands, const struct vt_target *target, const VkCommandBuffer bands[BANDS])
{
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = target->color_views[0],
                                             .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = target->depth_view,
                                             .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE};
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
                                  .renderArea = {{0, 0}, {SCENE_WIDTH, SCENE_HEIGHT}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color,
                                  .pDepthAttachment = &depth};
    vt_full_barrier(commands);
    vkCmdBeginRendering(commands, &info);
    vkCmdExecuteCommands(commands, BANDS, bands);
    vkCmdEndRendering(commands);
}

static void draw_balloons(struct vt *vt, uint8_t *rgba_out)
{
    struct band bands[BANDS];
    float places[BALLOONS][4];
    uint8_t colors[BALLOONS * 2][4];
    fill_balloons(bands, places, colors);
    struct vt_buffer uniforms = vt_buffer(vt, sizeof(bands), bands),
                     place_buffer = vt_buffer(vt, sizeof(places), places),
                     color_buffer = vt_buffer(vt, sizeof(colors), colors);
    struct vt_set set =
        vt_set(vt,
               (struct vt_binding[]){
                   {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, .buffer = {uniforms.buffer, 0, 80}},
                   {.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                    .view = vt_buffer_view(vt, &place_buffer, VK_FORMAT_R32G32B32A32_SFLOAT, 0, VK_WHOLE_SIZE)},
                   {.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                    .view = vt_buffer_view(vt, &color_buffer, VK_FORMAT_R8G8B8A8_UNORM, 0, VK_WHOLE_SIZE)}},
               3);
    struct vt_target target = scene_target(vt, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT);
    const struct scene_mesh mesh = scene_grid(vt, 32, 32, balloon_at);
    struct vt_graphics graphics;
    scene_graphics(&graphics, &target, VT_SPIRV(scene_balloon_vert), VT_SPIRV(scene_balloon_frag));
    scene_pipeline(vt, &graphics, &target, &set, 1);
    VkCommandBuffer parts[BANDS];
    for (uint32_t i = 0; i < BANDS; i++)
        parts[i] = record_band(vt, &graphics, &target, &set, &mesh, i);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    scene_backdrop(vt, commands, &target, v3(0.12f, 0.2f, 0.45f), v3(0.95f, 0.5f, 0.3f));
    vkCmdEndRendering(commands);
    execute_bands(commands, &target, parts);
    scene_finish(vt, commands, &target.colors[0], rgba_out);
}

const struct scene scene_state_table[] = {
    {"states", "one pipeline and seventeen dynamic states: culling, topology, restart, depth, stencil, stride",
     draw_states},
    {"glyphs", "distance fields, vertex formats that change while recording, push descriptors", draw_glyphs},
    {"balloons", "secondary command buffers, dynamic offsets, texel buffers, first instances", draw_balloons},
    {0},
};
