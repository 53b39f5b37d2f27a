/* What the Vulkan benchmarks share: a device, buffers, pipelines, and the clock around a submission. Plain Vulkan 1.0
 * on the loader, so that the same program measures every driver. A process measures one scene and ends; nothing is
 * given back before. Not for: correctness beyond "the work was done"; tests/vulkan has that. */
#ifndef BENCH_VULKAN_BENCH_H
#define BENCH_VULKAN_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct bench {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceProperties properties;
    VkDevice device;
    VkQueue queue; /* graphics and compute */
    VkCommandPool pool;
    VkFence fence;
    /* What is measured: recorded by the scene's prepare, submitted again and again. */
    VkCommandBuffer commands;
    double work; /* units that one submission does */
    void *scene; /* the scene's own */
};

/* What a run took: on the clock, and of all cores together. The second is what a loaded machine disturbs less. */
struct bench_took {
    double clock_s, cpu_s;
};

/* One thing to measure. */
struct bench_scene {
    const char *name, *unit, *what;
    /* Make everything, record b->commands between bench_begin and bench_end, set b->work. */
    void (*prepare)(struct bench *b);
    /* After the last run: was the work done? */
    bool (*check)(struct bench *b);
    /* Do b->work once, and answer what of it is to be measured. NULL: submit b->commands and wait. */
    struct bench_took (*run)(struct bench *b);
};

/* They end with a row without a name. */
extern const struct bench_scene bench_compute_scenes[], bench_graphics_scenes[], bench_driver_scenes[];

/* Ends the process with 1 and the words, if the condition does not hold. */
void bench_need(bool condition, const char *what);
#define BENCH_CHECK(call) bench_need((call) == VK_SUCCESS, #call)

void bench_open(struct bench *b);
void bench_close(struct bench *b); /* of one in which nothing else was made */

/* The clocks now, and what has passed since. */
struct bench_took bench_now(void);
struct bench_took bench_since(struct bench_took start);

/* ---- memory ---- */

struct bench_buffer {
    VkBuffer buffer;
    void *map;
    VkDeviceSize size_B;
};

/* A buffer for any use, in memory that the host sees; filled with data, or with zeros if that is NULL. */
struct bench_buffer bench_buffer(struct bench *b, VkDeviceSize size_B, const void *data);

/* Memory for this, of a type with these properties. */
VkDeviceMemory bench_memory(struct bench *b, VkMemoryRequirements needs, VkMemoryPropertyFlags wanted);

/* ---- shaders and sets ---- */

struct bench_spirv {
    const uint32_t *words;
    size_t size_B;
};
#define BENCH_SPIRV(name) ((struct bench_spirv){name, sizeof(name)})

VkShaderModule bench_module(struct bench *b, struct bench_spirv code);

struct bench_compute {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSet set;
};

/* A compute pipeline with these storage buffers at set 0, bindings 0 and up, and push_B bytes of push constants. */
struct bench_compute bench_compute(struct bench *b, struct bench_spirv code, const struct bench_buffer *buffers,
                                   uint32_t buffer_count, uint32_t push_B);

/* ---- recording and running ---- */

void bench_begin(struct bench *b); /* b->commands, which may be submitted many times */
void bench_end(struct bench *b);

/* Bind, push and dispatch. */
void bench_dispatch(struct bench *b, const struct bench_compute *compute, const void *push, uint32_t push_B, uint32_t x,
                    uint32_t y, uint32_t z);

/* Everything before is visible to everything behind, the host included. */
void bench_barrier(VkCommandBuffer commands);

/* Submit these commands and wait for them; what it took. */
struct bench_took bench_submit(struct bench *b, VkCommandBuffer commands);

/* A stream of numbers that is the same everywhere. */
uint32_t bench_random(uint64_t *state);

#endif
