/* Interposers of the functions that read folders. A folder of ours is a list in memory; its DIR is meaningful to this
 * file only. */
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shim/shim.h"
#include "shim/vfs.h"
#include "util/list.h"

struct folder {
    struct list node;
    const struct vfs_entry *entry;
    long position; /* 0 and 1 are "." and ".." */
    struct dirent current;
};

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "64-bit hosts have one struct dirent");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list folders = {&folders, &folders};

/* Is the program's DIR one of ours? Ours are few; other DIRs are not dereferenced. */
static struct folder *find_folder(DIR *dir)
{
    struct folder *found = NULL;
    pthread_mutex_lock(&lock);
    list_foreach(&folders, struct folder, folder, node)
    {
        if ((DIR *)folder == dir)
            found = folder;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

SHIM_EXPORT DIR *opendir(const char *path)
{
    const struct vfs_entry *entry;
    char resolved[PATH_MAX];
    DIR *(*next)(const char *) = NEXT(DIR * (*)(const char *), opendir);
    if (shim_inside || !vfs_may_be_ours(path) || !shim_ready())
        return next(path);
    enum vfs_result result = vfs_walk(path, true, &entry, resolved);
    if (result == VFS_OUTSIDE)
        return next(path);
    if (result != VFS_FOUND || entry->kind != VFS_FOLDER) {
        errno = result != VFS_FOUND ? ENOENT : ENOTDIR;
        return NULL;
    }
    struct folder *folder = calloc(1, sizeof(*folder));
    if (!folder)
        return NULL;
    folder->entry = entry;
    pthread_mutex_lock(&lock);
    list_push_back(&folders, &folder->node);
    pthread_mutex_unlock(&lock);
    return (DIR *)folder;
}

static struct dirent *read_entry(struct folder *folder)
{
    const struct vfs_entry *entry = folder->entry;
    const char *name = folder->position == 0 ? "." : folder->position == 1 ? ".." : NULL;
    if (!name)
        name = vfs_list(folder->entry, (unsigned)(folder->position - 2), &entry);
    if (!name)
        return NULL;
    static const unsigned char types[] = {
        [VFS_FOLDER] = DT_DIR, [VFS_FILE] = DT_REG, [VFS_LINK] = DT_LNK, [VFS_NODE] = DT_CHR};
    folder->position++;
    folder->current = (struct dirent){.d_ino = vfs_inode(entry),
                                      .d_off = folder->position,
                                      .d_reclen = sizeof(folder->current),
                                      .d_type = types[entry->kind]};
    strncpy(folder->current.d_name, name, sizeof(folder->current.d_name) - 1);
    return &folder->current;
}

SHIM_EXPORT struct dirent *readdir(DIR *dir)
{
    struct folder *folder = find_folder(dir);
    return folder ? read_entry(folder) : NEXT(struct dirent * (*)(DIR *), readdir)(dir);
}

SHIM_EXPORT struct dirent64 *readdir64(DIR *dir)
{
    struct folder *folder = find_folder(dir);
    return folder ? (struct dirent64 *)read_entry(folder) : NEXT(struct dirent64 * (*)(DIR *), readdir64)(dir);
}

SHIM_EXPORT int closedir(DIR *dir)
{
    struct folder *folder = find_folder(dir);
    if (!folder)
        return NEXT(int (*)(DIR *), closedir)(dir);
    pthread_mutex_lock(&lock);
    list_remove(&folder->node);
    pthread_mutex_unlock(&lock);
    free(folder);
    return 0;
}

SHIM_EXPORT void rewinddir(DIR *dir)
{
    struct folder *folder = find_folder(dir);
    if (folder)
        folder->position = 0;
    else
        NEXT(void (*)(DIR *), rewinddir)(dir);
}

SHIM_EXPORT long telldir(DIR *dir)
{
    struct folder *folder = find_folder(dir);
    return folder ? folder->position : NEXT(long (*)(DIR *), telldir)(dir);
}

SHIM_EXPORT void seekdir(DIR *dir, long position)
{
    struct folder *folder = find_folder(dir);
    if (folder)
        folder->position = position;
    else
        NEXT(void (*)(DIR *, long), seekdir)(dir, position);
}

SHIM_EXPORT int dirfd(DIR *dir)
{
    if (!find_folder(dir))
        return NEXT(int (*)(DIR *), dirfd)(dir);
    errno = ENOTSUP;
    return -1;
}

/* The C library's scandir does not call the opendir above, so a folder of ours is scanned here. */
static int scan_folder(const char *path, struct dirent ***list_out, int (*filter)(const struct dirent *),
                       int (*compare)(const struct dirent **, const struct dirent **))
{
    DIR *dir = opendir(path);
    if (!dir)
        return -1;
    struct dirent **list = NULL;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (filter && !filter(entry))
            continue;
        struct dirent **grown = realloc(list, (size_t)(count + 1) * sizeof(*list));
        struct dirent *copy = grown ? malloc(sizeof(*copy)) : NULL;
        list = grown ? grown : list;
        if (!copy) {
            while (count)
                free(list[--count]);
            free(list);
            closedir(dir);
            errno = ENOMEM;
            return -1;
        }
        *copy = *entry;
        list[count++] = copy;
    }
    closedir(dir);
    if (compare && count)
        qsort(list, (size_t)count, sizeof(*list), (int (*)(const void *, const void *))(uintptr_t)compare);
    *list_out = list;
    return count;
}

static bool is_ours(const char *path)
{
    const struct vfs_entry *entry;
    char resolved[PATH_MAX];
    return !shim_inside && vfs_may_be_ours(path) && shim_ready() &&
           vfs_walk(path, true, &entry, resolved) != VFS_OUTSIDE;
}

SHIM_EXPORT int scandir(const char *restrict path, struct dirent ***restrict list_out,
                        int (*filter)(const struct dirent *),
                        int (*compare)(const struct dirent **, const struct dirent **))
{
    typedef int (*scandir_type)(const char *, struct dirent ***, int (*)(const struct dirent *),
                                int (*)(const struct dirent **, const struct dirent **));
    if (is_ours(path))
        return scan_folder(path, list_out, filter, compare);
    return NEXT(scandir_type, scandir)(path, list_out, filter, compare);
}

SHIM_EXPORT int scandir64(const char *restrict path, struct dirent64 ***restrict list_out,
                          int (*filter)(const struct dirent64 *),
                          int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    typedef int (*scandir64_type)(const char *, struct dirent64 ***, int (*)(const struct dirent64 *),
                                  int (*)(const struct dirent64 **, const struct dirent64 **));
    if (is_ours(path))
        return scan_folder(path, (struct dirent ***)(void *)list_out, (int (*)(const struct dirent *))(uintptr_t)filter,
                           (int (*)(const struct dirent **, const struct dirent **))(uintptr_t)compare);
    return NEXT(scandir64_type, scandir64)(path, list_out, filter, compare);
}
