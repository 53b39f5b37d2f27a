/* vkGetInstanceProcAddr, vkGetDeviceProcAddr and the loader's vk_icdGetPhysicalDeviceProcAddr: which names have a
 * function, by the tables of the specification's chapter "Command Function Pointers". */
#ifndef VULKAN_RUNTIME_VK_PROC_ADDR_H
#define VULKAN_RUNTIME_VK_PROC_ADDR_H

#include "vulkan/runtime/gen/vk_dispatch.h"

struct vk_instance;
struct vk_device;

/* Functions that find their table through their first parameter: for callers that do not know the device yet. */
extern const struct vk_physical_device_dispatch vk_physical_device_trampolines;
extern const struct vk_device_dispatch vk_device_trampolines;

/* With a valid instance. NULL for global commands (they belong to no instance), for core versions above the one that
 * the application asked for, for instance extensions that are not enabled and device extensions that no device has. */
PFN_vkVoidFunction vk_instance_get_proc_addr(struct vk_instance *instance, const char *name);

/* Addresses of physical-device-level commands alone. */
PFN_vkVoidFunction vk_instance_get_physical_device_proc_addr(struct vk_instance *instance, const char *name);

/* Device-level commands of the device's version and of enabled extensions; NULL for everything else. */
PFN_vkVoidFunction vk_device_get_proc_addr(const struct vk_device *device, const char *name);

#endif
