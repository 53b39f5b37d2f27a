/* Interposers of the functions that take a path: open, stat, access, readlink, realpath, fopen, in all their variants.
 * A path that is not ours goes to the C library untouched. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shim/shim.h"
#include "shim/vfs.h"
#include "util/bits.h"
#include "util/file_limit.h"

/* How we treat a path. `use` is the path to pass on when it is not ours. */
struct place {
    enum vfs_result result;
    const struct vfs_entry *entry;
    const char *use;
    char resolved[PATH_MAX];
};

static enum vfs_result look_up_path(const char *path, bool follow, struct place *place)
{
    place->result = VFS_OUTSIDE;
    place->use = path;
    if (shim_inside || !vfs_may_be_ours(path) || !shim_ready())
        return VFS_OUTSIDE;
    place->result = vfs_walk(path, follow, &place->entry, place->resolved);
    /* A link of ours may lead to a real file (the bus's folder): then the real one is meant. */
    if (place->result == VFS_OUTSIDE && strncmp(path, "/sys/", 5) == 0)
        place->use = place->resolved;
    return place->result;
}

static int place_error(const struct place *place)
{
    return place->result == VFS_LOOP ? -ELOOP : -ENOENT;
}

/* ---- open ---- */

/* The bytes of a file of ours, as an fd to read from. */
static int open_bytes(const struct vfs_entry *entry, int flags)
{
    if ((flags & O_ACCMODE) != O_RDONLY)
        return -EACCES;
    shim_inside++;
    int fd = memfd_create("tuff-sysfs", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    int error = fd < 0 ? -errno : 0;
    struct file_limit limit = file_limit_enter();
    if (!error && pwrite(fd, entry->data, entry->size_B, 0) != (ssize_t)entry->size_B)
        error = -EIO;
    file_limit_leave(limit);
    if (error && fd >= 0)
        close(fd);
    shim_inside--;
    return error ? error : fd;
}

static int open_place(const struct place *place, int flags)
{
    if (place->result != VFS_FOUND)
        return place_error(place);
    switch (place->entry->kind) {
    case VFS_NODE:
        return flags & O_DIRECTORY ? -ENOTDIR : shim_open_node(place->entry->node, flags);
    case VFS_FILE:
        return flags & O_DIRECTORY ? -ENOTDIR : open_bytes(place->entry, flags);
    case VFS_LINK:
        return -ELOOP; /* O_NOFOLLOW */
    default:
        return -EACCES; /* a folder is read by opendir only */
    }
}

#define OPEN_MODE(flags)                                                                                               \
    mode_t mode = 0;                                                                                                   \
    if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) {                                                         \
        va_list args;                                                                                                  \
        va_start(args, flags);                                                                                         \
        mode = va_arg(args, mode_t);                                                                                   \
        va_end(args);                                                                                                  \
    }

#define INTERPOSE_OPEN(name)                                                                                           \
    SHIM_EXPORT int name(const char *path, int flags, ...)                                                             \
    {                                                                                                                  \
        OPEN_MODE(flags)                                                                                               \
        struct place place;                                                                                            \
        if (look_up_path(path, !(flags & O_NOFOLLOW), &place) != VFS_OUTSIDE)                                          \
            return shim_return(open_place(&place, flags));                                                             \
        return NEXT(int (*)(const char *, int, ...), name)(place.use, flags, mode);                                    \
    }
#define INTERPOSE_OPEN_2(name)                                                                                         \
    SHIM_EXPORT int name(const char *path, int flags)                                                                  \
    {                                                                                                                  \
        struct place place;                                                                                            \
        if (look_up_path(path, !(flags & O_NOFOLLOW), &place) != VFS_OUTSIDE)                                          \
            return shim_return(open_place(&place, flags));                                                             \
        return NEXT(int (*)(const char *, int), name)(place.use, flags);                                               \
    }
#define INTERPOSE_OPENAT(name)                                                                                         \
    SHIM_EXPORT int name(int folder, const char *path, int flags, ...)                                                 \
    {                                                                                                                  \
        OPEN_MODE(flags)                                                                                               \
        struct place place;                                                                                            \
        if (look_up_path(path, !(flags & O_NOFOLLOW), &place) != VFS_OUTSIDE)                                          \
            return shim_return(open_place(&place, flags));                                                             \
        return NEXT(int (*)(int, const char *, int, ...), name)(folder, place.use, flags, mode);                       \
    }
#define INTERPOSE_OPENAT_2(name)                                                                                       \
    SHIM_EXPORT int name(int folder, const char *path, int flags)                                                      \
    {                                                                                                                  \
        struct place place;                                                                                            \
        if (look_up_path(path, !(flags & O_NOFOLLOW), &place) != VFS_OUTSIDE)                                          \
            return shim_return(open_place(&place, flags));                                                             \
        return NEXT(int (*)(int, const char *, int), name)(folder, place.use, flags);                                  \
    }
INTERPOSE_OPEN(open)
INTERPOSE_OPEN(open64)
INTERPOSE_OPEN_2(__open_2)
INTERPOSE_OPEN_2(__open64_2)
INTERPOSE_OPENAT(openat)
INTERPOSE_OPENAT(openat64)
INTERPOSE_OPENAT_2(__openat_2)
INTERPOSE_OPENAT_2(__openat64_2)

static FILE *open_stream(const struct place *place, const char *mode)
{
    int flags = (strpbrk(mode, "wa+") ? O_RDWR : O_RDONLY) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
    int fd = shim_return(open_place(place, flags));
    return fd < 0 ? NULL : fdopen(fd, mode);
}

#define INTERPOSE_FOPEN(name)                                                                                          \
    SHIM_EXPORT FILE *name(const char *path, const char *mode)                                                         \
    {                                                                                                                  \
        struct place place;                                                                                            \
        if (look_up_path(path, true, &place) != VFS_OUTSIDE)                                                           \
            return open_stream(&place, mode);                                                                          \
        return NEXT(FILE * (*)(const char *, const char *), name)(place.use, mode);                                    \
    }
INTERPOSE_FOPEN(fopen)
INTERPOSE_FOPEN(fopen64)

/* ---- stat ---- */

static void fill_stat(const struct vfs_entry *entry, struct stat *status)
{
    memset(status, 0, sizeof(*status));
    status->st_mode = vfs_mode(entry);
    status->st_ino = vfs_inode(entry);
    status->st_dev = makedev(0, 0x74);
    status->st_nlink = 1;
    status->st_size = (off_t)entry->size_B;
    status->st_blksize = 4096;
    if (entry->kind == VFS_NODE)
        status->st_rdev = vfs_rdev(entry->node);
}

static int stat_place(const struct place *place, struct stat *status)
{
    if (place->result != VFS_FOUND)
        return place_error(place);
    fill_stat(place->entry, status);
    return 0;
}

/* An fd of the model looks like the device node that was opened. */
static void fix_fd_stat(int fd, struct stat *status)
{
    if (shim_inside || !S_ISREG(status->st_mode) || status->st_nlink != 0) /* a memfd has no link */
        return;
    struct shim_file *file = shim_get_any_file(fd);
    if (!file)
        return;
    status->st_mode = S_IFCHR | 0666;
    status->st_rdev = vfs_rdev(file->node);
    status->st_size = 0;
    shim_put_file(file);
}

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit hosts have one struct stat");

#define INTERPOSE_STAT(name, type, follow)                                                                             \
    SHIM_EXPORT int name(const char *restrict path, type *restrict status)                                             \
    {                                                                                                                  \
        struct place place;                                                                                            \
        if (look_up_path(path, follow, &place) != VFS_OUTSIDE)                                                         \
            return shim_return(stat_place(&place, (struct stat *)status));                                             \
        return NEXT(int (*)(const char *, type *), name)(place.use, status);                                           \
    }
#define INTERPOSE_FSTAT(name, type)                                                                                    \
    SHIM_EXPORT int name(int fd, type *status)                                                                         \
    {                                                                                                                  \
        int result = NEXT(int (*)(int, type *), name)(fd, status);                                                     \
        if (result == 0)                                                                                               \
            fix_fd_stat(fd, (struct stat *)status);                                                                    \
        return result;                                                                                                 \
    }
#define INTERPOSE_FSTATAT(name, type)                                                                                  \
    SHIM_EXPORT int name(int folder, const char *restrict path, type *restrict status, int flags)                      \
    {                                                                                                                  \
        struct place place;                                                                                            \
        if (look_up_path(path, !(flags & AT_SYMLINK_NOFOLLOW), &place) != VFS_OUTSIDE)                                 \
            return shim_return(stat_place(&place, (struct stat *)status));                                             \
        int result = NEXT(int (*)(int, const char *, type *, int), name)(folder, place.use, status, flags);            \
        if (result == 0 && flags & AT_EMPTY_PATH && path && !*path)                                                    \
            fix_fd_stat(folder, (struct stat *)status);                                                                \
        return result;                                                                                                 \
    }
INTERPOSE_STAT(stat, struct stat, true)
INTERPOSE_STAT(stat64, struct stat64, true)
INTERPOSE_STAT(lstat, struct stat, false)
INTERPOSE_STAT(lstat64, struct stat64, false)
INTERPOSE_FSTAT(fstat, struct stat)
INTERPOSE_FSTAT(fstat64, struct stat64)
INTERPOSE_FSTATAT(fstatat, struct stat)
INTERPOSE_FSTATAT(fstatat64, struct stat64)

/* Programs that were linked with a glibc before 2.33 call these; the version number is that of the caller's struct. */
SHIM_EXPORT int __xstat(int version, const char *path, struct stat *status)
{
    return stat(path, status);
}
SHIM_EXPORT int __xstat64(int version, const char *path, struct stat64 *status)
{
    return stat64(path, status);
}
SHIM_EXPORT int __lxstat(int version, const char *path, struct stat *status)
{
    return lstat(path, status);
}
SHIM_EXPORT int __lxstat64(int version, const char *path, struct stat64 *status)
{
    return lstat64(path, status);
}
SHIM_EXPORT int __fxstat(int version, int fd, struct stat *status)
{
    return fstat(fd, status);
}
SHIM_EXPORT int __fxstat64(int version, int fd, struct stat64 *status)
{
    return fstat64(fd, status);
}
SHIM_EXPORT int __fxstatat(int version, int folder, const char *path, struct stat *status, int flags)
{
    return fstatat(folder, path, status, flags);
}
SHIM_EXPORT int __fxstatat64(int version, int folder, const char *path, struct stat64 *status, int flags)
{
    return fstatat64(folder, path, status, flags);
}

static void fill_statx(const struct stat *status, struct statx *out)
{
    memset(out, 0, sizeof(*out));
    out->stx_mask = STATX_BASIC_STATS;
    out->stx_mode = (uint16_t)status->st_mode;
    out->stx_ino = status->st_ino;
    out->stx_nlink = 1;
    out->stx_size = (uint64_t)status->st_size;
    out->stx_blksize = 4096;
    out->stx_rdev_major = major(status->st_rdev);
    out->stx_rdev_minor = minor(status->st_rdev);
}

SHIM_EXPORT int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict out)
{
    struct place place;
    struct stat status;
    if (look_up_path(path, !(flags & AT_SYMLINK_NOFOLLOW), &place) != VFS_OUTSIDE) {
        int error = stat_place(&place, &status);
        if (!error)
            fill_statx(&status, out);
        return shim_return(error);
    }
    int result =
        NEXT(int (*)(int, const char *, int, unsigned, struct statx *), statx)(folder, place.use, flags, mask, out);
    struct shim_file *file =
        result == 0 && !shim_inside && flags & AT_EMPTY_PATH && path && !*path ? shim_get_file(folder) : NULL;
    if (file) {
        out->stx_mode = S_IFCHR | 0666;
        out->stx_rdev_major = major(vfs_rdev(file->node));
        out->stx_rdev_minor = minor(vfs_rdev(file->node));
        shim_put_file(file);
    }
    return result;
}

/* ---- access, links ---- */

static int check_access(const struct place *place, int mode)
{
    if (place->result != VFS_FOUND)
        return place_error(place);
    bool writable = place->entry->kind == VFS_NODE;
    bool executable = place->entry->kind == VFS_FOLDER;
    return (mode & W_OK && !writable) || (mode & X_OK && !executable) ? -EACCES : 0;
}

#define INTERPOSE_ACCESS(name)                                                                                         \
    SHIM_EXPORT int name(const char *path, int mode)                                                                   \
    {                                                                                                                  \
        struct place place;                                                                                            \
        if (look_up_path(path, true, &place) != VFS_OUTSIDE)                                                           \
            return shim_return(check_access(&place, mode));                                                            \
        return NEXT(int (*)(const char *, int), name)(place.use, mode);                                                \
    }
INTERPOSE_ACCESS(access)
INTERPOSE_ACCESS(euidaccess)
INTERPOSE_ACCESS(eaccess)

SHIM_EXPORT int faccessat(int folder, const char *path, int mode, int flags)
{
    struct place place;
    if (look_up_path(path, !(flags & AT_SYMLINK_NOFOLLOW), &place) != VFS_OUTSIDE)
        return shim_return(check_access(&place, mode));
    return NEXT(int (*)(int, const char *, int, int), faccessat)(folder, place.use, mode, flags);
}

static ssize_t read_link(const struct place *place, char *buffer, size_t size_B)
{
    int error = place->result != VFS_FOUND ? place_error(place) : place->entry->kind != VFS_LINK ? -EINVAL : 0;
    if (error)
        return shim_return(error);
    size_t length = MIN2(place->entry->size_B, size_B);
    memcpy(buffer, place->entry->data, length);
    return (ssize_t)length;
}

SHIM_EXPORT ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size_B)
{
    struct place place;
    if (look_up_path(path, false, &place) != VFS_OUTSIDE)
        return read_link(&place, buffer, size_B);
    return NEXT(ssize_t(*)(const char *, char *, size_t), readlink)(place.use, buffer, size_B);
}

SHIM_EXPORT ssize_t __readlink_chk(const char *path, char *buffer, size_t size_B, size_t buffer_B)
{
    if (size_B > buffer_B)
        abort(); /* what the C library's check does */
    return readlink(path, buffer, size_B);
}

SHIM_EXPORT ssize_t readlinkat(int folder, const char *restrict path, char *restrict buffer, size_t size_B)
{
    struct place place;
    if (look_up_path(path, false, &place) != VFS_OUTSIDE)
        return read_link(&place, buffer, size_B);
    return NEXT(ssize_t(*)(int, const char *, char *, size_t), readlinkat)(folder, place.use, buffer, size_B);
}

static char *real_path(const struct place *place, char *resolved)
{
    if (place->result != VFS_FOUND) {
        errno = -place_error(place);
        return NULL;
    }
    if (!resolved)
        return strdup(place->resolved);
    return strcpy(resolved, place->resolved);
}

SHIM_EXPORT char *realpath(const char *restrict path, char *restrict resolved)
{
    struct place place;
    if (look_up_path(path, true, &place) != VFS_OUTSIDE)
        return real_path(&place, resolved);
    return NEXT(char *(*)(const char *, char *), realpath)(place.use, resolved);
}

SHIM_EXPORT char *__realpath_chk(const char *path, char *resolved, size_t resolved_B)
{
    if (resolved_B < PATH_MAX)
        abort();
    return realpath(path, resolved);
}

SHIM_EXPORT char *canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}
