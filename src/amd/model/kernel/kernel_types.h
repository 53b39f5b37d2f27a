/* The objects of the amdgpu kernel driver's model. Private to kernel_*.c and its tests; the GPU behind it sees engine.h
 * only.
 *
 * Locks, outermost first; each file says what its lock protects:
 *   amd_ctx.lock      sequence numbers of one context
 *   amd_file.lock     handles, contexts, lists, prime names of one open file
 *   amd_vm.lock       mappings of one address space
 *   drm_resv_lock     of all shared buffers that a submission names, in their own order; nothing of the above inside
 *   amd_device.lock   heaps, mmap offsets, shared buffers, CPU mappings, flink names
 *   amd_sched.lock    queues and rings
 *   fences' locks     innermost; never add or remove a callback with amd_sched.lock held */
#ifndef AMD_MODEL_KERNEL_TYPES_H
#define AMD_MODEL_KERNEL_TYPES_H

#include <amdgpu_drm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "amd/hw/chip.h"
#include "amd/model/cp/engine.h"
#include "kernel/kernel.h"
#include "model/drm/drm_fence.h"
#include "model/drm/drm_resv.h"
#include "model/drm/drm_syncobj.h"
#include "model/memory.h"
#include "util/array.h"
#include "util/list.h"
#include "util/map.h"

/* The version that the model's interface corresponds to. 3.49: submissions to several rings at once. */
#define AMD_DRM_MAJOR 3
#define AMD_DRM_MINOR 49
#define AMD_DRM_PATCH 0

/* What one context may have in flight on one ring before CS blocks, and how far back WAIT_CS remembers. */
#define AMD_CTX_FENCES 32

struct amd_sched;

/* ---- handles: small positive numbers, the lowest free one first ---- */

struct amd_handles {
    ARRAY(void *) slots; /* handle n is slot n - 1 */
    uint32_t first_free; /* no free slot below */
};

int amd_handles_insert(struct amd_handles *handles, void *object, uint32_t limit, uint32_t *handle_out);
void *amd_handles_get(const struct amd_handles *handles, uint32_t handle);
void *amd_handles_remove(struct amd_handles *handles, uint32_t handle);

/* ---- heaps ---- */

enum amd_heap_kind {
    AMD_HEAP_VRAM,
    AMD_HEAP_GTT,
    AMD_HEAP_GDS, /* the three on-chip memories have no bytes that the host could see */
    AMD_HEAP_GWS,
    AMD_HEAP_OA,
    AMD_HEAP_COUNT,
    AMD_HEAP_NONE = AMD_HEAP_COUNT, /* memory of the process or of another one's buffer */
};

struct amd_heap {
    uint64_t total_B;
    uint64_t used_B;
    int memfd;       /* sparse; -1 for on-chip memories */
    uint64_t next_B; /* places in the file are never used twice: it is sparse and 2^63 bytes long */
};

/* ---- buffers ---- */

struct amd_bo_metadata {
    uint64_t flags;
    uint64_t tiling_info;
    uint32_t size_B;
    uint32_t data[64];
};

struct amd_bo_user_mapping {
    struct amd_bo *bo;
    uint8_t *memory;
    uint64_t size_B;
    uint64_t offset_B;
    int protection;
};

struct amd_bo {
    _Atomic uint32_t refs;
    struct amd_device *device;
    uint64_t size_B;
    uint64_t align_B;
    uint64_t flags; /* AMDGPU_GEM_CREATE_* */

    /* under amd_device.lock */
    uint32_t preferred_domains;
    enum amd_heap_kind heap;
    int fd; /* the file that has the bytes: the heap's, or its own once it is shared; -1 for on-chip memory */
    uint64_t offset_B;                /* in that file, or in the on-chip memory */
    bool shared;                      /* fd is its own */
    ino_t ino;                        /* of a shared one */
    struct amd_bo_metadata *metadata; /* in the trailer page of a shared file, otherwise &own_metadata */
    struct amd_bo_metadata own_metadata;
    void *trailer;
    struct drm_resv *resv;  /* of a shared one: the fences of all who have it */
    uint64_t mmap_offset_B; /* 0: GEM_MMAP was never asked */
    uint32_t flink_name;
    ARRAY(struct amd_mapping_place) places; /* where it is mapped in address spaces */
    ARRAY(struct drm_fence *) fences;       /* jobs that use it; done ones are dropped now and then */

    void *user_memory; /* userptr: the process's own pages */
    uint32_t user_flags;
    uint32_t user_generation;       /* whose pages they are */
    struct amd_vm *always_valid_vm; /* VM_ALWAYS_VALID: belongs to this space only (no reference) */
};

struct amd_mapping_place {
    struct amd_vm *vm;
    uint64_t va;
    uint64_t size_B;
    uint64_t offset_B;
    unsigned perms;
};

/* ---- address spaces ---- */

struct amd_mapping {
    uint64_t va;
    uint64_t size_B;
    struct amd_bo *bo; /* a reference; NULL: partially resident */
    uint64_t offset_B;
    uint32_t flags; /* AMDGPU_VM_PAGE_* */
};

/* Pages that were unmapped while jobs submitted before could still use them. */
struct amd_leaving {
    uint64_t va;
    uint64_t size_B;
    struct drm_fence *after; /* a reference: the jobs */
    struct amd_bo *bo;       /* a reference, or NULL */
};

struct amd_vm {
    _Atomic uint32_t refs;
    struct amd_device *device;
    pthread_mutex_t lock;
    struct gpu_space space;
    ARRAY(struct amd_mapping) mappings; /* by address, without overlaps */
    ARRAY(struct amd_leaving) leaving;  /* gone from `mappings`, not from `space` yet */
    ARRAY(struct drm_fence *) fences; /* all jobs of this space, for buffers that are always valid; under device lock */
    _Atomic uint32_t jobs;            /* handed to the engine and not finished */
    struct list node;                 /* in amd_device.vms */
    bool reserved_vmid;
};

/* ---- contexts ---- */

struct amd_entity {
    struct amd_ctx *ctx;
    enum amd_ring_kind kind;
    uint32_t ring;
    uint64_t next_seq;                        /* under amd_ctx.lock, as the two arrays */
    struct drm_fence *fences[AMD_CTX_FENCES]; /* by sequence number */
    struct drm_fence *scheduled[AMD_CTX_FENCES];
    struct list queue; /* jobs in order; under amd_sched.lock */
    bool had_preamble; /* under amd_sched.lock */
};

struct amd_ctx {
    _Atomic uint32_t refs;
    struct amd_file *file;
    struct amd_vm *vm;
    struct amd_device *device;
    uint32_t id;
    int32_t priority;
    _Atomic int32_t override_priority; /* AMDGPU_CTX_PRIORITY_UNSET: none */
    uint32_t stable_pstate;
    _Atomic bool guilty;   /* one of its jobs was lost: nothing runs any more */
    bool loss_was_queried; /* by QUERY_STATE, which tells each loss once */
    uint32_t unfinished;   /* jobs queued or running; under amd_sched.lock */
    pthread_mutex_t lock;  /* sequence numbers and the order of submissions; outside amd_sched.lock */
    struct amd_engine_context *engine_context;
    struct amd_entity entities[AMD_RING_KIND_COUNT][AMD_MAX_RINGS];
};

struct amd_bo_list {
    ARRAY(struct amd_bo *) bos; /* references */
};

/* ---- files and the device ---- */

struct amd_file {
    struct amd_device *device;
    enum kernel_node node;
    bool master;
    bool authenticated;
    uint32_t magic;
    pthread_mutex_t lock;
    struct amd_handles bos;
    struct map64 bo_handles; /* struct amd_bo * → handle: importing twice gives the same one */
    struct amd_handles contexts;
    struct amd_handles bo_lists;
    struct drm_syncobj_table syncobjs;
    struct amd_vm *vm;
    struct list node_in_device;
};

struct amd_device {
    const struct amd_chip *chip;
    char name[32];
    uint32_t generation; /* of the process: a child of fork must not use it */
    const struct amd_engine_ops *engine_ops;
    struct amd_engine *engine;
    struct amd_sched *sched;

    pthread_mutex_t lock;
    struct amd_heap heaps[AMD_HEAP_COUNT];
    ARRAY(struct amd_bo *) mmap_bos; /* by offset */
    uint64_t next_mmap_offset_B;
    ARRAY(struct amd_bo_user_mapping) cpu_maps; /* of buffers, in this process */
    _Atomic uint32_t cpu_map_count;             /* to answer "none" without the lock */
    ARRAY(struct amd_bo *) shared_bos;          /* no references; found by inode */
    struct amd_handles flink_names;
    struct list vms;
    struct list files;
    struct amd_ctx *pstate_ctx;
    uint32_t next_magic;
    uint64_t low_va, low_size_B, high_va, high_size_B;
};

/* kernel_device.c */
bool amd_device_is_ours(const struct amd_device *device);
int amd_device_create(const char *chip_name, const struct amd_engine_ops *engine_ops, struct amd_device **device_out);
void amd_device_destroy(struct amd_device *device);
int amd_file_open(struct amd_device *device, enum kernel_node node, struct amd_file **file_out);
void amd_file_close(struct amd_file *file);

/* kernel_ioctl.c */
int amd_file_ioctl(struct amd_file *file, unsigned long request, void *argument);

/* kernel_bo.c */
struct amd_bo *amd_bo_ref(struct amd_bo *bo);
void amd_bo_unref(struct amd_bo *bo); /* NULL is allowed */
int amd_bo_create(struct amd_device *device, uint64_t size_B, uint64_t align_B, uint32_t domains, uint64_t flags,
                  struct amd_bo **bo_out);
int amd_bo_create_user(struct amd_device *device, void *memory, uint64_t size_B, uint32_t flags,
                       struct amd_bo **bo_out);
struct amd_bo *amd_bo_find(struct amd_file *file, uint32_t handle);                /* a new reference or NULL */
int amd_bo_handle(struct amd_file *file, struct amd_bo *bo, uint32_t *handle_out); /* the one it has, or a new one */
/* The buffers are used until this fence is signaled. */
void amd_bo_add_fence(struct amd_device *device, struct amd_bo *const *bos, uint32_t count, struct drm_fence *fence);
bool amd_bo_wait_idle(struct amd_bo *bo, int64_t deadline_ns);
/* Write a few bytes of a buffer, as the end of a job does. */
void amd_bo_write(struct amd_bo *bo, uint64_t offset_B, const void *data, uint32_t size_B);
uint64_t amd_heap_max_allocation_B(const struct amd_heap *heap);

/* kernel_share.c */
int amd_bo_export(struct amd_bo *bo); /* a new fd or -errno */
int amd_bo_import(struct amd_device *device, int fd, struct amd_bo **bo_out);
int amd_dmabuf_size(int fd, uint64_t *size_B_out);
int amd_fd_ioctl(int fd, unsigned long request, void *argument); /* of a dma-buf or a sync file; -ENOTTY: neither */
void amd_bo_release_share(struct amd_bo *bo); /* the last reference is gone; amd_device.lock is held */

/* kernel_mmap.c */
int amd_file_mmap(struct amd_file *file, void *hint, size_t size_B, int protection, int flags, uint64_t offset_B,
                  void **memory_out);
void amd_device_memory_unmapped(struct amd_device *device, const void *memory, size_t size_B);
int amd_bo_mmap_offset(struct amd_bo *bo, uint64_t *offset_B_out);
void amd_bo_release_mmap(struct amd_bo *bo);
/* The buffer's bytes have moved to bo->fd: map them at every place where the old ones were. Device lock held. */
int amd_bo_remap_everywhere(struct amd_bo *bo);

/* kernel_vm.c */
int amd_vm_create(struct amd_device *device, struct amd_vm **vm_out);
struct amd_vm *amd_vm_ref(struct amd_vm *vm);
void amd_vm_unref(struct amd_vm *vm);
void amd_vm_forget_bo(struct amd_vm *vm, struct amd_bo *bo); /* its handle was closed: unmap it */
void amd_vm_settle(struct amd_vm *vm);                       /* let go of unmapped pages whose jobs are done */
int amd_gem_va_ioctl(struct amd_file *file, void *data);
void amd_vm_describe(const struct gpu_space *space, uint64_t va, struct strbuf *text);
void amd_vm_register(struct amd_vm *vm);
extern const struct amd_engine_host amd_engine_host;

/* kernel_ctx.c */
struct amd_ctx *amd_ctx_find(struct amd_file *file, uint32_t id); /* a new reference or NULL */
void amd_ctx_unref(struct amd_ctx *ctx);
int32_t amd_ctx_effective_priority(const struct amd_ctx *ctx);
void amd_ctx_close_all(struct amd_file *file);
/* The queue that a submission names: -EINVAL where the chip has no such ring. */
/* The chip's engines of one kind (AMDGPU_HW_IP_*), and whose rings they are; NULL when the model has none. */
const struct amd_chip_ip *amd_chip_ip_find(const struct amd_chip *chip, uint32_t ip_type, enum amd_ring_kind *kind_out);
int amd_ctx_entity(struct amd_ctx *ctx, uint32_t ip_type, uint32_t ip_instance, uint32_t ring,
                   struct amd_entity **entity_out);
/* A new reference; *fence_out is NULL for one done long ago. `scheduled`: the fence of "it has started". -EINVAL. */
int amd_entity_fence(struct amd_entity *entity, uint64_t seq, bool scheduled, struct drm_fence **fence_out);
int amd_ctx_ioctl(struct amd_file *file, void *data);
int amd_vm_ioctl(struct amd_file *file, void *data);
int amd_sched_ioctl(struct amd_file *file, void *data);

/* kernel_bo_list.c */
int amd_bo_list_ioctl(struct amd_file *file, void *data);
void amd_bo_list_destroy(struct amd_bo_list *list);
/* The list of a handle, or of an array of entries in user memory: an array of references. 0 or -errno. */
int amd_bo_list_copy(struct amd_file *file, uint32_t handle, struct amd_bo_list *copy_out);
int amd_bo_list_from_user(struct amd_file *file, const struct drm_amdgpu_bo_list_in *args,
                          struct amd_bo_list *list_out);

/* kernel_gem.c, kernel_core.c, kernel_info.c, kernel_cs.c, kernel_wait.c: ioctls on a copy of the user's struct */
int amd_gem_create_ioctl(struct amd_file *file, void *data);
int amd_gem_userptr_ioctl(struct amd_file *file, void *data);
int amd_gem_mmap_ioctl(struct amd_file *file, void *data);
int amd_gem_wait_idle_ioctl(struct amd_file *file, void *data);
int amd_gem_metadata_ioctl(struct amd_file *file, void *data);
int amd_gem_op_ioctl(struct amd_file *file, void *data);
int amd_gem_close_ioctl(struct amd_file *file, void *data);
int amd_gem_flink_ioctl(struct amd_file *file, void *data);
int amd_gem_open_ioctl(struct amd_file *file, void *data);
int amd_prime_handle_to_fd_ioctl(struct amd_file *file, void *data);
int amd_prime_fd_to_handle_ioctl(struct amd_file *file, void *data);
int amd_version_ioctl(struct amd_file *file, void *data);
int amd_get_unique_ioctl(struct amd_file *file, void *data);
int amd_get_magic_ioctl(struct amd_file *file, void *data);
int amd_auth_magic_ioctl(struct amd_file *file, void *data);
int amd_get_client_ioctl(struct amd_file *file, void *data);
int amd_set_version_ioctl(struct amd_file *file, void *data);
int amd_get_cap_ioctl(struct amd_file *file, void *data);
int amd_mode_get_resources_ioctl(struct amd_file *file, void *data);
int amd_mode_get_plane_resources_ioctl(struct amd_file *file, void *data);
int amd_set_client_cap_ioctl(struct amd_file *file, void *data);
int amd_set_master_ioctl(struct amd_file *file, void *data);
int amd_drop_master_ioctl(struct amd_file *file, void *data);
int amd_info_ioctl(struct amd_file *file, void *data);
int amd_cs_ioctl(struct amd_file *file, void *data);
int amd_wait_cs_ioctl(struct amd_file *file, void *data);
int amd_wait_fences_ioctl(struct amd_file *file, void *data);
int amd_fence_to_handle_ioctl(struct amd_file *file, void *data);
int64_t amd_deadline_ns(uint64_t timeout); /* amdgpu's absolute timeout: a negative one means for ever */

#endif
