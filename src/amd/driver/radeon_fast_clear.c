/* Clears of whole images by their metadata, or, where metadata does not pay, by filling their memory. */
#include <string.h>

#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_metadata.h"
#include "amd/hw/enums.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

/* ---- both kinds ---- */

/* Metadata of the view's level is cleared as a whole, in all layers that the image has. */
static bool covers_all(const struct radeon_clear_place *place)
{
    const struct radeon_image *image = place->view->image;
    const struct vk_image_view *view = &place->view->vk;
    VkExtent3D extent = vk_image_level_extent(&image->vk, view->base_level);
    if (place->area.offset.x || place->area.offset.y || place->area.extent.width < extent.width ||
        place->area.extent.height < extent.height || view->level_count != 1)
        return false;
    if (view->base_layer != 0 || view->layer_count != image->vk.layers)
        return false;
    if (place->view_mask)
        return image->vk.layers < 32 && place->view_mask == (1u << image->vk.layers) - 1;
    return place->first_layer == 0 && place->layers == image->vk.layers;
}

static VkImageSubresourceRange range_of(const struct radeon_clear_place *place)
{
    const struct vk_image_view *view = &place->view->vk;
    return (VkImageSubresourceRange){view->aspects, view->base_level, 1, view->base_layer, view->layer_count};
}

static uint32_t queue_mask(const struct radeon_image *image)
{
    return radeon_image_queue_mask(image, VK_QUEUE_FAMILY_IGNORED, RADEON_QUEUE_GENERAL);
}

static void before(struct radeon_cmd_buffer *cmd, uint32_t caches)
{
    cmd->due |= RADEON_AFTER_PIXELS | RADEON_AFTER_COMPUTE | RADEON_FRESH_VECTOR | caches;
}

static void after(struct radeon_cmd_buffer *cmd, const struct radeon_image *image)
{
    cmd->due |= RADEON_AFTER_COMPUTE |
                radeon_order_after(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT, image);
    cmd->graphics->dirty |= RADEON_DIRTY_TARGETS;
}

/* ---- depth and stencil ---- */

/* The bits of an HTILE word that belong to an aspect where there are two. */
#define HTILE_DEPTH_BITS 0xfffffc0fu
#define HTILE_STENCIL_BITS 0x000003f0u

/* "Cleared" (masks of 0), with the depth as its own range: 14 bits of it. */
static uint32_t htile_clear_word(const struct radeon_image *image, float depth)
{
    uint32_t z = depth == 0.0f ? 0 : 0x3fff;
    if (!image->has_stencil_surface)
        return z << 18 | z << 4;
    return z << 18 | 0xfu << 4; /* the range's upper end, no width; the results of stencil tests are not known */
}

/* The texture units take a cleared tile's value from the metadata: they know these. */
static bool depth_values_allowed(VkImageAspectFlags aspects, const VkClearDepthStencilValue *value)
{
    if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT && value->depth != 0.0f && value->depth != 1.0f)
        return false;
    return !(aspects & VK_IMAGE_ASPECT_STENCIL_BIT) || value->stencil == 0;
}

/* The front of the processor loads the value into registers when the image becomes a target: it also writes it. */
static void write_clear_value(struct radeon_cmd_buffer *cmd, const struct radeon_image *image, uint32_t level,
                              VkImageAspectFlags aspects, const VkClearDepthStencilValue *value)
{
    uint64_t va = image->vk.memory[0].va + image->clear_value_offset_B + 8ull * level;
    uint32_t words[2] = {value->stencil, 0};
    memcpy(&words[1], &value->depth, sizeof(words[1]));
    bool has_stencil = aspects & VK_IMAGE_ASPECT_STENCIL_BIT, has_depth = aspects & VK_IMAGE_ASPECT_DEPTH_BIT;
    uint32_t first = has_stencil ? 0 : 1, count = has_stencil + has_depth;
    radeon_cs_reserve(&cmd->cs, 8);
    RADEON_PACKET(&cmd->cs, WRITE_DATA, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true, .ENGINE = AMD_CP_ENGINE_PFP,
                  .ADDR = va + 4 * first, .tail_dw = count);
    radeon_emit_array(&cmd->cs, words + first, count);
}

/* Clears by metadata. False where the place or the value does not allow it and the caller must draw. Targets that are
 * bound need not be rebound. */
static bool radeon_fast_clear_depth(struct radeon_cmd_buffer *cmd, const struct radeon_clear_place *place,
                                    VkImageAspectFlags aspects, const VkClearDepthStencilValue *value)
{
    const struct radeon_image *image = place->view->image;
    aspects &= image->vk.aspects;
    if (!aspects || !radeon_htile_enabled(image, place->view->vk.base_level) || !covers_all(place) ||
        !radeon_layout_htile_compressed(image, place->layout, queue_mask(image)) ||
        !depth_values_allowed(aspects, value))
        return false;
    uint32_t keep = 0;
    if (image->has_stencil_surface) {
        if (!(aspects & VK_IMAGE_ASPECT_DEPTH_BIT))
            keep = HTILE_DEPTH_BITS;
        else if (!(aspects & VK_IMAGE_ASPECT_STENCIL_BIT))
            keep = HTILE_STENCIL_BITS;
    }
    const VkImageSubresourceRange range = range_of(place);
    before(cmd, RADEON_OUT_ALL_DEPTH);
    radeon_metadata_fill(cmd, image, &image->htile, &range, htile_clear_word(image, value->depth), keep);
    after(cmd, image);
    write_clear_value(cmd, image, place->view->vk.base_level, aspects, value);
    return true;
}

/* ---- colour ---- */

enum {
    DCC_0000 = 0x00000000,
    DCC_SINGLE = 0x10101010, /* the first element of 256 bytes is the colour of all */
    DCC_0001 = 0x40404040,
    DCC_1110 = (int)0x80808080,
    DCC_1111 = (int)0xc0c0c0c0,
};

/* All samples of the pixels have the colour of fragment 0. */
#define CMASK_FIRST_FRAGMENT 0xccccccccu

/* 0 for zero, 1 for one (of integers the largest number), -1 for all else. */
static int zero_or_one(const struct format_info *info, const VkClearColorValue *value, unsigned component,
                       unsigned bits)
{
    switch (info->numeric) {
    case FORMAT_NUMERIC_UINT:
        return value->uint32[component] == 0                                     ? 0
               : value->uint32[component] >= (uint32_t)bits_mask(MIN2(bits, 32)) ? 1
                                                                                 : -1;
    case FORMAT_NUMERIC_SINT:
        return value->int32[component] == 0                                        ? 0
               : value->int32[component] >= (int32_t)(uint32_t)bits_mask(bits - 1) ? 1
                                                                                   : -1;
    default:
        return value->float32[component] == 0.0f ? 0 : value->float32[component] == 1.0f ? 1 : -1;
    }
}

/* A code for colours of zeros and ones, one for colour and one for alpha; any other colour is "single". */
static uint32_t clear_code(const struct radeon_image *image, const struct radeon_format *format,
                           const VkClearColorValue *value)
{
    const struct format_info *info = format->info;
    int color = -1, alpha = -1;
    for (unsigned i = 0; i < info->channel_count; i++) {
        unsigned component = info->channels[i].component;
        if (component > FORMAT_COMPONENT_A)
            return DCC_SINGLE; /* a shared exponent is no number of its own */
        int is = zero_or_one(info, value, component, info->channels[i].bits);
        int *kind = component == FORMAT_COMPONENT_A ? &alpha : &color;
        if (is < 0 || (*kind >= 0 && *kind != is))
            return DCC_SINGLE;
        *kind = is;
    }
    /* Which channel the hardware takes for alpha depends on the order; without one it is that of the colours. */
    bool alpha_last = format->color.swap == AMD_COMP_SWAP_STD || format->color.swap == AMD_COMP_SWAP_ALT;
    if (alpha < 0)
        alpha = color;
    if (color < 0)
        color = alpha;
    if (color != alpha && (!alpha_last || info->channel_count != 4))
        return DCC_SINGLE;
    if ((color || alpha) && image->dcc_sign_reinterpret)
        return DCC_SINGLE;
    return color ? (alpha ? DCC_1111 : DCC_1110) : (alpha ? DCC_0001 : DCC_0000);
}

struct single_push {
    uint32_t extent[3]; /* blocks */
    uint32_t block[2];  /* texels */
    uint32_t words[4];
};
enum {
    SINGLE_EXTENT = 0,
    SINGLE_BLOCK = 3,
    SINGLE_WORDS = 5
};

static void build_single(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    vk_meta_workgroup(b->shader, false);
    struct ir_value *ids[3], *words[4];
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, vk_meta_in_bounds(b, ids, SINGLE_EXTENT));
    for (uint32_t i = 0; i < 4; i++)
        words[i] = vk_meta_push(b, SINGLE_WORDS + i);
    enum vk_meta_shape shape = key & 0xff;
    struct ir_value *at[4] = {ir_imul(b, ids[0], vk_meta_push(b, SINGLE_BLOCK)),
                              ir_imul(b, ids[1], vk_meta_push(b, SINGLE_BLOCK + 1)), ids[2], ir_const(b, 32, 0)};
    ir_store_image(b, ir_vec(b, 4, words), vk_meta_image(b, 0), ir_vec(b, shape == VK_META_MS ? 4 : 3, at),
                   ir_const(b, 32, 0), vk_meta_dim(shape), true, 0, 0);
    ir_builder_pop_if(b);
}

/* The colour into the first element of every piece of 256 bytes; of several fragments only the first is in use. */
static void write_singles(struct radeon_cmd_buffer *cmd, struct radeon_image *image, uint32_t level,
                          const uint32_t words[4])
{
    if (radeon_meta_fill_singles(cmd, image, level, words))
        return;
    const struct radeon_surface *surface = &image->planes[0].surface;
    struct radeon_image_view view;
    radeon_image_view_init(cmd->device, &view,
                           &(const VkImageViewCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                               .image = radeon_image_to_handle(image),
                               .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                               .format = vk_meta_raw_format(surface->element_B),
                               .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, VK_REMAINING_ARRAY_LAYERS},
                           },
                           &(const struct radeon_image_view_options){.no_compression = true});
    VkExtent3D extent = vk_image_level_extent(&image->vk, level);
    struct single_push push = {.block = {1u << image->dcc.piece_w_log2, 1u << image->dcc.piece_h_log2}};
    push.extent[0] = (uint32_t)div_round_up(extent.width, push.block[0]);
    push.extent[1] = (uint32_t)div_round_up(extent.height, push.block[1]);
    push.extent[2] = image->vk.layers;
    memcpy(push.words, words, sizeof(push.words));
    uint32_t groups[3], descriptors[1][8];
    memcpy(descriptors[0], view.storage[0], sizeof(descriptors[0]));
    vk_meta_count_groups(false, push.extent, groups);
    uint64_t key = VK_META_KEY(RADEON_META_SINGLE, vk_meta_shape(&image->vk));
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, key, build_single), descriptors, 1, &push, sizeof(push), groups);
}

/* Elements of less than a dword are written as one number; the texel's words hold it. */
static bool radeon_fast_clear_color(struct radeon_cmd_buffer *cmd, const struct radeon_clear_place *place,
                                    const VkClearColorValue *value)
{
    struct radeon_image *image = place->view->image;
    const struct radeon_format *format = radeon_format(place->view->format);
    uint32_t level = place->view->vk.base_level, words[4];
    if (!radeon_dcc_enabled(image, level) || !image->comp_to_single || !covers_all(place) ||
        !radeon_layout_can_fast_clear(image, level, place->layout, queue_mask(image)) ||
        !vk_meta_pack_color(place->view->format, value, words))
        return false;
    uint32_t code = clear_code(image, format, value);
    const VkImageSubresourceRange range = range_of(place);
    before(cmd, RADEON_OUT_ALL_COLOR);
    radeon_metadata_fill(cmd, image, &image->dcc, &range, code, 0);
    if (image->cmask.enabled)
        radeon_metadata_fill(cmd, image, &image->cmask, &range, CMASK_FIRST_FRAGMENT, 0);
    if (code == DCC_SINGLE)
        write_singles(cmd, image, level, words);
    after(cmd, image);
    return true;
}

/* Images that are too small for metadata: a fill is over before a large one's metadata would be. The smallest are
 * drawn, for nothing waits then. */
#define MIN_FILL_PIXELS (64u * 64u)
#define MAX_FILL_PIXELS (512u * 512u)

static bool fill_color(struct radeon_cmd_buffer *cmd, const struct radeon_clear_place *place,
                       const VkClearColorValue *value)
{
    struct radeon_image *image = place->view->image;
    const VkExtent3D extent = vk_image_level_extent(&image->vk, place->view->vk.base_level);
    const uint64_t pixels = (uint64_t)extent.width * extent.height * image->vk.layers;
    struct vk_meta_fill fill = {
        .image = &image->vk,
        .layout = place->layout,
        .level = place->view->vk.base_level,
        .extent = {extent.width, extent.height, image->vk.layers},
        .element_B = image->planes[0].surface.element_B,
    };
    if (image->vk.samples > 1 || pixels < MIN_FILL_PIXELS || pixels > MAX_FILL_PIXELS || !covers_all(place) ||
        !vk_meta_pack_color(place->view->format, value, fill.words))
        return false;
    const uint32_t due = cmd->due;
    before(cmd, RADEON_OUT_ALL_COLOR);
    if (!radeon_meta_fill_memory(cmd, &fill)) {
        cmd->due = due;
        return false;
    }
    radeon_cp_writes_wait(cmd);
    after(cmd, image);
    return true;
}

/* ---- attachments ---- */

bool radeon_fast_clear_attachment(struct radeon_cmd_buffer *cmd, const VkClearAttachment *clear,
                                  const struct vk_meta_rectangle *rectangle, uint32_t view_mask)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    bool is_color = clear->aspectMask & VK_IMAGE_ASPECT_COLOR_BIT;
    const struct vk_attachment *attachment = is_color ? &rendering->colors[clear->colorAttachment]
                                             : clear->aspectMask & VK_IMAGE_ASPECT_DEPTH_BIT ? &rendering->depth
                                                                                             : &rendering->stencil;
    if (!attachment->view) /* a secondary command buffer does not know it */
        return false;
    const struct radeon_clear_place place = {
        .view = radeon_image_view_of(attachment->view),
        .layout = attachment->layout,
        .area = rectangle->rect,
        .first_layer = rectangle->first_layer,
        .layers = rectangle->layers,
        .view_mask = view_mask,
    };
    if (!is_color && rendering->rate_view) /* another HTILE is in use (radeon_rates.c) */
        return false;
    if (is_color)
        return radeon_fast_clear_color(cmd, &place, &clear->clearValue.color) ||
               fill_color(cmd, &place, &clear->clearValue.color);
    return radeon_fast_clear_depth(cmd, &place, clear->aspectMask, &clear->clearValue.depthStencil);
}
