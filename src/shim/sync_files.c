/* Questions about sync files. A model's sync file is an eventfd, in whatever process; the system knows such questions for
 * its own sync files alone, so what asks them of an eventfd means one of ours. Merging is not offered: drivers of GPUs
 * merge by syncobjs. */
#include <linux/sync_file.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim/shim.h"

bool shim_is_sync_file(int fd)
{
    static const char eventfd_name[] = "anon_inode:[eventfd]";
    char link[32], target[sizeof(eventfd_name) + 1];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    shim_inside++;
    ssize_t length = readlink(link, target, sizeof(target));
    shim_inside--;
    return length == (ssize_t)strlen(eventfd_name) && memcmp(target, eventfd_name, (size_t)length) == 0;
}

int shim_sync_file_info(int fd, struct sync_file_info *info)
{
    if (!info)
        return -EFAULT;
    if (info->flags || info->pad)
        return -EINVAL;
    struct pollfd file = {.fd = fd, .events = POLLIN};
    shim_inside++;
    int ready = poll(&file, 1, 0);
    shim_inside--;
    if (ready < 0)
        return -errno;
    info->status = ready;
    snprintf(info->name, sizeof(info->name), "tuff");
    if (info->num_fences) { /* room for them; without it, only their number is asked for */
        struct sync_fence_info *fence = (struct sync_fence_info *)(uintptr_t)info->sync_fence_info;
        if (!fence)
            return -EFAULT;
        *fence = (struct sync_fence_info){.obj_name = "tuff", .driver_name = "tuff", .status = ready};
    }
    info->num_fences = 1;
    return 0;
}
