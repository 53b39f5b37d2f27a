/* VkDevice: creation, and what the whole device shares. */
#include "mali/driver/device.h"

#include "mali/driver/cmd.h"
#include "mali/driver/descriptor.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/host_copy.h"
#include "mali/driver/memory.h"
#include "mali/driver/meta.h"
#include "mali/driver/query.h"
#include "util/debug.h"

/* The instruction cache fetches ahead of the program counter, by lines of 128 bytes. */
#define CODE_PADDING_B 256

static VkResult check_status(struct vk_device *base)
{
    struct mali_device *device = mali_device_of(base);
    for (uint32_t i = 0; i < device->queues.count; i++) {
        const struct mali_queue *queue = vk_queue_set_at(&device->queues, i);
        uint32_t state = 0, fatal = 0;
        if (mali_group_state(device->kernel, queue->group, &state, &fatal) != 0 || state)
            return vk_device_set_lost(base, "work of this device failed: %s, subqueues 0x%x",
                                      state & DRM_PANTHOR_GROUP_STATE_INNOCENT      ? "another's work hung the GPU"
                                      : state & DRM_PANTHOR_GROUP_STATE_FATAL_FAULT ? "a fault"
                                                                                    : "it took too long",
                                      fatal);
    }
    return VK_SUCCESS;
}

static VkResult read_clock(struct vk_device *base, uint64_t *ticks_out, uint64_t *tick_ns_out)
{
    struct mali_kernel *kernel = mali_device_of(base)->kernel;
    *tick_ns_out = 1000000000 / kernel->timestamp_Hz + 1;
    return vk_kernel_result(mali_kernel_clock(kernel, ticks_out));
}

static void finish_device(struct vk_device *base)
{
    struct mali_device *device = mali_device_of(base);
    vk_queue_set_destroy(&device->queues, &device->vk);
    vk_meta_finish(&device->vk);
    mali_blend_shaders_finish(device);
    vk_code_memory_finish(&device->code_memory);
    mali_storage_finish(device);
    for (int kind = 0; kind < MALI_CHUNK_KIND_COUNT; kind++)
        vk_chunk_pool_finish(&device->chunks[kind]);
    pthread_mutex_destroy(&device->storage_lock);
    if (device->kernel)
        mali_kernel_close(device->kernel);
}

static void set_up(struct mali_device *device, struct mali_physical_device *physical)
{
    device->vk.command_buffer_ops = &mali_command_buffer_ops;
    device->vk.codegen = &mali_codegen;
    device->vk.descriptors = &mali_descriptor_ops;
    device->vk.images = &mali_image_ops;
    device->vk.bos = &mali_bo_ops;
    device->vk.draws = &mali_draw_ops;
    device->vk.queries = &mali_query_ops;
    device->vk.host_copy = &mali_host_copy_ops;
    device->vk.check_status = check_status;
    device->vk.read_clock = read_clock;
    device->vk.max_joined_colors = VK_MAX_COLOR_ATTACHMENTS;
    device->vk.next_subpass = mali_next_subpass;
    device->physical = physical;
    device->chip = physical->chip;
    device->queues = (struct vk_queue_set){
        .size_B = sizeof(struct mali_queue), .init = mali_queue_init, .finish = mali_queue_finish};
    for (int kind = 0; kind < MALI_CHUNK_KIND_COUNT; kind++)
        vk_chunk_pool_init(&device->chunks[kind], &device->vk, mali_vk_bo_create, mali_vk_bo_destroy);
    vk_code_memory_init(&device->code_memory, &device->vk, CODE_PADDING_B, mali_vk_bo_create_code, mali_vk_bo_destroy);
    device->has_marks = debug_enabled(DEBUG_HANG);
    pthread_mutex_init(&device->storage_lock, NULL);
}

static VkResult init_device(struct vk_device *base, const VkDeviceCreateInfo *info)
{
    struct mali_device *device = mali_device_of(base);
    struct mali_physical_device *physical = (struct mali_physical_device *)base->physical;
    set_up(device, physical);
    VkResult result = vk_kernel_result(mali_kernel_open_child(physical->kernel, &device->kernel));
    if (result != VK_SUCCESS)
        return result;
    device->vk.kernel_file = device->vk.own_file = kernel_dup(device->kernel->file);
    result = vk_meta_init(&device->vk, &mali_meta_ops);
    if (result == VK_SUCCESS)
        result = vk_queue_set_create(&device->queues, &device->vk, info);
    return result;
}

const struct vk_device_driver mali_device_driver = {.size_B = sizeof(struct mali_device),
                                                    .entrypoints = &mali_device_entrypoints,
                                                    .init = init_device,
                                                    .finish = finish_device};
