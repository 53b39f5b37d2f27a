/* Buffer objects of a DRM file. */
#include "vulkan/runtime/memory/vk_gem.h"

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "kernel/kernel.h"
#include "util/slab.h"
#include "vulkan/runtime/memory/vk_va.h"

void vk_gem_file_init(struct vk_gem_file *owner, struct kernel_file *file, const struct vk_gem_ops *ops)
{
    owner->file = file;
    owner->ops = ops;
    pthread_mutex_init(&owner->lock, NULL);
}

void vk_gem_file_finish(struct vk_gem_file *owner)
{
    map64_finish(&owner->table);
    pthread_mutex_destroy(&owner->lock);
}

static void close_handle(struct vk_gem_file *owner, uint32_t handle)
{
    struct drm_gem_close args = {.handle = handle};
    kernel_ioctl(owner->file, DRM_IOCTL_GEM_CLOSE, &args);
}

/* ---- birth and death ---- */

struct vk_gem *vk_gem_new(struct vk_gem_file *owner, uint64_t size_B)
{
    struct vk_gem *gem = slab_zalloc(owner->ops->size_B);
    if (!gem)
        return NULL;
    gem->owner = owner;
    gem->refs = 1;
    gem->vk.size_B = size_B;
    pthread_mutex_init(&gem->map_lock, NULL);
    return gem;
}

void vk_gem_free(struct vk_gem *gem)
{
    pthread_mutex_destroy(&gem->map_lock);
    slab_free(gem);
}

/* A kernel may keep the address of a buffer that has just been closed until the last submission that named it has
 * ended: such a place is left alone, and the next one is tried. */
static int bind_anywhere(struct vk_gem *gem)
{
    enum {
        TRIES = 64
    };
    uint64_t busy[TRIES];
    uint32_t num_busy = 0;
    int error;
    do {
        error = vk_va_alloc(gem->range, gem->va_size_B, gem->align_B, &gem->vk.va);
        if (error)
            break;
        error = gem->owner->ops->bind(gem);
        if (error)
            busy[num_busy++] = gem->vk.va;
    } while ((error == -ENOSPC || error == -EBUSY) && num_busy < TRIES);
    while (num_busy)
        vk_va_free(gem->range, busy[--num_busy], gem->va_size_B);
    return error;
}

static int bind_at(struct vk_gem *gem, uint64_t at_va)
{
    int error = vk_va_alloc_at(gem->range, at_va, gem->va_size_B);
    if (error)
        return error;
    gem->vk.va = at_va;
    error = gem->owner->ops->bind(gem);
    if (error)
        vk_va_free(gem->range, at_va, gem->va_size_B);
    return error;
}

/* The lock is held. */
static int enter_gem(struct vk_gem *gem)
{
    struct vk_gem_file *owner = gem->owner;
    if (!map64_set(&owner->table, gem->handle, (uintptr_t)gem))
        return -ENOMEM;
    int error = owner->ops->enter ? owner->ops->enter(gem) : 0;
    if (error)
        map64_remove(&owner->table, gem->handle);
    return error;
}

int vk_gem_adopt(struct vk_gem *gem, uint64_t at_va)
{
    struct vk_gem_file *owner = gem->owner;
    int error = at_va ? bind_at(gem, at_va) : bind_anywhere(gem);
    if (!error) {
        pthread_mutex_lock(&owner->lock);
        error = enter_gem(gem);
        if (error)
            owner->ops->unbind(gem);
        pthread_mutex_unlock(&owner->lock);
        if (error)
            vk_va_free(gem->range, gem->vk.va, gem->va_size_B);
    }
    if (error) {
        close_handle(owner, gem->handle);
        vk_gem_free(gem);
    }
    return error;
}

int vk_gem_reserve(struct vk_gem *gem)
{
    int error = vk_va_alloc(gem->range, gem->va_size_B, gem->align_B, &gem->vk.va);
    if (error)
        vk_gem_free(gem);
    return error;
}

int vk_gem_commit(struct vk_gem *gem, uint32_t handle)
{
    struct vk_gem_file *owner = gem->owner;
    gem->handle = handle;
    int error = owner->ops->bind(gem);
    if (!error) {
        pthread_mutex_lock(&owner->lock);
        error = enter_gem(gem);
        if (error)
            owner->ops->unbind(gem);
        pthread_mutex_unlock(&owner->lock);
    }
    if (error) {
        close_handle(owner, handle);
        gem->handle = 0;
    }
    return error;
}

static struct vk_gem *vk_gem_ref(struct vk_gem *gem)
{
    atomic_fetch_add(&gem->refs, 1);
    return gem;
}

void vk_gem_unref(struct vk_gem *gem)
{
    if (!gem)
        return;
    struct vk_gem_file *owner = gem->owner;
    pthread_mutex_lock(&owner->lock);
    if (atomic_fetch_sub(&gem->refs, 1) != 1) {
        pthread_mutex_unlock(&owner->lock);
        return;
    }
    if (gem->handle) { /* not only an address */
        map64_remove(&owner->table, gem->handle);
        map64_trim(&owner->table);
        if (owner->ops->leave)
            owner->ops->leave(gem);
        if (gem->vk.map && !gem->is_user_memory)
            kernel_munmap(owner->file, gem->vk.map, gem->vk.size_B);
        owner->ops->unbind(gem);
        close_handle(owner, gem->handle);
    }
    pthread_mutex_unlock(&owner->lock);
    vk_va_free(gem->range, gem->vk.va, gem->va_size_B);
    vk_gem_free(gem);
}

/* ---- sharing ---- */

/* The kernel gives the same handle for the same buffer: then it is the same object, and the handle is closed once. */
int vk_gem_import(struct vk_gem_file *owner, int fd, struct vk_gem **gem_out)
{
    struct drm_prime_handle prime = {.fd = fd};
    /* The table is locked over both steps: between them a last unref must not close the handle we were just given. */
    pthread_mutex_lock(&owner->lock);
    int error = kernel_ioctl(owner->file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
    uint64_t *known = error ? NULL : map64_get(&owner->table, prime.handle);
    if (known)
        *gem_out = vk_gem_ref((struct vk_gem *)(uintptr_t)*known);
    pthread_mutex_unlock(&owner->lock);
    if (error || known)
        return error;
    struct vk_gem *gem = vk_gem_new(owner, 0);
    if (!gem) {
        close_handle(owner, prime.handle);
        return -ENOMEM;
    }
    gem->handle = prime.handle;
    gem->is_shared = true;
    error = owner->ops->describe(gem, fd);
    if (error) {
        close_handle(owner, prime.handle);
        vk_gem_free(gem);
        return error;
    }
    error = vk_gem_adopt(gem, 0);
    if (!error)
        *gem_out = gem;
    return error;
}

int vk_gem_export(struct vk_gem *gem, int *fd_out)
{
    struct drm_prime_handle prime = {.handle = gem->handle, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1};
    int error = kernel_ioctl(gem->owner->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
    if (!error)
        *fd_out = prime.fd;
    return error;
}

/* ---- the CPU's view ---- */

int vk_gem_map(struct vk_gem *gem, void **memory_out)
{
    int error = 0;
    pthread_mutex_lock(&gem->map_lock);
    if (!gem->vk.map) {
        uint64_t offset_B = 0;
        error = gem->owner->ops->map_offset(gem, &offset_B);
        if (!error)
            error = kernel_mmap(gem->owner->file, gem->vk.size_B, PROT_READ | PROT_WRITE, MAP_SHARED, offset_B,
                                &gem->vk.map);
    }
    *memory_out = gem->vk.map;
    pthread_mutex_unlock(&gem->map_lock);
    return error;
}
