/* The open file: what the kernel says of the chip, its address space and its clock; heaps, groups and submissions. */
#include "mali/driver/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE_B = 4096,
    RING_B = 64 << 10, /* of a queue: what the kernel writes around its streams */
};

/* The part of the address space that is ours: the rest is the kernel's. The first pages are left free, so that an
 * address of 0 and what is near it faults. */
#define USER_VA_START (32ull << 20)
#define USER_VA_END (1ull << 47)

/* ---- what the kernel says ---- */

static int query(struct kernel_file *file, enum drm_panthor_dev_query_type type, void *out, uint32_t size_B)
{
    struct drm_panthor_dev_query args = {.type = type, .size = size_B, .pointer = (uintptr_t)out};
    return kernel_ioctl(file, DRM_IOCTL_PANTHOR_DEV_QUERY, &args);
}

static int query_all(struct mali_kernel *kernel)
{
    struct kernel_file *file = kernel->file;
    struct drm_panthor_timestamp_info clock = {0};
    struct drm_panthor_group_priorities_info priorities = {0};
    int error = query(file, DRM_PANTHOR_DEV_QUERY_GPU_INFO, &kernel->gpu, sizeof(kernel->gpu));
    if (!error)
        error = query(file, DRM_PANTHOR_DEV_QUERY_CSIF_INFO, &kernel->csif, sizeof(kernel->csif));
    if (!error)
        error = query(file, DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO, &clock, sizeof(clock));
    if (!error)
        error = query(file, DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO, &priorities, sizeof(priorities));
    kernel->timestamp_Hz = clock.timestamp_frequency;
    kernel->priorities = priorities.allowed_mask;
    return error == -EINVAL ? -ENOTSUP : error;
}

int mali_kernel_clock(struct mali_kernel *kernel, uint64_t *ticks_out)
{
    struct drm_panthor_timestamp_info clock = {0};
    int error = query(kernel->file, DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO, &clock, sizeof(clock));
    *ticks_out = clock.current_timestamp + clock.timestamp_offset;
    return error;
}

/* Kernels before 1.7 have no such mappings, and no maintenance of them. */
static bool has_cached_mappings(struct mali_kernel *kernel)
{
    return mali_bo_sync(kernel, NULL, 0) == 0;
}

/* Kernels before 1.7 do not say it: their 0 would be the protocol of that number. */
bool mali_kernel_is_coherent(const struct mali_kernel *kernel)
{
    return kernel->has_cached_mappings && (kernel->gpu.selected_coherency == DRM_PANTHOR_GPU_COHERENCY_ACE_LITE ||
                                           kernel->gpu.selected_coherency == DRM_PANTHOR_GPU_COHERENCY_ACE);
}

/* ---- the file ---- */

static int create_space(struct mali_kernel *kernel)
{
    struct drm_panthor_vm_create args = {.user_va_range = USER_VA_END};
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_VM_CREATE, &args);
    if (error)
        return error;
    kernel->vm = args.id;
    return vk_va_init(&kernel->va, USER_VA_START, USER_VA_END);
}

static int map_flush_id(struct mali_kernel *kernel)
{
    void *page;
    int error = kernel_mmap(kernel->file, PAGE_B, PROT_READ, MAP_SHARED, DRM_PANTHOR_USER_MMIO_OFFSET_64BIT, &page);
    if (!error)
        kernel->latest_flush = page;
    return error;
}

int mali_kernel_open(struct kernel_file *file, struct mali_kernel **kernel_out)
{
    struct mali_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel)
        return -ENOMEM;
    kernel->file = file;
    list_init(&kernel->bos);
    int error = query_all(kernel);
    if (!error)
        error = create_space(kernel);
    if (!error)
        error = map_flush_id(kernel);
    if (error) {
        vk_va_finish(&kernel->va);
        free(kernel);
        return error;
    }
    vk_gem_file_init(&kernel->gems, file, &mali_gem_ops);
    kernel->has_cached_mappings = has_cached_mappings(kernel);
    *kernel_out = kernel;
    return 0;
}

int mali_kernel_open_child(struct mali_kernel *parent, struct mali_kernel **kernel_out)
{
    struct kernel_file *file;
    int error = kernel_open(&parent->file->info, KERNEL_NODE_RENDER, &file);
    if (error)
        return error;
    error = mali_kernel_open(file, kernel_out);
    if (error)
        kernel_close(file);
    else
        (*kernel_out)->parent = parent;
    return error;
}

void mali_kernel_close(struct mali_kernel *kernel)
{
    struct drm_panthor_vm_destroy args = {.id = kernel->vm};
    kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_VM_DESTROY, &args);
    kernel_munmap(kernel->file, (void *)(uintptr_t)kernel->latest_flush, PAGE_B);
    vk_va_finish(&kernel->va);
    vk_gem_file_finish(&kernel->gems);
    kernel_close(kernel->file);
    free(kernel);
}

/* ---- tiler heaps ---- */

int mali_heap_create(struct mali_kernel *kernel, uint32_t chunk_B, uint32_t initial_chunks, uint32_t max_chunks,
                     uint32_t passes_in_flight, struct mali_heap *heap_out)
{
    struct drm_panthor_tiler_heap_create args = {
        .vm_id = kernel->vm,
        .initial_chunk_count = initial_chunks,
        .chunk_size = chunk_B,
        .max_chunks = max_chunks,
        .target_in_flight = passes_in_flight,
    };
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, &args);
    if (!error)
        *heap_out = (struct mali_heap){args.handle, args.tiler_heap_ctx_gpu_va, args.first_heap_chunk_gpu_va, chunk_B};
    return error;
}

void mali_heap_destroy(struct mali_kernel *kernel, const struct mali_heap *heap)
{
    struct drm_panthor_tiler_heap_destroy args = {.handle = heap->handle};
    kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, &args);
}

/* ---- groups ---- */

int mali_group_create(struct mali_kernel *kernel, uint32_t queue_count, enum drm_panthor_group_priority priority,
                      uint32_t *group_out)
{
    enum {
        MAX_QUEUES = 8
    };
    struct drm_panthor_queue_create queues[MAX_QUEUES];
    if (queue_count > MAX_QUEUES || queue_count > kernel->csif.cs_slot_count)
        return -EINVAL;
    for (uint32_t i = 0; i < queue_count; i++)
        queues[i] = (struct drm_panthor_queue_create){.priority = 1, .ringbuf_size = RING_B};
    const uint64_t cores = kernel->gpu.shader_present, tilers = kernel->gpu.tiler_present;
    const uint8_t core_count = (uint8_t)__builtin_popcountll(cores);
    struct drm_panthor_group_create args = {
        .queues = {.stride = sizeof(queues[0]), .count = queue_count, .array = (uintptr_t)queues},
        .max_compute_cores = core_count,
        .max_fragment_cores = core_count,
        .max_tiler_cores = (uint8_t)__builtin_popcountll(tilers),
        .priority = (uint8_t)priority,
        .compute_core_mask = cores,
        .fragment_core_mask = cores,
        .tiler_core_mask = tilers,
        .vm_id = kernel->vm,
    };
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_GROUP_CREATE, &args);
    if (!error)
        *group_out = args.group_handle;
    return error;
}

void mali_group_destroy(struct mali_kernel *kernel, uint32_t group)
{
    struct drm_panthor_group_destroy args = {.group_handle = group};
    kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &args);
}

int mali_group_state(struct mali_kernel *kernel, uint32_t group, uint32_t *state_out, uint32_t *fatal_queues_out)
{
    struct drm_panthor_group_get_state args = {.group_handle = group};
    int error = kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_GROUP_GET_STATE, &args);
    *state_out = args.state;
    *fatal_queues_out = args.fatal_queues;
    return error;
}

int mali_group_submit(struct mali_kernel *kernel, uint32_t group, const struct drm_panthor_queue_submit *jobs,
                      uint32_t count)
{
    struct drm_panthor_group_submit args = {
        .group_handle = group,
        .queue_submits = {.stride = sizeof(*jobs), .count = count, .array = (uintptr_t)jobs},
    };
    return kernel_ioctl(kernel->file, DRM_IOCTL_PANTHOR_GROUP_SUBMIT, &args);
}
