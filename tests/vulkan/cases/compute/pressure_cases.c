/* Register pressure: loops that carry more values than a GPU has registers, so that phis live in memory; of several
 * sizes and types, in each stage, with ways that part, textures and workgroup memory between. The host computes the
 * same. */
#include <stdlib.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/pressure_fragment_100.h"
#include "shaders/pressure_fragment_1000.h"
#include "shaders/pressure_fragment_texture_200.h"
#include "shaders/pressure_move_100.h"
#include "shaders/pressure_move_4000.h"
#include "shaders/pressure_narrow_100.h"
#include "shaders/pressure_narrow_1000.h"
#include "shaders/pressure_plain_100.h"
#include "shaders/pressure_plain_1000.h"
#include "shaders/pressure_plain_16.h"
#include "shaders/pressure_plain_200.h"
#include "shaders/pressure_plain_64.h"
#include "shaders/pressure_shared_100.h"
#include "shaders/pressure_shared_1000.h"
#include "shaders/pressure_texture_200.h"
#include "shaders/pressure_texture_64.h"
#include "shaders/pressure_vector_100.h"
#include "shaders/pressure_vector_1000.h"
#include "shaders/pressure_vector_16.h"
#include "shaders/pressure_vertex_100.h"
#include "shaders/pressure_vertex_1000.h"
#include "shaders/pressure_vertex_vector_100.h"
#include "shaders/pressure_wide_100.h"
#include "shaders/pressure_wide_1000.h"

enum {
    IDS = 64,
    WIDTH = 16, /* of targets */
    MOST = 4000,
    SIDE = 4, /* of the texture, which has two layers */
};

enum kind {
    NEIGHBOURS,
    MOVE,
    TEXTURE,
    SHARED,
};

enum stage {
    COMPUTE,
    VERTEX,
    FRAGMENT,
};

struct pressure {
    struct vt_spirv code;
    uint32_t count;
    unsigned type; /* bits of a value; 128: a vector of four words */
    enum kind kind;
    enum stage stage;
};

/* ---- what the shader computes ---- */

struct value {
    uint64_t part[4];
};

/* The numbers of one invocation, and what it sends to others. */
struct lane {
    struct value v[MOST];
    uint32_t box;
};

static uint64_t mask_of(unsigned type)
{
    return type == 64 ? UINT64_MAX : type == 16 ? UINT16_MAX : UINT32_MAX;
}

static struct value value_of(unsigned type, uint32_t x)
{
    struct value value = {{x & mask_of(type)}};
    if (type == 64)
        value.part[0] = (uint64_t)x << 32 | x * 3u;
    for (unsigned i = 1; i < 4 && type == 128; i++)
        value.part[i] = x * (2 * i + 1);
    return value;
}

static uint32_t word_of(unsigned type, const struct value *value)
{
    uint32_t word = (uint32_t)value->part[0];
    if (type == 64)
        word ^= (uint32_t)(value->part[0] >> 32);
    for (uint32_t i = 1; i < 4 && type == 128; i++)
        word ^= (uint32_t)value->part[i] * (2 * i + 1);
    return word;
}

static void step_values(const struct pressure *p, struct value *v, uint32_t round)
{
    const struct value factor = value_of(p->type, 1664525), added = value_of(p->type, round);
    for (uint32_t k = 0; k < p->count; k++) {
        const struct value *next = &v[(k + 1) % p->count];
        for (unsigned i = 0; i < 4; i++)
            v[k].part[i] = (v[k].part[i] * factor.part[i] + (next->part[i] ^ added.part[i])) & mask_of(p->type);
    }
}

static void swap_pairs(struct value *v, uint32_t count)
{
    for (uint32_t k = 0; k < count; k += 2) {
        const struct value kept = v[k];
        v[k] = v[k + 1];
        v[k + 1] = kept;
    }
}

static void move_on(const struct pressure *p, struct value *v, uint32_t round)
{
    const struct value first = v[0];
    memmove(v, v + 1, (p->count - 1) * sizeof(*v));
    v[p->count - 1] = first;
    v[7].part[0] = (v[7].part[0] + round) & mask_of(p->type);
}

static uint32_t texel_word(uint32_t x, uint32_t y, uint32_t layer, uint32_t component)
{
    return (((layer * SIDE + y) * SIDE + x) * 4 + component + 1) * 0x9e3779b1u;
}

static void look_up(struct value *v)
{
    const uint32_t x = (v[0].part[0] + 1) % SIDE, y = v[1].part[0] % SIDE, layer = v[2].part[0] & 1;
    v[3].part[0] ^= texel_word(x, y, layer, 0);
    v[4].part[0] = (uint32_t)(v[4].part[0] + texel_word(x, y, layer, 1));
    v[5].part[0] ^= texel_word(x, y, layer, 2);
    v[6].part[0] = (uint32_t)(v[6].part[0] + texel_word(x, y, layer, 3));
}

static void begin_values(const struct pressure *p, struct value *v, uint32_t id)
{
    for (uint32_t k = 0; k < p->count; k++)
        v[k] = value_of(p->type, id * 0x85ebca77u + 1 + k * 0x9e3779b9u);
}

static void run_round(const struct pressure *p, struct value *v, uint32_t id, uint32_t round)
{
    if (p->kind == MOVE) {
        move_on(p, v, round);
        return;
    }
    step_values(p, v, round);
    if (p->kind == NEIGHBOURS && (id ^ round) & 1)
        swap_pairs(v, p->count);
    else if (p->kind == TEXTURE)
        look_up(v);
}

static uint32_t sum_of(const struct pressure *p, const struct value *v)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < p->count; k++)
        sum = sum * 31 + word_of(p->type, &v[k]);
    return sum;
}

static void expect_shared(const struct pressure *p, struct lane *lanes)
{
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t id = 0; id < IDS; id++) {
            run_round(p, lanes[id].v, id, round);
            lanes[id].box = (uint32_t)lanes[id].v[0].part[0];
        }
        for (uint32_t id = 0; id < IDS; id++)
            lanes[id].v[1].part[0] = (uint32_t)(lanes[id].v[1].part[0] + lanes[id ^ 5].box);
    }
}

static void expected_sums(struct vt *vt, const struct pressure *p, uint32_t sums_out[IDS])
{
    struct lane *lanes = calloc(IDS, sizeof(*lanes));
    if (!lanes)
        vt_fail(vt, "no memory for what is expected");
    for (uint32_t id = 0; id < IDS; id++) {
        begin_values(p, lanes[id].v, id);
        for (uint32_t round = 0; p->kind != SHARED && round < 3 + (id & 3); round++)
            run_round(p, lanes[id].v, id, round);
    }
    if (p->kind == SHARED)
        expect_shared(p, lanes);
    for (uint32_t id = 0; id < IDS; id++)
        sums_out[id] = sum_of(p, lanes[id].v);
    free(lanes);
}

/* ---- what it runs on ---- */

static struct vt_binding texture(struct vt *vt)
{
    uint32_t texels[2 * SIDE * SIDE * 4];
    for (uint32_t i = 0; i < COUNT_OF(texels); i++)
        texels[i] = texel_word(i / 4 % SIDE, i / 4 / SIDE % SIDE, i / 4 / SIDE / SIDE, i % 4);
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32G32B32A32_UINT,
                                                                 .width = SIDE,
                                                                 .height = SIDE,
                                                                 .layers = 2,
                                                                 .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    const VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    return (struct vt_binding)VT_SAMPLED(sampler, vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D_ARRAY));
}

static void run_compute(struct vt *vt, const struct pressure *p, uint32_t sums_out[IDS])
{
    struct vt_buffer results = vt_buffer(vt, IDS * 4, NULL);
    struct vt_binding bindings[2] = {VT_STORAGE_BUFFER(results)};
    if (p->kind == TEXTURE)
        bindings[1] = texture(vt);
    vt_dispatch(vt, p->code, NULL, bindings, p->kind == TEXTURE ? 2 : 1, 1, 1, 1);
    memcpy(sums_out, results.map, IDS * 4);
}

static void run_graphics(struct vt *vt, const struct pressure *p, uint32_t sums_out[IDS])
{
    const bool is_vertex = p->stage == VERTEX;
    struct vt_target target = vt_target(vt, VK_FORMAT_R32G32B32A32_UINT, WIDTH, IDS / WIDTH);
    struct vt_graphics graphics;
    struct vt_set set = {0};
    vt_graphics_init(&graphics, &target, is_vertex ? p->code : vt_screen_vert,
                     is_vertex ? vt_attribute_uint_frag : p->code);
    if (is_vertex)
        graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    if (p->kind == TEXTURE) {
        struct vt_buffer unused = vt_buffer(vt, 16, NULL);
        struct vt_binding bindings[2] = {VT_STORAGE_BUFFER(unused), texture(vt)};
        set = vt_set(vt, bindings, 2);
        graphics.sets[graphics.set_count++] = set.layout;
    }
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    if (set.set)
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vkCmdDraw(commands, is_vertex ? IDS : 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const uint32_t(*texels)[4] = vt_download(vt, &target.colors[0], 0);
    for (uint32_t id = 0; id < IDS; id++)
        sums_out[id] = texels[id][0];
}

static uint32_t words_of(const struct pressure *p)
{
    return p->count * (p->type == 128 ? 4 : p->type == 64 ? 2 : 1);
}

/* Other people's drivers judge the smaller cases. */
static uint32_t most_words(const struct vt *vt)
{
    switch ((int)vt->driver) {
    case 0: /* ours */
        return UINT32_MAX;
    case VK_DRIVER_ID_MESA_LLVMPIPE:
        return 3999;
    default:
        return 1000;
    }
}

static void case_pressure(struct vt *vt, const void *argument)
{
    const struct pressure *p = argument;
    uint32_t expected[IDS], sums[IDS];
    if (p->type == 16 && !vt->features.features.shaderInt16)
        vt_skip(vt, "no shaderInt16");
    if (p->type == 64 && !vt->features.features.shaderInt64)
        vt_skip(vt, "no shaderInt64");
    if (words_of(p) > most_words(vt))
        vt_skip(vt,
                "not asked of this driver: 2,000 words and more take RADV minutes on the model, or lose its device");
    expected_sums(vt, p, expected);
    if (p->stage == COMPUTE)
        run_compute(vt, p, sums);
    else
        run_graphics(vt, p, sums);
    vt_expect_words(vt, sums, expected, IDS, "sums of what the loops carry");
}

/* ---- the cases ---- */

static const struct pressure plain_16 = {VT_SPIRV(pressure_plain_16), 16, 32, NEIGHBOURS, COMPUTE},
                             plain_64 = {VT_SPIRV(pressure_plain_64), 64, 32, NEIGHBOURS, COMPUTE},
                             plain_100 = {VT_SPIRV(pressure_plain_100), 100, 32, NEIGHBOURS, COMPUTE},
                             plain_200 = {VT_SPIRV(pressure_plain_200), 200, 32, NEIGHBOURS, COMPUTE},
                             plain_1000 = {VT_SPIRV(pressure_plain_1000), 1000, 32, NEIGHBOURS, COMPUTE},
                             narrow_100 = {VT_SPIRV(pressure_narrow_100), 100, 16, NEIGHBOURS, COMPUTE},
                             narrow_1000 = {VT_SPIRV(pressure_narrow_1000), 1000, 16, NEIGHBOURS, COMPUTE},
                             wide_100 = {VT_SPIRV(pressure_wide_100), 100, 64, NEIGHBOURS, COMPUTE},
                             wide_1000 = {VT_SPIRV(pressure_wide_1000), 1000, 64, NEIGHBOURS, COMPUTE},
                             vector_16 = {VT_SPIRV(pressure_vector_16), 16, 128, NEIGHBOURS, COMPUTE},
                             vector_100 = {VT_SPIRV(pressure_vector_100), 100, 128, NEIGHBOURS, COMPUTE},
                             vector_1000 = {VT_SPIRV(pressure_vector_1000), 1000, 128, NEIGHBOURS, COMPUTE},
                             move_100 = {VT_SPIRV(pressure_move_100), 100, 32, MOVE, COMPUTE},
                             move_4000 = {VT_SPIRV(pressure_move_4000), 4000, 32, MOVE, COMPUTE},
                             texture_64 = {VT_SPIRV(pressure_texture_64), 64, 32, TEXTURE, COMPUTE},
                             texture_200 = {VT_SPIRV(pressure_texture_200), 200, 32, TEXTURE, COMPUTE},
                             shared_100 = {VT_SPIRV(pressure_shared_100), 100, 32, SHARED, COMPUTE},
                             shared_1000 = {VT_SPIRV(pressure_shared_1000), 1000, 32, SHARED, COMPUTE},
                             vertex_100 = {VT_SPIRV(pressure_vertex_100), 100, 32, NEIGHBOURS, VERTEX},
                             vertex_1000 = {VT_SPIRV(pressure_vertex_1000), 1000, 32, NEIGHBOURS, VERTEX},
                             vertex_vector_100 = {VT_SPIRV(pressure_vertex_vector_100), 100, 128, NEIGHBOURS, VERTEX},
                             fragment_100 = {VT_SPIRV(pressure_fragment_100), 100, 32, NEIGHBOURS, FRAGMENT},
                             fragment_1000 = {VT_SPIRV(pressure_fragment_1000), 1000, 32, NEIGHBOURS, FRAGMENT},
                             fragment_texture_200 = {VT_SPIRV(pressure_fragment_texture_200), 200, 32, TEXTURE,
                                                     FRAGMENT};

const struct vt_case vt_pressure_cases[] = {
    {"16 words", case_pressure, &plain_16},
    {"64 words", case_pressure, &plain_64},
    {"100 words", case_pressure, &plain_100},
    {"200 words", case_pressure, &plain_200},
    {"1000 words", case_pressure, &plain_1000},
    {"100 numbers of 16 bits", case_pressure, &narrow_100},
    {"1000 numbers of 16 bits", case_pressure, &narrow_1000},
    {"100 numbers of 64 bits", case_pressure, &wide_100},
    {"1000 numbers of 64 bits", case_pressure, &wide_1000},
    {"16 vectors", case_pressure, &vector_16},
    {"100 vectors", case_pressure, &vector_100},
    {"1000 vectors", case_pressure, &vector_1000},
    {"100 words that move on", case_pressure, &move_100},
    {"4000 words that move on", case_pressure, &move_4000},
    {"64 words and a texture", case_pressure, &texture_64},
    {"200 words and a texture", case_pressure, &texture_200},
    {"100 words and shared memory", case_pressure, &shared_100},
    {"1000 words and shared memory", case_pressure, &shared_1000},
    {"100 words in vertices", case_pressure, &vertex_100},
    {"1000 words in vertices", case_pressure, &vertex_1000},
    {"100 vectors in vertices", case_pressure, &vertex_vector_100},
    {"100 words in fragments", case_pressure, &fragment_100},
    {"1000 words in fragments", case_pressure, &fragment_1000},
    {"200 words in fragments and a texture", case_pressure, &fragment_texture_200},
};
const size_t vt_pressure_count = COUNT_OF(vt_pressure_cases);
