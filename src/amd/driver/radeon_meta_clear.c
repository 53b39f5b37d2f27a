/* Clears: of a rendering's attachments by its load operations and by vkCmdClearAttachments, and of images. A clear is a
 * rectangle that is drawn; images that cannot be colour targets, and all on a compute queue, are filled by a dispatch.
 */
#include <string.h>

#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_metadata.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"

/* ---- into the targets that are set ---- */

struct clear_push {
    float depth;
    VkClearColorValue color;
};
enum {
    CLEAR_COLOR = 1 /* word */
};

static void build_color_clear(struct ir_builder *b, uint64_t key)
{
    struct ir_value *color[4];
    for (uint32_t i = 0; i < 4; i++)
        color[i] = radeon_meta_push(b, CLEAR_COLOR + i);
    radeon_meta_output(b, key, VK_IMAGE_ASPECT_COLOR_BIT, ir_vec(b, 4, color));
}

static void build_depth_clear(struct ir_builder *b, uint64_t key)
{
    (void)b, (void)key; /* the rectangle's depth and the reference are all */
}

static void clear_color(struct radeon_cmd_buffer *cmd, uint32_t target, const VkClearColorValue *color,
                        const struct radeon_meta_rectangle *rectangle)
{
    VkFormat format = cmd->vk.rendering.colors[target].format;
    struct clear_push push = {.color = *color};
    uint64_t key = RADEON_META_KEY(RADEON_META_CLEAR, radeon_meta_target_key(format, target));
    radeon_meta_draw(cmd, radeon_meta_pipeline(cmd, key, build_color_clear), rectangle, &push, sizeof(push));
}

static void clear_depth(struct radeon_cmd_buffer *cmd, VkImageAspectFlags aspects,
                        const VkClearDepthStencilValue *value, const struct radeon_meta_rectangle *rectangle)
{
    struct clear_push push = {.depth = value->depth};
    radeon_meta_depth_state(cmd, aspects, value->stencil);
    radeon_meta_draw(cmd, radeon_meta_pipeline(cmd, RADEON_META_KEY(RADEON_META_CLEAR, 0), build_depth_clear),
                     rectangle, &push, sizeof(push));
    radeon_meta_depth_state(cmd, 0, 0);
}

/* What of a clear's aspects there is to clear. */
static VkImageAspectFlags present_aspects(const struct radeon_cmd_buffer *cmd, const VkClearAttachment *clear)
{
    const struct vk_rendering *rendering = &cmd->vk.rendering;
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

static void clear_attachment(struct radeon_cmd_buffer *cmd, const VkClearAttachment *clear,
                             const struct radeon_meta_rectangle *rectangle)
{
    VkImageAspectFlags aspects = present_aspects(cmd, clear);
    if (aspects & VK_IMAGE_ASPECT_COLOR_BIT)
        clear_color(cmd, clear->colorAttachment, &clear->clearValue.color, rectangle);
    else if (aspects)
        clear_depth(cmd, aspects, &clear->clearValue.depthStencil, rectangle);
}

/* With views the layers are those of the mask, whatever the rectangle says; each run of neighbours is one draw. */
static void clear_in_views(struct radeon_cmd_buffer *cmd, const VkClearAttachment *clear,
                           const struct radeon_meta_rectangle *rectangle, uint32_t views)
{
    if (!views) {
        clear_attachment(cmd, clear, rectangle);
        return;
    }
    struct radeon_meta_rectangle run = *rectangle;
    while (views) {
        run.first_layer = (uint32_t)__builtin_ctz(views);
        uint32_t after = ~(views >> run.first_layer);
        run.layers = after ? (uint32_t)__builtin_ctz(after) : 32;
        views &= ~(uint32_t)(bits_mask(run.layers) << run.first_layer);
        clear_attachment(cmd, clear, &run);
    }
}

/* By metadata, which no predicate holds back. */
static bool clear_fast(struct radeon_cmd_buffer *cmd, const VkClearAttachment *clear, const VkClearRect *rect)
{
    VkClearAttachment present = *clear;
    present.aspectMask = present_aspects(cmd, clear);
    return present.aspectMask && !cmd->predicate.enabled && rect->baseArrayLayer == 0 &&
           radeon_fast_clear_attachment(cmd, &present, &rect->rect, rect->layerCount, cmd->vk.rendering.view_mask);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdClearAttachments(VkCommandBuffer handle, uint32_t count,
                                                      const VkClearAttachment *clears, uint32_t rect_count,
                                                      const VkClearRect *rects)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    uint32_t views = cmd->vk.rendering.view_mask;
    struct radeon_meta_saved saved;
    bool drawing = false;
    for (uint32_t i = 0; i < count * rect_count; i++) {
        const VkClearAttachment *clear = &clears[i / rect_count];
        const VkClearRect *rect = &rects[i % rect_count];
        /* Clears may lie over each other: behind the first that is drawn, all are. */
        if (!drawing && clear_fast(cmd, clear, rect))
            continue;
        if (!drawing)
            radeon_meta_draw_begin(cmd, &saved);
        drawing = true;
        const struct radeon_meta_rectangle rectangle = {
            .rect = rect->rect, .first_layer = rect->baseArrayLayer, .layers = rect->layerCount, .predicated = true};
        clear_in_views(cmd, clear, &rectangle, views);
    }
    if (drawing)
        radeon_meta_draw_end(cmd, &saved);
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

void radeon_meta_clear_rendering(struct radeon_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    VkClearAttachment clears[VK_MAX_COLOR_ATTACHMENTS + 2];
    uint32_t count = gather_clears(info, clears), drawn = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!radeon_fast_clear_attachment(cmd, &clears[i], &info->renderArea, info->layerCount, info->viewMask))
            clears[drawn++] = clears[i];
    }
    if (!drawn)
        return;
    const struct radeon_meta_rectangle all = {.rect = info->renderArea, .layers = info->layerCount};
    struct radeon_meta_saved saved;
    radeon_meta_draw_begin(cmd, &saved);
    for (uint32_t i = 0; i < drawn; i++)
        clear_in_views(cmd, &clears[i], &all, info->viewMask);
    radeon_meta_draw_end(cmd, &saved);
}

/* ---- images, by draws ---- */

static void clear_image(struct radeon_cmd_buffer *cmd, struct radeon_image *image, VkImageLayout layout,
                        const VkClearValue *value, const VkImageSubresourceRange *range)
{
    for (uint32_t i = 0; i < vk_image_level_count(&image->vk, range); i++) {
        uint32_t level = range->baseMipLevel + i;
        VkExtent3D extent = vk_image_level_extent(&image->vk, level);
        const struct radeon_meta_rectangle all = {
            .rect.extent = {extent.width, extent.height},
            .layers = image->vk.type == VK_IMAGE_TYPE_3D ? extent.depth : vk_image_layer_count(&image->vk, range),
        };
        struct radeon_image_view view;
        radeon_meta_view(cmd, &view, image, range->aspectMask, level, range->baseArrayLayer);
        radeon_meta_target(cmd, &view, layout, range->aspectMask);
        clear_attachment(cmd, &(const VkClearAttachment){.aspectMask = range->aspectMask, .clearValue = *value}, &all);
    }
}

/* ---- images, by dispatches ---- */

struct fill_push {
    uint32_t extent[3]; /* z counts layers or slices, times samples */
    uint32_t first_layer;
    uint32_t words[4];
    uint32_t va_lo, va_hi, row_B, slice_B; /* of memory */
};
enum {
    FILL_EXTENT = 0,
    FILL_LAYER = 3,
    FILL_WORDS = 4,
    FILL_VA = 8,
    FILL_ROW = 10,
    FILL_SLICE = 11
};

#define FILL_KEY(shape, samples_log2, words) ((uint64_t)(words) << 16 | (uint64_t)(shape) << 8 | (samples_log2))
#define FILL_MEMORY 0xff /* instead of a shape: three words an element, in rows */

static struct ir_value *fill_texel(struct ir_builder *b, uint32_t count)
{
    struct ir_value *words[4];
    for (uint32_t i = 0; i < count; i++)
        words[i] = radeon_meta_push(b, FILL_WORDS + i);
    return ir_vec(b, count, words);
}

struct image_fill {
    enum radeon_meta_shape shape;
    struct ir_value *layer, *sample, *texel;
};

static void write_fill(struct ir_builder *b, const void *data, const struct radeon_meta_texel *texel,
                       struct ir_value *value)
{
    (void)value;
    const struct image_fill *image = data;
    struct ir_value *place[4];
    uint32_t count = 0;
    place[count++] = texel->at[0];
    if (image->shape != RADEON_META_1D)
        place[count++] = texel->at[1];
    place[count++] = image->layer;
    if (image->sample)
        place[count++] = image->sample;
    ir_store_image(b, image->texel, radeon_meta_image(b, 0), ir_vec(b, count, place), ir_const(b, 32, 0),
                   radeon_meta_dim(image->shape), image->shape != RADEON_META_3D, 0, 0);
}

static void build_image_fill(struct ir_builder *b, uint64_t key)
{
    struct image_fill image = {.shape = key >> 8 & 0xff};
    uint32_t samples_log2 = key & 0xff;
    struct radeon_meta_tile tile;
    radeon_meta_tile_begin(b, &tile, key, radeon_meta_layout_of(image.shape));
    image.layer = tile.corner[2];
    if (image.shape == RADEON_META_MS) {
        image.sample = ir_iand(b, tile.corner[2], ir_const(b, 32, (1u << samples_log2) - 1));
        image.layer = ir_ushr(b, tile.corner[2], ir_const(b, 32, samples_log2));
    }
    image.layer = ir_iadd(b, image.layer, radeon_meta_push(b, FILL_LAYER));
    image.texel = fill_texel(b, key >> 16 & 0xff);
    radeon_meta_tile_end(b, &tile, FILL_EXTENT, NULL, write_fill, &image);
}

static void build_memory_fill(struct ir_builder *b, uint64_t key)
{
    (void)key;
    struct ir_value *ids[3];
    radeon_meta_workgroup(b->shader, false);
    radeon_meta_ids(b, ids);
    ir_builder_push_if(b, radeon_meta_in_bounds(b, ids, FILL_EXTENT));
    struct ir_value *va = ir_load_push(b, 64, 1, ir_const(b, 32, 0), FILL_VA * 4, 4, 0);
    struct ir_value *layer = ir_iadd(b, ids[2], radeon_meta_push(b, FILL_LAYER));
    struct ir_value *scale[3] = {ir_const(b, 32, 12), radeon_meta_push(b, FILL_ROW), radeon_meta_push(b, FILL_SLICE)};
    struct ir_value *place[3] = {ids[0], ids[1], layer};
    for (uint32_t i = 0; i < 3; i++)
        va = ir_iadd(b, va, ir_imul(b, ir_u2u(b, 64, place[i]), ir_u2u(b, 64, scale[i])));
    ir_store_global(b, fill_texel(b, 3), va, 0, 4, 0, 0);
    ir_builder_pop_if(b);
}

/* Elements of 12 bytes are linear and of one level; no format stores them. */
static void fill_memory(struct radeon_cmd_buffer *cmd, struct radeon_image *image, struct fill_push *push)
{
    const struct radeon_surface *surface = radeon_image_surface_of(image, VK_IMAGE_ASPECT_COLOR_BIT);
    uint64_t va = radeon_image_surface_va(image, VK_IMAGE_ASPECT_COLOR_BIT);
    uint32_t groups[3];
    push->va_lo = (uint32_t)va;
    push->va_hi = (uint32_t)(va >> 32);
    push->row_B = surface->level_pitch[0] * 4; /* counts dwords */
    push->slice_B = (uint32_t)surface->slice_B;
    radeon_meta_count_groups(false, push->extent, groups);
    uint64_t key = RADEON_META_KEY(RADEON_META_FILL_IMAGE, FILL_KEY(FILL_MEMORY, 0, 3));
    radeon_meta_dispatch(cmd, radeon_meta_shader(cmd, key, build_memory_fill), NULL, 0, push, sizeof(*push), groups);
}

static void fill_level(struct radeon_cmd_buffer *cmd, struct radeon_image *image, const uint32_t words[4],
                       const VkImageSubresourceRange *range, uint32_t level)
{
    enum radeon_meta_shape shape = radeon_meta_shape(image);
    VkExtent3D extent = vk_image_level_extent(&image->vk, level);
    bool is_3d = shape == RADEON_META_3D;
    uint32_t samples_log2 = log2_floor(image->vk.samples), element_B = image->vk.format_info->block_size_B;
    struct fill_push push = {
        .extent = {extent.width, extent.height,
                   (is_3d ? extent.depth : vk_image_layer_count(&image->vk, range)) << samples_log2},
        .first_layer = is_3d ? 0 : range->baseArrayLayer,
        .words = {words[0], words[1], words[2], words[3]},
    };
    if (element_B == 12) {
        fill_memory(cmd, image, &push);
        return;
    }
    struct radeon_image_view view;
    uint32_t groups[3];
    radeon_image_view_init(cmd->device, &view,
                           &(const VkImageViewCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                               .image = radeon_image_to_handle(image),
                               .viewType = radeon_meta_view_type(shape),
                               .format = radeon_raw_format(element_B),
                               .subresourceRange = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                                    .baseMipLevel = level,
                                                    .levelCount = 1,
                                                    .layerCount = VK_REMAINING_ARRAY_LAYERS},
                           },
                           &(const struct radeon_image_view_options){.no_compression = true});
    uint64_t key = RADEON_META_KEY(RADEON_META_FILL_IMAGE, FILL_KEY(shape, samples_log2, MAX2(element_B / 4, 1u)));
    key |= radeon_meta_count_tiles(radeon_meta_layout_of(shape), push.extent, groups);
    radeon_meta_dispatch(cmd, radeon_meta_shader(cmd, key, build_image_fill), &view.storage[0], 1, &push, sizeof(push),
                         groups);
}

/* ---- commands ---- */

VKAPI_ATTR void VKAPI_CALL radeon_CmdClearColorImage(VkCommandBuffer handle, VkImage image_handle, VkImageLayout layout,
                                                     const VkClearColorValue *color, uint32_t count,
                                                     const VkImageSubresourceRange *ranges)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_image *image = radeon_image_from_handle(image_handle);
    if (!cmd->is_compute && radeon_format(image->vk.format)->color.format) {
        struct radeon_meta_saved saved;
        radeon_meta_draw_begin(cmd, &saved);
        for (uint32_t i = 0; i < count; i++)
            clear_image(cmd, image, layout, &(const VkClearValue){.color = *color}, &ranges[i]);
        radeon_meta_draw_end(cmd, &saved);
        return;
    }
    uint32_t words[4];
    if (!radeon_pack_color(image->vk.format, color, words))
        return; /* of formats that the specification does not let be cleared */
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < vk_image_level_count(&image->vk, &ranges[i]); j++)
            fill_level(cmd, image, words, &ranges[i], ranges[i].baseMipLevel + j);
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdClearDepthStencilImage(VkCommandBuffer handle, VkImage image_handle,
                                                            VkImageLayout layout, const VkClearDepthStencilValue *value,
                                                            uint32_t count, const VkImageSubresourceRange *ranges)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_meta_saved saved;
    radeon_meta_draw_begin(cmd, &saved);
    for (uint32_t i = 0; i < count; i++)
        clear_image(cmd, radeon_image_from_handle(image_handle), layout, &(const VkClearValue){.depthStencil = *value},
                    &ranges[i]);
    radeon_meta_draw_end(cmd, &saved);
}
