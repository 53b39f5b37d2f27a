/* See vk_system_memory.h. */
#include "vulkan/runtime/memory/vk_system_memory.h"

#include <unistd.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_physical_device.h"

static uint64_t pages_B(int name)
{
    return (uint64_t)sysconf(name) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void vk_system_heap_init(struct vk_physical_device *physical, uint64_t addresses_B)
{
    physical->memory.memoryHeapCount = 1;
    physical->memory.memoryHeaps[0] = (VkMemoryHeap){
        .size = MIN2(pages_B(_SC_PHYS_PAGES), addresses_B) / 4 * 3 & ~0xfffull,
        .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT,
    };
}

uint64_t vk_system_heap_budget(const struct vk_physical_device *physical, uint64_t own_B)
{
    return MIN2(pages_B(_SC_AVPHYS_PAGES) + own_B, physical->memory.memoryHeaps[0].size);
}
