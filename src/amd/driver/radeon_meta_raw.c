/* Copies of whole levels between images of the same layout: their memory is copied in order, and no texel is looked
 * for. The command processor's DMA does that, unless the pipe and bank bits differ, which are one number for a layer
 * and move pieces of 256 bytes within their block: then it is 16 bytes per lane. Not for: anything else, which
 * vulkan/meta does by texels. */
#include <string.h>

#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

#define PIECE_B 16u /* of a lane */

struct raw_push {
    uint32_t extent[3]; /* pieces of a level; 1; 1 */
    uint32_t swap_B;    /* exclusive or between the places on both sides */
    uint32_t src_lo, src_hi, dst_lo, dst_hi;
};
enum {
    RAW_EXTENT = 0,
    RAW_SWAP = 3,
    RAW_SRC = 4,
    RAW_DST = 6
};

#define GROUP_B (64 * PIECE_B) /* of a workgroup: a column of a tile */

/* A tile is aligned to its size on both sides: a column's place in it, and what of the exclusive or stays in it, go to
 * the lanes' offsets, the rest to the tile's address. */
struct raw_copy {
    struct vk_meta_tile tile;
    uint32_t tile_B;
    struct ir_value *lane_B, *src_va, *dst_va;
};

static struct ir_value *tile_place(struct ir_builder *b, uint32_t va_word, struct ir_value *tile_B)
{
    return ir_iadd(b, vk_meta_push64(b, va_word), ir_u2u(b, 64, tile_B));
}

static struct ir_value *read_piece(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel)
{
    const struct raw_copy *copy = data;
    /* Two workgroups' pieces are in the reach of an instruction's own offset. */
    const uint32_t near_B = texel->column % 2 * GROUP_B, far_B = texel->column / 2 * (2 * GROUP_B);
    struct ir_value *inside_B = ir_ixor(b, copy->lane_B, ir_const(b, 32, far_B));
    return ir_load_global(b, 32, 4, ir_iadd(b, copy->src_va, ir_u2u(b, 64, inside_B)), near_B, PIECE_B, 0, 0);
}

static void write_piece(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                        struct ir_value *piece)
{
    const struct raw_copy *copy = data;
    struct ir_value *swap = ir_iand(b, vk_meta_push(b, RAW_SWAP), ir_const(b, 32, copy->tile_B - 1)),
                    *column = ir_ixor(b, swap, ir_const(b, 32, texel->column * GROUP_B)),
                    *inside_B = ir_ixor(b, copy->lane_B, column);
    ir_store_global(b, piece, ir_iadd(b, copy->dst_va, ir_u2u(b, 64, inside_B)), 0, PIECE_B, 0, 0);
}

static void build_raw_copy(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct raw_copy copy;
    vk_meta_tile_begin(b, &copy.tile, key, VK_META_STREAM);
    copy.tile_B = copy.tile.columns * GROUP_B;
    copy.lane_B = ir_imul(b, copy.tile.local[0], ir_const(b, 32, PIECE_B));
    struct ir_value *tile_B = ir_imul(b, copy.tile.corner[0], ir_const(b, 32, PIECE_B)),
                    *swap = ir_iand(b, vk_meta_push(b, RAW_SWAP), ir_const(b, 32, ~(copy.tile_B - 1)));
    copy.src_va = tile_place(b, RAW_SRC, tile_B);
    copy.dst_va = tile_place(b, RAW_DST, ir_ixor(b, tile_B, swap));
    vk_meta_tile_end(b, &copy.tile, RAW_EXTENT, read_piece, write_piece, &copy);
}

/* ---- what can be copied so ---- */

static bool is_plain_image(const struct radeon_image *image)
{
    const VkImageCreateFlags sparse =
        VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
    return image->vk.type == VK_IMAGE_TYPE_2D && image->vk.samples == 1 && image->plane_count == 1 &&
           image->vk.aspects == VK_IMAGE_ASPECT_COLOR_BIT && !(image->vk.flags & sparse);
}

/* The level has blocks of its own, and the region is all of it. */
static bool is_whole_level(const struct radeon_image *image, const struct vk_meta_side *side, const uint32_t extent[2])
{
    const struct format_info *info = image->vk.format_info;
    VkExtent3D level = vk_image_level_extent(&image->vk, side->level);
    return !side->first[0] && !side->first[1] && side->level < image->planes[0].surface.first_tail_level &&
           extent[0] == div_round_up(level.width, info->block_width) &&
           extent[1] == div_round_up(level.height, info->block_height);
}

static bool are_alike(const struct radeon_surface *src, uint32_t src_level, const struct radeon_surface *dst,
                      uint32_t dst_level)
{
    return src->swizzle == dst->swizzle && src->swizzle != AMD_SW_LINEAR && src->dim == dst->dim &&
           src->element_B == dst->element_B && src->level_pitch[src_level] == dst->level_pitch[dst_level];
}

/* Where a layer's level begins, and the bits that its places are changed by. */
static uint64_t level_of_layer(const struct amd_surface *surface, uint64_t va, uint32_t level, uint32_t layer,
                               uint32_t *bits_out)
{
    uint64_t first_B = surface->level[level].offset_B + layer * surface->layer_B;
    *bits_out = (uint32_t)(amd_tiling_offset(surface, 0, 0, layer, 0, level) - first_B);
    return va + first_B;
}

bool radeon_meta_copy_raw(struct radeon_cmd_buffer *cmd, const struct vk_meta_image_copy *copy)
{
    const struct radeon_image *src = radeon_image_of(copy->src.image), *dst = radeon_image_of(copy->dst.image);
    uint32_t src_level = copy->src.level, dst_level = copy->dst.level;
    if (!is_plain_image(src) || !is_plain_image(dst) || !is_whole_level(src, &copy->src, copy->extent) ||
        !is_whole_level(dst, &copy->dst, copy->extent) ||
        !are_alike(&src->planes[0].surface, src_level, &dst->planes[0].surface, dst_level))
        return false;
    struct amd_surface from, to;
    if (!radeon_image_surface(cmd->device, src, VK_IMAGE_ASPECT_COLOR_BIT, &from) ||
        !radeon_image_surface(cmd->device, dst, VK_IMAGE_ASPECT_COLOR_BIT, &to))
        return false;
    uint64_t size_B = from.level[src_level].row_B * (from.level[src_level].height >> from.block_h_log2);
    if (size_B != to.level[dst_level].row_B * (to.level[dst_level].height >> to.block_h_log2) || size_B > UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < copy->extent[2]; i++) {
        uint32_t from_bits, to_bits, groups[3];
        uint64_t src_va = level_of_layer(&from, radeon_image_surface_va(src, VK_IMAGE_ASPECT_COLOR_BIT), src_level,
                                         copy->src.first[2] + i, &from_bits),
                 dst_va = level_of_layer(&to, radeon_image_surface_va(dst, VK_IMAGE_ASPECT_COLOR_BIT), dst_level,
                                         copy->dst.first[2] + i, &to_bits);
        if (from_bits == to_bits) {
            radeon_cp_copy(cmd, dst_va, src_va, size_B);
            continue;
        }
        const struct raw_push push = {
            .extent = {(uint32_t)(size_B / PIECE_B), 1, 1},
            .swap_B = from_bits ^ to_bits,
            .src_lo = (uint32_t)src_va,
            .src_hi = (uint32_t)(src_va >> 32),
            .dst_lo = (uint32_t)dst_va,
            .dst_hi = (uint32_t)(dst_va >> 32),
        };
        uint64_t key = VK_META_KEY(RADEON_META_COPY_RAW, vk_meta_count_tiles(VK_META_STREAM, push.extent, groups));
        radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, key, build_raw_copy), NULL, 0, &push, sizeof(push), groups);
    }
    return true;
}
