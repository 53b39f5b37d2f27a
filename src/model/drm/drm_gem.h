/* Buffer objects: where their bytes are, their users, what they cost. A buffer lives in a sparse file, the heap's; the
 * file offers a fresh zeroed place to each buffer and takes the pages back when the buffer is destroyed. A family
 * embeds struct drm_gem first in its own. */
#ifndef MODEL_DRM_GEM_H
#define MODEL_DRM_GEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/drm/drm_fence.h"
#include "util/array.h"
#include "util/list.h"

struct drm_device;
struct drm_fence;
struct drm_file;
struct drm_resv;
struct drm_trailer;
struct drm_vm;

/* ---- heaps: the family's, under drm_device.lock ---- */

/* Sparse, and 2^63 bytes long unless RLIMIT_FSIZE allows less; places in it are never used twice. */
struct drm_heap_file {
    int fd;
    uint64_t size_B;
    uint64_t next_B;
    uint32_t gems; /* that have a place in it; without any it is closed, when the heap goes on in another one */
};

struct drm_heap {
    const char *name; /* for people */
    uint64_t total_B;
    uint64_t used_B;
    struct drm_heap_file
        *file; /* where the next buffer goes; NULL: memory inside the chip, which the host cannot see */
};

/* The memory that this process may use: the machine's, or less where its control group says so. */
uint64_t drm_host_memory_B(void);

/* One with a file; 0 or -errno: -EFBIG where RLIMIT_FSIZE allows no file at all. */
int drm_heap_open(struct drm_heap *heap, const char *name, uint64_t total_B);
void drm_heap_close(struct drm_heap *heap);

/* ---- buffers ---- */

/* Where a buffer is mapped in an address space, needed when its bytes move. */
struct drm_place {
    struct drm_vm *vm;
    uint64_t va;
    uint64_t size_B;
    uint64_t offset_B;
    unsigned perms;
};

struct drm_gem {
    _Atomic uint32_t refs;
    struct drm_device *device;
    uint64_t size_B;
    uint64_t align_B;

    /* under drm_device.lock */
    struct drm_heap *heap;      /* NULL: memory of the process, or another process's buffer */
    struct drm_heap_file *file; /* the heap's that has the bytes, until they have a file of their own */
    /* The file that has the bytes: the heap's, or its own once it is shared, under the device's lock. -1: no bytes, or
     * user_memory; without the lock one may ask for that alone. */
    _Atomic int fd;
    uint64_t offset_B; /* in that file, or in the memory inside the chip */
    bool is_shared;    /* fd is its own */
    ino_t ino;         /* of a shared one */
    struct drm_trailer *trailer;
    void *blob; /* the driver's blob_B bytes: the family's own memory, and once it is shared in the trailer, where any
                   other process may change them at any time. NULL: another family's buffer, it has none */
    struct drm_resv *resv;  /* of a shared one: the fences of all processes that have it */
    uint64_t mmap_offset_B; /* 0: none was asked for */
    uint32_t flink_name;
    uint32_t cpu_map_count;         /* of the process's own mappings */
    ARRAY(struct drm_place) places; /* in pieces: util/slab.h */
    struct drm_fence_uses fences;   /* jobs that use it */

    void *user_memory; /* the process's own pages */
    bool is_user_read_only;
    uint32_t user_generation;    /* whose pages they are */
    struct drm_vm *exclusive_vm; /* belongs to this space only, all of whose jobs use it; NULL when that is gone */
    struct list exclusive_node;  /* in drm_vm.exclusive_gems */
};

/* A process's own mapping of a buffer. */
struct drm_cpu_map {
    struct drm_gem *gem; /* a reference */
    uint8_t *memory;
    uint64_t size_B;
    uint64_t offset_B;
    int protection;
};

/* Without bytes; NULL without memory. Everything after struct drm_gem is zero. */
struct drm_gem *drm_gem_new(struct drm_device *device, uint64_t size_B);
/* A place in a heap; false where it has no room. drm_device.lock is held. */
bool drm_gem_take(struct drm_gem *gem, struct drm_heap *heap);
/* Both, for `size_B` bytes in whole pages; NULL without memory or room. Takes drm_device.lock. */
struct drm_gem *drm_gem_new_in(struct drm_device *device, struct drm_heap *heap, uint64_t size_B);
/* The bytes have moved to a file of their own, or are no more: the heap's pages go back to the host. Device lock held.
 */
void drm_gem_leave_file(struct drm_gem *gem, struct drm_heap_file *file, uint64_t offset_B);
struct drm_gem *drm_gem_new_user(struct drm_device *device, void *memory, uint64_t size_B, bool is_read_only);

void drm_gem_set_exclusive(struct drm_gem *gem, struct drm_vm *vm);

struct drm_gem *drm_gem_ref(struct drm_gem *gem);
void drm_gem_unref(struct drm_gem *gem); /* NULL is allowed */

static inline bool drm_gem_has_bytes(const struct drm_gem *gem)
{
    return gem->fd >= 0 || gem->user_memory;
}

struct drm_gem *drm_gem_find(struct drm_file *file, uint32_t handle);                 /* a new reference or NULL */
int drm_gem_handle(struct drm_file *file, struct drm_gem *gem, uint32_t *handle_out); /* the one it has, or a new one */
void drm_gem_close_all(struct drm_file *file);

/* User memory that is no longer mapped cannot be used by a job: -EFAULT; a parent's, in a child: -EPERM. */
int drm_gem_check(const struct drm_gem *gem);
bool drm_gem_wait_idle(struct drm_gem *gem, int64_t deadline_ns);
bool drm_gem_wait_writes(struct drm_gem *gem, int64_t deadline_ns); /* only for those that write it: before reading */
/* Write a few bytes of a buffer, as the end of a job does. */
void drm_gem_write(struct drm_gem *gem, uint64_t offset_B, const void *data, uint32_t size_B);

/* ---- what submissions use ---- */

enum drm_use_flags {
    DRM_USE_READ = 1 << 0,
    DRM_USE_WRITE = 1 << 1,
    DRM_USE_NO_WAIT = 1 << 2, /* its work is known to others, but waits for none of theirs */
    DRM_USE_FAMILY = 1 << 3,  /* this bit and those above are the family's own */
};

struct drm_use {
    struct drm_gem *gem; /* a reference */
    unsigned flags;
};

struct drm_use_list {
    ARRAY(struct drm_use) uses;
};

int drm_use_list_copy(struct drm_use_list *copy_out, const struct drm_use_list *list); /* 0 or -ENOMEM */
void drm_use_list_finish(struct drm_use_list *list);

/* ---- drm_mmap.c ---- */

int drm_gem_mmap_offset(struct drm_gem *gem, uint64_t *offset_B_out);
int drm_file_mmap(struct drm_file *file, void *hint, size_t size_B, int protection, int flags, uint64_t offset_B,
                  void **memory_out);
void drm_device_memory_unmapped(struct drm_device *device, const void *memory, size_t size_B);
void drm_gem_release_mmap(struct drm_gem *gem);
/* The buffer's bytes have moved to gem->fd: map them at every place where the old ones were. Device lock held. */
int drm_gem_remap_everywhere(struct drm_gem *gem);

/* ---- drm_share.c ---- */

int drm_gem_export(struct drm_gem *gem); /* a new fd or -errno */
int drm_gem_import(struct drm_device *device, int fd, struct drm_gem **gem_out);
int drm_dmabuf_size(int fd, uint64_t *size_B_out);
int drm_fd_ioctl(int fd, unsigned long request, void *argument); /* of a dma-buf or a sync file; -ENOTTY: neither */
void drm_gem_release_share(struct drm_gem *gem); /* the last reference is gone; drm_device.lock is held */

#endif
