/* See object.h. */
#include "object.h"

#include <math.h>
#include <stdlib.h>

#include "bench_light_frag.h"
#include "bench_object_vert.h"

#define SIZE 64u
#define SAMPLES 512u  /* of the triangle: half of a square of 32 pixels */
#define MOST_WRONG 8u /* pixels: an edge may fall on a sample */

struct object object;
static bool in_query;

struct scene_uniforms {
    float transform[4][4], light[4];
};

static const struct draw_vertex corners[3] = {{{-0.5f, -0.5f, 0.5f, 1}, {0, 0, 1, 0}},
                                              {{0.5f, -0.5f, 0.5f, 1}, {0, 0, 1, 0}},
                                              {{0, 0.5f, 0.5f, 1}, {0, 0, 1, 0}}};

static void make_sets(struct bench *b)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1,
                                                  VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    const VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    BENCH_CHECK(vkCreateDescriptorSetLayout(b->device, &layout_info, NULL, &object.set_layout));
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 2, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    BENCH_CHECK(vkCreateDescriptorPool(b->device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 2,
        .pSetLayouts = (const VkDescriptorSetLayout[2]){object.set_layout, object.set_layout}};
    BENCH_CHECK(vkAllocateDescriptorSets(b->device, &allocate, object.sets));
    for (int i = 0; i < 2; i++) {
        const struct scene_uniforms uniforms = {.transform = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
                                                .light = {0.5f, (float)i, 2, 1}};
        struct bench_buffer buffer = bench_buffer(b, sizeof(uniforms), &uniforms);
        const VkDescriptorBufferInfo info = {buffer.buffer, 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = object.sets[i],
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                            .pBufferInfo = &info};
        vkUpdateDescriptorSets(b->device, 1, &write, 0, NULL);
    }
}

static void make_commands(struct bench *b)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = b->family};
    BENCH_CHECK(vkCreateCommandPool(b->device, &pool, NULL, &object.pool));
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = object.pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    BENCH_CHECK(vkAllocateCommandBuffers(b->device, &allocate, &object.commands));
    const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .queryType = VK_QUERY_TYPE_OCCLUSION,
                                           .queryCount = OBJECT_QUERIES};
    BENCH_CHECK(vkCreateQueryPool(b->device, &queries, NULL, &object.queries));
}

void object_make(struct bench *b)
{
    bench_offer(b->features.occlusionQueryPrecise, "occlusionQueryPrecise, by which the draws are counted");
    object.target = draw_target(b, &(struct draw_target_info){.size = SIZE, .clear = true, .depth = true});
    make_sets(b);
    object.info = (struct draw_pipeline_info){.vertex = BENCH_SPIRV(bench_object_vert),
                                              .fragment = BENCH_SPIRV(bench_light_frag),
                                              .vertices = true,
                                              .set_layout = object.set_layout,
                                              .push_B = 4 * sizeof(float),
                                              .compare = VK_COMPARE_OP_LESS_OR_EQUAL};
    object.pipelines[0] = draw_pipeline(b, &object.target, &object.info);
    object.info.constant++;
    object.info.blend = true;
    object.pipelines[1] = object.pipelines[0];
    object.pipelines[1].pipeline = draw_pipeline_again(b, &object.target, &object.info, &object.pipelines[0]);
    object.vertices = bench_buffer(b, sizeof(corners), corners);
    make_commands(b);
}

/* ---- recording ---- */

void object_bind_set(VkCommandBuffer commands, uint32_t i)
{
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, object.pipelines[0].layout, 0, 1,
                            &object.sets[i % 2], 0, NULL);
}

void object_bind_pipeline(VkCommandBuffer commands, uint32_t i)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, object.pipelines[i % 2].pipeline);
}

void object_push(VkCommandBuffer commands, uint32_t i)
{
    const float place[4] = {(float)i * 0x1p-30f};
    vkCmdPushConstants(commands, object.pipelines[0].layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                       0, sizeof(place), place);
}

void object_bind_all(VkCommandBuffer commands)
{
    object_bind_pipeline(commands, 0);
    object_bind_set(commands, 0);
    object_push(commands, 0);
    vkCmdBindVertexBuffers(commands, 0, 1, &object.vertices.buffer, &(VkDeviceSize){0});
}

void object_begin(struct bench *b, VkSubpassContents contents)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    BENCH_CHECK(vkBeginCommandBuffer(object.commands, &begin));
    b->commands = object.commands;
    vkCmdResetQueryPool(object.commands, object.queries, 0, OBJECT_QUERIES);
    in_query = contents == VK_SUBPASS_CONTENTS_INLINE;
    if (in_query)
        vkCmdBeginQuery(object.commands, object.queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    draw_begin_pass(b, &object.target, contents);
    if (in_query)
        object_bind_all(object.commands);
}

void object_end(struct bench *b)
{
    draw_end_pass(b);
    if (in_query)
        vkCmdEndQuery(object.commands, object.queries, 0);
    bench_end(b);
}

/* ---- what must be there ---- */

/* Red, green and blue of light.frag keep their proportion wherever the triangle is lit; alpha is 1. */
static bool is_lit(const uint8_t *texel)
{
    float level = (float)texel[0] / 0.9f;
    return texel[0] > 8 && fabsf((float)texel[1] - level * 0.7f) <= 2 && fabsf((float)texel[2] - level * 0.5f) <= 2 &&
           texel[3] >= 250;
}

static bool is_inside(uint32_t x, uint32_t y)
{
    double across = fabs((x + 0.5) / SIZE * 2 - 1), down = (y + 0.5) / SIZE * 2 - 1;
    return down > -0.5 && across < (0.5 - down) / 2;
}

static bool picture_right(struct bench *b)
{
    const uint8_t *texels = (const uint8_t *)draw_read(b, &object.target);
    uint32_t wrong = 0;
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            const uint8_t *texel = texels + ((size_t)y * SIZE + x) * 4;
            bool empty = !texel[0] && !texel[1] && !texel[2] && !texel[3];
            wrong += is_inside(x, y) ? !is_lit(texel) : !empty;
        }
    }
    return wrong <= MOST_WRONG;
}

bool object_check(struct bench *b, uint32_t draws, uint32_t queries)
{
    static uint64_t counts[OBJECT_QUERIES];
    bench_submit(b, object.commands);
    BENCH_CHECK(vkGetQueryPoolResults(b->device, object.queries, 0, queries, sizeof(counts), counts, sizeof(counts[0]),
                                      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    bench_result(b, counts, queries * sizeof(counts[0]));
    double samples = 0;
    for (uint32_t i = 0; i < queries; i++)
        samples += (double)counts[i];
    /* The triangle's samples on its edges count for one driver or another; a lost draw is lost with all of them. */
    double each = round(samples / draws);
    return fabs(each - SAMPLES) <= MOST_WRONG && fabs(samples - each * draws) < each / 2 && picture_right(b);
}
