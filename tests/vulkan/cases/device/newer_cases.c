/* Extensions that are newer than the headers of Debian 12 (maintenance5, maintenance6 and map_memory2), and the version
 * 1.4. The older validation layers do not know them, so under validation the device is opened without and the cases
 * skip. */
#include <string.h>

#include "vt/vt_graphics.h"
#include "vulkan/runtime/gen/vk_newer.h"

static void need_extension(struct vt *vt, enum vt_extension extension, const char *what)
{
    if (!vt->has[extension])
        vt_skip(vt, what);
}

static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

/* ---- commands with structures ---- */

#define GROUPS 32

static void fill_push(uint32_t values[GROUPS])
{
    for (uint32_t i = 0; i < GROUPS; i++)
        values[i] = 1000 * i + 7;
}

static void expect_pushed(struct vt *vt, const struct vt_buffer *result, const char *what)
{
    uint32_t expected[GROUPS * 32], values[GROUPS];
    fill_push(values);
    for (uint32_t i = 0; i < GROUPS * 32; i++)
        expected[i] = values[i / 32] + i % 32;
    vt_expect_words(vt, result->map, expected, GROUPS * 32, what);
}

static void push_values(struct vt *vt, VkCommandBuffer commands, VkPipelineLayout layout)
{
    uint32_t values[GROUPS];
    fill_push(values);
    VkPushConstantsInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR,
                                   .layout = layout,
                                   .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                   .size = sizeof(values),
                                   .pValues = values};
    VT_LOAD(vt, CmdPushConstants2KHR)(commands, &info);
}

static void case_bind_sets(struct vt *vt, const void *argument)
{
    need_extension(vt, VT_MAINTENANCE6, "no maintenance6");
    struct vt_buffer result = vt_buffer(vt, GROUPS * 32 * 4, NULL);
    struct vt_compute compute = vt_compute(vt, vt_push_comp, 1, NULL);
    const struct vt_buffer *buffers[] = {&result};
    VkDescriptorSet set = vt_storage_set(vt, compute.set_layout, buffers, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    VkBindDescriptorSetsInfoKHR info = {.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR,
                                        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                        .layout = compute.layout,
                                        .descriptorSetCount = 1,
                                        .pDescriptorSets = &set};
    VT_LOAD(vt, CmdBindDescriptorSets2KHR)(commands, &info);
    push_values(vt, commands, compute.layout);
    vkCmdDispatch(commands, GROUPS, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    expect_pushed(vt, &result, "sets and push constants by structures");
}

static void destroy_template(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorUpdateTemplate(vt->device, (VkDescriptorUpdateTemplate)handle, NULL);
}

/* By writes, or by a template. */
static void case_push_set(struct vt *vt, const void *argument)
{
    const bool by_template = argument != NULL;
    need_extension(vt, VT_MAINTENANCE6, "no maintenance6");
    need_extension(vt, VT_PUSH_DESCRIPTOR, "no push descriptors");
    struct vt_buffer result = vt_buffer(vt, GROUPS * 32 * 4, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(result);
    VkDescriptorSetLayout set_layout =
        vt_set_layout(vt, &binding, 1, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set_layout, 1);
    VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = vt_push_comp.size_B,
                                     .pCode = vt_push_comp.words};
    need_extension(vt, VT_MAINTENANCE5, "no maintenance5, so no stages without modules");
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .pNext = &code,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main"},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);

    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    VkDescriptorBufferInfo buffer = {result.buffer, 0, VK_WHOLE_SIZE};
    if (by_template) {
        VkDescriptorUpdateTemplateEntry entry = {.descriptorCount = 1,
                                                 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
        VkDescriptorUpdateTemplateCreateInfo template_info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
            .descriptorUpdateEntryCount = 1,
            .pDescriptorUpdateEntries = &entry,
            .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
            .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
            .pipelineLayout = layout};
        VkDescriptorUpdateTemplate template;
        VT_CHECK(vt, vkCreateDescriptorUpdateTemplate(vt->device, &template_info, NULL, &template));
        vt_defer(vt, destroy_template, (uint64_t) template);
        VkPushDescriptorSetWithTemplateInfoKHR pushed = {
            .sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO_KHR,
            .descriptorUpdateTemplate = template,
            .layout = layout,
            .pData = &buffer};
        VT_LOAD(vt, CmdPushDescriptorSetWithTemplate2KHR)(commands, &pushed);
    } else {
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        VkPushDescriptorSetInfoKHR pushed = {.sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO_KHR,
                                             .stageFlags = VK_SHADER_STAGE_ALL,
                                             .layout = layout,
                                             .descriptorWriteCount = 1,
                                             .pDescriptorWrites = &write};
        VT_LOAD(vt, CmdPushDescriptorSet2KHR)(commands, &pushed);
    }
    push_values(vt, commands, layout);
    vkCmdDispatch(commands, GROUPS, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    expect_pushed(vt, &result, "a pushed set by a structure");
}

/* ---- flags of 64 bits ---- */

/* DISPATCH_BASE stands in the wide flags alone: without it the base would not be allowed, and a driver might compile a
 * shader that does not look at it. */
static void case_wide_flags(struct vt *vt, const void *argument)
{
    need_extension(vt, VT_MAINTENANCE5, "no maintenance5");
    enum {
        BASE = 3,
        COUNT = 2
    };
    static const uint32_t sizes[3] = {8, 1, 1};
    static const VkSpecializationMapEntry entries[3] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
    const VkSpecializationInfo constants = {3, entries, sizeof(sizes), sizes};
    struct vt_buffer result = vt_buffer(vt, (BASE + COUNT) * 8 * 16, NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(result);
    struct vt_set set = vt_set(vt, &binding, 1);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = vt_ids_comp.size_B,
                                     .pCode = vt_ids_comp.words};
    VkPipelineCreateFlags2CreateInfoKHR flags = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
                                                 .flags = VK_PIPELINE_CREATE_2_DISPATCH_BASE_BIT_KHR};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .pNext = &flags,
                                        .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, /* not looked at */
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .pNext = &code,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main",
                                                  .pSpecializationInfo = &constants},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, NULL);
    vkCmdDispatchBase(commands, BASE, 0, 0, COUNT, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    const uint32_t *words = result.map;
    for (uint32_t i = 0; i < (BASE + COUNT) * 8; i++) {
        const uint32_t expected[4] = {i, i / 8, i % 8, i % 8}, zero[4] = {0};
        vt_expect_words(vt, &words[4 * i], i < BASE * 8 ? zero : expected, 4, "a dispatch with a base");
    }
}

static void destroy_buffer(struct vt *vt, uint64_t handle)
{
    vkDestroyBuffer(vt->device, (VkBuffer)handle, NULL);
}

static void free_memory(struct vt *vt, uint64_t handle)
{
    vkFreeMemory(vt->device, (VkDeviceMemory)handle, NULL);
}

/* A buffer whose usage is in the chain, memory that is bound with a status and mapped by a structure. */
static void case_memory(struct vt *vt, const void *argument)
{
    need_extension(vt, VT_MAINTENANCE5, "no maintenance5");
    need_extension(vt, VT_MAINTENANCE6, "no maintenance6");
    need_extension(vt, VT_MAP_MEMORY2, "no map_memory2");
    VkBufferUsageFlags2CreateInfoKHR usage = {.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
                                              .usage = VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &usage, .size = 4096};
    VkBuffer buffer;
    VT_CHECK(vt, vkCreateBuffer(vt->device, &info, NULL, &buffer));
    vt_defer(vt, destroy_buffer, (uint64_t)buffer);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vt->device, buffer, &needs);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    while (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) ||
           (vt->memory.memoryTypes[allocate.memoryTypeIndex].propertyFlags & visible) != visible)
        allocate.memoryTypeIndex++;
    VkDeviceMemory memory;
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &memory));
    vt_defer(vt, free_memory, (uint64_t)memory);
    VkResult bound = VK_ERROR_UNKNOWN;
    VkBindMemoryStatusKHR status = {.sType = VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS_KHR, .pResult = &bound};
    VkBindBufferMemoryInfo bind = {
        .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, .pNext = &status, .buffer = buffer, .memory = memory};
    VT_CHECK(vt, vkBindBufferMemory2(vt->device, 1, &bind));
    if (bound != VK_SUCCESS)
        vt_fail(vt, "the status of a bind is %d", bound);

    VkCommandBuffer commands = vt_begin(vt);
    vkCmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, 0x12345678);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    VkMemoryMapInfoKHR map = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_MAP_INFO_KHR, .memory = memory, .offset = 1024, .size = VK_WHOLE_SIZE};
    VkMemoryUnmapInfoKHR unmap = {.sType = VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO_KHR, .memory = memory};
    void *data;
    VT_CHECK(vt, VT_LOAD(vt, MapMemory2KHR)(vt->device, &map, &data));
    uint32_t expected[768];
    for (unsigned i = 0; i < 768; i++)
        expected[i] = 0x12345678;
    vt_expect_words(vt, data, expected, 768, "memory that a structure mapped");
    VT_CHECK(vt, VT_LOAD(vt, UnmapMemory2KHR)(vt->device, &unmap));
}

/* ---- images ---- */

/* A layout that is told of an image before it is made is true of it. */
static void case_layout_without_image(struct vt *vt, const void *argument)
{
    need_extension(vt, VT_MAINTENANCE5, "no maintenance5");
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R8G8B8A8_UNORM,
                              .extent = {37, 21, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_LINEAR,
                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    VkImageSubresource2KHR which = {.sType = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_KHR,
                                    .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}};
    VkDeviceImageSubresourceInfoKHR question = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO_KHR, .pCreateInfo = &info, .pSubresource = &which};
    VkSubresourceLayout2KHR said = {.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_KHR};
    VkSubresourceLayout2KHR found = said;
    VT_LOAD(vt, GetDeviceImageSubresourceLayoutKHR)(vt->device, &question, &said);
    VkImage image;
    VT_CHECK(vt, vkCreateImage(vt->device, &info, NULL, &image));
    VT_LOAD(vt, GetImageSubresourceLayout2KHR)(vt->device, image, &which, &found);
    vkDestroyImage(vt->device, image, NULL);
    if (memcmp(&said.subresourceLayout, &found.subresourceLayout, sizeof(said.subresourceLayout)))
        vt_fail(vt, "a pitch of %llu was said, and it is %llu", (unsigned long long)said.subresourceLayout.rowPitch,
                (unsigned long long)found.subresourceLayout.rowPitch);
    if (found.subresourceLayout.rowPitch < 37 * 4)
        vt_fail(vt, "a row of 37 texels has %llu bytes", (unsigned long long)found.subresourceLayout.rowPitch);

    const VkFormat color = VK_FORMAT_R8G8B8A8_UNORM;
    VkRenderingAreaInfoKHR area = {.sType = VK_STRUCTURE_TYPE_RENDERING_AREA_INFO_KHR,
                                   .colorAttachmentCount = 1,
                                   .pColorAttachmentFormats = &color};
    VkExtent2D granularity = {0, 0};
    VT_LOAD(vt, GetRenderingAreaGranularityKHR)(vt->device, &area, &granularity);
    if (!granularity.width || !granularity.height)
        vt_fail(vt, "a render area of nothing");
}

/* Copies from layer 1 to the end. */
static void case_remaining_layers(struct vt *vt, const void *argument)
{
    need_extension(vt, VT_MAINTENANCE5, "no maintenance5");
    enum {
        SIZE = 8,
        LAYERS = 4,
        TEXELS = SIZE * SIZE
    };
    struct vt_image_info info = {
        .format = VK_FORMAT_R32_UINT, .width = SIZE, .height = SIZE, .layers = LAYERS, .usage = 0};
    struct vt_image from = vt_image(vt, &info), to = vt_image(vt, &info);
    uint32_t texels[LAYERS * TEXELS], zeros[LAYERS * TEXELS] = {0};
    for (uint32_t i = 0; i < LAYERS * TEXELS; i++)
        texels[i] = i + 1;
    vt_upload(vt, &from, 0, texels, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vt_upload(vt, &to, 0, zeros, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, VK_REMAINING_ARRAY_LAYERS};
    const VkImageCopy copy = {.srcSubresource = layers, .dstSubresource = layers, .extent = {SIZE, SIZE, 1}};
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyImage(commands, from.image, from.layout, to.image, to.layout, 1, &copy);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    memcpy(texels, zeros, TEXELS * sizeof(*texels)); /* layer 0 stays */
    vt_expect_words(vt, vt_download(vt, &to, 0), texels, LAYERS * TEXELS, "a copy of the remaining layers");
}

struct newer_format {
    VkFormat format;
    uint32_t texel_B;
    uint32_t clear; /* of (0.2, 0.4, 0.6, 0.8) */
    uint8_t seen[4];
    uint8_t tolerance;
};

static const struct newer_format newer_formats[] = {
    {VK_FORMAT_A8_UNORM_KHR, 1, 0xcc, {0, 0, 0, 0xcc}, 0},
    /* 6, 12 and 19 of 31, and the alpha bit */
    {VK_FORMAT_A1B5G5R5_UNORM_PACK16_KHR, 2, 0x8000 | 19 << 10 | 12 << 5 | 6, {49, 99, 156, 255}, 1},
};

/* Cleared, drawn and read by a blit, each time in the format's own way. */
static void case_format(struct vt *vt, const void *argument)
{
    const struct newer_format *test = argument;
    enum {
        SIZE = 16
    };
    need_extension(vt, VT_MAINTENANCE5, "no maintenance5");
    VkFormatProperties offered;
    vkGetPhysicalDeviceFormatProperties(vt->physical, test->format, &offered);
    const VkFormatFeatureFlags needed = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_BLIT_SRC_BIT;
    if ((offered.optimalTilingFeatures & needed) != needed)
        vt_fail(vt, "the format is not sampled");
    if (!(offered.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
        vt_skip(vt, "not a colour attachment");

    for (unsigned is_drawn = 0; is_drawn < 2; is_drawn++) {
        struct vt_target target = vt_target(vt, test->format, SIZE, SIZE);
        struct vt_graphics graphics;
        vt_graphics_init(&graphics, &target, vt_screen_vert, vt_constant_frag);
        vt_make_pipeline(vt, &graphics, &target);
        if (!is_drawn)
            target.clears[0].color = (VkClearColorValue){.float32 = {0.2f, 0.4f, 0.6f, 0.8f}};
        VkCommandBuffer commands = vt_begin(vt);
        vt_begin_rendering(commands, &target);
        if (is_drawn) {
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
            vkCmdDraw(commands, 3, 1, 0, 0);
        }
        vkCmdEndRendering(commands);
        vt_full_barrier(commands);
        vt_submit(vt, commands);
        const uint8_t *texels = vt_download(vt, &target.colors[0], 0);
        for (uint32_t i = 0; i < SIZE * SIZE; i++) {
            uint32_t texel = 0;
            memcpy(&texel, texels + i * test->texel_B, test->texel_B);
            if (texel != test->clear)
                vt_fail(vt, "texel %u is 0x%x after a %s, not 0x%x", i, texel, is_drawn ? "draw" : "clear",
                        test->clear);
        }

        struct vt_image seen = vt_image_2d(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE, 0);
        commands = vt_begin(vt);
        vt_to_layout(commands, &target.colors[0], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vt_to_layout(commands, &seen, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        const VkImageBlit blit = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .srcOffsets = {{0, 0, 0}, {SIZE, SIZE, 1}},
                                  .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .dstOffsets = {{0, 0, 0}, {SIZE, SIZE, 1}}};
        vkCmdBlitImage(commands, target.colors[0].image, target.colors[0].layout, seen.image, seen.layout, 1, &blit,
                       VK_FILTER_NEAREST);
        vt_full_barrier(commands);
        vt_submit(vt, commands);
        const uint8_t *colors = vt_download(vt, &seen, 0);
        for (uint32_t i = 0; i < SIZE * SIZE * 4; i++) {
            const int error = colors[i] - test->seen[i % 4];
            if (error > test->tolerance || -error > test->tolerance)
                vt_fail(vt, "component %u of texel %u reads as %u, not %u", i % 4, i / 4, colors[i], test->seen[i % 4]);
        }
    }
}

/* ---- indices ---- */

/* The size ends the buffer: indices beyond it are zero where robust access promises that. Without a buffer all of them
 * are. */
static void case_index_buffer(struct vt *vt, const void *argument)
{
    enum {
        SIZE = 16
    };
    need_extension(vt, VT_MAINTENANCE5, "no maintenance5");
    const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1};
    struct vt_vertex vertices[12];
    vt_rectangle(vertices, -1, -1, 0, 1, 0.5f, red);
    vt_rectangle(vertices + 6, 0, -1, 1, 1, 0.5f, green);
    uint16_t indices[4 + 12] = {9, 9, 9, 9};
    for (uint16_t i = 0; i < 12; i++)
        indices[4 + i] = i;
    struct vt_buffer vertex_buffer = vt_buffer(vt, sizeof(vertices), vertices);
    struct vt_buffer index_buffer = vt_buffer(vt, sizeof(indices), indices);
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindVertexBuffers(commands, 0, 1, &vertex_buffer.buffer, (const VkDeviceSize[]){0});
    const bool is_robust = vt->has[VT_ROBUSTNESS2] && vt->features.features.robustBufferAccess;
    VT_LOAD(vt, CmdBindIndexBuffer2KHR)(commands, index_buffer.buffer, 8, 6 * 2, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(commands, is_robust ? 12 : 6, 1, 0, 0, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    const uint8_t *texels = vt_download(vt, &target.colors[0], 0);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t expected = i % SIZE < SIZE / 2 ? 0xff0000ff : 0;
        uint32_t texel;
        memcpy(&texel, texels + 4 * i, 4);
        if (texel != expected)
            vt_fail(vt, "pixel %u, %u is 0x%08x, not 0x%08x", i % SIZE, i / SIZE, texel, expected);
    }
}

/* A point whose size no shader writes is one pixel. */
static void case_point_size(struct vt *vt, const void *argument)
{
    enum {
        SIZE = 16
    };
    need_extension(vt, VT_MAINTENANCE5, "no maintenance5");
    const struct vt_vertex points[2] = {{{-0.4375f, 0.0625f, 0, 1}, {1, 1, 1, 1}},
                                        {{0.5625f, -0.6875f, 0, 1}, {1, 1, 1, 1}}};
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    uint32_t expected[SIZE * SIZE] = {0};
    expected[8 * SIZE + 4] = expected[2 * SIZE + 12] = 0xffffffff;
    vt_expect_words(vt, vt_draw_once(vt, &graphics, &target, points, 2), expected, SIZE * SIZE, "points");
}

/* ---- 1.4 ---- */

/* The names of layouts for copies by the host: as many as both structures say. */
static void compare_layouts(struct vt *vt, VkPhysicalDevice physical)
{
    VkImageLayout layouts[2][64] = {0};
    VkPhysicalDeviceHostImageCopyPropertiesEXT copies = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT};
    VkPhysicalDeviceVulkan14Properties core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES,
                                               .pNext = &copies};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &core};
    for (unsigned pass = 0; pass < 2; pass++) {
        vkGetPhysicalDeviceProperties2(physical, &properties);
        if (core.copySrcLayoutCount != copies.copySrcLayoutCount || core.copySrcLayoutCount > COUNT_OF(layouts[0]))
            vt_fail(vt, "%u and %u layouts", core.copySrcLayoutCount, copies.copySrcLayoutCount);
        core.pCopySrcLayouts = layouts[0];
        copies.pCopySrcLayouts = layouts[1];
    }
    if (memcmp(layouts[0], layouts[1], sizeof(layouts[0])) != 0 ||
        memcmp(core.optimalTilingLayoutUUID, copies.optimalTilingLayoutUUID, VK_UUID_SIZE) != 0)
        vt_fail(vt, "the structures of 1.4 and of the extension differ");
}

/* Memory that the core's names map, on a device without extensions. */
static void map_by_core_names(struct vt *vt, VkDevice device)
{
    PFN_vkMapMemory2KHR map = (PFN_vkMapMemory2KHR)vkGetDeviceProcAddr(device, "vkMapMemory2");
    PFN_vkUnmapMemory2KHR unmap = (PFN_vkUnmapMemory2KHR)vkGetDeviceProcAddr(device, "vkUnmapMemory2");
    if (!map || !unmap || vkGetDeviceProcAddr(device, "vkMapMemory2KHR"))
        vt_fail(vt, "vkMapMemory2 is not there, or vkMapMemory2KHR is without its extension");
    uint32_t type = 0;
    while (!(vt->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
        type++;
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 4096, .memoryTypeIndex = type};
    VkDeviceMemory memory;
    VT_CHECK(vt, vkAllocateMemory(device, &info, NULL, &memory));
    VkMemoryMapInfoKHR of_map = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_MAP_INFO_KHR, .memory = memory, .size = VK_WHOLE_SIZE};
    VkMemoryUnmapInfoKHR of_unmap = {.sType = VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO_KHR, .memory = memory};
    void *data = NULL;
    VT_CHECK(vt, map(device, &of_map, &data));
    memset(data, 0x5a, 4096);
    VT_CHECK(vt, unmap(device, &of_unmap));
    vkFreeMemory(device, memory, NULL);
}

/* A program that asks for 1.4: of an older loader, too, which hands its version on. */
static void case_core(struct vt *vt, const void *argument)
{
    if (vt->is_validated || vt->properties.apiVersion < VK_API_VERSION_1_4)
        vt_skip(vt, "no Vulkan 1.4");
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_4};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    VkPhysicalDevice physical;
    uint32_t count = 1;
    VT_CHECK(vt, vkCreateInstance(&info, NULL, &instance));
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count != 1)
        vt_fail(vt, "no GPU");
    compare_layouts(vt, physical);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan14Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES,
                                                 .maintenance5 = VK_TRUE,
                                                 .maintenance6 = VK_TRUE,
                                                 .pushDescriptor = VK_TRUE,
                                                 .shaderFloatControls2 = VK_TRUE};
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .pNext = &features,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue};
    VkDevice device;
    VT_CHECK(vt, vkCreateDevice(physical, &device_info, NULL, &device));
    map_by_core_names(vt, device);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
}

const struct vt_case vt_newer_cases[] = {
    {"sets and push constants by structures", case_bind_sets, NULL},
    {"pushed set by a structure", case_push_set, NULL},
    {"pushed set by a template and a structure", case_push_set, vt_newer_cases},
    {"flags of 64 bits, a stage without a module", case_wide_flags, NULL},
    {"memory with usage, status and map by structures", case_memory, NULL},
    {"layout without an image", case_layout_without_image, NULL},
    {"copy of the remaining layers", case_remaining_layers, NULL},
    {"format a8", case_format, &newer_formats[0]},
    {"format a1b5g5r5", case_format, &newer_formats[1]},
    {"index buffer of a size", case_index_buffer, NULL},
    {"point without a size", case_point_size, NULL},
    {"1.4 by the core's names", case_core, NULL},
};
const size_t vt_newer_count = COUNT_OF(vt_newer_cases);
