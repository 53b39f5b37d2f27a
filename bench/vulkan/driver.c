/* What a driver itself costs, whatever the GPU is: recording draws, creating pipelines, starting. Only the measured
 * part is timed. Recordings are submitted once, in the end, to see that they draw. Not for: executed work (graphics.c,
 * compute.c). */
#include "draw.h"

#include "bench_light_frag.h"
#include "bench_object_vert.h"

static struct draw_target target; /* of the scene; a process has one */

/* ---- an object to draw ---- */

struct scene_uniforms {
    float transform[4][4], light[4];
};

static struct {
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet sets[2];
    struct draw_pipeline_info info;
    struct draw_pipeline pipelines[2]; /* with the same layout */
    struct bench_buffer vertices;
    VkCommandPool pool; /* of what is recorded again and again */
    VkCommandBuffer commands;
} object;

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

static void make_object(struct bench *b)
{
    static const struct draw_vertex vertices[3] = {{{-0.5f, -0.5f, 0.5f, 1}, {0, 0, 1, 0}},
                                                   {{0.5f, -0.5f, 0.5f, 1}, {0, 0, 1, 0}},
                                                   {{0, 0.5f, 0.5f, 1}, {0, 0, 1, 0}}};
    target = draw_target(b, &(struct draw_target_info){.size = 64, .clear = true, .depth = true});
    make_sets(b);
    object.info = (struct draw_pipeline_info){.vertex = BENCH_SPIRV(bench_object_vert),
                                              .fragment = BENCH_SPIRV(bench_light_frag),
                                              .vertices = true,
                                              .set_layout = object.set_layout,
                                              .push_B = 4 * sizeof(float)};
    object.pipelines[0] = draw_pipeline(b, &target, &object.info);
    object.info.constant++;
    object.info.blend = true;
    object.pipelines[1] = object.pipelines[0];
    object.pipelines[1].pipeline = draw_pipeline_again(b, &target, &object.info, &object.pipelines[0]);
    object.vertices = bench_buffer(b, sizeof(vertices), vertices);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    BENCH_CHECK(vkCreateCommandPool(b->device, &pool, NULL, &object.pool));
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = object.pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    BENCH_CHECK(vkAllocateCommandBuffers(b->device, &allocate, &object.commands));
}

static bool check_object(struct bench *b)
{
    bench_submit(b, object.commands);
    const uint32_t *texels = draw_read(b, &target);
    size_t drawn = 0, all = (size_t)target.color.width * target.color.height;
    for (size_t i = 0; i < all; i++)
        drawn += texels[i] >> 24 == 255;
    return drawn > all / 16 && drawn < all / 2;
}

/* ---- recording ---- */

static void bind_set(uint32_t i)
{
    vkCmdBindDescriptorSets(object.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, object.pipelines[0].layout, 0, 1,
                            &object.sets[i % 2], 0, NULL);
}

static void bind_pipeline(uint32_t i)
{
    vkCmdBindPipeline(object.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, object.pipelines[i % 2].pipeline);
}

static void push_place(uint32_t i)
{
    const float place[4] = {(float)i * 0x1p-30f};
    vkCmdPushConstants(object.commands, object.pipelines[0].layout,
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(place), place);
}

static void begin_recording(struct bench *b)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    BENCH_CHECK(vkBeginCommandBuffer(object.commands, &begin));
    b->commands = object.commands;
    draw_begin_pass(b, &target);
    bind_pipeline(0);
    bind_set(0);
    push_place(0);
    vkCmdBindVertexBuffers(object.commands, 0, 1, &object.vertices.buffer, &(VkDeviceSize){0});
}

static void end_recording(struct bench *b)
{
    draw_end_pass(b);
    bench_end(b);
}

/* The loop in each caller, so that what stands between draws is a call of Vulkan and nothing else. */
#define RECORD(b, between)                                                                                             \
    do {                                                                                                               \
        uint32_t draws = (uint32_t)(b)->work;                                                                          \
        BENCH_CHECK(vkResetCommandPool((b)->device, object.pool, 0));                                                  \
        begin_recording(b);                                                                                            \
        struct bench_took start = bench_now();                                                                         \
        for (uint32_t i = 0; i < draws; i++) {                                                                         \
            between;                                                                                                   \
            vkCmdDraw(object.commands, 3, 1, 0, 0);                                                                    \
        }                                                                                                              \
        took = bench_since(start);                                                                                     \
        end_recording(b);                                                                                              \
    } while (0)

static void prepare_recording(struct bench *b)
{
    make_object(b);
    b->work = 10000;
}

static struct bench_took record_draws(struct bench *b)
{
    struct bench_took took;
    RECORD(b, (void)0);
    return took;
}

static struct bench_took record_sets(struct bench *b)
{
    struct bench_took took;
    RECORD(b, bind_set(i));
    return took;
}

static struct bench_took record_pipelines(struct bench *b)
{
    struct bench_took took;
    RECORD(b, bind_pipeline(i));
    return took;
}

static struct bench_took record_pushes(struct bench *b)
{
    struct bench_took took;
    RECORD(b, push_place(i));
    return took;
}

/* What resetting a pool costs for each draw that was in it. */
static struct bench_took reset_draws(struct bench *b)
{
    struct bench_took took;
    RECORD(b, push_place(i));
    struct bench_took start = bench_now();
    BENCH_CHECK(vkResetCommandPool(b->device, object.pool, 0));
    took = bench_since(start);
    return took;
}

static bool check_reset(struct bench *b)
{
    record_draws(b);
    return check_object(b);
}

/* ---- pipelines ---- */

/* Each with another constant, so that no cache knows it. */
static void prepare_pipelines(struct bench *b)
{
    make_object(b);
    b->work = 1;
}

static VkPipeline new_pipeline(struct bench *b)
{
    object.info.constant++;
    return draw_pipeline_again(b, &target, &object.info, &object.pipelines[0]);
}

static void record_with(struct bench *b, VkPipeline pipeline)
{
    BENCH_CHECK(vkResetCommandPool(b->device, object.pool, 0));
    begin_recording(b);
    vkCmdBindPipeline(object.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(object.commands, 3, 1, 0, 0);
    end_recording(b);
}

static struct bench_took create_pipeline(struct bench *b)
{
    struct bench_took start = bench_now();
    VkPipeline pipeline = new_pipeline(b);
    struct bench_took took = bench_since(start);
    vkDestroyPipeline(b->device, pipeline, NULL);
    return took;
}

static struct bench_took create_and_use(struct bench *b)
{
    struct bench_took start = bench_now();
    VkPipeline pipeline = new_pipeline(b);
    record_with(b, pipeline);
    bench_submit(b, object.commands);
    struct bench_took took = bench_since(start);
    vkDestroyPipeline(b->device, pipeline, NULL);
    return took;
}

static bool check_pipelines(struct bench *b)
{
    record_with(b, new_pipeline(b));
    return check_object(b);
}

/* ---- starting ---- */

static void prepare_start(struct bench *b)
{
    b->work = 1;
}

/* An instance, a device, a pool and a fence; an instance lives already, so that the libraries are loaded. */
static struct bench_took start_again(struct bench *b)
{
    struct bench other = {0};
    struct bench_took start = bench_now();
    bench_open(&other);
    struct bench_took took = bench_since(start);
    bench_close(&other);
    return took;
}

/* As an application that has just been started; what the loader has to do is in it. */
static struct bench_took start_alone(struct bench *b)
{
    bench_close(b);
    struct bench_took start = bench_now();
    bench_open(b);
    return bench_since(start);
}

static bool check_start(struct bench *b)
{
    return b->properties.deviceName[0] != 0;
}

const struct bench_scene bench_driver_scenes[] = {
    {"record", "draw/s", "record a draw with nothing new", prepare_recording, check_object, record_draws},
    {"record_set", "draw/s", "record a descriptor set and a draw", prepare_recording, check_object, record_sets},
    {"record_pipe", "draw/s", "record a pipeline and a draw", prepare_recording, check_object, record_pipelines},
    {"record_push", "draw/s", "record 16 bytes of push constants and a draw", prepare_recording, check_object,
     record_pushes},
    {"reset", "draw/s", "reset a pool of 10,000 draws with push constants", prepare_recording, check_reset,
     reset_draws},
    {"pipeline", "pipeline/s", "create a graphics pipeline that no cache knows", prepare_pipelines, check_pipelines,
     create_pipeline},
    {"first_use", "pipeline/s", "create one, record a draw, submit and wait", prepare_pipelines, check_pipelines,
     create_and_use},
    {"start", "start/s", "create an instance and a device beside others", prepare_start, check_start, start_again},
    {"start_alone", "start/s", "create an instance and a device, the only ones", prepare_start, check_start,
     start_alone},
    {0},
};
