/* Descriptor sets: raw hardware descriptors in GPU memory that 32-bit pointers reach. The layout's table is what the
 * compiler reads (amd/compiler/compiler.h).
 *
 * A buffer of any kind and a sampler have 16 bytes, an image of any kind has 32; vk_descriptor.h says what becomes of
 * them. Dynamic buffers, with their offsets added, are after the push constants. An inline uniform block begins with a
 * buffer over its bytes, but not in a descriptor buffer: shaders make it there. */
#ifndef AMD_DRIVER_RADEON_DESCRIPTOR_H
#define AMD_DRIVER_RADEON_DESCRIPTOR_H

#include "amd/compiler/compiler.h"
#include "amd/driver/radeon_device.h"
#include "vulkan/runtime/descriptor/vk_descriptor_pool.h"
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"

#define RADEON_MAX_DYNAMIC_BUFFERS 32 /* of a pipeline layout, both kinds together */
#define RADEON_MAX_PUSH_DESCRIPTORS 32
#define RADEON_MAX_SET_B (1u << 30)
#define RADEON_MAX_DESCRIPTORS_PER_SET (RADEON_MAX_SET_B / 128) /* of the largest there are: such a set always fits */
#define RADEON_MAX_INLINE_BLOCK_B (4u << 20)

enum {
    RADEON_BUFFER_DESCRIPTOR_B = 16,
    RADEON_SAMPLER_DESCRIPTOR_B = 16,
    RADEON_IMAGE_DESCRIPTOR_B = 32,
    RADEON_STRUCTURE_DESCRIPTOR_B = 16, /* an address; as aligned as others are */
    RADEON_COMBINED_DESCRIPTOR_B = 64,  /* an image and its sampler */
    RADEON_SET_ALIGN_B = 32,
};

extern const struct vk_descriptor_ops radeon_descriptor_ops;

/* ---- for the compiler ---- */

/* Set layouts as the compiler reads them. Dynamic buffers' descriptors lie after the push constants, from
 * radeon_dynamic_offset_B(push_size_B) on, 16 bytes each, in the order of the pipeline layout's sets and of their
 * bindings. NULL layouts are sets that the shader does not read. The tables live as long as the layouts and until
 * radeon_compiler_layouts_finish. */
struct radeon_push_area {
    uint32_t push_size_B; /* of the layout that the shader was compiled with: where the dynamic descriptors begin */
    /* Where not all sets before one with dynamic buffers were known (independent sets), they are in an order of the
     * shader's own: of how many sets, and by set where the first is and how many there are. 0: in the layout's. */
    uint32_t ordered_sets;
    uint8_t first[RADEON_MAX_SETS], count[RADEON_MAX_SETS];
};

struct radeon_compiler_layouts {
    struct radeon_push_area area;
    struct amd_set_layout sets[RADEON_MAX_SETS];
    uint32_t num_sets;
    struct amd_binding_layout *copies; /* of sets that have dynamic buffers; NULL: none has */
};

static inline uint32_t radeon_dynamic_offset_B(uint32_t push_size_B)
{
    return (push_size_B + 15) & ~15u;
}

/* VK_ERROR_OUT_OF_HOST_MEMORY, and nothing to finish, when there is no memory. */
VkResult radeon_layouts_for_compiler(struct radeon_device *device, struct vk_descriptor_set_layout *const *set_layouts,
                                     uint32_t count, uint32_t push_size_B, struct radeon_compiler_layouts *layouts_out);
void radeon_compiler_layouts_finish(struct radeon_device *device, struct radeon_compiler_layouts *layouts);

#endif
