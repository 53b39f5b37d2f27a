/* Images, views, samplers and descriptors for the end-to-end cases: all are freed when a case ends. An image knows the
 * layout that it is in. */
#ifndef TESTS_VULKAN_VT_IMAGE_H
#define TESTS_VULKAN_VT_IMAGE_H

#include "vt/vt.h"
#include "vt/vt_format.h"

struct vt_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageCreateInfo info;
    VkImageAspectFlags aspects;
    VkImageLayout layout; /* of all its parts */
};

/* Defaults: 2D (without a height: 1D), one texel deep, one level, one layer, one sample, optimal tiling, copies both
 * ways. */
struct vt_image_info {
    VkFormat format;
    uint32_t width, height, depth, levels, layers;
    VkImageType type;
    VkSampleCountFlagBits samples;
    VkImageUsageFlags usage; /* beside copies */
    VkImageCreateFlags flags;
    bool linear;              /* tiling; memory that the host sees */
    const void *next;         /* a chain for the image */
    const uint32_t *families; /* two that use it without a change of owner; NULL: one at a time */
};

/* Skips the case where the device has no such image. */
struct vt_image vt_image(struct vt *vt, const struct vt_image_info *info);

/* The common one. */
struct vt_image vt_image_2d(struct vt *vt, VkFormat format, uint32_t width, uint32_t height, VkImageUsageFlags usage);

VkImageView vt_view(struct vt *vt, const struct vt_image *image, VkImageViewType type);

/* Only the fields type, format, components and subresourceRange of `info` count; 0 means: as the image is. */
VkImageView vt_view_of(struct vt *vt, const struct vt_image *image, VkImageViewCreateInfo info);

/* Only filters, modes, LOD, compare, border and anisotropy count. */
VkSampler vt_sampler(struct vt *vt, VkSamplerCreateInfo info);

VkBufferView vt_buffer_view(struct vt *vt, const struct vt_buffer *buffer, VkFormat format, VkDeviceSize offset_B,
                            VkDeviceSize range_B);

/* Skips where optimal tiling lacks any of these. */
void vt_need_features(struct vt *vt, VkFormat format, VkFormatFeatureFlags features);

/* ---- recording ---- */

/* After everything before, in another layout (or the same). VK_IMAGE_LAYOUT_UNDEFINED as the present layout discards.
 */
void vt_to_layout(VkCommandBuffer commands, struct vt_image *image, VkImageLayout layout);

/* Bytes of a level of an image with `layers` layers. */
size_t vt_level_B(const struct vt_image *image, uint32_t level, uint32_t layers, VkImageAspectFlags aspect);

static inline uint32_t vt_mip(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}

/* ---- the whole way: these submit and wait ---- */

/* Fill all layers of a level with tight data, and leave the image in `layout`. */
void vt_upload(struct vt *vt, struct vt_image *image, uint32_t level, const void *data, VkImageLayout layout);

/* All layers of a level as tight data, which lives as long as the case. */
void *vt_download(struct vt *vt, struct vt_image *image, uint32_t level);
void *vt_download_aspect(struct vt *vt, struct vt_image *image, uint32_t level, VkImageAspectFlags aspect);

/* Record the copy of a level to a new buffer. */
struct vt_buffer vt_record_download(struct vt *vt, VkCommandBuffer commands, struct vt_image *image, uint32_t level,
                                    VkImageAspectFlags aspect);

/* Random texels that are numbers: no NaN and no infinity. Floats are between -2 and 2. */
void vt_random_texels(const struct vt_format *format, uint64_t *seed, void *texels, size_t count);

/* ---- descriptors ---- */

struct vt_binding {
    VkDescriptorType type;
    uint32_t count; /* 0: 1 */
    VkDescriptorImageInfo image;
    VkDescriptorBufferInfo buffer;
    VkBufferView view;
    const VkDescriptorImageInfo *images; /* of arrays */
    const VkDescriptorBufferInfo *buffers;
    const VkBufferView *views;
    const void *inline_data; /* `count` bytes */
};

#define VT_STORAGE_BUFFER(b)                                                                                           \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = {(b).buffer, 0, VK_WHOLE_SIZE }                           \
    }
#define VT_UNIFORM_BUFFER(b)                                                                                           \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .buffer = {(b).buffer, 0, VK_WHOLE_SIZE }                           \
    }
#define VT_STORAGE_IMAGE(v)                                                                                            \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .image = { VK_NULL_HANDLE, v, VK_IMAGE_LAYOUT_GENERAL }              \
    }
#define VT_SAMPLED(s, v)                                                                                               \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .image = { s, v, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL } \
    }

struct vt_set {
    VkDescriptorSetLayout layout;
    VkDescriptorSet set;
};

struct vt_set vt_set(struct vt *vt, const struct vt_binding *bindings, uint32_t count);
VkDescriptorSetLayout vt_set_layout(struct vt *vt, const struct vt_binding *bindings, uint32_t count,
                                    VkDescriptorSetLayoutCreateFlags flags);
VkPipelineLayout vt_pipeline_layout(struct vt *vt, const VkDescriptorSetLayout *sets,
                                    uint32_t count); /* with 128 bytes of push constants for all stages */
VkShaderModule vt_module(struct vt *vt, struct vt_spirv code);
VkPipeline vt_compute_pipeline(struct vt *vt, struct vt_spirv code, VkPipelineLayout layout,
                               const VkSpecializationInfo *specialization);

/* Integer constants 0 and up. The result points into `space`; that of VT_CONSTANTS lives as long as the block that it
 * stands in, and an if is a block. */
struct vt_constants {
    int32_t values[8];
    VkSpecializationMapEntry entries[8];
    VkSpecializationInfo info;
};
const VkSpecializationInfo *vt_constants(struct vt_constants *space, uint32_t count, const int32_t *values);
#define VT_CONSTANTS(...)                                                                                              \
    vt_constants(&(struct vt_constants){.values = {0}}, sizeof((int32_t[]){__VA_ARGS__}) / 4, (int32_t[]){__VA_ARGS__})

/* A compute shader on one set, from nothing to the end. */
void vt_dispatch(struct vt *vt, struct vt_spirv code, const VkSpecializationInfo *specialization,
                 const struct vt_binding *bindings, uint32_t count, uint32_t x, uint32_t y, uint32_t z);

/* Texels as a shader sees them that looks at an image by sampler (binding 0) once for each coordinate (1, results in
 * 2), in workgroups of 64. */
const float (*vt_look(struct vt *vt, struct vt_spirv code, VkSampler sampler, VkImageView view,
                      const float (*coordinates)[4], uint32_t count))[4];

/* ---- expectations ---- */

/* Compare a texel with a colour; `codes` is the allowed distance in codes of the format, `absolute` another allowance,
 * the greater counts. */
bool vt_texel_is(const struct vt_format *format, const void *texel, const double expected[4], double codes,
                 double absolute);
_Noreturn void vt_fail_texel(struct vt *vt, const struct vt_format *format, const void *texel, const double expected[4],
                             const char *what, uint32_t x, uint32_t y, uint32_t z);

/* Every texel of a tight picture has this colour. */
void vt_expect_color(struct vt *vt, VkFormat format, const void *texels, uint32_t width, uint32_t height,
                     const double expected[4], double codes, const char *what);

/* Compare bytes; fails with the first difference, reported as a texel of rows of `width` texels. */
void vt_expect_texels(struct vt *vt, const void *got, const void *expected, uint32_t texel_B, uint32_t width,
                      size_t count, const char *what);

#endif
