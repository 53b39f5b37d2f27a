/* Copies of images as memory: where an element lies is arithmetic, linear or U-interleaved, so that a copy needs no
 * view and moves the bytes of any format. Of depth and stencil in one surface each aspect is some bytes of an
 * element. */
#include "mali/driver/copy.h"
#include "compiler/ir/ir_builder.h"
#include "mali/driver/cmd.h"
#include "mali/driver/meta.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

/* ---- the program ---- */

enum {
    SIDE_VA = 0,
    SIDE_SLICE = 2,
    SIDE_ROW = 4,
    SIDE_STRIDE = 5,
    SIDE_FIRST = 6,
    SIDE_WORDS = 8,
};

struct push {
    uint32_t extent[3];
    uint32_t pad; /* pairs are aligned */
    struct mali_copy_side sides[2];
};
enum {
    PUSH_EXTENT = 0,
    PUSH_SIDES = 4,
};

#define KEY(size_B, src_tiled, dst_tiled) ((uint64_t)(size_B) | (uint64_t)(src_tiled) << 8 | (uint64_t)(dst_tiled) << 9)

static struct ir_value *constant(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

/* The lowest four bits at even places. */
static struct ir_value *spread_bits(struct ir_builder *b, struct ir_value *x)
{
    struct ir_value *sum = ir_iand(b, x, constant(b, 1));
    for (uint32_t i = 1; i < 4; i++)
        sum = ir_ior(b, sum, ir_ishl(b, ir_iand(b, x, constant(b, 1u << i)), constant(b, i)));
    return sum;
}

/* Tiles of 16 by 16: the bits of an element's number are x0 ^ y0, y0, x1 ^ y1, y1 … */
static struct ir_value *offset_of(struct ir_builder *b, bool is_tiled, uint32_t word, struct ir_value *x,
                                  struct ir_value *y)
{
    struct ir_value *row = y, *number = x;
    if (is_tiled) {
        struct ir_value *in_x = spread_bits(b, x), *in_y = ir_imul(b, spread_bits(b, y), constant(b, 3));
        row = ir_ushr(b, y, constant(b, 4));
        number = ir_ior(b, ir_ishl(b, ir_ushr(b, x, constant(b, 4)), constant(b, 8)), ir_ixor(b, in_x, in_y));
    }
    return ir_iadd(b, ir_imul(b, row, vk_meta_push(b, word + SIDE_ROW)),
                   ir_imul(b, number, vk_meta_push(b, word + SIDE_STRIDE)));
}

struct ir_value *mali_copy_address(struct ir_builder *b, bool is_tiled, uint32_t word, struct ir_value *const ids[3])
{
    struct ir_value *x = ir_iadd(b, ids[0], vk_meta_push(b, word + SIDE_FIRST)),
                    *y = ir_iadd(b, ids[1], vk_meta_push(b, word + SIDE_FIRST + 1));
    struct ir_value *slice = ir_imul(b, ir_u2u(b, 64, ids[2]), vk_meta_push64(b, word + SIDE_SLICE));
    struct ir_value *offset = ir_u2u(b, 64, offset_of(b, is_tiled, word, x, y));
    return ir_iadd(b, ir_iadd(b, vk_meta_push64(b, word + SIDE_VA), slice), offset);
}

static void build_shader(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    const uint32_t size_B = key & 0xff;
    const uint8_t bits = (uint8_t)(size_B < 4 ? size_B * 8 : 32), comps = (uint8_t)(size_B < 4 ? 1 : size_B / 4);
    struct ir_value *ids[3];
    vk_meta_workgroup(b->shader, false);
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, vk_meta_in_bounds(b, ids, PUSH_EXTENT));
    struct ir_value *value =
        ir_load_global(b, bits, comps, mali_copy_address(b, key >> 8 & 1, PUSH_SIDES, ids), 0, MIN2(size_B, 4u), 0, 0);
    ir_store_global(b, value, mali_copy_address(b, key >> 9 & 1, PUSH_SIDES + SIDE_WORDS, ids), 0, MIN2(size_B, 4u), 0,
                    0);
    ir_builder_pop_if(b);
}

/* ---- sides ---- */

/* Bytes of an element that one dispatch moves. */
struct part {
    uint32_t offset_B, size_B;
};

void mali_copy_set_address(struct mali_copy_side *side, uint64_t va, uint64_t slice_B)
{
    side->va_lo = (uint32_t)va;
    side->va_hi = (uint32_t)(va >> 32);
    side->slice_lo = (uint32_t)slice_B;
    side->slice_hi = (uint32_t)(slice_B >> 32);
}

static bool is_packed(const struct vk_meta_side *side)
{
    return side->image->format == VK_FORMAT_D24_UNORM_S8_UINT;
}

bool mali_copy_is_tiled(const struct vk_meta_side *side)
{
    const struct mali_image *image = (const struct mali_image *)side->image;
    return image->planes[mali_image_plane_index(image, side->aspect)].layout == MALI_LAYOUT_TILED;
}

static void set_part(struct mali_copy_side *out, const struct vk_meta_side *side, uint32_t sample, struct part part)
{
    const struct mali_image *image = (const struct mali_image *)side->image;
    const unsigned plane = mali_image_plane_index(image, side->aspect);
    const struct mali_surface_level *level = &image->planes[plane].surface.levels[side->level];
    const bool is_stencil = is_packed(side) && side->aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
    *out = (struct mali_copy_side){
        .row_B = level->row_B,
        .stride_B = is_packed(side) ? 4 : side->element_B,
        .first = {side->first[0], side->first[1]},
    };
    mali_copy_set_address(out,
                          mali_image_va(image, plane, side->level, side->first[2]) + sample * level->slice_B +
                              (is_stencil ? 3 : 0) + part.offset_B,
                          mali_image_layer_B(image, plane, side->level));
}

void mali_copy_set_image(struct mali_copy_side *out, const struct vk_meta_side *side)
{
    set_part(out, side, 0, (struct part){0, side->element_B});
}

/* Depth beside stencil is three bytes, of which the last is moved alone. */
static uint32_t list_parts(const struct vk_meta_side *side, struct part out[2])
{
    if (is_packed(side) && side->aspect == VK_IMAGE_ASPECT_DEPTH_BIT) {
        out[0] = (struct part){0, 2};
        out[1] = (struct part){2, 1};
        return 2;
    }
    out[0] = (struct part){0, side->element_B};
    return 1;
}

/* ---- copies ---- */

static void copy_pieces(struct vk_command_buffer *cmd, const struct push *push, uint64_t key)
{
    uint32_t groups[3];
    const struct vk_shader *shader = vk_meta_shader(cmd, VK_META_KEY(MALI_META_COPY, key), build_shader);
    vk_meta_count_groups(false, push->extent, groups);
    vk_meta_dispatch(cmd, shader, NULL, 0, push, sizeof(*push), groups);
}

static bool can_copy(const struct vk_meta_side *side)
{
    return is_power_of_two(side->element_B) && side->element_B <= 16;
}

bool mali_copy_memory(struct vk_command_buffer *cmd, const struct vk_meta_memory_copy *info)
{
    const struct vk_meta_side *image = &info->image;
    struct part parts[2];
    if (mali_image_is_compressed((const struct mali_image *)image->image)) {
        mali_copy_compressed_memory(cmd, info);
        return true;
    }
    if (!can_copy(image))
        return false;
    const uint32_t count = list_parts(image, parts);
    for (uint32_t i = 0; i < count; i++) {
        struct push push = {.extent = {info->extent[0], info->extent[1], info->extent[2]}};
        struct mali_copy_side *memory = &push.sides[info->to_image ? 0 : 1];
        *memory = (struct mali_copy_side){.row_B = info->row * image->element_B, .stride_B = image->element_B};
        mali_copy_set_address(memory, info->va + parts[i].offset_B, (uint64_t)info->slice * image->element_B);
        set_part(&push.sides[info->to_image ? 1 : 0], image, 0, parts[i]);
        copy_pieces(cmd, &push,
                    KEY(parts[i].size_B, !info->to_image && mali_copy_is_tiled(image),
                        info->to_image && mali_copy_is_tiled(image)));
    }
    return true;
}

bool mali_copy_image(struct vk_command_buffer *cmd, const struct vk_meta_image_copy *info)
{
    struct part parts[2];
    if (mali_image_is_compressed((const struct mali_image *)info->src.image) ||
        mali_image_is_compressed((const struct mali_image *)info->dst.image)) {
        mali_copy_compressed_image(cmd, info);
        return true;
    }
    if (!can_copy(&info->src) || !can_copy(&info->dst))
        return false;
    const uint32_t count = list_parts(is_packed(&info->dst) ? &info->dst : &info->src, parts);
    for (uint32_t i = 0; i < count * info->src.image->samples; i++) {
        struct push push = {.extent = {info->extent[0], info->extent[1], info->extent[2]}};
        const uint32_t sample = i / count;
        set_part(&push.sides[0], &info->src, sample, parts[i % count]);
        set_part(&push.sides[1], &info->dst, sample, parts[i % count]);
        copy_pieces(cmd, &push,
                    KEY(parts[i % count].size_B, mali_copy_is_tiled(&info->src), mali_copy_is_tiled(&info->dst)));
    }
    return true;
}
