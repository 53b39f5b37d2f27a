/* The cost of recording in a driver, whatever the GPU is. Only the calls between the first draw and the last are
 * timed; the recording is submitted once, in the end, to see that every draw of it draws. BENCH_DRAWS, for whoever
 * reads the streams, is a smaller number of draws. Not for: executed work. */
#include "object.h"

#include <stdlib.h>

#define DRAWS 10000u
#define SECONDARIES OBJECT_QUERIES
#define DRAWS_IN_SECONDARY (DRAWS / SECONDARIES)

/* ---- draws ---- */

static uint32_t draws = DRAWS;

/* The loop in each caller, so that what stands between draws is a call of Vulkan and nothing else. */
#define RECORD(b, between)                                                                                             \
    do {                                                                                                               \
        BENCH_CHECK(vkResetCommandPool((b)->device, object.pool, 0));                                                  \
        object_begin(b, VK_SUBPASS_CONTENTS_INLINE);                                                                   \
        struct bench_took start = bench_now();                                                                         \
        for (uint32_t i = 0; i < draws; i++) {                                                                         \
            between;                                                                                                   \
            vkCmdDraw(object.commands, 3, 1, 0, 0);                                                                    \
        }                                                                                                              \
        took = bench_since(start);                                                                                     \
        object_end(b);                                                                                                 \
    } while (0)

static void prepare_recording(struct bench *b)
{
    const char *fewer = getenv("BENCH_DRAWS");
    object_make(b);
    if (fewer)
        draws = (uint32_t)strtoul(fewer, NULL, 10);
    b->work = draws;
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
    RECORD(b, object_bind_set(object.commands, i));
    return took;
}

static struct bench_took record_pipelines(struct bench *b)
{
    struct bench_took took;
    RECORD(b, object_bind_pipeline(object.commands, i));
    return took;
}

static struct bench_took record_pushes(struct bench *b)
{
    struct bench_took took;
    RECORD(b, object_push(object.commands, i));
    return took;
}

static bool check_recording(struct bench *b)
{
    return object_check(b, draws, 1);
}

/* ---- secondary command buffers ---- */

static VkCommandBuffer secondaries[SECONDARIES];
static bool counting; /* a query in each, for the check alone */

static void prepare_secondaries(struct bench *b)
{
    prepare_recording(b);
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = object.pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                  .commandBufferCount = SECONDARIES};
    BENCH_CHECK(vkAllocateCommandBuffers(b->device, &allocate, secondaries));
}

static void record_secondary(struct bench *b, uint32_t index)
{
    const VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                      .renderPass = object.target.pass,
                                                      .framebuffer = object.target.framebuffer};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inherited};
    VkCommandBuffer commands = secondaries[index];
    BENCH_CHECK(vkBeginCommandBuffer(commands, &begin));
    if (counting)
        vkCmdBeginQuery(commands, object.queries, index, VK_QUERY_CONTROL_PRECISE_BIT);
    object_bind_all(commands);
    for (uint32_t i = 0; i < DRAWS_IN_SECONDARY; i++)
        vkCmdDraw(commands, 3, 1, 0, 0);
    if (counting)
        vkCmdEndQuery(commands, object.queries, index);
    BENCH_CHECK(vkEndCommandBuffer(commands));
}

/* Each is recorded and executed: what an engine does whose threads record a part of the frame each. */
static struct bench_took record_secondaries(struct bench *b)
{
    BENCH_CHECK(vkResetCommandPool(b->device, object.pool, 0));
    object_begin(b, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    struct bench_took start = bench_now();
    for (uint32_t i = 0; i < SECONDARIES; i++)
        record_secondary(b, i);
    vkCmdExecuteCommands(object.commands, SECONDARIES, secondaries);
    struct bench_took took = bench_since(start);
    object_end(b);
    return took;
}

static bool check_secondaries(struct bench *b)
{
    counting = true;
    record_secondaries(b);
    return object_check(b, DRAWS, SECONDARIES);
}

/* ---- reset ---- */

static void prepare_reset(struct bench *b)
{
    object_make(b);
    b->work = 1;
}

static struct bench_took reset_draws(struct bench *b)
{
    record_pushes(b);
    struct bench_took start = bench_now();
    BENCH_CHECK(vkResetCommandPool(b->device, object.pool, 0));
    return bench_since(start);
}

static bool check_reset(struct bench *b)
{
    record_draws(b);
    return check_recording(b);
}

const struct bench_scene bench_record_scenes[] = {
    {"record", "draw/s", "record a draw with nothing new", prepare_recording, check_recording, record_draws},
    {"record_set", "draw/s", "record a descriptor set and a draw", prepare_recording, check_recording, record_sets},
    {"record_pipe", "draw/s", "record another pipeline and a draw", prepare_recording, check_recording,
     record_pipelines},
    {"record_push", "draw/s", "record 16 bytes of push constants and a draw", prepare_recording, check_recording,
     record_pushes},
    {"record_second", "draw/s", "1,000 secondary command buffers of 10 draws, recorded and executed",
     prepare_secondaries, check_secondaries, record_secondaries},
    {"reset", "reset/s", "reset a pool of 10,000 draws with push constants", prepare_reset, check_reset, reset_draws},
    {0},
};
