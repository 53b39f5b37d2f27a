/* VkDeviceMemory: what an allocation was asked for, read once from the chain. The bytes are the driver's. */
#ifndef VULKAN_RUNTIME_VK_DEVICE_MEMORY_H
#define VULKAN_RUNTIME_VK_DEVICE_MEMORY_H

#include "vulkan/runtime/object/vk_object.h"

struct vk_bo;

struct vk_device_memory {
    struct vk_object_base base;
    VkDeviceSize size_B;
    uint32_t type_index;
    VkMemoryAllocateFlags flags;
    VkExternalMemoryHandleTypeFlags export_types;
    VkExternalMemoryHandleTypeFlagBits import_type; /* 0: nothing is imported */
    int import_fd;                                  /* -1: none; becomes the driver's when the allocation succeeds */
    void *host_pointer;                             /* imported memory of the application, or NULL */
    uint64_t opaque_address;                        /* where a replay wants the memory, or 0 */
    VkImage dedicated_image;
    VkBuffer dedicated_buffer;
    float priority;   /* 0.5 where nothing was said */
    struct vk_bo *bo; /* set by the driver's vkAllocateMemory; whose it is, is the driver's matter */
};

VK_DEFINE_CASTS(vk_device_memory, VkDeviceMemory)

/* An object of `size_B` bytes that begins with a vk_device_memory; NULL when there is no memory. */
void *vk_device_memory_create(struct vk_device *device, const VkMemoryAllocateInfo *info,
                              const VkAllocationCallbacks *own, size_t size_B);
/* Of a VkBind*MemoryInfo's chain: whoever asked for its own result has it. */
void vk_bind_succeeded(const void *chain);
void vk_device_memory_destroy(struct vk_device *device, const VkAllocationCallbacks *own,
                              struct vk_device_memory *memory);

#endif
