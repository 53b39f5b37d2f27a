/* Interposers of the functions that take an fd or unmap memory. Polling is in polls.c. */
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/shim.h"

/* An ioctl on a buffer or a sync file of the model; -ENOTTY for any other fd. */
static int ioctl_of_shared(int fd, unsigned long request, void *argument)
{
    if (!shim_ready())
        return -ENOTTY;
    shim_inside++;
    int result = shim_model->fd_ioctl(fd, request, argument);
    shim_inside--;
    return result;
}

SHIM_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *argument = va_arg(args, void *);
    va_end(args);
    /* Only requests of DRM, dma-bufs and sync files can be for the model: for everything else the fd is not looked at.
     */
    if (!shim_inside && (_IOC_TYPE(request) == DMA_BUF_BASE || _IOC_TYPE(request) == SYNC_IOC_MAGIC)) {
        int result = ioctl_of_shared(fd, request, argument);
        if (result != -ENOTTY)
            return shim_return(result);
    }
    struct shim_file *file = !shim_inside && _IOC_TYPE(request) == 'd' ? shim_get_file_fast(fd) : NULL;
    if (!file)
        return NEXT(int (*)(int, unsigned long, ...), ioctl)(fd, request, argument);
    shim_inside++;
    int result = shim_model->file_ioctl(file->file, request, argument);
    shim_inside--;
    shim_put_file(file);
    return shim_return(result);
}

SHIM_EXPORT int close(int fd)
{
    int (*next)(int) = NEXT(int (*)(int), close);
    struct shim_file *file = shim_inside ? NULL : shim_get_file(fd);
    shim_forget_fd(fd);
    int result = next(fd);
    if (file) {
        shim_fd_closed(file);
        shim_put_file(file);
    }
    return result;
}

/* dup2 closes the target's old file without a call of close. */
static void fd_is_replaced(int fd, struct shim_file *old)
{
    shim_forget_fd(fd);
    if (!old)
        return;
    shim_fd_closed(old);
    shim_put_file(old);
}

SHIM_EXPORT int dup2(int fd, int target)
{
    struct shim_file *old = shim_inside || fd == target ? NULL : shim_get_file(target);
    int result = NEXT(int (*)(int, int), dup2)(fd, target);
    fd_is_replaced(target, old);
    return result;
}

SHIM_EXPORT int dup3(int fd, int target, int flags)
{
    struct shim_file *old = shim_inside || fd == target ? NULL : shim_get_file(target);
    int result = NEXT(int (*)(int, int, int), dup3)(fd, target, flags);
    fd_is_replaced(target, old);
    return result;
}

/* ---- memory ---- */

static void forget_mappings(const void *memory, size_t size_B)
{
    if (shim_inside || !shim_device)
        return;
    shim_inside++;
    shim_model->memory_unmapped(shim_device, memory, size_B);
    shim_inside--;
}

#define INTERPOSE_MMAP(name, offset_type)                                                                              \
    SHIM_EXPORT void *name(void *hint, size_t size_B, int protection, int flags, int fd, offset_type offset)           \
    {                                                                                                                  \
        if (flags & MAP_FIXED)                                                                                         \
            forget_mappings(hint, size_B);                                                                             \
        struct shim_file *file = shim_inside || flags & MAP_ANONYMOUS ? NULL : shim_get_file(fd);                      \
        if (!file)                                                                                                     \
            return NEXT(void *(*)(void *, size_t, int, int, int, offset_type), name)(hint, size_B, protection, flags,  \
                                                                                     fd, offset);                      \
        void *memory = MAP_FAILED;                                                                                     \
        shim_inside++;                                                                                                 \
        int error = shim_model->file_mmap(file->file, hint, size_B, protection, flags, (uint64_t)offset, &memory);     \
        shim_inside--;                                                                                                 \
        shim_put_file(file);                                                                                           \
        if (error)                                                                                                     \
            errno = -error;                                                                                            \
        return error ? MAP_FAILED : memory;                                                                            \
    }
INTERPOSE_MMAP(mmap, off_t)
INTERPOSE_MMAP(mmap64, off64_t)

SHIM_EXPORT int munmap(void *memory, size_t size_B)
{
    forget_mappings(memory, size_B);
    return NEXT(int (*)(void *, size_t), munmap)(memory, size_B);
}

SHIM_EXPORT void *mremap(void *memory, size_t old_B, size_t new_B, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    void *target = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    forget_mappings(memory, old_B);
    return NEXT(void *(*)(void *, size_t, size_t, int, ...), mremap)(memory, old_B, new_B, flags, target);
}

/* ---- seeking: how programs ask a dma-buf for its size ---- */

#define INTERPOSE_LSEEK(name, type)                                                                                    \
    SHIM_EXPORT type name(int fd, type offset, int whence)                                                             \
    {                                                                                                                  \
        uint64_t size_B;                                                                                               \
        if (whence == SEEK_END && offset == 0 && !shim_inside && shim_device) {                                        \
            shim_inside++;                                                                                             \
            int error = shim_model->dmabuf_size(fd, &size_B);                                                          \
            shim_inside--;                                                                                             \
            if (!error)                                                                                                \
                return (type)size_B;                                                                                   \
        }                                                                                                              \
        return NEXT(type(*)(int, type, int), name)(fd, offset, whence);                                                \
    }
INTERPOSE_LSEEK(lseek, off_t)
INTERPOSE_LSEEK(lseek64, off64_t)
