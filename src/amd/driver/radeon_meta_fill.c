/* Clears of images as fills of memory: where every texel gets the same bits, its place does not matter, and a level's
 * blocks are filled in the order of memory: by the command processor's DMA where they are one word again and again, as
 * buffers are, and 16 bytes a lane where they are not. Not for: images that are compressed in their layout, which
 * plain bits would contradict; levels that share a block with others; volumes; linear images, whose rows may have other
 * things between them. Those vulkan/meta draws. */
#include <string.h>

#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

#define PIECE_B 16u /* of a lane */
#define GROUP_B (64 * PIECE_B)
#define MAX_FILL_B (1ull << 31) /* of a dispatch */

struct memory_push {
    uint32_t extent[3]; /* pieces; 1; 1 */
    uint32_t words[4];
    uint32_t va_lo, va_hi;
};
enum {
    MEMORY_EXTENT = 0,
    MEMORY_WORDS = 3,
    MEMORY_VA = 7
};

static void repeat_element(const uint32_t words[4], uint32_t element_B, uint32_t words_out[4])
{
    for (uint32_t at_B = 0; at_B < PIECE_B; at_B += element_B)
        memcpy((uint8_t *)words_out + at_B, words, element_B);
}

/* The range that a workgroup fills, and singles, too. */
struct memory_fill {
    struct vk_meta_tile tile;
    struct ir_value *piece, *lane_B;
    struct ir_value *va; /* of its first column: those of the others are that and a number */
};

static struct ir_value *workgroup_va(struct ir_builder *b, const struct vk_meta_tile *tile, uint32_t each_B)
{
    struct ir_value *group_B = ir_imul(b, tile->corner[0], ir_const(b, 32, each_B));
    return ir_iadd(b, vk_meta_push64(b, MEMORY_VA), ir_u2u(b, 64, group_B));
}

static void write_piece(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                        struct ir_value *value)
{
    (void)value;
    const struct memory_fill *fill = data;
    /* Two workgroups' pieces are in the reach of an instruction's own offset. */
    const uint32_t near_B = texel->column % 2 * GROUP_B, far_B = texel->column / 2 * (2 * GROUP_B);
    struct ir_value *va = ir_iadd(b, fill->va, ir_const(b, 64, far_B));
    ir_store_global(b, fill->piece, ir_iadd(b, va, ir_u2u(b, 64, fill->lane_B)), near_B, PIECE_B, 0, 0);
}

static void build_memory_fill(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct memory_fill fill;
    struct ir_value *words[4];
    vk_meta_tile_begin(b, &fill.tile, key, VK_META_STREAM);
    fill.lane_B = ir_imul(b, fill.tile.local[0], ir_const(b, 32, PIECE_B));
    fill.va = workgroup_va(b, &fill.tile, PIECE_B);
    for (uint32_t i = 0; i < 4; i++)
        words[i] = vk_meta_push(b, MEMORY_WORDS + i);
    fill.piece = ir_vec(b, 4, words);
    vk_meta_tile_end(b, &fill.tile, MEMORY_EXTENT, NULL, write_piece, &fill);
}

static void fill_memory(struct radeon_cmd_buffer *cmd, uint64_t va, uint64_t size_B, const uint32_t words[4])
{
    if (words[0] == words[1] && words[0] == words[2] && words[0] == words[3]) {
        radeon_cp_fill(cmd, va, size_B, words[0]);
        return;
    }
    for (uint64_t left_B = size_B; left_B;) {
        uint64_t some_B = MIN2(left_B, MAX_FILL_B);
        const struct memory_push push = {
            .extent = {(uint32_t)(some_B / PIECE_B), 1, 1},
            .words = {words[0], words[1], words[2], words[3]},
            .va_lo = (uint32_t)va,
            .va_hi = (uint32_t)(va >> 32),
        };
        uint32_t groups[3];
        uint64_t key = VK_META_KEY(RADEON_META_FILL_MEMORY, vk_meta_count_tiles(VK_META_STREAM, push.extent, groups));
        radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, key, build_memory_fill), NULL, 0, &push, sizeof(push),
                             groups);
        va += some_B;
        left_B -= some_B;
    }
}

/* ---- the first elements of every 256 bytes ---- */

/* One would do, but a line of memory that is written as a whole need not be read before. */
#define SINGLE_B 256u
#define LINE_PIECES 4u

static void write_single(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                         struct ir_value *value)
{
    (void)value;
    const struct memory_fill *singles = data;
    const uint64_t column_B = (uint64_t)texel->column * singles->tile.size[0] * (SINGLE_B / LINE_PIECES);
    struct ir_value *va = ir_iadd(b, singles->va, ir_const(b, 64, column_B));
    ir_store_global(b, singles->piece, ir_iadd(b, va, ir_u2u(b, 64, singles->lane_B)), 0, PIECE_B, 0, 0);
}

static void build_singles(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct memory_fill singles;
    struct ir_value *words[4];
    vk_meta_tile_begin(b, &singles.tile, key, VK_META_STREAM);
    struct ir_value *lane = singles.tile.local[0], *in_line = ir_iand(b, lane, ir_const(b, 32, LINE_PIECES - 1));
    singles.lane_B = ir_iadd(b, ir_imul(b, ir_ushr(b, lane, ir_const(b, 32, 2)), ir_const(b, 32, SINGLE_B)),
                             ir_imul(b, in_line, ir_const(b, 32, PIECE_B)));
    singles.va = workgroup_va(b, &singles.tile, SINGLE_B / LINE_PIECES);
    for (uint32_t i = 0; i < 4; i++)
        words[i] = vk_meta_push(b, MEMORY_WORDS + i);
    singles.piece = ir_vec(b, 4, words);
    vk_meta_tile_end(b, &singles.tile, MEMORY_EXTENT, NULL, write_single, &singles);
}

bool radeon_meta_fill_singles(struct radeon_cmd_buffer *cmd, const struct radeon_image *image, uint32_t level,
                              const uint32_t words[4])
{
    const struct radeon_surface *about = &image->planes[0].surface;
    struct amd_surface surface;
    if (image->vk.samples > 1 || image->vk.type != VK_IMAGE_TYPE_2D || level >= about->first_tail_level ||
        !radeon_image_surface(cmd->device, image, VK_IMAGE_ASPECT_COLOR_BIT, &surface))
        return false;
    const struct amd_surface_level *at = &surface.level[level];
    uint64_t size_B = at->row_B * (at->height >> surface.block_h_log2);
    if (size_B >= MAX_FILL_B)
        return false;
    uint32_t piece[4];
    repeat_element(words, about->element_B, piece);
    for (uint32_t layer = 0; layer < image->vk.layers; layer++) {
        uint64_t va =
            radeon_image_surface_va(image, VK_IMAGE_ASPECT_COLOR_BIT) + at->offset_B + layer * surface.layer_B;
        const struct memory_push push = {
            .extent = {(uint32_t)(size_B / SINGLE_B) * LINE_PIECES, 1, 1},
            .words = {piece[0], piece[1], piece[2], piece[3]},
            .va_lo = (uint32_t)va,
            .va_hi = (uint32_t)(va >> 32),
        };
        uint32_t groups[3];
        uint64_t key = VK_META_KEY(RADEON_META_FILL_SINGLES, vk_meta_count_tiles(VK_META_STREAM, push.extent, groups));
        radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, key, build_singles), NULL, 0, &push, sizeof(push), groups);
    }
    return true;
}

/* ---- what can be filled so ---- */

static bool is_plain(const struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                     const struct vk_meta_fill *fill)
{
    const VkImageCreateFlags sparse =
        VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
    uint32_t queue_mask = radeon_image_queue_mask(image, VK_QUEUE_FAMILY_IGNORED, cmd->family);
    return image->vk.type == VK_IMAGE_TYPE_2D && image->plane_count == 1 &&
           image->vk.aspects == VK_IMAGE_ASPECT_COLOR_BIT && !(image->vk.flags & sparse) &&
           !radeon_layout_dcc_compressed(image, fill->level, fill->layout, queue_mask) &&
           !radeon_layout_fmask_compressed(image, fill->layout, queue_mask);
}

bool radeon_meta_fill_memory(struct radeon_cmd_buffer *cmd, const struct vk_meta_fill *fill)
{
    const struct radeon_image *image = radeon_image_of(fill->image);
    const struct radeon_surface *about = &image->planes[0].surface;
    struct amd_surface surface;
    uint32_t words[4];
    if (about->swizzle == AMD_SW_LINEAR || fill->level >= about->first_tail_level || !is_plain(cmd, image, fill) ||
        !radeon_image_surface(cmd->device, image, VK_IMAGE_ASPECT_COLOR_BIT, &surface))
        return false;
    repeat_element(fill->words, fill->element_B, words);
    const struct amd_surface_level *level = &surface.level[fill->level];
    uint64_t va = radeon_image_surface_va(image, VK_IMAGE_ASPECT_COLOR_BIT) + level->offset_B +
                  fill->first_layer * surface.layer_B,
             size_B = level->row_B * (level->height >> surface.block_h_log2);
    if (size_B == surface.layer_B) { /* one level: layers follow each other */
        fill_memory(cmd, va, size_B * fill->extent[2], words);
        return true;
    }
    for (uint32_t i = 0; i < fill->extent[2]; i++)
        fill_memory(cmd, va + i * surface.layer_B, size_B, words);
    return true;
}
