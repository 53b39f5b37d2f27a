/* VK_EXT_debug_report, which VK_EXT_debug_utils has replaced: the same messages to the older callbacks. */
#ifndef VULKAN_RUNTIME_VK_DEBUG_REPORT_H
#define VULKAN_RUNTIME_VK_DEBUG_REPORT_H

#include "vulkan/runtime/object/vk_object.h"

struct vk_instance;

/* A message of the runtime in the words of the older extension. The instance's debug lock is held. */
void vk_debug_report_message(struct vk_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                             VkDebugUtilsMessageTypeFlagsEXT types, const struct vk_object_base *object,
                             const char *message);

/* The callback of a create info's chain; vk_instance_debug_init's part. */
VkResult vk_debug_report_add_from_chain(struct vk_instance *instance, const void *chain);
void vk_debug_report_finish(struct vk_instance *instance);

#endif
