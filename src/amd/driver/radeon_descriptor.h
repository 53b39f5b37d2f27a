/* Descriptor sets: raw hardware descriptors in GPU memory that 32-bit pointers reach. The layout's table is what the
 * compiler reads (amd/compiler/compiler.h). */
#ifndef AMD_DRIVER_RADEON_DESCRIPTOR_H
#define AMD_DRIVER_RADEON_DESCRIPTOR_H

#include "amd/compiler/compiler.h"
#include "amd/driver/radeon_device.h"
#include "vulkan/runtime/vk_descriptor_set_layout.h"
#include "vulkan/runtime/vk_pipeline_layout.h"

#define RADEON_MAX_DYNAMIC_BUFFERS 32 /* of a pipeline layout, both kinds together */

struct radeon_binding {
    VkDescriptorType type;
    VkDescriptorBindingFlags flags;
    uint32_t count; /* array elements; bytes of an inline uniform block */
    uint32_t offset_B, stride_B;
    uint32_t dynamic_index; /* first, among the set's dynamic buffers */
    uint32_t sampler_index; /* first of its immutable ones in the layout's table, UINT32_MAX: none */
};

struct radeon_set_layout {
    struct vk_descriptor_set_layout vk;
    VkDescriptorSetLayoutCreateFlags flags;
    uint32_t size_B; /* without the variable binding's elements */
    uint32_t num_bindings;
    uint32_t num_dynamic;
    VkShaderStageFlags dynamic_stages;
    uint32_t variable_binding; /* UINT32_MAX: none */
    struct radeon_binding *bindings;             /* by number; unused numbers have count 0 */
    struct amd_binding_layout *compiler_bindings; /* the same for the compiler; `dynamic` ones count from the first dynamic
                                                     descriptor of their set */
    uint32_t *immutable_samplers;                /* 4 words each */
};

VK_DEFINE_CASTS(radeon_set_layout, VkDescriptorSetLayout)

struct radeon_descriptor_pool;

struct radeon_descriptor_set {
    struct vk_object_base base;
    struct radeon_set_layout *layout;
    struct radeon_descriptor_pool *pool;
    uint32_t offset_B, size_B; /* in the pool's memory */
    uint32_t variable_count;
    uint64_t va;
    uint32_t *map;
    uint32_t dynamic[]; /* 4 words each: descriptors before the offset is added */
};

VK_DEFINE_CASTS(radeon_descriptor_set, VkDescriptorSet)

/* What is bound at one bind point. */
struct radeon_bindings {
    uint64_t set_va[RADEON_MAX_SETS]; /* 0: nothing */
    uint32_t valid, dirty;            /* by set number; dirty: the user SGPRs are old */
    uint32_t dynamic[RADEON_MAX_DYNAMIC_BUFFERS][4]; /* with offsets added, in the pipeline layout's order */
    uint32_t num_dynamic;
    bool dynamic_dirty;
    struct radeon_push_set *push_set; /* the CPU's copy of a pushed set; NULL before the first push */
};

struct radeon_cmd_buffer;

/* Set layouts as the compiler reads them. Dynamic buffers' descriptors lie behind the push constants, from
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

/* The first dynamic descriptor of `set` among those of the pipeline layout. */
uint32_t radeon_layout_first_dynamic(const struct vk_pipeline_layout *layout, uint32_t set);

/* What was pushed since the last draw or dispatch goes to memory (before user data is written). */
void radeon_push_descriptors_flush(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);
void radeon_bindings_reset(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);
void radeon_bindings_finish(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);

#endif
