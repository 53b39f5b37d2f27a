/* Owners' locks. They belong to an open file description, not to a process, so that a library that closes another fd of
 * the file takes nothing away. */
#include "model/drm/drm_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define LOCK_OFFSET_B (1ll << 40) /* far after any data */

int drm_owner_open(int file_fd)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file_fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static struct flock lock_of(uint32_t owner)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_OFFSET_B + owner, .l_len = 1};
}

bool drm_owner_enter(int own_fd, uint32_t owner)
{
    struct flock lock = lock_of(owner);
    return fcntl(own_fd, F_OFD_SETLK, &lock) == 0;
}

bool drm_owner_is_alive(int own_fd, uint32_t owner)
{
    struct flock lock = lock_of(owner);
    return fcntl(own_fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}
