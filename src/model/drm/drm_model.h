/* The shared half of the table that a model's library offers (kernel/model.h): its entries but for opening and
 * describing the device, which only the family can do. */
#ifndef MODEL_DRM_MODEL_H
#define MODEL_DRM_MODEL_H

#include "kernel/model.h"
#include "model/drm/drm_gem.h"

struct drm_device;

/* Where a GPU of a system on a chip is: the address of its registers gives its node of the device tree the name. */
struct drm_platform {
    const char *chip;
    const char *name;
    const char *of_fullname;
};

/* NULL: the chip has none. */
const struct drm_platform *drm_platform_find(const struct drm_platform *places, size_t count, const char *chip);
/* The kernel's description of such a device; `compatible` has two names, the special one first. */
void drm_platform_info(const struct drm_platform *place, const char *driver, const char *const compatible[2],
                       struct kernel_device_info *info_out);

/* A device was opened by the table: the end of the process waits for its work. */
void drm_model_opened(struct drm_device *device);

void drm_model_device_close(struct kernel_model_device *device);
int drm_model_file_open(struct kernel_model_device *device, enum kernel_node node, struct kernel_model_file **file_out);
void drm_model_file_close(struct kernel_model_file *file);
int drm_model_file_ioctl(struct kernel_model_file *file, unsigned long request, void *argument);
int drm_model_file_ioctl_sure(struct kernel_model_file *file, unsigned long request, void *argument);
int drm_model_file_mmap(struct kernel_model_file *file, void *hint, size_t size_B, int protection, int flags,
                        uint64_t offset_B, void **memory_out);
int drm_model_file_poll(struct kernel_model_file *file, short events, int timeout_ms);
void drm_model_memory_unmapped(struct kernel_model_device *device, const void *memory, size_t size_B);

/* All of them, for a table's initialiser. */
#define DRM_MODEL_OPS                                                                                                  \
    .abi = KERNEL_MODEL_ABI, .device_close = drm_model_device_close, .file_open = drm_model_file_open,                 \
    .file_close = drm_model_file_close, .file_ioctl = drm_model_file_ioctl,                                            \
    .file_ioctl_sure = drm_model_file_ioctl_sure, .file_mmap = drm_model_file_mmap, .file_poll = drm_model_file_poll,  \
    .memory_unmapped = drm_model_memory_unmapped, .dmabuf_size = drm_dmabuf_size, .fd_ioctl = drm_fd_ioctl

#endif
