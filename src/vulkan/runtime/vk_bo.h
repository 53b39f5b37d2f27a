/* A buffer object: memory of the kernel that the GPU sees at an address and the CPU, where it is mapped, at a pointer.
 * A family's own struct begins with this one; how it is made, shared and destroyed is the family's. */
#ifndef VULKAN_RUNTIME_VK_BO_H
#define VULKAN_RUNTIME_VK_BO_H

#include <stdint.h>

struct vk_bo {
    uint64_t va, size_B;
    void *map; /* NULL: it is not mapped, or not yet */
};

#endif
