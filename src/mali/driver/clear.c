/* vkCmdClearColorImage and vkCmdClearDepthStencilImage: a level is a rendering in which nothing is drawn. */
#include "mali/driver/cmd.h"
#include "mali/driver/entrypoints.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta.h"

static void clear_level(struct mali_cmd_buffer *cmd, struct vk_image *image, VkFormat format,
                        const VkImageSubresourceRange *range, uint32_t level, const VkClearValue *value)
{
    const bool is_volume = image->type == VK_IMAGE_TYPE_3D;
    const VkExtent3D extent = vk_image_level_extent(image, level);
    const uint32_t first = is_volume ? 0 : range->baseArrayLayer;
    const uint32_t layers = is_volume ? extent.depth : vk_image_layer_count(image, range);
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = vk_image_to_handle(image),
        .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = format,
        .subresourceRange = {range->aspectMask, level, 1, first, layers},
    };
    const VkImageAspectFlags aspects = range->aspectMask;
    struct mali_image_view view = {0};
    vk_image_view_init(&cmd->device->vk, &view.vk, &info);
    mali_image_view_targets(&view);
    const VkRenderingAttachmentInfo attachment = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = mali_image_view_to_handle(&view),
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue = *value,
    };
    mali_pass_begin(cmd, &(const VkRenderingInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea.extent = {extent.width, extent.height},
                             .layerCount = layers,
                             .colorAttachmentCount = aspects & VK_IMAGE_ASPECT_COLOR_BIT ? 1 : 0,
                             .pColorAttachments = &attachment,
                             .pDepthAttachment = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? &attachment : NULL,
                             .pStencilAttachment = aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? &attachment : NULL,
                         });
    mali_pass_end(cmd);
    cmd->vk.rec->rendering.active = false;
}

static void clear_image(struct mali_cmd_buffer *cmd, struct vk_image *image, VkFormat format, const VkClearValue *value,
                        uint32_t count, const VkImageSubresourceRange *ranges)
{
    for (uint32_t i = 0; i < count; i++) {
        mali_new_image_cleared(cmd, image, &ranges[i]);
        for (uint32_t j = 0; j < vk_image_level_count(image, &ranges[i]); j++)
            clear_level(cmd, image, format, &ranges[i], ranges[i].baseMipLevel + j, value);
    }
}

VKAPI_ATTR void VKAPI_CALL mali_CmdClearColorImage(VkCommandBuffer handle, VkImage image_handle, VkImageLayout layout,
                                                   const VkClearColorValue *color, uint32_t count,
                                                   const VkImageSubresourceRange *ranges)
{
    struct vk_image *image = vk_image_from_handle(image_handle);
    VkFormat format = image->format;
    VkClearValue value = {.color = *color};
    if (!mali_vkformat(format)->color.cell_B) { /* as bits: of a shared exponent */
        vk_meta_pack_color(format, color, value.color.uint32);
        format = vk_meta_raw_format(mali_vkformat(format)->element_B);
    }
    clear_image(mali_cmd_buffer_from_handle(handle), image, format, &value, count, ranges);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdClearDepthStencilImage(VkCommandBuffer handle, VkImage image_handle,
                                                          VkImageLayout layout, const VkClearDepthStencilValue *value,
                                                          uint32_t count, const VkImageSubresourceRange *ranges)
{
    struct vk_image *image = vk_image_from_handle(image_handle);
    clear_image(mali_cmd_buffer_from_handle(handle), image, image->format,
                &(const VkClearValue){.depthStencil = *value}, count, ranges);
}
