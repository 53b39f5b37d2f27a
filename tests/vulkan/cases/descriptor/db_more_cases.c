/* Descriptor buffers in what is made in other ways: input attachments, embedded samplers of draws, pipelines of
 * libraries, shader objects, buffers that are bound in parts, and memory that does not suffice. */
#include <string.h>

#include "cases/descriptor/db.h"
#include "cases/shader_object/objects.h"

#include "shaders/db_input_frag.h"
#include "shaders/db_input_indexed_frag.h"
#include "shaders/db_more_color_frag.h"
#include "shaders/db_more_types.h"
#include "shaders/db_sample_frag.h"

#define GRAPHICS VK_PIPELINE_BIND_POINT_GRAPHICS
#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 16

/* ---- embedded samplers ---- */

static void case_embedded(struct vt *vt, const void *argument)
{
    struct db db;
    db_open(&db, vt);
    db_need_embedded(&db);
    const VkSampler samplers[] = {
        vt_sampler(vt, (VkSamplerCreateInfo){0}),
        vt_sampler(vt, (VkSamplerCreateInfo){.magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR})};
    struct vt_image image = vt_image_2d(vt, RGBA8, 2, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
    vt_upload(vt, &image, 0, (uint32_t[]){0xff000028, 0xff0000f0}, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    const struct db_binding sampled = DB_ONE(DB_SAMPLED(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D))),
                            embedded[] = {{.immutable = &samplers[0]}, {.immutable = &samplers[1]}};
    struct db_set set = db_set(&db, db_memory(&db, 4096, DB_ALL), &sampled, 1);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert, VT_SPIRV(db_sample_frag));
    graphics.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    graphics.sets[graphics.set_count++] = set.layout;
    graphics.sets[graphics.set_count++] =
        db_layout(&db, embedded, 2, VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, GRAPHICS, graphics.pipeline);
    db_bind(&db, commands);
    db_use(&db, commands, GRAPHICS, graphics.layout, 0, &set, 1);
    db.bind_samplers(commands, GRAPHICS, graphics.layout, 1);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const uint32_t *got = texels.map;
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        db_expect(vt, got[i], i % SIZE < 8 ? 0xff000028 : 0xff00005a, "a pixel by an embedded sampler");
}

/* ---- input attachments ---- */

static void destroy_pass(struct vt *vt, uint64_t handle)
{
    vkDestroyRenderPass(vt->device, (VkRenderPass)handle, NULL);
}

static void destroy_framebuffer(struct vt *vt, uint64_t handle)
{
    vkDestroyFramebuffer(vt->device, (VkFramebuffer)handle, NULL);
}

/* Inputs that nothing draws to, and a target. */
static VkRenderPass input_pass(struct vt *vt, uint32_t inputs)
{
    VkAttachmentDescription attachments[3];
    VkAttachmentReference references[3];
    for (uint32_t i = 0; i <= inputs; i++) {
        const VkImageLayout layout =
            i < inputs ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
        attachments[i] = (VkAttachmentDescription){.format = RGBA8,
                                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                                   .loadOp = i < inputs ? VK_ATTACHMENT_LOAD_OP_LOAD
                                                                        : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                   .initialLayout = i < inputs ? layout : VK_IMAGE_LAYOUT_UNDEFINED,
                                                   .finalLayout = layout};
        references[i] = (VkAttachmentReference){i, layout};
    }
    const VkSubpassDescription subpass = {.inputAttachmentCount = inputs,
                                          .pInputAttachments = references,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &references[inputs]};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = inputs + 1,
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    VkRenderPass pass;
    VT_CHECK(vt, vkCreateRenderPass(vt->device, &info, NULL, &pass));
    vt_defer(vt, destroy_pass, (uint64_t)pass);
    return pass;
}

static VkFramebuffer input_framebuffer(struct vt *vt, VkRenderPass pass, const VkImageView *views, uint32_t count)
{
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = pass,
                                          .attachmentCount = count,
                                          .pAttachments = views,
                                          .width = SIZE,
                                          .height = SIZE,
                                          .layers = 1};
    VkFramebuffer framebuffer;
    VT_CHECK(vt, vkCreateFramebuffer(vt->device, &info, NULL, &framebuffer));
    vt_defer(vt, destroy_framebuffer, (uint64_t)framebuffer);
    return framebuffer;
}

/* Of one input, or of the second of two by an index that no compiler knows. */
static void case_input(struct vt *vt, const void *argument)
{
    const uint32_t inputs = *(const uint32_t *)argument;
    struct db db;
    db_open(&db, vt);
    if (inputs > 1 && !vt->features12.shaderInputAttachmentArrayDynamicIndexing)
        vt_skip(vt, "no shaderInputAttachmentArrayDynamicIndexing");
    struct db_item items[2];
    VkImageView views[3];
    uint32_t texels[SIZE * SIZE];
    for (uint32_t n = 0; n < inputs; n++) {
        struct vt_image image =
            vt_image_2d(vt, RGBA8, SIZE, SIZE, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
        for (uint32_t i = 0; i < SIZE * SIZE; i++)
            texels[i] = i * 0x01020305 + n * 0x00400080;
        vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        views[n] = vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D);
        items[n] = (struct db_item)DB_IMAGE(VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, views[n],
                                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    const struct db_binding binding = {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, .count = inputs, .items = items};
    struct db_set set = db_set(&db, db_memory(&db, 4096, DB_ALL), &binding, 1);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    views[inputs] = target.color_views[0];
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, vt_screen_vert,
                     inputs > 1 ? VT_SPIRV(db_input_indexed_frag) : VT_SPIRV(db_input_frag));
    graphics.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    graphics.pass = input_pass(vt, inputs);
    graphics.sets[graphics.set_count++] = set.layout;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = graphics.pass,
                                         .framebuffer = input_framebuffer(vt, graphics.pass, views, inputs + 1),
                                         .renderArea = {{0, 0}, {SIZE, SIZE}}};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, GRAPHICS, graphics.pipeline);
    db_bind(&db, commands);
    db_use(&db, commands, GRAPHICS, graphics.layout, 0, &set, 1);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
    target.colors[0].layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    struct vt_buffer got = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        texels[i] = ~texels[i];
    vt_expect_texels(vt, got.map, texels, 4, SIZE, SIZE * SIZE, "what the input was");
}

static const uint32_t inputs[] = {1, 2};

/* ---- pipelines of libraries ---- */

static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

static VkPipeline make_part(struct vt *vt, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateGraphicsPipelines(vt->device, VK_NULL_HANDLE, 1, info, NULL, &pipeline));
    vt_defer(vt, destroy_pipeline, (uint64_t)pipeline);
    return pipeline;
}

static VkPipeline link_color(struct vt *vt, struct vt_graphics *graphics, const struct vt_target *target,
                             VkPipelineLayout layout)
{
    VkPipelineRenderingCreateInfo formats = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                             .pColorAttachmentFormats = target->color_formats};
    VkGraphicsPipelineLibraryCreateInfoEXT kind = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
                                                   .pNext = &formats};
    VkPipelineShaderStageCreateInfo stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = VK_SHADER_STAGE_VERTEX_BIT,
                                             .module = vt_module(vt, vt_screen_vert),
                                             .pName = "main"};
    const VkGraphicsPipelineCreateInfo base = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &kind,
                                               .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
                                                        VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                               .stageCount = 1,
                                               .pStages = &stage,
                                               .pVertexInputState = &graphics->vertex,
                                               .pInputAssemblyState = &graphics->assembly,
                                               .pViewportState = &graphics->viewport,
                                               .pRasterizationState = &graphics->raster,
                                               .pMultisampleState = &graphics->multisample,
                                               .pDepthStencilState = &graphics->depth,
                                               .pColorBlendState = &graphics->blend,
                                               .layout = layout};
    VkPipeline parts[2];
    kind.flags = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                 VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
    parts[0] = make_part(vt, &base);
    formats.colorAttachmentCount = 1;
    stage.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    stage.module = vt_module(vt, VT_SPIRV(db_more_color_frag));
    kind.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
                 VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
    parts[1] = make_part(vt, &base);
    const VkPipelineLibraryCreateInfoKHR libraries = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 2, .pLibraries = parts};
    const VkGraphicsPipelineCreateInfo linked = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                 .pNext = &libraries,
                                                 .flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                                 .layout = layout};
    return make_part(vt, &linked);
}

static void case_library(struct vt *vt, const void *argument)
{
    struct db db;
    db_open(&db, vt);
    if (!vt->has[VT_GRAPHICS_PIPELINE_LIBRARY] || !vt->has[VT_PIPELINE_LIBRARY])
        vt_skip(vt, "no VK_EXT_graphics_pipeline_library");
    struct vt_buffer color = vt_buffer(vt, 16, (float[]){0.2f, 0.4f, 0.6f, 0.8f});
    const struct db_binding binding = DB_ONE(DB_UNIFORM(color));
    struct db_set set = db_set(&db, db_memory(&db, 4096, DB_ALL), &binding, 1);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics; /* holds the state; its own pipeline is never made */
    vt_graphics_init(&graphics, &target, vt_screen_vert, VT_SPIRV(db_more_color_frag));
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkPipeline pipeline = link_color(vt, &graphics, &target, layout);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, GRAPHICS, pipeline);
    db_bind(&db, commands);
    db_use(&db, commands, GRAPHICS, layout, 0, &set, 1);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    const uint32_t *got = texels.map;
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        db_expect(vt, got[i], 0xcc996633, "a pixel of a linked pipeline");
}

/* ---- shader objects ---- */

static void case_object(struct vt *vt, const void *argument)
{
    struct db db;
    struct db_kinds kinds;
    db_open(&db, vt);
    need_objects(vt);
    db_make_kinds(&db, &kinds);
    struct db_set set = db_set(&db, db_memory(&db, 4096, DB_ALL), kinds.bindings, DB_KINDS);
    const VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, 128};
    const VkShaderCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                        .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                        .codeSize = sizeof(db_more_types),
                                        .pCode = db_more_types,
                                        .pName = "main",
                                        .setLayoutCount = 1,
                                        .pSetLayouts = &set.layout,
                                        .pushConstantRangeCount = 1,
                                        .pPushConstantRanges = &push};
    VkShaderEXT shader = object_of(vt, &info);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkCommandBuffer commands = vt_begin(vt);
    VT_LOAD(vt, CmdBindShadersEXT)(commands, 1, (const VkShaderStageFlagBits[]){VK_SHADER_STAGE_COMPUTE_BIT}, &shader);
    db_bind(&db, commands);
    db_use(&db, commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, &set, 1);
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    db_check_kinds(vt, &kinds);
}

/* ---- buffers that are made in other ways ---- */

static void destroy_buffer(struct vt *vt, uint64_t handle)
{
    vkDestroyBuffer(vt->device, (VkBuffer)handle, NULL);
}

static void free_memory(struct vt *vt, uint64_t handle)
{
    vkFreeMemory(vt->device, (VkDeviceMemory)handle, NULL);
}

enum made {
    BY_WIDE_USAGE,
    IN_PARTS,
};

static uint32_t visible_type(struct vt *vt, uint32_t allowed)
{
    for (uint32_t i = 0; i < vt->memory.memoryTypeCount; i++) {
        if (allowed >> i & 1 && vt->memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
            return i;
    }
    vt_skip(vt, "no such memory that the host sees");
}

static void bind_memory(struct vt *vt, const struct vt_buffer *buffer, VkDeviceSize size_B, enum made way)
{
    if (way != IN_PARTS) {
        VT_CHECK(vt, vkBindBufferMemory(vt->device, buffer->buffer, buffer->memory, 0));
        return;
    }
    const VkSparseMemoryBind part = {.size = size_B, .memory = buffer->memory};
    const VkSparseBufferMemoryBindInfo parts = {buffer->buffer, 1, &part};
    const VkBindSparseInfo info = {
        .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &parts};
    VT_CHECK(vt, vkQueueBindSparse(vt->queue, 1, &info, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
}

static void need_parts(struct vt *vt)
{
    if (!vt->features.features.sparseBinding)
        vt_skip(vt, "no buffers that are bound in parts");
    if (vt->driver == VK_DRIVER_ID_MESA_RADV && vt->properties.driverVersion < VK_MAKE_API_VERSION(0, 26, 0, 0))
        vt_skip(vt, "older RADVs give such a buffer an address that 32 bits do not reach");
}

static VkBufferCreateInfo buffer_info(VkDeviceSize size_B, enum made way)
{
    return (VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .flags = way == IN_PARTS ? VK_BUFFER_CREATE_SPARSE_BINDING_BIT : 0,
                                .size = size_B,
                                .usage = way == IN_PARTS ? DB_ALL | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0};
}

static struct vt_buffer make_buffer(struct vt *vt, enum made way)
{
    struct vt_buffer made = {.size_B = 65536};
    const VkBufferUsageFlags2CreateInfoKHR wide = {.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
                                                   .usage = DB_ALL | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR};
    VkBufferCreateInfo info = buffer_info(made.size_B, way);
    info.pNext = way == BY_WIDE_USAGE ? &wide : NULL;
    VT_CHECK(vt, vkCreateBuffer(vt->device, &info, NULL, &made.buffer));
    vt_defer(vt, destroy_buffer, (uint64_t)made.buffer);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vt->device, made.buffer, &needs);
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .pNext = &flags,
                                           .allocationSize = needs.size,
                                           .memoryTypeIndex = visible_type(vt, needs.memoryTypeBits)};
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &made.memory));
    vt_defer(vt, free_memory, (uint64_t)made.memory);
    VT_CHECK(vt, vkMapMemory(vt->device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.map));
    bind_memory(vt, &made, needs.size, way);
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                               .buffer = made.buffer};
    made.address = vkGetBufferDeviceAddress(vt->device, &address);
    return made;
}

static void run_kinds(struct db *db, struct vt_buffer buffer)
{
    struct db_kinds kinds;
    db_make_kinds(db, &kinds);
    db->memories[db->num_memories++] = (struct db_memory){.buffer = buffer, .usage = DB_ALL};
    struct db_set set = db_set(db, 0, kinds.bindings, DB_KINDS);
    db_dispatch(db, VT_SPIRV(db_more_types), NULL, &set, 1, 0, 1);
    db_check_kinds(db->vt, &kinds);
}

static void case_made(struct vt *vt, const void *argument)
{
    const enum made way = *(const enum made *)argument;
    struct db db;
    db_open(&db, vt);
    if (way == BY_WIDE_USAGE && !vt->has[VT_MAINTENANCE5])
        vt_skip(vt, "no VK_KHR_maintenance5");
    if (way == IN_PARTS)
        need_parts(vt);
    run_kinds(&db, make_buffer(vt, way));
}

static const enum made mades[] = {BY_WIDE_USAGE, IN_PARTS};

/* Buffers of as many addresses as a driver promises, up to 2 GiB, beside those that other things have. */
static void case_addresses(struct vt *vt, const void *argument)
{
    struct db db;
    db_open(&db, vt);
    need_parts(vt);
    const VkDeviceSize spaces_B[] = {db.sizes.descriptorBufferAddressSpaceSize,
                                     db.sizes.samplerDescriptorBufferAddressSpaceSize,
                                     db.sizes.resourceDescriptorBufferAddressSpaceSize};
    VkDeviceSize left_B = 2ull << 30;
    for (unsigned i = 0; i < COUNT_OF(spaces_B); i++)
        left_B = spaces_B[i] < left_B ? spaces_B[i] : left_B;
    const VkBufferCreateInfo info = buffer_info(1u << 27, IN_PARTS);
    for (left_B -= 65536; left_B >= info.size; left_B -= info.size) {
        VkBuffer buffer;
        VT_CHECK(vt, vkCreateBuffer(vt->device, &info, NULL, &buffer));
        vt_defer(vt, destroy_buffer, (uint64_t)buffer);
    }
    run_kinds(&db, make_buffer(vt, IN_PARTS));
}

const struct vt_case vt_db_more_cases[] = {
    {"embedded samplers of draws", case_embedded, NULL},
    {"input attachment", case_input, &inputs[0]},
    {"input attachment by index", case_input, &inputs[1]},
    {"a pipeline of libraries", case_library, NULL},
    {"a shader object", case_object, NULL},
    {"a buffer of wide usage", case_made, &mades[0]},
    {"a buffer bound in parts", case_made, &mades[1]},
    {"as many addresses as are promised", case_addresses, NULL},
};
const size_t vt_db_more_count = COUNT_OF(vt_db_more_cases);
