/* Messengers, and sending a message to all listeners. */
#include "vulkan/runtime/object/vk_debug_utils.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/log.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_debug_report.h"
#include "vulkan/runtime/object/vk_struct.h"

#define MESSAGE_SIZE_B 1024 /* of a message of ours; longer ones are cut */

struct vk_debug_messenger {
    struct vk_object_base base;
    struct vk_debug_messenger *next;
    bool at_the_ends; /* from the instance's create info */
    VkDebugUtilsMessageSeverityFlagsEXT severities;
    VkDebugUtilsMessageTypeFlagsEXT types;
    PFN_vkDebugUtilsMessengerCallbackEXT callback;
    void *user_data;
};

VK_DEFINE_CASTS(vk_debug_messenger, VkDebugUtilsMessengerEXT)

/* ---- messengers ---- */

static struct vk_debug_messenger *add_messenger(struct vk_instance *instance, const VkAllocationCallbacks *allocator,
                                                const VkDebugUtilsMessengerCreateInfoEXT *info, bool at_the_ends)
{
    struct vk_debug_messenger *messenger =
        vk_zalloc(&instance->alloc, allocator, sizeof(*messenger), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!messenger)
        return NULL;
    vk_object_base_init(&messenger->base, NULL, VK_OBJECT_TYPE_DEBUG_UTILS_MESSENGER_EXT);
    messenger->at_the_ends = at_the_ends;
    messenger->severities = info->messageSeverity;
    messenger->types = info->messageType;
    messenger->callback = info->pfnUserCallback;
    messenger->user_data = info->pUserData;
    pthread_rwlock_wrlock(&instance->debug.lock);
    messenger->next = instance->debug.messengers;
    instance->debug.messengers = messenger;
    pthread_rwlock_unlock(&instance->debug.lock);
    return messenger;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateDebugUtilsMessengerEXT(VkInstance handle,
                                                                      const VkDebugUtilsMessengerCreateInfoEXT *info,
                                                                      const VkAllocationCallbacks *allocator,
                                                                      VkDebugUtilsMessengerEXT *messenger_out)
{
    struct vk_debug_messenger *messenger = add_messenger(vk_instance_from_handle(handle), allocator, info, false);
    if (!messenger)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *messenger_out = vk_debug_messenger_to_handle(messenger);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyDebugUtilsMessengerEXT(VkInstance handle,
                                                                   VkDebugUtilsMessengerEXT messenger_handle,
                                                                   const VkAllocationCallbacks *allocator)
{
    struct vk_instance *instance = vk_instance_from_handle(handle);
    struct vk_debug_messenger *messenger = vk_debug_messenger_from_handle(messenger_handle);
    if (!messenger)
        return;
    pthread_rwlock_wrlock(&instance->debug.lock);
    struct vk_debug_messenger **place = &instance->debug.messengers;
    while (*place && *place != messenger)
        place = &(*place)->next;
    if (*place)
        *place = messenger->next;
    pthread_rwlock_unlock(&instance->debug.lock);
    vk_object_base_finish(&messenger->base);
    vk_free(&instance->alloc, allocator, messenger);
}

/* ---- the instance's own ---- */

VkResult vk_instance_debug_init(struct vk_instance *instance, const void *chain)
{
    pthread_rwlock_init(&instance->debug.lock, NULL);
    instance->debug.at_the_ends = true;
    vk_foreach_struct_const(element, chain)
    {
        if (element->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT &&
            !add_messenger(instance, NULL, (const VkDebugUtilsMessengerCreateInfoEXT *)element, true))
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return vk_debug_report_add_from_chain(instance, chain);
}

void vk_instance_debug_created(struct vk_instance *instance)
{
    instance->debug.at_the_ends = false;
}

void vk_instance_debug_destroying(struct vk_instance *instance)
{
    instance->debug.at_the_ends = true;
}

/* Messengers that the application did not destroy are removed here, too; which callbacks allocated them is unknown,
 * so their memory stays. */
void vk_instance_debug_finish(struct vk_instance *instance)
{
    struct vk_debug_messenger *next;
    for (struct vk_debug_messenger *messenger = instance->debug.messengers; messenger; messenger = next) {
        next = messenger->next;
        if (messenger->at_the_ends)
            vk_free(&instance->alloc, NULL, messenger);
    }
    instance->debug.messengers = NULL;
    vk_debug_report_finish(instance);
    pthread_rwlock_destroy(&instance->debug.lock);
}

/* ---- messages ---- */

static void call_messengers(struct vk_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                            VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    for (struct vk_debug_messenger *messenger = instance->debug.messengers; messenger; messenger = messenger->next) {
        bool listens = !messenger->at_the_ends || instance->debug.at_the_ends;
        if (listens && (messenger->severities & severity) && (messenger->types & types))
            messenger->callback(severity, types, data, messenger->user_data);
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_SubmitDebugUtilsMessageEXT(VkInstance handle,
                                                                VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                                VkDebugUtilsMessageTypeFlagsEXT types,
                                                                const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    struct vk_instance *instance = vk_instance_from_handle(handle);
    pthread_rwlock_rdlock(&instance->debug.lock);
    call_messengers(instance, severity, types, data);
    pthread_rwlock_unlock(&instance->debug.lock);
}

static enum log_level log_level_of(VkDebugUtilsMessageSeverityFlagBitsEXT severity)
{
    if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
        return LOG_LEVEL_ERROR;
    if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        return LOG_LEVEL_WARN;
    return severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG;
}

static uint32_t label_count(const struct vk_object_base *object)
{
    uint32_t count = 0;
    const struct vk_debug_label *label = object && object->debug ? object->debug->labels : NULL;
    for (; label; label = label->outer)
        count++;
    return count;
}

/* The object's name and labels are in use until the last callback has returned. */
static void message_about(struct vk_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                          VkDebugUtilsMessageTypeFlagsEXT types, const struct vk_object_base *object,
                          const char *message)
{
    VkDebugUtilsMessengerCallbackDataEXT data = vk_struct_init(VkDebugUtilsMessengerCallbackDataEXT);
    VkDebugUtilsObjectNameInfoEXT name = vk_struct_init(VkDebugUtilsObjectNameInfoEXT);
    data.pMessageIdName = "tuff";
    data.pMessage = message;
    if (object) {
        name.objectType = object->type;
        name.objectHandle = (uintptr_t)object;
        name.pObjectName = vk_object_name(object);
        data.objectCount = 1;
        data.pObjects = &name;
    }
    uint32_t count = label_count(object), i = 0;
    VkDebugUtilsLabelEXT *labels =
        count ? vk_alloc(&instance->alloc, NULL, count * sizeof(*labels), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND) : NULL;
    if (labels) {
        for (const struct vk_debug_label *label = object->debug->labels; label; label = label->outer)
            labels[i++] = label->label;
        if (object->type == VK_OBJECT_TYPE_QUEUE) {
            data.queueLabelCount = count;
            data.pQueueLabels = labels;
        } else {
            data.cmdBufLabelCount = count;
            data.pCmdBufLabels = labels;
        }
    }
    call_messengers(instance, severity, types, &data);
    vk_free(&instance->alloc, NULL, labels);
}

static void send_message(struct vk_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                         VkDebugUtilsMessageTypeFlagsEXT types, const struct vk_object_base *object, const char *format,
                         va_list arguments)
{
    char message[MESSAGE_SIZE_B];
    vsnprintf(message, sizeof(message), format, arguments);
    LOG_AT(log_level_of(severity), "vulkan", "%s", message);
    pthread_rwlock_rdlock(&instance->debug.lock);
    if (instance->debug.messengers) {
        struct vk_device *device = object ? object->device : NULL;
        if (device)
            pthread_mutex_lock(&device->object_lock);
        message_about(instance, severity, types, object, message);
        if (device)
            pthread_mutex_unlock(&device->object_lock);
    }
    if (instance->debug.reports)
        vk_debug_report_message(instance, severity, types, object, message);
    pthread_rwlock_unlock(&instance->debug.lock);
}

void vk_debug_message(struct vk_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                      VkDebugUtilsMessageTypeFlagsEXT types, const struct vk_object_base *object, const char *format,
                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    send_message(instance, severity, types, object, format, arguments);
    va_end(arguments);
}

void vk_device_message(struct vk_device *device, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                       VkDebugUtilsMessageTypeFlagsEXT types, const struct vk_object_base *object, const char *format,
                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    send_message(device->physical->instance, severity, types, object ? object : &device->base, format, arguments);
    va_end(arguments);
}
