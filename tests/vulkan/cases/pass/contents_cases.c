/* VK_KHR_maintenance7: renderings and subpasses with draws of the command buffer itself between secondary ones; how
 * many buffers with dynamic offsets there may be; what lies below the driver. */
#include <string.h>

#include "vt/vt_graphics.h"
#include "vulkan/runtime/gen/vk_newer.h"

#include "shaders/many_dynamic.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64u
#define DRAWS 4u
#define SUBPASSES 2u

static void need_feature(struct vt *vt)
{
    if (!vt->has[VT_MAINTENANCE7])
        vt_skip(vt, "no maintenance7");
}

/* ---- draws by turns ---- */

/* Each draw covers a part of those before it, so that the picture shows their order. */
static const struct {
    float x, y, color[4];
} draws[DRAWS * SUBPASSES] = {
    {-1, -1, {1, 0, 0, 1}},        {-0.5f, -1, {0, 1, 0, 1}},           {-1, -0.5f, {0, 0, 1, 1}},
    {0, -0.25f, {1, 1, 0, 1}},     {-0.25f, 0, {0, 1, 1, 1}},           {0.25f, -0.75f, {1, 0, 1, 1}},
    {-0.75f, 0.25f, {1, 1, 1, 1}}, {0.5f, 0.5f, {0.2f, 0.4f, 0.6f, 1}},
};

static void expect_last(const void *argument, uint32_t x, uint32_t y, double color_out[4])
{
    const uint32_t count = *(const uint32_t *)argument;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_covered = (float)x >= (draws[i].x + 1) / 2 * SIZE && (float)y >= (draws[i].y + 1) / 2 * SIZE;
        for (uint32_t c = 0; c < 4 && is_covered; c++)
            color_out[c] = (double)draws[i].color[c];
    }
}

struct scene {
    struct vt_target target;
    struct vt_graphics graphics[SUBPASSES];
    VkRenderPass pass; /* VK_NULL_HANDLE: a rendering */
    VkFramebuffer framebuffer;
};

static VkCommandBuffer begin_secondary(struct vt *vt, const struct scene *scene, uint32_t subpass)
{
    const VkFormat format = RGBA8;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = vt->commands,
                                        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                        .commandBufferCount = 1};
    VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT | VK_RENDERING_CONTENTS_INLINE_BIT_KHR,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                  .pNext = scene->pass ? NULL : &rendering,
                                                  .renderPass = scene->pass,
                                                  .subpass = subpass};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                      .pInheritanceInfo = &inheritance};
    VkCommandBuffer secondary;
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &info, &secondary));
    VT_CHECK(vt, vkBeginCommandBuffer(secondary, &begin));
    return secondary;
}

/* Every second draw is a secondary command buffer's. */
static void record_draws(struct vt *vt, const struct scene *scene, VkCommandBuffer commands, uint32_t subpass,
                         bool begins_inline)
{
    for (uint32_t i = 0; i < DRAWS; i++) {
        const bool is_inline = (i & 1) != begins_inline;
        VkCommandBuffer to = is_inline ? commands : begin_secondary(vt, scene, subpass);
        struct vt_vertex vertices[6];
        const uint32_t n = subpass * DRAWS + i;
        vt_rectangle(vertices, draws[n].x, draws[n].y, 1, 1, 0.5f, draws[n].color);
        vt_draw(vt, to, &scene->graphics[subpass], vertices, 6);
        if (!is_inline) {
            VT_CHECK(vt, vkEndCommandBuffer(to));
            vkCmdExecuteCommands(commands, 1, &to);
        }
    }
}

static void init_graphics(struct vt *vt, struct scene *scene, uint32_t subpass)
{
    struct vt_graphics *graphics = &scene->graphics[subpass];
    vt_graphics_init(graphics, &scene->target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(graphics);
    graphics->pass = scene->pass;
    graphics->subpass = subpass;
    vt_make_pipeline(vt, graphics, &scene->target);
}

static void check_contents(struct vt *vt, struct scene *scene, uint32_t count)
{
    vt_expect_picture(vt, &scene->target, vt_download(vt, &scene->target.colors[0], 0), expect_last, &count, 1, 0,
                      "draws by turns");
}

static void case_rendering(struct vt *vt, const void *argument)
{
    const bool begins_inline = argument != NULL;
    need_feature(vt);
    struct scene scene = {.target = vt_target(vt, RGBA8, SIZE, SIZE)};
    init_graphics(vt, &scene, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering_with(commands, &scene.target,
                            VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT | VK_RENDERING_CONTENTS_INLINE_BIT_KHR);
    record_draws(vt, &scene, commands, 0, begins_inline);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    check_contents(vt, &scene, DRAWS);
}

/* ---- subpasses ---- */

static void destroy_pass(struct vt *vt, uint64_t handle)
{
    vkDestroyRenderPass(vt->device, (VkRenderPass)handle, NULL);
}

static void destroy_framebuffer(struct vt *vt, uint64_t handle)
{
    vkDestroyFramebuffer(vt->device, (VkFramebuffer)handle, NULL);
}

static void make_pass(struct vt *vt, struct scene *scene)
{
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentDescription attachment = {.format = RGBA8,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .initialLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &color};
    const VkSubpassDescription subpasses[SUBPASSES] = {subpass, subpass};
    const VkSubpassDependency dependency = {.srcSubpass = 0,
                                            .dstSubpass = 1,
                                            .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                            .dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                            .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
                                                             VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                            .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &attachment,
                                         .subpassCount = SUBPASSES,
                                         .pSubpasses = subpasses,
                                         .dependencyCount = 1,
                                         .pDependencies = &dependency};
    VT_CHECK(vt, vkCreateRenderPass(vt->device, &info, NULL, &scene->pass));
    vt_defer(vt, destroy_pass, (uint64_t)scene->pass);
    const VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                 .renderPass = scene->pass,
                                                 .attachmentCount = 1,
                                                 .pAttachments = scene->target.color_views,
                                                 .width = SIZE,
                                                 .height = SIZE,
                                                 .layers = 1};
    VT_CHECK(vt, vkCreateFramebuffer(vt->device, &framebuffer, NULL, &scene->framebuffer));
    vt_defer(vt, destroy_framebuffer, (uint64_t)scene->framebuffer);
}

static void case_subpasses(struct vt *vt, const void *argument)
{
    const VkSubpassContents both = VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_KHR;
    const bool begins_inline = argument != NULL;
    need_feature(vt);
    struct scene scene = {.target = vt_target(vt, RGBA8, SIZE, SIZE)};
    make_pass(vt, &scene);
    for (uint32_t i = 0; i < SUBPASSES; i++)
        init_graphics(vt, &scene, i);
    const VkClearValue clear = {0};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = scene.pass,
                                         .framebuffer = scene.framebuffer,
                                         .renderArea = {{0, 0}, {SIZE, SIZE}},
                                         .clearValueCount = 1,
                                         .pClearValues = &clear};
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &scene.target.colors[0], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkCmdBeginRenderPass(commands, &begin, both);
    record_draws(vt, &scene, commands, 0, begins_inline);
    vkCmdNextSubpass(commands, both);
    record_draws(vt, &scene, commands, 1, begins_inline);
    vkCmdEndRenderPass(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    check_contents(vt, &scene, SUBPASSES * DRAWS);
}

/* ---- properties ---- */

static VkPhysicalDeviceMaintenance7PropertiesKHR properties_of(struct vt *vt)
{
    VkPhysicalDeviceMaintenance7PropertiesKHR own = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &own};
    vkGetPhysicalDeviceProperties2(vt->physical, &all);
    const VkPhysicalDeviceLimits *limits = &all.properties.limits;
    if (own.maxDescriptorSetTotalUniformBuffersDynamic < limits->maxDescriptorSetUniformBuffersDynamic ||
        own.maxDescriptorSetTotalStorageBuffersDynamic < limits->maxDescriptorSetStorageBuffersDynamic)
        vt_fail(vt, "fewer dynamic buffers than Vulkan 1.0's limits allow");
    if (own.maxDescriptorSetTotalBuffersDynamic < own.maxDescriptorSetTotalUniformBuffersDynamic ||
        own.maxDescriptorSetTotalBuffersDynamic < own.maxDescriptorSetTotalStorageBuffersDynamic)
        vt_fail(vt, "fewer dynamic buffers of both kinds than of one");
    return own;
}

#define MAX_BUFFERS 64u
#define STEP_B 256u

/* As many buffers with dynamic offsets as there may be, of one kind: each is read at its own offset. */
static void case_dynamic_buffers(struct vt *vt, const void *argument)
{
    need_feature(vt);
    if (!vt->features.features.shaderUniformBufferArrayDynamicIndexing)
        vt_skip(vt, "no dynamic indices of uniform buffers");
    const VkPhysicalDeviceMaintenance7PropertiesKHR own = properties_of(vt);
    const uint32_t stage = vt->properties.limits.maxPerStageDescriptorUniformBuffers,
                   most = own.maxDescriptorSetTotalUniformBuffersDynamic,
                   count = most > MAX_BUFFERS ? MAX_BUFFERS
                           : most < stage     ? most
                                              : stage;
    static uint32_t data[MAX_BUFFERS * STEP_B / 4];
    for (uint32_t i = 0; i < sizeof(data) / 4; i++)
        data[i] = 70000 + i;
    struct vt_buffer words = vt_buffer(vt, sizeof(data), data), results = vt_buffer(vt, MAX_BUFFERS * 4, NULL);
    VkDescriptorBufferInfo buffers[MAX_BUFFERS];
    uint32_t offsets[MAX_BUFFERS], expected[MAX_BUFFERS];
    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = (VkDescriptorBufferInfo){words.buffer, 0, 16};
        offsets[i] = (count - 1 - i) * STEP_B;
        expected[i] = 70000 + offsets[i] / 4;
    }
    const struct vt_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, .count = count, .buffers = buffers},
        VT_STORAGE_BUFFER(results)};
    struct vt_set set = vt_set(vt, bindings, 2);
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set.layout, 1);
    VkPipeline pipeline = vt_compute_pipeline(vt, VT_SPIRV(many_dynamic), layout, VT_CONSTANTS((int32_t)count));
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, count, offsets);
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_words(vt, results.map, expected, count, "words at dynamic offsets");
}

/* None of the drivers here stands on another API. */
static void case_nothing_below(struct vt *vt, const void *argument)
{
    need_feature(vt);
    VkPhysicalDeviceLayeredApiPropertiesKHR api = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_KHR};
    VkPhysicalDeviceLayeredApiPropertiesListKHR list = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR,
        .layeredApiCount = 1,
        .pLayeredApis = &api};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &list};
    vkGetPhysicalDeviceProperties2(vt->physical, &all);
    if (list.layeredApiCount)
        vt_fail(vt, "%u APIs below the driver", list.layeredApiCount);
}

const struct vt_case vt_contents_cases[] = {
    {"rendering, inline first", case_rendering, vt_contents_cases},
    {"rendering, secondary first", case_rendering, NULL},
    {"subpasses, inline first", case_subpasses, vt_contents_cases},
    {"subpasses, secondary first", case_subpasses, NULL},
    {"dynamic buffers", case_dynamic_buffers, NULL},
    {"nothing below", case_nothing_below, NULL},
};
const size_t vt_contents_count = sizeof(vt_contents_cases) / sizeof(vt_contents_cases[0]);
