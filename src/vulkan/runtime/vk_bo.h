/* A buffer object: memory of the kernel that the GPU sees at an address and the CPU, where it is mapped, at a pointer.
 * A family's own struct begins with this one; how it is made, shared and destroyed is the family's. */
#ifndef VULKAN_RUNTIME_VK_BO_H
#define VULKAN_RUNTIME_VK_BO_H

#include <stdint.h>

struct vk_bo {
    uint64_t va, size_B;
    void *map; /* NULL: it is not mapped, or not yet */
};

struct vk_device;

/* vk_device::bos: what the runtime does with buffer objects by itself. Any thread may call the functions. */
struct vk_bo_ops {
    /* Memory of whole pages for objects of the runtime's own, mapped, that the CPU and the GPU both read and write. NULL
     * without memory. */
    struct vk_bo *(*create)(struct vk_device *device, uint32_t size_B);
    /* A reference less, of these and of vk_device_memory::bo. */
    void (*destroy)(struct vk_device *device, struct vk_bo *bo);
    /* Where the CPU sees it, from now on until its end; NULL: it cannot. */
    void *(*map)(struct vk_device *device, struct vk_bo *bo);
};

#endif
