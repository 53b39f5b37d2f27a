/* The shim's additions to the file system for a device: the nodes, and the folders, files and links of sysfs and of
 * the device tree that libraries look at. The rows are templates; differences between devices are filled in once. */
#include "shim/vfs_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

/* The values of the letters after a $. Folders are named relative to /sys, without a leading or trailing slash. */
struct names {
    char device[1024]; /* $D  "devices/pci0000:00/0000:03:00.0" */
    char up[512];      /* $U  from there to /sys: "../../.." */
    char name[64];     /* $N  "0000:03:00.0" */
    char bus[16];      /* $B  "pci" */
    char driver[64];   /* $R  the DRM driver's name */
    char node[640];    /* $T  the device tree's node: "firmware/devicetree/base/soc@0/gpu@3d00000" */
};

/* The texts that are more than a template, filled in by the functions below. */
static char vendor[16], device[16], subvendor[16], subdevice[16], revision[16], uevent[2048], modalias[512];
static char config[64], compatible[KERNEL_COMPATIBLE_MAX * 64], of_name[64];
static size_t compatible_size_B, of_name_size_B;

struct template
{
    const char *path;
    enum vfs_kind kind;
    const char *data;     /* of a file: its bytes; of a link: its target, a template, too */
    const size_t *size_B; /* of a file that is no text */
    enum kernel_node node;
};

static const size_t config_size_B = sizeof(config);

/* A listing of a folder that has real entries, too (/sys/dev/char, /sys/bus/pci/devices), does not show ours; a path to
 * them works. */
static const struct template common[] = {
    {"/dev/dri", VFS_FOLDER},
    {"/dev/dri/card0", VFS_NODE, .node = KERNEL_NODE_PRIMARY},
    {"/dev/dri/renderD128", VFS_NODE, .node = KERNEL_NODE_RENDER},
    {"/sys/class/drm", VFS_FOLDER},
    {"/sys/class/drm/card0", VFS_LINK, "../../$D/drm/card0"},
    {"/sys/class/drm/renderD128", VFS_LINK, "../../$D/drm/renderD128"},
    {"/sys/class/drm/version", VFS_FILE, "drm 1.1.0 20060810\n"},
    {"/sys/dev/char/226:0", VFS_LINK, "../../$D/drm/card0"},
    {"/sys/dev/char/226:128", VFS_LINK, "../../$D/drm/renderD128"},
    {"/sys/bus/$B/devices/$N", VFS_LINK, "../../../$D"},
    {"/sys/$D", VFS_FOLDER},
    {"/sys/$D/uevent", VFS_FILE, uevent},
    {"/sys/$D/subsystem", VFS_LINK, "$U/bus/$B"},
    {"/sys/$D/driver", VFS_LINK, "$U/bus/$B/drivers/$R"},
    {"/sys/$D/modalias", VFS_FILE, modalias},
    {"/sys/$D/drm", VFS_FOLDER},
    {"/sys/$D/drm/card0", VFS_FOLDER},
    {"/sys/$D/drm/card0/dev", VFS_FILE, "226:0\n"},
    {"/sys/$D/drm/card0/uevent", VFS_FILE, "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n"},
    {"/sys/$D/drm/card0/device", VFS_LINK, "../../../$N"},
    {"/sys/$D/drm/card0/subsystem", VFS_LINK, "../../$U/class/drm"},
    {"/sys/$D/drm/renderD128", VFS_FOLDER},
    {"/sys/$D/drm/renderD128/dev", VFS_FILE, "226:128\n"},
    {"/sys/$D/drm/renderD128/uevent", VFS_FILE, "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
    {"/sys/$D/drm/renderD128/device", VFS_LINK, "../../../$N"},
    {"/sys/$D/drm/renderD128/subsystem", VFS_LINK, "../../$U/class/drm"},
};

static const struct template pci_rows[] = {
    {"/sys/$D/vendor", VFS_FILE, vendor},
    {"/sys/$D/device", VFS_FILE, device},
    {"/sys/$D/subsystem_vendor", VFS_FILE, subvendor},
    {"/sys/$D/subsystem_device", VFS_FILE, subdevice},
    {"/sys/$D/revision", VFS_FILE, revision},
    {"/sys/$D/config", VFS_FILE, config, &config_size_B},
    {"/sys/$D/class", VFS_FILE, "0x030000\n"},
    {"/sys/$D/boot_vga", VFS_FILE, "0\n"},
    {"/sys/$D/numa_node", VFS_FILE, "-1\n"},
    {"/sys/$D/enable", VFS_FILE, "1\n"},
};

static const struct template platform_rows[] = {
    {"/sys/$D/of_node", VFS_LINK, "$U/$T"},
    {"/sys/$T", VFS_FOLDER},
    {"/sys/$T/compatible", VFS_FILE, compatible, &compatible_size_B},
    {"/sys/$T/name", VFS_FILE, of_name, &of_name_size_B},
};

static struct vfs_entry entries[ARRAY_SIZE(common) + ARRAY_SIZE(pci_rows) + ARRAY_SIZE(platform_rows)];
static unsigned entry_count;

const struct vfs_entry *vfs_tree_entry(unsigned index)
{
    return index < entry_count ? &entries[index] : NULL;
}

unsigned vfs_tree_index(const struct vfs_entry *entry)
{
    return (unsigned)(entry - entries);
}

/* ---- the texts of a PCI device ---- */

static void put16(char *bytes, uint16_t value)
{
    bytes[0] = (char)(value & 0xff);
    bytes[1] = (char)(value >> 8);
}

static void fill_config(const struct kernel_pci *pci)
{
    put16(config + 0x00, pci->vendor_id);
    put16(config + 0x02, pci->device_id);
    config[0x08] = (char)pci->revision;
    config[0x0b] = 0x03; /* a display controller */
    put16(config + 0x2c, pci->subvendor_id);
    put16(config + 0x2e, pci->subdevice_id);
}

static void fill_pci(const struct kernel_device_info *info, struct names *names)
{
    const struct kernel_pci *pci = &info->pci;
    snprintf(names->bus, sizeof(names->bus), "pci");
    snprintf(names->name, sizeof(names->name), "%04x:%02x:%02x.%x", pci->domain, pci->bus, pci->device, pci->function);
    snprintf(names->device, sizeof(names->device), "devices/pci%04x:00/%s", pci->domain, names->name);
    snprintf(vendor, sizeof(vendor), "0x%04x\n", pci->vendor_id);
    snprintf(device, sizeof(device), "0x%04x\n", pci->device_id);
    snprintf(subvendor, sizeof(subvendor), "0x%04x\n", pci->subvendor_id);
    snprintf(subdevice, sizeof(subdevice), "0x%04x\n", pci->subdevice_id);
    snprintf(revision, sizeof(revision), "0x%02x\n", pci->revision);
    snprintf(modalias, sizeof(modalias), "pci:v%08Xd%08Xsv%08Xsd%08Xbc03sc00i00\n", pci->vendor_id, pci->device_id,
             pci->subvendor_id, pci->subdevice_id);
    snprintf(uevent, sizeof(uevent),
             "DRIVER=%s\nPCI_CLASS=30000\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=%s\nMODALIAS=%s",
             info->driver, pci->vendor_id, pci->device_id, pci->subvendor_id, pci->subdevice_id, names->name, modalias);
    fill_config(pci);
}

/* ---- those of a platform device ---- */

static void append_word(char *text, size_t size_B, size_t *length, const char *before, const char *word,
                        const char *after)
{
    int more = snprintf(text + *length, size_B - *length, "%s%s%s", before, word, after);
    *length = MIN2(*length + (size_t)MAX2(more, 0), size_B - 1);
}

/* As the kernel writes them: the node's name and compatible strings again and again. */
static void fill_of(const struct kernel_device_info *info)
{
    const struct kernel_platform *platform = &info->platform;
    const char *last = strrchr(platform->of_fullname, '/');
    last = last ? last + 1 : platform->of_fullname;
    snprintf(of_name, sizeof(of_name), "%.*s", (int)MIN2(strcspn(last, "@"), sizeof(of_name) - 1), last);
    of_name_size_B = strlen(of_name) + 1;
    size_t alias = 0, event = 0;
    unsigned count = 0;
    append_word(modalias, sizeof(modalias), &alias, "of:N", of_name, "T(null)");
    append_word(uevent, sizeof(uevent), &event, "DRIVER=", info->driver, "\n");
    append_word(uevent, sizeof(uevent), &event, "OF_NAME=", of_name, "\n");
    append_word(uevent, sizeof(uevent), &event, "OF_FULLNAME=", platform->of_fullname, "\n");
    compatible_size_B = 0;
    for (; count < KERNEL_COMPATIBLE_MAX && platform->compatible[count][0]; count++) {
        const char *word = platform->compatible[count];
        char key[32];
        snprintf(key, sizeof(key), "OF_COMPATIBLE_%u=", count);
        append_word(uevent, sizeof(uevent), &event, key, word, "\n");
        append_word(modalias, sizeof(modalias), &alias, "C", word, "");
        memcpy(compatible + compatible_size_B, word, strlen(word) + 1);
        compatible_size_B += strlen(word) + 1;
    }
    char number[16];
    snprintf(number, sizeof(number), "%u", count);
    append_word(uevent, sizeof(uevent), &event, "OF_COMPATIBLE_N=", number, "\n");
    append_word(uevent, sizeof(uevent), &event, "MODALIAS=", modalias, "\n");
    append_word(modalias, sizeof(modalias), &alias, "", "", "\n");
}

/* A node below a bus of the device tree has its folder below that bus's. */
static void fill_platform(const struct kernel_device_info *info, struct names *names)
{
    const struct kernel_platform *platform = &info->platform;
    const char *last = strrchr(platform->of_fullname, '/');
    int above = last ? (int)(last - platform->of_fullname) : 0;
    snprintf(names->bus, sizeof(names->bus), "platform");
    snprintf(names->name, sizeof(names->name), "%s", platform->name);
    snprintf(names->device, sizeof(names->device), "devices/platform%.*s/%s", above, platform->of_fullname,
             platform->name);
    snprintf(names->node, sizeof(names->node), "firmware/devicetree/base%s", platform->of_fullname);
    fill_of(info);
}

static void fill_up(struct names *names)
{
    size_t length = 0;
    append_word(names->up, sizeof(names->up), &length, "", "..", "");
    for (const char *slash = names->device; (slash = strchr(slash, '/')); slash++)
        append_word(names->up, sizeof(names->up), &length, "", "/..", "");
}

/* ---- the entries ---- */

/* A template with its letters replaced; NULL without memory. */
static char *expand_template(const char *template, const struct names *names)
{
    const struct {
        char letter;
        const char *text;
    } words[] = {{'D', names->device}, {'U', names->up},     {'N', names->name},
                 {'B', names->bus},    {'R', names->driver}, {'T', names->node}};
    char text[PATH_MAX];
    size_t length = 0;
    for (; *template && length < sizeof(text) - 1; template ++) {
        const char *word = NULL;
        for (unsigned i = 0; i < ARRAY_SIZE(words) && template[0] == '$'; i++)
            word = words[i].letter == template[1] ? words[i].text : word;
        if (word) {
            append_word(text, sizeof(text), &length, "", word, "");
            template ++;
        } else {
            text[length++] = *template;
        }
    }
    text[length] = '\0';
    return strdup(text);
}

static int add_rows(const struct template *rows, size_t count, const struct names *names)
{
    for (size_t i = 0; i < count; i++) {
        const struct template *row = &rows[i];
        struct vfs_entry *entry = &entries[entry_count];
        char *path = expand_template(row->path, names);
        char *target = row->kind == VFS_LINK ? expand_template(row->data, names) : NULL;
        if (!path || (row->kind == VFS_LINK && !target)) {
            free(path);
            free(target);
            return -ENOMEM;
        }
        *entry =
            (struct vfs_entry){.path = path, .kind = row->kind, .data = target ? target : row->data, .node = row->node};
        if (entry->data)
            entry->size_B = row->size_B ? *row->size_B : strlen(entry->data);
        entry_count++;
    }
    return 0;
}

static void clear_tree(void)
{
    while (entry_count) {
        struct vfs_entry *entry = &entries[--entry_count];
        free((char *)entry->path);
        if (entry->kind == VFS_LINK)
            free((char *)entry->data);
    }
}

int vfs_tree_build(const struct kernel_device_info *info)
{
    struct names names = {.bus = ""};
    clear_tree();
    snprintf(names.driver, sizeof(names.driver), "%s", info->driver);
    bool is_platform = info->bus == KERNEL_BUS_PLATFORM;
    if (is_platform)
        fill_platform(info, &names);
    else
        fill_pci(info, &names);
    fill_up(&names);
    int error = add_rows(common, ARRAY_SIZE(common), &names);
    if (!error)
        error = is_platform ? add_rows(platform_rows, ARRAY_SIZE(platform_rows), &names)
                            : add_rows(pci_rows, ARRAY_SIZE(pci_rows), &names);
    if (error)
        clear_tree();
    return error;
}
