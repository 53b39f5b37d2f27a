/* Copies that survive bad pointers: the kernel does them for us (process_vm_readv on this very process) and returns
 * EFAULT. A system call for each of an ioctl's structs would be most of what a small submission takes, so that what is
 * certainly there is copied by ourselves. */
#include "model/drm/drm_user.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util/sanitizer.h"

/* The C library asks the kernel each time for the process's number, and so would every copy. */
static _Atomic pid_t own_pid;
static _Atomic uint32_t generation = 1;

static void after_fork_in_child(void)
{
    atomic_store(&own_pid, getpid());
    atomic_fetch_add(&generation, 1);
}

__attribute__((constructor)) static void watch_forks(void)
{
    atomic_store(&own_pid, getpid());
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

uint32_t drm_process_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

static _Thread_local bool user_is_sure;

void drm_user_is_sure(bool is_sure)
{
    user_is_sure = is_sure;
}

/* A sandbox may forbid the call; then a bad pointer crashes, as it would in any library. */
static bool copy_is_forbidden(int error)
{
    return error == ENOSYS || error == EPERM || error == EACCES;
}

int drm_copy_from_user(void *data, uint64_t user_address, size_t size_B)
{
    const struct drm_user_copy copy = {data, user_address, size_B};
    return drm_copy_list_from_user(&copy, 1);
}

/* Memory above the frame of this call in the thread's own stack is there as long as the call lasts, and can be
 * written: most arguments are there. A caller on a stack of its own making is asked for like any other. */
static _Thread_local struct {
    uintptr_t start, end; /* start 0: not known yet; end 0: unknown for ever */
} stack;

static void find_stack(void)
{
    pthread_attr_t attributes;
    void *start;
    size_t size_B;
    stack.start = 1;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (pthread_attr_getstack(&attributes, &start, &size_B) == 0) {
        stack.start = (uintptr_t)start;
        stack.end = stack.start + size_B;
    }
    pthread_attr_destroy(&attributes);
}

static bool is_good(uint64_t user_address, size_t size_B)
{
    if (user_is_sure)
        return true;
    if (IS_SANITIZED) /* which looks at what lies between variables, too */
        return false;
    if (!stack.start)
        find_stack();
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= stack.start && user_address >= here && user_address < stack.end &&
           size_B <= stack.end - user_address;
}

static int read_by_kernel(const struct iovec *local, const struct iovec *remote, uint32_t count, size_t size_B)
{
    const ssize_t copied = size_B ? process_vm_readv(own_pid, local, count, remote, count, 0) : 0;
    if (copied == (ssize_t)size_B)
        return 0;
    if (copied >= 0 || !copy_is_forbidden(errno))
        return -EFAULT;
    for (uint32_t i = 0; i < count; i++)
        memcpy(local[i].iov_base, remote[i].iov_base, local[i].iov_len);
    return 0;
}

int drm_copy_list_from_user(const struct drm_user_copy *copies, uint32_t count)
{
    enum {
        AT_ONCE = 16
    };
    struct iovec local[AT_ONCE], remote[AT_ONCE];
    uint32_t some = 0;
    size_t size_B = 0;
    int error = 0;
    for (; count && !error; copies++, count--) {
        if (is_good(copies->user_address, copies->size_B)) {
            if (copies->size_B)
                memcpy(copies->data, (const void *)(uintptr_t)copies->user_address, copies->size_B);
            continue;
        }
        local[some] = (struct iovec){copies->data, copies->size_B};
        remote[some++] = (struct iovec){(void *)(uintptr_t)copies->user_address, copies->size_B};
        size_B += copies->size_B;
        if (some == AT_ONCE) {
            error = read_by_kernel(local, remote, some, size_B);
            some = 0;
            size_B = 0;
        }
    }
    return error ? error : read_by_kernel(local, remote, some, size_B);
}

int drm_copy_to_user(uint64_t user_address, const void *data, size_t size_B)
{
    if (size_B == 0)
        return 0;
    if (is_good(user_address, size_B)) {
        memcpy((void *)(uintptr_t)user_address, data, size_B);
        return 0;
    }
    struct iovec local = {(void *)data, size_B};
    struct iovec remote = {(void *)(uintptr_t)user_address, size_B};
    ssize_t copied = process_vm_writev(own_pid, &local, 1, &remote, 1, 0);
    if (copied < 0 && copy_is_forbidden(errno)) {
        memcpy(remote.iov_base, data, size_B);
        return 0;
    }
    return copied == (ssize_t)size_B ? 0 : -EFAULT;
}

int drm_copy_array_from_user(void **data_out, uint64_t user_address, uint32_t count, size_t element_B)
{
    *data_out = NULL;
    if (count == 0)
        return 0;
    size_t size_B;
    if (__builtin_mul_overflow((size_t)count, element_B, &size_B) || size_B > INT_MAX) /* kvmalloc's bound */
        return -ENOMEM;
    void *data = malloc(size_B);
    if (!data)
        return -ENOMEM;
    int error = drm_copy_from_user(data, user_address, size_B);
    if (error) {
        free(data);
        return error;
    }
    *data_out = data;
    return 0;
}

int drm_check_user_range(uint64_t user_address, uint64_t size_B)
{
    uint64_t page_B = (uint64_t)sysconf(_SC_PAGESIZE);
    if (user_address % page_B || user_address + size_B < user_address)
        return -EFAULT;
    unsigned char resident[4096];
    while (size_B) {
        uint64_t piece_B = size_B < sizeof(resident) * page_B ? size_B : sizeof(resident) * page_B;
        if (mincore((void *)(uintptr_t)user_address, piece_B, resident) && errno != EAGAIN)
            return -EFAULT;
        user_address += piece_B;
        size_B -= piece_B;
    }
    return 0;
}
