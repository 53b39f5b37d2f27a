/* Chains of subpasses: each reads what the one before it has drawn, at its own pixel, and draws one minus it. What is
 * between the first and the last is transient: a tiler need not have it in memory at all, and must not notice that it
 * has been cut into tiles. */
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/chain_depth_frag.h"
#include "shaders/chain_input_frag.h"
#include "shaders/chain_samples_frag.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define MAX_SUBPASSES 6u
#define MAX_ATTACHMENTS (MAX_SUBPASSES + 2u)

struct chain {
    uint32_t subpasses;
    VkFormat format; /* of all but the last */
    uint32_t width, height;
    VkRect2D area;
    VkSampleCountFlagBits samples; /* more than one: the last is resolved */
    bool takes_turns;              /* two attachments, each of which is drawn again after it was read */
    bool reads_depth;              /* of the first subpass, not its colour */
    bool is_everywhere;            /* dependencies are not by region */
    bool has_secondaries;
    bool is_lazy;
    bool has_views; /* two, which see the same */
};

struct attachment {
    VkImage image;
    VkImageView view;
    VkAttachmentDescription description;
};

struct run {
    const struct chain *chain;
    struct attachment attachments[MAX_ATTACHMENTS];
    uint32_t count, depth; /* depth: its number, or VK_ATTACHMENT_UNUSED */
    uint32_t drawn[MAX_SUBPASSES];
    struct vt_image last; /* what is looked at */
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    struct vt_graphics graphics[MAX_SUBPASSES];
    struct vt_set sets[MAX_SUBPASSES];
};

/* ---- attachments ---- */

static void destroy_image(struct vt *vt, uint64_t handle)
{
    vkDestroyImage(vt->device, (VkImage)handle, NULL);
}

static void destroy_view(struct vt *vt, uint64_t handle)
{
    vkDestroyImageView(vt->device, (VkImageView)handle, NULL);
}

static void free_memory(struct vt *vt, uint64_t handle)
{
    vkFreeMemory(vt->device, (VkDeviceMemory)handle, NULL);
}

static void destroy_pass(struct vt *vt, uint64_t handle)
{
    vkDestroyRenderPass(vt->device, (VkRenderPass)handle, NULL);
}

static void destroy_framebuffer(struct vt *vt, uint64_t handle)
{
    vkDestroyFramebuffer(vt->device, (VkFramebuffer)handle, NULL);
}

static uint32_t choose_type(struct vt *vt, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < vt->memory.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = vt->memory.memoryTypes[i].propertyFlags;
        const bool is_lazy = flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
        if (allowed >> i & 1 && (flags & wanted) == wanted &&
            is_lazy == !!(wanted & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT))
            return i;
    }
    vt_skip(vt, "no such memory");
}

static uint32_t layers_of(const struct chain *chain)
{
    return chain->has_views ? 2 : 1;
}

static bool is_depth(VkFormat format)
{
    return format == VK_FORMAT_D16_UNORM;
}

/* Memory that is never read or written by anything but attachments. */
static uint32_t add_transient(struct vt *vt, struct run *run, VkFormat format)
{
    const struct chain *chain = run->chain;
    const VkImageUsageFlags drawn =
        is_depth(format) ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {chain->width, chain->height, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = layers_of(chain),
                                    .samples = chain->samples,
                                    .usage = drawn | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                                             VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT};
    struct attachment *attachment = &run->attachments[run->count];
    VkMemoryRequirements needs;
    VkDeviceMemory memory;
    VT_CHECK(vt, vkCreateImage(vt->device, &info, NULL, &attachment->image));
    vt_defer(vt, destroy_image, (uint64_t)attachment->image);
    vkGetImageMemoryRequirements(vt->device, attachment->image, &needs);
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = needs.size,
                                           .memoryTypeIndex =
                                               choose_type(vt, needs.memoryTypeBits,
                                                           chain->is_lazy ? VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT
                                                                          : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)};
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &memory));
    vt_defer(vt, free_memory, (uint64_t)memory);
    VT_CHECK(vt, vkBindImageMemory(vt->device, attachment->image, memory, 0));
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = attachment->image,
        .viewType = chain->has_views ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {is_depth(format) ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0,
                             layers_of(chain)}};
    VT_CHECK(vt, vkCreateImageView(vt->device, &view, NULL, &attachment->view));
    vt_defer(vt, destroy_view, (uint64_t)attachment->view);
    attachment->description = (VkAttachmentDescription){
        .format = format,
        .samples = chain->samples,
        .loadOp = run->count && !is_depth(format) ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    return run->count++;
}

static uint32_t add_last(struct vt *vt, struct run *run)
{
    struct attachment *attachment = &run->attachments[run->count];
    run->last = vt_image(vt, &(struct vt_image_info){.format = RGBA8,
                                                     .width = run->chain->width,
                                                     .height = run->chain->height,
                                                     .layers = layers_of(run->chain),
                                                     .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    attachment->view =
        vt_view(vt, &run->last, run->chain->has_views ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D);
    attachment->description = (VkAttachmentDescription){.format = RGBA8,
                                                        .samples = VK_SAMPLE_COUNT_1_BIT,
                                                        .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                        .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    return run->count++;
}

/* One for each subpass, or two that take turns; the last subpass draws into `last`, or is resolved into it. */
static uint32_t add_attachments(struct vt *vt, struct run *run)
{
    const struct chain *chain = run->chain;
    uint32_t resolve = VK_ATTACHMENT_UNUSED;
    for (uint32_t i = 0; i + 1 < chain->subpasses; i++)
        run->drawn[i] = chain->takes_turns && i > 1 ? run->drawn[i - 2] : add_transient(vt, run, chain->format);
    if (chain->samples == VK_SAMPLE_COUNT_1_BIT) {
        run->drawn[chain->subpasses - 1] = add_last(vt, run);
    } else {
        run->drawn[chain->subpasses - 1] = add_transient(vt, run, RGBA8);
        resolve = add_last(vt, run);
    }
    run->depth = chain->reads_depth ? add_transient(vt, run, VK_FORMAT_D16_UNORM) : VK_ATTACHMENT_UNUSED;
    return resolve;
}

/* ---- the pass ---- */

static uint32_t input_of(const struct run *run, uint32_t subpass)
{
    return subpass == 1 && run->depth != VK_ATTACHMENT_UNUSED ? run->depth : run->drawn[subpass - 1];
}

static void make_pass(struct vt *vt, struct run *run)
{
    const uint32_t count = run->chain->subpasses, resolve = add_attachments(vt, run);
    VkAttachmentDescription descriptions[MAX_ATTACHMENTS];
    VkAttachmentReference colors[MAX_SUBPASSES], inputs[MAX_SUBPASSES];
    VkSubpassDescription subpasses[MAX_SUBPASSES] = {{0}};
    VkSubpassDependency dependencies[MAX_SUBPASSES];
    const VkAttachmentReference depth = {run->depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference resolved = {resolve, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                        VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |
                                        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    const VkAccessFlags writes = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    for (uint32_t i = 0; i < run->count; i++)
        descriptions[i] = run->attachments[i].description;
    for (uint32_t i = 0; i < count; i++) {
        colors[i] = (VkAttachmentReference){run->drawn[i], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        subpasses[i].colorAttachmentCount = 1;
        subpasses[i].pColorAttachments = &colors[i];
        if (i == count - 1 && resolve != VK_ATTACHMENT_UNUSED)
            subpasses[i].pResolveAttachments = &resolved;
        if (i == 0)
            subpasses[i].pDepthStencilAttachment = run->depth != VK_ATTACHMENT_UNUSED ? &depth : NULL;
        if (i == 0)
            continue;
        inputs[i] = (VkAttachmentReference){input_of(run, i), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        subpasses[i].inputAttachmentCount = 1;
        subpasses[i].pInputAttachments = &inputs[i];
        dependencies[i - 1] = (VkSubpassDependency){i - 1,
                                                    i,
                                                    stages,
                                                    stages,
                                                    writes,
                                                    writes | VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                                                    run->chain->is_everywhere ? 0 : VK_DEPENDENCY_BY_REGION_BIT};
    }
    const uint32_t masks[MAX_SUBPASSES] = {3, 3, 3, 3, 3, 3};
    const VkRenderPassMultiviewCreateInfo views = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO, .subpassCount = count, .pViewMasks = masks};
    VT_CHECK(vt, vkCreateRenderPass(vt->device,
                                    &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                              .pNext = run->chain->has_views ? &views : NULL,
                                                              .attachmentCount = run->count,
                                                              .pAttachments = descriptions,
                                                              .subpassCount = count,
                                                              .pSubpasses = subpasses,
                                                              .dependencyCount = count - 1,
                                                              .pDependencies = dependencies},
                                    NULL, &run->pass));
    vt_defer(vt, destroy_pass, (uint64_t)run->pass);
}

static void make_framebuffer(struct vt *vt, struct run *run)
{
    VkImageView views[MAX_ATTACHMENTS];
    for (uint32_t i = 0; i < run->count; i++)
        views[i] = run->attachments[i].view;
    VT_CHECK(vt, vkCreateFramebuffer(vt->device,
                                     &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                                .renderPass = run->pass,
                                                                .attachmentCount = run->count,
                                                                .pAttachments = views,
                                                                .width = run->chain->width,
                                                                .height = run->chain->height,
                                                                .layers = 1},
                                     NULL, &run->framebuffer));
    vt_defer(vt, destroy_framebuffer, (uint64_t)run->framebuffer);
}

/* The first draws a constant colour, at depth 0.5, in the upper half. */
static void make_pipelines(struct vt *vt, struct run *run)
{
    const struct chain *chain = run->chain;
    const bool has_samples = chain->samples != VK_SAMPLE_COUNT_1_BIT;
    struct vt_target target = vt_empty_target(chain->width, chain->height, chain->samples);
    target.color_count = 1;
    for (uint32_t i = 0; i < chain->subpasses; i++) {
        struct vt_graphics *graphics = &run->graphics[i];
        vt_graphics_init(graphics, &target, vt_screen_vert,
                         i == 0                         ? vt_constant_frag
                         : i == 1 && chain->reads_depth ? VT_SPIRV(chain_depth_frag)
                         : has_samples                  ? VT_SPIRV(chain_samples_frag)
                                                        : VT_SPIRV(chain_input_frag));
        graphics->pass = run->pass;
        graphics->subpass = i;
        graphics->scissors[0] = chain->area;
        if (i == 0) {
            graphics->scissors[0].extent.height = chain->height / 2 - (uint32_t)chain->area.offset.y;
            graphics->depth.depthTestEnable = graphics->depth.depthWriteEnable = run->depth != VK_ATTACHMENT_UNUSED;
            graphics->depth.depthCompareOp = VK_COMPARE_OP_LESS;
        } else {
            const struct vt_binding binding = {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                                               .image = {VK_NULL_HANDLE, run->attachments[input_of(run, i)].view,
                                                         VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
            run->sets[i] = vt_set(vt, &binding, 1);
            graphics->sets[graphics->set_count++] = run->sets[i].layout;
        }
        vt_make_pipeline(vt, graphics, &target);
    }
}

/* ---- recording ---- */

static void draw_subpass(VkCommandBuffer commands, const struct run *run, uint32_t i)
{
    const struct vt_graphics *graphics = &run->graphics[i];
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    if (i)
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->layout, 0, 1, &run->sets[i].set, 0,
                                NULL);
    vkCmdDraw(commands, 3, 1, 0, 0);
}

static VkCommandBuffer record_secondary(struct vt *vt, const struct run *run, uint32_t i)
{
    VkCommandBuffer secondary;
    VT_CHECK(vt, vkAllocateCommandBuffers(
                     vt->device,
                     &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                    .commandPool = vt->commands,
                                                    .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                    .commandBufferCount = 1},
                     &secondary));
    const VkCommandBufferInheritanceInfo inherited = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .renderPass = run->pass, .subpass = i};
    VT_CHECK(vt, vkBeginCommandBuffer(
                     secondary, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                                            .pInheritanceInfo = &inherited}));
    draw_subpass(secondary, run, i);
    VT_CHECK(vt, vkEndCommandBuffer(secondary));
    return secondary;
}

static void record_commands(struct vt *vt, VkCommandBuffer commands, const struct run *run)
{
    const struct chain *chain = run->chain;
    const VkSubpassContents contents =
        chain->has_secondaries ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE;
    VkClearValue clears[MAX_ATTACHMENTS] = {{.color = {.float32 = {1, 0, 0, 0.4f}}}};
    if (run->depth != VK_ATTACHMENT_UNUSED)
        clears[run->depth].depthStencil.depth = 1;
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = run->pass,
                                         .framebuffer = run->framebuffer,
                                         .renderArea = chain->area,
                                         .clearValueCount = run->count,
                                         .pClearValues = clears};
    for (uint32_t i = 0; i < chain->subpasses; i++) {
        if (i)
            vkCmdNextSubpass(commands, contents);
        else
            vkCmdBeginRenderPass(commands, &begin, contents);
        if (chain->has_secondaries) {
            const VkCommandBuffer secondary = record_secondary(vt, run, i);
            vkCmdExecuteCommands(commands, 1, &secondary);
        } else {
            draw_subpass(commands, run, i);
        }
    }
    vkCmdEndRenderPass(commands);
}

static void case_chain(struct vt *vt, const void *argument)
{
    struct run run = {.chain = argument};
    const struct chain *chain = argument;
    const VkRect2D *area = &chain->area;
    if (chain->has_views && !vt->features11.multiview)
        vt_skip(vt, "no multiview");
    if (chain->has_views && vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE &&
        VK_API_VERSION_MAJOR(vt->properties.driverVersion) < 23)
        vt_skip(vt, "it draws every view to layer 0 where a triangle covers a whole tile");
    make_pass(vt, &run);
    make_framebuffer(vt, &run);
    make_pipelines(vt, &run);
    VkCommandBuffer commands = vt_begin(vt);
    record_commands(vt, commands, &run);
    run.last.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const struct vt_buffer texels = vt_record_download(vt, commands, &run.last, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    double drawn[4] = {0.2, 0.4, 0.6, 0.8}, cleared[4] = {1, 0, 0, 0.4};
    if (chain->reads_depth) {
        memcpy(drawn, (double[4]){0.5, 0.5, 0.5, 0.5}, sizeof(drawn));
        memcpy(cleared, (double[4]){1, 1, 1, 1}, sizeof(cleared));
    }
    for (unsigned c = 0; c < 4; c++) {
        drawn[c] = chain->subpasses % 2 ? drawn[c] : 1 - drawn[c];
        cleared[c] = chain->subpasses % 2 ? cleared[c] : 1 - cleared[c];
    }
    const uint32_t top = (uint32_t)area->offset.y;
    for (uint32_t i = 0; i < area->extent.height * layers_of(chain); i++) {
        const uint32_t y = top + i % area->extent.height, layer = i / area->extent.height;
        const uint32_t *row =
            (const uint32_t *)texels.map + (layer * chain->height + y) * chain->width + area->offset.x;
        const bool is_drawn = y < chain->height / 2;
        vt_expect_color(vt, RGBA8, row, area->extent.width, 1, is_drawn ? drawn : cleared, 2,
                        is_drawn ? "drawn part" : "cleared part");
    }
}

#define WHOLE .width = 300, .height = 420, .area = {{0, 0}, {300, 420}}
#define ONE .samples = VK_SAMPLE_COUNT_1_BIT
#define WIDE .format = VK_FORMAT_R16G16B16A16_SFLOAT

static const struct chain chains[] = {
    {.subpasses = 2, WIDE, WHOLE, ONE},
    {.subpasses = 5, WIDE, WHOLE, ONE},
    {.subpasses = 5, WIDE, WHOLE, ONE, .takes_turns = true},
    {.subpasses = 4, .format = VK_FORMAT_B8G8R8A8_UNORM, WHOLE, ONE},
    {.subpasses = 3, WIDE, WHOLE, ONE, .reads_depth = true},
    {.subpasses = 3, WIDE, .width = 300, .height = 420, .area = {{5, 3}, {290, 414}}, ONE},
    {.subpasses = 3, .format = RGBA8, WHOLE, .samples = VK_SAMPLE_COUNT_4_BIT},
    {.subpasses = 3, WIDE, WHOLE, ONE, .is_everywhere = true},
    {.subpasses = 3, WIDE, WHOLE, ONE, .has_secondaries = true},
    {.subpasses = 4, WIDE, WHOLE, ONE, .reads_depth = true, .is_lazy = true},
    {.subpasses = 3, WIDE, WHOLE, ONE, .reads_depth = true, .has_views = true},
};

const struct vt_case vt_subpass_cases[] = {
    {"the second of two reads what the first drew", case_chain, &chains[0]},
    {"five in a row", case_chain, &chains[1]},
    {"five that take turns with two attachments", case_chain, &chains[2]},
    {"four in a row, blue first", case_chain, &chains[3]},
    {"depth of the first is read", case_chain, &chains[4]},
    {"an area that is no block of anything", case_chain, &chains[5]},
    {"samples, resolved at the end", case_chain, &chains[6]},
    {"dependencies on the whole picture", case_chain, &chains[7]},
    {"secondary command buffers", case_chain, &chains[8]},
    {"memory that is allocated when it is needed", case_chain, &chains[9]},
    {"two views", case_chain, &chains[10]},
};
const size_t vt_subpass_count = COUNT_OF(vt_subpass_cases);
