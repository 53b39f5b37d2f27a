/* A physical device of an open kernel file: the chip by its id, memory heaps and types, queue families, identities. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "adreno/driver/device.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/driver/format.h"
#include "adreno/driver/image.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/vk_format_properties.h"
#include "vulkan/runtime/vk_instance.h"
#include "vulkan/runtime/vk_offer.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_syncobj.h"

#define VENDOR_QUALCOMM 0x5143

/* ---- memory ---- */

static void add_type(struct adreno_physical_device *physical, VkMemoryPropertyFlags flags, uint32_t bo_flags)
{
    uint32_t index = physical->vk.memory.memoryTypeCount++;
    physical->vk.memory.memoryTypes[index] = (VkMemoryType){.propertyFlags = flags};
    physical->bo_flags[index] = bo_flags;
}

/* There is one memory, the system's: three quarters of it are ours to use, as far as there are addresses for it. */
static void init_memory(struct adreno_physical_device *physical)
{
    const uint64_t host_B = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t size_B = MIN2(host_B, physical->kernel->va_size_B) / 4 * 3 & ~0xfffull;
    const VkMemoryPropertyFlags all = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    physical->vk.memory.memoryHeapCount = 1;
    physical->vk.memory.memoryHeaps[0] = (VkMemoryHeap){.size = size_B, .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    add_type(physical, all, MSM_BO_WC);
    if (physical->chip->has_cached_coherent)
        add_type(physical, all | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, MSM_BO_CACHED_COHERENT);
    physical->vk.plain_types = (1u << physical->vk.memory.memoryTypeCount) - 1;
    physical->vk.buffer_align_B = 64;
    physical->vk.max_allocation_B = UINT32_MAX & ~4095ull;
    add_type(physical, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, MSM_BO_WC);
}

VKAPI_ATTR void VKAPI_CALL adreno_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice handle,
                                                                     VkPhysicalDeviceMemoryProperties2 *properties)
{
    struct adreno_physical_device *physical = adreno_physical_device_from_handle(handle);
    properties->memoryProperties = physical->vk.memory;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget =
        vk_find_struct(properties->pNext, VkPhysicalDeviceMemoryBudgetPropertiesEXT);
    if (!budget)
        return;
    memset(budget->heapBudget, 0, sizeof(budget->heapBudget));
    memset(budget->heapUsage, 0, sizeof(budget->heapUsage));
    /* The kernel does not count for all processes: what the host has left, and what is ours already. A page is kept so
     * that the answer is never 0. */
    const uint64_t own_B = atomic_load(&physical->kernel->allocated_B),
                   size_B = physical->vk.memory.memoryHeaps[0].size;
    const uint64_t free_B = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    budget->heapUsage[0] = own_B;
    budget->heapBudget[0] = MAX2(MIN2(free_B + own_B, size_B) & ~0xfffull, 4096);
}

/* ---- queues ---- */

VKAPI_ATTR void VKAPI_CALL adreno_GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice handle, uint32_t *count,
                                                                          VkQueueFamilyProperties2 *properties)
{
    if (!properties) {
        *count = 1;
        return;
    }
    *count = MIN2(*count, 1u);
    if (!*count)
        return;
    properties->queueFamilyProperties = (VkQueueFamilyProperties){
        .queueFlags = ADRENO_QUEUE_FLAGS,
        .queueCount = 1,
        .timestampValidBits = 48,
        .minImageTransferGranularity = {1, 1, 1},
    };
    VkQueueFamilyGlobalPriorityPropertiesKHR *priority =
        vk_find_struct(properties->pNext, VkQueueFamilyGlobalPriorityPropertiesKHR);
    if (priority) {
        priority->priorityCount = 3;
        priority->priorities[0] = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR;
        priority->priorities[1] = VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR;
        priority->priorities[2] = VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR;
    }
}

/* ---- discovery ---- */

const struct adreno_chip *adreno_chip_of(const struct vk_physical_device *physical)
{
    return ((const struct adreno_physical_device *)physical)->chip;
}

static VkResult init_vk(struct adreno_physical_device *physical, struct vk_instance *instance)
{
    struct vk_device_extensions extensions = {0};
    struct vk_features features = {0};
    adreno_fill_extensions(physical, &extensions);
    vk_identity_fill_extensions(&physical->identity, &extensions);
    adreno_fill_features(physical, &features);
    vk_offer_common(&extensions, &features);
    return vk_physical_device_init(&physical->vk, instance,
                                   &(const struct vk_physical_device_info){
                                       .driver = &adreno_driver,
                                       .entrypoints = &adreno_physical_device_entrypoints,
                                       .api_version = ADRENO_API_VERSION,
                                       .supported_extensions = &extensions,
                                       .supported_features = &features,
                                       .formats = &adreno_format_ops,
                                   });
}

static VkResult create_physical_device(struct vk_instance *instance, struct kernel_file *file,
                                       struct vk_physical_device **physical_out)
{
    const struct kernel_device_info kernel_info = file->info;
    struct adreno_kernel *kernel;
    int error = adreno_kernel_open(file, &kernel);
    if (error) {
        LOG_WARN("adreno", "a device of msm is left alone: %s",
                 error == -ENOTSUP ? "its kernel does not let programs choose addresses" : strerror(-error));
        kernel_close(file);
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
    }
    const struct adreno_chip *chip = adreno_chip_find_id(kernel->chip_id);
    if (!chip) {
        LOG_INFO("adreno", "chip 0x%08x is left alone: it is not known", (uint32_t)kernel->chip_id);
        adreno_kernel_close(kernel);
        return VK_SUCCESS;
    }
    struct adreno_physical_device *physical =
        vk_zalloc(&instance->alloc, NULL, sizeof(*physical), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!physical) {
        adreno_kernel_close(kernel);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    physical->kernel = kernel;
    physical->chip = chip;
    vk_identity_init(&physical->identity, &kernel_info, adreno_driver.name);
    vk_identity_name(&physical->identity, &(const struct vk_gpu_name){.marketing = chip->marketing,
                                                                      .vendor_id = VENDOR_QUALCOMM,
                                                                      .device_id = chip->chip_id,
                                                                      .id_word = "chip",
                                                                      .id_digits = 8,
                                                                      .code_ids = {chip->chip_id}});
    init_memory(physical);
    VkResult result =
        vk_syncobj_is_supported(kernel->file) ? init_vk(physical, instance) : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS) {
        adreno_kernel_close(kernel);
        vk_free(&instance->alloc, NULL, physical);
        return result;
    }
    *physical_out = &physical->vk;
    return VK_SUCCESS;
}

static void destroy_physical_device(struct vk_physical_device *base)
{
    struct adreno_physical_device *physical = (struct adreno_physical_device *)base;
    adreno_kernel_close(physical->kernel);
    vk_physical_device_finish(&physical->vk);
    vk_free(&base->instance->alloc, NULL, physical);
}

static const char *const drm_names[] = {"msm", NULL};

const struct vk_driver adreno_driver = {
    .name = "adreno",
    .drm_names = drm_names,
    .create_physical_device = create_physical_device,
    .destroy_physical_device = destroy_physical_device,
    .shared = &vk_meta_device_entrypoints,
};
