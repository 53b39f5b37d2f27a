/* A buffer object: memory of the kernel that the GPU sees at an address and the CPU, where it is mapped, at a pointer.
 * A family's own struct begins with this one; how it is made, shared and destroyed is the family's. */
#ifndef VULKAN_RUNTIME_VK_BO_H
#define VULKAN_RUNTIME_VK_BO_H

#include "vulkan/runtime/object/vk_api.h"

struct vk_bo {
    uint64_t va, size_B;
    void *map; /* NULL: it is not mapped, or not yet */
};

struct vk_device;
struct vk_device_memory;

/* vk_device::bos: what the runtime does with buffer objects by itself. Any thread may call the functions. */
struct vk_bo_ops {
    /* Memory of whole pages for objects of the runtime's own, mapped, that the CPU and the GPU both read and write.
     * NULL without memory. */
    struct vk_bo *(*create)(struct vk_device *device, uint32_t size_B);
    /* A reference less, of these and of vk_device_memory::bo. */
    void (*destroy)(struct vk_device *device, struct vk_bo *bo);
    /* Where the CPU sees it, from now on until its end; NULL: it cannot. */
    void *(*map)(struct vk_device *device, struct vk_bo *bo);
    /* Memory of an application that is not imported: by type_index, size_B, export_types, opaque_address,
     * host_pointer. */
    VkResult (*allocate)(struct vk_device *device, const struct vk_device_memory *memory, struct vk_bo **bo_out);
    /* By a file descriptor, which stays the caller's. 0, or the kernel's error as a negative number. */
    int (*import_fd)(struct vk_device *device, int fd, struct vk_bo **bo_out);
    int (*export_fd)(struct vk_device *device, struct vk_bo *bo, int *fd_out);
    /* Of memory that is an image's alone: what the kernel says to others about its layout. NULL: nothing. */
    VkResult (*image_imported)(struct vk_device *device, VkImage image, struct vk_bo *bo);
    VkResult (*image_exported)(struct vk_device *device, VkImage image, struct vk_bo *bo);
    /* Memory types, as bits, that an imported one may have. NULL: all plain ones. */
    uint32_t (*types_of)(struct vk_device *device, const struct vk_bo *bo);
};

/* The Vulkan result for an error of the kernel, a negative number. */
VkResult vk_kernel_result(int error);

#endif
