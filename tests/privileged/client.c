/* A Vulkan program that reaches all that our environment variables change in a library: it opens a GPU, submits work
 * and presents a picture, to a headless surface. Without the loader, which has rules of its own for privileged
 * programs. Says whether it is one: whether the kernel gave it more rights than its caller has.
 *
 *     client LIBRARY [FILE_LIMIT]      the largest file from the submission on, in bytes */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr get;
static VkInstance instance;
static const char *file_limit;

#define GET(name) PFN_##name name = (PFN_##name)get(instance, #name)
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        VkResult result_ = (call);                                                                                     \
        if (result_ != VK_SUCCESS) {                                                                                   \
            printf("%s: VkResult %d\n", #call, result_);                                                               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void create_instance(void)
{
    static const char *const extensions[] = {"VK_KHR_surface", "VK_EXT_headless_surface"};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = extensions};
    GET(vkCreateInstance);
    CHECK(vkCreateInstance(&info, NULL, &instance));
}

static VkDevice create_device(VkPhysicalDevice physical)
{
    static const char *const extension = "VK_KHR_swapchain";
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = &extension};
    VkDevice device;
    GET(vkCreateDevice);
    CHECK(vkCreateDevice(physical, &info, NULL, &device));
    return device;
}

static VkSwapchainKHR create_swapchain(VkDevice device, VkSurfaceKHR surface)
{
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .surface = surface,
                                     .minImageCount = 3,
                                     .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                     .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
                                     .imageExtent = {64, 64},
                                     .imageArrayLayers = 1,
                                     .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                     .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                     .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                     .presentMode = VK_PRESENT_MODE_FIFO_KHR};
    VkSwapchainKHR swapchain;
    GET(vkCreateSwapchainKHR);
    CHECK(vkCreateSwapchainKHR(device, &info, NULL, &swapchain));
    return swapchain;
}

static void move_to(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    GET(vkCmdPipelineBarrier);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL,
                         1, &barrier);
}

static VkCommandBuffer record_commands(VkDevice device, VkImage image)
{
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    GET(vkCreateCommandPool);
    CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    VkCommandBuffer commands;
    GET(vkAllocateCommandBuffers);
    CHECK(vkAllocateCommandBuffers(device, &allocate, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    GET(vkBeginCommandBuffer);
    CHECK(vkBeginCommandBuffer(commands, &begin));
    move_to(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkClearColorValue colour = {.float32 = {0.25f, 0.5f, 0.75f, 1}};
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    GET(vkCmdClearColorImage);
    vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &range);
    /* Clears may be done by the command processor alone; a scaled blit runs a shader. */
    move_to(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageBlit blit = {layers, {{0, 0, 0}, {4, 4, 1}}, layers, {{8, 8, 0}, {16, 16, 1}}};
    GET(vkCmdBlitImage);
    vkCmdBlitImage(commands, image, VK_IMAGE_LAYOUT_GENERAL, image, VK_IMAGE_LAYOUT_GENERAL, 1, &blit,
                   VK_FILTER_NEAREST);
    move_to(commands, image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    GET(vkEndCommandBuffer);
    CHECK(vkEndCommandBuffer(commands));
    return commands;
}

static void present_image(VkDevice device, VkSwapchainKHR swapchain)
{
    VkQueue queue;
    GET(vkGetDeviceQueue);
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkFence fence;
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    GET(vkCreateFence);
    CHECK(vkCreateFence(device, &fence_info, NULL, &fence));
    VkImage images[8];
    uint32_t count = 8, index;
    GET(vkGetSwapchainImagesKHR);
    CHECK(vkGetSwapchainImagesKHR(device, swapchain, &count, images));
    GET(vkAcquireNextImageKHR);
    CHECK(vkAcquireNextImageKHR(device, swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &index));
    GET(vkWaitForFences);
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    VkCommandBuffer commands = record_commands(device, images[index]);
    if (file_limit)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){strtoul(file_limit, NULL, 10), RLIM_INFINITY});
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    GET(vkQueueSubmit);
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    GET(vkDeviceWaitIdle);
    CHECK(vkDeviceWaitIdle(device));
    VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                             .swapchainCount = 1,
                             .pSwapchains = &swapchain,
                             .pImageIndices = &index};
    GET(vkQueuePresentKHR);
    CHECK(vkQueuePresentKHR(queue, &info));
    CHECK(vkDeviceWaitIdle(device));
    GET(vkDestroySwapchainKHR);
    vkDestroySwapchainKHR(device, swapchain, NULL);
}

int main(int argc, char **argv)
{
    printf("privileged %d\n", getauxval(AT_SECURE) != 0);
    fflush(stdout);
    file_limit = argc > 2 ? argv[2] : NULL;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library)
        *(void **)&get = dlsym(library, "vk_icdGetInstanceProcAddr");
    if (!get) {
        printf("no library: %s\n", argc > 1 ? dlerror() : "client LIBRARY");
        return 1;
    }
    create_instance();
    VkPhysicalDevice physical;
    uint32_t count = 1;
    GET(vkEnumeratePhysicalDevices);
    VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
    count = found < 0 ? 0 : count;
    printf("devices %u\n", count);
    if (!count)
        return 1;
    VkSurfaceKHR surface;
    VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    GET(vkCreateHeadlessSurfaceEXT);
    CHECK(vkCreateHeadlessSurfaceEXT(instance, &info, NULL, &surface));
    VkDevice device = create_device(physical);
    present_image(device, create_swapchain(device, surface));
    GET(vkDestroyDevice);
    vkDestroyDevice(device, NULL);
    printf("done\n");
    return 0;
}
