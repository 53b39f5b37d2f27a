/* A family without a GPU for the tests of meta operations. It keeps each shader's IR and runs it with the interpreter:
 * dispatches really move texels and bytes, and rectangles are really drawn, pixel by pixel. It records what it was
 * asked for. */
#ifndef VULKAN_META_TESTS_SOFT_FAMILY_H
#define VULKAN_META_TESTS_SOFT_FAMILY_H

#include "vulkan/meta/vk_meta.h"
#include "vulkan/runtime/memory/vk_image.h"

#define SOFT_MAX_LEVELS 4
#define SOFT_MEMORY_VA 0x7f0000001000ull /* where the one piece of memory lies that shaders reach */
#define SOFT_MEMORY_B 65536

struct soft_image {
    struct vk_image vk;
    uint8_t *texels[2][SOFT_MAX_LEVELS]; /* of colour or depth, and of stencil: [layer or slice][sample][y][x] */
};

extern struct soft_family {
    struct vk_meta_ops ops; /* the tests take hooks away and put others in */
    uint8_t memory[SOFT_MEMORY_B];
    uint32_t compiles, living; /* shaders */
    uint32_t pipelines;        /* that live */
    VkResult compile_result;
    uint32_t dispatches, draws, barriers;
    uint32_t begun;  /* draw_begin without its draw_end */
    uint32_t hooked; /* calls of hooks that said that they did it */
    bool last_predicated;
    VkImageLayout last_layout; /* of a target */
    VkFormat read_format;      /* the answer of the hook */
} soft;

void soft_reset(void);
extern const struct vk_codegen soft_codegen;

/* One dimension, two or three by what the extent says; zero texels. */
struct soft_image *soft_image_create(struct vk_device *device, VkFormat format, VkImageType type, VkExtent3D extent,
                                     uint32_t levels, uint32_t layers, uint32_t samples);
void soft_image_destroy(struct soft_image *image);
/* An element of an aspect: z counts layers or slices; x and y elements. */
uint8_t *soft_texel(struct soft_image *image, VkImageAspectFlags aspect, uint32_t level, uint32_t x, uint32_t y,
                    uint32_t z, uint32_t sample);
uint32_t soft_element_B(const struct soft_image *image, VkImageAspectFlags aspect);

#endif
