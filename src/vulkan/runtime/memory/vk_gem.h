/* Buffer objects of a DRM file: handles of GEM, each with a place in the GPU's address space from birth to death. What
 * is the same whatever kernel driver there is: references, one object for one handle, sharing by dma-buf, the CPU's
 * mapping. How a buffer is made and how the GPU gets to see it are a family's ioctls (vk_gem_ops).
 *
 * Functions answer 0 or -errno and are thread-safe. */
#ifndef VULKAN_RUNTIME_VK_GEM_H
#define VULKAN_RUNTIME_VK_GEM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"
#include "vulkan/runtime/memory/vk_bo.h"

struct kernel_file;
struct vk_gem;
struct vk_va;

struct vk_gem_ops {
    uint32_t size_B; /* of the family's struct, which begins with a vk_gem */
    /* A buffer has come as the dma-buf `fd` and has a handle: fills size, range, alignment and what is the family's. */
    int (*describe)(struct vk_gem *gem, int fd);
    /* The GPU sees it at vk.va from now on. -EBUSY or -ENOSPC: not there; another place is tried. */
    int (*bind)(struct vk_gem *gem);
    /* The lock is held in the following three. The first puts it into what the family keeps of all buffers; NULL:
     * nothing is kept. The second takes it out, the third ends what `bind` began; the handle is closed after it. */
    int (*enter)(struct vk_gem *gem);
    void (*leave)(struct vk_gem *gem);
    void (*unbind)(struct vk_gem *gem);
    /* Where the file maps it for the CPU. */
    int (*map_offset)(struct vk_gem *gem, uint64_t *offset_B_out);
};

struct vk_gem_file {
    struct kernel_file *file;
    const struct vk_gem_ops *ops;
    pthread_mutex_t lock; /* of the table, and of what the family keeps beside it */
    struct map64 table;   /* handle → struct vk_gem: a buffer that is imported twice is one buffer */
};

struct vk_gem {
    struct vk_bo vk; /* mapped by the first vk_gem_map, until the buffer is destroyed */
    struct vk_gem_file *owner;
    struct vk_va *range; /* its addresses come from there */
    uint64_t align_B;    /* of its address; a power of two */
    uint64_t va_size_B;  /* what it takes of the range */
    _Atomic uint32_t refs;
    uint32_t handle;
    pthread_mutex_t map_lock;
    bool is_shared;      /* other processes may know it */
    bool is_user_memory; /* it was mapped before it was a buffer, and stays */
};

void vk_gem_file_init(struct vk_gem_file *owner, struct kernel_file *file, const struct vk_gem_ops *ops);
void vk_gem_file_finish(struct vk_gem_file *owner);

/* Memory of the object alone, for a family to fill: it is no buffer before vk_gem_adopt. NULL without memory. */
struct vk_gem *vk_gem_new(struct vk_gem_file *owner, uint64_t size_B);
/* Of one that never became a buffer. */
void vk_gem_free(struct vk_gem *gem);
/* The handle, the range and both sizes are set: takes an address (`at_va`, or any where that is 0), binds it and puts
 * it into the tables. Closes the handle and frees the object where that fails. */
int vk_gem_adopt(struct vk_gem *gem, uint64_t at_va);
/* Adoption in two steps, for memory that may never be needed: an address alone, then, with a handle, the buffer. The
 * first frees the object where it fails; the second closes the handle and leaves the object as it was. */
int vk_gem_reserve(struct vk_gem *gem);
int vk_gem_commit(struct vk_gem *gem, uint32_t handle);

/* The fd stays the caller's. */
int vk_gem_import(struct vk_gem_file *owner, int fd, struct vk_gem **gem_out);
int vk_gem_export(struct vk_gem *gem, int *fd_out);

void vk_gem_unref(struct vk_gem *gem); /* NULL is allowed */
int vk_gem_map(struct vk_gem *gem, void **memory_out);

#endif
