/* Operations of the driver's own that are made of draws and dispatches: clears, copies, blits, resolves, layout
 * transitions. They save what they change of the command buffer's state and put it back. */
#ifndef AMD_DRIVER_RADEON_META_H
#define AMD_DRIVER_RADEON_META_H

#include "amd/driver/radeon_cmd.h"

struct ir_builder;
struct ir_value;

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
};
#define RADEON_META_KEY(operation, rest) ((uint64_t)(operation) << 56 | (rest))

/* Writes the body of a compute shader and sets its workgroup size. */
typedef void (*radeon_meta_build_fn)(struct ir_builder *b, uint64_t key);

/* The shader of a key; NULL, with the command buffer's error set, where it cannot be made. */
const struct radeon_shader *radeon_meta_shader(struct radeon_cmd_buffer *cmd, uint64_t key,
                                               radeon_meta_build_fn build_fn);

/* Bindings 0 to 3 of set 0, eight words each: images, buffers, samplers. */
#define RADEON_META_BINDINGS 4
extern const struct amd_set_layout radeon_meta_set;
void radeon_meta_dispatch(struct radeon_cmd_buffer *cmd, const struct radeon_shader *shader,
                          const uint32_t (*descriptors)[8], uint32_t num_descriptors, const void *push,
                          uint32_t push_size_B, const uint32_t groups[3]);

/* Pieces of such shaders: a word of the push constants; the invocation's place; whether it lies within three words. */
struct ir_value *radeon_meta_push(struct ir_builder *b, uint32_t word);
void radeon_meta_ids(struct ir_builder *b, struct ir_value *ids[3]);
struct ir_value *radeon_meta_in_bounds(struct ir_builder *b, struct ir_value *const ids[3], uint32_t first_word);
struct ir_value *radeon_meta_image(struct ir_builder *b, uint32_t binding);

#endif
