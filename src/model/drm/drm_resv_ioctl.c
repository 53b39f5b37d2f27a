/* Requests of programs to a dma-buf itself, by ioctl: to wait for the work on it, and to turn that work into a sync
 * file or a sync file into such work. Linux has the latter two since 6.0. */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernel/dma_buf.h"
#include "model/drm/drm_fence.h"
#include "model/drm/drm_resv.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_user.h"

/* A writer waits for all users, a reader for writers. */
static enum drm_resv_usage waits_for(uint64_t flags)
{
    return flags & DMA_BUF_SYNC_WRITE ? DRM_RESV_READ : DRM_RESV_WRITE;
}

/* The beginning of the CPU's access waits; memory is coherent, so its end has nothing to do. */
static int sync_cpu(struct drm_resv *resv, void *argument)
{
    struct dma_buf_sync args;
    int error = drm_copy_from_user(&args, (uintptr_t)argument, sizeof(args));
    if (error)
        return error;
    if (args.flags & ~(uint64_t)DMA_BUF_SYNC_VALID_FLAGS_MASK || !(args.flags & DMA_BUF_SYNC_RW))
        return -EINVAL;
    if (args.flags & DMA_BUF_SYNC_END)
        return 0;
    struct drm_fence *fence = drm_resv_fence(resv, waits_for(args.flags), NULL);
    if (!fence)
        return -ENOMEM;
    drm_fence_wait(fence, INT64_MAX);
    drm_fence_unref(fence);
    return 0;
}

static int export_sync_file(struct drm_resv *resv, void *argument)
{
    struct dma_buf_export_sync_file args;
    int error = drm_copy_from_user(&args, (uintptr_t)argument, sizeof(args));
    if (error)
        return error;
    if (args.flags & ~(uint32_t)DMA_BUF_SYNC_RW || !args.flags)
        return -EINVAL;
    struct drm_fence *fence = drm_resv_fence(resv, waits_for(args.flags), NULL);
    if (!fence)
        return -ENOMEM;
    args.fd = drm_sync_file_export(fence);
    drm_fence_unref(fence);
    if (args.fd < 0)
        return args.fd;
    error = drm_copy_to_user((uintptr_t)argument, &args, sizeof(args));
    if (error)
        close(args.fd);
    return error;
}

static int import_sync_file(struct drm_resv *resv, void *argument)
{
    struct dma_buf_import_sync_file args;
    int error = drm_copy_from_user(&args, (uintptr_t)argument, sizeof(args));
    if (error)
        return error;
    if (args.flags & ~(uint32_t)DMA_BUF_SYNC_RW || !args.flags)
        return -EINVAL;
    struct drm_fence *fence = NULL;
    error = drm_sync_file_import(args.fd, &fence);
    if (error)
        return error;
    drm_resv_lock(resv);
    error = drm_resv_add(resv, fence, args.flags & DMA_BUF_SYNC_WRITE ? DRM_RESV_WRITE : DRM_RESV_READ);
    drm_resv_unlock(resv);
    drm_fence_unref(fence);
    return error;
}

int drm_resv_ioctl(struct drm_resv *resv, unsigned long request, void *argument)
{
    switch (request) {
    case DMA_BUF_IOCTL_SYNC:
        return sync_cpu(resv, argument);
    case DMA_BUF_IOCTL_EXPORT_SYNC_FILE:
        return export_sync_file(resv, argument);
    case DMA_BUF_IOCTL_IMPORT_SYNC_FILE:
        return import_sync_file(resv, argument);
    default:
        return -ENOTTY;
    }
}
