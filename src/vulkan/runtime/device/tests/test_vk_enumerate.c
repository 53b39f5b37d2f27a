/* Which devices an instance has by TUFF_GPU, which driver gets them, and their identity on either bus. The models are
 * those of kernel/tests/models.table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/device/tests/fake_driver.h"
#include "vulkan/runtime/device/vk_identity.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/object/vk_struct.h"

static const struct vk_driver *const both_drivers[] = {&fake_old_driver, &fake_new_driver, NULL};
static const struct vk_driver *const old_alone[] = {&fake_old_driver, NULL};
static const struct vk_icd both = {.drivers = both_drivers, .instance_extensions = &vk_common_instance_extensions};
static const struct vk_icd only_old = {.drivers = old_alone, .instance_extensions = &vk_common_instance_extensions};

static struct vk_instance *instance;
static char said[4096]; /* to standard error, by the last enumeration */

static VkPhysicalDevice devices[8];
static uint32_t count;

static void close_instance(void)
{
    if (instance)
        instance->dispatch.DestroyInstance(vk_instance_to_handle(instance), NULL);
    instance = NULL;
    assert_int_equal(fake_state.alive, 0);
}

static VkResult enumerate_devices(const struct vk_icd *icd, const char *words)
{
    close_instance();
    if (words)
        setenv("TUFF_GPU", words, 1);
    else
        unsetenv("TUFF_GPU");
    VkApplicationInfo application = vk_struct_init(VkApplicationInfo);
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info = vk_struct_init(VkInstanceCreateInfo);
    info.pApplicationInfo = &application;
    VkInstance handle;
    assert_int_equal(vk_instance_create(icd, &info, NULL, &handle), VK_SUCCESS);
    instance = vk_instance_from_handle(handle);
    int old = dup(STDERR_FILENO), pipes[2];
    assert_int_equal(pipe(pipes), 0);
    dup2(pipes[1], STDERR_FILENO);
    close(pipes[1]);
    count = ARRAY_SIZE(devices);
    VkResult result = instance->dispatch.EnumeratePhysicalDevices(handle, &count, devices);
    dup2(old, STDERR_FILENO);
    close(old);
    ssize_t length = read(pipes[0], said, sizeof(said) - 1);
    close(pipes[0]);
    said[MAX2(length, 0)] = '\0';
    return result;
}

static struct vk_physical_device *device(unsigned index)
{
    return vk_physical_device_from_handle(devices[index]);
}

/* "new old": the drivers of the devices, in their order. */
static void expect_drivers(const char *words, const char *names)
{
    char found[256] = "";
    assert_int_equal(enumerate_devices(&both, words), VK_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        strcat(found, i ? " " : "");
        strcat(found, device(i)->driver == &fake_new_driver ? "new" : "old");
    }
    assert_string_equal(found, names);
}

static void words_choose_the_devices(void **state)
{
    expect_drivers("all", "new old");
    expect_drivers("fake-new", "new");
    expect_drivers("fake-old", "old");
    expect_drivers("fake-old,fake-new", "old new");
    expect_drivers("fake-old,all", "old new");
    expect_drivers("fake-new,fake-new", "new");
    expect_drivers("fake-old,", "old");
    assert_string_equal(said, "");
    /* No machine has a GPU of these drivers, so what is real is nothing, and the first model stands in for it. */
    expect_drivers("real", "");
    expect_drivers("none", "");
    expect_drivers("real,fake-old", "old");
    expect_drivers(NULL, "new");
    expect_drivers("", "new");
    assert_string_equal(said, "");
}

static void what_nobody_knows_is_an_error_with_what_is_known(void **state)
{
    static const char *const unknown[] = {"nonsense", "fake", "fake-new-er", ",", "fake-new;fake-old", "ALL"};
    for (unsigned i = 0; i < ARRAY_SIZE(unknown); i++) {
        expect_drivers(unknown[i], "");
        assert_non_null(strstr(said, "error"));
        assert_non_null(strstr(said, "fake-new, fake-old, all and real"));
    }
    expect_drivers("nonsense", "");
    assert_non_null(strstr(said, "'nonsense'"));
    /* The others of the list are there all the same. */
    expect_drivers("fake-old,nonsense,fake-new", "old new");
    assert_non_null(strstr(said, "'nonsense'"));
}

static void a_model_without_a_driver(void **state)
{
    /* By name it is an error; `all` means those that there is a driver for. */
    assert_int_equal(enumerate_devices(&only_old, "fake-new"), VK_SUCCESS);
    assert_int_equal(count, 0);
    assert_non_null(strstr(said, "no driver of this library is for the model fake-new"));
    assert_int_equal(enumerate_devices(&only_old, "all"), VK_SUCCESS);
    assert_int_equal(count, 1);
    assert_string_equal(said, "");
}

static void a_device_that_its_driver_does_not_know(void **state)
{
    fake_state.old_unsupported = true;
    expect_drivers("all", "new");
    fake_state.old_unsupported = false;
    expect_drivers("all", "new old");
}

static void an_error_leaves_nothing_and_is_tried_again(void **state)
{
    fake_state.old_result = VK_ERROR_DEVICE_LOST;
    assert_int_equal(enumerate_devices(&both, "all"), VK_ERROR_DEVICE_LOST);
    assert_int_equal(fake_state.alive, 0);
    fake_state.old_result = VK_SUCCESS;
    count = ARRAY_SIZE(devices);
    assert_int_equal(instance->dispatch.EnumeratePhysicalDevices(vk_instance_to_handle(instance), &count, devices),
                     VK_SUCCESS);
    assert_int_equal(count, 2);
}

/* ---- identity ---- */

struct facts {
    VkPhysicalDeviceProperties2 core;
    VkPhysicalDeviceIDProperties id;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceDrmPropertiesEXT drm;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
};

static struct facts ask_device(unsigned index)
{
    struct facts f = {.core = vk_struct_init(VkPhysicalDeviceProperties2),
                      .id = vk_struct_init(VkPhysicalDeviceIDProperties),
                      .driver = vk_struct_init(VkPhysicalDeviceDriverProperties),
                      .drm = vk_struct_init(VkPhysicalDeviceDrmPropertiesEXT),
                      .pci = vk_struct_init(VkPhysicalDevicePCIBusInfoPropertiesEXT)};
    f.core.pNext = &f.id;
    f.id.pNext = &f.driver;
    f.driver.pNext = &f.drm;
    f.drm.pNext = &f.pci;
    device(index)->dispatch.GetPhysicalDeviceProperties2(devices[index], &f.core);
    return f;
}

static void each_bus_has_its_own_identity(void **state)
{
    expect_drivers("all", "new old");
    struct facts platform = ask_device(0), pci = ask_device(1);
    assert_false(device(0)->supported_extensions.EXT_pci_bus_info); /* in a device tree */
    assert_int_equal(pci.pci.pciBus, 9);
    assert_int_equal(pci.pci.pciDevice, 1);
    const uint32_t place[4] = {0, 9, 1, 0};
    assert_memory_equal(pci.id.deviceUUID, place, VK_UUID_SIZE);
    assert_memory_not_equal(platform.id.deviceUUID, place, VK_UUID_SIZE);
    static const uint8_t nothing[VK_UUID_SIZE];
    assert_memory_not_equal(platform.id.deviceUUID, nothing, VK_UUID_SIZE);
    assert_memory_not_equal(platform.id.driverUUID, pci.id.driverUUID, VK_UUID_SIZE);
    assert_false(platform.id.deviceLUIDValid);
    /* A model has no node, and says what it is. */
    assert_false(platform.drm.hasRender || platform.drm.hasPrimary || pci.drm.hasRender);
    assert_false(device(0)->supported_extensions.EXT_physical_device_drm);
    assert_string_equal(platform.driver.driverInfo, "on a functional model");
    assert_int_equal(platform.core.properties.deviceType, VK_PHYSICAL_DEVICE_TYPE_CPU);
    setenv("TUFF_DEVICE_TYPE", "gpu", 1);
    assert_int_equal(ask_device(0).core.properties.deviceType, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
    unsetenv("TUFF_DEVICE_TYPE");
    /* One device is the same in another instance. */
    expect_drivers("fake-new", "new");
    assert_memory_equal(ask_device(0).id.deviceUUID, platform.id.deviceUUID, VK_UUID_SIZE);
}

static void conformance_is_claimed_on_demand(void **state)
{
    expect_drivers("all", "new old");
    static const VkConformanceVersion none = {0}, tests = {1, 3, 5, 2};
    VkConformanceVersion usual = ask_device(0).driver.conformanceVersion;
    assert_memory_equal(&usual, &none, sizeof(none));
    setenv("TUFF_CLAIM_CONFORMANCE", "1", 1);
    VkConformanceVersion claimed = ask_device(0).driver.conformanceVersion;
    unsetenv("TUFF_CLAIM_CONFORMANCE");
    assert_memory_equal(&claimed, &tests, sizeof(tests));
}

static void real_devices_have_nodes(void **state)
{
    /* A character device that every machine has stands for a node. */
    struct kernel_device_info info = {.driver = "some-drm",
                                      .render_path = "/dev/null",
                                      .bus = KERNEL_BUS_PLATFORM,
                                      .platform = {.name = "1.gpu", .of_fullname = "/gpu@1"}};
    struct vk_identity identity;
    vk_identity_init(&identity, &info, "test");
    struct vk_device_extensions extensions = {0};
    vk_identity_fill_extensions(&identity, &extensions);
    assert_true(extensions.EXT_physical_device_drm && !extensions.EXT_pci_bus_info);
    struct vk_properties p = {0};
    vk_identity_fill_properties(&identity, true, &p);
    assert_true(p.hasRender && !p.hasPrimary && p.renderMajor == 1 && p.renderMinor == 3);
    assert_int_equal(p.core.deviceType, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
    assert_string_equal(p.driverInfo, "on some-drm");
    info.bus = KERNEL_BUS_PCI;
    info.pci = (struct kernel_pci){.domain = 1, .bus = 2, .device = 3, .function = 4};
    vk_identity_init(&identity, &info, "test");
    vk_identity_fill_extensions(&identity, &extensions);
    assert_true(extensions.EXT_physical_device_drm && extensions.EXT_pci_bus_info);
    vk_identity_fill_properties(&identity, false, &p);
    assert_true(p.pciDomain == 1 && p.pciBus == 2 && p.pciDevice == 3 && p.pciFunction == 4);
    assert_int_equal(p.core.deviceType, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
}

static void names_are_words_without_commas_and_brackets(void **state)
{
    const struct vk_gpu_name gpu = {.marketing = "Some GPU", .device_id = 0x1234, .id_word = "chip", .id_digits = 8};
    struct kernel_device_info info = {.driver = "some-drm", .bus = KERNEL_BUS_PLATFORM};
    struct vk_identity identity;
    vk_identity_init(&identity, &info, "test");
    vk_identity_name(&identity, &gpu);
    assert_string_equal(identity.name, "Some GPU by Tuff on chip 0x00001234");
    snprintf(info.model, sizeof(info.model), "some-model");
    vk_identity_init(&identity, &info, "test");
    vk_identity_name(&identity, &gpu);
    assert_string_equal(identity.name, "Some GPU by Tuff on model some-model");
}

/* Larger than any block this program frees before: without the runtime's, malloc would map pages for it. */
static void the_heap_is_kept_for_the_next_instance(void **state)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    enumerate_devices(&both, "");
    close_instance();
    size_t mapped = mallinfo2().hblks;
    void *block = malloc(3u << 20);
    assert_non_null(block);
    size_t mapped_with_block = mallinfo2().hblks;
    free(block);
    assert_int_equal(mapped_with_block, mapped);
#else
    skip();
#endif
}

static int teardown(void **state)
{
    close_instance();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_choose_the_devices),
        cmocka_unit_test(what_nobody_knows_is_an_error_with_what_is_known),
        cmocka_unit_test(a_model_without_a_driver),
        cmocka_unit_test(a_device_that_its_driver_does_not_know),
        cmocka_unit_test(an_error_leaves_nothing_and_is_tried_again),
        cmocka_unit_test(each_bus_has_its_own_identity),
        cmocka_unit_test(conformance_is_claimed_on_demand),
        cmocka_unit_test(real_devices_have_nodes),
        cmocka_unit_test(names_are_words_without_commas_and_brackets),
        cmocka_unit_test(the_heap_is_kept_for_the_next_instance),
    };
    return cmocka_run_group_tests_name("vulkan enumerate", tests, NULL, teardown);
}
