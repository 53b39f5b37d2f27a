/* Between vfs.c, which walks paths, and vfs_tree.c, which has the entries of the device. */
#ifndef SHIM_VFS_TREE_H
#define SHIM_VFS_TREE_H

#include "shim/vfs.h"

/* Make the entries of a device, in place of those of another; 0 or -ENOMEM. */
int vfs_tree_build(const struct kernel_device_info *info);

/* The entries in their order; NULL past the end. */
const struct vfs_entry *vfs_tree_entry(unsigned index);
unsigned vfs_tree_index(const struct vfs_entry *entry);

#endif
