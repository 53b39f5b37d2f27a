/* Sparse resources: ranges of addresses that have no memory until a queue binds some to a part of them. A driver gives
 * the ranges and puts memory there; commands, submissions and buffers are the runtime's. */
#ifndef VULKAN_RUNTIME_VK_SPARSE_H
#define VULKAN_RUNTIME_VK_SPARSE_H

#include "vulkan/runtime/memory/vk_image.h"

struct vk_bo;

/* Whole blocks; without a buffer object they lose their memory. */
struct vk_sparse_bind {
    uint64_t va, size_B;
    struct vk_bo *bo;
    uint64_t offset_B; /* in the buffer object */
};

/* vk_device::sparse. Numbers that are returned: 0, or the kernel's error as a negative number. */
struct vk_sparse_ops {
    uint32_t block_B; /* what is bound is a multiple of it, and so is where */
    /* Addresses of which the GPU reads zero and where its writes are lost; at a place of the caller's unless at_va is
     * 0, else where descriptor buffers may be if `of_descriptors`. */
    int (*reserve)(struct vk_device *device, uint64_t size_B, uint64_t at_va, bool of_descriptors, uint64_t *va_out);
    void (*release)(struct vk_device *device, uint64_t va, uint64_t size_B);
    /* At once: what the GPU did there before must be over. */
    int (*bind)(struct vk_device *device, const struct vk_sparse_bind *bind);
    /* The texels of a block of an image, and the address of one of a level outside of the tail, counted in blocks. */
    VkExtent3D (*block_extent)(const struct vk_image *image, VkImageAspectFlags aspect);
    uint64_t (*block_va)(const struct vk_image *image, const VkImageSubresource *subresource, VkOffset3D block);
};

#endif
