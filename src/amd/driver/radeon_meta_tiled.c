/* Copies between memory and tiled images as copies of memory: 16 bytes of a row of elements are neighbours on both
 * sides in most swizzle modes, and where they lie in a tiled image is exclusive ors of what each bit of a coordinate
 * contributes. So a lane moves 16 bytes, whatever an element is, where an image instruction would move one element; a
 * workgroup's 8 by 8 pieces are whole lines on both sides. Which piece a lane moves is in a table: neighbours
 * in the workgroup are neighbours where they are written. Not for:
 * images that are compressed at the moment, modes that interleave x and y below 16 bytes (depth, samples) or have small
 * blocks, regions at odd places, which vulkan/meta does by texels. */
#include <assert.h>
#include <string.h>

#include "amd/driver/radeon_meta_tiled.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"

#define SMALL_SLICE_B (64u << 10) /* a dispatch for each slice is not worth it below, */
#define SMALL_COPY_B (16u << 10)  /* and for the only one */
#define MANY_IN_STRIPS 8u         /* an eighth of a picture */

static void build_tiled_copy(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct radeon_tiled_copy copy;
    radeon_tiled_begin(b, &copy, key);
    vk_meta_tile_end(b, &copy.tile, TILED_EXTENT, radeon_tiled_read, radeon_tiled_write, &copy);
}

/* ---- what can be copied so ---- */

static uint32_t used_bits(const uint32_t of_axis[TILED_COORD_BITS])
{
    uint32_t used = 0;
    for (uint32_t bit = 0; bit < TILED_COORD_BITS; bit++)
        used |= (uint32_t)(of_axis[bit] != 0) << bit;
    return used;
}

/* Masks of the coordinates' bits. False: 16 bytes are not neighbours in x. */
static bool set_equation(struct radeon_tiled_push *push, const struct amd_surface *surface)
{
    uint32_t others = 0;
    for (uint32_t bit = 0; bit < TILED_COORD_BITS; bit++) {
        push->of_x[bit] = amd_equation_lut_axis(surface->lut.x, 1u << bit);
        push->of_y[bit] = amd_equation_lut_axis(surface->lut.y, 1u << bit);
        if (bit < TILED_PIECE_LOG2 - surface->element_log2) {
            if (push->of_x[bit] != 1u << (surface->element_log2 + bit))
                return false;
        } else {
            others |= push->of_x[bit];
        }
        others |= push->of_y[bit] | amd_equation_lut_axis(surface->lut.z, 1u << bit);
    }
    return !(others & (TILED_PIECE_B - 1));
}

/* One bit of a workgroup's coordinates: y above x, and where it leads in the image. */
struct group_bit {
    uint32_t x, y, memory_B, image_B;
};

/* Bits of lane numbers, the lowest first: those of the image's order, or x before y. */
static void order_bits(struct group_bit bits[6], bool by_image)
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

/* The table after the lanes, or NULL. */
static void *set_table(struct radeon_cmd_buffer *cmd, struct radeon_tiled_push *push, uint32_t piece_log2,
                       const struct vk_meta_tile_shape *shape, bool to_image, uint32_t more_B)
{
    struct group_bit bits[6];
    uint32_t count = 0;
    uint64_t va;
    struct radeon_tiled_lane *lanes =
        radeon_cmd_upload(cmd, TILED_LANES * sizeof(*lanes) + more_B, sizeof(*lanes), &va);
    if (!lanes)
        return NULL;
    for (uint32_t i = 0; 1u << i < shape->size[0]; i++)
        bits[count++] = (struct group_bit){1u << i, 0, TILED_PIECE_B << i, push->of_x[piece_log2 + i]};
    for (uint32_t i = 0; 1u << i < shape->size[1]; i++)
        bits[count++] = (struct group_bit){0, 1u << i, push->memory_row_B << i, push->of_y[i]};
    assert(1u << count == TILED_LANES);
    order_bits(bits, to_image);
    for (uint32_t n = 0; n < TILED_LANES; n++) {
        struct radeon_tiled_lane lane = {0};
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
    return lanes + TILED_LANES;
}

/* Tiles begin where the bits of their workgroups' coordinates are zero. */
static bool is_aligned(const uint32_t first[3], uint32_t piece, const struct vk_meta_tile_shape *shape)
{
    return first[0] % (piece * shape->size[0] * shape->columns) == 0 && first[1] % (shape->rows * shape->size[1]) == 0;
}

/* A workgroup's lanes differ by their places in one block alone. Tiles of 4 KiB may be narrower. */
static bool is_wide_block(const struct amd_surface *surface, const struct vk_meta_tile_shape *shape)
{
    return 1u << surface->block_w_log2 >= (TILED_PIECE_B >> surface->element_log2) * shape->size[0] &&
           1u << surface->block_h_log2 >= shape->size[1];
}

static bool is_plain_image(const struct radeon_image *image)
{
    const VkImageCreateFlags sparse =
        VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
    return image->vk.type != VK_IMAGE_TYPE_1D && image->vk.samples == 1 && !(image->vk.flags & sparse);
}

static void whole_of(const struct vk_meta_memory_copy *copy, uint32_t piece, const struct vk_meta_tile_shape *shape,
                     uint32_t whole_out[2])
{
    const uint32_t tile[2] = {shape->columns * shape->size[0] * piece, shape->rows * shape->size[1]};
    for (uint32_t axis = 0; axis < 2; axis++)
        whole_out[axis] = copy->extent[axis] / tile[axis] * tile[axis];
}

/* The part of a copy that is whole tiles; the rest is strips at its right and its lower edge. Where large tiles would
 * leave much to the strips, whose every workgroup asks where it is, small ones do; what metadata is read with has large
 * ones alone. False: there is none. */
static bool split_copy(const struct vk_meta_memory_copy *copy, uint32_t piece, struct vk_meta_memory_copy parts[3])
{
    enum vk_meta_layout layout = radeon_tiled_layout(copy->to_image);
    const bool through_dcc = copy->image.read_format != VK_FORMAT_UNDEFINED;
    const uint64_t size = (uint64_t)copy->extent[0] * copy->extent[1];
    uint32_t whole[2], groups[3];
    whole_of(copy, piece, vk_meta_tile_shape(layout, VK_META_WHOLE), whole);
    if (through_dcc &&
        vk_meta_count_tiles(layout, (const uint32_t[3]){whole[0] / piece, whole[1], 1}, groups) != VK_META_WHOLE)
        return false;
    if (!through_dcc && (uint64_t)whole[0] * whole[1] < size / MANY_IN_STRIPS * (MANY_IN_STRIPS - 1))
        whole_of(copy, piece, vk_meta_tile_shape(layout, VK_META_NARROW), whole);
    if ((whole[0] == copy->extent[0] && whole[1] == copy->extent[1]) || !whole[0] || !whole[1])
        return false;
    const uint32_t element_B = copy->image.element_B;
    parts[0] = parts[1] = parts[2] = *copy;
    parts[0].extent[0] = parts[2].extent[0] = whole[0];
    parts[0].extent[1] = whole[1];
    parts[1].extent[0] -= whole[0];
    parts[1].image.first[0] += whole[0];
    parts[1].va += (uint64_t)whole[0] * element_B;
    parts[2].extent[1] -= whole[1];
    parts[2].image.first[1] += whole[1];
    parts[2].va += (uint64_t)whole[1] * copy->row * element_B;
    return true;
}

static bool copy_tiles(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy)
{
    struct amd_surface surface;
    const struct radeon_image *image = radeon_image_of(copy->image.image);
    VkImageAspectFlagBits aspect = copy->image.aspect;
    uint32_t level = copy->image.level;
    const uint32_t *first = copy->image.first, *extent = copy->extent;
    const struct radeon_surface *about = radeon_image_surface_of(image, aspect);
    uint64_t row_B = (uint64_t)copy->row * about->element_B, slice_B = (uint64_t)copy->slice * about->element_B;
    uint32_t piece = TILED_PIECE_B / about->element_B;
    if (extent[0] % piece ||
        (uint64_t)extent[0] * extent[1] * about->element_B < (extent[2] > 1 ? SMALL_SLICE_B : SMALL_COPY_B) ||
        ((copy->va | row_B | slice_B) & 3) || row_B * extent[1] > UINT32_MAX ||
        !radeon_image_surface(cmd->device, image, aspect, &surface))
        return false;
    const struct amd_surface_level *at = &surface.level[level];
    struct radeon_dcc_push push = {.tiled = {
                                       .extent = {extent[0] / piece, extent[1], 1},
                                       .x = first[0],
                                       .y = first[1],
                                       .memory_row_B = (uint32_t)row_B,
                                       .block_row_B = (uint32_t)at->row_B,
                                       .block_B = surface.col_B,
                                   }};
    struct radeon_tiled_push *tiled = &push.tiled;
    uint32_t groups[3], descriptors[1][8];
    enum vk_meta_layout layout = radeon_tiled_layout(copy->to_image);
    uint64_t size = vk_meta_count_tiles(layout, tiled->extent, groups);
    if (!size && is_aligned(first, piece, vk_meta_tile_shape(layout, VK_META_NARROW)))
        size = vk_meta_count_narrow(layout, tiled->extent, groups);
    const struct vk_meta_tile_shape *shape = vk_meta_tile_shape(layout, size);
    bool through_dcc = copy->image.read_format != VK_FORMAT_UNDEFINED;
    if (at->row_B * (at->height >> surface.block_h_log2) > UINT32_MAX || !is_aligned(first, piece, shape) ||
        !is_wide_block(&surface, shape) || (through_dcc && size != VK_META_WHOLE) || !set_equation(tiled, &surface))
        return false;
    void *more = set_table(cmd, tiled, log2_floor(piece), shape, copy->to_image, through_dcc ? TILED_DCC_TABLE_B : 0);
    if (!more)
        return false;
    uint64_t key = TILED_KEY(surface.element_log2, surface.block_w_log2, surface.block_h_log2, used_bits(tiled->of_x),
                             used_bits(tiled->of_y)) |
                   size;
    if (through_dcc && !radeon_meta_dcc_set(cmd, copy, &surface, more, &push, &key, descriptors[0]))
        return false;
    const struct vk_shader *shader =
        through_dcc ? vk_meta_shader(&cmd->vk, VK_META_KEY(RADEON_META_UNTILE_DCC, key), radeon_meta_dcc_build)
                    : vk_meta_shader(&cmd->vk, VK_META_KEY(copy->to_image ? RADEON_META_TILE : RADEON_META_UNTILE, key),
                                     build_tiled_copy);
    for (uint32_t i = 0; i < extent[2]; i++) {
        uint32_t z = first[2] + i;
        uint64_t slice_offset_B = at->offset_B + (z >> surface.block_d_log2) * surface.layer_B,
                 image_va = radeon_image_surface_va(image, aspect) + slice_offset_B, memory_va = copy->va + i * slice_B;
        tiled->xor_B = (uint32_t)(amd_tiling_offset(&surface, 0, 0, z, 0, level) - slice_offset_B);
        tiled->image_lo = (uint32_t)image_va;
        tiled->image_hi = (uint32_t)(image_va >> 32);
        tiled->memory_lo = (uint32_t)memory_va;
        tiled->memory_hi = (uint32_t)(memory_va >> 32);
        if (through_dcc)
            radeon_meta_dcc_set_layer(copy, &surface, z, &push);
        radeon_meta_dispatch(cmd, shader, (const uint32_t(*)[8])descriptors, through_dcc, &push,
                             through_dcc ? sizeof(push) : sizeof(*tiled), groups);
    }
    return true;
}

bool radeon_meta_copy_tiled(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy)
{
    const struct radeon_image *image = radeon_image_of(copy->image.image);
    const struct radeon_surface *about = radeon_image_surface_of(image, copy->image.aspect);
    struct vk_meta_memory_copy parts[3];
    if (!is_plain_image(image) || about->swizzle == AMD_SW_LINEAR || copy->image.level >= about->first_tail_level)
        return false;
    if (!split_copy(copy, TILED_PIECE_B / about->element_B, parts))
        return copy_tiles(cmd, copy);
    if (!copy_tiles(cmd, &parts[0]))
        return copy_tiles(cmd, copy);
    for (uint32_t i = 1; i < 3; i++) {
        if (parts[i].extent[0] && parts[i].extent[1])
            vk_meta_copy_memory(&cmd->vk, &parts[i]);
    }
    return true;
}
