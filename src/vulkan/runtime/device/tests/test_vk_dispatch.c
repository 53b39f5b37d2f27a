/* Instances and devices of two fake drivers: which function a call reaches, which names have a function, layers,
 * allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/device/tests/fake_driver.h"
#include "vulkan/runtime/device/vk_command.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_layer.h"
#include "vulkan/runtime/device/vk_proc_addr.h"
#include "vulkan/runtime/device/tests/fake_entrypoints.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_queue.h"
#include "vulkan/runtime/vk_version.h"

#include <vulkan/vk_icd.h>

static const struct vk_driver *const drivers[] = {&fake_new_driver, &fake_old_driver, NULL};
static const struct vk_icd icd = {.drivers = drivers, .instance_extensions = &vk_common_instance_extensions};

struct fixture {
    struct vk_instance *instance;
    struct vk_physical_device *physical[2]; /* the new one, the old one */
    struct vk_device *device;
};

static VkResult create_instance(uint32_t api_version, const char *extension, const VkAllocationCallbacks *allocator,
                                struct fixture *f)
{
    VkApplicationInfo application = vk_struct_init(VkApplicationInfo);
    application.apiVersion = api_version;
    application.pApplicationName = "test";
    application.pEngineName = "cmocka";
    VkInstanceCreateInfo info = vk_struct_init(VkInstanceCreateInfo);
    info.pApplicationInfo = &application;
    info.enabledExtensionCount = extension != NULL;
    info.ppEnabledExtensionNames = &extension;
    VkInstance handle = VK_NULL_HANDLE;
    VkResult result = vk_instance_create(&icd, &info, allocator, &handle);
    f->instance = vk_instance_from_handle(handle);
    return result;
}

static VkResult enumerate_devices(struct fixture *f)
{
    VkPhysicalDevice handles[2] = {0};
    uint32_t count = 2;
    VkResult result =
        f->instance->dispatch.EnumeratePhysicalDevices(vk_instance_to_handle(f->instance), &count, handles);
    if (result == VK_SUCCESS)
        assert_int_equal(count, 2);
    for (unsigned i = 0; i < 2; i++)
        f->physical[i] = vk_physical_device_from_handle(handles[i]);
    return result;
}

static VkResult create_device(struct fixture *f, unsigned which, const char *const *extensions, uint32_t count,
                              const VkAllocationCallbacks *allocator)
{
    VkDeviceQueueCreateInfo queue = vk_struct_init(VkDeviceQueueCreateInfo);
    queue.queueCount = 1;
    queue.pQueuePriorities = &(float){1.0f};
    VkDeviceCreateInfo info = vk_struct_init(VkDeviceCreateInfo);
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = count;
    info.ppEnabledExtensionNames = extensions;
    VkDevice handle = VK_NULL_HANDLE;
    VkResult result = f->physical[which]->dispatch.CreateDevice(vk_physical_device_to_handle(f->physical[which]), &info,
                                                                allocator, &handle);
    f->device = vk_device_from_handle(handle);
    return result;
}

static struct fixture open_all(uint32_t api_version, unsigned which, const char *const *extensions, uint32_t count)
{
    struct fixture f = {0};
    assert_int_equal(create_instance(api_version, NULL, NULL, &f), VK_SUCCESS);
    assert_int_equal(enumerate_devices(&f), VK_SUCCESS);
    assert_int_equal(create_device(&f, which, extensions, count, NULL), VK_SUCCESS);
    return f;
}

static void close_all(struct fixture *f)
{
    if (f->device)
        f->device->dispatch.DestroyDevice(vk_device_to_handle(f->device), NULL);
    if (f->instance)
        f->instance->dispatch.DestroyInstance(vk_instance_to_handle(f->instance), NULL);
    assert_int_equal(fake_state.alive, 0);
    memset(&fake_state, 0, sizeof(fake_state));
}

static PFN_vkVoidFunction from_instance(const struct fixture *f, const char *name)
{
    return vk_instance_get_proc_addr(f->instance, name);
}

static PFN_vkVoidFunction from_device(const struct fixture *f, const char *name)
{
    return vk_device_get_proc_addr(f->device, name);
}

static void dispatchable_objects_begin_with_the_magic(void **state)
{
    struct fixture f = open_all(VK_API_VERSION_1_3, 0, NULL, 0);
    VkQueue queue;
    f.device->dispatch.GetDeviceQueue(vk_device_to_handle(f.device), 0, 0, &queue);
    void *objects[] = {f.instance, f.physical[0], f.physical[1], f.device, queue};
    for (unsigned i = 0; i < ARRAY_SIZE(objects); i++)
        assert_true(valid_loader_magic_value(objects[i]));
    close_all(&f);
}

static void a_driver_wins_over_the_common_function(void **state)
{
    struct fixture f = open_all(VK_API_VERSION_1_3, 0, NULL, 0);
    VkQueue queue = VK_NULL_HANDLE;
    /* The driver has an opinion about family 77; the common function has not. */
    f.device->dispatch.GetDeviceQueue(vk_device_to_handle(f.device), 77, 0, &queue);
    assert_non_null(queue);
    vk_common_GetDeviceQueue(vk_device_to_handle(f.device), 77, 0, &queue);
    assert_null(queue);
    assert_ptr_equal(f.device->dispatch.GetDeviceQueue, fake_GetDeviceQueue);
    assert_ptr_equal(f.device->dispatch.GetDeviceQueue2, vk_common_GetDeviceQueue2);
    assert_null(fake_device_entrypoints.GetDeviceQueue2);
    close_all(&f);
}

static void window_systems_stand_between_driver_and_common(void **state)
{
    static VkResult answer = VK_ERROR_UNKNOWN;
    struct vk_physical_device_dispatch wsi_physical = {
        .EnumerateDeviceLayerProperties = (PFN_vkEnumerateDeviceLayerProperties)(void *)&answer,
        .GetPhysicalDeviceMemoryProperties2 = (PFN_vkGetPhysicalDeviceMemoryProperties2)(void *)&answer,
    };
    struct vk_icd with_wsi = icd;
    with_wsi.wsi.physical_device = &wsi_physical;
    VkInstanceCreateInfo info = vk_struct_init(VkInstanceCreateInfo);
    VkInstance handle;
    assert_int_equal(vk_instance_create(&with_wsi, &info, NULL, &handle), VK_SUCCESS);
    struct fixture f = {.instance = vk_instance_from_handle(handle)};
    assert_int_equal(enumerate_devices(&f), VK_SUCCESS);
    assert_ptr_equal(f.physical[0]->dispatch.EnumerateDeviceLayerProperties,
                     wsi_physical.EnumerateDeviceLayerProperties);
    assert_ptr_equal(f.physical[0]->dispatch.GetPhysicalDeviceMemoryProperties2,
                     fake_GetPhysicalDeviceMemoryProperties2);
    close_all(&f);
}

/* Functions of the instance find the physical device's own driver. */
static void trampolines_reach_the_right_driver(void **state)
{
    struct fixture f = {0};
    assert_int_equal(create_instance(VK_API_VERSION_1_0, NULL, NULL, &f), VK_SUCCESS);
    assert_int_equal(enumerate_devices(&f), VK_SUCCESS);
    PFN_vkGetPhysicalDeviceProperties get =
        (PFN_vkGetPhysicalDeviceProperties)from_instance(&f, "vkGetPhysicalDeviceProperties");
    VkPhysicalDeviceProperties properties;
    get(vk_physical_device_to_handle(f.physical[0]), &properties);
    assert_string_equal(properties.deviceName, "fake new");
    assert_int_equal(properties.vendorID, FAKE_NEW_VENDOR);
    assert_int_equal(properties.driverVersion, VK_DRIVER_VERSION);
    get(vk_physical_device_to_handle(f.physical[1]), &properties);
    assert_string_equal(properties.deviceName, "fake old");
    assert_int_equal(properties.vendorID, FAKE_OLD_VENDOR);
    assert_int_equal(properties.driverVersion, FAKE_OLD_DRIVER_VERSION);
    close_all(&f);
}

static VkCommandBuffer allocate_command_buffer(struct fixture *f)
{
    VkCommandBufferAllocateInfo info = vk_struct_init(VkCommandBufferAllocateInfo);
    info.commandBufferCount = 1;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    f->device->dispatch.AllocateCommandBuffers(vk_device_to_handle(f->device), &info, &buffer);
    return buffer;
}

static void both_names_reach_one_function(void **state)
{
    const char *extension = "VK_EXT_extended_dynamic_state";
    struct fixture f = open_all(VK_API_VERSION_1_3, 0, &extension, 1);
    PFN_vkCmdSetCullMode core = (PFN_vkCmdSetCullMode)from_device(&f, "vkCmdSetCullMode");
    PFN_vkCmdSetCullModeEXT alias = (PFN_vkCmdSetCullModeEXT)from_device(&f, "vkCmdSetCullModeEXT");
    PFN_vkCmdSetCullModeEXT trampoline = (PFN_vkCmdSetCullModeEXT)from_instance(&f, "vkCmdSetCullModeEXT");
    assert_non_null(core);
    assert_ptr_equal(core, alias);
    VkCommandBuffer buffer = allocate_command_buffer(&f);
    core(buffer, 0);
    alias(buffer, 0);
    trampoline(buffer, 0);
    assert_int_equal(fake_state.cull_modes, 3);
    f.device->dispatch.FreeCommandBuffers(vk_device_to_handle(f.device), VK_NULL_HANDLE, 1, &buffer);
    close_all(&f);
}

static void the_device_answers_only_for_what_is_enabled(void **state)
{
    struct fixture f = open_all(VK_API_VERSION_1_3, 0, NULL, 0);
    assert_non_null(from_device(&f, "vkCmdSetCullMode"));
    assert_null(from_device(&f, "vkCmdSetCullModeEXT"));
    assert_null(from_device(&f, "vkCmdPushDescriptorSetKHR"));
    assert_non_null(from_device(&f, "vkGetSemaphoreCounterValue"));
    assert_null(from_device(&f, "vkGetSemaphoreCounterValueKHR"));
    close_all(&f);

    static const char *const extensions[] = {"VK_KHR_push_descriptor", "VK_KHR_timeline_semaphore"};
    f = open_all(VK_API_VERSION_1_0, 0, extensions, 2);
    assert_null(from_device(&f, "vkCmdSetCullMode"));
    assert_non_null(from_device(&f, "vkCmdPushDescriptorSetKHR"));
    assert_null(from_device(&f, "vkGetSemaphoreCounterValue"));
    assert_non_null(from_device(&f, "vkGetSemaphoreCounterValueKHR"));
    close_all(&f);
}

static void the_lower_version_counts(void **state)
{
    struct fixture f = open_all(VK_API_VERSION_1_1, 0, NULL, 0);
    assert_non_null(from_device(&f, "vkGetDeviceQueue2"));
    assert_null(from_device(&f, "vkGetSemaphoreCounterValue"));
    close_all(&f);
    f = open_all(VK_API_VERSION_1_3, 1, NULL, 0); /* the old device has 1.0 */
    assert_null(from_device(&f, "vkGetDeviceQueue2"));
    assert_non_null(from_device(&f, "vkGetDeviceQueue"));
    close_all(&f);
    f = open_all(0, 0, NULL, 0); /* no version asked for is 1.0 */
    assert_null(from_device(&f, "vkGetDeviceQueue2"));
    close_all(&f);
    f = open_all(VK_MAKE_API_VERSION(0, 1, 9, 0), 0, NULL, 0); /* a later version is no error */
    assert_non_null(from_device(&f, "vkGetSemaphoreCounterValue"));
    close_all(&f);
}

static void the_device_answers_only_for_its_own_level(void **state)
{
    struct fixture f = open_all(VK_API_VERSION_1_3, 0, NULL, 0);
    static const char *const others[] = {"vkCreateInstance",
                                         "vkDestroyInstance",
                                         "vkGetInstanceProcAddr",
                                         "vkCreateDevice",
                                         "vkGetPhysicalDeviceProperties",
                                         "vkEnumerateInstanceVersion",
                                         "vkNothing",
                                         ""};
    for (unsigned i = 0; i < ARRAY_SIZE(others); i++)
        assert_null(from_device(&f, others[i]));
    assert_null(from_device(&f, NULL));
    assert_non_null(from_device(&f, "vkGetDeviceProcAddr"));
    assert_non_null(from_device(&f, "vkQueueWaitIdle"));
    assert_non_null(from_device(&f, "vkCmdDispatch"));
    close_all(&f);
}

static void the_instance_answers_by_the_specification(void **state)
{
    struct fixture f = {0};
    assert_int_equal(create_instance(VK_API_VERSION_1_1, NULL, NULL, &f), VK_SUCCESS);
    /* Global commands belong to no instance. */
    assert_null(from_instance(&f, "vkCreateInstance"));
    assert_null(from_instance(&f, "vkEnumerateInstanceVersion"));
    assert_non_null(from_instance(&f, "vkGetInstanceProcAddr"));
    assert_non_null(from_instance(&f, "vkDestroyInstance"));
    assert_non_null(from_instance(&f, "vkCreateDevice"));
    assert_non_null(from_instance(&f, "vkCmdDispatch"));
    /* Versions: asked for 1.1. */
    assert_non_null(from_instance(&f, "vkEnumeratePhysicalDeviceGroups"));
    assert_non_null(from_instance(&f, "vkGetPhysicalDeviceProperties2"));
    assert_null(from_instance(&f, "vkGetPhysicalDeviceToolProperties"));
    assert_null(from_instance(&f, "vkCmdSetCullMode"));
    /* Instance extensions: not enabled. */
    assert_null(from_instance(&f, "vkEnumeratePhysicalDeviceGroupsKHR"));
    assert_null(from_instance(&f, "vkGetPhysicalDeviceProperties2KHR"));
    assert_null(from_instance(&f, "vkDestroySurfaceKHR"));
    assert_null(from_instance(&f, "vkCreateWin32SurfaceKHR"));
    /* Device extensions: available when one of the devices has them, before anything has enumerated. */
    assert_non_null(from_instance(&f, "vkCmdPushDescriptorSetKHR"));
    assert_non_null(from_instance(&f, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT"));
    assert_null(from_instance(&f, "vkCreateSwapchainKHR"));
    assert_null(from_instance(&f, NULL));
    assert_null(from_instance(&f, "vkDoesNotExist"));
    close_all(&f);

    assert_int_equal(create_instance(VK_API_VERSION_1_0, "VK_KHR_get_physical_device_properties2", NULL, &f),
                     VK_SUCCESS);
    assert_non_null(from_instance(&f, "vkGetPhysicalDeviceProperties2KHR"));
    assert_null(from_instance(&f, "vkGetPhysicalDeviceProperties2"));
    assert_null(from_instance(&f, "vkEnumeratePhysicalDeviceGroupsKHR"));
    close_all(&f);
}

static void physical_device_functions_are_a_kind_of_their_own(void **state)
{
    struct fixture f = {0};
    assert_int_equal(create_instance(VK_API_VERSION_1_0, NULL, NULL, &f), VK_SUCCESS);
    assert_non_null(vk_instance_get_physical_device_proc_addr(f.instance, "vkCreateDevice"));
    assert_non_null(
        vk_instance_get_physical_device_proc_addr(f.instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT"));
    assert_null(vk_instance_get_physical_device_proc_addr(f.instance, "vkGetPhysicalDeviceProperties2"));
    assert_null(vk_instance_get_physical_device_proc_addr(f.instance, "vkCmdDispatch"));
    assert_null(vk_instance_get_physical_device_proc_addr(f.instance, "vkEnumeratePhysicalDevices"));
    assert_null(vk_instance_get_physical_device_proc_addr(f.instance, "vkUnknown"));
    assert_null(vk_instance_get_physical_device_proc_addr(f.instance, NULL));
    close_all(&f);
}

/* Every name that a device answers for is exactly one that is provided and implemented. */
static void no_name_answers_by_accident(void **state)
{
    const char *extension = "VK_KHR_push_descriptor";
    struct fixture f = open_all(VK_API_VERSION_1_2, 0, &extension, 1);
    struct vk_device_extensions enabled = {.KHR_push_descriptor = true};
    for (uint32_t i = 0; i < vk_command_count; i++) {
        const struct vk_command *command = &vk_commands[i];
        bool expected = command->kind == VK_COMMAND_DEVICE &&
                        vk_command_is_provided(command, VK_API_VERSION_1_2, NULL, &enabled) &&
                        f.device->dispatch.slots[command->slot];
        assert_int_equal(from_device(&f, vk_command_name(command)) != NULL, expected);
    }
    close_all(&f);
}

static void what_a_driver_promised_and_has_not_is_found(void **state)
{
    struct fixture f = open_all(VK_API_VERSION_1_0, 1, NULL, 0);
    bool draw = false, dispatch = false, later = false;
    const struct vk_command *command = NULL;
    while ((command = vk_command_next_missing(command, VK_COMMAND_DEVICE, f.device->dispatch.slots,
                                              f.device->api_version, NULL, &f.device->enabled_extensions))) {
        draw |= strcmp(vk_command_name(command), "vkCmdDraw") == 0;
        dispatch |= strcmp(vk_command_name(command), "vkCmdDispatch") == 0;
        later |= strcmp(vk_command_name(command), "vkCmdSetEvent2") == 0;
    }
    assert_true(draw);
    assert_false(dispatch);
    assert_false(later);
    close_all(&f);
}

static void unsupported_requests_are_refused(void **state)
{
    struct fixture f = {0};
    assert_int_equal(create_instance(VK_API_VERSION_1_3, "VK_KHR_surface", NULL, &f), VK_ERROR_EXTENSION_NOT_PRESENT);
    assert_int_equal(create_instance(VK_API_VERSION_1_3, "VK_no_such_thing", NULL, &f), VK_ERROR_EXTENSION_NOT_PRESENT);
    /* Since 1.1 a version is no reason to refuse, even one of another variant. */
    assert_int_equal(create_instance(VK_MAKE_API_VERSION(1, 1, 0, 0), NULL, NULL, &f), VK_SUCCESS);
    close_all(&f);

    f = (struct fixture){0};
    assert_int_equal(create_instance(VK_API_VERSION_1_3, NULL, NULL, &f), VK_SUCCESS);
    assert_int_equal(enumerate_devices(&f), VK_SUCCESS);
    static const char *const names[] = {"VK_KHR_swapchain", "VK_KHR_push_descriptor", "", "VK_KHR_surface", NULL};
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
        assert_int_equal(create_device(&f, i == 1, &names[i], 1, NULL), VK_ERROR_EXTENSION_NOT_PRESENT);

    VkPhysicalDeviceVulkan13Features asked = vk_struct_init(VkPhysicalDeviceVulkan13Features);
    asked.dynamicRendering = VK_TRUE;
    VkDeviceCreateInfo info = vk_struct_init(VkDeviceCreateInfo);
    info.pNext = &asked;
    VkDevice device = VK_NULL_HANDLE;
    VkPhysicalDevice physical = vk_physical_device_to_handle(f.physical[0]);
    assert_int_equal(f.physical[0]->dispatch.CreateDevice(physical, &info, NULL, &device),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    asked.dynamicRendering = VK_FALSE;
    asked.synchronization2 = VK_TRUE;
    assert_int_equal(f.physical[0]->dispatch.CreateDevice(physical, &info, NULL, &device), VK_SUCCESS);
    f.device = vk_device_from_handle(device);
    assert_true(f.device->enabled_features.synchronization2);
    assert_false(f.device->enabled_features.timelineSemaphore);
    close_all(&f);
}

static void enumeration_keeps_the_two_call_rules(void **state)
{
    struct fixture f = {0};
    assert_int_equal(create_instance(VK_API_VERSION_1_1, NULL, NULL, &f), VK_SUCCESS);
    VkInstance instance = vk_instance_to_handle(f.instance);
    VkPhysicalDevice devices[3];
    uint32_t count = 99;
    assert_int_equal(f.instance->dispatch.EnumeratePhysicalDevices(instance, &count, NULL), VK_SUCCESS);
    assert_int_equal(count, 2);
    count = 1;
    assert_int_equal(f.instance->dispatch.EnumeratePhysicalDevices(instance, &count, devices), VK_INCOMPLETE);
    assert_int_equal(count, 1);
    count = 3;
    assert_int_equal(f.instance->dispatch.EnumeratePhysicalDevices(instance, &count, devices), VK_SUCCESS);
    assert_int_equal(count, 2);

    VkPhysicalDeviceGroupProperties groups[2] = {vk_struct_init(VkPhysicalDeviceGroupProperties),
                                                 vk_struct_init(VkPhysicalDeviceGroupProperties)};
    count = 1;
    assert_int_equal(f.instance->dispatch.EnumeratePhysicalDeviceGroups(instance, &count, groups), VK_INCOMPLETE);
    count = 2;
    assert_int_equal(f.instance->dispatch.EnumeratePhysicalDeviceGroups(instance, &count, groups), VK_SUCCESS);
    assert_int_equal(groups[1].physicalDeviceCount, 1);
    assert_ptr_equal(groups[1].physicalDevices[0], devices[1]);
    assert_int_equal(groups[1].sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES);

    assert_int_equal(vk_icd_enumerate_instance_extensions(&icd, "VK_LAYER_nobody", &count, NULL),
                     VK_ERROR_LAYER_NOT_PRESENT);
    VkExtensionProperties extension;
    count = 1;
    assert_int_equal(vk_icd_enumerate_instance_extensions(&icd, NULL, &count, &extension), VK_INCOMPLETE);
    assert_int_equal(count, 1);
    close_all(&f);
}

static void queues_and_heaps_are_the_drivers(void **state)
{
    struct fixture f = open_all(VK_API_VERSION_1_1, 0, NULL, 0);
    struct vk_physical_device *physical = f.physical[0];
    VkPhysicalDevice handle = vk_physical_device_to_handle(physical);
    VkQueueFamilyGlobalPriorityPropertiesKHR priority = vk_struct_init(VkQueueFamilyGlobalPriorityPropertiesKHR);
    VkQueueFamilyProperties2 families[2] = {vk_struct_init(VkQueueFamilyProperties2)};
    families[0].pNext = &priority;
    priority.priorityCount = 7; /* what is left of another query */
    uint32_t count = 2;
    physical->dispatch.GetPhysicalDeviceQueueFamilyProperties2(handle, &count, families);
    assert_int_equal(count, 1);
    assert_int_equal(priority.priorityCount, 2);
    assert_int_equal(priority.priorities[0], VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR);
    assert_int_equal(priority.priorities[1], VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR);

    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = vk_struct_init(VkPhysicalDeviceMemoryBudgetPropertiesEXT);
    VkPhysicalDeviceMemoryProperties2 memory = vk_struct_init(VkPhysicalDeviceMemoryProperties2);
    memory.pNext = &budget;
    memset(budget.heapBudget, 0xee, sizeof(budget.heapBudget));
    memset(budget.heapUsage, 0xee, sizeof(budget.heapUsage));
    physical->memory.memoryHeapCount = 2;
    physical->memory.memoryHeaps[0].size = 1 << 20;
    vk_common_GetPhysicalDeviceMemoryProperties2(handle, &memory);
    assert_int_equal(memory.memoryProperties.memoryHeapCount, 2);
    assert_int_equal(budget.heapUsage[0], 8192);
    assert_int_equal(budget.heapBudget[0], 1 << 19); /* whole pages */
    assert_int_equal(budget.heapUsage[1], 0);
    assert_int_equal(budget.heapBudget[1], 4096); /* applications divide by it */
    assert_int_equal(budget.heapBudget[2], 0);
    assert_int_equal(budget.heapUsage[2], 0);

    /* A driver that does not say it. */
    f.physical[1]->memory.memoryHeapCount = 1;
    vk_common_GetPhysicalDeviceMemoryProperties2(vk_physical_device_to_handle(f.physical[1]), &memory);
    assert_int_equal(memory.memoryProperties.memoryHeapCount, 1);
    assert_int_equal(budget.heapBudget[0], 0);
    close_all(&f);
}

static void queries_of_1_0_are_those_of_1_1(void **state)
{
    struct fixture f = open_all(VK_API_VERSION_1_0, 0, NULL, 0);
    VkPhysicalDevice handle = vk_physical_device_to_handle(f.physical[0]);
    const struct vk_physical_device_dispatch *d = &f.physical[0]->dispatch;
    VkPhysicalDeviceFeatures features;
    d->GetPhysicalDeviceFeatures(handle, &features);
    assert_true(features.shaderInt64 && !features.geometryShader);
    VkPhysicalDeviceMemoryProperties memory;
    d->GetPhysicalDeviceMemoryProperties(handle, &memory);
    assert_true(memory.memoryHeaps[0].size == FAKE_MEMORY_SIZE_B);
    VkQueueFamilyProperties families[3] = {0};
    uint32_t count = 0;
    d->GetPhysicalDeviceQueueFamilyProperties(handle, &count, NULL);
    assert_int_equal(count, 1);
    count = 3;
    d->GetPhysicalDeviceQueueFamilyProperties(handle, &count, families);
    assert_int_equal(count, 1);
    assert_int_equal(families[0].queueCount, 1);
    count = 0;
    d->GetPhysicalDeviceQueueFamilyProperties(handle, &count, families);
    assert_int_equal(count, 0);
    VkImageFormatProperties image;
    assert_int_equal(d->GetPhysicalDeviceImageFormatProperties(handle, VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D,
                                                               VK_IMAGE_TILING_OPTIMAL, 0, 0, &image),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
    close_all(&f);
}

static void a_failing_driver_leaves_nothing_behind(void **state)
{
    struct fixture f = {0};
    assert_int_equal(create_instance(VK_API_VERSION_1_0, NULL, NULL, &f), VK_SUCCESS);
    fake_state.old_result = VK_ERROR_DEVICE_LOST;
    assert_int_equal(enumerate_devices(&f), VK_ERROR_DEVICE_LOST);
    assert_int_equal(fake_state.alive, 0);
    assert_null(from_instance(&f, "vkCmdPushDescriptorSetKHR"));
    fake_state.old_result = VK_SUCCESS;
    fake_state.unsound_extensions = true; /* a swapchain without surfaces */
    assert_int_equal(enumerate_devices(&f), VK_ERROR_INITIALIZATION_FAILED);
    assert_int_equal(fake_state.alive, 0);
    fake_state.unsound_extensions = false;
    assert_int_equal(enumerate_devices(&f), VK_SUCCESS);
    close_all(&f);
}

static void *enumerate_in_thread(void *instance)
{
    uint32_t count = 0;
    VkResult result = vk_common_EnumeratePhysicalDevices(instance, &count, NULL);
    PFN_vkVoidFunction function = vk_instance_get_proc_addr(instance, "vkCmdPushDescriptorSetKHR");
    return result == VK_SUCCESS && count == 2 && function ? instance : NULL;
}

static void threads_enumerate_once(void **state)
{
    for (unsigned round = 0; round < 50; round++) {
        struct fixture f = {0};
        assert_int_equal(create_instance(VK_API_VERSION_1_0, NULL, NULL, &f), VK_SUCCESS);
        pthread_t threads[4];
        for (unsigned i = 0; i < ARRAY_SIZE(threads); i++)
            assert_int_equal(pthread_create(&threads[i], NULL, enumerate_in_thread, f.instance), 0);
        for (unsigned i = 0; i < ARRAY_SIZE(threads); i++) {
            void *answer;
            pthread_join(threads[i], &answer);
            assert_ptr_equal(answer, f.instance);
        }
        assert_int_equal(fake_state.alive, 2);
        close_all(&f);
    }
}

/* Two layers that write down their order. */
static char order[16];
static const struct vk_layer outer_layer, inner_layer;

static VKAPI_ATTR void VKAPI_CALL outer_CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    strcat(order, "o");
    vk_device_next(((struct vk_object_base *)handle)->device, &outer_layer)->CmdDispatch(handle, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL inner_CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    strcat(order, "i");
    vk_device_next(((struct vk_object_base *)handle)->device, &inner_layer)->CmdDispatch(handle, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL inner_CmdSetCullMode(VkCommandBuffer handle, VkCullModeFlags mode)
{
    strcat(order, "c");
    vk_device_next(((struct vk_object_base *)handle)->device, &inner_layer)->CmdSetCullMode(handle, mode);
}

static const struct vk_device_dispatch outer_entrypoints = {.CmdDispatch = outer_CmdDispatch};
static const struct vk_device_dispatch inner_entrypoints = {
    .CmdDispatch = inner_CmdDispatch,
    .CmdSetCullMode = inner_CmdSetCullMode,
    .CmdDraw = (PFN_vkCmdDraw)(void *)order, /* the driver has no draws: the layer must not make one appear */
};
static const struct vk_layer outer_layer = {"outer", &outer_entrypoints};
static const struct vk_layer inner_layer = {"inner", &inner_entrypoints};

static void layers_are_called_in_order(void **state)
{
    static const struct vk_layer *const layers[] = {&outer_layer, &inner_layer};
    fake_state.layers = layers;
    fake_state.layer_count = 2;
    struct fixture f = open_all(VK_API_VERSION_1_3, 0, NULL, 0);
    VkCommandBuffer buffer = allocate_command_buffer(&f);

    ((PFN_vkCmdDispatch)from_device(&f, "vkCmdDispatch"))(buffer, 1, 1, 1);
    assert_string_equal(order, "oi");
    assert_int_equal(fake_state.dispatches, 1);
    order[0] = '\0';
    ((PFN_vkCmdDispatch)from_instance(&f, "vkCmdDispatch"))(buffer, 1, 1, 1);
    assert_string_equal(order, "oi");
    assert_int_equal(fake_state.dispatches, 2);
    order[0] = '\0';
    f.device->dispatch.CmdSetCullMode(buffer, 0);
    assert_string_equal(order, "c");
    assert_int_equal(fake_state.cull_modes, 1);

    assert_ptr_equal(vk_device_next(f.device, &outer_layer)->CmdDispatch, inner_CmdDispatch);
    assert_ptr_equal(vk_device_next(f.device, &inner_layer)->CmdDispatch, fake_CmdDispatch);
    assert_ptr_equal(vk_device_next(f.device, &outer_layer)->CmdSetCullMode, inner_CmdSetCullMode);
    /* A layer that this device lacks, reached by a function of another device. */
    assert_ptr_equal(vk_device_next(f.device, &vk_trace_layer), &f.device->dispatch);
    assert_ptr_equal(f.device->dispatch.QueueWaitIdle, fake_QueueWaitIdle);
    assert_null(from_device(&f, "vkCmdDraw"));
    f.device->dispatch.FreeCommandBuffers(vk_device_to_handle(f.device), VK_NULL_HANDLE, 1, &buffer);
    close_all(&f);
}

/* The trace layer's text on standard error, into `text`. */
static void trace_some_calls(char *text, size_t size_B)
{
    static const struct vk_layer *const layers[] = {&vk_trace_layer};
    fake_state.layers = layers;
    fake_state.layer_count = 1;
    FILE *capture = tmpfile();
    assert_non_null(capture);
    int saved = dup(STDERR_FILENO);
    struct fixture f = open_all(VK_API_VERSION_1_3, 0, NULL, 0);
    dup2(fileno(capture), STDERR_FILENO);

    VkDevice device = vk_device_to_handle(f.device);
    VkBufferCreateInfo info = vk_struct_init(VkBufferCreateInfo);
    info.size = 64;
    VkBuffer buffer = VK_NULL_HANDLE;
    f.device->dispatch.CreateBuffer(device, &info, NULL, &buffer);
    f.device->dispatch.DestroyBuffer(device, buffer, NULL);
    f.device->dispatch.GetDeviceProcAddr(device, "vkCmdDraw");
    VkCommandBuffer commands = allocate_command_buffer(&f);
    f.device->dispatch.FreeCommandBuffers(device, VK_NULL_HANDLE, 1, &commands);
    f.device->dispatch.DestroyDevice(device, NULL);
    f.device = NULL;

    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(capture);
    size_t length = fread(text, 1, size_B - 1, capture);
    text[length] = '\0';
    fclose(capture);

    char expected[128];
    snprintf(expected, sizeof(expected), "vkCreateBuffer -> VK_SUCCESS, *pBuffer=0x%llx\n", (unsigned long long)buffer);
    assert_non_null(strstr(text, expected));
    snprintf(expected, sizeof(expected),
             "vkDestroyBuffer(device=0x%llx, buffer=0x%llx, pAllocator=", (unsigned long long)device,
             (unsigned long long)buffer);
    assert_non_null(strstr(text, expected));
    snprintf(expected, sizeof(expected), "  pCommandBuffers[1]={0x%llx}\n", (unsigned long long)commands);
    char *returned = strstr(text, expected);
    assert_non_null(returned);
    assert_non_null(strstr(returned + 1, expected)); /* once allocated, once freed */
    close_all(&f);
}

static void the_trace_names_calls_handles_and_results(void **state)
{
    static char text[4096];
    trace_some_calls(text, sizeof(text));
    assert_non_null(strstr(text, "vkCreateBuffer(device=0x"));
    assert_non_null(strstr(text, ", pName=\"vkCmdDraw\")\n"));
    assert_non_null(strstr(text, "vkGetDeviceProcAddr -> NULL\n"));
    assert_non_null(strstr(text, "vkDestroyDevice(device=0x"));
}

/* An allocator that counts, and fails at its `fail_at`th allocation. */
struct counter {
    int alive;
    int made;
    int fail_at;
};

static VKAPI_ATTR void *VKAPI_CALL counting_alloc(void *user, size_t size_B, size_t alignment_B,
                                                  VkSystemAllocationScope scope)
{
    struct counter *counter = user;
    if (++counter->made == counter->fail_at)
        return NULL;
    counter->alive++;
    return malloc(size_B);
}

static VKAPI_ATTR void *VKAPI_CALL counting_realloc(void *user, void *memory, size_t size_B, size_t alignment_B,
                                                    VkSystemAllocationScope scope)
{
    return realloc(memory, size_B);
}

static VKAPI_ATTR void VKAPI_CALL counting_free(void *user, void *memory)
{
    struct counter *counter = user;
    counter->alive -= memory != NULL;
    free(memory);
}

static VkResult run_with_allocator(struct counter *counter)
{
    static const struct vk_layer *const layers[] = {&outer_layer};
    fake_state.layers = layers;
    fake_state.layer_count = 1;
    VkAllocationCallbacks callbacks = {counter, counting_alloc, counting_realloc, counting_free, NULL, NULL};
    struct fixture f = {0};
    VkResult result = create_instance(VK_API_VERSION_1_3, NULL, &callbacks, &f);
    if (result == VK_SUCCESS)
        result = enumerate_devices(&f);
    if (result == VK_SUCCESS)
        result = create_device(&f, 0, NULL, 0, &callbacks);
    if (f.device)
        f.device->dispatch.DestroyDevice(vk_device_to_handle(f.device), &callbacks);
    if (f.instance)
        f.instance->dispatch.DestroyInstance(vk_instance_to_handle(f.instance), &callbacks);
    return result;
}

static void every_lack_of_memory_is_reported_and_unwound(void **state)
{
    struct counter counter = {0};
    assert_int_equal(run_with_allocator(&counter), VK_SUCCESS);
    assert_int_equal(counter.alive, 0);
    int total = counter.made;
    assert_int_equal(total,
                     7); /* instance, two names, two physical devices, device, layers: all through the callbacks */
    for (int i = 1; i <= total; i++) {
        counter = (struct counter){.fail_at = i};
        assert_int_equal(run_with_allocator(&counter), VK_ERROR_OUT_OF_HOST_MEMORY);
        assert_int_equal(counter.alive, 0);
    }
    memset(&fake_state, 0, sizeof(fake_state));
}

static void null_handles_are_destroyed_in_peace(void **state)
{
    vk_common_DestroyInstance(VK_NULL_HANDLE, NULL);
    struct fixture f = open_all(VK_API_VERSION_1_0, 0, NULL, 0);
    f.device->dispatch.DestroyBuffer(vk_device_to_handle(f.device), VK_NULL_HANDLE, NULL);
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispatchable_objects_begin_with_the_magic),
        cmocka_unit_test(a_driver_wins_over_the_common_function),
        cmocka_unit_test(window_systems_stand_between_driver_and_common),
        cmocka_unit_test(trampolines_reach_the_right_driver),
        cmocka_unit_test(both_names_reach_one_function),
        cmocka_unit_test(the_device_answers_only_for_what_is_enabled),
        cmocka_unit_test(the_lower_version_counts),
        cmocka_unit_test(the_device_answers_only_for_its_own_level),
        cmocka_unit_test(the_instance_answers_by_the_specification),
        cmocka_unit_test(physical_device_functions_are_a_kind_of_their_own),
        cmocka_unit_test(no_name_answers_by_accident),
        cmocka_unit_test(what_a_driver_promised_and_has_not_is_found),
        cmocka_unit_test(unsupported_requests_are_refused),
        cmocka_unit_test(enumeration_keeps_the_two_call_rules),
        cmocka_unit_test(queues_and_heaps_are_the_drivers),
        cmocka_unit_test(queries_of_1_0_are_those_of_1_1),
        cmocka_unit_test(a_failing_driver_leaves_nothing_behind),
        cmocka_unit_test(threads_enumerate_once),
        cmocka_unit_test(layers_are_called_in_order),
        cmocka_unit_test(the_trace_names_calls_handles_and_results),
        cmocka_unit_test(every_lack_of_memory_is_reported_and_unwound),
        cmocka_unit_test(null_handles_are_destroyed_in_peace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
