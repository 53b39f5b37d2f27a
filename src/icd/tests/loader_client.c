/* A small Vulkan program, linked with the system's loader: prints what it sees, one fact per line, for judge_loader.py.
 *
 *     loader_client devices            instance and enumeration
 *     loader_client device [invalid]   a device of the newest GPU and calls on every kind of handle; `invalid` makes
 *                                      one wrong call
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

static VkInstance instance;
static VkPhysicalDevice gpus[8];
static uint32_t gpu_count = 8;
static VkPhysicalDevice newest; /* layers may change the order */

static VkResult create_instance(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkResult result = vkCreateInstance(&info, NULL, &instance);
    printf("vkCreateInstance %d\n", result);
    return result;
}

static void list_devices(void)
{
    uint32_t version = 0, extension_count = 0;
    vkEnumerateInstanceVersion(&version);
    printf("version %u.%u\n", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    VkExtensionProperties extensions[64];
    extension_count = 64;
    vkEnumerateInstanceExtensionProperties(NULL, &extension_count, extensions);
    for (uint32_t i = 0; i < extension_count; i++)
        printf("extension %s\n", extensions[i].extensionName);

    VkResult result = vkEnumeratePhysicalDevices(instance, &gpu_count, gpus);
    if (result < 0)
        gpu_count = 0;
    printf("vkEnumeratePhysicalDevices %d %u\n", result, gpu_count);
    for (uint32_t i = 0; i < gpu_count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(gpus[i], &properties);
        if (properties.apiVersion >= VK_API_VERSION_1_3)
            newest = gpus[i];
        VkPhysicalDeviceMemoryProperties memory;
        vkGetPhysicalDeviceMemoryProperties(gpus[i], &memory);
        printf("gpu 0x%x %u.%u %s, %llu bytes\n", properties.vendorID, VK_API_VERSION_MAJOR(properties.apiVersion),
               VK_API_VERSION_MINOR(properties.apiVersion), properties.deviceName,
               (unsigned long long)memory.memoryHeaps[0].size);
    }
    VkPhysicalDeviceGroupProperties groups[8];
    for (uint32_t i = 0; i < 8; i++)
        groups[i] = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
    uint32_t group_count = gpu_count ? 8 : 0;
    if (gpu_count) {
        result = vkEnumeratePhysicalDeviceGroups(instance, &group_count, groups);
        printf("vkEnumeratePhysicalDeviceGroups %d %u\n", result, group_count);
    }
}

static VkDevice create_device(void)
{
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .timelineSemaphore = VK_TRUE};
    static const char *const extensions[] = {"VK_KHR_push_descriptor"};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = extensions};
    VkDevice device = VK_NULL_HANDLE;
    printf("vkCreateDevice %d\n", vkCreateDevice(newest, &info, NULL, &device));
    return device;
}

static void use_buffer(VkDevice device, VkDeviceSize size)
{
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    printf("vkCreateBuffer %d\n", vkCreateBuffer(device, &info, NULL, &buffer));
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(device, buffer, &requirements);
    printf("vkGetBufferMemoryRequirements %llu\n", (unsigned long long)requirements.size);
    vkDestroyBuffer(device, buffer, NULL);
}

static void use_command_buffer(VkDevice device)
{
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool = VK_NULL_HANDLE;
    vkCreateCommandPool(device, &pool_info, NULL, &pool);
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    printf("vkAllocateCommandBuffers %d\n", vkAllocateCommandBuffers(device, &info, &buffer));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    printf("vkBeginCommandBuffer %d\n", vkBeginCommandBuffer(buffer, &begin));
    vkCmdSetCullMode(buffer, VK_CULL_MODE_BACK_BIT);
    printf("vkEndCommandBuffer %d\n", vkEndCommandBuffer(buffer));
    vkFreeCommandBuffers(device, pool, 1, &buffer);
    vkDestroyCommandPool(device, pool, NULL);
}

static void ask_names(VkDevice device)
{
    static const char *const names[] = {"vkCmdPushDescriptorSetKHR", "vkCmdSetCullMode", "vkCmdSetCullModeEXT",
                                        "vkCreateSwapchainKHR"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        printf("vkGetDeviceProcAddr %s %s\n", names[i], vkGetDeviceProcAddr(device, names[i]) ? "function" : "NULL");
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT get =
        (PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)vkGetInstanceProcAddr(
            instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT");
    uint32_t count = 9;
    if (get) {
        VkResult result = get(newest, &count, NULL);
        printf("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT %d %u\n", result, count);
    }
}

int main(int argc, char **argv)
{
    bool device_mode = argc > 1 && strcmp(argv[1], "device") == 0;
    bool invalid = argc > 2 && strcmp(argv[2], "invalid") == 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (create_instance() != VK_SUCCESS)
        return 0;
    list_devices();
    VkDevice device = device_mode && newest ? create_device() : VK_NULL_HANDLE;
    if (device) {
        VkQueue queue = VK_NULL_HANDLE;
        vkGetDeviceQueue(device, 0, 0, &queue);
        printf("vkQueueWaitIdle %d\n", queue ? vkQueueWaitIdle(queue) : -1);
        use_buffer(device, invalid ? 0 : 4096);
        use_command_buffer(device);
        ask_names(device);
        printf("vkDeviceWaitIdle %d\n", vkDeviceWaitIdle(device));
        vkDestroyDevice(device, NULL);
    }
    vkDestroyInstance(instance, NULL);
    printf("done\n");
    return 0;
}
