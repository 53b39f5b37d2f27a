/* The scenes: what a program can ask of a driver, each in command buffers of its own. */
#include "scenes.h"

#include "capture.h"
#include "spirv_depth_frag.h"
#include "spirv_feedback_vert.h"
#include "spirv_plain_comp.h"
#include "spirv_plain_frag.h"
#include "spirv_plain_geom.h"
#include "spirv_plain_tesc.h"
#include "spirv_plain_tese.h"
#include "spirv_plain_vert.h"

#define SIZE 1024u /* large enough for DCC and HTILE */

enum {
    VERTEX,
    CONTROL,
    EVALUATION,
    GEOMETRY,
    FRAGMENT
};

struct shaders {
    VkShaderModule vertex, fragment, depth_fragment, geometry, control, evaluation, feedback, compute;
};

#define MODULE(name) make_module(vk, spirv_##name, sizeof(spirv_##name))

static void begin_rendering(struct vk *vk, VkCommandBuffer c, const struct target *t, bool color)
{
    const VkRenderingAttachmentInfo attachments[2] = {
        {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
         .imageView = t->color_view,
         .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
         .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE},
        {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
         .imageView = t->depth_view,
         .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
         .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE},
    };
    vk->CmdBeginRendering(c, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .renderArea = {{0, 0}, {SIZE, SIZE}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = color ? 1 : 0,
                                                .pColorAttachments = attachments,
                                                .pDepthAttachment = &attachments[1],
                                                .pStencilAttachment = &attachments[1]});
}

static void set_state(struct vk *vk, VkCommandBuffer c, VkPipeline pipeline)
{
    const VkDeviceSize zero = 0;
    const float push[4] = {1, 2, 3, 4};
    vk->CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vk->CmdSetViewport(c, 0, 1, &(VkViewport){8, 8, SIZE - 16, SIZE - 16, 0, 1});
    vk->CmdSetScissor(c, 0, 1, &(VkRect2D){{16, 16}, {SIZE - 32, SIZE - 32}});
    vk->CmdSetStencilReference(c, VK_STENCIL_FACE_FRONT_AND_BACK, 7);
    vk->CmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, vk->layout, 0, 1, &vk->set, 0, NULL);
    vk->CmdPushConstants(c, vk->layout, VK_SHADER_STAGE_ALL, 0, sizeof(push), push);
    vk->CmdBindVertexBuffers(c, 0, 1, &vk->buffer, &zero);
    vk->CmdBindIndexBuffer(c, vk->buffer, 4096, VK_INDEX_TYPE_UINT16);
}

/* One command buffer that draws with one pipeline. */
static void draw_scene(struct vk *vk, const char *name, const struct target *t, const struct pipeline_options *options)
{
    VkPipeline pipeline = make_graphics_pipeline(vk, options);
    if (vk->failed)
        return;
    capture_scene(name);
    VkCommandBuffer c = begin_commands(vk, vk->graphics_family);
    begin_rendering(vk, c, t, !options->no_color);
    set_state(vk, c, pipeline);
    vk->CmdDraw(c, 3, 2, 1, 1);
    vk->CmdDrawIndexed(c, 6, 1, 3, 5, 0);
    vk->CmdEndRendering(c);
    submit_commands(vk, vk->graphics_family, c);
}

static void indirect_scene(struct vk *vk, const struct shaders *s, const struct target *t)
{
    VkPipeline pipeline = make_graphics_pipeline(
        vk, &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->fragment},
                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP});
    capture_scene("indirect draws");
    VkCommandBuffer c = begin_commands(vk, vk->graphics_family);
    begin_rendering(vk, c, t, true);
    set_state(vk, c, pipeline);
    vk->CmdDrawIndirect(c, vk->buffer, 0, 1, 16);
    vk->CmdDrawIndirect(c, vk->buffer, 0, 4, 16);
    vk->CmdDrawIndexedIndirect(c, vk->buffer, 0, 1, 20);
    vk->CmdDrawIndexedIndirect(c, vk->buffer, 0, 4, 20);
    vk->CmdDrawIndirectCount(c, vk->buffer, 0, vk->buffer, 256, 8, 16);
    vk->CmdEndRendering(c);
    submit_commands(vk, vk->graphics_family, c);
}

static void query_scene(struct vk *vk, const struct shaders *s, const struct target *t)
{
    static const VkQueryType types[] = {VK_QUERY_TYPE_OCCLUSION, VK_QUERY_TYPE_PIPELINE_STATISTICS};
    VkPipeline pipeline = make_graphics_pipeline(
        vk, &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->fragment},
                                       .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST});
    VkQueryPool pools[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                            .queryType = i < 2 ? types[i] : VK_QUERY_TYPE_TIMESTAMP,
                                            .queryCount = 2,
                                            .pipelineStatistics = i == 1 ? 0x7ff : 0};
        if (vk->CreateQueryPool(vk->device, &info, NULL, &pools[i]) != VK_SUCCESS)
            vk->failed = true;
    }
    if (vk->failed)
        return;
    capture_scene("queries");
    VkCommandBuffer c = begin_commands(vk, vk->graphics_family);
    for (unsigned i = 0; i < 3; i++)
        vk->CmdResetQueryPool(c, pools[i], 0, 2);
    begin_rendering(vk, c, t, true);
    set_state(vk, c, pipeline);
    vk->CmdBeginQuery(c, pools[0], 0, VK_QUERY_CONTROL_PRECISE_BIT);
    vk->CmdBeginQuery(c, pools[1], 0, 0);
    vk->CmdDraw(c, 3, 1, 0, 0);
    vk->CmdEndQuery(c, pools[1], 0);
    vk->CmdEndQuery(c, pools[0], 0);
    vk->CmdEndRendering(c);
    vk->CmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pools[2], 0);
    vk->CmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pools[2], 1);
    for (unsigned i = 0; i < 3; i++)
        vk->CmdCopyQueryPoolResults(c, pools[i], 0, 1, vk->buffer, 1024, 128,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    submit_commands(vk, vk->graphics_family, c);
}

static void predication_scene(struct vk *vk, const struct shaders *s, const struct target *t)
{
    VkPipeline pipeline = make_graphics_pipeline(
        vk, &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->fragment},
                                       .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST});
    capture_scene("conditional rendering");
    VkCommandBuffer c = begin_commands(vk, vk->graphics_family);
    vk->CmdBeginConditionalRenderingEXT(
        c, &(VkConditionalRenderingBeginInfoEXT){.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
                                                 .buffer = vk->buffer});
    begin_rendering(vk, c, t, true);
    set_state(vk, c, pipeline);
    vk->CmdDraw(c, 3, 1, 0, 0);
    vk->CmdEndRendering(c);
    vk->CmdEndConditionalRenderingEXT(c);
    submit_commands(vk, vk->graphics_family, c);
}

static void feedback_scene(struct vk *vk, const struct shaders *s, const struct target *t)
{
    const VkDeviceSize offset = 8192, size = 4096, zero = 0;
    VkPipeline pipeline = make_graphics_pipeline(
        vk, &(struct pipeline_options){.stages = {[VERTEX] = s->feedback, [FRAGMENT] = s->fragment},
                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST});
    capture_scene("transform feedback");
    VkCommandBuffer c = begin_commands(vk, vk->graphics_family);
    begin_rendering(vk, c, t, true);
    set_state(vk, c, pipeline);
    vk->CmdBindTransformFeedbackBuffersEXT(c, 0, 1, &vk->buffer, &offset, &size);
    vk->CmdBeginTransformFeedbackEXT(c, 0, 1, &vk->buffer, &zero);
    vk->CmdDraw(c, 3, 1, 0, 0);
    vk->CmdEndTransformFeedbackEXT(c, 0, 1, &vk->buffer, &zero);
    vk->CmdEndRendering(c);
    submit_commands(vk, vk->graphics_family, c);
}

static void dispatch_scene(struct vk *vk, const struct shaders *s, const char *name, uint32_t family)
{
    VkPipeline pipeline = make_compute_pipeline(vk, s->compute);
    VkEvent event = VK_NULL_HANDLE;
    if (vk->CreateEvent(vk->device, &(VkEventCreateInfo){.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO}, NULL, &event) !=
        VK_SUCCESS)
        vk->failed = true;
    if (vk->failed)
        return;
    const VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_SHADER_WRITE_BIT,
                                     VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT};
    capture_scene(name);
    VkCommandBuffer c = begin_commands(vk, family);
    vk->CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk->CmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set, 0, NULL);
    vk->CmdPushConstants(c, vk->layout, VK_SHADER_STAGE_ALL, 0, 4, "\1\0\0");
    vk->CmdDispatch(c, 8, 4, 2);
    vk->CmdPipelineBarrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                           VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier,
                           0, NULL, 0, NULL);
    vk->CmdDispatchIndirect(c, vk->buffer, 64);
    vk->CmdSetEvent(c, event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    vk->CmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, NULL, 0,
                      NULL, 0, NULL);
    vk->CmdUpdateBuffer(c, vk->buffer, 128, 16, "fifteen letters");
    vk->CmdFillBuffer(c, vk->buffer, 256, 64, 0x12345678);
    vk->CmdFillBuffer(c, vk->buffer, 0, 1 << 19, 0);
    vk->CmdCopyBuffer(c, vk->buffer, vk->buffer, 1, &(VkBufferCopy){0, 1 << 19, 256});
    submit_commands(vk, family, c);
}

static VkCommandBuffer begin_transfer(struct vk *vk, const char *name)
{
    capture_scene(name);
    return begin_commands(vk, vk->graphics_family);
}

static void transfer_scenes(struct vk *vk, const struct target *t, const struct target *multi)
{
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    const VkImageSubresourceLayers color = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const VkImageSubresourceRange depth = {VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1};
    const VkBufferImageCopy copy = {.bufferRowLength = 64, .imageSubresource = color, .imageExtent = {64, 64, 1}};
    const VkImageMemoryBarrier to_read = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
                                          .oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                          .newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                          .image = multi->color,
                                          .subresourceRange = range};
    struct target other = make_target(vk, SIZE, 1, VK_SAMPLE_COUNT_1_BIT);

    VkCommandBuffer c = begin_transfer(vk, "clears");
    vk->CmdClearColorImage(c, t->color, general, &(VkClearColorValue){.float32 = {0, 1, 0, 1}}, 1, &range);
    vk->CmdClearDepthStencilImage(c, t->depth, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                  &(VkClearDepthStencilValue){0.5f, 3}, 1, &depth);
    submit_commands(vk, vk->graphics_family, c);

    c = begin_transfer(vk, "clears inside rendering");
    begin_rendering(vk, c, t, true);
    vk->CmdClearAttachments(
        c, 1, &(VkClearAttachment){VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color.float32 = {0.3f, 0.1f, 0.2f, 1}}}, 1,
        &(VkClearRect){{{0, 0}, {100, 100}}, 0, 1});
    vk->CmdClearAttachments(c, 1, &(VkClearAttachment){VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {1.0f, 0}}}, 1,
                            &(VkClearRect){{{0, 0}, {100, 100}}, 0, 1});
    vk->CmdEndRendering(c);
    submit_commands(vk, vk->graphics_family, c);

    c = begin_transfer(vk, "copies");
    vk->CmdCopyBufferToImage(c, vk->buffer, t->color, general, 1, &copy);
    vk->CmdCopyImageToBuffer(c, t->color, general, vk->buffer, 1, &copy);
    vk->CmdCopyImage(c, t->color, general, other.color, general, 1,
                     &(VkImageCopy){color, {0}, color, {8, 8, 0}, {64, 64, 1}});
    submit_commands(vk, vk->graphics_family, c);

    c = begin_transfer(vk, "blit");
    vk->CmdBlitImage(c, t->color, general, other.color, general, 1,
                     &(VkImageBlit){color, {{0, 0, 0}, {64, 64, 1}}, color, {{0, 0, 0}, {32, 100, 1}}},
                     VK_FILTER_LINEAR);
    submit_commands(vk, vk->graphics_family, c);

    c = begin_transfer(vk, "resolve");
    vk->CmdPipelineBarrier(c, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0,
                           0, NULL, 0, NULL, 1, &to_read);
    vk->CmdResolveImage(c, multi->color, general, other.color, general, 1,
                        &(VkImageResolve){color, {0}, color, {0}, {SIZE, SIZE, 1}});
    submit_commands(vk, vk->graphics_family, c);
}

static void draw_scenes(struct vk *vk, const struct shaders *s, const struct target *t, const struct target *multi)
{
    const VkPrimitiveTopology triangles = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    draw_scene(
        vk, "plain triangles", t,
        &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->fragment}, .topology = triangles});
    draw_scene(vk, "depth, stencil, blending", t,
               &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->fragment},
                                          .topology = triangles,
                                          .depth = true,
                                          .stencil = true,
                                          .blend = true,
                                          .bias = true});
    draw_scene(vk, "dual-source blending and exported depth", t,
               &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->depth_fragment},
                                          .topology = triangles,
                                          .depth = true,
                                          .blend = true,
                                          .dual_source = true});
    draw_scene(vk, "logic op, wireframe, restart", t,
               &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->fragment},
                                          .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
                                          .logic_op = true,
                                          .lines = true,
                                          .restart = true});
    draw_scene(vk, "four samples", multi,
               &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->fragment},
                                          .topology = triangles,
                                          .samples = VK_SAMPLE_COUNT_4_BIT,
                                          .depth = true,
                                          .alpha_to_coverage = true});
    draw_scene(vk, "sample shading", multi,
               &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [FRAGMENT] = s->fragment},
                                          .topology = triangles,
                                          .samples = VK_SAMPLE_COUNT_4_BIT,
                                          .sample_shading = true});
    draw_scene(vk, "depth only", t,
               &(struct pipeline_options){
                   .stages = {[VERTEX] = s->vertex}, .topology = triangles, .depth = true, .no_color = true});
    draw_scene(
        vk, "geometry shader", t,
        &(struct pipeline_options){.stages = {[VERTEX] = s->vertex, [GEOMETRY] = s->geometry, [FRAGMENT] = s->fragment},
                                   .topology = triangles});
    draw_scene(
        vk, "tessellation", t,
        &(struct pipeline_options){
            .stages =
                {[VERTEX] = s->vertex, [CONTROL] = s->control, [EVALUATION] = s->evaluation, [FRAGMENT] = s->fragment},
            .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST});
}

const char *record_scenes(const char *library)
{
    static struct vk the_vk;
    struct vk *vk = &the_vk;
    const char *error = make_device(vk, library);
    if (error)
        return error;
    const struct shaders s = {MODULE(plain_vert), MODULE(plain_frag), MODULE(depth_frag),    MODULE(plain_geom),
                              MODULE(plain_tesc), MODULE(plain_tese), MODULE(feedback_vert), MODULE(plain_comp)};
    const struct target target = make_target(vk, SIZE, 1, VK_SAMPLE_COUNT_1_BIT);
    const struct target multi = make_target(vk, SIZE, 1, VK_SAMPLE_COUNT_4_BIT);
    if (vk->failed)
        return "the images cannot be made";
    dispatch_scene(vk, &s, "dispatches on the graphics ring", vk->graphics_family);
    dispatch_scene(vk, &s, "dispatches on a compute ring", vk->compute_family);
    draw_scenes(vk, &s, &target, &multi);
    indirect_scene(vk, &s, &target);
    query_scene(vk, &s, &target);
    predication_scene(vk, &s, &target);
    feedback_scene(vk, &s, &target);
    transfer_scenes(vk, &target, &multi);
    return vk->failed ? "a Vulkan call failed" : NULL;
}
