/* Copies between memory and tiled images as copies of memory: 16 bytes of a row of elements are neighbours on both
 * sides in most swizzle modes, and where they lie in a tiled image is exclusive ors of what each bit of a coordinate
 * contributes. So a lane moves 16 bytes, whatever an element is, where an image instruction would move one element; a
 * workgroup's 8 by 8 pieces are whole lines of 128 bytes on the one side and whole pieces of 256 on the other. Which
 * piece a lane moves is in a table: neighbours in the workgroup are neighbours where they are written. Not for:
 * images that are compressed at the moment, modes that interleave x and y below 16 bytes (depth, samples) or have small
 * blocks, regions at odd places, which vulkan/meta does by texels. */
#include <string.h>

#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

#define PIECE_B 16u
#define PIECE_LOG2 4u
#define GROUP 8u                  /* pieces of a workgroup along x, and its rows */
#define COORD_BITS 12u            /* no equation looks at more */
#define SMALL_SLICE_B (64u << 10) /* a dispatch for each slice is not worth it below */

struct tiled_push {
    uint32_t extent[3]; /* pieces, rows, 1 */
    uint32_t x, y;      /* of the first element */
    uint32_t memory_lo, memory_hi, memory_row_B;
    uint32_t image_lo, image_hi, block_row_B, block_B, xor_B;
    uint32_t table_lo, table_hi;                 /* struct lane of each invocation */
    uint32_t of_x[COORD_BITS], of_y[COORD_BITS]; /* what a bit of a coordinate contributes to the place in its block */
};
enum {
    TILED_EXTENT = 0,
    TILED_X = 3,
    TILED_Y = 4,
    TILED_MEMORY = 5,
    TILED_MEMORY_ROW = 7,
    TILED_IMAGE = 8,
    TILED_BLOCK_ROW = 10,
    TILED_BLOCK = 11,
    TILED_XOR = 12,
    TILED_TABLE = 13,
    TILED_OF_X = 15,
    TILED_OF_Y = TILED_OF_X + COORD_BITS
};
_Static_assert(sizeof(struct tiled_push) == 4 * (TILED_OF_Y + COORD_BITS), "words of the push constants");

/* What an invocation moves: its place in the workgroup, and what that is on both sides. */
struct lane {
    uint32_t x, y; /* pieces, rows */
    uint32_t memory_B, image_B;
};
_Static_assert(sizeof(struct lane) == PIECE_B, "a load of one invocation");

#define TILED_KEY(element_log2, block_w_log2, block_h_log2, used_x, used_y)                                            \
    ((uint64_t)(used_y) << 32 | (uint64_t)(used_x) << 20 | (uint64_t)(element_log2) << 16 |                            \
     (uint64_t)(block_w_log2) << 8 | (block_h_log2))

/* ---- the shader ---- */

struct tiled_copy {
    struct vk_meta_tile tile;
    uint32_t piece_log2; /* elements */
    uint32_t block_w_log2, block_h_log2;
    uint32_t used_x, used_y; /* bits of coordinates that the equation looks at */
    bool to_image;
    struct ir_value *memory_lane_B, *image_lane_B; /* what an invocation adds to its workgroup's place */
    struct ir_value *inside_B, *block_B;           /* of the tile's corner: in its block, and the block */
    struct ir_value *row_va[VK_META_MAX_ROWS];     /* of memory: where a row of workgroups begins */
};

/* `word` where the bit is set, else zero. */
static struct ir_value *if_bit(struct ir_builder *b, struct ir_value *value, uint32_t bit, uint32_t word)
{
    struct ir_value *all = ir_ishr(b, ir_ishl(b, value, ir_const(b, 32, 31 - bit)), ir_const(b, 32, 31));
    return ir_iand(b, all, vk_meta_push(b, word));
}

/* What the bits from `first` on of a coordinate contribute, of those that are used. */
static struct ir_value *contribution(struct ir_builder *b, struct ir_value *sum, struct ir_value *value, uint32_t used,
                                     uint32_t first, uint32_t word)
{
    for (uint32_t bit = first; bit < COORD_BITS; bit++) {
        if (used >> bit & 1)
            sum = ir_ixor(b, sum, if_bit(b, value, bit, word + bit));
    }
    return sum;
}

static void find_corner(struct ir_builder *b, struct tiled_copy *copy)
{
    const struct vk_meta_tile *tile = &copy->tile;
    uint32_t first_x = copy->piece_log2 + log2_floor(GROUP * tile->columns), first_y = log2_floor(GROUP * tile->rows);
    struct ir_value *x = ir_iadd(b, ir_ishl(b, tile->corner[0], ir_const(b, 32, copy->piece_log2)),
                                 vk_meta_push(b, TILED_X)),
                    *y = ir_iadd(b, tile->corner[1], vk_meta_push(b, TILED_Y));
    copy->inside_B = contribution(b, vk_meta_push(b, TILED_XOR), x, copy->used_x, first_x, TILED_OF_X);
    copy->inside_B = contribution(b, copy->inside_B, y, copy->used_y, first_y, TILED_OF_Y);
    struct ir_value *block_x = ir_ushr(b, x, ir_const(b, 32, copy->block_w_log2)),
                    *block_y = ir_ushr(b, y, ir_const(b, 32, copy->block_h_log2));
    copy->block_B = ir_iadd(b, ir_imul(b, block_x, vk_meta_push(b, TILED_BLOCK)),
                            ir_imul(b, block_y, vk_meta_push(b, TILED_BLOCK_ROW)));
}

static void find_lane(struct ir_builder *b, struct tiled_copy *copy)
{
    struct vk_meta_tile *tile = &copy->tile;
    struct ir_value *number = ir_iadd(b, ir_imul(b, tile->local[1], ir_const(b, 32, GROUP)), tile->local[0]),
                    *va = ir_iadd(b, vk_meta_push64(b, TILED_TABLE),
                                  ir_u2u(b, 64, ir_imul(b, number, ir_const(b, 32, sizeof(struct lane))))),
                    *lane = ir_load_global(b, 32, 4, va, 0, sizeof(struct lane), 0, 0);
    tile->local[0] = ir_extract(b, lane, 0);
    tile->local[1] = ir_extract(b, lane, 1);
    copy->memory_lane_B = ir_extract(b, lane, 2);
    copy->image_lane_B = ir_extract(b, lane, 3);
}

static struct ir_value *offset_va(struct ir_builder *b, uint32_t va_word, struct ir_value *offset_B)
{
    struct ir_value *va = vk_meta_push64(b, va_word);
    return ir_iadd(b, va, ir_u2u(b, 64, offset_B));
}

static void find_rows(struct ir_builder *b, struct tiled_copy *copy)
{
    const struct vk_meta_tile *tile = &copy->tile;
    struct ir_value *row_B = vk_meta_push(b, TILED_MEMORY_ROW),
                    *corner_B = ir_iadd(b, ir_imul(b, tile->corner[0], ir_const(b, 32, PIECE_B)),
                                        ir_imul(b, tile->corner[1], row_B)),
                    *step_B = ir_u2u(b, 64, ir_imul(b, row_B, ir_const(b, 32, GROUP)));
    for (uint32_t i = 0; i < tile->rows; i++)
        copy->row_va[i] = i ? ir_iadd(b, copy->row_va[i - 1], step_B) : offset_va(b, TILED_MEMORY, corner_B);
}

static struct ir_value *memory_address(struct ir_builder *b, const struct tiled_copy *copy,
                                       const struct vk_meta_texel *texel)
{
    return ir_iadd(b, copy->row_va[texel->row], ir_u2u(b, 64, copy->memory_lane_B));
}

/* A workgroup's column and row in its tile are bits of x and y that the tile's corner does not have. */
static struct ir_value *image_address(struct ir_builder *b, const struct tiled_copy *copy,
                                      const struct vk_meta_texel *texel)
{
    struct ir_value *inside_B = copy->inside_B, *block_B = copy->block_B;
    const uint32_t group_log2 = log2_floor(GROUP), at[2] = {texel->column, texel->row},
                   first[2] = {TILED_OF_X + copy->piece_log2 + group_log2, TILED_OF_Y + group_log2};
    for (uint32_t axis = 0; axis < 2; axis++) {
        for (uint32_t bit = 0; at[axis] >> bit; bit++) {
            if (at[axis] >> bit & 1)
                inside_B = ir_ixor(b, inside_B, vk_meta_push(b, first[axis] + bit));
        }
    }
    uint32_t blocks_x = texel->column << (copy->piece_log2 + group_log2) >> copy->block_w_log2,
             blocks_y = texel->row << group_log2 >> copy->block_h_log2;
    if (blocks_x)
        block_B = ir_iadd(b, block_B, ir_imul(b, vk_meta_push(b, TILED_BLOCK), ir_const(b, 32, blocks_x)));
    if (blocks_y)
        block_B = ir_iadd(b, block_B, ir_imul(b, vk_meta_push(b, TILED_BLOCK_ROW), ir_const(b, 32, blocks_y)));
    return ir_iadd(b, offset_va(b, TILED_IMAGE, block_B), ir_u2u(b, 64, ir_ixor(b, inside_B, copy->image_lane_B)));
}

#define COLUMN_B(texel) ((texel)->column * GROUP * PIECE_B) /* of memory */

static struct ir_value *read_piece(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel)
{
    const struct tiled_copy *copy = data;
    if (copy->to_image)
        return ir_load_global(b, 32, 4, memory_address(b, copy, texel), COLUMN_B(texel), 4, 0, 0);
    return ir_load_global(b, 32, 4, image_address(b, copy, texel), 0, PIECE_B, 0, 0);
}

static void write_piece(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                        struct ir_value *piece)
{
    const struct tiled_copy *copy = data;
    if (copy->to_image)
        ir_store_global(b, piece, image_address(b, copy, texel), 0, PIECE_B, 0, 0);
    else
        ir_store_global(b, piece, memory_address(b, copy, texel), COLUMN_B(texel), 4, 0, 0);
}

/* What is read has the streams: rows of memory, or an image's blocks. */
static enum vk_meta_layout tile_layout(bool to_image)
{
    return to_image ? VK_META_WIDE : VK_META_TALL;
}

static void build_tiled_copy(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct tiled_copy copy = {
        .piece_log2 = PIECE_LOG2 - (key >> 16 & 0xf),
        .block_w_log2 = key >> 8 & 0xff,
        .block_h_log2 = key & 0xff,
        .used_x = key >> 20 & bits_mask(COORD_BITS),
        .used_y = key >> 32 & bits_mask(COORD_BITS),
        .to_image = key >> 56 == RADEON_META_TILE,
    };
    vk_meta_tile_begin(b, &copy.tile, key, tile_layout(copy.to_image));
    find_corner(b, &copy);
    find_lane(b, &copy);
    find_rows(b, &copy);
    vk_meta_tile_end(b, &copy.tile, TILED_EXTENT, read_piece, write_piece, &copy);
}

/* ---- what can be copied so ---- */

static uint32_t used_bits(const uint32_t of_axis[COORD_BITS])
{
    uint32_t used = 0;
    for (uint32_t bit = 0; bit < COORD_BITS; bit++)
        used |= (uint32_t)(of_axis[bit] != 0) << bit;
    return used;
}

/* Masks of the coordinates' bits. False: 16 bytes are not neighbours in x. */
static bool set_equation(struct tiled_push *push, const struct amd_surface *surface)
{
    uint32_t others = 0;
    for (uint32_t bit = 0; bit < COORD_BITS; bit++) {
        push->of_x[bit] = amd_equation_lut_axis(surface->lut.x, 1u << bit);
        push->of_y[bit] = amd_equation_lut_axis(surface->lut.y, 1u << bit);
        if (bit < PIECE_LOG2 - surface->element_log2) {
            if (push->of_x[bit] != 1u << (surface->element_log2 + bit))
                return false;
        } else {
            others |= push->of_x[bit];
        }
        others |= push->of_y[bit] | amd_equation_lut_axis(surface->lut.z, 1u << bit);
    }
    return !(others & (PIECE_B - 1));
}

/* One bit of a workgroup's coordinates: y above x, and where it leads in the image. */
struct group_bit {
    uint32_t x, y, memory_B, image_B;
};

/* Bits of lane numbers, the lowest first: those of the image's order, or x before y. */
static void order_bits(struct group_bit bits[2 * 3], bool by_image)
{
    for (unsigned i = 1; i < 6; i++) {
        for (unsigned j = i;
             by_image && j &&
             (bits[j].image_B & (0u - bits[j].image_B)) < (bits[j - 1].image_B & (0u - bits[j - 1].image_B));
             j--) {
            const struct group_bit other = bits[j];
            bits[j] = bits[j - 1];
            bits[j - 1] = other;
        }
    }
}

static bool set_table(struct radeon_cmd_buffer *cmd, struct tiled_push *push, uint32_t piece_log2, bool to_image)
{
    struct group_bit bits[6];
    uint64_t va;
    struct lane *lanes = radeon_cmd_upload(cmd, GROUP * GROUP * sizeof(*lanes), sizeof(*lanes), &va);
    if (!lanes)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        bits[i] = (struct group_bit){1u << i, 0, PIECE_B << i, push->of_x[piece_log2 + i]};
        bits[3 + i] = (struct group_bit){0, 1u << i, push->memory_row_B << i, push->of_y[i]};
    }
    order_bits(bits, to_image);
    for (uint32_t n = 0; n < GROUP * GROUP; n++) {
        struct lane lane = {0};
        for (uint32_t i = 0; i < 6; i++) {
            if (!(n >> i & 1))
                continue;
            lane.x |= bits[i].x;
            lane.y |= bits[i].y;
            lane.memory_B += bits[i].memory_B;
            lane.image_B ^= bits[i].image_B;
        }
        lanes[n] = lane;
    }
    push->table_lo = (uint32_t)va;
    push->table_hi = (uint32_t)(va >> 32);
    return true;
}

/* Tiles begin where the bits of their workgroups' coordinates are zero. */
static bool is_aligned(const uint32_t first[3], uint32_t piece, enum vk_meta_layout layout, uint64_t size)
{
    uint32_t columns, rows;
    vk_meta_tile_shape(layout, size, &columns, &rows);
    return first[0] % (piece * GROUP * columns) == 0 && first[1] % (rows * GROUP) == 0;
}

/* A workgroup's lanes differ by their places in one block alone. Tiles of 4 KiB may be narrower. */
static bool is_wide_block(const struct amd_surface *surface)
{
    uint32_t group_log2 = log2_floor(GROUP);
    return surface->block_w_log2 >= PIECE_LOG2 - surface->element_log2 + group_log2 &&
           surface->block_h_log2 >= group_log2;
}

static bool is_plain_image(const struct radeon_image *image)
{
    const VkImageCreateFlags sparse =
        VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
    return image->vk.type != VK_IMAGE_TYPE_1D && image->vk.samples == 1 && !(image->vk.flags & sparse);
}

bool radeon_meta_copy_tiled(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy)
{
    struct amd_surface surface;
    const struct radeon_image *image = radeon_image_of(copy->image.image);
    VkImageAspectFlagBits aspect = copy->image.aspect;
    uint32_t level = copy->image.level;
    const uint32_t *first = copy->image.first, *extent = copy->extent;
    const struct radeon_surface *about = radeon_image_surface_of(image, aspect);
    uint64_t row_B = (uint64_t)copy->row * about->element_B, slice_B = (uint64_t)copy->slice * about->element_B;
    uint32_t piece = PIECE_B / about->element_B;
    if (!is_plain_image(image) || about->swizzle == AMD_SW_LINEAR || level >= about->first_tail_level ||
        extent[0] % piece || (uint64_t)extent[0] * extent[1] * about->element_B < SMALL_SLICE_B ||
        ((copy->va | row_B | slice_B) & 3) || row_B * extent[1] > UINT32_MAX ||
        !radeon_image_surface(cmd->device, image, aspect, &surface) || !is_wide_block(&surface))
        return false;
    const struct amd_surface_level *at = &surface.level[level];
    struct tiled_push push = {
        .extent = {extent[0] / piece, extent[1], 1},
        .x = first[0],
        .y = first[1],
        .memory_row_B = (uint32_t)row_B,
        .block_row_B = (uint32_t)at->row_B,
        .block_B = surface.col_B,
    };
    uint32_t groups[3];
    enum vk_meta_layout layout = tile_layout(copy->to_image);
    uint64_t size = vk_meta_count_tiles(layout, push.extent, groups);
    if (at->row_B * (at->height >> surface.block_h_log2) > UINT32_MAX || !is_aligned(first, piece, layout, size) ||
        !set_equation(&push, &surface) || !set_table(cmd, &push, log2_floor(piece), copy->to_image))
        return false;
    uint64_t key = VK_META_KEY(copy->to_image ? RADEON_META_TILE : RADEON_META_UNTILE,
                               TILED_KEY(surface.element_log2, surface.block_w_log2, surface.block_h_log2,
                                         used_bits(push.of_x), used_bits(push.of_y)) |
                                   size);
    const struct vk_shader *shader = vk_meta_shader(&cmd->vk, key, build_tiled_copy);
    for (uint32_t i = 0; i < extent[2]; i++) {
        uint32_t z = first[2] + i;
        uint64_t slice_offset_B = at->offset_B + (z >> surface.block_d_log2) * surface.layer_B,
                 image_va = radeon_image_surface_va(image, aspect) + slice_offset_B, memory_va = copy->va + i * slice_B;
        push.xor_B = (uint32_t)(amd_tiling_offset(&surface, 0, 0, z, 0, level) - slice_offset_B);
        push.image_lo = (uint32_t)image_va;
        push.image_hi = (uint32_t)(image_va >> 32);
        push.memory_lo = (uint32_t)memory_va;
        push.memory_hi = (uint32_t)(memory_va >> 32);
        radeon_meta_dispatch(cmd, shader, NULL, 0, &push, sizeof(push), groups);
    }
    return true;
}
