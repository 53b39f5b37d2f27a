/* A physical device of an open kernel file: the chip by its id, memory heaps and types, queue families, identities. */
#include <errno.h>
#include <string.h>

#include "mali/driver/device.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/format.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/device/vk_offer.h"
#include "vulkan/runtime/memory/vk_system_memory.h"
#include "vulkan/runtime/sync/vk_syncobj.h"

#define VENDOR_ARM 0x13b5

/* ---- memory ---- */

static void add_type(struct mali_physical_device *physical, VkMemoryPropertyFlags flags, uint32_t bo_flags)
{
    const uint32_t index = physical->vk.memory.memoryTypeCount++;
    physical->vk.memory.memoryTypes[index].propertyFlags = flags;
    physical->bo_flags[index] = bo_flags;
}

/* Where the chip looks into the CPU's caches every mapping is cached, and none needs maintenance. Elsewhere a type is
 * coherent or cached. */
static void init_memory(struct mali_physical_device *physical)
{
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    const VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    vk_system_heap_init(&physical->vk, UINT64_MAX);
    if (mali_kernel_is_coherent(physical->kernel)) {
        add_type(physical, visible | coherent | cached, 0);
    } else {
        add_type(physical, visible | coherent, 0);
        if (physical->kernel->has_cached_mappings)
            add_type(physical, visible | cached, MALI_BO_CACHED);
    }
    physical->vk.plain_types = (1u << physical->vk.memory.memoryTypeCount) - 1;
    physical->vk.buffer_align_B = 64;
    physical->vk.max_allocation_B = UINT32_MAX & ~4095ull;
}

static void heap_use(struct vk_physical_device *base, uint32_t heap, uint64_t *own_B_out, uint64_t *budget_B_out)
{
    *own_B_out = atomic_load(&((struct mali_physical_device *)base)->kernel->allocated_B);
    *budget_B_out = vk_system_heap_budget(base, *own_B_out);
}

/* ---- queues ---- */

/* Priorities that the kernel allows this process. */
static uint32_t allowed_priorities(const struct mali_kernel *kernel)
{
    static const VkQueueGlobalPriorityKHR names[] = {
        [PANTHOR_GROUP_PRIORITY_LOW] = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR,
        [PANTHOR_GROUP_PRIORITY_MEDIUM] = VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR,
        [PANTHOR_GROUP_PRIORITY_HIGH] = VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR,
        [PANTHOR_GROUP_PRIORITY_REALTIME] = VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR,
    };
    uint32_t priorities = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (kernel->priorities >> i & 1)
            priorities |= names[i];
    }
    return priorities;
}

static void init_queues(struct mali_physical_device *physical)
{
    physical->vk.queue_family_count = 1;
    physical->vk.queue_families[0] = (VkQueueFamilyProperties){
        .queueFlags = MALI_QUEUE_FLAGS,
        .queueCount = 1,
        .timestampValidBits = 64,
        .minImageTransferGranularity = {1, 1, 1},
    };
    physical->vk.queue_priorities = allowed_priorities(physical->kernel);
}

/* ---- discovery ---- */

/* The registers that streams are written for are all there. */
static bool is_known(const struct mali_kernel *kernel, const struct mali_chip *chip)
{
    return chip && kernel->csif.cs_reg_count >= chip->cs_reg_count &&
           kernel->csif.scoreboard_slot_count >= MALI_SLOTS && kernel->csif.cs_slot_count >= MALI_SUBQUEUES;
}

static VkResult open_device(struct vk_physical_device *base, struct kernel_file *file)
{
    struct mali_physical_device *physical = (struct mali_physical_device *)base;
    struct mali_kernel *kernel;
    int error = mali_kernel_open(file, &kernel);
    if (error) {
        LOG_WARN("mali", "a device of panthor is left alone: %s",
                 error == -ENOTSUP ? "its kernel is too old" : strerror(-error));
        kernel_close(file);
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    const struct mali_chip *chip = mali_chip_find_id(kernel->gpu.gpu_id);
    if (!is_known(kernel, chip)) {
        LOG_INFO("mali", "GPU 0x%08x is left alone: it is not known", kernel->gpu.gpu_id);
        mali_kernel_close(kernel);
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    if (!vk_syncobj_is_supported(kernel->file)) {
        mali_kernel_close(kernel);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    physical->kernel = kernel;
    physical->chip = chip;
    vk_identity_name(&physical->vk.identity, &(const struct vk_gpu_name){.marketing = chip->marketing,
                                                                         .vendor_id = VENDOR_ARM,
                                                                         .device_id = kernel->gpu.gpu_id,
                                                                         .id_word = "GPU",
                                                                         .id_digits = 8,
                                                                         .code_ids = {chip->gpu_id}});
    init_memory(physical);
    init_queues(physical);
    mali_fill_extensions(physical, &base->supported_extensions);
    mali_fill_features(physical, &base->supported_features);
    vk_offer_common(&base->supported_extensions, &base->supported_features);
    return VK_SUCCESS;
}

static void close_device(struct vk_physical_device *base)
{
    mali_kernel_close(((struct mali_physical_device *)base)->kernel);
}

static const char *const drm_names[] = {"panthor", NULL};

const struct vk_driver mali_driver = {
    .name = "mali",
    .drm_names = drm_names,
    .physical_device_B = sizeof(struct mali_physical_device),
    .entrypoints = &mali_physical_device_entrypoints,
    .api_version = MALI_API_VERSION,
    .formats = &mali_format_ops,
    .devices = &mali_device_driver,
    .open = open_device,
    .close = close_device,
    .heap_use = heap_use,
    .shared = &vk_meta_device_entrypoints,
};
