/* A program whose shader never ends, or reads where nothing is: the device is lost, within seconds, and no
 * other. A second VkDevice in the same process computes before, while and after. Plain C on the loader.
 *
 *     device_lost endless | unmapped [everywhere | asked]
 *
 * With `everywhere` the loss must be reported at the first wait, and by every command that can report it. Prints the
 * address that is read, with `asked` waits for a line then, and ends with 0 when all of it was so. device_lost.py reads
 * the model's report besides. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan.h>

#include "device_lost_spv.h"

#define COUNT 256u
#define GROUP 64u
#define PATIENCE_S 20.0 /* for the loss; a loaded machine is slow */

enum what {
    COMPUTE,
    ENDLESS,
    UNMAPPED,
};

struct arguments {
    VkDeviceAddress result, elsewhere;
    uint32_t what;
};

struct device {
    VkDevice device;
    VkQueue queue;
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *map;
    VkDeviceAddress address;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkCommandPool pool;
    VkFence fence;
};

static VkPhysicalDevice physical;

static void need_condition(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "device_lost: %s\n", what);
        exit(1);
    }
}
#define CHECK(call) need_condition((call) == VK_SUCCESS, #call)

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static VkInstance open_instance(void)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "device_lost",
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                         .pApplicationInfo = &application};
    VkInstance instance;
    uint32_t count = 1;
    CHECK(vkCreateInstance(&create, NULL, &instance));
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
    need_condition(count == 1 && (result == VK_SUCCESS || result == VK_INCOMPLETE), "no Vulkan device");
    return instance;
}

/* ---- a device and what it computes on ---- */

static VkDeviceMemory allocate_memory(struct device *d, VkBuffer buffer)
{
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties properties;
    vkGetBufferMemoryRequirements(d->device, buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    uint32_t type = 0;
    while (type < properties.memoryTypeCount &&
           (!(needs.memoryTypeBits >> type & 1) || (properties.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo create = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .pNext = &flags,
                                         .allocationSize = needs.size,
                                         .memoryTypeIndex = type};
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(d->device, &create, NULL, &memory));
    CHECK(vkBindBufferMemory(d->device, buffer, memory, 0));
    return memory;
}

static VkBuffer create_buffer(struct device *d, VkDeviceSize size_B)
{
    const VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = size_B,
                                       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                                VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    VkBuffer buffer;
    CHECK(vkCreateBuffer(d->device, &create, NULL, &buffer));
    return buffer;
}

static VkDeviceAddress address_of(struct device *d, VkBuffer buffer)
{
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
    return vkGetBufferDeviceAddress(d->device, &info);
}

static void create_pipeline(struct device *d)
{
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct arguments)};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(d->device, &layout, NULL, &d->layout));
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = sizeof(device_lost_spv),
                                           .pCode = device_lost_spv};
    VkShaderModule module;
    CHECK(vkCreateShaderModule(d->device, &code, NULL, &module));
    const VkComputePipelineCreateInfo create = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                          .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                          .module = module,
                                                          .pName = "main"},
                                                .layout = d->layout};
    CHECK(vkCreateComputePipelines(d->device, VK_NULL_HANDLE, 1, &create, NULL, &d->pipeline));
    vkDestroyShaderModule(d->device, module, NULL);
}

static struct device open_device(void)
{
    struct device d = {0};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .bufferDeviceAddress = VK_TRUE,
                                                 .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    CHECK(vkCreateDevice(physical, &create, NULL, &d.device));
    vkGetDeviceQueue(d.device, 0, 0, &d.queue);
    d.buffer = create_buffer(&d, COUNT * sizeof(uint32_t));
    d.memory = allocate_memory(&d, d.buffer);
    d.address = address_of(&d, d.buffer);
    CHECK(vkMapMemory(d.device, d.memory, 0, VK_WHOLE_SIZE, 0, (void **)&d.map));
    create_pipeline(&d);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    CHECK(vkCreateCommandPool(d.device, &pool, NULL, &d.pool));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    CHECK(vkCreateFence(d.device, &fence, NULL, &d.fence));
    return d;
}

static void close_device(struct device *d)
{
    vkDestroyFence(d->device, d->fence, NULL);
    vkDestroyCommandPool(d->device, d->pool, NULL);
    vkDestroyPipeline(d->device, d->pipeline, NULL);
    vkDestroyPipelineLayout(d->device, d->layout, NULL);
    vkDestroyBuffer(d->device, d->buffer, NULL);
    vkFreeMemory(d->device, d->memory, NULL);
    vkDestroyDevice(d->device, NULL);
}

/* ---- work ---- */

static VkResult submit_work(struct device *d, enum what what, VkDeviceAddress elsewhere)
{
    const VkCommandBufferAllocateInfo create = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = d->pool,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    const struct arguments arguments = {d->address, elsewhere, what};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(d->device, &create, &commands));
    CHECK(vkBeginCommandBuffer(commands, &begin));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipeline);
    vkCmdPushConstants(commands, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(arguments), &arguments);
    vkCmdDispatch(commands, COUNT / GROUP, 1, 1);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    CHECK(vkEndCommandBuffer(commands));
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    return vkQueueSubmit(d->queue, 1, &info, d->fence);
}

static void compute_right(struct device *d, const char *when)
{
    memset(d->map, 0, COUNT * sizeof(d->map[0]));
    CHECK(submit_work(d, COMPUTE, d->address));
    CHECK(vkWaitForFences(d->device, 1, &d->fence, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(d->device, 1, &d->fence));
    for (uint32_t i = 0; i < COUNT; i++)
        need_condition(d->map[i] == i * i + 7, when);
}

static bool everywhere;

/* Every command that can report the loss, and none may wait. */
static void ask_everywhere(struct device *d)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo create = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore timeline;
    CHECK(vkCreateSemaphore(d->device, &create, NULL, &timeline));
    uint64_t value = 1;
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &timeline,
                                      .pValues = &value};
    const VkSubmitInfo nothing = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
#define LOST(call) need_condition((call) == VK_ERROR_DEVICE_LOST, #call " does not tell of the loss")
    for (int again = 0; again < 2; again++) {
        LOST(vkGetFenceStatus(d->device, d->fence));
        LOST(vkWaitForFences(d->device, 1, &d->fence, VK_TRUE, UINT64_MAX));
        LOST(vkQueueWaitIdle(d->queue));
        LOST(vkDeviceWaitIdle(d->device));
        LOST(vkWaitSemaphores(d->device, &wait, UINT64_MAX));
        LOST(vkGetSemaphoreCounterValue(d->device, timeline, &value));
        value = 1;
        LOST(vkQueueSubmit(d->queue, 0, NULL, VK_NULL_HANDLE));
        LOST(vkQueueSubmit(d->queue, 1, &nothing, VK_NULL_HANDLE));
        LOST(submit_work(d, COMPUTE, d->address));
    }
#undef LOST
    vkDestroySemaphore(d->device, timeline, NULL);
}

/* A driver may say so at the submission itself, if the GPU was quick, when it waits, or at a later submission: RADV
 * 22.3.6 does the last. */
static double lose_device(struct device *d, enum what what, VkDeviceAddress elsewhere, struct device *other)
{
    double start_s = now_s();
    VkResult result = submit_work(d, what, elsewhere);
    compute_right(other, "the other device computes wrong while this one is being lost");
    if (result == VK_SUCCESS)
        result = vkWaitForFences(d->device, 1, &d->fence, VK_TRUE, (uint64_t)(PATIENCE_S * 1e9));
    while (!everywhere && result != VK_ERROR_DEVICE_LOST && now_s() - start_s < PATIENCE_S) {
        need_condition(result == VK_SUCCESS || result == VK_TIMEOUT, "a wait that neither ends nor loses the device");
        CHECK(vkResetFences(d->device, 1, &d->fence));
        result = submit_work(d, COMPUTE, d->address);
        if (result == VK_SUCCESS)
            result = vkWaitForFences(d->device, 1, &d->fence, VK_TRUE, (uint64_t)(PATIENCE_S * 1e9));
    }
    need_condition(result == VK_ERROR_DEVICE_LOST, "the device was not lost");
    double time_s = now_s() - start_s;
    if (everywhere)
        ask_everywhere(d);
    return time_s;
}

/* Where a buffer was that is gone. */
static VkDeviceAddress stale_address(struct device *d)
{
    VkBuffer buffer = create_buffer(d, 64 << 20);
    VkDeviceMemory memory = allocate_memory(d, buffer);
    VkDeviceAddress address = address_of(d, buffer);
    vkDestroyBuffer(d->device, buffer, NULL);
    vkFreeMemory(d->device, memory, NULL);
    return address + (32 << 20);
}

int main(int argc, char **argv)
{
    everywhere = argc == 3 && strcmp(argv[2], "everywhere") == 0;
    bool asked = argc == 3 && strcmp(argv[2], "asked") == 0, counted = argc == 2 || everywhere || asked;
    enum what what = counted && strcmp(argv[1], "endless") == 0    ? ENDLESS
                     : counted && strcmp(argv[1], "unmapped") == 0 ? UNMAPPED
                                                                   : COMPUTE;
    if (what == COMPUTE) {
        fprintf(stderr, "usage: device_lost endless | unmapped [everywhere | asked]\n");
        return 2;
    }
    VkInstance instance = open_instance();
    struct device lost = open_device(), other = open_device();
    compute_right(&lost, "wrong before anything was lost");
    compute_right(&other, "the other device computes wrong before anything was lost");
    VkDeviceAddress elsewhere = what == UNMAPPED ? stale_address(&lost) : lost.address;
    printf("address 0x%llx\n", (unsigned long long)elsewhere);
    fflush(stdout);
    if (asked)
        (void)getchar();
    memset(lost.map, 0, COUNT * sizeof(lost.map[0]));
    printf("lost after %.2f s\n", lose_device(&lost, what, elsewhere, &other));
    compute_right(&other, "the other device computes wrong afterwards");
    close_device(&lost);
    compute_right(&other, "the other device computes wrong when the lost one is gone");
    struct device again = open_device();
    compute_right(&again, "a device made afterwards computes wrong");
    close_device(&again);
    close_device(&other);
    vkDestroyInstance(instance, NULL);
    return 0;
}
