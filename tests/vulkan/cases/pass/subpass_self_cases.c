/* Subpasses that depend on themselves: a draw, a barrier, and a draw that reads at its own pixel what was drawn before
 * it, from an attachment that is an input and is drawn to at once. In secondary command buffers, too, which are
 * recorded before anybody knows the framebuffer. */
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/self_depth_frag.h"
#include "shaders/self_indexed_frag.h"
#include "shaders/self_input_frag.h"
#include "shaders/self_samples_frag.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIDE 70u
#define DRAWN_ROWS 30u /* by the first draw */

enum where {
    INLINE,
    ONE_SECONDARY,
    MANY_SECONDARIES, /* each draw in one of its own, that begins with the barrier */
};

struct self {
    VkFormat format;
    uint32_t readers; /* draws after the first: each draws one minus what it reads */
    enum where where;
    bool reads_depth;       /* of the first draw, not its colour */
    bool knows_framebuffer; /* when secondaries are recorded */
    bool has_other;         /* attachment before it in the framebuffer, which is another colour */
    bool is_indexed;        /* it is the second of two inputs, chosen by a number that is computed */
    VkSampleCountFlagBits samples;
};

struct run {
    const struct self *self;
    struct vt_target target;
    struct vt_image resolved;
    uint32_t count, drawn, depth, resolve; /* attachments; numbers or VK_ATTACHMENT_UNUSED */
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    struct vt_graphics first, reader;
    struct vt_set set;
};

static void destroy_pass(struct vt *vt, uint64_t handle)
{
    vkDestroyRenderPass(vt->device, (VkRenderPass)handle, NULL);
}

static void destroy_framebuffer(struct vt *vt, uint64_t handle)
{
    vkDestroyFramebuffer(vt->device, (VkFramebuffer)handle, NULL);
}

/* ---- the pass ---- */

#define SRC_STAGES (VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT)
#define WRITES (VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)

static void make_pass(struct vt *vt, struct run *run)
{
    VkAttachmentDescription descriptions[4];
    VkAttachmentReference colors[2];
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    for (uint32_t i = 0; i < run->count; i++) {
        const bool is_depth = i == run->depth, is_looked_at = i == (run->resolve < 4 ? run->resolve : run->drawn);
        descriptions[i] = (VkAttachmentDescription){
            .format = is_depth ? VK_FORMAT_D16_UNORM : run->self->format,
            .samples = i == run->resolve ? VK_SAMPLE_COUNT_1_BIT : run->self->samples,
            .loadOp = i == run->resolve ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = is_looked_at ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .finalLayout = is_looked_at ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : general};
    }
    for (uint32_t i = 0; i <= run->drawn; i++)
        colors[i] = (VkAttachmentReference){run->drawn - i, general};
    const VkAttachmentReference depth = {run->depth, general};
    const VkAttachmentReference resolves[2] = {{run->resolve, general}, {VK_ATTACHMENT_UNUSED, general}};
    const VkAttachmentReference both[2] = {colors[run->drawn], colors[0]};
    const VkSubpassDescription subpass = {.inputAttachmentCount = run->self->is_indexed ? 2 : 1,
                                          .pInputAttachments = run->self->reads_depth  ? &depth
                                                               : run->self->is_indexed ? both
                                                                                       : &colors[0],
                                          .colorAttachmentCount = run->drawn + 1,
                                          .pColorAttachments = colors,
                                          .pResolveAttachments = run->resolve != VK_ATTACHMENT_UNUSED ? resolves : NULL,
                                          .pDepthStencilAttachment =
                                              run->depth != VK_ATTACHMENT_UNUSED ? &depth : NULL};
    const VkSubpassDependency self = {0,
                                      0,
                                      SRC_STAGES,
                                      VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                      WRITES,
                                      VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                                      VK_DEPENDENCY_BY_REGION_BIT};
    VT_CHECK(vt, vkCreateRenderPass(vt->device,
                                    &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                              .attachmentCount = run->count,
                                                              .pAttachments = descriptions,
                                                              .subpassCount = 1,
                                                              .pSubpasses = &subpass,
                                                              .dependencyCount = 1,
                                                              .pDependencies = &self},
                                    NULL, &run->pass));
    vt_defer(vt, destroy_pass, (uint64_t)run->pass);
}

static void make_attachments(struct vt *vt, struct run *run)
{
    const struct self *self = run->self;
    const bool is_resolved = self->samples != VK_SAMPLE_COUNT_1_BIT;
    VkImageView views[4];
    run->target = vt_empty_target(SIDE, SIDE, self->samples);
    run->drawn = self->has_other ? 1 : 0;
    for (uint32_t i = 0; i <= run->drawn; i++) {
        vt_add_color(vt, &run->target, self->format);
        views[run->count++] = run->target.color_views[i];
    }
    run->depth = run->resolve = VK_ATTACHMENT_UNUSED;
    if (self->reads_depth) {
        vt_add_depth(vt, &run->target, VK_FORMAT_D16_UNORM);
        run->depth = run->count;
        views[run->count++] = run->target.depth_view;
    }
    if (is_resolved) {
        run->resolved = vt_image(vt, &(struct vt_image_info){.format = self->format,
                                                             .width = SIDE,
                                                             .height = SIDE,
                                                             .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
        run->resolve = run->count;
        views[run->count++] = vt_view(vt, &run->resolved, VK_IMAGE_VIEW_TYPE_2D);
    }
    make_pass(vt, run);
    VT_CHECK(vt, vkCreateFramebuffer(vt->device,
                                     &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                                .renderPass = run->pass,
                                                                .attachmentCount = run->count,
                                                                .pAttachments = views,
                                                                .width = SIDE,
                                                                .height = SIDE,
                                                                .layers = 1},
                                     NULL, &run->framebuffer));
    vt_defer(vt, destroy_framebuffer, (uint64_t)run->framebuffer);
}

/* ---- pipelines ---- */

static void make_pipelines(struct vt *vt, struct run *run)
{
    const struct self *self = run->self;
    const VkImageView view = self->reads_depth ? run->target.depth_view : run->target.color_views[run->drawn];
    const VkDescriptorImageInfo both[2] = {{VK_NULL_HANDLE, run->target.color_views[0], VK_IMAGE_LAYOUT_GENERAL},
                                           {VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_GENERAL}};
    const struct vt_binding binding = {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                                       .count = self->is_indexed ? 2 : 1,
                                       .images = self->is_indexed ? both : &both[1]};
    vt_graphics_init(&run->first, &run->target, vt_screen_vert, vt_constant_frag);
    vt_graphics_init(&run->reader, &run->target, vt_screen_vert,
                     self->reads_depth                        ? VT_SPIRV(self_depth_frag)
                     : self->is_indexed                       ? VT_SPIRV(self_indexed_frag)
                     : self->samples != VK_SAMPLE_COUNT_1_BIT ? VT_SPIRV(self_samples_frag)
                                                              : VT_SPIRV(self_input_frag));
    run->set = vt_set(vt, &binding, 1);
    run->reader.sets[run->reader.set_count++] = run->set.layout;
    run->first.scissors[0].extent.height = DRAWN_ROWS;
    run->first.depth.depthTestEnable = run->first.depth.depthWriteEnable = self->reads_depth;
    run->first.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    for (uint32_t i = 1; i <= run->drawn; i++)
        run->first.blends[i].colorWriteMask = run->reader.blends[i].colorWriteMask = 0; /* the programs write one */
    run->first.pass = run->reader.pass = run->pass;
    vt_make_pipeline(vt, &run->first, &run->target);
    vt_make_pipeline(vt, &run->reader, &run->target);
}

/* ---- recording ---- */

static VkCommandBuffer begin_secondary(struct vt *vt, const struct run *run)
{
    VkCommandBuffer secondary;
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = vt->commands,
                                              .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                              .commandBufferCount = 1};
    const VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                      .renderPass = run->pass,
                                                      .framebuffer = run->self->knows_framebuffer ? run->framebuffer
                                                                                                  : VK_NULL_HANDLE};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inherited};
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &info, &secondary));
    VT_CHECK(vt, vkBeginCommandBuffer(secondary, &begin));
    return secondary;
}

/* The first, or a reader after its barrier. */
static void record_draw(VkCommandBuffer commands, const struct run *run, uint32_t i)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = WRITES,
                                     .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT};
    const struct vt_graphics *graphics = i ? &run->reader : &run->first;
    if (i)
        vkCmdPipelineBarrier(commands, SRC_STAGES, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_DEPENDENCY_BY_REGION_BIT,
                             1, &barrier, 0, NULL, 0, NULL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    if (i)
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->layout, 0, 1, &run->set.set, 0,
                                NULL);
    vkCmdDraw(commands, 3, 1, 0, 0);
}

static void record_commands(struct vt *vt, VkCommandBuffer commands, const struct run *run)
{
    const enum where where = run->self->where;
    VkClearValue clears[4] = {{{{0}}}};
    clears[run->drawn].color = (VkClearColorValue){.float32 = {1, 0, 0, 0.4f}};
    if (run->depth != VK_ATTACHMENT_UNUSED)
        clears[run->depth].depthStencil.depth = 1;
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = run->pass,
                                         .framebuffer = run->framebuffer,
                                         .renderArea = {{0, 0}, {SIDE, SIDE}},
                                         .clearValueCount = run->count,
                                         .pClearValues = clears};
    vkCmdBeginRenderPass(commands, &begin,
                         where == INLINE ? VK_SUBPASS_CONTENTS_INLINE : VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    VkCommandBuffer draws = commands;
    for (uint32_t i = 0; i <= run->self->readers; i++) {
        if (where == MANY_SECONDARIES || (where == ONE_SECONDARY && i == 0))
            draws = begin_secondary(vt, run);
        record_draw(draws, run, i);
        if (where == MANY_SECONDARIES || (where == ONE_SECONDARY && i == run->self->readers)) {
            VT_CHECK(vt, vkEndCommandBuffer(draws));
            vkCmdExecuteCommands(commands, 1, &draws);
        }
    }
    vkCmdEndRenderPass(commands);
}

static void case_self(struct vt *vt, const void *argument)
{
    struct run run = {.self = argument};
    const struct self *self = argument;
    if (self->has_other && !vt->features.features.independentBlend)
        vt_skip(vt, "no independentBlend");
    if (self->is_indexed && !vt->features12.shaderInputAttachmentArrayDynamicIndexing)
        vt_skip(vt, "no shaderInputAttachmentArrayDynamicIndexing");
    if (self->samples != VK_SAMPLE_COUNT_1_BIT && !vt->features.features.sampleRateShading)
        vt_skip(vt, "no sampleRateShading"); /* each sample reads itself */
    if (vt->driver == VK_DRIVER_ID_MESA_PANVK && self->where != INLINE && !self->knows_framebuffer)
        vt_skip(vt, "its secondaries end the rendering, whose attachments they know by the framebuffer alone");
    make_attachments(vt, &run);
    make_pipelines(vt, &run);
    VkCommandBuffer commands = vt_begin(vt);
    record_commands(vt, commands, &run);
    struct vt_image *image = run.resolve != VK_ATTACHMENT_UNUSED ? &run.resolved : &run.target.colors[run.drawn];
    image->layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const struct vt_buffer texels = vt_record_download(vt, commands, image, 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    double drawn[4] = {0.2, 0.4, 0.6, 0.8}, cleared[4] = {1, 0, 0, 0.4};
    if (self->reads_depth) {
        memcpy(drawn, (double[4]){0.5, 0.5, 0.5, 0.5}, sizeof(drawn));
        memcpy(cleared, (double[4]){1, 1, 1, 1}, sizeof(cleared));
    }
    for (unsigned c = 0; c < 4 && self->readers % 2; c++) {
        drawn[c] = 1 - drawn[c];
        cleared[c] = 1 - cleared[c];
    }
    const size_t texel_B = vt_level_B(image, 0, 1, VK_IMAGE_ASPECT_COLOR_BIT) / (SIDE * SIDE);
    vt_expect_color(vt, self->format, texels.map, SIDE, DRAWN_ROWS, drawn, 2, "drawn part");
    vt_expect_color(vt, self->format, (const uint8_t *)texels.map + SIDE * DRAWN_ROWS * texel_B, SIDE,
                    SIDE - DRAWN_ROWS, cleared, 2, "cleared part");
}

#define ONE .samples = VK_SAMPLE_COUNT_1_BIT

static const struct self selves[] = {
    {.format = RGBA8, .readers = 1, .where = INLINE, ONE},
    {.format = RGBA8, .readers = 1, .where = ONE_SECONDARY, ONE},
    {.format = VK_FORMAT_R16G16B16A16_SFLOAT, .readers = 4, .where = ONE_SECONDARY, ONE, .has_other = true},
    {.format = RGBA8, .readers = 3, .where = MANY_SECONDARIES, ONE},
    {.format = RGBA8, .readers = 1, .where = ONE_SECONDARY, ONE, .reads_depth = true},
    {.format = RGBA8, .readers = 3, .where = ONE_SECONDARY, .samples = VK_SAMPLE_COUNT_4_BIT},
    {.format = RGBA8, .readers = 2, .where = ONE_SECONDARY, ONE, .knows_framebuffer = true},
    {.format = RGBA8, .readers = 3, .where = MANY_SECONDARIES, ONE, .knows_framebuffer = true},
    {.format = RGBA8, .readers = 3, .where = INLINE, ONE, .has_other = true, .is_indexed = true},
    {.format = RGBA8, .readers = 3, .where = ONE_SECONDARY, ONE, .has_other = true, .is_indexed = true},
};

const struct vt_case vt_subpass_self_cases[] = {
    {"on itself, a draw reads what one before it drew", case_self, &selves[0]},
    {"on itself, in a secondary", case_self, &selves[1]},
    {"on itself, in a secondary, five draws of half floats", case_self, &selves[2]},
    {"on itself, each draw in a secondary", case_self, &selves[3]},
    {"on itself, in a secondary, depth", case_self, &selves[4]},
    {"on itself, in a secondary, samples", case_self, &selves[5]},
    {"on itself, in a secondary that knows the framebuffer", case_self, &selves[6]},
    {"on itself, each draw in a secondary that knows the framebuffer", case_self, &selves[7]},
    {"on itself, by a computed number", case_self, &selves[8]},
    {"on itself, in a secondary, by a computed number", case_self, &selves[9]},
};
const size_t vt_subpass_self_count = COUNT_OF(vt_subpass_self_cases);
