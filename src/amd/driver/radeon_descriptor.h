/* Descriptor sets: raw hardware descriptors in GPU memory that 32-bit pointers reach. The layout's table is what the
 * compiler reads (amd/compiler/compiler.h).
 *
 * A buffer of any kind and a sampler have 16 bytes, an image of any kind has 32; vulkan/runtime/vk_descriptor.h says
 * what becomes of them. Dynamic buffers, with their offsets added, are after the push constants. An inline uniform block
 * begins with a buffer over its bytes. */
#ifndef AMD_DRIVER_RADEON_DESCRIPTOR_H
#define AMD_DRIVER_RADEON_DESCRIPTOR_H

#include "amd/compiler/compiler.h"
#include "amd/driver/radeon_device.h"
#include "vulkan/runtime/vk_descriptor_pool.h"
#include "vulkan/runtime/vk_pipeline_layout.h"
#include "vulkan/runtime/vk_push_set.h"

#define RADEON_MAX_DYNAMIC_BUFFERS 32 /* of a pipeline layout, both kinds together */
#define RADEON_MAX_PUSH_DESCRIPTORS 32
#define RADEON_MAX_SET_B (1u << 30)
#define RADEON_MAX_DESCRIPTORS_PER_SET (RADEON_MAX_SET_B / 128) /* of the largest there are: such a set always fits */
#define RADEON_MAX_INLINE_BLOCK_B (4u << 20)

enum {
    RADEON_BUFFER_DESCRIPTOR_B = 16,
    RADEON_SAMPLER_DESCRIPTOR_B = 16,
    RADEON_IMAGE_DESCRIPTOR_B = 32,
    RADEON_SET_ALIGN_B = 32,
};

extern const struct vk_descriptor_ops radeon_descriptor_ops;

/* What is bound at one bind point. */
struct radeon_bindings {
    uint64_t set_va[RADEON_MAX_SETS];                /* 0: nothing in memory */
    uint32_t valid, dirty;                           /* by set number; dirty: the user SGPRs must be written */
    uint32_t dynamic[RADEON_MAX_DYNAMIC_BUFFERS][4]; /* with offsets added, in the pipeline layout's order */
    uint32_t num_dynamic;
    bool dynamic_dirty;
    bool push_dirty;              /* the pushed set is not in memory */
    struct vk_push_set *push_set; /* NULL before the first push */
};

struct radeon_cmd_buffer;

/* ---- for the compiler ---- */

/* Set layouts as the compiler reads them. Dynamic buffers' descriptors lie after the push constants, from
 * radeon_dynamic_offset_B(push_size_B) on, 16 bytes each, in the order of the pipeline layout's sets and of their
 * bindings. NULL layouts are sets that the shader does not read. The tables live as long as the layouts and until
 * radeon_compiler_layouts_finish. */
struct radeon_compiler_layouts {
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

/* ---- for recording ---- */

void radeon_push_set_upload(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);

/* What was pushed since the last draw or dispatch goes to memory (before user data is written). */
static inline void radeon_push_descriptors_flush(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings)
{
    if (__builtin_expect(bindings->push_dirty, 0))
        radeon_push_set_upload(cmd, bindings);
}

void radeon_bindings_reset(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);
void radeon_bindings_finish(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);

#endif
