/* The shader of copies between memory and tiled images (radeon_meta_tiled.c): addresses on both sides, and what moves a
 * piece. */
#include "amd/driver/radeon_meta_tiled.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"

/* `word` where the bit is set, else zero. */
static struct ir_value *if_bit(struct ir_builder *b, struct ir_value *value, uint32_t bit, uint32_t word)
{
    struct ir_value *all = ir_ishr(b, ir_ishl(b, value, ir_const(b, 32, 31 - bit)), ir_const(b, 32, 31));
    return ir_iand(b, all, vk_meta_push(b, word));
}

struct ir_value *radeon_tiled_contribution(struct ir_builder *b, struct ir_value *sum, struct ir_value *value,
                                           uint32_t used, uint32_t first, uint32_t word)
{
    for (uint32_t bit = first; bit < TILED_COORD_BITS; bit++) {
        if (used >> bit & 1)
            sum = ir_ixor(b, sum, if_bit(b, value, bit, word + bit));
    }
    return sum;
}

static void find_corner(struct ir_builder *b, struct radeon_tiled_copy *copy)
{
    const struct vk_meta_tile *tile = &copy->tile;
    uint32_t first_x = copy->piece_log2 + log2_floor(tile->size[0] * tile->columns),
             first_y = log2_floor(tile->size[1] * tile->rows);
    struct ir_value *x = ir_iadd(b, ir_ishl(b, tile->corner[0], ir_const(b, 32, copy->piece_log2)),
                                 vk_meta_push(b, TILED_X)),
                    *y = ir_iadd(b, tile->corner[1], vk_meta_push(b, TILED_Y));
    copy->inside_B = radeon_tiled_contribution(b, vk_meta_push(b, TILED_XOR), x, copy->used_x, first_x, TILED_OF_X);
    copy->inside_B = radeon_tiled_contribution(b, copy->inside_B, y, copy->used_y, first_y, TILED_OF_Y);
    struct ir_value *block_x = ir_ushr(b, x, ir_const(b, 32, copy->block_w_log2)),
                    *block_y = ir_ushr(b, y, ir_const(b, 32, copy->block_h_log2));
    copy->block_B = ir_iadd(b, ir_imul(b, block_x, vk_meta_push(b, TILED_BLOCK)),
                            ir_imul(b, block_y, vk_meta_push(b, TILED_BLOCK_ROW)));
}

static void find_lane(struct ir_builder *b, struct radeon_tiled_copy *copy)
{
    struct vk_meta_tile *tile = &copy->tile;
    copy->number =
        ir_iadd(b, ir_imul(b, tile->local[1], ir_const(b, 32, b->shader->workgroup_size[0])), tile->local[0]);
    struct ir_value *va = ir_iadd(
                        b, vk_meta_push64(b, TILED_TABLE),
                        ir_u2u(b, 64, ir_imul(b, copy->number, ir_const(b, 32, sizeof(struct radeon_tiled_lane))))),
                    *lane = ir_load_global(b, 32, 4, va, 0, sizeof(struct radeon_tiled_lane), 0, 0);
    tile->local[0] = ir_extract(b, lane, 0);
    tile->local[1] = ir_extract(b, lane, 1);
    copy->memory_lane_B = ir_extract(b, lane, 2);
    copy->image_lane_B = ir_extract(b, lane, 3);
}

struct ir_value *radeon_tiled_va(struct ir_builder *b, uint32_t va_word, struct ir_value *offset_B)
{
    struct ir_value *va = vk_meta_push64(b, va_word);
    return ir_iadd(b, va, ir_u2u(b, 64, offset_B));
}

static void find_rows(struct ir_builder *b, struct radeon_tiled_copy *copy)
{
    const struct vk_meta_tile *tile = &copy->tile;
    struct ir_value *row_B = vk_meta_push(b, TILED_MEMORY_ROW),
                    *corner_B = ir_iadd(b, ir_imul(b, tile->corner[0], ir_const(b, 32, TILED_PIECE_B)),
                                        ir_imul(b, tile->corner[1], row_B)),
                    *step_B = ir_u2u(b, 64, ir_imul(b, row_B, ir_const(b, 32, tile->size[1])));
    for (uint32_t i = 0; i < tile->rows; i++)
        copy->row_va[i] = i ? ir_iadd(b, copy->row_va[i - 1], step_B) : radeon_tiled_va(b, TILED_MEMORY, corner_B);
}

static struct ir_value *memory_address(struct ir_builder *b, const struct radeon_tiled_copy *copy,
                                       const struct vk_meta_texel *texel)
{
    return ir_iadd(b, copy->row_va[texel->row], ir_u2u(b, 64, copy->memory_lane_B));
}

/* A workgroup's column and row in its tile are bits of x and y that the tile's corner does not have. */
static struct ir_value *image_address(struct ir_builder *b, const struct radeon_tiled_copy *copy,
                                      const struct vk_meta_texel *texel)
{
    struct ir_value *inside_B = copy->inside_B, *block_B = copy->block_B;
    const uint32_t group_log2[2] = {log2_floor(copy->tile.size[0]), log2_floor(copy->tile.size[1])},
                   at[2] = {texel->column, texel->row},
                   first[2] = {TILED_OF_X + copy->piece_log2 + group_log2[0], TILED_OF_Y + group_log2[1]};
    for (uint32_t axis = 0; axis < 2; axis++) {
        for (uint32_t bit = 0; at[axis] >> bit; bit++) {
            if (at[axis] >> bit & 1)
                inside_B = ir_ixor(b, inside_B, vk_meta_push(b, first[axis] + bit));
        }
    }
    uint32_t blocks_x = texel->column << (copy->piece_log2 + group_log2[0]) >> copy->block_w_log2,
             blocks_y = texel->row << group_log2[1] >> copy->block_h_log2;
    if (blocks_x)
        block_B = ir_iadd(b, block_B, ir_imul(b, vk_meta_push(b, TILED_BLOCK), ir_const(b, 32, blocks_x)));
    if (blocks_y)
        block_B = ir_iadd(b, block_B, ir_imul(b, vk_meta_push(b, TILED_BLOCK_ROW), ir_const(b, 32, blocks_y)));
    return ir_iadd(b, radeon_tiled_va(b, TILED_IMAGE, block_B),
                   ir_u2u(b, 64, ir_ixor(b, inside_B, copy->image_lane_B)));
}

#define COLUMN_B(copy, texel) ((texel)->column * (copy)->tile.size[0] * TILED_PIECE_B) /* of memory */

struct ir_value *radeon_tiled_read(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel)
{
    const struct radeon_tiled_copy *copy = data;
    if (copy->to_image)
        return ir_load_global(b, 32, 4, memory_address(b, copy, texel), COLUMN_B(copy, texel), 4, 0, 0);
    return ir_load_global(b, 32, 4, image_address(b, copy, texel), 0, TILED_PIECE_B, 0, 0);
}

void radeon_tiled_write(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                        struct ir_value *piece)
{
    const struct radeon_tiled_copy *copy = data;
    if (copy->to_image)
        ir_store_global(b, piece, image_address(b, copy, texel), 0, TILED_PIECE_B, 0, 0);
    else
        ir_store_global(b, piece, memory_address(b, copy, texel), COLUMN_B(copy, texel), 4, 0, 0);
}

void radeon_tiled_begin(struct ir_builder *b, struct radeon_tiled_copy *copy, uint64_t key)
{
    *copy = (struct radeon_tiled_copy){
        .piece_log2 = TILED_PIECE_LOG2 - (key >> 16 & 0xf),
        .block_w_log2 = key >> 8 & 0xff,
        .block_h_log2 = key & 0xff,
        .used_x = key >> 20 & bits_mask(TILED_COORD_BITS),
        .used_y = key >> 32 & bits_mask(TILED_COORD_BITS),
        .to_image = key >> 56 == RADEON_META_TILE,
    };
    vk_meta_tile_begin(b, &copy->tile, key, radeon_tiled_layout(copy->to_image));
    find_corner(b, copy);
    find_lane(b, copy);
    find_rows(b, copy);
}
