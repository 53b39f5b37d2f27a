/* Which subpasses of a render pass become one rendering, for families that keep attachments on the chip
 * (vk_render_pass.h).
 *
 * Subpasses are joined in their order. One is joined to those before it if all that it gets from them are the pixels
 * that it draws itself: dependencies by region between stages of the framebuffer. What would have to happen between two
 * subpasses (clears, resolves that another one looks at) keeps them apart, and so does what a family could hardly keep:
 * a second depth buffer, more colours than it has room for. */
#include "util/bits.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/render/vk_render_pass.h"

#define FRAMEBUFFER_STAGES                                                                                             \
    (VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |                          \
     VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT)

#define ATTACHMENT_WRITES (VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)
#define ATTACHMENT_ACCESS                                                                                              \
    (ATTACHMENT_WRITES | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |       \
     VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT)

struct run {
    struct vk_render_pass *pass;
    const VkRenderPassCreateInfo2 *info;
    uint32_t max_colors;
    uint32_t first, last; /* subpasses */
};

/* ---- who uses what ---- */

enum {
    ROLE_COLOR = 1 << 0,
    ROLE_DEPTH = 1 << 1,
    ROLE_INPUT = 1 << 2,
    ROLE_RESOLVE = 1 << 3,  /* is resolved into */
    ROLE_RESOLVED = 1 << 4, /* is resolved */
};

static unsigned roles_of(const struct vk_subpass *subpass, uint32_t attachment)
{
    unsigned roles = 0;
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        const bool has_resolve = subpass->color_resolves[i].index != VK_ATTACHMENT_UNUSED;
        roles |= subpass->colors[i].index == attachment ? ROLE_COLOR | (has_resolve ? ROLE_RESOLVED : 0) : 0;
        roles |= subpass->color_resolves[i].index == attachment ? ROLE_RESOLVE : 0;
    }
    for (uint32_t i = 0; i < subpass->input_count; i++)
        roles |= subpass->inputs[i].index == attachment ? ROLE_INPUT : 0;
    if (subpass->depth_stencil.index == attachment)
        roles |= ROLE_DEPTH | (subpass->depth_stencil_resolve.index != VK_ATTACHMENT_UNUSED ? ROLE_RESOLVED : 0);
    if (subpass->depth_stencil_resolve.index == attachment)
        roles |= ROLE_RESOLVE;
    return roles;
}

static unsigned roles_in(const struct run *run, uint32_t first, uint32_t last, uint32_t attachment)
{
    unsigned roles = 0;
    for (uint32_t i = first; i <= last; i++)
        roles |= roles_of(&run->pass->subpasses[i], attachment);
    return roles;
}

/* ---- what keeps subpasses apart ---- */

static bool is_plain(const struct vk_subpass *subpass)
{
    return subpass->shading_rate.index == VK_ATTACHMENT_UNUSED && !subpass->feedback_loop;
}

static bool is_local(const VkSubpassDependency2 *dependency)
{
    const VkMemoryBarrier2 *memory = vk_find_struct_const(dependency->pNext, VkMemoryBarrier2);
    const VkPipelineStageFlags2 stages =
        memory ? memory->srcStageMask | memory->dstStageMask : dependency->srcStageMask | dependency->dstStageMask;
    return dependency->dependencyFlags & VK_DEPENDENCY_BY_REGION_BIT && !(stages & ~FRAMEBUFFER_STAGES);
}

static bool has_local_dependencies(const struct run *run, uint32_t number)
{
    for (uint32_t i = 0; i < run->info->dependencyCount; i++) {
        const VkSubpassDependency2 *dependency = &run->info->pDependencies[i];
        const bool is_inside = dependency->srcSubpass >= run->first && dependency->srcSubpass < number;
        if (dependency->dstSubpass == number && is_inside && !is_local(dependency))
            return false;
    }
    return true;
}

/* A resolve happens when the rendering ends: no other subpass may look at its result, or change what is resolved. */
static bool is_compatible(const struct run *run, uint32_t number, uint32_t attachment)
{
    const unsigned drawn = ROLE_COLOR | ROLE_DEPTH;
    const unsigned now = roles_of(&run->pass->subpasses[number], attachment);
    const unsigned before = roles_in(run, run->first, number - 1, attachment);
    if (!now)
        return true;
    if (run->pass->attachments[attachment].flags & VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT)
        return false;
    if ((now | before) & ROLE_RESOLVE && now && before)
        return false;
    return !(before & ROLE_RESOLVED && now & drawn);
}

static bool has_room(const struct run *run, uint32_t number)
{
    uint32_t colors = 0, depths = 0;
    for (uint32_t i = 0; i < run->pass->attachment_count; i++) {
        const unsigned roles = roles_in(run, run->first, number, i);
        colors += roles & ROLE_COLOR ? 1 : 0;
        depths += roles & ROLE_DEPTH ? 1 : 0;
    }
    return colors <= run->max_colors && depths <= 1;
}

static bool can_join(const struct run *run, uint32_t number)
{
    const struct vk_subpass *first = &run->pass->subpasses[run->first], *subpass = &run->pass->subpasses[number];
    if (!is_plain(first) || !is_plain(subpass) || subpass->clear_count || subpass->view_mask != first->view_mask)
        return false;
    for (uint32_t i = 0; i < run->pass->attachment_count; i++) {
        if (!is_compatible(run, number, i))
            return false;
    }
    return has_room(run, number) && has_local_dependencies(run, number);
}

/* ---- what they wait for ---- */

static void add_dependency(struct vk_pass_barrier *barrier, const VkSubpassDependency2 *dependency)
{
    const VkMemoryBarrier2 *memory = vk_find_struct_const(dependency->pNext, VkMemoryBarrier2);
    barrier->src_stages |= memory ? memory->srcStageMask : dependency->srcStageMask;
    barrier->src_access |= memory ? memory->srcAccessMask : dependency->srcAccessMask;
    barrier->dst_stages |= memory ? memory->dstStageMask : dependency->dstStageMask;
    barrier->dst_access |= memory ? memory->dstAccessMask : dependency->dstAccessMask;
    barrier->is_global = true;
}

/* Dependencies on joined subpasses are waited for within the rendering, the others before it. The barrier before the
 * subpass, as it was planned, has both; what it has too much of does no harm outside. Layouts of attachments that
 * joined subpasses have used already change no more: nothing looks at them until the rendering ends. */
static void divide_barrier(const struct run *run, struct vk_subpass *subpass, uint32_t number)
{
    struct vk_pass_transition *transitions = (struct vk_pass_transition *)subpass->before.transitions;
    uint32_t kept = 0;
    bool has_outside = false;
    for (uint32_t i = 0; i < run->info->dependencyCount; i++) {
        const VkSubpassDependency2 *dependency = &run->info->pDependencies[i];
        if (dependency->dstSubpass != number || dependency->srcSubpass == number)
            continue;
        if (dependency->srcSubpass >= run->first && dependency->srcSubpass < number)
            add_dependency(&subpass->within, dependency);
        else
            has_outside = true;
    }
    for (uint32_t i = 0; i < subpass->before.transition_count; i++) {
        const uint32_t last = transitions[i].last_subpass;
        if (last == VK_SUBPASS_EXTERNAL || last < run->first)
            transitions[kept++] = transitions[i];
    }
    /* A layout that changes without a declared dependency brings its own. */
    if (kept < subpass->before.transition_count && !subpass->within.is_global)
        subpass->within = (struct vk_pass_barrier){.src_stages = FRAMEBUFFER_STAGES,
                                                   .src_access = ATTACHMENT_WRITES,
                                                   .dst_stages = FRAMEBUFFER_STAGES,
                                                   .dst_access = ATTACHMENT_ACCESS,
                                                   .is_global = true};
    subpass->before.transition_count = kept;
    subpass->before.is_global = has_outside;
}

/* ---- what they draw into ---- */

static const struct vk_subpass_attachment *drawn_reference(const struct vk_subpass *subpass, uint32_t attachment)
{
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        if (subpass->colors[i].index == attachment)
            return &subpass->colors[i];
    }
    return subpass->depth_stencil.index == attachment ? &subpass->depth_stencil : NULL;
}

static void add_resolve(struct vk_joined_reference *out, const struct vk_subpass *subpass, uint32_t attachment)
{
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        if (subpass->colors[i].index == attachment && subpass->color_resolves[i].index != VK_ATTACHMENT_UNUSED)
            out->resolve = subpass->color_resolves[i];
    }
    if (subpass->depth_stencil.index == attachment && subpass->depth_stencil_resolve.index != VK_ATTACHMENT_UNUSED) {
        out->resolve = subpass->depth_stencil_resolve;
        out->depth_mode = subpass->depth_resolve_mode;
        out->stencil_mode = subpass->stencil_resolve_mode;
    }
}

/* Loaded as the first of them does it, stored if a later subpass of the pass or the application looks. */
static bool join_attachment(const struct run *run, uint32_t attachment, struct vk_joined_reference *out)
{
    const struct vk_pass_attachment *of = &run->pass->attachments[attachment];
    *out = (struct vk_joined_reference){.own = {.index = VK_ATTACHMENT_UNUSED},
                                        .resolve = {.index = VK_ATTACHMENT_UNUSED}};
    for (uint32_t i = run->first; i <= run->last; i++) {
        const struct vk_subpass *subpass = &run->pass->subpasses[i];
        const struct vk_subpass_attachment *reference = drawn_reference(subpass, attachment);
        if (reference && out->own.index == VK_ATTACHMENT_UNUSED)
            out->own = *reference;
        add_resolve(out, subpass, attachment);
    }
    if (out->own.index == VK_ATTACHMENT_UNUSED)
        return false;
    bool is_used_later = false;
    for (uint32_t i = run->last + 1; i < run->pass->subpass_count; i++)
        is_used_later |= roles_of(&run->pass->subpasses[i], attachment) != 0;
    out->own.store_op = is_used_later ? VK_ATTACHMENT_STORE_OP_STORE : of->store_op;
    out->own.stencil_store_op = is_used_later ? VK_ATTACHMENT_STORE_OP_STORE : of->stencil_store_op;
    return true;
}

static uint32_t finish_run(const struct run *run, struct vk_joined_reference *references)
{
    struct vk_subpass *subpasses = (struct vk_subpass *)run->pass->subpasses;
    uint32_t count = 0;
    if (run->first == run->last)
        return 0;
    for (uint32_t i = run->first + 1; i <= run->last; i++) {
        subpasses[i].is_joined = true;
        divide_barrier(run, &subpasses[i], i);
    }
    for (uint32_t i = 0; i < run->pass->attachment_count; i++)
        count += join_attachment(run, i, &references[count]);
    subpasses[run->first].joined = references;
    subpasses[run->first].joined_count = count;
    return count;
}

void vk_render_pass_join(struct vk_render_pass *pass, const VkRenderPassCreateInfo2 *info, uint32_t max_colors,
                         struct vk_joined_reference *references)
{
    struct run run = {.pass = pass, .info = info, .max_colors = max_colors};
    for (uint32_t i = 1; i < pass->subpass_count; i++) {
        if (!can_join(&run, i)) {
            references += finish_run(&run, references);
            run.first = i;
        }
        run.last = i;
    }
    references += finish_run(&run, references);
}
