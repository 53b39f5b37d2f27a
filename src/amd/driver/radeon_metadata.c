/* Layout transitions: metadata is initialised where contents are lost, and brought to say "plain" where metadata is
 * not used in the next layout. By compute, so that every queue can that may meet metadata in use: a transfer queue
 * never does (radeon_image.c). */
#include "amd/driver/radeon_metadata.h"

#include <string.h>

#include "amd/driver/radeon_dma.h"
#include "amd/driver/radeon_fmask.h"
#include "amd/driver/radeon_meta.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

#define DCC_PLAIN 0xffffffffu
/* Full range of depth, nothing known about stencil, all of it in memory. */
#define HTILE_PLAIN_DEPTH 0xfffc000fu
#define HTILE_PLAIN_DEPTH_STENCIL 0xfffff3ffu

/* ---- plain pixels ---- */

struct expand_push {
    uint32_t extent[3];
    uint32_t first_layer;
};
enum {
    EXPAND_EXTENT = 0,
    EXPAND_LAYER = 3
};

#define EXPAND_KEY(shape, samples) VK_META_KEY(RADEON_META_EXPAND, (uint64_t)(samples) << 8 | (shape))

struct expansion {
    enum vk_meta_shape shape;
    struct ir_value *layer, *sample;
};

static struct ir_value *expand_place(struct ir_builder *b, const struct expansion *e, const struct vk_meta_texel *texel)
{
    struct ir_value *place[4] = {texel->at[0], texel->at[1], e->layer, e->sample};
    return ir_vec(b, e->shape == VK_META_MS ? 4 : 3, place);
}

/* Binding 0 reads through the metadata, binding 1 writes past it. A texel is read and written by one invocation, and
 * the metadata changes only afterwards. */
static struct ir_value *read_through(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel)
{
    const struct expansion *e = data;
    return ir_load_image(b, 32, 4, vk_meta_image(b, 0), expand_place(b, e, texel), ir_const(b, 32, 0),
                         vk_meta_dim(e->shape), true, 0, 0);
}

static void write_past(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                       struct ir_value *value)
{
    const struct expansion *e = data;
    ir_store_image(b, value, vk_meta_image(b, 1), expand_place(b, e, texel), ir_const(b, 32, 0), vk_meta_dim(e->shape),
                   true, 0, 0);
}

/* Of several samples each stands in a layer of its own. */
static void build_expand(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct expansion e = {.shape = key & 0xff};
    uint32_t samples_log2 = log2_floor(key >> 8 & 0xff);
    struct vk_meta_tile tile;
    vk_meta_tile_begin(b, &tile, key, VK_META_SQUARE);
    e.layer = ir_iadd(b, ir_ushr(b, tile.corner[2], ir_const(b, 32, samples_log2)), vk_meta_push(b, EXPAND_LAYER));
    e.sample = ir_iand(b, tile.corner[2], ir_const(b, 32, (1u << samples_log2) - 1));
    vk_meta_tile_end(b, &tile, EXPAND_EXTENT, read_through, write_past, &e);
}

static void expand_level(struct radeon_cmd_buffer *cmd, struct radeon_image *image, VkImageAspectFlags aspect,
                         uint32_t level, uint32_t first_layer, uint32_t layers)
{
    enum vk_meta_shape shape = vk_meta_shape(&image->vk);
    VkFormat format = vk_aspect_format(image->vk.format, aspect);
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = radeon_image_to_handle(image),
        .viewType = vk_meta_view_type(shape),
        /* Codes, not colours: nothing stores sRGB. */
        .format = (VkFormat)format_info((enum format)format)->linear_format,
        .subresourceRange = {aspect, level, 1, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    struct radeon_image_view through, past;
    radeon_image_view_init(cmd->device, &through, &info, NULL);
    radeon_image_view_init(cmd->device, &past, &info,
                           &(const struct radeon_image_view_options){.no_compression = true});
    uint32_t descriptors[2][8];
    memcpy(descriptors[0], through.sampled[0], sizeof(descriptors[0]));
    memcpy(descriptors[1], past.storage[0], sizeof(descriptors[1]));
    VkExtent3D extent = vk_image_level_extent(&image->vk, level);
    const struct expand_push push = {.extent = {extent.width, extent.height, layers * image->vk.samples},
                                     .first_layer = first_layer};
    uint32_t groups[3];
    uint64_t key = EXPAND_KEY(shape, image->vk.samples) | vk_meta_count_tiles(VK_META_SQUARE, push.extent, groups);
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, key, build_expand), descriptors, 2, &push, sizeof(push), groups);
}

/* ---- transitions ---- */

static const struct radeon_image_meta *meta_of(const struct radeon_image *image)
{
    return image->htile.enabled ? &image->htile : image->dcc.enabled ? &image->dcc : NULL;
}

static uint32_t plain_word(const struct radeon_image *image)
{
    if (!image->htile.enabled)
        return DCC_PLAIN;
    return image->has_stencil_surface ? HTILE_PLAIN_DEPTH_STENCIL : HTILE_PLAIN_DEPTH;
}

/* Work in flight to the image or its metadata ends, and is seen by the shaders here. */
static void before(struct radeon_cmd_buffer *cmd, const struct radeon_image *image)
{
    bool is_depth = image->htile.enabled;
    cmd->due |= RADEON_AFTER_COMPUTE | RADEON_FRESH_VECTOR;
    if (!cmd->is_compute)
        cmd->due |= RADEON_AFTER_PIXELS | (is_depth ? RADEON_OUT_ALL_DEPTH : RADEON_OUT_ALL_COLOR);
    if (!image->is_l2_coherent)
        cmd->due |= RADEON_FRESH_L2;
}

static void after(struct radeon_cmd_buffer *cmd, const struct radeon_image *image)
{
    cmd->due |= RADEON_AFTER_COMPUTE | RADEON_FRESH_VECTOR |
                radeon_order_after(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT, image);
}

/* The clear values are loaded into registers with the target, even where no tile is cleared, and memory may hold
 * anything. Any word is a depth, but a stencil has eight bits; that of cleared tiles is 0 in every layer
 * (radeon_fast_clear.c), so that writing 0 takes none away. */
static void initialise_clear_stencil(struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                                     const VkImageSubresourceRange *range)
{
    uint32_t end = MIN2(range->baseMipLevel + vk_image_level_count(&image->vk, range), image->htile.levels);
    for (uint32_t level = range->baseMipLevel; level < end; level++) {
        uint64_t va = image->vk.memory[0].va + image->clear_value_offset_B + 8ull * level;
        if (cmd->is_transfer) {
            radeon_dma_fill(cmd, va, 4, 0);
            continue;
        }
        radeon_cs_reserve(&cmd->cs, 8);
        RADEON_PACKET(&cmd->cs, WRITE_DATA, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true,
                      .ENGINE = cmd->is_compute ? AMD_CP_ENGINE_ME : AMD_CP_ENGINE_PFP, .ADDR = va, .tail_dw = 1);
        radeon_emit(&cmd->cs, 0);
    }
}

void radeon_metadata_initialise(struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                                const VkImageSubresourceRange *range)
{
    before(cmd, image);
    radeon_metadata_fill(cmd, image, meta_of(image), range, plain_word(image), 0);
    after(cmd, image);
    if (image->htile.enabled)
        initialise_clear_stencil(cmd, image, range);
}

void radeon_metadata_expand(struct radeon_cmd_buffer *cmd, struct radeon_image *image,
                            const VkImageSubresourceRange *range)
{
    uint32_t end = MIN2(range->baseMipLevel + vk_image_level_count(&image->vk, range), meta_of(image)->levels);
    uint32_t layers = vk_image_layer_count(&image->vk, range);
    before(cmd, image);
    cmd->due |= RADEON_FRESH_METADATA; /* which the texture unit reads */
    for (uint32_t level = range->baseMipLevel; level < end; level++) {
        for (VkImageAspectFlags left = image->vk.aspects; left; left &= left - 1)
            expand_level(cmd, image, left & (0u - left), level, range->baseArrayLayer, layers);
    }
    after(cmd, image);
    radeon_metadata_fill(cmd, image, meta_of(image), range, plain_word(image), 0);
    after(cmd, image);
}

static bool is_compressed(const struct radeon_image *image, VkImageLayout layout, uint32_t queue_mask)
{
    return image->htile.enabled ? radeon_layout_htile_compressed(image, layout, queue_mask)
                                : radeon_layout_dcc_compressed(image, 0, layout, queue_mask);
}

static void transition(struct radeon_cmd_buffer *cmd, struct radeon_image *image, const VkImageMemoryBarrier2 *barrier)
{
    const VkImageSubresourceRange *range = &barrier->subresourceRange;
    uint32_t family = cmd->family;
    if (barrier->oldLayout == VK_IMAGE_LAYOUT_UNDEFINED || barrier->oldLayout == VK_IMAGE_LAYOUT_PREINITIALIZED) {
        radeon_metadata_initialise(cmd, image, range);
        return;
    }
    bool was = is_compressed(image, barrier->oldLayout,
                             radeon_image_queue_mask(image, barrier->srcQueueFamilyIndex, family)),
         will = is_compressed(image, barrier->newLayout,
                              radeon_image_queue_mask(image, barrier->dstQueueFamilyIndex, family));
    if (was && !will)
        radeon_metadata_expand(cmd, image, range);
    else if (!was && will && image->htile.enabled)
        radeon_metadata_initialise(cmd, image, range); /* the range of depth that it knows is from before */
}

/* A change of layout with a change of owner stands in two barriers, the release and the acquire. It is the general
 * queue's work, and never a transfer queue's, but for a layout that keeps nothing: many programs leave the release of
 * that out. */
static bool is_others_work(const struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *barrier)
{
    uint32_t src = barrier->srcQueueFamilyIndex, dst = barrier->dstQueueFamilyIndex;
    bool has_general = src == RADEON_QUEUE_GENERAL || dst == RADEON_QUEUE_GENERAL;
    return cmd->is_compute && src != dst && (has_general || cmd->is_transfer) &&
           barrier->oldLayout != VK_IMAGE_LAYOUT_UNDEFINED && barrier->oldLayout != VK_IMAGE_LAYOUT_PREINITIALIZED;
}

void radeon_metadata_transition(struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *barrier)
{
    struct radeon_image *image = radeon_image_from_handle(barrier->image);
    const struct radeon_image_meta *meta = meta_of(image);
    if (barrier->oldLayout == barrier->newLayout || is_others_work(cmd, barrier))
        return;
    if (meta && barrier->subresourceRange.baseMipLevel < meta->levels)
        transition(cmd, image, barrier);
    if (image->fmask_enabled) /* of plain fragments */
        radeon_fmask_transition(cmd, barrier);
}
