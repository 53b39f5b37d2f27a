/* Clears: of a rendering's attachments by its load operations and by vkCmdClearAttachments, and of images. A clear is
 * what the family's hook makes of it, or a rectangle that is drawn; images that cannot be drawn into here are filled by
 * a dispatch. */
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/memory/vk_image.h"

/* ---- into the targets that are set ---- */

struct clear_push {
    float depth;
    VkClearColorValue color;
};
enum {
    CLEAR_COLOR = 1 /* word */
};

static void build_color_clear(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct ir_value *color[4];
    for (uint32_t i = 0; i < 4; i++)
        color[i] = vk_meta_push(b, CLEAR_COLOR + i);
    vk_meta_output(b, key, VK_IMAGE_ASPECT_COLOR_BIT, ir_vec(b, 4, color));
}

static void build_depth_clear(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)b, (void)key, (void)ops; /* the rectangle's depth and the reference are all */
}

static void clear_color(struct vk_command_buffer *cmd, uint32_t target, const VkClearColorValue *color,
                        const struct vk_meta_rectangle *rectangle)
{
    VkFormat format = cmd->rec->rendering.colors[target].format;
    struct clear_push push = {.color = *color};
    const struct vk_meta_ops *ops = vk_meta_ops_of(cmd);
    const uint32_t slot = ops->target_slot ? ops->target_slot(cmd, target) : target;
    uint64_t key = VK_META_KEY(VK_META_CLEAR, vk_meta_target_key(ops, format, slot));
    vk_meta_draw(cmd, vk_meta_pipeline(cmd, key, build_color_clear), rectangle, &push, sizeof(push));
}

static void clear_depth(struct vk_command_buffer *cmd, VkImageAspectFlags aspects,
                        const VkClearDepthStencilValue *value, const struct vk_meta_rectangle *rectangle)
{
    struct clear_push push = {.depth = value->depth};
    vk_meta_depth_state(cmd, aspects, value->stencil);
    vk_meta_draw(cmd, vk_meta_pipeline(cmd, VK_META_KEY(VK_META_CLEAR, 0), build_depth_clear), rectangle, &push,
                 sizeof(push));
    vk_meta_depth_state(cmd, 0, 0);
}

/* The aspects of a clear that are there to be cleared. */
static VkImageAspectFlags present_aspects(const struct vk_command_buffer *cmd, const VkClearAttachment *clear)
{
    const struct vk_rendering *rendering = &cmd->rec->rendering;
    VkImageAspectFlags present = 0;
    if (clear->aspectMask & VK_IMAGE_ASPECT_COLOR_BIT && clear->colorAttachment < rendering->num_colors &&
        rendering->colors[clear->colorAttachment].format != VK_FORMAT_UNDEFINED)
        present |= VK_IMAGE_ASPECT_COLOR_BIT;
    if (rendering->depth.format != VK_FORMAT_UNDEFINED)
        present |= clear->aspectMask & VK_IMAGE_ASPECT_DEPTH_BIT;
    if (rendering->stencil.format != VK_FORMAT_UNDEFINED)
        present |= clear->aspectMask & VK_IMAGE_ASPECT_STENCIL_BIT;
    return present;
}

static void clear_attachment(struct vk_command_buffer *cmd, const VkClearAttachment *clear,
                             const struct vk_meta_rectangle *rectangle)
{
    VkImageAspectFlags aspects = present_aspects(cmd, clear);
    if (aspects & VK_IMAGE_ASPECT_COLOR_BIT)
        clear_color(cmd, clear->colorAttachment, &clear->clearValue.color, rectangle);
    else if (aspects)
        clear_depth(cmd, aspects, &clear->clearValue.depthStencil, rectangle);
}

/* With views the layers are those of the mask, whatever the rectangle says; each run of neighbours is one draw. */
static void clear_in_views(struct vk_command_buffer *cmd, const VkClearAttachment *clear,
                           const struct vk_meta_rectangle *rectangle, uint32_t views)
{
    if (!views) {
        clear_attachment(cmd, clear, rectangle);
        return;
    }
    struct vk_meta_rectangle run = *rectangle;
    while (views) {
        run.first_layer = (uint32_t)__builtin_ctz(views);
        uint32_t after = ~(views >> run.first_layer);
        run.layers = after ? (uint32_t)__builtin_ctz(after) : 32;
        views &= ~(uint32_t)(bits_mask(run.layers) << run.first_layer);
        clear_attachment(cmd, clear, &run);
    }
}

/* By the family's hook. */
static bool clear_fast(struct vk_command_buffer *cmd, const VkClearAttachment *clear,
                       const struct vk_meta_rectangle *rectangle)
{
    const struct vk_meta_ops *ops = vk_meta_ops_of(cmd);
    VkClearAttachment present = *clear;
    present.aspectMask = present_aspects(cmd, clear);
    return ops->clear_attachment && present.aspectMask &&
           ops->clear_attachment(cmd, &present, rectangle, cmd->rec->rendering.view_mask);
}

VKAPI_ATTR void VKAPI_CALL vk_meta_CmdClearAttachments(VkCommandBuffer handle, uint32_t count,
                                                       const VkClearAttachment *clears, uint32_t rect_count,
                                                       const VkClearRect *rects)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    uint32_t views = cmd->rec->rendering.view_mask;
    struct vk_meta_saved saved;
    bool drawing = false;
    for (uint32_t i = 0; i < count * rect_count; i++) {
        const VkClearAttachment *clear = &clears[i / rect_count];
        const VkClearRect *rect = &rects[i % rect_count];
        const struct vk_meta_rectangle rectangle = {
            .rect = rect->rect, .first_layer = rect->baseArrayLayer, .layers = rect->layerCount, .predicated = true};
        /* Clears may lie over each other: after the first that is drawn, all are. */
        if (!drawing && clear_fast(cmd, clear, &rectangle))
            continue;
        if (!drawing)
            vk_meta_draw_begin(cmd, &saved);
        drawing = true;
        clear_in_views(cmd, clear, &rectangle, views);
    }
    if (drawing)
        vk_meta_draw_end(cmd, &saved);
}

/* ---- load operations ---- */

static bool is_cleared(const VkRenderingAttachmentInfo *info)
{
    return info && info->imageView && info->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR;
}

static uint32_t gather_clears(const VkRenderingInfo *info, VkClearAttachment clears[VK_MAX_COLOR_ATTACHMENTS + 2])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MIN2(info->colorAttachmentCount, VK_MAX_COLOR_ATTACHMENTS); i++) {
        if (is_cleared(&info->pColorAttachments[i]))
            clears[count++] = (VkClearAttachment){VK_IMAGE_ASPECT_COLOR_BIT, i, info->pColorAttachments[i].clearValue};
    }
    bool depth = is_cleared(info->pDepthAttachment), stencil = is_cleared(info->pStencilAttachment);
    if (depth || stencil) {
        VkClearAttachment *clear = &clears[count++];
        *clear = (VkClearAttachment){.aspectMask = (depth ? VK_IMAGE_ASPECT_DEPTH_BIT : 0) |
                                                   (stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0)};
        if (depth)
            clear->clearValue.depthStencil.depth = info->pDepthAttachment->clearValue.depthStencil.depth;
        if (stencil)
            clear->clearValue.depthStencil.stencil = info->pStencilAttachment->clearValue.depthStencil.stencil;
    }
    return count;
}

void vk_meta_clear_rendering(struct vk_command_buffer *cmd, const VkRenderingInfo *info)
{
    VkClearAttachment clears[VK_MAX_COLOR_ATTACHMENTS + 2];
    uint32_t count = gather_clears(info, clears), drawn = 0;
    const struct vk_meta_rectangle all = {.rect = info->renderArea, .layers = info->layerCount};
    for (uint32_t i = 0; i < count; i++) {
        if (!clear_fast(cmd, &clears[i], &all))
            clears[drawn++] = clears[i];
    }
    if (!drawn)
        return;
    struct vk_meta_saved saved;
    vk_meta_draw_begin(cmd, &saved);
    for (uint32_t i = 0; i < drawn; i++)
        clear_in_views(cmd, &clears[i], &all, info->viewMask);
    vk_meta_draw_end(cmd, &saved);
}

/* ---- images, by draws ---- */

static void clear_level(struct vk_command_buffer *cmd, struct vk_meta_saved *saved, struct vk_image *image,
                        VkImageLayout layout, const VkClearValue *value, const VkImageSubresourceRange *range,
                        uint32_t level)
{
    VkExtent3D extent = vk_image_level_extent(image, level);
    const struct vk_meta_rectangle all = {
        .rect.extent = {extent.width, extent.height},
        .layers = image->type == VK_IMAGE_TYPE_3D ? extent.depth : vk_image_layer_count(image, range),
    };
    const struct vk_meta_view view = vk_meta_view(image, range->aspectMask, level, range->baseArrayLayer);
    vk_meta_set_target(cmd, saved, &view, layout);
    clear_attachment(cmd, &(const VkClearAttachment){.aspectMask = range->aspectMask, .clearValue = *value}, &all);
}

/* ---- images, by dispatches ---- */

struct fill_push {
    uint32_t extent[3]; /* z counts layers or slices, times samples */
    uint32_t first_layer;
    uint32_t words[4];
};
enum {
    FILL_EXTENT = 0,
    FILL_LAYER = 3,
    FILL_WORDS = 4
};

#define FILL_KEY(shape, samples_log2, words) ((uint64_t)(words) << 16 | (uint64_t)(shape) << 8 | (samples_log2))

static struct ir_value *fill_texel(struct ir_builder *b, uint32_t count)
{
    struct ir_value *words[4];
    for (uint32_t i = 0; i < count; i++)
        words[i] = vk_meta_push(b, FILL_WORDS + i);
    return ir_vec(b, count, words);
}

struct image_fill {
    enum vk_meta_shape shape;
    struct ir_value *layer, *sample, *texel;
};

static void write_fill(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                       struct ir_value *value)
{
    (void)value;
    const struct image_fill *image = data;
    struct ir_value *place[3] = {texel->at[0], texel->at[1], image->layer};
    vk_meta_store(b, 0, image->shape, vk_meta_coordinate(b, image->shape, place, image->sample), image->texel);
}

static void build_image_fill(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct image_fill image = {.shape = key >> 8 & 0xff};
    struct vk_meta_tile tile;
    vk_meta_tile_begin(b, &tile, key, vk_meta_layout_of(image.shape));
    vk_meta_split_samples(b, tile.corner[2], key & 0xff, &image.layer, &image.sample);
    image.layer = ir_iadd(b, image.layer, vk_meta_push(b, FILL_LAYER));
    image.texel = fill_texel(b, key >> 16 & 0xff);
    vk_meta_tile_end(b, &tile, FILL_EXTENT, NULL, write_fill, &image);
}

static void dispatch_fill(struct vk_command_buffer *cmd, const struct vk_meta_fill *fill)
{
    enum vk_meta_shape shape = vk_meta_shape(fill->image);
    uint32_t samples_log2 = log2_floor(fill->image->samples), groups[3];
    const struct fill_push push = {
        .extent = {fill->extent[0], fill->extent[1], fill->extent[2] << samples_log2},
        .first_layer = fill->first_layer,
        .words = {fill->words[0], fill->words[1], fill->words[2], fill->words[3]},
    };
    const struct vk_meta_binding binding = {
        VK_META_STORAGE_IMAGE,
        .view = {.image = fill->image,
                 .aspects = VK_IMAGE_ASPECT_COLOR_BIT,
                 .format = vk_meta_raw_format(fill->element_B),
                 .type = vk_meta_view_type(shape),
                 .level = fill->level,
                 .layers = VK_REMAINING_ARRAY_LAYERS},
    };
    uint64_t key = VK_META_KEY(VK_META_FILL_IMAGE, FILL_KEY(shape, samples_log2, MAX2(fill->element_B / 4, 1u)));
    key |= vk_meta_count_tiles(vk_meta_layout_of(shape), push.extent, groups);
    vk_meta_dispatch(cmd, vk_meta_shader(cmd, key, build_image_fill), &binding, 1, &push, sizeof(push), groups);
}

static struct vk_meta_fill fill_of_level(struct vk_image *image, VkImageLayout layout, const uint32_t words[4],
                                         const VkImageSubresourceRange *range, uint32_t level)
{
    VkExtent3D extent = vk_image_level_extent(image, level);
    bool is_3d = image->type == VK_IMAGE_TYPE_3D;
    return (struct vk_meta_fill){
        .image = image,
        .layout = layout,
        .level = level,
        .first_layer = is_3d ? 0 : range->baseArrayLayer,
        .extent = {extent.width, extent.height, is_3d ? extent.depth : vk_image_layer_count(image, range)},
        .element_B = image->format_info->block_size_B,
        .words = {words[0], words[1], words[2], words[3]},
    };
}

/* ---- commands ---- */

/* Levels that the family's hook takes, then all others: by rectangles, or by dispatches where nothing can be drawn. */
struct color_clear {
    struct vk_command_buffer *cmd;
    struct vk_image *image;
    VkImageLayout layout;
    const VkClearColorValue *color;
    bool has_words, can_draw, is_drawing;
    uint32_t words[4];
    struct vk_meta_saved saved;
};

static void clear_color_level(struct color_clear *clear, const VkImageSubresourceRange *range, uint32_t level)
{
    struct vk_command_buffer *cmd = clear->cmd;
    const struct vk_meta_ops *ops = vk_meta_ops_of(cmd);
    const struct vk_meta_fill fill = fill_of_level(clear->image, clear->layout, clear->words, range, level);
    if (clear->has_words && !clear->is_drawing && ops->fill_image && ops->fill_image(cmd, &fill))
        return;
    if (!clear->can_draw) {
        if (clear->has_words) /* else of formats that the specification does not let be cleared */
            dispatch_fill(cmd, &fill);
        return;
    }
    if (!clear->is_drawing)
        vk_meta_draw_begin(cmd, &clear->saved);
    clear->is_drawing = true;
    clear_level(cmd, &clear->saved, clear->image, clear->layout, &(const VkClearValue){.color = *clear->color}, range,
                level);
}

VKAPI_ATTR void VKAPI_CALL vk_meta_CmdClearColorImage(VkCommandBuffer handle, VkImage image_handle,
                                                      VkImageLayout layout, const VkClearColorValue *color,
                                                      uint32_t count, const VkImageSubresourceRange *ranges)
{
    struct color_clear clear = {.cmd = vk_command_buffer_from_handle(handle),
                                .image = vk_image_from_handle(image_handle),
                                .layout = layout,
                                .color = color};
    clear.can_draw = vk_meta_ops_of(clear.cmd)->can_draw(clear.cmd, clear.image->format);
    clear.has_words = vk_meta_pack_color(clear.image->format, color, clear.words);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < vk_image_level_count(clear.image, &ranges[i]); j++)
            clear_color_level(&clear, &ranges[i], ranges[i].baseMipLevel + j);
    }
    if (clear.is_drawing)
        vk_meta_draw_end(clear.cmd, &clear.saved);
}

VKAPI_ATTR void VKAPI_CALL vk_meta_CmdClearDepthStencilImage(VkCommandBuffer handle, VkImage image_handle,
                                                             VkImageLayout layout,
                                                             const VkClearDepthStencilValue *value, uint32_t count,
                                                             const VkImageSubresourceRange *ranges)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    struct vk_image *image = vk_image_from_handle(image_handle);
    struct vk_meta_saved saved;
    vk_meta_draw_begin(cmd, &saved);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < vk_image_level_count(image, &ranges[i]); j++)
            clear_level(cmd, &saved, image, layout, &(const VkClearValue){.depthStencil = *value}, &ranges[i],
                        ranges[i].baseMipLevel + j);
    }
    vk_meta_draw_end(cmd, &saved);
}
