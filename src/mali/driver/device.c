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
#include "vulkan/runtime/device/vk_instance.h"

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

static void destroy(struct mali_device *device, const VkAllocationCallbacks *allocator)
{
    VkAllocationCallbacks parent = device->vk.physical->instance->alloc;
    vk_queue_set_destroy(&device->queues, &device->vk);
    vk_meta_finish(&device->vk);
    mali_blend_shaders_finish(device);
    vk_code_memory_finish(&device->code_memory);
    mali_storage_finish(device);
    for (int kind = 0; kind < MALI_CHUNK_KIND_COUNT; kind++)
        vk_chunk_pool_finish(&device->chunks[kind]);
    pthread_mutex_destroy(&device->storage_lock);
    vk_device_finish(&device->vk);
    vk_free(&parent, allocator, device);
}

static void set_up(struct mali_device *device, struct mali_physical_device *physical)
{
    device->vk.kernel_file = physical->kernel->file;
    device->vk.command_buffer_ops = &mali_command_buffer_ops;
    device->vk.codegen = &mali_codegen;
    device->vk.meta = &device->meta;
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
    device->kernel = physical->kernel;
    device->chip = physical->chip;
    device->queues = (struct vk_queue_set){
        .size_B = sizeof(struct mali_queue), .init = mali_queue_init, .finish = mali_queue_finish};
    for (int kind = 0; kind < MALI_CHUNK_KIND_COUNT; kind++)
        vk_chunk_pool_init(&device->chunks[kind], &device->vk, mali_vk_bo_create, mali_vk_bo_destroy);
    vk_code_memory_init(&device->code_memory, &device->vk, CODE_PADDING_B, mali_vk_bo_create_code, mali_vk_bo_destroy);
    device->has_marks = debug_enabled(DEBUG_HANG);
    pthread_mutex_init(&device->storage_lock, NULL);
}

VKAPI_ATTR VkResult VKAPI_CALL mali_CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator, VkDevice *device_out)
{
    struct mali_physical_device *physical = mali_physical_device_from_handle(handle);
    struct mali_device *device =
        vk_zalloc(&physical->vk.instance->alloc, allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!device)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = vk_device_init(&device->vk, &physical->vk, info, allocator, &mali_device_entrypoints, NULL, 0);
    if (result != VK_SUCCESS) {
        vk_free(&physical->vk.instance->alloc, allocator, device);
        return result;
    }
    set_up(device, physical);
    result = vk_meta_init(&device->vk, &mali_meta_ops);
    if (result == VK_SUCCESS)
        result = vk_queue_set_create(&device->queues, &device->vk, info);
    if (result != VK_SUCCESS) {
        destroy(device, allocator);
        return result;
    }
    *device_out = mali_device_to_handle(device);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL mali_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (handle)
        destroy(mali_device_from_handle(handle), allocator);
}
