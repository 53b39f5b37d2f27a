/* The objects of the amdgpu kernel driver's model: what it adds to those that all DRM drivers have (model/drm). Private
 * to kernel_*.c and its tests; the GPU sees engine.h only.
 *
 * Locks: amd_ctx.lock is outside all others, see model/drm/drm_device.h. */
#ifndef AMD_MODEL_KERNEL_TYPES_H
#define AMD_MODEL_KERNEL_TYPES_H

#include <amdgpu_drm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/chip.h"
#include "amd/model/cp/engine.h"
#include "model/drm/drm_device.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_ioctl.h"
#include "model/drm/drm_job.h"
#include "model/drm/drm_vm.h"

/* The version that the model's interface corresponds to. 3.49: submissions to several rings at once. 3.50 to 3.53: more
 * of the device's description. 3.54: a context's state says whether a reset still goes on, which here none ever
 * does. */
#define AMD_DRM_MAJOR 3
#define AMD_DRM_MINOR 54
#define AMD_DRM_PATCH 0

/* How far back WAIT_CS remembers jobs that are done. The kernel lets CS wait for the job that is so far back, too; here
 * any number may wait. */
#define AMD_CTX_FENCES 32

enum amd_heap_kind {
    AMD_HEAP_VRAM,
    AMD_HEAP_GTT,
    AMD_HEAP_GDS, /* the three on-chip memories have no bytes that the host could see */
    AMD_HEAP_GWS,
    AMD_HEAP_OA,
    AMD_HEAP_COUNT,
};

/* ---- buffers ---- */

/* Properties that go with a shared buffer (drm_gem.blob). Domains and flags never change; the rest is the words of
 * SET_METADATA, in any process, and is to be read as input. */
struct amd_bo_blob {
    uint32_t domains;
    uint32_t metadata_B;
    uint64_t flags;
    uint64_t metadata_flags;
    uint64_t tiling_info;
    uint32_t metadata[64];
};

struct amd_bo {
    struct drm_gem gem;
    uint64_t flags;             /* AMDGPU_GEM_CREATE_* */
    uint32_t preferred_domains; /* under drm_device.lock */
    struct amd_bo_blob own_blob;
};

static inline struct amd_bo *amd_bo(struct drm_gem *gem)
{
    return (struct amd_bo *)gem;
}

/* ---- address spaces and contexts ---- */

struct amd_vm {
    struct drm_vm vm;
    bool reserved_vmid;
};

struct amd_past_job {
    struct drm_fence *done, *scheduled; /* references */
};

struct amd_entity {
    struct drm_queue queue;
    uint64_t next_seq; /* under amd_ctx.lock, as the history: those that are not done, and some that are */
    ARRAY(struct amd_past_job) history;
    uint32_t first;    /* those before it have been forgotten; the last one is next_seq - 1 */
    bool had_preamble; /* its ring's feeder alone looks at it */
};

struct amd_ctx {
    struct drm_context context;
    struct amd_device *device;
    int32_t priority; /* its own; the master may override it */
    uint32_t stable_pstate;
    bool loss_was_queried; /* by QUERY_STATE, which reports each loss once */
    pthread_mutex_t lock;  /* sequence numbers and the order of submissions; outside drm_sched.lock */
    struct amd_entity entities[AMD_RING_COUNT];
};

struct amd_job {
    struct drm_job job;
    struct amd_engine_work work;
    ARRAY(struct amd_engine_ib) ibs;
    struct drm_gem *user_fence_gem; /* where the sequence number is written at the end; NULL: nowhere */
    uint32_t user_fence_offset_B;
};

/* ---- files and the device ---- */

struct amd_file {
    struct drm_file file;
    struct amd_device *device;
    struct drm_handles contexts;
    struct drm_handles bo_lists; /* struct drm_use_list */
    struct drm_vm *vm;
};

static inline struct amd_file *amd_file(struct drm_file *file)
{
    return (struct amd_file *)file;
}

struct amd_device {
    struct drm_device drm;
    const struct amd_chip *chip;
    char name[32];
    struct drm_heap heaps[AMD_HEAP_COUNT]; /* under drm.lock, as the next one */
    struct amd_ctx *pstate_ctx;
    uint64_t low_va, low_size_B, high_va, high_size_B;
};

/* kernel_device.c */
int amd_device_create(const char *chip_name, const struct drm_engine_ops *engine_ops, struct amd_device **device_out);
void amd_device_destroy(struct amd_device *device);
int amd_file_open(struct amd_device *device, enum kernel_node node, struct amd_file **file_out);
void amd_file_close(struct amd_file *file);

/* kernel_ioctl.c */
#define AMD_IOCTL_COUNT (DRM_AMDGPU_SCHED + 1)
extern const struct drm_ioctl_row amd_ioctls[AMD_IOCTL_COUNT];

/* kernel_gem.c */
uint64_t amd_heap_max_allocation_B(const struct drm_heap *heap);
int amd_gem_arrived(struct drm_gem *gem, const void *blob);

/* kernel_ctx.c */
struct amd_ctx *amd_ctx_find(struct amd_file *file, uint32_t id); /* a new reference or NULL */
void amd_ctx_unref(struct amd_ctx *ctx);                          /* NULL is allowed */
void amd_ctx_destroy(struct drm_context *context);
void amd_ctx_close_all(struct amd_file *file);
/* The chip's engines of one kind (AMDGPU_HW_IP_*), and whose rings they are; NULL when the model has none. */
const struct amd_chip_ip *amd_chip_ip_find(const struct amd_chip *chip, uint32_t ip_type, enum amd_ring_kind *kind_out);
/* The queue that a submission names: -EINVAL where the chip has no such ring. */
int amd_ctx_entity(struct amd_ctx *ctx, uint32_t ip_type, uint32_t ip_instance, uint32_t ring,
                   struct amd_entity **entity_out);
/* With amd_ctx.lock: memory for one more job, then the job itself, which gets the next number. */
bool amd_entity_reserve(struct amd_entity *entity, uint32_t more);
void amd_entity_add(struct amd_entity *entity, struct drm_job *job);
/* A new reference; *fence_out is NULL for one done long ago. `scheduled`: the fence of "it has started". -EINVAL. */
int amd_entity_fence(struct amd_ctx *ctx, struct amd_entity *entity, uint64_t seq, bool scheduled,
                     struct drm_fence **fence_out);

/* kernel_bo_list.c: the list of a handle, or of an array of entries in user memory. 0 or -errno. */
int amd_bo_list_copy(struct amd_file *file, uint32_t handle, struct drm_use_list *copy_out);
int amd_bo_list_from_user(struct amd_file *file, const struct drm_amdgpu_bo_list_in *args,
                          struct drm_use_list *list_out);

/* kernel_trace.c: a job goes to its ring; write its streams where the environment asks for it. */
void amd_trace_job(const struct amd_job *job);

/* kernel_cs.c: how many indirect buffers a job of such a ring may have. */
uint32_t amd_cs_max_ibs(uint32_t ip_type);

/* ioctls on a copy of the user's struct */
int amd_gem_create_ioctl(struct drm_file *file, void *data);
int amd_gem_userptr_ioctl(struct drm_file *file, void *data);
int amd_gem_mmap_ioctl(struct drm_file *file, void *data);
int amd_gem_wait_idle_ioctl(struct drm_file *file, void *data);
int amd_gem_metadata_ioctl(struct drm_file *file, void *data);
int amd_gem_op_ioctl(struct drm_file *file, void *data);
int amd_gem_va_ioctl(struct drm_file *file, void *data);
int amd_ctx_ioctl(struct drm_file *file, void *data);
int amd_vm_ioctl(struct drm_file *file, void *data);
int amd_sched_ioctl(struct drm_file *file, void *data);
int amd_bo_list_ioctl(struct drm_file *file, void *data);
int amd_info_ioctl(struct drm_file *file, void *data);
int amd_cs_ioctl(struct drm_file *file, void *data);
int amd_wait_cs_ioctl(struct drm_file *file, void *data);
int amd_wait_fences_ioctl(struct drm_file *file, void *data);
int amd_fence_to_handle_ioctl(struct drm_file *file, void *data);
int64_t amd_deadline_ns(uint64_t timeout); /* amdgpu's absolute timeout: a negative one means for ever */

#endif
