/* Compression metadata while commands are recorded: what a change of layout does to it, and clears that touch nothing
 * else.
 *
 * HTILE and DCC are used in layouts of attachments and in layouts that are only read; texture units read through them.
 * In every other layout the pixels are plain and the metadata says so, which makes stores ordinary work. Copies read
 * through DCC where a format of integers shows the bits (radeon_dcc_bits_format). */
#ifndef AMD_DRIVER_RADEON_METADATA_H
#define AMD_DRIVER_RADEON_METADATA_H

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_image.h"

/* Where a clear goes: a view of one level in its layout, and what of it. */
struct radeon_clear_place {
    const struct radeon_image_view *view;
    VkImageLayout layout;
    VkRect2D area;
    uint32_t first_layer, layers; /* of the view */
    uint32_t view_mask;           /* of a multiview rendering; 0: none */
};

/* Clears an attachment of the rendering that is set, by metadata. False where the place or the value does not allow it
 * and the caller must draw. */
struct vk_meta_rectangle;
bool radeon_fast_clear_attachment(struct radeon_cmd_buffer *cmd, const VkClearAttachment *clear,
                                  const struct vk_meta_rectangle *rectangle, uint32_t view_mask);

/* The layout part of an image barrier: initialises, expands or decompresses what the new layout cannot keep. */
void radeon_metadata_transition(struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *barrier);

/* Nothing of what an image holds is kept: its metadata says that it is plain. */
void radeon_metadata_initialise(struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                                const VkImageSubresourceRange *range);

/* Compressed blocks become plain, and metadata says so. */
void radeon_metadata_expand(struct radeon_cmd_buffer *cmd, struct radeon_image *image,
                            const VkImageSubresourceRange *range);

/* For radeon_fast_clear.c: the words of some levels and layers become (word & keep) | value. */
void radeon_metadata_fill(struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                          const struct radeon_image_meta *meta, const VkImageSubresourceRange *range, uint32_t value,
                          uint32_t keep);

#endif
