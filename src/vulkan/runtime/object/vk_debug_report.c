/* Report callbacks. */
#include "vulkan/runtime/object/vk_debug_report.h"

#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

struct vk_debug_report {
    struct vk_object_base base;
    struct vk_debug_report *next;
    bool at_the_ends; /* from the instance's create info */
    VkDebugReportFlagsEXT flags;
    PFN_vkDebugReportCallbackEXT callback;
    void *user_data;
};

VK_DEFINE_CASTS(vk_debug_report, VkDebugReportCallbackEXT)

static struct vk_debug_report *add_report(struct vk_instance *instance, const VkAllocationCallbacks *allocator,
                                          const VkDebugReportCallbackCreateInfoEXT *info, bool at_the_ends)
{
    struct vk_debug_report *report =
        vk_zalloc(&instance->alloc, allocator, sizeof(*report), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!report)
        return NULL;
    vk_object_base_init(&report->base, NULL, VK_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT);
    report->at_the_ends = at_the_ends;
    report->flags = info->flags;
    report->callback = info->pfnCallback;
    report->user_data = info->pUserData;
    pthread_rwlock_wrlock(&instance->debug.lock);
    report->next = instance->debug.reports;
    instance->debug.reports = report;
    pthread_rwlock_unlock(&instance->debug.lock);
    return report;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateDebugReportCallbackEXT(VkInstance handle,
                                                                      const VkDebugReportCallbackCreateInfoEXT *info,
                                                                      const VkAllocationCallbacks *allocator,
                                                                      VkDebugReportCallbackEXT *report_out)
{
    struct vk_debug_report *report = add_report(vk_instance_from_handle(handle), allocator, info, false);
    if (!report)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *report_out = vk_debug_report_to_handle(report);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyDebugReportCallbackEXT(VkInstance handle,
                                                                   VkDebugReportCallbackEXT report_handle,
                                                                   const VkAllocationCallbacks *allocator)
{
    struct vk_instance *instance = vk_instance_from_handle(handle);
    struct vk_debug_report *report = vk_debug_report_from_handle(report_handle);
    if (!report)
        return;
    pthread_rwlock_wrlock(&instance->debug.lock);
    struct vk_debug_report **place = &instance->debug.reports;
    while (*place && *place != report)
        place = &(*place)->next;
    if (*place)
        *place = report->next;
    pthread_rwlock_unlock(&instance->debug.lock);
    vk_object_base_finish(&report->base);
    vk_free(&instance->alloc, allocator, report);
}

VkResult vk_debug_report_add_from_chain(struct vk_instance *instance, const void *chain)
{
    vk_foreach_struct_const(element, chain)
    {
        if (element->sType == VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT &&
            !add_report(instance, NULL, (const VkDebugReportCallbackCreateInfoEXT *)element, true))
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return VK_SUCCESS;
}

void vk_debug_report_finish(struct vk_instance *instance)
{
    struct vk_debug_report *next;
    for (struct vk_debug_report *report = instance->debug.reports; report; report = next) {
        next = report->next;
        if (report->at_the_ends)
            vk_free(&instance->alloc, NULL, report);
    }
    instance->debug.reports = NULL;
}

static void call_reports(struct vk_instance *instance, VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type,
                         uint64_t object, size_t location, int32_t code, const char *prefix, const char *message)
{
    for (struct vk_debug_report *report = instance->debug.reports; report; report = report->next) {
        bool listens = !report->at_the_ends || instance->debug.at_the_ends;
        if (listens && (report->flags & flags))
            report->callback(flags, type, object, location, code, prefix, message, report->user_data);
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_DebugReportMessageEXT(VkInstance handle, VkDebugReportFlagsEXT flags,
                                                           VkDebugReportObjectTypeEXT type, uint64_t object,
                                                           size_t location, int32_t code, const char *prefix,
                                                           const char *message)
{
    struct vk_instance *instance = vk_instance_from_handle(handle);
    pthread_rwlock_rdlock(&instance->debug.lock);
    call_reports(instance, flags, type, object, location, code, prefix, message);
    pthread_rwlock_unlock(&instance->debug.lock);
}

/* The two enumerations agree but for what was an extension when the older one was made. */
static VkDebugReportObjectTypeEXT report_type(VkObjectType type)
{
    switch (type) {
    case VK_OBJECT_TYPE_SURFACE_KHR:
        return VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT;
    case VK_OBJECT_TYPE_SWAPCHAIN_KHR:
        return VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT;
    case VK_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT:
        return VK_DEBUG_REPORT_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT_EXT;
    case VK_OBJECT_TYPE_DISPLAY_KHR:
        return VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_KHR_EXT;
    case VK_OBJECT_TYPE_DISPLAY_MODE_KHR:
        return VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_MODE_KHR_EXT;
    case VK_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION:
        return VK_DEBUG_REPORT_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION_EXT;
    case VK_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE:
        return VK_DEBUG_REPORT_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_EXT;
    case VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR:
        return VK_DEBUG_REPORT_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR_EXT;
    default:
        return type <= VK_OBJECT_TYPE_COMMAND_POOL ? (VkDebugReportObjectTypeEXT)type
                                                   : VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT;
    }
}

static VkDebugReportFlagsEXT report_flags(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                          VkDebugUtilsMessageTypeFlagsEXT types)
{
    if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
        return VK_DEBUG_REPORT_ERROR_BIT_EXT;
    if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        return types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT ? VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT
                                                                       : VK_DEBUG_REPORT_WARNING_BIT_EXT;
    return severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT ? VK_DEBUG_REPORT_INFORMATION_BIT_EXT
                                                                    : VK_DEBUG_REPORT_DEBUG_BIT_EXT;
}

void vk_debug_report_message(struct vk_instance *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                             VkDebugUtilsMessageTypeFlagsEXT types, const struct vk_object_base *object,
                             const char *message)
{
    call_reports(instance, report_flags(severity, types),
                 object ? report_type(object->type) : VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT, (uintptr_t)object, 0, 0,
                 "tuff", message);
}
