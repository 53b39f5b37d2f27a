/* Between copy.c, which moves texels that are where their place says, and copy_compressed.c. */
#ifndef MALI_DRIVER_COPY_H
#define MALI_DRIVER_COPY_H

#include "vulkan/meta/vk_meta.h"

struct ir_builder;
struct ir_value;

/* Memory, as eight words of the push constants; pairs are aligned. */
struct mali_copy_side {
    uint32_t va_lo, va_hi;
    uint32_t slice_lo, slice_hi; /* bytes */
    uint32_t row_B, stride_B;    /* of elements or tiles; of elements */
    uint32_t first[2];
};

void mali_copy_set_address(struct mali_copy_side *side, uint64_t va, uint64_t slice_B);
/* An image that is not compressed. */
void mali_copy_set_image(struct mali_copy_side *out, const struct vk_meta_side *side);
bool mali_copy_is_tiled(const struct vk_meta_side *side);

/* In a program: the address of an element, of the side that begins at a word of the push constants. */
struct ir_value *mali_copy_address(struct ir_builder *b, bool is_tiled, uint32_t word, struct ir_value *const ids[3]);

/* copy_compressed.c */
void mali_copy_compressed_memory(struct vk_command_buffer *cmd, const struct vk_meta_memory_copy *info);
void mali_copy_compressed_image(struct vk_command_buffer *cmd, const struct vk_meta_image_copy *info);

#endif
