/* Makes the plan of a render pass: which layouts change where, what each subpass loads, stores and clears, and what the
 * dependencies come down to. All of it follows from the creation structures, so recording computes none of it. */
#include "vulkan/runtime/render/vk_render_pass.h"

#include <stdatomic.h>
#include <string.h>

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/render/vk_graphics_state.h"

#define DEPTH_STENCIL (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)
#define ATTACHMENT_WRITES (VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)
#define ATTACHMENT_ACCESS                                                                                              \
    (ATTACHMENT_WRITES | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |       \
     VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT)

VkImageLayout vk_image_layout_of_aspect(VkImageLayout layout, VkImageAspectFlagBits aspect)
{
    bool depth = aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
    VkImageLayout written =
        depth ? VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;
    VkImageLayout read = depth ? VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL;
    if (!(aspect & DEPTH_STENCIL))
        return layout;
    switch (layout) {
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL:
        return written;
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
        return read;
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
        return depth ? read : written;
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
        return depth ? written : read;
    default:
        return layout;
    }
}

/* ---- the one block of memory ---- */

struct block {
    char *next;
    size_t size_B;
};

static void *take_array(struct block *block, size_t count, size_t element_B)
{
    size_t size_B = (count * element_B + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    void *memory = block->next;
    block->size_B += size_B;
    if (memory)
        block->next += size_B;
    return memory;
}

#define TAKE(block, count, type) ((type *)take_array((block), (count), sizeof(type)))

/* Upper bounds, so that the block can be laid out before the plan is known. */
static uint32_t reference_count(const VkSubpassDescription2 *info)
{
    return info->inputAttachmentCount + 2 * info->colorAttachmentCount + 3;
}

/* The state of an attachment between two subpasses. */
struct progress {
    VkImageLayout layout, stencil_layout;
    uint32_t used_views; /* bit 0 stands for everything without multiview */
    uint32_t last_subpass;
};

struct plan {
    struct vk_device *device;
    const VkRenderPassCreateInfo2 *info;
    struct vk_render_pass *pass;
    struct vk_pass_attachment *attachments;
    struct vk_subpass *subpasses;
    struct vk_subpass_attachment *references;
    struct vk_pass_transition *transitions;
    struct vk_subpass_clear *clears;
    VkFormat *formats;
    struct progress *progress;
    struct vk_joined_reference *joined;
};

/* Called twice: without memory to learn the size, then to hand it out. */
static void lay_out(struct plan *plan, struct block *block)
{
    const VkRenderPassCreateInfo2 *info = plan->info;
    uint32_t references = 0, colors = 0;
    for (uint32_t i = 0; i < info->subpassCount; i++) {
        references += reference_count(&info->pSubpasses[i]);
        colors += info->pSubpasses[i].colorAttachmentCount;
    }
    plan->pass = TAKE(block, 1, struct vk_render_pass);
    plan->attachments = TAKE(block, info->attachmentCount, struct vk_pass_attachment);
    plan->subpasses = TAKE(block, info->subpassCount, struct vk_subpass);
    plan->references = TAKE(block, references, struct vk_subpass_attachment);
    /* Depth and stencil may change apart, and the last barrier is about all attachments. */
    plan->transitions = TAKE(block, 2 * ((size_t)references + info->attachmentCount), struct vk_pass_transition);
    plan->clears = TAKE(block, references, struct vk_subpass_clear);
    plan->formats = TAKE(block, colors, VkFormat);
    plan->progress = TAKE(block, info->attachmentCount, struct progress);
    plan->joined = TAKE(block, plan->device->max_joined_colors ? references : 0, struct vk_joined_reference);
}

/* ---- reading ---- */

static void read_attachment(struct vk_pass_attachment *attachment, const VkAttachmentDescription2 *info)
{
    const VkAttachmentDescriptionStencilLayout *stencil =
        vk_find_struct_const(info->pNext, VkAttachmentDescriptionStencilLayout);
    *attachment = (struct vk_pass_attachment){
        .format = info->format,
        .aspects = vk_format_aspects(info->format),
        .samples = info->samples,
        .flags = info->flags,
        .load_op = info->loadOp,
        .stencil_load_op = info->stencilLoadOp,
        .store_op = info->storeOp,
        .stencil_store_op = info->stencilStoreOp,
        .initial_layout = info->initialLayout,
        .initial_stencil_layout = stencil ? stencil->stencilInitialLayout : info->initialLayout,
        .final_layout = info->finalLayout,
        .final_stencil_layout = stencil ? stencil->stencilFinalLayout : info->finalLayout,
    };
    if (!(attachment->aspects & DEPTH_STENCIL))
        attachment->aspects = VK_IMAGE_ASPECT_COLOR_BIT;
}

static struct vk_subpass_attachment read_reference(const struct plan *plan, const VkAttachmentReference2 *info)
{
    struct vk_subpass_attachment reference = {.index = VK_ATTACHMENT_UNUSED};
    if (!info || info->attachment == VK_ATTACHMENT_UNUSED)
        return reference;
    const VkAttachmentReferenceStencilLayout *stencil =
        vk_find_struct_const(info->pNext, VkAttachmentReferenceStencilLayout);
    reference.index = info->attachment;
    reference.aspects = plan->attachments[info->attachment].aspects;
    reference.layout = info->layout;
    reference.stencil_layout = stencil ? stencil->stencilLayout : info->layout;
    return reference;
}

static const struct vk_subpass_attachment *read_references(struct plan *plan, const VkAttachmentReference2 *infos,
                                                           uint32_t count)
{
    struct vk_subpass_attachment *references = plan->references;
    for (uint32_t i = 0; i < count; i++)
        references[i] = read_reference(plan, infos ? &infos[i] : NULL);
    plan->references += count;
    return references;
}

static void read_formats(struct plan *plan, struct vk_subpass *subpass)
{
    subpass->color_formats = plan->formats;
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        uint32_t index = subpass->colors[i].index;
        if (index == VK_ATTACHMENT_UNUSED) {
            plan->formats[i] = VK_FORMAT_UNDEFINED;
            continue;
        }
        plan->formats[i] = plan->attachments[index].format;
        subpass->samples = plan->attachments[index].samples;
    }
    plan->formats += subpass->color_count;
    if (subpass->depth_stencil.index == VK_ATTACHMENT_UNUSED)
        return;
    const struct vk_pass_attachment *attachment = &plan->attachments[subpass->depth_stencil.index];
    if (attachment->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
        subpass->depth_format = attachment->format;
    if (attachment->aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
        subpass->stencil_format = attachment->format;
    if (!subpass->samples)
        subpass->samples = attachment->samples;
}

static void read_subpass(struct plan *plan, struct vk_subpass *subpass, const VkSubpassDescription2 *info)
{
    static _Atomic uint64_t serials;
    subpass->serial = atomic_fetch_add_explicit(&serials, 1, memory_order_relaxed) + 1;
    subpass->flags = info->flags;
    subpass->view_mask = info->viewMask;
    subpass->color_count = info->colorAttachmentCount;
    subpass->input_count = info->inputAttachmentCount;
    subpass->colors = read_references(plan, info->pColorAttachments, info->colorAttachmentCount);
    subpass->color_resolves = read_references(plan, info->pResolveAttachments, info->colorAttachmentCount);
    subpass->inputs = read_references(plan, info->pInputAttachments, info->inputAttachmentCount);
    subpass->depth_stencil = read_reference(plan, info->pDepthStencilAttachment);

    const VkSubpassDescriptionDepthStencilResolve *resolve =
        vk_find_struct_const(info->pNext, VkSubpassDescriptionDepthStencilResolve);
    subpass->depth_stencil_resolve = read_reference(plan, resolve ? resolve->pDepthStencilResolveAttachment : NULL);
    if (subpass->depth_stencil_resolve.index != VK_ATTACHMENT_UNUSED) {
        subpass->depth_resolve_mode = resolve->depthResolveMode;
        subpass->stencil_resolve_mode = resolve->stencilResolveMode;
    }
    const VkFragmentShadingRateAttachmentInfoKHR *rate =
        vk_find_struct_const(info->pNext, VkFragmentShadingRateAttachmentInfoKHR);
    subpass->shading_rate = read_reference(plan, rate ? rate->pFragmentShadingRateAttachment : NULL);
    if (rate)
        subpass->shading_rate_texel = rate->shadingRateAttachmentTexelSize;
    read_formats(plan, subpass);
}

/* ---- feedback loops ---- */

static bool is_written(VkImageLayout layout, VkImageAspectFlagBits aspect)
{
    switch (vk_image_layout_of_aspect(layout, aspect)) {
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
        return false;
    default:
        return true;
    }
}

/* A driver that knows the layout made for loops gets that one; another keeps the application's, which must be GENERAL.
 */
static void close_loop(const struct plan *plan, struct vk_subpass_attachment *reference, VkImageAspectFlags aspects)
{
    if (!plan->device->physical->supported_extensions.EXT_attachment_feedback_loop_layout)
        return;
    VkImageLayout loop = VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT;
    if ((reference->aspects & DEPTH_STENCIL) != DEPTH_STENCIL || aspects == DEPTH_STENCIL) {
        reference->layout = reference->stencil_layout = loop;
    } else if (aspects == VK_IMAGE_ASPECT_DEPTH_BIT) {
        reference->stencil_layout = vk_image_layout_of_aspect(reference->stencil_layout, VK_IMAGE_ASPECT_STENCIL_BIT);
        reference->layout = loop;
    } else {
        reference->layout = vk_image_layout_of_aspect(reference->layout, VK_IMAGE_ASPECT_DEPTH_BIT);
        reference->stencil_layout = loop;
    }
}

static void find_feedback_loops(const struct plan *plan, struct vk_subpass *subpass, const VkSubpassDescription2 *info)
{
    for (uint32_t i = 0; i < subpass->input_count; i++) {
        struct vk_subpass_attachment *input = (struct vk_subpass_attachment *)&subpass->inputs[i];
        if (input->index == VK_ATTACHMENT_UNUSED)
            continue;
        /* Without a mask, as converted from the old structure, all aspects may be read. */
        VkImageAspectFlags read = info->pInputAttachments[i].aspectMask & input->aspects;
        read = read ? read : input->aspects;
        for (uint32_t j = 0; j < subpass->color_count; j++) {
            struct vk_subpass_attachment *color = (struct vk_subpass_attachment *)&subpass->colors[j];
            if (color->index != input->index)
                continue;
            subpass->feedback_loop |= VK_IMAGE_ASPECT_COLOR_BIT;
            close_loop(plan, color, read);
            close_loop(plan, input, read);
        }
        if (subpass->depth_stencil.index == input->index) {
            VkImageAspectFlags loop = 0;
            if ((read & VK_IMAGE_ASPECT_DEPTH_BIT) && is_written(input->layout, VK_IMAGE_ASPECT_DEPTH_BIT))
                loop |= VK_IMAGE_ASPECT_DEPTH_BIT;
            if ((read & VK_IMAGE_ASPECT_STENCIL_BIT) && is_written(input->stencil_layout, VK_IMAGE_ASPECT_STENCIL_BIT))
                loop |= VK_IMAGE_ASPECT_STENCIL_BIT;
            if (loop) {
                subpass->feedback_loop |= loop;
                close_loop(plan, &subpass->depth_stencil, loop);
                *input = subpass->depth_stencil;
            }
        }
        input->aspects = read;
    }
}

/* ---- layouts ---- */

static void add_transition(struct plan *plan, struct vk_pass_barrier *barrier, uint32_t index,
                           VkImageAspectFlags aspects, VkImageLayout from, VkImageLayout to)
{
    plan->transitions[barrier->transition_count] = (struct vk_pass_transition){
        .attachment = index,
        .aspects = aspects,
        .old_layout = from,
        .new_layout = to,
        .last_subpass = plan->progress[index].last_subpass,
    };
    barrier->transition_count++;
}

/* One transition for both aspects where they go the same way, for a driver's compression often covers both at once. */
static void change_layout(struct plan *plan, struct vk_pass_barrier *barrier, uint32_t index, VkImageLayout layout,
                          VkImageLayout stencil_layout)
{
    struct progress *progress = &plan->progress[index];
    VkImageAspectFlags aspects = plan->attachments[index].aspects, changed = 0;
    if ((aspects & VK_IMAGE_ASPECT_COLOR_BIT) && progress->layout != layout)
        changed = VK_IMAGE_ASPECT_COLOR_BIT;
    if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) &&
        vk_image_layout_of_aspect(progress->layout, VK_IMAGE_ASPECT_DEPTH_BIT) !=
            vk_image_layout_of_aspect(layout, VK_IMAGE_ASPECT_DEPTH_BIT))
        changed |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) &&
        vk_image_layout_of_aspect(progress->stencil_layout, VK_IMAGE_ASPECT_STENCIL_BIT) !=
            vk_image_layout_of_aspect(stencil_layout, VK_IMAGE_ASPECT_STENCIL_BIT))
        changed |= VK_IMAGE_ASPECT_STENCIL_BIT;

    bool together = progress->layout == progress->stencil_layout && layout == stencil_layout;
    if (changed == VK_IMAGE_ASPECT_COLOR_BIT || (changed && changed == aspects && together)) {
        bool only_stencil = changed == VK_IMAGE_ASPECT_STENCIL_BIT;
        add_transition(plan, barrier, index, changed, only_stencil ? progress->stencil_layout : progress->layout,
                       only_stencil ? stencil_layout : layout);
    } else {
        if (changed & VK_IMAGE_ASPECT_DEPTH_BIT)
            add_transition(plan, barrier, index, VK_IMAGE_ASPECT_DEPTH_BIT,
                           vk_image_layout_of_aspect(progress->layout, VK_IMAGE_ASPECT_DEPTH_BIT),
                           vk_image_layout_of_aspect(layout, VK_IMAGE_ASPECT_DEPTH_BIT));
        if (changed & VK_IMAGE_ASPECT_STENCIL_BIT)
            add_transition(plan, barrier, index, VK_IMAGE_ASPECT_STENCIL_BIT,
                           vk_image_layout_of_aspect(progress->stencil_layout, VK_IMAGE_ASPECT_STENCIL_BIT),
                           vk_image_layout_of_aspect(stencil_layout, VK_IMAGE_ASPECT_STENCIL_BIT));
    }
    progress->layout = layout;
    progress->stencil_layout = stencil_layout;
}

static void use_layout(struct plan *plan, struct vk_subpass *subpass, const struct vk_subpass_attachment *reference)
{
    if (reference->index != VK_ATTACHMENT_UNUSED)
        change_layout(plan, &subpass->before, reference->index, reference->layout, reference->stencil_layout);
}

/* ---- load and store operations, and the clears that they cannot do ---- */

static uint32_t views_of(const struct vk_subpass *subpass)
{
    return subpass->view_mask ? subpass->view_mask : 1;
}

static void add_clear(struct plan *plan, struct vk_subpass *subpass, const struct vk_subpass_attachment *reference,
                      VkImageAspectFlags candidates, uint32_t views)
{
    const struct vk_pass_attachment *attachment = &plan->attachments[reference->index];
    VkImageAspectFlags aspects = 0;
    if (attachment->load_op == VK_ATTACHMENT_LOAD_OP_CLEAR)
        aspects |= candidates & ~VK_IMAGE_ASPECT_STENCIL_BIT;
    if (attachment->stencil_load_op == VK_ATTACHMENT_LOAD_OP_CLEAR)
        aspects |= candidates & VK_IMAGE_ASPECT_STENCIL_BIT;
    if (!aspects)
        return;
    plan->clears[subpass->clear_count++] = (struct vk_subpass_clear){
        .attachment = reference->index,
        .aspects = aspects,
        .view_mask = subpass->view_mask ? views : 0,
        .layout = reference->layout,
        .stencil_layout = reference->stencil_layout,
    };
}

/* The first subpass of a view applies the load operation to it. Where only some views are new, the rendering loads them
 * all and a clear of their own comes before it; undefined contents need nothing. */
static void load_rendered(struct plan *plan, struct vk_subpass *subpass, struct vk_subpass_attachment *reference)
{
    if (reference->index == VK_ATTACHMENT_UNUSED)
        return;
    const struct vk_pass_attachment *attachment = &plan->attachments[reference->index];
    struct progress *progress = &plan->progress[reference->index];
    uint32_t views = views_of(subpass), fresh = views & ~progress->used_views;
    reference->load_op = fresh == views ? attachment->load_op : VK_ATTACHMENT_LOAD_OP_LOAD;
    reference->stencil_load_op = fresh == views ? attachment->stencil_load_op : VK_ATTACHMENT_LOAD_OP_LOAD;
    if (fresh && fresh != views)
        add_clear(plan, subpass, reference, attachment->aspects, fresh);
    progress->used_views |= views;
}

/* After the rendered ones: an attachment that is rendered to as well has no new views left. */
static void load_unrendered(struct plan *plan, struct vk_subpass *subpass,
                            const struct vk_subpass_attachment *reference, VkImageAspectFlags aspects)
{
    if (reference->index == VK_ATTACHMENT_UNUSED)
        return;
    struct progress *progress = &plan->progress[reference->index];
    uint32_t fresh = views_of(subpass) & ~progress->used_views;
    if (fresh)
        add_clear(plan, subpass, reference, aspects, fresh);
    progress->used_views |= fresh;
}

static void plan_loads(struct plan *plan, struct vk_subpass *subpass)
{
    subpass->clears = plan->clears;
    for (uint32_t i = 0; i < subpass->color_count; i++)
        load_rendered(plan, subpass, (struct vk_subpass_attachment *)&subpass->colors[i]);
    load_rendered(plan, subpass, &subpass->depth_stencil);
    for (uint32_t i = 0; i < subpass->input_count; i++) {
        const struct vk_subpass_attachment *input = &subpass->inputs[i];
        if (input->index != VK_ATTACHMENT_UNUSED)
            load_unrendered(plan, subpass, input, plan->attachments[input->index].aspects);
    }
    /* A resolve writes the whole area, so only an aspect that is not resolved has to be cleared; a shading rate must
     * not be cleared at all. */
    for (uint32_t i = 0; i < subpass->color_count; i++)
        load_unrendered(plan, subpass, &subpass->color_resolves[i], 0);
    VkImageAspectFlags unresolved = subpass->depth_stencil_resolve.aspects;
    if (subpass->depth_resolve_mode != VK_RESOLVE_MODE_NONE)
        unresolved &= ~VK_IMAGE_ASPECT_DEPTH_BIT;
    if (subpass->stencil_resolve_mode != VK_RESOLVE_MODE_NONE)
        unresolved &= ~VK_IMAGE_ASPECT_STENCIL_BIT;
    load_unrendered(plan, subpass, &subpass->depth_stencil_resolve, unresolved);
    load_unrendered(plan, subpass, &subpass->shading_rate, 0);
    plan->clears += subpass->clear_count;
}

/* From the last subpass to the first; used_views then says what is used later. */
static void store_rendered(struct plan *plan, const struct vk_subpass *subpass, struct vk_subpass_attachment *reference)
{
    if (reference->index == VK_ATTACHMENT_UNUSED)
        return;
    const struct vk_pass_attachment *attachment = &plan->attachments[reference->index];
    bool last = !(views_of(subpass) & plan->progress[reference->index].used_views);
    reference->store_op = last ? attachment->store_op : VK_ATTACHMENT_STORE_OP_STORE;
    reference->stencil_store_op = last ? attachment->stencil_store_op : VK_ATTACHMENT_STORE_OP_STORE;
}

static void mark_used(struct plan *plan, const struct vk_subpass *subpass,
                      const struct vk_subpass_attachment *reference)
{
    if (reference->index != VK_ATTACHMENT_UNUSED)
        plan->progress[reference->index].used_views |= views_of(subpass);
}

static void for_each_reference(struct plan *plan, struct vk_subpass *subpass,
                               void (*visit)(struct plan *plan, const struct vk_subpass *subpass,
                                             const struct vk_subpass_attachment *reference))
{
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        visit(plan, subpass, &subpass->colors[i]);
        visit(plan, subpass, &subpass->color_resolves[i]);
    }
    for (uint32_t i = 0; i < subpass->input_count; i++)
        visit(plan, subpass, &subpass->inputs[i]);
    visit(plan, subpass, &subpass->depth_stencil);
    visit(plan, subpass, &subpass->depth_stencil_resolve);
    visit(plan, subpass, &subpass->shading_rate);
}

static void plan_stores(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->info->attachmentCount; i++)
        plan->progress[i].used_views = 0;
    for (uint32_t i = plan->info->subpassCount; i-- > 0;) {
        struct vk_subpass *subpass = &plan->subpasses[i];
        for (uint32_t j = 0; j < subpass->color_count; j++)
            store_rendered(plan, subpass, (struct vk_subpass_attachment *)&subpass->colors[j]);
        store_rendered(plan, subpass, &subpass->depth_stencil);
        for_each_reference(plan, subpass, mark_used);
    }
}

/* ---- dependencies ---- */

static void add_dependency(struct vk_pass_barrier *barrier, const VkSubpassDependency2 *info)
{
    const VkMemoryBarrier2 *memory = vk_find_struct_const(info->pNext, VkMemoryBarrier2);
    barrier->src_stages |= memory ? memory->srcStageMask : info->srcStageMask;
    barrier->src_access |= memory ? memory->srcAccessMask : info->srcAccessMask;
    barrier->dst_stages |= memory ? memory->dstStageMask : info->dstStageMask;
    barrier->dst_access |= memory ? memory->dstAccessMask : info->dstAccessMask;
    barrier->is_global = true;
}

static bool has_dependency(const VkRenderPassCreateInfo2 *info, uint32_t src, uint32_t dst)
{
    for (uint32_t i = 0; i < info->dependencyCount; i++) {
        if (info->pDependencies[i].srcSubpass == src && info->pDependencies[i].dstSubpass == dst)
            return true;
    }
    return false;
}

/* The specification's implicit dependencies are there for a transition alone: from outside into the first subpass that
 * uses the attachment, and from the last one to the outside, where the application declared none of that kind. */
static void add_implicit_in(struct vk_pass_barrier *barrier, bool from_outside)
{
    if (!from_outside) {
        barrier->src_stages |= VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        barrier->src_access |= ATTACHMENT_WRITES;
    }
    barrier->dst_stages |= VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier->dst_access |= ATTACHMENT_ACCESS;
}

static void add_implicit_out(struct vk_pass_barrier *barrier)
{
    barrier->src_stages |= VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier->src_access |= ATTACHMENT_WRITES;
}

static void plan_dependencies_of(struct plan *plan, uint32_t index)
{
    const VkRenderPassCreateInfo2 *info = plan->info;
    struct vk_pass_barrier *barrier = &plan->subpasses[index].before;
    bool from_subpass = false;
    for (uint32_t i = 0; i < info->dependencyCount; i++) {
        const VkSubpassDependency2 *dependency = &info->pDependencies[i];
        if (dependency->dstSubpass != index || dependency->srcSubpass == index)
            continue;
        add_dependency(barrier, dependency);
        from_subpass |= dependency->srcSubpass != VK_SUBPASS_EXTERNAL;
    }
    for (uint32_t i = 0; i < barrier->transition_count; i++) {
        bool first = barrier->transitions[i].last_subpass == VK_SUBPASS_EXTERNAL;
        if (first ? !has_dependency(info, VK_SUBPASS_EXTERNAL, index) : !from_subpass)
            add_implicit_in(barrier, first);
    }
    /* A clear of our own writes before anything of the subpass does. */
    if (plan->subpasses[index].clear_count > 0 && (barrier->dst_stages || barrier->transition_count)) {
        barrier->dst_stages |= VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT |
                               VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                               VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
        barrier->dst_access |= ATTACHMENT_WRITES;
    }
}

static void plan_end(struct plan *plan)
{
    const VkRenderPassCreateInfo2 *info = plan->info;
    struct vk_pass_barrier *barrier = &plan->pass->after;
    barrier->transitions = plan->transitions;
    for (uint32_t i = 0; i < info->attachmentCount; i++) {
        const struct vk_pass_attachment *attachment = &plan->attachments[i];
        uint32_t before = barrier->transition_count;
        change_layout(plan, barrier, i, attachment->final_layout, attachment->final_stencil_layout);
        uint32_t last = plan->progress[i].last_subpass;
        if (barrier->transition_count > before &&
            (last == VK_SUBPASS_EXTERNAL || !has_dependency(info, last, VK_SUBPASS_EXTERNAL)))
            add_implicit_out(barrier);
    }
    for (uint32_t i = 0; i < info->dependencyCount; i++) {
        if (info->pDependencies[i].dstSubpass == VK_SUBPASS_EXTERNAL)
            add_dependency(barrier, &info->pDependencies[i]);
    }
    plan->transitions += barrier->transition_count;
}

/* ---- the plan ---- */

static void use_reference(struct plan *plan, const struct vk_subpass *subpass,
                          const struct vk_subpass_attachment *reference)
{
    use_layout(plan, (struct vk_subpass *)subpass, reference);
}

static void leave_reference(struct plan *plan, const struct vk_subpass *subpass,
                            const struct vk_subpass_attachment *reference)
{
    if (reference->index != VK_ATTACHMENT_UNUSED)
        plan->progress[reference->index].last_subpass = subpass - plan->subpasses;
}

static void make_plan(struct plan *plan)
{
    const VkRenderPassCreateInfo2 *info = plan->info;
    struct vk_render_pass *pass = plan->pass;
    pass->flags = info->flags;
    pass->attachment_count = info->attachmentCount;
    pass->attachments = plan->attachments;
    pass->subpass_count = info->subpassCount;
    pass->subpasses = plan->subpasses;
    for (uint32_t i = 0; i < info->attachmentCount; i++) {
        struct vk_pass_attachment *attachment = &plan->attachments[i];
        read_attachment(attachment, &info->pAttachments[i]);
        plan->progress[i] = (struct progress){.layout = attachment->initial_layout,
                                              .stencil_layout = attachment->initial_stencil_layout,
                                              .last_subpass = VK_SUBPASS_EXTERNAL};
    }
    for (uint32_t i = 0; i < info->subpassCount; i++) {
        struct vk_subpass *subpass = &plan->subpasses[i];
        read_subpass(plan, subpass, &info->pSubpasses[i]);
        find_feedback_loops(plan, subpass, &info->pSubpasses[i]);
        pass->view_mask |= subpass->view_mask;
        subpass->before.transitions = plan->transitions;
        for_each_reference(plan, subpass, use_reference);
        plan->transitions += subpass->before.transition_count;
        plan_loads(plan, subpass);
        for_each_reference(plan, subpass, leave_reference);
        plan_dependencies_of(plan, i);
    }
    plan_end(plan);
    plan_stores(plan);
    if (plan->device->max_joined_colors)
        vk_render_pass_join(pass, info, plan->device->max_joined_colors, plan->joined);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateRenderPass2(VkDevice handle, const VkRenderPassCreateInfo2 *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkRenderPass *pass_out)
{
    struct plan plan = {.device = vk_device_from_handle(handle), .info = info};
    struct block block = {0};
    lay_out(&plan, &block);
    block.next = vk_object_create(plan.device, allocator, block.size_B, VK_OBJECT_TYPE_RENDER_PASS);
    if (!block.next)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    lay_out(&plan, &block);
    make_plan(&plan);
    *pass_out = vk_render_pass_to_handle(plan.pass);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyRenderPass(VkDevice handle, VkRenderPass pass,
                                                       const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator,
                      (struct vk_object_base *)vk_render_pass_from_handle(pass));
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetRenderAreaGranularity(VkDevice handle, VkRenderPass pass,
                                                              VkExtent2D *granularity_out)
{
    const VkExtent2D block = vk_device_from_handle(handle)->area_granularity;
    *granularity_out = block.width ? block : (VkExtent2D){1, 1};
}

/* ---- queries ---- */

void vk_render_pass_formats(const struct vk_render_pass *pass, uint32_t index, struct vk_rendering_formats *formats_out)
{
    const struct vk_subpass *subpass = &pass->subpasses[index];
    *formats_out = (struct vk_rendering_formats){
        .view_mask = subpass->view_mask,
        .color_count = MIN2(subpass->color_count, VK_MAX_COLOR_ATTACHMENTS),
        .depth_format = subpass->depth_format,
        .stencil_format = subpass->stencil_format,
        .feedback_loop = subpass->feedback_loop,
    };
    memcpy(formats_out->color_formats, subpass->color_formats, formats_out->color_count * sizeof(VkFormat));
}

const VkCommandBufferInheritanceRenderingInfo *
vk_inheritance_rendering_info(VkCommandBufferLevel level, const VkCommandBufferBeginInfo *info,
                              VkCommandBufferInheritanceRenderingInfo *storage)
{
    if (level != VK_COMMAND_BUFFER_LEVEL_SECONDARY || !(info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT))
        return NULL;
    const VkCommandBufferInheritanceInfo *inheritance = info->pInheritanceInfo;
    const struct vk_render_pass *pass = vk_render_pass_from_handle(inheritance->renderPass);
    if (!pass)
        return vk_find_struct_const(inheritance->pNext, VkCommandBufferInheritanceRenderingInfo);
    const struct vk_subpass *subpass = &pass->subpasses[inheritance->subpass];
    *storage = vk_struct_init(VkCommandBufferInheritanceRenderingInfo);
    storage->viewMask = subpass->view_mask;
    storage->colorAttachmentCount = subpass->color_count;
    storage->pColorAttachmentFormats = subpass->color_formats;
    storage->depthAttachmentFormat = subpass->depth_format;
    storage->stencilAttachmentFormat = subpass->stencil_format;
    storage->rasterizationSamples = subpass->samples ? subpass->samples : VK_SAMPLE_COUNT_1_BIT;
    return storage;
}

const struct vk_subpass *vk_inheritance_subpass(VkCommandBufferLevel level, const VkCommandBufferBeginInfo *info)
{
    if (level != VK_COMMAND_BUFFER_LEVEL_SECONDARY || !(info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT))
        return NULL;
    const struct vk_render_pass *pass = vk_render_pass_from_handle(info->pInheritanceInfo->renderPass);
    return pass ? &pass->subpasses[info->pInheritanceInfo->subpass] : NULL;
}

VkImageAspectFlags vk_inheritance_feedback_loop(VkCommandBufferLevel level, const VkCommandBufferBeginInfo *info)
{
    const struct vk_subpass *subpass = vk_inheritance_subpass(level, info);
    return subpass ? subpass->feedback_loop : 0;
}
