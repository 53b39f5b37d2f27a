/* Records a render pass: carries out its plan with the framebuffer's images, through the device's own table. */
#include <string.h>

#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/render/vk_framebuffer.h"
#include "vulkan/runtime/render/vk_render_pass.h"

#define ATTACHMENT_STAGES                                                                                              \
    (VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |                  \
     VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT)
#define ATTACHMENT_WRITES (VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)
#define ATTACHMENT_READS                                                                                               \
    (VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |                           \
     VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT)

/* The application's arrays are gone when the next subpass begins: this is a copy of what is needed of them, with room
 * for the structures of one call to the driver. */
struct vk_pass_instance {
    const struct vk_render_pass *pass; /* NULL: none is being recorded */
    uint32_t subpass;
    VkSubpassContents contents;
    VkRect2D area;
    uint32_t layers;

    const struct vk_image_view **views;    /* one per attachment */
    VkClearValue *clear_values;            /* one per attachment */
    VkSampleLocationsInfoEXT *initial;     /* one per attachment; no sType where there is none */
    VkSampleLocationsInfoEXT *after;       /* one per subpass; no sType where there is none */
    VkSampleLocationEXT *sample_locations; /* what those point at */
    VkImageMemoryBarrier2 *barriers;
    VkRenderingAttachmentInfo *colors;
    struct vk_joined_attachment *joined;
    VkImageView *inputs;

    size_t size_B; /* of what follows */
    char storage[] __attribute__((aligned(16)));
};

/* ---- beginning ---- */

struct block {
    char *next;
    size_t size_B;
};

static void *take_array(struct block *block, size_t count, size_t element_B)
{
    size_t size_B = (count * element_B + 15) & ~(size_t)15;
    void *memory = block->next;
    block->size_B += size_B;
    if (memory)
        block->next += size_B;
    return memory;
}

/* Runs of set bits: each is one range of layers. */
static uint32_t run_count(uint32_t mask)
{
    return mask ? (uint32_t)__builtin_popcount(mask & ~(mask << 1)) : 1;
}

static uint32_t sample_location_count(const VkRenderPassSampleLocationsBeginInfoEXT *info)
{
    uint32_t count = 0;
    for (uint32_t i = 0; info && i < info->attachmentInitialSampleLocationsCount; i++)
        count += info->pAttachmentInitialSampleLocations[i].sampleLocationsInfo.sampleLocationsCount;
    for (uint32_t i = 0; info && i < info->postSubpassSampleLocationsCount; i++)
        count += info->pPostSubpassSampleLocations[i].sampleLocationsInfo.sampleLocationsCount;
    return count;
}

static void lay_out(struct vk_pass_instance *instance, struct block *block, const struct vk_render_pass *pass,
                    uint32_t sample_locations)
{
    uint32_t transitions = pass->after.transition_count, colors = 1, joined = 0, inputs = 0;
    for (uint32_t i = 0; i < pass->subpass_count; i++) {
        joined = MAX2(joined, pass->subpasses[i].joined_count);
        inputs = MAX2(inputs, pass->subpasses[i].input_count);
        transitions = MAX2(transitions, pass->subpasses[i].before.transition_count);
        colors = MAX2(colors, pass->subpasses[i].color_count);
    }
    instance->views = take_array(block, pass->attachment_count, sizeof(*instance->views));
    instance->clear_values = take_array(block, pass->attachment_count, sizeof(*instance->clear_values));
    instance->initial = take_array(block, sample_locations ? pass->attachment_count : 0, sizeof(*instance->initial));
    instance->after = take_array(block, sample_locations ? pass->subpass_count : 0, sizeof(*instance->after));
    instance->sample_locations = take_array(block, sample_locations, sizeof(*instance->sample_locations));
    instance->barriers =
        take_array(block, (size_t)transitions * run_count(pass->view_mask), sizeof(*instance->barriers));
    instance->colors = take_array(block, colors, sizeof(*instance->colors));
    instance->joined = take_array(block, joined, sizeof(*instance->joined));
    instance->inputs = take_array(block, inputs, sizeof(*instance->inputs));
    if (!sample_locations)
        instance->initial = instance->after = NULL;
}

void vk_pass_instance_destroy(struct vk_command_buffer *command_buffer)
{
    vk_free(&command_buffer->pool->alloc, NULL, command_buffer->pass);
    command_buffer->pass = NULL;
}

/* The command buffer's instance with zeroed arrays for this pass; NULL when there is no memory. */
static struct vk_pass_instance *prepare_instance(struct vk_command_buffer *command_buffer,
                                                 const struct vk_render_pass *pass, uint32_t sample_locations)
{
    struct vk_pass_instance *instance = command_buffer->pass, sizes;
    struct block block = {0};
    lay_out(&sizes, &block, pass, sample_locations);
    if (!instance || instance->size_B < block.size_B) {
        vk_pass_instance_destroy(command_buffer);
        instance = vk_alloc(&command_buffer->pool->alloc, NULL, sizeof(*instance) + block.size_B,
                            VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (!instance)
            return NULL;
        instance->size_B = block.size_B;
        command_buffer->pass = instance;
    }
    memset(instance->storage, 0, block.size_B);
    block.next = instance->storage;
    lay_out(instance, &block, pass, sample_locations);
    instance->pass = pass;
    instance->subpass = 0;
    return instance;
}

static void copy_locations(struct vk_pass_instance *instance, uint32_t *used, VkSampleLocationsInfoEXT *to,
                           const VkSampleLocationsInfoEXT *from)
{
    *to = *from;
    to->sType = VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT;
    to->pNext = NULL;
    to->pSampleLocations = instance->sample_locations + *used;
    if (from->sampleLocationsCount)
        memcpy(instance->sample_locations + *used, from->pSampleLocations,
               from->sampleLocationsCount * sizeof(*from->pSampleLocations));
    *used += from->sampleLocationsCount;
}

static void read_sample_locations(struct vk_pass_instance *instance,
                                  const VkRenderPassSampleLocationsBeginInfoEXT *info)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < info->attachmentInitialSampleLocationsCount; i++) {
        const VkAttachmentSampleLocationsEXT *entry = &info->pAttachmentInitialSampleLocations[i];
        copy_locations(instance, &used, &instance->initial[entry->attachmentIndex], &entry->sampleLocationsInfo);
    }
    for (uint32_t i = 0; i < info->postSubpassSampleLocationsCount; i++) {
        const VkSubpassSampleLocationsEXT *entry = &info->pPostSubpassSampleLocations[i];
        copy_locations(instance, &used, &instance->after[entry->subpassIndex], &entry->sampleLocationsInfo);
    }
}

static void read_begin_info(struct vk_pass_instance *instance, const VkRenderPassBeginInfo *info)
{
    const struct vk_framebuffer *framebuffer = vk_framebuffer_from_handle(info->framebuffer);
    const VkImageView *views = framebuffer->attachments;
    uint32_t view_count = framebuffer->attachment_count;
    const VkRenderPassAttachmentBeginInfo *attachments =
        vk_find_struct_const(info->pNext, VkRenderPassAttachmentBeginInfo);
    if ((framebuffer->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) && attachments) {
        views = attachments->pAttachments;
        view_count = attachments->attachmentCount;
    }
    uint32_t count = instance->pass->attachment_count;
    for (uint32_t i = 0; i < MIN2(count, view_count); i++)
        instance->views[i] = vk_image_view_from_handle(views[i]);
    if (info->clearValueCount)
        memcpy(instance->clear_values, info->pClearValues,
               MIN2(count, info->clearValueCount) * sizeof(*instance->clear_values));
    instance->area = info->renderArea;
    instance->layers = framebuffer->layers;
    /* One device is all there is, so its own area takes the place of the general one. */
    const VkDeviceGroupRenderPassBeginInfo *group = vk_find_struct_const(info->pNext, VkDeviceGroupRenderPassBeginInfo);
    if (group && group->deviceRenderAreaCount > 0)
        instance->area = group->pDeviceRenderAreas[0];
}

/* ---- barriers ---- */

static const VkSampleLocationsInfoEXT *locations_of(const struct vk_pass_instance *instance,
                                                    const struct vk_pass_transition *transition)
{
    if (!instance->initial || !(transition->aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)))
        return NULL;
    const VkSampleLocationsInfoEXT *locations = transition->last_subpass == VK_SUBPASS_EXTERNAL
                                                    ? &instance->initial[transition->attachment]
                                                    : &instance->after[transition->last_subpass];
    return locations->sType == VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT ? locations : NULL;
}

/* A transition is about the framebuffer's layers; with multiview about those of all views that the pass has, even in
 * subpasses that do not use the attachment; of a volume about the whole level. */
static uint32_t add_image_barriers(struct vk_pass_instance *instance, const struct vk_pass_barrier *barrier,
                                   const struct vk_pass_transition *transition, VkImageMemoryBarrier2 *barriers)
{
    const struct vk_image_view *view = instance->views[transition->attachment];
    if (!view)
        return 0;
    VkImageMemoryBarrier2 general = vk_struct_init(VkImageMemoryBarrier2);
    general.pNext = locations_of(instance, transition);
    general.srcStageMask = barrier->src_stages;
    general.srcAccessMask = barrier->src_access;
    general.dstStageMask = barrier->dst_stages;
    general.dstAccessMask = barrier->dst_access;
    general.oldLayout = transition->old_layout;
    general.newLayout = transition->new_layout;
    general.srcQueueFamilyIndex = general.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    general.image = vk_image_to_handle(view->image);
    general.subresourceRange =
        (VkImageSubresourceRange){transition->aspects, view->base_level, view->level_count, 0, 1};

    if (view->image->type == VK_IMAGE_TYPE_3D) {
        barriers[0] = general;
        return 1;
    }
    uint32_t views = instance->pass->view_mask, count = 0;
    if (!views) {
        barriers[0] = general;
        barriers[0].subresourceRange.baseArrayLayer = view->base_layer;
        barriers[0].subresourceRange.layerCount = MIN2(instance->layers, view->layer_count);
        return 1;
    }
    while (views) {
        uint32_t first = (uint32_t)__builtin_ctz(views);
        uint32_t length = ~(views >> first) ? (uint32_t)__builtin_ctz(~(views >> first)) : 32;
        barriers[count] = general;
        barriers[count].subresourceRange.baseArrayLayer = view->base_layer + first;
        barriers[count++].subresourceRange.layerCount = length;
        views = first + length < 32 ? views >> (first + length) << (first + length) : 0;
    }
    return count;
}

static VkMemoryBarrier2 memory_barrier(const struct vk_pass_barrier *barrier)
{
    VkMemoryBarrier2 memory = vk_struct_init(VkMemoryBarrier2);
    memory.srcStageMask = barrier->src_stages;
    memory.srcAccessMask = barrier->src_access;
    memory.dstStageMask = barrier->dst_stages;
    memory.dstAccessMask = barrier->dst_access;
    return memory;
}

static void emit_barrier(struct vk_command_buffer *command_buffer, struct vk_pass_instance *instance,
                         const struct vk_pass_barrier *barrier)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < barrier->transition_count; i++)
        count += add_image_barriers(instance, barrier, &barrier->transitions[i], instance->barriers + count);
    if (!count && !barrier->is_global)
        return;
    const VkMemoryBarrier2 memory = memory_barrier(barrier);
    VkDependencyInfo info = vk_struct_init(VkDependencyInfo);
    info.memoryBarrierCount = barrier->is_global;
    info.pMemoryBarriers = &memory;
    info.imageMemoryBarrierCount = count;
    info.pImageMemoryBarriers = instance->barriers;
    command_buffer->base.device->dispatch.CmdPipelineBarrier2(vk_command_buffer_to_handle(command_buffer), &info);
}

/* ---- subpasses ---- */

static VkImageView view_handle(const struct vk_pass_instance *instance, uint32_t index)
{
    return vk_image_view_to_handle((struct vk_image_view *)instance->views[index]);
}

static VkRenderingAttachmentInfo attachment_info(const struct vk_pass_instance *instance,
                                                 const struct vk_subpass_attachment *reference, bool stencil)
{
    VkRenderingAttachmentInfo info = vk_struct_init(VkRenderingAttachmentInfo);
    if (reference->index == VK_ATTACHMENT_UNUSED || !instance->views[reference->index])
        return info;
    info.imageView = view_handle(instance, reference->index);
    info.imageLayout = stencil ? reference->stencil_layout : reference->layout;
    info.loadOp = stencil ? reference->stencil_load_op : reference->load_op;
    info.storeOp = stencil ? reference->stencil_store_op : reference->store_op;
    info.clearValue = instance->clear_values[reference->index];
    return info;
}

static void set_resolve(const struct vk_pass_instance *instance, VkRenderingAttachmentInfo *info,
                        const struct vk_subpass_attachment *target, VkResolveModeFlagBits mode, bool stencil)
{
    if (target->index == VK_ATTACHMENT_UNUSED || mode == VK_RESOLVE_MODE_NONE || !instance->views[target->index])
        return;
    info->resolveMode = mode;
    info->resolveImageView = view_handle(instance, target->index);
    info->resolveImageLayout = stencil ? target->stencil_layout : target->layout;
}

/* Colours have no mode to choose: an average, where there is one. */
static VkResolveModeFlagBits color_resolve_mode(const struct vk_pass_instance *instance, uint32_t index)
{
    const struct format_info *info = format_info((enum format)instance->pass->attachments[index].format);
    return info && format_is_integer(info) ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT;
}

/* All that joined subpasses draw into; NULL where the subpass is the only one of its rendering. */
static const struct vk_joined_rendering *
join_subpasses(struct vk_pass_instance *instance, const struct vk_subpass *subpass, struct vk_joined_rendering *out)
{
    if (!subpass->joined_count)
        return NULL;
    for (uint32_t i = 0; i < subpass->joined_count; i++) {
        const struct vk_joined_reference *from = &subpass->joined[i];
        struct vk_joined_attachment *to = &instance->joined[i];
        to->aspects = instance->pass->attachments[from->own.index].aspects;
        const bool is_color = to->aspects & VK_IMAGE_ASPECT_COLOR_BIT;
        to->info = attachment_info(instance, &from->own, false);
        to->stencil = attachment_info(instance, &from->own, true);
        set_resolve(instance, &to->info, &from->resolve,
                    is_color ? color_resolve_mode(instance, from->own.index) : from->depth_mode, false);
        set_resolve(instance, &to->stencil, &from->resolve, from->stencil_mode, true);
    }
    *out = (struct vk_joined_rendering){
        .sType = VK_STRUCTURE_TYPE_JOINED_RENDERING,
        .count = subpass->joined_count,
        .attachments = instance->joined,
    };
    return out;
}

/* NULL where the subpass is the only one of its rendering. */
static const struct vk_subpass_inputs *list_inputs(struct vk_pass_instance *instance, const struct vk_subpass *subpass,
                                                   const void *chain, struct vk_subpass_inputs *out)
{
    if (!subpass->joined_count && !subpass->is_joined)
        return NULL;
    for (uint32_t i = 0; i < subpass->input_count; i++) {
        const uint32_t index = subpass->inputs[i].index;
        instance->inputs[i] = index != VK_ATTACHMENT_UNUSED ? view_handle(instance, index) : VK_NULL_HANDLE;
    }
    *out = (struct vk_subpass_inputs){
        .sType = VK_STRUCTURE_TYPE_SUBPASS_INPUTS,
        .pNext = chain,
        .count = subpass->input_count,
        .views = instance->inputs,
    };
    return out;
}

static void go_on(struct vk_command_buffer *command_buffer, const struct vk_subpass *subpass,
                  const VkRenderingInfo *info)
{
    const VkMemoryBarrier2 memory = memory_barrier(&subpass->within);
    VkDependencyInfo dependency = vk_struct_init(VkDependencyInfo);
    dependency.dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT;
    dependency.memoryBarrierCount = subpass->within.is_global;
    dependency.pMemoryBarriers = &memory;
    command_buffer->base.device->next_subpass(command_buffer, &dependency, info);
}

static void render_subpass(struct vk_command_buffer *command_buffer, struct vk_pass_instance *instance,
                           const struct vk_subpass *subpass)
{
    struct vk_joined_rendering joined;
    struct vk_subpass_inputs inputs;
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        uint32_t index = subpass->colors[i].index;
        instance->colors[i] = attachment_info(instance, &subpass->colors[i], false);
        if (index != VK_ATTACHMENT_UNUSED)
            set_resolve(instance, &instance->colors[i], &subpass->color_resolves[i],
                        color_resolve_mode(instance, index), false);
    }
    VkRenderingAttachmentInfo depth = attachment_info(instance, &subpass->depth_stencil, false);
    VkRenderingAttachmentInfo stencil = attachment_info(instance, &subpass->depth_stencil, true);
    set_resolve(instance, &depth, &subpass->depth_stencil_resolve, subpass->depth_resolve_mode, false);
    set_resolve(instance, &stencil, &subpass->depth_stencil_resolve, subpass->stencil_resolve_mode, true);

    VkRenderingInfo info = vk_struct_init(VkRenderingInfo);
    info.pNext = list_inputs(instance, subpass, join_subpasses(instance, subpass, &joined), &inputs);
    if (instance->contents != VK_SUBPASS_CONTENTS_INLINE)
        info.flags |= VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
    if (instance->contents == VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_KHR)
        info.flags |= VK_RENDERING_CONTENTS_INLINE_BIT_KHR;
    info.renderArea = instance->area;
    info.layerCount = instance->layers;
    info.viewMask = subpass->view_mask;
    info.colorAttachmentCount = subpass->color_count;
    info.pColorAttachments = instance->colors;
    info.pDepthAttachment = subpass->depth_format != VK_FORMAT_UNDEFINED ? &depth : NULL;
    info.pStencilAttachment = subpass->stencil_format != VK_FORMAT_UNDEFINED ? &stencil : NULL;

    VkRenderingFragmentShadingRateAttachmentInfoKHR rate =
        vk_struct_init(VkRenderingFragmentShadingRateAttachmentInfoKHR);
    if (subpass->shading_rate.index != VK_ATTACHMENT_UNUSED) {
        rate.imageView = view_handle(instance, subpass->shading_rate.index);
        rate.imageLayout = subpass->shading_rate.layout;
        rate.shadingRateAttachmentTexelSize = subpass->shading_rate_texel;
        rate.pNext = info.pNext;
        info.pNext = &rate;
    }
    if (subpass->is_joined)
        go_on(command_buffer, subpass, &info);
    else
        command_buffer->base.device->dispatch.CmdBeginRendering(vk_command_buffer_to_handle(command_buffer), &info);
}

/* An empty rendering whose load operation clears. */
static void clear_attachments(struct vk_command_buffer *command_buffer, struct vk_pass_instance *instance,
                              const struct vk_subpass_clear *clear)
{
    if (!instance->views[clear->attachment])
        return;
    const struct vk_device_dispatch *dispatch = &command_buffer->base.device->dispatch;
    VkRenderingAttachmentInfo attachment = vk_struct_init(VkRenderingAttachmentInfo);
    attachment.imageView = view_handle(instance, clear->attachment);
    attachment.imageLayout = clear->layout;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.clearValue = instance->clear_values[clear->attachment];
    VkRenderingAttachmentInfo stencil = attachment;
    stencil.imageLayout = clear->stencil_layout;

    VkRenderingInfo info = vk_struct_init(VkRenderingInfo);
    info.renderArea = instance->area;
    info.layerCount = instance->layers;
    info.viewMask = clear->view_mask;
    info.colorAttachmentCount = clear->aspects & VK_IMAGE_ASPECT_COLOR_BIT ? 1 : 0;
    info.pColorAttachments = &attachment;
    info.pDepthAttachment = clear->aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? &attachment : NULL;
    info.pStencilAttachment = clear->aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? &stencil : NULL;
    dispatch->CmdBeginRendering(vk_command_buffer_to_handle(command_buffer), &info);
    dispatch->CmdEndRendering(vk_command_buffer_to_handle(command_buffer));
}

/* Dependencies of joined subpasses on work outside come before the first of them. */
static void emit_barriers_before(struct vk_command_buffer *command_buffer, struct vk_pass_instance *instance)
{
    const struct vk_render_pass *pass = instance->pass;
    uint32_t i = instance->subpass;
    do
        emit_barrier(command_buffer, instance, &pass->subpasses[i++].before);
    while (i < pass->subpass_count && pass->subpasses[i].is_joined);
}

static void begin_subpass(struct vk_command_buffer *command_buffer, struct vk_pass_instance *instance)
{
    const struct vk_subpass *subpass = &instance->pass->subpasses[instance->subpass];
    if (subpass->is_joined) {
        render_subpass(command_buffer, instance, subpass);
        return;
    }
    emit_barriers_before(command_buffer, instance);
    for (uint32_t i = 0; i < subpass->clear_count; i++)
        clear_attachments(command_buffer, instance, &subpass->clears[i]);
    if (subpass->clear_count) {
        const struct vk_pass_barrier cleared = {
            .src_stages = ATTACHMENT_STAGES,
            .src_access = ATTACHMENT_WRITES,
            .dst_stages = ATTACHMENT_STAGES | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
            .dst_access = ATTACHMENT_WRITES | ATTACHMENT_READS,
            .is_global = true,
        };
        emit_barrier(command_buffer, instance, &cleared);
    }
    render_subpass(command_buffer, instance, subpass);
}

/* ---- commands ---- */

/* The pass that is being recorded; NULL where its beginning failed, which the command buffer remembers. */
static struct vk_pass_instance *current(struct vk_command_buffer *command_buffer)
{
    return command_buffer->pass && command_buffer->pass->pass ? command_buffer->pass : NULL;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBeginRenderPass2(VkCommandBuffer handle, const VkRenderPassBeginInfo *info,
                                                         const VkSubpassBeginInfo *subpass_info)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    const VkRenderPassSampleLocationsBeginInfoEXT *locations =
        vk_find_struct_const(info->pNext, VkRenderPassSampleLocationsBeginInfoEXT);
    struct vk_pass_instance *instance = prepare_instance(command_buffer, vk_render_pass_from_handle(info->renderPass),
                                                         sample_location_count(locations));
    if (!instance) {
        vk_command_buffer_set_error(command_buffer, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    read_begin_info(instance, info);
    if (instance->initial)
        read_sample_locations(instance, locations);
    instance->contents = subpass_info->contents;
    begin_subpass(command_buffer, instance);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdNextSubpass2(VkCommandBuffer handle, const VkSubpassBeginInfo *begin,
                                                     const VkSubpassEndInfo *end)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    struct vk_pass_instance *instance = current(command_buffer);
    if (!instance)
        return;
    instance->subpass++;
    instance->contents = begin->contents;
    if (!instance->pass->subpasses[instance->subpass].is_joined)
        command_buffer->base.device->dispatch.CmdEndRendering(handle);
    begin_subpass(command_buffer, instance);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdEndRenderPass2(VkCommandBuffer handle, const VkSubpassEndInfo *end)
{
    struct vk_command_buffer *command_buffer = vk_command_buffer_from_handle(handle);
    struct vk_pass_instance *instance = current(command_buffer);
    if (!instance)
        return;
    command_buffer->base.device->dispatch.CmdEndRendering(handle);
    emit_barrier(command_buffer, instance, &instance->pass->after);
    instance->pass = NULL;
}
