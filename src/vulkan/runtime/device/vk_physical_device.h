/* VkPhysicalDevice: what a driver says that a GPU can do. A driver's own struct begins with this one. */
#ifndef VULKAN_RUNTIME_VK_PHYSICAL_DEVICE_H
#define VULKAN_RUNTIME_VK_PHYSICAL_DEVICE_H

#include "util/list.h"
#include "vulkan/runtime/device/vk_driver.h"
#include "vulkan/runtime/device/vk_identity.h"
#include "vulkan/runtime/gen/vk_features.h"
#include "vulkan/runtime/object/vk_object.h"

struct vk_format_ops;
struct vk_instance;
struct vk_properties;

/* No GPU has more. */
#define VK_MAX_QUEUE_FAMILIES 16

struct vk_physical_device {
    struct vk_object_base base;
    struct list link; /* in vk_instance::physical_devices */
    struct vk_instance *instance;
    const struct vk_driver *driver;
    struct vk_identity identity;
    struct vk_physical_device_dispatch dispatch;
    uint32_t api_version;
    struct vk_device_extensions supported_extensions;
    struct vk_features supported_features;
    const struct vk_format_ops *formats; /* vk_format_properties.h */
    /* The driver sets these when it opens the device. */
    VkQueueFamilyProperties queue_families[VK_MAX_QUEUE_FAMILIES];
    uint32_t queue_family_count;
    uint32_t queue_priorities; /* of VkQueueGlobalPriorityKHR, whose values are bits */
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t plain_types;      /* as bits, the memory types of buffers and of memory that others allocated */
    uint32_t descriptor_types; /* the same of descriptor buffers, where these are others; 0: they are not */
    uint32_t buffer_align_B;   /* of a buffer's place in memory, and of its size */
    uint64_t max_allocation_B; /* of one VkDeviceMemory */
};

VK_DEFINE_CASTS(vk_physical_device, VkPhysicalDevice)

/* The parts of a physical device. */
struct vk_physical_device_info {
    const struct vk_driver *driver;
    const struct vk_physical_device_dispatch *entrypoints; /* the driver's; they win over the runtime's */
    uint32_t api_version;                                  /* what vkGetPhysicalDeviceProperties will say */
    const struct vk_device_extensions *supported_extensions;
    const struct vk_features *supported_features;
    const struct vk_format_ops *formats; /* NULL: the driver answers for formats itself */
};

/* VK_ERROR_INITIALIZATION_FAILED when an extension is claimed whose needs are not claimed, too: a driver must not
 * promise what cannot be used. */
VkResult vk_physical_device_init(struct vk_physical_device *physical, struct vk_instance *instance,
                                 const struct vk_physical_device_info *info);
void vk_physical_device_finish(struct vk_physical_device *physical);

/* Properties of VK_KHR_maintenance7 where any mix of `dynamic_buffers` buffers with dynamic offsets fits, and the list
 * of what lies below the driver, which is empty. */
void vk_fill_maintenance7(struct vk_properties *properties, void *chain, uint32_t dynamic_buffers);

#endif
