/* Records barriers between two dispatches, one submission per barrier, for barrier_table.py, which reads the submitted
 * streams. It says nothing about what a driver must do: it prints the name of each row, in the order of the
 * submissions.
 *
 *     barrier_table [ROW]      on the first device; the row with this number alone, from 0 on
 *
 * The dispatch before the barrier has three workgroups and the one after it five: nothing else in the program has
 * these numbers. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include "barrier_table_spv.h"

#define S(name) VK_PIPELINE_STAGE_2_##name##_BIT
#define A(name) VK_ACCESS_2_##name##_BIT
#define L(name) VK_IMAGE_LAYOUT_##name
#define TESTS (S(EARLY_FRAGMENT_TESTS) | S(LATE_FRAGMENT_TESTS))
#define DEPTH_RW (A(DEPTH_STENCIL_ATTACHMENT_READ) | A(DEPTH_STENCIL_ATTACHMENT_WRITE))
#define COLOR_RW (A(COLOR_ATTACHMENT_READ) | A(COLOR_ATTACHMENT_WRITE))
#define ALL_RW (A(MEMORY_READ) | A(MEMORY_WRITE))

enum kind {
    MEMORY,
    BUFFER,
    COLOR,   /* small: RADV gives it no DCC */
    LARGE,   /* with DCC, where a driver has it */
    STORAGE, /* colour that shaders write */
    DEPTH,   /* depth and stencil */
    COLOR_MSAA,
    DEPTH_MSAA,
    KINDS
};

static const struct image_kind {
    VkFormat format;
    uint32_t size;
    VkSampleCountFlagBits samples;
    VkImageUsageFlags usage;
    VkImageAspectFlags aspects;
} image_kinds[KINDS] = {
    [COLOR] = {VK_FORMAT_R8G8B8A8_UNORM, 64, 1,
               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                   VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
               VK_IMAGE_ASPECT_COLOR_BIT},
    [LARGE] = {VK_FORMAT_R8G8B8A8_UNORM, 1024, 1,
               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                   VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
               VK_IMAGE_ASPECT_COLOR_BIT},
    [STORAGE] = {VK_FORMAT_R32_UINT, 64, 1,
                 VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                     VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                 VK_IMAGE_ASPECT_COLOR_BIT},
    [DEPTH] = {VK_FORMAT_D32_SFLOAT_S8_UINT, 256, 1,
               VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                   VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
               VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT},
    [COLOR_MSAA] = {VK_FORMAT_R8G8B8A8_UNORM, 256, VK_SAMPLE_COUNT_4_BIT,
                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                    VK_IMAGE_ASPECT_COLOR_BIT},
    [DEPTH_MSAA] = {VK_FORMAT_D32_SFLOAT, 256, VK_SAMPLE_COUNT_4_BIT,
                    VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                    VK_IMAGE_ASPECT_DEPTH_BIT},
};

struct row {
    const char *name;
    enum kind kind;
    VkPipelineStageFlags2 src_stages;
    VkAccessFlags2 src_access;
    VkPipelineStageFlags2 dst_stages;
    VkAccessFlags2 dst_access;
    VkImageLayout from, to;
    bool copy;    /* a small copy of a buffer stands before the barrier, too */
    bool compute; /* on the compute queue */
};

/* A function, because the 64-bit flags are no constants in C. */
static size_t fill_rows(struct row *rows)
{
    const VkPipelineStageFlags2 compute = S(COMPUTE_SHADER), vertex = S(VERTEX_SHADER), fragment = S(FRAGMENT_SHADER),
                                output = S(COLOR_ATTACHMENT_OUTPUT), copy = S(COPY), clear = S(CLEAR), blit = S(BLIT),
                                resolve = S(RESOLVE), indirect = S(DRAW_INDIRECT), all = S(ALL_COMMANDS),
                                transfer = S(ALL_TRANSFER), host = S(HOST), graphics = S(ALL_GRAPHICS),
                                none = VK_PIPELINE_STAGE_2_NONE, top = S(TOP_OF_PIPE), bottom = S(BOTTOM_OF_PIPE);
    const VkAccessFlags2 stored = A(SHADER_STORAGE_WRITE), loaded = A(SHADER_STORAGE_READ),
                         sampled = A(SHADER_SAMPLED_READ), uniform = A(UNIFORM_READ), read = A(SHADER_READ),
                         write = A(SHADER_WRITE), copied = A(TRANSFER_WRITE), from_copy = A(TRANSFER_READ);
    const struct row table[] = {
        /* memory barriers: what shaders wrote */
        {"memory: compute stores, compute loads", MEMORY, compute, stored, compute, loaded},
        {"memory: compute stores, compute loads and stores", MEMORY, compute, stored, compute, loaded | stored},
        {"memory: compute stores, compute samples", MEMORY, compute, stored, compute, sampled},
        {"memory: compute stores, compute uniforms", MEMORY, compute, stored, compute, uniform},
        {"memory: compute writes, compute reads", MEMORY, compute, write, compute, read},
        {"memory: compute stores, vertex loads", MEMORY, compute, stored, vertex, loaded},
        {"memory: compute stores, fragment samples", MEMORY, compute, stored, fragment, sampled},
        {"memory: compute stores, vertex attributes", MEMORY, compute, stored, S(VERTEX_ATTRIBUTE_INPUT),
         A(VERTEX_ATTRIBUTE_READ)},
        {"memory: compute stores, indices", MEMORY, compute, stored, S(INDEX_INPUT), A(INDEX_READ)},
        {"memory: compute stores, vertex input", MEMORY, compute, stored, S(VERTEX_INPUT),
         A(INDEX_READ) | A(VERTEX_ATTRIBUTE_READ)},
        {"memory: compute stores, indirect arguments", MEMORY, compute, stored, indirect, A(INDIRECT_COMMAND_READ)},
        {"memory: compute stores, copied from", MEMORY, compute, stored, copy, from_copy},
        {"memory: compute stores, host reads", MEMORY, compute, stored, host, A(HOST_READ)},
        {"memory: compute stores, all", MEMORY, compute, stored, all, ALL_RW},
        {"memory: vertex stores, fragment loads", MEMORY, vertex, stored, fragment, loaded},
        {"memory: vertex stores, compute loads", MEMORY, vertex, stored, compute, loaded},
        {"memory: fragment stores, compute loads", MEMORY, fragment, stored, compute, loaded},
        {"memory: fragment stores, fragment loads", MEMORY, fragment, stored, fragment, loaded},
        {"memory: fragment stores, indirect arguments", MEMORY, fragment, stored, indirect, A(INDIRECT_COMMAND_READ)},
        {"memory: fragment stores, host reads", MEMORY, fragment, stored, host, A(HOST_READ)},
        /* what transfers wrote */
        {"memory: copied, compute loads", MEMORY, copy, copied, compute, loaded, 0, 0, true},
        {"memory: copied, uniforms of all shaders", MEMORY, copy, copied, vertex | fragment | compute, uniform, 0, 0,
         true},
        {"memory: copied, vertex attributes", MEMORY, copy, copied, S(VERTEX_ATTRIBUTE_INPUT), A(VERTEX_ATTRIBUTE_READ),
         0, 0, true},
        {"memory: copied, indices", MEMORY, copy, copied, S(INDEX_INPUT), A(INDEX_READ), 0, 0, true},
        {"memory: copied, indirect arguments", MEMORY, copy, copied, indirect, A(INDIRECT_COMMAND_READ), 0, 0, true},
        {"memory: copied, fragment samples", MEMORY, copy, copied, fragment, sampled, 0, 0, true},
        {"memory: copied, copied from", MEMORY, copy, copied, copy, from_copy, 0, 0, true},
        {"memory: copied, copied over", MEMORY, copy, copied, copy, copied, 0, 0, true},
        {"memory: copied, host reads", MEMORY, copy, copied, host, A(HOST_READ), 0, 0, true},
        {"memory: transferred, all", MEMORY, transfer, copied, all, ALL_RW, 0, 0, true},
        {"memory: cleared, compute loads", MEMORY, clear, copied, compute, loaded, 0, 0, true},
        /* what targets wrote, and the wide ones */
        {"memory: colour, compute loads", MEMORY, output, A(COLOR_ATTACHMENT_WRITE), compute, loaded},
        {"memory: colour, fragment samples", MEMORY, output, A(COLOR_ATTACHMENT_WRITE), fragment, sampled},
        {"memory: colour, colour", MEMORY, output, A(COLOR_ATTACHMENT_WRITE), output, COLOR_RW},
        {"memory: colour, host reads", MEMORY, output, A(COLOR_ATTACHMENT_WRITE), host, A(HOST_READ)},
        {"memory: depth, fragment samples", MEMORY, TESTS, A(DEPTH_STENCIL_ATTACHMENT_WRITE), fragment, sampled},
        {"memory: depth, depth", MEMORY, TESTS, A(DEPTH_STENCIL_ATTACHMENT_WRITE), TESTS, DEPTH_RW},
        {"memory: graphics, compute", MEMORY, graphics, A(MEMORY_WRITE), compute, read | write},
        {"memory: compute, graphics", MEMORY, compute, write, graphics, A(MEMORY_READ)},
        {"memory: all, all", MEMORY, all, ALL_RW, all, ALL_RW},
        {"memory: all writes, host reads", MEMORY, all, A(MEMORY_WRITE), host, A(HOST_READ)},
        {"memory: host writes, compute loads", MEMORY, host, A(HOST_WRITE), compute, loaded | uniform},
        {"memory: host writes, indirect arguments", MEMORY, host, A(HOST_WRITE), indirect, A(INDIRECT_COMMAND_READ)},
        {"memory: host writes, copied from", MEMORY, host, A(HOST_WRITE), copy, from_copy},
        /* executions alone */
        {"execution: compute, compute", MEMORY, compute, 0, compute, 0},
        {"execution: fragment, compute", MEMORY, fragment, 0, compute, 0},
        {"execution: vertex, compute", MEMORY, vertex, 0, compute, 0},
        {"execution: vertex input, copy", MEMORY, S(VERTEX_INPUT), 0, copy, 0},
        {"execution: indirect, compute", MEMORY, indirect, 0, compute, 0},
        {"execution: copy, copy", MEMORY, copy, 0, copy, 0, 0, 0, true},
        {"execution: late tests, early tests", MEMORY, S(LATE_FRAGMENT_TESTS), 0, S(EARLY_FRAGMENT_TESTS), 0},
        {"execution: top, bottom", MEMORY, top, 0, bottom, 0},
        {"execution: bottom, top", MEMORY, bottom, 0, top, 0},
        {"execution: none, none", MEMORY, none, 0, none, 0},
        {"execution: none, compute loads", MEMORY, none, 0, compute, loaded},
        /* buffers */
        {"buffer: compute stores, compute loads", BUFFER, compute, stored, compute, loaded},
        {"buffer: compute stores, indirect arguments", BUFFER, compute, stored, indirect, A(INDIRECT_COMMAND_READ)},
        {"buffer: copied, compute uniforms", BUFFER, copy, copied, compute, uniform, 0, 0, true},
        {"buffer: compute stores, host reads", BUFFER, compute, stored, host, A(HOST_READ)},
        {"buffer: fragment stores, vertex attributes", BUFFER, fragment, stored, S(VERTEX_ATTRIBUTE_INPUT),
         A(VERTEX_ATTRIBUTE_READ)},
        /* images */
        {"colour: undefined to target", COLOR, none, 0, output, COLOR_RW, L(UNDEFINED), L(COLOR_ATTACHMENT_OPTIMAL)},
        {"colour: undefined to copied over", COLOR, none, 0, copy, copied, L(UNDEFINED), L(TRANSFER_DST_OPTIMAL)},
        {"colour: target to sampled", COLOR, output, A(COLOR_ATTACHMENT_WRITE), fragment, sampled,
         L(COLOR_ATTACHMENT_OPTIMAL), L(SHADER_READ_ONLY_OPTIMAL)},
        {"colour: target to sampled by compute", COLOR, output, A(COLOR_ATTACHMENT_WRITE), compute, sampled,
         L(COLOR_ATTACHMENT_OPTIMAL), L(SHADER_READ_ONLY_OPTIMAL)},
        {"colour: target to copied from", COLOR, output, A(COLOR_ATTACHMENT_WRITE), copy, from_copy,
         L(COLOR_ATTACHMENT_OPTIMAL), L(TRANSFER_SRC_OPTIMAL)},
        {"colour: target to input", COLOR, output, A(COLOR_ATTACHMENT_WRITE), fragment, A(INPUT_ATTACHMENT_READ),
         L(COLOR_ATTACHMENT_OPTIMAL), L(SHADER_READ_ONLY_OPTIMAL)},
        {"colour: target to target", COLOR, output, A(COLOR_ATTACHMENT_WRITE), output, COLOR_RW,
         L(COLOR_ATTACHMENT_OPTIMAL), L(COLOR_ATTACHMENT_OPTIMAL)},
        {"colour: input to target", COLOR, fragment, A(INPUT_ATTACHMENT_READ), output, COLOR_RW,
         L(SHADER_READ_ONLY_OPTIMAL), L(COLOR_ATTACHMENT_OPTIMAL)},
        {"colour: copied over to sampled", COLOR, copy, copied, fragment, sampled, L(TRANSFER_DST_OPTIMAL),
         L(SHADER_READ_ONLY_OPTIMAL)},
        {"colour: copied over to copied from", COLOR, copy, copied, copy, from_copy, L(TRANSFER_DST_OPTIMAL),
         L(TRANSFER_SRC_OPTIMAL)},
        {"colour: copied over to target", COLOR, copy, copied, output, COLOR_RW, L(TRANSFER_DST_OPTIMAL),
         L(COLOR_ATTACHMENT_OPTIMAL)},
        {"colour: blitted over to blitted from", COLOR, blit, copied, blit, from_copy, L(TRANSFER_DST_OPTIMAL),
         L(TRANSFER_SRC_OPTIMAL)},
        {"colour: cleared to target", COLOR, clear, copied, output, COLOR_RW, L(TRANSFER_DST_OPTIMAL),
         L(COLOR_ATTACHMENT_OPTIMAL)},
        {"colour: sampled to target", COLOR, fragment, sampled, output, COLOR_RW, L(SHADER_READ_ONLY_OPTIMAL),
         L(COLOR_ATTACHMENT_OPTIMAL)},
        {"colour: copied from to copied over", COLOR, copy, from_copy, copy, copied, L(TRANSFER_SRC_OPTIMAL),
         L(TRANSFER_DST_OPTIMAL)},
        {"colour: general to general, all", COLOR, all, ALL_RW, all, ALL_RW, L(GENERAL), L(GENERAL)},
        {"large colour: target to sampled", LARGE, output, A(COLOR_ATTACHMENT_WRITE), fragment, sampled,
         L(COLOR_ATTACHMENT_OPTIMAL), L(SHADER_READ_ONLY_OPTIMAL)},
        {"large colour: target to copied from", LARGE, output, A(COLOR_ATTACHMENT_WRITE), copy, from_copy,
         L(COLOR_ATTACHMENT_OPTIMAL), L(TRANSFER_SRC_OPTIMAL)},
        {"large colour: copied over to sampled", LARGE, copy, copied, fragment, sampled, L(TRANSFER_DST_OPTIMAL),
         L(SHADER_READ_ONLY_OPTIMAL)},
        {"large colour: target to general, compute", LARGE, output, A(COLOR_ATTACHMENT_WRITE), compute, sampled,
         L(COLOR_ATTACHMENT_OPTIMAL), L(GENERAL)},
        {"storage: undefined to general", STORAGE, none, 0, compute, stored, L(UNDEFINED), L(GENERAL)},
        {"storage: stored to loaded", STORAGE, compute, stored, compute, loaded, L(GENERAL), L(GENERAL)},
        {"storage: stored to sampled", STORAGE, compute, stored, fragment, sampled, L(GENERAL),
         L(SHADER_READ_ONLY_OPTIMAL)},
        {"storage: stored to copied from", STORAGE, compute, stored, copy, from_copy, L(GENERAL),
         L(TRANSFER_SRC_OPTIMAL)},
        {"storage: sampled to stored", STORAGE, fragment, sampled, compute, stored, L(SHADER_READ_ONLY_OPTIMAL),
         L(GENERAL)},
        {"storage: copied over to stored", STORAGE, copy, copied, compute, loaded | stored, L(TRANSFER_DST_OPTIMAL),
         L(GENERAL)},
        {"depth: undefined to target", DEPTH, none, 0, TESTS, DEPTH_RW, L(UNDEFINED),
         L(DEPTH_STENCIL_ATTACHMENT_OPTIMAL)},
        {"depth: target to sampled", DEPTH, TESTS, A(DEPTH_STENCIL_ATTACHMENT_WRITE), fragment, sampled,
         L(DEPTH_STENCIL_ATTACHMENT_OPTIMAL), L(DEPTH_STENCIL_READ_ONLY_OPTIMAL)},
        {"depth: target to sampled by compute", DEPTH, S(LATE_FRAGMENT_TESTS), A(DEPTH_STENCIL_ATTACHMENT_WRITE),
         compute, sampled, L(DEPTH_STENCIL_ATTACHMENT_OPTIMAL), L(SHADER_READ_ONLY_OPTIMAL)},
        {"depth: target to copied from", DEPTH, TESTS, A(DEPTH_STENCIL_ATTACHMENT_WRITE), copy, from_copy,
         L(DEPTH_STENCIL_ATTACHMENT_OPTIMAL), L(TRANSFER_SRC_OPTIMAL)},
        {"depth: copied over to target", DEPTH, copy, copied, TESTS, DEPTH_RW, L(TRANSFER_DST_OPTIMAL),
         L(DEPTH_STENCIL_ATTACHMENT_OPTIMAL)},
        {"depth: copied over to sampled", DEPTH, copy, copied, fragment, sampled, L(TRANSFER_DST_OPTIMAL),
         L(DEPTH_STENCIL_READ_ONLY_OPTIMAL)},
        {"depth: cleared to sampled", DEPTH, clear, copied, fragment, sampled, L(TRANSFER_DST_OPTIMAL),
         L(DEPTH_STENCIL_READ_ONLY_OPTIMAL)},
        {"depth: sampled to target", DEPTH, fragment, sampled, TESTS, DEPTH_RW, L(DEPTH_STENCIL_READ_ONLY_OPTIMAL),
         L(DEPTH_STENCIL_ATTACHMENT_OPTIMAL)},
        {"colour of samples: target to resolved", COLOR_MSAA, output, A(COLOR_ATTACHMENT_WRITE), resolve, from_copy,
         L(COLOR_ATTACHMENT_OPTIMAL), L(TRANSFER_SRC_OPTIMAL)},
        {"colour of samples: target to sampled", COLOR_MSAA, output, A(COLOR_ATTACHMENT_WRITE), fragment, sampled,
         L(COLOR_ATTACHMENT_OPTIMAL), L(SHADER_READ_ONLY_OPTIMAL)},
        {"depth of samples: target to sampled", DEPTH_MSAA, TESTS, A(DEPTH_STENCIL_ATTACHMENT_WRITE), fragment, sampled,
         L(DEPTH_STENCIL_ATTACHMENT_OPTIMAL), L(SHADER_READ_ONLY_OPTIMAL)},
        /* the compute queue, which has no front, no pixels and no targets */
        {"compute queue: stores, loads", MEMORY, compute, stored, compute, loaded, 0, 0, false, true},
        {"compute queue: stores, uniforms", MEMORY, compute, stored, compute, uniform, 0, 0, false, true},
        {"compute queue: stores, indirect arguments", MEMORY, compute, stored, indirect, A(INDIRECT_COMMAND_READ), 0, 0,
         false, true},
        {"compute queue: copied, loads", MEMORY, copy, copied, compute, loaded, 0, 0, true, true},
        {"compute queue: stores, host reads", MEMORY, compute, stored, host, A(HOST_READ), 0, 0, false, true},
        {"compute queue: all, all", MEMORY, all, ALL_RW, all, ALL_RW, 0, 0, false, true},
    };
    memcpy(rows, table, sizeof(table));
    return sizeof(table) / sizeof(table[0]);
}

static VkPhysicalDevice gpu;
static VkDevice device;
static VkQueue queues[2]; /* graphics, compute */
static uint32_t families[2];
static VkCommandPool pools[2];
static VkPipeline pipeline;
static VkBuffer buffers[2];

static void need_condition(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "barrier_table: %s\n", what);
        exit(1);
    }
}

#define CHECK(call) need_condition((call) == VK_SUCCESS, #call)

static void open_device(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                          .pApplicationInfo = &application};
    VkInstance instance;
    CHECK(vkCreateInstance(&instance_info, NULL, &instance));
    uint32_t count = 1;
    need_condition(vkEnumeratePhysicalDevices(instance, &count, &gpu) >= 0 && count == 1, "no device");
    VkQueueFamilyProperties found[16];
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu, &count, found);
    families[0] = families[1] = UINT32_MAX;
    for (uint32_t i = count; i-- > 0;) {
        if (found[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)
            families[0] = i;
        else if (found[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            families[1] = i;
    }
    if (families[0] == UINT32_MAX) { /* without graphics the first queue will do */
        families[0] = families[1];
        families[1] = UINT32_MAX;
    }
    need_condition(families[0] != UINT32_MAX, "no queue");
    const uint32_t family_count = families[1] == UINT32_MAX ? 1 : 2;
    float priority = 1;
    VkDeviceQueueCreateInfo queue_infos[2];
    for (unsigned i = 0; i < family_count; i++)
        queue_infos[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                   .queueFamilyIndex = families[i],
                                                   .queueCount = 1,
                                                   .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan13Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                 .synchronization2 = VK_TRUE};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = family_count,
                               .pQueueCreateInfos = queue_infos};
    CHECK(vkCreateDevice(gpu, &info, NULL, &device));
    for (unsigned i = 0; i < family_count; i++) {
        vkGetDeviceQueue(device, families[i], 0, &queues[i]);
        VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .queueFamilyIndex = families[i]};
        CHECK(vkCreateCommandPool(device, &pool, NULL, &pools[i]));
    }
}

static VkDeviceMemory allocate_memory(VkMemoryRequirements requirements)
{
    uint32_t type = 0;
    while (!(requirements.memoryTypeBits & 1u << type))
        type++;
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = requirements.size, .memoryTypeIndex = type};
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(device, &info, NULL, &memory));
    return memory;
}

static void make_buffers_and_pipeline(void)
{
    for (unsigned i = 0; i < 2; i++) {
        VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = 4096,
                                   .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                            VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT};
        CHECK(vkCreateBuffer(device, &info, NULL, &buffers[i]));
        VkMemoryRequirements requirements;
        vkGetBufferMemoryRequirements(device, buffers[i], &requirements);
        CHECK(vkBindBufferMemory(device, buffers[i], allocate_memory(requirements), 0));
    }
    VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = sizeof(barrier_table_spv),
                                            .pCode = barrier_table_spv};
    VkShaderModule module;
    CHECK(vkCreateShaderModule(device, &module_info, NULL, &module));
    VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkPipelineLayout layout;
    CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main"},
                                        .layout = layout};
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
}

static VkImage make_image(const struct image_kind *kind)
{
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = kind->format,
                              .extent = {kind->size, kind->size, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = kind->samples,
                              .usage = kind->usage};
    VkImage image;
    CHECK(vkCreateImage(device, &info, NULL, &image));
    VkMemoryRequirements requirements;
    vkGetImageMemoryRequirements(device, image, &requirements);
    CHECK(vkBindImageMemory(device, image, allocate_memory(requirements), 0));
    return image;
}

static VkCommandBuffer begin_commands(bool compute)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pools[compute],
                                        .commandBufferCount = 1};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(device, &info, &commands));
    VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    CHECK(vkBeginCommandBuffer(commands, &begin_info));
    return commands;
}

static void submit_commands(VkCommandBuffer commands, bool compute)
{
    CHECK(vkEndCommandBuffer(commands));
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    CHECK(vkQueueSubmit(queues[compute], 1, &info, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queues[compute]));
}

static VkImageMemoryBarrier2 image_barrier(const struct row *row, VkImage image)
{
    return (VkImageMemoryBarrier2){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                   .srcStageMask = row->src_stages,
                                   .srcAccessMask = row->src_access,
                                   .dstStageMask = row->dst_stages,
                                   .dstAccessMask = row->dst_access,
                                   .oldLayout = row->from,
                                   .newLayout = row->to,
                                   .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                   .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                   .image = image,
                                   .subresourceRange = {image_kinds[row->kind].aspects, 0, 1, 0, 1}};
}

/* The layout that the row starts with, in a submission without the numbers that mark one. */
static void prepare_image(const struct row *row, VkImage image)
{
    if (row->from == VK_IMAGE_LAYOUT_UNDEFINED)
        return;
    struct row first = {
        .kind = row->kind, .dst_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, .dst_access = ALL_RW, .to = row->from};
    VkImageMemoryBarrier2 barrier = image_barrier(&first, image);
    VkDependencyInfo dependency = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier};
    VkCommandBuffer commands = begin_commands(false);
    vkCmdPipelineBarrier2(commands, &dependency);
    submit_commands(commands, false);
}

static void run_row(const struct row *row)
{
    VkImage image = row->kind >= COLOR ? make_image(&image_kinds[row->kind]) : VK_NULL_HANDLE;
    if (image)
        prepare_image(row, image);
    VkMemoryBarrier2 memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                               .srcStageMask = row->src_stages,
                               .srcAccessMask = row->src_access,
                               .dstStageMask = row->dst_stages,
                               .dstAccessMask = row->dst_access};
    VkBufferMemoryBarrier2 buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                     .srcStageMask = row->src_stages,
                                     .srcAccessMask = row->src_access,
                                     .dstStageMask = row->dst_stages,
                                     .dstAccessMask = row->dst_access,
                                     .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .buffer = buffers[1],
                                     .size = VK_WHOLE_SIZE};
    VkImageMemoryBarrier2 of_image = image_barrier(row, image);
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .memoryBarrierCount = row->kind == MEMORY,
                                   .pMemoryBarriers = &memory,
                                   .bufferMemoryBarrierCount = row->kind == BUFFER,
                                   .pBufferMemoryBarriers = &buffer,
                                   .imageMemoryBarrierCount = row->kind >= COLOR,
                                   .pImageMemoryBarriers = &of_image};
    VkCommandBuffer commands = begin_commands(row->compute);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(commands, 3, 1, 1);
    if (row->copy)
        vkCmdCopyBuffer(commands, buffers[0], buffers[1], 1, &(VkBufferCopy){0, 0, 64});
    vkCmdPipelineBarrier2(commands, &dependency);
    vkCmdDispatch(commands, 5, 1, 1);
    submit_commands(commands, row->compute);
    printf("row %s\n", row->name);
}

int main(int argc, char **argv)
{
    static struct row rows[256];
    const size_t all = fill_rows(rows), first = argc > 1 ? strtoul(argv[1], NULL, 10) : 0,
                 end = argc > 1 && first < all ? first + 1 : all;
    open_device();
    make_buffers_and_pipeline();
    for (size_t i = first; i < end; i++) {
        if (!rows[i].compute || queues[1]) /* not every GPU has a queue for compute alone */
            run_row(&rows[i]);
    }
    return 0;
}
