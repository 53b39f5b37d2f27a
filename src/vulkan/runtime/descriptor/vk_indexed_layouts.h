/* Set layouts for compilers that count descriptors (compiler/ir/bindings.h). Buffers with dynamic offsets are in a
 * table of their own, which counts through all sets; a binding's planes after the first are bindings after all
 * others. */
#ifndef VULKAN_RUNTIME_VK_INDEXED_LAYOUTS_H
#define VULKAN_RUNTIME_VK_INDEXED_LAYOUTS_H

#include "compiler/ir/bindings.h"
#include "vulkan/runtime/descriptor/vk_bindings.h"
#include "vulkan/runtime/descriptor/vk_descriptor_set_layout.h"

struct vk_device;

/* For vk_descriptor_ops::describe, where every descriptor has the same size. Dynamic ones count from the first of their
 * set. */
static inline struct ir_binding_layout vk_indexed_binding(const struct vk_descriptor_binding *binding,
                                                          uint32_t descriptor_B)
{
    const bool is_dynamic = vk_descriptor_is_dynamic(binding->type);
    return (struct ir_binding_layout){
        .index = is_dynamic ? binding->dynamic_index : binding->offset_B / descriptor_B,
        .stride = is_dynamic ? 1 : binding->stride_B / descriptor_B,
        .sampler = (uint8_t)(binding->sampler_offset_B / descriptor_B),
        .is_dynamic = is_dynamic,
    };
}

/* NULL layouts are sets that the shader does not read. The tables live as long as the layouts and until
 * vk_indexed_layouts_finish. */
struct vk_indexed_layouts {
    struct ir_set_layout sets[VK_BINDINGS_MAX_SETS];
    uint32_t num_sets;
    struct ir_binding_layout *copies; /* of sets with dynamic buffers or planes; NULL: none has them */
};

/* `first_dynamic` is the place in their table of the first buffer with a dynamic offset. */
VkResult vk_indexed_layouts_init(struct vk_device *device, struct vk_descriptor_set_layout *const *set_layouts,
                                 uint32_t count, uint32_t first_dynamic, struct vk_indexed_layouts *layouts_out);
void vk_indexed_layouts_finish(struct vk_device *device, struct vk_indexed_layouts *layouts);

/* The binding's number for the compiler, of a plane. */
static inline uint32_t vk_indexed_plane(const struct vk_descriptor_set_layout *layout,
                                        const struct vk_descriptor_binding *binding, uint32_t plane)
{
    return plane * layout->num_bindings + (uint32_t)(binding - layout->bindings);
}

#endif
