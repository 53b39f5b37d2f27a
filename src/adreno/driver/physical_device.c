/* A physical device of an open kernel file: the chip by its id, memory heaps and types, queue families, identities. */
#include <errno.h>
#include <string.h>

#include "adreno/driver/device.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/driver/format.h"
#include "adreno/driver/image.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/device/vk_offer.h"
#include "vulkan/runtime/memory/vk_system_memory.h"
#include "vulkan/runtime/sync/vk_syncobj.h"

#define VENDOR_QUALCOMM 0x5143

/* ---- memory ---- */

static void add_type(struct adreno_physical_device *physical, VkMemoryPropertyFlags flags, uint32_t bo_flags)
{
    uint32_t index = physical->vk.memory.memoryTypeCount++;
    physical->vk.memory.memoryTypes[index] = (VkMemoryType){.propertyFlags = flags};
    physical->bo_flags[index] = bo_flags;
}

static void init_memory(struct adreno_physical_device *physical)
{
    const VkMemoryPropertyFlags all = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    vk_system_heap_init(&physical->vk, physical->kernel->va_size_B);
    add_type(physical, all, MSM_BO_WC);
    if (physical->chip->has_cached_coherent)
        add_type(physical, all | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, MSM_BO_CACHED_COHERENT);
    physical->vk.plain_types = (1u << physical->vk.memory.memoryTypeCount) - 1;
    physical->vk.buffer_align_B = 64;
    physical->vk.max_allocation_B = UINT32_MAX & ~4095ull;
    add_type(physical, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, MSM_BO_WC);
}

static void heap_use(struct vk_physical_device *base, uint32_t heap, uint64_t *own_B_out, uint64_t *budget_B_out)
{
    *own_B_out = atomic_load(&((struct adreno_physical_device *)base)->kernel->allocated_B);
    *budget_B_out = vk_system_heap_budget(base, *own_B_out);
}

/* ---- queues ---- */

static void init_queues(struct adreno_physical_device *physical)
{
    physical->vk.queue_family_count = 1;
    physical->vk.queue_families[0] = (VkQueueFamilyProperties){
        .queueFlags = ADRENO_QUEUE_FLAGS,
        .queueCount = 1,
        .timestampValidBits = 48,
        .minImageTransferGranularity = {1, 1, 1},
    };
    physical->vk.queue_priorities =
        VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR | VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR | VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR;
}

/* ---- discovery ---- */

const struct adreno_chip *adreno_chip_of(const struct vk_physical_device *physical)
{
    return ((const struct adreno_physical_device *)physical)->chip;
}

static VkResult open_device(struct vk_physical_device *base, struct kernel_file *file)
{
    struct adreno_physical_device *physical = (struct adreno_physical_device *)base;
    struct adreno_kernel *kernel;
    int error = adreno_kernel_open(file, &kernel);
    if (error) {
        LOG_WARN("adreno", "a device of msm is left alone: %s",
                 error == -ENOTSUP ? "its kernel does not let programs choose addresses" : strerror(-error));
        kernel_close(file);
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    const struct adreno_chip *chip = adreno_chip_find_id(kernel->chip_id);
    if (!chip) {
        LOG_INFO("adreno", "chip 0x%08x is left alone: it is not known", (uint32_t)kernel->chip_id);
        adreno_kernel_close(kernel);
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    if (!vk_syncobj_is_supported(kernel->file)) {
        adreno_kernel_close(kernel);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    physical->kernel = kernel;
    physical->chip = chip;
    vk_identity_name(&physical->vk.identity, &(const struct vk_gpu_name){.marketing = chip->marketing,
                                                                         .vendor_id = VENDOR_QUALCOMM,
                                                                         .device_id = chip->chip_id,
                                                                         .id_word = "chip",
                                                                         .id_digits = 8,
                                                                         .code_ids = {chip->chip_id}});
    init_memory(physical);
    init_queues(physical);
    adreno_fill_extensions(physical, &base->supported_extensions);
    adreno_fill_features(physical, &base->supported_features);
    vk_offer_common(&base->supported_extensions, &base->supported_features);
    return VK_SUCCESS;
}

static void close_device(struct vk_physical_device *base)
{
    adreno_kernel_close(((struct adreno_physical_device *)base)->kernel);
}

static const char *const drm_names[] = {"msm", NULL};

const struct vk_driver adreno_driver = {
    .name = "adreno",
    .drm_names = drm_names,
    .physical_device_B = sizeof(struct adreno_physical_device),
    .entrypoints = &adreno_physical_device_entrypoints,
    .api_version = ADRENO_API_VERSION,
    .formats = &adreno_format_ops,
    .devices = &adreno_device_driver,
    .open = open_device,
    .close = close_device,
    .heap_use = heap_use,
    .shared = &vk_meta_device_entrypoints,
};
