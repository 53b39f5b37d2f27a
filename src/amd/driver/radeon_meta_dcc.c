/* Copies out of images whose DCC is in use. An image instruction asks metadata for every texel; but most blocks of 64
 * KiB are of one kind: their 256 codes all say that memory holds the pixels, or all name one colour. A wave looks at
 * the codes of its block: memory is moved as from any tiled image (radeon_meta_tiled.c), a colour is stored, and only a
 * block of several kinds, or one that the hardware has compressed, is read by image instructions, row by row of
 * squares. Not for: elements of which a tile of radeon_meta_tiled.c is not one block (1, 8 and 16 bytes), edges of an
 * image. */
#include <stddef.h>
#include <string.h>

#include "amd/driver/radeon_meta_tiled.h"
#include "amd/hw/tiling/meta.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"

enum {
    DCC_LAYER = offsetof(struct radeon_dcc_push, layer) / 4,
    DCC_META = offsetof(struct radeon_dcc_push, meta_lo) / 4,
    DCC_META_ROW = offsetof(struct radeon_dcc_push, meta_row_B) / 4,
    DCC_META_XOR = offsetof(struct radeon_dcc_push, meta_xor_B) / 4,
    DCC_BLOCK_W = offsetof(struct radeon_dcc_push, block_w_log2) / 4,
    DCC_BLOCK_H = offsetof(struct radeon_dcc_push, block_h_log2) / 4,
    DCC_BLOCK_LOG2 = offsetof(struct radeon_dcc_push, block_log2) / 4,
    DCC_OF_X = offsetof(struct radeon_dcc_push, of_x) / 4,
    DCC_OF_Y = offsetof(struct radeon_dcc_push, of_y) / 4,
    DCC_COLORS = offsetof(struct radeon_dcc_push, colors) / 4,

    CODE_ZERO = 0x00,
    CODE_SINGLE = 0x10, /* the first element of 256 bytes is the colour of all */
    CODE_PLAIN = 0xff,
    CODES = 4,         /* of an invocation */
    BLOCK_CODES = 256, /* of a block of 64 KiB */

    SQUARE_LOG2 = 3, /* of what a wave loads by an image instruction */
    SQUARE = 1 << SQUARE_LOG2,
    MAX_SQUARES = 32, /* in a block's row */
};
static const uint8_t color_codes[3] = {0x40, 0x80, 0xc0};

/* More of the key: TILED_KEY ends below. */
#define KEY_FORMAT_SHIFT 44 /* struct vk_meta_side::read_format: one of the first 256 */
#define KEY_HAS_COLORS (1ull << 52)

/* After the lanes of radeon_tiled_push::table_lo: for each invocation, what the place of its codes contributes, which
 * are a dword, and where their 256 bytes begin in the block. */
struct code_places {
    uint32_t meta_B, image_B[CODES];
    uint32_t unused[3];
};
_Static_assert(sizeof(struct code_places) * BLOCK_CODES / CODES == TILED_DCC_TABLE_B, "the table's size");

#define PLACES_B (TILED_LANES * sizeof(struct radeon_tiled_lane)) /* in the table */

/* ---- the shader ---- */

struct dcc_copy {
    struct radeon_tiled_copy tiled;
    uint32_t element_B;
    VkFormat format;
    struct ir_value *lane[2];               /* of the invocation in its workgroup, before a table orders them */
    struct ir_value *first[2];              /* element of the tile */
    struct ir_value *meta_B, *meta_block_B; /* of the tile's codes: in their block of metadata, and the block */
    struct ir_value *code;                  /* the first one */
    struct ir_value *places_va;             /* struct code_places, but for PLACES_B */
    struct ir_value *piece;                 /* of a block of one colour */
};

static struct ir_value *word(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

/* Where metadata of the tile is: in its block, what the bits above the tile contribute, and the block. */
static void find_metadata(struct ir_builder *b, struct dcc_copy *copy)
{
    const struct vk_meta_tile *tile = &copy->tiled.tile;
    uint32_t above_x = copy->tiled.block_w_log2, above_y = copy->tiled.block_h_log2;
    struct ir_value *x = ir_iadd(b, ir_ishl(b, tile->corner[0], word(b, copy->tiled.piece_log2)),
                                 vk_meta_push(b, TILED_X)),
                    *y = ir_iadd(b, tile->corner[1], vk_meta_push(b, TILED_Y));
    struct ir_value *inside_B = vk_meta_push(b, DCC_META_XOR);
    for (uint32_t bit = 0; bit < TILED_DCC_BITS; bit++) {
        inside_B = radeon_tiled_contribution(b, inside_B, x, 1u << (above_x + bit), above_x + bit, DCC_OF_X - above_x);
        inside_B = radeon_tiled_contribution(b, inside_B, y, 1u << (above_y + bit), above_y + bit, DCC_OF_Y - above_y);
    }
    struct ir_value *block_x = ir_ishl(b, ir_ushr(b, x, vk_meta_push(b, DCC_BLOCK_W)), vk_meta_push(b, DCC_BLOCK_LOG2)),
                    *block_y = ir_imul(b, ir_ushr(b, y, vk_meta_push(b, DCC_BLOCK_H)), vk_meta_push(b, DCC_META_ROW));
    copy->meta_B = inside_B;
    copy->first[0] = x;
    copy->first[1] = y;
    copy->meta_block_B = ir_iadd(b, block_x, block_y);
}

static struct ir_value *all_lanes_equal(struct ir_builder *b, struct ir_value *const values[CODES],
                                        struct ir_value **first_out)
{
    struct ir_value *first = ir_read_first(b, values[0]), *same = NULL;
    for (uint32_t i = 0; i < CODES; i++) {
        struct ir_value *equal = ir_ieq(b, values[i], first);
        same = same ? ir_iand(b, same, equal) : equal;
    }
    *first_out = first;
    return ir_vote_all(b, same);
}

/* Whether all codes of the block are the same one. */
static struct ir_value *read_codes(struct ir_builder *b, struct dcc_copy *copy)
{
    struct ir_value *offset_B = ir_imul(b, copy->tiled.number, word(b, sizeof(struct code_places)));
    copy->places_va = ir_iadd(b, vk_meta_push64(b, TILED_TABLE), ir_u2u(b, 64, offset_B));
    struct ir_value *place = ir_load_global(b, 32, 1, copy->places_va, PLACES_B, 4, 0, 0),
                    *meta_va = radeon_tiled_va(b, DCC_META, copy->meta_block_B), *at = ir_ixor(b, copy->meta_B, place),
                    *codes = ir_load_global(b, 32, 1, ir_iadd(b, meta_va, ir_u2u(b, 64, at)), 0, 4, 0, 0),
                    *first = ir_read_first(b, codes);
    copy->code = ir_iand(b, first, word(b, 0xff));
    return ir_vote_all(b, ir_ieq(b, codes, ir_imul(b, copy->code, word(b, 0x01010101))));
}

/* A dword of elements that are less. */
static struct ir_value *fill_dword(struct ir_builder *b, const struct dcc_copy *copy, struct ir_value *element)
{
    if (copy->element_B == 4)
        return element;
    return ir_imul(b, ir_iand(b, element, word(b, 0xffff)), word(b, 0x10001));
}

/* Whether the block is one colour, where its codes are one. */
static struct ir_value *read_color(struct ir_builder *b, struct dcc_copy *copy, bool has_colors)
{
    struct ir_value *image_va = radeon_tiled_va(b, TILED_IMAGE, copy->tiled.block_B), *elements[CODES], *single,
                    *places = ir_load_global(b, 32, CODES, copy->places_va,
                                             PLACES_B + offsetof(struct code_places, image_B), 4, 0, 0);
    for (uint32_t i = 0; i < CODES; i++) {
        struct ir_value *at = ir_ixor(b, copy->tiled.inside_B, ir_extract(b, places, i));
        elements[i] =
            fill_dword(b, copy, ir_load_global(b, 32, 1, ir_iadd(b, image_va, ir_u2u(b, 64, at)), 0, 4, 0, 0));
    }
    struct ir_value *is_single = ir_ieq(b, copy->code, word(b, CODE_SINGLE)),
                    *is_color = ir_iand(b, is_single, all_lanes_equal(b, elements, &single));
    struct ir_value *color = ir_select(b, is_single, single, word(b, 0));
    is_color = ir_ior(b, is_color, ir_ieq(b, copy->code, word(b, CODE_ZERO)));
    for (uint32_t i = 0; has_colors && i < ARRAY_SIZE(color_codes); i++) {
        struct ir_value *is_this = ir_ieq(b, copy->code, word(b, color_codes[i]));
        color = ir_select(b, is_this, vk_meta_push(b, DCC_COLORS + i), color);
        is_color = ir_ior(b, is_color, is_this);
    }
    copy->piece = ir_vec(b, 4, (struct ir_value *[]){color, color, color, color});
    return is_color;
}

static void write_color(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                        struct ir_value *value)
{
    (void)value;
    const struct dcc_copy *copy = data;
    radeon_tiled_write(b, &copy->tiled, texel, copy->piece);
}

/* A row of squares of 8 by 8 elements, by image instructions. */
static void copy_squares(struct ir_builder *b, const struct dcc_copy *copy, struct ir_value *row)
{
    enum {
        SQUARE = 8,
        MAX_SQUARES = 32
    };
    const uint32_t count = 1u << (copy->tiled.block_w_log2 - 3);
    struct ir_value *texels[MAX_SQUARES], *y = ir_iadd(b, ir_imul(b, row, word(b, SQUARE)), copy->lane[1]),
                                          *row_B = vk_meta_push(b, TILED_MEMORY_ROW);
    for (uint32_t i = 0; i < count; i++) {
        struct ir_value *at[3] = {
            ir_iadd(b, ir_iadd(b, copy->first[0], word(b, i * SQUARE)), copy->lane[0]),
            ir_iadd(b, copy->first[1], y),
            vk_meta_push(b, DCC_LAYER),
        };
        texels[i] = vk_meta_load(b, 0, VK_META_2D, vk_meta_coordinate(b, VK_META_2D, at, NULL));
    }
    struct ir_value *lane_B = ir_iadd(b, ir_imul(b, y, row_B), ir_imul(b, copy->lane[0], word(b, copy->element_B))),
                    *va = ir_iadd(b, copy->tiled.row_va[0], ir_u2u(b, 64, lane_B));
    for (uint32_t i = 0; i < count; i++) {
        struct ir_value *words[4];
        vk_meta_texel_words(b, texels[i], copy->format, 1, words);
        ir_store_global(b, ir_u2u(b, (uint8_t)(copy->element_B * 8), words[0]), va, i * SQUARE * copy->element_B,
                        copy->element_B, 0, 0);
    }
}

static void copy_by_squares(struct ir_builder *b, const struct dcc_copy *copy)
{
    struct ir_value *none = word(b, 0);
    struct ir_block *before = b->block;
    ir_builder_push_loop(b);
    struct ir_value *row = ir_phi(b, 32, 1);
    copy_squares(b, copy, row);
    struct ir_value *next = ir_iadd(b, row, word(b, 1));
    ir_builder_push_if(b, ir_ieq(b, next, word(b, 1u << (copy->tiled.block_h_log2 - SQUARE_LOG2))));
    ir_jump(b, IR_OP_break);
    ir_builder_pop_if(b);
    ir_builder_push_cont(b);
    struct ir_block *last = b->block;
    ir_builder_pop_loop(b);
    ir_phi_add(b->shader, ir_def_instr(row), before, none);
    ir_phi_add(b->shader, ir_def_instr(row), last, next);
}

void radeon_meta_dcc_build(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct dcc_copy copy = {.element_B = 1u << (key >> 16 & 0xf), .format = (VkFormat)(key >> KEY_FORMAT_SHIFT & 0xff)};
    radeon_tiled_begin(b, &copy.tiled, key);
    struct ir_value *number = copy.tiled.number;
    copy.lane[0] = ir_iand(b, number, word(b, SQUARE - 1));
    copy.lane[1] = ir_ushr(b, number, word(b, SQUARE_LOG2));
    find_metadata(b, &copy);
    struct ir_value *is_same = read_codes(b, &copy);
    ir_builder_push_if(b, ir_iand(b, is_same, ir_ieq(b, copy.code, word(b, CODE_PLAIN))));
    vk_meta_tile_end(b, &copy.tiled.tile, TILED_EXTENT, radeon_tiled_read, radeon_tiled_write, &copy.tiled);
    ir_builder_push_else(b);
    struct ir_value *is_color = read_color(b, &copy, key & KEY_HAS_COLORS);
    ir_builder_push_if(b, ir_iand(b, is_same, is_color));
    vk_meta_tile_end(b, &copy.tiled.tile, TILED_EXTENT, NULL, write_color, &copy);
    ir_builder_push_else(b);
    copy_by_squares(b, &copy);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
}

/* ---- what can be copied so ---- */

/* Colours of zeros and ones as words of memory. False: only alpha or only colours could be meant. */
static bool find_colors(VkFormat format, uint32_t element_B, uint32_t colors[3])
{
    const struct format_info *info = format_info((enum format)format);
    if (info->channel_count != 4)
        return false;
    for (uint32_t i = 0; i < ARRAY_SIZE(color_codes); i++) {
        VkClearColorValue value = {0};
        uint32_t words[4];
        for (uint32_t channel = 0; channel < 4; channel++) {
            const uint32_t component = info->channels[channel].component, bits = info->channels[channel].bits;
            if (component > FORMAT_COMPONENT_A)
                return false;
            if (color_codes[i] & (component == FORMAT_COMPONENT_A ? 0x40 : 0x80))
                value.uint32[component] = (uint32_t)bits_mask(bits - (info->numeric == FORMAT_NUMERIC_SINT));
        }
        if ((info->numeric != FORMAT_NUMERIC_UINT && info->numeric != FORMAT_NUMERIC_SINT) ||
            !vk_meta_pack_color(format, &value, words))
            return false;
        colors[i] = element_B == 4 ? words[0] : (words[0] & 0xffff) * 0x10001;
    }
    return true;
}

/* False: bits that the shader does not look at. */
static bool set_metadata(struct radeon_dcc_push *push, const struct amd_meta *meta, const struct amd_surface *surface)
{
    uint32_t of_x[TILED_COORD_BITS], of_y[TILED_COORD_BITS];
    for (uint32_t bit = 0; bit < TILED_COORD_BITS; bit++) {
        of_x[bit] = amd_equation_lut_axis(meta->lut.x, 1u << bit) / 2; /* of nibbles */
        of_y[bit] = amd_equation_lut_axis(meta->lut.y, 1u << bit) / 2;
        if ((bit >= surface->block_w_log2 + TILED_DCC_BITS && of_x[bit]) ||
            (bit >= surface->block_h_log2 + TILED_DCC_BITS && of_y[bit]) ||
            (bit >= surface->block_w_log2 && of_x[bit] & 3) || (bit >= surface->block_h_log2 && of_y[bit] & 3))
            return false;
    }
    for (uint32_t i = 0; i < TILED_DCC_BITS; i++) {
        push->of_x[i] = surface->block_w_log2 + i < TILED_COORD_BITS ? of_x[surface->block_w_log2 + i] : 0;
        push->of_y[i] = surface->block_h_log2 + i < TILED_COORD_BITS ? of_y[surface->block_h_log2 + i] : 0;
    }
    push->block_w_log2 = meta->block_w_log2;
    push->block_h_log2 = meta->block_h_log2;
    push->block_log2 = meta->block_log2;
    return true;
}

/* In the order of the codes. False: they are not dwords. */
static bool fill_places(struct code_places *places, const struct amd_meta *meta, const struct amd_surface *surface)
{
    const uint32_t columns_log2 = surface->block_w_log2 - meta->compressed_w_log2;
    uint32_t count = 0;
    for (uint32_t i = 0; i < BLOCK_CODES; i++) {
        const uint32_t x = (i & ((1u << columns_log2) - 1)) << meta->compressed_w_log2,
                       y = i >> columns_log2 << meta->compressed_h_log2,
                       meta_B = (amd_equation_lut_axis(meta->lut.x, x) ^ amd_equation_lut_axis(meta->lut.y, y)) / 2;
        uint32_t lane = 0;
        while (lane < count && places[lane].meta_B != (meta_B & ~3u))
            lane++;
        if (lane == BLOCK_CODES / CODES)
            return false;
        count += lane == count;
        places[lane].meta_B = meta_B & ~3u;
        places[lane].image_B[meta_B & 3] =
            amd_equation_lut_axis(surface->lut.x, x) ^ amd_equation_lut_axis(surface->lut.y, y);
    }
    return true;
}

static bool is_one_block(const struct amd_surface *surface)
{
    const struct vk_meta_tile_shape *shape = vk_meta_tile_shape(VK_META_ROWS, VK_META_WHOLE);
    return 1u << surface->block_w_log2 == shape->columns * shape->size[0] * (TILED_PIECE_B >> surface->element_log2) &&
           1u << surface->block_h_log2 == (uint32_t)shape->rows * shape->size[1];
}

bool radeon_meta_dcc_set(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy,
                         const struct amd_surface *surface, void *places, struct radeon_dcc_push *push, uint64_t *key,
                         uint32_t descriptor_out[8])
{
    struct amd_meta meta;
    VkFormat format = copy->image.read_format;
    uint32_t element_B = copy->image.element_B;
    if ((element_B != 2 && element_B != 4) || (uint32_t)format > 0xff || copy->image.shape != VK_META_2D ||
        !is_one_block(surface) || !amd_meta_init(&meta, AMD_META_DCC, surface, true) || !meta.has_equation ||
        meta.block_w_log2 < surface->block_w_log2 || meta.block_h_log2 < surface->block_h_log2 || meta.xor_B & 3 ||
        !set_metadata(push, &meta, surface) || !fill_places(places, &meta, surface))
        return false;
    push->meta_row_B = meta.level[copy->image.level].pitch_blocks << meta.block_log2;
    *key |= (uint64_t)format << KEY_FORMAT_SHIFT;
    if (find_colors(format, element_B, push->colors))
        *key |= KEY_HAS_COLORS;
    const struct vk_meta_binding binding = vk_meta_bind_side(&copy->image);
    radeon_meta_write_binding(cmd, &binding, descriptor_out);
    return true;
}

void radeon_meta_dcc_set_layer(const struct vk_meta_memory_copy *copy, const struct amd_surface *surface,
                               uint32_t layer, struct radeon_dcc_push *push)
{
    const struct radeon_image *image = radeon_image_of(copy->image.image);
    struct amd_meta meta;
    if (!amd_meta_init(&meta, AMD_META_DCC, surface, true))
        return; /* it was there a moment ago */
    uint32_t level = copy->image.level;
    uint64_t first_B = (uint64_t)meta.slice_B * layer + meta.level[level].offset_B,
             va = image->vk.memory[0].va + image->dcc.range.offset_B + first_B;
    push->layer = layer;
    push->meta_lo = (uint32_t)va;
    push->meta_hi = (uint32_t)(va >> 32);
    push->meta_xor_B = (uint32_t)(amd_meta_offset(&meta, 0, 0, layer, 0, level, NULL) - first_B);
}
