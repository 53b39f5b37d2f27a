/* The table of added paths, and the walk along a path through our links. */
#include "shim/vfs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "util/bits.h"

#define SLOT "0000:03:00.0"
#define BUS_FOLDER "/sys/devices/pci0000:00"
#define DEVICE BUS_FOLDER "/" SLOT

/* Texts that depend on the device; filled in by vfs_init. */
static char vendor[16], device[16], subvendor[16], subdevice[16], revision[16], uevent[256];
static char config[64];

#define FOLDER(path)                                                                                                   \
    {                                                                                                                  \
        path, VFS_FOLDER, NULL, 0, 0                                                                                   \
    }
#define TEXT(path, text)                                                                                               \
    {                                                                                                                  \
        path, VFS_FILE, text, sizeof(text) - 1, 0                                                                      \
    }
#define FILLED(path, array)                                                                                            \
    {                                                                                                                  \
        path, VFS_FILE, array, 0, 0                                                                                    \
    }
#define LINK(path, target)                                                                                             \
    {                                                                                                                  \
        path, VFS_LINK, target, sizeof(target) - 1, 0                                                                  \
    }
#define NODE(path, node)                                                                                               \
    {                                                                                                                  \
        path, VFS_NODE, NULL, 0, node                                                                                  \
    }

/* A listing of a folder that has real entries, too (/sys/dev/char, /sys/bus/pci/devices), does not show ours; a path to
 * them works. */
static struct vfs_entry entries[] = {
    FOLDER("/dev/dri"),
    NODE("/dev/dri/card0", KERNEL_NODE_PRIMARY),
    NODE("/dev/dri/renderD128", KERNEL_NODE_RENDER),
    FOLDER("/sys/class/drm"),
    LINK("/sys/class/drm/card0", "../../devices/pci0000:00/" SLOT "/drm/card0"),
    LINK("/sys/class/drm/renderD128", "../../devices/pci0000:00/" SLOT "/drm/renderD128"),
    TEXT("/sys/class/drm/version", "drm 1.1.0 20060810\n"),
    LINK("/sys/dev/char/226:0", "../../devices/pci0000:00/" SLOT "/drm/card0"),
    LINK("/sys/dev/char/226:128", "../../devices/pci0000:00/" SLOT "/drm/renderD128"),
    LINK("/sys/bus/pci/devices/" SLOT, "../../../devices/pci0000:00/" SLOT),
    FOLDER(DEVICE),
    FILLED(DEVICE "/vendor", vendor),
    FILLED(DEVICE "/device", device),
    FILLED(DEVICE "/subsystem_vendor", subvendor),
    FILLED(DEVICE "/subsystem_device", subdevice),
    FILLED(DEVICE "/revision", revision),
    FILLED(DEVICE "/uevent", uevent),
    {DEVICE "/config", VFS_FILE, config, sizeof(config), 0},
    TEXT(DEVICE "/class", "0x030000\n"),
    TEXT(DEVICE "/boot_vga", "0\n"),
    TEXT(DEVICE "/numa_node", "-1\n"),
    TEXT(DEVICE "/enable", "1\n"),
    LINK(DEVICE "/subsystem", "../../../bus/pci"),
    LINK(DEVICE "/driver", "../../../bus/pci/drivers/amdgpu"),
    FOLDER(DEVICE "/drm"),
    FOLDER(DEVICE "/drm/card0"),
    TEXT(DEVICE "/drm/card0/dev", "226:0\n"),
    TEXT(DEVICE "/drm/card0/uevent", "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n"),
    LINK(DEVICE "/drm/card0/device", "../../../" SLOT),
    LINK(DEVICE "/drm/card0/subsystem", "../../../../../class/drm"),
    FOLDER(DEVICE "/drm/renderD128"),
    TEXT(DEVICE "/drm/renderD128/dev", "226:128\n"),
    TEXT(DEVICE "/drm/renderD128/uevent", "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"),
    LINK(DEVICE "/drm/renderD128/device", "../../../" SLOT),
    LINK(DEVICE "/drm/renderD128/subsystem", "../../../../../class/drm"),
};

static void put16(char *bytes, uint16_t value)
{
    bytes[0] = (char)(value & 0xff);
    bytes[1] = (char)(value >> 8);
}

void vfs_init(const struct kernel_device_info *info)
{
    const struct kernel_pci *pci = &info->pci;
    snprintf(vendor, sizeof(vendor), "0x%04x\n", pci->vendor_id);
    snprintf(device, sizeof(device), "0x%04x\n", pci->device_id);
    snprintf(subvendor, sizeof(subvendor), "0x%04x\n", pci->subvendor_id);
    snprintf(subdevice, sizeof(subdevice), "0x%04x\n", pci->subdevice_id);
    snprintf(revision, sizeof(revision), "0x%02x\n", pci->revision);
    snprintf(uevent, sizeof(uevent),
             "DRIVER=%s\nPCI_CLASS=30000\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=" SLOT "\n",
             info->driver, pci->vendor_id, pci->device_id, pci->subvendor_id, pci->subdevice_id);
    put16(config + 0x00, pci->vendor_id);
    put16(config + 0x02, pci->device_id);
    config[0x08] = (char)pci->revision;
    config[0x0b] = 0x03; /* a display controller */
    put16(config + 0x2c, pci->subvendor_id);
    put16(config + 0x2e, pci->subdevice_id);
    for (unsigned i = 0; i < ARRAY_SIZE(entries); i++) {
        if (entries[i].kind == VFS_FILE && entries[i].size_B == 0)
            entries[i].size_B = strlen(entries[i].data);
    }
}

bool vfs_may_be_ours(const char *path)
{
    return path && (strncmp(path, "/dev/dri", 8) == 0 || strncmp(path, "/sys/", 5) == 0 ||
                    strncmp(path, "//", 2) == 0 || strncmp(path, "/dev//", 6) == 0 || strncmp(path, "/dev/.", 6) == 0);
}

static const struct vfs_entry *find(const char *path)
{
    for (unsigned i = 0; i < ARRAY_SIZE(entries); i++) {
        if (strcmp(entries[i].path, path) == 0)
            return &entries[i];
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
            entry = find(walk.done);
            continue;
        }
        bool in_folder = entry && entry->kind == VFS_FOLDER;
        if (!append_name(&walk, name))
            return VFS_OUTSIDE;
        entry = find(walk.done);
        if (!entry && in_folder)
            return VFS_MISSING;
        bool last = walk.rest[strspn(walk.rest, "/")] == '\0';
        if (entry && entry->kind == VFS_LINK && (follow || !last)) {
            if (++links > 40 || !follow_link(&walk, entry->data))
                return VFS_LOOP;
            entry = find(walk.done);
        }
    }
    memcpy(resolved_out, walk.length ? walk.done : "/", walk.length ? walk.length + 1 : 2);
    *entry_out = entry;
    return entry ? VFS_FOUND : VFS_OUTSIDE;
}

const char *vfs_list(const struct vfs_entry *folder, unsigned index, const struct vfs_entry **entry_out)
{
    size_t length = strlen(folder->path);
    for (unsigned i = 0; i < ARRAY_SIZE(entries); i++) {
        const char *path = entries[i].path;
        if (strncmp(path, folder->path, length) != 0 || path[length] != '/' || strchr(path + length + 1, '/'))
            continue;
        if (index-- == 0) {
            *entry_out = &entries[i];
            return path + length + 1;
        }
    }
    return NULL;
}

ino_t vfs_inode(const struct vfs_entry *entry)
{
    return (ino_t)(0x74756666000ull + (uint64_t)(entry - entries));
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
