/* The driver's side of the meta operations. */
#ifndef MALI_DRIVER_META_H
#define MALI_DRIVER_META_H

#include "vulkan/meta/vk_meta.h"

extern const struct vk_meta_ops mali_meta_ops;

/* The driver's own operations, in the top byte of a shader's key. */
enum mali_meta_operation {
    MALI_META_FILL_BUFFER = VK_META_FAMILY,
    MALI_META_COPY_BUFFER,
    MALI_META_PRELOAD,
};

#endif
