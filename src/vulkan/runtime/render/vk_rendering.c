/* VkRenderingInfo in the form that drivers look at. */
#include "vulkan/runtime/render/vk_rendering.h"

#include "util/bits.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/render/vk_render_pass.h"

static VkImageLayout layout_of(VkImageLayout layout, VkImageAspectFlagBits aspect)
{
    return aspect == VK_IMAGE_ASPECT_COLOR_BIT ? layout : vk_image_layout_of_aspect(layout, aspect);
}

static void take_attachment(struct vk_attachment *out, const VkRenderingAttachmentInfo *info,
                            VkImageAspectFlagBits aspect)
{
    *out = (struct vk_attachment){0};
    if (!info || !info->imageView)
        return;
    out->view = vk_image_view_from_handle(info->imageView);
    out->format = out->view->format;
    out->layout = layout_of(info->imageLayout, aspect);
    if (info->resolveMode == VK_RESOLVE_MODE_NONE || !info->resolveImageView)
        return;
    out->resolve_mode = info->resolveMode;
    out->resolve_view = vk_image_view_from_handle(info->resolveImageView);
    out->resolve_layout = layout_of(info->resolveImageLayout, aspect);
}

static void take_rates(struct vk_rendering *rendering, const void *chain)
{
    const VkRenderingFragmentShadingRateAttachmentInfoKHR *info =
        vk_find_struct_const(chain, VkRenderingFragmentShadingRateAttachmentInfoKHR);
    rendering->rate_view = info && info->imageView ? vk_image_view_from_handle(info->imageView) : NULL;
    rendering->rate_texel = rendering->rate_view ? info->shadingRateAttachmentTexelSize : (VkExtent2D){0, 0};
}

static uint32_t samples_of(const struct vk_attachment *attachment)
{
    return attachment->view ? attachment->view->image->samples : 0;
}

void vk_rendering_begin(struct vk_rendering *rendering, const VkRenderingInfo *info)
{
    rendering->active = true;
    rendering->inherited = false;
    rendering->subpass = 0;
    rendering->flags = info->flags;
    rendering->area = info->renderArea;
    rendering->layers = info->layerCount;
    rendering->view_mask = info->viewMask;
    rendering->num_colors = MIN2(info->colorAttachmentCount, VK_MAX_COLOR_ATTACHMENTS);
    rendering->samples = 0;
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        struct vk_attachment *color = &rendering->colors[i];
        take_attachment(color, i < rendering->num_colors ? &info->pColorAttachments[i] : NULL,
                        VK_IMAGE_ASPECT_COLOR_BIT);
        rendering->samples = MAX2(rendering->samples, samples_of(color));
    }
    take_attachment(&rendering->depth, info->pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT);
    take_attachment(&rendering->stencil, info->pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT);
    take_rates(rendering, info->pNext);
    rendering->samples = MAX2(rendering->samples, samples_of(&rendering->depth));
    rendering->samples = MAX2(rendering->samples, samples_of(&rendering->stencil));
}

static void inherit_rendering(struct vk_rendering *rendering, const VkCommandBufferInheritanceRenderingInfo *info)
{
    rendering->active = rendering->inherited = true;
    rendering->flags = info->flags;
    rendering->view_mask = info->viewMask;
    rendering->num_colors = MIN2(info->colorAttachmentCount, VK_MAX_COLOR_ATTACHMENTS);
    for (uint32_t i = 0; i < rendering->num_colors; i++)
        rendering->colors[i].format = info->pColorAttachmentFormats[i];
    rendering->depth.format = info->depthAttachmentFormat;
    rendering->stencil.format = info->stencilAttachmentFormat;
    rendering->samples = info->rasterizationSamples;
}

void vk_rendering_first(struct vk_rendering *rendering, VkCommandBufferLevel level,
                        const VkCommandBufferBeginInfo *info)
{
    const struct vk_subpass *subpass = vk_inheritance_subpass(level, info);
    if (subpass && subpass->serial == rendering->subpass)
        return;
    *rendering = (struct vk_rendering){.subpass = subpass ? subpass->serial : 0};
    VkCommandBufferInheritanceRenderingInfo storage;
    const VkCommandBufferInheritanceRenderingInfo *inherited = vk_inheritance_rendering_info(level, info, &storage);
    if (inherited)
        inherit_rendering(rendering, inherited);
}
