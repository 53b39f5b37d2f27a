/* The amdgpu kernel driver as our driver uses it: what libdrm_amdgpu does for others. One winsys device per kernel
 * device within the process, address ranges, buffers, contexts and submission. Not for: anything that Vulkan has a name
 * for.
 *
 * Functions return 0 or -errno. Everything is thread-safe. */
#ifndef AMD_DRIVER_WS_H
#define AMD_DRIVER_WS_H

#include <amdgpu_drm.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "util/list.h"
#include "vulkan/runtime/memory/vk_gem.h"
#include "vulkan/runtime/memory/vk_va.h"

/* ---- addresses ---- */

/* Which half of the address space, and whether 32 bits must be enough to name a place in it. */
enum ws_va_range {
    WS_VA_LOW_32,
    WS_VA_LOW,
    WS_VA_HIGH_32,
    WS_VA_HIGH,
    WS_VA_COUNT
};

/* ---- device ---- */

struct ws_info {
    struct drm_amdgpu_info_device device;
    struct drm_amdgpu_memory_info memory;
    struct drm_amdgpu_info_hw_ip gfx, compute, dma;
    uint32_t gfx_queues, compute_queues, dma_queues;
    uint32_t gb_addr_config;
    uint32_t drm_minor;
    char name[64];
};

struct ws_device {
    struct list link;
    uint32_t refs;
    struct kernel_file *file;
    struct ws_info info;
    struct vk_va va[WS_VA_COUNT];
    struct vk_gem_file gems; /* its lock is also that of the list below */
    struct list shared;      /* struct ws_bo::shared_link: those that a submission must name */
    uint32_t num_shared;
    _Atomic uint64_t allocated_vram_B, allocated_gtt_B;
};

/* The device of a file: a second call for the same kernel device gives the first one's, and the second file is
 * closed. Takes the file over when it succeeds. */
int amd_ws_device_open(struct kernel_file *file, struct ws_device **device_out);
void amd_ws_device_close(struct ws_device *device);
/* Bytes in use by all processes, as the kernel counts them. */
int amd_ws_device_usage(struct ws_device *device, uint32_t query, uint64_t *bytes_out);
/* One of the registers that the kernel reads for any process; -EINVAL for any other. */
int amd_ws_device_read_register(struct ws_device *device, uint32_t offset_B, uint32_t *value_out);

/* ---- buffers ---- */

enum ws_bo_flags {
    WS_BO_CPU_ACCESS = 1 << 0,
    WS_BO_WRITE_COMBINED = 1 << 1, /* of system memory: the CPU writes and does not read */
    WS_BO_SHAREABLE = 1 << 2,      /* may leave the process */
    WS_BO_VA_32 = 1 << 3,          /* in the range that 32-bit pointers reach */
    WS_BO_READ_ONLY = 1 << 4,      /* for the GPU */
    WS_BO_ZEROED = 1 << 5,
};

struct ws_bo {
    union {
        struct vk_gem gem;
        struct vk_bo vk;
    };
    uint32_t domain; /* AMDGPU_GEM_DOMAIN_* */
    uint32_t flags;
    struct list shared_link; /* in ws_device.shared, or in none */
};

extern const struct vk_gem_ops amd_ws_gem_ops;

/* Where buffers lie, and where those lie that 32-bit pointers must reach. */
enum ws_va_range amd_ws_va_range(const struct ws_device *device, bool in_32);

int amd_ws_bo_create(struct ws_device *device, uint64_t size_B, uint64_t align_B, uint32_t domain, uint32_t flags,
                     uint64_t at_va, struct ws_bo **bo_out);
/* Memory of the application, whole pages. */
int amd_ws_bo_from_user(struct ws_device *device, void *memory, uint64_t size_B, struct ws_bo **bo_out);
/* The fd stays the caller's. */
int amd_ws_bo_import(struct ws_device *device, int fd, struct ws_bo **bo_out);
int amd_ws_bo_export(struct ws_bo *bo, int *fd_out);
/* Of one that submissions must name: whether they do, as from its creation on. While they do not, none may use it. */
void amd_ws_bo_set_named(struct ws_bo *bo, bool named);
void amd_ws_bo_unref(struct ws_bo *bo); /* NULL is allowed */
int amd_ws_bo_map(struct ws_bo *bo, void **memory_out);
int amd_ws_bo_set_metadata(struct ws_bo *bo, const struct drm_amdgpu_gem_metadata *metadata);
int amd_ws_bo_get_metadata(struct ws_bo *bo, struct drm_amdgpu_gem_metadata *metadata_out);

/* ---- sparse ranges ---- */

#define WS_SPARSE_BLOCK_B (64 << 10) /* a multiple of the kernel's pages, and what tiled surfaces consist of */

/* Addresses where the GPU reads zero and writes nothing, until something is bound there. At a place of the caller's
 * unless at_va is 0; else, if `in_32`, where 32-bit pointers reach. */
int amd_ws_sparse_reserve(struct ws_device *device, uint64_t size_B, uint64_t at_va, bool in_32, uint64_t *va_out);
void amd_ws_sparse_release(struct ws_device *device, uint64_t va, uint64_t size_B);
/* NULL: nothing is bound there any more. */
int amd_ws_sparse_bind(struct ws_device *device, uint64_t va, uint64_t size_B, const struct ws_bo *bo,
                       uint64_t offset_B);

/* ---- contexts and submission ---- */

/* One per priority of a device; queues of a priority share it. */
int amd_ws_context_create(struct ws_device *device, int32_t priority, uint32_t *context_out);
void amd_ws_context_destroy(struct ws_device *device, uint32_t context);
/* Whether the context was lost: 0, or -ECANCELED where it was guilty or is gone, -ENODATA where another one's fault
 * took it along. */
int amd_ws_context_status(struct ws_device *device, uint32_t context);

struct ws_ib {
    uint64_t va;
    uint32_t size_dw;
    uint32_t flags; /* AMDGPU_IB_FLAG_* */
};

struct ws_sync_point {
    uint32_t handle;
    uint64_t point; /* 0: binary */
};

struct ws_submit {
    uint32_t context, ip_type, ring;
    const struct ws_ib *ibs;
    uint32_t ib_count; /* at most WS_MAX_IBS */
    const struct ws_ib *companions; /* that run at the same time on the first compute ring */
    uint32_t companion_count;       /* the same */
    const struct ws_sync_point *waits, *signals;
    uint32_t wait_count, signal_count;
};
#define WS_MAX_IBS 4

int amd_ws_submit(struct ws_device *device, const struct ws_submit *submit, uint64_t *sequence_out);
/* 1 when the submission is done, 0 when it is not by the absolute time of CLOCK_MONOTONIC. */
int amd_ws_wait(struct ws_device *device, uint32_t context, uint32_t ip_type, uint32_t ring, uint64_t sequence,
                uint64_t deadline_ns);

#endif
