/* Debian's libdrm on a device without a GPU behind the shim, on either bus: what libdrm, and our own list of real
 * devices that stands on it, say of the device is what its model says. The argument is the model's name
 * (src/kernel/tests/models.table). */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include <cmocka.h>

#include "kernel/kernel.h"

static const char *model;

static bool is_platform(void)
{
    return strcmp(model, "fake-new") == 0;
}

static void look_at(const drmDevice *device)
{
    assert_int_equal(device->available_nodes, 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER);
    assert_string_equal(device->nodes[DRM_NODE_PRIMARY], "/dev/dri/card0");
    assert_string_equal(device->nodes[DRM_NODE_RENDER], "/dev/dri/renderD128");
    if (is_platform()) {
        assert_int_equal(device->bustype, DRM_BUS_PLATFORM);
        assert_string_equal(device->businfo.platform->fullname, "/soc@0/gpu@12340000");
        char **compatible = device->deviceinfo.platform->compatible;
        assert_string_equal(compatible[0], "tuff,fake-gpu-2");
        assert_string_equal(compatible[1], "tuff,fake-gpu");
        assert_null(compatible[2]);
        return;
    }
    assert_int_equal(device->bustype, DRM_BUS_PCI);
    assert_int_equal(device->businfo.pci->bus, 9);
    assert_int_equal(device->businfo.pci->dev, 1);
    assert_int_equal(device->deviceinfo.pci->vendor_id, 0x1ffe);
    assert_int_equal(device->deviceinfo.pci->device_id, 0x77);
    assert_int_equal(device->deviceinfo.pci->revision_id, 2);
}

static void test_the_list(void **state)
{
    drmDevice *devices[8];
    int count = drmGetDevices2(DRM_DEVICE_GET_PCI_REVISION, devices, 8);
    assert_int_equal(count, 1);
    look_at(devices[0]);
    drmFreeDevices(devices, count);
}

static void test_the_device_of_a_file(void **state)
{
    static const char *const nodes[] = {"/dev/dri/renderD128", "/dev/dri/card0"};
    for (unsigned i = 0; i < 2; i++) {
        int fd = open(nodes[i], O_RDWR | O_CLOEXEC);
        assert_true(fd >= 0);
        drmDevice *device;
        assert_int_equal(drmGetDevice2(fd, DRM_DEVICE_GET_PCI_REVISION, &device), 0);
        look_at(device);
        drmFreeDevice(&device);
        drmVersion *version = drmGetVersion(fd);
        assert_non_null(version);
        assert_string_equal(version->name, model); /* these drivers are called as their models */
        drmFreeVersion(version);
        close(fd);
    }
}

static void test_our_own_list(void **state)
{
    struct kernel_device_info *devices;
    uint32_t count;
    assert_int_equal(kernel_list_devices(&devices, &count), 0);
    assert_int_equal(count, 1);
    assert_string_equal(devices[0].driver, model);
    assert_string_equal(devices[0].model, ""); /* behind the shim it is as real as any */
    assert_string_equal(devices[0].render_path, "/dev/dri/renderD128");
    if (is_platform()) {
        assert_int_equal(devices[0].bus, KERNEL_BUS_PLATFORM);
        assert_string_equal(devices[0].platform.name, "12340000.gpu");
        assert_string_equal(devices[0].platform.of_fullname, "/soc@0/gpu@12340000");
        assert_string_equal(devices[0].platform.compatible[0], "tuff,fake-gpu-2");
        assert_string_equal(devices[0].platform.compatible[1], "tuff,fake-gpu");
        assert_string_equal(devices[0].platform.compatible[2], "");
    } else {
        assert_int_equal(devices[0].bus, KERNEL_BUS_PCI);
        assert_int_equal(devices[0].pci.bus, 9);
        assert_int_equal(devices[0].pci.device, 1);
    }
    struct kernel_file *file;
    assert_int_equal(kernel_open(&devices[0], KERNEL_NODE_RENDER, &file), 0);
    kernel_close(file);
    free(devices);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_list),
        cmocka_unit_test(test_the_device_of_a_file),
        cmocka_unit_test(test_our_own_list),
    };
    model = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests_name(model, tests, NULL, NULL);
}
