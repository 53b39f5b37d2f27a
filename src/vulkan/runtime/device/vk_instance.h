/* VkInstance: which extensions are on, which physical devices there are. The same for all drivers: what differs between
 * GPUs begins at the physical device. */
#ifndef VULKAN_RUNTIME_VK_INSTANCE_H
#define VULKAN_RUNTIME_VK_INSTANCE_H

#include <pthread.h>

#include "util/list.h"
#include "vulkan/runtime/device/vk_driver.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/object/vk_object.h"

struct vk_instance {
    struct vk_object_base base;
    VkAllocationCallbacks alloc;
    const struct vk_icd *icd;
    struct vk_instance_dispatch dispatch;
    struct vk_instance_extensions enabled_extensions;

    /* The application's word about itself; the version is never 0, the texts may be NULL. */
    uint32_t api_version;
    char *application_name;
    char *engine_name;
    uint32_t application_version;
    uint32_t engine_version;

    struct vk_instance_debug debug;

    pthread_mutex_t lock;         /* guards what follows */
    bool enumerated;              /* the list below is complete and will not change */
    struct list physical_devices; /* struct vk_physical_device::link */
    uint32_t physical_device_count;
};

VK_DEFINE_CASTS(vk_instance, VkInstance)

/* vkCreateInstance and the queries without an instance, for the library described by `icd`, which must outlive them. */
VkResult vk_instance_create(const struct vk_icd *icd, const VkInstanceCreateInfo *info,
                            const VkAllocationCallbacks *allocator, VkInstance *instance_out);
VkResult vk_icd_enumerate_instance_extensions(const struct vk_icd *icd, const char *layer_name, uint32_t *count,
                                              VkExtensionProperties *properties);

/* Enumerate once; afterwards the list may be read without the lock. An error leaves an empty list and is tried again.
 */
VkResult vk_instance_enumerate(struct vk_instance *instance);

#endif
