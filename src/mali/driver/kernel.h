/* The panthor kernel driver as our driver uses it: one open file with one address space, buffers, groups of queues,
 * tiler heaps and submissions. Not for: anything that Vulkan has a name for.
 *
 * Functions return 0 or -errno. Everything is thread-safe. */
#ifndef MALI_DRIVER_KERNEL_H
#define MALI_DRIVER_KERNEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "mali/hw/panthor_uapi.h"
#include "util/list.h"
#include "vulkan/runtime/memory/vk_gem.h"
#include "vulkan/runtime/memory/vk_va.h"

/* ---- the file ---- */

struct mali_kernel {
    struct kernel_file *file;
    struct mali_kernel *parent; /* what is allocated here counts there, too; NULL: nowhere else */
    struct drm_panthor_gpu_info gpu;
    struct drm_panthor_csif_info csif;
    uint64_t timestamp_Hz;
    uint32_t priorities; /* bit n: enum drm_panthor_group_priority n is allowed */
    uint32_t vm;         /* its id */
    bool has_cached_mappings;
    struct vk_va va;
    const volatile uint32_t *latest_flush; /* counts flushes of the GPU's caches; mapped from the kernel */
    _Atomic uint64_t allocated_B;

    struct vk_gem_file gems; /* its lock is also that of what follows */
    struct list bos;         /* struct mali_bo.link */
};

/* Takes the file over when it succeeds. -ENOTSUP: the kernel's driver is too old. */
int mali_kernel_open(struct kernel_file *file, struct mali_kernel **kernel_out);
/* Another file of the same GPU: a file has room for 128 groups, an address space for 128 heaps. */
int mali_kernel_open_child(struct mali_kernel *parent, struct mali_kernel **kernel_out);
void mali_kernel_close(struct mali_kernel *kernel);
/* Whether the GPU sees what is in the CPU's caches. */
bool mali_kernel_is_coherent(const struct mali_kernel *kernel);
/* The clock of timestamps, now. */
int mali_kernel_clock(struct mali_kernel *kernel, uint64_t *ticks_out);

/* ---- buffers ---- */

/* How a buffer is mapped for the GPU and the CPU. */
enum mali_bo_flags {
    MALI_BO_EXECUTABLE = 1 << 0, /* shaders may be fetched from it */
    MALI_BO_PRIVATE = 1 << 1,    /* it is never exported */
    MALI_BO_UNMAPPED = 1 << 2,   /* the CPU never sees it */
    MALI_BO_CACHED = 1 << 3,     /* the CPU caches it: mali_bo_sync is needed; only with has_cached_mappings */
};

struct mali_bo {
    union {
        struct vk_bo vk;
        struct vk_gem gem;
    };
    struct list link;
    uint32_t flags; /* enum mali_bo_flags */
};

extern const struct vk_gem_ops mali_gem_ops;
static inline struct mali_kernel *mali_kernel_of(struct vk_gem_file *gems)
{
    return container_of(gems, struct mali_kernel, gems);
}

/* `at_va` 0: anywhere. */
int mali_bo_create(struct mali_kernel *kernel, uint64_t size_B, uint32_t flags, uint64_t at_va,
                   struct mali_bo **bo_out);
/* The fd stays the caller's. */
int mali_bo_import(struct mali_kernel *kernel, int fd, struct mali_bo **bo_out);

static inline int mali_bo_export(struct mali_bo *bo, int *fd_out)
{
    return vk_gem_export(&bo->gem, fd_out);
}

static inline void mali_bo_unref(struct mali_bo *bo) /* NULL is allowed */
{
    vk_gem_unref(bo ? &bo->gem : NULL);
}

static inline int mali_bo_map(struct mali_bo *bo, void **memory_out)
{
    return vk_gem_map(&bo->gem, memory_out);
}

/* Parts of cached mappings: what the CPU wrote goes to memory; with _AND_INVALIDATE it will read what is there. */
int mali_bo_sync(struct mali_kernel *kernel, const struct drm_panthor_bo_sync_op *ops, uint32_t count);

/* ---- tiler heaps ---- */

struct mali_heap {
    uint32_t handle;
    uint64_t context_va, first_chunk_va;
    uint32_t chunk_B;
};

int mali_heap_create(struct mali_kernel *kernel, uint32_t chunk_B, uint32_t initial_chunks, uint32_t max_chunks,
                     uint32_t passes_in_flight, struct mali_heap *heap_out);
void mali_heap_destroy(struct mali_kernel *kernel, const struct mali_heap *heap);

/* ---- groups and submissions ---- */

/* `queue_count` queues that run side by side; what one of them breaks is lost for all. */
int mali_group_create(struct mali_kernel *kernel, uint32_t queue_count, enum drm_panthor_group_priority priority,
                      uint32_t *group_out);
void mali_group_destroy(struct mali_kernel *kernel, uint32_t group);
/* DRM_PANTHOR_GROUP_STATE_*, and which queues are at fault. */
int mali_group_state(struct mali_kernel *kernel, uint32_t group, uint32_t *state_out, uint32_t *fatal_queues_out);
/* Jobs in their order, all or none. */
int mali_group_submit(struct mali_kernel *kernel, uint32_t group, const struct drm_panthor_queue_submit *jobs,
                      uint32_t count);

#endif
