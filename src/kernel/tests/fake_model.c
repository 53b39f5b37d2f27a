/* A model without a GPU, for tests: devices on both buses that can be found, opened and identified. The
 * tests' own table (models.table beside this file) names them; everything from the registry on is the product's. */
#include <drm.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/model.h"

#define EXPORT __attribute__((visibility("default")))

struct kernel_model_device {
    struct kernel_device_info info;
};

struct kernel_model_file {
    struct kernel_model_device *device;
};

static const struct kernel_device_info chips[] = {
    {.driver = "fake-new",
     .model = "fake-new",
     .bus = KERNEL_BUS_PLATFORM,
     .platform = {.name = "12340000.gpu",
                  .of_fullname = "/soc@0/gpu@12340000",
                  .compatible = {"tuff,fake-gpu-2", "tuff,fake-gpu"}}},
    {.driver = "fake-old",
     .model = "fake-old",
     .bus = KERNEL_BUS_PCI,
     .pci = {.bus = 9, .device = 1, .vendor_id = 0x1ffe, .device_id = 0x77, .revision = 2}},
};

static int device_open(const char *chip, struct kernel_model_device **device_out)
{
    for (unsigned i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        if (strcmp(chips[i].model, chip) != 0)
            continue;
        struct kernel_model_device *device = calloc(1, sizeof(*device));
        if (!device)
            return -ENOMEM;
        device->info = chips[i];
        *device_out = device;
        return 0;
    }
    return -ENODEV;
}

static void device_close(struct kernel_model_device *device)
{
    free(device);
}

static void device_info(struct kernel_model_device *device, struct kernel_device_info *info_out)
{
    *info_out = device->info;
}

static int file_open(struct kernel_model_device *device, enum kernel_node node, struct kernel_model_file **file_out)
{
    struct kernel_model_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    file->device = device;
    *file_out = file;
    return 0;
}

static void file_close(struct kernel_model_file *file)
{
    free(file);
}

static void copy_text(char *target, __kernel_size_t *size_B, const char *text)
{
    size_t length = strlen(text);
    if (target && *size_B)
        memcpy(target, text, length < *size_B ? length : *size_B);
    *size_B = length;
}

static int file_ioctl(struct kernel_model_file *file, unsigned long request, void *argument)
{
    if (request != DRM_IOCTL_VERSION)
        return -EINVAL;
    struct drm_version *version = argument;
    version->version_major = 1;
    version->version_minor = version->version_patchlevel = 0;
    copy_text(version->name, &version->name_len, file->device->info.driver);
    copy_text(version->date, &version->date_len, "20260101");
    copy_text(version->desc, &version->desc_len, "no GPU");
    return 0;
}

static int file_mmap(struct kernel_model_file *file, void *hint, size_t size_B, int protection, int flags,
                     uint64_t offset_B, void **memory_out)
{
    return -EINVAL;
}

static int file_poll(struct kernel_model_file *file, short events, int timeout_ms)
{
    return poll(NULL, 0, timeout_ms) < 0 ? -errno : 0;
}

static void memory_unmapped(struct kernel_model_device *device, const void *memory, size_t size_B)
{
}

static int dmabuf_size(int fd, uint64_t *size_B_out)
{
    return -EINVAL;
}

static int fd_ioctl(int fd, unsigned long request, void *argument)
{
    return -ENOTTY;
}

static const struct kernel_model_ops ops = {
    .abi = KERNEL_MODEL_ABI,
    .device_open = device_open,
    .device_close = device_close,
    .device_info = device_info,
    .file_open = file_open,
    .file_close = file_close,
    .file_ioctl = file_ioctl,
    .file_ioctl_sure = file_ioctl,
    .file_mmap = file_mmap,
    .file_poll = file_poll,
    .memory_unmapped = memory_unmapped,
    .dmabuf_size = dmabuf_size,
    .fd_ioctl = fd_ioctl,
};

EXPORT const struct kernel_model_ops *tuff_kernel_model(void);

const struct kernel_model_ops *tuff_kernel_model(void)
{
    return &ops;
}
