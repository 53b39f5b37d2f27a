/* A physical device of an open kernel file: memory heaps and types, queue families, identities. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "amd/driver/radeon_device.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_format.h"
#include "amd/hw/chip.h"
#include "kernel/kernel.h"
#include "util/bits.h"
#include "util/hash.h"
#include "util/log.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/device/vk_offer.h"
#include "vulkan/runtime/sync/vk_syncobj.h"

#define VENDOR_AMD 0x1002

/* ---- memory ---- */

static void add_type(struct radeon_physical_device *physical, uint32_t heap, VkMemoryPropertyFlags flags,
                     uint32_t domain, uint32_t bo_flags)
{
    uint32_t index = physical->vk.memory.memoryTypeCount++;
    physical->vk.memory.memoryTypes[index] = (VkMemoryType){.propertyFlags = flags, .heapIndex = heap};
    physical->memory_types[index] = (struct radeon_memory_type){.domain = domain, .bo_flags = bo_flags};
    if (bo_flags & WS_BO_VA_32) {
        physical->vk.descriptor_types |= 1u << index;
        return;
    }
    physical->vk.plain_types |= 1u << index;
    if (bo_flags & WS_BO_CPU_ACCESS)
        physical->mapped_types |= 1u << index;
}

/* Each is there twice: for whatever there is, and for descriptor buffers, which 32-bit pointers must reach. Of two that
 * are alike the plain one comes first, and both before those that are more. */
static void add_types(struct radeon_physical_device *physical, uint32_t heap, VkMemoryPropertyFlags flags,
                      uint32_t domain, uint32_t bo_flags)
{
    add_type(physical, heap, flags, domain, bo_flags);
    add_type(physical, heap, flags, domain, bo_flags | WS_BO_VA_32);
}

/* A discrete card has its own memory and the system's. An APU has one memory under two names of the kernel: a small
 * carve-out ("VRAM") and what it may map of the rest ("GTT"). Applications look for a device-local heap that is worth
 * its name, so the sum of both is split: two thirds local, one third not, and either heap may lie in either place. */
static void init_memory(struct radeon_physical_device *physical)
{
    const struct drm_amdgpu_memory_info *info = &physical->ws->info.memory;
    uint64_t vram_B = info->vram.total_heap_size, gtt_B = info->gtt.total_heap_size;
    VkPhysicalDeviceMemoryProperties *memory = &physical->vk.memory;
    if (physical->is_apu) {
        uint64_t total_B = vram_B + gtt_B;
        gtt_B = total_B / 3 & ~0xfffull;
        vram_B = (total_B - gtt_B) & ~0xfffull;
    }
    enum {
        HEAP_GTT,
        HEAP_VRAM
    };
    memory->memoryHeapCount = 2;
    memory->memoryHeaps[HEAP_GTT] = (VkMemoryHeap){.size = gtt_B};
    memory->memoryHeaps[HEAP_VRAM] = (VkMemoryHeap){.size = vram_B, .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};

    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t vram_domain = physical->is_apu ? AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM;
    uint64_t visible_B = info->cpu_accessible_vram.total_heap_size;
    /* Where the processor sees all of it, "local" alone needs no memory that it cannot see. */
    bool all_visible = physical->is_apu || visible_B >= info->vram.total_heap_size;
    add_types(physical, HEAP_VRAM, local, vram_domain, all_visible ? WS_BO_CPU_ACCESS : 0);
    add_types(physical, HEAP_GTT, visible, AMDGPU_GEM_DOMAIN_GTT, WS_BO_CPU_ACCESS | WS_BO_WRITE_COMBINED);
    add_types(physical, HEAP_VRAM, local | visible, vram_domain, WS_BO_CPU_ACCESS);
    add_types(physical, HEAP_GTT, visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, AMDGPU_GEM_DOMAIN_GTT,
              WS_BO_CPU_ACCESS);
    physical->vk.buffer_align_B = 16;
    physical->vk.max_allocation_B = UINT32_MAX;
}

/* Memory that is free, and memory that is ours already. */
static void heap_use(struct vk_physical_device *base, uint32_t heap, uint64_t *own_B_out, uint64_t *budget_B_out)
{
    struct ws_device *ws = ((struct radeon_physical_device *)base)->ws;
    const bool is_local = base->memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    const uint64_t size_B = base->memory.memoryHeaps[heap].size;
    const uint64_t own_B = atomic_load(is_local ? &ws->allocated_vram_B : &ws->allocated_gtt_B);
    uint64_t everybody_B = 0;
    amd_ws_device_usage(ws, is_local ? AMDGPU_INFO_VRAM_USAGE : AMDGPU_INFO_GTT_USAGE, &everybody_B);
    everybody_B = MAX2(everybody_B, own_B);
    *own_B_out = own_B;
    *budget_B_out = size_B - MIN2(size_B, everybody_B) + own_B;
}

/* ---- queues ---- */

static void init_queues(struct radeon_physical_device *physical)
{
    const VkQueueFamilyProperties families[RADEON_QUEUE_FAMILY_COUNT] = {
        [RADEON_QUEUE_GENERAL] = {.queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT |
                                                VK_QUEUE_SPARSE_BINDING_BIT,
                                  .queueCount = 1,
                                  .timestampValidBits = 64,
                                  .minImageTransferGranularity = {1, 1, 1}},
        [RADEON_QUEUE_COMPUTE] = {.queueFlags =
                                      VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT,
                                  .queueCount = physical->ws->info.compute_queues,
                                  .timestampValidBits = 64,
                                  .minImageTransferGranularity = {1, 1, 1}},
        [RADEON_QUEUE_TRANSFER] = {.queueFlags = VK_QUEUE_TRANSFER_BIT,
                                   .queueCount = physical->ws->info.dma_queues,
                                   .timestampValidBits = 64,
                                   .minImageTransferGranularity = {1, 1, 1}},
    };
    /* A family's number is fixed: those after one that a chip lacks are not there either. */
    uint32_t available = 1;
    while (available < RADEON_QUEUE_FAMILY_COUNT && families[available].queueCount)
        available++;
    physical->vk.queue_family_count = available;
    memcpy(physical->vk.queue_families, families, sizeof(families));
    /* Whether a process may have the higher ones is the kernel's answer when a queue is made. */
    physical->vk.queue_priorities = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR | VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR |
                                    VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR | VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR;
}

/* ---- discovery ---- */

static void init_name(struct radeon_physical_device *physical)
{
    const struct drm_amdgpu_info_device *device = &physical->ws->info.device;
    const char *marketing = "AMD Radeon";
    for (size_t i = 0; i < amd_chip_count; i++) {
        if (amd_chips[i]->device_id == device->device_id && amd_chips[i]->pci_rev == device->pci_rev)
            marketing = amd_chips[i]->marketing;
    }
    vk_identity_name(&physical->vk.identity,
                     &(const struct vk_gpu_name){.marketing = marketing,
                                                 .vendor_id = VENDOR_AMD,
                                                 .device_id = device->device_id,
                                                 .id_word = "device",
                                                 .id_digits = 4,
                                                 .code_ids = {device->device_id, device->external_rev}});
}

static void init_chip(struct radeon_physical_device *physical)
{
    const struct drm_amdgpu_info_device *info = &physical->ws->info.device;
    physical->is_apu = info->ids_flags & AMDGPU_IDS_FLAGS_FUSION;
    physical->num_render_backends = info->num_rb_pipes;
    physical->enabled_render_backends = info->enabled_rb_pipes_mask;
    /* A compute unit has two SIMDs of 16 wave slots each. */
    physical->max_waves = info->cu_active_number * 2 * 16;
}

/* The kernel's version of the graphics block says 10.0 for all of RDNA, but families and revisions distinguish them:
 * those of RDNA 2 in the Navi family begin with Navi 21. */
static bool is_gfx10_3(const struct ws_info *info)
{
    enum {
        FAMILY_YELLOW_CARP = 146,
        FAMILY_10_3_6 = 149,
        FAMILY_10_3_7 = 151,
        FIRST_NAVI2X_REVISION = 0x28
    };
    switch (info->device.family) {
    case AMD_FAMILY_NV:
        return info->device.external_rev >= FIRST_NAVI2X_REVISION;
    case AMD_FAMILY_VGH:
    case FAMILY_YELLOW_CARP:
    case FAMILY_10_3_6:
    case FAMILY_10_3_7:
        return true;
    default:
        return false;
    }
}

static const char *unsupported(const struct ws_info *info)
{
    if (!is_gfx10_3(info))
        return "not a GPU of GFX10.3";
    return info->gfx_queues == 0 ? "no graphics ring" : NULL;
}

static VkResult open_device(struct vk_physical_device *base, struct kernel_file *file)
{
    struct radeon_physical_device *physical = (struct radeon_physical_device *)base;
    struct ws_device *ws;
    int error = amd_ws_device_open(file, &ws);
    if (error) {
        LOG_WARN("amd", "a device of amdgpu does not answer: %s", strerror(-error));
        kernel_close(file);
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    const char *problem = unsupported(&ws->info);
    if (problem) {
        LOG_INFO("amd", "device 0x%04x is left alone: %s", ws->info.device.device_id, problem);
        amd_ws_device_close(ws);
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    if (!amd_tiling_config_init(&physical->tiling, ws->info.gb_addr_config) || !vk_syncobj_is_supported(ws->file)) {
        amd_ws_device_close(ws);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    physical->ws = ws;
    init_chip(physical);
    init_name(physical);
    init_memory(physical);
    init_queues(physical);
    radeon_fill_extensions(physical, &base->supported_extensions);
    radeon_fill_features(physical, &base->supported_features);
    vk_offer_common(&base->supported_extensions, &base->supported_features);
    return VK_SUCCESS;
}

static void close_device(struct vk_physical_device *base)
{
    amd_ws_device_close(((struct radeon_physical_device *)base)->ws);
}

static const char *const drm_names[] = {"amdgpu", NULL};

const struct vk_driver radeon_driver = {
    .name = "amd",
    .drm_names = drm_names,
    .physical_device_B = sizeof(struct radeon_physical_device),
    .entrypoints = &radeon_physical_device_entrypoints,
    .api_version = RADEON_API_VERSION,
    .formats = &radeon_format_ops,
    .devices = &radeon_device_driver,
    .open = open_device,
    .close = close_device,
    .heap_use = heap_use,
    .shared = &vk_meta_device_entrypoints,
};
