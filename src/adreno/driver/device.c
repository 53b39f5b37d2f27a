/* VkDevice: creation, and what the whole device shares. */
#include "adreno/driver/device.h"

#include <string.h>

#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/driver/host_copy.h"
#include "adreno/driver/memory.h"
#include "adreno/driver/meta.h"
#include "adreno/driver/query.h"
#include "util/debug.h"

/* The instruction cache fetches ahead of the program counter, a line of 128 bytes at a time. */
#define CODE_PADDING_B 256

static void set_memory_used(struct vk_device *base, VkDeviceMemory memory, bool used)
{
    adreno_bo_set_waited(adreno_memory_bo(vk_device_memory_from_handle(memory)), used);
}

static VkResult check_status(struct vk_device *base)
{
    struct adreno_device *device = adreno_device_of(base);
    for (uint32_t i = 0; i < device->queues.count; i++) {
        const struct adreno_queue *queue = vk_queue_set_at(&device->queues, i);
        uint64_t faults = 0;
        if (adreno_submitqueue_faults(device->kernel, queue->id, &faults) != 0 || faults)
            return vk_device_set_lost(base, "work of this device failed (%llu times)", (unsigned long long)faults);
    }
    return VK_SUCCESS;
}

static VkResult read_clock(struct vk_device *base, uint64_t *ticks_out, uint64_t *tick_ns_out)
{
    *tick_ns_out = 1000000000 / ADRENO_TIMESTAMP_HZ + 1;
    return vk_kernel_result(adreno_kernel_get(adreno_device_of(base)->kernel, MSM_PARAM_TIMESTAMP, ticks_out));
}

static void finish_device(struct vk_device *base)
{
    struct adreno_device *device = adreno_device_of(base);
    vk_queue_set_destroy(&device->queues, &device->vk);
    vk_meta_finish(&device->vk);
    vk_code_memory_finish(&device->code_memory);
    for (int i = 0; i < ADRENO_PRIVATE_SIZES; i++)
        adreno_bo_unref(device->private_memory[i]);
    adreno_bo_unref(device->tess_memory);
    adreno_bo_unref(device->words);
    adreno_visibility_finish(device);
    adreno_borders_finish(device);
    for (int kind = 0; kind < ADRENO_CHUNK_KIND_COUNT; kind++)
        vk_chunk_pool_finish(&device->chunks[kind]);
    pthread_mutex_destroy(&device->private_lock);
}

static VkResult init_device(struct vk_device *base, const VkDeviceCreateInfo *info)
{
    struct adreno_device *device = adreno_device_of(base);
    struct adreno_physical_device *physical = (struct adreno_physical_device *)base->physical;
    device->vk.kernel_file = physical->kernel->file;
    device->vk.command_buffer_ops = &adreno_command_buffer_ops;
    device->vk.codegen = &adreno_codegen;
    device->vk.host_copy = &adreno_host_copy_ops;
    device->descriptor_ops = adreno_descriptor_ops(physical->chip);
    device->vk.descriptors = &device->descriptor_ops;
    device->vk.images = &adreno_image_ops;
    device->vk.bos = &adreno_bo_ops;
    device->vk.draws = &adreno_draw_ops;
    device->vk.queries = &adreno_query_ops;
    device->vk.check_status = check_status;
    device->vk.read_clock = read_clock;
    device->vk.set_memory_used = set_memory_used;
    device->physical = physical;
    device->kernel = physical->kernel;
    device->queues = (struct vk_queue_set){
        .size_B = sizeof(struct adreno_queue), .init = adreno_queue_init, .finish = adreno_queue_finish};
    device->chip = physical->chip;
    device->vk.area_granularity = (VkExtent2D){device->chip->gmem_align_w, device->chip->gmem_align_h};
    device->vk.max_joined_colors = ADRENO_MAX_PASS_COLORS;
    device->vk.next_subpass = adreno_next_subpass;
    device->has_marks = debug_enabled(DEBUG_HANG);
    for (int kind = 0; kind < ADRENO_CHUNK_KIND_COUNT; kind++)
        vk_chunk_pool_init(&device->chunks[kind], &device->vk, adreno_vk_bo_create, adreno_vk_bo_destroy);
    vk_code_memory_init(&device->code_memory, &device->vk, CODE_PADDING_B, adreno_vk_bo_create, adreno_vk_bo_destroy);
    pthread_mutex_init(&device->private_lock, NULL);

    VkResult result = vk_meta_init(&device->vk, &adreno_meta_ops);
    if (result == VK_SUCCESS)
        result = adreno_borders_init(device);
    if (result == VK_SUCCESS)
        result = adreno_mapped_bo_create(device, ADRENO_WORDS_B, MSM_BO_WC, &device->words);
    if (result == VK_SUCCESS)
        result = vk_queue_set_create(&device->queues, &device->vk, info);
    return result;
}

const struct vk_device_driver adreno_device_driver = {.size_B = sizeof(struct adreno_device),
                                                      .entrypoints = &adreno_device_entrypoints,
                                                      .init = init_device,
                                                      .finish = finish_device};
