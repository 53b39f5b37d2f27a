/* The memory of a GPU that has none of its own: one heap, the system's. */
#ifndef VULKAN_RUNTIME_VK_SYSTEM_MEMORY_H
#define VULKAN_RUNTIME_VK_SYSTEM_MEMORY_H

#include <stdint.h>

struct vk_physical_device;

/* Three quarters of the host's memory are ours to use, as far as there are addresses for it. */
void vk_system_heap_init(struct vk_physical_device *physical, uint64_t addresses_B);

/* For vk_driver::heap_use, of a process that has `own_B`. No kernel counts for all processes: the budget is what the
 * host has left, and what is ours already. */
uint64_t vk_system_heap_budget(const struct vk_physical_device *physical, uint64_t own_B);

#endif
