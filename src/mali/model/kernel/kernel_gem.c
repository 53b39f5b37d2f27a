/* panthor's ioctls on buffers. Checks, and the order of them, are the kernel's. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

#define BO_FLAGS (DRM_PANTHOR_BO_NO_MMAP | DRM_PANTHOR_BO_WB_MMAP)
#define LABEL_LONGEST_B 4096 /* with its end */

static void bo_init(struct drm_gem *gem, uint32_t flags)
{
    struct mali_bo *bo = mali_bo(gem);
    bo->flags = flags;
    bo->own_blob.flags = flags;
    gem->blob = &bo->own_blob;
}

int mali_gem_arrived(struct drm_gem *gem, const void *data)
{
    const struct mali_bo_blob *blob = data;
    bo_init(gem, blob ? blob->flags & BO_FLAGS : 0);
    mali_bo(gem)->is_foreign = !blob;
    return 0;
}

/* Also when the space that it was made for is gone. */
int mali_gem_may_leave(const struct drm_gem *gem)
{
    return ((const struct mali_bo *)gem)->is_exclusive ? -EINVAL : 0;
}

int mali_bo_create_ioctl(struct drm_file *file, void *data)
{
    struct drm_panthor_bo_create *args = data;
    if (!args->size || args->pad || args->flags & ~BO_FLAGS || (args->flags & BO_FLAGS) == BO_FLAGS)
        return -EINVAL;
    struct mali_vm *vm = args->exclusive_vm_id ? mali_vm_find(mali_file(file), args->exclusive_vm_id) : NULL;
    if (args->exclusive_vm_id && !vm)
        return -EINVAL;
    struct drm_gem *gem = drm_gem_new_in(file->device, &mali_file(file)->device->heap, args->size);
    int error = gem ? 0 : -ENOMEM;
    if (gem)
        bo_init(gem, args->flags);
    if (gem && vm) {
        mali_bo(gem)->is_exclusive = true;
        drm_gem_set_exclusive(gem, &vm->vm);
    }
    if (!error)
        error = drm_gem_handle(file, gem, &args->handle);
    if (!error)
        args->size = gem->size_B;
    drm_gem_unref(gem);
    drm_vm_unref(vm ? &vm->vm : NULL);
    return error;
}

int mali_bo_mmap_offset_ioctl(struct drm_file *file, void *data)
{
    struct drm_panthor_bo_mmap_offset *args = data;
    if (args->pad)
        return -EINVAL;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    int error = mali_bo(gem)->flags & DRM_PANTHOR_BO_NO_MMAP ? -EPERM : drm_gem_mmap_offset(gem, &args->offset);
    drm_gem_unref(gem);
    return error;
}

/* ---- labels ---- */

/* A string of unknown length, byte by byte where it may end before a page that is not there. */
static int read_label(uint64_t address, char label_out[MALI_LABEL_MAX_B])
{
    memset(label_out, 0, MALI_LABEL_MAX_B);
    for (uint32_t i = 0; i < LABEL_LONGEST_B; i++) {
        char byte;
        int error = drm_copy_from_user(&byte, address + i, 1);
        if (error || !byte)
            return error;
        if (i < MALI_LABEL_MAX_B - 1)
            label_out[i] = isprint((unsigned char)byte) ? byte : '?';
    }
    return -E2BIG;
}

int mali_bo_set_label_ioctl(struct drm_file *file, void *data)
{
    const struct drm_panthor_bo_set_label *args = data;
    if (args->pad)
        return -EINVAL;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    char label[MALI_LABEL_MAX_B] = {0};
    int error = args->label ? read_label(args->label, label) : 0;
    if (!error) {
        pthread_mutex_lock(&gem->device->lock);
        memcpy(mali_bo(gem)->label, label, sizeof(label));
        pthread_mutex_unlock(&gem->device->lock);
    }
    drm_gem_unref(gem);
    return error;
}

const char *mali_gem_label(const struct drm_gem *gem)
{
    return ((const struct mali_bo *)gem)->label;
}

/* ---- cached mappings ---- */

/* The host's memory is the GPU's: there is nothing to clean or to throw away. */
static int sync_range(struct drm_file *file, const struct drm_panthor_bo_sync_op *op)
{
    struct drm_gem *gem = drm_gem_find(file, op->handle);
    if (!gem)
        return -ENOENT;
    uint64_t end_B;
    int error = 0;
    if (op->type > DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH_AND_INVALIDATE ||
        __builtin_add_overflow(op->offset, op->size, &end_B) || end_B > gem->size_B)
        error = -EINVAL;
    drm_gem_unref(gem);
    return error;
}

int mali_bo_sync_ioctl(struct drm_file *file, void *data)
{
    const struct drm_panthor_bo_sync *args = data;
    struct drm_panthor_bo_sync_op *ops = NULL;
    int error = mali_read_objects((void **)&ops, &args->ops, sizeof(*ops), sizeof(*ops));
    for (uint32_t i = 0; i < args->ops.count && !error; i++)
        error = sync_range(file, &ops[i]);
    free(ops);
    return error;
}

int mali_bo_query_info_ioctl(struct drm_file *file, void *data)
{
    struct drm_panthor_bo_query_info *args = data;
    if (args->pad)
        return -EINVAL;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    args->create_flags = mali_bo(gem)->flags;
    args->extra_flags = mali_bo(gem)->is_foreign ? DRM_PANTHOR_BO_IS_IMPORTED : 0;
    drm_gem_unref(gem);
    return 0;
}
