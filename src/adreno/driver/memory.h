/* Memory: VkDeviceMemory and what the driver allocates for itself. */
#ifndef ADRENO_DRIVER_MEMORY_H
#define ADRENO_DRIVER_MEMORY_H

#include "adreno/driver/kernel.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_device_memory.h"
#include "vulkan/runtime/object/vk_api.h"

struct adreno_device;

/* The buffer object of a memory. */
static inline struct adreno_bo *adreno_memory_bo(const struct vk_device_memory *memory)
{
    return (struct adreno_bo *)memory->bo;
}

/* Memory of the driver's own, mapped (`vk.map`). MSM_BO_WC: the CPU writes; MSM_BO_CACHED_COHERENT, where the chip has
 * it: the CPU reads. */
VkResult adreno_mapped_bo_create(struct adreno_device *device, uint64_t size_B, uint32_t flags,
                                 struct adreno_bo **bo_out);

extern const struct vk_bo_ops adreno_bo_ops;

struct vk_image;

/* Attachments that are in GMEM alone need no memory before something is loaded, stored or drawn there. */
bool adreno_image_is_lazy(const struct vk_image *image);
VkResult adreno_image_commit(const struct vk_image *image);

#endif
