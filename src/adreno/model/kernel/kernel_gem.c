/* msm's ioctls on buffers: create, describe, wait for. Checks, and the order of them, are the kernel's. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

#define ETOOSMALL 525 /* the kernel's own, which no C library names */

int64_t adreno_deadline_ns(struct drm_msm_timespec timeout)
{
    int64_t ns;
    if (__builtin_mul_overflow(timeout.tv_sec, 1000000000ll, &ns) || __builtin_add_overflow(ns, timeout.tv_nsec, &ns))
        return timeout.tv_sec < 0 ? 0 : INT64_MAX;
    return ns;
}

/* ---- creation ---- */

static struct adreno_bo *bo_init(struct drm_gem *gem, uint32_t flags)
{
    struct adreno_bo *bo = adreno_bo(gem);
    if (!bo)
        return NULL;
    bo->flags = flags;
    bo->own_blob.flags = flags;
    gem->blob = &bo->own_blob;
    return bo;
}

int adreno_gem_arrived(struct drm_gem *gem, const void *data)
{
    const struct adreno_bo_blob *blob = data;
    uint32_t flags = blob ? blob->flags & MSM_BO_FLAGS & ~MSM_BO_NO_SHARE : MSM_BO_WC;
    bo_init(gem, flags);
    return 0;
}

static int check_flags(const struct adreno_chip *chip, uint32_t flags)
{
    if (flags & ~MSM_BO_FLAGS)
        return -EINVAL;
    switch (flags & MSM_BO_CACHE_MASK) {
    case MSM_BO_CACHED:
    case MSM_BO_WC:
        return 0;
    case MSM_BO_CACHED_COHERENT:
        return chip->has_cached_coherent ? 0 : -EINVAL;
    default:
        return -EINVAL;
    }
}

static int create_bo(struct adreno_device *device, uint64_t size_B, uint32_t flags, struct drm_gem **gem_out)
{
    if (size_B == 0)
        return -EINVAL;
    struct adreno_bo *bo = bo_init(drm_gem_new_in(&device->drm, &device->heap, size_B), flags);
    if (!bo)
        return -ENOMEM;
    *gem_out = &bo->gem;
    return 0;
}

int adreno_gem_new_ioctl(struct drm_file *file, void *data)
{
    struct drm_msm_gem_new *args = data;
    uint32_t flags = args->flags;
    if (flags & MSM_BO_UNCACHED) /* write-combined since long */
        flags = (flags & ~(MSM_BO_UNCACHED | MSM_BO_CACHED)) | MSM_BO_WC;
    struct drm_gem *gem = NULL;
    int error = check_flags(adreno_file(file)->device->chip, flags);
    struct adreno_vm *vm = !error && flags & MSM_BO_NO_SHARE ? adreno_file_vm(adreno_file(file)) : NULL;
    if (!error && flags & MSM_BO_NO_SHARE && !vm)
        error = -ENOMEM;
    if (!error)
        error = create_bo(adreno_file(file)->device, args->size, flags, &gem);
    if (error)
        return error;
    if (vm) /* it cannot leave the process, and all jobs of the space use it */
        drm_gem_set_exclusive(gem, &vm->vm);
    error = drm_gem_handle(file, gem, &args->handle);
    drm_gem_unref(gem);
    return error;
}

/* ---- GEM_INFO ---- */

static int get_flags(const struct drm_gem *gem, uint64_t *value_out)
{
    if (!gem->blob)
        return -EINVAL; /* another driver's */
    *value_out = ((const struct adreno_bo *)gem)->flags;
    return 0;
}

static struct adreno_bo_blob *blob_of(struct drm_gem *gem)
{
    return gem->blob ? gem->blob : &adreno_bo(gem)->own_blob;
}

static int set_name(struct drm_gem *gem, const struct drm_msm_gem_info *args)
{
    char name[ADRENO_NAME_MAX_B] = {0};
    if (args->len >= sizeof(name))
        return -EINVAL;
    int error = drm_copy_from_user(name, args->value, args->len);
    for (uint32_t i = 0; i < sizeof(name); i++) {
        if (error || !isprint((unsigned char)name[i]))
            memset(name + i, 0, sizeof(name) - i);
    }
    pthread_mutex_lock(&gem->device->lock);
    memcpy(blob_of(gem)->name, name, sizeof(name));
    pthread_mutex_unlock(&gem->device->lock);
    return error;
}

static int get_name(struct drm_gem *gem, struct drm_msm_gem_info *args)
{
    char name[ADRENO_NAME_MAX_B];
    pthread_mutex_lock(&gem->device->lock);
    memcpy(name, blob_of(gem)->name, sizeof(name));
    pthread_mutex_unlock(&gem->device->lock);
    uint32_t length = (uint32_t)strnlen(name, sizeof(name));
    if (args->value && args->len < length)
        return -ETOOSMALL;
    args->len = length;
    return args->value ? drm_copy_to_user(args->value, name, length) : 0;
}

static int set_metadata(struct drm_gem *gem, const struct drm_msm_gem_info *args)
{
    uint8_t metadata[ADRENO_METADATA_MAX_B] = {0};
    if (args->len > sizeof(metadata))
        return -EOVERFLOW;
    int error = drm_copy_from_user(metadata, args->value, args->len);
    if (error)
        return error;
    pthread_mutex_lock(&gem->device->lock);
    memcpy(blob_of(gem)->metadata, metadata, sizeof(metadata));
    blob_of(gem)->metadata_B = args->len;
    pthread_mutex_unlock(&gem->device->lock);
    return 0;
}

static int get_metadata(struct drm_gem *gem, struct drm_msm_gem_info *args)
{
    uint8_t metadata[ADRENO_METADATA_MAX_B];
    pthread_mutex_lock(&gem->device->lock);
    const struct adreno_bo_blob *blob = blob_of(gem);
    uint32_t size_B = __atomic_load_n(&blob->metadata_B, __ATOMIC_RELAXED); /* others may write it meanwhile */
    size_B = MIN2(size_B, (uint32_t)sizeof(metadata));
    memcpy(metadata, blob->metadata, sizeof(metadata));
    pthread_mutex_unlock(&gem->device->lock);
    if (args->value && args->len < size_B)
        return -ETOOSMALL;
    args->len = size_B;
    return args->value ? drm_copy_to_user(args->value, metadata, size_B) : 0;
}

static int info_on(struct adreno_file *file, struct drm_gem *gem, struct drm_msm_gem_info *args)
{
    bool is_iova = args->info == MSM_INFO_GET_IOVA || args->info == MSM_INFO_SET_IOVA;
    if (is_iova) {
        const struct adreno_vm *vm = adreno_file_vm(file);
        if (!vm)
            return -ENOMEM;
        if (vm->is_vm_bind)
            return -EINVAL;
    }
    switch (args->info) {
    case MSM_INFO_GET_OFFSET:
        return drm_gem_mmap_offset(gem, &args->value);
    case MSM_INFO_GET_IOVA:
        return adreno_iova_get(file, gem, &args->value);
    case MSM_INFO_SET_IOVA:
        return adreno_iova_set(file, gem, args->value);
    case MSM_INFO_GET_FLAGS:
        return get_flags(gem, &args->value);
    case MSM_INFO_SET_NAME:
        return set_name(gem, args);
    case MSM_INFO_GET_NAME:
        return get_name(gem, args);
    case MSM_INFO_SET_METADATA:
        return set_metadata(gem, args);
    default:
        return get_metadata(gem, args);
    }
}

int adreno_gem_info_ioctl(struct drm_file *file, void *data)
{
    struct drm_msm_gem_info *args = data;
    bool is_number = args->info == MSM_INFO_GET_OFFSET || args->info == MSM_INFO_GET_IOVA ||
                     args->info == MSM_INFO_SET_IOVA || args->info == MSM_INFO_GET_FLAGS;
    if (args->pad || args->info > MSM_INFO_GET_METADATA || (is_number && args->len))
        return -EINVAL;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    int error = info_on(adreno_file(file), gem, args);
    drm_gem_unref(gem);
    return error;
}

/* ---- waiting, and what happens to pages ---- */

int adreno_gem_cpu_prep_ioctl(struct drm_file *file, void *data)
{
    const struct drm_msm_gem_cpu_prep *args = data;
    if (args->op & ~MSM_PREP_FLAGS)
        return -EINVAL;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    int64_t now_ns = drm_now_ns();
    int64_t deadline_ns = args->op & MSM_PREP_NOSYNC ? now_ns : adreno_deadline_ns(args->timeout);
    bool done = args->op & MSM_PREP_WRITE ? drm_gem_wait_idle(gem, deadline_ns) : drm_gem_wait_writes(gem, deadline_ns);
    drm_gem_unref(gem);
    if (done)
        return 0;
    return deadline_ns <= now_ns ? -EBUSY : -ETIMEDOUT;
}

/* The CPU sees what the GPU writes, and the other way round: nothing is to be done. */
int adreno_gem_cpu_fini_ioctl(struct drm_file *file, void *data)
{
    const struct drm_msm_gem_cpu_fini *args = data;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    drm_gem_unref(gem);
    return 0;
}

/* The model never takes pages away: all are retained. */
int adreno_gem_madvise_ioctl(struct drm_file *file, void *data)
{
    struct drm_msm_gem_madvise *args = data;
    if (args->madv != MSM_MADV_WILLNEED && args->madv != MSM_MADV_DONTNEED)
        return -EINVAL;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    atomic_store(&adreno_bo(gem)->madv, args->madv);
    args->retained = 1;
    drm_gem_unref(gem);
    return 0;
}
