/* The ioctls that every DRM driver has for its buffers: close, names, and fds for other processes. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_ioctl.h"

int drm_gem_close_ioctl(struct drm_file *file, void *data)
{
    const struct drm_gem_close *args = data;
    pthread_mutex_lock(&file->lock);
    struct drm_gem *gem = drm_handles_remove(&file->gems, args->handle);
    if (gem) {
        map64_remove(&file->gem_handles, (uintptr_t)gem);
        map64_trim(&file->gem_handles);
    }
    pthread_mutex_unlock(&file->lock);
    if (!gem)
        return -EINVAL;
    if (file->device->driver->gem_closed)
        file->device->driver->gem_closed(file, gem);
    drm_gem_unref(gem);
    return 0;
}

/* ---- sharing ---- */

int drm_prime_handle_to_fd_ioctl(struct drm_file *file, void *data)
{
    struct drm_prime_handle *args = data;
    if (args->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    int fd = drm_gem_export(gem);
    drm_gem_unref(gem);
    if (fd < 0)
        return fd;
    if (!(args->flags & DRM_CLOEXEC))
        fcntl(fd, F_SETFD, 0);
    args->fd = fd;
    return 0;
}

int drm_prime_fd_to_handle_ioctl(struct drm_file *file, void *data)
{
    struct drm_prime_handle *args = data;
    struct drm_gem *gem = NULL;
    int error = drm_gem_import(file->device, args->fd, &gem);
    if (error)
        return error;
    error = drm_gem_handle(file, gem, &args->handle);
    drm_gem_unref(gem);
    return error;
}

int drm_gem_flink_ioctl(struct drm_file *file, void *data)
{
    struct drm_gem_flink *args = data;
    struct drm_gem *gem = drm_gem_find(file, args->handle);
    if (!gem)
        return -ENOENT;
    int error = 0;
    pthread_mutex_lock(&gem->device->lock);
    if (!gem->flink_name)
        error = drm_handles_insert(&gem->device->flink_names, gem, INT32_MAX, &gem->flink_name);
    args->name = gem->flink_name;
    pthread_mutex_unlock(&gem->device->lock);
    drm_gem_unref(gem);
    return error;
}

int drm_gem_open_ioctl(struct drm_file *file, void *data)
{
    struct drm_gem_open *args = data;
    pthread_mutex_lock(&file->device->lock);
    struct drm_gem *gem = drm_handles_get(&file->device->flink_names, args->name);
    if (gem)
        drm_gem_ref(gem);
    pthread_mutex_unlock(&file->device->lock);
    if (!gem)
        return -ENOENT;
    int error = drm_gem_handle(file, gem, &args->handle);
    args->size = gem->size_B;
    drm_gem_unref(gem);
    return error;
}
