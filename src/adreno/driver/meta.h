/* The driver's side of the meta operations. */
#ifndef ADRENO_DRIVER_META_H
#define ADRENO_DRIVER_META_H

#include "vulkan/meta/vk_meta.h"

extern const struct vk_meta_ops adreno_meta_ops;

#endif
