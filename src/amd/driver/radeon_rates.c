/* Attachments with shading rates. On GFX10.3 the rates of blocks of 8 by 8 pixels are bits of HTILE. A rendering with
 * such an attachment has an HTILE of its own, of the recording's memory, whatever its depth buffer is, and where there
 * is none, one of a depth buffer that nothing reads or writes: a dispatch before its first draw fills it with words
 * that know nothing of depth, and the rates. Depth is not compressed there, and its own HTILE says so before. */
#include "amd/driver/radeon_rates.h"

#include <stddef.h>

#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_meta_tiled.h"
#include "amd/driver/radeon_metadata.h"
#include "amd/hw/enums.h"
#include "amd/hw/regs_db.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

/* The whole range of depth, nothing known about stencil, all of it in memory, 1 by 1. */
#define HTILE_PLAIN_RATES 0xfffff33fu
enum {
    RATE_X_SHIFT = 6,
    RATE_Y_SHIFT = 10,
    MAX_LOG2 = 1,
};

/* ---- from the attachment to HTILE ---- */

struct rates_push {
    uint32_t extent[3];      /* blocks of 8 by 8 pixels; layers */
    uint32_t first[2];       /* block */
    uint32_t texel_log2[2];  /* of the attachment: blocks */
    uint32_t layer;          /* of the attachment */
    uint32_t tail[2];        /* pixels, in a block that levels share */
    uint32_t va_lo, va_hi;   /* of the level in the first layer */
    uint32_t slice_B, row_B; /* from layer to layer, from one row of blocks of metadata to the next */
    uint32_t block_w_log2, block_h_log2, block_log2;
    uint32_t xor_B;
    uint32_t of_x[TILED_COORD_BITS], of_y[TILED_COORD_BITS]; /* what a bit of a coordinate contributes */
};
_Static_assert(sizeof(struct rates_push) <= RADEON_MAX_PUSH_B, "push constants");
#define PUSH(name) ((uint32_t)offsetof(struct rates_push, name) / 4)

#define BLOCK_BITS 0xff8u /* of coordinates: those above what a word describes */

static struct ir_value *word_va(struct ir_builder *b, struct ir_value *const at[2], struct ir_value *layer)
{
    struct ir_value *x = ir_iadd(b, at[0], vk_meta_push(b, PUSH(tail))),
                    *y = ir_iadd(b, at[1], vk_meta_push(b, PUSH(tail) + 1));
    struct ir_value *inside_B =
        radeon_tiled_contribution(b, vk_meta_push(b, PUSH(xor_B)), x, BLOCK_BITS, 0, PUSH(of_x));
    inside_B = radeon_tiled_contribution(b, inside_B, y, BLOCK_BITS, 0, PUSH(of_y));
    struct ir_value *block_x = ir_ushr(b, at[0], vk_meta_push(b, PUSH(block_w_log2))),
                    *block_y = ir_ushr(b, at[1], vk_meta_push(b, PUSH(block_h_log2))),
                    *block_B = ir_iadd(b, ir_ishl(b, block_x, vk_meta_push(b, PUSH(block_log2))),
                                       ir_imul(b, block_y, vk_meta_push(b, PUSH(row_B)))),
                    *slice_B = ir_imul(b, layer, vk_meta_push(b, PUSH(slice_B)));
    return ir_iadd(b, vk_meta_push64(b, PUSH(va_lo)),
                   ir_u2u(b, 64, ir_iadd(b, slice_B, ir_iadd(b, block_B, inside_B))));
}

/* A logarithm of the attachment's, which may be larger than what there is. */
static struct ir_value *log2_of(struct ir_builder *b, struct ir_value *code, unsigned shift)
{
    struct ir_value *field = ir_iand(b, ir_ushr(b, code, ir_const(b, 32, shift)), ir_const(b, 32, 3));
    return ir_umin(b, field, ir_const(b, 32, MAX_LOG2));
}

static void build_rates(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)key, (void)ops;
    struct ir_value *ids[3], *block[2], *pixel[2], *place[3];
    vk_meta_workgroup(b->shader, false);
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, vk_meta_in_bounds(b, ids, PUSH(extent)));
    for (unsigned i = 0; i < 2; i++) {
        block[i] = ir_iadd(b, ids[i], vk_meta_push(b, PUSH(first) + i));
        pixel[i] = ir_ishl(b, block[i], ir_const(b, 32, 3));
        place[i] = ir_ushr(b, block[i], vk_meta_push(b, PUSH(texel_log2) + i));
    }
    place[2] = vk_meta_push(b, PUSH(layer));
    struct ir_value *code = ir_extract(b, vk_meta_load(b, 0, VK_META_2D, ir_vec(b, 3, place)), 0),
                    *x = ir_ishl(b, log2_of(b, code, 2), ir_const(b, 32, RATE_X_SHIFT)),
                    *y = ir_ishl(b, log2_of(b, code, 0), ir_const(b, 32, RATE_Y_SHIFT)),
                    *word = ir_ior(b, ir_const(b, 32, HTILE_PLAIN_RATES), ir_ior(b, x, y));
    ir_store_global(b, word, word_va(b, pixel, ids[2]), 0, 4, 0, 0);
    ir_builder_pop_if(b);
}

static void set_equation(struct rates_push *push, const struct amd_meta *meta, uint32_t level)
{
    const struct amd_meta_level *at = &meta->level[level];
    push->tail[0] = at->tail_x;
    push->tail[1] = at->tail_y;
    push->slice_B = meta->slice_B;
    push->row_B = at->pitch_blocks << meta->block_log2;
    push->block_w_log2 = meta->block_w_log2;
    push->block_h_log2 = meta->block_h_log2;
    push->block_log2 = meta->block_log2;
    push->xor_B = meta->xor_B;
    for (unsigned bit = 0; bit < TILED_COORD_BITS; bit++) { /* the equation counts in units of 4 bits */
        push->of_x[bit] = amd_equation_lut_axis(meta->lut.x, 1u << bit) >> 1;
        push->of_y[bit] = amd_equation_lut_axis(meta->lut.y, 1u << bit) >> 1;
    }
}

/* The dispatch's target: blocks that the render area touches, of some layers. */
struct place {
    struct amd_meta meta;
    uint64_t va;
    uint32_t level, first_layer, layers;
};

static void copy_rates(struct radeon_cmd_buffer *cmd, const struct place *place)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct vk_image_view *rates = rendering->rate_view;
    const VkRect2D *area = &rendering->area;
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = radeon_image_to_handle(radeon_image_of(rates->image)),
        .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = rates->format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, rates->base_level, 1, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    struct radeon_image_view view;
    radeon_image_view_init(cmd->device, &view, &info, NULL);
    uint64_t va =
        place->va + place->meta.level[place->level].offset_B + (uint64_t)place->first_layer * place->meta.slice_B;
    struct rates_push push = {.va_lo = (uint32_t)va, .va_hi = (uint32_t)(va >> 32), .layer = rates->base_layer};
    const uint32_t x = (uint32_t)MAX2(area->offset.x, 0), y = (uint32_t)MAX2(area->offset.y, 0);
    push.first[0] = x / 8;
    push.first[1] = y / 8;
    push.extent[0] = (uint32_t)div_round_up(x + area->extent.width, 8) - push.first[0];
    push.extent[1] = (uint32_t)div_round_up(y + area->extent.height, 8) - push.first[1];
    push.extent[2] = place->layers;
    push.texel_log2[0] = log2_floor(MAX2(rendering->rate_texel.width / 8, 1u));
    push.texel_log2[1] = log2_floor(MAX2(rendering->rate_texel.height / 8, 1u));
    set_equation(&push, &place->meta, place->level);
    uint32_t groups[3];
    vk_meta_count_groups(false, push.extent, groups);
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, VK_META_KEY(RADEON_META_RATES, 0), build_rates),
                         (const uint32_t(*)[8])view.sampled, 1, &push, sizeof(push), groups);
}

/* ---- the depth target ---- */

static uint32_t layers_of(const struct vk_rendering *rendering)
{
    return rendering->view_mask ? log2_floor(rendering->view_mask) + 1u : rendering->layers;
}

/* Without depth a surface of one layer, which all layers of the colours have in common. */
static bool describe_none(struct radeon_cmd_buffer *cmd, struct place *place, struct radeon_depth_target *target)
{
    const VkRect2D *area = &cmd->vk.rec->rendering.area;
    const struct amd_surface_desc desc = {
        .swizzle = AMD_SW_64KB_Z_X,
        .dim = AMD_DIM_2D,
        .width = (uint32_t)MAX2(area->offset.x, 0) + area->extent.width,
        .height = (uint32_t)MAX2(area->offset.y, 0) + area->extent.height,
        .slices = 1,
        .block_w = 1,
        .block_h = 1,
        .element_B = 2,
        .samples = 1,
        .levels = 1,
    };
    struct amd_surface surface;
    if (!amd_surface_init(&surface, &cmd->device->physical->tiling, &desc) ||
        !amd_meta_init(&place->meta, AMD_META_HTILE, &surface, true))
        return false;
    place->layers = 1;
    *target = (struct radeon_depth_target){
        .z_info = AMD_PACK(RADEON_GFX, DB_Z_INFO, .FORMAT = AMD_Z_FORMAT_16, .SW_MODE = (uint8_t)desc.swizzle,
                           .ZRANGE_PRECISION = true),
        .stencil_info = AMD_PACK(RADEON_GFX, DB_STENCIL_INFO, .FORMAT = AMD_STENCIL_FORMAT_INVALID),
        .depth_size = AMD_PACK(RADEON_GFX, DB_DEPTH_SIZE_XY, .X_MAX = desc.width - 1, .Y_MAX = desc.height - 1),
    };
    return true;
}

static bool describe_rates(struct radeon_cmd_buffer *cmd, const struct radeon_image_view *view, struct place *place,
                           struct radeon_depth_target *target)
{
    const struct radeon_image *image = view->image;
    const VkImageAspectFlags depth = VK_IMAGE_ASPECT_DEPTH_BIT;
    struct amd_surface surface;
    if (!radeon_image_surface(cmd->device, image, image->vk.aspects & depth ? depth : VK_IMAGE_ASPECT_STENCIL_BIT,
                              &surface) ||
        !amd_meta_init(&place->meta, AMD_META_HTILE, &surface, true))
        return false;
    place->level = view->vk.base_level;
    place->first_layer = view->vk.base_layer;
    place->layers = MIN2(layers_of(&cmd->vk.rec->rendering), view->vk.layer_count);
    *target = view->depth;
    return true;
}

/* Its own HTILE, where that is in use, is to say that memory has all of it: nothing looks at it until the rendering's
 * end. */
static void expand_depth(struct radeon_cmd_buffer *cmd, const struct vk_attachment *any)
{
    const struct radeon_image_view *view = radeon_image_view_of(any->view);
    struct radeon_image *image = view->image;
    const uint32_t queue_mask = radeon_image_queue_mask(image, VK_QUEUE_FAMILY_IGNORED, RADEON_QUEUE_GENERAL);
    if (radeon_htile_enabled(image, view->vk.base_level) &&
        radeon_layout_htile_compressed(image, any->layout, queue_mask))
        radeon_metadata_expand(cmd, image,
                               &(const VkImageSubresourceRange){view->vk.aspects, view->vk.base_level, 1,
                                                                view->vk.base_layer, view->vk.layer_count});
}

static bool find_memory(struct radeon_cmd_buffer *cmd, struct place *place)
{
    if (vk_upload_alloc(&cmd->local, (uint32_t)place->meta.size_B, place->meta.align_B, &place->va))
        return true;
    vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return false;
}

void radeon_rates_begin(struct radeon_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const struct vk_attachment *any = rendering->depth.view ? &rendering->depth : &rendering->stencil;
    const struct radeon_image *rates = radeon_image_of(rendering->rate_view->image);
    struct radeon_depth_target *target = &cmd->graphics->rates;
    struct place place = {0};
    if (any->view)
        expand_depth(cmd, any);
    const bool is_known = any->view ? describe_rates(cmd, radeon_image_view_of(any->view), &place, target)
                                    : describe_none(cmd, &place, target);
    if (!is_known || !find_memory(cmd, &place)) {
        cmd->vk.rec->rendering.rate_view = NULL; /* 1 by 1 */
        return;
    }
    cmd->due |= RADEON_AFTER_PIXELS | RADEON_AFTER_COMPUTE | RADEON_FRESH_VECTOR | RADEON_OUT_ALL_DEPTH;
    if (!rates->is_l2_coherent)
        cmd->due |= RADEON_FRESH_L2;
    copy_rates(cmd, &place);
    cmd->due |= RADEON_AFTER_COMPUTE |
                radeon_order_after(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT, NULL);
    radeon_depth_target_set_rates(target, any->view ? any->view->image->samples : 1, place.va);
}
