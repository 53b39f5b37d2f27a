/* The objects of the msm kernel driver's model: what it adds to those that all DRM drivers have (model/drm). Private to
 * kernel_*.c and its tests; the GPU sees engine.h only.
 *
 * Locks: adreno_queue.lock is outside all others, see model/drm/drm_device.h. */
#ifndef ADRENO_MODEL_KERNEL_TYPES_H
#define ADRENO_MODEL_KERNEL_TYPES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "adreno/hw/chip.h"
#include "adreno/hw/msm_uapi.h"
#include "adreno/model/engine.h"
#include "model/drm/drm_bind.h"
#include "model/drm/drm_device.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_ioctl.h"
#include "model/drm/drm_job.h"
#include "model/drm/drm_vm.h"

/* The version that the model's interface corresponds to: 1.10 has buffers without implicit fences, 1.12 metadata of
 * buffers, 1.13 VM_BIND. */
#define ADRENO_DRM_MAJOR 1
#define ADRENO_DRM_MINOR 13
#define ADRENO_DRM_PATCH 0

/* User space has the addresses from here on; GMEM lies below. */
#define ADRENO_VA_START 0x100000000ull

/* After the GPU's own rings: binds happen on the CPU, in order of their own. */
#define ADRENO_RING_BIND ADRENO_RING_COUNT
#define ADRENO_KERNEL_RINGS (ADRENO_RING_BIND + 1)

#define ADRENO_METADATA_MAX_B 128
#define ADRENO_NAME_MAX_B 32

/* ---- buffers ---- */

/* Properties that go with a shared buffer (drm_gem.blob), to be read as input. */
struct adreno_bo_blob {
    uint32_t flags; /* MSM_BO_*, as it was created */
    uint32_t metadata_B;
    uint8_t metadata[ADRENO_METADATA_MAX_B];
    char name[ADRENO_NAME_MAX_B];
};

struct adreno_bo {
    struct drm_gem gem;
    uint32_t flags;
    _Atomic uint32_t madv;
    uint64_t submission; /* the last one that named it; under drm_device.lock */
    struct adreno_bo_blob own_blob;
};

static inline struct adreno_bo *adreno_bo(struct drm_gem *gem)
{
    return (struct adreno_bo *)gem;
}

/* ---- address spaces, queues, jobs ---- */

struct adreno_vm {
    struct drm_vm vm;
    bool is_vm_bind;          /* user space manages it */
    _Atomic bool is_unusable; /* one that user space manages, after a fault or a failed bind */
    _Atomic uint64_t faults;
    uint64_t next_va; /* of the addresses that the kernel chooses; under adreno_file.iova_lock */
};

/* The owner of the jobs of a submit queue, from its first submission on. They keep it alive. */
struct adreno_context {
    struct drm_context context;
    struct drm_queue queue;
    char *comm, *cmdline; /* the file's, when its first job was submitted */
    uint64_t file_number; /* of the open file whose state the ring has */
    _Atomic uint32_t faults;
};

/* A number that user space waits for. */
struct adreno_queue_fence {
    uint32_t id;
    struct drm_fence *fence; /* a reference */
};

struct adreno_queue {
    _Atomic uint32_t refs;
    uint32_t id;
    uint32_t flags; /* MSM_SUBMITQUEUE_* */
    uint32_t priority;
    pthread_mutex_t lock;           /* the order of submissions, and all below */
    struct adreno_context *context; /* a reference; NULL before the first submission */
    uint32_t last_fence;
    ARRAY(struct adreno_queue_fence) fences; /* of jobs that have not ended, and of some that have, in order */
    uint32_t first_fence;                    /* those before it have been dropped */
    struct map64 fence_ids;                  /* number → struct drm_fence *, of those that are there */
};

struct adreno_job {
    struct drm_job job;
    struct adreno_work work;
    ARRAY(struct adreno_ib) ibs;
    ARRAY(uint32_t) types;        /* of the buffers above, MSM_SUBMIT_CMD_* */
    ARRAY(struct drm_bind) binds; /* of a job of the bind ring, as the next one; references are in drm_job.uses */
    struct drm_bind_work bind_work;
};

/* ---- files and the device ---- */

struct adreno_file {
    struct drm_file file;
    struct adreno_device *device;
    uint64_t number;
    struct map64 queues; /* id → struct adreno_queue *; under file.lock, as all below */
    uint32_t next_queue;
    struct adreno_vm *vm; /* made when it is first needed, so that EN_VM_BIND can come before */
    bool wants_vm_bind;
    char *comm, *cmdline;      /* what user space calls itself, for reports; NULL: nothing */
    pthread_mutex_t iova_lock; /* a buffer gets one address; outside of file.lock */
};

static inline struct adreno_file *adreno_file(struct drm_file *file)
{
    return (struct adreno_file *)file;
}

struct adreno_device {
    struct drm_device drm;
    const struct adreno_chip *chip;
    struct drm_heap heap; /* under drm.lock, as the next one */
    uint64_t submission;  /* a number for each */
    _Atomic uint64_t file_count;
    uint64_t ring_file; /* whose state the ring has; its feeder alone looks at it */
};

/* kernel_device.c */
int adreno_device_create(const char *chip_name, const struct drm_engine_ops *gpu_ops,
                         struct adreno_device **device_out);
void adreno_device_destroy(struct adreno_device *device);
int adreno_file_open(struct adreno_device *device, enum kernel_node node, struct adreno_file **file_out);
void adreno_file_close(struct adreno_file *file);
/* The file's address space, which lives as long as the file; NULL without memory. */
struct adreno_vm *adreno_file_vm(struct adreno_file *file);

/* kernel_ioctl.c */
#define ADRENO_IOCTL_COUNT (_IOC_NR(DRM_IOCTL_MSM_VM_BIND) - DRM_COMMAND_BASE + 1)
extern const struct drm_ioctl_row adreno_ioctls[ADRENO_IOCTL_COUNT];

/* kernel_gem.c */
int adreno_gem_arrived(struct drm_gem *gem, const void *blob);
int64_t adreno_deadline_ns(struct drm_msm_timespec timeout);

/* kernel_iova.c: addresses of a space that the kernel manages. The one that a buffer has, or a new one; the user's
 * choice. 0 or -errno. */
int adreno_iova_get(struct adreno_file *file, struct drm_gem *gem, uint64_t *va_out);
int adreno_iova_set(struct adreno_file *file, struct drm_gem *gem, uint64_t va); /* 0: none any more */
unsigned adreno_gem_perms(struct drm_gem *gem);

/* kernel_queue.c */
struct adreno_queue *adreno_queue_find(struct adreno_file *file, uint32_t id); /* a new reference or NULL */
void adreno_queue_unref(struct adreno_queue *queue);                           /* NULL is allowed */
void adreno_queue_close_all(struct adreno_file *file);
void adreno_context_destroy(struct drm_context *context);
/* Of a queue whose lock is held: what its jobs belong to. 0 or -errno. */
int adreno_queue_prepare(struct adreno_file *file, struct adreno_queue *queue);
/* Numbers of jobs, with queue->lock. The fence of one that has not ended, or NULL. */
struct drm_fence *adreno_queue_fence(const struct adreno_queue *queue, uint32_t id);
void adreno_queue_drop_fences(struct adreno_queue *queue); /* of jobs that have ended */
/* 0 or -ENOMEM; then one with this number can be added, which takes a reference of its own. */
int adreno_queue_reserve_fence(struct adreno_queue *queue, uint32_t id);
void adreno_queue_add_fence(struct adreno_queue *queue, uint32_t id, struct drm_fence *fence);

/* kernel_sync.c: what a submission or a bind waits for and signals, as both ioctls say it. */
struct adreno_sync_args {
    uint64_t in, out;
    uint32_t in_count, out_count, stride_B;
};

struct adreno_sync {
    ARRAY(struct drm_fence *) waits;    /* references */
    ARRAY(struct drm_syncobj *) resets; /* references: to be emptied when all is submitted */
    ARRAY(struct drm_syncobj_room) signals;
    ARRAY(uint64_t) points; /* of signals; 0: binary */
};

int adreno_sync_wait_fd(struct adreno_sync *sync, int fd);
int adreno_sync_read_in(struct adreno_sync *sync, struct drm_file *file, const struct adreno_sync_args *args);
int adreno_sync_read_out(struct adreno_sync *sync, struct drm_file *file, const struct adreno_sync_args *args);
int adreno_sync_depend(const struct adreno_sync *sync, struct drm_job *job);
/* The job is submitted: empty what is to be emptied, signal the rest with its fence. */
void adreno_sync_publish(struct adreno_sync *sync, struct drm_fence *done);
void adreno_sync_finish(struct adreno_sync *sync);

/* kernel_submit.c */
extern const struct drm_job_ops adreno_job_ops;

/* Of a buffer in a list: its contents go with dumps (drm_use.flags, drm_mapping.flags). */
#define ADRENO_USE_DUMP DRM_USE_FAMILY

/* kernel_dump.c: the buffers that a job may access, by address. */
struct adreno_dump_buffer {
    uint64_t va;
    uint64_t size_B;
    uint32_t flags; /* MSM_BO_* */
    bool is_whole;  /* its contents are wanted: user space says so, or a stream is in it */
    char name[ADRENO_NAME_MAX_B];
};

struct adreno_dump {
    ARRAY(struct adreno_dump_buffer) buffers;
};

bool adreno_dump_collect(struct adreno_dump *dump, const struct adreno_job *job); /* false: no memory */
void adreno_dump_finish(struct adreno_dump *dump);
/* The bytes of a buffer, to be freed; NULL where they cannot be read. */
uint32_t *adreno_dump_read(const struct adreno_job *job, const struct adreno_dump_buffer *buffer);
/* "tuff-PID.rd" in the folder of dumps, opened for writing; -1, and a message. */
int adreno_dump_open(const char *name, int flags);

/* kernel_crash.c: adreno_work.lost, where the environment asks for it. */
void adreno_crash_dump(const struct drm_engine_job *job, const struct adreno_crash *crash);

/* kernel_capture.c: a job goes to its ring; capture it where the environment asks for it. */
void adreno_capture_job(const struct adreno_job *job);

/* kernel_trace.c: a job goes to its ring; write its streams where the environment asks for it. */
void adreno_trace_job(const struct adreno_job *job);

/* ioctls on a copy of the user's struct */
int adreno_get_param_ioctl(struct drm_file *file, void *data);
int adreno_set_param_ioctl(struct drm_file *file, void *data);
int adreno_gem_new_ioctl(struct drm_file *file, void *data);
int adreno_gem_info_ioctl(struct drm_file *file, void *data);
int adreno_gem_cpu_prep_ioctl(struct drm_file *file, void *data);
int adreno_gem_cpu_fini_ioctl(struct drm_file *file, void *data);
int adreno_gem_madvise_ioctl(struct drm_file *file, void *data);
int adreno_gem_submit_ioctl(struct drm_file *file, void *data);
int adreno_wait_fence_ioctl(struct drm_file *file, void *data);
int adreno_queue_new_ioctl(struct drm_file *file, void *data);
int adreno_queue_close_ioctl(struct drm_file *file, void *data);
int adreno_queue_query_ioctl(struct drm_file *file, void *data);
int adreno_vm_bind_ioctl(struct drm_file *file, void *data);

#endif
