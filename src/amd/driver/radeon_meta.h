/* Radeon's side of the meta operations (vulkan/meta): descriptors, dispatches and draws of the driver's own, and the
 * operations that only this hardware has, which use the shared room's shaders by key. */
#ifndef AMD_DRIVER_RADEON_META_H
#define AMD_DRIVER_RADEON_META_H

#include "amd/driver/radeon_cmd.h"
#include "vulkan/meta/vk_meta.h"

extern const struct vk_meta_ops radeon_meta_ops;

enum {
    RADEON_META_DESCRIPTOR_B = 32
};

/* The top byte of a key; the rest is the operation's. */
enum radeon_meta_operation {
    RADEON_META_QUERY = VK_META_FAMILY, /* radeon_query_cmd.c */
    RADEON_META_FILL_METADATA,          /* radeon_metadata.c */
    RADEON_META_EXPAND,
    RADEON_META_EXPAND_FMASK, /* radeon_fmask.c */
    RADEON_META_SINGLE,       /* radeon_fast_clear.c */
    RADEON_META_COPY_RAW,     /* radeon_meta_raw.c */
    RADEON_META_TILE,         /* radeon_meta_tiled.c */
    RADEON_META_UNTILE,
    RADEON_META_UNTILE_DCC,  /* radeon_meta_dcc.c */
    RADEON_META_FILL_ROWS,   /* radeon_meta_rows.c */
    RADEON_META_FILL_MEMORY, /* radeon_meta_fill.c */
    RADEON_META_FILL_SINGLES,
    RADEON_META_RESOLVE,     /* radeon_meta_resolve.c */
    RADEON_META_RATES,       /* radeon_rates.c */
    RADEON_META_RAYS_LEAVES, /* radeon_rays_leaf.c */
    RADEON_META_RAYS_KEYS,   /* radeon_rays_boxes.c */
    RADEON_META_RAYS_LEVEL,
    RADEON_META_RAYS_SERIALIZE, /* radeon_rays_copy.c */
    RADEON_META_RAYS_DESERIALIZE,
};

/* Around draws and dispatches of the driver's own: predicates and queries pause. */
void radeon_meta_begin(struct radeon_cmd_buffer *cmd);
void radeon_meta_end(struct radeon_cmd_buffer *cmd);

/* A dispatch with descriptors of eight words for the bindings of set 0. Nothing without a shader or workgroups. */
void radeon_meta_dispatch(struct radeon_cmd_buffer *cmd, const struct vk_shader *shader,
                          const uint32_t (*descriptors)[8], uint32_t num_descriptors, const void *push,
                          uint32_t push_size_B, const uint32_t groups[3]);

/* The words of what a shader's binding is to see. */
void radeon_meta_write_binding(struct radeon_cmd_buffer *cmd, const struct vk_meta_binding *binding,
                               uint32_t words_out[8]);

/* ---- hooks: true where it was done, false where nothing was ---- */

/* Whole levels of two images with the same layout, neither compressed at the moment (radeon_meta_raw.c). */
bool radeon_meta_copy_raw(struct radeon_cmd_buffer *cmd, const struct vk_meta_image_copy *copy);

/* Between memory and a tiled image, moved by 16 bytes whose places the shader finds by the swizzle mode's equation
 * (radeon_meta_tiled.c); from one whose metadata is in use, blocks that it describes as a whole (radeon_meta_dcc.c). */
bool radeon_meta_copy_tiled(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy);

/* An attachment of a rendering that ends, by the colour backends' own mode (radeon_meta_resolve.c). */
struct vk_attachment;
struct vk_rendering;
bool radeon_meta_resolve(struct radeon_cmd_buffer *cmd, const struct vk_attachment *attachment,
                         const struct vk_rendering *rendering);

/* A level whose metadata is not in use, as memory (radeon_meta_fill.c). */
bool radeon_meta_fill_memory(struct radeon_cmd_buffer *cmd, const struct vk_meta_fill *fill);
/* The first element of every 256 bytes of a level, in all layers. What else stands in its dword is no part of it. */
bool radeon_meta_fill_singles(struct radeon_cmd_buffer *cmd, const struct radeon_image *image, uint32_t level,
                              const uint32_t words[4]);

/* Elements of 12 bytes, which exist in linear images of one level only and which no format stores: rows of bytes
 * (radeon_meta_rows.c). */
void radeon_meta_copy_memory_rows(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy);
void radeon_meta_copy_image_rows(struct radeon_cmd_buffer *cmd, const struct vk_meta_image_copy *copy);
void radeon_meta_fill_rows(struct radeon_cmd_buffer *cmd, const struct vk_meta_fill *fill);

#endif
