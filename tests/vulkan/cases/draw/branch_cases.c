/* Fragment shaders whose pixels go different ways: each way reads images and uniforms of its own, and what one way has
 * loaded is loaded anew, or not at all, on another. Half of the picture has ways pixel by pixel, the other half by
 * squares, so that there are waves that take all ways, and waves that leave some out. And draws that share a program,
 * each with pixels of its own. */
#include "vt/vt_graphics.h"

#include "shaders/branch_frag.h"
#include "shaders/texel_draws_frag.h"

enum {
    SIZE = 64,
    IMAGES = 3,
    DRAWS = 4, /* the last ones find code that the first ones have made hot */
};

/* The contents of the uniforms. */
static const int32_t places[2][4] = {{1, 0, -1, 2}, {0, 3, 2, -2}};
static const int32_t *const near_at = places[0], *const far_at = places[1];

static uint32_t texel(unsigned image, uint32_t x, uint32_t y)
{
    return (x * 0x9e3779b1u + y * 0x85ebca77u + image * 0xc2b2ae3du) ^ (x * y + image) * 0x27d4eb2fu;
}

static uint8_t way_of(uint32_t x, uint32_t y)
{
    const uint32_t square = x / 8 + y / 8 * 3;
    return (uint8_t)((x < SIZE / 2 ? square * 5 + square / 8 : texel(7, x, y) >> 11) & 7);
}

/* Places beyond an edge are those beside the other. */
static void fetch_texel(unsigned image, int32_t x, int32_t y, double color_out[4])
{
    const uint32_t code = texel(image, (uint32_t)(x & (SIZE - 1)), (uint32_t)(y & (SIZE - 1)));
    for (unsigned c = 0; c < 4; c++)
        color_out[c] = (code >> c * 8 & 255) / 255.0;
}

static void add_texel(double color[4], double weight, unsigned image, int32_t x, int32_t y)
{
    double texel_color[4];
    fetch_texel(image, x, y, texel_color);
    for (unsigned c = 0; c < 4; c++)
        color[c] += weight * texel_color[c];
}

static void permute_channels(double color[4], const unsigned from[4])
{
    const double before[4] = {color[0], color[1], color[2], color[3]};
    for (unsigned c = 0; c < 4; c++)
        color[c] = before[from[c]];
}

static void expect_nested(unsigned way, int32_t x, int32_t y, double color[4])
{
    if (way & 1 && way & 2) {
        add_texel(color, 1, 1, x + near_at[2], y + near_at[3]);
        permute_channels(color, (const unsigned[4]){3, 2, 1, 0});
    } else if (way & 1) {
        add_texel(color, 1, 0, x, y);
        permute_channels(color, (const unsigned[4]){1, 0, 3, 2});
    } else if (way & 4) {
        add_texel(color, 1, 2, x + far_at[2], y + far_at[3]);
    }
}

static void expect_after(unsigned way, int32_t x, int32_t y, double color[4])
{
    double place[4] = {0};
    if (way & 1) {
        fetch_texel(0, x + near_at[0], y + near_at[1], place);
        x = (int32_t)(place[0] * 63 + 0.5);
        y = (int32_t)(place[1] * 63 + 0.5);
    }
    add_texel(color, 1, 1, x, y);
}

static void expect_result(const void *argument, uint32_t pixel_x, uint32_t pixel_y, double color[4])
{
    const unsigned way = way_of(pixel_x, pixel_y);
    const int32_t x = (int32_t)pixel_x, y = (int32_t)pixel_y;
    for (unsigned c = 0; c < 4; c++)
        color[c] = 0;
    const bool is_first = way & 1;
    switch (*(const int32_t *)argument) {
    case 0:
        add_texel(color, 1, is_first ? 0 : 1, x + (is_first ? near_at : far_at)[0],
                  y + (is_first ? near_at : far_at)[1]);
        break;
    case 1:
        expect_nested(way, x, y, color);
        break;
    case 2:
        expect_after(way, x, y, color);
        break;
    case 3:
        if ((way & 3) == 3) /* what the target was cleared to */
            break;
        add_texel(color, 0.5, is_first ? 0 : 1, x + (is_first ? near_at : far_at)[0],
                  y + (is_first ? near_at : far_at)[1]);
        add_texel(color, 0.5, 2, x, y);
        break;
    case 4:
        for (int32_t i = 0; i < (int32_t)(way & 3); i++)
            add_texel(color, 0.25, 0, x + i * near_at[0], y + i * near_at[1]);
        break;
    default:
        add_texel(color, 0.25, 0, x, y);
        if (is_first) {
            add_texel(color, 0.25, 0, x + near_at[0], y + near_at[1]);
            add_texel(color, 0.25, 1, x, y);
        }
        add_texel(color, 0.25, 0, x + far_at[0], y + far_at[1]);
        break;
    }
}

static void case_branch(struct vt *vt, const void *argument)
{
    uint32_t texels[SIZE * SIZE];
    uint8_t ways[SIZE * SIZE];
    struct vt_image images[1 + IMAGES];
    const VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    struct vt_binding bindings[2 + IMAGES];
    for (unsigned n = 0; n < 1 + IMAGES; n++) {
        images[n] =
            vt_image_2d(vt, n ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_R8_UINT, SIZE, SIZE, VK_IMAGE_USAGE_SAMPLED_BIT);
        for (uint32_t i = 0; i < SIZE * SIZE; i++) {
            ways[i] = way_of(i % SIZE, i / SIZE);
            texels[i] = n ? texel(n - 1, i % SIZE, i / SIZE) : 0;
        }
        vt_upload(vt, &images[n], 0, n ? (const void *)texels : ways, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        bindings[n] = (struct vt_binding)VT_SAMPLED(sampler, vt_view(vt, &images[n], VK_IMAGE_VIEW_TYPE_2D));
    }
    struct vt_buffer uniforms = vt_buffer(vt, sizeof(places), places);
    bindings[1 + IMAGES] = (struct vt_binding)VT_UNIFORM_BUFFER(uniforms);
    struct vt_set set = vt_set(vt, bindings, 2 + IMAGES);
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, VT_SPIRV(branch_frag));
    graphics.sets[0] = set.layout;
    graphics.set_count = 1;
    const int32_t what = *(const int32_t *)argument;
    graphics.fragment_constants = VT_CONSTANTS(what);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    for (unsigned i = 0; i < DRAWS; i++)
        vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    vt_expect_picture(vt, &target, vt_download(vt, &target.colors[0], 0), expect_result, argument, 1.01, 0,
                      "the picture");
}

/* ---- walks through a texel buffer ---- */

enum {
    WALK_SIZE = 256,
    NUMBERS = 1000,
    STEPS = 5,
    THIRDS = 3
};

/* Three draws by one program, so that code that one of them has made hot is there for pixels of the others, which asked
 * for none. */
static void case_walks(struct vt *vt, const void *argument)
{
    uint32_t numbers[NUMBERS];
    for (uint32_t i = 0; i < NUMBERS; i++)
        numbers[i] = i * 2654435761u >> 7;
    struct vt_buffer buffer = vt_buffer(vt, sizeof(numbers), numbers);
    struct vt_binding binding = {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                 .view = vt_buffer_view(vt, &buffer, VK_FORMAT_R32_UINT, 0, sizeof(numbers))};
    struct vt_set set = vt_set(vt, &binding, 1);
    struct vt_target target = vt_target(vt, VK_FORMAT_R32_UINT, WALK_SIZE, WALK_SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, VT_SPIRV(texel_draws_frag));
    graphics.sets[0] = set.layout;
    graphics.set_count = 1;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    for (uint32_t third = 0; third < THIRDS; third++) {
        vt_push(commands, &graphics, (const uint32_t[]){third, STEPS}, 2 * sizeof(uint32_t));
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const uint32_t *found = vt_download(vt, &target.colors[0], 0);
    for (uint32_t i = 0; i < WALK_SIZE * WALK_SIZE; i++) {
        uint32_t value = i;
        for (unsigned step = 0; step < STEPS; step++)
            value = numbers[value % NUMBERS];
        if (found[i] != value)
            vt_fail(vt, "pixel (%u, %u) is %u, not %u", i % WALK_SIZE, i / WALK_SIZE, found[i], value);
    }
}

static const int32_t whats[] = {0, 1, 2, 3, 4, 5};

const struct vt_case vt_branch_cases[] = {
    {"texels on both ways", case_branch, &whats[0]},
    {"texels on ways within ways", case_branch, &whats[1]},
    {"a place of one way, then a texel of all", case_branch, &whats[2]},
    {"pixels that end on one way", case_branch, &whats[3]},
    {"texels in own numbers of turns", case_branch, &whats[4]},
    {"an image before, on and after a way", case_branch, &whats[5]},
    {"walks through a texel buffer", case_walks, NULL},
};
const size_t vt_branch_count = COUNT_OF(vt_branch_cases);
