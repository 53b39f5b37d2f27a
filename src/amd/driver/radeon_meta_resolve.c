/* Resolves at the end of a rendering by the colour backends, which have a mode for it: what is drawn says which pixels,
 * target 0 is where they come from and target 1 where their means go. They know FMASK, so that a pixel within one
 * primitive is read once, and nothing of the source changes. Not for what they do not resolve as Vulkan has it: the
 * shared room draws that with a shader. */
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_metadata.h"
#include "amd/hw/enums.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

/* The backends need an export to know the pixels by; its colour is not looked at. */
static void build_covered(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct ir_value *zero = ir_const(b, 32, 0), *color[4] = {zero, zero, zero, zero};
    vk_meta_output(b, key, VK_IMAGE_ASPECT_COLOR_BIT, ir_vec(b, 4, color));
}

/* Numbers that are no wider than the backends' sums are sure to keep. Integers take one sample; of sRGB means must be
 * those of the light, not of codes, which a shader is sure to make. */
static bool is_averaged(const struct radeon_format *format)
{
    const uint8_t number = format->color.number;
    if (!format->color.format || !format->info->channel_count)
        return false;
    for (unsigned i = 0; i < format->info->channel_count; i++) {
        const unsigned bits = format->info->channels[i].bits;
        if (!((number == AMD_NUMBER_TYPE_UNORM || number == AMD_NUMBER_TYPE_SNORM) && bits <= 10) &&
            !(number == AMD_NUMBER_TYPE_FLOAT && bits <= 16))
            return false;
    }
    return true;
}

static bool covers_level(const struct radeon_image_view *view, const struct vk_rendering *rendering)
{
    const VkExtent3D extent = vk_image_level_extent(&view->image->vk, view->vk.base_level);
    return !rendering->area.offset.x && !rendering->area.offset.y && rendering->area.extent.width >= extent.width &&
           rendering->area.extent.height >= extent.height;
}

static bool is_compressed(const struct radeon_image_view *view, VkImageLayout layout)
{
    return radeon_layout_dcc_compressed(
        view->image, view->vk.base_level, layout,
        radeon_image_queue_mask(view->image, VK_QUEUE_FAMILY_IGNORED, RADEON_QUEUE_GENERAL));
}

/* Both sides lie in memory in the same way but for their samples. A target whose metadata is in use loses it as a
 * whole, for what is written this way is plain. */
static bool can_resolve(const struct vk_attachment *attachment, const struct vk_rendering *rendering)
{
    const struct radeon_image_view *from = radeon_image_view_of(attachment->view),
                                   *to = radeon_image_view_of(attachment->resolve_view);
    return attachment->resolve_mode == VK_RESOLVE_MODE_AVERAGE_BIT && from->format == to->format &&
           is_averaged(radeon_format(from->format)) && from->image->vk.format == from->format &&
           to->image->vk.format == to->format && to->image->vk.type == VK_IMAGE_TYPE_2D &&
           from->image->planes[0].surface.swizzle == to->image->planes[0].surface.swizzle &&
           (covers_level(to, rendering) || !is_compressed(to, attachment->resolve_layout));
}

static void make_plain(struct radeon_cmd_buffer *cmd, const struct radeon_image_view *to,
                       const struct vk_rendering *rendering)
{
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, to->vk.base_level, 1, to->vk.base_layer,
                                     rendering->layers};
    if (!rendering->view_mask) {
        radeon_metadata_initialise(cmd, to->image, &range);
        return;
    }
    range.layerCount = 1;
    bits_foreach (rendering->view_mask, layer) {
        range.baseArrayLayer = to->vk.base_layer + (uint32_t)layer;
        radeon_metadata_initialise(cmd, to->image, &range);
    }
}

static void draw_layers(struct radeon_cmd_buffer *cmd, VkFormat format, const struct vk_rendering *rendering)
{
    struct vk_graphics_pipeline *pipeline = vk_meta_pipeline(
        &cmd->vk, VK_META_KEY(RADEON_META_RESOLVE, vk_meta_target_key(vk_meta_ops_of(&cmd->vk), format, 0)),
        build_covered);
    const float depth = 0;
    struct vk_meta_rectangle rectangle = {.rect = rendering->area, .layers = rendering->layers};
    if (!rendering->view_mask) {
        vk_meta_draw(&cmd->vk, pipeline, &rectangle, &depth, sizeof(depth));
        return;
    }
    rectangle.layers = 1;
    bits_foreach (rendering->view_mask, layer) {
        rectangle.first_layer = (uint32_t)layer;
        vk_meta_draw(&cmd->vk, pipeline, &rectangle, &depth, sizeof(depth));
    }
}

bool radeon_meta_resolve(struct radeon_cmd_buffer *cmd, const struct vk_attachment *attachment,
                         const struct vk_rendering *rendering)
{
    struct vk_dynamic_graphics_state *state = &cmd->vk.rec->dynamic_state;
    if (!can_resolve(attachment, rendering))
        return false;
    const struct radeon_image_view *to = radeon_image_view_of(attachment->resolve_view);
    const struct vk_meta_view view = vk_meta_view_of(&to->vk, VK_IMAGE_ASPECT_COLOR_BIT);
    const VkImageViewCreateInfo info = vk_meta_view_info(&view);
    struct radeon_image_view plain;
    radeon_image_view_init(cmd->device, &plain, &info,
                           &(const struct radeon_image_view_options){.no_dcc_target = true});
    if (is_compressed(to, attachment->resolve_layout))
        make_plain(cmd, to, rendering);
    const VkRenderingAttachmentInfo attachments[] = {
        {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
         .imageView = radeon_image_view_to_handle(radeon_image_view_of(attachment->view)),
         .imageLayout = attachment->layout},
        {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
         .imageView = radeon_image_view_to_handle(&plain),
         .imageLayout = attachment->resolve_layout},
    };
    radeon_set_targets(cmd, &(const VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                     .renderArea = rendering->area,
                                                     .layerCount = plain.vk.layer_count,
                                                     .colorAttachmentCount = 2,
                                                     .pColorAttachments = attachments});
    vk_meta_depth_state(&cmd->vk, VK_IMAGE_ASPECT_COLOR_BIT, 0);
    const uint8_t mask = state->cb.write_masks[1];
    state->ms.samples = 1; /* of what is drawn */
    state->cb.write_masks[1] = 0;
    state->dirty |= VK_DYN(SAMPLES) | VK_DYN(COLOR_WRITE_MASK);
    cmd->graphics->special.cb_mode = AMD_CB_MODE_RESOLVE;
    cmd->graphics->dirty |= RADEON_DIRTY_SPECIAL;
    draw_layers(cmd, to->format, rendering);
    state->cb.write_masks[1] = mask;
    state->dirty |= VK_DYN(COLOR_WRITE_MASK);
    cmd->graphics->special.cb_mode = 0;
    cmd->graphics->dirty |= RADEON_DIRTY_SPECIAL;
    return true;
}
