/* Files on a model in this process. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kernel/model.h"
#include "util/list.h"

struct model_file {
    struct kernel_file base;
    const struct kernel_model_ops *model;
    struct kernel_model_device *device;
    struct kernel_model_file *file;
};

static struct model_file *model_file(struct kernel_file *file)
{
    return container_of(file, struct model_file, base);
}

static int model_ioctl(struct kernel_file *file, unsigned long request, void *argument)
{
    return model_file(file)->model->file_ioctl_sure(model_file(file)->file, request, argument);
}

static int model_mmap(struct kernel_file *file, size_t size_B, int protection, int flags, uint64_t offset_B,
                      void **memory_out)
{
    return model_file(file)->model->file_mmap(model_file(file)->file, NULL, size_B, protection, flags, offset_B,
                                              memory_out);
}

static int model_munmap(struct kernel_file *file, void *memory, size_t size_B)
{
    model_file(file)->model->memory_unmapped(model_file(file)->device, memory, size_B);
    return munmap(memory, size_B) ? -errno : 0;
}

static int model_poll(struct kernel_file *file, short events, int timeout_ms)
{
    return model_file(file)->model->file_poll(model_file(file)->file, events, timeout_ms);
}

static int model_dmabuf_size(struct kernel_file *file, int fd, uint64_t *size_B_out)
{
    return model_file(file)->model->dmabuf_size(fd, size_B_out);
}

static void model_close(struct kernel_file *file)
{
    model_file(file)->model->file_close(model_file(file)->file);
    free(model_file(file));
}

static const struct kernel_file_ops model_ops = {
    .ioctl = model_ioctl,
    .mmap = model_mmap,
    .munmap = model_munmap,
    .poll = model_poll,
    .dmabuf_size = model_dmabuf_size,
    .close = model_close,
};

int kernel_open_model(const char *name, enum kernel_node node, struct kernel_file **file_out)
{
    struct model_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    file->base.ops = &model_ops;
    atomic_init(&file->base.refs, 1);
    int error = kernel_model_device(name, &file->model, &file->device);
    if (!error)
        error = file->model->file_open(file->device, node, &file->file);
    if (error) {
        free(file);
        return error;
    }
    file->model->device_info(file->device, &file->base.info);
    *file_out = &file->base;
    return 0;
}
