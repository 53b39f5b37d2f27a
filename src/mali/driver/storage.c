/* Local storage: memory of threads (spilled registers, private arrays) and of workgroups (shared variables). */
#include "mali/driver/device.h"
#include "mali/driver/memory.h"
#include "mali/hw/descriptors.h"
#include "util/bits.h"

enum {
    MIN_THREAD_B = 16,
    MIN_GROUP_B = 128,
    WARP = 16,
};
#define NO_GROUPS 0x80000000u /* WLS_INSTANCES: there is no memory for them */

/* At least `size_B` bytes of one kind; sizes are powers of two, so that few are ever made. */
static VkResult find_storage(struct mali_device *device, struct mali_bo **by_size, uint64_t size_B, uint64_t *va_out)
{
    const uint32_t log2 = log2_ceil(size_B);
    if (log2 >= MALI_STORAGE_SIZES)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    int error = 0;
    pthread_mutex_lock(&device->storage_lock);
    if (!by_size[log2])
        error = mali_bo_create(device->kernel, MAX2(1ull << log2, 4096ull), MALI_BO_PRIVATE | MALI_BO_UNMAPPED, 0,
                               &by_size[log2]);
    if (!error)
        *va_out = by_size[log2]->vk.va;
    pthread_mutex_unlock(&device->storage_lock);
    return error ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
}

VkResult mali_storage(struct mali_device *device, uint32_t thread_B, uint32_t group_B, uint32_t threads,
                      struct mali_desc_LOCAL_STORAGE *storage_out)
{
    const struct mali_chip *chip = device->chip;
    const uint64_t cores = mali_chip_core_id_range(chip);
    *storage_out = (struct mali_desc_LOCAL_STORAGE){.WLS_INSTANCES = NO_GROUPS};
    if (thread_B) {
        uint64_t va;
        const uint32_t log2 = log2_ceil(MAX2(thread_B, (uint32_t)MIN_THREAD_B));
        VkResult result = find_storage(device, device->thread_storage, (cores * chip->max_threads) << log2, &va);
        if (result != VK_SUCCESS)
            return result;
        storage_out->TLS_SIZE = log2 - 4;
        storage_out->TLS_BASE_POINTER = va >> 8;
        storage_out->TLS_ADDRESS_MODE = MALI_ADDRESS_MODE_PACKED;
    }
    if (group_B) {
        const uint32_t log2 = log2_ceil(MAX2(group_B, (uint32_t)MIN_GROUP_B));
        /* As many as a core can have at once. */
        const uint32_t instances_log2 = log2_ceil((uint32_t)div_round_up(chip->max_threads, align_u64(threads, WARP)));
        VkResult result = find_storage(device, device->group_storage, cores << (instances_log2 + log2),
                                       &storage_out->WLS_BASE_POINTER);
        if (result != VK_SUCCESS)
            return result;
        storage_out->WLS_INSTANCES = 1u << instances_log2;
        storage_out->WLS_SIZE_BASE = 3;
        storage_out->WLS_SIZE_SCALE = log2 + 1;
    }
    return VK_SUCCESS;
}

void mali_storage_finish(struct mali_device *device)
{
    for (int i = 0; i < MALI_STORAGE_SIZES; i++) {
        mali_bo_unref(device->thread_storage[i]);
        mali_bo_unref(device->group_storage[i]);
    }
}
