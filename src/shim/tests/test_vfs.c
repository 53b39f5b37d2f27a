/* The added paths: every path that leads to an entry finds it, and no other does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "shim/vfs.h"

#define DEVICE "/sys/devices/pci0000:00/0000:03:00.0"

static char resolved[PATH_MAX];

static enum vfs_result walk_path(const char *path, bool follow, const struct vfs_entry **entry_out)
{
    return vfs_walk(path, follow, entry_out, resolved);
}

static void expect_path(const char *path, const char *where)
{
    const struct vfs_entry *entry = NULL;
    assert_true(vfs_may_be_ours(path));
    assert_int_equal(walk_path(path, true, &entry), VFS_FOUND);
    assert_string_equal(entry->path, where);
    assert_string_equal(resolved, where);
}

static int setup(void **state)
{
    const struct kernel_device_info info = {.driver = "somedrm",
                                            .bus = KERNEL_BUS_PCI,
                                            .pci = {.bus = 3,
                                                    .vendor_id = 0x1a02,
                                                    .device_id = 0x73bf,
                                                    .subvendor_id = 0x1234,
                                                    .subdevice_id = 0x5678,
                                                    .revision = 0xc3}};
    return vfs_init(&info);
}

static void test_links_lead_to_the_device(void **state)
{
    expect_path("/sys/dev/char/226:128", DEVICE "/drm/renderD128");
    expect_path("/sys/dev/char/226:128/device", DEVICE);
    expect_path("/sys/dev/char/226:0/device/drm/card0/device/vendor", DEVICE "/vendor");
    expect_path("/sys/class/drm/card0/device/uevent", DEVICE "/uevent");
    expect_path("/sys/bus/pci/devices/0000:03:00.0/config", DEVICE "/config");
}

static void test_dots_and_slashes(void **state)
{
    expect_path("/dev//dri/./renderD128", "/dev/dri/renderD128");
    expect_path("/dev/dri/../dri/card0", "/dev/dri/card0");
    expect_path("/dev/dri/", "/dev/dri");
    expect_path("//dev/dri/card0", "/dev/dri/card0");
    expect_path("/sys/dev/char/226:128/../renderD128/dev", DEVICE "/drm/renderD128/dev");
}

static void test_what_is_missing_and_what_is_not_ours(void **state)
{
    const struct vfs_entry *entry;
    assert_int_equal(walk_path("/dev/dri/renderD129", true, &entry), VFS_MISSING);
    assert_int_equal(walk_path("/dev/dri/by-path/x", true, &entry), VFS_MISSING);
    assert_int_equal(walk_path(DEVICE "/nothing", true, &entry), VFS_MISSING);
    assert_int_equal(walk_path("/sys/dev/char/1:3", true, &entry), VFS_OUTSIDE);
    assert_int_equal(walk_path("/sys/dev/char", true, &entry), VFS_OUTSIDE);
    assert_int_equal(walk_path("/dev/driver", true, &entry), VFS_OUTSIDE);
    assert_int_equal(walk_path("/", true, &entry), VFS_OUTSIDE);
    assert_int_equal(walk_path("dev/dri", true, &entry), VFS_OUTSIDE); /* relative paths are never ours */
    assert_false(vfs_may_be_ours("/usr/lib/libdrm.so"));
    assert_false(vfs_may_be_ours("dri/card0"));
    assert_false(vfs_may_be_ours(NULL));
    char longest[PATH_MAX + 16];
    memset(longest, 'x', sizeof(longest));
    memcpy(longest, "/dev/dri/", 9);
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(walk_path(longest, true, &entry), VFS_OUTSIDE);
}

static void test_a_link_out_of_the_tree(void **state)
{
    const struct vfs_entry *entry = NULL;
    assert_int_equal(walk_path("/sys/dev/char/226:128/device/subsystem", true, &entry), VFS_OUTSIDE);
    assert_string_equal(resolved, "/sys/bus/pci");
    assert_int_equal(walk_path("/sys/dev/char/226:128/device/subsystem", false, &entry), VFS_FOUND);
    assert_int_equal(entry->kind, VFS_LINK);
    assert_string_equal(entry->data, "../../../bus/pci");
}

static void test_contents(void **state)
{
    const struct vfs_entry *entry = NULL;
    assert_int_equal(walk_path(DEVICE "/device", true, &entry), VFS_FOUND);
    assert_string_equal(entry->data, "0x73bf\n");
    assert_int_equal(entry->size_B, 7);
    assert_int_equal(walk_path(DEVICE "/config", true, &entry), VFS_FOUND);
    assert_int_equal(entry->size_B, 64);
    assert_memory_equal(entry->data, "\x02\x1a\xbf\x73", 4);
    assert_int_equal(walk_path(DEVICE "/uevent", true, &entry), VFS_FOUND);
    assert_non_null(strstr(entry->data, "PCI_SLOT_NAME=0000:03:00.0\n"));
    assert_int_equal(walk_path("/dev/dri/renderD128", true, &entry), VFS_FOUND);
    assert_true(S_ISCHR(vfs_mode(entry)));
    assert_true(vfs_rdev(entry->node) == makedev(226, 128));
}

static void test_listing_and_inodes(void **state)
{
    const struct vfs_entry *folder, *entry = NULL, *other = NULL;
    assert_int_equal(walk_path("/dev/dri", true, &folder), VFS_FOUND);
    assert_string_equal(vfs_list(folder, 0, &entry), "card0");
    assert_string_equal(vfs_list(folder, 1, &other), "renderD128");
    assert_null(vfs_list(folder, 2, &entry));
    assert_true(vfs_inode(entry) != vfs_inode(other) && vfs_inode(folder) != vfs_inode(entry));
    /* Deeper entries are not listed. */
    assert_int_equal(walk_path(DEVICE "/drm", true, &folder), VFS_FOUND);
    assert_string_equal(vfs_list(folder, 0, &entry), "card0");
    assert_string_equal(vfs_list(folder, 1, &entry), "renderD128");
    assert_null(vfs_list(folder, 2, &entry));
}

/* ---- a device of a device tree ---- */

#define PLATFORM "/sys/devices/platform/soc@0/3d00000.gpu"
#define TREE "/sys/firmware/devicetree/base/soc@0/gpu@3d00000"

static int setup_platform(void **state)
{
    const struct kernel_device_info info = {.driver = "somedrm",
                                            .bus = KERNEL_BUS_PLATFORM,
                                            .platform = {.name = "3d00000.gpu",
                                                         .of_fullname = "/soc@0/gpu@3d00000",
                                                         .compatible = {"maker,gpu-635.0", "maker,gpu"}}};
    return vfs_init(&info);
}

static const char *text_of(const char *path)
{
    const struct vfs_entry *entry = NULL;
    assert_int_equal(walk_path(path, true, &entry), VFS_FOUND);
    assert_int_equal(entry->kind, VFS_FILE);
    return entry->data;
}

static void test_a_platform_device(void **state)
{
    const struct vfs_entry *entry = NULL;
    expect_path("/sys/dev/char/226:128", PLATFORM "/drm/renderD128");
    expect_path("/sys/dev/char/226:0/device", PLATFORM);
    expect_path("/sys/class/drm/renderD128/device/uevent", PLATFORM "/uevent");
    expect_path("/sys/bus/platform/devices/3d00000.gpu/drm/card0/dev", PLATFORM "/drm/card0/dev");
    expect_path("/sys/class/drm/card0/subsystem", "/sys/class/drm");
    assert_int_equal(walk_path("/sys/dev/char/226:128/device/subsystem", true, &entry), VFS_OUTSIDE);
    assert_string_equal(resolved, "/sys/bus/platform");
    assert_int_equal(walk_path("/sys/dev/char/226:128/device/driver", true, &entry), VFS_OUTSIDE);
    assert_string_equal(resolved, "/sys/bus/platform/drivers/somedrm");
    assert_string_equal(text_of("/sys/dev/char/226:128/device/uevent"),
                        "DRIVER=somedrm\nOF_NAME=gpu\nOF_FULLNAME=/soc@0/gpu@3d00000\n"
                        "OF_COMPATIBLE_0=maker,gpu-635.0\nOF_COMPATIBLE_1=maker,gpu\nOF_COMPATIBLE_N=2\n"
                        "MODALIAS=of:NgpuT(null)Cmaker,gpu-635.0Cmaker,gpu\n");
    assert_string_equal(text_of(PLATFORM "/modalias"), "of:NgpuT(null)Cmaker,gpu-635.0Cmaker,gpu\n");
}

static void test_the_device_tree(void **state)
{
    const struct vfs_entry *entry = NULL;
    expect_path("/sys/class/drm/card0/device/of_node", TREE);
    assert_int_equal(walk_path(PLATFORM "/of_node/compatible", true, &entry), VFS_FOUND);
    assert_int_equal(entry->size_B, sizeof("maker,gpu-635.0") + sizeof("maker,gpu"));
    assert_memory_equal(entry->data, "maker,gpu-635.0\0maker,gpu", entry->size_B);
    assert_string_equal(text_of(TREE "/name"), "gpu");
}

static void test_nothing_is_left_of_another_bus(void **state)
{
    const struct vfs_entry *entry;
    static const char *const names[] = {"vendor", "device", "config", "revision", "class", "boot_vga"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[256];
        snprintf(path, sizeof(path), PLATFORM "/%s", names[i]);
        assert_int_equal(walk_path(path, true, &entry), VFS_MISSING);
    }
    assert_int_equal(walk_path(DEVICE, true, &entry), VFS_OUTSIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links_lead_to_the_device),
        cmocka_unit_test(test_dots_and_slashes),
        cmocka_unit_test(test_what_is_missing_and_what_is_not_ours),
        cmocka_unit_test(test_a_link_out_of_the_tree),
        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_listing_and_inodes),
        cmocka_unit_test_setup(test_a_platform_device, setup_platform),
        cmocka_unit_test_setup(test_the_device_tree, setup_platform),
        cmocka_unit_test_setup(test_nothing_is_left_of_another_bus, setup_platform),
    };
    return cmocka_run_group_tests_name("shim/vfs", tests, setup, NULL);
}
