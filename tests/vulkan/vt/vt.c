/* See vt.h. */
#include "vt/vt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vt_resource {
    struct vt_resource *older;
    void (*destroy)(struct vt *vt, uint64_t handle);
    uint64_t handle;
};

void vt_fail(struct vt *vt, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(vt->message, sizeof(vt->message), format, args);
    va_end(args);
    longjmp(vt->end, 1);
}

void vt_skip(struct vt *vt, const char *reason)
{
    snprintf(vt->message, sizeof(vt->message), "%s", reason);
    vt->skipped = true;
    longjmp(vt->end, 1);
}

void vt_defer(struct vt *vt, void (*destroy)(struct vt *vt, uint64_t handle), uint64_t handle)
{
    struct vt_resource *resource = malloc(sizeof(*resource));
    if (!resource)
        abort();
    *resource = (struct vt_resource){vt->resources, destroy, handle};
    vt->resources = resource;
}

void vt_free_resources(struct vt *vt)
{
    vkDeviceWaitIdle(vt->device);
    while (vt->resources) {
        struct vt_resource *resource = vt->resources;
        vt->resources = resource->older;
        resource->destroy(vt, resource->handle);
        free(resource);
    }
}

uint32_t vt_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 32);
}

void vt_expect_words(struct vt *vt, const uint32_t *got, const uint32_t *expected, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        if (got[i] != expected[i])
            vt_fail(vt, "%s: word %zu is 0x%08x, expected 0x%08x", what, i, got[i], expected[i]);
    }
}

/* ---- memory and buffers ---- */

static void destroy_buffer(struct vt *vt, uint64_t handle)
{
    vkDestroyBuffer(vt->device, (VkBuffer)handle, NULL);
}

static void destroy_memory(struct vt *vt, uint64_t handle)
{
    vkFreeMemory(vt->device, (VkDeviceMemory)handle, NULL);
}

static uint32_t find_memory(struct vt *vt, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < vt->memory.memoryTypeCount; i++) {
        if ((allowed >> i & 1) && (vt->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    }
    vt_fail(vt, "no memory type with properties 0x%x among 0x%x", wanted, allowed);
}

static struct vt_buffer make_buffer(struct vt *vt, VkDeviceSize size_B, VkBufferUsageFlags more,
                                    VkMemoryPropertyFlags wanted)
{
    struct vt_buffer made = {.size_B = size_B};
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size_B,
        .usage = more | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                 (vt->has[VT_ACCELERATION_STRUCTURE]
                      ? VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                            VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR
                      : 0) |
                 (vt->has[VT_RAY_TRACING_PIPELINE] ? VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR : 0) |
                 (vt->has[VT_CONDITIONAL_RENDERING] ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT : 0) |
                 (vt->has[VT_TRANSFORM_FEEDBACK] ? VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                                                       VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT
                                                 : 0),
    };
    VT_CHECK(vt, vkCreateBuffer(vt->device, &info, NULL, &made.buffer));
    vt_defer(vt, destroy_buffer, (uint64_t)made.buffer);

    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vt->device, made.buffer, &needs);
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = needs.size,
        .memoryTypeIndex = find_memory(vt, needs.memoryTypeBits, wanted),
    };
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &made.memory));
    vt_defer(vt, destroy_memory, (uint64_t)made.memory);
    VT_CHECK(vt, vkBindBufferMemory(vt->device, made.buffer, made.memory, 0));
    VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = made.buffer};
    made.address = vkGetBufferDeviceAddress(vt->device, &address);
    return made;
}

struct vt_buffer vt_buffer_of_usage(struct vt *vt, VkDeviceSize size_B, VkBufferUsageFlags more)
{
    struct vt_buffer made =
        make_buffer(vt, size_B, more, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    VT_CHECK(vt, vkMapMemory(vt->device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.map));
    memset(made.map, 0, size_B);
    return made;
}

static void destroy_query_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyQueryPool(vt->device, (VkQueryPool)handle, NULL);
}

VkQueryPool vt_query_pool(struct vt *vt, VkQueryType type, uint32_t count, VkQueryPipelineStatisticFlags statistics)
{
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = type,
                                        .queryCount = count,
                                        .pipelineStatistics = statistics};
    VkQueryPool pool;
    VT_CHECK(vt, vkCreateQueryPool(vt->device, &info, NULL, &pool));
    vt_defer(vt, destroy_query_pool, (uint64_t)pool);
    return pool;
}

struct vt_buffer vt_buffer(struct vt *vt, VkDeviceSize size_B, const void *data)
{
    struct vt_buffer made = vt_buffer_of_usage(vt, size_B, 0);
    if (data)
        memcpy(made.map, data, size_B);
    return made;
}

struct vt_buffer vt_local_buffer(struct vt *vt, VkDeviceSize size_B)
{
    return make_buffer(vt, size_B, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

/* ---- compute ---- */

void vt_destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

void vt_destroy_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyPipelineLayout(vt->device, (VkPipelineLayout)handle, NULL);
}

void vt_destroy_set_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorSetLayout(vt->device, (VkDescriptorSetLayout)handle, NULL);
}

void vt_destroy_set_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorPool(vt->device, (VkDescriptorPool)handle, NULL);
}

void vt_destroy_module(struct vt *vt, uint64_t handle)
{
    vkDestroyShaderModule(vt->device, (VkShaderModule)handle, NULL);
}

struct vt_compute vt_compute(struct vt *vt, struct vt_spirv code, uint32_t buffers, const VkSpecializationInfo *specialization)
{
    struct vt_compute made;
    VkDescriptorSetLayoutBinding bindings[16];
    for (uint32_t i = 0; i < buffers; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = buffers, .pBindings = bindings};
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &set_info, NULL, &made.set_layout));
    vt_defer(vt, vt_destroy_set_layout, (uint64_t)made.set_layout);

    VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
    VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .setLayoutCount = 1,
                                              .pSetLayouts = &made.set_layout,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &push};
    VT_CHECK(vt, vkCreatePipelineLayout(vt->device, &layout_info, NULL, &made.layout));
    vt_defer(vt, vt_destroy_layout, (uint64_t)made.layout);

    VkShaderModule module;
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size_B, .pCode = code.words};
    VT_CHECK(vt, vkCreateShaderModule(vt->device, &module_info, NULL, &module));
    vt_defer(vt, vt_destroy_module, (uint64_t)module);
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main",
                                                  .pSpecializationInfo = specialization},
                                        .layout = made.layout};
    VT_CHECK(vt, vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &made.pipeline));
    vt_defer(vt, vt_destroy_pipeline, (uint64_t)made.pipeline);
    return made;
}

VkDescriptorSet vt_storage_set(struct vt *vt, VkDescriptorSetLayout layout, const struct vt_buffer *const *buffers, uint32_t count)
{
    VkDescriptorPool pool;
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count ? count : 1};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, vt_destroy_set_pool, (uint64_t)pool);

    VkDescriptorSet set;
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &allocate, &set));
    for (uint32_t i = 0; i < count; i++) {
        VkDescriptorBufferInfo buffer = {buffers[i]->buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(vt->device, 1, &write, 0, NULL);
    }
    return set;
}

/* ---- recording ---- */

VkCommandBuffer vt_begin(struct vt *vt)
{
    VkCommandBuffer commands;
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = vt->commands,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &allocate, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &begin));
    return commands;
}

static void destroy_fence(struct vt *vt, uint64_t handle)
{
    vkDestroyFence(vt->device, (VkFence)handle, NULL);
}

void vt_submit(struct vt *vt, VkCommandBuffer commands)
{
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    VkFence fence;
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VT_CHECK(vt, vkCreateFence(vt->device, &info, NULL, &fence));
    vt_defer(vt, destroy_fence, (uint64_t)fence);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &submit, fence));
    VT_CHECK(vt, vkWaitForFences(vt->device, 1, &fence, VK_TRUE, 60000000000ull));
}

void vt_full_barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, NULL, 0, NULL);
}

void vt_run_compute(struct vt *vt, struct vt_spirv code, const struct vt_buffer *const *buffers, uint32_t count, const void *push, uint32_t push_B,
                    uint32_t x, uint32_t y, uint32_t z)
{
    struct vt_compute compute = vt_compute(vt, code, count, NULL);
    VkDescriptorSet set = vt_storage_set(vt, compute.set_layout, buffers, count);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &set, 0, NULL);
    if (push_B)
        vkCmdPushConstants(commands, compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_B, push);
    vkCmdDispatch(commands, x, y, z);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}
