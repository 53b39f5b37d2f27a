/* Instances: creation, extensions, the list of physical devices. */
#include "vulkan/runtime/device/vk_instance.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan/runtime/device/vk_enumerate.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/device/vk_hint.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/device/vk_proc_addr.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_enum.h"

/* Of glibc's heap, beyond what is in use. */
#define KEPT_HEAP_B (8u << 20)

const struct vk_instance_extensions vk_common_instance_extensions = {
    .EXT_debug_report = true,
    .EXT_debug_utils = true,
    .KHR_device_group_creation = true,
    .KHR_external_fence_capabilities = true,
    .KHR_external_memory_capabilities = true,
    .KHR_external_semaphore_capabilities = true,
    .KHR_get_physical_device_properties2 = true,
};

VkResult vk_icd_enumerate_instance_extensions(const struct vk_icd *icd, const char *layer_name, uint32_t *count,
                                              VkExtensionProperties *properties)
{
    if (layer_name)
        return VK_ERROR_LAYER_NOT_PRESENT;
    return vk_instance_extensions_enumerate(icd->instance_extensions, count, properties);
}

static void build_dispatch(struct vk_instance *instance)
{
    const struct vk_instance_dispatch *sources[] = {instance->icd->wsi.instance, &vk_common_instance_entrypoints};
    for (unsigned slot = 0; slot < VK_INSTANCE_SLOT_COUNT; slot++) {
        for (unsigned i = 0; i < 2 && !instance->dispatch.slots[slot]; i++)
            instance->dispatch.slots[slot] = sources[i] ? sources[i]->slots[slot] : NULL;
    }
}

static VkResult copy_application_info(struct vk_instance *instance, const VkApplicationInfo *info)
{
    instance->api_version = info && info->apiVersion ? info->apiVersion : VK_API_VERSION_1_0;
    /* Since Vulkan 1.1 no version, whatever it says, is a reason to refuse. */
    if (!info)
        return VK_SUCCESS;
    instance->application_version = info->applicationVersion;
    instance->engine_version = info->engineVersion;
    instance->application_name =
        vk_strdup(&instance->alloc, info->pApplicationName, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    instance->engine_name = vk_strdup(&instance->alloc, info->pEngineName, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    bool lost =
        (info->pApplicationName && !instance->application_name) || (info->pEngineName && !instance->engine_name);
    return lost ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

static void destroy_physical_devices(struct vk_instance *instance)
{
    list_foreach (&instance->physical_devices, struct vk_physical_device, physical, link) {
        list_remove(&physical->link);
        physical->driver->close(physical);
        vk_physical_device_finish(physical);
        vk_free(&instance->alloc, NULL, physical);
    }
    instance->physical_device_count = 0;
}

/* For every instance and device the loader takes and clears lists of several megabytes, a fifth more than glibc keeps
 * of a heap's end: each instance that goes would give them back to the kernel, and the next one would fault them in
 * again, page by page, for a third of its time. glibc keeps twice the largest block of pages of its own that was ever
 * freed. This one is hardly touched. Not sooner than with an instance's end: until then the loader's first lists are
 * such blocks, which nothing has to clear. */
static void keep_heap_for_next(const struct vk_instance *instance)
{
    static atomic_flag asked = ATOMIC_FLAG_INIT;
    bool own_memory = instance->alloc.pfnAllocation != vk_default_allocator.pfnAllocation;
    if (own_memory || atomic_flag_test_and_set_explicit(&asked, memory_order_relaxed))
        return;
    void *volatile block = malloc(KEPT_HEAP_B / 2); /* volatile: compilers leave out a block that is only freed */
    free(block);
}

static void destroy_instance(struct vk_instance *instance)
{
    keep_heap_for_next(instance);
    vk_instance_debug_destroying(instance);
    destroy_physical_devices(instance);
    vk_free(&instance->alloc, NULL, instance->application_name);
    vk_free(&instance->alloc, NULL, instance->engine_name);
    pthread_mutex_destroy(&instance->lock);
    vk_object_base_finish(&instance->base);
    vk_instance_debug_finish(instance);
    VkAllocationCallbacks alloc = instance->alloc;
    vk_free(&alloc, NULL, instance);
}

VkResult vk_instance_create(const struct vk_icd *icd, const VkInstanceCreateInfo *info,
                            const VkAllocationCallbacks *allocator, VkInstance *instance_out)
{
    if (!allocator)
        allocator = &vk_default_allocator;
    if (info->enabledLayerCount > 0)
        return VK_ERROR_LAYER_NOT_PRESENT; /* layers are the loader's; it does not pass them on */

    struct vk_instance *instance = vk_zalloc(allocator, NULL, sizeof(*instance), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!instance)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    vk_object_base_init(&instance->base, NULL, VK_OBJECT_TYPE_INSTANCE);
    instance->alloc = *allocator;
    instance->icd = icd;
    pthread_mutex_init(&instance->lock, NULL);
    list_init(&instance->physical_devices);
    build_dispatch(instance);

    VkResult result = vk_instance_debug_init(instance, info->pNext);
    if (result == VK_SUCCESS)
        result = copy_application_info(instance, info->pApplicationInfo);
    if (result == VK_SUCCESS)
        result = vk_instance_extensions_from_names(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                                                   icd->instance_extensions, &instance->enabled_extensions);
    if (result != VK_SUCCESS) {
        vk_debug_message(instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                         VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, NULL, "no instance was created: %s",
                         vk_VkResult_name(result));
        destroy_instance(instance);
        return result;
    }
    vk_instance_debug_created(instance);
    *instance_out = vk_instance_to_handle(instance);
    return VK_SUCCESS;
}

VkResult vk_instance_enumerate(struct vk_instance *instance)
{
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&instance->lock);
    if (!instance->enumerated) {
        result = vk_enumerate_devices(instance);
        if (result == VK_SUCCESS)
            instance->enumerated = true;
        else
            destroy_physical_devices(instance);
    }
    pthread_mutex_unlock(&instance->lock);
    return result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_common_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    return vk_instance_get_proc_addr(vk_instance_from_handle(handle), name);
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    if (handle)
        destroy_instance(vk_instance_from_handle(handle));
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_EnumeratePhysicalDevices(VkInstance handle, uint32_t *count,
                                                                  VkPhysicalDevice *devices)
{
    struct vk_instance *instance = vk_instance_from_handle(handle);
    VkResult result = vk_instance_enumerate(instance);
    if (result != VK_SUCCESS)
        return result;
    result = vk_two_call(instance->physical_device_count, count, devices);
    uint32_t written = 0;
    list_foreach (&instance->physical_devices, struct vk_physical_device, physical, link) {
        if (devices && written < *count)
            devices[written++] = vk_physical_device_to_handle(physical);
    }
    if (written)
        vk_hint_gpus_seen();
    return result;
}

/* Every device is a group of its own. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_EnumeratePhysicalDeviceGroups(VkInstance handle, uint32_t *count,
                                                                       VkPhysicalDeviceGroupProperties *groups)
{
    struct vk_instance *instance = vk_instance_from_handle(handle);
    VkResult result = vk_instance_enumerate(instance);
    if (result != VK_SUCCESS)
        return result;
    result = vk_two_call(instance->physical_device_count, count, groups);
    uint32_t written = 0;
    list_foreach (&instance->physical_devices, struct vk_physical_device, physical, link) {
        if (!groups || written == *count)
            continue;
        VkPhysicalDeviceGroupProperties *group = &groups[written++];
        group->physicalDeviceCount = 1;
        memset(group->physicalDevices, 0, sizeof(group->physicalDevices));
        group->physicalDevices[0] = vk_physical_device_to_handle(physical);
        group->subsetAllocation = VK_FALSE;
    }
    return result;
}
