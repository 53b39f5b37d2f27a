/* Sparse buffers and images: their memory, and images of which every second block has some. */
#ifndef TESTS_VULKAN_SPARSE_MEMORY_H
#define TESTS_VULKAN_SPARSE_MEMORY_H

#include "vt/vt_image.h"

#define MAX_BLOCKS 160

/* Skips where the device lacks what the case is about, or the queue cannot bind. */
void sparse_need(struct vt *vt, bool has);
bool sparse_reads_zero(const struct vt *vt); /* what has no memory */

VkDeviceMemory sparse_allocate(struct vt *vt, const VkMemoryRequirements *needs, VkDeviceSize size_B);
void sparse_bind(struct vt *vt, const VkBindSparseInfo *info); /* and waits */

/* ---- images ---- */

struct sparse_image {
    VkImage image;
    VkImageCreateInfo info;
    VkMemoryRequirements needs;
    VkSparseImageMemoryRequirements sparse;
    uint32_t element_w, element_h, element_B; /* a texel, or a block of texels of a compressed format */
};

struct sparse_image_info {
    VkFormat format;
    VkExtent3D extent; /* depth 0: 2D */
    uint32_t levels, layers;
    VkImageCreateFlags flags;
    VkImageUsageFlags usage; /* beside copies */
};

/* Skips where there is no such image. */
struct sparse_image sparse_image(struct vt *vt, const struct sparse_image_info *info);
VkExtent3D sparse_level(const struct sparse_image *image, uint32_t level);

/* Of an image that sparse_image_half has bound: every second block in all directions, and all of the tail. The place is
 * in texels. */
bool sparse_is_bound(const struct sparse_image *image, VkOffset3D at, uint32_t level, uint32_t layer);
struct sparse_image sparse_image_half(struct vt *vt, const struct sparse_image_info *info);

VkImageView sparse_view(struct vt *vt, const struct sparse_image *image, VkImageViewType type, uint32_t first_level,
                        uint32_t levels, uint32_t first_layer, uint32_t layers);

/* From nothing to the general layout. */
void sparse_transition(VkCommandBuffer commands, const struct sparse_image *image);

/* All levels tight in a buffer, one after the other. Returns how many copies there are, and the size of all. */
uint32_t sparse_copies(const struct sparse_image *image, VkBufferImageCopy *copies, VkDeviceSize *size_B);

/* The cases' fillers of images: calls for each element in the order of sparse_copies, with the place of its first
 * texel. */
typedef void (*sparse_element_fn)(const struct sparse_image *image, VkOffset3D at, uint32_t level, uint32_t layer,
                                  void *element);
void sparse_elements(const struct sparse_image *image, sparse_element_fn element_of, void *bytes);
void sparse_fill(struct vt *vt, const struct sparse_image *image, sparse_element_fn element_of);

#endif
