/* libdrm, which knows how to find the machine's devices. It is opened when they are asked for: without it there are the
 * models all the same. */
#ifndef KERNEL_DRM_LIBRARY_H
#define KERNEL_DRM_LIBRARY_H

#include <xf86drm.h>

struct drm_library {
    __typeof__(drmGetDevices2) *get_devices;
    __typeof__(drmFreeDevices) *free_devices;
    __typeof__(drmGetVersion) *get_version;
    __typeof__(drmFreeVersion) *free_version;
};

/* NULL: this machine has none. */
const struct drm_library *drm_library_open(void);

#endif
