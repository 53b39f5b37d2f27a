/* A physical device of an open kernel file: the chip by its id, memory heaps and types, queue families, identities. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "mali/driver/device.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/format.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/vk_format_properties.h"
#include "vulkan/runtime/vk_instance.h"
#include "vulkan/runtime/vk_offer.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_syncobj.h"

#define VENDOR_ARM 0x13b5

/* ---- memory ---- */

static void add_type(struct mali_physical_device *physical, VkMemoryPropertyFlags flags, uint32_t bo_flags)
{
    const uint32_t index = physical->vk.memory.memoryTypeCount++;
    physical->vk.memory.memoryTypes[index].propertyFlags = flags;
    physical->bo_flags[index] = bo_flags;
}

/* There is one memory, the system's: three quarters of it are ours to use. The chip is not coherent with the host, so
 * mappings that need no maintenance are not cached by the CPU. */
static void init_memory(struct mali_physical_device *physical)
{
    const uint64_t host_B = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    physical->vk.memory = (VkPhysicalDeviceMemoryProperties){
        .memoryHeapCount = 1,
        .memoryHeaps[0] = {.size = host_B / 4 * 3 & ~0xfffull, .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT},
    };
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    add_type(physical, visible | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0);
    if (physical->kernel->has_cached_mappings)
        add_type(physical, visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, MALI_BO_CACHED);
    physical->vk.plain_types = (1u << physical->vk.memory.memoryTypeCount) - 1;
    physical->vk.buffer_align_B = 64;
    physical->vk.max_allocation_B = UINT32_MAX & ~4095ull;
}

VKAPI_ATTR void VKAPI_CALL mali_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice handle,
                                                                   VkPhysicalDeviceMemoryProperties2 *properties)
{
    struct mali_physical_device *physical = mali_physical_device_from_handle(handle);
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

/* Those that the kernel allows this process. */
static void fill_priorities(const struct mali_kernel *kernel, VkQueueFamilyGlobalPriorityPropertiesKHR *priority)
{
    static const VkQueueGlobalPriorityKHR names[] = {
        [PANTHOR_GROUP_PRIORITY_LOW] = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR,
        [PANTHOR_GROUP_PRIORITY_MEDIUM] = VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR,
        [PANTHOR_GROUP_PRIORITY_HIGH] = VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR,
        [PANTHOR_GROUP_PRIORITY_REALTIME] = VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR,
    };
    priority->priorityCount = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (kernel->priorities >> i & 1)
            priority->priorities[priority->priorityCount++] = names[i];
    }
}

VKAPI_ATTR void VKAPI_CALL mali_GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice handle, uint32_t *count,
                                                                        VkQueueFamilyProperties2 *properties)
{
    struct mali_physical_device *physical = mali_physical_device_from_handle(handle);
    if (!properties) {
        *count = 1;
        return;
    }
    *count = MIN2(*count, 1u);
    if (!*count)
        return;
    properties->queueFamilyProperties = (VkQueueFamilyProperties){
        .queueFlags = MALI_QUEUE_FLAGS,
        .queueCount = 1,
        .timestampValidBits = 64,
        .minImageTransferGranularity = {1, 1, 1},
    };
    VkQueueFamilyGlobalPriorityPropertiesKHR *priority =
        vk_find_struct(properties->pNext, VkQueueFamilyGlobalPriorityPropertiesKHR);
    if (priority)
        fill_priorities(physical->kernel, priority);
}

/* ---- discovery ---- */

static VkResult init_vk(struct mali_physical_device *physical, struct vk_instance *instance)
{
    struct vk_device_extensions extensions = {0};
    struct vk_features features = {0};
    mali_fill_extensions(physical, &extensions);
    vk_identity_fill_extensions(&physical->identity, &extensions);
    mali_fill_features(physical, &features);
    vk_offer_common(&extensions, &features);
    return vk_physical_device_init(&physical->vk, instance,
                                   &(const struct vk_physical_device_info){
                                       .driver = &mali_driver,
                                       .entrypoints = &mali_physical_device_entrypoints,
                                       .api_version = MALI_API_VERSION,
                                       .supported_extensions = &extensions,
                                       .supported_features = &features,
                                       .formats = &mali_format_ops,
                                   });
}

/* The registers that streams are written for are all there. */
static bool is_known(const struct mali_kernel *kernel, const struct mali_chip *chip)
{
    return chip && kernel->csif.cs_reg_count >= chip->cs_reg_count &&
           kernel->csif.scoreboard_slot_count >= MALI_SLOTS && kernel->csif.cs_slot_count >= MALI_SUBQUEUES;
}

static VkResult create_physical_device(struct vk_instance *instance, struct kernel_file *file,
                                       struct vk_physical_device **physical_out)
{
    const struct kernel_device_info kernel_info = file->info;
    struct mali_kernel *kernel;
    int error = mali_kernel_open(file, &kernel);
    if (error) {
        LOG_WARN("mali", "a device of panthor is left alone: %s",
                 error == -ENOTSUP ? "its kernel is too old" : strerror(-error));
        kernel_close(file);
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
    }
    const struct mali_chip *chip = mali_chip_find_id(kernel->gpu.gpu_id);
    if (!is_known(kernel, chip)) {
        LOG_INFO("mali", "GPU 0x%08x is left alone: it is not known", kernel->gpu.gpu_id);
        mali_kernel_close(kernel);
        return VK_SUCCESS;
    }
    struct mali_physical_device *physical =
        vk_zalloc(&instance->alloc, NULL, sizeof(*physical), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!physical) {
        mali_kernel_close(kernel);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    physical->kernel = kernel;
    physical->chip = chip;
    vk_identity_init(&physical->identity, &kernel_info, mali_driver.name);
    vk_identity_name(&physical->identity, &(const struct vk_gpu_name){.marketing = chip->marketing,
                                                                      .vendor_id = VENDOR_ARM,
                                                                      .device_id = kernel->gpu.gpu_id,
                                                                      .id_word = "GPU",
                                                                      .id_digits = 8,
                                                                      .code_ids = {chip->gpu_id}});
    init_memory(physical);
    VkResult result =
        vk_syncobj_is_supported(kernel->file) ? init_vk(physical, instance) : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS) {
        mali_kernel_close(kernel);
        vk_free(&instance->alloc, NULL, physical);
        return result;
    }
    *physical_out = &physical->vk;
    return VK_SUCCESS;
}

static void destroy_physical_device(struct vk_physical_device *base)
{
    struct mali_physical_device *physical = (struct mali_physical_device *)base;
    mali_kernel_close(physical->kernel);
    vk_physical_device_finish(&physical->vk);
    vk_free(&base->instance->alloc, NULL, physical);
}

static const char *const drm_names[] = {"panthor", NULL};

const struct vk_driver mali_driver = {
    .name = "mali",
    .drm_names = drm_names,
    .create_physical_device = create_physical_device,
    .destroy_physical_device = destroy_physical_device,
    .shared = &vk_meta_device_entrypoints,
};
