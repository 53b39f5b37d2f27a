/* Copies of compressed images (AFBC): they are read as textures, and written as targets of draws. Their formats are
 * such that a colour of floats has the bits of memory. */
#include "compiler/ir/ir_builder.h"
#include "mali/driver/cmd.h"
#include "mali/driver/copy.h"
#include "mali/driver/meta.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

/* ---- bits ---- */

enum layout {
    LAYOUT_R8,
    LAYOUT_RG8,
    LAYOUT_RGBA8,
    LAYOUT_RGB10_A2,
};
static const uint8_t channel_bits[][4] = {
    [LAYOUT_R8] = {8}, [LAYOUT_RG8] = {8, 8}, [LAYOUT_RGBA8] = {8, 8, 8, 8}, [LAYOUT_RGB10_A2] = {10, 10, 10, 2}};

static enum layout layout_of(const struct vk_image *image)
{
    switch (mali_vkformat(image->format)->afbc_mode) {
    case MALI_AFBC_MODE_R8:
        return LAYOUT_R8;
    case MALI_AFBC_MODE_R8G8:
        return LAYOUT_RG8;
    case MALI_AFBC_MODE_R10G10B10A2:
        return LAYOUT_RGB10_A2;
    default:
        return LAYOUT_RGBA8;
    }
}

static uint32_t layout_B(enum layout layout)
{
    return layout == LAYOUT_R8 ? 1 : layout == LAYOUT_RG8 ? 2 : 4;
}

/* A colour as the word of an element. */
static struct ir_value *pack_color(struct ir_builder *b, enum layout layout, struct ir_value *color)
{
    struct ir_value *word = ir_const(b, 32, 0);
    for (uint32_t i = 0, low = 0; i < 4 && channel_bits[layout][i]; low += channel_bits[layout][i++]) {
        const double most = (double)bits_mask(channel_bits[layout][i]);
        struct ir_value *code =
            ir_fadd(b, ir_fmul(b, ir_extract(b, color, i), ir_const_f(b, 32, most)), ir_const_f(b, 32, 0.5));
        word = ir_ior(b, word, ir_ishl(b, ir_f2u(b, 32, code), ir_const(b, 32, low)));
    }
    return word;
}

static struct ir_value *unpack_word(struct ir_builder *b, enum layout layout, struct ir_value *word)
{
    struct ir_value *color[4];
    for (uint32_t i = 0, low = 0; i < 4; low += channel_bits[layout][i++]) {
        const uint64_t most = bits_mask(channel_bits[layout][i]);
        color[i] = ir_const_f(b, 32, i == 3);
        if (!most)
            continue;
        struct ir_value *code = ir_iand(b, ir_ushr(b, word, ir_const(b, 32, low)), ir_const(b, 32, most));
        color[i] = ir_fmul(b, ir_u2f(b, 32, code, IR_ROUNDING_even), ir_const_f(b, 32, 1.0 / (double)most));
    }
    return ir_vec(b, 4, color);
}

static struct vk_meta_view view_of(const struct vk_meta_side *side)
{
    struct vk_meta_view view = vk_meta_view(side->image, VK_IMAGE_ASPECT_COLOR_BIT, side->level, side->first[2]);
    view.format = (VkFormat)side->image->format_info->linear_format;
    return view;
}

/* ---- to memory ---- */

struct read_push {
    uint32_t extent[3];
    uint32_t pad;
    uint32_t first[2]; /* texels of the image */
    uint32_t pad2[2];
    struct mali_copy_side memory;
};
enum {
    READ_EXTENT = 0,
    READ_FIRST = 4,
    READ_MEMORY = 8,
};
#define READ_KEY(layout, is_tiled) ((uint64_t)(layout) | (uint64_t)(is_tiled) << 8)

static void build_read(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    const enum layout layout = key & 0xff;
    const uint32_t size_B = layout_B(layout);
    struct ir_value *ids[3], *at[3];
    vk_meta_workgroup(b->shader, false);
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, vk_meta_in_bounds(b, ids, READ_EXTENT));
    for (uint32_t i = 0; i < 2; i++)
        at[i] = ir_iadd(b, ids[i], vk_meta_push(b, READ_FIRST + i));
    at[2] = ids[2];
    struct ir_value *word = pack_color(b, layout, vk_meta_fetch(b, VK_META_2D, at, NULL));
    ir_store_global(b, ir_u2u(b, (uint8_t)(8 * size_B), word), mali_copy_address(b, key >> 8 & 1, READ_MEMORY, ids), 0,
                    size_B, 0, 0);
    ir_builder_pop_if(b);
}

static void read_image(struct vk_command_buffer *cmd, const struct vk_meta_side *from, const uint32_t extent[3],
                       const struct mali_copy_side *memory, bool is_tiled)
{
    const struct vk_meta_binding binding = {VK_META_SAMPLED_IMAGE, .view = view_of(from)};
    const struct read_push push = {
        .extent = {extent[0], extent[1], extent[2]}, .first = {from->first[0], from->first[1]}, .memory = *memory};
    const uint64_t key = VK_META_KEY(MALI_META_READ_COMPRESSED, READ_KEY(layout_of(from->image), is_tiled));
    uint32_t groups[3];
    vk_meta_count_groups(false, extent, groups);
    vk_meta_dispatch(cmd, vk_meta_shader(cmd, key, build_read), &binding, 1, &push, sizeof(push), groups);
}

/* ---- to an image ---- */

struct write_push {
    float depth; /* of the rectangle; not used */
    uint32_t layer;
    int32_t first[2];             /* of the rectangle */
    struct mali_copy_side memory; /* of a texture: `first` alone */
    uint32_t last[2];             /* of the rectangle, counted from the first */
};
enum {
    WRITE_LAYER = 1, /* words */
    WRITE_FIRST = 2,
    WRITE_MEMORY = 4,
    WRITE_SOURCE = 10, /* `first` of the memory */
    WRITE_LAST = 12,
};
enum source {
    SOURCE_LINEAR,
    SOURCE_TILED,
    SOURCE_TEXTURE,
};
#define WRITE_KEY(layout, source, source_layout)                                                                       \
    ((uint64_t)(layout) | (uint64_t)(source) << 8 | (uint64_t)(source_layout) << 16)

static void build_write(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    const enum layout layout = key & 0xff;
    const enum source source = key >> 8 & 0xff;
    const uint32_t size_B = layout_B(layout);
    struct ir_value *pixel = ir_load_sysval(b, 32, 4, IR_SYSVAL_frag_coord), *ids[3], *word;
    b->shader->sysvals_read |= 1ull << IR_SYSVAL_frag_coord;
    for (uint32_t i = 0; i < 2; i++) { /* pixels beside the rectangle run, too: before the first is after the last */
        ids[i] = ir_isub(b, ir_f2i(b, 32, ir_extract(b, pixel, i)), vk_meta_push(b, WRITE_FIRST + i));
        ids[i] = ir_umin(b, ids[i], vk_meta_push(b, WRITE_LAST + i));
    }
    ids[2] = vk_meta_push(b, WRITE_LAYER);
    if (source == SOURCE_TEXTURE) {
        struct ir_value *at[3] = {ir_iadd(b, ids[0], vk_meta_push(b, WRITE_SOURCE)),
                                  ir_iadd(b, ids[1], vk_meta_push(b, WRITE_SOURCE + 1)), ids[2]};
        word = pack_color(b, key >> 16 & 0xff, vk_meta_fetch(b, VK_META_2D, at, NULL));
    } else {
        struct ir_value *va = mali_copy_address(b, source == SOURCE_TILED, WRITE_MEMORY, ids);
        word = ir_u2u(b, 32, ir_load_global(b, (uint8_t)(8 * size_B), 1, va, 0, size_B, 0, 0));
    }
    vk_meta_output(b, key, VK_IMAGE_ASPECT_COLOR_BIT, unpack_word(b, layout, word));
}

/* `from` NULL: the source is memory. */
static void write_image(struct vk_command_buffer *cmd, const struct vk_meta_side *to, const uint32_t extent[3],
                        const struct mali_copy_side *memory, bool is_tiled, const struct vk_meta_side *from)
{
    const struct vk_meta_view target = view_of(to);
    const enum source source = from ? SOURCE_TEXTURE : is_tiled ? SOURCE_TILED : SOURCE_LINEAR;
    const uint64_t key = VK_META_KEY(MALI_META_WRITE_COMPRESSED,
                                     WRITE_KEY(layout_of(to->image), source, from ? layout_of(from->image) : 0)) |
                         vk_meta_target_key(vk_meta_ops_of(cmd), target.format, 0);
    struct write_push push = {.first = {(int32_t)to->first[0], (int32_t)to->first[1]},
                              .memory = *memory,
                              .last = {extent[0] - 1, extent[1] - 1}};
    struct vk_meta_rectangle rectangle = {
        .rect = {{(int32_t)to->first[0], (int32_t)to->first[1]}, {extent[0], extent[1]}}, .layers = 1};
    struct vk_meta_saved saved;
    struct vk_graphics_pipeline *pipeline = vk_meta_pipeline(cmd, key, build_write);
    vk_meta_draw_begin(cmd, &saved);
    if (from) {
        const struct vk_meta_binding binding = {VK_META_SAMPLED_IMAGE, .view = view_of(from)};
        vk_meta_bind(cmd, &binding, 1);
    }
    vk_meta_set_target(cmd, &saved, &target, to->layout);
    for (uint32_t i = 0; i < extent[2]; i++) {
        rectangle.first_layer = push.layer = i;
        vk_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
    }
    vk_meta_draw_end(cmd, &saved);
}

/* ---- copies ---- */

void mali_copy_compressed_memory(struct vk_command_buffer *cmd, const struct vk_meta_memory_copy *info)
{
    const uint32_t element_B = info->image.element_B;
    struct mali_copy_side memory = {.row_B = info->row * element_B, .stride_B = element_B};
    mali_copy_set_address(&memory, info->va, (uint64_t)info->slice * element_B);
    if (info->to_image)
        write_image(cmd, &info->image, info->extent, &memory, false, NULL);
    else
        read_image(cmd, &info->image, info->extent, &memory, false);
}

void mali_copy_compressed_image(struct vk_command_buffer *cmd, const struct vk_meta_image_copy *info)
{
    const bool is_source = mali_image_is_compressed((const struct mali_image *)info->src.image),
               is_target = mali_image_is_compressed((const struct mali_image *)info->dst.image);
    struct mali_copy_side memory;
    if (is_source && is_target) {
        memory = (struct mali_copy_side){.first = {info->src.first[0], info->src.first[1]}};
        write_image(cmd, &info->dst, info->extent, &memory, false, &info->src);
    } else if (is_source) {
        mali_copy_set_image(&memory, &info->dst);
        read_image(cmd, &info->src, info->extent, &memory, mali_copy_is_tiled(&info->dst));
    } else {
        mali_copy_set_image(&memory, &info->src);
        write_image(cmd, &info->dst, info->extent, &memory, mali_copy_is_tiled(&info->src), NULL);
    }
}
