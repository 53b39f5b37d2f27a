/* The driver's side of the meta operations. */
#ifndef MALI_DRIVER_META_H
#define MALI_DRIVER_META_H

#include "vulkan/meta/vk_meta.h"

extern const struct vk_meta_ops mali_meta_ops;

/* copy.c: hooks. */
bool mali_copy_memory(struct vk_command_buffer *cmd, const struct vk_meta_memory_copy *info);
bool mali_copy_image(struct vk_command_buffer *cmd, const struct vk_meta_image_copy *info);

/* The driver's own operations, in the top byte of a shader's key. */
enum mali_meta_operation {
    MALI_META_FILL_BUFFER = VK_META_FAMILY,
    MALI_META_COPY_BUFFER,
    MALI_META_PRELOAD,
    MALI_META_COPY,
    MALI_META_READ_COMPRESSED,
    MALI_META_WRITE_COMPRESSED,
};

#endif
