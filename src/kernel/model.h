/* A GPU model's interface: the one symbol of its shared object, and the table that it points to. A model is opened by
 * the registry when a device of its kind is asked for; the shim and the drivers' model provider use the same table.
 *
 * A model runs in its user's process. After fork the child has memory but no workers: files from before the fork
 * return -ENODEV there, and a device that the child opens is a new one. */
#ifndef KERNEL_MODEL_H
#define KERNEL_MODEL_H

#include "kernel/kernel.h"

#define KERNEL_MODEL_ABI 4u
#define KERNEL_MODEL_SYMBOL "tuff_kernel_model"

struct kernel_model_device;
struct kernel_model_file;

/* Every op returns 0 or -errno and may be called from any thread. Arguments of ioctls are checked as the kernel checks
 * them. */
struct kernel_model_ops {
    uint32_t abi; /* KERNEL_MODEL_ABI: the registry refuses any other */

    /* A device of this chip, by the name of its row; -ENODEV for a name that the model does not know. */
    int (*device_open)(const char *chip, struct kernel_model_device **device_out);
    void (*device_close)(struct kernel_model_device *device); /* its files are closed */
    void (*device_info)(struct kernel_model_device *device, struct kernel_device_info *info_out);

    int (*file_open)(struct kernel_model_device *device, enum kernel_node node, struct kernel_model_file **file_out);
    void (*file_close)(struct kernel_model_file *file);
    int (*file_ioctl)(struct kernel_model_file *file, unsigned long request, void *argument);
    /* An ioctl of a caller whose pointers are good: a bad one crashes, as it would in any library. To find it by
     * itself, a model asks the host's kernel for every copy. */
    int (*file_ioctl_sure)(struct kernel_model_file *file, unsigned long request, void *argument);
    /* `hint` and `flags` are mmap's, MAP_FIXED included. */
    int (*file_mmap)(struct kernel_model_file *file, void *hint, size_t size_B, int protection, int flags,
                     uint64_t offset_B, void **memory_out);
    int (*file_poll)(struct kernel_model_file *file, short events, int timeout_ms);

    /* The process is about to unmap or replace [memory, memory + size_B): mappings that file_mmap made there are gone.
     * Cheap when there are none. */
    void (*memory_unmapped)(struct kernel_model_device *device, const void *memory, size_t size_B);

    /* The size of the buffer that an fd of PRIME_HANDLE_TO_FD refers to, made by any process; -EINVAL for any other fd.
     */
    int (*dmabuf_size)(int fd, uint64_t *size_B_out);

    /* An ioctl on such an fd (DMA_BUF_IOCTL_*), or on a sync file of a model (SYNC_IOC_*), made by any process;
     * -ENOTTY for any other fd. */
    int (*fd_ioctl)(int fd, unsigned long request, void *argument);
};

typedef const struct kernel_model_ops *(*kernel_model_entry)(void);

/* A row of models.table. */
struct kernel_model_row {
    const char *name;   /* what TUFF_GPU and the commands call it, and what device_open is given */
    const char *family; /* the folder below src */
    const char *driver; /* the DRM driver that it has a model of */
    const char *gpu;    /* what it is a model of, for people */
    enum kernel_bus bus;
    bool has_driver; /* a Vulkan driver of ours is for it; others run on it by the shim in any case */
};

/* The rows in their order; NULL past the end. The first is the model that stands in for a missing GPU. */
const struct kernel_model_row *kernel_model_row(unsigned index);
const struct kernel_model_row *kernel_model_find(const char *name); /* NULL: no model has that name */

/* The device of that name, which all of this process's files share; loads the model's library once. Never closed.
 * -ENODEV, -ELIBACC as kernel_open_model. */
int kernel_model_device(const char *name, const struct kernel_model_ops **ops_out,
                        struct kernel_model_device **device_out);

#endif
