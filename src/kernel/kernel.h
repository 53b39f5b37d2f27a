/* The DRM boundary: how a driver finds devices and talks to them. Real devices are files of the operating system; a
 * model is a GPU in this process that answers the same ioctls. The owner of a `struct kernel_file` cannot tell which
 * it is, and need not.
 *
 * Every function that can fail returns 0 or -errno; an ioctl is repeated when a signal interrupted it, as libdrm does.
 * Buffers, synchronisation objects and fences that leave as fds are fds of this process in both cases. All functions
 * are thread-safe. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum kernel_node {
    KERNEL_NODE_PRIMARY, /* cardN: modesetting, master, flink names */
    KERNEL_NODE_RENDER,  /* renderDN */
};

enum kernel_bus {
    KERNEL_BUS_OTHER, /* a real device of a kind that none of our drivers supports */
    KERNEL_BUS_PCI,
    KERNEL_BUS_PLATFORM,
};

/* Numbers as sysfs shows them. */
struct kernel_pci {
    uint16_t domain;
    uint8_t bus;
    uint8_t device;
    uint8_t function;
    uint16_t vendor_id;
    uint16_t device_id;
    uint16_t subvendor_id;
    uint16_t subdevice_id;
    uint8_t revision;
};

#define KERNEL_COMPATIBLE_MAX 4

/* A device on no discoverable bus: what its node in the device tree says. */
struct kernel_platform {
    char name[64];                              /* the folder in sysfs, unit address first: "3d00000.gpu" */
    char of_fullname[512];                      /* the node's path: "/soc@0/gpu@3d00000" */
    char compatible[KERNEL_COMPATIBLE_MAX][64]; /* the most specific first; "" ends the list */
};

/* Facts about a device that need no opening. */
struct kernel_device_info {
    char driver[32];       /* the DRM driver's name, as DRM_IOCTL_VERSION gives it */
    char model[32];        /* the model's name; empty for real hardware */
    char primary_path[64]; /* "" where there is no such node, or for a model outside the shim */
    char render_path[64];
    enum kernel_bus bus;
    union {
        struct kernel_pci pci;
        struct kernel_platform platform;
    };
};

struct kernel_file;

/* The provider's side. A file is created with one reference; `close` is called when the last one is gone. */
struct kernel_file_ops {
    /* One ioctl; may block. 0 or -errno. */
    int (*ioctl)(struct kernel_file *file, unsigned long request, void *argument);
    /* Map `size_B` bytes of the object that an offset of this file names; flags are mmap's. */
    int (*mmap)(struct kernel_file *file, size_t size_B, int protection, int flags, uint64_t offset_B,
                void **memory_out);
    int (*munmap)(struct kernel_file *file, void *memory, size_t size_B);
    /* poll(2)'s events that are true now, waiting up to timeout_ms (-1: for ever); or -errno. */
    int (*poll)(struct kernel_file *file, short events, int timeout_ms);
    /* The size of a buffer that was passed as an fd. */
    int (*dmabuf_size)(struct kernel_file *file, int fd, uint64_t *size_B_out);
    void (*close)(struct kernel_file *file);
};

struct kernel_file {
    const struct kernel_file_ops *ops;
    _Atomic uint32_t refs;
    struct kernel_device_info info;
};

/* The machine's own devices. *devices_out is freed by the caller. */
int kernel_list_devices(struct kernel_device_info **devices_out, uint32_t *count_out);

/* Open a listed device. Two opens are two files: contexts, handles and addresses of one mean nothing to the other. */
int kernel_open(const struct kernel_device_info *info, enum kernel_node node, struct kernel_file **file_out);

/* Open a model by the name of its row in models.table. -ENODEV where no model of that name is known, -ELIBACC where its
 * library cannot be loaded. */
int kernel_open_model(const char *name, enum kernel_node node, struct kernel_file **file_out);

/* Another reference to the same open file, as dup(2) gives. */
struct kernel_file *kernel_dup(struct kernel_file *file);
void kernel_close(struct kernel_file *file); /* NULL is allowed */

int kernel_ioctl(struct kernel_file *file, unsigned long request, void *argument);
int kernel_mmap(struct kernel_file *file, size_t size_B, int protection, int flags, uint64_t offset_B,
                void **memory_out);
int kernel_munmap(struct kernel_file *file, void *memory, size_t size_B);
int kernel_poll(struct kernel_file *file, short events, int timeout_ms);
int kernel_dmabuf_size(struct kernel_file *file, int fd, uint64_t *size_B_out);

#endif
