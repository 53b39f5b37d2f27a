/* Files on the operating system's own devices. libdrm finds them; everything else is plain system calls. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel/drm_library.h"
#include "kernel/provider.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/list.h"

struct real_file {
    struct kernel_file base;
    int fd;
};

static int file_fd(struct kernel_file *file)
{
    return container_of(file, struct real_file, base)->fd;
}

static int real_ioctl(struct kernel_file *file, unsigned long request, void *argument)
{
    return ioctl(file_fd(file), request, argument) < 0 ? -errno : 0;
}

static int real_mmap(struct kernel_file *file, size_t size_B, int protection, int flags, uint64_t offset_B,
                     void **memory_out)
{
    void *memory = mmap(NULL, size_B, protection, flags, file_fd(file), (off_t)offset_B);
    if (memory == MAP_FAILED)
        return -errno;
    *memory_out = memory;
    return 0;
}

static int real_munmap(struct kernel_file *file, void *memory, size_t size_B)
{
    return munmap(memory, size_B) ? -errno : 0;
}

static int real_poll(struct kernel_file *file, short events, int timeout_ms)
{
    struct pollfd poll_fd = {.fd = file_fd(file), .events = events};
    return poll(&poll_fd, 1, timeout_ms) < 0 ? -errno : poll_fd.revents;
}

static int real_dmabuf_size(struct kernel_file *file, int fd, uint64_t *size_B_out)
{
    off_t end = lseek(fd, 0, SEEK_END);
    if (end < 0)
        return -errno;
    lseek(fd, 0, SEEK_SET);
    *size_B_out = (uint64_t)end;
    return 0;
}

static void real_close(struct kernel_file *file)
{
    close(file_fd(file));
    free(container_of(file, struct real_file, base));
}

static const struct kernel_file_ops real_ops = {
    .ioctl = real_ioctl,
    .mmap = real_mmap,
    .munmap = real_munmap,
    .poll = real_poll,
    .dmabuf_size = real_dmabuf_size,
    .close = real_close,
};

static void copy_path(char *target, size_t size_B, const drmDevice *device, int node)
{
    if (device->available_nodes & (1 << node))
        snprintf(target, size_B, "%s", device->nodes[node]);
}

/* The driver's name needs an open file; a node that we may not open keeps the empty name. */
static void ask_driver_name(struct kernel_device_info *info, const struct drm_library *drm)
{
    int fd = open(info->render_path[0] ? info->render_path : info->primary_path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    drmVersion *version = drm->get_version(fd);
    if (version)
        snprintf(info->driver, sizeof(info->driver), "%s", version->name);
    drm->free_version(version);
    close(fd);
}

static void describe_pci(struct kernel_device_info *info, const drmDevice *device)
{
    const drmPciBusInfo *bus = device->businfo.pci;
    const drmPciDeviceInfo *ids = device->deviceinfo.pci;
    info->bus = KERNEL_BUS_PCI;
    info->pci = (struct kernel_pci){.domain = bus->domain,
                                    .bus = bus->bus,
                                    .device = bus->dev,
                                    .function = bus->func,
                                    .vendor_id = ids->vendor_id,
                                    .device_id = ids->device_id,
                                    .subvendor_id = ids->subvendor_id,
                                    .subdevice_id = ids->subdevice_id,
                                    .revision = ids->revision_id};
}

/* The folder's name is not among libdrm's answers: it is where sysfs's link from the node's number leads. */
static void find_platform_name(struct kernel_device_info *info)
{
    struct stat status;
    char link[64], *path = NULL;
    if (stat(info->render_path[0] ? info->render_path : info->primary_path, &status) == 0) {
        snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device", major(status.st_rdev), minor(status.st_rdev));
        path = realpath(link, NULL);
    }
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        snprintf(info->platform.name, sizeof(info->platform.name), "%s", slash + 1);
    free(path);
}

static void describe_platform(struct kernel_device_info *info, const drmDevice *device)
{
    char *const *words = device->deviceinfo.platform ? device->deviceinfo.platform->compatible : NULL;
    info->bus = KERNEL_BUS_PLATFORM;
    find_platform_name(info);
    snprintf(info->platform.of_fullname, sizeof(info->platform.of_fullname), "%s", device->businfo.platform->fullname);
    for (unsigned i = 0; words && words[i] && i < KERNEL_COMPATIBLE_MAX; i++)
        snprintf(info->platform.compatible[i], sizeof(info->platform.compatible[i]), "%s", words[i]);
}

static struct kernel_device_info describe_device(const drmDevice *device, const struct drm_library *drm)
{
    struct kernel_device_info info = {0};
    copy_path(info.primary_path, sizeof(info.primary_path), device, DRM_NODE_PRIMARY);
    copy_path(info.render_path, sizeof(info.render_path), device, DRM_NODE_RENDER);
    if (device->bustype == DRM_BUS_PCI)
        describe_pci(&info, device);
    else if (device->bustype == DRM_BUS_PLATFORM)
        describe_platform(&info, device);
    ask_driver_name(&info, drm);
    return info;
}

int kernel_real_list(struct kernel_device_list *list)
{
    const struct drm_library *drm = drm_library_open();
    if (!drm)
        return 0;
    drmDevice *devices[64];
    int count = drm->get_devices(0, devices, (int)ARRAY_SIZE(devices));
    if (count < 0)
        return count == -ENOENT || count == -ENODEV ? 0 : count;
    int error = 0;
    for (int i = 0; i < count && !error; i++) {
        if (!array_push(list, describe_device(devices[i], drm)))
            error = -ENOMEM;
    }
    drm->free_devices(devices, count);
    return error;
}

int kernel_real_open(const struct kernel_device_info *info, enum kernel_node node, struct kernel_file **file_out)
{
    const char *path = node == KERNEL_NODE_RENDER ? info->render_path : info->primary_path;
    if (!path[0])
        return -ENODEV;
    struct real_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    file->fd = open(path, O_RDWR | O_CLOEXEC);
    if (file->fd < 0) {
        int error = -errno;
        free(file);
        return error;
    }
    file->base.ops = &real_ops;
    file->base.info = *info;
    atomic_init(&file->base.refs, 1);
    *file_out = &file->base;
    return 0;
}
