/* Physical devices: the queries that have the same answer for every GPU, and those that are another query in other
 * words. */
#include "vulkan/runtime/device/vk_physical_device.h"

#include <string.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/device/vk_command.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/device/vk_feature.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/object/vk_struct.h"

static void build_dispatch(struct vk_physical_device *physical, const struct vk_physical_device_dispatch *driver)
{
    const struct vk_physical_device_dispatch *sources[] = {driver, physical->instance->icd->wsi.physical_device,
                                                           &vk_common_physical_device_entrypoints};
    for (unsigned slot = 0; slot < VK_PHYSICAL_DEVICE_SLOT_COUNT; slot++) {
        for (unsigned i = 0; i < 3 && !physical->dispatch.slots[slot]; i++)
            physical->dispatch.slots[slot] = sources[i] ? sources[i]->slots[slot] : NULL;
    }
}

static void report_missing(const struct vk_physical_device *physical)
{
    if (!log_enabled(LOG_LEVEL_DEBUG))
        return;
    const struct vk_command *command = NULL;
    while ((command = vk_command_next_missing(command, VK_COMMAND_PHYSICAL_DEVICE, physical->dispatch.slots,
                                              physical->api_version, &physical->instance->enabled_extensions,
                                              &physical->supported_extensions)))
        log_message(LOG_LEVEL_DEBUG, "vulkan", "driver %s promises %s and does not have it", physical->driver->name,
                    vk_command_name(command));
}

VkResult vk_physical_device_init(struct vk_physical_device *physical, struct vk_instance *instance,
                                 const struct vk_physical_device_info *info)
{
    struct vk_device_extensions extensions = *info->supported_extensions;
    struct vk_features features = *info->supported_features;
    if (instance->icd->wsi_offer)
        instance->icd->wsi_offer(&extensions, &features);
    const char *unsound =
        vk_extensions_find_unsound(instance->icd->instance_extensions, &extensions, info->api_version);
    if (unsound) {
        LOG_ERROR("vulkan", "driver %s claims %s without what it needs", info->driver->name, unsound);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    vk_object_base_init(&physical->base, NULL, VK_OBJECT_TYPE_PHYSICAL_DEVICE);
    list_init(&physical->link);
    physical->instance = instance;
    physical->driver = info->driver;
    physical->api_version = info->api_version;
    physical->supported_extensions = extensions;
    physical->supported_features = features;
    physical->formats = info->formats;
    memset(&physical->dispatch, 0, sizeof(physical->dispatch));
    build_dispatch(physical, info->entrypoints);
    report_missing(physical);
    return VK_SUCCESS;
}

void vk_physical_device_finish(struct vk_physical_device *physical)
{
    vk_object_base_finish(&physical->base);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_EnumerateDeviceExtensionProperties(VkPhysicalDevice handle,
                                                                            const char *layer_name, uint32_t *count,
                                                                            VkExtensionProperties *properties)
{
    if (layer_name)
        return VK_ERROR_LAYER_NOT_PRESENT;
    return vk_device_extensions_enumerate(&vk_physical_device_from_handle(handle)->supported_extensions, count,
                                          properties);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_EnumerateDeviceLayerProperties(VkPhysicalDevice handle, uint32_t *count,
                                                                        VkLayerProperties *properties)
{
    return vk_two_call(0, count, properties);
}

/* Tools announce themselves by layers of their own; a driver has none. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPhysicalDeviceToolProperties(VkPhysicalDevice handle, uint32_t *count,
                                                                         VkPhysicalDeviceToolProperties *properties)
{
    return vk_two_call(0, count, properties);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceFeatures2(VkPhysicalDevice handle,
                                                                VkPhysicalDeviceFeatures2 *features)
{
    vk_features_write(&vk_physical_device_from_handle(handle)->supported_features, features);
}

/* The queries of version 1.0 are those of 1.1 without a chain. */

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceFeatures(VkPhysicalDevice handle,
                                                               VkPhysicalDeviceFeatures *features)
{
    VkPhysicalDeviceFeatures2 all = vk_struct_init(VkPhysicalDeviceFeatures2);
    vk_physical_device_from_handle(handle)->dispatch.GetPhysicalDeviceFeatures2(handle, &all);
    *features = all.features;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceProperties(VkPhysicalDevice handle,
                                                                 VkPhysicalDeviceProperties *properties)
{
    VkPhysicalDeviceProperties2 all = vk_struct_init(VkPhysicalDeviceProperties2);
    vk_physical_device_from_handle(handle)->dispatch.GetPhysicalDeviceProperties2(handle, &all);
    *properties = all.properties;
}

/* All numbers of samples that may have places of their own have them on the same grid. */
VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceMultisamplePropertiesEXT(VkPhysicalDevice handle,
                                                                               VkSampleCountFlagBits samples,
                                                                               VkMultisamplePropertiesEXT *properties)
{
    VkPhysicalDeviceSampleLocationsPropertiesEXT locations =
        vk_struct_init(VkPhysicalDeviceSampleLocationsPropertiesEXT);
    VkPhysicalDeviceProperties2 all = vk_struct_init(VkPhysicalDeviceProperties2);
    all.pNext = &locations;
    vk_physical_device_from_handle(handle)->dispatch.GetPhysicalDeviceProperties2(handle, &all);
    properties->maxSampleLocationGridSize =
        samples & locations.sampleLocationSampleCounts ? locations.maxSampleLocationGridSize : (VkExtent2D){0, 0};
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice handle,
                                                                       VkPhysicalDeviceMemoryProperties *properties)
{
    VkPhysicalDeviceMemoryProperties2 all = vk_struct_init(VkPhysicalDeviceMemoryProperties2);
    vk_physical_device_from_handle(handle)->dispatch.GetPhysicalDeviceMemoryProperties2(handle, &all);
    *properties = all.memoryProperties;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceFormatProperties(VkPhysicalDevice handle, VkFormat format,
                                                                       VkFormatProperties *properties)
{
    VkFormatProperties2 all = vk_struct_init(VkFormatProperties2);
    vk_physical_device_from_handle(handle)->dispatch.GetPhysicalDeviceFormatProperties2(handle, format, &all);
    *properties = all.formatProperties;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice handle, VkFormat format, VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage,
    VkImageCreateFlags flags, VkImageFormatProperties *properties)
{
    VkPhysicalDeviceImageFormatInfo2 info = vk_struct_init(VkPhysicalDeviceImageFormatInfo2);
    info.format = format;
    info.type = type;
    info.tiling = tiling;
    info.usage = usage;
    info.flags = flags;
    VkImageFormatProperties2 all = vk_struct_init(VkImageFormatProperties2);
    VkResult result =
        vk_physical_device_from_handle(handle)->dispatch.GetPhysicalDeviceImageFormatProperties2(handle, &info, &all);
    *properties = all.imageFormatProperties;
    return result;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice handle,
                                                                        VkPhysicalDeviceMemoryProperties2 *properties)
{
    struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    properties->memoryProperties = physical->memory;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget =
        vk_find_struct(properties->pNext, VkPhysicalDeviceMemoryBudgetPropertiesEXT);
    if (!budget)
        return;
    memset(budget->heapBudget, 0, sizeof(budget->heapBudget));
    memset(budget->heapUsage, 0, sizeof(budget->heapUsage));
    for (uint32_t i = 0; physical->driver->heap_use && i < physical->memory.memoryHeapCount; i++) {
        uint64_t budget_B;
        physical->driver->heap_use(physical, i, &budget->heapUsage[i], &budget_B);
        budget->heapBudget[i] = MAX2(budget_B & ~0xfffull, 4096); /* never 0 */
    }
}

static void fill_priorities(uint32_t bits, VkQueueFamilyGlobalPriorityPropertiesKHR *out)
{
    static const VkQueueGlobalPriorityKHR all[] = {
        VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR, VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR, VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR,
        VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR};
    out->priorityCount = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
        if (bits & all[i])
            out->priorities[out->priorityCount++] = all[i];
    }
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice handle, uint32_t *count,
                                                                             VkQueueFamilyProperties2 *properties)
{
    struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    vk_two_call(physical->queue_family_count, count, properties);
    for (uint32_t i = 0; properties && i < *count; i++) {
        properties[i].queueFamilyProperties = physical->queue_families[i];
        VkQueueFamilyGlobalPriorityPropertiesKHR *priority =
            vk_find_struct(properties[i].pNext, VkQueueFamilyGlobalPriorityPropertiesKHR);
        if (priority)
            fill_priorities(physical->queue_priorities, priority);
    }
}

/* An array of the larger structures cannot be made from one of the smaller: they go through a temporary one. A query
 * that cannot report a lack of memory writes nothing then and says so. */

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice handle, uint32_t *count,
                                                                            VkQueueFamilyProperties *properties)
{
    struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    if (!properties || *count == 0) {
        physical->dispatch.GetPhysicalDeviceQueueFamilyProperties2(handle, count, NULL);
        *count = properties ? 0 : *count;
        return;
    }
    /* The application's count may be anything. */
    VkQueueFamilyProperties2 all[VK_MAX_QUEUE_FAMILIES];
    *count = MIN2(*count, VK_MAX_QUEUE_FAMILIES);
    for (uint32_t i = 0; i < *count; i++)
        all[i] = vk_struct_init(VkQueueFamilyProperties2);
    physical->dispatch.GetPhysicalDeviceQueueFamilyProperties2(handle, count, all);
    for (uint32_t i = 0; i < *count; i++)
        properties[i] = all[i].queueFamilyProperties;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPhysicalDeviceSparseImageFormatProperties(
    VkPhysicalDevice handle, VkFormat format, VkImageType type, VkSampleCountFlagBits samples, VkImageUsageFlags usage,
    VkImageTiling tiling, uint32_t *count, VkSparseImageFormatProperties *properties)
{
    struct vk_physical_device *physical = vk_physical_device_from_handle(handle);
    const VkAllocationCallbacks *alloc = &physical->instance->alloc;
    VkPhysicalDeviceSparseImageFormatInfo2 info = vk_struct_init(VkPhysicalDeviceSparseImageFormatInfo2);
    info.format = format;
    info.type = type;
    info.samples = samples;
    info.usage = usage;
    info.tiling = tiling;
    if (!properties || *count == 0) {
        physical->dispatch.GetPhysicalDeviceSparseImageFormatProperties2(handle, &info, count, NULL);
        *count = properties ? 0 : *count;
        return;
    }
    VkSparseImageFormatProperties2 *all =
        vk_zalloc(alloc, NULL, sizeof(*all) * *count, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!all) {
        *count = 0;
        return;
    }
    for (uint32_t i = 0; i < *count; i++)
        all[i].sType = VK_STRUCTURE_TYPE_SPARSE_IMAGE_FORMAT_PROPERTIES_2;
    physical->dispatch.GetPhysicalDeviceSparseImageFormatProperties2(handle, &info, count, all);
    for (uint32_t i = 0; i < *count; i++)
        properties[i] = all[i].properties;
    vk_free(alloc, NULL, all);
}

/* Accesses of one aspect may touch what both share (HTILE, one buffer of samples), so that none is promised to stay out
 * of the other. */
void vk_fill_maintenance7(struct vk_properties *properties, void *chain, uint32_t dynamic_buffers)
{
    VkPhysicalDeviceLayeredApiPropertiesListKHR *below =
        vk_find_struct(chain, VkPhysicalDeviceLayeredApiPropertiesListKHR);
    properties->separateDepthStencilAttachmentAccess = false;
    properties->maxDescriptorSetTotalUniformBuffersDynamic = dynamic_buffers;
    properties->maxDescriptorSetTotalStorageBuffersDynamic = dynamic_buffers;
    properties->maxDescriptorSetTotalBuffersDynamic = dynamic_buffers;
    properties->maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic = dynamic_buffers;
    properties->maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic = dynamic_buffers;
    properties->maxDescriptorSetUpdateAfterBindTotalBuffersDynamic = dynamic_buffers;
    if (below)
        below->layeredApiCount = 0;
}
