/* See bench.h. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void bench_need(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "bench: failed: %s\n", what);
        exit(1);
    }
}

void bench_offer(bool condition, const char *what)
{
    if (!condition) {
        printf("not offered: %s\n", what);
        exit(BENCH_NOT_OFFERED);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare_doubles);
    return values[count / 2];
}

float bench_random_unit(uint64_t *state)
{
    return (float)(bench_random(state) >> 8) * 0x1p-24f;
}

uint32_t bench_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 32);
}

/* ---- device ---- */

static uint32_t find_family(struct bench *b)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(b->physical, &count, families);
    const VkQueueFlags wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    uint32_t family = 0;
    while (family < count && (families[family].queueFlags & wanted) != wanted)
        family++;
    bench_need(family < count, "a queue for graphics and compute");
    return family;
}

static void open_instance(struct bench *b, uint32_t version)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "bench", .apiVersion = version};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    BENCH_CHECK(vkCreateInstance(&instance, NULL, &b->instance));
    uint32_t count = 1;
    VkResult found = vkEnumeratePhysicalDevices(b->instance, &count, &b->physical);
    bench_need((found == VK_SUCCESS || found == VK_INCOMPLETE) && count, "a Vulkan device");
    vkGetPhysicalDeviceMemoryProperties(b->physical, &b->memory);
    vkGetPhysicalDeviceProperties(b->physical, &b->properties);
    VkPhysicalDeviceFeatures offered;
    vkGetPhysicalDeviceFeatures(b->physical, &offered);
    b->features = (VkPhysicalDeviceFeatures){.occlusionQueryPrecise = offered.occlusionQueryPrecise,
                                             .samplerAnisotropy = offered.samplerAnisotropy,
                                             .tessellationShader = offered.tessellationShader,
                                             .geometryShader = offered.geometryShader};
    b->family = find_family(b);
}

static void open_device(struct bench *b, const void *features)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = b->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .pEnabledFeatures = &b->features};
    BENCH_CHECK(vkCreateDevice(b->physical, &device, NULL, &b->device));
    vkGetDeviceQueue(b->device, b->family, 0, &b->queue);

    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = b->family};
    BENCH_CHECK(vkCreateCommandPool(b->device, &pool, NULL, &b->pool));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    BENCH_CHECK(vkCreateFence(b->device, &fence, NULL, &b->fence));
}

void bench_open(struct bench *b)
{
    open_instance(b, VK_API_VERSION_1_0);
    open_device(b, NULL);
}

void bench_open_narrow(struct bench *b, bool int8, bool float16)
{
    open_instance(b, VK_API_VERSION_1_2);
    bench_offer(b->properties.apiVersion >= VK_API_VERSION_1_2, "Vulkan 1.2");
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroup};
    vkGetPhysicalDeviceProperties2(b->physical, &properties);
    bench_offer(subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffles in subgroups");
    VkPhysicalDeviceShaderFloat16Int8Features narrow = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &narrow};
    vkGetPhysicalDeviceFeatures2(b->physical, &features);
    bench_offer(!int8 || narrow.shaderInt8, "shaderInt8");
    bench_offer(!float16 || narrow.shaderFloat16, "shaderFloat16");
    narrow.shaderInt8 = int8;
    narrow.shaderFloat16 = float16;
    open_device(b, &narrow);
}

void bench_close(struct bench *b)
{
    vkDestroyFence(b->device, b->fence, NULL);
    vkDestroyCommandPool(b->device, b->pool, NULL);
    vkDestroyDevice(b->device, NULL);
    vkDestroyInstance(b->instance, NULL);
}

/* ---- clocks ---- */

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct bench_took bench_now(void)
{
    return (struct bench_took){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

struct bench_took bench_since(struct bench_took start)
{
    struct bench_took now = bench_now();
    return (struct bench_took){now.clock_s - start.clock_s, now.cpu_s - start.cpu_s};
}

/* ---- memory ---- */

VkDeviceMemory bench_memory(struct bench *b, VkMemoryRequirements needs, VkMemoryPropertyFlags wanted)
{
    uint32_t type = 0;
    while (type < b->memory.memoryTypeCount &&
           (!(needs.memoryTypeBits >> type & 1) || (b->memory.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    bench_need(type < b->memory.memoryTypeCount, "a memory type");
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    VkDeviceMemory memory;
    BENCH_CHECK(vkAllocateMemory(b->device, &allocate, NULL, &memory));
    return memory;
}

static struct bench_buffer make_buffer(struct bench *b, VkDeviceSize size_B, VkMemoryPropertyFlags wanted)
{
    struct bench_buffer made = {.size_B = size_B};
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size_B,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    BENCH_CHECK(vkCreateBuffer(b->device, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(b->device, made.buffer, &needs);
    made.memory = bench_memory(b, needs, wanted);
    BENCH_CHECK(vkBindBufferMemory(b->device, made.buffer, made.memory, 0));
    return made;
}

struct bench_buffer bench_device_buffer(struct bench *b, VkDeviceSize size_B)
{
    return make_buffer(b, size_B, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

struct bench_buffer bench_buffer(struct bench *b, VkDeviceSize size_B, const void *data)
{
    struct bench_buffer made =
        make_buffer(b, size_B, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    BENCH_CHECK(vkMapMemory(b->device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.map));
    if (data)
        memcpy(made.map, data, size_B);
    else
        memset(made.map, 0, size_B);
    return made;
}

const void *bench_result(struct bench *b, void *data, size_t size_B)
{
    uint8_t *bytes = data;
    size_t first = size_B < 16 ? 0 : size_B / 2, count = size_B < 16 ? size_B : size_B / 8;
    for (size_t i = first; b->spoil && i < first + count; i++)
        bytes[i] ^= 0x55;
    return data;
}

/* ---- shaders and sets ---- */

VkShaderModule bench_module(struct bench *b, struct bench_spirv code)
{
    VkShaderModule module;
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size_B, .pCode = code.words};
    BENCH_CHECK(vkCreateShaderModule(b->device, &info, NULL, &module));
    return module;
}

/* A set of storage buffers and its layout. */
static VkDescriptorSetLayout make_set(struct bench *b, const struct bench_buffer *buffers, uint32_t count,
                                      VkDescriptorSet *set_out)
{
    VkDescriptorSetLayoutBinding bindings[16];
    bench_need(count && count <= 16, "at most 16 storage buffers");
    for (uint32_t i = 0; i < count; i++)
        bindings[i] =
            (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL};
    VkDescriptorSetLayout layout;
    const VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
    BENCH_CHECK(vkCreateDescriptorSetLayout(b->device, &layout_info, NULL, &layout));
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    BENCH_CHECK(vkCreateDescriptorPool(b->device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &layout};
    BENCH_CHECK(vkAllocateDescriptorSets(b->device, &allocate, set_out));
    for (uint32_t i = 0; i < count; i++) {
        const VkDescriptorBufferInfo buffer = {buffers[i].buffer, 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = *set_out,
                                            .dstBinding = i,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(b->device, 1, &write, 0, NULL);
    }
    return layout;
}

VkPipeline bench_compute_again(struct bench *b, VkShaderModule module, VkPipelineLayout layout, uint32_t constant)
{
    const VkSpecializationMapEntry entry = {0, 0, sizeof(constant)};
    const VkSpecializationInfo specialization = {1, &entry, sizeof(constant), &constant};
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                        .module = module,
                                                        .pName = "main",
                                                        .pSpecializationInfo = &specialization},
                                              .layout = layout};
    VkPipeline pipeline;
    BENCH_CHECK(vkCreateComputePipelines(b->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

struct bench_compute bench_compute(struct bench *b, struct bench_spirv code, const struct bench_buffer *buffers,
                                   uint32_t buffer_count, uint32_t push_B)
{
    struct bench_compute made;
    VkDescriptorSetLayout set_layout = make_set(b, buffers, buffer_count, &made.set);
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_B};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &set_layout,
                                               .pushConstantRangeCount = push_B ? 1 : 0,
                                               .pPushConstantRanges = &push};
    BENCH_CHECK(vkCreatePipelineLayout(b->device, &layout, NULL, &made.layout));
    made.module = bench_module(b, code);
    made.pipeline = bench_compute_again(b, made.module, made.layout, 0);
    return made;
}

/* ---- recording and running ---- */

void bench_begin(struct bench *b)
{
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = b->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    BENCH_CHECK(vkAllocateCommandBuffers(b->device, &allocate, &b->commands));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    BENCH_CHECK(vkBeginCommandBuffer(b->commands, &begin));
}

void bench_end(struct bench *b)
{
    BENCH_CHECK(vkEndCommandBuffer(b->commands));
}

void bench_dispatch(struct bench *b, const struct bench_compute *compute, const void *push, uint32_t push_B, uint32_t x,
                    uint32_t y, uint32_t z)
{
    vkCmdBindPipeline(b->commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->pipeline);
    vkCmdBindDescriptorSets(b->commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->layout, 0, 1, &compute->set, 0, NULL);
    if (push_B)
        vkCmdPushConstants(b->commands, compute->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_B, push);
    vkCmdDispatch(b->commands, x, y, z);
}

void bench_barrier(VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                         NULL);
}

struct bench_took bench_submit(struct bench *b, VkCommandBuffer commands)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    struct bench_took before = bench_now();
    BENCH_CHECK(vkQueueSubmit(b->queue, 1, &submit, b->fence));
    BENCH_CHECK(vkWaitForFences(b->device, 1, &b->fence, VK_TRUE, UINT64_MAX));
    struct bench_took took = bench_since(before);
    BENCH_CHECK(vkResetFences(b->device, 1, &b->fence));
    return took;
}
