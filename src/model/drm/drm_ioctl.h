/* From an ioctl number to its handler, as the DRM core does it. */
#ifndef MODEL_DRM_IOCTL_H
#define MODEL_DRM_IOCTL_H

#include <stddef.h>

struct drm_file;

enum drm_ioctl_flags {
    DRM_ROW_RENDER = 1 << 0, /* allowed on render nodes */
    DRM_ROW_AUTH = 1 << 1,   /* on primary nodes: for authenticated files */
    DRM_ROW_MASTER = 1 << 2, /* for the master only */
};

#define DRM_IOCTL_MAX_B 512 /* of an ioctl's struct */

struct drm_ioctl_row {
    unsigned flags;
    size_t size_B;
    /* On a copy of the user's struct, zeroed where the user's is shorter. 0 or -errno. */
    int (*run)(struct drm_file *file, void *data);
};

/* A row of a driver's table, whose index is the number above DRM_COMMAND_BASE. */
#define DRM_DRIVER_IOCTL(request, flags, run) [_IOC_NR(request) - DRM_COMMAND_BASE] = {flags, _IOC_SIZE(request), run}

int drm_file_ioctl(struct drm_file *file, unsigned long request, void *argument);

/* drm_core.c: the identity of the device and of the caller */
int drm_version_ioctl(struct drm_file *file, void *data);
int drm_get_unique_ioctl(struct drm_file *file, void *data);
int drm_get_magic_ioctl(struct drm_file *file, void *data);
int drm_auth_magic_ioctl(struct drm_file *file, void *data);
int drm_get_client_ioctl(struct drm_file *file, void *data);
int drm_set_version_ioctl(struct drm_file *file, void *data);
int drm_get_cap_ioctl(struct drm_file *file, void *data);
int drm_mode_get_resources_ioctl(struct drm_file *file, void *data);
int drm_mode_get_plane_resources_ioctl(struct drm_file *file, void *data);
int drm_set_client_cap_ioctl(struct drm_file *file, void *data);
int drm_set_master_ioctl(struct drm_file *file, void *data);
int drm_drop_master_ioctl(struct drm_file *file, void *data);

/* drm_gem_ioctl.c: handles, names and fds of buffers */
int drm_gem_close_ioctl(struct drm_file *file, void *data);
int drm_gem_flink_ioctl(struct drm_file *file, void *data);
int drm_gem_open_ioctl(struct drm_file *file, void *data);
int drm_prime_handle_to_fd_ioctl(struct drm_file *file, void *data);
int drm_prime_fd_to_handle_ioctl(struct drm_file *file, void *data);

#endif
