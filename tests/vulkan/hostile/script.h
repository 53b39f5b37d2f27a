/* A program in miniature that uses a bit of everything a driver has: memory, buffers, an image, descriptors, both kinds
 * of pipelines, a render pass, a secondary command buffer, queries, fences, timeline semaphores. It draws, computes on
 * what was drawn, copies, and looks whether the bytes are right.
 *
 * It talks to a driver's library itself, without a loader: failing_memory.c counts the driver's allocations and no
 * other's, threads.c has no code in between that the thread sanitizer does not see. Every step gives the first error;
 * what was made before it is destroyed by script_job_destroy and script_close. */
#ifndef TESTS_VULKAN_SCRIPT_H
#define TESTS_VULKAN_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#define SCRIPT_QUEUES 4 /* of a family, at most */
#define SCRIPT_SIZE 16u /* pixels a side */
#define SCRIPT_TEXELS (SCRIPT_SIZE * SCRIPT_SIZE)

enum script_family {
    SCRIPT_GENERAL,
    SCRIPT_COMPUTE,
    SCRIPT_FAMILIES
};

struct script {
    const VkAllocationCallbacks *alloc;
    VkInstance instance;
    VkPhysicalDevice gpu;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    /* Without a family for compute alone both are one, and its queues. */
    uint32_t families[SCRIPT_FAMILIES], queue_count[SCRIPT_FAMILIES];
    VkQueue queues[SCRIPT_FAMILIES][SCRIPT_QUEUES];
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkRenderPass pass;
    VkShaderModule vertex, fragment, compute;
    VkPipelineCache cache;
};

struct script_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
};

/* One submission's needs. A job of the general family draws; both compute and copy. */
struct script_job {
    struct script *script;
    enum script_family family;
    uint32_t color, factor;
    struct script_buffer result, host;
    void *map;
    VkImage image;
    VkDeviceMemory image_memory;
    VkImageView view;
    VkSampler sampler;
    VkFramebuffer framebuffer;
    VkDescriptorPool sets;
    VkDescriptorSet set;
    VkDescriptorUpdateTemplate update;
    VkPipeline draw, dispatch;
    VkQueryPool queries;
    VkCommandPool pool;
    VkCommandBuffer commands, secondary;
    VkFence fence;
    VkSemaphore timeline;
    VkEvent event;
};

static inline bool script_has_one_family(const struct script *script)
{
    return script->families[SCRIPT_GENERAL] == script->families[SCRIPT_COMPUTE];
}

/* The driver's library; false where there is none. */
bool script_load(const char *library);

VkResult script_open(struct script *script, const VkAllocationCallbacks *alloc);
void script_close(struct script *script);

/* Everything that is drawn and computed follows from `seed`. */
VkResult script_job_create(struct script_job *job, struct script *script, enum script_family family, uint32_t seed);
VkResult script_job_record(struct script_job *job);
VkResult script_job_submit(struct script_job *job, VkQueue queue); /* the caller keeps others off the queue */
VkResult script_job_wait(struct script_job *job);
bool script_job_is_right(const struct script_job *job);
void script_job_destroy(struct script_job *job);

#endif
