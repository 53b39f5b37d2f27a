/* Descriptor sets: hardware descriptors of 64 bytes each, found bindless: a set is one of five bases, a descriptor its
 * number there. vulkan/runtime/descriptor/vk_descriptor.h says how they lie in a set:
 *
 *   buffers, images, samplers             one each
 *   an image with its sampler             the image (one for each plane), then the sampler
 *   an inline uniform block               a uniform buffer over the bytes that follow it
 *   dynamic buffers                       in the last base, all sets' together, uploaded when an offset changes */
#ifndef ADRENO_DRIVER_DESCRIPTOR_H
#define ADRENO_DRIVER_DESCRIPTOR_H

#include "adreno/compiler/compiler.h"
#include "adreno/driver/device.h"
#include "vulkan/runtime/descriptor/vk_bindings.h"
#include "vulkan/runtime/descriptor/vk_descriptor_pool.h"
#include "vulkan/runtime/descriptor/vk_indexed_layouts.h"
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"

enum {
    ADRENO_DESCRIPTOR_B = 64,
    ADRENO_DESCRIPTOR_DW = ADRENO_DESCRIPTOR_B / 4,
    ADRENO_API_SETS = ADRENO_MAX_SETS - 1, /* the last base has the dynamic buffers */
    ADRENO_MAX_DYNAMIC_BUFFERS = VK_BINDINGS_DYNAMIC_B / ADRENO_DESCRIPTOR_B, /* both kinds together */
    ADRENO_MAX_PUSH_DESCRIPTORS = 32,
    ADRENO_MAX_SET_B = 1 << 28,
    ADRENO_MAX_DESCRIPTORS_PER_SET = ADRENO_MAX_SET_B / (4 * ADRENO_DESCRIPTOR_B),
    ADRENO_MAX_UNIFORM_B = 64 << 10,
    ADRENO_BUFFER_ALIGN_B = 64, /* of what descriptors of buffers name */
};

/* A copy for a device of this chip. */
struct vk_descriptor_ops adreno_descriptor_ops(const struct adreno_chip *chip);

#endif
