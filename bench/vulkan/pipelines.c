/* The cost of a pipeline that no cache knows: each has another specialization constant. Creation alone, and creation
 * until its first result is there, because some drivers compile at the first use. Not for: its run (graphics.c,
 * compute.c). */
#include "object.h"

#include "bench_variant_comp.h"

#define RESULTS 256u /* of variant.comp, four workgroups */

/* ---- graphics ---- */

static void prepare_graphics(struct bench *b)
{
    object_make(b);
    b->work = 1;
}

static VkPipeline new_graphics(struct bench *b)
{
    object.info.constant++;
    return draw_pipeline_again(b, &object.target, &object.info, &object.pipelines[0]);
}

static void record_graphics(struct bench *b, VkPipeline pipeline)
{
    BENCH_CHECK(vkResetCommandPool(b->device, object.pool, 0));
    object_begin(b, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(object.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(object.commands, 3, 1, 0, 0);
    object_end(b);
}

static struct bench_took create_graphics(struct bench *b)
{
    struct bench_took start = bench_now();
    VkPipeline pipeline = new_graphics(b);
    struct bench_took took = bench_since(start);
    vkDestroyPipeline(b->device, pipeline, NULL);
    return took;
}

static struct bench_took use_graphics(struct bench *b)
{
    struct bench_took start = bench_now();
    VkPipeline pipeline = new_graphics(b);
    record_graphics(b, pipeline);
    bench_submit(b, object.commands);
    struct bench_took took = bench_since(start);
    vkDestroyPipeline(b->device, pipeline, NULL);
    return took;
}

static bool check_graphics(struct bench *b)
{
    record_graphics(b, new_graphics(b));
    return object_check(b, 1, 1);
}

/* ---- compute ---- */

static struct {
    struct bench_compute kind;
    struct bench_buffer results;
    uint32_t constant;
} kernel;

static void prepare_compute(struct bench *b)
{
    kernel.results = bench_buffer(b, RESULTS * sizeof(uint32_t), NULL);
    kernel.kind = bench_compute(b, BENCH_SPIRV(bench_variant_comp), &kernel.results, 1, 0);
    b->work = 1;
}

static VkPipeline new_compute(struct bench *b)
{
    return bench_compute_again(b, kernel.kind.module, kernel.kind.layout, ++kernel.constant);
}

static struct bench_took create_compute(struct bench *b)
{
    struct bench_took start = bench_now();
    VkPipeline pipeline = new_compute(b);
    struct bench_took took = bench_since(start);
    vkDestroyPipeline(b->device, pipeline, NULL);
    return took;
}

static struct bench_took use_compute(struct bench *b)
{
    struct bench_took start = bench_now();
    struct bench_compute compute = kernel.kind;
    compute.pipeline = new_compute(b);
    bench_begin(b);
    bench_dispatch(b, &compute, NULL, 0, RESULTS / 64, 1, 1);
    bench_barrier(b->commands);
    bench_end(b);
    bench_submit(b, b->commands);
    struct bench_took took = bench_since(start);
    vkFreeCommandBuffers(b->device, b->pool, 1, &b->commands);
    vkDestroyPipeline(b->device, compute.pipeline, NULL);
    return took;
}

/* variant.comp in C. */
static uint32_t expected(uint32_t index, uint32_t variant)
{
    uint32_t values[64], first = index & ~63u;
    for (uint32_t lane = 0; lane < 64; lane++) {
        uint32_t x = (first + lane) ^ variant * 0x9e3779b9u;
        for (uint32_t i = 0; i < (variant & 3) + 2; i++)
            x = (x & 1 ? (x >> 1) * 0x85ebca6bu : x ^ x << 13) + i;
        values[lane] = x;
    }
    uint32_t lane = index & 63, near = values[(lane + 1) & 63], far = values[(lane + variant) & 63];
    return near < far ? near + values[lane] * 3 : far ^ values[lane] >> 5;
}

static bool check_compute(struct bench *b)
{
    use_compute(b);
    const uint32_t *results = bench_result(b, kernel.results.map, RESULTS * sizeof(*results));
    for (uint32_t i = 0; i < RESULTS; i++) {
        if (results[i] != expected(i, kernel.constant))
            return false;
    }
    return true;
}

const struct bench_scene bench_pipeline_scenes[] = {
    {"pipeline", "pipeline/s", "create a graphics pipeline that no cache knows", prepare_graphics, check_graphics,
     create_graphics},
    {"first_use", "pipeline/s", "create one, record a draw, submit and wait", prepare_graphics, check_graphics,
     use_graphics},
    {"pipeline_comp", "pipeline/s", "create a compute pipeline that no cache knows", prepare_compute, check_compute,
     create_compute},
    {"first_use_comp", "pipeline/s", "create one, record a dispatch, submit and wait", prepare_compute, check_compute,
     use_compute},
    {0},
};
