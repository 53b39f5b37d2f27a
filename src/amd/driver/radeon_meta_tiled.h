/* Copies between memory and tiled images by 16 bytes a lane (radeon_meta_tiled.c): what their shaders share with the
 * one that reads images whose metadata is in use (radeon_meta_dcc.c). */
#ifndef AMD_DRIVER_RADEON_META_TILED_H
#define AMD_DRIVER_RADEON_META_TILED_H

#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "vulkan/meta/vk_meta_build.h"

#define TILED_PIECE_B 16u
#define TILED_PIECE_LOG2 4u
#define TILED_LANES 64u      /* of a workgroup */
#define TILED_COORD_BITS 12u /* no equation looks at more */

struct radeon_tiled_push {
    uint32_t extent[3]; /* pieces, rows, 1 */
    uint32_t x, y;      /* of the first element */
    uint32_t memory_lo, memory_hi, memory_row_B;
    uint32_t image_lo, image_hi, block_row_B, block_B, xor_B;
    uint32_t table_lo, table_hi; /* struct radeon_tiled_lane of each invocation */
    uint32_t of_x[TILED_COORD_BITS],
        of_y[TILED_COORD_BITS]; /* what a bit of a coordinate contributes to the place in its block */
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
    TILED_OF_Y = TILED_OF_X + TILED_COORD_BITS
};
_Static_assert(sizeof(struct radeon_tiled_push) == 4 * (TILED_OF_Y + TILED_COORD_BITS), "words of the push constants");

/* An invocation's share of a copy: its place in the workgroup, and that place on both sides. */
struct radeon_tiled_lane {
    uint32_t x, y; /* pieces, rows */
    uint32_t memory_B, image_B;
};
_Static_assert(sizeof(struct radeon_tiled_lane) == TILED_PIECE_B, "a load of one invocation");

#define TILED_KEY(element_log2, block_w_log2, block_h_log2, used_x, used_y)                                            \
    ((uint64_t)(used_y) << 32 | (uint64_t)(used_x) << 20 | (uint64_t)(element_log2) << 16 |                            \
     (uint64_t)(block_w_log2) << 8 | (block_h_log2))

struct radeon_tiled_copy {
    struct vk_meta_tile tile;
    uint32_t piece_log2; /* elements */
    uint32_t block_w_log2, block_h_log2;
    uint32_t used_x, used_y; /* bits of coordinates that the equation looks at */
    bool to_image;
    struct ir_value *number;                       /* of the invocation */
    struct ir_value *memory_lane_B, *image_lane_B; /* what an invocation adds to its workgroup's place */
    struct ir_value *inside_B, *block_B;           /* of the tile's corner: in its block, and the block */
    struct ir_value *row_va[VK_META_MAX_ROWS];     /* of memory: where a row of workgroups begins */
};

/* ---- the shader: radeon_meta_tiled_shader.c ---- */

static inline enum vk_meta_layout radeon_tiled_layout(bool to_image)
{
    return to_image ? VK_META_TILES : VK_META_ROWS;
}

/* The shared part of the shader's invocations, from the key and the tile on; then pieces are read and written. */
void radeon_tiled_begin(struct ir_builder *b, struct radeon_tiled_copy *copy, uint64_t key);
struct ir_value *radeon_tiled_read(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel);
void radeon_tiled_write(struct ir_builder *b, const void *data, const struct vk_meta_texel *texel,
                        struct ir_value *piece);

/* `sum`, changed by what the bits from `first` on of a coordinate contribute, of those that are used; `word` is that of
 * bit 0. */
struct ir_value *radeon_tiled_contribution(struct ir_builder *b, struct ir_value *sum, struct ir_value *value,
                                           uint32_t used, uint32_t first, uint32_t word);
struct ir_value *radeon_tiled_va(struct ir_builder *b, uint32_t va_word, struct ir_value *offset_B);

/* ---- through DCC: radeon_meta_dcc.c ---- */

#define TILED_DCC_BITS 4u /* of a coordinate, above a tile: no block of metadata is larger */

struct radeon_dcc_push {
    struct radeon_tiled_push tiled;
    uint32_t layer;
    uint32_t meta_lo, meta_hi, meta_row_B, meta_xor_B;
    uint32_t block_w_log2, block_h_log2, block_log2; /* of metadata */
    uint32_t of_x[TILED_DCC_BITS], of_y[TILED_DCC_BITS];
    uint32_t colors[3]; /* of the clear codes 0x40, 0x80 and 0xc0, as words of memory */
};
_Static_assert(sizeof(struct radeon_dcc_push) <= RADEON_MAX_PUSH_B, "push constants");

/* Of a copy of whole tiles. False: it cannot be done so. `places` is memory of TILED_DCC_TABLE_B after the lanes of
 * radeon_tiled_push::table_lo; then each layer's part. */
#define TILED_DCC_TABLE_B 2048u
bool radeon_meta_dcc_set(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy,
                         const struct amd_surface *surface, void *places, struct radeon_dcc_push *push, uint64_t *key,
                         uint32_t descriptor_out[8]);
void radeon_meta_dcc_set_layer(const struct vk_meta_memory_copy *copy, const struct amd_surface *surface,
                               uint32_t layer, struct radeon_dcc_push *push);
void radeon_meta_dcc_build(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops);

#endif
