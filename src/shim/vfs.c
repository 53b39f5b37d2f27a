/* The walk along a path through our links, and what stat says of an entry. */
#include "shim/vfs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "shim/vfs_tree.h"

int vfs_init(const struct kernel_device_info *info)
{
    return vfs_tree_build(info);
}

bool vfs_may_be_ours(const char *path)
{
    return path && (strncmp(path, "/dev/dri", 8) == 0 || strncmp(path, "/sys/", 5) == 0 ||
                    strncmp(path, "//", 2) == 0 || strncmp(path, "/dev//", 6) == 0 || strncmp(path, "/dev/.", 6) == 0);
}

static const struct vfs_entry *find_entry(const char *path)
{
    const struct vfs_entry *entry;
    for (unsigned i = 0; (entry = vfs_tree_entry(i)); i++) {
        if (strcmp(entry->path, path) == 0)
            return entry;
    }
    return NULL;
}

/* One path, in the course of a walk: `done` has no links, dots or doubled slashes; `rest` is still to be walked. */
struct walk {
    char done[PATH_MAX];
    size_t length;
    char rest[PATH_MAX];
};

static void go_up(struct walk *walk)
{
    while (walk->length && walk->done[walk->length - 1] != '/')
        walk->length--;
    if (walk->length)
        walk->length--;
    walk->done[walk->length] = '\0';
}

/* Take the next name off `rest`. False at the end. */
static bool next_name(struct walk *walk, char *name)
{
    size_t skip = strspn(walk->rest, "/");
    size_t length = strcspn(walk->rest + skip, "/");
    if (length == 0 || length > NAME_MAX)
        return false;
    memcpy(name, walk->rest + skip, length);
    name[length] = '\0';
    memmove(walk->rest, walk->rest + skip + length, strlen(walk->rest + skip + length) + 1);
    return true;
}

static bool append_name(struct walk *walk, const char *name)
{
    size_t length = strlen(name);
    if (walk->length + length + 2 > sizeof(walk->done))
        return false;
    walk->done[walk->length++] = '/';
    memcpy(walk->done + walk->length, name, length + 1);
    walk->length += length;
    return true;
}

/* Go on with a link's target in front of the rest. */
static bool follow_link(struct walk *walk, const char *target)
{
    char rest[PATH_MAX];
    int length = snprintf(rest, sizeof(rest), "%s/%s", target, walk->rest);
    if (length < 0 || (size_t)length >= sizeof(rest))
        return false;
    memcpy(walk->rest, rest, (size_t)length + 1);
    if (target[0] == '/') {
        walk->length = 0;
        walk->done[0] = '\0';
    } else {
        go_up(walk);
    }
    return true;
}

enum vfs_result vfs_walk(const char *path, bool follow, const struct vfs_entry **entry_out, char *resolved_out)
{
    struct walk walk = {.length = 0};
    char name[NAME_MAX + 1];
    const struct vfs_entry *entry = NULL;
    *entry_out = NULL;
    if (strlen(path) >= PATH_MAX || path[0] != '/')
        return VFS_OUTSIDE;
    strcpy(walk.rest, path);
    for (unsigned links = 0; next_name(&walk, name);) {
        if (strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            go_up(&walk);
            entry = find_entry(walk.done);
            continue;
        }
        bool in_folder = entry && entry->kind == VFS_FOLDER;
        if (!append_name(&walk, name))
            return VFS_OUTSIDE;
        entry = find_entry(walk.done);
        if (!entry && in_folder)
            return VFS_MISSING;
        bool last = walk.rest[strspn(walk.rest, "/")] == '\0';
        if (entry && entry->kind == VFS_LINK && (follow || !last)) {
            if (++links > 40 || !follow_link(&walk, entry->data))
                return VFS_LOOP;
            entry = find_entry(walk.done);
        }
    }
    memcpy(resolved_out, walk.length ? walk.done : "/", walk.length ? walk.length + 1 : 2);
    *entry_out = entry;
    return entry ? VFS_FOUND : VFS_OUTSIDE;
}

const char *vfs_list(const struct vfs_entry *folder, unsigned index, const struct vfs_entry **entry_out)
{
    size_t length = strlen(folder->path);
    const struct vfs_entry *entry;
    for (unsigned i = 0; (entry = vfs_tree_entry(i)); i++) {
        const char *path = entry->path;
        if (strncmp(path, folder->path, length) != 0 || path[length] != '/' || strchr(path + length + 1, '/'))
            continue;
        if (index-- == 0) {
            *entry_out = entry;
            return path + length + 1;
        }
    }
    return NULL;
}

ino_t vfs_inode(const struct vfs_entry *entry)
{
    return (ino_t)(0x74756666000ull + vfs_tree_index(entry));
}

mode_t vfs_mode(const struct vfs_entry *entry)
{
    switch (entry->kind) {
    case VFS_FOLDER:
        return S_IFDIR | 0755;
    case VFS_FILE:
        return S_IFREG | 0444;
    case VFS_LINK:
        return S_IFLNK | 0777;
    default:
        return S_IFCHR | 0666;
    }
}

dev_t vfs_rdev(enum kernel_node node)
{
    return makedev(VFS_DRM_MAJOR, node == KERNEL_NODE_RENDER ? VFS_RENDER_MINOR : VFS_CARD_MINOR);
}
