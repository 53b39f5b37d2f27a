/* The smallest real program: y = a * x + y on the first Vulkan device, compared with the host's arithmetic. Plain C on
 * the loader. saxpy [COUNT [ROUNDS]]; ends with 0 when every element is right. Not for: features; the runner has those.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan.h>

#include "saxpy_spv.h"

#define GROUP 64

struct arguments {
    float a;
    uint32_t count;
};

struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    float *map;
};

struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    struct buffer x, y;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
};

static void check_result(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        fprintf(stderr, "saxpy: %s: VkResult %d\n", what, result);
        exit(2);
    }
}

#define CHECK(call) check_result((call), #call)

static void open_device(struct program *p)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "saxpy", .apiVersion = VK_API_VERSION_1_0};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    CHECK(vkCreateInstance(&instance, NULL, &p->instance));
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(p->instance, &count, &p->physical);
    if (count == 0 || (result != VK_SUCCESS && result != VK_INCOMPLETE))
        check_result(VK_ERROR_INITIALIZATION_FAILED, "no Vulkan device");
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(p->physical, &properties);
    printf("device: %s\n", properties.deviceName);

    /* SAXPY_FAMILY chooses the queue family: a Radeon has one for graphics and one for compute alone. */
    VkQueueFamilyProperties families[8];
    uint32_t family_count = 8;
    vkGetPhysicalDeviceQueueFamilyProperties(p->physical, &family_count, families);
    const char *family = getenv("SAXPY_FAMILY");
    p->family = family ? (uint32_t)strtoul(family, NULL, 10) : 0;
    if (p->family >= family_count || !(families[p->family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        check_result(VK_ERROR_FEATURE_NOT_PRESENT, "the queue family");
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = p->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    CHECK(vkCreateDevice(p->physical, &device, NULL, &p->device));
    vkGetDeviceQueue(p->device, p->family, 0, &p->queue);
}

static struct buffer create_buffer(struct program *p, uint32_t count)
{
    struct buffer b;
    const VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = (VkDeviceSize)count * sizeof(float),
                                       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    CHECK(vkCreateBuffer(p->device, &create, NULL, &b.buffer));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(p->device, b.buffer, &need);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(p->physical, &memory);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type < memory.memoryTypeCount &&
           (!(need.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = type};
    CHECK(vkAllocateMemory(p->device, &allocate, NULL, &b.memory));
    CHECK(vkBindBufferMemory(p->device, b.buffer, b.memory, 0));
    CHECK(vkMapMemory(p->device, b.memory, 0, VK_WHOLE_SIZE, 0, (void **)&b.map));
    return b;
}

static void create_set(struct program *p)
{
    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    CHECK(vkCreateDescriptorSetLayout(p->device, &layout, NULL, &p->set_layout));
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    CHECK(vkCreateDescriptorPool(p->device, &pool, NULL, &p->set_pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = p->set_pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &p->set_layout};
    CHECK(vkAllocateDescriptorSets(p->device, &allocate, &p->set));
    const VkDescriptorBufferInfo buffers[2] = {{p->x.buffer, 0, VK_WHOLE_SIZE}, {p->y.buffer, 0, VK_WHOLE_SIZE}};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = p->set,
                                        .descriptorCount = 2,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = buffers};
    vkUpdateDescriptorSets(p->device, 1, &write, 0, NULL);
}

static void create_pipeline(struct program *p)
{
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct arguments)};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &p->set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(p->device, &layout, NULL, &p->layout));
    const VkShaderModuleCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(saxpy_spv), .pCode = saxpy_spv};
    VkShaderModule module;
    CHECK(vkCreateShaderModule(p->device, &create, NULL, &module));
    const VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = p->layout};
    CHECK(vkCreateComputePipelines(p->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &p->pipeline));
    vkDestroyShaderModule(p->device, module, NULL);
}

/* One dispatch per round; a round reads what the one before it wrote. */
static void record_dispatches(struct program *p, const struct arguments *arguments, uint32_t rounds)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = p->family};
    CHECK(vkCreateCommandPool(p->device, &pool, NULL, &p->pool));
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = p->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(p->device, &allocate, &p->commands));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(p->commands, &begin));
    vkCmdBindPipeline(p->commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    vkCmdBindDescriptorSets(p->commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &p->set, 0, NULL);
    vkCmdPushConstants(p->commands, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(*arguments), arguments);
    for (uint32_t i = 0; i < rounds; i++) {
        const bool last = i + 1 == rounds;
        const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                         .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                         .dstAccessMask = last ? VK_ACCESS_HOST_READ_BIT : VK_ACCESS_SHADER_READ_BIT};
        vkCmdDispatch(p->commands, (arguments->count + GROUP - 1) / GROUP, 1, 1);
        vkCmdPipelineBarrier(p->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             last ? VK_PIPELINE_STAGE_HOST_BIT : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier,
                             0, NULL, 0, NULL);
    }
    CHECK(vkEndCommandBuffer(p->commands));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    CHECK(vkCreateFence(p->device, &fence, NULL, &p->fence));
}

static double run_rounds(struct program *p)
{
    struct timespec begin, end;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &p->commands};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    CHECK(vkQueueSubmit(p->queue, 1, &submit, p->fence));
    CHECK(vkWaitForFences(p->device, 1, &p->fence, VK_TRUE, UINT64_MAX));
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
}

static float input_x(uint32_t i)
{
    return (float)(i % 1021) * 0.25f - 100;
}

static float input_y(uint32_t i)
{
    return (float)(i % 509) * 0.5f + 3;
}

/* A driver may contract a * x + y into one rounding or keep two; every round may choose anew only as the compiler did.
 */
static uint32_t count_wrong(const struct program *p, const struct arguments *arguments, uint32_t rounds)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < arguments->count; i++) {
        float fused = input_y(i), split = input_y(i);
        for (uint32_t n = 0; n < rounds; n++) {
            volatile float product = arguments->a * input_x(i);
            fused = fmaf(arguments->a, input_x(i), fused);
            split = product + split;
        }
        if (p->y.map[i] != fused && p->y.map[i] != split && ++wrong <= 8)
            fprintf(stderr, "saxpy: y[%u] is %.9g, must be %.9g or %.9g\n", i, p->y.map[i], fused, split);
    }
    return wrong;
}

static void close_device(struct program *p)
{
    const struct buffer *buffers[2] = {&p->x, &p->y};
    vkDestroyFence(p->device, p->fence, NULL);
    vkDestroyCommandPool(p->device, p->pool, NULL);
    vkDestroyPipeline(p->device, p->pipeline, NULL);
    vkDestroyPipelineLayout(p->device, p->layout, NULL);
    vkDestroyDescriptorPool(p->device, p->set_pool, NULL);
    vkDestroyDescriptorSetLayout(p->device, p->set_layout, NULL);
    for (unsigned i = 0; i < 2; i++) {
        vkDestroyBuffer(p->device, buffers[i]->buffer, NULL);
        vkFreeMemory(p->device, buffers[i]->memory, NULL);
    }
    vkDestroyDevice(p->device, NULL);
    vkDestroyInstance(p->instance, NULL);
}

int main(int argc, char **argv)
{
    const struct arguments arguments = {1.7f, argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10007};
    const uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    struct program p = {0};
    open_device(&p);
    p.x = create_buffer(&p, arguments.count);
    p.y = create_buffer(&p, arguments.count);
    for (uint32_t i = 0; i < arguments.count; i++) {
        p.x.map[i] = input_x(i);
        p.y.map[i] = input_y(i);
    }
    create_set(&p);
    create_pipeline(&p);
    record_dispatches(&p, &arguments, rounds);
    double seconds = run_rounds(&p);
    uint32_t wrong = count_wrong(&p, &arguments, rounds);
    printf("%u elements, %u rounds, %u wrong, %.6f s, %.3f GB/s\n", arguments.count, rounds, wrong, seconds,
           12.0 * arguments.count * rounds / seconds * 1e-9);
    close_device(&p);
    return wrong != 0;
}
