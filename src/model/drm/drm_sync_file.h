/* Sync files: a fence as an fd, for poll, for other processes, and for the two ioctls that the kernel has for them. */
#ifndef MODEL_DRM_SYNC_FILE_H
#define MODEL_DRM_SYNC_FILE_H

struct drm_fence;

/* A new fd (close-on-exec), readable when the fence is signaled; or -errno. */
int drm_sync_file_export(struct drm_fence *fence);

/* A new reference to the fence that an fd of any process refers to. -EINVAL: not a sync file. */
int drm_sync_file_import(int fd, struct drm_fence **fence_out);

/* SYNC_IOC_MERGE and SYNC_IOC_FILE_INFO, on the user's struct. -ENOTTY: not a sync file, or not such a request. */
int drm_sync_file_ioctl(int fd, unsigned long request, void *argument);

#endif
