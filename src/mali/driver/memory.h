/* Memory: VkDeviceMemory and what the driver allocates for itself. */
#ifndef MALI_DRIVER_MEMORY_H
#define MALI_DRIVER_MEMORY_H

#include "mali/driver/kernel.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_device_memory.h"
#include "vulkan/runtime/object/vk_api.h"

struct mali_device;

/* The buffer object of a memory. */
static inline struct mali_bo *mali_memory_bo(const struct vk_device_memory *memory)
{
    return (struct mali_bo *)memory->bo;
}

/* Memory of the driver's own, mapped (`vk.map`) and coherent. `flags`: enum mali_bo_flags. */
VkResult mali_mapped_bo_create(struct mali_device *device, uint64_t size_B, uint32_t flags, struct mali_bo **bo_out);

extern const struct vk_bo_ops mali_bo_ops;

/* As the runtime's rooms want it: the first for data, the second for code. */
struct vk_bo *mali_vk_bo_create(struct vk_device *device, uint32_t size_B);
struct vk_bo *mali_vk_bo_create_code(struct vk_device *device, uint32_t size_B);
void mali_vk_bo_destroy(struct vk_device *device, struct vk_bo *bo);

#endif
