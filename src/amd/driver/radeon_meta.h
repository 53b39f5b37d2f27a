/* Operations of the driver's own that are made of draws and dispatches: clears, copies, blits, resolves, layout
 * transitions. They save what they change of the command buffer's state and put it back. */
#ifndef AMD_DRIVER_RADEON_META_H
#define AMD_DRIVER_RADEON_META_H

#include "amd/driver/radeon_cmd.h"
#include "util/map.h"

struct ir_builder;
struct ir_shader;
struct ir_value;
struct radeon_image;
struct vk_graphics_pipeline;

/* What a device keeps for these operations: its own shaders and pipelines by key. */
struct radeon_meta {
    pthread_mutex_t lock;
    struct map64 shaders;   /* key → struct radeon_shader */
    struct map64 pipelines; /* key → struct vk_graphics_pipeline */
};

VkResult radeon_meta_init(struct radeon_device *device);
void radeon_meta_finish(struct radeon_device *device); /* of a device whose init failed, too */

/* The layout part of an image barrier: initialises, expands or decompresses what the new layout cannot keep. */
void radeon_meta_transition(struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *barrier);

/* The load operations of a rendering whose targets are set (cmd->graphics.render), and its resolves at its end. */
void radeon_meta_clear_rendering(struct radeon_cmd_buffer *cmd, const VkRenderingInfo *info);
void radeon_meta_resolve_rendering(struct radeon_cmd_buffer *cmd);

/* ---- compute shaders of ours (radeon_meta.c) ---- */

/* What a key's top byte says; the rest is the operation's. */
enum radeon_meta_operation {
    RADEON_META_COPY_TO_IMAGE = 1,
    RADEON_META_COPY_FROM_IMAGE,
    RADEON_META_COPY_IMAGE,
    RADEON_META_FILL_IMAGE,
    RADEON_META_BLIT,
    RADEON_META_RESOLVE,
    RADEON_META_QUERY,
    RADEON_META_RECTANGLE, /* the vertex shader of all draws */
    RADEON_META_CLEAR,
    RADEON_META_FILL_METADATA, /* radeon_metadata.c */
    RADEON_META_EXPAND,
    RADEON_META_EXPAND_FMASK, /* radeon_fmask.c */
    RADEON_META_SINGLE,       /* radeon_fast_clear.c */
    RADEON_META_COPY_RAW,     /* radeon_meta_raw.c */
    RADEON_META_TILE,         /* radeon_meta_tiled.c */
    RADEON_META_UNTILE,
};
#define RADEON_META_KEY(operation, rest) ((uint64_t)(operation) << 56 | (rest))

/* Writes the body of a shader; of a compute shader it sets the workgroup size, too. */
typedef void (*radeon_meta_build_fn)(struct ir_builder *b, uint64_t key);

/* The shader of a key, made where it is not there yet. The lock is held; `around` may be NULL. */
VkResult radeon_meta_get_shader(struct radeon_device *device, enum ir_stage stage,
                                const struct amd_stage_options *around, uint64_t key, radeon_meta_build_fn build_fn,
                                struct radeon_shader **shader_out);
/* The compute shader of a key; NULL, with the command buffer's error set, where it cannot be made. */
const struct radeon_shader *radeon_meta_shader(struct radeon_cmd_buffer *cmd, uint64_t key,
                                               radeon_meta_build_fn build_fn);

/* Bindings 0 to 3 of set 0, eight words each: images, buffers, samplers. */
#define RADEON_META_BINDINGS 4
extern const struct amd_set_layout radeon_meta_set;
void radeon_meta_dispatch(struct radeon_cmd_buffer *cmd, const struct radeon_shader *shader,
                          const uint32_t (*descriptors)[8], uint32_t num_descriptors, const void *push,
                          uint32_t push_size_B, const uint32_t groups[3]);

/* Around draws and dispatches of ours: predicates and queries pause. */
void radeon_meta_begin(struct radeon_cmd_buffer *cmd);
void radeon_meta_end(struct radeon_cmd_buffer *cmd);

/* What a shader of ours sees of an image. */
enum radeon_meta_shape {
    RADEON_META_1D,
    RADEON_META_2D,
    RADEON_META_3D,
    RADEON_META_MS
};
enum radeon_meta_shape radeon_meta_shape(const struct radeon_image *image);
VkImageViewType radeon_meta_view_type(enum radeon_meta_shape shape); /* with all layers */
uint32_t radeon_meta_dim(enum radeon_meta_shape shape);              /* enum ir_dim */
/* Workgroups of 64 invocations: squares, or rows where the work is flat; and how many of them. */
void radeon_meta_workgroup(struct ir_shader *shader, bool flat);
void radeon_meta_count_groups(bool flat, const uint32_t extent[3], uint32_t groups_out[3]);

/* Pieces of such shaders: a word of the push constants; the invocation's place; whether it lies within three words. */
struct ir_value *radeon_meta_push(struct ir_builder *b, uint32_t word);
void radeon_meta_ids(struct ir_builder *b, struct ir_value *ids[3]);
struct ir_value *radeon_meta_in_bounds(struct ir_builder *b, struct ir_value *const ids[3], uint32_t first_word);
struct ir_value *radeon_meta_image(struct ir_builder *b, uint32_t binding);

/* Work on each texel of an extent (three words of the push constants), several texels an invocation: workgroups lie
 * side by side in a tile, by columns and rows. Of a tile inside the extent everything is read before the first texel is
 * written, so that loads are in flight together and addresses are made once. `read` may be NULL. Large extents have
 * large tiles, which is a bit of the key:
 *
 *     struct radeon_meta_tile tile;
 *     radeon_meta_tile_begin(b, &tile, key, layout);
 *     … what the texels share …
 *     radeon_meta_tile_end(b, &tile, EXTENT, read, write, &data);
 *
 *     key |= radeon_meta_count_tiles(layout, push.extent, groups); radeon_meta_dispatch(…) */
#define RADEON_META_LARGE (1ull << 55)
#define RADEON_META_COLUMNS 4 /* of tiles that are not flat */
#define RADEON_META_MAX_ROWS 4
enum radeon_meta_layout { /* of workgroups in a tile */
    RADEON_META_SQUARE,
    RADEON_META_FLAT, /* one dimension */
};
struct radeon_meta_tile {
    uint32_t columns, rows;     /* workgroups */
    uint32_t size[2];           /* of a workgroup */
    struct ir_value *corner[3]; /* of the tile: the same for all of its invocations */
    struct ir_value *local[2];  /* the invocation's place in its workgroup */
};
struct radeon_meta_texel {
    struct ir_value *at[3];
    uint32_t column, row; /* the workgroup's in its tile */
};
typedef struct ir_value *(*radeon_meta_read_fn)(struct ir_builder *b, const void *data,
                                                const struct radeon_meta_texel *texel);
typedef void (*radeon_meta_write_fn)(struct ir_builder *b, const void *data, const struct radeon_meta_texel *texel,
                                     struct ir_value *value);
void radeon_meta_tile_begin(struct ir_builder *b, struct radeon_meta_tile *tile, uint64_t key,
                            enum radeon_meta_layout layout);
void radeon_meta_tile_end(struct ir_builder *b, const struct radeon_meta_tile *tile, uint32_t extent_word,
                          radeon_meta_read_fn read, radeon_meta_write_fn write, const void *data);
uint64_t radeon_meta_count_tiles(enum radeon_meta_layout layout, const uint32_t extent[3], uint32_t groups_out[3]);
/* One dimension or more? */
static inline enum radeon_meta_layout radeon_meta_layout_of(enum radeon_meta_shape shape)
{
    return shape == RADEON_META_1D ? RADEON_META_FLAT : RADEON_META_SQUARE;
}

/* A region that is whole levels of two images with the same layout, neither compressed at the moment; `extent` in
 * elements. False: it is not, nothing has been done (radeon_meta_raw.c). */
bool radeon_meta_copy_raw(struct radeon_cmd_buffer *cmd, const struct radeon_image *src, const struct radeon_image *dst,
                          const VkImageCopy2 *region, const uint32_t extent[2]);

/* A region between memory and a tiled image whose metadata is not in use, moved by 16 bytes whose places the shader
 * finds by the swizzle mode's equation. Coordinates and rows are elements. False: it cannot be done so, nothing has
 * been done (radeon_meta_tiled.c). */
struct radeon_meta_memory {
    uint64_t va;
    uint32_t row, slice; /* elements from one to the next */
};
bool radeon_meta_copy_tiled(struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                            VkImageAspectFlagBits aspect, uint32_t level, const uint32_t first[3],
                            const uint32_t extent[3], const struct radeon_meta_memory *memory, bool to_image);

/* ---- draws of ours (radeon_meta_draw.c) ----
 *
 *     struct radeon_meta_saved saved;
 *     radeon_meta_draw_begin(cmd, &saved);
 *     … targets by radeon_set_targets, if not those of the rendering; cmd->vk.dynamic_state …
 *     radeon_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
 *     radeon_meta_draw_end(cmd, &saved);
 *
 * A draw is a rectangle in some layers of the targets. Its depth is word 0 of the push constants. */
struct radeon_meta_saved {
    struct radeon_graphics_saved graphics;
    uint64_t set_va;
    uint32_t valid_sets;
    bool push_set_dirty;
    uint8_t push[RADEON_MAX_PUSH_B];
};

void radeon_meta_draw_finish(struct radeon_device *device);
void radeon_meta_draw_begin(struct radeon_cmd_buffer *cmd, struct radeon_meta_saved *saved);
void radeon_meta_draw_end(struct radeon_cmd_buffer *cmd, const struct radeon_meta_saved *saved);

/* Bits 32 to 55 of a pipeline's key: what it writes to. radeon_meta_build_fn makes the fragment shader. */
uint64_t radeon_meta_target_key(VkFormat format, uint32_t target);
uint32_t radeon_meta_key_target(uint64_t key);
/* NULL, with the command buffer's error set, where it cannot be made. */
struct vk_graphics_pipeline *radeon_meta_pipeline(struct radeon_cmd_buffer *cmd, uint64_t key,
                                                  radeon_meta_build_fn build_fn);

/* A level of an image with the layers from one on, to be a target or to be read. */
void radeon_meta_view(struct radeon_cmd_buffer *cmd, struct radeon_image_view *view, struct radeon_image *image,
                      VkImageAspectFlags aspects, uint32_t level, uint32_t first_layer);
/* The only target, which must live until the draws are recorded; and what is written of depth and stencil. */
void radeon_meta_target(struct radeon_cmd_buffer *cmd, struct radeon_image_view *view, VkImageLayout layout,
                        VkImageAspectFlags aspects);
void radeon_meta_depth_state(struct radeon_cmd_buffer *cmd, VkImageAspectFlags aspects, uint32_t stencil);
void radeon_meta_draw_descriptors(struct radeon_cmd_buffer *cmd, const uint32_t (*descriptors)[8], uint32_t count);

struct radeon_meta_rectangle {
    VkRect2D rect;
    uint32_t first_layer, layers;
    bool predicated; /* as the application's draws are */
};
void radeon_meta_draw(struct radeon_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline,
                      const struct radeon_meta_rectangle *rectangle, const void *push, uint32_t push_size_B);

/* Pieces of fragment shaders: the image of a binding; a texel of binding 0 at a place of three whole numbers, the last
 * a layer or slice (`sample` NULL: there is one); the result for the key's target, or for depth or stencil. */
struct ir_value *radeon_meta_texture(struct ir_builder *b, uint32_t binding);
struct ir_value *radeon_meta_fetch(struct ir_builder *b, enum radeon_meta_shape shape, struct ir_value *const at[3],
                                   struct ir_value *sample);
void radeon_meta_output(struct ir_builder *b, uint64_t key, VkImageAspectFlagBits aspect, struct ir_value *value);

#endif
