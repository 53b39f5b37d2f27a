/* A device of a kernel driver's model and its open files. A family embeds these structs first in its own and describes
 * itself in a struct drm_driver; what is common to all DRM drivers happens here.
 *
 * Locks, outermost first; each file says what its lock protects:
 *   the family's      of its contexts and queues: sequence numbers, the order of submissions
 *   drm_file.lock     handles of one open file, and the family's objects in it
 *   drm_vm.lock       mappings of one address space
 *   drm_resv_lock     of all shared buffers that a submission names, in their own order; nothing of the above inside
 *   drm_device.lock   heaps, mmap offsets, shared buffers, CPU mappings, flink names
 *   drm_sched.lock    queues and rings
 *   fences' locks     innermost; never add or remove a callback with drm_sched.lock held */
#ifndef MODEL_DRM_DEVICE_H
#define MODEL_DRM_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "model/drm/drm_engine.h"
#include "model/drm/drm_handles.h"
#include "model/drm/drm_syncobj.h"
#include "util/array.h"
#include "util/list.h"
#include "util/map.h"
#include "util/ordered.h"

struct drm_cpu_map;
struct drm_context;
struct drm_device;
struct drm_file;
struct drm_gem;
struct drm_ioctl_row;
struct drm_sched;
struct drm_vm;

/* A family's part of a device. Hooks may be NULL where a family has nothing to do, but for those that say otherwise. */
struct drm_driver {
    /* what DRM_IOCTL_VERSION says */
    const char *name;
    const char *date;
    const char *description;
    int major, minor, patch;

    const char *log_name; /* the prefix of messages in the log */

    /* The family's ioctls, by number from DRM_COMMAND_BASE on. */
    const struct drm_ioctl_row *ioctls;
    uint32_t ioctl_count;

    uint32_t ring_count;
    void (*ring_name)(uint32_t ring, char *name_out, size_t name_B); /* "graphics ring 0"; needed */

    /* The whole structs into which a family embeds the shared ones. */
    size_t gem_B;
    size_t vm_B;

    /* A capability whose value is the family's own; false: the common answer is right. */
    bool (*get_cap)(uint64_t capability, uint64_t *value_out);

    int (*file_open)(struct drm_device *device, enum kernel_node node, struct drm_file **file_out); /* needed */
    void (*file_close)(struct drm_file *file);                                                      /* needed */
    void (*device_destroy)(struct drm_device *device);                                              /* needed */
    /* The last reference to a context is gone: free what the family has in it, and the memory. Needed. */
    void (*context_destroy)(struct drm_context *context);

    /* The engine has not ended a job that was killed, and is reset; this context has something running there, too.
     * True: it is lost with the others. Without the hook no reset is modelled. */
    bool (*context_reset)(struct drm_context *context);

    /* The last reference to an address space is gone: free what the family has in it, but not the memory. */
    void (*vm_finish)(struct drm_vm *vm);

    /* mmap at an offset that no buffer has; without the hook -EINVAL. */
    int (*file_mmap)(struct drm_file *file, void *hint, size_t size_B, int protection, int flags, uint64_t offset_B,
                     void **memory_out);

    /* A file has closed its handle; the buffer still lives. */
    void (*gem_closed)(struct drm_file *file, struct drm_gem *gem);
    /* -errno: this buffer must not leave its process. */
    int (*gem_may_leave)(const struct drm_gem *gem);
    /* The name that user space gave the buffer, for reports; empty where it has no name. drm_device.lock is held. */
    const char *(*gem_label)(const struct drm_gem *gem);
    /* Facts about a buffer that an importer must have besides: blob_B bytes that go with it, common to all processes
     * that have it (see drm_gem.blob). `gem_arrived` gets a copy of its own, not to be trusted, or NULL where the
     * buffer comes from another family's driver. */
    uint32_t blob_B;
    int (*gem_arrived)(struct drm_gem *gem, const void *blob);
};

struct drm_device {
    const struct drm_driver *driver;
    uint32_t generation; /* of the process: a child of fork must not use it */
    char unique[64];     /* what GET_UNIQUE says: the bus and the place on it */
    const struct drm_engine_ops *engine_ops;
    struct drm_engine *engine;
    struct drm_sched *sched;

    pthread_mutex_t lock;
    struct ordered mmap_gems; /* struct drm_gem *, by offset */
    uint64_t next_mmap_offset_B;
    struct ordered cpu_maps;        /* struct drm_cpu_map of this process, by address */
    _Atomic uint32_t cpu_map_count; /* to answer "none" without the lock */
    struct map64 shared_gems;       /* inode → struct drm_gem *, without a reference */
    struct drm_handles flink_names;
    struct list vms;
    struct list files;
    uint32_t next_magic;
};

/* In zeroed memory. `chip` is for the engine. 0 or -errno, and then drm_device_finish is still to be called. */
int drm_device_init(struct drm_device *device, const struct drm_driver *driver, const struct drm_engine_ops *engine_ops,
                    const void *chip);
void drm_device_finish(struct drm_device *device);
bool drm_device_is_ours(const struct drm_device *device); /* false in a child of fork */

struct drm_file {
    struct drm_device *device;
    enum kernel_node node;
    bool is_master;
    bool is_authenticated;
    uint32_t magic;
    pthread_mutex_t lock;
    struct drm_handles gems;
    struct map64 gem_handles; /* struct drm_gem * → handle: importing twice gives the same one */
    struct drm_syncobj_table syncobjs;
    struct list node_in_device;
};

void drm_file_init(struct drm_file *file, struct drm_device *device, enum kernel_node node);
/* First it can no longer be found; then, when the family has ended its work, its handles are closed. */
void drm_file_leave(struct drm_file *file);
void drm_file_finish(struct drm_file *file);
/* May it have priorities above the usual one: the master, or a process with CAP_SYS_NICE? */
bool drm_file_may_hurry(const struct drm_file *file);

#endif
