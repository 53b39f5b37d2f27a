/* Images whose contents are given up, by a change from an undefined layout. Headers of AFBC must not be what was in
 * memory before: zeros are superblocks of one colour. They are written before the next work, unless that is a rendering
 * which writes all of them itself: most images begin with one. */
#include "mali/driver/cmd.h"
#include "mali/driver/transfer.h"
#include "util/bits.h"

static void write_headers(struct mali_cmd_buffer *cmd, const struct mali_image *image,
                          const VkImageSubresourceRange *range)
{
    const struct mali_surface *surface = &image->planes[0].surface;
    const uint32_t levels = vk_image_level_count(&image->vk, range), layers = vk_image_layer_count(&image->vk, range);
    for (uint32_t i = 0; i < levels * layers; i++) {
        const uint32_t level = range->baseMipLevel + i % levels, layer = range->baseArrayLayer + i / levels;
        mali_cmd_fill(cmd, mali_image_va(image, 0, level, layer), surface->levels[level].header_B, 0);
    }
}

static bool has_new_headers(const VkImageMemoryBarrier2 *barrier)
{
    return barrier->oldLayout == VK_IMAGE_LAYOUT_UNDEFINED && barrier->newLayout != VK_IMAGE_LAYOUT_UNDEFINED &&
           mali_image_is_compressed(mali_image_from_handle(barrier->image));
}

void mali_new_images(struct mali_cmd_buffer *cmd, const VkDependencyInfo *info)
{
    const struct mali_scopes scopes = mali_scopes_of(info);
    if (cmd->new_images.list.count) /* what waits for those that wait for the headers */
        cmd->new_images.dst |= scopes.dst;
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++) {
        const VkImageMemoryBarrier2 *barrier = &info->pImageMemoryBarriers[i];
        if (!has_new_headers(barrier))
            continue;
        const struct mali_new_image image = {mali_image_from_handle(barrier->image), barrier->subresourceRange};
        if (!array_push(&cmd->new_images.list, image))
            vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
        cmd->new_images.src |= scopes.src;
        cmd->new_images.dst |= scopes.dst ? scopes.dst : MALI_ALL_SUBQUEUES;
    }
}

void mali_write_new_images(struct mali_cmd_buffer *cmd)
{
    const uint32_t count = cmd->new_images.list.count;
    cmd->new_images.list.count = 0; /* the work that is done for it comes here, too */
    mali_cmd_order(cmd, cmd->new_images.src, 1u << MALI_COMPUTE);
    for (uint32_t i = 0; i < count; i++)
        write_headers(cmd, cmd->new_images.list.data[i].image, &cmd->new_images.list.data[i].range);
    mali_cmd_wait_work(cmd, MALI_COMPUTE);
    mali_cmd_flush(cmd, MALI_COMPUTE, MALI_FLUSH_READ_ONLY);
    mali_cmd_order(cmd, 1u << MALI_COMPUTE, cmd->new_images.dst);
    cmd->new_images.src = cmd->new_images.dst = 0;
}

/* Is the range within one level and `layers` of the view? */
static bool is_within(const struct mali_new_image *image, const struct vk_image_view *view, uint32_t layers)
{
    const uint32_t first = image->range.baseArrayLayer,
                   end = first + vk_image_layer_count(&image->image->vk, &image->range);
    return &image->image->vk == view->image && image->range.baseMipLevel == view->base_level &&
           vk_image_level_count(&image->image->vk, &image->range) == 1 && first >= view->base_layer &&
           end <= view->base_layer + layers;
}

bool mali_new_image_drawn(struct mali_cmd_buffer *cmd, const struct vk_image_view *view, uint32_t layers)
{
    struct mali_new_image *list = cmd->new_images.list.data;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cmd->new_images.list.count; i++) {
        if (!is_within(&list[i], view, layers))
            list[kept++] = list[i];
    }
    const bool is_any = kept < cmd->new_images.list.count;
    cmd->new_images.list.count = kept;
    return is_any;
}

void mali_new_image_cleared(struct mali_cmd_buffer *cmd, const struct vk_image *image,
                            const VkImageSubresourceRange *range)
{
    struct mali_new_image *list = cmd->new_images.list.data;
    const uint32_t levels = range->baseMipLevel + vk_image_level_count(image, range),
                   layers = range->baseArrayLayer + vk_image_layer_count(image, range);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cmd->new_images.list.count; i++) {
        const VkImageSubresourceRange *own = &list[i].range;
        if (&list[i].image->vk != image || own->baseMipLevel < range->baseMipLevel ||
            own->baseMipLevel + vk_image_level_count(image, own) > levels ||
            own->baseArrayLayer < range->baseArrayLayer ||
            own->baseArrayLayer + vk_image_layer_count(image, own) > layers)
            list[kept++] = list[i];
    }
    cmd->new_images.list.count = kept;
}
