/* Open files of either provider, and the list of real devices. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "kernel/provider.h"
#include "util/array.h"

struct kernel_file *kernel_dup(struct kernel_file *file)
{
    atomic_fetch_add_explicit(&file->refs, 1, memory_order_relaxed);
    return file;
}

void kernel_close(struct kernel_file *file)
{
    if (file && atomic_fetch_sub_explicit(&file->refs, 1, memory_order_acq_rel) == 1)
        file->ops->close(file);
}

int kernel_ioctl(struct kernel_file *file, unsigned long request, void *argument)
{
    int error;
    do {
        error = file->ops->ioctl(file, request, argument);
    } while (error == -EINTR || error == -EAGAIN);
    return error;
}

int kernel_mmap(struct kernel_file *file, size_t size_B, int protection, int flags, uint64_t offset_B,
                void **memory_out)
{
    return file->ops->mmap(file, size_B, protection, flags, offset_B, memory_out);
}

int kernel_munmap(struct kernel_file *file, void *memory, size_t size_B)
{
    return file->ops->munmap(file, memory, size_B);
}

int kernel_poll(struct kernel_file *file, short events, int timeout_ms)
{
    return file->ops->poll(file, events, timeout_ms);
}

int kernel_dmabuf_size(struct kernel_file *file, int fd, uint64_t *size_B_out)
{
    return file->ops->dmabuf_size(file, fd, size_B_out);
}

int kernel_open(const struct kernel_device_info *info, enum kernel_node node, struct kernel_file **file_out)
{
    if (info->model[0])
        return kernel_open_model(info->model, node, file_out);
    return kernel_real_open(info, node, file_out);
}

int kernel_list_devices(struct kernel_device_info **devices_out, uint32_t *count_out)
{
    struct kernel_device_list list = {0};
    int error = kernel_real_list(&list);
    if (error)
        array_finish(&list);
    *devices_out = list.data;
    *count_out = list.count;
    return error;
}
