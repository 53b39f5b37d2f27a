/* VkBuffer and VkBufferView: what they were created with, and where the bytes are once memory is bound. The runtime
 * implements buffers whole for a driver whose memory has an address (vk_device_memory::bo); views are the driver's. */
#ifndef VULKAN_RUNTIME_VK_BUFFER_H
#define VULKAN_RUNTIME_VK_BUFFER_H

#include "vulkan/runtime/object/vk_object.h"

struct vk_bo;

struct vk_buffer {
    struct vk_object_base base;
    VkBufferCreateFlags flags;
    VkDeviceSize size_B;
    VkBufferUsageFlags usage;
    VkExternalMemoryHandleTypeFlags external_types;
    uint64_t opaque_address; /* where a replay wants the buffer, or 0 */
    struct vk_bo *bo;        /* the memory's; NULL until it is bound */
    uint64_t va;             /* of the first byte */
    uint64_t reserved_B;     /* addresses of a sparse buffer; 0: it is none */
};

VK_DEFINE_CASTS(vk_buffer, VkBuffer)

/* The usage that a create info and its chain give. No usage above 32 bits is of anything that is offered. */
VkBufferUsageFlags vk_buffer_usage(const VkBufferCreateInfo *info);

/* Whether sets may lie in it (vk_descriptor_buffer.c). */
static inline bool vk_buffer_is_of_descriptors(VkBufferUsageFlags usage)
{
    return usage &
           (VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
            VK_BUFFER_USAGE_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_BIT_EXT);
}

/* An object of `size_B` bytes that begins with a vk_buffer; NULL when there is no memory. */
void *vk_buffer_create(struct vk_device *device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *own,
                       size_t size_B);
void vk_buffer_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_buffer *buffer);

/* The bytes that an offset and a range, which may be VK_WHOLE_SIZE, mean. */
static inline VkDeviceSize vk_buffer_range(const struct vk_buffer *buffer, VkDeviceSize offset_B, VkDeviceSize range_B)
{
    return range_B == VK_WHOLE_SIZE ? buffer->size_B - offset_B : range_B;
}

struct vk_buffer_view {
    struct vk_object_base base;
    struct vk_buffer *buffer;
    VkFormat format;
    VkDeviceSize offset_B, range_B;
    uint32_t elements; /* whole ones in the range */
};

VK_DEFINE_CASTS(vk_buffer_view, VkBufferView)

void *vk_buffer_view_create(struct vk_device *device, const VkBufferViewCreateInfo *info,
                            const VkAllocationCallbacks *own, size_t size_B);
void vk_buffer_view_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_buffer_view *view);

#endif
