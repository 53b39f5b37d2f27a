/* Names, tags and labels that VK_EXT_debug_utils attaches to objects. A command on a queue or a command buffer that
 * a driver wants to see as well (to put markers into its stream) is defined there and calls the common one. */
#include <string.h>

#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_debug_utils.h"

/* Whose callbacks allocated it: an object above the device outlives the device that named it. */
static const VkAllocationCallbacks *allocator_of(const struct vk_object_base *object)
{
    if (object->device)
        return &object->device->alloc;
    if (object->type == VK_OBJECT_TYPE_PHYSICAL_DEVICE)
        return &((const struct vk_physical_device *)object)->instance->alloc;
    return object->type == VK_OBJECT_TYPE_INSTANCE ? &((const struct vk_instance *)object)->alloc : NULL;
}

/* NULL for a handle that is no object of ours: surfaces and displays may be the loader's. */
static struct vk_object_base *object_of(VkObjectType type, uint64_t handle)
{
    const struct vk_object_type_info *info = vk_object_type_info_find(type);
    for (; info; info = vk_object_type_info_find((VkObjectType)info->parent)) {
        if (info->type == VK_OBJECT_TYPE_DEVICE)
            break;
    }
    bool above = type == VK_OBJECT_TYPE_INSTANCE || type == VK_OBJECT_TYPE_PHYSICAL_DEVICE;
    if (!info && !above)
        return NULL;
    return (struct vk_object_base *)(uintptr_t)handle;
}

static struct vk_object_debug *debug_of(struct vk_object_base *object)
{
    if (!object->debug)
        object->debug =
            vk_zalloc(allocator_of(object), NULL, sizeof(*object->debug), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    return object->debug;
}

/* ---- names and tags ---- */

static VkResult set_name(struct vk_object_base *object, const char *name)
{
    char *copy = NULL;
    struct vk_object_debug *debug = debug_of(object);
    if (!debug)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (name && *name && !(copy = vk_strdup(allocator_of(object), name, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT)))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    vk_free(allocator_of(object), NULL, debug->name);
    debug->name = copy;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_SetDebugUtilsObjectNameEXT(VkDevice handle,
                                                                    const VkDebugUtilsObjectNameInfoEXT *info)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_object_base *object = object_of(info->objectType, info->objectHandle);
    if (!object)
        return VK_SUCCESS;
    pthread_mutex_lock(&device->object_lock);
    VkResult result = set_name(object, info->pObjectName);
    pthread_mutex_unlock(&device->object_lock);
    return result;
}

static VkResult set_tag(struct vk_object_base *object, const VkDebugUtilsObjectTagInfoEXT *info)
{
    struct vk_object_debug *debug = debug_of(object);
    if (!debug)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    void *copy = vk_alloc(allocator_of(object), NULL, info->tagSize, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!copy)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    vk_free(allocator_of(object), NULL, debug->tag);
    debug->tag = memcpy(copy, info->pTag, info->tagSize);
    debug->tag_size_B = info->tagSize;
    debug->tag_name = info->tagName;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_SetDebugUtilsObjectTagEXT(VkDevice handle,
                                                                   const VkDebugUtilsObjectTagInfoEXT *info)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_object_base *object = object_of(info->objectType, info->objectHandle);
    if (!object)
        return VK_SUCCESS;
    pthread_mutex_lock(&device->object_lock);
    VkResult result = set_tag(object, info);
    pthread_mutex_unlock(&device->object_lock);
    return result;
}

void vk_object_drop_debug(struct vk_object_base *object)
{
    struct vk_object_debug *debug = object->debug;
    const VkAllocationCallbacks *alloc = allocator_of(object);
    if (!debug)
        return;
    vk_object_drop_labels(object);
    vk_free(alloc, NULL, debug->name);
    vk_free(alloc, NULL, debug->tag);
    vk_free(alloc, NULL, debug);
    object->debug = NULL;
}

/* ---- labels ---- */

static void pop_label(struct vk_object_base *object)
{
    struct vk_debug_label *label = object->debug->labels;
    object->debug->labels = label->outer;
    vk_free(allocator_of(object), NULL, label);
}

void vk_object_drop_labels(struct vk_object_base *object)
{
    while (object->debug && object->debug->labels)
        pop_label(object);
}

/* A label of a place (not of a region) ends with the next label. */
static void leave_inserted(struct vk_object_base *object)
{
    if (object->debug && object->debug->labels && object->debug->labels->inserted)
        pop_label(object);
}

static VkResult push_label(struct vk_object_base *object, const VkDebugUtilsLabelEXT *info, bool inserted)
{
    leave_inserted(object);
    struct vk_object_debug *debug = debug_of(object);
    size_t size_B = strlen(info->pLabelName) + 1;
    struct vk_debug_label *label =
        debug ? vk_alloc(allocator_of(object), NULL, sizeof(*label) + size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT) : NULL;
    if (!label)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    label->outer = debug->labels;
    label->inserted = inserted;
    label->label = *info;
    label->label.pNext = NULL;
    label->label.pLabelName = memcpy(label->text, info->pLabelName, size_B);
    debug->labels = label;
    return VK_SUCCESS;
}

/* A region may end in another command buffer than it began in: there is nothing of it to end here. */
static void end_label(struct vk_object_base *object)
{
    leave_inserted(object);
    if (object->debug && object->debug->labels)
        pop_label(object);
}

/* The queue's thread may be sending a message about the queue. */
static void label_queue(VkQueue handle, const VkDebugUtilsLabelEXT *info, bool inserted)
{
    struct vk_object_base *object = (struct vk_object_base *)handle;
    pthread_mutex_lock(&object->device->object_lock);
    VkResult result = push_label(object, info, inserted);
    pthread_mutex_unlock(&object->device->object_lock);
    if (result != VK_SUCCESS)
        vk_device_message(object->device, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                          VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, object, "no memory for a label");
}

VKAPI_ATTR void VKAPI_CALL vk_common_QueueBeginDebugUtilsLabelEXT(VkQueue handle, const VkDebugUtilsLabelEXT *info)
{
    label_queue(handle, info, false);
}

VKAPI_ATTR void VKAPI_CALL vk_common_QueueInsertDebugUtilsLabelEXT(VkQueue handle, const VkDebugUtilsLabelEXT *info)
{
    label_queue(handle, info, true);
}

VKAPI_ATTR void VKAPI_CALL vk_common_QueueEndDebugUtilsLabelEXT(VkQueue handle)
{
    struct vk_object_base *object = (struct vk_object_base *)handle;
    pthread_mutex_lock(&object->device->object_lock);
    end_label(object);
    pthread_mutex_unlock(&object->device->object_lock);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer handle,
                                                                const VkDebugUtilsLabelEXT *info)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    vk_command_buffer_set_error(command_buffer, push_label(&command_buffer->base, info, false));
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer handle,
                                                                 const VkDebugUtilsLabelEXT *info)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    vk_command_buffer_set_error(command_buffer, push_label(&command_buffer->base, info, true));
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdEndDebugUtilsLabelEXT(VkCommandBuffer handle)
{
    end_label(&vk_command_buffer_from_handle(handle)->base);
}
