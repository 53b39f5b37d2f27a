/* The msm kernel driver as our driver uses it: one open file with its address space, buffers, submit queues and
 * submissions. Not for: anything that Vulkan has a name for.
 *
 * Functions return 0 or -errno. Everything is thread-safe. */
#ifndef ADRENO_DRIVER_KERNEL_H
#define ADRENO_DRIVER_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "adreno/hw/msm_uapi.h"
#include "kernel/kernel.h"
#include "util/array.h"
#include "util/list.h"
#include "vulkan/runtime/memory/vk_gem.h"
#include "vulkan/runtime/memory/vk_va.h"

/* ---- the file ---- */

struct adreno_bo;

struct adreno_kernel {
    struct kernel_file *file;
    uint64_t chip_id, gmem_size_B, gmem_base;
    uint64_t va_start, va_size_B;
    uint32_t priorities;
    struct vk_va va;
    _Atomic uint64_t allocated_B;

    struct vk_gem_file gems; /* its lock is also that of what follows */
    /* The buffers that every submission names: all, for any of them may be used by its address. The second array has
     * the objects of the first. */
    ARRAY(struct drm_msm_gem_submit_bo) named;
    ARRAY(struct adreno_bo *) named_bos;
    ARRAY(struct adreno_bo *) lazies; /* adreno_bo_reserve's, committed or not */
};

/* Takes the file over when it succeeds. -ENOTSUP: the kernel does not let user space choose addresses. */
int adreno_kernel_open(struct kernel_file *file, struct adreno_kernel **kernel_out);
void adreno_kernel_close(struct adreno_kernel *kernel);
int adreno_kernel_get(struct adreno_kernel *kernel, enum msm_param param, uint64_t *value_out);

/* ---- buffers ---- */

struct adreno_bo {
    union {
        struct vk_gem gem; /* shared: submissions wait for others' work with it */
        struct vk_bo vk;
    };
    uint32_t flags;    /* MSM_BO_* */
    uint32_t named_at; /* in adreno_kernel.named */
    bool is_lazy;      /* an address alone until adreno_bo_commit */
};

extern const struct vk_gem_ops adreno_gem_ops;
static inline struct adreno_kernel *adreno_kernel_of(struct vk_gem_file *gems)
{
    return container_of(gems, struct adreno_kernel, gems);
}

/* `at_va` 0: anywhere. */
int adreno_bo_create(struct adreno_kernel *kernel, uint64_t size_B, uint32_t flags, uint64_t at_va,
                     struct adreno_bo **bo_out);
/* An address that has no memory before it is committed: by any thread, as often as one likes. */
int adreno_bo_reserve(struct adreno_kernel *kernel, uint64_t size_B, uint32_t flags, struct adreno_bo **bo_out);
int adreno_bo_commit(struct adreno_bo *bo);
bool adreno_bo_is_committed(struct adreno_bo *bo);
/* Makes the buffer at an address, if it was reserved. */
int adreno_bo_commit_at(struct adreno_kernel *kernel, uint64_t va);
/* The fd stays the caller's. */
int adreno_bo_import(struct adreno_kernel *kernel, int fd, struct adreno_bo **bo_out);
/* From here on it is shared. */
int adreno_bo_export(struct adreno_bo *bo, int *fd_out);
void adreno_bo_unref(struct adreno_bo *bo); /* NULL is allowed */
int adreno_bo_map(struct adreno_bo *bo, void **memory_out);
/* A shared one: whether submissions wait for others' work with it, as from its creation on. */
void adreno_bo_set_waited(struct adreno_bo *bo, bool is_waited);
/* Data that travels with a shared buffer: up to 128 bytes. */
int adreno_bo_set_metadata(struct adreno_bo *bo, const void *data, uint32_t size_B);
int adreno_bo_get_metadata(struct adreno_bo *bo, void *data, uint32_t *size_B);

/* ---- submissions ---- */

/* Priority 0 is the highest. */
int adreno_submitqueue_create(struct adreno_kernel *kernel, uint32_t priority, uint32_t *id_out);
void adreno_submitqueue_destroy(struct adreno_kernel *kernel, uint32_t id);
/* How often work of the queue failed. */
int adreno_submitqueue_faults(struct adreno_kernel *kernel, uint32_t id, uint64_t *count_out);

/* A piece of a stream. */
struct adreno_piece {
    struct adreno_bo *bo;
    uint32_t offset_B, size_dw;
};

struct adreno_submit {
    uint32_t queue;
    const struct adreno_piece *pieces; /* one after the other; none: nothing runs */
    uint32_t piece_count;
    struct drm_msm_syncobj *waits, *signals;
    uint32_t wait_count, signal_count;
};

int adreno_kernel_submit(struct adreno_kernel *kernel, const struct adreno_submit *submit, uint32_t *fence_out);
/* 1 when the submission is done, 0 when it is not by the absolute time of CLOCK_MONOTONIC. */
int adreno_kernel_wait(struct adreno_kernel *kernel, uint32_t queue, uint32_t fence, uint64_t deadline_ns);

#endif
