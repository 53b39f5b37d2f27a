/* VkDevice: creation, and what the whole device shares. */
#include "amd/driver/radeon_device.h"

#include <errno.h>
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_hang.h"
#include "amd/driver/radeon_host_copy.h"
#include "amd/driver/radeon_memory.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_query.h"
#include "amd/driver/radeon_shader.h"
#include "amd/driver/radeon_sparse.h"
#include "amd/driver/radeon_trace.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"

enum {
    BORDER_COLORS = 4096, /* what a sampler's descriptor can number */
    BORDER_COLOR_B = 16
};

static void set_memory_used(struct vk_device *base, VkDeviceMemory memory, bool used)
{
    amd_ws_bo_set_named(radeon_memory_bo(vk_device_memory_from_handle(memory)), used);
}

static VkResult check_status(struct vk_device *base)
{
    struct radeon_device *device = radeon_device_of(base);
    for (int i = 0; i < RADEON_PRIORITY_COUNT; i++) {
        if (!device->contexts[i].users)
            continue;
        int error = amd_ws_context_status(device->ws, device->contexts[i].id);
        if (error)
            return vk_device_set_lost(base, error == -ECANCELED ? "this device's work broke the GPU's context"
                                                                : "the GPU was reset for somebody else's work");
    }
    return VK_SUCCESS;
}

static VkResult read_clock(struct vk_device *base, uint64_t *ticks_out, uint64_t *tick_ns_out)
{
    struct radeon_device *device = radeon_device_of(base);
    *tick_ns_out = 1000000 / device->ws->info.device.gpu_counter_freq + 1;
    return vk_kernel_result(amd_ws_device_usage(device->ws, AMDGPU_INFO_TIMESTAMP, ticks_out));
}

/* For devices that can have samplers with such colours. */
static VkResult create_border_colors(struct radeon_device *device)
{
    if (!device->vk.enabled_features.customBorderColors)
        return VK_SUCCESS;
    int error = amd_ws_bo_create(device->ws, BORDER_COLORS * BORDER_COLOR_B, 4096, AMDGPU_GEM_DOMAIN_VRAM,
                                 WS_BO_CPU_ACCESS | WS_BO_READ_ONLY, 0, &device->border_colors);
    void *map;
    if (!error)
        error = amd_ws_bo_map(device->border_colors, &map);
    return vk_kernel_result(error);
}

static void finish_device(struct vk_device *base)
{
    struct radeon_device *device = radeon_device_of(base);
    vk_meta_finish(&device->vk);
    radeon_graphics_cache_finish(device);
    radeon_traces_finish(device);
    radeon_words_table_finish(device);
    vk_queue_set_destroy(&device->queues, &device->vk);
    vk_code_memory_finish(&device->code_memory);
    amd_ws_bo_unref(device->border_colors);
    amd_ws_bo_unref(atomic_load(&device->tess_rings));
    radeon_hang_finish(device);
    radeon_chunk_pools_finish(device);
    pthread_mutex_destroy(&device->border_lock);
    pthread_mutex_destroy(&device->context_lock);
}

static VkResult init_device(struct vk_device *base, const VkDeviceCreateInfo *info)
{
    struct radeon_device *device = radeon_device_of(base);
    struct radeon_physical_device *physical = (struct radeon_physical_device *)base->physical;
    device->vk.kernel_file = physical->ws->file;
    device->vk.command_buffer_ops = &radeon_command_buffer_ops;
    device->vk.codegen = &radeon_codegen;
    device->vk.descriptors = &radeon_descriptor_ops;
    device->vk.images = &radeon_image_ops;
    device->vk.bos = &radeon_bo_ops;
    device->vk.draws = &radeon_draw_ops;
    device->vk.queries = &radeon_query_ops;
    device->vk.sparse = &radeon_sparse_ops;
    device->vk.host_copy = &radeon_host_copy_ops;
    device->vk.check_status = check_status;
    device->vk.read_clock = read_clock;
    device->vk.set_memory_used = set_memory_used;
    device->physical = physical;
    device->ws = physical->ws;
    device->queues = (struct vk_queue_set){
        .size_B = sizeof(struct radeon_queue), .init = radeon_queue_init, .finish = radeon_queue_finish};
    bool high = device->ws->va[WS_VA_HIGH_32].end_va != device->ws->va[WS_VA_HIGH_32].start_va;
    device->address32_hi = (uint32_t)(device->ws->va[high ? WS_VA_HIGH_32 : WS_VA_LOW_32].start_va >> 32);
    radeon_chunk_pools_init(device);
    radeon_words_table_init(device);
    radeon_traces_init(device);
    pthread_mutex_init(&device->border_lock, NULL);
    pthread_mutex_init(&device->context_lock, NULL);

    VkResult result = create_border_colors(device);
    if (result == VK_SUCCESS)
        result = vk_queue_set_create(&device->queues, &device->vk, info);
    if (result == VK_SUCCESS)
        result = radeon_graphics_cache_init(device);
    if (result == VK_SUCCESS)
        result = vk_meta_init(&device->vk, &radeon_meta_ops);
    if (result == VK_SUCCESS)
        result = radeon_hang_init(device);
    return result;
}

const struct vk_device_driver radeon_device_driver = {.size_B = sizeof(struct radeon_device),
                                                      .entrypoints = &radeon_device_entrypoints,
                                                      .init = init_device,
                                                      .finish = finish_device};
