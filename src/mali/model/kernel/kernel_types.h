/* The objects of the panthor kernel driver's model: what it adds to those that all DRM drivers have (model/drm).
 * Private to kernel_*.c and its tests; the GPU sees engine.h only.
 *
 * Locks, outermost first, all outside of those of model/drm/drm_device.h: mali_kernel_group.lock and mali_vm.bind_lock
 * (the order of submissions), mali_vm.heap_lock, mali_vm.kernel_lock, mali_device.slot_lock. */
#ifndef MALI_MODEL_KERNEL_TYPES_H
#define MALI_MODEL_KERNEL_TYPES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mali/hw/chip.h"
#include "mali/hw/decode.h"
#include "mali/hw/panthor_uapi.h"
#include "mali/model/engine.h"
#include "model/drm/drm_bind.h"
#include "model/drm/drm_device.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_ioctl.h"
#include "model/drm/drm_job.h"
#include "model/drm/drm_vm.h"

/* The version that the model's interface corresponds to: 1.2 has the allowed priorities, 1.3 innocent groups, 1.4
 * labels of buffers, 1.5 the choice of the offset of mapped registers, 1.6 a cycle counter that runs, 1.7 cached
 * mappings with their maintenance, 1.8 clocks of GPU and CPU in one query. */
#define MALI_DRM_MAJOR 1
#define MALI_DRM_MINOR 8
#define MALI_DRM_PATCH 0

/* After the GPU's own rings: binds happen on the CPU, in an order of their own. */
#define MALI_RING_BIND MALI_RING_COUNT
#define MALI_KERNEL_RINGS (MALI_RING_BIND + 1)

#define MALI_FILE_VMS_MAX 32
#define MALI_FILE_GROUPS_MAX 128
#define MALI_VM_HEAPS_MAX 128
#define MALI_VA_BITS 48
#define MALI_LABEL_MAX_B 64 /* what is kept of one, for reports */
#define MALI_SYNCOBJ_B 16

/* ---- buffers ---- */

/* Properties that go with a shared buffer (drm_gem.blob), to be read as input. */
struct mali_bo_blob {
    uint32_t flags; /* DRM_PANTHOR_BO_*, as it was created */
};

struct mali_bo {
    struct drm_gem gem;
    uint32_t flags;
    bool is_exclusive; /* made for one space (drm_gem.exclusive_vm, until that is gone): no other may map it */
    bool is_foreign;   /* of another family's driver */
    char label[MALI_LABEL_MAX_B]; /* under drm_device.lock */
    struct mali_bo_blob own_blob;
};

static inline struct mali_bo *mali_bo(struct drm_gem *gem)
{
    return (struct mali_bo *)gem;
}

/* A buffer of the kernel's own in an address space: ring buffers, synchronisation objects, heaps. */
struct mali_kernel_bo {
    struct drm_gem *gem; /* a reference; NULL: none */
    uint64_t va;
};

/* ---- address spaces and heaps ---- */

/* A tiler heap: chunks of one size, in a list that the GPU takes them from. */
struct mali_tiler_heap {
    uint32_t chunk_B;
    uint32_t max_chunks;
    uint32_t target_in_flight;
    ARRAY(struct mali_kernel_bo) chunks;
};

struct mali_va_range {
    uint64_t va;
    uint64_t size_B;
};

struct mali_vm {
    struct drm_vm vm;
    _Atomic bool is_unusable; /* an asynchronous bind has failed */
    _Atomic bool is_destroyed;

    pthread_mutex_t kernel_lock; /* of the addresses above the user's, which the kernel chooses */
    uint64_t kernel_next_va;
    ARRAY(struct mali_va_range) kernel_free;

    pthread_mutex_t heap_lock;
    struct mali_kernel_bo heap_contexts; /* of all heaps; made with the first */
    struct mali_tiler_heap *heaps[MALI_VM_HEAPS_MAX];

    pthread_mutex_t bind_lock;
    struct mali_bind_context *bind; /* a reference; NULL before the first asynchronous bind and after the end */
};

/* ---- contexts: what jobs belong to and keep alive ---- */

struct mali_context {
    struct drm_context context;
    void (*destroy)(struct mali_context *context);
};

/* An address space's queue of asynchronous binds. */
struct mali_bind_context {
    struct mali_context base;
    struct drm_queue queue;
    uint64_t seqno;
};

struct mali_kernel_queue {
    struct drm_queue queue;
    struct mali_kernel_bo ring;
    uint32_t ring_B;
    uint32_t insert_B;               /* where the next job's instructions go; its ring's feeder alone looks at it */
    uint64_t seqno;                  /* of the last job; under the group's lock */
    struct mali_decode_queue traced; /* registers as a trace of its streams knows them; under the trace's lock */
};

struct mali_kernel_group {
    struct mali_context base;
    struct mali_device *device;
    pthread_mutex_t lock; /* the order of submissions */
    uint32_t queue_count;
    struct mali_kernel_queue queues[MALI_QUEUE_COUNT];
    struct mali_kernel_bo syncobjs; /* of each queue: a sequence number that SYNC_ADD64 counts up, a status */

    uint32_t pending; /* jobs that have not ended: while there are any it holds a slot. Under mali_device.slot_lock */
    uint32_t slot;

    _Atomic bool is_destroyed;
    _Atomic bool has_timed_out;
    _Atomic bool is_innocent; /* it was lost by a reset for another group */
    _Atomic uint32_t fatal_queues;
};

/* A job of a queue, or of the bind ring. */
struct mali_job {
    struct drm_job job;
    struct mali_work work;
    struct mali_kernel_group *group; /* kept alive by drm_job.context; NULL: a bind */
    uint32_t queue;
    uint32_t latest_flush;
    bool holds_slot;
    struct drm_bind bind; /* drm_job.uses has the buffer */
    struct drm_bind_work bind_work;
};

/* ---- files and the device ---- */

struct mali_file {
    struct drm_file file;
    struct mali_device *device;
    struct drm_handles vms;    /* struct mali_vm *; under file.lock, as the next one */
    struct drm_handles groups; /* struct mali_kernel_group * */
    _Atomic uint64_t mmio_offset_B;
};

static inline struct mali_file *mali_file(struct drm_file *file)
{
    return (struct mali_file *)file;
}

struct mali_device {
    struct drm_device drm;
    const struct mali_chip *chip;
    struct drm_heap heap; /* under drm.lock */
    int flush_fd;         /* the page of LATEST_FLUSH_ID */
    _Atomic uint32_t *flush_id;
    pthread_mutex_t slot_lock;
    uint32_t slot_groups[MALI_SLOT_COUNT]; /* groups that have work */
};

/* kernel_device.c */
int mali_device_create(const char *chip_name, const struct drm_engine_ops *gpu_ops, struct mali_device **device_out);
void mali_device_destroy(struct mali_device *device);
int mali_file_open(struct mali_device *device, enum kernel_node node, struct mali_file **file_out);
void mali_file_close(struct mali_file *file);

/* kernel_ioctl.c */
#define MALI_IOCTL_COUNT (_IOC_NR(DRM_IOCTL_PANTHOR_BO_QUERY_INFO) - DRM_COMMAND_BASE + 1)
extern const struct drm_ioctl_row mali_ioctls[MALI_IOCTL_COUNT];

/* The elements of an array, with zeros where the user's are shorter; *data_out is freed by the caller. -EINVAL: shorter
 * than `least_B`; -E2BIG: longer, and not zero there; -EFAULT; -ENOMEM. */
int mali_read_objects(void **data_out, const struct drm_panthor_obj_array *array, size_t object_B, size_t least_B);

/* kernel_gem.c */
int mali_gem_arrived(struct drm_gem *gem, const void *blob);
int mali_gem_may_leave(const struct drm_gem *gem);
const char *mali_gem_label(const struct drm_gem *gem);

/* kernel_vm.c */
struct mali_vm *mali_vm_find(struct mali_file *file, uint32_t id); /* a new reference or NULL */
void mali_vm_close_all(struct mali_file *file);
void mali_vm_finish(struct drm_vm *vm);
/* A zeroed buffer at an address of the kernel's choice; 0 or -errno. */
int mali_kernel_bo_create(struct mali_vm *vm, uint64_t size_B, struct mali_kernel_bo *bo_out);
void mali_kernel_bo_destroy(struct mali_vm *vm, struct mali_kernel_bo *bo); /* an empty one is allowed */

/* kernel_bind.c */
void mali_bind_end(struct mali_vm *vm); /* no more asynchronous binds */

/* kernel_heap.c */
int mali_heap_grow(const struct drm_engine_job *job, uint64_t heap_va, uint32_t passes_in_flight,
                   uint32_t fragments_pending, uint64_t *chunk_out);
void mali_heap_destroy_all(struct mali_vm *vm);

/* kernel_group.c */
struct mali_kernel_group *mali_group_find(struct mali_file *file, uint32_t handle); /* a new reference or NULL */
bool mali_group_can_run(const struct mali_kernel_group *group);
void mali_group_close_all(struct mali_file *file);
void mali_context_destroy(struct drm_context *context);
bool mali_context_reset(struct drm_context *context);
/* Before a job is queued, and when it has ended. */
void mali_group_take_slot(struct mali_job *job);
void mali_group_leave_slot(struct mali_job *job);

/* kernel_ring.c: the instructions around a user's stream go to the ring buffer, and the work to the job. */
void mali_ring_write(struct mali_job *job);

/* kernel_batch.c: jobs that are submitted together, and what each waits for and signals: what one signals, those after
 * it can wait for. */
struct mali_signal {
    uint32_t handle;
    uint64_t point; /* 0: binary */
    struct drm_syncobj_room room;
    struct drm_fence *fence; /* what is in it, or will be: of the last job so far; NULL: nothing */
};

struct mali_batch_entry {
    struct mali_job *job; /* NULL: the scheduler's */
    struct drm_panthor_sync_op *ops;
    uint32_t op_count;
};

struct mali_batch {
    struct drm_file *file;
    ARRAY(struct mali_batch_entry) entries;
    ARRAY(struct mali_signal) signals;
};

/* Takes the job, on failure too. */
int mali_batch_add(struct mali_batch *batch, struct mali_job *job, const struct drm_panthor_obj_array *syncs);
/* All are complete: queue them. The locks that order their queues are held. */
int mali_batch_submit(struct mali_batch *batch);
void mali_batch_finish(struct mali_batch *batch);

/* kernel_submit.c */
extern const struct drm_job_ops mali_job_ops;

/* kernel_trace.c: a job goes to its ring; write its streams where the environment asks for it. */
void mali_trace_job(const struct mali_job *job);

/* ioctls on a copy of the user's struct */
int mali_dev_query_ioctl(struct drm_file *file, void *data);
int mali_vm_create_ioctl(struct drm_file *file, void *data);
int mali_vm_destroy_ioctl(struct drm_file *file, void *data);
int mali_vm_bind_ioctl(struct drm_file *file, void *data);
int mali_vm_get_state_ioctl(struct drm_file *file, void *data);
int mali_bo_create_ioctl(struct drm_file *file, void *data);
int mali_bo_mmap_offset_ioctl(struct drm_file *file, void *data);
int mali_bo_set_label_ioctl(struct drm_file *file, void *data);
int mali_bo_sync_ioctl(struct drm_file *file, void *data);
int mali_bo_query_info_ioctl(struct drm_file *file, void *data);
int mali_set_user_mmio_offset_ioctl(struct drm_file *file, void *data);
int mali_group_create_ioctl(struct drm_file *file, void *data);
int mali_group_destroy_ioctl(struct drm_file *file, void *data);
int mali_group_submit_ioctl(struct drm_file *file, void *data);
int mali_group_get_state_ioctl(struct drm_file *file, void *data);
int mali_tiler_heap_create_ioctl(struct drm_file *file, void *data);
int mali_tiler_heap_destroy_ioctl(struct drm_file *file, void *data);

#endif
