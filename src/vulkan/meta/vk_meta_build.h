/* Pieces that the shaders of meta operations are built of: the invocation's place, push constants, images, texels in
 * tiles, results of fragment shaders. For this room and for a family's own operations. */
#ifndef VULKAN_META_VK_META_BUILD_H
#define VULKAN_META_VK_META_BUILD_H

#include "vulkan/meta/vk_meta.h"

/* The dimensions of image instructions for a shape: enum ir_dim; and whether there are layers. */
uint32_t vk_meta_dim(enum vk_meta_shape shape);

/* Workgroups of 64 invocations: squares, or rows where the work is flat; and how many of them. */
void vk_meta_workgroup(struct ir_shader *shader, bool flat);
void vk_meta_count_groups(bool flat, const uint32_t extent[3], uint32_t groups_out[3]);

/* A word of the push constants, or two as an address; the invocation's place; whether it lies within three words. */
struct ir_value *vk_meta_push(struct ir_builder *b, uint32_t word);
struct ir_value *vk_meta_push64(struct ir_builder *b, uint32_t word);
void vk_meta_ids(struct ir_builder *b, struct ir_value *ids[3]);
struct ir_value *vk_meta_in_bounds(struct ir_builder *b, struct ir_value *const ids[3], uint32_t first_word);

/* The image of a binding, for loads and stores; and the two, at a coordinate that vk_meta_coordinate makes: x, y unless
 * the image has one dimension, a layer or slice, and where there are several, the sample. */
struct ir_value *vk_meta_image(struct ir_builder *b, uint32_t binding);
struct ir_value *vk_meta_coordinate(struct ir_builder *b, enum vk_meta_shape shape, struct ir_value *const at[3],
                                    struct ir_value *sample);
struct ir_value *vk_meta_load(struct ir_builder *b, uint32_t binding, enum vk_meta_shape shape,
                              struct ir_value *coordinate);
void vk_meta_store(struct ir_builder *b, uint32_t binding, enum vk_meta_shape shape, struct ir_value *coordinate,
                   struct ir_value *texel);

/* One side of a copy as a shader sees it; the words of an element that was loaded from it, `packed` as
 * vk_meta_side::read_format. Not before all loads are in flight. */
struct vk_meta_binding vk_meta_bind_side(const struct vk_meta_side *side);
void vk_meta_texel_words(struct ir_builder *b, struct ir_value *texel, VkFormat packed, uint32_t count,
                         struct ir_value *words[4]);

/* A part of a copy that a family has divided: by the family again, or by this room. */
void vk_meta_copy_memory(struct vk_command_buffer *cmd, const struct vk_meta_memory_copy *copy);

/* Of an extent whose z counts layers times samples: the layer and the sample of a place. Without several samples
 * *sample_out is NULL. */
void vk_meta_split_samples(struct ir_builder *b, struct ir_value *z, uint32_t samples_log2, struct ir_value **layer_out,
                           struct ir_value **sample_out);

/* Work on each texel of an extent (three words of the push constants), several texels an invocation: workgroups lie
 * side by side in a tile, by columns and rows. Of a tile inside the extent everything is read before the first texel is
 * written, so that loads are in flight together and addresses are made once. `read` may be NULL. Large extents have
 * large tiles, which is a bit of the key; those that are whole tiles of 64 texels an invocation have no edges to look
 * at, and are worked on by rounds of 16:
 *
 *     struct vk_meta_tile tile;
 *     vk_meta_tile_begin(b, &tile, key, layout);
 *     … what the texels share …
 *     vk_meta_tile_end(b, &tile, EXTENT, read, write, &data);
 *
 *     key |= vk_meta_count_tiles(layout, push.extent, groups); vk_meta_dispatch(…) */
#define VK_META_LARGE (1ull << 55)
#define VK_META_WHOLE (1ull << 54)  /* of layouts from STREAM on */
#define VK_META_NARROW (1ull << 53) /* of TILES and ROWS: vk_meta_count_narrow; with WHOLE, too */
#define VK_META_MAX_ROWS 16
enum vk_meta_layout { /* of workgroups in a tile */
    VK_META_SQUARE,
    VK_META_FLAT,   /* one dimension */
    VK_META_STREAM, /* the same of memory */
    VK_META_TILES,  /* two dimensions of memory: what is written is tiles; */
    VK_META_ROWS,   /* or rows */
};
struct vk_meta_tile_shape {
    uint8_t columns, rows; /* workgroups */
    uint8_t size[2];       /* of a workgroup */
};
struct vk_meta_tile {
    uint32_t columns, rows;
    bool is_whole;   /* no edges */
    bool by_squares; /* its workgroups, not by rows */
    uint32_t size[2];
    struct ir_value *corner[3]; /* of the tile: the same for all of its invocations */
    struct ir_value *local[2];  /* the invocation's place in its workgroup */
};
struct vk_meta_texel {
    struct ir_value *at[3];
    uint32_t column, row; /* the workgroup's in its tile */
};
typedef struct ir_value *(*vk_meta_read_fn)(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel);
typedef void (*vk_meta_write_fn)(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                                 struct ir_value *value);
void vk_meta_tile_begin(struct ir_builder *b, struct vk_meta_tile *tile, uint64_t key, enum vk_meta_layout layout);
void vk_meta_tile_end(struct ir_builder *b, const struct vk_meta_tile *tile, uint32_t extent_word, vk_meta_read_fn read,
                      vk_meta_write_fn write, const void *data);
uint64_t vk_meta_count_tiles(enum vk_meta_layout layout, const uint32_t extent[3], uint32_t groups_out[3]);
/* In place of usual tiles, which are rows of workgroups: columns of them, where fewer would reach beyond the extent, as
 * at the right of a picture, or none: those are whole. 0: there would be no fewer. */
uint64_t vk_meta_count_narrow(enum vk_meta_layout layout, const uint32_t extent[3], uint32_t groups_out[3]);
const struct vk_meta_tile_shape *vk_meta_tile_shape(enum vk_meta_layout layout, uint64_t key);
/* One dimension or more? */
static inline enum vk_meta_layout vk_meta_layout_of(enum vk_meta_shape shape)
{
    return shape == VK_META_1D ? VK_META_FLAT : VK_META_SQUARE;
}

/* Of fragment shaders: the image of a binding for `tex`; a texel of binding 0 at a place of three whole numbers, the
 * last a layer or slice (`sample` NULL: there is one); the result for the key's target, or for depth or stencil. */
struct ir_value *vk_meta_texture(struct ir_builder *b, uint32_t binding);
struct ir_value *vk_meta_fetch(struct ir_builder *b, enum vk_meta_shape shape, struct ir_value *const at[3],
                               struct ir_value *sample);
void vk_meta_output(struct ir_builder *b, uint64_t key, VkImageAspectFlagBits aspect, struct ir_value *value);

#endif
