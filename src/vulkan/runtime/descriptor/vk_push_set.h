/* Pushed descriptor sets: the host's copy, to which every push adds. A family has one for each bind point of a command
 * buffer and brings the bytes to memory before the next draw or dispatch, each time to a new place: the GPU may not
 * have read the last one yet. */
#ifndef VULKAN_RUNTIME_VK_PUSH_SET_H
#define VULKAN_RUNTIME_VK_PUSH_SET_H

#include "vulkan/runtime/descriptor/vk_descriptor_pool.h"

struct vk_command_buffer;
struct vk_descriptor_update_template;

struct vk_push_set {
    struct vk_descriptor_set set; /* of no pool: layout (a reference), map, size_B */
    uint32_t number;
    uint32_t capacity_B;
};

/* These add descriptors to *push, which is NULL before the first push, for set `number` of a pipeline layout. What is
 * in it stays while the set's layout means the same; otherwise it starts empty. False, with the error remembered, when
 * there is no memory. */
bool vk_push_set_write(struct vk_command_buffer *cmd, struct vk_push_set **push, VkPipelineLayout layout,
                       uint32_t number, uint32_t count, const VkWriteDescriptorSet *writes);
bool vk_push_set_write_template(struct vk_command_buffer *cmd, struct vk_push_set **push, VkPipelineLayout layout,
                                uint32_t number, const struct vk_descriptor_update_template *template,
                                const void *data);

/* Another recording begins: the memory stays, but the application may destroy the layout. NULL is allowed. */
void vk_push_set_reset(struct vk_push_set *push);
void vk_push_set_destroy(const VkAllocationCallbacks *alloc, struct vk_push_set *push); /* NULL is allowed */

#endif
