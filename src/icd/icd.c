/* The entry points of the Vulkan loader: the three vk_icd functions, and the commands that need no instance.
 * Everything else is found through them. The rules are those of the loader's document "Driver interface to the
 * Vulkan Loader". */
#include <stdatomic.h>
#include <string.h>

#include "icd/drivers.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/device/vk_extension.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_proc_addr.h"
#include "vulkan/wsi/wsi.h"

#include <vulkan/vk_icd.h>

#define EXPORT __attribute__((visibility("default")))

/* Before version 2 there was no negotiation; since version 7 our vk_icd functions can be asked for by name, too.
 * Version 6 added a function for Windows alone. */
#define INTERFACE_VERSION_MIN 2
#define INTERFACE_VERSION_MAX 7

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name);

static struct vk_instance_extensions instance_extensions; /* the runtime's and the window systems' */
static const struct vk_icd icd = {
    .drivers = vk_drivers,
    .instance_extensions = &instance_extensions,
    .wsi_offer = vk_wsi_offer,
    .wsi_layer = &vk_wsi_layer,
    .wsi = {&vk_wsi_instance_entrypoints, &vk_wsi_physical_device_entrypoints, &vk_wsi_device_entrypoints},
};
static atomic_uint negotiated = INTERFACE_VERSION_MAX; /* for a caller without a loader */

__attribute__((constructor)) static void gather_extensions(void)
{
    for (unsigned i = 0; i < VK_INSTANCE_EXTENSION_COUNT; i++)
        instance_extensions.enabled[i] =
            vk_common_instance_extensions.enabled[i] || vk_wsi_instance_extensions.enabled[i];
}

static VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(uint32_t *version)
{
    *version = VK_RUNTIME_API_VERSION;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
    return vk_two_call(0, count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char *layer_name, uint32_t *count,
                                                                           VkExtensionProperties *properties)
{
    return vk_icd_enumerate_instance_extensions(&icd, layer_name, count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkInstance *instance_out)
{
    /* A loader older than interface 5 does not look at the version: the driver must refuse what such a loader
     * could not carry. */
    uint32_t asked = info->pApplicationInfo ? info->pApplicationInfo->apiVersion : 0;
    if (atomic_load(&negotiated) < 5 && asked >= VK_API_VERSION_1_1)
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    return vk_instance_create(&icd, info, allocator, instance_out);
}

/* The commands of a caller without an instance. */
static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} global_commands[] = {
    {"vkCreateInstance", (PFN_vkVoidFunction)CreateInstance},
    {"vkEnumerateInstanceExtensionProperties", (PFN_vkVoidFunction)EnumerateInstanceExtensionProperties},
    {"vkEnumerateInstanceLayerProperties", (PFN_vkVoidFunction)EnumerateInstanceLayerProperties},
    {"vkEnumerateInstanceVersion", (PFN_vkVoidFunction)EnumerateInstanceVersion},
    {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)vk_icdGetInstanceProcAddr},
};

static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} loader_functions[] = {
    {"vk_icdNegotiateLoaderICDInterfaceVersion", (PFN_vkVoidFunction)vk_icdNegotiateLoaderICDInterfaceVersion},
    {"vk_icdGetInstanceProcAddr", (PFN_vkVoidFunction)vk_icdGetInstanceProcAddr},
    {"vk_icdGetPhysicalDeviceProcAddr", (PFN_vkVoidFunction)vk_icdGetPhysicalDeviceProcAddr},
};

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    if (*version < INTERFACE_VERSION_MIN) {
        LOG_WARN("icd", "the loader's interface %u is older than ours", *version);
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    *version = MIN2(*version, INTERFACE_VERSION_MAX);
    atomic_store(&negotiated, *version);
    return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    if (!name)
        return NULL;
    for (unsigned i = 0; i < ARRAY_SIZE(loader_functions); i++) {
        if (strcmp(name, loader_functions[i].name) == 0)
            return loader_functions[i].function;
    }
    if (instance)
        return vk_instance_get_proc_addr(vk_instance_from_handle(instance), name);
    for (unsigned i = 0; i < ARRAY_SIZE(global_commands); i++) {
        if (strcmp(name, global_commands[i].name) == 0)
            return global_commands[i].function;
    }
    return NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
    return instance ? vk_instance_get_physical_device_proc_addr(vk_instance_from_handle(instance), name) : NULL;
}
