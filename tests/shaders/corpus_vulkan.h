/* The shared part of run_vulkan: the device, buffers, the images of set 1, drawing. */
#ifndef TESTS_SHADERS_CORPUS_VULKAN_H
#define TESTS_SHADERS_CORPUS_VULKAN_H

#include <stdbool.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

#include "world.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define CHECK(call) check((call), #call)

struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *map;
    uint64_t address;
};

extern VkPhysicalDevice physical;
extern VkDevice device;

/* Ends the program where the result is an error. */
void check(VkResult result, const char *what);
struct buffer make_buffer(VkDeviceSize size_B);
VkDeviceMemory allocate_memory(const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted, bool address);
VkShaderModule make_module(const char *path);
/* Commands between the two run at once. */
VkCommandBuffer begin_commands(void);
void end_commands(VkCommandBuffer commands);

/* corpus_images.c */
VkDescriptorSetLayout make_image_layout(void);
/* `modules` is the directory of the corpus: two of its shaders fill the image of many samples. */
VkDescriptorSet make_image_set(VkDescriptorSetLayout layout, const struct buffer *input, const struct buffer *second,
                               const char *modules);
/* As they are before a run, and what they are after it: the bytes at `*data_out`. */
void fill_storage_images(void);
size_t read_storage_images(const void **data_out);

/* corpus_draw.c */
struct draw {
    VkPipelineLayout layout;
    VkDescriptorSet sets[2];
    uint32_t num_sets;
    VkBuffer vertices;
    const void *push;
    bool plain;
};

/* Draws the job's shader with the corpus' own for the other stage, and leaves the targets in `world`. */
void draw_job(const struct job *job, const struct draw *draw, struct world *world);
/* Draws `fragment` over all samples of an image of 8 by 8. */
void draw_samples(const char *modules, VkFormat format, uint32_t samples, VkImageView view);

/* Images by themselves, for both. */
struct image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
};

struct image_row {
    uint32_t binding;
    VkDescriptorType type;
    VkImageType dimensions;
    VkImageViewType view;
    VkFormat format;
    uint32_t extent[3];
    uint32_t levels, layers, samples, texel_B;
};

struct image make_image(const struct image_row *row, VkImageUsageFlags usage, VkImageAspectFlags aspect);
void image_barrier(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from);

#endif
