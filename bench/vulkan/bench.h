/* The shared part of the Vulkan benchmarks: a device, buffers, pipelines, and the clock around a submission. Plain
 * Vulkan 1.0 on the loader, but for scenes that need more, so that the same program measures every driver. A process
 * measures one scene and ends; nothing is given back before. Every scene looks at its result in the end: a wrong one
 * is not fast. Not for: the fine print of the specification; tests/vulkan has that. */
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
    VkPhysicalDeviceFeatures features; /* those that are on: of the ones that a check can use, those offered */
    VkDevice device;
    uint32_t family;
    VkQueue queue; /* graphics and compute */
    VkCommandPool pool;
    VkFence fence;
    /* The measured commands: recorded by the scene's prepare, submitted again and again. */
    VkCommandBuffer commands;
    double work;   /* units that one run does */
    uint64_t runs; /* so far, the warm-up with them */
    bool spoil;    /* bench_result hands out something wrong */
};

/* A run's time: on the clock, and of all cores together. The second is disturbed less by a loaded machine. */
struct bench_took {
    double clock_s, cpu_s;
};

/* One thing to measure. */
struct bench_scene {
    const char *name, *unit, *what;
    /* Make everything, record b->commands between bench_begin and bench_end, set b->work. */
    void (*prepare)(struct bench *b);
    /* After the last run: was the work done? What it looks at comes from bench_result. */
    bool (*check)(struct bench *b);
    /* Do b->work once, and return what of it is to be measured. NULL: submit b->commands and wait. */
    struct bench_took (*run)(struct bench *b);
};

/* They end with a row without a name. */
extern const struct bench_scene bench_start_scenes[], bench_pipeline_scenes[], bench_record_scenes[],
    bench_copy_scenes[], bench_compute_scenes[], bench_graphics_scenes[], bench_stage_scenes[], bench_state_scenes[];

/* Ends the process with 1 and the words, if the condition does not hold. */
void bench_need(bool condition, const char *what);
#define BENCH_CHECK(call) bench_need((call) == VK_SUCCESS, #call)

#define BENCH_NOT_OFFERED 77 /* "skipped" to Meson and to run.py */
/* A condition that a device may well lack: says so and ends with BENCH_NOT_OFFERED. */
void bench_offer(bool condition, const char *what);

void bench_open(struct bench *b);
/* Opens the device once more by Vulkan 1.2, with these features; a scene closes the device that it got first. */
void bench_open_narrow(struct bench *b, bool int8, bool float16);
void bench_close(struct bench *b); /* of one in which nothing else was made */

/* The clocks now, and what has passed since. */
struct bench_took bench_now(void);
struct bench_took bench_since(struct bench_took start);

/* ---- memory ---- */

struct bench_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *map;
    VkDeviceSize size_B;
};

/* A buffer for any use, in memory that the host sees; filled with data, or with zeros if that is NULL. */
struct bench_buffer bench_buffer(struct bench *b, VkDeviceSize size_B, const void *data);

/* A buffer in the device's own memory and without data; map is NULL. */
struct bench_buffer bench_device_buffer(struct bench *b, VkDeviceSize size_B);

/* The data that a check looks at. With b->spoil an eighth of it is changed first, which every check must find: that is
 * how a test knows that the checks can fail. */
const void *bench_result(struct bench *b, void *data, size_t size_B);

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
    VkShaderModule module;
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSet set;
};

/* A compute pipeline with these storage buffers at set 0, bindings 0 and up, and push_B bytes of push constants. */
struct bench_compute bench_compute(struct bench *b, struct bench_spirv code, const struct bench_buffer *buffers,
                                   uint32_t buffer_count, uint32_t push_B);
/* Another pipeline of the same layout, with specialization constant 0. */
VkPipeline bench_compute_again(struct bench *b, VkShaderModule module, VkPipelineLayout layout, uint32_t constant);

/* ---- recording and running ---- */

void bench_begin(struct bench *b); /* b->commands, which may be submitted many times */
void bench_end(struct bench *b);

/* Bind, push and dispatch. */
void bench_dispatch(struct bench *b, const struct bench_compute *compute, const void *push, uint32_t push_B, uint32_t x,
                    uint32_t y, uint32_t z);

/* Everything before is visible to everything after, the host included. */
void bench_barrier(VkCommandBuffer commands);

/* The median; sorts the values. */
double bench_median(double *values, size_t count);

/* Submit these commands and wait for them; what it took. */
struct bench_took bench_submit(struct bench *b, VkCommandBuffer commands);

/* A stream of numbers that is the same everywhere. */
uint32_t bench_random(uint64_t *state);
float bench_random_unit(uint64_t *state); /* from 0 to 1, without it */

#endif
