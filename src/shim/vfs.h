/* The paths that the shim adds to the file system: a render node, a card node, and the part of sysfs where libraries
 * look up the device of a node. Pure data (vfs_tree.c) and path walking; the interposers do the rest. */
#ifndef SHIM_VFS_H
#define SHIM_VFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/kernel.h"

#define VFS_DRM_MAJOR 226
#define VFS_CARD_MINOR 0
#define VFS_RENDER_MINOR 128

enum vfs_kind {
    VFS_FOLDER, /* all of its entries are ours */
    VFS_FILE,
    VFS_LINK,
    VFS_NODE, /* a device node */
};

struct vfs_entry {
    const char *path; /* absolute, without links, dots or doubled slashes */
    enum vfs_kind kind;
    const char *data; /* of a file: its bytes; of a link: its target */
    size_t size_B;
    enum kernel_node node;
};

enum vfs_result {
    VFS_OUTSIDE, /* not ours; *resolved_out is the path to use */
    VFS_FOUND,
    VFS_MISSING, /* in a folder of ours, and there is no such entry */
    VFS_LOOP,
};

/* Say what the device is, on PCI or of a device tree; the entries exist from then on. 0 or -ENOMEM. */
int vfs_init(const struct kernel_device_info *info);

/* True when a path may lead to an entry: the cheap question before vfs_walk. */
bool vfs_may_be_ours(const char *path);

/* Where an absolute path leads. `follow`: also through a link in the last place. resolved_out gets the path without our
 * links (PATH_MAX bytes). */
enum vfs_result vfs_walk(const char *path, bool follow, const struct vfs_entry **entry_out, char *resolved_out);

/* The name of the n-th entry of a folder, and the entry; NULL past the end. */
const char *vfs_list(const struct vfs_entry *folder, unsigned index, const struct vfs_entry **entry_out);

/* Numbers that stat shows: unique among our entries. */
ino_t vfs_inode(const struct vfs_entry *entry);
mode_t vfs_mode(const struct vfs_entry *entry);
dev_t vfs_rdev(enum kernel_node node);

#endif
