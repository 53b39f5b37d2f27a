/* VK_EXT_debug_utils: messengers, names and tags of objects, labels of queues and command buffers; and the one function
 * by which the runtime and the drivers report to the application, and to the log, that something is wrong. */
#ifndef VULKAN_RUNTIME_VK_DEBUG_UTILS_H
#define VULKAN_RUNTIME_VK_DEBUG_UTILS_H

#include <pthread.h>
#include <stdbool.h>

#include "vulkan/runtime/object/vk_object.h"

struct vk_debug_messenger;
struct vk_debug_report;
struct vk_instance;

/* An instance's state; all zero is the empty state. */
struct vk_instance_debug {
    pthread_rwlock_t lock; /* written by creation and destruction alone: messages of many threads do not wait */
    struct vk_debug_messenger *messengers;
    struct vk_debug_report *reports;
    bool at_the_ends; /* the instance is being created or destroyed: those of its create info listen, too */
};

/* A label and those that it stands in. */
struct vk_debug_label {
    struct vk_debug_label *outer;
    bool inserted; /* a place, not a region: gone with the next label */
    VkDebugUtilsLabelEXT label;
    char text[];
};

/* The application's data for an object; allocated on first use. */
struct vk_object_debug {
    char *name;
    uint64_t tag_name;
    size_t tag_size_B;
    void *tag;
    struct vk_debug_label *labels; /* innermost first; of a queue or a command buffer */
};

/* Read the callbacks of a VkInstanceCreateInfo's chain: they listen from here to the end of vkCreateInstance
 * (vk_instance_debug_created) and again while the instance is destroyed (vk_instance_debug_finish, the last). */
VkResult vk_instance_debug_init(struct vk_instance *instance, const void *chain);
void vk_instance_debug_created(struct vk_instance *instance);
void vk_instance_debug_destroying(struct vk_instance *instance);
void vk_instance_debug_finish(struct vk_instance *instance);

/* Report to all listeners: the log (at the level that the severity stands for), messengers, report callbacks.
 * `object` may be NULL. Not with a device's object_lock held. */
void vk_debug_message(struct vk_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                      VkDebugUtilsMessageTypeFlagsEXT types, const struct vk_object_base *object, const char *format,
                      ...) __attribute__((format(printf, 5, 6)));

/* A message of the device's instance; about the device where `object` is NULL. */
void vk_device_message(struct vk_device *device, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                       VkDebugUtilsMessageTypeFlagsEXT types, const struct vk_object_base *object, const char *format,
                       ...) __attribute__((format(printf, 5, 6)));

/* The commonest: an error without misuse, and work that is slower than it looks. */
#define vk_device_error(device, object, ...)                                                                           \
    vk_device_message((device), VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,                                         \
                      VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, (object), __VA_ARGS__)
#define vk_device_slow(device, object, ...)                                                                            \
    vk_device_message((device), VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,                                       \
                      VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT, (object), __VA_ARGS__)

/* "name" as the application gave it, or NULL. Valid until the object is named again or destroyed. */
static inline const char *vk_object_name(const struct vk_object_base *object)
{
    return object->debug ? object->debug->name : NULL;
}

/* For the end of an object's life, and of a command buffer's recording. */
void vk_object_drop_debug(struct vk_object_base *object);
void vk_object_drop_labels(struct vk_object_base *object);

#endif
